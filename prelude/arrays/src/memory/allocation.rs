//! Memory without a type: PyCUDA's `mem_alloc` and `memcpy`.

use std::sync::Arc;

use ndarray::ArrayD;

use super::host_array::{HostArray, shape_of};
use super::host_data::{HostData, HostDataMut};
use crate::array::Elem;
use crate::array::copy_bytes;
use crate::device::{self, Buffer};
use crate::error::{Bytes, Problem, Result};
use crate::shape::IntoShape;

/// A piece of the device's memory. It is freed when its last handle is
/// dropped, or by [`DeviceAllocation::free`].
///
/// ```
/// use gpurepl_prelude::*;
/// let a = [1.0f32, 2.0, 3.0, 4.0];
/// let mut a_gpu = mem_alloc(size_of_val(&a))?;
/// memcpy_htod(&mut a_gpu, &a)?;
/// let mut back = [0.0f32; 4];
/// memcpy_dtoh(&mut back, &a_gpu)?;
/// assert_eq!(a, back);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct DeviceAllocation {
    buffer: Arc<Buffer>,
    /// In bytes from the start of the buffer: an array's memory may start
    /// within one.
    offset: usize,
    bytes: usize,
}

/// Allocates memory on the device. Its contents are undefined.
///
/// # Errors
///
/// If the device does not have enough memory, or there is no device.
pub fn mem_alloc(bytes: usize) -> Result<DeviceAllocation> {
    if isize::try_from(bytes).is_err() {
        let (free, total) = mem_get_info()?;
        return Err(Problem::OutOfMemory {
            device: device::current()?.device().id().to_owned(),
            asked: Bytes(bytes as u64),
            free: Bytes(free as u64),
            total: Bytes(total as u64),
            help: "",
        }
        .into());
    }
    let buffer = Buffer::new(device::current()?, bytes)?;
    Ok(DeviceAllocation { buffer, offset: 0, bytes })
}

/// Free and total memory of the device, in bytes.
///
/// # Errors
///
/// If the device does not say, or there is none.
pub fn mem_get_info() -> Result<(usize, usize)> {
    let (free, total) = device::current()?.backend().memory()?;
    Ok((free as usize, total as usize))
}

/// Copies from the host to the device: all of `from`, to the start of `to`.
///
/// # Errors
///
/// If `from` is longer than `to`, or the device reports an error.
pub fn memcpy_htod<A: HostData + ?Sized>(to: &mut DeviceAllocation, from: &A) -> Result<()> {
    upload(to, &from.data()?.bytes)
}

/// Copies from the device to the host: as much as `to` holds, from the start
/// of `from`.
///
/// # Errors
///
/// If `to` is longer than `from`, or the device reports an error.
pub fn memcpy_dtoh<A: HostDataMut + ?Sized>(to: &mut A, from: &DeviceAllocation) -> Result<()> {
    to.receive(&|bytes| download(bytes, from))
}

/// Copies on the device: as much as `from` holds, to the start of `to`.
///
/// # Errors
///
/// If `from` is longer than `to`, or the device reports an error.
pub fn memcpy_dtod(to: &mut DeviceAllocation, from: &DeviceAllocation) -> Result<()> {
    copy(to, from)
}

/// Copies all of `from` to the start of `to`, on the current stream.
pub(super) fn copy(to: &DeviceAllocation, from: &DeviceAllocation) -> Result<()> {
    check("memcpy_dtod", to.bytes, from.bytes)?;
    if from.bytes > 0 {
        to.buffer.context().check_same("memcpy_dtod", from.buffer.context())?;
    }
    copy_bytes((&to.buffer, to.offset), (&from.buffer, from.offset), from.bytes)
}

/// Reserves memory for host data and copies it there.
///
/// # Errors
///
/// As [`mem_alloc`] and [`memcpy_htod`].
pub fn to_device<A: HostData + ?Sized>(from: &A) -> Result<DeviceAllocation> {
    let bytes = from.data()?.bytes;
    let mut to = mem_alloc(bytes.len())?;
    upload(&mut to, &bytes)?;
    Ok(to)
}

/// Reserves as much memory as data of the host has, or a page-locked array.
///
/// # Errors
///
/// As [`mem_alloc`].
pub fn mem_alloc_like<A: HostData + ?Sized>(data: &A) -> Result<DeviceAllocation> {
    mem_alloc(data.data()?.bytes.len())
}

/// Copies from the device to a new array of the host.
///
/// ```
/// use gpurepl_prelude::*;
/// let memory = to_device(&[1.0f32, 2.0, 3.0, 4.0])?;
/// let a = from_device::<f32>(&memory, (2, 2))?;
/// assert_eq!(a[[1, 0]], 3.0);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If the memory is smaller, or the device reports an error.
pub fn from_device<T: Elem>(from: &DeviceAllocation, shape: impl IntoShape) -> Result<ArrayD<T>> {
    let shape = shape.into_dims().shape("from_device", size_of::<T>())?;
    let elements = T::from_bytes(&received(from, shape.size() * size_of::<T>())?);
    Ok(ArrayD::from_shape_vec(shape.lengths(), elements).expect("as many elements as the shape has"))
}

fn received(from: &DeviceAllocation, bytes: usize) -> Result<Vec<u8>> {
    // Before room is made for more than there is.
    check_room("from_device", bytes, from)?;
    let mut received = vec![0; bytes];
    download(&mut received, from)?;
    Ok(received)
}

/// Copies from the device to a new array with the shape and the type of
/// another one.
///
/// # Errors
///
/// As [`from_device`].
pub fn from_device_like<A: HostArray + ?Sized>(from: &DeviceAllocation, like: &A) -> Result<ArrayD<A::Elem>> {
    let lengths = like.lengths();
    shape_of(&lengths, "from_device", size_of::<A::Elem>())?;
    from_device::<A::Elem>(from, &lengths[..])
}

pub(super) fn check(operation: &'static str, room: usize, asked: usize) -> Result<()> {
    if asked <= room {
        return Ok(());
    }
    let message = format!(
        "{} do not fit in an allocation of {}; copy fewer, or allocate more",
        Bytes(asked as u64),
        Bytes(room as u64)
    );
    Err(Problem::Invalid { operation, message }.into())
}

fn upload(to: &mut DeviceAllocation, bytes: &[u8]) -> Result<()> {
    check("memcpy_htod", to.bytes, bytes.len())?;
    if bytes.is_empty() {
        return Ok(());
    }
    to.buffer.before_write()?;
    crate::interrupt::check()?;
    to.buffer.context().upload(&to.buffer, to.offset, bytes)
}

pub(super) fn check_room(operation: &'static str, asked: usize, from: &DeviceAllocation) -> Result<()> {
    if asked <= from.bytes {
        return Ok(());
    }
    let message = format!(
        "{} requested from an allocation of {}; read no more than it has",
        Bytes(asked as u64),
        Bytes(from.bytes as u64)
    );
    Err(Problem::Invalid { operation, message }.into())
}

fn download(to: &mut [u8], from: &DeviceAllocation) -> Result<()> {
    check_room("memcpy_dtoh", to.len(), from)?;
    if to.is_empty() {
        return Ok(());
    }
    from.buffer.context().download(&from.buffer, from.offset, to)
}

impl DeviceAllocation {
    /// Memory within a buffer: an array's.
    pub(crate) fn within(buffer: Arc<Buffer>, offset: usize, bytes: usize) -> DeviceAllocation {
        DeviceAllocation { buffer, offset, bytes }
    }

    /// Its size in bytes.
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Its address on the device.
    pub fn address(&self) -> u64 {
        self.buffer.address() + self.offset as u64
    }

    /// The same address, by PyCUDA's name.
    pub fn ptr(&self) -> u64 {
        self.address()
    }

    /// The memory from some bytes on: PyCUDA's `np.intp(a_gpu) + bytes`. It
    /// shares the memory, to be passed to kernels and copies.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let memory = to_device(&[1.0f32, 2.0, 3.0])?;
    /// let mut rest = [0.0f32; 2];
    /// memcpy_dtoh(&mut rest, &memory.offset(4)?)?;
    /// assert_eq!(rest, [2.0, 3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there are fewer bytes.
    pub fn offset(&self, bytes: usize) -> Result<DeviceAllocation> {
        self.slice(bytes..self.bytes.max(bytes))
    }

    /// Some bytes of the memory, shared.
    ///
    /// # Errors
    ///
    /// If they lie outside of it.
    pub fn slice(&self, bytes: std::ops::Range<usize>) -> Result<DeviceAllocation> {
        if bytes.start > bytes.end || bytes.end > self.bytes {
            let message = format!(
                "bytes {} to {} are outside of an allocation of {} bytes; give a range within it",
                bytes.start, bytes.end, self.bytes
            );
            return Err(Problem::Invalid { operation: "DeviceAllocation", message }.into());
        }
        Ok(DeviceAllocation {
            buffer: Arc::clone(&self.buffer),
            offset: self.offset + bytes.start,
            bytes: bytes.end - bytes.start,
        })
    }

    /// The context that the memory is in.
    pub fn context(&self) -> device::Context {
        self.buffer.context()
    }

    /// The address and the size in bytes, of memory that is never freed from
    /// here: for a library that continues to use it. Work that has been asked
    /// for is waited for.
    ///
    /// # Errors
    ///
    /// If that work failed; the memory is kept all the same.
    pub fn into_raw(self) -> Result<(u64, usize)> {
        let (address, bytes, context) = (self.address(), self.bytes, self.buffer.context());
        std::mem::forget(self);
        crate::array::settle()?;
        context.synchronize()?;
        Ok((address, bytes))
    }

    pub(super) fn offset_in_buffer(&self) -> usize {
        self.offset
    }

    /// Frees the memory now, unless an array or another handle shares it.
    pub fn free(self) {
        drop(self);
    }

    pub(crate) fn buffer(&self) -> &Arc<Buffer> {
        &self.buffer
    }
}

impl std::fmt::Debug for DeviceAllocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "DeviceAllocation({:#x}, {}, on {})",
            self.address(),
            Bytes(self.bytes as u64),
            self.buffer.context().device().id()
        )
    }
}

impl<T: crate::Elem> crate::GpuArray<T> {
    /// The memory behind this array, whose elements must lie in order:
    /// PyCUDA's `gpudata`.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if they do not (a transposed array,
    /// say; `.copy()` puts them in order), or evaluating the array fails.
    #[track_caller]
    pub fn gpudata(&self) -> DeviceAllocation {
        use crate::error::OrRaise as _;
        gpudata(&self.raw).or_raise()
    }

    /// The address of this array on its device, for a structure with a pointer
    /// or a prepared kernel: PyCUDA's `ptr`. The array has to outlive its use.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let source = "__global__ void twice(float *a) { a[threadIdx.x] *= 2; }";
    /// let twice = SourceModule::new(source)?.get_function("twice")?.prepare("P")?;
    /// let a = ones::<f32>(4);
    /// twice.prepared_call(1, 4, (a.ptr(),))?;
    /// assert_eq!(a.to_vec(), [2.0; 4]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::gpudata`](crate::GpuArray::gpudata).
    #[track_caller]
    pub fn ptr(&self) -> u64 {
        self.gpudata().address()
    }

    /// [`GpuArray::gpudata`](crate::GpuArray::gpudata) that returns errors.
    ///
    /// # Errors
    ///
    /// If the elements do not lie in order, or evaluating the array fails.
    pub fn try_gpudata(&self) -> Result<DeviceAllocation> {
        gpudata(&self.raw)
    }
}

fn gpudata(raw: &crate::array::Raw) -> Result<DeviceAllocation> {
    let place = raw.place()?;
    if place.strided().view(raw.shape()) != gpurepl_kernels::View::Contiguous {
        let message =
            "the elements of this view do not lie in order; `.copy()` puts them in order".to_owned();
        return Err(Problem::Invalid { operation: "gpudata", message }.into());
    }
    let size = raw.dtype().size();
    Ok(DeviceAllocation::within(place.buffer, place.offset * size, raw.shape().size() * size))
}
