//! Special functions give what SciPy gives: `numpy/special.txt`, which
//! `numpy/special.py` writes.

use gpurepl_prelude::*;

use crate::answers::{Case, Written, cases_of, for_types};
use crate::raised;

const FILE: &str = include_str!("numpy/special.txt");

/// How far an answer in double precision may be from SciPy's, in parts of it: as
/// far as SciPy's may be from the exact one.
fn tolerance(name: &str) -> f64 {
    match name {
        "beta" => 3e-13,
        "gammainc" | "gammaincc" | "pdtr" | "pdtrc" | "pdtri" | "chdtr" | "chdtrc" | "chdtri" | "betaln" => {
            2e-13
        }
        "ndtr" => 1e-13,
        "j0" | "j1" | "y0" | "y1" | "zeta" | "polygamma" | "log_ndtr" | "gammaincinv" | "gammainccinv" => {
            2e-14
        }
        "betainc" | "betaincinv" | "bdtr" | "bdtrc" | "bdtri" | "fdtr" | "fdtrc" | "fdtri" | "nbdtr"
        | "nbdtrc" | "nbdtri" => 2e-13,
        "lpmv" | "spherical_yn" => 4e-14,
        "jacobi_sn" | "jacobi_cn" | "jacobi_dn" | "jacobi_amplitude" => 2e-14,
        _ => 4e-15,
    }
}

/// How far an answer in single precision may be from SciPy's, in parts of it. A GPU
/// has Bessel functions of its own for it, five units of the last place off near
/// zero and more, in parts of them, near their zeros.
fn of_singles(name: &str) -> f64 {
    let units = if matches!(name, "j0" | "j1" | "y0" | "y1") { 16.0 } else { 4.0 };
    units * f64::from(f32::EPSILON)
}

/// The absolute error of a Bessel function: CUDA's own promise beyond 8, where
/// they cross zero again and again, is 7.5e-13 (CUDA Math API, double precision).
fn beyond_eight(name: &str) -> f64 {
    if matches!(name, "j0" | "j1" | "y0" | "y1" | "yn") { 7.5e-13 } else { 1e-300 }
}

fn check<T: Written + Into<f64>>(case: &Case<'_>, answer: &GpuArray<T>) {
    let (_, expected) = case.lines.last().unwrap();
    let near = match T::DTYPE {
        DType::Float32 => of_singles(case.operation),
        _ => tolerance(case.operation),
    };
    for (k, (answer, expected)) in answer.to_vec().into_iter().zip(expected).enumerate() {
        let (ours, theirs): (f64, f64) = (answer.into(), T::read(expected).into());
        let off = (ours - theirs).abs();
        let near = off <= near * theirs.abs() + beyond_eight(case.operation);
        assert!(
            ours == theirs || ours.is_nan() && theirs.is_nan() || near,
            "{} of {}: element {k} is {ours:?}, not {theirs:?}",
            case.operation,
            case.lines[0].0
        );
    }
}

#[test]
fn they_are_scipys() {
    let count = for_types!(cases_of(FILE), case, [f32 f64] => {
        let a = case.operand::<T>(0);
        let operand = |number| if case.lines.len() > number + 1 { case.operand::<T>(number) } else { a.clone() };
        let (b, c) = (operand(1), operand(2));
        let answer = match case.operation {
            "expit" => special::expit(&a),
            "logit" => special::logit(&a),
            "log_expit" => special::log_expit(&a),
            "ndtr" => special::ndtr(&a),
            "log_ndtr" => special::log_ndtr(&a),
            "ndtri" => special::ndtri(&a),
            "erfinv" => special::erfinv(&a),
            "erfcinv" => special::erfcinv(&a),
            "entr" => special::entr(&a),
            "digamma" => special::psi(&a),
            "i0e" => special::i0e(&a),
            "i1" => special::i1(&a),
            "i1e" => special::i1e(&a),
            "j0" => special::j0(&a),
            "j1" => special::j1(&a),
            "y0" => special::y0(&a),
            "y1" => special::y1(&a),
            "xlogy" => special::xlogy(&a, &b),
            "xlog1py" => special::xlog1py(&a, &b),
            "rel_entr" => special::rel_entr(&a, &b),
            "kl_div" => special::kl_div(&a, &b),
            "zeta" => special::zeta(&a, &b),
            "polygamma" => special::polygamma(&a, &b),
            "gammainc" => special::gammainc(&a, &b),
            "gammaincc" => special::gammaincc(&a, &b),
            "erfcx" => special::erfcx(&a),
            "rgamma" => special::rgamma(&a),
            "exp1" => special::exp1(&a),
            "expi" => special::expi(&a),
            "exprel" => special::exprel(&a),
            "exp10" => special::exp10(&a),
            "cosm1" => special::cosm1(&a),
            "sindg" => special::sindg(&a),
            "cosdg" => special::cosdg(&a),
            "tandg" => special::tandg(&a),
            "cotdg" => special::cotdg(&a),
            "ellipk" => special::ellipk(&a),
            "ellipkm1" => special::ellipkm1(&a),
            "ellipe" => special::ellipe(&a),
            "k0" => special::k0(&a),
            "k0e" => special::k0e(&a),
            "k1" => special::k1(&a),
            "k1e" => special::k1e(&a),
            "beta" => special::beta(&a, &b),
            "betaln" => special::betaln(&a, &b),
            "poch" => special::poch(&a, &b),
            "gammaincinv" => special::gammaincinv(&a, &b),
            "gammainccinv" => special::gammainccinv(&a, &b),
            "expn" => special::expn(&a, &b),
            "yn" => special::yn(&a, &b),
            "pdtr" => special::pdtr(&a, &b),
            "pdtrc" => special::pdtrc(&a, &b),
            "pdtri" => special::pdtri(&a, &b),
            "chdtr" => special::chdtr(&a, &b),
            "chdtrc" => special::chdtrc(&a, &b),
            "chdtri" => special::chdtri(&a, &b),
            "boxcox" => special::boxcox(&a, &b),
            "boxcox1p" => special::boxcox1p(&a, &b),
            "inv_boxcox" => special::inv_boxcox(&a, &b),
            "inv_boxcox1p" => special::inv_boxcox1p(&a, &b),
            "huber" => special::huber(&a, &b),
            "pseudo_huber" => special::pseudo_huber(&a, &b),
            "spherical_yn" => special::spherical_yn(&a, &b),
            "jacobi_sn" => special::ellipj(&a, &b).0,
            "jacobi_cn" => special::ellipj(&a, &b).1,
            "jacobi_dn" => special::ellipj(&a, &b).2,
            "jacobi_amplitude" => special::ellipj(&a, &b).3,
            "betainc" => special::betainc(&a, &b, &c),
            "betaincinv" => special::betaincinv(&a, &b, &c),
            "bdtr" => special::bdtr(&a, &b, &c),
            "bdtrc" => special::bdtrc(&a, &b, &c),
            "bdtri" => special::bdtri(&a, &b, &c),
            "fdtr" => special::fdtr(&a, &b, &c),
            "fdtrc" => special::fdtrc(&a, &b, &c),
            "fdtri" => special::fdtri(&a, &b, &c),
            "nbdtr" => special::nbdtr(&a, &b, &c),
            "nbdtrc" => special::nbdtrc(&a, &b, &c),
            "nbdtri" => special::nbdtri(&a, &b, &c),
            "lpmv" => special::lpmv(&a, &b, &c),
            other => panic!("no function {other}"),
        };
        check(case, &answer);
        true
    });
    assert_eq!(count, 2 * (17 + 18 + 8 + 19 + 5 + 12));
}

#[test]
fn logarithms_of_gamma_of_complex_numbers_are_scipys() {
    let count = for_types!(cases_of(FILE), case, [Complex32 Complex64] => {
        let epsilon = if T::DTYPE == DType::Complex64 { f64::from(f32::EPSILON) } else { f64::EPSILON };
        let answer = special::loggamma(&case.operand::<T>(0)).to_vec();
        for (k, (ours, theirs)) in answer.into_iter().zip(&case.lines[1].1).enumerate() {
            let [ours, theirs]: [Complex64; 2] = [wide(ours), wide(T::read(theirs))];
            let near = (ours - theirs).norm() <= 16.0 * epsilon * theirs.norm().max(1e-2);
            assert!(near || ours.is_nan() && theirs.is_nan(), "element {k} is {ours}, not {theirs}");
        }
        true
    });
    assert_eq!(count, 2);
    let real: Vec<f64> = special::loggamma(&gpu![0.5, -0.5, 0.0, 171.5]).to_vec();
    assert!((real[0] - 0.5723649429247001).abs() < 1e-15 && real[1].is_nan() && real[2] == f64::INFINITY);
}

fn wide<T: Elem>(z: T) -> Complex64 {
    full((), z).astype(Complex64).item()
}

#[test]
fn distributions_of_many_trials_and_of_small_shares_keep_their_digits() {
    // SciPy's answers.
    let cases: [(GpuArray<f64>, f64); 14] = [
        (special::betaincinv(2600.0, 2600.0, 0.3), 0.49636380992322476),
        (special::betaincinv(10000.0, 10000.0, 0.999), 0.510924453559564),
        (special::bdtri(5000.0, 10000.0, 0.5), 0.5000499983332938),
        (special::fdtri(10000.0, 10000.0, 0.5), 1.0),
        (special::nbdtri(10000.0, 10000.0, 0.5), 0.4999750004166726),
        (special::betaincinv(200.0, 5.0, 1e-20), 0.745650996567166),
        (special::betaincinv(200.0, 5.0, 1e-14), 0.8029763239922616),
        (special::betaincinv(0.001, 3.0, 0.7), 2.798140791516943e-156),
        (special::betaincinv(2.0, 100000.0, 0.9), 3.889625073597799e-05),
        (special::betainc(1.0, 100000000.0, 6.93e-09), 0.4999264055050316),
        (special::bdtr(1.0, 100000000.0, 1e-08), 0.7357588823428847),
        (special::bdtrc(1.0, 100000000.0, 1e-08), 0.26424111765711517),
        (special::betainc(500.0, 700.0, 0.4), 0.1205162890894316),
        (special::betainc(0.0, 2.0, 0.0), 0.0),
    ];
    for (number, (found, wanted)) in cases.into_iter().enumerate() {
        let found = found.item();
        assert!((found - wanted).abs() <= 1e-11 * wanted.abs(), "case {number}: {found:e}, not {wanted:e}");
    }
    let z = special::loggamma(&gpu![Complex64::new(-1.0, 1e-10)]).item();
    assert!((z - Complex64::new(23.025850929940454, -4.712388980342408)).norm() < 1e-9, "{z}");
}

#[test]
fn three_operands_are_arrays_or_numbers() {
    // SciPy's answers.
    let x = gpu![0.25, 0.5];
    let near = |found: GpuArray<f64>, wanted: &[f64]| {
        let found = found.to_vec();
        assert!(found.iter().zip(wanted).all(|(a, b)| (a - b).abs() <= 1e-14 * b.abs()), "{found:?}");
    };
    near(special::betainc(2, 3.0, &x), &[0.26171875, 0.6875]);
    near(special::bdtr(&gpu![1, 2], 4, 0.5), &[0.3125, 0.6875]);
    near(special::fdtr(2, &gpu![3.0, 4.0], 1.5), &[0.6464466094067263, 0.6734693877551021]);
    near(special::bdtr(1, 4, 0.5), &[0.3125]);
    near(special::btdtri(2.0, 3.0, &gpu![0.6875]), &[0.5]);
    assert_eq!(special::betainc(2, 3, &gpu![0.25f32]).dtype(), DType::Float32);
    assert_eq!(special::betainc(&gpu![2.0f32], 3, 0.5).dtype(), DType::Float32);
    assert_eq!(special::betainc(&ones::<f32>((2, 1)), 3, &x).shape(), [2, 2]);
    let error = raised(|| drop(special::lpmv(&gpu![1, 2, 3], 2, &x)));
    assert!(error.to_string().starts_with("lpmv: shapes [3] and [2] do not broadcast"), "{error}");
}

// SciPy's `sph_harm_y`.
const HARMONICS_2_3: [(f64, f64); 2] =
    [(0.21124997046489458, 0.32900233583514676), (-0.039617180643928454, -0.0458696148962281)];
const HARMONICS_1_4: [(f64, f64); 2] =
    [(-0.18054962185026574, 0.09863470795715501), (-0.16855222623881969, -0.3682933333732952)];
const HARMONICS_60: [(f64, f64); 2] =
    [(-0.34690060210694673, 0.0), (0.15449550114485705, 0.34563130121970315)];

#[test]
fn spherical_harmonics_are_scipys() {
    let (theta, phi) = (gpu![0.5, 2.0], gpu![1.0, 0.25]);
    let near = |found: GpuArray<Complex64>, wanted: &[(f64, f64)]| {
        for (found, (re, im)) in found.to_vec().into_iter().zip(wanted) {
            assert!((found - Complex64::new(*re, *im)).norm() < 1e-14, "{found}, not {re} {im}");
        }
    };
    near(special::sph_harm(2, 3, &theta, &phi), &HARMONICS_2_3);
    near(special::sph_harm(-1, 4, &theta, &phi), &HARMONICS_1_4);
    near(special::sph_harm(&gpu![0, 40], 60, 0.5, 1.0), &HARMONICS_60);
    assert!(special::sph_harm(3, 2, &theta, &phi).to_vec()[0].re.is_nan());
}

#[test]
fn numbers_are_on_either_side() {
    let x = gpu![2.0, 4.0];
    let trigamma: GpuArray<f64> = special::polygamma(1, &x);
    assert!((trigamma.to_vec()[0] - 0.6449340668482264).abs() < 1e-15);
    assert_eq!(special::zeta(&x, 1).shape(), [2]);
    assert_eq!(special::xlogy(0.0, 0.0).item(), 0.0);
    assert_eq!(special::expit(gpu![0, 1]).dtype(), DType::Float64);
    let error = raised(|| drop(special::xlogy(&x, &gpu![1.0, 2.0, 3.0])));
    assert!(error.to_string().starts_with("xlogy: shapes [2] and [3] do not broadcast"));
}

#[test]
fn sums_of_exponentials_do_not_overflow() {
    // SciPy's answers.
    let a = gpu![[1.0, 2.0, 3.0], [1000.0, 1000.5, -1000.0]];
    let near = |found: GpuArray<f64>, wanted: &[f64]| {
        let found = found.to_vec();
        assert_eq!(found.len(), wanted.len());
        for (a, b) in found.iter().zip(wanted) {
            assert!((a - b).abs() <= 4e-15 * b.abs(), "{found:?} {wanted:?}");
        }
    };
    near(special::logsumexp_axis(&a, 1), &[3.4076059644443806, 1000.9740769841801]);
    near(special::logsumexp(&a), &[1000.9740769841801]);
    near(
        special::softmax_axis(a.slice(0), -1),
        &[0.09003057317038046, 0.24472847105479767, 0.6652409557748219],
    );
    near(special::log_softmax(a.slice(1)), &[-0.9740769841801067, -0.4740769841801067, -2000.97407698418]);
    assert_eq!(special::logsumexp(gpu![f64::NEG_INFINITY, f64::NEG_INFINITY]).item(), f64::NEG_INFINITY);
    assert_eq!(special::logsumexp(gpu![f64::INFINITY, 1.0]).item(), f64::INFINITY);
    assert!(special::logsumexp(gpu![f64::NAN, 1.0]).item().is_nan());
    assert_eq!(special::softmax_axis(zeros::<f16>((2, 4)), 1).to_vec(), [f16::from_f32(0.25); 8]);
    near(special::multigammaln(gpu![3.0, 10.5], 3), &[2.694924879806965, 40.148880949056604]);
    let error = raised(|| drop(special::logsumexp(zeros::<f32>(0))));
    assert!(error.to_string().starts_with("logsumexp: an array of no elements has none"));
}
