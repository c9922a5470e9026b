//! A figure as marks on a plane, and the ways to draw them: as SVG, by plotters' own
//! backend, and as pixels, by one over zeno, which are asked the same through plotters'
//! [`DrawingBackend`]; and as PDF, mark by mark. Pictures look the same.

mod canvas;
pub(super) mod clip;
pub(super) mod font;
pub(super) mod formula;
pub(super) mod pdf;
pub(super) mod picture;
pub(super) mod pixels;
mod shaping;
pub(super) mod svg;
mod window;

use plotters_backend::text_anchor::{HPos, Pos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontFamily,
    FontStyle, FontTransform,
};

use super::color::Color;
use formula::Run;
use picture::Picture;
pub(super) use window::{Ruler, Side, TickLook, Window};

/// A place in pixels, from the upper left corner.
pub(super) type Point = (f64, f64);

/// A rectangle in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rect {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Rect {
    pub(super) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(super) fn height(&self) -> f64 {
        self.bottom - self.top
    }

    pub(super) fn corners(&self) -> Vec<Point> {
        vec![
            (self.left, self.top),
            (self.right, self.top),
            (self.right, self.bottom),
            (self.left, self.bottom),
        ]
    }

    pub(super) fn contains(&self, (x, y): Point) -> bool {
        x >= self.left && x <= self.right && y >= self.top && y <= self.bottom
    }

    pub(super) fn grown(&self, by: f64) -> Rect {
        Rect { left: self.left - by, top: self.top - by, right: self.right + by, bottom: self.bottom + by }
    }

    pub(super) fn moved(&self, (dx, dy): Point) -> Rect {
        Rect { left: self.left + dx, top: self.top + dy, right: self.right + dx, bottom: self.bottom + dy }
    }
}

/// Something that is drawn.
pub(super) enum Shape {
    /// Lines through points, of a width in pixels. Dashes are lengths in
    /// pixels, drawn and left out by turns.
    Strokes { paths: Vec<Vec<Point>>, width: f64, dashes: Vec<f64> },
    /// The insides of polygons.
    Areas(Vec<Vec<Point>>),
    /// Discs of a radius in pixels.
    Discs { centers: Vec<Point>, radius: f64 },
    /// Letters in a row.
    Text(Text, Face),
    /// A picture stretched over a rectangle.
    Picture { picture: Picture, over: Rect },
}

/// How letters look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Face {
    Upright,
    Italic,
    Bold,
}

/// A line of text: its baseline begins, has its middle or ends at a place.
pub(super) struct Text {
    pub(super) text: String,
    pub(super) at: Point,
    /// The size of the font in pixels.
    pub(super) size: f64,
    pub(super) align: Align,
    /// How far it is turned to the left, in degrees: 90 reads upwards.
    pub(super) angle: f64,
}

/// Which end of a text stands at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Center,
    Right,
}

/// What a mark belongs to, for readers who move the axes: one of the scene's
/// [`Window`]s, by its number, or none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Part {
    #[default]
    Rest,
    Data(usize),
    Grid(usize),
    Ticks(usize),
}

/// A shape with its colour, and where it may be seen.
pub(super) struct Mark {
    pub(super) shape: Shape,
    pub(super) color: Color,
    pub(super) within: Option<Rect>,
    pub(super) part: Part,
    /// The places of what keeps its size when axes move, in the order of its
    /// paths, of which each has as many; none where all of it moves.
    pub(super) anchors: Vec<Point>,
}

impl Mark {
    pub(super) fn new(shape: Shape, color: Color) -> Mark {
        Mark { shape, color, within: None, part: Part::Rest, anchors: Vec::new() }
    }
}

/// All that is drawn, first what lies below.
pub(super) struct Scene {
    /// In its own pixels, of which letters have the usual number.
    pub(super) size: (u32, u32),
    /// The size of the picture in pixels, which are fewer or more where letters are smaller or larger.
    pub(super) seen: (u32, u32),
    pub(super) background: Color,
    pub(super) marks: Vec<Mark>,
    /// Axes that a reader may move.
    pub(super) windows: Vec<Window>,
    /// What is added belongs to it.
    pub(super) part: Part,
}

impl Scene {
    /// A scene without marks, of a size of its own and one in which it is seen.
    pub(super) fn new(size: (u32, u32), seen: (u32, u32), background: Color) -> Scene {
        Scene { size, seen, background, marks: Vec::new(), windows: Vec::new(), part: Part::Rest }
    }

    pub(super) fn add(&mut self, shape: Shape, color: Color) {
        self.marks.push(Mark { part: self.part, ..Mark::new(shape, color) });
    }

    pub(super) fn add_within(&mut self, shape: Shape, color: Color, within: Rect) {
        self.marks.push(Mark { within: Some(within), part: self.part, ..Mark::new(shape, color) });
    }

    /// Adds what keeps its size at these places when axes move.
    pub(super) fn add_anchored(&mut self, shape: Shape, anchors: &[Point], color: Color, within: Rect) {
        let mark = Mark { within: Some(within), part: self.part, ..Mark::new(shape, color) };
        self.marks.push(Mark { anchors: anchors.to_vec(), ..mark });
    }

    /// The letters that the font of pixels lacks, each once.
    pub(super) fn letters_without_glyph(&self) -> String {
        let mut missing = String::new();
        for mark in &self.marks {
            let Shape::Text(text, _) = &mark.shape else { continue };
            for c in text.text.chars().filter(|c| !font::has(*c)) {
                if !missing.contains(c) {
                    missing.push(c);
                }
            }
        }
        missing
    }

    /// Adds all of another scene, further right and further down.
    pub(super) fn append(&mut self, other: Scene, by: Point) {
        let before = self.windows.len();
        let part = |part: Part| match part {
            Part::Rest => Part::Rest,
            Part::Data(window) => Part::Data(before + window),
            Part::Grid(window) => Part::Grid(before + window),
            Part::Ticks(window) => Part::Ticks(before + window),
        };
        let marks = other.marks.into_iter().map(|mark| Mark { part: part(mark.part), ..mark.moved(by) });
        self.marks.extend(marks);
        let windows = other.windows.into_iter();
        self.windows.extend(windows.map(|window| Window { rect: window.rect.moved(by), ..window }));
    }

    pub(super) fn line(&mut self, points: &[Point], width: f64, color: Color) {
        self.add(Shape::Strokes { paths: vec![points.to_vec()], width, dashes: Vec::new() }, color);
    }

    pub(super) fn text(&mut self, text: impl Into<String>, at: Point, size: f64, align: Align, color: Color) {
        self.write(Text { text: text.into(), at, size, align, angle: 0.0 }, color);
    }

    /// Writes a text of one line or more, the first of them at its place.
    pub(super) fn write(&mut self, text: Text, color: Color) {
        let (before, place) = (self.marks.len(), text.at);
        self.write_lines(text, color);
        self.marks[before..].iter_mut().for_each(|mark| mark.anchors = vec![place]);
    }

    fn write_lines(&mut self, text: Text, color: Color) {
        let (sine, cosine) = text.angle.to_radians().sin_cos();
        let (baselines, _) = font::baselines(&text.text, text.size);
        for (line, down) in text.text.split('\n').zip(baselines) {
            // From the place of the text, along its line and down from it.
            let at = |along: f64, down: f64| match text.angle {
                0.0 => (text.at.0 + along, text.at.1 + down),
                _ => (text.at.0 + along * cosine + down * sine, text.at.1 - along * sine + down * cosine),
            };
            let Some(laid) = formula::laid_out(line, text.size) else {
                let text = Text { text: line.to_owned(), at: at(0.0, down), ..text };
                self.add(Shape::Text(text, Face::Upright), color);
                continue;
            };
            let left = match text.align {
                Align::Left => 0.0,
                Align::Center => -laid.width / 2.0,
                Align::Right => -laid.width,
            };
            for Run { text: letters, at: (x, y), size, face } in laid.runs {
                let place = at(left + x, down + y);
                let run = Text { text: letters, at: place, size, align: Align::Left, angle: text.angle };
                self.add(Shape::Text(run, face), color);
            }
            for (points, width) in laid.lines {
                let path = points.into_iter().map(|(x, y)| at(left + x, down + y)).collect();
                self.add(Shape::Strokes { paths: vec![path], width, dashes: Vec::new() }, color);
            }
        }
    }
}

/// Backends count in whole units: so many to a pixel, which nobody can see.
pub(crate) const UNITS: f64 = 10.0;

fn unit(pixels: f64) -> i32 {
    // Beyond a million pixels nothing is seen, and nothing overflows.
    (pixels.clamp(-1e6, 1e6) * UNITS).round() as i32
}

fn coord((x, y): Point) -> BackendCoord {
    (unit(x), unit(y))
}

/// A colour and a width.
struct Pen(Color, f64);

impl BackendStyle for Pen {
    fn color(&self) -> BackendColor {
        backend_color(self.0)
    }

    fn stroke_width(&self) -> u32 {
        unit(self.1).max(1) as u32
    }
}

fn backend_color(color: Color) -> BackendColor {
    BackendColor { alpha: color.opacity, rgb: (color.red, color.green, color.blue) }
}

/// How a text is written.
struct Lettering<'a>(&'a Text, Face, Color);

/// plotters' SVG backend divides a font's size by this.
const SVG_FONT_FACTOR: f64 = 1.24;

impl BackendTextStyle for Lettering<'_> {
    type FontError = std::convert::Infallible;

    fn color(&self) -> BackendColor {
        backend_color(self.2)
    }

    fn size(&self) -> f64 {
        self.0.size * UNITS * SVG_FONT_FACTOR
    }

    fn transform(&self) -> FontTransform {
        // Other angles than this one are not the backends' business.
        if self.0.angle == 90.0 { FontTransform::Rotate270 } else { FontTransform::None }
    }

    fn style(&self) -> FontStyle {
        match self.1 {
            Face::Upright => FontStyle::Normal,
            Face::Italic => FontStyle::Italic,
            Face::Bold => FontStyle::Bold,
        }
    }

    fn anchor(&self) -> Pos {
        let across = match self.0.align {
            Align::Left => HPos::Left,
            Align::Center => HPos::Center,
            Align::Right => HPos::Right,
        };
        Pos::new(across, VPos::Bottom)
    }

    fn family(&self) -> FontFamily<'_> {
        FontFamily::Name("DejaVu Sans, sans-serif")
    }

    fn layout_box(&self, text: &str) -> Result<((i32, i32), (i32, i32)), Self::FontError> {
        let width = font::advance(text, self.0.size);
        Ok(((0, 0), (unit(width), unit(self.0.size))))
    }

    fn draw<E, DrawFunc: FnMut(i32, i32, BackendColor) -> Result<(), E>>(
        &self,
        _: &str,
        _: BackendCoord,
        _: DrawFunc,
    ) -> Result<Result<(), E>, Self::FontError> {
        // Both backends write text themselves.
        Ok(Ok(()))
    }
}

impl Mark {
    /// The same further right and further down.
    pub(super) fn moved(mut self, (dx, dy): Point) -> Mark {
        let at = |point: &mut Point| *point = (point.0 + dx, point.1 + dy);
        let rect = |rect: &Rect| rect.moved((dx, dy));
        match &mut self.shape {
            Shape::Strokes { paths, .. } | Shape::Areas(paths) => paths.iter_mut().flatten().for_each(at),
            Shape::Discs { centers, .. } => centers.iter_mut().for_each(at),
            Shape::Text(text, _) => at(&mut text.at),
            Shape::Picture { over, .. } => *over = rect(over),
        }
        self.within = self.within.as_ref().map(rect);
        self.anchors.iter_mut().for_each(at);
        self
    }
}

/// Asks a backend for a mark; pictures are not its business.
fn draw<B: DrawingBackend>(backend: &mut B, mark: &Mark) -> Result<(), DrawingErrorKind<B::ErrorType>> {
    match &mark.shape {
        Shape::Strokes { paths, width, .. } => {
            for path in paths.iter().filter(|path| path.len() > 1) {
                backend.draw_path(path.iter().copied().map(coord), &Pen(mark.color, *width))?;
            }
        }
        Shape::Areas(paths) => {
            for path in paths {
                backend.fill_polygon(path.iter().copied().map(coord), &Pen(mark.color, 0.0))?;
            }
        }
        Shape::Discs { centers, radius } => {
            for center in centers {
                backend.draw_circle(
                    coord(*center),
                    unit(*radius).max(1) as u32,
                    &Pen(mark.color, 0.0),
                    true,
                )?;
            }
        }
        Shape::Text(text, face) => {
            backend.draw_text(&text.text, &Lettering(text, *face, mark.color), coord(text.at))?;
        }
        Shape::Picture { .. } => {}
    }
    Ok(())
}
