//! Areas, lines and rings in the numbers of the axes: what kinds that need no
//! reduction of their own are made of.

use super::{Chart, Layer, POINT, Paint, arrows, image};
use crate::color::Color;
use crate::draw::{Align, Point, Scene, Shape, font};
use crate::marker::Marker;

/// Parts of a series, and what the axes must show of them.
#[derive(Default)]
pub(crate) struct Sketch {
    pub(super) parts: Vec<Part>,
    pub(super) x: Option<(f64, f64)>,
    pub(super) y: Option<(f64, f64)>,
    /// Whether the axes have no margin around it, across and up.
    pub(super) is_tight: (bool, bool),
    /// What its parts are, if each has a colour of its own by turns.
    pub(crate) shares: Vec<String>,
    /// The values that the ends of the colours stand for.
    pub(super) range: Option<(f64, f64)>,
}

pub(crate) struct Part {
    pub(super) form: Form,
    pub(super) tone: Tone,
}

pub(super) enum Form {
    Area(Vec<Point>),
    /// An area whose neighbours touch it, which is a little larger so that no
    /// seams show.
    Tile(Vec<Point>),
    /// A line of a width in points.
    Line(Vec<Point>, f64),
    /// Circles of a diameter in points.
    Rings(Vec<Point>, f64),
    /// Triangles of a size in points.
    Mark(Vec<Point>, f64),
    /// An arrow from a place, and how far it reaches to the right and up; this and
    /// its width in widths of the axes.
    Arrow {
        at: Point,
        by: Point,
        width: f64,
    },
    /// Where a text begins, has its middle or ends, half as high as it is.
    Text {
        at: Point,
        text: String,
        align: Align,
    },
    /// The head of an arrow at a place, which points from another one to it.
    Head {
        tip: Point,
        from: Point,
    },
}

/// The colour of a part.
#[derive(Clone, Copy)]
pub(super) enum Tone {
    /// That of the series.
    Own,
    /// The same, with a part of its opacity.
    Faded(f64),
    /// That of the axes.
    Ink,
    /// Black, on the light colours of every theme.
    Black,
    /// One of those that series have by turns.
    Cycle(usize),
    /// One that was asked for.
    Painted(Paint),
    /// That of a value, by the colormap.
    Value(f64),
}

impl Sketch {
    pub(super) fn add(&mut self, form: Form, tone: Tone) {
        self.parts.push(Part { form, tone });
    }

    /// Lines, and those around areas.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &[Point]> {
        self.parts.iter().filter_map(|part| match &part.form {
            Form::Area(points) | Form::Tile(points) | Form::Line(points, _) => Some(&points[..]),
            Form::Rings(..) | Form::Mark(..) | Form::Arrow { .. } | Form::Text { .. } | Form::Head { .. } => {
                None
            }
        })
    }

    /// The places of what is neither a line nor an area.
    pub(crate) fn points(&self) -> impl Iterator<Item = &Point> {
        let points = self.parts.iter().map(|part| match &part.form {
            Form::Rings(points, _) | Form::Mark(points, _) => &points[..],
            Form::Head { tip: at, .. } | Form::Arrow { at, .. } => std::slice::from_ref(at),
            Form::Text { .. } | Form::Area(_) | Form::Tile(_) | Form::Line(..) => &[],
        });
        points.flatten()
    }

    /// Where arrows begin, and how far they reach to the right and up, in widths
    /// of the axes.
    pub(crate) fn arrows(&self) -> impl Iterator<Item = (Point, Point)> {
        self.parts.iter().filter_map(|part| match &part.form {
            Form::Arrow { at, by, .. } => Some((*at, *by)),
            _ => None,
        })
    }

    /// The same with both axes exchanged.
    pub(super) fn transposed(mut self) -> Sketch {
        for part in &mut self.parts {
            match &mut part.form {
                Form::Area(points)
                | Form::Tile(points)
                | Form::Line(points, _)
                | Form::Rings(points, _)
                | Form::Mark(points, _) => {
                    points.iter_mut().for_each(|point| *point = (point.1, point.0));
                }
                Form::Text { at, .. } => *at = (at.1, at.0),
                Form::Arrow { at, by, .. } => (*at, *by) = ((at.1, at.0), (by.1, by.0)),
                Form::Head { tip, from } => (*tip, *from) = ((tip.1, tip.0), (from.1, from.0)),
            }
        }
        std::mem::swap(&mut self.x, &mut self.y);
        self.is_tight = (self.is_tight.1, self.is_tight.0);
        self
    }

    /// What the axes must show, which is all that there is.
    pub(super) fn measured(mut self) -> Sketch {
        let (mut x, mut y) = (None, None);
        let with = |ends: Option<(f64, f64)>, at: f64| match ends {
            Some((low, high)) => Some((low.min(at), high.max(at))),
            None => Some((at, at)),
        };
        for point in self
            .paths()
            .flatten()
            .chain(self.points())
            .filter(|point| point.0.is_finite() && point.1.is_finite())
        {
            (x, y) = (with(x, point.0), with(y, point.1));
        }
        (self.x, self.y) = (x, y);
        self
    }
}

/// How far an arrow's head reaches ahead of its place and back, and half its
/// width, in points: Matplotlib's `-|>` with the edge around it.
const HEAD: (f64, f64, f64) = (2.0, 4.5, 3.0);

/// How far a tile reaches over its neighbours, in pixels.
const OVERLAP: f64 = 0.4;

pub(super) fn draw(chart: &Chart<'_>, layer: &Layer<'_>, sketch: &Sketch, scene: &mut Scene) {
    let around = chart.rect.grown(1e4);
    let placed = |points: &[Point]| -> Option<Vec<Point>> {
        let place = |point: &Point| {
            let (x, y) = chart.place(*point);
            // Far outside, a coordinate may be too large for a backend.
            (!x.is_nan() && !y.is_nan())
                .then(|| (x.clamp(around.left, around.right), y.clamp(around.top, around.bottom)))
        };
        points.iter().map(place).collect()
    };
    // Tiles of one colour in a row are one mark.
    let mut tiles: Option<(Color, Vec<Vec<Point>>)> = None;
    for part in &sketch.parts {
        let Some(color) = color(chart, layer, sketch, part.tone) else { continue };
        if let Form::Tile(points) = &part.form {
            let Some(points) = placed(points) else { continue };
            match &mut tiles {
                Some((last, areas)) if *last == color => areas.push(grown(&points)),
                _ => {
                    let before = tiles.replace((color, vec![grown(&points)]));
                    before.into_iter().for_each(|(color, areas)| {
                        scene.add_within(Shape::Areas(areas), color, chart.rect);
                    });
                }
            }
            continue;
        }
        if let Form::Text { at, text, align } = &part.form {
            let size = layer.series.font * POINT;
            let (x, y) = chart.place(*at);
            scene.text(&**text, (x, y + font::CAPITAL * size / 2.0), size, *align, color);
            continue;
        }
        // What keeps its size has places.
        let anchors = match &part.form {
            Form::Rings(centers, _) | Form::Mark(centers, _) => placed(centers).unwrap_or_default(),
            Form::Arrow { at, .. } => vec![chart.place(*at)],
            Form::Head { tip, .. } => vec![chart.place(*tip)],
            _ => Vec::new(),
        };
        let shape = match &part.form {
            Form::Tile(_) | Form::Text { .. } => None,
            Form::Area(points) => placed(points).map(|points| Shape::Areas(vec![points])),
            Form::Line(points, width) => placed(points).map(|path| Shape::Strokes {
                paths: vec![path],
                width: width * POINT,
                dashes: layer.series.dashes(),
            }),
            Form::Rings(centers, diameter) => placed(centers).map(|centers| Shape::Strokes {
                paths: centers.iter().map(|center| ring(*center, diameter / 2.0 * POINT)).collect(),
                width: POINT,
                dashes: Vec::new(),
            }),
            Form::Mark(centers, size) => {
                placed(centers).map(|centers| Marker::Up.shape(&centers, size * POINT, POINT))
            }
            Form::Arrow { at, by, width } => placed(&[*at]).map(|at| {
                let all = chart.rect.width();
                let by = (by.0 * all, -by.1 * all);
                Shape::Areas(vec![arrows::outline(at[0], by, width * all)])
            }),
            Form::Head { tip, from } => placed(&[*from, *tip]).and_then(|ends| head(ends[0], ends[1])),
        };
        if let Some(shape) = shape {
            scene.add_anchored(shape, &anchors, color, chart.rect);
        }
    }
    if let Some((color, areas)) = tiles {
        scene.add_within(Shape::Areas(areas), color, chart.rect);
    }
}

fn color(chart: &Chart<'_>, layer: &Layer<'_>, sketch: &Sketch, tone: Tone) -> Option<Color> {
    let opacity = layer.series.opacity;
    Some(match tone {
        Tone::Own => layer.color,
        Tone::Faded(part) => layer.color.with_opacity(layer.color.opacity * part),
        Tone::Ink => chart.palette.ink.with_opacity(opacity),
        Tone::Black => Color { red: 0, green: 0, blue: 0, opacity },
        Tone::Cycle(index) => chart.palette.turn(index).with_opacity(opacity),
        Tone::Painted(paint) => chart.painted(paint, layer.series),
        Tone::Value(value) => {
            let share = image::share(value, sketch.range?, layer.series.norm)?;
            layer.series.colormap.at(share).with_opacity(opacity)
        }
    })
}

/// A polygon, a little larger around its middle.
fn grown(points: &[Point]) -> Vec<Point> {
    let part = 1.0 / points.len().max(1) as f64;
    let middle = points.iter().fold((0.0, 0.0), |sum, at| (sum.0 + at.0 * part, sum.1 + at.1 * part));
    let outward = |(x, y): &Point| {
        let (dx, dy) = (x - middle.0, y - middle.1);
        let length = dx.hypot(dy).max(1e-9);
        (x + dx / length * OVERLAP, y + dy / length * OVERLAP)
    };
    points.iter().map(outward).collect()
}

/// A circle as a line.
pub(super) fn ring(center: Point, radius: f64) -> Vec<Point> {
    let at = |k: usize| {
        let (sin, cos) = (k as f64 * std::f64::consts::TAU / 24.0).sin_cos();
        (center.0 + radius * cos, center.1 + radius * sin)
    };
    (0..=24).map(at).collect()
}

fn head(from: Point, tip: Point) -> Option<Shape> {
    let (dx, dy) = (tip.0 - from.0, tip.1 - from.1);
    let length = dx.hypot(dy);
    if length <= 0.0 {
        return None;
    }
    let (x, y) = (dx / length * POINT, dy / length * POINT);
    let back = (tip.0 - x * HEAD.1, tip.1 - y * HEAD.1);
    let aside = (-y * HEAD.2, x * HEAD.2);
    Some(Shape::Areas(vec![vec![
        (tip.0 + x * HEAD.0, tip.1 + y * HEAD.0),
        (back.0 + aside.0, back.1 + aside.1),
        (back.0 - aside.0, back.1 - aside.1),
    ]]))
}
