//! What kernels on a GPU note in place of a trap.
//!
//! A thread that panics, or whose guard has found something, writes what happened to a record in memory
//! of the host that the GPU reaches; the others go on, and so does the context. Whoever
//! waits for the device looks at the record, which costs a read of the host's own memory.
//! (The idea of a record in place of a trap is CUDA.jl's.)

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::{self, CUresult};
use gpurepl_kernels::guards;
use gpurepl_kernels::rust::printed::expanded;

use super::context::Context;
use super::launch::Image;
use crate::error::{Error, FaultKind, KernelFault, Problem, Result};
use crate::guarded::{guarded_fault, of_guard};
use crate::rust::RustLines;
use crate::time_limit::time_limit;

/// Writes a number to a variable of an image, before any kernel of it runs.
pub(super) fn set(context: &Context, image: &Image, name: &str, value: u64) -> Result<()> {
    // A kernel that cannot panic has none.
    let Ok((address, 8)) = image.global(name) else { return Ok(()) };
    let bytes = value.to_ne_bytes();
    // SAFETY: the variable has eight bytes, which are read before the call returns.
    let result = unsafe { sys::cuMemcpyHtoD_v2(address, bytes.as_ptr().cast(), bytes.len()) };
    context.check(result, "loading a kernel")
}

/// What a thread has noted: `Record` of `rust/library/gpu.rs` in `gpurepl-kernels`, and with the
/// last field `gpurepl_noted` of `guards.rs` there.
#[repr(C)]
struct Record {
    state: u32,
    kind: u32,
    numbers: [u64; 2],
    module: u64,
    line: u32,
    column: u32,
    thread: [u32; 3],
    block: [u32; 3],
    is_users: u32,
    bytes: u32,
    text: [u8; 1024],
    /// Of generated kernels alone.
    element: i64,
}

// As `gpurepl_noted` asserts it.
const _: () = assert!(size_of::<Record>() == 1104);

const FREE: u32 = 0;
const WRITTEN: u32 = 2;
const BOUNDS: u32 = 1;
const STOPPED: u32 = 3;

/// A kernel that may write to the record.
#[derive(Clone)]
pub(super) enum Known {
    Rust {
        name: String,
        lines: RustLines,
    },
    /// A generated one that is guarded, with the user's texts by name.
    Guarded {
        name: String,
        texts: Vec<(String, String)>,
    },
}

/// The record of a context, and the kernels that may write to it.
pub(super) struct Faults {
    record: AtomicU64,
    next: AtomicU64,
    kernels: Mutex<HashMap<u64, Known>>,
}

/// A kernel's entry among those that may write to the record.
pub(super) struct Registered {
    context: Arc<Context>,
    number: u64,
}

impl Registered {
    /// Registers a kernel, and sets its image's variables of these names: the record's address,
    /// and the kernel's number.
    pub(super) fn new(
        context: &Arc<Context>,
        image: &Image,
        known: Known,
        [record, own]: [&str; 2],
    ) -> Result<Registered> {
        let number = context.faults.add(known);
        let registered = Registered { context: Arc::clone(context), number };
        if let Some(address) = context.faults.record(context)? {
            set(context, image, record, address)?;
            set(context, image, own, number)?;
        }
        Ok(registered)
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.context.faults.forget(self.number);
    }
}

impl Faults {
    pub(super) fn new() -> Faults {
        Faults { record: AtomicU64::new(0), next: AtomicU64::new(1), kernels: Mutex::default() }
    }

    fn add(&self, known: Known) -> u64 {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner).insert(number, known);
        number
    }

    fn forget(&self, number: u64) {
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
    }

    /// The record's address, on the host and on the GPU alike; none where the
    /// driver has no such memory. It is kept as long as the process.
    fn record(&self, context: &Context) -> Result<Option<u64>> {
        let _one = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        let known = self.record.load(Ordering::Acquire);
        if known != 0 {
            return Ok(Some(known));
        }
        context.bind()?;
        let mut memory = std::ptr::null_mut();
        let flags = sys::CU_MEMHOSTALLOC_PORTABLE | sys::CU_MEMHOSTALLOC_DEVICEMAP;
        // SAFETY: the context is current; the pointer is to a place for a pointer.
        let result = unsafe { sys::cuMemHostAlloc(&raw mut memory, size_of::<Record>(), flags) };
        if result != CUresult::CUDA_SUCCESS {
            return Ok(None);
        }
        let mut address = 0;
        // SAFETY: the memory has just been made, mapped; the pointer is to a number.
        unsafe {
            memory.cast::<Record>().write_bytes(0, 1);
            let result = sys::cuMemHostGetDevicePointer_v2(&raw mut address, memory, 0);
            if result != CUresult::CUDA_SUCCESS || address != memory as u64 {
                let _ = sys::cuMemFreeHost(memory);
                return Ok(None);
            }
        }
        self.record.store(address, Ordering::Release);
        Ok(Some(address))
    }

    /// The fault that a kernel has noted since this was asked last.
    #[inline]
    pub(super) fn check(&self) -> Result<()> {
        let record = self.record.load(Ordering::Acquire) as *mut Record;
        // SAFETY: the memory is kept as long as the process; a GPU writes the
        // state last, with a fence before it.
        if record.is_null() || unsafe { (&raw const (*record).state).read_volatile() } != WRITTEN {
            return Ok(());
        }
        Err(self.take(record))
    }

    /// Drops what a thread has noted that was stopped.
    pub(super) fn forget_stop(&self) {
        let record = self.record.load(Ordering::Acquire) as *mut Record;
        // SAFETY: as in `check`; the kernel that has written is over.
        unsafe {
            if !record.is_null() && (&raw const (*record).kind).read_volatile() == STOPPED {
                (&raw mut (*record).state).write_volatile(FREE);
            }
        }
    }

    #[cold]
    fn take(&self, record: *mut Record) -> Error {
        let kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: as above; once the state is "written" no thread of the GPU writes
        // until it is "free" again, and the lock keeps others of the host away.
        let noted = unsafe {
            let noted = record.read_volatile();
            (&raw mut (*record).state).write_volatile(FREE);
            noted
        };
        let fault = match kernels.get(&noted.module).cloned() {
            Some(Known::Guarded { name, texts }) => of_guards(&name, &texts, &noted),
            Some(Known::Rust { name, lines }) => of_rust(&name, &lines, &noted),
            // It has been unloaded since.
            None if noted.kind >= guards::OUT_OF_BOUNDS => of_guards("a kernel", &[], &noted),
            None => of_rust("a kernel", &RustLines::default(), &noted),
        };
        Problem::Fault(Box::new(fault)).into()
    }
}

impl Record {
    fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.text[..(self.bytes as usize).min(self.text.len())])
    }
}

/// The fault of a kernel in Rust.
fn of_rust(name: &str, lines: &RustLines, noted: &Record) -> KernelFault {
    let message = if noted.kind == BOUNDS {
        let [index, length] = noted.numbers;
        format!("index out of bounds: the len is {length} but the index is {index}")
    } else if noted.kind == STOPPED {
        format!("stopped after {:?}, the time limit for kernels", time_limit().unwrap_or_default())
    } else if noted.bytes == 0 {
        // One of `core`'s own whose message has arguments, which would take more code than most kernels.
        "a panic with a message of its own".to_owned()
    } else {
        expanded(&noted.text())
    };
    let kind = if noted.kind == STOPPED { FaultKind::TimeLimit } else { FaultKind::of_panic(&message) };
    let mut fault = KernelFault::new(name, kind, message, String::new());
    (fault.block, fault.thread) = (Some(noted.block), Some(noted.thread));
    fault.help = fault.kind.help_in_rust().to_owned();
    lines.place(&mut fault, (noted.is_users != 0).then_some(noted.line as usize));
    fault
}

/// The fault of a generated kernel.
fn of_guards(kernel: &str, texts: &[(String, String)], noted: &Record) -> KernelFault {
    let text = noted.text();
    let (file, what) = text.split_once('\n').unwrap_or(("", &text));
    let texts: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let mut fault = if noted.kind == guards::ASSERTION {
        let number = texts.iter().position(|(name, _)| *name == file);
        let message = format!("assertion `{what}` failed");
        guarded_fault(
            kernel,
            FaultKind::Assertion,
            message,
            &texts,
            number.map(|number| (number, noted.line as usize)),
        )
    } else {
        let [index, size] = noted.numbers.map(u64::cast_signed);
        of_guard(kernel, noted.kind, what, [index, size, noted.element], &texts)
    };
    (fault.block, fault.thread) = (Some(noted.block), Some(noted.thread));
    fault
}
