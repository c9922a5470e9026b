//! Series of more points than are drawn each: lines by columns of pixels, paths
//! with fewer vertices, crowds of points by their density.

#[cfg(test)]
mod tests;

use super::load::{has_place, lines, runs};
use super::matrix::color_range;
use super::{Content, Grid, Kind, MOST_POINTS, Paint, Series, path};
use crate::array::Raw;
use crate::draw::{Point, Rect};
use crate::error::Result;
use crate::reduce::line::{Ordered, Part, Stretch};
use crate::reduce::{self, Crowd, Extent, Order};
use crate::scale::Limits;

/// The most points of a line that are copied where its places have no order.
const MOST_COPIED: usize = 1 << 18;

/// A series and its data.
pub(super) struct Many<'a> {
    pub(super) series: &'a Series,
    pub(super) places: Option<(Raw, Extent)>,
    pub(super) values: Raw,
    /// So many points are drawn each.
    pub(super) exact: usize,
    /// The ends of the values that points have colours by.
    pub(super) range: Option<(f64, f64)>,
}

/// The axes and where they are.
pub(super) struct Area<'a> {
    pub(super) rect: &'a Rect,
    pub(super) x: &'a Limits,
    pub(super) y: &'a Limits,
}

impl Area<'_> {
    /// Where a point is in the picture.
    pub(super) fn place(&self, (x, y): Point) -> Point {
        (
            self.rect.left + self.x.place(x) * self.rect.width(),
            self.rect.bottom - self.y.place(y) * self.rect.height(),
        )
    }

    /// Columns and rows of cells of two pixels: one alone could not be seen.
    pub(super) fn cells(&self) -> (usize, usize) {
        let half = |length: f64| (length / 2.0).round().max(1.0) as usize;
        (half(self.rect.width()), half(self.rect.height()))
    }
}

/// What is drawn of a series.
pub(super) fn content(many: &Many<'_>, area: &Area<'_>, notes: &mut Vec<String>) -> Result<Content> {
    let places = many.places.as_ref().map(|(places, extent)| (places, *extent));
    let is_line = matches!(many.series.kind, Kind::Line { .. });
    match places {
        _ if !is_line => match &many.series.values {
            Some(colors) => colored(many, area, colors),
            None => points(many, area),
        },
        Some((places, extent)) if extent.order == Order::Mixed => {
            if many.values.shape().size() <= MOST_COPIED {
                let points = reduce::values(places)?.into_iter().zip(reduce::values(&many.values)?);
                return Ok(path::content(runs(points, area.x, area.y), area));
            }
            notes.push("x neither ascends nor descends: of so many points the density is shown".to_owned());
            let size = area.cells();
            let counts = crowd(many, area).density()?;
            Ok(Content::Density { counts, width: size.0, height: size.1, alone: Vec::new() })
        }
        places => {
            let line = Ordered {
                places,
                values: &many.values,
                limits: (area.x, area.y),
                columns: (2.0 * area.rect.width()).round().max(1.0) as usize,
                exact: many.exact,
            };
            Ok(Content::Lines(match line.part()? {
                Part::Exact(points) => lines(points.into_iter(), many.series, area.x, area.y),
                Part::Reduced(stretches) => joined(&stretches, area),
            }))
        }
    }
}

/// Lines through the columns.
fn joined(stretches: &[Stretch], area: &Area<'_>) -> Vec<Vec<Point>> {
    let mut lines: Vec<Vec<Point>> = Vec::new();
    let mut previous = None;
    // Element 0 of those that are counted has no place on a logarithmic axis.
    let placed = |stretch: &&Stretch| has_place(&(stretch.first.x, stretch.first.y), area.x, area.y);
    for Stretch { first, last, low, high } in stretches.iter().filter(placed) {
        // What has no place between two columns is a gap.
        if previous != Some(first.index - 1) {
            lines.push(Vec::new());
        }
        previous = Some(last.index);
        let Some(line) = lines.last_mut() else { continue };
        line.push((first.x, first.y));
        let middle = first.x / 2.0 + last.x / 2.0;
        // To whichever end is nearer, so that the line does not zigzag where it
        // only rises.
        let is_upwards = (first.y - low).abs() <= (first.y - high).abs();
        let ends = if is_upwards { [low, high] } else { [high, low] };
        let between = ends.into_iter().filter(|end| **end != first.y && **end != last.y);
        line.extend(between.map(|end| (middle, *end)));
        if last.index != first.index {
            line.push((last.x, last.y));
        }
    }
    lines
}

fn crowd<'a>(many: &'a Many<'_>, area: &'a Area<'_>) -> Crowd<'a> {
    Crowd {
        places: many.places.as_ref().map(|(places, _)| places),
        values: &many.values,
        limits: (area.x, area.y),
        size: area.cells(),
    }
}

/// Points with colours of their own: each cell has the mean of those in it.
fn colored(many: &Many<'_>, area: &Area<'_>, colors: &Raw) -> Result<Content> {
    let crowd = crowd(many, area);
    let (width, height) = crowd.size;
    let values = crowd.means(colors)?;
    let range = color_range(many.series, many.range).unwrap_or((0.0, 1.0));
    let ends = many.range.unwrap_or(range);
    let norm = many.series.norm;
    Ok(Content::Mesh(Grid { values, height, width, rows: height, columns: width, ends, range, norm }))
}

/// Points as a density; as marks where these would not hide each other.
fn points(many: &Many<'_>, area: &Area<'_>) -> Result<Content> {
    let crowd = crowd(many, area);
    let (width, height) = crowd.size;
    let mut counts = crowd.density()?;
    let total: u64 = counts.iter().map(|count| u64::from(*count)).sum();
    let occupied: Vec<usize> = (0..counts.len()).filter(|cell| counts[*cell] > 0).collect();
    // A mark's width in cells.
    let reach = (many.series.mark_size() / 2.0).ceil().max(1.0) as usize;
    let is_thin = occupied.len() <= MOST_POINTS && total <= 4 * occupied.len() as u64;
    // Of few points to a cell marks hide little, and those that stand apart
    // hide nothing. Beside a crowd those are marks that stand far from it: its
    // edge has none.
    let cells = if is_thin || 10 * lonely(&counts, &occupied, crowd.size, reach).len() >= 9 * occupied.len() {
        occupied.clone()
    } else {
        lonely(&counts, &occupied, crowd.size, 3 * reach)
    };
    if cells.is_empty() || cells.len() > MOST_POINTS {
        return Ok(Content::Density { counts, width, height, alone: Vec::new() });
    }
    let most = MOST_POINTS / cells.len();
    let marks = crowd.members(&cells)?;
    let repeated = marks.into_iter().zip(&cells).flat_map(|(point, cell)| {
        let times = layers_to_opaque(many.series).min(most).min(counts[*cell] as usize);
        std::iter::repeat_n(point, times)
    });
    let marks: Vec<Point> = repeated.collect();
    if cells.len() == occupied.len() {
        return Ok(Content::Points(marks));
    }
    cells.iter().for_each(|cell| counts[*cell] = 0);
    Ok(Content::Density { counts, width, height, alone: marks })
}

/// The cells that have at most two others within reach.
fn lonely(counts: &[u32], occupied: &[usize], (width, height): (usize, usize), reach: usize) -> Vec<usize> {
    let is_lonely = |cell: &&usize| {
        let (column, row) = (*cell % width, *cell / width);
        let columns = column.saturating_sub(reach)..(column + reach + 1).min(width);
        let rows = row.saturating_sub(reach)..(row + reach + 1).min(height);
        let near = rows.flat_map(|row| counts[row * width..][columns.clone()].iter());
        near.filter(|count| **count > 0).nth(3).is_none()
    };
    occupied.iter().filter(is_lonely).copied().collect()
}

/// How many marks of a series upon each other look like one without opacity.
fn layers_to_opaque(series: &Series) -> usize {
    let color = match series.paint {
        Some(Paint::Fixed(color)) => color.opacity,
        _ => 1.0,
    };
    // What is left of the ground is less than one of 255 levels.
    let layers = (1.0f64 / 255.0).ln() / (-series.opacity * color).ln_1p();
    layers.ceil().clamp(1.0, 1e6) as usize
}
