//! Functions that have another form in drivers before CUDA 12.8, which newer
//! bindings do not name.

use std::ffi::c_uint;

use cudarc::driver::sys::{self, CUcontext, CUdevice, CUevent, CUresult};

use super::library::driver_has;

/// A function of the driver by its name.
///
/// # Safety
///
/// `F` is the function's type.
unsafe fn function<F: Copy>(name: &str) -> Option<F> {
    // SAFETY: the callers have made sure of the driver; the caller promises
    // the type.
    unsafe { sys::culib().get::<F>(name.as_bytes()).ok().map(|function| *function) }
}

/// Makes a context, which is then current.
pub(super) fn create_context(device: CUdevice, flags: c_uint) -> Result<CUcontext, CUresult> {
    let mut raw: CUcontext = std::ptr::null_mut();
    // SAFETY: the device is valid, the pointer is to a handle, and the types
    // are those of the driver's header; no parameters are given.
    let result = unsafe {
        if driver_has("cuCtxCreate_v4") {
            sys::cuCtxCreate_v4(&raw mut raw, std::ptr::null_mut(), flags, device)
        } else {
            type Create = unsafe extern "C" fn(*mut CUcontext, c_uint, CUdevice) -> CUresult;
            match function::<Create>("cuCtxCreate_v2") {
                Some(create) => create(&raw mut raw, flags, device),
                None => CUresult::CUDA_ERROR_NOT_SUPPORTED,
            }
        }
    };
    if result == CUresult::CUDA_SUCCESS { Ok(raw) } else { Err(result) }
}

/// The milliseconds between two events.
///
/// # Safety
///
/// Both events are alive.
pub(super) unsafe fn elapsed(start: CUevent, end: CUevent) -> Result<f32, CUresult> {
    let mut milliseconds = 0.0;
    // SAFETY: the caller's promise; the pointer is to a float, and the types
    // are those of the driver's header.
    let result = unsafe {
        if driver_has("cuEventElapsedTime_v2") {
            sys::cuEventElapsedTime_v2(&raw mut milliseconds, start, end)
        } else {
            type Elapsed = unsafe extern "C" fn(*mut f32, CUevent, CUevent) -> CUresult;
            match function::<Elapsed>("cuEventElapsedTime") {
                Some(elapsed) => elapsed(&raw mut milliseconds, start, end),
                None => CUresult::CUDA_ERROR_NOT_SUPPORTED,
            }
        }
    };
    if result == CUresult::CUDA_SUCCESS { Ok(milliseconds) } else { Err(result) }
}
