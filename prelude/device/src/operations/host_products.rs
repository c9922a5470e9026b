//! Large products of matrices on the host, by a library where there is one, as NVIDIA's does them on a GPU.

use std::ops::Range;
use std::sync::OnceLock;

use gpurepl_kernels::DType;

use crate::error::{Problem, Result};
use crate::{Gemm, GemmFactor};

/// A matrix of fewer products of elements is not worth asking the library for.
const LEAST: usize = 1 << 24;

/// Products of elements between two looks whether the user has interrupted: about a tenth of a second on two cores.
const BETWEEN_LOOKS: usize = 1 << 33;

/// One product of matrices in column-major order.
pub struct HostProduct<'a> {
    /// The type of all, a float of 32 or 64 bits or a complex number.
    pub dtype: DType,
    /// Of the left factor and the result.
    pub rows: usize,
    /// Of the right factor and the result.
    pub columns: usize,
    /// What is summed over.
    pub inner: usize,
    /// The left factor.
    pub left: HostFactor<'a>,
    /// The right factor.
    pub right: HostFactor<'a>,
}

/// A factor of [`HostProduct`].
pub struct HostFactor<'a> {
    /// Its elements, from the first on.
    pub bytes: &'a [u8],
    /// Whether it lies in row-major order.
    pub is_transposed: bool,
    /// Elements from a column to the next, or from a row to the next of one in row-major order.
    pub leading: usize,
}

/// What multiplies large matrices on the host, into the bytes of the result. Returns whether it has.
pub type HostLibrary = fn(&HostProduct<'_>, &mut [u8]) -> bool;

static LIBRARY: OnceLock<HostLibrary> = OnceLock::new();

/// Names a library for large products on the host, for good. Where there is none, or it does not take a product,
/// `matrixmultiply` does it.
pub fn set_host_library(library: HostLibrary) {
    // A second one is the same: whoever names it has no other.
    let _ = LIBRARY.set(library);
}

/// Has the library do products of matrices, if it is there and they are large enough; whether it has. `gemm` is asked
/// for then. The factors are given from their first elements on.
pub(super) fn multiply(
    lengths: [usize; 3],
    gemm: impl FnOnce() -> Option<Gemm>,
    factors: [&[u8]; 2],
    results: &mut [u8],
) -> Result<bool> {
    let is_large = lengths.iter().fold(1_usize, |product, length| product.saturating_mul(*length)) >= LEAST;
    let Some(library) = LIBRARY.get().filter(|_| is_large) else { return Ok(false) };
    let Some(gemm) = gemm() else { return Ok(false) };
    let size = gemm.dtype.size();
    let columns_at_once = (BETWEEN_LOOKS / gemm.rows / gemm.inner).max(1);
    let results = results.chunks_exact_mut(gemm.rows * gemm.columns * size);
    for (batch, results) in results.enumerate() {
        let results = results.chunks_mut(columns_at_once * gemm.rows * size);
        for (part, results) in results.enumerate() {
            // What unwinds because of an interrupt is not stopped by it again.
            if !std::thread::panicking() && crate::interrupt::was_asked() {
                return Err(Problem::Interrupted.into());
            }
            let first = part * columns_at_once;
            let columns = first..(first + columns_at_once).min(gemm.columns);
            let product = HostProduct {
                dtype: gemm.dtype,
                rows: gemm.rows,
                columns: columns.len(),
                inner: gemm.inner,
                left: factor(&gemm.left, factors[0], size, batch, &(0..gemm.inner)),
                right: factor(&gemm.right, factors[1], size, batch, &columns),
            };
            if !library(&product, results) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Some columns of a factor.
fn factor<'a>(
    factor: &GemmFactor,
    bytes: &'a [u8],
    size: usize,
    batch: usize,
    columns: &Range<usize>,
) -> HostFactor<'a> {
    let step = if factor.is_transposed { 1 } else { factor.leading };
    // A library's factor has no step backwards from a matrix to the next.
    let start = batch * factor.batch.unsigned_abs() + columns.start * step;
    HostFactor { bytes: &bytes[start * size..], is_transposed: factor.is_transposed, leading: factor.leading }
}
