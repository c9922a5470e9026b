//! Numbers of all elements: each rank reduces its rows, and all combine what the ranks have.

use gpurepl_extend::arrays::untyped;
use gpurepl_extend::group::Function;
use gpurepl_extend::{AnyArray, BinaryOp, DType, Elem, Error, Result, error};

use super::{DistArray, check_like};
use crate::call;

impl<T: Elem> DistArray<T> {
    /// What each rank has made of its part, where it has elements, from all ranks.
    fn partials(
        &self,
        function: Function,
        dtype: DType,
        reduce: impl FnOnce(&AnyArray) -> Result<AnyArray>,
    ) -> Result<AnyArray> {
        let local = AnyArray::of(self.local());
        let one = match self.local().size() {
            0 => local.context()?.scope(|| AnyArray::empty(0, dtype))??,
            _ => reduce(&local)?.cast(dtype).reshaped(&[1])?,
        };
        call::all_gather_for(self.split().call(function), &one)
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
    /// let a = DistArray::from_whole(&gpu![i64; 1, 2, 3])?;
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
        let wide = wide(T::Sum::DTYPE);
        number(self.partials(Function::Sum, wide, |a| sum_of(&a.cast(wide)))?, sum_of)
    }

    /// The product of all elements.
    ///
    /// # Errors
    ///
    /// As [`DistArray::sum`].
    pub fn prod(&self) -> Result<T::Sum> {
        let product = |_: &AnyArray| Ok(AnyArray::of(&self.local().prod()));
        let all = self.partials(Function::Prod, T::Sum::DTYPE, product)?.typed::<T::Sum>()?;
        number(AnyArray::of(&all), |_| Ok(AnyArray::of(&all.prod())))
    }

    /// The least element; NaN if there is one.
    ///
    /// # Errors
    ///
    /// As [`DistArray::sum`]; if there are no elements.
    pub fn min(&self) -> Result<T> {
        self.check_some("min")?;
        let least = |_: &AnyArray| Ok(AnyArray::of(&self.local().min()));
        self.partials(Function::Min, T::DTYPE, least)?.typed::<T>()?.min().try_item()
    }

    /// The greatest element; NaN if there is one.
    ///
    /// # Errors
    ///
    /// As [`DistArray::min`].
    pub fn max(&self) -> Result<T> {
        self.check_some("max")?;
        let greatest = |_: &AnyArray| Ok(AnyArray::of(&self.local().max()));
        self.partials(Function::Max, T::DTYPE, greatest)?.typed::<T>()?.max().try_item()
    }

    /// The mean of all elements.
    ///
    /// # Errors
    ///
    /// As [`DistArray::min`].
    pub fn mean(&self) -> Result<T::Quotient> {
        self.check_some("mean")?;
        let wide = wide(T::Quotient::DTYPE);
        let size = AnyArray::given(&[self.size() as f64])?.reshaped(&[])?.cast(wide);
        let sums = self.partials(Function::Mean, wide, |a| sum_of(&a.cast(wide)))?;
        number(sums, |sums| {
            untyped::binary(BinaryOp::Divide, sum_of(sums)?.raw(), size.raw()).map(AnyArray::of_raw)
        })
    }

    /// The variance of all elements: the mean of the squares of their distances from the mean.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use distributed::DistArray;
    /// let a = DistArray::from_whole(&gpu![f64; 1.0, 2.0, 3.0, 4.0])?;
    /// assert_eq!((a.var()?, a.std()?), (1.25, 1.25_f64.sqrt()));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`DistArray::min`].
    pub fn var(&self) -> Result<<T::Real as Elem>::Quotient> {
        number(self.variance("var")?, |variance| Ok(variance.clone()))
    }

    /// The standard deviation of all elements: the square root of the variance.
    ///
    /// # Errors
    ///
    /// As [`DistArray::min`].
    pub fn std(&self) -> Result<<T::Real as Elem>::Quotient> {
        let root = |variance: &AnyArray| Ok(AnyArray::of_raw(untyped::square_root(variance.raw())));
        number(self.variance("std")?, root)
    }

    /// The variance of all elements, in an array without axes.
    fn variance(&self, operation: &'static str) -> Result<AnyArray> {
        self.check_some(operation)?;
        let [wide, real] = [T::Quotient::DTYPE, <T::Real as Elem>::Quotient::DTYPE].map(wide);
        let size = |dtype| Ok::<_, Error>(AnyArray::given(&[self.size() as f64])?.reshaped(&[])?.cast(dtype));
        let binary =
            |op, a: &AnyArray, b: &AnyArray| Ok(AnyArray::of_raw(untyped::binary(op, a.raw(), b.raw())?));
        let sums = self.partials(Function::Var, wide, |a| sum_of(&a.cast(wide)))?;
        let mean = binary(BinaryOp::Divide, &sum_of(&sums)?, &size(wide)?)?;
        let squares = self.partials(Function::Var, real, |a| {
            let distances = binary(BinaryOp::Subtract, &a.cast(wide), &mean)?;
            sum_of(&binary(BinaryOp::Multiply, &distances, &distances.conjugated())?.real_part())
        })?;
        binary(BinaryOp::Divide, &sum_of(&squares)?, &size(real)?)
    }

    /// The square root of the sum of the squares of all absolute values.
    ///
    /// # Errors
    ///
    /// As [`DistArray::sum`].
    pub fn norm(&self) -> Result<<T::Real as Elem>::Quotient> {
        let wide = wide(<T::Real as Elem>::Quotient::DTYPE);
        let norms = self.partials(Function::Norm, wide, |a| match T::DTYPE {
            DType::Float16 => Ok(AnyArray::of(&a.cast(DType::Float32).typed::<f32>()?.norm())),
            _ => Ok(AnyArray::of(&self.local().norm())),
        })?;
        number(norms, |norms| {
            let squares = untyped::binary(BinaryOp::Multiply, norms.raw(), norms.raw())?;
            Ok(AnyArray::of_raw(untyped::square_root(&untyped::sum(&squares)?)))
        })
    }

    /// The sum of the products of two vectors' elements.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use distributed::DistArray;
    /// let a = DistArray::from_whole(&gpu![f64; 1.0, 2.0, 3.0])?;
    /// assert_eq!((a.dot(&a)?, a.norm()?), (14.0, 14_f64.sqrt()));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`DistArray::sum`]; if they are not vectors whose rows lie on the same ranks.
    pub fn dot(&self, other: &DistArray<T>) -> Result<T::Sum> {
        check_like("dot", self.split(), other.split())?;
        if self.shape().len() != 1 || other.shape().len() != 1 {
            let message = format!(
                "shapes {:?} and {:?} are not those of two vectors; for matrices there is `matmul`",
                self.shape(),
                other.shape()
            );
            return Err(error::shape("dot", message));
        }
        let wide = wide(T::Sum::DTYPE);
        let other = AnyArray::of(other.local()).cast(wide);
        let sums = self.partials(Function::Dot, wide, |a| {
            let products = untyped::binary(BinaryOp::Multiply, a.cast(wide).raw(), other.raw())?;
            sum_of(&AnyArray::of_raw(products))
        })?;
        number(sums, sum_of)
    }
}

/// A type in which numbers of another one are added: half precision has no room for it.
fn wide(dtype: DType) -> DType {
    if dtype == DType::Float16 { DType::Float32 } else { dtype }
}

fn sum_of(a: &AnyArray) -> Result<AnyArray> {
    untyped::sum(a.raw()).map(AnyArray::of_raw)
}

/// What is made of the numbers of all ranks, as one number.
fn number<T: Elem>(all: AnyArray, combine: impl FnOnce(&AnyArray) -> Result<AnyArray>) -> Result<T> {
    combine(&all)?.cast(T::DTYPE).reshaped(&[])?.typed::<T>()?.try_item()
}
