//! Data in space, as far as pixels can show it.

use super::{Form, Solid};
use crate::array::Raw;
use crate::chart::load::Loaded;
use crate::chart::matrix::{SURFACE_GRID, between, color_range};
use crate::chart::{Grid, Kind, MOST_POINTS, Series};
use crate::error::Result;
use crate::reduce::{self, host};
use crate::scale::Scale;

/// Points, or heights over places that are given for each of them.
pub(in crate::chart) fn load(loaded: &mut Loaded, series: &Series) -> Result<Option<Solid>> {
    match &series.kind {
        Kind::Space { at, is_line } => points(loaded, series, at, *is_line).map(Some),
        Kind::Surface { raw, places: Some((x, y)), .. } if x.shape().rank() == 2 => {
            shaped(series, [x, y, raw]).map(Some)
        }
        _ => Ok(None),
    }
}

/// A line has no more corners than this.
const MOST_JOINED: usize = 20_000;

fn points(loaded: &mut Loaded, series: &Series, at: &[Raw; 3], is_line: bool) -> Result<Solid> {
    let mut ends = [None; 3];
    for (end, raw) in ends.iter_mut().zip(at) {
        *end = reduce::extent(raw, Scale::Linear)?.ends;
    }
    let count = at[0].shape().size();
    let most = if is_line { MOST_JOINED } else { MOST_POINTS };
    let each = count.div_ceil(most).max(1);
    if each > 1 {
        let what = if is_line { "the line joins" } else { "shown is" };
        loaded.notes.push(format!("{what} one of {each} points, and there are {count}"));
    }
    if is_line && count == 1 && series.marker.is_none() {
        loaded.notes.push("a line through one point is not seen; add `.marker(\"o\")`".to_owned());
    }
    let picked: Vec<i64> = (0..count).step_by(each).map(|index| index as i64).collect();
    let of = |raw: &Raw| if each == 1 { reduce::values(raw) } else { reduce::picked(raw, &picked) };
    let parts = [of(&at[0])?, of(&at[1])?, of(&at[2])?];
    let own = |raw: &Option<Raw>| -> Result<Option<Vec<f64>>> {
        let Some(raw) = raw else { return Ok(None) };
        Ok(Some(if raw.shape().rank() == 0 { vec![reduce::values(raw)?[0]; picked.len()] } else { of(raw)? }))
    };
    let range = match &series.values {
        Some(values) => reduce::extent(values, series.norm)?.ends,
        None => None,
    };
    let (values, sizes) = (own(&series.values)?, own(&series.sizes)?);
    let places = (0..picked.len()).map(|k| [parts[0][k], parts[1][k], parts[2][k]]);
    Ok(Solid { form: Form::Points { at: places.collect(), values, sizes }, ends, range })
}

/// Of a sheet with many rows and columns some, the first and the last among them: means would
/// move the ends of one that is closed apart.
fn shaped(series: &Series, parts: [&Raw; 3]) -> Result<Solid> {
    let (rows, columns) = (parts[2].shape().lengths()[0], parts[2].shape().lengths()[1]);
    let (down, across) = (some_of(rows), some_of(columns));
    let picked: Vec<i64> = down
        .iter()
        .flat_map(|row| across.iter().map(move |column| (row * columns + column) as i64))
        .collect();
    let of = |raw: &Raw| {
        if picked.len() == rows * columns { reduce::values(raw) } else { reduce::picked(raw, &picked) }
    };
    let mut ends = [None; 3];
    for (end, raw) in ends.iter_mut().zip(parts) {
        *end = reduce::extent(raw, Scale::Linear)?.ends;
    }
    let (across_places, up, values) = (of(parts[0])?, of(parts[1])?, of(parts[2])?);
    let (height, width) = (down.len(), across.len());
    let range = color_range(series, ends[2]).unwrap_or((0.0, 1.0));
    let whole = ends[2].unwrap_or((0.0, 1.0));
    let grid =
        Grid { values, height, width, rows: height, columns: width, ends: whole, range, norm: series.norm };
    Ok(Solid { form: Form::Sheet { grid, across: across_places, up, is_flat: false }, ends, range: ends[2] })
}

/// At most so many numbers from 0 on as a sheet has rows, evenly spaced.
fn some_of(count: usize) -> Vec<usize> {
    let most = SURFACE_GRID.min(count);
    (0..most).map(|k| if most < 2 { 0 } else { k * (count - 1) / (most - 1) }).collect()
}

/// Heights over a plane, the means of blocks, whose columns and rows may stand at places of
/// their own.
pub(in crate::chart) fn sheet(grid: Grid, places: Option<&(Vec<f64>, Vec<f64>)>) -> Solid {
    let counted = |count: usize| (count > 0).then_some((0.0, count as f64 - 1.0));
    let of = |places: &[f64]| host::extent(places, Scale::Linear).ends;
    let ends = match places {
        Some((x, y)) => [of(x), of(y)],
        None => [counted(grid.columns), counted(grid.rows)],
    };
    let middle_of = |places: Option<&Vec<f64>>, at: f64| places.map_or(at, |places| between(places, at));
    let x = places.map(|places| &places.0);
    let y = places.map(|places| &places.1);
    let columns: Vec<f64> = (0..grid.width).map(|column| middle_of(x, grid.place_across(column))).collect();
    let rows = (0..grid.height).map(|row| middle_of(y, grid.place_down(row)));
    let up: Vec<f64> = rows.flat_map(|place| std::iter::repeat_n(place, grid.width)).collect();
    let across = (0..grid.height).flat_map(|_| columns.iter().copied()).collect();
    let heights = (!grid.values.is_empty()).then_some(grid.ends);
    let range = Some(grid.range);
    Solid { form: Form::Sheet { grid, across, up, is_flat: true }, ends: [ends[0], ends[1], heights], range }
}
