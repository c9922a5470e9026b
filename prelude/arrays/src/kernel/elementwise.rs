//! A statement for each element: PyCUDA's `ElementwiseKernel`.

use std::borrow::Cow;
use std::sync::Arc;

use gpurepl_kernels::declaration::Parameter;
use gpurepl_kernels::{DType, ElementwiseSpec, Usage, has_element};

use super::argument::{Argument, ArgumentList, KernelArgs};
use super::checked::{Prepared, complete, prepare};
use super::described::Described;
use super::elements::{self, Body};
use super::outputs::{self, Outputs};
use super::roofline::{self, Roofline};
use crate::activity::{self, Record};
use crate::array::{ArrayIndex, Node, Place, Raw, SliceItem, Slices};
use crate::device::{self, Buffer, Context, LoopKernel, PerContext};
use crate::error::{Error, Problem, Result};
use crate::scalar::Scalar;
use crate::shape::Shape;

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
    spec: Arc<Described<ElementwiseSpec>>,
}

impl ElementwiseKernel {
    /// Describes a kernel by its arguments in C, a statement, and a name. It
    /// is compiled at the first call.
    ///
    /// The statement may use `i`, the element, and `n`, how many there are; both have a sign, so that
    /// `i - 5 < 0` is what it looks like.
    ///
    /// Arguments are numbers, vectors such as `float3` and pointers to them, and pointers to
    /// structures that the [preamble](ElementwiseKernel::preamble) defines. Arrays whose element `i` is
    /// used, `x[i]` or `x[i + 1]`, broadcast to one shape, as operands do, and `i` counts its places in C
    /// order; where shapes do not broadcast, arrays of one axis go along with those of several that have the
    /// same number of elements. Views are
    /// read and written where they are if the text only subscripts them: with their address, `&x[i]`, a view
    /// that is read is copied, and one that is written is an error. An array that elements of another index
    /// alone, `table[y[i]]`, may have any length, as one of certain numbers, `x[0]`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let product = ElementwiseKernel::new("const int *x, const int *y, int *z", "z[i] = x[i]*y[i]", "product")?;
    /// let (column, row) = (gpu![[1], [2]], gpu![1, 10, 100]);
    /// let mut z = zeros::<i32>((2, 3));
    /// product.call((&column, &row, &mut z))?;
    /// assert_eq!(z.to_vec(), [1, 10, 100, 2, 20, 200]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If an argument cannot be read, none is an array, or the name is no
    /// identifier of C.
    pub fn new(arguments: &str, operation: &str, name: &str) -> Result<ElementwiseKernel> {
        let spec = ElementwiseSpec::new(arguments, operation, name)
            .map_err(|error| Problem::Spec { what: "ElementwiseKernel", error })?;
        Ok(ElementwiseKernel { spec: Arc::new(Described::new(spec)) })
    }

    /// Puts C++ before the kernel: functions and types that it uses. A second call adds its text after the first.
    #[must_use]
    pub fn preamble(mut self, text: &str) -> ElementwiseKernel {
        add_preamble(&mut Arc::make_mut(&mut self.spec).edit().preamble, text);
        self
    }

    /// Adds an option for the compiler, such as `-use_fast_math`; [`SourceModuleBuilder::option`]
    /// takes the same.
    ///
    /// [`SourceModuleBuilder::option`]: super::SourceModuleBuilder::option
    #[must_use]
    pub fn option(mut self, option: &str) -> ElementwiseKernel {
        Arc::make_mut(&mut self.spec).edit().options.push(option.to_owned());
        self
    }

    /// Statements that run before the loop over elements.
    #[must_use]
    pub fn loop_prep(mut self, text: &str) -> ElementwiseKernel {
        Arc::make_mut(&mut self.spec).edit().loop_prep = text.to_owned();
        self
    }

    /// Statements that run after the loop over elements.
    #[must_use]
    pub fn after_loop(mut self, text: &str) -> ElementwiseKernel {
        Arc::make_mut(&mut self.spec).edit().after_loop = text.to_owned();
        self
    }

    /// Runs the kernel over all elements of its arrays.
    ///
    /// # Errors
    ///
    /// If an argument does not fit, the shapes of arrays do not broadcast, one that is written
    /// has not all elements, nothing says how many there are, the preamble does not define a type,
    /// or the kernel does not compile.
    pub fn call<'a>(&self, arguments: impl KernelArgs<'a>) -> Result<()> {
        let mut list = ArgumentList::default();
        arguments.list(&mut list);
        call(&self.spec, list)
    }

    /// Runs the kernel with new arrays as its last results, and returns them: one of type `f32` for
    /// `map::<f32>`, a tuple for `map::<(f32, i32)>`. They have the shape to which the other arrays
    /// broadcast, and are left out of the arguments: the call of CuPy's `ElementwiseKernel`. Elements that
    /// the statement does not set are undefined.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let squares = ElementwiseKernel::new("const float *x, float *y", "y[i] = x[i]*x[i]", "squares")?;
    /// assert_eq!(squares.map::<f32>(&gpu![1.0f32, 2.0, 3.0])?.to_vec(), [1.0, 4.0, 9.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`ElementwiseKernel::call`], or if the kernel does not assign as many arrays, one is of
    /// another type, or no argument has a shape.
    pub fn map<'a, R: Outputs>(&self, arguments: impl KernelArgs<'a>) -> Result<R::Arrays> {
        let mut list = ArgumentList::default();
        arguments.list(&mut list);
        map(&self.spec, list, R::DTYPES).map(R::wrap)
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
        run(&self.spec, list.into_arguments(), Chosen::Range(&range.slices()))
    }

    /// Compares subscripts with the lengths of arrays that are used by subscripts alone, and reports
    /// assertions that fail, as errors that name the array, the index and the thread. On a GPU the context
    /// stays as it is. `GPUREPL_CHECK=1` does it for all kernels, also for those that say no. A kernel takes several
    /// times as long.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let shift = ElementwiseKernel::new("const float *x, float *y", "y[i] = x[i + 1]", "shift")?.check(true);
    /// let (x, mut y) = (ones::<f32>(10), zeros::<f32>(10));
    /// let error = shift.call((&x, &mut y)).and_then(|()| synchronize()).unwrap_err();
    /// assert!(error.to_string().contains("`x[10]` is out of bounds: `x` has 10 elements; for i = 9"));
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn check(mut self, is_checked: bool) -> ElementwiseKernel {
        Arc::make_mut(&mut self.spec).edit().guards.is_guarded = is_checked;
        self
    }

    /// Reports an element `i` that is NaN after the operation, of an array of floats or complex numbers that the
    /// operation sets by `x[i]`; also one that it has left as it was. `GPUREPL_CHECK=nan` does it for all kernels.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let root = ElementwiseKernel::new("float *x", "x[i] = sqrtf(x[i])", "root")?.check_nan(true);
    /// let mut x = gpu![f32; 4, -1, 9];
    /// let error = root.call(&mut x).and_then(|()| synchronize()).unwrap_err();
    /// assert!(error.to_string().contains("`x[1]` is NaN"));
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn check_nan(mut self, is_checked: bool) -> ElementwiseKernel {
        Arc::make_mut(&mut self.spec).edit().guards.has_nan = is_checked;
        self
    }

    /// Runs the kernel, and measures how near it comes to the speed of the device's memory. The arrays are as
    /// after one call; what is written needs as much memory again while it is measured.
    ///
    /// An array that the texts use by its element `i` counts once if it is read and once if it is written; tables
    /// that elements of others name, and elements of certain numbers, do not count.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let add = ElementwiseKernel::new("const float *x, float *y", "y[i] += x[i]", "add")?;
    /// let (x, mut y) = (ones::<f32>(1 << 16), zeros::<f32>(1 << 16));
    /// let found = add.roofline((&x, &mut y))?;
    /// println!("{found}"); // add: moves 12 bytes an element, 65536 elements in ..
    /// assert_eq!((found.bytes(), y.sum().item()), (12 << 16, 65536.0));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`ElementwiseKernel::call`], or if memory is short.
    pub fn roofline<'a>(&self, arguments: impl KernelArgs<'a>) -> Result<Roofline> {
        let mut list = ArgumentList::default();
        arguments.list(&mut list);
        let mut arguments = list.into_arguments();
        complete(self.spec.signature(), &mut arguments)?;
        let (bytes, mut elements) = (self.spec.body().bytes_moved(&arguments), 0);
        if bytes == 0 {
            let message = "no array is used by its element `i`, so there is no speed".to_owned();
            return Err(Problem::Argument { kernel: self.spec.name.clone(), message }.into());
        }
        let (seconds, context) = run_by(&self.spec, arguments, Chosen::All, |spec, prepared, count| {
            elements = count;
            measure(spec, prepared, count)
        })?;
        roofline::report(&self.spec.name, Some(elements), bytes, seconds, context)
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
        write!(f, "ElementwiseKernel({}: {})", self.spec.signature(), self.spec.operation)
    }
}

/// Adds to what stands before a kernel, on lines of its own.
pub(super) fn add_preamble(preamble: &mut String, text: &str) {
    if !preamble.is_empty() && !preamble.ends_with('\n') {
        preamble.push('\n');
    }
    preamble.push_str(text);
}

/// Runs a spec with arguments of any kind.
pub(super) fn call(spec: &Described<ElementwiseSpec>, list: ArgumentList<'_>) -> Result<()> {
    run(spec, list.into_arguments(), Chosen::All)
}

/// Runs a spec with new arrays for its last results, which it returns.
fn map(spec: &Described<ElementwiseSpec>, list: ArgumentList<'_>, dtypes: &[DType]) -> Result<Vec<Raw>> {
    let given = list.into_arguments();
    let places = outputs::places(spec, dtypes, given.len())?;
    map_at(spec, given, &places, dtypes)
}

/// Runs a spec with new arrays for the parameters at `places`.
pub(super) fn map_at(
    spec: &Described<ElementwiseSpec>,
    given: Vec<Argument<'_>>,
    places: &[usize],
    dtypes: &[DType],
) -> Result<Vec<Raw>> {
    let whole = spec.body();
    let is_given = |number: &usize| !places.contains(number);
    let given_ones = || (0..whole.parameters.len()).filter(is_given);
    let parameters: Vec<Parameter> = given_ones().map(|number| whole.parameters[number].clone()).collect();
    let usages: Vec<Usage> = given_ones().map(|number| whole.usages[number]).collect();
    let body = Body { kernel: whole.kernel, parameters: &parameters, usages: &usages };
    let Some(shape) = body.shape(&given)? else {
        let message =
            "no argument says which shape the results have; pass an array, or `call` with the results"
                .to_owned();
        return Err(Problem::Argument { kernel: spec.name.clone(), message }.into());
    };
    let context = given.iter().find_map(Argument::context).map_or_else(device::current, Ok)?;
    let new =
        |dtype: &DType| Ok(Raw::new(Node::ready(shape, *dtype, Place::within(context, shape, *dtype)?)));
    let results = dtypes.iter().map(new).collect::<Result<Vec<Raw>>>()?;
    let mut arguments = given;
    for (place, result) in places.iter().zip(&results) {
        arguments.insert(*place, Argument::Array(result));
    }
    run(spec, arguments, Chosen::All)?;
    Ok(results)
}

/// Which elements a kernel runs over.
enum Chosen<'r> {
    All,
    Range(&'r Slices<'r>),
}

fn run(spec: &Described<ElementwiseSpec>, arguments: Vec<Argument<'_>>, chosen: Chosen<'_>) -> Result<()> {
    run_by(spec, arguments, chosen, launch)
}

/// Runs a spec by what is done once its arguments are in their places, for so many elements.
fn run_by<R>(
    spec: &Described<ElementwiseSpec>,
    arguments: Vec<Argument<'_>>,
    chosen: Chosen<'_>,
    launch: impl FnOnce(&Described<ElementwiseSpec>, Prepared<'_>, usize) -> Result<R>,
) -> Result<R> {
    crate::interrupt::check()?;
    spec.check_types().map_err(|error| Problem::Spec { what: "ElementwiseKernel", error })?;
    let mut arguments = arguments;
    complete(spec.signature(), &mut arguments)?;
    let body = spec.body();
    let shape = match (body.shape(&arguments)?, &chosen) {
        (Some(shape), _) => shape,
        (None, Chosen::Range(range)) if end_of(range).is_some() => Shape::new(&[end_of(range).unwrap_or(0)]),
        (None, _) => return Err(unknown_count(spec)),
    };
    let size = shape.size();
    let steps = match chosen {
        Chosen::All => None,
        Chosen::Range(range) => Some(steps_of(spec, range, size)?),
    };
    let count = steps.map_or(size, |(.., count)| count);
    let lengths = elements::lengths(&spec.parameters, &arguments);
    let guards = spec.guards.with(device::checks_asked_for()?);
    let mut laid = match size {
        0 => None,
        _ => body.lay_out(&arguments, shape)?,
    };
    if guards.is_guarded {
        laid = Some(body.guard(laid, &lengths, size, true));
    }
    // The views live as long as the arguments that are borrowed from them.
    let mut arguments: Vec<Argument<'_>> = arguments;
    let sizes = elements::structure_sizes(&spec.parameters, &arguments);
    let mut described = if sizes.is_empty() {
        Cow::Borrowed(spec)
    } else {
        Cow::Owned(Described::new(spec.with_sizes(sizes)))
    };
    if guards != spec.guards {
        described.to_mut().edit().guards = guards;
    }
    if let Some(laid) = &laid {
        described = Cow::Owned(Described::new(described.laid_out(laid.layouts())));
        laid.apply(&mut arguments);
    }
    if let Some(steps) = steps {
        described = Cow::Owned(Described::new(described.ranged()));
        add_steps(&mut arguments, steps, size);
    }
    let prepared = prepare(None, described.signature(), None, arguments)?;
    body.check_overlaps(&prepared, &lengths, laid.as_ref())?;
    launch(&described, prepared, count)
}

/// The last element of a range that says so by itself.
fn end_of(range: &Slices<'_>) -> Option<usize> {
    match range.items() {
        [SliceItem::Range { start, end: Some(end), .. }] if start.unwrap_or(0) >= 0 => {
            usize::try_from(*end).ok()
        }
        _ => None,
    }
}

#[cold]
fn unknown_count(spec: &ElementwiseSpec) -> Error {
    let message = "no argument says how many elements there are: arrays and host data do\n  = help: `call_range(0..n, ..)` runs \
                   over `n`"
        .to_owned();
    Problem::Argument { kernel: spec.name.clone(), message }.into()
}

/// Runs a spec several times for its time in seconds, and leaves the arrays as one run does.
fn measure(
    spec: &Described<ElementwiseSpec>,
    prepared: Prepared<'_>,
    count: usize,
) -> Result<(f64, Context)> {
    let context = prepared.context;
    let seconds = context.scope(|| -> Result<f64> {
        let (kernel, _) = compiled(context, spec)?;
        let backend = context.backend();
        // What a run has written the next one would read.
        let buffers = prepared.buffers();
        let written = buffers.iter().filter(|(buffer, writes)| *writes && buffer.bytes() > 0);
        let saved = written
            .map(|(buffer, _)| {
                let copy = Buffer::new(context, buffer.bytes())?;
                backend.copy((&copy, 0), (buffer, 0), buffer.bytes())?;
                Ok((*buffer, copy))
            })
            .collect::<Result<Vec<_>>>()?;
        let plain = prepared.plain_buffers();
        let seconds = roofline::measured(&mut || kernel.run(prepared.loop_arguments(&plain), count));
        for (buffer, copy) in &saved {
            backend.copy((buffer, 0), (copy, 0), copy.bytes())?;
        }
        seconds
    })??;
    launch(spec, prepared, count)?;
    Ok((seconds, context))
}

/// Runs a spec over so many elements, with arguments that have been checked.
fn launch(spec: &Described<ElementwiseSpec>, prepared: Prepared<'_>, count: usize) -> Result<()> {
    if count > 0 {
        let (kernel, record) = compiled(prepared.context, spec)?;
        activity::work(prepared.context, activity::Kind::Kernel, &spec.name, 0, || {
            kernel.run(prepared.loop_arguments(&prepared.plain_buffers()), count)
        })?;
        record.launched([0; 3], 0);
    }
    prepared.finish()
}

/// Some elements: the first one, what lies between two, and how many there are.
pub(super) type Steps = (i64, i64, usize);

fn steps_of(spec: &ElementwiseSpec, range: &Slices<'_>, size: usize) -> Result<Steps> {
    let items = range.items();
    items.first().filter(|_| items.len() == 1).and_then(|item| steps(item, size)).ok_or_else(|| {
        let message = "elements are a range, such as `2..10` or `s![..; 2]`".to_owned();
        Problem::Argument { kernel: spec.name.clone(), message }.into()
    })
}

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

/// The arguments that say which elements of `size` a ranged spec has.
fn add_steps(arguments: &mut Vec<Argument<'_>>, (start, step, _): Steps, size: usize) {
    arguments.push(Argument::Scalar(Scalar::Int(start), DType::Int64));
    arguments.push(Argument::Scalar(Scalar::Int(step), DType::Int64));
    arguments.push(Argument::Scalar(Scalar::Int(size as i64), DType::UInt64));
}

/// Runs a spec over some of `size` elements, which all arrays have that the texts read by `i`.
pub(super) fn call_steps(
    spec: ElementwiseSpec,
    mut arguments: Vec<Argument<'_>>,
    steps: Steps,
    size: usize,
) -> Result<()> {
    crate::interrupt::check()?;
    let lengths = elements::lengths(&spec.parameters, &arguments);
    check_lengths(&spec.name, &spec.parameters, &lengths, &spec.bodies(), size)?;
    let spec = Described::new(spec);
    let ranged = Described::new(spec.ranged());
    let (.., count) = steps;
    add_steps(&mut arguments, steps, size);
    let prepared = prepare(None, ranged.signature(), None, arguments)?;
    spec.body().check_overlaps(&prepared, &lengths, None)?;
    launch(&ranged, prepared, count)
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
    let (name, length) = (&parameter.name, elements::elements(length.unwrap_or(0)));
    let message = format!("`{name}` has {length}, and `{name}[i]` is used for {count}");
    Err(Problem::Argument { kernel: kernel.to_owned(), message }.into())
}

/// A kernel, and what `:kernels` shows of it.
type Listed = (Arc<dyn LoopKernel>, Arc<Record>);

/// Compiled kernels, by what tells them apart.
static COMPILED: PerContext<Arc<str>, Listed> = PerContext::new();

/// The compiled kernel of a spec, compiled once in a context.
fn compiled(context: Context, spec: &Described<ElementwiseSpec>) -> Result<Listed> {
    COMPILED.get_or_make(context, spec.key(), || {
        let (kernel, compilation) = activity::compiling(|| context.backend().compile_loop(spec));
        let kernel: Arc<dyn LoopKernel> = kernel?.into();
        let record = Record::new(&spec.name, context, compilation, None);
        record.list();
        Ok((kernel, record))
    })
}
