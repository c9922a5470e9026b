//! The legend: a box with a sample of each series and its name, where it
//! hides least.

use super::{Chart, Content, Drawing, FONT, Kind, Layer, POINT, Paint, Series, TwinOf, arrows};
use crate::draw::font::{self, CAPITAL};
use crate::draw::formula::is_in;
use crate::draw::{Align, Point, Rect, Scene, Shape};
use crate::error::{Problem, Result};
use crate::marker::Marker;

/// Lengths as parts of the font's size.
const PADDING: f64 = 0.4;
const BETWEEN: f64 = 0.5;
const HANDLE: f64 = 2.0;
const AFTER_HANDLE: f64 = 0.8;
const FROM_AXES: f64 = 0.5;
const ROW: f64 = 1.0;
/// Between columns: Matplotlib's `legend.columnspacing`.
const COLUMN: f64 = 2.0;

/// Where the legend stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Where it hides least.
    Best,
    /// At a side of the axes, -1 for the left or lower one, or between them.
    At(i8, i8),
    /// Right of the axes.
    Beside,
    /// Below the axes.
    Below,
}

impl Place {
    pub(crate) fn parse(text: &str) -> Result<Place> {
        let place = match text.trim() {
            "best" => Some(Place::Best),
            "outside" | "outside right" | "outside upper right" => Some(Place::Beside),
            "below" | "outside below" | "outside lower center" => Some(Place::Below),
            "center" => Some(Place::At(0, 0)),
            // Matplotlib's other name for it.
            "right" => Some(Place::At(1, 0)),
            other => {
                let down = |word: &str| ["lower", "center", "upper"].iter().position(|known| *known == word);
                let across = |word: &str| ["left", "center", "right"].iter().position(|known| *known == word);
                let words = other.split_once(' ').and_then(|(first, second)| down(first).zip(across(second)));
                words.map(|(down, across)| Place::At(across as i8 - 1, down as i8 - 1))
            }
        };
        place.ok_or_else(|| {
            let message = format!(
                "`{text}` is not a place of the legend; use `best`, `upper right`, `upper left`, `lower left`, `lower \
                 right`, `center left`, `center right`, `lower center`, `upper center`, `center`, `outside` or `below`"
            );
            Problem::Invalid { operation: "legend_at", message }.into()
        })
    }
}

/// What the legend says of each series, and how large it is.
struct Names {
    title: Option<String>,
    columns: Vec<Column>,
    width: f64,
    height: f64,
}

/// Whether the legend can say what a series is: what has many colours is explained by a bar.
fn is_named(series: &Series) -> bool {
    !series.is_matrix() || series.paint.is_some()
}

/// The names of a figure's series, if it has a legend.
fn names(drawing: &Drawing) -> Option<Names> {
    // What a twin shows stands in the legend of the figure that it belongs to.
    if drawing.twin_of.is_some() {
        return None;
    }
    let all = || drawing.series.iter().enumerate();
    let twins = of_twins(drawing);
    let any = all().any(|(_, series)| is_named(series) && shown(series).is_some()) || !twins.is_empty();
    if !(drawing.has_legend || any) {
        return None;
    }
    let mut number = 0;
    let name = |(place, series): (usize, &Series)| {
        number += usize::from(series.is_plain());
        let numbered = || (!any && series.is_plain()).then(|| format!("series {number}"));
        Some((Of::Own(place), shown(series).or_else(numbered)?))
    };
    let mut entries: Vec<_> = all().filter(|(_, series)| is_named(series)).filter_map(name).collect();
    entries.extend(twins);
    if drawing.has_legend {
        entries.extend(all().flat_map(|(place, series)| parts(place, series)));
    }
    // What is longer than the figure is wide is broken, and at most it fills half
    // of it beside the axes.
    let part = if drawing.legend_place == Place::Beside { 0.5 } else { 1.0 };
    let around = (2.0 * PADDING + HANDLE + AFTER_HANDLE + 2.0 * FROM_AXES) * FONT;
    let room = (part * f64::from(drawing.extent().0) - around).max(4.0 * FONT);
    let entries: Vec<_> = entries.into_iter().map(|(place, name)| (place, broken(&name, room))).collect();
    if entries.is_empty() {
        return None;
    }
    let rows = entries.len().div_ceil(drawing.legend_columns.max(1));
    let columns: Vec<Column> = entries.chunks(rows).map(Column::of).collect();
    let title = (!drawing.legend_title.is_empty()).then(|| drawing.legend_title.clone());
    let over = title.as_ref().map_or(0.0, |title| (ROW + BETWEEN) * FONT + font::drop(title, FONT));
    let between = COLUMN * FONT * (columns.len() - 1) as f64;
    let inner = columns.iter().map(|column| column.width).sum::<f64>() + between;
    let wide = title.as_ref().map_or(0.0, |title| font::width(title, FONT));
    let high = columns.iter().map(|column| column.height).fold(0.0, f64::max);
    let (width, height) = (2.0 * PADDING * FONT + inner.max(wide), 2.0 * PADDING * FONT + over + high);
    Some(Names { title, columns, width, height })
}

/// What an entry is a sample of.
#[derive(Clone, Copy)]
enum Of {
    /// A series, by its number.
    Own(usize),
    /// A series of a twin.
    Twin(TwinOf, usize),
    /// A part of a pie.
    Part(usize, usize),
}

/// The name of a series, unless it is one that Matplotlib's legends leave out.
fn shown(series: &Series) -> Option<String> {
    series.name().filter(|name| !name.is_empty() && !name.starts_with('_'))
}

/// The names of what twins show.
fn of_twins(drawing: &Drawing) -> Vec<(Of, String)> {
    let twins = [TwinOf::X, TwinOf::Y].into_iter().filter_map(|of| Some((of, drawing.drawn_twin(of)?)));
    let names = twins.flat_map(|(of, twin)| {
        let named = |(number, series): (usize, &Series)| Some((Of::Twin(of, number), shown(series)?));
        twin.series
            .iter()
            .enumerate()
            .filter(|(_, series)| is_named(series))
            .filter_map(named)
            .collect::<Vec<_>>()
    });
    names.collect()
}

/// The names of a pie's parts.
fn parts(place: usize, series: &Series) -> Vec<(Of, String)> {
    match &series.kind {
        Kind::Pie { names, .. } if shown(series).is_none() => {
            names.iter().enumerate().map(|(k, name)| (Of::Part(place, k), name.clone())).collect()
        }
        _ => Vec::new(),
    }
}

/// Entries below each other.
struct Column {
    /// What each is, and its name in lines that fit.
    entries: Vec<(Of, String)>,
    width: f64,
    height: f64,
}

impl Column {
    fn of(entries: &[(Of, String)]) -> Column {
        let widest = entries.iter().map(|(_, name)| font::width(name, FONT)).fold(0.0, f64::max);
        let drops: f64 = entries.iter().map(|(_, name)| font::drop(name, FONT)).sum();
        let rows = entries.len() as f64;
        Column {
            entries: entries.to_vec(),
            width: (HANDLE + AFTER_HANDLE) * FONT + widest,
            height: (rows * ROW + (rows - 1.0) * BETWEEN) * FONT + drops,
        }
    }
}

/// A name in lines that are not wider than the room there is, if its words are
/// not.
fn broken(name: &str, room: f64) -> String {
    // A formula is not broken: it would be none any more.
    if font::width(name, FONT) <= room || name.split('\n').any(is_in) {
        return name.to_owned();
    }
    let mut lines: Vec<String> = Vec::new();
    for line in name.split('\n') {
        let mut last = String::new();
        for word in line.split(' ') {
            let longer = if last.is_empty() { word.to_owned() } else { format!("{last} {word}") };
            if font::width(&longer, FONT) > room && !last.is_empty() {
                lines.push(std::mem::replace(&mut last, word.to_owned()));
            } else {
                last = longer;
            }
        }
        lines.push(last);
    }
    lines.join("\n")
}

/// How much room a legend takes beside the axes, and below them.
pub(super) fn room(drawing: &Drawing) -> (f64, f64) {
    if !matches!(drawing.legend_place, Place::Beside | Place::Below) {
        return (0.0, 0.0);
    }
    let Some(names) = names(drawing) else { return (0.0, 0.0) };
    let gap = 2.0 * FROM_AXES * FONT;
    match drawing.legend_place {
        Place::Beside => (names.width + gap, 0.0),
        _ => (0.0, names.height + gap),
    }
}

pub(super) fn draw(chart: &Chart<'_>, twins: &[(TwinOf, Chart<'_>)], scene: &mut Scene) {
    let Some(names) = names(chart.drawing) else { return };
    let over = place(chart, twins, &names);
    let (ground, edge) = (chart.palette.background.with_opacity(0.8), chart.palette.legend_edge);
    let outline = rounded(&over, 0.2 * FONT);
    scene.add(Shape::Areas(vec![outline.clone()]), ground);
    let paths = vec![[outline.as_slice(), &outline[..2]].concat()];
    scene.add(Shape::Strokes { paths, width: POINT, dashes: Vec::new() }, edge.with_opacity(0.8));
    let mut left = over.left + PADDING * FONT;
    let mut top = over.top + (PADDING + 0.5 * ROW) * FONT;
    if let Some(title) = &names.title {
        let at = ((over.left + over.right) / 2.0, top + FONT * CAPITAL / 2.0);
        scene.text(&**title, at, FONT, Align::Center, chart.palette.ink);
        top += font::drop(title, FONT) + (ROW + BETWEEN) * FONT;
    }
    for column in &names.columns {
        let mut first = top;
        for (of, name) in &column.entries {
            let drop = font::drop(name, FONT);
            let middle = first + drop / 2.0;
            let twin = |of: TwinOf| twins.iter().find(|(twin, _)| *twin == of);
            match *of {
                Of::Own(number) => chart.layers.get(number).map(|layer| sample(layer, left, middle, scene)),
                Of::Twin(of, number) => twin(of)
                    .and_then(|(_, chart)| chart.layers.get(number))
                    .map(|layer| sample(layer, left, middle, scene)),
                Of::Part(number, part) => chart.layers.get(number).map(|layer| {
                    let each = &layer.series.each;
                    let paint = if each.is_empty() { Paint::Cycle(part) } else { each[part % each.len()] };
                    scene.add(
                        Shape::Areas(vec![swatch(left, middle).corners()]),
                        chart.painted(paint, layer.series),
                    );
                }),
            };
            let at = (left + (HANDLE + AFTER_HANDLE) * FONT, first + FONT * CAPITAL / 2.0);
            scene.text(&**name, at, FONT, Align::Left, chart.palette.ink);
            first += drop + (ROW + BETWEEN) * FONT;
        }
        left += column.width + COLUMN * FONT;
    }
}

/// The rectangle of the legend, within the figure wherever it was asked for.
fn place(chart: &Chart<'_>, twins: &[(TwinOf, Chart<'_>)], names: &Names) -> Rect {
    let (width, height) = (names.width, names.height);
    let gap = FROM_AXES * FONT;
    let axes = chart.rect.grown(-gap);
    let between = |part: i8, low: f64, high: f64| low + (high - low) * (f64::from(part) + 1.0) / 2.0;
    let (mut left, mut top) = match chart.drawing.legend_place {
        Place::Best => {
            let best = best(chart, twins, width, height);
            (best.left, best.top)
        }
        Place::At(across, up) => {
            (between(across, axes.left, axes.right - width), between(-up, axes.top, axes.bottom - height))
        }
        // Behind what else stands there, for which there is room.
        Place::Beside if chart.bar.is_some() || chart.beside > 0.0 => (f64::INFINITY, chart.rect.top),
        Place::Beside => (chart.rect.right + gap, chart.rect.top),
        Place::Below => {
            let middle = (chart.rect.left + chart.rect.right) / 2.0;
            let notes = super::notes::room(&chart.notes, chart.drawing.extent());
            (middle - width / 2.0, f64::from(chart.drawing.extent().1) - notes - height - gap / 2.0)
        }
    };
    let (all, down) = (f64::from(chart.drawing.extent().0), f64::from(chart.drawing.extent().1));
    left = left.min(all - gap - width).max(gap);
    top = top.min(down - height).max(0.0);
    Rect { left, top, right: left + width, bottom: top + height }
}

/// The area of a sample.
fn swatch(left: f64, middle: f64) -> Rect {
    let half = 0.35 * FONT;
    Rect { left, top: middle - half, right: left + HANDLE * FONT, bottom: middle + half }
}

fn sample(layer: &Layer<'_>, left: f64, middle: f64, scene: &mut Scene) {
    let (series, right) = (layer.series, left + HANDLE * FONT);
    let center = [((left + right) / 2.0, middle)];
    let is_band = matches!(&series.kind, Kind::Guide(guide) if guide.is_band());
    match &layer.content {
        _ if matches!(series.kind, Kind::Histogram { is_outline: true, .. }) => {
            let corners = swatch(left, middle).corners();
            let paths = vec![[corners.as_slice(), &corners[..2]].concat()];
            let shape = Shape::Strokes { paths, width: series.width * POINT, dashes: series.dashes() };
            scene.add(shape, layer.color);
        }
        _ if is_band
            || matches!(series.kind, Kind::Bars { .. } | Kind::Histogram { .. } | Kind::Between { .. }) =>
        {
            scene.add(Shape::Areas(vec![swatch(left, middle).corners()]), layer.color);
        }
        Content::Sketch(_) if matches!(series.kind, Kind::Groups { is_violin: true, .. }) => {
            let body = layer.color.with_opacity(layer.color.opacity * 0.3);
            scene.add(Shape::Areas(vec![swatch(left, middle).corners()]), body);
        }
        Content::Sketch(_) if matches!(series.kind, Kind::Arrows { .. }) => {
            let outline = arrows::outline((left, middle), (right - left, 0.0), 2.0);
            scene.add(Shape::Areas(vec![outline]), layer.color);
        }
        Content::Sketch(_) if matches!(series.kind, Kind::Groups { .. } | Kind::Streams { .. }) => {
            scene.line(&[(left, middle), (right, middle)], series.width * POINT, layer.color);
        }
        _ if matches!(series.kind, Kind::Surface { .. } | Kind::Contour { .. }) => {
            scene.line(&[(left, middle), (right, middle)], series.width * POINT, layer.color);
        }
        _ if matches!(
            series.kind,
            Kind::Line { .. } | Kind::Space { is_line: true, .. } | Kind::Guide(_)
        ) =>
        {
            if series.has_line {
                let paths = vec![vec![(left, middle), (right, middle)]];
                let shape = Shape::Strokes { paths, width: series.width * POINT, dashes: series.dashes() };
                scene.add(shape, layer.color);
            }
            if series.errors.y.is_some() || series.errors.x.is_some() {
                let ((x, y), reach) = (center[0], 0.45 * FONT);
                let ends = if series.errors.y.is_some() {
                    [(x, y - reach), (x, y + reach)]
                } else {
                    [(x - reach, y), (x + reach, y)]
                };
                scene.line(&ends, series.width * POINT, layer.color);
            }
            if let Some(marker) = series.marker {
                scene.add(series.marks(marker, &center), layer.color);
            }
        }
        _ => scene.add(series.marks(series.marker.unwrap_or(Marker::Disc), &center), layer.color),
    }
}

/// Of nine places the first that covers the fewest points.
fn best(chart: &Chart<'_>, twins: &[(TwinOf, Chart<'_>)], width: f64, height: f64) -> Rect {
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
    let mut points = crowded(chart);
    points.extend(twins.iter().flat_map(|(_, twin)| crowded(twin)));
    let rects = corners.map(|(x, y)| Rect { left: x, top: y, right: x + width, bottom: y + height });
    let covered = |rect: &&Rect| points.iter().filter(|point| rect.contains(**point)).count();
    rects.iter().min_by_key(covered).copied().unwrap_or(rects[0])
}

/// Points of the picture that had better stay visible.
fn crowded(chart: &Chart<'_>) -> Vec<Point> {
    let mut points = Vec::new();
    for layer in &chart.layers {
        match &layer.content {
            Content::Dots(dots) => points.extend(dots.iter().map(|dot| chart.place(dot.at))),
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
            Content::Between(pieces) => points.extend(pieces.iter().flatten().map(|at| chart.place(*at))),
            Content::Boxes(blocks) => {
                let is_lying = layer.series.kind.is_lying();
                for block in blocks {
                    let (first, second) = block.corners(is_lying);
                    let (from, to) = (chart.place(first), chart.place(second));
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
            Content::Sketch(sketch) => {
                points.extend(sketch.paths().flatten().chain(sketch.points()).map(|at| chart.place(*at)));
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
