//! Cells in colours: matrices between edges, and points counted in rectangles
//! and hexagons.

use super::load::{Data, Loaded};
use super::matrix::{Matrix, color_range, without_values};
use super::sketch::{Form, Sketch, Tone};
use super::{Content, Grid, Kind, Series};
use crate::array::Raw;
use crate::draw::{Point, Rect};
use crate::error::Result;
use crate::reduce::plane::{self, Hexagons};
use crate::reduce::{self, bins};
use crate::scale::{Limits, Scale};

/// A matrix over cells between edges, the first row between the first two.
pub(super) struct Mesh {
    pub(super) across: Vec<f64>,
    pub(super) up: Vec<f64>,
    cells: Cells,
    pub(super) range: Option<(f64, f64)>,
}

enum Cells {
    /// Where there may be more than pixels.
    Data(Raw),
    /// Row by row.
    Values(Vec<f64>),
}

/// A matrix, and where it stands.
pub(super) fn matrix(series: &Series, raw: &Raw, places: Option<&(Raw, Raw)>) -> Result<Data> {
    let range = reduce::extent(raw, series.norm)?.ends;
    let (rows, columns) = (raw.shape().lengths()[0], raw.shape().lengths()[1]);
    let places = match places {
        Some((x, y)) => Some((reduce::values(x)?, reduce::values(y)?)),
        None => None,
    };
    Ok(Data::Matrix(Matrix { raw: raw.clone(), rows, columns, places, range }))
}

/// A matrix over cells, around whose numbers these lie where no edges are given.
pub(super) fn mesh(series: &Series, raw: &Raw, edges: Option<&(Raw, Raw)>) -> Result<Data> {
    let range = reduce::extent(raw, series.norm)?.ends;
    let (rows, columns) = (raw.shape().lengths()[0], raw.shape().lengths()[1]);
    let counted = |count: usize| (0..=count).map(|k| k as f64).collect::<Vec<f64>>();
    let (across, up) = match edges {
        Some((x, y)) => (edges_of(reduce::values(x)?, columns), edges_of(reduce::values(y)?, rows)),
        None => (counted(columns), counted(rows)),
    };
    Ok(Data::Mesh(Mesh { across, up, cells: Cells::Data(raw.clone()), range }))
}

/// Edges as they are, or around the middles of so many cells, halfway between
/// them: Matplotlib's `shading="nearest"`.
fn edges_of(places: Vec<f64>, cells: usize) -> Vec<f64> {
    if places.len() != cells {
        return places;
    }
    match places[..] {
        [] => vec![0.0],
        [only] => vec![only - 0.5, only + 0.5],
        [first, second, ..] => {
            let last = places[places.len() - 1];
            let before = places[places.len() - 2];
            let halfway = places.windows(2).map(|pair| pair[0] / 2.0 + pair[1] / 2.0);
            let from = first - (second - first) / 2.0;
            std::iter::once(from).chain(halfway).chain([last + (last - before) / 2.0]).collect()
        }
    }
}

impl Loaded {
    /// The ends of both coordinates of points; none where nothing is to be
    /// counted. What is not finite is not counted, and the figure says so.
    fn ends(&mut self, x: &Raw, y: &Raw) -> Result<Option<[(f64, f64); 2]>> {
        let (x, y) = (reduce::extent(x, Scale::Linear)?, reduce::extent(y, Scale::Linear)?);
        let lost = x.without_place.max(y.without_place);
        if lost > 0 {
            self.notes.push("points that are not finite are not counted".to_owned());
        }
        Ok(x.ends.zip(y.ends).map(|(x, y)| [x, y]))
    }

    /// How many points lie in each rectangle.
    pub(super) fn counts(
        &mut self,
        series: &Series,
        (x, y): (&Raw, &Raw),
        (columns, rows): (usize, usize),
    ) -> Result<Data> {
        let ends = self.ends(x, y)?.unwrap_or([(0.0, 1.0); 2]);
        // As NumPy: bins of one value lie half a unit around it.
        let [x_ends, y_ends] =
            ends.map(|(from, to)| if from < to { (from, to) } else { (from - 0.5, to + 0.5) });
        let across = bins::edges(x.dtype(), x_ends, false, columns);
        let up = bins::edges(y.dtype(), y_ends, false, rows);
        let counts = plane::counts(x, y, (&across, &up))?;
        let values: Vec<f64> = counts.into_iter().map(f64::from).collect();
        let range = reduce::host::extent(&values, series.norm).ends;
        Ok(Data::Mesh(Mesh { across, up, cells: Cells::Values(values), range }))
    }

    /// How many points lie in each hexagon.
    pub(super) fn hexagons(&mut self, series: &Series, (x, y): (&Raw, &Raw), columns: usize) -> Result<Data> {
        let Some([x_ends, y_ends]) = self.ends(x, y)? else {
            return Ok(Data::Sketch(Sketch::default()));
        };
        let hexagons = Hexagons::over(x_ends, y_ends, columns);
        let counts = hexagons.counts(x, y)?;
        let values: Vec<f64> = counts.into_iter().map(f64::from).collect();
        let mut sketch = Sketch::default();
        let (across, up) = hexagons.step;
        // Of one number in a row: they have one colour.
        let mut cells: Vec<usize> = (0..values.len()).collect();
        cells.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
        for cell in cells {
            let (x, y) = hexagons.middle(cell);
            let corner = |(dx, dy): (f64, f64)| -> Point { (x + dx * across, y + dy * up / 3.0) };
            let corners =
                [(0.5, -0.5), (0.5, 0.5), (0.0, 1.0), (-0.5, 0.5), (-0.5, -0.5), (0.0, -1.0)].map(corner);
            sketch.add(Form::Tile(corners.to_vec()), Tone::Value(values[cell]));
        }
        let range = reduce::host::extent(&values, series.norm).ends;
        let mut sketch = sketch.measured();
        sketch.range = color_range(series, range);
        Ok(Data::Sketch(sketch))
    }

    /// What is seen of cells: a pixel of the axes has the colour of the one that
    /// its middle lies in.
    pub(super) fn mesh(
        &mut self,
        series: &Series,
        mesh: Mesh,
        rect: &Rect,
        (x, y): (&Limits, &Limits),
    ) -> Result<Content> {
        let (rows, columns) = (mesh.up.len() - 1, mesh.across.len() - 1);
        if mesh.range.is_none() {
            self.notes.push(without_values(rows * columns, series.norm).to_owned());
        }
        let pixels = (rect.height().round().max(1.0) as usize, rect.width().round().max(1.0) as usize);
        // Of more cells than pixels their means.
        let most = |cells: usize, pixels: usize| cells.min(2 * pixels);
        let (height, width) = (most(rows, pixels.0), most(columns, pixels.1));
        let values = match mesh.cells {
            Cells::Values(values) => values,
            Cells::Data(_) if rows * columns == 0 => Vec::new(),
            Cells::Data(raw) => reduce::blocks(&raw, (height, width))?,
        };
        let (height, width) = if values.len() == rows * columns { (rows, columns) } else { (height, width) };
        // Each pixel's cell along an axis.
        let cells = |limits: &Limits, pixels: usize, edges: &[f64], blocks: usize, is_up: bool| {
            let falls = edges.first() > edges.last();
            let find = move |pixel: usize| {
                let part = (pixel as f64 + 0.5) / pixels as f64;
                let at = limits.at(if is_up { 1.0 - part } else { part });
                let beyond = edges.partition_point(|edge| if falls { *edge >= at } else { *edge <= at });
                let cell = beyond.checked_sub(1).filter(|cell| cell + 1 < edges.len())?;
                // The block that it is in: the last that begins before its end.
                Some(((cell + 1) * blocks - 1) / (edges.len() - 1))
            };
            (0..pixels).map(find).collect::<Vec<Option<usize>>>()
        };
        let across = cells(x, pixels.1, &mesh.across, width, false);
        let down = cells(y, pixels.0, &mesh.up, height, true);
        let value = |row: &Option<usize>, column: &Option<usize>| match (row, column) {
            (Some(row), Some(column)) if !values.is_empty() => values[row * width + column],
            _ => f64::NAN,
        };
        let values = down.iter().flat_map(|row| across.iter().map(move |column| (row, column)));
        let values: Vec<f64> = values.map(|(row, column)| value(row, column)).collect();
        let range = color_range(series, mesh.range).unwrap_or((0.0, 1.0));
        let (height, width) = pixels;
        let (ends, norm) = (range, series.norm);
        Ok(Content::Mesh(Grid { values, height, width, rows: height, columns: width, ends, range, norm }))
    }
}

/// Whether a kind can be drawn over logarithmic axes only where it has places.
pub(super) fn is_counted(kind: &Kind) -> bool {
    match kind {
        Kind::Image(_) | Kind::Photo(_) => true,
        Kind::Contour { places, .. } => places.is_none(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn middles_have_edges_halfway() {
        assert_eq!(edges_of(vec![0.0, 1.0, 3.0], 3), [-0.5, 0.5, 2.0, 4.0]);
        assert_eq!(edges_of(vec![0.0, 1.0, 3.0], 2), [0.0, 1.0, 3.0]);
        assert_eq!(edges_of(vec![7.0], 1), [6.5, 7.5]);
    }
}
