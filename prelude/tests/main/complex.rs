//! Functions of complex numbers give what NumPy gives: `numpy/complex.txt`, which
//! `numpy/complex.py` writes.

use gpurepl_prelude::*;

use crate::answers::{cases_of, for_types};

const FILE: &str = include_str!("numpy/complex.txt");

#[test]
fn functions_have_numpys_branches_and_special_values() {
    let count = for_types!(cases_of(FILE), case, [Complex32 Complex64] => {
        let a = case.operand::<T>(0);
        match case.operation {
            "sqrt" => case.check(a.sqrt(), true),
            "exp" => case.check(a.exp(), true),
            "exp2" => case.check(a.exp2(), true),
            "expm1" => case.check(a.expm1(), true),
            "log" => case.check(a.log(), true),
            "log2" => case.check(a.log2(), true),
            "log10" => case.check(a.log10(), true),
            "log1p" => case.check(a.log1p(), true),
            "sin" => case.check(a.sin(), true),
            "cos" => case.check(a.cos(), true),
            "tan" => case.check(a.tan(), true),
            "arcsin" => case.check(a.arcsin(), true),
            "arccos" => case.check(a.arccos(), true),
            "arctan" => case.check(a.arctan(), true),
            "sinh" => case.check(a.sinh(), true),
            "cosh" => case.check(a.cosh(), true),
            "tanh" => case.check(a.tanh(), true),
            "arcsinh" => case.check(a.arcsinh(), true),
            "arccosh" => case.check(a.arccosh(), true),
            "arctanh" => case.check(a.arctanh(), true),
            "rint" => case.check(a.rint(), false),
            "reciprocal" => case.check(a.reciprocal(), true),
            "square" => case.check(a.square(), true),
            "absolute" => case.check(a.abs(), true),
            "conjugate" => case.check(a.conj(), false),
            "angle" => case.check(a.angle(), true),
            "power" => case.check(a.pow(&case.operand::<T>(1)), true),
            "round 1" => case.check(a.round(1), true),
            other => panic!("no function {other}"),
        }
        true
    });
    assert_eq!(count, 2 * (2 * 26 - 7 + 10 + 2));
    let angles = for_types!(cases_of(FILE), case, [f16 f32 f64 i8 i32] => {
        case.check(case.operand::<T>(0).angle(), true);
        true
    });
    assert_eq!(angles, 5);
}

#[test]
fn numbers_and_other_types_are_bases_and_exponents() {
    let i = gpu![Complex64::i()];
    assert_eq!(i.pow(2).item(), Complex64::new(-1.0, 0.0));
    assert_eq!(i.pow(-1).item(), Complex64::new(0.0, -1.0));
    assert!((i.pow(0.5).item() - Complex64::new(0.5f64.sqrt(), 0.5f64.sqrt())).norm() < 1e-15);
    assert!((i.pow(&i).item() - Complex64::from((-std::f64::consts::FRAC_PI_2).exp())).norm() < 1e-15);
    assert_eq!(cumath::sqrt(gpu![Complex32::new(-4.0, 0.0)]).item(), Complex32::new(0.0, 2.0));
    assert_eq!((gpu![2].conj().dtype(), gpu![true].isreal().item()), (DType::Int32, true));
    // Within an expression, and over rows of a view.
    let z = arange(0..6).astype(Complex64).reshape((2, 3)) * Complex64::i();
    let ours = (z.t().exp() + 1.0).log().to_vec();
    let own: Vec<Complex64> = z.t().to_vec().iter().map(|z| (z.exp() + 1.0).ln()).collect();
    assert!(ours.iter().zip(&own).all(|(a, b)| (a - b).norm() < 1e-14));
}
