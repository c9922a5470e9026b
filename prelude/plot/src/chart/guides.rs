//! Lines and bands across the axes, texts and arrows.

use super::{Chart, Layer, Level, POINT};
use crate::draw::font::{self, CAPITAL, DESCENT};
use crate::draw::{Align, Point, Rect, Scene, Shape, Text};

/// What is drawn as it was given, in the numbers of the axes.
#[derive(Clone)]
pub(crate) enum Guide {
    /// A line at a place of `y`.
    Across(f64),
    /// A line at a place of `x`.
    Upright(f64),
    /// A band between two places of `y`.
    BandAcross(f64, f64),
    /// A band between two places of `x`.
    BandUpright(f64, f64),
    Text {
        at: Point,
        text: String,
    },
    /// A text, and an arrow from it to a point.
    Arrow {
        to: Point,
        at: Point,
        text: String,
    },
}

impl Guide {
    /// The method that adds it.
    pub(super) fn function(&self) -> &'static str {
        match self {
            Guide::Across(_) => "axhline",
            Guide::Upright(_) => "axvline",
            Guide::BandAcross(..) => "axhspan",
            Guide::BandUpright(..) => "axvspan",
            Guide::Text { .. } => "text",
            Guide::Arrow { .. } => "annotate",
        }
    }

    /// See [`super::Kind`].
    pub(super) fn height(&self) -> u8 {
        match self {
            Guide::BandAcross(..) | Guide::BandUpright(..) => 1,
            Guide::Across(_) | Guide::Upright(_) => 2,
            Guide::Text { .. } | Guide::Arrow { .. } => 3,
        }
    }

    pub(super) fn is_text(&self) -> bool {
        self.height() == 3
    }

    pub(super) fn is_band(&self) -> bool {
        self.height() == 1
    }

    /// What the axes must show of it. Texts may lie outside.
    pub(crate) fn ends(&self) -> [Option<(f64, f64)>; 2] {
        let between = |from: f64, to: f64| Some((from.min(to), from.max(to)));
        match self {
            Guide::Across(at) => [None, between(*at, *at)],
            Guide::Upright(at) => [between(*at, *at), None],
            Guide::BandAcross(from, to) => [None, between(*from, *to)],
            Guide::BandUpright(from, to) => [between(*from, *to), None],
            Guide::Text { .. } | Guide::Arrow { .. } => [None, None],
        }
    }
}

/// Lengths of an arrow's head, in points.
const HEAD: f64 = 5.0;
/// Between an arrow and what it is about, in points: Matplotlib's `shrinkA`
/// and `shrinkB` (`lib/matplotlib/patches.py`).
const GAP: f64 = 2.0;

pub(super) fn draw(chart: &Chart<'_>, layer: &Layer<'_>, guide: &Guide, scene: &mut Scene) {
    let (rect, color) = (chart.rect, layer.color);
    let strokes = |path: Vec<Point>| Shape::Strokes {
        paths: vec![path],
        width: layer.series.width * POINT,
        dashes: layer.series.dashes(),
    };
    // Far outside, a coordinate may be too large for a backend.
    let x = |at: f64| chart.place((at, chart.y.from)).0.clamp(rect.left - 1e4, rect.right + 1e4);
    let y = |at: f64| chart.place((chart.x.from, at)).1.clamp(rect.top - 1e4, rect.bottom + 1e4);
    let is_seen = |at: f64| !at.is_nan();
    match guide {
        Guide::Across(at) if is_seen(y(*at)) => {
            scene.add_within(strokes(vec![(rect.left, y(*at)), (rect.right, y(*at))]), color, rect);
        }
        Guide::Upright(at) if is_seen(x(*at)) => {
            scene.add_within(strokes(vec![(x(*at), rect.bottom), (x(*at), rect.top)]), color, rect);
        }
        Guide::BandAcross(from, to) if is_seen(y(*from) + y(*to)) => {
            let (from, to) = (y(*from), y(*to));
            let band = Rect { top: from.min(to), bottom: from.max(to), ..rect };
            scene.add_within(Shape::Areas(vec![band.corners()]), color, rect);
        }
        Guide::BandUpright(from, to) if is_seen(x(*from) + x(*to)) => {
            let (from, to) = (x(*from), x(*to));
            let band = Rect { left: from.min(to), right: from.max(to), ..rect };
            scene.add_within(Shape::Areas(vec![band.corners()]), color, rect);
        }
        Guide::Text { at, text } if is_seen(x(at.0) + y(at.1)) => {
            write(text, (x(at.0), y(at.1)), layer, scene);
        }
        Guide::Arrow { to, at, text } if is_seen(x(at.0) + y(at.1)) && is_seen(x(to.0) + y(to.1)) => {
            let (at, to) = ((x(at.0), y(at.1)), (x(to.0), y(to.1)));
            write(text, at, layer, scene);
            arrow(&around(text, at, layer), to, layer, scene);
        }
        // A logarithmic axis has no place for it.
        _ => {}
    }
}

fn write(text: &str, at: Point, layer: &Layer<'_>, scene: &mut Scene) {
    let (size, angle) = (layer.series.font * POINT, layer.series.angle);
    let (drop, height) = (font::drop(text, size), CAPITAL * size);
    if angle != 0.0 {
        let at = turned(text, at, layer);
        scene.write(Text { text: text.to_owned(), at, size, align: Align::Left, angle }, layer.color);
        return;
    }
    // How far the first baseline is below the place.
    let down = match layer.series.level {
        Level::Baseline => -drop,
        Level::Bottom => -drop - DESCENT * size,
        Level::Middle => (height - drop) / 2.0,
        Level::Top => height,
    };
    let at = (at.0, at.1 + down);
    scene.write(Text { text: text.to_owned(), at, size, align: layer.series.align, angle }, layer.color);
}

/// Where a turned text begins: the upright rectangle around it stands at the place, as Matplotlib's does
/// (`lib/matplotlib/text.py`, `_get_layout`, with a `rotation_mode` of `default`).
fn turned(text: &str, at: Point, layer: &Layer<'_>) -> Point {
    let size = layer.series.font * POINT;
    let (width, below) = (font::width(text, size), font::drop(text, size) + DESCENT * size);
    let (sin, cos) = layer.series.angle.to_radians().sin_cos();
    let corners = [(0.0, -CAPITAL * size), (width, -CAPITAL * size), (0.0, below), (width, below)];
    let corners = corners.map(|(along, down)| (along * cos + down * sin, down * cos - along * sin));
    let ends = |of: fn(&Point) -> f64| {
        let all = corners.iter().map(of);
        all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)))
    };
    let ((left, right), (top, bottom)) = (ends(|corner| corner.0), ends(|corner| corner.1));
    let across = match layer.series.align {
        Align::Left => left,
        Align::Center => (left + right) / 2.0,
        Align::Right => right,
    };
    let down = match layer.series.level {
        Level::Baseline => bottom - DESCENT * size,
        Level::Bottom => bottom,
        Level::Middle => (top + bottom) / 2.0,
        Level::Top => top,
    };
    (at.0 - across, at.1 - down)
}

/// The rectangle of a text.
fn around(text: &str, (x, y): Point, layer: &Layer<'_>) -> Rect {
    let size = layer.series.font * POINT;
    let width = font::width(text, size);
    let left = match layer.series.align {
        Align::Left => x,
        Align::Center => x - width / 2.0,
        Align::Right => x - width,
    };
    let (drop, height) = (font::drop(text, size), CAPITAL * size);
    let bottom = match layer.series.level {
        Level::Baseline => y,
        Level::Bottom => y - DESCENT * size,
        Level::Middle => y + (drop + height) / 2.0,
        Level::Top => y + drop + height,
    };
    Rect { left, top: bottom - drop - height, right: left + width, bottom }
}

/// An arrow from the edge of a text to a point.
fn arrow(from: &Rect, to: Point, layer: &Layer<'_>, scene: &mut Scene) {
    let from = from.grown(GAP * POINT);
    let center = ((from.left + from.right) / 2.0, (from.top + from.bottom) / 2.0);
    let (dx, dy) = (to.0 - center.0, to.1 - center.1);
    // Where the line from the middle leaves the text.
    let out = |length: f64, half: f64| if length == 0.0 { f64::INFINITY } else { half / length.abs() };
    let leaves = out(dx, from.width() / 2.0).min(out(dy, from.height() / 2.0));
    let length = dx.hypot(dy);
    if !(leaves < 1.0 && length > 0.0) {
        return;
    }
    let start = (center.0 + dx * leaves, center.1 + dy * leaves);
    let (ux, uy) = (dx / length, dy / length);
    let tip = (to.0 - ux * GAP * POINT, to.1 - uy * GAP * POINT);
    if (tip.0 - start.0) * ux + (tip.1 - start.1) * uy <= 0.0 {
        return;
    }
    let width = POINT;
    scene.line(&[start, tip], width, layer.color);
    // Two barbs, as of Matplotlib's `->`.
    let barb = |side: f64| {
        let (back, aside) = (HEAD * POINT, HEAD * 0.5 * POINT * side);
        (tip.0 - ux * back - uy * aside, tip.1 - uy * back + ux * aside)
    };
    scene.line(&[barb(1.0), tip, barb(-1.0)], width, layer.color);
}
