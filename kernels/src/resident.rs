//! Running results of long rows by blocks that all run at once: each element is
//! read once.
//!
//! In a round every block has a tile, publishes what it adds up to, and waits for
//! what the others publish. Each number travels in words that say which round they
//! belong to, so that a word that has arrived is whole and no fence is needed. The
//! blocks' numbers are combined in their order, which makes sums of floats the same
//! each time; those of D. Merrill and M. Garland ("Single-pass Parallel Prefix Scan
//! with Decoupled Look-back", 2016) depend on which block is faster. While the words
//! travel, a block scans its next tile: without that the rounds take half as long
//! again. On an NVIDIA H200 2^28 floats take 1.2 times the time of a copy, and CUB's
//! scan 1.35 times.

use std::fmt::Write as _;

use crate::DType;
use crate::ops::ReduceOp;
use crate::program::{Operand, Program, View, loaded, storage};
use crate::support::pieces_for;

/// The function that a kernel calls.
pub(crate) const RESIDENT: &str = include_str!("resident.hpp");

/// What blocks publish is zero before the first round.
pub(crate) const CLEAR: &str = "\
extern \"C\" __global__ void gpurepl_clear(unsigned long long *slots, unsigned long long count)
{
  const unsigned long long k = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (k < count) slots[k] = 0;
}
";

/// Bytes of what blocks publish, for each block and 4 bytes of a value.
pub const RESIDENT_SLOT: usize = 4 * 8;

/// The blocks of a multiprocessor.
pub const RESIDENT_BLOCKS: usize = 2;

/// How a value's bytes are divided among a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResidentTile {
    /// The threads of a block, which has no fewer than the grid has blocks.
    pub threads: usize,
    /// Rows of a warp, each of 32 times `count` elements.
    pub rows: usize,
    /// Elements of a lane that lie beside each other.
    pub count: usize,
}

impl ResidentTile {
    /// For values of so many bytes: what was fastest on an H200 of 4 and of 8 bytes. Larger
    /// ones have about as many bytes under way, and were not compared.
    pub const fn of(bytes: usize) -> ResidentTile {
        match bytes {
            0..=4 => ResidentTile { threads: 320, rows: 6, count: 4 },
            5..=8 => ResidentTile { threads: 384, rows: 5, count: 2 },
            9..=16 => ResidentTile { threads: 320, rows: 4, count: 1 },
            _ => ResidentTile { threads: 320, rows: 2, count: 1 },
        }
    }

    /// The elements of a block in a round.
    pub const fn size(self) -> usize {
        self.threads * self.rows * self.count
    }
}

/// What an element is on its way: a kernel of the user may have left any bits in a bool.
fn held(dtype: DType) -> &'static str {
    if dtype == DType::Bool { "unsigned char" } else { storage(dtype) }
}

impl Program {
    /// CUDA C for the running results of `op` along rows that are long, as
    /// [`Program::to_cuda_scan`] has them: the kernels `gpurepl_clear`, which takes the
    /// address of what blocks publish and how many words of 8 bytes it has, and
    /// `gpurepl_scan_resident`.
    ///
    /// This takes the inputs and scalars, the address of what blocks publish
    /// ([`RESIDENT_SLOT`] zero bytes for each block and four bytes of a value), the
    /// address of the result, the numbers of rows and of elements of a row, and
    /// lengths, strides and the address for overflow as in [`Program::to_cuda`]. All
    /// blocks must run at once; they are of [`ResidentTile::threads`] threads.
    ///
    /// # Panics
    ///
    /// If the program's value is of half precision or its result is strided.
    pub fn to_cuda_resident_scan(&self, op: ReduceOp) -> String {
        let parts = self.parts();
        let dtype = self.dtype();
        let ResidentTile { threads, rows, count } = ResidentTile::of(dtype.size());
        let (ctype, zero, add) = (parts.ctype, op.neutral(dtype), op.combine(dtype));
        let is_loaded = |view: View| view == View::Contiguous;
        let mut fetch = String::new();
        for (k, (dtype, view)) in self.inputs.iter().enumerate() {
            if is_loaded(*view) {
                let _ = writeln!(fetch, "    {} x{k}[{count}];", held(*dtype));
            }
        }
        let _ = writeln!(fetch, "    if (whole) {{");
        for (k, (dtype, view)) in self.inputs.iter().enumerate() {
            if is_loaded(*view) {
                let pack = format!("gpurepl_pack<{}, {count}>", held(*dtype));
                let _ = writeln!(
                    fetch,
                    "      const {pack} p{k} = *(const {pack} *)(in{k} + o * length + k);\n      \
                     for (int j = 0; j < {count}; j++) x{k}[j] = p{k}.at[j];"
                );
            }
        }
        let _ = writeln!(fetch, "    }} else {{\n      for (int j = 0; j < {count}; j++) {{");
        let number =
            "const unsigned long long i = o * length + (whole || k + j < length ? k + j : length - 1);";
        if self.inputs.iter().any(|(_, view)| is_loaded(*view)) {
            let _ = writeln!(fetch, "        {number}");
        }
        for (k, (dtype, view)) in self.inputs.iter().enumerate() {
            if is_loaded(*view) {
                let _ = writeln!(fetch, "        x{k}[j] = ((const {} *)in{k})[i];", held(*dtype));
            }
        }
        let _ = writeln!(fetch, "      }}\n    }}\n    for (int j = 0; j < {count}; j++) {{");
        if self.is_strided() || self.instructions.iter().any(|step| step.operand == Operand::Index) {
            let _ = writeln!(fetch, "      {number}");
        }
        self.write_offsets(&mut fetch, "      ");
        self.write_values(&mut fetch, "      ", &|k| {
            let (dtype, view) = self.inputs[k];
            let place = match view {
                View::Contiguous => return loaded(dtype, &format!("x{k}[j]")),
                View::Single => "0".to_owned(),
                View::Strided => format!("in{k}_offset"),
            };
            loaded(dtype, &format!("in{k}[{place}]"))
        });
        let _ =
            writeln!(fetch, "      values[j] = whole || k + j < length ? {} : {zero};\n    }}", parts.value);
        let mut addresses = "(unsigned long long)gpurepl_out".to_owned();
        for (k, _) in self.inputs.iter().enumerate().filter(|(_, (_, view))| is_loaded(*view)) {
            let _ = write!(addresses, " | (unsigned long long)in{k}");
        }
        let text = format!(
            "static __device__ __forceinline__ {ctype} gpurepl_combine({ctype} a, {ctype} b) {{\n  return {add};\n}}\n\
             {RESIDENT}{CLEAR}\
             extern \"C\" __global__ void __launch_bounds__({threads}, {RESIDENT_BLOCKS}) gpurepl_scan_resident({parameters})\n{{\n\
             {start}  \
               const bool is_aligned = ({addresses}) % 16 == 0 && (outer == 1 || length % {count} == 0);\n  \
               auto fetch = [&](unsigned long long o, unsigned long long k, {ctype} *values, unsigned int &, bool whole) {{\n{fetch}  }};\n  \
               auto emit = [&](unsigned long long o, unsigned long long k, const {ctype} *values, {ctype}, unsigned int, bool whole) {{\n    \
                 if (whole) {{\n      \
                   *(gpurepl_pack<{ctype}, {count}> *)(gpurepl_out + o * length + k) = *(const gpurepl_pack<{ctype}, {count}> *)values;\n    \
                 }} else {{\n      \
                   for (int j = 0; j < {count}; j++)\n        \
                     if (k + j < length) gpurepl_out[o * length + k + j] = values[j];\n    }}\n  }};\n  \
               const {ctype} neutral = {zero};\n  \
               gpurepl_in_rounds<{ctype}, {threads}, {rows}, {count}, false>(outer, length, gpurepl_slots, neutral, ({ctype} *)0, is_aligned, fetch, emit);\n\
             {end}}}\n",
            parameters =
                parts.parameters_with("unsigned long long *gpurepl_slots, ", "gpurepl_out", "outer, length"),
            start = parts.start,
            end = parts.end,
        );
        format!("{}{text}", pieces_for(&text))
    }

    /// Whether [`Program::to_cuda_resident_scan`] is for this program's values.
    pub fn has_resident_scan(&self) -> bool {
        self.dtype().size() >= 4
    }
}
