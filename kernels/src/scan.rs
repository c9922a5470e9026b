//! Running sums, products and extremes along an axis, in up to three kernels.
//!
//! A contiguous array is seen as `outer` by `length` by `inner` elements, of
//! which the middle ones are combined in turn. Where they are neighbours, a block
//! goes through a part of a row by tiles, which it scans (G. E. Blelloch, "Prefix
//! Sums and Their Applications", 1990); where they are not, a thread has a column
//! and goes down a part of it. If there are several parts, their sums are computed
//! first, and scanned. Long rows are read once where all blocks can run at once:
//! see `resident.rs`.

use crate::DType;
use crate::ops::ReduceOp;
use crate::program::Program;
use crate::reduction::{Groups, walk_in_groups};
use crate::support::pieces_for;

/// The threads of a block of a scan.
pub const SCAN_BLOCK: usize = 256;

/// The most threads of the block that scans the sums of parts.
pub const SCAN_PARTS_BLOCK: usize = 1024;

/// The sums of parts that a thread scans by itself.
pub const SCAN_PARTS_EACH: usize = 8;

/// The elements of a tile: 64 bytes for each thread.
pub fn scan_tile(dtype: DType) -> usize {
    SCAN_BLOCK * per_thread(dtype)
}

fn per_thread(dtype: DType) -> usize {
    64 / dtype.size().max(4)
}

impl Program {
    /// CUDA C for the running results of `op`, which is not `Any` or `All`, of
    /// this program's values along an axis; they are called sums below. It has
    /// the kernels `gpurepl_scan_sums`, `gpurepl_scan_parts` and
    /// `gpurepl_scan_rows` for an axis whose elements are neighbours (`inner`
    /// is 1), `gpurepl_scan_column_sums` and `gpurepl_scan_columns` for others.
    ///
    /// Those of sums take the inputs and scalars, the address of the sums,
    /// `outer`, `length`, `inner`, the elements of a part, and lengths, strides
    /// and the address for overflow as in [`Program::to_cuda`]. The sum of part
    /// `p` of the `q`th of `outer * inner` scans lies at `p * outer * inner + q`.
    /// `gpurepl_scan_parts` replaces sums by what comes before each part: it
    /// takes their address, the number of scans, and that of parts. The others
    /// take what those of sums take, with the address of the result, and before
    /// it the address of the sums, or zero where a scan has one part. A part of a
    /// row is some tiles: see [`scan_tile`]. The part is a block's `x` for rows,
    /// whose `y` is the row, and its `y` for columns. `gpurepl_scan_parts` takes a
    /// power of two of threads, 32 at least and [`SCAN_PARTS_BLOCK`] at most.
    ///
    /// # Panics
    ///
    /// If the program's value is of half precision or its result is strided.
    pub fn to_cuda_scan(&self, op: ReduceOp) -> String {
        let parts = self.parts();
        let unchecked = self.parts_without_checks();
        let (ctype, value, steps) = (parts.ctype, &parts.value, &parts.steps);
        let (sum_steps, sum_value) = (&unchecked.steps, &unchecked.value);
        // What changes nothing: zero for sums.
        let zero = op.neutral(self.dtype());
        let at = "const unsigned long long i = (o * length + k) * inner + j;";
        let add = op.combine(self.dtype());
        let part = "  const unsigned long long first = (unsigned long long)blockIdx.y * part;\n  \
                    const unsigned long long end = first + part < length ? first + part : length;\n";
        let row_part = part.replace("blockIdx.y", "blockIdx.x");
        let sums = |from, step| {
            walk_in_groups(&Groups {
                ctype,
                neutral: &zero,
                steps: sum_steps,
                value: sum_value,
                from,
                to: "end",
                step,
                number: "(o * length + gpurepl_at) * inner + j",
                is_float_sum: false,
                at_once: self.at_once(),
                indent: "    ",
            })
        };
        let each = per_thread(self.dtype());
        let tile = SCAN_BLOCK * each;
        let text = format!(
            "{SHUFFLE}static __device__ __forceinline__ {ctype} gpurepl_combine({ctype} a, {ctype} b) {{\n  return {add};\n}}\n\
             {scan_block}\
             extern \"C\" __global__ void __launch_bounds__({SCAN_BLOCK}) gpurepl_scan_sums({sum_parameters})\n{{\n  \
               __shared__ {ctype} gpurepl_shared[32];\n\
             {row_part}  \
               for (unsigned long long q = blockIdx.y; q < outer; q += gridDim.y) {{\n    \
                 const unsigned long long o = q, j = 0;\n\
             {row_sums}    \
                 {ctype} gpurepl_total;\n    \
                 gpurepl_before_thread(gpurepl_value, gpurepl_shared, gpurepl_total);\n    \
                 if (threadIdx.x == 0) gpurepl_out[blockIdx.x * outer + q] = gpurepl_total;\n  }}\n}}\n\
             extern \"C\" __global__ void __launch_bounds__({SCAN_BLOCK}) gpurepl_scan_column_sums({sum_parameters})\n{{\n\
             {part}  \
               for (unsigned long long q = (unsigned long long)blockIdx.x * {SCAN_BLOCK} + threadIdx.x; q < outer * inner;\n       \
                    q += (unsigned long long)gridDim.x * {SCAN_BLOCK}) {{\n    \
                 const unsigned long long o = q / inner, j = q % inner;\n\
             {column_sums}    \
                 gpurepl_out[blockIdx.y * (outer * inner) + q] = gpurepl_value;\n  }}\n}}\n\
             extern \"C\" __global__ void __launch_bounds__({SCAN_PARTS_BLOCK}) gpurepl_scan_parts({ctype} *gpurepl_sums, unsigned long long scans, unsigned long long parts)\n{{\n  \
               __shared__ {ctype} gpurepl_shared[32];\n  \
               for (unsigned long long q = blockIdx.x; q < scans; q += gridDim.x) {{\n    \
                 {ctype} gpurepl_before = {zero};\n    \
                 for (unsigned long long base = 0; base < parts; base += {SCAN_PARTS_EACH} * blockDim.x) {{\n      \
                   const unsigned long long p = base + {SCAN_PARTS_EACH} * threadIdx.x;\n      \
                   {ctype} gpurepl_own[{SCAN_PARTS_EACH}], gpurepl_value = {zero}, gpurepl_total;\n      \
                   #pragma unroll\n      \
                   for (int t = 0; t < {SCAN_PARTS_EACH}; t++)\n        \
                     gpurepl_own[t] = p + t < parts ? gpurepl_sums[(p + t) * scans + q] : {zero};\n      \
                   #pragma unroll\n      \
                   for (int t = 0; t < {SCAN_PARTS_EACH}; t++)\n        \
                     gpurepl_value = gpurepl_combine(gpurepl_value, gpurepl_own[t]);\n      \
                   {ctype} gpurepl_sum = gpurepl_combine(gpurepl_before, gpurepl_before_thread(gpurepl_value, gpurepl_shared, gpurepl_total));\n      \
                   #pragma unroll\n      \
                   for (int t = 0; t < {SCAN_PARTS_EACH}; t++) {{\n        \
                     if (p + t < parts) gpurepl_sums[(p + t) * scans + q] = gpurepl_sum;\n        \
                     gpurepl_sum = gpurepl_combine(gpurepl_sum, gpurepl_own[t]);\n      }}\n      \
                   gpurepl_before = gpurepl_combine(gpurepl_before, gpurepl_total);\n    }}\n  }}\n}}\n\
             extern \"C\" __global__ void __launch_bounds__({SCAN_BLOCK}) gpurepl_scan_rows({parameters})\n{{\n  \
               __shared__ {ctype} gpurepl_shared[32];\n  \
               __shared__ {ctype} gpurepl_tile[{tile} + {tile} / 32];\n\
             {start}{row_part}  \
               for (unsigned long long q = blockIdx.y; q < outer; q += gridDim.y) {{\n    \
                 const unsigned long long o = q, j = 0;\n    \
                 {ctype} gpurepl_before = gpurepl_sums ? gpurepl_sums[blockIdx.x * outer + q] : {zero};\n    \
                 for (unsigned long long base = first; base < end; base += {tile}) {{\n      \
                   const unsigned int count = end - base < {tile} ? (unsigned int)(end - base) : {tile};\n      \
                   {ctype} gpurepl_own[{each}];\n      \
                   #pragma unroll\n      \
                   for (int t = 0; t < {each}; t++) {{\n        \
                     const unsigned int gpurepl_at = t * {SCAN_BLOCK} + threadIdx.x;\n        \
                     const unsigned long long k = base + min(gpurepl_at, count - 1);\n        \
                     {at}\n{steps}        \
                     gpurepl_own[t] = gpurepl_at < count ? {value} : {zero};\n      }}\n      \
                   #pragma unroll\n      \
                   for (int t = 0; t < {each}; t++) {{\n        \
                     const unsigned int gpurepl_at = t * {SCAN_BLOCK} + threadIdx.x;\n        \
                     gpurepl_tile[gpurepl_at + gpurepl_at / 32] = gpurepl_own[t];\n      }}\n      \
                   __syncthreads();\n      \
                   {ctype} gpurepl_value = {zero}, gpurepl_total;\n      \
                   #pragma unroll\n      \
                   for (int t = 0; t < {each}; t++) {{\n        \
                     const unsigned int gpurepl_at = threadIdx.x * {each} + t;\n        \
                     gpurepl_value = t ? gpurepl_combine(gpurepl_value, gpurepl_tile[gpurepl_at + gpurepl_at / 32]) : gpurepl_tile[gpurepl_at + gpurepl_at / 32];\n        \
                     gpurepl_own[t] = gpurepl_value;\n      }}\n      \
                   const {ctype} gpurepl_sum = gpurepl_combine(gpurepl_before, gpurepl_before_thread(gpurepl_value, gpurepl_shared, gpurepl_total));\n      \
                   #pragma unroll\n      \
                   for (int t = 0; t < {each}; t++) {{\n        \
                     const unsigned int gpurepl_at = threadIdx.x * {each} + t;\n        \
                     gpurepl_tile[gpurepl_at + gpurepl_at / 32] = gpurepl_combine(gpurepl_sum, gpurepl_own[t]);\n      }}\n      \
                   __syncthreads();\n      \
                   #pragma unroll\n      \
                   for (int t = 0; t < {each}; t++) {{\n        \
                     const unsigned int gpurepl_at = t * {SCAN_BLOCK} + threadIdx.x;\n        \
                     if (gpurepl_at < count) gpurepl_out[q * length + base + gpurepl_at] = gpurepl_tile[gpurepl_at + gpurepl_at / 32];\n      }}\n      \
                   gpurepl_before = gpurepl_combine(gpurepl_before, gpurepl_total);\n      \
                   __syncthreads();\n    }}\n  }}\n\
             {end}}}\n\
             extern \"C\" __global__ void __launch_bounds__({SCAN_BLOCK}) gpurepl_scan_columns({parameters})\n{{\n\
             {start}{part}  \
               for (unsigned long long q = (unsigned long long)blockIdx.x * {SCAN_BLOCK} + threadIdx.x; q < outer * inner;\n       \
                    q += (unsigned long long)gridDim.x * {SCAN_BLOCK}) {{\n    \
                 const unsigned long long o = q / inner, j = q % inner;\n    \
                 {ctype} gpurepl_sum = gpurepl_sums ? gpurepl_sums[blockIdx.y * (outer * inner) + q] : {zero};\n    \
                 for (unsigned long long base = first; base < end; base += {AHEAD}) {{\n      \
                   {ctype} gpurepl_own[{AHEAD}];\n      \
                   #pragma unroll\n      \
                   for (int t = 0; t < {AHEAD}; t++) {{\n        \
                     const unsigned long long k = base + t < end ? base + t : end - 1;\n        \
                     {at}\n{steps}        \
                     gpurepl_own[t] = {value};\n      }}\n      \
                   #pragma unroll\n      \
                   for (int t = 0; t < {AHEAD}; t++) {{\n        \
                     gpurepl_sum = gpurepl_combine(gpurepl_sum, gpurepl_own[t]);\n        \
                     if (base + t < end) gpurepl_out[(o * length + base + t) * inner + j] = gpurepl_sum;\n      }}\n    }}\n  }}\n\
             {end}}}\n",
            row_sums = sums("first + threadIdx.x", &SCAN_BLOCK.to_string()),
            column_sums = sums("first", "1"),
            sum_parameters = parts.parameters("gpurepl_out", "outer, length, inner, part"),
            parameters = parts.parameters_with(
                &format!("const {ctype} *gpurepl_sums, "),
                "gpurepl_out",
                "outer, length, inner, part"
            ),
            start = parts.start,
            end = parts.end,
            scan_block = scan_block(ctype, &zero),
        );
        format!("{}{text}", pieces_for(&text))
    }
}

/// Elements of a column that a thread loads before it stores the first sum.
const AHEAD: usize = 4;

/// What a lane some places below holds, of a type of any size.
const SHUFFLE: &str = "\
template <class T> static __device__ __forceinline__ T gpurepl_shuffle_up(T value, unsigned int places) {
  if constexpr (sizeof(T) < 4) {
    return (T)__shfl_up_sync(0xffffffffu, (int)value, places);
  } else {
    T moved = value;
    #pragma unroll
    for (int word = 0; word < sizeof(T) / 4; word++)
      ((unsigned int *)&moved)[word] = __shfl_up_sync(0xffffffffu, ((unsigned int *)&value)[word], places);
    return moved;
  }
}
";

/// A function of all threads of a block, of 32 at least: what the threads before
/// each one hold, combined, and in `total` what all hold.
fn scan_block(ctype: &str, zero: &str) -> String {
    format!(
        "static __device__ __forceinline__ {ctype} gpurepl_before_thread({ctype} value, {ctype} *warps, {ctype} &total) {{\n  \
           const unsigned int lane = threadIdx.x % 32, warp = threadIdx.x / 32;\n  \
           {ctype} up_to = value;\n  \
           #pragma unroll\n  \
           for (unsigned int places = 1; places < 32; places *= 2) {{\n    \
             const {ctype} below = gpurepl_shuffle_up(up_to, places);\n    \
             if (lane >= places) up_to = gpurepl_combine(below, up_to);\n  }}\n  \
           if (lane == 31) warps[warp] = up_to;\n  \
           const {ctype} below = gpurepl_shuffle_up(up_to, 1);\n  \
           __syncthreads();\n  \
           {ctype} before = {zero};\n  \
           total = {zero};\n  \
           for (unsigned int other = 0; other < blockDim.x / 32; other++) {{\n    \
             if (other == warp) before = total;\n    \
             total = gpurepl_combine(total, warps[other]);\n  }}\n  \
           __syncthreads();\n  \
           return lane ? gpurepl_combine(before, below) : before;\n}}\n"
    )
}
