//! Figures of what lies over a plane.

use gpurepl_arrays::fields::IntoField;
use gpurepl_arrays::series::{IntoSeries, PlotData};

use super::figure::Figure;
use crate::shape::Length;

/// A matrix as a picture with a bar of its colours; of complex values the
/// absolute values. A matrix with more elements than there are pixels is
/// shown by the means of blocks. What is not finite is left blank.
///
/// An array of shape `(rows, columns, 3)` is red, green and blue, and with a
/// fourth number the opacity: floats from 0 to 1, or integers from 0 to 255.
///
/// ```
/// use gpurepl_prelude::*;
/// imshow(&rand::<f32>((32, 48))).colormap("magma").interpolation("bilinear");
/// imshow(&rand::<f32>((32, 48, 3)));
/// ```
///
/// # Panics
///
/// As [`plot`](crate::plot()), or if the data is neither a matrix nor has three
/// or four colours along a third axis.
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&figure)`"]
pub fn imshow(data: impl PlotData) -> Figure {
    Figure::new().imshow(data)
}

/// Lines of equal height of a matrix, whose first row is the lowest:
/// `contour(&z)`, or with the places of its columns and rows,
/// `contour((&x, &y, &z))`. [`Figure::clabel`] writes the heights on the lines,
/// and [`Figure::levels`] says which they are.
///
/// ```
/// use gpurepl_prelude::*;
/// let (x, y) = (linspace(-2.0, 2.0, 60), linspace(-1.0, 1.0, 40));
/// let z = &x.reshape((1, -1)) * &y.reshape((-1, 1));
/// contour((&x, &y, &z)).clabel();
/// ```
///
/// # Panics
///
/// As [`imshow`], or if places do not fit the matrix, or neither ascend nor
/// descend.
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&figure)`"]
pub fn contour(data: impl IntoField) -> Figure {
    Figure::new().contour(data)
}

/// The areas between heights of a matrix, each in a colour, from `contourf(&z)`
/// or `contourf((&x, &y, &z))`.
///
/// ```
/// use gpurepl_prelude::*;
/// let z = rand::<f32>((20, 30));
/// contourf(&z).levels([0.0, 0.25, 0.5, 0.75, 1.0]).contour(&z).color("k").linewidth(0.5);
/// ```
///
/// # Panics
///
/// As [`contour`].
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&figure)`"]
pub fn contourf(data: impl IntoField) -> Figure {
    Figure::new().contourf(data)
}

/// A matrix as cells in colours, the first row below: `pcolormesh(&z)`, or
/// with edges between columns and rows, `pcolormesh((&x, &y, &z))`, of which
/// there is one more each way. As many numbers as columns or rows are the
/// middles of cells. Axes may be logarithmic.
///
/// ```
/// use gpurepl_prelude::*;
/// pcolormesh((&[0.0, 1.0, 4.0, 5.0], &[0.0, 1.0, 10.0], &[[1, 2, 3], [4, 5, 6]])).colorbar_label("K");
/// ```
///
/// # Panics
///
/// As [`contour`].
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&figure)`"]
pub fn pcolormesh(data: impl IntoField) -> Figure {
    Figure::new().pcolormesh(data)
}

/// How many points `(&x, &y)` lie in rectangles, `bins` of them each way, in
/// colours. The points are counted on the device.
///
/// ```
/// use gpurepl_prelude::*;
/// hist2d((&randn::<f32>(100_000), &randn::<f32>(100_000)), 50).log_norm();
/// ```
///
/// # Panics
///
/// As [`plot`](crate::plot()), or if the points have one coordinate, or `bins`
/// is not from 1 to 4096.
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&figure)`"]
pub fn hist2d(data: impl IntoSeries, bins: impl Length) -> Figure {
    Figure::new().hist2d(data, bins)
}

/// How many points `(&x, &y)` lie in hexagons, `columns` of them side by side,
/// in colours. The points are counted on the device.
///
/// ```
/// use gpurepl_prelude::*;
/// hexbin((&randn::<f32>(100_000), &randn::<f32>(100_000)), 40).colormap("inferno");
/// ```
///
/// # Panics
///
/// As [`hist2d`], with up to 300 hexagons.
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&figure)`"]
pub fn hexbin(data: impl IntoSeries, columns: impl Length) -> Figure {
    Figure::new().hexbin(data, columns)
}
