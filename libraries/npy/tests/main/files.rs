//! Files that are written and read back, and damaged ones.

use std::fs;
use std::path::PathBuf;

use gpurepl_prelude::*;
use proptest::prelude::*;
use tempfile::TempDir;

/// A place for a file, and its folder.
fn place(name: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    (folder, path)
}

/// A file with this header and data.
fn raw(header: &str, data: &[u8]) -> (TempDir, PathBuf) {
    let (folder, path) = place("raw.npy");
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    fs::write(&path, [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), data].concat()).unwrap();
    (folder, path)
}

#[track_caller]
fn fails<T>(result: Result<T>, kind: ErrorKind, words: &str) {
    let error = result.err().expect("an error");
    assert!(error.kind() == kind && error.to_string().contains(words), "{:?}: {error}", error.kind());
}

fn comes_back<T: Elem>(array: &GpuArray<T>) {
    let (_folder, path) = place("a.npy");
    io::save(&path, array).unwrap();
    let back = io::load::<T>(&path).unwrap();
    assert_eq!((back.shape(), back.to_vec()), (array.shape(), array.to_vec()), "{}", T::DTYPE);
}

#[test]
fn arrays_of_every_type_come_back() {
    let a = arange(0_i32..24).reshape((2, 3, 4)) - 9;
    comes_back(&a.gt(0));
    comes_back(&a.astype(i8));
    comes_back(&a.astype(i16));
    comes_back(&a);
    comes_back(&a.astype(i64));
    comes_back(&a.astype(u8));
    comes_back(&a.astype(u16));
    comes_back(&a.astype(u32));
    comes_back(&a.astype(u64));
    comes_back(&a.astype(f16));
    comes_back(&a.astype(f32));
    comes_back(&a.astype(f64));
    comes_back(&(a.astype(f32) * Complex32::new(1.0, 2.0)));
    comes_back(&(a.astype(f64) * Complex64::new(1.0, 2.0)));
}

#[test]
fn expressions_views_scalars_and_empty_arrays_come_back() {
    let a = arange(0..12).reshape((3, 4));
    comes_back(&(&a * 2 + 1));
    comes_back(&a.t());
    comes_back(&a.slice(s![1.., 3..0;-2]));
    comes_back(&a.sum());
    comes_back(&zeros::<f32>((0, 3)));
    comes_back(&zeros::<f32>(0));
    comes_back(&ones::<u8>([1; 8]));
}

#[test]
fn a_file_of_several_types_comes_back() {
    let (a, b, c) = (arange(0_i64..1000), linspace(0.0, 1.0, 50), gpu![true, false]);
    for compressed in [false, true] {
        let (_folder, path) = place("several.npz");
        let arrays: [(&str, &dyn io::SaveArray); 4] = [("a", &a), ("b c", &b), ("sub/d", &c), ("", &c)];
        if compressed { io::savez_compressed(&path, arrays) } else { io::savez(&path, arrays) }.unwrap();
        let file = io::load_npz(&path).unwrap();
        assert_eq!(file.names().collect::<Vec<_>>(), ["a", "b c", "sub/d", ""]);
        assert_eq!(file.get::<i64>("a").unwrap().to_vec(), a.to_vec());
        assert_eq!(file.get::<f64>("b c").unwrap().to_vec(), b.to_vec());
        assert_eq!(file.get::<bool>("sub/d").unwrap().to_vec(), [true, false]);
        assert_eq!(file.get_any("a").unwrap().dtype(), DType::Int64);
        assert_eq!(fs::metadata(&path).unwrap().len() < 4000, compressed, "8000 bytes of small numbers");
        fails(
            file.get::<f32>("a"),
            ErrorKind::DType,
            "holds int64, not float32\n  = help: write `get::<i64>(..)`",
        );
        fails(
            file.get::<f32>("x"),
            ErrorKind::Value,
            "has no array `x`\n  = help: it has `a`, `b c`, `sub/d`, ``",
        );
        let shown = format!("{file:?}");
        assert!(
            shown.contains("\n  a      int64 [1000]\n  b c    float64 [50]\n  sub/d  bool [2]\n"),
            "{shown}"
        );
        assert_eq!(format!("{:?}", io::describe(&path).unwrap()), shown);
    }
}

#[test]
fn a_file_without_arrays_is_one() {
    let (_folder, path) = place("none.npz");
    io::savez(&path, []).unwrap();
    let file = io::load_npz(&path).unwrap();
    assert_eq!(file.names().count(), 0);
    assert!(format!("{file:?}").ends_with("none.npz: no arrays"));
    fails(file.get::<f32>("x"), ErrorKind::Value, "it has none");
}

#[test]
fn one_name_twice_is_refused() {
    let (_folder, path) = place("twice.npz");
    let a = zeros::<f32>(1);
    fails(io::savez(&path, [("a", &a), ("a", &a)]), ErrorKind::Value, "two arrays have the name `a`");
    for name in ["../a", "/a", "a\\b", "a//b"] {
        fails(io::savez(&path, [(name, &a)]), ErrorKind::Value, "cannot be a file's name in an archive");
    }
    assert!(!path.exists());
}

#[test]
fn another_type_is_named_with_the_way_to_it() {
    let (_folder, path) = place("a.npy");
    io::save(&path, &zeros::<f64>(2)).unwrap();
    let words = "a.npy holds float64, not float32\n  = help: write `load::<f64>(..)`, and `.astype(f32)` after it to convert";
    fails(io::load::<f32>(&path), ErrorKind::DType, words);
    assert_eq!(io::load_any(&path).unwrap().dtype(), DType::Float64);
}

#[test]
fn each_kind_of_file_names_the_function_for_it() {
    let (folder, path) = place("a.npz");
    let a = zeros::<f32>(1);
    io::savez(&path, [("a", &a)]).unwrap();
    fails(io::load::<f32>(&path), ErrorKind::Value, "use `io::load_npz`");
    let path = folder.path().join("a.npy");
    io::save(&path, &a).unwrap();
    fails(io::load_npz(&path), ErrorKind::Value, "use `io::load`");
    fails(io::load::<f32>(folder.path().join("none.npy")), ErrorKind::Io, "load ");
    fails(io::save(folder.path().join("none/a.npy"), &a), ErrorKind::Io, "save ");
    fails(io::load::<f32>(folder.path()), ErrorKind::Io, "load ");
}

#[test]
fn orders_of_bytes_and_of_elements_are_the_files() {
    let header = |descr: &str, fortran: &str, shape: &str| {
        format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n")
    };
    let bytes: Vec<u8> = (1..=6_i32).flat_map(i32::to_be_bytes).collect();
    let (_folder, path) = raw(&header(">i4", "True", "(2, 3)"), &bytes);
    let a = io::load::<i32>(&path).unwrap();
    assert_eq!((a.shape(), a.to_vec()), (&[2, 3][..], vec![1, 3, 5, 2, 4, 6]));
    let bytes: Vec<u8> = [1.5_f64, -2.0].into_iter().flat_map(f64::to_be_bytes).collect();
    let (_folder, path) = raw(&header(">c16", "False", "()"), &bytes);
    assert_eq!(io::load::<Complex64>(&path).unwrap().item(), Complex64::new(1.5, -2.0));
    let (_folder, path) = raw(&header("|b1", "False", "(3,)"), &[0, 1, 2]);
    assert_eq!(io::load::<bool>(&path).unwrap().eq(true).to_vec(), [false, true, true]);
}

#[test]
fn a_header_that_claims_too_much_allocates_nothing() {
    let header = |shape: &str| format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}");
    for (shape, words) in [
        ("(1000000000000,)", "needs 8000000000000 bytes, 8"),
        ("(9223372036854775807, 9)", "is larger than any memory"),
        ("(3,)", "needs 24 bytes"),
        ("(1, 1, 1, 1, 1, 1, 1, 1, 1)", "arrays have at most 8 axes"),
    ] {
        let (_folder, path) = raw(&header(shape), &[0; 8]);
        let error = io::load::<f64>(&path).map(drop).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
    let (_folder, path) = raw("{'descr': '<U3', 'fortran_order': False, 'shape': (2,)}", &[0; 24]);
    fails(io::load::<f32>(&path), ErrorKind::DType, "elements of type <U3, which arrays cannot have");
    assert!(format!("{:?}", io::describe(&path).unwrap()).ends_with("raw.npy: <U3 [2]"));
}

#[test]
fn a_changed_byte_in_an_archive_is_noticed() {
    for compressed in [false, true] {
        let (_folder, path) = place("a.npz");
        let a = arange(0..1000);
        let arrays: [(&str, &dyn io::SaveArray); 1] = [("a", &a)];
        if compressed { io::savez_compressed(&path, arrays) } else { io::savez(&path, arrays) }.unwrap();
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x10;
        fs::write(&path, bytes).unwrap();
        fails(io::load_npz(&path).unwrap().get::<i32>("a"), ErrorKind::Value, "`a` in ");
    }
}

/// Reads a file in all ways; whatever it holds, that is a value or an error.
fn read_all(path: &std::path::Path) {
    let _ = io::load::<f32>(path).map(|a| a.to_vec());
    let _ = io::load_any(path).and_then(|a| a.to_host());
    let _ = io::describe(path).map(|contents| format!("{contents:?}"));
    if let Ok(file) = io::load_npz(path) {
        let _ = format!("{file:?}");
        let names: Vec<String> = file.names().map(str::to_owned).collect();
        for name in names {
            let _ = file.get_any(&name).and_then(|a| a.to_host());
        }
    }
}

/// Files that are changed at random.
fn originals() -> Vec<Vec<u8>> {
    let (folder, path) = place("a.npy");
    let (a, b) = (arange(0_i32..40).reshape((5, 8)).astype(f32), arange(0_i64..9));
    io::save(&path, &a).unwrap();
    let mut files = vec![fs::read(&path).unwrap()];
    for compressed in [false, true] {
        let path = folder.path().join("ab.npz");
        let arrays: [(&str, &dyn io::SaveArray); 2] = [("a", &a), ("b", &b)];
        if compressed { io::savez_compressed(&path, arrays) } else { io::savez(&path, arrays) }.unwrap();
        files.push(fs::read(&path).unwrap());
    }
    files
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_files_never_panic(
        which in 0..3_usize,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in proptest::option::of(any::<prop::sample::Index>()),
        is_in_text in any::<bool>(),
    ) {
        static FILES: std::sync::LazyLock<Vec<Vec<u8>>> = std::sync::LazyLock::new(originals);
        let mut bytes = FILES[which].clone();
        for (at, byte) in changes {
            // Half of the time in the header, where each byte counts.
            let length = if is_in_text { 128 } else { bytes.len() };
            bytes[at.index(length)] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let (_folder, path) = place("damaged");
        fs::write(&path, bytes).unwrap();
        read_all(&path);
    }

    #[test]
    fn headers_of_any_text_never_panic(text in "[{}()\\[\\]'\",:0-9TFrueals<>|fiuc descrorderhape_L-]{0,80}") {
        let (_folder, path) = raw(&text, &[0; 64]);
        read_all(&path);
    }
}
