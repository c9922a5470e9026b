//! Matrices: what is drawn of them, and what their colours stand for.

use super::load::{Data, Loaded};
use super::{Aspect, ColorBar, Content, Drawing, Grid, Kind, Series, contour};
use crate::array::Raw;
use crate::draw::{Point, Rect};
use crate::error::Result;
use crate::reduce;
use crate::scale::{Limits, Scale, levels};

/// The most rows and columns of the grids that contours and surfaces are
/// drawn from.
const CONTOUR_GRID: usize = 300;
const SURFACE_GRID: usize = 50;

impl Loaded {
    /// The colours that a bar beside the axes explains.
    pub(super) fn bar(&self, drawing: &Drawing) -> Option<ColorBar> {
        let all = || self.series.iter().zip(&drawing.series);
        // The image that is seen: the last one lies over the others.
        let image = all().rfind(|(_, series)| matches!(series.kind, Kind::Image(_)));
        // Lines of one colour that was asked for need no bar.
        let is_contour =
            |series: &Series| matches!(series.kind, Kind::Contour { .. }) && series.paint.is_none();
        let has_colors = |series: &Series| is_contour(series) || series.values.is_some();
        let (data, series) = image.or_else(|| all().find(|(_, series)| has_colors(series)))?;
        let range = match data {
            Data::Matrix { range, .. } => color_range(series, *range)?,
            Data::Dots { range, .. } => color_range(series, *range)?,
            _ => return None,
        };
        let heights = match &series.kind {
            Kind::Contour { levels, .. } => heights(levels, range),
            _ => Vec::new(),
        };
        let ends = heights.first().copied().zip(heights.last().copied()).filter(|(low, high)| low < high);
        let (range, label) = (ends.unwrap_or(range), series.bar_label.clone());
        Some(ColorBar { range, colormap: series.colormap, label })
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
                let place = |at: Point| match series.extent {
                    Some([left, right, below, above]) => {
                        let part = |at: f64, count: usize| at / (count.max(2) - 1) as f64;
                        (
                            left + (right - left) * part(at.0, columns),
                            below + (above - below) * part(at.1, rows),
                        )
                    }
                    None => at,
                };
                let lines = heights.into_iter().map(|level| {
                    let lines = contour::lines(&grid, level).into_iter();
                    (level, lines.map(|line| line.into_iter().map(place).collect()).collect())
                });
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
        let has_image = self.series.iter().any(|series| matches!(series.kind, Kind::Image(_)));
        let is_linear = (x.scale, y.scale) == (Scale::Linear, Scale::Linear);
        if self.aspect == Aspect::Auto || !(has_image || self.aspect == Aspect::Equal) || !is_linear {
            return None;
        }
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

pub(super) fn color_range(series: &Series, range: Option<(f64, f64)>) -> Option<(f64, f64)> {
    Some(wide(series.range.or(range)?))
}

/// A range with room around it, if it is that of one value.
fn wide(range: (f64, f64)) -> (f64, f64) {
    let limits = Limits::around(Some(range), Scale::Linear, 0.0);
    (limits.from, limits.to)
}
