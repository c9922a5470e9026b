//! Files between gpurepl and NumPy, in both directions. The Python is that of
//! `GPUREPL_TEST_PYTHON`; without it these tests are ignored.

use std::fs;
use std::path::Path;
use std::process::Command;

use gpurepl_prelude::*;

#[path = "../../../../tests/support/ignored.rs"]
mod ignored;

/// Runs a program of Python's in a folder, with NumPy as `np`; none without
/// a Python.
pub(crate) fn python(folder: &Path, program: &str) -> Option<String> {
    let Some(python) = std::env::var_os("GPUREPL_TEST_PYTHON").filter(|path| !path.is_empty()) else {
        ignored::missing("Python with NumPy", "GPUREPL_TEST_PYTHON");
        return None;
    };
    let has_numpy = Command::new(&python).args(["-c", "import numpy"]).output().unwrap().status.success();
    if !has_numpy {
        ignored::ignored("needs NumPy, which the Python of GPUREPL_TEST_PYTHON does not have");
        return None;
    }
    let program = format!("import numpy as np\n{program}");
    let output = Command::new(python).current_dir(folder).args(["-c", &program]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

/// `np.arange(12) - 3` in this type, the complex ones times `1 + 2j`.
fn save_all(folder: &Path) {
    let a = arange(0_i64..12).reshape((3, 4)) - 3;
    let save = |array: &dyn io::SaveArray, name: &str| {
        io::save(folder.join(format!("{name}.npy")), array).unwrap();
    };
    save(&a.ne(0), "bool");
    save(&a.astype(i8), "int8");
    save(&a.astype(i16), "int16");
    save(&a.astype(i32), "int32");
    save(&a, "int64");
    save(&a.astype(u8), "uint8");
    save(&a.astype(u16), "uint16");
    save(&a.astype(u32), "uint32");
    save(&a.astype(u64), "uint64");
    save(&a.astype(f16), "float16");
    save(&a.astype(f32), "float32");
    save(&a.astype(f64), "float64");
    save(&(a.astype(f32) * Complex32::new(1.0, 2.0)), "complex64");
    save(&(a.astype(f64) * Complex64::new(1.0, 2.0)), "complex128");
}

const TYPES: &str = "'bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128'.split()";

#[test]
fn numpy_reads_what_is_saved_and_would_write_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    save_all(folder.path());
    io::save(folder.path().join("scalar.npy"), &arange(0..5).sum()).unwrap();
    io::save(folder.path().join("empty.npy"), &zeros::<f32>((2, 0))).unwrap();
    let program = format!(
        "for name in {TYPES}:
    a = np.arange(12).reshape(3, 4) - 3
    a = a != 0 if name == 'bool' else (a * (1 + 2j)).astype(name) if name[0] == 'c' else a.astype(name)
    b = np.load(name + '.npy')
    assert b.dtype == a.dtype and b.shape == a.shape and (a == b).all(), name
    np.save('again.npy', a)
    assert open('again.npy', 'rb').read() == open(name + '.npy', 'rb').read(), name
assert np.load('scalar.npy').shape == () and np.load('scalar.npy') == 10
assert np.load('empty.npy').shape == (2, 0)
print('good')"
    );
    let Some(said) = python(folder.path(), &program) else { return };
    assert_eq!(said, "good\n");
}

#[test]
fn numpy_reads_archives_that_are_saved() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (arange(0..20_000).reshape((100, 200)), gpu![1.5f32, -2.0]);
    io::savez(folder.path().join("plain.npz"), [("a", &a), ("b", &b)]).unwrap();
    io::savez_compressed(folder.path().join("small.npz"), [("a", &a), ("größe", &b)]).unwrap();
    let Some(said) = python(
        folder.path(),
        "for name, b in [('plain.npz', 'b'), ('small.npz', 'größe')]:
    file = np.load(name)
    assert file.files == ['a', b], file.files
    assert (file['a'] == np.arange(20000, dtype=np.int32).reshape(100, 200)).all()
    assert file[b].dtype == np.float32 and list(file[b]) == [1.5, -2.0]
print('good')",
    ) else {
        return;
    };
    assert_eq!(said, "good\n");
}

#[test]
fn what_numpy_writes_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let program = format!(
        "for name in {TYPES}:
    a = np.arange(12).reshape(3, 4) - 3
    a = a != 0 if name == 'bool' else (a * (1 + 2j)).astype(name) if name[0] == 'c' else a.astype(name)
    np.save(name + '.npy', a)
    np.save('f-' + name + '.npy', np.asfortranarray(a))
    np.save('b-' + name + '.npy', a.astype(a.dtype.newbyteorder('>')))
    np.save('s-' + name + '.npy', a[::2, ::-1])
    for version in [(2, 0), (3, 0)]:
        with open(f'v{{version[0]}}-{{name}}.npy', 'wb') as file:
            np.lib.format.write_array(file, a, version)
np.savez('plain.npz', a=np.arange(5), b=np.float32(2.5), größe=np.zeros((0, 2)))
np.savez_compressed('small.npz', a=np.zeros(100000), text=np.array(['x']))
np.save('text.npy', np.array(['abc']))
np.save('fields.npy', np.zeros(2, dtype=[('x', 'f4'), ('y', 'i2', (2, 2))]))
np.save('object.npy', np.array([None], dtype=object), allow_pickle=True)"
    );
    if python(folder.path(), &program).is_none() {
        return;
    }
    fn check<T: Elem>(folder: &Path, expected: &GpuArray<T>) {
        let name = T::DTYPE.numpy();
        for start in ["", "f-", "b-", "v2-", "v3-"] {
            let read = io::load::<T>(folder.join(format!("{start}{name}.npy"))).unwrap();
            assert_eq!((read.shape(), read.to_vec()), (&[3, 4][..], expected.to_vec()), "{start}{name}");
        }
        let read = io::load::<T>(folder.join(format!("s-{name}.npy"))).unwrap();
        let part = expected.slice(s![..;2, ..;-1]);
        assert_eq!(read.to_vec(), part.to_vec(), "{name}");
    }
    let (folder, a) = (folder.path(), arange(0_i64..12).reshape((3, 4)) - 3);
    check(folder, &a.ne(0));
    check(folder, &a.astype(i8));
    check(folder, &a.astype(i16));
    check(folder, &a.astype(i32));
    check(folder, &a);
    check(folder, &a.astype(u8));
    check(folder, &a.astype(u16));
    check(folder, &a.astype(u32));
    check(folder, &a.astype(u64));
    check(folder, &a.astype(f16));
    check(folder, &a.astype(f32));
    check(folder, &a.astype(f64));
    check(folder, &(a.astype(f32) * Complex32::new(1.0, 2.0)));
    check(folder, &(a.astype(f64) * Complex64::new(1.0, 2.0)));

    let file = io::load_npz(folder.join("plain.npz")).unwrap();
    assert_eq!(file.names().collect::<Vec<_>>(), ["a", "b", "größe"]);
    assert_eq!(file.get::<i64>("a").unwrap().to_vec(), [0, 1, 2, 3, 4]);
    assert_eq!(file.get::<f32>("b").unwrap().item(), 2.5);
    assert_eq!(file.get::<f64>("größe").unwrap().shape(), [0, 2]);
    let file = io::load_npz(folder.join("small.npz")).unwrap();
    assert_eq!(file.get::<f64>("a").unwrap().size(), 100_000);
    assert!(format!("{file:?}").ends_with("\n  a     float64 [100000]\n  text  <U1 [1]"), "{file:?}");
    for (name, words) in [
        ("text", "holds elements of type <U3, which arrays cannot have"),
        ("fields", "holds elements of type [('x', '<f4'), ('y', '<i2', (2, 2))], which"),
        ("object", "holds elements of type |O, which"),
    ] {
        let error = io::load::<f32>(folder.join(format!("{name}.npy"))).map(drop).unwrap_err();
        assert!(error.kind() == ErrorKind::DType && error.to_string().contains(words), "{error}");
    }
    fs::remove_file(folder.join("object.npy")).unwrap();
}
