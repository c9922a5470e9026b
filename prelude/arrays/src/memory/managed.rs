//! Memory that the host and a device share.

use std::marker::PhantomData;

use super::allocation::DeviceAllocation;
use super::host_array::{HostArray, HostElem, in_place};
use crate::device::{self, Advice, AttachFlags, HostMemory, MemoryLocation};
use crate::error::Result;
use crate::shape::{IntoShape, Shape};

/// An array in managed memory, which moves to where it is used: PyCUDA's
/// `managed_empty`. It is used as a slice or an array of `ndarray`, and passed
/// to kernels as it is. Access waits for the kernels that write it.
///
/// ```
/// use gpurepl_prelude::*;
/// let mut a = managed_zeros::<f32>((2, 4))?;
/// a[5] = 21.0;
/// let module = SourceModule::new("__global__ void twice(float *a) { a[threadIdx.x] *= 2; }")?;
/// module.get_function("twice")?.launch(1, 8, &mut a)?;
/// assert_eq!(a.array()[[1, 1]], 42.0);
/// # Ok::<(), Error>(())
/// ```
///
/// Passed as `&a` it goes to parameters that are `const` alone.
pub struct Managed<T> {
    memory: HostMemory,
    shape: Shape,
    element: PhantomData<T>,
}

in_place!(Managed);

/// A new managed array. Its contents are undefined.
///
/// # Errors
///
/// If the shape is not valid, there is not enough memory, or the device cannot share memory.
pub fn managed_empty<T: HostElem>(shape: impl IntoShape) -> Result<Managed<T>> {
    Managed::with_flags(shape, AttachFlags::default())
}

/// A new managed array of zeros.
///
/// # Errors
///
/// As [`managed_empty`].
pub fn managed_zeros<T: HostElem>(shape: impl IntoShape) -> Result<Managed<T>> {
    let mut array = managed_empty::<T>(shape)?;
    array.memory.bytes_mut()?.fill(0);
    Ok(array)
}

/// A new managed array with the shape and the elements of another one.
///
/// # Errors
///
/// As [`managed_empty`].
pub fn managed_from<A: HostArray + ?Sized>(data: &A) -> Result<Managed<A::Elem>>
where
    A::Elem: HostElem,
{
    let elements = data.elements()?;
    let mut array = managed_empty::<A::Elem>(&data.lengths()[..])?;
    array.memory.bytes_mut()?.copy_from_slice(bytemuck::cast_slice(elements));
    Ok(array)
}

impl<T: HostElem> Managed<T> {
    /// A new managed array with flags for who may use it. Its contents are undefined.
    ///
    /// # Errors
    ///
    /// As [`managed_empty`].
    pub fn with_flags(shape: impl IntoShape, flags: AttachFlags) -> Result<Managed<T>> {
        let shape = shape.into_dims().shape("managed memory", size_of::<T>())?;
        let memory = HostMemory::managed(device::current()?, shape.size() * size_of::<T>(), flags)?;
        Ok(Managed { memory, shape, element: PhantomData })
    }

    /// Sets who uses the memory from now on: kernels of all streams, the host
    /// alone, or kernels of the current stream.
    ///
    /// # Errors
    ///
    /// If the driver refuses.
    pub fn attach(&mut self, flags: AttachFlags) -> Result<()> {
        self.any(|memory| memory.buffer().context().backend().copies().attach(memory.buffer(), flags))
    }

    /// Moves the memory to where it will be used, on the current stream.
    ///
    /// # Errors
    ///
    /// If the driver refuses.
    pub fn prefetch(&self, to: MemoryLocation) -> Result<()> {
        self.any(|memory| memory.buffer().context().backend().copies().prefetch(memory.buffer(), to))
    }

    /// Says how the memory will be used.
    ///
    /// # Errors
    ///
    /// If the driver refuses.
    pub fn advise(&self, advice: Advice) -> Result<()> {
        self.any(|memory| memory.buffer().context().backend().copies().advise(memory.buffer(), advice))
    }

    /// Where there are elements at all.
    fn any(&self, act: impl FnOnce(&HostMemory) -> Result<()>) -> Result<()> {
        if self.memory.len() == 0 { Ok(()) } else { act(&self.memory) }
    }

    /// As an argument of a kernel, which may write it if this is asked of
    /// `&mut self`.
    pub(crate) fn argument(&self) -> DeviceAllocation {
        DeviceAllocation::within(self.memory.buffer().clone(), 0, self.memory.len())
    }
}
