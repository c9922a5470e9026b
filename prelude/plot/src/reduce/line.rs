//! Lines reduced to what columns of pixels can show: the first and the last
//! value of each column, which lines to its neighbours end at, and the least
//! and the greatest ("M4": Jugel, Jerzak, Hackenbroich and Markl, VLDB 2014).

use super::{Extent, Order, Raw, Site, from_key, host, in_order, or_on_host, readable, values, with};
use crate::array::Elem as _;
use crate::array::{to_gpu, zeros};
use crate::error::Result;
use crate::scale::{Limits, Scale};

/// A line whose places ascend or descend. Without places, element `i` stands
/// at `i`.
pub(crate) struct Ordered<'a> {
    pub(crate) places: Option<(&'a Raw, Extent)>,
    pub(crate) values: &'a Raw,
    /// The axes; nothing is reduced beyond the one across.
    pub(crate) limits: (&'a Limits, &'a Limits),
    /// How many columns there are.
    pub(crate) columns: usize,
    /// No more elements than this need be reduced.
    pub(crate) exact: usize,
}

/// The part of a line between the ends of an axis, and the elements next to it,
/// which it leaves the axes towards.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Part {
    /// All its elements, with or without a place.
    Exact(Vec<(f64, f64)>),
    Reduced(Vec<Stretch>),
}

/// The elements of one column. Two stretches are joined if no element is
/// between the last one of the first and the first one of the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stretch {
    pub(crate) first: Vertex,
    pub(crate) last: Vertex,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// An element, which has a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Vertex {
    pub(crate) index: i64,
    pub(crate) x: f64,
    pub(crate) y: f64,
}

/// What lies between two edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    pub(super) low: f64,
    pub(super) high: f64,
    /// The first and the last element that has a place.
    pub(super) drawn: Option<(i64, i64)>,
    /// The first and the last that has none.
    pub(super) gaps: Option<(i64, i64)>,
}

impl Default for Span {
    fn default() -> Span {
        Span { low: f64::INFINITY, high: f64::NEG_INFINITY, drawn: None, gaps: None }
    }
}

impl Ordered<'_> {
    /// What is drawn of the line.
    pub(crate) fn part(&self) -> Result<Part> {
        or_on_host(
            || {
                with(self.values, |values, site| {
                    let places = match self.places {
                        Some((places, _)) => Some(in_order(&readable(places))?),
                        None => None,
                    };
                    self.part_of(&OnDevice { places, values, site })
                })
            },
            || self.part_on_host(),
        )
    }

    /// The same by the host alone.
    pub(super) fn part_on_host(&self) -> Result<Part> {
        let places = self.places.map(|(places, _)| values(places)).transpose()?;
        self.part_of(&OnHost { places, values: values(self.values)? })
    }

    fn part_of(&self, elements: &impl Elements) -> Result<Part> {
        let (across, up) = self.limits;
        let count = self.values.shape().size() as i64;
        let (low, high) = (across.low(), across.high());
        let falls = self.places.is_some_and(|(_, extent)| extent.order == Order::Descending);
        let (from, to) = if falls { (high, low) } else { (low, high) };
        let across = Limits { from, to, scale: across.scale };
        let mut edges = match self.places {
            Some(_) => elements.edges(&across, self.columns)?,
            None => counted_edges(&across, self.columns, count),
        };
        // A column of one element at each end, beyond the axes.
        let begin = (edges[0] - 1).max(0);
        let end = (edges[self.columns] + 1).min(count);
        if end - begin <= self.exact as i64 {
            return Ok(Part::Exact(elements.points(&(begin..end).collect::<Vec<_>>())?));
        }
        edges.insert(0, begin);
        edges.push(end);
        let has_gaps = self.places.is_some_and(|(_, extent)| extent.without_place > 0);
        let mut spans = elements.spans(&edges, has_gaps, up.scale)?;
        if let Some(edges) = at_gaps(&edges, &spans) {
            spans = elements.spans(&edges, has_gaps, up.scale)?;
        }
        let ends = spans.iter().filter_map(|span| span.drawn).flat_map(|(first, last)| [first, last]);
        let ends: Vec<i64> = ends.collect();
        let points = elements.points(&ends)?;
        let mut vertices = ends.iter().zip(points).map(|(index, (x, y))| Vertex { index: *index, x, y });
        let with_place = spans.iter().filter(|span| span.drawn.is_some());
        let stretch = |span: &Span| {
            let (first, last) = (vertices.next()?, vertices.next()?);
            Some(Stretch { first, last, low: span.low, high: span.high })
        };
        Ok(Part::Reduced(with_place.filter_map(stretch).collect()))
    }
}

/// The edges, and more of them at the first and the last gap within a column,
/// if there is one: a line must not be drawn across it.
fn at_gaps(edges: &[i64], spans: &[Span]) -> Option<Vec<i64>> {
    let mut finer = vec![edges[0]];
    for (span, edge) in spans.iter().zip(&edges[1..]) {
        if let (Some((first, last)), Some((first_gap, last_gap))) = (span.drawn, span.gaps)
            && first_gap < last
            && last_gap > first
        {
            finer.extend([first_gap, last_gap + 1]);
        }
        finer.push(*edge);
    }
    (finer.len() > edges.len()).then_some(finer)
}

/// The first element of each column, where element `i` stands at `i`; and the
/// end of the last one.
fn counted_edges(limits: &Limits, columns: usize, count: i64) -> Vec<i64> {
    let within = |edge: f64| edge.clamp(0.0, count as f64) as i64;
    let mut edges: Vec<i64> =
        (0..columns).map(|edge| within(limits.at(edge as f64 / columns as f64).ceil())).collect();
    edges.push(within(limits.to.floor() + 1.0));
    edges
}

/// A line's elements, where they are.
trait Elements {
    /// The first element beyond each edge between columns.
    fn edges(&self, limits: &Limits, columns: usize) -> Result<Vec<i64>>;

    /// What lies between edges. Unless places have gaps, each is finite.
    fn spans(&self, edges: &[i64], places_have_gaps: bool, scale: Scale) -> Result<Vec<Span>>;

    /// Some elements.
    fn points(&self, indices: &[i64]) -> Result<Vec<(f64, f64)>>;
}

struct OnHost {
    places: Option<Vec<f64>>,
    values: Vec<f64>,
}

impl Elements for OnHost {
    fn edges(&self, limits: &Limits, columns: usize) -> Result<Vec<i64>> {
        Ok(host::edges(self.places.as_deref().unwrap_or_default(), limits, columns))
    }

    fn spans(&self, edges: &[i64], places_have_gaps: bool, scale: Scale) -> Result<Vec<Span>> {
        let places = self.places.as_deref().filter(|_| places_have_gaps);
        Ok(host::spans(places, &self.values, edges, scale))
    }

    fn points(&self, indices: &[i64]) -> Result<Vec<(f64, f64)>> {
        let point = |index: &i64| {
            let place = self.places.as_ref().map_or(*index as f64, |places| places[*index as usize]);
            (place, self.values[*index as usize])
        };
        Ok(indices.iter().map(point).collect())
    }
}

struct OnDevice<'a> {
    places: Option<Raw>,
    values: &'a Raw,
    site: &'a Site,
}

impl Elements for OnDevice<'_> {
    fn edges(&self, limits: &Limits, columns: usize) -> Result<Vec<i64>> {
        let places = self.places.as_ref().unwrap_or(self.values);
        let edges = zeros::<i64>(columns + 1);
        let kernel = self.site.kernel("edges", places.dtype(), None)?;
        let (from, to) = (limits.map(limits.from), limits.map(limits.to));
        let bend = limits.scale.bend();
        let falls = i32::from(from > to);
        let (grid, block) = self.site.each(columns + 1);
        let count = places.shape().size();
        kernel.launch(grid, block, (places, count, from, to, bend, falls, columns as i32, &edges))?;
        i64::download(&edges.raw)
    }

    fn spans(&self, edges: &[i64], places_have_gaps: bool, scale: Scale) -> Result<Vec<Span>> {
        let columns = edges.len() - 1;
        let places = self.places.as_ref().filter(|_| places_have_gaps);
        // Rows by turns of the least and the greatest.
        let row = |row: usize| std::iter::repeat_n(if row.is_multiple_of(2) { u64::MAX } else { 0 }, columns);
        let answer = to_gpu((0..6).flat_map(row).collect::<Vec<u64>>());
        let kernel = self.site.kernel("columns", self.values.dtype(), places.map(Raw::dtype))?;
        // So many blocks of threads keep a device busy, also where most elements
        // lie in few columns.
        let (blocks, threads) = if self.site.is_host { (1 << 6, 1) } else { (1 << 11, 256) };
        let total = edges[columns] - edges[0];
        let longest = edges.windows(2).map(|edges| edges[1] - edges[0]).max().unwrap_or(0);
        let shares = longest.unsigned_abs().div_ceil((total.unsigned_abs() / blocks).max(1 << 12)).max(1);
        let arguments = (
            places.unwrap_or(self.values),
            self.values,
            i32::from(places.is_some()),
            &to_gpu(edges),
            i32::from(scale == Scale::Log),
            columns as i32,
            &answer,
        );
        kernel.launch((columns, shares as usize), threads, arguments)?;
        let answer = u64::download(&answer.raw)?;
        let pair = |which: usize, column: usize| {
            let (low, high) =
                (answer[2 * which * columns + column], answer[(2 * which + 1) * columns + column]);
            (low <= high).then_some((low, high))
        };
        let span = |column: usize| {
            let (low, high) = pair(0, column)
                .map_or((f64::INFINITY, f64::NEG_INFINITY), |(low, high)| (from_key(low), from_key(high)));
            let indices = |which: usize| pair(which, column).map(|(first, last)| (first as i64, last as i64));
            Span { low, high, drawn: indices(1), gaps: indices(2) }
        };
        Ok((0..columns).map(span).collect())
    }

    fn points(&self, indices: &[i64]) -> Result<Vec<(f64, f64)>> {
        let y = self.site.picked(self.values, indices)?;
        let x = match &self.places {
            Some(places) => self.site.picked(places, indices)?,
            None => indices.iter().map(|index| *index as f64).collect(),
        };
        Ok(x.into_iter().zip(y).collect())
    }
}
