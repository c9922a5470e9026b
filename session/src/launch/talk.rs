//! What ranks and the first one say to each other before a rank is a worker.

use std::ffi::{OsStr, OsString};
use std::io::{self, IoSlice, IoSliceMut, Read as _, Write as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use nix::sys::socket::sockopt::PeerCredentials;
use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, getsockopt, recvmsg, sendmsg};
use serde::{Deserialize, Serialize};

/// The longest line: the arguments and variables of a worker.
const LONGEST: usize = 1 << 22;

/// What a rank is told first: what to become follows, or that it is not needed.
const START: u8 = b'S';
pub(super) const END: u8 = b'E';

/// What a rank says first. Its program and arguments are to be those of the first one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Hello {
    pub(super) rank: usize,
    pub(super) version: String,
    /// The size of its executable file, which is another one of another build.
    pub(super) size: u64,
    pub(super) arguments: Vec<OsString>,
}

impl Hello {
    pub(super) fn of(rank: usize) -> Hello {
        let size = std::fs::metadata("/proc/self/exe").map_or(0, |program| program.len());
        let arguments = std::env::args_os().skip(1).collect();
        Hello { rank, version: env!("CARGO_PKG_VERSION").to_owned(), size, arguments }
    }
}

/// What a rank is told to become.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Start {
    /// What cells see as their program's arguments, its name first.
    pub(crate) arguments: Vec<OsString>,
    /// Variables to set, or to remove.
    pub(crate) environment: Vec<(OsString, Option<OsString>)>,
    /// Where it runs, if not where it is.
    pub(crate) folder: Option<PathBuf>,
}

impl Start {
    /// As a command would be started, with other arguments.
    pub(crate) fn of(command: &Command, arguments: &[OsString]) -> Start {
        let environment = command.get_envs();
        Start {
            arguments: arguments.to_vec(),
            environment: environment
                .map(|(name, value)| (name.to_owned(), value.map(OsStr::to_owned)))
                .collect(),
            folder: command.get_current_dir().map(Into::into),
        }
    }
}

/// Gives a rank its standard output and standard error. What it is to become follows.
pub(super) fn pass_pipes(
    stream: &UnixStream,
    stdout: &io::PipeWriter,
    stderr: &io::PipeWriter,
) -> io::Result<()> {
    let pipes = [stdout.as_raw_fd(), stderr.as_raw_fd()];
    let rights = [ControlMessage::ScmRights(&pipes)];
    let byte = [IoSlice::new(&[START])];
    sendmsg::<()>(stream.as_raw_fd(), &byte, &rights, MsgFlags::MSG_NOSIGNAL, None)?;
    Ok(())
}

/// The pipes for standard output and standard error that a rank is given; none if it is not needed.
pub(super) fn received(stream: &UnixStream) -> io::Result<Option<[OwnedFd; 2]>> {
    let mut byte = [0];
    let mut space = nix::cmsg_space!([RawFd; 2]);
    let mut into = [IoSliceMut::new(&mut byte)];
    let message = recvmsg::<()>(stream.as_raw_fd(), &mut into, Some(&mut space), MsgFlags::MSG_CMSG_CLOEXEC)?;
    let mut pipes = Vec::new();
    for control in message.cmsgs()? {
        if let ControlMessageOwned::ScmRights(descriptors) = control {
            // SAFETY: the kernel has just made these descriptors for this process, and nothing else knows of them.
            pipes.extend(descriptors.into_iter().map(|number| unsafe { OwnedFd::from_raw_fd(number) }));
        }
    }
    if message.bytes == 0 {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it has ended"));
    }
    match (byte[0], <[OwnedFd; 2]>::try_from(pipes)) {
        (START, Ok(pipes)) => Ok(Some(pipes)),
        (END, _) => Ok(None),
        _ => Err(io::Error::other("it speaks another language")),
    }
}

/// Makes sure that the process at the other end is this user's.
pub(super) fn check_user(stream: &UnixStream) -> io::Result<()> {
    let (own, other) = (nix::unistd::geteuid().as_raw(), getsockopt(stream, PeerCredentials)?.uid());
    if own == other {
        Ok(())
    } else {
        Err(io::Error::other(format!("user {other} listens in place of {own}")))
    }
}

pub(super) fn write_line(mut stream: &UnixStream, line: &[u8]) -> io::Result<()> {
    stream.write_all(&[line, b"\n"].concat())
}

/// A line, and nothing behind it.
pub(super) fn read_line(mut stream: &UnixStream, limit: Option<Duration>) -> io::Result<Vec<u8>> {
    stream.set_read_timeout(limit)?;
    let (mut line, mut byte) = (Vec::new(), [0]);
    while line.len() < LONGEST {
        if stream.read(&mut byte)? == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the other side has ended"));
        }
        if byte == *b"\n" {
            stream.set_read_timeout(None)?;
            return Ok(line);
        }
        line.push(byte[0]);
    }
    Err(io::Error::other("a line without an end"))
}
