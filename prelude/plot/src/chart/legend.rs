//! The legend: a box with a sample of each series and its name, where it
//! hides least.

use super::{Chart, Content, FONT, Kind, Layer, POINT};
use crate::draw::font::{self, CAPITAL};
use crate::draw::{Align, Point, Rect, Scene, Shape};
use crate::marker::Marker;

/// Lengths as parts of the font's size.
const PADDING: f64 = 0.4;
const BETWEEN: f64 = 0.5;
const HANDLE: f64 = 2.0;
const AFTER_HANDLE: f64 = 0.8;
const FROM_AXES: f64 = 0.5;
const ROW: f64 = 1.0;

pub(super) fn draw(chart: &Chart<'_>, scene: &mut Scene) {
    let entries = entries(chart);
    if entries.is_empty() {
        return;
    }
    let widest = entries.iter().map(|(_, name)| font::width(name, FONT)).fold(0.0, f64::max);
    let rows = entries.len() as f64;
    let drops: f64 = entries.iter().map(|(_, name)| font::drop(name, FONT)).sum();
    let width = (2.0 * PADDING + HANDLE + AFTER_HANDLE) * FONT + widest;
    let height = (2.0 * PADDING + rows * ROW + (rows - 1.0) * BETWEEN) * FONT + drops;
    let over = best(chart, width, height);
    let (ground, edge) = (chart.palette.background.with_opacity(0.8), chart.palette.legend_edge);
    let outline = rounded(&over, 0.2 * FONT);
    scene.add(Shape::Areas(vec![outline.clone()]), ground);
    let paths = vec![[outline.as_slice(), &outline[..2]].concat()];
    scene.add(Shape::Strokes { paths, width: POINT, dashes: Vec::new() }, edge.with_opacity(0.8));
    let left = over.left + PADDING * FONT;
    let mut first = over.top + (PADDING + 0.5 * ROW) * FONT;
    for (layer, name) in &entries {
        let drop = font::drop(name, FONT);
        sample(layer, left, first + drop / 2.0, scene);
        let at = (left + (HANDLE + AFTER_HANDLE) * FONT, first + FONT * CAPITAL / 2.0);
        scene.text(&**name, at, FONT, Align::Left, chart.palette.ink);
        first += drop + (ROW + BETWEEN) * FONT;
    }
}

/// The series that the legend names.
fn entries<'a>(chart: &'a Chart<'_>) -> Vec<(&'a Layer<'a>, String)> {
    let plain = || chart.layers.iter().filter(|layer| layer.series.is_plain());
    let is_wanted = chart.drawing.has_legend || plain().any(|layer| layer.series.name().is_some());
    if !is_wanted {
        return Vec::new();
    }
    let any = plain().any(|layer| layer.series.name().is_some());
    let name = |(number, layer): (usize, &'a Layer<'a>)| {
        let numbered = (!any).then(|| format!("series {}", number + 1));
        Some((layer, layer.series.name().or(numbered)?))
    };
    plain().enumerate().filter_map(name).collect()
}

fn sample(layer: &Layer<'_>, left: f64, middle: f64, scene: &mut Scene) {
    let (series, right) = (layer.series, left + HANDLE * FONT);
    let center = [((left + right) / 2.0, middle)];
    match &layer.content {
        Content::Boxes(_) => {
            let half = 0.35 * FONT;
            let rect = Rect { left, top: middle - half, right, bottom: middle + half };
            scene.add(Shape::Areas(vec![rect.corners()]), layer.color);
        }
        _ if matches!(series.kind, Kind::Line { .. }) => {
            let paths = vec![vec![(left, middle), (right, middle)]];
            let shape = Shape::Strokes { paths, width: series.width * POINT, dashes: series.dashes() };
            scene.add(shape, layer.color);
            if let Some(marker) = series.marker {
                scene.add(series.marks(marker, &center), layer.color);
            }
        }
        _ => scene.add(series.marks(series.marker.unwrap_or(Marker::Disc), &center), layer.color),
    }
}

/// Of nine places the first that covers the fewest points.
fn best(chart: &Chart<'_>, width: f64, height: f64) -> Rect {
    let gap = FROM_AXES * FONT;
    let axes = chart.rect.grown(-gap);
    let (left, right) = (axes.left, axes.right - width);
    let (top, bottom) = (axes.top, axes.bottom - height);
    let (across, down) = ((left + right) / 2.0, (top + bottom) / 2.0);
    let corners = [
        (right, top),
        (left, top),
        (left, bottom),
        (right, bottom),
        (right, down),
        (left, down),
        (across, bottom),
        (across, top),
        (across, down),
    ];
    let points = crowded(chart);
    let rects = corners.map(|(x, y)| Rect { left: x, top: y, right: x + width, bottom: y + height });
    let covered = |rect: &&Rect| points.iter().filter(|point| rect.contains(**point)).count();
    rects.iter().min_by_key(covered).copied().unwrap_or(rects[0])
}

/// Points of the picture that had better stay visible.
fn crowded(chart: &Chart<'_>) -> Vec<Point> {
    let mut points = Vec::new();
    for layer in &chart.layers {
        match &layer.content {
            Content::Points(all) => points.extend(all.iter().map(|point| chart.place(*point))),
            Content::Lines(lines) => {
                for line in lines {
                    let placed: Vec<Point> = line.iter().map(|point| chart.place(*point)).collect();
                    for pair in placed.windows(2) {
                        // A long segment counts by its length, not by its ends.
                        let length = (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1);
                        let steps = (length / 10.0).clamp(1.0, 200.0) as usize;
                        points.extend((0..steps).map(|k| {
                            let part = k as f64 / steps as f64;
                            let along = |from: f64, to: f64| from + (to - from) * part;
                            (along(pair[0].0, pair[1].0), along(pair[0].1, pair[1].1))
                        }));
                    }
                    points.extend(placed.last());
                }
            }
            Content::Boxes(blocks) => {
                for block in blocks {
                    let (from, to) =
                        (chart.place((block.left, block.from)), chart.place((block.right, block.to)));
                    // All that is seen of a bar counts, up to its sides.
                    let across = steps(from.0, to.0, (chart.rect.left, chart.rect.right));
                    let down = steps(from.1, to.1, (chart.rect.top, chart.rect.bottom));
                    points.extend(across.iter().flat_map(|x| down.iter().map(|y| (*x, *y))));
                }
            }
            Content::Density { counts, width, height, alone } => {
                points.extend(alone.iter().map(|point| chart.place(*point)));
                let filled = counts.iter().enumerate().filter(|(_, count)| **count > 0);
                points.extend(filled.map(|(cell, _)| {
                    let (column, row) = ((cell % width) as f64 + 0.5, (cell / width) as f64 + 0.5);
                    (
                        chart.rect.left + column / *width as f64 * chart.rect.width(),
                        chart.rect.top + row / *height as f64 * chart.rect.height(),
                    )
                }));
            }
            _ => {}
        }
    }
    points
}

/// Places from one to another, both among them, at most ten pixels apart, as
/// far as they are between the ends of the axes.
fn steps(from: f64, to: f64, (low, high): (f64, f64)) -> Vec<f64> {
    let (from, to) = (from.clamp(low, high), to.clamp(low, high));
    let count = ((to - from).abs() / 10.0).ceil().max(1.0);
    (0..=count as usize).map(|k| from + (to - from) * k as f64 / count).collect()
}

/// A rectangle with round corners, as a polygon.
fn rounded(rect: &Rect, radius: f64) -> Vec<Point> {
    let centers = [
        (rect.right - radius, rect.top + radius, -90.0),
        (rect.right - radius, rect.bottom - radius, 0.0),
        (rect.left + radius, rect.bottom - radius, 90.0),
        (rect.left + radius, rect.top + radius, 180.0),
    ];
    let arc = |(x, y, from): (f64, f64, f64)| {
        (0..=6).map(move |k| {
            let angle = (from + 15.0 * f64::from(k)).to_radians();
            (x + radius * angle.cos(), y + radius * angle.sin())
        })
    };
    centers.into_iter().flat_map(arc).collect()
}
