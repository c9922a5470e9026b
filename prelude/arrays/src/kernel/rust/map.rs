//! Functions of the user's over the elements of arrays.

use gpurepl_kernels::rust::{Form, HOST_TILE, REDUCE_BLOCK, path_in_crate};

use super::argument::{Call, layout};
use super::call::{Callee, callee, closure_callee, function_of};
use super::closure::{self, Capture, Closure};
use crate::array::{Elem, GpuArray, KernelData, Raw, structure};
use crate::device::{self, DeviceKind, Structure};
use crate::error::{OrRaise as _, Problem, Result};
use crate::kernel::launch::IntoDim3 as _;
use crate::kernel::submit::launch;

impl<T: Elem> GpuArray<T> {
    /// What a function or a closure makes of each element: an array of the same shape.
    ///
    /// A closure may use numbers around it, `x.map(|v| v * 2.0 + k)`, and stands in a statement of a cell. A function has `#[device]` before it, and is compiled for the device. It is an
    /// ordinary function as well.
    ///
    /// ```text
    /// #[device] fn relu(x: f32) -> f32 { if x > 0.0 { x } else { 0.0 } }
    /// let y = x.map(relu);
    /// ```
    ///
    /// # Panics
    ///
    /// If the function does not compile for the device, or the device has no memory left.
    #[track_caller]
    pub fn map<U: Elem, F: Fn(T) -> U>(&self, function: F) -> GpuArray<U> {
        let function = function_for_devices(&function);
        let input: [Input<'_>; 1] = [(&self.raw, std::any::type_name::<T>(), layout::<T>())];
        elementwise::<U>(function, &input, false).or_raise()
    }

    /// What a function makes of the index of each element, along all axes in C order, and
    /// the element.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::map`].
    #[track_caller]
    pub fn map_indexed<U: Elem, F: Fn(usize, T) -> U>(&self, function: F) -> GpuArray<U> {
        let function = function_for_devices(&function);
        let input: [Input<'_>; 1] = [(&self.raw, std::any::type_name::<T>(), layout::<T>())];
        elementwise::<U>(function, &input, true).or_raise()
    }

    /// What a function makes of the elements of two arrays of one shape.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::map`], or if the shapes differ.
    #[track_caller]
    pub fn zip_with<V: Elem, U: Elem, F: Fn(T, V) -> U>(
        &self,
        other: &GpuArray<V>,
        function: F,
    ) -> GpuArray<U> {
        let function = function_for_devices(&function);
        let input: [Input<'_>; 2] = [
            (&self.raw, std::any::type_name::<T>(), layout::<T>()),
            (&other.raw, std::any::type_name::<V>(), layout::<V>()),
        ];
        elementwise::<U>(function, &input, false).or_raise()
    }
}

impl<T: Elem + KernelData> GpuArray<T> {
    /// All elements made into one by a function of two, which may take them in any order and any
    /// grouping: it is associative and commutative. `neutral` changes nothing, and is the result of
    /// no elements.
    ///
    /// ```text
    /// let largest = x.reduce(f32::MIN, |a, b| a.max(b));
    /// ```
    ///
    /// The order is the same each time on a device.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::map`].
    #[track_caller]
    pub fn reduce<F: Fn(T, T) -> T>(&self, neutral: T, function: F) -> T {
        let name = function_for_devices(&function);
        let of = (std::any::type_name::<T>(), layout::<T>());
        let parts: GpuArray<T> = beside(&self.raw, || {
            let mut parts: GpuArray<T> = crate::array::empty(blocks(self.size()));
            shares(name, &self.raw, (structure(&neutral), of), &mut parts.raw).map(|()| parts)
        })
        .or_raise();
        parts.to_vec().into_iter().fold(neutral, function)
    }
}

/// The blocks that a reduction is shared by: enough to keep a GPU busy, and few enough
/// to be put together on the host.
fn blocks(count: usize) -> usize {
    count.div_ceil(16 * REDUCE_BLOCK).min(2112)
}

/// Computes the blocks' shares of a reduction.
fn shares(
    function: &'static str,
    input: &Raw,
    (neutral, (of, layout)): (Structure, (&'static str, (usize, usize))),
    output: &mut Raw,
) -> Result<()> {
    let count: usize = output.shape().lengths().iter().product();
    if count == 0 {
        return Ok(());
    }
    let mut call = Call::default();
    let closure = closure::take().filter(|_| function.contains("{{closure}}"));
    for capture in closure.iter().flat_map(|closure| &closure.captures) {
        call.capture(capture);
    }
    let neutral = Capture { name: "neutral", type_name: of, value: Some(neutral), layout };
    call.capture(&neutral);
    call.array(input, of, layout, true);
    call.array(output, of, layout, false);
    let element = path_in_crate(of).unwrap_or_default();
    let signature = format!("Fn({element}, {element}) -> {element}");
    let callee = callee_of(function, closure.as_ref(), &signature, &call)?;
    let compiled = function_of(&callee, &mut call, Form::Reduce)?;
    let block = if is_on_host(output)? { 1 } else { REDUCE_BLOCK };
    launch(&compiled.inner, count.into_dim3(), block.into_dim3(), 0, call.list, false)
}

/// A function by its name, or a closure that the cell has made known.
pub(super) fn callee_of(
    function: &'static str,
    closure: Option<&Closure>,
    signature: &str,
    call: &Call<'_>,
) -> Result<Callee> {
    match closure {
        Some(closure) => {
            call.checked("closure")?;
            closure_callee(closure, signature, call)
        }
        None => callee(function, call),
    }
}

pub(super) fn is_on_host(array: &Raw) -> Result<bool> {
    let context = match array.context() {
        Some(context) => context,
        None => device::current()?,
    };
    Ok(context.device().kind() == DeviceKind::Host)
}

/// The name of a function's type. A cell in whose code this stands for a closure is
/// compiled with the closure's text: its session looks for the name of this function.
#[inline(never)]
pub(super) fn function_for_devices<F>(_: &F) -> &'static str {
    std::any::type_name::<F>()
}

/// An array, the name of its elements' type, and their layout.
pub(super) type Input<'a> = (&'a Raw, &'static str, (usize, usize));

pub(super) fn elementwise<U: Elem>(
    function: &'static str,
    inputs: &[Input<'_>],
    with_index: bool,
) -> Result<GpuArray<U>> {
    let shape = inputs[0].0.shape();
    if let Some((other, ..)) = inputs.iter().find(|(other, ..)| other.shape().lengths() != shape.lengths()) {
        let message = format!("shapes {:?} and {:?} differ", shape.lengths(), other.shape().lengths());
        return Err(Problem::Invalid { operation: "zip_with", message }.into());
    }
    beside(inputs[0].0, || {
        let mut output: GpuArray<U> = crate::array::empty(shape.lengths().to_vec());
        fill(function, inputs, (&mut output.raw, std::any::type_name::<U>(), layout::<U>()), with_index)?;
        Ok(output)
    })
}

/// Does something in the context of an array, in which the result is as well.
pub(super) fn beside<R>(array: &Raw, act: impl FnOnce() -> Result<R>) -> Result<R> {
    match array.context() {
        Some(context) => context.scope(act)?,
        None => act(),
    }
}

fn fill(
    function: &'static str,
    inputs: &[Input<'_>],
    output: (&mut Raw, &'static str, (usize, usize)),
    with_index: bool,
) -> Result<()> {
    let count: usize = output.0.shape().lengths().iter().product();
    if count == 0 {
        return Ok(());
    }
    let mut call = Call::default();
    let closure = closure::take().filter(|_| function.contains("{{closure}}"));
    for capture in closure.iter().flat_map(|closure| &closure.captures) {
        call.capture(capture);
    }
    for (raw, of, layout) in inputs {
        call.array(raw, of, *layout, true);
    }
    call.array(output.0, output.1, output.2, false);
    let element = |of: &str| path_in_crate(of).unwrap_or_default();
    let mut taken: Vec<String> = inputs.iter().map(|(_, of, _)| element(of)).collect();
    if with_index {
        taken.insert(0, "usize".to_owned());
    }
    let signature = format!("Fn({}) -> {}", taken.join(", "), element(output.1));
    let callee = callee_of(function, closure.as_ref(), &signature, &call)?;
    let compiled = function_of(&callee, &mut call, Form::Map(with_index))?;
    let (grid, block) = if is_on_host(output.0)? {
        (count.div_ceil(HOST_TILE), 1)
    } else {
        (count.div_ceil(4 * 256).min(1 << 22), 256)
    };
    launch(&compiled.inner, grid.into_dim3(), block.into_dim3(), 0, call.list, false)
}
