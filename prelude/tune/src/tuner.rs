//! A tuner of kernels in CUDA C.

use std::time::Duration;

use gpurepl_arrays::array::{Elem, GpuArray};
use gpurepl_arrays::kernel::{ArgumentList, Dim3, Function, Given, IntoDim3, KernelArgs, SourceModule};
use gpurepl_extend::AnyArray;
use gpurepl_ground::{ErrorKind, Result, interrupt};

use crate::bench::Bench;
use crate::isolated::Isolated;
use crate::plan::{Plan, plan_methods};
use crate::record::{self, Record};
use crate::report::{Tuned, Tuning};
use crate::space::Configuration;
use crate::strategy::TuningStrategy;
use crate::task::{Elements, Input, Task};
use crate::text::KernelText;
use crate::variant::{Failure, FailureKind, Outcome, Variant};

/// Something that depends on a variant's values.
type Of<T> = Option<Box<dyn Fn(&Configuration) -> T>>;

/// A kernel in CUDA C whose best variant is to be found; [`tune`] makes one.
pub struct Tuner {
    plan: Plan,
    text: KernelText,
    grid: Of<Dim3>,
    block: Of<Dim3>,
    kernel: Of<String>,
    shared_memory: Of<usize>,
    options: Of<Vec<String>>,
    expected: Vec<(String, AnyArray)>,
    ignored: Vec<String>,
    variant_seconds: f64,
    is_isolated: Option<bool>,
}

/// A tuner for the kernel of this name. In its text each parameter is a macro, or a name if it is a
/// [`Template`](gpurepl_templates::Template).
///
/// ```no_run
/// use gpurepl_prelude::*;
/// let text = Template::new("__global__ void fill({{ type }} *x) {
///     {% for k in range(each) %}x[threadIdx.x + {{ k }} * blockDim.x] = 1; {% endfor %}
/// }");
/// let mut x = zeros::<f32>(4096);
/// let tuned = tune("fill", text)
///     .parameter("type", ["float"])
///     .parameter("each", [4, 8, 16])
///     .block(|v| 4096 / v["each"])
///     .run(&mut x)?;
/// tuned
/// # ;
/// # Ok::<(), Error>(())
/// ```
pub fn tune(kernel: &str, text: impl Into<KernelText>) -> Tuner {
    Tuner {
        plan: Plan::new(kernel),
        text: text.into(),
        grid: None,
        block: None,
        kernel: None,
        shared_memory: None,
        options: None,
        expected: Vec::new(),
        ignored: Vec::new(),
        variant_seconds: 20.0,
        is_isolated: None,
    }
}

impl Tuner {
    plan_methods!();

    /// The block of a variant; else one thread.
    #[must_use]
    pub fn block<D: IntoDim3>(mut self, block: impl Fn(&Configuration) -> D + 'static) -> Tuner {
        self.block = Some(Box::new(move |configuration| block(configuration).into_dim3()));
        self
    }

    /// The grid of a variant; else one block.
    #[must_use]
    pub fn grid<D: IntoDim3>(mut self, grid: impl Fn(&Configuration) -> D + 'static) -> Tuner {
        self.grid = Some(Box::new(move |configuration| grid(configuration).into_dim3()));
        self
    }

    /// The kernel of a variant, where it is not the same for all: an instance of a C++ template,
    /// `|v| format!("reduce<float, {}>", v["block"])`.
    #[must_use]
    pub fn kernel(mut self, kernel: impl Fn(&Configuration) -> String + 'static) -> Tuner {
        self.kernel = Some(Box::new(kernel));
        self
    }

    /// The dynamic shared memory of a variant, in bytes.
    #[must_use]
    pub fn shared_memory(mut self, bytes: impl Fn(&Configuration) -> usize + 'static) -> Tuner {
        self.shared_memory = Some(Box::new(bytes));
        self
    }

    /// More options for the compiler, such as `--use_fast_math`.
    #[must_use]
    pub fn options(mut self, options: impl Fn(&Configuration) -> Vec<String> + 'static) -> Tuner {
        self.options = Some(Box::new(options));
        self
    }

    /// What an array, by its parameter's name in the kernel, is to be after a run. Without it, variants are
    /// compared with the first one.
    #[must_use]
    pub fn expect<T: Elem>(mut self, name: &str, array: &GpuArray<T>) -> Tuner {
        self.expected.push((name.to_owned(), AnyArray::of(array)));
        self
    }

    /// Does not compare an array, by its parameter's name in the kernel: scratch space, or what is in any order.
    #[must_use]
    pub fn ignore(mut self, name: &str) -> Tuner {
        self.ignored.push(name.to_owned());
        self
    }

    /// How long one variant may take, compiling included, in seconds; else 20. It holds where variants have a process of
    /// their own, see [`Tuner::isolated`].
    #[must_use]
    pub fn variant_seconds(mut self, seconds: f64) -> Tuner {
        self.variant_seconds = seconds;
        self
    }

    /// Whether variants are tried in a process of their own, so that one that crashes or does not end costs
    /// nothing else. In a session that is so unless this says otherwise.
    #[must_use]
    pub fn isolated(mut self, is_isolated: bool) -> Tuner {
        self.is_isolated = Some(is_isolated);
        self
    }

    /// Finds the best variant for these arguments, which stay as they are: variants get copies.
    ///
    /// # Errors
    ///
    /// If the space is empty or too large, no variant works, an argument is neither a number nor an array on
    /// the device, or the device is lost. Variants that do not compile, fail, crash or give wrong results are left
    /// out, and the report says why.
    pub fn run<'a>(self, arguments: impl KernelArgs<'a>) -> Result<Tuned> {
        let list = ArgumentList::of(arguments);
        self.run_list(list)
    }

    fn run_list(self, list: ArgumentList<'_>) -> Result<Tuned> {
        self.plan.check()?;
        let given = list.into_given(&self.plan.name)?;
        let (key, exact) = (self.key(&given)?, exact(&given));
        let mut place = None;
        if let Some((record, number)) = record::find(&key, &self.plan)
            && (record.exact == exact || self.still_works(number, self.place(&mut place, &given)?)?)
        {
            let configuration = self.plan.space.configuration(number);
            // What is kept may not be what compiles today.
            if let Ok(kernel) = self.tuned_kernel(&configuration) {
                return Ok(kernel.of(Tuning::stored(&self.plan, configuration, &record)));
            }
        }
        let place = self.place(&mut place, &given)?;
        let tuning = self.plan.search(&mut |configuration| {
            interrupt::check()?;
            match self.variant(configuration) {
                Ok(variant) => place.attempt(&variant),
                Err(error) if error.kind() == ErrorKind::Spec => {
                    Ok(Err(Failure::new(FailureKind::DoesNotCompile, error)))
                }
                Err(error) => Err(error),
            }
        })?;
        record::keep(&key, Record::of(&self.plan, &tuning, exact)?, &tuning);
        Ok(self.tuned_kernel(tuning.best())?.of(tuning))
    }

    /// The place where variants are tried, with copies of the arguments: made when it is first wanted.
    fn place<'p>(&self, place: &'p mut Option<Place>, given: &[Given]) -> Result<&'p mut Place> {
        if place.is_none() {
            let task = self.task(given)?;
            *place = Some(match self.is_isolated.unwrap_or(true) && Isolated::is_possible() {
                true => {
                    let limit = Duration::try_from_secs_f64(self.variant_seconds).unwrap_or(Duration::MAX);
                    Place::Apart(Box::new(Isolated::new(task, limit)))
                }
                false => Place::Here(Box::new(Bench::new(task)?)),
            });
        }
        Ok(place.as_mut().expect("it was made"))
    }

    /// Whether a variant that was found for other lengths or numbers is right for these, too: it may count on
    /// lengths that its tiles divide.
    fn still_works(&self, number: u64, place: &mut Place) -> Result<bool> {
        let mut tries = vec![number];
        if self.expected.is_empty() {
            let Some(first) = self.plan.space.first() else { return Ok(false) };
            tries.insert(0, first);
        }
        for number in tries {
            let Ok(variant) = self.variant(&self.plan.space.configuration(number)) else { return Ok(false) };
            if place.attempt(&variant)?.is_err() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn variant(&self, configuration: &Configuration) -> Result<Variant> {
        let options = self.options.as_ref().map(|options| options(configuration)).unwrap_or_default();
        let (source, options) = self.text.builder(configuration, &options)?.into_parts();
        let (grid, block, shared_memory) = self.shape(configuration);
        let kernel = self.kernel_name(configuration);
        Ok(Variant { source, kernel, options, grid: grid.lengths(), block: block.lengths(), shared_memory })
    }

    fn kernel_name(&self, configuration: &Configuration) -> String {
        self.kernel.as_ref().map_or_else(|| self.plan.name.clone(), |kernel| kernel(configuration))
    }

    fn shape(&self, configuration: &Configuration) -> (Dim3, Dim3, usize) {
        let of =
            |shape: &Of<Dim3>| shape.as_ref().map_or_else(|| 1.into_dim3(), |shape| shape(configuration));
        let shared_memory = self.shared_memory.as_ref().map_or(0, |bytes| bytes(configuration));
        (of(&self.grid), of(&self.block), shared_memory)
    }

    fn tuned_kernel(&self, configuration: &Configuration) -> Result<TunedKernel> {
        let options = self.options.as_ref().map(|options| options(configuration)).unwrap_or_default();
        let module = self.text.builder(configuration, &options)?.compile()?;
        let function = module.get_function(&self.kernel_name(configuration))?;
        let (grid, block, shared_memory) = self.shape(configuration);
        Ok(TunedKernel { module, function, grid, block, shared_memory })
    }

    fn task(&self, given: &[Given]) -> Result<Task> {
        let expected = self.expected.iter().map(|(name, array)| Ok((name.clone(), Elements::of(array)?)));
        Ok(Task {
            arguments: given.iter().map(Input::of).collect::<Result<_>>()?,
            expected: expected.collect::<Result<_>>()?,
            ignored: self.ignored.clone(),
            tolerance: self.plan.tolerance,
        })
    }

    /// What the choice depends on: the text and the values, the device and its driver, and how large the
    /// arrays are, to a power of two.
    fn key(&self, given: &[Given]) -> Result<String> {
        let mut sizes = String::new();
        for argument in given {
            match argument {
                Given::Scalar(_, dtype) => sizes.push_str(&format!("{dtype} ")),
                Given::Array(raw) => {
                    let lengths: Vec<String> = raw
                        .shape()
                        .lengths()
                        .iter()
                        .map(|length| length.next_power_of_two().to_string())
                        .collect();
                    sizes.push_str(&format!("{}[{}] ", raw.dtype(), lengths.join(",")));
                }
            }
        }
        // How some of the variants are compiled and launched stands for the closures, whose text is not known.
        let mut launches = String::new();
        let size = self.plan.space.size().unwrap_or(0);
        let sampled =
            (0..16).map(|k| size / 16 * k).filter(|number| *number < size && self.plan.space.allows(*number));
        for configuration in sampled.map(|number| self.plan.space.configuration(number)) {
            let (grid, block, shared_memory) = self.shape(&configuration);
            let options = self.options.as_ref().map(|options| options(&configuration).join(" "));
            let (block, kernel) = (block.lengths(), self.kernel_name(&configuration));
            // Grids differ with the size, to a power of two.
            let grid = grid.lengths().map(|length| length.max(1).unsigned_abs().next_power_of_two());
            launches.push_str(&format!("{grid:?} {block:?} {shared_memory} {kernel} {options:?}\n"));
        }
        record::name(&self.plan, &[self.text.text(), &sizes, &launches])
    }
}

/// Lengths and numbers as they are.
fn exact(given: &[Given]) -> String {
    let one = |argument: &Given| match argument {
        Given::Scalar(value, _) => format!("{value:?}"),
        Given::Array(raw) => format!("{:?}", raw.shape().lengths()),
    };
    given.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// Where variants are tried.
enum Place {
    Here(Box<Bench>),
    Apart(Box<Isolated>),
}

impl Place {
    fn attempt(&mut self, variant: &Variant) -> Result<Outcome> {
        match self {
            Place::Here(bench) => bench.attempt(variant),
            Place::Apart(process) => process.attempt(variant),
        }
    }
}

/// The best variant, compiled here.
pub(crate) struct TunedKernel {
    pub(crate) module: SourceModule,
    pub(crate) function: Function,
    pub(crate) grid: Dim3,
    pub(crate) block: Dim3,
    pub(crate) shared_memory: usize,
}

impl TunedKernel {
    fn of(self, tuning: Tuning) -> Tuned {
        Tuned { kernel: std::sync::Arc::new(self), tuning }
    }
}
