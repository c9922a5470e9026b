//! Expressions as they are run, and run apart.

use gpurepl_prelude::*;
use proptest::prelude::*;

/// A few expressions over two arrays, with views, repeats, reductions and assignments.
fn results(a: &GpuArray<f32>, b: &GpuArray<f32>) -> Vec<Vec<u32>> {
    // Which NaN it is does not matter.
    let bits_of = |x: f32| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() };
    let bits = |array: GpuArray<f32>| array.to_vec().into_iter().map(bits_of).collect::<Vec<_>>();
    let shared: GpuArray<f32> = a * 2.0 + b;
    let mut c: GpuArray<f32> = &shared - a.sqrt();
    c *= 3.0;
    let mut out = zeros::<f32>(a.shape());
    out.assign(&shared * &shared);
    out.slice(0).assign(b.slice(-1) + 1.0);
    let halves: GpuArray<f16> = a.astype(f16) * b.astype(f16) + f16::from_f32(0.5);
    vec![
        bits(c.copy()),
        bits(where_(&a.gt(b), &shared, &c)),
        bits((a.t().copy() / b.t()).sum_axis(0)),
        bits((a * b - &shared).max()),
        bits(&out + b.slice(0)),
        bits(halves.astype(f32)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn results_are_the_same_without_fusion(
        rows in 1..5_usize, columns in 1..7_usize, numbers in proptest::collection::vec(-100.0_f32..100.0, 60),
    ) {
        let take = |from: usize| to_gpu(&numbers[from..from + rows * columns]).reshape((rows, columns));
        let (a, b) = (take(0), take(60 - rows * columns));
        let fused = results(&a, &b);
        let _apart = array::without_fusion();
        prop_assert_eq!(results(&a, &b), fused);
    }
}

#[test]
fn without_fusion_nothing_is_left_to_run() {
    let x = arange(0..4).astype(f64);
    let before: GpuArray<f64> = &x + 1.0;
    {
        let _outer = array::without_fusion();
        {
            let _inner = array::without_fusion();
        }
        let y: GpuArray<f64> = (&x + 1.0) * 2.0;
        assert_eq!(&*y.source(), "float64 [4] is in memory: nothing is left to run");
        assert!(!before.source().contains("in memory"));
    }
    let y: GpuArray<f64> = &x + 1.0;
    assert!(!y.source().contains("in memory"));
}

#[test]
fn a_source_is_what_runs_and_leaves_the_expression() {
    let (a, b) = (arange(0..12).astype(f32).reshape((3, 4)).copy(), ones::<f32>(4));
    let expression: GpuArray<f32> = where_(&(&a * 5.0).gt(&b), &a, 0.0);
    let (source, again) = (expression.source(), expression.source());
    assert_eq!(source, again);
    if device().kind() == DeviceKind::Host {
        let steps = "# 12 elements, in blocks of ";
        assert!(source.starts_with(steps), "{source}");
        for step in ["v0: float32 = array 0\n", "multiply(v0, v1)", "by its strides", "greater(", "where("] {
            assert!(source.contains(step), "{step} in\n{source}");
        }
    } else {
        assert!(source.starts_with("// 12 elements: 1 blocks of "), "{source}");
        assert!(source.contains("extern \"C\" __global__") && source.contains("gpurepl_fused("), "{source}");
    }
    assert_eq!(expression.to_vec()[..3], [0.0, 1.0, 2.0]);
    assert!(expression.source().contains("in memory"));
}
