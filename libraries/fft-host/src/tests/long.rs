//! Lines that all cores work on, and others as long.

use super::*;
use crate::long::{Long, LongComplex, LongFromReal, LongToReal};
use rustfft::FftDirection;

/// Lengths with and without two good factors.
const LENGTHS: &[usize] = &[1 << 16, 1 << 17, 1 << 18, 3 << 15, 105 * 1009, 6 * 15013, 65537, 2 * 65537];

/// Some elements of a transform by the definition, with their places.
fn some(values: &[C64], sign: f64) -> Vec<(usize, C64)> {
    let length = values.len();
    let root = |power: usize| {
        // The angle is brought near zero, where its rounding is small.
        let power = power as f64 - if 2 * power > length { length as f64 } else { 0.0 };
        C64::cis(sign * 2.0 * PI * power / length as f64)
    };
    let places = [0, 1, 2, 31, 1000, length / 3, length / 2 - 1, length / 2];
    let element = |k: usize| {
        let terms: Vec<C64> =
            values.iter().enumerate().map(|(j, value)| value * root(j * k % length)).collect();
        C64::new(sum(terms.iter().map(|term| term.re)), sum(terms.iter().map(|term| term.im)))
    };
    places.map(|k| (k, element(k))).to_vec()
}

fn check(found: &[C64], expected: &[(usize, C64)], tolerance: f64, what: &str) {
    let (found, expected): (Vec<C64>, Vec<C64>) =
        expected.iter().map(|(k, value)| (found[*k], *value)).unzip();
    let far = distance(&found, &expected);
    assert!(far <= tolerance, "{what}: {far:e}");
}

#[test]
fn long_lines_are_right_forward_inverse_and_back() {
    for &length in LENGTHS {
        let values = noise(length, 5);
        let sums = [some(&values, -1.0), some(&values, 1.0)];
        for (dtype, real) in [(C32, F32), (C128, F64)] {
            let what = format!("{length} {dtype}");
            let tolerance = tolerance(dtype, length);
            for is_inverse in [false, true] {
                let mut arrays = [Host::of(dtype, &[length], &values), Host::zeros(dtype, &[length])];
                call(&mut arrays, &numbers(is_inverse, 1.0, &[0])).unwrap();
                check(&arrays[1].values(), &sums[usize::from(is_inverse)], tolerance, &what);
                let [_, spectrum] = arrays;
                let energy = |values: &[C64]| sum(values.iter().map(C64::norm_sqr));
                let ratio = energy(&spectrum.values()) / energy(&values) / length as f64;
                assert!((ratio - 1.0).abs() <= tolerance, "{what}: Parseval {ratio}");
                let mut arrays = [spectrum, Host::zeros(dtype, &[length])];
                call(&mut arrays, &numbers(!is_inverse, 1.0 / length as f64, &[0])).unwrap();
                assert!(distance(&arrays[1].values(), &values) <= tolerance, "{what} and back");
            }
            let reals: Vec<C64> = values.iter().map(|value| value.re.into()).collect();
            let mut arrays = [Host::of(real, &[length], &reals), Host::zeros(dtype, &[length / 2 + 1])];
            call(&mut arrays, &numbers(false, 1.0, &[0])).unwrap();
            check(&arrays[1].values(), &some(&reals, -1.0), tolerance, &what);
            let [_, spectrum] = arrays;
            let mut arrays = [spectrum, Host::zeros(real, &[length])];
            call(&mut arrays, &numbers(true, 1.0 / length as f64, &[0])).unwrap();
            assert!(distance(&arrays[1].values(), &reals) <= tolerance, "{what} real and back");
        }
    }
}

#[test]
fn long_lines_along_any_axis() {
    let length = 3 << 15;
    for (shape, axis) in [([2, length], 1), ([length, 2], 0)] {
        let values = noise(2 * length, 6);
        let line = |values: &[C64]| -> Vec<C64> {
            (0..length).map(|j| values[if axis == 1 { length + j } else { 2 * j + 1 }]).collect()
        };
        let expected = some(&line(&values), -1.0);
        for strided in [false, true] {
            // Every element twice, of which one is read; both axes are transformed, the short one without
            // effect.
            let doubled: Vec<C64> = values.iter().flat_map(|value| [*value, C64::default()]).collect();
            let mut input = Host::of(C128, &shape, &values);
            if strided {
                let strides = strides(&shape).iter().map(|stride| 2 * stride).collect();
                input = Host { shape: shape.to_vec(), strides, ..Host::of(C128, &[4 * length], &doubled) };
            }
            let mut arrays = [input, Host::zeros(C128, &shape)];
            call(&mut arrays, &numbers(false, 1.0, &[axis])).unwrap();
            check(&line(&arrays[1].values()), &expected, 2e-14, &format!("{shape:?} {strided}"));
        }
        // In place: the second of two axes. Sums and differences along the short one are undone by it.
        let mut arrays = [Host::of(C128, &shape, &values), Host::zeros(C128, &shape)];
        call(&mut arrays, &numbers(false, 1.0, &[0, 1])).unwrap();
        let [_, both] = arrays;
        let mut arrays = [both, Host::zeros(C128, &shape)];
        call(&mut arrays, &numbers(true, 0.5, &[1 - axis])).unwrap();
        check(&line(&arrays[1].values()), &expected, 2e-14, &format!("{shape:?} both"));
    }
}

#[test]
fn kinds_are_chosen_by_length_and_number_of_lines() {
    let is_parallel = crate::cores::threads() > 1;
    let complex = |length, lines| LongComplex::<f32>::new(length, lines, FftDirection::Forward, 1.0);
    assert_eq!(complex(1 << 16, 1).map(|long| long.lengths()), is_parallel.then_some((1 << 16, 1 << 16)));
    assert!(complex(1 << 15, 1).is_none());
    assert!(complex(65537, 1).is_none());
    assert!(complex(1 << 16, 4 * crate::cores::threads()).is_none());
    let halves = LongFromReal::<f64>::new(1 << 17, 1, 1.0).map(|long| long.lengths());
    assert_eq!(halves, is_parallel.then_some((1 << 17, (1 << 16) + 1)));
    let odd = LongToReal::<f64>::new(105945, 1, 1.0).map(|long| long.lengths());
    assert_eq!(odd, is_parallel.then_some((52973, 105945)));
    assert!(LongToReal::<f64>::new(65537, 1, 1.0).is_none());
}
