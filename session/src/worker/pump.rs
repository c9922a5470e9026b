//! Everything that comes from a worker, read on a thread of its own.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use gpurepl_wire::{Decoder, Frame};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{MsgFlags, recv};

use crate::output::Stream;

/// What comes from a worker.
#[derive(Debug)]
pub(super) enum Event {
    Output(Stream, Vec<u8>),
    Frame(Box<Frame>),
    /// The channel is of no use any more: the worker has ended or is about to,
    /// unless there is another reason.
    Closed(Option<String>),
}

/// The text after the last end of a line, of what cells print.
#[derive(Debug, Default)]
pub(super) struct Line(Vec<u8>);

impl Line {
    /// A question is shorter; what is longer is cut at its start.
    const MAX_BYTES: usize = 1024;

    pub(super) fn add(&mut self, bytes: &[u8]) {
        match bytes.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')) {
            Some(end) => self.0 = bytes[end + 1..].to_vec(),
            None => self.0.extend_from_slice(bytes),
        }
        let surplus = self.0.len().saturating_sub(Line::MAX_BYTES);
        self.0.drain(..surplus);
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }
}

/// How long the rest of a message may take: it is written in one go.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is said of a channel that holds anything else than frames.
const FOREIGN: &str = "a cell has written into the channel between its process and the session";

/// Nobody takes events any more.
#[derive(Debug)]
pub(super) struct Gone;

/// Who is told of what comes. It may have the worker wait.
pub(super) trait Listener {
    fn send(&self, event: Event) -> Result<(), Gone>;
}

/// Reads everything that comes from a worker, on a thread of its own.
pub(super) struct Pump<L> {
    frames: UnixStream,
    stdout: File,
    stderr: File,
    decoder: Decoder,
    sender: L,
}

impl<L: Listener> Pump<L> {
    pub(super) fn new(frames: UnixStream, stdout: OwnedFd, stderr: OwnedFd, sender: L) -> Pump<L> {
        let (stdout, stderr) = (stdout.into(), stderr.into());
        Pump { frames, stdout, stderr, decoder: Decoder::default(), sender }
    }

    /// Reads until the channel is of no use any more.
    pub(super) fn run(mut self) {
        // Output is read until there is none at the moment, so reading must
        // not wait.
        let _ = set_nonblocking(self.stdout.as_fd().try_clone_to_owned());
        let _ = set_nonblocking(self.stderr.as_fd().try_clone_to_owned());
        let (mut has_stdout, mut has_stderr) = (true, true);
        let mut since = Instant::now();
        loop {
            let mut ready = [false; 3];
            {
                // A pipe at its end is always ready, asked or not.
                let channel = self.frames.as_fd();
                let mut polled = [
                    channel,
                    if has_stdout { self.stdout.as_fd() } else { channel },
                    if has_stderr { self.stderr.as_fd() } else { channel },
                ]
                .map(|descriptor| PollFd::new(descriptor, PollFlags::POLLIN));
                let timeout =
                    if self.decoder.is_within() { PollTimeout::from(5000_u16) } else { PollTimeout::NONE };
                match poll(&mut polled, timeout) {
                    Err(nix::errno::Errno::EINTR) => continue,
                    Err(_) => return,
                    Ok(_) => {}
                }
                for (ready, polled) in ready.iter_mut().zip(&polled) {
                    *ready = polled.revents().is_some_and(|events| !events.is_empty());
                }
            }
            if ready[0] {
                since = Instant::now();
            } else if self.decoder.is_within() && since.elapsed() >= PATIENCE {
                let why = format!("{FOREIGN}: a message has a beginning and no end");
                let _ = self.sender.send(Event::Closed(Some(why)));
                return;
            }
            // Output comes first: a frame may say that all of it is there.
            if ready[1] && has_stdout {
                has_stdout = pass_output(&mut self.stdout, Stream::Stdout, &self.sender);
            }
            if ready[2] && has_stderr {
                has_stderr = pass_output(&mut self.stderr, Stream::Stderr, &self.sender);
            }
            if ready[0]
                && let Err(why) = self.read_frames(&mut has_stdout, &mut has_stderr)
            {
                pass_output(&mut self.stdout, Stream::Stdout, &self.sender);
                pass_output(&mut self.stderr, Stream::Stderr, &self.sender);
                let _ = self.sender.send(Event::Closed(why));
                return;
            }
        }
    }

    /// Reads frames; an error at the end of the channel, with the reason if it
    /// is another one than the worker's end.
    fn read_frames(&mut self, has_stdout: &mut bool, has_stderr: &mut bool) -> Result<(), Option<String>> {
        let mut bytes = [0; 1 << 16];
        // Only looked at: whoever has sent them prints on when they are taken.
        let waiting = recv(self.frames.as_raw_fd(), &mut bytes, MsgFlags::MSG_PEEK).unwrap_or(0);
        // What was printed before a frame was sent is in the pipes by now, and
        // belongs before it.
        if *has_stdout {
            *has_stdout = pass_output(&mut self.stdout, Stream::Stdout, &self.sender);
        }
        if *has_stderr {
            *has_stderr = pass_output(&mut self.stderr, Stream::Stderr, &self.sender);
        }
        match self.frames.read(&mut bytes[..waiting.max(1)]) {
            Ok(0) => return Err(None),
            Ok(count) => self.decoder.push(&bytes[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(()),
            Err(_) => return Err(None),
        }
        loop {
            match self.decoder.take::<Frame>() {
                Ok(Some(frame)) => {
                    if self.sender.send(Event::Frame(Box::new(frame))).is_err() {
                        return Err(None);
                    }
                }
                Ok(None) => return Ok(()),
                Err(error) => {
                    return Err(Some(format!("{FOREIGN}: {error}")));
                }
            }
        }
    }
}

/// Passes on what a pipe holds at the moment; false at its end. What a thread
/// prints without end does not keep anything else waiting.
fn pass_output(pipe: &mut (impl io::Read + AsRawFd), stream: Stream, sender: &impl Listener) -> bool {
    let mut bytes = [0; 1 << 16];
    let mut room = waiting(pipe.as_raw_fd()).max(1 << 12);
    while room > 0 {
        let size = room.min(bytes.len());
        match pipe.read(&mut bytes[..size]) {
            Ok(0) => return false,
            Ok(count) => {
                room -= count;
                if sender.send(Event::Output(stream, bytes[..count].to_vec())).is_err() {
                    return false;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return error.kind() == io::ErrorKind::WouldBlock,
        }
    }
    true
}

/// How many bytes a pipe holds.
fn waiting(pipe: RawFd) -> usize {
    let mut count: libc::c_int = 0;
    // SAFETY: the request writes one `int`; the descriptor is open.
    unsafe { libc::ioctl(pipe, libc::FIONREAD, &raw mut count) };
    usize::try_from(count).unwrap_or(0)
}

fn set_nonblocking(descriptor: io::Result<OwnedFd>) -> io::Result<()> {
    use nix::fcntl::{FcntlArg, OFlag, fcntl};
    let descriptor = descriptor?;
    let flags = OFlag::from_bits_truncate(fcntl(&descriptor, FcntlArg::F_GETFL)?);
    fcntl(&descriptor, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_what_stands_after_the_last_end_of_a_line() {
        let mut line = Line::default();
        for (bytes, text) in [
            (b"name".as_slice(), "name"),
            (b"? ", "name? "),
            (b"\nage? ", "age? "),
            (b"\r50%", "50%"),
            (b"a\xffb", "50%a\u{fffd}b"),
            (b"\n", ""),
        ] {
            line.add(bytes);
            assert_eq!(line.text(), text);
        }
        line.add(&[b'x'; 5000]);
        assert_eq!(line.text().len(), Line::MAX_BYTES);
    }
}
