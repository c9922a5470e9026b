//! From data to series: what each function takes, and what it refuses.

use super::bins::BinsOf;
use super::chart::{GroupLooks, Kind, Series};
use super::draw::font::printable;
use super::format::Format;
use super::{reduce, vectors};
use crate::array::{GpuArray, Raw, ToGpu as _};
use crate::error::{Problem, Result};
use gpurepl_arrays::fields::Groups;
use gpurepl_arrays::series::{Points, columns};
use gpurepl_kernels::DType;

/// More columns than this are not lines that one could tell apart.
const MOST_LINES: usize = 100;

/// Lines: complex values are two, and a matrix one for each of its columns.
pub(super) fn lines(operation: &'static str, points: Points) -> Result<Vec<Series>> {
    let format = Format::parse(&points.format)?;
    let is_matrix = points.y.shape().lengths().iter().filter(|length| **length != 1).count() == 2
        && points.y.shape().rank() == 2;
    let parts = if is_matrix { columns_of(operation, points)? } else { vec![points] };
    let mut lines = Vec::new();
    for part in parts {
        let Points { x, y, names, .. } = series(operation, part)?;
        refuse_complex(operation, "x", x.as_ref())?;
        match y.dtype().is_complex() {
            false => lines.push(Series::new(Kind::Line { x, y, names }, "")),
            true => {
                let (real, imaginary) = reduce::parts(&y);
                let real = Kind::Line { x: x.clone(), y: real, names: names.clone() };
                lines.push(Series::new(real, "real"));
                lines.push(Series::new(Kind::Line { x, y: imaginary, names }, "imag"));
            }
        }
    }
    if !format.is_empty() {
        lines.iter_mut().for_each(|line| format.apply(line));
    }
    Ok(lines)
}

/// The columns of a matrix, over the same places.
fn columns_of(operation: &'static str, points: Points) -> Result<Vec<Points>> {
    let shape = points.y.shape();
    if shape.lengths()[1] > MOST_LINES {
        let message = format!(
            "y has shape {shape:?}, and {} columns are too many lines (at most {MOST_LINES}); show the matrix with `imshow`, \
             or plot its transpose, `a.t()`, for a line of each row",
            shape.lengths()[1]
        );
        return Err(Problem::Shape { operation, message }.into());
    }
    let Points { x, y, names, .. } = points;
    let part = |y: Raw| Points { x: x.clone(), names: names.clone(), y, format: String::new() };
    Ok(columns(&y)?.into_iter().map(part).collect())
}

/// Points; complex values are places in the plane.
pub(super) fn dots(points: Points) -> Result<Vec<Series>> {
    refuse_format("scatter", &points)?;
    let Points { x, y, names, .. } = series("scatter", points)?;
    if y.dtype().is_complex() && x.is_none() && names.is_empty() {
        let (real, imaginary) = reduce::parts(&y);
        return Ok(vec![Series::new(Kind::Scatter { x: Some(real), y: imaginary, names }, "")]);
    }
    refuse_complex("scatter", "x", x.as_ref())?;
    refuse_complex("scatter", "y", Some(&y))?;
    Ok(vec![Series::new(Kind::Scatter { x, y, names }, "")])
}

pub(super) fn bars(operation: &'static str, points: Points, is_lying: bool) -> Result<Vec<Series>> {
    refuse_format(operation, &points)?;
    let Points { x, y, names, .. } = series(operation, points)?;
    refuse_complex(operation, "x", x.as_ref())?;
    refuse_complex(operation, "heights", Some(&y))?;
    refuse_crowds(operation, "bars", y.shape().size())?;
    Ok(vec![Series::new(Kind::Bars { x, heights: y, names, is_lying }, "")])
}

pub(super) fn stems(points: Points) -> Result<Vec<Series>> {
    refuse_format("stem", &points)?;
    let Points { x, y, names, .. } = series("stem", points)?;
    refuse_complex("stem", "x", x.as_ref())?;
    refuse_complex("stem", "y", Some(&y))?;
    refuse_crowds("stem", "stems", y.shape().size())?;
    Ok(vec![Series::new(Kind::Stem { x, y, names }, "")])
}

/// What is between two lines; one of them may be a number.
pub(super) fn between(x: Raw, y1: Raw, y2: Raw) -> Result<Vec<Series>> {
    let operation = "fill_between";
    let is_number = |raw: &Raw| raw.shape().rank() == 0;
    for (name, raw) in [("x", &x), ("y1", &y1), ("y2", &y2)] {
        refuse_complex(operation, name, Some(raw))?;
        if !has_one_axis(raw) {
            return Err(of_many_axes(operation, name, raw));
        }
    }
    let count = x.shape().size();
    for (name, raw) in [("y1", &y1), ("y2", &y2)] {
        let found = raw.shape().size();
        if !is_number(raw) && found != count {
            let message =
                format!("x has {count} elements and {name} has {found}; they must have the same length");
            return Err(Problem::Shape { operation, message }.into());
        }
    }
    Ok(vec![Series::new(Kind::Between { x, low: y1, high: y2 }, "")])
}

/// The most lines that are given one by one: more are not drawn exactly.
const MOST_STROKES: usize = 800;

/// Lines at places, each from one number to another; `hlines` lie, `vlines` stand.
pub(super) fn strokes(operation: &'static str, at: &Raw, from: &Raw, to: &Raw) -> Result<Vec<Series>> {
    let count = [at, from, to].map(|raw| raw.shape().size()).into_iter().max().unwrap_or(0);
    let each = |name: &str, raw: &Raw| -> Result<Vec<f64>> {
        refuse_complex(operation, name, Some(raw))?;
        let values = reduce::values(raw)?;
        match (raw.shape().rank(), values.len()) {
            (0, _) => Ok(vec![values[0]; count]),
            (1, found) if found == count => Ok(values),
            _ => {
                let shape = raw.shape();
                let message = format!(
                    "{name} has shape {shape:?} and there are {count} lines; give a number for each, or one for all"
                );
                Err(Problem::Shape { operation, message }.into())
            }
        }
    };
    if count > MOST_STROKES {
        let message =
            format!("{count} lines are too many (at most {MOST_STROKES}); use `plot`, with NaN between them");
        return Err(Problem::Invalid { operation, message }.into());
    }
    let names = if operation == "hlines" { ["y", "xmin", "xmax"] } else { ["x", "ymin", "ymax"] };
    let (at, from, to) = (each(names[0], at)?, each(names[1], from)?, each(names[2], to)?);
    let places: Vec<f64> = at.iter().flat_map(|at| [*at, *at, f64::NAN]).collect();
    let ends: Vec<f64> = from.iter().zip(&to).flat_map(|(from, to)| [*from, *to, f64::NAN]).collect();
    let (x, y) = if operation == "hlines" { (ends, places) } else { (places, ends) };
    Ok(vec![Series::new(Kind::Line { x: Some(x.upload()?), y: y.upload()?, names: Vec::new() }, "")])
}

/// An edge that is no number where a mask is not true.
pub(super) fn masked(edge: &Raw, mask: &Raw) -> Raw {
    let flat = |raw: Raw| GpuArray::<f64>::from_untyped(raw).ravel();
    let edge = GpuArray::<f64>::from_untyped(edge.cast(DType::Float64));
    // The root of a number below zero is NaN.
    let nothing = (flat(mask.cast(DType::Bool).cast(DType::Float64)) - 1.0).sqrt() * 0.0;
    (edge + nothing).raw
}

/// The errors of a series' points: one for all, one for each, or two rows.
/// What bars begin at, and what points have of their own, is checked the same
/// way.
pub(super) fn errors(operation: &'static str, kind: &Kind, errors: Raw) -> Result<Raw> {
    refuse_complex(operation, "the data", Some(&errors))?;
    if matches!(kind, Kind::Arrows { .. } | Kind::Streams { .. }) {
        vectors::colors(kind, &errors)?;
        return Ok(errors);
    }
    let count = match kind {
        Kind::Line { y, .. } | Kind::Scatter { y, .. } => y.shape().size(),
        Kind::Bars { heights, .. } => heights.shape().size(),
        Kind::Pie { sizes, .. } => sizes.shape().size(),
        Kind::Space { at, .. } => at[2].shape().size(),
        Kind::Between { x, .. } => x.shape().size(),
        _ => return Ok(errors),
    };
    let shape = errors.shape();
    let is_for_each = shape.rank() == 1 && shape.size() == count;
    let has_rows = ["xerr", "yerr", "errorbar"].contains(&operation);
    let is_in_rows = has_rows && shape.lengths() == [2, count];
    if !(is_for_each || is_in_rows || shape.rank() == 0) {
        if operation == "where_" {
            let message = format!(
                "the band has {count} points and the mask has shape {shape:?}; give a truth value for each, or one for all"
            );
            return Err(Problem::Shape { operation, message }.into());
        }
        let rows = if has_rows { ", or two rows, down and up" } else { "" };
        let message = format!(
            "the series has {count} points and the data has shape {shape:?}; give a number for each{rows}, or one for all"
        );
        return Err(Problem::Shape { operation, message }.into());
    }
    match operation {
        "bottom" | "explode" | "where_" => {}
        // Of many points the means of colours are shown, wherever they are.
        "colors" if matches!(kind, Kind::Scatter { .. }) && is_for_each => {}
        "sizes" if matches!(kind, Kind::Scatter { .. }) && shape.rank() == 0 => {}
        "sizes" if count > MOST_BARS => {
            let message = format!(
                "{count} sizes are too many to tell apart (at most {MOST_BARS}); leave them out, and crowded points are shown by \
                 their density, or by `.colors(..)`"
            );
            return Err(Problem::Shape { operation, message }.into());
        }
        "colors" | "sizes" => refuse_crowds(operation, "points of their own", count)?,
        _ => refuse_crowds(operation, "error bars", count)?,
    }
    Ok(errors)
}

const MOST_BARS: usize = 5000;

pub(super) fn refuse_crowds(operation: &'static str, what: &str, count: usize) -> Result<()> {
    if count <= MOST_BARS {
        return Ok(());
    }
    let message = format!(
        "{count} {what} are too many to tell apart (at most {MOST_BARS}); use `plot` for a line, or `hist` to count values"
    );
    Err(Problem::Shape { operation, message }.into())
}

/// More bins than this are more than any picture has columns.
pub(super) const MOST_BINS: i64 = 1 << 20;

/// A histogram; of a matrix one of each column, side by side.
pub(super) fn histogram(raw: Raw, bins: BinsOf) -> Result<Vec<Series>> {
    refuse_complex("hist", "the data", Some(&raw))?;
    let invalid = |message: String| -> Result<Vec<Series>> {
        Err(Problem::Invalid { operation: "hist", message }.into())
    };
    match &bins {
        BinsOf::Count(count) if !(1..=MOST_BINS).contains(count) => {
            return invalid(format!(
                "{count} is not a valid number of bins; give a number from 1 to {MOST_BINS}"
            ));
        }
        BinsOf::Edges(edges) if edges.len() < 2 || edges.len() as i64 > MOST_BINS + 1 => {
            let count = edges.len();
            return invalid(format!("{count} edges make no bins; give from 2 to {}", MOST_BINS + 1));
        }
        BinsOf::Edges(edges) if !edges.is_sorted_by(|low, high| low < high && high.is_finite()) => {
            return invalid("edges of bins must ascend, and be finite; sort them: `edges.sort()`".to_owned());
        }
        _ => {}
    }
    let lengths = raw.shape().lengths().to_vec();
    let parts = match lengths[..] {
        [_, count] if count > MOST_SIDE_BY_SIDE => {
            return invalid(format!(
                "the data has shape {:?}, and {count} columns are too many histograms (at most {MOST_SIDE_BY_SIDE}); count \
                 all together, `a.ravel()`, or show columns with `boxplot`",
                raw.shape()
            ));
        }
        [_, count] if count > 1 => columns(&raw)?,
        _ => vec![raw.clone()],
    };
    let count = parts.len();
    let series = parts.into_iter().enumerate().map(|(number, part)| {
        let kind = Kind::Histogram {
            raw: part,
            bins: bins.clone(),
            all: raw.clone(),
            among: (number, count),
            is_lying: false,
            is_outline: false,
            is_cumulative: false,
        };
        Series::new(kind, "")
    });
    Ok(series.collect())
}

/// More columns than this are not bars side by side that one could tell apart.
const MOST_SIDE_BY_SIDE: usize = 20;

/// The parts of a pie, with a name for each or none.
pub(super) fn pie(points: Points) -> Result<Kind> {
    refuse_format("pie", &points)?;
    let Points { x, y, names, .. } = series("pie", points)?;
    refuse_complex("pie", "sizes", Some(&y))?;
    if x.is_some() {
        let message =
            "sizes have names and no places; write `pie(&sizes)`, or `pie(([\"a\", \"b\"], &sizes))`";
        return Err(Problem::Invalid { operation: "pie", message: message.to_owned() }.into());
    }
    let count = y.shape().size();
    if count > MOST_LINES {
        let message = format!(
            "{count} parts are too many to tell apart (at most {MOST_LINES}); use `barh`, or add small ones together"
        );
        return Err(Problem::Shape { operation: "pie", message }.into());
    }
    Ok(Kind::Pie { sizes: y, names, explode: None, start: 0.0, digits: None, ring: None })
}

/// Groups of values, with a name for each or none.
pub(super) fn groups(operation: &'static str, groups: Groups) -> Result<Kind> {
    let Groups { names, parts } = groups;
    if parts.len() > MOST_LINES {
        let message = format!(
            "{} groups are too many to tell apart (at most {MOST_LINES}); take some of them, or the transpose of a \
             matrix, `a.t()`, for a group in each row",
            parts.len()
        );
        return Err(Problem::Shape { operation, message }.into());
    }
    if !names.is_empty() && names.len() != parts.len() {
        let message =
            format!("there are {} names and {} groups; give a name for each group", names.len(), parts.len());
        return Err(Problem::Shape { operation, message }.into());
    }
    for part in &parts {
        refuse_complex(operation, "values", Some(part))?;
        if !has_one_axis(part) {
            return Err(of_many_axes(operation, "a group", part));
        }
    }
    let names = names.iter().map(|name| printable(name)).collect();
    let is_violin = operation == "violinplot";
    let looks = GroupLooks {
        reach: 1.5,
        has_outliers: true,
        has_means: false,
        has_medians: !is_violin,
        has_notches: false,
        width: None,
    };
    Ok(Kind::Groups { parts, names, is_violin, is_lying: false, looks })
}

pub(super) fn refuse_complex(operation: &'static str, what: &str, raw: Option<&Raw>) -> Result<()> {
    let Some(raw) = raw.filter(|raw| raw.dtype().is_complex()) else { return Ok(()) };
    let message =
        format!("{what} of {} cannot be ordered; plot `.abs()`, `.real()` or `.imag()` of it", raw.dtype());
    Err(Problem::DType { operation, message }.into())
}

pub(super) fn refuse_format(operation: &'static str, points: &Points) -> Result<()> {
    if points.format.is_empty() {
        return Ok(());
    }
    let message = format!(
        "a format, here `{}`, is for lines; use `plot`, or `.color(..)` and `.marker(..)`",
        printable(&points.format)
    );
    Err(Problem::Invalid { operation, message }.into())
}

fn has_one_axis(raw: &Raw) -> bool {
    raw.shape().lengths().iter().filter(|length| **length != 1).count() <= 1
}

fn of_many_axes(operation: &'static str, name: &str, raw: &Raw) -> crate::error::Error {
    let message = format!(
        "{name} has shape {:?}, and a series has one axis; take a row, `a.slice(0)`, flatten it, `a.ravel()`, or show \
         the matrix with `imshow`",
        raw.shape()
    );
    Problem::Shape { operation, message }.into()
}

/// Checks that places and values go together and have one axis.
pub(super) fn series(operation: &'static str, points: Points) -> Result<Points> {
    let names = points.names.iter().map(|name| printable(name)).collect();
    let points = Points { names, ..points };
    for (name, raw) in [("x", points.x.as_ref()), ("y", Some(&points.y))] {
        if let Some(raw) = raw.filter(|raw| !has_one_axis(raw)) {
            return Err(of_many_axes(operation, name, raw));
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
