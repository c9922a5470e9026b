//! Runs kernels on this machine's cores.
//!
//! Every kernel runs on a stack of its own ([`stacks`]), so that a fault in it
//! can be left behind ([`trap`]). A kernel whose threads do not meet is one
//! call for a range of blocks. Of a kernel whose threads meet, each thread is
//! a coroutine: when it waits, the scheduler here lets another one of the
//! block run ([`block`], [`warp`]). A block never leaves the core that it
//! started on; blocks start in order.

mod block;
mod calls;
mod contract;
mod shared;
mod stacks;
mod trap;
mod warp;
pub(super) mod watchdog;

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use corosensei::trap::CoroutineTrapHandler;
use corosensei::{Coroutine, CoroutineResult, Yielder};

pub(super) use block::Waiting;
pub(super) use contract::{Context, Run};
pub(super) use shared::SHARED_LIMIT;
pub(super) use stacks::SLOT;

use self::block::{Block, Next};
use self::shared::SharedMemory;
use self::stacks::{Slot, Stacks};
use self::trap::{Caught, HandlerStack};
use self::watchdog::{Control, Post, Reason};
use super::{checked, output, parallel};
use crate::error::{Problem, Result};

/// Threads of a grid below which the caller runs them alone: waking another
/// core takes longer. Threads that meet take a hundred times as long.
const ALONE: u64 = 4096;
const ALONE_MEETING: u64 = 64;

/// A kernel that is ready to run.
pub(super) struct Kernel {
    pub(super) run: Run,
    /// Whether its threads meet.
    pub(super) meets: bool,
    /// Where its machine code lies.
    pub(super) text: Range<usize>,
    /// Where each of the module's shared variables lies in a block's memory.
    pub(super) offsets: Vec<u32>,
    /// The shared variables that it reaches: their offsets and sizes.
    pub(super) variables: Vec<Range<usize>>,
    /// Bytes of a block's shared memory without what comes with the launch.
    pub(super) shared_bytes: usize,
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
    Trap,
    /// A check of the checked build.
    Checked(String),
    Outside {
        address: u64,
        bytes: usize,
        writes: bool,
        place: usize,
    },
    NotInMask {
        operation: &'static str,
        mask: u32,
    },
    /// The simulator and the translation disagree.
    Unexpected(&'static str),
    Stopped,
}

/// A stop, and where in the grid.
#[derive(Clone, Debug)]
pub(super) struct Stopped {
    pub(super) stop: Stop,
    pub(super) block: [u32; 3],
    pub(super) thread: Option<[u32; 3]>,
}

/// How the current job runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Loop,
    Threads,
}

/// What a coroutine does when it is resumed from its idle state.
#[derive(Clone, Copy)]
struct Job {
    call: *const (dyn Fn(*mut Context) + 'static),
}

/// A thread of the operating system as it runs kernels.
pub(in crate::device::host) struct Worker {
    stacks: Stacks,
    shared: SharedMemory,
    block: RefCell<Block>,
    fibers: RefCell<Vec<Coroutine<(), (), (), Slot>>>,
    job: Cell<Option<Job>>,
    mode: Cell<Mode>,
    text: Cell<(usize, usize)>,
    control: RefCell<Option<Arc<Control>>>,
    // For the signal handler, which runs on this thread.
    trap_handler: Cell<Option<CoroutineTrapHandler<()>>>,
    caught: Cell<Option<Caught>>,
    is_stopping: Cell<*const Control>,
    failure: RefCell<Option<Failure>>,
    output: RefCell<output::Output>,
    post: Arc<Post>,
    _handler_stack: HandlerStack,
}

thread_local! {
    static WORKER: RefCell<Option<Box<Worker>>> = const { RefCell::new(None) };
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
) -> Result<Result<(), Stopped>> {
    let count = |lengths: [u32; 3]| lengths.iter().map(|length| u64::from(*length)).product::<u64>();
    let (blocks, threads) = (count(shape.grid), count(shape.block));
    let alone = if kernel.meets { ALONE_MEETING } else { ALONE };
    let cores = rayon::current_num_threads() as u64;
    let at_once = if blocks.saturating_mul(threads) <= alone {
        blocks
    } else {
        // Small enough that all cores end together and an interrupt is seen,
        // large enough that starting a range costs nothing.
        (blocks / (16 * cores)).clamp(1, ALONE)
    };
    let arguments = Pointers(arguments);
    over_ranges(blocks as usize, at_once as usize, &kernel.text, |worker, range| {
        // SAFETY: the caller's promise; the range lies within the grid.
        unsafe { worker.blocks(kernel, shape, range, &arguments) }
    })
}

/// Runs one block of a kernel on this thread, in a process that does nothing
/// else: what the kernel prints is not shown.
///
/// # Safety
///
/// As for [`run`].
pub(super) unsafe fn run_block(
    kernel: &Kernel,
    shape: Shape,
    arguments: &[*mut c_void],
    block: [u32; 3],
) -> Result<(), Stopped> {
    let control = Arc::new(Control::default());
    let [x, y, z] = block.map(u64::from);
    let number = (x + u64::from(shape.grid[0]) * (y + u64::from(shape.grid[1]) * z)) as usize;
    let arguments = Pointers(arguments);
    with_worker(|worker| {
        worker.begin(&control, &kernel.text);
        // SAFETY: the caller's promise.
        unsafe { worker.blocks(kernel, shape, number..number + 1, &arguments) }
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

/// Runs a generated loop, which is no kernel with a grid, over ranges of
/// elements on kernels' stacks.
///
/// # Errors
///
/// As for [`run`].
pub(super) fn run_loop(
    count: usize,
    step: usize,
    text: &Range<usize>,
    work: impl Fn(Range<usize>) + Sync,
) -> Result<Result<(), Stopped>> {
    over_ranges(count, step, text, |worker, range| {
        worker.prepare_loop();
        worker.call(text, &|_| work(range.clone()))
    })
}

fn over_ranges(
    count: usize,
    step: usize,
    text: &Range<usize>,
    work: impl Fn(&Worker, Range<usize>) -> Result<(), Stopped> + Sync,
) -> Result<Result<(), Stopped>> {
    trap::install();
    super::lines::find_maths();
    let control = Arc::new(Control::new());
    let first: Mutex<Option<Stopped>> = Mutex::new(None);
    let printed: Mutex<output::Output> = Mutex::new(output::Output::default());
    let no_room: Mutex<bool> = Mutex::new(false);
    let done = parallel::ranges(count, step, |range| {
        if control.reason().is_some() {
            return;
        }
        let outcome = with_worker(|worker| {
            worker.begin(&control, text);
            let outcome = work(worker, range);
            worker.end();
            let mut own = worker.output.borrow_mut();
            if !own.is_empty() {
                printed.lock().unwrap_or_else(PoisonError::into_inner).append(&mut own);
            }
            outcome
        });
        match outcome {
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

fn with_worker<R>(act: impl FnOnce(&Worker) -> R) -> Option<R> {
    WORKER.with(|worker| {
        let mut worker = worker.borrow_mut();
        if worker.is_none() {
            *worker = Worker::new();
        }
        worker.as_deref().map(act)
    })
}

impl Worker {
    fn new() -> Option<Box<Worker>> {
        Some(Box::new(Worker {
            stacks: Stacks::new()?,
            shared: SharedMemory::new()?,
            block: RefCell::default(),
            fibers: RefCell::default(),
            job: Cell::new(None),
            mode: Cell::new(Mode::Loop),
            text: Cell::new((0, 0)),
            control: RefCell::new(None),
            trap_handler: Cell::new(None),
            caught: Cell::new(None),
            is_stopping: Cell::new(std::ptr::null()),
            failure: RefCell::new(None),
            output: RefCell::default(),
            post: Post::new(),
            _handler_stack: HandlerStack::new(),
        }))
    }

    fn begin(&self, control: &Arc<Control>, text: &Range<usize>) {
        self.text.set((text.start, text.end));
        self.is_stopping.set(Arc::as_ptr(control));
        *self.control.borrow_mut() = Some(Arc::clone(control));
        self.post.watch(Some(control));
        if checked::is_active() {
            checked::open_own(&self.stacks.range(), &[]);
        }
    }

    fn end(&self) {
        self.post.watch(None);
        self.is_stopping.set(std::ptr::null());
        *self.control.borrow_mut() = None;
    }

    /// Whether the launch is to stop. Safe to call in a signal handler.
    fn is_stopped(&self) -> bool {
        // SAFETY: null, or the control that `self.control` holds meanwhile.
        unsafe { self.is_stopping.get().as_ref() }.is_some_and(|control| control.reason().is_some())
    }

    /// Whether an address is in the kernel's code, or in that of the maths
    /// functions that it calls, which hold no lock. As above.
    fn is_kernels(&self, place: usize) -> bool {
        let (start, end) = self.text.get();
        (start..end).contains(&place) || super::lines::is_maths(place)
    }

    /// Ends the thread if the launch is to stop.
    ///
    /// # Safety
    ///
    /// `here` is the context of the thread that is running.
    unsafe fn check_stopped(&self, here: *mut Context, line: i32) {
        if self.is_stopped() {
            self.failure
                .replace(Some(Failure { kind: FailureKind::Stopped, line: usize::try_from(line).ok() }));
            loop {
                // SAFETY: the caller's promise; a failed fiber never goes on.
                unsafe { (*(*here).yielder).suspend(()) }
            }
        }
    }

    /// Runs a range of blocks.
    ///
    /// # Safety
    ///
    /// As for [`run`]; the range lies within the grid.
    unsafe fn blocks(
        &self,
        kernel: &Kernel,
        shape: Shape,
        mut range: Range<usize>,
        arguments: &Pointers<'_>,
    ) -> Result<(), Stopped> {
        let run = kernel.run;
        if kernel.meets {
            let call = move |here: *mut Context| {
                // SAFETY: the caller's promise; the entry copies what the
                // pointers point at, and writes nothing there.
                unsafe { run(arguments.0.as_ptr().cast_mut(), here, 0, 0) }
            };
            return range.try_for_each(|block| self.block(kernel, shape, block, &call));
        }
        let (begin, end) = (range.start, range.end);
        self.prepare(kernel, shape, begin);
        self.call(&kernel.text, &|here| {
            // SAFETY: as above.
            unsafe { run(arguments.0.as_ptr().cast_mut(), here, begin, end) }
        })
    }

    /// Readies fiber 0 for a call over blocks.
    fn prepare(&self, kernel: &Kernel, shape: Shape, block: usize) {
        self.ready_fiber(0);
        self.place(0, kernel, shape, block);
    }

    fn prepare_loop(&self) {
        self.ready_fiber(0);
    }

    /// Says to a fiber's thread where it is.
    fn place(&self, fiber: u16, kernel: &Kernel, shape: Shape, block: usize) {
        let context = self.stacks.context(usize::from(fiber));
        let (shared, dynamic) = self.shared.place(kernel.shared_bytes, shape.dynamic_shared);
        if fiber == 0 && checked::is_active() {
            self.shared.check(shared, &kernel.variables, dynamic, shape.dynamic_shared);
        }
        // SAFETY: the context lies in a slot of this worker, of which no
        // thread runs now.
        unsafe {
            (*context).block = unravel(block as u64, shape.grid);
            (*context).block_dim = shape.block;
            (*context).grid_dim = shape.grid;
            (*context).shared = shared;
            (*context).dynamic = dynamic;
            (*context).offsets = kernel.offsets.as_ptr();
            (*context).dynamic_bytes = shape.dynamic_shared as u32;
            (*context).spins = 0;
        }
    }

    /// Has a fiber ready to take a job.
    fn ready_fiber(&self, fiber: u16) {
        let mut fibers = self.fibers.borrow_mut();
        let number = usize::from(fiber);
        if number < fibers.len() && !fibers[number].done() {
            return;
        }
        let context = self.stacks.context(number);
        let slot = self.stacks.slot(number);
        // SAFETY: the context lies in a slot that no coroutine uses.
        unsafe {
            (*context).runtime = &raw const contract::RUNTIME;
            (*context).worker = self;
            (*context).fiber = fiber;
        }
        struct Here(*mut Context);
        // The closure stays on this thread: workers never change threads.
        let here = Here(context);
        let coroutine = Coroutine::with_stack(slot, move |yielder: &Yielder<(), ()>, ()| {
            let here = { here }.0;
            // SAFETY: the context is this fiber's own; the yielder lives as
            // long as the coroutine.
            unsafe {
                (*here).yielder = yielder;
                let worker = &*(*here).worker;
                loop {
                    worker.work(here);
                    yielder.suspend(());
                }
            }
        });
        if number < fibers.len() {
            fibers[number] = coroutine;
        } else {
            assert_eq!(number, fibers.len());
            fibers.push(coroutine);
        }
    }

    /// What a fiber does with its job, on its own stack.
    ///
    /// # Safety
    ///
    /// `here` is the fiber's own context.
    unsafe fn work(&self, here: *mut Context) {
        let Some(job) = self.job.get() else { return };
        // SAFETY: who sets a job keeps the closure alive until all fibers are
        // idle or given up.
        let call = unsafe { &*job.call };
        if self.mode.get() == Mode::Loop {
            return call(here);
        }
        // SAFETY: the caller's promise.
        unsafe {
            let fiber = (*here).fiber;
            loop {
                let thread = self.block.borrow_mut().take_thread(fiber);
                let Some(thread) = thread else { break };
                (*here).thread = unravel(u64::from(thread), (*here).block_dim);
                call(here);
                self.block.borrow_mut().thread_ended(fiber);
            }
            self.block.borrow_mut().become_idle(fiber);
        }
    }

    /// Calls a function on a kernel's stack.
    fn call(&self, text: &Range<usize>, call: &dyn Fn(*mut Context)) -> Result<(), Stopped> {
        self.text.set((text.start, text.end));
        self.mode.set(Mode::Loop);
        self.set_job(call);
        let outcome = self.resume(0);
        self.job.set(None);
        outcome.map_err(|stop| self.stopped(stop, 0))
    }

    /// Runs the threads of one block, which meet.
    fn block(
        &self,
        kernel: &Kernel,
        shape: Shape,
        number: usize,
        call: &dyn Fn(*mut Context),
    ) -> Result<(), Stopped> {
        let threads = shape.block.iter().product();
        self.block.borrow_mut().start(threads);
        let ready = self.block.borrow().fibers();
        for fiber in 0..ready {
            self.place(fiber, kernel, shape, number);
        }
        let mut placed = ready;
        self.mode.set(Mode::Threads);
        self.set_job(call);
        let outcome = loop {
            let next = self.block.borrow_mut().next();
            match next {
                Next::Run(fiber) => {
                    if fiber >= placed {
                        self.place(fiber, kernel, shape, number);
                        placed = fiber + 1;
                    }
                    self.ready_fiber(fiber);
                    if let Err(stop) = self.resume(fiber) {
                        break Err(self.stopped(stop, fiber));
                    }
                }
                Next::Done => break Ok(()),
                Next::Deadlock => {
                    let waiting = self.block.borrow().waiting();
                    let thread =
                        waiting.first().map(|waiting| unravel(u64::from(waiting.first), shape.block));
                    let block = unravel(number as u64, shape.grid);
                    break Err(Stopped { stop: Stop::Deadlock(waiting), block, thread });
                }
            }
        };
        if outcome.is_err() {
            self.give_up_fibers();
        }
        self.job.set(None);
        outcome
    }

    fn set_job(&self, call: &dyn Fn(*mut Context)) {
        // SAFETY: only the lifetime changes; `call` and `block` take the job
        // back before they return.
        let call =
            unsafe { std::mem::transmute::<&dyn Fn(*mut Context), &'static dyn Fn(*mut Context)>(call) };
        self.job.set(Some(Job { call }));
    }

    /// Lets a fiber run until it waits, is idle or stops.
    fn resume(&self, fiber: u16) -> Result<(), Stop> {
        let mut fibers = self.fibers.borrow_mut();
        let coroutine = &mut fibers[usize::from(fiber)];
        self.trap_handler.set(Some(coroutine.trap_handler()));
        let result = coroutine.resume(());
        self.trap_handler.set(None);
        if let CoroutineResult::Return(()) = result {
            return Err(self.signalled());
        }
        match self.failure.take() {
            None => Ok(()),
            Some(failure) => {
                // SAFETY: the fiber is suspended in `give_up`, above a kernel,
                // which has no destructors.
                unsafe { coroutine.force_reset() };
                Err(Stop::Failure(failure))
            }
        }
    }

    fn signalled(&self) -> Stop {
        let Some(caught) = self.caught.take() else {
            return Stop::Failure(Failure {
                kind: FailureKind::Unexpected("a kernel's stack has ended by itself"),
                line: None,
            });
        };
        match caught.signal {
            trap::STOP => Stop::TimeLimit { place: Some(caught.place) },
            _ if caught.overflow => Stop::StackOverflow { place: caught.place },
            _ if caught.has_address && self.shared.range().contains(&caught.address) => {
                Stop::SharedMemory { place: caught.place }
            }
            libc::SIGSEGV if checked::address_of_shadow(caught.address).is_some() => {
                // A checked build has looked up what is far from everything.
                let address = checked::address_of_shadow(caught.address);
                Stop::Signal { signal: caught.signal, address, place: caught.place }
            }
            signal => Stop::Signal {
                signal,
                address: caught.has_address.then_some(caught.address),
                place: caught.place,
            },
        }
    }

    /// Where a fiber was when it stopped, and why it really did.
    fn stopped(&self, stop: Stop, fiber: u16) -> Stopped {
        let context = self.stacks.context(usize::from(fiber));
        let reason = self.control.borrow().as_ref().and_then(|control| control.reason());
        let asked = matches!(
            stop,
            Stop::TimeLimit { .. } | Stop::Failure(Failure { kind: FailureKind::Stopped, .. })
        );
        let stop = match (asked, reason) {
            (true, Some(Reason::Interrupted)) => Stop::Interrupted,
            (true, Some(Reason::TimeLimit)) => match stop {
                Stop::TimeLimit { place } => Stop::TimeLimit { place },
                _ => Stop::TimeLimit { place: None },
            },
            (true, _) => Stop::Failure(Failure { kind: FailureKind::Stopped, line: None }),
            (false, _) => stop,
        };
        // SAFETY: the context lies in a slot of this worker, of which no
        // thread runs now.
        let (block, thread) = unsafe { ((*context).block, (*context).thread) };
        // A loop over threads notes them only for functions that ask.
        let knows = self.mode.get() == Mode::Threads
            || matches!(
                &stop,
                Stop::Failure(Failure {
                    kind: FailureKind::Assertion(_)
                        | FailureKind::Trap
                        | FailureKind::Checked(_)
                        | FailureKind::Outside { .. },
                    ..
                })
            );
        Stopped { stop, block, thread: knows.then_some(thread) }
    }

    /// After a failure: fibers that were in the middle of a thread start anew.
    fn give_up_fibers(&self) {
        for coroutine in self.fibers.borrow_mut().iter_mut() {
            // SAFETY: each is suspended between threads or above a kernel,
            // which has no destructors, or has ended.
            unsafe { coroutine.force_reset() };
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.post.leave();
        self.give_up_fibers();
    }
}

/// The place of an element by its number, first axis fastest.
fn unravel(number: u64, lengths: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = lengths.map(u64::from);
    [(number % x) as u32, (number / x % y) as u32, (number / x / y) as u32]
}
