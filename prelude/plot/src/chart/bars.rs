//! Bars, and the places of names.

use std::collections::HashMap;

use super::load::Loaded;
use super::{Block, Drawing, Kind, Series};
use crate::array::{Raw, ToGpu as _};
use crate::draw::Point;
use crate::error::Result;
use crate::reduce;
use crate::scale::{Limits, Scale};

/// Which of several series of bars comes next, and how high bars are stacked.
pub(super) struct Groups {
    /// How many stand side by side.
    count: usize,
    next: usize,
    /// Above and below zero, at each place.
    stacks: HashMap<u64, (f64, f64)>,
}

impl Groups {
    pub(super) fn of(drawing: &Drawing) -> Groups {
        let count = drawing.series.iter().filter(|series| shares_places(series)).count().max(1);
        let count = if drawing.is_stacked { 1 } else { count };
        Groups { count, next: 0, stacks: HashMap::new() }
    }

    /// The place of a series among those side by side, and how many these are.
    fn place(&mut self, series: &Series) -> (usize, usize) {
        if has_own_places(series) {
            return (0, 1);
        }
        if shares_places(series) {
            self.next += 1;
        }
        (self.next.clamp(1, self.count) - 1, self.count)
    }

    /// Where a bar that is stacked at a place begins.
    fn stack(&mut self, place: f64, height: f64) -> f64 {
        let (above, below) = self.stacks.entry((place + 0.0).to_bits()).or_default();
        let end = if height < 0.0 { below } else { above };
        let start = *end;
        *end += height;
        start
    }
}

/// Whether bars stand side by side with those of other series: what begins elsewhere stands on others, and what has
/// places of its own stands where these are, as Matplotlib's do.
fn shares_places(series: &Series) -> bool {
    matches!(series.kind, Kind::Bars { .. }) && series.bottom.is_none() && !has_own_places(series)
}

fn has_own_places(series: &Series) -> bool {
    matches!(series.kind, Kind::Bars { x: Some(_), .. })
}

impl Loaded {
    /// Where names stand: at 0, 1, 2 and so on in the order in which series
    /// first have them, whichever series that is. So the same name is the same
    /// place, as in Matplotlib (`lib/matplotlib/category.py`, `UnitData`).
    pub(super) fn places(&mut self, names: &[String], is_y: bool) -> Vec<f64> {
        let known = if is_y { &mut self.names.y } else { &mut self.names.x };
        let places = &mut self.places[usize::from(is_y)];
        let place = |name: &String| {
            let next = known.len();
            let place = *places.entry(name.clone()).or_insert(next);
            if place == next {
                known.push(name.clone());
            }
            place as f64
        };
        names.iter().map(place).collect()
    }

    /// The places of names as an array, if there are names and they do not
    /// merely count from 0.
    pub(super) fn named(&mut self, names: &[String]) -> Result<Option<Raw>> {
        let places = self.places(names, false);
        let is_counted = places.iter().enumerate().all(|(number, place)| number as f64 == *place);
        if is_counted { Ok(None) } else { Ok(Some(places.upload()?)) }
    }

    /// The bars of a series, and the middle of the end of each, also of those
    /// that have none.
    pub(super) fn bars(
        &mut self,
        drawing: &Drawing,
        series: &Series,
        groups: &mut Groups,
    ) -> Result<(Vec<Block>, Vec<Point>)> {
        let Kind::Bars { x, heights, names, is_lying } = &series.kind else {
            return Ok((Vec::new(), Vec::new()));
        };
        let heights = reduce::values(heights)?;
        let places = match (x, &**names) {
            (Some(x), _) => reduce::values(x)?,
            (None, []) => (0..heights.len()).map(|i| i as f64).collect(),
            (None, names) => self.places(names, *is_lying),
        };
        let bottoms = match &series.bottom {
            Some(raw) => reduce::values(raw)?,
            None => vec![0.0],
        };
        let usual = || 0.8 * if names.is_empty() { least_gap(&places) } else { 1.0 };
        let (group, count) = groups.place(series);
        let whole = series.thickness.map_or_else(usual, |each| each * count as f64);
        let width = whole / count as f64;
        let block = |(k, (x, height)): (usize, (&f64, &f64))| {
            let left = x - whole / 2.0 + group as f64 * width;
            let from = match &series.bottom {
                None if drawing.is_stacked && height.is_finite() => groups.stack(*x, *height),
                _ => bottoms.get(k).or(bottoms.first()).copied().unwrap_or(0.0),
            };
            Block { left, right: left + width, from, to: from + height, length: *height, number: k }
        };
        let blocks: Vec<Block> = places.iter().zip(&heights).enumerate().map(block).collect();
        let tip = |block: &Block| {
            let (middle, end) = ((block.left + block.right) / 2.0, block.to);
            if *is_lying { (end, middle) } else { (middle, end) }
        };
        let tips = blocks.iter().map(tip).collect();
        let is_finite = |block: &Block| [block.left, block.from, block.to].iter().all(|at| at.is_finite());
        let blocks: Vec<Block> = blocks.into_iter().filter(is_finite).collect();
        self.note_bars_without_place(&blocks, drawing, *is_lying);
        Ok((blocks, tips))
    }

    fn note_bars_without_place(&mut self, blocks: &[Block], drawing: &Drawing, is_lying: bool) {
        let (along, up) = if is_lying { (&drawing.y, &drawing.x) } else { (&drawing.x, &drawing.y) };
        let lost = |what: &str, is_lost: &dyn Fn(&Block) -> bool| {
            let (count, all) = (blocks.iter().filter(|block| is_lost(block)).count(), blocks.len());
            (count > 0).then(|| {
                let (verb, them) = if count == 1 { ("is", "it") } else { ("are", "them") };
                format!("{count} of {all} bars {verb} {what}: a logarithmic axis cannot show {them}")
            })
        };
        if up.scale == Scale::Log {
            self.notes.extend(lost("not above 0", &|block| block.to <= 0.0));
        }
        if along.scale == Scale::Log {
            self.notes.extend(lost("at 0 or left of it", &|block| block.right <= 0.0));
        }
    }
}

/// The least distance of places that differ, which bars divide among them.
fn least_gap(places: &[f64]) -> f64 {
    let mut sorted: Vec<f64> = places.iter().copied().filter(|place| place.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let gaps = sorted.windows(2).map(|pair| pair[1] - pair[0]).filter(|gap| *gap > 0.0);
    let gap = gaps.fold(f64::INFINITY, f64::min);
    if gap.is_finite() { gap } else { 1.0 }
}

/// Blocks cut where a logarithmic axis ends, which has no zero: Matplotlib
/// clips them there, too (`nonpositive="clip"` of its bars). The first axis is
/// the one that bars stand on.
pub(super) fn on_axes(mut blocks: Vec<Block>, x: &Limits, y: &Limits) -> Vec<Block> {
    if y.scale == Scale::Log {
        for block in &mut blocks {
            let from = if block.from > 0.0 { block.from } else { y.low() };
            (block.from, block.to) = (from, block.to.max(y.low()));
        }
    }
    if x.scale == Scale::Log {
        blocks.retain(|block| block.right > 0.0);
        for block in blocks.iter_mut().filter(|block| block.left <= 0.0) {
            block.left = x.low().min(block.right);
        }
    }
    blocks
}
