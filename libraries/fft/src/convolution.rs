//! Convolution by transforms.

use gpurepl_extend::{AnyArray, GpuArray, Result, error};

use crate::options::Norm;
use crate::signal::Signal;
use crate::{next_fast_len, options};

/// Which part of a convolution is wanted: SciPy's `mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Every place where the arrays overlap.
    #[default]
    Full,
    /// As many elements as the first array, from the middle.
    Same,
    /// The places where the second array lies within the first one.
    Valid,
}

/// The convolution of two arrays along all axes, by transforms: `scipy.signal.fftconvolve(a, b, mode)`. Its work
/// grows with the number of elements, where that of `a.convolve(&b)` grows with the product of both lengths.
///
/// ```
/// use gpurepl_prelude::*;
/// # extend::provide("fft", gpurepl_fft_host::gpurepl_plugin)?;
/// let image = rand::<f32>((512, 512));
/// let blur = full((31, 31), 1.0 / 961.0_f32);
/// let blurred = fft::fftconvolve(&image, &blur, fft::Mode::Same)?;
/// assert_eq!(blurred.shape(), [512, 512]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If the arrays have different numbers of axes, one has no element, the second one does not lie within the first
/// ([`Mode::Valid`]), or as [`fftn`](crate::fftn).
pub fn fftconvolve<T: Convolved>(
    a: &GpuArray<T>,
    b: &GpuArray<T>,
    mode: Mode,
) -> Result<GpuArray<T::Product>> {
    let (of_a, of_b) = (a.shape().to_vec(), b.shape().to_vec());
    let shape = |message: String| error::shape("fftconvolve", message);
    if of_a.len() != of_b.len() {
        return Err(shape(format!("shapes {of_a:?} and {of_b:?} have different numbers of axes")));
    }
    if of_a.is_empty() {
        return Err(shape("numbers have no axes to convolve along; multiply them".to_owned()));
    }
    if of_a.contains(&0) || of_b.contains(&0) {
        return Err(shape(format!(
            "shapes {of_a:?} and {of_b:?}: an array without elements has no convolution"
        )));
    }
    if mode == Mode::Valid && of_a.iter().zip(&of_b).any(|(a, b)| b > a) {
        return Err(shape(format!("an array of shape {of_b:?} does not lie within one of shape {of_a:?}")));
    }
    let full: Vec<usize> = of_a.iter().zip(&of_b).map(|(a, b)| a + b - 1).collect();
    let lengths: Vec<usize> = full.iter().map(|length| next_fast_len(*length)).collect();
    let mut whole = AnyArray::of(&T::product(a, b, &lengths)?);
    for (axis, ((a, b), full)) in of_a.iter().zip(&of_b).zip(&full).enumerate() {
        let (start, length) = match mode {
            Mode::Full => (0, *full),
            Mode::Same => ((full - a) / 2, *a),
            Mode::Valid => (b - 1, a - b + 1),
        };
        whole = whole.narrowed(axis, start, length)?;
    }
    whole.typed()
}

/// A type of elements that are convolved.
pub trait Convolved: Signal {
    /// The type of the result's elements.
    type Product: gpurepl_extend::Elem;

    /// The product of both transforms, transformed back.
    #[doc(hidden)]
    fn product(a: &GpuArray<Self>, b: &GpuArray<Self>, lengths: &[usize]) -> Result<GpuArray<Self::Product>>;
}

macro_rules! convolved {
    ($($product:ident, $forward:ident, $backward:ident: $($t:ty)*;)*) => {$($(
        impl Convolved for $t {
            type Product = <$t as Signal>::$product;

            fn product(a: &GpuArray<$t>, b: &GpuArray<$t>, lengths: &[usize]) -> Result<GpuArray<Self::Product>> {
                let options = options().s(lengths.iter().copied()).norm(Norm::Backward);
                let product = options.$forward(a)? * options.$forward(b)?;
                options.$backward(&product)
            }
        }
    )*)*};
}
convolved! {
    Samples, rfftn, irfftn: f32 f64;
    Spectrum, fftn, ifftn: num_complex::Complex<f32> num_complex::Complex<f64>;
}
