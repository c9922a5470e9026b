//! Memory in rows that start where a device reads best.

use super::allocation::{DeviceAllocation, mem_alloc};
use crate::error::{Problem, Result};

/// What rows start at multiples of: a GPU's allocations do.
const ALIGNMENT: usize = 512;

/// Reserves memory for `height` rows of `width_in_bytes`, and returns it with
/// its pitch: the bytes from one row to the next, a multiple of 512.
/// `access_size` is the size in bytes of what kernels read at once: 4, 8 or
/// 16.
///
/// ```
/// use gpurepl_prelude::*;
/// let (memory, pitch) = mem_alloc_pitch(100, 20, 4)?;
/// assert!(pitch >= 100 && memory.len() == 20 * pitch);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If the access size is another one, or as [`mem_alloc`].
pub fn mem_alloc_pitch(
    width_in_bytes: usize,
    height: usize,
    access_size: usize,
) -> Result<(DeviceAllocation, usize)> {
    let operation = "mem_alloc_pitch";
    if ![4, 8, 16].contains(&access_size) {
        let message = format!("an access size of {access_size} bytes is not valid; give 4, 8 or 16");
        return Err(Problem::Invalid { operation, message }.into());
    }
    let pitch = width_in_bytes.checked_next_multiple_of(ALIGNMENT);
    let Some((pitch, bytes)) = pitch.and_then(|pitch| Some((pitch, pitch.checked_mul(height)?))) else {
        let message = format!("{height} rows of {width_in_bytes} bytes exceed any memory; allocate fewer");
        return Err(Problem::Invalid { operation, message }.into());
    };
    Ok((mem_alloc(bytes)?, pitch))
}
