//! Launching a kernel in Rust.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use gpurepl_kernels::rust::{Form, RustKernel, RustParameter, function_in_crate};
use gpurepl_kernels::signature::Signature;

use super::argument::{Call, RustArguments, for_parameters};
use super::closure::Closure;
use super::items::{Assembled, assembled, nothing, with_function};
use crate::activity;
use crate::array::may_share;
use crate::device::{self, Context, Stream};
use crate::error::{Problem, Result};
use crate::kernel::globals::Globals;
use crate::kernel::launch::{Dim3, IntoDim3, blocks_for};
use crate::kernel::listed::Records;
use crate::kernel::source_module::{Function, Inner};
use crate::kernel::submit::{launch, launch_timed, on_stream};
use crate::kernel::texture::References;

/// A function that is a kernel: `#[kernel]` stands before it, and it returns
/// nothing.
///
/// ```text
/// #[kernel] fn axpy(a: f32, x: &[f32], y: &mut [f32]) {
///     let i = thread::index();
///     if i < y.len() { y[i] += a * x[i]; }
/// }
/// axpy.launch(n.div_ceil(256), 256, (2.0, &x, &mut y))?;
/// ```
pub trait Kernel<P>: Sized {
    /// Runs the kernel with a grid of blocks, and blocks of threads; each is a
    /// number or a tuple of up to three. The arguments are a tuple: `&array` for a parameter
    /// `&[T]`, `&mut array` for `&mut [T]`, numbers.
    ///
    /// On a GPU it returns when the kernel is on its way. What a thread panics of is an
    /// error of what waits for it next, at the latest of the end of the cell.
    ///
    /// # Errors
    ///
    /// If the grid or the block is more than the device allows, an array lies on another
    /// device, one that is written shares memory with another, or the kernel does not compile
    /// for the device: then the error is about the line.
    fn launch<'a>(
        &self,
        grid: impl IntoDim3,
        block: impl IntoDim3,
        arguments: impl RustArguments<'a, P>,
    ) -> Result<()> {
        self.launch_shared(grid, block, 0, arguments)
    }

    /// [`Kernel::launch`] with so many threads along x at least, or along x, y and z, in blocks of 256: kernels compare
    /// their index with the length, `if i < y.len()`, `if image.contains((row, column))`.
    ///
    /// ```text
    /// scale.launch_for(y.len(), (2.0, &mut y))?;
    /// blur.launch_for((width, height), (&image, &mut blurred))?;
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Kernel::launch`]. Without a thread nothing is launched.
    fn launch_for<'a>(&self, threads: impl IntoDim3, arguments: impl RustArguments<'a, P>) -> Result<()> {
        let Some((grid, block)) = blocks_for(threads.into_dim3()) else { return Ok(()) };
        let mut call = Call::default();
        arguments.add_all(&mut call);
        run(std::any::type_name::<Self>(), grid, block, 0, call)
    }

    /// [`Kernel::launch`] with dynamic shared memory, in bytes for each block.
    ///
    /// # Errors
    ///
    /// As [`Kernel::launch`], or if a block cannot have so much.
    fn launch_shared<'a>(
        &self,
        grid: impl IntoDim3,
        block: impl IntoDim3,
        shared_memory: usize,
        arguments: impl RustArguments<'a, P>,
    ) -> Result<()> {
        let mut call = Call::default();
        arguments.add_all(&mut call);
        run(std::any::type_name::<Self>(), grid.into_dim3(), block.into_dim3(), shared_memory, call)
    }

    /// [`Kernel::launch`] on a stream, without waiting for it.
    ///
    /// ```text
    /// let stream = Stream::new()?;
    /// axpy.launch_async(n.div_ceil(256), 256, &stream, (2.0, &x, &mut y))?;
    /// stream.synchronize()?;
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Kernel::launch`], or if the stream belongs to another device.
    fn launch_async<'a>(
        &self,
        grid: impl IntoDim3,
        block: impl IntoDim3,
        stream: &Stream,
        arguments: impl RustArguments<'a, P>,
    ) -> Result<()> {
        let mut call = Call::default();
        arguments.add_all(&mut call);
        let (name, grid, block) = (std::any::type_name::<Self>(), grid.into_dim3(), block.into_dim3());
        run_on(stream, name, grid, block, call)
    }

    /// Launches the kernel and waits for it; the time that it took in seconds.
    ///
    /// # Errors
    ///
    /// As [`Kernel::launch`].
    fn launch_timed<'a>(
        &self,
        grid: impl IntoDim3,
        block: impl IntoDim3,
        arguments: impl RustArguments<'a, P>,
    ) -> Result<f64> {
        let mut call = Call::default();
        arguments.add_all(&mut call);
        timed(std::any::type_name::<Self>(), grid.into_dim3(), block.into_dim3(), call)
    }

    /// The kernel compiled for these arguments, to ask for its registers,
    /// its shared memory and how many of its blocks fit: see
    /// [`Function`](crate::kernel::Function).
    ///
    /// # Errors
    ///
    /// If the kernel does not compile for the device.
    fn compiled<'a>(&self, arguments: impl RustArguments<'a, P>) -> Result<Function> {
        let mut call = Call::default();
        arguments.add_all(&mut call);
        function(std::any::type_name::<Self>(), &mut call)
    }

    /// The kernel's text, with all that it reaches.
    ///
    /// # Errors
    ///
    /// If it is not a kernel.
    fn source(&self) -> Result<String> {
        let name = std::any::type_name::<Self>();
        Ok(text_of(name, &[])?.text.clone())
    }
}

macro_rules! kernels {
    ($(($($name:ident $parameter:ident $place:tt),+))*) => {$(
        impl<F: Fn($($parameter),+), $($parameter),+> Kernel<($($parameter,)+)> for F {}
    )*};
}
for_parameters!(kernels);

/// Compiled kernels, by all that they depend on.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    context: u32,
    /// The address of the text, which is kept.
    text: usize,
    function: String,
    parameters: Vec<RustParameter>,
    form: Form,
}

static COMPILED: Mutex<Option<HashMap<Key, Function>>> = Mutex::new(None);

/// The name of a function as a user knows it: `axpy` of `ctx::axpy`.
fn short(type_name: &str) -> &str {
    let path = type_name.split('<').next().unwrap_or(type_name);
    path.rsplit("::").next().unwrap_or(path)
}

/// The items behind a function.
fn text_of(type_name: &'static str, mentioned: &[&str]) -> Result<Arc<Assembled>> {
    let path = type_name.split('<').next().unwrap_or(type_name);
    let own = path.split_once("::").map_or(path, |(_, path)| path);
    assembled(own, mentioned).ok_or_else(|| {
        let is_closure = type_name.contains("{{closure}}");
        let name = if is_closure { "closure" } else { short(type_name) };
        let message = if is_closure {
            "a closure's text is known in a statement of a cell alone, where it is the argument itself\n  = help: write `let y = x.map(|v| ..);`, without a name for the closure, or a function with `#[device]` before it".to_owned()
        } else {
            format!("its text is not known\n  = help: write `#[kernel]` before `fn {name}`, or `#[device]` for a function that `map` calls")
        };
        Problem::Argument { kernel: name.to_owned(), message }.into()
    })
}

/// What is to be compiled for a function.
pub(super) struct Callee {
    name: String,
    text: Arc<Assembled>,
    /// The function as the crate's text has it.
    function: String,
}

/// The types that a call mentions.
fn types<'c>(call: &'c Call<'_>) -> Vec<&'c str> {
    call.parameters.iter().map(|parameter| parameter.type_and_layout().0).collect()
}

/// A method of a number's: `f32::sqrt` of `std::f32::<impl f32>::sqrt`.
fn method_of_number(type_name: &str) -> Option<String> {
    let (of_library, rest) = type_name.split_once("<impl ")?;
    let (number, method) = rest.split_once(">::")?;
    let is_library = ["core::", "std::"].iter().any(|library| of_library.starts_with(library));
    let is_word = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_library && is_word(number) && is_word(method)).then(|| format!("{number}::{method}"))
}

/// A function by the name of its type.
pub(super) fn callee(type_name: &'static str, call: &Call<'_>) -> Result<Callee> {
    if let Some(function) = method_of_number(type_name) {
        return Ok(Callee { name: function.clone(), text: nothing(), function });
    }
    let function = function_in_crate(type_name).unwrap_or_default();
    let mut mentioned = types(call);
    mentioned.push(&function);
    Ok(Callee { name: short(type_name).to_owned(), text: text_of(type_name, &mentioned)?, function })
}

/// A closure that the cell has made known; its captured values have been passed first.
pub(super) fn closure_callee(closure: &Closure, signature: &str, call: &Call<'_>) -> Result<Callee> {
    let items = assembled(closure.root, &types(call)).ok_or_else(|| Problem::Argument {
        kernel: "closure".to_owned(),
        message: "its text is not known".to_owned(),
    })?;
    let (mut declared, mut passed) = (String::new(), String::new());
    for (k, (capture, parameter)) in closure.captures.iter().zip(&call.parameters).enumerate() {
        if let RustParameter::Value(of, ..) = parameter {
            declared.push_str(&format!("{}: {of}, ", capture.name));
            passed.push_str(&format!("p{k}, "));
        }
    }
    let is_move = closure.text.trim_start().starts_with("move");
    let before = format!(
        "pub fn __gr_closure({declared}) -> impl {signature} {{ {}",
        if is_move { "" } else { "move" }
    );
    let text = with_function(&items, &before, closure.text, "}", closure.place);
    Ok(Callee { name: "closure".to_owned(), text, function: format!("crate::__gr_closure({passed})") })
}

/// The compiled kernel for a call.
fn function(type_name: &'static str, call: &mut Call<'_>) -> Result<Function> {
    let callee = callee(type_name, call)?;
    function_of(&callee, call, Form::Kernel)
}

pub(super) fn function_of(callee: &Callee, call: &mut Call<'_>, form: Form) -> Result<Function> {
    let Callee { name, text, function: path } = callee;
    call.checked(name)?;
    let context = call.arrays.iter().find_map(|(raw, _)| raw.context());
    let context: Context = match context {
        Some(context) => context,
        None => device::current()?,
    };
    let key = Key {
        context: context.id(),
        text: Arc::as_ptr(text) as usize,
        function: path.clone(),
        parameters: call.parameters.clone(),
        form: form.clone(),
    };
    let compiled = |all: &mut Option<HashMap<Key, Function>>| all.get_or_insert_default().get(&key).cloned();
    if let Some(known) = compiled(&mut COMPILED.lock().unwrap_or_else(PoisonError::into_inner)) {
        return Ok(known);
    }
    let kernel = RustKernel { name, items: &text.text, function: path, parameters: &call.parameters, form };
    let (module, compilation) = activity::compiling(|| context.backend().compile_rust(&kernel, &text.lines));
    let module = module?;
    let entry = module.function(name)?;
    let inner = Arc::new(Inner {
        context,
        module,
        source: text.text.clone(),
        options: Vec::new(),
        is_checked: false,
        origin: None,
        signatures: Vec::new(),
        globals: Globals::named(&[]),
        references: References::default(),
        instances: Mutex::default(),
        records: Records::new(compilation),
    });
    let sizes = entry.argument_sizes();
    let function = Function::listed(
        &inner,
        entry,
        Signature::of(name, std::mem::take(&mut call.signature)),
        sizes,
        None,
    );
    let mut all = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    all.get_or_insert_default().insert(key, function.clone());
    Ok(function)
}

/// Refuses a call in which what is written can be reached by another name:
/// the compiler takes for granted that it cannot.
fn check_aliases(name: &str, call: &Call<'_>) -> Result<()> {
    if call.arrays.len() < 2 || call.arrays.iter().all(|(_, writes)| !writes) {
        return Ok(());
    }
    for (k, (written, writes)) in call.arrays.iter().enumerate() {
        let others = call.arrays.iter().enumerate().filter(|(other, _)| *other != k);
        for (other, (raw, _)) in others {
            if *writes && may_share(written, raw)? {
                let message = format!(
                    "array {} is written and shares memory with array {}\n  = help: pass a copy of one: `&x.copy()`",
                    k + 1,
                    other + 1
                );
                return Err(Problem::Argument { kernel: name.to_owned(), message }.into());
            }
        }
    }
    Ok(())
}

/// The kernel that a call is of, which may be launched with its arguments.
fn ready(type_name: &'static str, call: &mut Call<'_>) -> Result<Function> {
    check_aliases(short(type_name), call)?;
    function(type_name, call)
}

fn run(
    type_name: &'static str,
    grid: Dim3,
    block: Dim3,
    shared_memory: usize,
    mut call: Call<'_>,
) -> Result<()> {
    let function = ready(type_name, &mut call)?;
    launch(&function.inner, grid, block, shared_memory, call.list, false)
}

fn run_on(
    stream: &Stream,
    type_name: &'static str,
    grid: Dim3,
    block: Dim3,
    mut call: Call<'_>,
) -> Result<()> {
    let function = ready(type_name, &mut call)?;
    on_stream(stream, &function.inner, || launch(&function.inner, grid, block, 0, call.list, false))
}

fn timed(type_name: &'static str, grid: Dim3, block: Dim3, mut call: Call<'_>) -> Result<f64> {
    let function = ready(type_name, &mut call)?;
    launch_timed(&function.inner, grid, block, 0, call.list)
}
