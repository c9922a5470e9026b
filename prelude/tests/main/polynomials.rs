//! Polynomials beside NumPy (`numpy/polynomials.txt`, which
//! `numpy/polynomials.py` writes).

use gpurepl_prelude::array::{
    poly, polyadd, polyder, polyder_n, polydiv, polyfit, polyfit_cov, polyfit_full, polyfit_weights, polyint,
    polyint_n, polymul, polynomial as p, polysub, polyval, roots,
};
use gpurepl_prelude::*;
use proptest::prelude::*;

use crate::answers::{Case, Written, cases_of, for_types};
use crate::raises;

fn cases(is_wanted: impl Fn(&str) -> bool) -> Vec<Case<'static>> {
    let all = cases_of(include_str!("numpy/polynomials.txt"));
    all.into_iter().filter(|case| is_wanted(case.operation)).collect()
}

/// Compares with NumPy's answer, of its type, to a share of the largest element, or of one.
#[track_caller]
fn near<T: Written>(case: &Case, answer: &GpuArray<T>, share: f64) {
    let (dtype, elements) = case.lines.last().unwrap();
    let what = format!("{} of {:?}", case.operation, &case.lines[..case.lines.len() - 1]);
    assert_eq!(*dtype, T::DTYPE.to_string(), "{what}");
    assert_eq!(answer.size(), elements.len(), "{what}");
    let wanted: Vec<Complex64> = to_gpu(elements.iter().map(|text| T::read(text)).collect::<Vec<T>>())
        .astype(array::types::Complex64)
        .to_vec();
    let most = wanted.iter().map(|x| x.norm()).fold(1.0, f64::max);
    for (found, wanted) in answer.astype(array::types::Complex64).to_vec().into_iter().zip(wanted) {
        assert!((found - wanted).norm() <= share * most, "{what}: {found}, not {wanted}");
    }
}

/// Runs a body with both operands of a case, in their types.
macro_rules! with_two {
    ($case:ident, $a:ident $b:ident, [$($t:ident $u:ident),*] => $body:expr) => {{
        let types = (&$case.lines[0].0, &$case.lines[1].0);
        let mut is_done = false;
        $(if types == (&<$t as Elem>::DTYPE.to_string().as_str(), &<$u as Elem>::DTYPE.to_string().as_str()) {
            let ($a, $b) = ($case.operand::<$t>(0), $case.operand::<$u>(1));
            $body;
            is_done = true;
        })*
        assert!(is_done, "{types:?}");
    }};
}

#[test]
fn values_are_what_numpy_computes() {
    let cases = cases(|name| name == "polyval");
    for case in &cases {
        with_two!(case, c x, [
            i8 i8, i16 i16, i32 i32, i64 i64, u8 u8, u16 u16, u32 u32, u64 u64, f16 f16, f32 f32, f64 f64,
            Complex32 Complex32, Complex64 Complex64, i8 f32, i16 f32, i32 f32, i64 f32, u8 f32, u16 f32,
            u32 f32, u64 f32, f16 f32, f64 f32, Complex32 f32, Complex64 f32
        ] => case.check(polyval(&c, &x), true));
    }
    assert!(cases.len() > 20);
    assert_eq!(polyval(gpu![3, 0, 1], 5).item(), 76);
    assert_eq!(polyval(gpu![true, false], gpu![true, false]).to_vec(), [true, false]);
    assert_eq!(polyval(zeros::<f64>(0), gpu![1.0, 2.0]).to_vec(), [0.0, 0.0]);
    raises(ErrorKind::Shape, "polyval: there are no coefficients: shape [0]", || {
        drop(p::polyval(1.0, zeros::<f64>(0)));
    });
}

#[test]
fn values_of_several_polynomials_are_what_numpy_computes() {
    let is_wanted = |name: &str| {
        ["polyval table", "P.polyvalfromroots", "P.polyvander"].iter().any(|start| name.starts_with(start))
            || name.starts_with("P.polyval ")
            || name == "P.polyval"
    };
    let cases = cases(is_wanted);
    let count = for_types!(cases, case, [i32 f32 f64 Complex32 Complex64] => {
        let c = case.operand::<T>(0);
        let table = c.reshape((2, -1));
        match case.operation {
            "polyval table" => case.check(polyval(&table, case.operand::<T>(1).slice(..2)), true),
            "P.polyval" => case.check(p::polyval(case.operand::<T>(1), &c), true),
            "P.polyval table" => case.check(p::polyval(case.operand::<T>(1), &table), true),
            "P.polyvalfromroots" => case.check(p::polyvalfromroots(case.operand::<T>(1), &c), true),
            "P.polyvalfromroots table" => case.check(p::polyvalfromroots(case.operand::<T>(1), &table), true),
            "P.polyvander" => case.check(p::polyvander(&c, 3), true),
            "P.polyvander table" => case.check(p::polyvander(&table, 2), true),
            "P.polyvander zero" => case.check(p::polyvander(&c, 0), true),
            other => panic!("no operation {other}"),
        }
        true
    });
    assert_eq!(count, cases.len());
}

#[test]
fn sums_and_products_are_what_numpy_computes() {
    let is_wanted = |name: &str| {
        let name = name.trim_start_matches("P.");
        ["polyadd", "polysub", "polymul", "polydiv"].iter().any(|start| name.starts_with(start))
    };
    let cases = cases(is_wanted);
    for case in &cases {
        with_two!(case, a b, [i32 f32, f32 f32, f64 f64, Complex32 Complex32, Complex64 Complex64] => {
            // What divisions leave of zero is rounding, which NumPy's are in single precision.
            let is_single = case.lines.iter().any(|(dtype, _)| ["float32", "complex64"].contains(dtype));
            let share = if is_single { 1e-5 } else { 1e-13 };
            match case.operation {
                "polyadd" => case.check(polyadd(&a, &b), true),
                "polysub" => near(case, &polysub(&a, &b), share),
                "polymul" => near(case, &polymul(&a, &b), share),
                "polydiv quotient" => near(case, &polydiv(&a, &b).0, share),
                "polydiv rest" => near(case, &polydiv(&a, &b).1, share),
                "P.polyadd" => case.check(p::polyadd(&a, &b), true),
                "P.polysub" => near(case, &p::polysub(&a, &b), share),
                "P.polymul" => near(case, &p::polymul(&a, &b), share),
                "P.polydiv quotient" => near(case, &p::polydiv(&a, &b).0, share),
                "P.polydiv rest" => near(case, &p::polydiv(&a, &b).1, share),
                other => panic!("no operation {other}"),
            }
        });
    }
    assert!(cases.len() > 1000);
}

#[test]
fn derivatives_and_integrals_are_what_numpy_computes() {
    let is_wanted = |name: &str| {
        let name = name.trim_start_matches("P.");
        ["polyder", "polyint", "trim", "polycompanion", "polyfromroots"]
            .iter()
            .any(|start| name.starts_with(start))
    };
    let cases = cases(is_wanted);
    let count = for_types!(cases, case, [i32 f32 f64 Complex32 Complex64] => {
        let a = case.operand::<T>(0);
        let constants = [2.0, 3.0, 0.5, 1.0];
        match case.operation.split(' ').collect::<Vec<_>>()[..] {
            ["polyder", "1"] => case.check(polyder(&a), true),
            ["polyder", m] => case.check(polyder_n(&a, m.parse().unwrap()), true),
            ["polyint", "1"] => case.check(polyint(&a), true),
            ["polyint", "k", m] => {
                let m = m.parse().unwrap();
                case.check(polyint_n(&a, m, &constants[..m]), true);
            }
            ["polyint", "one", m] => case.check(polyint_n(&a, m.parse().unwrap(), &[2.5]), true),
            ["polyint", m] => case.check(polyint_n(&a, m.parse().unwrap(), &[]), true),
            ["P.polyder", "1"] => case.check(p::polyder(&a), true),
            ["P.polyder", m] => case.check(p::polyder_n(&a, m.parse().unwrap()), true),
            ["P.polyint", "1"] => case.check(p::polyint(&a), true),
            ["P.polyint", "k", m] => {
                let m = m.parse().unwrap();
                case.check(p::polyint_n(&a, m, &constants[..m]), true);
            }
            ["P.polyint", m] => case.check(p::polyint_n(&a, m.parse().unwrap(), &[]), true),
            ["P.trimseq"] => case.check(p::trimseq(&a), false),
            ["P.trimcoef", tolerance] => case.check(p::trimcoef(&a, tolerance.parse().unwrap()), false),
            ["P.polycompanion"] => case.check(p::polycompanion(&a), true),
            ["P.polyfromroots"] => near(case, &p::polyfromroots(&a), 1e-6),
            ref other => panic!("no operation {other:?}"),
        }
        true
    });
    assert_eq!(count, cases.len());
}

/// Compares roots with those that are nearest: the order of eigenvalues is nobody's.
#[track_caller]
fn near_roots(case: &Case, found: GpuArray<Complex64>) {
    let (_, elements) = case.lines.last().unwrap();
    let mut left: Vec<Complex64> = elements.iter().map(|text| Written::read(text)).collect();
    let (all, found) = (left.clone(), found.to_vec());
    let what = format!("{} of {:?}", case.operation, case.lines[0]);
    assert_eq!(found.len(), left.len(), "{what}");
    for root in found {
        let best =
            (0..left.len()).min_by(|a, b| (left[*a] - root).norm().total_cmp(&(left[*b] - root).norm()));
        let wanted = left.swap_remove(best.unwrap());
        // Roots that are double are known to half of the digits.
        let is_double = all.iter().filter(|root| (*root - wanted).norm() < 1e-4 * wanted.norm()).count() > 1;
        let share = if is_double { 1e-7 } else { 1e-10 };
        assert!((root - wanted).norm() <= share * wanted.norm().max(1e-3), "{what}: {root}, not {wanted}");
    }
}

#[test]
fn roots_are_those_that_numpy_finds() {
    let cases = cases(|name| ["roots", "P.polyroots"].contains(&name));
    let count = for_types!(cases, case, [i32 f64 Complex64] => {
        let a = case.operand::<T>(0);
        let found = if case.operation == "roots" { roots(&a) } else { p::polyroots(&a) };
        if !T::DTYPE.is_complex() {
            let not_real: Vec<Complex64> = found.to_vec().into_iter().filter(|root| root.im != 0.0).collect();
            assert!(not_real.iter().all(|root| not_real.contains(&root.conj())), "{not_real:?}");
        }
        near_roots(case, found);
        true
    });
    assert_eq!(count, cases.len());
    // A real polynomial with real roots, which are so to the last digit.
    let found = roots(gpu![1, -3, 2]);
    assert_eq!(found.imag().to_vec(), [0.0, 0.0]);
    assert_eq!(roots(zeros::<f64>(0)).size(), 0);
    assert_eq!(roots(gpu![7]).size(), 0);
    raises(ErrorKind::Value, "roots: Array must not contain infs or NaNs", || {
        drop(roots(gpu![1.0, f64::NAN, 2.0]));
    });
    raises(ErrorKind::Shape, "roots: coefficients have one axis, and not shape [2, 2]", || {
        drop(roots(zeros::<f64>((2, 2))));
    });
}

#[test]
fn polynomials_with_roots_are_what_numpy_computes() {
    let cases = cases(|name| name.starts_with("poly ") || name == "poly");
    for case in &cases {
        let a = case.operand::<f64>(0);
        match (case.operation, a.size()) {
            ("poly", _) => near(case, &poly(&a), 1e-12),
            (_, 4) => near(case, &poly(a.reshape((2, 2))), 1e-12),
            (_, 9) => near(case, &poly(a.reshape((3, 3))), 1e-12),
            (_, _) => near(case, &poly(a.reshape((1, 1))), 1e-12),
        }
    }
    assert!(cases.len() > 10);
    assert_eq!(poly(zeros::<f32>(0)).to_vec(), [1.0]);
    raises(ErrorKind::Shape, "poly: input must be 1d or non-empty square 2d array: shape [2, 3]", || {
        drop(poly(zeros::<f32>((2, 3))));
    });
}

fn check_fit<T, D: Written>(case: &Case)
where
    T::Quotient: Promote<T::Quotient, Out = T>,
    T: Written + Promote<i64, Out = D> + Promote<f64, Out = D>,
{
    let (x, y) = (case.operand::<T>(0), case.operand::<T>(1));
    // NumPy solves for single precision in it.
    let share = if T::DTYPE == DType::Float32 { 1e-3 } else { 1e-9 };
    let words: Vec<&str> = case.operation.split(' ').collect();
    let degree: usize = words.last().unwrap().parse().unwrap();
    let table = || y.reshape((x.size(), 2));
    let weights = || case.operand::<f64>(2);
    match words[..words.len() - 1] {
        ["polyfit"] => near(case, &polyfit(&x, &y, degree), share),
        ["P.polyfit"] => near(case, &p::polyfit(&x, &y, degree), share),
        ["polyfit", "table"] => near(case, &polyfit(&x, table(), degree), share),
        ["polyfit", "w"] => near(case, &polyfit_weights(&x, &y, degree, weights()), share),
        ["P.polyfit", "w"] => near(case, &p::polyfit_weights(&x, &y, degree, weights()), share),
        ["polyfit", "cov"] => near(case, &polyfit_cov(&x, &y, degree).1, share),
        ["polyfit", "cov", "table"] => near(case, &polyfit_cov(&x, table(), degree).1, share),
        ["polyfit", "residuals"] => near(case, &polyfit_full(&x, &y, degree).1, share),
        ["polyfit", "values"] => near(case, &polyfit_full(&x, &y, degree).3, share),
        ref other => panic!("no operation {other:?}"),
    }
}

use gpurepl_prelude::array::Promote;

#[test]
fn fits_are_what_numpy_finds() {
    let cases = cases(|name| name.contains("polyfit"));
    let count = for_types!(cases, case, [f32 f64 Complex64] => {
        check_fit::<T, <T as Promote<i64>>::Out>(case);
        true
    });
    assert_eq!(count, cases.len());
    let x = gpu![0, 1, 2, 3];
    let line: GpuArray<f64> = polyfit(&x, gpu![1.0_f32, 3.0, 5.0, 7.0], 1);
    assert!(allclose(&line, &gpu![2.0, 1.0]));
    let (_, residuals, rank, _, limit) = polyfit_full(&x, &x, 5);
    assert_eq!((residuals.size(), rank, limit), (0, 4, 4.0 * f64::EPSILON));
    raises(ErrorKind::Shape, "polyfit: expected x and y to have same length: shapes [4] and [3]", || {
        drop(polyfit(&x, gpu![1.0, 2.0, 3.0], 1));
    });
    raises(ErrorKind::Shape, "polyfit: expected non-empty vector for x", || {
        drop(polyfit(zeros::<f64>(0), zeros::<f64>(0), 1));
    });
    raises(ErrorKind::Shape, "polyfit: expected w and y to have the same length: shapes [1] and [4]", || {
        drop(polyfit_weights(&x, &x, 1, gpu![1.0]))
    });
    raises(
        ErrorKind::Value,
        "polyfit: the number of data points must exceed order to scale the covariance matrix: 4 points, and 4 \
         coefficients",
        || drop(polyfit_cov(&x, &x, 3)),
    );
}

proptest! {
    #[test]
    fn a_polynomial_goes_through_its_points(c in prop::collection::vec(-3.0..3.0_f64, 1..6)) {
        let c = to_gpu(&c);
        let x = linspace(-1.0, 1.0, 20);
        let found = polyfit(&x, polyval(&c, &x), c.size() - 1);
        prop_assert!(found.isclose(&c).all().item(), "{found} {c}");
    }

    #[test]
    fn a_product_has_the_roots_of_its_factors(n in 1..5_usize, m in 1..5_usize) {
        let (a, b) = (arange(1.0..n as f64 + 1.0), -arange(1.0..m as f64 + 1.0));
        let product = polymul(poly(&a), poly(&b));
        let wanted = concatenate((&a, &b)).sort();
        prop_assert!(allclose(&roots(&product).real().sort(), &wanted));
        let (quotient, rest) = polydiv(&product, poly(&b));
        prop_assert!(allclose(&quotient, &poly(&a)));
        prop_assert!(rest.abs().max().item() < 1e-9);
    }
}
