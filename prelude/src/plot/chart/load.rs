//! Data as it is needed: little data is copied, of much only the extent until
//! the axes are known, and then what pixels can show.

use std::collections::HashMap;

use super::{Block, Content, Drawing, Kind, MOST_POINTS, Series, bars};
use crate::array::Raw;
use crate::error::Result;
use crate::plot::draw::{Point, Rect};
use crate::plot::reduce::{self, Column, Columns, Extent};
use crate::plot::scale::{Limits, Scale};

/// What is known of each series before the axes are.
pub(super) struct Loaded {
    pub(super) series: Vec<Data>,
    /// What stands at 0, 1, 2 and so on, and where each of them does.
    pub(super) names: Vec<String>,
    pub(super) places: HashMap<String, usize>,
    pub(super) notes: Vec<String>,
}

pub(super) enum Data {
    Exact { x: Vec<f64>, y: Vec<f64> },
    Large { x: Option<(Raw, Extent)>, y: Raw, extent: Extent },
    Boxes(Vec<Block>),
    Matrix { raw: Raw, rows: usize, columns: usize, range: Option<(f64, f64)> },
}

pub(super) fn load(drawing: &Drawing) -> Result<Loaded> {
    let mut loaded =
        Loaded { series: Vec::new(), names: Vec::new(), places: HashMap::new(), notes: Vec::new() };
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
                loaded.bars(drawing, x.as_ref(), heights, names, (group - 1, groups))?
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
        let named = self.named(names)?;
        let x = named.as_ref().or(x);
        let count = y.shape().size();
        if count <= exact {
            let places = match x {
                Some(x) => reduce::values(x)?,
                None => (0..count).map(|i| i as f64).collect(),
            };
            let y = reduce::values(y)?;
            self.note_nonpositive(&places, &y, drawing);
            return Ok(Data::Exact { x: places, y });
        }
        let extent = reduce::extent(y, drawing.y.scale)?;
        let x = match x {
            Some(x) => Some((x.clone(), reduce::extent(x, drawing.x.scale)?)),
            None => None,
        };
        Ok(Data::Large { x, y: y.clone(), extent })
    }

    fn note_nonpositive(&mut self, x: &[f64], y: &[f64], drawing: &Drawing) {
        for (name, values, scale) in [("x", x, drawing.x.scale), ("y", y, drawing.y.scale)] {
            let count = values.iter().filter(|value| value.is_finite() && **value <= 0.0).count();
            if scale == Scale::Log && count > 0 {
                self.notes.push(format!(
                    "{count} values of {name} are not above 0: a logarithmic axis has no place for them"
                ));
            }
        }
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
        let counts = reduce::histogram(raw, from, to, bins)?;
        let edge =
            |bin: usize| if bin == bins { to } else { from + bin as f64 * ((to - from) / bins as f64) };
        let most = 4 * drawing.size.0 as usize;
        // Bins that no pixel can tell apart are drawn as the highest of them.
        let each = bins.div_ceil(most);
        let blocks = counts.chunks(each).enumerate().map(|(k, counts)| Block {
            left: edge(k * each),
            right: edge(k * each + counts.len()),
            from: 0.0,
            to: counts.iter().copied().max().unwrap_or(0) as f64,
        });
        Ok(Data::Boxes(blocks.collect()))
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
                Data::Large { x: places, y: values, .. } => {
                    self.large(series, places, &values, rect, (x, y))?
                }
                Data::Boxes(blocks) => Content::Boxes(bars::on_axes(blocks, x, y)),
                Data::Matrix { raw, rows, columns, range } => {
                    self.matrix(series, &raw, (rows, columns), range, rect)?
                }
            });
        }
        Ok(contents)
    }

    fn large(
        &mut self,
        series: &Series,
        places: Option<(Raw, Extent)>,
        values: &Raw,
        rect: &Rect,
        (x, y): (&Limits, &Limits),
    ) -> Result<Content> {
        let is_line = matches!(series.kind, Kind::Line { .. });
        let ascends = places.as_ref().is_none_or(|(_, extent)| extent.is_ascending);
        if !is_line || !ascends {
            // Cells of two pixels: one alone could not be seen.
            let width = (rect.width() / 2.0).round().max(1.0) as usize;
            let height = (rect.height() / 2.0).round().max(1.0) as usize;
            let counts = reduce::density(places.as_ref().map(|(x, _)| x), values, (x, y), (width, height))?;
            if is_line {
                self.notes.push("x does not ascend: of so many points the density is shown".to_owned());
            }
            return Ok(Content::Density { counts, width, height });
        }
        let count = (2.0 * rect.width()).round().max(1.0) as usize;
        let x = Limits { from: x.low(), to: x.high(), scale: x.scale };
        let columns = match &places {
            None => Columns::Counted { from: x.from, to: x.to, scale: x.scale },
            Some((places, _)) => Columns::At { places, limits: x },
        };
        let columns = reduce::columns(values, &columns, count, y.scale)?;
        let mut lines: Vec<Vec<Point>> = vec![Vec::new()];
        for (number, column) in columns.into_iter().enumerate() {
            let place = x.at((number as f64 + 0.5) / count as f64);
            let line = match lines.last_mut() {
                Some(line) => line,
                None => continue,
            };
            match column {
                // From whichever end is nearer, so that the line does not
                // zigzag where it only rises.
                Column::Ends(low, high) => {
                    let last = line.last().map_or(low, |(_, last)| *last);
                    let is_upwards = (last - low).abs() <= (last - high).abs();
                    let (first, second) = if is_upwards { (low, high) } else { (high, low) };
                    line.push((place, first));
                    if second != first {
                        line.push((place, second));
                    }
                }
                Column::Gap if !line.is_empty() => lines.push(Vec::new()),
                Column::Gap | Column::Empty => {}
            }
        }
        lines.retain(|line| !line.is_empty());
        Ok(Content::Lines(lines))
    }
}

fn has_place((x, y): &Point, x_axis: &Limits, y_axis: &Limits) -> bool {
    let on = |value: f64, axis: &Limits| value.is_finite() && (axis.scale == Scale::Linear || value > 0.0);
    on(*x, x_axis) && on(*y, y_axis)
}

/// Points in a row that all have a place.
fn runs(points: impl Iterator<Item = Point>, x: &Limits, y: &Limits) -> Vec<Vec<Point>> {
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
