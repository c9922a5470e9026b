//! Generators: what they draw is distributed as it should be. The seeds are
//! fixed, and the bounds are those that a right generator misses less than once
//! in 10^9: six standard deviations.

use gpurepl_prelude::*;

use crate::raises;

const COUNT: usize = 200_000;

/// Checks how many numbers lie below quantiles that are known.
#[track_caller]
fn check(name: &str, drawn: &GpuArray<f64>, quantile: impl Fn(f64) -> f64) {
    let drawn = drawn.to_vec();
    assert!(drawn.iter().all(|x| x.is_finite()), "{name}");
    for p in [0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999_f64] {
        let border = quantile(p);
        let below = drawn.iter().filter(|x| **x < border).count() as f64 / drawn.len() as f64;
        let bound = 6.0 * (p * (1.0 - p) / drawn.len() as f64).sqrt();
        assert!((below - p).abs() < bound, "{name}: {below} lie below {border}, not {p}");
    }
}

/// The quantiles of the standard normal distribution that are checked.
fn normal(p: f64) -> f64 {
    let z = |p: f64| match (1e6 * p).round() as u32 {
        1000 => 3.090_232_306_167_813_5,
        10_000 => 2.326_347_874_040_841,
        100_000 => 1.281_551_565_544_600_4,
        250_000 => 0.674_489_750_196_081_7,
        _ => 0.0,
    };
    if p < 0.5 { -z(p) } else { z(1.0 - p) }
}

#[test]
fn distributions_have_their_quantiles() {
    let mut g = rng(2026);
    let n = COUNT;
    check("uniform", &g.uniform(-2.0, 3.0, n), |p| -2.0 + 5.0 * p);
    check("normal", &g.normal(1.0, 2.0, n), |p| 1.0 + 2.0 * normal(p));
    check("standard_normal", &g.standard_normal(n), normal);
    check("lognormal", &g.lognormal(0.5, 0.25, n), |p| (0.5 + 0.25 * normal(p)).exp());
    check("exponential", &g.exponential(3.0, n), |p| -3.0 * (-p).ln_1p());
    check("standard_exponential", &g.standard_exponential(n), |p| -(-p).ln_1p());
    check("laplace", &g.laplace(1.0, 2.0, n), |p| {
        if p < 0.5 { 1.0 + 2.0 * (2.0 * p).ln() } else { 1.0 - 2.0 * (2.0 - 2.0 * p).ln() }
    });
    check("logistic", &g.logistic(1.0, 2.0, n), |p| 1.0 + 2.0 * (p / (1.0 - p)).ln());
    check("gumbel", &g.gumbel(1.0, 2.0, n), |p| 1.0 - 2.0 * (-p.ln()).ln());
    check("rayleigh", &g.rayleigh(2.0, n), |p| 2.0 * (-2.0 * (-p).ln_1p()).sqrt());
    check("weibull", &g.weibull(1.5, n), |p| (-(-p).ln_1p()).powf(1.0 / 1.5));
    check("pareto", &g.pareto(3.0, n), |p| (1.0 - p).powf(-1.0 / 3.0) - 1.0);
    check("power", &g.power(3.0, n), |p| p.powf(1.0 / 3.0));
    check("standard_cauchy", &g.standard_cauchy(n), |p| (std::f64::consts::PI * (p - 0.5)).tan());
    check("triangular", &g.triangular(0.0, 1.0, 4.0, n), |p| {
        if p < 0.25 { (4.0 * p).sqrt() } else { 4.0 - (12.0 * (1.0 - p)).sqrt() }
    });
    // In single precision, where a uniform number is 0 once in 2^24.
    check("f32 exponential", &g.exponential(1.0_f32, n).astype(f64), |p| -(-p).ln_1p());
    check("f32 logistic", &g.logistic(0.0_f32, 1.0, n).astype(f64), |p| (p / (1.0 - p)).ln());
    check("f32 gumbel", &g.gumbel(0.0_f32, 1.0, n).astype(f64), |p| -(-p.ln()).ln());
}

#[test]
fn trials_until_a_success() {
    let trials = rng(1).geometric(0.25, COUNT);
    assert_eq!(trials.min().item(), 1);
    for (k, trials_of) in (1..8).map(|k| (k, trials.eq(k).astype(i64).sum().item())) {
        let p = 0.25 * 0.75_f64.powi(k - 1);
        let off = (trials_of as f64 / COUNT as f64 - p).abs();
        assert!(off < 6.0 * (p * (1.0 - p) / COUNT as f64).sqrt(), "{k}: {off}");
    }
    assert_eq!(rng(1).geometric(1.0, 5).to_vec(), [1; 5]);
}

/// Checks that every number is drawn as often as any other.
#[track_caller]
fn check_even(drawn: Vec<i64>, low: i64, count: usize) {
    let mut counts = vec![0_usize; count];
    for number in &drawn {
        counts[usize::try_from(number - low).unwrap()] += 1;
    }
    let expected = drawn.len() as f64 / count as f64;
    for (k, of) in counts.iter().enumerate() {
        assert!(
            (*of as f64 - expected).abs() < 6.0 * expected.sqrt(),
            "{k} of {count}: {of}, not {expected}"
        );
    }
}

#[test]
fn integers_of_a_range_are_equally_likely() {
    let mut g = rng(5);
    check_even(g.integers(-3..4, COUNT).astype(i64).to_vec(), -3, 7);
    check_even(g.integers(1..=6_u8, COUNT).astype(i64).to_vec(), 1, 6);
    check_even(g.integers(0..16_i64, COUNT).to_vec(), 0, 16);
    check_even(g.integers(..=9_u16, COUNT).astype(i64).to_vec(), 0, 10);
    assert_eq!(g.integers(7..=7, 3).to_vec(), [7; 3]);
    // Ranges of more than 32 bits, and of all that a type has.
    for count in [3_u64 << 40, 3 << 62, 5 << 61] {
        let eighths = g.integers(0..count, COUNT).to_vec().into_iter().map(|k: u64| (k / (count / 8)) as i64);
        check_even(eighths.collect(), 0, 8);
    }
    let signs = g.integers::<i64>(.., COUNT).lt(0);
    check_even(signs.astype(i64).to_vec(), 0, 2);
    let all = g.integers(i64::MIN..=i64::MAX, COUNT);
    assert!(all.min().item() < -(1 << 62) && all.max().item() > 1 << 62);
    let bytes = g.integers(i8::MIN..=i8::MAX, COUNT);
    check_even(bytes.astype(i64).to_vec(), -128, 256);
    assert_eq!(g.bytes(5).len(), 5);
}

#[test]
fn orders_and_choices() {
    let mut g = rng(11);
    assert_eq!(g.permutation(1000).sort().to_vec(), (0..1000).collect::<Vec<i64>>());
    let rows = arange(0..30).reshape((10, 3));
    let mut shuffled = rows.copy();
    g.shuffle(&mut shuffled);
    let first: Vec<i32> = shuffled.slice(s![.., 0]).to_vec();
    assert_ne!(first, rows.slice(s![.., 0]).to_vec());
    for (row, first) in first.iter().enumerate() {
        assert_eq!(shuffled.slice(row).to_vec(), [*first, first + 1, first + 2]);
    }
    assert_eq!(g.permuted(&rows).sort_axis(0).to_vec(), rows.to_vec());
    let sample = g.sample(&arange(0..100), 50).sort().to_vec();
    assert!(sample.windows(2).all(|pair| pair[0] < pair[1]) && sample.len() == 50);
    let chosen = g.choice(&gpu![i64; 10, 20, 30], (100, 1000));
    assert_eq!(chosen.shape(), [100, 1000]);
    check_even(chosen.to_vec().into_iter().map(|number| number / 10).collect(), 1, 3);
    // Each of the 6 orders of 3 is as likely as any other.
    let orders: Vec<i64> = (0..1200)
        .map(|_| {
            let order = g.permutation(3).to_vec();
            order[0] * 2 + i64::from(order[1] > order[2])
        })
        .collect();
    check_even(orders, 0, 6);
}

#[test]
fn sequences_are_repeated_and_independent() {
    let draw = |g: &mut Generator| (g.random::<u32>(4).to_vec(), g.random::<u32>(4).to_vec());
    let (first, again) = (draw(&mut rng(42)), draw(&mut rng(42)));
    assert_eq!(first, again);
    assert_ne!(first.0, first.1);
    assert_ne!(draw(&mut rng(43)), first);
    let mut others: Vec<_> = rng(42).spawn(3).iter_mut().map(draw).collect();
    others.extend([1, 2].map(|jumps| draw(&mut rng(42).jumped(jumps))));
    others.push(first.clone());
    for (k, one) in others.iter().enumerate() {
        assert!(others[..k].iter().all(|other| other != one), "{k}");
    }
    // The same on every device: written down on the host.
    assert_eq!(first.0, WRITTEN);
    // The process's own sequence is another, and left alone.
    let mut g = rng(42);
    let copy = g.clone();
    g.random::<f32>(1);
    assert_ne!(g, copy);
}

const WRITTEN: [u32; 4] = [1_643_925_833, 141_119_244, 4_154_277_823, 1_510_541_495];

#[test]
fn arguments_that_make_no_sense_are_errors() {
    let mut g = rng(0);
    let invalid = ErrorKind::Value;
    raises(invalid, "normal: scale is -1", || drop(g.normal(0.0, -1.0, 3)));
    let mut g = rng(0);
    raises(invalid, "integers: low >= high: there is no number from 5 to 4", || drop(g.integers(5..5, 3)));
    let mut g = rng(0);
    raises(invalid, "exponential: scale is NaN", || drop(g.exponential(f64::NAN, 3)));
    let mut g = rng(0);
    raises(invalid, "geometric: p is 0", || drop(g.geometric(0.0, 3)));
    let mut g = rng(0);
    raises(invalid, "choice: a cannot be empty", || drop(g.choice(&zeros::<f32>(0), 3)));
    let mut g = rng(0);
    raises(invalid, "sample: cannot take 4 of 3 without taking one twice", || {
        drop(g.sample(&arange(0..3), 4))
    });
    assert_eq!(rng(0).normal(0.0, 1.0, (0, 3)).shape(), [0, 3]);
    assert_eq!(rng(0).uniform(1.0, 1.0, 2).to_vec(), [1.0; 2]);
}
