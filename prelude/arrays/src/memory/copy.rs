//! Copies that the program does not wait for, and copies between contexts.

use std::sync::Arc;

use super::allocation::{self, DeviceAllocation, check, check_room};
use super::host_array::HostElem;
use super::pagelocked::PageLocked;
use crate::GpuArray;
use crate::array::Elem;
use crate::array::{Node, Place, Raw};
use crate::device::{Buffer, Context, Stream, refuse_in_capture};
use crate::error::{ErrorKind, OrRaise as _, Problem, Result};

/// Copies from page-locked memory to the device, on a stream: all of `from`,
/// to the start of `to`. The program continues; changing or dropping `from`
/// waits for the copy.
///
/// # Errors
///
/// If `from` is longer than `to`, the stream is of another context, or the
/// device reports an error.
pub fn memcpy_htod_async<T: HostElem>(
    to: &mut DeviceAllocation,
    from: &PageLocked<T>,
    stream: &Stream,
) -> Result<()> {
    check("memcpy_htod_async", to.len(), from.memory().len())?;
    let bytes = from.memory().len();
    queue("memcpy_htod_async", stream, place(to), (from.memory().buffer(), 0), bytes)
}

/// Copies from the device to page-locked memory, on a stream: as much as `to`
/// holds, from the start of `from`. The program continues; looking at `to`
/// waits for the copy.
///
/// # Errors
///
/// If `to` is longer than `from`, the stream is of another context, or the
/// device reports an error.
pub fn memcpy_dtoh_async<T: HostElem>(
    to: &mut PageLocked<T>,
    from: &DeviceAllocation,
    stream: &Stream,
) -> Result<()> {
    let memory = to.memory_mut();
    check_room("memcpy_dtoh_async", memory.len(), from)?;
    queue("memcpy_dtoh_async", stream, (memory.buffer(), 0), place(from), memory.len())
}

/// Copies on the device, on a stream: as much as `from` holds, to the start
/// of `to`.
///
/// # Errors
///
/// If `from` is longer than `to`, the stream is of another context, or the
/// device reports an error.
pub fn memcpy_dtod_async(to: &mut DeviceAllocation, from: &DeviceAllocation, stream: &Stream) -> Result<()> {
    stream.context().check_same("memcpy_dtod_async", to.buffer().context())?;
    stream.scope(|| allocation::copy(to, from))?
}

fn place(memory: &DeviceAllocation) -> (&Arc<Buffer>, usize) {
    (memory.buffer(), memory.offset_in_buffer())
}

/// Has a stream copy. One of the sides is page-locked, of any context.
fn queue(
    operation: &'static str,
    stream: &Stream,
    to: (&Arc<Buffer>, usize),
    from: (&Arc<Buffer>, usize),
    bytes: usize,
) -> Result<()> {
    refuse_in_capture(operation)?;
    let device = if to.0.is_host() { from.0 } else { to.0 };
    stream.context().check_same(operation, device.context())?;
    if bytes == 0 {
        return Ok(());
    }
    to.0.before_write()?;
    crate::interrupt::check()?;
    stream.scope(|| stream.context().copy((to.0, to.1), (from.0, from.1), bytes))?
}

/// Copies to memory of another context, of another GPU as a rule: all of
/// `from`, to the start of `to`. Both may be of one context too.
///
/// # Errors
///
/// If `from` is longer than `to`, or a device reports an error.
pub fn memcpy_peer(to: &mut DeviceAllocation, from: &DeviceAllocation) -> Result<()> {
    check("memcpy_peer", to.len(), from.len())?;
    peer(place(to), place(from), from.len())
}

/// [`memcpy_peer`] on a stream of the context that is copied to.
///
/// # Errors
///
/// As [`memcpy_peer`], or if the stream is of another context.
pub fn memcpy_peer_async(to: &mut DeviceAllocation, from: &DeviceAllocation, stream: &Stream) -> Result<()> {
    stream.context().check_same("memcpy_peer_async", to.buffer().context())?;
    stream.scope(|| memcpy_peer(to, from))?
}

fn peer(to: (&Arc<Buffer>, usize), from: (&Arc<Buffer>, usize), bytes: usize) -> Result<()> {
    let (here, there) = (to.0.context(), from.0.context());
    if here == there {
        return crate::array::copy_bytes(to, from, bytes);
    }
    refuse_in_capture("memcpy_peer")?;
    if bytes == 0 {
        return Ok(());
    }
    to.0.before_write()?;
    if here.device().kind() == there.device().kind() {
        let copied = here.copy_peer((to.0, to.1), (from.0, from.1), bytes);
        match copied {
            // Devices that do not reach each other, memory of a pool among
            // them: through the host.
            Err(error) if matches!(error.kind(), ErrorKind::Device | ErrorKind::Unsupported) => {}
            result => return result,
        }
    }
    // A piece at a time, so that the host need not have as much memory.
    let mut piece = vec![0; bytes.min(PIECE)];
    for start in (0..bytes).step_by(PIECE) {
        let piece = &mut piece[..PIECE.min(bytes - start)];
        there.download(from.0, from.1 + start, piece)?;
        here.upload(to.0, to.1 + start, piece)?;
    }
    Ok(())
}

/// Bytes that are copied through the host at a time.
const PIECE: usize = 64 << 20;

impl<T: Elem> GpuArray<T> {
    /// A copy of the array in another context, on another GPU as a rule.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a: GpuArray<i32> = arange(0..6);
    /// let context = Device::new(0)?.make_context()?;
    /// let b = a.to_context(context);
    /// assert_eq!(context.scope(|| (&b * 2).to_vec())?, [0, 2, 4, 6, 8, 10]);
    /// # Context::pop()?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there is not enough memory, or a device
    /// reports an error; [`GpuArray::try_to_context`] returns it instead.
    #[track_caller]
    pub fn to_context(&self, context: Context) -> GpuArray<T> {
        self.try_to_context(context).or_raise()
    }

    /// [`GpuArray::to_context`] that returns errors.
    ///
    /// # Errors
    ///
    /// If there is not enough memory, or a device reports an error.
    pub fn try_to_context(&self, context: Context) -> Result<GpuArray<T>> {
        in_context(&self.raw, context).map(GpuArray::wrap)
    }

    /// Copies the elements from page-locked memory, on a stream: PyCUDA's
    /// `set_async`.
    ///
    /// # Errors
    ///
    /// If the shapes differ, the elements of this view do not lie in order, or
    /// as [`memcpy_htod_async`].
    pub fn set_async(&mut self, from: &PageLocked<T>, stream: &Stream) -> Result<()>
    where
        T: HostElem,
    {
        check_shapes("set_async", self.shape(), from.shape())?;
        memcpy_htod_async(&mut self.try_gpudata()?, from, stream)
    }

    /// Copies the elements to page-locked memory, on a stream: PyCUDA's
    /// `get_async`.
    ///
    /// # Errors
    ///
    /// As [`GpuArray::set_async`].
    pub fn get_async(&self, to: &mut PageLocked<T>, stream: &Stream) -> Result<()>
    where
        T: HostElem,
    {
        check_shapes("get_async", to.shape(), self.shape())?;
        memcpy_dtoh_async(to, &self.try_gpudata()?, stream)
    }
}

fn check_shapes(operation: &'static str, to: &[usize], from: &[usize]) -> Result<()> {
    if to == from {
        return Ok(());
    }
    let message = format!(
        "cannot copy an array of shape {from:?} to one of shape {to:?}; `reshape` gives both the same shape"
    );
    Err(Problem::Shape { operation, message }.into())
}

fn in_context(raw: &Raw, context: Context) -> Result<Raw> {
    let from = raw.contiguous()?;
    let to = Place::within(context, raw.shape(), raw.dtype())?;
    let (offset, bytes) = (from.offset * raw.dtype().size(), raw.shape().size() * raw.dtype().size());
    peer((&to.buffer, 0), (&from.buffer, offset), bytes)?;
    Ok(Raw::new(Node::ready(raw.shape(), raw.dtype(), to)))
}
