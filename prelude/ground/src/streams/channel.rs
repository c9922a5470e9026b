//! The way out to the session, and who may use it.
//!
//! The channel lies at a high descriptor, which programs neither reach by
//! counting nor inherit. A copy of the process that a cell makes by `fork`
//! loses it: two processes would answer one order.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use gpurepl_wire::{CHANNEL_LOST, Frame, send};

use super::descriptors;

/// The way out; none in a program of its own.
static CHANNEL: Mutex<Option<File>> = Mutex::new(None);

/// Both descriptors of the channel, for those who may not wait for a lock.
static INCOMING: AtomicI32 = AtomicI32::new(-1);
static OUTGOING: AtomicI32 = AtomicI32::new(-1);

/// The end of standard input that is written to: a copy that kept it open
/// would keep the input from ending.
pub static INPUT: AtomicI32 = AtomicI32::new(-1);

/// Whether this process is a copy that a cell has made.
static IS_COPY: AtomicBool = AtomicBool::new(false);

/// Takes over the channel; returns the way in.
///
/// # Errors
///
/// If there is no descriptor left for it.
pub fn open(channel: OwnedFd) -> io::Result<File> {
    let incoming = File::from(descriptors::high(channel.as_raw_fd())?);
    let outgoing = File::from(descriptors::high(channel.as_raw_fd())?);
    INCOMING.store(incoming.as_raw_fd(), Ordering::Relaxed);
    OUTGOING.store(outgoing.as_raw_fd(), Ordering::Relaxed);
    descriptors::note_channel(outgoing.as_raw_fd());
    *CHANNEL.lock().unwrap_or_else(PoisonError::into_inner) = Some(outgoing);
    // SAFETY: the handler does only what a copy of a process with threads may.
    unsafe { libc::pthread_atfork(None, None, Some(copied)) };
    Ok(incoming)
}

/// A cell has made a copy of the process: it is none that the session knows.
extern "C" fn copied() {
    IS_COPY.store(true, Ordering::Relaxed);
    for descriptor in [&INCOMING, &OUTGOING, &INPUT] {
        // SAFETY: the descriptors are this module's own, and nothing of the
        // copy uses them: `frame` looks at the flag first.
        unsafe { libc::close(descriptor.load(Ordering::Relaxed)) };
    }
}

/// Whether this process is a copy that a cell has made.
pub fn is_copy() -> bool {
    IS_COPY.load(Ordering::Relaxed)
}

/// Whether there is a session.
pub fn is_open() -> bool {
    OUTGOING.load(Ordering::Relaxed) >= 0
}

/// Sends a frame to the session. False if there is none.
pub fn frame(frame: &Frame) -> bool {
    if is_copy() {
        return true;
    }
    let mut channel = CHANNEL.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(channel) = channel.as_mut() else { return false };
    match send(channel, frame) {
        Ok(()) => {}
        // A session that has gone needs no answer; the worker ends by itself.
        Err(error) if matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset) => {}
        // A value that is too large to be sent does not affect the next one.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {}
        Err(_) => lost(),
    }
    true
}

/// Ends the process whose channel is gone: no answer would ever arrive.
pub fn lost() -> ! {
    // SAFETY: ends the process, and has no preconditions.
    unsafe { libc::_exit(CHANNEL_LOST) }
}

/// Waits until the session has taken every frame that was sent: what is
/// printed from then on comes after them.
pub fn wait_until_taken() {
    let outgoing = OUTGOING.load(Ordering::Relaxed);
    if outgoing >= 0 && !is_copy() {
        // Of a socket, what the other end has not read yet.
        wait_until_empty(outgoing, libc::TIOCOUTQ);
    }
}

/// How long an order of output is worth waiting for. A session that is this
/// busy shows it in another order rather than not at all.
const PATIENCE: Duration = Duration::from_millis(100);

/// Waits until a stream has been read by the session, or for some time.
pub fn wait_until_empty(descriptor: RawFd, request: libc::Ioctl) {
    let mut start = None;
    for turn in 0_u32.. {
        let mut waiting: libc::c_int = 0;
        // SAFETY: both requests write one `int`.
        if unsafe { libc::ioctl(descriptor, request, &raw mut waiting) } != 0 || waiting == 0 {
            return;
        }
        if start.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
            return;
        }
        // The session is usually about to read it.
        if turn < 30 {
            std::thread::yield_now();
        } else {
            std::thread::sleep(Duration::from_micros(50));
        }
    }
}

/// Ends a copy of the process that has come to the end of its cell: what
/// comes after is the business of the original.
pub fn end_copy() -> ! {
    // SAFETY: these have no preconditions. A lock that another thread held
    // when the copy was made stays locked: then the alarm ends it.
    unsafe {
        libc::signal(libc::SIGALRM, libc::SIG_DFL);
        libc::alarm(1);
    }
    let _ = io::Write::flush(&mut io::stdout());
    // SAFETY: as above; nothing of the original is to be destroyed here.
    unsafe { libc::_exit(0) }
}

/// An owner for a descriptor that a call has just made.
///
/// # Errors
///
/// If the call has failed.
pub fn owned(descriptor: RawFd) -> io::Result<OwnedFd> {
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call has made it, and nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}
