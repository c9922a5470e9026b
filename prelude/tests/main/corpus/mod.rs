//! A corpus of kernels as textbooks and programs have them, each compared with
//! a plain computation in Rust. The same text runs on both devices.

mod counting;
mod images;
mod language;
mod matrices;
mod numbers;
mod reductions;
mod scans;
mod sequences;
mod simulation;
mod sorting;
mod stencils;
mod transforms;

use gpurepl_prelude::*;

/// The unit roundoff: the largest relative error of one operation in single
/// precision. A sum of `n` numbers has an error below `n * UNIT_F32 * sum|x|`,
/// and `n` is the depth where a tree adds them (Higham, "Accuracy and
/// Stability of Numerical Algorithms", chapter 4).
const UNIT_F32: f64 = f32::EPSILON as f64 / 2.0;

/// The unit roundoff of double precision.
const UNIT_F64: f64 = f64::EPSILON / 2.0;

/// Pseudo-random numbers, the same in every run: SplitMix64 (Steele, Lea and
/// Flood, "Fast splittable pseudorandom number generators", 2014).
struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    fn new(seed: u64) -> SplitMix64 {
        SplitMix64 { state: seed }
    }

    fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A whole number from 0 up to, not including, a bound.
    fn below(&mut self, bound: u32) -> u32 {
        (((self.next_u64() >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// A number from -1 up to 1 that a `float` holds exactly.
    fn f32(&mut self) -> f32 {
        (self.next_u64() >> 40) as f32 / 8_388_608.0 - 1.0
    }

    /// A number from -1 up to 1.
    fn f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / 4_503_599_627_370_496.0 - 1.0
    }

    fn vec_f32(&mut self, n: usize) -> Vec<f32> {
        (0..n).map(|_| self.f32()).collect()
    }

    fn vec_f64(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.f64()).collect()
    }

    /// `n` whole numbers from `low` up to, not including, `high`.
    fn vec_i32(&mut self, n: usize, low: i32, high: i32) -> Vec<i32> {
        (0..n).map(|_| low.wrapping_add_unsigned(self.below(high.abs_diff(low)))).collect()
    }

    fn vec_u32(&mut self, n: usize) -> Vec<u32> {
        (0..n).map(|_| (self.next_u64() >> 32) as u32).collect()
    }
}

/// Compiles a source of the corpus.
#[track_caller]
fn module(source: &str) -> SourceModule {
    SourceModule::new(source).unwrap_or_else(|error| panic!("{error}"))
}

/// Checks that two numbers differ by no more than the tolerance.
#[track_caller]
fn close(found: impl Into<f64>, expected: impl Into<f64>, tolerance: f64) {
    let (found, expected) = (found.into(), expected.into());
    let difference = (found - expected).abs();
    assert!(difference <= tolerance, "{found}, not {expected}: {difference} apart, {tolerance} allowed");
}

/// Checks that numbers differ by no more than the tolerance, one by one.
#[track_caller]
fn all_close<T: Copy + Into<f64>>(found: &[T], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (k, (found, expected)) in found.iter().zip(expected).enumerate() {
        let found: f64 = (*found).into();
        let difference = (found - expected).abs();
        assert!(
            difference <= tolerance,
            "at {k}: {found}, not {expected}: {difference} apart, {tolerance} allowed"
        );
    }
}
