//! What a session reports to its front end while it works.

use gpurepl_wire::MimeBundle;

use crate::diagnostic::Diagnostic;

/// Where output came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Stream {
    Stdout,
    Stderr,
}

/// How far long work has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What the work is.
    pub title: String,
    /// Steps done.
    pub done: usize,
    /// Steps in all.
    pub total: usize,
    /// What the last step was about.
    pub item: String,
}

/// A line that a cell wants from the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputRequest {
    /// The question: what the cell asks, or what it has printed on the line
    /// that it is on.
    pub prompt: String,
    /// Whether the question is output that has been shown already.
    pub is_shown: bool,
    /// Whether what is typed is not to be seen.
    pub is_password: bool,
}

/// A cell that is to be evaluated after the one that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upcoming {
    /// Its text.
    pub source: String,
    /// What it is called in messages; none for `cell 3`.
    pub name: Option<String>,
    /// The line that it starts on, where it is part of a script.
    pub first_line: usize,
}

/// A front end's ear. Every method has a body that does nothing, so that a
/// front end, or a test, hears what it wants to.
pub trait Sink {
    /// User code has printed these bytes, which may be any.
    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        let _ = (stream, bytes);
    }

    /// A thread of an earlier cell has printed this, for which it may be the
    /// wrong time.
    fn output_of(&mut self, cell: u64, stream: Stream, bytes: &[u8]) {
        let _ = cell;
        self.output(stream, bytes);
    }

    /// A value to show: the cell's own, or one displayed on the way.
    fn display(&mut self, bundle: &MimeBundle, is_result: bool) {
        let _ = (bundle, is_result);
    }

    /// A value to show that may be replaced later: the number is no other
    /// display's of the session.
    fn display_by_id(&mut self, id: u64, bundle: &MimeBundle) {
        let _ = id;
        self.display(bundle, false);
    }

    /// A thread of an earlier cell shows a value, with a number if it may be
    /// replaced.
    fn display_of(&mut self, cell: u64, id: Option<u64>, bundle: &MimeBundle) {
        let _ = cell;
        match id {
            Some(id) => self.display_by_id(id, bundle),
            None => self.display(bundle, false),
        }
    }

    /// Another value for a display, or none if the bundle is empty.
    fn update_display(&mut self, id: u64, bundle: &MimeBundle) {
        let _ = (id, bundle);
    }

    /// What the cell has shown and printed is to be removed: with `wait` when
    /// something else comes.
    fn clear_output(&mut self, wait: bool) {
        let _ = wait;
    }

    /// What an earlier cell has shown and printed is to be removed, if it can
    /// be told from what others have.
    fn clear_output_of(&mut self, cell: u64, wait: bool) {
        let _ = (cell, wait);
    }

    /// A cell wants a line from the user, without its end; none is the end of
    /// the input. A front end whose user interrupts instead says so to the
    /// [`Interrupter`](crate::Interrupter) and returns none.
    fn input(&mut self, request: &InputRequest) -> Option<String> {
        let _ = request;
        None
    }

    /// A cell begins to run.
    fn begun(&mut self) {}

    /// What is to be evaluated after the cell that runs, if it is known already: it may be compiled meanwhile.
    /// It need not come true.
    fn upcoming(&mut self) -> Option<Upcoming> {
        None
    }

    /// A cell has ended: what was held back because it could change is to be
    /// shown.
    fn settled(&mut self) {}

    /// An error or a warning about the user's code.
    fn diagnostic(&mut self, diagnostic: &Diagnostic) {
        let _ = diagnostic;
    }

    /// The worker has chosen its device: its id and name, and the rule.
    fn device(&mut self, id: &str, name: &str, rule: &str) {
        let _ = (id, name, rule);
    }

    /// There is no device that cells could use; they fail when they do.
    fn no_device(&mut self, problem: &str) {
        let _ = problem;
    }

    /// Something worth a line that is neither output nor an error.
    fn note(&mut self, text: &str) {
        let _ = text;
    }

    /// Something that only later cells can notice: a variable that they will
    /// not have.
    fn note_for_later(&mut self, text: &str) {
        self.note(text);
    }

    /// Where a cell's time went, in a line: the user has requested it.
    fn times(&mut self, text: &str) {
        self.note(text);
    }

    /// The user wants an empty screen, if there is one.
    fn clear_screen(&mut self) {}

    /// A cell has ended the worker with an exit status; these variables are
    /// lost with it. Returns whether the session goes on: then it may bring
    /// variables back.
    fn exited(&mut self, status: i32, lost: &[String]) -> bool {
        let mut text = format!("the cell has ended its process with status {status}");
        if !lost.is_empty() {
            text = format!("{text}; lost with it: {}", lost.join(", "));
        }
        self.note(&text);
        true
    }

    /// Asks the user a question that is answered by yes or no. Where nobody
    /// can be asked it is no.
    fn confirm(&mut self, question: &str) -> bool {
        let _ = question;
        false
    }

    /// Long work goes on, or has ended when `done` is `total`.
    fn progress(&mut self, progress: &Progress) {
        let _ = progress;
    }
}

/// A sink that hears nothing.
#[derive(Debug, Default)]
pub struct Deaf;

impl Sink for Deaf {}
