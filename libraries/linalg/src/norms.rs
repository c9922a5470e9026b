//! Norms and condition numbers.

use gpurepl_extend::{AnyArray, Elem, GpuArray, Result, error};

use crate::factors::{self, Vectors};
use crate::number::{Field, Number, Reals};
use crate::shapes::matrices;
use crate::typed::Typed;

/// Which norm: NumPy's `ord`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Order {
    /// The root of the sum of squares of all elements of a matrix: NumPy's `"fro"`.
    Fro,
    /// The sum of the singular values: NumPy's `"nuc"`.
    Nuc,
    /// Of vectors the p-norm, with the greatest element for infinity and the number of elements that are not zero
    /// for 0. Of matrices: 1 the greatest sum of a column, 2 the greatest singular value, infinity the greatest sum of
    /// a row; -1, -2 and negative infinity the least.
    P(f64),
}

impl From<f64> for Order {
    fn from(p: f64) -> Order {
        Order::P(p)
    }
}

impl From<i32> for Order {
    fn from(p: i32) -> Order {
        Order::P(f64::from(p))
    }
}

/// The array in the type that it is computed in.
pub(crate) fn field<T: Number>(a: &GpuArray<T>) -> Result<GpuArray<T::Field>> {
    AnyArray::of(a).cast(<T::Field as Elem>::DTYPE).typed()
}

/// The norm of a vector, or of each matrix of a stack: `numpy.linalg.norm(a, ord)`.
///
/// ```
/// use gpurepl_prelude::*;
/// # extend::provide("linalg", gpurepl_linalg_host::gpurepl_plugin)?;
/// let a = gpu![[1.0, -2.0], [3.0, 4.0]];
/// assert_eq!(linalg::norm_order(&a, 1)?.item(), 6.0);
/// assert_eq!(linalg::norm_order(&a, f64::INFINITY)?.item(), 7.0);
/// assert_eq!(linalg::norm_order(&gpu![3.0, 4.0], 2)?.item(), 5.0);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If the array has no axis, or its matrices have no norm of this order.
pub fn norm_order<T: Number>(a: &GpuArray<T>, order: impl Into<Order>) -> Result<Reals<T>> {
    let (a, order) = (field(a)?, order.into());
    match (a.ndim(), order) {
        (0, _) => Err(error::shape("norm_order", "a number has no norm; take `abs`".to_owned())),
        (1, Order::P(p)) => Ok(<T::Field>::vector_norm(&a, p, &[0])),
        (1, _) => Err(error::invalid("norm_order", format!("a vector has no norm {order:?}; give a number"))),
        _ => of_matrices("norm_order", &a, order),
    }
}

/// The norm of vectors along an axis: `numpy.linalg.vector_norm(a, axis=axis, ord=ord)`.
///
/// # Errors
///
/// If the array does not have the axis.
pub fn vector_norm<T: Number>(a: &GpuArray<T>, order: impl Into<Order>, axis: isize) -> Result<Reals<T>> {
    let Order::P(p) = order.into() else {
        return Err(error::invalid(
            "vector_norm",
            "a vector has norms of numbers alone; give one".to_owned(),
        ));
    };
    let rank = a.ndim().cast_signed();
    if !(-rank..rank).contains(&axis) {
        // NumPy's words.
        let message = format!("axis {axis} is out of bounds for array of dimension {rank}");
        return Err(error::shape("vector_norm", message));
    }
    Ok(<T::Field>::vector_norm(&field(a)?, p, &[axis]))
}

/// The norm of the matrix, or of each matrix of a stack: `numpy.linalg.matrix_norm(a, ord=ord)`.
///
/// # Errors
///
/// If the array has less than two axes, or matrices have no norm of this order.
pub fn matrix_norm<T: Number>(a: &GpuArray<T>, order: impl Into<Order>) -> Result<Reals<T>> {
    of_matrices("matrix_norm", &field(a)?, order.into())
}

fn of_matrices<F: Field>(
    operation: &'static str,
    a: &GpuArray<F>,
    order: Order,
) -> Result<GpuArray<F::Real>> {
    let any = AnyArray::of(a);
    matrices(operation, &any)?;
    match order {
        Order::Nuc | Order::P(2.0 | -2.0) => {
            let (_, s, _) = factors::svd(operation, &any, Vectors::None)?;
            Ok(F::norm_of_values(&s.typed()?, order))
        }
        Order::Fro => Ok(F::matrix_norm(a, order)),
        Order::P(p) if p.abs() == 1.0 || p.abs() == f64::INFINITY => Ok(F::matrix_norm(a, order)),
        // NumPy's words.
        Order::P(p) => Err(error::invalid(
            operation,
            format!("Invalid norm order {p} for matrices; 1, 2, infinity, and their negatives are known"),
        )),
    }
}

/// The condition number of a matrix, or of each of a stack: the ratio of the greatest and the least singular value:
/// `numpy.linalg.cond`.
///
/// ```
/// use gpurepl_prelude::*;
/// # extend::provide("linalg", gpurepl_linalg_host::gpurepl_plugin)?;
/// assert!((linalg::cond(&gpu![[2.0_f64, 0.0], [0.0, 0.5]])?.item() - 4.0).abs() < 1e-14);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If the array has less than two axes, or the singular values are not found.
pub fn cond<T: Number>(a: &GpuArray<T>) -> Result<Reals<T>> {
    let (_, s, _) = factors::svd("cond", &AnyArray::of(&field(a)?), Vectors::None)?;
    Ok(<T::Field>::ratio(&s.typed()?))
}

/// The condition number by another norm: the norm of the matrix times that of its inverse.
///
/// # Errors
///
/// If the matrices are not square, one is singular, or as [`matrix_norm`].
pub fn cond_order<T: Number>(a: &GpuArray<T>, order: impl Into<Order>) -> Result<Reals<T>> {
    let (a, order) = (field(a)?, order.into());
    let inverse: GpuArray<T::Field> = factors::inverse("cond_order", &AnyArray::of(&a))?.typed()?;
    let (of_a, of_inverse) =
        (of_matrices("cond_order", &a, order)?, of_matrices("cond_order", &inverse, order)?);
    Ok(<T::Field>::times(&of_a, &of_inverse))
}
