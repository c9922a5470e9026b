//! From a figure to marks: data is reduced, axes are laid out around it, and
//! both are drawn. Lengths and defaults are Matplotlib's, at 100 pixels to
//! the inch.

mod axes;
mod bars;
mod contour;
mod layers;
mod legend;
mod load;
mod many;
mod matrix;
mod notes;
mod path;
mod span;
mod surface;

pub(super) use notes::MOST as MOST_NOTES;

use super::color::{Color, Palette, Theme};
use super::colormap::Colormap;
use super::draw::{Point, Rect, Scene, Shape};
use super::marker::Marker;
use super::scale::{Limits, Scale};
use crate::array::Raw;
use crate::error::{Problem, Result};

/// Pixels for a point, a 72nd of an inch.
pub(super) const POINT: f64 = 100.0 / 72.0;

/// The font's size for labels of axes and ticks, in pixels.
const FONT: f64 = 10.0 * POINT;

/// More points than this are shown by their density.
const MOST_POINTS: usize = 5000;

/// A figure: series and settings.
#[derive(Clone)]
pub(super) struct Drawing {
    pub(super) series: Vec<Series>,
    /// Where those begin that were added last.
    pub(super) last: usize,
    pub(super) title: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) has_legend: bool,
    pub(super) has_grid: bool,
    pub(super) size: (u32, u32),
    pub(super) pixel_ratio: f64,
    pub(super) theme: Theme,
}

/// What was said about an axis.
#[derive(Clone, Default)]
pub(super) struct Axis {
    pub(super) label: String,
    pub(super) limits: Option<(f64, f64)>,
    pub(super) scale: Scale,
}

impl Default for Drawing {
    fn default() -> Drawing {
        Drawing {
            series: Vec::new(),
            last: 0,
            title: String::new(),
            x: Axis::default(),
            y: Axis::default(),
            has_legend: false,
            has_grid: false,
            size: (640, 480),
            pixel_ratio: 2.0,
            theme: Theme::Light,
        }
    }
}

/// Data, and how it looks.
#[derive(Clone)]
pub(super) struct Series {
    pub(super) kind: Kind,
    /// Which part of the data it is, if it is one of several.
    pub(super) part: &'static str,
    pub(super) label: Option<String>,
    pub(super) paint: Option<Paint>,
    pub(super) opacity: f64,
    /// In points.
    pub(super) width: f64,
    pub(super) dash: Dash,
    pub(super) marker: Option<Marker>,
    /// In points.
    pub(super) marker_size: f64,
    pub(super) colormap: Colormap,
    /// Of values that have colours, or of bins.
    pub(super) range: Option<(f64, f64)>,
}

/// Data of a kind. Places may have names, which stand at 0, 1, 2 and so on.
#[derive(Clone)]
pub(super) enum Kind {
    Line { x: Option<Raw>, y: Raw, names: Vec<String> },
    Scatter { x: Option<Raw>, y: Raw, names: Vec<String> },
    Bars { x: Option<Raw>, heights: Raw, names: Vec<String> },
    Histogram { raw: Raw, bins: usize },
    Image(Raw),
    Contour { raw: Raw, levels: Option<Vec<f64>> },
    Surface(Raw),
}

impl Kind {
    /// The function that adds it.
    pub(super) fn function(&self) -> &'static str {
        match self {
            Kind::Line { .. } => "plot",
            Kind::Scatter { .. } => "scatter",
            Kind::Bars { .. } => "bar",
            Kind::Histogram { .. } => "hist",
            Kind::Image(_) => "imshow",
            Kind::Contour { .. } => "contour",
            Kind::Surface(_) => "surface",
        }
    }

    /// What lies over what, whatever was added first: Matplotlib's `zorder`,
    /// which is 0 for images, 1 for patches and collections, and 2 for lines,
    /// those of contours too (`lib/matplotlib/contour.py`).
    fn height(&self) -> u8 {
        match self {
            Kind::Image(_) | Kind::Surface(_) => 0,
            Kind::Bars { .. } | Kind::Histogram { .. } | Kind::Scatter { .. } => 1,
            Kind::Line { .. } | Kind::Contour { .. } => 2,
        }
    }
}

/// A colour that was asked for.
#[derive(Clone, Copy)]
pub(super) enum Paint {
    Fixed(Color),
    Cycle(usize),
}

/// How a line is broken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Dash {
    #[default]
    Solid,
    Dashed,
    Dotted,
}

impl Series {
    pub(super) fn new(kind: Kind, part: &'static str) -> Series {
        Series {
            kind,
            part,
            label: None,
            paint: None,
            opacity: 1.0,
            width: 1.5,
            dash: Dash::Solid,
            marker: None,
            marker_size: 6.0,
            colormap: Colormap::default(),
            range: None,
        }
    }

    /// What the legend says of it.
    fn name(&self) -> Option<String> {
        match (&self.label, self.part) {
            (None, "") => None,
            (None, part) => Some(part.to_owned()),
            (Some(label), "") => Some(label.clone()),
            (Some(label), part) => Some(format!("{label} ({part})")),
        }
    }

    /// Whether it is drawn in one colour of the cycle.
    fn is_plain(&self) -> bool {
        !matches!(self.kind, Kind::Image(_) | Kind::Contour { .. } | Kind::Surface(_))
    }

    /// Its marks at these places. Those without an inside are strokes of a
    /// point, and of Matplotlib's width of lines where there is no line.
    fn marks(&self, marker: Marker, centers: &[Point]) -> Shape {
        let stroke = if matches!(self.kind, Kind::Scatter { .. }) { 1.5 } else { 1.0 };
        marker.shape(centers, self.marker_size * POINT, stroke * POINT)
    }

    /// The width of marks in pixels, edge included.
    fn mark_size(&self) -> f64 {
        (self.marker_size + 1.0) * POINT
    }

    /// Lengths of dashes and gaps, in pixels, which grow with the width.
    fn dashes(&self) -> Vec<f64> {
        let unit = self.width * POINT;
        match self.dash {
            Dash::Solid => Vec::new(),
            Dash::Dashed => vec![3.7 * unit, 1.6 * unit],
            Dash::Dotted => vec![unit, 1.65 * unit],
        }
    }
}

/// Data as it is drawn, in the numbers of the axes.
pub(super) enum Content {
    Lines(Vec<Vec<Point>>),
    Points(Vec<Point>),
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
    /// Lines of a height each.
    Contours {
        lines: Vec<(f64, Vec<Vec<Point>>)>,
        range: (f64, f64),
    },
    Surface(Grid),
}

/// A bar: its sides, and its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Block {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) from: f64,
    pub(super) to: f64,
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
}

/// A series as it is drawn.
pub(super) struct Layer<'a> {
    pub(super) series: &'a Series,
    pub(super) color: Color,
    pub(super) content: Content,
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
    pub(super) names: Vec<String>,
    /// What the reader must know of what is not shown.
    pub(super) notes: Vec<String>,
    /// The range of colours, and the series that has them.
    bar: Option<((f64, f64), Colormap)>,
}

impl Drawing {
    pub(super) fn is_solid(&self) -> bool {
        self.series.iter().any(|series| matches!(series.kind, Kind::Surface(_)))
    }

    /// Reduces the data and lays the axes out.
    pub(super) fn chart(&self) -> Result<Chart<'_>> {
        let matrix = self.series.iter().find(|series| !series.is_plain());
        if let Some(series) = matrix
            && (self.x.scale, self.y.scale) != (Scale::Linear, Scale::Linear)
        {
            let message =
                "rows and columns of a matrix stand on linear axes; leave out `.log_x()` and `.log_y()`, \
                           or plot the logarithm of the values"
                    .to_owned();
            return Err(Problem::Invalid { operation: series.kind.function(), message }.into());
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
        let palette = Palette::of(self.theme);
        let mut loaded = load::load(self)?;
        let (x, y) = loaded.limits(self);
        let bar = loaded.bar(self);
        let mut rect = axes::rect(self, &x, &y, &loaded, bar.as_ref());
        let contents = loaded.contents(self, &rect, &x, &y)?;
        if !loaded.notes.is_empty() {
            // What is drawn is in the numbers of the axes, wherever they stand.
            rect = axes::rect(self, &x, &y, &loaded, bar.as_ref());
        }
        let mut next = 0;
        let layers = self.series.iter().zip(contents).map(|(series, content)| {
            let color = match series.paint {
                Some(Paint::Fixed(color)) => color,
                Some(Paint::Cycle(index)) => palette.cycle[index % 10],
                None if series.is_plain() => {
                    next += 1;
                    palette.cycle[(next - 1) % 10]
                }
                None => palette.ink,
            };
            Layer { series, color: color.with_opacity(color.opacity * series.opacity), content }
        });
        let layers = layers.collect();
        let (names, notes) = (loaded.names, loaded.notes);
        Ok(Chart { drawing: self, palette, layers, rect, x, y, names, notes, bar })
    }
}

impl Chart<'_> {
    /// All marks of the figure.
    pub(super) fn scene(&self) -> Scene {
        let (size, background) = (self.drawing.size, self.palette.background);
        let mut scene = Scene { size, background, marks: Vec::new() };
        if let Some(Layer { content: Content::Surface(grid), series, .. }) = self.layers.first() {
            surface::draw(self, grid, series, &mut scene);
            notes::draw(self, &mut scene);
            return scene;
        }
        let ticks = axes::ticks(&self.rect, &self.x, &self.y, &self.names);
        let mut layers: Vec<&Layer<'_>> = self.layers.iter().collect();
        layers.sort_by_key(|layer| layer.series.kind.height());
        let images = layers.iter().take_while(|layer| layer.series.kind.height() == 0).count();
        for layer in &layers[..images] {
            layers::draw(self, layer, &mut scene);
        }
        // An image would hide the lines at the ticks.
        if self.drawing.has_grid {
            axes::grid(self, &ticks, &mut scene);
        }
        for layer in &layers[images..] {
            layers::draw(self, layer, &mut scene);
        }
        axes::frame(self, &ticks, &mut scene);
        if let Some((range, colormap)) = &self.bar {
            axes::color_bar(self, *range, colormap, &mut scene);
        }
        legend::draw(self, &mut scene);
        notes::draw(self, &mut scene);
        scene
    }

    /// Where a point of the data is in the picture.
    fn place(&self, (x, y): Point) -> Point {
        (
            self.rect.left + self.x.place(x) * self.rect.width(),
            self.rect.bottom - self.y.place(y) * self.rect.height(),
        )
    }
}
