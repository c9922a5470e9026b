//! Views, joins and parts of arrays are what NumPy gives: the tables that
//! `numpy/shaping.py` writes.

use gpurepl_prelude::*;
use proptest::prelude::*;

use crate::raises;

/// A line of a table: `expression | dtype | shape | elements`.
pub(crate) fn written<T: Elem>(array: &GpuArray<T>) -> String {
    let words = |numbers: Vec<String>| numbers.join(" ");
    let shape = words(array.shape().iter().map(usize::to_string).collect());
    let elements: Vec<String> = array.to_vec().iter().map(|element| format!("{element:?}")).collect();
    format!("{} | {shape} | {}", array.dtype(), words(elements))
}

/// Checks that these are the answers of a table, each of them and no others.
pub(crate) fn check(table: &str, answers: &[(&str, Vec<String>)]) {
    let ours: Vec<String> = answers
        .iter()
        .flat_map(|(expression, arrays)| arrays.iter().map(move |array| format!("{expression} | {array}")))
        .collect();
    let numpys: Vec<&str> = table.lines().collect();
    for (ours, numpys) in ours.iter().zip(&numpys) {
        assert_eq!(ours.trim_end(), numpys.trim_end());
    }
    assert_eq!(ours.len(), numpys.len());
}

/// The array of a Python expression, and the expression in Rust.
macro_rules! answers {
    (lists: $($expression:literal => $arrays:expr;)*) => {
        [$(($expression, $arrays.iter().map($crate::shaping::written).collect::<Vec<String>>())),*]
    };
    ($($expression:literal => $($array:expr),+;)*) => {
        [$(($expression, vec![$($crate::shaping::written(&$array)),+])),*]
    };
}
pub(crate) use answers;

#[test]
fn views_are_numpys() {
    let a = arange(0..24).reshape((2, 3, 4));
    let m = arange(0..6).reshape((2, 3));
    let s = arange(0..25).reshape((5, 5));
    let v = arange(0..5);
    let e = zeros::<i32>((0, 3));
    let o = full((), 7);
    let (column, row) = broadcast_arrays((&m.slice(s![.., ..1]), &v));
    let answers = answers! {
        "A.transpose(2, 0, 1)" => a.transpose_axes((2, 0, 1));
        "A.transpose(0, -1, 1)" => a.transpose_axes([0, -1, 1]);
        "A.swapaxes(0, 2)" => a.swapaxes(0, 2);
        "np.moveaxis(A, 0, -1)" => a.moveaxis(0, -1);
        "np.moveaxis(A, (0, 1), (-1, -2))" => a.moveaxis((0, 1), (-1, -2));
        "np.moveaxis(A, (2, 0), (0, 1))" => a.moveaxis((2, 0), (0, 1));
        "np.expand_dims(A, 1)" => a.expand_dims(1);
        "np.expand_dims(V, (0, -1))" => v.expand_dims((0, -1));
        "np.expand_dims(O, 0)" => o.expand_dims(0);
        "np.squeeze(np.expand_dims(M, (0, 2)), axis=(0, 2))" => m.expand_dims((0, 2)).squeeze_axis((0, 2));
        "np.flip(A)" => a.flip();
        "np.flip(A, 1)" => a.flip_axis(1);
        "np.flip(A, (0, 2))" => a.flip_axis((0, 2));
        "np.flip(E)" => e.flip();
        "np.fliplr(M)" => m.fliplr();
        "np.flipud(M)" => m.flipud();
        "np.rot90(M, 0)" => m.rot90(0);
        "np.rot90(M)" => m.rot90(1);
        "np.rot90(M, 2)" => m.rot90(2);
        "np.rot90(M, 3)" => m.rot90(3);
        "np.rot90(M, -1)" => m.rot90(-1);
        "np.rot90(M, 5)" => m.rot90(5);
        "np.rot90(A, 1, (1, 2))" => a.rot90_axes(1, (1, 2));
        "np.rot90(A, 3, (2, 0))" => a.rot90_axes(3, (2, 0));
        "np.rot90(E)" => e.rot90(1);
        "np.broadcast_to(V, (2, 5))" => v.broadcast_to((2, 5));
        "np.broadcast_to(O, (2, 2))" => o.broadcast_to((2, 2));
        "np.broadcast_to(M[:, :1], (3, 2, 2))" => m.slice(s![.., ..1]).broadcast_to((3, 2, 2));
        "np.broadcast_to(E, (2, 0, 3))" => e.broadcast_to((2, 0, 3));
        "np.diagonal(M)" => m.diagonal(0);
        "np.diagonal(M, 1)" => m.diagonal(1);
        "np.diagonal(M, 2)" => m.diagonal(2);
        "np.diagonal(M, 3)" => m.diagonal(3);
        "np.diagonal(M, -1)" => m.diagonal(-1);
        "np.diagonal(M, -2)" => m.diagonal(-2);
        "np.diagonal(M, -9)" => m.diagonal(-9);
        "np.diagonal(S[::2, ::-1], 1)" => s.slice(s![..; 2, ..; -1]).diagonal(1);
        "np.diagonal(A)" => a.diagonal(0);
        "np.diagonal(A, 1, 1, 2)" => a.diagonal_axes(1, (1, 2));
        "np.diagonal(A, -1, 2, 0)" => a.diagonal_axes(-1, (2, 0));
        "np.diagonal(E)" => e.diagonal(0);
        "np.atleast_1d(O)" => o.atleast_1d();
        "np.atleast_2d(O)" => o.atleast_2d();
        "np.atleast_3d(O)" => o.atleast_3d();
        "np.atleast_1d(V)" => v.atleast_1d();
        "np.atleast_2d(V)" => v.atleast_2d();
        "np.atleast_3d(V)" => v.atleast_3d();
        "np.atleast_3d(M)" => m.atleast_3d();
        "np.atleast_3d(A)" => a.atleast_3d();
        "np.broadcast_arrays(M[:, :1], V)" => column, row;
    };
    check(include_str!("numpy/views.txt"), &answers);
}

#[test]
fn joins_are_numpys() {
    let a = arange(0..24).reshape((2, 3, 4));
    let m = arange(0..6).reshape((2, 3));
    let v = arange(0..5);
    let e = zeros::<i32>((0, 3));
    let o = full((), 7);
    let (turned, backwards) = (m.t(), m.flipud());
    let answers = answers! {
        "np.concatenate((V, V))" => concatenate((&v, &v));
        "np.concatenate((M, M[:1]), axis=-2)" => concatenate_axis(&[&m, &m[..1]], -2);
        "np.concatenate((A, A[:, :, ::-1]), axis=2)" => concatenate_axis(&vec![a.clone(), a.flip_axis(2)], 2);
        "np.concatenate((M.T, M.T), axis=1)" => concatenate_axis([&turned, &turned], 1);
        "np.concatenate((E, M))" => concatenate((&e, &m));
        "np.concatenate((V, V.astype(\"int64\")))" => concatenate((&v, &v.astype(i64)));
        "np.concatenate((V.astype(\"int8\"), V.astype(\"uint8\")))" => concatenate((&v.astype(i8), &v.astype(u8)));
        "np.concatenate((V, V.astype(\"float32\")))" => concatenate((&v, &v.astype(f32)));
        "np.concatenate((V > 2, V.astype(\"uint8\"), V.astype(\"float16\")))" =>
            concatenate((&v.gt(2), &v.astype(u8), &v.astype(f16)));
        "np.concatenate((V.astype(\"int8\"), V.astype(\"uint8\"), V.astype(\"float16\")))" =>
            concatenate((&v.astype(i8), &v.astype(u8), &v.astype(f16)));
        "np.concatenate((V.astype(\"uint32\"), V.astype(\"int32\"), V.astype(\"int8\"), V.astype(\"float32\")))" =>
            concatenate((&v.astype(u32), &v.astype(i32), &v.astype(i8), &v.astype(f32)));
        "np.concatenate((V.astype(\"uint64\"), V.astype(\"int8\"), V > 1))" =>
            concatenate((&v.astype(u64), &v.astype(i8), &v.gt(1)));
        "np.concatenate((V.astype(\"uint16\"), V.astype(\"int16\"), V.astype(\"complex64\"))).real" =>
            concatenate((&v.astype(u16), &v.astype(i16), &v.astype(Complex32))).real();
        "np.stack((M, M[::-1]))" => stack(&[&m, &backwards]);
        "np.stack((M, M[::-1]), axis=-1)" => stack_axis((&m, &backwards), -1);
        "np.stack((M, M[::-1]), axis=1)" => stack_axis((&m, &backwards), 1);
        "np.stack((O, O))" => stack((&o, &o));
        "np.vstack((V, V))" => vstack((&v, &v));
        "np.vstack((M[0], M))" => vstack((&m[0], &m));
        "np.vstack((O, O))" => vstack((&o, &o));
        "np.hstack((V, V[:2]))" => hstack((&v, &v[..2]));
        "np.hstack((M, M[:, :1]))" => hstack((&m, &m[s![.., ..1]]));
        "np.hstack((O, V))" => hstack((&o, &v));
        "np.dstack((V, V))" => dstack((&v, &v));
        "np.dstack((M, M))" => dstack((&m, &m));
        "np.column_stack((V, V))" => column_stack((&v, &v));
        "np.column_stack((M[:, 0], M))" => column_stack((&m[s![.., 0]], &m));
    };
    check(include_str!("numpy/joins.txt"), &answers);
}

#[test]
fn arrays_that_do_not_join_are_named() {
    let (m, v) = (zeros::<f32>((2, 3)), zeros::<f32>(3));
    let kind = ErrorKind::Shape;
    let nothing: Vec<GpuArray<f32>> = Vec::new();
    raises(kind, "concatenate: need at least one array to concatenate; the list is empty", || {
        concatenate(&nothing);
    });
    raises(kind, "concatenate: zero-dimensional arrays cannot be concatenated: array 1 is one", || {
        concatenate((&v, &v[0]));
    });
    let text = "concatenate: all the input array dimensions except for the concatenation axis 0 must match \
                exactly: array 0 has shape [2, 3], and array 1 has [3]";
    raises(kind, text, || {
        concatenate((&m, &v));
    });
    raises(kind, "concatenate: axis 1 is out of bounds for array of dimension 1", || {
        concatenate_axis((&v, &v), 1);
    });
    let text = "stack: all input arrays must have the same shape: [2, 3] and [3]; `concatenate` joins others";
    raises(kind, text, || {
        stack((&m, &v));
    });
    raises(kind, "stack: need at least one array to concatenate; the list is empty", || {
        stack(&nothing);
    });
}

#[test]
fn a_join_is_computed_from_expressions_and_is_a_copy() {
    let mut a = gpu![1, 2];
    let joined = concatenate((&(&a * 10), &(&a + 0.5)));
    a.fill(0);
    assert_eq!(joined.to_vec(), [10.0, 20.0, 1.5, 2.5]);
}

#[test]
fn views_share_the_memory_of_their_array() {
    let mut a = zeros::<i32>((2, 3));
    a.transpose_axes((1, 0)).set(s![2, 0], 1);
    a.flip().set(s![-1, -1], 2);
    a.rot90(1).set(s![0, 1], 3);
    a.diagonal(1).set(0, 4);
    a.expand_dims(1).squeeze_axis(1).set(s![1, 0], 5);
    assert_eq!(a.to_vec(), [2, 4, 1, 5, 0, 3]);
    let stretched = a.slice(s![.., ..1]).broadcast_to((2, 3));
    a.set(s![0, 0], 9);
    assert_eq!(stretched.to_vec(), [9, 9, 9, 5, 5, 5]);
    assert_eq!(stretched.strides(), [12, 0]);
}

#[test]
fn a_view_that_repeats_elements_is_not_written() {
    let a = gpu![1, 2, 3];
    let text = |operation: &str| {
        format!(
            "{operation}: assignment destination is read-only: a view of shape [2, 3] that repeats elements"
        )
    };
    let stretched = || a.broadcast_to((2, 3));
    let kind = ErrorKind::Value;
    raises(kind, &text("set"), || stretched().fill(1));
    raises(kind, &text("set"), || stretched().set(.., 1));
    raises(kind, &text("set"), || stretched().set(stretched().gt(1), 1));
    raises(kind, &text("add"), || {
        let mut view = stretched();
        view += 1;
    });
    let mut copy = stretched().copy();
    copy += 1;
    assert_eq!((copy.to_vec(), a.to_vec()), (vec![2, 3, 4, 2, 3, 4], vec![1, 2, 3]));
    // One row is not a repetition, and has nothing twice.
    a.broadcast_to((1, 3)).fill(5);
    assert_eq!(a.to_vec(), [5, 5, 5]);
}

#[test]
fn wrong_axes_are_named() {
    let a = zeros::<f32>((2, 3));
    let kind = ErrorKind::Shape;
    raises(kind, "transpose_axes: axis 2 is out of bounds for array of dimension 2", || {
        a.transpose_axes((0, 2));
    });
    raises(kind, "transpose_axes: axes don't match array: shape [2, 3] has 2, and 1 are named", || {
        a.transpose_axes(0);
    });
    raises(kind, "transpose_axes: repeated axis -2 in [0, -2]; name each once", || {
        a.transpose_axes((0, -2));
    });
    raises(kind, "swapaxes: axis 5 is out of bounds for array of dimension 2", || {
        a.swapaxes(0, 5);
    });
    raises(
        kind,
        "moveaxis: `source` and `destination` must have the same number of elements, and have 1 and 2",
        || {
            a.moveaxis(0, (0, 1));
        },
    );
    raises(kind, "expand_dims: axis 3 is out of bounds for array of dimension 3", || {
        a.expand_dims(3);
    });
    raises(kind, "expand_dims: arrays have at most 8 axes, and this one would have 9", || {
        zeros::<f32>([1; 8]).expand_dims(0);
    });
    raises(
        kind,
        "squeeze_axis: cannot select an axis to squeeze out which has size not equal to one: axis 0 of shape [2, 3]",
        || {
            a.squeeze_axis(0);
        },
    );
    raises(kind, "rot90: axes 0 and -2 are the same; name two", || {
        a.rot90_axes(1, (0, -2));
    });
    raises(kind, "diagonal: an array of at least two axes is required, and shape [3] has 1", || {
        a.slice(0).diagonal(0);
    });
    raises(kind, "broadcast_to: shapes [2, 3] and [3, 2] do not broadcast", || {
        a.broadcast_to((3, 2));
    });
    raises(kind, "broadcast_to: shapes [2, 3] and [3] do not broadcast", || {
        a.broadcast_to(3);
    });
    raises(kind, "broadcast_arrays: shapes [2, 3] and [4] do not broadcast", || {
        broadcast_arrays(&[&a, &zeros(4)]);
    });
}

proptest! {
    /// Axes in any order, turned around or not, of an array that is a view.
    #[test]
    fn orders_of_axes_are_what_ndarray_gives(
        lengths in prop::collection::vec(0..5_usize, 4),
        order in Just(vec![0_usize, 1, 2, 3]).prop_shuffle(),
        flipped in prop::collection::vec(any::<bool>(), 4),
    ) {
        let size = lengths.iter().product::<usize>();
        let numbers: Vec<i64> = (0..size as i64).collect();
        let host = ndarray::ArrayD::from_shape_vec(lengths, numbers).unwrap();
        let signed: Vec<i64> = order.iter().map(|axis| *axis as i64 - if axis % 2 == 0 { 4 } else { 0 }).collect();
        let axes: Vec<i64> = (0..4).filter(|axis| flipped[*axis as usize]).collect();
        let device = to_gpu(&host).transpose_axes(&signed).flip_axis(&axes);
        let mut expected = host.permuted_axes(order);
        axes.iter().for_each(|axis| expected.invert_axis(ndarray::Axis(*axis as usize)));
        prop_assert_eq!((&device + 1).get(), expected.mapv(|x| x + 1));
        prop_assert_eq!(device.get(), expected);
    }

    /// Parts of an array, some of them views in another order, joined again.
    #[test]
    fn joins_are_what_ndarray_gives(
        lengths in prop::collection::vec(0..5_usize, 3),
        axis in 0..3_usize,
        others in prop::collection::vec((0..4_usize, any::<bool>()), 1..4),
    ) {
        let mut hosts = Vec::new();
        let mut devices = Vec::new();
        for (along, is_flipped) in others {
            let mut shape = lengths.clone();
            shape[axis] = along;
            let size = shape.iter().product::<usize>();
            let mut host = ndarray::ArrayD::from_shape_vec(shape, (0..size as i64).collect()).unwrap();
            let mut device = to_gpu(&host);
            if is_flipped {
                host.invert_axis(ndarray::Axis(axis));
                device = device.flip_axis(axis);
            }
            hosts.push(host);
            devices.push(device);
        }
        let views: Vec<_> = hosts.iter().map(|host| host.view()).collect();
        let expected = ndarray::concatenate(ndarray::Axis(axis), &views).unwrap();
        prop_assert_eq!(concatenate_axis(&devices, axis as isize).get(), expected);
    }
}
