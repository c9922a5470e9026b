//! Calls that are not possible.

use super::*;

fn fault(from: Host, to: Host, numbers: &[i64]) -> String {
    call(&mut [from, to], numbers).unwrap_err()
}

fn zeros(dtype: u32, shape: &[usize]) -> Host {
    Host::zeros(dtype, shape)
}

#[test]
fn shapes_are_named_on_both_sides() {
    let all = |axes: &[usize]| numbers(false, 1.0, axes);
    let back = |axes: &[usize]| numbers(true, 1.0, axes);
    for (from, to, numbers, expected) in [
        (
            zeros(C32, &[5]),
            zeros(C32, &[6]),
            all(&[0]),
            "transform: the input has 5 elements along axis 0, the output 6",
        ),
        (zeros(C32, &[5, 2]), zeros(C32, &[5]), all(&[0]), "transform: the input has 2 axes, the output 1"),
        (
            zeros(F32, &[5]),
            zeros(C32, &[5]),
            all(&[0]),
            "transform: the input has 5 elements along axis 0, the output 5: n real numbers become n/2 + 1, here 3",
        ),
        (
            zeros(C128, &[5]),
            zeros(F64, &[5]),
            back(&[0]),
            "transform: the input has 5 elements along axis 0, the output 5: n real numbers come from n/2 + 1, here 3",
        ),
        (
            zeros(F32, &[4, 4]),
            zeros(C32, &[3, 4]),
            all(&[0, 1]),
            "transform: the input has 4 elements along axis 0, the output 3",
        ),
        (
            zeros(F32, &[4]),
            zeros(C32, &[3]),
            back(&[0]),
            "transform: from real to complex numbers it is forward, not inverse",
        ),
        (
            zeros(C32, &[3]),
            zeros(F32, &[4]),
            all(&[0]),
            "transform: from complex to real numbers it is inverse, not forward",
        ),
        (
            zeros(F32, &[4]),
            zeros(C128, &[3]),
            all(&[0]),
            "transform: the input is of f32, the output of complex f64; one is complex, both of one precision",
        ),
        (
            zeros(F32, &[4]),
            zeros(F32, &[4]),
            all(&[0]),
            "transform: the input is of f32, the output of f32; one is complex, both of one precision",
        ),
        (
            zeros(C32, &[0]),
            zeros(C32, &[0]),
            all(&[0]),
            "transform: there are no elements along axis 0, which is to be transformed",
        ),
        (
            zeros(F32, &[0]),
            zeros(C32, &[1]),
            all(&[0]),
            "transform: there are no elements along axis 0, which is to be transformed",
        ),
    ] {
        assert_eq!(fault(from, to, &numbers), expected);
    }
}

#[test]
fn numbers_are_checked() {
    let of = |numbers: &[i64]| fault(zeros(C32, &[2, 3]), zeros(C32, &[2, 3]), numbers);
    let scale = 1f64.to_bits() as i64;
    assert_eq!(of(&[0]), "transform takes a direction, a scale and axes, not 1 numbers");
    assert_eq!(of(&[2, scale, 0]), "transform: the direction is 0, forward, or 1, inverse, not 2");
    assert_eq!(of(&[0, scale]), "transform: there is no axis to transform along");
    assert_eq!(of(&[0, scale, 2]), "transform: axis 2 of an array with 2 axes");
    assert_eq!(of(&[0, scale, -1]), "transform: axis -1 of an array with 2 axes");
    assert_eq!(of(&[0, scale, i64::MIN]), format!("transform: axis {} of an array with 2 axes", i64::MIN));
    assert_eq!(of(&[0, scale, 1, 1]), "transform: axis 1 is given twice");
    let none = call(&mut [], &numbers(false, 1.0, &[0])).unwrap_err();
    assert_eq!(none, "transform takes an input and an output, not 0 arrays");
    let scalar = fault(zeros(C32, &[]), zeros(C32, &[]), &numbers(false, 1.0, &[0]));
    assert_eq!(scalar, "transform: axis 0 of an array with 0 axes");
}

#[test]
fn elements_that_are_not_there_are_not_read() {
    let all = numbers(false, 1.0, &[0]);
    for (first, strides) in [
        (0, vec![2]),
        (1, vec![1]),
        (0, vec![-1]),
        (usize::MAX, vec![0]),
        (0, vec![isize::MAX]),
        (3, vec![isize::MIN]),
    ] {
        let input = Host { first, strides, ..zeros(C32, &[4]) };
        let said = fault(input, zeros(C32, &[4]), &all);
        assert!(said.starts_with("transform: the input has 4 elements, too few for the shape [4]"), "{said}");
    }
    for output in [
        Host { strides: vec![-1], first: 3, ..zeros(C32, &[4]) },
        Host { first: 1, ..zeros(C32, &[4]) },
        Host { count: 3, ..zeros(C32, &[4]) },
        Host { strides: vec![0], ..zeros(C32, &[4]) },
    ] {
        let said = fault(zeros(C32, &[4]), output, &all);
        assert!(said.starts_with("transform: the output is to be contiguous"), "{said}");
    }
    let huge = |shape: &[usize]| Host { shape: shape.to_vec(), strides: vec![0, 0], ..zeros(C32, &[4]) };
    let said = fault(huge(&[1 << 40, 1 << 40]), huge(&[1 << 40, 1 << 40]), &all);
    assert!(said.starts_with("transform: the output is to be contiguous"), "{said}");
    let said = fault(zeros(C32, &[4]), Host { writes: 0, ..zeros(C32, &[4]) }, &all);
    assert_eq!(said, "transform: the output: an array to read cannot be written");
}

#[test]
fn other_types_are_none_of_ours() {
    const I32: u32 = 3;
    let said = fault(zeros(I32, &[4]), zeros(C32, &[4]), &numbers(false, 1.0, &[0]));
    assert_eq!(said, "transform takes arrays of f32 and f64, real or complex");
}

#[test]
fn nothing_along_another_axis_is_nothing_to_do() {
    for (from, to, is_inverse) in [(C32, C32, false), (F32, C32, false), (C128, F64, true)] {
        let (before, after) = match (from, to) {
            (F32, _) => ([0, 4], [0, 3]),
            (_, F64) => ([0, 3], [0, 4]),
            _ => ([0, 4], [0, 4]),
        };
        call(&mut [zeros(from, &before), zeros(to, &after)], &numbers(is_inverse, 1.0, &[1])).unwrap();
    }
}
