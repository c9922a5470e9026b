//! A user's source on a GPU.

use std::sync::Arc;

use gpurepl_kernels::globals;
use gpurepl_kernels::host::SOURCE_NAME;
use gpurepl_kernels::signature::{self, Signature};

use super::compile::{self, Compiled, Source};
use super::context::Context;
use super::function::SharedMemory;
use super::launch::{Image, Kernel};
use super::properties::driver_version;
use crate::device::{
    Attribute, CacheConfig, Entry, Launch, Module, ModuleSource, Target, left_out, left_out_global, symbols,
};
use crate::error::{Problem, Result};

/// A compiled source, before it is loaded.
struct CompiledModule {
    signatures: Vec<Signature>,
    compiled: Compiled,
    /// The names of kernels in the source and in the machine code.
    names: Vec<(String, String)>,
}

/// Compiles a source to bytes.
pub(super) fn compile_to(
    capability: (i32, i32),
    request: &ModuleSource<'_>,
    target: Target,
    driver: i32,
) -> Result<Vec<u8>> {
    let mut image = compile_source(capability, request, target, driver)?.compiled.image;
    // What the compiler adds after a text is for C.
    if target == Target::Ptx && image.last() == Some(&0) {
        image.pop();
    }
    Ok(image)
}

fn compile_source(
    capability: (i32, i32),
    request: &ModuleSource<'_>,
    target: Target,
    driver: i32,
) -> Result<CompiledModule> {
    let ModuleSource { source, options, left_out, instances, is_checked: _ } = *request;
    let signatures = signature::find(source).map_err(|error| Problem::Spec { what: "kernel", error })?;
    let kernels = signatures
        .iter()
        .filter(|signature| !signature.is_template && !left_out.contains(&signature.qualified_name()));
    let (mut names, mut kernels): (Vec<String>, Vec<String>) =
        kernels.map(|signature| (signature.qualified_name(), signature.qualified_name())).unzip();
    for instance in instances {
        let signature = signature::instance(source, &signatures, instance)
            .map_err(|error| Problem::Spec { what: "kernel", error })?;
        names.push(signature.qualified_name());
        kernels.push(signature.qualified_name());
    }
    // Lines keep their numbers.
    let with_references = globals::has_references(source)
        .then(|| format!("#include <gpurepl_references.h>\n#line 1 \"{SOURCE_NAME}\"\n{source}"));
    let compiled = compile::compile_to(
        &Source {
            what: "kernel",
            texts: &[(SOURCE_NAME, source)],
            text: with_references.as_deref().unwrap_or(source),
            name: SOURCE_NAME,
            options,
            kernels: &kernels,
        },
        capability,
        target,
        driver,
    )?;
    let names = names.into_iter().zip(compiled.names.iter().cloned()).collect();
    Ok(CompiledModule { signatures, compiled, names })
}

pub(super) fn compile(context: &Arc<Context>, request: &ModuleSource<'_>) -> Result<Box<dyn Module>> {
    let ModuleSource { source, left_out, .. } = *request;
    let capability = context.description().compute_capability.unwrap_or_default();
    let CompiledModule { signatures, compiled, mut names } =
        compile_source(capability, request, Target::Cubin, driver_version()?)?;
    let image = Image::load(context, &compiled.image)?;
    let globals = if globals::find(source).is_empty() {
        Vec::new()
    } else {
        symbols::variables(&compiled.image).into_iter().map(|variable| variable.symbol).collect()
    };
    // A kernel with the name of a function that CUDA C has, `all` or `norm`,
    // cannot be asked for by its name, but it is there.
    for signature in signatures.iter().filter(|signature| left_out.contains(&signature.qualified_name())) {
        names.extend(mangled(&compiled.image, signature).map(|symbol| (signature.qualified_name(), symbol)));
    }
    Ok(Box::new(CudaModule { context: Arc::clone(context), image, names, globals }))
}

/// The symbol of a kernel in machine code or PTX, if there is one only: by
/// the rules for names of the Itanium C++ ABI, before the types of arguments.
fn mangled(image: &[u8], signature: &Signature) -> Option<String> {
    let part = |name: &str| format!("{}{name}", name.len());
    let start = if signature.namespace.is_empty() {
        format!("_Z{}", part(&signature.name))
    } else {
        let scopes: String = signature.namespace.split("::").map(part).collect();
        format!("_ZN{scopes}{}E", part(&signature.name))
    };
    let mut symbols: Vec<String> = Vec::new();
    // A section of machine code, an entry of PTX.
    for before in [".text.", ".entry "] {
        let marked = format!("{before}{start}");
        for at in image.windows(marked.len()).enumerate().filter(|(_, text)| *text == marked.as_bytes()) {
            let rest = &image[at.0 + before.len()..];
            let end = rest.iter().position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'));
            symbols.push(String::from_utf8_lossy(&rest[..end.unwrap_or(rest.len())]).into_owned());
        }
    }
    symbols.sort();
    symbols.dedup();
    if symbols.len() == 1 { symbols.pop() } else { None }
}

struct CudaModule {
    context: Arc<Context>,
    image: Arc<Image>,
    /// The names of kernels in the source and in the machine code.
    names: Vec<(String, String)>,
    /// The variables in the machine code.
    globals: Vec<String>,
}

impl Module for CudaModule {
    fn function(&self, name: &str) -> Result<Box<dyn Entry>> {
        let lowered = self.names.iter().find(|(known, _)| known == name).map(|(_, lowered)| lowered);
        let kernel = self.image.function(lowered.ok_or_else(|| left_out(name))?)?;
        let short = name.rsplit("::").next().unwrap_or(name);
        Ok(Box::new(CudaEntry::new(&self.context, short, kernel)?))
    }

    fn global(&self, name: &str) -> Result<(u64, usize)> {
        let symbol = symbols::find(&self.globals, name).ok_or_else(|| left_out_global(name))?;
        self.image.global(symbol)
    }
}

pub(super) struct CudaEntry {
    context: Arc<Context>,
    name: Arc<str>,
    kernel: Kernel,
    sizes: Option<Vec<usize>>,
    max_threads: u64,
    shared_memory: SharedMemory,
}

impl CudaEntry {
    pub(super) fn new(context: &Arc<Context>, name: &str, kernel: Kernel) -> Result<CudaEntry> {
        let limits = &context.description().limits;
        Ok(CudaEntry {
            context: Arc::clone(context),
            name: name.into(),
            sizes: kernel.argument_sizes(),
            max_threads: kernel.max_threads().unwrap_or(limits.threads_per_block),
            shared_memory: SharedMemory::of(&kernel, limits)?,
            kernel,
        })
    }

    /// What comes before every launch: the order of streams, and a note for
    /// the messages of errors that come later.
    fn note(&self, launch: &Launch<'_>) -> Result<()> {
        let owner = self.context.owner();
        launch.buffers.iter().try_for_each(|(buffer, writes)| buffer.enter_from(owner, *writes))?;
        self.context.note_launch(&self.name, launch.grid, launch.block, launch.arguments);
        Ok(())
    }
}

impl Entry for CudaEntry {
    fn argument_sizes(&self) -> Option<Vec<usize>> {
        self.sizes.clone()
    }

    fn max_threads_per_block(&self) -> u64 {
        self.max_threads
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<()> {
        self.note(launch)?;
        // SAFETY: the arguments are checked against the kernel's signature
        // before a launch is made, and against the sizes that the driver
        // reports. Buffers are given back to the pool of the same stream, so
        // they outlive the kernel. What the kernel does with addresses is the
        // user's text: see `Backend::compile_module`.
        unsafe { self.kernel.launch(launch.grid, launch.block, launch.shared_memory, &mut launch.pointers()) }
    }

    fn attribute(&self, attribute: Attribute) -> Result<i32> {
        self.kernel.attribute(attribute)
    }

    fn set_attribute(&self, attribute: Attribute, value: i32) -> Result<()> {
        match attribute {
            Attribute::MaxDynamicSharedSizeBytes => self.shared_memory.set(&self.kernel, "the kernel", value),
            other => self.kernel.set_attribute(other, value),
        }
    }

    fn set_cache_config(&self, config: CacheConfig) -> Result<()> {
        self.kernel.set_cache_config(config)
    }

    fn max_active_blocks_per_multiprocessor(&self, threads: u32, dynamic_shared: usize) -> Result<usize> {
        self.kernel.max_active_blocks(threads, dynamic_shared)
    }

    fn suggested_block_size(&self, dynamic_shared: usize) -> Result<(usize, usize)> {
        self.kernel.suggested_block_size(dynamic_shared)
    }

    fn allow_shared_memory(&self, kernel: &str, bytes: usize) -> Result<()> {
        self.shared_memory.allow(&self.kernel, kernel, bytes)
    }

    fn launch_cooperative(&self, launch: &Launch<'_>) -> Result<()> {
        self.note(launch)?;
        // SAFETY: as for a launch of another kind.
        unsafe { self.kernel.launch_cooperative(launch) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_is_found_by_the_start_of_its_name() {
        let source = "__global__ void all(int *a) {} namespace deep { __global__ void norm(float *a) {} }";
        let signatures = signature::find(source).unwrap();
        let image = b"\x7fELF\0.text._Z3allPi\0.nv.info._Z3allPi\0.text._ZN4deep4normEPf\0_Z3allPi\0";
        assert_eq!(mangled(image, &signatures[0]).as_deref(), Some("_Z3allPi"));
        assert_eq!(mangled(image, &signatures[1]).as_deref(), Some("_ZN4deep4normEPf"));
        let two = b".text._Z3allPi\0.text._Z3allPf\0";
        assert_eq!(mangled(two, &signatures[0]), None);
    }
}
