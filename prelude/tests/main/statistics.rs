//! Places of extremes, variances and standard deviations, beside NumPy
//! (`numpy/statistics.txt`, which `numpy/statistics.py` writes), `ndarray` and
//! plain loops.

use gpurepl_prelude::*;
use ndarray::{ArrayD, Axis, IxDyn};
use proptest::prelude::*;

use crate::answers::{Case, cases_of, for_types};
use crate::raises;

#[test]
fn they_are_what_numpy_computes() {
    let is_here = |case: &Case| !case.operation.starts_with("nan") && !case.operation.starts_with("average");
    let cases: Vec<Case> =
        cases_of(include_str!("numpy/statistics.txt")).into_iter().filter(is_here).collect();
    macro_rules! statistics {
        ($case:ident) => {{
            let a = $case.operand::<T>(0).reshape((2, 4));
            match $case.operation {
                "argmax" => $case.check(a.argmax(), false),
                "argmin" => $case.check(a.argmin(), false),
                "argmax 0" => $case.check(a.argmax_axis(0), false),
                "argmin 0" => $case.check(a.argmin_axis(-2), false),
                "argmax 1" => $case.check(a.argmax_axis(-1), false),
                "argmin 1" => $case.check(a.argmin_axis(1), false),
                "var" => $case.check(a.var(), true),
                "var ddof" => $case.check(a.var_ddof(3), true),
                "var 0" => $case.check(a.var_axis(0), true),
                "var 1" => $case.check(a.var_axis(-1), true),
                "var 0 ddof" => $case.check(a.var_axis_ddof(0, 1), true),
                "var 1 ddof" => $case.check(a.var_axis_ddof(1, 1), true),
                "std" => $case.check(a.std(), true),
                "std ddof" => $case.check(a.std_ddof(3), true),
                "std 0" => $case.check(a.std_axis(-2), true),
                "std 1" => $case.check(a.std_axis(1), true),
                "std 0 ddof" => $case.check(a.std_axis_ddof(0, 1), true),
                "std 1 ddof" => $case.check(a.std_axis_ddof(1, 1), true),
                "count_nonzero" => $case.check(a.count_nonzero(), false),
                "count_nonzero 0" => $case.check(a.count_nonzero_axis(0), false),
                "count_nonzero 1" => $case.check(a.count_nonzero_axis(-1), false),
                "ptp" => $case.check(a.ptp(), false),
                "ptp 0" => $case.check(a.ptp_axis(0), false),
                "ptp 1" => $case.check(a.ptp_axis(1), false),
                other => panic!("no operation {other}"),
            }
            true
        }};
    }
    let count = for_types!(cases, case, [bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex32 Complex64] => statistics!(case));
    assert_eq!(count, cases.len());
}

#[test]
fn without_nan_they_are_what_numpy_computes() {
    let cases: Vec<Case> = cases_of(include_str!("numpy/statistics.txt"))
        .into_iter()
        .filter(|case| case.operation.starts_with("nan"))
        .collect();
    let count = for_types!(cases, case, [bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex32 Complex64] => {
        let a = case.operand::<T>(0).reshape((2, 4));
        let roughly = T::DTYPE.is_float() || T::DTYPE.is_complex();
        match case.operation {
            "nansum" => case.check(a.nansum(), roughly),
            "nansum 0" => case.check(a.nansum_axis(0), roughly),
            "nansum 1" => case.check(a.nansum_axis(-1), roughly),
            "nanprod" => case.check(a.nanprod(), roughly),
            "nanprod 0" => case.check(a.nanprod_axis(0), roughly),
            "nanprod 1" => case.check(a.nanprod_axis(1), roughly),
            "nanmax" => case.check(a.nanmax(), false),
            "nanmax 0" => case.check(a.nanmax_axis(0), false),
            "nanmax 1" => case.check(a.nanmax_axis(1), false),
            "nanmin" => case.check(a.nanmin(), false),
            "nanmin 0" => case.check(a.nanmin_axis(0), false),
            "nanmin 1" => case.check(a.nanmin_axis(1), false),
            "nanargmax" => case.check(a.nanargmax(), false),
            "nanargmax 0" => case.check(a.nanargmax_axis(0), false),
            "nanargmax 1" => case.check(a.nanargmax_axis(1), false),
            "nanargmin" => case.check(a.nanargmin(), false),
            "nanargmin 0" => case.check(a.nanargmin_axis(0), false),
            "nanargmin 1" => case.check(a.nanargmin_axis(-1), false),
            "nanmean" => case.check(a.nanmean(), true),
            "nanmean 0" => case.check(a.nanmean_axis(0), true),
            "nanmean 1" => case.check(a.nanmean_axis(1), true),
            "nanvar" => case.check(a.nanvar(), true),
            "nanvar 0" => case.check(a.nanvar_axis(0), true),
            "nanvar 1" => case.check(a.nanvar_axis(1), true),
            "nanvar ddof" => case.check(a.nanvar_ddof(1), true),
            "nanvar 0 ddof" => case.check(a.nanvar_axis_ddof(0, 1), true),
            "nanvar 1 ddof" => case.check(a.nanvar_axis_ddof(1, 1), true),
            "nanstd" => case.check(a.nanstd(), true),
            "nanstd 0" => case.check(a.nanstd_axis(0), true),
            "nanstd 1" => case.check(a.nanstd_axis(1), true),
            "nanstd ddof" => case.check(a.nanstd_ddof(1), true),
            "nanstd 0 ddof" => case.check(a.nanstd_axis_ddof(0, 1), true),
            "nanstd 1 ddof" => case.check(a.nanstd_axis_ddof(1, 1), true),
            other => panic!("no operation {other}"),
        }
        true
    });
    assert_eq!(count, cases.len());
}

#[test]
fn averages_are_what_numpy_computes() {
    let cases: Vec<Case> = cases_of(include_str!("numpy/statistics.txt"))
        .into_iter()
        .filter(|case| case.operation.starts_with("average"))
        .collect();
    let along = gpu![3, 1, 2, 2];
    let every = gpu![[3, 1, 2, 2], [2, 2, 1, 3]];
    let count = for_types!(cases, case, [bool i8 u64 f16 f32 f64 Complex32] => {
        let a = case.operand::<T>(0).reshape((2, 4));
        match case.operation {
            "average 1 int32" => case.check(a.average_axis(1, &along), true),
            "average 1 float32" => case.check(a.average_axis(-1, along.astype(f32)), true),
            "average 1 float64" => case.check(a.average_axis(1, along.astype(f64)), true),
            "average int32" => case.check(a.average(&every), true),
            "average float32" => case.check(a.average(every.astype(f32)), true),
            "average float64" => case.check(a.average(every.astype(f64)), true),
            other => panic!("no operation {other}"),
        }
        true
    });
    assert_eq!(count, cases.len());
}

#[test]
fn weights_that_do_not_fit() {
    let a = gpu![[1.0, 2.0], [3.0, 4.0]];
    let text = "average: weights of shape [2] do not fit an array of shape [2, 2]";
    raises(ErrorKind::Shape, text, || drop(a.average(gpu![1, 2])));
    let text = "average: weights of shape [3] do not fit an array of shape [2, 2]";
    raises(ErrorKind::Shape, text, || drop(a.average_axis(0, gpu![1, 2, 3])));
    let text = "average: Weights sum to zero, can't be normalized";
    raises(ErrorKind::Value, text, || drop(a.average_axis(0, gpu![1, -1])));
    raises(ErrorKind::Value, "average: weights are an array; equal ones are not needed: `a.mean()`", || {
        drop(a.average(2))
    });
}

/// One pass over them subtracts the first, which is the worst that there is here.
#[test]
fn the_variance_of_singles_keeps_its_digits_where_the_first_is_far_away() {
    let plain = |values: &[f32]| {
        let count = values.len() as f64;
        let mean = values.iter().map(|x| f64::from(*x)).sum::<f64>() / count;
        values.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum::<f64>() / count
    };
    for first in [0.0f32, 1e4, -1e8, 3e19, 1e30] {
        let values: Vec<f32> = std::iter::once(first).chain((0..70_001).map(|k| (k % 7) as f32)).collect();
        let (wanted, a) = (plain(&values), to_gpu(&values));
        assert_eq!(a.var().item(), wanted as f32, "{first}");
        assert_eq!(a.reshape((1, 70_002)).var_axis(1).to_vec(), [wanted as f32], "{first}");
    }
    let far = to_gpu(&(0..70_001).map(|k| 16_777_216.0 + (k % 2) as f32 * 2.0).collect::<Vec<_>>());
    assert_eq!(far.std().item(), plain(&far.to_vec()).sqrt() as f32);
    let same = full(70_001, 0.1f32);
    assert_eq!((same.var().item(), same.std().item()), (0.0, 0.0));
    for odd in [f32::NAN, f32::INFINITY] {
        assert!(gpu![1.0, 2.0, odd].var().item().is_nan() && gpu![odd, 1.0].std().item().is_nan());
    }
}

#[test]
fn nothing_but_nan() {
    let a = gpu![[f64::NAN, 1.0], [f64::NAN, f64::NAN]];
    raises(ErrorKind::Value, "nanargmax: All-NaN slice encountered", || drop(a.nanargmax_axis(0)));
    raises(ErrorKind::Value, "nanargmin: All-NaN slice encountered", || drop(a.nanargmin_axis(1)));
    assert_eq!(a.nanargmin().item(), 1);
    // NumPy finds the NaN here, and says so in its documentation.
    assert_eq!(gpu![f32::NAN, f32::NEG_INFINITY].nanargmax().item(), 1);
    let found = a.nanmax_axis(0).to_vec();
    assert!(found[0].is_nan() && found[1] == 1.0);
    assert!(a.nanmean_axis(1).to_vec()[1].is_nan());
    assert_eq!(a.nansum_axis(1).to_vec(), [1.0, 0.0]);
    raises(ErrorKind::Shape, "nanmax: an array of no elements has none", || drop(zeros::<f32>(0).nanmax()));
}

/// The first place of the greatest, and of the least.
fn places(row: &[i32]) -> (i64, i64) {
    let of = |extreme: &i32| row.iter().position(|x| x == extreme).unwrap() as i64;
    (of(row.iter().max().unwrap()), of(row.iter().min().unwrap()))
}

/// Small numbers with many ties, and every `step`th of them along the last
/// axis as a view.
fn arrays(shape: &[usize], step: usize) -> (ArrayD<i32>, GpuArray<i32>) {
    let size = shape.iter().product::<usize>();
    let numbers = (0..size).map(|k| (k * k % 23) as i32 - 7).collect();
    let mut host = ArrayD::from_shape_vec(IxDyn(shape), numbers).unwrap();
    let device = to_gpu(&host);
    host.slice_axis_inplace(Axis(shape.len() - 1), ndarray::Slice::new(0, None, step as isize));
    let steps = [SliceItem::Ellipsis, SliceItem::from(..).by(step as i64)];
    (host, device.slice(Slices::new(&steps)))
}

fn check(host: &ArrayD<i32>, device: &GpuArray<i32>, axis: usize) {
    let number = axis as isize;
    let greatest = host.map_axis(Axis(axis), |row| places(&row.to_vec()).0);
    let least = host.map_axis(Axis(axis), |row| places(&row.to_vec()).1);
    assert_eq!(device.argmax_axis(number).get(), greatest, "{:?} along {axis}", host.shape());
    assert_eq!(device.argmin_axis(number).get(), least, "{:?} along {axis}", host.shape());
    // Of an expression, which has no memory yet.
    assert_eq!((device * -2).argmax_axis(number).get(), least);
    let exact = host.mapv(f64::from).var_axis(Axis(axis), 0.0);
    let off = (device.var_axis(number).get() - &exact).mapv(f64::abs);
    assert!(off.iter().all(|off| *off < 1e-11), "{:?} along {axis}", host.shape());
    let off = ((device * 2 + 1).std_axis(number).get() - exact.mapv(f64::sqrt) * 2.0).mapv(f64::abs);
    assert!(off.iter().all(|off| *off < 1e-6), "{:?} along {axis}", host.shape());
}

proptest! {
    #[test]
    fn any_shape_and_stride(
        shape in prop::collection::vec(1..7_usize, 1..5),
        step in 1..4_usize,
        axis in 0..4_usize,
    ) {
        let (host, device) = arrays(&shape, step);
        check(&host, &device, axis % shape.len());
        let all: Vec<i32> = host.iter().copied().collect();
        prop_assert_eq!((device.argmax().item(), device.argmin().item()), places(&all));
        let exact = host.mapv(f64::from).var(0.0);
        prop_assert!((device.var().item() - exact).abs() < 1e-11);
    }
}

/// A host's sums over some axes.
fn sums_over(host: &ArrayD<i64>, axes: &[usize]) -> ArrayD<i64> {
    let mut sums = host.clone();
    for axis in axes.iter().rev() {
        sums = sums.sum_axis(Axis(*axis));
    }
    sums
}

proptest! {
    #[test]
    fn several_axes(shape in prop::collection::vec(1..6_usize, 1..6), step in 1..3_usize, chosen in 0..32_u32) {
        let (host, device) = arrays(&shape, step);
        let axes: Vec<usize> = (0..shape.len()).filter(|axis| chosen >> axis & 1 == 1).collect();
        let numbers: Vec<i64> = axes.iter().rev().map(|axis| *axis as i64 - shape.len() as i64).collect();
        let sums = sums_over(&host.mapv(i64::from), &axes);
        prop_assert_eq!(device.sum_axis(&axes).get(), sums.clone());
        // Of an expression, with the axes in another order and from the last.
        prop_assert_eq!((&device * 2 + 1 - 1).sum_axis(&numbers).get(), &sums * 2);
        let count: usize = axes.iter().map(|axis| host.shape()[*axis]).product();
        let exact = sums.mapv(|sum| sum as f64 / count as f64);
        let means = device.mean_axis(&axes);
        prop_assert!((means.get() - &exact).iter().all(|off| off.abs() < 1e-12));
        // With the axes again it broadcasts with the array.
        let off = &device - means.expand_dims(&axes);
        let squares = off.pow(2).sum_axis(&axes) / count as f64;
        prop_assert!(allclose(&squares, &device.var_axis(&axes)));
        prop_assert_eq!(device.count_nonzero_axis(&axes).get(), sums_over(&host.mapv(|x| i64::from(x != 0)), &axes));
        prop_assert!(allclose(&device.norm_axis(&axes).pow(2), &device.astype(f64).pow(2).sum_axis(&axes)));
        prop_assert!(array_equal(&device.ptp_axis(&axes), &(device.max_axis(&axes) - device.min_axis(&axes))));
    }
}

#[test]
fn axes_that_are_not_there() {
    let a = zeros::<f32>((2, 3, 4));
    raises(ErrorKind::Shape, "sum: axis 3 is out of bounds for array of dimension 3", || {
        drop(a.sum_axis((0, 3)))
    });
    raises(ErrorKind::Shape, "max: repeated axis -2 in [1, -2]; name each once", || {
        drop(a.max_axis((1, -2)))
    });
    assert_eq!(a.sum_axis(()).shape(), [2, 3, 4]);
    let none = zeros::<i32>((0, 3, 0));
    assert_eq!(none.sum_axis((0, 2)).to_vec(), [0, 0, 0]);
    assert_eq!(none.all_axis([0, 2]).to_vec(), [true; 3]);
    let text = "min: axes [0, 2] of shape [0, 3, 0] are empty, and no elements have a min";
    raises(ErrorKind::Shape, text, || drop(none.min_axis((0, 2))));
    let text = "subtract: not for bool: booleans have no difference; use `^`";
    raises(ErrorKind::DType, text, || drop(gpu![true].ptp()));
}

/// A mask is part of the reduction's kernel.
#[test]
fn masked_reductions() {
    let a = gpu![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    assert_eq!(where_(&a.gt(2), &a, 0).sum_axis(0).to_vec(), [4.0, 5.0, 9.0]);
    assert_eq!(where_(&a.gt(2), &a, f64::NAN).nanmean().item(), 4.5);
}

#[test]
fn sizes_around_blocks() {
    for shape in [[1, 5000], [5000, 1], [3, 1025], [1025, 3], [2, 70_000], [70_000, 2], [300, 700]] {
        let (host, device) = arrays(&shape, 1);
        check(&host, &device, 0);
        check(&host, &device, 1);
        check(&host.t().to_owned(), &device.t(), 0);
    }
    for size in [1, 255, 257, 65_537, 1_000_003] {
        let mut a = zeros::<f32>(size);
        a.set(size - 1, 1.0);
        assert_eq!((a.argmax().item(), a.argmin().item()), (size as i64 - 1, 0), "{size}");
        a.set(size / 2, f32::NAN);
        assert_eq!((a.argmax().item(), a.argmin().item()), (size as i64 / 2, size as i64 / 2), "{size}");
    }
}

/// The sum of the squares less the square of the sum, in single precision, had
/// no digit left.
#[test]
fn variances_of_singles_are_exact_to_a_millionth() {
    let n = 1_i32 << 20;
    // Deviations of 1/16 about 4096: each of the numbers is exact.
    let a = (arange(0..n) % 2).astype(f32) / 8 + 4096.0f32 - 0.0625f32;
    let exact = 1.0 / 256.0;
    assert!((f64::from(a.var().item()) / exact - 1.0).abs() < 1e-6, "{}", a.var().item());
    assert!((f64::from(a.std().item()) * 16.0 - 1.0).abs() < 1e-6, "{}", a.std().item());
    let rows = a.reshape((1024, -1));
    for vars in [rows.var_axis(1), rows.t().var_axis(0)] {
        assert!(vars.to_vec().iter().all(|var| (f64::from(*var) / exact - 1.0).abs() < 1e-6));
    }
    // Of numbers of any kind, beside a loop in double precision.
    let a = rand::<f32>((1000, 300)) * 3.0 + 1000.0;
    let host = a.get().mapv(f64::from);
    for axis in [0, 1] {
        let exact = host.var_axis(Axis(axis), 1.0);
        let found = a.var_axis_ddof(axis as isize, 1).get().mapv(f64::from);
        assert!((found / exact).iter().all(|ratio| (ratio - 1.0).abs() < 1e-6));
    }
}

#[test]
fn no_elements() {
    let a = zeros::<f32>((0, 3));
    let text = "argmax: attempt to get argmax of an empty sequence: an array of shape [0, 3] has no elements";
    raises(ErrorKind::Shape, text, || drop(a.argmax()));
    let text = "argmin: attempt to get argmin of an empty sequence: axis 0 of shape [0, 3] has no elements";
    raises(ErrorKind::Shape, text, || drop(a.argmin_axis(0)));
    raises(ErrorKind::Shape, "var: an array of no elements has none", || drop(a.var()));
    raises(ErrorKind::Shape, "std: axis 0 of shape [0, 3] is empty, and no elements have a std", || {
        drop(a.std_axis(0));
    });
    assert_eq!((a.argmax_axis(1).shape(), a.var_axis(1).shape()), (&[0][..], &[0][..]));
}

#[test]
fn one_element() {
    let a = gpu![[2.5f32]].slice(s![0, 0]);
    assert_eq!((a.argmax().item(), a.argmin().item(), a.var().item()), (0, 0, 0.0));
    assert!(a.var_ddof(1).item().is_nan() && a.std_ddof(7).item().is_nan());
    raises(ErrorKind::Shape, "argmax: axis 0 is out of bounds for array of dimension 0", || {
        drop(a.argmax_axis(0));
    });
    raises(ErrorKind::Shape, "var: axis 2 is out of bounds for array of dimension 2", || {
        drop(gpu![[1, 2]].var_axis(2));
    });
}

#[test]
fn a_graph_computes_them_again() {
    let mut a = arange(0..6).reshape((2, 3));
    let (mut places, mut spread) = (zeros::<i64>(2), zeros::<f64>(3));
    let graph = Graph::capture(|| {
        places.set(.., a.argmax_axis(1));
        spread.set(.., a.var_axis(0));
        Ok(())
    })
    .unwrap();
    a.set(s![1, 0], 9);
    graph.launch().unwrap();
    assert_eq!(places.to_vec(), [2, 0]);
    assert_eq!(spread.to_vec(), [20.25, 2.25, 2.25]);
}

/// Keys of an element and its place: the ends of every type, zeros, NaN, ties.
#[test]
fn extremes_of_up_to_32_bits_have_their_first_place() {
    macro_rules! places {
        ($($values:expr => ($least:expr, $greatest:expr);)*) => {$(
            let array = to_gpu(&$values);
            assert_eq!((array.argmin().item(), array.argmax().item()), ($least, $greatest), "{:?}", $values);
            let column = array.reshape((array.size(), 1));
            assert_eq!((column.argmin_axis(0).to_vec(), column.argmax_axis(0).to_vec()), (vec![$least], vec![$greatest]));
        )*};
    }
    let nan = f32::NAN;
    places! {
        [false, true, false, true] => (0, 1);
        [0i8, i8::MIN, i8::MAX, i8::MIN, i8::MAX] => (1, 2);
        [0i16, i16::MAX, i16::MIN] => (2, 1);
        [-1i32, i32::MAX, i32::MIN, i32::MAX] => (2, 1);
        [1u32, 1 << 31, u32::MAX, 0, u32::MAX] => (3, 2);
        [1u8, 255, 0] => (2, 1);
        [i64::MIN, i64::MAX, i64::MAX] => (0, 1);
        [0.0f32, -0.0, 0.0] => (0, 0);
        [-0.0f32, 0.0] => (0, 0);
        [1.0f32, f32::INFINITY, f32::NEG_INFINITY, f32::MAX] => (2, 1);
        [-1.0f32, -2.0, -1e-45, 1e-45, -f32::MAX] => (4, 3);
        [1.0f32, nan, 3.0, nan] => (1, 1);
        [-nan, 1.0] => (0, 0);
        [f16::from_f32(-2.0), f16::INFINITY, f16::NEG_INFINITY, f16::from_f32(0.5)] => (2, 1);
        [0.0f64, -0.0, f64::NAN] => (2, 2);
    }
    // Of a view, and of an expression that is not kept.
    let array = arange(0..1_000_000i32).astype(f32);
    assert_eq!((array.slice(s![..; -2]).argmax().item(), (&array * -1.0).argmin().item()), (0, 999_999));
}

/// Rows that the host searches in blocks: of lengths that blocks do not divide,
/// with the extreme in the first block, the last one and what is left over.
#[test]
fn places_of_extremes_in_long_rows() {
    fn check<T: Elem + Into<f64>>(rows: usize, elements: &[T]) {
        let length = elements.len() / rows;
        let place = |row: &[T], is_better: fn(f64, f64) -> bool| {
            let mut best = 0;
            for (k, x) in row.iter().enumerate() {
                let (x, least): (f64, f64) = ((*x).into(), row[best].into());
                if !least.is_nan() && (x.is_nan() || is_better(x, least)) {
                    best = k;
                }
            }
            best as i64
        };
        let a = to_gpu(elements);
        assert_eq!(a.argmax().item(), place(elements, |x, y| x > y));
        assert_eq!(a.argmin().item(), place(elements, |x, y| x < y));
        let table = a.reshape((rows, length));
        let greatest: Vec<i64> = elements.chunks(length).map(|row| place(row, |x, y| x > y)).collect();
        let least: Vec<i64> = elements.chunks(length).map(|row| place(row, |x, y| x < y)).collect();
        assert_eq!(table.argmax_axis(-1).to_vec(), greatest);
        assert_eq!(table.argmin_axis(1).to_vec(), least);
        // Views: rows that lie apart, from behind.
        let apart = table.slice(s![..;-1, 1..]);
        let expected: Vec<i64> =
            elements.chunks(length).rev().map(|row| place(&row[1..], |x, y| x > y)).collect();
        assert_eq!(apart.argmax_axis(1).to_vec(), expected);
    }
    for (rows, length) in [(1, 1024), (1, 300_007), (3, 1025), (7, 3162), (2, 70_001)] {
        let number = |k: usize| (k.wrapping_mul(2_654_435_761) >> 7) % 1000;
        let ties: Vec<f32> = (0..rows * length).map(|k| number(k) as f32 - 500.0).collect();
        check(rows, &ties);
        for at in [0, length / 2, length - 1] {
            let mut one = ties.clone();
            one[at] = f32::NAN;
            check(rows, &one);
            (one[at], one[length - 1]) = (-7000.0, 7000.0);
            check(rows, &one);
        }
        check(rows, &(0..rows * length).map(|k| number(k) as u8).collect::<Vec<_>>());
        check(rows, &(0..rows * length).map(|k| number(k) as i32 - i32::MAX).collect::<Vec<_>>());
        check(rows, &(0..rows * length).map(|k| u32::MAX - number(k) as u32).collect::<Vec<_>>());
        check(rows, &(0..rows * length).map(|k| f16::from_f32(number(k) as f32)).collect::<Vec<_>>());
    }
}
