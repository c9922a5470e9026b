//! A kernel in Rust on a GPU.

use std::sync::Arc;

use gpurepl_kernels::rust::{ENTRY_NAME, RustKernel, finish, maths_source};

use super::compile::{self, Source};
use super::context::Context;
use super::faults::{Known, Registered, set};
use super::launch::Image;
use super::link;
use super::module::CudaEntry;
use super::properties::driver_version;
use crate::Limit;
use crate::checks;
use crate::error::{Error, Problem, Result};
use crate::rust::{GpuOptions, RustLines, compile_for_gpu, lines_are_asked_for};
use crate::time_limit::read_time_limit;
use crate::{Entry, Module, Target, left_out, left_out_global};

/// Bytes of a thread's stack where calls by address are made. A text that is formatted has taken less
/// than 2.5 KiB.
const STACK_OF_CALLS: usize = 4096;

struct RustModule {
    context: Arc<Context>,
    name: String,
    image: Arc<Image>,
    ptx: String,
    /// As long as this lives the kernel's reports are its own.
    _registered: Registered,
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
    let known = Known::Rust { name: kernel.name.to_owned(), lines: lines.clone() };
    let registered = Registered::new(context, &image, known, ["__gr_record", "__gr_module"])?;
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
    let module =
        RustModule { context: Arc::clone(context), name, image, ptx, _registered: registered, launch_number };
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
