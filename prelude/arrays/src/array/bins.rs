//! Histograms, counts of integers, bins of numbers, and values between known
//! ones. They are computed in double precision.

use std::ops::Range;

use gpurepl_kernels::{BinaryOp, DType, ReduceOp};

use super::elem::RealScalar;
use super::histograms::densities;
use super::math::RealElem;
use super::node::{Node, Place};
use super::raw::Raw;
use super::transfer::download;
use super::{Elem, GpuArray, ToGpu, expression, rules};
use crate::device::Context;
use crate::device::operations::{BinWork, Bins, Histogram, Row, Wanted};
use crate::error::{OrRaise as _, Problem, Result};
use crate::scalar::Scalar;
use crate::shape::{IntoShape as _, Length, Shape};

/// The bins of a histogram.
#[doc(hidden)]
pub enum BinList {
    /// So many, from the least element to the greatest.
    Count(i64),
    /// So many of the same width.
    Within(i64, Scalar, Scalar),
    /// From each edge to the next.
    Edges(Raw),
}

/// Something that says which bins a histogram has: `10`, `(10, 0.0..1.0)`, or an
/// array of edges.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say which bins there are",
    note = "write their number, `(10, 0.0..1.0)` for a range, or an array of edges: `&edges`"
)]
pub trait IntoBins {
    #[doc(hidden)]
    fn into_bins(self) -> BinList;
}

macro_rules! counts {
    ($($t:ty)*) => {$(
        impl IntoBins for $t {
            fn into_bins(self) -> BinList {
                BinList::Count(self.length())
            }
        }
    )*};
}
counts!(i32 i64 u32 u64 usize);

impl<N: Length, R: RealScalar> IntoBins for (N, Range<R>) {
    fn into_bins(self) -> BinList {
        BinList::Within(self.0.length(), self.1.start.real_scalar(), self.1.end.real_scalar())
    }
}

impl<E: RealElem> IntoBins for &GpuArray<E> {
    fn into_bins(self) -> BinList {
        BinList::Edges(self.raw.clone())
    }
}

impl<E: RealElem> IntoBins for GpuArray<E> {
    fn into_bins(self) -> BinList {
        BinList::Edges(self.raw)
    }
}

/// Histograms and bins. They look at the elements, so they wait for the device.
///
/// They panic with an [`Error`](crate::Error) if shapes or bins do not fit, or
/// the device reports an error.
impl<T: RealElem> GpuArray<T> {
    /// How many elements each bin has, and the edges of the bins: NumPy's
    /// `np.histogram(a, bins)`. A bin has its lower edge, and the last one both.
    /// NaN has no bin.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let (counts, edges) = gpu![1.0, 2.0, 1.0, 4.0].histogram(3);
    /// assert_eq!((counts.to_vec(), edges.to_vec()), (vec![2, 1, 1], vec![1.0, 2.0, 3.0, 4.0]));
    /// let (counts, _) = gpu![1, 2, 1].histogram(&gpu![0, 1, 2, 3]);
    /// assert_eq!(counts.to_vec(), [0, 2, 1]);
    /// let (counts, _) = gpu![0.5, 9.0].histogram((2, 0.0..1.0));
    /// assert_eq!(counts.to_vec(), [0, 1]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there are no bins, edges do not ascend,
    /// or the range of the elements is not finite.
    #[track_caller]
    pub fn histogram(&self, bins: impl IntoBins) -> (GpuArray<i64>, GpuArray<T::Quotient>) {
        let (counts, edges) = histogram(&self.raw, bins.into_bins(), T::Quotient::DTYPE).or_raise();
        (GpuArray::wrap(counts), GpuArray::wrap(edges))
    }

    /// The edges of the bins that [`GpuArray::histogram`] would count in: NumPy's
    /// `np.histogram_bin_edges(a, bins)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![0, 1, 4].histogram_bin_edges(2).to_vec(), [0.0, 2.0, 4.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::histogram`].
    #[track_caller]
    pub fn histogram_bin_edges(&self, bins: impl IntoBins) -> GpuArray<T::Quotient> {
        let dtype = T::Quotient::DTYPE;
        GpuArray::wrap(edges_of(&self.raw, bins.into_bins(), dtype).or_raise().cast(dtype))
    }

    /// A histogram whose bins have the area one together: NumPy's
    /// `np.histogram(a, bins, density=True)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let (density, _) = gpu![0.0, 1.0, 1.5, 2.0].histogram_density(2);
    /// assert_eq!(density.to_vec(), [0.25, 0.75]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::histogram`].
    #[track_caller]
    pub fn histogram_density(&self, bins: impl IntoBins) -> (GpuArray<f64>, GpuArray<T::Quotient>) {
        let (counts, edges) = histogram(&self.raw, bins.into_bins(), T::Quotient::DTYPE).or_raise();
        (GpuArray::wrap(densities(&counts, std::slice::from_ref(&edges)).or_raise()), GpuArray::wrap(edges))
    }

    /// The number of the bin of each element, from 1 on: NumPy's
    /// `np.digitize(a, edges)`. Edges ascend or descend; a bin has its lower edge.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let edges = gpu![0.0, 1.0, 2.5, 4.0, 10.0];
    /// assert_eq!(gpu![0.2, 6.4, 3.0, 1.6].digitize(&edges).to_vec(), [1, 4, 3, 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the edges do not have one axis, or
    /// neither ascend nor descend.
    #[track_caller]
    pub fn digitize<E: RealElem>(&self, edges: impl ToGpu<Elem = E>) -> GpuArray<i64> {
        GpuArray::wrap(digitized(&self.raw, &edges.upload().or_raise(), Wanted::AtMost).or_raise())
    }

    /// [`GpuArray::digitize`] with bins that have their upper edge: NumPy's
    /// `right=True`.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::digitize`].
    #[track_caller]
    pub fn digitize_right<E: RealElem>(&self, edges: impl ToGpu<Elem = E>) -> GpuArray<i64> {
        GpuArray::wrap(digitized(&self.raw, &edges.upload().or_raise(), Wanted::Less).or_raise())
    }

    /// The values at these places on the lines between known ones: NumPy's
    /// `np.interp(a, xp, fp)`. The places `xp` ascend. Before the first and after
    /// the last one the values there hold.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let (xp, fp) = (gpu![1, 2, 3], gpu![3, 2, 0]);
    /// assert_eq!(gpu![0.0, 1.0, 1.5, 2.72].interp(&xp, &fp).to_vec(), [3.0, 3.0, 2.5, 0.5599999999999996]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if places and values are not vectors of
    /// one length, or are empty.
    #[track_caller]
    pub fn interp<X: RealElem, Y: RealElem>(
        &self,
        xp: impl ToGpu<Elem = X>,
        fp: impl ToGpu<Elem = Y>,
    ) -> GpuArray<f64> {
        GpuArray::wrap(
            interpolated(&self.raw, &xp.upload().or_raise(), &fp.upload().or_raise(), None).or_raise(),
        )
    }

    /// [`GpuArray::interp`] with other values before the first place and after
    /// the last: NumPy's `left` and `right`.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::interp`].
    #[track_caller]
    pub fn interp_ends<X: RealElem, Y: RealElem>(
        &self,
        xp: impl ToGpu<Elem = X>,
        fp: impl ToGpu<Elem = Y>,
        left: f64,
        right: f64,
    ) -> GpuArray<f64> {
        GpuArray::wrap(
            interpolated(&self.raw, &xp.upload().or_raise(), &fp.upload().or_raise(), Some([left, right]))
                .or_raise(),
        )
    }

    /// How many elements are 0, 1 and so on, up to the greatest: NumPy's
    /// `np.bincount(a)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![0, 1, 1, 3, 2, 1, 7].bincount().to_vec(), [1, 3, 1, 1, 0, 0, 0, 1]);
    /// assert_eq!(gpu![0, 1].bincount_minlength(4).to_vec(), [1, 1, 0, 0]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if elements are negative or not integers,
    /// or the array does not have one axis.
    #[track_caller]
    pub fn bincount(&self) -> GpuArray<i64> {
        self.bincount_minlength(0)
    }

    /// [`GpuArray::bincount`] with at least so many results.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::bincount`].
    #[track_caller]
    pub fn bincount_minlength(&self, minlength: usize) -> GpuArray<i64> {
        GpuArray::wrap(bincount(&self.raw, None, minlength).or_raise())
    }

    /// The sums of the weights of the elements that are 0, 1 and so on: NumPy's
    /// `np.bincount(a, weights)`. On a GPU the order of the additions differs
    /// from one call to the next, and so may the last digits.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let sums = gpu![0, 1, 1, 2].bincount_weights(&gpu![0.5, 1.0, 2.0, 4.0]);
    /// assert_eq!(sums.to_vec(), [0.5, 3.0, 4.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::bincount`], or if there is not a weight for each element.
    #[track_caller]
    pub fn bincount_weights<W: RealElem>(&self, weights: impl ToGpu<Elem = W>) -> GpuArray<f64> {
        self.bincount_weights_minlength(weights, 0)
    }

    /// [`GpuArray::bincount_weights`] with at least so many results.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::bincount_weights`].
    #[track_caller]
    pub fn bincount_weights_minlength<W: RealElem>(
        &self,
        weights: impl ToGpu<Elem = W>,
        minlength: usize,
    ) -> GpuArray<f64> {
        GpuArray::wrap(bincount(&self.raw, Some(&weights.upload().or_raise()), minlength).or_raise())
    }
}

pub(super) const REAL: DType = DType::Float64;
pub(super) const WHOLE: DType = DType::Int64;

pub(super) fn wrong<R>(operation: &'static str, message: impl Into<String>) -> Result<R> {
    Err(Problem::Invalid { operation, message: message.into() }.into())
}

/// An array's elements in a type of 8 bytes, in a row.
fn row(raw: &Raw, dtype: DType) -> Result<Row> {
    let place = raw.cast(dtype).contiguous()?;
    Ok(Row { buffer: place.buffer, first: place.offset, count: raw.size() })
}

fn context_of(raw: &Raw) -> Result<Context> {
    raw.context().map_or_else(crate::device::current, Ok)
}

/// Does the work, with results in a new array of zeros.
fn perform(context: Context, shape: Shape, dtype: DType, work: BinWork) -> Result<Raw> {
    let place = Place::within(context, shape, dtype)?;
    if matches!(work, BinWork::Tally { .. }) {
        expression::fill(shape, rules::number(Scalar::Int(0), dtype)?, &place)?;
    }
    let is_nothing = match &work {
        BinWork::Tally { numbers, .. } => numbers.count == 0,
        _ => shape.size() == 0,
    };
    if !is_nothing {
        let output =
            Row { buffer: std::sync::Arc::clone(&place.buffer), first: place.offset, count: shape.size() };
        context.perform(&Bins { work, output })?;
    }
    Ok(Raw::new(Node::ready(shape, dtype, place)))
}

/// An array of one element as a number.
fn float(raw: &Raw) -> Result<f64> {
    let bytes = download(&raw.cast(REAL))?;
    Ok(bytes.try_into().map_or(f64::NAN, f64::from_ne_bytes))
}

fn truth(raw: &Raw) -> Result<bool> {
    Ok(download(raw)? != [0])
}

/// Whether the differences of neighbours of edges are all as they compare with
/// zero.
fn is_monotonic(edges: &Raw, op: BinaryOp) -> Result<bool> {
    let edges = edges.cast(REAL);
    let steps = super::differences::differences("diff", &edges, 0, 1)?;
    let good = Raw::try_scalar(op, &steps, Scalar::Int(0), false, REAL, DType::Bool)?;
    truth(&good.try_reduce(ReduceOp::All, DType::Bool)?)
}

/// The edges of bins, in type `dtype`.
pub(super) fn edges_of(raw: &Raw, bins: BinList, dtype: DType) -> Result<Raw> {
    let operation = "histogram";
    let (count, first, last) = match bins {
        BinList::Edges(edges) => {
            if edges.shape().rank() != 1 {
                return wrong(operation, "`bins` must be 1d, when an array");
            }
            if edges.size() < 2 {
                return wrong(operation, format!("{} edges have no bin between them", edges.size()));
            }
            if !is_monotonic(&edges, BinaryOp::GreaterEqual)? {
                return wrong(operation, "`bins` must increase monotonically, when an array");
            }
            // NumPy returns them in their own type; a cast would move them.
            return Ok(edges.cast(REAL));
        }
        BinList::Count(count) if raw.size() == 0 => (count, 0.0, 1.0),
        BinList::Count(count) => {
            let raw = raw.computed()?;
            let first = float(&raw.try_reduce(ReduceOp::Minimum, raw.dtype())?)?;
            let last = float(&raw.try_reduce(ReduceOp::Maximum, raw.dtype())?)?;
            if !(first.is_finite() && last.is_finite()) {
                return wrong(
                    operation,
                    format!(
                        "autodetected range of [{first}, {last}] is not finite\n  = help: name the range: \
                         `a.histogram((10, 0.0..1.0))`"
                    ),
                );
            }
            (count, first, last)
        }
        BinList::Within(count, first, last) => {
            let real = |scalar: Scalar| scalar.real().unwrap_or(f64::NAN);
            let (first, last) = (real(first), real(last));
            if first > last {
                return wrong(
                    operation,
                    format!("max must be larger than min in range parameter: {first} to {last}"),
                );
            }
            if !(first.is_finite() && last.is_finite()) {
                return wrong(operation, format!("supplied range of [{first}, {last}] is not finite"));
            }
            (count, first, last)
        }
    };
    if count < 1 {
        return wrong(operation, format!("`bins` must be positive, when an integer, and is {count}"));
    }
    let (first, last) = if first == last { (first - 0.5, last + 0.5) } else { (first, last) };
    let shape = count.saturating_add(1).into_dims().shape(operation, 8)?;
    let place = Place::within(context_of(raw)?, shape, dtype)?;
    let number = |value: f64, dtype| rules::number(Scalar::Float(value), dtype);
    let step = (last - first) / count as f64;
    expression::arrange(shape, dtype, number(first, REAL)?, number(step, REAL)?, &place)?;
    let end = Place { offset: place.offset + count as usize, ..place.clone() };
    expression::fill(Shape::SCALAR, number(last, dtype)?, &end)?;
    Ok(Raw::new(Node::ready(shape, dtype, place)))
}

/// The bin of each element; those without one are less than zero or too large.
pub(super) fn bins_of(raw: &Raw, edges: &Raw) -> Result<Raw> {
    let work = BinWork::Locate { numbers: row(raw, REAL)?, edges: row(edges, REAL)?, wanted: Wanted::Bin };
    perform(context_of(raw)?, Shape::new(&[raw.size()]), WHOLE, work)
}

pub(super) fn tally(bins: &Raw, weights: Option<&Raw>, results: usize) -> Result<Raw> {
    let dtype = if weights.is_some() { REAL } else { WHOLE };
    let weights = weights.map(|weights| row(weights, REAL)).transpose()?;
    let shape = results.into_dims().shape("bincount", dtype.size())?;
    perform(context_of(bins)?, shape, dtype, BinWork::Tally { numbers: row(bins, WHOLE)?, weights })
}

fn histogram(raw: &Raw, bins: BinList, dtype: DType) -> Result<(Raw, Raw)> {
    let are_equal = !matches!(bins, BinList::Edges(_));
    let edges = edges_of(raw, bins, dtype)?;
    let count = edges.size() - 1;
    if count <= Histogram::MOST_BINS && raw.size() > 0 {
        let row = row(&edges, REAL)?;
        let scale = if are_equal { scale_of(&edges)? } else { 0.0 };
        let place = expression::histogram(&raw.node(), row, scale)?;
        let counts = Raw::new(Node::ready(Shape::new(&[count]), WHOLE, place));
        return Ok((counts, edges.cast(dtype)));
    }
    let counts = tally(&bins_of(raw, &edges)?, None, edges.size() - 1)?;
    Ok((counts, edges.cast(dtype)))
}

/// Bins for each unit between edges of one distance; zero if that is no number.
fn scale_of(edges: &Raw) -> Result<f64> {
    let edges: Vec<f64> = download(&edges.cast(REAL))?
        .chunks_exact(8)
        .map(|bytes| f64::from_ne_bytes(bytes.try_into().expect("8 bytes")))
        .collect();
    let scale = (edges.len() - 1) as f64 / (edges[edges.len() - 1] - edges[0]);
    Ok(if scale.is_finite() { scale } else { 0.0 })
}

fn digitized(raw: &Raw, edges: &Raw, wanted: Wanted) -> Result<Raw> {
    let operation = "digitize";
    if edges.shape().rank() != 1 {
        // NumPy's words.
        let message =
            format!("object of too small depth for desired array: edges have shape {:?}", edges.shape());
        return Err(Problem::Shape { operation, message }.into());
    }
    let (numbers, context) = (row(raw, REAL)?, context_of(raw)?);
    if is_monotonic(edges, BinaryOp::GreaterEqual)? {
        let work = BinWork::Locate { numbers, edges: row(edges, REAL)?, wanted };
        return perform(context, raw.shape(), WHOLE, work);
    }
    if !is_monotonic(edges, BinaryOp::LessEqual)? {
        return wrong(operation, "bins must be monotonically increasing or decreasing");
    }
    let edges = row(&super::convolve::reversed(edges)?, REAL)?;
    let count = Scalar::Int(edges.count as i64);
    let found = perform(context, raw.shape(), WHOLE, BinWork::Locate { numbers, edges, wanted })?;
    Raw::try_scalar(BinaryOp::Subtract, &found, count, true, WHOLE, WHOLE)
}

fn interpolated(raw: &Raw, xp: &Raw, fp: &Raw, ends: Option<[f64; 2]>) -> Result<Raw> {
    let shapes = format!("shapes {:?} and {:?}", xp.shape(), fp.shape());
    let message = match (xp.shape().rank(), fp.shape().rank()) {
        // NumPy's words.
        (1, 1) if xp.size() != fp.size() => format!("fp and xp are not of the same length: {shapes}"),
        (1, 1) if xp.size() == 0 => "array of sample points is empty".to_owned(),
        (1, 1) => String::new(),
        _ => format!("Data points must be 1-D sequences: {shapes}"),
    };
    if !message.is_empty() {
        return Err(Problem::Shape { operation: "interp", message }.into());
    }
    let (places, values) = (row(xp, REAL)?, row(fp, REAL)?);
    let ends = match ends {
        Some(ends) => ends,
        None => {
            let fp = fp.computed()?;
            let at = |k| super::differences::part(&fp, 0, k, 1).and_then(|one| float(&one));
            [at(0)?, at(fp.size() - 1)?]
        }
    };
    let work = BinWork::Interpolate { numbers: row(raw, REAL)?, places, values, ends };
    perform(context_of(raw)?, raw.shape(), REAL, work)
}

fn bincount(raw: &Raw, weights: Option<&Raw>, minlength: usize) -> Result<Raw> {
    let operation = "bincount";
    if raw.shape().rank() != 1 {
        // NumPy's words.
        let message =
            format!("object too deep for desired array: a vector is needed, not shape {:?}", raw.shape());
        return Err(Problem::Shape { operation, message }.into());
    }
    if !raw.dtype().is_integer() && raw.dtype() != DType::Bool {
        let message =
            format!("not for {}: integers are counted; `a.astype(i64)`, or `a.histogram(10)`", raw.dtype());
        return Err(Problem::DType { operation, message }.into());
    }
    if let Some(weights) = weights
        && weights.shape() != raw.shape()
    {
        let (found, wanted) = (weights.shape(), raw.shape());
        let message =
            format!("The weights and list don't have the same length: shapes {found:?} and {wanted:?}");
        return Err(Problem::Shape { operation, message }.into());
    }
    let raw = raw.computed()?;
    let mut results = minlength;
    if raw.size() > 0 {
        if float(&raw.try_reduce(ReduceOp::Minimum, raw.dtype())?)? < 0.0 {
            return wrong(operation, "'list' argument must have no negative elements");
        }
        let greatest = float(&raw.try_reduce(ReduceOp::Maximum, raw.dtype())?)?;
        results = results.max((greatest as usize).saturating_add(1));
    }
    tally(&raw, weights, results)
}
