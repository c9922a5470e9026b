//! Scripts under NVIDIA's compute-sanitizer; on the host device, which has
//! checks of its own, under these.

use gpurepl_session::sanitizer::{Report, Sanitizer, SanitizerError, Tool};
use gpurepl_session::{Deaf, Options, Sink as _};

use crate::Status;
use crate::arguments::Sanitize;
use crate::batch::Program;
use crate::terminal::Terminal;

/// Runs a script, and shows what is wrong with its kernels.
pub fn run(arguments: Sanitize, device: Option<String>, terminal: &mut Terminal) -> Status {
    let tool = arguments.tool;
    let program = match Program::read(arguments.file.as_deref(), arguments.eval) {
        Ok(program) => program,
        Err(problem) => {
            terminal.error(&problem);
            return Status::Failed;
        }
    };
    let Some(is_host) = is_host(device.as_deref(), terminal) else { return Status::Failed };
    let options = Options {
        device,
        arguments: crate::cell_arguments(
            arguments.file.map(Into::into).into_iter().chain(arguments.script_arguments).collect(),
        ),
        inherits_stdin: true,
        ..Options::default()
    };
    if is_host {
        return run_on_host(tool, &program, options, terminal);
    }
    match Sanitizer::find(tool) {
        Ok(sanitizer) => run_under(&sanitizer, tool, &program, options, terminal),
        Err(error) => refuse(&error, terminal),
    }
}

/// Whether cells run on the host device: the requested one, else what a
/// session chooses.
pub fn is_host(device: Option<&str>, terminal: &mut Terminal) -> Option<bool> {
    let named = std::env::var("GPUREPL_DEVICE").ok().filter(|name| !name.is_empty());
    if let Some(name) = device.or(named.as_deref()) {
        return Some(name == "host");
    }
    let mut session = crate::start(Options::default(), terminal)?;
    match session.devices(&mut Deaf) {
        Ok(devices) => Some(devices.iter().any(|device| device.is_default && device.id == "host")),
        Err(problem) => {
            terminal.error(&problem);
            None
        }
    }
}

fn refuse(error: &SanitizerError, terminal: &mut Terminal) -> Status {
    terminal.error(&error.to_string());
    Status::Failed
}

fn run_on_host(tool: Tool, program: &Program, mut options: Options, terminal: &mut Terminal) -> Status {
    let name = tool.name();
    if !tool.is_on_host() {
        return refuse(&SanitizerError::NotOnHost { tool: name }, terminal);
    }
    terminal.note(&format!("{name}: the host device checks its kernels itself, as with GPUREPL_CHECK=1"));
    // One that asks for more stays.
    let asked = std::env::var("GPUREPL_CHECK").ok().filter(|asked| asked.trim() == "nan");
    options.environment.push(("GPUREPL_CHECK".to_owned(), asked.unwrap_or_else(|| "1".to_owned())));
    terminal.set_kernels(program.texts());
    let status = evaluate(program, options, terminal);
    if status == Status::Succeeded {
        let limit = match tool {
            Tool::Synccheck => {
                "; a barrier that threads miss because they have exited is only found on a GPU"
            }
            _ => "",
        };
        terminal.note(&format!("{name}: no errors{limit}"));
    }
    status
}

fn run_under(
    sanitizer: &Sanitizer,
    tool: Tool,
    program: &Program,
    mut options: Options,
    terminal: &mut Terminal,
) -> Status {
    options.worker_wrapper = sanitizer.wrapper();
    options.environment.extend(sanitizer.environment());
    let status = evaluate(program, options, terminal);
    let report = match sanitizer.report() {
        Ok(report) => report,
        // A script of items alone, or one that does not compile, may have
        // started no worker.
        Err(_) if status == Status::Failed || status == Status::Interrupted => return status,
        Err(error) => return refuse(&error, terminal),
    };
    if show(&report, tool, program, terminal) { Status::Failed } else { status }
}

/// Runs the cells in a session that has ended with all its workers when this
/// returns: only then there is a report.
fn evaluate(program: &Program, options: Options, terminal: &mut Terminal) -> Status {
    let Some(mut session) = crate::start(options, terminal) else { return Status::Failed };
    crate::on_signals(&session, false);
    terminal.set_interrupter(session.interrupter());
    let status = program.run(crate::batch::Settings::default(), &mut session, terminal);
    if status != Status::Interrupted {
        session.finish(terminal);
    }
    status
}

/// Shows a report. Returns whether there are errors in it, or may be.
fn show(report: &Report, tool: Tool, program: &Program, terminal: &mut Terminal) -> bool {
    let name = tool.name();
    for diagnostic in report.diagnostics(&program.texts()) {
        terminal.diagnostic(&diagnostic);
    }
    for remark in &report.remarks {
        terminal.note(&format!("compute-sanitizer: {remark}"));
    }
    if !report.is_complete {
        terminal.error(
            "compute-sanitizer's report ends without a count: something may be missing\n  \
             = help: see whether it works by itself: `compute-sanitizer --version`",
        );
        return true;
    }
    let is_one = report.errors == 1;
    let warnings = match report.warnings {
        0 => String::new(),
        1 => ", 1 warning".to_owned(),
        count => format!(", {count} warnings"),
    };
    let verdict = match report.errors {
        0 if !report.has_used_cuda => {
            "the script did not use a GPU, so there was nothing to check".to_owned()
        }
        0 => format!("no errors{warnings}"),
        count => format!("{count} error{}{warnings}", if is_one { "" } else { "s" }),
    };
    terminal.note(&format!("{name}: {verdict}"));
    report.errors > 0 || report.findings.iter().any(|finding| finding.is_error)
}
