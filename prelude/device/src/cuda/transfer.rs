//! Copies between the program's memory and a GPU's.
//!
//! The GPU reaches only memory that the system may not move. The driver copies
//! through such memory of its own with one thread; here it is done by all
//! cores, in pieces, while the GPU takes or brings the piece before. Memory that
//! is page-locked itself (`pinned.rs`) is copied as it is. A number that is fetched
//! comes by way of a page of such memory too: the driver's own way takes longer.

use std::sync::{Mutex, PoisonError};

use cudarc::driver::sys::{self, CUevent, CUevent_flags, CUresult, CUstream};

use super::context::Context;
use super::memory::within;
use super::pinned;
use super::rust_stop::Awaited;
use crate::error::Result;
use crate::{Buffer, graph, refuse_in_capture};

/// Copies from this size on go by way of pinned memory.
const STAGED_FROM: usize = 1 << 20;

/// Bytes of a piece: long enough that starting it does not count (half of this
/// took a third longer).
const PIECE: usize = 8 << 20;

/// Pieces under way at once.
const PIECES: usize = 4;

/// What one core copies at a time.
const SHARE: usize = 256 << 10;

/// What is brought from a GPU at once by way of a page: a kernel and its result
/// take 11.4 us instead of 13.8 on an H200.
const PAGE: usize = 4096;

/// Pinned memory for pieces, made at the first large copy, and a page of it, made
/// at the first small one.
pub(super) struct Staging {
    pieces: Mutex<Option<Pieces>>,
    page: Mutex<Option<Page>>,
}

impl Staging {
    pub(super) fn new() -> Staging {
        Staging { pieces: Mutex::new(None), page: Mutex::new(None) }
    }
}

/// Pinned memory of [`PAGE`] bytes.
struct Page(*mut u8);

// SAFETY: plain memory, used under a lock.
unsafe impl Send for Page {}

struct Pieces {
    /// Of `PIECE` bytes each.
    memory: [*mut u8; PIECES],
    /// When the GPU is done with each.
    done: [CUevent; PIECES],
}

// SAFETY: plain memory and handles, used under a lock; the driver's functions
// may be called from any thread.
unsafe impl Send for Pieces {}

impl Context {
    pub(super) fn upload(&self, to: &Buffer, offset: usize, from: &[u8]) -> Result<()> {
        within(to, offset, from.len());
        self.bind()?;
        to.enter(true)?;
        let (target, stream) = (to.address() + offset as u64, self.stream());
        if let Some(capture) = graph::capture_of_thread() {
            let kept = capture.keep(from);
            // SAFETY: the bytes lie within the buffer; the copy is kept as
            // long as the graph, whose launches read it.
            let result = unsafe { sys::cuMemcpyHtoDAsync_v2(target, kept.cast(), from.len(), stream) };
            return self.check(result, "copying to the device");
        }
        self.rust_stop.wait(self, Awaited::Stream(stream))?;
        let is_pinned = pinned::is_known(from);
        if from.len() >= STAGED_FROM
            && !is_pinned
            && let Some(result) = self.staged(|pieces| {
                // SAFETY: the bytes lie within the buffer, which is alive, and
                // the streams that use it are known (`Order`).
                unsafe { pieces.upload(target, from, stream) }
            })
        {
            return self.check(result, "copying to the device");
        }
        // SAFETY: as above; memory that is not pinned has been read when the
        // call returns, and else the second waits for it.
        let result = unsafe {
            match sys::cuMemcpyHtoDAsync_v2(target, from.as_ptr().cast(), from.len(), stream) {
                CUresult::CUDA_SUCCESS if is_pinned || !stream.is_null() => sys::cuStreamSynchronize(stream),
                result => result,
            }
        };
        self.check(result, "copying to the device")
    }

    pub(super) fn download(&self, from: &Buffer, offset: usize, to: &mut [u8]) -> Result<()> {
        refuse_in_capture("reading an array")?;
        within(from, offset, to.len());
        self.bind()?;
        from.enter(false)?;
        let (source, stream) = (from.address() + offset as u64, self.stream());
        self.rust_stop.wait(self, Awaited::Stream(stream))?;
        if to.len() >= STAGED_FROM
            && !pinned::is_known(to)
            && let Some(result) = self.staged(|pieces| {
                touch(to);
                // SAFETY: as in `upload`.
                unsafe { pieces.download(source, to, stream) }
            })
        {
            return self.arrived(result);
        }
        if to.len() <= PAGE
            && !pinned::is_known(to)
            && let Some(result) = self.by_page(|page| {
                // SAFETY: the bytes lie within the buffer, which is alive.
                unsafe { page.download(source, to, stream) }
            })
        {
            return self.arrived(result);
        }
        // SAFETY: the bytes lie within the buffer, which is alive. `to` has
        // been written when the stream is done.
        let result = unsafe {
            match sys::cuMemcpyDtoHAsync_v2(to.as_mut_ptr().cast(), source, to.len(), stream) {
                CUresult::CUDA_SUCCESS => sys::cuStreamSynchronize(stream),
                failed => failed,
            }
        };
        self.arrived(result)
    }

    /// Whether a copy from the device has succeeded, and what was computed before it.
    fn arrived(&self, result: CUresult) -> Result<()> {
        self.check(result, "copying from the device")?;
        self.rust_output.print();
        self.faults.check()
    }

    /// Copies with the pieces; none where there is no pinned memory, or
    /// another thread copies just now.
    fn staged(&self, act: impl FnOnce(&mut Pieces) -> CUresult) -> Option<CUresult> {
        let mut pieces = self.staging.pieces.try_lock().ok()?;
        if pieces.is_none() {
            *pieces = Pieces::new();
        }
        pieces.as_mut().map(act)
    }

    /// The same with the page.
    fn by_page(&self, act: impl FnOnce(&mut Page) -> CUresult) -> Option<CUresult> {
        let mut page = self.staging.page.try_lock().ok()?;
        if page.is_none() {
            *page = Page::new();
        }
        page.as_mut().map(act)
    }

    /// Frees pinned memory: the context is about to be destroyed.
    pub(super) fn free_staging(&self) {
        if let Some(pieces) = self.staging.pieces.lock().unwrap_or_else(PoisonError::into_inner).take() {
            pieces.free();
        }
        if let Some(Page(memory)) = self.staging.page.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // SAFETY: made by `Page::new`, freed once; no copy is under way,
            // since each call waits for its own.
            let _ = unsafe { sys::cuMemFreeHost(memory.cast()) };
        }
    }
}

impl Page {
    /// The context is current.
    fn new() -> Option<Page> {
        let mut memory = std::ptr::null_mut();
        // SAFETY: the context is current; the pointer is to a valid handle.
        let result = unsafe { sys::cuMemHostAlloc(&raw mut memory, PAGE, 0) };
        (result == CUresult::CUDA_SUCCESS).then_some(Page(memory.cast()))
    }

    /// # Safety
    ///
    /// `to.len()` bytes at `source`, [`PAGE`] at most, may be read by the stream.
    unsafe fn download(&mut self, source: u64, to: &mut [u8], stream: CUstream) -> CUresult {
        // SAFETY: the caller's promise, and the page is long enough. It is read
        // when the stream is done, and nobody else has it.
        unsafe {
            let result = match sys::cuMemcpyDtoHAsync_v2(self.0.cast(), source, to.len(), stream) {
                CUresult::CUDA_SUCCESS => sys::cuStreamSynchronize(stream),
                failed => failed,
            };
            if result == CUresult::CUDA_SUCCESS {
                to.copy_from_slice(std::slice::from_raw_parts(self.0, to.len()));
            }
            result
        }
    }
}

impl Pieces {
    /// The context is current.
    fn new() -> Option<Pieces> {
        let mut pieces =
            Pieces { memory: [std::ptr::null_mut(); PIECES], done: [std::ptr::null_mut(); PIECES] };
        for k in 0..PIECES {
            let mut memory = std::ptr::null_mut();
            let flags = CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
            // SAFETY: the context is current; the pointers are to valid
            // handles.
            let is_made = unsafe {
                sys::cuMemHostAlloc(&raw mut memory, PIECE, 0) == CUresult::CUDA_SUCCESS
                    && sys::cuEventCreate(&raw mut pieces.done[k], flags) == CUresult::CUDA_SUCCESS
            };
            pieces.memory[k] = memory.cast();
            if !is_made {
                pieces.free();
                return None;
            }
        }
        Some(pieces)
    }

    fn free(self) {
        for (memory, done) in self.memory.into_iter().zip(self.done) {
            // SAFETY: made by `new`, freed once; no copy is under way, since
            // each call waits for its own.
            unsafe {
                if !memory.is_null() {
                    let _ = sys::cuMemFreeHost(memory.cast());
                }
                if !done.is_null() {
                    let _ = sys::cuEventDestroy_v2(done);
                }
            }
        }
    }

    /// # Safety
    ///
    /// `from.len()` bytes at `target` may be written by the stream.
    unsafe fn upload(&mut self, target: u64, from: &[u8], stream: CUstream) -> CUresult {
        for (number, chunk) in from.chunks(PIECE).enumerate() {
            let k = number % PIECES;
            // SAFETY: the event is alive; one that was never recorded is done.
            // Then nobody reads the piece, which is as long as the chunk.
            let held = unsafe {
                let result = sys::cuEventSynchronize(self.done[k]);
                if result != CUresult::CUDA_SUCCESS {
                    return result;
                }
                std::slice::from_raw_parts_mut(self.memory[k], chunk.len())
            };
            copy(held, chunk);
            // SAFETY: the caller's promise; the piece stays as it is until
            // its event has happened.
            let result = unsafe {
                let at = target + (number * PIECE) as u64;
                match sys::cuMemcpyHtoDAsync_v2(at, self.memory[k].cast(), chunk.len(), stream) {
                    CUresult::CUDA_SUCCESS => sys::cuEventRecord(self.done[k], stream),
                    failed => failed,
                }
            };
            if result != CUresult::CUDA_SUCCESS {
                return result;
            }
        }
        // The source has been read; the GPU takes the last pieces in time.
        CUresult::CUDA_SUCCESS
    }

    /// # Safety
    ///
    /// `to.len()` bytes at `source` may be read by the stream.
    unsafe fn download(&mut self, source: u64, to: &mut [u8], stream: CUstream) -> CUresult {
        let count = to.len().div_ceil(PIECE);
        let length = to.len();
        let size = |number: usize| PIECE.min(length - number * PIECE);
        let ask = |pieces: &Pieces, number: usize| {
            let k = number % PIECES;
            let at = source + (number * PIECE) as u64;
            // SAFETY: the caller's promise; the piece is long enough, and what
            // it held has been copied out before it is asked for again. A copy
            // of an earlier call is done before: of the same stream, or waited
            // for below.
            unsafe {
                match sys::cuMemcpyDtoHAsync_v2(pieces.memory[k].cast(), at, size(number), stream) {
                    CUresult::CUDA_SUCCESS => sys::cuEventRecord(pieces.done[k], stream),
                    failed => failed,
                }
            }
        };
        for k in 0..PIECES {
            // An upload's last pieces may still be under way on another stream.
            // SAFETY: the event is alive.
            let result = unsafe { sys::cuEventSynchronize(self.done[k]) };
            if result != CUresult::CUDA_SUCCESS {
                return result;
            }
        }
        for number in 0..count.min(PIECES) {
            let result = ask(self, number);
            if result != CUresult::CUDA_SUCCESS {
                return result;
            }
        }
        for (number, chunk) in to.chunks_mut(PIECE).enumerate() {
            let k = number % PIECES;
            // SAFETY: the event is alive; when it has happened the piece holds
            // the chunk, and nobody writes it.
            let held = unsafe {
                let result = sys::cuEventSynchronize(self.done[k]);
                if result != CUresult::CUDA_SUCCESS {
                    return result;
                }
                std::slice::from_raw_parts(self.memory[k], chunk.len())
            };
            copy(chunk, held);
            if number + PIECES < count {
                let result = ask(self, number + PIECES);
                if result != CUresult::CUDA_SUCCESS {
                    return result;
                }
            }
        }
        CUresult::CUDA_SUCCESS
    }
}

/// Copies with all cores: memory that is touched for the first time is handed
/// out page by page, which takes longer than copying.
fn copy(to: &mut [u8], from: &[u8]) {
    rayon_core::in_place_scope(|scope| {
        for (to, from) in to.chunks_mut(SHARE).zip(from.chunks(SHARE)) {
            scope.spawn(move |_| to.copy_from_slice(from));
        }
    });
}

/// Has the system hand out the pages of memory that is about to be written,
/// with all cores: it does so at the first touch of each.
fn touch(memory: &mut [u8]) {
    const AREA: usize = 2 << 20;
    if memory.len() < 8 << 20 {
        return;
    }
    let touch = |area: &mut [u8]| {
        for byte in area.iter_mut().step_by(PAGE) {
            // SAFETY: a byte that is lent for writing; what it held is about
            // to be replaced. The compiler must not drop the write.
            unsafe { std::ptr::write_volatile(byte, 0) };
        }
    };
    rayon_core::in_place_scope(|scope| {
        for area in memory.chunks_mut(AREA) {
            scope.spawn(move |_| touch(area));
        }
    });
}
