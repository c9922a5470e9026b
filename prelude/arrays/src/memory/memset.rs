//! Fills.

use super::allocation::DeviceAllocation;
use crate::device::{Fill, Stream};
use crate::error::{Problem, Result};

/// Fills rows. `pitch` is in bytes, `width` in values of `size` bytes.
fn fill(
    operation: &'static str,
    to: &DeviceAllocation,
    (value, size): (u32, usize),
    pitch: usize,
    width: usize,
    height: usize,
) -> Result<()> {
    let wrong = |message: String| Err(Problem::Invalid { operation, message }.into());
    if width == 0 || height == 0 {
        return Ok(());
    }
    let row = width.checked_mul(size);
    let pitch = if height == 1 { row.unwrap_or(usize::MAX) } else { pitch };
    if row.is_none_or(|row| row > pitch) {
        return wrong(format!("a row of {width} values of {size} bytes, but {pitch} bytes to the next row"));
    }
    let last = (height - 1).checked_mul(pitch).zip(row).and_then(|(rows, row)| rows.checked_add(row));
    if last.is_none_or(|last| last > to.len()) {
        let rows = if height == 1 { String::new() } else { format!(" in {height} rows of {pitch} bytes") };
        return wrong(format!("{width} values of {size} bytes{rows}; the allocation has {} bytes", to.len()));
    }
    if !to.address().is_multiple_of(size as u64) || (height > 1 && !pitch.is_multiple_of(size)) {
        return wrong(format!(
            "address {:#x} and pitch {pitch} must be multiples of the {size} bytes of a value",
            to.address()
        ));
    }
    let buffer = to.buffer();
    buffer.before_write()?;
    let offset = to.offset_in_buffer();
    buffer.context().backend().copies().fill(&Fill { to: buffer, offset, value, size, width, height, pitch })
}

/// Fills rows on a stream.
fn fill_on(
    operation: &'static str,
    stream: &Stream,
    to: &DeviceAllocation,
    value: (u32, usize),
    pitch: usize,
    (width, height): (usize, usize),
) -> Result<()> {
    stream.context().check_same(operation, to.buffer().context())?;
    stream.scope(|| fill(operation, to, value, pitch, width, height))?
}

/// Fills memory from its start with `count` bytes.
///
/// # Errors
///
/// If there are fewer, or the device reports an error.
pub fn memset_d8(to: &mut DeviceAllocation, value: u8, count: usize) -> Result<()> {
    fill("memset_d8", to, (value.into(), 1), 0, count, 1)
}

/// [`memset_d8`] on a stream.
///
/// # Errors
///
/// As [`memset_d8`], or if the stream is of another context.
pub fn memset_d8_async(to: &mut DeviceAllocation, value: u8, count: usize, stream: &Stream) -> Result<()> {
    fill_on("memset_d8_async", stream, to, (value.into(), 1), 0, (count, 1))
}

/// Fills `height` rows of `width` bytes; they start `pitch` bytes apart.
///
/// # Errors
///
/// If they lie outside of the memory, or the
/// device reports an error.
pub fn memset_d2d8(
    to: &mut DeviceAllocation,
    pitch: usize,
    value: u8,
    width: usize,
    height: usize,
) -> Result<()> {
    fill("memset_d2d8", to, (value.into(), 1), pitch, width, height)
}

/// [`memset_d2d8`] on a stream.
///
/// # Errors
///
/// As [`memset_d2d8`], or if the stream is of another context.
pub fn memset_d2d8_async(
    to: &mut DeviceAllocation,
    pitch: usize,
    value: u8,
    width: usize,
    height: usize,
    stream: &Stream,
) -> Result<()> {
    fill_on("memset_d2d8_async", stream, to, (value.into(), 1), pitch, (width, height))
}

/// Fills memory from its start with `count` 16-bit values.
///
/// # Errors
///
/// If there are fewer, the address is not a multiple of the value's size, or the device reports an error.
pub fn memset_d16(to: &mut DeviceAllocation, value: u16, count: usize) -> Result<()> {
    fill("memset_d16", to, (value.into(), 2), 0, count, 1)
}

/// [`memset_d16`] on a stream.
///
/// # Errors
///
/// As [`memset_d16`], or if the stream is of another context.
pub fn memset_d16_async(to: &mut DeviceAllocation, value: u16, count: usize, stream: &Stream) -> Result<()> {
    fill_on("memset_d16_async", stream, to, (value.into(), 2), 0, (count, 1))
}

/// Fills `height` rows of `width` 16-bit values; they start `pitch` bytes apart.
///
/// # Errors
///
/// If they lie outside of the memory, address or pitch are not multiples of the value's size, or the
/// device reports an error.
pub fn memset_d2d16(
    to: &mut DeviceAllocation,
    pitch: usize,
    value: u16,
    width: usize,
    height: usize,
) -> Result<()> {
    fill("memset_d2d16", to, (value.into(), 2), pitch, width, height)
}

/// [`memset_d2d16`] on a stream.
///
/// # Errors
///
/// As [`memset_d2d16`], or if the stream is of another context.
pub fn memset_d2d16_async(
    to: &mut DeviceAllocation,
    pitch: usize,
    value: u16,
    width: usize,
    height: usize,
    stream: &Stream,
) -> Result<()> {
    fill_on("memset_d2d16_async", stream, to, (value.into(), 2), pitch, (width, height))
}

/// Fills memory from its start with `count` 32-bit values.
///
/// ```
/// use gpurepl_prelude::*;
/// let mut a = mem_alloc(40)?;
/// memset_d32(&mut a, 7, 10)?;
/// assert_eq!(from_device::<u32>(&a, 10)?.sum(), 70);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If there are fewer, the address is not a multiple of the value's size, or the device reports an error.
pub fn memset_d32(to: &mut DeviceAllocation, value: u32, count: usize) -> Result<()> {
    fill("memset_d32", to, (value, 4), 0, count, 1)
}

/// [`memset_d32`] on a stream.
///
/// # Errors
///
/// As [`memset_d32`], or if the stream is of another context.
pub fn memset_d32_async(to: &mut DeviceAllocation, value: u32, count: usize, stream: &Stream) -> Result<()> {
    fill_on("memset_d32_async", stream, to, (value, 4), 0, (count, 1))
}

/// Fills `height` rows of `width` 32-bit values; they start `pitch` bytes apart.
///
/// # Errors
///
/// If they lie outside of the memory, address or pitch are not multiples of the value's size, or the
/// device reports an error.
pub fn memset_d2d32(
    to: &mut DeviceAllocation,
    pitch: usize,
    value: u32,
    width: usize,
    height: usize,
) -> Result<()> {
    fill("memset_d2d32", to, (value, 4), pitch, width, height)
}

/// [`memset_d2d32`] on a stream.
///
/// # Errors
///
/// As [`memset_d2d32`], or if the stream is of another context.
pub fn memset_d2d32_async(
    to: &mut DeviceAllocation,
    pitch: usize,
    value: u32,
    width: usize,
    height: usize,
    stream: &Stream,
) -> Result<()> {
    fill_on("memset_d2d32_async", stream, to, (value, 4), pitch, (width, height))
}
