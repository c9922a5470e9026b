//! Running sums, products and extremes.

use gpurepl_kernels::{DType, ReduceOp};

use super::axis::axis_of;
use super::nan::replaced;
use super::node::{Node, Place};
use super::over::accumulated;
use super::raw::Raw;
use super::{Elem, GpuArray, expression};
use crate::error::{OrRaise as _, Result};
use crate::scalar::Scalar;
use crate::shape::Shape;

/// Running sums, products and extremes: of all elements in C order, which gives
/// an array with one axis, or along an axis, in the array's shape. Negative axes
/// count from the last.
///
/// They panic with an [`Error`](crate::Error) if there is no such axis or the
/// device reports an error.
impl<T: Elem> GpuArray<T> {
    /// The running sums of all elements in C order, in the type of
    /// [`GpuArray::sum`]: an array with one axis.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[1, 2], [3, 4]].cumsum().to_vec(), [1i64, 3, 6, 10]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the device reports one.
    #[track_caller]
    pub fn cumsum(&self) -> GpuArray<T::Sum> {
        GpuArray::wrap(SUMS.of_all(&self.raw, T::Sum::DTYPE).or_raise())
    }

    /// The running sums along an axis, in the array's shape: NumPy's
    /// `a.cumsum(axis=0)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[1, 2], [3, 4]].cumsum_axis(0).to_vec(), [1i64, 2, 4, 6]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::sum_axis`].
    #[track_caller]
    pub fn cumsum_axis(&self, axis: isize) -> GpuArray<T::Sum> {
        GpuArray::wrap(SUMS.along(&self.raw, T::Sum::DTYPE, axis).or_raise())
    }

    /// The running products of all elements in C order, in the type of
    /// [`GpuArray::sum`].
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 2, 3, 4].cumprod().to_vec(), [1i64, 2, 6, 24]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::cumsum`].
    #[track_caller]
    pub fn cumprod(&self) -> GpuArray<T::Sum> {
        GpuArray::wrap(PRODUCTS.of_all(&self.raw, T::Sum::DTYPE).or_raise())
    }

    /// The running products along an axis.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[1, 2], [3, 4]].cumprod_axis(0).to_vec(), [1i64, 2, 3, 8]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::sum_axis`].
    #[track_caller]
    pub fn cumprod_axis(&self, axis: isize) -> GpuArray<T::Sum> {
        GpuArray::wrap(PRODUCTS.along(&self.raw, T::Sum::DTYPE, axis).or_raise())
    }

    /// The running sums of all elements, in which NaN counts as zero.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1.0, f64::NAN, 2.0].nancumsum().to_vec(), [1.0, 1.0, 3.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::cumsum`].
    #[track_caller]
    pub fn nancumsum(&self) -> GpuArray<T::Sum> {
        GpuArray::wrap(SUMS.without_nan(&self.raw, T::Sum::DTYPE, None).or_raise())
    }

    /// The running sums along an axis, in which NaN counts as zero.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::sum_axis`].
    #[track_caller]
    pub fn nancumsum_axis(&self, axis: isize) -> GpuArray<T::Sum> {
        GpuArray::wrap(SUMS.without_nan(&self.raw, T::Sum::DTYPE, Some(axis)).or_raise())
    }

    /// The running products of all elements, in which NaN counts as one.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::cumsum`].
    #[track_caller]
    pub fn nancumprod(&self) -> GpuArray<T::Sum> {
        GpuArray::wrap(PRODUCTS.without_nan(&self.raw, T::Sum::DTYPE, None).or_raise())
    }

    /// The running products along an axis, in which NaN counts as one.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::sum_axis`].
    #[track_caller]
    pub fn nancumprod_axis(&self, axis: isize) -> GpuArray<T::Sum> {
        GpuArray::wrap(PRODUCTS.without_nan(&self.raw, T::Sum::DTYPE, Some(axis)).or_raise())
    }

    /// The greatest of the elements up to each along an axis; NaN from the first
    /// NaN on: NumPy's `np.maximum.accumulate(a, axis=0)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![3, 1, 4, 1, 5].maximum_accumulate(0).to_vec(), [3, 3, 4, 4, 5]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::sum_axis`].
    #[track_caller]
    pub fn maximum_accumulate(&self, axis: isize) -> GpuArray<T> {
        GpuArray::wrap(GREATEST.along(&self.raw, T::DTYPE, axis).or_raise())
    }

    /// The least of the elements up to each along an axis; NaN from the first
    /// NaN on: NumPy's `np.minimum.accumulate(a, axis=0)`.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::sum_axis`].
    #[track_caller]
    pub fn minimum_accumulate(&self, axis: isize) -> GpuArray<T> {
        GpuArray::wrap(LEAST.along(&self.raw, T::DTYPE, axis).or_raise())
    }
}

/// A function of two that is repeated.
pub(super) struct Running {
    /// NumPy's name, for messages.
    name: &'static str,
    op: ReduceOp,
    /// What changes nothing, in the place of NaN.
    neutral: i64,
}

pub(super) const SUMS: Running = Running { name: "cumsum", op: ReduceOp::Sum, neutral: 0 };
const PRODUCTS: Running = Running { name: "cumprod", op: ReduceOp::Product, neutral: 1 };
const GREATEST: Running = Running { name: "maximum_accumulate", op: ReduceOp::Maximum, neutral: 0 };
const LEAST: Running = Running { name: "minimum_accumulate", op: ReduceOp::Minimum, neutral: 0 };

impl Running {
    /// Along an axis, in type `dtype`.
    pub(super) fn along(&self, raw: &Raw, dtype: DType, axis: isize) -> Result<Raw> {
        let (shape, wide) = (raw.shape(), accumulated(dtype));
        let axis = axis_of(self.name, shape, axis)?;
        let place = if shape.size() == 0 {
            let context = raw.context().map_or_else(crate::device::current, Ok)?;
            Place::within(context, shape, wide)?
        } else {
            expression::scan(&raw.node(), self.op, wide, axis)?
        };
        Ok(Raw::new(Node::ready(shape, wide, place)).cast(dtype))
    }

    /// Of all elements in C order.
    fn of_all(&self, raw: &Raw, dtype: DType) -> Result<Raw> {
        // An array of one axis need not be in memory for it.
        if raw.shape().rank() == 1 {
            return self.along(raw, dtype, 0);
        }
        self.along(&raw.reshaped(Shape::new(&[raw.size()]))?, dtype, 0)
    }

    fn without_nan(&self, raw: &Raw, dtype: DType, axis: Option<isize>) -> Result<Raw> {
        let raw = replaced(raw, Scalar::Int(self.neutral))?;
        axis.map_or_else(|| self.of_all(&raw, dtype), |axis| self.along(&raw, dtype, axis))
    }
}
