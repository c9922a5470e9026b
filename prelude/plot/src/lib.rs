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
//! carried along.
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

mod chart;
mod color;
mod colormap;
mod draw;
mod figure;
mod kinds;
mod marker;
mod output;
mod reduce;
mod scale;
mod settings;
mod text;

pub use color::Theme;
pub use figure::Figure;

pub(crate) use gpurepl_arrays::{array, kernel};
pub(crate) use gpurepl_device as device;
pub(crate) use gpurepl_display as display;
pub(crate) use gpurepl_ground::{error, shape};

use gpurepl_arrays::series::{IntoSeries, PlotData};
use shape::Length;

/// A line through points: values, `plot(&y)`, or places and values,
/// `plot((&x, &y))`. Of complex values the real and the imaginary part are
/// two lines. Where a value is not finite, the line has a gap.
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
/// of different lengths, a matrix. So do all functions that make figures.
#[track_caller]
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
pub fn scatter(data: impl IntoSeries) -> Figure {
    Figure::new().scatter(data)
}

/// A histogram in `bins` bins from the least to the greatest value. What is
/// not finite is not counted, and the figure says so.
///
/// ```
/// use gpurepl_prelude::*;
/// hist(&randn::<f32>(100_000), 50).title("Normal");
/// ```
///
/// # Panics
///
/// As [`plot`].
#[track_caller]
pub fn hist(data: impl PlotData, bins: impl Length) -> Figure {
    Figure::new().hist(data, bins)
}

/// A matrix as a picture with a bar of its colours; of complex values the
/// absolute values. A matrix with more elements than there are pixels is
/// shown by the means of blocks. What is not finite is left blank.
///
/// ```
/// use gpurepl_prelude::*;
/// imshow(&rand::<f32>((32, 48))).colormap("magma");
/// ```
///
/// # Panics
///
/// As [`plot`], or if the data is not a matrix.
#[track_caller]
pub fn imshow(data: impl PlotData) -> Figure {
    Figure::new().imshow(data)
}

/// Lines of equal height of a matrix, whose first row is the lowest.
///
/// # Panics
///
/// As [`imshow`].
#[track_caller]
pub fn contour(data: impl PlotData) -> Figure {
    Figure::new().contour(data)
}

/// Bars from zero: heights, `bar(&heights)`, or places or names and heights,
/// `bar((["a", "b"], [3, 5]))`. The same name is the same place, in whichever
/// series of a figure.
///
/// # Panics
///
/// As [`plot`].
#[track_caller]
pub fn bar(data: impl IntoSeries) -> Figure {
    Figure::new().bar(data)
}

/// A matrix as heights over a plane, seen from above and aside.
///
/// # Panics
///
/// As [`imshow`].
#[track_caller]
pub fn surface(data: impl PlotData) -> Figure {
    Figure::new().surface(data)
}
