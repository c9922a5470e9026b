//! Whether two variants have come to the same results.

use gpurepl_kernels::DType;
use half::f16;

/// The tolerance of a type where the user says nothing: variants add in different orders.
pub fn tolerance(dtype: DType) -> f64 {
    match dtype {
        DType::Float16 => 2e-2,
        DType::Float32 | DType::Complex64 => 1e-4,
        DType::Float64 | DType::Complex128 => 1e-9,
        _ => 0.0,
    }
}

/// Where elements differ by more than the tolerance times the greater of the expected one and the
/// expected ones' root mean square: how many, and the first one with both values.
#[derive(Debug, PartialEq)]
pub struct Difference {
    pub count: usize,
    pub place: usize,
    pub found: String,
    pub expected: String,
}

/// Compares the bytes of arrays of one type; none if they agree.
pub fn difference(dtype: DType, found: &[u8], expected: &[u8], tolerance: f64) -> Option<Difference> {
    if found == expected {
        return None;
    }
    if found.len() != expected.len() {
        // Arrays of a closure's may have any length.
        return Some(Difference {
            count: found.len().abs_diff(expected.len()) / dtype.size(),
            place: found.len().min(expected.len()) / dtype.size(),
            found: format!("{} elements", found.len() / dtype.size()),
            expected: format!("{} elements", expected.len() / dtype.size()),
        });
    }
    macro_rules! compare {
        ($t:ty, $to:expr) => {
            numbers::<{ size_of::<$t>() }>(found, expected, tolerance, |bytes| {
                $to(<$t>::from_ne_bytes(bytes))
            })
        };
    }
    let difference = match dtype {
        DType::Float16 => compare!(f16, f64::from),
        DType::Float32 | DType::Complex64 => compare!(f32, f64::from),
        DType::Float64 | DType::Complex128 => compare!(f64, |x| x),
        DType::Int8 => compare!(i8, f64::from),
        DType::Int16 => compare!(i16, f64::from),
        DType::Int32 => compare!(i32, f64::from),
        DType::Int64 => compare!(i64, |x| x as f64),
        DType::UInt16 => compare!(u16, f64::from),
        DType::UInt32 => compare!(u32, f64::from),
        DType::UInt64 => compare!(u64, |x| x as f64),
        DType::Bool | DType::UInt8 => compare!(u8, f64::from),
    };
    // A complex number is two of these.
    let parts = if dtype.is_complex() { 2 } else { 1 };
    difference.map(|difference| Difference { place: difference.place / parts, ..difference })
}

fn numbers<const N: usize>(
    found: &[u8],
    expected: &[u8],
    tolerance: f64,
    number: impl Fn([u8; N]) -> f64,
) -> Option<Difference> {
    let read = |bytes: &[u8]| number(bytes.try_into().expect("a whole element"));
    let size = root_mean_square(&|| expected.chunks_exact(N).map(read).filter(|value| value.is_finite()));
    let mut difference: Option<Difference> = None;
    for (place, (a, b)) in found.chunks_exact(N).zip(expected.chunks_exact(N)).enumerate() {
        if a == b {
            continue;
        }
        let (a, b) = (read(a), read(b));
        // Whole numbers beyond 2^53 may be one and the same here, and differ.
        let is_near = tolerance > 0.0
            && if a.is_finite() && b.is_finite() {
                (a - b).abs() <= tolerance * b.abs().max(size)
            } else {
                a == b || (a.is_nan() && b.is_nan())
            };
        if is_near {
            continue;
        }
        match &mut difference {
            Some(difference) => difference.count += 1,
            None => {
                difference =
                    Some(Difference { count: 1, place, found: format!("{a}"), expected: format!("{b}") });
            }
        }
    }
    difference
}

/// The root mean square of numbers, also where their squares would overflow.
fn root_mean_square<I: Iterator<Item = f64>>(values: &dyn Fn() -> I) -> f64 {
    let largest = values().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    let sum: f64 = values().map(|value| (value / largest).powi(2)).sum();
    largest * (sum / values().count() as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes<T: Copy, const N: usize>(values: &[T], to: impl Fn(T) -> [u8; N]) -> Vec<u8> {
        values.iter().flat_map(|value| to(*value)).collect()
    }

    #[test]
    fn what_rounds_differently_agrees_and_what_is_wrong_does_not() {
        let f = |values: &[f32]| bytes(values, f32::to_ne_bytes);
        let compare = |a: &[f32], b: &[f32]| difference(DType::Float32, &f(a), &f(b), 1e-4);
        assert_eq!(compare(&[1.0, 1000.0], &[1.00001, 1000.01]), None);
        assert_eq!(compare(&[f32::NAN, f32::INFINITY], &[f32::NAN, f32::INFINITY]), None);
        assert_eq!(compare(&[0.0, -0.0], &[-0.0, 0.0]), None);
        let found = compare(&[1.0, 2.0, f32::NAN], &[1.0, 3.0, 4.0]).unwrap();
        assert_eq!(
            (found.count, found.place, found.found.as_str(), found.expected.as_str()),
            (2, 1, "2", "3")
        );
        assert_eq!(compare(&[1.0], &[1.0, 2.0]).unwrap().found, "1 elements");
        for (found, expected) in
            [(0.0, f32::INFINITY), (f32::NEG_INFINITY, f32::INFINITY), (f32::NAN, 1.0), (f32::INFINITY, 1.0)]
        {
            assert!(compare(&[found, 1.0], &[expected, 1.0]).is_some(), "{found} for {expected}");
        }
        let d = |values: &[f64]| bytes(values, f64::to_ne_bytes);
        assert!(difference(DType::Float64, &d(&[1.0, 1e300]), &d(&[2.0, 1e300]), 1e-9).is_none());
        assert!(difference(DType::Float64, &d(&[1e299, 1e300]), &d(&[2e299, 1e300]), 1e-9).is_some());
        assert_eq!(
            difference(DType::Complex64, &f(&[1.0, 2.0, 3.0, 9.0]), &f(&[1.0, 2.0, 3.0, 4.0]), 1e-4)
                .unwrap()
                .place,
            1
        );
    }

    #[test]
    fn whole_numbers_agree_to_the_last_one() {
        let i = |values: &[i64]| bytes(values, i64::to_ne_bytes);
        let big = 1 << 60;
        assert!(difference(DType::Int64, &i(&[big + 1]), &i(&[big]), 0.0).is_some());
        assert_eq!(difference(DType::Int64, &i(&[big]), &i(&[big]), 0.0), None);
    }
}
