//! File descriptors 0, 1 and 2 are the cells' to close and to redirect. What
//! they were is kept, and they are that again before the next cell.

use std::io;
use std::os::fd::{AsRawFd as _, IntoRawFd as _, OwnedFd, RawFd};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicI32, Ordering};

use super::channel;

/// What the descriptors were at the start, as copies that cells do not know.
static KEPT: [AtomicI32; 3] = [const { AtomicI32::new(-1) }; 3];

/// The channel's descriptor, and what file it is.
static CHANNEL: Mutex<Option<(RawFd, Identity)>> = Mutex::new(None);

/// The device and the number of a file: of each pipe its own.
type Identity = (libc::dev_t, libc::ino_t);

/// What the descriptors are called.
const NAMES: [&str; 3] = ["standard input", "standard output", "standard error"];

/// A copy of a descriptor, as high as the process may have them up to a
/// thousand, that the processes which a cell starts do not have.
///
/// # Errors
///
/// If there is no free descriptor for it.
pub fn high(descriptor: RawFd) -> io::Result<OwnedFd> {
    let mut limit = libc::rlimit { rlim_cur: 1024, rlim_max: 1024 };
    // SAFETY: writes one structure.
    unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
    let lowest = limit.rlim_cur.saturating_sub(32).min(960) as libc::c_int;
    // SAFETY: makes a descriptor and touches no memory.
    let copy = unsafe { libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, lowest) };
    if copy >= 0 {
        return channel::owned(copy);
    }
    // SAFETY: as above.
    channel::owned(unsafe { libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, 3) })
}

/// Notes what the descriptors are.
pub fn keep() {
    for number in 0..3 {
        if let Ok(copy) = high(number) {
            set(number as usize, copy);
        }
    }
}

/// Makes a file what a descriptor is from now on.
pub fn set(number: usize, file: OwnedFd) {
    // SAFETY: both descriptors are open; who reads or writes by the number
    // does so by the new file from then on.
    unsafe { libc::dup2(file.as_raw_fd(), number as RawFd) };
    let before = KEPT[number].swap(file.into_raw_fd(), Ordering::Relaxed);
    if before >= 0 {
        // SAFETY: it was this module's own, and nobody finds it any more.
        unsafe { libc::close(before) };
    }
}

/// Our own copy of a descriptor; negative if there is none.
pub fn kept(number: usize) -> RawFd {
    KEPT[number].load(Ordering::Relaxed)
}

/// Notes which file the channel is.
pub fn note_channel(descriptor: RawFd) {
    let identity = identity(descriptor).map(|identity| (descriptor, identity));
    *CHANNEL.lock().unwrap_or_else(PoisonError::into_inner) = identity;
}

/// Makes the three descriptors what they were, and returns what those are
/// called that were something else. Ends the process if its channel is gone.
pub fn repair() -> Vec<&'static str> {
    if let Some((descriptor, before)) = *CHANNEL.lock().unwrap_or_else(PoisonError::into_inner)
        && identity(descriptor) != Some(before)
    {
        channel::lost();
    }
    let mut repaired = Vec::new();
    for (number, name) in NAMES.into_iter().enumerate() {
        let kept = kept(number);
        if kept < 0 {
            continue;
        }
        let Some(before) = identity(kept) else { channel::lost() };
        let descriptor = number as RawFd;
        if identity(descriptor) != Some(before) {
            // SAFETY: the copy is open. Whatever the number was is closed by
            // the call, unless the cell has kept another one for it.
            unsafe { libc::dup2(kept, descriptor) };
            repaired.push(name);
        }
        // A writer that does not wait would lose output when there is much.
        // SAFETY: neither call touches memory.
        unsafe {
            let flags = libc::fcntl(descriptor, libc::F_GETFL);
            if number > 0 && flags >= 0 && flags & libc::O_NONBLOCK != 0 {
                libc::fcntl(descriptor, libc::F_SETFL, flags & !libc::O_NONBLOCK);
            }
        }
    }
    repaired
}

/// Which file a descriptor is; none if it is closed.
pub fn identity(descriptor: RawFd) -> Option<Identity> {
    // SAFETY: the structure is valid when zeroed, and the call fills it.
    unsafe {
        let mut status: libc::stat = std::mem::zeroed();
        (libc::fstat(descriptor, &raw mut status) == 0).then_some((status.st_dev, status.st_ino))
    }
}

/// Makes standard input empty for good.
pub fn empty_input() {
    // SAFETY: the path is a text that ends; the call makes a descriptor.
    let null = unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    if let Ok(null) = channel::owned(null)
        && let Ok(null) = high(std::os::fd::AsRawFd::as_raw_fd(&null))
    {
        set(0, null);
    }
}
