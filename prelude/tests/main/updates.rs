//! `add_at` and its kin, `add_reduceat` and its kin, and functions of `np.take`'s modes,
//! masks to delete by and values on each side of a border. The answers are NumPy's.

use gpurepl_prelude::*;
use proptest::prelude::*;

use crate::raised;

#[test]
fn values_of_indices_that_repeat_add_up() {
    let mut a = gpu![10, 20, 30, 40];
    a.add_at(&gpu![0, 0, 3, -1, 0], &gpu![1, 2, 3, 4, 5]);
    assert_eq!(a.to_vec(), [18, 20, 30, 47]);
    a.subtract_at(&[1, 1], 5);
    assert_eq!(a.to_vec(), [18, 10, 30, 47]);
    a.multiply_at(&[2, 2, 0], &gpu![2, 3, -1]);
    assert_eq!(a.to_vec(), [-18, 10, 180, 47]);
    a.maximum_at(&[0, 0, 1], &gpu![-20, 7, 3]);
    assert_eq!(a.to_vec(), [7, 10, 180, 47]);
    a.minimum_at(&[3, 3], &gpu![50, 8]);
    assert_eq!(a.to_vec(), [7, 10, 180, 8]);
    a.add_at(2, 1);
    assert_eq!(a.to_vec(), [7, 10, 181, 8]);
    a.add_at(&zeros::<i64>(0), 1);
    assert_eq!(a.to_vec(), [7, 10, 181, 8]);
}

#[test]
fn values_broadcast_to_what_indices_name() {
    let mut rows = zeros::<f32>((3, 2));
    rows.add_at(&gpu![[0, 2], [2, 2]], &gpu![1.0f32, 0.5]);
    assert_eq!(rows.to_vec(), [1.0, 0.5, 0.0, 0.0, 3.0, 1.5]);
    let mut plane = zeros::<i32>((2, 3));
    plane.add_at((&gpu![[0], [1]], &gpu![2, 2, 0]), 1);
    assert_eq!(plane.to_vec(), [1, 0, 2, 1, 0, 2]);
    // Through a view, and by columns.
    let a = zeros::<i32>((3, 3));
    a.t().slice(1).add_at(&[0, 0, 2], &gpu![1, 1, 5]);
    assert_eq!(a.to_vec(), [0, 2, 0, 0, 0, 0, 0, 5, 0]);
    let mut flags = zeros::<bool>(3);
    flags.add_at(&[1, 1], true);
    assert_eq!(flags.to_vec(), [false, true, false]);
    let mut z = zeros::<Complex64>(2);
    z.add_at(&[1, 1], Complex64::new(1.0, 2.0));
    assert_eq!(z.to_vec()[1], Complex64::new(2.0, 4.0));
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let mut a = arange(0..4);
    let says = |error: &str, part: &str| assert!(error.contains(part), "{error}");
    says(
        &raised(|| a.add_at(&[4], 1)).to_string(),
        "add_at: index 4 is out of bounds for axis 0 with size 4",
    );
    says(
        &raised(|| a.add_at(&[0, -5], 1)).to_string(),
        "add_at: index -5 is out of bounds for axis 0 with size 4",
    );
    says(&raised(|| a.add_at((&[0], &[0]), 1)).to_string(), "array is 1-dimensional, but 2 were indexed");
    says(
        &raised(|| a.add_at(&[0, 1], &gpu![1, 2, 3])).to_string(),
        "add_at: shapes [3] and [2] do not broadcast",
    );
    says(
        &raised(|| a.add_at(&[0, 1], &gpu![0.5])).to_string(),
        "add_at: float64 values do not fit an array of int32",
    );
    assert_eq!(a.to_vec(), [0, 1, 2, 3]);
    says(
        &raised(|| drop(a.add_reduceat(&[0, 4]))).to_string(),
        "add_reduceat: index 4 out-of-bounds in [0, 4)",
    );
    says(
        &raised(|| drop(a.add_reduceat(&[-1]))).to_string(),
        "add_reduceat: index -1 out-of-bounds in [0, 4)",
    );
}

#[test]
fn pieces_of_an_axis_are_reduced() {
    let x = arange(0..8);
    assert_eq!(x.add_reduceat(&[0, 4, 1, 5, 2, 6, 3, 7]).to_vec(), [6_i64, 4, 10, 5, 14, 6, 18, 7]);
    let x = linspace(0.0, 15.0, 16).reshape((4, 4));
    let rows = x.add_reduceat(&[0, 3, 1, 2, 0]);
    assert_eq!(rows.slice(0).to_vec(), [12.0, 15.0, 18.0, 21.0]);
    assert_eq!(rows.slice(4).to_vec(), [24.0, 28.0, 32.0, 36.0]);
    let columns = x.multiply_reduceat_axis(&[0, 3], 1);
    assert_eq!(columns.to_vec(), [0.0, 3.0, 120.0, 7.0, 720.0, 11.0, 2184.0, 15.0]);
    assert_eq!(gpu![3u8, 200, 100].add_reduceat(&[0]).to_vec(), [303_u64]);
    assert_eq!(gpu![3u8, 200, 100].maximum_reduceat(&[0, 2]).to_vec(), [200, 100]);
    assert_eq!(gpu![3i8, -2, 1].minimum_reduceat(&[0, 2]).to_vec(), [-2, 1]);
    assert!(gpu![1.0, f64::NAN, 2.0].maximum_reduceat(&[0]).item().is_nan());
    assert_eq!(x.add_reduceat(&zeros::<i32>(0)).shape(), [0, 4]);
    let halves = ones::<f16>(1000).add_reduceat(&[0, 10]).to_vec();
    assert_eq!(halves, [f16::from_f32(10.0), f16::from_f32(990.0)]);
    let long = arange(0..100_000).add_reduceat(&[0, 99_999, 5]).to_vec();
    assert_eq!(long, [4_999_850_001_i64, 99_999, 4_999_949_990]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn updates_are_a_loops(
        length in 1..40_usize,
        updates in prop::collection::vec((-40..40_i64, -5..5_i64), 0..200),
        row in 1..4_usize,
    ) {
        let place = |index: i64| index.rem_euclid(length as i64) - if index < 0 { length as i64 } else { 0 };
        let indices: Vec<i64> = updates.iter().map(|(index, _)| place(*index)).collect();
        let values: Vec<i64> = updates.iter().flat_map(|(_, value)| (0..row as i64).map(move |k| value + k)).collect();
        let mut ours = arange(0..(length * row) as i64).reshape((length, row));
        let mut wanted: Vec<i64> = ours.to_vec();
        for (number, index) in indices.iter().enumerate() {
            let at = index.rem_euclid(length as i64) as usize;
            for k in 0..row {
                wanted[at * row + k] += values[number * row + k];
            }
        }
        ours.add_at(&indices, &to_gpu(values).reshape((indices.len(), row)));
        prop_assert_eq!(ours.to_vec(), wanted);
    }
}

#[test]
fn indices_beyond_the_ends_are_wrapped_or_clipped() {
    let a = gpu![[4, 3, 5], [7, 6, 8]];
    assert_eq!(a.take_wrap(&[-1, 6, 13]).to_vec(), [8, 4, 3]);
    assert_eq!(a.take_clip(&[-1, 6, 2]).to_vec(), [4, 8, 5]);
    assert_eq!(a.take_wrap_axis(&[3, -1], 1).to_vec(), [4, 5, 7, 8]);
    assert_eq!(a.take_clip_axis(&[3, -1], -1).to_vec(), [5, 4, 8, 7]);
    let mut b = arange(0..5);
    b.put_wrap(&[6, -1], &gpu![60, 70]);
    b.put_clip(&[22], 99);
    assert_eq!(b.to_vec(), [0, 60, 2, 3, 99]);
}

#[test]
fn masks_name_what_is_deleted() {
    let a = gpu![1, 2, 3, 4];
    assert_eq!(a.delete(a.gt(2)).to_vec(), [1, 2]);
    assert_eq!(a.delete([true, false, false, true]).to_vec(), [2, 3]);
    assert_eq!(gpu![[1, 2], [3, 4]].delete_axis(&gpu![true, false], 1).to_vec(), [2, 4]);
    let error = raised(|| drop(a.delete([true])));
    assert!(error.to_string().contains("match the axis length of 4"), "{error}");
    let error = raised(|| drop(a.split([true, false])));
    assert!(error.to_string().contains("not a mask"), "{error}");
    assert_eq!(gpu![5, 6].repeat([false, true]).to_vec(), [6]);
}

#[test]
fn borders_have_values_of_their_own_on_each_side() {
    // NumPy's documentation of `pad`.
    let a = gpu![1, 2, 3, 4, 5];
    assert_eq!(a.pad((2, 3), (4, 6)).to_vec(), [4, 4, 1, 2, 3, 4, 5, 6, 6, 6]);
    assert_eq!(a.pad_linear_ramp((2, 3), (5, -4)).to_vec(), [5, 3, 1, 2, 3, 4, 5, 2, -1, -4]);
    let plane = gpu![[1]].pad([(1, 1), (1, 1)], [(1, 2), (3, 4)]);
    assert_eq!(plane.to_vec(), [3, 1, 4, 3, 1, 4, 3, 2, 4]);
    let error = raised(|| drop(gpu![[1]].pad(1, [(1, 2), (3, 4), (5, 6)])));
    assert!(error.to_string().contains("3 pairs of values for 2 axes"), "{error}");
}

#[test]
fn blocks_spacings_edges_and_values_of_nan() {
    let (a, b) = (2 * eye::<i32>(2), 3 * eye::<i32>(3));
    let whole = array::block([[&a, &zeros((2, 3))], [&ones((3, 2)), &b]]);
    assert_eq!(whole.slice(0).to_vec(), [2, 0, 0, 0, 0]);
    assert_eq!(whole.slice(4).to_vec(), [1, 1, 0, 0, 3]);
    assert_eq!(array::block([[&gpu![1, 2], &gpu![3]]]).shape(), [1, 3]);
    assert_eq!(gpu![1.0f32].spacing().item(), f32::EPSILON);
    assert!(gpu![f64::INFINITY].spacing().item().is_nan());
    assert_eq!(gpu![0.0].spacing().item(), 5e-324);
    assert_eq!(
        gpu![0, 0, 0, 1, 2, 3, 3, 4, 5].histogram_bin_edges((4, 0..6)).to_vec(),
        [0.0, 1.5, 3.0, 4.5, 6.0]
    );
    let x = gpu![f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -128.0];
    assert_eq!(
        x.nan_to_num_values(-9999, 33_333_333, 33_333_333).to_vec(),
        [33333333.0, 33333333.0, -9999.0, -128.0]
    );
    assert_eq!(gpu![1, 2].nan_to_num_values(7, 8, 9).to_vec(), [1, 2]);
    let columns = gpu![[1, 2], [3, 4]].unstack_axis(1);
    assert_eq!((columns.len(), columns[1].to_vec()), (2, vec![2, 4]));
}

#[test]
fn answers_are_arrays_of_their_own_and_halves_add_up_in_single_precision() {
    let a = gpu![1, 2];
    let mut b = a.nan_to_num_values(0, 0, 0);
    b.put(0, 9);
    assert_eq!(a.to_vec(), [1, 2]);
    assert_eq!(ones::<f16>((4096, 2)).add_reduceat(&[0]).to_vec(), [f16::from_f32(4096.0); 2]);
    let mut halves = zeros::<f16>(1);
    halves.add_at(&zeros::<i32>(4096), 1);
    assert_eq!(halves.item(), f16::from_f32(4096.0));
    assert_eq!(gpu![1, 2, 3].take_clip(usize::MAX).item(), 3);
    assert_eq!(gpu![1, 2, 3].take_wrap(usize::MAX).item(), 1);
    let three = array::block([[zeros::<f64>((1, 2, 3)), ones((2, 1))]]);
    assert_eq!(three.shape(), [1, 2, 4]);
    let error = raised(|| drop(gpu![[1, 2], [3, 4]].delete(&gpu![[true, false], [false, true]])));
    assert!(error.to_string().contains("delete: object too deep"), "{error}");
    let error = raised(|| drop(gpu![1.0].pad_linear_ramp(1, Complex64::new(5.0, 1.0))));
    assert!(error.to_string().contains("a real number"), "{error}");
    let text = describe(&gpu![1e-9, 2e-9]).to_string();
    assert!(text.contains("1.500000e-9"), "{text}");
}
