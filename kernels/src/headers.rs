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
    "cub/block/block_adjacent_difference.cuh": "headers/cub/block/block_adjacent_difference.cuh",
    "cub/block/block_discontinuity.cuh": "headers/cub/block/block_discontinuity.cuh",
    "cub/block/block_exchange.cuh": "headers/cub/block/block_exchange.cuh",
    "cub/block/block_histogram.cuh": "headers/cub/block/block_histogram.cuh",
    "cub/block/block_load.cuh": "headers/cub/block/block_load.cuh",
    "cub/block/block_merge_sort.cuh": "headers/cub/block/block_merge_sort.cuh",
    "cub/block/block_radix_sort.cuh": "headers/cub/block/block_radix_sort.cuh",
    "cub/block/block_reduce.cuh": "headers/cub/block/block_reduce.cuh",
    "cub/block/block_run_length_decode.cuh": "headers/cub/block/block_run_length_decode.cuh",
    "cub/block/block_scan.cuh": "headers/cub/block/block_scan.cuh",
    "cub/block/block_shuffle.cuh": "headers/cub/block/block_shuffle.cuh",
    "cub/block/block_store.cuh": "headers/cub/block/block_store.cuh",
    "cub/cub.cuh": "headers/cub/cub.cuh",
    "cub/device/device_adjacent_difference.cuh": "headers/cub/device/device_adjacent_difference.cuh",
    "cub/device/device_for.cuh": "headers/cub/device/device_for.cuh",
    "cub/device/device_histogram.cuh": "headers/cub/device/device_histogram.cuh",
    "cub/device/device_memcpy.cuh": "headers/cub/device/device_memcpy.cuh",
    "cub/device/device_merge.cuh": "headers/cub/device/device_merge.cuh",
    "cub/device/device_merge_sort.cuh": "headers/cub/device/device_merge_sort.cuh",
    "cub/device/device_partition.cuh": "headers/cub/device/device_partition.cuh",
    "cub/device/device_radix_sort.cuh": "headers/cub/device/device_radix_sort.cuh",
    "cub/device/device_reduce.cuh": "headers/cub/device/device_reduce.cuh",
    "cub/device/device_run_length_encode.cuh": "headers/cub/device/device_run_length_encode.cuh",
    "cub/device/device_scan.cuh": "headers/cub/device/device_scan.cuh",
    "cub/device/device_segmented_radix_sort.cuh": "headers/cub/device/device_segmented_radix_sort.cuh",
    "cub/device/device_segmented_reduce.cuh": "headers/cub/device/device_segmented_reduce.cuh",
    "cub/device/device_segmented_sort.cuh": "headers/cub/device/device_segmented_sort.cuh",
    "cub/device/device_select.cuh": "headers/cub/device/device_select.cuh",
    "cub/device/device_spmv.cuh": "headers/cub/device/device_spmv.cuh",
    "cub/device/gpurepl_device.cuh": "headers/cub/device/gpurepl_device.cuh",
    "cub/gpurepl_details.cuh": "headers/cub/gpurepl_details.cuh",
    "cub/iterator/arg_index_input_iterator.cuh": "headers/cub/iterator/arg_index_input_iterator.cuh",
    "cub/iterator/cache_modified_input_iterator.cuh": "headers/cub/iterator/cache_modified_input_iterator.cuh",
    "cub/iterator/cache_modified_output_iterator.cuh": "headers/cub/iterator/cache_modified_output_iterator.cuh",
    "cub/iterator/constant_input_iterator.cuh": "headers/cub/iterator/constant_input_iterator.cuh",
    "cub/iterator/counting_input_iterator.cuh": "headers/cub/iterator/counting_input_iterator.cuh",
    "cub/iterator/discard_output_iterator.cuh": "headers/cub/iterator/discard_output_iterator.cuh",
    "cub/iterator/gpurepl_iterator.cuh": "headers/cub/iterator/gpurepl_iterator.cuh",
    "cub/iterator/transform_input_iterator.cuh": "headers/cub/iterator/transform_input_iterator.cuh",
    "cub/thread/thread_load.cuh": "headers/cub/thread/thread_load.cuh",
    "cub/thread/thread_operators.cuh": "headers/cub/thread/thread_operators.cuh",
    "cub/thread/thread_reduce.cuh": "headers/cub/thread/thread_reduce.cuh",
    "cub/thread/thread_scan.cuh": "headers/cub/thread/thread_scan.cuh",
    "cub/thread/thread_store.cuh": "headers/cub/thread/thread_store.cuh",
    "cub/util_math.cuh": "headers/cub/util_math.cuh",
    "cub/util_ptx.cuh": "headers/cub/util_ptx.cuh",
    "cub/util_type.cuh": "headers/cub/util_type.cuh",
    "cub/warp/warp_exchange.cuh": "headers/cub/warp/warp_exchange.cuh",
    "cub/warp/warp_load.cuh": "headers/cub/warp/warp_load.cuh",
    "cub/warp/warp_merge_sort.cuh": "headers/cub/warp/warp_merge_sort.cuh",
    "cub/warp/warp_reduce.cuh": "headers/cub/warp/warp_reduce.cuh",
    "cub/warp/warp_scan.cuh": "headers/cub/warp/warp_scan.cuh",
    "cub/warp/warp_store.cuh": "headers/cub/warp/warp_store.cuh",
    "cuda/atomic": "headers/cuda/atomic",
    "cuda/barrier": "headers/cuda/barrier",
    "cuda/cmath": "headers/cuda/cmath",
    "cuda/functional": "headers/cuda/functional",
    "cuda/latch": "headers/cuda/latch",
    "cuda/pipeline": "headers/cuda/pipeline",
    "cuda/semaphore": "headers/cuda/semaphore",
    "cuda/std/algorithm": "headers/cuda/std/algorithm",
    "cuda/std/array": "headers/cuda/std/array",
    "cuda/std/atomic": "headers/cuda/std/atomic",
    "cuda/std/barrier": "headers/cuda/std/barrier",
    "cuda/std/bit": "headers/cuda/std/bit",
    "cuda/std/cassert": "headers/cuda/std/cassert",
    "cuda/std/cfloat": "headers/cuda/std/cfloat",
    "cuda/std/climits": "headers/cuda/std/climits",
    "cuda/std/cmath": "headers/cuda/std/cmath",
    "cuda/std/complex": "headers/cuda/std/complex",
    "cuda/std/cstddef": "headers/cuda/std/cstddef",
    "cuda/std/cstdint": "headers/cuda/std/cstdint",
    "cuda/std/functional": "headers/cuda/std/functional",
    "cuda/std/gpurepl_complex.h": "headers/cuda/std/gpurepl_complex.h",
    "cuda/std/initializer_list": "headers/cuda/std/initializer_list",
    "cuda/std/latch": "headers/cuda/std/latch",
    "cuda/std/limits": "headers/cuda/std/limits",
    "cuda/std/numeric": "headers/cuda/std/numeric",
    "cuda/std/optional": "headers/cuda/std/optional",
    "cuda/std/semaphore": "headers/cuda/std/semaphore",
    "cuda/std/span": "headers/cuda/std/span",
    "cuda/std/tuple": "headers/cuda/std/tuple",
    "cuda/std/type_traits": "headers/cuda/std/type_traits",
    "cuda/std/utility": "headers/cuda/std/utility",
    "cuda/std/version": "headers/cuda/std/version",
    "cuda/version": "headers/cuda/version",
    "cuda_awbarrier.h": "headers/cuda_awbarrier.h",
    "cuda_awbarrier_primitives.h": "headers/cuda_awbarrier_primitives.h",
    "cuda_bf16.h": "headers/cuda_bf16.h",
    "cuda_fp16.h": "headers/cuda_fp16.h",
    "cuda_fp8.h": "headers/cuda_fp8.h",
    "cuda_pipeline.h": "headers/cuda_pipeline.h",
    "cuda_pipeline_primitives.h": "headers/cuda_pipeline_primitives.h",
    "curand_kernel.h": "headers/curand_kernel.h",
    "gpurepl_atomics.h": "headers/gpurepl_atomics.h",
    "gpurepl_barriers.h": "headers/gpurepl_barriers.h",
    "gpurepl_bf16.h": "headers/gpurepl_bf16.h",
    "gpurepl_libcu.h": "headers/gpurepl_libcu.h",
    "gpurepl_threads.h": "headers/gpurepl_threads.h",
    "nv/target": "headers/nv/target",
    ;
    "pycuda-complex.hpp": crate::complex::COMPLEX_HEADER,
};

/// Headers for the host device alone: a toolkit, and NVRTC since CUDA 13.3, has NVIDIA's own.
pub const HOST_HEADERS: &[(&CStr, &CStr)] = headers! {
    "mma.h": "headers/mma.h",
    ;
};

/// The text of a header of [`HEADERS`] or [`HOST_HEADERS`].
pub(crate) fn text(name: &str) -> Option<&'static str> {
    let found = HEADERS.iter().chain(HOST_HEADERS).find(|(header, _)| header.to_bytes() == name.as_bytes());
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
        assert_eq!(text("stdio.h"), None);
        for (name, text) in HEADERS.iter().chain(HOST_HEADERS) {
            assert!(text.to_str().unwrap().contains("\n#define GPUREPL_"), "{name:?} has no guard");
        }
    }
}
