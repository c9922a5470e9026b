//! The kernels do what the host does.

use proptest::prelude::*;

use super::line::{Ordered, Part};
use super::*;

fn numbers() -> impl Strategy<Value = Vec<f64>> {
    let number = prop_oneof![
        20 => -1e3..1e3f64,
        1 => Just(f64::NAN),
        1 => Just(f64::INFINITY),
        1 => Just(f64::NEG_INFINITY),
        1 => Just(0.0),
    ];
    proptest::collection::vec(number, 1..3000)
}

/// What differs if anything does: NaN is not equal to itself.
fn shown(part: &Part) -> String {
    format!("{part:?}")
}

fn scales() -> impl Strategy<Value = Scale> {
    prop_oneof![Just(Scale::Linear), Just(Scale::Log)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn extents_are_those_of_the_host(values in numbers(), scale in scales(), sorts: bool) {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let mut values = values;
        if sorts {
            values.sort_by(f64::total_cmp);
        }
        prop_assert_eq!(extent(&raw_of(&values), scale).unwrap(), host::extent(&values, scale));
    }

    #[test]
    fn counts_in_a_plane_are_those_of_the_host(values in numbers(), columns in 1usize..40, rows in 1usize..40) {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let x: Vec<f64> = values.iter().map(|value| value * 0.5).collect();
        let y: Vec<f64> = values.iter().rev().copied().collect();
        let edges = |count: usize| (0..=count).map(|k| -300.0 + 600.0 * k as f64 / count as f64).collect::<Vec<_>>();
        let (across, up) = (edges(columns), edges(rows));
        let found = plane::counts(&raw_of(&x), &raw_of(&y), (&across, &up)).unwrap();
        prop_assert_eq!(found, host::plane(&x, &y, &across, &up));
        let hexagons = plane::Hexagons::over((-400.0, 400.0), (-900.0, 900.0), columns);
        let found = hexagons.counts(&raw_of(&x), &raw_of(&y)).unwrap();
        prop_assert_eq!(found, host::hexagons(&x, &y, &hexagons));
    }

    #[test]
    fn lines_are_those_of_the_host(
        values in numbers(),
        scale in scales(),
        columns in 1usize..300,
        from in -100.0..3000.0f64,
        width in 1.0..4000.0f64,
        exact in 0usize..100,
    ) {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let x = Limits { from, to: from + width, scale: Scale::Linear };
        let y = Limits { from: 1.0, to: 2.0, scale };
        let values = raw_of(&values);
        let line = Ordered { places: None, values: &values, limits: (&x, &y), columns, exact };
        prop_assert_eq!(shown(&line.part().unwrap()), shown(&line.part_on_host().unwrap()));
    }

    #[test]
    fn lines_at_places_are_those_of_the_host(
        places in proptest::collection::vec((-50.0..50.0f64, 0..8), 1..2000),
        falls: bool,
        from in -60.0..0.0f64,
        width in 0.1..100.0f64,
        columns in 1usize..200,
        has_gaps: bool,
    ) {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let mut heights = places;
        heights.sort_by(|one, other| one.0.total_cmp(&other.0));
        if falls {
            heights.reverse();
        }
        let gap = |kind: i32, wanted: i32, value: f64| {
            if has_gaps && kind == wanted { f64::NAN } else { value }
        };
        let places: Vec<f64> = heights.iter().map(|(x, kind)| gap(*kind, 0, *x)).collect();
        let heights: Vec<f64> = heights.iter().map(|(x, kind)| gap(*kind, 1, x.sin())).collect();
        let found = extent(&raw_of(&places), Scale::Linear).unwrap();
        let count = places.iter().filter(|x| x.is_finite()).count();
        prop_assert_eq!(found.without_place as usize, places.len() - count);
        let order = if falls && count > 1 { Order::Descending } else { Order::Ascending };
        prop_assert_eq!(found.order, order);
        let x = Limits { from: from + width, to: from, scale: Scale::Linear };
        let y = Limits { from: -1.0, to: 1.0, scale: Scale::Linear };
        let (places, values) = (raw_of(&places), raw_of(&heights));
        let line =
            Ordered { places: Some((&places, found)), values: &values, limits: (&x, &y), columns, exact: 0 };
        prop_assert_eq!(shown(&line.part().unwrap()), shown(&line.part_on_host().unwrap()));
    }

    #[test]
    fn bins_are_those_of_the_host(values in numbers(), bins in 1usize..5000) {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let edges = bins::edges(DType::Float32, (-700.0, 500.0), true, bins);
        prop_assert_eq!(histogram(&raw_of(&values), &edges).unwrap(), host::histogram(&values, &edges));
    }

    #[test]
    fn cells_are_those_of_the_host(values in numbers(), scale in scales()) {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let across = Limits { from: 1.0, to: values.len() as f64 / 2.0 + 2.0, scale };
        let up = Limits { from: -500.0, to: 900.0, scale: Scale::Linear };
        let raw = raw_of(&values);
        let crowd = Crowd { places: None, values: &raw, limits: (&across, &up), size: (37, 21) };
        let found = crowd.density().unwrap();
        let points: Vec<(f64, f64)> = values.iter().enumerate().map(|(i, y)| (i as f64, *y)).collect();
        let wanted = host::density(points.iter().copied(), crowd.limits, crowd.size);
        // One point of each cell, in which there is one.
        let cells: Vec<usize> = (0..found.len()).filter(|cell| found[*cell] > 0).collect();
        let members = crowd.members(&cells).unwrap();
        let alone = host::density(members.iter().copied(), crowd.limits, crowd.size);
        prop_assert!(members.iter().all(|member| points.contains(member)));
        prop_assert!(members.len() <= cells.len());
        // A logarithm may be rounded another way, and on a GPU a product
        // and a sum are one rounding: a point may fall into the next cell,
        // or just beyond the last one.
        let is_exact = scale == Scale::Linear && crate::device::device().kind() == DeviceKind::Host;
        let count = |cells: &[u32]| cells.iter().sum::<u32>();
        if is_exact {
            prop_assert_eq!(&found, &wanted);
            prop_assert!(alone.iter().zip(&wanted).all(|(alone, count)| *alone == (*count).min(1)));
        } else {
            prop_assert!(count(&found).abs_diff(count(&wanted)) <= 1, "{} and {}", count(&found), count(&wanted));
        }
    }

    #[test]
    fn means_are_those_of_the_host(rows in 1usize..60, columns in 1usize..60, height in 1usize..40, width in 1usize..40) {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let values: Vec<f64> = (0..rows * columns).map(|k| if k % 7 == 3 { f64::NAN } else { (k * k % 101) as f64 }).collect();
        let raw = crate::array::to_gpu(&values).reshape((rows, columns)).raw;
        let (height, width) = (height.min(rows), width.min(columns));
        let found = blocks(&raw, (height, width)).unwrap();
        let wanted = host::blocks(&values, (rows, columns), (height, width));
        for (found, wanted) in found.iter().zip(&wanted) {
            prop_assert!(found == wanted || (found.is_nan() && wanted.is_nan()) || (found - wanted).abs() < 1e-9);
        }
    }
}

#[test]
fn every_element_type_has_an_extent() {
    let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
    fn check<T: Elem>(low: T, high: T, ends: (f64, f64)) {
        let found = extent(&raw_of(&[high, low]), Scale::Linear).unwrap();
        assert_eq!((found.ends, found.order), (Some(ends), Order::Descending), "{}", T::DTYPE);
    }
    check(false, true, (0.0, 1.0));
    check(-3i8, 100, (-3.0, 100.0));
    check(-3i64, 1 << 60, (-3.0, (1u64 << 60) as f64));
    check(0u64, u64::MAX, (0.0, u64::MAX as f64));
    check(half::f16::from_f32(-0.5), half::f16::from_f32(2.0), (-0.5, 2.0));
    check(-1e-30f32, 1e30, (f64::from(-1e-30f32), f64::from(1e30f32)));
}

#[test]
fn a_view_is_reduced_as_it_is_seen() {
    let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
    let a = to_gpu(&(0..1000).map(f64::from).collect::<Vec<_>>());
    let every_tenth = a.reshape((100, 10)).t();
    let row = every_tenth.slice(3);
    assert_eq!(extent(&row.raw, Scale::Linear).unwrap().ends, Some((3.0, 993.0)));
}

#[test]
fn places_behind_a_long_gap_have_no_order() {
    let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
    for (gap, order) in [(host::LONGEST_GAP, Order::Ascending), (host::LONGEST_GAP + 1, Order::Mixed)] {
        for before in [0, 3] {
            let mut places: Vec<f32> = (0..before + gap + 3).map(|i| i as f32).collect();
            places[before..before + gap].fill(f32::NAN);
            let doubles: Vec<f64> = places.iter().map(|place| f64::from(*place)).collect();
            assert_eq!(host::extent(&doubles, Scale::Linear).order, order);
            assert_eq!(extent(&raw_of(&places), Scale::Linear).unwrap().order, order);
        }
    }
}
