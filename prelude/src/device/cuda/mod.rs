//! NVIDIA GPUs through the CUDA driver: the only code that names `cudarc`.
//!
//! Of `cudarc` only the raw bindings are used: they find the driver and the
//! run-time compiler when the program runs, so that one build works with and
//! without them. Everything is asked of [`library`] first, because the
//! bindings panic where a library is missing.
//!
//! All work goes to the driver's default stream, in the order of the calls.
//! It is done later; a download waits for it.

mod compile;
mod context;
mod failure;
mod function;
mod generated;
mod headers;
mod image;
mod launch;
mod library;
mod link;
mod loaded;
mod module;
mod nvrtc;
mod precompiled;

use std::path::PathBuf;
use std::sync::Arc;

use gpurepl_kernels::{ElementwiseSpec, ReductionSpec};

use super::image::{Image, Layout, Linear, Object, Sampling};
use super::{
    Backend, Buffer, Description, Device, Elementwise, FoldKernel, LinkPart, LoopKernel, Module,
    ModuleSource, Random, Reduction, Target,
};
use crate::error::Result;
use crate::interrupt;
use context::Context;

/// How many CUDA devices there are.
///
/// # Errors
///
/// If there is no driver, or it reports that it cannot be used.
pub(super) fn count() -> Result<usize> {
    context::count()
}

/// What a device is, without making it ready.
///
/// # Errors
///
/// As [`open`].
pub(super) fn describe(number: usize) -> Result<Description> {
    context::describe(number)
}

/// Whether kernels can be compiled.
///
/// # Errors
///
/// If the run-time compiler is not installed.
pub(super) fn compiler() -> Result<()> {
    library::nvrtc()
}

/// Makes a device ready.
///
/// # Errors
///
/// If there is no such device, or it cannot be used.
pub(super) fn open(number: usize) -> Result<Device> {
    Ok(Device::new(Box::new(Cuda { context: Arc::new(Context::new(number)?) })))
}

struct Cuda {
    context: Arc<Context>,
}

impl Backend for Cuda {
    fn description(&self) -> Description {
        self.context.description().clone()
    }

    fn allocate(&self, bytes: usize) -> Result<u64> {
        self.context.allocate(bytes)
    }

    unsafe fn release(&self, address: u64, _bytes: usize) {
        // SAFETY: the caller promises that the address is one of ours, is
        // given back once and not used by later calls; earlier work on the
        // stream is done before the memory is used again.
        unsafe { self.context.release(address) }
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

    fn evaluate(&self, task: &Elementwise<'_>) -> Result<()> {
        task.check();
        interrupt::check()?;
        generated::evaluate(&self.context, task)
    }

    fn reduce(&self, task: &Reduction<'_>) -> Result<()> {
        task.check();
        interrupt::check()?;
        generated::reduce(&self.context, task)
    }

    fn random(&self, task: &Random<'_>) -> Result<()> {
        interrupt::check()?;
        generated::random(&self.context, task)
    }

    fn compile_module(&self, request: &ModuleSource<'_>) -> Result<Box<dyn Module>> {
        module::compile(&self.context, request)
    }

    fn compile_loop(&self, spec: &ElementwiseSpec) -> Result<Box<dyn LoopKernel>> {
        generated::compile_loop(&self.context, spec)
    }

    fn compile_fold(&self, spec: &ReductionSpec) -> Result<Box<dyn FoldKernel>> {
        generated::compile_fold(&self.context, spec)
    }

    fn image(&self, _device: &'static Device, layout: &Layout) -> Result<Arc<dyn Image>> {
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
        module::compile_to(capability, request, target, context::driver_version()?)
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
}
