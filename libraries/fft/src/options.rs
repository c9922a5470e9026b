//! What a transform is told besides its array.

use gpurepl_extend::{AnyArray, DType, GpuArray, Result};

use crate::signal::{RealSignal, Signal};
use crate::transform::{Kind, Transform};

/// Which of a pair of transforms has the factor: NumPy's `norm`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Norm {
    /// The inverse has `1/n`.
    #[default]
    Backward,
    /// Both have `1/sqrt(n)`.
    Ortho,
    /// The forward transform has `1/n`.
    Forward,
}

impl Norm {
    fn swapped(self) -> Norm {
        match self {
            Norm::Backward => Norm::Forward,
            Norm::Ortho => Norm::Ortho,
            Norm::Forward => Norm::Backward,
        }
    }

    /// The factor of a transform of `n` elements.
    pub(crate) fn factor(self, n: f64, is_inverse: bool) -> f64 {
        match (self, is_inverse) {
            (Norm::Ortho, _) => 1.0 / n.sqrt(),
            (Norm::Backward, true) | (Norm::Forward, false) => 1.0 / n,
            (Norm::Backward, false) | (Norm::Forward, true) => 1.0,
        }
    }
}

/// Axes, lengths and the factor of a transform, in the order in which they are known:
/// `fft::options().axis(0).n(100).fft(&x)?`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    axes: Option<Vec<isize>>,
    lengths: Option<Vec<usize>>,
    norm: Norm,
}

impl Options {
    /// The axis to transform: -1 for the last one.
    #[must_use]
    pub fn axis(self, axis: isize) -> Options {
        self.axes([axis])
    }

    /// The axes to transform, the last of which is the one that [`rfftn`](Options::rfftn) halves.
    #[must_use]
    pub fn axes(self, axes: impl IntoIterator<Item = isize>) -> Options {
        Options { axes: Some(axes.into_iter().collect()), ..self }
    }

    /// How many elements of the axis are transformed: the first ones, with zeros behind those that
    /// there are. Of [`irfft`](Options::irfft) and [`hfft`](Options::hfft) it is the length of the result.
    #[must_use]
    pub fn n(self, n: usize) -> Options {
        self.s([n])
    }

    /// [`Options::n`] for each of several axes: the last ones, if none are named.
    #[must_use]
    pub fn s(self, lengths: impl IntoIterator<Item = usize>) -> Options {
        Options { lengths: Some(lengths.into_iter().collect()), ..self }
    }

    /// Which of a pair of transforms has the factor.
    #[must_use]
    pub fn norm(self, norm: Norm) -> Options {
        Options { norm, ..self }
    }

    fn run(
        &self,
        x: AnyArray,
        name: &'static str,
        kind: Kind,
        is_inverse: bool,
        axes: DefaultAxes,
    ) -> Result<AnyArray> {
        let known =
            Known { name, axes: self.axes.as_deref(), lengths: self.lengths.as_deref(), norm: self.norm };
        Transform::new(&x, known, kind, is_inverse, axes)?.of(x)
    }
}

/// The options as a transform reads them.
pub(crate) struct Known<'a> {
    pub name: &'static str,
    pub axes: Option<&'a [isize]>,
    pub lengths: Option<&'a [usize]>,
    pub norm: Norm,
}

/// Which axes are transformed if none are named.
#[derive(Clone, Copy)]
pub(crate) enum DefaultAxes {
    /// So many at the end.
    Last(usize),
    /// All, or as many at the end as there are lengths.
    All,
}

/// The complex type of a transform of these elements.
fn complex_of(dtype: DType) -> DType {
    match dtype {
        DType::Float16 | DType::Float32 | DType::Complex64 => DType::Complex64,
        _ => DType::Complex128,
    }
}

fn real_of(dtype: DType) -> DType {
    if complex_of(dtype) == DType::Complex64 { DType::Float32 } else { DType::Float64 }
}

fn complex<T: Signal>(x: &GpuArray<T>) -> AnyArray {
    AnyArray::of(x).cast(complex_of(T::DTYPE))
}

fn real<T: RealSignal>(x: &GpuArray<T>) -> AnyArray {
    AnyArray::of(x).cast(real_of(T::DTYPE))
}

macro_rules! transforms {
    ($($name:ident<$bound:ident> -> $out:ident, $input:ident, $kind:ident, $inverse:literal, $axes:expr;)*) => {$(
        #[doc = concat!("[`", stringify!($name), "`](crate::", stringify!($name), "()) with these options.")]
        ///
        /// # Errors
        ///
        /// If the array does not have the axes, an axis is named twice, there are more or fewer lengths than
        /// axes, no element is to be transformed, the device has no room, or what computes it is missing.
        pub fn $name<T: $bound>(&self, x: &GpuArray<T>) -> Result<GpuArray<T::$out>> {
            self.run($input(x), stringify!($name), Kind::$kind, $inverse, $axes)?.typed()
        }
    )*};
}

/// The transforms, under the names of `numpy.fft`.
impl Options {
    transforms! {
        fft<Signal> -> Spectrum, complex, Complex, false, DefaultAxes::Last(1);
        ifft<Signal> -> Spectrum, complex, Complex, true, DefaultAxes::Last(1);
        rfft<RealSignal> -> Spectrum, real, FromReal, false, DefaultAxes::Last(1);
        irfft<Signal> -> Samples, complex, ToReal, true, DefaultAxes::Last(1);
        fft2<Signal> -> Spectrum, complex, Complex, false, DefaultAxes::Last(2);
        ifft2<Signal> -> Spectrum, complex, Complex, true, DefaultAxes::Last(2);
        rfft2<RealSignal> -> Spectrum, real, FromReal, false, DefaultAxes::Last(2);
        irfft2<Signal> -> Samples, complex, ToReal, true, DefaultAxes::Last(2);
        fftn<Signal> -> Spectrum, complex, Complex, false, DefaultAxes::All;
        ifftn<Signal> -> Spectrum, complex, Complex, true, DefaultAxes::All;
        rfftn<RealSignal> -> Spectrum, real, FromReal, false, DefaultAxes::All;
        irfftn<Signal> -> Samples, complex, ToReal, true, DefaultAxes::All;
    }

    /// [`hfft`](crate::hfft) with these options.
    ///
    /// # Errors
    ///
    /// As [`Options::irfft`].
    pub fn hfft<T: Signal>(&self, x: &GpuArray<T>) -> Result<GpuArray<T::Samples>> {
        // As NumPy computes it: the inverse of the conjugates, whose factor is the other one's.
        let swapped = self.clone().norm(self.norm.swapped());
        swapped.run(complex(x).conjugated(), "hfft", Kind::ToReal, true, DefaultAxes::Last(1))?.typed()
    }

    /// [`ihfft`](crate::ihfft) with these options.
    ///
    /// # Errors
    ///
    /// As [`Options::rfft`].
    pub fn ihfft<T: RealSignal>(&self, x: &GpuArray<T>) -> Result<GpuArray<T::Spectrum>> {
        let swapped = self.clone().norm(self.norm.swapped());
        let spectrum = swapped.run(real(x), "ihfft", Kind::FromReal, false, DefaultAxes::Last(1))?;
        spectrum.conjugated().typed()
    }
}
