//! Fills, copies of rectangles and boxes, and copies between contexts.

use std::ffi::c_void;

use cudarc::driver::sys::{
    self, CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUarray, CUcontext, CUmemorytype, CUresult, CUstream,
};

use super::Cuda;
use super::context::Context;
use super::memory::within;
use super::rust_stop::Awaited;
use crate::error::Result;
use crate::interrupt;
use crate::{
    Advice, AttachFlags, Buffer, Copies, Fill, MemoryLocation, PageLockedFlags, PoolFigures, RectangleCopy,
    Side, refuse_in_capture, stream,
};

impl Copies for Cuda {
    fn allocate_page_locked(&self, bytes: usize, flags: PageLockedFlags) -> Result<u64> {
        self.context.allocate_pinned(bytes, flags)
    }

    unsafe fn release_page_locked(&self, address: u64, bytes: usize, flags: PageLockedFlags) {
        // SAFETY: the caller's promise.
        unsafe { self.context.release_pinned(address, bytes, flags) }
    }

    fn page_locked_figures(&self) -> PoolFigures {
        self.context.pinned_figures()
    }

    fn free_page_locked(&self) {
        self.context.free_pinned();
    }

    unsafe fn register(&self, address: u64, bytes: usize, flags: PageLockedFlags) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { self.context.register_memory(address, bytes, flags) }
    }

    unsafe fn unregister(&self, address: u64, _: usize) {
        // SAFETY: the caller's promise.
        unsafe { self.context.unregister_memory(address) }
    }

    fn device_pointer(&self, address: u64) -> Result<u64> {
        self.context.mapped_address(address)
    }

    // A GPU's hardware knows what memory there is. What was not made here
    // keeps the context as well, because freeing it needs one.
    fn note_foreign(&self, _: u64, _: usize) {
        self.context.add_ward();
    }

    fn forget_foreign(&self, _: u64, _: usize) {
        self.context.remove_ward();
    }

    fn allocate_managed(&self, bytes: usize, flags: AttachFlags) -> Result<u64> {
        self.context.allocate_shared(bytes, flags)
    }

    unsafe fn release_managed(&self, address: u64, _: usize) {
        // SAFETY: the caller's promise.
        unsafe { self.context.release_shared(address) }
    }

    fn attach(&self, buffer: &Buffer, flags: AttachFlags) -> Result<()> {
        self.context.attach_shared(buffer, flags)
    }

    fn prefetch(&self, buffer: &Buffer, to: MemoryLocation) -> Result<()> {
        self.context.prefetch_shared(buffer, to)
    }

    fn advise(&self, buffer: &Buffer, advice: Advice) -> Result<()> {
        self.context.advise_shared(buffer, advice)
    }

    fn fill(&self, task: &Fill<'_>) -> Result<()> {
        task.check();
        interrupt::check()?;
        self.context.fill(task)
    }

    fn copy_rectangle(&self, task: &mut RectangleCopy<'_>) -> Result<()> {
        interrupt::check()?;
        self.context.copy_rectangle(task)
    }

    fn copy_peer(&self, to: (&Buffer, usize), from: (&Buffer, usize), bytes: usize) -> Result<()> {
        interrupt::check()?;
        self.context.copy_peer(to, from, bytes)
    }
}

impl Context {
    fn fill(&self, task: &Fill<'_>) -> Result<()> {
        self.bind()?;
        task.to.enter_from(self.owner(), true)?;
        let (address, stream) = (task.to.address() + task.offset as u64, self.stream());
        let Fill { value, size, width, height, pitch, .. } = *task;
        let (byte, short) = (value as u8, value as u16);
        // SAFETY: the rows lie within the buffer (`Fill::check`), whose
        // streams are known (`Order`).
        let result = unsafe {
            match (size, height) {
                (1, 1) => sys::cuMemsetD8Async(address, byte, width, stream),
                (2, 1) => sys::cuMemsetD16Async(address, short, width, stream),
                (_, 1) => sys::cuMemsetD32Async(address, value, width, stream),
                (1, _) => sys::cuMemsetD2D8Async(address, pitch, byte, width, height, stream),
                (2, _) => sys::cuMemsetD2D16Async(address, pitch, short, width, height, stream),
                _ => sys::cuMemsetD2D32Async(address, pitch, value, width, height, stream),
            }
        };
        self.check(result, "filling memory")
    }

    fn copy_rectangle(&self, task: &mut RectangleCopy<'_>) -> Result<()> {
        task.check();
        let is_lent = |side: &Side<'_>| matches!(side, Side::Host(_) | Side::HostMut(_));
        let is_image = |side: &Side<'_>| matches!(side, Side::Image(_));
        let waits = is_lent(&task.from) || is_lent(&task.to);
        let has_image = is_image(&task.from) || is_image(&task.to);
        if waits || has_image || task.is_unaligned {
            refuse_in_capture("copying a rectangle")?;
        }
        // An image does not know its streams: where there are several, all
        // work is waited for, before and after.
        let settles = has_image && stream::in_use();
        if settles {
            self.synchronize()?;
        }
        self.bind()?;
        for (side, writes) in [(&task.from, false), (&task.to, true)] {
            if let Side::Buffer { buffer, .. } = side {
                buffer.enter_from(self.owner(), writes)?;
            }
        }
        let stream = self.stream();
        if waits || task.is_unaligned {
            self.rust_stop.wait(self, Awaited::Stream(stream))?;
        }
        // SAFETY: the box lies within both sides (`RectangleCopy::check`).
        // Buffers know their streams (`Order`); for slices the stream is
        // waited for before they are freed. The descriptions are read
        // before the calls return.
        let result = unsafe {
            if task.is_flat && task.is_unaligned {
                let copy = task.flat();
                unaligned(&copy, stream)
            } else {
                let asked = if task.is_flat {
                    let copy = task.flat();
                    sys::cuMemcpy2DAsync_v2(&raw const copy, stream)
                } else {
                    let copy = task.full();
                    sys::cuMemcpy3DAsync_v2(&raw const copy, stream)
                };
                match asked {
                    CUresult::CUDA_SUCCESS if waits => sys::cuStreamSynchronize(stream),
                    result => result,
                }
            }
        };
        self.check(result, "copying a rectangle")?;
        if settles { self.synchronize() } else { Ok(()) }
    }

    fn copy_peer(&self, to: (&Buffer, usize), from: (&Buffer, usize), bytes: usize) -> Result<()> {
        refuse_in_capture("copying between contexts")?;
        within(to.0, to.1, bytes);
        within(from.0, from.1, bytes);
        let other = from.0.context();
        // Without streams the uses of a buffer are not noted.
        let waits = !stream::in_use();
        if waits {
            other.synchronize()?;
        }
        self.bind()?;
        from.0.enter_from(self.owner(), false)?;
        to.0.enter_from(self.owner(), true)?;
        if waits {
            self.rust_stop.wait(self, Awaited::Stream(self.stream()))?;
        }
        let (target, source) = (to.0.address() + to.1 as u64, from.0.address() + from.1 as u64);
        let theirs = other.handle() as CUcontext;
        // SAFETY: the bytes lie within the buffers; both contexts are alive,
        // since memory lives in them.
        let result = unsafe {
            match sys::cuMemcpyPeerAsync(target, self.raw(), source, theirs, bytes, self.stream()) {
                CUresult::CUDA_SUCCESS if waits => sys::cuStreamSynchronize(self.stream()),
                result => result,
            }
        };
        self.check(result, "copying between contexts")
    }
}

/// A copy of any pitch, done when it returns: there is no form of it that
/// takes a stream.
///
/// # Safety
///
/// What it describes is there; the stream is alive.
unsafe fn unaligned(copy: &CUDA_MEMCPY2D, stream: CUstream) -> CUresult {
    // SAFETY: the caller's promise.
    unsafe {
        let mut result = sys::cuStreamSynchronize(stream);
        if result == CUresult::CUDA_SUCCESS {
            result = sys::cuMemcpy2DUnaligned_v2(copy);
        }
        match result {
            CUresult::CUDA_SUCCESS => sys::cuStreamSynchronize(std::ptr::null_mut()),
            failed => failed,
        }
    }
}

/// A side as the driver's structures have it.
struct Place {
    kind: CUmemorytype,
    host: *mut c_void,
    device: u64,
    array: CUarray,
}

impl Place {
    fn of(side: &Side<'_>) -> Place {
        let mut place = Place {
            kind: CUmemorytype::CU_MEMORYTYPE_HOST,
            host: std::ptr::null_mut(),
            device: 0,
            array: std::ptr::null_mut(),
        };
        match side {
            Side::Host(bytes) => place.host = bytes.as_ptr() as *mut c_void,
            Side::HostMut(bytes) => place.host = bytes.as_ptr() as *mut c_void,
            Side::Buffer { buffer, offset, .. } if buffer.is_host() => {
                place.host = (buffer.address() + *offset as u64) as *mut c_void;
            }
            Side::Buffer { buffer, offset, .. } => {
                place.kind = CUmemorytype::CU_MEMORYTYPE_DEVICE;
                place.device = buffer.address() + *offset as u64;
            }
            Side::Image(image) => {
                place.kind = CUmemorytype::CU_MEMORYTYPE_ARRAY;
                place.array = image.handle() as CUarray;
            }
        }
        place
    }

    /// A side that is written; its slice must be reached as one.
    fn to(side: &mut Side<'_>) -> Place {
        let mut place = Place::of(side);
        if let Side::HostMut(bytes) = side {
            place.host = bytes.as_mut_ptr().cast();
        }
        place
    }
}

impl RectangleCopy<'_> {
    fn flat(&mut self) -> CUDA_MEMCPY2D {
        let (from, to) = (Place::of(&self.from), Place::to(&mut self.to));
        let (from_corner, to_corner) = (self.from_corner, self.to_corner);
        CUDA_MEMCPY2D {
            srcXInBytes: from_corner.x_in_bytes,
            srcY: from_corner.y,
            srcMemoryType: from.kind,
            srcHost: from.host,
            srcDevice: from.device,
            srcArray: from.array,
            srcPitch: from_corner.pitch,
            dstXInBytes: to_corner.x_in_bytes,
            dstY: to_corner.y,
            dstMemoryType: to.kind,
            dstHost: to.host,
            dstDevice: to.device,
            dstArray: to.array,
            dstPitch: to_corner.pitch,
            WidthInBytes: self.width_in_bytes,
            Height: self.height,
        }
    }

    fn full(&mut self) -> CUDA_MEMCPY3D {
        let (from, to) = (Place::of(&self.from), Place::to(&mut self.to));
        let (from_corner, to_corner) = (self.from_corner, self.to_corner);
        CUDA_MEMCPY3D {
            srcXInBytes: from_corner.x_in_bytes,
            srcY: from_corner.y,
            srcZ: from_corner.z,
            srcLOD: 0,
            srcMemoryType: from.kind,
            srcHost: from.host,
            srcDevice: from.device,
            srcArray: from.array,
            reserved0: std::ptr::null_mut(),
            srcPitch: from_corner.pitch,
            srcHeight: from_corner.height,
            dstXInBytes: to_corner.x_in_bytes,
            dstY: to_corner.y,
            dstZ: to_corner.z,
            dstLOD: 0,
            dstMemoryType: to.kind,
            dstHost: to.host,
            dstDevice: to.device,
            dstArray: to.array,
            reserved1: std::ptr::null_mut(),
            dstPitch: to_corner.pitch,
            dstHeight: to_corner.height,
            WidthInBytes: self.width_in_bytes,
            Height: self.height,
            Depth: self.depth,
        }
    }
}
