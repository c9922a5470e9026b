//! From a figure to marks: data is reduced, axes are laid out around it, and
//! both are drawn. Lengths and defaults are Matplotlib's, at 100 pixels to
//! the inch.

mod arrows;
mod axes;
mod bars;
mod between;
mod boxes;
mod color_bar;
mod contour;
mod drawing;
mod error_bars;
mod fields;
mod groups;
mod guides;
mod heights;
mod histogram;
mod image;
mod kind;
mod layers;
mod legend;
mod load;
mod many;
mod matrix;
mod notes;
mod path;
mod pie;
mod polar;
mod regions;
mod sketch;
mod solid;
mod span;
mod streams;
mod window;

pub(super) use axes::{TICK_LOOK, title_room, write_title};
pub(super) use drawing::{Aspect, Axis, Dash, Drawing, Inset, Series, Shared, Tick, TwinOf, extent};
pub(super) use guides::Guide;
pub(super) use image::Interpolation;
pub(super) use kind::{GroupLooks, Kind, Level, Levels, Paint, Step};
pub(super) use legend::Place;
pub(super) use notes::MOST as MOST_NOTES;
pub(super) use sketch::Sketch;
pub(super) use solid::{Angles, Outline, ends, outlines};
pub(super) use span::Span;

use load::Loaded;
use solid::Solid;

use super::color::{Color, Palette};
use super::colormap::Colormap;
use super::draw::{Part, Point, Rect, Scene, Shape};
use super::scale::{Limits, Scale};
use crate::error::{Problem, Result};

/// Pixels for a point, a 72nd of an inch.
pub(super) const POINT: f64 = 100.0 / 72.0;

/// The font's size for labels of axes and ticks, in pixels.
const FONT: f64 = 10.0 * POINT;

/// More points than this are shown by their density.
const MOST_POINTS: usize = 5000;

/// Data as it is drawn, in the numbers of the axes.
pub(super) enum Content {
    Lines(Vec<Vec<Point>>),
    Points(Vec<Point>),
    /// Points with a colour or a size of their own.
    Dots(Vec<Dot>),
    /// How many points lie in each cell of a grid over the axes; and points
    /// that stand so far from the others that they are marks.
    Density {
        counts: Vec<u32>,
        width: usize,
        height: usize,
        alone: Vec<Point>,
    },
    Boxes(Vec<Block>),
    /// A matrix as a grid over all its rows and columns.
    Image(Grid),
    Photo(Photo),
    /// A matrix as a grid over the axes.
    Mesh(Grid),
    Sketch(Sketch),
    /// Lines of a height each.
    Contours {
        lines: Vec<(f64, Vec<Vec<Point>>)>,
        range: (f64, f64),
    },
    Solid(Solid),
    /// What is between two lines, in pieces: the one there, the other back.
    Between(Vec<Vec<Point>>),
    /// A guide, which is drawn as it was given.
    Guide,
}

/// A point of its own: the share of its value between the ends of the colours,
/// if it has one, and the size of its mark in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Dot {
    pub(super) at: Point,
    pub(super) share: Option<f64>,
    pub(super) size: f64,
}

/// A bar: its sides, and its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Block {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) from: f64,
    pub(super) to: f64,
    /// How long it is, also where an axis cuts it.
    pub(super) length: f64,
    /// Its number among all of its series.
    pub(super) number: usize,
}

impl Block {
    /// Two corners across from each other. Of a bar that lies, its sides are
    /// places of `y`.
    pub(super) fn corners(&self, is_lying: bool) -> (Point, Point) {
        match is_lying {
            false => ((self.left, self.from), (self.right, self.to)),
            true => ((self.from, self.left), (self.to, self.right)),
        }
    }
}

/// The means of a matrix's blocks.
#[derive(Clone)]
pub(super) struct Grid {
    pub(super) values: Vec<f64>,
    pub(super) height: usize,
    pub(super) width: usize,
    /// Of the matrix itself.
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// The least and the greatest value, with room around them if they are one.
    pub(super) ends: (f64, f64),
    /// The values that the ends of the colours stand for.
    pub(super) range: (f64, f64),
    pub(super) norm: Scale,
}

/// A photograph in at most as many pixels as it is seen in.
pub(super) struct Photo {
    pub(super) pixels: Vec<[u8; 4]>,
    pub(super) height: usize,
    pub(super) width: usize,
    /// Of the data itself.
    pub(super) rows: usize,
    pub(super) columns: usize,
}

/// A series as it is drawn.
pub(super) struct Layer<'a> {
    pub(super) series: &'a Series,
    pub(super) color: Color,
    pub(super) content: Content,
    /// Where its error bars begin and end.
    errors: Vec<(Point, Point)>,
}

impl Layer<'_> {
    /// Whether it is areas in its colour.
    fn is_filled(&self) -> bool {
        matches!(self.content, Content::Boxes(_))
    }
}

/// A figure whose data has been reduced and laid out.
pub(super) struct Chart<'a> {
    pub(super) drawing: &'a Drawing,
    pub(super) palette: Palette,
    pub(super) layers: Vec<Layer<'a>>,
    pub(super) rect: Rect,
    pub(super) x: Limits,
    pub(super) y: Limits,
    /// Names of places, instead of numbers.
    pub(super) names: Names,
    /// What the reader must know of what is not shown.
    pub(super) notes: Vec<String>,
    /// The distances that axes around a middle show.
    polar: Option<Limits>,
    bar: Option<ColorBar>,
    /// How much room a twin's axis takes on the right.
    beside: f64,
}

/// What stands beside the axes: which colour is which value.
#[derive(Clone)]
pub(super) struct ColorBar {
    range: (f64, f64),
    norm: Scale,
    /// Values between which there is one colour each; none where they flow.
    bands: Vec<f64>,
    colormap: Colormap,
    opacity: f64,
    label: String,
    /// That of another series.
    next: Option<Box<ColorBar>>,
}

impl Drawing {
    /// Whether axes are drawn around the series: there are none
    /// around a pie, and a circle for angles and distances.
    fn has_frame(&self) -> bool {
        !self.is_polar && !self.series.iter().any(|series| matches!(series.kind, Kind::Pie { .. }))
    }

    /// Reads what must be known of the data before the axes are laid out.
    pub(super) fn prepare(&self) -> Result<Prepared<'_>> {
        let matrix = self.series.iter().find(|series| fields::is_counted(&series.kind));
        if let Some(series) = matrix
            && (self.x.scale, self.y.scale) != (Scale::Linear, Scale::Linear)
        {
            let message =
                "rows and columns of a matrix stand on linear axes; leave out `.log_x()` and `.log_y()`, \
                           or plot the logarithm of the values"
                    .to_owned();
            return Err(Problem::Invalid { operation: series.kind.function(), message }.into());
        }
        self.check_space()?;
        let is_broken = |series: &&Series| {
            let is_area = matches!(series.kind, Kind::Histogram { is_outline: false, .. });
            is_area && (series.dash != Dash::Solid || !series.has_line)
        };
        if let Some(series) = self.series.iter().find(is_broken) {
            let message = "a histogram is an area, which has no line; add `.histtype(\"step\")`".to_owned();
            return Err(Problem::Invalid { operation: series.kind.function(), message }.into());
        }
        let colored = self.series.iter().filter(|series| !matches!(series.kind, Kind::Histogram { .. }));
        for series in colored.filter(|series| series.norm == Scale::Log) {
            if let Some((low, _)) = series.range.filter(|(low, _)| *low <= 0.0) {
                let message = format!(
                    "colours by logarithms cannot begin at {low}; give `.clim(..)` two numbers above 0"
                );
                return Err(Problem::Invalid { operation: "clim", message }.into());
            }
        }
        for (axis, operation) in [(&self.x, "xlim"), (&self.y, "ylim")] {
            if let (Some((from, to)), Scale::Log) = (axis.limits, axis.scale)
                && (from <= 0.0 || to <= 0.0)
            {
                let message =
                    format!("a logarithmic axis cannot run from {from} to {to}; both must be above 0");
                return Err(Problem::Invalid { operation, message }.into());
            }
        }
        let loaded = load::load(self)?;
        let (mut x, mut y) = loaded.spans(self);
        let mut beyond = Beyond::default();
        if let Some(twin) = self.drawn_twin(TwinOf::X) {
            let prepared = twin.prepare()?;
            x = x.with(&prepared.x);
            beyond.right = Some((twin.y.clone(), prepared.y.limits(&twin.y)));
        }
        if let Some(twin) = self.drawn_twin(TwinOf::Y) {
            let prepared = twin.prepare()?;
            y = y.with(&prepared.y);
            beyond.top = Some((twin.x.clone(), prepared.x.limits(&twin.x)));
        }
        Ok(Prepared { drawing: self, loaded, x, y, beyond })
    }

    /// A twin as it is drawn: with what it shares.
    fn drawn_twin(&self, of: TwinOf) -> Option<Drawing> {
        let twin = self.twins[of as usize].as_ref()?.lock().clone();
        let shared = |axis: &Axis| Axis { label: String::new(), ..axis.clone() };
        let (x, y) = match of {
            TwinOf::X => (shared(&self.x), twin.y),
            TwinOf::Y => (twin.x, shared(&self.y)),
        };
        let plain = |drawing: &Drawing| drawing.series.iter().filter(|series| series.is_plain()).count();
        let right = self.twins[0].as_ref().filter(|_| of == TwinOf::Y);
        let colors_before = plain(self) + right.map_or(0, |twin| plain(&twin.lock()));
        let Drawing { size, theme, text_scale, ref cycle, .. } = *self;
        // Twins have no twins and no titles of their own.
        Some(Drawing {
            x,
            y,
            size,
            theme,
            text_scale,
            cycle: cycle.clone(),
            colors_before,
            twin_of: Some(of),
            twins: [None, None],
            title: String::new(),
            ..twin
        })
    }

    /// Reduces the data and lays the axes out.
    pub(super) fn chart(&self) -> Result<Chart<'_>> {
        let prepared = self.prepare()?;
        let limits = prepared.limits();
        prepared.chart(limits, None)
    }
}

/// A figure whose data is known as far as the axes need it.
pub(super) struct Prepared<'a> {
    pub(super) drawing: &'a Drawing,
    loaded: Loaded,
    pub(super) x: Span,
    pub(super) y: Span,
    beyond: Beyond,
}

/// The axes of twins, and their ends.
#[derive(Default)]
struct Beyond {
    right: Option<(Axis, Limits)>,
    top: Option<(Axis, Limits)>,
}

impl<'a> Prepared<'a> {
    /// The same data, of a copy of another size.
    pub(super) fn of(self, drawing: &Drawing) -> Prepared<'_> {
        let Prepared { loaded, x, y, beyond, .. } = self;
        Prepared { drawing, loaded, x, y, beyond }
    }

    /// The ends of the axes.
    pub(super) fn limits(&self) -> (Limits, Limits) {
        (self.x.limits(&self.drawing.x), self.y.limits(&self.drawing.y))
    }

    /// Where the axes would be, with room for all that stands around them.
    fn rect(&self, (x, y): &(Limits, Limits)) -> Rect {
        self.rect_with((x, y), &axes::ALONE)
    }

    /// The same with no more room than that.
    pub(super) fn tight_rect(&self, (x, y): &(Limits, Limits)) -> Rect {
        self.rect_with((x, y), &axes::AMONG_OTHERS)
    }

    fn rect_with(&self, (x, y): (&Limits, &Limits), least: &axes::Least) -> Rect {
        let bar = self.loaded.bar(self.drawing);
        axes::rect(self.drawing, (x, y, &self.beyond), &self.loaded, bar.as_ref(), least)
    }

    /// Reduces the data and lays the axes out, in a rectangle if one is given.
    pub(super) fn chart(mut self, limits: (Limits, Limits), given: Option<Rect>) -> Result<Chart<'a>> {
        let (x, y) = limits;
        let drawing = self.drawing;
        let palette = drawing.palette();
        let bar = self.loaded.bar(drawing);
        let place = |prepared: &Prepared<'_>| match (given, drawing.twin_of) {
            // Where the other one's axes are.
            (Some(rect), Some(_)) => rect,
            _ => axes::fitted(drawing, given.unwrap_or_else(|| prepared.rect(&(x, y))), &x, &y),
        };
        let mut rect = place(&self);
        let contents = self.loaded.contents(drawing, &rect, &x, &y)?;
        if !self.loaded.notes.is_empty() {
            // What is drawn is in the numbers of the axes, wherever they stand.
            rect = place(&self);
        }
        let mut next = drawing.colors_before;
        let errors = std::mem::take(&mut self.loaded.errors);
        let layers = drawing.series.iter().zip(contents).zip(errors).map(|((series, content), errors)| {
            let color = match series.paint {
                Some(Paint::Fixed(color)) => color,
                Some(Paint::Cycle(index)) => palette.turn(index),
                None if series.is_plain() => {
                    next += 1;
                    palette.turn(next - 1)
                }
                None if matches!(&series.kind, Kind::Guide(guide) if !guide.is_text()) => palette.turn(0),
                None => palette.ink,
            };
            let color = color.with_opacity(color.opacity * series.opacity);
            Layer { series, color, content, errors }
        });
        let layers = layers.collect();
        let Loaded { names, notes, polar, .. } = self.loaded;
        let beside = axes::right_room(&self.beyond, rect.height());
        Ok(Chart { drawing, palette, layers, rect, x, y, names, notes, polar, bar, beside })
    }
}

/// What stands at 0, 1, 2 and so on, instead of numbers.
#[derive(Default)]
pub(super) struct Names {
    pub(super) x: Vec<String>,
    pub(super) y: Vec<String>,
}

impl Chart<'_> {
    /// All marks of the figure.
    ///
    /// # Errors
    ///
    /// If the data of axes within the axes cannot be read or drawn.
    pub(super) fn scene(&self) -> Result<Scene> {
        let (size, background) = (self.drawing.extent(), self.palette.background);
        let mut scene = Scene::new(size, self.drawing.size, background);
        if self.drawing.is_solid() {
            solid::draw(self, &mut scene);
            notes::draw(self, &mut scene);
            return Ok(scene);
        }
        let ticks = match self.drawing.has_frame() && self.drawing.has_axes {
            true => axes::ticks(self.drawing, &self.rect, &self.x, &self.y, &self.names),
            false => axes::BothTicks::default(),
        };
        let has_window = self.drawing.has_window();
        if has_window {
            scene.windows.push(self.window());
        }
        let part = |part: Part| if has_window { part } else { Part::Rest };
        let mut layers: Vec<&Layer<'_>> = self.layers.iter().collect();
        layers.sort_by(|a, b| a.series.order().total_cmp(&b.series.order()));
        let images = layers.iter().take_while(|layer| layer.series.order() < 1.0).count();
        scene.part = part(Part::Data(0));
        for layer in &layers[..images] {
            layers::draw(self, layer, &mut scene);
        }
        scene.part = part(Part::Grid(0));
        // An image would hide the lines at the ticks.
        match &self.polar {
            _ if !self.drawing.has_axes => {}
            Some(limits) => polar::grid(self, limits, &mut scene),
            None if self.drawing.has_grid => axes::grid(self, &ticks, &mut scene),
            None => {}
        }
        scene.part = part(Part::Data(0));
        // Error bars lie over all bars, as high as lines do.
        let (areas, others) = layers[images..]
            .split_at(layers[images..].iter().take_while(|layer| layer.series.order() < 2.0).count());
        for layer in areas {
            layers::draw(self, layer, &mut scene);
        }
        for layer in areas {
            error_bars::draw(self, layer, &mut scene);
        }
        for layer in others {
            error_bars::draw(self, layer, &mut scene);
            layers::draw(self, layer, &mut scene);
        }
        scene.part = part(Part::Ticks(0));
        axes::frame(self, &ticks, &mut scene);
        scene.part = Part::Rest;
        if let Some(limits) = self.polar.as_ref().filter(|_| self.drawing.has_axes) {
            polar::frame(self, limits, &mut scene);
        }
        if let Some(bar) = &self.bar {
            color_bar::draw(self, bar, &mut scene);
        }
        let drawings = [TwinOf::X, TwinOf::Y].map(|of| (of, self.drawing.drawn_twin(of)));
        let mut twins = Vec::new();
        for (of, twin) in &drawings {
            let Some(twin) = twin else { continue };
            let prepared = twin.prepare()?;
            let (x, y) = prepared.limits();
            let limits = if *of == TwinOf::X { (self.x, y) } else { (x, self.y) };
            let chart = prepared.chart(limits, Some(self.rect))?;
            scene.append(chart.scene()?, (0.0, 0.0));
            twins.push((*of, chart));
        }
        legend::draw(self, &twins, &mut scene);
        notes::draw(self, &mut scene);
        for inset in &self.drawing.insets {
            self.add_inset(inset, &mut scene)?;
        }
        Ok(scene)
    }

    /// Axes within these, on a ground of their own.
    fn add_inset(&self, inset: &Inset, scene: &mut Scene) -> Result<()> {
        let [left, bottom, width, height] = inset.bounds;
        let rect = Rect {
            left: self.rect.left + left * self.rect.width(),
            top: self.rect.bottom - (bottom + height) * self.rect.height(),
            right: self.rect.left + (left + width) * self.rect.width(),
            bottom: self.rect.bottom - bottom * self.rect.height(),
        };
        let Drawing { size, theme, text_scale, ref cycle, .. } = *self.drawing;
        let mut drawing =
            Drawing { size, theme, text_scale, cycle: cycle.clone(), ..inset.drawing.lock().clone() };
        if drawing.is_solid() {
            let message = "three axes do not stand within others; use `subplot_mosaic`".to_owned();
            return Err(Problem::Invalid { operation: "inset", message }.into());
        }
        // A bar beside it would stand on the outer axes.
        drawing.series.iter_mut().for_each(|series| series.has_bar = Some(false));
        let prepared = drawing.prepare()?;
        let limits = prepared.limits();
        let chart = prepared.chart(limits, Some(rect))?;
        scene.add(Shape::Areas(vec![chart.rect.corners()]), self.palette.background);
        scene.append(chart.scene()?, (0.0, 0.0));
        Ok(())
    }

    /// Where a point of the data is in the picture.
    fn place(&self, (x, y): Point) -> Point {
        (
            self.rect.left + self.x.place(x) * self.rect.width(),
            self.rect.bottom - self.y.place(y) * self.rect.height(),
        )
    }
}
