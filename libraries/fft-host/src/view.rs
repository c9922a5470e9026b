//! An array with strides, to read.

use crate::cores;
use crate::transpose::transpose;

/// An array with strides, all of whose elements lie in a slice.
#[derive(Clone, Copy)]
pub(crate) struct View<'a, T> {
    elements: &'a [T],
    first: usize,
    shape: &'a [usize],
    strides: &'a [isize],
}

impl<'a, T: Copy + Default + Send + Sync> View<'a, T> {
    /// None if an element lies outside of the slice, or the shape and the strides have not the same rank.
    pub(crate) fn new(
        elements: &'a [T],
        first: usize,
        shape: &'a [usize],
        strides: &'a [isize],
    ) -> Option<Self> {
        if shape.len() != strides.len() {
            return None;
        }
        if !shape.contains(&0) {
            let (mut low, mut high) = (first as i128, first as i128);
            for (&length, &stride) in shape.iter().zip(strides) {
                let reach = (length as i128 - 1).checked_mul(stride as i128)?;
                let end = if reach < 0 { &mut low } else { &mut high };
                *end = end.checked_add(reach)?;
            }
            if low < 0 || high >= elements.len() as i128 {
                return None;
            }
        }
        Some(View { elements, first, shape, strides })
    }

    pub(crate) fn shape(&self) -> &'a [usize] {
        self.shape
    }

    /// The elements, if they lie one after another.
    pub(crate) fn contiguous(&self) -> Option<&'a [T]> {
        let count: usize = self.shape.iter().product();
        is_contiguous(self.shape, self.strides).then(|| &self.elements[self.first..self.first + count])
    }

    /// Whether neighbours along the last axis but one are nearer than those along the last one.
    pub(crate) fn is_crosswise(&self) -> bool {
        match (self.shape, self.strides) {
            (&[.., rows, columns], &[.., down, right]) => {
                rows > 1 && columns > 1 && down.unsigned_abs() < right.unsigned_abs()
            }
            _ => false,
        }
    }

    /// Copies `lines.len()` elements, beginning with a line along the last axis: whole lines.
    pub(crate) fn copy_lines(&self, line: usize, lines: &mut [T]) {
        let Some((&length, outer)) = self.shape.split_last() else { return };
        if let Some(elements) = self.contiguous() {
            return lines.copy_from_slice(&elements[line * length..][..lines.len()]);
        }
        let step = self.strides[outer.len()];
        // Lines that follow each other along the last axis but one are a matrix, which is copied at once.
        let (&run, further) = outer.split_last().unwrap_or((&1, &[]));
        let run_step = if outer.is_empty() { 0 } else { self.strides[further.len()] };
        let (mut line, mut lines) = (line, lines);
        while !lines.is_empty() {
            let within = line % run;
            let count = (run - within).min(lines.len() / length);
            let mut index = line / run;
            let mut start = self.first as isize + within as isize * run_step;
            for (&length, &stride) in further.iter().zip(self.strides).rev() {
                start += (index % length) as isize * stride;
                index /= length;
            }
            let (matrix, rest) = lines.split_at_mut(count * length);
            copy_matrix(self.elements, start, [run_step, step], matrix, length);
            (line, lines) = (line + count, rest);
        }
    }

    /// All elements, in the order of their indices.
    pub(crate) fn to_vec(self) -> Vec<T> {
        let count = self.shape.iter().product();
        let mut elements = vec![T::default(); count];
        let length = self.shape.last().copied().unwrap_or(1).max(1);
        let share = cores::share(count / length, length, 1 << 14);
        let act = |(): &mut (), index: usize, run: &mut [T]| self.copy_lines(index * share, run);
        cores::each_run(&mut elements, share * length, || (), act);
        elements
    }
}

/// Whether the elements lie one after another, in the order of their indices.
pub(crate) fn is_contiguous(shape: &[usize], strides: &[isize]) -> bool {
    let mut expected = 1;
    let steps = shape.iter().zip(strides).rev().filter(|(length, _)| **length != 1);
    shape.contains(&0)
        || steps.fold(true, |so_far, (&length, &stride)| {
            let here = stride == expected;
            expected = expected.wrapping_mul(length as isize);
            so_far && here
        })
}

/// The strides of an array whose elements lie one after another.
pub(crate) fn strides(shape: &[usize]) -> Vec<isize> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis] as isize;
    }
    strides
}

/// Copies a matrix with strides to rows of a length.
fn copy_matrix<T: Copy>(from: &[T], start: isize, strides: [isize; 2], to: &mut [T], length: usize) {
    let at = |row: usize, column: usize| {
        from[(start + row as isize * strides[0] + column as isize * strides[1]) as usize]
    };
    match strides.map(|stride| usize::try_from(stride).unwrap_or(0)) {
        [_, 1] => {
            for (row, to) in to.chunks_exact_mut(length).enumerate() {
                to.copy_from_slice(&from[(start + row as isize * strides[0]) as usize..][..length]);
            }
        }
        [1, pitch] if pitch >= to.len() / length => transpose(&from[start as usize..], pitch, to, length),
        _ if strides[0].unsigned_abs() >= strides[1].unsigned_abs() => {
            for (row, to) in to.chunks_exact_mut(length).enumerate() {
                to.iter_mut().enumerate().for_each(|(column, to)| *to = at(row, column));
            }
        }
        // Neighbours lie in one column: some rows at a time, so that a cache line is read once.
        _ => {
            const ROWS: usize = 16;
            for (band, to) in to.chunks_mut(ROWS * length).enumerate() {
                for column in 0..length {
                    let to = to[column..].iter_mut().step_by(length);
                    to.zip(band * ROWS..).for_each(|(to, row)| *to = at(row, column));
                }
            }
        }
    }
}
