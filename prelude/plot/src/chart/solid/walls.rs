//! The box around what is seen in space: the walls behind it, and the axes along its edges.

use super::view::{Vector, View};
use crate::chart::axes::{label_width, of_axis, write};
use crate::chart::{Axis, Chart, FONT, POINT};
use crate::draw::font::{self, CAPITAL};
use crate::draw::{Align, Point, Scene, Shape, Text};
use crate::scale::{Label, Limits, Ticks};

/// Numbers that an axis has room for.
const ROOM: usize = 7;

/// How light the walls of `x`, `y` and `z` are, as if there was light in the room.
const SHADES: [f64; 3] = [1.0, 0.975, 0.987];

/// An axis of the box, as far as it is drawn.
pub(super) struct Ruler<'a> {
    pub(super) axis: &'a Axis,
    pub(super) limits: Limits,
    ticks: Ticks,
}

impl<'a> Ruler<'a> {
    pub(super) fn new(axis: &'a Axis, limits: Limits) -> Ruler<'a> {
        Ruler { axis, limits, ticks: of_axis(axis, &limits, || limits.ticks(ROOM)) }
    }
}

/// The walls behind, with lines at the ticks.
pub(super) fn walls(chart: &Chart<'_>, view: &View, rulers: &[Ruler<'_>; 3], scene: &mut Scene) {
    let far = view.far();
    for (axis, shade) in SHADES.iter().enumerate() {
        let (one, other) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut corners: Vec<Point> = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
            .into_iter()
            .map(|(a, b)| {
                let mut corner = far;
                (corner[one], corner[other]) = (a, b);
                view.at(corner)
            })
            .collect();
        scene.add(Shape::Areas(vec![corners.clone()]), chart.palette.wall.shaded(*shade));
        corners.push(corners[0]);
        scene.line(&corners, 0.8 * POINT, chart.palette.grid);
    }
    for (axis, ruler) in rulers.iter().enumerate() {
        let (one, other) = ((axis + 1) % 3, (axis + 2) % 3);
        for (at, _) in &ruler.ticks.major {
            // Across the two walls that the axis runs along, by the edge between them.
            let mut path = [far; 3];
            path.iter_mut().for_each(|place| place[axis] = ruler.limits.place(*at));
            path[0][one] = 1.0 - far[one];
            path[2][other] = 1.0 - far[other];
            scene.line(&path.map(|place| view.at(place)), 0.8 * POINT, chart.palette.grid);
        }
    }
}

/// Along which other axis the edge is near that an axis stands on; along the third it is far. So it is by
/// Matplotlib's `juggled` (`lib/mpl_toolkits/mplot3d/axis3d.py`).
const NEAR: [usize; 3] = [1, 0, 0];

/// An edge shorter than this has no room for an axis: it is seen from its end.
const SHORTEST: f64 = 2.0 * FONT;

/// The ticks and labels along three edges of the box.
pub(super) fn rulers(chart: &Chart<'_>, view: &View, rulers: &[Ruler<'_>; 3], scene: &mut Scene) {
    let far = view.far();
    for (axis, (ruler, near)) in rulers.iter().zip(NEAR).enumerate() {
        let mut start = far;
        start[near] = 1.0 - far[near];
        let along = |mut base: Vector, part: f64| {
            base[axis] = part;
            view.at(base)
        };
        let (from, to) = (along(start, 0.0), along(start, 1.0));
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        if length < SHORTEST {
            continue;
        }
        scene.line(&[from, to], 0.8 * POINT, chart.palette.ink);
        // Away from the box, along the axis that the edge is near on; where that is hidden, straight
        // away from the edge.
        let outward = |part: f64| {
            let at = along(start, part);
            let inside = along(far, part);
            let (dx, dy) = (at.0 - inside.0, at.1 - inside.1);
            let away = dx.hypot(dy);
            let sine = (dx * (to.1 - from.1) - dy * (to.0 - from.0)).abs() / (away * length).max(1e-9);
            if sine > 0.2 {
                return (at, (dx / away, dy / away));
            }
            let normal = ((to.1 - from.1) / length, (from.0 - to.0) / length);
            let middle = view.at([0.5; 3]);
            let side = (at.0 - middle.0) * normal.0 + (at.1 - middle.1) * normal.1;
            (at, (normal.0 * side.signum(), normal.1 * side.signum()))
        };
        numbers(ruler, axis, outward, scene, chart);
        name(ruler, axis, (from, to), outward(0.5), scene, chart);
    }
}

fn numbers(
    ruler: &Ruler<'_>,
    axis: usize,
    outward: impl Fn(f64) -> (Point, Point),
    scene: &mut Scene,
    chart: &Chart<'_>,
) {
    let ink = chart.palette.ink;
    for (value, label) in &ruler.ticks.major {
        let (at, (dx, dy)) = outward(ruler.limits.place(*value));
        scene.line(&[at, (at.0 + 4.0 * dx, at.1 + 4.0 * dy)], 0.8 * POINT, ink);
        // What stands beside a steep edge stands level with its tick.
        let (dx, dy) = if axis == 2 { (dx.signum(), 0.0) } else { (dx, dy) };
        let (align, beside) = match dx {
            _ if dx > 0.8 => (Align::Left, 0.8 * FONT),
            _ if dx < -0.8 => (Align::Right, 0.8 * FONT),
            _ => (Align::Center, 1.5 * FONT),
        };
        // Below, so that the last one is not where those of heights begin.
        let below = if axis == 1 { 0.45 * FONT } else { 0.0 };
        let place = (at.0 + beside * dx, at.1 + beside * dy + below + FONT * CAPITAL / 2.0);
        write(label, place, align, ink, scene);
    }
    if !ruler.ticks.offset.is_empty() {
        let (at, (dx, dy)) = outward(1.0);
        let label = Label::Text(ruler.ticks.offset.clone());
        write(&label, (at.0 + FONT * dx, at.1 + 2.5 * FONT * dy - FONT), Align::Center, ink, scene);
    }
}

/// What an axis is, beside the middle of its edge.
fn name(
    ruler: &Ruler<'_>,
    axis: usize,
    (from, to): (Point, Point),
    (at, (dx, dy)): (Point, Point),
    scene: &mut Scene,
    chart: &Chart<'_>,
) {
    let text = ruler.axis.label.clone();
    if text.is_empty() {
        return;
    }
    let widest = ruler.ticks.major.iter().map(|(_, label)| label_width(label)).fold(0.0, f64::max);
    let is_steep = (to.1 - from.1).abs() > 3.0 * (to.0 - from.0).abs();
    if !(axis == 2 && is_steep) {
        // Past the numbers, by as much of their width and of its own as lies in this direction.
        let numbers = 0.8 * FONT + widest * dx.abs() + 1.4 * FONT * dy.abs();
        let own = font::width(&text, FONT) / 2.0 * dx.abs() + 0.5 * FONT * dy.abs();
        let beside = (numbers + own + 0.4 * FONT).max(3.2 * FONT);
        let at = (at.0 + beside * dx, at.1 + beside * dy + FONT * CAPITAL / 2.0);
        scene.text(text, at, FONT, Align::Center, chart.palette.ink);
        return;
    }
    let beside = (1.5 * FONT + widest) * dx.signum();
    // Upwards, what is written lies left of its baseline.
    let right = if dx > 0.0 { CAPITAL * FONT } else { 0.0 };
    let at = (at.0 + beside + right, (from.1 + to.1) / 2.0);
    scene.write(Text { text, at, size: FONT, align: Align::Center, angle: 90.0 }, chart.palette.ink);
}
