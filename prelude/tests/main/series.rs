//! Running sums, products and extremes, differences, gradients and integrals,
//! beside NumPy (`numpy/series.txt`, which `numpy/series.py` writes) and plain
//! loops.

use gpurepl_prelude::*;
use ndarray::{ArrayD, Axis, IxDyn};
use proptest::prelude::*;

use crate::answers::{Case, Written, cases_of, for_types};
use crate::raises;

/// The cases whose names begin so.
fn cases(names: &[&str]) -> Vec<Case<'static>> {
    let is_wanted = |case: &Case| names.iter().any(|name| case.operation.starts_with(name));
    cases_of(include_str!("numpy/series.txt")).into_iter().filter(is_wanted).collect()
}

#[test]
fn running_results_are_what_numpy_computes() {
    let cases = cases(&["cum", "nancum", "maximum", "minimum"]);
    let count = for_types!(cases, case, [bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex32 Complex64] => {
        let a = case.operand::<T>(0).reshape((2, 4));
        let roughly = T::DTYPE.is_float() || T::DTYPE.is_complex();
        match case.operation {
            "cumsum" => case.check(a.cumsum(), roughly),
            "cumsum 0" => case.check(a.cumsum_axis(0), roughly),
            "cumsum 1" => case.check(a.cumsum_axis(-1), roughly),
            "cumprod" => case.check(a.cumprod(), roughly),
            "cumprod 0" => case.check(a.cumprod_axis(0), roughly),
            "cumprod 1" => case.check(a.cumprod_axis(-1), roughly),
            "nancumsum" => case.check(a.nancumsum(), roughly),
            "nancumsum 0" => case.check(a.nancumsum_axis(0), roughly),
            "nancumsum 1" => case.check(a.nancumsum_axis(1), roughly),
            "nancumprod" => case.check(a.nancumprod(), roughly),
            "nancumprod 0" => case.check(a.nancumprod_axis(0), roughly),
            "nancumprod 1" => case.check(a.nancumprod_axis(1), roughly),
            "maximum 0" => case.check(a.maximum_accumulate(0), false),
            "maximum 1" => case.check(a.maximum_accumulate(1), false),
            "minimum 0" => case.check(a.minimum_accumulate(-2), false),
            "minimum 1" => case.check(a.minimum_accumulate(-1), false),
            other => panic!("no operation {other}"),
        }
        true
    });
    assert_eq!(count, cases.len());
}

#[test]
fn differences_are_what_numpy_computes() {
    let cases = cases(&["diff", "ediff1d"]);
    let count = for_types!(cases, case, [bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex32 Complex64] => {
        let a = case.operand::<T>(0).reshape((2, 4));
        match case.operation {
            "diff" => case.check(a.diff(), false),
            "diff 0" => case.check(a.diff_axis(0), false),
            "diff 1 twice" => case.check(a.diff_axis_n(-1, 2), false),
            "diff 0 thrice" => case.check(a.diff_axis_n(0, 3), false),
            "ediff1d" => case.check(a.ediff1d(), false),
            other => panic!("no operation {other}"),
        }
        true
    });
    assert_eq!(count, cases.len());
}

/// Compares slopes at the ends, which cancel: to a share of the largest.
#[track_caller]
fn check_gradient<T: Written>(case: &Case, answer: &GpuArray<T>) {
    let (_, elements) = case.lines.last().unwrap();
    let wanted = to_gpu(elements.iter().map(|text| T::read(text)).collect::<Vec<T>>());
    let off = (answer.ravel().astype(array::types::Complex64) - wanted.astype(array::types::Complex64)).abs();
    let most = wanted.astype(array::types::Complex64).abs().max().item();
    let share = match T::DTYPE {
        DType::Float16 => 4e-3,
        DType::Float32 | DType::Complex64 => 1e-6,
        _ => 1e-14,
    };
    assert!(off.max().item() <= share * most, "{}: {answer}, not {wanted}", case.operation);
}

#[test]
fn integrals_and_gradients_are_what_numpy_computes() {
    let cases = cases(&["trapezoid", "gradient"]);
    let x = gpu![0.0, 1.0, 3.0, 4.5];
    let places = gpu![[0.0, 1.0, 3.0, 4.5], [0.0, 2.0, 6.0, 9.0]];
    let count = for_types!(cases, case, [i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex32 Complex64] => {
        let a = case.operand::<T>(0).reshape((2, 4));
        match case.operation {
            "trapezoid" => case.check(a.trapezoid(0.5), true),
            "trapezoid 0" => case.check(a.trapezoid_axis(0, 1), true),
            "trapezoid x" => case.check(a.trapezoid(&x), true),
            "trapezoid table" => case.check(a.trapezoid(&places), true),
            "gradient" => case.check(a.gradient_axis(1, 2.0), true),
            "gradient 0" => case.check(a.gradient_axis(0, 1), true),
            "gradient x" => case.check(a.gradient_axis(-1, &x), true),
            "gradient edge" => check_gradient(case, &a.gradient_axis_order(1, 0.5, 2)),
            "gradient edge x" => check_gradient(case, &a.gradient_axis_order(1, &x, 2)),
            "gradient all 0" => case.check(a.gradients(1)[0].copy(), true),
            "gradient all 1" => case.check(a.gradients(1)[1].copy(), true),
            "gradient each 0" => case.check(a.gradients((2.0, &x))[0].copy(), true),
            "gradient each 1" => case.check(a.gradients((2.0, &x))[1].copy(), true),
            other => panic!("no operation {other}"),
        }
        true
    });
    assert_eq!(count, cases.len());
}

/// Small numbers in a shape, with every `step`th of the last axis as a view.
fn arrays(shape: &[usize], step: usize) -> (ArrayD<i64>, GpuArray<i32>) {
    let size = shape.iter().product::<usize>();
    let numbers = (0..size).map(|k| (k * k % 7) as i32 - 3).collect();
    let mut host = ArrayD::from_shape_vec(IxDyn(shape), numbers).unwrap();
    let device = to_gpu(&host);
    host.slice_axis_inplace(Axis(shape.len() - 1), ndarray::Slice::new(0, None, step as isize));
    let steps = [SliceItem::Ellipsis, SliceItem::from(..).by(step as i64)];
    (host.mapv(i64::from), device.slice(Slices::new(&steps)))
}

/// What a loop leaves along an axis.
fn scanned(host: &ArrayD<i64>, axis: usize, combine: fn(i64, i64) -> i64) -> ArrayD<i64> {
    let mut result = host.clone();
    result.accumulate_axis_inplace(Axis(axis), |before, now| *now = combine(*before, *now));
    result
}

fn check(host: &ArrayD<i64>, device: &GpuArray<i32>, axis: usize) {
    let (number, what) = (axis as isize, format!("{:?} along {axis}", host.shape()));
    assert_eq!(device.cumsum_axis(number).get(), scanned(host, axis, i64::wrapping_add), "{what}");
    assert_eq!(device.cumprod_axis(number).get(), scanned(host, axis, i64::wrapping_mul), "{what}");
    let greatest = scanned(host, axis, i64::max);
    assert_eq!(device.maximum_accumulate(number).astype(i64).get(), greatest, "{what}");
    assert_eq!(device.minimum_accumulate(number).astype(i64).get(), scanned(host, axis, i64::min), "{what}");
    // Of an expression, in a type of another size and in half precision.
    assert_eq!((device * -1).astype(i8).minimum_accumulate(number).astype(i64).get(), -&greatest, "{what}");
    assert_eq!(device.astype(f16).maximum_accumulate(number).astype(i64).get(), greatest, "{what}");
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
    }
}

#[test]
fn sizes_around_blocks() {
    for shape in [[1, 5000], [5000, 1], [3, 1025], [1025, 3], [2, 70_000], [70_000, 2], [300, 700]] {
        let (host, device) = arrays(&shape, 1);
        check(&host, &device, 0);
        check(&host, &device, 1);
    }
    let mut a = zeros::<f32>(1_000_003);
    a.set(600_000, f32::NAN);
    let nans = a.maximum_accumulate(0).ne(a.maximum_accumulate(0));
    assert_eq!((nans.sum().item(), nans.argmax().item()), (400_003, 600_000));
    let rows = a.slice(..1_000_000).reshape((1000, 1000));
    assert_eq!(rows.minimum_accumulate(0).count_nonzero().item(), 400);
    assert_eq!(rows.minimum_accumulate(1).count_nonzero().item(), 1000);
}

#[test]
fn what_has_few_elements() {
    let none = zeros::<f32>((0, 3));
    assert_eq!((none.cumprod_axis(0).shape(), none.cumprod().shape()), (&[0, 3][..], &[0][..]));
    assert_eq!((none.diff_axis(0).shape(), none.diff().shape()), (&[0, 3][..], &[0, 2][..]));
    assert_eq!(gpu![1, 2].diff_axis_n(0, 9).shape(), [0]);
    assert_eq!(gpu![1, 2].diff_axis_n(0, 0).to_vec(), [1, 2]);
    assert_eq!((gpu![5].trapezoid(1).item(), gpu![[3.5]].cumprod_axis(1).item()), (0.0, 3.5));
    let scalar = gpu![1, 2].sum();
    let text = "diff: diff requires input that is at least one dimensional";
    raises(ErrorKind::Shape, text, || drop(scalar.diff()));
    let text = "maximum_accumulate: axis 1 is out of bounds for array of dimension 1";
    raises(ErrorKind::Shape, text, || drop(gpu![1, 2].maximum_accumulate(1)));
    let text = "gradient: Shape of array too small to calculate a numerical gradient, at least 2 elements are \
                required: axis 0 of shape [1] has 1";
    raises(ErrorKind::Shape, text, || drop(gpu![1.0].gradient(1)));
    let text = "gradient: an array of shape [1, 2] has a gradient along each axis";
    raises(ErrorKind::Shape, text, || drop(gpu![[1.0, 2.0]].gradient(1)));
    let text = "gradient: places of shape [3] do not fit axis 0 of shape [2]";
    raises(ErrorKind::Shape, text, || drop(gpu![1.0, 2.0].gradient(gpu![1, 2, 3])));
    let text = "trapezoid: places of shape [3] do not fit axis 1 of shape [1, 2]";
    raises(ErrorKind::Shape, text, || drop(gpu![[1.0, 2.0]].trapezoid(gpu![1, 2, 3])));
}

#[test]
fn a_graph_computes_them_again() {
    let mut a = arange(1..5);
    let (mut products, mut slopes) = (zeros::<i64>(4), zeros::<f64>(4));
    let graph = Graph::capture(|| {
        products.set(.., a.cumprod());
        slopes.set(.., a.gradient(1));
        Ok(())
    })
    .unwrap();
    a.set(0, 3);
    graph.launch().unwrap();
    assert_eq!((products.to_vec(), slopes.to_vec()), (vec![3, 6, 18, 72], vec![-1.0, 0.0, 1.0, 1.0]));
}

#[test]
fn gradients_that_need_more_elements() {
    let text = "gradient: Shape of array too small to calculate a numerical gradient, at least 3 elements are required: \
                axis 0 of shape [2] has 2";
    raises(ErrorKind::Shape, text, || drop(gpu![1.0, 2.0].gradient_axis_order(0, 1, 2)));
    let text = "gradient: 'edge_order' greater than 2 not supported: it is 1 or 2, and not 3";
    raises(ErrorKind::Value, text, || drop(gpu![1.0, 2.0].gradient_axis_order(0, 1, 3)));
    let text = "gradients: 1 spacings for shape [2, 2], which has 2 axes";
    raises(ErrorKind::Shape, text, || drop(ones::<f32>((2, 2)).gradients((1.0,))));
}
