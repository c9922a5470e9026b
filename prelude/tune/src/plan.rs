//! What all tuners have: a space, how it is searched, and when that ends.

use std::time::{Duration, Instant};

use gpurepl_arrays::kernel::KernelValue;
use gpurepl_display::Progress;
use gpurepl_ground::error::Problem;
use gpurepl_ground::streams::{channel, notice};
use gpurepl_ground::{Error, ErrorKind, Result, interrupt};
use gpurepl_wire::Frame;

use crate::record::Record;
use crate::report::{Attempt, Tuning};
use crate::space::{Configuration, LISTED, Space};
use crate::strategy::{DRAWS, Tried, TuningStrategy, search};
use crate::variant::Outcome;

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
        attempt: &mut dyn FnMut(&Configuration) -> Result<Outcome>,
    ) -> Result<Tuning> {
        let start = Instant::now();
        let listed = self.space.listed();
        let size =
            listed.as_ref().map_or_else(|| self.space.size().unwrap_or(u64::MAX), |all| all.len() as u64);
        let total = size.min(self.limit.map_or(u64::MAX, |limit| limit as u64));
        let progress = if total <= MOST { Progress::new(total as usize) } else { Progress::unbounded() };
        let progress = progress.message(&format!("tuning {}", self.name));
        let mut attempts: Vec<Attempt> = Vec::new();
        let (mut broken, mut is_cut, mut best) = (None, false, None);
        let budget = Duration::try_from_secs_f64(self.seconds).unwrap_or(Duration::MAX);
        search(self.strategy, &self.space, listed, &mut |number| {
            let is_over = self.limit.is_some_and(|limit| attempts.len() >= limit)
                // The first one is always tried.
                || (!attempts.is_empty() && start.elapsed() >= budget);
            if is_over {
                is_cut = true;
                return Tried::Stop;
            }
            let configuration = self.space.configuration(number);
            let result = match attempt(&configuration) {
                Ok(result) => result,
                Err(error) => {
                    broken = Some(error);
                    return Tried::Stop;
                }
            };
            let time = result.as_ref().ok().map(|measured| measured.seconds);
            attempts.push(Attempt { configuration, result });
            if let Some(time) = time
                && best.is_none_or(|best| time < best)
            {
                best = Some(time);
                progress.set_message(&format!("tuning {}: {}", self.name, crate::report::time(time)));
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
                notice(format!(
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
                kind.words_for(count)
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

fn is_identifier(name: &str) -> bool {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(is_start) && name.chars().all(|c| is_start(c) || c.is_ascii_digit())
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
            self.plan.work.0 = $crate::plan::amount(&bytes.into());
            self
        }

        /// How many floating-point operations a launch does: the report has them per second then.
        #[must_use]
        pub fn flops(mut self, operations: impl Into<gpurepl_arrays::kernel::KernelValue>) -> Self {
            self.plan.work.1 = $crate::plan::amount(&operations.into());
            self
        }
    };
}
pub(crate) use plan_methods;
