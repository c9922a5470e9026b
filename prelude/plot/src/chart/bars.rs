//! Bars, and the places of names.

use super::load::{Data, Loaded};
use super::{Block, Drawing};
use crate::array::{Raw, ToGpu as _};
use crate::error::Result;
use crate::reduce;
use crate::scale::{Limits, Scale};

impl Loaded {
    /// Where names stand: at 0, 1, 2 and so on in the order in which series
    /// first have them, whichever series that is. So the same name is the same
    /// place, as in Matplotlib (`lib/matplotlib/category.py`, `UnitData`).
    fn places(&mut self, names: &[String]) -> Vec<f64> {
        let place = |name: &String| {
            let next = self.names.len();
            let place = *self.places.entry(name.clone()).or_insert(next);
            if place == next {
                self.names.push(name.clone());
            }
            place as f64
        };
        names.iter().map(place).collect()
    }

    /// The places of names as an array, if there are names and they do not
    /// merely count from 0.
    pub(super) fn named(&mut self, names: &[String]) -> Result<Option<Raw>> {
        let places = self.places(names);
        let is_counted = places.iter().enumerate().all(|(number, place)| number as f64 == *place);
        if is_counted { Ok(None) } else { Ok(Some(places.upload()?)) }
    }

    pub(super) fn bars(
        &mut self,
        drawing: &Drawing,
        x: Option<&Raw>,
        heights: &Raw,
        names: &[String],
        (group, groups): (usize, usize),
    ) -> Result<Data> {
        let heights = reduce::values(heights)?;
        let places = match (x, names) {
            (Some(x), _) => reduce::values(x)?,
            (None, []) => (0..heights.len()).map(|i| i as f64).collect(),
            (None, names) => self.places(names),
        };
        let whole = 0.8 * if names.is_empty() { least_gap(&places) } else { 1.0 };
        let width = whole / groups as f64;
        let blocks = places.iter().zip(&heights).filter(|(x, height)| x.is_finite() && height.is_finite());
        let block = |(x, height): (&f64, &f64)| {
            let left = x - whole / 2.0 + group as f64 * width;
            Block { left, right: left + width, from: 0.0, to: *height }
        };
        let blocks: Vec<Block> = blocks.map(block).collect();
        self.note_bars_without_place(&blocks, drawing);
        Ok(Data::Boxes(blocks))
    }

    fn note_bars_without_place(&mut self, blocks: &[Block], drawing: &Drawing) {
        let lost = |what: &str, is_lost: &dyn Fn(&Block) -> bool| {
            let (count, all) = (blocks.iter().filter(|block| is_lost(block)).count(), blocks.len());
            (count > 0).then(|| {
                let (verb, them) = if count == 1 { ("is", "it") } else { ("are", "them") };
                format!("{count} of {all} bars {verb} {what}: a logarithmic axis cannot show {them}")
            })
        };
        if drawing.y.scale == Scale::Log {
            self.notes.extend(lost("not above 0", &|block| block.to <= 0.0));
        }
        if drawing.x.scale == Scale::Log {
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
/// clips them there, too (`nonpositive="clip"` of its bars).
pub(super) fn on_axes(mut blocks: Vec<Block>, x: &Limits, y: &Limits) -> Vec<Block> {
    if y.scale == Scale::Log {
        for block in &mut blocks {
            (block.from, block.to) = (y.low(), block.to.max(y.low()));
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
