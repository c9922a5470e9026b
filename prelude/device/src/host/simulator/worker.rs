//! A thread of the operating system as it runs kernels: the stacks of the
//! threads that it simulates, and who of them runs.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::sync::Arc;

use corosensei::trap::CoroutineTrapHandler;
use corosensei::{Coroutine, CoroutineResult, Yielder};

use super::block::{Block, Next};
use super::contract::{self, Context};
use super::gathering::Gathering;
use super::shared::SharedMemory;
use super::stacks::{Slot, Stacks};
use super::trap::{self, Caught, HandlerStack};
use super::watchdog::{Control, Post, Reason};
use super::{Code, Failure, FailureKind, Kernel, Pointers, Shape, Stop, Stopped};
use crate::host::races::Races;
use crate::host::{checked, lines, output};

/// How the current job runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Loop,
    Threads,
}

/// What a coroutine does when it is resumed from its idle state.
#[derive(Clone, Copy)]
struct Job {
    call: *const (dyn Fn(*mut Context) + 'static),
}

/// A thread of the operating system as it runs kernels.
pub(super) struct Worker {
    stacks: Stacks,
    pub(super) shared: SharedMemory,
    pub(super) block: RefCell<Block>,
    fibers: RefCell<Vec<Coroutine<(), (), (), Slot>>>,
    job: Cell<Option<Job>>,
    pub(super) mode: Cell<Mode>,
    /// Whether a loop over threads notes each of them.
    notes_threads: Cell<bool>,
    /// Whether the launch is of a checked build.
    is_checked: Cell<bool>,
    /// What is remembered for races, while a launch looks for them. The last
    /// thread of a block comes first then.
    pub(super) races: Cell<*const Races>,
    /// Where the blocks of a launch meet, while all of them run at once.
    pub(super) gathering: Cell<*const Gathering>,
    text: Cell<(usize, usize)>,
    control: RefCell<Option<Arc<Control>>>,
    // For the signal handler, which runs on this thread.
    pub(super) trap_handler: Cell<Option<CoroutineTrapHandler<()>>>,
    pub(super) caught: Cell<Option<Caught>>,
    is_stopping: Cell<*const Control>,
    pub(super) failure: RefCell<Option<Failure>>,
    pub(super) output: RefCell<output::Output>,
    post: Arc<Post>,
    _handler_stack: HandlerStack,
}

thread_local! {
    static WORKER: RefCell<Option<Box<Worker>>> = const { RefCell::new(None) };
}

/// Lets this thread's worker act; nothing, if the system has no memory for one.
pub(super) fn with_worker<R>(act: impl FnOnce(&Worker) -> R) -> Option<R> {
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
        let worker = Box::new(Worker {
            stacks: Stacks::new()?,
            shared: SharedMemory::new()?,
            block: RefCell::default(),
            fibers: RefCell::default(),
            job: Cell::new(None),
            mode: Cell::new(Mode::Loop),
            notes_threads: Cell::new(false),
            is_checked: Cell::new(false),
            races: Cell::new(std::ptr::null()),
            gathering: Cell::new(std::ptr::null()),
            text: Cell::new((0, 0)),
            control: RefCell::new(None),
            trap_handler: Cell::new(None),
            caught: Cell::new(None),
            is_stopping: Cell::new(std::ptr::null()),
            failure: RefCell::new(None),
            output: RefCell::default(),
            post: Post::new(),
            _handler_stack: HandlerStack::new(),
        });
        worker.stacks.belong_to(&raw const *worker);
        Some(worker)
    }

    pub(super) fn begin(&self, control: &Arc<Control>, code: Code<'_>) {
        let text = code.text;
        self.is_checked.set(code.is_checked);
        self.races.set(code.races.map_or(std::ptr::null(), std::ptr::from_ref));
        self.text.set((text.start, text.end));
        self.is_stopping.set(Arc::as_ptr(control));
        *self.control.borrow_mut() = Some(Arc::clone(control));
        self.post.watch(Some(control));
        if code.is_checked {
            checked::open_own(&self.stacks.range(), &[]);
        }
    }

    pub(super) fn end(&self) {
        self.post.watch(None);
        self.is_stopping.set(std::ptr::null());
        self.races.set(std::ptr::null());
        self.gathering.set(std::ptr::null());
        *self.control.borrow_mut() = None;
    }

    /// Whether the launch is to stop. Safe to call in a signal handler.
    pub(super) fn is_stopped(&self) -> bool {
        // SAFETY: null, or the control that `self.control` holds meanwhile.
        unsafe { self.is_stopping.get().as_ref() }.is_some_and(|control| control.reason().is_some())
    }

    /// Whether an address is in the kernel's code, or in that of the maths
    /// functions that it calls, which hold no lock. As above.
    pub(super) fn is_kernels(&self, place: usize) -> bool {
        let (start, end) = self.text.get();
        (start..end).contains(&place) || lines::is_maths(place)
    }

    /// Ends the thread if the launch is to stop.
    ///
    /// # Safety
    ///
    /// `here` is the context of the thread that is running.
    pub(super) unsafe fn check_stopped(&self, here: *mut Context, line: i32) {
        if self.is_stopped() {
            self.failure
                .replace(Some(Failure { kind: FailureKind::Stopped, line: usize::try_from(line).ok() }));
            loop {
                // SAFETY: the caller's promise; a failed fiber never continues.
                unsafe { (*(*here).yielder).suspend(()) }
            }
        }
    }

    /// Runs a range of blocks.
    ///
    /// # Safety
    ///
    /// As for `simulator::run`; the range lies within the grid.
    pub(super) unsafe fn blocks(
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
        self.notes_threads.set(kernel.notes_threads);
        self.call(&|here| {
            // SAFETY: as above.
            unsafe { run(arguments.0.as_ptr().cast_mut(), here, begin, end) }
        })
    }

    /// Readies fiber 0 for a call over blocks.
    fn prepare(&self, kernel: &Kernel, shape: Shape, block: usize) {
        self.ready_fiber(0);
        self.place(0, kernel, shape, block);
    }

    pub(super) fn prepare_loop(&self) {
        self.ready_fiber(0);
        // A loop has no threads that could race.
        // SAFETY: the context lies in a slot of this worker, of which no
        // thread runs now.
        unsafe {
            (*self.stacks.context(0)).races = std::ptr::null();
            (*self.stacks.context(0)).pending_bytes = 0;
        }
    }

    /// Says to a fiber's thread where it is.
    fn place(&self, fiber: u16, kernel: &Kernel, shape: Shape, block: usize) {
        let context = self.stacks.context(usize::from(fiber));
        let (shared, dynamic) =
            self.shared.place(kernel.shared_bytes, kernel.shared_alignment, shape.dynamic_shared);
        if fiber == 0 && self.is_checked.get() {
            self.shared.check(shared, &kernel.variables, dynamic, shape.dynamic_shared);
        } else if fiber == 0 && kernel.meets {
            self.shared.mark(shared, kernel.shared_bytes, dynamic, shape.dynamic_shared);
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
            (*context).blocks = 1;
            (*context).backwards = u32::from(!self.races.get().is_null());
            (*context).races = self.races.get().as_ref().map_or(std::ptr::null(), Races::table);
            (*context).shared_area = [self.shared.range().start, self.shared.range().end];
            (*context).block_number = block as u32;
            (*context).clock = [0; 2];
            (*context).pending_bytes = 0;
            (*context).looking = 0;
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
                (*here).thread_number = thread;
                (*here).clock = [0; 2];
                (*here).pending_bytes = 0;
                call(here);
                self.block.borrow_mut().thread_ended(fiber);
            }
            self.block.borrow_mut().become_idle(fiber);
        }
    }

    /// Calls a function on a kernel's stack.
    pub(super) fn call(&self, call: &dyn Fn(*mut Context)) -> Result<(), Stopped> {
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
        self.block.borrow_mut().start(threads, !self.races.get().is_null());
        let ready = self.block.borrow().fibers();
        for fiber in 0..ready {
            self.ready_fiber(fiber);
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
                        self.ready_fiber(fiber);
                        self.place(fiber, kernel, shape, number);
                        placed = fiber + 1;
                    }
                    if let Err(stop) = self.resume(fiber) {
                        break Err(self.stopped(stop, fiber));
                    }
                }
                Next::Done if self.has_left_gaps(kernel, shape) => break Ok(()),
                Next::Done => {
                    let block = unravel(number as u64, shape.grid);
                    let stop = Stop::SharedMemory { place: 0 };
                    break Err(Stopped { stop, block, blocks: 1, thread: None });
                }
                Next::Deadlock => {
                    let waiting = self.block.borrow().waiting();
                    let thread =
                        waiting.first().map(|waiting| unravel(u64::from(waiting.first), shape.block));
                    let block = unravel(number as u64, shape.grid);
                    break Err(Stopped { stop: Stop::Deadlock(waiting), block, blocks: 1, thread });
                }
            }
        };
        if outcome.is_err() {
            self.give_up_fibers();
        }
        self.job.set(None);
        outcome
    }

    /// Whether a block has written nothing beside its shared memory. What a
    /// checked build looks up, it has found before.
    fn has_left_gaps(&self, kernel: &Kernel, shape: Shape) -> bool {
        let (shared, dynamic) =
            self.shared.place(kernel.shared_bytes, kernel.shared_alignment, shape.dynamic_shared);
        self.is_checked.get()
            || self.shared.is_marked(shared, kernel.shared_bytes, dynamic, shape.dynamic_shared)
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
            return Err(self.signalled(fiber));
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

    fn signalled(&self, fiber: u16) -> Stop {
        let Some(mut caught) = self.caught.take() else {
            return Stop::Failure(Failure {
                kind: FailureKind::Unexpected("a kernel's stack has ended by itself"),
                line: None,
            });
        };
        // A checked build looks up the shadow, of which most is closed.
        let address = caught.has_address.then_some(caught.address);
        // SAFETY: the context lies in a slot of this worker, of which no
        // thread runs now.
        let looking = unsafe { std::mem::take(&mut (*self.stacks.context(usize::from(fiber))).looking) };
        let address = if self.is_checked.get() && looking != 0 {
            caught.place = looking;
            address.map(checked::address_of_shadow)
        } else {
            address
        };
        match caught.signal {
            trap::STOP => Stop::TimeLimit { place: Some(caught.place) },
            _ if caught.overflow => Stop::StackOverflow { place: caught.place },
            _ if address.is_some_and(|address| self.shared.range().contains(&address)) => {
                Stop::SharedMemory { place: caught.place }
            }
            signal => Stop::Signal { signal, address, place: caught.place },
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
        let (mut block, blocks, mut thread, width) = unsafe {
            ((*context).block, (*context).blocks, (*context).thread, (*context).block_dim[0].max(1))
        };
        // A loop over threads notes them only for functions that ask.
        let knows = self.mode.get() == Mode::Threads
            || self.notes_threads.get()
            || matches!(
                &stop,
                Stop::Failure(Failure {
                    kind: FailureKind::Assertion(_)
                        | FailureKind::Panic(_)
                        | FailureKind::Trap
                        | FailureKind::Checked(_)
                        | FailureKind::Outside { .. }
                        | FailureKind::Race { .. },
                    ..
                })
            );
        // A row of blocks counts its threads on.
        if knows && thread[0] >= width {
            block[0] += thread[0] / width;
            thread[0] %= width;
        }
        // A thread that is known is so with its own block.
        let blocks = if knows || self.mode.get() == Mode::Threads { 1 } else { blocks.max(1) };
        Stopped { stop, block, blocks, thread: knows.then_some(thread) }
    }

    /// After a failure: fibers that were in the middle of a thread are restarted.
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
