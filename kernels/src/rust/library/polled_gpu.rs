// What a kernel has in addition that looks at the end of each loop whether it is to stop: `poll.rs`.

/// Where it looks, in the GPU's memory: set when the module is loaded.
#[unsafe(no_mangle)]
pub static mut __gr_stop: u64 = 0;

/// Notes that a thread has been stopped, which ends then.
#[unsafe(no_mangle)]
#[cold]
#[inline(never)]
pub unsafe extern "C" fn __gr_stopped() {
    // SAFETY: the text is empty; the record is the kernel's own.
    unsafe { gpu::half::note::<0>(3, [0; 2], core::ptr::null(), 0, core::panic::Location::caller()) }
}
