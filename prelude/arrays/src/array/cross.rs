//! Cross products of vectors in space and in the plane.

use gpurepl_kernels::{BinaryOp, DType, UnaryOp};

use super::axis::axis_of;
use super::differences::part;
use super::raw::Raw;
use super::{Elem, GpuArray, Promote, ToGpu, join, layout};
use crate::error::{OrRaise as _, Problem, Result};
use crate::shape::IntoShape as _;

/// Cross products.
impl<T: Elem> GpuArray<T> {
    /// The cross products of the vectors along the last axes, of 2 or 3 elements;
    /// the axes before are broadcast. A vector of 2 elements lies in the plane. Of
    /// two of them the product is its third element alone: NumPy's `np.cross(a, b)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 2, 3].cross(&gpu![4, 5, 6]).to_vec(), [-3, 6, -3]);
    /// assert_eq!(gpu![1, 2].cross(&gpu![4, 5]).item(), -3);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the last axes are of other lengths, the
    /// others do not broadcast, or the device reports an error.
    #[track_caller]
    pub fn cross<U: Elem>(&self, other: impl ToGpu<Elem = U>) -> GpuArray<<T as Promote<U>>::Out>
    where
        T: Promote<U>,
    {
        GpuArray::wrap(cross(&self.raw, &other.upload().or_raise(), T::Out::DTYPE).or_raise())
    }

    /// The cross products of the vectors along an axis of both arrays, which is
    /// that axis of the answer: NumPy's `np.cross(a, b, axis=0)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![[1, 0], [0, 1], [0, 0]];
    /// assert_eq!(a.cross_axis(&gpu![[0, 0], [1, 0], [0, 1]], 0).to_vec(), [0, 1, 0, 0, 1, 0]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::cross`], or if there is no such axis.
    #[track_caller]
    pub fn cross_axis<U: Elem>(
        &self,
        other: impl ToGpu<Elem = U>,
        axis: isize,
    ) -> GpuArray<<T as Promote<U>>::Out>
    where
        T: Promote<U>,
    {
        GpuArray::wrap(cross_along(&self.raw, &other.upload().or_raise(), axis, T::Out::DTYPE).or_raise())
    }
}

/// Vectors along the last axis, of 2 or 3 elements.
struct Vectors {
    raw: Raw,
    length: usize,
}

impl Vectors {
    fn of(raw: &Raw, other: &Raw, dtype: DType) -> Result<Vectors> {
        match raw.lengths().last() {
            Some(length @ (2 | 3)) => Ok(Vectors { length: *length, raw: raw.cast(dtype).computed()? }),
            _ => {
                // NumPy's words.
                let message = format!(
                    "incompatible vector dimensions for cross product, 2 or 3 are needed: shapes {:?} and {:?}",
                    raw.shape(),
                    other.shape()
                );
                Err(Problem::Shape { operation: "cross", message }.into())
            }
        }
    }

    /// One element of each vector, as an axis of length 1; none is zero.
    fn element(&self, number: usize) -> Result<Option<Raw>> {
        let axis = self.raw.shape().rank() - 1;
        (number < self.length).then(|| part(&self.raw, axis, number, 1)).transpose()
    }
}

fn cross(a: &Raw, b: &Raw, dtype: DType) -> Result<Raw> {
    super::rules::check_defined(BinaryOp::Subtract, dtype)?;
    let before = |raw: &Raw| raw.shape().without(raw.shape().rank().saturating_sub(1));
    if a.shape().rank() > 0 && b.shape().rank() > 0 && before(a).broadcast(before(b), "cross").is_err() {
        let message =
            format!("shapes {:?} and {:?} do not broadcast before their last axes", a.shape(), b.shape());
        return Err(Problem::Shape { operation: "cross", message }.into());
    }
    let (a, b) = (Vectors::of(a, b, dtype)?, Vectors::of(b, a, dtype)?);
    let times = |i, j| -> Result<Option<Raw>> {
        let (Some(x), Some(y)) = (a.element(i)?, b.element(j)?) else { return Ok(None) };
        Raw::try_binary(BinaryOp::Multiply, &x, &y, dtype, dtype).map(Some)
    };
    let component = |i, j| -> Result<Raw> {
        match (times(i, j)?, times(j, i)?) {
            (Some(x), Some(y)) => Raw::try_binary(BinaryOp::Subtract, &x, &y, dtype, dtype),
            (Some(x), None) => Ok(x),
            (None, Some(y)) => Ok(Raw::unary(UnaryOp::Negative, &y, dtype, dtype)),
            (None, None) => unreachable!("one of both vectors has three elements"),
        }
    };
    let third = component(0, 1)?;
    if (a.length, b.length) == (2, 2) {
        let shape = third.shape();
        return third.reshaped(shape.without(shape.rank() - 1));
    }
    join::joined("cross", &[component(1, 2)?, component(2, 0)?, third], dtype, -1)
}

fn cross_along(a: &Raw, b: &Raw, axis: isize, dtype: DType) -> Result<Raw> {
    let last = |raw: &Raw| -> Result<Raw> {
        let from = axis_of("cross", raw.shape(), axis)?;
        layout::moved(raw, from.into_dims(), (-1_i64).into_dims())
    };
    let (a, b) = (last(a)?, last(b)?);
    let product = cross(&a, &b, dtype)?;
    if a.lengths().last() == Some(&2) && b.lengths().last() == Some(&2) {
        return Ok(product);
    }
    layout::moved(&product, (-1_i64).into_dims(), (axis as i64).into_dims())
}
