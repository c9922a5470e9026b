//! A statement for each element: PyCUDA's `ElementwiseKernel`.

use std::sync::Arc;

use gpurepl_kernels::declaration::{CType, Parameter};
use gpurepl_kernels::signature::Signature;
use gpurepl_kernels::token::{TokenKind, tokens};
use gpurepl_kernels::{DType, ElementwiseSpec};

use super::argument::{Argument, ArgumentList, KernelArgs};
use super::checked::{Prepared, prepare};
use crate::activity::{self, Record};
use crate::array::{ArrayIndex, SliceItem, Slices};
use crate::device::{self, Context, LoopKernel, PerContext};
use crate::error::{Error, Problem, Result};
use crate::scalar::Scalar;

/// A kernel that runs a C statement once for each element `i` of its arrays.
///
/// ```
/// use gpurepl_prelude::*;
/// let lin_comb = ElementwiseKernel::new(
///     "float a, float *x, float b, float *y, float *z",
///     "z[i] = a*x[i] + b*y[i]",
///     "linear_combination",
/// )?;
/// let (x, y) = (rand::<f32>(50), rand::<f32>(50));
/// let mut z = empty_like(&x);
/// lin_comb.call((5, &x, 6, &y, &mut z))?;
/// assert!((&z - (5*&x + 6*&y)).norm().item() < 1e-5);
/// # Ok::<(), Error>(())
/// ```
///
/// `elementwise!` makes one that is called like a
/// function, with its arguments checked by rustc.
#[derive(Clone)]
pub struct ElementwiseKernel {
    spec: Arc<ElementwiseSpec>,
}

impl ElementwiseKernel {
    /// Describes a kernel by its arguments in C, a statement, and a name. It
    /// is compiled at the first call.
    ///
    /// The statement may use `i`, the element, and `n`, how many there are; both have a sign, so that
    /// `i - 5 < 0` is what it looks like.
    /// All arrays have as many elements.
    ///
    /// # Errors
    ///
    /// If an argument cannot be read, none is an array, or the name is no
    /// identifier of C.
    pub fn new(arguments: &str, operation: &str, name: &str) -> Result<ElementwiseKernel> {
        let spec = ElementwiseSpec::new(arguments, operation, name)
            .map_err(|error| Problem::Spec { what: "ElementwiseKernel", error })?;
        Ok(ElementwiseKernel { spec: Arc::new(spec) })
    }

    /// Puts C++ before the kernel: functions and types that it uses.
    #[must_use]
    pub fn preamble(mut self, text: &str) -> ElementwiseKernel {
        Arc::make_mut(&mut self.spec).preamble = text.to_owned();
        self
    }

    /// Statements that run before the loop over elements.
    #[must_use]
    pub fn loop_prep(mut self, text: &str) -> ElementwiseKernel {
        Arc::make_mut(&mut self.spec).loop_prep = text.to_owned();
        self
    }

    /// Statements that run after the loop over elements.
    #[must_use]
    pub fn after_loop(mut self, text: &str) -> ElementwiseKernel {
        Arc::make_mut(&mut self.spec).after_loop = text.to_owned();
        self
    }

    /// Runs the kernel over all elements of its arrays.
    ///
    /// # Errors
    ///
    /// If an argument does not fit, arrays have different shapes, or the
    /// kernel does not compile.
    pub fn call<'a>(&self, arguments: impl KernelArgs<'a>) -> Result<()> {
        let mut list = ArgumentList::default();
        arguments.list(&mut list);
        call(&self.spec, list)
    }

    /// Runs the kernel over some elements: a range such as `2..10` or `s![..; 2]`, whose
    /// ends count from the end where they are negative. `n` is the number of all: PyCUDA's
    /// `slice` and `range`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let double = ElementwiseKernel::new("float *x", "x[i] *= 2", "double_it")?;
    /// let mut x = ones::<f32>(6);
    /// double.call_range(s![1..; 2], &mut x)?;
    /// assert_eq!(x.to_vec(), [1.0, 2.0, 1.0, 2.0, 1.0, 2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`ElementwiseKernel::call`], or if it is no range of one axis.
    pub fn call_range<'a>(&self, range: impl ArrayIndex, arguments: impl KernelArgs<'a>) -> Result<()> {
        let mut list = ArgumentList::default();
        arguments.list(&mut list);
        call_range(&self.spec, list, &range.slices())
    }

    /// The kernel's text for the device in use.
    ///
    /// # Errors
    ///
    /// If there is no device.
    pub fn source(&self) -> Result<String> {
        Ok(match device::current()?.device().kind() {
            device::DeviceKind::Cuda => self.spec.to_cuda(),
            device::DeviceKind::Host => self.spec.to_host(),
        })
    }
}

impl std::fmt::Debug for ElementwiseKernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "ElementwiseKernel({}: {})",
            signature(&self.spec.name, &self.spec.parameters),
            self.spec.operation
        )
    }
}

pub(super) fn signature(name: &str, parameters: &[Parameter]) -> Signature {
    Signature {
        name: name.to_owned(),
        parameters: parameters.to_vec(),
        is_template: false,
        template_parameters: Vec::new(),
        template_arguments: None,
        namespace: String::new(),
        overload: None,
        is_defined: true,
        span: 0..0,
    }
}

/// Runs a spec with arguments of any kind.
pub(super) fn call(spec: &ElementwiseSpec, list: ArgumentList<'_>) -> Result<()> {
    crate::interrupt::check()?;
    let arguments = list.into_arguments();
    let body = [spec.operation.as_str(), &spec.loop_prep, &spec.after_loop];
    let count = element_count(&spec.name, &body, &spec.parameters, &arguments)?;
    let prepared = prepare(None, &signature(&spec.name, &spec.parameters), None, arguments)?;
    check_overlaps(spec, &prepared, count)?;
    run(spec, prepared, count)
}

/// Runs a spec over so many elements, with arguments that have been checked.
fn run(spec: &ElementwiseSpec, prepared: Prepared<'_>, count: usize) -> Result<()> {
    if count > 0 {
        let (kernel, record) = compiled(prepared.context, spec)?;
        activity::work(prepared.context, activity::Kind::Kernel, &spec.name, 0, || {
            kernel.run(&prepared.values, &prepared.plain_buffers(), count)
        })?;
        record.launched([0; 3], 0);
    }
    prepared.finish()
}

fn call_range(spec: &ElementwiseSpec, list: ArgumentList<'_>, range: &Slices<'_>) -> Result<()> {
    let arguments = list.into_arguments();
    let body = [spec.operation.as_str(), &spec.loop_prep, &spec.after_loop];
    let size = element_count(&spec.name, &body, &spec.parameters, &arguments)?;
    let items = range.items();
    let Some(steps) = items.first().filter(|_| items.len() == 1).and_then(|item| steps(item, size)) else {
        let message = "elements are a range, such as `2..10` or `s![..; 2]`".to_owned();
        return Err(Problem::Argument { kernel: spec.name.clone(), message }.into());
    };
    call_steps(spec, arguments, steps, size)
}

/// Some elements: the first one, what lies between two, and how many there are.
pub(super) type Steps = (i64, i64, usize);

/// The elements of a range of so many, as Python's slices have them.
fn steps(item: &SliceItem<'_>, size: usize) -> Option<Steps> {
    let SliceItem::Range { start, end, step } = *item else { return None };
    let size = size as i64;
    let place = |at: i64| if at < 0 { at + size } else { at };
    let (low, high) = if step > 0 { (0, size) } else { (-1, size - 1) };
    let start = start.map_or(if step > 0 { low } else { high }, |at| place(at).clamp(low, high));
    let end = end.map_or(if step > 0 { high } else { low }, |at| place(at).clamp(low, high));
    let length = if step > 0 { end - start } else { start - end };
    Some((
        start,
        step,
        usize::try_from(length).map_or(0, |length| length.div_ceil(step.unsigned_abs() as usize)),
    ))
}

/// Runs a spec over some of `size` elements, which all arrays have that the texts read by `i`.
pub(super) fn call_steps(
    spec: &ElementwiseSpec,
    mut arguments: Vec<Argument<'_>>,
    (start, step, count): Steps,
    size: usize,
) -> Result<()> {
    crate::interrupt::check()?;
    let lengths = lengths(&spec.parameters, &arguments);
    let texts = [spec.operation.as_str(), &spec.loop_prep, &spec.after_loop];
    check_lengths(&spec.name, &spec.parameters, &lengths, &texts, size)?;
    let own = spec.parameters.len();
    let spec = &spec.ranged();
    arguments.push(Argument::Scalar(Scalar::Int(start), DType::Int64));
    arguments.push(Argument::Scalar(Scalar::Int(step), DType::Int64));
    arguments.push(Argument::Scalar(Scalar::Int(size as i64), DType::UInt64));
    let prepared = prepare(None, &signature(&spec.name, &spec.parameters), None, arguments)?;
    check_extents(&spec.name, &spec.parameters[..own], &prepared, |number, _| lengths[number])?;
    run(spec, prepared, count)
}

/// The number of elements that all arrays have. An array of one element may
/// stand beside longer ones where the kernel's text, `body`, does not read its
/// element `i`.
pub(super) fn element_count(
    kernel: &str,
    body: &[&str],
    parameters: &[Parameter],
    arguments: &[Argument<'_>],
) -> Result<usize> {
    let mut first: Option<(&str, Vec<usize>)> = None;
    let mut single = Vec::new();
    for (argument, parameter) in arguments.iter().zip(parameters) {
        let Some(shape) = elements_of(argument, parameter) else { continue };
        if shape.iter().product::<usize>() == 1 && !body.iter().any(|text| is_indexed(text, &parameter.name))
        {
            single.push(shape);
            continue;
        }
        match &first {
            None => first = Some((&parameter.name, shape)),
            // Host data and raw memory have no shape but their length.
            Some((name, other)) if other.iter().product::<usize>() != shape.iter().product::<usize>() => {
                return Err(different_shapes(kernel, name, other, &parameter.name, &shape));
            }
            Some((name, other)) if other.len() > 1 && shape.len() > 1 && *other != shape => {
                return Err(different_shapes(kernel, name, other, &parameter.name, &shape));
            }
            Some(_) => {}
        }
    }
    Ok(match (first, single.is_empty()) {
        (Some((_, shape)), _) => shape.iter().product(),
        (None, is_empty) => usize::from(!is_empty),
    })
}

/// How many elements each argument has, if it has any.
pub(super) fn lengths(parameters: &[Parameter], arguments: &[Argument<'_>]) -> Vec<Option<usize>> {
    let all = arguments.iter().zip(parameters);
    all.map(|(argument, parameter)| Some(elements_of(argument, parameter)?.iter().product())).collect()
}

/// Refuses arrays that have fewer than so many elements, where a text has `name[i]`.
pub(super) fn check_lengths(
    kernel: &str,
    parameters: &[Parameter],
    lengths: &[Option<usize>],
    texts: &[&str],
    count: usize,
) -> Result<()> {
    let is_short = |(parameter, length): &(&Parameter, &Option<usize>)| {
        length.is_some_and(|length| length < count)
            && texts.iter().any(|text| has_element(text, &parameter.name))
    };
    let Some((parameter, length)) = parameters.iter().zip(lengths).find(is_short) else { return Ok(()) };
    let (name, length) = (&parameter.name, length.unwrap_or(0));
    let plural = if length == 1 { "" } else { "s" };
    let message = format!("`{name}` has {length} element{plural}, and `{name}[i]` is used for {count}");
    Err(Problem::Argument { kernel: kernel.to_owned(), message }.into())
}

/// Whether a text has `name[i]`.
fn has_element(text: &str, name: &str) -> bool {
    tokens(text).windows(4).any(|four| {
        four[0].is_name(text, name)
            && four[1].is_mark(text, '[')
            && four[2].is_name(text, "i")
            && four[3].is_mark(text, ']')
    })
}

/// The lengths of an argument's axes, if it has elements.
pub(super) fn elements_of(argument: &Argument<'_>, parameter: &Parameter) -> Option<Vec<usize>> {
    let of_bytes = |bytes: usize| parameter.element_bytes().map(|size| vec![bytes / size]);
    match argument {
        Argument::Array(raw) if parameter.vector().is_some() => {
            of_bytes(raw.shape().size() * raw.dtype().size())
        }
        Argument::Array(raw) | Argument::Strided(raw) => Some(raw.shape().lengths().to_vec()),
        Argument::In(Ok(data)) => of_bytes(data.bytes.len()),
        // What has no data is refused when the arguments are prepared.
        Argument::Out(data) | Argument::InOut(data) => of_bytes(data.data().ok()?.bytes.len()),
        Argument::Memory(memory) | Argument::Held(Ok(memory)) | Argument::Shared { memory, .. } => {
            of_bytes(memory.len())
        }
        Argument::Scalar(..)
        | Argument::Object(_)
        | Argument::Structure(..)
        | Argument::In(Err(_))
        | Argument::Held(Err(_)) => None,
    }
}

/// Whether a text has `name[i]`, or uses the array otherwise than by an index.
fn is_indexed(text: &str, name: &str) -> bool {
    let all = tokens(text);
    (0..all.len()).any(|k| {
        let is_next = |at: usize, mark| all.get(k + at).is_some_and(|next| next.is_mark(text, mark));
        all[k].is_name(text, name)
            && !(is_next(1, '[')
                && is_next(3, ']')
                && all.get(k + 2).is_some_and(|index| index.kind == TokenKind::Number))
    })
}

/// Elements are computed in any order, so an array that is written must be
/// another one entirely, or the same one.
fn check_overlaps(spec: &ElementwiseSpec, prepared: &Prepared<'_>, count: usize) -> Result<()> {
    // Of an array beside longer ones one element is used.
    let used = |_: usize, parameter: &Parameter| {
        let is_whole = [&spec.operation, &spec.loop_prep, &spec.after_loop]
            .into_iter()
            .any(|text| is_indexed(text, &parameter.name));
        Some(if is_whole { count } else { 1 })
    };
    check_extents(&spec.name, &spec.parameters, prepared, used)
}

/// Refuses arrays that overlap and are not the same, if one of them is written; `used` says
/// how many elements of an array are, if that is known.
pub(super) fn check_extents(
    kernel: &str,
    parameters: &[Parameter],
    prepared: &Prepared<'_>,
    used: impl Fn(usize, &Parameter) -> Option<usize>,
) -> Result<()> {
    let extents =
        parameters.iter().zip(&prepared.values).enumerate().filter_map(|(number, (parameter, value))| {
            let CType::Pointer { is_const, .. } = parameter.ctype else { return None };
            let start = u64::from_ne_bytes(value.bytes().try_into().ok()?);
            let bytes = (used(number, parameter)? * parameter.element_bytes()?) as u64;
            Some((&parameter.name, is_const, start, start + bytes))
        });
    let extents: Vec<_> = extents.collect();
    for (k, (a, a_const, a_start, a_end)) in extents.iter().enumerate() {
        for (b, b_const, b_start, b_end) in &extents[k + 1..] {
            let overlap = a_start < b_end && b_start < a_end && (a_start, a_end) != (b_start, b_end);
            if overlap && !(*a_const && *b_const) {
                let message =
                    format!("`{a}` and `{b}` are different parts of one array that overlap; pass a copy");
                return Err(Problem::Argument { kernel: kernel.to_owned(), message }.into());
            }
        }
    }
    Ok(())
}

fn different_shapes(kernel: &str, a: &str, first: &[usize], b: &str, second: &[usize]) -> Error {
    let message =
        format!("`{a}` has shape {first:?} and `{b}` has shape {second:?}; all arrays need as many elements");
    Problem::Argument { kernel: kernel.to_owned(), message }.into()
}

/// A kernel, and what `:kernels` shows of it.
type Listed = (Arc<dyn LoopKernel>, Arc<Record>);

/// Compiled kernels, by what tells them apart.
static COMPILED: PerContext<String, Listed> = PerContext::new();

/// The compiled kernel of a spec, compiled once in a context.
fn compiled(context: Context, spec: &ElementwiseSpec) -> Result<Listed> {
    COMPILED.get_or_make(context, spec.key(), || {
        let (kernel, compilation) = activity::compiling(|| context.backend().compile_loop(spec));
        let kernel: Arc<dyn LoopKernel> = kernel?.into();
        let record = Record::new(&spec.name, context, compilation, None);
        record.list();
        Ok((kernel, record))
    })
}
