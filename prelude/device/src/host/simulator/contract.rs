//! What a kernel's code and the simulator know of each other: the other side
//! of `shim/thread.hpp` in `gpurepl-kernels`, whose layout these types share.

use std::ffi::{c_char, c_int, c_uint, c_void};

use corosensei::Yielder;

use super::worker::Worker;
use crate::host::races;

/// When a thread does something: by what its block has waited for, and by
/// what blocks have passed to each other.
pub(super) type Clock = [u32; 2];

/// The entry of a kernel: of blocks `begin..end`, or of one thread.
pub(in crate::host) type Run =
    unsafe extern "C" fn(arguments: *mut *mut c_void, here: *mut Context, begin: usize, end: usize);

/// What a thread has to know, at the end of its stack's slot.
#[repr(C)]
pub(in crate::host) struct Context {
    pub(super) thread: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) block_dim: [u32; 3],
    pub(super) grid_dim: [u32; 3],
    pub(super) runtime: *const Runtime,
    pub(super) shared: *mut u8,
    pub(super) dynamic: *mut u8,
    pub(super) offsets: *const u32,
    pub(super) dynamic_bytes: u32,
    pub(super) spins: u32,
    pub(super) worker: *const Worker,
    pub(super) blocks: u32,
    pub(super) backwards: u32,
    pub(super) races: *const races::Table,
    pub(super) shared_area: [usize; 2],
    pub(super) looking: usize,
    pub(super) thread_number: u32,
    pub(super) block_number: u32,
    pub(super) clock: Clock,
    pending: *const u8,
    pending_other: u64,
    pub(super) pending_bytes: u32,
    pending_places: [u32; 2],
    pending_value: [u8; 16],
    // From here on C++ does not look.
    pub(super) yielder: *const Yielder<(), ()>,
    pub(super) fiber: u16,
    /// Of a kernel in Rust that is a loop by strides: which turn it is, and the number of elements.
    turns: [usize; 2],
}

// `kernels/src/rust/library/host.rs` looks there.
const _: () = assert!(std::mem::offset_of!(Context, turns) == 216);

/// Bytes at the end of a slot that hold a [`Context`].
pub(super) const CONTEXT: usize = 256;

const _: () = assert!(size_of::<Context>() <= CONTEXT);

/// The functions that a kernel's code calls.
#[repr(C)]
pub(super) struct Runtime {
    barrier: unsafe extern "C" fn(*mut Context, c_int, c_int, c_int) -> c_int,
    warp: unsafe extern "C" fn(*mut Context, c_int, c_uint, u64, c_int, c_int, c_int) -> u64,
    let_others_run: unsafe extern "C" fn(*mut Context),
    fail: unsafe extern "C" fn(*mut Context, c_int, *const c_char, *const c_char, c_int),
    print: unsafe extern "C" fn(*mut Context, *const c_char, usize),
    outside: unsafe extern "C" fn(*mut Context, *const c_void, usize, c_int, *const c_void),
    race: unsafe extern "C" fn(*mut Context, *const c_void, c_int, c_uint, u64, c_uint),
    race_page: unsafe extern "C" fn(*mut Context, usize) -> *mut c_void,
    allocate: unsafe extern "C" fn(*mut Context, usize, usize, c_int) -> *mut c_void,
    release: unsafe extern "C" fn(*mut Context, *mut c_void, c_int),
    grid: unsafe extern "C" fn(*mut Context, c_int) -> c_int,
}

pub(super) static RUNTIME: Runtime = Runtime {
    barrier: super::calls::barrier,
    warp: super::calls::warp,
    let_others_run: super::calls::let_others_run,
    fail: super::calls::fail,
    print: super::calls::print,
    outside: super::calls::outside,
    race: super::calls::race,
    race_page: super::calls::race_page,
    allocate: super::calls::allocate,
    release: super::calls::release,
    grid: super::calls::grid,
};
