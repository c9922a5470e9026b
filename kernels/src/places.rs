//! The places of the elements of a mask that are true, or other elements there.
//!
//! The mask is divided into parts, one for each block. The first kernel counts
//! what is true in each part, the second adds the counts up, and the third
//! writes the places, those of a tile in order from shared memory: G. E. Blelloch, "Prefix Sums and Their Applications", 1990.
//! The host reads the total in between, because the result's length depends on it.

use crate::indexed::{self, preamble};

/// The most parts that a mask is divided into, which is the size of the one
/// block that adds up their counts.
pub const MOST_PARTS: usize = 1024;

/// The elements that a block takes at once: 16 for each of its threads.
pub const PLACES_TILE: usize = PLACES_BLOCK * 16;

/// The threads of a block.
pub const PLACES_BLOCK: usize = 256;

/// CUDA C for three kernels over a mask of bytes, whose address is a multiple
/// of 16.
///
/// `gpurepl_place_counts` takes its address, the number of elements, the elements
/// of a part, a multiple of [`PLACES_TILE`], and the address of the counts; its
/// grid is the parts. `gpurepl_place_starts`, one block of [`MOST_PARTS`]
/// threads, takes the address of the counts and how many there are; it replaces
/// each by the sum of those before it, and writes the total after the last.
/// `gpurepl_places` takes what the first takes, the starts in place of the counts,
/// the address of the results, and that of an array: its elements, of so many
/// bytes, are the results; without a size it is not read, and places are.
pub fn to_cuda(element: Option<usize>) -> String {
    let (preamble, e, value) = match element {
        None => ("", "long long", "(long long)(tile + found[k])"),
        Some(size) => (preamble(size), indexed::element(size), "array[tile + found[k]]"),
    };
    let warps = PLACES_BLOCK / 32;
    let start_warps = MOST_PARTS / 32;
    format!(
        "{preamble}static __device__ __forceinline__ unsigned int gpurepl_four(unsigned int bytes) {{\n  \
           const unsigned int any = (((bytes & 0x7f7f7f7fu) + 0x7f7f7f7fu) | bytes) & 0x80808080u;\n  \
           return ((any >> 7) * 0x10204080u) >> 28;\n}}\n\
         static __device__ __forceinline__ unsigned int gpurepl_bits(const unsigned char *mask, unsigned long long at, unsigned long long end) {{\n  \
           if (at >= end) return 0;\n  \
           if (at + 16 <= end) {{\n    \
             const uint4 words = *(const uint4 *)(mask + at);\n    \
             return gpurepl_four(words.x) | gpurepl_four(words.y) << 4 | gpurepl_four(words.z) << 8 | gpurepl_four(words.w) << 12;\n  }}\n  \
           unsigned int bits = 0;\n  \
           for (int k = 0; at + k < end; k++) bits |= (mask[at + k] != 0 ? 1u : 0u) << k;\n  \
           return bits;\n}}\n\
         template <class T> static __device__ __forceinline__ T gpurepl_up_to(T own) {{\n  \
           for (int step = 1; step < 32; step *= 2) {{\n    \
             const T before = __shfl_up_sync(0xffffffffu, own, step);\n    \
             if ((threadIdx.x & 31) >= step) own += before;\n  }}\n  \
           return own;\n}}\n\
         extern \"C\" __global__ void __launch_bounds__({PLACES_BLOCK}) gpurepl_place_counts(const unsigned char *mask, unsigned long long count, unsigned long long part, unsigned long long *counts)\n{{\n  \
           __shared__ unsigned long long sums[{warps}];\n  \
           const unsigned long long first = blockIdx.x * part, end = first + part < count ? first + part : count;\n  \
           unsigned long long own = 0;\n  \
           for (unsigned long long at = first + threadIdx.x * 16; at < end; at += {PLACES_TILE})\n    \
             own += __popc(gpurepl_bits(mask, at, end));\n  \
           own = gpurepl_up_to(own);\n  \
           if ((threadIdx.x & 31) == 31) sums[threadIdx.x / 32] = own;\n  \
           __syncthreads();\n  \
           if (threadIdx.x == 0) {{\n    \
             unsigned long long total = 0;\n    \
             for (int k = 0; k < {warps}; k++) total += sums[k];\n    \
             counts[blockIdx.x] = total;\n  }}\n}}\n\
         extern \"C\" __global__ void __launch_bounds__({MOST_PARTS}) gpurepl_place_starts(unsigned long long *counts, unsigned long long parts)\n{{\n  \
           __shared__ unsigned long long sums[{start_warps}];\n  \
           const unsigned long long own = threadIdx.x < parts ? counts[threadIdx.x] : 0;\n  \
           const unsigned long long with_own = gpurepl_up_to(own);\n  \
           if ((threadIdx.x & 31) == 31) sums[threadIdx.x / 32] = with_own;\n  \
           __syncthreads();\n  \
           unsigned long long before = 0, total = 0;\n  \
           for (unsigned int k = 0; k < {start_warps}; k++) {{\n    \
             if (k < threadIdx.x / 32) before += sums[k];\n    \
             total += sums[k];\n  }}\n  \
           if (threadIdx.x < parts) counts[threadIdx.x] = before + with_own - own;\n  \
           if (threadIdx.x == 0) counts[parts] = total;\n}}\n\
         extern \"C\" __global__ void __launch_bounds__({PLACES_BLOCK}) gpurepl_places(const unsigned char *mask, unsigned long long count, unsigned long long part, const unsigned long long *starts, {e} *out, const {e} *array)\n{{\n  \
           __shared__ unsigned int sums[{warps}];\n  \
           __shared__ unsigned short found[{PLACES_TILE}];\n  \
           const unsigned long long first = blockIdx.x * part, end = first + part < count ? first + part : count;\n  \
           unsigned long long start = starts[blockIdx.x];\n  \
           const unsigned long long limit = starts[blockIdx.x + 1];\n  \
           for (unsigned long long tile = first; tile < end; tile += {PLACES_TILE}) {{\n    \
             const unsigned long long at = tile + threadIdx.x * 16;\n    \
             unsigned int bits = gpurepl_bits(mask, at, end);\n    \
             const unsigned int own = __popc(bits), with_own = gpurepl_up_to(own);\n    \
             if ((threadIdx.x & 31) == 31) sums[threadIdx.x / 32] = with_own;\n    \
             __syncthreads();\n    \
             unsigned int before = 0, total = 0;\n    \
             for (unsigned int k = 0; k < {warps}; k++) {{\n      \
               if (k < threadIdx.x / 32) before += sums[k];\n      \
               total += sums[k];\n    }}\n    \
             unsigned int to = before + with_own - own;\n    \
             for (; bits; bits &= bits - 1) found[to++] = (unsigned short)(threadIdx.x * 16 + __ffs(bits) - 1);\n    \
             __syncthreads();\n    \
             for (unsigned int k = threadIdx.x; k < total && start + k < limit; k += {PLACES_BLOCK})\n      \
               out[start + k] = {value};\n    \
             start += total;\n  }}\n}}\n"
    )
}
