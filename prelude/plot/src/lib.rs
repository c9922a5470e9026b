//! Plots: data in, a picture out, in the names of Matplotlib.
//!
//! ```
//! use gpurepl_prelude::*;
//! let x = linspace(0.0, 10.0, 1000);
//! let figure = plot((&x, &x.sin())).label("sin").plot((&x, &x.cos())).label("cos").dashed().xlabel("t");
//! assert!(figure.to_svg()?.starts_with("<svg"));
//! # Ok::<(), Error>(())
//! ```
//!
//! A [`Figure`] is a list of series and settings. When it is shown or saved,
//! the data is reduced on the device to what pixels can show (`reduce`), laid
//! out as a list of marks (`chart`), and drawn by plotters' SVG backend or, as
//! pixels, by a backend for plotters over zeno (`draw`). The font is
//! carried along. `interactive` lets the readers of a page move its axes.
//!
//! A figure holds its arrays, not copies: it shows what they hold when it is
//! drawn. So an animation updates arrays and the display:
//!
//! ```
//! use gpurepl_prelude::*;
//! let x = linspace(0.0, 6.3, 500);
//! let mut y = x.sin();
//! let figure = plot((&x, &y)).ylim(-1.0, 1.0);
//! let shown = display_handle(&figure);
//! for _ in 0..3 {
//!     y *= 0.9;
//!     shown.update(&figure);
//! }
//! ```

#![warn(missing_docs)]

mod animation;
mod bins;
mod chart;
mod color;
mod colormap;
mod dates;
mod draw;
mod fields;
mod figure;
mod format;
mod groups;
mod interactive;
mod kinds;
mod marker;
mod output;
mod planes;
mod reduce;
mod scale;
mod settings;
mod spaces;
mod style;
mod subplots;
mod text;
mod vectors;

pub use animation::{Animation, IntoFrame, animate};
pub use bins::Bins;
pub use color::Theme;
pub use fields::{contour, contourf, hexbin, hist2d, imshow, pcolormesh};
pub use figure::Figure;
pub use groups::{boxplot, pie, violinplot};
pub use spaces::{IntoSpace, plot3d, scatter3d, surface, wireframe};
pub use style::{Style, style};
pub use subplots::{Subplots, subplot_mosaic, subplots};
pub use vectors::{IntoVectors, quiver, streamplot};

pub(crate) use gpurepl_arrays::{array, kernel};
pub(crate) use gpurepl_device as device;
pub(crate) use gpurepl_display as display;
pub(crate) use gpurepl_ground::{error, shape};

use gpurepl_arrays::series::{IntoSeries, PlotData};

/// A line through points: values, `plot(&y)`, or places and values,
/// `plot((&x, &y))`; of a matrix a line for each column. Of complex values the
/// real and the imaginary part are two lines. Where a value is not finite, the
/// line has a gap. How it is drawn may stand last: `plot((&x, &y, "r--"))`, see
/// [`Figure::format`].
///
/// ```
/// use gpurepl_prelude::*;
/// let x = linspace(0.0, 1.0, 100);
/// plot((&x, &x.sqrt())).title("Square root").save(std::env::temp_dir().join("gpurepl-sqrt.svg"))?;
/// # Ok::<(), Error>(())
/// ```
///
/// # Panics
///
/// With an [`Error`](gpurepl_ground::Error), if the data cannot be plotted: `x` and `y`
/// of different lengths, an array of three axes. So do all functions that make
/// figures.
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&figure)`"]
pub fn plot(data: impl IntoSeries) -> Figure {
    Figure::new().plot(data)
}

/// A mark at each point; where there are too many to tell apart, their
/// density, with marks for those that stand apart. Of complex values the real
/// part is the place.
///
/// ```
/// use gpurepl_prelude::*;
/// scatter((&randn::<f32>(1000), &randn::<f32>(1000))).alpha(0.5);
/// ```
///
/// # Panics
///
/// As [`plot`].
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&figure)`"]
pub fn scatter(data: impl IntoSeries) -> Figure {
    Figure::new().scatter(data)
}

/// A histogram: how many values lie in each of so many bins between the least and
/// the greatest, or in bins between edges, `&[0.0, 1.0, 10.0]`, or in as many bins
/// as a rule of NumPy's has, `"auto"`. Of a matrix it has a bar for each column in
/// each bin. What is not finite is not counted, and the figure says so.
///
/// ```
/// use gpurepl_prelude::*;
/// hist(&randn::<f32>(100_000), 50).title("Normal");
/// hist(&randn::<f32>((1000, 3)), "auto").legend();
/// hist(&rand::<f32>(1000), &[0.0, 0.1, 0.5, 1.0]).density();
/// ```
///
/// # Panics
///
/// As [`plot`].
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&figure)`"]
pub fn hist(data: impl PlotData, bins: impl Bins) -> Figure {
    Figure::new().hist(data, bins)
}

/// Bars from zero: heights, `bar(&heights)`, or places or names and heights,
/// `bar((["a", "b"], [3, 5]))`. The same name is the same place, in whichever
/// series of a figure.
///
/// # Panics
///
/// As [`plot`].
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&figure)`"]
pub fn bar(data: impl IntoSeries) -> Figure {
    Figure::new().bar(data)
}

/// Bars that lie: lengths, `barh(&lengths)`, or places or names and lengths,
/// `barh((["a", "b"], [3, 5]))`. The first is the lowest.
///
/// # Panics
///
/// As [`plot`].
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&figure)`"]
pub fn barh(data: impl IntoSeries) -> Figure {
    Figure::new().barh(data)
}

/// A line in steps: each value is that of the way from the place before it.
///
/// ```
/// use gpurepl_prelude::*;
/// step(&[1, 3, 2, 4]).title("Steps");
/// ```
///
/// # Panics
///
/// As [`plot`].
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&figure)`"]
pub fn step(data: impl IntoSeries) -> Figure {
    Figure::new().step(data)
}

/// A line from zero to each point, with a mark at its end: for at most 5000
/// points.
///
/// # Panics
///
/// As [`plot`], or if there are more points.
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&figure)`"]
pub fn stem(data: impl IntoSeries) -> Figure {
    Figure::new().stem(data)
}

/// A line through points with error bars: a number for each, or one for all; a
/// matrix of two rows gives those down and those up. [`Figure::xerr`] and
/// [`Figure::yerr`] give points and bars of other kinds theirs.
///
/// ```
/// use gpurepl_prelude::*;
/// let (x, y) = ([1, 2, 3], [2.0, 3.5, 3.0]);
/// errorbar((&x, &y), &[0.3, 0.5, 0.2]).format("o").capsize(3);
/// ```
///
/// # Panics
///
/// As [`plot`], if the errors do not fit the points, or if there are more than
/// 5000 points.
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&figure)`"]
pub fn errorbar(data: impl IntoSeries, errors: impl PlotData) -> Figure {
    Figure::new().errorbar(data, errors)
}

/// Fills what is between two lines over the same places; one of them may be a
/// number.
///
/// ```
/// use gpurepl_prelude::*;
/// let x = linspace(0.0, 6.3, 200);
/// let y = x.sin();
/// fill_between(&x, &(&y - 0.2), &(&y + 0.2)).alpha(0.3).plot((&x, &y));
/// fill_between(&x, &y, 0.0);
/// ```
///
/// # Panics
///
/// As [`plot`].
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&figure)`"]
pub fn fill_between(x: impl PlotData, y1: impl PlotData, y2: impl PlotData) -> Figure {
    Figure::new().fill_between(x, y1, y2)
}

/// A line over a logarithmic `x` axis.
///
/// # Panics
///
/// As [`plot`].
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&figure)`"]
pub fn semilogx(data: impl IntoSeries) -> Figure {
    Figure::new().semilogx(data)
}

/// A line over a logarithmic `y` axis.
///
/// # Panics
///
/// As [`plot`].
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&figure)`"]
pub fn semilogy(data: impl IntoSeries) -> Figure {
    Figure::new().semilogy(data)
}

/// A line over two logarithmic axes.
///
/// # Panics
///
/// As [`plot`].
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&figure)`"]
pub fn loglog(data: impl IntoSeries) -> Figure {
    Figure::new().loglog(data)
}

/// A line through angles in radians and distances from a middle,
/// `polar((&theta, &r))`. Other kinds stand around a middle by
/// [`Figure::projection`].
///
/// ```
/// use gpurepl_prelude::*;
/// let theta = linspace(0.0, 12.56, 400);
/// polar((&theta, &(&theta * 0.5))).title("A spiral");
/// ```
///
/// # Panics
///
/// As [`plot`]. Values without angles, and kinds that such axes do not show,
/// are an error when the figure is drawn.
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&figure)`"]
pub fn polar(data: impl IntoSeries) -> Figure {
    Figure::new().polar(data)
}
