//! Figures of what stands in space, and what they take.

use gpurepl_arrays::fields::{Field, IntoField};
use gpurepl_arrays::series::PlotData;

use super::figure::Figure;
use crate::array::Raw;
use crate::chart::{Kind, Series};
use crate::error::{Problem, Result};
use crate::format::Format;
use crate::{kinds, planes};

/// Points in space, `(&x, &y, &z)`: three arrays of as many numbers. How a line through them
/// is drawn may stand last, `(&x, &y, &z, "r--")`; see [`Figure::format`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not points in space that can be plotted",
    note = "plot three arrays with a number for each point: `(&x, &y, &z)`"
)]
pub trait IntoSpace {
    #[doc(hidden)]
    fn into_space(self) -> Result<Places>;
}

/// The data of points in space.
#[doc(hidden)]
pub struct Places {
    at: [Raw; 3],
    format: String,
}

impl<X: PlotData, Y: PlotData, Z: PlotData> IntoSpace for (X, Y, Z) {
    fn into_space(self) -> Result<Places> {
        let at = [self.0.plot_data()?, self.1.plot_data()?, self.2.plot_data()?];
        Ok(Places { at, format: String::new() })
    }
}

impl<X: PlotData, Y: PlotData, Z: PlotData> IntoSpace for (X, Y, Z, &str) {
    fn into_space(self) -> Result<Places> {
        Ok(Places { format: self.3.to_owned(), ..(self.0, self.1, self.2).into_space()? })
    }
}

/// A line through points in space. From which side it is seen, [`Figure::view_init`] says.
/// More than 20000 points are joined by every second, third and so on, and a note says so.
///
/// ```
/// use gpurepl_prelude::*;
/// let t = linspace(0.0, 25.0, 500);
/// plot3d((&t.cos(), &t.sin(), &t)).zlabel("t").view_init(20, 45);
/// ```
///
/// # Panics
///
/// As [`plot`](crate::plot()), or if the arrays do not have as many elements as each other.
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&figure)`"]
pub fn plot3d(data: impl IntoSpace) -> Figure {
    Figure::new().plot3d(data)
}

/// A mark at each point in space, fainter where it is farther away. [`Figure::colors`] and
/// [`Figure::sizes`] give each a colour and a size. Of more than 5000 points every second, third
/// and so on is shown, and a note says so.
///
/// ```
/// use gpurepl_prelude::*;
/// let [x, y, z] = [0; 3].map(|_| randn::<f32>(300));
/// scatter3d((&x, &y, &z)).colors(&z).colorbar_label("height");
/// ```
///
/// # Panics
///
/// As [`plot3d`].
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&figure)`"]
pub fn scatter3d(data: impl IntoSpace) -> Figure {
    Figure::new().scatter3d(data)
}

/// A matrix as heights over a plane, `surface(&z)`, with the places of its columns and rows,
/// `surface((&x, &y, &z))`; or three matrices of one shape, where each element is a place of
/// its own: a sphere, a Möbius strip. Colours stand for heights, unless [`Figure::color`] gives
/// one for all. Of more than 50 rows or columns the means of blocks are shown, or of three
/// matrices some rows and columns.
///
/// ```
/// use gpurepl_prelude::*;
/// let (x, y) = (linspace(-3.0, 3.0, 60), linspace(-2.0, 2.0, 40));
/// surface((&x, &y, &(&x.reshape((1, -1)).sin() * &y.reshape((-1, 1)).cos()))).view_init(40, -30);
///
/// let (u, v) = (linspace(0.0, 6.2832, 40).reshape((1, -1)), linspace(0.0, 3.1416, 20).reshape((-1, 1)));
/// let ring = zeros::<f64>((20, 40));
/// surface((&(&u.cos() * &v.sin()), &(&u.sin() * &v.sin()), &(&ring + v.cos()))).aspect("equal");
/// ```
///
/// # Panics
///
/// As [`plot`](crate::plot()), if the data is not a matrix, or if places do not fit it.
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&figure)`"]
pub fn surface(data: impl IntoField) -> Figure {
    Figure::new().surface(data)
}

/// The lines of a surface along its rows and columns, of which data is given as to
/// [`surface`].
///
/// # Panics
///
/// As [`surface`].
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&figure)`"]
pub fn wireframe(data: impl IntoField) -> Figure {
    Figure::new().wireframe(data)
}

/// Three arrays of as many real numbers.
pub(super) fn points(operation: &'static str, places: Result<Places>, is_line: bool) -> Result<Vec<Series>> {
    let Places { at, format } = places?;
    let count = at[2].shape().size();
    for (name, raw) in ["x", "y", "z"].into_iter().zip(&at) {
        kinds::refuse_complex(operation, name, Some(raw))?;
        let found = raw.shape().size();
        if found != count {
            let message =
                format!("{name} has {found} elements and z has {count}; give as many numbers for each axis");
            return Err(Problem::Shape { operation, message }.into());
        }
    }
    let format = Format::parse(&format)?;
    if !is_line && !format.is_empty() {
        let message = "the points of a cloud have a colour and a mark by `.color(..)` and `.marker(..)`; \
                       leave the text out"
            .to_owned();
        return Err(Problem::Invalid { operation, message }.into());
    }
    let mut series = Series::new(Kind::Space { at, is_line }, "");
    format.apply(&mut series);
    Ok(vec![series])
}

/// Heights over columns and rows, or over places that are given for each of them.
pub(super) fn sheet(operation: &'static str, field: Result<Field>, is_wire: bool) -> Result<Kind> {
    let Field { places, values } = field?;
    kinds::refuse_complex(operation, "the data", Some(&values).filter(|_| places.is_some()))?;
    let raw = kinds::matrix(operation, values)?;
    let is_for_each = |(x, y): &(Raw, Raw)| x.shape() == raw.shape() && y.shape() == raw.shape();
    let places = match places {
        Some(each) if is_for_each(&each) => {
            kinds::refuse_complex(operation, "x", Some(&each.0))?;
            kinds::refuse_complex(operation, "y", Some(&each.1))?;
            Some(each)
        }
        Some(axes) => Some(planes::places(operation, axes, &raw, false)?),
        None => None,
    };
    Ok(Kind::Surface { places, raw, is_wire })
}
