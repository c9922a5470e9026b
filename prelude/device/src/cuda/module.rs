//! A user's source on a GPU.

use std::sync::Arc;

use cudarc::driver::sys;
use gpurepl_kernels::host::SOURCE_NAME;
use gpurepl_kernels::mangled::{ParameterType, TYPE_OF, parameters, parameters_of_function};
use gpurepl_kernels::signature::{self, Signature};
use gpurepl_kernels::{AFTER, globals};

use super::compile::{self, Compiled, Source};
use super::context::Context;
use super::function::SharedMemory;
use super::launch::{Image, Kernel};
use super::properties::driver_version;
use crate::error::{Problem, Result};
use crate::{
    Attribute, CacheConfig, Entry, Launch, Module, ModuleSource, Target, left_out, left_out_global, symbols,
};

/// A compiled source, before it is loaded.
struct CompiledModule {
    compiled: Compiled,
    kernels: Vec<Named>,
}

/// A kernel of a compiled source.
struct Named {
    /// Its name in the source.
    name: String,
    /// Its name in the machine code.
    symbol: String,
    /// The types of its parameters.
    types: Option<Vec<ParameterType>>,
}

/// Compiles a source to bytes.
pub(super) fn compile_to(
    capability: (i32, i32),
    request: &ModuleSource<'_>,
    target: Target,
    driver: i32,
) -> Result<Vec<u8>> {
    // What others read has nothing in it but the user's.
    let mut image = compile_source(capability, request, target, driver, false)?.compiled.image;
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
    wants_types: bool,
) -> Result<CompiledModule> {
    let ModuleSource { source, preprocessed, signatures, options, left_out, instances, .. } = *request;
    let is_there = |signature: &&Signature| {
        !signature.is_template && signature.is_defined && !left_out.contains(&signature.qualified_name())
    };
    let mut wanted: Vec<Signature> = signatures.iter().filter(is_there).cloned().collect();
    for instance in instances {
        let signature = signature::instance(signatures, instance)
            .map_err(|error| Problem::Spec { what: "kernel", error })?;
        wanted.push(signature);
    }
    let mut options = gpurepl_kernels::options::for_nvrtc(options);
    if wants_types {
        // What is to be linked cannot be loaded.
        let is_for_linking = |option: &String| {
            ["-rdc", "--relocatable-device-code", "-dc", "--device-c", "-dlto"]
                .iter()
                .any(|name| option.starts_with(name))
        };
        options.retain(|option| !is_for_linking(option));
    }
    let options = &options;
    let mut expressions: Vec<String> = wanted.iter().map(Signature::expression).collect();
    let mut text = String::new();
    // Lines keep their numbers.
    if globals::has_references(preprocessed) {
        text.push_str(&format!("#include <gpurepl_references.h>\n#line 1 \"{SOURCE_NAME}\"\n"));
    }
    text.push_str(source);
    if wants_types {
        let of = |kernel: &Signature| format!("&{TYPE_OF}<decltype({})>", kernel.expression());
        expressions.extend(wanted.iter().map(of));
        text.push_str(&format!(
            "\n#line 1 \"{AFTER}{SOURCE_NAME}\"\ntemplate <class F> __device__ char {TYPE_OF};\n"
        ));
    }
    let compiled = compile::compile_to(
        &Source {
            what: "kernel",
            texts: &[(SOURCE_NAME, source)],
            text: &text,
            name: SOURCE_NAME,
            options,
            kernels: &expressions,
        },
        capability,
        target,
        driver,
    )?;
    let named = |(k, signature): (usize, &Signature)| Named {
        name: signature.qualified_name(),
        symbol: compiled.names[k].clone(),
        types: compiled.names.get(wanted.len() + k).and_then(|symbol| parameters(symbol)),
    };
    let mut kernels: Vec<Named> = wanted.iter().enumerate().map(named).collect();
    // A kernel with the name of a function that CUDA C has, `all` or `norm`,
    // cannot be asked for by its name, but it is there.
    let is_hidden = |signature: &&Signature| {
        signature.overload.is_none() && left_out.contains(&signature.qualified_name())
    };
    for signature in signatures.iter().filter(is_hidden) {
        let named = |symbol: String| {
            let types = parameters_of_function(&symbol);
            Named { name: signature.qualified_name(), symbol, types }
        };
        kernels.extend(mangled(&compiled.image, signature).map(named));
    }
    Ok(CompiledModule { compiled, kernels })
}

pub(super) fn compile(context: &Arc<Context>, request: &ModuleSource<'_>) -> Result<Box<dyn Module>> {
    let capability = context.description().compute_capability.unwrap_or_default();
    let CompiledModule { compiled, kernels } =
        compile_source(capability, request, Target::Cubin, driver_version()?, true)?;
    let image = Image::load(context, &compiled.image)?;
    let globals = if request.globals.is_empty() {
        Vec::new()
    } else {
        symbols::variables(&compiled.image).into_iter().map(|variable| variable.symbol).collect()
    };
    Ok(Box::new(CudaModule { context: Arc::clone(context), image, kernels, globals }))
}

/// The kernels of a source with the types of their parameters.
#[cfg(test)]
pub(super) fn kernels(
    capability: (i32, i32),
    request: &ModuleSource<'_>,
    driver: i32,
) -> Result<Vec<(String, Vec<String>)>> {
    let compiled = compile_source(capability, request, Target::Cubin, driver, true)?;
    let spellings = |named: Named| {
        let types = named.types.unwrap_or_default();
        (named.name, types.into_iter().map(|parameter| parameter.spelling).collect())
    };
    Ok(compiled.kernels.into_iter().map(spellings).collect())
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
    kernels: Vec<Named>,
    /// The variables in the machine code.
    globals: Vec<String>,
}

impl Module for CudaModule {
    fn function(&self, name: &str) -> Result<Box<dyn Entry>> {
        let kernel = self.kernels.iter().find(|kernel| kernel.name == name).ok_or_else(|| left_out(name))?;
        let kernel = self.image.function(&kernel.symbol)?;
        let short = name.split('(').next().and_then(|path| path.rsplit("::").next()).unwrap_or(name);
        Ok(Box::new(CudaEntry::new(&self.context, short, kernel)?))
    }

    fn global(&self, name: &str) -> Result<(u64, usize)> {
        let symbol = symbols::find(&self.globals, name).ok_or_else(|| left_out_global(name))?;
        self.image.global(symbol)
    }

    fn parameter_types(&self, name: &str) -> Option<Vec<ParameterType>> {
        self.kernels.iter().find(|kernel| kernel.name == name)?.types.clone()
    }
}

pub(super) struct CudaEntry {
    context: Arc<Context>,
    name: Arc<str>,
    kernel: Kernel,
    sizes: Option<Vec<usize>>,
    max_threads: u64,
    shared_memory: SharedMemory,
    /// Where the kernel finds the number of its launch, if it asks for it.
    pub(super) launch_number: Option<u64>,
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
            launch_number: None,
            kernel,
        })
    }

    /// What comes before every launch: the order of streams, and a note for
    /// the messages of errors that come later.
    fn note(&self, launch: &Launch<'_>) -> Result<()> {
        let owner = self.context.owner();
        launch.buffers.iter().try_for_each(|(buffer, writes)| buffer.enter_from(owner, *writes))?;
        self.context.note_launch(&self.name, launch.grid, launch.block, launch.arguments);
        let Some(address) = self.launch_number else { return Ok(()) };
        self.context.bind()?;
        let number = self.context.rust_output.next_launch();
        // SAFETY: the variable of the kernel's module has eight bytes, and the module is loaded as long as
        // the kernel is. The number is written in the order of the stream, before the launch that follows.
        let result = unsafe { sys::cuMemsetD32Async(address, number, 1, self.context.stream()) };
        self.context.check(result, "launching a kernel that prints")
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
        // reports. Buffers are freed to the pool of the same stream, so
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
    use gpurepl_kernels::preprocessor::Environment;

    #[test]
    fn a_symbol_is_found_by_the_start_of_its_name() {
        let source = "__global__ void all(int *a) {} namespace deep { __global__ void norm(float *a) {} }";
        let signatures = signature::find(source, &Environment::default()).unwrap();
        let image = b"\x7fELF\0.text._Z3allPi\0.nv.info._Z3allPi\0.text._ZN4deep4normEPf\0_Z3allPi\0";
        assert_eq!(mangled(image, &signatures[0]).as_deref(), Some("_Z3allPi"));
        assert_eq!(mangled(image, &signatures[1]).as_deref(), Some("_ZN4deep4normEPf"));
        let two = b".text._Z3allPi\0.text._Z3allPf\0";
        assert_eq!(mangled(two, &signatures[0]), None);
    }
}
