//! Arithmetic, functions, conversions and reductions give what NumPy gives:
//! `numpy/answers.txt`, which `numpy/answers.py` writes.

use std::fmt::Debug;

use gpurepl_prelude::array::Promote;
use gpurepl_prelude::*;

/// An element as the file writes it, and how far an answer may be from it.
pub trait Written: Elem {
    fn read(text: &str) -> Self;
    /// Whether an answer is this one: the same number, or one that lies a few
    /// units of its last digit away where `roughly`.
    fn is(self, expected: Self, roughly: bool) -> bool;
}

macro_rules! exact {
    ($($t:ty)*) => {$(
        impl Written for $t {
            fn read(text: &str) -> $t {
                text.parse().unwrap()
            }

            fn is(self, expected: $t, _: bool) -> bool {
                self == expected
            }
        }
    )*};
}
exact!(bool i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! floats {
    ($($t:ty, $epsilon:expr;)*) => {$(
        impl Written for $t {
            fn read(text: &str) -> $t {
                text.parse().unwrap()
            }

            fn is(self, expected: $t, roughly: bool) -> bool {
                let (a, b) = (f64::from(self), f64::from(expected));
                // Zero has a sign that arithmetic keeps.
                (a == b && a.is_sign_negative() == b.is_sign_negative())
                    || (a.is_nan() && b.is_nan())
                    || (roughly && (a - b).abs() <= 4.0 * $epsilon * b.abs().max(f64::MIN_POSITIVE))
            }
        }
    )*};
}
floats! {
    f16, f64::from(f16::EPSILON);
    f32, f64::from(f32::EPSILON);
    f64, f64::EPSILON;
}

macro_rules! complex {
    ($($t:ty, $part:ty;)*) => {$(
        impl Written for $t {
            fn read(text: &str) -> $t {
                let (re, im) = text.split_once(',').unwrap();
                <$t>::new(<$part>::read(re), <$part>::read(im))
            }

            fn is(self, expected: $t, roughly: bool) -> bool {
                // A part may cancel: what counts is the number as a whole.
                let off = (self - expected).norm();
                (self.re.is(expected.re, roughly) && self.im.is(expected.im, roughly))
                    || (roughly && off <= 4.0 * <$part>::EPSILON * expected.norm())
            }
        }
    )*};
}
complex! {
    Complex32, f32;
    Complex64, f64;
}

/// One case of a file.
pub struct Case<'a> {
    pub operation: &'a str,
    /// Operands and, last, the answer: a dtype and elements.
    pub lines: Vec<(&'a str, Vec<&'a str>)>,
}

impl Case<'_> {
    fn dtypes(&self) -> Vec<&str> {
        self.lines.iter().map(|(dtype, _)| *dtype).collect()
    }

    pub fn operand<T: Written>(&self, number: usize) -> GpuArray<T> {
        let (dtype, elements) = &self.lines[number];
        assert_eq!(*dtype, T::DTYPE.to_string());
        to_gpu(elements.iter().map(|text| T::read(text)).collect::<Vec<T>>())
    }

    /// Compares an answer with NumPy's.
    #[track_caller]
    pub fn check<T: Written + Debug>(&self, answer: GpuArray<T>, roughly: bool) {
        let (dtype, elements) = self.lines.last().unwrap();
        let what = format!("{} of {:?}", self.operation, &self.lines[..self.lines.len() - 1]);
        assert_eq!(*dtype, T::DTYPE.to_string(), "{what}");
        let answer = answer.to_vec();
        assert_eq!(answer.len(), elements.len(), "{what}");
        for (k, (answer, text)) in answer.iter().zip(elements).enumerate() {
            assert!(answer.is(T::read(text), roughly), "{what}: element {k} is {answer:?}, not {text}");
        }
    }
}

/// The cases of `answers.txt`.
fn cases() -> Vec<Case<'static>> {
    cases_of(include_str!("numpy/answers.txt"))
}

/// The cases of a file.
pub fn cases_of(file: &'static str) -> Vec<Case<'static>> {
    let mut cases: Vec<Case> = Vec::new();
    for line in file.lines() {
        let mut words = line.split(' ');
        let first = words.next().unwrap();
        let is_dtype = DType::ALL.iter().any(|dtype| dtype.to_string() == first);
        if is_dtype {
            cases.last_mut().unwrap().lines.push((first, words.collect()));
        } else {
            cases.push(Case { operation: line, lines: Vec::new() });
        }
    }
    cases
}

/// Runs `$body` for each case whose operands have the types of a row, and
/// counts them.
macro_rules! for_types {
    ($cases:expr, $case:ident, [$($t:ident)*] => $body:expr) => {{
        let mut count = 0;
        for $case in $cases.iter() {
            $(if $case.lines[0].0 == <$t as Elem>::DTYPE.to_string() {
                type T = $t;
                count += usize::from($body);
            })*
        }
        count
    }};
}
pub(crate) use for_types;

#[test]
fn between_arrays_of_one_type() {
    let cases: Vec<Case> = cases().into_iter().filter(|case| case.lines.len() == 3).collect();
    macro_rules! arithmetic {
        ($case:ident) => {{
            let (a, b) = ($case.operand::<T>(0), $case.operand::<T>(1));
            // A complex product or quotient may be fused or scaled.
            let roughly = T::DTYPE.is_complex();
            match $case.operation {
                "add" => $case.check(&a + &b, false),
                "subtract" => $case.check(&a - &b, false),
                "multiply" => $case.check(&a * &b, roughly),
                "divide" => $case.check(&a / &b, roughly),
                "equal" => $case.check(a.eq(&b), false),
                "not_equal" => $case.check(a.ne(&b), false),
                "less" => $case.check(a.lt(&b), false),
                "less_equal" => $case.check(a.le(&b), false),
                "maximum" => $case.check(maximum(&a, &b), false),
                "minimum" => $case.check(minimum(&a, &b), false),
                "floor_divide" => $case.check(a.floor_div(&b), false),
                "remainder" => $case.check(&a % &b, false),
                other => panic!("no operation {other}"),
            }
            true
        }};
    }
    let same: Vec<&Case> = cases.iter().filter(|case| case.dtypes()[0] == case.dtypes()[1]).collect();
    let count = for_types!(same, case, [bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex32 Complex64] => arithmetic!(case));
    assert_eq!(count, same.len());
}

#[test]
fn between_arrays_of_two_types() {
    let mut count = 0;
    for case in cases().iter().filter(|case| case.lines.len() == 3 && case.dtypes()[0] != case.dtypes()[1]) {
        macro_rules! pairs {
            ($($t:ident $u:ident)*) => {$(
                if case.dtypes()[..2] == [<$t as Elem>::DTYPE.to_string(), <$u as Elem>::DTYPE.to_string()] {
                    let (a, b) = (case.operand::<$t>(0), case.operand::<$u>(1));
                    let roughly = <<$t as Promote<$u>>::Out as Elem>::DTYPE.is_complex();
                    match case.operation {
                        "add" => case.check(&a + &b, false),
                        "subtract" => case.check(&a - &b, false),
                        "multiply" => case.check(&a * &b, roughly),
                        "divide" => case.check(&a / &b, roughly),
                        "equal" => case.check(a.eq(&b), false),
                        "not_equal" => case.check(a.ne(&b), false),
                        "less" => case.check(a.lt(&b), false),
                        "less_equal" => case.check(a.le(&b), false),
                        "remainder" => case.check(&a % &b, false),
                        other => panic!("no operation {other}"),
                    }
                    count += 1;
                    continue;
                }
            )*};
        }
        pairs! {
            bool i32  i8 u8  i16 u32  i64 u64  u8 f16  i32 f32  i64 f32  f16 f32  f32 f64
            f32 Complex32  f64 Complex32  Complex32 Complex64
        }
        panic!("no such pair: {:?}", case.dtypes());
    }
    assert!(count > 60, "{count}");
}

/// What was done in the type of the first array, or by way of a float.
#[test]
fn two_types_promote_in_functions_as_in_operators() {
    let even = arange(0_i32..8) % 2;
    let mut count = 0;
    for case in cases_of(include_str!("numpy/mixed.txt")).iter() {
        let dtypes = case.dtypes();
        macro_rules! comparisons {
            ($a:ident $b:ident) => {
                match case.operation {
                    "less" => case.check($a.lt(&$b), false),
                    "less_equal" => case.check($a.le(&$b), false),
                    "greater" => case.check($a.gt(&$b), false),
                    "greater_equal" => case.check($a.ge(&$b), false),
                    "equal" => case.check($a.eq(&$b), false),
                    "not_equal" => case.check($a.ne(&$b), false),
                    other => panic!("no operation {other}"),
                }
            };
        }
        macro_rules! pairs {
            (@one $t:ident $u:ident $case:ident $a:ident $b:ident { $($real:tt)* }) => {
                if dtypes[..2] == [<$t as Elem>::DTYPE.to_string(), <$u as Elem>::DTYPE.to_string()] {
                    let ($a, $b) = (case.operand::<$t>(0), case.operand::<$u>(1));
                    match case.operation {
                        "maximum" => case.check(maximum(&$a, &$b), false),
                        "minimum" => case.check(minimum(&$a, &$b), false),
                        "where" => case.check(where_(&even.eq(0), &$a, &$b), false),
                        $($real)*
                        _ => comparisons!($a $b),
                    }
                    count += 1;
                    continue;
                }
            };
            (real $($t:ident $u:ident)*) => {$(
                pairs!(@one $t $u case a b {
                    "floor_divide" => case.check(a.floor_div(&b), false),
                    "power" => case.check(a.pow(&b), true),
                    "clip" => case.check(clip(&a, &b, 100), false),
                });
            )*};
            (complex $($t:ident $u:ident)*) => {$( pairs!(@one $t $u case a b {}); )*};
        }
        pairs! { real
            bool i32  i32 bool  i8 u8  u8 i8  i16 u32  u32 i16  i64 u64  u64 i64  u8 f16  f16 u8  i32 f32  f32 i32
            i64 f32  f32 i64  f16 f32  f32 f16  f32 f64  f64 f32  u8 u64  u64 i8  i8 u64  i32 u64  u32 i32
        }
        pairs! { complex
            f32 Complex32  Complex32 f32  f64 Complex32  Complex32 f64  Complex32 Complex64  Complex64 Complex32
        }
        panic!("no such pair: {dtypes:?}");
    }
    assert!(count > 150, "{count}");
}

#[test]
fn integers_are_compared_exactly_with_numbers_beyond_their_type() {
    let largest = gpu![i64::MAX, i64::MIN, 0];
    assert_eq!(largest.lt(1_u64 << 63).to_vec(), [true; 3]);
    assert_eq!(largest.ge(1_u64 << 63).to_vec(), [false; 3]);
    assert_eq!(largest.eq(1_u64 << 63).to_vec(), [false; 3]);
    assert_eq!(largest.ne(u64::MAX).to_vec(), [true; 3]);
    assert_eq!(gpu![u64::MAX, 0].gt(-1).to_vec(), [true; 2]);
    assert_eq!(gpu![7_u8, 255].lt(300).to_vec(), [true; 2]);
    assert!(!array_equal(&gpu![i64::MAX], &gpu![1_u64 << 63]));
}

#[test]
fn functions_of_one_array() {
    let names = "sqrt exp log log10 sin cos tan arcsin arccos arctan sinh cosh tanh floor ceil absolute negative \
                 cbrt exp2 expm1 log2 log1p arcsinh arccosh arctanh rint deg2rad rad2deg trunc sign reciprocal \
                 square isnan isinf isfinite signbit isposinf isneginf";
    let cases: Vec<Case> =
        cases().into_iter().filter(|case| names.split(' ').any(|name| name == case.operation)).collect();
    let real: Vec<&Case> = cases.iter().filter(|case| !case.dtypes()[0].starts_with("complex")).collect();
    let count = for_types!(real, case, [i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64] => {
        let a = case.operand::<T>(0);
        match case.operation {
            "sqrt" => case.check(a.sqrt(), false),
            "exp" => case.check(a.exp(), true),
            "log" => case.check(a.log(), true),
            "log10" => case.check(a.log10(), true),
            "sin" => case.check(a.sin(), true),
            "cos" => case.check(a.cos(), true),
            "tan" => case.check(a.tan(), true),
            "arcsin" => case.check(a.asin(), true),
            "arccos" => case.check(a.acos(), true),
            "arctan" => case.check(a.atan(), true),
            "sinh" => case.check(a.sinh(), true),
            "cosh" => case.check(a.cosh(), true),
            "tanh" => case.check(a.tanh(), true),
            "floor" => case.check(a.floor(), false),
            "ceil" => case.check(a.ceil(), false),
            "absolute" => case.check(a.abs(), false),
            "negative" => case.check(-&a, false),
            "cbrt" => case.check(a.cbrt(), true),
            "exp2" => case.check(a.exp2(), true),
            "expm1" => case.check(a.expm1(), true),
            "log2" => case.check(a.log2(), true),
            "log1p" => case.check(a.log1p(), true),
            "arcsinh" => case.check(a.arcsinh(), true),
            "arccosh" => case.check(a.arccosh(), true),
            "arctanh" => case.check(a.arctanh(), true),
            "rint" => case.check(a.rint(), false),
            "deg2rad" => case.check(a.deg2rad(), true),
            "rad2deg" => case.check(a.rad2deg(), true),
            "trunc" => case.check(a.trunc(), false),
            "sign" => case.check(a.sign(), false),
            "reciprocal" => case.check(a.reciprocal(), false),
            "square" => case.check(a.square(), false),
            "isnan" => case.check(a.isnan(), false),
            "isinf" => case.check(a.isinf(), false),
            "isfinite" => case.check(a.isfinite(), false),
            "signbit" => case.check(a.signbit(), false),
            "isposinf" => case.check(a.isposinf(), false),
            "isneginf" => case.check(a.isneginf(), false),
            other => panic!("no function {other}"),
        }
        true
    });
    assert_eq!(count, real.len());
    let complex: Vec<Case> = self::cases()
        .into_iter()
        .filter(|case| case.lines.len() == 2 && case.dtypes()[0].starts_with("complex"))
        .filter(|case| !["sum", "prod", "mean", "any", "all", "max", "min"].contains(&case.operation))
        .collect();
    let count = for_types!(complex, case, [Complex32 Complex64] => {
        let a = case.operand::<T>(0);
        match case.operation {
            "absolute" => case.check(a.abs(), true),
            "negative" => case.check(-&a, false),
            "conjugate" => case.check(a.conj(), false),
            "real" => case.check(a.real(), false),
            "imag" => case.check(a.imag(), false),
            "sign" => case.check(a.sign(), true),
            "reciprocal" => case.check(a.reciprocal(), true),
            "square" => case.check(a.square(), true),
            "isnan" => case.check(a.isnan(), false),
            "isinf" => case.check(a.isinf(), false),
            "isfinite" => case.check(a.isfinite(), false),
            other => panic!("no function {other}"),
        }
        true
    });
    assert_eq!(count, 24);
}

#[test]
fn rounding_to_decimals() {
    let cases: Vec<Case> = cases().into_iter().filter(|case| case.operation.starts_with("round ")).collect();
    let count = for_types!(cases, case, [i64 f16 f32 f64] => {
        let decimals = case.operation["round ".len()..].parse().unwrap();
        case.check(case.operand::<T>(0).round(decimals), false);
        true
    });
    assert_eq!(count, 15);
}

#[test]
fn reductions() {
    let names = ["sum", "prod", "max", "min", "mean", "any", "all"];
    let cases: Vec<Case> = cases().into_iter().filter(|case| names.contains(&case.operation)).collect();
    let count = for_types!(cases, case, [bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex32 Complex64] => {
        let a = case.operand::<T>(0);
        // The order of a sum is not NumPy's.
        let roughly = T::DTYPE.is_float() || T::DTYPE.is_complex();
        match case.operation {
            "sum" => case.check(a.sum(), roughly),
            "prod" => case.check(a.prod(), roughly),
            "max" => case.check(a.max(), false),
            "min" => case.check(a.min(), false),
            "mean" => case.check(a.mean(), roughly),
            "any" => case.check(a.any(), false),
            "all" => case.check(a.all(), false),
            other => panic!("no reduction {other}"),
        }
        true
    });
    assert_eq!(count, cases.len());
}

#[test]
fn conversions() {
    let cases = cases();
    let mut count = 0;
    macro_rules! conversions {
        ($($t:ident $u:ident)*) => {$(
            let name = format!("astype {}", $u::DTYPE);
            let found = cases.iter().find(|case| case.operation == name && case.dtypes()[0] == $t::DTYPE.to_string());
            let case = found.unwrap_or_else(|| panic!("no case {name}"));
            case.check(case.operand::<$t>(0).astype($u), false);
            count += 1;
        )*};
    }
    conversions! {
        f64 i32  f32 i8  i64 i8  i32 u8  u64 f32  f64 f16  f32 bool  bool f64
    }
    assert_eq!(count, cases.iter().filter(|case| case.operation.starts_with("astype")).count() - 1);
}

#[test]
fn floats_become_integers_within_their_range() {
    let a = gpu![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 3e10, -3e10, 1.9, -1.9];
    assert_eq!(a.astype(i32).to_vec(), [0, i32::MAX, i32::MIN, i32::MAX, i32::MIN, 1, -1]);
    assert_eq!(a.astype(u8).to_vec(), [0, 255, 0, 255, 0, 1, 0]);
    assert_eq!(a.astype(i64).to_vec(), [0, i64::MAX, i64::MIN, 30_000_000_000, -30_000_000_000, 1, -1]);
    assert_eq!(a.astype(f32).astype(u64).to_vec(), [0, u64::MAX, 0, 30_000_001_024, 0, 1, 0]);
}

#[test]
fn shifts_beyond_the_width_leave_nothing() {
    let by = gpu![0_i32, 1, 31, 32, 100];
    assert_eq!((gpu![-5_i32, -5, -5, -5, -5] >> &by).to_vec(), [-5, -3, -1, -1, -1]);
    assert_eq!((gpu![3_i32, 3, 3, 3, 3] << &by).to_vec(), [3, 6, i32::MIN, 0, 0]);
}

#[test]
fn numbers_beside_arrays_keep_the_arrays_type() {
    let a = gpu![f32; 1.0, 2.0];
    assert_eq!((2.0 * &a).to_vec(), [2.0_f32, 4.0]);
    assert_eq!((&a / 2).to_vec(), [0.5_f32, 1.0]);
    assert_eq!((1 - &a).to_vec(), [0.0_f32, -1.0]);
    let n = gpu![7_u8, 250];
    assert_eq!((&n + 10).to_vec(), [17_u8, 4]);
    assert_eq!((&n * 0.5).to_vec(), [3.5_f64, 125.0]);
    assert_eq!((&n / 2).to_vec(), [3.5_f64, 125.0]);
    assert_eq!((1.0 / gpu![2, 4]).to_vec(), [0.5, 0.25]);
    let z = Complex32::new(0.0, 1.0) * &a;
    assert_eq!(z.to_vec(), [Complex32::new(0.0, 1.0), Complex32::new(0.0, 2.0)]);
    crate::raises(ErrorKind::Value, "300 does not fit in uint8", || drop((&n + 300).to_vec()));
}
