//! A matrix as heights over a plane, in perspective: the view, the box and its
//! proportions are those of Matplotlib's `mplot3d`.

use super::axes::{title, title_drop, write};
use super::{Chart, FONT, Grid, POINT, Series};
use crate::draw::font::CAPITAL;
use crate::draw::{Align, Point, Scene, Shape};
use crate::scale::{Label, Limits, Scale};

type Vector = [f64; 3];

/// Of the box's sides, at a distance of ten.
const SIDES: Vector = [1.19, 1.19, 0.893];
const DISTANCE: f64 = 10.0;
const ELEVATION: f64 = 30.0;
const AZIMUTH: f64 = -60.0;
/// Where the light comes from.
const LIGHT: Vector = [-0.4, -0.55, 0.73];

/// How places in the box, each from 0 to 1, are seen.
struct View {
    eye: Vector,
    across: Vector,
    up: Vector,
    towards: Vector,
    scale: f64,
    shift: Point,
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn unit(a: Vector) -> Vector {
    let length = dot(a, a).sqrt();
    if length > 0.0 { a.map(|part| part / length) } else { a }
}

impl View {
    fn new(width: f64, height: f64, top: f64) -> View {
        let (elevation, azimuth) = (ELEVATION.to_radians(), AZIMUTH.to_radians());
        let towards = [elevation.cos() * azimuth.cos(), elevation.cos() * azimuth.sin(), elevation.sin()];
        let middle = SIDES.map(|side| side / 2.0);
        let eye = [0, 1, 2].map(|axis| middle[axis] + DISTANCE * towards[axis]);
        let across = unit(cross([0.0, 0.0, 1.0], towards));
        let up = cross(towards, across);
        let mut view = View { eye, across, up, towards, scale: 1.0, shift: (0.0, 0.0) };
        let corners = (0..8).map(|k| view.at([k & 1, k >> 1 & 1, k >> 2].map(f64::from)));
        let (mut low, mut high) = ((f64::MAX, f64::MAX), (f64::MIN, f64::MIN));
        for (x, y) in corners {
            low = (low.0.min(x), low.1.min(y));
            high = (high.0.max(x), high.1.max(y));
        }
        // Room for labels: more below and on the right, where they stand.
        let (left, right) = ((0.12 * width).max(2.5 * FONT), (0.17 * width).max(4.5 * FONT));
        let bottom = (0.11 * height).max(3.6 * FONT);
        let room = ((width - left - right).max(10.0), (height - top - bottom).max(10.0));
        view.scale = (room.0 / (high.0 - low.0)).min(room.1 / (high.1 - low.1));
        view.shift = (
            left + room.0 / 2.0 - (low.0 + high.0) / 2.0 * view.scale,
            top + room.1 / 2.0 - (low.1 + high.1) / 2.0 * view.scale,
        );
        view
    }

    fn seen(&self, place: Vector) -> Vector {
        minus([0, 1, 2].map(|axis| place[axis] * SIDES[axis]), self.eye)
    }

    fn at(&self, place: Vector) -> Point {
        let place = self.seen(place);
        let depth = -dot(place, self.towards) / DISTANCE;
        let (x, y) = (dot(place, self.across) / depth, -dot(place, self.up) / depth);
        (x * self.scale + self.shift.0, y * self.scale + self.shift.1)
    }

    fn depth(&self, place: Vector) -> f64 {
        -dot(self.seen(place), self.towards)
    }
}

/// One axis of the box: where it stands, which way it runs, and where its
/// labels are, away from the box.
struct Edge {
    start: Vector,
    axis: usize,
    /// A place beside the edge within the box.
    inside: Vector,
}

pub(super) fn draw(chart: &Chart<'_>, grid: &Grid, series: &Series, scene: &mut Scene) {
    let (width, height) = (f64::from(scene.size.0), f64::from(scene.size.1));
    let drawing = chart.drawing;
    let ink = chart.palette.ink;
    let mut top = (0.1 * height).max(1.5 * FONT);
    if !drawing.title.is_empty() {
        let drop = title_drop(&drawing.title);
        top = ((0.15 * height).max(3.5 * FONT) + drop).min(0.5 * height);
        title(&drawing.title, (width / 2.0, 0.12 * height - 6.0 * POINT + drop), scene, ink);
    }
    let view = View::new(width, height, top);
    let limits = |from: f64, to: f64| {
        let limits = Limits::around(Some((from, to)), Scale::Linear, 1.0 / 48.0);
        Limits { from: limits.from, to: limits.to, scale: Scale::Linear }
    };
    let given = |axis: &super::Axis, otherwise: Limits| match axis.limits {
        Some((from, to)) => Limits { from, to, scale: Scale::Linear },
        None => otherwise,
    };
    let last = |count: usize| (count.max(2) - 1) as f64;
    let axes = [
        given(&drawing.x, limits(0.0, last(grid.columns))),
        given(&drawing.y, limits(0.0, last(grid.rows))),
        limits(grid.ends.0, grid.ends.1),
    ];
    panes(chart, &view, &axes, scene);
    facets(&view, &axes, grid, series, scene);
    let edges = [
        Edge { start: [0.0, 0.0, 0.0], axis: 0, inside: [0.0, 1.0, 0.0] },
        Edge { start: [1.0, 0.0, 0.0], axis: 1, inside: [0.0, 0.0, 0.0] },
        Edge { start: [1.0, 1.0, 0.0], axis: 2, inside: [0.0, 1.0, 0.0] },
    ];
    for (edge, label) in edges.iter().zip([&*drawing.x.label, &*drawing.y.label, ""]) {
        ruler(&view, edge, &axes[edge.axis], label, scene, chart);
    }
}

/// The walls behind the surface, with lines at the ticks.
fn panes(chart: &Chart<'_>, view: &View, axes: &[Limits; 3], scene: &mut Scene) {
    let walls = [
        [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]],
        [[0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0]],
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
    ];
    for (wall, shade) in walls.iter().zip([1.0, 0.975, 0.987]) {
        let corners = wall.map(|corner| view.at(corner)).to_vec();
        scene.add(Shape::Areas(vec![corners.clone()]), chart.palette.wall.shaded(shade));
        let mut outline = corners;
        outline.push(outline[0]);
        scene.line(&outline, 0.8 * POINT, chart.palette.grid);
    }
    for (axis, limits) in axes.iter().enumerate() {
        for (at, _) in limits.ticks(TICKS).major {
            let part = limits.place(at);
            // Across the two walls that the axis runs along.
            let path: [Vector; 3] = match axis {
                0 => [[part, 0.0, 0.0], [part, 1.0, 0.0], [part, 1.0, 1.0]],
                1 => [[1.0, part, 0.0], [0.0, part, 0.0], [0.0, part, 1.0]],
                _ => [[0.0, 0.0, part], [0.0, 1.0, part], [1.0, 1.0, part]],
            };
            scene.line(&path.map(|place| view.at(place)), 0.8 * POINT, chart.palette.grid);
        }
    }
}

const TICKS: usize = 7;

/// The surface, what is far first.
fn facets(view: &View, axes: &[Limits; 3], grid: &Grid, series: &Series, scene: &mut Scene) {
    let (low, high) = grid.range;
    let mut facets = Vec::new();
    for row in 0..grid.height.saturating_sub(1) {
        for column in 0..grid.width.saturating_sub(1) {
            let corners = [(0, 0), (0, 1), (1, 1), (1, 0)].map(|(down, right)| {
                let (row, column) = (row + down, column + right);
                let value = grid.values[row * grid.width + column];
                let (x, y) = (grid.place_across(column), grid.place_down(row));
                (value, [axes[0].place(x), axes[1].place(y), axes[2].place(value)])
            });
            if corners
                .iter()
                .any(|(value, place)| !value.is_finite() || place.iter().any(|part| !part.is_finite()))
            {
                continue;
            }
            let places = corners.map(|(_, place)| place);
            let height = corners.iter().map(|(value, _)| value / 4.0).sum::<f64>();
            let depth = places.iter().map(|place| view.depth(*place)).sum::<f64>();
            let normal = unit(cross(minus(places[1], places[0]), minus(places[3], places[0])));
            let light = 0.82 + 0.2 * dot(normal, LIGHT);
            let color = series.colormap.at((height - low) / (high - low)).shaded(light);
            let places = within_box(&places);
            if !places.is_empty() {
                facets.push((depth, places, color.with_opacity(series.opacity)));
            }
        }
    }
    facets.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, places, color) in facets {
        let corners: Vec<Point> = places.into_iter().map(|place| view.at(place)).collect();
        let part = 1.0 / corners.len() as f64;
        let middle = corners.iter().fold((0.0, 0.0), |sum, at| (sum.0 + at.0 * part, sum.1 + at.1 * part));
        // A little larger, so that no seams show between neighbours.
        let grown = corners.iter().map(|(x, y)| {
            let (dx, dy) = (x - middle.0, y - middle.1);
            let length = dx.hypot(dy).max(1e-9);
            (x + dx / length * 0.9, y + dy / length * 0.9)
        });
        scene.add(Shape::Areas(vec![grown.collect()]), color);
    }
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

/// The ticks and labels along an edge of the box.
fn ruler(view: &View, edge: &Edge, limits: &Limits, name: &str, scene: &mut Scene, chart: &Chart<'_>) {
    let ink = chart.palette.ink;
    let along = |base: Vector, part: f64| {
        let mut place = base;
        place[edge.axis] = part;
        place
    };
    scene.line(&[view.at(along(edge.start, 0.0)), view.at(along(edge.start, 1.0))], 0.8 * POINT, ink);
    let outward = |part: f64| {
        let (at, inside) = (view.at(along(edge.start, part)), view.at(along(edge.inside, part)));
        let (dx, dy) = (at.0 - inside.0, at.1 - inside.1);
        let length = dx.hypot(dy).max(1e-9);
        (at, (dx / length, dy / length))
    };
    let ticks = limits.ticks(TICKS);
    for (value, label) in &ticks.major {
        let (at, (dx, dy)) = outward(limits.place(*value));
        scene.line(&[at, (at.0 + 4.0 * dx, at.1 + 4.0 * dy)], 0.8 * POINT, ink);
        let (dx, dy) = if edge.axis == 2 { (1.0, 0.0) } else { (dx, dy) };
        let beside = if edge.axis == 2 { 0.8 * FONT } else { 1.5 * FONT };
        let align = if edge.axis == 2 { Align::Left } else { Align::Center };
        // Below, so that the last one is not where those of heights begin.
        let below = if edge.axis == 1 { 0.45 * FONT } else { 0.0 };
        let place = (at.0 + beside * dx, at.1 + beside * dy + below + FONT * CAPITAL / 2.0);
        write(label, place, align, ink, scene);
    }
    if !ticks.offset.is_empty() {
        let (at, (dx, dy)) = outward(1.0);
        let label = Label::Text(ticks.offset);
        write(&label, (at.0 + FONT * dx, at.1 + 2.5 * FONT * dy - FONT), Align::Center, ink, scene);
    }
    if !name.is_empty() {
        let (at, (dx, dy)) = outward(0.5);
        let at = (at.0 + 3.2 * FONT * dx, at.1 + 3.2 * FONT * dy + FONT * CAPITAL / 2.0);
        scene.text(name, at, FONT, Align::Center, ink);
    }
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
