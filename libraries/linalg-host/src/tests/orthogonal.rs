//! QR, singular values, and eigenvalues of Hermitian matrices.

use super::*;

#[track_caller]
fn orthonormal(q: &Tensor) {
    let product = q.adjoint().times(q);
    close("Qᴴ Q - 1", q.kind, product.distance(&q.identity(q.columns())), q.rows(), 1.0);
}

#[test]
fn qr() {
    for_shapes(&ANY, |kind, shape, seed| {
        let a = Tensor::random(kind, &shape, seed);
        let (m, n) = (a.rows(), a.columns());
        for k in [m.min(n), m] {
            let outputs = [(kind, a.batch(&[m, k])), (kind, a.batch(&[k, n]))];
            let [q, r] = &call("qr", &[&a], &outputs, &[0]).unwrap()[..] else { panic!() };
            orthonormal(q);
            close("Q R - A", kind, q.times(r).distance(&a), m.max(n), 1.0 + r.largest());
            let below = r.matrices(k, n, |at, row, column| {
                if row > column {
                    at(row, column)
                } else {
                    Complex::new(0.0, if row == column { at(row, column).im } else { 0.0 })
                }
            });
            assert_eq!(below.largest(), 0.0);
            let alone = call("qr", &[&a], &[(kind, a.batch(&[k, n]))], &[1]).unwrap();
            assert_eq!(alone[0].distance(r), 0.0);
        }
    });
}

/// The rank is 1, and faer's own decomposition leaves columns out of such ones.
#[test]
fn qr_of_dependent_columns() {
    for kind in Kind::ALL {
        let a = Tensor::new(kind, &[6, 5], |index| (((index / 5 + 1) * (index % 5 + 1)) as f64).into());
        let [q, r] = &call("qr", &[&a], &[(kind, vec![6, 5]), (kind, vec![5, 5])], &[0]).unwrap()[..] else {
            panic!()
        };
        orthonormal(q);
        close("Q R - A", kind, q.times(r).distance(&a), 6, r.largest());
    }
}

#[test]
fn singular_values() {
    for_shapes(&ANY, |kind, shape, seed| {
        let a = Tensor::random(kind, &shape, seed);
        let (m, n) = (a.rows(), a.columns());
        let k = m.min(n);
        let values = (kind.real(), a.batch(&[k]));
        for (width, height) in [(k, k), (m, n)] {
            let outputs = [
                (kind, a.batch(&[m, width])),
                values.clone(),
                (kind, a.batch(&[height, n])),
                (I64, a.batch(&[])),
            ];
            let [u, s, vh, info] = &call("svd", &[&a], &outputs, &[1]).unwrap()[..] else { panic!() };
            succeeded(info);
            orthonormal(u);
            orthonormal(&vh.adjoint());
            let product = u.part(m, k).scaled(s).times(&vh.part(k, n));
            close("U S Vᴴ - A", kind, product.distance(&a), m.max(n), 1.0 + s.largest());
            for s in s.values.chunks(k.max(1)) {
                assert!(
                    s.is_sorted_by(|one, next| one.re >= next.re) && s.iter().all(|value| value.re >= 0.0)
                );
            }
            let alone = call("svd", &[&a], &[values.clone(), (I64, a.batch(&[]))], &[0]).unwrap();
            close("s", kind, alone[0].distance(s), m.max(n), 1.0 + s.largest());
        }
    });
}

#[test]
fn hermitian_eigenvalues() {
    for_shapes(&SQUARE, |kind, shape, seed| {
        let random = Tensor::random(kind, &shape, seed);
        let n = random.rows();
        let a = random.matrices(n, n, |at, row, column| at(row, column) + at(column, row).conj());
        for is_upper in [false, true] {
            let half = a.matrices(n, n, |at, row, column| {
                let is_read = row == column || (column > row) == is_upper;
                if is_read { at(row, column) } else { f64::NAN.into() }
            });
            let values = (kind.real(), a.batch(&[n]));
            let outputs = [values.clone(), (kind, shape.clone()), (I64, a.batch(&[]))];
            let upper = i64::from(is_upper);
            let [w, v, info] = &call("eigh", &[&half], &outputs, &[1, upper]).unwrap()[..] else { panic!() };
            succeeded(info);
            orthonormal(v);
            close("A V - V W", kind, a.times(v).distance(&v.scaled(w)), n, 1.0 + w.largest());
            assert!(w.values.chunks(n.max(1)).all(|w| w.is_sorted_by(|one, next| one.re <= next.re)));
            let alone = call("eigh", &[&half], &[values, (I64, a.batch(&[]))], &[0, upper]).unwrap();
            close("w", kind, alone[0].distance(w), n, 1.0 + w.largest());
        }
    });
}

/// A projection, whose eigenvalues and singular values are 0 and 1 many times.
#[test]
fn repeated_values() {
    for kind in Kind::ALL {
        for n in [4, 60, 150] {
            let random = Tensor::random(kind, &[n, n], 9);
            let [q, _] =
                &call("qr", &[&random], &[(kind, vec![n, n]), (kind, vec![n, n])], &[0]).unwrap()[..]
            else {
                panic!()
            };
            let half = q.part(n, n / 2);
            let a = half.times(&half.adjoint());
            let outputs = [(kind.real(), vec![n]), (kind, vec![n, n]), (I64, vec![])];
            let [w, v, info] = &call("eigh", &[&a], &outputs, &[1, 0]).unwrap()[..] else { panic!() };
            succeeded(info);
            orthonormal(v);
            let expected = Tensor::new(kind, &[n], |index| f64::from(u8::from(index >= n / 2)).into());
            close("w", kind, w.distance(&expected), n, 1.0);
            close("A V - V W", kind, a.times(v).distance(&v.scaled(w)), n, 1.0);
            let outputs = [(kind, vec![n, n]), (kind.real(), vec![n]), (kind, vec![n, n]), (I64, vec![])];
            let [u, s, vh, info] = &call("svd", &[&a], &outputs, &[1]).unwrap()[..] else { panic!() };
            succeeded(info);
            orthonormal(u);
            close("U S Vᴴ - A", kind, u.scaled(s).times(vh).distance(&a), n, 1.0);
        }
    }
}

/// Squares of these overflow, or are nothing.
#[test]
fn large_and_small_elements() {
    for (kind, scales) in
        [(F64, [1e-300, 1e300]), (C64, [1e-300, 1e300]), (F32, [1e-36, 1e36]), (C32, [1e-36, 1e36])]
    {
        for scale in scales {
            let random = Tensor::random(kind, &[20, 20], 6);
            let a =
                random.matrices(20, 20, |at, row, column| (at(row, column) + at(column, row).conj()) * scale);
            let matrix = (kind, vec![20, 20]);
            let [w, v, _] =
                &call("eigh", &[&a], &[(kind.real(), vec![20]), matrix.clone(), (I64, vec![])], &[1, 0])
                    .unwrap()[..]
            else {
                panic!()
            };
            close("eigh", kind, a.times(v).distance(&v.scaled(w)), 20, 10.0 * scale);
            let [u, s, vh, _] = &call(
                "svd",
                &[&a],
                &[matrix.clone(), (kind.real(), vec![20]), matrix.clone(), (I64, vec![])],
                &[1],
            )
            .unwrap()[..] else {
                panic!()
            };
            close("svd", kind, u.scaled(s).times(vh).distance(&a), 20, 10.0 * scale);
            let [q, r] = &call("qr", &[&a], &[matrix.clone(), matrix], &[0]).unwrap()[..] else { panic!() };
            orthonormal(q);
            close("qr", kind, q.times(r).distance(&a), 20, 10.0 * scale);
        }
    }
}
