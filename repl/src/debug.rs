//! Scripts under a debugger: cuda-gdb on a GPU, gdb or lldb on the host device.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gpurepl_session::debugger::{Debugger, DebuggerCommands};
use gpurepl_session::{Options, ReplayPolicy, Sink as _};

use crate::Status;
use crate::arguments::Debug;
use crate::batch::{Program, Settings};
use crate::terminal::Terminal;

/// Runs a script with a debugger at the terminal.
pub fn run(arguments: Debug, device: Option<String>, terminal: &mut Terminal) -> Status {
    let program = match Program::read(arguments.file.as_deref(), arguments.eval) {
        Ok(program) => program,
        Err(problem) => {
            terminal.error(&problem);
            return Status::Failed;
        }
    };
    let Some(is_host) = crate::sanitize::is_host(device.as_deref(), terminal) else { return Status::Failed };
    let debugger = match Debugger::find(arguments.debugger.as_deref(), is_host) {
        Ok(debugger) => debugger,
        Err(error) => {
            terminal.error(&error.to_string());
            return Status::Failed;
        }
    };
    let told =
        DebuggerCommands { commands: arguments.ex, files: arguments.commands, is_batch: arguments.batch };
    if told.commands.is_empty() && told.files.is_empty() {
        terminal.note(&format!(
            "{} has the terminal: `break KERNEL` or `break kernel.cu:LINE`, then `run`; `quit` ends both",
            debugger.name()
        ));
    }
    let options = Options {
        device,
        arguments: crate::cell_arguments(
            arguments.file.map(Into::into).into_iter().chain(arguments.script_arguments).collect(),
        ),
        inherits_stdin: true,
        environment: debugger.environment(),
        worker_wrapper: debugger.wrapper(&told),
        // A worker that is gone was ended by the user.
        replay: ReplayPolicy::Off,
        ..Options::default()
    };
    // Ctrl-C stops the program within the debugger, which goes on with this one.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::new(AtomicBool::new(false)));
    let Some(mut session) = crate::start(options, terminal) else { return Status::Failed };
    let status = program.run(Settings::default(), &mut session, terminal);
    session.finish(terminal);
    status
}
