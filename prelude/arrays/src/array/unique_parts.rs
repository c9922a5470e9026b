//! Distinct parts along an axis: `np.unique(a, axis=0)`.

use gpurepl_kernels::{BinaryOp, DType, ReduceOp};

use super::axis::axis_of;
use super::join::joined;
use super::layout::{moved, narrowed};
use super::masks::{compressed, places};
use super::node::Node;
use super::over::Over;
use super::raw::Raw;
use super::running::SUMS;
use super::sort::order;
use super::take::{take_axis, taken};
use super::{Choice, Elem, GpuArray, chosen};
use crate::error::{OrRaise as _, Result};
use crate::scalar::Scalar;
use crate::shape::{IntoShape as _, Shape};

/// Distinct parts along an axis.
///
/// They panic with an [`Error`](crate::Error) if there is no such axis or the
/// device reports an error.
impl<T: Elem> GpuArray<T> {
    /// The distinct rows, or parts along another axis, sorted by their first
    /// elements, by the second ones where these are equal, and so on:
    /// `np.unique(a, axis=0)`. A row with NaN is equal to none, as in NumPy.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![[1, 0], [1, 0], [0, 3]];
    /// assert_eq!(a.unique_axis(0).to_string(), "[[0 3]\n [1 0]]");
    /// ```
    #[track_caller]
    pub fn unique_axis(&self, axis: isize) -> GpuArray<T> {
        let parts = Parts::of(&self.raw, axis).or_raise();
        GpuArray::wrap(parts.distinct().or_raise())
    }

    /// The distinct parts along an axis, and where each occurs first.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let (_, index) = gpu![[1, 0], [1, 0], [0, 3]].unique_axis_index(0);
    /// assert_eq!(index.to_vec(), [2, 0]);
    /// ```
    #[track_caller]
    pub fn unique_axis_index(&self, axis: isize) -> (GpuArray<T>, GpuArray<i64>) {
        let parts = Parts::of(&self.raw, axis).or_raise();
        (GpuArray::wrap(parts.distinct().or_raise()), GpuArray::wrap(parts.index().or_raise()))
    }

    /// The distinct parts along an axis, and which of them each part is.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let (_, inverse) = gpu![[1, 0], [1, 0], [0, 3]].unique_axis_inverse(0);
    /// assert_eq!(inverse.to_vec(), [1, 1, 0]);
    /// ```
    #[track_caller]
    pub fn unique_axis_inverse(&self, axis: isize) -> (GpuArray<T>, GpuArray<i64>) {
        let parts = Parts::of(&self.raw, axis).or_raise();
        (GpuArray::wrap(parts.distinct().or_raise()), GpuArray::wrap(parts.inverse().or_raise()))
    }

    /// The distinct parts along an axis, and how often each occurs.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let (_, counts) = gpu![[1, 0], [1, 0], [0, 3]].unique_axis_counts(0);
    /// assert_eq!(counts.to_vec(), [1, 2]);
    /// ```
    #[track_caller]
    pub fn unique_axis_counts(&self, axis: isize) -> (GpuArray<T>, GpuArray<i64>) {
        let parts = Parts::of(&self.raw, axis).or_raise();
        (GpuArray::wrap(parts.distinct().or_raise()), GpuArray::wrap(parts.counts().or_raise()))
    }
}

/// The parts of an array along an axis, in order.
struct Parts {
    raw: Raw,
    axis: usize,
    /// Where the sorted parts are.
    order: Raw,
    /// Whether each of them, sorted, is the first of its value.
    firsts: Raw,
}

impl Parts {
    fn of(raw: &Raw, axis: isize) -> Result<Parts> {
        let axis = axis_of("unique_axis", raw.shape(), axis)?;
        let raw = raw.computed()?;
        let length = raw.lengths()[axis];
        let each = raw.shape().without(axis).size();
        let rows = moved(&raw, axis.into_dims(), 0_i64.into_dims())?.reshaped(Shape::new(&[length, each]))?;
        // Both zeros are equal, and must be sorted as one.
        let rows = match raw.dtype().is_float() || raw.dtype().is_complex() {
            true => Raw::try_scalar(BinaryOp::Add, &rows, Scalar::Int(0), false, raw.dtype(), raw.dtype())?
                .computed()?,
            false => rows,
        };
        let column = |number: usize| -> Result<Raw> {
            let column = narrowed(&rows, 1, number, 1)?;
            let place = column.contiguous()?;
            Ok(Raw::new(Node::ready(Shape::new(&[length]), raw.dtype(), place)))
        };
        let context = chosen::context(&raw)?;
        let mut sorted = chosen::table(length, 0, 1, context)?;
        // Stable sorts, from the last elements to the first.
        for number in (0..each).rev() {
            let keys = taken(&column(number)?, &sorted)?;
            sorted = taken(&sorted, &order(&keys, 0)?)?;
        }
        let firsts = match length {
            0 => sorted.cast(DType::Bool),
            _ => firsts(&take_axis(&rows, Choice::array(&sorted), 0)?, &sorted, raw.shape().rank() == 1)?,
        };
        Ok(Parts { raw, axis, order: sorted, firsts })
    }

    fn index(&self) -> Result<Raw> {
        compressed(&self.order, &self.firsts)
    }

    fn distinct(&self) -> Result<Raw> {
        take_axis(&self.raw, Choice::array(&self.index()?), self.axis as isize)
    }

    fn inverse(&self) -> Result<Raw> {
        let numbers = SUMS.along(&self.firsts, DType::Int64, 0)?;
        let numbers = chosen::with(BinaryOp::Subtract, &numbers, 1)?;
        taken(&numbers, &order(&self.order, 0)?)
    }

    fn counts(&self) -> Result<Raw> {
        let starts = places(&self.firsts)?;
        let end = chosen::table(1, self.order.size() as i64, 1, chosen::context(&self.raw)?)?;
        let bounds = joined("unique_axis", &[starts, end], DType::Int64, 0)?;
        super::differences::differences("unique_axis", &bounds, 0, 1)
    }
}

/// Whether each of sorted rows differs from the one before. Of numbers, which are not rows, all NaN
/// are one.
fn firsts(rows: &Raw, order: &Raw, are_numbers: bool) -> Result<Raw> {
    let length = order.size();
    let (before, here) = (narrowed(rows, 0, 0, length - 1)?, narrowed(rows, 0, 1, length - 1)?);
    let differ = Raw::try_binary(BinaryOp::NotEqual, &before, &here, rows.dtype(), DType::Bool)?;
    let differ = if are_numbers {
        let number = Raw::try_binary(BinaryOp::Equal, &before, &before, rows.dtype(), DType::Bool)?;
        Raw::try_binary(BinaryOp::And, &differ, &number, DType::Bool, DType::Bool)?
    } else {
        differ
    };
    let differ =
        Over::axes("unique_axis", &differ, 1_i64.into_dims())?.reduce(&differ, ReduceOp::Any, DType::Bool)?;
    let first = chosen::table(1, 1, 1, chosen::context(order)?)?.cast(DType::Bool);
    joined("unique_axis", &[first, differ], DType::Bool, 0)
}
