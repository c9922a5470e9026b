//! Vectors as arrows, which begin at their places.

use super::load::Data;
use super::matrix::color_range;
use super::sketch::{Form, Sketch, Tone};
use super::{Kind, Series};
use crate::draw::Point;
use crate::error::Result;
use crate::reduce::{self, host};

/// Arrows whose length is such that they rarely cover each other: on average
/// the width of the axes, divided by 1.8 and by the square root of their
/// number. That and the width of their shafts are Matplotlib's
/// (`lib/matplotlib/quiver.py`).
pub(super) fn data(series: &Series) -> Result<Data> {
    let Kind::Arrows { places, across, up, scale } = &series.kind else {
        return Ok(Data::Sketch(Sketch::default()));
    };
    let count = across.shape().size();
    let columns = across.shape().lengths().last().copied().unwrap_or(1).max(1);
    let counted = |count: usize| (0..count).map(|k| k as f64).collect::<Vec<f64>>();
    let (x, y) = match places {
        Some((x, y)) => (reduce::values(x)?, reduce::values(y)?),
        None => (counted(columns), counted(count / columns)),
    };
    let is_for_each = places.as_ref().is_some_and(|(x, _)| x.shape() == across.shape());
    let place = |k: usize| if is_for_each { (x[k], y[k]) } else { (x[k % columns], y[k / columns]) };
    let vectors = reduce::values(across)?.into_iter().zip(reduce::values(up)?);
    let is_seen = |(_, at, by): &(usize, Point, Point)| {
        [at.0, at.1, by.0, by.1].iter().all(|number| number.is_finite())
    };
    let all = vectors.enumerate().map(|(k, by)| (k, place(k), by));
    let seen: Vec<(usize, Point, Point)> = all.filter(is_seen).collect();
    let values = match &series.values {
        Some(values) => Some(reduce::values(values)?),
        None => None,
    };
    let root = (seen.len() as f64).sqrt();
    let mean = seen.iter().map(|(.., by)| by.0.hypot(by.1)).sum::<f64>() / seen.len().max(1) as f64;
    let chosen = if mean > 0.0 { 1.8 * mean * root.max(10.0) } else { 1.0 };
    let scale = scale.unwrap_or(chosen);
    let width = 0.06 / root.clamp(8.0, 25.0);
    let mut sketch = Sketch::default();
    for (k, at, by) in seen {
        let tone = values.as_ref().map_or(Tone::Own, |values| Tone::Value(values[k]));
        sketch.add(Form::Arrow { at, by: (by.0 / scale, by.1 / scale), width }, tone);
    }
    let mut sketch = sketch.measured();
    let range = values.and_then(|values| host::extent(&values, series.norm).ends);
    sketch.range = color_range(series, range);
    Ok(Data::Sketch(sketch))
}

/// Of an arrow, in widths of its shaft: half the width of the head, its length,
/// and where the shaft ends in it.
const HEAD: (f64, f64, f64) = (1.5, 5.0, 4.5);

/// The outline of an arrow from one place of the picture by so many pixels; a
/// dot, if it is shorter than wide.
pub(super) fn outline(from: Point, by: Point, width: f64) -> Vec<Point> {
    let length = by.0.hypot(by.1);
    if length < width || length == 0.0 {
        let corner = |k: u8| {
            let (sin, cos) = (f64::from(k) * std::f64::consts::FRAC_PI_3).sin_cos();
            (from.0 + width / 2.0 * cos, from.1 + width / 2.0 * sin)
        };
        return (0..6).map(corner).collect();
    }
    // Of one that is shorter than its head, the head is smaller.
    let unit = width * (length / (width * HEAD.1)).min(1.0);
    let (x, y) = (by.0 / length, by.1 / length);
    let at = |along: f64, aside: f64| (from.0 + x * along - y * aside, from.1 + y * along + x * aside);
    let half = unit / 2.0;
    vec![
        at(0.0, half),
        at(length - HEAD.2 * unit, half),
        at(length - HEAD.1 * unit, HEAD.0 * unit),
        at(length, 0.0),
        at(length - HEAD.1 * unit, -HEAD.0 * unit),
        at(length - HEAD.2 * unit, -half),
        at(0.0, -half),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrow_ends_where_its_vector_does() {
        // 100 long and 2 wide: the head is 10 long and 6 wide.
        let found = outline((10.0, 20.0), (0.0, -100.0), 2.0);
        assert_eq!(found[3], (10.0, -80.0));
        assert!((found[2].0 - 13.0).abs() < 1e-9 && (found[2].1 + 70.0).abs() < 1e-9, "{found:?}");
        // A short one is all head, and a shorter one a dot around its place.
        let short = outline((0.0, 0.0), (5.0, 0.0), 2.0);
        assert!(short[3] == (5.0, 0.0) && short[2].0.abs() < 1e-9, "{short:?}");
        let dot = outline((0.0, 0.0), (1.0, 0.0), 2.0);
        assert!(dot.len() == 6 && dot.iter().all(|at| (at.0.hypot(at.1) - 1.0).abs() < 1e-9));
    }
}
