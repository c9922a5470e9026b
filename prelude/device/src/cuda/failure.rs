//! The driver's and NVRTC's errors as ours.

use std::ffi::CStr;

use cudarc::driver::sys::{self, CUresult};
use cudarc::nvrtc::sys::nvrtcResult;

use crate::error::{CudaError, Error, Problem, Result};

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
    let code = code(result);
    Problem::Code { operation, message: format!("{} ({})", description(result), code.name), code }.into()
}

/// A driver's error with the log of its compiler or linker.
#[cold]
pub(super) fn error_with_log(result: CUresult, operation: &str, log: &str, help: &str) -> Error {
    let code = code(result);
    let mut message = format!("{} ({})", description(result), code.name);
    for line in log.lines().map(str::trim_end).filter(|line| !line.is_empty()) {
        message.push_str("\n  ");
        message.push_str(line);
    }
    if !help.is_empty() {
        message.push_str("\n  = help: ");
        message.push_str(help);
    }
    Problem::Code { operation: operation.to_owned(), message, code }.into()
}

/// NVRTC's error during an operation.
#[cold]
pub(super) fn nvrtc_error(result: nvrtcResult, operation: String, message: Option<String>) -> Error {
    let (name, sentence) = nvrtc_words(result);
    let message = format!("{} ({name})", message.as_deref().unwrap_or(sentence));
    Problem::Code { operation, message, code: CudaError::new(name, result as u32, false) }.into()
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

/// Whether what failed can be tried again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Success,
    /// The call failed; the device works on.
    Passing,
    /// Every later call of this process fails the same way: CUDA's manual
    /// calls the process "in an inconsistent state" then, and no reset within
    /// it helps.
    Sticky,
}

macro_rules! codes {
    (success $($success:ident)*; passing $($passing:ident)*; sticky $($sticky:ident)*;) => {
        /// An error's name in the driver's header, and its class. Without a
        /// wildcard: a code that is new in the bindings must be put in a class.
        fn name_and_class(result: CUresult) -> (&'static str, Class) {
            match result {
                $(CUresult::$success => (stringify!($success), Class::Success),)*
                $(CUresult::$passing => (stringify!($passing), Class::Passing),)*
                $(CUresult::$sticky => (stringify!($sticky), Class::Sticky),)*
            }
        }

        const KNOWN: &[CUresult] =
            &[$(CUresult::$success,)* $(CUresult::$passing,)* $(CUresult::$sticky,)*];
    };
}

codes! {
    success CUDA_SUCCESS;
    passing
        CUDA_ERROR_INVALID_VALUE
        CUDA_ERROR_OUT_OF_MEMORY
        CUDA_ERROR_NOT_INITIALIZED
        CUDA_ERROR_PROFILER_DISABLED
        CUDA_ERROR_PROFILER_NOT_INITIALIZED
        CUDA_ERROR_PROFILER_ALREADY_STARTED
        CUDA_ERROR_PROFILER_ALREADY_STOPPED
        CUDA_ERROR_STUB_LIBRARY
        CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER
        CUDA_ERROR_DEVICE_UNAVAILABLE
        CUDA_ERROR_MULTICAST_RESOURCE_FULL
        CUDA_ERROR_NO_DEVICE
        CUDA_ERROR_INVALID_DEVICE
        CUDA_ERROR_DEVICE_NOT_LICENSED
        CUDA_ERROR_INVALID_IMAGE
        CUDA_ERROR_INVALID_CONTEXT
        CUDA_ERROR_CONTEXT_ALREADY_CURRENT
        CUDA_ERROR_MAP_FAILED
        CUDA_ERROR_UNMAP_FAILED
        CUDA_ERROR_ARRAY_IS_MAPPED
        CUDA_ERROR_ALREADY_MAPPED
        CUDA_ERROR_NO_BINARY_FOR_GPU
        CUDA_ERROR_ALREADY_ACQUIRED
        CUDA_ERROR_NOT_MAPPED
        CUDA_ERROR_NOT_MAPPED_AS_ARRAY
        CUDA_ERROR_NOT_MAPPED_AS_POINTER
        CUDA_ERROR_UNSUPPORTED_LIMIT
        CUDA_ERROR_CONTEXT_ALREADY_IN_USE
        CUDA_ERROR_PEER_ACCESS_UNSUPPORTED
        CUDA_ERROR_INVALID_PTX
        CUDA_ERROR_INVALID_GRAPHICS_CONTEXT
        CUDA_ERROR_JIT_COMPILER_NOT_FOUND
        CUDA_ERROR_UNSUPPORTED_PTX_VERSION
        CUDA_ERROR_JIT_COMPILATION_DISABLED
        CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY
        CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC
        CUDA_ERROR_INSUFFICIENT_LOADER_VERSION
        CUDA_ERROR_INVALID_SOURCE
        CUDA_ERROR_FILE_NOT_FOUND
        CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND
        CUDA_ERROR_SHARED_OBJECT_INIT_FAILED
        CUDA_ERROR_OPERATING_SYSTEM
        CUDA_ERROR_INVALID_HANDLE
        CUDA_ERROR_ILLEGAL_STATE
        CUDA_ERROR_LOSSY_QUERY
        CUDA_ERROR_NOT_FOUND
        CUDA_ERROR_NOT_READY
        CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
        CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING
        CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED
        CUDA_ERROR_PEER_ACCESS_NOT_ENABLED
        CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE
        CUDA_ERROR_TOO_MANY_PEERS
        CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED
        CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED
        CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE
        CUDA_ERROR_NOT_PERMITTED
        CUDA_ERROR_NOT_SUPPORTED
        CUDA_ERROR_SYSTEM_NOT_READY
        CUDA_ERROR_SYSTEM_DRIVER_MISMATCH
        CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE
        CUDA_ERROR_MPS_CONNECTION_FAILED
        CUDA_ERROR_MPS_RPC_FAILURE
        CUDA_ERROR_MPS_SERVER_NOT_READY
        CUDA_ERROR_MPS_MAX_CLIENTS_REACHED
        CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED
        CUDA_ERROR_CDP_NOT_SUPPORTED
        CUDA_ERROR_CDP_VERSION_MISMATCH
        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
        CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
        CUDA_ERROR_STREAM_CAPTURE_MERGE
        CUDA_ERROR_STREAM_CAPTURE_UNMATCHED
        CUDA_ERROR_STREAM_CAPTURE_UNJOINED
        CUDA_ERROR_STREAM_CAPTURE_ISOLATION
        CUDA_ERROR_STREAM_CAPTURE_IMPLICIT
        CUDA_ERROR_CAPTURED_EVENT
        CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD
        CUDA_ERROR_TIMEOUT
        CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE
        CUDA_ERROR_INVALID_CLUSTER_SIZE
        CUDA_ERROR_FUNCTION_NOT_LOADED
        CUDA_ERROR_INVALID_RESOURCE_TYPE
        CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION
        CUDA_ERROR_KEY_ROTATION
        CUDA_ERROR_STREAM_DETACHED
        CUDA_ERROR_GRAPH_RECAPTURE_FAILURE
        CUDA_ERROR_FABRIC_NOT_READY
        CUDA_ERROR_UNKNOWN;
    sticky
        CUDA_ERROR_DEINITIALIZED
        CUDA_ERROR_ECC_UNCORRECTABLE
        CUDA_ERROR_NVLINK_UNCORRECTABLE
        CUDA_ERROR_CONTAINED
        CUDA_ERROR_ILLEGAL_ADDRESS
        CUDA_ERROR_LAUNCH_TIMEOUT
        CUDA_ERROR_CONTEXT_IS_DESTROYED
        CUDA_ERROR_ASSERT
        CUDA_ERROR_HARDWARE_STACK_ERROR
        CUDA_ERROR_ILLEGAL_INSTRUCTION
        CUDA_ERROR_MISALIGNED_ADDRESS
        CUDA_ERROR_INVALID_ADDRESS_SPACE
        CUDA_ERROR_INVALID_PC
        CUDA_ERROR_LAUNCH_FAILED
        CUDA_ERROR_TENSOR_MEMORY_LEAK
        CUDA_ERROR_MPS_CLIENT_TERMINATED
        CUDA_ERROR_EXTERNAL_DEVICE;
}

fn code(result: CUresult) -> CudaError {
    let number = result as u32;
    // A driver that is newer than the bindings has codes that they do not
    // know, and knows their names itself.
    let Some(known) = KNOWN.iter().find(|known| **known as u32 == number) else {
        return CudaError::new(name_by_driver(result), number, false);
    };
    let (name, class) = name_and_class(*known);
    CudaError::new(name, number, class == Class::Sticky)
}

/// Whether every later call of this process fails the same way.
pub(super) fn is_sticky(result: CUresult) -> bool {
    code(result).is_sticky
}

fn name_by_driver(result: CUresult) -> &'static str {
    let mut text = std::ptr::null();
    // SAFETY: the function writes a pointer to a text that lives as long as
    // the driver, which is never unloaded, or fails and leaves it null.
    unsafe {
        let _ = sys::cuGetErrorName(result, &raw mut text);
        if text.is_null() { "unknown" } else { CStr::from_ptr(text).to_str().unwrap_or("unknown") }
    }
}

macro_rules! nvrtc_codes {
    ($($code:ident: $sentence:literal,)*) => {
        /// An error's name in NVRTC's header, and what it means.
        fn nvrtc_words(result: nvrtcResult) -> (&'static str, &'static str) {
            match result {
                $(nvrtcResult::$code => (stringify!($code), $sentence),)*
            }
        }

        #[cfg(test)]
        const ALL_OF_NVRTC: &[nvrtcResult] = &[$(nvrtcResult::$code,)*];
    };
}

nvrtc_codes! {
    NVRTC_SUCCESS: "no error",
    NVRTC_ERROR_OUT_OF_MEMORY: "the compiler has no memory left",
    NVRTC_ERROR_PROGRAM_CREATION_FAILURE: "the compiler could not take the source",
    NVRTC_ERROR_INVALID_INPUT: "the compiler was given something that it does not take",
    NVRTC_ERROR_INVALID_PROGRAM: "the compiler does not know the program",
    NVRTC_ERROR_INVALID_OPTION: "an option is not known to the compiler",
    NVRTC_ERROR_COMPILATION: "the source does not compile",
    NVRTC_ERROR_BUILTIN_OPERATION_FAILURE:
        "the compiler cannot use its own library, libnvrtc-builtins, which must lie beside libnvrtc",
    NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION: "a name was asked for after compiling",
    NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION: "a name was asked for before compiling",
    NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID: "a name is none of the source's",
    NVRTC_ERROR_INTERNAL_ERROR: "the compiler has made a mistake of its own",
    NVRTC_ERROR_TIME_FILE_WRITE_FAILED: "the file for times could not be written",
    NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED: "no precompiled header was made",
    NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED: "there is no room for a precompiled header",
    NVRTC_ERROR_PCH_CREATE: "a precompiled header could not be made",
    NVRTC_ERROR_CANCELLED: "the compilation was cancelled",
    NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED: "the file for a trace of times could not be written",
    NVRTC_ERROR_BUSY: "another process is installing the compiler's headers",
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn every_code_of_the_driver_has_a_name_and_a_class() {
        let mut numbers = std::collections::HashSet::new();
        for result in KNOWN {
            let (name, class) = name_and_class(*result);
            assert_eq!(name, format!("{result:?}"));
            assert!(numbers.insert(*result as u32), "{name} stands twice");
            assert_eq!(class == Class::Success, *result as u32 == 0);
            let code = code(*result);
            assert_eq!((code.name, code.number), (name, *result as u32));
            let error =
                Error::from(Problem::Code { operation: "test".to_owned(), message: String::new(), code });
            let kind = if class == Class::Sticky { ErrorKind::DeviceLost } else { ErrorKind::Device };
            assert_eq!((error.kind(), error.code()), (kind, Some(&code)), "{name}");
            assert_eq!(error.to_string().contains("cannot be used by this process"), class == Class::Sticky);
        }
        let is_sticky = |result| name_and_class(result).1 == Class::Sticky;
        assert!(is_sticky(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS) && is_sticky(CUresult::CUDA_ERROR_ASSERT));
        assert!(
            !is_sticky(CUresult::CUDA_ERROR_OUT_OF_MEMORY) && !is_sticky(CUresult::CUDA_ERROR_INVALID_PTX)
        );
    }

    #[test]
    fn every_code_of_nvrtc_has_a_name_and_a_sentence() {
        for (number, result) in ALL_OF_NVRTC.iter().enumerate() {
            let (name, sentence) = nvrtc_words(*result);
            assert_eq!((*result as usize, name.to_owned()), (number, format!("{result:?}")));
            let error = nvrtc_error(*result, "compiling kernel".to_owned(), None);
            assert_eq!(error.to_string(), format!("compiling kernel: {sentence} ({name})"));
            assert_eq!(error.code().map(|code| code.number), Some(number as u32));
        }
    }
}
