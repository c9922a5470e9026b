//! The transforms of single lines, on one core.

use std::sync::Arc;

use realfft::{ComplexToReal, RealToComplex};
use rustfft::num_complex::Complex;
use rustfft::{Fft, FftDirection};

use crate::plans::{self, Real};

/// A transform of lines of one length.
pub(crate) trait Line: Sync {
    /// The precision.
    type Real: Real;
    /// The elements before.
    type In: Copy + Default + Send + Sync;
    /// The elements after.
    type Out: Copy + Default + Send + Sync;
    /// The lengths before and after.
    fn lengths(&self) -> (usize, usize);
    /// How much `apply` needs to work in.
    fn scratch(&self) -> usize;
    /// Transforms lines that lie one after another. What they have been is lost.
    fn apply(&self, from: &mut [Self::In], to: &mut [Self::Out], scratch: &mut [Complex<Self::Real>]);
}

/// Complex numbers to complex numbers.
pub(crate) struct ComplexLine<T: Real> {
    plan: Arc<dyn Fft<T>>,
    scale: T,
}

impl<T: Real> ComplexLine<T> {
    pub(crate) fn new(length: usize, direction: FftDirection, scale: T) -> Self {
        ComplexLine { plan: plans::complex(length, direction), scale }
    }
}

impl<T: Real> Line for ComplexLine<T> {
    type Real = T;
    type In = Complex<T>;
    type Out = Complex<T>;

    fn lengths(&self) -> (usize, usize) {
        (self.plan.len(), self.plan.len())
    }

    fn scratch(&self) -> usize {
        self.plan.get_outofplace_scratch_len()
    }

    fn apply(&self, from: &mut [Complex<T>], to: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        self.plan.process_outofplace_with_scratch(from, to, scratch);
        if self.scale != T::one() {
            to.iter_mut().for_each(|value| *value = value.scale(self.scale));
        }
    }
}

/// Real numbers to half of the complex ones; the others are their conjugates.
pub(crate) struct FromReal<T: Real> {
    plan: Arc<dyn RealToComplex<T>>,
    scale: T,
}

impl<T: Real> FromReal<T> {
    pub(crate) fn new(length: usize, scale: T) -> Self {
        FromReal { plan: plans::from_real(length), scale }
    }
}

impl<T: Real> Line for FromReal<T> {
    type Real = T;
    type In = T;
    type Out = Complex<T>;

    fn lengths(&self) -> (usize, usize) {
        (self.plan.len(), self.plan.complex_len())
    }

    fn scratch(&self) -> usize {
        self.plan.get_scratch_len()
    }

    fn apply(&self, from: &mut [T], to: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        let (before, after) = self.lengths();
        for (from, to) in from.chunks_exact_mut(before).zip(to.chunks_exact_mut(after)) {
            // It fails for other lengths alone.
            self.plan.process_with_scratch(from, to, scratch).expect("the lengths of the plan");
        }
        if self.scale != T::one() {
            to.iter_mut().for_each(|value| *value = value.scale(self.scale));
        }
    }
}

/// Half of the complex numbers, the others being their conjugates, to real ones.
pub(crate) struct ToReal<T: Real> {
    plan: Arc<dyn ComplexToReal<T>>,
    scale: T,
}

impl<T: Real> ToReal<T> {
    pub(crate) fn new(length: usize, scale: T) -> Self {
        ToReal { plan: plans::to_real(length), scale }
    }
}

impl<T: Real> Line for ToReal<T> {
    type Real = T;
    type In = Complex<T>;
    type Out = T;

    fn lengths(&self) -> (usize, usize) {
        (self.plan.complex_len(), self.plan.len())
    }

    fn scratch(&self) -> usize {
        self.plan.get_scratch_len()
    }

    fn apply(&self, from: &mut [Complex<T>], to: &mut [T], scratch: &mut [Complex<T>]) {
        let (before, after) = self.lengths();
        for (from, to) in from.chunks_exact_mut(before).zip(to.chunks_exact_mut(after)) {
            // These are their own conjugates, so that NumPy takes them for real; the plan would refuse them.
            from[0].im = T::zero();
            if after.is_multiple_of(2) {
                from[before - 1].im = T::zero();
            }
            self.plan.process_with_scratch(from, to, scratch).expect("the lengths of the plan");
        }
        if self.scale != T::one() {
            to.iter_mut().for_each(|value| *value = *value * self.scale);
        }
    }
}
