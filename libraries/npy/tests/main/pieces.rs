//! Arrays that are read and written a few rows at a time.

use std::fs;
use std::path::Path;

use gpurepl_prelude::*;
use proptest::prelude::*;

#[track_caller]
fn fails<T>(result: Result<T>, words: &str) {
    let error = result.err().expect("an error").to_string();
    assert!(error.contains(words), "{error}");
}

/// A file of `f32` in this order of elements and of bytes, as NumPy writes it.
fn numpy_file(path: &Path, shape: &[usize], is_fortran: bool, is_big_endian: bool) {
    let lengths: Vec<String> = shape.iter().map(|length| format!("{length},")).collect();
    let (order, python) = (if is_big_endian { '>' } else { '<' }, if is_fortran { "True" } else { "False" });
    let shape_text = lengths.join("");
    let mut header =
        format!("{{'descr': '{order}f4', 'fortran_order': {python}, 'shape': ({shape_text}), }}");
    header.push_str(&" ".repeat(117 - header.len()));
    header.push('\n');
    let whole = arange(0..shape.iter().product::<usize>() as i32).astype(f32).reshape(shape);
    let elements = if is_fortran { whole.t().to_vec() } else { whole.to_vec() };
    let bytes = elements.iter().flat_map(|x| if is_big_endian { x.to_be_bytes() } else { x.to_le_bytes() });
    let start = [&b"\x93NUMPY\x01\x00"[..], &118_u16.to_le_bytes(), header.as_bytes()].concat();
    fs::write(path, start.into_iter().chain(bytes).collect::<Vec<u8>>()).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn pieces_are_the_rows_of_the_whole(
        shape in proptest::collection::vec(0..6_usize, 1..4), is_fortran: bool, is_big_endian: bool,
        step in 1..4_usize, ends in (0..6_usize, 0..6_usize),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        numpy_file(&path, &shape, is_fortran, is_big_endian);
        let whole = io::load::<f32>(&path).unwrap();
        let file = io::open_npy::<f32>(&path).unwrap();
        prop_assert_eq!((file.shape(), file.len()), (whole.shape(), shape[0]));
        let mut read = Vec::new();
        for (number, piece) in file.pieces(step).enumerate() {
            let piece = piece.unwrap();
            prop_assert_eq!(piece.len(), step.min(shape[0] - number * step));
            read.extend(piece.to_vec());
        }
        prop_assert_eq!(read, whole.to_vec());
        let (from, to) = (ends.0.min(ends.1).min(shape[0]), ends.0.max(ends.1).min(shape[0]));
        let some = file.read(from..to).unwrap();
        prop_assert_eq!(some.to_vec(), whole.slice(from..to).to_vec());
    }

    #[test]
    fn what_is_appended_is_what_would_be_saved(counts in proptest::collection::vec(0..5_usize, 0..6)) {
        let folder = tempfile::tempdir().unwrap();
        let (grown, saved) = (folder.path().join("grown.npy"), folder.path().join("saved.npy"));
        let mut file = io::create_npy::<i16>(&grown, (2, 3)).unwrap();
        let mut rows = 0;
        for (number, count) in counts.iter().enumerate() {
            if number % 2 == 1 {
                file = io::append_npy::<i16>(&grown).unwrap();
            }
            let part = arange(rows as i16 * 6..(rows + count) as i16 * 6).reshape((*count, 2, 3));
            file.append(&part.slice(s![.., ..]).t().t().copy()).unwrap();
            rows += count;
            prop_assert_eq!(file.shape(), [rows, 2, 3]);
        }
        io::save(&saved, &arange(0..rows as i16 * 6).reshape((rows, 2, 3))).unwrap();
        prop_assert_eq!(fs::read(&grown).unwrap(), fs::read(&saved).unwrap());
    }
}

#[test]
fn numbers_are_rows_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    let mut file = io::create_npy::<f64>(&path, ()).unwrap();
    for k in 0..12 {
        file.append(&(arange(0..100).astype(f64) + 100.0 * f64::from(k))).unwrap();
    }
    assert_eq!(io::load::<f64>(&path).unwrap().to_vec(), arange(0..1200).astype(f64).to_vec());
    assert!(format!("{file:?}").ends_with("a.npy: float64 [1200]"), "{file:?}");
}

#[test]
fn what_cannot_be_read_or_appended_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    io::save(&path, &full((), 1.0_f32)).unwrap();
    fails(io::open_npy::<f32>(&path), "without axes, and so no rows\n  = help: use `io::load`");
    io::save(&path, &zeros::<f32>((4, 2))).unwrap();
    fails(io::open_npy::<f64>(&path), "holds float32, not float64\n  = help: write `open_npy::<f32>(..)`");
    let file = io::open_npy::<f32>(&path).unwrap();
    fails(file.read(2..5), "rows 2..5 of ");
    fails(file.pieces(0).next().unwrap(), "give at least one row");
    let mut file = io::append_npy::<f32>(&path).unwrap();
    fails(
        file.append(&zeros::<f32>((1, 3))),
        "holds rows of shape [2], an array of shape [1, 3] does not; give one of shape [n, 2]",
    );
    fails(file.append(&full((), 1.0_f32)), "an array of shape [] does not");
    assert_eq!(io::load::<f32>(&path).unwrap().shape(), [4, 2]);
    numpy_file(&path, &[2, 3], true, false);
    fails(io::append_npy::<f32>(&path), "in Fortran's order");
    numpy_file(&path, &[2, 3], false, true);
    fails(io::append_npy::<f32>(&path), "in the other order of bytes");
    numpy_file(&path, &[2, 3], false, false);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    fails(io::open_npy::<f32>(&path), "an array of shape [2, 3] needs 24 bytes, 23 are there");
    // Another writer may leave less room for the header, or none.
    let short = |room: usize| {
        let text = format!("{{'descr':'|u1','fortran_order':False,'shape':(9,)}}{}\n", " ".repeat(room));
        let length = (text.len() as u16).to_le_bytes();
        fs::write(&path, [b"\x93NUMPY\x01\x00", &length[..], text.as_bytes(), &[7; 9]].concat()).unwrap();
        io::append_npy::<u8>(&path).unwrap().append(&full(1, 8_u8))
    };
    short(20).unwrap();
    assert_eq!(io::load::<u8>(&path).unwrap().to_vec(), [7, 7, 7, 7, 7, 7, 7, 7, 7, 8]);
    fails(short(0), "has no room for shape [10]\n  = help: load the array");
    assert_eq!(io::load::<u8>(&path).unwrap().to_vec(), [7; 9]);
    fs::write(&path, b"PK\x03\x04 an archive").unwrap();
    fails(io::open_npy::<u8>(&path), "does not begin as a .npy file does");
}

#[test]
fn numpy_reads_what_has_grown() {
    let folder = tempfile::tempdir().unwrap();
    let program = "np.save('a.npy', np.arange(6, dtype='f4').reshape(2, 3))";
    if super::numpy::python(folder.path(), program).is_none() {
        return;
    }
    let mut file = io::append_npy::<f32>(folder.path().join("a.npy")).unwrap();
    file.append(&arange(6..3000).astype(f32).reshape((-1, 3))).unwrap();
    let program =
        "a = np.load('a.npy', mmap_mode='r'); print((a == np.arange(3000).reshape(-1, 3)).all(), a.dtype)";
    assert_eq!(super::numpy::python(folder.path(), program).unwrap(), "True float32\n");
}
