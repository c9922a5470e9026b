//! Compiled sources, and the kernels and variables in them.

use std::ffi::c_void;

use gpurepl_kernels::DType;
use gpurepl_kernels::globals::Global;
use gpurepl_kernels::mangled::ParameterType;
use gpurepl_kernels::preprocessor::{Environment, Headers};
use gpurepl_kernels::signature::Signature;
use gpurepl_kernels::token::Source;
use smallvec::SmallVec;

use super::task::{Launch, Structure, pointers};
use crate::Buffer;
use crate::error::{Error, Problem, Result};
use crate::scalar::ScalarBytes;

/// A user's source, to be compiled.
#[derive(Clone, Copy)]
#[doc(hidden)]
pub struct ModuleSource<'a> {
    pub source: &'a str,
    /// The source once the preprocessor has run, as far as that is known.
    pub preprocessed: &'a Source<'a>,
    /// The variables that the preprocessed source seems to have.
    pub globals: &'a [Global],
    /// The kernels that the source seems to have.
    pub signatures: &'a [Signature],
    pub options: &'a [String],
    /// Kernels that the text seems to have but the compiler does not see: see
    /// [`crate::error::CompileError::left_out`].
    pub left_out: &'a [String],
    /// Instances of kernel templates: `reduce<float, 256>`.
    pub instances: &'a [String],
    /// Whether the host device looks up every access before it is made.
    pub is_checked: bool,
}

/// What the preprocessor knows when a device compiles a source.
pub fn environment<'a>(
    capability: Option<(i32, i32)>,
    options: &[String],
    headers: Headers<'a>,
) -> Environment<'a> {
    let mut environment = match capability {
        Some((major, minor)) => Environment::cuda(u32::try_from(10 * major + minor).unwrap_or(0)),
        None => Environment::host(),
    };
    environment.options(options);
    environment.with_headers(headers)
}

/// A compiled source.
pub trait Module: Send + Sync {
    /// The kernel of this name; the caller knows that the source has it.
    fn function(&self, name: &str) -> Result<Box<dyn Entry>>;

    /// The address of the variable of this qualified name, and its size in
    /// bytes; the caller knows that the source seems to have it. It stays
    /// where it is while the module lives.
    fn global(&self, name: &str) -> Result<(u64, usize)>;

    /// The PTX that it was loaded from, where that is known.
    fn ptx(&self) -> Option<String> {
        None
    }

    /// The types of a kernel's parameters, by its qualified name, as the
    /// compiler has them.
    fn parameter_types(&self, _name: &str) -> Option<Vec<ParameterType>> {
        None
    }

    /// What a loaded module itself says about the arguments of a kernel.
    fn parameters(&self, _name: &str) -> Option<Vec<LoadedParameter>> {
        None
    }

    /// The names of a loaded module's variables, as far as they are known.
    fn variables(&self) -> Vec<String> {
        Vec::new()
    }
}

/// An argument of a kernel that has no source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct LoadedParameter {
    pub bytes: usize,
    /// The type of a float; other types look like addresses.
    pub dtype: Option<DType>,
}

/// That a variable stands in the text, but not in what was compiled.
#[cold]
pub fn left_out_global(name: &str) -> Error {
    let message = "the preprocessor or the compiler removes this variable; check `#if` around it, and that a kernel uses it".to_owned();
    Problem::Argument { kernel: name.to_owned(), message }.into()
}

/// That a kernel stands in the text, but not in what was compiled.
#[cold]
pub fn left_out(kernel: &str) -> Error {
    let message =
        "the preprocessor removes this kernel, or there are several of its name; check `#if` around it"
            .to_owned();
    Problem::Argument { kernel: kernel.to_owned(), message }.into()
}

/// A kernel of a compiled source.
#[doc(hidden)]
pub trait Entry: Send + Sync {
    /// The size in bytes of each argument, where the compiler says so.
    fn argument_sizes(&self) -> Option<Vec<usize>>;

    /// The most threads that a block of this kernel can have.
    fn max_threads_per_block(&self) -> u64;

    fn launch(&self, launch: &Launch<'_>) -> Result<()>;

    /// One of the numbers that are known about a compiled kernel.
    fn attribute(&self, attribute: Attribute) -> Result<i32>;

    /// Changes what can be changed about a kernel.
    fn set_attribute(&self, attribute: Attribute, value: i32) -> Result<()>;

    fn set_cache_config(&self, config: CacheConfig) -> Result<()>;

    /// How many blocks of so many threads, with so much dynamic shared memory,
    /// run on one multiprocessor at once.
    fn max_active_blocks_per_multiprocessor(&self, threads: u32, dynamic_shared: usize) -> Result<usize>;

    /// The number of threads a block that fills the device best, and how many
    /// blocks it takes: `(grid, block)`.
    fn suggested_block_size(&self, dynamic_shared: usize) -> Result<(usize, usize)>;

    /// Makes sure that a launch can have so much dynamic shared memory: asks
    /// the device for it where that is needed, once.
    fn allow_shared_memory(&self, kernel: &str, bytes: usize) -> Result<()>;

    /// A launch whose blocks all run at once.
    fn launch_cooperative(&self, launch: &Launch<'_>) -> Result<()>;
}

/// What is known about a compiled kernel, by the driver's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Attribute {
    SharedSizeBytes,
    ConstSizeBytes,
    LocalSizeBytes,
    NumRegs,
    PtxVersion,
    BinaryVersion,
    MaxDynamicSharedSizeBytes,
    PreferredSharedMemoryCarveout,
}

/// What a multiprocessor's memory is to be, where a kernel has a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CacheConfig {
    /// As the driver likes.
    PreferNone,
    /// More shared memory.
    PreferShared,
    /// More of a first-level cache.
    PreferL1,
    /// As much of one as of the other.
    PreferEqual,
}

/// That a launch asks for more shared memory than a block can have.
#[cold]
pub fn too_much_shared_memory(kernel: &str, dynamic: usize, declared: u64, allowed: u64) -> Error {
    let message = format!(
        "{dynamic} bytes of dynamic shared memory and {declared} of `__shared__` variables; a block can have \
         {allowed} together"
    );
    Problem::Launch { kernel: kernel.to_owned(), message }.into()
}

/// What a user's loop or reduction is called with.
#[derive(Clone, Copy)]
#[doc(hidden)]
pub struct LoopArguments<'a> {
    pub values: &'a [ScalarBytes],
    /// Those that are larger: vectors by value. What stands in their place above is not used.
    pub structures: &'a [Structure],
    pub buffers: &'a [&'a Buffer],
}

impl LoopArguments<'_> {
    /// Where each argument lies.
    pub(crate) fn pointers(&self) -> SmallVec<[*mut c_void; 24]> {
        pointers(self.values, self.structures)
    }
}

/// A user's loop over elements.
#[doc(hidden)]
pub trait LoopKernel: Send + Sync {
    fn run(&self, arguments: LoopArguments<'_>, count: usize) -> Result<()>;
}

/// A user's reduction. The answer goes to the start of `output`.
#[doc(hidden)]
pub trait FoldKernel: Send + Sync {
    fn run(&self, arguments: LoopArguments<'_>, count: usize, output: &Buffer) -> Result<()>;
}

/// Rows of elements that are reduced each by itself.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Rows {
    pub count: usize,
    /// The elements of a row.
    pub length: usize,
    /// Whether elements of neighbouring rows lie side by side in memory, rather than those of one.
    pub are_side_by_side: bool,
}

/// A user's reduction of rows. The answers go to the start of `output`.
#[doc(hidden)]
pub trait RowFoldKernel: Send + Sync {
    fn run(&self, arguments: LoopArguments<'_>, rows: Rows, output: &Buffer) -> Result<()>;
}

/// A user's scan. Of each buffer it is said whether the kernel may write it.
#[doc(hidden)]
pub trait RunningKernel: Send + Sync {
    fn run(&self, arguments: &[ScalarBytes], buffers: &[(&Buffer, bool)], count: usize) -> Result<()>;
}

/// What a source is compiled to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Machine code for the device in use.
    Cubin,
    /// A text that drivers compile for any device.
    Ptx,
}

impl Target {
    /// As PyCUDA calls it.
    pub fn name(self) -> &'static str {
        match self {
            Target::Cubin => "cubin",
            Target::Ptx => "ptx",
        }
    }
}

/// One thing to link.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct LinkPart {
    /// What messages call it.
    pub name: String,
    pub data: Vec<u8>,
}
