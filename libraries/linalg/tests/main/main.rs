//! Linear algebra beside NumPy's answers, by what defines it, and in trouble.

use gpurepl_prelude::*;

mod numpy;

/// Functions on the host need their plugin, which this program has linked.
fn prepare() {
    extend::provide("linalg", gpurepl_linalg_host::gpurepl_plugin).unwrap();
}

/// Products that are large enough for the plugin are the sums of those of parts that are not, in every layout.
#[test]
fn large_products_are_sums_of_small_ones() {
    prepare();
    fn check<T: Elem + extend::arrays::Promote<T, Out = T>>(convert: impl Fn(&GpuArray<f64>) -> GpuArray<T>)
    where
        for<'a> &'a GpuArray<T>: std::ops::Add<&'a GpuArray<T>, Output = GpuArray<T>>,
    {
        // Whole numbers, so that the order of sums does not matter.
        let whole = |shape: (usize, usize, usize), seed: i64| {
            let count = (shape.0 * shape.1 * shape.2) as i64;
            convert(&((arange(0..count) * 7919 + seed) % 11 - 5).astype(f64).reshape(shape))
        };
        let (m, k, n) = (270, 260, 280);
        let (a, b) = (whole((2, m, k), 1), whole((2, k, n), 2));
        let expected = {
            let half = k as i64 / 2;
            let part = |from: i64, to: i64| {
                let rows = |rows: i64, end: i64| {
                    a.slice(s![.., rows..end, from..to]).matmul(b.slice(s![.., from..to, ..]))
                };
                concatenate_axis(&[&rows(0, 100), &rows(100, m as i64)][..], 1)
            };
            &part(0, half) + &part(half, k as i64)
        };
        let same = |c: GpuArray<T>| assert_eq!(c.to_vec(), expected.to_vec(), "{}", T::DTYPE);
        same(a.matmul(&b));
        let turned = |a: &GpuArray<T>| a.swapaxes(1, 2).copy().swapaxes(1, 2);
        same(turned(&a).matmul(&b));
        same(a.matmul(turned(&b)));
        same(turned(&a).matmul(turned(&b)));
        // Within wider rows.
        let wide = concatenate_axis(&[&a, &a][..], 2);
        same(wide.slice(s![.., .., ..k as i64]).matmul(&b));
        // One factor for both.
        let one = b.slice(s![0]);
        assert_eq!(a.matmul(&one).slice(s![0]).to_vec(), expected.slice(s![0]).to_vec());
    }
    check(|a| a.astype(f32));
    check(|a| a.copy());
    check(|a| a.astype(Complex32) * Complex32::new(1.0, -2.0));
    check(|a| a.astype(Complex64) * Complex64::new(0.0, 1.0));
}

/// Normal numbers, real and imaginary parts.
fn complex(shape: (usize, usize)) -> GpuArray<Complex<f64>> {
    randn::<f64>(shape).astype(Complex64) + randn::<f64>(shape) * Complex::new(0.0, 1.0)
}

/// How far from zero.
fn size<T: Elem<Real = f64>>(a: &GpuArray<T>) -> f64 {
    a.abs().max().item()
}

#[test]
fn factors_of_larger_matrices_are_what_they_are_called() {
    prepare();
    for (m, n) in [(130, 130), (200, 70), (70, 200)] {
        let a = randn::<f64>((m, n));
        let k = m.min(n);
        let (u, s, vh) = linalg::svd_reduced(&a).unwrap();
        assert!(size(&((&u * &s).matmul(&vh) - &a)) < 1e-12);
        assert!(size(&(u.t().matmul(&u) - eye::<f64>(k))) < 1e-13);
        assert!(s.to_vec().is_sorted_by(|a, b| a >= b));
        let (u, _, vh) = linalg::svd(&a).unwrap();
        assert_eq!((u.shape(), vh.shape()), (&[m, m][..], &[n, n][..]));
        assert!(size(&(u.matmul(u.t()) - eye::<f64>(m))) < 1e-13);
        assert!(size(&(vh.matmul(vh.t()) - eye::<f64>(n))) < 1e-13);
        let (q, r) = linalg::qr_complete(&a).unwrap();
        assert_eq!((q.shape(), r.shape()), (&[m, m][..], &[m, n][..]));
        assert!(size(&(q.matmul(&r) - &a)) < 1e-12);
        assert!(size(&(q.t().matmul(&q) - eye::<f64>(m))) < 1e-13);
        let (p, l, u) = linalg::lu(&a).unwrap();
        assert_eq!((l.shape(), u.shape()), (&[m, k][..], &[k, n][..]));
        assert!(size(&(p.matmul(&l).matmul(&u) - &a)) < 1e-12);
        assert!(size(&(l.tril(0) - &l)) == 0.0 && size(&(u.triu(0) - &u)) == 0.0);
        let inverse = linalg::pinv(&a).unwrap();
        assert!(size(&(a.matmul(&inverse).matmul(&a) - &a)) < 1e-11);
    }
    let a = complex((90, 90));
    let (w, v) = linalg::eig(&a).unwrap();
    assert!(size(&(a.matmul(&v) - &v * &w)) < 1e-11);
    assert!(size(&(v.norm_axis(0) - 1.0)) < 1e-13);
    let hermitian = &a + a.t().conj();
    let (w, v) = linalg::eigh(&hermitian).unwrap();
    assert!(size(&(hermitian.matmul(&v) - &v * &w)) < 1e-11);
    assert!(size(&(v.t().conj().matmul(&v) - eye::<Complex<f64>>(90))) < 1e-12);
    let x = linalg::solve(&a, &eye::<Complex<f64>>(90)).unwrap();
    assert!(size(&(a.matmul(&x) - eye::<Complex<f64>>(90))) < 1e-10);
    let positive = a.matmul(a.t().conj());
    let l = linalg::cholesky(&positive).unwrap();
    assert!(size(&(l.matmul(l.t().conj()) - &positive)) < 1e-11);
    let u = linalg::cholesky_upper(&positive).unwrap();
    assert!(size(&(u.t().conj().matmul(&u) - &positive)) < 1e-11);
}

#[test]
fn eigenvectors_of_real_matrices_are_complex_where_they_must() {
    prepare();
    let a = gpu![[0.0, -2.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 3.0]];
    let (w, v) = linalg::eig(&a).unwrap();
    assert!(size(&(a.astype(Complex64).matmul(&v) - &v * &w)) < 1e-14);
    assert!(allclose(w.imag().sort(), gpu![-2.0, 0.0, 2.0]));
    let upper = gpu![[1.0, 5.0], [f64::NAN, 1.0]];
    assert!(allclose(&linalg::eigh_upper(&upper).unwrap().0, gpu![-4.0, 6.0]));
}

#[test]
fn stacks_are_computed_one_by_one() {
    prepare();
    let a = randn::<f64>((3, 2, 6, 6));
    let b = randn::<f64>((2, 6, 4));
    let x = linalg::solve(&a, &b).unwrap();
    assert_eq!(x.shape(), [3, 2, 6, 4]);
    assert!(size(&(a.matmul(&x) - &b)) < 1e-11);
    let (values, vectors) = linalg::eigh(&(&a + a.swapaxes(-1, -2))).unwrap();
    assert_eq!((values.shape(), vectors.shape()), (&[3, 2, 6][..], &[3, 2, 6, 6][..]));
    let (u, s, vh) = linalg::svd_reduced(&a).unwrap();
    assert!(size(&((&u * s.expand_dims(-2)).matmul(&vh) - &a)) < 1e-12);
    let determinants = linalg::det(&a).unwrap();
    for (i, j) in [(0, 0), (2, 1)] {
        let one = linalg::det(&a.slice(s![i, j])).unwrap().item();
        assert!((determinants.slice(s![i, j]).item() - one).abs() < 1e-12);
    }
    let many = randn::<f64>((500, 4, 4)) + 4.0 * eye::<f64>(4);
    assert!(size(&(many.matmul(linalg::inv(&many).unwrap()) - eye::<f64>(4))) < 1e-10);
}

#[test]
fn views_are_taken_as_they_are() {
    prepare();
    let a = randn::<f64>((8, 8)) + 8.0 * eye::<f64>(8);
    let b = randn::<f64>((8, 2));
    for view in [a.t(), a.flip(), a.slice(s![..; 2, ..; 2]), a.slice(s![1..5, 3..7]).t()] {
        let n = view.shape()[0];
        let b = b.slice(..n);
        let x = linalg::solve(&view, &b).unwrap();
        assert!(size(&(view.matmul(&x) - &b)) < 1e-10);
        assert!(size(&(linalg::qr(&view).unwrap().1 - linalg::qr(&view.copy()).unwrap().1)) < 1e-12);
    }
    let before = a.copy();
    linalg::eigvals(&a).unwrap();
    linalg::cholesky(&(a.matmul(a.t()))).unwrap();
    assert!(array_equal(&a, &before));
}

#[test]
fn triangles_are_solved_with() {
    prepare();
    let a = complex((7, 7)) + 7.0 * eye::<Complex<f64>>(7);
    let b = complex((7, 3));
    use linalg::Triangle;
    for (how, matrix) in [
        (Triangle::lower(), a.tril(0)),
        (Triangle::upper(), a.triu(0)),
        (Triangle::lower().transposed(), a.tril(0).t()),
        (Triangle::upper().adjoint(), a.triu(0).t().conj()),
        (Triangle::lower().unit_diagonal(), a.tril(-1) + eye::<Complex<f64>>(7)),
    ] {
        let x = linalg::solve_triangular(&a, &b, how).unwrap();
        assert!(size(&(matrix.matmul(&x) - &b)) < 1e-12, "{how:?}");
    }
    let lu = linalg::lu_factor(&a).unwrap();
    assert!(size(&(a.matmul(lu.solve(&b).unwrap()) - &b)) < 1e-11);
    let vector = b.slice(s![.., 0]).copy();
    assert!(size(&(a.matmul(lu.solve(&vector).unwrap()) - &vector)) < 1e-11);
    let order = lu.order();
    assert!(size(&(lu.l().unwrap().matmul(lu.u().unwrap()) - a.take_axis(&order, 0))) < 1e-12);
    assert!(((lu.det().item() - linalg::det(&a).unwrap().item()) / lu.det().item()).norm() < 1e-13);
}

#[test]
fn least_squares_say_what_they_found() {
    prepare();
    // numpy.linalg.lstsq of these.
    let a = gpu![[1.0, 1.0], [1.0, 2.0], [1.0, 3.0], [1.0, 4.0]];
    let fit = linalg::lstsq(&a, &gpu![6.0, 5.0, 7.0, 10.0]).unwrap();
    assert!(allclose(&fit.x, gpu![3.5, 1.4]));
    assert!(allclose(&fit.residuals, gpu![4.2]));
    assert_eq!(fit.rank, 2);
    assert!(allclose(&fit.singular_values, gpu![5.779_383_203_822_24, 0.773_804_736_610_137_4]));
    let lacking = gpu![[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]];
    let fit = linalg::lstsq(&lacking, &gpu![1.0, 2.0, 3.0]).unwrap();
    assert_eq!((fit.rank, fit.residuals.size()), (1, 0));
    assert!(allclose(&fit.x, gpu![0.2, 0.4]));
    assert_eq!(linalg::lstsq_rcond(&a, &gpu![6.0, 5.0, 7.0, 10.0], 0.5).unwrap().rank, 1);
    let error = linalg::lstsq(&a, &gpu![1.0, 2.0]).map(drop).unwrap_err();
    assert!(error.to_string().starts_with("lstsq: shapes [4, 2] and [2, 1]"), "{error}");
}

#[test]
fn matrices_without_an_answer_are_named() {
    prepare();
    let words = |result: Result<()>| result.unwrap_err().to_string();
    let singular = gpu![[1.0, 2.0], [2.0, 4.0]];
    let told = words(linalg::solve(&singular, &gpu![1.0, 2.0]).map(drop));
    assert!(
        told.starts_with("solve: Singular matrix: pivot 1 of its LU factorisation is exactly zero"),
        "{told}"
    );
    assert!(words(linalg::inv(&singular).map(drop)).starts_with("inv: Singular matrix"));
    let stack = stack((&eye::<f64>(2), &singular, &eye::<f64>(2)));
    assert!(
        words(linalg::inv(&stack).map(drop)).starts_with("inv: matrix [1] of the stack: Singular matrix")
    );
    assert_eq!(linalg::det(&stack).unwrap().to_vec(), [1.0, 0.0, 1.0]);
    let (sign, log) = linalg::slogdet(&singular).unwrap();
    assert_eq!((sign.item(), log.item()), (0.0, f64::NEG_INFINITY));
    let indefinite = gpu![[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]];
    assert_eq!(
        words(linalg::cholesky(&indefinite).map(drop)),
        "cholesky: Matrix is not positive definite: its leading minor of order 2 is not; `linalg::solve` and \
         `linalg::lu_factor` take any square matrix"
    );
    let oblong = zeros::<f64>((2, 3));
    let square = "Last 2 dimensions of the array must be square; they are 2 and 3: `linalg::lstsq`, `pinv`, `qr` and `svd` take any";
    assert_eq!(words(linalg::inv(&oblong).map(drop)), format!("inv: {square}"));
    assert_eq!(words(linalg::eig(&oblong).map(drop)), format!("eig: {square}"));
    assert_eq!(
        words(linalg::det(&gpu![1.0, 2.0]).map(drop)),
        "det: 1-dimensional array given. Array must be at least two-dimensional: give a matrix, or a stack of them"
    );
    let told = words(linalg::solve(&eye::<f64>(3), &gpu![1.0, 2.0]).map(drop));
    assert!(told.starts_with("solve: shapes [3, 3] and [2, 1]: 3 unknowns, 2 equations"), "{told}");
    let told = words(linalg::solve(&ones::<f64>((2, 3, 3)), &ones::<f64>((4, 3, 1))).map(drop));
    assert!(told.contains("do not broadcast"), "{told}");
    assert!(
        words(linalg::matrix_norm(&eye::<f64>(2), 3).map(drop)).contains("Invalid norm order 3 for matrices")
    );
    assert!(words(linalg::expm(&gpu![[f64::NAN]]).map(drop)).contains("NaN or infinite elements"));
    assert!(words(linalg::multi_dot(&[&oblong]).map(drop)).contains("Expecting at least two arrays."));
    assert!(words(linalg::multi_dot(&[&oblong, &oblong]).map(drop)).contains("arrays 0 and 1"));
}

#[test]
fn a_matrix_with_nan_was_solved_as_if_there_were_a_zero() {
    prepare();
    let undefined = gpu![[f64::NAN, 1.0], [1.0, 2.0]];
    let x: GpuArray<f64> = linalg::solve(&undefined, &gpu![1.0, 2.0]).unwrap();
    assert!(x.sum().item().is_nan());
    let stack = stack((&eye::<f64>(2), &undefined));
    let inverse = linalg::inv(&stack).unwrap();
    assert_eq!(inverse.slice(0).to_vec(), [1.0, 0.0, 0.0, 1.0]);
    assert!(inverse.slice(1).sum().item().is_nan());
    let determinants = linalg::det(&stack).unwrap().to_vec();
    assert!(determinants[0] == 1.0 && determinants[1].is_nan());
    let words = |result: Result<()>| {
        let told = result.unwrap_err().to_string();
        assert!(told.contains("the matrix has NaN or infinite elements"), "{told}");
    };
    words(linalg::svd(&undefined).map(drop));
    words(linalg::eigh(&undefined).map(drop));
    words(linalg::eigvals(&gpu![[f32::INFINITY]]).map(drop));
}

#[test]
fn a_nan_below_a_zero_was_a_singular_matrix_on_the_host() {
    prepare();
    let a = gpu![[0.0, 1.0], [f64::NAN, 1.0]];
    let x: GpuArray<f64> = linalg::solve(&a, &gpu![1.0, 2.0]).unwrap();
    assert!(x.sum().item().is_nan());
    assert!(linalg::det(&a).unwrap().item().is_nan());
    let error = linalg::cholesky(&gpu![[f64::NAN]]).map(drop).unwrap_err();
    assert!(error.to_string().starts_with("cholesky: Matrix is not positive definite"), "{error}");
}

#[test]
fn a_determinant_overflowed_on_the_way() {
    prepare();
    let large = gpu![1e200, 1e200, 1e-200, 1e-200];
    let of = |a: &GpuArray<f64>| linalg::det(&a.diag(0)).unwrap().item();
    assert!((of(&large) - 1.0).abs() < 1e-12);
    assert!((of(&gpu![1e-200, 1e-120, 1e200, 1e120]) - 1.0).abs() < 1e-12);
    let single = linalg::det(&gpu![1e20_f32, 1e20, -1e-20, 1e-20].diag(0)).unwrap().item();
    assert!((single + 1.0).abs() < 1e-4, "{single}");
    // Small whole numbers stay exact.
    assert_eq!(of(&gpu![2.0, 3.0, -4.0]), -24.0);
    let (sign, log) = linalg::slogdet(&gpu![f64::INFINITY, 1.0].diag(0)).unwrap();
    assert_eq!((sign.item(), log.item()), (1.0, f64::INFINITY));
}

#[test]
fn least_squares_lost_half_of_their_digits() {
    prepare();
    let (q, _) = linalg::qr(&randn::<f64>((20, 20))).unwrap();
    let (p, _) = linalg::qr(&randn::<f64>((20, 20))).unwrap();
    let values = power(10.0, &(-12.0 * arange(0..20) / 19.0));
    let a = (&q * &values).matmul(&p);
    let b = a.matmul(ones::<f64>(20));
    let x = linalg::lstsq_rcond(&a, &b, 1e-14).unwrap().x;
    assert!((a.matmul(&x) - &b).norm().item() < 1e-13);
    // Less than zero is the unit of rounding, as in NumPy.
    assert_eq!(linalg::lstsq_rcond(&gpu![[1.0, 2.0], [2.0, 4.0]], &gpu![1.0, 2.0], -1.0).unwrap().rank, 1);
    assert_eq!(
        linalg::lstsq_rcond(&zeros::<f64>((2, 2)), &gpu![1.0, 2.0], -1.0).unwrap().x.to_vec(),
        [0.0; 2]
    );
}

#[test]
fn exponentials_of_a_stack_are_those_of_its_matrices() {
    prepare();
    let turn = gpu![[0.0_f32, -1.0], [1.0, 0.0]];
    let alone = linalg::expm(&turn).unwrap();
    let together = linalg::expm(&stack((&turn, &(eye::<f32>(2) * -1e4_f32), &zeros::<f32>((2, 2))))).unwrap();
    assert!((together.slice(0) - &alone).abs().max().item() < 1e-6);
    assert_eq!(together.slice(2).to_vec(), [1.0, 0.0, 0.0, 1.0]);
    for matrices in [[f64::NAN, 1.0], [1.0, f64::NAN]] {
        let error = linalg::expm(&to_gpu(&matrices).reshape((2, 1, 1))).map(drop).unwrap_err();
        assert!(error.to_string().contains("NaN or infinite"), "{error}");
    }
}

#[test]
fn condition_numbers_of_singular_matrices_are_infinite() {
    prepare();
    let zero = zeros::<f64>((2, 2));
    assert_eq!(linalg::cond(&zero).unwrap().item(), f64::INFINITY);
    let both = stack((&eye::<f64>(2), &gpu![[1.0, 2.0], [2.0, 4.0]]));
    assert_eq!(linalg::cond_order(&both, 1).unwrap().to_vec(), [1.0, f64::INFINITY]);
    assert_eq!(linalg::cond_order(&both, linalg::Order::Fro).unwrap().to_vec()[1], f64::INFINITY);
    let oblong = gpu![[1.0_f64, 0.0, 0.0], [0.0, 2.0, 0.0]];
    assert!((linalg::cond_order(&oblong, 2).unwrap().item() - 2.0).abs() < 1e-14);
    assert!((linalg::cond_order(&oblong, -2).unwrap().item() - 0.5).abs() < 1e-14);
    let told = |error: Error| error.to_string();
    assert_eq!(
        linalg::cond(&zeros::<f64>((0, 0))).map_err(told).unwrap_err(),
        "cond: cond is not defined on empty arrays"
    );
    let error = linalg::cond(&gpu![[f64::NAN]]).map(drop).unwrap_err();
    assert!(error.to_string().starts_with("cond: the matrix has NaN or infinite elements"), "{error}");
}

#[test]
fn norms_of_nothing_and_products_that_do_not_fit_are_no_panics() {
    prepare();
    let (none, empty) = (zeros::<f64>(0), zeros::<f64>((0, 0)));
    assert_eq!(linalg::norm_order(&none, f64::INFINITY).unwrap().item(), 0.0);
    assert_eq!(linalg::norm_order(&none, 1).unwrap().item(), 0.0);
    assert!(linalg::norm_order(&none, f64::NEG_INFINITY).is_err());
    for order in [1.0, 2.0, f64::INFINITY] {
        assert_eq!(linalg::matrix_norm(&empty, order).unwrap().item(), 0.0);
        assert!(linalg::matrix_norm(&empty, -order).is_err());
    }
    assert_eq!(linalg::vector_norm(&zeros::<f64>((3, 0)), f64::INFINITY, 1).unwrap().to_vec(), [0.0; 3]);
    let error = linalg::matmul(&ones::<f64>((2, 3, 4)), &ones::<f64>((5, 4, 2))).map(drop).unwrap_err();
    assert!(
        error.to_string().starts_with("matmul: shapes [2, 3, 4] and [5, 4, 2]: stacks of [2] and [5]"),
        "{error}"
    );
    let error = linalg::tensorsolve(&ones::<f64>((2, 3)), &ones::<f64>(3)).map(drop).unwrap_err();
    assert!(error.to_string().starts_with("tensorsolve: shapes [2, 3] and [3]"), "{error}");
}

#[test]
fn empty_matrices_have_answers() {
    prepare();
    let none = zeros::<f64>((0, 0));
    assert_eq!(linalg::inv(&none).unwrap().shape(), [0, 0]);
    assert_eq!(linalg::det(&none).unwrap().item(), 1.0);
    assert_eq!(linalg::solve(&none, &zeros::<f64>((0, 3))).unwrap().shape(), [0, 3]);
    assert_eq!(linalg::svdvals(&zeros::<f64>((3, 0))).unwrap().shape(), [0]);
    let (u, s, vh) = linalg::svd(&zeros::<f64>((3, 0))).unwrap();
    assert_eq!((u.shape(), s.size(), vh.shape()), (&[3, 3][..], 0, &[0, 0][..]));
    let (q, r) = linalg::qr(&zeros::<f64>((3, 0))).unwrap();
    assert_eq!((q.shape(), r.shape()), (&[3, 0][..], &[0, 0][..]));
    assert_eq!(linalg::eigvals(&none).unwrap().shape(), [0]);
    assert_eq!(linalg::eigh(&zeros::<f32>((4, 0, 0))).unwrap().1.shape(), [4, 0, 0]);
    assert_eq!(linalg::pinv(&zeros::<f64>((0, 4))).unwrap().shape(), [4, 0]);
    assert_eq!(linalg::inv(&zeros::<f64>((0, 3, 3))).unwrap().shape(), [0, 3, 3]);
    assert_eq!(linalg::expm(&none).unwrap().shape(), [0, 0]);
    let fit = linalg::lstsq(&zeros::<f64>((3, 0)), &ones::<f64>(3)).unwrap();
    assert_eq!((fit.x.shape(), fit.rank), (&[0][..], 0));
}

#[test]
fn tensors_and_products_of_several() {
    prepare();
    let a = randn::<f64>((2, 3, 6)) + eye::<f64>(6).reshape((2, 3, 6)) * 6.0;
    let b = randn::<f64>((2, 3));
    let x = linalg::tensorsolve(&a, &b).unwrap();
    assert_eq!(x.shape(), [6]);
    assert!(size(&(a.tensordot(&x, 1) - &b)) < 1e-12);
    let inverse = linalg::tensorinv(&a, 2).unwrap();
    assert_eq!(inverse.shape(), [6, 2, 3]);
    assert!(size(&(inverse.tensordot(&b, 2) - &x)) < 1e-12);
    let (p, q, r) = (randn::<f64>((4, 9)), randn::<f64>((9, 2)), randn::<f64>((2, 5)));
    let all = linalg::multi_dot(&[&p, &q, &r]).unwrap();
    assert!(size(&(all - p.matmul(&q).matmul(&r))) < 1e-13);
    let (row, column) = (randn::<f64>(4), randn::<f64>(5));
    let number = linalg::multi_dot(&[&row, &p, &q, &r, &column]).unwrap();
    assert_eq!(number.shape(), [0; 0]);
    assert!((number.item() - row.dot(p.matmul(&q).matmul(&r).matmul(&column)).item()).abs() < 1e-12);
    let a = randn::<f64>((3, 3));
    let product = linalg::expm(&a).unwrap().matmul(linalg::expm(&-&a).unwrap());
    assert!(size(&(product - eye::<f64>(3))) < 1e-12);
    assert!(size(&(linalg::expm(&(30.0 * eye::<f64>(2))).unwrap() / 30f64.exp() - eye::<f64>(2))) < 1e-13);
}

#[test]
fn streams_and_graphs() {
    prepare();
    let a = randn::<f64>((30, 30)) + 30.0 * eye::<f64>(30);
    let b = randn::<f64>((30, 2));
    let solved = linalg::solve(&a, &b).unwrap();
    // More than there are handles kept.
    for _ in 0..12 {
        let stream = Stream::new().unwrap();
        let x = stream.scope(|| linalg::solve(&a, &b)).unwrap().unwrap();
        assert!(size(&(x - &solved)) < 1e-12);
    }
    let error = Graph::capture(|| linalg::solve(&a, &b).map(drop)).map(drop).unwrap_err();
    assert!(error.to_string().contains("a graph is being captured"), "{error}");
    if is_on_gpu() {
        let out = zeros::<f64>((30, 2));
        let graph = {
            let (a, b, mut out) = (a.clone(), b.clone(), out.clone());
            Graph::capture(move || {
                out.assign(&linalg::solve_triangular(&a, &b, linalg::Triangle::lower())?);
                Ok(())
            })
            .unwrap()
        };
        graph.launch().unwrap();
        assert!(size(&(a.tril(0).matmul(&out) - &b)) < 1e-12);
    }
}

fn is_on_gpu() -> bool {
    device().kind() == DeviceKind::Cuda
}

/// One and half a unit of TF32's last place, which it rounds away.
const FINE: f32 = 1.0 + 1.0 / 4096.0;

#[test]
fn products_are_of_tf32_where_it_is_allowed_and_only_there() {
    let a = full((256, 256), FINE);
    let product = || a.matmul(eye::<f32>(256)).to_vec();
    let exact = vec![FINE; 256 * 256];
    assert!(!linalg::is_tf32_allowed());
    assert_eq!(product(), exact);
    linalg::allow_tf32(true);
    assert!(linalg::is_tf32_allowed());
    let allowed = product();
    std::thread::scope(|scope| {
        scope.spawn(|| assert!(!linalg::is_tf32_allowed()));
    });
    // Double precision is left alone.
    let double = full((256, 256), f64::from(FINE)).matmul(eye::<f64>(256));
    assert!(double.eq(f64::from(FINE)).all().item());
    linalg::allow_tf32(false);
    assert_eq!(product(), exact);
    match device().kind() {
        DeviceKind::Host => assert_eq!(allowed, exact),
        // Since compute capability 8, which the GPUs of the tests have, as they have cuBLAS.
        _ => assert_eq!(allowed, vec![1.0; 256 * 256]),
    }
}
