//! What a session tells its front end while it works.

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

/// A front end's ear. Every method has a body that does nothing, so that a
/// front end, or a test, hears what it wants to.
pub trait Sink {
    /// User code has printed these bytes, which may be any.
    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        let _ = (stream, bytes);
    }

    /// A value to show: the cell's own, or one displayed on the way.
    fn display(&mut self, bundle: &MimeBundle, is_result: bool) {
        let _ = (bundle, is_result);
    }

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

    /// Where a cell's time went, in a line: the user has asked for it.
    fn times(&mut self, text: &str) {
        self.note(text);
    }

    /// The user wants an empty screen, if there is one.
    fn clear_screen(&mut self) {}

    /// A cell has ended the worker with an exit status; these variables are
    /// lost with it.
    fn exited(&mut self, status: i32, lost: &[String]) {
        let mut text = format!("the cell has ended its process with status {status}");
        if !lost.is_empty() {
            text = format!("{text}; lost with it: {}", lost.join(", "));
        }
        self.note(&text);
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
