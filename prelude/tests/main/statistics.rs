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
    let cases: Vec<Case> = cases_of(include_str!("numpy/statistics.txt"));
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
                other => panic!("no operation {other}"),
            }
            true
        }};
    }
    let count = for_types!(cases, case, [bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex32 Complex64] => statistics!(case));
    assert_eq!(count, cases.len());
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
