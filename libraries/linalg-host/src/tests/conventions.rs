//! NumPy's answers, 2.4 with OpenBLAS, for signs and orders that its users rely on.

use super::*;

const WIDE: [f64; 12] = [1.0, 2.0, -1.0, 3.0, 2.0, -1.0, 4.0, 1.0, -1.0, 3.0, 2.0, 1.0];

#[track_caller]
fn qr_is(a: &Tensor, r: &[(f64, f64)]) {
    let (m, n) = (a.rows(), a.columns());
    let k = m.min(n);
    let answers = call("qr", &[a], &[(a.kind, vec![m, k]), (a.kind, vec![k, n])], &[0]).unwrap();
    let expected = Tensor::new(a.kind, &[k, n], |index| Complex::new(r[index].0, r[index].1));
    close("R", a.kind, answers[1].distance(&expected), 1, 3.0);
}

fn reals(values: &[f64]) -> Vec<(f64, f64)> {
    values.iter().map(|&value| (value, 0.0)).collect()
}

/// `numpy.linalg.qr`, whose diagonal is negative where LAPACK's reflections make it so, and not
/// where there is nothing to reflect.
#[test]
fn signs_of_r() {
    for kind in Kind::ALL {
        let wide = [
            -2.449489742783178,
            1.2247448713915892,
            -2.0412414523193156,
            -1.6329931618554525,
            0.0,
            3.5355339059327378,
            0.7071067811865483,
            2.82842712474619,
            0.0,
            0.0,
        ];
        if !kind.is_complex() {
            let last = [4.04145188432738, -0.577350269189626];
            qr_is(&Tensor::real(kind, &[3, 4], &WIDE), &reals(&[&wide[..], &last].concat()));
        }
        qr_is(&Tensor::real(kind, &[2, 2], &[-2.0, 1.0, 0.0, -3.0]), &reals(&[-2.0, 1.0, 0.0, -3.0]));
        qr_is(&Tensor::real(kind, &[2, 2], &[2.0, 1.0, 0.0, 3.0]), &reals(&[2.0, 1.0, 0.0, 3.0]));
        qr_is(&Tensor::real(kind, &[2, 2], &[0.0, 1.0, 0.0, 3.0]), &reals(&[0.0, 1.0, 0.0, 3.0]));
        let tall = [
            -3.872983346207417,
            0.25819888974716076,
            -1.5491933384829673,
            0.0,
            4.683303677248928,
            0.9395077285666547,
            0.0,
            0.0,
            -3.423057876805989,
        ];
        let a = [1.0, 2.0, -1.0, 2.0, -1.0, 3.0, -1.0, 4.0, 2.0, 3.0, 1.0, 1.0];
        qr_is(&Tensor::real(kind, &[4, 3], &a), &reals(&tall));
    }
    for kind in [C32, C64] {
        let values = [(1.0, 1.0), (2.0, -1.0), (0.5, -2.0), (0.0, 1.0), (3.0, 0.0), (1.0, 0.5)];
        let complex = |shape: &[usize]| {
            Tensor::new(kind, shape, |index| Complex::new(values[index].0, values[index].1))
        };
        let first = (-3.905124837953327, 0.0);
        let second = (-0.5121475197315841, 0.2560737598657923);
        qr_is(&complex(&[3, 2]), &[first, second, (0.0, 0.0), (-2.630994326778563, 0.0)]);
        qr_is(&complex(&[2, 2]), &[(-2.5, 0.0), (0.4, 1.0), (0.0, 0.0), (-2.2, 0.0)]);
        let imaginary = Tensor::new(kind, &[2, 2], |index| {
            [Complex::new(0.0, 2.0), 1.0.into(), 0.0.into(), Complex::new(0.0, 3.0)][index]
        });
        qr_is(&imaginary, &[(-2.0, 0.0), (0.0, 1.0), (0.0, 0.0), (-3.0, 0.0)]);
    }
}

/// `numpy.linalg.eig`: neighbours, and which element is real.
#[test]
fn conjugate_eigenvalues() {
    let a = Tensor::real(F64, &[3, 3], &[1.0, -2.0, 0.0, 3.0, 1.0, 0.5, 0.0, 1.0, 2.0]);
    let outputs = [(C64, vec![3]), (C64, vec![3, 3]), (I64, vec![])];
    let answers = call("eig", &[&a], &outputs, &[1]).unwrap();
    let (w, v) = (&answers[0].values, &answers[1].values);
    let first = (0..3).find(|&index| w[index].im > 0.0).unwrap();
    let value = Complex::new(0.9624392615997255, 2.3620656011228984);
    assert!((w[first] - value).norm() < 1e-14 && w[first + 1] == w[first].conj(), "{w:?}");
    let vector = [
        Complex::new(0.00985143140978759, 0.6195226251119338),
        Complex::new(0.7318615544661532, 0.0),
        Complex::new(-0.114087109243768, -0.2597257454939403),
    ];
    // LAPACK's sign is that of the element before it is made real: positive.
    for (row, expected) in vector.into_iter().enumerate() {
        assert!((v[row * 3 + first] - expected).norm() < 1e-14, "{v:?}");
    }
}

#[test]
fn complex_eigenvectors() {
    let values = [(1.0, 1.0), (2.0, 0.0), (0.0, 3.0), (1.0, -2.0)];
    let a = Tensor::new(C64, &[2, 2], |index| Complex::new(values[index].0, values[index].1));
    let outputs = [(C64, vec![2]), (C64, vec![2, 2]), (I64, vec![])];
    let answers = call("eig", &[&a], &outputs, &[1]).unwrap();
    let (w, v) = (&answers[0].values, &answers[1].values);
    let first = usize::from(w[0].re < w[1].re);
    assert!((w[first] - Complex::new(2.4418742679214693, 1.580625243645302)).norm() < 1e-14, "{w:?}");
    let vector =
        [Complex::new(0.7895752330241707, 0.0), Complex::new(0.5692341055428249, 0.2292236560254777)];
    for (row, expected) in vector.into_iter().enumerate() {
        assert!((v[row * 2 + first] - expected).norm() < 1e-14, "{v:?}");
    }
}
