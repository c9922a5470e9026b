//! Cross products, phases, packed bits and distinct rows, beside NumPy
//! (`numpy/mathematics.txt`, which `numpy/mathematics.py` writes) and plain loops.

use gpurepl_prelude::array::{BitOrder, unwrap, unwrap_axis, unwrap_period};
use gpurepl_prelude::*;
use proptest::prelude::*;

use crate::answers::{Case, Written, cases_of, for_types};
use crate::raises;

/// The cases whose names begin so.
fn cases(names: &[&str]) -> Vec<Case<'static>> {
    let is_wanted = |case: &Case| names.iter().any(|name| case.operation.starts_with(name));
    cases_of(include_str!("numpy/mathematics.txt")).into_iter().filter(is_wanted).collect()
}

/// The numbers and the word behind the name of a case.
fn order(word: &str) -> BitOrder {
    if word == "little" { BitOrder::Little } else { BitOrder::Big }
}

#[test]
fn cross_products_are_what_numpy_computes() {
    let cases = cases(&["cross"]);
    macro_rules! check {
        ($case:ident, $a:ident, $b:ident) => {{
            // Products may be fused with the difference, and then lose less.
            let roughly = true;
            match $case.operation {
                "cross 3 3" => $case.check($a.reshape((4, 3)).cross(&$b.reshape((4, 3))), roughly),
                "cross 2 2" => $case.check($a.reshape((6, 2)).cross(&$b.reshape((6, 2))), roughly),
                "cross 3 2" => $case.check($a.reshape((4, 3)).cross(&$b.reshape((4, 2))), roughly),
                "cross 2 3" => $case.check($a.reshape((4, 2)).cross(&$b.reshape((4, 3))), roughly),
                "cross one" => $case.check($a.cross(&$b.reshape((2, 2, 3))), roughly),
                "cross 0" => $case.check($a.reshape((3, 4)).cross_axis(&$b.reshape((3, 4)), 0), roughly),
                "cross 1" => {
                    $case.check($a.reshape((2, 3, 2)).cross_axis(&$b.reshape((2, 3, 2)), 1), roughly);
                }
                "cross plane 0" => {
                    $case.check($a.reshape((2, 6)).cross_axis(&$b.reshape((2, 6)), -2), roughly);
                }
                other => panic!("no operation {other}"),
            }
        }};
    }
    let count = for_types!(cases, case, [i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex32 Complex64] => {
        let a = case.operand::<T>(0);
        if case.lines[1].0 == "float32" {
            let b = case.operand::<f32>(1);
            check!(case, a, b);
        } else {
            let b = case.operand::<T>(1);
            check!(case, a, b);
        }
        true
    });
    assert_eq!(count, cases.len());
}

#[test]
fn vectors_that_have_no_cross_product_are_refused() {
    let (a, b) = (zeros::<f32>((2, 3)), zeros::<f32>((2, 4)));
    raises(
        ErrorKind::Shape,
        "cross: incompatible vector dimensions for cross product, 2 or 3 are needed: shapes [2, 4] and [2, 3]",
        || drop(a.cross(&b)),
    );
    raises(
        ErrorKind::Shape,
        "cross: shapes [2, 3] and [3, 3] do not broadcast before their last axes",
        || {
            drop(a.cross(&zeros::<f32>((3, 3))).to_vec());
        },
    );
    let none = zeros::<f64>((0, 3));
    assert_eq!(none.cross(&none).shape(), [0, 3]);
    // Views, whose elements lie anywhere.
    let t = arange(0.0..6.0).reshape((3, 2)).t();
    assert_eq!(t.cross(&gpu![0.0, 0.0, 1.0]).to_vec(), [2.0, -0.0, 0.0, 3.0, -1.0, 0.0]);
}

#[test]
fn phases_are_what_numpy_computes() {
    let cases = cases(&["unwrap"]);
    // Of integers the answer is of double precision, without a period.
    let count = for_types!(cases, case, [i8 i16 i32 i64 f16 f32 f64] => {
        let a = case.operand::<T>(0).reshape((3, 4));
        match case.operation {
            "unwrap" => case.check(unwrap(&a), true),
            "unwrap 0" => case.check(unwrap_axis(&a, 0), true),
            "unwrap period 4" => case.check(unwrap_period(&a, -1, None, 4), true),
            "unwrap period 3" => case.check(unwrap_period(&a, 1, None, 3), true),
            "unwrap period 24" => case.check(unwrap_period(&a, 1, None, 24), true),
            "unwrap discont" => case.check(unwrap_period(&a, 0, 3.0, 4), true),
            "unwrap half" => case.check(unwrap_period(&a, -1, None, 2.5), true),
            other => panic!("no operation {other}"),
        }
        true
    });
    assert_eq!(count, cases.len());
    assert_eq!(unwrap(zeros::<f32>((2, 0))).shape(), [2, 0]);
    assert_eq!(unwrap(gpu![4.0]).to_vec(), [4.0]);
    raises(ErrorKind::DType, "unwrap: not for uint8, whose differences have no sign", || {
        drop(unwrap_period(gpu![1_u8, 2], 0, None, 4));
    });
    raises(ErrorKind::DType, "unwrap: elements are int32, and the period is not", || {
        drop(unwrap_period(gpu![1, 2], 0, None, 0.5));
    });
}

#[test]
fn packed_bits_are_what_numpy_packs() {
    let cases = cases(&["packbits"]);
    let count = for_types!(cases, case, [bool i8 i16 i32 i64 u8 u16 u32 u64] => {
        let a = case.operand::<T>(0);
        match case.operation.split(' ').collect::<Vec<_>>()[..] {
            ["packbits"] | ["packbits", "none"] => case.check(a.packbits(), false),
            ["packbits", axis, word] => {
                let table = a.reshape((2, 11, 3));
                case.check(table.packbits_order(axis.parse().unwrap(), order(word)), false);
                // A view in another order of its axes.
                let back = table.swapaxes(0, 2).copy().swapaxes(0, 2);
                case.check(back.packbits_order(axis.parse().unwrap(), order(word)), false);
            }
            ref other => panic!("no operation {other:?}"),
        }
        true
    });
    assert_eq!(count, cases.len());
    raises(
        ErrorKind::DType,
        "packbits: Expected an input array of integer or boolean data type, and not float64",
        || drop(gpu![1.0].packbits()),
    );
    assert_eq!(gpu![[true, false], [false, true]].packbits_axis(1).to_vec(), [128, 64]);
    assert_eq!(zeros::<bool>((2, 0)).packbits_axis(0).shape(), [1, 0]);
}

#[test]
fn unpacked_bits_are_what_numpy_unpacks() {
    let cases = cases(&["unpackbits"]);
    for case in &cases {
        let a = case.operand::<u8>(0);
        let table = a.reshape((2, 3, 2));
        match case.operation.split(' ').collect::<Vec<_>>()[..] {
            ["unpackbits"] => case.check(a.unpackbits(), false),
            ["unpackbits", axis, word] => {
                case.check(table.unpackbits_order(axis.parse().unwrap(), None, order(word)), false);
            }
            ["unpackbits", axis, word, count] => {
                let count: isize = count.parse().unwrap();
                case.check(table.unpackbits_order(axis.parse().unwrap(), count, order(word)), false);
            }
            ref other => panic!("no operation {other:?}"),
        }
    }
    assert_eq!(cases.len(), 37);
    assert_eq!(zeros::<u8>((0, 3)).unpackbits_axis(0).shape(), [0, 3]);
    assert_eq!(zeros::<u8>(0).unpackbits_order(0, 3, BitOrder::Big).to_vec(), [0, 0, 0]);
    raises(ErrorKind::Shape, "unpackbits: -count larger than number of elements: 9 of 8 bits", || {
        drop(gpu![3_u8].unpackbits_order(0, -9, BitOrder::Big));
    });
    // More axes than an array has room for beside them.
    let deep = full((1, 1, 1, 2, 1, 1, 1, 2), 3_u8);
    assert_eq!(deep.unpackbits_axis(3).packbits_axis(3).to_vec(), deep.to_vec());
}

#[test]
fn bits_are_counted_as_by_numpy() {
    let cases = cases(&["bitwise_count"]);
    let count = for_types!(cases, case, [i8 i16 i32 i64 u8 u16 u32 u64] => {
        case.check(case.operand::<T>(0).bitwise_count(), false);
        true
    });
    assert_eq!(count, cases.len());
}

fn check_rows<T: Written>(case: &Case) {
    let words: Vec<&str> = case.operation.split(' ').collect();
    let axis: isize = words[1].parse().unwrap();
    let lengths: Vec<usize> = words[2].split('x').map(|length| length.parse().unwrap()).collect();
    let a = case.operand::<T>(0).reshape(&lengths[..]);
    match words.get(3) {
        None => case.check(a.unique_axis(axis), false),
        Some(&"index") => case.check(a.unique_axis_index(axis - lengths.len() as isize).1, false),
        Some(&"inverse") => case.check(a.unique_axis_inverse(axis).1, false),
        Some(&"counts") => case.check(a.unique_axis_counts(axis).1, false),
        other => panic!("no operation {other:?}"),
    }
}

#[test]
fn distinct_rows_are_what_numpy_finds() {
    let cases = cases(&["unique"]);
    let count = for_types!(cases, case, [bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex32 Complex64] => {
        check_rows::<T>(case);
        true
    });
    assert_eq!(count, cases.len());
    assert_eq!(zeros::<f32>((0, 3)).unique_axis(0).shape(), [0, 3]);
    assert_eq!(zeros::<f32>((3, 0)).unique_axis(0).shape(), [1, 0]);
    assert_eq!(zeros::<f32>((3, 0)).unique_axis(1).shape(), [3, 0]);
    let (values, counts) = zeros::<f32>((3, 0)).unique_axis_counts(0);
    assert_eq!((values.shape(), counts.to_vec()), (&[1, 0][..], vec![3]));
    assert_eq!(zeros::<f32>((0, 3)).unique_axis_inverse(0).1.shape(), [0]);
    assert_eq!(zeros::<f32>((0, 3)).unique_axis_counts(0).1.shape(), [0]);
    let zeros_of_both_signs = gpu![[-0.0, 1.0], [0.0, 0.0], [0.0, 1.0]];
    assert_eq!(zeros_of_both_signs.unique_axis(0).shape(), [2, 2]);
    raises(ErrorKind::Shape, "unique_axis: axis 2 is out of bounds for array of dimension 1", || {
        drop(gpu![1].unique_axis(2));
    });
}

proptest! {
    #[test]
    fn bits_come_back(bytes in prop::collection::vec(any::<u8>(), 0..200), is_little in any::<bool>()) {
        let order = if is_little { BitOrder::Little } else { BitOrder::Big };
        let bits = to_gpu(&bytes).unpackbits_order(0, None, order);
        let bit = |k: usize| bytes[k / 8] >> (if is_little { k % 8 } else { 7 - k % 8 }) & 1;
        prop_assert_eq!(bits.to_vec(), (0..8 * bytes.len()).map(bit).collect::<Vec<_>>());
        prop_assert_eq!(bits.packbits_order(0, order).to_vec(), bytes);
    }

    #[test]
    fn bits_are_counted_as_by_a_processor(numbers in prop::collection::vec(any::<i64>(), 1..50)) {
        let counts: Vec<u8> = numbers.iter().map(|x| x.unsigned_abs().count_ones() as u8).collect();
        prop_assert_eq!(to_gpu(&numbers).bitwise_count().to_vec(), counts);
        let small: Vec<i16> = numbers.iter().map(|x| *x as i16).collect();
        let counts: Vec<u8> = small.iter().map(|x| x.unsigned_abs().count_ones() as u8).collect();
        prop_assert_eq!(to_gpu(&small).bitwise_count().to_vec(), counts);
    }

    #[test]
    fn distinct_rows_are_those_of_a_set(rows in prop::collection::vec(prop::array::uniform3(0..3_i32), 1..60)) {
        let set: std::collections::BTreeSet<[i32; 3]> = rows.iter().copied().collect();
        let flat: Vec<i32> = rows.iter().flatten().copied().collect();
        let (values, inverse) = to_gpu(&flat).reshape((rows.len(), 3)).unique_axis_inverse(0);
        prop_assert_eq!(values.to_vec(), set.iter().flatten().copied().collect::<Vec<_>>());
        let list: Vec<[i32; 3]> = set.into_iter().collect();
        let found: Vec<i64> = rows.iter().map(|row| list.binary_search(row).unwrap() as i64).collect();
        prop_assert_eq!(inverse.to_vec(), found);
    }
}

/// NumPy's answers, with its warnings: `np.nanmean([])` is NaN.
#[test]
fn what_is_left_of_nothing_is_nan() {
    let (none, nan) = (zeros::<f64>(0), full(3, f64::NAN));
    for a in [&none, &nan] {
        for found in [a.nanmean(), a.nanvar(), a.nanstd(), a.nanmedian()] {
            assert!(found.item().is_nan(), "{a}");
        }
        assert_eq!((a.nansum().item(), a.nanprod().item()), (0.0, 1.0));
    }
    let rows = zeros::<f32>((2, 0));
    for found in [rows.nanmean_axis(1), rows.nanvar_axis(1), rows.nanmedian_axis(1)] {
        assert_eq!((found.shape(), found.isnan().all().item()), (&[2][..], true));
    }
    let rows = full((2, 3), f32::NAN);
    for found in [rows.nanmean_axis(0), rows.nanvar_axis(0), rows.nanstd_axis(0), rows.nanmedian_axis(0)] {
        assert_eq!((found.shape(), found.isnan().all().item()), (&[3][..], true));
    }
}
