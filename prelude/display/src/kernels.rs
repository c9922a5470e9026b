//! Kernels: their text with the numbers of its lines, and what they take of a
//! device.

use std::fmt::Write as _;

use gpurepl_wire::MimeBundle;

use super::card::Page;
use super::{Render, is_rich};
use crate::device::{Device, DeviceAttribute, DeviceKind};
use crate::error::Bytes;
use crate::kernel::{ElementwiseKernel, Function, LoadedModule, PreparedFunction, SourceModule};

/// Threads of the block that occupancy is reported for.
const BLOCK: usize = 256;

/// Lines of a source that are shown.
const MOST_LINES: usize = 60;

/// Something with a source.
struct Listing<'a> {
    title: String,
    place: String,
    facts: Vec<(&'static str, String)>,
    source: &'a str,
    /// The line to begin with, counted from zero, where not all are shown.
    first_line: usize,
}

impl Listing<'_> {
    /// The lines that are shown, by their numbers, and how many there are more.
    fn lines(&self) -> (Vec<(usize, &str)>, usize) {
        let all: Vec<(usize, &str)> =
            self.source.lines().enumerate().map(|(k, line)| (k + 1, line)).collect();
        // Empty lines at both ends come with the literal.
        let is_text = |line: &&(usize, &str)| !line.1.trim().is_empty();
        let last = all.iter().rposition(|line| is_text(&line)).map_or(0, |last| last + 1);
        let first = all.iter().position(|line| is_text(&line)).unwrap_or(last);
        let all = &all[first..last];
        let skipped = if all.len() > MOST_LINES { self.first_line.saturating_sub(first) } else { 0 };
        let shown: Vec<(usize, &str)> = all.iter().skip(skipped).take(MOST_LINES).copied().collect();
        let more = all.len() - shown.len();
        (shown, more)
    }

    fn bundle(&self) -> MimeBundle {
        let bundle = MimeBundle::text(self.text());
        if is_rich() { bundle.with("text/html", self.html()) } else { bundle }
    }

    fn text(&self) -> String {
        let mut text = format!("{} on {}", self.title, self.place);
        for (name, value) in &self.facts {
            let _ = write!(text, "\n{name}: {value}");
        }
        let (lines, more) = self.lines();
        let width = lines.last().map_or(1, |(number, _)| number.to_string().len());
        for (number, line) in lines {
            let _ = write!(text, "\n{}", format!("{number:>width$} | {line}").trim_end());
        }
        if more > 0 {
            let _ = write!(text, "\n{:>width$} | ... {more} more lines", "");
        }
        text
    }

    fn html(&self) -> String {
        let mut page = Page::new();
        page.open("div", "gr-head");
        page.text("b", "", &self.title);
        page.text("span", "gr-place", &self.place);
        page.close("div");
        page.open("div", "gr-figures");
        for (name, value) in &self.facts {
            page.open("span", "");
            page.text("span", "gr-dim", name);
            page.raw(" ");
            page.text("span", "gr-number", value);
            page.close("span");
        }
        page.close("div");
        let (lines, more) = self.lines();
        if !lines.is_empty() {
            page.open("div", "gr-body");
            page.source(lines);
            if more > 0 {
                page.text("span", "gr-dim", &format!("... {more} more lines"));
            }
            page.close("div");
        }
        page.finish()
    }
}

/// What a kernel takes, as far as its device can tell.
fn demands(function: &Function, device: Device) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if device.kind() == DeviceKind::Host {
        // Nobody counts registers there.
        facts.push(("compiled by", device.detail().to_owned()));
    } else if let Ok(registers) = function.num_regs() {
        facts.push(("registers", registers.to_string()));
    }
    if let Ok(bytes) = function.shared_size_bytes() {
        facts.push(("shared memory", Bytes(bytes as u64).to_string()));
    }
    if let Ok(bytes @ 1..) = function.local_size_bytes() {
        facts.push(("local memory", Bytes(bytes as u64).to_string()));
    }
    facts.push(("threads per block", format!("at most {}", function.max_threads_per_block())));
    if device.kind() == DeviceKind::Cuda
        && let Ok(blocks) = function.max_active_blocks_per_multiprocessor(BLOCK, 0)
        && let Ok(threads) = device.attribute(DeviceAttribute::MaxThreadsPerMultiprocessor)
        && threads > 0
    {
        let share = 100.0 * (blocks * BLOCK) as f64 / threads as f64;
        facts.push(("occupancy", format!("{share:.0} % in blocks of {BLOCK}")));
    }
    facts
}

/// The line of a place in a text, counted from zero.
fn line_of(source: &str, place: usize) -> usize {
    source.get(..place).map_or(0, |before| before.matches('\n').count())
}

impl Render for Function {
    fn render(&self) -> MimeBundle {
        let device = self.device();
        let source = self.source();
        Listing {
            title: self.signature_text(),
            place: device.id().to_owned(),
            facts: demands(self, device),
            source,
            first_line: line_of(source, self.place_in_source()),
        }
        .bundle()
    }
}

impl Render for PreparedFunction {
    fn render(&self) -> MimeBundle {
        MimeBundle::text(format!("{self:?}"))
    }
}

impl Render for SourceModule {
    fn render(&self) -> MimeBundle {
        let names = self.signatures();
        let title =
            format!("SourceModule with {} kernel{}", names.len(), if names.len() == 1 { "" } else { "s" });
        let facts = names.into_iter().map(|name| ("kernel", name)).collect();
        let place = self.device().id().to_owned();
        Listing { title, place, facts, source: self.source(), first_line: 0 }.bundle()
    }
}

impl Render for LoadedModule {
    fn render(&self) -> MimeBundle {
        MimeBundle::text(format!("{self:?}"))
    }
}

impl Render for ElementwiseKernel {
    fn render(&self) -> MimeBundle {
        let text = format!("{self:?}");
        let bundle = MimeBundle::text(text.clone());
        let (true, Ok(source)) = (is_rich(), self.source()) else { return bundle };
        let place = Device::current().map_or(String::new(), |device| device.id().to_owned());
        let listing = Listing { title: text, place, facts: Vec::new(), source: &source, first_line: 0 };
        bundle.with("text/html", listing.html())
    }
}
