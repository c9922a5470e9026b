//! From data over a plane to kinds of series: what is taken, and what is
//! refused.

use gpurepl_arrays::fields::Field;
use gpurepl_arrays::series::Points;

use super::chart::{Kind, Levels};
use super::kinds;
use super::reduce;
use crate::array::Raw;
use crate::error::{Problem, Result};

/// A matrix, or colours along a last axis of three or four.
pub(super) fn image(raw: Raw) -> Result<Kind> {
    let lengths = raw.shape().lengths().to_vec();
    if lengths.len() == 3 && [3, 4].contains(&lengths[2]) {
        kinds::refuse_complex("imshow", "colours", Some(&raw))?;
        return Ok(Kind::Photo(raw));
    }
    if lengths.len() == 3 {
        let message = format!(
            "an array of shape {:?} is neither a matrix nor one of colours; colours have a last axis of 3 (red, green, \
             blue) or 4 (and opacity): move it there, `a.transpose_axes((1, 2, 0))`, or take a part, `a.slice(0)`",
            raw.shape()
        );
        return Err(Problem::Shape { operation: "imshow", message }.into());
    }
    Ok(Kind::Image(kinds::matrix("imshow", raw)?))
}

pub(super) fn contour(operation: &'static str, field: Field, is_filled: bool) -> Result<Kind> {
    let raw = kinds::matrix(operation, field.values)?;
    let places = match field.places {
        Some((x, y)) => Some(places(operation, (x, y), &raw, false)?),
        None => None,
    };
    Ok(Kind::Contour { raw, places, levels: Levels::default(), is_filled })
}

pub(super) fn mesh(field: Field) -> Result<Kind> {
    let raw = kinds::matrix("pcolormesh", field.values)?;
    let edges = match field.places {
        Some((x, y)) => Some(places("pcolormesh", (x, y), &raw, true)?),
        None => None,
    };
    Ok(Kind::Mesh { raw, edges })
}

/// The places of a matrix' columns and rows, or the edges between them. As
/// `meshgrid` makes them, they are a row and a column of two matrices.
pub(super) fn places(
    operation: &'static str,
    (x, y): (Raw, Raw),
    raw: &Raw,
    are_edges: bool,
) -> Result<(Raw, Raw)> {
    let (rows, columns) = (raw.shape().lengths()[0], raw.shape().lengths()[1]);
    let axis = |name: &'static str, places: Raw, count: usize, is_x: bool| -> Result<Raw> {
        kinds::refuse_complex(operation, name, Some(&places))?;
        let places =
            if places.shape().rank() == 2 { axis_of(operation, name, &places, is_x)? } else { places };
        let found = places.shape().size();
        let fits = found == count || (are_edges && found == count + 1);
        if places.shape().rank() != 1 || !fits {
            let what = if is_x { "columns" } else { "rows" };
            let edges = if are_edges { format!(", or {} edges", count + 1) } else { String::new() };
            let message = format!(
                "the matrix has {count} {what} and {name} has shape {:?}; give {count} numbers{edges}",
                places.shape()
            );
            return Err(Problem::Shape { operation, message }.into());
        }
        ascending(operation, name, &places)?;
        Ok(places)
    };
    Ok((axis("x", x, columns, true)?, axis("y", y, rows, false)?))
}

/// The row or the column that a matrix of places repeats.
fn axis_of(operation: &'static str, name: &str, places: &Raw, is_x: bool) -> Result<Raw> {
    let lengths = places.shape().lengths().to_vec();
    let values = reduce::values(places)?;
    let at = |row: usize, column: usize| values[row * lengths[1] + column];
    let is_one = |row: usize, column: usize| at(row, column) == if is_x { at(0, column) } else { at(row, 0) };
    if !(0..lengths[0]).all(|row| (0..lengths[1]).all(|column| is_one(row, column))) {
        let message = format!(
            "the rows or columns of {name} differ: cells must be rectangles; give one number for each {}",
            if is_x { "column" } else { "row" }
        );
        return Err(Problem::Invalid { operation, message }.into());
    }
    let axis: Vec<f64> = match is_x {
        true => (0..lengths[1]).map(|column| at(0, column)).collect(),
        false => (0..lengths[0]).map(|row| at(row, 0)).collect(),
    };
    crate::array::ToGpu::upload(&axis)
}

/// The most places of columns or rows, which are copied.
const MOST_PLACES: usize = 1 << 24;

/// Refuses places that do not follow each other.
fn ascending(operation: &'static str, name: &str, places: &Raw) -> Result<()> {
    let count = places.shape().size();
    if count > MOST_PLACES {
        let message = format!("{name} has {count} numbers, at most {MOST_PLACES}; take a part of the matrix");
        return Err(Problem::Shape { operation, message }.into());
    }
    let values = reduce::values(places)?;
    let rises = values.windows(2).all(|pair| pair[0] < pair[1]);
    let falls = values.windows(2).all(|pair| pair[0] > pair[1]);
    if (rises || falls) && values.iter().all(|value| value.is_finite()) {
        return Ok(());
    }
    let message = format!(
        "{name} neither ascends nor descends from each number to the next; sort it, and the matrix with it"
    );
    Err(Problem::Invalid { operation, message }.into())
}

/// More bins on a side than this are more than a picture has pixels.
const MOST_BINS: i64 = 4096;

pub(super) fn counts(points: Points, bins: i64) -> Result<Kind> {
    let bins = number_of("hist2d", "bins", bins)?;
    let (x, y) = plane("hist2d", points)?;
    Ok(Kind::Counts { x, y, bins: (bins, bins) })
}

/// More hexagons side by side than this are too small to be told apart.
const MOST_HEXAGONS: i64 = 300;

pub(super) fn hexagons(points: Points, columns: i64) -> Result<Kind> {
    let columns = number_of("hexbin", "hexagons", columns)?;
    let (x, y) = plane("hexbin", points)?;
    Ok(Kind::Hexagons { x, y, columns })
}

fn number_of(operation: &'static str, what: &str, count: i64) -> Result<usize> {
    let most = if operation == "hexbin" { MOST_HEXAGONS } else { MOST_BINS };
    if (1..=most).contains(&count) {
        return Ok(count as usize);
    }
    let message = format!("{count} is not a valid number of {what}; give a number from 1 to {most}");
    Err(Problem::Invalid { operation, message }.into())
}

/// Both coordinates of points; complex values are places in the plane.
fn plane(operation: &'static str, points: Points) -> Result<(Raw, Raw)> {
    kinds::refuse_format(operation, &points)?;
    let Points { x, y, names, .. } = kinds::series(operation, points)?;
    if y.dtype().is_complex() && x.is_none() && names.is_empty() {
        return Ok(reduce::parts(&y));
    }
    kinds::refuse_complex(operation, "x", x.as_ref())?;
    kinds::refuse_complex(operation, "y", Some(&y))?;
    match x {
        Some(x) => Ok((x, y)),
        None => {
            let message = "points have two coordinates; give both as a pair, `(&x, &y)`".to_owned();
            Err(Problem::Shape { operation, message }.into())
        }
    }
}
