//! [`Generator`]: random arrays of many distributions, NumPy's
//! `numpy.random.Generator`.

use std::sync::atomic::{AtomicU64, Ordering};

use gpurepl_kernels::DType;
use gpurepl_kernels::random::distributions::{Distribution, half_bits};
use gpurepl_kernels::random::philox;

use super::population::{IntegerRange, Population};
use super::{NormalElem, filled, next};
use crate::array::{Elem, GpuArray, Node, Place, Raw, RealScalar};
use crate::device::operations::{Distributed, RandomKind};
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

/// What a parameter must be.
#[derive(Clone, Copy)]
enum Bound {
    Finite,
    NotNegative,
    Positive,
    Probability,
    PositiveProbability,
    BelowOne,
    AboveOne,
    Count,
    Population,
}

impl Bound {
    /// What is wrong with a value, if anything.
    fn broken_by(self, value: f64) -> Option<&'static str> {
        let (holds, words) = match self {
            Bound::Finite => (value.is_finite(), "must be finite"),
            Bound::NotNegative => (value >= 0.0 && value.is_finite(), "must not be negative"),
            Bound::Positive => (value > 0.0 && value.is_finite(), "must be above 0"),
            Bound::Probability => ((0.0..=1.0).contains(&value), "must be from 0 to 1"),
            Bound::PositiveProbability => (value > 0.0 && value <= 1.0, "must be above 0 and at most 1"),
            Bound::BelowOne => ((0.0..1.0).contains(&value), "must be from 0 to below 1"),
            Bound::AboveOne => (value > 1.0 && value.is_finite(), "must be above 1"),
            // Beyond, logarithms of factorials have too few digits; NumPy has the same bound.
            Bound::Population => (
                (0.0..1e9).contains(&value) && value.fract() == 0.0,
                "must be a whole number from 0 to below 10**9",
            ),
            // Beyond, the steps between floats are larger than 1.
            Bound::Count => (
                (0.0..=9_007_199_254_740_992.0).contains(&value) && value.fract() == 0.0,
                "must be a whole number from 0 to 2**53",
            ),
        };
        (!holds).then_some(words)
    }
}

/// A parameter as it was passed: its name, its value, what it must be.
type Parameter = (&'static str, Scalar, Bound);

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
        /// distribution's, or the device does not have enough memory.
        #[track_caller]
        pub fn $name(&self, $($parameter: impl RealScalar,)* shape: impl IntoShape) -> GpuArray<$t> {
            let parameters: &[Parameter] =
                &[$((stringify!($parameter), $parameter.real_scalar(), Bound::$bound)),*];
            let raw = self.sampled(stringify!($name), Distribution::$distribution, parameters, $t::DTYPE, shape.into_dims());
            GpuArray::wrap(raw.or_raise())
        }
    )*};
}

/// Distributions with NumPy's names and parameters. A parameter is a number; the
/// shape is last.
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
        poisson(lam: NotNegative) -> i64, Poisson;
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
        ngood: impl RealScalar,
        nbad: impl RealScalar,
        nsample: impl RealScalar,
        shape: impl IntoShape,
    ) -> GpuArray<i64> {
        let scalars = [ngood.real_scalar(), nbad.real_scalar(), nsample.real_scalar()];
        GpuArray::wrap(self.sample_of_two(scalars, shape.into_dims()).or_raise())
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
        low: impl RealScalar,
        high: impl RealScalar,
        shape: impl IntoShape,
    ) -> GpuArray<f64> {
        let (low, high) = (low.real_scalar(), high.real_scalar());
        let width = high.real().unwrap_or(f64::NAN) - low.real().unwrap_or(f64::NAN);
        let parameters =
            [("low", low, Bound::Finite), ("high - low", Scalar::Float(width), Bound::NotNegative)];
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
        left: impl RealScalar,
        mode: impl RealScalar,
        right: impl RealScalar,
        shape: impl IntoShape,
    ) -> GpuArray<f64> {
        let ends = [left.real_scalar(), mode.real_scalar(), right.real_scalar()];
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
        let one = [("scale", Scalar::Int(1), Bound::Positive)];
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
    pub fn standard_gamma<T: NormalElem>(&self, k: impl RealScalar, shape: impl IntoShape) -> GpuArray<T> {
        let parameters =
            [("k", k.real_scalar(), Bound::NotNegative), ("scale", Scalar::Int(1), Bound::Positive)];
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

    fn sampled(
        &self,
        operation: &'static str,
        distribution: Distribution,
        parameters: &[Parameter],
        dtype: DType,
        dims: Dims,
    ) -> Result<Raw> {
        let mut bits = [0; 3];
        for ((name, scalar, bound), bits) in parameters.iter().zip(&mut bits) {
            let value = scalar.real().unwrap_or(f64::NAN);
            if let Some(words) = bound.broken_by(value) {
                return Err(Problem::Invalid {
                    operation,
                    message: format!("{name} is {value}, and {words}"),
                }
                .into());
            }
            *bits = value.to_bits();
        }
        self.distributed(operation, distribution, bits, dtype, dims)
    }

    pub(super) fn standard_normals(&self, dtype: DType, dims: Dims) -> Result<Raw> {
        if dtype == DType::Float32 {
            return filled("standard_normal", dims, dtype, RandomKind::Normal, || self.next());
        }
        self.distributed("standard_normal", Distribution::StandardNormal, [0; 3], dtype, dims)
    }

    fn sample_of_two(&self, [good, bad, sample]: [Scalar; 3], dims: Dims) -> Result<Raw> {
        let operation = "hypergeometric";
        let number = |scalar: Scalar| scalar.real().unwrap_or(f64::NAN);
        let all = number(good) + number(bad);
        if number(sample) > all {
            let message = format!("a sample of {} is larger than ngood + nbad, {all}", number(sample));
            return Err(Problem::Invalid { operation, message }.into());
        }
        let parameters = [("ngood", good), ("nbad", bad), ("nsample", sample)]
            .map(|(name, scalar)| (name, scalar, Bound::Population));
        self.sampled(operation, Distribution::Hypergeometric, &parameters, DType::Int64, dims)
    }

    fn triangle(&self, ends: [Scalar; 3], dims: Dims) -> Result<Raw> {
        let [left, mode, right] = ends.map(|end| end.real().unwrap_or(f64::NAN));
        if !(left <= mode && mode <= right && left < right && (right - left).is_finite()) {
            let message =
                format!("left, mode and right are {left}, {mode} and {right}, and must be in this order");
            return Err(Problem::Invalid { operation: "triangular", message }.into());
        }
        let bits = [left, mode, right].map(f64::to_bits);
        self.distributed("triangular", Distribution::Triangular, bits, DType::Float64, dims)
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

    fn distributed(
        &self,
        operation: &'static str,
        distribution: Distribution,
        parameters: [u64; 3],
        dtype: DType,
        dims: Dims,
    ) -> Result<Raw> {
        let shape = dims.shape(operation, dtype.size())?;
        let place = Place::new(shape, dtype)?;
        let (key, stream) = self.next();
        if shape.size() > 0 {
            let output = &place.buffer;
            output.context().perform(&Distributed {
                output,
                dtype,
                distribution,
                key,
                stream,
                parameters,
            })?;
        }
        Ok(Raw::new(Node::ready(shape, dtype, place)))
    }
}
