//! `gpurepl`: an interactive shell for GPU scripting in Rust.
//!
//! | module | what it holds |
//! |---|---|
//! | `arguments` | the command line |
//! | `shell`, `helper` | the prompt, and what helps to type at it |
//! | `batch` | scripts, `-e` and pipes |
//! | `sanitize` | scripts under compute-sanitizer |
//! | `terminal` | what the user sees |
//! | `doctor` | what is missing, and how to get it |
#![warn(missing_docs)]

mod arguments;
mod batch;
mod doctor;
mod helper;
mod sanitize;
mod shell;
mod terminal;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Parser as _;
use gpurepl_session::{Options, Session, cache_text, device_table, run_if_worker};

use arguments::{Arguments, Cache, Command};
use batch::Program;
use terminal::Terminal;

/// How it all ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    /// Every cell succeeded.
    Succeeded,
    /// A cell failed, or there was no session to evaluate it.
    Failed,
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

fn run(arguments: Arguments, terminal: &mut Terminal) -> Status {
    match arguments.command {
        Some(Command::Doctor) => return doctor::run(arguments.device, terminal),
        Some(Command::Devices) => return devices(arguments.device, terminal),
        Some(Command::Cache { what }) => return cache(matches!(what, Some(Cache::Clear)), terminal),
        Some(Command::Sanitize(sanitize)) => return sanitize::run(sanitize, arguments.device, terminal),
        None => {}
    }
    let program = match Program::read(arguments.file.as_deref(), arguments.eval) {
        Ok(program) => program,
        Err(problem) => {
            terminal.error(&problem);
            return Status::Failed;
        }
    };
    let is_pipe = matches!(program, Program::Pipe);
    let is_shell = is_pipe && terminal.is_interactive();
    if is_shell {
        shell::banner(terminal);
    }
    // A pipe holds cells, and a prompt reads the keyboard itself.
    let inherits_stdin = !is_pipe;
    let arguments_of_cells = cell_arguments(arguments.file, arguments.script_arguments);
    let options = Options {
        device: arguments.device,
        arguments: arguments_of_cells,
        inherits_stdin,
        engine: arguments.engine,
        ..Options::default()
    };
    let Some(mut session) = start(options, terminal) else { return Status::Failed };
    on_signals(&session, is_shell);
    terminal.set_interrupter(session.interrupter());
    if is_shell {
        if let Err(problem) = session.warm_up(DEVICE_PATIENCE, terminal) {
            terminal.error(&problem);
        }
        let read = shell::run(&mut session, terminal);
        session.finish(terminal);
        return match read {
            Ok(()) => Status::Succeeded,
            Err(error) => {
                terminal.error(&format!("reading the terminal: {error}"));
                Status::Failed
            }
        };
    }
    program.run(&mut session, terminal)
}

/// What cells see as their program's arguments: the script's name first.
fn cell_arguments(file: Option<PathBuf>, rest: Vec<OsString>) -> Vec<OsString> {
    let program = file.map_or_else(|| "gpurepl".into(), PathBuf::into_os_string);
    std::iter::once(program).chain(rest).collect()
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
/// has nobody to ask twice. Signals that end this process leave no files.
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
