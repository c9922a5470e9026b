//! Reductions and running sums along an axis, beside `ndarray`'s.

use gpurepl_prelude::*;
use ndarray::{ArrayD, Axis, IxDyn};
use proptest::prelude::*;

use crate::raises;

/// An array of `ndarray` with small numbers, and its elements at every `step`th
/// place of the last axis, as a view on the device.
fn arrays(shape: &[usize], step: usize) -> (ArrayD<i32>, GpuArray<i32>) {
    let size = shape.iter().product::<usize>();
    let numbers = (0..size).map(|k| (k * k % 23) as i32 - 7).collect();
    let host = ArrayD::from_shape_vec(IxDyn(shape), numbers).unwrap();
    let (mut view, on_device) = (host.clone(), to_gpu(&host));
    view.slice_axis_inplace(Axis(shape.len() - 1), ndarray::Slice::new(0, None, step as isize));
    let device = on_device.slice(Slices::new(&[SliceItem::Ellipsis, SliceItem::from(..).by(step as i64)]));
    (view, device)
}

fn wide(host: &ArrayD<i32>) -> ArrayD<i64> {
    host.mapv(i64::from)
}

fn cumsum(host: &ArrayD<i64>, axis: usize) -> ArrayD<i64> {
    let mut sums = host.clone();
    sums.accumulate_axis_inplace(Axis(axis), |before, sum| *sum += before);
    sums
}

fn check(host: &ArrayD<i32>, device: &GpuArray<i32>, axis: usize) {
    let number = axis as isize;
    let negative = number - host.ndim() as isize;
    let sums = wide(host).sum_axis(Axis(axis));
    assert_eq!(device.sum_axis(number).get(), sums, "{:?} along {axis}", host.shape());
    assert_eq!(device.sum_axis(negative).get(), sums);
    assert_eq!(
        device.cumsum_axis(number).get(),
        cumsum(&wide(host), axis),
        "{:?} along {axis}",
        host.shape()
    );
    // An expression is part of the kernel.
    assert_eq!((device * 2 + 1).sum_axis(number).get(), (wide(host) * 2 + 1).sum_axis(Axis(axis)));
    assert_eq!((device * 2 + 1).cumsum_axis(negative).get(), cumsum(&(wide(host) * 2 + 1), axis));
    if host.shape()[axis] > 0 {
        let most = host.map_axis(Axis(axis), |row| *row.iter().max().unwrap());
        let least = host.map_axis(Axis(axis), |row| *row.iter().min().unwrap());
        assert_eq!((device.max_axis(number).get(), device.min_axis(number).get()), (most, least));
        let means = host.mapv(f64::from).mean_axis(Axis(axis)).unwrap();
        let off = (device.mean_axis(number).get() - means).mapv(f64::abs);
        assert!(off.iter().all(|off| *off < 1e-12));
    }
    let any = host.map_axis(Axis(axis), |row| row.iter().any(|x| *x != 0));
    let all = host.map_axis(Axis(axis), |row| row.iter().all(|x| *x != 0));
    assert_eq!((device.any_axis(number).get(), device.all_axis(number).get()), (any, all));
}

proptest! {
    #[test]
    fn they_are_what_ndarray_computes(
        shape in prop::collection::vec(0..7_usize, 1..5),
        step in 1..4_usize,
        axis in 0..4_usize,
    ) {
        let (host, device) = arrays(&shape, step);
        check(&host, &device, axis % shape.len());
        prop_assert_eq!(device.cumsum().to_vec(), {
            let mut sum = 0;
            host.iter().map(|x| { sum += i64::from(*x); sum }).collect::<Vec<_>>()
        });
    }
}

#[test]
fn sizes_around_blocks_and_tiles() {
    for shape in [
        [1, 5000],
        [5000, 1],
        [3, 1023],
        [3, 1024],
        [3, 1025],
        [2, 2049],
        [1025, 3],
        [4097, 7],
        [40, 1500],
        [1500, 40],
        [2, 70_000],
        [70_000, 2],
        [300, 700],
        [9, 33_000],
        [100_000, 3],
        [3, 100_000],
        [17, 2048],
    ] {
        for step in [1, 2] {
            let (host, device) = arrays(&shape, step);
            check(&host, &device, 0);
            check(&host, &device, 1);
        }
    }
    let (host, device) = arrays(&[7, 300, 90], 1);
    (0..3).for_each(|axis| check(&host, &device, axis));
    // A view whose rows are repeated, and one that is turned around.
    let row = arange(0..1000).reshape((1, 1000));
    let table: GpuArray<i64> = (&row + zeros::<i32>((50, 1))).sum_axis(0);
    assert_eq!(table.to_vec(), (0..1000).map(|k| 50 * k).collect::<Vec<i64>>());
    let (host, device) = arrays(&[130, 211], 1);
    check(&host.t().to_owned(), &device.t(), 0);
    check(&host.t().to_owned(), &device.t(), 1);
}

#[test]
fn a_whole_array_is_summed_up_in_order() {
    for size in [1, 1000, 2048, 2049, 65_537, 1_000_003] {
        let sums = arange(0..size as i64).cumsum().to_vec();
        assert!((0..size as i64).all(|k| sums[k as usize] == k * (k + 1) / 2), "{size}");
    }
    assert_eq!(gpu![[1, 2], [3, 4]].t().cumsum().to_vec(), [1i64, 4, 6, 10]);
    assert_eq!(gpu![[1.5f32]].slice(s![0, 0]).cumsum().to_vec(), [1.5]);
}

#[test]
fn every_type_has_the_type_of_its_sum() {
    fn one<T: Elem>(a: GpuArray<T>) -> (String, String, String) {
        let a = a.reshape((2, 2));
        (format!("{}", a.sum_axis(0)), format!("{}", a.cumsum_axis(1)), a.sum_axis(1).dtype().to_string())
    }
    let answers =
        |columns: &str, sums: &str, dtype: &str| (columns.to_owned(), sums.to_owned(), dtype.to_owned());
    assert_eq!(one(gpu![200u8, 100, 1, 2]), answers("[201 102]", "[[200 300]\n [  1   3]]", "uint64"));
    assert_eq!(one(gpu![1i8, -2, 3, 4]), answers("[4 2]", "[[ 1 -1]\n [ 3  7]]", "int64"));
    assert_eq!(one(gpu![true, true, false, true]), answers("[1 2]", "[[1 2]\n [0 1]]", "int64"));
    assert_eq!(one(gpu![1.5f32, 2.0, 3.0, 4.0]), answers("[4.5 6. ]", "[[1.5 3.5]\n [3.  7. ]]", "float32"));
    assert_eq!(one(gpu![1.5, 2.0, 3.0, 4.0]), answers("[4.5 6. ]", "[[1.5 3.5]\n [3.  7. ]]", "float64"));
    assert_eq!(
        one(gpu![1.5, 2.0, 3.0, 4.0].astype(f16)),
        answers("[4.5 6. ]", "[[1.5 3.5]\n [3.  7. ]]", "float16")
    );
    let z = |re, im| Complex64::new(re, im);
    let complex = gpu![z(1.0, 1.0), z(2.0, 0.0), z(3.0, -1.0), z(4.0, 2.0)].reshape((2, 2));
    assert_eq!(complex.sum_axis(0).to_vec(), [z(4.0, 0.0), z(6.0, 2.0)]);
    assert_eq!(complex.cumsum_axis(0).to_vec(), [z(1.0, 1.0), z(2.0, 0.0), z(4.0, 0.0), z(6.0, 2.0)]);
    let single = complex.astype(Complex32);
    assert_eq!(single.cumsum_axis(1).to_vec()[1], Complex32::new(3.0, 1.0));
    assert_eq!(gpu![[2, 3], [4, 5]].prod_axis(0).to_vec(), [8i64, 15]);
    let nan = gpu![[1.0, f64::NAN], [3.0, 2.0]];
    assert!(nan.max_axis(0).to_vec()[1].is_nan() && nan.min_axis(1).to_vec()[0].is_nan());
}

/// As sums of whole arrays: NumPy adds the columns of a matrix one row after
/// the other.
#[test]
fn sums_of_singles_along_any_axis_are_exact_to_a_millionth() {
    let n = 1 << 20;
    for (shape, axis) in [((n, 4), 0), ((4, n), 1), ((n / 64, 256), 0)] {
        let a = full(shape, 0.1f32);
        let exact = f64::from(0.1f32) * if axis == 0 { shape.0 } else { shape.1 } as f64;
        for sum in a.sum_axis(axis).to_vec() {
            assert!((f64::from(sum) - exact).abs() / exact < 1e-6, "{shape:?}: {sum}, not {exact}");
        }
        let last = a.cumsum_axis(axis).to_vec()[shape.0 * shape.1 - 1];
        assert!((f64::from(last) - exact).abs() / exact < 2e-6, "{shape:?}: {last}, not {exact}");
    }
}

#[test]
fn infinities_are_summed_up() {
    let sums = gpu![1.0, f64::INFINITY, 2.0].cumsum().to_vec();
    assert_eq!(sums, [1.0, f64::INFINITY, f64::INFINITY]);
    assert!(gpu![f64::INFINITY, f64::NEG_INFINITY].cumsum().to_vec()[1].is_nan());
}

#[test]
fn no_elements_along_an_axis() {
    let a = zeros::<f32>((0, 3));
    assert_eq!((a.sum_axis(0).to_vec(), a.prod_axis(0).to_vec()), (vec![0.0; 3], vec![1.0; 3]));
    assert_eq!((a.any_axis(0).to_vec(), a.all_axis(0).to_vec()), (vec![false; 3], vec![true; 3]));
    assert_eq!((a.sum_axis(1).shape(), a.cumsum_axis(1).shape()), (&[0][..], &[0, 3][..]));
    assert_eq!(a.max_axis(1).shape(), [0]);
    raises(ErrorKind::Shape, "max: axis 0 of shape [0, 3] is empty, and no elements have a max", || {
        drop(a.max_axis(0));
    });
    raises(ErrorKind::Shape, "mean: axis 0 of shape [0, 3] is empty, and no elements have a mean", || {
        drop(a.mean_axis(0));
    });
    assert_eq!(zeros::<i32>(0).cumsum().to_vec(), Vec::<i64>::new());
}

#[test]
fn an_axis_that_is_not_there() {
    let a = gpu![[1, 2], [3, 4]];
    for axis in [2, -3, isize::MIN, isize::MAX] {
        let text = format!("sum: axis {axis} is out of bounds for array of dimension 2");
        raises(ErrorKind::Shape, &text, || drop(a.sum_axis(axis)));
        let text = format!("cumsum: axis {axis} is out of bounds for array of dimension 2");
        raises(ErrorKind::Shape, &text, || drop(a.cumsum_axis(axis)));
    }
    raises(ErrorKind::Shape, "max: axis 0 is out of bounds for array of dimension 0", || {
        drop(a.sum().max_axis(0))
    });
}

#[test]
fn a_graph_sums_again() {
    let mut a = arange(0..6).reshape((2, 3));
    let (mut sums, mut running) = (zeros::<i64>(3), zeros::<i64>((2, 3)));
    let graph = Graph::capture(|| {
        sums.set(.., a.sum_axis(0));
        running.set(.., a.cumsum_axis(1));
        Ok(())
    })
    .unwrap();
    a += 10;
    graph.launch().unwrap();
    assert_eq!(sums.to_vec(), [23, 25, 27]);
    assert_eq!(running.to_vec(), [10, 21, 33, 13, 27, 42]);
}

#[test]
fn running_sums_of_long_rows_go_on_from_part_to_part() {
    let length = 2_500_003;
    let rows = ones::<i32>((2, length)).cumsum_axis(1);
    assert!(array_equal(&rows, &arange(1..length as i64 + 1).broadcast_to((2, length))));
    let steps = (arange(0..length as i64) % 7).astype(f32);
    let (once, again) = (steps.cumsum(), steps.cumsum());
    assert!(array_equal(&once, &again), "the order of additions is fixed");
    let exact = steps.astype(f64).cumsum();
    assert!(((once.astype(f64) - &exact).abs() / (&exact + 1)).max().item() < 1e-6);
    let z = steps.slice(s![..600_000]).astype(Complex64).cumsum();
    assert_eq!(z.slice(-1).item().re, exact.slice(599_999).item());
    let most = (arange(0..length as i64) % 1_000_003).maximum_accumulate(0);
    assert_eq!(most.slice(s![-1]).item(), 1_000_002);
    assert_eq!(most.slice(s![1_000_001]).item(), 1_000_001);
    let bytes = full::<u8>(length, 3).cumsum();
    assert_eq!(bytes.slice(-1).item(), 3 * length as u64);
}

/// Rows of more than 2^20 elements go another way on a GPU.
#[test]
fn running_results_of_long_rows_are_those_of_a_loop() {
    fn check<T: Elem + PartialEq>(
        running: &GpuArray<T>,
        length: usize,
        next: impl Fn(usize, T) -> T,
        first: fn(usize) -> T,
    ) {
        let found = running.to_vec();
        for (row, found) in found.chunks(length).enumerate() {
            let mut value = first(row * length);
            for (k, found) in found.iter().enumerate() {
                if k > 0 {
                    value = next(row * length + k, value);
                }
                assert!(*found == value, "{k} of row {row}: {found:?}, not {value:?}");
            }
        }
    }
    for (rows, length) in [(1, (1 << 20) + 5), (1, 5_000_001), (2, 1 << 21), (3, (1 << 20) + 1)] {
        let numbers = arange(0..(rows * length) as i64).reshape((rows, length));
        let small = (&numbers % 7).copy();
        let of = |k: usize| k as i64 % 7;
        check(&small.cumsum_axis(1), length, |k, value| value + of(k), |k| k as i64 % 7);
        check(&small.astype(f32).cumsum_axis(1), length, |k, value| value + of(k) as f32, |k| k as f32 % 7.0);
        check(
            &(&small + (&numbers - &numbers)).cumsum_axis(1),
            length,
            |k, value| value + of(k),
            |k| k as i64 % 7,
        );
        check(&small.astype(i32).cumsum_axis(1), length, |k, value| value + of(k), |k| k as i64 % 7);
        let complex = small.astype(Complex64) * Complex64::new(1.0, -1.0);
        let z = |k: usize| Complex64::new(1.0, -1.0) * of(k) as f64;
        check(
            &complex.cumsum_axis(1),
            length,
            |k, value| value + z(k),
            |k| Complex64::new(1.0, -1.0) * (k % 7) as f64,
        );
        // Not where vectors of four may be read.
        let later = small.ravel().slice(s![1..]).astype(f32);
        let of = |k: usize| ((k + 1) % 7) as f32;
        check(&later.cumsum(), rows * length - 1, |k, value| value + of(k), |k| ((k + 1) % 7) as f32);
        let flipped = small.fliplr();
        let turned = |k: usize| ((k / length + 1) * length - 1 - k % length) as i64 % 7;
        let found = flipped.cumsum_axis(1).to_vec();
        assert_eq!(found[length - 1], (0..length).map(turned).sum::<i64>());
        // Falls by steps, and rises beyond them.
        let waves = (&numbers % 1009 - &numbers % 7 * 3).astype(f64);
        let of = |k: usize| (k % 1009) as f64 - (k % 7 * 3) as f64;
        check(
            &waves.maximum_accumulate(1),
            length,
            |k, value: f64| value.max(of(k)),
            |k| (k % 1009) as f64 - (k % 7 * 3) as f64,
        );
    }
}
