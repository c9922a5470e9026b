//! What is not taken, and what is said then.

use super::*;

fn refusal(name: &str, inputs: &[&Tensor], outputs: &[(Kind, &[usize])], numbers: &[i64]) -> String {
    let outputs: Vec<_> = outputs.iter().map(|(kind, shape)| (*kind, shape.to_vec())).collect();
    call(name, inputs, &outputs, numbers).unwrap_err()
}

#[test]
fn shapes_that_do_not_fit() {
    let square = Tensor::random(F64, &[2, 3, 3], 1);
    let wide = Tensor::random(F64, &[2, 3], 1);
    let matrix = (F64, &[2, 3, 3][..]);
    let info = (I64, &[2][..]);
    for (said, expected) in [
        (
            refusal("solve", &[&square, &wide], &[(F64, &[2, 3]), info], &[]),
            "solve: `b` of shape [2, 3] does not fit `a` of shape [2, 3, 3]: it is to be [2, 3, 3]",
        ),
        (
            refusal("solve", &[&square, &square], &[(F64, &[2, 3, 2]), info], &[]),
            "solve: `x` of shape [2, 3, 2] does not fit `a` of shape [2, 3, 3]: it is to be [2, 3, 3]",
        ),
        (
            refusal("inverse", &[&wide], &[(F64, &[2, 3]), (I64, &[])], &[]),
            "inverse: `a` of shape [2, 3] has no square matrices",
        ),
        (
            refusal("cholesky", &[&square], &[matrix, (I64, &[3])], &[0]),
            "cholesky: `info` of shape [3] does not fit `a` of shape [2, 3, 3]: it is to be [2]",
        ),
        (
            refusal("qr", &[&wide], &[(F64, &[2, 1]), (F64, &[1, 3])], &[0]),
            "qr: `r` of shape [1, 3] does not fit `a` of shape [2, 3]: it is to have 2 rows",
        ),
        (
            refusal("svd", &[&wide], &[(F64, &[2, 2]), (F64, &[2]), (F64, &[3, 2]), (I64, &[])], &[1]),
            "svd: `vh` of shape [3, 2] does not fit `a` of shape [2, 3]: it is to be [3, 3]",
        ),
        (
            refusal("lu", &[&Tensor::random(F64, &[3], 1)], &[matrix, info, info], &[]),
            "lu: `a` of shape [3] has no matrices: it is to have two axes or more",
        ),
        (refusal("eig", &[&square], &[matrix, info], &[0, 1]), "eig takes 1 number, not 2"),
        (
            refusal("eigh", &[&square], &[matrix], &[0, 0]),
            "eigh takes the arrays `a`, `w`, `info`, not 2 arrays",
        ),
        (
            refusal("triangular_solve", &[&square, &square], &[matrix, info], &[0, 0, 3]),
            "triangular_solve: the transposition is 0, 1 or 2, not 3",
        ),
    ] {
        assert_eq!(said, expected);
    }
}

#[test]
fn types_that_do_not_fit() {
    let a = Tensor::random(F64, &[3, 3], 1);
    let whole = Tensor::random(I64, &[3, 3], 1);
    for (said, expected) in [
        (
            refusal("inverse", &[&whole], &[(I64, &[3, 3]), (I64, &[])], &[]),
            "inverse: `a` is not of float32, float64, complex64 or complex128",
        ),
        (
            refusal("inverse", &[&a], &[(F32, &[3, 3]), (I64, &[])], &[]),
            "inverse: `x`: the elements are not f64",
        ),
        (refusal("svd", &[&a], &[(F32, &[3]), (I64, &[])], &[0]), "svd: `s`: the elements are not f64"),
        (refusal("eig", &[&a], &[(F64, &[3]), (I64, &[])], &[0]), "eig: `w`: the elements are not [f64; 2]"),
        (
            refusal("inverse", &[&a], &[(F64, &[3, 3]), (F64, &[])], &[]),
            "inverse: `info`: the elements are not i64",
        ),
    ] {
        assert_eq!(said, expected);
    }
}

#[test]
fn what_is_not_finite() {
    for kind in Kind::ALL {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for n in [1, 4, 40] {
                let mut a = Tensor::random(kind, &[2, n, n], 1);
                a.values[n * n] = value.into();
                let (w, info) = ((kind.real(), &[2, n][..]), (I64, &[2][..]));
                let complex = (kind.complex(), &[2, n][..]);
                let expected = "the matrix has NaN or infinite elements";
                assert_eq!(refusal("svd", &[&a], &[w, info], &[0]), expected);
                assert_eq!(refusal("eigh", &[&a], &[w, info], &[0, 0]), expected);
                assert_eq!(refusal("eig", &[&a], &[complex, info], &[0]), expected);
                // LU and QR pass it on.
                let outputs = [(kind, vec![2, n, n]), (kind, vec![2, n, n])];
                let answers = call("qr", &[&a], &outputs, &[0]).unwrap();
                assert!(answers[1].values[n * n..].iter().any(|value| !value.is_finite()));
                assert!(answers[1].values[..n * n].iter().all(|value| value.is_finite()));
            }
        }
    }
}
