//! What is filled between two lines.

use super::load::{Loaded, has_place};
use super::{Content, Drawing};
use crate::array::Raw;
use crate::draw::{Point, Rect};
use crate::error::{Problem, Result};
use crate::reduce::line::{Ordered, Part, Stretch};
use crate::reduce::{self, Extent, Order};
use crate::scale::{Limits, Scale};

/// A band as far as the axes need it.
pub(super) enum Band {
    Exact {
        x: Vec<f64>,
        low: Vec<f64>,
        high: Vec<f64>,
    },
    /// More points than pixels could show; an edge without an array is a number.
    Large {
        x: (Raw, Extent),
        low: Edge,
        high: Edge,
    },
}

pub(super) enum Edge {
    Line(Raw, Extent),
    Level(f64),
}

impl Edge {
    pub(super) fn ends(&self, scale: Scale) -> Option<(f64, f64)> {
        match self {
            Edge::Line(_, extent) => extent.ends,
            Edge::Level(at) => reduce::host::extent(&[*at], scale).ends,
        }
    }
}

impl Loaded {
    pub(super) fn band(&self, drawing: &Drawing, x: &Raw, low: &Raw, high: &Raw) -> Result<Band> {
        let count = x.shape().size();
        if count <= 4 * drawing.extent().0 as usize {
            let all = |raw: &Raw| -> Result<Vec<f64>> {
                let values = reduce::values(raw)?;
                Ok(if raw.shape().rank() == 0 { vec![values[0]; count] } else { values })
            };
            return Ok(Band::Exact { x: all(x)?, low: all(low)?, high: all(high)? });
        }
        let edge = |raw: &Raw| -> Result<Edge> {
            Ok(match raw.shape().rank() {
                0 => Edge::Level(reduce::values(raw)?[0]),
                _ => Edge::Line(raw.clone(), reduce::extent(raw, drawing.y.scale)?),
            })
        };
        let extent = reduce::extent(x, drawing.x.scale)?;
        if extent.order == Order::Mixed {
            let message = format!(
                "x neither ascends nor descends, and {count} points are too many to fill between; sort them, \
                 `let order = x.argsort();`, or take fewer"
            );
            return Err(Problem::Invalid { operation: "fill_between", message }.into());
        }
        Ok(Band::Large { x: (x.clone(), extent), low: edge(low)?, high: edge(high)? })
    }
}

/// The pieces of a band that have a place.
pub(super) fn content(band: Band, rect: &Rect, x_axis: &Limits, y_axis: &Limits) -> Result<Content> {
    let triples: Vec<(f64, f64, f64)> = match band {
        Band::Exact { x, low, high } => {
            x.into_iter().zip(low.into_iter().zip(high)).map(|(x, (low, high))| (x, low, high)).collect()
        }
        Band::Large { x: (_, extent), low: Edge::Level(low), high: Edge::Level(high) } => {
            extent.ends.into_iter().flat_map(|(from, to)| [(from, low, high), (to, low, high)]).collect()
        }
        Band::Large { x: (x, extent), low, high } => {
            let stretches = |edge: &Edge| -> Result<Vec<Stretch>> {
                let Edge::Line(values, _) = edge else { return Ok(Vec::new()) };
                let columns = (2.0 * rect.width()).round().max(1.0) as usize;
                let line = Ordered {
                    places: Some((&x, extent)),
                    values,
                    limits: (x_axis, y_axis),
                    columns,
                    exact: 0,
                };
                Ok(match line.part()? {
                    Part::Reduced(stretches) => stretches,
                    Part::Exact(_) => Vec::new(),
                })
            };
            reduced(&stretches(&low)?, &low, &stretches(&high)?, &high)
        }
    };
    let mut pieces: Vec<Vec<(f64, f64, f64)>> = Vec::new();
    let mut is_open = false;
    for (x, low, high) in triples {
        let has_place = has_place(&(x, low), x_axis, y_axis) && has_place(&(x, high), x_axis, y_axis);
        match pieces.last_mut() {
            Some(piece) if has_place && is_open => piece.push((x, low, high)),
            _ if has_place => pieces.push(vec![(x, low, high)]),
            _ => {}
        }
        is_open = has_place;
    }
    let outline = |piece: Vec<(f64, f64, f64)>| -> Vec<Point> {
        let there = piece.iter().map(|(x, low, _)| (*x, *low));
        there.chain(piece.iter().rev().map(|(x, _, high)| (*x, *high))).collect()
    };
    Ok(Content::Between(pieces.into_iter().map(outline).collect()))
}

/// In each column of pixels the least of the lower line and the greatest of
/// the upper one, or the other way round where they have crossed. Between
/// columns that do not touch is a place that is no number.
fn reduced(low: &[Stretch], low_edge: &Edge, high: &[Stretch], high_edge: &Edge) -> Vec<(f64, f64, f64)> {
    let mut triples = Vec::new();
    let mut last = None;
    let mut add = |first: &Stretch, second: &Stretch, a: (f64, f64), b: (f64, f64)| {
        // The same column of both, of which either may lack points.
        let from = first.first.index.max(second.first.index);
        if last.is_some_and(|last| from > last + 1) {
            triples.push((f64::NAN, f64::NAN, f64::NAN));
        }
        last = Some(first.last.index.min(second.last.index));
        let x = first.first.x / 2.0 + first.last.x / 2.0;
        triples.push(if a.0 + a.1 <= b.0 + b.1 { (x, a.0, b.1) } else { (x, a.1, b.0) });
    };
    let ends = |stretch: &Stretch| (stretch.low, stretch.high);
    match (low_edge, high_edge) {
        (Edge::Level(_), Edge::Level(_)) => {}
        (Edge::Line(..), Edge::Level(at)) => low.iter().for_each(|one| add(one, one, ends(one), (*at, *at))),
        (Edge::Level(at), Edge::Line(..)) => high.iter().for_each(|one| add(one, one, (*at, *at), ends(one))),
        (Edge::Line(..), Edge::Line(..)) => {
            let (mut i, mut j) = (0, 0);
            while let (Some(a), Some(b)) = (low.get(i), high.get(j)) {
                if a.last.index < b.first.index {
                    i += 1;
                } else if b.last.index < a.first.index {
                    j += 1;
                } else {
                    add(a, b, ends(a), ends(b));
                    (i, j) = (i + 1, j + 1);
                }
            }
        }
    }
    triples
}
