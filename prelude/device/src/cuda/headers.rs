//! What CUDA C sources expect and NVRTC does not bring: NVRTC compiles without
//! the system's headers.

use std::ffi::CStr;
use std::path::PathBuf;

use crate::error::missing_header;

/// Headers that kernels include out of habit, by name. Most of what they
/// declare is built into NVRTC, and what is not stands in [`BASE`].
pub(super) const HEADERS: &[(&CStr, &CStr)] = &[
    (BASE_NAME, BASE),
    (c"algorithm", STD),
    (c"assert.h", c""),
    (c"cassert", c""),
    (c"cfloat", c""),
    (c"climits", c""),
    (c"cmath", STD),
    (c"cstddef", c""),
    (c"cstdint", INTEGERS),
    (c"cstdio", c""),
    (c"cstdlib", c""),
    (c"cstring", c""),
    (c"cuda.h", c""),
    (c"cuda_runtime.h", c""),
    (c"cuda_runtime_api.h", c""),
    (c"device_functions.h", c""),
    (c"device_launch_parameters.h", c""),
    (c"float.h", c""),
    (c"limits.h", c""),
    (c"math.h", c""),
    (c"math_constants.h", INFINITIES),
    (c"gpurepl_math_constants.h", gpurepl_kernels::MATH_CONSTANTS),
    (c"gpurepl_constants.h", gpurepl_kernels::CONSTANTS),
    (c"stddef.h", c""),
    (c"stdint.h", INTEGERS),
    (c"stdio.h", c""),
    (c"stdlib.h", c""),
    (c"string.h", c""),
    (c"vector_functions.h", c""),
    (c"vector_types.h", c""),
    (c"pycuda-helpers.hpp", gpurepl_kernels::PYCUDA_HELPERS_HEADER),
    (c"cuda_surface_types.h", c""),
    (c"cuda_texture_types.h", c""),
    (c"surface_functions.h", c""),
    (c"gpurepl_references.h", gpurepl_kernels::REFERENCES_HEADER),
];

/// [`HEADERS`], and those of a toolkit in words of our own, where neither a
/// folder that the user names nor the toolkit has NVIDIA's.
///
/// A source that uses CUB or libcu++ and includes nothing but headers of ours has
/// ours even where the toolkit has NVIDIA's: the same on both devices, and sooner
/// compiled. It has all of ours then, as NVIDIA's `cooperative_groups.h` wants
/// NVIDIA's libcu++ and ours wants ours.
pub(super) fn for_folders(
    named: &[PathBuf],
    toolkit: &[PathBuf],
    included: &[String],
) -> Vec<(&'static CStr, &'static CStr)> {
    let is_ours = |name: &String| {
        let ours = gpurepl_kernels::headers::HEADERS.iter().chain(HEADERS);
        ours.map(|(known, _)| known).any(|known| known.to_bytes() == name.as_bytes())
    };
    let is_of_library =
        |name: &String| ["cub/", "cuda/", "nv/"].iter().any(|folder| name.starts_with(folder));
    let has_ours = included.iter().all(is_ours) && included.iter().any(is_of_library);
    let of_toolkit = if has_ours { &[][..] } else { toolkit };
    let is_missing = |name: &CStr| {
        // The headers of a folder go with the one that they extend.
        let name = name.to_string_lossy();
        let first = match name.split_once('/') {
            Some(("cub", _)) => "cub/cub.cuh",
            Some(("cuda" | "nv", _)) => "cuda/std/type_traits",
            Some(("cooperative_groups", _)) => "cooperative_groups.h",
            _ => &*name,
        };
        !named.iter().chain(of_toolkit).any(|folder| folder.join(first).is_file())
    };
    let ours = gpurepl_kernels::headers::HEADERS.iter().filter(|(name, _)| is_missing(name));
    HEADERS.iter().chain(ours).copied().collect()
}

/// Whether a header is one of a toolkit's that NVRTC can compile.
pub(super) fn is_in_toolkit(name: &str) -> bool {
    missing_header::package(name).is_some()
}

/// The name of [`BASE`], which is read before every source.
pub(super) const BASE_NAME: &CStr = c"gpurepl.h";

/// What nvcc's own headers bring along: short names of types, `assert`, and
/// the macros of `math.h`, `float.h` and `limits.h`. Infinity and NaN can
/// stand where a constant must.
pub(super) const BASE: &CStr = c"
#pragma once
#include <gpurepl_constants.h>
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#ifndef assert
#ifdef NDEBUG
#define assert(...) ((void)0)
#else
extern \"C\" __device__ __attribute__((noreturn)) void __assertfail(const char *, const char *, unsigned int, const char *, size_t);
#define assert(...) ((__VA_ARGS__) ? (void)0 : __assertfail(#__VA_ARGS__, __FILE__, __LINE__, __func__, 1))
#endif
#endif
#ifndef INFINITY
#define INFINITY __builtin_bit_cast(float, 0x7f800000u)
#endif
#ifndef NAN
#define NAN __builtin_bit_cast(float, 0x7fffffffu)
#endif
#ifndef HUGE_VAL
#define HUGE_VAL __builtin_bit_cast(double, 0x7ff0000000000000ull)
#define HUGE_VALF __builtin_bit_cast(float, 0x7f800000u)
#endif

";

/// `stdint.h`.
const INTEGERS: &CStr = c"
#pragma once
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef long long intptr_t;
typedef unsigned long long uintptr_t;
namespace std {
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;
}
";

/// The functions that C++ has in `std`, by their names in CUDA C.
const STD: &CStr = c"
#pragma once
namespace std {
using ::abs; using ::fabs; using ::sqrt; using ::cbrt; using ::hypot; using ::pow; using ::exp; using ::exp2;
using ::expm1; using ::log; using ::log2; using ::log10; using ::log1p; using ::sin; using ::cos; using ::tan;
using ::asin; using ::acos; using ::atan; using ::atan2; using ::sinh; using ::cosh; using ::tanh; using ::erf;
using ::erfc; using ::tgamma; using ::lgamma; using ::floor; using ::ceil; using ::trunc; using ::round;
using ::rint; using ::fmod; using ::fma; using ::fmin; using ::fmax; using ::min; using ::max;
using ::isnan; using ::isinf; using ::isfinite; using ::signbit;
}
";

/// The names of `math_constants.h` that are not plain numbers.
const INFINITIES: &CStr = c"
#pragma once
#include <gpurepl_math_constants.h>
#define CUDART_INF_F __builtin_bit_cast(float, 0x7f800000u)
#define CUDART_NAN_F __builtin_bit_cast(float, 0x7fffffffu)
#define CUDART_INF __builtin_bit_cast(double, 0x7ff0000000000000ull)
#define CUDART_NAN __builtin_bit_cast(double, 0x7fffffffffffffffull)
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toolkits_headers_come_before_ours() {
        let toolkit = tempfile::tempdir().unwrap();
        std::fs::write(toolkit.path().join("cooperative_groups.h"), "").unwrap();
        let has = |folders: &[PathBuf], header: &CStr| {
            for_folders(&[], folders, &[]).iter().any(|(name, _)| *name == header)
        };
        for header in [c"cooperative_groups.h", c"cooperative_groups/scan.h"] {
            assert!(has(&[], header));
            assert!(!has(&[toolkit.path().to_owned()], header));
        }
        for header in [c"cuda_fp16.h", c"cub/cub.cuh", c"cuda/atomic"] {
            assert!(has(&[toolkit.path().to_owned()], header));
        }
        std::fs::create_dir_all(toolkit.path().join("cuda/std")).unwrap();
        std::fs::write(toolkit.path().join("cuda/std/type_traits"), "").unwrap();
        let folders = [toolkit.path().to_owned()];
        let is_ours = |named: &[PathBuf], included: &[&str], header: &CStr| {
            let included: Vec<String> = included.iter().map(|name| (*name).to_owned()).collect();
            for_folders(named, &folders, &included).iter().any(|(name, _)| *name == header)
        };
        assert!(is_ours(&[], &["cuda/atomic"], c"cuda/atomic"));
        assert!(is_ours(&[], &["cuda/atomic", "cub/cub.cuh", "stdint.h"], c"cuda/atomic"));
        for other in ["cuda/ptx", "thrust/sort.h", "mine.h"] {
            assert!(!is_ours(&[], &["cuda/atomic", other], c"cuda/atomic"), "{other}");
        }
        // The toolkit's `cooperative_groups.h` includes the toolkit's libcu++.
        let of_toolkit = ["cooperative_groups.h", "cuda_fp16.h"];
        assert!(!is_ours(&[], &of_toolkit, c"cuda/std/utility"));
        assert!(!is_ours(&[], &of_toolkit, c"cooperative_groups.h"));
        assert!(is_ours(&[], &["cooperative_groups.h", "cuda/barrier"], c"cooperative_groups.h"));
        assert!(!is_ours(&folders, &["cuda/atomic"], c"nv/target"));
    }
}
