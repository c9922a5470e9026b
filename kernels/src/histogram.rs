//! Histograms: how many of a program's values lie in each bin, in one pass.

use crate::support::pieces_for;
use crate::{DType, Program, View};

/// Threads of a block of [`Program::to_cuda_histogram`].
pub const HISTOGRAM_BLOCK: usize = 256;

/// The most bins that a block counts in its own memory.
pub const HISTOGRAM_BINS: usize = 2048;

/// Counters of a block: for fewer bins, groups of warps have counters of their
/// own, so that fewer threads wait for one another.
const COUNTERS: usize = 2 * HISTOGRAM_BINS;

/// Values that a thread has under way: counting one is an access to memory that
/// the next load must not pass.
const AT_ONCE: usize = 8;

impl Program {
    /// CUDA C that counts this program's values, of type `f64`, in bins: a kernel
    /// `gpurepl_histogram`.
    ///
    /// Its arguments: the inputs' addresses and the scalars; the address of the
    /// edges in ascending order, the number of bins, [`HISTOGRAM_BINS`] at most, and
    /// bins for each unit, zero if they differ in width; the address of the counts,
    /// to which it adds, and the number of values; then, if anything is strided,
    /// lengths and strides as in [`Program::to_cuda`].
    ///
    /// A bin has its lower edge, and the last one both; NaN has none. Bins of one
    /// width are found by a multiplication, whose rounding is mended by looking at
    /// the edges, as in NumPy.
    ///
    /// # Panics
    ///
    /// If the program's result is strided or of another type.
    pub fn to_cuda_histogram(&self) -> String {
        assert!(self.output == View::Contiguous && self.dtype() == DType::Float64);
        let mut steps = String::new();
        self.write_steps(&mut steps, "        ");
        let (parameters, walk) = (self.parameters(), self.walk_parameters());
        let last = self.instructions.len() - 1;
        let text = format!(
            "extern \"C\" __global__ void __launch_bounds__({HISTOGRAM_BLOCK}) gpurepl_histogram({parameters}\
             const double *gpurepl_edges, unsigned long long gpurepl_bins, double gpurepl_scale, \
             unsigned long long *gpurepl_out, unsigned long long n{walk})\n{{\n  \
               __shared__ double gpurepl_edge[{HISTOGRAM_BINS} + 1];\n  \
               __shared__ unsigned int gpurepl_counts[{COUNTERS}];\n  \
               const unsigned int bins = (unsigned int)gpurepl_bins;\n  \
               for (unsigned int k = threadIdx.x; k <= bins; k += {HISTOGRAM_BLOCK}) gpurepl_edge[k] = gpurepl_edges[k];\n  \
               for (unsigned int k = threadIdx.x; k < {COUNTERS}; k += {HISTOGRAM_BLOCK}) gpurepl_counts[k] = 0;\n  \
               __syncthreads();\n  \
               const unsigned int copies = {COUNTERS} / bins < {warps} ? {COUNTERS} / bins : {warps};\n  \
               unsigned int *const own = gpurepl_counts + threadIdx.x / 32 % copies * bins;\n  \
               const double first = gpurepl_edge[0], end = gpurepl_edge[bins];\n  \
               const unsigned long long step = (unsigned long long)gridDim.x * {HISTOGRAM_BLOCK};\n  \
               for (unsigned long long next = (unsigned long long)blockIdx.x * {HISTOGRAM_BLOCK} + threadIdx.x; next < n; next += {AT_ONCE} * step) {{\n    \
                 double values[{AT_ONCE}];\n    \
                 #pragma unroll\n    \
                 for (int k = 0; k < {AT_ONCE}; k++) {{\n      \
                   const unsigned long long i = next + k * step;\n      \
                   values[k] = __longlong_as_double(0x7ff8000000000000ll);\n      \
                   if (i < n) {{\n\
             {steps}        values[k] = v{last};\n      \
                   }}\n    \
                 }}\n    \
                 #pragma unroll\n    \
                 for (int k = 0; k < {AT_ONCE}; k++) {{\n      \
                   const double x = values[k];\n      \
                   if (!(x >= first && x <= end)) continue;\n      \
                   unsigned int bin = 0;\n      \
                   if (gpurepl_scale > 0) {{\n        \
                     bin = (unsigned int)((x - first) * gpurepl_scale);\n        \
                     if (bin >= bins) bin = bins - 1;\n        \
                     while (bin > 0 && x < gpurepl_edge[bin]) bin--;\n        \
                     while (bin + 1 < bins && x >= gpurepl_edge[bin + 1]) bin++;\n      \
                   }} else {{\n        \
                     unsigned int above = bins;\n        \
                     while (above - bin > 1) {{\n          \
                       const unsigned int middle = (bin + above) / 2;\n          \
                       if (x >= gpurepl_edge[middle]) bin = middle;\n          \
                       else above = middle;\n        \
                     }}\n      \
                   }}\n      \
                   atomicAdd(own + bin, 1u);\n    \
                 }}\n  \
               }}\n  \
               __syncthreads();\n  \
               for (unsigned int k = threadIdx.x; k < bins; k += {HISTOGRAM_BLOCK}) {{\n    \
                 unsigned long long count = 0;\n    \
                 for (unsigned int copy = 0; copy < copies; copy++) count += gpurepl_counts[copy * bins + k];\n    \
                 if (count != 0) atomicAdd(gpurepl_out + k, count);\n  \
               }}\n}}\n",
            warps = HISTOGRAM_BLOCK / 32,
        );
        format!("{}{text}", pieces_for(&text))
    }
}
