//! Headers that kernels include and that come with NVIDIA's toolkit, in words
//! of our own: NVRTC brings none of them, and the host device has no toolkit.
//!
//! They are read by the compiler for each kernel that includes them, so they
//! hold what kernels use and include nothing but each other.

use std::ffi::CStr;

macro_rules! headers {
    ($($name:literal: $file:literal,)* ; $($made:literal: $text:expr,)*) => {
        &[
            $((header(concat!($name, "\0")), header(concat!(include_str!($file), "\0"))),)*
            $((header(concat!($made, "\0")), $text),)*
        ]
    };
}

/// Headers for both devices, by the names that kernels include them by.
pub const HEADERS: &[(&CStr, &CStr)] = headers! {
    "cooperative_groups.h": "headers/cooperative_groups.h",
    "cooperative_groups/memcpy_async.h": "headers/cooperative_groups/memcpy_async.h",
    "cooperative_groups/reduce.h": "headers/cooperative_groups/reduce.h",
    "cooperative_groups/scan.h": "headers/cooperative_groups/scan.h",
    "cuComplex.h": "headers/cuComplex.h",
    "cuda_bf16.h": "headers/cuda_bf16.h",
    "cuda_fp16.h": "headers/cuda_fp16.h",
    "cuda_fp8.h": "headers/cuda_fp8.h",
    "curand_kernel.h": "headers/curand_kernel.h",
    "gpurepl_bf16.h": "headers/gpurepl_bf16.h",
    "gpurepl_threads.h": "headers/gpurepl_threads.h",
    ;
    "pycuda-complex.hpp": crate::complex::COMPLEX_HEADER,
};

/// The text of a header of [`HEADERS`].
pub(crate) fn text(name: &str) -> Option<&'static str> {
    let found = HEADERS.iter().find(|(header, _)| header.to_bytes() == name.as_bytes());
    found.and_then(|(_, text)| text.to_str().ok())
}

pub(crate) const fn header(text: &str) -> &CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(header) => header,
        Err(_) => panic!("a header has no zero byte"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_found_by_its_name_and_is_read_once() {
        assert_eq!(text("mma.h"), None);
        for (name, text) in HEADERS {
            assert!(text.to_str().unwrap().contains("\n#define GPUREPL_"), "{name:?} has no guard");
        }
    }
}
