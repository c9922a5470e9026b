//! Convolutions, covariances, histograms and values between known ones, beside
//! NumPy (`numpy/series.txt`, which `numpy/series.py` writes) and plain loops.

use gpurepl_kernels::{DType, HISTOGRAM_BLOCK, Instruction, Operand, Program, View};
use gpurepl_prelude::array::{Promote, RealElem};
use gpurepl_prelude::*;
use proptest::prelude::*;

use crate::answers::{Case, Written, cases_of, for_types};
use crate::raises;

fn cases(names: &[&str]) -> Vec<Case<'static>> {
    let is_wanted = |case: &Case| names.iter().any(|name| case.operation.starts_with(name));
    cases_of(include_str!("numpy/series.txt")).into_iter().filter(is_wanted).collect()
}

fn product<T: Written + Promote<U> + std::fmt::Debug, U: Written + Promote<T>>(case: &Case)
where
    <T as Promote<U>>::Out: Written + std::fmt::Debug,
    <U as Promote<T>>::Out: Written + std::fmt::Debug,
{
    let (a, v) = (case.operand::<T>(0), case.operand::<U>(1));
    match case.operation {
        "convolve full" => case.check(a.convolve(&v), true),
        "convolve same" => case.check(a.convolve_same(&v), true),
        "convolve valid" => case.check(a.convolve_valid(&v), true),
        "correlate full" => case.check(a.correlate_full(&v), true),
        "correlate same" => case.check(a.correlate_same(&v), true),
        "correlate valid" => case.check(a.correlate(&v), true),
        "swapped full" => case.check(v.correlate_full(&a), true),
        "swapped same" => case.check(v.correlate_same(&a), true),
        "swapped valid" => case.check(v.correlate(&a), true),
        other => panic!("no operation {other}"),
    }
}

#[test]
fn convolutions_are_what_numpy_computes() {
    let cases = cases(&["convolve", "correlate", "swapped"]);
    let count = for_types!(cases, case, [bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex32 Complex64] => {
        if case.lines[1].0 == "float32" { product::<T, f32>(case) } else { product::<T, T>(case) }
        true
    });
    assert_eq!(count, cases.len());
}

#[test]
fn covariances_are_what_numpy_computes() {
    let cases = cases(&["cov", "corrcoef"]);
    let count = for_types!(cases, case, [bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex32 Complex64] => {
        let a = case.operand::<T>(0).reshape((2, 4));
        match case.operation {
            "cov" => case.check(a.cov(), true),
            "cov vector" => case.check(a.ravel().cov(), true),
            "cov ddof" => case.check(a.cov_ddof(0), true),
            "cov columns" => case.check(a.t().cov(), true),
            "corrcoef" => case.check(a.corrcoef(), true),
            other => panic!("no operation {other}"),
        }
        true
    });
    assert_eq!(count, cases.len());
}

#[test]
fn counts_are_what_numpy_computes() {
    let cases = cases(&["bincount"]);
    let count = for_types!(cases, case, [bool i8 i16 i32 i64 u8 u16 u32 u64] => {
        let a = case.operand::<T>(0);
        match (case.operation, case.lines[1].0) {
            ("bincount", _) => case.check(a.bincount(), false),
            ("bincount minlength", _) => case.check(a.bincount_minlength(10), false),
            (_, "int32") => case.check(a.bincount_weights(&case.operand::<i32>(1)), false),
            (_, "float32") => case.check(a.bincount_weights(&case.operand::<f32>(1)), false),
            _ => case.check(a.bincount_weights(&case.operand::<f64>(1)), false),
        }
        true
    });
    assert_eq!(count, cases.len());
}

/// Edges, which NumPy's `linspace` may round otherwise, and keeps in double precision.
#[track_caller]
fn check_edges<T: Written>(case: &Case, edges: &GpuArray<T>) {
    let (_, wanted) = case.lines.last().unwrap();
    let wanted: Vec<f64> = wanted.iter().map(|text| text.parse().unwrap()).collect();
    assert!(allclose(edges, &to_gpu(wanted)), "{edges}");
}

#[track_caller]
fn check_weights<T: RealElem, W: Written + RealElem>(case: &Case, a: &GpuArray<T>, w: &GpuArray<W>) {
    let (x, y, edges) = (a.ravel(), a.ravel().slice(s![..; -1]), gpu![0.0, 1.0, 2.5, 7.0, 7.5]);
    let (table, points) = (w.reshape(-1), a.reshape((4, 2)));
    let shaped = || table.reshape((2, 4));
    match case.operation {
        "histogram weights" => case.check(a.histogram_weights(4, &shaped()).0, true),
        "histogram weights range" => case.check(a.histogram_weights((5, -1..9), &shaped()).0, true),
        "histogram weights edges" => case.check(a.histogram_weights(&edges, &shaped()).0, true),
        "histogram weights density" => case.check(a.histogram_weights_density(4, &shaped()).0, true),
        "histogram weights density range" => {
            case.check(a.histogram_weights_density((5, -1..9), &shaped()).0, true);
        }
        "histogram weights density edges" => {
            case.check(a.histogram_weights_density(&edges, &shaped()).0, true);
        }
        "histogram2d weights" => {
            case.check(x.histogram2d_weights(&y, (2, -1..7), (3, 0..9), w).0, true);
        }
        "histogram2d weights density" => {
            case.check(x.histogram2d_weights_density(&y, (2, -1..7), (3, 0..9), w).0, true);
        }
        "histogramdd weights" => case.check(points.histogramdd_weights((2, &edges), w).0, true),
        "histogramdd weights density" => {
            case.check(points.histogramdd_weights_density((2, &edges), w).0, true);
        }
        other => panic!("no operation {other}"),
    }
}

#[test]
fn histograms_are_what_numpy_computes() {
    let cases = cases(&["histogram", "edges", "digitize", "interp"]);
    let edges = gpu![0.0, 1.0, 2.5, 7.0, 7.5];
    let (descending, squares) = (edges.slice(s![..; -1]), edges.pow(2));
    let count = for_types!(cases, case, [i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64] => {
        let a = case.operand::<T>(0).reshape((2, 4));
        match case.operation {
            "histogram" => case.check(a.histogram(4).0, false),
            "edges" => case.check(a.histogram(4).1, false),
            "histogram range" => case.check(a.histogram((5, -1..9)).0, false),
            "edges range" => case.check(a.histogram((5, -1..9)).1, false),
            "histogram edges" => case.check(a.histogram(&edges).0, false),
            "histogram density" => case.check(a.histogram_density(4).0, true),
            "edges density" => case.check(a.histogram_density(4).1, false),
            "histogram2d" => {
                let (x, y) = (a.ravel(), a.ravel().slice(s![..; -1]));
                case.check(x.histogram2d(&y, (2, -1..7), (3, 0..9)).0, false);
            }
            "histogram2d density" => {
                let (x, y) = (a.ravel(), a.ravel().slice(s![..; -1]));
                case.check(x.histogram2d_density(&y, (2, -1..7), (3, 0..9)).0, true);
            }
            "histogramdd" => case.check(a.histogramdd(2).0, false),
            "histogramdd edges" => check_edges(case, &a.histogramdd(2).1[1]),
            "histogramdd list" => case.check(a.reshape((4, 2)).histogramdd([3, 2]).0, false),
            "histogramdd range" => {
                case.check(a.reshape((4, 2)).histogramdd(((3, -1..8), (2, 0.0..7.5))).0, false);
            }
            "histogramdd line" => case.check(a.ravel().histogramdd(3).0, false),
            "histogramdd density" => {
                case.check(a.reshape((4, 2)).histogramdd_density(((3, -1..8), (2, 0.0..7.5))).0, true);
            }
            name if name.contains("weights") => {
                match case.lines[1].0 {
                    "int32" => check_weights(case, &a, &case.operand::<i32>(1)),
                    "float32" => check_weights(case, &a, &case.operand::<f32>(1)),
                    _ => check_weights(case, &a, &case.operand::<f64>(1)),
                }
            }
            "digitize" => case.check(a.digitize(&edges), false),
            "digitize right" => case.check(a.digitize_right(&edges), false),
            "digitize descending" => case.check(a.digitize(&descending), false),
            "digitize descending right" => case.check(a.digitize_right(&descending), false),
            "interp" => case.check(a.interp(&edges, &squares), true),
            "interp ends" => case.check(a.interp_ends(&edges, &squares, -1.0, f64::NAN), true),
            other => panic!("no operation {other}"),
        }
        true
    });
    assert_eq!(count, cases.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn bins_are_those_of_a_loop(size in 0..80_000_usize, bins in 1..3000_usize) {
        let x = (arange(0..size as i64) * 7919 % 10_007).astype(f64) / 10.0;
        let (counts, edges) = x.histogram((bins, 0.0..1000.0));
        let (host, edges) = (x.to_vec(), edges.to_vec());
        let mut expected = vec![0_i64; bins];
        for x in host {
            let after = edges.partition_point(|edge| *edge <= x);
            if after <= bins {
                expected[after - 1] += 1;
            } else if x == edges[bins] {
                expected[bins - 1] += 1;
            }
        }
        prop_assert_eq!(counts.to_vec(), expected);
    }

    #[test]
    fn convolutions_are_those_of_a_loop(n in 1..300_usize, m in 1..40_usize, step in 1..3_i64) {
        let a = (arange(0..n as i64 * step) % 11 - 5).slice(s![..; step]);
        let v = arange(0..m as i64) % 7 - 3;
        let (x, y) = (a.to_vec(), v.to_vec());
        let mut expected = vec![0; n + m - 1];
        for (i, x) in x.iter().enumerate() {
            for (j, y) in y.iter().enumerate() {
                expected[i + j] += x * y;
            }
        }
        prop_assert_eq!(a.convolve(&v).to_vec(), &expected[..]);
        prop_assert_eq!(v.convolve(&a).to_vec(), &expected[..]);
        let (long, short) = (n.max(m), n.min(m));
        prop_assert_eq!(a.convolve_valid(&v).to_vec(), &expected[short - 1..long]);
    }
}

/// The bins of any edges, of views and of expressions.
#[test]
fn bins_of_any_width_are_those_of_a_loop() {
    let x = (arange(0..50_000_i64) * 7919 % 10_007).astype(f32) / 10.0;
    for bins in [1, 2, 7, 2048, 2049, 5000] {
        // Squares, and some of them twice: a bin without width is empty.
        let edges: Vec<f64> =
            (0..=bins).map(|k| ((k - k % 5 / 4) * 30 / bins) as f64).map(|k| k * k).collect();
        let mut expected = vec![0_i64; bins as usize];
        for x in x.slice(s![..; -3]).to_vec() {
            let x = f64::from(x + x);
            let at_most = edges.iter().filter(|edge| **edge <= x).count();
            if at_most <= bins as usize && at_most > 0 {
                expected[at_most - 1] += 1;
            } else if x == edges[bins as usize] {
                expected[bins as usize - 1] += 1;
            }
        }
        let part = x.slice(s![..; -3]);
        let (counts, _) = (&part + &part).histogram(to_gpu(&edges));
        assert_eq!(counts.to_vec(), expected, "{bins}");
    }
}

/// The kernel for GPUs, run as a user's.
#[test]
fn the_text_for_gpus_counts() {
    let step = |dtype, operand| Instruction { dtype, operand };
    let program = Program {
        inputs: vec![(DType::Float32, View::Contiguous)],
        scalars: Vec::new(),
        instructions: vec![step(DType::Float32, Operand::Input(0)), step(DType::Float64, Operand::Cast(0))],
        output: View::Contiguous,
        rank: 1,
        reports_overflow: false,
    };
    let module = SourceModule::new(&program.to_cuda_histogram()).unwrap();
    let kernel = module.get_function("gpurepl_histogram").unwrap();
    let count = 20_011_usize;
    let mut values: Vec<f32> = (0..count).map(|k| (k * 7919 % 10_007) as f32 / 10.0 - 3.0).collect();
    values[17] = f32::NAN;
    let numbers = to_gpu(&values);
    for (bins, is_equal) in
        [(1_usize, true), (10, true), (256, true), (256, false), (2048, true), (2048, false)]
    {
        let edges: Vec<f64> = (0..=bins).map(|k| 900.0 * k as f64 / bins as f64).collect();
        let scale = if is_equal { bins as f64 / 900.0 } else { 0.0 };
        let mut counts = zeros::<u64>(bins);
        let arguments = (&numbers, &to_gpu(&edges), bins as u64, scale, &mut counts, count as u64);
        kernel.launch(3, HISTOGRAM_BLOCK, arguments).unwrap();
        let (expected, _) = numbers.histogram(to_gpu(&edges));
        assert_eq!(counts.astype(i64).to_vec(), expected.to_vec(), "{bins}");
        assert!(expected.sum().item() > 17_000);
    }
}

#[test]
fn many_are_counted() {
    let a = arange(0..1_000_003_i64) % 5000;
    let counts = a.bincount();
    assert_eq!((counts.len(), counts.sum().item(), counts.max().item()), (5000, 1_000_003, 201));
    let sums = (&a % 3).bincount_weights(&ones::<f32>(1_000_003));
    assert_eq!(sums.sum().item(), 1_000_003.0);
    assert_eq!(zeros::<i32>(0).bincount().size(), 0);
    let (counts, edges) = zeros::<f32>(0).histogram(2);
    assert_eq!((counts.to_vec(), edges.to_vec()), (vec![0, 0], vec![0.0, 0.5, 1.0]));
    let (counts, _) = gpu![f64::NAN, 0.5].histogram((1, 0..1));
    assert_eq!(counts.to_vec(), [1]);
    let (counts, edges) = gpu![7, 7].histogram(1);
    assert_eq!((counts.to_vec(), edges.to_vec()), (vec![2], vec![6.5, 7.5]));
}

#[test]
fn without_edges_all_is_in_the_first_bin() {
    // It was a panic about alignment.
    let (numbers, edges) = (gpu![1.0, -2.0], zeros::<f64>(0));
    assert_eq!(numbers.digitize(&edges).to_vec(), [0, 0]);
    assert_eq!(numbers.digitize_right(&edges).to_vec(), [0, 0]);
}

#[test]
fn what_does_not_fit() {
    let text = "bincount: 'list' argument must have no negative elements";
    raises(ErrorKind::Value, text, || drop(gpu![1, -1].bincount()));
    let text = "bincount: not for float64: integers are counted; `a.astype(i64)`, or `a.histogram(10)`";
    raises(ErrorKind::DType, text, || drop(gpu![1.0].bincount()));
    let text = "histogram: `bins` must be positive, when an integer, and is 0";
    raises(ErrorKind::Value, text, || drop(gpu![1.0].histogram(0)));
    let text = "histogram: `bins` must increase monotonically, when an array";
    raises(ErrorKind::Value, text, || drop(gpu![1.0].histogram(gpu![2, 1])));
    let text = "histogram: autodetected range of [NaN, NaN] is not finite";
    raises(ErrorKind::Value, text, || drop(gpu![1.0, f64::NAN].histogram(3)));
    let text = "histogramdd: The dimension of bins must be equal to the dimension of the sample x: 3 and 2";
    raises(ErrorKind::Value, text, || drop(gpu![[1.0, 2.0]].histogramdd([2, 2, 2])));
    let text = "histogramdd: a row is a point, and shape [1, 1, 1] is not a table";
    raises(ErrorKind::Shape, text, || drop(gpu![[[1.0]]].histogramdd(2)));
    let text = "histogram: weights should have the same shape as a: shapes [2] and [1]";
    raises(ErrorKind::Shape, text, || drop(gpu![1.0].histogram_weights(2, &gpu![1, 2])));
    let text = "digitize: bins must be monotonically increasing or decreasing";
    raises(ErrorKind::Value, text, || drop(gpu![1.0].digitize(&gpu![1, 3, 2])));
    let text = "interp: fp and xp are not of the same length: shapes [1] and [2]";
    raises(ErrorKind::Shape, text, || drop(gpu![1.0].interp(&gpu![1], &gpu![3, 2])));
    let text = "convolve: v cannot be empty";
    raises(ErrorKind::Shape, text, || drop(gpu![1.0].convolve(&zeros::<f32>(0))));
    let text = "correlate: shapes [1, 1] and [1] are not two vectors";
    raises(ErrorKind::Shape, text, || drop(gpu![[1.0]].correlate(&gpu![1.0])));
    let text = "cov: m has more than 2 dimensions: its shape is [1, 1, 1]";
    raises(ErrorKind::Shape, text, || drop(gpu![[[1.0]]].cov()));
}
