//! Sparse matrices whose rows lie on several ranks, systems with them, and transforms, beside the same on one device.

use distributed::{DistArray, DistCsr, cg, cg_to, fft2, ifft2};
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
        let solution = cg_to(&da, &db, 1e-10, 1000).unwrap();
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
        let exact = cg_to(&one, &DistArray::full(30, 3.0).unwrap(), 0.0, 100).unwrap();
        assert_eq!(exact.x.all_gather().unwrap().to_vec(), [3.0; 30]);
        // Squares have no room in single precision.
        for size in [1e-30_f32, 1e30] {
            let double =
                |x: &DistArray<f32>| -> Result<DistArray<f32>> { Ok(2.0 * x).map(|x| x.astype(f32)) };
            let solution = cg(&double, &DistArray::full(30, size).unwrap()).unwrap();
            assert!(solution.is_converged());
            assert!((solution.x.local().to_vec().iter()).all(|x| (x / size - 0.5).abs() < 1e-5));
        }
        let few =
            cg_to(&DistCsr::from_whole(&poisson(20)).unwrap(), &DistArray::full(400, 1.0).unwrap(), 1e-10, 3)
                .unwrap();
        assert_eq!((few.outcome, few.iterations), (Outcome::MaxIterations, 3));
        let shorter = |x: &DistArray<f64>| -> Result<DistArray<f64>> { DistArray::zeros(x.size() - 1) };
        assert!(told(cg(&shorter, &b)).contains("different numbers of rows"));
        assert!(told(cg(&one, &DistArray::zeros((3, 3)).unwrap())).contains("is not that of a vector"));
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
