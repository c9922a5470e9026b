//! Lines so long and so few that all cores work on one after another.

use rustfft::FftDirection;
use rustfft::num_complex::Complex;

use crate::plans::Real;
use crate::six_step::{self, SixStep};
use crate::transpose::transpose;
use crate::view::View;
use crate::{cast, cores, real_halves, real_whole};

/// A transform of one line by all cores.
pub(crate) trait Long: Sync {
    /// The elements before.
    type In: Copy + Default + Send + Sync;
    /// The elements after.
    type Out: Copy + Default + Send + Sync;
    /// The lengths before and after.
    fn lengths(&self) -> (usize, usize);
    /// Transforms a line.
    fn apply(&self, from: &[Self::In], to: &mut [Self::Out]);
}

/// Whether so many lines are too few to give each core some.
fn are_few(lines: usize) -> bool {
    cores::threads() > 1 && lines < 4 * cores::threads()
}

/// Complex numbers to complex numbers.
pub(crate) struct LongComplex<T: Real>(SixStep<T>, usize);

impl<T: Real> LongComplex<T> {
    /// None where cores are better used by a line each.
    pub(crate) fn new(length: usize, lines: usize, direction: FftDirection, scale: T) -> Option<Self> {
        let factors = are_few(lines).then(|| six_step::factors(length))??;
        Some(LongComplex(SixStep::new(factors, direction, scale), length))
    }
}

impl<T: Real> Long for LongComplex<T> {
    type In = Complex<T>;
    type Out = Complex<T>;

    fn lengths(&self) -> (usize, usize) {
        (self.1, self.1)
    }

    fn apply(&self, from: &[Complex<T>], to: &mut [Complex<T>]) {
        self.0.transform(from, to);
    }
}

/// The complex transform that is within a real one: of half the length if it is even. Its scale is one of the
/// two.
fn within_real<T: Real>(
    length: usize,
    lines: usize,
    direction: FftDirection,
    [even, odd]: [T; 2],
) -> Option<SixStep<T>> {
    let is_even = length.is_multiple_of(2);
    let own = if is_even { length / 2 } else { length };
    let factors = are_few(lines).then(|| six_step::factors(own))??;
    Some(SixStep::new(factors, direction, if is_even { even } else { odd }))
}

/// Real numbers to half of the complex ones.
pub(crate) struct LongFromReal<T: Real>(SixStep<T>, usize, T);

impl<T: Real> LongFromReal<T> {
    /// None where cores are better used by a line each.
    pub(crate) fn new(length: usize, lines: usize, scale: T) -> Option<Self> {
        // Of an even length, it is the halves' separation that scales.
        let within = within_real(length, lines, FftDirection::Forward, [T::one(), scale])?;
        Some(LongFromReal(within, length, scale))
    }
}

impl<T: Real> Long for LongFromReal<T> {
    type In = T;
    type Out = Complex<T>;

    fn lengths(&self) -> (usize, usize) {
        (self.1, self.1 / 2 + 1)
    }

    fn apply(&self, from: &[T], to: &mut [Complex<T>]) {
        if from.len().is_multiple_of(2) {
            self.0.transform(cast::paired(from), &mut to[..from.len() / 2]);
            real_halves::separate(to, self.2);
        } else {
            let mut all = vec![Complex::default(); from.len()];
            self.0.transform(&real_whole::widened(from), &mut all);
            real_whole::kept(&all, to);
        }
    }
}

/// Half of the complex numbers to real ones.
pub(crate) struct LongToReal<T: Real>(SixStep<T>, usize);

impl<T: Real> LongToReal<T> {
    /// None where cores are better used by a line each.
    pub(crate) fn new(length: usize, lines: usize, scale: T) -> Option<Self> {
        Some(LongToReal(within_real(length, lines, FftDirection::Inverse, [scale, scale])?, length))
    }
}

impl<T: Real> Long for LongToReal<T> {
    type In = Complex<T>;
    type Out = T;

    fn lengths(&self) -> (usize, usize) {
        (self.1 / 2 + 1, self.1)
    }

    fn apply(&self, from: &[Complex<T>], to: &mut [T]) {
        if to.len().is_multiple_of(2) {
            self.0.transform(&real_halves::join(from), cast::paired_mut(to));
        } else {
            let mut all = vec![Complex::default(); to.len()];
            self.0.transform(&real_whole::mirrored(from), &mut all);
            real_whole::real_parts(&all, to);
        }
    }
}

/// Transforms lines along an axis that has `width` elements behind each of its own.
pub(crate) fn transform<L: Long>(long: &L, from: View<'_, L::In>, to: &mut [L::Out], width: usize) {
    match from.contiguous() {
        Some(from) => pass(long, from, to, width),
        None => pass(long, &from.to_vec(), to, width),
    }
}

/// Transforms lines where they are.
pub(crate) fn transform_in_place<L: Long<In = E, Out = E>, E: Copy + Default + Send + Sync>(
    long: &L,
    elements: &mut [E],
    width: usize,
) {
    let from = copied(elements);
    pass(long, &from, elements, width);
}

fn pass<L: Long>(long: &L, from: &[L::In], to: &mut [L::Out], width: usize) {
    let (before, after) = long.lengths();
    for (from, to) in from.chunks_exact(before * width).zip(to.chunks_exact_mut(after * width)) {
        if width == 1 {
            long.apply(from, to);
            continue;
        }
        let mut lines = vec![L::In::default(); from.len()];
        transpose_by_cores(from, before, &mut lines);
        let mut results = vec![L::Out::default(); to.len()];
        for (from, to) in lines.chunks_exact(before).zip(results.chunks_exact_mut(after)) {
            long.apply(from, to);
        }
        transpose_by_cores(&results, width, to);
    }
}

/// Elements of a task that copies.
const TASK: usize = 1 << 13;

fn copied<T: Copy + Default + Send + Sync>(from: &[T]) -> Vec<T> {
    let mut to = vec![T::default(); from.len()];
    cores::each_run(
        &mut to,
        TASK,
        || (),
        |(), index, to| to.copy_from_slice(&from[index * TASK..][..to.len()]),
    );
    to
}

/// Transposes a matrix of so many rows.
fn transpose_by_cores<T: Copy + Send + Sync>(from: &[T], rows: usize, to: &mut [T]) {
    let columns = from.len() / rows;
    if columns >= rows {
        // Few rows: the result has many, of which each task makes some.
        let share = cores::share(columns, rows, TASK);
        let act =
            |(): &mut (), index: usize, to: &mut [T]| transpose(&from[index * share..], columns, to, rows);
        return cores::each_run(to, share * rows, || (), act);
    }
    // Few columns, which are long rows of the result.
    for (column, to) in to.chunks_exact_mut(rows).enumerate() {
        cores::each_run(
            to,
            TASK,
            || (),
            |(), index, to| {
                let from = from[index * TASK * columns + column..].iter().step_by(columns);
                to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
            },
        );
    }
}
