//! `einsum` is what NumPy gives: the table that `numpy/einsum.py` writes.

use gpurepl_prelude::*;
use num_complex::{Complex32, Complex64};
use proptest::prelude::*;

use crate::raises;
use crate::shaping::{check, written};

/// The operand that the generator writes for this number and shape.
fn operand(number: i32, lengths: &[usize], dtype: DType) -> GpuArray<Complex64> {
    let count = arange(0..lengths.iter().product::<usize>() as i32);
    let whole = (&count * 5 + number * 3) % 7;
    let array = match dtype {
        DType::Bool => whole.gt(4).astype(Complex64),
        DType::UInt8 => whole.astype(Complex64),
        DType::Complex64 | DType::Complex128 => {
            (whole - 3).astype(Complex64) + (count % 3 - 1).astype(Complex64) * Complex64::new(0.0, 1.0)
        }
        _ => (whole - 3).astype(Complex64),
    };
    array.reshape(lengths)
}

fn answer<T: Elem>(
    subscripts: &str,
    operands: &[GpuArray<Complex64>],
    dtype: fn() -> array::TypeOf<T>,
) -> String {
    let operands: Vec<GpuArray<T>> = operands
        .iter()
        .map(|a| if T::DTYPE.is_complex() { a.astype(dtype) } else { a.real().astype(dtype) })
        .collect();
    written(&array::einsum(subscripts, &operands)).replace("-0.0", "0.0")
}

#[test]
fn it_is_numpys() {
    for line in include_str!("numpy/einsum.txt").lines() {
        let [subscripts, dtype, shapes, _] = line.splitn(4, " | ").collect::<Vec<_>>().try_into().unwrap();
        let dtype: DType = *DType::ALL.iter().find(|d| d.to_string() == dtype).unwrap();
        let lengths =
            |shape: &str| shape.split_whitespace().map(|n| n.parse().unwrap()).collect::<Vec<usize>>();
        let operands: Vec<GpuArray<Complex64>> = shapes
            .split(';')
            .enumerate()
            .map(|(number, shape)| operand(number as i32, &lengths(shape), dtype))
            .collect();
        let answer = match dtype {
            DType::Bool => answer(subscripts, &operands, array::types::bool),
            DType::UInt8 => answer(subscripts, &operands, u8),
            DType::Int32 => answer(subscripts, &operands, i32),
            DType::Int64 => answer(subscripts, &operands, i64),
            DType::Float16 => answer(subscripts, &operands, f16),
            DType::Float32 => answer(subscripts, &operands, f32),
            DType::Float64 => answer(subscripts, &operands, f64),
            DType::Complex64 => answer(subscripts, &operands, array::types::Complex32),
            _ => answer(subscripts, &operands, array::types::Complex64),
        };
        let (_, answer) = answer.split_once(" | ").unwrap();
        let ours = format!("{subscripts} | {dtype} | {shapes} | {answer}");
        assert_eq!(ours.trim_end(), line.trim_end());
    }
}

#[test]
fn operands_of_several_types_promote_together() {
    let (a, b) = (gpu![i8; 1, 2], gpu![u8; 3, 4]);
    let answers: GpuArray<i16> = array::einsum("i,i->i", (&a, &b));
    assert_eq!(answers.to_vec(), [3, 8]);
    let halves: GpuArray<f16> = array::einsum("i,i,i", (&a, &b, &gpu![2.0, 0.5].astype(f16)));
    assert_eq!(halves.item(), f16::from_f32(10.0));
    let complex: GpuArray<Complex32> =
        array::einsum("i,j->ij", (&gpu![2.0].astype(f32), &gpu![Complex32::i()]));
    assert_eq!(complex.to_vec(), [Complex32::new(0.0, 2.0)]);
}

#[test]
fn nothing_is_copied_where_nothing_is_summed() {
    let mut a = zeros::<i32>((3, 3));
    array::einsum("ii->i", (&a,)).fill(1);
    assert_eq!(a.to_vec(), eye::<i32>(3).to_vec());
    let mut turned = array::einsum("ji", (&a,));
    turned.set(s![0, 2], 5);
    a.set(s![0, 0], 2);
    assert_eq!(a.to_vec(), [2, 0, 0, 0, 1, 0, 5, 0, 1]);
}

#[test]
fn what_does_not_fit_is_named() {
    let kind = ErrorKind::Shape;
    let (number, v, m) = (full((), 1), zeros::<i32>(2), arange(0..6).reshape((2, 3)));
    let fails = |text: &str, subscripts: &str, operands: &[&GpuArray<i32>]| {
        raises(kind, &format!("einsum: {text}"), || drop(array::einsum(subscripts, operands)));
    };
    // The cases of NumPy's test_einsum_errors, with its words.
    fails("not enough operands provided to einstein sum function", "", &[]);
    let more = "more operands provided to einstein sum function than specified in the subscripts string";
    fails(&format!("{more}: 2 for \"\", which has 1"), "", &[&number, &number]);
    let fewer = "fewer operands provided to einstein sum function than specified in the subscripts string";
    fails(&format!("{fewer}: 1 for \",\", which has 2"), ",", &[&v]);
    let many = "einstein sum subscripts string contains too many subscripts for operand 0";
    fails(&format!("{many}: \"i\" for shape []"), "i", &[&number]);
    fails(&format!("{many}: \"...i\" for shape []"), "...i", &[&number]);
    fails(&format!("{many}: \"ij...\" for shape [2]"), "ij...", &[&v]);
    let dots = "einstein sum subscripts string contains a '.' that is not part of an ellipsis ('...') in";
    fails(&format!("{dots} operand 0"), "i..", &[&v]);
    fails(&format!("{dots} operand 0"), ".i...", &[&v]);
    fails(&format!("{dots} the output"), "j->..j", &[&v]);
    fails(&format!("{dots} the output"), "j->.j...", &[&v]);
    let letters = "in einstein sum subscripts string, subscripts must be letters";
    fails(&format!("invalid subscript '%' {letters}"), "i%...", &[&v]);
    fails(&format!("invalid subscript '&' {letters}"), "i->&", &[&v]);
    fails(&format!("invalid subscript 'é' {letters}"), "é", &[&v]);
    fails(
        "einstein sum subscript string does not contain proper '->' output specified: \"i-i\"",
        "i-i",
        &[&v],
    );
    fails(
        "einstein sum subscripts string included output subscript 'j' which never appeared in an input",
        "i->ij",
        &[&v],
    );
    fails("einstein sum subscripts string includes output subscript 'j' multiple times", "ij->jij", &[&m]);
    let collapsing =
        "dimensions in operand 0 for collapsing index 'i' don't match (2 != 3): its shape is [2, 3]";
    fails(collapsing, "ii", &[&m]);
    fails(collapsing, "ii->i", &[&m]);
    fails(
        "operand has more dimensions than subscripts given in einstein sum, but no '...' ellipsis provided to broadcast \
         the extra dimensions: operand 0 has shape [2, 3], and its subscripts are \"i\"",
        "i",
        &[&m],
    );
    fails(
        "output has more dimensions than subscripts given in einstein sum, but no '...' ellipsis provided to broadcast \
         the extra dimensions: \"i\" has no place for 1 of '...'",
        "i...->i",
        &[&m],
    );
    fails(
        "operands could not be broadcast together: subscript 'j' is 3 in operand 0 and 2 in operand 1, of shapes [2, 3] \
         and [2]",
        "ij,j",
        &[&m, &v],
    );
    fails(
        "operands could not be broadcast together: subscript of '...' (axis -1) is 3 in operand 0 and 2 in operand 1, \
         of shapes [2, 3] and [2]",
        "...,...",
        &[&m, &v],
    );
    let five = zeros::<i32>((1, 1, 1, 1, 1));
    fails(
        "arrays have at most 8 axes, and the product of shapes [1, 1, 1, 1, 1] and [1, 1, 1, 1, 1] would have 10",
        "abcde,fghij",
        &[&five, &five],
    );
}

#[test]
fn tensordot_and_vdot_are_numpys() {
    let a = arange(0..60).astype(f64).reshape((3, 4, 5));
    let b = arange(0..24).astype(f64).reshape((4, 3, 2));
    let s: GpuArray<i32> = arange(0..4).reshape((2, 2)) - 1;
    let c = gpu![Complex64::new(1.0, 2.0), Complex64::new(3.0, 4.0)];
    let d = gpu![Complex64::new(5.0, 6.0), Complex64::new(7.0, 8.0)];
    let t = gpu![true, false, true];
    let h = arange(0..6).astype(f16);
    macro_rules! answers {
        ($($expression:literal => $array:expr;)*) => {
            [$(($expression, vec![written(&$array)])),*]
        };
    }
    let answers = answers! {
        "np.tensordot(A, B, axes=([1, 0], [0, 1]))" => a.tensordot_axes(&b, (1, 0), (0, 1));
        "np.tensordot(A, B, axes=(0, 1))" => a.tensordot_axes(&b, 0, 1);
        "np.tensordot(A, A, axes=([-1, 0], [2, -3]))" => a.tensordot_axes(&a, (-1, 0), (2, -3));
        "np.tensordot(A, A, axes=([0, 1, 2], [0, 1, 2]))" => a.tensordot_axes(&a, (0, 1, 2), (0, 1, 2));
        "np.tensordot(S, S, axes=([], []))" => s.tensordot_axes(&s, (), ());
        "np.tensordot(S, T[:2], axes=([1], [0]))" => s.tensordot_axes(&t[..2], 1, 0);
        "np.vdot(C, D)" => c.vdot(&d);
        "np.vdot(D, C)" => d.vdot(&c);
        "np.vdot(C, np.array([2.0, -1.0]))" => c.vdot(&gpu![2.0, -1.0]);
        "np.vdot(np.array([2.0, -1.0]), C)" => gpu![2.0, -1.0].vdot(&c);
        "np.vdot(S, S.T)" => s.vdot(&s.t());
        "np.vdot(S, S.ravel())" => s.vdot(&s.ravel());
        "np.vdot(T, ~T)" => t.vdot(&!&t);
        "np.vdot(H, H)" => h.vdot(&h);
        "np.vdot(H[:0], H[:0])" => h[..0].vdot(&h[..0]);
    };
    check(include_str!("numpy/tensordot.txt"), &answers);
    let text = "vdot: vectors have different lengths: 2 and 4, of shapes [2] and [2, 2]";
    raises(ErrorKind::Shape, text, || drop(c.vdot(&s)));
    let text = "tensordot: shape-mismatch for sum: axes [0] of [3, 4, 5] and axes [0] of [4, 3, 2]";
    raises(ErrorKind::Shape, text, || drop(a.tensordot_axes(&b, 0, 0)));
    let text = "tensordot: shape-mismatch for sum: axes [1, 0] of [3, 4, 5] and axes [0] of [4, 3, 2]";
    raises(ErrorKind::Shape, text, || drop(a.tensordot_axes(&b, (1, 0), 0)));
    let text = "tensordot: axis 3 is out of bounds for array of dimension 3";
    raises(ErrorKind::Shape, text, || drop(a.tensordot_axes(&b, 3, 0)));
}

proptest! {
    #[test]
    fn products_of_parts_are_those_of_ndarray(
        batch in 1..4_usize, rows in 0..20_usize, inner in 0..20_usize, columns in 0..20_usize, turned in any::<bool>(),
    ) {
        let left = rand::<f64>((batch, rows, inner));
        let right = rand::<f64>((inner, batch, columns));
        let (text, left) = if turned { ("bji,jbk->kbi", left.swapaxes(1, 2)) } else { ("bij,jbk->kbi", left) };
        let ours = array::einsum(text, (&left, &right));
        prop_assert_eq!(ours.shape(), [columns, batch, rows]);
        let whole = if turned { left.swapaxes(1, 2) } else { left };
        for at in 0..batch {
            let of = |a: GpuArray<f64>| a.get().into_dimensionality::<ndarray::Ix2>().unwrap();
            let expected = of(whole[at].copy()).dot(&of(right.slice(s![.., at]).copy()));
            let off = of(ours.slice(s![.., at]).t()) - expected;
            prop_assert!(off.iter().all(|x| x.abs() < 1e-12));
        }
    }
}
