//! Matrices: what is drawn of them, and what their colours stand for.

use super::load::{Data, Loaded};
use super::{Content, Drawing, Grid, Kind, Series, contour};
use crate::array::Raw;
use crate::colormap::Colormap;
use crate::draw::Rect;
use crate::error::Result;
use crate::reduce;
use crate::scale::{Limits, Scale, levels};

/// The most rows and columns of the grids that contours and surfaces are
/// drawn from.
const CONTOUR_GRID: usize = 300;
const SURFACE_GRID: usize = 50;

impl Loaded {
    /// The colours that a bar beside the axes explains.
    pub(super) fn bar(&self, drawing: &Drawing) -> Option<((f64, f64), Colormap)> {
        let all = || self.series.iter().zip(&drawing.series);
        // The image that is seen: the last one lies over the others.
        let image = all().rfind(|(_, series)| matches!(series.kind, Kind::Image(_)));
        // Lines of one colour that was asked for need no bar.
        let is_contour =
            |series: &Series| matches!(series.kind, Kind::Contour { .. }) && series.paint.is_none();
        let with_colors = image.or_else(|| all().find(|(_, series)| is_contour(series)));
        let (Data::Matrix { range, .. }, series) = with_colors? else { return None };
        let range = color_range(series, *range)?;
        let heights = match &series.kind {
            Kind::Contour { levels, .. } => heights(levels, range),
            _ => Vec::new(),
        };
        let ends = heights.first().copied().zip(heights.last().copied()).filter(|(low, high)| low < high);
        Some((ends.unwrap_or(range), series.colormap))
    }

    pub(super) fn matrix(
        &mut self,
        series: &Series,
        raw: &Raw,
        (rows, columns): (usize, usize),
        range: Option<(f64, f64)>,
        rect: &Rect,
    ) -> Result<Content> {
        let most = match series.kind {
            Kind::Image(_) => (rect.height().ceil() as usize, rect.width().ceil() as usize),
            Kind::Surface(_) => (SURFACE_GRID, SURFACE_GRID),
            _ => (CONTOUR_GRID, CONTOUR_GRID),
        };
        let (height, width) = (rows.min(most.0.max(1)), columns.min(most.1.max(1)));
        let values = if rows * columns == 0 { Vec::new() } else { reduce::blocks(raw, (height, width))? };
        if range.is_none() {
            self.notes.push(
                if rows * columns == 0 { "the matrix is empty" } else { "no value is finite" }.to_owned(),
            );
        }
        let (data, ends) = (range, wide(range.unwrap_or((0.0, 1.0))));
        let range = color_range(series, range).unwrap_or((0.0, 1.0));
        let grid = Grid { values, height, width, rows, columns, ends, range };
        Ok(match &series.kind {
            Kind::Surface(_) => Content::Surface(grid),
            Kind::Contour { levels, .. } => {
                let heights = heights(levels, range);
                self.notes.extend(without_lines(&heights, data, (rows, columns)));
                let lines = heights.into_iter().map(|level| (level, contour::lines(&grid, level)));
                Content::Contours { lines: lines.collect(), range }
            }
            _ => Content::Image(grid),
        })
    }
}

impl Drawing {
    /// How many times wider than high the axes of a figure with an image are,
    /// so that its pixels are squares, also of the part that limits show. That is
    /// Matplotlib's default, `aspect="equal"`.
    pub(super) fn aspect(&self, x: &Limits, y: &Limits) -> Option<f64> {
        self.series.iter().find(|series| matches!(series.kind, Kind::Image(_)))?;
        let aspect = (x.high() - x.low()) / (y.high() - y.low());
        // A strip would be too thin to see.
        (0.125..=8.0).contains(&aspect).then_some(aspect)
    }
}

/// The heights of contours: those that were given, or about seven.
fn heights(given: &Option<Vec<f64>>, range: (f64, f64)) -> Vec<f64> {
    given.clone().unwrap_or_else(|| levels(range.0, range.1, 7))
}

/// Why a contour has no lines, where Matplotlib warns as well: "No contour
/// levels were found within the data range" (`lib/matplotlib/contour.py`).
fn without_lines(
    heights: &[f64],
    data: Option<(f64, f64)>,
    (rows, columns): (usize, usize),
) -> Option<String> {
    let (low, high) = data?;
    if rows < 2 || columns < 2 {
        return Some(format!(
            "a contour needs 2 rows and 2 columns, and the matrix has {rows} and {columns}"
        ));
    }
    if low == high {
        return Some(format!("no contour: every value is {low}"));
    }
    let is_inside = |height: &f64| low < *height && *height < high;
    (!heights.iter().any(is_inside)).then(|| format!("no level of the contour lies between {low} and {high}"))
}

fn color_range(series: &Series, range: Option<(f64, f64)>) -> Option<(f64, f64)> {
    Some(wide(series.range.or(range)?))
}

/// A range with room around it, if it is that of one value.
fn wide(range: (f64, f64)) -> (f64, f64) {
    let limits = Limits::around(Some(range), Scale::Linear, 0.0);
    (limits.from, limits.to)
}
