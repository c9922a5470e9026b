//! Memory that the host uses in place while devices use it as well.

use std::any::Any;
use std::sync::Arc;

use super::{AttachFlags, Buffer, Context, PageLockedFlags};
use crate::error::Result;

/// Memory that both the program and the device read and write: page-locked
/// memory, memory that was registered, managed memory. The program waits for
/// the device before it looks.
///
/// Whoever lets the device write it has `&mut` of it, whoever lets it read has
/// `&`: then no slice of it is alive that the device would write under.
#[doc(hidden)]
pub struct HostMemory {
    // Dropped in this order: the buffer waits for the device.
    buffer: Arc<Buffer>,
    registration: Option<Arc<Registration>>,
}

#[expect(clippy::len_without_is_empty, reason = "memory of no bytes is of no use")]
impl HostMemory {
    pub fn page_locked(context: Context, bytes: usize, flags: PageLockedFlags) -> Result<HostMemory> {
        let address = match bytes {
            0 => 0,
            _ => context.backend().copies().allocate_page_locked(bytes, flags)?,
        };
        let owner = Arc::new(PageLockedPiece { context, address, bytes, flags });
        Ok(HostMemory { buffer: Buffer::awaited(context, address, bytes, true, owner), registration: None })
    }

    pub fn managed(context: Context, bytes: usize, flags: AttachFlags) -> Result<HostMemory> {
        let address = match bytes {
            0 => 0,
            _ => context.backend().copies().allocate_managed(bytes, flags)?,
        };
        let owner = Arc::new(ManagedPiece { context, address, bytes });
        Ok(HostMemory { buffer: Buffer::awaited(context, address, bytes, true, owner), registration: None })
    }

    /// Page-locks the memory of a vector, and keeps the vector.
    pub fn registered<T: bytemuck::Pod + Send + Sync>(
        context: Context,
        mut memory: Vec<T>,
        flags: PageLockedFlags,
    ) -> Result<HostMemory> {
        let bytes = size_of_val(memory.as_slice());
        let address = if bytes == 0 { 0 } else { memory.as_mut_ptr() as u64 };
        if bytes > 0 {
            // SAFETY: the vector is kept, and not touched, until the memory is
            // unregistered.
            unsafe { context.backend().copies().register(address, bytes, flags)? };
        }
        let registration = Arc::new(Registration { context, address, bytes, memory: Some(Box::new(memory)) });
        let owner = Arc::clone(&registration);
        let buffer = Buffer::awaited(context, address, bytes, true, owner);
        Ok(HostMemory { buffer, registration: Some(registration) })
    }

    /// The vector that was registered, if there is one and nobody else uses it.
    pub fn into_registered<T: 'static>(mut self) -> Result<Vec<T>, HostMemory> {
        // A pointer for kernels that was leaked keeps the buffer: then a copy
        // has to do.
        let is_only = Arc::strong_count(&self.buffer) == 1;
        match self.registration.take().filter(|_| is_only) {
            Some(registration) => {
                // Waits for the device.
                drop(self.buffer);
                let memory = Arc::into_inner(registration).and_then(|mut only| only.memory.take());
                let memory = memory.and_then(|memory| memory.downcast().ok());
                Ok(*memory.expect("internal error: registered memory that others use"))
            }
            None => Err(self),
        }
    }

    /// What is there, after the device's writes.
    pub fn bytes(&self) -> Result<&[u8]> {
        self.buffer.wait_for_device(false)?;
        if self.buffer.bytes() == 0 {
            return Ok(&[]);
        }
        // SAFETY: the memory is as long, holds bytes of any value, and lives
        // as long as the buffer. The device does not write it: what it was
        // asked to write has been waited for, and asking takes `&mut self`.
        Ok(unsafe { std::slice::from_raw_parts(self.buffer.address() as *const u8, self.buffer.bytes()) })
    }

    /// What is there, to be changed, after all that the device does with it.
    pub fn bytes_mut(&mut self) -> Result<&mut [u8]> {
        self.buffer.wait_for_device(true)?;
        if self.buffer.bytes() == 0 {
            return Ok(&mut []);
        }
        // SAFETY: as above; the device has been waited for, and asking it for
        // anything takes a reference to `self`.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.buffer.address() as *mut u8, self.buffer.bytes()) })
    }

    /// To let the device use it. See [`HostMemory`] on who may.
    pub fn buffer(&self) -> &Arc<Buffer> {
        &self.buffer
    }

    pub fn len(&self) -> usize {
        self.buffer.bytes()
    }
}

struct PageLockedPiece {
    context: Context,
    address: u64,
    bytes: usize,
    flags: PageLockedFlags,
}

impl Drop for PageLockedPiece {
    fn drop(&mut self) {
        if self.bytes > 0 {
            // SAFETY: it came from this context with these numbers; the buffer,
            // which alone has this, has waited for the device.
            unsafe {
                self.context.backend().copies().release_page_locked(self.address, self.bytes, self.flags);
            }
        }
    }
}

struct ManagedPiece {
    context: Context,
    address: u64,
    bytes: usize,
}

impl Drop for ManagedPiece {
    fn drop(&mut self) {
        if self.bytes > 0 {
            // SAFETY: as above.
            unsafe { self.context.backend().copies().release_managed(self.address, self.bytes) };
        }
    }
}

struct Registration {
    context: Context,
    address: u64,
    bytes: usize,
    memory: Option<Box<dyn Any + Send + Sync>>,
}

impl Drop for Registration {
    fn drop(&mut self) {
        if self.bytes > 0 {
            // SAFETY: registered when this was made; the buffer has waited for
            // the device. The vector is freed after this, or was taken by
            // someone who does not free it before.
            unsafe { self.context.backend().copies().unregister(self.address, self.bytes) };
        }
    }
}
