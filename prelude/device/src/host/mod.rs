//! The host device: arrays in this machine's memory, kernels on its cores.
//!
//! What the library computes itself are operations (`crate::operations`), whose
//! loops run programs by [`native`]. A user's CUDA C is translated to C++ by
//! `gpurepl-kernels`, compiled by the system's compiler ([`compiler`]), loaded
//! ([`module`]) and run block by block ([`simulator`]). What goes wrong in a
//! kernel ends the kernel alone, and is reported on the user's line ([`fault`],
//! [`replay`], [`checked`]). Every call has done its work when it returns.

mod checked;
mod compiler;
mod conversions;
mod copies;
#[doc(hidden)]
pub mod cpp;
mod fault;
mod globals;
mod heap;
mod image;
mod lines;
mod loops;
mod memory;
mod module;
mod native;
mod output;
mod parallel;
mod pool;
mod properties;
mod races;
mod record;
mod replay;
mod rust_module;
mod scan_kernel;
mod simulator;
mod streams;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use gpurepl_kernels::rust::RustKernel;
use gpurepl_kernels::{ElementwiseSpec, ReductionSpec, ScanSpec};

use super::image::{Image, Layout, Linear, Object, Sampling};
use super::rust::RustLines;
use super::{
    Backend, Buffer, Context, Copies, Description, FoldKernel, Limit, LinkPart, LoopKernel, Module,
    ModuleSource, Operation, Order, Pool, PoolFigures, RowFoldKernel, RunningKernel, Streams, Target,
    memory_limit, refuse_in_capture,
};
use crate::error::{Bytes, Error, Problem, Result};

pub use memory::use_large_pages;
pub(super) use memory::{Locked, Output};
pub(super) use native::{BLOCK, BLOCKS_AT_ONCE, Folder, Machine, Task, scatter};
pub(super) use parallel::ranges;
pub(super) use properties::{attribute, describe};

/// The host's context that is there from the start. It always works.
pub(super) fn open() -> Result<Context> {
    context(true)
}

/// Another context of the host, which shares its memory.
pub(super) fn make_context() -> Result<Context> {
    context(false)
}

fn context(is_primary: bool) -> Result<Context> {
    describe()?;
    let host = Host { total: memory::total(), streams: streams::HostStreams::default() };
    Ok(Context::new(Box::new(host), is_primary))
}

struct Host {
    total: u64,
    streams: streams::HostStreams,
}

/// In bytes, by buffers that are alive, of all contexts.
static ALLOCATED: AtomicU64 = AtomicU64::new(0);

/// How many those are.
static BUFFERS: AtomicUsize = AtomicUsize::new(0);

/// The most that they may be.
static LIMIT: LazyLock<AtomicU64> = LazyLock::new(|| AtomicU64::new(memory_limit().unwrap_or(u64::MAX)));

/// The host runs kernels from their sources: a GPU's machine code is nothing
/// to a CPU.
#[cold]
fn no_machine_code(operation: &str) -> Error {
    Problem::Unsupported {
        message: format!(
            "{operation}: the host device has no machine code of a GPU\n  = help: compile the kernels' source with \
             `SourceModule::new(source)`, which runs on both devices, or choose a CUDA device: \
             `GPUREPL_DEVICE=cuda`"
        ),
    }
    .into()
}

/// Bytes that one core copies at a time.
const COPIED_AT_ONCE: usize = 1 << 20;

impl Backend for Host {
    fn description(&self) -> Description {
        properties::description()
    }

    fn allocate(&self, bytes: usize) -> Result<u64> {
        // Linux promises more memory than there is, and ends a process that
        // uses it; so the promise is checked here.
        let most = self.total.min(LIMIT.load(Ordering::Relaxed));
        let reserve = |before: u64| before.checked_add(bytes as u64).filter(|after| *after <= most);
        let reserved = ALLOCATED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, reserve);
        let address = reserved.ok().and_then(|before| {
            if (before + bytes as u64).saturating_add(pool::kept() as u64) > self.total {
                pool::clear();
            }
            let address = pool::allocate(bytes);
            if address.is_none() {
                ALLOCATED.fetch_sub(bytes as u64, Ordering::Relaxed);
            } else {
                BUFFERS.fetch_add(1, Ordering::Relaxed);
            }
            address
        });
        address.ok_or_else(|| {
            let allocated = ALLOCATED.load(Ordering::Relaxed);
            Problem::OutOfMemory {
                device: "host".to_owned(),
                asked: Bytes(bytes as u64),
                free: Bytes(most.saturating_sub(allocated)),
                total: Bytes(most),
                help: if most < self.total {
                    "\n  = help: drop arrays that are no longer needed, or raise the limit: GPUREPL_MEMORY_LIMIT, \
                     `memory_pool()?.set_limit(..)`"
                } else {
                    "\n  = help: drop arrays that are no longer needed"
                },
            }
            .into()
        })
    }

    unsafe fn release(&self, address: u64, bytes: usize, _: &Order) {
        BUFFERS.fetch_sub(1, Ordering::Relaxed);
        ALLOCATED.fetch_sub(bytes as u64, Ordering::Relaxed);
        // What is kept must not be missed by other programs.
        let limit = usize::try_from(self.total / 8).unwrap_or(usize::MAX);
        // SAFETY: the caller promises what `pool::release` asks for.
        unsafe { pool::release(address, bytes, limit) }
    }

    fn memory(&self) -> Result<(u64, u64)> {
        Ok((self.total.saturating_sub(ALLOCATED.load(Ordering::Relaxed)), self.total))
    }

    fn upload(&self, to: &Buffer, offset: usize, from: &[u8]) -> Result<()> {
        if record::is_on() {
            let (to, from) = (to.handle(), from.to_vec());
            return record::push(&[(&to.handle(), true)], move || write(&to, offset, &from));
        }
        write(to, offset, from)
    }

    fn download(&self, from: &Buffer, offset: usize, to: &mut [u8]) -> Result<()> {
        refuse_in_capture("reading an array")?;
        let locked = memory::Locked::new(&[from], &[]);
        locked.read(from, offset, to);
        Ok(())
    }

    fn copy(&self, to: (&Buffer, usize), from: (&Buffer, usize), bytes: usize) -> Result<()> {
        if record::is_on() {
            let buffers = [(to.0, true), (from.0, false)];
            let (kept_to, kept_from) = (to.0.handle(), from.0.handle());
            let (to, from) = (to.1, from.1);
            return record::push(&buffers, move || copy((&kept_to, to), (&kept_from, from), bytes));
        }
        copy(to, from, bytes)
    }

    fn perform(&self, operation: &dyn Operation) -> Result<()> {
        operation.check();
        if record::is_on() { record::perform(operation) } else { operation.on_host() }
    }

    fn compile_module(&self, request: &ModuleSource<'_>) -> Result<Box<dyn Module>> {
        module::compile(request)
    }

    fn compile_rust(&self, kernel: &RustKernel<'_>, lines: &RustLines) -> Result<Box<dyn Module>> {
        rust_module::compile(kernel, lines)
    }

    fn compile_loop(&self, spec: &ElementwiseSpec) -> Result<Box<dyn LoopKernel>> {
        loops::compile_loop(spec)
    }

    fn compile_fold(&self, spec: &ReductionSpec) -> Result<Box<dyn FoldKernel>> {
        loops::compile_fold(spec)
    }

    fn compile_row_fold(&self, spec: &ReductionSpec) -> Result<Box<dyn RowFoldKernel>> {
        loops::compile_row_fold(spec)
    }

    fn compile_scan(&self, spec: &ScanSpec) -> Result<Box<dyn RunningKernel>> {
        scan_kernel::compile(spec)
    }

    fn image(&self, context: Context, layout: &Layout) -> Result<Arc<dyn Image>> {
        image::new(context, layout)
    }

    fn linear_texture(&self, from: &Linear<'_>, sampling: &Sampling) -> Result<Box<dyn Object>> {
        Ok(image::linear(from, sampling))
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    fn compile_to(&self, _request: &ModuleSource<'_>, target: Target) -> Result<Vec<u8>> {
        Err(no_machine_code(&format!("compiling to {}", target.name())))
    }

    fn load_module(&self, _image: &[u8]) -> Result<Box<dyn Module>> {
        Err(no_machine_code("loading machine code"))
    }

    fn link(&self, _parts: &[LinkPart]) -> Result<Vec<u8>> {
        Err(no_machine_code("linking"))
    }

    fn standard_library(&self, name: &str) -> Result<PathBuf> {
        Err(no_machine_code(&format!("linking with {name}")))
    }

    fn streams(&self) -> &dyn Streams {
        &self.streams
    }

    fn limit(&self, limit: Limit) -> Result<usize> {
        match limit {
            Limit::StackSize => Ok(simulator::STACK),
            other => Err(no_limit(other)),
        }
    }

    fn set_limit(&self, limit: Limit, bytes: usize) -> Result<()> {
        match limit {
            // What a GPU's kernel may need is there already.
            Limit::StackSize if bytes <= simulator::STACK => Ok(()),
            Limit::StackSize => {
                let message = format!(
                    "a stack of {} for each thread exceeds the {} of the host device; ask for less",
                    Bytes(bytes as u64),
                    Bytes(simulator::STACK as u64)
                );
                Err(Problem::Invalid { operation: "set_limit", message }.into())
            }
            // The host's output and heap are the process's own and have no end.
            Limit::PrintfFifoSize | Limit::MallocHeapSize => Ok(()),
            other => Err(no_limit(other)),
        }
    }

    fn enable_peer_access(&self, _: Context) -> Result<()> {
        Err(no_peers())
    }

    fn disable_peer_access(&self, _: Context) -> Result<()> {
        Err(no_peers())
    }

    fn detach(&self) {}

    fn handle(&self) -> u64 {
        0
    }

    fn pool(&self) -> &dyn Pool {
        self
    }

    fn copies(&self) -> &dyn Copies {
        self
    }
}

impl Pool for Host {
    fn figures(&self) -> PoolFigures {
        let (held_blocks, held_bytes) = pool::held();
        let limit = LIMIT.load(Ordering::Relaxed);
        PoolFigures {
            active_blocks: BUFFERS.load(Ordering::Relaxed),
            active_bytes: ALLOCATED.load(Ordering::Relaxed),
            held_blocks,
            held_bytes: held_bytes as u64,
            limit: (limit != u64::MAX).then_some(limit),
        }
    }

    fn set_limit(&self, bytes: Option<u64>) {
        LIMIT.store(bytes.unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    fn free_held(&self) -> Result<()> {
        pool::clear();
        Ok(())
    }
}

fn write(to: &Buffer, offset: usize, from: &[u8]) -> Result<()> {
    memory::Locked::new(&[], &[to]).write(to, offset, from);
    Ok(())
}

fn copy(to: (&Buffer, usize), from: (&Buffer, usize), bytes: usize) -> Result<()> {
    let locked = memory::Locked::new(&[from.0], &[to.0]);
    let output = locked.output(to.0);
    parallel::ranges(bytes, COPIED_AT_ONCE, |range| {
        let source = locked.slice(from.0, from.1 + range.start, range.len());
        // SAFETY: ranges are disjoint, and the source is another buffer.
        unsafe { output.slice(to.1 + range.start, range.len()) }.copy_from_slice(source);
    })
}

fn no_limit(limit: Limit) -> crate::Error {
    Problem::Unsupported {
        message: format!("the host device does not have the limit {limit:?}; CUDA devices do"),
    }
    .into()
}

fn no_peers() -> crate::Error {
    let message =
        "the host device has no peers: its contexts share all memory, and copies need no access".to_owned();
    Problem::Unsupported { message }.into()
}
