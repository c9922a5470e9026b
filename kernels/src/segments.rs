//! Reductions of pieces of a matrix's rows: NumPy's `ufunc.reduceat`.

use crate::DType;
use crate::ops::{ReduceOp, register};
use crate::program::{loaded, storage, stored};
use crate::support::pieces_for;

/// Threads of a block.
pub const BLOCK: usize = 128;

/// Threads that reduce a piece together, where rows are single elements.
pub const TOGETHER: usize = 32;

/// CUDA C with two kernels, for rows of single elements and for longer ones:
/// `gpurepl_segments` and `gpurepl_segments_of_rows`.
///
/// Both take the elements, the first row of each piece and the row behind its last one,
/// the results, the number of pieces and the length of a row. A piece has a row at least.
/// The order in which elements are combined does not change from one call to the next.
pub fn to_cuda(dtype: DType, op: ReduceOp) -> String {
    let (held, kept) = (register(dtype), storage(dtype));
    let combine = op.combine(dtype);
    let element = |at: &str| loaded(dtype, &format!("values[{at}]"));
    let text = format!(
        r#"static __device__ __forceinline__ {held} gpurepl_join({held} a, {held} b) {{ return {combine}; }}
extern "C" __global__ void gpurepl_segments(const {kept} *values, const long long *starts, const long long *ends,
                                            {kept} *out, unsigned long long pieces, unsigned long long row)
{{
  __shared__ {held} all[{BLOCK}];
  const unsigned lane = threadIdx.x % {TOGETHER};
  {held} *own = all + (threadIdx.x - lane);
  unsigned long long piece = (blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x) / {TOGETHER};
  const unsigned long long step = (unsigned long long)gridDim.x * blockDim.x / {TOGETHER};
  for (; piece < pieces; piece += step) {{
    const long long start = starts[piece], behind = ends[piece] > start ? ends[piece] : start + 1;
    if (start + lane < behind) {{
      {held} sum = {first};
      for (long long k = start + lane + {TOGETHER}; k < behind; k += {TOGETHER}) sum = gpurepl_join(sum, {next});
      own[lane] = sum;
    }}
    __syncwarp();
    const long long count = behind - start < {TOGETHER} ? behind - start : {TOGETHER};
    for (unsigned width = {TOGETHER} / 2; width > 0; width /= 2) {{
      if (lane < width && lane + width < count) own[lane] = gpurepl_join(own[lane], own[lane + width]);
      __syncwarp();
    }}
    if (lane == 0) out[piece] = {sum};
    __syncwarp();
  }}
}}
extern "C" __global__ void gpurepl_segments_of_rows(const {kept} *values, const long long *starts, const long long *ends,
                                                    {kept} *out, unsigned long long pieces, unsigned long long row)
{{
  unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
  for (; i < pieces * row; i += (unsigned long long)gridDim.x * blockDim.x) {{
    const unsigned long long piece = i / row, column = i % row;
    const long long start = starts[piece], behind = ends[piece] > start ? ends[piece] : start + 1;
    {held} sum = {first_of_row};
    for (long long k = start + 1; k < behind; k++) sum = gpurepl_join(sum, {next_of_row});
    out[i] = {sum_of_row};
  }}
}}
"#,
        first = element("start + lane"),
        next = element("k"),
        sum = stored(dtype, "own[0]"),
        first_of_row = element("start * row + column"),
        next_of_row = element("k * row + column"),
        sum_of_row = stored(dtype, "sum"),
    );
    format!("{}{text}", pieces_for(&text))
}
