//! Reductions along an axis.
//!
//! A contiguous array is seen as `outer` by `length` by `inner` elements, of
//! which the middle ones become one. The length may be divided in parts, so
//! that few long sums use a whole GPU as well; a second run over the parts'
//! results combines them.

use crate::ops::ReduceOp;
use crate::program::Program;
use crate::reduction::{Groups, walk_in_groups};
use crate::support::pieces_for;

/// The most threads of a block of a reduction along an axis.
pub const AXIS_BLOCK: usize = 256;

impl Program {
    /// CUDA C that reduces this program's values along an axis: the kernels
    /// `gpurepl_axis_rows`, for an axis whose elements are neighbours (`inner`
    /// is 1), and `gpurepl_axis_columns`.
    ///
    /// Both take the inputs and scalars, the address of the results, `outer`,
    /// `length`, `inner` and the elements of a part; then, if anything is
    /// strided, lengths and strides, and the address for overflow as in
    /// [`Program::to_cuda`]. The result of part `p`, a block's `y`, for the
    /// `q`th of `outer * inner` results lies at `p * outer * inner + q`.
    ///
    /// A block adds up a row, its threads side by side, and then as a tree; its
    /// size is a power of two, [`AXIS_BLOCK`] at most. Of columns each thread
    /// has one, so that threads side by side read neighbours. Floats are added
    /// as in [`Program::to_cuda_reduction`].
    ///
    /// # Panics
    ///
    /// If the program's value is of half precision or its result is strided.
    pub fn to_cuda_axis_reduction(&self, op: ReduceOp) -> String {
        let parts = self.parts();
        let (ctype, value) = (parts.ctype, &parts.value);
        let (neutral, combine) = (op.neutral(self.dtype()), op.combine(self.dtype()));
        let is_float_sum = op == ReduceOp::Sum && (self.dtype().is_float() || self.dtype().is_complex());
        let accumulate = |step: &str| {
            walk_in_groups(&Groups {
                ctype,
                neutral: &neutral,
                steps: &parts.steps,
                value,
                from: "first",
                to: "end",
                step,
                number: "(o * length + gpurepl_at) * inner + j",
                is_float_sum,
                at_once: self.at_once(),
                indent: "    ",
            })
        };
        let text = format!(
            "static __device__ __forceinline__ {ctype} gpurepl_combine({ctype} a, {ctype} b) {{\n  return {combine};\n}}\n\
             extern \"C\" __global__ void __launch_bounds__({AXIS_BLOCK}) gpurepl_axis_rows({parameters})\n{{\n  \
               __shared__ {ctype} gpurepl_shared[{AXIS_BLOCK}];\n\
             {start}  \
               const unsigned long long part_start = (unsigned long long)blockIdx.y * part;\n  \
               const unsigned long long end = part_start + part < length ? part_start + part : length;\n  \
               for (unsigned long long q = blockIdx.x; q < outer; q += gridDim.x) {{\n    \
                 const unsigned long long o = q, j = 0, first = part_start + threadIdx.x;\n\
             {rows}    \
                 __syncthreads();\n    \
                 gpurepl_shared[threadIdx.x] = gpurepl_value;\n    \
                 __syncthreads();\n    \
                 for (unsigned int gpurepl_half = blockDim.x / 2; gpurepl_half > 0; gpurepl_half /= 2) {{\n      \
                   if (threadIdx.x < gpurepl_half)\n        \
                     gpurepl_shared[threadIdx.x] = gpurepl_combine(gpurepl_shared[threadIdx.x], gpurepl_shared[threadIdx.x + gpurepl_half]);\n      \
                   __syncthreads();\n    }}\n    \
                 if (threadIdx.x == 0) gpurepl_out[(unsigned long long)blockIdx.y * outer + q] = gpurepl_shared[0];\n  }}\n\
             {end}}}\n\
             extern \"C\" __global__ void __launch_bounds__({AXIS_BLOCK}) gpurepl_axis_columns({parameters})\n{{\n\
             {start}  \
               const unsigned long long first = (unsigned long long)blockIdx.y * part;\n  \
               const unsigned long long end = first + part < length ? first + part : length;\n  \
               for (unsigned long long q = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; q < outer * inner;\n       \
                    q += (unsigned long long)gridDim.x * blockDim.x) {{\n    \
                 const unsigned long long o = q / inner, j = q % inner;\n\
             {columns}    \
                 gpurepl_out[(unsigned long long)blockIdx.y * (outer * inner) + q] = gpurepl_value;\n  }}\n\
             {end}}}\n",
            parameters = parts.parameters("gpurepl_out", "outer, length, inner, part"),
            start = parts.start,
            end = parts.end,
            rows = accumulate("blockDim.x"),
            columns = accumulate("1"),
        );
        format!("{}{text}", pieces_for(&text))
    }
}
