//! Input that is checked and scaled before an iteration, as LAPACK's drivers do it.

use faer::traits::num_traits::Float;

use crate::scalar::{Re, Real, Scalar, all_finite};

/// What NumPy says as well, of arrays for which an iteration would not end.
pub const NOT_FINITE: &str = "the matrix has NaN or infinite elements";

/// Scales a matrix by a power of two if squares of its elements would
/// overflow, or lose digits. Returns the factor that undoes it.
///
/// # Errors
///
/// If an element is not finite.
pub fn balance<T: Scalar>(a: &mut [T]) -> Result<Re<T>, String> {
    if !all_finite(a) {
        return Err(NOT_FINITE.to_owned());
    }
    let one = Re::<T>::ONE;
    let largest = a.iter().fold(Re::<T>::ZERO, |largest, element| {
        Float::max(largest, Float::max(Float::abs(element.re()), Float::abs(element.im())))
    });
    let small = Float::sqrt(Re::<T>::TINY) / Re::<T>::EPSILON;
    if largest == Re::<T>::ZERO || (largest >= small && largest <= one / small) {
        return Ok(one);
    }
    let (_, exponent, _) = Float::integer_decode(largest);
    // The elements' digits are whole numbers there: this brings the largest near 1.
    let digits = if size_of::<Re<T>>() == 4 { 24 } else { 53 };
    let exponent = i32::from(exponent) + digits;
    let two = one + one;
    // In two steps, because the power itself may overflow.
    let (half, rest) = (exponent / 2, exponent - exponent / 2);
    let (first, second) = (Float::powi(two, -half), Float::powi(two, -rest));
    for element in a.iter_mut() {
        *element = T::of(element.re() * first * second, element.im() * first * second);
    }
    Ok(Float::powi(two, half) * Float::powi(two, rest))
}
