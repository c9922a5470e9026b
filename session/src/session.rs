//! One user's state over time.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gpurepl_wire::{
    Answer, CacheReport, Command as Order, DeviceReport, Frame, MemoryReport, MimeBundle, Question, Setting,
    SlotName, TunedKernel,
};

use crate::analysis::{Analysis, Project};
use crate::cell_name::ASIDES;
use crate::commands::magic::{self, Telling};
use crate::dependencies::{Dependency, DependencyError, Request};
use crate::diagnostic::{Diagnostic, Source};
use crate::elsewhere::Launch;
use crate::engine::evcxr::{EvcxrEngine, EvcxrOptions};
use crate::engine::rustc::RustcEngine;
use crate::engine::{Capabilities, Cell, Edit, Engine, EngineKind, Forget, Outcome, Variable};
use crate::interrupt::Interrupter;
use crate::launch::Meeting;
use crate::output::Sink;
use crate::recovery::{Policy, ReplayPlan};
use crate::store::{self, StoreError};
use crate::toolchain::{Toolchain, ToolchainError};
use crate::transcript::{Entry, Recorder};
use crate::worker::{Background, WorkerOptions, WorkerReport, Wrapper};

/// How a session is started.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The device that cells use, as `GPUREPL_DEVICE` names it; if none, the
    /// environment decides.
    pub device: Option<String>,
    /// The binary that is started as a worker; if none, this process's own.
    /// It must call [`run_if_worker`](crate::run_if_worker) first.
    pub worker: Option<PathBuf>,
    /// What cells see as their program's arguments, its name first.
    pub arguments: Vec<OsString>,
    /// Whether cells can read what this process would read; else the sink is
    /// asked when they read.
    pub inherits_stdin: bool,
    /// Whether the values of cells are kept, for `_` and `Out[3]`.
    pub keeps_results: bool,
    /// Whether values are wanted in HTML and as pictures besides text, as a
    /// notebook shows them. A terminal has no use for them, and the figures of
    /// an array cost a pass over it.
    pub is_rich: bool,
    /// Environment variables for the worker.
    pub environment: Vec<(String, String)>,
    /// A program that runs the worker: NVIDIA's compute-sanitizer, a profiler, a
    /// debugger. The worker then ends by `exit` and is waited for, and what cells
    /// see as their program's name is the worker's own.
    pub worker_wrapper: Wrapper,
    /// Whether the cells of a lost worker are replayed.
    pub replay: Policy,
    /// What evaluates cells.
    pub engine: EngineKind,
    /// How many workers run each cell, from 1 to [`MOST_WORKERS`](crate::MOST_WORKERS); zero is one.
    pub workers: usize,
    /// Where the other ranks of a job of `mpiexec` are met, which become the workers after the first.
    pub launched: Option<Arc<Meeting>>,
    /// What starts the workers elsewhere, if they are not children of this process. It says how many there are.
    pub launch: Option<Launch>,
}

/// Why a session could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There is no Rust toolchain to compile cells with.
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    /// The prelude could not be made ready.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Something that there is with the default engine alone.
    #[error(
        "the engine evcxr runs cells in one process of this machine, not on other workers\n  = help: leave out `--engine evcxr`"
    )]
    Workers,
    /// There is no folder for the session's files.
    #[error("cannot create a temporary folder: {0}\n  = help: set TMPDIR to a writable folder")]
    Folder(std::io::Error),
    /// This process's own binary is not known.
    #[error("cannot locate this executable: {0}")]
    Program(std::io::Error),
}

/// One user's cells, variables and items.
pub struct Session {
    engine: Box<dyn Engine>,
    analysis: Analysis,
    count: u64,
    /// How many texts were run beside the cells.
    asides: u64,
    has_ended: bool,
    /// How many files load each other just now.
    files: usize,
    /// What is reported about every cell's time.
    pub(crate) telling: Telling,
    /// How much the code of cells is optimised: 0 to 3.
    pub(crate) optimisation: u8,
    /// The cells so far, and what became of them.
    pub(crate) transcript: Vec<Entry>,
    /// The folder that `:cd -` goes back to.
    pub(crate) former_folder: Option<PathBuf>,
    /// An example of what was asked about last.
    pub(crate) example: Option<String>,
}

/// What is said where the session has no worker to ask.
const NO_WORKER: &str = "evcxr's process does not answer this; the default engine does (`--engine rustc`)";

/// How long devices may take to be known, where a list of them is wanted.
const DEVICES: Duration = Duration::from_secs(10);

/// Files that load files, at most: one that loads itself would never end.
const MAX_FILES: usize = 16;

impl Session {
    /// Starts a session. The first one for a toolchain builds the prelude,
    /// which takes a minute and reports its progress.
    ///
    /// # Errors
    ///
    /// If there is no toolchain, or the prelude cannot be built.
    pub fn start(options: Options, sink: &mut dyn Sink) -> Result<Session, StartError> {
        let toolchain = Toolchain::find()?;
        let prelude = crate::engine::rustc::prelude(&toolchain, sink)?;
        let program = match options.worker {
            Some(program) => program,
            None => std::env::current_exe().map_err(StartError::Program)?,
        };
        let mut environment = options.environment;
        if let Some(device) = options.device {
            environment.push(("GPUREPL_DEVICE".to_owned(), device));
        }
        let (sources, sysroot) = (store::workspace(&toolchain), Some(toolchain.sysroot.clone()));
        if options.engine == EngineKind::Evcxr
            && (options.workers > 1 || options.launched.is_some() || options.launch.is_some())
        {
            return Err(StartError::Workers);
        }
        if options.engine == EngineKind::Evcxr {
            let options = EvcxrOptions { prelude: sources.clone(), toolchain: Some(toolchain), environment };
            let engine = EvcxrEngine::new(options).map_err(StartError::Folder)?;
            return Ok(Session::over(Box::new(engine), sources, sysroot));
        }
        let (arguments, inherits_stdin) = (options.arguments, options.inherits_stdin);
        let (wrapper, keeps_results) = (options.worker_wrapper, options.keeps_results);
        let launched = options.launched.as_ref().map(|meeting| meeting.ranks());
        let elsewhere = options.launch.as_ref().map(Launch::count);
        let count = elsewhere.or(launched).unwrap_or(options.workers).max(1);
        // Several would take lines from each other, and those elsewhere have another one.
        let inherits_stdin = inherits_stdin && count == 1 && elsewhere.is_none();
        let worker = WorkerOptions {
            program,
            environment,
            arguments,
            inherits_stdin,
            wrapper,
            count,
            launched: options.launched,
            launch: options.launch,
        };
        let mut engine = RustcEngine::new(toolchain, prelude, worker, keeps_results)?;
        engine.set_replay(options.replay);
        engine.set_rich(options.is_rich);
        Ok(Session::over(Box::new(engine), sources, sysroot))
    }

    /// A session whose analyser knows the prelude.
    fn over(engine: Box<dyn Engine>, prelude: Option<PathBuf>, sysroot: Option<PathBuf>) -> Session {
        let folder = engine.folder().to_owned();
        let analysis = Analysis::new(Project { prelude, sysroot, folder });
        Session { analysis, ..Session::with_engine(engine) }
    }

    /// A session over any engine: front ends are tested with one that needs
    /// no compiler.
    pub fn with_engine(engine: Box<dyn Engine>) -> Session {
        let project = Project { folder: engine.folder().to_owned(), ..Project::default() };
        Session {
            engine,
            analysis: Analysis::new(project),
            count: 0,
            asides: 0,
            has_ended: false,
            files: 0,
            telling: Telling::default(),
            optimisation: 0,
            transcript: Vec::new(),
            former_folder: None,
            example: None,
        }
    }

    /// Completion and documentation, for as long as someone wants them.
    pub fn analysis(&self) -> Analysis {
        self.analysis.clone()
    }

    /// The type of an expression, which is not evaluated; nothing if neither
    /// the engine nor the analyser can tell.
    pub fn type_of(&mut self, expression: &str) -> Option<Result<String, Box<Diagnostic>>> {
        match self.engine.capabilities_mut() {
            Some(engine) => Some(engine.type_of(expression)),
            None => self.analysis.type_of(expression).map(Ok),
        }
    }

    /// An example of the name that was asked about last, `?name`, as a cell; until something else is evaluated.
    pub fn example(&self) -> Option<&str> {
        self.example.as_deref()
    }

    /// The number of the next cell.
    pub fn next_cell(&self) -> u64 {
        self.count + 1
    }

    /// Evaluates a text that is a cell, not a command. Also returns what the
    /// cell wants reported about its time.
    pub(crate) fn evaluate(
        &mut self,
        source: &str,
        name: &str,
        first_line: usize,
        sink: &mut dyn Sink,
    ) -> (Outcome, Telling) {
        self.count += 1;
        self.example = None;
        let cell = match self.cell(self.count, source, name, first_line) {
            Ok(cell) => cell,
            Err(problem) => {
                sink.diagnostic(&problem);
                return (Outcome::Failed(problem), Telling::Nothing);
            }
        };
        let mut recorder = Recorder::new(sink);
        let outcome = self.engine.evaluate(&cell, &mut recorder);
        recorder.finish(&mut self.transcript, cell.id, source, outcome.is_done());
        self.analysis.update(self.engine.variables(), self.engine.definitions());
        (outcome, self.telling.max(cell.manner.telling))
    }

    /// Leaves out a number: where commands have numbers too, as in notebooks,
    /// it is that of a command.
    pub fn skip_cell(&mut self) {
        self.count += 1;
    }

    /// Evaluates a text that is not a cell of the user's: it takes no number, its
    /// value is not kept, and it is not saved with the cells.
    pub fn run_aside(&mut self, source: &str, name: &str, sink: &mut dyn Sink) -> Outcome {
        self.asides += 1;
        let mut cell = match self.cell(ASIDES + self.asides, source, name, 1) {
            Ok(cell) => cell,
            Err(problem) => {
                sink.diagnostic(&problem);
                return Outcome::Failed(problem);
            }
        };
        cell.manner.is_aside = true;
        let outcome = self.engine.evaluate(&cell, sink);
        self.analysis.update(self.engine.variables(), self.engine.definitions());
        outcome
    }

    /// How much memory of the device is used.
    ///
    /// # Errors
    ///
    /// If no worker can be started, or it has no device.
    pub fn memory(&mut self, sink: &mut dyn Sink) -> Result<MemoryReport, String> {
        match self.question(Question::Memory, sink)? {
            Answer::Memory(report) => Ok(report),
            _ => Err("unexpected answer from the worker".to_owned()),
        }
    }

    /// A text as a cell, its magics read.
    pub(crate) fn cell(
        &self,
        id: u64,
        source: &str,
        name: &str,
        first_line: usize,
    ) -> Result<Cell, Box<Diagnostic>> {
        let name = name.to_owned();
        match magic::read(source) {
            Ok(None) => Ok(Cell { id, source: source.to_owned(), name, first_line, ..Cell::default() }),
            Ok(Some(magic::Read { text, manner })) => {
                let shown = Some(source.to_owned());
                Ok(Cell { id, source: text, name, first_line, manner, shown })
            }
            Err(error) => {
                let text = source.to_owned();
                let source = Source { cell: id, name, text, first_line };
                Err(Box::new(Diagnostic::error(error.message).at(source, error.range)))
            }
        }
        .map(|mut cell| {
            cell.manner.telling = cell.manner.telling.max(self.telling);
            cell.manner.optimisation = cell.manner.optimisation.or(Some(self.optimisation));
            cell
        })
    }

    /// Starts the worker now, so that the device gets ready before the first
    /// cell, and waits a little for it.
    ///
    /// # Errors
    ///
    /// If the worker cannot be started.
    pub fn warm_up(&mut self, time: Duration, sink: &mut dyn Sink) -> Result<(), String> {
        self.engine.warm_up(time, sink)
    }

    /// Whether a command has ended the session.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    pub(crate) fn end(&mut self) {
        self.has_ended = true;
    }

    /// Begins to load a file; false if too many load each other.
    pub(crate) fn enter_file(&mut self) -> bool {
        self.files += 1;
        let is_allowed = self.files <= MAX_FILES;
        if !is_allowed {
            self.files -= 1;
        }
        is_allowed
    }

    pub(crate) fn leave_file(&mut self) {
        self.files -= 1;
    }

    /// Passes on what was printed since the last cell.
    pub fn drain(&mut self, sink: &mut dyn Sink) {
        self.engine.drain(sink);
    }

    /// Lets another thread pass on what the user's threads print while no cell
    /// is evaluated: output appears while the user types. It has to be stopped
    /// before the next cell or command.
    pub fn background(&self) -> Option<Background> {
        self.engine.capabilities()?.background()
    }

    /// The variables, by name.
    pub fn variables(&self) -> Vec<Variable> {
        self.engine.variables()
    }

    /// The names of items that cells have defined or imported.
    pub fn items(&self) -> Vec<String> {
        self.engine.items()
    }

    /// Makes crates ready for later cells to use; builds them if need be.
    ///
    /// # Errors
    ///
    /// If they cannot be had; nothing has changed then.
    pub fn add_dependencies(
        &mut self,
        requests: &[Request],
        sink: &mut dyn Sink,
    ) -> Result<(), DependencyError> {
        let engine = self.able("this engine takes no dependencies").map_err(DependencyError::Refused)?;
        engine.add_dependencies(requests, sink)
    }

    /// The crates that were added, by name.
    pub fn dependencies(&self) -> Vec<Dependency> {
        self.engine.capabilities().map_or_else(Vec::new, |engine| engine.dependencies())
    }

    /// Forgets all variables and items; the worker is restarted.
    ///
    /// # Errors
    ///
    /// If it cannot be restarted.
    pub fn reset(&mut self, sink: &mut dyn Sink) -> Result<(), String> {
        let reset = self.engine.reset(sink);
        self.analysis.update(self.engine.variables(), self.engine.definitions());
        reset
    }

    /// Ends the session: drops all variables, the newest first, so that files
    /// are written and destructors run.
    pub fn finish(&mut self, sink: &mut dyn Sink) {
        self.engine.finish(sink);
    }

    /// How many workers run each cell.
    pub fn workers(&self) -> usize {
        self.engine.capabilities().map_or(1, |engine| engine.workers().0)
    }

    /// What is known of each worker, by rank.
    pub(crate) fn worker_reports(&self) -> Vec<WorkerReport> {
        self.engine.capabilities().map_or_else(Vec::new, |engine| engine.workers().1)
    }

    /// Starts the workers if none run, and waits a little until their devices are known.
    pub(crate) fn know_workers(&mut self, sink: &mut dyn Sink) -> Result<(), String> {
        self.able("this engine has one worker")?;
        self.engine.warm_up(DEVICES, sink)
    }

    /// The values that the last cell with a value has shown on each rank.
    pub(crate) fn values_by_rank(&self) -> Vec<(usize, MimeBundle)> {
        self.engine.capabilities().map_or_else(Vec::new, |engine| engine.values_by_rank())
    }

    /// Has so many workers run each cell from now on, a number from [`number_of_workers`](crate::number_of_workers): the
    /// cells so far are replayed on them.
    ///
    /// # Errors
    ///
    /// If they cannot be started.
    pub fn set_workers(&mut self, count: usize, sink: &mut dyn Sink) -> Result<(), String> {
        self.able("this engine has one worker")?.set_workers(count, sink)
    }

    /// Sets whether the cells of a lost worker are replayed.
    pub fn set_replay(&mut self, policy: Policy) {
        if let Some(engine) = self.engine.capabilities_mut() {
            engine.set_replay(policy);
        }
    }

    /// What a replay would do.
    pub fn replay_plan(&self) -> ReplayPlan {
        self.engine.capabilities().map_or_else(ReplayPlan::default, |engine| engine.replay_plan())
    }

    /// Brings back by a replay what was lost, and has not been tried yet.
    ///
    /// # Errors
    ///
    /// If nothing is lost, or nothing can be replayed.
    pub fn replay(&mut self, sink: &mut dyn Sink) -> Result<(), String> {
        self.able("this engine replays nothing")?.replay(sink)
    }

    /// The folder of the session's files; it is removed with the session.
    pub fn folder(&self) -> &Path {
        self.engine.folder()
    }

    /// A way to interrupt the cell that is being evaluated.
    pub fn interrupter(&self) -> Interrupter {
        self.engine.interrupter()
    }

    /// The devices of this machine.
    ///
    /// # Errors
    ///
    /// If no worker can be started.
    pub fn devices(&mut self, sink: &mut dyn Sink) -> Result<Vec<DeviceReport>, String> {
        self.ask(&Order::Devices, sink, |frame| match frame {
            Frame::Devices(devices) => Some(devices.clone()),
            _ => None,
        })
    }

    /// The cache of compiled kernels; `clear` empties it.
    ///
    /// # Errors
    ///
    /// If no worker can be started.
    pub fn cache(&mut self, clear: bool, sink: &mut dyn Sink) -> Result<CacheReport, String> {
        self.ask(&Order::Cache { clear }, sink, |frame| match frame {
            Frame::Cache(report) => Some(report.clone()),
            _ => None,
        })
    }

    /// The best variants of kernels that tuners have found; `clear` forgets them.
    ///
    /// # Errors
    ///
    /// If no worker can be started.
    pub fn tuned(&mut self, clear: bool, sink: &mut dyn Sink) -> Result<Vec<TunedKernel>, String> {
        self.ask(&Order::Tuned { clear }, sink, |frame| match frame {
            Frame::Tuned(kernels) => Some(kernels.clone()),
            _ => None,
        })
    }

    /// Calls a function that a cell has shown with [`Interaction`](gpurepl_wire::Interaction)
    /// again; what it shows comes as a result.
    pub fn interact(&mut self, id: u64, settings: Vec<Setting>, sink: &mut dyn Sink) -> Outcome {
        match self.able("this engine has no controls") {
            Ok(engine) => engine.interact(id, settings, sink),
            Err(problem) => Outcome::Failed(Box::new(Diagnostic::error(problem))),
        }
    }

    /// Asks the worker a question.
    pub(crate) fn question(&mut self, question: Question, sink: &mut dyn Sink) -> Result<Answer, String> {
        let answer = self.ask(&Order::Ask(question), sink, |frame| match frame {
            Frame::Answer(answer) => Some(answer.clone()),
            _ => None,
        })?;
        match answer {
            Answer::Problem(problem) => Err(problem),
            answer => Ok(answer),
        }
    }

    /// What only some engines can do, for commands.
    ///
    /// # Errors
    ///
    /// The refusal, if this one cannot.
    pub(crate) fn capabilities(&self, refusal: &str) -> Result<&dyn Capabilities, String> {
        self.engine.capabilities().ok_or_else(|| refusal.to_owned())
    }

    /// As [`capabilities`](Session::capabilities), to change something.
    fn able(&mut self, refusal: &str) -> Result<&mut dyn Capabilities, String> {
        self.engine.capabilities_mut().ok_or_else(|| refusal.to_owned())
    }

    /// Forgets some of the variables or items.
    pub(crate) fn forget(&mut self, what: &Forget, sink: &mut dyn Sink) -> Result<Vec<String>, String> {
        self.able("this engine forgets all or nothing: `:reset`")?.forget(what, sink)
    }

    /// The variables as the worker knows them.
    pub(crate) fn slots(&self) -> Vec<SlotName> {
        self.engine.capabilities().map_or_else(Vec::new, |engine| engine.slots())
    }

    /// Notes what the worker was asked to change, for a worker that takes its
    /// place.
    pub(crate) fn note_setting(&mut self, change: &Question) {
        if let Some(engine) = self.engine.capabilities_mut() {
            engine.note_setting(change);
        }
    }

    /// What to edit in cells so that they need no values which only this
    /// session keeps.
    pub(crate) fn named_results(&self, cells: &[Cell]) -> Result<BTreeMap<u64, Vec<Edit>>, String> {
        self.engine.capabilities().map_or_else(|| Ok(BTreeMap::new()), |engine| engine.named_results(cells))
    }

    /// Asks the worker something that is not a cell.
    fn ask<R>(
        &mut self,
        order: &Order,
        sink: &mut dyn Sink,
        read: impl Fn(&Frame) -> Option<R>,
    ) -> Result<R, String> {
        let mut result = None;
        self.able(NO_WORKER)?.ask(
            order,
            &mut |frame| {
                result = read(frame);
                result.is_some()
            },
            sink,
        )?;
        result.ok_or_else(|| "the worker has not answered".to_owned())
    }
}
