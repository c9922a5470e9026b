//! Figures, put together a call at a time.

use super::chart::{Dash, Drawing, Kind, Paint, Series};
use super::color::{Color, Theme, cycle_index};
use super::colormap::Colormap;
use super::data::{IntoSeries, PlotData, Points};
use super::marker::Marker;
use super::reduce;
use super::scale::Scale;
use crate::array::Raw;
use crate::error::{OrRaise as _, Problem, Result};
use crate::shape::Length;

/// A picture of data: series, and how they are shown.
///
/// Methods return the figure, so that calls can be chained; those that style
/// a series, such as [`Figure::label`] and [`Figure::color`], mean the one
/// that was added last. They panic with an [`Error`](crate::Error) on what
/// cannot be: an unknown colour, limits the wrong way round.
///
/// ```
/// use gpurepl_prelude::*;
/// let x = linspace(0.1, 10.0, 200);
/// Figure::new()
///     .plot((&x, &x.sqrt())).label("sqrt")
///     .scatter((&[1.0, 4.0, 9.0], &[1.0, 2.0, 3.0])).color("tab:red").label("squares")
///     .title("Roots")
///     .xlabel("x")
///     .grid();
/// ```
pub struct Figure(Box<dyn Sheet>);

/// A trait object, so that a cell that drops a figure compiles a call.
trait Sheet: Send + Sync {
    fn drawing(&self) -> &Drawing;
    fn drawing_mut(&mut self) -> &mut Drawing;
}

impl Sheet for Drawing {
    fn drawing(&self) -> &Drawing {
        self
    }

    fn drawing_mut(&mut self) -> &mut Drawing {
        self
    }
}

impl Default for Figure {
    fn default() -> Figure {
        Figure::new()
    }
}

impl Clone for Figure {
    #[inline(never)]
    fn clone(&self) -> Figure {
        Figure(Box::new(self.drawing().clone()))
    }
}

impl Figure {
    /// A figure without series.
    #[inline(never)]
    pub fn new() -> Figure {
        Figure(Box::new(Drawing::default()))
    }

    pub(super) fn drawing(&self) -> &Drawing {
        self.0.drawing()
    }

    fn set(mut self, change: impl FnOnce(&mut Drawing)) -> Figure {
        change(self.0.drawing_mut());
        self
    }

    #[track_caller]
    fn style(mut self, operation: &'static str, change: impl Fn(&mut Series)) -> Figure {
        let drawing = self.0.drawing_mut();
        if drawing.series.is_empty() {
            let message = "the figure has no series yet; add one first: `Figure::new().plot(&y)`".to_owned();
            Err(Problem::Invalid { operation, message }.into()).or_raise()
        }
        let last = drawing.last;
        drawing.series[last..].iter_mut().for_each(change);
        self
    }

    #[track_caller]
    fn add(self, operation: &'static str, kinds: Result<Vec<(Kind, &'static str)>>) -> Figure {
        let kinds = kinds.or_raise();
        let clash = |drawing: &Drawing| {
            let is_solid = |kind: &Kind| matches!(kind, Kind::Surface(_));
            !drawing.series.is_empty() && (kinds.iter().any(|(kind, _)| is_solid(kind)) || drawing.is_solid())
        };
        if clash(self.drawing()) {
            let message =
                "a surface has three axes, and shares a figure with no other series; make a figure \
                           for each"
                    .to_owned();
            Err(Problem::Invalid { operation, message }.into()).or_raise()
        }
        self.set(|drawing| {
            drawing.last = drawing.series.len();
            let parts = kinds.into_iter().map(|(kind, part)| Series::new(kind, part));
            drawing.series.extend(parts);
        })
    }

    /// Adds a line, as [`plot()`](super::plot()) draws it.
    #[track_caller]
    pub fn plot(self, data: impl IntoSeries) -> Figure {
        let points = data.into_series();
        self.add("plot", lines(points))
    }

    /// Adds points, as [`scatter()`](super::scatter()) draws them.
    #[track_caller]
    pub fn scatter(self, data: impl IntoSeries) -> Figure {
        let points = data.into_series();
        self.add("scatter", dots(points))
    }

    /// Adds bars, as [`bar()`](super::bar()) draws them. Several series of
    /// bars stand side by side.
    #[track_caller]
    pub fn bar(self, data: impl IntoSeries) -> Figure {
        let points = data.into_series();
        self.add("bar", bars(points))
    }

    /// Adds a histogram, as [`hist()`](super::hist()) draws it.
    #[track_caller]
    pub fn hist(self, data: impl PlotData, bins: impl Length) -> Figure {
        self.histogram(data.plot_data(), bins.length())
    }

    #[track_caller]
    fn histogram(self, data: Result<Raw>, bins: i64) -> Figure {
        self.add("hist", data.and_then(|raw| histogram(raw, bins)))
    }

    /// Adds a picture of a matrix, as [`imshow()`](super::imshow()) draws it.
    #[track_caller]
    pub fn imshow(self, data: impl PlotData) -> Figure {
        let raw = data.plot_data().and_then(|raw| matrix("imshow", raw));
        self.add("imshow", raw.map(|raw| vec![(Kind::Image(raw), "")]))
    }

    /// Adds lines of equal height, as [`contour()`](super::contour()) draws
    /// them.
    #[track_caller]
    pub fn contour(self, data: impl PlotData) -> Figure {
        let raw = data.plot_data().and_then(|raw| matrix("contour", raw));
        self.add("contour", raw.map(|raw| vec![(Kind::Contour { raw, levels: None }, "")]))
    }

    /// Adds a surface, as [`surface()`](super::surface()) draws it. It shares
    /// a figure with no other series.
    #[track_caller]
    pub fn surface(self, data: impl PlotData) -> Figure {
        let raw = data.plot_data().and_then(|raw| matrix("surface", raw));
        self.add("surface", raw.map(|raw| vec![(Kind::Surface(raw), "")]))
    }

    /// Names the last series in the legend, which a figure with names has.
    #[track_caller]
    pub fn label(self, text: &str) -> Figure {
        self.style("label", |series| series.label = Some(text.to_owned()))
    }

    /// The colour of the last series: `red`, `tab:blue`, `#1f77b4`, a grey
    /// such as `0.5`, or `C0` to `C9` for those that series have by turns.
    #[track_caller]
    pub fn color(self, text: &str) -> Figure {
        let paint = match cycle_index(text) {
            Some(index) => Paint::Cycle(index),
            None => Paint::Fixed(Color::parse(text).or_raise()),
        };
        self.style("color", |series| series.paint = Some(paint))
    }

    /// The mark at each point of the last series: `o`, `.`, `s`, `^`, `v`,
    /// `D`, `*`, `+` or `x`.
    #[track_caller]
    pub fn marker(self, text: &str) -> Figure {
        let marker = Marker::parse(text).or_raise();
        self.style("marker", |series| series.marker = Some(marker))
    }

    /// The size of marks, in points (a 72nd of an inch); 6 otherwise.
    #[track_caller]
    pub fn markersize(self, points: f64) -> Figure {
        let points = positive("markersize", points).or_raise();
        self.style("markersize", |series| series.marker_size = points)
    }

    /// Draws the last series with dashes.
    #[track_caller]
    pub fn dashed(self) -> Figure {
        self.style("dashed", |series| series.dash = Dash::Dashed)
    }

    /// Draws the last series with dots.
    #[track_caller]
    pub fn dotted(self) -> Figure {
        self.style("dotted", |series| series.dash = Dash::Dotted)
    }

    /// The width of the last series' line, in points; 1.5 otherwise.
    #[track_caller]
    pub fn linewidth(self, points: f64) -> Figure {
        let points = positive("linewidth", points).or_raise();
        self.style("linewidth", |series| series.width = points)
    }

    /// How opaque the last series is, from 0 to 1.
    #[track_caller]
    pub fn alpha(self, opacity: f64) -> Figure {
        if !(0.0..=1.0).contains(&opacity) {
            let message = format!("{opacity} is no opacity; it is between 0 and 1");
            Err(Problem::Invalid { operation: "alpha", message }.into()).or_raise()
        }
        self.style("alpha", |series| series.opacity = opacity)
    }

    /// The colours that values of the last series have: `viridis`, `plasma`,
    /// `inferno`, `magma`, `cividis`, `turbo`, `gray`, `Blues`, `coolwarm`,
    /// `RdBu`, `Spectral` and others, with `_r` the other way round.
    #[track_caller]
    pub fn colormap(self, name: &str) -> Figure {
        let colormap = Colormap::parse(name).or_raise();
        self.style("colormap", |series| series.colormap = colormap)
    }

    /// The values that the ends of the colours stand for, in the last series;
    /// otherwise the least and the greatest.
    #[track_caller]
    pub fn clim(self, low: f64, high: f64) -> Figure {
        let range = ascending("clim", low, high).or_raise();
        self.style("clim", |series| series.range = Some(range))
    }

    /// Where the bins of the last histogram begin and end; otherwise at the
    /// least and the greatest value. What lies outside is not counted.
    #[track_caller]
    pub fn bin_range(self, low: f64, high: f64) -> Figure {
        let range = ascending("bin_range", low, high).or_raise();
        self.style("bin_range", |series| series.range = Some(range))
    }

    /// The heights of the last contours' lines; otherwise about seven.
    #[track_caller]
    pub fn levels(self, heights: impl PlotData) -> Figure {
        let mut heights = heights.plot_data().and_then(|raw| reduce::values(&raw)).or_raise();
        heights.retain(|height| height.is_finite());
        heights.sort_by(f64::total_cmp);
        heights.dedup();
        self.style("levels", |series| {
            if let Kind::Contour { levels, .. } = &mut series.kind {
                *levels = Some(heights.clone());
            }
        })
    }

    /// What stands above the axes.
    pub fn title(self, text: &str) -> Figure {
        self.set(|drawing| drawing.title = text.to_owned())
    }

    /// What the horizontal axis is.
    pub fn xlabel(self, text: &str) -> Figure {
        self.set(|drawing| drawing.x.label = text.to_owned())
    }

    /// What the vertical axis is.
    pub fn ylabel(self, text: &str) -> Figure {
        self.set(|drawing| drawing.y.label = text.to_owned())
    }

    /// Shows the legend, also of series without names, which are numbered
    /// then. A figure whose series have names shows it anyway.
    pub fn legend(self) -> Figure {
        self.set(|drawing| drawing.has_legend = true)
    }

    /// Shows lines at the ticks.
    pub fn grid(self) -> Figure {
        self.set(|drawing| drawing.has_grid = true)
    }

    /// Makes the horizontal axis logarithmic. What is zero or below has no
    /// place there.
    pub fn log_x(self) -> Figure {
        self.set(|drawing| drawing.x.scale = Scale::Log)
    }

    /// Makes the vertical axis logarithmic.
    pub fn log_y(self) -> Figure {
        self.set(|drawing| drawing.y.scale = Scale::Log)
    }

    /// Makes both axes logarithmic.
    pub fn log_log(self) -> Figure {
        self.log_x().log_y()
    }

    /// The ends of the horizontal axis. The first may be the larger one: then
    /// numbers run to the left.
    #[track_caller]
    pub fn xlim(self, from: f64, to: f64) -> Figure {
        let limits = apart("xlim", from, to).or_raise();
        self.set(|drawing| drawing.x.limits = Some(limits))
    }

    /// The ends of the vertical axis.
    #[track_caller]
    pub fn ylim(self, from: f64, to: f64) -> Figure {
        let limits = apart("ylim", from, to).or_raise();
        self.set(|drawing| drawing.y.limits = Some(limits))
    }

    /// The size in pixels, 640 by 480 otherwise. Text keeps its size.
    #[track_caller]
    pub fn size(self, width: impl Length, height: impl Length) -> Figure {
        let size = size(width.length(), height.length()).or_raise();
        self.set(|drawing| drawing.size = size)
    }

    /// How many pixels a saved PNG has for each of the figure's own, 2
    /// otherwise: crisp on dense screens.
    #[track_caller]
    pub fn pixel_ratio(self, ratio: f64) -> Figure {
        if !(0.1..=20.0).contains(&ratio) {
            let message = format!("{ratio} pixels for each cannot be drawn; give a number from 0.1 to 20");
            Err(Problem::Invalid { operation: "pixel_ratio", message }.into()).or_raise()
        }
        self.set(|drawing| drawing.pixel_ratio = ratio)
    }

    /// The look: [`Theme::Light`] or [`Theme::Dark`].
    pub fn theme(self, theme: Theme) -> Figure {
        self.set(|drawing| drawing.theme = theme)
    }
}

fn positive(operation: &'static str, points: f64) -> Result<f64> {
    if points > 0.0 && points <= 1000.0 {
        return Ok(points);
    }
    let message = format!("{points} points cannot be drawn; give a number above 0 and up to 1000");
    Err(Problem::Invalid { operation, message }.into())
}

fn ascending(operation: &'static str, low: f64, high: f64) -> Result<(f64, f64)> {
    if low < high && (high - low).is_finite() {
        return Ok((low, high));
    }
    let message = format!("{low} to {high} is no range; the first must be the smaller one, and both finite");
    Err(Problem::Invalid { operation, message }.into())
}

fn apart(operation: &'static str, from: f64, to: f64) -> Result<(f64, f64)> {
    if from != to && (to - from).is_finite() {
        return Ok((from, to));
    }
    let message = format!("an axis cannot run from {from} to {to}; give two finite numbers that differ");
    Err(Problem::Invalid { operation, message }.into())
}

fn size(width: i64, height: i64) -> Result<(u32, u32)> {
    let length = |length: i64| u32::try_from(length).ok().filter(|length| (50..=20_000).contains(length));
    let message =
        || format!("a figure of {width}x{height} pixels cannot be drawn; each side is from 50 to 20000");
    match (length(width), length(height)) {
        (Some(width), Some(height)) => Ok((width, height)),
        _ => Err(Problem::Invalid { operation: "size", message: message() }.into()),
    }
}

/// Lines; complex values are two.
fn lines(points: Points) -> Result<Vec<(Kind, &'static str)>> {
    let Points { x, y, names } = series("plot", points)?;
    refuse_complex("plot", "x", x.as_ref())?;
    Ok(match y.dtype().is_complex() {
        false => vec![(Kind::Line { x, y, names }, "")],
        true => {
            let (real, imaginary) = reduce::parts(&y);
            let real = Kind::Line { x: x.clone(), y: real, names: names.clone() };
            vec![(real, "real"), (Kind::Line { x, y: imaginary, names }, "imag")]
        }
    })
}

/// Points; complex values are places in the plane.
fn dots(points: Points) -> Result<Vec<(Kind, &'static str)>> {
    let Points { x, y, names } = series("scatter", points)?;
    if y.dtype().is_complex() && x.is_none() && names.is_empty() {
        let (real, imaginary) = reduce::parts(&y);
        return Ok(vec![(Kind::Scatter { x: Some(real), y: imaginary, names }, "")]);
    }
    refuse_complex("scatter", "x", x.as_ref())?;
    refuse_complex("scatter", "y", Some(&y))?;
    Ok(vec![(Kind::Scatter { x, y, names }, "")])
}

fn bars(points: Points) -> Result<Vec<(Kind, &'static str)>> {
    let Points { x, y, names } = series("bar", points)?;
    refuse_complex("bar", "x", x.as_ref())?;
    refuse_complex("bar", "heights", Some(&y))?;
    let count = y.shape().size();
    if count > MOST_BARS {
        let message = format!(
            "{count} bars are more than can be told apart ({MOST_BARS}); use `plot` for a line, or `hist` to count \
             values"
        );
        return Err(Problem::Shape { operation: "bar", message }.into());
    }
    Ok(vec![(Kind::Bars { x, heights: y, names }, "")])
}

const MOST_BARS: usize = 5000;

/// More bins than this are more than any picture has columns.
const MOST_BINS: i64 = 1 << 20;

fn histogram(raw: Raw, bins: i64) -> Result<Vec<(Kind, &'static str)>> {
    refuse_complex("hist", "the data", Some(&raw))?;
    if !(1..=MOST_BINS).contains(&bins) {
        let message = format!("{bins} bins cannot be counted in; give a number from 1 to {MOST_BINS}");
        return Err(Problem::Invalid { operation: "hist", message }.into());
    }
    Ok(vec![(Kind::Histogram { raw, bins: bins as usize }, "")])
}

fn refuse_complex(operation: &'static str, what: &str, raw: Option<&Raw>) -> Result<()> {
    let Some(raw) = raw.filter(|raw| raw.dtype().is_complex()) else { return Ok(()) };
    let message =
        format!("{what} of {} has no order; plot `.abs()`, `.real()` or `.imag()` of it", raw.dtype());
    Err(Problem::DType { operation, message }.into())
}

/// Checks that places and values go together and have one axis.
fn series(operation: &'static str, points: Points) -> Result<Points> {
    let is_one_axis = |raw: &Raw| raw.shape().lengths().iter().filter(|length| **length != 1).count() <= 1;
    for (name, raw) in [("x", points.x.as_ref()), ("y", Some(&points.y))] {
        if let Some(raw) = raw.filter(|raw| !is_one_axis(raw)) {
            let message = format!(
                "{name} has shape {:?}, and a series has one axis; take a row, `a.slice(0)`, flatten it, \
                 `a.ravel()`, or show the matrix with `imshow`",
                raw.shape()
            );
            return Err(Problem::Shape { operation, message }.into());
        }
    }
    let count = points.y.shape().size();
    let places = match (&points.x, points.names.len()) {
        (Some(x), _) => Some(x.shape().size()),
        (None, 0) => None,
        (None, names) => Some(names),
    };
    if let Some(places) = places.filter(|places| *places != count) {
        let message = format!("x has {places} elements and y has {count}; each point needs one of both");
        return Err(Problem::Shape { operation, message }.into());
    }
    Ok(points)
}

/// Checks that data is a matrix; complex values become absolute ones.
fn matrix(operation: &'static str, raw: Raw) -> Result<Raw> {
    if raw.shape().rank() != 2 {
        let message = format!(
            "an array of shape {:?} is no matrix; reshape it, `a.reshape((rows, columns))`, or take a part of it, \
             `a.slice(0)`",
            raw.shape()
        );
        return Err(Problem::Shape { operation, message }.into());
    }
    Ok(if raw.dtype().is_complex() { reduce::magnitude(&raw) } else { raw })
}
