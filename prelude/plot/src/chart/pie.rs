//! Sectors of a disc.

use std::f64::consts::TAU;

use super::load::Data;
use super::sketch::{Form, Sketch, Tone};
use super::{Kind, Series};
use crate::draw::{Align, Point};
use crate::error::{Problem, Result};
use crate::reduce;

/// How far from the middle names and shares stand: Matplotlib's `labeldistance`
/// and `pctdistance`.
const NAMES: f64 = 1.1;
const SHARES: f64 = 0.6;

/// What the axes show each way, in radiuses, as Matplotlib's do.
const ENDS: (f64, f64) = (-1.25, 1.25);

/// Steps of an arc all around: no corner is seen.
const STEPS: f64 = 180.0;

pub(super) fn data(series: &Series) -> Result<Data> {
    let Kind::Pie { sizes, names, explode, start, digits, ring } = &series.kind else {
        return Ok(Data::Sketch(Sketch::default()));
    };
    let sizes = reduce::values(sizes)?;
    let invalid = |message: String| Problem::Invalid { operation: "pie", message };
    if let Some(size) = sizes.iter().find(|size| !(**size >= 0.0 && size.is_finite())) {
        let message = format!("{size} is not the size of a part; give finite numbers of at least 0");
        return Err(invalid(message).into());
    }
    let total: f64 = sizes.iter().sum();
    let has_shares = sizes.is_empty() || (total > 0.0 && total.is_finite());
    if !has_shares {
        let message = format!("sizes that add up to {total} have no shares; give some above 0");
        return Err(invalid(message).into());
    }
    let distances = match explode {
        Some(distances) => reduce::values(distances)?,
        None => vec![0.0],
    };
    let mut sketch = Sketch { x: Some(ENDS), y: Some(ENDS), is_tight: (true, true), ..Sketch::default() };
    let mut from = start / 360.0;
    for (k, size) in sizes.iter().enumerate() {
        let share = size / total;
        let middle = from + share / 2.0;
        let outwards = distances.get(k).or(distances.first()).copied().unwrap_or(0.0);
        let center = at((0.0, 0.0), middle, outwards);
        let steps = (share * STEPS).ceil().max(1.0) as usize;
        let arc = |distance: f64| {
            (0..=steps).map(move |step| at(center, from + share * step as f64 / steps as f64, distance))
        };
        if share > 0.0 {
            let area: Vec<Point> = match ring {
                Some(width) if *width < 1.0 => arc(1.0).chain(arc(1.0 - width).rev()).collect(),
                _ => std::iter::once(center).chain(arc(1.0)).collect(),
            };
            let tone = match series.each.as_slice() {
                [] => Tone::Cycle(k),
                each => Tone::Painted(each[k % each.len()]),
            };
            sketch.add(Form::Area(area.clone()), tone);
            if let Some(paint) = series.edge {
                let edge = area.iter().copied().chain(area.first().copied()).collect();
                sketch.add(Form::Line(edge, series.width), Tone::Painted(paint));
            }
        }
        let name = names.get(k).map_or("", |name| name);
        if !name.is_empty() {
            let align = if at((0.0, 0.0), middle, 1.0).0 > 0.0 { Align::Left } else { Align::Right };
            sketch.add(Form::Text { at: at(center, middle, NAMES), text: name.to_owned(), align }, Tone::Ink);
        }
        let percent = format!("{:.*}%", digits.unwrap_or(1), share * 100.0);
        sketch.shares.push(format!("{name} {percent}").trim_start().to_owned());
        if digits.is_some() {
            let place = at(center, middle, ring.map_or(SHARES, |width| 1.0 - width.min(1.0) / 2.0));
            sketch.add(Form::Text { at: place, text: percent, align: Align::Center }, Tone::Black);
        }
        from += share;
    }
    Ok(Data::Sketch(sketch))
}

/// A place from a middle on, by a part of the way around and a distance.
fn at(center: Point, part: f64, distance: f64) -> Point {
    let (sin, cos) = (part * TAU).sin_cos();
    (center.0 + distance * cos, center.1 + distance * sin)
}
