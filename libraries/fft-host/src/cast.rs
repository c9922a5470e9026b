//! One slice of numbers, seen as another.
//!
//! `Complex<T>` is `repr(C)` with the fields `re` and `im`, both of `T`: it has the layout of `[T; 2]`, and
//! the alignment of `T`. (num-complex promises this, for the sake of C's complex numbers.)

use rustfft::num_complex::Complex;

/// Pairs, as complex numbers.
pub(crate) fn complex<T>(pairs: &[[T; 2]]) -> &[Complex<T>] {
    // SAFETY: the layouts are the same, as above, and so are lifetime and count.
    unsafe { std::slice::from_raw_parts(pairs.as_ptr().cast(), pairs.len()) }
}

/// Pairs to write, as complex numbers.
pub(crate) fn complex_mut<T>(pairs: &mut [[T; 2]]) -> &mut [Complex<T>] {
    // SAFETY: as above; the pairs are borrowed for as long, so that this is the one way to them.
    unsafe { std::slice::from_raw_parts_mut(pairs.as_mut_ptr().cast(), pairs.len()) }
}

/// Numbers, two and two of which are a complex one. Of an odd count, the last one is left out.
pub(crate) fn paired<T>(numbers: &[T]) -> &[Complex<T>] {
    complex(numbers.as_chunks::<2>().0)
}

/// Numbers to write, two and two of which are a complex one. Of an odd count, the last one is left out.
pub(crate) fn paired_mut<T>(numbers: &mut [T]) -> &mut [Complex<T>] {
    complex_mut(numbers.as_chunks_mut::<2>().0)
}
