//! Arrays whose elements repeat or move on: `tile`, `repeat`, `resize`, `roll`.
//!
//! What repeats is a view with a stride of zero, copied in one pass.

use gpurepl_kernels::{DType, ReduceOp};

use super::axis::axis_of;
use super::indices::Choice;
use super::layout::{expanded, narrowed, stretched_to};
use super::node::{Node, Operation, Place};
use super::positions::{IntoPositions, Listed, Positions, check_vector};
use super::raw::Raw;
use super::running::SUMS;
use super::sets::search;
use super::take::take_axis;
use super::{Elem, GpuArray, chosen, expression};
use crate::error::{OrRaise as _, Problem, Result};
use crate::shape::{Dims, IntoShape, Length, MAX_RANK, Shape};

/// Copies with other lengths. They panic with an [`Error`](crate::Error) if
/// there is no such axis, a count is negative or the device has no room.
impl<T: Elem> GpuArray<T> {
    /// The array several times beside itself: along the last axis, or as many
    /// axes as there are counts.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 2].tile(2).to_vec(), [1, 2, 1, 2]);
    /// assert_eq!(gpu![1, 2].tile((2, 1)).shape(), [2, 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if a count is negative.
    #[track_caller]
    pub fn tile(&self, counts: impl IntoShape) -> GpuArray<T> {
        GpuArray::wrap(tiled(&self.raw, counts.into_dims()).or_raise())
    }

    /// Each element several times, along one axis: all as often, or each as its
    /// number says.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 2].repeat(2).to_vec(), [1, 1, 2, 2]);
    /// assert_eq!(gpu![1, 2, 3].repeat([0, 1, 2]).to_vec(), [2, 3, 3]);
    /// assert_eq!(gpu![1, 2, 3].repeat(&gpu![0, 1, 2]).to_vec(), [2, 3, 3]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if a number is negative, or there are not
    /// as many as elements.
    #[track_caller]
    pub fn repeat(&self, counts: impl IntoPositions) -> GpuArray<T> {
        GpuArray::wrap(repeated(&self.raw, counts.into_positions(), None).or_raise())
    }

    /// Each place of an axis several times.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![[1, 2], [3, 4]];
    /// assert_eq!(a.repeat_axis(2, 0).to_vec(), [1, 2, 1, 2, 3, 4, 3, 4]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::repeat`], or if there is no such axis.
    #[track_caller]
    pub fn repeat_axis(&self, counts: impl IntoPositions, axis: isize) -> GpuArray<T> {
        GpuArray::wrap(repeated(&self.raw, counts.into_positions(), Some(axis)).or_raise())
    }

    /// The elements in C order in a shape of any size, from the first again where
    /// there are not enough: `np.resize(a, shape)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 2, 3].resize((2, 2)).to_vec(), [1, 2, 3, 1]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the shape is not valid.
    #[track_caller]
    #[must_use = "an array keeps its size; the answer is another one"]
    pub fn resize(&self, shape: impl IntoShape) -> GpuArray<T> {
        GpuArray::wrap(resized(&self.raw, shape.into_dims()).or_raise())
    }

    /// The elements moved on in C order; what leaves at the end enters at the
    /// start.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 2, 3, 4].roll(1).to_vec(), [4, 1, 2, 3]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the device has no room.
    #[track_caller]
    pub fn roll(&self, shift: impl Length) -> GpuArray<T> {
        GpuArray::wrap(rolled_flat(&self.raw, shift.length()).or_raise())
    }

    /// The elements moved on along an axis, or several, each by its own number
    /// or all by one.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![[1, 2], [3, 4]];
    /// assert_eq!(a.roll_axis(1, 0).to_vec(), [3, 4, 1, 2]);
    /// assert_eq!(a.roll_axis((1, 1), (0, 1)).to_vec(), [4, 3, 2, 1]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there is no such axis, or there are
    /// not as many numbers as axes.
    #[track_caller]
    pub fn roll_axis(&self, shift: impl IntoShape, axis: impl IntoShape) -> GpuArray<T> {
        GpuArray::wrap(rolled_along(&self.raw, shift.into_dims(), axis.into_dims()).or_raise())
    }
}

/// A new array of a shape, in the context of another one.
pub(super) fn beside(raw: &Raw, shape: Shape) -> Result<Raw> {
    let context = raw.context().map_or_else(crate::device::current, Ok)?;
    let place = Place::within(context, shape, raw.dtype())?;
    Ok(Raw::new(Node::ready(shape, raw.dtype(), place)))
}

/// Copies elements, stretched and converted, to a part of a new array, which
/// nothing reads yet.
pub(super) fn copy_to(part: &Raw, from: &Raw) -> Result<()> {
    if part.size() == 0 {
        return Ok(());
    }
    let cast = Operation::Cast(from.node().into_owned());
    expression::evaluate_operation(part.shape(), part.dtype(), &cast, &part.place()?)
}

/// The shape of these lengths, if it can be.
pub(super) fn shape_of(operation: &'static str, raw: &Raw, lengths: &[usize]) -> Result<Shape> {
    lengths.into_dims().shape(operation, raw.dtype().size())
}

fn count_of(operation: &'static str, count: i64) -> Result<usize> {
    usize::try_from(count).map_err(|_| {
        let message = format!("repeats may not contain negative values, and {count} is one");
        Problem::Shape { operation, message }.into()
    })
}

fn tiled(raw: &Raw, counts: Dims) -> Result<Raw> {
    let operation = "tile";
    let mut counts: Vec<usize> =
        counts.numbers(operation)?.iter().map(|count| count_of(operation, *count)).collect::<Result<_>>()?;
    let mut raw = raw.computed()?;
    while counts.len() < raw.shape().rank() {
        counts.insert(0, 1);
    }
    while raw.shape().rank() < counts.len() {
        raw = expanded(&raw, 0.into_dims())?;
    }
    let rank = counts.len();
    let lengths = |raw: &Raw| raw.shape().lengths().to_vec();
    let all: Vec<usize> =
        lengths(&raw).iter().zip(&counts).map(|(length, count)| length.saturating_mul(*count)).collect();
    let shape = shape_of(operation, &raw, &all)?;
    if shape.size() == 0 {
        return beside(&raw, shape);
    }
    let repeats: Vec<usize> = (0..rank).filter(|axis| counts[*axis] > 1).collect();
    if counts.iter().all(|count| *count == 1) {
        return Ok(Raw::new(Node::ready(shape, raw.dtype(), raw.copied()?)));
    }
    tiled_along(&raw, &counts, &repeats)
}

/// Axes that repeat: in front of each comes one that counts. Where there is no
/// room for so many, it takes several steps.
fn tiled_along(raw: &Raw, counts: &[usize], axes: &[usize]) -> Result<Raw> {
    let (mut raw, mut left) = (raw.clone(), axes);
    while !left.is_empty() {
        let rank = raw.shape().rank();
        // An array of 8 axes has no room: its axes beside the one that repeats
        // become one.
        let now = left.len().min(MAX_RANK - rank);
        if now == 0 {
            raw = tiled_alone(&raw, left[0], counts[left[0]])?;
            left = &left[1..];
            continue;
        }
        let (these, rest) = left.split_at(now);
        let (mut from, mut to, mut end) = (Vec::new(), Vec::new(), Vec::new());
        for (axis, length) in raw.shape().lengths().iter().enumerate() {
            if these.contains(&axis) {
                from.push(1);
                to.push(counts[axis]);
            }
            from.push(*length);
            to.push(*length);
            end.push(if these.contains(&axis) { length * counts[axis] } else { *length });
        }
        let added: Vec<i64> = these.iter().enumerate().map(|(number, axis)| (axis + number) as i64).collect();
        let view = expanded(&raw, added.into_dims())?;
        let stretched = stretched_to("tile", &view, Shape::new(&to))?;
        raw = stretched.try_reshape(end.into_dims())?;
        left = rest;
    }
    Ok(raw)
}

fn tiled_alone(raw: &Raw, axis: usize, count: usize) -> Result<Raw> {
    let mut end = raw.shape().lengths().to_vec();
    end[axis] *= count;
    let (outer, inner): (usize, usize) =
        (end[..axis].iter().product(), raw.shape().lengths()[axis..].iter().product());
    let flat = raw.try_reshape((outer, 1_usize, inner).into_dims())?;
    let stretched = stretched_to("tile", &flat, Shape::new(&[outer, count, inner]))?;
    stretched.try_reshape(end.into_dims())
}

fn repeated(raw: &Raw, counts: Positions, axis: Option<isize>) -> Result<Raw> {
    let operation = "repeat";
    let (raw, axis) = match axis {
        Some(axis) => (raw.clone(), axis_of(operation, raw.shape(), axis)?),
        None => (raw.try_reshape(raw.size().into_dims())?, 0),
    };
    let counts = match counts {
        Positions::Array(counts) => return repeated_by(&raw, &counts.cast(DType::Int64), axis),
        Positions::Mask(mask) => return repeated_each(&raw, mask.into_iter().map(i64::from), axis),
        Positions::Listed(counts) => counts,
    };
    let count = match counts {
        Listed::One(count) => count_of(operation, count)?,
        Listed::Many(counts) => return repeated_each(&raw, counts.into_iter(), axis),
        Listed::Range(first, end) => return repeated_each(&raw, first..end, axis),
    };
    let lengths = raw.shape().lengths().to_vec();
    let mut end = lengths.clone();
    end[axis] = end[axis].saturating_mul(count);
    let shape = shape_of(operation, &raw, &end)?;
    let (outer, inner): (usize, usize) =
        (lengths[..axis].iter().product(), lengths[axis + 1..].iter().product());
    let to = beside(&raw, shape)?;
    if shape.size() == 0 {
        return Ok(to);
    }
    let from = raw.try_reshape((outer, lengths[axis], 1_usize, inner).into_dims())?;
    copy_to(&to.try_reshape((outer, lengths[axis], count, inner).into_dims())?, &from)?;
    Ok(to)
}

/// Each place of an axis as often as its number says. One number is for all.
fn repeated_each(raw: &Raw, counts: impl Iterator<Item = i64>, axis: usize) -> Result<Raw> {
    let operation = "repeat";
    let length = raw.shape().lengths()[axis];
    let counts: Vec<usize> = counts.map(|count| count_of(operation, count)).collect::<Result<_>>()?;
    if let [count] = counts[..] {
        return repeated(raw, Positions::Listed(Listed::One(count as i64)), Some(axis as isize));
    }
    if counts.len() != length {
        return Err(counts_differ(raw, counts.len(), axis));
    }
    let total = counts.iter().fold(0_usize, |total, count| total.saturating_add(*count));
    let mut end = raw.shape().lengths().to_vec();
    end[axis] = total;
    // Before memory for the indices is asked for.
    shape_of(operation, raw, &end)?;
    let each = counts.iter().enumerate();
    let indices: Vec<i64> =
        each.flat_map(|(place, count)| std::iter::repeat_n(place as i64, *count)).collect();
    take_axis(raw, Choice::host(&indices), axis as isize)
}

fn counts_differ(raw: &Raw, given: usize, axis: usize) -> crate::Error {
    let (shape, length) = (raw.shape(), raw.lengths()[axis]);
    let message = format!("{given} counts for axis {axis} of shape {shape:?}, which has {length} places");
    Problem::Shape { operation: "repeat", message }.into()
}

/// The same with counts on the device: the place of each element of the answer is
/// searched in the running sums of the counts.
fn repeated_by(raw: &Raw, counts: &Raw, axis: usize) -> Result<Raw> {
    let operation = "repeat";
    check_vector(operation, counts)?;
    let length = raw.lengths()[axis];
    if counts.size() == 1 || counts.size() == 0 {
        let counts = <i64 as Elem>::download(&counts.cast(DType::Int64))?;
        return repeated_each(raw, counts.into_iter(), axis);
    }
    if counts.size() != length {
        return Err(counts_differ(raw, counts.size(), axis));
    }
    let counts = counts.cast(DType::Int64).computed()?;
    let number = |raw: &Raw| Ok::<i64, crate::Error>(<i64 as Elem>::download(raw)?[0]);
    count_of(operation, number(&counts.try_reduce(ReduceOp::Minimum, DType::Int64)?)?)?;
    let ends = SUMS.along(&counts, DType::Int64, 0)?;
    let total = count_of(operation, number(&narrowed(&ends, 0, length - 1, 1)?)?)?;
    let mut lengths = raw.lengths().to_vec();
    lengths[axis] = total;
    // Before memory for the indices is asked for.
    shape_of(operation, raw, &lengths)?;
    let numbers = chosen::table(total, 0, 1, chosen::context(raw)?)?;
    take_axis(raw, Choice::array(&search(&ends, &numbers, true)?), axis as isize)
}

fn resized(raw: &Raw, dims: Dims) -> Result<Raw> {
    let shape = dims.shape("resize", raw.dtype().size())?;
    let to = beside(raw, shape)?;
    let (wanted, size) = (shape.size(), raw.size());
    if wanted == 0 {
        return Ok(to);
    }
    if size == 0 {
        // NumPy's answer to an array of no elements.
        let zero = super::rules::number(super::create::constant(raw.dtype(), 0), raw.dtype())?;
        expression::fill(shape, zero, &to.place()?)?;
        return Ok(to);
    }
    let from = raw.try_reshape(size.into_dims())?;
    let flat = to.try_reshape(wanted.into_dims())?;
    let (whole, left) = (wanted / size, wanted % size);
    let most = narrowed(&flat, 0, 0, whole * size)?.try_reshape((whole, size).into_dims())?;
    copy_to(&most, &from)?;
    copy_to(&narrowed(&flat, 0, whole * size, left)?, &narrowed(&from, 0, 0, left)?)?;
    Ok(to)
}

fn rolled_flat(raw: &Raw, shift: i64) -> Result<Raw> {
    let shape = raw.shape();
    let flat = raw.try_reshape(raw.size().into_dims())?;
    rolled(&flat, &[shift])?.try_reshape(shape.lengths().into_dims())
}

fn rolled_along(raw: &Raw, shifts: Dims, axes: Dims) -> Result<Raw> {
    let operation = "roll";
    let (shifts, axes) = (shifts.numbers(operation)?, axes.numbers(operation)?);
    if shifts.len() != axes.len() && shifts.len() != 1 && axes.len() != 1 {
        // NumPy's words.
        let message = format!(
            "'shift' and 'axis' should be scalars or 1D sequences of one length, and have {} and {}",
            shifts.len(),
            axes.len()
        );
        return Err(Problem::Shape { operation, message }.into());
    }
    let mut each = vec![0_i64; raw.shape().rank()];
    if !shifts.is_empty() && !axes.is_empty() {
        for number in 0..shifts.len().max(axes.len()) {
            let axis = axes[number % axes.len()];
            let at = axis_of(operation, raw.shape(), isize::try_from(axis).unwrap_or(isize::MAX))?;
            let length = raw.shape().lengths()[at].max(1) as i64;
            // Below the length each, so that their sum cannot overflow.
            each[at] += shifts[number % shifts.len()].rem_euclid(length);
        }
    }
    rolled(raw, &each)
}

/// Each axis moved on by its number, in the one or two parts that it has then.
fn rolled(raw: &Raw, shifts: &[i64]) -> Result<Raw> {
    let raw = raw.computed()?;
    let to = beside(&raw, raw.shape())?;
    if raw.size() == 0 {
        return Ok(to);
    }
    let mut parts = vec![(raw.clone(), to.clone())];
    for (axis, shift) in shifts.iter().enumerate() {
        let length = raw.shape().lengths()[axis];
        let shift = shift.rem_euclid(length as i64) as usize;
        if shift == 0 {
            continue;
        }
        let mut halves = Vec::with_capacity(2 * parts.len());
        for (from, to) in parts {
            let left = length - shift;
            halves.push((narrowed(&from, axis, 0, left)?, narrowed(&to, axis, shift, left)?));
            halves.push((narrowed(&from, axis, left, shift)?, narrowed(&to, axis, 0, shift)?));
        }
        parts = halves;
    }
    for (from, to) in parts {
        copy_to(&to, &from)?;
    }
    Ok(to)
}
