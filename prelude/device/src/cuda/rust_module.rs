//! A kernel in Rust on a GPU, and what it notes when it panics.
//!
//! A thread that panics writes what happened to a record in memory of the host
//! that the GPU reaches, and ends; the others go on, and so does the context. Whoever
//! waits for the device looks at the record, which costs a read of the host's own memory.
//! (The idea of a record in place of a trap is CUDA.jl's.)

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::{self, CUresult};
use gpurepl_kernels::rust::printed::expanded;
use gpurepl_kernels::rust::{ENTRY_NAME, RustKernel, finish, maths_source};

use super::compile::{self, Source};
use super::context::Context;
use super::launch::Image;
use super::link;
use super::module::CudaEntry;
use super::properties::driver_version;
use crate::Limit;
use crate::checks;
use crate::error::{Error, FaultKind, KernelFault, Problem, Result};
use crate::rust::{GpuOptions, RustLines, compile_for_gpu, lines_are_asked_for};
use crate::time_limit::{read_time_limit, time_limit};
use crate::{Entry, Module, Target, left_out, left_out_global};

/// Bytes of a thread's stack where calls by address are made. A text that is formatted has taken less
/// than 2.5 KiB.
const STACK_OF_CALLS: usize = 4096;

struct RustModule {
    context: Arc<Context>,
    name: String,
    image: Arc<Image>,
    ptx: String,
    number: u64,
    /// Where a kernel that prints finds the number of its launch.
    launch_number: Option<u64>,
}

pub(super) fn compile(
    context: &Arc<Context>,
    kernel: &RustKernel<'_>,
    lines: &RustLines,
) -> Result<Box<dyn Module>> {
    let capability = context.description().compute_capability.unwrap_or_default();
    let architecture = u32::try_from(10 * capability.0 + capability.1).unwrap_or(0);
    let complete = |raw: &str| complete(raw, architecture, capability, kernel.name);
    let options = GpuOptions {
        is_checked: checks::are_asked_for()?,
        polls: polls()?,
        has_lines: lines_are_asked_for(),
    };
    let ptx = compile_for_gpu(kernel, lines, architecture, options, &complete)?;
    // A compiler does not know how much stack a call by address takes, and what formats texts has some.
    if ptx.contains(".callprototype") && context.limit(Limit::StackSize)? < STACK_OF_CALLS {
        context.set_limit(Limit::StackSize, STACK_OF_CALLS)?;
    }
    let image = link::load(context, ptx.as_bytes())?;
    let number = context.rust_faults.add(kernel.name, lines);
    if let Some(record) = context.rust_faults.record(context)? {
        set(context, &image, "__gr_record", record)?;
        set(context, &image, "__gr_module", number)?;
    }
    if image.global("__gr_stop").is_ok() {
        set(context, &image, "__gr_stop", context.rust_stop.address(context)?)?;
    }
    let mut launch_number = None;
    if let Ok((counters, _)) = image.global("__gr_prints")
        && counters != 0
        && let Some([counters, bytes]) = context.rust_output.addresses(context)?
    {
        set(context, &image, "__gr_prints", counters)?;
        set(context, &image, "__gr_print_bytes", bytes)?;
        launch_number = image.global("__gr_launch").ok().map(|(address, _)| address);
    }
    let name = kernel.name.to_owned();
    let module = RustModule { context: Arc::clone(context), name, image, ptx, number, launch_number };
    Ok(Box::new(module))
}

/// Whether kernels poll: `GPUREPL_POLL`. They do it for the sake of an interrupt and of the time limit.
fn polls() -> Result<bool> {
    let polls = checks::is_asked_for(
        "GPUREPL_POLL",
        "set it to 1 to have kernels in Rust on a GPU look at the ends of loops whether they are to stop, or unset it",
    )?;
    if polls {
        read_time_limit()?;
    }
    Ok(polls)
}

/// Makes PTX that a driver takes of what rustc has written.
fn complete(raw: &str, architecture: u32, capability: (i32, i32), kernel: &str) -> Result<String> {
    let refused = |functions: Vec<String>| -> Error {
        Problem::Unsupported {
            message: format!(
                "{kernel}: calls {}, which GPUs do not have\n  = help: write a loop in its place",
                functions.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            ),
        }
        .into()
    };
    let first = finish(raw, architecture, None).map_err(refused)?;
    if first.maths.is_empty() {
        return Ok(first.text);
    }
    let options = ["-rdc=true".to_owned()];
    let source = Source {
        what: "CUDA's mathematics",
        texts: &[],
        text: &maths_source(&first.maths),
        name: "maths.cu",
        options: &options,
        kernels: &[],
    };
    let maths = compile::compile_to(&source, capability, Target::Ptx, driver_version()?)?;
    let maths = String::from_utf8_lossy(&maths.image);
    let finished = finish(raw, architecture, Some(maths.trim_end_matches('\0')));
    finished.map(|finished| finished.text).map_err(refused)
}

/// Writes a number to a variable of an image, before any kernel of it runs.
fn set(context: &Context, image: &Image, name: &str, value: u64) -> Result<()> {
    // A kernel that cannot panic has none.
    let Ok((address, 8)) = image.global(name) else { return Ok(()) };
    let bytes = value.to_ne_bytes();
    // SAFETY: the variable has eight bytes, which are read before the call returns.
    let result = unsafe { sys::cuMemcpyHtoD_v2(address, bytes.as_ptr().cast(), bytes.len()) };
    context.check(result, "loading a kernel")
}

impl Module for RustModule {
    fn function(&self, name: &str) -> Result<Box<dyn Entry>> {
        if name != self.name {
            return Err(left_out(name));
        }
        let kernel = self.image.function(ENTRY_NAME)?;
        let mut entry = CudaEntry::new(&self.context, name, kernel)?;
        entry.launch_number = self.launch_number;
        Ok(Box::new(entry))
    }

    fn global(&self, name: &str) -> Result<(u64, usize)> {
        Err(left_out_global(name))
    }

    fn ptx(&self) -> Option<String> {
        Some(self.ptx.clone())
    }
}

impl Drop for RustModule {
    fn drop(&mut self) {
        self.context.rust_faults.forget(self.number);
    }
}

/// What a thread has noted: `Record` of `library/gpu.rs` in `gpurepl-kernels`.
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
}

const FREE: u32 = 0;
const WRITTEN: u32 = 2;
const BOUNDS: u32 = 1;
const STOPPED: u32 = 3;

/// The record of a context, and the kernels that may write to it.
pub(super) struct RustFaults {
    record: AtomicU64,
    next: AtomicU64,
    kernels: Mutex<HashMap<u64, (String, RustLines)>>,
}

impl RustFaults {
    pub(super) fn new() -> RustFaults {
        RustFaults { record: AtomicU64::new(0), next: AtomicU64::new(1), kernels: Mutex::default() }
    }

    fn add(&self, kernel: &str, lines: &RustLines) -> u64 {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        kernels.insert(number, (kernel.to_owned(), lines.clone()));
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
        let (name, lines) = kernels.get(&noted.module).cloned().unwrap_or_default();
        let message = if noted.kind == BOUNDS {
            let [index, length] = noted.numbers;
            format!("index out of bounds: the len is {length} but the index is {index}")
        } else if noted.kind == STOPPED {
            format!("stopped after {:?}, the time limit for kernels", time_limit().unwrap_or_default())
        } else if noted.bytes == 0 {
            // One of `core`'s own whose message has arguments, which would take more code than most kernels.
            "a panic with a message of its own".to_owned()
        } else {
            let text = &noted.text[..(noted.bytes as usize).min(noted.text.len())];
            expanded(&String::from_utf8_lossy(text))
        };
        let kind = if noted.kind == STOPPED { FaultKind::TimeLimit } else { FaultKind::of_panic(&message) };
        let mut fault = KernelFault::new(&name, kind, message, String::new());
        (fault.block, fault.thread) = (Some(noted.block), Some(noted.thread));
        fault.help = fault.kind.help_in_rust().to_owned();
        lines.place(&mut fault, (noted.is_users != 0).then_some(noted.line as usize));
        Problem::Fault(Box::new(fault)).into()
    }
}
