//! Fourier transforms of matrices, by transposition: what is not a row of a rank becomes one.

use gpurepl_extend::{GpuArray, Result};
use gpurepl_fft::{Signal, fft, ifft};

use super::DistArray;

/// The Fourier transform along both axes of a matrix: `numpy.fft.fft2`. Each rank transforms its rows, then the
/// columns, which [`DistArray::transpose`] has made rows.
///
/// ```
/// use gpurepl_prelude::*;
/// # extend::provide("fft", gpurepl_fft_host::gpurepl_plugin)?;
/// use distributed::DistArray;
/// let a = DistArray::<f64>::rand((16, 30))?;
/// let whole = fft::fft2(&a.all_gather()?)?;
/// assert!(allclose(&distributed::fft2(&a)?.all_gather()?.abs(), &whole.abs()));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// As [`DistArray::transpose`] and [`fft`](fn@gpurepl_fft::fft).
pub fn fft2<T: Signal>(a: &DistArray<T>) -> Result<DistArray<T::Spectrum>>
where
    T::Spectrum: Signal<Spectrum = T::Spectrum>,
{
    by_transposition(a, fft, fft)
}

/// The inverse of [`fft2`].
///
/// # Errors
///
/// As [`fft2`].
pub fn ifft2<T: Signal>(a: &DistArray<T>) -> Result<DistArray<T::Spectrum>>
where
    T::Spectrum: Signal<Spectrum = T::Spectrum>,
{
    by_transposition(a, ifft, ifft)
}

/// What makes a spectrum of each row.
type Rows<T> = fn(&GpuArray<T>) -> Result<GpuArray<<T as Signal>::Spectrum>>;

fn by_transposition<T: Signal>(
    a: &DistArray<T>,
    first: Rows<T>,
    second: Rows<T::Spectrum>,
) -> Result<DistArray<T::Spectrum>>
where
    T::Spectrum: Signal<Spectrum = T::Spectrum>,
{
    let rows = a.try_map(first)?;
    rows.transpose()?.try_map(second)?.transpose()
}
