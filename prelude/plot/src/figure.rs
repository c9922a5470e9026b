//! Figures, put together a call at a time.

use super::chart::{Dash, Drawing, Kind, Paint, Series};
use super::color::{Color, Theme, cycle_index};
use super::colormap::Colormap;
use super::draw::font::printable;
use super::kinds::{bars, dots, histogram, lines, matrix};
use super::marker::Marker;
use super::reduce;
use super::scale::Scale;
use super::settings::{self, apart, applies, ascending, positive, size};
use crate::array::Raw;
use crate::error::{OrRaise as _, Problem, Result};
use crate::shape::Length;
use gpurepl_arrays::series::{IntoSeries, PlotData};

/// A picture of data: series, and how they are shown.
///
/// Methods return the figure, so that calls can be chained; those that style
/// a series, such as [`Figure::label`] and [`Figure::color`], mean the one
/// that was added last. They panic with an [`Error`](gpurepl_ground::Error) on what
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
        for series in &mut drawing.series[last..] {
            applies(operation, &series.kind).or_raise();
            change(series);
        }
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
        self.style("label", |series| series.label = Some(printable(text)))
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
            let message = format!("{opacity} is not a valid opacity; give a number from 0 to 1");
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
        let given = heights.plot_data().and_then(|raw| reduce::values(&raw));
        let given = given.and_then(settings::heights).or_raise();
        self.style("levels", |series| {
            if let Kind::Contour { levels, .. } = &mut series.kind {
                *levels = Some(given.clone());
            }
        })
    }

    /// What stands above the axes.
    pub fn title(self, text: &str) -> Figure {
        self.set(|drawing| drawing.title = printable(text))
    }

    /// What the horizontal axis is.
    pub fn xlabel(self, text: &str) -> Figure {
        self.set(|drawing| drawing.x.label = printable(text))
    }

    /// What the vertical axis is.
    pub fn ylabel(self, text: &str) -> Figure {
        self.set(|drawing| drawing.y.label = printable(text))
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
            let message = format!("{ratio} is not a valid pixel ratio; give a number from 0.1 to 20");
            Err(Problem::Invalid { operation: "pixel_ratio", message }.into()).or_raise()
        }
        self.set(|drawing| drawing.pixel_ratio = ratio)
    }

    /// The look: [`Theme::Light`] or [`Theme::Dark`].
    pub fn theme(self, theme: Theme) -> Figure {
        self.set(|drawing| drawing.theme = theme)
    }
}
