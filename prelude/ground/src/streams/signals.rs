//! Signals: an interrupt asks, a crash says what led to it.

use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use crate::interrupt;

/// What to say if the process is aborted: the panics that are under way. A
/// panic within a destructor, say, never reaches the place that reports it.
static LAST_WORDS: AtomicPtr<String> = AtomicPtr::new(std::ptr::null_mut());

/// The addresses that a cell reaches when its stack is used up.
static GUARD_START: AtomicUsize = AtomicUsize::new(0);
static GUARD_END: AtomicUsize = AtomicUsize::new(0);

const OVERFLOW: &[u8] =
    b"the cell has overflowed its stack of 64 MiB: a recursion without an end, or a large array by value? \
    `vec![..]` keeps its elements elsewhere\n";

/// Adds to what an abort says, or, with nothing, takes all of it back. Texts
/// are leaked: a signal handler may be reading them.
pub fn last_words(text: Option<&str>) {
    let words = text.map_or(std::ptr::null_mut(), |text| {
        // SAFETY: null, or from a box that is never freed.
        let before = unsafe { LAST_WORDS.load(Ordering::Acquire).as_ref() };
        let before = before.map_or("", String::as_str);
        Box::into_raw(Box::new(format!("{before}panic: {text}\n")))
    });
    LAST_WORDS.store(words, Ordering::Release);
}

/// An interrupt sets the flag that operations look at; an abort says what led
/// to it.
pub fn handle() {
    handle_interrupts();
    install(libc::SIGABRT, aborted as *const () as usize, libc::SA_RESETHAND);
}

fn handle_interrupts() {
    install(libc::SIGINT, interrupted as *const () as usize, libc::SA_RESTART | libc::SA_SIGINFO);
}

/// Sees that the handler is told of the signal, before an order begins. A library may have a handler of its own for a
/// while and put ours back by `signal`, without the flag that asks for it: some of CUDA's do. What the handler would
/// read then is of an earlier signal.
pub fn keep_informed() {
    if let Installed { is_own: true, is_informed: false } = installed() {
        handle_interrupts();
    }
}

/// What is installed for SIGINT.
struct Installed {
    is_own: bool,
    is_informed: bool,
}

fn installed() -> Installed {
    // SAFETY: `sigaction` may be called in a signal handler, and fills a structure that is valid when zeroed.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        let is_known = libc::sigaction(libc::SIGINT, std::ptr::null(), &raw mut action) == 0;
        Installed {
            is_own: is_known && action.sa_sigaction == interrupted as *const () as usize,
            is_informed: is_known && action.sa_flags & libc::SA_SIGINFO != 0,
        }
    }
}

/// Tells an overflow of this thread's stack from other crashes. The standard
/// library would do so in a program that it has started itself.
pub fn watch_stack() {
    const ALTERNATIVE: usize = 64 << 10;
    // SAFETY: the structures are valid when zeroed and filled by the calls;
    // the handler's own stack is leaked, so it lasts as long as the thread.
    unsafe {
        let mut attributes: libc::pthread_attr_t = std::mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &raw mut attributes) != 0 {
            return;
        }
        let (mut lowest, mut size, mut guard) = (std::ptr::null_mut(), 0, 0);
        libc::pthread_attr_getstack(&raw const attributes, &raw mut lowest, &raw mut size);
        libc::pthread_attr_getguardsize(&raw const attributes, &raw mut guard);
        libc::pthread_attr_destroy(&raw mut attributes);
        let lowest = lowest as usize;
        GUARD_START.store(lowest.saturating_sub(guard.max(4096)), Ordering::Relaxed);
        GUARD_END.store(lowest + 4096, Ordering::Relaxed);
        let own: &'static mut [u8] = Box::leak(vec![0; ALTERNATIVE].into_boxed_slice());
        let stack = libc::stack_t { ss_sp: own.as_mut_ptr().cast(), ss_flags: 0, ss_size: own.len() };
        libc::sigaltstack(&raw const stack, std::ptr::null_mut());
    }
    let flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESETHAND;
    install(libc::SIGSEGV, crashed as *const () as usize, flags);
    install(libc::SIGBUS, crashed as *const () as usize, flags);
}

fn install(signal: libc::c_int, handler: libc::sighandler_t, flags: libc::c_int) {
    // SAFETY: the handlers do only what a signal handler may; the structure is
    // valid when zeroed.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler;
        action.sa_flags = flags;
        libc::sigaction(signal, &raw const action, std::ptr::null_mut());
    }
}

extern "C" fn interrupted(_: libc::c_int, information: *const libc::siginfo_t, _: *const libc::c_void) {
    let Installed { is_own: true, is_informed: true } = installed() else {
        // Since this order began: see `keep_informed`.
        interrupt::set();
        keep_informed();
        return;
    };
    // SAFETY: the kernel passes a valid structure, in which a signal that was
    // queued has a value.
    let (code, value) = unsafe { ((*information).si_code, (*information).si_value()) };
    if code == libc::SI_QUEUE {
        interrupt::set_for(value.sival_ptr.addr() as u64);
    } else {
        // From a terminal that is shared, or from anybody: for what runs now.
        interrupt::set();
    }
}

/// The handler is reset before it runs, so returning from it aborts.
extern "C" fn aborted(_: libc::c_int) {
    let words = LAST_WORDS.load(Ordering::Acquire);
    // SAFETY: the pointer is null or from a box that is never freed.
    if let Some(words) = unsafe { words.as_ref() } {
        say(words.as_bytes());
    }
}

/// The handler is reset before it runs, so returning from it runs into the
/// same crash again, which then ends the process.
extern "C" fn crashed(_: libc::c_int, information: *const libc::siginfo_t, _: *const libc::c_void) {
    // SAFETY: the kernel passes a valid structure, in which a fault has an
    // address.
    let address = unsafe { (*information).si_addr() } as usize;
    if (GUARD_START.load(Ordering::Relaxed)..GUARD_END.load(Ordering::Relaxed)).contains(&address) {
        say(OVERFLOW);
    }
}

/// Writes to standard error as a signal handler may.
fn say(bytes: &[u8]) {
    // SAFETY: `write` may be called in a signal handler; the bytes are alive.
    unsafe {
        libc::write(2, bytes.as_ptr().cast(), bytes.len());
    }
}
