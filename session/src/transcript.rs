//! What a session's cells were, and what became of them: `:save` writes it.

use gpurepl_wire::{Display, MimeBundle};

/// A cell that was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number.
    pub number: u64,
    /// Its text as the user wrote it, magics included.
    pub source: String,
    /// Whether it ran to its end.
    pub is_done: bool,
    /// What it displayed on its way, in order.
    pub displays: Vec<MimeBundle>,
    /// Its value as it was shown, if it had one.
    pub result: Option<MimeBundle>,
}

impl Entry {
    /// A cell with what was shown while it ran.
    pub(crate) fn new(number: u64, source: &str, is_done: bool, shown: Vec<Display>) -> Entry {
        let (results, displays): (Vec<Display>, Vec<Display>) =
            shown.into_iter().partition(|display| display.is_result);
        Entry {
            number,
            source: source.to_owned(),
            is_done,
            displays: displays.into_iter().map(|display| display.bundle).collect(),
            result: results.into_iter().next_back().map(|display| display.bundle),
        }
    }
}
