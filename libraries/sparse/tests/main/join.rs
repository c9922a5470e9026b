//! Matrices of several, and random ones.

use super::*;

#[test]
fn matrices_are_joined_as_dense_ones_are() {
    let (a, b) = (matrix([40, 7], 60), matrix([13, 7], 30));
    let below = sparse::vstack(&[&a, &b.to_coo(), &a.to_csc()]).unwrap();
    let dense = vstack((a.to_dense(), b.to_dense(), a.to_dense()));
    assert_eq!((below.shape(), below.to_dense().to_vec()), ([93, 7], dense.to_vec()));
    let c = matrix([40, 300], 90);
    let beside = sparse::hstack(&[&a, &c]).unwrap();
    assert_eq!(beside.to_dense().to_vec(), hstack((a.to_dense(), c.to_dense())).to_vec());
    // Its rows are sorted, as those of all are.
    assert!(beside.matmul(&ones::<f64>(307)).to_vec().iter().all(|x| x.is_finite()));
    let blocks = sparse::block_diag(&[&a, &b]).unwrap().to_dense();
    assert_eq!(blocks.shape(), [53, 14]);
    assert_eq!(blocks.slice(s![..40, ..7]).to_vec(), a.to_dense().to_vec());
    assert_eq!(blocks.slice(s![40.., 7..]).to_vec(), b.to_dense().to_vec());
    assert_eq!(blocks.slice(s![..40, 7..]).count_nonzero().item(), 0);
    let empty = sparse::Csr::from_triplets([0, 7], &[0i64; 0], &[0i64; 0], &[0f64; 0]).unwrap();
    assert_eq!(sparse::vstack(&[&empty, &b, &empty]).unwrap().to_dense().to_vec(), b.to_dense().to_vec());
}

#[test]
fn matrices_that_do_not_fit_are_not_joined() {
    let (a, b) = (matrix([4, 3], 5), matrix([4, 2], 5));
    let message = sparse::vstack(&[&a, &b]).unwrap_err().to_string();
    assert_eq!(message, "vstack: shapes [4, 3] and [4, 2] differ in their columns");
    let message = sparse::hstack(&[&a, &a.t()]).unwrap_err().to_string();
    assert_eq!(message, "hstack: shapes [4, 3] and [3, 4] differ in their rows");
    let none: [&dyn sparse::SparseMatrix<f64>; 0] = [];
    assert!(sparse::block_diag(&none).unwrap_err().to_string().contains("at least one matrix"));
}

#[test]
fn random_matrices_have_as_many_elements_as_are_asked() {
    for (shape, density) in
        [([100, 50], 0.1), ([30, 40], 0.9), ([10, 10], 1.0), ([1 << 20, 1 << 20], 1e-8), ([0, 5], 0.5)]
    {
        let a = sparse::random::<f64>(shape, density).unwrap();
        let wanted = (density * shape[0] as f64 * shape[1] as f64).round() as usize;
        assert_eq!((a.shape(), a.nnz()), (shape, wanted));
        // No place comes twice, which a sum would show.
        let triplets = a.to_coo();
        let keys = triplets.row().astype(u64) * shape[1] as u64 + triplets.col().astype(u64);
        assert_eq!(keys.unique().size(), wanted);
        assert!(a.data().to_vec().iter().all(|x| (0.0..1.0).contains(x)));
    }
    // All parts have their share.
    let part = sparse::random::<f64>([1000, 1000], 0.05).unwrap().rows(500..1000).nnz();
    assert!((24_000..26_000).contains(&part), "{part}");
    let (row, complex) = (sparse::random::<f32>([5, 5], 0.2), sparse::random::<Complex<f64>>([5, 5], 0.2));
    assert_eq!((row.unwrap().nnz(), complex.unwrap().nnz()), (5, 5));
    assert!(sparse::random::<f64>([5, 5], 1.5).unwrap_err().to_string().contains("0 <= density <= 1"));
    assert!(sparse::random::<f64>([5, 5], f64::NAN).is_err());
    assert!(sparse::random::<f64>([1 << 31, 1 << 31], 1.0).is_err());
}

#[test]
fn elements_and_norms() {
    let a = matrix([20, 30], 100);
    let dense = a.to_dense();
    for (row, column) in [(0, 0), (19, 29), (7, 3), (12, 29)] {
        assert_eq!(a.get(row, column), dense.slice(s![row, column]).item());
    }
    close(&[a.norm()], &[dense.norm().item()], 1e-14);
    let z = complex_matrix([9, 9], 20);
    close(&[z.norm()], &[z.to_dense().norm().item()], 1e-14);
    let fault = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| a.get(20, 0))).unwrap_err();
    let message = fault.downcast::<Error>().unwrap().to_string();
    assert_eq!(message, "get: index (20, 0) is out of bounds for a matrix of shape [20, 30]");
}
