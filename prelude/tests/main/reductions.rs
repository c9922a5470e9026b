//! Sums and extremes of large and odd arrays.

use gpurepl_prelude::*;
use proptest::prelude::*;

use crate::raises;

#[test]
fn sizes_around_a_block_and_a_grid() {
    for size in [1, 2, 31, 32, 33, 255, 256, 257, 511, 65_535, 65_537, 1_000_003] {
        let a = arange(0..size as i64);
        assert_eq!(a.sum().item(), size as i64 * (size as i64 - 1) / 2, "{size}");
        assert_eq!((a.max().item(), a.min().item()), (size as i64 - 1, 0), "{size}");
        let ones = ones::<f32>(size);
        assert_eq!(ones.sum().item(), size as f32, "{size}");
        assert_eq!(ones.dot(&ones).item(), size as f32, "{size}");
    }
}

#[test]
fn no_elements() {
    let a = zeros::<f64>(0);
    assert_eq!((a.sum().item(), a.prod().item()), (0.0, 1.0));
    assert_eq!((a.any().item(), a.all().item()), (false, true));
    raises(ErrorKind::Shape, "mean: an array of no elements has none", || drop(a.mean()));
    raises(ErrorKind::Shape, "max: an array of no elements has none", || drop(a.max()));
    raises(ErrorKind::Shape, "min: an array of no elements has none", || drop(a.min()));
}

#[test]
fn a_nan_anywhere_is_the_extreme() {
    for at in [0, 1, 300, 9_999] {
        let mut a = zeros::<f32>(10_000);
        a.set(at, f32::NAN);
        assert!(a.max().item().is_nan() && a.min().item().is_nan(), "{at}");
    }
}

#[test]
fn sums_of_floats_are_as_exact_as_a_tree_makes_them() {
    let n = 4_000_000;
    let sum = full(n, 0.1_f32).sum().item();
    let exact = f64::from(0.1_f32) * n as f64;
    assert!((f64::from(sum) - exact).abs() / exact < 1e-6, "{sum}");
}

#[test]
fn norms_and_products() {
    assert_eq!(gpu![3.0_f32, 4.0].norm().item(), 5.0);
    assert_eq!(gpu![1_u8, 200, 100].dot(&gpu![2_u8, 2, 2]).item(), 602);
    let a = gpu![[1.0, 2.0], [3.0, 4.0]];
    raises(ErrorKind::Shape, "dot: shapes [2, 2] and [3] differ", || drop(a.dot(&gpu![1.0, 2.0, 3.0])));
    let kernel =
        ReductionKernel::<f32>::new("0", "a+b", "x[i]*y[i]", "const float *x, const float *y", "dot_product")
            .unwrap();
    let (x, y) = (arange(0..1000).astype(f32), full(1000, 2.0_f32));
    assert_eq!(kernel.call((&x, &y)).unwrap().item(), 999_000.0);
    let largest =
        ReductionKernel::<f32>::new("-1e30f", "a > b ? a : b", "fabsf(x[i])", "const float *x", "largest");
    assert_eq!(largest.unwrap().call(&gpu![f32; 1, -7, 3]).unwrap().item(), 7.0);
}

proptest! {
    #[test]
    fn views_are_summed_as_they_lie(rows in 1..40_usize, columns in 1..40_usize, step in 1..5_i64) {
        let a = arange(0..(rows * columns) as i32).reshape((rows, columns));
        let view = a.t().slice(s![..; step]);
        let host = view.get();
        prop_assert_eq!(view.sum().item(), host.iter().map(|x| i64::from(*x)).sum::<i64>());
        prop_assert_eq!(view.max().item(), *host.iter().max().unwrap());
        prop_assert_eq!((&view * 2 + 1).sum().item(), host.iter().map(|x| i64::from(*x) * 2 + 1).sum::<i64>());
    }
}
