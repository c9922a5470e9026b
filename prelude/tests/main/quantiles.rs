//! Medians, quantiles and percentiles, beside NumPy (`numpy/quantiles.txt`, which
//! `numpy/quantiles.py` writes).

use gpurepl_prelude::array::QuantileMethod;
use gpurepl_prelude::*;

use crate::answers::{Case, cases_of, for_types};
use crate::raises;

const SHARES: [f64; 9] = [0.0, 0.1, 0.25, 0.3, 0.5, 0.625, 0.75, 0.9, 1.0];

fn method(name: &str) -> QuantileMethod {
    use QuantileMethod::*;
    match name {
        "inverted_cdf" => InvertedCdf,
        "averaged_inverted_cdf" => AveragedInvertedCdf,
        "closest_observation" => ClosestObservation,
        "interpolated_inverted_cdf" => InterpolatedInvertedCdf,
        "hazen" => Hazen,
        "weibull" => Weibull,
        "linear" => Linear,
        "median_unbiased" => MedianUnbiased,
        "normal_unbiased" => NormalUnbiased,
        "lower" => Lower,
        "higher" => Higher,
        "midpoint" => Midpoint,
        "nearest" => Nearest,
        other => panic!("no method {other}"),
    }
}

#[test]
fn quantiles_are_what_numpy_computes() {
    let cases: Vec<Case> = cases_of(include_str!("numpy/quantiles.txt"));
    macro_rules! quantiles {
        ($case:ident) => {{
            let a = $case.operand::<T>(0).reshape((3, 4));
            let words: Vec<&str> = $case.operation.split(' ').collect();
            let answer = match words[..] {
                ["median"] => a.median(),
                ["median", "0"] => a.median_axis(0),
                ["median", "1"] => a.t().copy().t().median_axis(-1),
                ["nanmedian"] => a.nanmedian(),
                ["nanmedian", "1"] => a.nanmedian_axis(1),
                ["nanquantile", "0"] => a.nanquantile_axis(SHARES, 0),
                ["nanpercentile", "1"] => a.nanpercentile_axis(30, 1),
                ["percentile"] => a.percentile(30.0),
                ["percentile", "1"] => a.percentile_axis([10, 50], 1),
                ["quantile", "0"] => a.quantile_axis(&SHARES[..], -2),
                ["method", name] => a.quantile_method(SHARES.to_vec(), method(name)),
                ["method", name, "1"] => a.quantile_axis_method(SHARES, 1, method(name)),
                _ => panic!("no operation {}", $case.operation),
            };
            $case.check(answer, true);
            true
        }};
    }
    let count = for_types!(cases, case, [i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64] => quantiles!(case));
    assert_eq!(count, cases.len());
}

#[test]
fn many_and_few() {
    let a = (arange(0..1_000_001_i64) * 7919 % 1_000_001).astype(f32);
    assert_eq!(
        (a.median().item(), a.quantile(0.25).item(), a.percentile(99).item()),
        (500_000.0, 250_000.0, 990_000.0)
    );
    assert_eq!(a.quantile([0.1, 0.9]).to_vec(), [100_000.0, 900_000.0]);
    assert_eq!(gpu![7.0].quantile([0.0, 0.3, 1.0]).to_vec(), [7.0; 3]);
    assert_eq!(zeros::<f32>((0, 3)).median_axis(1).shape(), [0]);
    let cube = arange(0..24).reshape((2, 3, 4));
    assert_eq!(cube.quantile_axis([0.0, 0.5], 1).shape(), [2, 2, 4]);
    assert_eq!(cube.percentile_axis(50, -1).to_vec(), [1.5, 5.5, 9.5, 13.5, 17.5, 21.5]);
    // Infinities are elements as others are.
    let ends = gpu![f64::NEG_INFINITY, 1.0, f64::INFINITY];
    assert_eq!(ends.quantile([0.0, 0.5, 1.0]).to_vec(), [f64::NEG_INFINITY, 1.0, f64::INFINITY]);
    assert_eq!((ends.median().item(), ends.nanmedian().item()), (1.0, 1.0));
    assert!(gpu![f64::NAN, f64::NAN].nanmedian().item().is_nan());
    assert!(gpu![1.0, f64::NAN].median().item().is_nan());
}

#[test]
fn quantiles_that_are_not_there() {
    let a = gpu![1.0, 2.0];
    let text = "quantile: Quantiles must be in the range [0, 1], and 1.5 is not";
    raises(ErrorKind::Value, text, || drop(a.quantile([0.5, 1.5])));
    let text = "percentile: Percentiles must be in the range [0, 100], and -1 is not";
    raises(ErrorKind::Value, text, || drop(a.percentile(-1)));
    raises(ErrorKind::Value, "quantile: Quantiles must be in the range [0, 1], and NaN is not", || {
        drop(a.quantile(f64::NAN))
    });
    raises(ErrorKind::Value, "quantile: the list of shares is empty", || drop(a.quantile([0.5; 0])));
    let text = "median: axis 0 of shape [0, 2] is empty, and no elements have a median";
    raises(ErrorKind::Shape, text, || drop(zeros::<f32>((0, 2)).median_axis(0)));
    raises(ErrorKind::Shape, "median: axis 2 is out of bounds for array of dimension 1", || {
        drop(a.median_axis(2))
    });
}

#[test]
fn quantiles_along_several_axes() {
    let a = arange(0..24).reshape((2, 3, 4)).astype(f64);
    let flat = |axes: [isize; 2]| a.moveaxis(axes, [-2, -1]).copy().reshape((-1, axes_of(&a, axes)));
    for axes in [[0, 1], [2, 0], [-1, -2]] {
        let (rows, q) = (flat(axes), [0.1, 0.5, 0.9]);
        assert_eq!(a.median_axis(axes).to_vec(), rows.median_axis(1).to_vec());
        assert_eq!(a.quantile_axis(q, axes).to_vec(), rows.quantile_axis(q, 1).to_vec());
        assert_eq!(a.nanpercentile_axis(30, axes).to_vec(), rows.nanpercentile_axis(30, 1).to_vec());
    }
    assert_eq!(a.median_axis((0, 1, 2)).item(), a.median().item());
    assert_eq!(a.median_axis((0, 2)).shape(), [3]);
    raises(ErrorKind::Shape, "median: repeated axis 0 in [0, 0]; name each once", || {
        drop(a.median_axis((0, 0)))
    });
    raises(ErrorKind::Shape, "quantile: axis 3 is out of bounds for array of dimension 3", || {
        drop(a.quantile_axis(0.5, (0, 3)))
    });
}

fn axes_of(a: &GpuArray<f64>, axes: [isize; 2]) -> isize {
    axes.iter().map(|axis| a.shape()[axis.rem_euclid(3) as usize] as isize).product()
}

#[test]
fn averages_with_weights_of_several_axes() {
    let a = arange(0..24).reshape((2, 3, 4)).astype(f64);
    let weights = gpu![[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]];
    // np.average(a, axis=(1, 0), weights=w) and (0, 1) with its transpose.
    assert_eq!(a.average_axis((1, 0), &weights).to_vec(), [12.0, 13.0, 14.0, 15.0]);
    assert!(allclose(a.average_axis((0, 1), weights.t()), a.average_axis((1, 0), &weights)));
    let text = "average: weights of shape [3, 2] do not fit an array of shape [2, 3, 4]";
    raises(ErrorKind::Shape, text, || drop(a.average_axis((0, 1), &weights)));
}
