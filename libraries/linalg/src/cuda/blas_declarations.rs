//! Declarations of our own of the functions of cuBLAS that are used, as `cublas_api.h` has them in CUDA 12 and 13.

use std::ffi::{c_int, c_void};

use super::declarations::{Memory, RawHandle};

/// `info` is the device's.
pub(super) type GetrfBatched = unsafe extern "C" fn(
    handle: RawHandle,
    order: c_int,
    a: *const Memory,
    a_leading: c_int,
    pivots: *mut c_int,
    info: *mut c_int,
    count: c_int,
) -> c_int;
/// `info` is one number of the host.
pub(super) type GetrsBatched = unsafe extern "C" fn(
    handle: RawHandle,
    operation: c_int,
    order: c_int,
    columns: c_int,
    a: *const Memory,
    a_leading: c_int,
    pivots: *const c_int,
    b: *const Memory,
    b_leading: c_int,
    info: *mut c_int,
    count: c_int,
) -> c_int;
/// `info` is the device's.
pub(super) type MatinvBatched = unsafe extern "C" fn(
    handle: RawHandle,
    order: c_int,
    a: *const Memory,
    a_leading: c_int,
    inverse: *const Memory,
    inverse_leading: c_int,
    info: *mut c_int,
    count: c_int,
) -> c_int;
/// `info` is one number of the host.
pub(super) type GeqrfBatched = unsafe extern "C" fn(
    handle: RawHandle,
    rows: c_int,
    columns: c_int,
    a: *const Memory,
    a_leading: c_int,
    tau: *const Memory,
    info: *mut c_int,
    count: c_int,
) -> c_int;
pub(super) type Trsm = unsafe extern "C" fn(
    handle: RawHandle,
    side: c_int,
    triangle: c_int,
    operation: c_int,
    diagonal: c_int,
    rows: c_int,
    columns: c_int,
    alpha: *const c_void,
    a: Memory,
    a_leading: c_int,
    b: Memory,
    b_leading: c_int,
) -> c_int;
pub(super) type TrsmBatched = unsafe extern "C" fn(
    handle: RawHandle,
    side: c_int,
    triangle: c_int,
    operation: c_int,
    diagonal: c_int,
    rows: c_int,
    columns: c_int,
    alpha: *const c_void,
    a: *const Memory,
    a_leading: c_int,
    b: *const Memory,
    b_leading: c_int,
    count: c_int,
) -> c_int;
