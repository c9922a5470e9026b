//! `gpurepl`: an interactive shell for GPU scripting in Rust.
//!
//! | module | what it holds |
//! |---|---|
//! | `arguments` | the command line |
//! | `shell`, `helper` | the prompt, and what helps to type at it |
//! | `batch` | scripts, `-e` and pipes |
//! | `terminal` | what the user sees |
//! | `doctor` | what is missing, and how to get it |
#![warn(missing_docs)]

mod arguments;
mod batch;
mod doctor;
mod helper;
mod shell;
mod terminal;

use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Parser as _;
use gpurepl_session::{Interrupter, Options, Session, device_table, run_if_worker};

use arguments::{Arguments, Command};
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
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        match status {
            Status::Succeeded => ExitCode::SUCCESS,
            Status::Failed => ExitCode::from(1),
            // As shells report a program that SIGINT has ended.
            Status::Interrupted => ExitCode::from(130),
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
        None => {}
    }
    let script = match arguments.file.as_deref().map(|path| (path, batch::read_script(path))) {
        None => None,
        Some((path, Ok(text))) => Some((text, path.display().to_string())),
        Some((_, Err(problem))) => {
            terminal.error(&problem);
            return Status::Failed;
        }
    };
    let is_pipe = script.is_none() && arguments.eval.is_empty();
    let is_shell = is_pipe && terminal.is_interactive();
    if is_shell {
        shell::banner(terminal);
    }
    // A pipe holds cells, and a prompt reads the keyboard itself.
    let inherits_stdin = !is_pipe;
    let Some(mut session) =
        start(Options { device: arguments.device, inherits_stdin, ..Options::default() }, terminal)
    else {
        return Status::Failed;
    };
    on_interrupt(session.interrupter());
    terminal.set_interrupter(session.interrupter());
    if is_shell {
        if let Err(problem) = session.warm_up(DEVICE_PATIENCE, terminal) {
            terminal.error(&problem);
        }
        return match shell::run(&mut session, terminal) {
            Ok(()) => Status::Succeeded,
            Err(error) => {
                terminal.error(&format!("reading the terminal: {error}"));
                Status::Failed
            }
        };
    }
    let status = match &script {
        Some((text, name)) => batch::run_script(text, name, &mut session, terminal),
        None if is_pipe => batch::run_pipe(&mut session, terminal),
        None => batch::run_codes(&arguments.eval, &mut session, terminal),
    };
    session.drain(terminal);
    status
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

/// Passes Ctrl-C on to the cell that is being evaluated; at the prompt the
/// line editor reads it as a key.
fn on_interrupt(interrupter: Interrupter) {
    let Ok(mut signals) = signal_hook::iterator::Signals::new([signal_hook::consts::SIGINT]) else { return };
    std::thread::spawn(move || {
        for _ in &mut signals {
            batch::INTERRUPTED.store(true, Ordering::Relaxed);
            interrupter.interrupt();
        }
    });
}
