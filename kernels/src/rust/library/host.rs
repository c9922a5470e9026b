// The host device's half: a thread finds what it has to know at the end of its
// stack (`kernels/src/host/shim/thread.hpp` has the same for C++).

use core::ffi::{c_char, c_int, c_uint, c_void};

/// `simulator/contract.rs` in `gpurepl-device` has the other side.
#[repr(C)]
pub struct Context {
    pub thread: [u32; 3],
    pub block: [u32; 3],
    pub block_size: [u32; 3],
    pub grid_size: [u32; 3],
    runtime: *const Runtime,
    shared: *mut u8,
    dynamic: *mut u8,
    offsets: *const u32,
    dynamic_bytes: u32,
    spins: u32,
    worker: *const c_void,
    blocks: u32,
}

#[repr(C)]
struct Runtime {
    barrier: unsafe extern "C" fn(*mut Context, c_int, c_int, c_int) -> c_int,
    warp: unsafe extern "C" fn(*mut Context, c_int, c_uint, u64, c_int, c_int, c_int) -> u64,
    let_others_run: unsafe extern "C" fn(*mut Context),
    fail: unsafe extern "C" fn(*mut Context, c_int, *const c_char, *const c_char, c_int),
    print: unsafe extern "C" fn(*mut Context, *const c_char, usize),
}

/// A byte of the module: where it lies tells where the module does.
#[unsafe(no_mangle)]
pub static gpurepl_module: u8 = 0;

/// The thread's own context, which the simulator keeps there as long as a kernel runs on that stack: what is read
/// through it below is there, and only this thread and those that it calls write it.
#[inline(always)]
fn here() -> *mut Context {
    let stack: usize;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: reads a register.
    unsafe {
        core::arch::asm!("mov {}, rsp", out(reg) stack, options(pure, nomem, nostack, preserves_flags))
    };
    #[cfg(target_arch = "aarch64")]
    // SAFETY: reads a register.
    unsafe {
        core::arch::asm!("mov {}, sp", out(reg) stack, options(pure, nomem, nostack, preserves_flags))
    };
    ((stack | 0x3ffff) + 1 - 256) as *mut Context
}

/// In a row of blocks the thread's index along x counts on, from the first of them.
#[inline(always)]
pub fn thread(axis: usize) -> u32 {
    // SAFETY: see `here`.
    let index = unsafe { (*here()).thread[axis] };
    if crate::ROWS && axis == 0 { index % block_size(0) } else { index }
}

#[inline(always)]
pub fn block(axis: usize) -> u32 {
    // SAFETY: see `here`.
    let (index, thread) = unsafe { ((*here()).block[axis], (*here()).thread[axis]) };
    if crate::ROWS && axis == 0 { index + thread / block_size(0) } else { index }
}

#[inline(always)]
pub fn index(axis: usize) -> usize {
    // SAFETY: see `here`.
    unsafe {
        (*here()).block[axis] as usize * (*here()).block_size[axis] as usize + (*here()).thread[axis] as usize
    }
}

#[inline(always)]
pub fn block_size(axis: usize) -> u32 {
    // SAFETY: see `here`.
    unsafe { (*here()).block_size[axis] }
}

#[inline(always)]
pub fn grid_size(axis: usize) -> u32 {
    // SAFETY: see `here`.
    unsafe { (*here()).grid_size[axis] }
}

/// A turn that only says how many elements there are.
pub const ASK: usize = usize::MAX;

/// The turn, and the elements of a loop by strides: `Context::turns` in `simulator/contract.rs`.
#[inline(always)]
fn turns() -> *mut [usize; 2] {
    // SAFETY: the context has them there, which the other side asserts.
    unsafe { here().cast::<u8>().add(216).cast() }
}

/// Which turn of a loop by strides this is, where all threads take one before the next.
#[inline(always)]
pub fn turn(count: usize) -> Option<usize> {
    if !crate::BY_TURNS {
        return None;
    }
    // SAFETY: they are this thread's alone.
    unsafe {
        if (*turns())[0] == ASK {
            (*turns())[1] = count;
        }
        Some((*turns())[0])
    }
}

#[inline(always)]
#[track_caller]
pub fn barrier(operation: u32, predicate: bool) -> i32 {
    let line = core::panic::Location::caller().line() as c_int;
    // SAFETY: see `here`; the simulator's function is called with its own context.
    unsafe { ((*(*here()).runtime).barrier)(here(), operation as c_int, predicate as c_int, line) }
}

#[inline(always)]
#[track_caller]
pub fn shuffle(operation: u32, bits: u64, argument: u32, _bytes: usize) -> u64 {
    meet(operation, bits, argument)
}

#[inline(always)]
#[track_caller]
pub fn vote(operation: u32, predicate: bool) -> u32 {
    meet(operation, predicate as u64, 0) as u32
}

#[inline(always)]
#[track_caller]
pub fn sync_warp() {
    meet(0, 0, 0);
}

#[inline(always)]
#[track_caller]
fn meet(operation: u32, bits: u64, argument: u32) -> u64 {
    let line = core::panic::Location::caller().line() as c_int;
    // The lanes that there are: a block may end within a warp.
    let first = super::thread::number() / 32 * 32;
    let lanes = super::block::threads() - first;
    let mask = if lanes >= 32 { u32::MAX } else { (1 << lanes) - 1 };
    // SAFETY: as for `barrier`.
    unsafe { ((*(*here()).runtime).warp)(here(), operation as c_int, mask, bits, argument as c_int, 32, line) }
}

#[inline(always)]
#[track_caller]
pub fn match_any(bits: u64, _bytes: usize) -> u32 {
    meet(8, bits, 0) as u32
}

#[inline(always)]
#[track_caller]
pub fn match_all(bits: u64, _bytes: usize) -> bool {
    meet(9, bits, 0) != 0
}

macro_rules! floats {
    ($($name:ident $t:ident)*) => {$(
        #[inline(always)]
        pub unsafe fn $name<const SCOPE: u8>(place: *mut $t, by: $t) -> $t {
            // SAFETY: the caller's place is an element.
            unsafe { <$t as super::atomic::Atomic>::update::<SCOPE>(place, |old| old + by) }
        }
    )*};
}
floats! { add_f32 f32 add_f64 f64 }

macro_rules! integers {
    ($($module:ident $t:ident $atomic:ident: $($name:ident $method:ident)*;)*) => {$(
        pub mod $module {
            use core::sync::atomic::{$atomic, Ordering::Relaxed};
            #[inline(always)]
            pub unsafe fn load(place: *mut $t) -> $t {
                // SAFETY: the caller's place is an element; so below.
                unsafe { $atomic::from_ptr(place) }.load(Relaxed)
            }
            $(
                #[inline(always)]
                pub unsafe fn $name<const SCOPE: u8>(place: *mut $t, with: $t) -> $t {
                    // SAFETY: as for `load`.
                    unsafe { $atomic::from_ptr(place) }.$method(with, Relaxed)
                }
            )*
            // Not `fetch_min`: what looks for races does not see that.
            #[inline(always)]
            pub unsafe fn min<const SCOPE: u8>(place: *mut $t, with: $t) -> $t {
                // SAFETY: as for `load`.
                unsafe { <$t as super::super::atomic::Atomic>::update::<SCOPE>(place, |old| core::cmp::min(old, with)) }
            }
            #[inline(always)]
            pub unsafe fn max<const SCOPE: u8>(place: *mut $t, with: $t) -> $t {
                // SAFETY: as for `load`.
                unsafe { <$t as super::super::atomic::Atomic>::update::<SCOPE>(place, |old| core::cmp::max(old, with)) }
            }
            #[inline(always)]
            pub unsafe fn compare_exchange<const SCOPE: u8>(place: *mut $t, expected: $t, with: $t) -> $t {
                // SAFETY: as for `load`.
                match unsafe { $atomic::from_ptr(place) }.compare_exchange(expected, with, Relaxed, Relaxed) {
                    Ok(before) | Err(before) => before,
                }
            }
        }
    )*};
}
integers! {
    atomic_i32 i32 AtomicI32: add fetch_add exchange swap and fetch_and or fetch_or xor fetch_xor;
    atomic_u32 u32 AtomicU32: add fetch_add exchange swap and fetch_and or fetch_or xor fetch_xor;
    atomic_i64 i64 AtomicI64: add fetch_add exchange swap and fetch_and or fetch_or xor fetch_xor;
    atomic_u64 u64 AtomicU64: add fetch_add exchange swap and fetch_and or fetch_or xor fetch_xor;
}

/// Shared memory of the block, at a place that the crate's text has settled.
#[inline(always)]
pub fn shared<T>(offset: usize) -> *mut T {
    // SAFETY: see `here`; the offset was laid out within the block's memory when the module was loaded.
    unsafe { (*here()).shared.add(offset).cast() }
}

/// Shared memory that comes with the launch.
pub fn dynamic_shared<T>() -> (*mut T, usize) {
    // SAFETY: see `here`.
    unsafe { ((*here()).dynamic.cast(), (*here()).dynamic_bytes as usize / size_of::<T>().max(1)) }
}

pub fn print(text: &str) {
    // SAFETY: see `here`; the text is there during the call.
    unsafe { ((*(*here()).runtime).print)(here(), text.as_ptr().cast(), text.len()) }
}

#[cold]
#[inline(never)]
#[track_caller]
pub fn out_of_bounds(index: usize, length: usize) -> ! {
    panic!("index out of bounds: the len is {length} but the index is {index}")
}

#[panic_handler]
fn panic(information: &core::panic::PanicInfo<'_>) -> ! {
    use core::fmt::Write as _;
    let mut text = super::Text::new();
    let _ = write!(text, "{}", information.message());
    let line = information.location().map_or(0, |location| {
        // Places in the library and in `core` are not the user's.
        if location.file() == "kernel.rs" { location.line() as c_int } else { 0 }
    });
    // SAFETY: see `here`; both texts end with a zero.
    unsafe { ((*(*here()).runtime).fail)(here(), 3, text.zero_terminated().as_ptr().cast(), c"".as_ptr(), line) }
    loop {}
}

// What a checked build does between threads: `instrumented.rs`.
#[cfg(gpurepl_checked)]
unsafe extern "C" {
    fn gpurepl_thread_begins(here: *mut Context, block: usize);
    fn gpurepl_thread_ended(here: *mut Context);
}

/// Calls a kernel for each thread of some blocks, or for the one thread that
/// this is where threads meet. A kernel that is a loop by strides is called for each turn of it. In `ROWS` blocks
/// that lie beside each other run as one loop over their threads.
///
/// # Safety
///
/// The simulator's own call.
#[inline(always)]
pub unsafe fn run<const MEETS: bool>(here: *mut Context, begin: usize, end: usize, kernel: impl Fn()) {
    if MEETS {
        kernel();
        // SAFETY: the thread's own context.
        #[cfg(gpurepl_checked)]
        unsafe {
            gpurepl_thread_ended(here)
        };
        return;
    }
    // SAFETY: see `here`. No thread of the kernel runs but the one that is called here, in the same fiber.
    unsafe {
        // The same as what a thread asks for where it is: LLVM sees what was written there. It is sure that a place is
        // the same in all turns of a loop where the place is computed in a function's first block.
        let here = self::here();
        let block_x = &raw mut (*here).block[0];
        let block_y = &raw mut (*here).block[1];
        let block_z = &raw mut (*here).block[2];
        let blocks = &raw mut (*here).blocks;
        let (grid, block) = ((*here).grid_size, (*here).block_size.map(|axis| core::cmp::max(axis, 1)));
        let [width, height, _] = grid.map(|axis| core::cmp::max(axis, 1) as usize);
        // As long as a loop likes to be; where threads are a rectangle shorter, so that what one line of them has read is
        // in the cache for the next.
        let longest = if block[1] * block[2] == 1 { 8192 / block[0] } else { 256 / block[0] };
        let longest = if crate::ROWS { core::cmp::max(longest, 1) as usize } else { 1 };
        let mut turns_left = 1;
        if crate::BY_TURNS {
            *turns() = [ASK, 0];
            ((*here).thread, (*here).block) = ([0; 3], [0; 3]);
            kernel();
            turns_left = (*turns())[1].div_ceil(width * block[0] as usize);
        }
        for turn in 0..turns_left {
            let mut at = begin;
            while at < end {
                let [x, y, z] = [at % width, at / width % height, at / width / height];
                let row = core::cmp::min(longest, core::cmp::min(width - x, end - at));
                (*here).block = [x as u32, y as u32, z as u32];
                *blocks = row as u32;
                // Read anew: a loop whose bounds come from a division is not divided into parts (`LOOP_PASSES`).
                *block_x = block_x.read_volatile();
                *block_y = block_y.read_volatile();
                *block_z = block_z.read_volatile();
                let threads = blocks.read_volatile() * block[0];
                for tz in 0..block[2] {
                    for ty in 0..block[1] {
                        for tx in 0..threads {
                            (*here).thread = [tx, ty, tz];
                            if crate::BY_TURNS {
                                (*turns())[0] = turn;
                            }
                            #[cfg(gpurepl_checked)]
                            gpurepl_thread_begins(here, at);
                            kernel();
                            #[cfg(gpurepl_checked)]
                            gpurepl_thread_ended(here);
                        }
                    }
                }
                at += row;
            }
        }
    }
}

/// What a GPU computes in fewer bits: here as exactly as otherwise.
pub mod fast {
    use super::math;

    macro_rules! functions {
        ($($name:ident $function:ident;)*) => {$(
            #[inline(always)]
            pub fn $name(x: f32) -> f32 {
                math::$function(x)
            }
        )*};
    }
    functions! { sin sinf; cos cosf; tan tanf; exp expf; exp2 exp2f; ln logf; log2 log2f; log10 log10f; }

    #[inline(always)]
    pub fn sqrt(x: f32) -> f32 {
        crate::gpu::Float::sqrt(x)
    }
    #[inline(always)]
    pub fn rsqrt(x: f32) -> f32 {
        1.0 / sqrt(x)
    }
    #[inline(always)]
    pub fn recip(x: f32) -> f32 {
        1.0 / x
    }
    #[inline(always)]
    pub fn divide(x: f32, by: f32) -> f32 {
        x / by
    }
    #[inline(always)]
    pub fn powf(x: f32, exponent: f32) -> f32 {
        math::powf(x, exponent)
    }
}

pub mod math {
    // SAFETY: the C library's functions of numbers take any.
    unsafe extern "C" {
        pub safe fn sinf(x: f32) -> f32;
        pub safe fn cosf(x: f32) -> f32;
        pub safe fn tanf(x: f32) -> f32;
        pub safe fn asinf(x: f32) -> f32;
        pub safe fn acosf(x: f32) -> f32;
        pub safe fn atanf(x: f32) -> f32;
        pub safe fn sinhf(x: f32) -> f32;
        pub safe fn coshf(x: f32) -> f32;
        pub safe fn tanhf(x: f32) -> f32;
        pub safe fn asinhf(x: f32) -> f32;
        pub safe fn acoshf(x: f32) -> f32;
        pub safe fn atanhf(x: f32) -> f32;
        pub safe fn expf(x: f32) -> f32;
        pub safe fn exp2f(x: f32) -> f32;
        pub safe fn expm1f(x: f32) -> f32;
        pub safe fn logf(x: f32) -> f32;
        pub safe fn log2f(x: f32) -> f32;
        pub safe fn log10f(x: f32) -> f32;
        pub safe fn log1pf(x: f32) -> f32;
        pub safe fn cbrtf(x: f32) -> f32;
        pub safe fn atan2f(x: f32, y: f32) -> f32;
        pub safe fn powf(x: f32, y: f32) -> f32;
        pub safe fn hypotf(x: f32, y: f32) -> f32;
        pub safe fn fmodf(x: f32, y: f32) -> f32;
        pub safe fn sin(x: f64) -> f64;
        pub safe fn cos(x: f64) -> f64;
        pub safe fn tan(x: f64) -> f64;
        pub safe fn asin(x: f64) -> f64;
        pub safe fn acos(x: f64) -> f64;
        pub safe fn atan(x: f64) -> f64;
        pub safe fn sinh(x: f64) -> f64;
        pub safe fn cosh(x: f64) -> f64;
        pub safe fn tanh(x: f64) -> f64;
        pub safe fn asinh(x: f64) -> f64;
        pub safe fn acosh(x: f64) -> f64;
        pub safe fn atanh(x: f64) -> f64;
        pub safe fn exp(x: f64) -> f64;
        pub safe fn exp2(x: f64) -> f64;
        pub safe fn expm1(x: f64) -> f64;
        pub safe fn log(x: f64) -> f64;
        pub safe fn log2(x: f64) -> f64;
        pub safe fn log10(x: f64) -> f64;
        pub safe fn log1p(x: f64) -> f64;
        pub safe fn cbrt(x: f64) -> f64;
        pub safe fn atan2(x: f64, y: f64) -> f64;
        pub safe fn pow(x: f64, y: f64) -> f64;
        pub safe fn hypot(x: f64, y: f64) -> f64;
        pub safe fn fmod(x: f64, y: f64) -> f64;
    }
}
