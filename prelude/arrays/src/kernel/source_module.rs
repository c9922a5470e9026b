//! Kernels in CUDA C, with grids and blocks: PyCUDA's `SourceModule`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use gpurepl_kernels::mangled;
use gpurepl_kernels::signature::{self, Signature};

use super::argument::{ArgumentList, KernelArgs};
use super::globals::{self, Globals};
use super::launch::{IntoDim3, blocks_for};
use super::listed::Records;
use super::origin::Origin;
use super::source_builder::SourceModuleBuilder;
use super::submit::{launch, launch_timed, on_stream};
use super::texture::{References, SurfaceReference, TextureReference};
use crate::activity::Record;
use crate::device::{self, Context, Entry, LoadedParameter, Module, Stream, left_out};
use crate::error::{Problem, Result};
use crate::memory::DeviceAllocation;

/// A compiled source with its kernels.
///
/// ```
/// use gpurepl_prelude::*;
/// let module = SourceModule::new(
///     "__global__ void twice(float *a) { a[threadIdx.x + threadIdx.y*4] *= 2; }",
/// )?;
/// let twice = module.get_function("twice")?;
/// let mut a = ones::<f32>((4, 4));
/// twice.launch(1, (4, 4), &mut a)?;
/// assert_eq!(a.sum().item(), 32.0);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct SourceModule {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) context: Context,
    pub(super) module: Box<dyn Module>,
    pub(super) source: String,
    pub(super) options: Vec<String>,
    pub(super) is_checked: bool,
    pub(super) origin: Option<Arc<Origin>>,
    pub(super) signatures: Vec<Signature>,
    pub(super) globals: Globals,
    pub(super) references: References,
    /// Instances of templates that were asked for after compiling, each a
    /// module of its own.
    pub(super) instances: Mutex<HashMap<String, SourceModule>>,
    pub(super) records: Records,
}

/// A kernel of a [`SourceModule`] or of a
/// [`LoadedModule`](super::LoadedModule). Clones are the same kernel.
#[derive(Clone)]
pub struct Function {
    pub(super) inner: Arc<FunctionInner>,
}

pub(super) struct FunctionInner {
    // Fields are dropped in order: the entry before what it lies in.
    pub(super) entry: Box<dyn Entry>,
    pub(super) signature: Signature,
    pub(super) sizes: Option<Vec<usize>>,
    /// The arguments of a kernel without a source.
    pub(super) loaded: Option<Vec<LoadedParameter>>,
    pub(super) module: Arc<Inner>,
    pub(super) record: Arc<Record>,
}

impl SourceModule {
    /// Compiles CUDA C, or takes it from the cache of compiled kernels.
    ///
    /// # Errors
    ///
    /// If the source does not compile; the error shows the lines that the
    /// compiler complains about. If there is no compiler, it says which one
    /// to install.
    pub fn new(source: &str) -> Result<SourceModule> {
        SourceModule::with_options(source, &[])
    }

    /// [`SourceModule::new`] with options for the compiler, such as `-DN=16`.
    ///
    /// # Errors
    ///
    /// As [`SourceModule::new`]; options that the compiler does not know are
    /// among its complaints.
    pub fn with_options(source: &str, options: &[&str]) -> Result<SourceModule> {
        let mut builder = SourceModule::builder(source);
        builder.options = options.iter().map(|option| (*option).to_owned()).collect();
        builder.compile()
    }

    /// A source that is to be compiled with options, instances of templates or
    /// checks.
    pub fn builder(source: &str) -> SourceModuleBuilder {
        SourceModuleBuilder {
            source: source.to_owned(),
            options: Vec::new(),
            instances: Vec::new(),
            is_checked: false,
            origin: None,
        }
    }

    /// The kernel of this name. An instance of a template is named with its
    /// arguments, `reduce<float, 256>`, and compiled when it is first asked
    /// for.
    ///
    /// # Errors
    ///
    /// If the source has no such kernel, or an instance does not compile.
    pub fn get_function(&self, name: &str) -> Result<Function> {
        if name.contains('<') {
            return self.instance(name);
        }
        let wrong = |message| Problem::Argument { kernel: name.to_owned(), message };
        let signature = self.inner.signatures.iter().find(|signature| signature.is_called(name));
        let Some(signature) = signature else {
            let same: Vec<&Signature> = self.inner.signatures.iter().filter(|s| s.name == name).collect();
            let mut there = same.iter().filter_map(|signature| self.function((*signature).clone()).ok());
            // The others stood where the compiler did not come to.
            if let (Some(only), None) = (there.next(), there.next()) {
                return Ok(only);
            }
            if same.is_empty() && signature::mentions(&self.inner.source, name) {
                return Err(left_out(name));
            }
            let known: Vec<&str> = self.inner.signatures.iter().map(|s| s.name.as_str()).collect();
            let message = if !same.is_empty() {
                let names: Vec<String> = same.iter().map(|s| format!("`{}`", s.qualified_name())).collect();
                format!(
                    "the source has several kernels of this name; name one with its types: {}",
                    names.join(", ")
                )
            } else if known.is_empty() {
                "the source has no kernel; kernels are functions marked `__global__`".to_owned()
            } else {
                format!("the source has no kernel of this name; it has {}", known.join(", "))
            };
            return Err(wrong(message).into());
        };
        if !signature.is_defined {
            let message = format!("the source declares this kernel, but does not define it: `{signature};`");
            return Err(wrong(message).into());
        }
        if signature.is_template {
            let message = format!("a template has no code of its own; name an instance: `{name}<float>`");
            return Err(wrong(message).into());
        }
        self.function(signature.clone())
    }

    fn function(&self, mut signature: Signature) -> Result<Function> {
        let name = signature.qualified_name();
        let entry = self.inner.module.function(&name)?;
        if let Some(types) = self.inner.module.parameter_types(&name) {
            signature.parameters = mangled::correct(&signature.parameters, &types);
        }
        let sizes = entry.argument_sizes();
        Ok(Function::listed(&self.inner, entry, signature, sizes, None))
    }

    fn instance(&self, expression: &str) -> Result<Function> {
        let signature = signature::instance(&self.inner.signatures, expression)
            .map_err(|error| Problem::Spec { what: "kernel", error })?;
        // It was asked for when the source was compiled.
        if let Ok(function) = self.function(signature.clone()) {
            return Ok(function);
        }
        let name = signature.qualified_name();
        if !self.inner.globals.is_empty() {
            let message = format!(
                "the source has variables, which an instance that is compiled now would not share\n  = help: name it \
                 beforehand: `SourceModule::builder(source).name_expression(\"{name}\").compile()`"
            );
            return Err(Problem::Argument { kernel: name, message }.into());
        }
        let known = || self.inner.instances.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known().get(&name).cloned();
        let module = match found {
            Some(module) => module,
            None => {
                let builder = SourceModuleBuilder {
                    source: self.inner.source.clone(),
                    options: self.inner.options.clone(),
                    instances: vec![name.clone()],
                    is_checked: self.inner.is_checked,
                    origin: self.inner.origin.clone(),
                };
                let module = builder.compile()?;
                known().insert(name, module.clone());
                module
            }
        };
        module.function(signature)
    }

    /// The memory of a variable that the source marks with `__constant__`,
    /// `__device__` or `__managed__`. It keeps the module alive.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let module = SourceModule::new(
    ///     "__constant__ float weights[2];
    ///      __global__ void weigh(float *a) { a[threadIdx.x] *= weights[threadIdx.x]; }",
    /// )?;
    /// let mut weights = module.get_global("weights")?;
    /// assert_eq!(weights.len(), 8);
    /// memcpy_htod(&mut weights, &[10.0f32, 100.0])?;
    /// let mut a = ones::<f32>(2);
    /// module.get_function("weigh")?.launch(1, 2, &mut a)?;
    /// assert_eq!(a.to_vec(), [10.0, 100.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the source has no such variable, or the compiler leaves it out.
    pub fn get_global(&self, name: &str) -> Result<DeviceAllocation> {
        let buffer = globals::buffer(&self.inner, name)?;
        let bytes = buffer.bytes();
        Ok(DeviceAllocation::within(buffer, 0, bytes))
    }

    /// The reference to a texture that the source declares with
    /// `texture<...>`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let module = SourceModule::new(
    ///     "texture<float, 2> MyTexture;
    ///      __global__ void flip(float *a) { a[threadIdx.x] = tex2D(MyTexture, 2 - threadIdx.x, 1); }",
    /// )?;
    /// let texture = module.get_texref("MyTexture")?;
    /// matrix_to_texref(&ndarray::array![[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]], &texture, Order::C)?;
    /// let mut a = zeros::<f32>(3);
    /// module.get_function("flip")?.launch(1, 3, &mut a)?;
    /// assert_eq!(a.to_vec(), [6.0, 5.0, 4.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the source declares no such texture, or the compiler leaves it out.
    pub fn get_texref(&self, name: &str) -> Result<TextureReference> {
        TextureReference::new(&self.inner, name)
    }

    /// The reference to a surface that the source declares with
    /// `surface<void, ...>`.
    ///
    /// # Errors
    ///
    /// If the source declares no such surface, or the compiler leaves it out.
    pub fn get_surfref(&self, name: &str) -> Result<SurfaceReference> {
        SurfaceReference::new(&self.inner, name)
    }

    /// The text that was compiled.
    pub fn source(&self) -> &str {
        &self.inner.source
    }
}

impl SourceModule {
    /// The kernels as the source declares them.
    #[doc(hidden)]
    pub fn signatures(&self) -> Vec<String> {
        self.inner.signatures.iter().map(Signature::to_string).collect()
    }

    #[doc(hidden)]
    pub fn device(&self) -> device::Device {
        self.inner.context.device()
    }
}

impl Function {
    /// The kernel as the source declares it.
    #[doc(hidden)]
    pub fn signature_text(&self) -> String {
        self.inner.signature.to_string()
    }

    /// The text that it is from; empty for a kernel that was loaded.
    #[doc(hidden)]
    pub fn source(&self) -> &str {
        &self.inner.module.source
    }

    /// Where it stands in that text.
    #[doc(hidden)]
    pub fn place_in_source(&self) -> usize {
        self.inner.signature.span.start
    }

    #[doc(hidden)]
    pub fn device(&self) -> device::Device {
        self.inner.module.context.device()
    }
}

impl std::fmt::Debug for SourceModule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SourceModule(")?;
        for (k, signature) in self.inner.signatures.iter().enumerate() {
            write!(f, "{}{signature}", if k == 0 { "" } else { ", " })?;
        }
        write!(f, ")")
    }
}

impl Function {
    /// Runs the kernel on `grid` blocks of `block` threads.
    ///
    /// Arguments are checked against the kernel's own before it is launched:
    /// their number, the element types of arrays, and whether numbers fit.
    /// Numbers are converted where nothing is lost (`5` to `float`), floats
    /// rounded to the kernel's precision.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let source = "__global__ void scale(float *a, int n, float by)
    ///               { int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n) a[i] *= by; }";
    /// let scale = SourceModule::new(source)?.get_function("scale")?;
    /// let mut data = vec![1.0f32; 1000];
    /// scale.launch(1000_usize.div_ceil(128), 128, (InOut(&mut data), 1000, 2.5))?;
    /// assert!(data.iter().all(|x| *x == 2.5));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If an argument does not fit, the grid or block is larger than the
    /// device allows, or the launch fails. On a GPU an error of the kernel
    /// itself may be reported by a later call.
    pub fn launch<'a>(
        &self,
        grid: impl IntoDim3,
        block: impl IntoDim3,
        arguments: impl KernelArgs<'a>,
    ) -> Result<()> {
        self.launch_shared(grid, block, 0, arguments)
    }

    /// [`Function::launch`] with so many threads along x at least, or along x, y and z, in blocks of 256: the kernel
    /// compares its index with the length, `if (i < n)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let source = "__global__ void set(float *a, int rows, int columns) {
    ///     int column = blockIdx.x*blockDim.x + threadIdx.x, row = blockIdx.y*blockDim.y + threadIdx.y;
    ///     if (row < rows && column < columns) a[row*columns + column] = row;
    /// }";
    /// let mut a = zeros::<f32>((20, 30));
    /// SourceModule::new(source)?.get_function("set")?.launch_for((30, 20), (&mut a, 20, 30))?;
    /// assert_eq!(a.sum().item(), 30.0 * 190.0);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Function::launch`]. Without a thread nothing is launched.
    pub fn launch_for<'a>(&self, threads: impl IntoDim3, arguments: impl KernelArgs<'a>) -> Result<()> {
        match blocks_for(threads.into_dim3()) {
            Some((grid, block)) => self.launch_shared(grid, block, 0, arguments),
            None => Ok(()),
        }
    }

    /// [`Function::launch`] with dynamic shared memory, in bytes for each
    /// block.
    ///
    /// # Errors
    ///
    /// As [`Function::launch`], or if there is not so much shared memory.
    pub fn launch_shared<'a>(
        &self,
        grid: impl IntoDim3,
        block: impl IntoDim3,
        shared_memory: usize,
        arguments: impl KernelArgs<'a>,
    ) -> Result<()> {
        let mut list = ArgumentList::default();
        arguments.list(&mut list);
        launch(&self.inner, grid.into_dim3(), block.into_dim3(), shared_memory, list, false)
    }

    /// [`Function::launch`] on a stream, without waiting for it. `Out` and
    /// `InOut` wait, since their data is here when the call returns.
    ///
    /// # Errors
    ///
    /// As [`Function::launch`].
    pub fn launch_async<'a>(
        &self,
        grid: impl IntoDim3,
        block: impl IntoDim3,
        stream: &Stream,
        arguments: impl KernelArgs<'a>,
    ) -> Result<()> {
        let mut list = ArgumentList::default();
        arguments.list(&mut list);
        let (grid, block) = (grid.into_dim3(), block.into_dim3());
        on_stream(stream, &self.inner, move || launch(&self.inner, grid, block, 0, list, false))
    }

    /// [`Function::launch`] that waits for the kernel and returns the time
    /// that it took on the device, in seconds: PyCUDA's `time_kernel`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let module = SourceModule::new("__global__ void twice(float *a) { a[threadIdx.x] *= 2; }")?;
    /// let mut a = ones::<f32>(128);
    /// let seconds = module.get_function("twice")?.launch_timed(1, 128, &mut a)?;
    /// assert!((0.0..60.0).contains(&seconds));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Function::launch`], or if the kernel fails.
    pub fn launch_timed<'a>(
        &self,
        grid: impl IntoDim3,
        block: impl IntoDim3,
        arguments: impl KernelArgs<'a>,
    ) -> Result<f64> {
        let mut list = ArgumentList::default();
        arguments.list(&mut list);
        launch_timed(&self.inner, grid.into_dim3(), block.into_dim3(), 0, list)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.inner.signature.name
    }
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Function({}, on {})", self.inner.signature, self.inner.module.context.device().id())
    }
}
