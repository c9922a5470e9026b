//! Systems of linear equations, determinants and inverses.

use gpurepl_extend::arrays::Promote;
use gpurepl_extend::{AnyArray, Elem, GpuArray, Result, error};

use crate::factors::{self, Triangular, Vectors};
use crate::norms::field;
use crate::number::{self, Field, Matrices, Number, Reals};
use crate::shapes::{broadcast, matrices, square};
use crate::typed::Typed;

/// The type in which two arrays are computed together.
pub(crate) type Together<T, U> = <<T as Promote<U>>::Out as Number>::Field;

/// An array in this type.
fn cast<T: Elem, F: Field>(a: &GpuArray<T>) -> AnyArray {
    AnyArray::of(a).cast(F::DTYPE)
}

/// What stands on the right of equations: a vector becomes a matrix of one column.
fn columns(b: AnyArray) -> Result<(AnyArray, bool)> {
    match b.shape() {
        [rows] => Ok((b.reshaped(&[*rows, 1])?, true)),
        _ => Ok((b, false)),
    }
}

/// A result as the right side was: without its axis of one column.
fn as_given(x: AnyArray, was_vector: bool) -> Result<AnyArray> {
    match x.shape() {
        [others @ .., 1] if was_vector => x.reshaped(others),
        _ => Ok(x),
    }
}

/// The `x` of `a x = b`, by LU factors with exchanges of rows: `numpy.linalg.solve`. `b` is a vector, or a matrix
/// with a right side in each column; stacks of matrices are solved at once.
///
/// ```
/// use gpurepl_prelude::*;
/// # extend::provide("linalg", gpurepl_linalg_host::gpurepl_plugin)?;
/// let x = linalg::solve(&gpu![[3.0, 1.0], [1.0, 2.0]], &gpu![9.0, 8.0])?;
/// assert!(allclose(&x, &gpu![2.0, 3.0]));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If the matrix is singular or not square, or the lengths do not fit.
pub fn solve<T, U>(a: &GpuArray<T>, b: &GpuArray<U>) -> Result<GpuArray<Together<T, U>>>
where
    T: Promote<U>,
    U: Elem,
    T::Out: Number,
{
    solve_any(cast::<T, Together<T, U>>(a), cast::<U, Together<T, U>>(b))?.typed()
}

fn solve_any(a: AnyArray, b: AnyArray) -> Result<AnyArray> {
    let (b, is_vector) = columns(b)?;
    square("solve", &a)?;
    let (a, b) = broadcast("solve", &a, &b)?;
    as_given(factors::solve("solve", &a, &b)?, is_vector)
}

/// The inverse of a matrix, or of each of a stack: `numpy.linalg.inv`. [`solve`] is faster and more precise than a
/// product with an inverse.
///
/// ```
/// use gpurepl_prelude::*;
/// # extend::provide("linalg", gpurepl_linalg_host::gpurepl_plugin)?;
/// let inverse = linalg::inv(&gpu![[1.0, 2.0], [3.0, 4.0]])?;
/// assert!(allclose(&inverse, &gpu![[-2.0, 1.0], [1.5, -0.5]]));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If a matrix is singular or not square.
pub fn inv<T: Number>(a: &GpuArray<T>) -> Result<GpuArray<T::Field>> {
    factors::inverse("inv", &AnyArray::of(&field(a)?))?.typed()
}

/// The determinant of a matrix, or of each of a stack: `numpy.linalg.det`.
///
/// ```
/// use gpurepl_prelude::*;
/// # extend::provide("linalg", gpurepl_linalg_host::gpurepl_plugin)?;
/// assert!((linalg::det(&gpu![[1.0_f64, 2.0], [3.0, 4.0]])?.item() + 2.0).abs() < 1e-14);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If a matrix is not square.
pub fn det<T: Number>(a: &GpuArray<T>) -> Result<GpuArray<T::Field>> {
    let (lu, exchanges) = lu_of("det", a)?;
    Ok(<T::Field>::det(&lu, &exchanges))
}

/// The sign of the determinant, and the logarithm of its absolute value, which may be too large or small for a
/// number: `numpy.linalg.slogdet`. The sign of a complex one is a number of absolute value 1.
///
/// # Errors
///
/// As [`det`].
pub fn slogdet<T: Number>(a: &GpuArray<T>) -> Result<(Matrices<T>, Reals<T>)> {
    let (lu, exchanges) = lu_of("slogdet", a)?;
    Ok(<T::Field>::slogdet(&lu, &exchanges))
}

fn lu_of<T: Number>(operation: &'static str, a: &GpuArray<T>) -> Result<(Matrices<T>, GpuArray<i64>)> {
    let a = AnyArray::of(&field(a)?);
    square(operation, &a)?;
    let (lu, exchanges) = factors::lu(operation, &a)?;
    Ok((lu.typed()?, exchanges.typed()?))
}

/// Which triangle of a matrix is solved with, and how.
///
/// ```
/// use gpurepl_prelude::*;
/// # extend::provide("linalg", gpurepl_linalg_host::gpurepl_plugin)?;
/// let l = gpu![[2.0, 0.0], [1.0, 4.0]];
/// let x = linalg::solve_triangular(&l, &gpu![2.0, 9.0], linalg::Triangle::lower())?;
/// assert_eq!(x.to_vec(), [1.0, 2.0]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Triangle(Triangular);

impl Triangle {
    /// The lower one; what is above the diagonal is not read.
    pub fn lower() -> Triangle {
        Triangle(Triangular { is_lower: true, ..Triangular::default() })
    }

    /// The upper one; what is below the diagonal is not read.
    pub fn upper() -> Triangle {
        Triangle(Triangular::default())
    }

    /// The diagonal is 1, whatever the array has there.
    #[must_use]
    pub fn unit_diagonal(self) -> Triangle {
        Triangle(Triangular { has_unit_diagonal: true, ..self.0 })
    }

    /// The transpose of the triangle is solved with.
    #[must_use]
    pub fn transposed(self) -> Triangle {
        Triangle(Triangular { transposed: 1, ..self.0 })
    }

    /// The conjugate transpose of the triangle is solved with.
    #[must_use]
    pub fn adjoint(self) -> Triangle {
        Triangle(Triangular { transposed: 2, ..self.0 })
    }
}

/// The `x` of `a x = b` for a triangle: `scipy.linalg.solve_triangular`.
///
/// # Errors
///
/// If the matrix is not square, the lengths do not fit, or on the host if an element of the diagonal is zero (a GPU
/// divides by it).
pub fn solve_triangular<T, U>(
    a: &GpuArray<T>,
    b: &GpuArray<U>,
    triangle: Triangle,
) -> Result<GpuArray<Together<T, U>>>
where
    T: Promote<U>,
    U: Elem,
    T::Out: Number,
{
    let (b, is_vector) = columns(cast::<U, Together<T, U>>(b))?;
    let (a, b) = broadcast("solve_triangular", &cast::<T, Together<T, U>>(a), &b)?;
    as_given(factors::triangular_solve("solve_triangular", &a, &b, triangle.0)?, is_vector)?.typed()
}

/// What [`lstsq`] has found.
#[derive(Clone)]
pub struct LeastSquares<F: Field> {
    /// The solution; of those with the least error the one of least norm.
    pub x: GpuArray<F>,
    /// The sum of squares of `b - a x` for each right side; empty if the rank is less than the number of columns, or
    /// there are not more equations than unknowns.
    pub residuals: GpuArray<<F as Elem>::Real>,
    /// The rank of the matrix.
    pub rank: usize,
    /// Its singular values.
    pub singular_values: GpuArray<<F as Elem>::Real>,
}

/// The `x` with the least sum of squares of `b - a x`: `numpy.linalg.lstsq`. Singular values up to the unit of
/// rounding times the larger of rows and columns times the greatest are taken as zero.
///
/// ```
/// use gpurepl_prelude::*;
/// # extend::provide("linalg", gpurepl_linalg_host::gpurepl_plugin)?;
/// // A line through four points.
/// let (x, y) = (gpu![0.0, 1.0, 2.0, 3.0], gpu![-1.0, 0.2, 0.9, 2.1]);
/// let fit = linalg::lstsq(&column_stack((&x, &ones::<f64>(4))), &y)?;
/// assert!(allclose(&fit.x, &gpu![1.0, -0.95]));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If `a` is no matrix, the lengths do not fit, or the method does not converge.
pub fn lstsq<T, U>(a: &GpuArray<T>, b: &GpuArray<U>) -> Result<LeastSquares<Together<T, U>>>
where
    T: Promote<U>,
    U: Elem,
    T::Out: Number,
{
    least_squares(cast::<T, Together<T, U>>(a), cast::<U, Together<T, U>>(b), None)
}

/// [`lstsq`] where singular values up to `rcond` times the greatest are taken as zero. A negative `rcond` stands for the
/// unit of rounding.
///
/// # Errors
///
/// As [`lstsq`].
pub fn lstsq_rcond<T, U>(a: &GpuArray<T>, b: &GpuArray<U>, rcond: f64) -> Result<LeastSquares<Together<T, U>>>
where
    T: Promote<U>,
    U: Elem,
    T::Out: Number,
{
    least_squares(cast::<T, Together<T, U>>(a), cast::<U, Together<T, U>>(b), Some(rcond))
}

fn least_squares<F: Field>(a: AnyArray, b: AnyArray, rcond: Option<f64>) -> Result<LeastSquares<F>> {
    let (batch, m, n) = matrices("lstsq", &a)?;
    let (b, is_vector) = columns(b)?;
    let (of_b, rows, count) = matrices("lstsq", &b)?;
    if !batch.is_empty() || !of_b.is_empty() || rows != m {
        let message = format!(
            "shapes {:?} and {:?}: one matrix, and a right side of as many rows, are taken",
            a.shape(),
            b.shape()
        );
        return Err(error::shape("lstsq", message));
    }
    // Less than zero stands for the unit of rounding, as in NumPy.
    let rcond = match rcond {
        None => number::epsilon(a.dtype()) * m.max(n) as f64,
        Some(rcond) if rcond < 0.0 => number::epsilon(a.dtype()),
        Some(rcond) => rcond,
    };
    // Of many rows the singular values are those of the triangle, which is small.
    let is_tall = n > 0 && m >= 2 * n;
    let (matrix, right) = if is_tall {
        let (q, r) = factors::qr("lstsq", &a, false)?;
        let right = F::product(&F::adjoint(&q.typed()?), &b.typed()?);
        (r, right)
    } else {
        (a.clone(), b.typed()?)
    };
    let (u, s, vh) = factors::svd("lstsq", &matrix, Vectors::Reduced)?;
    let (Some(u), Some(vh)) = (u, vh) else { unreachable!("vectors were asked for") };
    let s: GpuArray<F::Real> = s.typed()?;
    let rank = if m.min(n) == 0 { 0 } else { F::rank(&s, None, rcond).try_item()? as usize };
    let x = if m.min(n) == 0 {
        AnyArray::zeros([n, count], a.dtype())?.typed()?
    } else {
        F::pinv_of(&u.typed()?, &F::reciprocals(&s, rcond), &vh.typed()?, &right)
    };
    let residuals = if rank == n && m > n {
        F::residuals(&a.typed()?, &x, &b.typed()?)
    } else {
        AnyArray::empty(0, number::magnitude(a.dtype()))?.typed()?
    };
    let x = as_given(AnyArray::of(&x), is_vector)?.typed()?;
    Ok(LeastSquares { x, residuals, rank, singular_values: s })
}

/// The pseudo-inverse of a matrix, or of each of a stack: `numpy.linalg.pinv`. Singular values up to 1e-15 times the
/// greatest are taken as zero.
///
/// # Errors
///
/// If the array has less than two axes, or the method does not converge.
pub fn pinv<T: Number>(a: &GpuArray<T>) -> Result<GpuArray<T::Field>> {
    pseudo_inverse("pinv", a, 1e-15)
}

/// [`pinv`] where singular values up to `rcond` times the greatest are taken as zero.
///
/// # Errors
///
/// As [`pinv`].
pub fn pinv_rcond<T: Number>(a: &GpuArray<T>, rcond: f64) -> Result<GpuArray<T::Field>> {
    pseudo_inverse("pinv_rcond", a, rcond)
}

fn pseudo_inverse<T: Number>(operation: &'static str, a: &GpuArray<T>, rcond: f64) -> Result<Matrices<T>> {
    let a = AnyArray::of(&field(a)?);
    let (batch, m, n) = matrices(operation, &a)?;
    if a.size() == 0 {
        return AnyArray::empty([batch, &[n, m]].concat(), a.dtype())?.typed();
    }
    let (u, s, vh) = factors::svd(operation, &a, Vectors::Reduced)?;
    let (Some(u), Some(vh)) = (u, vh) else { unreachable!("vectors were asked for") };
    let reciprocals = <T::Field>::reciprocals(&s.typed()?, rcond);
    Ok(<T::Field>::pinv(&u.typed()?, &reciprocals, &vh.typed()?))
}

/// The rank of a matrix, or of each of a stack: how many singular values are greater than the unit of rounding times
/// the larger of rows and columns times the greatest: `numpy.linalg.matrix_rank`.
///
/// # Errors
///
/// As [`pinv`].
pub fn matrix_rank<T: Number>(a: &GpuArray<T>) -> Result<GpuArray<i64>> {
    rank(a, None)
}

/// How many singular values are greater than a limit.
///
/// # Errors
///
/// As [`pinv`].
pub fn matrix_rank_tol<T: Number>(a: &GpuArray<T>, tolerance: f64) -> Result<GpuArray<i64>> {
    rank(a, Some(tolerance))
}

fn rank<T: Number>(a: &GpuArray<T>, tolerance: Option<f64>) -> Result<GpuArray<i64>> {
    let a = AnyArray::of(&field(a)?);
    let (batch, m, n) = matrices("matrix_rank", &a)?;
    if a.size() == 0 {
        return AnyArray::zeros(batch, gpurepl_extend::DType::Int64)?.typed();
    }
    let (_, s, _) = factors::svd("matrix_rank", &a, Vectors::None)?;
    Ok(<T::Field>::rank(&s.typed()?, tolerance, number::epsilon(a.dtype()) * m.max(n) as f64))
}

/// The `x` of `tensordot(a, x, x.ndim) = b`: `numpy.linalg.tensorsolve`. The last axes of `a` are those of `x`.
///
/// # Errors
///
/// If the shapes do not make a square matrix, or it is singular.
pub fn tensorsolve<T, U>(a: &GpuArray<T>, b: &GpuArray<U>) -> Result<GpuArray<Together<T, U>>>
where
    T: Promote<U>,
    U: Elem,
    T::Out: Number,
{
    let (a, b) = (cast::<T, Together<T, U>>(a), cast::<U, Together<T, U>>(b));
    let Some(of_x) = a.shape().get(b.shape().len()..) else {
        let message = format!("shapes {:?} and {:?}: the first has more axes", a.shape(), b.shape());
        return Err(error::shape("tensorsolve", message));
    };
    let (of_x, n) = (of_x.to_vec(), b.size());
    if of_x.iter().product::<usize>() != n || a.size() != n * n {
        let message = format!(
            "shapes {:?} and {:?}: the last axes of the first have the unknowns, {of_x:?}, and those before as many equations as the second has elements, {n}",
            a.shape(),
            b.shape()
        );
        return Err(error::shape("tensorsolve", message));
    }
    let x = factors::solve("tensorsolve", &a.reshaped(&[n, n])?, &b.reshaped(&[n, 1])?)?;
    x.reshaped(&of_x)?.typed()
}

/// The inverse of a tensor, relative to `tensordot` over its first `count` axes: `numpy.linalg.tensorinv(a, ind)`.
///
/// # Errors
///
/// As [`tensorsolve`].
pub fn tensorinv<T: Number>(a: &GpuArray<T>, count: usize) -> Result<GpuArray<T::Field>> {
    let a = AnyArray::of(&field(a)?);
    if count == 0 || count > a.shape().len() {
        let message = format!(
            "the first {count} of the {} axes of shape {:?}; give 1 or more",
            a.shape().len(),
            a.shape()
        );
        return Err(error::shape("tensorinv", message));
    }
    let (first, last) = a.shape().split_at(count);
    let (rows, columns) = (first.iter().product(), last.iter().product::<usize>());
    let inverse = factors::inverse("tensorinv", &a.reshaped(&[rows, columns])?)?;
    inverse.reshaped(&[last, first].concat())?.typed()
}
