//! The user's interrupt, from any thread or signal handler.

use std::os::fd::{AsRawFd as _, BorrowedFd};
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use crate::ranks::MOST_WORKERS;

/// Why something has not been done that the user has interrupted.
pub(crate) const INTERRUPTED: &str = "interrupted";

/// Interrupts the cell that is being evaluated.
///
/// The first interrupt asks: the compiler is stopped, or the cell is told to
/// unwind at its next call of the library, which keeps all variables. A
/// second one, of a cell that does not listen, ends the worker.
#[derive(Clone, Debug, Default)]
pub struct Interrupter {
    state: Arc<State>,
}

/// What is to be signalled, and who is about to.
///
/// A process's number may be another's as soon as it has been waited for, so
/// nobody may be between reading a number and signalling it when that happens.
/// There is no lock, because a signal handler cannot wait for one. Instead
/// whoever signals is counted in `signalling` before it reads a number, and
/// whoever is about to wait for the process clears the number and then waits
/// until nobody is counted. All of it is sequentially consistent: if a
/// signaller has read the number, its reading comes before the clearing, so
/// its counting comes before the owner's look at the count, and the owner
/// stays until the signal is out. If it reads after the clearing, it finds
/// nothing. A signaller makes a few system calls and waits for nobody, so the
/// owner does not wait long; a handler that runs on the owner's own thread is
/// through before the owner looks.
#[derive(Debug, Default)]
struct State {
    /// A compiler's process group, whose leader has not been waited for.
    compiler: AtomicI32,
    /// The workers' processes, the first ones of which are valid; below zero a socket, negated.
    workers: Targets,
    /// A descriptor of the process, where something else waits for it; the connection of one that is elsewhere; less
    /// than one if there is none.
    descriptors: Targets,
    /// How many of them there are.
    count: AtomicUsize,
    /// The order that the worker has been given.
    order: AtomicU64,
    /// How often the user has asked during this cell.
    asked: AtomicU8,
    signalling: AtomicU32,
}

/// What is to be signalled to interrupt a worker.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target<'a> {
    /// A process that is the session's child.
    Process(i32),
    /// A process that something else may wait for: the descriptor means it for good.
    Descriptor(i32, BorrowedFd<'a>),
    /// A worker elsewhere: a socket of datagrams, at whose other end a thread passes interrupts on, and the connection
    /// with whose end the worker ends.
    Elsewhere(BorrowedFd<'a>, BorrowedFd<'a>),
}

/// A place for the number of each process: nothing can be allocated while a signal is handled.
#[derive(Debug)]
struct Targets([AtomicI32; MOST_WORKERS]);

impl Default for Targets {
    fn default() -> Targets {
        Targets([const { AtomicI32::new(0) }; MOST_WORKERS])
    }
}

impl Interrupter {
    /// Interrupts. Nothing happens while no cell is being evaluated. Safe to
    /// call in a signal handler.
    pub fn interrupt(&self) {
        let state = &self.state;
        let asked = state.asked.load(Ordering::SeqCst);
        state.asked.store(asked.saturating_add(1), Ordering::SeqCst);
        state.signalling.fetch_add(1, Ordering::SeqCst);
        let compiler = state.compiler.load(Ordering::SeqCst);
        let count = state.count.load(Ordering::SeqCst);
        if compiler > 0 {
            kill_group(compiler);
        } else {
            for (worker, descriptor) in state.workers.0.iter().zip(&state.descriptors.0).take(count) {
                let worker = worker.load(Ordering::SeqCst);
                let descriptor = descriptor.load(Ordering::SeqCst);
                match asked {
                    _ if worker == 0 => {}
                    0 if worker < 0 => self.tell(-worker),
                    _ if worker < 0 => cut(descriptor),
                    0 => self.ask(worker, descriptor),
                    _ => end(worker, descriptor),
                }
            }
        }
        state.signalling.fetch_sub(1, Ordering::SeqCst);
    }

    /// Asks the worker's cell to end. The signal carries the number of the
    /// order: it may arrive before the order does, or after its end.
    fn ask(&self, worker: i32, descriptor: i32) {
        let order = self.state.order.load(Ordering::SeqCst);
        if descriptor > 0 {
            signal_descriptor(descriptor, libc::SIGINT, order);
        } else {
            // A child that has not been waited for, as `State` argues.
            signal_order(worker, order);
        }
    }

    /// Has a thread pass it on, to a worker that is elsewhere: the number of the order.
    fn tell(&self, socket: i32) {
        let message = self.state.order.load(Ordering::SeqCst).to_le_bytes();
        // SAFETY: the bytes are there to be read; the socket is open until `clear_workers` has returned. It is safe in
        // a signal handler, and waits for nobody.
        unsafe {
            libc::send(
                socket,
                message.as_ptr().cast(),
                message.len(),
                libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT,
            )
        };
    }

    /// Whether the user has asked since the cell began.
    pub fn was_asked(&self) -> bool {
        self.state.asked.load(Ordering::SeqCst) > 0
    }

    /// Whether the user has asked more than once: then the worker was ended.
    pub(crate) fn was_insisted(&self) -> bool {
        self.state.asked.load(Ordering::SeqCst) > 1
    }

    /// A cell begins, or has taken an interrupt and goes on.
    pub(crate) fn begin(&self) {
        self.state.asked.store(0, Ordering::SeqCst);
    }

    /// Names the compiler to be stopped, by its process group.
    pub(crate) fn set_compiler(&self, group: i32) {
        self.state.compiler.store(group, Ordering::SeqCst);
        // An interrupt that came before the compiler was known.
        if group > 0 && self.was_asked() {
            kill_group(group);
        }
    }

    /// There is no compiler to be stopped any more: it may be waited for.
    pub(crate) fn clear_compiler(&self) {
        self.state.compiler.store(0, Ordering::SeqCst);
        self.wait_for_signallers();
    }

    /// Names the workers to be interrupted, [`MOST_WORKERS`] at most, and the order that they are about to
    /// be given.
    pub(crate) fn set_workers(&self, workers: &[Target<'_>], order: u64) {
        self.state.order.store(order, Ordering::SeqCst);
        let places = self.state.workers.0.iter().zip(&self.state.descriptors.0);
        for ((place, beside), target) in places.zip(workers) {
            let (number, descriptor) = match target {
                Target::Process(process) => (*process, 0),
                Target::Descriptor(process, descriptor) => (*process, descriptor.as_raw_fd()),
                Target::Elsewhere(interrupts, connection) => {
                    (-interrupts.as_raw_fd(), connection.as_raw_fd())
                }
            };
            beside.store(descriptor, Ordering::SeqCst);
            place.store(number, Ordering::SeqCst);
        }
        self.state.count.store(workers.len().min(MOST_WORKERS), Ordering::SeqCst);
    }

    /// There are no workers to be interrupted any more: they may be waited for.
    pub(crate) fn clear_workers(&self) {
        self.state.count.store(0, Ordering::SeqCst);
        self.wait_for_signallers();
    }

    fn wait_for_signallers(&self) {
        while self.state.signalling.load(Ordering::SeqCst) > 0 {
            std::thread::yield_now();
        }
    }
}

/// Ends a process group; false if it is none.
fn kill_group(leader: i32) -> bool {
    // SAFETY: sending a signal has no memory effects; the number is of a child
    // that has not been waited for, as `State` argues.
    unsafe { libc::killpg(leader, libc::SIGKILL) == 0 }
}

/// Ends a worker.
fn end(worker: i32, descriptor: i32) {
    if descriptor > 0 {
        signal_descriptor(descriptor, libc::SIGKILL, 0);
    } else if !kill_group(worker) {
        // It leads no group of its own: it shares the terminal.
        // SAFETY: sending a signal has no memory effects; the number is of a child that has not been waited for, as
        // `State` argues.
        unsafe { libc::kill(worker, libc::SIGKILL) };
    }
}

/// Ends a connection in both directions, whoever reads or writes there.
fn cut(connection: i32) {
    // SAFETY: it has no memory effects, is safe in a signal handler, and waits for nobody; the descriptor is open until
    // `clear_workers` has returned.
    unsafe { libc::shutdown(connection, libc::SHUT_RDWR) };
}

/// Has a command's process be asked to end when the thread ends that starts it: the one that evaluates cells, which
/// lives as long as its session.
pub(crate) fn end_with_this_thread(command: &mut Command) {
    let parent = std::process::id();
    // SAFETY: between fork and exec only calls that are safe in a signal handler are allowed; these are two system
    // calls, which touch no memory.
    unsafe {
        command.pre_exec(move || {
            if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM) < 0 {
                return Err(std::io::Error::last_os_error());
            }
            // It may have ended before.
            if libc::getppid() as u32 == parent { Ok(()) } else { Err(std::io::ErrorKind::BrokenPipe.into()) }
        })
    };
}

/// Asks a worker, a child that has not been waited for, to end the order of this number.
pub(crate) fn signal_order(worker: i32, order: u64) {
    let number = std::ptr::without_provenance_mut(usize::try_from(order).unwrap_or(0));
    // SAFETY: sending a signal has no memory effects, and who calls this has not waited for the child, so that its
    // number is no other's.
    unsafe { libc::sigqueue(worker, libc::SIGINT, libc::sigval { sival_ptr: number }) };
}

/// What goes with a signal, as the kernel has it on 64-bit Linux: `siginfo_t` with the fields of `sigqueue`.
#[repr(C)]
struct Queued {
    signal: i32,
    error: i32,
    code: i32,
    gap: i32,
    process: i32,
    user: u32,
    value: u64,
    rest: [u64; 12],
}

const _: () = assert!(size_of::<Queued>() == size_of::<libc::siginfo_t>());

/// Signals a process by a descriptor of it, with the number of an order. Should the process have ended, the
/// descriptor still means it and nobody else.
pub(crate) fn signal_descriptor(descriptor: i32, signal: i32, order: u64) {
    let information = Queued {
        signal,
        error: 0,
        code: libc::SI_QUEUE,
        gap: 0,
        process: 0,
        user: 0,
        value: order,
        rest: [0; 12],
    };
    // SAFETY: the kernel reads as many bytes as `siginfo_t` has, which the structure has too, as is asserted above; all
    // of them are written. Of a descriptor that is not open nothing is signalled; who passes one has it, or it is open
    // until `clear_workers` has returned.
    unsafe { libc::syscall(libc::SYS_pidfd_send_signal, descriptor, signal, &raw const information, 0) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::{AsFd as _, FromRawFd as _, OwnedFd};
    use std::process::Stdio;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn a_compiler_is_ended_also_if_the_interrupt_comes_first() {
        for is_first in [true, false] {
            let interrupter = Interrupter::default();
            if is_first {
                interrupter.interrupt();
            }
            let mut child = Command::new("sleep").arg("60").process_group(0).spawn().unwrap();
            interrupter.set_compiler(i32::try_from(child.id()).unwrap());
            if !is_first {
                interrupter.interrupt();
            }
            interrupter.clear_compiler();
            assert!(!child.wait().unwrap().success());
            assert!(interrupter.was_asked() && !interrupter.was_insisted());
        }
    }

    /// What something else waits for is meant by a descriptor, each of several.
    #[test]
    fn processes_that_others_wait_for_are_signalled_by_descriptors() {
        let script = "trap 'exit 7' INT; echo; while :; do sleep 0.01; done";
        let mut children: Vec<_> = (0..2)
            .map(|_| {
                // Background jobs of shells ignore it, and what they start does too.
                let mut command = Command::new("env");
                command.args(["--default-signal=INT", "sh", "-c", script]);
                command.stdout(Stdio::piped()).spawn().unwrap()
            })
            .collect();
        let descriptors: Vec<OwnedFd> = children
            .iter_mut()
            .map(|child| {
                // It has said that it listens.
                std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut [0]).unwrap();
                // SAFETY: the number is of a child that has not been waited for; nobody else has the descriptor.
                unsafe { OwnedFd::from_raw_fd(libc::syscall(libc::SYS_pidfd_open, child.id(), 0) as i32) }
            })
            .collect();
        let interrupter = Interrupter::default();
        // The numbers are somebody else's.
        let targets: Vec<Target<'_>> =
            descriptors.iter().map(|descriptor| Target::Descriptor(i32::MAX, descriptor.as_fd())).collect();
        interrupter.set_workers(&targets, 5);
        interrupter.interrupt();
        interrupter.clear_workers();
        for child in &mut children {
            assert_eq!(child.wait().unwrap().code(), Some(7));
        }
    }

    /// Children come and go while others interrupt: none is waited for as
    /// long as someone has its number, and nobody waits for ever.
    #[test]
    fn interrupts_at_any_time_end_children_and_nothing_else() {
        let interrupter = Interrupter::default();
        let (count, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !is_over.load(Ordering::SeqCst) {
                        interrupter.interrupt();
                        count.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
            for _ in 0..20 {
                let command = &mut Command::new("sleep");
                let mut child = command.arg("60").stdin(Stdio::null()).process_group(0).spawn().unwrap();
                interrupter.set_workers(&[Target::Process(i32::try_from(child.id()).unwrap())], 1);
                // Each of the two has begun an interrupt since.
                let before = count.load(Ordering::SeqCst);
                while count.load(Ordering::SeqCst) < before + 4 {
                    std::thread::yield_now();
                }
                interrupter.clear_workers();
                assert!(!child.wait().unwrap().success());
            }
            is_over.store(true, Ordering::SeqCst);
        });
        assert_eq!(interrupter.state.signalling.load(Ordering::SeqCst), 0);
    }
}
