use super::*;

#[test]
fn products_are_those_of_the_dense_matrix() {
    for (shape, count) in [
        ([7, 5], 20),
        ([1, 1], 1),
        ([300, 200], 3000),
        ([3, 4], 0),
        ([0, 3], 0),
        ([3, 0], 0),
        ([2000, 1], 900),
    ] {
        let a = matrix(shape, count);
        let all = a.to_dense();
        let mut numbers = Numbers::new();
        let x = to_gpu((0..shape[1]).map(|_| numbers.unit()).collect::<Vec<f64>>());
        close(&a.matmul(&x).to_vec(), &all.matmul(&x).to_vec(), 1e-13);
        close(&a.to_csc().matmul(&x).to_vec(), &all.matmul(&x).to_vec(), 1e-13);
        close(&a.to_coo().matmul(&x).to_vec(), &all.matmul(&x).to_vec(), 1e-13);
        let m =
            to_gpu((0..shape[1] * 3).map(|_| numbers.unit()).collect::<Vec<f64>>()).reshape((shape[1], 3));
        close(&a.matmul(&m).to_vec(), &all.matmul(&m).to_vec(), 1e-13);
        // A view, and an expression.
        close(&a.matmul(&m.slice(s![.., 1])).to_vec(), &all.matmul(m.slice(s![.., 1])).to_vec(), 1e-13);
        close(&a.matmul(&(2.0 * &x)).to_vec(), &all.matmul(&(2.0 * &x)).to_vec(), 1e-13);
        let single = a.astype::<f32>();
        let y: Vec<f64> = single.matmul(&x.astype(f32)).to_vec().into_iter().map(f64::from).collect();
        close(&y, &all.matmul(&x).to_vec(), 1e-5);
    }
}

#[test]
fn complex_products() {
    let a = complex_matrix([50, 40], 300);
    let x = to_gpu((0..40).map(|k| Complex::new(k as f64, 1.0 - k as f64)).collect::<Vec<_>>());
    let (found, expected) = (a.matmul(&x).to_vec(), a.to_dense().matmul(&x).to_vec());
    assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).norm() < 1e-12 * (1.0 + b.norm())));
    let single =
        to_gpu(x.to_vec().iter().map(|z| Complex::new(z.re as f32, z.im as f32)).collect::<Vec<_>>());
    let found = a.astype::<Complex<f32>>().matmul(&single).to_vec();
    let is_close = |(a, b): (&Complex<f32>, &Complex<f64>)| {
        (Complex::new(f64::from(a.re), f64::from(a.im)) - b).norm() < 1e-4 * (1.0 + b.norm())
    };
    assert!(found.iter().zip(&expected).all(is_close));
}

/// Every kernel: rows of one length, of lengths that no tile holds, and one that needs a block of its own.
#[test]
fn rows_of_any_length() {
    for lengths in [
        vec![5; 10_000],
        [vec![0; 3000], vec![1; 10], vec![0; 3000], vec![400, 0, 512]].concat(),
        vec![600; 40],
        [vec![3; 5000], vec![20_000], vec![0; 10], vec![700]].concat(),
    ] {
        let columns = 20_000;
        let mut numbers = Numbers::new();
        let (mut indptr, mut indices, mut values) = (vec![0_i64], Vec::new(), Vec::new());
        for length in &lengths {
            let first = numbers.whole(columns - length + 1);
            for k in 0..*length {
                indices.push((first + k) as i64);
                values.push(numbers.unit() - 0.5);
            }
            indptr.push(indices.len() as i64);
        }
        let x: Vec<f64> = (0..columns).map(|_| numbers.unit()).collect();
        let expected: Vec<f64> = (0..lengths.len())
            .map(|row| {
                (indptr[row] as usize..indptr[row + 1] as usize)
                    .map(|k| values[k] * x[indices[k] as usize])
                    .sum()
            })
            .collect();
        let a = sparse::Csr::new([lengths.len(), columns], &values, &indices, &indptr).unwrap();
        let first = a.matmul(&to_gpu(&x)).to_vec();
        close(&first, &expected, 1e-11);
        // To the bit, each time.
        assert_eq!(first, a.matmul(&to_gpu(&x)).to_vec());
    }
}

#[test]
fn products_of_sparse_matrices() {
    for (a, b) in [
        (matrix([30, 20], 100), matrix([20, 25], 90)),
        (matrix([30, 20], 0), matrix([20, 25], 90)),
        (matrix([1, 500], 200), matrix([500, 1], 200)),
    ] {
        let product = a.matmul(&b);
        close(&product.to_dense().to_vec(), &a.to_dense().matmul(b.to_dense()).to_vec(), 1e-13);
        close(&a.matmul(&b.to_csc()).to_dense().to_vec(), &product.to_dense().to_vec(), 1e-15);
    }
    let square = poisson(6);
    assert_eq!(
        square.matmul(&square).nnz(),
        square.to_dense().matmul(square.to_dense()).count_nonzero().item() as usize
    );
}

#[test]
fn shapes_that_do_not_fit_are_named() {
    let a = matrix([3, 4], 5);
    for (x, words) in [
        (zeros::<f64>(3), "shapes [3, 4] and [3] do not fit: the second must be [4] or [4, k]"),
        (zeros::<f64>((3, 4)), "shapes [3, 4] and [3, 4] do not fit"),
        (zeros::<f64>(()), "do not fit"),
    ] {
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| a.matmul(&x))).unwrap_err();
        let text = message(&*panic);
        assert!(text.contains(words), "{text}");
    }
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| a.matmul(&a))).unwrap_err();
    assert!(message(&*panic).contains("columns must be as many"), "{}", message(&*panic));
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    panic
        .downcast_ref::<Error>()
        .map(ToString::to_string)
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no text".to_owned())
}

/// Arrays that are made on the way lie where the matrix does, and not where the user is.
#[test]
fn matrices_of_another_context_are_computed_with() {
    let context = Device::new(0).unwrap().make_context().unwrap();
    let (a, b, x) = (matrix([20, 20], 90), poisson(4), arange(1..21).astype(f64));
    let right = ones::<f64>(16);
    let all = a.to_dense();
    let expected = all.matmul(&x).to_vec();
    let (diagonal, lower) = (all.diagonal(0).to_vec(), all.tril(0).to_vec());
    let (rows, sums) = (all.slice(3..5).to_vec(), all.sum_axis(0).to_vec());
    Context::pop().unwrap();
    close(&a.matmul(&x).to_vec(), &expected, 1e-13);
    close(&a.t().t().matmul(&x).to_vec(), &expected, 1e-13);
    close(&a.to_csc().matmul(&x).to_vec(), &expected, 1e-13);
    close(&(2.0 * &a).matmul(&x).to_vec(), &expected.iter().map(|y| 2.0 * y).collect::<Vec<_>>(), 1e-13);
    close(&(&a + &a).matmul(&x).to_vec(), &expected.iter().map(|y| 2.0 * y).collect::<Vec<_>>(), 1e-13);
    assert_eq!(a.matmul(&a).shape(), [20, 20]);
    assert_eq!(a.diagonal().to_vec(), diagonal);
    assert_eq!(a.tril(0).to_dense().to_vec(), lower);
    assert_eq!(a.rows(3..5).to_dense().to_vec(), rows);
    close(&a.sum_axis(0).to_vec(), &sums, 1e-13);
    let m = sparse::ilu(&b).unwrap();
    assert!(sparse::solver().preconditioner(&m).cg(&b, &right).unwrap().is_converged());
    assert!(sparse::gmres(&b, &right).unwrap().is_converged());
    assert!(sparse::bicgstab(&b, &right).unwrap().is_converged());
    drop((a, b, x, right, m, all));
    context.detach();
}
