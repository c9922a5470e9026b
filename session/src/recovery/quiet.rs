//! A replay says nothing that has been said before.

use crate::engine::Interrupter;
use crate::output::{Progress, Sink};

/// Passes on what is news: the device, progress, and what is said about an
/// interrupt that goes unheard. What cells print and show is left out.
pub(crate) struct Quiet<'a> {
    sink: &'a mut dyn Sink,
    interrupter: Interrupter,
}

impl<'a> Quiet<'a> {
    pub(crate) fn new(sink: &'a mut dyn Sink, interrupter: Interrupter) -> Quiet<'a> {
        Quiet { sink, interrupter }
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

    fn progress(&mut self, progress: &Progress) {
        self.sink.progress(progress);
    }
}
