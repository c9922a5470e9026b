//! A worker that another program runs: compute-sanitizer, a profiler.

use std::ffi::OsString;
use std::io;
use std::os::fd::{FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};

use crate::session_folder::SessionFolder;
use gpurepl_wire::worker_mode::WORKER;

/// A program that runs a worker, and its arguments before the worker's own
/// command line.
#[derive(Clone, Debug, Default)]
pub struct Wrapper {
    /// The program first; none if empty.
    pub command: Vec<OsString>,
    /// Whether its user talks to it, as to a debugger: it has the terminal, and
    /// all the time it wants.
    pub is_interactive: bool,
}

impl Wrapper {
    /// How long to wait for what the program has to do.
    pub(super) fn patience(&self) -> Duration {
        if self.is_interactive { Duration::MAX } else { PATIENCE }
    }
}

/// How long the program may take to start the worker, and to end after it: it
/// may have to write a report.
const PATIENCE: Duration = Duration::from_secs(120);

/// Starts the program and waits for the worker to connect. Returns the
/// program, the channel, and the number of the worker's process.
///
/// The program may close descriptors that it does not know, and its process is
/// not the worker's; so the worker opens the channel itself.
pub(super) fn spawn(command: &mut Command, patience: Duration) -> Result<(Child, UnixStream, i32), String> {
    let program = command.get_program().display().to_string();
    let failed = |error: io::Error| format!("the worker could not be started by {program}: {error}");
    let folder = SessionFolder::named(&std::env::temp_dir(), "worker-").map_err(failed)?;
    let path = folder.path().join("socket");
    let listener = UnixListener::bind(&path).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let mut child = command.env(WORKER[0], &path).spawn().map_err(failed)?;
    let start = Instant::now();
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false).map_err(failed)?;
                let process =
                    getsockopt(&stream, PeerCredentials).map_err(|error| failed(error.into()))?.pid();
                return Ok((child, stream, process));
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(failed(error)),
        }
        if let Ok(Some(status)) = child.try_wait() {
            let said = words(&mut child);
            return Err(format!(
                "{program} has ended ({}) without starting the worker{said}",
                super::process::Ended::with(status).cause
            ));
        }
        if start.elapsed() > patience {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("{program} has not started the worker within {} s", patience.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A descriptor of a process that another one waits for: its number may be
/// someone else's at any time.
pub(super) fn descriptor(process: i32) -> Option<OwnedFd> {
    // SAFETY: the call touches no memory.
    let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, process, 0) };
    let descriptor = RawFd::try_from(descriptor).ok().filter(|descriptor| *descriptor >= 0)?;
    // SAFETY: the call has just opened it, for nobody else.
    Some(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

/// What a program has said before it ended.
fn words(child: &mut Child) -> String {
    let mut text = String::new();
    let pipes: [Option<Box<dyn io::Read>>; 2] = [
        child.stdout.take().map(|pipe| Box::new(pipe) as _),
        child.stderr.take().map(|pipe| Box::new(pipe) as _),
    ];
    for pipe in pipes.into_iter().flatten() {
        let mut bytes = Vec::new();
        let _ = io::Read::read_to_end(&mut io::Read::take(pipe, 4096), &mut bytes);
        text.push_str(&String::from_utf8_lossy(&bytes));
    }
    if text.trim().is_empty() { String::new() } else { format!(":\n{}", text.trim_end()) }
}
