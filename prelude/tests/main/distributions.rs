//! `Generator`: its distributions against exact probabilities, and the same
//! numbers on every device.

use gpurepl_kernels::random::distributions::{Distribution, to_cuda};
use gpurepl_prelude::*;

use crate::raises;

/// Random numbers of a row of `distributions.txt`.
fn sampled(rng: &Generator, name: &str, parameters: &[f64], n: usize) -> Vec<f64> {
    let at = |k: usize| parameters[k];
    let counts = match name {
        "standard_normal" => rng.standard_normal(n),
        "normal" => rng.normal(at(0), at(1), n),
        "exponential" => rng.exponential(at(0), n),
        "gamma" => rng.gamma(at(0), at(1), n),
        "beta" => rng.beta(at(0), at(1), n),
        "chisquare" => rng.chisquare(at(0), n),
        "f" => rng.f(at(0), at(1), n),
        "standard_t" => rng.standard_t(at(0), n),
        "uniform" => rng.uniform(at(0), at(1), n),
        "lognormal" => rng.lognormal(at(0), at(1), n),
        "laplace" => rng.laplace(at(0), at(1), n),
        "logistic" => rng.logistic(at(0), at(1), n),
        "gumbel" => rng.gumbel(at(0), at(1), n),
        "weibull" => rng.weibull(at(0), n),
        "pareto" => rng.pareto(at(0), n),
        "power" => rng.power(at(0), n),
        "rayleigh" => rng.rayleigh(at(0), n),
        "standard_cauchy" => rng.standard_cauchy(n),
        "triangular" => rng.triangular(at(0), at(1), at(2), n),
        "wald" => rng.wald(at(0), at(1), n),
        "poisson" => rng.poisson(at(0), n).astype(f64),
        "binomial" => rng.binomial(at(0), at(1), n).astype(f64),
        "negative_binomial" => rng.negative_binomial(at(0), at(1), n).astype(f64),
        "geometric" => rng.geometric(at(0), n).astype(f64),
        "noncentral_chisquare" => rng.noncentral_chisquare(at(0), at(1), n),
        "noncentral_f" => rng.noncentral_f(at(0), at(1), at(2), n),
        "zipf" => rng.zipf(at(0), n).astype(f64),
        "logseries" => rng.logseries(at(0), n).astype(f64),
        "vonmises" => rng.vonmises(at(0), at(1), n),
        "hypergeometric" => rng.hypergeometric(at(0), at(1), at(2), n).astype(f64),
        other => panic!("{other}"),
    };
    counts.to_vec()
}

/// How many of `n` are below a number is binomially distributed, whatever the
/// distribution. Seven standard errors are missed less than once in 10^10.
#[test]
fn numbers_have_the_probabilities_of_their_distribution() {
    let n = 200_000;
    let rng = default_rng(2024);
    let mut names = Vec::new();
    for line in include_str!("numpy/distributions.txt").lines() {
        let mut fields = line.split(", ");
        let mut first = fields.next().unwrap().split(' ');
        let name = first.next().unwrap();
        names.push(name);
        let parameters: Vec<f64> = first.map(|number| number.parse().unwrap()).collect();
        let mut pairs: Vec<(f64, f64)> = fields
            .map(|pair| {
                let (a, b) = pair.split_once(' ').unwrap();
                (a.parse().unwrap(), b.parse().unwrap())
            })
            .collect();
        let (mean, variance) = pairs.pop().unwrap();
        let numbers = sampled(&rng, name, &parameters, n);
        assert!(numbers.iter().all(|number| !number.is_nan()), "{line}");
        for (x, probability) in pairs {
            let below = numbers.iter().filter(|number| **number <= x).count() as f64 / n as f64;
            let error = (probability * (1.0 - probability) / n as f64).sqrt();
            assert!(
                (below - probability).abs() <= 7.0 * error + 1e-12,
                "{name} {parameters:?}: {below} of the numbers are at most {x}, not {probability}"
            );
        }
        if mean.is_finite() && variance.is_finite() {
            let average = numbers.iter().sum::<f64>() / n as f64;
            assert!((average - mean).abs() < 7.0 * (variance / n as f64).sqrt(), "{line}: {average}");
        }
    }
    for distribution in Distribution::ALL.iter().filter(|one| !one.is_integer()) {
        assert!(names.contains(&distribution.name()), "{distribution:?} has no probabilities");
    }
}

/// The text for a GPU, compiled as a user's kernel, gives the bits that the
/// generator gives: on the host it is the C++ compiler's against Rust's.
#[test]
fn the_text_for_a_gpu_and_the_host_have_the_same_bits() {
    let n = 3000_usize;
    let cases: &[(Distribution, [f64; 3])] = &[
        (Distribution::StandardNormal, [0.0; 3]),
        (Distribution::Gamma, [0.3, 2.0, 0.0]),
        (Distribution::Beta, [0.02, 3.0, 0.0]),
        (Distribution::Pareto, [3.0, 0.0, 0.0]),
        (Distribution::Weibull, [1.5, 0.0, 0.0]),
        (Distribution::StandardCauchy, [0.0; 3]),
        (Distribution::Wald, [2.0, 3.0, 0.0]),
        (Distribution::Poisson, [3.0, 0.0, 0.0]),
        (Distribution::Poisson, [1234.5, 0.0, 0.0]),
        (Distribution::Binomial, [1000.0, 0.77, 0.0]),
        (Distribution::Geometric, [0.01, 0.0, 0.0]),
        (Distribution::Zipf, [2.2, 0.0, 0.0]),
        (Distribution::LogSeries, [0.9, 0.0, 0.0]),
        (Distribution::VonMises, [1.0, 4.0, 0.0]),
        (Distribution::NoncentralChiSquare, [0.5, 2.0, 0.0]),
        (Distribution::Hypergeometric, [300.0, 900.0, 100.0]),
        (Distribution::Integers, [-5.0, 1e12, 0.0]),
        (Distribution::Permutation, [3000.0, 7.0, 0.0]),
    ];
    let (key, stream) = (0x1234_5678_9abc_def0_u64, 77_u64);
    for (distribution, parameters) in cases {
        let mut out = zeros::<f64>(n);
        let bits = parameters
            .map(|value| if distribution.is_integer() { value as i64 as u64 } else { f64::to_bits(value) });
        let module = SourceModule::builder(&to_cuda(DType::Float64, *distribution))
            .option("--fmad=false")
            .compile()
            .unwrap();
        let kernel = module.get_function("gpurepl_distribution").unwrap();
        // A null address cannot be passed: floats are in arrays here.
        let grid = n.div_ceil(256);
        if distribution.is_integer() {
            let ([a, b, c], unused) = (bits, zeros::<u64>(1));
            let given = (&mut out, n as u64, key, stream, a, b, c, &unused, &unused, &unused);
            kernel.launch(grid, 256, given).unwrap();
        } else {
            let [a, b, c] = parameters.map(|parameter| full(n, parameter));
            kernel.launch(grid, 256, (&mut out, n as u64, key, stream, 0.0, 0.0, 0.0, &a, &b, &c)).unwrap();
        }
        for (k, value) in out.to_vec().iter().enumerate() {
            let mut draws = gpurepl_kernels::random::Draws::new(k as u64, stream, key);
            let expected = if distribution.is_integer() {
                gpurepl_kernels::random::distributions::sample_integer(*distribution, &mut draws, bits) as f64
            } else {
                distribution.sample(&mut draws, *parameters)
            };
            assert_eq!(value.to_bits(), expected.to_bits(), "{distribution:?} {k}: {value} {expected}");
        }
    }
}

/// Written down on the host; every device gives the same.
#[test]
fn known_numbers_of_a_generator() {
    let rng = default_rng(42);
    assert_eq!(rng.integers(0..100, 8).to_vec(), [40, 3, 46, 77, 36, 61, 0, 66]);
    let bits: Vec<u64> = rng.normal(0, 1, 3).to_vec().iter().map(|x| x.to_bits()).collect();
    assert_eq!(bits, [4591935474851808270, 13833172345509028565, 13820223330981680001]);
    assert_eq!(rng.permutation(8).to_vec(), [6, 7, 0, 4, 5, 2, 3, 1]);
}

#[test]
fn integers_are_as_likely_as_each_other() {
    let n = 120_000;
    let rng = default_rng(5);
    let dice = rng.integers(1..=6, n).to_vec();
    let error = (n as f64 * (1.0 / 6.0) * (5.0 / 6.0)).sqrt();
    for face in 1..=6 {
        let count = dice.iter().filter(|one| **one == face).count() as f64;
        assert!((count - n as f64 / 6.0).abs() < 7.0 * error, "{face}: {count}");
    }
    // A range of three quarters of all words: without rejection, some would be
    // twice as likely.
    let wide = rng.integers(0..3_u64 << 62, n).to_vec();
    let third = wide.iter().filter(|one| **one < 1 << 62).count() as f64;
    assert!((third - n as f64 / 3.0).abs() < 7.0 * (n as f64 * 2.0 / 9.0).sqrt(), "{third}");
    // Ends, and types that have no room beyond them.
    let whole = rng.integers(i64::MIN..=i64::MAX, n).to_vec();
    assert!(whole.iter().any(|x| *x < 0) && whole.iter().any(|x| *x > 0));
    let bytes = rng.integers(i8::MIN..=i8::MAX, n).to_vec();
    assert!((-128..=127).all(|byte| bytes.contains(&byte)));
    let coins = rng.integers(false..=true, n).to_vec();
    let heads = coins.iter().filter(|coin| **coin).count() as f64;
    assert!((heads - n as f64 / 2.0).abs() < 7.0 * (n as f64 / 4.0).sqrt(), "{heads}");
    assert_eq!(rng.integers(-3..-2, 5).to_vec(), [-3; 5]);
    assert_eq!(rng.integers(u64::MAX..=u64::MAX, 2).to_vec(), [u64::MAX; 2]);
    assert_eq!(rng.bytes(10).len(), 10);
    assert_eq!(rng.integers(0..9, (2, 0)).shape(), [2, 0]);
}

#[test]
fn every_order_is_as_likely_as_the_others() {
    let rng = default_rng(9);
    let trials = 4800;
    let mut counts = std::collections::HashMap::new();
    for _ in 0..trials {
        *counts.entry(rng.permutation(4).to_vec()).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 24);
    let error = (f64::from(trials) * (1.0 / 24.0) * (23.0 / 24.0)).sqrt();
    for (order, count) in counts {
        assert!((f64::from(count) - f64::from(trials) / 24.0).abs() < 7.0 * error, "{order:?}: {count}");
    }
    for n in [0_usize, 1, 2, 31, 1023, 1024, 1025, 5000] {
        let mut order = rng.permutation(n).to_vec();
        order.sort_unstable();
        assert!(order.iter().copied().eq(0..n as i64), "{n}");
    }
}

#[test]
fn parts_of_arrays_are_chosen_and_shuffled() {
    let rng = default_rng(11);
    let a = arange(0..60).reshape((20, 3));
    let mut b = a.copy();
    rng.shuffle(&mut b);
    assert_ne!(a.to_vec(), b.to_vec());
    let mut rows: Vec<Vec<i32>> = b.to_vec().chunks(3).map(<[i32]>::to_vec).collect();
    rows.sort_unstable();
    assert_eq!(rows.concat(), a.to_vec());
    assert_eq!(rng.choice(&a, (2, 5)).shape(), [2, 5, 3]);
    let few = rng.choice_without_replacement(&a, 20).to_vec();
    assert_eq!(few.iter().collect::<std::collections::HashSet<_>>().len(), 60);
    assert_eq!(rng.choice(1, 3).to_vec(), [0; 3]);
    assert!(rng.choice(3, 1000).to_vec().iter().all(|one| (0..3).contains(one)));
}

#[test]
fn generators_have_sequences_of_their_own() {
    let rng = default_rng(1);
    let twin = rng.clone();
    assert_eq!(rng.random::<f32>(4).to_vec(), twin.random::<f32>(4).to_vec());
    let children = rng.spawn(3);
    let more = rng.spawn(1);
    let mut firsts: Vec<u64> = children
        .iter()
        .chain(&more)
        .chain([&rng, &rng.jumped(1), &rng.jumped(2)])
        .map(|one| one.integers(0..=u64::MAX, ()).item())
        .collect();
    firsts.sort_unstable();
    firsts.dedup();
    assert_eq!(firsts.len(), 7);
    // A number depends on its place, not on how many there are.
    let (few, many) = (default_rng(3).gamma(2, 1, 10), default_rng(3).gamma(2, 1, (100, 100)));
    assert_eq!(few.to_vec(), many.to_vec()[..10]);
    // Single precision is rounded from double.
    let (single, double) =
        (default_rng(3).standard_gamma::<f32>(2, 10), default_rng(3).standard_gamma(2, 10));
    assert_eq!(single.to_vec(), double.to_vec().iter().map(|x: &f64| *x as f32).collect::<Vec<_>>());
}

#[test]
fn choices_have_the_probabilities_of_their_weights() {
    let (rng, n) = (default_rng(77), 100_000);
    let weights = [1.0, 0.0, 3.0, 6.0, 0.0];
    let check = |picked: &GpuArray<i64>, shares: &[f64], what: &str| {
        for (k, share) in shares.iter().enumerate() {
            let found = picked.eq(k as i64).mean().item();
            let error = (share * (1.0 - share) / picked.size() as f64).sqrt();
            assert!((found - share).abs() <= 7.0 * error, "{what}: {k} has {found}, not {share}");
        }
    };
    check(&rng.choice_weighted(5, weights, n), &[0.1, 0.0, 0.3, 0.6, 0.0], "a slice of numbers");
    check(&rng.choice_weighted(5, &to_gpu(&weights), (n / 10, 10)), &[0.1, 0.0, 0.3, 0.6, 0.0], "an array");
    let rows = rng.choice_weighted(&gpu![[1, 2], [3, 4]], vec![0, 1], 3);
    assert_eq!((rows.shape().to_vec(), rows.to_vec()), (vec![3, 2], [3, 4].repeat(3)));
    // The first of those drawn without replacement have the shares of the weights.
    let firsts: Vec<i64> =
        (0..4000).map(|_| rng.choice_weighted_without_replacement(3, [1.0, 2.0, 5.0], 2)[0].item()).collect();
    check(&to_gpu(firsts), &[0.125, 0.25, 0.625], "without replacement");
    let all = rng.choice_weighted_without_replacement(&gpu![10, 20, 30, 40], [1, 1, 0, 1], (3,));
    assert_eq!(all.sort().to_vec(), [10, 20, 40]);
    let invalid = ErrorKind::Value;
    raises(invalid, "choice: there are 2 weights for 3 parts", || drop(rng.choice_weighted(3, [1, 2], 3)));
    raises(invalid, "choice: weight 1 is -2, and must be a number that is not negative", || {
        drop(rng.choice_weighted(3, [1, -2, 5], 3))
    });
    raises(invalid, "choice: the weights add up to 0", || drop(rng.choice_weighted(2, [0, 0], 3)));
    let message =
        "choice_weighted_without_replacement: a sample of 3 is larger than the 2 parts that have a weight";
    raises(invalid, message, || drop(rng.choice_weighted_without_replacement(3, [1, 0, 5], 3)));
}

#[test]
fn vectors_have_the_moments_of_their_distribution() {
    let (rng, n) = (default_rng(78), 20_000);
    let pvals = [0.2, 0.05, 0.0, 0.75];
    let counts = rng.multinomial(50, pvals, n);
    assert!(counts.sum_axis(1).eq(50).all().item());
    for (k, p) in pvals.iter().enumerate() {
        let column = counts.take_axis([k as i64], 1);
        let error = (50.0 * p * (1.0 - p) / n as f64).sqrt();
        near(column.mean().item(), 50.0 * p, error, "multinomial");
    }
    assert_eq!(rng.multinomial(3, [1.0], (2, 2)).to_vec(), [3; 4]);
    let alpha = [0.5, 2.0, 7.5];
    let shares = rng.dirichlet(alpha, n);
    assert!(allclose(&shares.sum_axis(1), &ones::<f64>(n)));
    for (k, a) in alpha.iter().enumerate() {
        let column = shares.take_axis([k as i64], 1);
        let (mean, sum) = (a / 10.0, 10.0);
        near(column.mean().item(), mean, (mean * (1.0 - mean) / (sum + 1.0) / n as f64).sqrt(), "dirichlet");
        near(column.var().item(), mean * (1.0 - mean) / (sum + 1.0), 0.02 / (n as f64).sqrt(), "dirichlet");
    }
    // Gamma's numbers of such shapes are all 0 as floats, whose quotients were NaN.
    let corners = rng.dirichlet([0.001, 0.003], n);
    assert!(corners.ge(0.0).all().item() && allclose(&corners.sum_axis(1), &ones::<f64>(n)));
    near(corners.mean_axis(0).slice(0).item(), 0.25, 0.5 / (n as f64).sqrt(), "dirichlet of small numbers");
    let cov = gpu![[4.0, 1.2, 0.0], [1.2, 1.0, 0.3], [0.0, 0.3, 0.5]];
    let points = rng.multivariate_normal([1.0, -2.0, 0.5], &cov, (n,));
    for (found, wanted) in points.mean_axis(0).to_vec().into_iter().zip([1.0, -2.0, 0.5]) {
        near(found, wanted, 2.0 / (n as f64).sqrt(), "mean");
    }
    let centred = &points - points.mean_axis(0);
    let found = centred.t().matmul(&centred) / n as f64;
    assert!((found - &cov).abs().max().item() < 7.0 * 4.0 * (2.0 / n as f64).sqrt());
    // A matrix without full rank: the second number is twice the first.
    let line = rng.multivariate_normal([0, 0], &gpu![[1.0, 2.0], [2.0, 4.0]], 100);
    assert!(allclose(&line[s![.., 1]], &(2.0 * &line[s![.., 0]])));
    let invalid = ErrorKind::Value;
    raises(invalid, "multivariate_normal: cov has a negative eigenvalue", || {
        drop(rng.multivariate_normal([0, 0], &gpu![[1.0, 2.0], [2.0, 1.0]], 3))
    });
    raises(invalid, "multivariate_normal: cov is not symmetric", || {
        drop(rng.multivariate_normal([0, 0], &gpu![[1.0, 0.5], [0.0, 1.0]], 3))
    });
    raises(invalid, "multinomial: sum(pvals[:-1]) is 1.25, and must not be above 1", || {
        drop(rng.multinomial(3, [0.75, 0.5, 0.0], 3))
    });
    raises(invalid, "dirichlet: number 1 is 0, and must be above 0", || drop(rng.dirichlet([1, 0], 3)));
    raises(invalid, "hypergeometric: a sample of 9 is larger than ngood + nbad, 8", || {
        drop(rng.hypergeometric(5, 3, 9, 3))
    });
}

#[track_caller]
fn near(found: f64, wanted: f64, error: f64, what: &str) {
    assert!((found - wanted).abs() <= 7.0 * error, "{what}: {found}, not {wanted}");
}

#[test]
fn parameters_may_be_arrays() {
    let n = 4000;
    let rng = default_rng(5);
    let means = gpu![0.0, 100.0, -7.0];
    let points = rng.normal(&means, [1.0, 2.0, 0.0], (n, 3));
    for (k, (mean, deviation)) in [(0.0, 1.0), (100.0, 2.0), (-7.0, 0.0)].into_iter().enumerate() {
        let column = points.slice(s![.., k as i64]);
        near(column.mean().item(), mean, deviation / (n as f64).sqrt() + 1e-12, "normal");
        near(column.std().item(), deviation, deviation / (n as f64).sqrt() + 1e-12, "normal");
    }
    // A parameter for each element gives what the number gives there.
    let (lone, many) = (default_rng(9), default_rng(9));
    assert_eq!(lone.gamma(2.5, 3.0, 50).to_vec(), many.gamma(full(50, 2.5), gpu![3], 50).to_vec());
    assert_eq!(lone.integers(0..100, 3).to_vec(), many.integers(0..100, 3).to_vec());
    let counts = rng.poisson(&gpu![0, 3, 1000], (n, 3));
    assert_eq!(counts.max_axis(0).slice(0).item(), 0);
    near(counts.mean_axis(0).slice(2).item(), 1000.0, (1000.0 / n as f64).sqrt(), "poisson");
    let tries = rng.binomial(vec![1, 10], 0.5, (n, 2));
    assert_eq!(tries.max_axis(0).to_vec()[0], 1);
    let between = rng.uniform(&means, &means + 1.0, (n, 3)) - &means;
    assert!((between.ge(0.0) & between.lt(1.0)).all().item());
    near(between.mean().item(), 0.5, 0.3 / (n as f64).sqrt(), "uniform");
    let hands = rng.hypergeometric([5, 0], 10, [3, 10], (n, 2));
    assert_eq!(hands.max_axis(0).to_vec()[1], 0);
    let tops = rng.triangular(0, [0.0, 1.0], 1, (n, 2)).mean_axis(0);
    near(tops.slice(0).item(), 1.0 / 3.0, 0.3 / (n as f64).sqrt(), "triangular");
    near(tops.slice(1).item(), 2.0 / 3.0, 0.3 / (n as f64).sqrt(), "triangular");
    // A view that steps, and of one element.
    let steps = gpu![0.0, 9.0, 50.0, 9.0].slice(s![..;2]);
    assert_eq!(rng.normal(&steps, 0, 2).to_vec(), [0.0, 50.0]);
    assert_eq!(rng.normal(&steps, 0, (0, 2)).shape(), [0, 2]);
    let invalid = ErrorKind::Value;
    raises(invalid, "normal: scale has -1, and must not be negative", || drop(rng.normal(0, [1, -1], 2)));
    raises(invalid, "binomial: n has 2.5, and must be a whole number from 0 to 2**53", || {
        drop(rng.binomial([1.0, 2.5, 3.0], 0.5, 3));
    });
    raises(invalid, "poisson: lam has NaN, and must not be negative", || {
        drop(rng.poisson([1.0, f64::NAN], 2))
    });
    raises(
        ErrorKind::Shape,
        "normal: loc of shape [3] does not broadcast to [2], the shape of the result",
        || {
            drop(rng.normal(&means, 1, 2));
        },
    );
    raises(invalid, "triangular: left, mode and right must be in this order", || {
        drop(rng.triangular(0, [0.5, 2.0], 1, 2));
    });
    raises(invalid, "triangular: left, mode and right must be in this order", || {
        drop(rng.triangular([-1.7e308, 0.0], 0, 1.7e308, 2));
    });
    let text = "negative_binomial: n is too large or p too small: counts must not be above the largest i64";
    raises(invalid, text, || {
        drop(rng.negative_binomial(1e18, 1e-3, 2));
    });
    raises(invalid, text, || {
        drop(rng.negative_binomial([1.0, 1e18], 1e-3, 2));
    });
}

#[test]
fn parameters_outside_of_a_distribution_are_errors() {
    let rng = default_rng(1);
    let invalid = ErrorKind::Value;
    raises(invalid, "normal: scale is -1, and must not be negative", || drop(rng.normal(0, -1, 3)));
    raises(invalid, "binomial: p is 1.5, and must be from 0 to 1", || drop(rng.binomial(3, 1.5, 3)));
    raises(invalid, "binomial: n is 2.5, and must be a whole number from 0 to 2**53", || {
        drop(rng.binomial(2.5, 0.5, 3));
    });
    raises(invalid, "integers: low >= high: there are no integers from 5 to 4", || {
        drop(rng.integers(5..5, 3))
    });
    raises(invalid, "choice: there are no elements to choose from", || drop(rng.choice(0, 3)));
    raises(invalid, "choice_without_replacement: a sample of 4 is larger than the population, 3", || {
        drop(rng.choice_without_replacement(3, 4))
    });
    raises(invalid, "poisson: lam is NaN, and must not be negative", || drop(rng.poisson(f64::NAN, 3)));
    let text =
        "poisson: lam is 10000000000000000000, and is too large: counts must not be above the largest i64";
    raises(invalid, text, || drop(rng.poisson(1e19, 3)));
    // The ends of what is allowed.
    assert_eq!(rng.normal(2, 0, 2).to_vec(), [2.0; 2]);
    assert_eq!(rng.gamma(0, 1, 2).to_vec(), [0.0; 2]);
    assert_eq!(rng.poisson(0, 2).to_vec(), [0; 2]);
    assert_eq!((rng.binomial(5, 1, 1).to_vec(), rng.binomial(5, 0, 1).to_vec()), (vec![5], vec![0]));
    assert_eq!((rng.binomial(0, 0.5, 1).to_vec(), rng.geometric(1, 1).to_vec()), (vec![0], vec![1]));
    assert_eq!(rng.negative_binomial(3, 1, 2).to_vec(), [0; 2]);
}
