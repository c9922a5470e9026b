//! From data to series: what each function takes, and what it refuses.

use super::chart::Kind;
use super::draw::font::printable;
use super::reduce;
use crate::array::Raw;
use crate::error::{Problem, Result};
use gpurepl_arrays::series::Points;

/// Lines; complex values are two.
pub(super) fn lines(points: Points) -> Result<Vec<(Kind, &'static str)>> {
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
pub(super) fn dots(points: Points) -> Result<Vec<(Kind, &'static str)>> {
    let Points { x, y, names } = series("scatter", points)?;
    if y.dtype().is_complex() && x.is_none() && names.is_empty() {
        let (real, imaginary) = reduce::parts(&y);
        return Ok(vec![(Kind::Scatter { x: Some(real), y: imaginary, names }, "")]);
    }
    refuse_complex("scatter", "x", x.as_ref())?;
    refuse_complex("scatter", "y", Some(&y))?;
    Ok(vec![(Kind::Scatter { x, y, names }, "")])
}

pub(super) fn bars(points: Points) -> Result<Vec<(Kind, &'static str)>> {
    let Points { x, y, names } = series("bar", points)?;
    refuse_complex("bar", "x", x.as_ref())?;
    refuse_complex("bar", "heights", Some(&y))?;
    let count = y.shape().size();
    if count > MOST_BARS {
        let message = format!(
            "{count} bars are too many to tell apart (at most {MOST_BARS}); use `plot` for a line, or `hist` to count \
             values"
        );
        return Err(Problem::Shape { operation: "bar", message }.into());
    }
    Ok(vec![(Kind::Bars { x, heights: y, names }, "")])
}

const MOST_BARS: usize = 5000;

/// More bins than this are more than any picture has columns.
const MOST_BINS: i64 = 1 << 20;

pub(super) fn histogram(raw: Raw, bins: i64) -> Result<Vec<(Kind, &'static str)>> {
    refuse_complex("hist", "the data", Some(&raw))?;
    if !(1..=MOST_BINS).contains(&bins) {
        let message = format!("{bins} is not a valid number of bins; give a number from 1 to {MOST_BINS}");
        return Err(Problem::Invalid { operation: "hist", message }.into());
    }
    Ok(vec![(Kind::Histogram { raw, bins: bins as usize }, "")])
}

fn refuse_complex(operation: &'static str, what: &str, raw: Option<&Raw>) -> Result<()> {
    let Some(raw) = raw.filter(|raw| raw.dtype().is_complex()) else { return Ok(()) };
    let message =
        format!("{what} of {} cannot be ordered; plot `.abs()`, `.real()` or `.imag()` of it", raw.dtype());
    Err(Problem::DType { operation, message }.into())
}

/// Checks that places and values go together and have one axis.
fn series(operation: &'static str, points: Points) -> Result<Points> {
    let names = points.names.iter().map(|name| printable(name)).collect();
    let points = Points { names, ..points };
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
        let message = format!(
            "x has {places} elements and y has {count}; x and y must have the same length, so take a part of the longer one"
        );
        return Err(Problem::Shape { operation, message }.into());
    }
    Ok(points)
}

/// Checks that data is a matrix; complex values become absolute ones.
pub(super) fn matrix(operation: &'static str, raw: Raw) -> Result<Raw> {
    if raw.shape().rank() != 2 {
        let message = format!(
            "an array of shape {:?} is not a matrix; reshape it, `a.reshape((rows, columns))`, or take a part of it, \
             `a.slice(0)`",
            raw.shape()
        );
        return Err(Problem::Shape { operation, message }.into());
    }
    Ok(if raw.dtype().is_complex() { reduce::magnitude(&raw) } else { raw })
}
