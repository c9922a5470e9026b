//! A source on its way to a [`SourceModule`]: with options, instances of templates, checks, and the template that it was made of.

use std::sync::{Arc, Mutex};

use gpurepl_kernels::globals::Global;
use gpurepl_kernels::preprocessor::preprocess;
use gpurepl_kernels::signature::{self, Signature};
use gpurepl_kernels::token::Source;

use super::globals::Globals;
use super::ignored_options;
use super::listed::Records;
use super::origin::Origin;
use super::source_module::{Inner, SourceModule};
use super::texture::References;
use crate::activity;
use crate::device::includes::UserHeaders;
use crate::device::{self, Context, ModuleSource};
use crate::error::{Problem, Result};

/// A source with what it is to be compiled with.
///
/// ```
/// use gpurepl_prelude::*;
/// let source = "template <class T> __global__ void fill(T *x, T value) { x[threadIdx.x] = value * FACTOR; }";
/// let module = SourceModule::builder(source)
///     .option("-DFACTOR=2")
///     .name_expression("fill<int>")
///     .compile()?;
/// let mut x = zeros::<i32>(4);
/// module.get_function("fill<int>")?.launch(1, 4, (&mut x, 21))?;
/// assert_eq!(x.to_vec(), [42; 4]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SourceModuleBuilder {
    pub(super) source: String,
    pub(super) options: Vec<String>,
    pub(super) instances: Vec<String>,
    pub(super) is_checked: bool,
    pub(super) origin: Option<Arc<Origin>>,
}

impl SourceModuleBuilder {
    /// Adds an option for the compiler, such as `-DN=16`.
    pub fn option(mut self, option: &str) -> SourceModuleBuilder {
        self.options.push(option.to_owned());
        self
    }

    /// Adds a folder that files are included from, before all others.
    ///
    /// A kernel is compiled again when a file that it includes has changed.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let folder = std::env::temp_dir().join("gpurepl-include-dir");
    /// std::fs::create_dir_all(&folder)?;
    /// std::fs::write(folder.join("factor.h"), "#define FACTOR 3")?;
    /// let source = "#include <factor.h>\n__global__ void scale(int *a) { a[threadIdx.x] *= FACTOR; }";
    /// let module = SourceModule::builder(source).include_dir(&folder).compile()?;
    /// let mut a = ones::<i32>(4);
    /// module.get_function("scale")?.launch(1, 4, &mut a)?;
    /// assert_eq!(a.to_vec(), [3; 4]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn include_dir(self, folder: impl AsRef<std::path::Path>) -> SourceModuleBuilder {
        let folder = folder.as_ref();
        // The compiler of the host device runs in a folder of its own.
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        self.option(&format!("-I{}", folder.display()))
    }

    /// Has the machine code tell its lines, for profilers. On the host device
    /// it always does.
    pub fn lineinfo(self) -> SourceModuleBuilder {
        self.option("--generate-line-info")
    }

    /// Builds for a debugger: without optimisation, with all variables. A
    /// kernel is much slower then. `GPUREPL_DEBUG=1` does so for all kernels,
    /// and keeps their sources as files.
    pub fn device_debug(self) -> SourceModuleBuilder {
        self.option("--device-debug")
    }

    /// Has an instance of a kernel template compiled: `reduce<float, 256>`.
    ///
    /// [`SourceModule::get_function`] compiles an instance when it is asked
    /// for, in a module of its own; with this it shares the variables of the
    /// source with the other kernels.
    pub fn name_expression(mut self, expression: &str) -> SourceModuleBuilder {
        self.instances.push(expression.to_owned());
        self
    }

    /// Has the host device look up every access before it is made, at some
    /// cost, so that a fault names its thread and line. `GPUREPL_CHECK=1` does
    /// so for all kernels. A GPU's kernels stay as they are.
    pub fn check(mut self, is_checked: bool) -> SourceModuleBuilder {
        self.is_checked = is_checked;
        self
    }

    /// The source, and the options for the compiler.
    #[doc(hidden)]
    pub fn into_parts(self) -> (String, Vec<String>) {
        (self.source, self.options)
    }

    /// Says which template the source was made of, so that mistakes are shown there.
    #[doc(hidden)]
    pub fn origin(mut self, origin: Origin) -> SourceModuleBuilder {
        self.origin = Some(Arc::new(origin));
        self
    }

    /// Compiles the source, or takes it from the cache of compiled kernels.
    ///
    /// # Errors
    ///
    /// As [`SourceModule::new`], or if an instance cannot be made.
    pub fn compile(self) -> Result<SourceModule> {
        let context = device::current()?;
        let compile = || self.compile_by(context, &|request| context.backend().compile_module(request));
        let (compiled, compilation) = activity::compiling(compile);
        let compiled = compiled.map_err(|error| match &self.origin {
            Some(origin) => origin.of_error(error, &self.source),
            None => error,
        });
        let Built { result: module, signatures, globals } = compiled?;
        let globals = Globals::new(globals);
        Ok(SourceModule {
            inner: Arc::new(Inner {
                context,
                module,
                source: self.source,
                options: self.options,
                is_checked: self.is_checked,
                origin: self.origin,
                signatures,
                globals,
                references: References::default(),
                instances: Mutex::default(),
                records: Records::new(compilation),
            }),
        })
    }

    /// Has a source compiled, and its kernels.
    pub(super) fn compile_by<C>(
        &self,
        context: Context,
        compile: &dyn Fn(&ModuleSource<'_>) -> Result<C>,
    ) -> Result<Built<C>> {
        let spec = |error| Problem::Spec { what: "kernel", error };
        let files = UserHeaders::new(&self.options);
        let headers = |name: &str, is_quoted: bool| files.text(name, is_quoted);
        let capability = context.backend().description().compute_capability;
        let environment = device::environment(capability, &self.options, &headers);
        let done = preprocess(&self.source, &environment);
        let preprocessed = Source::new(&done.text);
        let signatures = signature::find_preprocessed(&self.source, &done, &preprocessed).map_err(spec)?;
        let globals = gpurepl_kernels::globals::find(&preprocessed);
        for expression in &self.instances {
            signature::instance(&signatures, expression).map_err(spec)?;
        }
        // What the preprocessor removes cannot always be seen in the text: a
        // compiler that misses kernels is asked again without them.
        let kernels: Vec<String> = signatures.iter().map(Signature::qualified_name).collect();
        let mut left_out = Vec::new();
        let result = loop {
            let missing = match compile(&ModuleSource {
                source: &self.source,
                preprocessed: &preprocessed,
                globals: &globals,
                signatures: &signatures,
                options: &self.options,
                left_out: &left_out,
                instances: &self.instances,
                is_checked: self.is_checked,
            }) {
                Ok(module) => break module,
                Err(error) => {
                    let missing = error.compile_error().map(|error| error.left_out(&kernels));
                    let missing: Vec<String> = missing.unwrap_or_default();
                    if missing.iter().all(|name| left_out.contains(name)) {
                        return Err(error);
                    }
                    missing
                }
            };
            left_out.extend(missing);
        };
        ignored_options::note(context, &self.source, &self.options);
        Ok(Built { result, signatures, globals })
    }
}

/// What was made of a source.
pub(super) struct Built<C> {
    pub(super) result: C,
    pub(super) signatures: Vec<Signature>,
    pub(super) globals: Vec<Global>,
}
