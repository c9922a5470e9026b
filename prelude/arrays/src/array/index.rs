//! Indexing and slicing: `a[1]`, `a[1..3]`, `a[s![.., -1]]`, `a[&indices]`.
//!
//! A slice is a view: it shares the array's memory. Indexing with brackets
//! lends a view that the array keeps; [`GpuArray::slice`] returns one. Indices
//! and masks give a copy, which `chosen` makes.

use std::ops::Index;

use bytemuck::TransparentWrapper as _;

use super::GpuArray;
use super::chosen;
use super::node::{Node, Place};
use super::operators::IntoValue;
use super::raw::{Raw, Value};
use super::slices::{ArrayIndex, SliceItem, Slices};
use crate::array::Elem;
use crate::error::{OrRaise as _, Problem, Result};
use crate::shape::{MAX_RANK, Shape};

impl<T: Elem, I: ArrayIndex> Index<I> for GpuArray<T> {
    type Output = GpuArray<T>;

    /// A view of some elements. A single element is an array too, without
    /// axes; `a[1].item()` reads it. The array keeps each view that it has
    /// lent until it is written or dropped; to read many elements one by one,
    /// copy them to the host first: `let host = a.to_vec();`.
    ///
    /// An array of indices chooses along the first axis, a mask the elements
    /// where it is true, as in NumPy. What they choose is a copy, which the
    /// array keeps as it keeps views; [`GpuArray::slice`] returns it instead,
    /// and is the one to use in a loop.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![1.0, 2.0, 3.0, 4.0];
    /// assert_eq!((2.0 * &a[1..3]).to_vec(), [4.0, 6.0]);
    /// assert_eq!(a[-1].item(), 4.0);
    /// assert_eq!(a[&gpu![3, 0, -1]].to_vec(), [4.0, 1.0, 4.0]);
    /// assert_eq!(a[&a.gt(2)].to_vec(), [3.0, 4.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if a place lies outside of the array, or
    /// a mask has another shape.
    #[track_caller]
    fn index(&self, index: I) -> &GpuArray<T> {
        GpuArray::wrap_ref(lend(&self.raw, index.slices()))
    }
}

impl<T: Elem> GpuArray<T> {
    /// A view of some elements, which shares this array's memory; of what an
    /// array of indices or a mask chooses, a copy.
    ///
    /// Several arrays of indices go together element by element, and so do
    /// whole numbers beside them: `s![&rows, &columns]` is one element for each
    /// pair. [`ix_`](crate::array::ix_) takes every row with every column.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = arange(0..12).reshape((3, 4));
    /// assert_eq!(a.slice(s![1.., -1]).to_vec(), [7, 11]);
    /// assert_eq!(a.slice(s![0, ..; 2]).to_vec(), [0, 2]);
    /// assert_eq!(a.slice(s![.., &[3, 0]]).to_vec(), [3, 0, 7, 4, 11, 8]);
    /// assert_eq!(a.slice(s![&[0, 2], &[1, 3]]).to_vec(), [1, 11]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if a place lies outside of the array.
    #[track_caller]
    pub fn slice<I: ArrayIndex>(&self, index: I) -> GpuArray<T> {
        GpuArray::wrap(view(&self.raw, index.slices()).or_raise())
    }

    /// [`GpuArray::slice`] that returns errors.
    ///
    /// # Errors
    ///
    /// If a place lies outside of the array, or there are more parts than axes.
    pub fn try_slice<I: ArrayIndex>(&self, index: I) -> Result<GpuArray<T>> {
        view(&self.raw, index.slices()).map(GpuArray::wrap)
    }

    /// Writes a number or an array over some elements: Python's
    /// `a[index] = value`. The value is stretched to them and converted to
    /// the array's type. If indices name an element several times, the last
    /// value stays, on every device.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let mut a = zeros::<i32>((2, 3));
    /// a.set(s![.., 1], 5);
    /// a.set(0, gpu![7, 8, 9]);
    /// assert_eq!(a.to_vec(), [7, 8, 9, 0, 5, 0]);
    /// a.set(&a.gt(6), 1);
    /// a.set(s![1, &[0, 2, 0]], gpu![4, 5, 6]);
    /// assert_eq!(a.to_vec(), [1, 1, 1, 6, 5, 5]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if a place lies outside of the array
    /// or the value does not fit.
    #[track_caller]
    pub fn set<I: ArrayIndex, V: IntoValue<T>>(&mut self, index: I, value: V) {
        store_at(&mut self.raw, index.slices(), value.into_value()).or_raise();
    }

    /// Writes values, stretched to the shape, into the memory that the array has:
    /// NumPy's `out=`. An expression is evaluated there, without memory of its
    /// own, unless it reads the array itself: then it is evaluated first.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let (x, y) = (gpu![1, 2, 3], gpu![10, 20, 30]);
    /// let mut z = zeros::<i32>(3);
    /// z.assign(&x + &y); // np.add(x, y, out=z)
    /// assert_eq!(z.to_vec(), [11, 22, 33]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the shapes do not broadcast to this
    /// one, or the type of the values does not convert to this one.
    #[track_caller]
    pub fn assign<V: IntoValue<T>>(&mut self, values: V) {
        self.raw.try_store(values.into_value()).or_raise();
    }

    /// Writes a number over all elements.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the number does not fit the type.
    #[track_caller]
    pub fn fill<V: IntoValue<T>>(&mut self, value: V) {
        self.raw.try_store(value.into_value()).or_raise();
    }
}

fn store_at(raw: &mut Raw, slices: Slices<'_>, value: Value) -> Result<()> {
    raw.forget_views();
    if slices.chooses() {
        return chosen::write(raw, &expand(&slices, raw.shape())?, value);
    }
    view(raw, slices)?.try_store(value)
}

#[track_caller]
fn lend<'r>(raw: &'r Raw, slices: Slices<'_>) -> &'r Raw {
    if slices.chooses() {
        return raw.keep(view(raw, slices).or_raise());
    }
    let (shape, place) = viewed(raw, slices).or_raise();
    raw.lend(shape, &place)
}

impl Raw {
    /// A handle to the elements that slices name.
    pub(crate) fn sliced(&self, slices: Slices<'_>) -> Result<Raw> {
        view(self, slices)
    }
}

/// A handle to the elements that slices name; a copy of those that arrays choose.
fn view(raw: &Raw, slices: Slices<'_>) -> Result<Raw> {
    if slices.chooses() {
        return chosen::read(raw, &expand(&slices, raw.shape())?);
    }
    let (shape, place) = viewed(raw, slices)?;
    Ok(Raw::new(Node::ready(shape, raw.dtype(), place)))
}

/// Where the elements lie that slices name.
fn viewed(raw: &Raw, slices: Slices<'_>) -> Result<(Shape, Place)> {
    walked(raw, &expand(&slices, raw.shape())?)
}

/// Where the elements lie that an item for each axis names; axes that arrays
/// choose from are whole.
pub(super) fn walked(raw: &Raw, items: &[SliceItem<'_>]) -> Result<(Shape, Place)> {
    let shape = raw.shape();
    let place = raw.place()?;
    let mut offset = place.offset as isize;
    let (mut lengths, mut strides) = (Vec::with_capacity(MAX_RANK), Vec::with_capacity(MAX_RANK));
    let mut axis = 0;
    for item in items {
        match *item {
            SliceItem::NewAxis => {
                lengths.push(1);
                strides.push(0);
            }
            SliceItem::At(at) => {
                let size = shape.lengths()[axis];
                let found = if at < 0 { at.saturating_add(size as i64) } else { at };
                if found < 0 || found >= size as i64 {
                    return Err(Problem::Index { index: at, axis, size }.into());
                }
                offset += found as isize * place.strides[axis];
                axis += 1;
            }
            SliceItem::Range { start, end, step } => {
                let (first, count) = stretch(shape.lengths()[axis], start, end, step);
                offset += first as isize * place.strides[axis];
                lengths.push(count);
                strides.push(step as isize * place.strides[axis]);
                axis += 1;
            }
            SliceItem::Within { start, end, step } => {
                let (first, count) = within(shape.lengths()[axis], axis, start, end, step)?;
                offset += first as isize * place.strides[axis];
                lengths.push(count);
                strides.push(step as isize * place.strides[axis]);
                axis += 1;
            }
            SliceItem::Chosen(choice) => {
                for _ in 0..choice.axes() {
                    lengths.push(shape.lengths()[axis]);
                    strides.push(place.strides[axis]);
                    axis += 1;
                }
            }
            SliceItem::Ellipsis => {}
        }
    }
    if lengths.len() > MAX_RANK {
        return Err(too_many(shape));
    }
    let mut steps = [0; MAX_RANK];
    steps[..strides.len()].copy_from_slice(&strides);
    let shape = Shape::new(&lengths);
    // An empty view names no element; where it starts must not matter.
    let offset = if shape.size() == 0 { 0 } else { offset as usize };
    Ok((shape, Place { offset, strides: steps, ..place }))
}

/// One item for each axis: the ellipsis, or the end, becomes whole axes.
fn expand<'a>(slices: &Slices<'a>, shape: Shape) -> Result<Vec<SliceItem<'a>>> {
    let whole = SliceItem::Range { start: None, end: None, step: 1 };
    let axes = |item: &SliceItem<'_>| match item {
        SliceItem::NewAxis | SliceItem::Ellipsis => 0,
        SliceItem::Chosen(choice) => choice.axes(),
        _ => 1,
    };
    let named: usize = slices.items().iter().map(axes).sum();
    let ellipses = slices.items().iter().filter(|item| **item == SliceItem::Ellipsis).count();
    if slices.too_many || named > shape.rank() {
        return Err(too_many(shape));
    }
    if ellipses > 1 {
        return Err(Problem::IndexCount { message: "an index can have one `...` only".to_owned() }.into());
    }
    let left = shape.rank() - named;
    let mut items = Vec::with_capacity(2 * MAX_RANK);
    for item in slices.items() {
        match item {
            SliceItem::Ellipsis => items.extend(std::iter::repeat_n(whole, left)),
            item => items.push(*item),
        }
    }
    if ellipses == 0 {
        items.extend(std::iter::repeat_n(whole, left));
    }
    Ok(items)
}

/// The first place of `ndarray`'s slice and the number of places, as its
/// `do_slice` computes them.
fn within(size: usize, axis: usize, start: i64, end: Option<i64>, step: i64) -> Result<(usize, usize)> {
    let size = size as i64;
    let at = |place: i64| {
        let found = if place < 0 { place.saturating_add(size) } else { place };
        if (0..=size).contains(&found) {
            Ok(found)
        } else {
            Err(Problem::Index { index: place, axis, size: size as usize })
        }
    };
    let start = at(start)?;
    let end = end.map_or(Ok(size), at)?.max(start);
    let first = if step < 0 && end > start { end - 1 } else { start };
    Ok((first as usize, (end - start).unsigned_abs().div_ceil(step.unsigned_abs()) as usize))
}

#[cold]
fn too_many(shape: Shape) -> crate::Error {
    let message = format!("too many indices for an array of shape {shape:?}");
    Problem::IndexCount { message }.into()
}

/// The first place and the number of elements of a range on an axis, by
/// Python's rules (`slice.indices`).
fn stretch(size: usize, start: Option<i64>, end: Option<i64>, step: i64) -> (usize, usize) {
    let size = size as i64;
    let (lowest, highest) = if step > 0 { (0, size) } else { (-1, size - 1) };
    let held = |at: i64| (if at < 0 { at.saturating_add(size) } else { at }).clamp(lowest, highest);
    let (first, last) = if step > 0 { (lowest, highest) } else { (highest, lowest) };
    let (start, end) = (start.map_or(first, held), end.map_or(last, held));
    let distance = if step > 0 { end - start } else { start - end };
    let count = distance.max(0).unsigned_abs().div_ceil(step.unsigned_abs());
    (start.max(0) as usize, count as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Ranges take what Python's do: the places, worked out one by one.
        #[test]
        fn ranges_are_pythons(
            size in 0usize..12,
            start in prop::option::of(-15i64..15),
            end in prop::option::of(-15i64..15),
            step in prop_oneof![-4i64..0, 1i64..5],
        ) {
            let at = |place: i64| if place < 0 { place + size as i64 } else { place };
            let first = start.map_or(if step > 0 { 0 } else { size as i64 - 1 }, |s| {
                at(s).clamp(if step > 0 { 0 } else { -1 }, if step > 0 { size as i64 } else { size as i64 - 1 })
            });
            let last = end.map_or(if step > 0 { size as i64 } else { -1 }, |e| {
                at(e).clamp(if step > 0 { 0 } else { -1 }, if step > 0 { size as i64 } else { size as i64 - 1 })
            });
            let mut expected = Vec::new();
            let mut place = first;
            while (step > 0 && place < last) || (step < 0 && place > last) {
                expected.push(place as usize);
                place += step;
            }
            let (first, count) = stretch(size, start, end, step);
            let found: Vec<usize> = (0..count as i64).map(|k| (first as i64 + k * step) as usize).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
