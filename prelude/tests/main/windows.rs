//! Windows, beside NumPy (`numpy/windows.txt`, which `numpy/windows.py` writes).

use gpurepl_prelude::*;

use crate::answers::{Case, cases_of};

#[test]
fn windows_are_what_numpy_computes() {
    let cases: Vec<Case> = cases_of(include_str!("numpy/windows.txt"));
    for case in &cases {
        let words: Vec<&str> = case.operation.split(' ').collect();
        let count = words[1].parse().unwrap();
        let answer = match words[0] {
            "bartlett" => array::bartlett(count),
            "blackman" => array::blackman(count),
            "hamming" => array::hamming(count),
            "hanning" => array::hanning(count),
            "kaiser" => array::kaiser(count, words[2].parse::<f64>().unwrap()),
            _ => panic!("no window {}", case.operation),
        };
        let numpy = case.operand::<f64>(0).to_vec();
        let ours = answer.to_vec();
        assert_eq!(ours.len(), numpy.len(), "{}", case.operation);
        for (k, (a, b)) in ours.iter().zip(&numpy).enumerate() {
            // Near the ends weights are differences of ones.
            assert!((a - b).abs() < 1e-14, "{}: element {k} is {a}, not {b}", case.operation);
        }
    }
    assert_eq!(cases.len(), 80);
}

#[test]
fn windows_are_symmetric() {
    for window in [array::bartlett, array::blackman, array::hamming, array::hanning] {
        let weights = window(1000);
        assert!(array_equal(&weights, &weights.flip()));
    }
    assert!(array_equal(&array::kaiser(31, 8.6), &array::kaiser(31, 8.6).flip()));
}
