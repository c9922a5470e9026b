use super::*;

fn read<T: sparse::Field>(text: &str) -> Result<sparse::Csr<T>> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    sparse::mmread(file.path())
}

#[test]
fn files_of_the_matrix_market() {
    // The example of the format's description.
    let text = "%%MatrixMarket matrix coordinate real general\n% comment\n%\n  5  5  8\n    1     1   1.000e+00\n    \
                2     2   1.050e+01\n    3     3   1.500e-02\n    1     4   6.000e+00\n    4     2   2.505e+02\n    \
                4     4  -2.800e+02\n    4     5   3.332e+01\n    5     5   1.200e+01\n";
    let a = read::<f64>(text).unwrap();
    assert_eq!((a.shape(), a.nnz()), ([5, 5], 8));
    let all = a.to_dense();
    assert_eq!((all.slice(s![3, 1]).item(), all.slice(s![0, 3]).item()), (250.5, 6.0));
    let symmetric =
        read::<f64>("%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 4\n2 1 3\n").unwrap();
    assert_eq!(symmetric.to_dense().to_vec(), [4.0, 3.0, 3.0, 0.0]);
    let skew = read::<f32>("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n").unwrap();
    assert_eq!(skew.to_dense().to_vec(), [0.0, -3.0, 3.0, 0.0]);
    let pattern = read::<f64>("%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 3\n2 1\n").unwrap();
    assert_eq!(pattern.to_dense().to_vec(), [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
    let text = "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 4 0\n2 1 3 -1\n";
    let hermitian = read::<Complex<f64>>(text).unwrap().to_dense().to_vec();
    assert_eq!(hermitian[1..3], [Complex::new(3.0, 1.0), Complex::new(3.0, -1.0)]);
    let array = read::<f64>("%%MatrixMarket matrix array real general\n2 2\n1\n2\n0\n4\n").unwrap();
    assert_eq!((array.nnz(), array.to_dense().to_vec()), (3, vec![1.0, 0.0, 2.0, 4.0]));
}

#[test]
fn comments_may_be_in_other_encodings() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let text = b"%%MatrixMarket matrix coordinate real general\n% author: Jos\xe9\n1 1 1\n1 1 2.5\n";
    std::fs::write(file.path(), text).unwrap();
    assert_eq!(sparse::mmread::<f64>(file.path()).unwrap().to_dense().to_vec(), [2.5]);
}

#[test]
fn what_is_written_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mtx");
    let a = matrix([40, 30], 200);
    sparse::mmwrite(&path, &a).unwrap();
    let back = sparse::mmread::<f64>(&path).unwrap();
    assert_eq!((back.data().to_vec(), back.indices().to_vec()), (a.data().to_vec(), a.indices().to_vec()));
    let single = a.astype::<f32>();
    sparse::mmwrite(&path, &single).unwrap();
    assert_eq!(sparse::mmread::<f32>(&path).unwrap().data().to_vec(), single.data().to_vec());
    let z = complex_matrix([9, 9], 30);
    sparse::mmwrite(&path, &z).unwrap();
    assert_eq!(sparse::mmread::<Complex<f64>>(&path).unwrap().data().to_vec(), z.data().to_vec());
    let error = sparse::mmread::<f64>(&path).unwrap_err().to_string();
    assert!(error.contains("mmread::<Complex<f64>>"), "{error}");
}

#[test]
fn wrong_files_are_refused_with_their_line() {
    let head = "%%MatrixMarket matrix coordinate real general\n";
    for (text, words) in [
        ("", "line 1: the first line must be"),
        ("hello\n", "line 1: the first line must be"),
        ("%%MatrixMarket vector coordinate real general\n", "no matrix"),
        ("%%MatrixMarket matrix list real general\n", "`list` is not a format"),
        ("%%MatrixMarket matrix coordinate quaternion general\n", "`quaternion` is not a field"),
        ("%%MatrixMarket matrix coordinate real upper\n", "`upper` is not a symmetry"),
        (head, "the line of sizes is missing"),
        (
            &format!("{head}2 2\n"),
            "line 2: the line of sizes must have rows, columns and the number of entries",
        ),
        (&format!("{head}2 2 2\n1 1 1\n"), "the file ends after 1 of 2 entries"),
        (&format!("{head}2 2 1\n3 1 1\n"), "line 3: an entry must begin with its row, 1 to 2"),
        (&format!("{head}2 2 1\n0 1 1\n"), "line 3: an entry must begin"),
        (&format!("{head}2 2 1\n1 1 x\n"), "line 3: the entry's value is not a number"),
        (&format!("{head}2 2 1\n1 1 1 1\n"), "not a number"),
        (&format!("{head}2 2 1\n1 1 1\n2 2 2\n"), "line 4: there is more text"),
        ("%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n", "as many rows as columns"),
        ("%%MatrixMarket matrix array pattern general\n", "an array has all of its elements, and no pattern"),
        ("%%MatrixMarket matrix array real general\n2 2\n1\n", "the file ends before the last element"),
        (&format!("{head}18446744073709551615 2 0\n"), "at most"),
    ] {
        let error = read::<f64>(text).unwrap_err().to_string();
        assert!(error.contains(words), "{text}: {error}");
    }
    let error = sparse::mmread::<f64>("/nowhere/a.mtx").unwrap_err().to_string();
    assert!(error.contains("/nowhere/a.mtx"), "{error}");
}
