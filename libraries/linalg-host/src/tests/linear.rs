//! LU factors, systems and inverses.

use super::*;

#[test]
fn solutions_and_inverses() {
    for_shapes(&SQUARE, |kind, shape, seed| {
        let a = Tensor::random(kind, &shape, seed);
        let n = a.rows();
        for k in [0, 1, 3, 20] {
            let b = Tensor::random(kind, &a.batch(&[n, k]), seed + 7);
            let outputs = [(kind, b.shape.clone()), (I64, a.batch(&[]))];
            let [x, info] = &call("solve", &[&a, &b], &outputs, &[]).unwrap()[..] else { panic!() };
            succeeded(info);
            close("A X - B", kind, a.times(x).distance(&b), n, 1.0 + x.largest());
        }
        let outputs = [(kind, shape.clone()), (I64, a.batch(&[]))];
        let [x, info] = &call("inverse", &[&a], &outputs, &[]).unwrap()[..] else { panic!() };
        succeeded(info);
        close("A A⁻¹ - 1", kind, a.times(x).distance(&a.identity(n)), n, 1.0 + x.largest());
    });
}

#[test]
fn lu_factors() {
    for_shapes(&ANY, |kind, shape, seed| {
        let a = Tensor::random(kind, &shape, seed);
        let (m, n) = (a.rows(), a.columns());
        let k = m.min(n);
        let outputs = [(kind, shape.clone()), (I64, a.batch(&[k])), (I64, a.batch(&[]))];
        let [lu, pivots, info] = &call("lu", &[&a], &outputs, &[]).unwrap()[..] else { panic!() };
        succeeded(info);
        let l = lu.matrices(m, k, |at, row, column| match row.cmp(&column) {
            std::cmp::Ordering::Less => 0.0.into(),
            std::cmp::Ordering::Equal => 1.0.into(),
            std::cmp::Ordering::Greater => at(row, column),
        });
        let u = lu.matrices(k, n, |at, row, column| if row > column { 0.0.into() } else { at(row, column) });
        let bound = if kind.is_complex() { 2.0_f64.sqrt() + 1e-5 } else { 1.0 };
        assert!(l.largest() <= bound, "not the largest pivot: {}", l.largest());
        let mut exchanged = a.clone();
        for (matrix, pivots) in pivots.values.chunks(k.max(1)).enumerate() {
            for (row, other) in pivots.iter().enumerate() {
                assert!(other.re as usize >= row && (other.re as usize) < m);
                for column in 0..n {
                    let start = matrix * m * n + column;
                    exchanged.values.swap(start + row * n, start + other.re as usize * n);
                }
            }
        }
        close("P A - L U", kind, l.times(&u).distance(&exchanged), m.max(n), 1.0);
    });
}

#[test]
fn triangles() {
    for_shapes(&SQUARE, |kind, shape, seed| {
        let random = Tensor::random(kind, &shape, seed);
        let n = random.rows();
        let b = Tensor::random(kind, &random.batch(&[n, 3]), seed + 5);
        for numbers in (0..12).map(|case| [case % 2, case / 2 % 2, case / 4]) {
            let [lower, unit, transpose] = numbers;
            let is_read = |row: usize, column: usize| match row.cmp(&column) {
                std::cmp::Ordering::Equal => unit == 0,
                order => (order == std::cmp::Ordering::Greater) == (lower == 1),
            };
            let element = |at: &dyn Fn(usize, usize) -> Number, row: usize, column: usize| {
                if row == column { at(row, column) * 0.1 + 2.0 } else { at(row, column) / (n as f64).sqrt() }
            };
            let not_read = f64::NAN.into();
            let a =
                random.matrices(
                    n,
                    n,
                    |at, row, column| {
                        if is_read(row, column) { element(at, row, column) } else { not_read }
                    },
                );
            let op = random.matrices(n, n, |at, mut row, mut column| {
                if transpose > 0 {
                    std::mem::swap(&mut row, &mut column);
                }
                let value = match is_read(row, column) {
                    true => element(at, row, column),
                    false => f64::from(u8::from(row == column)).into(),
                };
                if transpose == 2 { value.conj() } else { value }
            });
            let outputs = [(kind, b.shape.clone()), (I64, a.batch(&[]))];
            let [x, info] = &call("triangular_solve", &[&a, &b], &outputs, &numbers).unwrap()[..] else {
                panic!()
            };
            succeeded(info);
            close(&format!("{numbers:?}"), kind, op.times(x).distance(&b), n, 1.0 + x.largest());
        }
    });
}

/// LAPACK's `info`, and the factors that `getrf` leaves of such a matrix.
#[test]
fn singular_matrices() {
    let values = [1.0, 2.0, 3.0, 2.0, 4.0, 7.0, 3.0, 6.0, 1.0];
    for kind in Kind::ALL {
        let a = Tensor::real(kind, &[3, 3], &values);
        let outputs = [(kind, vec![3, 3]), (I64, vec![3]), (I64, vec![])];
        let answers = call("lu", &[&a], &outputs, &[]).unwrap();
        let third = 1.0 / 3.0;
        let expected = [3.0, 6.0, 1.0, 2.0 * third, 0.0, 7.0 - 2.0 * third, third, 0.0, 3.0 - third];
        close("lu", kind, answers[0].distance(&Tensor::real(kind, &[3, 3], &expected)), 1, 1.0);
        assert_eq!(answers[1].values, [2.0, 1.0, 2.0].map(Number::from));
        assert_eq!(answers[2].values, [2.0.into()]);
        let b = Tensor::real(kind, &[3, 1], &[1.0; 3]);
        assert_eq!(
            call("solve", &[&a, &b], &[(kind, vec![3, 1]), (I64, vec![])], &[]).unwrap()[1].values[0].re,
            2.0
        );
        assert_eq!(
            call("inverse", &[&a], &[(kind, vec![3, 3]), (I64, vec![])], &[]).unwrap()[1].values[0].re,
            2.0
        );
        let outputs = [(kind, vec![3, 1]), (I64, vec![])];
        let zero = Tensor::real(kind, &[3, 3], &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(
            call("triangular_solve", &[&zero, &b], &outputs, &[1, 0, 0]).unwrap()[1].values[0].re,
            3.0
        );
        assert_eq!(
            call("triangular_solve", &[&zero, &b], &outputs, &[1, 1, 0]).unwrap()[1].values[0].re,
            0.0
        );
    }
}

/// One of a batch: the others have their solutions.
#[test]
fn a_singular_matrix_of_a_batch() {
    let mut a = Tensor::random(F64, &[40, 12, 12], 3);
    a.values[7 * 144..8 * 144].iter_mut().for_each(|value| *value = 0.0.into());
    let b = Tensor::random(F64, &[40, 12, 2], 4);
    let answers = call("solve", &[&a, &b], &[(F64, b.shape.clone()), (I64, vec![40])], &[]).unwrap();
    let failed: Vec<_> = answers[1].values.iter().map(|info| info.re).collect();
    assert_eq!(failed, (0..40).map(|index| if index == 7 { 1.0 } else { 0.0 }).collect::<Vec<_>>());
    let mut product = a.times(&answers[0]);
    product.values[7 * 24..8 * 24].copy_from_slice(&b.values[7 * 24..8 * 24]);
    close("A X - B", F64, product.distance(&b), 12, 1.0 + answers[0].largest());
}

#[test]
fn what_is_not_a_number_stays() {
    for n in [3, 40] {
        let mut a = Tensor::random(F64, &[n, n], 1);
        a.values[n + 1] = f64::NAN.into();
        let b = Tensor::random(F64, &[n, 1], 2);
        let answers = call("solve", &[&a, &b], &[(F64, vec![n, 1]), (I64, vec![])], &[]).unwrap();
        assert!(answers[0].values.iter().any(|value| value.is_nan()));
        succeeded(&answers[1]);
    }
}

/// Squares of these overflow, or are nothing.
#[test]
fn large_and_small_pivots() {
    for scale in [1e-300, 1e-160, 1e160, 1e300] {
        for kind in [F64, C64] {
            let mut a = Tensor::random(kind, &[20, 20], 6);
            a.values.iter_mut().for_each(|value| *value *= scale);
            let b = Tensor::random(kind, &[20, 1], 7);
            let answers = call("solve", &[&a, &b], &[(kind, vec![20, 1]), (I64, vec![])], &[]).unwrap();
            let size = 1.0 + answers[0].largest() * scale;
            close("A X - B", kind, a.times(&answers[0]).distance(&b), 20, size);
        }
    }
}
