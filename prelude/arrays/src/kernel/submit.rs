//! A launch: checked, prepared, handed to the device.

use smallvec::SmallVec;

use super::argument::ArgumentList;
use super::checked::{Prepared, prepare};
use super::launch::{Dim3, check_shape};
use super::source_module::FunctionInner;
use super::{loaded_module, texture};
use crate::activity;
use crate::device::{Buffer, Launch, Stream, Structure};
use crate::error::{Problem, Result};
use crate::scalar::ScalarBytes;

/// Does something on a stream, as work that can go into a graph.
pub(super) fn on_stream<R>(
    stream: &Stream,
    function: &FunctionInner,
    act: impl FnOnce() -> Result<R>,
) -> Result<R> {
    function.module.context.check_same(&function.signature.name, stream.context())?;
    stream.scope(act)?
}

/// Launches with everything copied beforehand, so that the time is the
/// kernel's.
pub(super) fn launch_timed(
    function: &FunctionInner,
    grid: Dim3,
    block: Dim3,
    shared_memory: usize,
    list: ArgumentList<'_>,
) -> Result<f64> {
    let shape = function.shape(grid, block, shared_memory)?;
    let prepared = prepare_for(function, list)?;
    let launch = || function.submit(shape, &prepared.values, &prepared.structures, prepared.buffers(), false);
    let (result, milliseconds) = function.module.context.scope(|| crate::device::timed(launch))??;
    result?;
    prepared.finish()?;
    Ok(f64::from(milliseconds) / 1e3)
}

/// Arguments that have been checked against all that is known of the kernel.
fn prepare_for<'a>(function: &FunctionInner, list: ArgumentList<'a>) -> Result<Prepared<'a>> {
    let arguments = list.into_arguments();
    let without_source = match &function.loaded {
        Some(parameters) => Some(loaded_module::signature(&function.signature.name, parameters, &arguments)?),
        None => None,
    };
    let signature = without_source.as_ref().unwrap_or(&function.signature);
    let context = Some(function.module.context);
    let prepared = prepare(context, signature, function.sizes.as_deref(), arguments)?;
    check_sizes(function, &prepared)?;
    Ok(prepared)
}

pub(super) fn launch(
    function: &FunctionInner,
    grid: Dim3,
    block: Dim3,
    shared_memory: usize,
    list: ArgumentList<'_>,
    is_cooperative: bool,
) -> Result<()> {
    let shape = function.shape(grid, block, shared_memory)?;
    let prepared = prepare_for(function, list)?;
    function.submit(shape, &prepared.values, &prepared.structures, prepared.buffers(), is_cooperative)?;
    prepared.finish()
}

/// A grid, a block and bytes of dynamic shared memory that the device allows.
pub(super) type LaunchShape = ([u32; 3], [u32; 3], u32);

impl FunctionInner {
    /// Checks the shape of a launch, and whether the user wants to stop.
    pub(super) fn shape(&self, grid: Dim3, block: Dim3, shared_memory: usize) -> Result<LaunchShape> {
        crate::interrupt::check()?;
        let kernel = &self.signature.name;
        let limits = self.module.context.limits();
        let (grid, block) = check_shape(kernel, grid, block, limits, self.entry.max_threads_per_block())?;
        self.entry.allow_shared_memory(kernel, shared_memory)?;
        let shared_memory = u32::try_from(shared_memory).unwrap_or(u32::MAX);
        Ok((grid, block, shared_memory))
    }

    /// Launches the kernel with arguments that have been checked.
    pub(super) fn submit(
        &self,
        (grid, block, shared_memory): LaunchShape,
        arguments: &[ScalarBytes],
        structures: &[Structure],
        buffers: SmallVec<[(&Buffer, bool); 8]>,
        is_cooperative: bool,
    ) -> Result<()> {
        let (kernel, module) = (&self.signature.name, &self.module);
        let launch = |buffers: &[(&Buffer, bool)]| {
            let launch = Launch { kernel, grid, block, shared_memory, arguments, structures, buffers };
            activity::work(module.context, activity::Kind::Kernel, kernel, 0, || {
                if is_cooperative {
                    self.entry.launch_cooperative(&launch)
                } else {
                    self.entry.launch(&launch)
                }
            })
            .map(|()| self.record.launched(block, shared_memory))
        };
        if module.globals.is_empty() {
            return launch(&buffers);
        }
        // A kernel may use the module's variables; nobody else does meanwhile.
        let globals = module.globals.in_use();
        let references = texture::ready(module)?;
        let mut buffers: SmallVec<[(&Buffer, bool); 8]> = buffers.iter().copied().collect();
        buffers.extend(globals.iter().map(|buffer| (&**buffer, true)));
        references.enter()?;
        buffers.extend(references.buffers().map(|buffer| (buffer, true)));
        launch(&buffers)
    }
}

/// What the compiler says about sizes is checked as well: the text may have
/// meant another type of the same name.
fn check_sizes(function: &FunctionInner, prepared: &Prepared<'_>) -> Result<()> {
    let values = &prepared.values;
    let wrong = |message| Problem::Argument { kernel: function.signature.name.clone(), message }.into();
    let Some(sizes) = &function.sizes else { return Ok(()) };
    if sizes.len() != values.len() {
        return Err(wrong(format!(
            "the compiled kernel takes {} arguments, but its text seems to take {}; write them out instead of \
             using a macro",
            sizes.len(),
            values.len()
        )));
    }
    for (number, (value, size)) in values.iter().zip(sizes).enumerate() {
        let is_structure = || prepared.structures.iter().any(|structure| structure.number == number);
        if value.bytes().len() != *size && !is_structure() {
            let message = format!(
                "argument {} has {} bytes in the compiled kernel, but {} would be passed",
                number + 1,
                size,
                value.bytes().len()
            );
            return Err(wrong(message));
        }
    }
    Ok(())
}
