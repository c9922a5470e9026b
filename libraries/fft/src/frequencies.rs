//! The frequencies that elements of a transform stand for, and the order that has zero in the middle.

use gpurepl_extend::{AnyArray, DType, Elem, GpuArray, Result, error};

fn array(values: impl Iterator<Item = f64>) -> GpuArray<f64> {
    let values: Vec<f64> = values.collect();
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
    let array = AnyArray::from_host(values.len(), DType::Float64, &bytes).and_then(|array| array.typed());
    array.unwrap_or_else(|error| error.raise())
}

#[track_caller]
fn check_count(operation: &'static str, n: usize) {
    if n == 0 {
        let message = "a transform of no elements has no frequencies; give 1 or more";
        error::invalid(operation, message.to_owned()).raise();
    }
}

/// The frequencies of the `n` elements of a transform, in cycles per unit of `d`, the distance of samples: zero,
/// the positive ones, then the negative ones: `numpy.fft.fftfreq(n, d)`.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(fft::fftfreq(5, 0.1).to_vec(), [0.0, 2.0, 4.0, -4.0, -2.0]);
/// ```
///
/// # Panics
///
/// With an [`Error`](gpurepl_extend::Error), if `n` is 0 or the device has no room.
#[track_caller]
pub fn fftfreq(n: usize, d: f64) -> GpuArray<f64> {
    check_count("fftfreq", n);
    let positive = n.div_ceil(2);
    let step = 1.0 / (n as f64 * d);
    array((0..n).map(|k| if k < positive { k as f64 * step } else { -((n - k) as f64) * step }))
}

/// The frequencies of the `n/2 + 1` elements of [`rfft`](crate::rfft): `numpy.fft.rfftfreq(n, d)`.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(fft::rfftfreq(4, 0.25).to_vec(), [0.0, 1.0, 2.0]);
/// ```
///
/// # Panics
///
/// As [`fftfreq`].
#[track_caller]
pub fn rfftfreq(n: usize, d: f64) -> GpuArray<f64> {
    check_count("rfftfreq", n);
    let step = 1.0 / (n as f64 * d);
    array((0..=n / 2).map(|k| k as f64 * step))
}

/// A length of at least `n` whose transform is fast, with the prime factors 2, 3, 5, 7 and 11 alone:
/// `scipy.fft.next_fast_len`.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!([fft::next_fast_len(93_059), fft::next_fast_len(128), fft::next_fast_len(0)], [93_170, 128, 1]);
/// ```
pub fn next_fast_len(n: usize) -> usize {
    let is_fast = |n: usize| {
        let rest = [2, 3, 5, 7, 11].into_iter().fold(n, |mut rest, factor| {
            while rest.is_multiple_of(factor) {
                rest /= factor;
            }
            rest
        });
        rest == 1
    };
    (n.max(1)..=usize::MAX).find(|n| is_fast(*n)).unwrap_or(n)
}

/// The elements in the order that has the frequency zero in the middle of each axis: `numpy.fft.fftshift`.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(fft::fftshift(&gpu![0, 1, 2, -2, -1])?.to_vec(), [-2, -1, 0, 1, 2]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If the device has no room.
pub fn fftshift<T: Elem>(x: &GpuArray<T>) -> Result<GpuArray<T>> {
    shifted("fftshift", AnyArray::of(x), None, false)?.typed()
}

/// The inverse of [`fftshift`]: `numpy.fft.ifftshift`.
///
/// # Errors
///
/// As [`fftshift`].
pub fn ifftshift<T: Elem>(x: &GpuArray<T>) -> Result<GpuArray<T>> {
    shifted("ifftshift", AnyArray::of(x), None, true)?.typed()
}

/// [`fftshift`] along some axes.
///
/// # Errors
///
/// As [`fftshift`], or if the array does not have an axis.
pub fn fftshift_axes<T: Elem>(x: &GpuArray<T>, axes: impl IntoIterator<Item = isize>) -> Result<GpuArray<T>> {
    shifted("fftshift_axes", AnyArray::of(x), Some(axes.into_iter().collect()), false)?.typed()
}

/// [`ifftshift`] along some axes.
///
/// # Errors
///
/// As [`fftshift_axes`].
pub fn ifftshift_axes<T: Elem>(
    x: &GpuArray<T>,
    axes: impl IntoIterator<Item = isize>,
) -> Result<GpuArray<T>> {
    shifted("ifftshift_axes", AnyArray::of(x), Some(axes.into_iter().collect()), true)?.typed()
}

fn shifted(
    operation: &'static str,
    x: AnyArray,
    axes: Option<Vec<isize>>,
    is_inverse: bool,
) -> Result<AnyArray> {
    let rank = x.shape().len();
    let axes = match axes {
        None => (0..rank).collect(),
        Some(axes) => {
            axes.into_iter().map(|axis| within(operation, axis, rank)).collect::<Result<Vec<usize>>>()?
        }
    };
    let mut x = x;
    for axis in axes {
        let length = x.shape()[axis];
        let by = if is_inverse { length.div_ceil(2) } else { length / 2 };
        x = x.rolled(axis, by)?;
    }
    Ok(x)
}

fn within(operation: &'static str, axis: isize, rank: usize) -> Result<usize> {
    let place = if axis < 0 { axis.checked_add_unsigned(rank) } else { Some(axis) };
    let place = place.and_then(|place| usize::try_from(place).ok()).filter(|place| *place < rank);
    // NumPy's words.
    let message = || format!("axis {axis} is out of bounds for array of dimension {rank}");
    place.ok_or_else(|| error::shape(operation, message()))
}
