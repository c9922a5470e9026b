//! Values in ascending order: few are copied, many are sorted where they are.

use super::{Scale, host, or_on_host, readable, values, with};
use crate::array::Raw;
use crate::error::Result;

/// More values than this are sorted on the device.
const MOST_COPIED: usize = 1 << 16;

/// Bins of many values, for their mean.
const MEAN_BINS: usize = 1 << 14;

/// The finite ones of some values, in ascending order.
pub(crate) enum Sorted {
    Here(Vec<f64>),
    /// Those between two places.
    There {
        raw: Raw,
        from: usize,
        to: usize,
    },
}

impl Sorted {
    pub(crate) fn of(raw: &Raw) -> Result<Sorted> {
        let here = || {
            let mut found = values(raw)?;
            found.retain(|value| value.is_finite());
            found.sort_by(f64::total_cmp);
            Ok(Sorted::Here(found))
        };
        if raw.shape().size() <= MOST_COPIED {
            return here();
        }
        or_on_host(
            || {
                let raw = gpurepl_arrays::fields::sorted(&readable(raw))?;
                let all = Sorted::There { from: 0, to: raw.shape().size(), raw: raw.clone() };
                let from = all.count(|value| value < f64::MIN)?;
                let to = all.count(|value| value <= f64::MAX)?;
                Ok(Sorted::There { raw, from, to })
            },
            here,
        )
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Sorted::Here(values) => values.len(),
            Sorted::There { from, to, .. } => to - from,
        }
    }

    /// The mean of all; of many, that of bins so narrow that no pixel can tell.
    pub(crate) fn mean(&self) -> Result<f64> {
        Ok(match self {
            Sorted::Here(values) => values.iter().sum::<f64>() / values.len() as f64,
            Sorted::There { raw, .. } => Weighted::of(raw, MEAN_BINS)?.mean(),
        })
    }

    /// The values at some places.
    pub(crate) fn at(&self, places: &[usize]) -> Result<Vec<f64>> {
        match self {
            Sorted::Here(values) => Ok(places.iter().map(|place| values[*place]).collect()),
            Sorted::There { raw, from, .. } => {
                let indices: Vec<i64> = places.iter().map(|place| (from + place) as i64).collect();
                with(raw, |raw, device| device.picked(raw, &indices))
            }
        }
    }

    /// How many values at the beginning are so, where none is after the first
    /// that is not: a binary search.
    pub(crate) fn count(&self, is_so: impl Fn(f64) -> bool) -> Result<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if is_so(self.at(&[middle])?[0]) { low = middle + 1 } else { high = middle }
        }
        Ok(low)
    }

    /// The value that a share of the others is below, by a straight line between
    /// neighbours, as NumPy's `percentile`.
    pub(crate) fn quantile(&self, share: f64) -> Result<f64> {
        let at = share * (self.len() - 1) as f64;
        let (low, high) = (at.floor() as usize, at.ceil() as usize);
        let ends = self.at(&[low, high])?;
        Ok(ends[0] + (ends[1] - ends[0]) * (at - low as f64))
    }
}

/// The finite ones of some values with how often each is there: those
/// themselves, or the middles of bins.
pub(crate) struct Weighted {
    pub(crate) values: Vec<(f64, f64)>,
    /// The least and the greatest value.
    pub(crate) ends: Option<(f64, f64)>,
    /// How many are not finite.
    pub(crate) lost: usize,
}

impl Weighted {
    /// Their mean, which is NaN of none.
    pub(crate) fn mean(&self) -> f64 {
        let add =
            |(sum, count): (f64, f64), (value, weight): &(f64, f64)| (sum + value * weight, count + weight);
        let (sum, count) = self.values.iter().fold((0.0, 0.0), add);
        sum / count
    }

    /// # Errors
    ///
    /// If the values cannot be read.
    pub(crate) fn of(raw: &Raw, bins: usize) -> Result<Weighted> {
        let count = raw.shape().size();
        if count <= 8 * bins {
            let found = values(raw)?;
            let ends = host::extent(&found, Scale::Linear).ends;
            let values: Vec<(f64, f64)> =
                found.into_iter().filter(|value| value.is_finite()).map(|value| (value, 1.0)).collect();
            return Ok(Weighted { lost: count - values.len(), values, ends });
        }
        let extent = super::extent(raw, Scale::Linear)?;
        let lost = extent.without_place as usize;
        let values = match extent.ends {
            Some((low, high)) if low < high => {
                let edges = super::bins::edges(raw.dtype(), (low, high), false, bins);
                let counts = super::histogram(raw, &edges)?;
                let middle = |(edges, count): (&[f64], u64)| (edges[0] / 2.0 + edges[1] / 2.0, count as f64);
                edges.windows(2).zip(counts).map(middle).filter(|(_, count)| *count > 0.0).collect()
            }
            Some((only, _)) => vec![(only, (count - lost) as f64)],
            None => Vec::new(),
        };
        Ok(Weighted { values, ends: extent.ends, lost })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::raw_of;

    #[test]
    fn many_values_have_the_quantiles_of_few() {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let mut many: Vec<f64> = (0..100_001).map(|k| f64::from(k * 7919 % 100_001)).collect();
        many.extend([f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::NAN]);
        let sorted = Sorted::of(&raw_of(&many)).unwrap();
        assert!(matches!(sorted, Sorted::There { .. }) && sorted.len() == 100_001);
        assert_eq!(sorted.quantile(0.25).unwrap(), 25_000.0);
        assert_eq!(sorted.count(|value| value < 10.5).unwrap(), 11);
        // numpy.percentile([1, 2, 3, 4], 25)
        assert_eq!(Sorted::of(&raw_of(&[4.0, 1.0, 3.0, 2.0])).unwrap().quantile(0.25).unwrap(), 1.75);
    }

    #[test]
    fn many_values_in_bins_are_as_wide_as_the_values() {
        let _undisturbed = gpurepl_ground::interrupt::exclusive::undisturbed();
        let mut many: Vec<f64> = (0..100_000).map(|k| f64::from(k % 1000)).collect();
        many.push(f64::NAN);
        let found = Weighted::of(&raw_of(&many), 4096).unwrap();
        assert_eq!((found.ends, found.lost), (Some((0.0, 999.0)), 1));
        assert!(found.values.len() == 1000 && found.values.iter().all(|(_, count)| *count == 100.0));
        let same = Weighted::of(&raw_of(&[3.0; 40_000]), 4096).unwrap();
        assert_eq!(same.values, [(3.0, 40_000.0)]);
        assert_eq!(Weighted::of(&raw_of(&[f64::NAN]), 4096).unwrap().ends, None);
    }
}
