//! Cholesky's factors.

use super::*;

/// A A^H + 1, of which one triangle cannot be read.
fn positive(kind: Kind, shape: &[usize], seed: u64, is_upper: bool) -> (Tensor, Tensor) {
    let a = Tensor::random(kind, shape, seed);
    let product = a.times(&a.adjoint());
    let n = a.rows();
    let all = product.matrices(n, n, |at, row, column| {
        at(row, column) + if row == column { 1.0.into() } else { Number::from(0.0) }
    });
    let half = all.matrices(n, n, |at, row, column| {
        let is_read = row == column || (column > row) == is_upper;
        if is_read { at(row, column) } else { f64::NAN.into() }
    });
    (all, half)
}

#[test]
fn factors() {
    for_shapes(&SQUARE, |kind, shape, seed| {
        for is_upper in [false, true] {
            let (all, half) = positive(kind, &shape, seed, is_upper);
            let n = all.rows();
            let outputs = [(kind, shape.clone()), (I64, all.batch(&[]))];
            let numbers = [i64::from(is_upper)];
            let [l, info] = &call("cholesky", &[&half], &outputs, &numbers).unwrap()[..] else { panic!() };
            succeeded(info);
            let product = if is_upper { l.adjoint().times(l) } else { l.times(&l.adjoint()) };
            close("L Lᴴ - A", kind, product.distance(&all), n, 1.0 + all.largest());
            let zeros = l.matrices(n, n, |at, row, column| {
                let is_outside = row != column && (column > row) != is_upper;
                if is_outside { at(row, column) } else { 0.0.into() }
            });
            assert_eq!(zeros.largest(), 0.0);
        }
    });
}

/// LAPACK's `info`: the order of the first leading minor that is not positive.
#[test]
fn what_is_not_positive_definite() {
    for kind in Kind::ALL {
        for n in [1, 3, 9, 65, 70, 130, 300] {
            for bad in [0, n / 2, n - 1] {
                for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
                    let mut a = Tensor::real(kind, &[n, n], &vec![0.0; n * n]).identity(n);
                    a.values[bad * n + bad] = value.into();
                    for is_upper in [0, 1] {
                        let outputs = [(kind, vec![n, n]), (I64, vec![])];
                        let answers = call("cholesky", &[&a], &outputs, &[is_upper]).unwrap();
                        let info = answers[1].values[0].re as usize;
                        assert_eq!(info, bad + 1, "{kind:?}, order {n}, {value}, upper {is_upper}");
                    }
                }
            }
        }
        // The last minor alone is negative: the determinant of all is -1.
        let a = Tensor::real(kind, &[3, 3], &[1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 1.0, 2.0, 1.0]);
        let answers = call("cholesky", &[&a], &[(kind, vec![3, 3]), (I64, vec![])], &[0]).unwrap();
        assert_eq!(answers[1].values[0].re, 3.0);
    }
}

/// As LAPACK does, whatever is there.
#[test]
fn imaginary_parts_of_the_diagonal_are_not_read() {
    let (_, mut half) = positive(C64, &[20, 20], 3, false);
    let outputs = [(C64, vec![20, 20]), (I64, vec![])];
    let expected = call("cholesky", &[&half], &outputs, &[0]).unwrap();
    half.values.iter_mut().step_by(21).for_each(|value| value.im = 5.0);
    let answers = call("cholesky", &[&half], &outputs, &[0]).unwrap();
    assert_eq!(answers[0].distance(&expected[0]), 0.0);
}
