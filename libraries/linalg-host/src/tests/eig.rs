//! Eigenvalues of matrices without symmetry.

use super::*;

fn eig(a: &Tensor) -> (Tensor, Tensor) {
    let (n, complex) = (a.rows(), a.kind.complex());
    let outputs = [(complex, a.batch(&[n])), (complex, a.shape.clone()), (I64, a.batch(&[]))];
    let [w, v, info] = &call("eig", &[a], &outputs, &[1]).unwrap()[..] else { panic!() };
    succeeded(info);
    (w.clone(), v.clone())
}

/// Norm 1, and the largest element real.
#[track_caller]
fn normal(v: &Tensor) {
    let n = v.rows();
    for matrix in v.values.chunks((n * n).max(1)) {
        for column in 0..n {
            let vector: Vec<Number> = (0..n).map(|row| matrix[row * n + column]).collect();
            let norm = vector.iter().map(Number::norm_sqr).sum::<f64>().sqrt();
            assert!((norm - 1.0).abs() < 10.0 * v.kind.eps(), "{norm}");
            let largest = vector.iter().map(|element| element.norm()).fold(0.0, f64::max);
            let near = vector.iter().filter(|element| element.norm() >= largest * (1.0 - 4.0 * v.kind.eps()));
            assert!(near.into_iter().any(|element| element.im == 0.0), "{vector:?}");
        }
    }
}

#[test]
fn eigenvectors() {
    for_shapes(&SQUARE, |kind, shape, seed| {
        let a = Tensor::random(kind, &shape, seed);
        let n = a.rows();
        let (w, v) = eig(&a);
        close("A V - V W", kind, a.times(&v).distance(&v.scaled(&w)), n, 2.0 + a.largest());
        normal(&v);
        if !kind.is_complex() {
            for (matrix, w) in w.values.chunks(n.max(1)).enumerate() {
                let at = |row, column| v.values[(matrix * n + row) * n + column];
                let mut column = 0;
                while column < n {
                    if w[column].im == 0.0 {
                        assert!((0..n).all(|row| at(row, column).im == 0.0));
                        column += 1;
                    } else {
                        assert!(w[column].im > 0.0 && w[column + 1] == w[column].conj());
                        assert!((0..n).all(|row| at(row, column) == at(row, column + 1).conj()));
                        column += 2;
                    }
                }
            }
        }
        let outputs = [(kind.complex(), a.batch(&[n])), (I64, a.batch(&[]))];
        let alone = call("eig", &[&a], &outputs, &[0]).unwrap();
        let sum = |w: &Tensor| w.values.iter().sum::<Number>();
        close("w", kind, (sum(&alone[0]) - sum(&w)).norm(), n, 10.0);
    });
}

/// Jordan's blocks, whose eigenvectors are all the same one.
#[test]
fn defective_matrices() {
    for kind in Kind::ALL {
        for (n, value) in [(2, 0.0), (5, 2.0), (40, 1.0), (40, 0.0), (130, 3.0)] {
            let a = Tensor::new(kind, &[n, n], |index| match (index / n, index % n) {
                (row, column) if row == column => value.into(),
                (row, column) if row + 1 == column => 1.0.into(),
                _ => 0.0.into(),
            });
            let (w, v) = eig(&a);
            assert!(v.values.iter().all(|element| element.is_finite()));
            close("A V - V W", kind, a.times(&v).distance(&v.scaled(&w)), n, 2.0);
            normal(&v);
            // The same again, turned so that nothing is exact.
            let random = Tensor::random(kind, &[n, n], 4);
            let answers = call("qr", &[&random], &[(kind, vec![n, n]), (kind, vec![n, n])], &[0]).unwrap();
            let turned = answers[0].adjoint().times(&a).times(&answers[0]);
            let (w, v) = eig(&turned);
            close("A V - V W", kind, turned.times(&v).distance(&v.scaled(&w)), n, 2.0);
        }
        let zero = Tensor::real(kind, &[3, 3], &[0.0; 9]);
        let (w, v) = eig(&zero);
        assert_eq!((w.largest(), v.distance(&zero.identity(3))), (0.0, 0.0));
    }
}

#[test]
fn large_and_small_elements() {
    for (kind, scales) in [(F64, [1e-300, 1e300]), (C64, [1e-300, 1e300]), (F32, [1e-36, 1e36])] {
        for scale in scales {
            let mut a = Tensor::random(kind, &[20, 20], 6);
            a.values.iter_mut().for_each(|value| *value *= scale);
            let (w, v) = eig(&a);
            close("A V - V W", kind, a.times(&v).distance(&v.scaled(&w)), 20, 10.0 * scale);
        }
    }
}
