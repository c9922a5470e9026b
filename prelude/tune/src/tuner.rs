//! A tuner of kernels in CUDA C.

use std::time::{Duration, Instant};

use gpurepl_arrays::array::{Elem, GpuArray};
use gpurepl_arrays::kernel::{
    ArgumentList, Dim3, Given, IntoDim3, KernelArgs, KernelValue, SourceModule, SourceModuleBuilder,
};
use gpurepl_device as device;
use gpurepl_display::Progress;
use gpurepl_extend::AnyArray;
use gpurepl_ground::error::Problem;
use gpurepl_ground::streams::channel;
use gpurepl_ground::{Error, ErrorKind, Result, interrupt};
use gpurepl_templates::Template;
use gpurepl_wire::Frame;

use crate::bench::Bench;
use crate::isolated::Isolated;
use crate::record::{self, Record};
use crate::report::{Attempt, Tuned, Tuning, plural};
use crate::space::{Configuration, Space};
use crate::strategy::{DRAWS, LISTED, Tried, TuningStrategy, search};
use crate::task::{Elements, Input, Task};
use crate::variant::{Failure, FailureKind, Outcome, Variant};

/// The text of a kernel with parameters.
#[derive(Clone, Debug)]
pub enum KernelText {
    /// CUDA C, in which each parameter is a macro.
    Macros(String),
    /// A template, in which each parameter is a name.
    Template(Template),
}

impl From<&str> for KernelText {
    fn from(text: &str) -> KernelText {
        KernelText::Macros(text.to_owned())
    }
}

impl From<String> for KernelText {
    fn from(text: String) -> KernelText {
        KernelText::Macros(text)
    }
}

impl From<&String> for KernelText {
    fn from(text: &String) -> KernelText {
        KernelText::Macros(text.clone())
    }
}

impl From<Template> for KernelText {
    fn from(template: Template) -> KernelText {
        KernelText::Template(template)
    }
}

impl From<&Template> for KernelText {
    fn from(template: &Template) -> KernelText {
        KernelText::Template(template.clone())
    }
}

impl KernelText {
    fn text(&self) -> &str {
        match self {
            KernelText::Macros(text) => text,
            KernelText::Template(template) => template.source(),
        }
    }

    /// The source with values in it.
    fn builder(&self, configuration: &Configuration, options: &[String]) -> Result<SourceModuleBuilder> {
        let (builder, defines) = match self {
            KernelText::Macros(text) => (SourceModule::builder(text), configuration.values().defines()),
            KernelText::Template(template) => (template.builder(configuration.values())?, Vec::new()),
        };
        Ok(defines.iter().chain(options).fold(builder, |builder, option| builder.option(option)))
    }
}

/// What all tuners have: a space, and how it is searched.
pub(crate) struct Plan {
    pub(crate) name: String,
    pub(crate) space: Space,
    pub(crate) strategy: TuningStrategy,
    pub(crate) seconds: f64,
    pub(crate) limit: Option<usize>,
    pub(crate) is_again: bool,
    pub(crate) tolerance: Option<f64>,
    /// Bytes that a launch moves, and floating-point operations that it does.
    pub(crate) work: (f64, f64),
}

/// Progress of more variants than this has no end to be shown.
const MOST: u64 = 1 << 16;

impl Plan {
    pub(crate) fn new(name: &str) -> Plan {
        Plan {
            name: name.to_owned(),
            space: Space::default(),
            strategy: TuningStrategy::default(),
            seconds: 60.0,
            limit: None,
            is_again: false,
            tolerance: None,
            work: (0.0, 0.0),
        }
    }

    pub(crate) fn wrong(&self, message: String) -> Error {
        Problem::Invalid { operation: "tune", message: format!("`{}`: {message}", self.name) }.into()
    }

    /// What ended a search before all was tried: seconds, and variants.
    pub(crate) fn limits(&self, tuning: &Tuning) -> Option<(f64, usize)> {
        tuning.is_cut.then_some((self.seconds, self.limit.unwrap_or(usize::MAX)))
    }

    /// Whether a search would go no further than the one that has left a record.
    pub(crate) fn allows_no_more(&self, record: &Record) -> bool {
        record.limits.is_none_or(|(seconds, limit)| {
            self.seconds <= seconds && self.limit.unwrap_or(usize::MAX) <= limit
        })
    }

    /// Refuses a space in which nothing can be searched.
    pub(crate) fn check(&self) -> Result<()> {
        let mut names: Vec<&str> = Vec::new();
        for (name, values) in self.space.parameters() {
            if values.is_empty() {
                return Err(self.wrong(format!(
                    "the parameter `{name}` has no values\n  = help: give at least one: `.parameter(\"{name}\", [1])`"
                )));
            }
            if names.contains(&name) {
                return Err(self.wrong(format!("there are two parameters `{name}`\n  = help: rename one")));
            }
            if !is_identifier(name) {
                return Err(self.wrong(format!(
                    "`{name}` cannot be a parameter's name\n  = help: use letters, digits and underscores, and \
                     start with a letter"
                )));
            }
            names.push(name);
        }
        if self.limit == Some(0) || self.seconds.is_nan() || self.seconds < 0.0 {
            return Err(self.wrong(
                "no variant may be tried\n  = help: give `.limit(..)` at least 1, and `.seconds(..)` at least 0"
                    .to_owned(),
            ));
        }
        let size = self.space.size();
        if self.strategy == TuningStrategy::All && size.is_none_or(|size| size > LISTED) {
            let size = size.map_or("more than 2^64".to_owned(), |size| size.to_string());
            return Err(self.wrong(format!(
                "all of {size} combinations cannot be tried, {LISTED} can\n  = help: leave values out, or use \
                 `.strategy(TuningStrategy::Climb)`, which tries what is promising"
            )));
        }
        if size.is_none() {
            return Err(self.wrong(
                "there are more than 2^64 combinations\n  = help: leave parameters or values out".to_owned(),
            ));
        }
        Ok(())
    }

    /// Searches, with the progress shown, until the time is over, or the user interrupts: then what was found until
    /// then counts.
    pub(crate) fn search(
        &self,
        attempt: &mut dyn FnMut(u64, &Configuration) -> Result<Outcome>,
    ) -> Result<Tuning> {
        let start = Instant::now();
        let size = self.space.allowed();
        let total = size.min(self.limit.map_or(u64::MAX, |limit| limit as u64));
        let progress = if total <= MOST { Progress::new(total as usize) } else { Progress::unbounded() };
        let progress = progress.message(&format!("tuning {}", self.name));
        let mut attempts: Vec<Attempt> = Vec::new();
        let (mut broken, mut is_cut) = (None, false);
        let budget = Duration::try_from_secs_f64(self.seconds).unwrap_or(Duration::MAX);
        search(self.strategy, &self.space, &mut |number| {
            let is_over = self.limit.is_some_and(|limit| attempts.len() >= limit)
                // The first one is always tried.
                || (!attempts.is_empty() && start.elapsed() >= budget);
            if is_over {
                is_cut = true;
                return Tried::Stop;
            }
            let configuration = self.space.configuration(number);
            let result = match attempt(number, &configuration) {
                Ok(result) => result,
                Err(error) => {
                    broken = Some(error);
                    return Tried::Stop;
                }
            };
            let time = result.as_ref().ok().map(|measured| measured.seconds);
            attempts.push(Attempt { number, configuration, result });
            if let Some(best) = best(&attempts) {
                progress.set_message(&format!("tuning {}: {}", self.name, crate::report::time(best.1)));
            }
            progress.advance(1);
            Tried::Time(time)
        });
        progress.finish();
        let mut tuning = Tuning {
            kernel: self.name.clone(),
            parameters: self.space.names(),
            attempts,
            size,
            seconds: start.elapsed().as_secs_f64(),
            is_cut,
            is_interrupted: false,
            is_stored: false,
            work: self.work,
        };
        match broken {
            Some(error) if error.kind() == ErrorKind::Interrupted && tuning.best_attempt().is_some() => {
                // It was for the search: what follows goes on.
                interrupt::clear();
                channel::frame(&Frame::InterruptTaken);
                tuning.is_interrupted = true;
                gpurepl_ground::streams::notice(format!(
                    "tuning `{}` was interrupted; the best of {} variants counts",
                    self.name,
                    tuning.attempts.len()
                ));
            }
            Some(error) => return Err(error),
            None => {}
        }
        if tuning.best_attempt().is_none() {
            return Err(self.nothing(&tuning));
        }
        Ok(tuning)
    }

    /// Why there is no best variant.
    fn nothing(&self, tuning: &Tuning) -> Error {
        if tuning.attempts.is_empty() {
            let size = self.space.size().unwrap_or(u64::MAX);
            let looked = match size <= LISTED {
                true => format!("none of {size} combinations"),
                false => format!("none of {DRAWS} combinations, drawn from {size}"),
            };
            return self.wrong(format!(
                "the restrictions allow {looked}\n  = help: see which values `.restrict(..)` refuses"
            ));
        }
        let (mut said, mut first) = (String::new(), None);
        for (kind, count) in tuning.failures() {
            said.push_str(&format!(
                "{}{count} {}",
                if said.is_empty() { "" } else { ", " },
                plural(kind, count)
            ));
        }
        for attempt in &tuning.attempts {
            if let Err(failure) = &attempt.result {
                first.get_or_insert((&attempt.configuration, failure));
            }
        }
        let first = first.map_or(String::new(), |(configuration, failure)| {
            format!("\nthe first one, with {configuration}, {}:\n{}", failure.kind.words(), failure.message)
        });
        self.wrong(format!("none of {} variants works: {said}{first}", tuning.attempts.len()))
    }
}

fn best(attempts: &[Attempt]) -> Option<(usize, f64)> {
    let times = attempts
        .iter()
        .enumerate()
        .filter_map(|(k, attempt)| Some((k, attempt.result.as_ref().ok()?.seconds)));
    times.min_by(|a, b| a.1.total_cmp(&b.1))
}

fn is_identifier(name: &str) -> bool {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(is_start) && name.chars().all(|c| is_start(c) || c.is_ascii_digit())
}

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
/// [`Template`].
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

/// A number of bytes or operations; zero if it is no number.
pub(crate) fn amount(value: &KernelValue) -> f64 {
    match *value {
        KernelValue::Int(value) => value as f64,
        KernelValue::UInt(value) => value as f64,
        KernelValue::Float(value) => value,
        _ => 0.0,
    }
}

/// The methods that every tuner has, over its `plan`.
macro_rules! plan_methods {
    () => {
        /// A parameter and its values: numbers, booleans or strings, in an array, a `Vec` or a range. List numbers in
        /// order, since [`TuningStrategy::Climb`] tries neighbours first. The first value of each makes the first variant,
        /// which others are compared with.
        #[must_use]
        pub fn parameter<V: Into<gpurepl_arrays::kernel::KernelValue>>(
            mut self,
            name: &str,
            values: impl IntoIterator<Item = V>,
        ) -> Self {
            self.plan.space.add(name, values.into_iter().map(Into::into).collect());
            self
        }

        /// Leaves out combinations for which this is not true.
        #[must_use]
        pub fn restrict(mut self, allows: impl Fn(&Configuration) -> bool + 'static) -> Self {
            self.plan.space.restrict(Box::new(allows));
            self
        }

        /// In which order variants are tried; else [`TuningStrategy::Climb`].
        #[must_use]
        pub fn strategy(mut self, strategy: TuningStrategy) -> Self {
            self.plan.strategy = strategy;
            self
        }

        /// The time after which no other variant is begun, in seconds; else 60. Ctrl-C ends the search,
        /// too, and keeps the best variant so far.
        #[must_use]
        pub fn seconds(mut self, seconds: f64) -> Self {
            self.plan.seconds = seconds;
            self
        }

        /// The most variants that are tried.
        #[must_use]
        pub fn limit(mut self, variants: usize) -> Self {
            self.plan.limit = Some(variants);
            self
        }

        /// How far an element may lie from what it is in the first variant, relative to the greater of that and the root mean
        /// square of all: variants add in different orders. Else 1e-4 for `f32`, 1e-9 for `f64`, 2e-2 for `f16`, and nothing
        /// for whole numbers.
        #[must_use]
        pub fn tolerance(mut self, relative: f64) -> Self {
            self.plan.tolerance = Some(relative);
            self
        }

        /// Searches again, though the best variant is known from an earlier search.
        #[must_use]
        pub fn again(mut self) -> Self {
            self.plan.is_again = true;
            self
        }

        /// How many bytes a launch moves: the report has bytes per second then.
        #[must_use]
        pub fn bytes(mut self, bytes: impl Into<gpurepl_arrays::kernel::KernelValue>) -> Self {
            self.plan.work.0 = $crate::tuner::amount(&bytes.into());
            self
        }

        /// How many floating-point operations a launch does: the report has them per second then.
        #[must_use]
        pub fn flops(mut self, operations: impl Into<gpurepl_arrays::kernel::KernelValue>) -> Self {
            self.plan.work.1 = $crate::tuner::amount(&operations.into());
            self
        }
    };
}
pub(crate) use plan_methods;

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
    /// out and told in the report.
    pub fn run<'a>(self, arguments: impl KernelArgs<'a>) -> Result<Tuned> {
        let list = ArgumentList::of(arguments);
        self.run_list(list)
    }

    fn run_list(self, list: ArgumentList<'_>) -> Result<Tuned> {
        self.plan.check()?;
        let given = list.into_given(&self.plan.name)?;
        let (known, exact) = (self.key(&given)?, exact(&given));
        let found =
            record::read(&known).filter(|record| !self.plan.is_again && self.plan.allows_no_more(record));
        let task = self.task(&given)?;
        let mut place = match self.is_isolated.unwrap_or(true) && Isolated::is_possible() {
            true => {
                let limit = Duration::try_from_secs_f64(self.variant_seconds).unwrap_or(Duration::MAX);
                Place::Apart(Box::new(Isolated::new(task, limit)))
            }
            false => Place::Here(Box::new(Bench::new(task)?)),
        };
        if let Some(record) = found
            && let Some(number) = self.plan.space.find(&record.values)
            && self.plan.space.allows(number)
            && (record.exact == exact || self.still_works(number, &mut place)?)
        {
            let configuration = self.plan.space.configuration(number);
            // What is kept may not be what compiles today.
            if let Ok(kernel) = self.tuned_kernel(&configuration) {
                return Ok(kernel.of(Tuning::stored(&self.plan, number, configuration, &record)));
            }
        }
        let tuning = self.plan.search(&mut |_, configuration| {
            interrupt::check()?;
            match self.variant(configuration) {
                Ok(variant) => place.attempt(&variant),
                Err(error) if error.kind() == ErrorKind::Spec => {
                    Ok(Err(Failure::new(FailureKind::DoesNotCompile, error)))
                }
                Err(error) => Err(error),
            }
        })?;
        drop(place);
        let best = tuning.best_attempt().expect("a search without one is an error");
        let mut record = Record::new(
            &self.plan.name,
            device::current()?.device().name(),
            self.plan.space.texts(best.number),
            tuning.time(),
        );
        (record.first, record.tried) = (tuning.first_time(), tuning.attempts.len());
        (record.exact, record.limits) = (exact, self.plan.limits(&tuning));
        if !tuning.is_interrupted {
            record::write(&known, &record);
        }
        Ok(self.tuned_kernel(&best.configuration)?.of(tuning))
    }

    /// Whether a variant that was found for other lengths or numbers is right for these, too: it may count on
    /// lengths that its tiles divide.
    fn still_works(&self, number: u64, place: &mut Place) -> Result<bool> {
        if self.expected.is_empty() {
            let first =
                (0..self.plan.space.size().unwrap_or(0).min(LISTED)).find(|k| self.plan.space.allows(*k));
            let Some(first) = first else { return Ok(false) };
            let Ok(first) = self.variant(&self.plan.space.configuration(first)) else { return Ok(false) };
            if place.attempt(&first)?.is_err() {
                return Ok(false);
            }
        }
        let Ok(variant) = self.variant(&self.plan.space.configuration(number)) else { return Ok(false) };
        Ok(place.attempt(&variant)?.is_ok())
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
        let device = device::current()?.device();
        let mut space = String::new();
        for (name, values) in self.plan.space.parameters() {
            let values: Vec<String> = values.iter().map(ToString::to_string).collect();
            space.push_str(&format!("{name}={}\n", values.join(",")));
        }
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
        Ok(record::name(&[
            self.plan.name.as_bytes(),
            self.text.text().as_bytes(),
            space.as_bytes(),
            sizes.as_bytes(),
            launches.as_bytes(),
            record::processor().as_bytes(),
            device.name().as_bytes(),
            device.detail().as_bytes(),
        ]))
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
    pub(crate) function: gpurepl_arrays::kernel::Function,
    pub(crate) grid: Dim3,
    pub(crate) block: Dim3,
    pub(crate) shared_memory: usize,
}

impl TunedKernel {
    fn of(self, tuning: Tuning) -> Tuned {
        Tuned { kernel: std::sync::Arc::new(self), tuning }
    }
}
