//! A figure as it was put together: series, axes, and what was said of them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::kind::{Kind, Level, Paint, Step};
use super::polar::Turn;
use super::{Angles, Interpolation, POINT, Place};
use crate::array::Raw;
use crate::color::{Color, Palette, Theme};
use crate::colormap::Colormap;
use crate::draw::{Align, Point, Shape};
use crate::error::{Problem, Result};
use crate::marker::Marker;
use crate::scale::Scale;
use crate::style::{self, Defaults};

/// A figure: series and settings.
#[derive(Clone)]
pub(crate) struct Drawing {
    pub(crate) series: Vec<Series>,
    /// Where those begin that were added last.
    pub(crate) last: usize,
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    /// Of what stands in space.
    pub(crate) z: Axis,
    pub(crate) angles: Angles,
    pub(crate) has_legend: bool,
    pub(crate) legend_place: Place,
    pub(crate) has_grid: bool,
    /// Whether lines at the ticks of `x` and of `y` are among them.
    pub(crate) grid_of: (bool, bool),
    /// Whether the frame, the ticks and what is written at them are shown.
    pub(crate) has_axes: bool,
    pub(crate) legend_columns: usize,
    pub(crate) legend_title: String,
    /// Whether bars stand on each other.
    pub(crate) is_stacked: bool,
    pub(crate) insets: Vec<Inset>,
    /// What is drawn over the same `x`, with a vertical axis on the right, and
    /// over the same `y`, with a horizontal axis above.
    pub(crate) twins: [Option<Shared>; 2],
    /// Whether it is such a twin, which has none of its own.
    pub(crate) is_second: bool,
    /// As which of the twins it is drawn, and how many series stand before its
    /// own, whose colours it does not repeat.
    pub(crate) twin_of: Option<TwinOf>,
    pub(crate) colors_before: usize,
    /// Whether `x` is an angle and `y` the distance from the middle.
    pub(crate) is_polar: bool,
    /// Where its angles begin, and which way they run.
    pub(crate) turn: Turn,
    pub(crate) aspect: Aspect,
    pub(crate) size: (u32, u32),
    pub(crate) pixel_ratio: f64,
    pub(crate) theme: Theme,
    /// Whether readers of a notebook may move the axes.
    pub(crate) is_interactive: bool,
    /// How much larger letters and lines are than usual.
    pub(crate) text_scale: f64,
    /// The colours that series have by turns, if not the theme's.
    pub(crate) cycle: Option<Arc<[Color]>>,
}

/// What was said about an axis.
#[derive(Clone, Default)]
pub(crate) struct Axis {
    pub(crate) label: String,
    pub(crate) limits: Option<(f64, f64)>,
    pub(crate) scale: Scale,
    /// Whether numbers are times, in seconds since 1970.
    pub(crate) is_date: bool,
    /// Instead of those that are chosen.
    pub(crate) ticks: Option<Vec<Tick>>,
    /// Of what stands at the ticks, in degrees.
    pub(crate) rotation: f64,
    /// Whether nothing stands at the ticks: another figure's axis says it.
    pub(crate) is_inner: bool,
}

/// What a twin shares with the other figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TwinOf {
    X,
    Y,
}

/// How wide a step of `x` is, compared with one of `y`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Aspect {
    /// As wide as high where there is an image.
    #[default]
    Usual,
    /// As wide as high.
    Equal,
    /// As it fits.
    Auto,
}

/// A tick that was asked for, and what stands at it, if not its number.
#[derive(Clone)]
pub(crate) struct Tick {
    pub(crate) at: f64,
    pub(crate) name: Option<String>,
}

/// Axes within the axes: from the left, from below, their width and their
/// height, in parts of the outer ones.
#[derive(Clone)]
pub(crate) struct Inset {
    pub(crate) bounds: [f64; 4],
    pub(crate) drawing: Shared,
}

/// A drawing that several handles change. A clone is another drawing.
pub(crate) struct Shared(Arc<Mutex<Drawing>>);

impl Shared {
    pub(crate) fn new(drawing: Drawing) -> Shared {
        Shared(Arc::new(Mutex::new(drawing)))
    }

    /// Another handle to the same drawing.
    pub(crate) fn again(&self) -> Shared {
        Shared(Arc::clone(&self.0))
    }

    /// The drawing as it is now. A setting that is refused changes nothing, so
    /// it is whole after a panic too.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Drawing> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clone for Shared {
    fn clone(&self) -> Shared {
        let drawing = self.lock().clone();
        Shared::new(drawing)
    }
}

impl Default for Drawing {
    fn default() -> Drawing {
        let Defaults { theme, is_interactive, size, pixel_ratio, text_scale, has_grid, cycle } =
            style::defaults();
        Drawing {
            series: Vec::new(),
            last: 0,
            title: String::new(),
            x: Axis::default(),
            y: Axis::default(),
            z: Axis::default(),
            angles: Angles::default(),
            has_legend: false,
            legend_place: Place::Best,
            has_grid,
            grid_of: (true, true),
            has_axes: true,
            legend_columns: 1,
            legend_title: String::new(),
            is_stacked: false,
            insets: Vec::new(),
            twins: [None, None],
            is_second: false,
            twin_of: None,
            colors_before: 0,
            is_polar: false,
            turn: Turn::default(),
            aspect: Aspect::Usual,
            size: size.unwrap_or((640, 480)),
            pixel_ratio,
            theme,
            is_interactive,
            text_scale,
            cycle,
        }
    }
}

impl Drawing {
    /// The size in pixels of which letters have the usual number: fewer than those of
    /// the picture where they are larger.
    pub(crate) fn extent(&self) -> (u32, u32) {
        extent(self.size, self.text_scale)
    }

    /// The colours of the theme, with those that series were given by turns.
    pub(crate) fn palette(&self) -> Palette {
        let palette = Palette::of(self.theme);
        match &self.cycle {
            Some(cycle) => Palette { cycle: cycle.to_vec(), ..palette },
            None => palette,
        }
    }
}

pub(crate) fn extent((width, height): (u32, u32), scale: f64) -> (u32, u32) {
    let length = |length: u32| (f64::from(length) / scale).round().max(1.0) as u32;
    (length(width), length(height))
}

/// Data, and how it looks.
#[derive(Clone)]
pub(crate) struct Series {
    pub(crate) kind: Kind,
    /// Which part of the data it is, if it is one of several.
    pub(crate) part: &'static str,
    pub(crate) label: Option<String>,
    pub(crate) paint: Option<Paint>,
    pub(crate) opacity: f64,
    /// In points.
    pub(crate) width: f64,
    pub(crate) dash: Dash,
    pub(crate) marker: Option<Marker>,
    /// In points.
    pub(crate) marker_size: f64,
    pub(crate) colormap: Colormap,
    /// Of values that have colours, or of bins.
    pub(crate) range: Option<(f64, f64)>,
    /// Whether a line connects the points.
    pub(crate) has_line: bool,
    /// Where its steps are, if it does so in steps.
    pub(crate) step: Option<Step>,
    pub(crate) errors: Errors,
    /// In points.
    pub(crate) capsize: f64,
    /// The colour of each bar, part or mark has by turns.
    pub(crate) each: Vec<Paint>,
    /// Of the edges of bars, areas and marks.
    pub(crate) edge: Option<Paint>,
    /// Of bars, in the numbers of the axis that they stand on.
    pub(crate) thickness: Option<f64>,
    /// Whether each bar says how long it is.
    pub(crate) has_numbers: bool,
    /// What lies over what, instead of what is usual for the kind.
    pub(crate) order: Option<f64>,
    /// Whether a bar beside the axes explains its colours.
    pub(crate) has_bar: Option<bool>,
    /// Where bars begin, if not at zero.
    pub(crate) bottom: Option<Raw>,
    /// What the colours of points stand for, and the area of each in points
    /// squared.
    pub(crate) values: Option<Raw>,
    pub(crate) sizes: Option<Raw>,
    /// What the bar of colours is.
    pub(crate) bar_label: String,
    /// Where a matrix ends: left, right, below and above.
    pub(crate) extent: Option<[f64; 4]>,
    /// Whether the first row of an image is the lowest.
    pub(crate) is_upwards: bool,
    /// Whether the area of a histogram is one.
    pub(crate) is_density: bool,
    /// How values are spaced along the colours.
    pub(crate) norm: Scale,
    pub(crate) interpolation: Interpolation,
    /// Whether lines of equal height say how high they are.
    pub(crate) has_heights: bool,
    /// The size of a text's font, in points.
    pub(crate) font: f64,
    pub(crate) align: Align,
    pub(crate) level: Level,
    /// How far a text is turned to the left, in degrees.
    pub(crate) angle: f64,
}

/// How far error bars reach, each way.
#[derive(Clone, Default)]
pub(crate) struct Errors {
    pub(crate) x: Option<Raw>,
    pub(crate) y: Option<Raw>,
}

/// How a line is broken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Dash {
    #[default]
    Solid,
    Dashed,
    Dotted,
    /// Dashes and dots by turns.
    Mixed,
}

impl Dash {
    /// What Matplotlib's letters mean; no line for `none`.
    pub(crate) fn parse(text: &str) -> Result<Option<Dash>> {
        Ok(Some(match text {
            "-" | "solid" => Dash::Solid,
            "--" | "dashed" => Dash::Dashed,
            ":" | "dotted" => Dash::Dotted,
            "-." | "dashdot" => Dash::Mixed,
            "none" | "None" | "" | " " => return Ok(None),
            _ => {
                let message =
                    format!("`{text}` is not a style of lines; use one of `-`, `--`, `:`, `-.`, `none`");
                return Err(Problem::Invalid { operation: "linestyle", message }.into());
            }
        }))
    }
}

impl Series {
    pub(crate) fn new(kind: Kind, part: &'static str) -> Series {
        // Matplotlib's `patch.linewidth`, and `lines.linewidth`.
        let width = if matches!(kind, Kind::Bars { .. } | Kind::Histogram { .. }) { 1.0 } else { 1.5 };
        Series {
            kind,
            part,
            label: None,
            paint: None,
            opacity: 1.0,
            width,
            dash: Dash::Solid,
            marker: None,
            marker_size: 6.0,
            colormap: Colormap::default(),
            range: None,
            has_line: true,
            step: None,
            errors: Errors::default(),
            capsize: 0.0,
            each: Vec::new(),
            edge: None,
            thickness: None,
            has_numbers: false,
            order: None,
            has_bar: None,
            bottom: None,
            values: None,
            sizes: None,
            bar_label: String::new(),
            extent: None,
            is_upwards: false,
            is_density: false,
            norm: Scale::Linear,
            interpolation: Interpolation::Nearest,
            has_heights: false,
            font: 10.0,
            align: Align::Left,
            level: Level::Baseline,
            angle: 0.0,
        }
    }

    /// What lies over what: as it was asked for, or as is usual.
    pub(super) fn order(&self) -> f64 {
        self.order.unwrap_or_else(|| f64::from(self.kind.height()))
    }

    /// What the legend says of it.
    pub(super) fn name(&self) -> Option<String> {
        match (&self.label, self.part) {
            (None, "") => None,
            (None, part) => Some(part.to_owned()),
            (Some(label), "") => Some(label.clone()),
            (Some(label), part) => Some(format!("{label} ({part})")),
        }
    }

    /// Whether it is drawn in one colour of the cycle.
    pub(crate) fn is_plain(&self) -> bool {
        let is_inked = match self.kind {
            Kind::Guide(_) | Kind::Pie { .. } | Kind::Arrows { .. } => true,
            Kind::Groups { is_violin, .. } => !is_violin,
            _ => false,
        };
        !self.is_matrix() && !is_inked
    }

    /// Whether it is drawn in the colours of a colormap, over an area.
    pub(crate) fn is_matrix(&self) -> bool {
        let is_counted = matches!(self.kind, Kind::Mesh { .. } | Kind::Counts { .. } | Kind::Hexagons { .. });
        is_counted
            || matches!(self.kind, Kind::Contour { .. } | Kind::Surface { is_wire: false, .. })
            || self.is_image()
    }

    /// Whether it is a picture of a matrix, whose elements are squares.
    pub(super) fn is_image(&self) -> bool {
        matches!(self.kind, Kind::Image(_) | Kind::Photo(_))
    }

    /// Whether it is data, and not something that is said of it.
    pub(crate) fn is_data(&self) -> bool {
        !matches!(self.kind, Kind::Guide(_))
    }

    /// Its marks at these places. Those without an inside are strokes of a
    /// point, and of Matplotlib's width of lines where there is no line.
    pub(super) fn marks(&self, marker: Marker, centers: &[Point]) -> Shape {
        let stroke = if matches!(self.kind, Kind::Scatter { .. }) { 1.5 } else { 1.0 };
        marker.shape(centers, self.marker_size * POINT, stroke * POINT)
    }

    /// The width of marks in pixels, edge included.
    pub(super) fn mark_size(&self) -> f64 {
        (self.marker_size + 1.0) * POINT
    }

    /// Lengths of dashes and gaps, in pixels, which grow with the width.
    pub(super) fn dashes(&self) -> Vec<f64> {
        self.dashes_as(self.dash)
    }

    /// The same of another style.
    pub(super) fn dashes_as(&self, dash: Dash) -> Vec<f64> {
        let unit = self.width * POINT;
        match dash {
            Dash::Solid => Vec::new(),
            Dash::Dashed => vec![3.7 * unit, 1.6 * unit],
            Dash::Dotted => vec![unit, 1.65 * unit],
            Dash::Mixed => vec![6.4 * unit, 1.6 * unit, unit, 1.6 * unit],
        }
    }
}
