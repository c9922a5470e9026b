//! Sorts beside NumPy's and beside the standard library's.

use gpurepl_device::operations::{LibraryWork, Search, Sort};
use gpurepl_prelude::*;
use proptest::prelude::*;

use crate::answers::Written;
use crate::raises;
use crate::shaping::{check, written};
use crate::simulated::Simulated;

/// Bits, which tell zeros from each other, but all NaN alike.
fn words<T: Elem>(elements: &[T]) -> String {
    format!("{elements:?}")
}

fn elements<T: Written>(line: &str) -> Vec<T> {
    let (dtype, elements) = line.split_once(' ').unwrap_or((line, ""));
    assert_eq!(dtype, T::DTYPE.to_string());
    elements.split_whitespace().map(T::read).collect()
}

fn check_lines<T: Written>(lines: &[&str]) {
    let a = elements::<T>(lines[0]);
    let (sorted, order) = (elements::<T>(lines[1]), elements::<i64>(lines[2]));
    let device = to_gpu(&a);
    assert_eq!(words(&device.sort().to_vec()), words(&sorted), "{}", lines[0]);
    assert_eq!(device.argsort().to_vec(), order, "{}", lines[0]);
    // Many times over, it is not short any more.
    let times = 10_000 / a.len().max(1);
    let many: Vec<T> = std::iter::repeat_n(&a, times).flatten().copied().collect();
    let device = to_gpu(&many);
    let order = device.argsort().to_vec();
    let expected: Vec<T> = order.iter().map(|k| many[*k as usize]).collect();
    assert_eq!(words(&device.sort().to_vec()), words(&expected));
    for (k, (place, other)) in
        sorted.iter().flat_map(|x| std::iter::repeat_n(x, times)).zip(&expected).enumerate()
    {
        let (a, b) = (words(&[*place]).replace('-', ""), words(&[*other]).replace('-', ""));
        assert_eq!(a, b, "element {k} of {}", T::DTYPE);
    }
}

#[test]
fn sorts_are_numpys_for_every_type() {
    let lines: Vec<&str> = include_str!("numpy/sorts.txt").lines().collect();
    for lines in lines.chunks_exact(3) {
        let dtype = lines[0].split(' ').next().unwrap();
        macro_rules! check {
            ($($t:ty)*) => {
                $(if dtype == <$t as Elem>::DTYPE.to_string() {
                    check_lines::<$t>(lines);
                })*
            };
        }
        check!(bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex32 Complex64);
    }
}

proptest! {
    #[test]
    fn rows_and_columns_are_sorted(
        shape in prop::collection::vec(0..7_usize, 1..5),
        axis in 0..4_usize,
        step in 1..3_usize,
        few in 2..50_i32,
    ) {
        let axis = axis % shape.len();
        let size = shape.iter().product::<usize>();
        let numbers: Vec<i32> = (0..size as i32).map(|k| k.wrapping_mul(k).wrapping_mul(7919) % few).collect();
        let mut host = ndarray::ArrayD::from_shape_vec(shape.as_slice(), numbers).unwrap();
        let device = to_gpu(&host);
        let last = shape.len() - 1;
        host.slice_axis_inplace(ndarray::Axis(last), ndarray::Slice::new(0, None, step as isize));
        let device = device.slice(Slices::new(&[SliceItem::Ellipsis, SliceItem::from(..).by(step as i64)]));
        let (mut sorted, mut order) = (host.clone(), host.mapv(i64::from));
        for (mut sorted, mut order) in
            sorted.lanes_mut(ndarray::Axis(axis)).into_iter().zip(order.lanes_mut(ndarray::Axis(axis)))
        {
            let row = sorted.to_vec();
            let mut places: Vec<usize> = (0..row.len()).collect();
            places.sort_by_key(|k| row[*k]);
            for (k, place) in places.into_iter().enumerate() {
                sorted[k] = row[place];
                order[k] = place as i64;
            }
        }
        prop_assert_eq!(device.sort_axis(axis as isize).get(), sorted.clone());
        prop_assert_eq!(device.argsort_axis(axis as isize - shape.len() as isize).get(), order);
        let mut own = device.copy();
        own.sort_axis_in_place(axis as isize);
        prop_assert_eq!(own.get(), sorted);
    }
}

#[test]
fn a_view_is_sorted_in_place() {
    let mut a = gpu![5, 9, 4, 8, 3, 7];
    let before: GpuArray<i32> = &a * 1;
    a.slice(s![..; 2]).sort_in_place();
    assert_eq!(a.to_vec(), [3, 9, 4, 8, 5, 7]);
    assert_eq!(before.to_vec(), [5, 9, 4, 8, 3, 7]);
    a.sort_in_place();
    assert_eq!(a.to_vec(), [3, 4, 5, 7, 8, 9]);
}

#[test]
fn an_element_has_no_axis_to_sort_along() {
    let text = "sort: axis -1 is out of bounds for array of dimension 0";
    raises(ErrorKind::Shape, text, || drop(full((), 1).sort()));
    let text = "argsort: axis 2 is out of bounds for array of dimension 2";
    raises(ErrorKind::Shape, text, || drop(zeros::<f32>((2, 3)).argsort_axis(2)));
}

#[test]
fn sizes_around_tiles_and_lines() {
    for (rows, length) in [(1, 8191), (1, 8192), (1, 8193), (3, 8449), (2, 20_000), (1, 100_003), (9, 2049)] {
        let a = rand::<f32>((rows, length));
        let host: Vec<f32> = a.to_vec();
        let (sorted, order) = (a.sort().to_vec(), a.argsort().to_vec());
        for (row, elements) in host.chunks_exact(length).enumerate() {
            let mut places: Vec<i64> = (0..length as i64).collect();
            places.sort_by(|a, b| elements[*a as usize].total_cmp(&elements[*b as usize]));
            let own = row * length..(row + 1) * length;
            assert_eq!(order[own.clone()], places, "{rows} by {length}");
            assert!(places.iter().zip(&sorted[own]).all(|(k, x)| elements[*k as usize] == *x));
        }
    }
}

const FORMATS: [(&str, &str); 6] = [
    ("gpurepl_search", "PPPQQQ"),
    ("gpurepl_sort_small", "PPPQQQ"),
    ("gpurepl_sort_clear", "PQPQP"),
    ("gpurepl_sort_count", "PPQQQ"),
    ("gpurepl_sort_starts", "PQ"),
    ("gpurepl_sort_pass", "PPPPPPPPQQ"),
];

/// Sorts by the CUDA text on the host, and compares with the host's own sort.
fn simulate<T: Elem>(gpu: &Simulated, rows: usize, length: usize, few: u64) {
    let numbers: Vec<u8> = (0..(rows * length * size_of::<T>()) as u64)
        .map(|k| (k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 37).wrapping_mul(k + 11) % few)
        .map(|x| x as u8)
        .collect();
    let a = to_gpu(T::from_bytes(&numbers)).reshape((rows, length));
    let place = a.raw.contiguous().unwrap();
    for (wants_values, wants_places) in [(true, false), (false, true), (true, true)] {
        let (values, places) = (empty_like(&a), empty::<i64>((rows, length)));
        let buffer =
            |raw: &gpurepl_prelude::array::Raw, wanted: bool| wanted.then(|| raw.place().unwrap().buffer);
        let sort = Sort {
            dtype: T::DTYPE,
            input: place.buffer.clone(),
            offset: place.offset,
            rows,
            length,
            values: buffer(&values.raw, wants_values),
            places: buffer(&places.raw, wants_places),
        };
        sort.on_gpu(gpu).unwrap();
        let what = format!("{rows} by {length} of {}", T::DTYPE);
        if wants_values {
            assert_eq!(words(&values.to_vec()), words(&a.sort().to_vec()), "{what}");
        }
        if wants_places {
            assert_eq!(places.to_vec(), a.argsort().to_vec(), "{what}");
        }
    }
}

/// Searches by the CUDA text on the host.
fn simulate_search(gpu: &Simulated) {
    let (sorted, values) = (rand::<f32>(3000).sort(), rand::<f32>((40, 50)) * 1.2f32 - 0.1f32);
    for is_behind in [false, true] {
        let places = empty::<i64>((40, 50));
        let part = |raw: &array::Raw| {
            let place = raw.contiguous().unwrap();
            (place.buffer, place.offset, raw.shape().size())
        };
        let places_of = places.raw.place().unwrap().buffer;
        let (sorted_of, values_of) = (part(&sorted.raw), part(&values.raw));
        let search = Search {
            dtype: DType::Float32,
            sorted: sorted_of,
            values: values_of,
            is_behind,
            places: places_of,
        };
        search.on_gpu(gpu).unwrap();
        let found = if is_behind { sorted.searchsorted_right(&values) } else { sorted.searchsorted(&values) };
        assert_eq!(places.to_vec(), found.to_vec());
    }
}

/// The text that GPUs compile sorts on the host's simulator too.
#[test]
fn the_text_for_gpus_sorts() {
    if !crate::is_on_host() {
        return sizes_around_tiles_and_lines();
    }
    let gpu = Simulated::new(&FORMATS);
    for (rows, length) in [(1, 1), (1, 7), (5, 3), (300, 33), (2, 2048), (1, 2049), (3, 9000), (1, 30_000)] {
        simulate::<f32>(&gpu, rows, length, 256);
    }
    simulate_search(&gpu);
    simulate::<bool>(&gpu, 2, 9000, 2);
    simulate::<f16>(&gpu, 30, 77, 256);
    simulate::<Complex32>(&gpu, 30, 77, 256);
    simulate::<Complex64>(&gpu, 2, 5000, 2);
}

#[test]
fn sets_and_searches_are_numpys() {
    let a = gpu![[3, 1, 3], [2, 1, 9]];
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let f = gpu![2.5, nan, 0.0, 0.0, nan, inf, 2.5, -1.0];
    let z = |re, im| Complex64::new(re, im);
    let z = to_gpu([z(1.0, nan), z(0.0, 2.0), z(nan, 1.0), z(0.0, 2.0), z(0.0, 1.0)]);
    let (b, g, e) = (gpu![9i64, 4, 1], gpu![nan, 2.5], zeros::<f64>(0));
    let (u, s, t) = (gpu![200u8, 3], gpu![1.0, 2.0, 2.0, 3.0, nan], gpu![false, true, true]);
    let v = gpu![[2.0, 0.0], [nan, 9.0]];
    macro_rules! answers {
        ($($expression:literal => $($array:expr),+;)*) => {
            [$(($expression, vec![$(written(&$array)),+])),*]
        };
    }
    let answers = answers! {
        "np.unique(A)" => a.unique();
        "np.unique(F)" => f.unique();
        "np.unique(Z)" => z.unique();
        "np.unique(E)" => e.unique();
        "np.unique(T)" => t.unique();
        "np.unique(A, return_counts=True)" => a.unique_counts().0, a.unique_counts().1;
        "np.unique(F, return_counts=True)" => f.unique_counts().0, f.unique_counts().1;
        "np.unique(E, return_counts=True)" => e.unique_counts().0, e.unique_counts().1;
        "np.unique(A, return_index=True)" => a.unique_index().0, a.unique_index().1;
        "np.unique(F, return_index=True)" => f.unique_index().0, f.unique_index().1;
        "np.unique(A, return_inverse=True)" => a.unique_inverse().0, a.unique_inverse().1;
        "np.unique(F, return_inverse=True)" => f.unique_inverse().0, f.unique_inverse().1;
        "np.unique(Z, return_inverse=True)" => z.unique_inverse().0, z.unique_inverse().1;
        "np.isin(A, B)" => a.isin(&b);
        "np.isin(F, G)" => f.isin(&g);
        "np.isin(A, E)" => a.isin(&e);
        "np.isin(A, U)" => a.isin(&u);
        "np.intersect1d(A, B)" => a.intersect1d(&b);
        "np.intersect1d(F, G)" => f.intersect1d(&g);
        "np.intersect1d(U, A)" => u.intersect1d(&a);
        "np.union1d(A, B)" => a.union1d(&b);
        "np.union1d(F, A)" => f.union1d(&a);
        "np.setdiff1d(A, B)" => a.setdiff1d(&b);
        "np.setdiff1d(F, G)" => f.setdiff1d(&g);
        "np.setdiff1d(E, G)" => e.setdiff1d(&g);
        "np.setxor1d(A, B)" => a.setxor1d(&b);
        "np.setxor1d(U, A)" => u.setxor1d(&a);
        "np.searchsorted(S, [[2.0, 0.0], [np.nan, 9.0]])" => s.searchsorted(&v);
        "np.searchsorted(S, [[2.0, 0.0], [np.nan, 9.0]], side=\"right\")" => s.searchsorted_right(&v);
        "np.searchsorted(S, 2)" => s.searchsorted(2);
        "np.searchsorted(np.unique(A), 2.5)" => a.unique().searchsorted(2.5);
        "np.searchsorted(np.unique(A), U)" => a.unique().searchsorted(&u);
        "np.searchsorted(E, S)" => e.searchsorted(&s);
        "np.searchsorted(T, T)" => t.searchsorted(&t);
        "np.lexsort((A[0], A[1]))" => array::lexsort((&a[0], &a[1]));
        "np.lexsort((B,))" => array::lexsort([&b]);
    };
    // Debug of a complex number has its fields' names.
    let plain = |text: &String| text.replace("Complex { re: ", "").replace(", im: ", ",").replace(" }", "");
    let answers: Vec<(&str, Vec<String>)> =
        answers.iter().map(|(name, lines)| (*name, lines.iter().map(plain).collect())).collect();
    check(include_str!("numpy/sets.txt"), &answers);
}

#[test]
fn what_cannot_be_searched_or_divided_is_said() {
    let square = zeros::<i32>((2, 3));
    raises(ErrorKind::Shape, "searchsorted: shape [2, 3] is not a vector; `a.ravel().sort()` is one", || {
        drop(square.searchsorted(1));
    });
    raises(ErrorKind::Shape, "partition: kth(=3) out of bounds (3)", || drop(square.partition(3)));
    raises(ErrorKind::Shape, "argpartition: kth(=-4) out of bounds (3)", || drop(square.argpartition(-4)));
    let text = "lexsort: all keys need to be the same shape, of vectors: [2] and [3]";
    raises(ErrorKind::Shape, text, || drop(array::lexsort((&gpu![1, 2], &gpu![1, 2, 3]))));
    assert_eq!(gpu![3, 1, 2].partition(1).to_vec()[1], 2);
    assert_eq!(gpu![3, 1, 2].argpartition(-1).to_vec()[2], 0);
}

proptest! {
    #[test]
    fn distinct_elements_are_those_of_a_set(elements in prop::collection::vec(0..50_i16, 0..300)) {
        let a = to_gpu(&elements);
        let set: std::collections::BTreeSet<i16> = elements.iter().copied().collect();
        let (values, counts) = a.unique_counts();
        prop_assert_eq!(values.to_vec(), set.iter().copied().collect::<Vec<_>>());
        let times = |x: &i16| elements.iter().filter(|y| x == *y).count() as i64;
        prop_assert_eq!(counts.to_vec(), set.iter().map(times).collect::<Vec<_>>());
        let (values, inverse) = a.unique_inverse();
        prop_assert_eq!(values.take(&inverse).to_vec(), elements);
    }
}
