//! The workers, seen from the session: processes of the same binary that own
//! the user's variables and the devices. There is one, or one for each rank:
//! then each cell is compiled once and runs on all of them, and what they say
//! is told as one.

mod agreement;
mod answers;
mod child;
mod process;
mod pump;
mod queue;
mod settings;
mod values;
mod wrapper;

pub use child::run_if_worker;
pub(crate) use process::Ended;
pub use queue::Background;
pub(crate) use settings::{Settings, written};

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

use gpurepl_wire::{Command as Order, Done, Frame, MimeBundle, PluginAnswer};

use crate::interrupt::Interrupter;
use crate::output::{InputRequest, Sink, Stream};
use crate::ranks::in_words;
use crate::session_folder::SessionFolder;
use crate::store::{Prelude, plugin};
use crate::toolchain::Toolchain;
use agreement::Agreement;
use process::{Process, describe};
use pump::{Event, Line};
use queue::{Receiver, queue};
pub use wrapper::Wrapper;

/// How workers are started.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// The binary to start: the front end's own.
    pub program: PathBuf,
    /// Environment variables to set: `GPUREPL_DEVICE`, say.
    pub environment: Vec<(String, String)>,
    /// What cells see as their program's arguments, its name first.
    pub arguments: Vec<OsString>,
    /// Whether cells read what the front end would read; else the front end
    /// is asked when they read. Of several workers none may read by itself.
    pub inherits_stdin: bool,
    /// What runs the worker, if anything does.
    pub wrapper: Wrapper,
    /// How many there are.
    pub count: usize,
}

/// The most workers of a session.
pub const MOST_WORKERS: usize = 1024;

/// The running workers.
#[derive(Debug)]
pub(crate) struct Workers {
    /// By rank.
    processes: Vec<Process>,
    /// Orders given so far: the workers count them too.
    given: u64,
    events: Receiver,
    interrupter: Interrupter,
    /// What plugins are built with, and kept beside.
    toolchain: Toolchain,
    prelude: Prelude,
    /// The cell that runs; none while one compiles, and between cells.
    running: Option<u64>,
    /// The ranks that carry out the order which was given last.
    taking: Vec<usize>,
    /// What the ranks have said; of one worker all is told at once.
    agreement: Agreement,
    /// The lines that the last cell was given.
    answers: Vec<String>,
    /// What each has said about its device, or that there is none.
    devices: Vec<Option<Frame>>,
    /// The values of the last cell that has shown any, by rank.
    values: Vec<(usize, MimeBundle)>,
    /// The variables that each rank holds.
    held: Vec<BTreeSet<String>>,
    /// Where several find each other. It is removed with them.
    _meeting: Option<SessionFolder>,
}

/// What is known of one of several workers.
#[derive(Clone, Debug)]
pub struct WorkerReport {
    /// Its rank.
    pub rank: usize,
    /// The number of its process.
    pub process: i32,
    /// Its device, `cuda:0`; none if it has not said, or has none.
    pub device: Option<String>,
    /// The device's name.
    pub name: String,
    /// How many variables it holds.
    pub variables: usize,
}

/// How long an interrupt may go unheard before the user is told.
const PATIENCE: Duration = Duration::from_secs(1);

/// Watches an interrupt that goes unheard.
#[derive(Default)]
struct Patience {
    since: Option<Instant>,
    is_told: bool,
}

impl Patience {
    /// How long to wait for the worker before looking at the time.
    fn step(&self) -> Duration {
        Duration::from_millis(if self.is_told { 10_000 } else { 200 })
    }

    /// To be asked while an interrupt goes unheard; true once.
    fn is_at_its_end(&mut self) -> bool {
        let since = *self.since.get_or_insert_with(Instant::now);
        let is_over = !self.is_told && since.elapsed() >= PATIENCE;
        self.is_told |= is_over;
        is_over
    }
}

/// Output waits here until the front end takes it: then user code waits. Each
/// is 64 KiB at most: an interrupt does not leave much to be shown.
const QUEUE: usize = 32;

impl Workers {
    /// Starts the workers and waits until they take orders.
    pub(crate) fn start(
        options: &WorkerOptions,
        settings: &Settings,
        toolchain: &Toolchain,
        prelude: &Prelude,
        interrupter: Interrupter,
        sink: &mut dyn Sink,
    ) -> Result<Workers, String> {
        let count = options.count.max(1);
        let meeting = if count > 1 { Some(meeting()?) } else { None };
        let (senders, events) = queue(QUEUE, count);
        let mut processes = Vec::new();
        for (rank, sender) in senders.into_iter().enumerate() {
            let environment = match &meeting {
                Some(folder) => environment(rank, count, folder.path()),
                None => Vec::new(),
            };
            let process = Process::start(options, settings, toolchain, prelude, &environment, sender, sink);
            match process {
                Ok(process) => processes.push(process),
                Err(problem) => {
                    processes.iter_mut().for_each(Process::kill);
                    return Err(problem);
                }
            }
        }
        let mut workers = Workers {
            processes,
            given: 0,
            events,
            interrupter,
            toolchain: toolchain.clone(),
            prelude: prelude.clone(),
            running: None,
            taking: (0..count).collect(),
            agreement: Agreement::new(count),
            answers: Vec::new(),
            devices: vec![None; count],
            values: Vec::new(),
            held: vec![BTreeSet::new(); count],
            _meeting: meeting,
        };
        match workers.wait_for(sink, |frame| matches!(frame, Frame::Ready).then_some(())) {
            Ok(()) => Ok(workers),
            Err(ended) => Err(format!("the worker ended before its first cell: {}", ended.cause)),
        }
    }

    /// Lets the user interrupt the order that is given next, until its end or
    /// [`Workers::refuse_interrupts`].
    pub(crate) fn accept_interrupts(&self) {
        let targets: Vec<_> = self.processes.iter().map(Process::target).collect();
        self.interrupter.set_workers(&targets, self.given + 1);
    }

    pub(crate) fn refuse_interrupts(&self) {
        self.interrupter.clear_workers();
    }

    /// Whether one of the processes has ended. Not to be asked while interrupts are
    /// accepted.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.processes.iter_mut().any(Process::has_ended)
    }

    /// Which ranks there are of these, that do not hold one of the variables; and the first such variable.
    pub(crate) fn lacking(&self, names: &[String], ranks: Option<&[usize]>) -> Option<(String, Vec<usize>)> {
        let of = |rank: &usize| ranks.is_none_or(|ranks| ranks.contains(rank));
        let all: Vec<usize> = (0..self.processes.len()).filter(of).collect();
        names.iter().find_map(|name| {
            let holds = |rank: usize| self.held[rank].contains(name);
            // What nobody holds is another problem.
            if !(0..self.processes.len()).any(holds) {
                return None;
            }
            let without: Vec<usize> = all.iter().copied().filter(|rank| !holds(*rank)).collect();
            (!without.is_empty()).then(|| (name.clone(), without))
        })
    }

    /// The ranks that hold a variable.
    pub(crate) fn holders(&self, name: &str) -> Vec<usize> {
        (0..self.processes.len()).filter(|rank| self.held[*rank].contains(name)).collect()
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.processes.len()
    }

    /// What the last cell that has shown a value has shown on each rank.
    pub(crate) fn values(&self) -> &[(usize, MimeBundle)] {
        &self.values
    }

    /// What is known of each.
    pub(crate) fn reports(&self) -> Vec<WorkerReport> {
        let report = |(rank, process): (usize, &Process)| {
            let (device, name) = match &self.devices[rank] {
                Some(Frame::DeviceChosen { id, name, .. }) => (Some(id.clone()), name.clone()),
                Some(Frame::NoDevice { problem }) => {
                    (None, problem.lines().next().unwrap_or_default().to_owned())
                }
                _ => (None, "not known yet".to_owned()),
            };
            WorkerReport { rank, process: process.number(), device, name, variables: self.held[rank].len() }
        };
        self.processes.iter().enumerate().map(report).collect()
    }

    /// Gives an order and waits for its answer; what comes before is passed
    /// on to the sink. Of several answers one is made, of the same kind.
    pub(crate) fn order<R>(
        &mut self,
        order: &Order,
        sink: &mut dyn Sink,
        answer: impl FnMut(&Frame) -> Option<R>,
    ) -> Result<R, Ended> {
        let is_cell = matches!(order, Order::Run { .. });
        self.taking = (0..self.processes.len()).collect();
        if let Order::Run { cell, ranks, .. } = order {
            self.running = Some(*cell);
            sink.begun();
            self.answers.clear();
            if let Some(ranks) = ranks {
                self.taking.clone_from(ranks);
            }
            for process in &mut self.processes {
                (process.line, process.answered) = (Line::default(), 0);
            }
        }
        self.agreement.begin(&self.taking);
        self.given += 1;
        self.processes.iter_mut().for_each(|process| process.send(order));
        let result = self.wait_for(sink, answer);
        self.running = None;
        if is_cell {
            sink.settled();
        }
        result
    }

    /// The lines that the last cell has read, as they were given.
    pub(crate) fn answers(&self) -> &[String] {
        &self.answers
    }

    fn wait_for<R>(
        &mut self,
        sink: &mut dyn Sink,
        mut answer: impl FnMut(&Frame) -> Option<R>,
    ) -> Result<R, Ended> {
        let mut patience = Patience::default();
        let mut answers = Vec::new();
        let mut values = Vec::new();
        loop {
            let due = self.agreement.due(Instant::now());
            match self.events.recv_timeout(due.map_or(patience.step(), |due| due.min(patience.step()))) {
                Ok((rank, Event::Frame(frame))) => match answer(&frame) {
                    Some(result) if self.processes.len() == 1 => {
                        self.note_held(rank, &frame);
                        return Ok(result);
                    }
                    Some(result) => {
                        self.note_held(rank, &frame);
                        self.agreement.end(rank, Instant::now());
                        answers.push((rank, *frame));
                        if answers.len() == self.processes.len() {
                            self.agreement.tell_all(self.running, sink);
                            self.show_values(values, sink);
                            return self.settle(answers, result, answer, sink);
                        }
                    }
                    None => match *frame {
                        Frame::Display(display) if display.is_result && self.processes.len() > 1 => {
                            values.push((rank, display.bundle));
                        }
                        frame => self.pass_on(rank, frame, sink),
                    },
                },
                Ok((rank, Event::Output(stream, bytes))) => self.output(rank, stream, &bytes, sink),
                Ok((rank, Event::Closed(why))) => return Err(self.one_has_ended(rank, why, sink)),
                Err(RecvTimeoutError::Disconnected) => return Err(self.one_has_ended(0, None, sink)),
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.agreement.tell(self.running, Instant::now(), sink);
            if self.interrupter.was_asked() && patience.is_at_its_end() {
                sink.note(
                    "the cell has not stopped: it calls nothing that listens; interrupt again to end its \
                     process, and with it what cannot be replayed",
                );
            }
        }
    }

    /// What all ranks have answered, as one answer. Variables that only some of them have put are dropped.
    fn settle<R>(
        &mut self,
        answers: Vec<(usize, Frame)>,
        last: R,
        mut answer: impl FnMut(&Frame) -> Option<R>,
        sink: &mut dyn Sink,
    ) -> Result<R, Ended> {
        let dones: Vec<(usize, Done)> = answers
            .iter()
            .filter_map(|(rank, frame)| match frame {
                Frame::Done(done) => Some((*rank, done.clone())),
                _ => None,
            })
            .collect();
        let differing: Vec<String> = answers::differing(&dones, &self.taking).into_iter().collect();
        let result = answers::merged(answers, &self.taking).and_then(|frame| answer(&frame)).unwrap_or(last);
        if !differing.is_empty() {
            self.drop_differing(differing, sink)?;
        }
        Ok(result)
    }

    /// Drops variables that are not on all ranks as the session knows them.
    fn drop_differing(&mut self, names: Vec<String>, sink: &mut dyn Sink) -> Result<(), Ended> {
        let (order, running) = (Order::Forget { names: names.clone() }, self.running.take());
        let problems = self.order(&order, sink, |frame| match frame {
            Frame::Forgotten { problems } => Some(problems.clone()),
            _ => None,
        });
        self.running = running;
        problems?.iter().for_each(|problem| sink.note(problem));
        self.held.iter_mut().for_each(|held| held.retain(|name| !names.contains(name)));
        for name in names {
            sink.note(&format!("`{name}` is not kept: the cell has made it on some of the ranks alone"));
        }
        Ok(())
    }

    /// Shows the values of a cell: one, if they are the same.
    fn show_values(&mut self, mut values: Vec<(usize, MimeBundle)>, sink: &mut dyn Sink) {
        values.sort_by_key(|(rank, _)| *rank);
        if let Some(bundle) = values::together(&values, self.taking.len()) {
            sink.display(&bundle, true);
            self.values = values;
        }
    }

    fn note_held(&mut self, rank: usize, frame: &Frame) {
        match frame {
            Frame::Done(done) => self.held[rank] = done.variables.iter().cloned().collect(),
            Frame::Held { variables, .. } => {
                self.held[rank] = variables.iter().map(|(name, _)| name.clone()).collect();
            }
            _ => {}
        }
    }

    /// Passes on what has come since the last order.
    pub(crate) fn drain(&mut self, sink: &mut dyn Sink) {
        loop {
            match self.events.try_recv() {
                // The cell that has read has ended.
                Ok((_, Event::Frame(frame))) if matches!(*frame, Frame::Input { prompt: None, .. }) => {}
                Ok((rank, Event::Frame(frame))) => self.pass_on(rank, *frame, sink),
                Ok((rank, Event::Output(stream, bytes))) => self.output(rank, stream, &bytes, sink),
                // Found out at the next order.
                Ok((_, Event::Closed(_))) | Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
            }
        }
        self.agreement.tell_all(None, sink);
    }

    /// What threads of these cells print is not passed on: they are cells that
    /// run for the second time.
    pub(crate) fn mute(&self, cells: impl Iterator<Item = u64>) {
        self.events.mute(cells);
    }

    /// Lets another thread pass on what comes while there is no order.
    pub(crate) fn background(&self) -> Background {
        self.events.background()
    }

    /// Passes on what comes until the devices are known, or known not to work,
    /// or some time is up.
    pub(crate) fn wait_for_device(&mut self, time: Duration, sink: &mut dyn Sink) {
        let end = Instant::now() + time;
        while self.devices.iter().any(Option::is_none) {
            match self.events.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok((rank, Event::Frame(frame))) => self.pass_on(rank, *frame, sink),
                Ok((rank, Event::Output(stream, bytes))) => self.output(rank, stream, &bytes, sink),
                Ok((_, Event::Closed(_))) | Err(_) => break,
            }
        }
        self.agreement.tell_all(None, sink);
    }

    /// How the processes have ended, which they do as soon as their ends of the
    /// channels are closed. To be asked once [`Workers::has_ended`].
    pub(crate) fn ended(&mut self, sink: &mut dyn Sink) -> Ended {
        let rank = self.processes.iter_mut().position(Process::has_ended).unwrap_or(0);
        self.one_has_ended(rank, None, sink)
    }

    /// One process has ended, and with it the others: they would wait for it, and hold other variables than a
    /// replay brings back. They have a moment, since what ends one may end all: a cell's `exit`.
    fn one_has_ended(&mut self, rank: usize, why: Option<String>, sink: &mut dyn Sink) -> Ended {
        // Not to be signalled once they have been waited for.
        self.interrupter.clear_workers();
        let patience = self.processes[rank].patience();
        let events = &self.events;
        let is_only = self.processes.len() == 1;
        // Of one worker all that counts has been told before its end; of several it is compared.
        let first =
            self.processes[rank].ended(why, patience, || while is_only && events.try_recv().is_ok() {});
        if self.processes.len() == 1 {
            return first;
        }
        let end = Instant::now() + PATIENCE;
        let mut causes: Vec<(Ended, Vec<usize>)> = vec![(first, vec![rank])];
        let mut others: Vec<usize> = (0..self.processes.len()).filter(|other| *other != rank).collect();
        while !others.is_empty() && Instant::now() < end {
            self.take_output();
            others.retain(|other| {
                if !self.processes[*other].has_ended() {
                    return true;
                }
                let ended = self.processes[*other].ended(None, Duration::ZERO, || {});
                match causes.iter_mut().find(|(known, _)| known.cause == ended.cause) {
                    Some((_, ranks)) => ranks.push(*other),
                    None => causes.push((ended, vec![*other])),
                }
                false
            });
            std::thread::sleep(Duration::from_millis(5));
        }
        self.take_output();
        others.iter().for_each(|other| self.processes[*other].kill());
        self.agreement.tell_all(self.running, sink);
        let status = causes.iter().find_map(|(ended, _)| ended.status);
        let is_exit = causes.iter().all(|(ended, _)| ended.status.is_some());
        if causes.len() == 1 && causes[0].1.len() == self.processes.len() {
            return causes.remove(0).0;
        }
        let words: Vec<String> = causes
            .iter_mut()
            .map(|(ended, ranks)| {
                ranks.sort_unstable();
                format!("{}: {}", in_words(ranks), ended.cause)
            })
            .collect();
        Ended { cause: words.join("; "), status: status.filter(|_| is_exit) }
    }

    /// Takes what the processes have printed before their ends.
    fn take_output(&mut self) {
        while let Ok((rank, event)) = self.events.try_recv() {
            match event {
                Event::Output(stream, bytes) => self.agreement.print(rank, stream, &bytes, Instant::now()),
                Event::Frame(_) | Event::Closed(_) => {}
            }
        }
    }
}

/// A folder where workers of one machine find each other; in memory, where the system has such a place.
fn meeting() -> Result<SessionFolder, String> {
    let memory = Path::new("/dev/shm");
    SessionFolder::named(memory, "workers-")
        .or_else(|_| SessionFolder::named(&std::env::temp_dir(), "workers-"))
        .map_err(|error| {
            format!(
                "the workers have no folder to meet in: {error}\n  = help: set TMPDIR to a writable folder"
            )
        })
}

/// What one of several workers finds in its environment: who it is, where the others are, and its share of the
/// cores.
fn environment(rank: usize, count: usize, meeting: &Path) -> Vec<(String, String)> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut environment = vec![
        ("GPUREPL_RANK".to_owned(), rank.to_string()),
        ("GPUREPL_RANKS".to_owned(), count.to_string()),
        ("GPUREPL_LOCAL_RANK".to_owned(), rank.to_string()),
        ("GPUREPL_GROUP".to_owned(), meeting.display().to_string()),
    ];
    // Who has said how many threads there are to be has meant each of the workers.
    if std::env::var_os("RAYON_NUM_THREADS").is_none() {
        environment.push(("RAYON_NUM_THREADS".to_owned(), (cores / count).max(1).to_string()));
    }
    environment
}

/// What goes on to the front end.
impl Workers {
    fn output(&mut self, rank: usize, stream: Stream, bytes: &[u8], sink: &mut dyn Sink) {
        self.processes[rank].line.add(bytes);
        match self.processes.len() {
            1 => sink.output(stream, bytes),
            _ => self.agreement.print(rank, stream, bytes, Instant::now()),
        }
    }

    fn pass_on(&mut self, rank: usize, frame: Frame, sink: &mut dyn Sink) {
        match frame {
            Frame::Input { request, prompt, is_password } => {
                self.ask(rank, request, prompt, is_password, sink);
            }
            Frame::InterruptTaken => self.interrupter.begin(),
            Frame::Plugin { request, name } => self.bring_plugin(rank, request, &name, sink),
            Frame::DeviceChosen { .. } | Frame::NoDevice { .. } => self.note_device(rank, frame, sink),
            frame if self.processes.len() == 1 => pass_on(frame, self.running, sink),
            frame => self.agreement.show(rank, frame, Instant::now()),
        }
    }

    /// Tells of the devices, once all are known.
    fn note_device(&mut self, rank: usize, frame: Frame, sink: &mut dyn Sink) {
        self.devices[rank] = Some(frame.clone());
        if self.processes.len() == 1 {
            return pass_on(frame, None, sink);
        }
        if self.devices.iter().any(Option::is_none) {
            return;
        }
        let (mut ids, mut names, mut why) = (Vec::new(), Vec::new(), String::new());
        for (rank, device) in self.devices.iter().enumerate() {
            match device {
                Some(Frame::DeviceChosen { id, name, rule }) => {
                    if !ids.contains(id) {
                        ids.push(id.clone());
                    }
                    if !names.contains(name) {
                        names.push(name.clone());
                    }
                    if why.is_empty() {
                        why.clone_from(rule);
                    }
                }
                Some(Frame::NoDevice { problem }) => {
                    sink.no_device(&format!("rank {rank}: {problem}"));
                }
                _ => {}
            }
        }
        if !ids.is_empty() {
            let name = format!("{}, {} workers", names.join(", "), self.processes.len());
            sink.device(&ids.join(", "), &name, &why);
        }
    }

    /// Has a plugin built if it is not there. The cell waits meanwhile; what its
    /// threads print waits in the pipes.
    fn bring_plugin(&mut self, rank: usize, request: u64, name: &str, sink: &mut dyn Sink) {
        let interrupter = Some(&self.interrupter);
        let answer = match plugin::ready(&self.toolchain, &self.prelude, name, interrupter, sink) {
            Ok(library) => PluginAnswer::Library(library),
            Err(error) => {
                let text = error.to_string();
                let (message, help) = text.split_once("\n  = help: ").unwrap_or((&text, ""));
                PluginAnswer::Problem { message: message.to_owned(), help: help.to_owned() }
            }
        };
        self.processes[rank].send(&Order::Plugin { request, answer });
    }

    /// Has the front end ask its user, and passes the answer on. Of several workers each is given the same lines,
    /// and the user is asked once.
    fn ask(
        &mut self,
        rank: usize,
        request: u64,
        prompt: Option<String>,
        is_password: bool,
        sink: &mut dyn Sink,
    ) {
        let process = &mut self.processes[rank];
        let number = process.answered;
        process.answered += 1;
        let known = self.answers.get(number).cloned();
        let text = match known {
            Some(text) => Some(text),
            // Whoever has interrupted wants no more questions.
            None if self.interrupter.was_asked() => None,
            None => {
                let is_shown = prompt.is_none();
                let prompt = prompt.unwrap_or_else(|| self.processes[rank].line.text());
                self.agreement.tell_all(self.running, sink);
                let text = sink.input(&InputRequest { prompt, is_shown, is_password }).map(|text| {
                    let line = text.split(['\n', '\r']).next().unwrap_or_default();
                    line.to_owned()
                });
                self.answers.extend(text.clone());
                text
            }
        };
        // The terminal is at the start of a line again.
        self.processes[rank].line = Line::default();
        let is_interrupted = self.interrupter.was_asked();
        self.processes[rank].send(&Order::Input { request, text, is_interrupted });
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        // Not to be signalled once they have been waited for.
        self.interrupter.clear_workers();
        let events = &self.events;
        for process in &mut self.processes {
            process.end(|| while events.try_recv().is_ok() {});
        }
    }
}

/// Passes a frame on to the sink of the cell that runs, if one does. What
/// threads of that cell show is the cell's own; else it is passed on as that
/// of the cell that the frame names, also while the next one compiles.
fn pass_on(frame: Frame, running: Option<u64>, sink: &mut dyn Sink) {
    let other = |cell: Option<u64>| cell.filter(|cell| running != Some(*cell));
    match frame {
        Frame::Display(display) => match (display.id, display.is_update, other(display.cell)) {
            (Some(id), true, _) => sink.update_display(id, &display.bundle),
            (id, _, Some(cell)) => sink.display_of(cell, id, &display.bundle),
            (Some(id), false, None) => sink.display_by_id(id, &display.bundle),
            (None, _, None) => sink.display(&display.bundle, display.is_result),
        },
        Frame::Output { cell, is_stderr, text } => {
            let stream = if is_stderr { Stream::Stderr } else { Stream::Stdout };
            match other(Some(cell)) {
                Some(cell) => sink.output_of(cell, stream, text.as_bytes()),
                None => sink.output(stream, text.as_bytes()),
            }
        }
        Frame::ClearOutput { wait, cell } => match other(cell) {
            Some(cell) => sink.clear_output_of(cell, wait),
            None => sink.clear_output(wait),
        },
        Frame::Notice { text } => sink.note(&text),
        Frame::DeviceChosen { id, name, rule } => sink.device(&id, &name, &rule),
        Frame::NoDevice { problem } => sink.no_device(&problem),
        // Answers to orders that nobody waits for any more, and questions of
        // cells that have ended.
        Frame::Ready
        | Frame::Done(_)
        | Frame::Forgotten { .. }
        | Frame::Finished
        | Frame::Devices(_)
        | Frame::Cache(_)
        | Frame::Tuned(_)
        | Frame::InterruptTaken
        | Frame::Interacted { .. }
        | Frame::Loaded { .. }
        | Frame::Held { .. }
        | Frame::Answer(_)
        | Frame::Input { .. }
        | Frame::Plugin { .. } => {}
    }
}
