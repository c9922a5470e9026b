//! The workers, seen from the session: processes of the same binary that own
//! the user's variables and the devices. There is one, or one for each rank:
//! then each cell is compiled once and runs on all of them, and what they say
//! is told as one.

mod agreement;
mod answers;
mod child;
mod exchange;
mod group;
mod here;
mod loss;
mod mirroring;
mod patience;
mod place;
mod process;
mod pump;
mod queue;
mod remote;
mod settings;
mod simulation;
mod start;
mod telling;
mod values;
mod wrapper;

pub use child::run_if_worker;
pub use place::join;
pub(crate) use process::Ended;
pub use queue::Background;
pub(crate) use settings::{Settings, written};
pub use simulation::simulate_workers;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::hash::{BuildHasher as _, Hasher as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

use gpurepl_wire::{
    Answer, Command as Order, Done, Failure, FailureKind, Frame, MemoryReport, MimeBundle, Question,
    RandomState,
};

use crate::elsewhere::{Job, Launch};
use crate::interrupt::{INTERRUPTED, Interrupter};
use crate::launch::Meeting;
use crate::output::Sink;
use crate::session_folder::SessionFolder;
use crate::store::Prelude;
use crate::toolchain::Toolchain;
use agreement::Agreement;
use here::Parts;
use patience::{Patience, TIMEOUT};
use process::Process;
use pump::{Event, Line};
use queue::{Receiver, queue};
use start::Beginning;
use telling::pass_on;
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
    /// Where the ranks after the first one come from, if `mpiexec` has started them.
    pub launched: Option<Arc<Meeting>>,
    /// What starts all of them elsewhere, if anything does.
    pub launch: Option<Launch>,
}

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
    /// Whether they have been told where the sequence of random arrays begins.
    is_seeded: bool,
    /// The variables that each rank holds.
    held: Vec<BTreeSet<String>>,
    /// What each rank has said of memory when all were asked last.
    memory: Vec<Option<MemoryReport>>,
    /// Whether MPI has started them: they may wait for each other there, which nothing ends.
    is_mpi: bool,
    /// After how long a cell that listens to no interrupt loses its process, if the user has said so.
    patience: Option<Duration>,
    /// Where several of this machine find each other. It is removed with them.
    _meeting: Option<SessionFolder>,
    /// What has started them elsewhere. It ends with them.
    job: Option<Job>,
}

/// What is known of one of several workers.
#[derive(Clone, Debug)]
pub struct WorkerReport {
    /// Its rank.
    pub rank: usize,
    /// What its machine is called, if `--launch` has had it started.
    pub machine: Option<String>,
    /// The number of its process.
    pub process: i32,
    /// Its device, `cuda:0`; none if it has not said, or has none.
    pub device: Option<String>,
    /// The device's name.
    pub name: String,
    /// How many variables it holds.
    pub variables: usize,
    /// What it has said of memory when it was asked last.
    pub memory: Option<MemoryReport>,
}

/// How long ranks of `mpiexec` may go on with a cell that has failed on one of them.
const AFTER_FAILURE: Duration = Duration::from_secs(10);

/// Output waits here until the front end takes it: then user code waits. Each
/// is 64 KiB at most: an interrupt does not leave much to be shown.
const QUEUE: usize = 32;

/// How long what comes in a row is taken before it is told.
const BATCH: Duration = Duration::from_millis(5);

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
        let patience = patience::limit(std::env::var(TIMEOUT).ok().as_deref())?;
        let parts = Parts { options, settings, toolchain, prelude, interrupter: &interrupter };
        // Of many workers each has room for its answer.
        let (senders, events) = queue(QUEUE.max(2 * count), count);
        let Beginning { processes, meeting, job, is_mpi } = start::start(parts, senders, sink)?;
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
            is_seeded: false,
            held: vec![BTreeSet::new(); count],
            memory: vec![None; count],
            is_mpi,
            patience,
            _meeting: meeting,
            job,
        };
        // Those elsewhere may take long, or be cut off.
        if workers.job.is_some() {
            workers.accept_interrupts();
        }
        let ready = workers.wait_for(sink, |frame| matches!(frame, Frame::Ready).then_some(()));
        workers.refuse_interrupts();
        match ready {
            _ if workers.job.is_some() && workers.interrupter.was_asked() => Err(INTERRUPTED.to_owned()),
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
            WorkerReport {
                rank,
                machine: process.host().map(str::to_owned),
                process: process.number(),
                device,
                name,
                variables: self.held[rank].len(),
                memory: self.memory[rank].clone(),
            }
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
        self.give(order, sink);
        self.answer(sink, answer)
    }

    /// Gives an order, whose answer is to be waited for.
    pub(crate) fn give(&mut self, order: &Order, sink: &mut dyn Sink) {
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
        if matches!(order, Order::Ask(Question::Memory)) {
            self.memory.fill(None);
        }
        self.agreement.begin(&self.taking);
        self.given += 1;
        let seeded = self.seeded(order);
        let order = seeded.as_ref().unwrap_or(order);
        self.processes.iter_mut().for_each(|process| process.send(order));
    }

    /// Waits for the answer to the order that was given last.
    pub(crate) fn answer<R>(
        &mut self,
        sink: &mut dyn Sink,
        answer: impl FnMut(&Frame) -> Option<R>,
    ) -> Result<R, Ended> {
        let result = self.wait_for(sink, answer);
        if self.running.take().is_some() {
            sink.settled();
        }
        result
    }

    /// The first cell with a seed, where there are several workers: each would choose one of its own, and random
    /// arrays would differ.
    fn seeded(&mut self, order: &Order) -> Option<Order> {
        if self.is_seeded || self.processes.len() == 1 {
            return None;
        }
        let Order::Run { random, .. } = order else { return None };
        self.is_seeded = true;
        if random.is_some() {
            return None;
        }
        let mut order = order.clone();
        if let Order::Run { random, .. } = &mut order {
            let seed = std::hash::RandomState::new().build_hasher().finish();
            *random = Some(RandomState { seed, arrays: 0 });
        }
        Some(order)
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
        let mut patience = Patience::new(self.patience);
        let mut answers = Vec::new();
        let mut values = Vec::new();
        let mut failed_since: Option<Instant> = None;
        let (mut told, mut due) = (Instant::now(), self.agreement.due(Instant::now()));
        loop {
            if failed_since.is_some_and(|since| since.elapsed() >= AFTER_FAILURE) {
                let frame = self.give_up_those_that_wait(answers);
                self.agreement.tell_all(self.running, sink);
                let cause = "a rank of the job has failed, and others have not ended the cell".to_owned();
                return frame.and_then(|frame| answer(&frame)).ok_or(Ended { cause, status: None });
            }
            match self.events.recv_timeout(due.map_or(patience.step(), |due| due.min(patience.step()))) {
                Ok((rank, Event::Frame(frame))) => match answer(&frame) {
                    Some(result) if self.processes.len() == 1 => {
                        self.note_held(rank, &frame);
                        return Ok(result);
                    }
                    Some(result) => {
                        self.note_held(rank, &frame);
                        let is_failure = matches!(&*frame, Frame::Done(Done { failure: Some(failure), .. })
                            if failure.kind != FailureKind::Interrupted);
                        if self.is_mpi && is_failure {
                            failed_since.get_or_insert_with(Instant::now);
                        }
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
            // All ranks are looked at for it, so not after each word of each.
            if self.events.is_empty() || told.elapsed() >= BATCH {
                told = Instant::now();
                self.agreement.tell(self.running, told, sink);
                due = self.agreement.due(told);
            }
            if self.interrupter.was_asked() && patience.is_at_its_end() {
                sink.note(
                    "the cell has not stopped: it calls nothing that listens; interrupt again to end its \
                     process, and with it what cannot be replayed",
                );
            }
            if self.interrupter.was_asked() && patience.is_exhausted() {
                sink.note(&format!("its process is ended, as {TIMEOUT} says"));
                self.interrupter.interrupt();
            }
        }
    }

    /// Gives up the processes that have not answered, since one has failed that they wait for, perhaps: what they wait
    /// for in MPI nothing else ends. They are ended when they are next looked at, since their end is that of all to
    /// `mpiexec`, and the failure is to be told before. Returns the answers as one.
    fn give_up_those_that_wait(&mut self, mut answers: Vec<(usize, Frame)>) -> Option<Frame> {
        self.interrupter.clear_workers();
        let failed = answers.iter().find_map(|(_, frame)| match frame {
            Frame::Done(done) if done.failure.is_some() => Some(done.clone()),
            _ => None,
        })?;
        for rank in 0..self.processes.len() {
            if answers.iter().any(|(answered, _)| *answered == rank) {
                continue;
            }
            self.processes[rank].give_up();
            let failure = Failure {
                kind: FailureKind::Ranks,
                message: format!(
                    "it has not ended the cell within {} s after that, and its process is ended",
                    AFTER_FAILURE.as_secs()
                ),
                location: None,
                compile_error: None,
                calls: Vec::new(),
                notes: Vec::new(),
            };
            let done = Done { failure: Some(failure), put: Vec::new(), result: None, ..failed.clone() };
            answers.push((rank, Frame::Done(done)));
        }
        answers::merged(answers, &self.taking)
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
            Frame::Answer(Answer::Memory(report)) => self.memory[rank] = Some(report.clone()),
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
