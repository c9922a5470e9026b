//! A user's source on a GPU.

use std::sync::Arc;

use gpurepl_kernels::{host::SOURCE_NAME, signature};

use super::compile::{Source, compile as compile_source};
use super::context::Context;
use super::launch::{Image, Kernel};
use crate::device::{Entry, Launch, Module};
use crate::error::{Problem, Result};

pub(super) fn compile(
    context: &Arc<Context>,
    source: &str,
    options: &[String],
    left_out: &[String],
) -> Result<Box<dyn Module>> {
    let signatures = signature::find(source).map_err(|error| Problem::Spec { what: "kernel", error })?;
    let kernels = signatures
        .iter()
        .filter(|signature| !signature.is_template && !left_out.contains(&signature.qualified_name()));
    let (names, kernels): (Vec<String>, Vec<String>) =
        kernels.map(|signature| (signature.name.clone(), signature.qualified_name())).unzip();
    let capability = context.description().compute_capability.unwrap_or_default();
    let compiled = compile_source(
        &Source {
            what: "kernel",
            texts: &[(SOURCE_NAME, source)],
            text: source,
            name: SOURCE_NAME,
            options,
            kernels: &kernels,
        },
        capability,
    )?;
    let image = Image::load(context, &compiled.image)?;
    let names = names.into_iter().zip(compiled.names).collect();
    Ok(Box::new(CudaModule { context: Arc::clone(context), image, names }))
}

struct CudaModule {
    context: Arc<Context>,
    image: Arc<Image>,
    /// The names of kernels in the source and in the machine code.
    names: Vec<(String, String)>,
}

impl Module for CudaModule {
    fn function(&self, name: &str) -> Result<Box<dyn Entry>> {
        let lowered = self.names.iter().find(|(known, _)| known == name).map(|(_, lowered)| lowered);
        let kernel = self.image.function(lowered.map_or(name, String::as_str))?;
        let sizes = kernel.argument_sizes();
        let limit = self.context.description().limits.threads_per_block;
        let max_threads = kernel.max_threads().unwrap_or(limit);
        Ok(Box::new(CudaEntry { context: Arc::clone(&self.context), kernel, sizes, max_threads }))
    }
}

struct CudaEntry {
    context: Arc<Context>,
    kernel: Kernel,
    sizes: Option<Vec<usize>>,
    max_threads: u64,
}

impl Entry for CudaEntry {
    fn argument_sizes(&self) -> Option<Vec<usize>> {
        self.sizes.clone()
    }

    fn max_threads_per_block(&self) -> u64 {
        self.max_threads
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<()> {
        let shown = |[x, y, z]: [u32; 3]| format!("({x}, {y}, {z})");
        self.context.note_launch(|| {
            format!("{} with grid {} and block {}", launch.kernel, shown(launch.grid), shown(launch.block))
        });
        // SAFETY: the arguments are checked against the kernel's signature
        // before a launch is made, and against the sizes that the driver
        // reports. Buffers are given back to the pool of the same stream, so
        // they outlive the kernel. What the kernel does with addresses is the
        // user's text: see `Backend::compile_module`.
        unsafe { self.kernel.launch(launch.grid, launch.block, launch.shared_memory, launch.arguments) }
    }
}
