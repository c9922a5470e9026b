//! Arrays and allocations over memory of a device that something else has
//! allocated.

use std::any::Any;
use std::sync::Arc;

use super::allocation::DeviceAllocation;
use crate::array::Elem;
use crate::array::{Node, Place, Raw};
use crate::device::{self, Buffer, Foreign, PointerHolder};
use crate::error::{Problem, Result};
use crate::shape::IntoShape;
use crate::{GpuArray, error::Error};

impl DeviceAllocation {
    /// Memory that something else has allocated, in the current context. `owner`
    /// is kept as long as the memory is used: dropping the last handle waits for
    /// the device's work on it.
    ///
    /// # Errors
    ///
    /// If there is no device, or no memory can be at the address.
    ///
    /// # Safety
    ///
    /// Kernels of the current context can read and write `bytes` bytes at the
    /// address as long as `owner` lives, and nothing else uses them while work
    /// of this crate does: no other allocation or array over the same bytes.
    pub unsafe fn from_raw(
        address: u64,
        bytes: usize,
        owner: impl Any + Send + Sync,
    ) -> Result<DeviceAllocation> {
        // SAFETY: the caller's promise.
        unsafe { over(address, bytes, Box::new(owner)) }
    }

    /// The memory of a holder, which is kept.
    ///
    /// # Errors
    ///
    /// As [`DeviceAllocation::from_raw`].
    pub fn from_holder<P: PointerHolder>(holder: Arc<P>) -> Result<DeviceAllocation> {
        Foreign::held(device::current()?, holder).map(whole)
    }
}

/// # Safety
///
/// As for [`DeviceAllocation::from_raw`].
unsafe fn over(address: u64, bytes: usize, owner: Box<dyn Any + Send + Sync>) -> Result<DeviceAllocation> {
    // SAFETY: the caller's promise.
    unsafe { Foreign::buffer(device::current()?, address, bytes, owner) }.map(whole)
}

fn whole(buffer: Arc<Buffer>) -> DeviceAllocation {
    let bytes = buffer.bytes();
    DeviceAllocation::within(buffer, 0, bytes)
}

impl<T: Elem> GpuArray<T> {
    /// An array over memory that something else has allocated, with elements in C
    /// order: PyCUDA's `GPUArray(shape, dtype, gpudata=...)`.
    ///
    /// # Errors
    ///
    /// If the shape is not valid, the address is not a multiple of an element's size,
    /// or as [`DeviceAllocation::from_raw`].
    ///
    /// # Safety
    ///
    /// As for [`DeviceAllocation::from_raw`], with the bytes of all elements.
    pub unsafe fn from_raw(
        address: u64,
        shape: impl IntoShape,
        owner: impl Any + Send + Sync,
    ) -> Result<GpuArray<T>> {
        let shape = shape.into_dims().shape("from_raw", size_of::<T>())?;
        // SAFETY: the caller's promise.
        let memory = unsafe { over(address, shape.size() * size_of::<T>(), Box::new(owner))? };
        memory.array(shape)
    }

    /// An array over an allocation, with elements in C order, from its start
    /// on. Both share the memory.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let memory = to_device(&[1.0f32, 2.0, 3.0, 4.0])?;
    /// let a = GpuArray::<f32>::from_allocation(&memory, (2, 2))?;
    /// assert_eq!(a.sum().item(), 10.0);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the allocation is smaller, or does not start at a multiple of an
    /// element's size.
    pub fn from_allocation(memory: &DeviceAllocation, shape: impl IntoShape) -> Result<GpuArray<T>> {
        memory.array(shape.into_dims().shape("from_allocation", size_of::<T>())?)
    }
}

impl DeviceAllocation {
    fn array<T: Elem>(&self, shape: crate::shape::Shape) -> Result<GpuArray<T>> {
        self.raw_array(shape, T::DTYPE).map(GpuArray::wrap)
    }

    fn raw_array(&self, shape: crate::shape::Shape, dtype: gpurepl_kernels::DType) -> Result<Raw> {
        let wrong = |message: String| -> Error { Problem::Invalid { operation: "GpuArray", message }.into() };
        let bytes = shape.size() * dtype.size();
        if bytes > self.len() {
            let message = format!(
                "an array of shape {shape:?} and type {dtype} has {bytes} bytes, the memory {}; give a shape that fits",
                self.len()
            );
            return Err(wrong(message));
        }
        let offset = self.offset_in_buffer();
        if !offset.is_multiple_of(dtype.size()) || !self.address().is_multiple_of(dtype.real().size() as u64)
        {
            let message = format!(
                "address {:#x} is not aligned for {dtype}; give a multiple of {} bytes",
                self.address(),
                dtype.size()
            );
            return Err(wrong(message));
        }
        let buffer = Arc::clone(self.buffer());
        let place = Place { buffer, offset: offset / dtype.size(), strides: shape.strides() };
        Ok(Raw::new(Node::ready(shape, dtype, place)))
    }
}
