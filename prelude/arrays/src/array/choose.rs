//! Choices between several arrays: `select` and `choose`.

use super::chosen::{self, Selection};
use super::indices::IndexArray;
use super::join::ArrayList;
use super::node::{Node, Place};
use super::operators::IntoValue;
use super::raw::{Raw, Value};
use super::write::store;
use super::{Elem, GpuArray, rules};
use crate::device::operations::Indexing;
use crate::error::{OrRaise as _, Problem, Result};
use crate::shape::Shape;

/// Of each element the first choice whose condition is true, `default` where
/// none is. NumPy's `np.select`.
///
/// ```
/// use gpurepl_prelude::*;
/// let x = arange(0..6);
/// let y = array::select((&x.lt(3), &x.gt(3)), (&x, &x.pow(2)), 42);
/// assert_eq!(y.to_vec(), [0, 1, 2, 42, 16, 25]);
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if there are not as many choices as
/// conditions, shapes do not broadcast, or `default` does not fit the type.
#[track_caller]
pub fn select<C: ArrayList<Out = bool>, L: ArrayList, V: IntoValue<L::Out>>(
    conditions: C,
    choices: L,
    default: V,
) -> GpuArray<L::Out> {
    let (conditions, choices) = (conditions.raws(), choices.raws());
    GpuArray::wrap(selected(&conditions, &choices, default.into_value(), L::Out::DTYPE).or_raise())
}

/// Each element from the choice that the index at its place names; shapes
/// broadcast. NumPy's `np.choose`; negative indices count from the last choice.
///
/// ```
/// use gpurepl_prelude::*;
/// let (a, b) = (gpu![0, 1, 2], gpu![10, 11, 12]);
/// assert_eq!(array::choose(&[1, 0, 1], (&a, &b)).to_vec(), [10, 1, 12]);
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if an index names no choice, or shapes do not
/// broadcast.
#[track_caller]
pub fn choose<I: IndexArray, L: ArrayList>(indices: I, choices: L) -> GpuArray<L::Out> {
    GpuArray::wrap(chosen(indices.choice(), &choices.raws(), L::Out::DTYPE).or_raise())
}

fn selected(
    conditions: &[Raw],
    choices: &[Raw],
    default: Value,
    dtype: gpurepl_kernels::DType,
) -> Result<Raw> {
    let operation = "select";
    if conditions.len() != choices.len() || choices.is_empty() {
        // NumPy's words.
        let message = format!(
            "list of cases must be same length as list of conditions, and one at least: {} and {}",
            choices.len(),
            conditions.len()
        );
        return Err(Problem::Shape { operation, message }.into());
    }
    if let Value::Array(array) = &default {
        rules::check_kind(operation, array.dtype(), dtype)?;
    }
    let mut result = default;
    for (condition, choice) in conditions.iter().zip(choices).rev() {
        result = Value::Array(Raw::try_select(condition, Value::Array(choice.clone()), result, dtype)?);
    }
    match result {
        Value::Array(array) => Ok(array),
        Value::Scalar(_) => unreachable!("internal error: there is a condition"),
    }
}

fn chosen(indices: super::Choice<'_>, choices: &[Raw], dtype: gpurepl_kernels::DType) -> Result<Raw> {
    let operation = "choose";
    let Some(first) = choices.first() else {
        let message = "there are no choices".to_owned();
        return Err(Problem::Shape { operation, message }.into());
    };
    let context = chosen::context(first)?;
    let indices = indices.raw(context)?;
    let mut shape = indices.shape();
    for choice in choices {
        shape = shape.broadcast(choice.shape(), operation)?;
    }
    // The choices beside each other, of which the indices name one each.
    let size = shape.size();
    let all = Place::within(context, Shape::new(&[choices.len() * size]), dtype)?;
    for (number, choice) in choices.iter().enumerate() {
        let own = Place { offset: number * size, strides: shape.strides(), ..all.clone() };
        store(&Node::ready(shape, dtype, own), Value::Array(choice.clone()))?;
    }
    let in_order = Place { strides: indices.shape().strides(), ..indices.contiguous()? };
    Selection {
        place: Place { strides: shape.strides(), ..all },
        dtype,
        shape,
        step: size as isize,
        length: choices.len(),
        places: in_order.broadcast(indices.shape(), shape),
        indices,
        indexing: Indexing::new(operation, None),
        added: 0..0,
        is_distinct: false,
    }
    .read()
}
