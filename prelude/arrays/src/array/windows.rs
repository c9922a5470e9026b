//! Windows: weights of samples that fall off to both ends.
//!
//! They are NumPy's, in its formulas (F. J. Harris, "On the Use of Windows for
//! Harmonic Analysis with the Discrete Fourier Transform", Proceedings of the
//! IEEE 66, 1978), of double precision.

use std::f64::consts::PI;

use super::create::{Arange as _, By as _, arranged, constant, filled};
use super::{Elem as _, GpuArray};
use crate::error::{OrRaise as _, Problem, Result};
use crate::shape::Shape;

/// The window of Bartlett, a triangle, in `count` samples: NumPy's `np.bartlett`.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(array::bartlett(5).to_vec(), [0.0, 0.5, 1.0, 0.5, 0.0]);
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if the device does not have enough memory.
/// So do the other windows.
#[track_caller]
pub fn bartlett(count: usize) -> GpuArray<f64> {
    of_places("bartlett", count, &|place| 1.0 - place.abs()).or_raise()
}

/// The window of Hann, a cosine raised to zero at both ends, in `count` samples:
/// NumPy's `np.hanning`.
///
/// ```
/// use gpurepl_prelude::*;
/// assert!(allclose(&array::hanning(3), &gpu![0.0, 1.0, 0.0]));
/// ```
///
/// # Panics
///
/// As [`bartlett`].
#[track_caller]
pub fn hanning(count: usize) -> GpuArray<f64> {
    of_places("hanning", count, &|place| 0.5 + 0.5 * (PI * place).cos()).or_raise()
}

/// The window of Hamming, a raised cosine, in `count` samples: NumPy's
/// `np.hamming`.
///
/// ```
/// use gpurepl_prelude::*;
/// assert!(allclose(&array::hamming(3), &gpu![0.08, 1.0, 0.08]));
/// ```
///
/// # Panics
///
/// As [`bartlett`].
#[track_caller]
pub fn hamming(count: usize) -> GpuArray<f64> {
    of_places("hamming", count, &|place| 0.54 + 0.46 * (PI * place).cos()).or_raise()
}

/// The window of Blackman, the sum of two cosines, in `count` samples: NumPy's
/// `np.blackman`.
///
/// ```
/// use gpurepl_prelude::*;
/// assert!(allclose(&array::blackman(5), &gpu![0.0, 0.34, 1.0, 0.34, 0.0]));
/// ```
///
/// # Panics
///
/// As [`bartlett`].
#[track_caller]
pub fn blackman(count: usize) -> GpuArray<f64> {
    let weights = |place: GpuArray<f64>| 0.42 + 0.5 * (PI * &place).cos() + 0.08 * (2.0 * PI * &place).cos();
    of_places("blackman", count, &weights).or_raise()
}

/// The window of Kaiser in `count` samples, the narrower the greater `beta` is:
/// NumPy's `np.kaiser`. 0 gives ones, 5 about [`hamming`], 8.6 about [`blackman`].
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(array::kaiser(4, 0).to_vec(), [1.0; 4]);
/// ```
///
/// # Panics
///
/// As [`bartlett`].
#[track_caller]
pub fn kaiser(count: usize, beta: impl Into<f64>) -> GpuArray<f64> {
    let beta = beta.into();
    let weights = |place: GpuArray<f64>| {
        let whole = GpuArray::wrap(filled(Shape::SCALAR, f64::DTYPE, Some(beta.to_scalar())).or_raise());
        (beta * (1.0 - &place * &place).sqrt()).i0() / GpuArray::<f64>::i0(&whole)
    };
    of_places("kaiser", count, &weights).or_raise()
}

/// Weights of places from -1 to 1; of one sample it is 1.
fn of_places(
    operation: &'static str,
    count: usize,
    weights: &dyn Fn(GpuArray<f64>) -> GpuArray<f64>,
) -> Result<GpuArray<f64>> {
    if count == 1 {
        return Ok(GpuArray::wrap(filled(Shape::new(&[1]), f64::DTYPE, Some(constant(f64::DTYPE, 1)))?));
    }
    let whole = i64::try_from(count).ok().filter(|count| *count < 1 << 52).ok_or_else(|| {
        let message = format!("{count} samples are more than double precision counts");
        Problem::Invalid { operation, message }
    })?;
    // Whole numbers first, as NumPy: both halves are mirror images, bit for bit.
    let (start, end, step) = (1 - whole..whole).by(2).limits();
    let places = GpuArray::<i64>::wrap(arranged(i64::DTYPE, start, end, step)?);
    Ok(weights(&places / (whole - 1) as f64))
}
