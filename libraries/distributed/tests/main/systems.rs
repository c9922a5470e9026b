//! Sparse matrices whose rows lie on several ranks, systems with them, and transforms, beside the same on one device.

use distributed::{DistArray, DistCsr, cg, fft2, ifft2, solver};
use gpurepl_prelude::*;
use sparse::{Csr, Outcome};

use crate::{on_ranks, told};

/// A matrix of some elements in places that look random.
fn scattered<T: sparse::Field>(shape: [usize; 2], count: usize, value: fn(usize) -> T) -> Csr<T> {
    let [rows, columns] = shape;
    let count = if rows * columns == 0 { 0 } else { count };
    let places = (0..count).map(|k| (k * 7919 + k / 3) % (rows * columns).max(1));
    let (i, j): (Vec<i64>, Vec<i64>) = places.map(|k| ((k / columns) as i64, (k % columns) as i64)).unzip();
    Csr::from_triplets(shape, &i, &j, &(0..count).map(value).collect::<Vec<T>>()).unwrap()
}

fn poisson(m: usize) -> Csr<f64> {
    let line = sparse::diags([m, m], &[(-1, -1.0), (0, 2.0), (1, -1.0)]).unwrap().to_csr();
    let one = sparse::eye::<f64>(m).unwrap();
    sparse::kron(&one, &line).unwrap() + sparse::kron(&line, &one).unwrap()
}

#[test]
fn products_with_sparse_matrices_are_those_of_the_whole() {
    fn check<T: sparse::Field>(value: fn(usize) -> T) {
        for shape in [[1, 1], [7, 5], [5, 7], [40, 40], [3, 100], [0, 4], [4, 0]] {
            let a = scattered(shape, 60, value);
            let x = to_gpu(&(0..shape[1]).map(|k| value(k + 1)).collect::<Vec<T>>());
            let da = DistCsr::from_whole(&a).unwrap();
            assert_eq!(da.shape(), shape);
            let y = da.matmul(&DistArray::from_whole(&x).unwrap()).unwrap();
            assert_eq!(y.all_gather().unwrap().to_vec(), a.matmul(&x).to_vec(), "{shape:?}");
            assert!(told(da.matmul(&DistArray::zeros(shape[1] + 1).unwrap())).contains("do not fit"));
        }
    }
    on_ranks("systems::products_with_sparse_matrices_are_those_of_the_whole", &[1, 2, 3, 4], || {
        check(|k| (k % 7) as f64 - 3.0);
        check(|k| (k % 5) as f32);
        check(|k| Complex64::new((k % 3) as f64, (k % 4) as f64 - 1.0));
    });
}

#[test]
fn what_is_made_must_be_what_the_rank_has() {
    on_ranks("systems::what_is_made_must_be_what_the_rank_has", &[2], || {
        let a = poisson(4);
        let made = DistCsr::from_fn([16, 16], |_| Ok(a.clone()));
        assert!(told(made).contains("its part has [8, 16]"));
        // One that fails takes the others along.
        let failing = DistCsr::from_fn([16, 16], |rows| {
            if rank() == 1 { Csr::from_dense(zeros::<f64>(3)) } else { Ok(a.rows(rows)) }
        });
        let words = told(failing);
        assert!(
            if rank() == 0 {
                words.contains("rank 1 has failed to make its rows")
            } else {
                words.contains("two axes")
            },
            "{words}"
        );
        // The vector's rows lie otherwise.
        let da = DistCsr::from_whole(&a).unwrap();
        let part = zeros::<f64>(if rank() == 0 { 3 } else { 13 });
        let uneven = DistArray::from_local(&part).unwrap();
        assert!(told(da.matmul(&uneven)).contains("call `rebalance` on both"));
        assert_eq!(da.received(), 4);
    });
}

#[test]
fn systems_are_solved_by_all_ranks() {
    on_ranks("systems::systems_are_solved_by_all_ranks", &[1, 2, 4], || {
        let a = poisson(20);
        let b = (arange(0..400_i64) * 7919 % 101).astype(f64);
        let (da, db) = (DistCsr::from_whole(&a).unwrap(), DistArray::from_whole(&b).unwrap());
        let solution = solver().rtol(1e-10).maxiter(1000).cg(&da, &db).unwrap();
        assert!(solution.is_converged(), "{solution:?}");
        let x = solution.x.all_gather().unwrap();
        assert!((&b - a.matmul(&x)).norm().item() <= 1.1e-10 * b.norm().item());
        // A closure does as well.
        let closure = |x: &DistArray<f64>| -> Result<DistArray<f64>> { Ok(2.0 * x) };
        let half = cg(&closure, &db).unwrap();
        assert!(allclose(half.x.all_gather().unwrap(), &b / 2.0));
        // It has the solution after one step, and what comes after changes nothing.
        assert!(half.x.all_gather().unwrap().isfinite().all().item());
        let complex = DistArray::from_whole(&b.astype(Complex64)).unwrap();
        let rotated = |x: &DistArray<Complex64>| -> Result<DistArray<Complex64>> { Ok(4.0 * x) };
        assert!(cg(&rotated, &complex).unwrap().is_converged());
        let single = |x: &DistArray<f32>| -> Result<DistArray<f32>> { Ok(4.0 * x) };
        assert!(cg(&single, &db.astype(f32)).unwrap().is_converged());
    });
}

#[test]
fn what_ends_a_solver_is_told() {
    on_ranks("systems::what_ends_a_solver_is_told", &[1, 3], || {
        let b = DistArray::<f64>::full(30, 1.0).unwrap();
        let minus = |x: &DistArray<f64>| -> Result<DistArray<f64>> { Ok(-x) };
        assert_eq!(cg(&minus, &b).unwrap().outcome, Outcome::NotPositiveDefinite);
        let one = |x: &DistArray<f64>| -> Result<DistArray<f64>> { x.copy() };
        let nothing = cg(&one, &DistArray::zeros(30).unwrap()).unwrap();
        assert_eq!((nothing.outcome, nothing.iterations), (Outcome::Converged, 0));
        let nan = cg(&one, &DistArray::full(30, f64::NAN).unwrap()).unwrap();
        assert_eq!(nan.outcome, Outcome::NotFinite);
        // A step after the first would divide nothing by nothing.
        let exact = solver().rtol(0.0).maxiter(100).cg(&one, &DistArray::full(30, 3.0).unwrap()).unwrap();
        assert_eq!(exact.x.all_gather().unwrap().to_vec(), [3.0; 30]);
        // Squares have no room in single precision.
        for size in [1e-30_f32, 1e30] {
            let double =
                |x: &DistArray<f32>| -> Result<DistArray<f32>> { Ok(2.0 * x).map(|x| x.astype(f32)) };
            let solution = cg(&double, &DistArray::full(30, size).unwrap()).unwrap();
            assert!(solution.is_converged());
            assert!((solution.x.local().to_vec().iter()).all(|x| (x / size - 0.5).abs() < 1e-5));
        }
        let poisson = DistCsr::from_whole(&poisson(20)).unwrap();
        let few = solver().rtol(1e-10).maxiter(3).cg(&poisson, &DistArray::full(400, 1.0).unwrap()).unwrap();
        assert_eq!((few.outcome, few.iterations), (Outcome::MaxIterations, 3));
        let shorter = |x: &DistArray<f64>| -> Result<DistArray<f64>> { DistArray::zeros(x.size() - 1) };
        assert!(told(cg(&shorter, &b)).contains("different numbers of rows"));
        assert!(told(cg(&one, &DistArray::zeros((3, 3)).unwrap())).contains("is not that of a vector"));
    });
}

#[test]
fn a_first_guess_and_a_preconditioner_save_steps() {
    on_ranks("systems::a_first_guess_and_a_preconditioner_save_steps", &[1, 3], || {
        // Badly scaled: the inverse of the diagonal is what it needs.
        let n = 300;
        let weights =
            DistArray::from_fn(n, |rows| arange(rows.start as f64..rows.end as f64).square() + 1.0).unwrap();
        let line =
            DistCsr::from_whole(&sparse::diags([n, n], &[(-1, -0.4), (0, 1.0), (1, -0.4)]).unwrap().to_csr());
        let line = line.unwrap();
        let root = weights.map(|weights| weights.sqrt()).unwrap();
        let a = |x: &DistArray<f64>| -> Result<DistArray<f64>> { Ok(&root * line.matmul(&(&root * x))?) };
        let jacobi = |r: &DistArray<f64>| -> Result<DistArray<f64>> { Ok(r / &weights) };
        let b = DistArray::<f64>::full(n, 1.0).unwrap();
        let plain = solver().rtol(1e-10).maxiter(5000).check_every(1).cg(&a, &b).unwrap();
        let mut told = Vec::new();
        let fast = solver()
            .rtol(1e-10)
            .check_every(1)
            .preconditioner(&jacobi)
            .callback(|steps, residual| told.push((steps, residual)))
            .cg(&a, &b)
            .unwrap();
        assert!(fast.is_converged() && 4 * fast.iterations < plain.iterations, "{fast:?}");
        assert!((&b - a(&fast.x).unwrap()).norm().unwrap() <= 1.1e-10 * b.norm().unwrap());
        assert_eq!(told.len(), fast.residuals.len());
        assert_eq!(told.last(), Some(&(fast.iterations, *fast.residuals.last().unwrap())));
        // From the solution nothing is left to be done; from near it, little.
        let again = solver().rtol(1e-9).x0(&fast.x).cg(&a, &b).unwrap();
        assert_eq!((again.outcome, again.iterations), (Outcome::Converged, 0));
        assert_eq!(again.x.all_gather().unwrap().to_vec(), fast.x.all_gather().unwrap().to_vec());
        let near = fast.x.map(|x| x * 1.001).unwrap();
        let near = solver().rtol(1e-6).preconditioner(&jacobi).check_every(1).x0(&near).cg(&a, &b).unwrap();
        assert!(near.is_converged() && near.iterations < fast.iterations);
        // Zeros have one solution; a residual that is small enough is enough.
        let zeros = solver().x0(&b).cg(&a, &DistArray::zeros(n).unwrap()).unwrap();
        assert_eq!((zeros.outcome, zeros.x.norm().unwrap()), (Outcome::Converged, 0.0));
        assert_eq!(solver().atol(1e3).cg(&a, &b).unwrap().iterations, 0);
    });
}

#[test]
fn a_solver_refuses_what_it_cannot_use() {
    on_ranks("systems::a_solver_refuses_what_it_cannot_use", &[2], || {
        let b = DistArray::<f64>::full(30, 1.0).unwrap();
        let one = |x: &DistArray<f64>| -> Result<DistArray<f64>> { x.copy() };
        let signs = DistArray::from_fn(30, |rows| {
            (arange(rows.start as i64..rows.end as i64) % 2_i64).astype(f64) * 2.0 - 1.0
        });
        let signs = signs.unwrap();
        // Its product with the residual is zero.
        let minus = |x: &DistArray<f64>| -> Result<DistArray<f64>> { Ok(x * &signs) };
        let bent = solver().preconditioner(&minus).cg(&one, &b).unwrap();
        assert_eq!(bent.outcome, Outcome::NotPositiveDefinite);
        let shorter = |_: &DistArray<f64>| -> Result<DistArray<f64>> { DistArray::zeros(29) };
        assert!(told(solver().preconditioner(&shorter).cg(&one, &b)).contains("different numbers of rows"));
        assert!(
            told(solver().x0(&DistArray::zeros((30, 2)).unwrap()).cg(&one, &b))
                .contains("`x0` has shape [30, 2]")
        );
        assert!(told(solver().rtol(-1.0).cg(&one, &b)).contains("`rtol` is -1; it must not be negative"));
        assert!(told(solver().check_every(0).cg(&one, &b)).contains("it must be at least 1"));
        // Ranks would leave in different steps, or take one's numbers for another's.
        let is_first = rank() == 0;
        let words = "rank 1 gives other options than rank 0";
        assert!(told(solver().maxiter(100 + rank()).cg(&one, &b)).contains(words));
        assert!(told(solver().rtol(if is_first { 1e-3 } else { 1e-9 }).cg(&one, &b)).contains(words));
        let guess = if is_first { solver().x0(&b) } else { solver() };
        assert!(told(guess.cg(&one, &b)).contains(words));
        let helped = if is_first { solver() } else { solver().preconditioner(&one) };
        assert!(told(helped.cg(&one, &b)).contains(words));
        assert!(cg(&one, &b).unwrap().is_converged(), "a call after a refused one");
    });
}

#[test]
fn transforms_are_those_of_the_whole() {
    on_ranks("systems::transforms_are_those_of_the_whole", &[1, 2, 3], || {
        if device().kind() == DeviceKind::Host {
            extend::provide("fft", gpurepl_fft_host::gpurepl_plugin).unwrap();
        }
        for shape in [(1, 1), (8, 8), (5, 12), (30, 7)] {
            let a = (arange(0..(shape.0 * shape.1) as i64) * 7919 % 101).astype(f64).reshape(shape);
            let da = DistArray::from_whole(&a).unwrap();
            let spectrum = fft2(&da).unwrap();
            let whole = fft::fft2(&a).unwrap();
            assert!((spectrum.all_gather().unwrap() - whole).abs().max().item() < 1e-9, "{shape:?}");
            let back = ifft2(&spectrum).unwrap();
            assert!((back.all_gather().unwrap() - &a).abs().max().item() < 1e-10, "{shape:?}");
        }
    });
}
