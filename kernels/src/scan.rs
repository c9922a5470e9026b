//! Running sums along an axis, in up to three kernels.
//!
//! A contiguous array is seen as `outer` by `length` by `inner` elements, of
//! which the middle ones are summed up. Where they are neighbours, a block scans
//! a tile of them (G. E. Blelloch, "Prefix Sums and Their Applications", 1990);
//! where they are not, a thread has a column and goes down a part of it. If
//! there are several tiles or parts, their sums are computed first, and scanned.

use crate::ops::ReduceOp;
use crate::program::Program;
use crate::support::pieces_for;

/// The threads of a block of a scan.
pub const SCAN_BLOCK: usize = 256;

/// The elements of a tile: eight for each thread.
pub const SCAN_TILE: usize = SCAN_BLOCK * PER_THREAD;

const PER_THREAD: usize = 8;

impl Program {
    /// CUDA C for running sums of this program's values along an axis:
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
    /// it the address of the sums, or zero where a scan has one part. A part
    /// of a row is a tile. The part is a block's `x` for rows, whose `y` is the row,
    /// and its `y` for columns.
    ///
    /// # Panics
    ///
    /// If the program's value is of half precision or its result is strided.
    pub fn to_cuda_scan(&self) -> String {
        let parts = self.parts();
        let unchecked = self.parts_without_checks();
        let (ctype, value, steps) = (parts.ctype, &parts.value, &parts.steps);
        let (sum_steps, sum_value) = (&unchecked.steps, &unchecked.value);
        let zero = format!("({ctype})(0)");
        let zero = if self.dtype().is_complex() { format!("{ctype}(0, 0)") } else { zero };
        let at = "const unsigned long long i = (o * length + k) * inner + j;";
        let add = ReduceOp::Sum.combine(self.dtype());
        let part = "  const unsigned long long first = (unsigned long long)blockIdx.y * part;\n  \
                    const unsigned long long end = first + part < length ? first + part : length;\n";
        let row_part = part.replace("blockIdx.y", "blockIdx.x");
        let text = format!(
            "static __device__ __forceinline__ {ctype} gpurepl_add({ctype} a, {ctype} b) {{\n  return {add};\n}}\n\
             extern \"C\" __global__ void __launch_bounds__({SCAN_BLOCK}) gpurepl_scan_sums({sum_parameters})\n{{\n  \
               __shared__ {ctype} gpurepl_shared[{SCAN_BLOCK}];\n\
             {row_part}  \
               for (unsigned long long q = blockIdx.y; q < outer; q += gridDim.y) {{\n    \
                 const unsigned long long o = q, j = 0;\n    \
                 {ctype} gpurepl_sum = {zero};\n    \
                 for (unsigned long long k = first + threadIdx.x; k < end; k += {SCAN_BLOCK}) {{\n      \
                   {at}\n{sum_steps}      gpurepl_sum = gpurepl_add(gpurepl_sum, {sum_value});\n    }}\n    \
                 __syncthreads();\n    \
                 gpurepl_shared[threadIdx.x] = gpurepl_sum;\n    \
                 __syncthreads();\n    \
                 for (unsigned int gpurepl_half = {SCAN_BLOCK} / 2; gpurepl_half > 0; gpurepl_half /= 2) {{\n      \
                   if (threadIdx.x < gpurepl_half)\n        \
                     gpurepl_shared[threadIdx.x] = gpurepl_add(gpurepl_shared[threadIdx.x], gpurepl_shared[threadIdx.x + gpurepl_half]);\n      \
                   __syncthreads();\n    }}\n    \
                 if (threadIdx.x == 0) gpurepl_out[blockIdx.x * (unsigned long long)outer + q] = gpurepl_shared[0];\n  }}\n}}\n\
             extern \"C\" __global__ void __launch_bounds__({SCAN_BLOCK}) gpurepl_scan_column_sums({sum_parameters})\n{{\n\
             {part}  \
               for (unsigned long long q = (unsigned long long)blockIdx.x * {SCAN_BLOCK} + threadIdx.x; q < outer * inner;\n       \
                    q += (unsigned long long)gridDim.x * {SCAN_BLOCK}) {{\n    \
                 const unsigned long long o = q / inner, j = q % inner;\n    \
                 {ctype} gpurepl_sum = {zero};\n    \
                 for (unsigned long long k = first; k < end; k++) {{\n      \
                   {at}\n{sum_steps}      gpurepl_sum = gpurepl_add(gpurepl_sum, {sum_value});\n    }}\n    \
                 gpurepl_out[blockIdx.y * (outer * inner) + q] = gpurepl_sum;\n  }}\n}}\n\
             extern \"C\" __global__ void __launch_bounds__({SCAN_BLOCK}) gpurepl_scan_parts({ctype} *gpurepl_sums, unsigned long long scans, unsigned long long parts)\n{{\n  \
               __shared__ {ctype} gpurepl_shared[{SCAN_BLOCK}];\n  \
               for (unsigned long long q = blockIdx.x; q < scans; q += gridDim.x) {{\n    \
                 {ctype} gpurepl_before = {zero};\n    \
                 for (unsigned long long base = 0; base < parts; base += {SCAN_BLOCK}) {{\n      \
                   const unsigned long long p = base + threadIdx.x;\n      \
                   const {ctype} gpurepl_own = p < parts ? gpurepl_sums[p * scans + q] : {zero};\n\
             {scan_block}      \
                   if (p < parts) gpurepl_sums[p * scans + q] = threadIdx.x ? gpurepl_add(gpurepl_before, gpurepl_shared[threadIdx.x - 1]) : gpurepl_before;\n      \
                   gpurepl_before = gpurepl_add(gpurepl_before, gpurepl_shared[{SCAN_BLOCK} - 1]);\n    }}\n  }}\n}}\n\
             extern \"C\" __global__ void __launch_bounds__({SCAN_BLOCK}) gpurepl_scan_rows({parameters})\n{{\n  \
               __shared__ {ctype} gpurepl_shared[{SCAN_BLOCK}];\n  \
               __shared__ {ctype} gpurepl_tile[{SCAN_TILE}];\n\
             {start}{row_part}  \
               for (unsigned long long q = blockIdx.y; q < outer; q += gridDim.y) {{\n    \
                 const unsigned long long o = q, j = 0;\n    \
                 __syncthreads();\n    \
                 for (unsigned int t = threadIdx.x; t < {SCAN_TILE}; t += {SCAN_BLOCK}) {{\n      \
                   const unsigned long long k = first + t;\n      \
                   gpurepl_tile[t] = {zero};\n      \
                   if (k < end) {{\n        \
                   {at}\n{steps}        gpurepl_tile[t] = {value};\n      }}\n    }}\n    \
                 __syncthreads();\n    \
                 {ctype} gpurepl_own = gpurepl_tile[threadIdx.x * {PER_THREAD}];\n    \
                 for (int t = 1; t < {PER_THREAD}; t++)\n      \
                   gpurepl_own = gpurepl_add(gpurepl_own, gpurepl_tile[threadIdx.x * {PER_THREAD} + t]);\n\
             {scan_block}    \
                 {ctype} gpurepl_sum = gpurepl_sums ? gpurepl_sums[blockIdx.x * (unsigned long long)outer + q] : {zero};\n    \
                 if (threadIdx.x) gpurepl_sum = gpurepl_add(gpurepl_sum, gpurepl_shared[threadIdx.x - 1]);\n    \
                 for (int t = 0; t < {PER_THREAD}; t++) {{\n      \
                   gpurepl_sum = gpurepl_add(gpurepl_sum, gpurepl_tile[threadIdx.x * {PER_THREAD} + t]);\n      \
                   gpurepl_tile[threadIdx.x * {PER_THREAD} + t] = gpurepl_sum;\n    }}\n    \
                 __syncthreads();\n    \
                 for (unsigned int t = threadIdx.x; t < {SCAN_TILE} && first + t < end; t += {SCAN_BLOCK})\n      \
                   gpurepl_out[q * length + first + t] = gpurepl_tile[t];\n  }}\n\
             {end}}}\n\
             extern \"C\" __global__ void __launch_bounds__({SCAN_BLOCK}) gpurepl_scan_columns({parameters})\n{{\n\
             {start}{part}  \
               for (unsigned long long q = (unsigned long long)blockIdx.x * {SCAN_BLOCK} + threadIdx.x; q < outer * inner;\n       \
                    q += (unsigned long long)gridDim.x * {SCAN_BLOCK}) {{\n    \
                 const unsigned long long o = q / inner, j = q % inner;\n    \
                 {ctype} gpurepl_sum = gpurepl_sums ? gpurepl_sums[blockIdx.y * (outer * inner) + q] : {zero};\n    \
                 for (unsigned long long k = first; k < end; k++) {{\n      \
                   {at}\n{steps}      gpurepl_sum = gpurepl_add(gpurepl_sum, {value});\n      gpurepl_out[i] = gpurepl_sum;\n    }}\n  }}\n\
             {end}}}\n",
            sum_parameters = parts.parameters("gpurepl_out", "outer, length, inner, part"),
            parameters = parts.parameters_with(
                &format!("const {ctype} *gpurepl_sums, "),
                "gpurepl_out",
                "outer, length, inner, part"
            ),
            start = parts.start,
            end = parts.end,
            scan_block = scan_block(ctype),
        );
        format!("{}{text}", pieces_for(&text))
    }
}

/// The sums of `gpurepl_own` up to each thread of the block, in
/// `gpurepl_shared`: in steps that double (W. D. Hillis and G. L. Steele,
/// "Data Parallel Algorithms", 1986).
fn scan_block(ctype: &str) -> String {
    format!(
        "    __syncthreads();\n    \
           gpurepl_shared[threadIdx.x] = gpurepl_own;\n    \
           __syncthreads();\n    \
           for (unsigned int gpurepl_step = 1; gpurepl_step < {SCAN_BLOCK}; gpurepl_step *= 2) {{\n      \
             {ctype} gpurepl_sum = gpurepl_shared[threadIdx.x];\n      \
             if (threadIdx.x >= gpurepl_step) gpurepl_sum = gpurepl_add(gpurepl_shared[threadIdx.x - gpurepl_step], gpurepl_sum);\n      \
             __syncthreads();\n      \
             gpurepl_shared[threadIdx.x] = gpurepl_sum;\n      \
             __syncthreads();\n    }}\n"
    )
}
