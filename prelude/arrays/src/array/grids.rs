//! Coordinates: `meshgrid`, `indices`, `mgrid`, `ogrid`; numbers with even
//! ratios: `logspace`, `geomspace`; arrays from functions and iterators.

use gpurepl_kernels::{BinaryOp, DType};

use super::create::{Arange, arranged, spaced};
use super::layout::{Broadcast, Layout, narrowed, stretched_to};
use super::node::{Node, Place};
use super::raw::Raw;
use super::repeat::{beside, copy_to, shape_of};
use super::{Elem, GpuArray, RealElem, transfer};
use crate::error::{OrRaise as _, Problem, Result};
use crate::scalar::Scalar;
use crate::shape::{Dims, IntoShape, Shape};

/// An array for each vector, with its elements along an axis of its own: the
/// first along the second axis, as x and y (`indexing="xy"`).
///
/// ```
/// use gpurepl_prelude::*;
/// let (x, y) = meshgrid((&gpu![1, 2, 3], &gpu![0.5, 1.5]));
/// assert_eq!((x.shape(), y.shape()), ([2, 3].as_slice(), [2, 3].as_slice()));
/// assert_eq!(x.to_vec(), [1, 2, 3, 1, 2, 3]);
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if there are more than 8 arrays, or the
/// device has no room. So do its relatives.
#[track_caller]
pub fn meshgrid<A: Broadcast>(vectors: A) -> A::Out {
    A::wrapped(meshed(&vectors.raws(), true, false).or_raise())
}

/// [`meshgrid`] with the first vector along the first axis: `indexing="ij"`.
///
/// # Panics
///
/// As [`meshgrid`].
#[track_caller]
pub fn meshgrid_ij<A: Broadcast>(vectors: A) -> A::Out {
    A::wrapped(meshed(&vectors.raws(), false, false).or_raise())
}

/// [`meshgrid`] of arrays that have length 1 along the other axes and stretch
/// in arithmetic: `sparse=True`.
///
/// # Panics
///
/// As [`meshgrid`].
#[track_caller]
pub fn meshgrid_sparse<A: Broadcast>(vectors: A) -> A::Out {
    A::wrapped(meshed(&vectors.raws(), true, true).or_raise())
}

/// [`meshgrid_ij`] of arrays that have length 1 along the other axes.
///
/// # Panics
///
/// As [`meshgrid`].
#[track_caller]
pub fn meshgrid_ij_sparse<A: Broadcast>(vectors: A) -> A::Out {
    A::wrapped(meshed(&vectors.raws(), false, true).or_raise())
}

/// The places of the elements of a shape: an array of them for each axis, one
/// after the other. NumPy's `np.indices`.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(array::indices((2, 2)).to_vec(), [0_i64, 0, 1, 1, 0, 1, 0, 1]);
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if the shape is not valid, or has 8 axes.
#[track_caller]
pub fn indices(shape: impl IntoShape) -> GpuArray<i64> {
    GpuArray::wrap(places(shape.into_dims()).or_raise())
}

/// Ranges for several axes: a tuple of what [`arange`](super::arange) takes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tuple of ranges of one type",
    note = "write `array::mgrid((0..3, 0..4))`, or `(0.0..1.0).by(0.1)` for another step"
)]
pub trait Ranges<T: Elem> {
    #[doc(hidden)]
    fn limits(self) -> Vec<(Scalar, Scalar, Scalar)>;
}

macro_rules! tuples {
    ($(($($name:ident $place:tt),+))*) => {$(
        impl<T: Elem, $($name: Arange<T>),+> Ranges<T> for ($($name,)+) {
            fn limits(self) -> Vec<(Scalar, Scalar, Scalar)> {
                vec![$(self.$place.limits()),+]
            }
        }
    )*};
}
gpurepl_ground::for_tuples!(up to 8, tuples);

/// Coordinates of the points of a grid: an array for each range, one after the
/// other. NumPy's `np.mgrid[0:3, 0:4]`.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(array::mgrid((0..2, 5..7)).to_vec(), [0, 0, 1, 1, 5, 6, 5, 6]);
/// ```
///
/// # Panics
///
/// As [`arange`](super::arange).
#[track_caller]
pub fn mgrid<T: Elem>(ranges: impl Ranges<T>) -> GpuArray<T> {
    GpuArray::wrap(grid(&ranges.limits(), T::DTYPE).or_raise())
}

/// The ranges of a grid, each along an axis of its own: NumPy's
/// `np.ogrid[0:3, 0:4]`.
///
/// ```
/// use gpurepl_prelude::*;
/// let parts = array::ogrid((0..2, 0..3));
/// assert_eq!((parts[0].shape(), parts[1].shape()), ([2, 1].as_slice(), [1, 3].as_slice()));
/// ```
///
/// # Panics
///
/// As [`arange`](super::arange).
#[track_caller]
pub fn ogrid<T: Elem>(ranges: impl Ranges<T>) -> Vec<GpuArray<T>> {
    let parts = open_grid(&ranges.limits(), T::DTYPE).or_raise();
    parts.into_iter().map(GpuArray::wrap).collect()
}

/// [`linspace`](super::linspace) without its end: `endpoint=False`.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(array::linspace_open(0.0, 1.0, 4).to_vec(), [0.0, 0.25, 0.5, 0.75]);
/// ```
///
/// # Panics
///
/// As [`linspace`](super::linspace).
#[track_caller]
pub fn linspace_open<T: Elem<Quotient = T>>(start: T, end: T, count: usize) -> GpuArray<T> {
    GpuArray::wrap(spaced(T::DTYPE, start.to_scalar(), end.to_scalar(), count, false).or_raise())
}

/// [`linspace`](super::linspace), and how far its numbers are apart: `retstep=True`.
/// Of less than two it is NaN.
///
/// ```
/// use gpurepl_prelude::*;
/// let (x, step) = array::linspace_step(0.0, 1.0, 5);
/// assert_eq!((x.to_vec(), step), (vec![0.0, 0.25, 0.5, 0.75, 1.0], 0.25));
/// ```
///
/// # Panics
///
/// As [`linspace`](super::linspace).
#[track_caller]
pub fn linspace_step<T: RealElem + Elem<Quotient = T>>(start: T, end: T, count: usize) -> (GpuArray<T>, f64) {
    let real = |number: T| number.to_scalar().real().unwrap_or(f64::NAN);
    let step = if count < 2 { f64::NAN } else { (real(end) - real(start)) / (count - 1) as f64 };
    (super::linspace(start, end, count), step)
}

/// Powers of 10 with evenly spaced exponents from `start` to `end`.
///
/// ```
/// use gpurepl_prelude::*;
/// assert!(allclose(&array::logspace(0.0, 2.0, 3), &gpu![1.0, 10.0, 100.0]));
/// ```
///
/// # Panics
///
/// As [`linspace`](super::linspace).
#[track_caller]
pub fn logspace<T: RealElem + Elem<Quotient = T>>(start: T, end: T, count: usize) -> GpuArray<T> {
    logspace_base(start, end, count, 10.0)
}

/// [`logspace`] of another base.
///
/// # Panics
///
/// As [`linspace`](super::linspace).
#[track_caller]
pub fn logspace_base<T: RealElem + Elem<Quotient = T>>(
    start: T,
    end: T,
    count: usize,
    base: f64,
) -> GpuArray<T> {
    GpuArray::wrap(powers_of(T::DTYPE, start.to_scalar(), end.to_scalar(), count, base, true).or_raise())
}

/// [`logspace`] without its end: `endpoint=False`.
///
/// ```
/// use gpurepl_prelude::*;
/// assert!(allclose(&array::logspace_open(0.0, 3.0, 3), &gpu![1.0, 10.0, 100.0]));
/// ```
///
/// # Panics
///
/// As [`linspace`](super::linspace).
#[track_caller]
pub fn logspace_open<T: RealElem + Elem<Quotient = T>>(start: T, end: T, count: usize) -> GpuArray<T> {
    GpuArray::wrap(powers_of(T::DTYPE, start.to_scalar(), end.to_scalar(), count, 10.0, false).or_raise())
}

/// Numbers from `start` to `end`, both included, each the same multiple of the
/// one before.
///
/// ```
/// use gpurepl_prelude::*;
/// assert!(allclose(&array::geomspace(1.0, 8.0, 4), &gpu![1.0, 2.0, 4.0, 8.0]));
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if an end is zero, or as
/// [`linspace`](super::linspace).
#[track_caller]
pub fn geomspace<T: RealElem + Elem<Quotient = T>>(start: T, end: T, count: usize) -> GpuArray<T> {
    GpuArray::wrap(geometric(T::DTYPE, start.to_scalar(), end.to_scalar(), count, true).or_raise())
}

/// [`geomspace`] without its end: `endpoint=False`.
///
/// ```
/// use gpurepl_prelude::*;
/// assert!(allclose(&array::geomspace_open(1.0, 8.0, 3), &gpu![1.0, 2.0, 4.0]));
/// ```
///
/// # Panics
///
/// As [`geomspace`].
#[track_caller]
pub fn geomspace_open<T: RealElem + Elem<Quotient = T>>(start: T, end: T, count: usize) -> GpuArray<T> {
    GpuArray::wrap(geometric(T::DTYPE, start.to_scalar(), end.to_scalar(), count, false).or_raise())
}

impl<T: Elem> GpuArray<T> {
    /// An array whose elements a function computes, on the host, from their
    /// places.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = GpuArray::from_fn((2, 3), |at| at[0] as i32 * 10 + at[1] as i32);
    /// assert_eq!(a.to_vec(), [0, 1, 2, 10, 11, 12]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the shape is not valid or the device
    /// does not have enough memory.
    #[track_caller]
    pub fn from_fn(shape: impl IntoShape, mut element: impl FnMut(&[usize]) -> T) -> GpuArray<T> {
        let dims = shape.into_dims();
        let mut places = Walk::over(dims, T::DTYPE).or_raise();
        let mut elements = Vec::with_capacity(places.left);
        while let Some(place) = places.next() {
            elements.push(element(place));
        }
        GpuArray::wrap(transfer::upload(dims, T::DTYPE, T::as_bytes(&elements)).or_raise())
    }
}

impl<T: Elem> FromIterator<T> for GpuArray<T> {
    /// The elements along one axis, copied to the device.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let squares: GpuArray<i32> = (0..4).map(|k| k * k).collect();
    /// assert_eq!(squares.to_vec(), [0, 1, 4, 9]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the device does not have enough memory.
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> GpuArray<T> {
        let elements: Vec<T> = elements.into_iter().collect();
        let dims = elements.len().into_dims();
        GpuArray::wrap(transfer::upload(dims, T::DTYPE, T::as_bytes(&elements)).or_raise())
    }
}

/// The places of a shape in C order.
struct Walk {
    shape: Shape,
    place: Vec<usize>,
    left: usize,
    has_begun: bool,
}

impl Walk {
    fn over(dims: Dims, dtype: DType) -> Result<Walk> {
        let shape = dims.shape("from_fn", dtype.size())?;
        Ok(Walk { shape, place: vec![0; shape.rank()], left: shape.size(), has_begun: false })
    }

    fn next(&mut self) -> Option<&[usize]> {
        self.left = self.left.checked_sub(1)?;
        if std::mem::replace(&mut self.has_begun, true) {
            for (place, length) in self.place.iter_mut().zip(self.shape.lengths()).rev() {
                *place += 1;
                if *place < *length {
                    break;
                }
                *place = 0;
            }
        }
        Some(&self.place)
    }
}

fn meshed(raws: &[Raw], is_xy: bool, is_sparse: bool) -> Result<Vec<Raw>> {
    let operation = "meshgrid";
    let rank = raws.len();
    let mut lengths: Vec<usize> = raws.iter().map(Raw::size).collect();
    let axis = |number: usize| match number {
        0 | 1 if is_xy && rank > 1 => 1 - number,
        number => number,
    };
    if is_xy && rank > 1 {
        lengths.swap(0, 1);
    }
    let part = |(number, raw): (usize, &Raw)| {
        let whole = shape_of(operation, raw, &lengths)?;
        let mut own = vec![1; rank];
        own[axis(number)] = raw.size();
        let along = raw.try_reshape(own.into_dims())?;
        let to = beside(raw, if is_sparse { along.shape() } else { whole })?;
        copy_to(&to, &along)?;
        Ok(to)
    };
    raws.iter().enumerate().map(part).collect()
}

/// One axis of a grid, as long as `of`.
fn along_axis(vector: &Raw, axis: usize, rank: usize) -> Result<Raw> {
    let mut own = vec![1; rank];
    own[axis] = vector.size();
    vector.try_reshape(own.into_dims())
}

/// Vectors stretched over a grid, one after the other.
fn stacked(operation: &'static str, vectors: &[Raw], dtype: DType) -> Result<Raw> {
    let rank = vectors.len();
    let mut lengths = vec![rank];
    lengths.extend(vectors.iter().map(Raw::size));
    let shape = lengths.as_slice().into_dims().shape(operation, dtype.size())?;
    let to = Raw::new(Node::ready(shape, dtype, Place::new(shape, dtype)?));
    for (axis, vector) in vectors.iter().enumerate() {
        let part = narrowed(&to, 0, axis, 1)?;
        let mut layout = Layout::of(&part)?;
        layout.axes.remove(0);
        let part = layout.view(operation, &part)?;
        copy_to(&part, &stretched_to(operation, &along_axis(vector, axis, rank)?, part.shape())?)?;
    }
    Ok(to)
}

fn places(dims: Dims) -> Result<Raw> {
    let operation = "indices";
    let shape = dims.shape(operation, DType::Int64.size())?;
    let zero_to = |length: &usize| {
        let end = Scalar::Int(*length as i64);
        arranged(DType::Int64, Scalar::Int(0), end, Scalar::Int(1))
    };
    let vectors = shape.lengths().iter().map(zero_to).collect::<Result<Vec<_>>>()?;
    stacked(operation, &vectors, DType::Int64)
}

fn vectors(ranges: &[(Scalar, Scalar, Scalar)], dtype: DType) -> Result<Vec<Raw>> {
    ranges.iter().map(|(start, end, step)| arranged(dtype, *start, *end, *step)).collect()
}

fn grid(ranges: &[(Scalar, Scalar, Scalar)], dtype: DType) -> Result<Raw> {
    stacked("mgrid", &vectors(ranges, dtype)?, dtype)
}

fn open_grid(ranges: &[(Scalar, Scalar, Scalar)], dtype: DType) -> Result<Vec<Raw>> {
    let vectors = vectors(ranges, dtype)?;
    vectors.iter().enumerate().map(|(axis, vector)| along_axis(vector, axis, ranges.len())).collect()
}

/// In double precision, rounded once.
fn powers_of(
    dtype: DType,
    start: Scalar,
    end: Scalar,
    count: usize,
    base: f64,
    has_end: bool,
) -> Result<Raw> {
    let double = DType::Float64;
    let exponents = spaced(double, start, end, count, has_end)?;
    let base = Scalar::Float(base);
    Ok(Raw::try_scalar(BinaryOp::Power, &exponents, base, true, double, double)?.cast(dtype))
}

fn geometric(dtype: DType, start: Scalar, end: Scalar, count: usize, has_end: bool) -> Result<Raw> {
    let operation = "geomspace";
    let (first, last) = (start.real().unwrap_or(f64::NAN), end.real().unwrap_or(f64::NAN));
    if first == 0.0 || last == 0.0 {
        // NumPy's words.
        let message = format!("geometric sequence cannot include zero: {first:?} to {last:?}");
        return Err(Problem::Invalid { operation, message }.into());
    }
    let sign = first.signum();
    let double = DType::Float64;
    let exponent = |number: f64| Scalar::Float((number * sign).log10());
    let powers = powers_of(double, exponent(first), exponent(last), count, 10.0, has_end)?;
    let signed = Raw::try_scalar(BinaryOp::Multiply, &powers, Scalar::Float(sign), false, double, double)?;
    let to = beside(&signed.cast(dtype), signed.shape())?;
    copy_to(&to, &signed)?;
    // The ends are themselves, whatever the powers are rounded to.
    let ends = [(0, start), (count.saturating_sub(1), end)];
    let known = count.min(1 + usize::from(has_end));
    for (place, value) in ends.into_iter().take(known) {
        let part = narrowed(&to, 0, place, 1)?;
        super::expression::fill(part.shape(), super::rules::number(value, dtype)?, &part.place()?)?;
    }
    Ok(to)
}
