//! What solvers multiply with.

use std::fmt;

use gpurepl_extend::{AnyArray, GpuArray, Result, error};

use crate::entry::{beside, returned};
use crate::factor::square;
use crate::number::Field;
use crate::{Coo, Csc, Csr, Dia, product};

/// A linear map of vectors: a sparse or a dense matrix, a preconditioner, or a closure by [`operator`].
pub trait LinearOperator<T: Field> {
    /// The numbers of rows and columns.
    fn shape(&self) -> [usize; 2];

    /// The product with a vector.
    ///
    /// # Errors
    ///
    /// The operator's own.
    fn apply(&self, x: &GpuArray<T>) -> Result<GpuArray<T>>;

    /// The product in memory that is given.
    #[doc(hidden)]
    fn apply_into(&self, x: &AnyArray, y: &mut AnyArray) -> Result<()> {
        let product = self.apply(&x.typed()?)?;
        if product.shape() != [self.shape()[0]] {
            let message = format!(
                "the operator of {} rows gave an array of shape {:?}; it must return [{}]",
                self.shape()[0],
                product.shape(),
                self.shape()[0]
            );
            return Err(error::shape("apply", message));
        }
        y.assign(&AnyArray::of(&product))
    }

    /// Of a diagonal operator its elements.
    #[doc(hidden)]
    fn diagonal_alone(&self) -> Option<AnyArray> {
        None
    }
}

impl<T: Field, L: LinearOperator<T> + ?Sized> LinearOperator<T> for &L {
    fn shape(&self) -> [usize; 2] {
        (**self).shape()
    }

    fn apply(&self, x: &GpuArray<T>) -> Result<GpuArray<T>> {
        (**self).apply(x)
    }

    fn apply_into(&self, x: &AnyArray, y: &mut AnyArray) -> Result<()> {
        (**self).apply_into(x, y)
    }

    fn diagonal_alone(&self) -> Option<AnyArray> {
        (**self).diagonal_alone()
    }
}

macro_rules! matrices {
    ($($format:ident)*) => {$(
        impl<T: Field> LinearOperator<T> for $format<T> {
            fn shape(&self) -> [usize; 2] {
                $format::shape(self)
            }

            fn apply(&self, x: &GpuArray<T>) -> Result<GpuArray<T>> {
                let x = AnyArray::of(x);
                beside(&x, || product::matmul("matmul", &self.by_rows()?, &x)?.typed())
            }

            fn apply_into(&self, x: &AnyArray, y: &mut AnyArray) -> Result<()> {
                product::checked_vector_into("matmul", &self.by_rows()?, x, y)
            }
        }
    )*};
}
matrices!(Csr Csc Coo);

impl<T: Field> LinearOperator<T> for Dia<T> {
    fn shape(&self) -> [usize; 2] {
        Dia::shape(self)
    }

    fn apply(&self, x: &GpuArray<T>) -> Result<GpuArray<T>> {
        let x = AnyArray::of(x);
        beside(&x, || self.vector(&x)?.typed())
    }

    fn apply_into(&self, x: &AnyArray, y: &mut AnyArray) -> Result<()> {
        self.vector_into(x, y)
    }
}

/// A dense matrix.
impl<T: Field> LinearOperator<T> for GpuArray<T> {
    fn shape(&self) -> [usize; 2] {
        match *GpuArray::shape(self) {
            [rows, columns] => [rows, columns],
            // No vector fits one that is no matrix: a column, which is not square.
            [rows] => [rows, 1],
            _ => [0, 1],
        }
    }

    fn apply(&self, x: &GpuArray<T>) -> Result<GpuArray<T>> {
        AnyArray::of(self).matmul(&AnyArray::of(x))?.typed()
    }
}

/// A closure as an operator: see [`operator`].
pub struct Closure<F> {
    rows: usize,
    map: F,
}

impl<F> fmt::Debug for Closure<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Closure(shape [{0}, {0}])", self.rows)
    }
}

/// A linear map of vectors of `n` elements, given as a closure: SciPy's `LinearOperator`. The vector that it is given is
/// the solver's own, which writes to it later: `x.copy()` keeps it.
///
/// ```
/// use gpurepl_prelude::*;
/// // The second difference, without a matrix.
/// let n = 50;
/// let zero = zeros::<f64>(1);
/// let minus_second = sparse::operator(n, |x: &GpuArray<f64>| {
///     let (left, right) = (concatenate((&zero, &x.slice(..n - 1))), concatenate((&x.slice(1..), &zero)));
///     Ok(2.0 * x - left - right)
/// });
/// let solution = sparse::cg(&minus_second, &ones::<f64>(n))?;
/// assert!(solution.is_converged());
/// # Ok::<(), Error>(())
/// ```
pub fn operator<T: Field, F: Fn(&GpuArray<T>) -> Result<GpuArray<T>>>(n: usize, map: F) -> Closure<F> {
    Closure { rows: n, map }
}

impl<T: Field, F: Fn(&GpuArray<T>) -> Result<GpuArray<T>>> LinearOperator<T> for Closure<F> {
    fn shape(&self) -> [usize; 2] {
        [self.rows, self.rows]
    }

    fn apply(&self, x: &GpuArray<T>) -> Result<GpuArray<T>> {
        (self.map)(x)
    }
}

/// An operator without its type, for solvers that are compiled once.
pub(crate) trait Apply {
    fn into(&self, x: &AnyArray, y: &mut AnyArray) -> Result<()>;

    fn diagonal(&self) -> Option<AnyArray>;
}

/// An operator that is known to be square.
pub(crate) struct Erased<'a, T>(&'a dyn LinearOperator<T>);

impl<'a, T: Field> Erased<'a, T> {
    pub(crate) fn new(
        operation: &'static str,
        operator: &'a dyn LinearOperator<T>,
    ) -> Result<(Erased<'a, T>, usize)> {
        let n = square(operation, operator.shape())?;
        Ok((Erased(operator), n))
    }

    fn n(&self) -> usize {
        self.0.shape()[0]
    }
}

impl<T: Field> Apply for Erased<'_, T> {
    fn into(&self, x: &AnyArray, y: &mut AnyArray) -> Result<()> {
        // What a user's operator raises is an error of the solver, an interrupt among them.
        returned(|| self.0.apply_into(x, y))?;
        // It may have put another array there, and kernels read as many elements as the operator has rows.
        if y.shape() == [self.n()] && y.dtype() == T::DTYPE && y.is_contiguous()? {
            return Ok(());
        }
        let message = format!("the operator left an array of {} and shape {:?}", y.dtype(), y.shape());
        Err(error::shape("apply_into", message))
    }

    fn diagonal(&self) -> Option<AnyArray> {
        let diagonal = self.0.diagonal_alone()?;
        let fits = diagonal.shape() == [self.n()] && diagonal.dtype() == T::DTYPE;
        if fits { diagonal.contiguous().ok() } else { None }
    }
}

/// The product in memory of its own.
pub(crate) fn applied(operator: &dyn Apply, x: &AnyArray) -> Result<AnyArray> {
    let mut y = AnyArray::empty(x.shape(), x.dtype())?;
    operator.into(x, &mut y)?;
    Ok(y)
}

/// The product with a preconditioner, if there is one.
pub(crate) fn conditioned(preconditioner: Option<&dyn Apply>, x: &AnyArray) -> Result<AnyArray> {
    preconditioner.map_or_else(|| Ok(x.clone()), |preconditioner| applied(preconditioner, x))
}
