use super::*;

#[test]
fn formats_become_each_other() {
    for (shape, count) in [([7, 5], 20), ([1, 1], 3), ([40, 60], 500), ([3, 4], 0), ([0, 3], 0), ([3, 0], 0)]
    {
        let list = triplets(shape, count);
        let expected = dense(shape, &list);
        let coo = sparse::Coo::new(shape, &list.0, &list.1, &list.2).unwrap();
        assert_eq!((coo.shape(), coo.nnz()), (shape, list.2.len()));
        let csr = coo.to_csr();
        close(&csr.to_dense().to_vec(), &expected, 1e-15);
        close(&coo.to_csc().to_dense().to_vec(), &expected, 1e-15);
        close(&csr.to_csc().to_dense().to_vec(), &expected, 1e-15);
        close(&csr.to_csc().to_csr().to_dense().to_vec(), &expected, 1e-15);
        close(&csr.to_coo().to_dense().to_vec(), &expected, 1e-15);
        close(&csr.t().t().to_dense().to_vec(), &expected, 1e-15);
        close(&coo.t().to_dense().t().to_vec(), &expected, 1e-15);
        let back = sparse::Csr::from_dense(&csr.to_dense()).unwrap();
        assert_eq!(back.indices().to_vec(), csr.indices().to_vec());
        assert_eq!(back.indptr().to_vec(), csr.indptr().to_vec());
        assert_eq!(back.data().to_vec(), csr.data().to_vec());
        let again = sparse::Csr::new(shape, csr.data(), csr.indices(), csr.indptr()).unwrap();
        close(&again.to_dense().to_vec(), &expected, 1e-15);
        let csc = csr.to_csc();
        let again = sparse::Csc::new(shape, csc.data(), csc.indices(), csc.indptr()).unwrap();
        close(&again.to_dense().to_vec(), &expected, 1e-15);
    }
}

#[test]
fn elements_at_one_place_are_added() {
    let a = sparse::Csr::from_triplets([1, 2], &[0; 4], &[1; 4], &[1.5, -4.0, 1.0, 2.0]).unwrap();
    assert_eq!((a.nnz(), a.data().to_vec()), (1, vec![0.5]));
}

#[test]
fn parts_of_a_matrix() {
    let shape = [9, 6];
    let a = matrix(shape, 30);
    let all = a.to_dense();
    assert_eq!(a.rows(2..5).to_dense().to_vec(), all.slice(2..5).to_vec());
    assert_eq!(a.rows(0..0).shape(), [0, 6]);
    assert_eq!(a.rows(0..9).to_dense().to_vec(), all.to_vec());
    for k in [-3, -1, 0, 2] {
        assert_eq!(a.tril(k).to_dense().to_vec(), all.tril(k as isize).to_vec(), "{k}");
        assert_eq!(a.triu(k).to_dense().to_vec(), all.triu(k as isize).to_vec(), "{k}");
    }
    assert_eq!(a.diagonal().to_vec(), all.diagonal(0).to_vec());
    assert_eq!(a.t().diagonal().to_vec(), all.diagonal(0).to_vec());
    close(&a.sum_axis(0).to_vec(), &all.sum_axis(0).to_vec(), 1e-15);
    close(&a.sum_axis(1).to_vec(), &all.sum_axis(1).to_vec(), 1e-15);
}

#[test]
fn arithmetic_of_matrices() {
    let (a, b) = (matrix([20, 30], 80), matrix([20, 30], 60));
    let (dense_a, dense_b) = (a.to_dense(), b.to_dense());
    close(&(&a + &b).to_dense().to_vec(), &(&dense_a + &dense_b).to_vec(), 1e-15);
    close(&(&a - &b).to_dense().to_vec(), &(&dense_a - &dense_b).to_vec(), 1e-15);
    close(&(2.5 * &a).to_dense().to_vec(), &(2.5 * &dense_a).to_vec(), 1e-15);
    close(&(-&a).to_dense().to_vec(), &(-&dense_a).to_vec(), 0.0);
    for sum in [a.clone() + &b, &a + b.clone(), a.clone() + b.clone()] {
        assert_eq!(sum.to_dense().to_vec(), (&a + &b).to_dense().to_vec());
    }
    close(&(&a / 2.0).to_dense().to_vec(), &(&dense_a / 2.0).to_vec(), 0.0);
    close(&[a.sum().item()], &[dense_a.sum().item()], 1e-13);
    // What cancels is not stored.
    assert_eq!((&a - &a).nnz(), 0);
    let z = complex_matrix([6, 6], 12);
    assert_eq!(z.conj().to_dense().to_vec(), z.to_dense().conj().to_vec());
    let kron = sparse::kron(&matrix([2, 3], 4), &matrix([3, 2], 4)).unwrap();
    let expected = matrix([2, 3], 4).to_dense().kron(matrix([3, 2], 4).to_dense());
    close(&kron.to_dense().to_vec(), &expected.to_vec(), 1e-15);
}

#[test]
fn diagonals() {
    let n = 6;
    let a = sparse::diags([n, n], &[(-2, 1.0), (0, 2.0), (3, 3.0)]).unwrap();
    let expected = 2.0 * eye::<f64>(n) + eye_k(n, -2) + 3.0 * eye_k(n, 3);
    assert_eq!(a.to_dense().to_vec(), expected.to_vec());
    assert_eq!((a.nnz(), a.to_csr().nnz()), (13, 13));
    let x = arange(0..6).astype(f64);
    close(&a.matmul(&x).to_vec(), &expected.matmul(&x).to_vec(), 1e-15);
    for shape in [[3, 5], [5, 3]] {
        let wide = sparse::diags(shape, &[(-1, 4.0), (0, 1.0), (2, 5.0)]).unwrap();
        let x = arange(1..shape[1] as i32 + 1).astype(f64);
        close(&wide.matmul(&x).to_vec(), &wide.to_dense().matmul(&x).to_vec(), 1e-15);
    }
    // Data of the host.
    let host = sparse::diags([2, 2], &[(0, vec![1.0, 2.0])]).unwrap();
    assert_eq!(host.matmul(&vec![3.0, 4.0]).to_vec(), [3.0, 8.0]);
    assert_eq!(host.to_csr().matmul(&[3.0, 4.0]).to_vec(), [3.0, 8.0]);
    assert_eq!(
        sparse::kron(&sparse::eye(2).unwrap(), &host).unwrap().diagonal().to_vec(),
        [1.0, 2.0, 1.0, 2.0]
    );
    // SciPy's example of `dia_array`.
    let data = gpu![[1.0, 2.0, 3.0, 4.0]].repeat_axis(3, 0);
    let a = sparse::Dia::new([4, 4], &data, &[0, -1, 2]).unwrap();
    let expected = [1.0, 0.0, 3.0, 0.0, 1.0, 2.0, 0.0, 4.0, 0.0, 2.0, 3.0, 0.0, 0.0, 0.0, 3.0, 4.0];
    assert_eq!(a.to_dense().to_vec(), expected);
}

fn eye_k(n: usize, k: isize) -> GpuArray<f64> {
    array::eye_k(n, k)
}

#[test]
fn wrong_parts_are_refused_with_words() {
    let error = |result: Result<sparse::Csr<f64>>| result.unwrap_err().to_string();
    let e = error(sparse::Csr::from_triplets([2, 2], &[0, 2], &[0, 0], &[1.0, 1.0]));
    assert!(e.contains("index 2 of `rows` is out of bounds for axis with size 2"), "{e}");
    let e = error(sparse::Csr::from_triplets([2, 2], &[0, -1], &[0, 0], &[1.0, 1.0]));
    assert!(e.contains("index -1 of `rows`"), "{e}");
    let e = error(sparse::Csr::from_triplets([2, 2], &[0], &[0, 0], &[1.0, 1.0]));
    assert!(e.contains("1 rows, 2 columns and 2 values"), "{e}");
    let e = error(sparse::Csr::from_triplets([2, 2], &[0.0, 1.0], &[0, 0], &[1.0, 1.0]));
    assert!(e.contains("whole numbers"), "{e}");
    let e = error(sparse::Csr::new([2, 2], &[1.0], &[0], &[0, 1]));
    assert!(e.contains("index pointer size 2 should be 3"), "{e}");
    let e = error(sparse::Csr::new([2, 2], &[1.0, 2.0], &[0, 1], &[0, 2, 1]));
    assert!(e.contains("falls"), "{e}");
    let e = error(sparse::Csr::new([2, 2], &[1.0, 2.0], &[0, 5], &[0, 1, 2]));
    assert!(e.contains("index 5 of `indices`"), "{e}");
    let e = error(sparse::Csr::from_dense(&gpu![1.0, 2.0]));
    assert!(e.contains("no matrix"), "{e}");
    let e = error(sparse::Csr::from_triplets([usize::MAX, 2], &[0], &[0], &[1.0]));
    assert!(e.contains("at most"), "{e}");
    let e = sparse::Dia::new([2, 2], &gpu![[1.0], [2.0]], &[1, 1]).unwrap_err().to_string();
    assert!(e.contains("offset array contains duplicate values"), "{e}");
    let e = sparse::diags([2, 2], &[(5, 1.0)]).unwrap_err().to_string();
    assert!(e.contains("offset 5 is out of bounds"), "{e}");
    let e = sparse::diags([3, 3], &[(1, &gpu![1.0, 2.0, 3.0])]).unwrap_err().to_string();
    assert!(e.contains("diagonal 1 has 2 elements"), "{e}");
}

#[test]
fn matrices_are_written_as_scipy_writes_them() {
    let a = sparse::Csr::from_dense(&gpu![[1.0, 0.0], [0.5, -2.0]]).unwrap();
    assert_eq!(
        format!("{a:?}"),
        "Csr(float64, shape [2, 2], 3 stored elements)\n  (0, 0)  1.0\n  (1, 0)  0.5\n  (1, 1)  -2.0"
    );
    let long = format!("{:?}", sparse::eye::<f32>(100).unwrap());
    assert!(
        long.starts_with("Csr(float32, shape [100, 100], 100 stored elements)\n  (0, 0)  1.0\n"),
        "{long}"
    );
    assert!(long.ends_with("\n  (98, 98)  1.0\n  (99, 99)  1.0") && long.contains("\n  ...\n"), "{long}");
    let z = sparse::Csr::from_dense(&gpu![[Complex::new(1.0, -2.0)]]).unwrap();
    assert!(format!("{z:?}").ends_with("(0, 0)  1.0-2.0i"), "{z:?}");
}

#[test]
fn what_the_user_writes_later_changes_no_matrix() {
    let (mut indices, mut data) = (to_gpu(&[0_u32, 1]), gpu![1.0, 2.0]);
    let a = sparse::Csr::new([2, 2], &data, &indices, &to_gpu(&[0_u32, 1, 2])).unwrap();
    indices.fill(4_000_000_000_u32);
    data.fill(9.0);
    a.indices().fill(4_000_000_000_u32);
    a.data().fill(9.0);
    assert_eq!(a.to_dense().to_vec(), [1.0, 0.0, 0.0, 2.0]);
    let (mut rows, columns) = (to_gpu(&[0_u32, 1]), to_gpu(&[1_u32, 0]));
    let b = sparse::Coo::new([2, 2], &rows, &columns, &gpu![1.0, 2.0]).unwrap();
    rows.fill(7_u32);
    b.row().fill(7_u32);
    assert_eq!(b.to_dense().to_vec(), [0.0, 1.0, 2.0, 0.0]);
}

#[test]
fn products_and_sums_of_nothing() {
    let none = sparse::Csr::<f64>::from_triplets([2, 3], &[0_i32; 0], &[0_i32; 0], &[0.0; 0]).unwrap();
    assert_eq!(sparse::kron(&none, &matrix([2, 2], 3)).unwrap().shape(), [4, 6]);
    assert_eq!((&none + &none).nnz(), 0);
    assert_eq!(none.sum_axis(0).to_vec(), [0.0; 3]);
    assert_eq!(format!("{none:?}"), "Csr(float64, shape [2, 3], 0 stored elements)");
}

#[test]
fn infinite_elements_stay_what_they_are() {
    let z = Complex::new(f64::INFINITY, 1.0);
    let a = sparse::Coo::new(
        [2, 2],
        &[0, 1, 1],
        &[0, 1, 1],
        &[z, Complex::new(1.0, 2.0), Complex::new(3.0, -1.0)],
    );
    let a = a.unwrap().to_csr();
    assert_eq!(a.data().to_vec(), [z, Complex::new(4.0, 1.0)]);
    assert_eq!((-&a).data().to_vec(), [-z, Complex::new(-4.0, -1.0)]);
    assert_eq!(a.sum_axis(1).to_vec(), [z, Complex::new(4.0, 1.0)]);
}

/// What is made within a graph is made with each launch, and not kept before.
#[test]
fn matrices_are_not_kept_empty_by_graphs() {
    let a = matrix([6, 6], 14);
    let expected = a.to_dense();
    let x = arange(1..7).astype(f64);
    let mut transposed = None;
    let recorded = Graph::capture(|| {
        transposed = Some(a.t());
        Ok(())
    });
    // Outside of the graph, before and after a launch.
    close(&a.t().matmul(&x).to_vec(), &expected.t().matmul(&x).to_vec(), 1e-13);
    close(&a.to_csc().to_dense().to_vec(), &expected.to_vec(), 1e-13);
    let graph = recorded.unwrap();
    graph.launch().unwrap();
    close(&transposed.unwrap().to_dense().to_vec(), &expected.t().to_vec(), 1e-13);
    // A product is recorded.
    a.matmul(&x);
    let mut y = None;
    let graph = Graph::capture(|| {
        y = Some(a.matmul(&x));
        Ok(())
    });
    graph.unwrap().launch().unwrap();
    close(&y.unwrap().to_vec(), &expected.matmul(&x).to_vec(), 1e-13);
}
