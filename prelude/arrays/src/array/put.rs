//! Writing by indices and masks as functions: `put`, `place`, `putmask`,
//! `put_along_axis`, `fill_diagonal`.

use std::sync::Arc;

use gpurepl_kernels::{BinaryOp, View};

use super::axis::axis_of;
use super::chosen::{self, Selection};
use super::indices::{Choice, IndexArray, MaskArray};
use super::layout::Layout;
use super::node::{Node, Place};
use super::operators::IntoValue;
use super::raw::{Raw, Value};
use super::take::Beyond;
use super::write::{check_distinct, store};
use super::{Elem, GpuArray, masks};
use crate::device::operations::Indexing;
use crate::error::{OrRaise as _, Problem, Result};
use crate::shape::{IntoShape as _, Shape};

/// Writing by indices and masks. Values are converted to the array's type; if
/// indices name an element several times, the last value stays.
impl<T: Elem> GpuArray<T> {
    /// Writes over the elements with these numbers in C order. Fewer values than
    /// indices are repeated.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let mut a = arange(0..5);
    /// a.put(&[0, -1], gpu![-44, -55]);
    /// assert_eq!(a.to_vec(), [-44, 1, 2, 3, -55]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if an index is out of bounds.
    #[track_caller]
    pub fn put<I: IndexArray, V: IntoValue<T>>(&mut self, indices: I, values: V) {
        put(&mut self.raw, indices.choice(), values.into_value(), None).or_raise();
    }

    /// [`GpuArray::put`] with indices beyond the ends counted around:
    /// `a.put(indices, values, mode="wrap")`.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the array is empty and the indices are not.
    #[track_caller]
    pub fn put_wrap<I: IndexArray, V: IntoValue<T>>(&mut self, indices: I, values: V) {
        put(&mut self.raw, indices.choice(), values.into_value(), Some(Beyond::Wrap)).or_raise();
    }

    /// [`GpuArray::put`] with the element at the end for indices beyond it:
    /// `a.put(indices, values, mode="clip")`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let mut a = arange(0..5);
    /// a.put_clip(22, -5);
    /// assert_eq!(a.to_vec(), [0, 1, 2, 3, -5]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::put_wrap`].
    #[track_caller]
    pub fn put_clip<I: IndexArray, V: IntoValue<T>>(&mut self, indices: I, values: V) {
        put(&mut self.raw, indices.choice(), values.into_value(), Some(Beyond::Clip)).or_raise();
    }

    /// Writes values, one after the other, where a mask of as many elements is
    /// true. If there are too few, they are repeated.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let mut a = arange(0..6);
    /// a.place(&a.gt(2), gpu![44, 55]);
    /// assert_eq!(a.to_vec(), [0, 1, 2, 44, 55, 44]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the mask has another size, or there are
    /// no values.
    #[track_caller]
    pub fn place<M: MaskArray, V: IntoValue<T>>(&mut self, mask: M, values: V) {
        insert(&mut self.raw, mask.choice(), values.into_value()).or_raise();
    }

    /// Writes the values that lie where a mask of as many elements is true. If
    /// there are fewer values than elements, they are repeated to as many first.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let mut a = arange(0..6);
    /// a.putmask(&a.gt(2), gpu![44, 55]);
    /// assert_eq!(a.to_vec(), [0, 1, 2, 55, 44, 55]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the mask has another size.
    #[track_caller]
    pub fn putmask<M: MaskArray, V: IntoValue<T>>(&mut self, mask: M, values: V) {
        putmask(&mut self.raw, mask.choice(), values.into_value()).or_raise();
    }

    /// The elements that indices name along an axis, which have all axes of the
    /// array: what `argmax_axis` finds, for example.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![[10, 30, 20], [60, 40, 50]];
    /// let order = gpu![[0, 2, 1], [1, 2, 0]];
    /// assert_eq!(a.take_along_axis(&order, 1).to_vec(), [10, 20, 30, 40, 50, 60]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if an index is out of bounds, there is no
    /// such axis, or the other axes do not broadcast.
    #[track_caller]
    pub fn take_along_axis<I: IndexArray>(&self, indices: I, axis: isize) -> GpuArray<T> {
        GpuArray::wrap(
            along("take_along_axis", &self.raw, indices.choice(), axis, Selection::read).or_raise(),
        )
    }

    /// Writes over the elements that indices name along an axis: see
    /// [`GpuArray::take_along_axis`].
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let mut a = gpu![[10, 30, 20], [60, 40, 50]];
    /// a.put_along_axis(&gpu![[1], [0]], 99, 1);
    /// assert_eq!(a.to_vec(), [10, 99, 20, 99, 40, 50]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::take_along_axis`].
    #[track_caller]
    pub fn put_along_axis<I: IndexArray, V: IntoValue<T>>(&mut self, indices: I, values: V, axis: isize) {
        self.raw.forget_views();
        let (raw, values) = (&self.raw, values.into_value());
        let write = |selection: &Selection| selection.write(raw, values);
        along("put_along_axis", raw, indices.choice(), axis, write).or_raise();
    }

    /// Writes over the elements whose places on all axes are equal. Fewer values
    /// are repeated.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let mut a = zeros::<i32>((3, 3));
    /// a.fill_diagonal(5);
    /// assert_eq!(a.to_vec(), [5, 0, 0, 0, 5, 0, 0, 0, 5]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there are less than 2 axes, or more
    /// whose lengths are not equal.
    #[track_caller]
    pub fn fill_diagonal<V: IntoValue<T>>(&mut self, values: V) {
        fill_diagonal(&mut self.raw, values.into_value()).or_raise();
    }
}

fn along<R>(
    operation: &'static str,
    raw: &Raw,
    indices: Choice<'_>,
    axis: isize,
    act: impl FnOnce(&Selection) -> Result<R>,
) -> Result<R> {
    let axis = axis_of(operation, raw.shape(), axis)?;
    let indices = indices.raw(chosen::context(raw)?)?;
    act(&Selection::aligned(raw, axis, &indices, Indexing::new(operation, Some(axis)))?)
}

/// Calls a function with a view of all elements along one axis, to write them.
fn on_flat(operation: &'static str, raw: &mut Raw, act: impl FnOnce(&Raw) -> Result<()>) -> Result<()> {
    let node = Arc::clone(raw.node_mut());
    let place = node.place()?;
    check_distinct(operation, node.shape, &place)?;
    let size = Shape::new(&[node.shape.size()]);
    let flat = |place: &Place| {
        Raw::new(Node::ready(size, node.dtype, Place { strides: size.strides(), ..place.clone() }))
    };
    if place.strided().view(node.shape) == View::Contiguous || size.size() <= 1 {
        return act(&flat(&place));
    }
    let copy = raw.copied()?;
    act(&flat(&copy))?;
    store(&node, Value::Array(Raw::new(Node::ready(node.shape, node.dtype, copy))))
}

/// Calls a function with a view of all elements as a matrix of rows, to write them.
pub(super) fn on_rows(
    operation: &'static str,
    raw: &mut Raw,
    [rows, row]: [usize; 2],
    act: impl FnOnce(&Raw) -> Result<()>,
) -> Result<()> {
    on_flat(operation, raw, |flat| act(&flat.reshaped(Shape::new(&[rows, row]))?))
}

/// As many values along one axis as are needed, from the first one again where
/// there are fewer; none if there are none at all. A number stays one.
fn cycled(value: Value, count: usize) -> Result<Option<Value>> {
    let Value::Array(array) = value else { return Ok(Some(value)) };
    let size = array.size();
    if size == 0 {
        return Ok(None);
    }
    let flat = array.try_reshape(size.into_dims())?;
    let all = if size == count {
        flat
    } else if size > count {
        flat.sliced(super::Slices::new(&[super::SliceItem::from(..count)]))?
    } else {
        let numbers = chosen::table(count, 0, 1, chosen::context(&flat)?)?;
        let numbers = chosen::with(BinaryOp::Remainder, &numbers, size as i64)?;
        Selection::along(&flat, 0, &numbers, Indexing::new("take", None))?.read()?
    };
    Ok(Some(Value::Array(all)))
}

fn put(raw: &mut Raw, indices: Choice<'_>, value: Value, beyond: Option<Beyond>) -> Result<()> {
    let mut indices = indices.raw(chosen::context(raw)?)?;
    if let Some(beyond) = beyond {
        indices = beyond.within(&indices, raw.size())?;
    }
    let indices = indices.try_reshape(indices.size().into_dims())?;
    let Some(value) = cycled(value, indices.size())? else { return Ok(()) };
    on_flat("put", raw, |flat| {
        Selection::along(flat, 0, &indices, Indexing::new("put", None))?.write(flat, value)
    })
}

/// A mask on the device, with as many elements as an array.
fn mask_of(operation: &'static str, raw: &Raw, mask: Choice<'_>) -> Result<Raw> {
    if mask.shape().size() != raw.size() {
        // NumPy's words.
        let message = format!(
            "mask and data must be the same size, and shapes {:?} and {:?} are not",
            mask.shape(),
            raw.shape()
        );
        return Err(Problem::Shape { operation, message }.into());
    }
    mask.raw(chosen::context(raw)?)
}

fn insert(raw: &mut Raw, mask: Choice<'_>, value: Value) -> Result<()> {
    let places = masks::places(&mask_of("place", raw, mask)?)?;
    if places.size() == 0 {
        return Ok(());
    }
    let Some(value) = cycled(value, places.size())? else {
        // NumPy's words.
        let message = "cannot insert from an empty array".to_owned();
        return Err(Problem::Shape { operation: "place", message }.into());
    };
    on_flat("place", raw, |flat| {
        let selection = Selection::along(flat, 0, &places, Indexing::new("put", None))?;
        Selection { is_distinct: true, ..selection }.write(flat, value)
    })
}

fn putmask(raw: &mut Raw, mask: Choice<'_>, value: Value) -> Result<()> {
    let (shape, mask) =
        (raw.shape(), mask_of("putmask", raw, mask)?.try_reshape(raw.shape().lengths().into_dims())?);
    let value = match value {
        Value::Array(array) if array.shape() != shape => match cycled(Value::Array(array), shape.size())? {
            Some(Value::Array(all)) => Value::Array(all.try_reshape(shape.lengths().into_dims())?),
            _ => return Ok(()),
        },
        value => value,
    };
    raw.try_store_where(&mask, value)
}

fn fill_diagonal(raw: &mut Raw, value: Value) -> Result<()> {
    let operation = "fill_diagonal";
    raw.forget_views();
    let lengths = raw.lengths();
    // NumPy's words.
    let wrong = match lengths {
        [] | [_] => Some("array must be at least 2-d"),
        [_, _] => None,
        [first, others @ ..] if others.iter().any(|length| length != first) => {
            Some("all dimensions of input must be of equal length")
        }
        _ => None,
    };
    if let Some(message) = wrong {
        let message = format!("{message}, and the shape is {lengths:?}");
        return Err(Problem::Shape { operation, message }.into());
    }
    let count = lengths.iter().copied().min().unwrap_or(0);
    let Some(value) = cycled(value, count)? else { return Ok(()) };
    let mut diagonal = Layout::of(raw)?.diagonal(count).view(operation, raw)?;
    diagonal.try_store(value)
}
