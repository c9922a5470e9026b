//! What was done to a worker, in order: enough to do it again.

use std::path::PathBuf;
use std::time::Duration;

use gpurepl_wire::{Command as Order, Lines, Question, RandomState};

use crate::worker::Settings;

/// What a session has had its worker do.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    /// What the first cell found around it.
    before: Settings,
    entries: Vec<Entry>,
}

/// One thing that a worker has done.
#[derive(Debug)]
pub(crate) enum Entry {
    /// A cell was loaded, and most often run.
    Cell(Box<Recorded>),
    /// Variables were dropped.
    Forget(Forgotten),
    /// The folder or the environment of cells was changed.
    Setting(Question),
}

/// A cell that has been loaded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorded {
    /// Its number.
    pub(crate) cell: u64,
    pub(crate) title: String,
    /// The linked object, which lasts as long as the session.
    pub(crate) library: PathBuf,
    pub(crate) function: String,
    pub(crate) fingerprints: Vec<(String, u64)>,
    pub(crate) lines: Lines,
    /// Whether its kernels and copies were measured.
    pub(crate) is_timed: bool,
    /// Whether its value was kept.
    pub(crate) keeps_result: bool,
    /// Whether its values were wanted in HTML too.
    pub(crate) is_rich: bool,
    /// Where the sequence of random arrays stood at its start; not known before
    /// it has run.
    pub(crate) random: Option<RandomState>,
    /// The variables that it has put.
    pub(crate) put: Vec<String>,
    /// The older variables that it mentions.
    pub(crate) taken: Vec<String>,
    /// Those among them that it may have changed, and that were there
    /// afterwards.
    pub(crate) changed: Vec<String>,
    /// The lines that it was given when it asked for input.
    pub(crate) answers: Vec<String>,
    /// How long it ran.
    pub(crate) time: Duration,
    /// What stands for its value in lists of names, `Out[3]`, if that is kept.
    pub(crate) result: Option<String>,
    /// Whether it failed and has put variables, before that or on its way: that
    /// it fails again is not news.
    pub(crate) has_failed: bool,
    /// Whether it failed or returned on its way, and variables were kept that
    /// it had bound by then.
    pub(crate) is_cut_short: bool,
    /// The ranks that ran it, of several workers; all if none.
    pub(crate) ranks: Option<Vec<usize>>,
    pub(crate) how: How,
}

/// What a replay does with a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum How {
    /// It is run.
    #[default]
    Run,
    /// It is loaded, for its statics; what it is, as `failed`.
    Load(String),
    /// Nothing: not even loading it goes well.
    Nothing(String),
}

/// Variables that were dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Forgotten {
    pub(crate) names: Vec<String>,
    /// A destructor has ended the worker: from now on they are let go of
    /// without one.
    pub(crate) is_fatal: bool,
}

impl Recorded {
    /// The order that runs the cell, also again.
    pub(crate) fn order(&self) -> Order {
        Order::Run {
            cell: self.cell,
            title: self.title.clone(),
            library: self.library.clone(),
            function: self.function.clone(),
            fingerprints: self.fingerprints.clone(),
            lines: self.lines.clone(),
            keeps_result: self.keeps_result,
            is_timed: self.is_timed,
            is_rich: self.is_rich,
            random: self.random,
            ranks: self.ranks.clone(),
        }
    }
}

/// What stands for the value of a cell in lists of names.
pub(crate) fn result_name(cell: u64) -> String {
    format!("Out[{cell}]")
}

impl Journal {
    /// A journal whose first cell finds this around it.
    pub(crate) fn beginning(before: Settings) -> Journal {
        Journal { before, entries: Vec::new() }
    }

    /// What a worker that replays all of this is started with.
    pub(crate) fn before(&self) -> &Settings {
        &self.before
    }

    /// What a worker that replays nothing is started with.
    pub(crate) fn now(&self) -> Settings {
        let mut settings = self.before.clone();
        self.settings().for_each(|change| settings.apply(change));
        settings
    }

    /// The changes of folder and environment.
    pub(crate) fn settings(&self) -> impl Iterator<Item = &Question> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Setting(change) => Some(change),
            Entry::Cell(_) | Entry::Forget(_) => None,
        })
    }

    /// Notes what the worker has done.
    pub(crate) fn push(&mut self, entry: Entry) {
        self.entries.push(entry);
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The cells that a replay would run.
    pub(crate) fn runs(&self) -> impl Iterator<Item = &Recorded> {
        self.cells().filter(|recorded| recorded.how == How::Run)
    }

    fn cells(&self) -> impl Iterator<Item = &Recorded> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Cell(recorded) => Some(&**recorded),
            Entry::Forget(_) | Entry::Setting(_) => None,
        })
    }

    /// The cells whose users have marked them not to be replayed.
    pub(crate) fn marked(&self) -> Vec<u64> {
        let is_marked = |recorded: &&Recorded| matches!(&recorded.how, How::Load(what) if what == MARKED);
        self.cells().filter(is_marked).map(|recorded| recorded.cell).collect()
    }

    /// Nothing that was done matters any more: the objects are removed.
    pub(crate) fn clear(&mut self) {
        for recorded in self.cells() {
            let _ = std::fs::remove_file(&recorded.library);
        }
        // The folder and the environment stay what they have become.
        self.before = self.now();
        self.entries.clear();
    }

    /// An entry has ended the worker in a replay: the next one does less of it.
    pub(crate) fn note_crash(&mut self, number: usize, cause: &str) {
        match self.entries.get_mut(number) {
            Some(Entry::Cell(recorded)) => {
                recorded.how = match &recorded.how {
                    How::Run => How::Load(format!("ended the worker when it was replayed: {cause}")),
                    How::Load(_) | How::Nothing(_) => {
                        How::Nothing(format!("ended the worker when it was loaded: {cause}"))
                    }
                };
            }
            Some(Entry::Forget(forgotten)) => forgotten.is_fatal = true,
            Some(Entry::Setting(_)) | None => {}
        }
    }

    /// A replay has brought the session to a new state: cells that it did not
    /// run have no part in it, in the next replay neither, and what they had
    /// changed is not missed any more.
    pub(crate) fn settle(&mut self, not_run: &[(usize, String)]) {
        for (number, why) in not_run {
            if let Some(Entry::Cell(recorded)) = self.entries.get_mut(*number)
                && recorded.how == How::Run
            {
                recorded.how = How::Load(why.clone());
            }
        }
        for entry in &mut self.entries {
            if let Entry::Cell(recorded) = entry
                && recorded.how != How::Run
            {
                recorded.changed.clear();
            }
        }
    }
}

/// What a cell is that its user has marked.
pub(crate) const MARKED: &str = "is marked not to be replayed";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_set_outlives_the_cells_and_is_before_those_that_come() {
        let folder = |path: &str| Question::Folder { path: path.to_owned() };
        let mut journal = Journal::default();
        journal.push(Entry::Setting(folder("/a")));
        journal.push(Entry::Cell(Box::default()));
        journal.push(Entry::Setting(folder("/b")));
        assert_eq!(journal.before(), &Settings::default());
        assert_eq!(journal.now().folder, Some(PathBuf::from("/b")));
        journal.clear();
        assert!(journal.entries().is_empty());
        assert_eq!(journal.before().folder, Some(PathBuf::from("/b")));
    }
}
