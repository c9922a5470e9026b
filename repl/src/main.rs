//! `gpurepl`: an interactive shell for GPU scripting in Rust.
//!
//! | module | what it holds |
//! |---|---|
//! | `arguments`, `manual` | the command line; its completions and its manual page |
//! | `config`, `theme` | what the user has chosen for good; colours |
//! | `shell` | the prompt: what is done with what is typed |
//! | `keyboard`, `helper`, `keys` | the line editor, what it asks, what keys do |
//! | `highlight`, `indent`, `completion` | what helps to type |
//! | `tty` | what the terminal sends and nothing reads |
//! | `history`, `editor`, `system` | earlier cells, the user's editor, `!` commands |
//! | `background` | what threads print while the user types |
//! | `batch` | scripts, notebooks, `-e` and pipes |
//! | `debug` | scripts under a debugger |
//! | `sanitize` | scripts under compute-sanitizer |
//! | `store` | the store built, carried, cleaned |
//! | `terminal`, `confirm` | what the user sees, and is asked |
//! | `doctor` | what is missing, and how to get it |
//! | `tutorial` | the chapters of the course, cell by cell |
#![warn(missing_docs)]

mod arguments;
mod background;
mod batch;
mod completion;
mod config;
mod confirm;
mod debug;
mod doctor;
mod editor;
mod helper;
mod highlight;
mod history;
mod indent;
mod keyboard;
mod keys;
mod manual;
mod sanitize;
mod shell;
mod store;
mod system;
mod terminal;
mod theme;
mod tty;
mod tutorial;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Parser as _;
use gpurepl_session::launch::{Launched, Meeting};
use gpurepl_session::{
    EngineKind, Launch, Options, ReplayPolicy, Session, Sink as _, cache_text, device_table, run_if_worker,
};

use arguments::{Arguments, Cache, Command};
use batch::{Program, Settings};
use config::Config;
use keyboard::Keyboard;
use terminal::Terminal;

/// How it all ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    /// Every cell succeeded.
    Succeeded,
    /// A cell failed, or there was no session to evaluate it.
    Failed,
    /// The configuration is wrong, as the command line can be.
    Misused,
    /// The user interrupted a script.
    Interrupted,
    /// A cell has ended its process with this status.
    Exited(u8),
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        match status {
            Status::Succeeded => ExitCode::SUCCESS,
            Status::Failed => ExitCode::from(1),
            // As the parser of the command line does.
            Status::Misused => ExitCode::from(2),
            // As shells report a program that SIGINT has ended.
            Status::Interrupted => ExitCode::from(130),
            Status::Exited(status) => ExitCode::from(status),
        }
    }
}

/// How long the prompt waits for the device, to name it first.
const DEVICE_PATIENCE: Duration = Duration::from_millis(60);

fn main() -> ExitCode {
    run_if_worker();
    let arguments = Arguments::parse();
    let mut terminal = Terminal::new();
    run(arguments, &mut terminal).into()
}

fn run(mut arguments: Arguments, terminal: &mut Terminal) -> Status {
    match arguments.command {
        Some(Command::Completions { shell }) => return manual::completions(shell, terminal),
        Some(Command::Man) => return manual::page(terminal),
        Some(Command::Join { address }) => {
            return match gpurepl_session::join(&address) {
                Ok(()) => Status::Succeeded,
                Err(problem) => {
                    terminal.error(&problem);
                    Status::Failed
                }
            };
        }
        _ => {}
    }
    let mut config = match Config::read() {
        Ok(config) => config,
        Err(diagnostic) => {
            terminal.diagnostic(&diagnostic);
            return Status::Misused;
        }
    };
    config.theme = arguments.theme.unwrap_or(config.theme);
    config.edit_mode = arguments.edit_mode.unwrap_or(config.edit_mode);
    config.pictures = arguments.pictures.unwrap_or(config.pictures);
    terminal.set_theme(config.theme.theme());
    terminal.set_pictures(config.pictures);
    arguments.device = arguments.device.or_else(|| configured_device(&config));
    match arguments.command {
        Some(Command::Doctor) => doctor::run(arguments.device, terminal),
        Some(Command::Devices) => devices(arguments.device, terminal),
        Some(Command::Cache { what }) => cache(matches!(what, Some(Cache::Clear)), terminal),
        Some(Command::Store { what }) => store::run(&what, terminal),
        Some(Command::Debug(debug)) => debug::run(debug, arguments.device, terminal),
        Some(Command::Tutorial { chapter, restart }) => {
            tutor(&chapter.join(" "), restart, arguments.device, &config, terminal)
        }
        Some(Command::Sanitize(sanitize)) => sanitize::run(sanitize, arguments.device, terminal),
        Some(Command::Completions { .. } | Command::Man | Command::Join { .. }) | None => {
            evaluate(arguments, &config, terminal)
        }
    }
}

/// Where the other ranks come that `mpiexec` has started beside this process, on this machine. A rank other than the
/// first becomes a worker here and does not come back.
///
/// # Errors
///
/// If this is such a rank and could not become one, or the others cannot be met.
fn meet(arguments: &Arguments) -> Result<Option<Arc<Meeting>>, String> {
    // Who says how many workers there are means those of this session.
    let is_elsewhere = arguments.launch.is_some() || arguments.listen.is_some();
    if arguments.workers.is_some() || is_elsewhere || arguments.engine != EngineKind::Rustc {
        return Ok(None);
    }
    match Launched::by_environment() {
        Some(launched) if launched.rank > 0 => Err(launched.join()),
        Some(launched) => launched.listen().map(|meeting| Some(Arc::new(meeting))).map_err(|error| {
            format!(
                "the other ranks of this job cannot be met: {error}\n  = help: `--workers 1` makes each rank a session \
                 of its own"
            )
        }),
        None => Ok(None),
    }
}

/// The device of the configuration, unless the environment names another.
fn configured_device(config: &Config) -> Option<String> {
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    config.device.clone().filter(|_| !["GPUREPL_DEVICE", "CUDA_DEVICE"].iter().any(is_set))
}

/// Evaluates cells: of a script, of `-e`, of a pipe, of a user at a prompt.
fn evaluate(arguments: Arguments, config: &Config, terminal: &mut Terminal) -> Status {
    let launched = match meet(&arguments) {
        Ok(launched) => launched,
        Err(problem) => {
            terminal.error(&problem);
            return Status::Failed;
        }
    };
    let (launch, listen) = (arguments.launch.as_deref(), arguments.listen.as_deref());
    let launch = match Launch::read(launch, arguments.workers, listen) {
        Ok(launch) => launch,
        Err(problem) => {
            terminal.error(&problem);
            return Status::Misused;
        }
    };
    let ranks = launch.as_ref().map(Launch::count).or(launched.as_ref().map(|meeting| meeting.ranks()));
    let workers = ranks.or(arguments.workers).unwrap_or(1);
    let script = arguments.script().map(|(file, _)| file);
    let program = match Program::read(script, arguments.eval.clone()) {
        Ok(program) => program,
        Err(problem) => {
            terminal.error(&problem);
            return Status::Failed;
        }
    };
    let has_program = !matches!(program, Program::Pipe);
    let is_shell = terminal.is_interactive() && (arguments.interactive || !has_program);
    if is_shell {
        shell::banner(terminal);
    }
    // A pipe holds cells, and a prompt reads the keyboard itself.
    let inherits_stdin = has_program && !arguments.interactive;
    // A script ends with its worker: what it did must not be done twice.
    let is_prompt = !has_program || arguments.interactive;
    let replay = if is_prompt { ReplayPolicy::On } else { ReplayPolicy::Off };
    let is_elsewhere = launch.is_some();
    let options = Options {
        device: arguments.device,
        arguments: cell_arguments(arguments.script),
        inherits_stdin,
        keeps_results: is_prompt || program.asks_for_values(),
        replay,
        engine: arguments.engine,
        workers,
        launched,
        launch,
        ..Options::default()
    };
    terminal.set_reads_input(inherits_stdin && (workers > 1 || is_elsewhere));
    let Some(mut session) = start(options, terminal) else { return Status::Failed };
    on_signals(&session, is_shell);
    terminal.set_interrupter(session.interrupter());
    let settings =
        Settings { is_timed: arguments.time, is_quiet: arguments.quiet, is_followed: arguments.interactive };
    if !is_shell {
        let mut status = program.run(settings, &mut session, terminal);
        if arguments.interactive && has_program && status == Status::Succeeded && !session.has_ended() {
            status = Program::Pipe.run(settings, &mut session, terminal);
        }
        if status != Status::Interrupted {
            session.finish(terminal);
        }
        return status;
    }
    if has_program {
        // Whatever becomes of the script, the user wants to look at it.
        program.run(settings, &mut session, terminal);
        terminal.set_quiet(false);
    } else {
        if let Err(problem) = session.warm_up(DEVICE_PATIENCE, terminal) {
            terminal.error(&problem);
        }
        if !arguments.no_startup {
            match config.startup() {
                Ok(None) => {}
                Ok(Some(startup)) => shell::start_up(&startup, &mut session, terminal),
                Err(problem) => terminal.error(&problem),
            }
        }
    }
    let read = Keyboard::new(config, terminal)
        .and_then(|mut keyboard| shell::run(&mut keyboard, &mut session, terminal));
    session.finish(terminal);
    match read {
        Ok(()) => Status::Succeeded,
        Err(error) => {
            terminal.error(&format!("reading the terminal: {error}"));
            Status::Failed
        }
    }
}
/// What cells see as their program's arguments: the script's name first.
fn cell_arguments(script: Vec<OsString>) -> Vec<OsString> {
    if script.is_empty() { vec!["gpurepl".into()] } else { script }
}

fn start(options: Options, terminal: &mut Terminal) -> Option<Session> {
    match Session::start(options, terminal) {
        Ok(session) => Some(session),
        Err(error) => {
            terminal.error(&error.to_string());
            None
        }
    }
}

/// Lists the chapters of the course, or goes through one.
fn tutor(
    chapter: &str,
    is_new: bool,
    device: Option<String>,
    config: &Config,
    terminal: &mut Terminal,
) -> Status {
    if chapter.is_empty() {
        tutorial::list(terminal);
        return Status::Succeeded;
    }
    let chapter = match tutorial::find(chapter) {
        Ok(chapter) => chapter,
        Err(problem) => {
            terminal.error(&problem);
            return Status::Misused;
        }
    };
    let is_shell = terminal.is_interactive();
    let options = Options { device, keeps_results: true, replay: ReplayPolicy::On, ..Options::default() };
    let Some(mut session) = start(options, terminal) else { return Status::Failed };
    on_signals(&session, is_shell);
    terminal.set_interrupter(session.interrupter());
    let status = if is_shell {
        if let Err(problem) = session.warm_up(DEVICE_PATIENCE, terminal) {
            terminal.error(&problem);
        }
        let walked = Keyboard::new(config, terminal)
            .and_then(|mut keyboard| tutorial::walk(&chapter, is_new, &mut keyboard, &mut session, terminal));
        match walked {
            Ok(()) => Status::Succeeded,
            Err(error) => {
                terminal.error(&format!("reading the terminal: {error}"));
                Status::Failed
            }
        }
    } else {
        tutorial::run_all(&chapter, &mut session, terminal)
    };
    session.finish(terminal);
    status
}

fn devices(device: Option<String>, terminal: &mut Terminal) -> Status {
    let Some(mut session) = start(Options { device, ..Options::default() }, terminal) else {
        return Status::Failed;
    };
    match session.devices(&mut gpurepl_session::Deaf) {
        Ok(devices) => {
            terminal.line(&device_table(&devices), anstyle::Style::new());
            if devices.iter().any(|device| device.is_default) { Status::Succeeded } else { Status::Failed }
        }
        Err(problem) => {
            terminal.error(&problem);
            Status::Failed
        }
    }
}

/// Tells about the cache of compiled kernels, or empties it. No device is
/// needed for it, and the host is one that always works.
fn cache(clear: bool, terminal: &mut Terminal) -> Status {
    let options = Options { device: Some("host".to_owned()), ..Options::default() };
    let Some(mut session) = start(options, terminal) else { return Status::Failed };
    match session.cache(clear, terminal) {
        Ok(report) => {
            terminal.line(&cache_text(&report, clear), anstyle::Style::new());
            Status::Succeeded
        }
        Err(problem) => {
            terminal.error(&problem);
            Status::Failed
        }
    }
}

/// How long a script may take to end after an interrupt.
const SCRIPT_PATIENCE: Duration = Duration::from_millis(800);

/// Passes Ctrl-C on to the cell that is being evaluated; at the prompt the
/// line editor reads it as a key. A script that does not listen is ended: it
/// has no user to ask twice. Signals that end this process leave no files.
fn on_signals(session: &Session, is_shell: bool) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let (interrupter, folder) = (session.interrupter(), session.folder().to_owned());
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP]) else { return };
    std::thread::spawn(move || {
        for signal in &mut signals {
            if signal != SIGINT {
                // The worker ends with the channel.
                let _ = std::fs::remove_dir_all(&folder);
                std::process::exit(128 + signal);
            }
            batch::INTERRUPTED.store(true, Ordering::Relaxed);
            interrupter.interrupt();
            if !is_shell {
                let interrupter = interrupter.clone();
                std::thread::spawn(move || {
                    std::thread::sleep(SCRIPT_PATIENCE);
                    interrupter.interrupt();
                });
            }
        }
    });
}
