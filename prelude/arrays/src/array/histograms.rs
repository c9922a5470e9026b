//! Histograms with weights and of points in several dimensions.

use gpurepl_kernels::{BinaryOp, DType, ReduceOp};

use super::bins::{BinList, IntoBins, REAL, WHOLE, bins_of, edges_of, tally, wrong};
use super::layout::narrowed;
use super::math::RealElem;
use super::raw::{Raw, Value};
use super::{Elem, GpuArray, ToGpu, differences, to_gpu};
use crate::error::{OrRaise as _, Problem, Result};
use crate::scalar::Scalar;
use crate::shape::{IntoShape as _, MAX_RANK, Shape};

/// The bins along each axis of a space: a number for all, or a list or tuple of
/// what a histogram's [`bins`](IntoBins) may be.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say which bins there are along each axis",
    note = "write `10`, `[10, 20]`, or `(10, (20, 0.0..1.0), &edges)`"
)]
pub trait IntoGrid {
    #[doc(hidden)]
    fn into_grid(self, axes: usize) -> Vec<BinList>;
}

macro_rules! counts {
    ($($t:ty)*) => {$(
        impl IntoGrid for $t {
            fn into_grid(self, axes: usize) -> Vec<BinList> {
                (0..axes).map(|_| self.into_bins()).collect()
            }
        }
    )*};
}
counts!(i32 i64 u32 u64 usize);

impl<B: IntoBins, const N: usize> IntoGrid for [B; N] {
    fn into_grid(self, _axes: usize) -> Vec<BinList> {
        self.into_iter().map(B::into_bins).collect()
    }
}

impl<B: IntoBins> IntoGrid for Vec<B> {
    fn into_grid(self, _axes: usize) -> Vec<BinList> {
        self.into_iter().map(B::into_bins).collect()
    }
}

macro_rules! tuples {
    ($(($($name:ident $place:tt),+))*) => {$(
        impl<$($name: IntoBins),+> IntoGrid for ($($name,)+) {
            fn into_grid(self, _axes: usize) -> Vec<BinList> {
                vec![$(self.$place.into_bins()),+]
            }
        }
    )*};
}
gpurepl_ground::for_tuples!(up to 8, tuples);

/// A histogram of a plane, and its edges along both axes.
type Plane<T, U> = (GpuArray<f64>, GpuArray<<T as Elem>::Quotient>, GpuArray<<U as Elem>::Quotient>);

/// A histogram of a space, and its edges along each axis.
type Space<T> = (GpuArray<f64>, Vec<GpuArray<<T as Elem>::Quotient>>);

/// Histograms with weights and of several dimensions. They look at the elements, so
/// they wait for the device. On a GPU the order in which weights are added differs
/// from one call to the next, and so may the last digits.
///
/// They panic with an [`Error`](crate::Error) if shapes or bins do not fit, or
/// the device reports an error.
impl<T: RealElem> GpuArray<T> {
    /// The sums of the weights of the elements that each bin has, in the weights'
    /// type, and the edges of the bins: NumPy's `np.histogram(a, bins, weights=w)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let (sums, _) = gpu![1.0, 2.0, 1.5].histogram_weights(2, &gpu![0.5, 2.0, 4.0]);
    /// assert_eq!(sums.to_vec(), [0.5, 6.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::histogram`], or if the weights have another shape.
    #[track_caller]
    pub fn histogram_weights<W: RealElem>(
        &self,
        bins: impl IntoBins,
        weights: impl ToGpu<Elem = W>,
    ) -> (GpuArray<W>, GpuArray<T::Quotient>) {
        let (sums, edges) =
            weighted(&self.raw, bins.into_bins(), &weights.upload().or_raise(), T::Quotient::DTYPE)
                .or_raise();
        (GpuArray::wrap(sums.cast(W::DTYPE)), GpuArray::wrap(edges))
    }

    /// [`GpuArray::histogram_weights`] whose bins have the area one together:
    /// `np.histogram(a, bins, weights=w, density=True)`.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::histogram_weights`].
    #[track_caller]
    pub fn histogram_weights_density<W: RealElem>(
        &self,
        bins: impl IntoBins,
        weights: impl ToGpu<Elem = W>,
    ) -> (GpuArray<f64>, GpuArray<T::Quotient>) {
        let (sums, edges) =
            weighted(&self.raw, bins.into_bins(), &weights.upload().or_raise(), T::Quotient::DTYPE)
                .or_raise();
        let heights = densities(&sums, std::slice::from_ref(&edges)).or_raise();
        (GpuArray::wrap(heights), GpuArray::wrap(edges))
    }

    /// How many pairs of elements of two vectors each bin of a plane has, and the
    /// edges along both axes: NumPy's `np.histogram2d(x, y, (10, 20))`. The counts
    /// are floats, as there.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let (counts, _, _) = gpu![0.1, 0.9, 0.8].histogram2d(&gpu![0.2, 0.1, 0.7], (2, 0..1), (2, 0..1));
    /// assert_eq!(counts.to_vec(), [1.0, 0.0, 1.0, 1.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::histogram`], or if the vectors do not have the same length.
    #[track_caller]
    pub fn histogram2d<U: RealElem>(
        &self,
        y: impl ToGpu<Elem = U>,
        xbins: impl IntoBins,
        ybins: impl IntoBins,
    ) -> Plane<T, U> {
        plane(self, &to_gpu(y), [xbins.into_bins(), ybins.into_bins()], None, false).or_raise()
    }

    /// [`GpuArray::histogram2d`] whose bins have the volume one together:
    /// `density=True`.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::histogram2d`].
    #[track_caller]
    pub fn histogram2d_density<U: RealElem>(
        &self,
        y: impl ToGpu<Elem = U>,
        xbins: impl IntoBins,
        ybins: impl IntoBins,
    ) -> Plane<T, U> {
        plane(self, &to_gpu(y), [xbins.into_bins(), ybins.into_bins()], None, true).or_raise()
    }

    /// The sums of the weights of the pairs that each bin has:
    /// `np.histogram2d(x, y, (10, 20), weights=w)`.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::histogram2d`], or if there is not a weight for each pair.
    #[track_caller]
    pub fn histogram2d_weights<U: RealElem, W: RealElem>(
        &self,
        y: impl ToGpu<Elem = U>,
        xbins: impl IntoBins,
        ybins: impl IntoBins,
        weights: impl ToGpu<Elem = W>,
    ) -> Plane<T, U> {
        plane(
            self,
            &to_gpu(y),
            [xbins.into_bins(), ybins.into_bins()],
            Some(&weights.upload().or_raise()),
            false,
        )
        .or_raise()
    }

    /// [`GpuArray::histogram2d_weights`] whose bins have the volume one together.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::histogram2d_weights`].
    #[track_caller]
    pub fn histogram2d_weights_density<U: RealElem, W: RealElem>(
        &self,
        y: impl ToGpu<Elem = U>,
        xbins: impl IntoBins,
        ybins: impl IntoBins,
        weights: impl ToGpu<Elem = W>,
    ) -> Plane<T, U> {
        plane(
            self,
            &to_gpu(y),
            [xbins.into_bins(), ybins.into_bins()],
            Some(&weights.upload().or_raise()),
            true,
        )
        .or_raise()
    }

    /// How many points each bin of a space has, and the edges along each axis:
    /// NumPy's `np.histogramdd(points, bins)`. A row of the array is a point; a
    /// vector has points on a line. The counts are floats, as there.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let points = gpu![[0.1, 0.2, 0.3], [0.9, 0.8, 0.7], [0.2, 0.1, 0.9]];
    /// let (counts, edges) = points.histogramdd(((2, 0..1), (2, 0..1), (2, 0..1)));
    /// assert_eq!((counts.shape(), edges.len()), ([2, 2, 2].as_slice(), 3));
    /// assert_eq!(counts.to_vec(), [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::histogram`], or if there are not bins for each element of a
    /// point.
    #[track_caller]
    pub fn histogramdd(&self, bins: impl IntoGrid) -> Space<T> {
        space(self, bins.into_grid(dimensions(&self.raw)), None, false).or_raise()
    }

    /// [`GpuArray::histogramdd`] whose bins have the volume one together:
    /// `density=True`.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::histogramdd`].
    #[track_caller]
    pub fn histogramdd_density(&self, bins: impl IntoGrid) -> Space<T> {
        space(self, bins.into_grid(dimensions(&self.raw)), None, true).or_raise()
    }

    /// The sums of the weights of the points that each bin has:
    /// `np.histogramdd(points, bins, weights=w)`.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::histogramdd`], or if there is not a weight for each point.
    #[track_caller]
    pub fn histogramdd_weights<W: RealElem>(
        &self,
        bins: impl IntoGrid,
        weights: impl ToGpu<Elem = W>,
    ) -> Space<T> {
        space(self, bins.into_grid(dimensions(&self.raw)), Some(&weights.upload().or_raise()), false)
            .or_raise()
    }

    /// [`GpuArray::histogramdd_weights`] whose bins have the volume one together.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::histogramdd_weights`].
    #[track_caller]
    pub fn histogramdd_weights_density<W: RealElem>(
        &self,
        bins: impl IntoGrid,
        weights: impl ToGpu<Elem = W>,
    ) -> Space<T> {
        space(self, bins.into_grid(dimensions(&self.raw)), Some(&weights.upload().or_raise()), true)
            .or_raise()
    }
}

/// How many numbers a point has.
fn dimensions(points: &Raw) -> usize {
    points.lengths().get(1).copied().unwrap_or(1)
}

fn plane<T: RealElem, U: RealElem>(
    x: &GpuArray<T>,
    y: &GpuArray<U>,
    bins: [BinList; 2],
    weights: Option<&Raw>,
    is_density: bool,
) -> Result<Plane<T, U>> {
    let (counts, mut edges) =
        plane_of(&x.raw, &y.raw, bins, weights, is_density, [T::Quotient::DTYPE, U::Quotient::DTYPE])?;
    let (y, x) = (edges.pop().expect("two edges"), edges.pop().expect("two edges"));
    Ok((GpuArray::wrap(counts), GpuArray::wrap(x), GpuArray::wrap(y)))
}

fn space<T: RealElem>(
    points: &GpuArray<T>,
    bins: Vec<BinList>,
    weights: Option<&Raw>,
    is_density: bool,
) -> Result<Space<T>> {
    let (counts, edges) = space_of(&points.raw, bins, weights, is_density, T::Quotient::DTYPE)?;
    Ok((GpuArray::wrap(counts), edges.into_iter().map(GpuArray::wrap).collect()))
}

fn weighted(raw: &Raw, bins: BinList, weights: &Raw, dtype: DType) -> Result<(Raw, Raw)> {
    if weights.shape() != raw.shape() {
        // NumPy's words.
        let (weights, raw) = (weights.shape(), raw.shape());
        let message = format!("weights should have the same shape as a: shapes {weights:?} and {raw:?}");
        return Err(Problem::Shape { operation: "histogram", message }.into());
    }
    let edges = edges_of(raw, bins, dtype)?;
    let bins = bins_of(raw, &edges)?;
    let weights = weights.reshaped(Shape::new(&[weights.size()]))?;
    Ok((tally(&bins, Some(&weights), edges.size() - 1)?, edges.cast(dtype)))
}

fn plane_of(
    x: &Raw,
    y: &Raw,
    bins: [BinList; 2],
    weights: Option<&Raw>,
    is_density: bool,
    dtypes: [DType; 2],
) -> Result<(Raw, Vec<Raw>)> {
    let operation = "histogram2d";
    if x.shape().rank() != 1 || x.shape() != y.shape() {
        // NumPy's words.
        let message =
            format!("x and y must have the same length: shapes {:?} and {:?}", x.shape(), y.shape());
        return Err(Problem::Shape { operation, message }.into());
    }
    let axes =
        [x, y].into_iter().cloned().zip(bins).zip(dtypes).map(|((raw, bins), dtype)| (raw, bins, dtype));
    grid(operation, axes.collect(), weights, is_density)
}

fn space_of(
    points: &Raw,
    bins: Vec<BinList>,
    weights: Option<&Raw>,
    is_density: bool,
    dtype: DType,
) -> Result<(Raw, Vec<Raw>)> {
    let operation = "histogramdd";
    let points = match points.shape().rank() {
        1 => points.reshaped(Shape::new(&[points.size(), 1]))?,
        2 => points.computed()?,
        _ => {
            let message = format!("a row is a point, and shape {:?} is not a table", points.shape());
            return Err(Problem::Shape { operation, message }.into());
        }
    };
    let dimensions = points.lengths()[1];
    if bins.len() != dimensions {
        // NumPy's words.
        return wrong(
            operation,
            format!(
                "The dimension of bins must be equal to the dimension of the sample x: {} and {dimensions}",
                bins.len()
            ),
        );
    }
    if dimensions > MAX_RANK || dimensions == 0 {
        let message = format!("points have 1 to {MAX_RANK} numbers, and not {dimensions}");
        return Err(Problem::Shape { operation, message }.into());
    }
    let axis = |(k, bins)| -> Result<_> {
        let column = narrowed(&points, 1, k, 1)?.reshaped(Shape::new(&[points.lengths()[0]]))?;
        Ok((column, bins, dtype))
    };
    grid(operation, bins.into_iter().enumerate().map(axis).collect::<Result<_>>()?, weights, is_density)
}

/// Bins of points, whose coordinates along each axis are a vector.
fn grid(
    operation: &'static str,
    axes: Vec<(Raw, BinList, DType)>,
    weights: Option<&Raw>,
    is_density: bool,
) -> Result<(Raw, Vec<Raw>)> {
    if let Some(weights) = weights
        && weights.shape() != axes[0].0.shape()
    {
        // NumPy's words.
        let (found, wanted) = (weights.shape(), axes[0].0.shape());
        let message =
            format!("The weights and list don't have the same length: shapes {found:?} and {wanted:?}");
        return Err(Problem::Shape { operation, message }.into());
    }
    let whole = |op, raw: &Raw, by: i64, to| Raw::try_scalar(op, raw, Scalar::Int(by), false, WHOLE, to);
    let (mut all_edges, mut lengths) = (Vec::new(), Vec::new());
    let mut place: Option<Raw> = None;
    let mut inside: Option<Raw> = None;
    for (raw, bins, dtype) in axes {
        let edges = edges_of(&raw, bins, dtype)?;
        let count = edges.size() - 1;
        let bin = bins_of(&raw, &edges)?;
        let from = whole(BinaryOp::GreaterEqual, &bin, 0, DType::Bool)?;
        let to = whole(BinaryOp::Less, &bin, count as i64, DType::Bool)?;
        let here = Raw::try_binary(BinaryOp::And, &from, &to, DType::Bool, DType::Bool)?;
        inside = Some(match inside {
            Some(inside) => Raw::try_binary(BinaryOp::And, &inside, &here, DType::Bool, DType::Bool)?,
            None => here,
        });
        place = Some(match place {
            Some(place) => {
                let first = whole(BinaryOp::Multiply, &place, count as i64, WHOLE)?;
                Raw::try_binary(BinaryOp::Add, &first, &bin, WHOLE, WHOLE)?
            }
            None => bin,
        });
        all_edges.push(edges.cast(dtype));
        lengths.push(count);
    }
    let shape = lengths.as_slice().into_dims().shape(operation, 8)?;
    let (place, inside) = (place.expect("an axis"), inside.expect("an axis"));
    let none = Value::Scalar(Scalar::Int(-1));
    let place = Raw::try_select(&inside, Value::Array(place), none, WHOLE)?;
    let counts = tally(&place, weights, shape.size())?.cast(REAL).reshaped(shape)?;
    let counts = if is_density { densities(&counts, &all_edges)? } else { counts };
    Ok((counts, all_edges))
}

/// Counts divided by their sum and by what each bin takes of the space.
pub(super) fn densities(counts: &Raw, edges: &[Raw]) -> Result<Raw> {
    let total = counts.try_reduce(ReduceOp::Sum, counts.dtype())?;
    let mut heights = counts.cast(REAL);
    for (axis, edges) in edges.iter().enumerate() {
        let widths = differences::differences("histogram", &edges.cast(REAL), 0, 1)?;
        let mut lengths = vec![1; counts.shape().rank()];
        lengths[axis] = widths.size();
        let widths = widths.reshaped(Shape::new(&lengths))?;
        heights = Raw::try_binary(BinaryOp::Divide, &heights, &widths, REAL, REAL)?;
    }
    Raw::try_binary(BinaryOp::Divide, &heights, &total, REAL, REAL)
}
