//! Figures of fields, groups and other kinds, as a user makes them. The
//! pictures are those of `docs/plots.md`, in `docs/images`; `UPDATE_EXPECT=1`
//! writes them anew, and `GPUREPL_TEST_PICTURES` names a folder for PNGs.
#![allow(
    clippy::needless_borrows_for_generic_args,
    reason = "arrays are lent, as cells lend them, also where a function would take them"
)]

mod dates;
mod fields;
mod formulas;
mod groups;
mod looks;
mod matplotlib;
mod polar;
mod spaces;
mod twins;
mod vectors;

use expect_test::expect_file;
use gpurepl_prelude::*;

/// Compares a figure with its picture.
fn check(name: &str, figure: &Figure) {
    if let Some(folder) = std::env::var_os("GPUREPL_TEST_PICTURES") {
        let folder = std::path::PathBuf::from(folder);
        std::fs::create_dir_all(&folder).unwrap();
        figure.clone().pixel_ratio(1.0).save(folder.join(format!("{name}.png"))).unwrap();
        std::fs::write(folder.join(format!("{name}.txt")), &figure.render().0["text/plain"]).unwrap();
    }
    let path = format!("{}/../../docs/images/plot-{name}.svg", env!("CARGO_MANIFEST_DIR"));
    expect_file![path].assert_eq(&svg(figure));
}

fn svg(figure: &Figure) -> String {
    figure.to_svg().unwrap()
}

/// What is written in a picture.
fn words(svg: &str) -> Vec<String> {
    let texts = svg.split("<text ").skip(1).filter_map(|text| text.split_once('>')?.1.split_once("</text>"));
    texts.map(|(text, _)| text.to_owned()).collect()
}

/// The polygons of a colour, each as its points.
fn areas(svg: &str, color: &str) -> Vec<Vec<(f64, f64)>> {
    paths(svg, "<polygon ", color)
}

/// The lines of a colour, each as its points.
fn lines(svg: &str, color: &str) -> Vec<Vec<(f64, f64)>> {
    paths(svg, "<polyline ", color)
}

fn paths(svg: &str, element: &str, color: &str) -> Vec<Vec<(f64, f64)>> {
    let paths = svg.split(element).skip(1).map(|rest| rest.split("/>").next().unwrap());
    let points = |path: &str| {
        let points = path.split("points=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        let numbers: Vec<f64> =
            points.split([' ', ',']).filter_map(|number| number.parse::<f64>().ok()).collect();
        numbers.chunks(2).map(|pair| (pair[0] / 10.0, pair[1] / 10.0)).collect()
    };
    paths.filter(|path| path.contains(color)).map(points).collect()
}

/// The colour of a pixel of a picture, as it is in a PNG of the figure's size.
fn pixel(figure: &Figure, (x, y): (usize, usize)) -> [u8; 3] {
    let bytes = figure.clone().pixel_ratio(1.0).to_png().unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    let at = (y * info.width as usize + x) * 3;
    [pixels[at], pixels[at + 1], pixels[at + 2]]
}

/// Checks that an operation panics with an error of this text.
#[track_caller]
fn raises(text: &str, operation: impl FnOnce()) {
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(operation));
    let error =
        *outcome.expect_err("no panic").downcast::<Error>().expect("a panic, but not with an error of ours");
    let words = error.to_string();
    assert_eq!(words.split("\n  = help: ").next().unwrap_or_default(), text);
}

/// Numbers of a normal distribution, the same in every run: the prelude's own
/// depend on what other tests draw meanwhile. (Marsaglia's xorshift; Box and
/// Muller.)
fn normal(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut uniform = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    };
    (0..count).map(|_| (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()).collect()
}

/// Values over the places of columns and rows.
fn over(x: &[f64], y: &[f64], value: impl Fn(f64, f64) -> f64) -> Vec<Vec<f64>> {
    y.iter().map(|y| x.iter().map(|x| value(*x, *y)).collect()).collect()
}

fn evenly(from: f64, to: f64, count: usize) -> Vec<f64> {
    (0..count).map(|k| from + (to - from) * k as f64 / (count - 1) as f64).collect()
}

/// Hills and valleys.
fn landscape(x: f64, y: f64) -> f64 {
    let hill = |a: f64, b: f64| (-(x - a).powi(2) - (y - b).powi(2)).exp();
    3.0 * hill(1.0, 1.0) - 2.0 * hill(-1.0, -0.5) + 1.5 * hill(-1.0, 1.5)
}
