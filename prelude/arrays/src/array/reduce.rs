//! Many elements become one. Answers are arrays without axes, as in PyCUDA:
//! they stay on the device until `item()` reads them.

use gpurepl_kernels::{BinaryOp, DType, ReduceOp, UnaryOp};

use super::GpuArray;
use super::average::average;
use super::operators::Operand;
use super::over::{Over, accumulated};
use super::raw::Raw;
use super::rules::check_defined;
use crate::array::{Elem, Promote, ToGpu};
use crate::error::{OrRaise as _, Problem, Result};
use crate::scalar::Scalar;
use crate::shape::Dims;

/// Reductions over all elements.
///
/// They panic with an [`Error`](crate::Error) if there is no answer (the
/// maximum of no elements) or the device reports an error.
impl<T: Elem> GpuArray<T> {
    /// The sum. Integers are added in 64 bits, as in NumPy, so that a sum of
    /// many small ones does not wrap around.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![200u8, 100].sum().item(), 300u64);
    /// ```
    #[track_caller]
    pub fn sum(&self) -> GpuArray<T::Sum> {
        GpuArray::wrap(self.raw.reduce(ReduceOp::Sum, T::Sum::DTYPE))
    }

    /// The product, in the type of [`GpuArray::sum`].
    #[track_caller]
    pub fn prod(&self) -> GpuArray<T::Sum> {
        GpuArray::wrap(self.raw.reduce(ReduceOp::Product, T::Sum::DTYPE))
    }

    /// The largest element; NaN if there is one.
    #[track_caller]
    pub fn max(&self) -> GpuArray<T> {
        GpuArray::wrap(self.raw.reduce(ReduceOp::Maximum, T::DTYPE))
    }

    /// The smallest element; NaN if there is one.
    #[track_caller]
    pub fn min(&self) -> GpuArray<T> {
        GpuArray::wrap(self.raw.reduce(ReduceOp::Minimum, T::DTYPE))
    }

    /// The mean; of integers in double precision.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 2].mean().item(), 1.5);
    /// ```
    #[track_caller]
    pub fn mean(&self) -> GpuArray<T::Quotient> {
        GpuArray::wrap(mean(&self.raw, T::Quotient::DTYPE, None).or_raise())
    }

    /// The average, in which elements count as much as their weights say:
    /// NumPy's `np.average(a, weights=w)`. The weights have the array's shape.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 2, 6].average(gpu![1, 1, 2]).item(), 3.75);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the shapes differ, or weights sum to
    /// zero: that is looked at, so this waits for the device.
    #[track_caller]
    pub fn average<W: Operand<T::Quotient>>(&self, weights: W) -> GpuArray<W::Out> {
        GpuArray::wrap(average(&self.raw, weights.operand(), W::Out::DTYPE, None).or_raise())
    }

    /// How many elements are not zero; NaN is not zero.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![0, 5, 7].count_nonzero().item(), 2);
    /// ```
    #[track_caller]
    pub fn count_nonzero(&self) -> GpuArray<i64> {
        GpuArray::wrap(count_nonzero(&self.raw, None).or_raise())
    }

    /// The largest element less the smallest: NumPy's `np.ptp`. Booleans have
    /// no difference.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![4, 9, 2].ptp().item(), 7);
    /// ```
    #[track_caller]
    pub fn ptp(&self) -> GpuArray<T> {
        GpuArray::wrap(ptp(&self.raw, None).or_raise())
    }

    /// Whether any element is not zero.
    #[track_caller]
    pub fn any(&self) -> GpuArray<bool> {
        GpuArray::wrap(self.raw.reduce(ReduceOp::Any, DType::Bool))
    }

    /// Whether all elements are not zero.
    #[track_caller]
    pub fn all(&self) -> GpuArray<bool> {
        GpuArray::wrap(self.raw.reduce(ReduceOp::All, DType::Bool))
    }

    /// NumPy's `dot`: of two vectors the sum of their products, of matrices their
    /// product, as [`GpuArray::matmul`]; otherwise the last axis of this array is
    /// summed over with the last but one of the other. Integers are added in 64
    /// bits.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1.0, 2.0].dot(&gpu![3.0, 4.0]).item(), 11.0);
    /// assert_eq!(gpu![[1, 2], [3, 4]].dot(&gpu![1, 1]).to_vec(), [3i64, 7]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the lengths do not fit.
    #[track_caller]
    pub fn dot<U: Elem>(&self, other: impl ToGpu<Elem = U>) -> GpuArray<<<T as Promote<U>>::Out as Elem>::Sum>
    where
        T: Promote<U>,
    {
        GpuArray::wrap(
            dot(&self.raw, &other.upload().or_raise(), <<T as Promote<U>>::Out as Elem>::Sum::DTYPE)
                .or_raise(),
        )
    }

    /// The square root of the sum of squares.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![3.0, 4.0].norm().item(), 5.0);
    /// ```
    #[track_caller]
    pub fn norm(&self) -> GpuArray<<T::Real as Elem>::Quotient> {
        GpuArray::wrap(norm(&self.raw, <T::Real as Elem>::Quotient::DTYPE, None).or_raise())
    }
}

pub(super) fn mean(raw: &Raw, dtype: DType, axes: Option<Dims>) -> Result<Raw> {
    let over = Over::of("mean", raw, axes)?;
    over.check_not_empty()?;
    let wide = accumulated(dtype);
    let sum = over.reduce(raw, ReduceOp::Sum, wide)?;
    let count = Scalar::Float(over.count() as f64);
    Ok(Raw::try_scalar(BinaryOp::Divide, &sum, count, false, wide, wide)?.cast(dtype))
}

pub(super) fn count_nonzero(raw: &Raw, axes: Option<Dims>) -> Result<Raw> {
    Over::of("count_nonzero", raw, axes)?.reduce(&raw.cast(DType::Bool), ReduceOp::Sum, DType::Int64)
}

pub(super) fn ptp(raw: &Raw, axes: Option<Dims>) -> Result<Raw> {
    let (over, dtype) = (Over::of("ptp", raw, axes)?, raw.dtype());
    check_defined(BinaryOp::Subtract, dtype)?;
    if over.left().size() > 0 {
        over.check_not_empty()?;
    }
    let raw = raw.computed()?;
    let greatest = over.reduce(&raw, ReduceOp::Maximum, dtype)?;
    let least = over.reduce(&raw, ReduceOp::Minimum, dtype)?;
    Raw::try_binary(BinaryOp::Subtract, &greatest, &least, dtype, dtype)
}

fn dot(a: &Raw, b: &Raw, dtype: DType) -> Result<Raw> {
    if a.shape().rank() != 1 || b.shape().rank() != 1 {
        return super::products::dot(a, b, dtype);
    }
    if a.size() != b.size() {
        let message = format!("shapes {:?} and {:?} differ", a.shape(), b.shape());
        return Err(Problem::Shape { operation: "dot", message }.into());
    }
    let wide = accumulated(dtype);
    let products = Raw::try_binary(BinaryOp::Multiply, a, b, wide, wide)?;
    Ok(products.try_reduce(ReduceOp::Sum, wide)?.cast(dtype))
}

pub(super) fn norm(raw: &Raw, dtype: DType, axes: Option<Dims>) -> Result<Raw> {
    let over = Over::of("norm", raw, axes)?;
    let wide = accumulated(dtype);
    let operand = if raw.dtype().is_complex() { raw.dtype() } else { wide };
    let squares = {
        // Given back at once: what a handle holds is computed into memory.
        let sizes = Raw::unary(UnaryOp::Absolute, raw, operand, wide);
        Raw::try_binary(BinaryOp::Multiply, &sizes, &sizes, wide, wide)?
    };
    let sum = over.reduce(&squares, ReduceOp::Sum, wide)?;
    Ok(Raw::unary(UnaryOp::Sqrt, &sum, wide, wide).cast(dtype))
}
