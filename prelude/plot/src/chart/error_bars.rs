//! Error bars.

use super::load::Data;
use super::{Chart, Layer, POINT, Series};
use crate::array::Raw;
use crate::draw::{Point, Scene, Shape};
use crate::error::{Problem, Result};
use crate::reduce;

/// The width of an error bar's line, in points: Matplotlib's `lines.linewidth`.
const WIDTH: f64 = 1.5;

/// The points of a series, whichever way its data was read. There are few
/// where a series has error bars.
pub(super) fn points(data: &Data) -> Result<Vec<Point>> {
    Ok(match data {
        Data::Exact { x, y } | Data::Dots { x, y, .. } => x.iter().copied().zip(y.iter().copied()).collect(),
        Data::Large { x, y, .. } => {
            let values = reduce::values(y)?;
            let places = match x {
                Some((x, _)) => reduce::values(x)?,
                None => (0..values.len()).map(|k| k as f64).collect(),
            };
            places.into_iter().zip(values).collect()
        }
        _ => Vec::new(),
    })
}

/// Where the error bars of a series begin and end, in the numbers of the axes.
pub(super) fn load(series: &Series, points: &[Point]) -> Result<Vec<(Point, Point)>> {
    let mut bars = Vec::new();
    if let Some(errors) = &series.errors.x {
        let around = |(point, (less, more)): (&Point, (f64, f64))| {
            ((point.0 - less, point.1), (point.0 + more, point.1))
        };
        bars.extend(points.iter().zip(both_ways(errors, points.len())?).map(around));
    }
    if let Some(errors) = &series.errors.y {
        let around = |(point, (less, more)): (&Point, (f64, f64))| {
            ((point.0, point.1 - less), (point.0, point.1 + more))
        };
        bars.extend(points.iter().zip(both_ways(errors, points.len())?).map(around));
    }
    bars.retain(|(from, to)| [from.0, from.1, to.0, to.1].iter().all(|at| at.is_finite()));
    Ok(bars)
}

/// How far the bar of each point reaches, down and up.
fn both_ways(errors: &Raw, count: usize) -> Result<Vec<(f64, f64)>> {
    let values = reduce::values(errors)?;
    if let Some(error) = values.iter().find(|error| **error < 0.0) {
        let message =
            format!("{error} is not the length of an error bar; give numbers of at least 0, `errors.abs()`");
        return Err(Problem::Invalid { operation: "errorbar", message }.into());
    }
    Ok(match errors.shape().rank() {
        0 => vec![(values[0], values[0]); count],
        1 => values.iter().map(|value| (*value, *value)).collect(),
        _ => values[..count].iter().copied().zip(values[count..].iter().copied()).collect(),
    })
}

pub(super) fn draw(chart: &Chart<'_>, layer: &Layer<'_>, scene: &mut Scene) {
    if layer.errors.is_empty() {
        return;
    }
    // Bars have a colour of their own, so that their errors can be seen.
    let color = if layer.is_filled() { chart.palette.ink } else { layer.color };
    let around = chart.rect.grown(1e4);
    let place = |at: Point| {
        let (x, y) = chart.place(at);
        // What has no place on a logarithmic axis is below all that has.
        let x = if x.is_finite() { x } else { around.left };
        let y = if y.is_finite() { y } else { around.bottom };
        (x.clamp(around.left, around.right), y.clamp(around.top, around.bottom))
    };
    let cap = layer.series.capsize * POINT;
    let (mut paths, mut caps): (Vec<Vec<Point>>, Vec<Vec<Point>>) = Default::default();
    let mut ends = Vec::new();
    for (from, to) in &layer.errors {
        let is_upright = from.0 == to.0;
        let (from, to) = (place(*from), place(*to));
        paths.push(vec![from, to]);
        if cap > 0.0 {
            let (dx, dy) = if is_upright { (cap, 0.0) } else { (0.0, cap) };
            caps.extend([from, to].map(|(x, y)| vec![(x - dx, y - dy), (x + dx, y + dy)]));
            ends.extend([from, to]);
        }
    }
    let strokes = |paths| Shape::Strokes { paths, width: WIDTH * POINT, dashes: Vec::new() };
    scene.add_within(strokes(paths), color, chart.rect);
    if !caps.is_empty() {
        scene.add_anchored(strokes(caps), &ends, color, chart.rect);
    }
}
