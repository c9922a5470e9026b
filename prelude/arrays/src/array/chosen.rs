//! Elements that arrays of indices and masks choose: `a[&rows]`,
//! `a[s![.., &columns]]`, `a[&mask]`, read and written.
//!
//! Along one axis a kernel reads the indices as they are. Several arrays, and a
//! mask over axes that do not lie in one stride, become one array of distances
//! in memory first.

use std::sync::Arc;

use gpurepl_kernels::{BinaryOp, DType};

use super::index::walked;
use super::indices::Choice;
use super::node::{Node, Place};
use super::raw::{Raw, Value};
use super::slices::SliceItem;
use super::write::{check_distinct, check_stretches};
use super::{expression, masks, rules};
use crate::device::operations::{Claims, Gather, Indexed, Indexing, Scatter};
use crate::device::{Context, Strided};
use crate::error::{Problem, Result};
use crate::scalar::Scalar;
use crate::shape::{IntoShape as _, MAX_RANK, Shape, Strides};

/// Elements of an array, found through indices.
pub(super) struct Selection {
    /// Where the array lies, with its strides over `shape`, which are zero where
    /// the indices have theirs.
    pub(super) place: Place,
    pub(super) dtype: DType,
    /// The shape of what is chosen.
    pub(super) shape: Shape,
    /// The stride and the length of the axis that is indexed.
    pub(super) step: isize,
    pub(super) length: usize,
    pub(super) indices: Raw,
    /// Strides over `shape` in the indices, which are in C order.
    pub(super) places: Strides,
    pub(super) indexing: Indexing,
    /// The axes of `shape` that the array does not have: the indices' own.
    pub(super) added: std::ops::Range<usize>,
    /// Whether no element is chosen twice.
    pub(super) is_distinct: bool,
}

/// A copy of the elements that an item for each axis names.
pub(super) fn read(raw: &Raw, items: &[SliceItem<'_>]) -> Result<Raw> {
    if let [SliceItem::Chosen(choice)] = items
        && choice.is_mask()
        && choice.shape() == raw.shape()
    {
        return masks::compressed(raw, &choice.raw(context(raw)?)?);
    }
    Selection::of(raw, items, "indexing")?.read()
}

/// Writes over them.
pub(super) fn write(raw: &mut Raw, items: &[SliceItem<'_>], value: Value) -> Result<()> {
    if let [SliceItem::Chosen(choice)] = items
        && choice.is_mask()
        && choice.shape() == raw.shape()
        && value.is_single()
    {
        let mask = choice.raw(context(raw)?)?;
        let value = match value {
            // One element fits an array without axes too.
            Value::Array(array) => Value::Array(array.try_reshape(().into_dims())?),
            scalar => scalar,
        };
        return raw.try_store_where(&mask, value);
    }
    let selection = Selection::of(raw, items, "set")?;
    if let (Value::Array(array), [SliceItem::Chosen(choice), ..]) = (&value, items)
        && choice.is_mask()
        && selection.shape.rank() == 1
        && array.shape().rank() <= 1
        && array.size() != selection.shape.size()
        && array.size() != 1
    {
        // NumPy's words.
        let message = format!(
            "boolean array indexing assignment cannot assign {} input values to the {} output values where the \
             mask is true\n  = help: `where_` and `putmask` take values for all elements",
            array.size(),
            selection.shape.size()
        );
        return Err(Problem::Shape { operation: "set", message }.into());
    }
    selection.write(raw, value)
}

/// The context that indices of an array belong to.
pub(super) fn context(raw: &Raw) -> Result<Context> {
    raw.context().map_or_else(crate::device::current, Ok)
}

impl Value {
    /// Whether it is one number, or an array of one element.
    pub(super) fn is_single(&self) -> bool {
        match self {
            Value::Scalar(_) => true,
            Value::Array(array) => array.size() == 1 && array.shape().rank() <= 1,
        }
    }
}

/// Axes that one array chooses from.
struct Group<'a> {
    choice: Choice<'a>,
    /// The first of them in the array.
    axis: usize,
    /// Their lengths and strides.
    axes: Vec<(usize, isize)>,
}

impl Group<'_> {
    /// A mask has the lengths of its axes.
    fn check(&self) -> Result<()> {
        if !self.choice.is_mask() {
            return Ok(());
        }
        for (k, (length, own)) in self.axes.iter().zip(self.choice.shape().lengths()).enumerate() {
            let (length, axis) = (length.0, self.axis + k);
            if length != *own {
                // NumPy's words.
                let message = format!(
                    "boolean index did not match indexed array along axis {axis}; size of axis is {length} but \
                     size of corresponding boolean axis is {own}"
                );
                return Err(Problem::IndexCount { message }.into());
            }
        }
        Ok(())
    }

    /// The one stride of all axes, with their length, if there is one.
    fn merged(&self) -> Option<(usize, isize)> {
        let mut axes = self.axes.iter().rev().filter(|(length, _)| *length != 1);
        let Some(&(mut length, step)) = axes.next() else { return Some((1, 1)) };
        for (next, stride) in axes {
            if *stride != step * length as isize {
                return None;
            }
            length *= next;
        }
        Some((length, step))
    }

    /// Where the first element lies from the one with the lowest address, and how
    /// many elements lie between that and the highest.
    fn extent(&self) -> (usize, usize) {
        let far = |(length, stride): &(usize, isize)| length.saturating_sub(1) * stride.unsigned_abs();
        let below = self.axes.iter().filter(|(_, stride)| *stride < 0).map(far).sum();
        (below, self.axes.iter().map(far).sum())
    }

    /// What each index adds to an element's place, from the lowest one.
    fn distances(&self, indices: &Raw, operation: &'static str, context: Context) -> Result<Raw> {
        let (below, _) = self.extent();
        if !self.choice.is_mask() {
            let (length, stride) = self.axes[0];
            let table = table(length, below as i64, stride as i64, context)?;
            let indexing = Indexing::new(operation, Some(self.axis));
            return Selection::along(&table, 0, indices, indexing)?.read();
        }
        let mut after: i64 = self.axes.iter().map(|(length, _)| *length as i64).product();
        let mut sum: Option<Raw> = None;
        for (axis, (length, stride)) in self.axes.iter().enumerate() {
            after /= (*length).max(1) as i64;
            let mut along = indices.clone();
            if after != 1 {
                along = with(BinaryOp::FloorDivide, &along, after)?;
            }
            if axis > 0 {
                along = with(BinaryOp::Remainder, &along, (*length).max(1) as i64)?;
            }
            let along = with(BinaryOp::Multiply, &along, *stride as i64)?;
            sum = Some(match sum {
                None => with(BinaryOp::Add, &along, below as i64)?,
                Some(sum) => Raw::try_binary(BinaryOp::Add, &sum, &along, DType::Int64, DType::Int64)?,
            });
        }
        Ok(sum.unwrap_or_else(|| indices.clone()))
    }
}

/// An operation of 64-bit integers and a number.
pub(super) fn with(op: BinaryOp, raw: &Raw, number: i64) -> Result<Raw> {
    Raw::try_scalar(op, raw, Scalar::Int(number), false, DType::Int64, DType::Int64)
}

/// The numbers from `start` on, in steps.
pub(super) fn table(length: usize, start: i64, step: i64, context: Context) -> Result<Raw> {
    let shape = Shape::new(&[length]);
    let place = Place::within(context, shape, DType::Int64)?;
    let number = |number| rules::number(Scalar::Int(number), DType::Int64);
    expression::arrange(shape, DType::Int64, number(start)?, number(step)?, &place)?;
    Ok(Raw::new(Node::ready(shape, DType::Int64, place)))
}

impl Selection {
    /// What an item for each axis names.
    fn of(raw: &Raw, items: &[SliceItem<'_>], operation: &'static str) -> Result<Selection> {
        let (whole, place) = walked(raw, items)?;
        let context = place.buffer.context();
        let mut groups = Vec::new();
        let mut plain = Vec::new();
        // Where the axes of the indices go: in place of their own if those are
        // neighbours, as whole numbers between them are; else to the front.
        let (mut first, mut last, mut count) = (None, 0, 0);
        let (mut axis, mut own) = (0, 0);
        for (number, item) in items.iter().enumerate() {
            if matches!(item, SliceItem::At(_) | SliceItem::Chosen(_)) {
                first.get_or_insert((number, plain.len()));
                last = number;
                count += 1;
            }
            match item {
                SliceItem::At(_) => axis += 1,
                SliceItem::Ellipsis => {}
                SliceItem::Chosen(choice) => {
                    let axes = (own..own + choice.axes()).map(|k| (whole.lengths()[k], place.strides[k]));
                    groups.push(Group { choice: *choice, axis, axes: axes.collect() });
                    axis += choice.axes();
                    own += choice.axes();
                }
                _ => {
                    plain.push((whole.lengths()[own], place.strides[own]));
                    own += 1;
                    axis += usize::from(*item != SliceItem::NewAxis);
                }
            }
        }
        let at = match first {
            Some((number, at)) if last + 1 - number == count => at,
            _ => 0,
        };
        groups.iter().try_for_each(Group::check)?;
        let is_distinct = groups.iter().all(|group| group.choice.is_mask()) && groups.len() == 1;
        let lists = groups
            .iter()
            .map(|group| {
                let raw = group.choice.raw(context)?;
                context.check_same(operation, raw.context().unwrap_or(context))?;
                if group.choice.is_mask() { masks::places(&raw) } else { Ok(raw) }
            })
            .collect::<Result<Vec<Raw>>>()?;
        let indexing = Indexing::new(operation, groups.first().map(|group| group.axis));
        let mut place = place;
        let (indices, step, length) = match (&groups[..], &lists[..]) {
            ([group], [list]) if let Some((length, step)) = group.merged() => (list.clone(), step, length),
            _ => {
                let mut sum: Option<Raw> = None;
                let mut length = 1;
                for (group, list) in groups.iter().zip(&lists) {
                    let (below, extent) = group.extent();
                    if whole.size() > 0 {
                        place.offset -= below;
                    }
                    length += extent;
                    let distances = group.distances(list, operation, context)?;
                    sum = Some(match sum {
                        None => distances,
                        Some(sum) => together(&sum, &distances, operation)?,
                    });
                }
                (sum.expect("an array of indices"), 1, length)
            }
        };
        let (lengths, strides): (Vec<usize>, Vec<isize>) = plain.into_iter().unzip();
        Selection {
            place,
            dtype: raw.dtype(),
            shape: Shape::SCALAR,
            step,
            length,
            indices,
            places: [0; MAX_RANK],
            indexing,
            added: 0..0,
            is_distinct,
        }
        .shaped(&lengths, &strides, at, operation)
    }

    /// The elements that indices name along an axis, in whose place they are.
    pub(super) fn along(raw: &Raw, axis: usize, indices: &Raw, indexing: Indexing) -> Result<Selection> {
        let place = raw.place()?;
        place
            .buffer
            .context()
            .check_same(indexing.name(), indices.context().unwrap_or(place.buffer.context()))?;
        let (length, step) = (raw.lengths()[axis], place.strides[axis]);
        let mut lengths = raw.lengths().to_vec();
        let mut strides = place.strides[..lengths.len()].to_vec();
        lengths.remove(axis);
        strides.remove(axis);
        let indices = indices.clone();
        Selection {
            place,
            dtype: raw.dtype(),
            shape: Shape::SCALAR,
            step,
            length,
            indices,
            places: [0; MAX_RANK],
            indexing,
            added: 0..0,
            is_distinct: false,
        }
        .shaped(&lengths, &strides, axis, indexing.name())
    }

    /// Puts the axes of the indices between the others.
    fn shaped(
        mut self,
        lengths: &[usize],
        strides: &[isize],
        at: usize,
        operation: &'static str,
    ) -> Result<Selection> {
        let own = self.indices.shape();
        let rank = lengths.len() + own.rank();
        if rank > MAX_RANK {
            let message = format!("arrays have at most {MAX_RANK} axes, and this one would have {rank}");
            return Err(Problem::Shape { operation, message }.into());
        }
        let mut all = lengths.to_vec();
        all.splice(at..at, own.lengths().iter().copied());
        let sizes = all.iter().try_fold(1_usize, |size, length| size.checked_mul(*length));
        if sizes.is_none_or(|size| size > isize::MAX as usize / 16) && !all.contains(&0) {
            let message = format!("shape {all:?} has too many elements");
            return Err(Problem::Shape { operation, message }.into());
        }
        self.shape = Shape::new(&all);
        let mut steps = [0; MAX_RANK];
        steps[..at].copy_from_slice(&strides[..at]);
        steps[at + own.rank()..rank].copy_from_slice(&strides[at..]);
        self.place.strides = steps;
        self.places[at..at + own.rank()].copy_from_slice(&own.strides()[..own.rank()]);
        self.added = at..at + own.rank();
        Ok(self)
    }

    /// The elements that indices name along an axis, where the indices have all
    /// axes of the array: NumPy's `take_along_axis`.
    pub(super) fn aligned(raw: &Raw, axis: usize, indices: &Raw, indexing: Indexing) -> Result<Selection> {
        let (own, named, operation) = (raw.shape(), indices.shape(), indexing.name());
        if own.rank() != named.rank() {
            // NumPy's words.
            let message = format!(
                "`indices` and `arr` must have the same number of dimensions: shapes {named:?} and {own:?}"
            );
            return Err(Problem::IndexCount { message }.into());
        }
        let mut place = raw.place()?;
        let context = place.buffer.context();
        context.check_same(operation, indices.context().unwrap_or(context))?;
        let (length, step) = (own.lengths()[axis], place.strides[axis]);
        let mut lengths = own.lengths().to_vec();
        lengths[axis] = 1;
        let others = Shape::new(&lengths);
        let shape = others.broadcast(named, operation)?;
        place.strides = place.broadcast(others, shape);
        place.strides[axis] = 0;
        let in_order = Place { strides: named.strides(), ..place.clone() };
        let places = in_order.broadcast(named, shape);
        let (indices, added) = (indices.clone(), axis..axis + 1);
        let dtype = raw.dtype();
        Ok(Selection {
            place,
            dtype,
            shape,
            step,
            length,
            indices,
            places,
            indexing,
            added,
            is_distinct: false,
        })
    }

    /// The work, with the place of the indices.
    fn indexed<'a>(&'a self, indices: &'a Place) -> Indexed<'a> {
        Indexed {
            shape: self.shape,
            array: self.place.strided(),
            dtype: self.dtype,
            step: self.step,
            length: self.length,
            indices: (&indices.buffer, indices.offset, self.indices.size()),
            index: self.indices.dtype(),
            places: self.places,
            indexing: self.indexing,
        }
    }

    /// A new array of what is chosen.
    pub(super) fn read(&self) -> Result<Raw> {
        let context = self.place.buffer.context();
        let indices = self.indices.contiguous()?;
        let output = Place::within(context, self.shape, self.dtype)?;
        if self.shape.size() > 0 {
            context.perform(&Gather { indexed: self.indexed(&indices), output: &output.buffer })?;
        }
        Ok(Raw::new(Node::ready(self.shape, self.dtype, output)))
    }

    /// Writes a value, converted and stretched, over what is chosen in an array.
    pub(super) fn write(&self, raw: &Raw, value: Value) -> Result<()> {
        let (context, operation) = (self.place.buffer.context(), self.indexing.name());
        check_distinct(operation, raw.shape(), &raw.place()?)?;
        let (from, strides, is_one) = match value {
            Value::Scalar(scalar) => {
                let place = Place::within(context, Shape::SCALAR, self.dtype)?;
                expression::fill(Shape::SCALAR, rules::number(scalar, self.dtype)?, &place)?;
                (place, [0; MAX_RANK], true)
            }
            Value::Array(array) => {
                check_stretches(operation, self.shape, array.shape())?;
                rules::check_kind(operation, array.dtype(), self.dtype)?;
                context.check_same(operation, array.context().unwrap_or(context))?;
                let array = array.cast(self.dtype);
                let place = self.apart(&array, array.place()?)?;
                let strides = place.broadcast(array.shape(), self.shape);
                (place, strides, array.size() == 1)
            }
        };
        let indices = self.apart(&self.indices, self.indices.contiguous()?)?;
        if self.shape.size() == 0 {
            return Ok(());
        }
        // Whoever still has to read what is there reads it now.
        self.place.buffer.before_write()?;
        context.perform(&Scatter {
            indexed: self.indexed(&indices),
            values: Strided { buffer: &from.buffer, offset: from.offset, strides },
            claims: (!self.is_distinct && !is_one).then(|| self.claims()),
        })
    }

    /// A copy of what lies in the memory that is written.
    fn apart(&self, raw: &Raw, place: Place) -> Result<Place> {
        if Arc::ptr_eq(&place.buffer, &self.place.buffer) { raw.copied() } else { Ok(place) }
    }

    /// A number for each element that can be chosen: the axis that is indexed is
    /// the last.
    fn claims(&self) -> Claims {
        let mut strides = [0; MAX_RANK];
        let mut count = self.length;
        for axis in (0..self.shape.rank()).rev() {
            // Where the indices have strides, there is none of the array's own.
            // An element that is repeated along an axis is one.
            if self.added.contains(&axis) || self.place.strides[axis] == 0 {
                continue;
            }
            strides[axis] = count as isize;
            count *= self.shape.lengths()[axis];
        }
        Claims { strides, step: 1, count }
    }
}

/// The sum of distances along several axes.
fn together(a: &Raw, b: &Raw, operation: &'static str) -> Result<Raw> {
    a.shape().broadcast(b.shape(), operation).map_err(|_| {
        // NumPy's words.
        let message = format!(
            "shape mismatch: indexing arrays could not be broadcast together with shapes {:?} {:?}",
            a.shape(),
            b.shape()
        );
        Problem::IndexCount { message }
    })?;
    Raw::try_binary(BinaryOp::Add, a, b, DType::Int64, DType::Int64)
}
