// What accesses of a checked build call first: a crate of its own, which is compiled without
// instrumentation. It keeps the records that `kernels/src/host/shim/instrumented.hpp` keeps for
// kernels in C++, where their fields and the clocks of threads are explained.

#![no_std]
#![allow(internal_features, non_upper_case_globals, improper_ctypes_definitions)]
#![feature(link_llvm_intrinsics)]

use core::ffi::{c_int, c_uint, c_void};
use core::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// `simulator/contract.rs` in `gpurepl-device` has the other side.
#[repr(C)]
pub struct Context {
    thread: [u32; 3],
    block: [u32; 3],
    block_size: [u32; 3],
    grid_size: [u32; 3],
    runtime: *const Runtime,
    shared: *mut u8,
    dynamic: *mut u8,
    offsets: *const u32,
    dynamic_bytes: u32,
    spins: u32,
    worker: *const c_void,
    blocks: u32,
    backwards: u32,
    races: *const Races,
    shared_area: [usize; 2],
    looking: usize,
    thread_number: u32,
    block_number: u32,
    clocks: [u32; 2],
    pending: *const u8,
    pending_other: u64,
    pending_bytes: u32,
    pending_place: u32,
    pending_other_place: u32,
    pending_value: [u8; 16],
}

#[repr(C)]
struct Runtime {
    others: [*const c_void; 6],
    race: unsafe extern "C" fn(*mut Context, *const c_void, c_int, c_uint, u64, c_uint),
    race_page: unsafe extern "C" fn(*mut Context, usize) -> *mut c_void,
}

#[repr(C)]
struct Cell {
    write: AtomicU64,
    read: AtomicU64,
    other: AtomicU64,
    write_place: AtomicU32,
    read_place: AtomicU32,
    other_place: AtomicU32,
    unused: u32,
}

#[repr(C)]
struct Page {
    key: core::sync::atomic::AtomicUsize,
    cells: *mut Cell,
}

#[repr(C)]
struct Races {
    pages: *const Page,
    mask: usize,
    meetings: *const AtomicU64,
}

unsafe extern "C" {
    static gpurepl_module: u8;

    #[link_name = "llvm.returnaddress"]
    fn return_address(level: i32) -> *const u8;
}

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

const LAST_WITHIN: u64 = 0x3ffff;
const LAST_BETWEEN: u64 = 0xfff;

fn within(record: u64) -> u64 {
    record >> 12 & LAST_WITHIN
}

fn between(record: u64) -> u64 {
    record & LAST_BETWEEN
}

fn block(record: u64) -> u64 {
    record >> 30 & 0xfffff
}

fn thread(record: u64) -> u64 {
    record >> 50 & 0x3ff
}

unsafe fn me(here: *const Context) -> u64 {
    // SAFETY: the caller passes the context of the thread that runs, which the launch keeps; nobody else
    // writes it while the thread runs.
    unsafe {
        let [within, between] = (*here).clocks.map(u64::from);
        u64::from((*here).thread_number & 0x3ff) << 50
            | u64::from((*here).block_number & 0xfffff) << 30
            | within.min(LAST_WITHIN) << 12
            | between.min(LAST_BETWEEN)
    }
}

/// Whether another thread's use may come before or after mine, as it likes.
fn is_loose(other: u64, me: u64, mask: u64, is_shared: bool) -> bool {
    if other >> 60 & mask == 0 {
        return false;
    }
    if block(other) == block(me) {
        return thread(other) != thread(me) && within(other) >= within(me) && within(me) != LAST_WITHIN;
    }
    !is_shared && between(other) >= between(me) && between(me) != LAST_BETWEEN
}

#[cold]
#[inline(never)]
unsafe fn race(address: usize, kind: c_int, place: u32, other: u64, other_place: u32) {
    // SAFETY: the runtime and its functions outlive every launch; `race` keeps the address as a number.
    unsafe { ((*(*here()).runtime).race)(here(), address as *const c_void, kind, place, other, other_place) }
}

/// Two threads that write the same value are no race; what this one writes is known when it does
/// something else.
unsafe fn settle(here: *mut Context) {
    // SAFETY: the context is the running thread's own. It wrote as many bytes as are pending at `pending`, in
    // memory that the launch keeps, and not more than `pending_value` has; others may write there: the read is
    // volatile.
    unsafe {
        let bytes = (*here).pending_bytes as usize;
        if bytes == 0 {
            return;
        }
        (*here).pending_bytes = 0;
        let value = (&raw const (*here).pending_value).cast::<u8>();
        let is_same = (0..bytes).all(|k| value.add(k).read() == (*here).pending.add(k).read_volatile());
        if !is_same {
            let (place, other_place) = ((*here).pending_place, (*here).pending_other_place);
            race((*here).pending as usize, 2, place, (*here).pending_other, other_place);
        }
    }
}

/// The records of four bytes; null where there is no more room.
unsafe fn cells(here: *mut Context, address: usize) -> *mut Cell {
    // SAFETY: where races are looked for, the launch keeps `mask + 1` pages. A page's cells are there before its
    // key is stored, which the load acquires, and are as many as 16 bits of address have groups of four.
    unsafe {
        let key = (address >> 16) + 1;
        let races = &*(*here).races;
        let mut at = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32 & races.mask;
        let mut cells = core::ptr::null_mut();
        for _ in 0..64 {
            let page = races.pages.add(at);
            let there = (*page).key.load(Ordering::Acquire);
            if there == key {
                cells = (*page).cells;
                break;
            }
            if there == 0 {
                break;
            }
            at = at + 1 & races.mask;
        }
        if cells.is_null() {
            cells = ((*(*here).runtime).race_page)(here, key).cast();
        }
        if cells.is_null() { cells } else { cells.add(address >> 2 & 0x3fff) }
    }
}

unsafe fn look(here: *mut Context, address: usize, bytes: usize, writes: bool, from: *const u8) {
    // SAFETY: the context is the running thread's own, and `races` is not null, as `is_looked_at` said. Records are
    // atomic, and are read where `cells` found them. The bytes are those that the thread is about to use.
    unsafe {
        let place = (from as usize - 1).wrapping_sub(&raw const gpurepl_module as usize) as u32;
        let [first, end] = (*here).shared_area;
        let is_shared = address >= first && address < end;
        let me = me(here);
        let mut a = address & !3;
        while a < address + bytes {
            let mut mask = 15u64;
            if a < address {
                mask &= 15 << (address - a);
            }
            if a + 4 > address + bytes {
                mask &= 15 >> (a + 4 - address - bytes);
            }
            let cell = cells(here, a);
            if cell.is_null() {
                return;
            }
            let cell = &*cell;
            let mine = me | mask << 60;
            let (write, read) = (cell.write.load(Ordering::Relaxed), cell.read.load(Ordering::Relaxed));
            let write_place = cell.write_place.load(Ordering::Relaxed);
            if writes {
                let other = cell.other.load(Ordering::Relaxed);
                if is_loose(read, me, mask, is_shared) {
                    race(a, 1, place, read, cell.read_place.load(Ordering::Relaxed));
                }
                if is_loose(other, me, mask, is_shared) {
                    race(a, 1, place, other, cell.other_place.load(Ordering::Relaxed));
                }
                if is_loose(write, me, mask, is_shared) && (*here).pending_bytes == 0 {
                    (*here).pending = address as *const u8;
                    (*here).pending_bytes = bytes.min(16) as u32;
                    let value = (&raw mut (*here).pending_value).cast::<u8>();
                    for k in 0..bytes.min(16) {
                        value.add(k).write((address as *const u8).add(k).read_volatile());
                    }
                    (*here).pending_place = place;
                    (*here).pending_other = write;
                    (*here).pending_other_place = write_place;
                }
                cell.write.store(mine, Ordering::Relaxed);
                cell.write_place.store(place, Ordering::Relaxed);
            } else {
                if is_loose(write, me, mask, is_shared) {
                    race(a, 0, place, write, write_place);
                }
                // Two readers are kept that are not the same thread.
                let is_same = (read ^ mine) >> 30 << 34 == 0 && read >> 60 != 0;
                if is_same || !is_loose(read, me, 15, is_shared) {
                    // Bytes that were read before a wait are not read after it.
                    let all = if is_same && read << 4 == mine << 4 { mine | read } else { mine };
                    cell.read.store(all, Ordering::Relaxed);
                    cell.read_place.store(place, Ordering::Relaxed);
                } else {
                    cell.other.store(mine, Ordering::Relaxed);
                    cell.other_place.store(place, Ordering::Relaxed);
                }
            }
            a += 4;
        }
    }
}

/// Whether memory is not a thread's own stack, and the launch looks for races.
#[inline(always)]
unsafe fn is_looked_at(here: *mut Context, address: usize) -> bool {
    // SAFETY: the context is the running thread's own; the address is only compared.
    unsafe { (address ^ here as usize) & !0x3ffff != 0 && !(*here).races.is_null() }
}

#[inline(always)]
unsafe fn access(address: usize, bytes: usize, writes: bool, from: *const u8) {
    // SAFETY: `here` is the running thread's context; what `settle` and `look` ask for is what `is_looked_at` says.
    unsafe {
        let here = here();
        if bytes > 0 && is_looked_at(here, address) {
            settle(here);
            look(here, address, bytes, writes, from);
        }
    }
}

/// An atomic operation: who comes later knows of what was before.
unsafe fn meet(address: usize, takes: bool, gives: bool) {
    // SAFETY: the context is the running thread's own, and its clocks are changed by it alone. There are 2^16
    // meetings, kept as long as the launch, and `number` has 16 bits.
    unsafe {
        let here = here();
        if !is_looked_at(here, address) {
            return;
        }
        settle(here);
        let number = (address >> 2).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48;
        let meeting = &*(*(*here).races).meetings.add(number);
        let mut left = meeting.load(Ordering::Relaxed);
        loop {
            let (within, between) = ((left >> 32) as u32, left as u32);
            let [mut mine, mut mine_between] = (*here).clocks;
            if takes {
                (mine, mine_between) = (mine.max(within), mine_between.max(between));
                (*here).clocks = [mine, mine_between];
            }
            if !gives {
                return;
            }
            let next = u64::from(within.max(mine + 1)) << 32 | u64::from(between.max(mine_between + 1));
            match meeting.compare_exchange(left, next, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => break,
                Err(now) => left = now,
            }
        }
        (*here).clocks[0] += 1;
        (*here).clocks[1] += 1;
    }
}

/// A thread begins, in a loop over the threads of a block.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gpurepl_thread_begins(here: *mut Context, block: usize) {
    // SAFETY: the loop passes the context of the thread whose turn it is, and nobody else reads or writes it.
    unsafe {
        let ([x, y, z], [width, height, _]) = ((*here).thread, (*here).block_size);
        (*here).thread_number = x + width * (y + height * z);
        (*here).block_number = block as u32;
        (*here).clocks = [0; 2];
    }
}

/// A thread has ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gpurepl_thread_ended(here: *mut Context) {
    // SAFETY: the loop passes the context of the thread whose turn it is.
    unsafe { settle(here) }
}

macro_rules! accesses {
    ($($bytes:literal $read:ident $write:ident $unaligned_read:ident $unaligned_write:ident)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $read(address: usize) {
            // SAFETY: the compiler calls it in code of a kernel, whose context is there; the address is a number here.
            unsafe { access(address, $bytes, false, return_address(0)) }
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $write(address: usize) {
            // SAFETY: the compiler calls it in code of a kernel, whose context is there; the address is a number here.
            unsafe { access(address, $bytes, true, return_address(0)) }
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $unaligned_read(address: usize) {
            // SAFETY: the compiler calls it in code of a kernel, whose context is there; the address is a number here.
            unsafe { access(address, $bytes, false, return_address(0)) }
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $unaligned_write(address: usize) {
            // SAFETY: the compiler calls it in code of a kernel, whose context is there; the address is a number here.
            unsafe { access(address, $bytes, true, return_address(0)) }
        }
    )*};
}
accesses! {
    1 __tsan_read1 __tsan_write1 __tsan_unaligned_read1 __tsan_unaligned_write1
    2 __tsan_read2 __tsan_write2 __tsan_unaligned_read2 __tsan_unaligned_write2
    4 __tsan_read4 __tsan_write4 __tsan_unaligned_read4 __tsan_unaligned_write4
    8 __tsan_read8 __tsan_write8 __tsan_unaligned_read8 __tsan_unaligned_write8
    16 __tsan_read16 __tsan_write16 __tsan_unaligned_read16 __tsan_unaligned_write16
}

unsafe extern "C" {
    fn memcpy(to: *mut u8, from: *const u8, bytes: usize) -> *mut u8;
    fn memmove(to: *mut u8, from: *const u8, bytes: usize) -> *mut u8;
    fn memset(to: *mut u8, value: c_int, bytes: usize) -> *mut u8;
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_memcpy(to: *mut u8, from: *const u8, bytes: usize) -> *mut u8 {
    // SAFETY: it stands for the call of a kernel, whose pointers are good for as many bytes if the kernel's are.
    unsafe {
        access(from as usize, bytes, false, return_address(0));
        access(to as usize, bytes, true, return_address(0));
        memcpy(to, from, bytes)
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_memmove(to: *mut u8, from: *const u8, bytes: usize) -> *mut u8 {
    // SAFETY: it stands for the call of a kernel, whose pointers are good for as many bytes if the kernel's are.
    unsafe {
        access(from as usize, bytes, false, return_address(0));
        access(to as usize, bytes, true, return_address(0));
        memmove(to, from, bytes)
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn __tsan_memset(to: *mut u8, value: c_int, bytes: usize) -> *mut u8 {
    // SAFETY: it stands for the call of a kernel, whose pointers are good for as many bytes if the kernel's are.
    unsafe {
        access(to as usize, bytes, true, return_address(0));
        memset(to, value, bytes)
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __tsan_init() {}

#[unsafe(no_mangle)]
pub extern "C" fn __tsan_func_entry(_caller: *const c_void) {}

#[unsafe(no_mangle)]
pub extern "C" fn __tsan_func_exit() {}

#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic_thread_fence(_order: c_int) {
    core::sync::atomic::fence(Ordering::SeqCst);
}

#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic_signal_fence(_order: c_int) {}

macro_rules! atomics {
    ($($of:ty, $atomic:ident: $load:ident $store:ident $exchange:ident $compare:ident; $($name:ident $method:ident)*;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $load(at: *mut $of, _order: c_int) -> $of {
            // SAFETY: it stands for an atomic access of a kernel, whose pointer is good and aligned for one.
            unsafe {
                meet(at as usize, true, false);
                $atomic::from_ptr(at).load(Ordering::SeqCst)
            }
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $store(at: *mut $of, value: $of, _order: c_int) {
            // SAFETY: as for a load.
            unsafe {
                meet(at as usize, false, true);
                $atomic::from_ptr(at).store(value, Ordering::SeqCst)
            }
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $exchange(at: *mut $of, value: $of, _order: c_int) -> $of {
            // SAFETY: it stands for an atomic access of a kernel, whose pointer is good and aligned for one.
            unsafe {
                meet(at as usize, true, true);
                $atomic::from_ptr(at).swap(value, Ordering::SeqCst)
            }
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $compare(at: *mut $of, expected: $of, value: $of, _order: c_int, _failed: c_int) -> $of {
            // SAFETY: as for a load.
            unsafe {
                meet(at as usize, true, true);
                let outcome = $atomic::from_ptr(at).compare_exchange(expected, value, Ordering::SeqCst, Ordering::SeqCst);
                match outcome {
                    Ok(old) | Err(old) => old,
                }
            }
        }
        $(
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name(at: *mut $of, value: $of, _order: c_int) -> $of {
                // SAFETY: as for a load.
                unsafe {
                    meet(at as usize, true, true);
                    $atomic::from_ptr(at).$method(value, Ordering::SeqCst)
                }
            }
        )*
    )*};
}
atomics! {
    u8, AtomicU8: __tsan_atomic8_load __tsan_atomic8_store __tsan_atomic8_exchange __tsan_atomic8_compare_exchange_val;
    __tsan_atomic8_fetch_add fetch_add __tsan_atomic8_fetch_sub fetch_sub __tsan_atomic8_fetch_and fetch_and
    __tsan_atomic8_fetch_or fetch_or __tsan_atomic8_fetch_xor fetch_xor __tsan_atomic8_fetch_nand fetch_nand;
    u16, AtomicU16: __tsan_atomic16_load __tsan_atomic16_store __tsan_atomic16_exchange __tsan_atomic16_compare_exchange_val;
    __tsan_atomic16_fetch_add fetch_add __tsan_atomic16_fetch_sub fetch_sub __tsan_atomic16_fetch_and fetch_and
    __tsan_atomic16_fetch_or fetch_or __tsan_atomic16_fetch_xor fetch_xor __tsan_atomic16_fetch_nand fetch_nand;
    u32, AtomicU32: __tsan_atomic32_load __tsan_atomic32_store __tsan_atomic32_exchange __tsan_atomic32_compare_exchange_val;
    __tsan_atomic32_fetch_add fetch_add __tsan_atomic32_fetch_sub fetch_sub __tsan_atomic32_fetch_and fetch_and
    __tsan_atomic32_fetch_or fetch_or __tsan_atomic32_fetch_xor fetch_xor __tsan_atomic32_fetch_nand fetch_nand;
    u64, AtomicU64: __tsan_atomic64_load __tsan_atomic64_store __tsan_atomic64_exchange __tsan_atomic64_compare_exchange_val;
    __tsan_atomic64_fetch_add fetch_add __tsan_atomic64_fetch_sub fetch_sub __tsan_atomic64_fetch_and fetch_and
    __tsan_atomic64_fetch_or fetch_or __tsan_atomic64_fetch_xor fetch_xor __tsan_atomic64_fetch_nand fetch_nand;
}

// It lies in the last bytes of a slot.
const _: () = assert!(size_of::<Context>() <= 256);
