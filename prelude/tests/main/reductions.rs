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

/// Adding them one after the other, as each of a GPU's threads did, lost 9e-6.
#[test]
fn sums_of_hundreds_of_millions_of_equal_floats() {
    fn off(found: f64, exact: f64) -> f64 {
        (found - exact).abs() / exact
    }
    // 2^28 elements that are not in memory.
    let (side, count) = (1_usize << 14, (1_u64 << 28) as f64);
    let (down, along) = (ones::<f32>((side, 1)), ones::<f32>((1, side)));
    for value in [0.1_f32, 0.7, 1.000_123, 3.3e-5] {
        let exact = f64::from(value) * count;
        let sum = (&down * value * &along).sum().item();
        assert!(off(sum.into(), exact) < 1e-6, "{value}: {sum}");
    }
    let value = 0.1_f32;
    let exact = f64::from(value) * count;
    let mean = (&down * value * &along).mean().item();
    assert!(off(mean.into(), f64::from(value)) < 1e-6, "{mean}");
    let complex = (&down * Complex32::new(value, 2.0 * value) * &along).sum().item();
    assert!(off(complex.re.into(), exact) < 1e-6 && off(complex.im.into(), 2.0 * exact) < 1e-6, "{complex}");
    // Half precision, whose sum is rounded once: of 2^19 that are 1/16.
    let halves = (ones::<f16>((1 << 10, 1)) / 16 * ones::<f16>((1, 1 << 9))).sum().item();
    assert_eq!(halves, f16::from_f32(32768.0));
}

#[test]
fn sums_with_infinities_are_infinite() {
    for value in [f32::INFINITY, f32::NEG_INFINITY] {
        let mut a = ones::<f32>(100_000);
        a.set(777, value);
        assert_eq!(a.sum().item(), value);
    }
    let mut a = ones::<f32>(100_000);
    a.set(s![..2], gpu![f32::INFINITY, f32::NEG_INFINITY]);
    assert!(a.sum().item().is_nan());
    let z = full(1000, Complex32::new(f32::INFINITY, 1.0)).sum().item();
    assert_eq!((z.re, z.im), (f32::INFINITY, 1000.0));
}

/// The text that a GPU gets, run as a user's kernel, so also on the host: each
/// thread adds thousands of values.
#[test]
fn the_generated_sum_keeps_what_rounding_loses() {
    use gpurepl_kernels::{Instruction, Operand, Program, ReduceOp, View};
    let (count, blocks) = (1_usize << 22, 4_usize);
    let program = Program {
        inputs: vec![(DType::Float32, View::Single)],
        scalars: Vec::new(),
        instructions: vec![Instruction { dtype: DType::Float32, operand: Operand::Input(0) }],
        output: View::Contiguous,
        rank: 1,
        reports_overflow: false,
    };
    // A name that the host's own text has as well.
    let text = program.to_cuda_reduction(ReduceOp::Sum).replace("gpurepl_shared", "shared_values");
    let module = SourceModule::new(&text).unwrap();
    let stage1 = module.get_function("gpurepl_reduce_stage1").unwrap();
    let stage2 = module.get_function("gpurepl_reduce_stage2").unwrap();
    for value in [0.1_f32, 0.7, 1.000_123] {
        let (input, mut partial, mut sum) = (gpu![value], zeros::<f32>(blocks), zeros::<f32>(1));
        stage1.launch(blocks, 256, (&input, &mut partial, count as u64)).unwrap();
        stage2.launch(1, 256, (&partial, &mut sum, blocks as u64)).unwrap();
        let exact = f64::from(value) * count as f64;
        let off = (f64::from(sum.item()) - exact).abs() / exact;
        assert!(off < 5e-7, "{value}: off by {off:e}");
    }
}

#[test]
fn norms_and_products() {
    assert_eq!(gpu![3.0_f32, 4.0].norm().item(), 5.0);
    assert_eq!(gpu![1_u8, 200, 100].dot(&gpu![2_u8, 2, 2]).item(), 602);
    let a = gpu![[1.0, 2.0], [3.0, 4.0]];
    raises(ErrorKind::Shape, "dot: shapes [2] and [3] differ", || {
        drop(gpu![1.0, 2.0].dot(&gpu![1.0, 2.0, 3.0]));
    });
    // The product of the matrices, not the sum of all products.
    assert_eq!(a.dot(&a).to_vec(), [7.0, 10.0, 15.0, 22.0]);
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
