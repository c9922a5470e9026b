//! What functions take: arrays by value or by reference, lists of the host,
//! numbers on either side, beside NumPy (`numpy/operands.txt`, which
//! `numpy/operands.py` writes).

use gpurepl_prelude::array::{IntegerElem, NumberFor, RealElem};
use gpurepl_prelude::*;

use crate::answers::{Case, Written, cases_of};

fn of_floats<T: RealElem + Written>(case: &Case<'_>, name: &str, number: impl NumberFor<T, Out = T>)
where
    T::Floating: Written,
{
    let a = case.operand::<T>(0);
    let answer = match name {
        "hypot" => cumath::hypot(number, &a),
        "arctan2" => cumath::arctan2(number, &a),
        "copysign" => cumath::copysign(number, &a),
        "nextafter" => cumath::nextafter(number, &a),
        "logaddexp" => cumath::logaddexp(number, &a),
        "logaddexp2" => cumath::logaddexp2(number, &a),
        "heaviside" => cumath::heaviside(number, &a),
        _ => return in_common::<T>(case, name, number),
    };
    case.check(answer, true);
}

fn in_common<T: RealElem + Written>(case: &Case<'_>, name: &str, number: impl NumberFor<T, Out = T>) {
    let a = case.operand::<T>(0);
    let answer = match name {
        "maximum" => maximum(number, a),
        "minimum" => minimum(number, a),
        "fmax" => cumath::fmax(number, a),
        "fmin" => cumath::fmin(number, a),
        "fmod" => cumath::fmod(number, a),
        _ => panic!("no function {name}"),
    };
    case.check(answer, false);
}

fn of_integers<T: IntegerElem + Written>(case: &Case<'_>, name: &str, number: i32)
where
    T::Floating: Written,
    i32: NumberFor<T, Out = T>,
{
    let a = case.operand::<T>(0);
    match name {
        "gcd" => case.check(cumath::gcd(number, &a), false),
        "lcm" => case.check(cumath::lcm(number, a), false),
        _ => of_floats::<T>(case, name, number),
    }
}

fn of_powers<T: Written>(case: &Case<'_>, number: &str)
where
    T::WithInt: Written,
    T::WithFloat: Written,
{
    let a = case.operand::<T>(0);
    match number.parse::<i32>() {
        Ok(whole) => case.check(power(whole, &a), true),
        Err(_) => case.check(power(number.parse::<f64>().unwrap(), a), true),
    }
}

#[test]
fn a_number_may_stand_first() {
    let cases = cases_of(include_str!("numpy/operands.txt"));
    for case in &cases {
        let (name, number) = case.operation.split_once(' ').unwrap();
        let whole = number.parse::<i32>().unwrap_or_default();
        match (name, case.lines[0].0) {
            ("power", "uint8") => of_powers::<u8>(case, number),
            ("power", "int32") => of_powers::<i32>(case, number),
            ("power", "int64") => of_powers::<i64>(case, number),
            ("power", "float32") => of_powers::<f32>(case, number),
            ("power", "float64") => of_powers::<f64>(case, number),
            (_, "int32") => of_integers::<i32>(case, name, whole),
            (_, "int64") => of_integers::<i64>(case, name, whole),
            (_, "float32") => of_floats::<f32>(case, name, whole),
            (_, "float64") => of_floats::<f64>(case, name, whole),
            (_, dtype) => panic!("no type {dtype}"),
        }
    }
    assert_eq!(cases.len(), 124);
}

/// Integers beside a number with a fraction.
fn beside_a_fraction<T: IntegerElem + NumberFor<T, Out = T> + Written>(case: &Case<'_>, name: &str)
where
    f64: NumberFor<T, Out = f64>,
    i32: NumberFor<T, Out = T>,
{
    let a = case.operand::<T>(0);
    let answer = match name {
        "hypot" => cumath::hypot(1.5, &a),
        "arctan2" => a.arctan2(1.5),
        "maximum" => maximum(&a, 1.5),
        "minimum" => minimum(1.5, &a),
        "fmax" => a.fmax(1.5),
        "fmin" => cumath::fmin(1.5, &a),
        "fmod" => a.fmod(1.5),
        "power" => a.pow(1.5),
        "floor_divide" => a.floor_div(1.5),
        "remainder" => a.divmod(1.5).1,
        "clip" => clip(&a, 1.5, 3.5),
        "clip 0" => clip(&a, 0, 3.5),
        "where" => where_(a.gt(2), &a, 2.5),
        "where not" => where_(a.gt(2), 2.5, &a),
        _ => panic!("no function {name}"),
    };
    case.check(answer, true);
}

#[test]
fn a_fraction_did_not_fit_beside_integers() {
    let cases = cases_of(include_str!("numpy/weak_floats.txt"));
    for case in &cases {
        match case.lines[0].0 {
            "uint8" => beside_a_fraction::<u8>(case, case.operation),
            "int16" => beside_a_fraction::<i16>(case, case.operation),
            "int32" => beside_a_fraction::<i32>(case, case.operation),
            "int64" => beside_a_fraction::<i64>(case, case.operation),
            dtype => panic!("no type {dtype}"),
        }
    }
    assert_eq!(cases.len(), 56);
    let beyond = gpu![u8; 3, 200];
    assert_eq!(clip(&beyond, -1, 300).to_vec(), [3, 200]);
    assert_eq!(clip(&beyond, 10, 300).to_vec(), [10, 200]);
    assert_eq!(clip(&beyond, -1, 10).to_vec(), [3, 10]);
    crate::raises(ErrorKind::Value, "300 does not fit in uint8", || drop(clip(&beyond, 300, 400)));
}

#[test]
fn booleans_become_integers_where_numpys_do() {
    let (a, b) = (gpu![true, false, true], gpu![true, true, true]);
    let is_i8 = |array: GpuArray<i8>| array.to_vec();
    assert_eq!(is_i8(a.pow(&b)), [1, 0, 1]);
    assert_eq!(is_i8(a.floor_div(&b)), [1, 0, 1]);
    assert_eq!(is_i8(&a % &b), [0, 0, 0]);
    assert_eq!(is_i8(power(&a, &b)), [1, 0, 1]);
    let squares: GpuArray<i32> = a.pow(2);
    assert_eq!(squares.to_vec(), [1, 0, 1]);
    assert_eq!(a.pow(0.5).to_vec(), [1.0, 0.0, 1.0]);
    assert_eq!(where_(&a, &b, 7).to_vec(), [1, 7, 1]);
    assert_eq!(maximum(&a, true).to_vec(), [true; 3]);
}

macro_rules! pairs_of_bits {
    ($case:ident, $operation:ident: $($t:ident [$($u:ident)*];)*) => {
        match ($case.lines[0].0, $case.lines[1].0) {
            $($((stringify_numpy!($t), stringify_numpy!($u)) => {
                let (a, b) = ($case.operand::<$t>(0), $case.operand::<$u>(1));
                $operation!($case, a, b)
            })*)*
            types => panic!("no pair {types:?}"),
        }
    };
}

/// NumPy's name of a type.
macro_rules! stringify_numpy {
    (bool) => {
        "bool"
    };
    (i8) => {
        "int8"
    };
    (i16) => {
        "int16"
    };
    (i32) => {
        "int32"
    };
    (i64) => {
        "int64"
    };
    (u8) => {
        "uint8"
    };
    (u16) => {
        "uint16"
    };
    (u32) => {
        "uint32"
    };
    (u64) => {
        "uint64"
    };
}

macro_rules! bits {
    ($case:ident, $a:ident, $b:ident) => {
        match $case.operation {
            "bitwise_and" => $case.check(&$a & &$b, false),
            "bitwise_or" => $case.check(&$a | $b, false),
            "bitwise_xor" => $case.check($a ^ &$b, false),
            name => panic!("no operation {name}"),
        }
    };
}

macro_rules! shifts {
    ($case:ident, $a:ident, $b:ident) => {
        match $case.operation {
            "left_shift" => $case.check(&$a << &$b, false),
            "right_shift" => $case.check($a >> $b, false),
            name => panic!("no operation {name}"),
        }
    };
}

#[test]
fn bits_of_two_types() {
    let cases = cases_of(include_str!("numpy/bits.txt"));
    for case in &cases {
        if case.operation.ends_with("shift") {
            pairs_of_bits!(case, shifts:
                i8 [i8 i32 u8]; i32 [i8 i64 u16]; i64 [i8 i32 u32]; u8 [i16 u8 u64]; u32 [i8 u8 u64]; u64 [u8 u32 u64];
            );
        } else {
            pairs_of_bits!(case, bits:
                bool [bool i8 i16 i32 i64 u8 u16 u32 u64];
                i8 [bool i8 i16 i32 i64 u8 u16 u32];
                i32 [bool i8 i16 i32 i64 u8 u16 u32];
                i64 [bool i8 i16 i32 i64 u8 u16 u32];
                u8 [bool i8 i16 i32 i64 u8 u16 u32 u64];
                u64 [bool u8 u16 u32 u64];
            );
        }
    }
    assert_eq!(cases.len(), 3 * 47 + 2 * 18);
}

#[test]
fn a_number_may_stand_before_a_bit_operator() {
    let (a, long) = (gpu![1, 2, 3], gpu![i64; 1, 2, 1_i64 << 40]);
    assert_eq!((1 & &a).to_vec(), [1, 0, 1]);
    assert_eq!((4 | a.clone()).to_vec(), [5, 6, 7]);
    assert_eq!((7 ^ &long).to_vec(), [6, 5, (1 << 40) | 7]);
    assert_eq!((1 << &a).to_vec(), [2, 4, 8]);
    assert_eq!((256 >> &long.slice(..2)).to_vec(), [128_i64, 64]);
    assert_eq!((true ^ &gpu![true, false]).to_vec(), [false, true]);
    assert_eq!((&gpu![true, false] & 3).to_vec(), [1, 0]);
    assert_eq!((&long >> 40).to_vec(), [0, 0, 1]);
    let mut flags = gpu![u32; 1, 2, 4];
    flags |= &gpu![u8; 8, 8, 8];
    flags <<= 1;
    flags &= &gpu![true, false, true];
    assert_eq!(flags.to_vec(), [0, 0, 0]);
}

#[test]
fn arrays_are_taken_by_value_and_by_reference() {
    let (a, b) = (gpu![1.0, 2.0, 3.0], gpu![1, 5, 2]);
    assert!(array_equal(a.clone(), &a) && array_equal(&a, a.clone()) && !array_equal(&a, &b));
    assert!(allclose(&a * 2, &a + &a) && allclose(a.clone(), &a));
    assert_eq!(a.dot(b.clone()).item(), 17.0);
    assert_eq!(a.matmul(&b * 2).item(), 34.0);
    assert_eq!(a.outer(b.clone()).shape(), [3, 3]);
    assert_eq!(zeros_like(a.clone()).to_vec(), [0.0; 3]);
    assert_eq!(full_like(&b * 2, 7).to_vec(), [7; 3]);
    assert_eq!(clip(a.clone(), 2, 2.5).to_vec(), [2.0, 2.0, 2.5]);
    assert_eq!(where_(a.gt(1), a.clone(), b.clone()).to_vec(), [1.0, 2.0, 3.0]);
    assert_eq!(maximum(a.clone(), b.clone()).to_vec(), [1.0, 5.0, 3.0]);
    assert_eq!(power(a.clone(), b.clone()).to_vec(), [1.0, 32.0, 9.0]);
    let mut lent = a.copy();
    assert!(array_equal(&mut lent, &a));
}

#[test]
fn joined_arrays_may_be_owned_or_in_vectors() {
    let (a, b) = (gpu![1.0, 2.0], gpu![3, 4]);
    let all = [1.0, 2.0, 3.0, 4.0];
    assert_eq!(concatenate((a.clone(), b.clone())).to_vec(), all);
    assert_eq!(concatenate((a.clone(), &b)).to_vec(), all);
    assert_eq!(concatenate((&a, [3, 4])).to_vec(), all);
    let list = vec![a.clone(), &a * 2];
    assert_eq!(vstack(&list).to_vec(), [1.0, 2.0, 2.0, 4.0]);
    assert_eq!(stack(list.iter().collect::<Vec<_>>()).shape(), [2, 2]);
    assert_eq!(hstack(&list[..]).to_vec(), [1.0, 2.0, 2.0, 4.0]);
    assert_eq!(column_stack(list).to_vec(), [1.0, 2.0, 2.0, 4.0]);
    assert_eq!(hstack(arange(0..6).split(3)).to_vec(), [0, 1, 2, 3, 4, 5]);
    let (x, y) = broadcast_arrays((a, [[1], [2]]));
    assert_eq!((x.shape(), y.to_vec()), (&[2, 2][..], vec![1, 1, 2, 2]));
}

#[test]
fn lists_of_the_host_are_arrays_as_in_numpy() {
    let a = gpu![1.0, 2.0, 3.0];
    assert!(array_equal(&a, [1, 2, 3]) && array_equal(vec![1, 2], [1.0, 2.0]));
    assert!(allclose(ones::<f32>(3), 1.0) && allclose(&a, ndarray::arr1(&[1.0, 2.0, 3.0])));
    assert_eq!(a.dot([1, 2, 3]).item(), 14.0);
    assert_eq!(a.isin([3, 1]).to_vec(), [true, false, true]);
    assert_eq!(a.append(4.0).to_vec(), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(a.eq([1, 0, 3]).to_vec(), [true, false, true]);
    assert_eq!(maximum(&a, [2, 2, 2]).to_vec(), [2.0, 2.0, 3.0]);
    assert_eq!(a.interp([1, 2], &[10.0, 20.0]).to_vec(), [10.0, 20.0, 20.0]);
    assert_eq!(to_gpu(vec![vec![1, 2], vec![3, 4]]).shape(), [2, 2]);
    assert_eq!(to_gpu(2.5).shape(), [0_usize; 0]);
    let problem = try_to_gpu(vec![vec![1, 2], vec![3]]).unwrap_err().to_string();
    assert!(problem.contains("row 0 has 2 elements, and row 1 has 1"), "{problem}");
    // An array is passed on, and not copied.
    assert!(to_gpu(&a).may_share_memory(&a));
}

#[test]
fn elements_have_the_type_that_is_named_at_any_depth() {
    let complex = gpu![Complex64; 1, 2.5, Complex64::new(0.0, 1.0)];
    assert_eq!(complex.to_vec(), [1.0.into(), 2.5.into(), Complex64::new(0.0, 1.0)]);
    assert_eq!(gpu![Complex32; [1, 2], [3, true]].shape(), [2, 2]);
    assert_eq!(gpu![bool; 1, 0, 2.5].to_vec(), [true, false, true]);
    assert_eq!(gpu![f16; 1, 2.5].to_vec(), [f16::from_f32(1.0), f16::from_f32(2.5)]);
    assert_eq!(gpu![u8; [[[1, 2]]]].shape(), [1, 1, 1, 2]);
    assert_eq!(gpu![u8; [[[[[[[1]]]]]]]].shape(), [1; 8]);
    assert_eq!(gpu![[[[[[[[1]]]]]]]].to_vec(), [1]);
    assert_eq!(gpu![f32;].shape(), [0]);
}

#[test]
fn bytes_that_are_0_or_1_are_booleans_in_the_same_memory() {
    let mut bytes = gpu![1u8, 0, 1];
    assert_eq!(bytes.view(bool).to_vec(), [true, false, true]);
    assert_eq!(gpu![257_u16].view(bool).to_vec(), [true, true]);
    assert!(bytes.view(bool).may_share_memory(&bytes));
    assert!(zeros::<u8>(0).view(bool).is_empty());
    set!(bytes[1] = 2);
    let problem = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| bytes.view(bool))).unwrap_err();
    let problem = problem.downcast_ref::<Error>().unwrap().to_string();
    assert!(problem.contains("these of uint8 go up to 2"), "{problem}");
}

#[test]
fn places_are_written_by_lists_and_variables() {
    let mut a = zeros::<i32>(6);
    set!(a[[1, 3, 4]] = 5);
    set!(a[vec![0, 1]] = [7, 8]);
    let places = gpu![5, 2];
    set!(a[places] = 9);
    let last = -1;
    set!(a[last] = 1);
    assert_eq!(a.to_vec(), [7, 8, 9, 5, 5, 1]);
    set!(a[a.gt(7)] = 0);
    let mask = a.eq(5);
    set!(a[mask] += 10);
    set!(a[0] *= 2);
    assert_eq!(a.to_vec(), [14, 0, 0, 15, 15, 1]);
    // As in NumPy a place that is named twice is added to once.
    set!(a[[1, 1, 2]] += 1);
    assert_eq!(a.to_vec(), [14, 1, 1, 15, 15, 1]);
    let mut m = arange(0..6).reshape((2, 3));
    set!(m[.., [0, 2]] -= gpu![[1], [2]]);
    assert_eq!(m.to_vec(), [-1, 1, 1, 1, 4, 3]);
    set!(m[..., 1] = 0);
    set!(m[1, ..] = vec![7, 8, 9]);
    assert_eq!(m.to_vec(), [-1, 0, 1, 7, 8, 9]);
    let rows = [1, 0];
    assert_eq!(m[s![rows, 0]].to_vec(), [7, -1]);
    assert_eq!(m[[1]].to_vec(), [7, 8, 9]);
}

#[test]
fn an_array_is_read_before_its_own_elements_are_written() {
    let mut a = arange(0..6);
    let reversed = a.slice(s![..; -1]);
    a.set(s![..], &reversed);
    assert_eq!(a.to_vec(), [5, 4, 3, 2, 1, 0]);
    let mut b = arange(0..6);
    b.set(s![1..], b.slice(..5) + 10);
    assert_eq!(b.to_vec(), [0, 10, 11, 12, 13, 14]);
    let mask = gpu![true, false];
    let problem = b.try_slice(&mask).unwrap_err().to_string();
    assert!(problem.contains("size of axis is 6 but size of corresponding boolean axis is 2"), "{problem}");
}
