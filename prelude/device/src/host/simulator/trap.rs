//! Signals in kernels: a fault or a stop ends the kernel, not the process.
//!
//! A handler looks where the stack pointer is. In a kernel's slot it notes
//! what happened and has the thread's coroutine return to the scheduler;
//! anywhere else it hands the signal on to whoever handled it before.

use std::cell::UnsafeCell;
use std::sync::Once;

use super::stacks;

/// What a signal said.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caught {
    pub(super) signal: libc::c_int,
    pub(super) address: usize,
    /// Whether the processor says which address it was: a pointer that no
    /// address can be has none.
    pub(super) has_address: bool,
    pub(super) place: usize,
    /// Whether it was the guard below a stack.
    pub(super) overflow: bool,
}

/// Asks a thread to leave its kernel. Ignored where nobody handles it.
pub(super) const STOP: libc::c_int = libc::SIGURG;

const FAULTS: [libc::c_int; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];

struct Previous(UnsafeCell<[std::mem::MaybeUninit<libc::sigaction>; FAULTS.len()]>);

// SAFETY: written once, by `install`, before any handler that reads it is set.
unsafe impl Sync for Previous {}

static PREVIOUS: Previous = Previous(UnsafeCell::new([std::mem::MaybeUninit::uninit(); FAULTS.len()]));

/// Has signals in kernels end the kernel. The first launch does this, so that
/// handlers which a program sets at its start are known and kept.
pub(super) fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let set = |signal, handler: extern "C" fn(_, _, _), previous: *mut libc::sigaction| {
            // SAFETY: the handlers do only what a signal handler may; the
            // structure is valid when zeroed.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = handler as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
                libc::sigaction(signal, &raw const action, previous);
            }
        };
        for (k, signal) in FAULTS.into_iter().enumerate() {
            // SAFETY: this is the only writer, before the handler is set.
            let previous = unsafe { (*PREVIOUS.0.get())[k].as_mut_ptr() };
            // The previous action must be there when the handler first runs.
            // SAFETY: reading an action has no preconditions.
            unsafe { libc::sigaction(signal, std::ptr::null(), previous) };
            set(signal, on_fault, std::ptr::null_mut());
        }
        set(STOP, on_stop, std::ptr::null_mut());
    });
}

extern "C" fn on_fault(signal: libc::c_int, information: *mut libc::siginfo_t, user: *mut libc::c_void) {
    // SAFETY: the system passes valid structures.
    unsafe {
        let (stack, place) = registers(user);
        if let Some((context, worker)) = stacks::context_at(stack)
            && let Some(handler) = (*worker).trap_handler.get()
        {
            let address = (*information).si_addr() as usize;
            // SI_KERNEL, where the processor says no address.
            let has_address = (*information).si_code != 0x80;
            let overflow = signal == libc::SIGSEGV && has_address && stacks::is_guard_of(context, address);
            (*worker).caught.set(Some(Caught { signal, address, has_address, place, overflow }));
            leave(handler, user);
            return;
        }
        // Not ours: with the action from before, the same instruction faults
        // again when this returns.
        if let Some(k) = FAULTS.iter().position(|fault| *fault == signal) {
            libc::sigaction(signal, (*PREVIOUS.0.get())[k].as_ptr(), std::ptr::null_mut());
        }
    }
}

extern "C" fn on_stop(signal: libc::c_int, _: *mut libc::siginfo_t, user: *mut libc::c_void) {
    // SAFETY: as in `on_fault`.
    unsafe {
        let (stack, place) = registers(user);
        let Some((_, worker)) = stacks::context_at(stack) else { return };
        // Only in the kernel's own code: elsewhere a lock may be held.
        if !(*worker).is_stopped() || !(*worker).is_kernels(place) {
            return;
        }
        let Some(handler) = (*worker).trap_handler.get() else { return };
        let caught = Caught { signal, address: 0, has_address: false, place, overflow: false };
        (*worker).caught.set(Some(caught));
        leave(handler, user);
    }
}

#[cfg(target_arch = "x86_64")]
unsafe fn registers(user: *mut libc::c_void) -> (usize, usize) {
    // SAFETY: the caller passes what the system gave its handler.
    let registers = unsafe { &(*user.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    (registers[libc::REG_RSP as usize] as usize, registers[libc::REG_RIP as usize] as usize)
}

#[cfg(target_arch = "x86_64")]
unsafe fn leave(handler: corosensei::trap::CoroutineTrapHandler<()>, user: *mut libc::c_void) {
    // SAFETY: the stack pointer lies in the coroutine's slot, as the caller
    // has seen. What kernels write outside of it are arrays, which nobody else
    // uses while the launch lasts, and which the scheduler does not look at.
    let new = unsafe { handler.setup_trap_handler(|| ()) };
    // SAFETY: as in `registers`.
    let registers = unsafe { &mut (*user.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    registers[libc::REG_RIP as usize] = new.rip as i64;
    registers[libc::REG_RSP as usize] = new.rsp as i64;
    registers[libc::REG_RBP as usize] = new.rbp as i64;
    registers[libc::REG_RDI as usize] = new.rdi as i64;
    registers[libc::REG_RSI as usize] = new.rsi as i64;
    // A kernel may have been going down.
    registers[libc::REG_EFL as usize] &= !0x400;
}

#[cfg(target_arch = "aarch64")]
unsafe fn registers(user: *mut libc::c_void) -> (usize, usize) {
    // SAFETY: the caller passes what the system gave its handler.
    let context = unsafe { &(*user.cast::<libc::ucontext_t>()).uc_mcontext };
    (context.sp as usize, context.pc as usize)
}

#[cfg(target_arch = "aarch64")]
unsafe fn leave(handler: corosensei::trap::CoroutineTrapHandler<()>, user: *mut libc::c_void) {
    // SAFETY: as on x86-64.
    let new = unsafe { handler.setup_trap_handler(|| ()) };
    // SAFETY: as in `registers`.
    let context = unsafe { &mut (*user.cast::<libc::ucontext_t>()).uc_mcontext };
    context.pc = new.pc;
    context.sp = new.sp;
    context.regs[0] = new.x0;
    context.regs[1] = new.x1;
    context.regs[29] = new.x29;
    context.regs[30] = new.lr;
}

/// Room for a handler: a CPU with wide vectors saves ten kilobytes of
/// registers before it runs, and the standard library's own stack for handlers
/// is hardly larger.
const HANDLER_STACK: usize = 64 << 10;

/// A stack for a thread's signal handlers, which cannot run on a kernel's: it
/// may be used up.
pub(super) struct HandlerStack {
    own: Option<Box<[u8]>>,
}

impl HandlerStack {
    pub(super) fn new() -> HandlerStack {
        // SAFETY: the structures are valid; the memory lives until `drop` has
        // taken it back from the system.
        unsafe {
            let mut current: libc::stack_t = std::mem::zeroed();
            libc::sigaltstack(std::ptr::null(), &raw mut current);
            if current.ss_flags & libc::SS_DISABLE == 0 && current.ss_size >= HANDLER_STACK {
                return HandlerStack { own: None };
            }
            let mut own = vec![0u8; HANDLER_STACK].into_boxed_slice();
            let stack = libc::stack_t { ss_sp: own.as_mut_ptr().cast(), ss_flags: 0, ss_size: own.len() };
            libc::sigaltstack(&raw const stack, std::ptr::null_mut());
            HandlerStack { own: Some(own) }
        }
    }
}

impl Drop for HandlerStack {
    fn drop(&mut self) {
        if let Some(own) = &self.own {
            // SAFETY: as in `new`; another stack may have been set since.
            unsafe {
                let mut current: libc::stack_t = std::mem::zeroed();
                libc::sigaltstack(std::ptr::null(), &raw mut current);
                if current.ss_sp == own.as_ptr().cast_mut().cast() {
                    let none =
                        libc::stack_t { ss_sp: std::ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
                    libc::sigaltstack(&raw const none, std::ptr::null_mut());
                }
            }
        }
    }
}
