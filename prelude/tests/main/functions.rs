//! Functions of two arrays, numbers taken apart and special functions give what NumPy
//! and Python's `math` give: `numpy/functions.txt`, which `numpy/functions.py` writes.

use gpurepl_prelude::*;

use crate::answers::{Case, cases_of, for_types};
use crate::raised;

const FILE: &str = include_str!("numpy/functions.txt");

/// Cases of some operations.
fn cases_named(names: &str) -> Vec<Case<'static>> {
    cases_of(FILE).into_iter().filter(|case| names.split(' ').any(|name| name == case.operation)).collect()
}

#[test]
fn functions_of_two_arrays() {
    let floating =
        cases_named("hypot arctan2 copysign nextafter logaddexp logaddexp2 heaviside float_power ldexp");
    let count = for_types!(floating, case, [f16 f32 f64] => {
        let a = case.operand::<T>(0);
        if case.operation == "ldexp" {
            case.check(a.ldexp(case.operand::<i32>(1)), false);
            continue;
        }
        let b = case.operand::<T>(1);
        match case.operation {
            "hypot" => case.check(a.hypot(&b), true),
            "arctan2" => case.check(a.arctan2(&b), true),
            "copysign" => case.check(a.copysign(&b), false),
            "nextafter" => case.check(a.nextafter(&b), false),
            "logaddexp" => case.check(a.logaddexp(&b), true),
            "logaddexp2" => case.check(a.logaddexp2(&b), true),
            "heaviside" => case.check(a.heaviside(&b), false),
            "float_power" => case.check(a.float_power(&b), true),
            other => panic!("no function {other}"),
        }
        true
    });
    assert_eq!(count, 22);
    let common = cases_named("fmod fmax fmin");
    let count = for_types!(common, case, [i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64] => {
        let (a, b) = (case.operand::<T>(0), case.operand::<T>(1));
        match case.operation {
            "fmod" => case.check(a.fmod(&b), false),
            "fmax" => case.check(a.fmax(&b), false),
            _ => case.check(a.fmin(&b), false),
        }
        true
    });
    assert_eq!(count, 33);
    let integers = cases_named("gcd lcm");
    let count = for_types!(integers, case, [i8 i16 i32 i64 u8 u16 u32 u64] => {
        let (a, b) = (case.operand::<T>(0), case.operand::<T>(1));
        case.check(if case.operation == "gcd" { a.gcd(&b) } else { a.lcm(&b) }, false);
        true
    });
    assert_eq!(count, 16);
    assert_eq!(gpu![1, 2].hypot(2.5).dtype(), DType::Float64);
    assert_eq!(gpu![i8; 4].gcd(&gpu![6_u8]).to_vec(), [2_i16]);
    let error = raised(|| drop(gpu![1.0, 2.0].hypot(&gpu![1.0, 2.0, 3.0])));
    assert!(error.to_string().starts_with("hypot: shapes [2] and [3] do not broadcast"));
}

#[test]
fn parts_of_numbers_and_special_functions() {
    for case in cases_of(FILE)
        .into_iter()
        .filter(|case| ["modf", "frexp"].contains(&case.operation.split(' ').next().unwrap()))
    {
        for_types!([&case], case, [f16 f32 f64] => {
            let a = case.operand::<T>(0);
            match case.operation {
                "modf 0" => case.check(a.modf().0, false),
                "modf 1" => case.check(a.modf().1, false),
                "frexp 0" => case.check(a.frexp().0, false),
                _ => case.check(a.frexp().1, false),
            }
            true
        });
    }
    let cases = cases_named("nan_to_num i0 sinc erf erfc gamma lgamma");
    let count = for_types!(cases, case, [i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64] => {
        let a = case.operand::<T>(0);
        match case.operation {
            "nan_to_num" => case.check(a.nan_to_num(), false),
            "i0" => case.check(a.i0(), true),
            "sinc" => case.check(a.sinc(), true),
            "erf" => case.check(special::erf(&a), true),
            "erfc" => case.check(special::erfc(&a), true),
            "gamma" => case.check(special::gamma(&a), true),
            "lgamma" => case.check(special::lgamma(&a), true),
            other => panic!("no function {other}"),
        }
        true
    });
    assert_eq!(count, 11 + 12);
}

#[test]
fn answers_that_are_booleans() {
    let close = cases_named("isclose");
    let count = for_types!(close, case, [f32 f64 Complex32] => {
        let (a, b) = (case.operand::<T>(0), case.operand::<T>(1));
        case.check(a.isclose(&b), false);
        assert_eq!(allclose(&a, &b), a.isclose(&b).all().item());
        true
    });
    assert_eq!(count, 3);
    assert!(!allclose(&gpu![1.0], &gpu![f64::INFINITY]));
    assert_eq!(gpu![1.0, 2.0].isclose_within(gpu![1.5, 3.0], 0.0, 0.5).to_vec(), [true, false]);
    macro_rules! logical {
        ($($left:ident $right:ident;)*) => {$(
            for case in cases_named("logical_and logical_or logical_xor logical_not") {
                if case.lines[0].0 != $left::DTYPE.to_string() {
                    continue;
                }
                let a = case.operand::<$left>(0);
                if case.operation == "logical_not" {
                    case.check(a.logical_not(), false);
                    continue;
                }
                let b = case.operand::<$right>(1);
                match case.operation {
                    "logical_and" => case.check(a.logical_and(&b), false),
                    "logical_or" => case.check(a.logical_or(&b), false),
                    _ => case.check(a.logical_xor(&b), false),
                }
            }
        )*};
    }
    logical! { f32 i16; bool f64; Complex32 u8; }
}
