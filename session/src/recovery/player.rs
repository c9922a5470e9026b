//! Doing again what was done to a worker.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use gpurepl_wire::{Answer, Command as Order, Done, FailureKind, Frame, Question};

use super::{Entry, Forgotten, How, Journal, Quiet, Recorded};
use crate::cell_name::cell_name;
use crate::interrupt::Interrupter;
use crate::output::{Progress, Sink};
use crate::worker::{Ended, Workers, written};

/// Replays are quick, most often: before this time there is nothing to see.
const SILENT: Duration = Duration::from_millis(300);

/// How long a device may take to start.
const DEVICE_PATIENCE: Duration = Duration::from_secs(5);

/// Has a new worker do what is in a journal.
pub(crate) struct Player<'a> {
    pub(crate) worker: &'a mut Workers,
    pub(crate) interrupter: &'a Interrupter,
    pub(crate) sink: &'a mut dyn Sink,
}

/// How far a replay came.
#[derive(Debug, Default)]
pub(crate) struct Replayed {
    /// How many cells ran, and to which end they had come before.
    pub(crate) cells: usize,
    pub(crate) doubts: Doubts,
    /// Cells that had run and were not run, by their entries, and what they
    /// are now.
    pub(crate) not_run: Vec<(usize, String)>,
    /// Whether an object could not be loaded: statics that it defines are not
    /// there.
    pub(crate) is_incomplete: bool,
    /// Whether the user has stopped it.
    pub(crate) is_stopped: bool,
    /// Changes of the folder or the environment that could not be made again,
    /// and why.
    pub(crate) not_set: Vec<String>,
    /// The variables that the worker holds, and their fingerprints.
    pub(crate) held: Vec<(String, u64)>,
    /// The cells whose values it keeps, and the types of these.
    pub(crate) results: Vec<(u64, String)>,
}

/// A replay that has ended the worker.
#[derive(Debug)]
pub(crate) struct Crash {
    /// The entry that did.
    pub(crate) entry: usize,
    pub(crate) cause: String,
}

/// Variables that are not what they were.
#[derive(Debug, Default)]
pub(crate) struct Doubts {
    /// Those that are not there, and why.
    pub(crate) missing: BTreeMap<String, String>,
    /// Those that are there as they were at another time, and which.
    pub(crate) stale: BTreeMap<String, String>,
}

impl Doubts {
    /// Why a cell cannot be run: a variable that it mentions is missing.
    fn obstacle(&self, recorded: &Recorded) -> Option<String> {
        let name = recorded.taken.iter().find(|name| self.missing.contains_key(*name))?;
        Some(format!("needs `{name}`, which was not restored"))
    }

    /// A cell has run as it had before.
    fn note_run(&mut self, recorded: &Recorded) {
        let source = recorded.taken.iter().find_map(|name| self.stale.get(name)).cloned();
        for name in recorded.put.iter().chain(&recorded.result) {
            self.missing.remove(name);
            self.stale.remove(name);
        }
        // What is made of something else is something else, or may be.
        if let Some(source) = source {
            for name in recorded.put.iter().chain(&recorded.changed).chain(&recorded.result) {
                self.stale.entry(name.clone()).or_insert_with(|| source.clone());
            }
        }
    }

    /// A cell has not run. Returns the variables that must not be taken for
    /// those that it had put: older ones of the same names.
    fn note_left_out(&mut self, recorded: &Recorded, what: &str) -> Vec<String> {
        let cell = recorded.cell;
        let why = format!("cell {cell} {what}");
        for name in recorded.put.iter().chain(&recorded.result) {
            self.stale.remove(name);
            self.missing.insert(name.clone(), why.clone());
        }
        for name in recorded.changed.iter().filter(|name| !self.missing.contains_key(*name)) {
            self.stale.entry(name.clone()).or_insert_with(|| why.clone());
        }
        recorded.put.clone()
    }

    fn note_forgotten(&mut self, names: &[String]) {
        for name in names {
            self.missing.remove(name);
            self.stale.remove(name);
        }
    }
}

impl Player<'_> {
    /// Replays a journal. The user's interrupt stops it: what is left is
    /// loaded only.
    ///
    /// # Errors
    ///
    /// If the worker ends, or its device cannot be used any more.
    pub(crate) fn play(&mut self, journal: &Journal) -> Result<Replayed, Crash> {
        let mut replayed = Replayed::default();
        let start = Instant::now();
        let total = journal.entries().len();
        if journal.settings().next().is_some() {
            // The driver reads the environment while it starts, on a thread of
            // its own: it has not to be written meanwhile.
            let mut quiet = Quiet::new(self.sink, self.interrupter.clone(), &[]);
            self.worker.wait_for_device(DEVICE_PATIENCE, &mut quiet);
        }
        let mut is_shown = false;
        self.worker.mute(journal.runs().map(|recorded| recorded.cell));
        for (number, entry) in journal.entries().iter().enumerate() {
            if start.elapsed() > SILENT {
                is_shown = true;
                let item = match entry {
                    Entry::Cell(recorded) => cell_name(recorded.cell),
                    Entry::Forget(_) | Entry::Setting(_) => String::new(),
                };
                self.sink.progress(&Progress { title: "replaying".to_owned(), done: number, total, item });
            }
            let done = match entry {
                Entry::Cell(recorded) => self.cell(number, recorded, &mut replayed),
                Entry::Forget(forgotten) => {
                    replayed.doubts.note_forgotten(&forgotten.names);
                    self.forget(forgotten)
                }
                Entry::Setting(change) => self.set(change, &mut replayed),
            };
            done.map_err(|cause| Crash { entry: number, cause })?;
        }
        if is_shown {
            let (title, item) = ("replaying".to_owned(), String::new());
            self.sink.progress(&Progress { title, done: total, total, item });
        }
        let held = self.order(&Order::Held, |frame| match frame {
            Frame::Held { variables, results } => Some((variables.clone(), results.clone())),
            _ => None,
        });
        (replayed.held, replayed.results) = held.map_err(|cause| Crash { entry: total, cause })?;
        Ok(replayed)
    }

    /// Drops variables of the worker's, by an entry that is in the journal.
    ///
    /// # Errors
    ///
    /// If the worker ends.
    pub(crate) fn forget(&mut self, forgotten: &Forgotten) -> Result<(), String> {
        let names = forgotten.names.clone();
        let order = if forgotten.is_fatal { Order::Abandon { names } } else { Order::Forget { names } };
        self.order(&order, |frame| matches!(frame, Frame::Forgotten { .. }).then_some(()))
    }

    /// Changes the folder or the environment again. A folder may be gone.
    fn set(&mut self, change: &Question, replayed: &mut Replayed) -> Result<(), String> {
        let problem = self.order(&Order::Ask(change.clone()), |frame| match frame {
            Frame::Answer(Answer::Problem(problem)) => Some(Some(problem.clone())),
            Frame::Answer(_) => Some(None),
            _ => None,
        })?;
        let text = |problem| format!("`{}` could not be repeated: {problem}", written(change));
        replayed.not_set.extend(problem.map(text));
        Ok(())
    }

    fn cell(&mut self, number: usize, recorded: &Recorded, replayed: &mut Replayed) -> Result<(), String> {
        replayed.is_stopped |= self.interrupter.was_asked();
        let why = match &recorded.how {
            How::Run if replayed.is_stopped => Some(STOPPED.to_owned()),
            How::Run => replayed.doubts.obstacle(recorded),
            How::Load(what) | How::Nothing(what) => Some(what.clone()),
        };
        let why = match why {
            Some(why) => {
                match &recorded.how {
                    How::Nothing(_) => replayed.is_incomplete = true,
                    _ => replayed.is_incomplete |= !self.load(recorded)?,
                }
                why
            }
            None => {
                let done = self.run(recorded)?;
                match done.failure {
                    // Statements ran that had not run before.
                    None if recorded.is_cut_short && recorded.has_failed => {
                        "did not fail when it was replayed".to_owned()
                    }
                    None if recorded.is_cut_short && done.put != recorded.put => {
                        "did not return where it did before when it was replayed".to_owned()
                    }
                    None => {
                        replayed.cells += 1;
                        replayed.doubts.note_run(recorded);
                        return Ok(());
                    }
                    // As it did before, with the same variables.
                    Some(_) if recorded.has_failed && recorded.put.iter().all(|n| done.put.contains(n)) => {
                        replayed.cells += 1;
                        replayed.doubts.note_run(recorded);
                        return Ok(());
                    }
                    Some(failure) if failure.kind == FailureKind::DeviceLost => return Err(failure.message),
                    Some(failure) if failure.kind == FailureKind::Interrupted => {
                        replayed.is_stopped = true;
                        STOPPED.to_owned()
                    }
                    Some(failure) => {
                        // Not even loaded, perhaps.
                        replayed.is_incomplete |= failure.kind == FailureKind::NotRun;
                        let words = failure.message.lines().next().unwrap_or_default();
                        format!("failed when it was replayed: {words}")
                    }
                }
            }
        };
        if recorded.how == How::Run {
            replayed.not_run.push((number, why.clone()));
        }
        let older = replayed.doubts.note_left_out(recorded, &why);
        if older.is_empty() { Ok(()) } else { self.forget(&Forgotten { names: older, is_fatal: false }) }
    }

    fn run(&mut self, recorded: &Recorded) -> Result<Done, String> {
        self.worker.accept_interrupts();
        let result = self.order_answering(&recorded.order(), &recorded.answers, |frame| match frame {
            Frame::Done(done) if done.cell == recorded.cell => Some(done.clone()),
            _ => None,
        });
        self.worker.refuse_interrupts();
        result
    }

    /// Loads a cell; false if it cannot be loaded.
    fn load(&mut self, recorded: &Recorded) -> Result<bool, String> {
        let (library, function) = (recorded.library.clone(), recorded.function.clone());
        self.order(&Order::Load { library, function }, |frame| match frame {
            Frame::Loaded { problem } => Some(problem.is_none()),
            _ => None,
        })
    }

    fn order<R>(&mut self, order: &Order, answer: impl FnMut(&Frame) -> Option<R>) -> Result<R, String> {
        self.order_answering(order, &[], answer)
    }

    /// Gives an order; questions of its cell get these answers.
    fn order_answering<R>(
        &mut self,
        order: &Order,
        answers: &[String],
        answer: impl FnMut(&Frame) -> Option<R>,
    ) -> Result<R, String> {
        let mut quiet = Quiet::new(self.sink, self.interrupter.clone(), answers);
        self.worker.order(order, &mut quiet, answer).map_err(|Ended { cause, .. }| cause)
    }
}

/// What becomes of cells after the user's interrupt.
const STOPPED: &str = "was not replayed: the replay was interrupted";

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(cell: u64, put: &[&str], taken: &[&str], changed: &[&str]) -> Recorded {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let (put, taken, changed) = (owned(put), owned(taken), owned(changed));
        Recorded { cell, put, taken, changed, ..Recorded::default() }
    }

    #[test]
    fn what_was_left_out_is_missed_by_all_that_need_it() {
        let mut doubts = Doubts::default();
        doubts.note_run(&recorded(1, &["a", "b"], &[], &[]));
        assert_eq!(doubts.note_left_out(&recorded(2, &["a"], &["b"], &[]), "failed"), ["a"]);
        let next = recorded(3, &["c"], &["a", "b"], &["b"]);
        let why = doubts.obstacle(&next).unwrap();
        assert_eq!(why, "needs `a`, which was not restored");
        doubts.note_left_out(&next, &why);
        assert_eq!(doubts.missing["a"], "cell 2 failed");
        assert_eq!(doubts.missing["c"], "cell 3 needs `a`, which was not restored");
        assert_eq!(doubts.stale["b"], doubts.missing["c"]);
        // A new one takes its place.
        let anew = recorded(4, &["a"], &[], &[]);
        assert_eq!(doubts.obstacle(&anew), None);
        doubts.note_run(&anew);
        assert!(!doubts.missing.contains_key("a") && doubts.missing.contains_key("c"));
    }

    #[test]
    fn what_is_made_of_something_else_is_something_else() {
        let mut doubts = Doubts::default();
        doubts.note_left_out(&recorded(2, &[], &["n"], &["n"]), "failed");
        doubts.note_run(&recorded(3, &["m"], &["n"], &[]));
        doubts.note_run(&recorded(4, &[], &["m", "k"], &["k"]));
        let names: Vec<&String> = doubts.stale.keys().collect();
        assert_eq!(names, ["k", "m", "n"]);
        assert!(doubts.stale.values().all(|why| why == "cell 2 failed"));
        doubts.note_run(&recorded(5, &["m"], &[], &[]));
        doubts.note_forgotten(&["k".to_owned()]);
        assert_eq!(doubts.stale.keys().collect::<Vec<_>>(), ["n"]);
    }
}
