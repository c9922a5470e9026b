//! Modules linked from several parts: PyCUDA's `DynamicSourceModule`.

use std::path::Path;

use super::loaded_module::{LoadedModule, module_from_buffer, read};
use super::source_builder::SourceModuleBuilder;
use super::source_module::{Function, SourceModule};
use crate::device::{self, LinkPart, Target};
use crate::error::{Problem, Result};
use crate::memory::DeviceAllocation;

/// Compiles CUDA C to bytes: `"cubin"`, machine code for the device in use, or
/// `"ptx"`, a text that drivers compile for it and for later ones.
///
/// ```
/// use gpurepl_prelude::*;
/// let source = "extern \"C\" __global__ void twice(float *a) { a[threadIdx.x] *= 2; }";
/// match compile(source, "ptx") {
///     Ok(ptx) => {
///         let mut a = ones::<f32>(4);
///         module_from_buffer(&ptx)?.get_function("twice")?.launch(1, 4, &mut a)?;
///         assert_eq!(a.to_vec(), [2.0; 4]);
///     }
///     // The host device has no machine code of a GPU.
///     Err(error) => assert_eq!(error.kind(), ErrorKind::Unsupported),
/// }
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// As [`SourceModule::new`]; if the target is another one; and on the host
/// device.
pub fn compile(source: &str, target: &str) -> Result<Vec<u8>> {
    SourceModule::builder(source).compile_to(target)
}

impl SourceModuleBuilder {
    /// Compiles the source to bytes, and loads nothing: see [`compile`].
    ///
    /// # Errors
    ///
    /// As [`compile`].
    pub fn compile_to(self, target: &str) -> Result<Vec<u8>> {
        let known = [Target::Cubin, Target::Ptx].into_iter().find(|known| known.name() == target);
        let target = known.ok_or_else(|| Problem::Invalid {
            operation: "compile",
            message: format!("a kernel is compiled to \"cubin\" or \"ptx\", not to {target:?}"),
        })?;
        let device = device::current()?;
        let built = self.compile_by(device, &|request| device.backend().compile_to(request, target));
        built.map(|built| built.result)
    }
}

/// A module that is linked from machine code, PTX and libraries.
///
/// On the host device every step fails: put the sources into one text there.
///
/// ```
/// use gpurepl_prelude::*;
/// fn linked() -> Result<Vec<i32>> {
///     let mut module = DynamicModule::new();
///     module.add_source("__device__ int twice(int x) { return 2 * x; }")?;
///     module.add_source(
///         "__device__ int twice(int x);
///          __global__ void all_twice(int *a) { a[threadIdx.x] = twice(a[threadIdx.x]); }",
///     )?;
///     let module = module.link()?;
///     let mut a = arange::<i32>(0..4);
///     module.get_function("all_twice")?.launch(1, 4, &mut a)?;
///     Ok(a.to_vec())
/// }
/// match linked() {
///     Ok(answer) => assert_eq!(answer, [0, 2, 4, 6]),
///     Err(error) => assert_eq!(error.kind(), ErrorKind::Unsupported),
/// }
/// ```
#[derive(Clone, Debug, Default)]
pub struct DynamicModule {
    parts: Vec<LinkPart>,
}

/// A source whose kernels may launch kernels: it is compiled to code that can
/// be linked, and linked with the toolkit's `cudadevrt`.
///
/// On the host device, where kernels cannot do that, it is a [`SourceModule`].
///
/// ```
/// use gpurepl_prelude::*;
/// let source = "__global__ void twice(int *a) { a[threadIdx.x] *= 2; }";
/// let module = DynamicSourceModule::new(source)?;
/// let mut a = arange::<i32>(0..4);
/// module.get_function("twice")?.launch(1, 4, &mut a)?;
/// assert_eq!(a.to_vec(), [0, 2, 4, 6]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct DynamicSourceModule {
    linked: Linked,
}

#[derive(Clone, Debug)]
enum Linked {
    Machine(LoadedModule),
    Source(SourceModule),
}

impl DynamicSourceModule {
    /// Compiles and links a source.
    ///
    /// # Errors
    ///
    /// As [`SourceModule::new`] and [`DynamicModule::link`]; if kernels launch
    /// kernels and there is no `cudadevrt`.
    pub fn new(source: &str) -> Result<DynamicSourceModule> {
        DynamicSourceModule::with_options(source, &[])
    }

    /// [`DynamicSourceModule::new`] with options for the compiler.
    ///
    /// # Errors
    ///
    /// As [`DynamicSourceModule::new`].
    pub fn with_options(source: &str, options: &[&str]) -> Result<DynamicSourceModule> {
        let builder =
            options.iter().fold(SourceModule::builder(source), |builder, option| builder.option(option));
        if device::current()?.device().kind() == device::DeviceKind::Host {
            return Ok(DynamicSourceModule { linked: Linked::Source(builder.compile()?) });
        }
        let mut module = DynamicModule::new();
        module.add_built_source(builder)?;
        // What launches nothing needs no library.
        match module.add_stdlib("cudadevrt") {
            Err(error) if source.contains("<<<") => return Err(error),
            _ => {}
        }
        Ok(DynamicSourceModule { linked: Linked::Machine(module.link()?) })
    }

    /// The kernel of this name.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn get_function(&self, name: &str) -> Result<Function> {
        match &self.linked {
            Linked::Machine(module) => module.get_function(name),
            Linked::Source(module) => module.get_function(name),
        }
    }

    /// The memory of a variable.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn get_global(&self, name: &str) -> Result<DeviceAllocation> {
        match &self.linked {
            Linked::Machine(module) => module.get_global(name),
            Linked::Source(module) => module.get_global(name),
        }
    }
}

impl DynamicModule {
    /// A module without parts.
    pub fn new() -> DynamicModule {
        DynamicModule::default()
    }

    /// Adds a source. It is compiled now, to code that may call what other
    /// parts have.
    ///
    /// # Errors
    ///
    /// As [`SourceModule::new`].
    pub fn add_source(&mut self, source: &str) -> Result<&mut DynamicModule> {
        self.add_built_source(SourceModule::builder(source))
    }

    /// [`DynamicModule::add_source`] with options.
    ///
    /// # Errors
    ///
    /// As [`SourceModule::new`].
    pub fn add_built_source(&mut self, source: SourceModuleBuilder) -> Result<&mut DynamicModule> {
        let image = source.option("--relocatable-device-code=true").compile_to(Target::Cubin.name())?;
        let name = format!("source {}", self.parts.len() + 1);
        Ok(self.add_data(&image, &name))
    }

    /// Adds machine code, PTX or a library. The name is for messages.
    pub fn add_data(&mut self, data: &[u8], name: &str) -> &mut DynamicModule {
        self.parts.push(LinkPart { name: name.to_owned(), data: data.to_vec() });
        self
    }

    /// Adds the contents of a file.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn add_file(&mut self, path: impl AsRef<Path>) -> Result<&mut DynamicModule> {
        let path = path.as_ref();
        let data = read(path)?;
        Ok(self.add_data(&data, &path.display().to_string()))
    }

    /// Adds a library of the toolkit's for kernels: `cudadevrt`, which kernels
    /// need that launch kernels.
    ///
    /// # Errors
    ///
    /// If there is none; the error names the package.
    pub fn add_stdlib(&mut self, name: &str) -> Result<&mut DynamicModule> {
        let path = device::current()?.backend().standard_library(name)?;
        self.add_file(path)
    }

    /// Links the parts and loads the result.
    ///
    /// # Errors
    ///
    /// If something that a part calls is missing or there twice; the error
    /// holds what the linker says.
    pub fn link(&self) -> Result<LoadedModule> {
        if self.parts.is_empty() {
            let message = "there is nothing to link; add a source: `module.add_source(source)?`".to_owned();
            return Err(Problem::Invalid { operation: "link", message }.into());
        }
        module_from_buffer(&device::current()?.backend().link(&self.parts)?)
    }
}
