//! Foreign memory: a device's memory that something else has allocated.

use std::any::Any;
use std::sync::Arc;

use super::{Buffer, Context};
use crate::error::{Problem, Result};

/// A holder of a device's memory, such as a library's own type: PyCUDA's
/// `PointerHolderBase`. An `Arc` of it is passed to kernels, or becomes an
/// allocation by `DeviceAllocation::from_holder`.
///
/// ```
/// use gpurepl_prelude::*;
/// use std::sync::Arc;
/// struct Vector(DeviceAllocation);
/// // SAFETY: the allocation lives as long as this, and nobody else uses it.
/// unsafe impl PointerHolder for Vector {
///     fn pointer(&self) -> u64 {
///         self.0.address()
///     }
///     fn bytes(&self) -> usize {
///         self.0.len()
///     }
/// }
/// let vector = Arc::new(Vector(to_device(&[1.0f32, 2.0])?));
/// let module = SourceModule::new("__global__ void twice(float *a) { a[threadIdx.x] *= 2; }")?;
/// module.get_function("twice")?.launch(1, 2, &vector)?;
/// let mut back = [0.0f32; 2];
/// memcpy_dtoh(&mut back, &vector.0)?;
/// assert_eq!(back, [2.0, 4.0]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Safety
///
/// As long as the holder lives, kernels of the current context can read and
/// write [`PointerHolder::bytes`] bytes at the pointer. Nothing else uses them
/// while a kernel does.
pub unsafe trait PointerHolder: Any + Send + Sync {
    /// The address on the device.
    fn pointer(&self) -> u64;

    /// How many bytes are there.
    fn bytes(&self) -> usize;
}

/// Foreign memory, and what is kept for it.
#[doc(hidden)]
pub struct Foreign {
    context: Context,
    address: u64,
    bytes: usize,
    owner: Option<Box<dyn Any + Send + Sync>>,
}

impl Foreign {
    /// A buffer over foreign memory. Dropping it waits for the device.
    ///
    /// # Safety
    ///
    /// The device can read and write `bytes` bytes there as long as `owner`
    /// lives, and nothing else uses them while work of this crate does.
    pub unsafe fn buffer(
        context: Context,
        address: u64,
        bytes: usize,
        owner: Box<dyn Any + Send + Sync>,
    ) -> Result<Arc<Buffer>> {
        let end = usize::try_from(address).ok().and_then(|address| address.checked_add(bytes));
        if bytes > 0 && (address == 0 || isize::try_from(bytes).is_err() || end.is_none()) {
            let message = format!("{bytes} bytes at address {address:#x}, where no memory can be");
            return Err(Problem::Invalid { operation: "from_raw", message }.into());
        }
        context.backend().copies().note_foreign(address, bytes);
        let owner = Arc::new(Foreign { context, address, bytes, owner: Some(owner) });
        Ok(Buffer::awaited(context, address, bytes, false, owner))
    }
}

impl Foreign {
    /// A buffer over the memory of a holder, which is kept.
    pub fn held<P: PointerHolder>(context: Context, holder: Arc<P>) -> Result<Arc<Buffer>> {
        let (address, bytes) = (holder.pointer(), holder.bytes());
        // SAFETY: the trait's promise, for as long as the holder lives.
        unsafe { Foreign::buffer(context, address, bytes, Box::new(holder)) }
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        // The owner may need the context, which goes with what lives in it.
        drop(self.owner.take());
        self.context.backend().copies().forget_foreign(self.address, self.bytes);
    }
}
