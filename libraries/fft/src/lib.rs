//! Fourier transforms, under the names of `numpy.fft`: on a GPU by cuFFT, on the host by the crates
//! rustfft and realfft.
//!
//! ```
//! use gpurepl_prelude::*;
//! # extend::provide("fft", gpurepl_fft_host::gpurepl_plugin)?;
//! let t = arange(0..1000) / 1000.0;
//! let signal = cumath::sin(&(2.0 * std::f64::consts::PI * 50.0 * &t));
//! let spectrum = fft::rfft(&signal)?;
//! let frequencies = fft::rfftfreq(1000, 1.0 / 1000.0);
//! let strongest = spectrum.abs().argmax().item();
//! assert_eq!(frequencies.slice(strongest).item(), 50.0);
//! # Ok::<(), Error>(())
//! ```
//!
//! `fft::fft(&x)?` transforms the last axis, `fft::fft2(&x)?` the last two, `fft::fftn(&x)?` all. Other axes,
//! lengths and factors are given before:
//! `fft::options().axis(0).n(1024).norm(fft::Norm::Ortho).fft(&x)?`.
//!
//! Real numbers of 64 bits, integers and `bool` give complex numbers of 128 bits, `f32` and `f16` those of 64.
#![warn(missing_docs)]

mod convolution;
mod cuda;
mod frequencies;
mod host;
mod options;
mod signal;
mod transform;

pub use convolution::{Convolved, Mode, fftconvolve};
pub use frequencies::{fftfreq, fftshift, fftshift_axes, ifftshift, ifftshift_axes, next_fast_len, rfftfreq};
pub use options::{Norm, Options};
pub use signal::{RealSignal, Signal};

use gpurepl_extend::{GpuArray, Result};

/// Options of a transform: axes, lengths, and which of a pair has the factor. See [`Options`].
///
/// ```
/// use gpurepl_prelude::*;
/// # extend::provide("fft", gpurepl_fft_host::gpurepl_plugin)?;
/// let x = rand::<f64>((8, 100));
/// let columns = fft::options().axis(0).fft(&x)?;
/// assert_eq!(columns.shape(), [8, 100]);
/// # Ok::<(), Error>(())
/// ```
pub fn options() -> Options {
    Options::default()
}

macro_rules! shells {
    ($($(#[$doc:meta])* $name:ident<$bound:ident> -> $out:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        ///
        /// If the array has too few axes or no element along one that is transformed, the device has
        /// no room, or what computes it is missing.
        pub fn $name<T: $bound>(x: &GpuArray<T>) -> Result<GpuArray<T::$out>> {
            options().$name(x)
        }
    )*};
}

shells! {
    /// The discrete Fourier transform along the last axis, element `k` being the sum of
    /// `x[j] * exp(-2*pi*i*j*k/n)`: `numpy.fft.fft`.
    fft<Signal> -> Spectrum;
    /// The inverse of [`fft()`], with the factor `1/n`: `numpy.fft.ifft`.
    ifft<Signal> -> Spectrum;
    /// The first `n/2 + 1` elements of the transform of real numbers along the last axis; the others are their
    /// conjugates: `numpy.fft.rfft`.
    rfft<RealSignal> -> Spectrum;
    /// The inverse of [`rfft`]: real numbers, `2*(m - 1)` of them for `m` elements; use `fft::options().n(n)`
    /// where `n` is odd: `numpy.fft.irfft`.
    irfft<Signal> -> Samples;
    /// The transform of elements whose other half is their conjugates, which is real: `numpy.fft.hfft`.
    hfft<Signal> -> Samples;
    /// The inverse of [`hfft`]: `numpy.fft.ihfft`.
    ihfft<RealSignal> -> Spectrum;
    /// The transform along the last two axes: `numpy.fft.fft2`.
    fft2<Signal> -> Spectrum;
    /// The inverse of [`fft2`]: `numpy.fft.ifft2`.
    ifft2<Signal> -> Spectrum;
    /// [`rfft`] along the last axis and [`fft()`] along the one before: `numpy.fft.rfft2`.
    rfft2<RealSignal> -> Spectrum;
    /// The inverse of [`rfft2`]: `numpy.fft.irfft2`.
    irfft2<Signal> -> Samples;
    /// The transform along all axes: `numpy.fft.fftn`.
    fftn<Signal> -> Spectrum;
    /// The inverse of [`fftn`]: `numpy.fft.ifftn`.
    ifftn<Signal> -> Spectrum;
    /// [`rfft`] along the last axis and [`fft()`] along all others: `numpy.fft.rfftn`.
    rfftn<RealSignal> -> Spectrum;
    /// The inverse of [`rfftn`]: `numpy.fft.irfftn`.
    irfftn<Signal> -> Samples;
}
