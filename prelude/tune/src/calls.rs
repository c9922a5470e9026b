//! A tuner of anything that can be called: kernels in Rust, several launches, a choice of algorithms.

use std::cell::RefCell;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use gpurepl_arrays::array::{Elem, GpuArray};
use gpurepl_device as device;
use gpurepl_extend::AnyArray;
use gpurepl_ground::{Error, Result, interrupt};

use crate::agreement::{difference, tolerance};
use crate::bench::words;
use crate::clock::Clock;
use crate::plan::{Plan, plan_methods};
use crate::record::{self, Record};
use crate::report::Tuning;
use crate::space::Configuration;
use crate::strategy::TuningStrategy;
use crate::task::Elements;

use crate::variant::{Failure, FailureKind, Measured, Outcome};

/// A run of a variant: the values that it is made with. It derefs to [`Configuration`].
pub struct Trial<'t> {
    configuration: &'t Configuration,
    tolerance: Option<f64>,
    /// None if this run is for the clock.
    checked: Option<RefCell<Checked<'t>>>,
}

/// What the first variant began with and came to.
#[derive(Default)]
struct First {
    arrays: Vec<Elements>,
    results: Vec<Vec<u8>>,
}

/// What was seen of a variant's own run.
struct Checked<'t> {
    first: &'t First,
    /// Those of this variant, if it is the first one.
    own: First,
    is_first: bool,
    arrays: usize,
    results: usize,
    failure: Option<Failure>,
}

impl Deref for Trial<'_> {
    type Target = Configuration;

    fn deref(&self) -> &Configuration {
        self.configuration
    }
}

impl Trial<'_> {
    /// Whether this run is for its results, and not for the clock: the first one of each variant is.
    pub fn is_check(&self) -> bool {
        self.checked.is_some()
    }

    /// Gives an array the elements that it had when the first variant came here, so that no variant finds what
    /// another one has left there. In runs for the clock it does nothing.
    ///
    /// # Errors
    ///
    /// If the device reports one.
    pub fn reset<T: Elem>(&self, array: &mut GpuArray<T>) -> Result<()> {
        let Some(checked) = &self.checked else { return Ok(()) };
        if let Some(elements) = Trial::elements(&AnyArray::of(array), checked)? {
            let elements = AnyArray::from_host(&elements.shape[..], T::DTYPE, &elements.bytes)?;
            *array = elements.typed::<T>()?;
        }
        Ok(())
    }

    /// The elements to be given to an array; none if they are what it has.
    fn elements(array: &AnyArray, checked: &RefCell<Checked<'_>>) -> Result<Option<Elements>> {
        let mut checked = checked.borrow_mut();
        let place = checked.arrays;
        checked.arrays += 1;
        if checked.is_first {
            checked.own.arrays.push(Elements::of(array)?);
            return Ok(None);
        }
        Ok(checked.first.arrays.get(place).filter(|known| known.dtype() == array.dtype()).cloned())
    }

    /// Compares a result with that of the first variant. In runs for the clock it evaluates it.
    ///
    /// # Errors
    ///
    /// If the device reports one. That the results differ is no error: the variant is left out.
    pub fn check<T: Elem>(&self, result: &GpuArray<T>) -> Result<()> {
        let result = AnyArray::of(result);
        match &self.checked {
            Some(checked) => self.compare(&result, checked),
            // An expression that nobody asks for would take no time.
            None => result.extent().map(drop),
        }
    }

    fn compare(&self, result: &AnyArray, checked: &RefCell<Checked<'_>>) -> Result<()> {
        let found = result.to_host()?;
        let mut checked = checked.borrow_mut();
        let place = checked.results;
        checked.results += 1;
        if checked.is_first {
            checked.own.results.push(found);
            return Ok(());
        }
        let Some(expected) = checked.first.results.get(place) else { return Ok(()) };
        let allowed = self.tolerance.unwrap_or_else(|| tolerance(result.dtype()));
        if let Some(difference) = difference(result.dtype(), &found, expected, allowed) {
            let message = words(&format!("result {}", place + 1), &difference);
            checked.failure.get_or_insert(Failure::new(FailureKind::IsWrong, message));
        }
        Ok(())
    }
}

/// A closure whose best values are to be found; [`tune_calls`] makes one.
pub struct CallTuner<F> {
    plan: Plan,
    call: F,
    key: Option<String>,
}

/// A tuner of a closure that launches kernels, in Rust or not, with the values of a [`Trial`]. What it
/// computes it shows by `v.check(&result)`, so that wrong variants are left out.
///
/// ```
/// use gpurepl_prelude::*;
/// let x = rand::<f32>(1 << 12);
/// let best = tune_calls("sum of squares", |v| {
///     let sum = match v.text("how").as_str() {
///         "fused" => (&x * &x).sum(),
///         _ => x.dot(&x),
///     };
///     v.check(&sum)
/// })
/// .parameter("how", ["fused", "dot"])
/// .run()?;
/// assert!(["fused", "dot"].contains(&best.best().text("how").as_str()));
/// # Ok::<(), Error>(())
/// ```
pub fn tune_calls<F: FnMut(&Trial<'_>) -> Result<()>>(name: &str, call: F) -> CallTuner<F> {
    CallTuner { plan: Plan::new(name), call, key: None }
}

impl<F: FnMut(&Trial<'_>) -> Result<()>> CallTuner<F> {
    plan_methods!();

    /// Keeps the best values on disk under this text and the tuner's name, and uses them at once the next time. A
    /// closure's own text is not known, so that without a key nothing is kept.
    #[must_use]
    pub fn key(mut self, text: &str) -> Self {
        self.key = Some(text.to_owned());
        self
    }

    /// Finds the best values. The closure is called with each variant once for its results, and then for the clock,
    /// which counts the device's time, from the first of its work to the last.
    ///
    /// # Errors
    ///
    /// As [`Tuner::run`](crate::Tuner::run).
    pub fn run(mut self) -> Result<Tuning> {
        run(&self.plan, self.key.as_deref(), &mut self.call)
    }
}

fn run(plan: &Plan, key: Option<&str>, call: &mut dyn FnMut(&Trial<'_>) -> Result<()>) -> Result<Tuning> {
    plan.check()?;
    let name = key.map(|key| record::name(plan, &["calls", key])).transpose()?;
    if let Some((record, number)) = name.as_deref().and_then(|name| record::find(name, plan)) {
        return Ok(Tuning::stored(plan, plan.space.configuration(number), &record));
    }
    let (mut clock, mut first) = (Clock::new()?, None);
    let tuning = plan.search(&mut |configuration| {
        interrupt::check()?;
        match attempt(plan, configuration, call, &mut first, &mut clock) {
            Ok(outcome) => Ok(outcome),
            Err(error) => Failure::of(error).map(Err),
        }
    })?;
    if let Some(name) = name {
        record::keep(&name, Record::of(plan, &tuning, String::new())?, &tuning);
    }
    Ok(tuning)
}

fn attempt(
    plan: &Plan,
    configuration: &Configuration,
    call: &mut dyn FnMut(&Trial<'_>) -> Result<()>,
    first: &mut Option<First>,
    clock: &mut Clock,
) -> Result<Outcome> {
    let nothing = First::default();
    let checked = Checked {
        first: first.as_ref().unwrap_or(&nothing),
        own: First::default(),
        is_first: first.is_none(),
        arrays: 0,
        results: 0,
        failure: None,
    };
    let trial = Trial { configuration, tolerance: plan.tolerance, checked: Some(RefCell::new(checked)) };
    caught(call, &trial).and_then(|()| device::synchronize())?;
    let checked = trial.checked.expect("this run is for the results").into_inner();
    if let Some(failure) = checked.failure {
        return Ok(Err(failure));
    }
    if !checked.is_first && checked.results != checked.first.results.len() {
        let message = format!(
            "it checks {} results, the first variant {}",
            checked.results,
            checked.first.results.len()
        );
        return Ok(Err(Failure::new(FailureKind::IsWrong, message)));
    }
    let (own, is_first) = (checked.own, checked.is_first);
    if is_first {
        *first = Some(own);
    }
    let trial = Trial { configuration, tolerance: plan.tolerance, checked: None };
    let (seconds, runs) = clock.time(&mut || {
        let (result, milliseconds) = device::timed(|| caught(call, &trial))?;
        result.map(|()| f64::from(milliseconds) / 1e3)
    })?;
    Ok(Ok(Measured { seconds, runs, ..Measured::default() }))
}

/// Calls a variant. An error that it raises, as the terse forms of arrays do, is its error; another panic goes on.
fn caught(call: &mut dyn FnMut(&Trial<'_>) -> Result<()>, trial: &Trial<'_>) -> Result<()> {
    // What the closure has changed by then is its user's, who sees the error in the report.
    match catch_unwind(AssertUnwindSafe(|| call(trial))) {
        Ok(result) => result,
        Err(payload) => match payload.downcast::<Error>() {
            Ok(error) => Err(*error),
            Err(payload) => resume_unwind(payload),
        },
    }
}
