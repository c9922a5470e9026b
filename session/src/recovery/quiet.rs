//! A replay says nothing that has been said before.

use std::collections::VecDeque;

use crate::interrupt::Interrupter;
use crate::output::{InputRequest, Progress, Sink};

/// Passes on what is news: the device, progress, and what is said about an
/// interrupt that goes unheard. What cells print and show is left out, and what
/// they ask is answered as it was.
pub(crate) struct Quiet<'a> {
    sink: &'a mut dyn Sink,
    interrupter: Interrupter,
    /// What the cell was answered when it ran first.
    answers: VecDeque<String>,
}

impl<'a> Quiet<'a> {
    pub(crate) fn new(sink: &'a mut dyn Sink, interrupter: Interrupter, answers: &[String]) -> Quiet<'a> {
        Quiet { sink, interrupter, answers: answers.iter().cloned().collect() }
    }
}

impl Sink for Quiet<'_> {
    fn device(&mut self, id: &str, name: &str, rule: &str) {
        self.sink.device(id, name, rule);
    }

    fn no_device(&mut self, problem: &str) {
        self.sink.no_device(problem);
    }

    fn note(&mut self, text: &str) {
        if self.interrupter.was_asked() {
            self.sink.note(text);
        }
    }

    fn input(&mut self, _: &InputRequest) -> Option<String> {
        self.answers.pop_front()
    }

    fn progress(&mut self, progress: &Progress) {
        self.sink.progress(progress);
    }
}
