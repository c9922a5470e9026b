//! Medians, quantiles and percentiles: elements of sorted arrays.

use gpurepl_kernels::{BinaryOp, DType, ReduceOp, UnaryOp};

use super::axis::{axis_of, distinct_axes};
use super::chosen::Selection;
use super::differences::part;
use super::layout::moved;
use super::math::RealElem;
use super::over::{Over, accumulated};
use super::raw::{Raw, Value};
use super::{Elem, GpuArray, RealScalar, join, nan, sort};
use crate::device::operations::Indexing;
use crate::error::{OrRaise as _, Problem, Result};
use crate::scalar::Scalar;
use crate::shape::{Dims, IntoShape, Shape};

/// Which element a quantile is, or between which it lies: NumPy's `method`, after
/// R. J. Hyndman and Y. Fan, "Sample Quantiles in Statistical Packages", The
/// American Statistician 50, 1996, whose numbers of the methods are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QuantileMethod {
    /// 1: the first element with enough elements up to it.
    InvertedCdf,
    /// 2: as 1, and between two elements their mean.
    AveragedInvertedCdf,
    /// 3: the nearest element, of two the one with an even number from one on.
    ClosestObservation,
    /// 4: on the lines through the steps of 1.
    InterpolatedInvertedCdf,
    /// 5: on the lines through the middles of these steps.
    Hazen,
    /// 6: as if the ends of the range were beyond the elements.
    Weibull,
    /// 7: on the lines from element to element.
    #[default]
    Linear,
    /// 8: about the median, whatever the distribution.
    MedianUnbiased,
    /// 9: about the mean, if the distribution is normal.
    NormalUnbiased,
    /// The element before the place of `Linear`.
    Lower,
    /// The element behind it.
    Higher,
    /// The mean of both.
    Midpoint,
    /// The nearer one, of two the one with an even number from zero on.
    Nearest,
}

/// The shares of a quantile: a number, or a list of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the share of a quantile",
    note = "write a number, `0.25`, or a list, `[0.25, 0.5, 0.75]`"
)]
pub trait IntoShares {
    #[doc(hidden)]
    fn into_shares(self) -> Shares;
}

/// Shares, and whether they are a list, whose results have an axis in front.
#[doc(hidden)]
pub struct Shares {
    values: Vec<f64>,
    is_list: bool,
}

fn number(value: Scalar) -> f64 {
    value.real().unwrap_or(f64::NAN)
}

impl<S: RealScalar> IntoShares for S {
    fn into_shares(self) -> Shares {
        Shares { values: vec![number(self.real_scalar())], is_list: false }
    }
}

impl<S: RealScalar, const N: usize> IntoShares for [S; N] {
    fn into_shares(self) -> Shares {
        Shares { values: self.into_iter().map(|share| number(share.real_scalar())).collect(), is_list: true }
    }
}

impl<S: RealScalar + Copy> IntoShares for &[S] {
    fn into_shares(self) -> Shares {
        Shares { values: self.iter().map(|share| number(share.real_scalar())).collect(), is_list: true }
    }
}

impl<S: RealScalar> IntoShares for Vec<S> {
    fn into_shares(self) -> Shares {
        Shares { values: self.into_iter().map(|share| number(share.real_scalar())).collect(), is_list: true }
    }
}

/// Medians, quantiles and percentiles, in the type of [`GpuArray::mean`]: between
/// two elements they lie on the line from one to the other, unless another
/// [`QuantileMethod`] is named. They are NaN where an element is, except for those
/// that leave out NaN. The array is sorted along the axis for it.
///
/// They panic with an [`Error`](crate::Error) if there is no such axis, there
/// are no elements or the device reports an error.
impl<T: RealElem> GpuArray<T> {
    /// The median of all elements: `np.median(a)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[10, 7, 4], [3, 2, 1]].median().item(), 3.5);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there are no elements.
    #[track_caller]
    pub fn median(&self) -> GpuArray<T::Quotient> {
        self.located(&MEDIAN, None, 0.5, QuantileMethod::Linear)
    }

    /// The medians along an axis, or along several.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[10, 7, 4], [3, 2, 1]].median_axis(1).to_vec(), [7.0, 2.0]);
    /// assert_eq!(gpu![[10, 7, 4], [3, 2, 1]].median_axis((0, 1)).item(), 3.5);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::max_axis`].
    #[track_caller]
    pub fn median_axis(&self, axis: impl IntoShape) -> GpuArray<T::Quotient> {
        self.located(&MEDIAN, Some(axis.into_dims()), 0.5, QuantileMethod::Linear)
    }

    /// The quantile of all elements below which the share `q` of them lies, from 0
    /// to 1; several for a list: `np.quantile(a, q)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![1, 2, 3, 4, 5];
    /// assert_eq!(a.quantile(0.25).item(), 2.0);
    /// assert_eq!(a.quantile([0.1, 0.5]).to_vec(), [1.4, 3.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if `q` is not within 0 to 1, or there are
    /// no elements.
    #[track_caller]
    pub fn quantile(&self, q: impl IntoShares) -> GpuArray<T::Quotient> {
        self.located(&QUANTILE, None, q, QuantileMethod::Linear)
    }

    /// The quantiles along an axis: `np.quantile(a, q, axis=0)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![[10, 7, 4], [3, 2, 1]];
    /// assert_eq!(a.quantile_axis(0.5, 0).to_vec(), [6.5, 4.5, 2.5]);
    /// assert_eq!(a.quantile_axis([0.0, 1.0], 1).shape(), [2, 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::quantile`], or if there is no such axis.
    #[track_caller]
    pub fn quantile_axis(&self, q: impl IntoShares, axis: impl IntoShape) -> GpuArray<T::Quotient> {
        self.located(&QUANTILE, Some(axis.into_dims()), q, QuantileMethod::Linear)
    }

    /// [`GpuArray::quantile`] by a method: `np.quantile(a, q, method="hazen")`.
    ///
    /// ```
    /// use gpurepl_prelude::array::QuantileMethod;
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 2, 3, 4].quantile_method(0.5, QuantileMethod::Lower).item(), 2.0);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::quantile`].
    #[track_caller]
    pub fn quantile_method(&self, q: impl IntoShares, method: QuantileMethod) -> GpuArray<T::Quotient> {
        self.located(&QUANTILE, None, q, method)
    }

    /// [`GpuArray::quantile_axis`] by a method.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::quantile_axis`].
    #[track_caller]
    pub fn quantile_axis_method(
        &self,
        q: impl IntoShares,
        axis: impl IntoShape,
        method: QuantileMethod,
    ) -> GpuArray<T::Quotient> {
        self.located(&QUANTILE, Some(axis.into_dims()), q, method)
    }

    /// The element below which `q` percent of all lie; several for a list:
    /// `np.percentile(a, q)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 2, 3, 4].percentile(50).item(), 2.5);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if `q` is not within 0 to 100, or there are
    /// no elements.
    #[track_caller]
    pub fn percentile(&self, q: impl IntoShares) -> GpuArray<T::Quotient> {
        self.located(&PERCENTILE, None, q, QuantileMethod::Linear)
    }

    /// The percentiles along an axis: `np.percentile(a, q, axis=0)`.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::percentile`], or if there is no such axis.
    #[track_caller]
    pub fn percentile_axis(&self, q: impl IntoShares, axis: impl IntoShape) -> GpuArray<T::Quotient> {
        self.located(&PERCENTILE, Some(axis.into_dims()), q, QuantileMethod::Linear)
    }

    /// [`GpuArray::percentile`] by a method.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::percentile`].
    #[track_caller]
    pub fn percentile_method(&self, q: impl IntoShares, method: QuantileMethod) -> GpuArray<T::Quotient> {
        self.located(&PERCENTILE, None, q, method)
    }

    /// [`GpuArray::percentile_axis`] by a method.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::percentile_axis`].
    #[track_caller]
    pub fn percentile_axis_method(
        &self,
        q: impl IntoShares,
        axis: impl IntoShape,
        method: QuantileMethod,
    ) -> GpuArray<T::Quotient> {
        self.located(&PERCENTILE, Some(axis.into_dims()), q, method)
    }

    /// The median of what is not NaN; NaN if nothing is.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![5.0, f64::NAN, 1.0].nanmedian().item(), 3.0);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::median`].
    #[track_caller]
    pub fn nanmedian(&self) -> GpuArray<T::Quotient> {
        self.numbers(&NAN_MEDIAN, None, 0.5)
    }

    /// The medians along an axis of what is not NaN.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::median_axis`].
    #[track_caller]
    pub fn nanmedian_axis(&self, axis: impl IntoShape) -> GpuArray<T::Quotient> {
        self.numbers(&NAN_MEDIAN, Some(axis.into_dims()), 0.5)
    }

    /// [`GpuArray::quantile`] of what is not NaN.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::quantile`].
    #[track_caller]
    pub fn nanquantile(&self, q: impl IntoShares) -> GpuArray<T::Quotient> {
        self.numbers(&NAN_QUANTILE, None, q)
    }

    /// [`GpuArray::quantile_axis`] of what is not NaN.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![[10.0, f64::NAN, 4.0], [3.0, 2.0, f64::NAN]];
    /// assert_eq!(a.nanquantile_axis(0.5, 1).to_vec(), [7.0, 2.5]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::quantile_axis`].
    #[track_caller]
    pub fn nanquantile_axis(&self, q: impl IntoShares, axis: impl IntoShape) -> GpuArray<T::Quotient> {
        self.numbers(&NAN_QUANTILE, Some(axis.into_dims()), q)
    }

    /// [`GpuArray::percentile`] of what is not NaN.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::percentile`].
    #[track_caller]
    pub fn nanpercentile(&self, q: impl IntoShares) -> GpuArray<T::Quotient> {
        self.numbers(&NAN_PERCENTILE, None, q)
    }

    /// [`GpuArray::percentile_axis`] of what is not NaN.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::percentile_axis`].
    #[track_caller]
    pub fn nanpercentile_axis(&self, q: impl IntoShares, axis: impl IntoShape) -> GpuArray<T::Quotient> {
        self.numbers(&NAN_PERCENTILE, Some(axis.into_dims()), q)
    }

    #[track_caller]
    fn located(
        &self,
        quantile: &Quantile,
        axes: Option<Dims>,
        q: impl IntoShares,
        method: QuantileMethod,
    ) -> GpuArray<T::Quotient> {
        let dtype = T::Quotient::DTYPE;
        let of = |row: &Row, q: f64| row.located(q, method, quantile.is_median(), dtype);
        GpuArray::wrap(quantile.of(&self.raw, axes, q.into_shares(), of).or_raise())
    }

    #[track_caller]
    fn numbers(&self, quantile: &Quantile, axes: Option<Dims>, q: impl IntoShares) -> GpuArray<T::Quotient> {
        let dtype = T::Quotient::DTYPE;
        let of = |row: &Row, q: f64| match nan::has_nan(row.sorted.dtype()) {
            true => row.among_numbers(q, dtype),
            false => row.located(q, QuantileMethod::Linear, quantile.is_median(), dtype),
        };
        GpuArray::wrap(quantile.of(&self.raw, axes, q.into_shares(), of).or_raise())
    }
}

/// How a quantile is named.
struct Quantile {
    /// NumPy's name, for messages.
    name: &'static str,
    /// NumPy's words for one that is not there.
    limits: &'static str,
    /// The share of all elements.
    whole: f64,
}

const SHARES: &str = "Quantiles must be in the range [0, 1]";
const PERCENTS: &str = "Percentiles must be in the range [0, 100]";
const MEDIAN: Quantile = Quantile { name: "median", limits: SHARES, whole: 1.0 };
const QUANTILE: Quantile = Quantile { name: "quantile", limits: SHARES, whole: 1.0 };
const PERCENTILE: Quantile = Quantile { name: "percentile", limits: PERCENTS, whole: 100.0 };
const NAN_MEDIAN: Quantile = Quantile { name: "nanmedian", limits: SHARES, whole: 1.0 };
const NAN_QUANTILE: Quantile = Quantile { name: "nanquantile", limits: SHARES, whole: 1.0 };
const NAN_PERCENTILE: Quantile = Quantile { name: "nanpercentile", limits: PERCENTS, whole: 100.0 };

impl Quantile {
    fn is_median(&self) -> bool {
        self.name == MEDIAN.name
    }

    /// Of all elements or along an axis: what `of` computes for each share.
    fn of(
        &self,
        raw: &Raw,
        axes: Option<Dims>,
        q: Shares,
        of: impl Fn(&Row, f64) -> Result<Raw>,
    ) -> Result<Raw> {
        let operation = self.name;
        for share in &q.values {
            if !(0.0..=1.0).contains(&(share / self.whole)) {
                let message = format!("{}, and {share} is not", self.limits);
                return Err(Problem::Invalid { operation, message }.into());
            }
        }
        let (raw, axis) = match axes {
            Some(axes) => in_one(operation, raw, axes)?,
            None => (raw.reshaped(Shape::new(&[raw.size()]))?, 0),
        };
        let shape = raw.shape();
        // What is left of nothing is NaN, in NumPy too.
        let raw = if raw.lengths()[axis] == 0 && operation.starts_with("nan") {
            let mut lengths = shape.lengths().to_vec();
            lengths[axis] = 1;
            let dtype = if raw.dtype().is_float() { raw.dtype() } else { DType::Float64 };
            nan::all_nan(&raw, Shape::new(&lengths), dtype)?
        } else {
            raw
        };
        if raw.lengths()[axis] == 0 {
            let message =
                format!("axis {axis} of shape {shape:?} is empty, and no elements have a {operation}");
            return Err(Problem::Shape { operation, message }.into());
        }
        let row = Row { sorted: sort::sorted(&raw, axis as isize)?, axis };
        let results = q.values.iter().map(|share| of(&row, share / self.whole));
        if !q.is_list {
            return results.last().expect("one share has one result");
        }
        let results = results.collect::<Result<Vec<_>>>()?;
        let left = row.left();
        let mut lengths = left.lengths().to_vec();
        lengths.insert(0, 1);
        let Some(dtype) = results.first().map(Raw::dtype) else {
            let message = "the list of shares is empty".to_owned();
            return Err(Problem::Invalid { operation, message }.into());
        };
        lengths.as_slice().into_dims().shape(operation, dtype.size())?;
        let rows =
            results.iter().map(|raw| raw.reshaped(Shape::new(&lengths))).collect::<Result<Vec<_>>>()?;
        join::joined(operation, &rows, dtype, 0)
    }
}

/// An array whose named axes are one, and which of its axes that is.
fn in_one(operation: &'static str, raw: &Raw, axes: Dims) -> Result<(Raw, usize)> {
    if let [axis] = axes.numbers(operation)? {
        return Ok((raw.clone(), axis_of(operation, raw.shape(), *axis as isize)?));
    }
    let named = distinct_axes(operation, raw.shape(), raw.shape().rank(), axes)?;
    let last: Vec<isize> = (0..named.len()).map(|k| k as isize - named.len() as isize).collect();
    let named: Vec<isize> = named.into_iter().map(|axis| axis as isize).collect();
    let moved = moved(raw, named.as_slice().into_dims(), last.as_slice().into_dims())?;
    let (left, merged) = moved.lengths().split_at(moved.lengths().len() - named.len());
    let mut lengths = left.to_vec();
    lengths.push(merged.iter().product());
    Ok((moved.reshaped(Shape::new(&lengths))?, left.len()))
}

/// An array that is sorted along an axis.
struct Row {
    sorted: Raw,
    axis: usize,
}

impl Row {
    fn left(&self) -> Shape {
        self.sorted.shape().without(self.axis)
    }

    fn length(&self) -> usize {
        self.sorted.lengths()[self.axis]
    }

    fn at(&self, place: usize) -> Result<Raw> {
        part(&self.sorted, self.axis, place.min(self.length() - 1), 1)?.reshaped(self.left())
    }

    /// The quantile of a share, in type `dtype`.
    fn located(&self, share: f64, method: QuantileMethod, is_median: bool, dtype: DType) -> Result<Raw> {
        let wide = accumulated(dtype);
        let (below, weight) = method.place(share, self.length());
        let (a, b) = (self.at(below)?, self.at(below + 1)?);
        let between = match weight {
            0.0 => a.cast(wide),
            // Also where both are infinite.
            _ if is_median => mean(&a, &b, wide)?,
            weight => line(&a, &b, weight, wide)?,
        };
        if !nan::has_nan(self.sorted.dtype()) {
            return Ok(between.cast(dtype));
        }
        // What is NaN lies last.
        let last = self.at(self.length() - 1)?;
        let is_number = Raw::try_binary(BinaryOp::Equal, &last, &last, last.dtype(), DType::Bool)?;
        let result = Raw::try_select(&is_number, Value::Array(between), Value::Array(last), wide)?;
        Ok(result.cast(dtype))
    }

    /// The quantile of a share of what is not NaN, in type `dtype`: each row has its
    /// own count.
    fn among_numbers(&self, share: f64, dtype: DType) -> Result<Raw> {
        let (real, whole, wide) = (DType::Float64, DType::Int64, accumulated(dtype));
        let sorted = &self.sorted;
        let is_number = Raw::try_binary(BinaryOp::Equal, sorted, sorted, sorted.dtype(), DType::Bool)?;
        let over = Over::axes("nanquantile", sorted, (self.axis as isize).into_dims())?;
        let counts = over.stretched(&over.reduce(&is_number, ReduceOp::Sum, whole)?)?;
        let with =
            |op, raw: &Raw, by: f64, dtype| Raw::try_scalar(op, raw, Scalar::Float(by), false, dtype, dtype);
        let last = with(BinaryOp::Subtract, &counts.cast(real), 1.0, real)?;
        // Of no numbers the first element is taken, which is NaN.
        let last = with(BinaryOp::Maximum, &last, 0.0, real)?.computed()?;
        let place = with(BinaryOp::Multiply, &last, share, real)?.computed()?;
        let below = Raw::unary(UnaryOp::Floor, &place, real, real).computed()?;
        let above =
            Raw::try_binary(BinaryOp::Minimum, &with(BinaryOp::Add, &below, 1.0, real)?, &last, real, real)?;
        let weight = Raw::try_binary(BinaryOp::Subtract, &place, &below, real, real)?;
        let taken = |places: &Raw| {
            let places = places.cast(whole).computed()?;
            Selection::aligned(sorted, self.axis, &places, Indexing::new("take_along_axis", Some(self.axis)))?
                .read()
        };
        let (a, b) = (taken(&below)?.cast(wide), taken(&above)?.cast(wide));
        let weight = weight.cast(wide).computed()?;
        let width = Raw::try_binary(BinaryOp::Subtract, &b, &a, wide, wide)?;
        let rest = Raw::try_scalar(BinaryOp::Subtract, &weight, Scalar::Float(1.0), true, wide, wide)?;
        let product = |x: &Raw| Raw::try_binary(BinaryOp::Multiply, &width, x, wide, wide);
        let up = Raw::try_binary(BinaryOp::Add, &a, &product(&weight)?, wide, wide)?;
        let down = Raw::try_binary(BinaryOp::Subtract, &b, &product(&rest)?, wide, wide)?;
        let compare = |op, by: f64| Raw::try_scalar(op, &weight, Scalar::Float(by), false, wide, DType::Bool);
        let line =
            Raw::try_select(&compare(BinaryOp::Less, 0.5)?, Value::Array(up), Value::Array(down), wide)?;
        let result =
            Raw::try_select(&compare(BinaryOp::Equal, 0.0)?, Value::Array(a), Value::Array(line), wide)?;
        result.cast(dtype).computed()?.reshaped(self.left())
    }
}

impl QuantileMethod {
    /// The element before the quantile of a share among so many, and how far it is
    /// from there to the next, from 0 to 1. After Hyndman and Fan; as in NumPy.
    fn place(self, share: f64, count: usize) -> (usize, f64) {
        use QuantileMethod::*;
        let n = count as f64;
        let continuous = |alpha: f64, beta: f64| n * share + (alpha + share * (1.0 - alpha - beta)) - 1.0;
        let linear = (n - 1.0) * share;
        let step = n * share - 1.0;
        let is_whole = |place: f64| place == place.floor();
        // Only the part after the point of these is a weight.
        let (place, weight) = match self {
            InvertedCdf => (step.ceil(), Some(0.0)),
            AveragedInvertedCdf => (step.floor(), Some(if is_whole(step) { 0.5 } else { 1.0 })),
            ClosestObservation => {
                let place = step - 0.5;
                let is_even = is_whole(place) && place.floor().rem_euclid(2.0) == 1.0;
                (if is_even { place } else { place.floor() + 1.0 }, Some(0.0))
            }
            InterpolatedInvertedCdf => (continuous(0.0, 1.0), None),
            Hazen => (continuous(0.5, 0.5), None),
            Weibull => (continuous(0.0, 0.0), None),
            Linear => (linear, None),
            MedianUnbiased => (continuous(1.0 / 3.0, 1.0 / 3.0), None),
            NormalUnbiased => (continuous(3.0 / 8.0, 3.0 / 8.0), None),
            Lower => (linear.floor(), Some(0.0)),
            Higher => (linear.ceil(), Some(0.0)),
            Midpoint => (linear.floor(), Some(if is_whole(linear) { 0.0 } else { 0.5 })),
            Nearest => (linear.round_ties_even(), Some(0.0)),
        };
        if place < 0.0 {
            return (0, 0.0);
        }
        if place >= n - 1.0 {
            return (count - 1, 0.0);
        }
        (place.floor() as usize, weight.unwrap_or(place - place.floor()))
    }
}

/// The number on the line from one to another: from the nearer end, as NumPy, so
/// that both ends are exact.
fn line(a: &Raw, b: &Raw, share: f64, dtype: DType) -> Result<Raw> {
    let width = Raw::try_binary(BinaryOp::Subtract, b, a, dtype, dtype)?;
    let (from, op, share) =
        if share < 0.5 { (a, BinaryOp::Add, share) } else { (b, BinaryOp::Subtract, 1.0 - share) };
    let step = Raw::try_scalar(BinaryOp::Multiply, &width, Scalar::Float(share), false, dtype, dtype)?;
    Raw::try_binary(op, from, &step, dtype, dtype)
}

fn mean(a: &Raw, b: &Raw, dtype: DType) -> Result<Raw> {
    let sum = Raw::try_binary(BinaryOp::Add, a, b, dtype, dtype)?;
    Raw::try_scalar(BinaryOp::Multiply, &sum, Scalar::Float(0.5), false, dtype, dtype)
}
