//! Axes around a middle: what is given by angles and distances is turned into
//! places of a plane where it is, and then drawn like anything else.

use std::f64::consts::{FRAC_PI_4, TAU};

use gpurepl_kernels::DType;

use super::axes::{self, LINE};
use super::boxes;
use super::load::{Data, Loaded};
use super::sketch::{Form, Sketch, Tone};
use super::{Block, Chart, Drawing, FONT, Kind, POINT, Series};
use crate::array::{GpuArray, Raw};
use crate::draw::font::CAPITAL;
use crate::draw::{Align, Point, Scene};
use crate::error::{Problem, Result};
use crate::reduce;
use crate::scale::{Label, Limits, Scale};

/// From the circle to the middles of angles, in pixels: Matplotlib's pads.
const PAD: f64 = 14.0 * POINT;

/// What stands around the circle needs so much room.
pub(super) const ROOM: f64 = PAD + FONT * 0.6;

/// Where distances are written: Matplotlib's `rlabel_position`, 22.5 degrees.
const DISTANCES: f64 = TAU / 16.0;

/// Steps of a circle: no corner is seen.
const STEPS: f64 = 360.0;

/// More points of a band than this are not copied.
const MOST_COPIED: usize = 1 << 18;

impl Drawing {
    /// The least and the greatest distance from the middle that the axes show,
    /// if they stand around one.
    ///
    /// # Errors
    ///
    /// If the figure has what such axes do not show, or if data cannot be read.
    pub(super) fn distances(&self) -> Result<Option<Limits>> {
        if !self.is_polar {
            return Ok(None);
        }
        let invalid = |operation: &'static str, message: &str| -> crate::error::Error {
            Problem::Invalid { operation, message: message.to_owned() }.into()
        };
        if (self.x.scale, self.y.scale) != (Scale::Linear, Scale::Linear) {
            let message = "polar axes are linear; leave out `.log_x()` and `.log_y()`, or plot the logarithm of distances";
            return Err(invalid("polar", message));
        }
        if self.x.limits.is_some() {
            let message = "polar axes go all around; leave out `.xlim(..)`: `.ylim(..)` sets distances";
            return Err(invalid("polar", message));
        }
        if self.twins.iter().any(Option::is_some) {
            let message = "polar axes have no second axis; make a figure for each: `subplots(1, 2)`";
            return Err(invalid("polar", message));
        }
        let mut ends: Option<(f64, f64)> = None;
        let mut add = |found: Option<(f64, f64)>| {
            let Some((low, high)) = found else { return };
            ends = Some(ends.map_or((low, high), |(a, b)| (a.min(low), b.max(high))));
        };
        for series in &self.series {
            let has_errors = series.errors.x.is_some() || series.errors.y.is_some();
            if has_errors || series.step.is_some() {
                let message = "polar axes show neither error bars nor steps; leave them out, or `.projection(\"polar\")`";
                return Err(invalid(series.kind.function(), message));
            }
            match &series.kind {
                Kind::Line { x: Some(_), y, names } | Kind::Scatter { x: Some(_), y, names }
                    if names.is_empty() =>
                {
                    add(reduce::extent(y, Scale::Linear)?.ends);
                }
                Kind::Between { low, high, .. } => {
                    add(reduce::extent(low, Scale::Linear)?.ends);
                    add(reduce::extent(high, Scale::Linear)?.ends);
                }
                // Bars may be stacked: they are looked at once they are known.
                Kind::Bars { x: Some(_), is_lying: false, .. } => {}
                Kind::Line { .. } | Kind::Scatter { .. } | Kind::Bars { is_lying: false, .. } => {
                    let message = "polar axes need an angle in radians for each value; write `(&theta, &r)`";
                    return Err(invalid(series.kind.function(), message));
                }
                _ => {
                    let message = "polar axes show `plot`, `scatter`, `bar` and `fill_between`; draw this in a figure of its own";
                    return Err(invalid(series.kind.function(), message));
                }
            }
        }
        Ok(Some(around(ends, self.y.limits)))
    }
}

/// The limits around distances, which begin at the middle where none is below
/// zero: Matplotlib's.
fn around(ends: Option<(f64, f64)>, given: Option<(f64, f64)>) -> Limits {
    if let Some((from, to)) = given {
        return Limits { from: from.min(to), to: from.max(to), scale: Scale::Linear };
    }
    let limits = Limits::around(ends, Scale::Linear, 0.05);
    let is_positive = ends.is_none_or(|(low, _)| low >= 0.0);
    // Distances of zero alone have no axis.
    let to = if limits.to > 0.0 || !is_positive { limits.to } else { 1.0 };
    Limits { from: if is_positive { 0.0 } else { limits.from.min(0.0) }, to, ..limits }
}

/// Where an angle of zero is, in radians from the right to the left, and which way angles run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Turn {
    pub(crate) zero: f64,
    pub(crate) is_clockwise: bool,
}

impl Turn {
    fn sign(self) -> f64 {
        if self.is_clockwise { -1.0 } else { 1.0 }
    }

    /// The place of an angle and a distance in the plane.
    fn placed(self, (angle, distance): Point, limits: &Limits) -> Point {
        let out = distance - limits.from;
        // What is nearer than the middle has no place.
        let out = if out < 0.0 { f64::NAN } else { out };
        let (sin, cos) = self.sin_cos(angle);
        (out * cos, out * sin)
    }

    fn sin_cos(self, angle: f64) -> (f64, f64) {
        (self.zero + self.sign() * angle).sin_cos()
    }
}

impl Loaded {
    /// Points by angles and distances as points of the plane: few are copied, and
    /// many are turned where they are.
    pub(super) fn around(
        &mut self,
        drawing: &Drawing,
        series: &Series,
        (angles, distances): (&Raw, &Raw),
        limits: &Limits,
        exact: usize,
    ) -> Result<Data> {
        if distances.shape().size() > exact {
            let (x, y) = on_device(drawing.turn, (angles, distances), limits, drawing.y.limits.is_some());
            return self.points(drawing, Some(&x), &y, &[], exact);
        }
        let points = reduce::values(angles)?.into_iter().zip(reduce::values(distances)?);
        let points: Vec<Point> = points.map(|point| drawing.turn.placed(point, limits)).collect();
        let radius = limits.to - limits.from;
        let points = match series.kind {
            Kind::Line { .. } => cut(&points, radius),
            _ => points.into_iter().map(|at| if is_within(at, radius) { at } else { NOWHERE }).collect(),
        };
        let (x, y) = points.into_iter().unzip();
        Ok(Data::Exact { x, y })
    }

    /// What is between two distances, in pieces.
    pub(super) fn band_around(&mut self, kind: &Kind, limits: &Limits, turn: Turn) -> Result<Data> {
        let Kind::Between { x, low, high } = kind else { return Ok(Data::Sketch(Sketch::default())) };
        let count = x.shape().size();
        if count > MOST_COPIED {
            let message = format!(
                "{count} angles are too many to fill between around a middle (at most {MOST_COPIED}); take every tenth, \
                 `theta.slice(s![..; 10])`"
            );
            return Err(Problem::Invalid { operation: "fill_between", message }.into());
        }
        let all = |raw: &Raw| -> Result<Vec<f64>> {
            let values = reduce::values(raw)?;
            Ok(if raw.shape().rank() == 0 { vec![values[0]; count] } else { values })
        };
        let (angles, low, high) = (all(x)?, all(low)?, all(high)?);
        let mut sketch = Sketch::default();
        let mut piece: Vec<(Point, Point)> = Vec::new();
        let mut close = |piece: &mut Vec<(Point, Point)>| {
            let there = piece.iter().map(|(low, _)| *low);
            let outline: Vec<Point> = there.chain(piece.iter().rev().map(|(_, high)| *high)).collect();
            if !outline.is_empty() {
                sketch.add(Form::Area(outline), Tone::Own);
            }
            piece.clear();
        };
        for (angle, (low, high)) in angles.into_iter().zip(low.into_iter().zip(high)) {
            // Cut at the circle.
            let inside = |distance: f64| distance.clamp(limits.from, limits.to);
            let ends =
                (turn.placed((angle, inside(low)), limits), turn.placed((angle, inside(high)), limits));
            match [ends.0.0, ends.1.0].iter().all(|at| at.is_finite()) {
                true => piece.push(ends),
                false => close(&mut piece),
            }
        }
        close(&mut piece);
        Ok(Data::Sketch(sketch))
    }
}

/// Bars as sectors between two angles and two distances, and the limits around
/// all of them.
pub(super) fn sectors(series: &Series, blocks: &[Block], limits: &Limits, turn: Turn) -> Data {
    let mut sketch = Sketch::default();
    for block in blocks {
        let arc = |distance: f64, from: f64, to: f64| -> Vec<Point> {
            let steps = ((to - from).abs() / TAU * STEPS).ceil().clamp(1.0, 10.0 * STEPS) as usize;
            let distance = distance.clamp(limits.from, limits.to);
            let angle = |k: usize| from + (to - from) * k as f64 / steps as f64;
            (0..=steps).map(|k| turn.placed((angle(k), distance), limits)).collect()
        };
        let (there, back) =
            (arc(block.to, block.left, block.right), arc(block.from, block.right, block.left));
        let area = [there, back].concat();
        let tone = match series.each.as_slice() {
            [] => Tone::Own,
            each => Tone::Painted(each[block.number % each.len()]),
        };
        if let Some(paint) = series.edge {
            let edge = area.iter().chain(area.first()).copied().collect();
            sketch.add(Form::Area(area), tone);
            sketch.add(Form::Line(edge, series.width), Tone::Painted(paint));
        } else {
            sketch.add(Form::Area(area), tone);
        }
        let height = block.from / 2.0 + block.to / 2.0;
        if series.has_numbers && (limits.from..=limits.to).contains(&height) {
            let middle = (block.left / 2.0 + block.right / 2.0, height);
            let text = boxes::number_of(block);
            sketch.add(Form::Text { at: turn.placed(middle, limits), text, align: Align::Center }, Tone::Ink);
        }
    }
    Data::Sketch(sketch)
}

/// Limits that bars fit into, too.
pub(super) fn with_blocks(limits: Limits, blocks: &[Block], given: Option<(f64, f64)>) -> Limits {
    let ends = blocks.iter().flat_map(|block| [block.from, block.to]).fold(None, |ends, at| {
        Some(ends.map_or((at, at), |(low, high): (f64, f64)| (low.min(at), high.max(at))))
    });
    match ends {
        Some(_) if given.is_none() => {
            let own = around(ends, None);
            Limits { from: limits.from.min(own.from), to: limits.to.max(own.to), ..limits }
        }
        _ => limits,
    }
}

const NOWHERE: Point = (f64::NAN, f64::NAN);

fn is_within((x, y): Point, radius: f64) -> bool {
    x.hypot(y) <= radius * (1.0 + 1e-12)
}

/// A line cut where it leaves a circle.
fn cut(points: &[Point], radius: f64) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::new();
    for (k, at) in points.iter().enumerate() {
        let is_inside = is_within(*at, radius);
        let before = k.checked_sub(1).map(|k| points[k]);
        if let Some(before) = before
            && is_inside != is_within(before, radius)
            && [before.0, at.0].iter().all(|place| place.is_finite())
        {
            kept.push(crossing(before, *at, radius));
        }
        kept.push(if is_inside { *at } else { NOWHERE });
    }
    kept
}

/// Where the way between two points, of which one is in a circle, crosses it.
fn crossing(from: Point, to: Point, radius: f64) -> Point {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (square, along) = (dx * dx + dy * dy, from.0 * dx + from.1 * dy);
    let beyond = from.0 * from.0 + from.1 * from.1 - radius * radius;
    let root = (along * along - square * beyond).max(0.0).sqrt();
    let is_outwards = beyond <= 0.0;
    let part = if is_outwards { (-along + root) / square } else { (-along - root) / square };
    (from.0 + dx * part, from.1 + dy * part)
}

/// The same as [`Turn::placed`] of arrays where they are; `is_cut` if some may be
/// beyond the limits.
fn on_device(turn: Turn, (angles, distances): (&Raw, &Raw), limits: &Limits, is_cut: bool) -> (Raw, Raw) {
    let flat = |raw: &Raw| GpuArray::<f64>::from_untyped(raw.cast(DType::Float64)).ravel();
    let (angles, out) = (flat(angles) * turn.sign() + turn.zero, flat(distances) - limits.from);
    let (x, y) = (&out * angles.cos(), &out * angles.sin());
    if !is_cut {
        return (x.raw, y.raw);
    }
    // The root of a number below zero is NaN: a place nowhere.
    let nothing = (out.sqrt() + ((limits.to - limits.from) - &out).sqrt()) * 0.0;
    ((x + &nothing).raw, (y + &nothing).raw)
}

/// The circle of a distance in the picture.
fn circle(chart: &Chart<'_>, radius: f64) -> Vec<Point> {
    let at = |k: usize| {
        let (sin, cos) = (k as f64 / STEPS * TAU).sin_cos();
        chart.place((radius * cos, radius * sin))
    };
    // On a little, so that no gap is where it ends.
    (0..=STEPS as usize + 1).map(at).collect()
}

/// The angles that lines are drawn at, and what they say.
fn angles(drawing: &Drawing) -> Vec<(f64, String)> {
    match &drawing.x.ticks {
        Some(ticks) => ticks
            .iter()
            .map(|tick| {
                let degrees = || format!("{}°", (tick.at.to_degrees() * 100.0).round() / 100.0);
                (tick.at, tick.name.clone().unwrap_or_else(degrees))
            })
            .collect(),
        None => (0..8).map(|k| (f64::from(k) * FRAC_PI_4, format!("{}°", k * 45))).collect(),
    }
}

/// The distances that circles are drawn at, and what they say.
fn rings(chart: &Chart<'_>, limits: &Limits) -> Vec<(f64, Label)> {
    let radius = chart.rect.width() / 2.0;
    let ticks = axes::of_axis(&chart.drawing.y, limits, || {
        limits.ticks(((radius / (FONT * 1.4)).round() as usize).clamp(2, 9))
    });
    // In the middle there is no ring.
    ticks.major.into_iter().filter(|(at, _)| *at - limits.from > 1e-9 * (limits.to - limits.from)).collect()
}

/// Lines at angles and distances.
pub(super) fn grid(chart: &Chart<'_>, limits: &Limits, scene: &mut Scene) {
    let color = chart.palette.grid;
    for (angle, _) in angles(chart.drawing) {
        let end = chart.drawing.turn.placed((angle, limits.to), limits);
        scene.line(&[chart.place((0.0, 0.0)), chart.place(end)], LINE, color);
    }
    for (distance, _) in rings(chart, limits) {
        scene.line(&circle(chart, distance - limits.from), LINE, color);
    }
}

/// The circle around everything, and what is written at angles and distances.
pub(super) fn frame(chart: &Chart<'_>, limits: &Limits, scene: &mut Scene) {
    let (ink, turn) = (chart.palette.ink, chart.drawing.turn);
    scene.line(&circle(chart, limits.to - limits.from), LINE, ink);
    for (angle, name) in angles(chart.drawing) {
        let (x, y) = chart.place(turn.placed((angle, limits.to), limits));
        let (sin, cos) = turn.sin_cos(angle);
        let at = (x + PAD * cos, y - PAD * sin + FONT * CAPITAL / 2.0);
        scene.text(name, at, FONT, Align::Center, ink);
    }
    for (distance, label) in rings(chart, limits) {
        let at = chart.place(turn.placed((DISTANCES, distance), limits));
        axes::write(&label, at, Align::Left, ink, scene);
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;
    use crate::reduce::{raw_of, values};

    const LIMITS: Limits = Limits { from: 0.0, to: 2.0, scale: Scale::Linear };

    /// The limits are those that Matplotlib 3.11 chooses.
    #[test]
    fn distances_have_matplotlibs_limits() {
        let ends = |low: f64, high: f64| {
            let limits = around(Some((low, high)), None);
            (limits.from, (limits.to * 1e6).round() / 1e6)
        };
        assert_eq!(ends(0.0, 2.0), (0.0, 2.1));
        assert_eq!(ends(1.0, 2.0), (0.0, 2.05));
        assert_eq!(ends(3.0, 3.0), (0.0, 3.165));
        assert_eq!(ends(0.5, 100.0), (0.0, 104.975));
        let below = around(Some((-1.0, 2.0)), None);
        assert!((below.from + 1.15).abs() < 1e-12 && (below.to - 2.15).abs() < 1e-12);
    }

    #[test]
    fn many_points_are_placed_as_few() {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let (angles, distances) = ([0.0, 1.0, 2.0, 7.0], [0.0, 1.5, -0.5, 2.5]);
        for turn in [Turn::default(), Turn { zero: FRAC_PI_2, is_clockwise: true }] {
            let (x, y) = on_device(turn, (&raw_of(&angles), &raw_of(&distances)), &LIMITS, true);
            let found: Vec<Point> = values(&x).unwrap().into_iter().zip(values(&y).unwrap()).collect();
            for (k, at) in found.iter().enumerate() {
                let expected = turn.placed((angles[k], distances[k]), &LIMITS);
                if k < 2 {
                    assert!((at.0 - expected.0).hypot(at.1 - expected.1) < 1e-12, "{at:?} {expected:?}");
                } else {
                    // Nearer than the middle, and outside.
                    assert!(at.0.is_nan() && at.1.is_nan(), "{at:?}");
                }
            }
        }
    }

    #[test]
    fn a_clock_begins_above_and_runs_to_the_right() {
        let clock = Turn { zero: FRAC_PI_2, is_clockwise: true };
        let (x, y) = clock.placed((FRAC_PI_2, 2.0), &LIMITS);
        assert!((x - 2.0).abs() < 1e-12 && y.abs() < 1e-12, "three o'clock: {x} {y}");
    }

    #[test]
    fn a_line_ends_at_the_circle() {
        let kept = cut(&[(0.0, 0.0), (4.0, 0.0), (0.0, 1.0)], 2.0);
        assert_eq!((kept[0], kept[1]), ((0.0, 0.0), (2.0, 0.0)));
        assert!(kept[2].0.is_nan() && is_within(kept[3], 2.0) && !is_within(kept[3], 1.999));
        assert_eq!(kept[4], (0.0, 1.0));
        assert_eq!(cut(&[(1.0, 0.0), NOWHERE, (0.0, 1.0)], 2.0).len(), 3);
    }
}
