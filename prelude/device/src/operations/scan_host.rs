//! Running sums on the host. Floats are added with more digits than they have,
//! so that the last of a million is as exact as the first.

use std::ops::Range;

use bytemuck::{Pod, cast_slice, cast_slice_mut};
use gpurepl_kernels::DType;
use num_complex::{Complex32, Complex64};

use super::{Along, Operands};
use crate::Buffer;
use crate::error::Result;
use crate::host::{BLOCK, BLOCKS_AT_ONCE, Machine, Output, Task, ranges};

/// Elements that one core takes at a time.
const AT_ONCE: usize = BLOCK * BLOCKS_AT_ONCE;

pub(super) fn scan(operands: &Operands<'_>, along: Along, output: &Buffer) -> Result<()> {
    let (program, locked) = (operands.program, operands.lock(output));
    let task = operands.task(&locked, None);
    let work = Work { task: &task, along, output: locked.output(output) };
    match program.dtype() {
        DType::Int64 => work.run::<i64>(),
        DType::UInt64 => work.run::<u64>(),
        DType::Float32 => work.run::<f32>(),
        DType::Float64 => work.run::<f64>(),
        DType::Complex64 => work.run::<Complex32>(),
        DType::Complex128 => work.run::<Complex64>(),
        other => unreachable!("internal error: running sums of {other}"),
    }
}

/// An element that is summed up.
trait Element: Pod {
    /// A sum, with more digits than an element.
    type Sum: Copy + Send + Sync;
    const ZERO: Self::Sum;
    fn add(sum: Self::Sum, element: Self) -> Self::Sum;
    /// The sum of two.
    fn join(a: Self::Sum, b: Self::Sum) -> Self::Sum;
    fn rounded(sum: Self::Sum) -> Self;
}

macro_rules! integers {
    ($($t:ident)*) => {$(
        impl Element for $t {
            type Sum = $t;
            const ZERO: $t = 0;
            fn add(sum: $t, element: $t) -> $t {
                sum.wrapping_add(element)
            }
            fn join(a: $t, b: $t) -> $t {
                a.wrapping_add(b)
            }
            fn rounded(sum: $t) -> $t {
                sum
            }
        }
    )*};
}
integers!(i64 u64);

impl Element for f32 {
    type Sum = f64;
    const ZERO: f64 = 0.0;
    fn add(sum: f64, element: f32) -> f64 {
        sum + f64::from(element)
    }
    fn join(a: f64, b: f64) -> f64 {
        a + b
    }
    fn rounded(sum: f64) -> f32 {
        sum as f32
    }
}

/// A sum and what rounding has lost of it (Knuth's TwoSum).
impl Element for f64 {
    type Sum = (f64, f64);
    const ZERO: (f64, f64) = (0.0, 0.0);
    fn add((sum, rest): (f64, f64), element: f64) -> (f64, f64) {
        let total = sum + element;
        let added = total - sum;
        (total, rest + ((sum - (total - added)) + (element - added)))
    }
    fn join(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
        let (sum, rest) = f64::add(a, b.0);
        (sum, rest + b.1)
    }
    fn rounded((sum, rest): (f64, f64)) -> f64 {
        // Infinities have no rest.
        if rest.is_finite() { sum + rest } else { sum }
    }
}

macro_rules! complexes {
    ($($complex:ident of $t:ident)*) => {$(
        impl Element for $complex {
            type Sum = (<$t as Element>::Sum, <$t as Element>::Sum);
            const ZERO: Self::Sum = ($t::ZERO, $t::ZERO);
            fn add(sum: Self::Sum, element: $complex) -> Self::Sum {
                (<$t as Element>::add(sum.0, element.re), <$t as Element>::add(sum.1, element.im))
            }
            fn join(a: Self::Sum, b: Self::Sum) -> Self::Sum {
                ($t::join(a.0, b.0), $t::join(a.1, b.1))
            }
            fn rounded(sum: Self::Sum) -> $complex {
                $complex::new($t::rounded(sum.0), $t::rounded(sum.1))
            }
        }
    )*};
}
complexes!(Complex32 of f32 Complex64 of f64);

struct Work<'a> {
    task: &'a Task<'a>,
    along: Along,
    output: Output<'a>,
}

impl Work<'_> {
    fn run<T: Element>(&self) -> Result<()> {
        let Along { outer, length, inner } = self.along;
        match inner {
            1 if outer < 8 && length > 2 * AT_ONCE => self.long_rows::<T>(),
            1 => ranges(outer, (AT_ONCE / length).max(1), |rows| {
                let mut machine = Machine::new(self.task, BLOCK);
                for row in rows {
                    self.row::<T>(&mut machine, row, 0..length, T::ZERO);
                }
            }),
            _ => self.columns::<T>(),
        }
    }

    /// Few long rows: the sums of pieces first, then each piece with what comes
    /// before it.
    fn long_rows<T: Element>(&self) -> Result<()> {
        let Along { outer, length, .. } = self.along;
        let pieces = length.div_ceil(AT_ONCE);
        let place = |piece: usize| {
            let start = piece % pieces * AT_ONCE;
            (piece / pieces, start..length.min(start + AT_ONCE))
        };
        let sums: Vec<std::sync::OnceLock<T::Sum>> =
            (0..outer * pieces).map(|_| Default::default()).collect();
        ranges(sums.len(), 1, |range| {
            let mut machine = Machine::new(self.task, BLOCK);
            for piece in range {
                let (row, part) = place(piece);
                let mut sum = T::ZERO;
                for at in part.clone().step_by(BLOCK) {
                    let values = machine.run(row * length + at, BLOCK.min(part.end - at));
                    sum = cast_slice::<u8, T>(values).iter().fold(sum, |sum, value| T::add(sum, *value));
                }
                let _ = sums[piece].set(sum);
            }
        })?;
        let mut before = Vec::with_capacity(sums.len());
        let mut sum = T::ZERO;
        for (piece, own) in sums.iter().enumerate() {
            if piece % pieces == 0 {
                sum = T::ZERO;
            }
            before.push(sum);
            sum = T::join(sum, *own.get().expect("every piece has a sum"));
        }
        ranges(sums.len(), 1, |range| {
            let mut machine = Machine::new(self.task, BLOCK);
            for piece in range {
                let (row, part) = place(piece);
                self.row::<T>(&mut machine, row, part, before[piece]);
            }
        })
    }

    /// A part of a row, from a sum on.
    fn row<T: Element>(&self, machine: &mut Machine<'_>, row: usize, part: Range<usize>, mut sum: T::Sum) {
        for at in part.clone().step_by(BLOCK) {
            let (start, count) = (row * self.along.length + at, BLOCK.min(part.end - at));
            let values = machine.run(start, count);
            for (out, value) in self.results::<T>(start, count).iter_mut().zip(cast_slice::<u8, T>(values)) {
                sum = T::add(sum, *value);
                *out = T::rounded(sum);
            }
        }
    }

    /// Columns side by side, as many as a block has elements.
    fn columns<T: Element>(&self) -> Result<()> {
        let Along { outer, length, inner } = self.along;
        let width = inner.min(BLOCK);
        let strips = inner.div_ceil(width);
        ranges(outer * strips, (AT_ONCE / (length * width)).max(1), |range| {
            let mut machine = Machine::new(self.task, BLOCK);
            for piece in range {
                let (o, first) = (piece / strips, piece % strips * width);
                let width = width.min(inner - first);
                let mut sums = vec![T::ZERO; width];
                // Of short rows a block has several, one after the other.
                let rows_of_block = if width == inner { BLOCK / inner } else { 1 };
                for row in (0..length).step_by(rows_of_block) {
                    let rows = rows_of_block.min(length - row);
                    let start = (o * length + row) * inner + first;
                    let values = cast_slice::<u8, T>(machine.run(start, rows * width));
                    let results = self.results::<T>(start, rows * width);
                    for (out, values) in results.chunks_exact_mut(width).zip(values.chunks_exact(width)) {
                        for ((out, value), sum) in out.iter_mut().zip(values).zip(&mut sums) {
                            *sum = T::add(*sum, *value);
                            *out = T::rounded(*sum);
                        }
                    }
                }
            }
        })
    }

    /// Results from number `start` on.
    #[expect(clippy::mut_from_ref, reason = "each result is one core's")]
    fn results<T: Element>(&self, start: usize, count: usize) -> &mut [T] {
        // SAFETY: each result is written once, by the core that computes it, and
        // no slice outlives the block that it is for; `check` has made sure that
        // there is room.
        let bytes = unsafe { self.output.slice(start * size_of::<T>(), count * size_of::<T>()) };
        cast_slice_mut(bytes)
    }
}
