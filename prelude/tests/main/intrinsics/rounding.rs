//! Arithmetic rounded in a given direction, and arithmetic that is never
//! joined to one instruction with its surroundings.

use super::{Case, Random, check, rows, same_f32, same_f64};

#[derive(Clone, Copy)]
enum To {
    Zero,
    Up,
    Down,
}

/// Functions that put the nearest number right, by the sign of what the exact
/// one has more.
macro_rules! directed {
    ($name:ident, $sum:ident, $ratio:ident, $float:ident) => {
        fn $name(near: $float, more: $float, to: To) -> $float {
            match to {
                To::Up if more > 0.0 => near.next_up(),
                To::Down if more < 0.0 => near.next_down(),
                To::Zero if near > 0.0 && more < 0.0 => near.next_down(),
                To::Zero if near < 0.0 && more > 0.0 => near.next_up(),
                _ => near,
            }
        }
        /// The error of a sum (D. E. Knuth, "The Art of Computer Programming", volume 2, 4.2.2).
        fn $sum(x: $float, y: $float, to: To) -> $float {
            let near = x + y;
            let added = near - x;
            let more = (x - (near - added)) + (y - added);
            if near == 0.0 && matches!(to, To::Down) { -0.0 } else { $name(near, more, to) }
        }
        fn $ratio(x: $float, y: $float, to: To) -> $float {
            let near = x / y;
            $name(near, (-near).mul_add(y, x) * y.signum(), to)
        }
    };
}

directed!(directed_f32, sum_f32, ratio_f32, f32);
directed!(directed_f64, sum_f64, ratio_f64, f64);

/// The error of `x * y + z` has two parts in double precision; in single
/// precision its sign is that of a difference of doubles, which are exact here.
fn fused_f32(x: f32, y: f32, z: f32, to: To) -> f32 {
    let near = x.mul_add(y, z);
    let product = f64::from(x) * f64::from(y);
    directed_f32(near, (product + (f64::from(z) - f64::from(near))) as f32, to)
}

macro_rules! cases {
    ($float:ident, $directed:ident, $sum:ident, $ratio:ident, $p:literal: $($to:expr, $suffix:literal;)*) => {
        &[$(
            (concat!("__", $p, "add_", $suffix, "(x, y)"), |x, y, _| $sum(x, y, $to)),
            (concat!("__", $p, "sub_", $suffix, "(x, y)"), |x, y, _| $sum(x, -y, $to)),
            (concat!("__", $p, "mul_", $suffix, "(x, y)"), |x, y, _| $directed(x * y, x.mul_add(y, -(x * y)), $to)),
            (concat!("__", $p, "div_", $suffix, "(x, y)"), |x, y, _| $ratio(x, y, $to)),
            (concat!("__", $p, "rcp_", $suffix, "(x)"), |x, _, _| $ratio(1.0, x, $to)),
            (concat!("__", $p, "sqrt_", $suffix, "(z * z)"), |_, _, z| {
                let root = (z * z).sqrt();
                $directed(root, (-root).mul_add(root, z * z), $to)
            }),
        )*]
    };
}

#[test]
fn single_precision() {
    let mut random = Random(7);
    let values = [1.0, -1.0, 3.0, 0.1, -0.7, 16_777_215.0, 1e-7, 1e7];
    let rows = rows(&values, || random.between(-4.0, 4.0) as f32);
    let cases: &[Case<f32, f32>] = cases! {
        f32, directed_f32, sum_f32, ratio_f32, "f": To::Zero, "rz"; To::Up, "ru"; To::Down, "rd";
    };
    check(("float", "float"), &rows, cases, same_f32);
    let cases: &[Case<f32, f32>] = &[
        ("__fmaf_rz(x, y, z)", |x, y, z| fused_f32(x, y, z, To::Zero)),
        ("__fmaf_ru(x, y, z)", |x, y, z| fused_f32(x, y, z, To::Up)),
        ("__fmaf_rd(x, y, z)", |x, y, z| fused_f32(x, y, z, To::Down)),
        ("__fmaf_rn(x, y, z)", f32::mul_add),
        ("__fmaf_ieee_rn(x, y, z)", f32::mul_add),
        ("__fadd_rn(__fmul_rn(x, y), z)", |x, y, z| x * y + z),
        ("__fmul_rn(x, y) + z", |x, y, z| x * y + z),
        ("__fsub_rn(x * y, z)", |x, y, z| x * y - z),
        ("__fdiv_rn(x, y)", |x, y, _| x / y),
        ("__frcp_rn(x)", |x, _, _| 1.0 / x),
        ("__fsqrt_rn(x)", |x, _, _| x.sqrt()),
        ("__frsqrt_rn(x)", |x, _, _| (1.0 / f64::from(x).sqrt()) as f32),
    ];
    check(("float", "float"), &rows, cases, same_f32);
}

#[test]
fn double_precision() {
    let mut random = Random(8);
    let values = [1.0, -1.0, 3.0, 0.1, -0.7, 9_007_199_254_740_991.0, 1e-17, 1e17];
    let rows = rows(&values, || random.between(-4.0, 4.0));
    let cases: &[Case<f64, f64>] = cases! {
        f64, directed_f64, sum_f64, ratio_f64, "d": To::Zero, "rz"; To::Up, "ru"; To::Down, "rd";
    };
    check(("double", "double"), &rows, cases, same_f64);
    let cases: &[Case<f64, f64>] = &[
        ("__fma_rn(x, y, z)", f64::mul_add),
        // Exact products, with what the nearest one lacks.
        ("__fma_rz(x, y, -(x * y))", |x, y, _| x.mul_add(y, -(x * y))),
        ("__fma_ru(x, y, 0.0)", |x, y, _| directed_f64(x * y, x.mul_add(y, -(x * y)), To::Up)),
        ("__fma_rd(x, y, 0.0)", |x, y, _| directed_f64(x * y, x.mul_add(y, -(x * y)), To::Down)),
        ("__fma_rz(x, 1.0, z)", |x, _, z| sum_f64(x, z, To::Zero)),
        ("__fma_ru(1.0, y, z)", |_, y, z| sum_f64(y, z, To::Up)),
        ("__fma_rd(x, 1.0, z)", |x, _, z| sum_f64(x, z, To::Down)),
        ("__dadd_rn(__dmul_rn(x, y), z)", |x, y, z| x * y + z),
        ("__dmul_rn(x, y) - z", |x, y, z| x * y - z),
        ("__dsub_rn(x * y, z)", |x, y, z| x * y - z),
        ("__ddiv_rn(x, y)", |x, y, _| x / y),
        ("__drcp_rn(x)", |x, _, _| 1.0 / x),
        ("__dsqrt_rn(x)", |x, _, _| x.sqrt()),
        ("__double2float_rz(x)", |x, _, _| narrowed(x, To::Zero)),
        ("__double2float_ru(x)", |x, _, _| narrowed(x, To::Up)),
        ("__double2float_rd(x)", |x, _, _| narrowed(x, To::Down)),
    ];
    check(("double", "double"), &rows, cases, same_f64);
}

fn narrowed(x: f64, to: To) -> f64 {
    directed_f32(x as f32, (x - f64::from(x as f32)) as f32, to).into()
}

/// Each by itself: what is computed twice would not be joined anyway.
#[test]
fn products_and_sums_stay_apart() {
    let mut random = Random(15);
    let rows = rows(&[0.1, -0.7, 3.3], || random.between(-2.0, 2.0));
    let singles: Vec<[f32; 3]> = rows.iter().map(|row| row.map(|x| x as f32)).collect();
    let cases: [Case<f32, f32>; 3] = [
        ("__fadd_rn(__fmul_rn(x, y), z)", |x, y, z| x * y + z),
        ("__fmul_rn(x, y) + z", |x, y, z| x * y + z),
        ("__fsub_rn(z, x * y)", |x, y, z| z - x * y),
    ];
    for case in cases {
        check(("float", "float"), &singles, &[case], same_f32);
    }
    let cases: [Case<f64, f64>; 3] = [
        ("__dadd_rn(x * y, z)", |x, y, z| x * y + z),
        ("z - __dmul_rn(x, y)", |x, y, z| z - x * y),
        ("__dsub_rn(x * y, z)", |x, y, z| x * y - z),
    ];
    for case in cases {
        check(("double", "double"), &rows, &[case], same_f64);
    }
}

/// Where answers leave the range, become tiny or are zeros of either sign.
#[test]
fn at_the_ends_of_the_range() {
    const MAX: f32 = f32::MAX;
    const TINY: f32 = f32::from_bits(1);
    const INF: f32 = f32::INFINITY;
    let rows = [[MAX, TINY, 1.0]];
    let cases: &[Case<f32, f32>] = &[
        ("__fadd_rz(x, x)", |_, _, _| MAX),
        ("__fadd_ru(x, x)", |_, _, _| INF),
        ("__fadd_rd(x, x)", |_, _, _| MAX),
        ("__fadd_ru(-x, -x)", |_, _, _| -MAX),
        ("__fadd_rd(-x, -x)", |_, _, _| -INF),
        ("__fmul_ru(y, y)", |_, _, _| TINY),
        ("__fmul_rz(y, y)", |_, _, _| 0.0),
        ("__fmul_rd(y, -y)", |_, _, _| -TINY),
        ("__fmul_ru(y, -y)", |_, _, _| -0.0),
        ("__fadd_ru(x, y)", |_, _, _| INF),
        ("__fadd_rd(x, -y)", |_, _, _| MAX.next_down()),
        ("__fadd_rd(z, -z)", |_, _, _| -0.0),
        ("__fsub_ru(z, z)", |_, _, _| 0.0),
        ("__fdiv_ru(z, z - z)", |_, _, _| INF),
        ("__fdiv_rd(y, x)", |_, _, _| 0.0),
        ("__fdiv_ru(y, x)", |_, _, _| TINY),
        ("__frcp_rd(-y)", |_, _, _| -INF),
        ("__frcp_ru(-y)", |_, _, _| -MAX),
        ("__fmaf_rd(x, x, -y)", |_, _, _| MAX),
        ("__fsqrt_ru(-z)", |_, _, _| f32::NAN),
        ("__fadd_rz(x / y, -x / y)", |_, _, _| f32::NAN),
        ("__double2float_ru(1e300)", |_, _, _| INF),
        ("__double2float_rd(1e-300)", |_, _, _| 0.0),
    ];
    check(("float", "float"), &rows, cases, same_f32);
    let rows = [[f64::MAX, f64::from_bits(1), 1.0]];
    let cases: &[Case<f64, f64>] = &[
        ("__dadd_rz(x, x)", |_, _, _| f64::MAX),
        ("__dadd_ru(x, x)", |_, _, _| f64::INFINITY),
        ("__dadd_ru(x, y)", |_, _, _| f64::INFINITY),
        ("__dadd_rd(-x, -x)", |_, _, _| f64::NEG_INFINITY),
        ("__dadd_rd(x, -y)", |_, _, _| f64::MAX.next_down()),
        ("__dsub_ru(z, y)", |_, _, _| 1.0),
        ("__dsub_rz(z, y)", |_, _, _| 1.0_f64.next_down()),
        ("__dmul_ru(y, y)", |_, _, _| f64::from_bits(1)),
        ("__dmul_rd(y, y)", |_, _, _| 0.0),
        ("__dmul_rd(y, -y)", |_, _, _| -f64::from_bits(1)),
        ("__dmul_ru(y, 0.5)", |_, _, _| f64::from_bits(1)),
        ("__dmul_rz(x, -x)", |_, _, _| -f64::MAX),
        ("__dadd_rd(z, -z)", |_, _, _| -0.0),
        ("__dsub_rz(z, z)", |_, _, _| 0.0),
        ("__ddiv_ru(y, x)", |_, _, _| f64::from_bits(1)),
        ("__ddiv_rz(x, y)", |_, _, _| f64::MAX),
        ("__ddiv_ru(-z, z - z)", |_, _, _| f64::NEG_INFINITY),
        ("__drcp_ru(-y)", |_, _, _| -f64::MAX),
        ("__fma_rd(x, x, -y)", |_, _, _| f64::MAX),
        ("__fma_ru(y, y, -y)", |_, _, _| -0.0),
        ("__fma_ru(y, y, z)", |_, _, _| 1.0_f64.next_up()),
        ("__fma_rz(y, -y, z)", |_, _, _| 1.0_f64.next_down()),
        ("__dsqrt_rz(y)", |_, _, _| 2.222_758_749_485_077_5e-162),
        ("__dsqrt_ru(-z)", |_, _, _| f64::NAN),
    ];
    check(("double", "double"), &rows, cases, same_f64);
}
