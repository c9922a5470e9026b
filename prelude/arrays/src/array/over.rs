//! What a reduction goes over: all axes of an array, or some.

use std::borrow::Cow;
use std::ops::Range;

use gpurepl_kernels::{DType, ReduceOp};
use smallvec::SmallVec;

use super::axis::{axis_of, distinct_axes};
use super::expression;
use super::node::{Node, Place};
use super::raw::Raw;
use crate::error::{Problem, Result};
use crate::scalar::Scalar;
use crate::shape::{Dims, MAX_RANK, Shape};

/// The axes of an array that become one element, in ascending order.
pub(super) struct Over {
    /// NumPy's name of the reduction, for messages.
    name: &'static str,
    whole: Shape,
    /// All where there are none.
    axes: Option<SmallVec<[usize; MAX_RANK]>>,
}

impl Over {
    /// All axes, also of an array that has none.
    pub(super) fn all(name: &'static str, raw: &Raw) -> Over {
        Over { name, whole: raw.shape(), axes: None }
    }

    /// Those that a user names, of which negative ones count from the last.
    pub(super) fn axes(name: &'static str, raw: &Raw, axes: Dims) -> Result<Over> {
        let whole = raw.shape();
        let mut found: SmallVec<[usize; MAX_RANK]> = match axes.numbers(name)? {
            [axis] => SmallVec::from_slice(&[axis_of(name, whole, *axis as isize)?]),
            _ => distinct_axes(name, whole, whole.rank(), axes)?.into(),
        };
        found.sort_unstable();
        Ok(Over { name, whole, axes: Some(found) })
    }

    /// The axes of a user, or all.
    pub(super) fn of(name: &'static str, raw: &Raw, axes: Option<Dims>) -> Result<Over> {
        axes.map_or_else(|| Ok(Over::all(name, raw)), |axes| Over::axes(name, raw, axes))
    }

    /// How many elements become one.
    pub(super) fn count(&self) -> usize {
        match &self.axes {
            None => self.whole.size(),
            Some(axes) => axes.iter().map(|axis| self.whole.lengths()[*axis]).product(),
        }
    }

    /// The axis, where one is named.
    pub(super) fn only_axis(&self) -> Option<usize> {
        match self.axes.as_deref() {
            Some([axis]) => Some(*axis),
            _ => None,
        }
    }

    /// The shape of the result.
    pub(super) fn left(&self) -> Shape {
        let Some(axes) = &self.axes else { return Shape::SCALAR };
        let lengths = self.whole.lengths().iter().enumerate();
        let left: SmallVec<[usize; MAX_RANK]> =
            lengths.filter(|(axis, _)| !axes.contains(axis)).map(|(_, length)| *length).collect();
        Shape::new(&left)
    }

    /// Refuses to reduce no elements, where they have no answer.
    pub(super) fn check_not_empty(&self) -> Result<()> {
        if self.count() > 0 {
            return Ok(());
        }
        let (name, whole) = (self.name, self.whole);
        let message = match self.axes.as_deref() {
            None => "an array of no elements has none".to_owned(),
            Some([axis]) => {
                format!("axis {axis} of shape {whole:?} is empty, and no elements have a {name}")
            }
            Some(axes) => {
                format!("axes {axes:?} of shape {whole:?} are empty, and no elements have a {name}")
            }
        };
        Err(Problem::Shape { operation: name, message }.into())
    }

    /// Reduces an array in type `dtype`. What is not of half precision is one
    /// kernel for neighbouring axes, and one more for each other group of them.
    pub(super) fn reduce(&self, raw: &Raw, op: ReduceOp, dtype: DType) -> Result<Raw> {
        let left = self.left();
        if !op.has_identity() && (left.size() > 0 || self.axes.is_none()) {
            self.check_not_empty()?;
        }
        let Some(axes) = &self.axes else { return raw.try_reduce(op, dtype) };
        super::rules::check_defined(op.combining(), dtype)?;
        let wide = accumulated(dtype);
        if self.whole.size() == 0 {
            return Ok(of_nothing(raw, op, wide, left)?.cast(dtype));
        }
        let mut reduced = Cow::Borrowed(raw);
        for group in neighbours(axes).into_iter().rev() {
            let shape = reduced.shape();
            let shape =
                Shape::new(&[&shape.lengths()[..group.start], &shape.lengths()[group.end..]].concat());
            let place = expression::reduce_axes(&reduced.node(), op, wide, group, shape)?;
            reduced = Cow::Owned(Raw::new(Node::ready(shape, wide, place)));
        }
        // Over no axes the result is a copy.
        let reduced = if axes.is_empty() { raw.converted(wide) } else { reduced.into_owned() };
        Ok(reduced.cast(dtype))
    }

    /// The first element of each of the reductions, of an array that is in
    /// memory and has elements: it broadcasts with the array.
    pub(super) fn first(&self, raw: &Raw) -> Result<Raw> {
        let (place, lengths) = (raw.place()?, self.whole.lengths());
        let Some(axes) = &self.axes else {
            let place = Place { strides: Shape::SCALAR.strides(), ..place };
            return Ok(Raw::new(Node::ready(Shape::SCALAR, raw.dtype(), place)));
        };
        let mut lengths: SmallVec<[usize; MAX_RANK]> = SmallVec::from_slice(lengths);
        axes.iter().for_each(|axis| lengths[*axis] = 1);
        Ok(Raw::new(Node::ready(Shape::new(&lengths), raw.dtype(), place)))
    }

    /// A result with the axes that it was reduced over again, of length 1: it
    /// broadcasts with the array.
    pub(super) fn stretched(&self, reduced: &Raw) -> Result<Raw> {
        let Some(axes) = &self.axes else { return Ok(reduced.clone()) };
        let mut lengths: SmallVec<[usize; MAX_RANK]> = SmallVec::from_slice(self.whole.lengths());
        axes.iter().for_each(|axis| lengths[*axis] = 1);
        let shape = Shape::new(&lengths);
        let place = Place { strides: shape.strides(), ..reduced.contiguous()? };
        Ok(Raw::new(Node::ready(shape, reduced.dtype(), place)))
    }
}

/// Half precision cannot hold the sum of many.
pub(super) fn accumulated(dtype: DType) -> DType {
    if dtype == DType::Float16 { DType::Float32 } else { dtype }
}

/// The value of no elements, for each that is left.
fn of_nothing(raw: &Raw, op: ReduceOp, dtype: DType, left: Shape) -> Result<Raw> {
    let neutral = matches!(op, ReduceOp::Product | ReduceOp::All);
    let neutral = if dtype == DType::Bool { Scalar::Bool(neutral) } else { Scalar::Int(neutral.into()) };
    let context = raw.context().map_or_else(crate::device::current, Ok)?;
    let place = Place::within(context, left, dtype)?;
    expression::fill(left, super::rules::number(neutral, dtype)?, &place)?;
    Ok(Raw::new(Node::ready(left, dtype, place)))
}

/// Axes in ascending order as ranges of neighbours.
fn neighbours(axes: &[usize]) -> SmallVec<[Range<usize>; MAX_RANK]> {
    let mut groups: SmallVec<[Range<usize>; MAX_RANK]> = SmallVec::new();
    for axis in axes {
        match groups.last_mut() {
            Some(group) if group.end == *axis => group.end += 1,
            _ => groups.push(*axis..axis + 1),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_group() {
        assert_eq!(neighbours(&[0, 1, 3, 5, 6])[..], [0..2, 3..4, 5..7]);
        assert!(neighbours(&[]).is_empty());
    }
}
