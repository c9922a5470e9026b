//! Compilers as child processes: run with a limit, ended by an interrupt,
//! their messages kept.

use std::io::{Read as _, Seek as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::error::{Error, Problem, Result};

/// How long a compiler may take. A usual kernel takes a tenth of a second;
/// a template that never ends would otherwise hold the session.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Runs a compiler as [`run`] does, and returns what it says.
pub(crate) fn run_logged(
    command: &mut Command,
    what: &str,
    folder: &Path,
) -> Result<(std::process::ExitStatus, String)> {
    run_for(command, what, folder, TIME_LIMIT)
}

/// [`run_logged`] with another limit.
pub(crate) fn run_for(
    command: &mut Command,
    what: &str,
    folder: &Path,
    limit: Duration,
) -> Result<(std::process::ExitStatus, String)> {
    let mut log = tempfile::tempfile_in(folder).map_err(|error| io("writing to", folder, error))?;
    command
        // Messages are read, so they must not depend on the user's language.
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log.try_clone().map_err(|error| io("writing to", folder, error))?)
        .process_group(0);
    let status = run(command, what, limit)?;
    let mut messages = Vec::new();
    let _ = log.rewind().and_then(|()| log.read_to_end(&mut messages));
    Ok((status, String::from_utf8_lossy(&messages).into_owned()))
}

/// Runs a compiler to its end, the user's interrupt or the time limit. Its
/// own helpers are in its process group and end with it.
fn run(command: &mut Command, what: &str, limit: Duration) -> Result<std::process::ExitStatus> {
    let program = PathBuf::from(command.get_program());
    let mut child = command.spawn().map_err(|error| io("running", &program, error))?;
    let start = Instant::now();
    let mut pause = Duration::from_micros(200);
    let problem = loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if crate::interrupt::is_pending() => break Problem::Interrupted,
            Ok(None) if start.elapsed() > limit => {
                break Problem::Device {
                    operation: format!("compiling {what}"),
                    message: format!("the compiler took more than {} s and was stopped", limit.as_secs_f64()),
                };
            }
            Ok(None) => std::thread::sleep(pause),
            Err(error) => return Err(io("waiting for", &program, error)),
        }
        pause = (pause * 2).min(Duration::from_millis(1));
    };
    if let Ok(group) = libc::pid_t::try_from(child.id()) {
        // SAFETY: sending a signal has no memory effects; the group is the
        // child's own, made for it, and the child has not been waited for.
        unsafe { libc::killpg(group, libc::SIGKILL) };
    }
    let _ = child.wait();
    Err(problem.into())
}

/// The model and features of this CPU.
pub(crate) fn cpu() -> &'static str {
    static CPU: OnceLock<String> = OnceLock::new();
    CPU.get_or_init(|| {
        let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let first = text.split("\n\n").next().unwrap_or_default();
        let stable = first.lines().filter(|line| {
            ["model", "flags", "Features", "CPU part", "vendor"].iter().any(|name| line.starts_with(name))
        });
        stable.collect::<Vec<_>>().join("\n")
    })
}

/// The error of an operation on a file.
pub(crate) fn io(what: &'static str, path: &Path, error: std::io::Error) -> Error {
    Problem::Io { what, path: path.display().to_string(), error }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_that_hangs_is_stopped_by_an_interrupt() {
        crate::interrupt::exclusive::interrupted(|| {
            let mut command = Command::new("sleep");
            command.arg("60").process_group(0);
            let error = run(&mut command, "kernel", TIME_LIMIT).unwrap_err();
            assert_eq!(error.kind(), crate::error::ErrorKind::Interrupted);
        });
    }

    #[test]
    fn a_compiler_that_hangs_has_a_limit() {
        let _undisturbed = crate::interrupt::exclusive::undisturbed();
        let mut command = Command::new("sleep");
        command.arg("60").process_group(0);
        let error = run(&mut command, "kernel", Duration::from_millis(50)).unwrap_err();
        assert_eq!(error.to_string(), "compiling kernel: the compiler took more than 0.05 s and was stopped");
    }
}
