//! CUDA's mathematical functions and intrinsics, against Rust's arithmetic and
//! tables of higher precision.

mod atomics;
mod conversions;
mod instructions;
mod integers;
mod math;
mod rounding;
mod simd;
mod special;

use gpurepl_prelude::*;

/// An expression of `x`, `y` and `z` in CUDA C, and what it should give.
type Case<'a, A, R> = (&'a str, fn(A, A, A) -> R);

/// What expressions give on the device for each row of inputs: a list for each
/// expression.
fn evaluate<A: Elem, R: Elem>(types: (&str, &str), rows: &[[A; 3]], expressions: &[&str]) -> Vec<Vec<R>> {
    evaluate_with("", types, rows, expressions)
}

/// The same with functions that the expressions call.
fn evaluate_with<A: Elem, R: Elem>(
    functions: &str,
    (input, output): (&str, &str),
    rows: &[[A; 3]],
    expressions: &[&str],
) -> Vec<Vec<R>> {
    let mut source = format!(
        "{functions}__global__ void evaluate(const {input} *xs, const {input} *ys, const {input} *zs, {output} *out, int n)\n\
         {{\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n  \
         const {input} x = xs[i], y = ys[i], z = zs[i];\n"
    );
    for (k, expression) in expressions.iter().enumerate() {
        source.push_str(&format!("  out[{k} * n + i] = {expression};\n"));
    }
    source.push_str("}\n");
    let kernel = SourceModule::new(&source).unwrap().get_function("evaluate").unwrap();
    let column = |k: usize| to_gpu(rows.iter().map(|row| row[k]).collect::<Vec<A>>());
    let n = rows.len();
    let mut out = zeros::<R>(n * expressions.len());
    kernel
        .launch(
            n.div_ceil(128) as u32,
            128,
            (&column(0), &column(1), &column(2), &mut out, i32::try_from(n).unwrap()),
        )
        .unwrap();
    out.to_vec().chunks(n).map(<[R]>::to_vec).collect()
}

/// Evaluates cases for each row and checks that the answers are as expected.
#[track_caller]
fn check<A: Elem, R: Elem>(
    types: (&str, &str),
    rows: &[[A; 3]],
    cases: &[Case<A, R>],
    is_right: fn(R, R) -> bool,
) {
    let expressions: Vec<&str> = cases.iter().map(|(expression, _)| *expression).collect();
    compare(rows, cases, evaluate::<A, R>(types, rows, &expressions), is_right);
}

#[track_caller]
fn compare<A: Elem, R: Elem>(
    rows: &[[A; 3]],
    cases: &[Case<A, R>],
    answers: Vec<Vec<R>>,
    is_right: fn(R, R) -> bool,
) {
    for ((expression, expected), answers) in cases.iter().zip(answers) {
        for ([x, y, z], answer) in rows.iter().zip(answers) {
            let expected = expected(*x, *y, *z);
            assert!(
                is_right(answer, expected),
                "{expression} with x = {x:?}, y = {y:?}, z = {z:?}: {answer:?}, not {expected:?}"
            );
        }
    }
}

fn same<R: PartialEq>(a: R, b: R) -> bool {
    a == b
}

/// Equal in every bit, or both no numbers.
fn same_f32(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

fn same_f64(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// The distance in units of the last place of a number with so many digits.
/// Zeros are equal, and so are infinities of a sign, and what is no number.
fn ulps(answer: f64, expected: f64, digits: i32, least_exponent: i32) -> f64 {
    if answer == expected || (answer.is_nan() && expected.is_nan()) {
        return 0.0;
    }
    if !answer.is_finite() || !expected.is_finite() {
        return f64::INFINITY;
    }
    let exponent = if expected == 0.0 { least_exponent } else { expected.abs().log2().floor() as i32 };
    // In two steps: the unit of a small number is less than a power that `powi` has.
    (answer - expected).abs() * 2.0_f64.powi(digits - 1) / 2.0_f64.powi(exponent.max(least_exponent))
}

fn ulps_f32(answer: f32, expected: f64) -> f64 {
    // What is too great for a float is an infinity.
    let expected = if (expected as f32).is_infinite() { f64::from(expected as f32) } else { expected };
    ulps(f64::from(answer), expected, 24, -126)
}

fn ulps_f64(answer: f64, expected: f64) -> f64 {
    ulps(answer, expected, 53, -1022)
}

/// Numbers without an order (G. L. Steele, D. Lea and C. H. Flood, "Fast
/// splittable pseudorandom number generators", 2014), the same every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From `low` to `high`.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.next() >> 11) as f64 / (1_u64 << 53) as f64)
    }
}

/// Rows with every two of the given values, then rows without an order.
fn rows<A: Copy>(values: &[A], mut random: impl FnMut() -> A) -> Vec<[A; 3]> {
    let mut rows: Vec<[A; 3]> = values
        .iter()
        .flat_map(|x| values.iter().map(move |y| (*x, *y)))
        .map(|(x, y)| [x, y, random()])
        .collect();
    rows.extend(values.iter().map(|z| [random(), random(), *z]));
    rows.extend((0..400).map(|_| [random(), random(), random()]));
    rows
}
