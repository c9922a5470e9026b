//! Random numbers of many distributions: one sampler each, written once for both
//! devices (see `both`), so a seed gives the same numbers everywhere.
//!
//! A new distribution is a function and a row of `distributions!`.
#![allow(
    unused_parens,
    clippy::needless_return,
    clippy::excessive_precision,
    clippy::unreadable_literal,
    clippy::approx_constant,
    clippy::manual_range_contains,
    clippy::assign_op_pattern,
    reason = "the text is C++, too"
)]

use super::both::{AFTER, BEFORE, Draws, ceil, fabs, floor, high_times, in_both, minus, plus, sqrt, times};
use super::functions::{
    FUNCTIONS, arctangent, cosine_of_turns, exp, expm1, log, log_of_gamma, log1p, sine_of_turns,
};
use crate::DType;

/// The threads of a block of the generated kernel.
pub const BLOCK: usize = 256;

in_both! { SAMPLERS:
    /// G. E. P. Box and M. E. Muller, "A note on the generation of random normal
    /// deviates", Annals of Mathematical Statistics 29, 1958.
    fn standard_normal[draws]() -> f64 {
        let radius = sqrt(-2.0 * log(draws.open()));
        let turns = draws.unit();
        return radius * cosine_of_turns(turns);
    }

    fn exponential[draws](scale: f64) -> f64 {
        return -log(draws.open()) * scale;
    }

    /// G. Marsaglia and W. W. Tsang, "A simple method for generating gamma
    /// variables", ACM Transactions on Mathematical Software 26, 2000; the shape
    /// is at least 1.
    fn gamma_from_one[draws](shape: f64) -> f64 {
        let d = shape - 0.3333333333333333;
        let c = 1.0 / sqrt(9.0 * d);
        loop {
            let x = standard_normal(draws);
            let u = draws.open();
            let t = 1.0 + c * x;
            if (t > 0.0) {
                let v = t * t * t;
                if (log(u) < 0.5 * x * x + d - d * v + d * log(v)) { return d * v; }
            }
        }
    }

    fn gamma[draws](shape: f64, scale: f64) -> f64 {
        if (shape >= 1.0) { return gamma_from_one(draws, shape) * scale; }
        if (shape == 0.0) { return 0.0; }
        let boost = log(draws.open()) / shape;
        let from_one = gamma_from_one(draws, shape + 1.0);
        return from_one * exp(boost) * scale;
    }

    /// The logarithm of a number of the gamma distribution, also where that
    /// number is too small for a float.
    fn log_gamma[draws](shape: f64) -> f64 {
        if (shape >= 1.0) { return log(gamma_from_one(draws, shape)); }
        let boost = log(draws.open()) / shape;
        let from_one = gamma_from_one(draws, shape + 1.0);
        return log(from_one) + boost;
    }

    fn beta[draws](a: f64, b: f64) -> f64 {
        let x = log_gamma(draws, a);
        let y = log_gamma(draws, b);
        if (x > y) { return 1.0 / (1.0 + exp(y - x)); }
        let ratio = exp(x - y);
        return ratio / (1.0 + ratio);
    }

    fn chisquare[draws](df: f64) -> f64 {
        return gamma(draws, 0.5 * df, 2.0);
    }

    fn f[draws](dfnum: f64, dfden: f64) -> f64 {
        let above = chisquare(draws, dfnum);
        let below = chisquare(draws, dfden);
        return above * dfden / (below * dfnum);
    }

    fn standard_t[draws](df: f64) -> f64 {
        let x = standard_normal(draws);
        let square = chisquare(draws, df);
        return x / sqrt(square / df);
    }

    fn uniform[draws](low: f64, width: f64) -> f64 {
        return low + width * draws.unit();
    }

    fn normal[draws](loc: f64, scale: f64) -> f64 {
        return loc + scale * standard_normal(draws);
    }

    fn lognormal[draws](mean: f64, sigma: f64) -> f64 {
        return exp(mean + sigma * standard_normal(draws));
    }

    fn laplace[draws](loc: f64, scale: f64) -> f64 {
        let u = draws.open();
        if (u < 0.5) { return loc + scale * log(2.0 * u); }
        return loc - scale * log(2.0 - 2.0 * u);
    }

    fn logistic[draws](loc: f64, scale: f64) -> f64 {
        let u = draws.open();
        return loc + scale * log(u / (1.0 - u));
    }

    fn gumbel[draws](loc: f64, scale: f64) -> f64 {
        return loc - scale * log(-log(draws.open()));
    }

    fn weibull[draws](a: f64) -> f64 {
        if (a == 0.0) { return 0.0; }
        return exp(log(-log(draws.open())) / a);
    }

    fn pareto[draws](a: f64) -> f64 {
        return expm1(-log(draws.open()) / a);
    }

    fn power[draws](a: f64) -> f64 {
        return exp(log(draws.open()) / a);
    }

    fn rayleigh[draws](scale: f64) -> f64 {
        return scale * sqrt(-2.0 * log(draws.open()));
    }

    fn standard_cauchy[draws]() -> f64 {
        let turns = 0.5 * draws.open();
        return sine_of_turns(turns) / cosine_of_turns(turns);
    }

    fn triangular[draws](left: f64, mode: f64, right: f64) -> f64 {
        let width = right - left;
        let u = draws.unit();
        if (u * width <= mode - left) { return left + sqrt(u * width * (mode - left)); }
        return right - sqrt((1.0 - u) * width * (right - mode));
    }

    /// J. R. Michael, W. R. Schucany and R. W. Haas, "Generating random variates
    /// using transformations with multiple roots", The American Statistician 30,
    /// 1976.
    fn wald[draws](mean: f64, scale: f64) -> f64 {
        let x = standard_normal(draws);
        let u = draws.unit();
        let y = mean * x * x;
        // The smaller root of the two, without a difference of large numbers.
        let root = sqrt(4.0 * scale * y + y * y);
        let small = mean * 2.0 * scale / (2.0 * scale + y + root);
        if (u <= mean / (mean + small)) { return small; }
        return mean * mean / small;
    }

    /// Below 10, D. E. Knuth's products of uniform numbers; else W. Hoermann,
    /// "The transformed rejection method for generating Poisson random
    /// variables", Insurance: Mathematics and Economics 12, 1993.
    fn poisson[draws](lam: f64) -> f64 {
        let mut count = 0.0;
        if (lam < 10.0) {
            let limit = exp(-lam);
            let mut product = draws.open();
            while (product > limit) {
                product = product * draws.open();
                count = count + 1.0;
            }
            return count;
        }
        let log_of_lam = log(lam);
        let b = 0.931 + 2.53 * sqrt(lam);
        let a = -0.059 + 0.02483 * b;
        let inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
        let quick = 0.9277 - 3.6224 / (b - 2.0);
        loop {
            let u = draws.open() - 0.5;
            let v = draws.open();
            let us = 0.5 - fabs(u);
            count = floor((2.0 * a / us + b) * u + lam + 0.43);
            if (us >= 0.07 && v <= quick) { return count; }
            if (count >= 0.0 && (us >= 0.013 || v <= us)) {
                let bound = count * log_of_lam - lam - log_of_gamma(count + 1.0);
                if (log(v * inverse_alpha / (a / (us * us) + b)) <= bound) { return count; }
            }
        }
    }

    fn negative_binomial[draws](n: f64, p: f64) -> f64 {
        let lam = gamma(draws, n, (1.0 - p) / p);
        return poisson(draws, lam);
    }

    /// What Stirling's series leaves of the logarithm of a factorial.
    fn after_stirling(k: f64) -> f64 {
        let y = k + 1.0;
        return log_of_gamma(y) - ((y - 0.5) * log(y) - y + 9.189385332046727418e-01);
    }

    /// Where n p is below 10, sums of geometric distances; else W. Hoermann, "The
    /// generation of binomial random variates", Journal of Statistical Computation
    /// and Simulation 46, 1993. The probability is at most one half.
    fn binomial_below_half[draws](n: f64, p: f64) -> f64 {
        let mut count = 0.0;
        if (n * p < 10.0) {
            let rate = log1p(-p);
            let mut place = ceil(log(draws.open()) / rate);
            while (place <= n) {
                count = count + 1.0;
                place = place + ceil(log(draws.open()) / rate);
            }
            return count;
        }
        let deviation = sqrt(n * p * (1.0 - p));
        let b = 1.15 + 2.53 * deviation;
        let a = -0.0873 + 0.0248 * b + 0.01 * p;
        let quick = 0.92 - 4.2 / b;
        let odds = p / (1.0 - p);
        let alpha = (2.83 + 5.1 / b) * deviation;
        let m = floor((n + 1.0) * p);
        loop {
            let u = draws.open() - 0.5;
            let v = draws.open();
            let us = 0.5 - fabs(u);
            count = floor((2.0 * a / us + b) * u + n * p + 0.5);
            if (us >= 0.07 && v <= quick) { return count; }
            if (count >= 0.0 && count <= n) {
                let bound = (m + 0.5) * log((m + 1.0) / (odds * (n - m + 1.0)))
                    + (n + 1.0) * log((n - m + 1.0) / (n - count + 1.0))
                    + (count + 0.5) * log(odds * (n - count + 1.0) / (count + 1.0))
                    + after_stirling(m) + after_stirling(n - m) - after_stirling(count) - after_stirling(n - count);
                if (log(v * alpha / (a / (us * us) + b)) <= bound) { return count; }
            }
        }
    }

    fn binomial[draws](n: f64, p: f64) -> f64 {
        if (n == 0.0 || p == 0.0) { return 0.0; }
        if (p <= 0.5) { return binomial_below_half(draws, n, p); }
        if (p == 1.0) { return n; }
        return n - binomial_below_half(draws, n, 1.0 - p);
    }

    fn geometric[draws](p: f64) -> f64 {
        if (p == 1.0) { return 1.0; }
        let tries = ceil(log(draws.open()) / log1p(-p));
        if (tries < 1.0) { return 1.0; }
        // As NumPy, the last integer where it is beyond them.
        if (tries > 9223372036854774784.0) { return 9223372036854774784.0; }
        return tries;
    }

    fn noncentral_chisquare[draws](df: f64, nonc: f64) -> f64 {
        if (nonc == 0.0) { return chisquare(draws, df); }
        if (df > 1.0) {
            let rest = chisquare(draws, df - 1.0);
            let moved = standard_normal(draws) + sqrt(nonc);
            return rest + moved * moved;
        }
        let extra = poisson(draws, 0.5 * nonc);
        return chisquare(draws, df + 2.0 * extra);
    }

    fn noncentral_f[draws](dfnum: f64, dfden: f64, nonc: f64) -> f64 {
        let above = noncentral_chisquare(draws, dfnum, nonc);
        let below = chisquare(draws, dfden);
        return above * dfden / (below * dfnum);
    }

    /// L. Devroye, "Non-Uniform Random Variate Generation", 1986, X.6.1. What is
    /// too large for an integer is not drawn.
    fn zipf[draws](a: f64) -> f64 {
        if (a >= 1025.0) { return 1.0; }
        let less = a - 1.0;
        let power = exp(less * 0.6931471805599453094);
        let least = exp(less * -43.66827237527655449);
        loop {
            let part = draws.open();
            let v = draws.unit();
            let x = floor(exp(-log(part * least + (1.0 - part)) / less));
            if (x >= 1.0 && x <= 9223372036854774784.0) {
                let more = expm1(less * log1p(1.0 / x));
                if (v * x * more / expm1(less * 0.6931471805599453094) <= (more + 1.0) / power) { return x; }
            }
        }
    }

    /// A. W. Kemp, "Efficient generation of logarithmically distributed
    /// pseudo-random variables", Applied Statistics 30, 1981.
    fn logseries[draws](p: f64) -> f64 {
        let rate = log1p(-p);
        loop {
            let v = draws.unit();
            if (v >= p) { return 1.0; }
            let q = -expm1(rate * draws.open());
            if (v > q * q) {
                if (v >= q) { return 1.0; }
                return 2.0;
            }
            let x = floor(1.0 + log(v) / log(q));
            if (v > 0.0 && x >= 1.0) { return x; }
        }
    }

    /// D. J. Best and N. I. Fisher, "Efficient simulation of the von Mises
    /// distribution", Applied Statistics 28, 1979; where it is as good as a normal
    /// distribution, or a uniform one, that.
    fn vonmises[draws](mu: f64, kappa: f64) -> f64 {
        let pi = 3.141592653589793116;
        let mut angle = pi * (2.0 * draws.unit() - 1.0);
        if (kappa > 1e6) {
            angle = standard_normal(draws) * sqrt(1.0 / kappa);
        } else if (kappa >= 1e-8) {
            let mut s = 1.0 / kappa + kappa;
            if (kappa >= 1e-5) {
                let r = 1.0 + sqrt(1.0 + 4.0 * kappa * kappa);
                let rho = (r - sqrt(2.0 * r)) / (2.0 * kappa);
                s = (1.0 + rho * rho) / (2.0 * rho);
            }
            // Left of the circle where the first number was.
            let is_left = angle;
            angle = 4.0;
            while (angle > pi) {
                let z = cosine_of_turns(0.5 * draws.unit());
                let v = draws.open();
                let cosine = (1.0 + s * z) / (s + z);
                let y = kappa * (s - cosine);
                if (y * (2.0 - y) >= v || log(y / v) + 1.0 >= y) {
                    angle = 2.0 * arctangent(sqrt(fabs(1.0 - cosine) / fabs(1.0 + cosine)));
                }
            }
            if (is_left < 0.0) { angle = -angle; }
        }
        let moved = angle + mu;
        return moved - 2.0 * pi * floor((moved + pi) / (2.0 * pi));
    }

    fn log_of_factorial(k: f64) -> f64 {
        return log_of_gamma(k + 1.0);
    }

    /// Below ten draws, one by one; else E. Stadlober, "The ratio of uniforms
    /// approach for generating discrete random variates", Journal of Computational
    /// and Applied Mathematics 31, 1990. What is left is drawn where that is less.
    fn hypergeometric[draws](ngood: f64, nbad: f64, nsample: f64) -> f64 {
        let all = ngood + nbad;
        let mut sample = nsample;
        if (2.0 * nsample > all) { sample = all - nsample; }
        let mut found = 0.0;
        if (sample < 10.0) {
            let mut k = 0.0;
            while (k < sample) {
                if (draws.unit() * (all - k) < ngood - found) { found = found + 1.0; }
                k = k + 1.0;
            }
        } else {
            let mut few = ngood;
            let mut many = nbad;
            if (nbad < ngood) {
                few = nbad;
                many = ngood;
            }
            let p = few / all;
            let a = sample * p + 0.5;
            let variance = (all - sample) * sample * p * (1.0 - p) / (all - 1.0);
            let c = sqrt(variance + 0.5);
            let h = 1.7155277699214135 * c + 0.8989161620588988;
            let m = floor((sample + 1.0) * (few + 1.0) / (all + 2.0));
            let g = log_of_factorial(m) + log_of_factorial(few - m) + log_of_factorial(sample - m)
                + log_of_factorial(many - sample + m);
            let mut end = few + 1.0;
            if (sample < few) { end = sample + 1.0; }
            if (floor(a + 16.0 * c) < end) { end = floor(a + 16.0 * c); }
            let mut is_found = 0.0;
            while (is_found == 0.0) {
                let u = draws.open();
                let v = draws.unit();
                let x = a + h * (v - 0.5) / u;
                if (x >= 0.0 && x < end) {
                    found = floor(x);
                    let t = g - (log_of_factorial(found) + log_of_factorial(few - found)
                        + log_of_factorial(sample - found) + log_of_factorial(many - sample + found));
                    if (2.0 * log(u) <= t) { is_found = 1.0; }
                }
            }
            if (nbad < ngood) { found = sample - found; }
        }
        if (sample < nsample) { return ngood - found; }
        return found;
    }

    /// D. Lemire, "Fast random integer generation in an interval", ACM
    /// Transactions on Modeling and Computer Simulation 29, 2019. All integers
    /// are as likely: from `low` to `span` above it.
    fn integers[draws](low: u64, span: u64) -> u64 {
        if (span == 0xffffffffffffffff) { return plus(low, draws.word()); }
        let count = span + 1;
        loop {
            let word = draws.word();
            let rest = times(word, count);
            if (rest >= count) { return plus(low, high_times(word, count)); }
            if (rest >= minus(0, count) % count) { return plus(low, high_times(word, count)); }
        }
    }

    /// Where a permutation of `count` numbers has this element: a Feistel network
    /// over pairs of halves of so many bits (M. Luby and C. Rackoff, 1988),
    /// repeated until it falls among the numbers (J. Black and P. Rogaway,
    /// "Ciphers with arbitrary finite domains", CT-RSA 2002).
    fn permutation[draws](count: u64, half: u64) -> u64 {
        let mask = (plus(0, 1) << half) - 1;
        let mut place = draws.element;
        loop {
            let mut left = place >> half;
            let mut right = place & mask;
            let mut round = plus(0, 0);
            while (round < 8) {
                let next = left ^ (draws.hash(right, round) & mask);
                left = right;
                right = next;
                round = round + 1;
            }
            place = (left << half) | right;
            if (place < count) { return place; }
        }
    }
}

macro_rules! distributions {
    ($($variant:ident $name:ident($($parameter:ident),*): $doc:literal;)*) => {
        /// How random numbers are distributed. The parameters are floats.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Distribution {
            $(#[doc = $doc] $variant,)*
            /// Integers from the first parameter to as far above it as the second.
            Integers,
            /// Whole numbers below the first parameter, each once; the second is
            /// [`half_bits`] of it.
            Permutation,
        }

        impl Distribution {
            /// All of them.
            pub const ALL: &[Distribution] =
                &[$(Distribution::$variant,)* Distribution::Integers, Distribution::Permutation];

            /// NumPy's name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Distribution::$variant => stringify!($name),)*
                    Distribution::Integers => "integers",
                    Distribution::Permutation => "permutation",
                }
            }

            /// Whether the parameters and the numbers are 64-bit integers.
            pub fn is_integer(self) -> bool {
                matches!(self, Distribution::Integers | Distribution::Permutation)
            }

            /// How it is called in CUDA C.
            fn call(self) -> &'static str {
                match self {
                    $(Distribution::$variant => distributions!(call $name $($parameter)*),)*
                    Distribution::Integers => "integers(draws, a, b)",
                    Distribution::Permutation => "permutation(draws, a, b)",
                }
            }

            /// One number, of a distribution of floats.
            ///
            /// # Panics
            ///
            /// If it is one of integers.
            pub fn sample(self, draws: &mut Draws, [a, b, c]: [f64; 3]) -> f64 {
                let _ = c;
                match self {
                    $(Distribution::$variant => distributions!(sample $name draws a b c; $($parameter)*),)*
                    Distribution::Integers | Distribution::Permutation => panic!("{self:?} is of integers"),
                }
            }
        }
    };
    (call $name:ident) => { concat!(stringify!($name), "(draws)") };
    (call $name:ident $a:ident) => { concat!(stringify!($name), "(draws, a)") };
    (call $name:ident $a:ident $b:ident) => { concat!(stringify!($name), "(draws, a, b)") };
    (call $name:ident $a:ident $b:ident $c:ident) => { concat!(stringify!($name), "(draws, a, b, c)") };
    (sample $name:ident $draws:ident $a:ident $b:ident $c:ident;) => { $name($draws) };
    (sample $name:ident $draws:ident $a:ident $b:ident $c:ident; $x:ident) => { $name($draws, $a) };
    (sample $name:ident $draws:ident $a:ident $b:ident $c:ident; $x:ident $y:ident) => { $name($draws, $a, $b) };
    (sample $name:ident $draws:ident $a:ident $b:ident $c:ident; $x:ident $y:ident $z:ident) => {
        $name($draws, $a, $b, $c)
    };
}
distributions! {
    StandardNormal standard_normal(): "Mean 0, standard deviation 1.";
    Exponential exponential(scale): "Waiting times of this mean.";
    Gamma gamma(shape, scale): "The gamma distribution.";
    Beta beta(a, b): "The beta distribution.";
    ChiSquare chisquare(df): "Sums of squares of so many normal numbers.";
    F f(dfnum, dfden): "Ratios of mean squares.";
    StandardT standard_t(df): "Student's t.";
    Uniform uniform(low, width): "From `low` to below `low + width`.";
    Normal normal(loc, scale): "The normal distribution.";
    LogNormal lognormal(mean, sigma): "Powers of e to normal numbers.";
    Laplace laplace(loc, scale): "The double exponential distribution.";
    Logistic logistic(loc, scale): "The logistic distribution.";
    Gumbel gumbel(loc, scale): "The largest of many.";
    Weibull weibull(a): "Weibull's distribution of scale 1.";
    Pareto pareto(a): "Lomax's distribution, also called Pareto's of the second kind.";
    Power power(a): "Powers of uniform numbers: the density is `a * x**(a - 1)`.";
    Rayleigh rayleigh(scale): "Lengths of normal pairs.";
    StandardCauchy standard_cauchy(): "Ratios of normal numbers.";
    Triangular triangular(left, mode, right): "A density that is a triangle.";
    Wald wald(mean, scale): "The inverse Gaussian distribution.";
    Poisson poisson(lam): "Counts of events of this mean.";
    Binomial binomial(n, p): "Counts of successes among `n` tries.";
    NegativeBinomial negative_binomial(n, p): "Failures before `n` successes.";
    Geometric geometric(p): "Tries up to the first success.";
    NoncentralChiSquare noncentral_chisquare(df, nonc): "Sums of squares of normal numbers that were moved.";
    NoncentralF noncentral_f(dfnum, dfden, nonc): "Ratios of mean squares, of which the first were moved.";
    Zipf zipf(a): "Ranks of words.";
    LogSeries logseries(p): "Counts of the individuals of species.";
    VonMises vonmises(mu, kappa): "Angles around one.";
    Hypergeometric hypergeometric(ngood, nbad, nsample): "Good ones in a sample without repetitions.";
}

/// One integer of `Integers` or `Permutation`.
pub fn sample_integer(distribution: Distribution, draws: &mut Draws, [a, b, _]: [u64; 3]) -> u64 {
    match distribution {
        Distribution::Integers => integers(draws, a, b),
        Distribution::Permutation => permutation(draws, a, b),
        other => panic!("{other:?} is of floats"),
    }
}

/// Half the bits of the numbers among which a permutation of `count` walks: at
/// least four times as many numbers for short ones, because a Feistel network
/// over all its numbers only makes even permutations.
pub fn half_bits(count: u64) -> u64 {
    u64::from((u64::BITS - count.leading_zeros()).div_ceil(2)).max(5)
}

/// CUDA C for a kernel `gpurepl_distribution(out, n, key, stream, a, b, c, each_a,
/// each_b, each_c)` that fills `n` elements of a type; `a`, `b`, `c` are 64 bits
/// each: floats, or integers for a distribution of them. `each_a` and its kin are
/// null, or have a float for each element in place of `a`, `b` and `c`, where these
/// are floats. It wants [`BLOCK`] threads in a block and a thread for each element.
pub fn to_cuda(dtype: DType, distribution: Distribution) -> String {
    let parameter = if distribution.is_integer() { "u64" } else { "f64" };
    // Those that the call has: NVRTC warns of a number that is set and not used.
    let used = if distribution.is_integer() { 0 } else { distribution.call().matches(',').count() };
    let from_arrays: String = ["a", "b", "c"][..used]
        .iter()
        .map(|name| format!("  if (each_{name}) {name} = each_{name}[i];\n"))
        .collect();
    format!(
        r#"{BEFORE}{FUNCTIONS}{SAMPLERS}{AFTER}extern "C" __global__ void __launch_bounds__({BLOCK})
gpurepl_distribution({c} *out, gpurepl::u64 n, gpurepl::u64 key, gpurepl::u64 stream,
                     gpurepl::{parameter} a, gpurepl::{parameter} b, gpurepl::{parameter} c,
                     const gpurepl::{parameter} *each_a, const gpurepl::{parameter} *each_b,
                     const gpurepl::{parameter} *each_c)
{{
  using namespace gpurepl;
  const u64 i = (u64)blockIdx.x * {BLOCK} + threadIdx.x;
  if (i >= n) return;
{from_arrays}  Draws draws(i, stream, key);
  out[i] = ({c})gpurepl::{call};
}}
"#,
        c = dtype.c(),
        call = distribution.call(),
    )
}
