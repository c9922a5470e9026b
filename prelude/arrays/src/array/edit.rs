//! Arrays with elements added or left out: `append`, `insert`, `delete`,
//! `trim_zeros`. Each answer is a new array, or a view; an array does not grow.

use gpurepl_kernels::{BinaryOp, DType, ReduceOp};

use super::axis::axis_of;
use super::join::joined;
use super::layout::{Layout, expanded, narrowed, stretched_to};
use super::node::{Node, Operation};
use super::operators::IntoValue;
use super::positions::{IntoPositions, Listed, Positions};
use super::raw::{Raw, Value};
use super::repeat::beside;
use super::{Elem, GpuArray, Promote, ToGpu, expression, rules, transfer};
use crate::error::{OrRaise as _, Problem, Result};
use crate::scalar::Scalar;
use crate::shape::{IntoShape as _, Shape};

/// New arrays with more elements or fewer.
///
/// Positions may count from the end. They panic with an
/// [`Error`](crate::Error) if a position lies outside of the array, there is no
/// such axis or shapes do not go together.
impl<T: Elem> GpuArray<T> {
    /// The elements of both arrays in C order, along one axis: `np.append(a, b)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 2].append(&gpu![[3.5], [4.0]]).to_vec(), [1.0, 2.0, 3.5, 4.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the device has no room.
    #[track_caller]
    #[must_use = "an array does not grow; the answer is another one"]
    pub fn append<U: Elem>(&self, values: impl ToGpu<Elem = U>) -> GpuArray<T::Out>
    where
        T: Promote<U>,
    {
        GpuArray::wrap(appended(&self.raw, &values.upload().or_raise(), T::Out::DTYPE).or_raise())
    }

    /// The arrays one after the other along an axis: `concatenate_axis`.
    ///
    /// # Panics
    ///
    /// As [`concatenate_axis`](super::concatenate_axis).
    #[track_caller]
    #[must_use = "an array does not grow; the answer is another one"]
    pub fn append_axis<U: Elem>(&self, values: impl ToGpu<Elem = U>, axis: isize) -> GpuArray<T::Out>
    where
        T: Promote<U>,
    {
        let raws = [self.raw.clone(), values.upload().or_raise()];
        GpuArray::wrap(joined("append", &raws, T::Out::DTYPE, axis).or_raise())
    }

    /// The elements in C order with values before a position, or one before each
    /// of several. The positions are those before anything is inserted.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 2, 3].insert(1, 9).to_vec(), [1, 9, 2, 3]);
    /// assert_eq!(gpu![1, 2, 3].insert([0, -1], gpu![7, 8]).to_vec(), [7, 1, 2, 8, 3]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if a position lies outside of the array,
    /// or the values do not fit its type.
    #[track_caller]
    #[must_use = "an array does not grow; the answer is another one"]
    pub fn insert(&self, positions: impl IntoPositions, values: impl IntoValue<T>) -> GpuArray<T> {
        GpuArray::wrap(inserted(&self.raw, positions.into_positions(), values.into_value(), None).or_raise())
    }

    /// [`GpuArray::insert`] along an axis.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![[1, 2], [3, 4]];
    /// assert_eq!(a.insert_axis(1, gpu![8, 9], 1).to_vec(), [1, 8, 2, 3, 9, 4]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::insert`], or if there is no such axis.
    #[track_caller]
    #[must_use = "an array does not grow; the answer is another one"]
    pub fn insert_axis(
        &self,
        positions: impl IntoPositions,
        values: impl IntoValue<T>,
        axis: isize,
    ) -> GpuArray<T> {
        let values = values.into_value();
        GpuArray::wrap(inserted(&self.raw, positions.into_positions(), values, Some(axis)).or_raise())
    }

    /// The elements in C order without one, a list or a range of them, or without those
    /// where a mask is true.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 2, 3, 4].delete(1).to_vec(), [1, 3, 4]);
    /// assert_eq!(gpu![1, 2, 3, 4].delete([0, -1]).to_vec(), [2, 3]);
    /// assert_eq!(gpu![1, 2, 3, 4].delete(1..3).to_vec(), [1, 4]);
    /// let a = gpu![1, 2, 3, 4];
    /// assert_eq!(a.delete(a.gt(2)).to_vec(), [1, 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if a position lies outside of the array.
    #[track_caller]
    #[must_use = "the array keeps its elements; the answer is another one"]
    pub fn delete(&self, positions: impl IntoPositions) -> GpuArray<T> {
        GpuArray::wrap(deleted(&self.raw, positions.into_positions(), None).or_raise())
    }

    /// [`GpuArray::delete`] along an axis.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[1, 2], [3, 4]].delete_axis(0, 1).to_vec(), [2, 4]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::delete`], or if there is no such axis.
    #[track_caller]
    #[must_use = "the array keeps its elements; the answer is another one"]
    pub fn delete_axis(&self, positions: impl IntoPositions, axis: isize) -> GpuArray<T> {
        GpuArray::wrap(deleted(&self.raw, positions.into_positions(), Some(axis)).or_raise())
    }

    /// A view without the zeros at both ends of each axis.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![0, 0, 1, 0, 2, 0].trim_zeros().to_vec(), [1, 0, 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the device reports one.
    #[track_caller]
    pub fn trim_zeros(&self) -> GpuArray<T> {
        GpuArray::wrap(trimmed(&self.raw, true, true).or_raise())
    }

    /// A view without the zeros at the start: `np.trim_zeros(a, "f")`.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::trim_zeros`].
    #[track_caller]
    pub fn trim_zeros_front(&self) -> GpuArray<T> {
        GpuArray::wrap(trimmed(&self.raw, true, false).or_raise())
    }

    /// A view without the zeros at the end: `np.trim_zeros(a, "b")`.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::trim_zeros`].
    #[track_caller]
    pub fn trim_zeros_back(&self) -> GpuArray<T> {
        GpuArray::wrap(trimmed(&self.raw, false, true).or_raise())
    }
}

fn appended(raw: &Raw, values: &Raw, dtype: DType) -> Result<Raw> {
    let flat = |raw: &Raw| raw.try_reshape(raw.size().into_dims());
    joined("append", &[flat(raw)?, flat(values)?], dtype, 0)
}

/// The array, flattened if no axis is named, and the axis.
fn along(operation: &'static str, raw: &Raw, axis: Option<isize>) -> Result<(Raw, usize)> {
    match axis {
        Some(axis) => Ok((raw.computed()?, axis_of(operation, raw.shape(), axis)?)),
        None => Ok((raw.try_reshape(raw.size().into_dims())?, 0)),
    }
}

/// A place that may count from the end, of which there are `count`.
fn place_of(place: i64, axis: usize, length: usize, count: usize) -> Result<usize> {
    let found = if place < 0 { place.saturating_add(length as i64) } else { place };
    match usize::try_from(found) {
        Ok(found) if found < count => Ok(found),
        _ => Err(Problem::Index { index: place, axis, size: length }.into()),
    }
}

/// Positions of a range, as Python's slices have them.
fn places_of_range(first: i64, end: i64, length: usize) -> std::ops::Range<usize> {
    let held = |place: i64| {
        let place = if place < 0 { place.saturating_add(length as i64) } else { place };
        place.clamp(0, length as i64) as usize
    };
    held(first)..held(end).max(held(first))
}

fn inserted(raw: &Raw, positions: Positions, values: Value, axis: Option<isize>) -> Result<Raw> {
    let operation = "insert";
    let (raw, axis) = along(operation, raw, axis)?;
    let (shape, dtype) = (raw.shape(), raw.dtype());
    let length = shape.lengths()[axis];
    let place = |place: i64| place_of(place, axis, length, length + 1);
    let (mut positions, is_one) = match positions.listed(operation)? {
        Listed::One(at) => (vec![place(at)?], true),
        Listed::Many(list) => (list.into_iter().map(place).collect::<Result<Vec<_>>>()?, false),
        Listed::Range(first, end) => (places_of_range(first, end, length).collect(), false),
    };
    let values = match values {
        Value::Array(values) => {
            rules::check_kind(operation, values.dtype(), dtype)?;
            values.computed()?
        }
        Value::Scalar(scalar) => {
            let value = beside(&raw, Shape::SCALAR)?;
            expression::fill(Shape::SCALAR, rules::number(scalar, dtype)?, &value.place()?)?;
            value
        }
    };
    // NumPy's rule: values for one position are as many as they are, along their
    // first axis; for several they are one for each.
    let mut values = values;
    while values.shape().rank() < shape.rank() {
        values = expanded(&values, 0.into_dims())?;
    }
    if is_one {
        let mut layout = Layout::of(&values)?;
        let first = layout.axes.remove(0);
        layout.axes.insert(axis, first);
        values = layout.view(operation, &values)?;
    }
    let count = if is_one { values.shape().lengths()[axis] } else { positions.len() };
    let mut lengths = shape.lengths().to_vec();
    lengths[axis] = count;
    let values = stretched_to(operation, &values, Shape::new(&lengths))?;
    // Several at one position keep their order.
    let mut order: Vec<usize> = (0..count).collect();
    if is_one {
        positions = vec![positions[0]; count];
    } else {
        order.sort_by_key(|number| positions[*number]);
    }
    let mut parts = Vec::new();
    let (mut done, mut next) = (0, 0);
    while next < count {
        let at = positions[order[next]];
        parts.push(narrowed(&raw, axis, done, at - done)?);
        done = at;
        // Neighbours in the values go in together.
        let mut end = next + 1;
        while end < count && order[end] == order[next] + (end - next) && positions[order[end]] == at {
            end += 1;
        }
        parts.push(narrowed(&values, axis, order[next], end - next)?);
        next = end;
    }
    parts.push(narrowed(&raw, axis, done, length - done)?);
    parts.retain(|part| part.shape().lengths()[axis] > 0);
    if parts.is_empty() {
        parts.push(raw);
    }
    joined(operation, &parts, dtype, axis as isize)
}

fn deleted(raw: &Raw, positions: Positions, axis: Option<isize>) -> Result<Raw> {
    let operation = "delete";
    let (raw, axis) = along(operation, raw, axis)?;
    let length = raw.shape().lengths()[axis];
    let place = |place: i64| place_of(place, axis, length, length);
    let mut left_out: Vec<usize> = match positions.mask("delete")? {
        Some(mask) if mask.len() != length => {
            // NumPy's words.
            let message = format!(
                "boolean array argument `obj` to delete must be one-dimensional and match the axis length of {length}, \
                 and has {} elements",
                mask.len()
            );
            return Err(Problem::Shape { operation, message }.into());
        }
        Some(mask) => (0..length).filter(|place| mask[*place]).collect(),
        None => match positions.listed(operation)? {
            Listed::One(at) => vec![place(at)?],
            Listed::Many(list) => list.into_iter().map(place).collect::<Result<_>>()?,
            Listed::Range(first, end) => places_of_range(first, end, length).collect(),
        },
    };
    left_out.sort_unstable();
    left_out.dedup();
    let mut parts = Vec::new();
    let mut done = 0;
    for at in left_out.into_iter().chain([length]) {
        if at > done {
            parts.push(narrowed(&raw, axis, done, at - done)?);
        }
        done = at + 1;
    }
    if parts.is_empty() {
        parts.push(narrowed(&raw, axis, 0, 0)?);
    }
    joined(operation, &parts, raw.dtype(), axis as isize)
}

fn trimmed(raw: &Raw, front: bool, back: bool) -> Result<Raw> {
    let raw = raw.computed()?;
    let mut layout = Layout::of(&raw)?;
    for axis in 0..raw.shape().rank() {
        let (mut first, mut end) = ends(&raw, axis)?;
        if first == end {
            // Nothing but zeros: none of them is left.
            (first, end) = (0, 0);
        } else {
            first = if front { first } else { 0 };
            end = if back { end } else { raw.shape().lengths()[axis] };
        }
        layout.narrow(axis, first, end - first);
    }
    layout.view("trim_zeros", &raw)
}

/// The first place of an axis where anything is not zero, and the one after the
/// last; the same one where there is none.
fn ends(raw: &Raw, axis: usize) -> Result<(usize, usize)> {
    let shape = raw.shape();
    if shape.size() == 0 {
        return Ok((0, 0));
    }
    let inner: usize = shape.lengths()[axis + 1..].iter().product();
    let step = |op, places: &Raw, by: usize| {
        let by = Scalar::Int(i64::try_from(by).unwrap_or(i64::MAX));
        Raw::try_scalar(op, places, by, false, DType::Int64, DType::Int64)
    };
    let extreme = |op: ReduceOp, otherwise: i64| -> Result<i64> {
        let zero = super::create::constant(raw.dtype(), 0);
        let mask = Raw::try_scalar(BinaryOp::NotEqual, raw, zero, false, raw.dtype(), DType::Bool)?;
        let index = Raw::new(Node::pending(shape, DType::Int64, Operation::Index)?);
        let row = if inner == 1 { index } else { step(BinaryOp::FloorDivide, &index, inner)? };
        let place = step(BinaryOp::Remainder, &row, shape.lengths()[axis])?;
        let otherwise = Value::Scalar(Scalar::Int(otherwise));
        let places = Raw::try_select(&mask, Value::Array(place), otherwise, DType::Int64)?;
        let bytes = transfer::download(&places.try_reduce(op, DType::Int64)?)?;
        Ok(i64::from_ne_bytes(bytes[..8].try_into().expect("an element of 8 bytes")))
    };
    let last = extreme(ReduceOp::Maximum, -1)?;
    if last < 0 {
        return Ok((0, 0));
    }
    let first = extreme(ReduceOp::Minimum, i64::MAX)?;
    Ok((first as usize, last as usize + 1))
}
