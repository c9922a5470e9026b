//! How the bins of a histogram are given.

use gpurepl_arrays::series::PlotData;

use crate::array::{Elem, GpuArray, ToGpu};
use crate::error::{Problem, Result};

/// The bins of a histogram.
#[derive(Clone, Debug, PartialEq)]
pub enum BinsOf {
    /// So many, of one width.
    Count(i64),
    /// Between these numbers.
    Edges(Vec<f64>),
    /// As many as NumPy's rule of this name has.
    Rule(Rule),
}

/// NumPy's rules for the number of bins (`numpy/lib/_histograms_impl.py`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The narrower of the bins of the next two.
    Auto,
    /// Freedman and Diaconis, 1981: by the distance of the quartiles.
    FreedmanDiaconis,
    /// Sturges, 1926: by the logarithm of how many values there are.
    Sturges,
    /// Twice the cube root of how many values there are.
    Rice,
    /// Its square root.
    Sqrt,
}

impl Rule {
    const NAMES: [(&'static str, Rule); 5] = [
        ("auto", Rule::Auto),
        ("fd", Rule::FreedmanDiaconis),
        ("sturges", Rule::Sturges),
        ("rice", Rule::Rice),
        ("sqrt", Rule::Sqrt),
    ];

    /// How many bins so many values have whose ends and whose quartiles are so far from each other.
    pub(crate) fn count(self, count: usize, length: f64, quartiles: f64, is_whole: bool) -> usize {
        if count == 0 || length <= 0.0 {
            return 1;
        }
        let number = count as f64;
        let sturges = length / (number.log2() + 1.0);
        let diaconis = 2.0 * quartiles * number.powf(-1.0 / 3.0);
        let width = match self {
            Rule::Auto if diaconis > 0.0 => diaconis.min(sturges),
            Rule::Auto | Rule::Sturges => sturges,
            Rule::FreedmanDiaconis => diaconis,
            Rule::Rice => length / (2.0 * number.powf(1.0 / 3.0)),
            Rule::Sqrt => length / number.sqrt(),
        };
        // Between whole numbers nothing lies.
        let width = if is_whole && width < 1.0 { 1.0 } else { width };
        if width > 0.0 {
            ((length / width).ceil() as usize).clamp(1, crate::kinds::MOST_BINS as usize)
        } else {
            1
        }
    }
}

/// What the bins of [`hist`](crate::hist()) are given by: how many there are, the edges between them, or the name of one of
/// NumPy's rules, `"auto"`, `"fd"`, `"sturges"`, `"rice"`, `"sqrt"`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say what the bins of a histogram are",
    note = "give a number, `50`, edges, `&[0.0, 1.0, 10.0]`, or the name of a rule, `\"auto\"`"
)]
pub trait Bins {
    /// The bins.
    ///
    /// # Errors
    ///
    /// If a name is none of these, or the edges cannot be read.
    #[doc(hidden)]
    fn bins(&self) -> Result<BinsOf>;
}

macro_rules! numbers {
    ($($integer:ty)*) => {$(
        impl Bins for $integer {
            fn bins(&self) -> Result<BinsOf> {
                Ok(BinsOf::Count(i64::try_from(*self).unwrap_or(i64::MAX)))
            }
        }
    )*};
}

numbers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

impl Bins for &str {
    fn bins(&self) -> Result<BinsOf> {
        let known = Rule::NAMES.iter().find(|(name, _)| name == self);
        known.map(|(_, rule)| BinsOf::Rule(*rule)).ok_or_else(|| {
            let message =
                format!("`{self}` is not a rule for bins; write `auto`, `fd`, `sturges`, `rice` or `sqrt`, or a number");
            Problem::Invalid { operation: "hist", message }.into()
        })
    }
}

fn edges(data: &(impl PlotData + ?Sized)) -> Result<BinsOf> {
    Ok(BinsOf::Edges(crate::reduce::values(&data.plot_data()?)?))
}

impl<T: Elem> Bins for &GpuArray<T> {
    fn bins(&self) -> Result<BinsOf> {
        edges(*self)
    }
}

impl<T: Elem> Bins for GpuArray<T> {
    fn bins(&self) -> Result<BinsOf> {
        edges(self)
    }
}

impl<T: Elem> Bins for &Vec<T>
where
    Vec<T>: ToGpu,
{
    fn bins(&self) -> Result<BinsOf> {
        edges(*self)
    }
}

impl<T: Elem> Bins for &[T]
where
    [T]: ToGpu,
{
    fn bins(&self) -> Result<BinsOf> {
        edges(*self)
    }
}

impl<T: Elem, const N: usize> Bins for &[T; N]
where
    [T; N]: ToGpu,
{
    fn bins(&self) -> Result<BinsOf> {
        edges(*self)
    }
}

impl<T: Elem, const N: usize> Bins for [T; N]
where
    [T; N]: ToGpu,
{
    fn bins(&self) -> Result<BinsOf> {
        edges(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `numpy.histogram_bin_edges(numpy.arange(1000.) ** 2 / 1e6, rule)` has one edge more.
    #[test]
    fn rules_are_numpys() {
        let (length, quartiles) = (0.998001, 0.56137575 - 0.06237525);
        for (rule, bins) in [
            (Rule::Auto, 11),
            (Rule::FreedmanDiaconis, 10),
            (Rule::Sturges, 11),
            (Rule::Rice, 20),
            (Rule::Sqrt, 32),
        ] {
            assert_eq!(rule.count(1000, length, quartiles, false), bins, "{rule:?}");
        }
        assert_eq!(Rule::Auto.count(1000, 5.0, 0.0, true), 5);
        assert_eq!(Rule::FreedmanDiaconis.count(1000, 5.0, 0.0, false), 1);
        assert_eq!(Rule::Auto.count(0, 5.0, 1.0, false), 1);
    }
}
