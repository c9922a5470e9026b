//! Where the bins of a histogram begin and end: at NumPy's numbers, which for
//! elements of less than double precision are of their own type (`histogram`
//! of `numpy/lib/_histograms_impl.py`, `linspace`). Between two such numbers
//! no element can fall into the wrong bin by its rounding.

use gpurepl_kernels::DType;
use half::f16;

/// The edges of bins between the least and the greatest element, or between
/// two numbers that were given. Bins that elements of the type cannot be told
/// apart by have edges of double precision.
pub(crate) fn edges(dtype: DType, (from, to): (f64, f64), is_given: bool, bins: usize) -> Vec<f64> {
    let round: fn(f64) -> f64 = match dtype {
        DType::Float16 => |value| f16::from_f64(value).to_f64(),
        DType::Float32 => |value| f64::from(value as f32),
        _ => |value| value,
    };
    let own: Vec<f64> = if is_given {
        evenly(from, to, bins, |value| value).map(round).collect()
    } else {
        evenly(round(from), round(to), bins, round).collect()
    };
    if own.is_sorted_by(|low, high| low < high) && own.iter().all(|edge| edge.is_finite()) {
        own
    } else {
        evenly(from, to, bins, |value| value).collect()
    }
}

/// Each operation is rounded.
fn evenly(from: f64, to: f64, bins: usize, round: impl Fn(f64) -> f64) -> impl Iterator<Item = f64> {
    let step = round(round(to - from) / bins as f64);
    (0..=bins).map(move |bin| match bin {
        bin if bin == bins => to,
        bin => round(round(round(bin as f64) * step) + from),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_numpys_for_each_type() {
        // numpy.histogram_bin_edges(numpy.array([0.1, 1.0], dtype), 10)
        let singles = [0.1f32, 0.19, 0.28, 0.36999997, 0.45999998, 0.55, 0.64, 0.73, 0.82, 0.90999997, 1.0];
        let found = edges(DType::Float32, (f64::from(0.1f32), 1.0), false, 10);
        assert_eq!(found, singles.map(f64::from));
        let halves = [
            0.0999755859375,
            0.18994140625,
            0.27978515625,
            0.3701171875,
            0.4599609375,
            0.5498046875,
            0.64013671875,
            0.72998046875,
            0.81982421875,
            0.90966796875,
            1.0,
        ];
        assert_eq!(edges(DType::Float16, (halves[0], 1.0), false, 10), halves);
        let doubles = [
            0.1,
            0.19,
            0.28,
            0.37,
            0.45999999999999996,
            0.5499999999999999,
            0.64,
            0.73,
            0.82,
            0.9099999999999999,
            1.0,
        ];
        assert_eq!(edges(DType::Float64, (0.1, 1.0), false, 10), doubles);
        assert_eq!(edges(DType::Int32, (0.1, 1.0), false, 10), doubles);
        // The same with range=(0, 1).
        let given = [0.0f32, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];
        assert_eq!(edges(DType::Float32, (0.0, 1.0), true, 10), given.map(f64::from));
    }

    #[test]
    fn bins_that_a_type_has_no_numbers_for_are_of_double_precision() {
        let found = edges(DType::Float16, (0.5, 1.0), false, 10_000);
        assert!(found.is_sorted_by(|low, high| low < high));
        let found = edges(DType::Float32, (f64::from(f32::MIN), f64::from(f32::MAX)), false, 2);
        assert_eq!(found, [f64::from(f32::MIN), 0.0, f64::from(f32::MAX)]);
    }
}
