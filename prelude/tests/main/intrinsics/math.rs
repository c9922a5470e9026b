//! The mathematical functions that Rust has as well. Allowed errors are those
//! of the tables in the CUDA C++ programming guide ("Mathematical functions",
//! maximum error in ulp), and one more for Rust's own; where a processor's C
//! library is less accurate, that is said.

use super::{Random, check, evaluate, rows, same, same_f32, same_f64, ulps_f32, ulps_f64};

/// A function's name, its arguments, the allowed errors in single and double
/// precision, and Rust's.
type Function = (&'static str, &'static str, f64, f64, fn(f64, f64) -> f64);

const FUNCTIONS: [Function; 26] = [
    ("sqrt", "fabs(x)", 0.5, 0.5, |x, _| x.abs().sqrt()),
    ("rsqrt", "fabs(x)", 2.0, 1.0, |x, _| 1.0 / x.abs().sqrt()),
    // The C library's double precision is off by up to 4.
    ("cbrt", "x", 1.0, 4.0, |x, _| x.cbrt()),
    ("hypot", "x, y", 3.0, 2.0, f64::hypot),
    ("exp", "x", 2.0, 1.0, |x, _| x.exp()),
    ("exp2", "x", 2.0, 1.0, |x, _| x.exp2()),
    ("expm1", "x", 1.0, 1.0, |x, _| x.exp_m1()),
    ("log", "fabs(x)", 1.0, 1.0, |x, _| x.abs().ln()),
    ("log2", "fabs(x)", 1.0, 1.0, |x, _| x.abs().log2()),
    ("log10", "fabs(x)", 2.0, 1.0, |x, _| x.abs().log10()),
    ("log1p", "fabs(x)", 1.0, 1.0, |x, _| x.abs().ln_1p()),
    ("sin", "x", 2.0, 2.0, |x, _| x.sin()),
    ("cos", "x", 2.0, 2.0, |x, _| x.cos()),
    ("tan", "x", 4.0, 2.0, |x, _| x.tan()),
    ("asin", "x", 2.0, 2.0, |x, _| x.asin()),
    ("acos", "x", 2.0, 2.0, |x, _| x.acos()),
    ("atan", "x", 2.0, 2.0, |x, _| x.atan()),
    ("atan2", "x, y", 3.0, 2.0, f64::atan2),
    ("sinh", "x", 3.0, 2.0, |x, _| x.sinh()),
    ("cosh", "x", 2.0, 2.0, |x, _| x.cosh()),
    ("tanh", "x", 2.0, 2.0, |x, _| x.tanh()),
    ("pow", "fabs(x), y", 4.0, 2.0, |x, y| x.abs().powf(y)),
    ("fmod", "x, y", 0.0, 0.0, |x, y| x % y),
    ("fdivide", "x, y", 2.0, 0.0, |x, y| x / y),
    ("fmin", "x, y", 0.0, 0.0, f64::min),
    ("fmax", "x, y", 0.0, 0.0, f64::max),
];

fn inputs() -> Vec<[f64; 3]> {
    let values =
        [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-5, 20.0, -30.0];
    let mut random = Random(12);
    // They are floats too, so that both precisions are asked the same.
    rows(&values, || {
        let size = random.between(-6.0, 6.0).exp2();
        f64::from((size * random.between(-1.0, 1.0)) as f32)
    })
}

/// Whether the guide says something of a pair: not of a quotient whose divisor
/// is very small or large.
fn is_described(name: &str, answer: f64, y: f64) -> bool {
    name != "fdivide" || (y.is_finite() && y.abs() > 1e-30 && answer.is_finite())
}

#[test]
fn in_double_precision() {
    let rows = inputs();
    let expressions: Vec<String> = FUNCTIONS.iter().map(|f| format!("{}({})", f.0, f.1)).collect();
    let expressions: Vec<&str> = expressions.iter().map(String::as_str).collect();
    let answers = evaluate::<f64, f64>(("double", "double"), &rows, &expressions);
    for ((name, _, _, allowed, expected), answers) in FUNCTIONS.into_iter().zip(answers) {
        for ([x, y, _], answer) in rows.iter().zip(answers) {
            let expected = expected(*x, *y);
            let error = ulps_f64(answer, expected);
            assert!(error <= allowed + 1.0, "{name} of {x} and {y}: {answer}, not {expected}: {error} ulp");
        }
    }
}

/// By the overloads and by the names that end with f.
#[test]
fn in_single_precision() {
    let rows: Vec<[f32; 3]> = inputs().iter().map(|row| row.map(|x| x as f32)).collect();
    for suffix in ["", "f"] {
        let named = |name: &str| match name {
            "fdivide" => "fdividef".to_owned(),
            name => format!("{name}{suffix}"),
        };
        let expressions: Vec<String> = FUNCTIONS.iter().map(|f| format!("{}({})", named(f.0), f.1)).collect();
        let expressions: Vec<&str> = expressions.iter().map(String::as_str).collect();
        let answers = evaluate::<f32, f32>(("float", "float"), &rows, &expressions);
        for ((name, _, allowed, _, expected), answers) in FUNCTIONS.into_iter().zip(answers) {
            for ([x, y, _], answer) in rows.iter().zip(answers) {
                let expected = expected(f64::from(*x), f64::from(*y));
                let error = ulps_f32(answer, expected);
                assert!(
                    error <= allowed + 0.5 || !is_described(name, expected, f64::from(*y)),
                    "{name} of {x} and {y}: {answer}, not {expected}: {error} ulp"
                );
            }
        }
    }
}

#[test]
fn exact_ones() {
    let mut random = Random(13);
    let values = [
        0.0,
        -0.0,
        0.5,
        -0.5,
        1.5,
        -2.5,
        0.499_999_999_999_999_94,
        4_503_599_627_370_497.5,
        f64::INFINITY,
        f64::NAN,
        1e-310,
    ];
    let doubles = rows(&values, || random.between(-1e3, 1e3));
    check::<f64, f64>(
        ("double", "double"),
        &doubles,
        &[
            ("floor(x)", |x, _, _| x.floor()),
            ("ceil(x)", |x, _, _| x.ceil()),
            ("trunc(x)", |x, _, _| x.trunc()),
            ("round(x)", |x, _, _| x.round()),
            ("rint(x)", |x, _, _| x.round_ties_even()),
            ("nearbyint(x)", |x, _, _| x.round_ties_even()),
            ("fabs(x)", |x, _, _| x.abs()),
            ("copysign(x, y)", |x, y, _| x.copysign(y)),
            ("fma(x, y, z)", f64::mul_add),
            ("ldexp(x, 3)", |x, _, _| x * 8.0),
            ("scalbn(x, -2)", |x, _, _| x / 4.0),
            ("scalbln(x, 1030l)", |x, _, _| x * 2.0_f64.powi(1000) * 2.0_f64.powi(30)),
            ("fdim(x, y)", |x, y, _| if x <= y { 0.0 } else { x - y }),
            ("0; double w; out[13 * n + i] = modf(x, &w)", |x, _, _| {
                if x.is_infinite() { 0.0 } else { x.fract().copysign(x) }
            }),
            ("w", |x, _, _| x.trunc()),
            ("0; int e; const double m = frexp(x, &e); out[15 * n + i] = ldexp(m, e)", |x, _, _| x),
            ("remainder(x, 3.0)", |x, _, _| x - 3.0 * (x / 3.0).round_ties_even()),
            ("__isnan(x) + 2 * __isinf(x) + 4 * __finite(x)", |x, _, _| {
                if x.is_nan() {
                    1.0
                } else if x.is_infinite() {
                    2.0
                } else {
                    4.0
                }
            }),
        ],
        |answer, expected| same_f64(answer, expected) || answer == expected || (expected.abs() > 1e17),
    );
    let floats: Vec<[f32; 3]> = doubles.iter().map(|row| row.map(|x| x as f32)).collect();
    check::<f32, f32>(
        ("float", "float"),
        &floats,
        &[
            ("floorf(x) + 0 * floor(1.5f)", |x, _, _| x.floor()),
            ("rint(x)", |x, _, _| x.round_ties_even()),
            ("roundf(x)", |x, _, _| x.round()),
            ("truncf(x)", |x, _, _| x.trunc()),
            ("ceil(x)", |x, _, _| x.ceil()),
            ("fmaf(x, y, z)", f32::mul_add),
            ("nextafterf(x, y)", |x, y, _| {
                if x.is_nan() || y.is_nan() {
                    f32::NAN
                } else if x == y {
                    y
                } else if x < y {
                    x.next_up()
                } else {
                    x.next_down()
                }
            }),
            ("abs(x)", |x, _, _| x.abs()),
            ("__saturatef(x)", |x, _, _| if x.is_nan() { 0.0 } else { x.clamp(0.0, 1.0) }),
            ("min(x, y)", |x, y, _| x.min(y)),
            ("max(x, y)", |x, y, _| x.max(y)),
            ("isnan(x) ? nanf(\"\") : x", |x, _, _| x),
            ("ldexpf(x, -100) * 0x1p100f", |x, _, _| x),
            ("0; int q; out[13 * n + i] = remquof(x, 0.25f, &q)", |x, _, _| {
                x - 0.25 * (x / 0.25).round_ties_even()
            }),
            ("isfinite(x) && fabsf(x) < 1e5f ? (float)(q & 7) : 0", |x, _, _| {
                if x.is_finite() && x.abs() < 1e5 {
                    ((x / 0.25).round_ties_even() as i64).rem_euclid(8) as f32
                } else {
                    0.0
                }
            }),
        ],
        |answer, expected| same_f32(answer, expected) || answer == expected || expected.abs() > 1e17,
    );
    check::<f64, i64>(
        ("double", "long long"),
        &doubles,
        &[
            ("llrint(x)", |x, _, _| if x.is_nan() { i64::MIN } else { x.round_ties_even() as i64 }),
            ("llround(x)", |x, _, _| if x.is_nan() { i64::MIN } else { x.round() as i64 }),
            (
                "lrintf((float)x)",
                |x, _, _| if x.is_nan() { i64::MIN } else { (x as f32).round_ties_even() as i64 },
            ),
            ("lround((float)x)", |x, _, _| if x.is_nan() { i64::MIN } else { (x as f32).round() as i64 }),
            ("isnan(x) != 0", |x, _, _| x.is_nan().into()),
            ("isinf(x) != 0", |x, _, _| x.is_infinite().into()),
            ("isfinite(x) != 0", |x, _, _| x.is_finite().into()),
            ("signbit(x) != 0 || isnan(x)", |x, _, _| (x.is_sign_negative() || x.is_nan()).into()),
            ("ilogb(x)", |x, _, _| logarithm(x)),
            ("ilogbf((float)x)", |x, _, _| logarithm((x as f32).into())),
        ],
        same,
    );
}

fn logarithm(x: f64) -> i64 {
    if x == 0.0 || x.is_nan() {
        return i32::MIN.into();
    }
    if x.is_infinite() {
        return i32::MAX.into();
    }
    // Exact, where `log2` rounds up just below a power of two.
    let scaled = if x.abs() < f64::MIN_POSITIVE { (x * 2.0_f64.powi(100), 100) } else { (x, 0) };
    ((scaled.0.to_bits() >> 52 & 0x7ff) as i64) - 1023 - scaled.1
}

/// The overload is chosen by the types of the arguments.
#[test]
fn single_stays_single() {
    check::<f32, i32>(
        ("float", "int"),
        &[[0.1, 2.0, 3.0]],
        &[
            ("sizeof(sin(x)) + 10 * sizeof(sin((double)x))", |_, _, _| 84),
            ("sizeof(pow(x, y)) + 10 * sizeof(pow(x, 2)) + 100 * sizeof(pow((double)x, 2))", |_, _, _| 844),
            ("sizeof(fmax(x, y)) + 10 * sizeof(fma(x, y, z)) + 100 * sizeof(ldexp(x, 2))", |_, _, _| 444),
            ("sizeof(abs(x)) + 10 * sizeof(rsqrt(x)) + 100 * sizeof(max((double)x, x))", |_, _, _| 844),
            ("sizeof(exp10(x)) + 10 * sizeof(modf(x, (float *)0)) + 100 * sizeof(fdim(x, y))", |_, _, _| 444),
        ],
        same,
    );
}

/// The approximate ones, by the guide's table of intrinsic functions.
#[test]
fn approximate_ones() {
    let mut random = Random(14);
    let rows: Vec<[f32; 3]> = (0..1000)
        .map(|_| [random.between(-3.1, 3.1), random.between(0.01, 20.0), 0.0].map(|x| x as f32))
        .collect();
    let answers = evaluate::<f32, f32>(
        ("float", "float"),
        &rows,
        &[
            "__sinf(x)",
            "__cosf(x)",
            "0; float s, c; __sincosf(x, &s, &c); out[2 * n + i] = s",
            "c",
            "__expf(x)",
            "__exp10f(x)",
            "__logf(y)",
            "__log2f(y)",
            "__log10f(y)",
            "__powf(y, x)",
            "__fdividef(x, y)",
            "__tanhf(x)",
            "__tanf(x / 3.0f)",
        ],
    );
    for (k, [x, y, _]) in rows.iter().enumerate() {
        let (x, y) = (f64::from(*x), f64::from(*y));
        let (small, relative) = (2.0_f64.powf(-21.19), 1e-6);
        let tangent = f64::from(x as f32 / 3.0_f32).tan();
        let expected = [
            (x.sin(), small),
            (x.cos(), small),
            (x.sin(), small),
            (x.cos(), small),
            (x.exp(), x.exp() * relative),
            (10.0_f64.powf(x), 10.0_f64.powf(x) * 2.0 * relative),
            (y.ln(), 4e-7 + y.ln().abs() * 4e-7),
            (y.log2(), 4e-7 + y.log2().abs() * 4e-7),
            (y.log10(), 4e-7 + y.log10().abs() * 4e-7),
            (y.powf(x), y.powf(x) * 1e-5),
            (x / y, (x / y).abs() * 3e-7),
            (x.tanh(), x.tanh().abs() * 2.0_f64.powi(-10)),
            (tangent, 1e-5 * (1.0 + tangent * tangent)),
        ];
        for (place, (expected, allowed)) in expected.into_iter().enumerate() {
            let answer = f64::from(answers[place][k]);
            assert!((answer - expected).abs() <= allowed, "{place} of {x} and {y}: {answer}, not {expected}");
        }
    }
}
