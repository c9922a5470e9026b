//! Histograms: values counted in bins, on each other or side by side.

use super::load::Loaded;
use super::{Block, Drawing, Kind, Series};
use crate::array::Raw;
use crate::bins::BinsOf;
use crate::error::{Problem, Result};
use crate::reduce::sorted::Sorted;
use crate::reduce::{self, bins};
use crate::scale::Scale;

/// The part of a bin that bars side by side fill: Matplotlib's.
const FILLED: f64 = 0.8;

/// How high histograms are stacked: the edges of their bins, and what stands in each.
#[derive(Default)]
pub(super) struct Stack {
    edges: Vec<f64>,
    tops: Vec<f64>,
}

/// The bars of a histogram.
pub(super) fn blocks(
    loaded: &mut Loaded,
    drawing: &Drawing,
    series: &Series,
    stack: &mut Stack,
) -> Result<Vec<Block>> {
    let Kind::Histogram { raw, bins, all, among, is_outline, is_cumulative, .. } = &series.kind else {
        return Ok(Vec::new());
    };
    let extent = reduce::extent(raw, Scale::Linear)?;
    if extent.without_place > 0 {
        loaded.notes.push(format!("{} values are not finite and not counted", extent.without_place));
    }
    // What stands alone is not read twice.
    let ends = if among.1 == 1 { extent.ends } else { reduce::extent(all, Scale::Linear)?.ends };
    let Some(edges) = edges(loaded, drawing, series, (all, bins, ends))? else { return Ok(Vec::new()) };
    let counts = reduce::histogram(raw, &edges)?;
    let total = counts.iter().sum::<u64>().max(1) as f64;
    let mut sum = 0;
    let height = |(k, count): (usize, &u64)| {
        sum += count;
        match (is_cumulative, series.is_density) {
            (false, false) => *count as f64,
            (true, false) => sum as f64,
            // The last one is 1.
            (true, true) => sum as f64 / total,
            // What all bins have together is one.
            (false, true) => *count as f64 / (total * (edges[k + 1] - edges[k])),
        }
    };
    let heights: Vec<f64> = counts.iter().enumerate().map(height).collect();
    let bases = match drawing.is_stacked {
        true => stack.add(&edges, &heights)?,
        false => vec![0.0; heights.len()],
    };
    let (number, count) = match drawing.is_stacked || *is_outline {
        true => (0, 1),
        false => *among,
    };
    let side = |k: usize, of: usize| match count {
        1 => edges[k + of],
        _ => {
            let part = (1.0 - FILLED) / 2.0 + FILLED * (number + of) as f64 / count as f64;
            edges[k] + (edges[k + 1] - edges[k]) * part
        }
    };
    // Bins that no pixel can tell apart are drawn as the highest of them.
    let each = heights.len().div_ceil(4 * drawing.extent().0 as usize);
    let all: Vec<usize> = (0..heights.len()).collect();
    let block = |(place, chunk): (usize, &[usize])| {
        let (first, last) = (chunk[0], chunk[chunk.len() - 1]);
        let from = chunk.iter().map(|k| bases[*k]).fold(f64::INFINITY, f64::min);
        let to = chunk.iter().map(|k| bases[*k] + heights[*k]).fold(0.0, f64::max);
        Block { left: side(first, 0), right: side(last, 1), from, to, length: to - from, number: place }
    };
    Ok(all.chunks(each).enumerate().map(block).collect())
}

/// The edges of the bins of values that lie between two ends; none if there is nothing to count.
fn edges(
    loaded: &mut Loaded,
    drawing: &Drawing,
    series: &Series,
    (all, bins, ends): (&Raw, &BinsOf, Option<(f64, f64)>),
) -> Result<Option<Vec<f64>>> {
    if let BinsOf::Edges(edges) = bins {
        return Ok(Some(edges.clone()));
    }
    let mut ends = series.range.or(ends);
    // Those on each other have the same bins, between the ends of all.
    if drawing.is_stacked && series.range.is_none() {
        for other in drawing.series.iter().filter(|other| !std::ptr::eq(*other, series)) {
            let Kind::Histogram { all, .. } = &other.kind else { continue };
            let own = match other.range {
                Some(range) => Some(range),
                None => reduce::extent(all, Scale::Linear)?.ends,
            };
            if let Some((low, high)) = own {
                ends = Some(ends.map_or((low, high), |(from, to)| (from.min(low), to.max(high))));
            }
        }
    }
    let Some(ends) = ends else { return Ok(None) };
    // As NumPy: bins of one value lie half a unit around it.
    let (from, to) = if ends.0 < ends.1 { ends } else { (ends.0 - 0.5, ends.0 + 0.5) };
    if !(from < to && (to - from).is_finite()) {
        loaded.notes.push(format!("values from {from:e} to {to:e} cannot be counted in bins"));
        return Ok(None);
    }
    let count = match bins {
        BinsOf::Count(count) => *count as usize,
        BinsOf::Edges(edges) => edges.len() - 1,
        BinsOf::Rule(rule) => {
            let sorted = Sorted::of(all)?;
            let quartiles = match sorted.len() {
                0 => 0.0,
                _ => sorted.quantile(0.75)? - sorted.quantile(0.25)?,
            };
            let is_whole = all.dtype().is_integer();
            rule.count(sorted.len(), ends.1 - ends.0, quartiles, is_whole)
        }
    };
    Ok(Some(bins::edges(all.dtype(), (from, to), series.range.is_some(), count)))
}

impl Stack {
    /// Where bars on those that are there begin.
    ///
    /// # Errors
    ///
    /// If they have other bins.
    fn add(&mut self, edges: &[f64], heights: &[f64]) -> Result<Vec<f64>> {
        if self.edges.is_empty() {
            self.edges = edges.to_vec();
            self.tops = vec![0.0; heights.len()];
        }
        if self.edges != edges {
            let message = format!(
                "histograms of {} and of {} bins with other edges cannot stand on each other; give all the same number of \
                 bins, or the same edges",
                self.tops.len(),
                heights.len()
            );
            return Err(Problem::Invalid { operation: "stacked", message }.into());
        }
        let bases = self.tops.clone();
        self.tops.iter_mut().zip(heights).for_each(|(top, height)| *top += height);
        Ok(bases)
    }
}
