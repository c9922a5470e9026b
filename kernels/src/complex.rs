//! The text of complex numbers and their functions, for CUDA C and for host C++.

use std::ffi::CStr;

use crate::complex_functions;

/// Complex numbers with the operators that expressions use, for CUDA C and
/// for host C++. Division is Smith's algorithm (R. L. Smith, "Algorithm 116:
/// Complex division", Communications of the ACM 5, 1962), as in NumPy.
pub(crate) const COMPLEX: &str = include_str!("complex.hpp");

/// Functions of complex numbers by the names of C++, over `complex_functions`.
pub(crate) const COMPLEX_MATH: &str = include_str!("complex-math.hpp");

/// Complex numbers with their functions: `pycuda-complex.hpp`.
pub(crate) const COMPLEX_PARTS: [&str; 5] = [
    COMPLEX,
    complex_functions::BEFORE,
    complex_functions::FUNCTIONS,
    complex_functions::AFTER,
    COMPLEX_MATH,
];

/// `COMPLEX_PARTS` as a header in C.
pub(crate) const COMPLEX_HEADER: &CStr = {
    const TEXT: [u8; total_length(&COMPLEX_PARTS) + 1] = joined(&COMPLEX_PARTS);
    match CStr::from_bytes_with_nul(&TEXT) {
        Ok(text) => text,
        Err(_) => panic!("a header has no zero byte"),
    }
};

const fn total_length(parts: &[&str]) -> usize {
    let (mut length, mut k) = (0, 0);
    while k < parts.len() {
        length += parts[k].len();
        k += 1;
    }
    length
}

/// Texts one behind the other; zeros follow.
const fn joined<const N: usize>(parts: &[&str]) -> [u8; N] {
    let (mut bytes, mut at, mut k) = ([0; N], 0, 0);
    while k < parts.len() {
        let part = parts[k].as_bytes();
        let mut within = 0;
        while within < part.len() {
            bytes[at] = part[within];
            at += 1;
            within += 1;
        }
        k += 1;
    }
    bytes
}
