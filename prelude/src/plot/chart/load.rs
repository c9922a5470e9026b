//! Data as it is needed: little data is copied, of much only the extent until
//! the axes are known, and then what pixels can show.

use super::many::{self, Area, Many};
use super::{Block, Content, Drawing, Grid, Kind, MOST_POINTS, Series, contour};
use crate::array::Raw;
use crate::error::Result;
use crate::plot::color::Colormap;
use crate::plot::draw::{Point, Rect};
use crate::plot::reduce::{self, Extent, bins, host};
use crate::plot::scale::{Limits, Scale, levels};

/// What is known of each series before the axes are.
pub(super) struct Loaded {
    series: Vec<Data>,
    pub(super) names: Vec<String>,
    pub(super) notes: Vec<String>,
}

enum Data {
    Exact { x: Vec<f64>, y: Vec<f64> },
    Large { x: Option<(Raw, Extent)>, y: Raw, extent: Extent, exact: usize },
    Boxes(Vec<Block>),
    Matrix { raw: Raw, rows: usize, columns: usize, range: Option<(f64, f64)> },
}

/// The most rows and columns of the grids that contours and surfaces are
/// drawn from.
const CONTOUR_GRID: usize = 300;
const SURFACE_GRID: usize = 50;

pub(super) fn load(drawing: &Drawing) -> Result<Loaded> {
    let mut loaded = Loaded { series: Vec::new(), names: Vec::new(), notes: Vec::new() };
    let groups = drawing.series.iter().filter(|series| matches!(series.kind, Kind::Bars { .. })).count();
    let mut group = 0;
    for series in &drawing.series {
        let data = match &series.kind {
            Kind::Line { x, y, names } => {
                let exact = 4 * drawing.size.0 as usize;
                loaded.points(drawing, x.as_ref(), y, names, exact)?
            }
            Kind::Scatter { x, y, names } => loaded.points(drawing, x.as_ref(), y, names, MOST_POINTS)?,
            Kind::Bars { x, heights, names } => {
                group += 1;
                loaded.bars(x.as_ref(), heights, names, (group - 1, groups))?
            }
            Kind::Histogram { raw, bins } => loaded.histogram(drawing, series, raw, *bins)?,
            Kind::Image(raw) | Kind::Contour { raw, .. } | Kind::Surface(raw) => {
                let range = reduce::extent(raw, Scale::Linear)?.ends;
                let (rows, columns) = (raw.shape().lengths()[0], raw.shape().lengths()[1]);
                Data::Matrix { raw: raw.clone(), rows, columns, range }
            }
        };
        loaded.series.push(data);
    }
    Ok(loaded)
}

impl Loaded {
    fn points(
        &mut self,
        drawing: &Drawing,
        x: Option<&Raw>,
        y: &Raw,
        names: &[String],
        exact: usize,
    ) -> Result<Data> {
        self.name(names);
        let count = y.shape().size();
        if count <= exact {
            let places = match x {
                Some(x) => reduce::values(x)?,
                None => (0..count).map(|i| i as f64).collect(),
            };
            let y = reduce::values(y)?;
            self.note_nonpositive("x", host::extent(&places, drawing.x.scale).nonpositive);
            self.note_nonpositive("y", host::extent(&y, drawing.y.scale).nonpositive);
            return Ok(Data::Exact { x: places, y });
        }
        let extent = reduce::extent(y, drawing.y.scale)?;
        let x = match x {
            Some(x) => Some((x.clone(), reduce::extent(x, drawing.x.scale)?)),
            None => None,
        };
        // Element 0 stands at 0.
        let at_zero = u64::from(drawing.x.scale == Scale::Log);
        self.note_nonpositive("x", x.as_ref().map_or(at_zero, |(_, extent)| extent.nonpositive));
        self.note_nonpositive("y", extent.nonpositive);
        Ok(Data::Large { x, y: y.clone(), extent, exact })
    }

    fn name(&mut self, names: &[String]) {
        if names.len() > self.names.len() {
            self.names = names.to_vec();
        }
    }

    fn note_nonpositive(&mut self, name: &str, count: u64) {
        if count > 0 {
            self.notes.push(format!(
                "{count} values of {name} are not above 0: a logarithmic axis has no place for them"
            ));
        }
    }

    fn bars(
        &mut self,
        x: Option<&Raw>,
        heights: &Raw,
        names: &[String],
        (group, groups): (usize, usize),
    ) -> Result<Data> {
        self.name(names);
        let heights = reduce::values(heights)?;
        let places = match x {
            Some(x) => reduce::values(x)?,
            None => (0..heights.len()).map(|i| i as f64).collect(),
        };
        let mut sorted: Vec<f64> = places.iter().copied().filter(|place| place.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let gaps = sorted.windows(2).map(|pair| pair[1] - pair[0]).filter(|gap| *gap > 0.0);
        let gap = gaps.fold(f64::INFINITY, f64::min);
        let whole = 0.8 * if gap.is_finite() { gap } else { 1.0 };
        let width = whole / groups as f64;
        let blocks = places.iter().zip(&heights).filter(|(x, height)| x.is_finite() && height.is_finite());
        let block = |(x, height): (&f64, &f64)| {
            let left = x - whole / 2.0 + group as f64 * width;
            Block { left, right: left + width, from: 0.0, to: *height }
        };
        Ok(Data::Boxes(blocks.map(block).collect()))
    }

    fn histogram(&mut self, drawing: &Drawing, series: &Series, raw: &Raw, bins: usize) -> Result<Data> {
        let extent = reduce::extent(raw, Scale::Linear)?;
        if extent.without_place > 0 {
            self.notes.push(format!("{} values are not finite and not counted", extent.without_place));
        }
        let Some(ends) = series.range.or(extent.ends) else { return Ok(Data::Boxes(Vec::new())) };
        // As NumPy: bins of one value lie half a unit around it.
        let (from, to) = if ends.0 < ends.1 { ends } else { (ends.0 - 0.5, ends.0 + 0.5) };
        if !(from < to && (to - from).is_finite()) {
            self.notes.push(format!("values from {from:e} to {to:e} cannot be counted in bins"));
            return Ok(Data::Boxes(Vec::new()));
        }
        let edges = bins::edges(raw.dtype(), (from, to), series.range.is_some(), bins);
        let counts = reduce::histogram(raw, &edges)?;
        let most = 4 * drawing.size.0 as usize;
        // Bins that no pixel can tell apart are drawn as the highest of them.
        let each = bins.div_ceil(most);
        let blocks = counts.chunks(each).enumerate().map(|(k, counts)| Block {
            left: edges[k * each],
            right: edges[k * each + counts.len()],
            from: 0.0,
            to: counts.iter().copied().max().unwrap_or(0) as f64,
        });
        Ok(Data::Boxes(blocks.collect()))
    }

    /// The ends of the axes.
    pub(super) fn limits(&self, drawing: &Drawing) -> (Limits, Limits) {
        let (mut x, mut y) = (Span::default(), Span::default());
        for (data, series) in self.series.iter().zip(&drawing.series) {
            match data {
                Data::Exact { x: places, y: values } => {
                    x.add(host::extent(places, drawing.x.scale).ends);
                    y.add(host::extent(values, drawing.y.scale).ends);
                }
                Data::Large { x: places, y: values, extent, .. } => {
                    let last = values.shape().size() as f64 - 1.0;
                    let first = if drawing.x.scale == Scale::Log { 1.0 } else { 0.0 };
                    x.add(places.as_ref().map_or(Some((first, last)), |(_, extent)| extent.ends));
                    y.add(extent.ends);
                }
                Data::Boxes(blocks) => {
                    for block in blocks {
                        let sides = (drawing.x.scale == Scale::Linear || block.left > 0.0)
                            .then_some((block.left, block.right));
                        x.add(sides);
                        let end = block.to;
                        if drawing.y.scale == Scale::Linear {
                            y.add(Some((end.min(0.0), end.max(0.0))));
                            y.rests_on = Some(0.0);
                        } else if end > 0.0 {
                            y.add(Some((end, end)));
                        }
                    }
                }
                Data::Matrix { rows, columns, .. } => {
                    let (rows, columns) = (*rows as f64, *columns as f64);
                    if rows == 0.0 || columns == 0.0 {
                        continue;
                    }
                    let is_image = matches!(series.kind, Kind::Image(_));
                    let half = if is_image { 0.5 } else { 0.0 };
                    x.add(Some((-half, columns - 1.0 + half)));
                    y.add(Some((-half, rows - 1.0 + half)));
                    x.is_tight = true;
                    y.is_tight = true;
                    y.is_downwards |= is_image;
                }
            }
        }
        let x_given = drawing.x.limits.map(|(from, to)| Limits { from, to, scale: drawing.x.scale });
        let y_given = drawing.y.limits.map(|(from, to)| Limits { from, to, scale: drawing.y.scale });
        (
            x_given.unwrap_or_else(|| x.limits(drawing.x.scale)),
            y_given.unwrap_or_else(|| y.limits(drawing.y.scale)),
        )
    }

    /// The colours that a bar beside the axes explains.
    pub(super) fn bar(&self, drawing: &Drawing) -> Option<((f64, f64), Colormap)> {
        let with_colors = self.series.iter().zip(&drawing.series).find(|(data, series)| {
            matches!(data, Data::Matrix { .. }) && !matches!(series.kind, Kind::Surface(_))
        });
        let (Data::Matrix { range, .. }, series) = with_colors? else { return None };
        let range = color_range(series, *range)?;
        let heights = match &series.kind {
            Kind::Contour { levels, .. } => heights(levels, range),
            _ => Vec::new(),
        };
        let ends = heights.first().copied().zip(heights.last().copied()).filter(|(low, high)| low < high);
        Some((ends.unwrap_or(range), series.colormap))
    }

    /// Whether a matrix is shown in pixels as wide as high.
    pub(super) fn aspect(&self, drawing: &Drawing) -> Option<f64> {
        let image =
            self.series.iter().zip(&drawing.series).find(|(_, series)| matches!(series.kind, Kind::Image(_)));
        let (Data::Matrix { rows, columns, .. }, _) = image? else { return None };
        let aspect = *columns as f64 / *rows as f64;
        // A strip would be too thin to see.
        (0.125..=8.0).contains(&aspect).then_some(aspect)
    }

    /// What is drawn of each series.
    pub(super) fn contents(
        &mut self,
        drawing: &Drawing,
        rect: &Rect,
        x: &Limits,
        y: &Limits,
    ) -> Result<Vec<Content>> {
        let mut contents = Vec::new();
        for (data, series) in std::mem::take(&mut self.series).into_iter().zip(&drawing.series) {
            contents.push(match data {
                Data::Exact { x: places, y: values } => {
                    let points = places.into_iter().zip(values);
                    match series.kind {
                        Kind::Scatter { .. } => {
                            Content::Points(points.filter(|point| has_place(point, x, y)).collect())
                        }
                        _ => Content::Lines(runs(points, x, y)),
                    }
                }
                Data::Large { x: places, y: values, exact, .. } => {
                    let area = Area { rect, x, y };
                    many::content(&Many { series, places, values, exact }, &area, &mut self.notes)?
                }
                Data::Boxes(mut blocks) => {
                    if y.scale == Scale::Log {
                        // What is zero is as low as the axis goes.
                        for block in &mut blocks {
                            (block.from, block.to) = (y.low(), block.to.max(y.low()));
                        }
                    }
                    if x.scale == Scale::Log {
                        blocks.retain(|block| block.left > 0.0);
                    }
                    Content::Boxes(blocks)
                }
                Data::Matrix { raw, rows, columns, range } => {
                    self.matrix(series, &raw, (rows, columns), range, rect)?
                }
            });
        }
        Ok(contents)
    }

    fn matrix(
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
        let range = color_range(series, range).unwrap_or((0.0, 1.0));
        let grid = Grid { values, height, width, rows, columns, range };
        Ok(match &series.kind {
            Kind::Surface(_) => Content::Surface(grid),
            Kind::Contour { levels, .. } => {
                let heights = heights(levels, range);
                let lines = heights.into_iter().map(|level| (level, contour::lines(&grid, level)));
                Content::Contours { lines: lines.collect(), range }
            }
            _ => Content::Image(grid),
        })
    }
}

/// The heights of contours: those that were given, or about seven.
fn heights(given: &Option<Vec<f64>>, range: (f64, f64)) -> Vec<f64> {
    given.clone().unwrap_or_else(|| levels(range.0, range.1, 7))
}

fn color_range(series: &Series, range: Option<(f64, f64)>) -> Option<(f64, f64)> {
    let (low, high) = series.range.or(range)?;
    let limits = Limits::around(Some((low, high)), Scale::Linear, 0.0);
    Some((limits.from, limits.to))
}

pub(super) fn has_place((x, y): &Point, x_axis: &Limits, y_axis: &Limits) -> bool {
    let on = |value: f64, axis: &Limits| value.is_finite() && (axis.scale == Scale::Linear || value > 0.0);
    on(*x, x_axis) && on(*y, y_axis)
}

/// Points in a row that all have a place.
pub(super) fn runs(points: impl Iterator<Item = Point>, x: &Limits, y: &Limits) -> Vec<Vec<Point>> {
    let mut runs: Vec<Vec<Point>> = Vec::new();
    let mut is_open = false;
    for point in points {
        let has_place = has_place(&point, x, y);
        match runs.last_mut() {
            Some(run) if has_place && is_open => run.push(point),
            _ if has_place => runs.push(vec![point]),
            _ => {}
        }
        is_open = has_place;
    }
    runs
}

/// The numbers that an axis must show.
#[derive(Default)]
struct Span {
    ends: Option<(f64, f64)>,
    /// Without a margin.
    is_tight: bool,
    is_downwards: bool,
    /// Where bars stand: no margin there.
    rests_on: Option<f64>,
}

impl Span {
    fn add(&mut self, ends: Option<(f64, f64)>) {
        let Some((low, high)) = ends else { return };
        self.ends = Some(self.ends.map_or((low, high), |(a, b)| (a.min(low), b.max(high))));
    }

    fn limits(&self, scale: Scale) -> Limits {
        let margin = if self.is_tight { 0.0 } else { 0.05 };
        let mut limits = Limits::around(self.ends, scale, margin);
        if let (Some(ground), Some((low, high))) = (self.rests_on, self.ends)
            && low < high
        {
            if low == ground {
                limits.from = ground;
            }
            if high == ground {
                limits.to = ground;
            }
        }
        if self.is_downwards {
            std::mem::swap(&mut limits.from, &mut limits.to);
        }
        limits
    }
}
