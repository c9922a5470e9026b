//! All kinds, shapes and orders of axes.

use super::*;

/// The elements of which half is kept, along an axis.
pub(super) fn halved(values: &[C64], shape: &[usize], axis: usize) -> (Vec<C64>, Vec<usize>) {
    let (length, width) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
    let kept = values.iter().enumerate().filter(|(index, _)| index / width % length <= length / 2);
    let mut halved = shape.to_vec();
    halved[axis] = length / 2 + 1;
    (kept.map(|(_, value)| *value).collect(), halved)
}

const CASES: &[(&[usize], &[usize])] = &[
    (&[1], &[0]),
    (&[2], &[0]),
    (&[7], &[0]),
    (&[64], &[0]),
    (&[1009], &[0]),
    (&[30, 4], &[0]),
    (&[30, 4], &[1]),
    (&[30, 4], &[0, 1]),
    (&[30, 4], &[1, 0]),
    (&[4, 1], &[0]),
    (&[1, 5], &[0]),
    (&[3, 5, 8], &[0, 1, 2]),
    (&[3, 5, 8], &[2, 0]),
    (&[3, 5, 8], &[1]),
    (&[3, 5, 8], &[2, 1, 0]),
    (&[2, 1009], &[1, 0]),
    (&[1009, 2], &[0]),
    // Many tasks, and widths beside those of blocks.
    (&[64, 257], &[0]),
    (&[64, 257], &[1]),
    (&[129, 128], &[0, 1]),
    (&[900, 8, 3], &[1]),
    (&[33, 16, 17], &[1, 0]),
];

#[test]
fn complex_to_complex_is_the_sum_of_the_definition() {
    for &(shape, axes) in CASES {
        let values = noise(shape.iter().product(), 1);
        for (is_inverse, sign, scale) in [(false, -1.0, 1.0), (true, 1.0, 0.375)] {
            let expected = by_definition(&values, shape, axes, sign);
            let expected: Vec<C64> = expected.iter().map(|value| value * scale).collect();
            for dtype in [C32, C128] {
                let mut arrays = [Host::of(dtype, shape, &values), Host::zeros(dtype, shape)];
                call(&mut arrays, &numbers(is_inverse, scale, axes)).unwrap();
                let far = distance(&arrays[1].values(), &expected);
                assert!(
                    far <= tolerance(dtype, values.len()),
                    "{shape:?} {axes:?} {dtype} {is_inverse}: {far:e}"
                );
                assert_eq!(arrays[0].values(), values, "the input is left alone");
            }
        }
    }
}

#[test]
fn real_to_complex_and_back_is_half_of_that() {
    for &(shape, axes) in CASES {
        let values: Vec<C64> = noise(shape.iter().product(), 2).iter().map(|value| value.re.into()).collect();
        let last = axes[axes.len() - 1];
        let (expected, half_shape) = halved(&by_definition(&values, shape, axes, -1.0), shape, last);
        let count: usize = axes.iter().map(|axis| shape[*axis]).product();
        for (real, complex) in [(F32, C32), (F64, C128)] {
            let mut arrays = [Host::of(real, shape, &values), Host::zeros(complex, &half_shape)];
            call(&mut arrays, &numbers(false, 0.5, axes)).unwrap();
            let found: Vec<C64> = arrays[1].values().iter().map(|value| value * 2.0).collect();
            let far = distance(&found, &expected);
            assert!(far <= tolerance(real, values.len()), "{shape:?} {axes:?} {real}: {far:e}");

            let mut arrays =
                [Host { writes: 0, ..Host::of(complex, &half_shape, &expected) }, Host::zeros(real, shape)];
            call(&mut arrays, &numbers(true, 1.0 / count as f64, axes)).unwrap();
            let far = distance(&arrays[1].values(), &values);
            assert!(far <= tolerance(real, values.len()), "{shape:?} {axes:?} {real} back: {far:e}");
        }
    }
}

#[test]
fn to_real_ignores_imaginary_parts_as_numpy_does() {
    // numpy.fft.irfft([1+5j, 2+1j, 3+7j]), and the same with n=5.
    let values = [C64::new(1.0, 5.0), C64::new(2.0, 1.0), C64::new(3.0, 7.0)];
    for (length, expected) in
        [(4, vec![2.0, -1.0, 0.0, 0.0]), (5, vec![2.2, -2.54983, 2.35145, -2.50424, 1.50261])]
    {
        let mut arrays = [Host::of(C128, &[3], &values), Host::zeros(F64, &[length])];
        call(&mut arrays, &numbers(true, 1.0 / length as f64, &[0])).unwrap();
        let found: Vec<f64> = arrays[1].values().iter().map(|value| value.re).collect();
        assert!(
            found.iter().zip(&expected).all(|(found, expected)| (found - expected).abs() < 1e-4),
            "{found:?}"
        );
    }
}
