// What a kernel for NVIDIA's GPUs has of its own beside the library, which is compiled before it and has no
// code: the variables that are set when the module is loaded, and what `core` and LLVM call by name.

/// Where the record of a fault is, in memory that the host reads, and the module's number.
#[unsafe(no_mangle)]
pub static mut __gr_record: *mut gpu::half::Record = core::ptr::null_mut();
#[unsafe(no_mangle)]
pub static mut __gr_module: u64 = 0;

/// Where what threads print goes: two counters in the GPU's memory, the bytes that have been taken and the
/// texts that were lost, and the bytes, in memory that the host reads. All are set when the module is
/// loaded, but for the launch's number, which is set before each.
#[unsafe(no_mangle)]
pub static mut __gr_prints: u64 = 0;
#[unsafe(no_mangle)]
pub static mut __gr_print_bytes: u64 = 0;
#[unsafe(no_mangle)]
pub static mut __gr_launch: u64 = 0;

/// What `core`'s own panics end in: see `core_library.rs` in `gpurepl-kernels`.
#[unsafe(no_mangle)]
#[cold]
#[inline(never)]
unsafe extern "C" fn __gr_panic(text: *const u8, bytes: usize, at: &core::panic::Location<'_>) -> ! {
    // SAFETY: `core` hands over a text of so many bytes.
    unsafe { gpu::half::record::<0>(2, [0; 2], text, bytes, at) }
}

#[unsafe(no_mangle)]
#[cold]
#[inline(never)]
unsafe extern "C" fn __gr_bounds(index: usize, length: usize, at: &core::panic::Location<'_>) -> ! {
    // SAFETY: the text is empty.
    unsafe { gpu::half::record::<0>(1, [index as u64, length as u64], core::ptr::null(), 0, at) }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::intrinsics::abort()
}

/// What comparisons of bytes are compiled to.
#[unsafe(no_mangle)]
unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, bytes: usize) -> i32 {
    let mut k = 0;
    while k < bytes {
        // SAFETY: both have so many bytes, as C asks of a caller.
        let (x, y) = unsafe { (a.add(k).read(), b.add(k).read()) };
        if x != y {
            return x as i32 - y as i32;
        }
        k += 1;
    }
    0
}
