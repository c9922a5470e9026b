//! What a lost worker held, and bringing it back by a replay.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::{Duration, Instant};

use gpurepl_wire::{Done, FailureKind};

use super::RustcEngine;
use super::generate::Known;
use crate::cell_name::cell_name;
use crate::diagnostic::Diagnostic;
use crate::engine::{Loss, Outcome};
use crate::output::Sink;
use crate::recovery::{
    self, Crash, Entry, Forgotten, How, Journal, MARKED, Player, Policy, Recorded, ReplayPlan, Replayed,
    Summary, result_name,
};
use crate::worker::{Ended, Settings};

/// How often a replay may end its worker: each time is one cell less.
const MAX_CRASHES: usize = 3;

/// What an engine needs to bring variables back.
#[derive(Debug, Default)]
pub(super) struct Recovery {
    pub(super) policy: Policy,
    pub(super) journal: Journal,
    /// Variables of lost workers that no replay has tried to bring back.
    lost: BTreeMap<String, Known>,
    /// Cells whose values, those of `_` and `Out[3]`, are lost likewise.
    lost_results: BTreeSet<u64>,
    /// Cells whose values no replay has brought back.
    gone_results: BTreeSet<u64>,
}

/// What a replay has done for the session.
enum Restored {
    /// It has been done, as far as it goes.
    Replayed(Summary),
    /// There is a worker with nothing in it, or none, and why.
    Nothing(String),
}

/// What a cell has had to do with older variables, values and statics.
#[derive(Default)]
pub(super) struct Touched {
    /// Those that it mentions.
    pub(super) taken: Vec<String>,
    /// The variables among them that it may change.
    pub(super) changed: Vec<String>,
    /// The variables among them that the device may change for it.
    pub(super) changed_by_device: Vec<String>,
    /// The statics that it may change.
    pub(super) statics: Vec<String>,
    /// Whether the user has marked it not to be replayed.
    pub(super) is_marked: bool,
}

impl Recovery {
    /// Cells begin in the folder that this process is in.
    pub(super) fn beginning_here() -> Recovery {
        let before = Settings { folder: std::env::current_dir().ok(), ..Settings::default() };
        Recovery { journal: Journal::beginning(before), ..Recovery::default() }
    }

    /// Whether the value of a cell, or of any if none is named, was lost with
    /// a worker; and whether a replay may bring it back.
    pub(super) fn lost_result(&self, cell: Option<u64>) -> Option<bool> {
        let has = |cells: &BTreeSet<u64>| cell.map_or(!cells.is_empty(), |cell| cells.contains(&cell));
        match (has(&self.lost_results), has(&self.gone_results)) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        }
    }

    /// Notes a cell that has been loaded, and how it ended.
    pub(super) fn record(&mut self, mut recorded: Recorded, done: &Done, touched: Touched) {
        let kind = done.failure.as_ref().map(|failure| failure.kind);
        recorded.random = Some(done.random);
        recorded.put.clone_from(&done.put);
        recorded.time = Duration::from_nanos(done.nanoseconds);
        recorded.has_failed = kind.is_some();
        recorded.is_cut_short = done.is_rescued;
        let is_there = |name: &String| done.variables.contains(name);
        recorded.result = done.result.as_ref().map(|_| result_name(recorded.cell));
        recorded.taken = touched.taken;
        recorded.how = match kind {
            _ if touched.is_marked => How::Load(MARKED.to_owned()),
            None => How::Run,
            // It was interrupted in its statements, and may have no end.
            Some(FailureKind::Interrupted) if done.is_rescued => How::Load("was interrupted".to_owned()),
            // What failed, or was interrupted, is what came after its statements; or it fails
            // as it did, and the same variables are kept.
            Some(_) if !recorded.put.is_empty() && kind != Some(FailureKind::DeviceLost) => How::Run,
            Some(FailureKind::Interrupted) => How::Load("was interrupted".to_owned()),
            Some(_) => How::Load("failed".to_owned()),
        };
        // Whether the device has written what, and not only read it, is not
        // known of a cell; of one that runs again this only matters if what it
        // reads is not what it was.
        let activity = &done.activity;
        let has_written = activity.launches + activity.bytes_to_device + activity.bytes_within_device > 0;
        let by_device =
            if recorded.how != How::Run || has_written { touched.changed_by_device } else { Vec::new() };
        recorded.changed = touched.changed.into_iter().chain(by_device).filter(is_there).collect();
        recorded.changed.extend(touched.statics);
        self.journal.push(Entry::Cell(Box::new(recorded)));
    }

    /// Notes variables that have been dropped.
    pub(super) fn record_forgotten(&mut self, names: Vec<String>, is_fatal: bool) {
        self.journal.push(Entry::Forget(Forgotten { names, is_fatal }));
    }

    /// Nothing of the past is wanted any more.
    pub(super) fn clear(&mut self) {
        self.journal.clear();
        self.lost.clear();
        self.lost_results.clear();
        self.gone_results.clear();
    }

    pub(super) fn plan(&self) -> ReplayPlan {
        ReplayPlan {
            policy: self.policy,
            cells: self.journal.runs().count(),
            time: self.journal.runs().map(|recorded| recorded.time).sum(),
            marked: self.journal.marked(),
            lost: self
                .lost
                .keys()
                .cloned()
                .chain(self.lost_results.iter().copied().map(result_name))
                .collect(),
        }
    }
}

impl RustcEngine {
    /// The worker has ended: tells so, and brings the variables back if that
    /// is wanted. `who` has done it: `cell 3`.
    pub(super) fn lose(&mut self, ended: &Ended, who: Option<&str>, sink: &mut dyn Sink) -> Outcome {
        self.worker = None;
        let results: Vec<u64> = std::mem::take(&mut self.results).into_keys().collect();
        self.recovery.lost_results.extend(&results);
        let was_users = self.interrupter.was_insisted();
        let cause = if was_users { "the user's second interrupt".to_owned() } else { ended.cause.clone() };
        let status = ended.status.filter(|_| !was_users);
        let held: Vec<String> = self.state.variables.keys().cloned().collect();
        let has_past = !held.is_empty() || !results.is_empty() || self.state.has_statics();
        let mut is_off = self.recovery.policy == Policy::Off;
        if let Some(status) = status {
            // Where the program ends with it, nothing is to be done twice.
            is_off |= !sink.exited(status, if is_off { &held } else { &[] });
        } else if was_users {
            sink.note("interrupted; the cell did not respond, so the worker was ended");
        } else {
            sink.diagnostic(&lost(who, &cause));
        }
        let is_wanted = has_past && !is_off && self.is_replay_wanted(sink);
        if is_wanted {
            let expected = self.state.variables.clone();
            match self.restore(expected, sink) {
                Restored::Replayed(summary) => {
                    sink.note(&summary.text());
                    let lost = summary.lost.into_iter().map(|(name, _)| name);
                    let variables = lost.filter(|name| !name.starts_with("Out[")).collect();
                    return Outcome::Lost(Loss { cause, status, variables, restored: summary.back });
                }
                Restored::Nothing(problem) => sink.note(&format!("nothing was replayed: {problem}")),
            }
        }
        self.lose_variables(&cause, has_past);
        let mut all = held.clone();
        match results.len() {
            0..=3 => all.extend(results.into_iter().map(result_name)),
            count => all.push(format!("the values of {count} cells")),
        }
        if !all.is_empty() && (status.is_none() || !is_off) {
            let later = if is_off { "" } else { "; `:replay now` tries to bring them back" };
            sink.note(&format!("lost with it: {}{later}", recovery::list(&all)));
        }
        // Who has ended the worker does not mean the next one, but who has stopped a replay does.
        let is_stopped = is_wanted && self.interrupter.was_asked();
        self.interrupter.begin();
        if !is_off
            && !is_stopped
            && let Err(problem) = self.ensure_worker(sink)
        {
            sink.note(&format!("a new worker could not be started: {problem}; the next cell tries again"));
        }
        Outcome::Lost(Loss { cause, status, variables: held, restored: Vec::new() })
    }

    /// Looks whether the worker has ended while nobody asked it anything, and
    /// brings back what it held. None if all is well, or is again: then code
    /// that was compiled before can still run.
    pub(super) fn notice_loss(&mut self, sink: &mut dyn Sink) -> Option<Outcome> {
        let worker = self.worker.as_mut()?;
        if !worker.has_ended() {
            return None;
        }
        let ended = worker.ended(sink);
        let statics = self.state.generation_of_statics();
        let outcome = self.lose(&ended, None, sink);
        let is_whole = matches!(&outcome, Outcome::Lost(loss) if loss.variables.is_empty())
            && self.state.generation_of_statics() == statics;
        if is_whole { None } else { Some(outcome) }
    }

    fn is_replay_wanted(&mut self, sink: &mut dyn Sink) -> bool {
        let plan = self.recovery.plan();
        if plan.cells == 0 {
            return false;
        }
        let cells = if plan.cells == 1 { "cell" } else { "cells" };
        match plan.policy {
            Policy::On => true,
            Policy::Off => false,
            Policy::Ask => sink.confirm(&format!(
                "replay {} {cells}, which ran for {}, to bring the variables back?",
                plan.cells,
                recovery::seconds(plan.time)
            )),
        }
    }

    /// Variables are lost, and so are statics.
    fn lose_variables(&mut self, cause: &str, has_past: bool) {
        self.recovery.lost.append(&mut self.state.variables.clone());
        self.state.lose_variables(cause);
        if !has_past {
            // What the cells did was nothing that lasts.
            self.recovery.journal.clear();
        }
    }

    /// Replays what has been lost before, in a new worker, and what came since.
    ///
    /// # Errors
    ///
    /// If nothing is lost, or no worker can be started.
    pub(super) fn replay_lost(&mut self, sink: &mut dyn Sink) -> Result<(), String> {
        if self.recovery.lost.is_empty() && self.recovery.lost_results.is_empty() {
            return Err("nothing was lost that a replay could restore".to_owned());
        }
        self.replay_all(sink)
    }

    /// Has another number of workers, which do again what has been done.
    ///
    /// # Errors
    ///
    /// If they cannot be started, or something else runs the worker.
    pub(super) fn change_workers(&mut self, count: usize, sink: &mut dyn Sink) -> Result<(), String> {
        if count > 1 && !self.worker_options.wrapper.command.is_empty() {
            return Err("a debugger or compute-sanitizer runs one worker; end it to have several".to_owned());
        }
        if count == self.worker_options.count {
            return self.ensure_worker(sink);
        }
        if let Some(launch) = &self.worker_options.launch {
            return Err(format!(
                "the {} workers are started by `--launch`; start gpurepl with another number there",
                launch.count()
            ));
        }
        if self.worker_options.launched.is_some() {
            return Err(format!(
                "the {} ranks of this job are the workers; start it with another number: `mpiexec -n {count} gpurepl ..`",
                self.worker_options.count
            ));
        }
        let _ = self.notice_loss(sink);
        self.worker_options.inherits_stdin &= count == 1;
        self.worker_options.count = count;
        if self.recovery.journal.runs().count() == 0 {
            self.worker = None;
            return self.ensure_worker(sink);
        }
        self.replay_all(sink)
    }

    /// Replays what has been lost before, and all that there is, in new workers.
    fn replay_all(&mut self, sink: &mut dyn Sink) -> Result<(), String> {
        self.interrupter.begin();
        let now: Vec<String> = self.state.variables.keys().cloned().collect();
        if let Err(ended) = self.drop_in_worker(now, sink) {
            sink.note(&format!("the worker process has ended: {}", ended.cause));
        }
        self.worker = None;
        let mut expected = std::mem::take(&mut self.recovery.lost);
        expected.append(&mut self.state.variables.clone());
        self.recovery.lost_results.extend(std::mem::take(&mut self.results).into_keys());
        match self.restore(expected.clone(), sink) {
            Restored::Replayed(summary) => {
                sink.note(&summary.text());
                Ok(())
            }
            Restored::Nothing(problem) => {
                self.recovery.lost = expected;
                self.state.lose_variables(&problem);
                Err(format!("nothing was replayed: {problem}"))
            }
        }
    }

    /// Starts a worker and replays the journal; what is back of the expected
    /// variables are the session's from then on.
    fn restore(&mut self, expected: BTreeMap<String, Known>, sink: &mut dyn Sink) -> Restored {
        self.interrupter.begin();
        let start = Instant::now();
        // As the items stand now, should they have changed since.
        let meaning = self.state.meaning();
        let outdated: HashSet<String> = expected
            .iter()
            .filter(|(_, known)| !meaning.holds_variable(&known.type_name, &known.basis))
            .map(|(name, _)| name.clone())
            .collect();
        for _ in 0..=MAX_CRASHES {
            self.worker = None;
            let before = self.recovery.journal.before().clone();
            if let Err(problem) = self.start_worker(&before, sink) {
                return Restored::Nothing(problem);
            }
            match self.play(&expected, &outdated, sink) {
                Ok((replayed, back)) => {
                    self.results = replayed.results.iter().cloned().collect();
                    return Restored::Replayed(self.settle(replayed, expected, back, &outdated, start));
                }
                Err(Crash { entry, cause }) => {
                    self.worker = None;
                    if self.interrupter.was_insisted() {
                        return Restored::Nothing("the user has interrupted it twice".to_owned());
                    }
                    self.recovery.journal.note_crash(entry, &cause);
                }
            }
        }
        Restored::Nothing(format!("the replay has ended the worker {} times", MAX_CRASHES + 1))
    }

    /// One attempt: replays the journal and drops what nobody expects.
    /// Returns which variables are back as well.
    fn play(
        &mut self,
        expected: &BTreeMap<String, Known>,
        outdated: &HashSet<String>,
        sink: &mut dyn Sink,
    ) -> Result<(Replayed, HashSet<String>), Crash> {
        let gone = |cause: &str| Crash { entry: usize::MAX, cause: cause.to_owned() };
        let worker = self.worker.as_mut().ok_or_else(|| gone("the worker is not running"))?;
        let mut player = Player { worker, interrupter: &self.interrupter, sink };
        let replayed = player.play(&self.recovery.journal)?;
        let is_back = |(name, fingerprint): &&(String, u64)| {
            let is_known = expected.get(name).is_some_and(|known| known.basis.hash == *fingerprint);
            is_known && !outdated.contains(name) && !replayed.doubts.missing.contains_key(name)
        };
        let back: HashSet<String> =
            replayed.held.iter().filter(is_back).map(|(name, _)| name.clone()).collect();
        let others: Vec<String> = replayed
            .held
            .iter()
            .map(|(name, _)| name)
            .filter(|name| !back.contains(*name))
            .cloned()
            .collect();
        if !others.is_empty() {
            let entry = self.recovery.journal.entries().len();
            let forgotten = Forgotten { names: others, is_fatal: false };
            self.recovery.journal.push(Entry::Forget(forgotten.clone()));
            player.forget(&forgotten).map_err(|cause| Crash { entry, cause })?;
        }
        Ok((replayed, back))
    }

    /// Takes over what a replay has brought back.
    fn settle(
        &mut self,
        replayed: Replayed,
        expected: BTreeMap<String, Known>,
        back: HashSet<String>,
        outdated: &HashSet<String>,
        start: Instant,
    ) -> Summary {
        let mut summary = Summary { cells: replayed.cells, ..Summary::default() };
        self.state.variables.clear();
        for (name, known) in expected {
            if back.contains(&name) {
                if let Some(why) = replayed.doubts.stale.get(&name) {
                    summary.stale.push((name.clone(), why.clone()));
                }
                summary.back.push(name.clone());
                self.state.gone.remove(&name);
                self.state.variables.insert(name, known);
                continue;
            }
            let why = match replayed.doubts.missing.get(&name) {
                Some(why) => why.clone(),
                None if outdated.contains(&name) => "its type was redefined since".to_owned(),
                None => format!("{}, which made it, does not make it any more", cell_name(known.cell)),
            };
            self.state.gone.insert(name.clone(), format!("was lost with its worker process; {why}"));
            summary.lost.push((name, why));
        }
        if replayed.is_incomplete {
            self.state.restart_statics();
            summary
                .besides
                .push("statics start again: a cell that defines some could not be loaded".to_owned());
        }
        if replayed.is_stopped {
            summary.besides.push("the replay was interrupted".to_owned());
        }
        let others = |name: &&String| name.starts_with("static ") || name.starts_with("Out[");
        for name in replayed.doubts.stale.keys().filter(others) {
            summary.stale.push((name.clone(), replayed.doubts.stale[name].clone()));
        }
        for cell in std::mem::take(&mut self.recovery.lost_results) {
            if self.results.contains_key(&cell) {
                self.recovery.gone_results.remove(&cell);
            } else {
                let why = replayed.doubts.missing.get(&result_name(cell)).cloned();
                let why = why.unwrap_or_else(|| format!("cell {cell} does not leave it any more"));
                summary.lost.push((result_name(cell), why));
                self.recovery.gone_results.insert(cell);
            }
        }
        summary.besides.extend(replayed.not_set);
        self.recovery.journal.settle(&replayed.not_run);
        summary.took = start.elapsed();
        summary
    }
}

/// Says who has ended the worker, and what that may mean.
fn lost(who: Option<&str>, cause: &str) -> Diagnostic {
    let message = match who {
        Some(who) => format!("{who} has ended the worker process: {cause}"),
        None => format!("the worker process has ended while no cell ran: {cause}"),
    };
    let diagnostic = Diagnostic::error(message);
    if cause.contains("SIGKILL") {
        diagnostic.help("the system does this when memory runs out; otherwise a user has killed it")
    } else if cause.contains("SIGABRT") {
        diagnostic.help(
            "a program does this to itself, and says why above: memory that it asks for cannot be had, a destructor \
             panics during a panic, or it calls `abort`",
        )
    } else {
        diagnostic
    }
}
