//! The driver's errors as ours.

use std::ffi::CStr;

use cudarc::driver::sys::{self, CUresult};

use crate::error::{Error, Problem, Result};

/// Ok for success, else the error, with what was being done.
pub(super) fn check(result: CUresult, operation: impl FnOnce() -> String) -> Result<()> {
    match result {
        CUresult::CUDA_SUCCESS => Ok(()),
        failed => Err(error(failed, operation())),
    }
}

/// A driver's error during an operation.
#[cold]
fn error(result: CUresult, operation: String) -> Error {
    let message = match name(result) {
        Some(name) => format!("{} ({name})", description(result)),
        None => description(result),
    };
    if is_sticky(result) {
        Problem::DeviceLost { operation, message }.into()
    } else {
        Problem::Device { operation, message }.into()
    }
}

/// Whether every later call of this process fails the same way: CUDA's
/// manual calls the process "in an inconsistent state" then, and no reset
/// within it helps.
pub(super) fn is_sticky(result: CUresult) -> bool {
    use CUresult::*;
    matches!(
        result,
        CUDA_ERROR_DEINITIALIZED
            | CUDA_ERROR_ECC_UNCORRECTABLE
            | CUDA_ERROR_ILLEGAL_ADDRESS
            | CUDA_ERROR_LAUNCH_TIMEOUT
            | CUDA_ERROR_CONTEXT_IS_DESTROYED
            | CUDA_ERROR_ASSERT
            | CUDA_ERROR_HARDWARE_STACK_ERROR
            | CUDA_ERROR_ILLEGAL_INSTRUCTION
            | CUDA_ERROR_MISALIGNED_ADDRESS
            | CUDA_ERROR_INVALID_ADDRESS_SPACE
            | CUDA_ERROR_INVALID_PC
            | CUDA_ERROR_LAUNCH_FAILED
            | CUDA_ERROR_NVLINK_UNCORRECTABLE
            | CUDA_ERROR_EXTERNAL_DEVICE
            | CUDA_ERROR_CONTAINED
            | CUDA_ERROR_TENSOR_MEMORY_LEAK
            | CUDA_ERROR_MPS_CLIENT_TERMINATED
    )
}

/// The driver's sentence for an error.
fn description(result: CUresult) -> String {
    let mut text = std::ptr::null();
    // SAFETY: the function writes a pointer to a text that lives as long as
    // the driver, or fails and leaves it null.
    unsafe {
        let _ = sys::cuGetErrorString(result, &raw mut text);
        if text.is_null() {
            format!("error {}", result as u32)
        } else {
            CStr::from_ptr(text).to_string_lossy().into_owned()
        }
    }
}

/// The error's name in the driver's header. The driver says, not the bindings:
/// one that is newer than they are has errors that they do not know.
fn name(result: CUresult) -> Option<String> {
    let mut text = std::ptr::null();
    // SAFETY: as in `description`.
    unsafe {
        let _ = sys::cuGetErrorName(result, &raw mut text);
        (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
    }
}
