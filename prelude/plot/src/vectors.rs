//! Figures of vectors over a plane, and what they take.

use gpurepl_arrays::series::PlotData;

use super::figure::Figure;
use super::reduce;
use crate::array::Raw;
use crate::chart::Kind;
use crate::error::{Problem, Result};
use crate::{kinds, planes};

/// Vectors over a plane: how far they reach to the right and up, two matrices
/// `(&u, &v)` whose columns and rows stand at 0, 1, 2 and so on, or with the
/// places of columns and rows before them, `(&x, &y, &u, &v)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a field of vectors that can be plotted",
    note = "plot both parts of the vectors, `(&u, &v)`, or with their places, `(&x, &y, &u, &v)`"
)]
pub trait IntoVectors {
    #[doc(hidden)]
    fn into_vectors(self) -> Result<Vectors>;
}

/// The data of a field of vectors.
#[doc(hidden)]
pub struct Vectors {
    places: Option<(Raw, Raw)>,
    across: Raw,
    up: Raw,
}

impl<U: PlotData, V: PlotData> IntoVectors for (U, V) {
    fn into_vectors(self) -> Result<Vectors> {
        Ok(Vectors { places: None, across: self.0.plot_data()?, up: self.1.plot_data()? })
    }
}

impl<X: PlotData, Y: PlotData, U: PlotData, V: PlotData> IntoVectors for (X, Y, U, V) {
    fn into_vectors(self) -> Result<Vectors> {
        let places = Some((self.0.plot_data()?, self.1.plot_data()?));
        Ok(Vectors { places, across: self.2.plot_data()?, up: self.3.plot_data()? })
    }
}

/// An arrow at each place, which points and reaches where a vector does: to the
/// right by `u` and up by `v`, as seen on the screen. They are so long that they
/// rarely cover each other; see [`Figure::scale`]. [`Figure::colors`] gives each
/// a colour by a value.
///
/// Vectors are two matrices, `(&u, &v)`, with the places of their columns and
/// rows before them, `(&x, &y, &u, &v)`; or four arrays with an element for each
/// arrow.
///
/// ```
/// use gpurepl_prelude::*;
/// let (x, y) = (linspace(-3.0, 3.0, 15), linspace(-2.0, 2.0, 11));
/// let (u, v) = (zeros::<f64>((11, 15)) - y.reshape((-1, 1)), zeros::<f64>((11, 15)) + x.reshape((1, -1)));
/// quiver((&x, &y, &u, &v)).title("Around");
/// ```
///
/// # Panics
///
/// As [`plot`](crate::plot()), if the arrays do not fit each other, or if there
/// are more than 5000 arrows.
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&figure)`"]
pub fn quiver(data: impl IntoVectors) -> Figure {
    Figure::new().quiver(data)
}

/// Lines along vectors, about equally far from each other, with an arrow in the
/// middle of each. The vectors are two matrices, `(&u, &v)`, with the places of
/// their columns and rows before them, `(&x, &y, &u, &v)`. Of large matrices the
/// means of blocks are computed on the device. [`Figure::line_density`] says how
/// close the lines are, and [`Figure::colors`] colours them by a matrix.
///
/// ```
/// use gpurepl_prelude::*;
/// let (x, y) = (linspace(-3.0, 3.0, 60), linspace(-2.0, 2.0, 40));
/// let (u, v) = (zeros::<f64>((40, 60)) - y.reshape((-1, 1)), zeros::<f64>((40, 60)) + x.reshape((1, -1)));
/// streamplot((&x, &y, &u, &v)).line_density(0.8).linewidth(1);
/// ```
///
/// # Panics
///
/// As [`plot`](crate::plot()), if the matrices do not fit each other or their
/// places, have fewer than two rows or columns, or if places neither ascend nor
/// descend.
#[track_caller]
#[must_use = "it is shown as a cell's value, or by `display(&figure)`"]
pub fn streamplot(data: impl IntoVectors) -> Figure {
    Figure::new().streamplot(data)
}

/// Both parts of vectors, which are real numbers and as many.
fn parts(operation: &'static str, vectors: &Vectors) -> Result<()> {
    kinds::refuse_complex(operation, "u", Some(&vectors.across))?;
    kinds::refuse_complex(operation, "v", Some(&vectors.up))?;
    let (u, v) = (vectors.across.shape(), vectors.up.shape());
    if u == v {
        return Ok(());
    }
    let message = format!("u has shape {u:?} and v has shape {v:?}; both must have the same");
    Err(Problem::Shape { operation, message }.into())
}

/// More arrows than this cannot be told apart.
const MOST_ARROWS: usize = 5000;

pub(super) fn arrows(vectors: Vectors) -> Result<Kind> {
    parts("quiver", &vectors)?;
    let Vectors { places, across, up } = vectors;
    let (shape, count) = (across.shape(), across.shape().size());
    if count > MOST_ARROWS {
        let message = format!(
            "{count} arrows are too many to tell apart (at most {MOST_ARROWS}); take every tenth row and column of \
             all, `u.slice(s![..; 10, ..; 10])`, or draw lines, `streamplot`"
        );
        return Err(Problem::Shape { operation: "quiver", message }.into());
    }
    let is_for_each = |(x, y): &(Raw, Raw)| x.shape() == shape && y.shape() == shape;
    let places = match places {
        Some(each) if is_for_each(&each) => {
            kinds::refuse_complex("quiver", "x", Some(&each.0))?;
            kinds::refuse_complex("quiver", "y", Some(&each.1))?;
            Some(each)
        }
        _ if shape.rank() != 2 => {
            let message = format!(
                "u has shape {shape:?}; give matrices, or arrays of as many places as vectors, `(&x, &y, &u, &v)`"
            );
            return Err(Problem::Shape { operation: "quiver", message }.into());
        }
        Some(axes) => Some(planes::places("quiver", axes, &across, false)?),
        None => None,
    };
    Ok(Kind::Arrows { places, across, up, scale: None })
}

pub(super) fn streams(vectors: Vectors) -> Result<Kind> {
    parts("streamplot", &vectors)?;
    let Vectors { places, across, up } = vectors;
    let (across, up) = (kinds::matrix("streamplot", across)?, kinds::matrix("streamplot", up)?);
    if across.shape().lengths().iter().any(|length| *length < 2) {
        let message = format!(
            "vectors of shape {:?} cover no area; give at least two rows and columns",
            across.shape()
        );
        return Err(Problem::Shape { operation: "streamplot", message }.into());
    }
    let places = match places {
        Some(places) => Some(planes::places("streamplot", places, &across, false)?),
        None => None,
    };
    Ok(Kind::Streams { places, across, up, density: 1.0 })
}

/// The values that colour arrows and lines: as many as there are vectors.
pub(super) fn colors(kind: &Kind, values: &Raw) -> Result<()> {
    let (Kind::Arrows { across, .. } | Kind::Streams { across, .. }) = kind else { return Ok(()) };
    let operation = "colors";
    kinds::refuse_complex(operation, "the data", Some(values))?;
    if values.shape() == across.shape() {
        return Ok(());
    }
    let message = format!(
        "the vectors have shape {:?} and the data has shape {:?}; give a number for each vector",
        across.shape(),
        values.shape()
    );
    Err(Problem::Shape { operation, message }.into())
}

/// The most rows and columns of a field that lines are followed in.
const MOST_PLACES: usize = 400;

/// The means of a matrix in at most so many blocks each way.
pub(super) fn means(raw: &Raw) -> Result<(Vec<f64>, (usize, usize))> {
    let lengths = raw.shape().lengths().to_vec();
    let size = (lengths[0].min(MOST_PLACES), lengths[1].min(MOST_PLACES));
    Ok((reduce::blocks(raw, size)?, size))
}
