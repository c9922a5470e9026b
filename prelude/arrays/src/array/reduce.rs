//! Many elements become one. Answers are arrays without axes, as in PyCUDA:
//! they stay on the device until `item()` reads them.

use gpurepl_kernels::{BinaryOp, DType, ReduceOp, UnaryOp};

use super::GpuArray;
use super::raw::Raw;
use crate::array::{Elem, Promote};
use crate::error::{OrRaise as _, Problem, Result};
use crate::scalar::Scalar;

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
        GpuArray::wrap(mean(&self.raw, T::Quotient::DTYPE).or_raise())
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

    /// The sum of products of two vectors of the same length. Integers are
    /// added in 64 bits.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1.0, 2.0].dot(&gpu![3.0, 4.0]).item(), 11.0);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if an array is not a vector, or their
    /// lengths differ. In NumPy `dot` of two matrices is their product, which
    /// is not available on the device yet; `a.get().dot(&b.get())` computes it
    /// on the host.
    #[track_caller]
    pub fn dot<U: Elem>(&self, other: &GpuArray<U>) -> GpuArray<<<T as Promote<U>>::Out as Elem>::Sum>
    where
        T: Promote<U>,
    {
        GpuArray::wrap(dot(&self.raw, &other.raw, <<T as Promote<U>>::Out as Elem>::Sum::DTYPE).or_raise())
    }

    /// The square root of the sum of squares.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![3.0, 4.0].norm().item(), 5.0);
    /// ```
    #[track_caller]
    pub fn norm(&self) -> GpuArray<<T::Real as Elem>::Quotient> {
        GpuArray::wrap(norm(&self.raw, <T::Real as Elem>::Quotient::DTYPE).or_raise())
    }
}

fn mean(raw: &Raw, dtype: DType) -> Result<Raw> {
    if raw.size() == 0 {
        let message = "an array of no elements has none".to_owned();
        return Err(Problem::Shape { operation: "mean", message }.into());
    }
    // Half precision cannot hold the sum of many.
    let wide = if dtype == DType::Float16 { DType::Float32 } else { dtype };
    let sum = raw.try_reduce(ReduceOp::Sum, wide)?;
    let count = Scalar::Float(raw.size() as f64);
    Ok(Raw::try_scalar(BinaryOp::Divide, &sum, count, false, wide, wide)?.cast(dtype))
}

fn dot(a: &Raw, b: &Raw, dtype: DType) -> Result<Raw> {
    let wrong = |message: String| Err(Problem::Shape { operation: "dot", message }.into());
    if a.shape().rank() != 1 || b.shape().rank() != 1 {
        return wrong(format!(
            "shapes {:?} and {:?} are not two vectors\n  = help: the product of matrices is not available on the \
             device yet; on the host: `a.get().dot(&b.get())`. The sum of the products of all elements is \
             `(&a * &b).sum()`",
            a.shape(),
            b.shape()
        ));
    }
    if a.size() != b.size() {
        return wrong(format!("shapes {:?} and {:?} differ", a.shape(), b.shape()));
    }
    let wide = if dtype == DType::Float16 { DType::Float32 } else { dtype };
    let products = Raw::try_binary(BinaryOp::Multiply, a, b, wide, wide)?;
    Ok(products.try_reduce(ReduceOp::Sum, wide)?.cast(dtype))
}

fn norm(raw: &Raw, dtype: DType) -> Result<Raw> {
    let wide = if dtype == DType::Float16 { DType::Float32 } else { dtype };
    let operand = if raw.dtype().is_complex() { raw.dtype() } else { wide };
    let squares = {
        // Given back at once: what a handle holds is computed into memory.
        let sizes = Raw::unary(UnaryOp::Absolute, raw, operand, wide);
        Raw::try_binary(BinaryOp::Multiply, &sizes, &sizes, wide, wide)?
    };
    let sum = squares.try_reduce(ReduceOp::Sum, wide)?;
    Ok(Raw::unary(UnaryOp::Sqrt, &sum, wide, wide).cast(dtype))
}
