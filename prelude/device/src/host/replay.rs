//! A second run of a block that has failed, in a checked build, to find the
//! thread and the line.
//!
//! It runs in a copy of this process, which ends afterwards: the arrays stay
//! as the first run has left them, and whatever happens to the copy, happens
//! to the copy.

use std::ffi::c_void;
use std::io::Read as _;
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::time::{Duration, Instant};

use super::checked::Plan;
use super::compiler::Flavour;
use super::fault::{self, Arrays, Report};
use super::module::HostModule;
use super::simulator::{self, Failure, FailureKind, Kernel, Shape, Stop, Stopped, watchdog};

/// How long the copy may take.
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// Runs the block again. Nothing, if that cannot be done or finds nothing.
///
/// # Safety
///
/// As for [`simulator::run`].
pub(super) unsafe fn replay(
    name: &str,
    module: &HostModule,
    shape: Shape,
    arguments: &[*mut c_void],
    stopped: &Stopped,
    arrays: &Arrays,
) -> Option<Report> {
    let checked = HostModule::compile(module.text(), Flavour::CHECKED).ok()?;
    let (kernel, sizes) = checked.kernel(name).ok()?;
    // SAFETY: the launch has ended, and the checked build is new.
    unsafe { checked.globals().copy_from(module.globals()) };
    // The copy must need no lock that another thread may hold.
    let plan = Plan::new(&checked.loaded().code, &readable(&kernel, arguments, &sizes)).ok()?;
    let mut ends = [0; 2];
    // SAFETY: the array has room for two.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return None;
    }
    // SAFETY: the pipe was made here; each end has one owner.
    let (from, to) = unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) };
    // SAFETY: the copy runs on this thread alone and ends by `_exit`. Locks
    // that other threads hold stay locked in it; it takes none but those of
    // the C library's allocator, which a copy can.
    match unsafe { libc::fork() } {
        -1 => None,
        0 => {
            // SAFETY: these have no preconditions. The copy ends with the
            // process that it is a copy of, and in any case soon.
            unsafe {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                libc::signal(libc::SIGALRM, libc::SIG_DFL);
                libc::alarm(TIME_LIMIT.as_secs() as u32 + 1);
            }
            // Nothing of the copy may return to the user's program.
            let text = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                // SAFETY: the caller's promise, in the copy.
                let answer = unsafe { run_again(plan, &kernel, shape, arguments, stopped) };
                answer.map_or(String::new(), |stopped| encode(&stopped))
            }));
            let text = text.unwrap_or_default();
            // SAFETY: the pipe is open; the copy ends here, without
            // destructors of what belongs to the original.
            unsafe {
                libc::write(std::os::fd::AsRawFd::as_raw_fd(&to), text.as_ptr().cast(), text.len());
                libc::_exit(0)
            }
        }
        copy => {
            drop((to, plan));
            let text = wait(copy, std::fs::File::from(from));
            let found = decode(&text)?;
            let Report::Fault(mut report) = fault::report(name, &found, &checked, shape, arrays) else {
                return None;
            };
            report.is_replayed = true;
            Some(Report::Fault(report))
        }
    }
}

/// # Safety
///
/// As for [`simulator::run`]; this process is a copy.
unsafe fn run_again(
    plan: Plan,
    kernel: &Kernel,
    shape: Shape,
    arguments: &[*mut c_void],
    stopped: &Stopped,
) -> Option<Stopped> {
    watchdog::this_is_a_copy();
    let checks = plan.begin();
    // SAFETY: the caller's promise.
    let outcome = unsafe { simulator::run_blocks(kernel, shape, arguments, stopped) };
    drop(checks);
    outcome.err()
}

/// What a kernel reads that is in none of its arrays.
pub(super) fn readable(
    kernel: &Kernel,
    arguments: &[*mut c_void],
    sizes: &[usize],
) -> Vec<std::ops::Range<usize>> {
    let range = |start: usize, bytes: usize| start..start + bytes;
    let mut ranges: Vec<_> =
        arguments.iter().zip(sizes).map(|(value, size)| range(*value as usize, *size)).collect();
    ranges.push(range(arguments.as_ptr() as usize, size_of_val(arguments)));
    ranges.push(range(kernel.offsets.as_ptr() as usize, size_of_val(kernel.offsets.as_slice())));
    ranges
}

/// What the copy says before it ends.
fn wait(copy: libc::pid_t, mut from: std::fs::File) -> String {
    let start = Instant::now();
    let mut is_over = false;
    while !is_over && start.elapsed() < TIME_LIMIT && !crate::interrupt::is_pending() {
        let mut status = 0;
        // SAFETY: the process is a child of this one that was not waited for.
        is_over = unsafe { libc::waitpid(copy, &raw mut status, libc::WNOHANG) } != 0;
        if !is_over {
            std::thread::sleep(Duration::from_micros(500));
        }
    }
    if !is_over {
        // SAFETY: as above.
        unsafe {
            libc::kill(copy, libc::SIGKILL);
            libc::waitpid(copy, std::ptr::null_mut(), 0);
        }
    }
    let mut text = Vec::new();
    let _ = from.read_to_end(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// A stop in one line, of which the words are last.
fn encode(stopped: &Stopped) -> String {
    let (tag, numbers, words) = match &stopped.stop {
        Stop::Signal { signal, address, place } => (
            "signal",
            [*signal as usize, address.map_or(0, |a| a), *place, usize::from(address.is_some())],
            "",
        ),
        Stop::SharedMemory { place } => ("shared", [*place, 0, 0, 0], ""),
        Stop::StackOverflow { place } => ("overflow", [*place, 0, 0, 0], ""),
        Stop::Failure(Failure { kind, line }) => match kind {
            FailureKind::Checked(what) => ("checked", [line.unwrap_or(0), 0, 0, 0], what.as_str()),
            FailureKind::Outside { address, bytes, writes, is_shared, place } => {
                let flags = usize::from(*writes) | usize::from(*is_shared) << 1;
                ("outside", [*address as usize, *bytes, flags, *place], "")
            }
            _ => return String::new(),
        },
        _ => return String::new(),
    };
    let [x, y, z] = stopped.thread.unwrap_or_default();
    let known = usize::from(stopped.thread.is_some());
    let [a, b, c, d] = numbers;
    let [i, j, k] = stopped.block;
    format!("{tag} {a} {b} {c} {d} {i} {j} {k} {known} {x} {y} {z} {words}")
}

fn decode(text: &str) -> Option<Stopped> {
    let mut parts = text.splitn(13, ' ');
    let tag = parts.next()?;
    let mut number = || parts.next()?.parse::<usize>().ok();
    let (a, b, c, d) = (number()?, number()?, number()?, number()?);
    let block = [number()? as u32, number()? as u32, number()? as u32];
    let known = number()? == 1;
    let thread = [number()? as u32, number()? as u32, number()? as u32];
    let words = parts.next().unwrap_or_default();
    let failure = |kind, line| Stop::Failure(Failure { kind, line });
    let stop = match tag {
        "signal" => Stop::Signal { signal: a as i32, address: (d == 1).then_some(b), place: c },
        "shared" => Stop::SharedMemory { place: a },
        "overflow" => Stop::StackOverflow { place: a },
        "checked" => failure(FailureKind::Checked(words.to_owned()), Some(a)),
        "outside" => failure(
            FailureKind::Outside {
                address: a as u64,
                bytes: b,
                writes: c & 1 == 1,
                is_shared: c & 2 == 2,
                place: d,
            },
            None,
        ),
        _ => return None,
    };
    Some(Stopped { stop, block, blocks: 1, thread: known.then_some(thread) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_copy_says_is_understood() {
        let kind = FailureKind::Outside { address: 4096, bytes: 4, writes: true, is_shared: true, place: 77 };
        let stop = Stop::Failure(Failure { kind, line: None });
        let text = encode(&Stopped { stop, block: [4, 5, 6], blocks: 1, thread: Some([1, 2, 3]) });
        let found = decode(&text).unwrap();
        assert_eq!((found.block, found.thread), ([4, 5, 6], Some([1, 2, 3])));
        let Stop::Failure(Failure { kind, .. }) = found.stop else { panic!() };
        assert!(matches!(
            kind,
            FailureKind::Outside { address: 4096, bytes: 4, writes: true, is_shared: true, place: 77 }
        ));
        assert!(decode("").is_none());
    }
}
