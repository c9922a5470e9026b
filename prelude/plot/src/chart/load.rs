//! Data as it is needed: little data is copied, of much only the extent until
//! the axes are known, and then what pixels can show.

use std::collections::HashMap;

use super::between::{self, Band};
use super::fields::{self, Mesh};
use super::many::{self, Area, Many};
use super::matrix::{self, Matrix, color_range};
use super::sketch::Sketch;
use super::solid::Solid;
use super::{
    Block, Content, Dot, Drawing, Guide, Kind, MOST_POINTS, Names, Series, Step, arrows, bars, error_bars,
    histogram, image, pie, polar, solid,
};
use crate::array::Raw;
use crate::draw::{Point, Rect};
use crate::error::Result;
use crate::reduce::{self, Extent, host};
use crate::scale::{Limits, Scale};

/// What is known of each series before the axes are.
pub(super) struct Loaded {
    pub(super) series: Vec<Data>,
    /// Where the error bars of each series begin and end.
    pub(super) errors: Vec<Vec<(Point, Point)>>,
    /// What stands at 0, 1, 2 and so on, and where each of them does.
    pub(super) names: Names,
    pub(super) places: [HashMap<String, usize>; 2],
    /// The distances from the middle that axes around one show.
    pub(super) polar: Option<Limits>,
    /// How many groups of values have no names.
    pub(super) groups: usize,
    pub(super) notes: Vec<String>,
}

pub(super) enum Data {
    Exact {
        x: Vec<f64>,
        y: Vec<f64>,
    },
    Large {
        x: Option<(Raw, Extent)>,
        y: Raw,
        extent: Extent,
        exact: usize,
        /// The ends of the values that points have colours by.
        range: Option<(f64, f64)>,
    },
    Boxes(Vec<Block>),
    /// Points with colours or sizes of their own, and the ends of their values.
    Dots {
        x: Vec<f64>,
        y: Vec<f64>,
        values: Option<Vec<f64>>,
        sizes: Option<Vec<f64>>,
        range: Option<(f64, f64)>,
    },
    Stems {
        x: Vec<f64>,
        y: Vec<f64>,
    },
    Band(Band),
    Guide(Guide),
    Matrix(Matrix),
    Mesh(Mesh),
    Photo(Raw),
    Sketch(Sketch),
    Solid(Solid),
}

pub(super) fn load(drawing: &Drawing) -> Result<Loaded> {
    let mut loaded = Loaded {
        series: Vec::new(),
        errors: Vec::new(),
        names: Names::default(),
        places: [HashMap::new(), HashMap::new()],
        polar: drawing.distances()?,
        groups: 0,
        notes: Vec::new(),
    };
    let (mut groups, mut stacks) = (bars::Groups::of(drawing), histogram::Stack::default());
    loaded.add_bars_around(drawing)?;
    for series in &drawing.series {
        if let Some(solid) = solid::load(&mut loaded, series)? {
            loaded.errors.push(Vec::new());
            loaded.series.push(Data::Solid(solid));
            continue;
        }
        let mut tips = Vec::new();
        let data = match &series.kind {
            Kind::Line { x, y, names } => {
                let exact = 4 * drawing.extent().0 as usize;
                loaded.placed(drawing, series, (x.as_ref(), y, names), exact)?
            }
            Kind::Scatter { x, y, names } => {
                let data = loaded.placed(drawing, series, (x.as_ref(), y, names), MOST_POINTS)?;
                loaded.dots(series, data)?
            }
            Kind::Bars { .. } => {
                let (blocks, ends) = loaded.bars(drawing, series, &mut groups)?;
                tips = ends;
                match &loaded.polar {
                    Some(limits) => polar::sectors(series, &blocks, limits, drawing.turn),
                    None => Data::Boxes(blocks),
                }
            }
            Kind::Stem { x, y, names } => match loaded.points(drawing, x.as_ref(), y, names, usize::MAX)? {
                Data::Exact { x, y } => Data::Stems { x, y },
                other => other,
            },
            Kind::Between { x, low, high } => match loaded.polar {
                Some(limits) => loaded.band_around(&series.kind, &limits, drawing.turn)?,
                None => Data::Band(loaded.band(drawing, x, low, high)?),
            },
            Kind::Guide(guide) => Data::Guide(guide.clone()),
            Kind::Histogram { .. } => {
                Data::Boxes(histogram::blocks(&mut loaded, drawing, series, &mut stacks)?)
            }
            Kind::Image(raw) => fields::matrix(series, raw, None)?,
            Kind::Contour { raw, places, .. } | Kind::Surface { raw, places, .. } => {
                fields::matrix(series, raw, places.as_ref())?
            }
            Kind::Photo(raw) => Data::Photo(raw.clone()),
            Kind::Mesh { raw, edges } => fields::mesh(series, raw, edges.as_ref())?,
            Kind::Counts { x, y, bins } => loaded.counts(series, (x, y), *bins)?,
            Kind::Hexagons { x, y, columns } => loaded.hexagons(series, (x, y), *columns)?,
            Kind::Groups { .. } => loaded.groups(drawing, series)?,
            Kind::Arrows { .. } => arrows::data(series)?,
            Kind::Streams { .. } => loaded.streams(series)?,
            Kind::Pie { .. } => pie::data(series)?,
            // Has been loaded.
            Kind::Space { .. } => continue,
        };
        if tips.is_empty() && (series.errors.x.is_some() || series.errors.y.is_some()) {
            tips = error_bars::points(&data)?;
        }
        loaded.errors.push(error_bars::load(series, &tips)?);
        loaded.series.push(data);
    }
    Ok(loaded)
}

impl Loaded {
    /// Distances that show all bars, which may stand on each other.
    fn add_bars_around(&mut self, drawing: &Drawing) -> Result<()> {
        let Some(mut limits) = self.polar else { return Ok(()) };
        let mut groups = bars::Groups::of(drawing);
        for series in drawing.series.iter().filter(|series| matches!(series.kind, Kind::Bars { .. })) {
            let (blocks, _) = self.bars(drawing, series, &mut groups)?;
            limits = polar::with_blocks(limits, &blocks, drawing.y.limits);
        }
        self.polar = Some(limits);
        Ok(())
    }

    /// Points where they are drawn: over the axes, or around a middle.
    fn placed(
        &mut self,
        drawing: &Drawing,
        series: &Series,
        (x, y, names): (Option<&Raw>, &Raw, &[String]),
        exact: usize,
    ) -> Result<Data> {
        match (self.polar, x) {
            (Some(limits), Some(x)) => self.around(drawing, series, (x, y), &limits, exact),
            _ => self.points(drawing, x, y, names, exact),
        }
    }

    pub(super) fn points(
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
        Ok(Data::Large { x, y: y.clone(), extent, exact, range: None })
    }

    /// Points with what each of them has of its own; of many the colours alone.
    fn dots(&mut self, series: &Series, mut data: Data) -> Result<Data> {
        if let (Data::Large { range, .. }, Some(values)) = (&mut data, &series.values) {
            *range = reduce::extent(values, series.norm)?.ends;
        }
        let Data::Exact { x, y } = data else { return Ok(data) };
        if series.values.is_none() && series.sizes.is_none() {
            return Ok(Data::Exact { x, y });
        }
        let each = |raw: &Option<Raw>| -> Result<Option<Vec<f64>>> {
            let Some(raw) = raw else { return Ok(None) };
            let values = reduce::values(raw)?;
            Ok(Some(if raw.shape().rank() == 0 { vec![values[0]; x.len()] } else { values }))
        };
        let (values, sizes) = (each(&series.values)?, each(&series.sizes)?);
        let range = values.as_ref().and_then(|values| host::extent(values, series.norm).ends);
        let lost = values.iter().chain(&sizes).flatten().filter(|value| !value.is_finite()).count();
        if lost > 0 {
            let (points, are) = if lost == 1 { ("point", "is") } else { ("points", "are") };
            self.notes.push(format!("{lost} {points} without a colour or a size {are} not shown"));
        }
        Ok(Data::Dots { x, y, values, sizes, range })
    }

    fn note_nonpositive(&mut self, name: &str, count: u64) {
        if count > 0 {
            self.notes.push(match count {
                1 => format!("1 value of {name} is not above 0: a logarithmic axis cannot show it"),
                _ => format!("{count} values of {name} are not above 0: a logarithmic axis cannot show them"),
            });
        }
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
                        _ => Content::Lines(lines(points, series, x, y)),
                    }
                }
                Data::Large { x: places, y: values, exact, range, .. } => {
                    let area = Area { rect, x, y };
                    many::content(&Many { series, places, values, exact, range }, &area, &mut self.notes)?
                }
                Data::Boxes(blocks) => Content::Boxes(if series.kind.is_lying() {
                    bars::on_axes(blocks, y, x)
                } else {
                    bars::on_axes(blocks, x, y)
                }),
                Data::Dots { x: places, y: rows, values, sizes, range } => {
                    let (low, high) = color_range(series, range).unwrap_or((0.0, 1.0));
                    let dot = |(k, at): (usize, Point)| {
                        let share = match &values {
                            Some(values) => Some(image::share(values[k], (low, high), series.norm)?),
                            None => None,
                        };
                        let size = match &sizes {
                            // Of an area that is no area, nothing is seen.
                            Some(sizes) if sizes[k] > 0.0 && sizes[k].is_finite() => {
                                sizes[k].sqrt().min(1000.0)
                            }
                            Some(_) => return None,
                            None => series.marker_size,
                        };
                        has_place(&at, x, y).then_some(Dot { at, share, size })
                    };
                    let points = places.into_iter().zip(rows).enumerate();
                    Content::Dots(points.filter_map(dot).collect())
                }
                Data::Stems { x: places, y: values } => {
                    let points = places.into_iter().zip(values);
                    Content::Points(points.filter(|point| has_place(point, x, y)).collect())
                }
                Data::Band(band) => between::content(band, rect, x, y)?,
                Data::Guide(_) => Content::Guide,
                Data::Matrix(matrix) => self.matrix(series, matrix, rect)?,
                Data::Mesh(mesh) => self.mesh(series, mesh, rect, (x, y))?,
                Data::Photo(raw) => Content::Photo(matrix::photo(&raw, series, rect)?),
                Data::Sketch(sketch) => Content::Sketch(sketch),
                Data::Solid(solid) => Content::Solid(solid),
            });
        }
        Ok(contents)
    }
}

pub(super) fn has_place((x, y): &Point, x_axis: &Limits, y_axis: &Limits) -> bool {
    let on = |value: f64, axis: &Limits| value.is_finite() && (axis.scale != Scale::Log || value > 0.0);
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

/// The same, in steps if the series has some.
pub(super) fn lines(
    points: impl Iterator<Item = Point>,
    series: &Series,
    x: &Limits,
    y: &Limits,
) -> Vec<Vec<Point>> {
    let runs = runs(points, x, y);
    match series.step {
        Some(step) => runs.iter().map(|run| stepped(run, step)).collect(),
        None => runs,
    }
}

/// A line that goes up or down at the place before a value, which it then keeps, at the
/// value's own, or in the middle: Matplotlib's `where="pre"`, `"post"` and `"mid"`.
fn stepped(run: &[Point], step: Step) -> Vec<Point> {
    let corners = |pair: &[Point]| {
        let ((x, y), (to_x, to_y)) = (pair[0], pair[1]);
        match step {
            Step::Before => vec![(x, to_y), (to_x, to_y)],
            Step::After => vec![(to_x, y), (to_x, to_y)],
            Step::Between => {
                let middle = x / 2.0 + to_x / 2.0;
                vec![(middle, y), (middle, to_y), (to_x, to_y)]
            }
        }
    };
    run.first().copied().into_iter().chain(run.windows(2).flat_map(corners)).collect()
}
