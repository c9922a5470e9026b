// The half for NVIDIA's GPUs. Intrinsics are LLVM's for NVPTX
// (https://llvm.org/docs/NVPTXUsage.html), instructions those of the PTX ISA.

unsafe extern "C" {
    #[link_name = "llvm.nvvm.read.ptx.sreg.tid.x"]
    safe fn tid_x() -> i32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.tid.y"]
    safe fn tid_y() -> i32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.tid.z"]
    safe fn tid_z() -> i32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ctaid.x"]
    safe fn ctaid_x() -> i32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ctaid.y"]
    safe fn ctaid_y() -> i32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ctaid.z"]
    safe fn ctaid_z() -> i32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ntid.x"]
    safe fn ntid_x() -> i32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ntid.y"]
    safe fn ntid_y() -> i32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ntid.z"]
    safe fn ntid_z() -> i32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.nctaid.x"]
    safe fn nctaid_x() -> i32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.nctaid.y"]
    safe fn nctaid_y() -> i32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.nctaid.z"]
    safe fn nctaid_z() -> i32;
    #[link_name = "llvm.nvvm.barrier.cta.sync.aligned.all"]
    fn barrier_sync(id: i32);
    #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
    fn shfl_idx(mask: i32, value: i32, lane: i32, clamp: i32) -> i32;
    #[link_name = "llvm.nvvm.shfl.sync.up.i32"]
    fn shfl_up(mask: i32, value: i32, by: i32, clamp: i32) -> i32;
    #[link_name = "llvm.nvvm.shfl.sync.down.i32"]
    fn shfl_down(mask: i32, value: i32, by: i32, clamp: i32) -> i32;
    #[link_name = "llvm.nvvm.shfl.sync.bfly.i32"]
    fn shfl_bfly(mask: i32, value: i32, by: i32, clamp: i32) -> i32;
    #[link_name = "llvm.nvvm.vote.ballot.sync"]
    fn ballot_sync(mask: i32, predicate: bool) -> i32;
    #[link_name = "llvm.nvvm.match.any.sync.i32"]
    fn match_any_32(mask: i32, value: i32) -> i32;
    #[link_name = "llvm.nvvm.match.any.sync.i64"]
    fn match_any_64(mask: i32, value: i64) -> i32;
    #[link_name = "llvm.nvvm.bar.warp.sync"]
    fn warp_sync(mask: i32);
    #[link_name = "llvm.nvvm.isspacep.shared"]
    fn is_shared(place: *const u8) -> bool;
}

/// What a launch cannot exceed lets the compiler compute in fewer bits.
#[inline(always)]
fn at_most(value: i32, limit: u32) -> u32 {
    let value = value as u32;
    // SAFETY: the hardware's limits, which the driver checks.
    unsafe { core::hint::assert_unchecked(value <= limit) };
    value
}

#[inline(always)]
pub fn thread(axis: usize) -> u32 {
    match axis {
        0 => at_most(tid_x(), 1023),
        1 => at_most(tid_y(), 1023),
        _ => at_most(tid_z(), 63),
    }
}

#[inline(always)]
pub fn block(axis: usize) -> u32 {
    match axis {
        0 => at_most(ctaid_x(), 0x7fff_fffe),
        1 => at_most(ctaid_y(), 0xfffe),
        _ => at_most(ctaid_z(), 0xfffe),
    }
}

#[inline(always)]
pub fn index(axis: usize) -> usize {
    block(axis) as usize * block_size(axis) as usize + thread(axis) as usize
}

#[inline(always)]
pub fn block_size(axis: usize) -> u32 {
    match axis {
        0 => at_most(ntid_x(), 1024),
        1 => at_most(ntid_y(), 1024),
        _ => at_most(ntid_z(), 64),
    }
}

#[inline(always)]
pub fn grid_size(axis: usize) -> u32 {
    match axis {
        0 => at_most(nctaid_x(), 0x7fff_ffff),
        1 => at_most(nctaid_y(), 0xffff),
        _ => at_most(nctaid_z(), 0xffff),
    }
}

/// A turn that only says how many elements there are.
pub const ASK: usize = usize::MAX;

/// Which turn of a loop by strides this is, where all threads take one before the next: on the host device alone
/// (`strides.rs`).
#[inline(always)]
pub fn turn(_count: usize) -> Option<usize> {
    None
}

#[inline(always)]
pub fn barrier(operation: u32, predicate: bool) -> i32 {
    if operation == 0 {
        // SAFETY: whether all threads of the block come here is what a kernel promises that calls it.
        unsafe { barrier_sync(0) };
        return 0;
    }
    let answer: u32;
    let predicate = predicate as u32;
    // SAFETY: as above; the instructions write registers of their own.
    unsafe {
        match operation {
            1 => core::arch::asm!(
                "{{ .reg .pred %grp; setp.ne.u32 %grp, {1}, 0; barrier.sync.aligned 0; barrier.red.popc.aligned.u32 {0}, 0, %grp; }}",
                out(reg32) answer, in(reg32) predicate),
            2 => core::arch::asm!(
                "{{ .reg .pred %grp; .reg .pred %grq; setp.ne.u32 %grp, {1}, 0; barrier.red.and.aligned.pred %grq, 0, %grp; selp.u32 {0}, 1, 0, %grq; }}",
                out(reg32) answer, in(reg32) predicate),
            _ => core::arch::asm!(
                "{{ .reg .pred %grp; .reg .pred %grq; setp.ne.u32 %grp, {1}, 0; barrier.red.or.aligned.pred %grq, 0, %grp; selp.u32 {0}, 1, 0, %grq; }}",
                out(reg32) answer, in(reg32) predicate),
        }
    }
    answer as i32
}

#[inline(always)]
fn shuffle_word(operation: u32, word: u32, argument: u32) -> u32 {
    let (word, argument) = (word as i32, argument as i32);
    // The lanes that there are: a block may end within a warp.
    let mask = lanes() as i32;
    // SAFETY: the mask has the lanes that there are, which meet here: the kernel's promise.
    let answer = unsafe {
        match operation {
            1 => shfl_idx(mask, word, argument, 31),
            2 => shfl_up(mask, word, argument, 0),
            3 => shfl_down(mask, word, argument, 31),
            _ => shfl_bfly(mask, word, argument, 31),
        }
    };
    answer as u32
}

#[inline(always)]
fn lanes() -> u32 {
    let left = super::block::threads() - super::thread::number() / 32 * 32;
    if left >= 32 { u32::MAX } else { (1 << left) - 1 }
}

#[inline(always)]
pub fn shuffle(operation: u32, bits: u64, argument: u32, bytes: usize) -> u64 {
    let low = shuffle_word(operation, bits as u32, argument) as u64;
    if bytes <= 4 {
        return low;
    }
    low | (shuffle_word(operation, (bits >> 32) as u32, argument) as u64) << 32
}

#[inline(always)]
pub fn vote(operation: u32, predicate: bool) -> u32 {
    let lanes = lanes();
    // SAFETY: as for `shuffle_word`.
    let ballot = unsafe { ballot_sync(lanes as i32, predicate) } as u32;
    match operation {
        5 => (ballot != 0) as u32,
        6 => (ballot == lanes) as u32,
        _ => ballot,
    }
}

#[inline(always)]
pub fn sync_warp() {
    // SAFETY: as for `shuffle_word`.
    unsafe { warp_sync(lanes() as i32) }
}

/// The lanes that have the same value, of four bytes or of eight.
#[inline(always)]
pub fn match_any(bits: u64, bytes: usize) -> u32 {
    let lanes = lanes() as i32;
    // SAFETY: as for `shuffle_word`.
    let same = unsafe {
        if bytes <= 4 { match_any_32(lanes, bits as i32) } else { match_any_64(lanes, bits as i64) }
    };
    same as u32
}

#[inline(always)]
pub fn match_all(bits: u64, bytes: usize) -> bool {
    // Not `match.all`, which gives a predicate as well.
    match_any(bits, bytes) == lanes()
}

/// An instruction `atom` of one operand. Without a scope it is one step for the device.
macro_rules! atom {
    ($scope:literal $operation:literal, $t:ty, $register:ident, $place:ident, $with:expr) => {{
        let old: $t;
        // SAFETY: the caller's place is an element.
        unsafe {
            core::arch::asm!(concat!("atom", $scope, ".", $operation, " {0}, [{1}], {2};"),
                out($register) old, in(reg64) $place, in($register) $with, options(nostack));
        }
        old
    }};
}

macro_rules! floats {
    ($($name:ident $operation:literal $t:ident $register:ident;)*) => {$(
        #[inline(always)]
        pub unsafe fn $name<const SCOPE: u8>(place: *mut $t, by: $t) -> $t {
            match SCOPE {
                0 => atom!("" $operation, $t, $register, place, by),
                1 => atom!(".cta" $operation, $t, $register, place, by),
                _ => atom!(".sys" $operation, $t, $register, place, by),
            }
        }
    )*};
}
floats! { add_f32 "add.f32" f32 reg32; add_f64 "add.f64" f64 reg64; }

macro_rules! integers {
    ($($module:ident $t:ident $atomic:ident $register:ident $bits:literal: $($name:ident $method:ident $operation:literal)*;)*) => {$(
        pub mod $module {
            use core::sync::atomic::{$atomic, Ordering::Relaxed};
            #[inline(always)]
            pub unsafe fn load(place: *mut $t) -> $t {
                // SAFETY: the caller's place is an element; so below.
                unsafe { $atomic::from_ptr(place) }.load(Relaxed)
            }
            // For the device they are LLVM's own, which knows shared memory where it sees it.
            $(
                #[inline(always)]
                pub unsafe fn $name<const SCOPE: u8>(place: *mut $t, with: $t) -> $t {
                    match SCOPE {
                        // SAFETY: as for `load`.
                        0 => unsafe { $atomic::from_ptr(place) }.$method(with, Relaxed),
                        1 => atom!(".cta" $operation, $t, $register, place, with),
                        _ => atom!(".sys" $operation, $t, $register, place, with),
                    }
                }
            )*
            #[inline(always)]
            pub unsafe fn compare_exchange<const SCOPE: u8>(place: *mut $t, expected: $t, with: $t) -> $t {
                let old: $t;
                // SAFETY: as for `load`.
                unsafe {
                    match SCOPE {
                        0 => match $atomic::from_ptr(place).compare_exchange(expected, with, Relaxed, Relaxed) {
                            Ok(before) | Err(before) => old = before,
                        },
                        1 => core::arch::asm!(concat!("atom.cta.cas.", $bits, " {0}, [{1}], {2}, {3};"),
                            out($register) old, in(reg64) place, in($register) expected, in($register) with, options(nostack)),
                        _ => core::arch::asm!(concat!("atom.sys.cas.", $bits, " {0}, [{1}], {2}, {3};"),
                            out($register) old, in(reg64) place, in($register) expected, in($register) with, options(nostack)),
                    }
                }
                old
            }
        }
    )*};
}
integers! {
    atomic_i32 i32 AtomicI32 reg32 "b32": add fetch_add "add.u32" min fetch_min "min.s32" max fetch_max "max.s32"
        exchange swap "exch.b32" and fetch_and "and.b32" or fetch_or "or.b32" xor fetch_xor "xor.b32";
    atomic_u32 u32 AtomicU32 reg32 "b32": add fetch_add "add.u32" min fetch_min "min.u32" max fetch_max "max.u32"
        exchange swap "exch.b32" and fetch_and "and.b32" or fetch_or "or.b32" xor fetch_xor "xor.b32";
    atomic_i64 i64 AtomicI64 reg64 "b64": add fetch_add "add.u64" min fetch_min "min.s64" max fetch_max "max.s64"
        exchange swap "exch.b64" and fetch_and "and.b64" or fetch_or "or.b64" xor fetch_xor "xor.b64";
    atomic_u64 u64 AtomicU64 reg64 "b64": add fetch_add "add.u64" min fetch_min "min.u64" max fetch_max "max.u64"
        exchange swap "exch.b64" and fetch_and "and.b64" or fetch_or "or.b64" xor fetch_xor "xor.b64";
}

/// Has the compiler use the instructions for shared memory.
#[inline(always)]
pub fn assume_shared(place: *const u8) {
    // SAFETY: the callers have the place of an array in shared memory.
    unsafe { core::intrinsics::assume(is_shared(place)) }
}

/// Shared memory that comes with the launch. The array is added to the PTX.
#[inline(always)]
pub fn dynamic_shared<T>() -> (*mut T, usize) {
    let (place, bytes): (*mut T, u32);
    // SAFETY: the instructions read an address and a register.
    unsafe {
        core::arch::asm!("cvta.shared.u64 {0}, __gr_dynamic;", out(reg64) place, options(pure, nomem, nostack, preserves_flags));
        core::arch::asm!("mov.u32 {0}, %dynamic_smem_size;", out(reg32) bytes, options(pure, nomem, nostack, preserves_flags));
    }
    assume_shared(place.cast());
    (place, bytes as usize / size_of::<T>().max(1))
}

/// What went wrong first. `prelude/device/src/cuda/faults.rs` reads it.
#[repr(C)]
pub struct Record {
    /// 0: free; 1: being written; 2: written.
    state: u32,
    kind: u32,
    numbers: [u64; 2],
    module: u64,
    line: u32,
    column: u32,
    thread: [u32; 3],
    block: [u32; 3],
    is_users: u32,
    bytes: u32,
    text: [u8; 1024],
}

// What each kernel has of its own: see `own_gpu.rs`.
unsafe extern "C" {
    static mut __gr_record: *mut Record;
    static mut __gr_module: u64;
    static mut __gr_prints: u64;
    static mut __gr_print_bytes: u64;
    static mut __gr_launch: u64;
    fn __gr_bounds(index: usize, length: usize, at: &core::panic::Location<'_>) -> !;
}

/// Writes down what went wrong, if it is the first. Generic for nothing but that each kernel
/// has the code of it: the library has none.
#[cold]
#[inline(never)]
pub unsafe fn note<const OWN: usize>(kind: u32, numbers: [u64; 2], text: *const u8, bytes: usize, at: &core::panic::Location<'_>) {
    // SAFETY: the host sets the record's place when it loads the module, and keeps the record as long as that. Of all
    // threads one gets from 0 to 1 and writes. The text has so many bytes: the caller's promise.
    unsafe {
        let record = (&raw const __gr_record).read_volatile();
        if !record.is_null() {
            let mut before: u32;
            core::arch::asm!("atom.sys.cas.b32 {0}, [{1}], 0, 1;", out(reg32) before, in(reg64) record, options(nostack));
            if before == 0 {
                (&raw mut (*record).kind).write_volatile(kind);
                (&raw mut (*record).numbers[0]).write_volatile(numbers[0]);
                (&raw mut (*record).numbers[1]).write_volatile(numbers[1]);
                (&raw mut (*record).module).write_volatile((&raw const __gr_module).read_volatile());
                (&raw mut (*record).line).write_volatile(at.line());
                (&raw mut (*record).column).write_volatile(at.column());
                let mut axis = 0;
                while axis < 3 {
                    (&raw mut (*record).thread).cast::<u32>().add(axis).write_volatile(thread(axis));
                    (&raw mut (*record).block).cast::<u32>().add(axis).write_volatile(block(axis));
                    axis += 1;
                }
                // The library's own file and the root have names of other lengths.
                let is_users = at.file().len() == "kernel.rs".len();
                (&raw mut (*record).is_users).write_volatile(is_users as u32);
                let bytes = if bytes < 1024 { bytes } else { 1024 };
                let mut k = 0;
                while k < bytes {
                    (&raw mut (*record).text).cast::<u8>().add(k).write_volatile(text.add(k).read());
                    k += 1;
                }
                (&raw mut (*record).bytes).write_volatile(bytes as u32);
                core::arch::asm!("fence.acq_rel.sys;", options(nostack));
                (&raw mut (*record).state).write_volatile(2);
            }
        }
    }
}

/// Writes down what went wrong, and ends the thread.
#[cold]
#[inline(always)]
pub unsafe fn record<const OWN: usize>(kind: u32, numbers: [u64; 2], text: *const u8, bytes: usize, at: &core::panic::Location<'_>) -> ! {
    // SAFETY: the caller's promise.
    unsafe {
        note::<OWN>(kind, numbers, text, bytes, at);
        core::arch::asm!("exit;", options(noreturn, nostack))
    }
}

#[inline(always)]
unsafe fn take_u64(place: u64, by: u64) -> u64 {
    let old: u64;
    // SAFETY: the caller's place is a number that all threads change by this instruction.
    unsafe { core::arch::asm!("atom.add.u64 {0}, [{1}], {2};", out(reg64) old, in(reg64) place, in(reg64) by, options(nostack)) };
    old
}

// `kernels/src/rust/printed.rs` has the same.
const CAPACITY: u64 = 4 << 20;
const MARK: u64 = 0x4752_5054;

/// `kernels/src/rust/printed.rs` reads it.
#[inline(always)]
pub fn print(text: &super::Text) {
    print_of_own::<0>(text)
}

#[inline(never)]
fn print_of_own<const OWN: usize>(text: &super::Text) {
    // SAFETY: the host sets both places when it loads the module, with memory of `CAPACITY` bytes. What a thread takes of
    // it is its own; the text is aligned and followed by zeros up to a multiple of eight.
    unsafe {
        let counters = (&raw const __gr_prints).read_volatile();
        if counters == 0 {
            return;
        }
        let text = text.as_str().as_bytes();
        let whole = 32 + text.len().div_ceil(8) as u64 * 8;
        let at = take_u64(counters, whole);
        if at + whole > CAPACITY {
            take_u64(counters + 8, 1);
            return;
        }
        let place = ((&raw const __gr_print_bytes).read_volatile() + at) as *mut u64;
        let block = block(0) as u64
            + grid_size(0) as u64 * (block(1) as u64 + grid_size(1) as u64 * block(2) as u64);
        place.add(1).write_volatile((&raw const __gr_launch).read_volatile());
        place.add(2).write_volatile(block);
        // The text begins at a multiple of eight, and zeros are behind it.
        let words = text.as_ptr().cast::<u64>();
        let mut k = 0;
        while k < text.len().div_ceil(8) {
            place.add(4 + k).write_volatile(words.add(k).read());
            k += 1;
        }
        core::arch::asm!("fence.acq_rel.sys;", options(nostack));
        place.write_volatile(MARK << 32 | text.len() as u64);
    }
}

/// A panic whose message has no arguments.
#[inline(always)]
pub const fn panic_text(text: &'static str, at: &'static core::panic::Location<'static>) -> ! {
    const fn constant(text: &'static str, _: &'static core::panic::Location<'static>) -> ! {
        core::panic!("{}", text)
    }
    #[cold]
    #[inline(never)]
    fn running<const OWN: usize>(text: &'static str, at: &'static core::panic::Location<'static>) -> ! {
        // SAFETY: the text is there.
        unsafe { record::<0>(2, [0; 2], text.as_ptr(), text.len(), at) }
    }
    core::intrinsics::const_eval_select((text, at), constant, running::<0>)
}

/// A panic whose message has arguments.
#[inline(always)]
pub const fn panic_with(message: core::fmt::Arguments<'_>, at: &'static core::panic::Location<'static>) -> ! {
    const fn constant(_: core::fmt::Arguments<'_>, _: &'static core::panic::Location<'static>) -> ! {
        core::panic!("a panic whose message has arguments")
    }
    #[cold]
    #[inline(never)]
    fn running<const OWN: usize>(message: core::fmt::Arguments<'_>, at: &'static core::panic::Location<'static>) -> ! {
        let mut text = super::Text::new();
        let _ = core::fmt::Write::write_fmt(&mut text, message);
        let text = text.as_str();
        // SAFETY: the text is there.
        unsafe { record::<0>(2, [0; 2], text.as_ptr(), text.len(), at) }
    }
    core::intrinsics::const_eval_select((message, at), constant, running::<0>)
}

#[cold]
#[track_caller]
pub fn out_of_bounds(index: usize, length: usize) -> ! {
    // SAFETY: each kernel has this function: `own_gpu.rs`.
    unsafe { __gr_bounds(index, length, core::panic::Location::caller()) }
}

pub mod math {
    macro_rules! functions {
        ($($t:ty: $($name:ident)*, $($two:ident)*;)*) => {
            // CUDA's own functions, added to the PTX.
            unsafe extern "C" {
                $($(#[link_name = concat!("__gr_", stringify!($name))] pub safe fn $name(x: $t) -> $t;)*
                $(#[link_name = concat!("__gr_", stringify!($two))] pub safe fn $two(x: $t, y: $t) -> $t;)*)*
            }
        };
    }
    functions! {
        f32: sinf cosf tanf asinf acosf atanf sinhf coshf tanhf asinhf acoshf atanhf expf exp2f expm1f logf log2f log10f
             log1pf cbrtf, atan2f powf hypotf fmodf;
        f64: sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 expm1 log log2 log10
             log1p cbrt, atan2 pow hypot fmod;
    }
}

/// The instructions that compute in a few bits less, as CUDA's `__sinf` and its like do:
/// the CUDA C++ Programming Guide, "Intrinsic Functions", gives their errors.
pub mod fast {
    macro_rules! instructions {
        ($($name:ident $instruction:literal;)*) => {$(
            #[inline(always)]
            pub fn $name(x: f32) -> f32 {
                let y: f32;
                // SAFETY: an instruction of registers alone; so below.
                unsafe { core::arch::asm!(concat!($instruction, " {0}, {1};"), out(reg32) y, in(reg32) x, options(pure, nomem, nostack)) };
                y
            }
        )*};
    }
    instructions! {
        sin "sin.approx.f32"; cos "cos.approx.f32"; exp2 "ex2.approx.f32"; log2 "lg2.approx.f32";
        sqrt "sqrt.approx.f32"; rsqrt "rsqrt.approx.f32"; recip "rcp.approx.f32";
    }

    #[inline(always)]
    pub fn divide(x: f32, by: f32) -> f32 {
        let y: f32;
        // SAFETY: an instruction of registers alone.
        unsafe { core::arch::asm!("div.approx.f32 {0}, {1}, {2};", out(reg32) y, in(reg32) x, in(reg32) by, options(pure, nomem, nostack)) };
        y
    }
    #[inline(always)]
    pub fn tan(x: f32) -> f32 {
        divide(sin(x), cos(x))
    }
    #[inline(always)]
    pub fn exp(x: f32) -> f32 {
        exp2(x * core::f32::consts::LOG2_E)
    }
    #[inline(always)]
    pub fn ln(x: f32) -> f32 {
        log2(x) * core::f32::consts::LN_2
    }
    #[inline(always)]
    pub fn log10(x: f32) -> f32 {
        log2(x) * core::f32::consts::LOG10_2
    }
    #[inline(always)]
    pub fn powf(x: f32, exponent: f32) -> f32 {
        exp2(exponent * log2(x))
    }
}

/// Four elements that are read at once: of one byte, of two, of four or more.
#[repr(C, align(4))]
#[derive(Clone, Copy)]
pub struct Four1<T: Copy>(pub [T; 4]);
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub struct Four2<T: Copy>(pub [T; 4]);
#[repr(C, align(16))]
#[derive(Clone, Copy)]
pub struct Four4<T: Copy>(pub [T; 4]);
