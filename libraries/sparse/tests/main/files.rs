//! SciPy's files, which `scipy_files.py` has written.

use super::*;

fn file(name: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/main/scipy").join(name).with_extension("npz")
}

const DENSE: [f64; 12] = [0.0, 0.0, 1.5, 2.0, 0.0, 0.0, 0.0, -3.0, 0.0, 4.0, 0.0, 5.0];

#[test]
fn files_of_scipy_are_read_in_every_format() {
    for name in ["csr", "csc", "coo", "dia", "array"] {
        let a = sparse::load_npz::<f64>(file(name)).unwrap();
        assert_eq!((a.shape(), a.to_dense().to_vec()), ([4, 3], DENSE.to_vec()), "{name}");
    }
    let single = sparse::load_npz::<f32>(file("stored")).unwrap();
    assert_eq!(single.to_dense().to_vec(), DENSE.map(|x| x as f32));
    assert_eq!(sparse::load_npz::<f64>(file("stored")).unwrap().to_dense().to_vec(), DENSE);
    let complex = sparse::load_npz::<Complex64>(file("complex")).unwrap();
    assert_eq!(complex.to_dense().to_vec(), DENSE.map(|x| Complex::new(x, 2.0 * x)));
    let whole = sparse::load_npz::<f64>(file("whole")).unwrap();
    assert_eq!(whole.to_dense().to_vec(), DENSE.map(|x| 2.0 * x));
    let truth = sparse::load_npz::<f32>(file("truth")).unwrap();
    assert_eq!(truth.to_dense().to_vec(), DENSE.map(|x| f32::from(x != 0.0)));
    let empty = sparse::load_npz::<f64>(file("empty")).unwrap();
    assert_eq!((empty.shape(), empty.nnz()), ([3, 2], 0));
}

#[test]
fn what_is_no_such_matrix_is_refused_with_what_to_do() {
    let message = |result: Result<sparse::Csr<f64>>| result.unwrap_err().to_string();
    let text = message(sparse::load_npz(file("bsr")));
    assert!(text.contains("has the format `bsr`") && text.contains("a.tocsr()"), "{text}");
    let text = message(sparse::load_npz(file("complex")));
    assert!(
        text.contains("holds complex128, not float64") && text.contains("load_npz::<Complex64>"),
        "{text}"
    );
    let text = sparse::load_npz::<f32>(file("csr")).unwrap_err().to_string();
    assert!(text.contains("holds float64, not float32") && text.contains(".astype::<f32>()"), "{text}");
    let folder = tempfile::tempdir().unwrap();
    let arrays = folder.path().join("arrays.npz");
    io::savez(&arrays, [("a", &ones::<f64>(3))]).unwrap();
    assert!(message(sparse::load_npz(&arrays)).contains("`io::load_npz` reads"));
    let lies = folder.path().join("lies.npz");
    let (data, indices, ends) = (ones::<f64>(1), gpu![7], gpu![0, 1]);
    let lie: [(&str, &dyn io::SaveArray); 5] = [
        ("format", &"csr"),
        ("shape", &gpu![1, 3]),
        ("data", &data),
        ("indices", &indices),
        ("indptr", &ends),
    ];
    io::savez(&lies, lie).unwrap();
    assert!(
        message(sparse::load_npz(&lies)).contains("out of bounds"),
        "{}",
        message(sparse::load_npz(&lies))
    );
    std::fs::write(&lies, b"PK\x03\x04").unwrap();
    assert!(message(sparse::load_npz(&lies)).contains("damaged"));
}

#[test]
fn matrices_are_written_in_their_own_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npz");
    let a = sparse::load_npz::<f64>(file("csr")).unwrap();
    let format = || io::load_npz(&path).unwrap().texts("format").unwrap();
    sparse::save_npz(&path, &a).unwrap();
    assert_eq!(format(), ["csr"]);
    assert_eq!(io::load_npz(&path).unwrap().get::<i32>("indices").unwrap().to_vec(), [2, 0, 1, 0, 2]);
    sparse::save_npz(&path, &a.to_csc()).unwrap();
    assert_eq!(
        (format(), sparse::load_npz::<f64>(&path).unwrap().to_dense().to_vec()),
        (vec!["csc".to_owned()], DENSE.to_vec())
    );
    sparse::save_npz(&path, &a.to_coo()).unwrap();
    assert_eq!(
        (format(), sparse::load_npz::<f64>(&path).unwrap().to_dense().to_vec()),
        (vec!["coo".to_owned()], DENSE.to_vec())
    );
    let dia = sparse::diags([3, 4], &[(-1, 2.0), (2, 3.0)]).unwrap();
    sparse::save_npz(&path, &dia).unwrap();
    assert_eq!(format(), ["dia"]);
    assert_eq!(sparse::load_npz::<f64>(&path).unwrap().to_dense().to_vec(), dia.to_dense().to_vec());
}
