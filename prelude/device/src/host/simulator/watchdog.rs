//! Ends kernels that the user interrupts or that take too long.
//!
//! A thread of its own looks every few milliseconds, while kernels run; each
//! thread that runs one is sent a signal until it has left. A kernel's code
//! pays nothing for it.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::trap;
use crate::time_limit::time_limit;

/// How often it looks.
const PERIOD: Duration = Duration::from_millis(5);

/// How many times it looks in vain before it sleeps.
const PATIENCE: u32 = 200;

/// Why a launch is to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    Interrupted,
    TimeLimit,
    /// Another thread's part of it has failed.
    Failed,
}

/// What the threads of a launch share.
#[derive(Default)]
pub(super) struct Control {
    reason: AtomicU8,
    deadline: Option<Instant>,
    /// Not where a destructor launches while an interrupt unwinds its cell.
    heeds_interrupts: bool,
}

impl Control {
    pub(super) fn new() -> Control {
        let deadline = time_limit().map(|limit| Instant::now() + limit);
        Control { reason: AtomicU8::new(0), deadline, heeds_interrupts: !std::thread::panicking() }
    }

    pub(super) fn stop(&self, reason: Reason) {
        let _ = self.reason.compare_exchange(0, 1 + reason as u8, Ordering::Relaxed, Ordering::Relaxed);
    }

    pub(super) fn reason(&self) -> Option<Reason> {
        match self.reason.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(Reason::Interrupted),
            2 => Some(Reason::TimeLimit),
            _ => Some(Reason::Failed),
        }
    }
}

/// A thread that may run kernels.
pub(super) struct Post {
    thread: libc::pthread_t,
    control: Mutex<Option<Arc<Control>>>,
}

static POSTS: Mutex<Vec<Arc<Post>>> = Mutex::new(Vec::new());
static SLEEPS: AtomicBool = AtomicBool::new(true);
static WAKE: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());

/// This process is a copy that runs one block and ends: nobody watches it but
/// the process that it is a copy of.
static IS_COPY: AtomicBool = AtomicBool::new(false);

pub(in crate::host) fn this_is_a_copy() {
    IS_COPY.store(true, Ordering::Relaxed);
}

impl Post {
    /// This thread's, until it is given up by [`Post::leave`].
    pub(super) fn new() -> Arc<Post> {
        // SAFETY: the call has no preconditions.
        let thread = unsafe { libc::pthread_self() };
        let post = Arc::new(Post { thread, control: Mutex::new(None) });
        if !IS_COPY.load(Ordering::Relaxed) {
            POSTS.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&post));
        }
        post
    }

    pub(super) fn leave(self: &Arc<Post>) {
        if !IS_COPY.load(Ordering::Relaxed) {
            POSTS.lock().unwrap_or_else(PoisonError::into_inner).retain(|post| !Arc::ptr_eq(post, self));
        }
    }

    /// To be called around what a thread does for a launch.
    pub(super) fn watch(&self, control: Option<&Arc<Control>>) {
        if IS_COPY.load(Ordering::Relaxed) {
            return;
        }
        *self.control.lock().unwrap_or_else(PoisonError::into_inner) = control.map(Arc::clone);
        if control.is_some() && SLEEPS.load(Ordering::Relaxed) {
            wake();
        }
    }
}

#[cold]
fn wake() {
    static STARTED: std::sync::Once = std::sync::Once::new();
    STARTED.call_once(|| {
        // Where no thread can be started, nothing can be interrupted.
        let _ = std::thread::Builder::new().name("gpurepl-watchdog".to_owned()).spawn(watch);
    });
    *WAKE.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
    WAKE.1.notify_one();
}

fn watch() {
    let mut in_vain = 0;
    loop {
        if in_vain >= PATIENCE {
            // Whoever begins after this store wakes; whoever began before is
            // seen: both take the lock of a post in between.
            SLEEPS.store(true, Ordering::Relaxed);
            let mut woken = WAKE.0.lock().unwrap_or_else(PoisonError::into_inner);
            while !*woken && !is_anyone_busy() {
                woken = WAKE.1.wait(woken).unwrap_or_else(PoisonError::into_inner);
            }
            *woken = false;
            in_vain = 0;
        }
        SLEEPS.store(false, Ordering::Relaxed);
        std::thread::sleep(PERIOD);
        in_vain = if look() { 0 } else { in_vain + 1 };
    }
}

fn is_anyone_busy() -> bool {
    let posts = POSTS.lock().unwrap_or_else(PoisonError::into_inner);
    posts.iter().any(|post| post.control.lock().unwrap_or_else(PoisonError::into_inner).is_some())
}

/// Whether anybody runs a kernel.
fn look() -> bool {
    let posts = POSTS.lock().unwrap_or_else(PoisonError::into_inner);
    let mut is_busy = false;
    for post in posts.iter() {
        let control = post.control.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(control) = control.as_ref() else { continue };
        is_busy = true;
        if control.heeds_interrupts && crate::interrupt::was_asked() {
            control.stop(Reason::Interrupted);
        } else if control.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            control.stop(Reason::TimeLimit);
        }
        if control.reason().is_some() {
            // SAFETY: the thread is alive: it takes its post down, for which
            // it needs the lock that is held here, before it ends.
            unsafe { libc::pthread_kill(post.thread, trap::STOP) };
        }
    }
    is_busy
}
