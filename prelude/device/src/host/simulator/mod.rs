//! Runs kernels on this machine's cores.
//!
//! Every kernel runs on a stack of its own ([`stacks`]), so that a fault in it
//! can be left behind ([`trap`]). A kernel whose threads do not meet is one
//! call for a range of blocks. Of a kernel whose threads meet, each thread is
//! a coroutine: when it waits, the scheduler here lets another one of the
//! block run ([`block`], [`warp`]). A block never leaves the core that it
//! started on; blocks start in order. Where blocks wait for each other
//! ([`gathering`]), each has a thread of the system.

mod block;
mod calls;
mod contract;
mod gathering;
mod shared;
mod stacks;
mod trap;
mod warp;
pub(super) mod watchdog;
mod worker;

use std::ffi::c_void;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

pub(super) use block::Waiting;
pub(super) use contract::Run;
pub(super) use shared::{AREA as SHARED_AREA, SHARED_LIMIT};
pub(super) use stacks::{SLOT, STACK};

use self::gathering::Gathering;
use self::watchdog::{Control, Reason};
use self::worker::{Worker, with_worker};
use super::races::{Races, User};
use super::{lines, output, parallel};
use crate::error::{Problem, Result};

/// Threads of a grid below which the caller runs them alone: waking another
/// core takes longer. Threads that meet take a hundred times as long.
const ALONE: u64 = 4096;
const ALONE_MEETING: u64 = 64;

/// A kernel that is ready to run.
#[derive(Clone)]
pub(super) struct Kernel {
    pub(super) run: Run,
    /// Whether its threads meet.
    pub(super) meets: bool,
    /// Whether its blocks may.
    pub(super) meets_grid: bool,
    /// Whether it walks its grid by strides.
    pub(super) strides: bool,
    /// Whether a loop over its threads notes each of them.
    pub(super) notes_threads: bool,
    /// Where its machine code lies.
    pub(super) text: Range<usize>,
    pub(super) is_checked: bool,
    /// Where each of the module's shared variables lies in a block's memory.
    pub(super) offsets: Vec<u32>,
    /// The shared variables that it reaches: their offsets and sizes.
    pub(super) variables: Vec<Range<usize>>,
    /// Bytes of a block's shared memory without what comes with the launch.
    pub(super) shared_bytes: usize,
    /// The largest alignment of its shared variables, at least 16.
    pub(super) shared_alignment: usize,
}

impl Kernel {
    fn code<'a>(&'a self, races: Option<&'a Races>) -> Code<'a> {
        Code { text: &self.text, is_checked: self.is_checked, races }
    }
}

/// The machine code of a launch.
#[derive(Clone, Copy)]
pub(super) struct Code<'a> {
    /// Where it lies.
    pub(super) text: &'a Range<usize>,
    /// Whether it looks up every access.
    pub(super) is_checked: bool,
    /// What is remembered of accesses, where races are detected.
    pub(super) races: Option<&'a Races>,
}

/// The shape of a launch.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    /// In bytes.
    pub(super) dynamic_shared: usize,
}

/// Why a kernel did not reach its end.
#[derive(Clone, Debug)]
pub(super) enum Stop {
    /// A signal of the processor: which, at which address, where in the code.
    Signal {
        signal: i32,
        address: Option<usize>,
        place: usize,
    },
    StackOverflow {
        place: usize,
    },
    /// An access beyond the block's shared memory.
    SharedMemory {
        place: usize,
    },
    Failure(Failure),
    Deadlock(Vec<Waiting>),
    TimeLimit {
        place: Option<usize>,
    },
    Interrupted,
}

/// What a kernel's code itself reports.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub(super) kind: FailureKind,
    /// Zero if it is not known.
    pub(super) line: Option<usize>,
}

#[derive(Clone, Debug)]
pub(super) enum FailureKind {
    Assertion(String),
    /// A panic of a kernel in Rust, with its message.
    Panic(String),
    Trap,
    StackOverflow,
    /// A check of the checked build.
    Checked(String),
    /// What a guard of a generated kernel has found: `gpurepl_kernels::guards` has the kinds, and
    /// the report's form.
    Guard {
        kind: u32,
        report: String,
    },
    /// An access to memory that is nobody's, or that of the block.
    Outside {
        address: u64,
        bytes: usize,
        writes: bool,
        is_shared: bool,
        place: usize,
    },
    /// Two threads use memory, of which one writes, and neither waits for the
    /// other.
    Race {
        uses: Uses,
        is_shared: bool,
        address: u64,
        other: User,
        /// The number of the block of the one that came second.
        block: u32,
        /// Where each of them was, as distances from the module's own byte.
        places: [i32; 2],
    },
    NotInMask {
        operation: &'static str,
        mask: u32,
    },
    /// A thread waits for its grid, whose blocks do not all run at once.
    NotTogether,
    /// A block waits for blocks that have ended.
    GridNotMet,
    /// The simulator and the translation disagree.
    Unexpected(&'static str),
    Stopped,
}

/// What the second of two threads in a race does with what the first has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Uses {
    ReadsWritten,
    WritesRead,
    WritesWritten,
}

/// A stop, and where in the grid.
#[derive(Clone, Debug)]
pub(super) struct Stopped {
    pub(super) stop: Stop,
    /// The block, or the first of several of which it is one.
    pub(super) block: [u32; 3],
    /// How many those are.
    pub(super) blocks: u32,
    pub(super) thread: Option<[u32; 3]>,
}

/// Runs a kernel over a grid.
///
/// # Errors
///
/// If the system has no memory for stacks, or the user interrupts.
///
/// # Safety
///
/// The arguments are the kernel's own in number, size and alignment, and live
/// until this returns.
pub(super) unsafe fn run(
    kernel: &Kernel,
    shape: Shape,
    arguments: &[*mut c_void],
    races: Option<&Races>,
) -> Result<Result<(), Stopped>> {
    let count = |lengths: [u32; 3]| lengths.iter().map(|length| u64::from(*length)).product::<u64>();
    let (blocks, threads) = (count(shape.grid), count(shape.block));
    let alone = if kernel.meets { ALONE_MEETING } else { ALONE };
    let cores = rayon_core::current_num_threads() as u64;
    let at_once = if blocks.saturating_mul(threads) <= alone {
        blocks
    } else if kernel.strides {
        // The more blocks take a turn together, the longer is what they read.
        blocks.div_ceil(cores)
    } else {
        // Small enough that all cores end together and an interrupt is seen,
        // large enough that starting a range costs nothing.
        (blocks / (16 * cores)).clamp(1, ALONE)
    };
    let arguments = Pointers(arguments);
    let on_cores =
        |work: &(dyn Fn(Range<usize>) + Sync)| parallel::ranges(blocks as usize, at_once as usize, work);
    over_ranges(on_cores, kernel.code(races), |worker, range| {
        // SAFETY: the caller's promise; the range lies within the grid.
        Some(unsafe { worker.blocks(kernel, shape, range, &arguments) })
    })
}

/// Blocks that can run at once, at most: each has a thread of the system.
pub(super) const MOST_TOGETHER: usize = 512;

/// Runs a kernel whose blocks wait for each other: all of them at once, each on
/// a thread of its own.
///
/// # Errors
///
/// As for [`run`].
///
/// # Safety
///
/// As for [`run`].
pub(super) unsafe fn run_together(
    kernel: &Kernel,
    shape: Shape,
    arguments: &[*mut c_void],
    races: Option<&Races>,
) -> Result<Result<(), Stopped>> {
    let blocks: usize = shape.grid.iter().map(|length| *length as usize).product();
    let gathering = Gathering::new(blocks);
    let arguments = Pointers(arguments);
    let on_threads = |work: &(dyn Fn(Range<usize>) + Sync)| {
        std::thread::scope(|scope| {
            let mut threads = Vec::with_capacity(blocks);
            for block in 0..blocks {
                match std::thread::Builder::new().spawn_scoped(scope, move || work(block..block + 1)) {
                    Ok(thread) => threads.push(thread),
                    // The launch fails, so that the others do not wait for it for ever.
                    Err(_) => {
                        work(blocks..blocks);
                        break;
                    }
                }
            }
            // The scope alone does not wait until their workers are gone.
            for thread in threads {
                let _ = thread.join();
            }
        });
        Ok(())
    };
    over_ranges(on_threads, kernel.code(races), |worker, range| {
        if range.is_empty() {
            return None;
        }
        worker.gathering.set(&raw const gathering);
        // SAFETY: the caller's promise; the range lies within the grid.
        let outcome = unsafe { worker.blocks(kernel, shape, range, &arguments) };
        // A block that has failed ends the launch, which the others hear.
        if outcome.is_ok() {
            gathering.leave();
        }
        Some(outcome)
    })
}

/// Runs the blocks of which one has stopped, on this thread, in a process that
/// does nothing else: what the kernel prints is not shown.
///
/// # Safety
///
/// As for [`run`].
pub(super) unsafe fn run_blocks(
    kernel: &Kernel,
    shape: Shape,
    arguments: &[*mut c_void],
    stopped: &Stopped,
) -> Result<(), Stopped> {
    let control = Arc::new(Control::default());
    let [x, y, z] = stopped.block.map(u64::from);
    let number = (x + u64::from(shape.grid[0]) * (y + u64::from(shape.grid[1]) * z)) as usize;
    let blocks = shape.grid.iter().map(|length| *length as usize).product();
    let end = (number + stopped.blocks as usize).min(blocks);
    let arguments = Pointers(arguments);
    with_worker(|worker| {
        worker.begin(&control, kernel.code(None));
        // SAFETY: the caller's promise.
        unsafe { worker.blocks(kernel, shape, number..end, &arguments) }
    })
    .unwrap_or(Ok(()))
}

/// What the arguments of a kernel are copied from.
struct Pointers<'a>(&'a [*mut c_void]);

// SAFETY: a kernel reads its arguments and never writes them.
unsafe impl Sync for Pointers<'_> {}

/// Memory that a kernel's code reads to call the simulator.
pub(super) fn contract_memory() -> Range<usize> {
    let start = &raw const contract::RUNTIME as usize;
    start..start + size_of::<contract::Runtime>()
}

/// Runs a generated loop, which is not a kernel with a grid, over ranges of
/// elements on kernels' stacks.
///
/// # Errors
///
/// As for [`run`].
pub(super) fn run_loop(
    count: usize,
    step: usize,
    code: Code<'_>,
    work: impl Fn(Range<usize>) + Sync,
) -> Result<Result<(), Stopped>> {
    let on_cores = |work: &(dyn Fn(Range<usize>) + Sync)| parallel::ranges(count, step, work);
    over_ranges(on_cores, code, |worker, range| {
        worker.prepare_loop();
        Some(worker.call(&|_| work(range.clone())))
    })
}

/// Runs ranges of work by what starts them. `work` gives nothing if the system
/// has no room for a range.
fn over_ranges(
    start: impl FnOnce(&(dyn Fn(Range<usize>) + Sync)) -> Result<()>,
    code: Code<'_>,
    work: impl Fn(&Worker, Range<usize>) -> Option<Result<(), Stopped>> + Sync,
) -> Result<Result<(), Stopped>> {
    trap::install();
    lines::find_maths();
    let control = Arc::new(Control::new());
    let first: Mutex<Option<Stopped>> = Mutex::new(None);
    let printed: Mutex<output::Output> = Mutex::new(output::Output::default());
    let no_room: Mutex<bool> = Mutex::new(false);
    let done = start(&|range| {
        if control.reason().is_some() {
            return;
        }
        let outcome = with_worker(|worker| {
            worker.begin(&control, code);
            let outcome = work(worker, range);
            worker.end();
            let mut own = worker.output.borrow_mut();
            if !own.is_empty() {
                printed.lock().unwrap_or_else(PoisonError::into_inner).append(&mut own);
            }
            outcome
        });
        match outcome.flatten() {
            Some(Ok(())) => {}
            Some(Err(stopped)) => {
                let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
                let is_consequence =
                    matches!(stopped.stop, Stop::Failure(Failure { kind: FailureKind::Stopped, .. }));
                // The lowest block is reported: which came first is chance.
                if !is_consequence && first.as_ref().is_none_or(|first| order(&stopped) < order(first)) {
                    *first = Some(stopped);
                }
                control.stop(Reason::Failed);
            }
            None => {
                *no_room.lock().unwrap_or_else(PoisonError::into_inner) = true;
                control.stop(Reason::Failed);
            }
        }
    });
    printed.into_inner().unwrap_or_else(PoisonError::into_inner).write();
    let first = first.into_inner().unwrap_or_else(PoisonError::into_inner);
    if control.reason() == Some(Reason::Interrupted) {
        return Err(Problem::Interrupted.into());
    }
    if no_room.into_inner().unwrap_or_else(PoisonError::into_inner) {
        let message = "the system has no memory for the stacks of a kernel's threads".to_owned();
        return Err(Problem::NoRoom {
            operation: "launch".to_owned(),
            message,
            help: "drop arrays that are not needed, or raise the limit of virtual memory (`ulimit -v`)"
                .to_owned(),
        }
        .into());
    }
    match first {
        Some(stopped) => Ok(Err(stopped)),
        None => done.map(Ok),
    }
}

fn order(stopped: &Stopped) -> ([u32; 3], Option<[u32; 3]>) {
    let reversed = |mut place: [u32; 3]| {
        place.reverse();
        place
    };
    (reversed(stopped.block), stopped.thread.map(reversed))
}
