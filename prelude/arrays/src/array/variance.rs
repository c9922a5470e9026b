//! Variances and standard deviations.
//!
//! Two passes: the mean, and the mean of the squares of what differs from it,
//! which loses nothing where the mean is large beside the deviations (T. F.
//! Chan, G. H. Golub and R. J. LeVeque, "Algorithms for Computing the Sample
//! Variance", 1983). Half precision is computed in single precision.
//!
//! Single precision is computed in double precision, in one pass: the sums of what
//! differs from the first element, and of its squares. What is lost is at most the
//! number of elements times as much as double precision rounds, because no element
//! is further from the mean than the root of that number times the deviation; so
//! 2²⁸ of them leave more digits than single precision has.

use gpurepl_kernels::{BinaryOp, DType, ReduceOp, UnaryOp};

use super::over::Over;
use super::raw::Raw;
use super::{Elem, GpuArray};
use crate::error::{OrRaise as _, Result};
use crate::scalar::Scalar;
use crate::shape::{Dims, IntoShape};

/// The type of variances: real, and a float.
pub(super) type Variance<T> = <<T as Elem>::Real as Elem>::Quotient;

/// Variances and standard deviations. Of complex numbers they are real.
///
/// `ddof` is NumPy's: the squares are divided by the number of elements less
/// `ddof`, which is 0 where it is not given, and 1 for the variance of a sample.
/// Where there are no more elements than `ddof`, the result is NaN or infinite, as in NumPy.
///
/// They panic with an [`Error`](crate::Error) if there is no such axis, there
/// are no elements or the device reports an error.
impl<T: Elem> GpuArray<T> {
    /// The variance; of integers in double precision.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 2, 3, 4].var().item(), 1.25);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there are no elements.
    #[track_caller]
    pub fn var(&self) -> GpuArray<Variance<T>> {
        self.var_ddof(0)
    }

    /// The variance, with a divisor less by `ddof`: NumPy's `a.var(ddof=1)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1.0, 2.0, 3.0].var_ddof(1).item(), 1.0);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::var`].
    #[track_caller]
    pub fn var_ddof(&self, ddof: usize) -> GpuArray<Variance<T>> {
        GpuArray::wrap(VARIANCE.of(&self.raw, None, ddof, Variance::<T>::DTYPE).or_raise())
    }

    /// The variances along an axis.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[1, 2], [5, 2]].var_axis(0).to_vec(), [4.0, 0.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there is no such axis, or it is empty.
    #[track_caller]
    pub fn var_axis(&self, axes: impl IntoShape) -> GpuArray<Variance<T>> {
        self.var_axis_ddof(axes, 0)
    }

    /// The variances along an axis, with a divisor less by `ddof`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[1, 2], [5, 2]].var_axis_ddof(0, 1).to_vec(), [8.0, 0.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::var_axis`].
    #[track_caller]
    pub fn var_axis_ddof(&self, axes: impl IntoShape, ddof: usize) -> GpuArray<Variance<T>> {
        GpuArray::wrap(VARIANCE.of(&self.raw, Some(axes.into_dims()), ddof, Variance::<T>::DTYPE).or_raise())
    }

    /// The standard deviation: the square root of the variance.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1.0f32, 5.0].std().item(), 2.0);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::var`].
    #[track_caller]
    pub fn std(&self) -> GpuArray<Variance<T>> {
        self.std_ddof(0)
    }

    /// The standard deviation, with a divisor less by `ddof`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1.0, 2.0, 3.0].std_ddof(1).item(), 1.0);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::var`].
    #[track_caller]
    pub fn std_ddof(&self, ddof: usize) -> GpuArray<Variance<T>> {
        GpuArray::wrap(DEVIATION.of(&self.raw, None, ddof, Variance::<T>::DTYPE).or_raise())
    }

    /// The standard deviations along an axis.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[1, 2], [5, 2]].std_axis(0).to_vec(), [2.0, 0.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::var_axis`].
    #[track_caller]
    pub fn std_axis(&self, axes: impl IntoShape) -> GpuArray<Variance<T>> {
        self.std_axis_ddof(axes, 0)
    }

    /// The standard deviations along an axis, with a divisor less by `ddof`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[1, 2, 3], [5, 5, 5]].std_axis_ddof(1, 1).to_vec(), [1.0, 0.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::var_axis`].
    #[track_caller]
    pub fn std_axis_ddof(&self, axes: impl IntoShape, ddof: usize) -> GpuArray<Variance<T>> {
        GpuArray::wrap(DEVIATION.of(&self.raw, Some(axes.into_dims()), ddof, Variance::<T>::DTYPE).or_raise())
    }
}

/// What is computed of the deviations from the mean.
pub(super) struct Spread {
    /// NumPy's name, for messages.
    name: &'static str,
    /// The name where NaN is left out.
    pub(super) nan_name: &'static str,
    is_root: bool,
}

pub(super) const VARIANCE: Spread = Spread { name: "var", nan_name: "nanvar", is_root: false };
pub(super) const DEVIATION: Spread = Spread { name: "std", nan_name: "nanstd", is_root: true };

impl Spread {
    /// Over some axes or all, in type `dtype`.
    pub(super) fn of(&self, raw: &Raw, axes: Option<Dims>, ddof: usize, dtype: DType) -> Result<Raw> {
        let over = Over::of(self.name, raw, axes)?;
        over.check_not_empty()?;
        if raw.dtype() == DType::Float32 {
            return self.of_singles(raw, &over, ddof, dtype);
        }
        let (raw, wide, count) = (raw.computed()?, Wide::of(raw.dtype()), over.count());
        let mean = wide.mean(&over.reduce(&raw, ReduceOp::Sum, wide.element)?, count)?;
        let mean = over.stretched(&mean)?;
        let sum = over.reduce(&wide.squares(&raw, &mean)?, ReduceOp::Sum, wide.real)?;
        self.finish(&sum, &wide, (count, ddof), dtype)
    }

    /// Of single precision, in one pass.
    fn of_singles(&self, raw: &Raw, over: &Over, ddof: usize, dtype: DType) -> Result<Raw> {
        let (raw, wide, count) = (raw.computed()?, Wide::of(raw.dtype()), over.count());
        let (real, pair) = (wide.real, DType::Complex128);
        let both = {
            let off = Raw::try_binary(BinaryOp::Subtract, &raw, &over.first(&raw)?, real, real)?;
            Raw::unary(UnaryOp::WithSquare, &off, real, pair)
        };
        let sums = over.reduce(&both, ReduceOp::Sum, pair)?;
        let part = |op| Raw::unary(op, &sums, pair, real);
        let sum = part(UnaryOp::Real);
        let of_the_mean = Raw::try_binary(BinaryOp::Multiply, &sum, &wide.mean(&sum, count)?, real, real)?;
        let squares = Raw::try_binary(BinaryOp::Subtract, &part(UnaryOp::Imag), &of_the_mean, real, real)?;
        // Rounding must not leave less than nothing; NaN stays.
        let squares = Raw::try_scalar(BinaryOp::Maximum, &squares, Scalar::Float(0.0), false, real, real)?;
        self.finish(&squares, &wide, (count, ddof), dtype)
    }

    /// From the sum of the squares.
    fn finish(&self, sum: &Raw, wide: &Wide, (count, ddof): (usize, usize), dtype: DType) -> Result<Raw> {
        // No less than zero, as in NumPy: the result is NaN or infinite then.
        let divisor = Scalar::Float(count.saturating_sub(ddof) as f64);
        let variance = Raw::try_scalar(BinaryOp::Divide, sum, divisor, false, wide.real, wide.real)?;
        Ok(self.rooted(variance, wide.real).cast(dtype))
    }

    /// A variance, or its square root.
    pub(super) fn rooted(&self, variance: Raw, real: DType) -> Raw {
        if self.is_root { Raw::unary(UnaryOp::Sqrt, &variance, real, real) } else { variance }
    }
}

/// The types that are computed in.
pub(super) struct Wide {
    /// Of the deviations.
    pub(super) element: DType,
    /// Of their squares.
    pub(super) real: DType,
}

impl Wide {
    pub(super) fn of(dtype: DType) -> Wide {
        match dtype {
            DType::Float16 => Wide { element: DType::Float32, real: DType::Float32 },
            _ if dtype.is_complex() => Wide { element: DType::Complex128, real: DType::Float64 },
            _ => Wide { element: DType::Float64, real: DType::Float64 },
        }
    }

    fn mean(&self, sum: &Raw, count: usize) -> Result<Raw> {
        let count = Scalar::Float(count as f64);
        Raw::try_scalar(BinaryOp::Divide, sum, count, false, self.element, self.element)
    }

    /// The squares of the deviations from a mean that broadcasts. Their parts
    /// are held by nothing else, so that they are one kernel.
    pub(super) fn squares(&self, raw: &Raw, mean: &Raw) -> Result<Raw> {
        let Wide { element, real } = *self;
        let off = Raw::try_binary(BinaryOp::Subtract, raw, mean, element, element)?;
        let square = |part: &Raw| Raw::try_binary(BinaryOp::Multiply, part, part, real, real);
        if !element.is_complex() {
            return square(&off);
        }
        let part = |op| square(&Raw::unary(op, &off, element, real));
        Raw::try_binary(BinaryOp::Add, &part(UnaryOp::Real)?, &part(UnaryOp::Imag)?, real, real)
    }
}
