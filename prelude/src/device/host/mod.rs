//! The host device: arrays in this machine's memory, kernels on its cores.
//!
//! What the library computes itself (expressions, reductions, random numbers)
//! are loops in [`native`]. A user's CUDA C is translated to C++ by
//! `gpurepl-kernels`, compiled by the system's compiler ([`compiler`]), loaded
//! ([`module`]) and run block by block ([`simulator`]). What goes wrong in a
//! kernel ends the kernel alone, and is told on the user's line ([`fault`],
//! [`replay`], [`checked`]). Every call has done its work when it returns.

mod checked;
mod compiler;
mod fault;
mod globals;
mod image;
mod lines;
mod loops;
mod memory;
mod module;
mod native;
mod output;
mod parallel;
mod pool;
mod replay;
mod simulator;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gpurepl_kernels::{ElementwiseSpec, ReductionSpec};

use super::image::{Image, Layout, Linear, Object, Sampling};
use super::{
    Backend, Buffer, Description, Device, DeviceKind, Elementwise, FoldKernel, Limits, LinkPart, LoopKernel,
    Module, ModuleSource, Random, Reduction, Target,
};
use crate::error::{Bytes, Error, Problem, Result};

/// The host as a device. It always works.
pub(super) fn open() -> Result<Device> {
    simulator::watchdog::read_time_limit()?;
    Ok(Device::new(Box::new(Host { allocated: AtomicU64::new(0), total: memory::total() })))
}

/// The longest that a kernel may run.
pub(super) fn set_kernel_timeout(limit: Option<std::time::Duration>) {
    simulator::watchdog::set_time_limit(limit);
}

struct Host {
    /// In bytes, by buffers that are alive.
    allocated: AtomicU64,
    total: u64,
}

/// A GPU's usual limits, so that a launch that works here works there.
const LIMITS: Limits = Limits {
    grid: [2_147_483_647, 65_535, 65_535],
    block: [1024, 1024, 64],
    threads_per_block: 1024,
    shared_memory: module::STATIC_SHARED_LIMIT as u64,
    shared_memory_optin: simulator::SHARED_LIMIT as u64,
};

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
        let cores = rayon::current_num_threads();
        Description {
            kind: DeviceKind::Host,
            id: "host".to_owned(),
            name: "host".to_owned(),
            detail: format!("{cores} core{}, {}", if cores == 1 { "" } else { "s" }, compiler::describe()),
            total_memory: self.total,
            limits: LIMITS,
            compute_capability: None,
        }
    }

    fn allocate(&self, bytes: usize) -> Result<u64> {
        // Linux promises more memory than there is, and ends a process that
        // uses it; so the promise is checked here.
        let reserve = |before: u64| before.checked_add(bytes as u64).filter(|after| *after <= self.total);
        let reserved = self.allocated.fetch_update(Ordering::Relaxed, Ordering::Relaxed, reserve);
        let address = reserved.ok().and_then(|before| {
            if (before + bytes as u64).saturating_add(pool::kept() as u64) > self.total {
                pool::clear();
            }
            let address = pool::allocate(bytes);
            if address.is_none() {
                self.allocated.fetch_sub(bytes as u64, Ordering::Relaxed);
            }
            address
        });
        address.ok_or_else(|| {
            let allocated = self.allocated.load(Ordering::Relaxed);
            Problem::OutOfMemory {
                device: "host".to_owned(),
                asked: Bytes(bytes as u64),
                free: Bytes(self.total.saturating_sub(allocated)),
                total: Bytes(self.total),
                help: "\n  = help: drop arrays that are not needed any more",
            }
            .into()
        })
    }

    unsafe fn release(&self, address: u64, bytes: usize) {
        self.allocated.fetch_sub(bytes as u64, Ordering::Relaxed);
        // What is kept must not be missed by other programs.
        let limit = usize::try_from(self.total / 8).unwrap_or(usize::MAX);
        // SAFETY: the caller promises what `pool::release` asks for.
        unsafe { pool::release(address, bytes, limit) }
    }

    fn memory(&self) -> Result<(u64, u64)> {
        Ok((self.total.saturating_sub(self.allocated.load(Ordering::Relaxed)), self.total))
    }

    fn upload(&self, to: &Buffer, offset: usize, from: &[u8]) -> Result<()> {
        let locked = memory::Locked::new(&[], &[to]);
        locked.write(to, offset, from);
        Ok(())
    }

    fn download(&self, from: &Buffer, offset: usize, to: &mut [u8]) -> Result<()> {
        let locked = memory::Locked::new(&[from], &[]);
        locked.read(from, offset, to);
        Ok(())
    }

    fn copy(&self, to: (&Buffer, usize), from: (&Buffer, usize), bytes: usize) -> Result<()> {
        let locked = memory::Locked::new(&[from.0], &[to.0]);
        let output = locked.output(to.0);
        parallel::ranges(bytes, COPIED_AT_ONCE, |range| {
            let source = locked.slice(from.0, from.1 + range.start, range.len());
            // SAFETY: ranges are disjoint, and the source is another buffer.
            unsafe { output.slice(to.1 + range.start, range.len()) }.copy_from_slice(source);
        })
    }

    fn evaluate(&self, task: &Elementwise<'_>) -> Result<()> {
        native::evaluate(task)
    }

    fn reduce(&self, task: &Reduction<'_>) -> Result<()> {
        native::reduce(task)
    }

    fn random(&self, task: &Random<'_>) -> Result<()> {
        native::random(task)
    }

    fn compile_module(&self, request: &ModuleSource<'_>) -> Result<Box<dyn Module>> {
        module::compile(request)
    }

    fn compile_loop(&self, spec: &ElementwiseSpec) -> Result<Box<dyn LoopKernel>> {
        loops::compile_loop(spec)
    }

    fn compile_fold(&self, spec: &ReductionSpec) -> Result<Box<dyn FoldKernel>> {
        loops::compile_fold(spec)
    }

    fn image(&self, device: &'static Device, layout: &Layout) -> Result<Arc<dyn Image>> {
        image::new(device, layout)
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
}
