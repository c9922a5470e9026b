//! What stands in space: surfaces, lines and points in a box with three axes, in
//! perspective, as Matplotlib's `mplot3d` shows them. What is nearer hides what is behind it.

mod data;
mod parts;
mod view;
mod walls;

pub(super) use data::{load, sheet};
pub(crate) use view::Angles;

use super::axes::{title, title_drop};
use super::{Aspect, Axis, Chart, Content, Drawing, FONT, Grid, Kind, POINT, Series, color_bar, legend};
use crate::draw::{Point, Rect, Scene};
use crate::error::{Problem, Result};
use crate::scale::{Limits, Scale};
use view::{SIDES, Vector, View};
use walls::Ruler;

/// A series in space.
pub(crate) struct Solid {
    pub(super) form: Form,
    /// The ends of `x`, `y` and `z`, of what is finite.
    ends: [Option<(f64, f64)>; 3],
    /// Those of the values that colours stand for.
    pub(super) range: Option<(f64, f64)>,
}

pub(super) enum Form {
    /// Heights over places that lie in rows and columns.
    Sheet {
        grid: Grid,
        across: Vec<f64>,
        up: Vec<f64>,
        /// Whether it is a matrix over columns and rows.
        is_flat: bool,
    },
    /// Points in order, and the value and the area that each has of its own.
    Points { at: Vec<Vector>, values: Option<Vec<f64>>, sizes: Option<Vec<f64>> },
}

impl Solid {
    /// The matrix of a sheet over columns and rows.
    pub(crate) fn flat(&self) -> Option<&Grid> {
        match &self.form {
            Form::Sheet { grid, is_flat: true, .. } => Some(grid),
            _ => None,
        }
    }
}

impl Kind {
    /// Whether it stands in space.
    pub(crate) fn is_solid(&self) -> bool {
        matches!(self, Kind::Surface { .. } | Kind::Space { .. })
    }
}

impl Drawing {
    /// Whether its axes are three.
    pub(crate) fn is_solid(&self) -> bool {
        self.series.iter().any(|series| series.kind.is_solid())
    }

    /// Refuses what three axes do not show, and what two axes do not have.
    pub(super) fn check_space(&self) -> Result<()> {
        let invalid = |operation, message: &str| {
            Err(Problem::Invalid { operation, message: message.to_owned() }.into())
        };
        let Some(series) = self.series.iter().find(|series| series.kind.is_solid()) else {
            let has_z = self.z.limits.is_some() || self.z.ticks.is_some() || !self.z.label.is_empty();
            return match has_z && !self.series.is_empty() {
                true => invalid(
                    "zlim",
                    "this figure has two axes; `.zlim(..)`, `.zticks(..)` and `.zlabel(..)` are of `surface`, `plot3d` \
                     and others in space",
                ),
                false => Ok(()),
            };
        };
        let operation = series.kind.function();
        if self.is_polar || (self.x.scale, self.y.scale) != (Scale::Linear, Scale::Linear) {
            return invalid(
                operation,
                "axes of space are linear and at right angles; leave out `.log_x()`, `.log_y()` and \
                 `.projection(\"polar\")`, or plot the logarithm of the values",
            );
        }
        if self.twin_of.is_some() || self.twins.iter().any(Option::is_some) || !self.insets.is_empty() {
            return invalid(
                operation,
                "axes of space have no twins and no axes within them; make a figure for each: `subplots(1, 2)`",
            );
        }
        if self.series.iter().any(|series| series.order.is_some()) {
            return invalid(
                "zorder",
                "in space what is nearer hides what is behind it; leave `.zorder(..)` out",
            );
        }
        if [&self.x, &self.y].iter().any(|axis| axis.is_date) {
            return invalid(
                "xaxis_date",
                "axes of space show numbers; leave it out, or give dates by `.xticks((&places, &names))`",
            );
        }
        if self.x.rotation != 0.0 {
            return invalid("xtick_rotation", "ticks of axes in space are not turned; leave it out");
        }
        Ok(())
    }
}

/// The series that stand in space, with their number among the layers.
fn solids<'c>(chart: &'c Chart<'_>) -> impl Iterator<Item = (usize, &'c Series, &'c Solid)> {
    chart.layers.iter().enumerate().filter_map(|(number, layer)| match &layer.content {
        Content::Solid(solid) => Some((number, layer.series, solid)),
        _ => None,
    })
}

/// The ends of the three axes: those that were asked for, or those of the data.
fn limits(chart: &Chart<'_>) -> [Limits; 3] {
    let axes: [&Axis; 3] = [&chart.drawing.x, &chart.drawing.y, &chart.drawing.z];
    [0, 1, 2].map(|number| {
        let scale = Scale::Linear;
        if let Some((from, to)) = axes[number].limits {
            return Limits { from, to, scale };
        }
        let all = solids(chart).filter_map(|(_, _, solid)| solid.ends[number]);
        let ends = all.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        // Matplotlib's margin of axes in space.
        Limits::around(ends, scale, 1.0 / 48.0)
    })
}

/// The sides of the box. Where a step is as long along each axis, they are as the ends of the
/// axes, the longest as long as usual.
fn sides(drawing: &Drawing, limits: &[Limits; 3]) -> Vector {
    if drawing.aspect != Aspect::Equal {
        return SIDES;
    }
    let lengths = limits.map(|limits| limits.high() - limits.low());
    let longest = lengths.iter().copied().fold(0.0, f64::max);
    // What is thinner than this would not be a box.
    lengths.map(|length| SIDES[0] * (length / longest).max(0.05))
}

/// A way to see a chart: where places of its data are in the picture.
pub(crate) struct Space {
    limits: [Limits; 3],
    view: View,
}

impl Space {
    fn new(chart: &Chart<'_>, room: &Rect) -> Space {
        let limits = limits(chart);
        let view = View::new(chart.drawing.angles, sides(chart.drawing, &limits), room);
        Space { limits, view }
    }

    /// The place of some data in the box; none where there is no number.
    fn boxed(&self, place: Vector) -> Option<Vector> {
        let place = [0, 1, 2].map(|axis| self.limits[axis].place(place[axis]));
        place.iter().all(|part| part.is_finite()).then_some(place)
    }
}

pub(super) fn draw(chart: &Chart<'_>, scene: &mut Scene) {
    let (width, height) = (f64::from(scene.size.0), f64::from(scene.size.1));
    let drawing = chart.drawing;
    let mut top = (0.1 * height).max(1.5 * FONT);
    if !drawing.title.is_empty() {
        let drop = title_drop(&drawing.title);
        top = ((0.15 * height).max(3.5 * FONT) + drop).min(0.5 * height);
        let at = (width / 2.0, 0.12 * height - 6.0 * POINT + drop);
        title(&drawing.title, at, scene, chart.palette.ink);
    }
    let right = if chart.bar.is_some() { chart.rect.right } else { width };
    let (beside, below) = legend::room(drawing);
    let room = Rect { left: 0.0, top, right: right - beside, bottom: height - below };
    let space = Space::new(chart, &room);
    let axes = [&drawing.x, &drawing.y, &drawing.z];
    let rulers = [0, 1, 2].map(|axis| Ruler::new(axes[axis], space.limits[axis]));
    if drawing.has_axes {
        walls::walls(chart, &space.view, &rulers, scene);
    }
    parts::draw(chart, &space, scene);
    if drawing.has_axes {
        walls::rulers(chart, &space.view, &rulers, scene);
    }
    if let Some(bar) = &chart.bar {
        color_bar::draw(chart, bar, scene);
    }
    legend::draw(chart, &[], scene);
}

/// Something as it is seen, for those who draw it in other ways.
pub(crate) struct Outline {
    /// The number of its layer; none of what is the box.
    pub(crate) layer: Option<usize>,
    /// Whether a line joins the points.
    pub(crate) is_joined: bool,
    pub(crate) points: Vec<Point>,
}

/// The box, and lines and points of the series, in a rectangle of a size.
pub(crate) fn outlines(chart: &Chart<'_>, (width, height): (f64, f64)) -> Vec<Outline> {
    // As large as usual, and then as large as there is room for.
    let space = Space::new(chart, &Rect { left: 0.0, top: 0.0, right: 640.0, bottom: 480.0 });
    let seen = space.view.bounds();
    let scale = (width / seen.width()).min(height / seen.height());
    let middle = ((seen.left + seen.right) / 2.0, (seen.top + seen.bottom) / 2.0);
    let fitted =
        |(x, y): Point| (width / 2.0 + (x - middle.0) * scale, height / 2.0 + (y - middle.1) * scale);
    let far = space.view.far();
    let edge = |axis: usize| {
        let end = |part: f64| {
            let mut place = far;
            place[axis] = part;
            space.view.at(place)
        };
        Outline { layer: None, is_joined: true, points: vec![end(0.0), end(1.0)] }
    };
    let mut outlines: Vec<Outline> = (0..3).map(edge).chain(parts::outlines(chart, &space)).collect();
    outlines.iter_mut().flat_map(|outline| &mut outline.points).for_each(|at| *at = fitted(*at));
    outlines
}

/// What stands along the three axes, in words.
pub(crate) fn ends(chart: &Chart<'_>, end: impl Fn(&Limits, f64, &Axis) -> String) -> String {
    let axes = [("x", &chart.drawing.x), ("y", &chart.drawing.y), ("z", &chart.drawing.z)];
    let all = limits(chart);
    let words = axes.iter().zip(&all).map(|((name, axis), limits)| {
        format!("{name}: {} to {}", end(limits, limits.from, axis), end(limits, limits.to, axis))
    });
    words.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
#[allow(clippy::needless_borrows_for_generic_args, reason = "arrays are lent, as cells lend them")]
mod tests {
    use crate::{Figure, plot, plot3d, scatter3d, surface, wireframe};

    fn svg(figure: &Figure) -> String {
        figure.to_svg().unwrap()
    }

    #[test]
    fn a_view_from_elsewhere_is_another_picture() {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let figure = surface(&[[0.0, 1.0], [1.0, 3.0]]);
        let first = svg(&figure);
        assert_ne!(first, svg(&figure.view_init(10, 45)));
        assert_eq!(first, svg(&figure.view_init(30, -60)));
        assert_eq!(first, svg(&figure.view_init(30, 300)));
    }

    #[test]
    fn ticks_and_names_of_all_three_axes_are_shown() {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let figure = plot3d((&[0, 1], &[0, 1], &[0, 1])).xlabel("X").ylabel("Y").zlabel("Z");
        figure.xticks((&[0, 1], ["left", "right"])).zticks((&[0.5], ["half"])).zlim(-1, 2);
        let svg = svg(&figure);
        for text in [">X<", ">Y<", ">Z<", ">left<", ">right<", ">half<"] {
            assert!(svg.contains(text), "{text}");
        }
    }

    #[test]
    fn what_is_nearer_hides_what_is_behind() {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let wall = surface((&[[0.0, 0.0], [1.0, 1.0]], &[[0.5, 0.5], [0.5, 0.5]], &[[0.0, 1.0], [0.0, 1.0]]));
        wall.color("tab:gray").ylim(0, 1);
        let dot = |y: f64| {
            let figure = wall.clone();
            figure.scatter3d((&[0.5], &[y], &[0.5])).color("tab:red");
            svg(&figure)
        };
        // Seen from the side where y is small.
        let place = |svg: &str, color: &str| svg.rfind(color).unwrap();
        let (before, behind) = (dot(0.1), dot(0.9));
        let wall_in = |svg: &str| svg.match_indices("<polygon").map(|(at, _)| at).nth(4).unwrap();
        assert!(place(&before, "#D62728") > wall_in(&before), "{before}");
        assert!(place(&behind, "#D62728") < wall_in(&behind), "{behind}");
    }

    #[test]
    fn axes_of_space_and_of_the_plane_do_not_mix() {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        for mixed in [
            || plot(&[1, 2]).surface(&[[1, 2], [3, 4]]),
            || wireframe(&[[1, 2], [3, 4]]).plot(&[1, 2]),
            || scatter3d((&[1], &[2], &[3])).hist(&[1, 2], 3),
        ] {
            let message = std::panic::catch_unwind(mixed).map(|_| ()).unwrap_err();
            let message = message.downcast_ref::<crate::error::Error>().unwrap().to_string();
            assert!(message.contains("two axes or three"), "{message}");
        }
    }
}
