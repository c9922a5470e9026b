//! Running sums, products and extremes on the host.

use std::ops::Range;

use bytemuck::{Pod, cast_slice, cast_slice_mut};
use gpurepl_kernels::{DType, ReduceOp};
use num_complex::{Complex32, Complex64};

use super::scan_steps::{Extremes, Products, Scanned, Sums};
use super::{Along, Operands};
use crate::Buffer;
use crate::error::Result;
use crate::host::{BLOCK, BLOCKS_AT_ONCE, Machine, Output, Task, ranges};

/// Elements that one core takes at a time.
const AT_ONCE: usize = BLOCK * BLOCKS_AT_ONCE;

pub(super) fn scan(operands: &Operands<'_>, along: Along, op: ReduceOp, output: &Buffer) -> Result<()> {
    let (program, locked) = (operands.program, operands.lock(output));
    let task = operands.task(&locked, None);
    let work = Work { task: &task, along, output: locked.output(output) };
    match op {
        ReduceOp::Sum => sums(&work, program.dtype()),
        ReduceOp::Product => products(&work, program.dtype()),
        ReduceOp::Maximum => extremes::<true>(&work, program.dtype()),
        ReduceOp::Minimum => extremes::<false>(&work, program.dtype()),
        other => unreachable!("internal error: running {}", other.name()),
    }
}

fn sums(work: &Work<'_>, dtype: DType) -> Result<()> {
    match dtype {
        DType::Int64 => work.run::<i64, Sums>(),
        DType::UInt64 => work.run::<u64, Sums>(),
        DType::Float32 => work.run::<f32, Sums>(),
        DType::Float64 => work.run::<f64, Sums>(),
        DType::Complex64 => work.run::<Complex32, Sums>(),
        DType::Complex128 => work.run::<Complex64, Sums>(),
        other => unreachable!("internal error: running sums of {other}"),
    }
}

fn products(work: &Work<'_>, dtype: DType) -> Result<()> {
    match dtype {
        DType::Int64 => work.run::<i64, Products>(),
        DType::UInt64 => work.run::<u64, Products>(),
        DType::Float32 => work.run::<f32, Products>(),
        DType::Float64 => work.run::<f64, Products>(),
        DType::Complex64 => work.run::<Complex32, Products>(),
        DType::Complex128 => work.run::<Complex64, Products>(),
        other => unreachable!("internal error: running products of {other}"),
    }
}

fn extremes<const GREATEST: bool>(work: &Work<'_>, dtype: DType) -> Result<()> {
    match dtype {
        // A boolean is a byte, 0 or 1.
        DType::Bool | DType::UInt8 => work.run::<u8, Extremes<GREATEST>>(),
        DType::Int8 => work.run::<i8, Extremes<GREATEST>>(),
        DType::Int16 => work.run::<i16, Extremes<GREATEST>>(),
        DType::Int32 => work.run::<i32, Extremes<GREATEST>>(),
        DType::Int64 => work.run::<i64, Extremes<GREATEST>>(),
        DType::UInt16 => work.run::<u16, Extremes<GREATEST>>(),
        DType::UInt32 => work.run::<u32, Extremes<GREATEST>>(),
        DType::UInt64 => work.run::<u64, Extremes<GREATEST>>(),
        DType::Float32 => work.run::<f32, Extremes<GREATEST>>(),
        DType::Float64 => work.run::<f64, Extremes<GREATEST>>(),
        DType::Complex64 => work.run::<Complex32, Extremes<GREATEST>>(),
        DType::Complex128 => work.run::<Complex64, Extremes<GREATEST>>(),
        DType::Float16 => unreachable!("internal error: half precision is widened"),
    }
}

struct Work<'a> {
    task: &'a Task<'a>,
    along: Along,
    output: Output<'a>,
}

impl Work<'_> {
    fn run<T: Pod, S: Scanned<T>>(&self) -> Result<()> {
        let Along { outer, length, inner } = self.along;
        match inner {
            1 if outer < 8 && length > 2 * AT_ONCE => self.long_rows::<T, S>(),
            1 => ranges(outer, (AT_ONCE / length).max(1), |rows| {
                let mut machine = Machine::new(self.task, BLOCK);
                for row in rows {
                    self.row::<T, S>(&mut machine, row, 0..length, S::START);
                }
            }),
            _ => self.columns::<T, S>(),
        }
    }

    /// Few long rows: the sums of pieces first, then each piece with what comes
    /// before it.
    fn long_rows<T: Pod, S: Scanned<T>>(&self) -> Result<()> {
        let Along { outer, length, .. } = self.along;
        let pieces = length.div_ceil(AT_ONCE);
        let place = |piece: usize| {
            let start = piece % pieces * AT_ONCE;
            (piece / pieces, start..length.min(start + AT_ONCE))
        };
        let sums: Vec<std::sync::OnceLock<S::State>> =
            (0..outer * pieces).map(|_| Default::default()).collect();
        ranges(sums.len(), 1, |range| {
            let mut machine = Machine::new(self.task, BLOCK);
            for piece in range {
                let (row, part) = place(piece);
                let mut sum = S::START;
                for at in part.clone().step_by(BLOCK) {
                    let values = machine.run(row * length + at, BLOCK.min(part.end - at));
                    sum = cast_slice::<u8, T>(values).iter().fold(sum, |sum, value| S::add(sum, *value));
                }
                let _ = sums[piece].set(sum);
            }
        })?;
        let mut before = Vec::with_capacity(sums.len());
        let mut sum = S::START;
        for (piece, own) in sums.iter().enumerate() {
            if piece % pieces == 0 {
                sum = S::START;
            }
            before.push(sum);
            sum = S::join(sum, *own.get().expect("every piece has a sum"));
        }
        ranges(sums.len(), 1, |range| {
            let mut machine = Machine::new(self.task, BLOCK);
            for piece in range {
                let (row, part) = place(piece);
                self.row::<T, S>(&mut machine, row, part, before[piece]);
            }
        })
    }

    /// A part of a row, from a sum on.
    fn row<T: Pod, S: Scanned<T>>(
        &self,
        machine: &mut Machine<'_>,
        row: usize,
        part: Range<usize>,
        mut sum: S::State,
    ) {
        for at in part.clone().step_by(BLOCK) {
            let (start, count) = (row * self.along.length + at, BLOCK.min(part.end - at));
            let values = machine.run(start, count);
            for (out, value) in self.results::<T>(start, count).iter_mut().zip(cast_slice::<u8, T>(values)) {
                sum = S::add(sum, *value);
                *out = S::rounded(sum);
            }
        }
    }

    /// Columns side by side, as many as a block has elements.
    fn columns<T: Pod, S: Scanned<T>>(&self) -> Result<()> {
        let Along { outer, length, inner } = self.along;
        let width = inner.min(BLOCK);
        let strips = inner.div_ceil(width);
        ranges(outer * strips, (AT_ONCE / (length * width)).max(1), |range| {
            let mut machine = Machine::new(self.task, BLOCK);
            for piece in range {
                let (o, first) = (piece / strips, piece % strips * width);
                let width = width.min(inner - first);
                let mut sums = vec![S::START; width];
                // Of short rows a block has several, one after the other.
                let rows_of_block = if width == inner { BLOCK / inner } else { 1 };
                for row in (0..length).step_by(rows_of_block) {
                    let rows = rows_of_block.min(length - row);
                    let start = (o * length + row) * inner + first;
                    let values = cast_slice::<u8, T>(machine.run(start, rows * width));
                    let results = self.results::<T>(start, rows * width);
                    for (out, values) in results.chunks_exact_mut(width).zip(values.chunks_exact(width)) {
                        for ((out, value), sum) in out.iter_mut().zip(values).zip(&mut sums) {
                            *sum = S::add(*sum, *value);
                            *out = S::rounded(*sum);
                        }
                    }
                }
            }
        })
    }

    /// Results from number `start` on.
    #[expect(clippy::mut_from_ref, reason = "each result is one core's")]
    fn results<T: Pod>(&self, start: usize, count: usize) -> &mut [T] {
        // SAFETY: each result is written once, by the core that computes it, and
        // no slice outlives the block that it is for; `check` has made sure that
        // there is room.
        let bytes = unsafe { self.output.slice(start * size_of::<T>(), count * size_of::<T>()) };
        cast_slice_mut(bytes)
    }
}
