//! The functions of the simulator that a kernel's code calls.
//!
//! Each runs on a kernel's stack, with the context of its thread. They end
//! within the simulator: none panics, and what they borrow they give back
//! before another thread runs.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use super::contract::Context;
use super::gathering::Missed;
use super::stacks;
use super::warp::{Arrival, Operation};
use super::worker::{Mode, Worker};
use super::{Failure, FailureKind, Uses};
use crate::host::heap;
use crate::host::races::User;

/// The worker and the fiber of a context.
///
/// # Safety
///
/// `here` is the context of a thread that is running.
unsafe fn of<'a>(here: *mut Context) -> (&'a Worker, u16) {
    // SAFETY: a worker sets both before a thread runs, and lives until all
    // its threads have ended.
    unsafe { (&*(*here).worker, (*here).fiber) }
}

/// Ends the thread if its stack is nearly used up: what follows must not
/// overflow while it holds anything.
///
/// # Safety
///
/// As for [`of`].
unsafe fn check_stack(here: *mut Context) {
    let local = 0u8;
    if !stacks::has_room(here, &raw const local as usize) {
        // SAFETY: the caller's promise.
        unsafe { give_up(here, FailureKind::StackOverflow, 0) }
    }
}

/// Lets the scheduler run another fiber, until it comes back to this one. Once
/// the launch has failed, it never does.
///
/// # Safety
///
/// As for [`of`]; the fiber is noted wherever it waits.
unsafe fn suspend(here: *mut Context) {
    // SAFETY: the fiber's own coroutine has set the yielder, and is running.
    unsafe { (*(*here).yielder).suspend(()) }
}

/// Ends the thread with a failure.
///
/// # Safety
///
/// As for [`of`].
unsafe fn give_up(here: *mut Context, kind: FailureKind, line: i32) {
    // SAFETY: the caller's promise. A fiber that has failed is never resumed:
    // its stack is given up.
    unsafe {
        let (worker, _) = of(here);
        worker.failure.replace(Some(Failure { kind, line: usize::try_from(line).ok() }));
        loop {
            suspend(here);
        }
    }
}

pub(super) unsafe extern "C" fn barrier(
    here: *mut Context,
    operation: c_int,
    predicate: c_int,
    line: c_int,
) -> c_int {
    // SAFETY: the kernel's code passes its own context.
    unsafe {
        check_stack(here);
        let (worker, fiber) = of(here);
        if worker.mode.get() != Mode::Threads {
            give_up(here, FailureKind::Unexpected("a barrier in a kernel that seemed to have none"), line);
        }
        worker.check_stopped(here, line);
        let answer = worker.block.borrow_mut().arrive(fiber, operation, predicate != 0, line, (*here).clock);
        let answer = match answer {
            Some(answer) => answer,
            None => {
                suspend(here);
                worker.block.borrow().result(fiber)
            }
        };
        (*here).clock = worker.block.borrow().clock(fiber);
        answer as c_int
    }
}

pub(super) unsafe extern "C" fn warp(
    here: *mut Context,
    operation: c_int,
    mask: c_uint,
    value: u64,
    argument: c_int,
    width: c_int,
    line: c_int,
) -> u64 {
    // SAFETY: as in `barrier`.
    unsafe {
        check_stack(here);
        let (worker, fiber) = of(here);
        let Some(operation) =
            Operation::from_number(operation).filter(|_| worker.mode.get() == Mode::Threads)
        else {
            give_up(
                here,
                FailureKind::Unexpected("a warp function in a kernel that seemed to have none"),
                line,
            );
            return 0;
        };
        worker.check_stopped(here, line);
        let arrival = Arrival { fiber, operation, mask, value, argument, width, line, clock: (*here).clock };
        let answer = worker.block.borrow_mut().meet(arrival);
        let answer = match answer {
            Ok(Some(answer)) => answer,
            Ok(None) => {
                suspend(here);
                worker.block.borrow().result(fiber)
            }
            Err(()) => {
                give_up(here, FailureKind::NotInMask { operation: operation.name(), mask }, line);
                0
            }
        };
        (*here).clock = worker.block.borrow().clock(fiber);
        answer
    }
}

/// Whether all blocks of the launch run at once; if the thread `waits`, for
/// all of them to arrive here.
pub(super) unsafe extern "C" fn grid(here: *mut Context, waits: c_int) -> c_int {
    // SAFETY: as in `barrier`.
    unsafe {
        check_stack(here);
        let (worker, _) = of(here);
        // SAFETY: null, or a gathering that lives until all blocks have ended.
        let Some(gathering) = worker.gathering.get().as_ref() else {
            if waits != 0 {
                give_up(here, FailureKind::NotTogether, 0);
            }
            return 0;
        };
        if waits == 0 {
            return 1;
        }
        // Threads of the block that have ended wait for nobody, so this one may
        // keep the others from running.
        match gathering.meet((*here).clock[1], || worker.is_stopped()) {
            Ok(clock) => (*here).clock[1] = clock,
            Err(Missed::Stopped) => worker.check_stopped(here, 0),
            Err(Missed::Ended) => give_up(here, FailureKind::GridNotMet, 0),
        }
        1
    }
}

pub(super) unsafe extern "C" fn let_others_run(here: *mut Context) {
    // SAFETY: as in `barrier`.
    unsafe {
        check_stack(here);
        let (worker, fiber) = of(here);
        worker.check_stopped(here, 0);
        if worker.mode.get() == Mode::Threads && worker.block.borrow().has_others() {
            worker.block.borrow_mut().run_later(fiber);
            suspend(here);
        }
    }
}

pub(super) unsafe extern "C" fn fail(
    here: *mut Context,
    kind: c_int,
    what: *const c_char,
    _file: *const c_char,
    line: c_int,
) {
    // SAFETY: as in `barrier`; `what` is a literal of the module.
    unsafe {
        let what = CStr::from_ptr(what).to_string_lossy().into_owned();
        let kind = match kind {
            0 => FailureKind::Assertion(what),
            1 => FailureKind::Trap,
            3 => FailureKind::Panic(what),
            4 | 6 => FailureKind::Guard { kind: kind.cast_unsigned(), report: what },
            _ => FailureKind::Checked(what),
        };
        give_up(here, kind, line);
    }
}

pub(super) unsafe extern "C" fn print(here: *mut Context, text: *const c_char, length: usize) {
    // SAFETY: as in `barrier`; the text is as long as is said.
    unsafe {
        check_stack(here);
        let (worker, _) = of(here);
        let text = std::slice::from_raw_parts(text.cast(), length);
        worker.output.borrow_mut().add((*here).block, (*here).grid_dim, text);
    }
}

pub(super) unsafe extern "C" fn outside(
    here: *mut Context,
    address: *const c_void,
    bytes: usize,
    writes: c_int,
    place: *const c_void,
) {
    // SAFETY: as in `barrier`.
    unsafe {
        let kind = FailureKind::Outside {
            address: address as u64,
            bytes,
            writes: writes != 0,
            is_shared: of(here).0.shared.range().contains(&(address as usize)),
            place: place as usize,
        };
        give_up(here, kind, 0);
    }
}

pub(super) unsafe extern "C" fn race(
    here: *mut Context,
    address: *const c_void,
    kind: c_int,
    place: c_uint,
    other: u64,
    other_place: c_uint,
) {
    // SAFETY: as in `barrier`.
    unsafe {
        let kind = FailureKind::Race {
            uses: match kind {
                0 => Uses::ReadsWritten,
                1 => Uses::WritesRead,
                _ => Uses::WritesWritten,
            },
            is_shared: of(here).0.shared.range().contains(&(address as usize)),
            address: address as u64,
            other: User::of(other),
            block: (*here).block_number,
            places: [place as i32, other_place as i32],
        };
        give_up(here, kind, 0);
    }
}

pub(super) unsafe extern "C" fn race_page(here: *mut Context, key: usize) -> *mut c_void {
    // SAFETY: as in `barrier`; the launch holds the races until it has ended.
    unsafe { of(here).0.races.get().as_ref().map_or(std::ptr::null_mut(), |races| races.page(key)) }
}

pub(super) unsafe extern "C" fn allocate(
    here: *mut Context,
    bytes: usize,
    alignment: usize,
    is_checked: c_int,
) -> *mut c_void {
    // SAFETY: as in `barrier`.
    unsafe { check_stack(here) };
    heap::allocate(bytes, alignment, is_checked != 0).cast()
}

pub(super) unsafe extern "C" fn release(here: *mut Context, memory: *mut c_void, is_checked: c_int) {
    // SAFETY: as in `barrier`.
    unsafe {
        check_stack(here);
        if !heap::release(memory as usize, is_checked != 0) {
            let what = "a kernel frees memory that no kernel has allocated, or that was freed before";
            give_up(here, FailureKind::Checked(what.to_owned()), 0);
        }
    }
}
