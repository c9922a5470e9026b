//! Reductions along an axis on the host: trees in the order of the elements, so
//! that results do not depend on the number of cores and lose little by
//! rounding, as sums of whole arrays do.

use std::sync::{Mutex, PoisonError};

use gpurepl_kernels::ReduceOp;

use super::{Along, Operands};
use crate::Buffer;
use crate::error::Result;
use crate::host::{BLOCK, BLOCKS_AT_ONCE, Folder, Machine, Output, Task, ranges};

/// Elements that one core takes at a time.
const AT_ONCE: usize = BLOCK * BLOCKS_AT_ONCE;

pub(super) fn reduce(operands: &Operands<'_>, along: Along, op: ReduceOp, output: &Buffer) -> Result<()> {
    let (program, locked) = (operands.program, operands.lock(output));
    let task = operands.task(&locked, None);
    let work = Work {
        task: &task,
        along,
        folder: Folder::new(op, program.dtype()),
        size: program.dtype().size(),
        output: locked.output(output),
    };
    match (along.inner, along.length) {
        (1, ..=BLOCK) => work.short_rows(),
        (1, _) => work.long_rows(),
        _ => work.columns(),
    }
}

struct Work<'a> {
    task: &'a Task<'a>,
    along: Along,
    folder: Folder,
    /// Of an element, in bytes.
    size: usize,
    output: Output<'a>,
}

impl Work<'_> {
    /// Writes results from number `first` on.
    fn write(&self, first: usize, values: &[u8]) {
        // SAFETY: each result is written once, by the core that has computed
        // it; `check` has made sure that there is room.
        unsafe { self.output.slice(first * self.size, values.len()) }.copy_from_slice(values);
    }

    /// Rows of which a block has several.
    fn short_rows(&self) -> Result<()> {
        let (length, size) = (self.along.length, self.size);
        let rows_of_block = BLOCK / length;
        ranges(self.along.outer, rows_of_block * BLOCKS_AT_ONCE, |range| {
            let mut machine = Machine::new(self.task, BLOCK.min(range.len() * length));
            let mut results = Vec::with_capacity(rows_of_block * size);
            for first in range.clone().step_by(rows_of_block) {
                let rows = rows_of_block.min(range.end - first);
                let values = machine.run(first * length, rows * length);
                results.clear();
                for row in values.chunks_exact(length * size) {
                    results.extend_from_slice(&self.folder.fold(row)[..size]);
                }
                self.write(first, &results);
            }
        })
    }

    /// Rows of several blocks, each in pieces for several cores.
    fn long_rows(&self) -> Result<()> {
        let length = self.along.length;
        let pieces = length.div_ceil(AT_ONCE);
        let parts: Mutex<Vec<(usize, [u8; 16])>> = Mutex::new(Vec::new());
        ranges(self.along.outer * pieces, (AT_ONCE / length).max(1), |range| {
            let mut machine = Machine::new(self.task, BLOCK);
            let mut found = Vec::with_capacity(range.len());
            for piece in range {
                let (row, start) = (piece / pieces, piece % pieces * AT_ONCE);
                let end = length.min(start + AT_ONCE);
                let blocks: Vec<[u8; 16]> = (start..end)
                    .step_by(BLOCK)
                    .map(|at| self.folder.fold(machine.run(row * length + at, BLOCK.min(end - at))))
                    .collect();
                found.push((piece, self.folder.fold_values(&blocks)));
            }
            parts.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
        })?;
        let mut parts = parts.into_inner().unwrap_or_else(PoisonError::into_inner);
        parts.sort_unstable_by_key(|(piece, _)| *piece);
        let values: Vec<[u8; 16]> = parts.into_iter().map(|(_, value)| value).collect();
        for (row, values) in values.chunks_exact(pieces).enumerate() {
            self.write(row, &self.folder.fold_values(values)[..self.size]);
        }
        Ok(())
    }

    /// Columns side by side, as many as a block has elements, each in parts
    /// for several cores.
    fn columns(&self) -> Result<()> {
        let Along { outer, length, inner } = self.along;
        let width = inner.min(BLOCK);
        let strips = inner.div_ceil(width);
        let parts = (length * width / AT_ONCE).clamp(1, 64);
        let part = length.div_ceil(parts);
        let parts = length.div_ceil(part);
        let found: Mutex<Vec<(usize, Vec<u128>)>> = Mutex::new(Vec::new());
        ranges(outer * strips * parts, (AT_ONCE / (part * width)).max(1), |range| {
            let mut machine = Machine::new(self.task, BLOCK);
            for piece in range {
                let (number, strip, o) = (piece % parts, piece / parts % strips, piece / parts / strips);
                let columns = strip * width..inner.min((strip + 1) * width);
                let rows = number * part..length.min((number + 1) * part);
                let mut tree = Tree::new(&self.folder, columns.len() * self.size);
                self.add_rows(&mut machine, &mut tree, o, columns.start, columns.len(), rows);
                let sums = tree.finish();
                if parts == 1 {
                    let bytes: &[u8] = bytemuck::cast_slice(&sums);
                    self.write(o * inner + columns.start, &bytes[..columns.len() * self.size]);
                } else {
                    found.lock().unwrap_or_else(PoisonError::into_inner).push((piece, sums));
                }
            }
        })?;
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.sort_unstable_by_key(|(piece, _)| *piece);
        for parts_of_strip in found.chunk_by(|a, b| a.0 / parts == b.0 / parts) {
            let (strip, o) = (parts_of_strip[0].0 / parts % strips, parts_of_strip[0].0 / parts / strips);
            let columns = strip * width..inner.min((strip + 1) * width);
            let bytes = columns.len() * self.size;
            let mut tree = Tree::new(&self.folder, bytes);
            for (_, sums) in parts_of_strip {
                tree.push(0, &bytemuck::cast_slice::<u128, u8>(sums)[..bytes]);
            }
            self.write(o * inner + columns.start, &bytemuck::cast_slice::<u128, u8>(&tree.finish())[..bytes]);
        }
        Ok(())
    }

    /// Adds rows of a strip of columns to a tree.
    fn add_rows(
        &self,
        machine: &mut Machine<'_>,
        tree: &mut Tree<'_>,
        o: usize,
        first_column: usize,
        width: usize,
        rows: std::ops::Range<usize>,
    ) {
        let Along { length, inner, .. } = self.along;
        let start = |row: usize| (o * length + row) * inner + first_column;
        let mut row = rows.start;
        while row < rows.end {
            // Of short rows a block has several, one after the other.
            let most = if width == inner { (BLOCK / inner).min(rows.end - row) } else { 1 };
            let level = most.ilog2();
            let values = machine.run(start(row), width << level);
            tree.push_rows(level, values);
            row += 1 << level;
        }
    }
}

/// Rows combined as a tree: those of `2^k` rows wait for others of as many.
struct Tree<'a> {
    folder: &'a Folder,
    /// Of a row, in bytes.
    width: usize,
    levels: Vec<Option<Vec<u128>>>,
    /// Memory to be used again.
    spare: Vec<Vec<u128>>,
}

impl<'a> Tree<'a> {
    fn new(folder: &'a Folder, width: usize) -> Tree<'a> {
        Tree { folder, width, levels: Vec::new(), spare: Vec::new() }
    }

    fn row(&mut self, bytes: usize) -> Vec<u128> {
        let mut row = self.spare.pop().unwrap_or_default();
        row.resize(row.len().max(bytes.div_ceil(16)), 0);
        row
    }

    /// Adds `2^level` rows that lie one after the other.
    fn push_rows(&mut self, level: u32, values: &[u8]) {
        if level == 0 {
            return self.push(0, values);
        }
        // Halves are combined until one row is left.
        let mut half = values.len() / 2;
        let mut left = self.row(half);
        self.folder.pair(&mut bytemuck::cast_slice_mut(&mut left)[..half], &values[..half], &values[half..]);
        while half > self.width {
            half /= 2;
            let mut next = self.row(half);
            let bytes: &[u8] = bytemuck::cast_slice(&left);
            let (a, b) = (&bytes[..half], &bytes[half..2 * half]);
            self.folder.pair(&mut bytemuck::cast_slice_mut(&mut next)[..half], a, b);
            self.spare.push(std::mem::replace(&mut left, next));
        }
        self.join(level as usize, left);
    }

    /// Adds a row that stands for `2^level`.
    fn push(&mut self, level: usize, values: &[u8]) {
        let mut row = self.row(values.len());
        bytemuck::cast_slice_mut::<u128, u8>(&mut row)[..values.len()].copy_from_slice(values);
        self.join(level, row);
    }

    fn join(&mut self, mut level: usize, mut row: Vec<u128>) {
        loop {
            if self.levels.len() <= level {
                self.levels.resize_with(level + 1, || None);
            }
            let Some(earlier) = self.levels[level].take() else { break };
            row = self.combined(earlier, row);
            level += 1;
        }
        self.levels[level] = Some(row);
    }

    fn combined(&mut self, a: Vec<u128>, b: Vec<u128>) -> Vec<u128> {
        let width = self.width;
        let mut out = self.row(width);
        self.folder.pair(
            &mut bytemuck::cast_slice_mut(&mut out)[..width],
            &bytemuck::cast_slice(&a)[..width],
            &bytemuck::cast_slice(&b)[..width],
        );
        self.spare.extend([a, b]);
        out
    }

    /// All rows as one.
    fn finish(mut self) -> Vec<u128> {
        let rows: Vec<Vec<u128>> = std::mem::take(&mut self.levels).into_iter().flatten().collect();
        // The shortest waits came last.
        let mut rows = rows.into_iter();
        let first = rows.next().unwrap_or_default();
        rows.fold(first, |later, earlier| self.combined(earlier, later))
    }
}
