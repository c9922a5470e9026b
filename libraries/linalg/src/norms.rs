//! Norms and condition numbers.

use gpurepl_extend::{AnyArray, DType, Elem, GpuArray, Result, error};

use crate::factors::{self, Vectors};
use crate::number::{self, Field, Number, Reals};
use crate::shapes::{matrices, square};
use crate::typed::Typed;

/// Which norm: NumPy's `ord`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Order {
    /// The root of the sum of squares of all elements of a matrix: NumPy's `"fro"`.
    Fro,
    /// The sum of the singular values: NumPy's `"nuc"`.
    Nuc,
    /// Of vectors the p-norm, with the greatest element for infinity and the number of elements that are not zero
    /// for 0. Of matrices: 1 the greatest sum of a column, 2 the greatest singular value, infinity the greatest
    /// sum of a row; -1, -2 and negative infinity the least.
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
        (0, _) => Err(error::shape("norm_order", "a number has no norm; use `a.abs()`".to_owned())),
        (1, Order::P(p)) => of_vectors("norm_order", &a, p, 0),
        (1, _) => {
            let message =
                format!("{order:?} is a norm of matrices; use a number as the order of a vector's norm");
            Err(error::invalid("norm_order", message))
        }
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
        return Err(error::invalid("vector_norm", "a vector norm needs a number as its order".to_owned()));
    };
    let rank = a.ndim().cast_signed();
    if !(-rank..rank).contains(&axis) {
        // NumPy's words.
        let message = format!("axis {axis} is out of bounds for array of dimension {rank}");
        return Err(error::shape("vector_norm", message));
    }
    of_vectors("vector_norm", &field(a)?, p, axis)
}

fn of_vectors<F: Field>(
    operation: &'static str,
    a: &GpuArray<F>,
    p: f64,
    axis: isize,
) -> Result<GpuArray<F::Real>> {
    let place = if axis < 0 { axis + a.ndim().cast_signed() } else { axis };
    if a.shape()[place as usize] > 0 || p.is_finite() {
        return Ok(F::vector_norm(a, p, &[axis]));
    }
    // As NumPy has it: the greatest of none is zero, and there is no least.
    let others: Vec<usize> = (0..a.ndim()).filter(|k| *k != place as usize).map(|k| a.shape()[k]).collect();
    of_nothing::<F>(operation, &others, p > 0.0)
}

/// Norms of vectors and matrices without elements.
fn of_nothing<F: Field>(
    operation: &'static str,
    shape: &[usize],
    is_greatest: bool,
) -> Result<GpuArray<F::Real>> {
    if !is_greatest {
        let message = "an array without elements has no least one; use a positive order".to_owned();
        return Err(error::shape(operation, message));
    }
    AnyArray::zeros(shape, number::magnitude(F::DTYPE))?.typed()
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
    let (stack, rows, columns) = matrices(operation, &any)?;
    if (rows == 0 || columns == 0)
        && let Order::P(p @ (1.0 | 2.0 | f64::INFINITY | -1.0 | -2.0 | f64::NEG_INFINITY)) = order
    {
        return of_nothing::<F>(operation, stack, p > 0.0);
    }
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
            format!(
                "Invalid norm order {p} for matrices; use 1, 2, infinity, one of their negatives, `Fro` or `Nuc`"
            ),
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
/// If the array has less than two axes, or the method does not converge.
pub fn cond<T: Number>(a: &GpuArray<T>) -> Result<Reals<T>> {
    Ok(<T::Field>::ratio(&values_for_cond("cond", &AnyArray::of(&field(a)?))?.typed()?))
}

fn values_for_cond(operation: &'static str, a: &AnyArray) -> Result<AnyArray> {
    matrices(operation, a)?;
    if a.size() == 0 {
        // NumPy's words.
        return Err(error::shape(operation, "cond is not defined on empty arrays".to_owned()));
    }
    Ok(factors::svd(operation, a, Vectors::None)?.1)
}

/// The condition number by another norm: the norm of the matrix times that of its inverse, infinite for a singular
/// matrix. By 2 and -2 it is the ratio of singular values, of matrices that are not square too.
///
/// # Errors
///
/// If the matrices have no elements, are not square, or as [`matrix_norm`].
pub fn cond_order<T: Number>(a: &GpuArray<T>, order: impl Into<Order>) -> Result<Reals<T>> {
    let operation = "cond_order";
    let (a, order) = (field(a)?, order.into());
    let any = AnyArray::of(&a);
    if let Order::P(p @ (2.0 | -2.0)) = order {
        let ratio = <T::Field>::ratio(&values_for_cond(operation, &any)?.typed()?);
        return Ok(if p > 0.0 { ratio } else { <T::Field>::inverted(&ratio) });
    }
    let (stack, _) = square(operation, &any)?;
    if a.size() == 0 {
        return Err(error::shape(operation, "cond is not defined on empty arrays".to_owned()));
    }
    let (inverse, info) = factors::inverse_or_report(operation, &any)?;
    let of_a = of_matrices(operation, &a, order)?;
    let of_inverse = of_matrices::<T::Field>(operation, &inverse.typed()?, order)?;
    let marks: Vec<u8> = info.iter().map(|info| u8::from(*info != 0)).collect();
    let marks = AnyArray::from_host(stack, DType::Bool, &marks)?.typed()?;
    Ok(<T::Field>::infinite_at(&marks, &<T::Field>::times(&of_a, &of_inverse)))
}
