//! The same memory seen otherwise: as another type, as windows, in rows, in
//! another order; and expressions that are written into memory that is there.

use gpurepl_prelude::memory::Order;
use gpurepl_prelude::*;

use crate::raises;
use crate::shaping::{answers, check};

#[test]
fn types_windows_and_orders_are_numpys() {
    let a = arange(0..24).reshape((2, 3, 4));
    let m = arange(0..6).reshape((2, 3));
    let s = arange(0..25).reshape((5, 5));
    let v = arange(0..5);
    let e = zeros::<i32>((0, 3));
    let o = full((), 7);
    let f = gpu![1.0f32, -2.5, 0.0];
    let h = gpu![[1_u16, 2, 3, 4], [5, 6, 7, 65535]];
    let c = gpu![[Complex32::new(1.0, 2.0), Complex32::new(3.0, -4.0)]];
    let b = gpu![true, false];
    let answers = answers! {
        "F.view(\"uint32\")" => f.view(u32);
        "F.view(\"uint8\")" => f.view(u8);
        "F[::2].view(\"uint32\")" => f.slice(s![..; 2]).view(u32);
        "H.view(\"uint32\")" => h.view(u32);
        "H.view(\"uint64\")" => h.view(u64);
        "H[1:3].view(\"uint32\")" => h.slice(1..3).view(u32);
        "H[::-1].view(\"uint64\")" => h.flipud().view(u64);
        "H.T.view(\"int16\")" => h.t().view(i16);
        "H.view(\"float16\") > 0" => h.view(f16).gt(0);
        "C.view(\"float32\")" => c.view(f32);
        "C.view(\"float64\")" => c.view(f64);
        "C.T.view(\"uint64\").T" => c.t().view(u64).t();
        "H[:, :1].view(\"uint8\")" => h.slice(s![.., ..1]).view(u8);
        "H[:, ::2][:, :1].view(\"uint8\")" => h.slice(s![.., ..; 2]).slice(s![.., ..1]).view(u8);
        "B.view(\"uint8\")" => b.view(u8);
        "E.view(\"int8\")" => e.view(i8);
        "E[:, :2].view(\"int64\")" => e.slice(s![.., ..2]).view(i64);
        "np.zeros((3, 0), \"int32\").view(\"float64\")" => zeros::<i32>((3, 0)).view(f64);
        "windows(V, 3)" => v.sliding_window_view(3);
        "windows(M, (2, 2))" => m.sliding_window_view((2, 2));
        "windows(M, (2, 3))" => m.sliding_window_view((2, 3));
        "windows(M, 2, 1)" => m.sliding_window_view_axis(2, 1);
        "windows(M, 2, -1)" => m.sliding_window_view_axis(2, -1);
        "windows(M, (2, 2), (1, 1))" => m.sliding_window_view_axis((2, 2), (1, 1));
        "windows(M.T, (1, 2))" => m.t().sliding_window_view((1, 2));
        "windows(S[::2, ::-1], (2, 4))" => s.slice(s![..; 2, ..; -1]).sliding_window_view((2, 4));
        "windows(V, 0)" => v.sliding_window_view(0);
        "windows(O, ())" => o.sliding_window_view(());
        "windows(E, (0, 2))" => e.sliding_window_view((0, 2));
        "windows(V, 3).mean(-1)" => v.sliding_window_view(3).mean_axis(-1);
        "np.ravel(M, \"F\")" => m.ravel_order(Order::F);
        "np.ravel(A, \"F\")" => a.ravel_order(Order::F);
        "np.ravel(A[:, ::-1], \"F\")" => a.flip_axis(1).flatten_order(Order::F);
        "np.ravel(M.T, \"F\")" => m.t().ravel_order(Order::F);
        "np.reshape(V[:4], (2, 2), \"F\")" => v.slice(..4).reshape_order((2, 2), Order::F);
        "np.reshape(A, (4, -1), \"F\")" => a.reshape_order((4, -1), Order::F);
        "np.reshape(A, (2, 3, 2, 2), \"F\")" => a.reshape_order((2, 3, 2, 2), Order::F);
        "np.reshape(E, (3, 0), \"F\")" => e.reshape_order((3, 0), Order::F);
        "np.asfortranarray(A[::-1])" => a.flip_axis(0).asfortranarray();
    };
    check(include_str!("numpy/memory.txt"), &answers);
}

#[test]
fn a_view_of_another_type_shares_the_memory() {
    let a = gpu![1.0f32, 2.0];
    let mut bits = a.view(u32);
    bits.set(0, 0x4040_0000_u32);
    assert_eq!(a.to_vec(), [3.0, 2.0]);
    assert!(a.may_share_memory(&bits));
    let mut bytes = a.view(u8);
    bytes.set(7, 0xc0_u8);
    assert_eq!(a.to_vec(), [3.0, -2.0]);
}

#[test]
fn an_expression_reads_its_bytes_before_a_view_of_another_type_is_written() {
    let a = gpu![1.0f32, 2.0];
    let later = &a + 1.0;
    let mut bits = a.view(u32);
    bits.fill(0);
    assert_eq!((later.to_vec(), a.to_vec()), (vec![2.0, 3.0], vec![0.0, 0.0]));
}

#[test]
fn elements_of_another_size_at_the_same_places_are_copied_first() {
    // The places are equal counted in elements, but not in bytes.
    let bytes = gpu![1_u8, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0];
    let mut words = bytes.view(u32);
    words.assign(bytes.slice(..4));
    assert_eq!(words.to_vec(), [1, 0, 0, 0]);

    let bytes = to_gpu(&(0..32_u8).collect::<Vec<_>>());
    let mut words = bytes.view(u64);
    words += &bytes.slice(..4).astype(u64);
    let first = u64::from_le_bytes([0, 1, 2, 3, 4, 5, 6, 7]);
    let step = u64::from_le_bytes([8; 8]);
    assert_eq!(words.to_vec(), [0, 1, 2, 3].map(|k| first + k * step + k));
}

#[test]
fn views_that_cannot_be_are_refused_in_numpys_words() {
    let refused = |text, operation: fn()| raises(ErrorKind::Value, text, operation);
    refused(
        "view: Changing the dtype of a 0d array is only supported if the itemsize is unchanged: int32 has 4 bytes, \
         uint8 has 1",
        || drop(full((), 1).view(u8)),
    );
    refused(
        "view: To change to a dtype of a different size, the last axis must be contiguous: int32 to uint8",
        || drop(arange(0..6).reshape((2, 3)).t().view(u8)),
    );
    refused(
        "view: When changing to a larger dtype, its size must be a divisor of the total size in bytes of the last axis \
         of the array: 12 bytes of int32 are not a whole number of int64, of 8",
        || drop(arange(0..3).view(i64)),
    );
    refused("view: elements of int64 lie at multiples of their 8 bytes, and these of int32 do not", || {
        drop(arange(0..3).slice(1..).view(i64))
    });
    refused("view: bytes of a bool are 0 or 1, and these of uint8 go up to 2", || {
        drop(gpu![2_u8].view(bool))
    });
}

#[test]
fn memory_is_shared_from_the_first_byte_to_the_last() {
    let a = arange(0..12).reshape((3, 4));
    assert!(a.may_share_memory(&a.clone()) && a.may_share_memory(&a.t().slice(1..)));
    assert!(!a.may_share_memory(&a.copy()) && !a.slice(..1).may_share_memory(&a.slice(1..)));
    // Columns interleave, as NumPy says.
    assert!(a.slice(s![.., 0]).may_share_memory(&a.slice(s![.., 1])));
    assert!(!a.flipud().slice(..1).may_share_memory(&a.slice(..2)));
    assert!(!a.may_share_memory(&a.slice(0..0)));
    assert!(a.slice(1..).may_share_memory(&a.ravel().slice(4..5).view(u8)));
}

#[test]
fn windows_that_have_elements_in_common_cannot_be_written() {
    let text = "set: assignment destination is read-only: a view of shape [3, 3] that repeats elements";
    raises(ErrorKind::Value, text, || arange(0..5).sliding_window_view(3).fill(1));
    let mut apart = arange(0..6).sliding_window_view(3).slice(s![..; 3]);
    apart.set(1, 9);
    assert_eq!(apart.to_vec(), [0, 1, 2, 9, 9, 9]);
    let text = "sliding_window_view: window shape cannot be larger than input array shape: 6 of axis 0, which has 5 left \
                of [5]";
    raises(ErrorKind::Shape, text, || drop(arange(0..5).sliding_window_view(6)));
    let text = "sliding_window_view: Must provide matching length window_shape and axis; got 1 window_shape elements and \
                2 axes elements";
    raises(ErrorKind::Shape, text, || drop(zeros::<f32>((2, 2)).sliding_window_view(2)));
}

#[test]
fn shapes_broadcast_as_arrays_do() {
    assert_eq!(array::broadcast_shapes((3, 1), 4), [3, 4]);
    assert_eq!(array::broadcast_shapes((), (2, 0)), [2, 0]);
    let text = "broadcast_shapes: shapes [3] and [4] do not broadcast";
    raises(ErrorKind::Shape, text, || drop(array::broadcast_shapes(3, 4)));
}

#[test]
fn iteration_gives_views_along_an_axis() {
    let a = arange(0..6).reshape((2, 3));
    let rows: Vec<_> = (&a).into_iter().map(|row| row.to_vec()).collect();
    assert_eq!(rows, [[0, 1, 2], [3, 4, 5]]);
    let columns: Vec<_> = a.iter_axis(-1).rev().map(|column| column.to_vec()).collect();
    assert_eq!(columns, [[2, 5], [1, 4], [0, 3]]);
    assert_eq!((a.iter_axis(1).len(), a.iter_axis(1).nth(2).unwrap().to_vec()), (3, vec![2, 5]));
    for mut row in &a {
        row += 10;
    }
    assert_eq!(a.to_vec(), [10, 11, 12, 13, 14, 15]);
    let more: GpuArray<i32> = &a.slice(0) + 1;
    let elements: Vec<_> = (&more).into_iter().map(|element| element.item()).collect();
    assert_eq!(elements, [11, 12, 13]);
    assert_eq!((&zeros::<f32>((0, 3))).into_iter().count(), 0);
    assert_eq!(zeros::<f32>((2, 0)).iter_axis(0).map(|row| row.size()).collect::<Vec<_>>(), [0, 0]);
    raises(ErrorKind::Shape, "iter: iteration over a 0-d array", || {
        (&full((), 1)).into_iter();
    });
    raises(ErrorKind::Shape, "iter_axis: axis 2 is out of bounds for array of dimension 1", || {
        arange(0..3).iter_axis(2);
    });
}

#[test]
fn orders_are_known_and_kept() {
    let a = arange(0..6).reshape((2, 3));
    let orders = |array: &GpuArray<i32>| (array.is_c_contiguous(), array.is_f_contiguous());
    assert_eq!(
        [orders(&a), orders(&a.t()), orders(&a.slice(s![.., ..2]))],
        [(true, false), (false, true), (false, false)]
    );
    assert_eq!([orders(&arange(0..3)), orders(&full((), 1)), orders(&a.slice(0..0))], [(true, true); 3]);
    assert_eq!(orders(&a.slice(s![0..1, ..])), (true, true));
    assert_eq!(orders(&a.flip_axis(0)), (false, false));
    let f = a.asfortranarray();
    assert_eq!((f.strides(), f.to_vec()), (vec![4, 8], a.to_vec()));
    assert!(f.asfortranarray().may_share_memory(&f) && f.ascontiguousarray().is_c_contiguous());
    assert!(a.ascontiguousarray().may_share_memory(&a) && a.t().asfortranarray().may_share_memory(&a));
    assert!(f.ravel_order(Order::F).may_share_memory(&f) && !f.flatten().may_share_memory(&f));
    let copy = a.t().copy_order(Order::F);
    assert!(!copy.may_share_memory(&a) && copy.is_f_contiguous());
    assert_eq!((copy.to_vec(), a.t().copy_order(Order::C).strides()), (a.t().to_vec(), vec![8, 4]));
}

#[test]
fn assign_evaluates_into_the_memory_that_is_there() {
    let (x, y) = (gpu![1.0, 2.0, 3.0], gpu![10.0, 20.0, 30.0]);
    let mut z = zeros::<f64>(3);
    let place = z.ptr();
    z.assign(&x + &y);
    assert_eq!((z.to_vec(), z.ptr()), (vec![11.0, 22.0, 33.0], place));
    // Into a view, stretched.
    let whole = zeros::<f64>((2, 6));
    whole.slice(s![.., ..; 2]).assign(2.0 * &x);
    assert_eq!(whole.to_vec(), [2.0, 0.0, 4.0, 0.0, 6.0, 0.0, 2.0, 0.0, 4.0, 0.0, 6.0, 0.0]);
    // What is read where it is written, and elsewhere.
    let mut moved = arange(0..6);
    let (mut to, from) = (moved.slice(1..), moved.slice(..-1));
    to.assign(&from * 10);
    assert_eq!(moved.to_vec(), [0, 0, 10, 20, 30, 40]);
    let same = moved.clone();
    moved.assign(&same + 1);
    assert_eq!(same.to_vec(), [1, 1, 11, 21, 31, 41]);
    let square = arange(0..4).reshape((2, 2));
    square.clone().assign(&square.t() + 0);
    assert_eq!(square.to_vec(), [0, 2, 1, 3]);
}
