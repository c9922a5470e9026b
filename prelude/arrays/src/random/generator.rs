//! [`Generator`]: random arrays of many distributions, NumPy's
//! `numpy.random.Generator`.

use std::sync::atomic::{AtomicU64, Ordering};

use gpurepl_kernels::DType;
use gpurepl_kernels::random::distributions::{Distribution, half_bits};
use gpurepl_kernels::random::philox;

use super::parameter::{Bound, DistributionParameter, Parameter, float};
use super::population::{IntegerRange, Population};
use super::samples::floats;
use super::{NormalElem, filled, next};
use crate::array::{Elem, GpuArray, Raw, Value};
use crate::device::operations::RandomKind;
use crate::error::{OrRaise as _, Problem, Result};
use crate::scalar::Scalar;
use crate::shape::{Dims, IntoShape};

/// A sequence of random arrays with its own seed.
///
/// Element `k` of an array depends on the seed, on how many arrays the generator
/// made before, on the parameters and on `k` alone. The functions behind the
/// distributions round alike on every device, so a seed gives the same numbers
/// everywhere, bit for bit. They are not NumPy's numbers.
///
/// ```
/// use gpurepl_prelude::*;
/// let rng = default_rng(42);
/// let a = rng.normal(10.0, 2.0, (100, 100));
/// assert!((a.mean().item() - 10.0).abs() < 0.2);
/// let dice = rng.integers(1..=6, 1000);
/// assert!(dice.min().item() == 1 && dice.max().item() == 6);
/// ```
#[derive(Debug)]
pub struct Generator {
    key: u64,
    /// How many arrays it made.
    arrays: AtomicU64,
    /// How many generators it spawned.
    spawned: AtomicU64,
}

/// A new generator. `default_rng(None)` takes its seed from the sequence of
/// [`rand`](crate::random::rand), which [`seed`](crate::random::seed) starts.
///
/// ```
/// use gpurepl_prelude::*;
/// let (a, b) = (default_rng(7), default_rng(7));
/// assert_eq!(a.random::<f32>(5).to_vec(), b.random::<f32>(5).to_vec());
/// ```
pub fn default_rng(seed: impl Into<Option<u64>>) -> Generator {
    let (seed, number) = seed.into().map_or_else(next, |seed| (seed, 0));
    Generator::of_key(hashed(seed, number))
}

/// Short for [`default_rng`] with a seed.
pub fn rng(seed: u64) -> Generator {
    default_rng(seed)
}

/// What separates the keys of generators from the seeds of `rand`.
const GENERATORS: u64 = 0x6770_7572_6570_6c00;

/// A key from two numbers.
fn hashed(first: u64, second: u64) -> u64 {
    let [a, b, ..] = philox(first, second, GENERATORS);
    u64::from(b) << 32 | u64::from(a)
}

impl Clone for Generator {
    /// A generator that goes on with the same numbers.
    fn clone(&self) -> Generator {
        let copy = |number: &AtomicU64| AtomicU64::new(number.load(Ordering::Relaxed));
        Generator { key: self.key, arrays: copy(&self.arrays), spawned: copy(&self.spawned) }
    }
}

macro_rules! samplers {
    ($(
        $(#[$meta:meta])*
        $name:ident($($parameter:ident: $bound:ident),*) -> $t:ident, $distribution:ident;
    )*) => {$(
        $(#[$meta])*
        ///
        /// # Panics
        ///
        /// With an [`Error`](crate::Error), if a parameter is outside of the
        /// distribution's or does not broadcast to the shape, or the device does not
        /// have enough memory.
        #[track_caller]
        pub fn $name(&self, $($parameter: impl DistributionParameter,)* shape: impl IntoShape) -> GpuArray<$t> {
            let parameters: &[Parameter] =
                &[$((stringify!($parameter), $parameter.parameter(), Bound::$bound)),*];
            let raw = self.sampled(stringify!($name), Distribution::$distribution, parameters, $t::DTYPE, shape.into_dims());
            GpuArray::wrap(raw.or_raise())
        }
    )*};
}

/// Distributions with NumPy's names and parameters. A parameter is a number, or an
/// array or a list that broadcasts to the shape, which is last.
///
/// ```
/// use gpurepl_prelude::*;
/// let heights = default_rng(0).normal(&gpu![0.0, 100.0], [1.0, 2.0], (1000, 2));
/// assert!((heights.mean_axis(0) - gpu![0.0, 100.0]).abs().max().item() < 0.3);
/// ```
impl Generator {
    samplers! {
        /// Normally distributed numbers of mean `loc` and standard deviation `scale`.
        normal(loc: Finite, scale: NotNegative) -> f64, Normal;
        /// Exponentially distributed numbers of mean `scale`.
        exponential(scale: NotNegative) -> f64, Exponential;
        /// Numbers of the gamma distribution; its mean is `k * theta`.
        gamma(k: NotNegative, theta: NotNegative) -> f64, Gamma;
        /// Numbers of the beta distribution, from 0 to 1.
        beta(a: Positive, b: Positive) -> f64, Beta;
        /// Numbers of the chi-square distribution with `df` degrees of freedom.
        chisquare(df: Positive) -> f64, ChiSquare;
        /// Numbers of the F distribution.
        f(dfnum: Positive, dfden: Positive) -> f64, F;
        /// Numbers of Student's t distribution with `df` degrees of freedom.
        standard_t(df: Positive) -> f64, StandardT;
        /// Numbers whose logarithms are normally distributed.
        lognormal(mean: Finite, sigma: NotNegative) -> f64, LogNormal;
        /// Numbers of Laplace's distribution.
        laplace(loc: Finite, scale: NotNegative) -> f64, Laplace;
        /// Numbers of the logistic distribution.
        logistic(loc: Finite, scale: NotNegative) -> f64, Logistic;
        /// Numbers of Gumbel's distribution.
        gumbel(loc: Finite, scale: NotNegative) -> f64, Gumbel;
        /// Numbers of Weibull's distribution of scale 1.
        weibull(a: NotNegative) -> f64, Weibull;
        /// Numbers of Lomax's distribution, also called Pareto's of the second
        /// kind: `(1 + x) * m` is Pareto's of scale `m`.
        pareto(a: Positive) -> f64, Pareto;
        /// Numbers from 0 to 1 of the density `a * x**(a - 1)`.
        power(a: Positive) -> f64, Power;
        /// Numbers of Rayleigh's distribution.
        rayleigh(scale: NotNegative) -> f64, Rayleigh;
        /// Numbers of Cauchy's distribution of mode 0 and scale 1.
        standard_cauchy() -> f64, StandardCauchy;
        /// Numbers of Wald's distribution, the inverse Gaussian one.
        wald(mean: Positive, scale: Positive) -> f64, Wald;
        /// Counts of events of mean `lam`, Poisson's distribution.
        ///
        /// ```
        /// use gpurepl_prelude::*;
        /// let counts = default_rng(0).poisson(3.5, 10_000);
        /// assert!((counts.mean().item() - 3.5).abs() < 0.2);
        /// ```
        poisson(lam: PoissonMean) -> i64, Poisson;
        /// Counts of successes among `n` tries, each of probability `p`.
        binomial(n: Count, p: Probability) -> i64, Binomial;
        /// How many tries fail before `n` successes.
        negative_binomial(n: Positive, p: PositiveProbability) -> i64, NegativeBinomial;
        /// How many tries it takes to the first success.
        geometric(p: PositiveProbability) -> i64, Geometric;
        /// Numbers of the noncentral chi-square distribution.
        noncentral_chisquare(df: Positive, nonc: NotNegative) -> f64, NoncentralChiSquare;
        /// Numbers of the noncentral F distribution.
        noncentral_f(dfnum: Positive, dfden: Positive, nonc: NotNegative) -> f64, NoncentralF;
        /// Numbers of Zipf's distribution: `k` is as likely as `k**-a`.
        zipf(a: AboveOne) -> i64, Zipf;
        /// Numbers of the logarithmic series: `k` is as likely as `p**k / k`.
        logseries(p: BelowOne) -> i64, LogSeries;
        /// Angles from -pi to pi around `mu`, von Mises' distribution.
        vonmises(mu: Finite, kappa: NotNegative) -> f64, VonMises;
    }

    /// How many of a sample of `nsample`, without repetitions, are among the `ngood`
    /// of `ngood + nbad`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let drawn = default_rng(0).hypergeometric(30, 20, 10, 1000);
    /// assert!((drawn.mean().item() - 6.0).abs() < 0.3);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if a number is not whole or not below 10**9,
    /// the sample is larger than there are, or the device does not have enough
    /// memory.
    #[track_caller]
    pub fn hypergeometric(
        &self,
        ngood: impl DistributionParameter,
        nbad: impl DistributionParameter,
        nsample: impl DistributionParameter,
        shape: impl IntoShape,
    ) -> GpuArray<i64> {
        let counts = [ngood.parameter(), nbad.parameter(), nsample.parameter()];
        GpuArray::wrap(self.sample_of_two(counts, shape.into_dims()).or_raise())
    }

    /// Floats in [0, 1).
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the device does not have enough memory.
    #[track_caller]
    pub fn random<T: NormalElem>(&self, shape: impl IntoShape) -> GpuArray<T> {
        let dims = shape.into_dims();
        GpuArray::wrap(filled("random", dims, T::DTYPE, RandomKind::Uniform, || self.next()).or_raise())
    }

    /// Numbers from `low` to below `high`.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the range is not finite, or the device
    /// does not have enough memory.
    #[track_caller]
    pub fn uniform(
        &self,
        low: impl DistributionParameter,
        high: impl DistributionParameter,
        shape: impl IntoShape,
    ) -> GpuArray<f64> {
        let (low, high) = (low.parameter(), high.parameter());
        let width = match (&low, &high) {
            (Value::Scalar(low), Value::Scalar(high)) => {
                Value::Scalar(Scalar::Float(float(*high) - float(*low)))
            }
            _ => Value::Array((floats(&high) - floats(&low)).raw),
        };
        let parameters = [("low", low, Bound::Finite), ("high - low", width, Bound::NotNegative)];
        let raw =
            self.sampled("uniform", Distribution::Uniform, &parameters, DType::Float64, shape.into_dims());
        GpuArray::wrap(raw.or_raise())
    }

    /// Numbers from `left` to `right` whose density is a triangle with its top at
    /// `mode`.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if these are not in order, or the device
    /// does not have enough memory.
    #[track_caller]
    pub fn triangular(
        &self,
        left: impl DistributionParameter,
        mode: impl DistributionParameter,
        right: impl DistributionParameter,
        shape: impl IntoShape,
    ) -> GpuArray<f64> {
        let ends = [left.parameter(), mode.parameter(), right.parameter()];
        GpuArray::wrap(self.triangle(ends, shape.into_dims()).or_raise())
    }

    /// Normally distributed numbers of mean 0 and standard deviation 1.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the device does not have enough memory.
    #[track_caller]
    pub fn standard_normal<T: NormalElem>(&self, shape: impl IntoShape) -> GpuArray<T> {
        GpuArray::wrap(self.standard_normals(T::DTYPE, shape.into_dims()).or_raise())
    }

    /// Exponentially distributed numbers of mean 1.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the device does not have enough memory.
    #[track_caller]
    pub fn standard_exponential<T: NormalElem>(&self, shape: impl IntoShape) -> GpuArray<T> {
        let one = [("scale", Value::Scalar(Scalar::Int(1)), Bound::Positive)];
        let dims = shape.into_dims();
        let raw = self.sampled("standard_exponential", Distribution::Exponential, &one, T::DTYPE, dims);
        GpuArray::wrap(raw.or_raise())
    }

    /// Numbers of the gamma distribution of scale 1.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if `k` is negative, or the device does not
    /// have enough memory.
    #[track_caller]
    pub fn standard_gamma<T: NormalElem>(
        &self,
        k: impl DistributionParameter,
        shape: impl IntoShape,
    ) -> GpuArray<T> {
        let one = Value::Scalar(Scalar::Int(1));
        let parameters = [("k", k.parameter(), Bound::NotNegative), ("scale", one, Bound::Positive)];
        let dims = shape.into_dims();
        GpuArray::wrap(
            self.sampled("standard_gamma", Distribution::Gamma, &parameters, T::DTYPE, dims).or_raise(),
        )
    }

    /// Integers of a range, each as likely as the others: `0..10`, or `1..=6`
    /// for NumPy's `endpoint=True`. They have the type of the range.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let rng = default_rng(1);
    /// let bytes = rng.integers(0_u8..=255, (2, 3));
    /// let coins = rng.integers(false..=true, 10);
    /// assert_eq!((bytes.size(), coins.size()), (6, 10));
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the range is empty, or the device does
    /// not have enough memory.
    #[track_caller]
    pub fn integers<R: IntegerRange>(&self, range: R, shape: impl IntoShape) -> GpuArray<R::Elem> {
        GpuArray::wrap(self.whole(range.ends(), R::Elem::DTYPE, shape.into_dims()).or_raise())
    }

    /// Random bytes, on the host.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the device does not have enough memory.
    #[track_caller]
    pub fn bytes(&self, length: usize) -> Vec<u8> {
        self.integers(0_u8..=255, length).to_vec()
    }

    /// A copy of an array whose parts along the first axis are in random order;
    /// of a number `n`, the integers below it.
    ///
    /// The order is that of a keyed permutation: each element is computed on its
    /// own, so nothing is sorted. Every element is as likely everywhere, but a
    /// seed of 64 bits does not reach all orders of more than 20 elements.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let order = default_rng(3).permutation(5).to_vec();
    /// assert_eq!(order.iter().sum::<i64>(), 10);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the array has no axes, or the device
    /// does not have enough memory.
    #[track_caller]
    pub fn permutation<P: Population>(&self, population: P) -> P::Out {
        let count = population.count("permutation").or_raise();
        population.chosen(&self.order(count, count.into_dims()).or_raise())
    }

    /// Brings the parts of an array along its first axis into random order.
    ///
    /// # Panics
    ///
    /// As [`Generator::permutation`].
    #[track_caller]
    pub fn shuffle<T: Elem>(&self, array: &mut GpuArray<T>) {
        let shuffled = self.permutation(&*array);
        array.fill(&shuffled);
    }

    /// Parts of an array along its first axis, each as likely, with repetitions;
    /// of a number `n`, integers below it. NumPy's `choice(a, size)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let picked = default_rng(5).choice(&gpu![10, 20, 30], 100);
    /// assert_eq!(picked.max().item(), 30);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there is nothing to choose from, or the
    /// device does not have enough memory.
    #[track_caller]
    pub fn choice<P: Population>(&self, population: P, shape: impl IntoShape) -> P::Out {
        let count = population.count("choice").or_raise();
        population.chosen(&self.indices(count, shape.into_dims()).or_raise())
    }

    /// The same, where nothing is chosen twice. NumPy's `choice(a, size,
    /// replace=False)`.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there are fewer than the shape has
    /// elements, or the device does not have enough memory.
    #[track_caller]
    pub fn choice_without_replacement<P: Population>(&self, population: P, shape: impl IntoShape) -> P::Out {
        let count = population.count("choice_without_replacement").or_raise();
        population.chosen(&self.order(count, shape.into_dims()).or_raise())
    }

    /// Generators for so many ranks or threads: each has its own numbers, also
    /// from those of a later call.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let ranks = default_rng(0).spawn(4);
    /// assert_ne!(ranks[0].random::<f64>(3).to_vec(), ranks[1].random::<f64>(3).to_vec());
    /// ```
    pub fn spawn(&self, count: usize) -> Vec<Generator> {
        let first = self.spawned.fetch_add(count as u64, Ordering::Relaxed);
        // No array has a number so high: what `philox` gives here is not used.
        let child = |number: u64| philox(first.wrapping_add(number), u64::MAX, self.key);
        (0..count as u64)
            .map(|number| {
                let [a, b, ..] = child(number);
                Generator::of_key(u64::from(b) << 32 | u64::from(a))
            })
            .collect()
    }

    /// The same generator 2^40 arrays later, as often as `jumps` says.
    pub fn jumped(&self, jumps: u64) -> Generator {
        let jumped = self.clone();
        jumped.arrays.fetch_add(jumps << 40, Ordering::Relaxed);
        jumped
    }

    fn of_key(key: u64) -> Generator {
        Generator { key, arrays: AtomicU64::new(0), spawned: AtomicU64::new(0) }
    }

    /// The key, and the number of the next array.
    pub(super) fn next(&self) -> (u64, u64) {
        (self.key, self.arrays.fetch_add(1, Ordering::Relaxed))
    }

    pub(super) fn standard_normals(&self, dtype: DType, dims: Dims) -> Result<Raw> {
        if dtype == DType::Float32 {
            return filled("standard_normal", dims, dtype, RandomKind::Normal, || self.next());
        }
        self.distributed("standard_normal", Distribution::StandardNormal, [0; 3], dtype, dims)
    }

    fn whole(&self, (low, last): (i128, i128), dtype: DType, dims: Dims) -> Result<Raw> {
        if low > last {
            let message = format!("low >= high: there are no integers from {low} to {last}");
            return Err(Problem::Invalid { operation: "integers", message }.into());
        }
        // Of negative numbers, the bits.
        let parameters = [low as u64, (last - low) as u64, 0];
        self.distributed("integers", Distribution::Integers, parameters, dtype, dims)
    }

    /// Indices of a population.
    fn indices(&self, count: usize, dims: Dims) -> Result<Raw> {
        if count == 0 {
            let message = "there are no elements to choose from".to_owned();
            return Err(Problem::Invalid { operation: "choice", message }.into());
        }
        self.whole((0, count as i128 - 1), DType::Int64, dims)
    }

    /// The first numbers of a permutation of those below `count`.
    fn order(&self, count: usize, dims: Dims) -> Result<Raw> {
        let operation = "permutation";
        let size = dims.shape(operation, DType::Int64.size())?.size();
        if size > count {
            let message = format!("a sample of {size} is larger than the population, {count}");
            return Err(Problem::Invalid { operation: "choice_without_replacement", message }.into());
        }
        let parameters = [count as u64, half_bits(count as u64), 0];
        self.distributed(operation, Distribution::Permutation, parameters, DType::Int64, dims)
    }
}
