//! Matrices and photographs as pictures.

use super::{Chart, Grid, Layer, Photo};
use crate::colormap::Colormap;
use crate::draw::picture::Picture;
use crate::draw::{Rect, Scene, Shape};
use crate::scale::{Limits, Scale};

/// How a picture has more pixels than its matrix has elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Interpolation {
    /// Each element is a rectangle.
    #[default]
    Nearest,
    /// Straight lines between the middles of elements.
    Bilinear,
}

/// Draws a picture of so many rows and columns over their place on the axes.
pub(super) fn draw(
    chart: &Chart<'_>,
    layer: &Layer<'_>,
    picture: Picture,
    (rows, columns): (usize, usize),
    scene: &mut Scene,
) {
    let series = layer.series;
    // The places of the first row and of the last.
    let (ends, first, last) = match (series.extent, series.is_upwards) {
        (None, _) => ((-0.5, columns as f64 - 0.5), -0.5, rows as f64 - 0.5),
        (Some([left, right, below, above]), false) => ((left, right), above, below),
        (Some([left, right, below, above]), true) => ((left, right), below, above),
    };
    let (left, top) = chart.place((ends.0, first));
    let (right, bottom) = chart.place((ends.1, last));
    let over =
        Rect { left: left.min(right), top: top.min(bottom), right: left.max(right), bottom: top.max(bottom) };
    let picture = if top > bottom { picture.upside_down() } else { picture };
    let picture = if left > right { picture.mirrored() } else { picture };
    scene.add_within(Shape::Picture { picture, over }, layer.color, chart.rect);
}

/// A matrix in colours, as many pixels as the axes have, or as the matrix.
pub(super) fn of_grid(grid: &Grid, colormap: &Colormap, opacity: f64, rect: &Rect) -> Option<Picture> {
    if grid.values.is_empty() {
        return None;
    }
    // 255 colours, or those of a list, and none for what has no place among them.
    let steps = colormap.steps();
    let number = |value: &f64| match (grid.share(*value), steps) {
        (None, _) => 0,
        (Some(share), Some(steps)) => 1 + ((share * f64::from(steps)) as u8).min(steps - 1),
        (Some(share), None) => 1 + (share * 254.0).round() as u8,
    };
    let pixels: Vec<u8> = grid.values.iter().map(number).collect();
    let nothing = colormap.at(0.0).with_opacity(0.0);
    let count = steps.unwrap_or(255);
    let place = move |k: u8| match steps {
        Some(steps) => (f64::from(k) + 0.5) / f64::from(steps),
        None => f64::from(k) / 254.0,
    };
    let colors = (0..count).map(|k| colormap.at(place(k)).with_opacity(opacity));
    let colors = std::iter::once(nothing).chain(colors).collect();
    let picture = Picture::numbered(grid.width, grid.height, pixels, colors);
    Some(enlarged(&picture, rect))
}

/// The same of a photograph.
pub(super) fn of_photo(photo: &Photo, opacity: f64, rect: &Rect) -> Option<Picture> {
    if photo.pixels.is_empty() {
        return None;
    }
    let faded = |[red, green, blue, alpha]: &[u8; 4]| {
        [*red, *green, *blue, (f64::from(*alpha) * opacity).round() as u8]
    };
    let pixels = photo.pixels.iter().map(faded).collect();
    Some(enlarged(&Picture::colored(photo.width, photo.height, pixels), rect))
}

fn enlarged(picture: &Picture, rect: &Rect) -> Picture {
    let enlarged = |length: usize, pixels: f64| {
        let pixels = pixels.round().max(1.0) as usize;
        if length * 2 <= pixels { pixels.div_ceil(length) * length } else { length }
    };
    picture.enlarged(enlarged(picture.width, rect.width()), enlarged(picture.height, rect.height()))
}

/// A grid of more rows and columns, between whose middles are straight lines.
/// Beyond the outer middles is what is there, and beside what is not finite is
/// nothing.
pub(super) fn bilinear(
    values: &[f64],
    (height, width): (usize, usize),
    (rows, columns): (usize, usize),
) -> Vec<f64> {
    // The elements on both sides of a place, and how far it is from the first.
    let between = |k: usize, count: usize, length: usize| {
        let at = ((k as f64 + 0.5) * length as f64 / count as f64 - 0.5).clamp(0.0, length as f64 - 1.0);
        let first = at as usize;
        (first, (first + 1).min(length - 1), at - first as f64)
    };
    let across: Vec<_> = (0..columns).map(|column| between(column, columns, width)).collect();
    let mix = |from: f64, to: f64, part: f64| if part == 0.0 { from } else { from + (to - from) * part };
    let mut enlarged = Vec::with_capacity(rows * columns);
    for row in 0..rows {
        let (above, below, down) = between(row, rows, height);
        enlarged.extend(across.iter().map(|(left, right, part)| {
            let along = |row: usize| mix(values[row * width + left], values[row * width + right], *part);
            if down == 0.0 { along(above) } else { mix(along(above), along(below), down) }
        }));
    }
    enlarged
}

impl Grid {
    /// Where a value lies among those that the ends of the colours stand for;
    /// none if it has no colour.
    pub(crate) fn share(&self, value: f64) -> Option<f64> {
        share(value, self.range, self.norm)
    }
}

/// Where a value lies between two others, from 0 to 1.
pub(super) fn share(value: f64, (from, to): (f64, f64), norm: Scale) -> Option<f64> {
    let has_place = value.is_finite() && (norm == Scale::Linear || value > 0.0);
    has_place.then(|| Limits { from, to, scale: norm }.place(value).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_middles_are_straight_lines() {
        let found = bilinear(&[0.0, 4.0], (1, 2), (1, 8));
        assert_eq!(found, [0.0, 0.0, 0.5, 1.5, 2.5, 3.5, 4.0, 4.0]);
        let found = bilinear(&[0.0, 1.0, 2.0, 3.0], (2, 2), (2, 2));
        assert_eq!(found, [0.0, 1.0, 2.0, 3.0]);
        let found = bilinear(&[0.0, f64::NAN], (1, 2), (1, 4));
        assert!(found[0] == 0.0 && found[1].is_nan() && found[3].is_nan(), "{found:?}");
    }

    #[test]
    fn shares_are_by_logarithms_where_they_are_asked_for() {
        assert_eq!(share(10.0, (1.0, 100.0), Scale::Log), Some(0.5));
        assert_eq!(share(0.0, (1.0, 100.0), Scale::Log), None);
        assert_eq!(share(5.0, (0.0, 4.0), Scale::Linear), Some(1.0));
        assert_eq!(share(f64::NAN, (0.0, 4.0), Scale::Linear), None);
    }
}
