//! Matrices: what is drawn of them, and what their colours stand for.

use super::image::{Interpolation, bilinear};
use super::load::{Data, Loaded};
use super::sketch::{Form, Sketch, Tone};
use super::{Aspect, ColorBar, Content, Drawing, Grid, Kind, Levels, Photo, Series, contour, regions, solid};
use crate::array::Raw;
use crate::draw::{Point, Rect};
use crate::error::Result;
use crate::reduce;
use crate::scale::{Limits, Scale, levels};

/// The most rows and columns of the grids that contours and surfaces are
/// drawn from.
const CONTOUR_GRID: usize = 300;
pub(super) const SURFACE_GRID: usize = 50;

/// A matrix as far as the axes need it.
pub(super) struct Matrix {
    pub(super) raw: Raw,
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Where columns and rows stand, if not at 0, 1, 2 and so on.
    pub(super) places: Option<(Vec<f64>, Vec<f64>)>,
    pub(super) range: Option<(f64, f64)>,
}

impl Loaded {
    /// The colours that a bar beside the axes explains.
    pub(super) fn bar(&self, drawing: &Drawing) -> Option<ColorBar> {
        let all = || self.series.iter().zip(&drawing.series);
        // The area that is seen: the last one lies over the others.
        let area = all().rfind(|(_, series)| {
            let is_photo = matches!(series.kind, Kind::Photo(_));
            // The heights of a surface stand at an axis: its colours need words only if they are asked for.
            let is_told =
                !series.kind.is_solid() || !series.bar_label.is_empty() || series.has_bar == Some(true);
            series.is_matrix()
                && series.kind.height() == 0
                && !is_photo
                && is_told
                && series.paint.is_none()
                && series.has_bar.unwrap_or(true)
        });
        // Lines of one colour that was asked for need no bar.
        let is_contour =
            |series: &Series| matches!(series.kind, Kind::Contour { .. }) && series.paint.is_none();
        let has_colors = |series: &Series| {
            series.has_bar.unwrap_or(true) && (is_contour(series) || series.values.is_some())
        };
        let (data, first) = area.or_else(|| all().find(|(_, series)| has_colors(series)))?;
        let mut bar = color_bar(data, first)?;
        // Of the others those that were asked for.
        let others = all().filter(|(_, series)| {
            let is_asked = !series.bar_label.is_empty() || series.has_bar == Some(true);
            !std::ptr::eq(*series, first) && is_asked && (has_colors(series) || series.is_matrix())
        });
        let others: Vec<ColorBar> = others.filter_map(|(data, series)| color_bar(data, series)).collect();
        let chain = |next: Option<Box<ColorBar>>, bar: ColorBar| Some(Box::new(ColorBar { next, ..bar }));
        bar.next = others.into_iter().rev().fold(None, chain);
        Some(bar)
    }

    pub(super) fn matrix(&mut self, series: &Series, matrix: Matrix, rect: &Rect) -> Result<Content> {
        let Matrix { raw, rows, columns, places, range } = matrix;
        let pixels = (rect.height().ceil().max(1.0) as usize, rect.width().ceil().max(1.0) as usize);
        let most = match series.kind {
            Kind::Image(_) => pixels,
            Kind::Surface { .. } => (SURFACE_GRID, SURFACE_GRID),
            _ => (CONTOUR_GRID, CONTOUR_GRID),
        };
        let (height, width) = (rows.min(most.0), columns.min(most.1));
        let values = if rows * columns == 0 { Vec::new() } else { reduce::blocks(&raw, (height, width))? };
        if range.is_none() {
            self.notes.push(without_values(rows * columns, series.norm).to_owned());
        }
        let (data, ends) = (range, wide(range.unwrap_or((0.0, 1.0)), Scale::Linear));
        let range = color_range(series, range).unwrap_or((0.0, 1.0));
        let is_enlarged = series.interpolation == Interpolation::Bilinear && height * width > 0;
        let (values, (height, width)) = match &series.kind {
            Kind::Image(_) if is_enlarged && (height, width) != pixels => {
                let size = (pixels.0.max(height), pixels.1.max(width));
                (bilinear(&values, (height, width), size), size)
            }
            _ => (values, (height, width)),
        };
        let grid = Grid { values, height, width, rows, columns, ends, range, norm: series.norm };
        let Kind::Contour { levels, is_filled, .. } = &series.kind else {
            return Ok(if series.kind.is_solid() {
                Content::Solid(solid::sheet(grid, places.as_ref()))
            } else {
                Content::Image(grid)
            });
        };
        let heights = heights(levels, range, series.norm);
        self.notes.extend(without_lines(series, &heights, data, (rows, columns)));
        let place = |at: Point| match (&places, series.extent) {
            (Some((x, y)), _) => (between(x, at.0), between(y, at.1)),
            (None, Some([left, right, below, above])) => {
                let part = |at: f64, count: usize| at / (count.max(2) - 1) as f64;
                (left + (right - left) * part(at.0, columns), below + (above - below) * part(at.1, rows))
            }
            (None, None) => at,
        };
        if *is_filled {
            return Ok(Content::Sketch(bands(&grid, &heights, series.opacity < 1.0, place)));
        }
        let lines = heights.into_iter().map(|level| {
            let lines = contour::lines(&grid, level).into_iter();
            (level, lines.map(|line| line.into_iter().map(place).collect()).collect())
        });
        Ok(Content::Contours { lines: lines.collect(), range })
    }
}

/// The number at a place between those of a list, by straight lines.
pub(super) fn between(places: &[f64], at: f64) -> f64 {
    let first = (at.max(0.0) as usize).min(places.len().saturating_sub(1));
    let (from, part) = (places[first], at - first as f64);
    match places.get(first + 1) {
        Some(to) if part > 0.0 => from + (to - from) * part,
        _ => from,
    }
}

/// What lies between each two levels, in the colour of the middle between them.
/// Opaque areas reach under those of higher levels, so that no seams show.
fn bands(grid: &Grid, heights: &[f64], is_seen_through: bool, place: impl Fn(Point) -> Point) -> Sketch {
    let mut sketch = Sketch {
        range: heights.first().copied().zip(heights.last().copied()).filter(|(low, high)| low < high),
        ..Sketch::default()
    };
    let above: Vec<Vec<Vec<Point>>> = heights
        .iter()
        .enumerate()
        // The lowest level belongs to its area, as in Matplotlib.
        .map(|(k, level)| regions::outlines(grid, if k == 0 { level.next_down() } else { *level }))
        .collect();
    for (k, pair) in heights.windows(2).enumerate() {
        let end = if is_seen_through { k + 1 } else { heights.len() - 1 };
        // What is too high is a hole.
        let holes = above[end].iter().map(|outline| outline.iter().rev().copied().collect::<Vec<_>>());
        let outlines: Vec<Vec<Point>> = above[k].iter().cloned().chain(holes).collect();
        let area: Vec<Point> = regions::joined(&outlines).into_iter().map(&place).collect();
        if area.len() > 2 {
            sketch.add(Form::Area(area), Tone::Value(pair[0] / 2.0 + pair[1] / 2.0));
        }
    }
    sketch
}

/// Reads a photograph in at most as many pixels as it is seen in.
pub(super) fn photo(raw: &Raw, series: &Series, rect: &Rect) -> Result<Photo> {
    let (rows, columns) = (raw.shape().lengths()[0], raw.shape().lengths()[1]);
    let pixels = (rect.height().ceil().max(1.0) as usize, rect.width().ceil().max(1.0) as usize);
    let (height, width) = (rows.min(pixels.0), columns.min(pixels.1));
    if rows * columns == 0 {
        return Ok(Photo { pixels: Vec::new(), height: 0, width: 0, rows, columns });
    }
    let size = match series.interpolation {
        Interpolation::Bilinear => pixels,
        Interpolation::Nearest => (height, width),
    };
    // Whole numbers are parts of 255.
    let most = if raw.dtype().is_float() { 1.0 } else { 255.0 };
    let channels = gpurepl_arrays::fields::channels(raw)?;
    let channels = channels.iter().map(|channel| {
        let values = reduce::blocks(channel, (height, width))?;
        Ok(if size == (height, width) { values } else { bilinear(&values, (height, width), size) })
    });
    let channels = channels.collect::<Result<Vec<_>>>()?;
    let level = |value: f64| (value / most * 255.0).round().clamp(0.0, 255.0) as u8;
    let pixel = |k: usize| match channels.iter().all(|channel| channel[k].is_finite()) {
        false => [0; 4],
        true => {
            let at = |channel: usize| channels.get(channel).map(|values| level(values[k]));
            [at(0).unwrap_or(0), at(1).unwrap_or(0), at(2).unwrap_or(0), at(3).unwrap_or(255)]
        }
    };
    let (height, width) = size;
    Ok(Photo { pixels: (0..height * width).map(pixel).collect(), height, width, rows, columns })
}

/// Why no value has a colour.
pub(super) fn without_values(count: usize, norm: Scale) -> &'static str {
    match (count, norm) {
        (0, _) => "the matrix is empty",
        (_, Scale::Log) => "no value is finite and above 0",
        _ => "no value is finite",
    }
}

impl Drawing {
    /// How many times wider than high the axes of a figure with an image are,
    /// so that its pixels are squares, also of the part that limits show. That is
    /// Matplotlib's default, `aspect="equal"`.
    pub(super) fn aspect(&self, x: &Limits, y: &Limits) -> Option<f64> {
        let is_round = |series: &Series| series.is_image() || matches!(series.kind, Kind::Pie { .. });
        let has_image = self.is_polar || self.series.iter().any(is_round);
        let is_linear = (x.scale, y.scale) == (Scale::Linear, Scale::Linear);
        if self.aspect == Aspect::Auto || !(has_image || self.aspect == Aspect::Equal) || !is_linear {
            return None;
        }
        let aspect = (x.high() - x.low()) / (y.high() - y.low());
        // A strip would be too thin to see.
        (0.125..=8.0).contains(&aspect).then_some(aspect)
    }
}

/// The bar of a series, if it has colours.
fn color_bar(data: &Data, series: &Series) -> Option<ColorBar> {
    let range = match data {
        Data::Matrix(Matrix { range, .. }) | Data::Dots { range, .. } | Data::Large { range, .. } => *range,
        Data::Mesh(mesh) => mesh.range,
        Data::Sketch(sketch) => sketch.range,
        Data::Solid(solid) => solid.range,
        _ => None,
    };
    let range = color_range(series, range)?;
    let heights = match &series.kind {
        Kind::Contour { levels, .. } => heights(levels, range, series.norm),
        _ => Vec::new(),
    };
    let ends = heights.first().copied().zip(heights.last().copied()).filter(|(low, high)| low < high);
    let is_filled = matches!(series.kind, Kind::Contour { is_filled: true, .. });
    Some(ColorBar {
        range: ends.unwrap_or(range),
        norm: series.norm,
        bands: if is_filled { heights } else { Vec::new() },
        colormap: series.colormap,
        opacity: series.opacity,
        label: series.bar_label.clone(),
        next: None,
    })
}

/// The heights of contours: those that were given, or about so many; where
/// colours are by logarithms, powers of ten.
fn heights(given: &Levels, range: (f64, f64), norm: Scale) -> Vec<f64> {
    match (given, norm) {
        (Levels::At(heights), _) => heights.clone(),
        (Levels::About(count), Scale::Linear | Scale::Symlog(_)) => levels(range.0, range.1, *count),
        (Levels::About(_), Scale::Log) => {
            let ends = (range.0.log10().floor() as i32, range.1.log10().ceil() as i32);
            (ends.0..=ends.1).map(|power| 10f64.powi(power)).collect()
        }
    }
}

/// Why a contour has no lines, where Matplotlib warns as well: "No contour
/// levels were found within the data range" (`lib/matplotlib/contour.py`).
fn without_lines(
    series: &Series,
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
    let is_filled = matches!(series.kind, Kind::Contour { is_filled: true, .. });
    if is_filled && heights.len() < 2 {
        return Some("areas lie between 2 levels or more, and there are fewer".to_owned());
    }
    let is_inside = |height: &f64| low < *height && *height < high;
    let is_around = is_filled && heights.windows(2).any(|pair| pair[0] < high && pair[1] > low);
    (!heights.iter().any(is_inside) && !is_around)
        .then(|| format!("no level of the contour lies between {low} and {high}"))
}

/// The values that the ends of the colours stand for.
pub(super) fn color_range(series: &Series, range: Option<(f64, f64)>) -> Option<(f64, f64)> {
    Some(wide(series.range.or(range)?, series.norm))
}

/// A range with room around it, if it is that of one value.
fn wide(range: (f64, f64), norm: Scale) -> (f64, f64) {
    if norm == Scale::Log && range.0 < range.1 {
        return range;
    }
    let limits = Limits::around(Some(range), norm, 0.0);
    (limits.from, limits.to)
}
