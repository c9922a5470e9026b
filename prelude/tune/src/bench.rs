//! The place where variants are tried: copies of the arguments, what is expected of them, and a clock.

use std::collections::HashMap;

use gpurepl_arrays::kernel::{Function, Given, IntoDim3 as _, SourceModule};
use gpurepl_device::{self as device, DeviceKind};
use gpurepl_extend::AnyArray;
use gpurepl_ground::Result;
use gpurepl_ground::error::Problem;

use crate::agreement::{Difference, difference, tolerance};
use crate::clock::Clock;
use crate::task::{Input, Task};
use crate::variant::{Failure, FailureKind, Measured, Outcome, Variant};

/// A task on a device.
pub struct Bench {
    task: Task,
    given: Vec<Given>,
    /// The results of the first variant that works, by the arguments' places.
    reference: HashMap<usize, Vec<u8>>,
    clock: Clock,
}

impl Bench {
    pub fn new(task: Task) -> Result<Bench> {
        let given = task.arguments.iter().map(Input::given).collect::<Result<_>>()?;
        Ok(Bench { task, given, reference: HashMap::new(), clock: Clock::new()? })
    }

    /// Compiles, checks and times a variant.
    ///
    /// # Errors
    ///
    /// The outer ones are the user's interrupt, and errors after which the device cannot be used; why the
    /// variant is left out is the inner one.
    pub fn attempt(&mut self, variant: &Variant) -> Result<Outcome> {
        let builder = SourceModule::builder(&variant.source);
        let builder = variant.options.iter().fold(builder, |builder, option| builder.option(option));
        let function = match builder.compile().and_then(|module| module.get_function(&variant.kernel)) {
            Ok(function) => function,
            Err(error) => return Failure::of(error).map(Err),
        };
        self.check_expected(&function, &function.parameter_names(), &function.writes())?;
        match self.try_function(&function, variant) {
            Ok(result) => Ok(result),
            Err(error) => Failure::of(error).map(Err),
        }
    }

    fn try_function(&mut self, function: &Function, variant: &Variant) -> Result<Outcome> {
        let (grid, block) = (variant.grid.into_dim3(), variant.block.into_dim3());
        let writes = function.writes();
        self.restore(&writes)?;
        function.launch_given(grid, block, variant.shared_memory, &self.given)?;
        device::synchronize()?;
        if let Err(failure) = self.check(function, &writes)? {
            return Ok(Err(failure));
        }
        let given = &self.given;
        let (seconds, runs) = self
            .clock
            .time(&mut || function.launch_given_timed(grid, block, variant.shared_memory, given))?;
        let is_gpu = device::current()?.device().kind() == DeviceKind::Cuda;
        Ok(Ok(Measured {
            seconds,
            runs,
            registers: function.num_regs().ok().filter(|_| is_gpu),
            spilled: function.local_size_bytes().ok().filter(|_| is_gpu),
            shared_memory: function.shared_size_bytes().ok().map(|bytes| bytes + variant.shared_memory),
        }))
    }

    /// Gives arrays that variants write the elements that they had at first.
    fn restore(&mut self, writes: &[bool]) -> Result<()> {
        for (k, argument) in self.task.arguments.iter().enumerate() {
            if writes.get(k) == Some(&true) && matches!(argument, Input::Array(_)) {
                self.given[k] = argument.given()?;
            }
        }
        Ok(())
    }

    /// Compares what was written with what is expected, or else with what the first variant wrote.
    fn check(&mut self, function: &Function, writes: &[bool]) -> Result<std::result::Result<(), Failure>> {
        let names = function.parameter_names();
        let mut first = HashMap::new();
        for (k, given) in self.given.iter().enumerate() {
            let (Given::Array(raw), Some(true)) = (given, writes.get(k)) else { continue };
            if names.get(k).is_some_and(|name| self.task.ignored.contains(name)) {
                continue;
            }
            let array = AnyArray::of_raw(raw.clone());
            let found = array.to_host()?;
            let expected = self.task.expected.iter().find(|(name, _)| Some(name) == names.get(k));
            let expected = match (expected, self.reference.get(&k)) {
                (Some((_, elements)), _) => &elements.bytes,
                (None, Some(bytes)) => bytes,
                (None, None) => {
                    first.insert(k, found);
                    continue;
                }
            };
            let allowed = self.task.tolerance.unwrap_or_else(|| tolerance(array.dtype()));
            if let Some(difference) = difference(array.dtype(), &found, expected, allowed) {
                let name = names.get(k).filter(|name| !name.is_empty()).map(|name| format!("`{name}`"));
                let name = name.unwrap_or_else(|| format!("argument {}", k + 1));
                return Ok(Err(Failure::new(FailureKind::IsWrong, words(&name, &difference))));
            }
        }
        // One that is wrong in a later array is nothing to compare with.
        self.reference.extend(first);
        Ok(Ok(()))
    }

    /// Refuses expectations, and arrays to be ignored, that are not among what the kernel writes.
    fn check_expected(&self, function: &Function, names: &[String], writes: &[bool]) -> Result<()> {
        let wrong = |message: String| -> Result<()> {
            let message = format!("`{}`: {message}", function.name());
            Err(Problem::Invalid { operation: "tune", message }.into())
        };
        let expected = self.task.expected.iter().map(|(name, elements)| (name, Some(elements)));
        for (name, elements) in expected.chain(self.task.ignored.iter().map(|name| (name, None))) {
            let place =
                names.iter().position(|known| known == name).filter(|k| writes.get(*k) == Some(&true));
            let Some(Given::Array(raw)) = place.and_then(|k| self.given.get(k)) else {
                let written = names.iter().zip(writes).filter(|(_, writes)| **writes);
                let written: Vec<String> = written.map(|(name, _)| format!("`{name}`")).collect();
                return wrong(format!(
                    "the kernel writes no array `{name}`\n  = help: name one of its parameters that are not `const`: {}",
                    written.join(", ")
                ));
            };
            let Some(elements) = elements else { continue };
            if (raw.dtype(), raw.shape().lengths()) != (elements.dtype(), &elements.shape[..]) {
                return wrong(format!(
                    "`{name}` is an array of {} and shape {:?}, and one of {} and shape {:?} is expected\n  = help: \
                     give `.expect(\"{name}\", ..)` what the array is to be after a run",
                    raw.dtype(),
                    raw.shape().lengths(),
                    elements.dtype(),
                    elements.shape
                ));
            }
        }
        Ok(())
    }
}

/// How results differ, in words.
pub fn words(name: &str, difference: &Difference) -> String {
    let Difference { count, place, found, expected } = difference;
    let elements = if *count == 1 { "element differs" } else { "elements differ" };
    format!("{name}: {count} {elements}, the first one at {place}: {found} for {expected}")
}
