//! Many elements become one: PyCUDA's `ReductionKernel`.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::Arc;

use gpurepl_kernels::{Guards, REDUCTION_VALUE_BYTES, ReductionSpec, ValueType};

use super::argument::{Argument, ArgumentList, KernelArgs};
use super::checked::{complete, prepare};
use super::described::Described;
use super::elements::{Body, LaidOut, has_elements_of, lengths, structure_sizes};
use super::elementwise::add_preamble;
use super::reduced::{ReducedValues, ReductionValue};
use crate::activity::{self, Record};
use crate::array::{Elem, GpuArray, IntoValue, Raw, distinct_axes, reordered, stretched_to};
use crate::device::{self, Buffer, Context, FoldKernel, PerContext, RowFoldKernel, Rows};
use crate::error::{Problem, Result};
use crate::shape::{Dims, IntoShape, Shape};

/// A kernel that maps each element `i` of its arrays to a value and reduces
/// the values to one of type `T`.
///
/// ```
/// use gpurepl_prelude::*;
/// let dot = ReductionKernel::<f32>::new("0", "a+b", "x[i]*y[i]", "const float *x, const float *y", "dot")?;
/// let (x, y) = (rand::<f32>(1000), rand::<f32>(1000));
/// let found = dot.call((&x, &y))?.item();
/// assert!((found - x.dot(&y).item()).abs() < 1e-2);
/// # Ok::<(), Error>(())
/// ```
///
/// A value may be a structure, so that there are several results at once. `kernel_struct!` declares it
/// for Rust and for the texts:
///
/// ```
/// use gpurepl_prelude::*;
/// kernel_struct! {
///     #[derive(Clone, Copy, Debug, PartialEq)]
///     struct MinMax { min: f32, max: f32, at: i64 }
/// }
/// let minmax = ReductionKernel::<MinMax>::new(
///     "{INFINITY, -INFINITY, -1}",
///     "both(a, b)",
///     "{x[i], x[i], i}",
///     "const float *x",
///     "minmax",
/// )?
/// .preamble("__device__ MinMax both(MinMax a, MinMax b) {
///     return {fminf(a.min, b.min), fmaxf(a.max, b.max), b.max > a.max ? b.at : a.at};
/// }");
/// let found = minmax.call(&gpu![3.0f32, -1.0, 7.0, 2.0])?;
/// assert_eq!(found, MinMax { min: -1.0, max: 7.0, at: 2 });
/// # Ok::<(), Error>(())
/// ```
///
/// `reduction!` makes one that is called like a function.
#[derive(Clone)]
pub struct ReductionKernel<T> {
    spec: Arc<Described<ReductionSpec>>,
    result: PhantomData<T>,
}

impl<T: ReductionValue> ReductionKernel<T> {
    /// Describes a reduction: the value that changes nothing, an expression
    /// of two values `a` and `b`, an expression of an element `i`, the
    /// arguments in C and a name. It is compiled at the first call.
    ///
    /// The answer for no elements is `neutral`. Values are combined in any
    /// order, the same each time on one device. Arguments are those of
    /// [`ElementwiseKernel::new`](super::ElementwiseKernel::new): their shapes broadcast. A structure
    /// is written `{first, second}` or as a call of a function that returns one.
    ///
    /// # Errors
    ///
    /// If an argument cannot be read, none is an array, an expression is
    /// empty, the name is not a C identifier, or `T` is a structure of more than 128 bytes.
    pub fn new(
        neutral: &str,
        reduce_expr: &str,
        map_expr: &str,
        arguments: &str,
        name: &str,
    ) -> Result<ReductionKernel<T>> {
        let spec = describe(T::value_type(), neutral, reduce_expr, map_expr, arguments, name)?;
        Ok(ReductionKernel { spec: Arc::new(Described::new(spec)), result: PhantomData })
    }

    /// Puts C++ before the kernel: functions and types that it uses. A second call adds its text after the first.
    #[must_use]
    pub fn preamble(mut self, text: &str) -> ReductionKernel<T> {
        add_preamble(&mut Arc::make_mut(&mut self.spec).edit().preamble, text);
        self
    }

    /// Adds an option for the compiler, such as `-use_fast_math`.
    #[must_use]
    pub fn option(mut self, option: &str) -> ReductionKernel<T> {
        Arc::make_mut(&mut self.spec).edit().options.push(option.to_owned());
        self
    }

    /// Reduces all elements of the arrays, to an array without axes, or to a structure.
    ///
    /// # Errors
    ///
    /// If an argument does not fit, the shapes of arrays do not broadcast, nothing says how many
    /// elements there are, the preamble does not define a type, or the kernel does not compile.
    pub fn call<'a>(&self, arguments: impl KernelArgs<'a>) -> Result<T::Answer> {
        let mut list = ArgumentList::default();
        arguments.list(&mut list);
        T::answer(call(&self.spec, list)?)
    }

    /// Reduces along an axis, or several, to an array that has the others; to a `Vec` of structures in C
    /// order. Negative axes count from the last. `i` counts elements with the axes that are
    /// reduced last: along one axis of length `k` the place on it is `i % k`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let largest = ReductionKernel::<f32>::new("0", "fmaxf(a, b)", "fabsf(x[i])", "const float *x", "largest")?;
    /// let x = gpu![f32; [1, -5, 2], [3, 4, -1]];
    /// assert_eq!(largest.call_axis(1, &x)?.to_vec(), [5.0, 4.0]);
    /// assert_eq!(largest.call_axis(0, &x)?.to_vec(), [3.0, 5.0, 2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`ReductionKernel::call`], or if there is no such axis.
    pub fn call_axis<'a>(&self, axes: impl IntoShape, arguments: impl KernelArgs<'a>) -> Result<T::Answers> {
        let mut list = ArgumentList::default();
        arguments.list(&mut list);
        T::answers(call_axis(&self.spec, axes.into_dims(), list)?)
    }

    /// Compares subscripts with the lengths of arrays, as [`ElementwiseKernel::check`](super::ElementwiseKernel::check) does.
    #[must_use]
    pub fn check(mut self, is_checked: bool) -> ReductionKernel<T> {
        Arc::make_mut(&mut self.spec).edit().guards.is_guarded = is_checked;
        self
    }

    /// Reports an element whose `map_expr` is NaN. `GPUREPL_CHECK=nan` does it for all kernels.
    #[must_use]
    pub fn check_nan(mut self, is_checked: bool) -> ReductionKernel<T> {
        Arc::make_mut(&mut self.spec).edit().guards.has_nan = is_checked;
        self
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

impl<T: Elem> ReductionKernel<T> {
    /// [`ReductionKernel::call`] with the answer in an array that is there: PyCUDA's `out`. All its
    /// elements are set to it.
    ///
    /// # Errors
    ///
    /// As for [`ReductionKernel::call`].
    pub fn call_into<'a>(&self, arguments: impl KernelArgs<'a>, out: &mut GpuArray<T>) -> Result<()> {
        let answer = self.call(arguments)?;
        out.raw.try_store(IntoValue::<T>::into_value(&answer))
    }
}

impl<T> std::fmt::Debug for ReductionKernel<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "ReductionKernel({}: {} over {} -> {})",
            self.spec.signature(),
            self.spec.reduce_expr,
            self.spec.map_expr,
            self.spec.value.dtype().map_or_else(|| self.spec.value.c().to_owned(), |dtype| dtype.to_string())
        )
    }
}

fn describe(
    value: ValueType,
    neutral: &str,
    reduce_expr: &str,
    map_expr: &str,
    arguments: &str,
    name: &str,
) -> Result<ReductionSpec> {
    check_size(&value, name)?;
    ReductionSpec::new(value, neutral, reduce_expr, map_expr, arguments, name)
        .map_err(|error| Problem::Spec { what: "ReductionKernel", error }.into())
}

/// Refuses structures for which a block's shared memory has no room.
fn check_size(value: &ValueType, name: &str) -> Result<()> {
    if value.size() <= REDUCTION_VALUE_BYTES {
        return Ok(());
    }
    let message = format!(
        "{name}: `{}` has {} bytes; the values of a reduction have at most {REDUCTION_VALUE_BYTES}",
        value.c(),
        value.size()
    );
    Err(Problem::Invalid { operation: "ReductionKernel", message }.into())
}

/// Runs a spec with arguments of any kind.
pub(super) fn call(spec: &Described<ReductionSpec>, list: ArgumentList<'_>) -> Result<ReducedValues> {
    check(spec)?;
    let mut arguments = list.into_arguments();
    complete(spec.signature(), &mut arguments)?;
    let body = spec.body();
    let shape = shape_of(&body, &arguments)?;
    let laid = lay_out(spec, &arguments, shape)?;
    let mut arguments: Vec<Argument<'_>> = arguments;
    let spec = laid_out(spec, laid.as_ref(), &mut arguments)?;
    run_whole(&spec, arguments, shape.size(), Shape::SCALAR)
}

/// Reduces so many elements to one value, which has this shape.
fn run_whole(
    spec: &Described<ReductionSpec>,
    arguments: Vec<Argument<'_>>,
    count: usize,
    shape: Shape,
) -> Result<ReducedValues> {
    run(spec, arguments, shape, |context, name, spec| {
        let (kernel, record) = compiled(context, spec)?;
        Ok((
            Box::new(move |arguments: device::LoopArguments<'_>, output: &Buffer| {
                activity::work(context, activity::Kind::Kernel, name, 0, || {
                    kernel.run(arguments, count, output)
                })
            }),
            record,
        ))
    })
}

/// Runs a spec along axes.
fn call_axis(spec: &Described<ReductionSpec>, axes: Dims, list: ArgumentList<'_>) -> Result<ReducedValues> {
    check(spec)?;
    let mut arguments = list.into_arguments();
    complete(spec.signature(), &mut arguments)?;
    let body = spec.body();
    let shape = shape_of(&body, &arguments)?;
    let reduced = distinct_axes("call_axis", shape, shape.rank(), axes)?;
    let kept: Vec<usize> = (0..shape.rank()).filter(|axis| !reduced.contains(axis)).collect();
    // Rows are what is reduced, so its axes come last.
    let mut in_order = reduced.clone();
    in_order.sort_unstable();
    let order: Vec<usize> = kept.iter().copied().chain(in_order).collect();
    let of = |axes: &[usize]| -> Vec<usize> { axes.iter().map(|axis| shape.lengths()[*axis]).collect() };
    let turned_shape = Shape::new(&of(&order));
    let turned = turned(&body, &arguments, shape, &order)?;
    let mut arguments: Vec<Argument<'_>> = arguments;
    for (number, view) in turned.iter().enumerate() {
        if let Some(view) = view {
            arguments[number] = Argument::Array(view);
        }
    }
    let rows = Rows {
        count: of(&kept).iter().product(),
        length: of(&reduced).iter().product(),
        are_side_by_side: are_side_by_side(&turned, kept.len())?,
    };
    let laid = lay_out(spec, &arguments, turned_shape)?;
    let mut arguments: Vec<Argument<'_>> = arguments;
    let spec = laid_out(spec, laid.as_ref(), &mut arguments)?;
    let answers = Shape::new(&of(&kept));
    if rows.count == 1 {
        return run_whole(&spec, arguments, rows.length, answers);
    }
    run(&Described::new(spec.of_rows()), arguments, answers, |context, name, spec| {
        let (kernel, record) = compiled_rows(context, spec)?;
        Ok((
            Box::new(move |arguments: device::LoopArguments<'_>, output: &Buffer| {
                activity::work(context, activity::Kind::Kernel, name, 0, || {
                    kernel.run(arguments, rows, output)
                })
            }),
            record,
        ))
    })
}

fn check(spec: &ReductionSpec) -> Result<()> {
    crate::interrupt::check()?;
    check_size(&spec.value, &spec.name)?;
    spec.check_types().map_err(|error| Problem::Spec { what: "ReductionKernel", error }.into())
}

fn shape_of(body: &Body<'_>, arguments: &[Argument<'_>]) -> Result<Shape> {
    body.shape(arguments)?.ok_or_else(|| {
        let message = "no argument says how many elements there are: arrays and host data do".to_owned();
        Problem::Argument { kernel: body.kernel.to_owned(), message }.into()
    })
}

/// The arrays of the whole shape with their axes in another order.
fn turned(
    body: &Body<'_>,
    arguments: &[Argument<'_>],
    shape: Shape,
    order: &[usize],
) -> Result<Vec<Option<Raw>>> {
    let is_same = order.is_sorted();
    let turn = |number: usize, argument: &Argument<'_>| -> Result<Option<Raw>> {
        if !body.takes_part(number, argument) {
            return Ok(None);
        }
        match argument {
            Argument::Array(raw) if has_elements_of(&body.parameters[number], raw) => {
                Ok(Some(reordered("call_axis", &stretched_to("call_axis", raw, shape)?, order)?))
            }
            _ if is_same => Ok(None),
            _ => {
                let message = format!(
                    "`{}` is memory without axes, which cannot be put in another order\n  = help: pass an array, or reduce along the last axes",
                    body.parameters[number].name
                );
                Err(Problem::Argument { kernel: body.kernel.to_owned(), message }.into())
            }
        }
    };
    arguments.iter().enumerate().map(|(number, argument)| turn(number, argument)).collect()
}

/// Whether neighbours of the first array in memory are in different rows.
fn are_side_by_side(turned: &[Option<Raw>], kept: usize) -> Result<bool> {
    let Some(first) = turned.iter().flatten().next() else { return Ok(false) };
    let place = first.place()?;
    let smallest = |axes: std::ops::Range<usize>| {
        let long = axes.filter(|axis| first.shape().lengths()[*axis] > 1);
        long.map(|axis| place.strides[axis].unsigned_abs()).filter(|stride| *stride > 0).min()
    };
    Ok(match (smallest(0..kept), smallest(kept..first.shape().rank())) {
        (Some(between), Some(within)) => between < within,
        _ => false,
    })
}

/// What a kernel looks at: as it says itself, and as the environment says for all.
fn guards(spec: &ReductionSpec) -> Result<Guards> {
    Ok(spec.guards.with(device::checks_asked_for()?))
}

/// How the arguments lie that are reduced with this shape.
fn lay_out(
    spec: &Described<ReductionSpec>,
    arguments: &[Argument<'_>],
    shape: Shape,
) -> Result<Option<LaidOut>> {
    if shape.size() == 0 {
        return Ok(None);
    }
    let body = spec.body();
    let laid = body.lay_out(arguments, shape)?;
    if !guards(spec)?.is_guarded {
        return Ok(laid);
    }
    let lengths = lengths(&spec.parameters, arguments);
    Ok(Some(body.guard(laid, &lengths, shape.size(), true)))
}

fn laid_out<'s, 'a>(
    spec: &'s Described<ReductionSpec>,
    laid: Option<&'a LaidOut>,
    arguments: &mut Vec<Argument<'a>>,
) -> Result<Cow<'s, Described<ReductionSpec>>> {
    let guards = guards(spec)?;
    let sizes = structure_sizes(&spec.parameters, arguments);
    let mut spec = if sizes.is_empty() {
        Cow::Borrowed(spec)
    } else {
        Cow::Owned(Described::new(spec.with_sizes(sizes)))
    };
    if guards != spec.guards {
        spec.to_mut().edit().guards = guards;
    }
    Ok(match laid {
        None => spec,
        Some(laid) => {
            laid.apply(arguments);
            Cow::Owned(Described::new(spec.laid_out(laid.layouts())))
        }
    })
}

/// What runs a compiled kernel with its arguments and the memory of its answers.
type Running<'r> = Box<dyn FnOnce(device::LoopArguments<'_>, &Buffer) -> Result<()> + 'r>;

/// Places the arguments and the answers, and runs what `compile` gives for the spec.
fn run<'s>(
    spec: &'s Described<ReductionSpec>,
    arguments: Vec<Argument<'_>>,
    shape: Shape,
    compile: impl FnOnce(Context, &'s str, &'s Described<ReductionSpec>) -> Result<(Running<'s>, Arc<Record>)>,
) -> Result<ReducedValues> {
    let prepared = prepare(None, spec.signature(), None, arguments)?;
    let bytes = shape.size() * spec.value.size();
    let buffer = Buffer::new(prepared.context, bytes)?;
    if bytes > 0 {
        let (kernel, record) = compile(prepared.context, &spec.name, spec)?;
        kernel(prepared.loop_arguments(&prepared.plain_buffers()), &buffer)?;
        record.launched([0; 3], 0);
    }
    prepared.finish()?;
    Ok(ReducedValues::new(buffer, shape, spec.value.dtype()))
}

/// A kernel, and what `:kernels` shows of it.
type Listed<K> = (Arc<K>, Arc<Record>);

/// Compiled kernels, by what tells them apart.
static COMPILED: PerContext<Arc<str>, Listed<dyn FoldKernel>> = PerContext::new();

/// The same for those of rows.
static COMPILED_ROWS: PerContext<Arc<str>, Listed<dyn RowFoldKernel>> = PerContext::new();

/// The compiled kernel of a spec, compiled once in a context.
fn compiled(context: Context, spec: &Described<ReductionSpec>) -> Result<Listed<dyn FoldKernel>> {
    COMPILED.get_or_make(context, spec.key(), || {
        let (kernel, compilation) = activity::compiling(|| context.backend().compile_fold(spec));
        Ok((kernel?.into(), listed(context, spec, compilation)))
    })
}

fn compiled_rows(context: Context, spec: &Described<ReductionSpec>) -> Result<Listed<dyn RowFoldKernel>> {
    COMPILED_ROWS.get_or_make(context, spec.key(), || {
        let (kernel, compilation) = activity::compiling(|| context.backend().compile_row_fold(spec));
        Ok((kernel?.into(), listed(context, spec, compilation)))
    })
}

fn listed(context: Context, spec: &ReductionSpec, compilation: activity::Compilation) -> Arc<Record> {
    let record = Record::new(&spec.name, context, compilation, None);
    record.list();
    record
}
