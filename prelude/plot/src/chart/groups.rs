//! Groups of values side by side: Tukey's boxes and violins.

use super::load::{Data, Loaded};
use super::sketch::{Form, Sketch, Tone};
use super::{Drawing, GroupLooks, Kind, Series};
use crate::array::Raw;
use crate::draw::Point;
use crate::error::Result;
use crate::reduce::sorted::{Sorted, Weighted};

/// The most outliers of a box on each side that are drawn.
const MOST_OUTLIERS: usize = 500;

/// Bins of many values for a violin, and places that its width is known at.
const BINS: usize = 4096;
const PLACES: usize = 100;

/// How far notches reach, in distances of the quartiles of one value.
const NOTCH: f64 = 1.57;

/// The diameter of rings, in points.
const RING: f64 = 6.0;

impl Loaded {
    /// Where groups stand: at their names, or at their numbers from 1 on.
    fn group_places(&mut self, names: &[String], count: usize, is_lying: bool) -> Vec<f64> {
        if !names.is_empty() {
            return self.places(names, is_lying);
        }
        // Names stand at 0, 1 and so on: nothing is at 0.
        let first = self.groups + 1;
        self.groups += count;
        let numbers = (0..first + count).map(|k| if k == 0 { String::new() } else { k.to_string() });
        let places = self.places(&numbers.collect::<Vec<_>>(), is_lying);
        places[first..].to_vec()
    }

    pub(super) fn groups(&mut self, drawing: &Drawing, series: &Series) -> Result<Data> {
        let Kind::Groups { parts, names, is_violin, is_lying, looks } = &series.kind else {
            return Ok(Data::Sketch(Sketch::default()));
        };
        let places = self.group_places(names, parts.len(), *is_lying);
        let all = drawing.series.iter().map(|series| match &series.kind {
            Kind::Groups { parts, .. } => parts.len(),
            _ => 0,
        });
        // Matplotlib's, for places at a distance of 1.
        let usual =
            if *is_violin { 0.5 } else { (0.15 * (all.sum::<usize>() as f64 - 1.0)).clamp(0.15, 0.5) };
        let width = looks.width.unwrap_or(usual);
        let mut sketch = Sketch::default();
        for (part, at) in parts.iter().zip(&places) {
            let size = Size { at: *at, width, line: series.width, looks };
            match is_violin {
                true => self.violin(&mut sketch, part, &size)?,
                false => self.tukey(&mut sketch, part, &size)?,
            }
        }
        let mut sketch = sketch.measured();
        let low = places.iter().copied().fold(f64::INFINITY, f64::min);
        let high = places.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if low <= high {
            let beside = if *is_violin { width / 2.0 } else { (width / 2.0).max(0.5) };
            sketch.x = Some((low - beside, high + beside));
        }
        sketch.is_tight = (!is_violin, false);
        Ok(Data::Sketch(if *is_lying { sketch.transposed() } else { sketch }))
    }

    fn note_lost(&mut self, count: usize) {
        match count {
            0 => {}
            1 => self.notes.push("1 value is not finite and left out".to_owned()),
            _ => self.notes.push(format!("{count} values are not finite and left out")),
        }
    }

    /// A box from the first quartile to the third with a line at the median,
    /// whiskers to the last values within reach, and rings beyond.
    fn tukey(&mut self, sketch: &mut Sketch, raw: &Raw, size: &Size<'_>) -> Result<()> {
        let Size { at, width, line: thick, looks } = *size;
        let sorted = Sorted::of(raw)?;
        let count = sorted.len();
        self.note_lost(raw.shape().size() - count);
        if count == 0 {
            return Ok(());
        }
        let [first, median, third] = [sorted.quantile(0.25)?, sorted.quantile(0.5)?, sorted.quantile(0.75)?];
        let reach = looks.reach * (third - first);
        let below = sorted.count(|value| value < first - reach)?;
        let within = sorted.count(|value| value <= third + reach)?;
        let whiskers = sorted.at(&[below.min(count - 1), within.saturating_sub(1)])?;
        // Matplotlib's: at least as far as the box.
        let (low, high) = (whiskers[0].min(first), whiskers[1].max(third));
        let (left, right) = (at - width / 2.0, at + width / 2.0);
        let mut line = |points: &[Point], tone: Tone| sketch.add(Form::Line(points.to_vec(), thick), tone);
        // Halves of the median's line, and of a notch.
        let (mut half, mut notch) = (width / 2.0, Vec::new());
        if looks.has_notches {
            half = width / 4.0;
            let reach = NOTCH * (third - first) / (count as f64).sqrt();
            notch = vec![(width / 2.0, median - reach), (half, median), (width / 2.0, median + reach)];
        }
        let there = notch.iter().map(|(beside, value)| (at + beside, *value));
        let back = notch.iter().rev().map(|(beside, value)| (at - beside, *value));
        let corners = [(left, first), (right, first)].into_iter().chain(there);
        let corners = corners.chain([(right, third), (left, third)]).chain(back).chain([(left, first)]);
        line(&corners.collect::<Vec<Point>>(), Tone::Own);
        for (from, to) in [(first, low), (third, high)] {
            line(&[(at, from), (at, to)], Tone::Own);
            line(&[(at - width / 4.0, to), (at + width / 4.0, to)], Tone::Own);
        }
        if looks.has_medians {
            line(&[(at - half, median), (at + half, median)], Tone::Cycle(1));
        }
        if looks.has_means {
            sketch.add(Form::Mark(vec![(at, sorted.mean()?)], RING), Tone::Cycle(2));
        }
        if !looks.has_outliers {
            return Ok(());
        }
        let outliers = [some(0, below), some(within, count)].concat();
        if outliers.len() < below + count - within {
            self.notes.push(format!(
                "{} of {} values beyond the whiskers are shown",
                outliers.len(),
                below + count - within
            ));
        }
        let outliers = sorted.at(&outliers)?.into_iter().map(|value| (at, value)).collect::<Vec<Point>>();
        if !outliers.is_empty() {
            sketch.add(Form::Rings(outliers, RING), Tone::Own);
        }
        Ok(())
    }

    /// The density of values on both sides of an upright line, with lines at its
    /// ends.
    fn violin(&mut self, sketch: &mut Sketch, raw: &Raw, size: &Size<'_>) -> Result<()> {
        let Size { at, width, line: thick, looks } = *size;
        let weighted = Weighted::of(raw, BINS)?;
        self.note_lost(weighted.lost);
        let Some((low, high)) = weighted.ends else { return Ok(()) };
        let outline = density(&weighted.values, (low, high));
        let most = outline.iter().map(|(_, density)| *density).fold(0.0, f64::max);
        let half = |density: &f64| if most > 0.0 { width / 2.0 * density / most } else { 0.0 };
        let left = outline.iter().map(|(value, density)| (at - half(density), *value));
        let right = outline.iter().rev().map(|(value, density)| (at + half(density), *value));
        sketch.add(Form::Area(left.chain(right).collect()), Tone::Faded(0.3));
        for end in [low, high] {
            sketch.add(Form::Line(vec![(at - width / 4.0, end), (at + width / 4.0, end)], thick), Tone::Own);
        }
        let mut across = |value: f64| {
            let ends = vec![(at - width / 4.0, value), (at + width / 4.0, value)];
            sketch.add(Form::Line(ends, thick), Tone::Own);
        };
        if looks.has_means {
            across(weighted.mean());
        }
        if looks.has_medians {
            across(Sorted::of(raw)?.quantile(0.5)?);
        }
        sketch.add(Form::Line(vec![(at, low), (at, high)], thick), Tone::Own);
        Ok(())
    }
}

/// Where a group stands, how wide it is, and the width of its lines in points.
struct Size<'a> {
    at: f64,
    width: f64,
    line: f64,
    looks: &'a GroupLooks,
}

/// Places from one to another, evenly spread where there are too many, with
/// both ends among them.
fn some(from: usize, to: usize) -> Vec<usize> {
    let count = to - from;
    if count <= MOST_OUTLIERS {
        return (from..to).collect();
    }
    (0..MOST_OUTLIERS).map(|k| from + k * (count - 1) / (MOST_OUTLIERS - 1)).collect()
}

/// An estimate of a density by normal distributions around each value, as wide
/// as Scott's rule has it (Scott, Multivariate Density Estimation, 1992).
fn density(weighted: &[(f64, f64)], (low, high): (f64, f64)) -> Vec<Point> {
    let count: f64 = weighted.iter().map(|(_, weight)| weight).sum();
    let mean = weighted.iter().map(|(value, weight)| value * weight / count).sum::<f64>();
    let squares: f64 = weighted.iter().map(|(value, weight)| (value - mean).powi(2) * weight).sum();
    let spread = (squares / (count - 1.0).max(1.0)).sqrt() * count.powf(-0.2);
    let place = |k: usize| low + (high - low) * k as f64 / (PLACES - 1) as f64;
    let at = |value: f64| -> f64 {
        let normal =
            |(other, weight): &(f64, f64)| weight * (-((value - other) / spread).powi(2) / 2.0).exp();
        weighted.iter().map(normal).sum()
    };
    (0..PLACES).map(|k| (place(k), if spread > 0.0 { at(place(k)) } else { 1.0 })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_density_is_scipys() {
        // scipy.stats.gaussian_kde([1, 2, 2, 3, 7]) at 1, 4 and 7, by its value at 1.
        let values = [1.0, 2.0, 2.0, 3.0, 7.0].map(|value| (value, 1.0));
        let found = density(&values, (1.0, 7.0));
        let spread = 2.345_207_879_911_715 * 5f64.powf(-0.2);
        let at = |x: f64| values.iter().map(|(v, _)| (-((x - v) / spread).powi(2) / 2.0).exp()).sum::<f64>();
        for k in [0, 50, 99] {
            assert!((found[k].1 - at(found[k].0)).abs() < 1e-9, "{k}");
        }
        // One value, however often, is a line.
        assert!(
            density(&[(2.0, 5.0)], (2.0, 2.0))
                .iter()
                .all(|(value, density)| (*value, *density) == (2.0, 1.0))
        );
    }

    #[test]
    fn of_many_outliers_both_ends_are_kept() {
        let found = some(10, 100_010);
        assert_eq!((found.len(), found[0], found[MOST_OUTLIERS - 1]), (MOST_OUTLIERS, 10, 100_009));
        assert_eq!(some(3, 5), [3, 4]);
    }
}
