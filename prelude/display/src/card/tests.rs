//! Golden cards, as a notebook gets them.

use expect_test::{ExpectFile, expect_file};
use gpurepl_kernels::{Cells, Wide};
use num_complex::Complex32;

use super::*;
use crate::array::text::layout::host_corners;
use crate::array::{Elem, PrintOptions};
use crate::device::operations::{Figures, add_to_cells};

fn facts() -> Facts {
    Facts { place: "cuda:0".to_owned(), place_name: "NVIDIA H200".to_owned(), strides: None }
}

fn summary<T: Elem>(array: &ndarray::ArrayD<T>, cells: Cells) -> Summary {
    let mut figures = vec![Figures::none(Wide::of(T::DTYPE)); cells.count()];
    let elements = array.as_slice().expect("arrays of these tests lie in order");
    add_to_cells(&mut figures, &cells, T::DTYPE, 0, T::as_bytes(elements));
    Summary::new(T::DTYPE, cells, &figures)
}

fn card<T: Elem>(shape: &[usize], element: impl Fn(usize) -> T) -> (String, Option<String>) {
    let count = shape.iter().product();
    let array = ndarray::ArrayD::from_shape_vec(shape, (0..count).map(element).collect()).unwrap();
    let corners = host_corners(&array.view(), PrintOptions::default());
    let summary = cells(shape).map(|cells| summary(&array, cells));
    let picture = summary.as_ref().and_then(picture);
    let html = super::array(&corners, &facts(), summary.as_ref(), picture.as_ref());
    (html, picture.map(|picture| picture.svg))
}

/// The card without its style sheet, which is the same in all.
#[track_caller]
fn looks<T: Elem>(expected: ExpectFile, shape: &[usize], element: impl Fn(usize) -> T) {
    let (html, _) = card(shape, element);
    let (before, after) = html.split_once("<style>").unwrap();
    let (_, after) = after.split_once("</style>").unwrap();
    expected.assert_eq(&format!("{before}{after}\n"));
}

fn wave(place: usize) -> f32 {
    (place as f32 * 0.05).sin()
}

#[test]
fn cards_of_one_axis() {
    looks(expect_file!["golden/floats.html"], &[1500], wave);
    looks(expect_file!["golden/integers.html"], &[7], |k| [3_i64, -5, i64::MAX, 0, 12, 7, 1][k]);
    looks(expect_file!["golden/empty.html"], &[0], |_| 0_f64);
    looks(expect_file!["golden/gaps.html"], &[40], |k| if k % 10 > 6 { f64::NAN } else { k as f64 });
}

#[test]
fn cards_of_two_axes() {
    looks(expect_file!["golden/table.html"], &[30, 40], wave);
    looks(expect_file!["golden/booleans.html"], &[4, 5], |k| k % 3 == 0);
    looks(expect_file!["golden/complex.html"], &[3, 3], |k| Complex32::new(k as f32, -0.5));
    looks(expect_file!["golden/nan.html"], &[12, 12], |k| match k {
        0..24 => f32::NAN,
        143 => f32::INFINITY,
        _ => k as f32,
    });
}

#[test]
fn cards_of_more_axes_and_of_none() {
    looks(expect_file!["golden/slices.html"], &[9, 20, 30], |k| k as u16);
    looks(expect_file!["golden/number.html"], &[], |_| 2.5_f32);
}

#[test]
fn pictures_stand_alone() {
    let (_, spark) = card(&[1500], wave);
    expect_file!["golden/sparkline.svg"].assert_eq(&spark.unwrap());
    let (_, heat) = card(&[30, 40], wave);
    expect_file!["golden/heat_map.svg"].assert_eq(&heat.unwrap());
}

#[test]
fn integers_that_floats_cannot_tell_apart_have_no_picture() {
    assert!(card(&[2000], |k| u64::MAX - k as u64).1.is_none());
    assert!(card(&[40, 50], |k| i64::MIN + k as i64).1.is_none());
    assert!(card(&[2000], |k| (1u64 << 40) + k as u64).1.is_some());
    assert!(card(&[2000], |_| u64::MAX).1.is_some());
}

#[test]
fn the_style_is_in_every_card() {
    let (html, _) = card(&[2], |k| k as u8);
    expect_file!["golden/whole.html"].assert_eq(&html);
}

#[test]
fn no_array_is_too_odd_for_a_card() {
    let shapes: [&[usize]; 12] = [
        &[],
        &[1],
        &[1, 1],
        &[0, 5],
        &[5, 0, 2],
        &[1, 400],
        &[400, 1],
        &[2, 1000],
        &[1000, 2],
        &[3, 1, 500],
        &[2, 2, 2, 2, 2],
        &[65, 65],
    ];
    let values = [0.0, -0.0, 5.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE];
    for shape in shapes {
        for value in values {
            let (html, svg) = card(shape, |_| value);
            assert!(html.ends_with("</div>"), "{shape:?} of {value}");
            let svg = svg.unwrap_or_default();
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{shape:?} of {value}: {svg}");
        }
        // From one end of the type to the other.
        card(shape, |k| if k % 2 == 0 { f64::MAX } else { f64::MIN });
        card(shape, |k| if k % 2 == 0 { i64::MAX } else { i64::MIN });
        card(shape, |k| k % 2 == 0);
    }
}

/// `GPUREPL_SHOW_CARDS=page.html cargo test -p gpurepl-prelude --lib cards_on_a_page`
/// writes a page to look at.
#[test]
fn cards_on_a_page() {
    let cards = [
        card(&[1500], wave).0,
        card(&[100_000], |k| wave(k) * (k as f32 / 3000.0).cos()).0,
        card(&[40], |k| if k % 10 > 6 { f64::NAN } else { k as f64 }).0,
        card(&[300, 400], |k| ((k / 400) as f32 * 0.03).sin() + ((k % 400) as f32 * 0.05).cos()).0,
        card(&[12, 12], |k| if k < 24 { f32::NAN } else { k as f32 }).0,
        card(&[9, 20, 30], |k| k as u16).0,
        card(&[4, 5], |k| k % 3 == 0).0,
        card(&[50, 3], |k| Complex32::new(k as f32, -0.5)).0,
        card(&[7], |k| [3_i64, -5, i64::MAX, 0, 12, 7, 1][k]).0,
        card(&[0, 3], |_| 0_f64).0,
        card(&[], |_| 2.5_f32).0,
    ];
    assert!(cards.iter().all(|card| card.starts_with("<div class=\"gpurepl-card\">")));
    if let Some(path) = std::env::var_os("GPUREPL_SHOW_CARDS") {
        let cards: Vec<String> = cards.iter().map(|card| format!("<div>{card}</div>")).collect();
        std::fs::write(path, format!("<!doctype html><meta charset=utf-8><body>{}", cards.join("\n")))
            .unwrap();
    }
}
