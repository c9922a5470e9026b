//! Functions that have another form in drivers before CUDA 12.8, which newer
//! bindings do not name.

use std::ffi::c_uint;

use cudarc::driver::sys::{
    self, CUcontext, CUdevice, CUdeviceptr, CUevent, CUmem_advise, CUmemLocation, CUmemLocationType,
    CUresult, CUstream,
};

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

/// A place as drivers before CUDA 12.2 know it: a device, or -1 for the host.
fn location(device: CUdevice) -> CUmemLocation {
    let type_ = if device < 0 {
        CUmemLocationType::CU_MEM_LOCATION_TYPE_HOST
    } else {
        CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE
    };
    let __bindgen_anon_1 = sys::CUmemLocation_st__bindgen_ty_1 { id: device.max(0) };
    CUmemLocation { type_, __bindgen_anon_1 }
}

/// Moves managed memory to a device, or to the host.
///
/// # Safety
///
/// The memory is managed and as large, and the stream alive.
pub(super) unsafe fn prefetch(
    address: CUdeviceptr,
    bytes: usize,
    device: CUdevice,
    stream: CUstream,
) -> CUresult {
    // SAFETY: the caller's promise; the types are those of the driver's header.
    unsafe {
        if driver_has("cuMemPrefetchAsync_v2") {
            sys::cuMemPrefetchAsync_v2(address, bytes, location(device), 0, stream)
        } else {
            type Prefetch = unsafe extern "C" fn(CUdeviceptr, usize, CUdevice, CUstream) -> CUresult;
            match function::<Prefetch>("cuMemPrefetchAsync") {
                Some(prefetch) => prefetch(address, bytes, device, stream),
                None => CUresult::CUDA_ERROR_NOT_SUPPORTED,
            }
        }
    }
}

/// Says what is to be expected of managed memory.
///
/// # Safety
///
/// As for [`prefetch`].
pub(super) unsafe fn advise(
    address: CUdeviceptr,
    bytes: usize,
    advice: CUmem_advise,
    device: CUdevice,
) -> CUresult {
    // SAFETY: as above.
    unsafe {
        if driver_has("cuMemAdvise_v2") {
            sys::cuMemAdvise_v2(address, bytes, advice, location(device))
        } else {
            type Advise = unsafe extern "C" fn(CUdeviceptr, usize, CUmem_advise, CUdevice) -> CUresult;
            match function::<Advise>("cuMemAdvise") {
                Some(advise) => advise(address, bytes, advice, device),
                None => CUresult::CUDA_ERROR_NOT_SUPPORTED,
            }
        }
    }
}
