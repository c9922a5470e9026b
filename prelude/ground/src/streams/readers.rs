//! Who waits for standard input: threads of this process, and processes that
//! cells have started.
//!
//! The kernel reports the call in which a thread waits, so it does not matter
//! whether Rust, C or another program reads.

use std::fs;
use std::io::{self, Read as _, Seek as _};
use std::os::fd::RawFd;
use std::os::unix::fs::MetadataExt as _;
use std::sync::atomic::{AtomicI32, Ordering};

use super::descriptors;

/// The thread that runs cells, by the kernel's number.
static CELL_THREAD: AtomicI32 = AtomicI32::new(0);

/// This thread runs cells.
pub fn this_runs_cells() {
    // SAFETY: the call has no preconditions.
    CELL_THREAD.store(unsafe { libc::gettid() }, Ordering::Relaxed);
}

/// More processes than this are not looked at.
const MOST_PROCESSES: usize = 64;

/// Somebody who waits for a pipe, in words that are the same as long as it is
/// the same wait; none if nobody does or there is something to read. Those
/// besides the thread that runs cells are looked at if `all`.
///
/// # Errors
///
/// If `/proc` does not tell of this process's own threads.
pub fn find(pipe: RawFd, all: bool) -> io::Result<Option<String>> {
    let Some((device, number)) = descriptors::identity(pipe) else { return Ok(None) };
    let pipe_file = (device, number);
    if !all {
        let thread = CELL_THREAD.load(Ordering::Relaxed);
        let call = fs::read_to_string(format!("/proc/self/task/{thread}/syscall"))?;
        let found = waits("self", &call, pipe_file) && is_empty(pipe);
        return Ok(found.then(|| format!("{thread} {call}")));
    }
    let mut found = None;
    let mut processes = vec!["self".to_owned()];
    let mut looked_at = 0;
    while let Some(process) = processes.pop() {
        looked_at += 1;
        let tasks = match fs::read_dir(format!("/proc/{process}/task")) {
            Ok(tasks) => tasks,
            Err(error) if process == "self" => return Err(error),
            Err(_) => continue,
        };
        let has_children = process != "self" || has_children();
        for task in tasks.flatten() {
            let task = task.file_name();
            let task = task.to_string_lossy();
            let folder = format!("/proc/{process}/task/{task}");
            match fs::read_to_string(format!("{folder}/syscall")) {
                Ok(call) if found.is_none() && waits(&process, &call, pipe_file) => {
                    found = Some(format!("{task} {call}"));
                }
                // A thread that has just ended reports nothing.
                Err(error) if process == "self" && error.kind() == io::ErrorKind::PermissionDenied => {
                    return Err(error);
                }
                _ => {}
            }
            if has_children && looked_at < MOST_PROCESSES {
                let children = fs::read_to_string(format!("{folder}/children")).unwrap_or_default();
                processes.extend(children.split_whitespace().map(str::to_owned));
            }
        }
    }
    // What there is to read is on its way to whoever waits.
    Ok(found.filter(|_| is_empty(pipe)))
}

fn is_empty(pipe: RawFd) -> bool {
    let mut waiting: libc::c_int = 0;
    // SAFETY: the request writes one `int`.
    unsafe { libc::ioctl(pipe, libc::FIONREAD, &raw mut waiting) == 0 && waiting == 0 }
}

/// Whether this process has children.
fn has_children() -> bool {
    // SAFETY: the structure is valid when zeroed; the call takes nothing from
    // who waits for a child.
    unsafe {
        let mut information: libc::siginfo_t = std::mem::zeroed();
        let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        libc::waitid(libc::P_ALL, 0, &raw mut information, options) == 0
    }
}

/// Whether a thread, by the line of `/proc/.../syscall`, waits for a pipe: in
/// a call that reads it, or in one that waits for nothing else and as long as
/// it takes. Who looks at several files, or only for a while, has other things
/// to do, and nobody is asked for its sake.
fn waits(process: &str, call: &str, pipe: (libc::dev_t, libc::ino_t)) -> bool {
    let mut words = call.split_whitespace();
    let Some(call) = words.next().and_then(|word| word.parse::<i64>().ok()) else { return false };
    let mut argument =
        || words.next().and_then(|word| u64::from_str_radix(word.trim_start_matches("0x"), 16).ok());
    let (Some(first), Some(second), Some(third)) = (argument(), argument(), argument()) else { return false };
    let is_pipe = |descriptor: u64| {
        let file = fs::metadata(format!("/proc/{process}/fd/{descriptor}"));
        file.is_ok_and(|file| (file.dev(), file.ino()) == pipe)
    };
    if call == libc::SYS_read || call == libc::SYS_readv {
        return is_pipe(first);
    }
    #[cfg(target_arch = "x86_64")]
    let is_poll = call == libc::SYS_poll && third as i32 == -1;
    #[cfg(not(target_arch = "x86_64"))]
    let is_poll = false;
    let is_endless = is_poll || (call == libc::SYS_ppoll && third == 0);
    // A `pollfd`: the descriptor, and what is waited for.
    is_endless
        && second == 1
        && memory(process, first).is_some_and(|[a, b, c, d, events, _, _, _]| {
            is_pipe(u64::from(u32::from_ne_bytes([a, b, c, d]))) && i16::from(events) & libc::POLLIN != 0
        })
}

/// Some bytes of a process's memory.
fn memory(process: &str, address: u64) -> Option<[u8; 8]> {
    let mut memory = fs::File::open(format!("/proc/{process}/mem")).ok()?;
    memory.seek(io::SeekFrom::Start(address)).ok()?;
    let mut bytes = [0; 8];
    memory.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
    use std::time::{Duration, Instant};

    use super::*;

    /// A pipe that a test waits for: its reader and its writer.
    fn pipe() -> (OwnedFd, OwnedFd) {
        let mut ends = [0; 2];
        // SAFETY: the array has room for two, and each end has one owner.
        unsafe {
            assert_eq!(libc::pipe(ends.as_mut_ptr()), 0);
            (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1]))
        }
    }

    /// Waits until somebody waits for the pipe.
    #[track_caller]
    fn somebody_waits(pipe: RawFd) {
        let start = Instant::now();
        while find(pipe, true).unwrap().is_none() {
            assert!(start.elapsed() < Duration::from_secs(300), "nobody waits");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn who_reads_or_polls_is_found_and_who_has_something_to_read_is_not() {
        let (reader, writer) = pipe();
        let descriptor = reader.as_raw_fd();
        assert_eq!(find(descriptor, true).unwrap(), None);
        let read = move || {
            let mut byte = 0_u8;
            // SAFETY: the buffer is one byte, the descriptor open.
            unsafe { libc::read(descriptor, (&raw mut byte).cast(), 1) }
        };
        let poll = move || {
            let mut poll = libc::pollfd { fd: descriptor, events: libc::POLLIN, revents: 0 };
            // SAFETY: one valid structure.
            unsafe { libc::poll(&raw mut poll, 1, -1) as isize }
        };
        let write = || {
            // SAFETY: the text is alive, the descriptor open.
            unsafe { libc::write(writer.as_raw_fd(), c"xy".as_ptr().cast(), 2) };
        };
        let thread = std::thread::spawn(read);
        somebody_waits(descriptor);
        write();
        thread.join().unwrap();
        // A byte is left.
        assert_eq!(find(descriptor, true).unwrap(), None);
        read();
        let thread = std::thread::spawn(poll);
        somebody_waits(descriptor);
        write();
        thread.join().unwrap();
    }

    #[test]
    fn a_program_that_reads_is_found() {
        let (reader, writer) = pipe();
        let mut child = std::process::Command::new("cat")
            .stdin(reader.try_clone().unwrap())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        somebody_waits(reader.as_raw_fd());
        drop(writer);
        let _ = child.kill();
        child.wait().unwrap();
    }
}
