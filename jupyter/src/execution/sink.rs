//! Output of a cell, as messages to those who requested it.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use gpurepl_session::{
    COMM, CommAct, ControlKind, Diagnostic, INTERACTION, InputRequest, Interaction, MimeBundle, Progress,
    Severity, Sink, Stream, Upcoming,
};
use jupyter_protocol::{
    ClearOutput, DisplayData, ExecuteResult, ExecutionCount, Transient, UpdateDisplayData,
};
use serde_json::json;

use super::outlet::Outlet;
use super::progress;
use crate::channel::stdin::Asking;
use crate::comms::Comms;
use crate::log;
use crate::media::media;
use crate::message::Origin;
use crate::queue::Queue;
use crate::widgets::{VIEW, Widgets};

/// What all cells of a kernel share.
pub struct Common {
    /// The way out.
    pub outlet: Arc<Outlet>,
    /// What displays are named after: the numbers start again with each kernel,
    /// and a notebook outlives kernels.
    pub session: String,
    /// The controls that cells have shown.
    pub widgets: Arc<Mutex<Widgets>>,
    /// What cells and front ends say to each other.
    pub comms: Arc<Mutex<Comms>>,
    /// Who has sent each cell.
    pub origins: Mutex<BTreeMap<u64, Arc<Origin>>>,
}

/// How many cells may have threads whose output is kept apart.
const MOST_ORIGINS: usize = 4096;

impl Common {
    /// The name of a display, by its number.
    pub fn display_id(&self, number: impl std::fmt::Display) -> String {
        format!("gpurepl-{}-{number}", self.session)
    }

    /// Takes note of who has sent a cell.
    pub fn note_origin(&self, cell: u64, origin: &Arc<Origin>) {
        let mut origins = self.origins.lock().unwrap_or_else(PoisonError::into_inner);
        origins.insert(cell, Arc::clone(origin));
        while origins.len() > MOST_ORIGINS {
            origins.pop_first();
        }
    }

    fn origin_of(&self, cell: u64) -> Option<Arc<Origin>> {
        self.origins.lock().unwrap_or_else(PoisonError::into_inner).get(&cell).cloned()
    }
}

/// The ear of one cell, or of what runs between cells.
pub struct CellSink<'a> {
    common: &'a Common,
    origin: Arc<Origin>,
    /// The number that results are shown with; none if they are not shown.
    pub count: Option<u64>,
    /// Where to ask the user, if that is possible.
    pub asking: Option<&'a Asking>,
    /// Where the cell after it waits, if that is known.
    pub queue: Option<&'a Queue>,
    /// Documentation that is to be paged rather than shown.
    pub pages: Option<Vec<MimeBundle>>,
    /// Errors about the user's code; they are the failure's text.
    pub errors: Vec<Diagnostic>,
    /// The cell's value.
    pub result: Option<MimeBundle>,
    /// Whose message about a comm is answered, if that is what runs.
    pub told_by: Option<Arc<Origin>>,
    /// Whether the cell has begun to run: an error is then not a compile error.
    pub has_begun: bool,
    warnings: Vec<Diagnostic>,
    /// Titles of work whose progress is shown.
    works: HashSet<String>,
}

impl<'a> CellSink<'a> {
    /// An ear that shows no results and asks no questions.
    pub fn new(common: &'a Common, origin: &Arc<Origin>) -> CellSink<'a> {
        CellSink {
            common,
            origin: Arc::clone(origin),
            count: None,
            asking: None,
            queue: None,
            pages: None,
            errors: Vec::new(),
            result: None,
            told_by: None,
            has_begun: false,
            warnings: Vec::new(),
            works: HashSet::new(),
        }
    }

    /// Passes on what was held back.
    pub fn finish(&mut self) {
        self.show_warnings();
        self.common.outlet.flush();
    }

    fn show_warnings(&mut self) {
        for warning in std::mem::take(&mut self.warnings) {
            self.aside(&warning.render_with(&super::styles::RENDERER));
        }
    }

    fn aside(&self, text: &str) {
        self.common.outlet.write(&self.origin, Stream::Stderr, format!("{text}\n").as_bytes());
    }

    /// What a cell does with a comm, if that is what it shows.
    pub fn comm(&self, bundle: &MimeBundle) -> bool {
        self.comm_of(bundle, self.told_by.as_ref().unwrap_or(&self.origin))
    }

    fn comm_of(&self, bundle: &MimeBundle, origin: &Arc<Origin>) -> bool {
        let Some(text) = bundle.get(COMM) else { return false };
        let Some(act) = CommAct::from_text(text) else { return true };
        let said = self.common.comms.lock().unwrap_or_else(PoisonError::into_inner).act(act);
        match said {
            Ok(Some(message)) => self.common.outlet.publish(message, origin),
            Ok(None) => {}
            Err(problem) => {
                self.common.outlet.write(origin, Stream::Stderr, format!("comm: {problem}\n").as_bytes());
            }
        }
        true
    }

    /// A value with controls, which are opened, as what front ends show of it. Controls that nobody sees are a
    /// display of their own: without them a notebook that is opened again shows the figure.
    fn with_controls(&self, bundle: &MimeBundle) -> Option<(MimeBundle, Option<MimeBundle>)> {
        let interaction = Interaction::from_text(bundle.get(INTERACTION)?)?;
        let mut shown = bundle.clone();
        shown.0.remove(INTERACTION);
        let output = json!({ "output_type": "display_data", "data": media(&shown), "metadata": {} });
        let is_seen = interaction.controls.iter().all(|control| control.kind != ControlKind::View);
        // Of nothing nothing is shown below the controls.
        let outputs = if shown.0.is_empty() || !is_seen { Vec::new() } else { vec![output] };
        let (opening, view) = {
            let mut widgets = self.common.widgets.lock().unwrap_or_else(PoisonError::into_inner);
            widgets.open(&self.common.session, &interaction, outputs)
        };
        for message in opening {
            self.common.outlet.publish(message, &self.origin);
        }
        if shown.0.is_empty() {
            shown = MimeBundle::text("controls of a function");
        }
        if is_seen {
            return Some((shown.with(VIEW, view.to_string()), None));
        }
        let hidden = MimeBundle::text("").with("text/html", "<div></div>");
        Some((shown, Some(hidden.with(VIEW, view.to_string()))))
    }

    fn display_named(&self, name: Option<String>, bundle: &MimeBundle, origin: &Arc<Origin>) {
        let transient = Some(Transient { display_id: name });
        let content = DisplayData { data: media(bundle), transient, ..DisplayData::default() };
        self.common.outlet.publish(content, origin);
    }

    /// Who has sent a cell: what it shows appears there.
    fn origin_of(&self, cell: u64) -> Arc<Origin> {
        self.common.origin_of(cell).unwrap_or_else(|| Arc::clone(&self.origin))
    }

    fn update_named(&self, name: String, bundle: &MimeBundle) {
        // An output without any form would be an error to some front ends.
        let gone = MimeBundle::text("");
        let bundle = if bundle.0.is_empty() { &gone } else { bundle };
        let transient = Transient { display_id: Some(name) };
        let content = UpdateDisplayData { data: media(bundle), transient, ..UpdateDisplayData::default() };
        self.common.outlet.publish(content, &self.origin);
    }
}

impl Sink for CellSink<'_> {
    fn upcoming(&mut self) -> Option<Upcoming> {
        let source = self.queue.take()?.upcoming()?;
        Some(Upcoming { source, name: None, first_line: 1 })
    }

    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        self.common.outlet.write(&self.origin, stream, bytes);
    }

    fn output_of(&mut self, cell: u64, stream: Stream, bytes: &[u8]) {
        // It appears below the cell that has started the thread.
        self.common.outlet.write(&self.origin_of(cell), stream, bytes);
    }

    fn display(&mut self, bundle: &MimeBundle, is_result: bool) {
        if self.comm(bundle) {
            return;
        }
        // The value of a silent cell is not shown.
        let is_shown = !is_result || self.count.is_some();
        let controlled = if is_shown { self.with_controls(bundle) } else { None };
        let (controlled, aside) = controlled.unzip();
        let bundle = controlled.as_ref().unwrap_or(bundle);
        if is_result {
            self.result = Some(bundle.clone());
            let Some(count) = self.count else { return };
            let content = ExecuteResult {
                execution_count: execution_count(count),
                data: media(bundle),
                // Its absence is not a `null`.
                transient: Some(Transient::default()),
                ..ExecuteResult::default()
            };
            self.common.outlet.publish(content, &self.origin);
        } else if let Some(pages) = &mut self.pages {
            pages.push(bundle.clone());
        } else {
            self.display_named(None, bundle, &self.origin);
        }
        if let Some(aside) = aside.flatten() {
            self.display_named(None, &aside, &self.origin);
        }
    }

    fn display_by_id(&mut self, id: u64, bundle: &MimeBundle) {
        self.display_named(Some(self.common.display_id(id)), bundle, &self.origin);
    }

    fn display_of(&mut self, cell: u64, id: Option<u64>, bundle: &MimeBundle) {
        let origin = self.origin_of(cell);
        if !self.comm_of(bundle, &origin) {
            self.display_named(id.map(|id| self.common.display_id(id)), bundle, &origin);
        }
    }

    fn update_display(&mut self, id: u64, bundle: &MimeBundle) {
        self.update_named(self.common.display_id(id), bundle);
    }

    fn clear_output(&mut self, wait: bool) {
        self.common.outlet.publish(ClearOutput { wait }, &self.origin);
    }

    fn clear_output_of(&mut self, cell: u64, wait: bool) {
        self.common.outlet.publish(ClearOutput { wait }, &self.origin_of(cell));
    }

    fn input(&mut self, request: &InputRequest) -> Option<String> {
        let Some(asking) = self.asking else {
            self.common.outlet.flush();
            self.note("this front end cannot be asked: the cell's input is at its end");
            return None;
        };
        // A question that the cell has printed is taken back if no one has
        // seen it yet: it stands before the box for the answer.
        let is_whole = self.common.outlet.flush_without(if request.is_shown { &request.prompt } else { "" });
        let prompt = if request.is_shown && !is_whole { "" } else { request.prompt.as_str() };
        asking.ask(&self.origin, prompt, request.is_password)
    }

    fn begun(&mut self) {
        self.has_begun = true;
        self.show_warnings();
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic) {
        match diagnostic.severity {
            Severity::Error => self.errors.push(diagnostic.clone()),
            // They come while the cell compiles; failures are reported first.
            Severity::Warning => self.warnings.push(diagnostic.clone()),
        }
    }

    fn device(&mut self, id: &str, name: &str, rule: &str) {
        log::line(&format!("device: {name} ({id}), {rule}"));
    }

    fn no_device(&mut self, problem: &str) {
        self.note(&format!("no device: {problem}"));
    }

    fn note(&mut self, text: &str) {
        self.aside(&format!("note: {text}"));
    }

    fn times(&mut self, text: &str) {
        self.aside(text);
    }

    fn clear_screen(&mut self) {
        self.clear_output(false);
    }

    fn confirm(&mut self, question: &str) -> bool {
        let Some(asking) = self.asking else { return false };
        self.common.outlet.flush();
        let answer = asking.ask(&self.origin, &format!("{question} [y/N] "), false);
        answer.is_some_and(|answer| ["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
    }

    fn progress(&mut self, progress: &Progress) {
        let name = self.common.display_id(format_args!("{}-{}", self.origin.header.msg_id, progress.title));
        let bundle = progress::bundle(progress);
        if self.works.insert(progress.title.clone()) {
            self.display_named(Some(name), &bundle, &self.origin);
        } else {
            self.update_named(name, &bundle);
        }
    }
}

/// A count as messages have it.
pub fn execution_count(count: u64) -> ExecutionCount {
    ExecutionCount::new(usize::try_from(count).unwrap_or(usize::MAX))
}
