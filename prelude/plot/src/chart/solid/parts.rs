//! What stands in the box, what is far first.

use std::collections::VecDeque;

use super::view::{Vector, cross, dot, minus, unit};
use super::{Form, Outline, Solid, Space, solids};
use crate::chart::matrix::color_range;
use crate::chart::{Chart, Grid, Kind, Layer, POINT, Series, image};
use crate::color::Color;
use crate::draw::{Point, Scene, Shape};
use crate::marker::Marker;

/// Where the light comes from.
const LIGHT: Vector = [-0.4, -0.55, 0.73];

/// How opaque the farthest points are, compared with the nearest: Matplotlib's `depthshade`.
const FAINTEST: f64 = 0.3;

/// What lies on a surface is not hidden by the facets around it, of which some are nearer: the
/// size of a facet.
const NEARER: f64 = 0.05;

/// Something that hides what is behind it.
enum Part {
    Facet {
        corners: Vec<Point>,
        color: Color,
    },
    /// A piece of a line, and the number of the piece.
    Piece {
        layer: usize,
        from: Point,
        to: Point,
        number: usize,
    },
    Mark {
        layer: usize,
        at: Point,
        size: f64,
        color: Color,
    },
}

pub(super) fn draw(chart: &Chart<'_>, space: &Space, scene: &mut Scene) {
    let mut parts: Vec<(f64, Part)> = Vec::new();
    let mut whole = Vec::new();
    // Without surfaces and marks nothing hides a line: it needs no pieces then.
    let hides = solids(chart).any(|(_, series, _)| {
        is_covering(series) || is_cloud(series) || is_joined(series) && series.marker.is_some()
    });
    for (number, series, solid) in solids(chart) {
        let layer = &chart.layers[number];
        match &solid.form {
            Form::Sheet { grid, across, up, .. } if is_covering(series) => {
                facets(space, (grid, across, up), layer, &mut parts);
                continue;
            }
            Form::Points { at, values, sizes } if is_cloud(series) || series.marker.is_some() => {
                let own = (at.as_slice(), values.as_deref(), sizes.as_deref());
                marks(space, (number, layer), own, solid, &mut parts);
            }
            _ => {}
        }
        if series.has_line && !is_cloud(series) {
            for line in lines(solid, space) {
                if !hides {
                    whole.push((number, line));
                    continue;
                }
                for dash in dashed(space, line, &series.dashes()) {
                    pieces(space, number, &dash, &mut parts);
                }
            }
        }
    }
    for (number, line) in whole {
        let path = line.into_iter().map(|place| space.view.at(place)).collect();
        let layer = &chart.layers[number];
        stroke(layer, path, layer.series.dashes(), scene);
    }
    parts.sort_by(|a, b| b.0.total_cmp(&a.0));
    add(chart, parts, scene);
}

/// Whether it is a surface that is filled.
fn is_covering(series: &Series) -> bool {
    matches!(series.kind, Kind::Surface { is_wire: false, .. })
}

fn is_joined(series: &Series) -> bool {
    matches!(series.kind, Kind::Space { is_line: true, .. })
}

fn is_cloud(series: &Series) -> bool {
    matches!(series.kind, Kind::Space { is_line: false, .. })
}

fn stroke(layer: &Layer<'_>, path: Vec<Point>, dashes: Vec<f64>, scene: &mut Scene) {
    let width = layer.series.width * POINT;
    scene.add(Shape::Strokes { paths: vec![path], width, dashes }, layer.color);
}

/// Pieces of a line that follow each other, of which none of the other parts is between.
struct Run {
    layer: usize,
    first: usize,
    last: usize,
    path: VecDeque<Point>,
}

impl Run {
    /// Adds a piece, if it is the one before the first or after the last.
    fn takes(&mut self, layer: usize, number: usize, (from, to): (Point, Point)) -> bool {
        if self.layer != layer {
            return false;
        }
        if number + 1 == self.first {
            self.first = number;
            self.path.push_front(from);
        } else if number == self.last + 1 {
            self.last = number;
            self.path.push_back(to);
        } else {
            return false;
        }
        true
    }
}

/// Adds the parts in their order. Pieces of a line that follow each other are one.
fn add(chart: &Chart<'_>, parts: Vec<(f64, Part)>, scene: &mut Scene) {
    let finish = |run: Option<Run>, scene: &mut Scene| {
        if let Some(Run { layer, path, .. }) = run {
            stroke(&chart.layers[layer], path.into(), Vec::new(), scene);
        }
    };
    let mut run: Option<Run> = None;
    for (_, part) in parts {
        if let Part::Piece { layer, from, to, number } = part
            && run.as_mut().is_some_and(|run| run.takes(layer, number, (from, to)))
        {
            continue;
        }
        finish(run.take(), scene);
        match part {
            Part::Facet { corners, color } => scene.add(Shape::Areas(vec![corners]), color),
            Part::Mark { layer, at, size, color } => {
                let series = chart.layers[layer].series;
                let marker = series.marker.unwrap_or(Marker::Disc);
                let stroke = if is_joined(series) { 1.0 } else { 1.5 };
                scene.add(marker.shape(&[at], size * POINT, stroke * POINT), color);
            }
            Part::Piece { layer, from, to, number } => {
                run = Some(Run { layer, first: number, last: number, path: [from, to].into() });
            }
        }
    }
    finish(run, scene);
}

/// The surface as areas between four places each.
fn facets(
    space: &Space,
    (grid, across, up): (&Grid, &[f64], &[f64]),
    layer: &Layer<'_>,
    parts: &mut Vec<(f64, Part)>,
) {
    let series = layer.series;
    for row in 0..grid.height.saturating_sub(1) {
        for column in 0..grid.width.saturating_sub(1) {
            let corners = [(0, 0), (0, 1), (1, 1), (1, 0)].map(|(down, right)| {
                let at = (row + down) * grid.width + column + right;
                Some((grid.values[at], space.boxed([across[at], up[at], grid.values[at]])?))
            });
            let [Some(a), Some(b), Some(c), Some(d)] = corners else { continue };
            let corners = [a, b, c, d];
            let places = corners.map(|(_, place)| place);
            let height = corners.iter().map(|(value, _)| value / 4.0).sum::<f64>();
            let depth = places.iter().map(|place| space.view.depth(*place) / 4.0).sum::<f64>();
            let normal = unit(cross(minus(places[1], places[0]), minus(places[3], places[0])));
            let light = 0.82 + 0.2 * dot(normal, LIGHT);
            let color = match series.paint {
                Some(_) => layer.color.shaded(light),
                None => {
                    let share = image::share(height, grid.range, series.norm).unwrap_or(0.0);
                    series.colormap.at(share).shaded(light).with_opacity(series.opacity)
                }
            };
            let places = within_box(&places);
            if !places.is_empty() {
                let corners = grown(places.into_iter().map(|place| space.view.at(place)).collect());
                parts.push((depth, Part::Facet { corners, color }));
            }
        }
    }
}

/// A little larger, so that no seams show between neighbours.
fn grown(corners: Vec<Point>) -> Vec<Point> {
    let part = 1.0 / corners.len() as f64;
    let middle = corners.iter().fold((0.0, 0.0), |sum, at| (sum.0 + at.0 * part, sum.1 + at.1 * part));
    let further = |(x, y): Point| {
        let (dx, dy) = (x - middle.0, y - middle.1);
        let length = dx.hypot(dy).max(1e-9);
        (x + dx / length * 0.9, y + dy / length * 0.9)
    };
    corners.into_iter().map(further).collect()
}

/// The lines of a series that has some, as far as they are in the box: through its points, or
/// along the rows and the columns of a sheet.
fn lines(solid: &Solid, space: &Space) -> Vec<Vec<Vector>> {
    let run = |places: &mut dyn Iterator<Item = Vector>| cut(places.map(|place| space.boxed(place)));
    match &solid.form {
        Form::Points { at, .. } => run(&mut at.iter().copied()),
        Form::Sheet { grid, across, up, .. } => {
            let at = |k: usize| [across[k], up[k], grid.values[k]];
            let row = |row: usize| run(&mut (0..grid.width).map(|column| at(row * grid.width + column)));
            let column = |column: usize| run(&mut (0..grid.height).map(|row| at(row * grid.width + column)));
            (0..grid.height).flat_map(row).chain((0..grid.width).flat_map(column)).collect()
        }
    }
}

/// Pieces of a line between its gaps and the sides of the box.
fn cut(places: impl Iterator<Item = Option<Vector>>) -> Vec<Vec<Vector>> {
    let mut lines: Vec<Vec<Vector>> = Vec::new();
    let mut before: Option<Vector> = None;
    let mut is_open = false;
    for place in places {
        if let (Some(from), Some(to)) = (before, place) {
            match clipped(from, to) {
                Some((from, to)) => {
                    match lines.last_mut() {
                        Some(line) if is_open && line.last() == Some(&from) => line.push(to),
                        _ => lines.push(vec![from, to]),
                    }
                    is_open = true;
                }
                None => is_open = false,
            }
        } else {
            is_open = false;
        }
        before = place;
    }
    lines
}

/// The part of a segment within the box (Liang and Barsky, 1984).
fn clipped(from: Vector, to: Vector) -> Option<(Vector, Vector)> {
    let (mut first, mut last) = (0.0f64, 1.0f64);
    for axis in 0..3 {
        let step = to[axis] - from[axis];
        for (room, step) in [(from[axis] + EDGE, -step), (1.0 + EDGE - from[axis], step)] {
            if step == 0.0 && room < 0.0 {
                return None;
            }
            if step > 0.0 {
                last = last.min(room / step);
            } else if step < 0.0 {
                first = first.max(room / step);
            }
        }
    }
    let along = |part: f64| [0, 1, 2].map(|axis| from[axis] + (to[axis] - from[axis]) * part);
    let start = if first == 0.0 { from } else { along(first) };
    let end = if last == 1.0 { to } else { along(last) };
    (first <= last).then_some((start, end))
}

/// As much outside of the box as rounding makes of a side.
const EDGE: f64 = 1e-9;

/// The shortest dash and the shortest gap, in pixels.
const SHORTEST: f64 = 0.5;

/// The parts of a line that dashes of these lengths in the picture draw: by pieces, each of
/// which is shorter than a dash, nothing would be left out.
fn dashed(space: &Space, line: Vec<Vector>, dashes: &[f64]) -> Vec<Vec<Vector>> {
    // Of the thinnest lines dashes would be without number.
    let length_of = |turn: usize| dashes[turn].max(SHORTEST);
    if dashes.is_empty() {
        return vec![line];
    }
    let (mut drawn, mut turn, mut left) = (vec![vec![line[0]]], 0, length_of(0));
    for pair in line.windows(2) {
        let (from, to) = (space.view.at(pair[0]), space.view.at(pair[1]));
        let (length, mut gone) = ((to.0 - from.0).hypot(to.1 - from.1), 0.0);
        while length - gone > left {
            gone += left;
            let at = [0, 1, 2].map(|axis| pair[0][axis] + (pair[1][axis] - pair[0][axis]) * gone / length);
            turn = (turn + 1) % dashes.len();
            left = length_of(turn);
            match drawn.last_mut() {
                // Dashes and gaps take turns.
                Some(last) if turn % 2 == 1 => last.push(at),
                _ => drawn.push(vec![at]),
            }
        }
        left -= length - gone;
        if turn % 2 == 0
            && let Some(last) = drawn.last_mut()
        {
            last.push(pair[1]);
        }
    }
    drawn
}

fn pieces(space: &Space, layer: usize, line: &[Vector], parts: &mut Vec<(f64, Part)>) {
    // No number is that of a piece of another line.
    let first = 2 * (parts.len() + 1);
    for (k, pair) in line.windows(2).enumerate() {
        let depth = pair.iter().map(|place| space.view.depth(*place)).sum::<f64>() / 2.0;
        let (from, to) = (space.view.at(pair[0]), space.view.at(pair[1]));
        parts.push((depth - NEARER, Part::Piece { layer, from, to, number: first + k }));
    }
}

fn marks(
    space: &Space,
    (number, layer): (usize, &Layer<'_>),
    (at, values, sizes): (&[Vector], Option<&[f64]>, Option<&[f64]>),
    solid: &Solid,
    parts: &mut Vec<(f64, Part)>,
) {
    let series = layer.series;
    let range = color_range(series, solid.range).unwrap_or((0.0, 1.0));
    let is_inside = |place: &Vector| place.iter().all(|part| (-EDGE..=1.0 + EDGE).contains(part));
    let mut found = Vec::new();
    for (k, place) in at.iter().enumerate() {
        let Some(place) = space.boxed(*place).filter(is_inside) else { continue };
        let color = match values {
            Some(values) => match image::share(values[k], range, series.norm) {
                Some(share) => series.colormap.at(share).with_opacity(series.opacity),
                None => continue,
            },
            None => layer.color,
        };
        let size = match sizes {
            Some(sizes) if sizes[k] > 0.0 && sizes[k].is_finite() => sizes[k].sqrt().min(1000.0),
            Some(_) => continue,
            None => series.marker_size,
        };
        found.push((space.view.depth(place), space.view.at(place), size, color));
    }
    let depths = || found.iter().map(|(depth, ..)| *depth);
    let (near, far) = (depths().fold(f64::MAX, f64::min), depths().fold(f64::MIN, f64::max));
    for (depth, at, size, color) in found {
        let part = if far > near && !is_joined(series) { (depth - near) / (far - near) } else { 0.0 };
        let color = color.with_opacity(color.opacity * (1.0 - (1.0 - FAINTEST) * part));
        parts.push((depth - NEARER, Part::Mark { layer: number, at, size, color }));
    }
}

/// The lines and the points of each series, as they are seen.
pub(super) fn outlines(chart: &Chart<'_>, space: &Space) -> Vec<Outline> {
    let mut outlines = Vec::new();
    for (number, series, solid) in solids(chart) {
        let is_sheet = matches!(solid.form, Form::Sheet { .. });
        let seen = |line: Vec<Vector>| line.into_iter().map(|place| space.view.at(place)).collect();
        if is_sheet || is_joined(series) {
            let lines = lines(solid, space).into_iter();
            outlines.extend(lines.map(|line| Outline {
                layer: Some(number),
                is_joined: true,
                points: seen(line),
            }));
        } else if let Form::Points { at, .. } = &solid.form {
            let places = at.iter().filter_map(|place| space.boxed(*place)).collect();
            outlines.push(Outline { layer: Some(number), is_joined: false, points: seen(places) });
        }
    }
    outlines
}

/// The part of a polygon within the box, one side of it after the other
/// (Sutherland and Hodgman, 1974): limits of axes may show less than there is.
fn within_box(places: &[Vector]) -> Vec<Vector> {
    let mut places = places.to_vec();
    for axis in 0..3 {
        for (side, sign) in [(0.0, 1.0), (1.0, -1.0)] {
            let inside = |place: &Vector| (place[axis] - side) * sign;
            let mut kept = Vec::new();
            for (number, to) in places.iter().enumerate() {
                let from = &places[(number + places.len() - 1) % places.len()];
                let (before, after) = (inside(from), inside(to));
                if (before < 0.0) != (after < 0.0) {
                    let part = before / (before - after);
                    kept.push([0, 1, 2].map(|axis| from[axis] + (to[axis] - from[axis]) * part));
                }
                if after >= 0.0 {
                    kept.push(*to);
                }
            }
            places = kept;
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_surface_spilled_out_of_its_box() {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let square = |from: f64, to: f64| {
            [[from, 0.2, 0.5], [to, 0.2, 0.5], [to, 0.8, 0.5], [from, 0.8, 0.5]].map(Vector::from)
        };
        assert_eq!(within_box(&square(0.1, 0.9)), square(0.1, 0.9));
        let cut = within_box(&square(-1.0, 3.0));
        assert_eq!(cut.len(), 4);
        assert!(cut.iter().all(|place| place[0] == 0.0 || place[0] == 1.0), "{cut:?}");
        assert!(within_box(&square(1.5, 3.0)).is_empty());
        // A slope that leaves through the lid has one corner more.
        let slope = [[0.0, 0.0, 0.5], [1.0, 0.0, 0.5], [1.0, 1.0, 1.5], [0.0, 1.0, 0.5]];
        let cut = within_box(&slope);
        assert!(cut.len() == 5 && cut.iter().all(|place| place[2] <= 1.0), "{cut:?}");
    }
}
