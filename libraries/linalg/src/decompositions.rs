//! Factors of matrices: Cholesky, QR, LU, singular values, eigenvalues.

use gpurepl_extend::{AnyArray, GpuArray, Result, error};

use crate::factors::{self, Triangular, Vectors};
use crate::norms::field;
use crate::number::{Eigenvalues, Field, Matrices, Number, Reals};
use crate::shapes::{matrices, square};
use crate::typed::Typed;

/// The lower triangular factor of a Hermitian, positive definite matrix, `l` of `l l*`: `numpy.linalg.cholesky`.
/// The lower triangle is read alone.
///
/// ```
/// use gpurepl_prelude::*;
/// # extend::provide("linalg", gpurepl_linalg_host::gpurepl_plugin)?;
/// let l = linalg::cholesky(&gpu![[4.0, 2.0], [2.0, 5.0]])?;
/// assert_eq!(l.to_vec(), [2.0, 0.0, 1.0, 2.0]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If a matrix is not square, or not positive definite; the message says which leading minor.
pub fn cholesky<T: Number>(a: &GpuArray<T>) -> Result<Matrices<T>> {
    factors::cholesky("cholesky", &AnyArray::of(&field(a)?), false)?.typed()
}

/// The upper triangular factor, `u` of `u* u`, of which the upper triangle is read: `cholesky(a, upper=True)`.
///
/// # Errors
///
/// As [`cholesky`].
pub fn cholesky_upper<T: Number>(a: &GpuArray<T>) -> Result<Matrices<T>> {
    factors::cholesky("cholesky_upper", &AnyArray::of(&field(a)?), true)?.typed()
}

/// A matrix of orthonormal columns and an upper triangular one, whose product is the matrix: `numpy.linalg.qr(a)`.
///
/// ```
/// use gpurepl_prelude::*;
/// # extend::provide("linalg", gpurepl_linalg_host::gpurepl_plugin)?;
/// let a = rand::<f64>((9, 6));
/// let (q, r) = linalg::qr(&a)?;
/// assert_eq!((q.shape(), r.shape()), (&[9, 6][..], &[6, 6][..]));
/// assert!(allclose(&q.matmul(&r), &a));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If the array has less than two axes.
pub fn qr<T: Number>(a: &GpuArray<T>) -> Result<(Matrices<T>, Matrices<T>)> {
    let (q, r) = factors::qr("qr", &AnyArray::of(&field(a)?), false)?;
    Ok((q.typed()?, r.typed()?))
}

/// [`qr`] with a square first factor: `qr(a, mode="complete")`.
///
/// # Errors
///
/// As [`qr`].
pub fn qr_complete<T: Number>(a: &GpuArray<T>) -> Result<(Matrices<T>, Matrices<T>)> {
    let (q, r) = factors::qr("qr_complete", &AnyArray::of(&field(a)?), true)?;
    Ok((q.typed()?, r.typed()?))
}

/// The triangular factor of [`qr`] alone: `qr(a, mode="r")`.
///
/// # Errors
///
/// As [`qr`].
pub fn qr_r<T: Number>(a: &GpuArray<T>) -> Result<Matrices<T>> {
    factors::qr_r("qr_r", &AnyArray::of(&field(a)?))?.typed()
}

/// The left singular vectors as columns, the singular values in descending order, and the right vectors as rows:
/// `numpy.linalg.svd(a)`. Both matrices of vectors are square; see [`svd_reduced`].
///
/// # Errors
///
/// If the array has less than two axes, an element is not finite, or the method does not converge.
pub fn svd<T: Number>(a: &GpuArray<T>) -> Result<(Matrices<T>, Reals<T>, Matrices<T>)> {
    with_vectors("svd", a, Vectors::Full)
}

/// [`svd`] with as many vectors as there are values: `svd(a, full_matrices=False)`.
///
/// ```
/// use gpurepl_prelude::*;
/// # extend::provide("linalg", gpurepl_linalg_host::gpurepl_plugin)?;
/// let a = rand::<f64>((9, 6));
/// let (u, s, vh) = linalg::svd_reduced(&a)?;
/// assert_eq!((u.shape(), vh.shape()), (&[9, 6][..], &[6, 6][..]));
/// assert!(allclose(&(&u * &s).matmul(&vh), &a));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// As [`svd`].
pub fn svd_reduced<T: Number>(a: &GpuArray<T>) -> Result<(Matrices<T>, Reals<T>, Matrices<T>)> {
    with_vectors("svd_reduced", a, Vectors::Reduced)
}

fn with_vectors<T: Number>(
    operation: &'static str,
    a: &GpuArray<T>,
    vectors: Vectors,
) -> Result<(Matrices<T>, Reals<T>, Matrices<T>)> {
    let (u, s, vh) = factors::svd(operation, &AnyArray::of(&field(a)?), vectors)?;
    let (Some(u), Some(vh)) = (u, vh) else { unreachable!("vectors were asked for") };
    Ok((u.typed()?, s.typed()?, vh.typed()?))
}

/// The singular values alone, in descending order: `numpy.linalg.svdvals`.
///
/// # Errors
///
/// As [`svd`].
pub fn svdvals<T: Number>(a: &GpuArray<T>) -> Result<Reals<T>> {
    factors::svd("svdvals", &AnyArray::of(&field(a)?), Vectors::None)?.1.typed()
}

/// The eigenvalues of a Hermitian matrix in ascending order, and the eigenvectors as columns:
/// `numpy.linalg.eigh`. The lower triangle is read alone.
///
/// ```
/// use gpurepl_prelude::*;
/// # extend::provide("linalg", gpurepl_linalg_host::gpurepl_plugin)?;
/// let (values, vectors) = linalg::eigh(&gpu![[2.0, 1.0], [1.0, 2.0]])?;
/// assert!(allclose(&values, &gpu![1.0, 3.0]));
/// assert!(allclose(&vectors.t().matmul(&vectors), &eye::<f64>(2)));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If a matrix is not square, an element is not finite, or the method does not converge.
pub fn eigh<T: Number>(a: &GpuArray<T>) -> Result<(Reals<T>, Matrices<T>)> {
    let (w, v) = factors::eigh("eigh", &AnyArray::of(&field(a)?), true, false)?;
    let Some(v) = v else { unreachable!("vectors were asked for") };
    Ok((w.typed()?, v.typed()?))
}

/// [`eigh`] of the upper triangle: `eigh(a, UPLO="U")`.
///
/// # Errors
///
/// As [`eigh`].
pub fn eigh_upper<T: Number>(a: &GpuArray<T>) -> Result<(Reals<T>, Matrices<T>)> {
    let (w, v) = factors::eigh("eigh_upper", &AnyArray::of(&field(a)?), true, true)?;
    let Some(v) = v else { unreachable!("vectors were asked for") };
    Ok((w.typed()?, v.typed()?))
}

/// The eigenvalues of a Hermitian matrix alone, in ascending order: `numpy.linalg.eigvalsh`.
///
/// # Errors
///
/// As [`eigh`].
pub fn eigvalsh<T: Number>(a: &GpuArray<T>) -> Result<Reals<T>> {
    factors::eigh("eigvalsh", &AnyArray::of(&field(a)?), false, false)?.0.typed()
}

/// The eigenvalues of a square matrix, and the eigenvectors as columns of norm 1: `numpy.linalg.eig`. Both are
/// complex, also where all imaginary parts are zero.
///
/// ```
/// use gpurepl_prelude::*;
/// # extend::provide("linalg", gpurepl_linalg_host::gpurepl_plugin)?;
/// let (values, _) = linalg::eig(&gpu![[0.0, -1.0], [1.0, 0.0]])?;
/// assert!(allclose(&values.imag().sort(), &gpu![-1.0, 1.0]));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// As [`eigh`].
pub fn eig<T: Number>(a: &GpuArray<T>) -> Result<(Eigenvalues<T>, Eigenvalues<T>)> {
    let (w, v) = factors::eig("eig", &AnyArray::of(&field(a)?), true)?;
    let Some(v) = v else { unreachable!("vectors were asked for") };
    Ok((w.typed()?, v.typed()?))
}

/// The eigenvalues alone: `numpy.linalg.eigvals`.
///
/// # Errors
///
/// As [`eigh`].
pub fn eigvals<T: Number>(a: &GpuArray<T>) -> Result<Eigenvalues<T>> {
    factors::eig("eigvals", &AnyArray::of(&field(a)?), false)?.0.typed()
}

/// LU factors of a square matrix, to solve with many right sides one after another: [`lu_factor`].
#[derive(Clone)]
pub struct Lu<F: Field> {
    lu: AnyArray,
    /// For each row of the factors the row of the matrix.
    order: GpuArray<i64>,
    exchanges: GpuArray<i64>,
    element: std::marker::PhantomData<F>,
}

/// Factors a matrix, rows being exchanged: `scipy.linalg.lu_factor`.
///
/// ```
/// use gpurepl_prelude::*;
/// # extend::provide("linalg", gpurepl_linalg_host::gpurepl_plugin)?;
/// let a = gpu![[3.0_f64, 1.0], [1.0, 2.0]];
/// let lu = linalg::lu_factor(&a)?;
/// assert!(allclose(&lu.solve(&gpu![9.0, 8.0])?, &gpu![2.0, 3.0]));
/// assert!((lu.det().item() - 5.0).abs() < 1e-14);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If the array is not one square matrix.
pub fn lu_factor<T: Number>(a: &GpuArray<T>) -> Result<Lu<T::Field>> {
    let a = AnyArray::of(&field(a)?);
    let (batch, n) = square("lu_factor", &a)?;
    if !batch.is_empty() {
        let message = format!("one matrix is taken, not a stack of shape {:?}", a.shape());
        return Err(error::shape("lu_factor", message));
    }
    let (lu, exchanges) = factors::lu("lu_factor", &a)?;
    let exchanges: GpuArray<i64> = exchanges.typed()?;
    let order = order(&exchanges, n)?;
    Ok(Lu { lu, order, exchanges, element: std::marker::PhantomData })
}

/// The order of the rows after all exchanges.
fn order(exchanges: &GpuArray<i64>, rows: usize) -> Result<GpuArray<i64>> {
    let mut order: Vec<i64> = (0..rows as i64).collect();
    for (row, other) in exchanges.try_get()?.into_iter().enumerate() {
        order.swap(row, other as usize);
    }
    let bytes: Vec<u8> = order.iter().flat_map(|row| row.to_ne_bytes()).collect();
    AnyArray::from_host(rows, gpurepl_extend::DType::Int64, &bytes)?.typed()
}

impl<F: Field> Lu<F> {
    /// The `x` of `a x = b`, for a vector or for each column of a matrix: `scipy.linalg.lu_solve`.
    ///
    /// # Errors
    ///
    /// If the lengths do not fit, or on the host if the matrix is singular (a GPU divides by zero).
    pub fn solve(&self, b: &GpuArray<F>) -> Result<GpuArray<F>> {
        let n = self.lu.shape()[0];
        let is_vector = b.ndim() == 1;
        if b.ndim() > 2 || b.ndim() == 0 || b.shape()[0] != n {
            let message = format!("shapes {:?} and {:?}: {n} unknowns", self.lu.shape(), b.shape());
            return Err(error::shape("lu_solve", message));
        }
        let rows = b.take_axis(&self.order, 0);
        let rows = AnyArray::of(&rows);
        let rows = if is_vector { rows.reshaped(&[n, 1])? } else { rows };
        let lower = Triangular { is_lower: true, has_unit_diagonal: true, transposed: 0 };
        let half = factors::triangular_solve("lu_solve", &self.lu, &rows, lower)?;
        let x = factors::triangular_solve("lu_solve", &self.lu, &half, Triangular::default())?;
        if is_vector { x.reshaped(&[n])?.typed() } else { x.typed() }
    }

    /// The lower triangular factor, with ones on its diagonal.
    ///
    /// # Errors
    ///
    /// If the device has no room.
    pub fn l(&self) -> Result<GpuArray<F>> {
        let n = self.lu.shape()[0];
        let below = self.lu.typed::<F>()?.tril(-1);
        Ok(F::sum(&below, &AnyArray::identity(&[], n, F::DTYPE)?.typed()?))
    }

    /// The upper triangular factor.
    ///
    /// # Errors
    ///
    /// As [`Lu::l`].
    pub fn u(&self) -> Result<GpuArray<F>> {
        Ok(self.lu.typed::<F>()?.triu(0))
    }

    /// For each row of `l u` the row of the matrix that it is.
    pub fn order(&self) -> GpuArray<i64> {
        self.order.clone()
    }

    /// The determinant.
    ///
    /// # Panics
    ///
    /// With an [`Error`](gpurepl_extend::Error), if the device reports one.
    #[track_caller]
    pub fn det(&self) -> GpuArray<F> {
        match self.lu.typed() {
            Ok(lu) => F::det(&lu, &self.exchanges),
            Err(error) => error.raise(),
        }
    }
}

/// The three factors `p l u` of a matrix: `scipy.linalg.lu`. `p` has a one in each row and column.
///
/// # Errors
///
/// If the array is not one matrix.
pub fn lu<T: Number>(a: &GpuArray<T>) -> Result<(Matrices<T>, Matrices<T>, Matrices<T>)> {
    let a = AnyArray::of(&field(a)?);
    let (batch, m, n) = matrices("lu", &a)?;
    if !batch.is_empty() {
        return Err(error::shape("lu", format!("one matrix is taken, not a stack of shape {:?}", a.shape())));
    }
    let k = m.min(n);
    let (lu, exchanges) = factors::lu("lu", &a)?;
    let order = order(&exchanges.typed()?, m)?;
    let one = |n: usize| AnyArray::identity(&[], n, a.dtype());
    // Row `order[i]` of the product is row `i` of `l u`.
    let p: Matrices<T> = one(m)?.typed::<T::Field>()?.take_axis(&order, 0);
    let left = lu.narrowed(1, 0, k)?.typed::<T::Field>()?.tril(-1);
    let ones = one(m.max(k))?.narrowed(0, 0, m)?.narrowed(1, 0, k)?.typed()?;
    let u = lu.narrowed(0, 0, k)?.typed::<T::Field>()?.triu(0);
    Ok((p.t(), <T::Field>::sum(&left, &ones), u))
}
