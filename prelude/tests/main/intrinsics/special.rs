//! Functions that Rust has not, against a table that `special.py` writes, and
//! their special values.

use super::{Case, check, evaluate, ulps_f32, ulps_f64};

/// A line of the table: the function, up to three arguments, the value.
struct Line {
    name: &'static str,
    arguments: [f64; 3],
    value: f64,
}

fn table() -> Vec<Line> {
    let lines = include_str!("special.txt").lines();
    lines
        .map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let numbers: Vec<f64> = words[1..].iter().map(|word| word.parse().unwrap()).collect();
            let (value, arguments) = numbers.split_last().unwrap();
            let argument = |k: usize| arguments.get(k).copied().unwrap_or_default();
            Line { name: words[0], arguments: [argument(0), argument(1), argument(2)], value: *value }
        })
        .collect()
}

/// A function, its name in single precision, how it is called, and the errors
/// in ulp that are allowed in single and double precision: those of the CUDA
/// C++ programming guide and one more for rounding, or those of a processor's
/// C library where they are greater. Near their zeros the Bessel functions are
/// held to an absolute error instead.
const FUNCTIONS: [(&str, &str, &str, f64, f64); 27] = [
    ("asinh", "asinhf", "(x)", 4.0, 4.0),
    ("acosh", "acoshf", "(x)", 5.0, 4.0),
    ("atanh", "atanhf", "(x)", 4.0, 3.0),
    ("exp10", "exp10f", "(x)", 3.0, 2.0),
    ("rcbrt", "rcbrtf", "(x)", 2.0, 5.0),
    ("erf", "erff", "(x)", 3.0, 3.0),
    ("erfc", "erfcf", "(x)", 5.0, 6.0),
    ("erfcx", "erfcxf", "(x)", 5.0, 5.0),
    ("erfinv", "erfinvf", "(x)", 3.0, 6.0),
    ("erfcinv", "erfcinvf", "(x)", 5.0, 7.0),
    ("normcdf", "normcdff", "(x)", 6.0, 6.0),
    ("normcdfinv", "normcdfinvf", "(x)", 6.0, 9.0),
    ("tgamma", "tgammaf", "(x)", 6.0, 11.0),
    ("lgamma", "lgammaf", "(x)", 7.0, 5.0),
    ("sinpi", "sinpif", "(x)", 2.0, 3.0),
    ("cospi", "cospif", "(x)", 2.0, 3.0),
    ("cyl_bessel_i0", "cyl_bessel_i0f", "(x)", 7.0, 7.0),
    ("cyl_bessel_i1", "cyl_bessel_i1f", "(x)", 7.0, 7.0),
    ("j0", "j0f", "(x)", 10.0, 8.0),
    ("j1", "j1f", "(x)", 10.0, 8.0),
    ("y0", "y0f", "(x)", 10.0, 8.0),
    ("y1", "y1f", "(x)", 10.0, 8.0),
    ("rhypot", "rhypotf", "(x, y)", 3.0, 2.0),
    ("norm3d", "norm3df", "(x, y, z)", 4.0, 3.0),
    ("rnorm3d", "rnorm3df", "(x, y, z)", 3.0, 2.0),
    ("norm4d", "norm4df", "(x, y, z, x)", 4.0, 3.0),
    ("rnorm4d", "rnorm4df", "(x, y, z, x)", 3.0, 2.0),
];

fn is_near_zero(name: &str, answer: f64, expected: f64, allowed: f64) -> bool {
    ["j0", "j1", "y0", "y1"].contains(&name) && (answer - expected).abs() <= allowed
}

#[test]
fn in_double_precision() {
    let table = table();
    let rows: Vec<[f64; 3]> = table.iter().map(|line| line.arguments).collect();
    let expressions = FUNCTIONS.map(|(name, _, arguments, _, _)| format!("{name}{arguments}"));
    let answers =
        evaluate::<f64, f64>(("double", "double"), &rows, &expressions.each_ref().map(String::as_str));
    for (k, Line { name, arguments, value }) in table.iter().enumerate() {
        let place = FUNCTIONS.iter().position(|function| function.0 == *name).unwrap();
        let (answer, allowed) = (answers[place][k], FUNCTIONS[place].4);
        let error = ulps_f64(answer, *value);
        assert!(
            error <= allowed || is_near_zero(name, answer, *value, 1e-14),
            "{name} of {arguments:?}: {answer}, not {value}: {error} ulp"
        );
    }
}

#[test]
fn in_single_precision() {
    let mut table = table();
    table.retain(|line| {
        let is_float = |x: &f64| f64::from(*x as f32) == *x;
        line.arguments.iter().all(is_float) && line.value.abs() < 1e38
    });
    let rows: Vec<[f32; 3]> = table.iter().map(|line| line.arguments.map(|x| x as f32)).collect();
    let expressions = FUNCTIONS.map(|(_, name, arguments, _, _)| format!("{name}{arguments}"));
    let answers =
        evaluate::<f32, f32>(("float", "float"), &rows, &expressions.each_ref().map(String::as_str));
    for (k, Line { name, arguments, value }) in table.iter().enumerate() {
        let place = FUNCTIONS.iter().position(|function| function.0 == *name).unwrap();
        let (answer, allowed) = (answers[place][k], FUNCTIONS[place].3);
        let error = ulps_f32(answer, *value);
        assert!(
            error <= allowed || is_near_zero(name, answer.into(), *value, 1e-6),
            "{name} of {arguments:?}: {answer}, not {value}: {error} ulp"
        );
    }
}

#[test]
fn special_values() {
    const INF: f64 = f64::INFINITY;
    const NAN: f64 = f64::NAN;
    let cases: &[Case<f64, f64>] = &[
        ("sinpi(1e300)", |_, _, _| 0.0),
        ("sinpi(123456789.0)", |_, _, _| 0.0),
        ("cospi(123456789.5)", |_, _, _| 0.0),
        ("cospi(123456789.0)", |_, _, _| -1.0),
        ("sinpi(x)", |_, _, _| NAN),
        ("0; double s, c; sincospi(0.5, &s, &c); out[5 * n + i] = s", |_, _, _| 1.0),
        ("c", |_, _, _| 0.0),
        ("erfinv(1.0)", |_, _, _| INF),
        ("erfinv(-1.0)", |_, _, _| -INF),
        ("erfinv(1.5)", |_, _, _| NAN),
        ("erfinv(0.0)", |_, _, _| 0.0),
        ("erfcinv(0.0)", |_, _, _| INF),
        ("erfcinv(2.0)", |_, _, _| -INF),
        ("erfcinv(1.0)", |_, _, _| 0.0),
        ("erfcinv(-0.5)", |_, _, _| NAN),
        ("normcdfinv(0.0)", |_, _, _| -INF),
        ("normcdfinv(0.5)", |_, _, _| 0.0),
        ("normcdfinv(1.0)", |_, _, _| INF),
        ("normcdf(x)", |_, _, _| 1.0),
        ("normcdf(-x)", |_, _, _| 0.0),
        ("normcdf(y)", |_, _, _| NAN),
        ("erfcx(x)", |_, _, _| 0.0),
        ("erfcx(-30.0)", |_, _, _| INF),
        ("erfcx(y)", |_, _, _| NAN),
        ("norm3d(x, y, z)", |_, _, _| INF),
        ("norm3d(z, y, z)", |_, _, _| NAN),
        ("norm4d(0.0, 0.0, -0.0, 0.0)", |_, _, _| 0.0),
        ("norm3d(3e300, 4e300, 0.0)", |_, _, _| 5e300),
        ("rnorm3d(0.0, 0.0, 0.0)", |_, _, _| INF),
        ("rnorm4d(x, y, z, z)", |_, _, _| 0.0),
        ("rhypot(y, -x)", |_, _, _| 0.0),
        ("cyl_bessel_i0(0.0)", |_, _, _| 1.0),
        ("cyl_bessel_i1(0.0)", |_, _, _| 0.0),
        ("cyl_bessel_i0(-x)", |_, _, _| INF),
        ("cyl_bessel_i1(-x)", |_, _, _| -INF),
        ("jn(0, z) == j0(z)", |_, _, _| 1.0),
        ("fabs(jn(2, z) - (2 / z * j1(z) - j0(z))) < 1e-14", |_, _, _| 1.0),
        ("fabs(yn(2, z) - (2 / z * y1(z) - y0(z))) < 1e-14", |_, _, _| 1.0),
        ("fabsf(ynf(1, (float)z) - y1f((float)z)) < 1e-6f", |_, _, _| 1.0),
        ("0; const double v[5] = {1, 1, 1, 2, 3}; out[39 * n + i] = norm(5, v)", |_, _, _| 4.0),
        ("rnorm(5, v)", |_, _, _| 0.25),
        ("0; const float w[5] = {1, 1, 1, 2, 3}; out[41 * n + i] = normf(5, w)", |_, _, _| 4.0),
        ("rnormf(5, w)", |_, _, _| 0.25),
        ("sinpi((float)z)", |_, _, _| -1.0),
        ("sizeof(normcdf((float)z))", |_, _, _| 4.0),
    ];
    let near = |answer: f64, expected: f64| ulps_f64(answer, expected) <= 2.0;
    check(("double", "double"), &[[INF, NAN, 1.5]], cases, near);
}
