//! What a search has found.

use std::fmt::{self, Write as _};

use gpurepl_arrays::kernel::{Dim3, Function, KernelArgs, SourceModule};
use gpurepl_display::{Render, Table, escape, is_rich};
use gpurepl_ground::Result;
use gpurepl_plot::{Figure, subplots};
use gpurepl_wire::MimeBundle;

use crate::plan::Plan;
use crate::record::Record;
use crate::space::Configuration;
use crate::tuner::TunedKernel;
use crate::variant::{FailureKind, Measured, Outcome};

/// A variant that was tried.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// Its values.
    pub configuration: Configuration,
    /// What it takes, or why it was left out.
    pub result: Outcome,
}

/// The variants of a search, and the best one. It is shown as a table, and in a notebook with a
/// plot of the times over each parameter.
#[derive(Clone)]
pub struct Tuning {
    pub(crate) kernel: String,
    /// The parameters and the texts of their values, as they were given.
    pub(crate) parameters: Vec<(String, Vec<String>)>,
    pub(crate) attempts: Vec<Attempt>,
    /// How many combinations the space has.
    pub(crate) size: u64,
    pub(crate) seconds: f64,
    /// Whether the time was over, or as many tried as were allowed, before all were.
    pub(crate) is_cut: bool,
    pub(crate) is_interrupted: bool,
    pub(crate) is_stored: bool,
    pub(crate) work: (f64, f64),
}

/// What a column of the table says of a variant.
type Fact<'f> = Box<dyn Fn(&Measured) -> Option<String> + 'f>;

/// Variants that are shown.
const SHOWN: usize = 10;

impl Tuning {
    pub(crate) fn stored(plan: &Plan, configuration: Configuration, record: &Record) -> Tuning {
        let measured = Measured { seconds: record.best.seconds, ..Measured::default() };
        Tuning {
            kernel: plan.name.clone(),
            parameters: plan.space.names(),
            attempts: vec![Attempt { configuration, result: Ok(measured) }],
            size: plan.space.size().unwrap_or(u64::MAX),
            seconds: 0.0,
            is_cut: false,
            is_interrupted: false,
            is_stored: true,
            work: plan.work,
        }
    }

    pub(crate) fn best_attempt(&self) -> Option<&Attempt> {
        let works =
            self.attempts.iter().filter_map(|attempt| Some((attempt, attempt.result.as_ref().ok()?.seconds)));
        works.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(attempt, _)| attempt)
    }

    /// The values of the best variant.
    pub fn best(&self) -> &Configuration {
        &self.best_attempt().expect("a search without a best variant is an error").configuration
    }

    /// The time of the best variant, in seconds.
    pub fn time(&self) -> f64 {
        let best = self.best_attempt().and_then(|attempt| attempt.result.as_ref().ok());
        best.map_or(f64::NAN, |measured| measured.seconds)
    }

    /// The time of the first variant, which has the first value of each parameter if that is allowed; none if it does
    /// not work, or nothing was tried.
    pub fn first_time(&self) -> Option<f64> {
        let first = self.attempts.first().filter(|_| !self.is_stored)?;
        first.result.as_ref().ok().map(|measured| measured.seconds)
    }

    /// All variants that were tried, in that order. One that was found at an earlier time is alone.
    pub fn attempts(&self) -> &[Attempt] {
        &self.attempts
    }

    /// Whether the best variant was known from an earlier time, and nothing was tried.
    pub fn is_stored(&self) -> bool {
        self.is_stored
    }

    /// Whether the user has ended the search.
    pub fn is_interrupted(&self) -> bool {
        self.is_interrupted
    }

    /// How many variants were left out, by the reason.
    pub fn failures(&self) -> Vec<(FailureKind, usize)> {
        let mut failures: Vec<(FailureKind, usize)> = Vec::new();
        for failure in self.attempts.iter().filter_map(|attempt| attempt.result.as_ref().err()) {
            match failures.iter_mut().find(|(kind, _)| *kind == failure.kind) {
                Some((_, count)) => *count += 1,
                None => failures.push((failure.kind, 1)),
            }
        }
        failures.sort();
        failures
    }

    /// Variants that work, the fastest first.
    fn ranked(&self) -> Vec<(&Attempt, &Measured)> {
        let works = self.attempts.iter().filter_map(|attempt| Some((attempt, attempt.result.as_ref().ok()?)));
        let mut ranked: Vec<_> = works.collect();
        ranked.sort_by(|a, b| a.1.seconds.total_cmp(&b.1.seconds));
        ranked
    }

    /// The fastest variants with their times: a table.
    pub fn table(&self) -> Table {
        self.table_of(usize::MAX)
    }

    fn table_of(&self, count: usize) -> Table {
        let ranked = self.ranked();
        let rows = || ranked.iter().take(count);
        let mut columns: Vec<(String, Vec<String>)> = Vec::new();
        for (name, _) in &self.parameters {
            columns
                .push((name.clone(), rows().map(|(attempt, _)| attempt.configuration.text(name)).collect()));
        }
        columns.push(("time".to_owned(), rows().map(|(_, measured)| time(measured.seconds)).collect()));
        let mut facts: Vec<(&str, Fact<'_>)> = Vec::new();
        let (bytes, flops) = self.work;
        if bytes > 0.0 {
            facts.push(("GB/s", Box::new(move |m| Some(rate(bytes / m.seconds)))));
        }
        if flops > 0.0 {
            facts.push(("GFLOP/s", Box::new(move |m| Some(rate(flops / m.seconds)))));
        }
        facts.push(("registers", Box::new(|m| m.registers.map(|count| count.to_string()))));
        facts.push((
            "spilled",
            Box::new(|m| m.spilled.filter(|bytes| *bytes > 0).map(|bytes| format!("{bytes} B"))),
        ));
        for (name, fact) in facts {
            let cells: Vec<Option<String>> = rows().map(|(_, measured)| fact(measured)).collect();
            if cells.iter().any(Option::is_some) {
                columns.push((name.to_owned(), cells.into_iter().map(Option::unwrap_or_default).collect()));
            }
        }
        Table::of_texts(columns)
    }

    /// The times of all variants over each parameter, a picture for each with more than one value.
    pub fn plot(&self) -> gpurepl_plot::Subplots {
        let names: Vec<&String> = self
            .parameters
            .iter()
            .map(|(name, _)| name)
            .filter(|name| self.values_of(name).len() > 1)
            .collect();
        let columns = names.len().clamp(1, 3);
        let axes = subplots(names.len().max(1).div_ceil(columns), columns);
        for (k, name) in names.iter().enumerate() {
            self.plot_of(name, &axes[k]);
        }
        axes
    }

    /// The values of a parameter that variants that work have, in their order.
    fn values_of(&self, name: &str) -> Vec<String> {
        let ranked = self.ranked();
        let is_there =
            |value: &&String| ranked.iter().any(|(attempt, _)| attempt.configuration.text(name) == **value);
        let known = self.parameters.iter().find(|(known, _)| known == name);
        known.map_or(Vec::new(), |(_, values)| values.iter().filter(is_there).cloned().collect())
    }

    fn plot_of(&self, name: &str, axes: &Figure) {
        let values = self.values_of(name);
        let unit = unit_of(self.time());
        let mut points: (Vec<f64>, Vec<f64>) = Default::default();
        let mut best: Vec<f64> = vec![f64::NAN; values.len()];
        for (attempt, measured) in self.ranked() {
            let text = attempt.configuration.text(name);
            let Some(place) = values.iter().position(|value| *value == text) else { continue };
            let time = measured.seconds * unit.1;
            points.0.push(place as f64);
            points.1.push(time);
            best[place] = best[place].min(time);
        }
        let places: Vec<f64> = (0..values.len()).map(|place| place as f64).collect();
        axes.semilogy((&points.0, &points.1))
            .linestyle("")
            .marker(".")
            .plot((&places, &best))
            .xticks((&places, &values))
            .xlabel(name)
            .ylabel(format!("time ({})", unit.0));
    }

    /// What was found, in a few lines.
    fn summary(&self) -> String {
        let best = self.best();
        let mut text = format!("{}: {best}: {}", self.kernel, time(self.time()));
        let (bytes, flops) = self.work;
        if bytes > 0.0 {
            let _ = write!(text, ", {} GB/s", rate(bytes / self.time()));
        }
        if flops > 0.0 {
            let _ = write!(text, ", {} GFLOP/s", rate(flops / self.time()));
        }
        if self.is_stored {
            text.push_str("\nknown from an earlier search; `.again()` searches again");
            return text;
        }
        if let Some(first) = self.first_time() {
            let _ = write!(
                text,
                "\n{:.2} times as fast as the first variant, {}",
                first / self.time(),
                time(first)
            );
        }
        let count = self.attempts.len();
        let variants = if count == 1 { "variant" } else { "variants" };
        let _ = write!(text, "\n{count} {variants} of {} tried in {:.1} s", self.size, self.seconds);
        if self.is_interrupted {
            text.push_str(", until the interrupt");
        } else if self.is_cut {
            text.push_str(", as far as the limit allowed");
        }
        for (kind, count) in self.failures() {
            let mut of_kind = self.attempts.iter().filter_map(|attempt| {
                let failure = attempt.result.as_ref().err().filter(|failure| failure.kind == kind)?;
                Some((&attempt.configuration, failure))
            });
            if let Some((configuration, failure)) = of_kind.next() {
                let line = failure.first_line();
                let _ = write!(text, "\n{count} {}, such as {configuration}: {line}", kind.words_for(count));
            }
        }
        text
    }
}

/// A unit of time for such a time, and how many there are in a second.
fn unit_of(seconds: f64) -> (&'static str, f64) {
    match seconds {
        s if s < 1e-3 => ("us", 1e6),
        s if s < 1.0 => ("ms", 1e3),
        _ => ("s", 1.0),
    }
}

/// Billions of something in a second.
fn rate(of: f64) -> String {
    three_digits(of / 1e9)
}

/// A time with its unit.
pub fn time(seconds: f64) -> String {
    let (unit, factor) = unit_of(seconds);
    format!("{} {unit}", three_digits(seconds * factor))
}

fn three_digits(value: f64) -> String {
    let decimals = match value {
        v if v < 10.0 => 2,
        v if v < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

impl fmt::Display for Tuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary())?;
        if !self.is_stored && self.ranked().len() > 1 {
            write!(f, "\n{}", self.table_of(SHOWN).to_string().trim_end())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Tuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Render for Tuning {
    fn render(&self) -> MimeBundle {
        let bundle = MimeBundle::text(self.to_string());
        if !is_rich() || self.is_stored || self.ranked().len() < 2 {
            return bundle;
        }
        let mut html = format!("<pre>{}</pre>", escape(&self.summary()));
        html.push_str(&self.table_of(SHOWN).to_html());
        if let Ok(picture) = self.plot().to_svg() {
            html.push_str(&picture);
        }
        bundle.with("text/html", html)
    }
}

/// The best variant of a kernel, ready to be launched, and how it was found.
#[derive(Clone)]
pub struct Tuned {
    pub(crate) kernel: std::sync::Arc<TunedKernel>,
    pub(crate) tuning: Tuning,
}

impl Tuned {
    /// Runs the best variant with its grid and block.
    ///
    /// # Errors
    ///
    /// As [`Function::launch`].
    pub fn launch<'a>(&self, arguments: impl KernelArgs<'a>) -> Result<()> {
        let TunedKernel { function, grid, block, shared_memory, .. } = &*self.kernel;
        function.launch_shared(*grid, *block, *shared_memory, arguments)
    }

    /// The best variant's kernel.
    pub fn function(&self) -> Function {
        self.kernel.function.clone()
    }

    /// The module of the best variant's kernel; its [`source`](SourceModule::source) is the text that
    /// was compiled.
    pub fn module(&self) -> SourceModule {
        self.kernel.module.clone()
    }

    /// The best variant's grid, in blocks.
    pub fn grid(&self) -> Dim3 {
        self.kernel.grid
    }

    /// The best variant's block, in threads.
    pub fn block(&self) -> Dim3 {
        self.kernel.block
    }

    /// How it was found.
    pub fn tuning(&self) -> &Tuning {
        &self.tuning
    }
}

impl std::ops::Deref for Tuned {
    type Target = Tuning;

    fn deref(&self) -> &Tuning {
        &self.tuning
    }
}

impl fmt::Display for Tuned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.tuning, f)
    }
}

impl fmt::Debug for Tuned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.tuning, f)
    }
}

impl Render for Tuned {
    fn render(&self) -> MimeBundle {
        self.tuning.render()
    }
}
