//! What a kernel's code and the simulator know of each other: the other side
//! of `shim/thread.hpp` in `gpurepl-kernels`, whose layout these types share.

use std::ffi::{c_char, c_int, c_uint, c_void};

use corosensei::Yielder;

use super::worker::Worker;

/// The entry of a kernel: of blocks `begin..end`, or of one thread.
pub(in crate::device::host) type Run =
    unsafe extern "C" fn(arguments: *mut *mut c_void, here: *mut Context, begin: usize, end: usize);

/// What a thread has to know, at the end of its stack's slot.
#[repr(C)]
pub(in crate::device::host) struct Context {
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
    // From here on C++ does not look.
    pub(super) yielder: *const Yielder<(), ()>,
    pub(super) fiber: u16,
}

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
}

pub(super) static RUNTIME: Runtime = Runtime {
    barrier: super::calls::barrier,
    warp: super::calls::warp,
    let_others_run: super::calls::let_others_run,
    fail: super::calls::fail,
    print: super::calls::print,
    outside: super::calls::outside,
};
