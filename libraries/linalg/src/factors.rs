//! The factorisations that all else is made of, on either device.

use gpurepl_extend::{AnyArray, DType, DeviceKind, Result, error, refuse_in_capture};

use crate::shapes::{matrices, square, which, with};
use crate::{cuda, host, number, typed};

pub(crate) use cuda::Vectors;

/// How a triangular matrix is solved with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Triangular {
    pub is_lower: bool,
    pub has_unit_diagonal: bool,
    /// 0 as it is, 1 transposed, 2 conjugate transposed.
    pub transposed: u8,
}

/// Reports are read, which a graph cannot record.
fn is_on_host(operation: &'static str, a: &AnyArray) -> Result<bool> {
    refuse_in_capture(operation)?;
    Ok(a.context()?.device().kind() == DeviceKind::Host)
}

/// How many matrices a stack has.
fn number_of(batch: &[usize]) -> usize {
    batch.iter().product()
}

/// The first matrix that something was wrong with, and LAPACK's number for it.
fn failed(info: &[i64]) -> Option<(usize, i64)> {
    info.iter().position(|info| *info != 0).map(|matrix| (matrix, info[matrix]))
}

/// `solve`, and why a matrix has no inverse.
pub(crate) fn solve(operation: &'static str, a: &AnyArray, b: &AnyArray) -> Result<AnyArray> {
    let (batch, n) = square(operation, a)?;
    let batch = batch.to_vec();
    let (_, rows, _) = matrices(operation, b)?;
    if rows != n {
        let message = format!("shapes {:?} and {:?}: {n} unknowns, {rows} equations", a.shape(), b.shape());
        return Err(error::shape(operation, message));
    }
    if number_of(&batch) == 0 || b.size() == 0 {
        return AnyArray::empty(b.shape(), b.dtype());
    }
    let (x, info) = if is_on_host(operation, a)? {
        let mut x = AnyArray::empty(b.shape(), b.dtype())?;
        let info = host::call(operation, "solve", &[a, b], &mut [&mut x], &[], Some(&batch))?;
        (x, info)
    } else {
        cuda::solve(a, b)?
    };
    let (x, info) = typed::undefined_by(a, &x, info)?;
    check_singular(operation, &batch, &info)?;
    Ok(x)
}

fn check_singular(operation: &'static str, batch: &[usize], info: &[i64]) -> Result<()> {
    let Some((matrix, pivot)) = failed(info) else { return Ok(()) };
    let message = format!(
        "{}Singular matrix: pivot {} of its LU factorisation is exactly zero; `linalg::lstsq` and `linalg::pinv` take it",
        which(batch, matrix),
        pivot - 1
    );
    Err(error::invalid(operation, message))
}

/// LU factors in one matrix, and for each row the one that it was exchanged with.
pub(crate) fn lu(operation: &'static str, a: &AnyArray) -> Result<(AnyArray, AnyArray)> {
    let (batch, m, n) = matrices(operation, a)?;
    let of_pivots = with(batch, &[m.min(n)]);
    if a.size() == 0 {
        return Ok((AnyArray::empty(a.shape(), a.dtype())?, AnyArray::empty(of_pivots, DType::Int64)?));
    }
    let (lu, pivots, info) = if is_on_host(operation, a)? {
        let (mut lu, mut pivots) =
            (AnyArray::empty(a.shape(), a.dtype())?, AnyArray::empty(of_pivots, DType::Int64)?);
        let info = host::call(operation, "lu", &[a], &mut [&mut lu, &mut pivots], &[], Some(batch))?;
        (lu, pivots, info)
    } else {
        cuda::lu(a)?
    };
    Ok((typed::undefined_by(a, &lu, info)?.0, pivots))
}

/// The inverses.
pub(crate) fn inverse(operation: &'static str, a: &AnyArray) -> Result<AnyArray> {
    let (batch, _) = square(operation, a)?;
    let (x, info) = inverse_or_report(operation, a)?;
    check_singular(operation, batch, &info)?;
    Ok(x)
}

/// The inverses, and for each matrix zero, or which pivot is.
pub(crate) fn inverse_or_report(operation: &'static str, a: &AnyArray) -> Result<(AnyArray, Vec<i64>)> {
    let (batch, _) = square(operation, a)?;
    if a.size() == 0 {
        return Ok((AnyArray::empty(a.shape(), a.dtype())?, vec![0; number_of(batch)]));
    }
    let (x, info) = if is_on_host(operation, a)? {
        let mut x = AnyArray::empty(a.shape(), a.dtype())?;
        let info = host::call(operation, "inverse", &[a], &mut [&mut x], &[], Some(batch))?;
        (x, info)
    } else {
        cuda::inverse(a)?
    };
    typed::undefined_by(a, &x, info)
}

/// The Cholesky factors, lower or upper triangles.
pub(crate) fn cholesky(operation: &'static str, a: &AnyArray, is_upper: bool) -> Result<AnyArray> {
    let (batch, _) = square(operation, a)?;
    if a.size() == 0 {
        return AnyArray::empty(a.shape(), a.dtype());
    }
    let (l, info) = if is_on_host(operation, a)? {
        let mut l = AnyArray::empty(a.shape(), a.dtype())?;
        let numbers = [i64::from(is_upper)];
        let info = host::call(operation, "cholesky", &[a], &mut [&mut l], &numbers, Some(batch))?;
        (l, info)
    } else {
        cuda::cholesky(a, is_upper)?
    };
    let Some((matrix, order)) = failed(&info) else { return Ok(l) };
    let message = format!(
        "{}Matrix is not positive definite: its leading minor of order {order} is not; `linalg::solve` and \
         `linalg::lu_factor` take any square matrix",
        which(batch, matrix)
    );
    Err(error::invalid(operation, message))
}

/// Solutions of triangular systems.
pub(crate) fn triangular_solve(
    operation: &'static str,
    a: &AnyArray,
    b: &AnyArray,
    how: Triangular,
) -> Result<AnyArray> {
    let (batch, n) = square(operation, a)?;
    let (_, rows, _) = matrices(operation, b)?;
    if rows != n {
        let message = format!("shapes {:?} and {:?}: {n} unknowns, {rows} equations", a.shape(), b.shape());
        return Err(error::shape(operation, message));
    }
    if a.size() == 0 || b.size() == 0 {
        return AnyArray::empty(b.shape(), b.dtype());
    }
    if a.context()?.device().kind() != DeviceKind::Host {
        // No report is read, so a graph may record it.
        return cuda::triangular_solve(a, b, how.is_lower, how.has_unit_diagonal, how.transposed);
    }
    let mut x = AnyArray::empty(b.shape(), b.dtype())?;
    let numbers = [i64::from(how.is_lower), i64::from(how.has_unit_diagonal), i64::from(how.transposed)];
    let info = host::call(operation, "triangular_solve", &[a, b], &mut [&mut x], &numbers, Some(batch))?;
    match failed(&info) {
        None => Ok(x),
        Some((matrix, place)) => {
            let message = format!(
                "{}Singular matrix: element {} of its diagonal is zero",
                which(batch, matrix),
                place - 1
            );
            Err(error::invalid(operation, message))
        }
    }
}

/// An orthonormal matrix of so many columns and an upper triangular one.
pub(crate) fn qr(operation: &'static str, a: &AnyArray, is_complete: bool) -> Result<(AnyArray, AnyArray)> {
    let (batch, m, n) = matrices(operation, a)?;
    let columns = if is_complete { m } else { m.min(n) };
    let (of_q, of_r) = (with(batch, &[m, columns]), with(batch, &[columns, n]));
    if number_of(batch) == 0 || (a.size() == 0 && of_q.contains(&0)) {
        return Ok((AnyArray::empty(of_q, a.dtype())?, AnyArray::empty(of_r, a.dtype())?));
    }
    if a.size() > 0 && !is_on_host(operation, a)? {
        return cuda::qr(a, columns);
    }
    let (mut q, mut r) = (AnyArray::empty(of_q, a.dtype())?, AnyArray::empty(of_r, a.dtype())?);
    if a.size() == 0 {
        // Of no columns: any basis.
        return Ok((AnyArray::identity(batch, m, a.dtype())?, r));
    }
    host::call(operation, "qr", &[a], &mut [&mut q, &mut r], &[0], None)?;
    Ok((q, r))
}

/// The upper triangular factor alone.
pub(crate) fn qr_r(operation: &'static str, a: &AnyArray) -> Result<AnyArray> {
    let (batch, m, n) = matrices(operation, a)?;
    let of_r = with(batch, &[m.min(n), n]);
    if a.size() == 0 {
        return AnyArray::empty(of_r, a.dtype());
    }
    if !is_on_host(operation, a)? {
        return cuda::qr_r(a);
    }
    let mut r = AnyArray::empty(of_r, a.dtype())?;
    host::call(operation, "qr", &[a], &mut [&mut r], &[1], None)?;
    Ok(r)
}

/// The singular values, in descending order, and the vectors of both sides.
pub(crate) fn svd(
    operation: &'static str,
    a: &AnyArray,
    vectors: Vectors,
) -> Result<(Option<AnyArray>, AnyArray, Option<AnyArray>)> {
    let (batch, m, n) = matrices(operation, a)?;
    let k = m.min(n);
    let (left, right) = if vectors == Vectors::Full { (m, n) } else { (k, k) };
    let has_vectors = vectors != Vectors::None;
    let of_s = with(batch, &[k]);
    if a.size() == 0 {
        let s = AnyArray::empty(of_s, number::magnitude(a.dtype()))?;
        let basis = |size: usize, rows: usize, columns: usize| -> Result<Option<AnyArray>> {
            let is_basis = rows == columns && rows == size;
            match has_vectors {
                false => Ok(None),
                true if is_basis => AnyArray::identity(batch, size, a.dtype()).map(Some),
                true => AnyArray::empty(with(batch, &[rows, columns]), a.dtype()).map(Some),
            }
        };
        return Ok((basis(m, m, left)?, s, basis(n, right, n)?));
    }
    let (u, s, vh, info) = if is_on_host(operation, a)? {
        let mut s = AnyArray::empty(of_s, number::magnitude(a.dtype()))?;
        if has_vectors {
            let mut u = AnyArray::empty(with(batch, &[m, left]), a.dtype())?;
            let mut vh = AnyArray::empty(with(batch, &[right, n]), a.dtype())?;
            let info = host::call(operation, "svd", &[a], &mut [&mut u, &mut s, &mut vh], &[1], Some(batch))?;
            (Some(u), s, Some(vh), info)
        } else {
            let info = host::call(operation, "svd", &[a], &mut [&mut s], &[0], Some(batch))?;
            (None, s, None, info)
        }
    } else {
        check_finite(operation, a, None)?;
        cuda::svd(a, vectors)?
    };
    check_converged(operation, "SVD", batch, &info)?;
    Ok((u, s, vh))
}

/// Why a method that iterates is not begun.
pub(crate) const NOT_FINITE: &str =
    "the matrix has NaN or infinite elements; `a.isfinite()` says where it has none";

/// As the host's half refuses them: methods that iterate would not end, or end anywhere.
fn check_finite(operation: &'static str, a: &AnyArray, is_upper: Option<bool>) -> Result<()> {
    if typed::is_finite(a, is_upper)? {
        return Ok(());
    }
    Err(error::invalid(operation, NOT_FINITE.to_owned()))
}

fn check_converged(operation: &'static str, what: &str, batch: &[usize], info: &[i64]) -> Result<()> {
    let Some((matrix, _)) = failed(info) else { return Ok(()) };
    // NumPy's words.
    Err(error::invalid(
        operation,
        format!(
            "{}{what} did not converge; compute it in `f64`, or on the host: `GPUREPL_DEVICE=host`",
            which(batch, matrix)
        ),
    ))
}

/// The eigenvalues of Hermitian matrices, in ascending order, and the eigenvectors as columns.
pub(crate) fn eigh(
    operation: &'static str,
    a: &AnyArray,
    has_vectors: bool,
    is_upper: bool,
) -> Result<(AnyArray, Option<AnyArray>)> {
    let (batch, n) = square(operation, a)?;
    let (of_w, dtype) = (with(batch, &[n]), number::magnitude(a.dtype()));
    if a.size() == 0 {
        let v = if has_vectors { Some(AnyArray::empty(a.shape(), a.dtype())?) } else { None };
        return Ok((AnyArray::empty(of_w, dtype)?, v));
    }
    let (w, v, info) = if is_on_host(operation, a)? {
        let mut w = AnyArray::empty(of_w, dtype)?;
        let numbers = [i64::from(has_vectors), i64::from(is_upper)];
        if has_vectors {
            let mut v = AnyArray::empty(a.shape(), a.dtype())?;
            let info = host::call(operation, "eigh", &[a], &mut [&mut w, &mut v], &numbers, Some(batch))?;
            (w, Some(v), info)
        } else {
            let info = host::call(operation, "eigh", &[a], &mut [&mut w], &numbers, Some(batch))?;
            (w, None, info)
        }
    } else {
        check_finite(operation, a, Some(is_upper))?;
        cuda::eigh(a, has_vectors, is_upper)?
    };
    check_converged(operation, "Eigenvalues", batch, &info)?;
    Ok((w, v))
}

/// The eigenvalues of any square matrices, and the eigenvectors as columns.
pub(crate) fn eig(
    operation: &'static str,
    a: &AnyArray,
    has_vectors: bool,
) -> Result<(AnyArray, Option<AnyArray>)> {
    let (batch, n) = square(operation, a)?;
    let (of_w, dtype) = (with(batch, &[n]), number::complex(a.dtype()));
    if a.size() == 0 {
        let v = if has_vectors { Some(AnyArray::empty(a.shape(), dtype)?) } else { None };
        return Ok((AnyArray::empty(of_w, dtype)?, v));
    }
    let (w, v, info) = if is_on_host(operation, a)? {
        let mut w = AnyArray::empty(of_w, dtype)?;
        let numbers = [i64::from(has_vectors)];
        if has_vectors {
            let mut v = AnyArray::empty(a.shape(), dtype)?;
            let info = host::call(operation, "eig", &[a], &mut [&mut w, &mut v], &numbers, Some(batch))?;
            (w, Some(v), info)
        } else {
            let info = host::call(operation, "eig", &[a], &mut [&mut w], &numbers, Some(batch))?;
            (w, None, info)
        }
    } else {
        check_finite(operation, a, None)?;
        cuda::eig(a, has_vectors)?
    };
    check_converged(operation, "Eigenvalues", batch, &info)?;
    Ok((w, v))
}
