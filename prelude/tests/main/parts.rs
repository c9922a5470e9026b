//! Arrays in parts, repeated, moved on, with a border, with elements added or
//! left out are what NumPy gives: the tables that `numpy/shaping.py` writes.

use gpurepl_prelude::*;
use proptest::prelude::*;

use crate::raises;
use crate::shaping::{answers, check};

#[test]
fn splits_are_numpys() {
    let a = arange(0..24).reshape((2, 3, 4));
    let m = arange(0..6).reshape((2, 3));
    let v = arange(0..5);
    let e = zeros::<i32>((0, 3));
    let answers = answers! { lists:
        "np.split(np.arange(9), 3)" => arange(0_i64..9).split(3);
        "np.split(V, [1, 4])" => v.split([1, 4]);
        "np.split(V, [3, 1, 9, -1])" => v.split([3, 1, 9, -1]);
        "np.split(A, 2, axis=2)" => a.split_axis(2, 2);
        "np.split(A, [1], axis=-2)" => a.split_axis(vec![1], -2);
        "np.array_split(V, 3)" => v.array_split(3);
        "np.array_split(V, 7)" => v.array_split(7);
        "np.array_split(M, 2, axis=1)" => m.array_split_axis(2_usize, 1);
        "np.array_split(E, 2)" => e.array_split(2);
        "np.hsplit(V, 5)" => v.hsplit(5);
        "np.hsplit(M, 3)" => m.hsplit(3);
        "np.hsplit(M, [2])" => m.hsplit([2]);
        "np.vsplit(M, 2)" => m.vsplit(2);
        "np.dsplit(A, 2)" => a.dsplit(2);
    };
    check(include_str!("numpy/splits.txt"), &answers);
}

#[test]
fn parts_are_numpys() {
    let a = arange(0..24).reshape((2, 3, 4));
    let m = arange(0..6).reshape((2, 3));
    let v = arange(0..5);
    let e = zeros::<i32>((0, 3));
    let o = full((), 7);
    let nothing: [i32; 0] = [];
    let five = arange(0..4).reshape((1, 2, 1, 2, 1));
    let zeros_around = gpu![i64; 0, 0, 1, 0, 2, 0];
    let (single, double) = (m.astype(f32), m.astype(f64));
    let answers = answers! {
        "np.tile(V, 2)" => v.tile(2);
        "np.tile(V, (2, 1))" => v.tile((2, 1));
        "np.tile(V, (2, 2))" => v.tile((2, 2));
        "np.tile(M, 2)" => m.tile(2);
        "np.tile(M, (2, 1))" => m.tile((2, 1));
        "np.tile(M, (1, 1))" => m.tile((1, 1));
        "np.tile(M.T, (2, 3))" => m.t().tile((2, 3));
        "np.tile(M, (2, 1, 2))" => m.tile((2, 1, 2));
        "np.tile(O, 3)" => o.tile(3);
        "np.tile(O, (2, 2))" => o.tile((2, 2));
        "np.tile(V, 0)" => v.tile(0);
        "np.tile(E, (2, 2))" => e.tile((2, 2));
        "np.tile(A[:, ::-1, 1], (2, 2))" => a.slice(s![.., ..; -1, 1]).tile((2, 2));
        "np.tile(np.arange(4, dtype=\"int32\").reshape(1, 2, 1, 2, 1), (2, 1, 2, 1, 2))" => five.tile((2, 1, 2, 1, 2));
        "np.repeat(V, 2)" => v.repeat(2);
        "np.repeat(V, 0)" => v.repeat(0);
        "np.repeat(M, 3)" => m.repeat(3);
        "np.repeat(M, 2, axis=0)" => m.repeat_axis(2, 0);
        "np.repeat(M, 2, axis=-1)" => m.repeat_axis(2, -1);
        "np.repeat(M.T, 2, axis=0)" => m.t().repeat_axis(2, 0);
        "np.repeat(V, [0, 1, 2, 0, 3])" => v.repeat([0, 1, 2, 0, 3]);
        "np.repeat(V, [2])" => v.repeat(vec![2]);
        "np.repeat(M, [1, 0, 2], axis=1)" => m.repeat_axis([1_usize, 0, 2], 1);
        "np.repeat(M.T, [0, 2, 1], axis=0)" => m.t().repeat_axis([0, 2, 1], 0);
        "np.repeat(O, 3)" => o.repeat(3);
        "np.repeat(E, 2)" => e.repeat(2);
        "np.resize(V, 3)" => v.resize(3);
        "np.resize(V, 12)" => v.resize(12);
        "np.resize(M, (2, 2))" => m.resize((2, 2));
        "np.resize(M.T, (4, 4))" => m.t().resize((4, 4));
        "np.resize(E, (2, 2))" => e.resize((2, 2));
        "np.resize(V, (0, 2))" => v.resize((0, 2));
        "np.roll(V, 2)" => v.roll(2);
        "np.roll(V, -7)" => v.roll(-7);
        "np.roll(M, 1)" => m.roll(1);
        "np.roll(M, 1, axis=0)" => m.roll_axis(1, 0);
        "np.roll(M, -1, axis=1)" => m.roll_axis(-1, 1);
        "np.roll(M, (1, 1), axis=(0, 1))" => m.roll_axis((1, 1), (0, 1));
        "np.roll(M, 1, axis=(0, 1))" => m.roll_axis(1, (0, 1));
        "np.roll(M, (1, 2), axis=1)" => m.roll_axis((1, 2), 1);
        "np.roll(A, (1, -1, 2), axis=(0, 1, 2))" => a.roll_axis((1, -1, 2), (0, 1, 2));
        "np.roll(M.T, 4, axis=0)" => m.t().roll_axis(4, 0);
        "np.roll(E, 2, axis=1)" => e.roll_axis(2, 1);
        "np.roll(O, 1)" => o.roll(1);
        "np.append(V, M)" => v.append(&m);
        "np.append(V, V.astype(\"float64\"))" => v.append(&v.astype(f64));
        "np.append(M, M[:, :1], axis=1)" => m.append_axis(&m[s![.., ..1]], 1);
        "np.append(E, V)" => e.append(&v);
        "np.insert(V, 1, 9)" => v.insert(1, 9);
        "np.insert(V, -1, 9)" => v.insert(-1, 9);
        "np.insert(V, 5, 9)" => v.insert(5, 9);
        "np.insert(V, 2, [7, 8])" => v.insert(2, gpu![7, 8]);
        "np.insert(V, [2, 0], [7, 8])" => v.insert([2, 0], gpu![7, 8]);
        "np.insert(V, [1, 1, 3], [7, 8, 9])" => v.insert([1, 1, 3], gpu![7, 8, 9]);
        "np.insert(V, [1, 3], 9)" => v.insert([1, 3], 9);
        "np.insert(V, slice(1, 3), 9)" => v.insert(1..3, 9);
        "np.insert(M, 1, 9)" => m.insert(1, 9);
        "np.insert(M, 1, 9, axis=0)" => m.insert_axis(1, 9, 0);
        "np.insert(M, 1, 9, axis=1)" => m.insert_axis(1, 9, 1);
        "np.insert(M, 1, [8, 9], axis=1)" => m.insert_axis(1, gpu![8, 9], 1);
        "np.insert(M, [1], [[8], [9]], axis=1)" => m.insert_axis([1], gpu![[8], [9]], 1);
        "np.insert(M, [2, 0], M[:, :2], axis=1)" => m.insert_axis([2, 0], &m[s![.., ..2]], 1);
        "np.insert(M, 0, M[::-1], axis=0)" => m.insert_axis(0, m.flipud(), 0);
        "np.insert(M, [], 9, axis=0)" => m.insert_axis(nothing, 9, 0);
        "np.insert(E, 0, 9)" => e.insert(0, 9);
        "np.delete(V, 1)" => v.delete(1);
        "np.delete(V, -1)" => v.delete(-1);
        "np.delete(V, [0, 2, 0])" => v.delete([0, 2, 0]);
        "np.delete(V, slice(1, 3))" => v.delete(1..3);
        "np.delete(V, slice(-2, None))" => v.delete(-2..5);
        "np.delete(V, [0, 1, 2, 3, 4])" => v.delete(vec![0, 1, 2, 3, 4]);
        "np.delete(V, [])" => v.delete(nothing);
        "np.delete(M, 2)" => m.delete(2);
        "np.delete(M, 1, axis=0)" => m.delete_axis(1, 0);
        "np.delete(M, [0, 2], axis=1)" => m.delete_axis([0, 2], 1);
        "np.delete(A, 1, axis=-1)" => a.delete_axis(1, -1);
        "np.trim_zeros(np.array([0, 0, 1, 0, 2, 0]))" => zeros_around.trim_zeros();
        "np.trim_zeros(np.array([0, 0, 1, 0, 2, 0]), \"f\")" => zeros_around.trim_zeros_front();
        "np.trim_zeros(np.array([0, 0, 1, 0, 2, 0]), \"b\")" => zeros_around.trim_zeros_back();
        "np.trim_zeros(np.zeros(3))" => zeros::<f64>(3).trim_zeros();
        "np.trim_zeros(np.array([np.nan, 0.0]))" => gpu![f64::NAN, 0.0].trim_zeros();
        "np.trim_zeros(np.pad(M, 2))" => m.pad(2, 0).trim_zeros();
        "np.pad(V, 2)" => v.pad(2, 0);
        "np.pad(V, (1, 2), constant_values=7)" => v.pad((1, 2), 7);
        "np.pad(M, ((1, 2), (0, 1)), constant_values=-1)" => m.pad([(1, 2), (0, 1)], -1);
        "np.pad(M.astype(\"float32\"), 1, constant_values=0.5)" => single.pad(1, 0.5);
        "np.pad(E, 1)" => e.pad(1, 0);
        "np.pad(V, (2, 3), \"edge\")" => v.pad_edge((2, 3));
        "np.pad(M, ((1, 2), (3, 0)), \"edge\")" => m.pad_edge([(1, 2), (3, 0)]);
        "np.pad(V, 3, \"reflect\")" => v.pad_reflect(3);
        "np.pad(V, (4, 13), \"reflect\")" => v.pad_reflect((4, 13));
        "np.pad(V[:2], (5, 4), \"reflect\")" => v.slice(..2).pad_reflect((5, 4));
        "np.pad(V[:1], 2, \"reflect\")" => v.slice(..1).pad_reflect(2);
        "np.pad(M, ((3, 1), (1, 5)), \"reflect\")" => m.pad_reflect([(3, 1), (1, 5)]);
        "np.pad(V, 3, \"symmetric\")" => v.pad_symmetric(3);
        "np.pad(V, (11, 7), \"symmetric\")" => v.pad_symmetric((11, 7));
        "np.pad(V[:1], 3, \"symmetric\")" => v.slice(..1).pad_symmetric(3);
        "np.pad(M, ((3, 1), (1, 5)), \"symmetric\")" => m.pad_symmetric([(3, 1), (1, 5)]);
        "np.pad(V, 3, \"wrap\")" => v.pad_wrap(3);
        "np.pad(V, (11, 7), \"wrap\")" => v.pad_wrap((11, 7));
        "np.pad(M, ((3, 1), (1, 5)), \"wrap\")" => m.pad_wrap([(3, 1), (1, 5)]);
        "np.pad(A[:, ::-1, ::2], 1, \"wrap\")" => a.slice(s![.., ..; -1, ..; 2]).pad_wrap(1);
        "np.pad(V, (3, 2), \"maximum\")" => v.pad_maximum((3, 2));
        "np.pad(M, ((1, 2), (3, 0)), \"maximum\")" => m.pad_maximum([(1, 2), (3, 0)]);
        "np.pad(M, ((1, 2), (3, 0)), \"minimum\")" => m.pad_minimum([(1, 2), (3, 0)]);
        "np.pad(M, ((1, 2), (3, 0)), \"mean\")" => m.pad_mean([(1, 2), (3, 0)]);
        "np.pad(np.array([-1, -2, 4, 1]), 1, \"mean\")" => gpu![i64; -1, -2, 4, 1].pad_mean(1);
        "np.pad(np.array([-1, -2, -2, -1]), 1, \"mean\")" => gpu![i64; -1, -2, -2, -1].pad_mean(1);
        "np.pad(M.astype(\"float32\"), ((1, 2), (3, 0)), \"mean\")" => single.pad_mean([(1, 2), (3, 0)]);
        "np.pad(V, (3, 2), \"linear_ramp\")" => v.pad_linear_ramp((3, 2), 0);
        "np.pad(V, (3, 2), \"linear_ramp\", end_values=-4)" => v.pad_linear_ramp((3, 2), -4);
        "np.pad(M.astype(\"float64\"), ((1, 2), (4, 0)), \"linear_ramp\", end_values=7)" =>
            double.pad_linear_ramp([(1, 2), (4, 0)], 7);
        "np.pad(M.astype(\"float32\"), ((1, 2), (4, 0)), \"linear_ramp\", end_values=7)" =>
            single.pad_linear_ramp([(1, 2), (4, 0)], 7.0);
        "np.pad(M, ((0, 0), (0, 0)), \"reflect\")" => m.pad_reflect([(0, 0), (0, 0)]);
    };
    check(include_str!("numpy/parts.txt"), &answers);
}

#[test]
fn parts_share_the_memory_of_their_array() {
    let a = arange(0..6);
    for (number, mut part) in a.split(3).into_iter().enumerate() {
        part.fill(number);
    }
    a.trim_zeros().fill(9);
    assert_eq!(a.to_vec(), [0, 0, 9, 9, 9, 9]);
}

#[test]
fn a_copy_is_not_its_array() {
    let mut a = gpu![1, 2];
    let copies = [a.tile(1), a.repeat(1), a.resize(2), a.roll(0), a.pad(0, 0), a.pad_edge(0)];
    a.fill(0);
    assert!(copies.iter().all(|copy| copy.to_vec() == [1, 2]));
}

#[test]
fn any_type_has_a_border_and_repeats() {
    let bits = gpu![false, true].pad_reflect(1).tile(2);
    assert_eq!(bits.to_vec(), [true, false, true, false, true, false, true, false]);
    let pairs = gpu![Complex32::new(1.0, -1.0)].pad(1, 2).repeat(2);
    assert_eq!(pairs.imag().to_vec(), [0.0, 0.0, -1.0, -1.0, 0.0, 0.0]);
    let halves = gpu![1, 2].astype(f16).pad_mean(1).roll(1);
    assert_eq!(halves.astype(f32).to_vec(), [1.5, 1.5, 1.0, 2.0]);
}

#[test]
fn wrong_parts_are_named() {
    let m = arange(0..6).reshape((2, 3));
    let (v, e) = (arange(0..5), zeros::<f32>(0));
    let kind = ErrorKind::Shape;
    raises(kind, "split: array split does not result in an equal division: 2 parts of length 5", || {
        v.split(2);
    });
    raises(kind, "array_split: number sections must be larger than 0, and is 0", || {
        v.array_split(0);
    });
    raises(kind, "vsplit: vsplit only works on arrays of 2 or more dimensions, and shape [5] has 1", || {
        v.vsplit(1);
    });
    raises(kind, "tile: repeats may not contain negative values, and -1 is one", || {
        v.tile(-1);
    });
    raises(kind, "repeat: 2 counts for axis 1 of shape [2, 3], which has 3 places", || {
        m.repeat_axis([1, 2], 1);
    });
    raises(kind, "roll: axis 2 is out of bounds for array of dimension 2", || {
        m.roll_axis(1, 2);
    });
    let text = "roll: 'shift' and 'axis' should be scalars or 1D sequences of one length, and have 3 and 2";
    raises(kind, text, || {
        m.roll_axis((1, 2, 3), (0, 1));
    });
    raises(kind, "pad: index can't contain negative values, and -1 is a width", || {
        v.pad((0, -1), 0);
    });
    raises(kind, "pad: 2 pairs of widths for the 1 axes of shape [5]", || {
        v.pad([(0, 1), (0, 1)], 0);
    });
    let text = "pad: can't extend empty axis 0 of shape [0] using modes other than 'constant' or 'empty'";
    raises(kind, text, || {
        e.pad_reflect(1);
    });
    raises(ErrorKind::Index, "index 6 is out of bounds for axis 0 with size 5", || {
        let _ = v.insert(6, 0);
    });
    raises(ErrorKind::Index, "index 5 is out of bounds for axis 0 with size 5", || {
        let _ = v.delete(5);
    });
    raises(kind, "insert: shapes [2] and [3] do not broadcast", || {
        let _ = v.insert([0, 1, 2], gpu![1, 2]);
    });
}

proptest! {
    /// Against loops over the host's elements.
    #[test]
    fn rolls_borders_and_repetitions_are_what_loops_give(
        rows in 1..4_usize, columns in 1..5_usize,
        shift in -9..9_i64, (before, after) in (0..9_usize, 0..9_usize), count in 0..4_usize,
    ) {
        let a = arange(0..(rows * columns) as i64).reshape((rows, columns));
        let host: Vec<Vec<i64>> = a.to_vec().chunks(columns).map(<[i64]>::to_vec).collect();
        let expected = |map: &dyn Fn(&[i64]) -> Vec<i64>| host.iter().flat_map(|row| map(row)).collect::<Vec<_>>();
        let n = columns as i64;
        let rolled = expected(&|row| (0..n).map(|k| row[(k - shift).rem_euclid(n) as usize]).collect());
        prop_assert_eq!(a.roll_axis(shift, 1).to_vec(), rolled);
        let places = || -(before as i64)..n + after as i64;
        let wrapped = expected(&|row| places().map(|k| row[k.rem_euclid(n) as usize]).collect());
        prop_assert_eq!(a.pad_wrap([(0, 0), (before, after)]).to_vec(), wrapped);
        let mirror = |k: i64| { let k = k.rem_euclid(2 * n); if k < n { k } else { 2 * n - 1 - k } };
        let twice = expected(&|row| places().map(|k| row[mirror(k) as usize]).collect());
        prop_assert_eq!(a.pad_symmetric([(0, 0), (before, after)]).to_vec(), twice);
        let period = (2 * n - 2).max(1);
        let mirror = |k: i64| { let k = k.rem_euclid(period); if k < n { k } else { period - k } };
        let once = expected(&|row| places().map(|k| row[mirror(k) as usize]).collect());
        prop_assert_eq!(a.pad_reflect([(0, 0), (before, after)]).to_vec(), once);
        let repeated = expected(&|row| row.iter().flat_map(|x| vec![*x; count]).collect());
        prop_assert_eq!(a.repeat_axis(count, 1).to_vec(), repeated);
        let tiled = expected(&|row| row.repeat(count));
        prop_assert_eq!(a.tile(count).to_vec(), tiled);
    }
}

#[test]
fn counts_and_places_may_be_on_the_device() {
    let m = arange(0..6).reshape((2, 3));
    let counts = gpu![2_u8, 0, 3];
    assert_eq!(m.repeat_axis(&counts, 1).to_vec(), m.repeat_axis([2, 0, 3], 1).to_vec());
    assert_eq!(m.repeat(gpu![0, 1, 2, 0, 0, 1]).to_vec(), [1, 2, 2, 5]);
    assert_eq!(m.repeat(gpu![2]).to_vec(), m.repeat(2).to_vec());
    assert_eq!(zeros::<f32>(0).repeat(zeros::<i64>(0)).size(), 0);
    assert_eq!(gpu![1, 2].repeat(gpu![0, 0]).size(), 0);
    assert_eq!(arange(0..6).delete(gpu![1, -1]).to_vec(), [0, 2, 3, 4]);
    assert_eq!(arange(0..6).split(gpu![2, 3]).len(), 3);
    let text = "repeat: 2 counts for axis 1 of shape [2, 3], which has 3 places";
    raises(ErrorKind::Shape, text, || drop(m.repeat_axis(gpu![1, 2], 1)));
    let text = "repeat: repeats may not contain negative values, and -1 is one";
    raises(ErrorKind::Shape, text, || drop(m.repeat_axis(gpu![1, -1, 2], 1)));
    let text = "repeat: object too deep for desired array: a vector is needed, not shape [1, 2]";
    raises(ErrorKind::Shape, text, || drop(m.repeat_axis(gpu![[1, 2]], 0)));
    // Many, which a search finds.
    let counts = arange(0_i64..1000) % 7;
    let numbers = arange(0_i64..1000);
    assert_eq!(numbers.repeat(&counts).to_vec(), numbers.repeat(counts.to_vec()).to_vec());
}
