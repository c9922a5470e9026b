//! Numbers of all elements: each rank reduces its rows, and all combine what the ranks have.

use gpurepl_extend::arrays::untyped;
use gpurepl_extend::{AnyArray, BinaryOp, Elem, GpuArray, Result, error};

use super::{DistArray, check_like};
use crate::call;

/// What each rank has made of its part, where it has one, from all ranks.
fn partials(local: Option<AnyArray>, dtype: gpurepl_extend::DType) -> Result<AnyArray> {
    let one = match local {
        Some(local) => local.reshaped(&[1])?,
        None => AnyArray::empty(0, dtype)?,
    };
    call::all_gather(&one)
}

impl<T: Elem> DistArray<T> {
    /// A number of this rank's rows, unless there are none.
    fn of_part<U: Elem>(&self, reduce: impl FnOnce(&GpuArray<T>) -> GpuArray<U>) -> Option<AnyArray> {
        (self.local.size() > 0).then(|| AnyArray::of(&reduce(&self.local)))
    }

    /// Refuses an array without elements, on all ranks alike.
    fn check_some(&self, operation: &'static str) -> Result<()> {
        if self.size() > 0 {
            return Ok(());
        }
        let message = "zero-size array to reduction operation which has no identity".to_owned();
        Err(error::invalid(operation, message))
    }

    /// The sum of all elements. Integers are summed as `i64` or `u64`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use distributed::DistArray;
    /// let a = DistArray::divide(&gpu![1, 2, 3])?;
    /// assert_eq!((a.sum()?, a.prod()?, a.min()?, a.max()?, a.mean()?), (6, 6, 1, 3, 2.0));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// Sums of floats are added in the order of ranks: with another number of them the last bits may differ.
    ///
    /// # Errors
    ///
    /// As [`all_gather`](crate::all_gather).
    pub fn sum(&self) -> Result<T::Sum> {
        let sums = partials(self.of_part(GpuArray::sum), T::Sum::DTYPE)?;
        AnyArray::of_raw(untyped::sum(sums.raw())?).typed::<T::Sum>()?.try_item()
    }

    /// The product of all elements.
    ///
    /// # Errors
    ///
    /// As [`DistArray::sum`].
    pub fn prod(&self) -> Result<T::Sum> {
        let products = partials(self.of_part(GpuArray::prod), T::Sum::DTYPE)?.typed::<T::Sum>()?;
        // The type of its own sums.
        AnyArray::of(&products.prod()).cast(T::Sum::DTYPE).typed::<T::Sum>()?.try_item()
    }

    /// The least element; NaN if there is one.
    ///
    /// # Errors
    ///
    /// As [`DistArray::sum`]; if there are no elements.
    pub fn min(&self) -> Result<T> {
        self.check_some("min")?;
        partials(self.of_part(GpuArray::min), T::DTYPE)?.typed::<T>()?.min().try_item()
    }

    /// The greatest element; NaN if there is one.
    ///
    /// # Errors
    ///
    /// As [`DistArray::min`].
    pub fn max(&self) -> Result<T> {
        self.check_some("max")?;
        partials(self.of_part(GpuArray::max), T::DTYPE)?.typed::<T>()?.max().try_item()
    }

    /// The mean of all elements.
    ///
    /// # Errors
    ///
    /// As [`DistArray::min`].
    pub fn mean(&self) -> Result<T::Quotient> {
        self.check_some("mean")?;
        let of_quotient = |a: &GpuArray<T>| AnyArray::of(a).cast(T::Quotient::DTYPE).typed::<T::Quotient>();
        let local =
            if self.local.size() > 0 { Some(AnyArray::of(&of_quotient(&self.local)?.sum())) } else { None };
        let sums = partials(local.map(|sum| sum.cast(T::Quotient::DTYPE)), T::Quotient::DTYPE)?;
        let sum = AnyArray::of_raw(untyped::sum(sums.raw())?);
        let size = AnyArray::given(&[self.size() as f64])?.reshaped(&[])?.cast(T::Quotient::DTYPE);
        let mean = untyped::binary(BinaryOp::Divide, sum.raw(), size.raw())?;
        AnyArray::of_raw(mean).cast(T::Quotient::DTYPE).typed::<T::Quotient>()?.try_item()
    }

    /// The square root of the sum of the squares of all absolute values.
    ///
    /// # Errors
    ///
    /// As [`DistArray::sum`].
    pub fn norm(&self) -> Result<<T::Real as Elem>::Quotient> {
        type Norm<T> = <<T as Elem>::Real as Elem>::Quotient;
        let norms = partials(self.of_part(GpuArray::norm), Norm::<T>::DTYPE)?;
        let squares = untyped::product(norms.raw(), norms.raw())?;
        let norm = AnyArray::of_raw(untyped::square_root(&untyped::sum(&squares)?));
        norm.cast(Norm::<T>::DTYPE).typed::<Norm<T>>()?.try_item()
    }

    /// The sum of the products of two vectors' elements.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use distributed::DistArray;
    /// let a = DistArray::divide(&gpu![1.0, 2.0, 3.0])?;
    /// assert_eq!((a.dot(&a)?, a.norm()?), (14.0, 14_f64.sqrt()));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`DistArray::sum`]; if they are not vectors whose rows lie on the same ranks.
    pub fn dot(&self, other: &DistArray<T>) -> Result<T::Sum> {
        check_like("dot", &self.split, &other.split)?;
        if self.shape().len() != 1 || other.shape().len() != 1 {
            let message = format!(
                "shapes {:?} and {:?} are not those of two vectors; for matrices there is `matmul`",
                self.shape(),
                other.shape()
            );
            return Err(error::shape("dot", message));
        }
        let products = untyped::product(&self.local.raw, &other.local.raw)?;
        let local =
            if self.local.size() > 0 { Some(AnyArray::of_raw(untyped::sum(&products)?)) } else { None };
        let sums = partials(local.map(|sum| sum.cast(T::Sum::DTYPE)), T::Sum::DTYPE)?;
        AnyArray::of_raw(untyped::sum(sums.raw())?).cast(T::Sum::DTYPE).typed::<T::Sum>()?.try_item()
    }
}
