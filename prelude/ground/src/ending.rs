//! What libraries do before the process ends: an MPI program says goodbye to the others.
//!
//! In a session the worker runs it once the last cell has succeeded and all variables were dropped, on the thread of
//! cells. A cell or a program of its own that exits with status 0 runs it then. What fails ends without it: it may have to wait
//! for other processes, which may wait for something that never comes.

use std::ffi::{c_int, c_void};
use std::sync::{Mutex, PoisonError};

/// What is left to do, the first one first.
static LEFT: Mutex<Vec<fn()>> = Mutex::new(Vec::new());

/// Has a function called before the process ends normally, after those that are registered later. It must not panic.
pub fn at_end(act: fn()) {
    let is_first = {
        let mut left = LEFT.lock().unwrap_or_else(PoisonError::into_inner);
        left.push(act);
        left.len() == 1
    };
    if is_first {
        at_exit();
    }
}

/// Calls what has been registered, the last one first, and forgets it.
pub fn run() {
    loop {
        // Nothing is locked while it runs: it may register something.
        let next = LEFT.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match next {
            Some(act) => act(),
            None => return,
        }
    }
}

/// Has the C library call [`run`] when the process exits.
fn at_exit() {
    type OnExit = unsafe extern "C" fn(extern "C" fn(c_int, *mut c_void), *mut c_void) -> c_int;
    extern "C" fn exit(status: c_int, _: *mut c_void) {
        if status == 0 {
            run();
        }
    }
    // `atexit` does not tell the status. What has this, as glibc does, is asked for it.
    // SAFETY: the name is a C string.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"on_exit".as_ptr()) };
    if !found.is_null() {
        // SAFETY: glibc declares the function so; what is registered is code of this library, which is never unloaded
        // before the process has exited.
        unsafe {
            let on_exit: OnExit = std::mem::transmute(found);
            on_exit(exit, std::ptr::null_mut());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    static STEPS: AtomicUsize = AtomicUsize::new(0);

    #[test]
    fn the_last_one_is_called_first_and_each_once() {
        at_end(|| assert_eq!(STEPS.fetch_add(1, Ordering::Relaxed), 1));
        at_end(|| assert_eq!(STEPS.fetch_add(1, Ordering::Relaxed), 0));
        run();
        run();
        assert_eq!(STEPS.load(Ordering::Relaxed), 2);
    }
}
