//! Transforms along the last axis: of rows that lie one after another.

use rustfft::num_complex::Complex;

use crate::cores;
use crate::line::Line;
use crate::view::View;

/// Elements of a task.
const TASK: usize = 1 << 14;
/// Elements of rows that are transformed at once: they stay in the first cache.
const BATCH: usize = 1 << 11;

/// Rows that are read together where their elements lie beside each other, and the most elements of these.
const TOGETHER: usize = 16;
const MOST: usize = 1 << 16;

/// Transforms the rows of an array.
pub(crate) fn transform<L: Line>(line: &L, from: View<'_, L::In>, to: &mut [L::Out]) {
    // Rows across the memory are read together, in cache lines that they share.
    let least = if from.is_crosswise() { (MOST / line.lengths().0).clamp(1, TOGETHER) } else { 1 };
    pass(line, to, least, |row, copy, _| from.copy_lines(row, copy));
}

/// Transforms rows where they are.
pub(crate) fn transform_in_place<L: Line<In = E, Out = E>, E: Copy>(line: &L, rows: &mut [E]) {
    pass(line, rows, 1, |_, copy, rows| copy.copy_from_slice(rows));
}

/// `load` copies `least` rows or more, given the first one's number and the place for what they become.
fn pass<L: Line>(
    line: &L,
    to: &mut [L::Out],
    least: usize,
    load: impl Fn(usize, &mut [L::In], &[L::Out]) + Sync,
) {
    let (before, after) = line.lengths();
    let share = cores::share(to.len() / after, before, TASK).max(least);
    let batch = (BATCH / before).clamp(least, share);
    let new = || (vec![L::In::default(); batch * before], vec![Complex::default(); line.scratch()]);
    cores::each_run(to, share * after, new, |(copy, scratch), index, run| {
        for (part, to) in run.chunks_mut(batch * after).enumerate() {
            let copy = &mut copy[..to.len() / after * before];
            load(index * share + part * batch, copy, to);
            line.apply(copy, to, scratch);
        }
    });
}
