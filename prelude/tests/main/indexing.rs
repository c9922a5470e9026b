//! Slices and places, as NumPy takes them.

use gpurepl_prelude::*;
use ndarray::{ArrayD, IxDyn};
use proptest::prelude::*;

use crate::raises;

#[test]
fn places_and_ranges() {
    let a = arange(0..24).reshape((2, 3, 4));
    assert_eq!(a[1].shape(), [3, 4]);
    assert_eq!(a[-1][-1][-1].item(), 23);
    assert_eq!(a[s![0, .., 1]].to_vec(), [1, 5, 9]);
    assert_eq!(a[s![.., 1..=2, 0]].to_vec(), [4, 8, 16, 20]);
    assert_eq!(a[s![..., ..; 2]].shape(), [2, 3, 2]);
    assert_eq!(a[s![NewAxis, 0, ..1]].shape(), [1, 1, 4]);
    // What lies outside is cut off.
    assert_eq!(a[1..100].shape(), [1, 3, 4]);
    assert_eq!(a[5..].shape(), [0, 3, 4]);
    assert_eq!(arange(0..5)[s![-100..-2]].to_vec(), [0, 1, 2]);
    assert_eq!(arange(0..5)[s![3..0; -1]].to_vec(), [3, 2, 1]);
    assert_eq!(arange(0..5)[s![..; -2]].to_vec(), [4, 2, 0]);
}

#[test]
fn places_outside() {
    let a = zeros::<f32>((2, 3));
    raises(ErrorKind::Index, "index 2 is out of bounds for axis 0 with size 2", || drop(a.slice(2)));
    raises(ErrorKind::Index, "index -4 is out of bounds for axis 1 with size 3", || drop(a.slice(s![0, -4])));
    let error = crate::raised(|| drop(a.slice(s![0, 0, 0])));
    assert_eq!(error.kind(), ErrorKind::Index);
    assert!(error.to_string().contains('3') && error.to_string().contains('2'), "{error}");
    assert!(crate::raised(|| drop(a.slice(s![..; 0]))).to_string().contains("not zero"));
    assert!(a.try_slice(s![..., ...]).is_err());
}

#[test]
fn writing_elements() {
    let mut a = zeros::<i32>((3, 3));
    set!(a[1, 1] = 5);
    set!(a[0, ..] = gpu![1, 2, 3]);
    a.set(s![.., -1], 9);
    assert_eq!(a.to_vec(), [1, 2, 9, 0, 5, 9, 0, 0, 9]);
    // What is stored is converted, and what cannot be is refused.
    a.set(2, gpu![1.9, -1.9, 0.0].astype(i32));
    assert_eq!(a[2].to_vec(), [1, -1, 0]);
    raises(ErrorKind::Value, "1.5 does not fit in int32", || a.fill(1.5));
    let error = crate::raised(|| a.set(0, gpu![1, 2]));
    assert_eq!(error.kind(), ErrorKind::Shape);
    assert_eq!(a[0].to_vec(), [1, 2, 9]);
}

#[test]
fn other_shapes_of_the_same_elements() {
    let a = arange(0..6);
    let b = a.reshape((2, 3));
    assert_eq!(b.t().to_vec(), [0, 3, 1, 4, 2, 5]);
    assert_eq!(b.t().ravel().to_vec(), [0, 3, 1, 4, 2, 5]);
    assert_eq!(b.t().strides(), [1, 3].map(|elements| elements * 4));
    assert_eq!(b.reshape((1, 6, 1)).squeeze().shape(), [6]);
    raises(
        ErrorKind::Shape,
        "reshape: cannot reshape array of size 6 into shape [4], which has 4 elements",
        || drop(a.reshape(4)),
    );
}

#[test]
fn ndarrays_slices_have_ndarrays_meaning() {
    let a = arange(0..10);
    assert_eq!(a[ndarray::s![2..8; -1]].to_vec(), [7, 6, 5, 4, 3, 2]);
    assert_eq!(a[ndarray::s![2..8; -2]].to_vec(), [7, 5, 3]);
    assert_eq!(a[ndarray::s![-3..]].to_vec(), [7, 8, 9]);
    // By this crate's own macro it is NumPy's.
    assert_eq!(a[s![2..8; -1]].size(), 0);
    // NumPy cuts off what lies outside; ndarray does not.
    raises(ErrorKind::Index, "index 11 is out of bounds for axis 0 with size 10", || {
        drop(a.slice(ndarray::s![2..11]));
    });
}

#[test]
fn an_element_that_is_read_again_leaves_nothing_behind() {
    let a = arange(0..10);
    let first = std::ptr::from_ref(&a[3]);
    assert_eq!(first, std::ptr::from_ref(&a[3]));
    assert_eq!(first, std::ptr::from_ref(&a[-7]));
    assert_ne!(first, std::ptr::from_ref(&a[3..4]));
    // Views of an array that is written are other ones.
    let mut a = a;
    a.set(3, 7);
    assert_eq!(a[3].item(), 7);
    let b = a.clone();
    a += 1;
    assert_eq!((a[3].item(), b[3].item()), (8, 8));
}

#[test]
fn arrays_on_the_host_multiply() {
    let (x, m) = (gpu![1.0, 2.0], gpu![[1.0, 2.0], [3.0, 4.0]]);
    assert_eq!(x.get().dot(&x.get()).sum(), 5.0);
    assert_eq!(m.get().dot(&m.get()), ndarray::arr2(&[[7.0, 10.0], [15.0, 22.0]]).into_dyn());
}

fn shape_and_items() -> impl Strategy<Value = (Vec<usize>, Vec<(i64, i64, i64)>)> {
    let part = (-6..7_i64, -6..7_i64, prop_oneof![Just(1_i64), Just(2), Just(3), Just(-1), Just(-3)]);
    prop::collection::vec((0..6_usize, part), 1..5).prop_map(|axes| axes.into_iter().unzip())
}

proptest! {
    #[test]
    fn slices_take_what_ndarray_takes((shape, parts) in shape_and_items()) {
        let size = shape.iter().product::<usize>() as i32;
        let host = ArrayD::from_shape_vec(IxDyn(&shape), (0..size).collect()).unwrap();
        let items: Vec<SliceItem> =
            parts.iter().map(|&(start, end, step)| SliceItem::from(start..end).by(step)).collect();
        let device = to_gpu(&host).slice(Slices::new(&items));
        // ndarray takes a range and then turns it around, Python walks from
        // the start: the same places by Python's own rule.
        let mut expected = host.clone();
        for (axis, &(start, end, step)) in parts.iter().enumerate() {
            let length = shape[axis] as i64;
            let clip = |at: i64| if at < 0 { at + length } else { at };
            let range: Vec<usize> = (0..length).filter(|at| {
                let (start, end) = (clip(start), clip(end));
                let start = if step > 0 { start.max(0) } else { start.min(length - 1) };
                let inside = if step > 0 { *at >= start && *at < end.min(length) } else { *at <= start && *at > end.max(-1) };
                inside && (at - start) % step == 0
            }).map(|at| at as usize).collect();
            let range = if step < 0 { range.into_iter().rev().collect() } else { range };
            expected = expected.select(ndarray::Axis(axis), &range);
        }
        prop_assert_eq!(device.get(), expected.clone());
        // A view that is not contiguous is copied to its own memory.
        prop_assert_eq!((&device * 2).get(), expected.mapv(|x| x * 2));
        prop_assert_eq!(device.sum().item(), expected.iter().map(|x| i64::from(*x)).sum::<i64>());
    }

    #[test]
    fn slices_of_ndarray_take_what_ndarray_takes((shape, parts) in shape_and_items()) {
        let size = shape.iter().product::<usize>() as i32;
        let host = ArrayD::from_shape_vec(IxDyn(&shape), (0..size).collect()).unwrap();
        let items: Vec<ndarray::SliceInfoElem> = parts
            .iter()
            .map(|&(start, end, step)| ndarray::SliceInfoElem::Slice {
                start: start as isize,
                end: (end != 6).then_some(end as isize),
                step: step as isize,
            })
            .collect();
        let info = ndarray::SliceInfo::<_, IxDyn, IxDyn>::try_from(items).unwrap();
        let is_within = parts.iter().zip(&shape).all(|(&(start, end, _), length)| {
            let length = *length as i64;
            (-length..=length).contains(&start) && (end == 6 || (-length..=length).contains(&end))
        });
        let device = to_gpu(&host);
        match device.try_slice(info.clone()) {
            Ok(view) => {
                prop_assert!(is_within);
                prop_assert_eq!(view.get(), host.slice(info));
            }
            // ndarray panics.
            Err(error) => prop_assert!(!is_within && error.kind() == ErrorKind::Index, "{}", error),
        }
    }

    #[test]
    fn views_of_ndarray_are_copied_in_their_order((shape, parts) in shape_and_items(), turned in any::<bool>()) {
        let size = shape.iter().product::<usize>() as i32;
        let host = ArrayD::from_shape_vec(IxDyn(&shape), (0..size).collect()).unwrap();
        let mut view = host.view();
        for (axis, &(start, _, step)) in parts.iter().enumerate() {
            let start = start.clamp(0, shape[axis] as i64) as isize;
            view.slice_axis_inplace(ndarray::Axis(axis), ndarray::Slice::new(start, None, step as isize));
        }
        let view = if turned { view.reversed_axes() } else { view };
        prop_assert_eq!(to_gpu(&view).get(), view);
    }

    #[test]
    fn arithmetic_broadcasts_as_ndarray_does(
        shape in prop::collection::vec(1..5_usize, 1..5),
        left in prop::collection::vec(any::<bool>(), 4),
        right in prop::collection::vec(any::<bool>(), 4),
        cut in 0..4_usize,
    ) {
        // Axes of length 1 and axes that are missing in front are stretched.
        let shape_of = |one: &[bool]| -> Vec<usize> {
            shape.iter().zip(one).map(|(length, one)| if *one { 1 } else { *length }).collect()
        };
        let (left, right) = (shape_of(&left), shape_of(&right));
        let right = &right[cut.min(right.len())..];
        let fill = |shape: &[usize]| ArrayD::from_shape_fn(IxDyn(shape), |at| {
            ndarray::Dimension::slice(&at).iter().fold(1.0, |sum, k| sum * 3.5 + *k as f64)
        });
        let (a, b) = (fill(&left), fill(right));
        prop_assert_eq!((to_gpu(&a) - to_gpu(&b)).get(), &a - &b);
        prop_assert_eq!((to_gpu(&a) * to_gpu(&b) + 0.5).get(), &a * &b + 0.5);
    }
}

#[test]
fn lent_views_stay_where_they_are_while_others_are_lent() {
    let a = arange(0..600).reshape((200, 3));
    let views: Vec<Vec<&GpuArray<i32>>> = std::thread::scope(|scope| {
        let lend = || -> Vec<&GpuArray<i32>> {
            (0..200).flat_map(|k| [&a[k], &a[s![k, 1]], &a[s![.., k % 3]]]).collect()
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(lend)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for (number, view) in views[0].iter().enumerate() {
        // The same place is the same view, whoever asks.
        assert!(views.iter().all(|others| std::ptr::eq(others[number], *view)));
        let k = number as i32 / 3;
        match number % 3 {
            0 => assert_eq!(view.to_vec(), [3 * k, 3 * k + 1, 3 * k + 2]),
            1 => assert_eq!((view.item(), view.ndim()), (3 * k + 1, 0)),
            _ => assert_eq!((view.shape(), view[10].item()), (&[200][..], 30 + k % 3)),
        }
    }
}

#[test]
fn views_of_lent_views_are_arrays_of_their_own() {
    let mut a = arange(0..24).reshape((2, 3, 4));
    let kept = a[1][s![.., 2]].clone();
    assert_eq!((kept.to_vec(), a[1][2][3].item()), (vec![14, 18, 22], 23));
    let mixed: GpuArray<i32> = &a[0][1] * 2 + &a[1][0];
    assert_eq!((a[0][1].sum().item(), mixed.to_vec()), (22_i64, vec![20, 23, 26, 29]));
    // A write comes after the last borrow; the clone shares the memory.
    a.set(s![1, .., 2], gpu![-1, -2, -3]);
    assert_eq!((kept.to_vec(), a[1][0][2].item()), (vec![-1, -2, -3], -1));
    let mut row = a[0][0].clone();
    row += 100;
    assert_eq!(a[0][0].to_vec(), [100, 101, 102, 103]);
}
