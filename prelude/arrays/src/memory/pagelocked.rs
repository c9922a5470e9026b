//! Memory of the host that the system may not move, so that devices reach it.

use std::marker::PhantomData;

use super::allocation::DeviceAllocation;
use super::host_array::{HostArray, HostElem, in_place, shape_of};
use crate::device::{self, HostMemory, PageLockedFlags};
use crate::error::{Problem, Result};
use crate::shape::{IntoShape, Shape};

/// An array of the host in page-locked memory: a GPU copies to and from it at
/// the speed of its link, while the program continues.
///
/// It is used as a slice, or as an array of `ndarray`. Access waits for copies
/// that are not finished:
///
/// ```
/// use gpurepl_prelude::*;
/// let stream = Stream::new()?;
/// let a = pagelocked_from(&[1.0f32, 2.0, 3.0])?;
/// let mut back = pagelocked_zeros::<f32>(3)?;
/// let mut a_gpu = mem_alloc(a.nbytes())?;
/// memcpy_htod_async(&mut a_gpu, &a, &stream)?;
/// memcpy_dtoh_async(&mut back, &a_gpu, &stream)?;
/// assert_eq!(back[1], 2.0); // waits for the copy
/// # Ok::<(), Error>(())
/// ```
///
/// All other copies take it directly too: `memcpy_htod`,
/// `to_gpu`, `In`, `Out` and `InOut`. While a graph is
/// captured its contents are copied, as those of all host data.
pub struct PageLocked<T> {
    memory: HostMemory,
    shape: Shape,
    flags: PageLockedFlags,
    element: PhantomData<T>,
}

in_place!(PageLocked);

/// A new page-locked array. Its contents are undefined.
///
/// # Errors
///
/// If the shape is not valid, there is not enough memory, or no device.
pub fn pagelocked_empty<T: HostElem>(shape: impl IntoShape) -> Result<PageLocked<T>> {
    PageLocked::with_flags(shape, PageLockedFlags::default())
}

/// A new page-locked array of zeros.
///
/// # Errors
///
/// As [`pagelocked_empty`].
pub fn pagelocked_zeros<T: HostElem>(shape: impl IntoShape) -> Result<PageLocked<T>> {
    let mut array = pagelocked_empty::<T>(shape)?;
    array.memory.bytes_mut()?.fill(0);
    Ok(array)
}

/// A new page-locked array with the shape and the elements of another one.
///
/// # Errors
///
/// As [`pagelocked_empty`].
pub fn pagelocked_from<A: HostArray + ?Sized>(data: &A) -> Result<PageLocked<A::Elem>>
where
    A::Elem: HostElem,
{
    let elements = data.elements()?;
    let mut array = pagelocked_empty::<A::Elem>(&data.lengths()[..])?;
    array.memory.bytes_mut()?.copy_from_slice(bytemuck::cast_slice(elements));
    Ok(array)
}

/// Page-locks memory that is there already, and keeps it: PyCUDA's
/// `register_host_memory`. [`PageLocked::into_vec`] gives it back.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = register_host_memory(vec![1.0f32; 1000])?;
/// let total = to_gpu(&a).sum();
/// assert_eq!(total.item(), 1000.0);
/// let a: Vec<f32> = a.into_vec()?;
/// # assert_eq!(a.len(), 1000);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If the driver refuses; the vector is lost then.
pub fn register_host_memory<T: HostElem>(memory: Vec<T>) -> Result<PageLocked<T>> {
    // Kernels may use what is registered, as with PyCUDA's default.
    let flags = PageLockedFlags { mapped: true, ..PageLockedFlags::default() };
    let shape = shape_of(&[memory.len()], "register_host_memory", size_of::<T>())?;
    let memory = HostMemory::registered(device::current()?, memory, flags)?;
    Ok(PageLocked { memory, shape, flags, element: PhantomData })
}

impl<T: HostElem> PageLocked<T> {
    /// A new page-locked array with flags. Its contents are undefined.
    ///
    /// # Errors
    ///
    /// As [`pagelocked_empty`].
    pub fn with_flags(shape: impl IntoShape, flags: PageLockedFlags) -> Result<PageLocked<T>> {
        let shape = shape.into_dims().shape("page-locked memory", size_of::<T>())?;
        let memory = HostMemory::page_locked(device::current()?, shape.size() * size_of::<T>(), flags)?;
        Ok(PageLocked { memory, shape, flags, element: PhantomData })
    }

    /// The memory as kernels see it, to be passed to them while nothing else
    /// uses it: PyCUDA's `get_device_pointer`. A kernel reads and writes it
    /// across the link, without a copy.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let mapped = PageLockedFlags { mapped: true, ..Default::default() };
    /// let mut a = PageLocked::<f32>::with_flags(4, mapped)?;
    /// a.fill(2.0);
    /// let module = SourceModule::new("__global__ void twice(float *a) { a[threadIdx.x] *= 2; }")?;
    /// module.get_function("twice")?.launch(1, 4, a.device_pointer()?)?;
    /// assert_eq!(*a, [4.0; 4]); // waits for the kernel
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the array was not made with [`PageLockedFlags::mapped`].
    pub fn device_pointer(&mut self) -> Result<MappedPointer<'_, T>> {
        check_mapped(&self.memory, self.flags)?;
        let memory = DeviceAllocation::within(self.memory.buffer().clone(), 0, self.memory.len());
        Ok(MappedPointer { memory, array: PhantomData })
    }

    /// The flags that it was made with.
    pub fn flags(&self) -> PageLockedFlags {
        self.flags
    }

    /// The elements as a vector, after all that the device does with them:
    /// the vector that was registered, or a copy.
    ///
    /// # Errors
    ///
    /// If the device's work on them failed.
    pub fn into_vec(self) -> Result<Vec<T>> {
        self.memory.bytes()?;
        match self.memory.into_registered() {
            Ok(vector) => Ok(vector),
            Err(memory) => Ok(bytemuck::pod_collect_to_vec(memory.bytes()?)),
        }
    }

    pub(super) fn memory(&self) -> &HostMemory {
        &self.memory
    }

    /// The memory, for copies that read it while the array is borrowed.
    pub(super) fn allocation(&self) -> DeviceAllocation {
        DeviceAllocation::within(self.memory.buffer().clone(), 0, self.memory.len())
    }

    /// The same, for copies that write it.
    pub(super) fn allocation_mut(&mut self) -> DeviceAllocation {
        self.allocation()
    }

    /// The same, for work that writes it.
    pub(super) fn memory_mut(&mut self) -> &HostMemory {
        &self.memory
    }
}

fn check_mapped(memory: &HostMemory, flags: PageLockedFlags) -> Result<()> {
    let operation = "device_pointer";
    if !flags.mapped {
        let message =
            "this array has no address on the device; make it with `PageLockedFlags { mapped: true, .. }`"
                .to_owned();
        return Err(Problem::Invalid { operation, message }.into());
    }
    let address = memory.buffer().address();
    if memory.len() > 0 && memory.buffer().context().backend().copies().device_pointer(address)? != address {
        let message =
            "on this machine registered memory has another address on the device than in the program; \
                       use `PageLocked::with_flags` and copy"
                .to_owned();
        return Err(Problem::Unsupported { message }.into());
    }
    Ok(())
}

/// A page-locked array as an argument of a kernel. The array is borrowed as
/// long as this lives; the kernel may take longer, and is waited for when the
/// array is used.
pub struct MappedPointer<'a, T> {
    memory: DeviceAllocation,
    array: PhantomData<&'a mut [T]>,
}

impl<T> MappedPointer<'_, T> {
    /// The address that kernels know it by.
    pub fn address(&self) -> u64 {
        self.memory.address()
    }

    pub(crate) fn memory(&self) -> &DeviceAllocation {
        &self.memory
    }
}

impl<T> std::fmt::Debug for MappedPointer<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MappedPointer({:#x})", self.address())
    }
}

/// An array of the host that starts at a multiple of a number of bytes, in
/// ordinary memory.
pub struct AlignedArray<T> {
    /// Elements before the first one are left out.
    memory: Vec<T>,
    start: usize,
    shape: Shape,
}

/// An array of zeros whose first element lies at a multiple of `alignment`
/// bytes: PyCUDA's `aligned_empty`.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = aligned_empty::<f32>((3, 4), 4096)?;
/// assert_eq!((a.as_ptr() as usize % 4096, a.len()), (0, 12));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If the alignment is not a power of two, or the array is larger than any
/// memory.
pub fn aligned_empty<T: HostElem>(shape: impl IntoShape, alignment: usize) -> Result<AlignedArray<T>> {
    let operation = "aligned_empty";
    let shape = shape.into_dims().shape(operation, size_of::<T>())?;
    if !alignment.is_power_of_two() {
        let message = format!("an alignment of {alignment} bytes is not valid; give a power of two");
        return Err(Problem::Invalid { operation, message }.into());
    }
    let more = alignment.div_ceil(size_of::<T>());
    let count = shape.size().checked_add(more).filter(|count| count.checked_mul(size_of::<T>()).is_some());
    let mut memory: Vec<T> = Vec::new();
    let is_room = count.is_some_and(|count| memory.try_reserve_exact(count).is_ok());
    let Some(count) = count.filter(|_| is_room) else {
        let message = format!(
            "an array of shape {:?} aligned to {alignment} bytes exceeds any memory; give a smaller shape",
            shape.lengths()
        );
        return Err(Problem::Invalid { operation, message }.into());
    };
    memory.resize(count, T::zeroed());
    let address = memory.as_ptr() as usize;
    let gap = address.next_multiple_of(alignment) - address;
    if !gap.is_multiple_of(size_of::<T>()) {
        let message = format!(
            "elements of {} bytes cannot be aligned to {alignment} bytes; give a multiple of their size",
            size_of::<T>()
        );
        return Err(Problem::Invalid { operation, message }.into());
    }
    Ok(AlignedArray { memory, start: gap / size_of::<T>(), shape })
}

impl<T: HostElem> AlignedArray<T> {
    /// The lengths of the axes.
    pub fn shape(&self) -> &[usize] {
        self.shape.lengths()
    }

    /// The elements as an array of `ndarray`.
    pub fn array(&self) -> ndarray::ArrayViewD<'_, T> {
        ndarray::ArrayViewD::from_shape(self.shape.lengths(), self).expect("as many elements")
    }

    /// The elements as an array of `ndarray` to be changed.
    pub fn array_mut(&mut self) -> ndarray::ArrayViewMutD<'_, T> {
        let shape = self.shape;
        ndarray::ArrayViewMutD::from_shape(shape.lengths(), self).expect("as many elements")
    }
}

impl<T: HostElem> std::ops::Deref for AlignedArray<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.memory[self.start..self.start + self.shape.size()]
    }
}

impl<T: HostElem> std::ops::DerefMut for AlignedArray<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        let end = self.start + self.shape.size();
        &mut self.memory[self.start..end]
    }
}

impl<T: HostElem> std::fmt::Debug for AlignedArray<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(&self.array(), f)
    }
}
