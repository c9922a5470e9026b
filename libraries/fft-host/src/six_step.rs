//! One long transform on all cores, by the six-step algorithm: D. H. Bailey, "FFTs in External or
//! Hierarchical Memory", J. Supercomputing 4 (1990).
//!
//! The n = n1 n2 elements are a matrix of n1 rows. Its columns are transformed, each element is multiplied by
//! a root of unity, the rows are transformed, and the result is read by columns. The transpositions are not
//! steps of their own here: the first pass writes its columns as rows, and the second one is a pass over
//! columns where they are. Each reads and writes the memory once.

use std::sync::Arc;

use rustfft::num_complex::Complex;
use rustfft::{Fft, FftDirection};

use crate::line::ComplexLine;
use crate::plans::{self, Real};
use crate::roots::Roots;
use crate::transpose::transpose;
use crate::{columns, cores};

/// Below, a transform stays on one core: its data lie in the second cache.
const LEAST: usize = 1 << 16;
/// The least factor that is worth a pass.
const LEAST_FACTOR: usize = 32;
/// Elements of a task of the first pass.
const TASK: usize = 1 << 15;

/// A transform of complex numbers.
pub(crate) struct SixStep<T: Real> {
    factors: (usize, usize),
    direction: FftDirection,
    first: Arc<dyn Fft<T>>,
    second: ComplexLine<T>,
    roots: Arc<Roots>,
}

/// The factors of a length, the smaller one first; none if the length is too short or has no such factors.
pub(crate) fn factors(length: usize) -> Option<(usize, usize)> {
    let mut candidates = (LEAST_FACTOR..=length.isqrt()).rev();
    let least = candidates.find(|factor| length.is_multiple_of(*factor)).filter(|_| length >= LEAST)?;
    Some((least, length / least))
}

impl<T: Real> SixStep<T> {
    pub(crate) fn new(factors: (usize, usize), direction: FftDirection, scale: T) -> Self {
        let (rows, columns) = factors;
        SixStep {
            factors,
            direction,
            first: plans::complex(rows, direction),
            second: ComplexLine::new(columns, direction, scale),
            roots: Roots::of(rows * columns),
        }
    }

    pub(crate) fn transform(&self, from: &[Complex<T>], to: &mut [Complex<T>]) {
        let (rows, columns) = self.factors;
        let share = cores::share(columns, rows, TASK);
        let new = || {
            (vec![Complex::default(); self.first.get_inplace_scratch_len()], vec![Complex::default(); rows])
        };
        cores::each_run(to, share * rows, new, |(scratch, powers), index, lines| {
            let column = index * share;
            transpose(&from[column..], columns, lines, rows);
            self.first.process_with_scratch(lines, scratch);
            for (line, column) in lines.chunks_exact_mut(rows).zip(column..) {
                self.roots.powers(column, 0, powers);
                match self.direction {
                    FftDirection::Forward => {
                        line.iter_mut().zip(&*powers).for_each(|(value, root)| *value = *value * root)
                    }
                    FftDirection::Inverse => {
                        line.iter_mut().zip(&*powers).for_each(|(value, root)| *value = *value * root.conj());
                    }
                }
            }
        });
        columns::transform_in_place(&self.second, to, rows);
    }
}
