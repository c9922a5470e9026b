//! A generator with a sequence of its own: NumPy's `default_rng(seed)`.

use std::ops::{Bound, RangeBounds};

use gpurepl_kernels::random::philox;
use gpurepl_kernels::{BinaryOp, DType};

use super::draw::Draw;
use super::{NormalElem, RandomElem, fill};
use crate::array::{Elem, GpuArray, Raw};
use crate::device::operations::RandomKind;
use crate::error::{OrRaise as _, Problem, Result};
use crate::scalar::Scalar;
use crate::shape::{Dims, IntoShape};

/// A generator of random arrays with a sequence of its own, which other
/// generators, [`rand`](super::rand) and [`seed`](super::seed) leave alone.
///
/// Each array is a stream of Philox4x32-10 (J. K. Salmon and others, "Parallel
/// random numbers: as easy as 1, 2, 3", 2011) under the generator's key, so a seed gives the same
/// numbers on every device. Numbers that pass through a logarithm or a power may
/// differ in their last digits.
///
/// ```
/// use gpurepl_prelude::*;
/// let mut generator = rng(42);
/// let heights = generator.normal(178.0, 7.0, 1000);
/// let mean = heights.mean().item();
/// assert!(176.0 < mean && mean < 180.0);
/// let dice = generator.integers(1..=6, (2, 10));
/// assert!(dice.ge(1).all().item() && dice.le(6).all().item());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generator {
    key: u64,
    stream: u64,
}

/// A generator with the sequence of this seed: NumPy's `default_rng(seed)`.
///
/// ```
/// use gpurepl_prelude::*;
/// let (mut a, mut b) = (rng(1), rng(1));
/// assert_eq!(a.random::<f64>(3).to_vec(), b.random::<f64>(3).to_vec());
/// ```
pub fn rng(seed: u64) -> Generator {
    // Another key than that of `seed(..)`, whose streams have the same numbers.
    Generator { key: derived(seed, 0), stream: 0 }
}

/// A key that follows from another one.
fn derived(key: u64, number: u64) -> u64 {
    let [a, b, ..] = philox(number, u64::MAX, key);
    u64::from(b) << 32 | u64::from(a)
}

/// A type of whole numbers that a generator draws.
#[diagnostic::on_unimplemented(
    message = "there are no random integers of `{Self}`",
    note = "ranges of i8 to i64 and u8 to u64 name the type: `integers(0..10_u8, n)`"
)]
pub trait IntegerDraw: Elem {
    #[doc(hidden)]
    fn wide(self) -> i128;
}

macro_rules! integers {
    ($($t:ty)*) => {$(
        impl IntegerDraw for $t {
            fn wide(self) -> i128 {
                i128::from(self)
            }
        }
    )*};
}
integers!(i8 i16 i32 i64 u8 u16 u32 u64);

// The types of sums and quotients are named where numbers are arguments, so that
// `g.normal(178.0, 7.0, n).mean().item() - 178.0` is known to be an `f64`.
impl Generator {
    /// Generators whose sequences are independent of each other's and of this
    /// one's: one for each worker.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let parts = rng(42).spawn(4);
    /// assert_ne!(parts[0], parts[1]);
    /// ```
    pub fn spawn(&mut self, count: usize) -> Vec<Generator> {
        self.stream += 1;
        (0..count as u64)
            .map(|k| Generator { key: derived(derived(self.key, self.stream), k + 1), stream: 0 })
            .collect()
    }

    /// This generator as it is after 2^40 arrays, so that the sequences of
    /// `generator.jumped(rank)` do not overlap.
    #[must_use]
    pub fn jumped(&self, jumps: u64) -> Generator {
        Generator { key: self.key, stream: self.stream.wrapping_add(jumps << 40) }
    }

    fn next(&mut self, operation: &'static str, dims: Dims, dtype: DType, kind: RandomKind) -> Result<Raw> {
        self.stream = self.stream.wrapping_add(1);
        fill(operation, dims, dtype, kind, (self.key, self.stream))
    }

    fn uniform_draw(&mut self, operation: &'static str, dims: Dims, dtype: DType) -> Result<Draw> {
        self.next(operation, dims, dtype, RandomKind::Uniform).map(Draw)
    }

    fn normal_draw(&mut self, operation: &'static str, dims: Dims, dtype: DType) -> Result<Draw> {
        self.next(operation, dims, dtype, RandomKind::Normal).map(Draw)
    }

    /// Exponentially distributed numbers, greater than 0 but for one in 2^24 of
    /// `f32`.
    fn exponential_draw(&mut self, operation: &'static str, dims: Dims, dtype: DType) -> Result<Draw> {
        self.uniform_draw(operation, dims, dtype)?.reversed(BinaryOp::Subtract, 1.0)?.negative_log()
    }

    /// Random numbers: floats in [0, 1), integers over their whole range.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the device does not have enough memory,
    /// as all methods that return arrays.
    #[track_caller]
    pub fn random<T: RandomElem>(&mut self, shape: impl IntoShape) -> GpuArray<T> {
        GpuArray::wrap(self.next("random", shape.into_dims(), T::DTYPE, RandomKind::Uniform).or_raise())
    }

    /// Whole numbers of a range, all equally likely: `integers(0..10, n)`, and
    /// `integers(1..=6, n)` with its end.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the range is empty.
    #[track_caller]
    pub fn integers<T: IntegerDraw>(
        &mut self,
        range: impl RangeBounds<T>,
        shape: impl IntoShape,
    ) -> GpuArray<T> {
        let end = |bound: Bound<&T>, open: i128| match bound {
            Bound::Included(end) => Some(end.wide()),
            Bound::Excluded(end) => Some(end.wide() + open),
            Bound::Unbounded => None,
        };
        let (low, high) = (end(range.start_bound(), 1), end(range.end_bound(), -1));
        GpuArray::wrap(self.whole(T::DTYPE, low, high, shape.into_dims()).or_raise())
    }

    /// Those from `low` to `high`, both included; the ends of the type where there
    /// is none.
    fn whole(&mut self, dtype: DType, low: Option<i128>, high: Option<i128>, dims: Dims) -> Result<Raw> {
        let bits = 8 * dtype.size() as u32;
        let (least, most) = if dtype.kind() == gpurepl_kernels::Kind::Signed {
            (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1)
        } else {
            (0, (1_i128 << bits) - 1)
        };
        let (low, high) = (low.unwrap_or(least), high.unwrap_or(most));
        if low > high {
            let message = format!(
                "low >= high: there is no number from {low} to {high}\n  = help: `integers(0..10, n)` has the numbers from 0 to 9"
            );
            return Err(Problem::Invalid { operation: "integers", message }.into());
        }
        let count = (high - low + 1) as u128;
        let words = Draw(self.next("integers", dims, DType::UInt64, RandomKind::Uniform)?);
        let chosen = match u64::try_from(count) {
            Err(_) => words, // All numbers of 64 bits.
            Ok(count) if count.is_power_of_two() => words.with(BinaryOp::And, Scalar::UInt(count - 1))?,
            Ok(count) if count <= 1 << 32 => words.scaled(count)?,
            Ok(count) => {
                // A second word decides where the first one is at the border of two
                // numbers: 128 random bits in all.
                let more =
                    Draw(self.next("integers", dims, DType::UInt64, RandomKind::Uniform)?).scaled(count)?;
                let low = words.with(BinaryOp::Multiply, Scalar::UInt(count))?;
                let carried = low.and(BinaryOp::Add, &more)?.less(&low)?;
                words.scaled(count)?.and(BinaryOp::Add, &carried)?
            }
        };
        chosen.with(BinaryOp::Add, Scalar::UInt(low as u64)).map(|draw| draw.0.cast(dtype))
    }

    /// Numbers that are equally likely from `low` to `high`, which is not among
    /// them.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if an end is not finite.
    #[track_caller]
    pub fn uniform<T: NormalElem + Elem<Quotient = T, Floating = T, Sum = T, Real = T>>(
        &mut self,
        low: T,
        high: T,
        shape: impl IntoShape,
    ) -> GpuArray<T> {
        let (low, high): (f64, f64) = (low.into(), high.into());
        let draw = || {
            check("uniform", "high - low", high - low, (high - low).is_finite(), "finite")?;
            self.uniform_draw("uniform", shape.into_dims(), T::DTYPE)?.times(high - low)?.plus(low)
        };
        finish(draw())
    }

    /// Normally distributed numbers of mean 0 and standard deviation 1.
    #[track_caller]
    pub fn standard_normal<T: NormalElem + Elem<Quotient = T, Floating = T, Sum = T, Real = T>>(
        &mut self,
        shape: impl IntoShape,
    ) -> GpuArray<T> {
        finish(self.normal_draw("standard_normal", shape.into_dims(), T::DTYPE))
    }

    /// Normally distributed numbers of this mean and standard deviation.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the deviation is negative.
    #[track_caller]
    pub fn normal<T: NormalElem + Elem<Quotient = T, Floating = T, Sum = T, Real = T>>(
        &mut self,
        mean: T,
        deviation: T,
        shape: impl IntoShape,
    ) -> GpuArray<T> {
        let deviation: f64 = deviation.into();
        let draw = || {
            not_negative("normal", "scale", deviation)?;
            self.normal_draw("normal", shape.into_dims(), T::DTYPE)?.times(deviation)?.plus(mean.into())
        };
        finish(draw())
    }

    /// Numbers whose logarithms are normally distributed.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the deviation is negative.
    #[track_caller]
    pub fn lognormal<T: NormalElem + Elem<Quotient = T, Floating = T, Sum = T, Real = T>>(
        &mut self,
        mean: T,
        deviation: T,
        shape: impl IntoShape,
    ) -> GpuArray<T> {
        let deviation: f64 = deviation.into();
        let draw = || {
            not_negative("lognormal", "sigma", deviation)?;
            self.normal_draw("lognormal", shape.into_dims(), T::DTYPE)?
                .times(deviation)?
                .plus(mean.into())?
                .exp()
        };
        finish(draw())
    }

    /// Exponentially distributed numbers of mean 1.
    #[track_caller]
    pub fn standard_exponential<T: NormalElem + Elem<Quotient = T, Floating = T, Sum = T, Real = T>>(
        &mut self,
        shape: impl IntoShape,
    ) -> GpuArray<T> {
        finish(self.exponential_draw("standard_exponential", shape.into_dims(), T::DTYPE))
    }

    /// Exponentially distributed numbers of mean `scale`.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the scale is negative.
    #[track_caller]
    pub fn exponential<T: NormalElem + Elem<Quotient = T, Floating = T, Sum = T, Real = T>>(
        &mut self,
        scale: T,
        shape: impl IntoShape,
    ) -> GpuArray<T> {
        let scale: f64 = scale.into();
        let draw = || {
            not_negative("exponential", "scale", scale)?;
            self.exponential_draw("exponential", shape.into_dims(), T::DTYPE)?.times(scale)
        };
        finish(draw())
    }

    /// Numbers of Laplace's distribution: two exponential ones side by side.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the scale is negative.
    #[track_caller]
    pub fn laplace<T: NormalElem + Elem<Quotient = T, Floating = T, Sum = T, Real = T>>(
        &mut self,
        location: T,
        scale: T,
        shape: impl IntoShape,
    ) -> GpuArray<T> {
        let (scale, dims): (f64, _) = (scale.into(), shape.into_dims());
        let mut draw = || {
            not_negative("laplace", "scale", scale)?;
            let left = self.exponential_draw("laplace", dims, T::DTYPE)?;
            let right = self.exponential_draw("laplace", dims, T::DTYPE)?;
            right.and(BinaryOp::Subtract, &left)?.times(scale)?.plus(location.into())
        };
        finish(draw())
    }

    /// Numbers of the logistic distribution.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the scale is negative.
    #[track_caller]
    pub fn logistic<T: NormalElem + Elem<Quotient = T, Floating = T, Sum = T, Real = T>>(
        &mut self,
        location: T,
        scale: T,
        shape: impl IntoShape,
    ) -> GpuArray<T> {
        let scale: f64 = scale.into();
        let draw = || {
            not_negative("logistic", "scale", scale)?;
            let below = self.uniform_draw("logistic", shape.into_dims(), T::DTYPE)?;
            let above = below.reversed(BinaryOp::Subtract, 1.0)?.negative_log()?;
            let below = below.at_least_a_part()?.negative_log()?;
            above.and(BinaryOp::Subtract, &below)?.times(scale)?.plus(location.into())
        };
        finish(draw())
    }

    /// Numbers of Gumbel's distribution of extremes.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the scale is negative.
    #[track_caller]
    pub fn gumbel<T: NormalElem + Elem<Quotient = T, Floating = T, Sum = T, Real = T>>(
        &mut self,
        location: T,
        scale: T,
        shape: impl IntoShape,
    ) -> GpuArray<T> {
        let scale: f64 = scale.into();
        let draw = || {
            not_negative("gumbel", "scale", scale)?;
            let waits = self.exponential_draw("gumbel", shape.into_dims(), T::DTYPE)?;
            waits.at_least_a_part()?.negative_log()?.times(scale)?.plus(location.into())
        };
        finish(draw())
    }

    /// Numbers of Rayleigh's distribution: lengths of normal vectors of the plane.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the scale is negative.
    #[track_caller]
    pub fn rayleigh<T: NormalElem + Elem<Quotient = T, Floating = T, Sum = T, Real = T>>(
        &mut self,
        scale: T,
        shape: impl IntoShape,
    ) -> GpuArray<T> {
        let scale: f64 = scale.into();
        let draw = || {
            not_negative("rayleigh", "scale", scale)?;
            self.exponential_draw("rayleigh", shape.into_dims(), T::DTYPE)?.times(2.0)?.sqrt()?.times(scale)
        };
        finish(draw())
    }

    /// Numbers of Weibull's distribution with this shape parameter and scale 1.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the parameter is not greater than 0.
    #[track_caller]
    pub fn weibull<T: NormalElem + Elem<Quotient = T, Floating = T, Sum = T, Real = T>>(
        &mut self,
        a: T,
        shape: impl IntoShape,
    ) -> GpuArray<T> {
        let a: f64 = a.into();
        let draw = || {
            positive("weibull", "a", a)?;
            self.exponential_draw("weibull", shape.into_dims(), T::DTYPE)?.power(1.0 / a)
        };
        finish(draw())
    }

    /// Numbers of Pareto's second distribution (Lomax's), as NumPy has it: from 0
    /// on. Add 1 for the classical one.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the parameter is not greater than 0.
    #[track_caller]
    pub fn pareto<T: NormalElem + Elem<Quotient = T, Floating = T, Sum = T, Real = T>>(
        &mut self,
        a: T,
        shape: impl IntoShape,
    ) -> GpuArray<T> {
        let a: f64 = a.into();
        let draw = || {
            positive("pareto", "a", a)?;
            self.exponential_draw("pareto", shape.into_dims(), T::DTYPE)?.times(1.0 / a)?.exp()?.plus(-1.0)
        };
        finish(draw())
    }

    /// Numbers in [0, 1] whose density is a power: `a*x^(a-1)`.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the parameter is not greater than 0.
    #[track_caller]
    pub fn power<T: NormalElem + Elem<Quotient = T, Floating = T, Sum = T, Real = T>>(
        &mut self,
        a: T,
        shape: impl IntoShape,
    ) -> GpuArray<T> {
        let a: f64 = a.into();
        let draw = || {
            positive("power", "a", a)?;
            let above = self.uniform_draw("power", shape.into_dims(), T::DTYPE)?;
            above.reversed(BinaryOp::Subtract, 1.0)?.power(1.0 / a)
        };
        finish(draw())
    }

    /// Numbers of Cauchy's distribution: quotients of normal ones.
    #[track_caller]
    pub fn standard_cauchy<T: NormalElem + Elem<Quotient = T, Floating = T, Sum = T, Real = T>>(
        &mut self,
        shape: impl IntoShape,
    ) -> GpuArray<T> {
        let dims = shape.into_dims();
        let mut draw = || {
            let over = self.normal_draw("standard_cauchy", dims, T::DTYPE)?;
            over.and(BinaryOp::Divide, &self.normal_draw("standard_cauchy", dims, T::DTYPE)?)
        };
        finish(draw())
    }

    /// Numbers from `left` to `right` whose density rises to `mode` and falls.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), unless `left <= mode <= right` and `left < right`.
    #[track_caller]
    pub fn triangular<T: NormalElem + Elem<Quotient = T, Floating = T, Sum = T, Real = T>>(
        &mut self,
        left: T,
        mode: T,
        right: T,
        shape: impl IntoShape,
    ) -> GpuArray<T> {
        let (left, mode, right): (f64, f64, f64) = (left.into(), mode.into(), right.into());
        let draw = || {
            check("triangular", "mode", mode, left <= mode && mode <= right, "between left and right")?;
            check("triangular", "right", right, left < right, "greater than left")?;
            let uniform = self.uniform_draw("triangular", shape.into_dims(), T::DTYPE)?;
            let rest = uniform.reversed(BinaryOp::Subtract, 1.0)?;
            let rising = uniform.times((right - left) * (mode - left))?.sqrt()?.plus(left)?;
            let falling =
                rest.times((right - left) * (right - mode))?.sqrt()?.reversed(BinaryOp::Subtract, right)?;
            uniform.choose_below((mode - left) / (right - left), rising, falling)
        };
        finish(draw())
    }

    /// How many trials it takes until the first success, where each succeeds with
    /// probability `p`.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), unless `0 < p <= 1`.
    #[track_caller]
    pub fn geometric(&mut self, p: f64, shape: impl IntoShape) -> GpuArray<i64> {
        let draw = || {
            check("geometric", "p", p, 0.0 < p && p <= 1.0, "greater than 0, and 1 at most")?;
            let waits = self.exponential_draw("geometric", shape.into_dims(), DType::Float64)?;
            let trials = waits.times(-1.0 / (-p).ln_1p())?.ceil()?;
            trials.at_least(1.0).map(|draw| draw.0.cast(DType::Int64))
        };
        GpuArray::wrap(draw().or_raise())
    }

    /// So many random bytes.
    #[track_caller]
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        let words = self.random::<u32>(count.div_ceil(4)).to_vec();
        words.into_iter().flat_map(u32::to_le_bytes).take(count).collect()
    }

    /// The numbers from 0 to `count - 1` in a random order.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let order = rng(7).permutation(5);
    /// assert_eq!(order.sort().to_vec(), [0, 1, 2, 3, 4]);
    /// ```
    #[track_caller]
    pub fn permutation(&mut self, count: usize) -> GpuArray<i64> {
        self.random::<u64>(count).argsort()
    }

    /// A copy of an array whose parts along the first axis are in a random order:
    /// NumPy's `permutation(a)`.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the array has no axis.
    #[track_caller]
    pub fn permuted<T: Elem>(&mut self, a: &GpuArray<T>) -> GpuArray<T> {
        let order = self.permutation(first_axis("permuted", a));
        a.take_axis(&order, 0)
    }

    /// Puts the parts of an array along its first axis in a random order.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the array has no axis.
    #[track_caller]
    pub fn shuffle<T: Elem>(&mut self, a: &mut GpuArray<T>) {
        let order = self.permutation(first_axis("shuffle", a));
        let shuffled = a.take_axis(&order, 0);
        a.fill(&shuffled);
    }

    /// Parts of an array along its first axis, each equally likely for each place
    /// of the shape.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let flips = rng(3).choice(&gpu![0, 1], (2, 8));
    /// assert_eq!(flips.shape(), [2, 8]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the array is empty.
    #[track_caller]
    pub fn choice<T: Elem>(&mut self, a: &GpuArray<T>, shape: impl IntoShape) -> GpuArray<T> {
        let count = first_axis("choice", a);
        if count == 0 {
            let message = "a cannot be empty".to_owned();
            Err::<(), _>(Problem::Invalid { operation: "choice", message }.into()).or_raise();
        }
        let indices =
            self.whole(DType::Int64, Some(0), Some(count as i128 - 1), shape.into_dims()).or_raise();
        a.take_axis(GpuArray::<i64>::wrap(indices), 0)
    }

    /// Parts of an array along its first axis, none twice: NumPy's `choice(a,
    /// count, replace=False)`.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there are fewer parts.
    #[track_caller]
    pub fn sample<T: Elem>(&mut self, a: &GpuArray<T>, count: usize) -> GpuArray<T> {
        let all = first_axis("sample", a);
        if count > all {
            let message = format!(
                "cannot take {count} of {all} without taking one twice\n  = help: `choice` may take one twice"
            );
            Err::<(), _>(Problem::Invalid { operation: "sample", message }.into()).or_raise();
        }
        let order = self.permutation(all);
        a.take_axis(order.slice(..count as i64), 0)
    }
}

#[track_caller]
fn first_axis<T: Elem>(operation: &'static str, a: &GpuArray<T>) -> usize {
    let first = a.shape().first().copied().ok_or_else(|| {
        let message = "an array without axes has no parts".to_owned();
        Problem::Invalid { operation, message }.into()
    });
    first.or_raise()
}

#[track_caller]
fn finish<T: Elem>(draw: Result<Draw>) -> GpuArray<T> {
    GpuArray::wrap(draw.or_raise().0)
}

fn check(operation: &'static str, name: &str, value: f64, holds: bool, must_be: &str) -> Result<()> {
    if holds {
        return Ok(());
    }
    let message = format!("{name} is {value}\n  = help: it must be {must_be}");
    Err(Problem::Invalid { operation, message }.into())
}

fn not_negative(operation: &'static str, name: &str, value: f64) -> Result<()> {
    check(operation, name, value, value >= 0.0, "0 or more")
}

fn positive(operation: &'static str, name: &str, value: f64) -> Result<()> {
    check(operation, name, value, value > 0.0, "greater than 0")
}
