//! NVIDIA GPUs through the CUDA driver: the only code that names `cudarc`.
//!
//! Of `cudarc` only the raw bindings are used: they find the driver and the
//! run-time compiler when the program runs, so that one build works with and
//! without them. Everything is asked of [`library`] first, because the
//! bindings panic where a library is missing.
//!
//! Work goes to the stream that is current, the driver's default stream unless
//! a program makes others, in the order of the calls. It is done later; a
//! download waits for it.

mod allocator;
mod blas;
mod compile;
mod context;
mod copies;
mod failure;
mod faults;
mod function;
pub(super) mod generated;
mod headers;
mod image;
mod launch;
mod library;
mod link;
mod loaded;
mod managed;
mod memory;
mod module;
mod nvrtc;
mod older;
mod pinned;
mod precompiled;
mod properties;
mod rust_module;
mod rust_output;
mod rust_stop;
mod scan_kernel;
mod streams;
mod transfer;
mod vendor;

use std::path::PathBuf;
use std::sync::Arc;

use gpurepl_kernels::rust::RustKernel;
use gpurepl_kernels::{ElementwiseSpec, ReductionSpec, ScanSpec};

use super::image::{Image, Layout, Linear, Object, Sampling};
use super::{
    Backend, Buffer, ContextFlags, Copies, Description, FoldKernel, Limit, LinkPart, LoopKernel, Module,
    ModuleSource, Operation, Order, Pool, PoolFigures, RowFoldKernel, RunningKernel, Streams, Target,
};
use crate as device;
use crate::error::Result;
use crate::interrupt;
use crate::rust::RustLines;
use context::Context;
use streams::CudaStreams;

pub use vendor::{Vendor, VendorLibrary};

pub(super) use properties::{attribute, by_pci_bus_id, can_access_peer, count, describe, pci_bus_id};

/// Where toolkits are installed: `CUDA_PATH`, the usual places, NVIDIA's packages for Python.
pub fn toolkits() -> Vec<PathBuf> {
    library::toolkits()
}

/// Whether kernels can be compiled.
///
/// # Errors
///
/// If the run-time compiler is not installed.
pub(super) fn compiler() -> Result<()> {
    library::nvrtc()
}

/// A GPU's primary context.
///
/// # Errors
///
/// If there is no such device, or it cannot be used.
pub(super) fn open(number: usize) -> Result<device::Context> {
    Ok(known(Context::primary(number)?, true))
}

/// A context of its own, not current.
///
/// # Errors
///
/// As [`open`].
pub(super) fn make_context(number: usize, flags: ContextFlags) -> Result<device::Context> {
    Ok(known(Context::make(number, flags)?, false))
}

fn known(context: Context, is_primary: bool) -> device::Context {
    let context = Arc::new(context);
    let backend = Cuda { streams: CudaStreams(Arc::clone(&context)), context: Arc::clone(&context) };
    let owner = device::Context::new(Box::new(backend), is_primary);
    context.set_owner(owner);
    owner
}

struct Cuda {
    context: Arc<Context>,
    streams: CudaStreams,
}

impl Backend for Cuda {
    fn description(&self) -> Description {
        self.context.description().clone()
    }

    fn allocate(&self, bytes: usize) -> Result<u64> {
        self.context.allocate(bytes)
    }

    unsafe fn release(&self, address: u64, bytes: usize, order: &Order) {
        // SAFETY: the caller's promise.
        unsafe { self.context.release(address, bytes, order) }
    }

    fn memory(&self) -> Result<(u64, u64)> {
        self.context.memory()
    }

    fn upload(&self, to: &Buffer, offset: usize, from: &[u8]) -> Result<()> {
        self.context.upload(to, offset, from)
    }

    fn download(&self, from: &Buffer, offset: usize, to: &mut [u8]) -> Result<()> {
        self.context.download(from, offset, to)
    }

    fn copy(&self, to: (&Buffer, usize), from: (&Buffer, usize), bytes: usize) -> Result<()> {
        self.context.copy(to, from, bytes)
    }

    fn multiplies_halves(&self) -> bool {
        blas::is_there()
    }

    fn perform(&self, operation: &dyn Operation) -> Result<()> {
        operation.check();
        interrupt::check()?;
        generated::perform(&self.context, operation)
    }

    fn compile_module(&self, request: &ModuleSource<'_>) -> Result<Box<dyn Module>> {
        module::compile(&self.context, request)
    }

    fn compile_rust(&self, kernel: &RustKernel<'_>, lines: &RustLines) -> Result<Box<dyn Module>> {
        rust_module::compile(&self.context, kernel, lines)
    }

    fn compile_loop(&self, spec: &ElementwiseSpec) -> Result<Box<dyn LoopKernel>> {
        generated::compile_loop(&self.context, spec)
    }

    fn compile_fold(&self, spec: &ReductionSpec) -> Result<Box<dyn FoldKernel>> {
        generated::compile_fold(&self.context, spec)
    }

    fn compile_row_fold(&self, spec: &ReductionSpec) -> Result<Box<dyn RowFoldKernel>> {
        generated::compile_row_fold(&self.context, spec)
    }

    fn compile_scan(&self, spec: &ScanSpec) -> Result<Box<dyn RunningKernel>> {
        scan_kernel::compile(&self.context, spec)
    }

    fn image(&self, _: device::Context, layout: &Layout) -> Result<Arc<dyn Image>> {
        image::new(&self.context, layout)
    }

    fn linear_texture(&self, from: &Linear<'_>, sampling: &Sampling) -> Result<Box<dyn Object>> {
        image::linear(&self.context, from, sampling)
    }

    fn synchronize(&self) -> Result<()> {
        self.context.synchronize()
    }

    fn compile_to(&self, request: &ModuleSource<'_>, target: Target) -> Result<Vec<u8>> {
        let capability = self.context.description().compute_capability.unwrap_or_default();
        module::compile_to(capability, request, target, properties::driver_version()?)
    }

    fn load_module(&self, image: &[u8]) -> Result<Box<dyn Module>> {
        loaded::load(&self.context, image)
    }

    fn link(&self, parts: &[LinkPart]) -> Result<Vec<u8>> {
        link::link(&self.context, parts)
    }

    fn standard_library(&self, name: &str) -> Result<PathBuf> {
        link::standard_library(name)
    }

    fn streams(&self) -> &dyn Streams {
        &self.streams
    }

    fn limit(&self, limit: Limit) -> Result<usize> {
        self.context.limit(limit)
    }

    fn set_limit(&self, limit: Limit, value: usize) -> Result<()> {
        self.context.set_limit(limit, value)
    }

    fn enable_peer_access(&self, other: device::Context) -> Result<()> {
        self.context.enable_peer_access(other)
    }

    fn disable_peer_access(&self, other: device::Context) -> Result<()> {
        self.context.disable_peer_access(other)
    }

    fn detach(&self) {
        self.context.detach();
    }

    fn handle(&self) -> u64 {
        self.context.raw() as u64
    }

    fn pool(&self) -> &dyn Pool {
        self
    }

    fn copies(&self) -> &dyn Copies {
        self
    }
}

impl Pool for Cuda {
    fn figures(&self) -> PoolFigures {
        self.context.figures()
    }

    fn set_limit(&self, bytes: Option<u64>) {
        self.context.allocator.set_limit(bytes);
    }

    fn free_held(&self) -> Result<()> {
        self.context.free_held()
    }
}
