//! Indexing and slicing: `a[1]`, `a[1..3]`, `a[s![.., -1]]`, `a[&indices]`.
//!
//! A slice is a view: it shares the array's memory. Indexing with brackets
//! lends a view that the array keeps; [`GpuArray::slice`] returns one. Indices
//! and masks give a copy, which `chosen` makes.

use std::ops::{Index, Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use bytemuck::TransparentWrapper as _;
use ndarray::{SliceInfo, SliceInfoElem};

use super::GpuArray;
use super::chosen;
use super::indices::{Choice, IndexElem};
use super::node::{Node, Place};
use super::operators::IntoValue;
use super::raw::{Raw, Value};
use crate::array::Elem;
use crate::error::{OrRaise as _, Problem, Result};
use crate::shape::{MAX_RANK, Shape};

/// The part of one axis that a slice takes, or what it does between axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliceItem<'a> {
    /// One place; the axis is left out of the view. Negative places count
    /// from the end.
    At(i64),
    /// From `start` to before `end` in steps; negative places count from the
    /// end, places outside are cut off, as in Python.
    Range {
        /// Where it starts; the first (or, going backwards, the last) if none.
        start: Option<i64>,
        /// Where it ends; after the last (or the first) if none.
        end: Option<i64>,
        /// From one element to the next; not zero.
        step: i64,
    },
    /// `ndarray`'s range: the elements from `start` to before `end`, then in
    /// steps, which begin at the last of them where they are negative. The
    /// range must lie within the axis.
    Within {
        /// Where the range starts.
        start: i64,
        /// Where it ends; after the last element if none.
        end: Option<i64>,
        /// From one element to the next; not zero.
        step: i64,
    },
    /// As many whole axes as are left.
    Ellipsis,
    /// A new axis of length 1.
    NewAxis,
    /// The elements that an array of indices, or a mask, names.
    Chosen(Choice<'a>),
}

impl<'a> SliceItem<'a> {
    /// The same range in other steps: the `2` in `s![1..; 2]`.
    ///
    /// # Panics
    ///
    /// If this is not a range, or the step is zero.
    #[track_caller]
    pub fn by(self, step: i64) -> SliceItem<'a> {
        match self {
            SliceItem::Range { start, end, .. } if step != 0 => SliceItem::Range { start, end, step },
            _ => bad_step(),
        }
    }
}

#[track_caller]
#[cold]
fn bad_step() -> ! {
    let message = "a step follows a range and is not zero".to_owned();
    crate::Error::from(Problem::IndexCount { message }).raise()
}

/// Parts for several axes: what `s!` makes.
#[derive(Clone, Copy, Debug)]
pub struct Slices<'a> {
    items: [SliceItem<'a>; 2 * MAX_RANK],
    count: usize,
    too_many: bool,
}

impl<'a> Slices<'a> {
    /// The parts in order.
    pub fn new(items: &[SliceItem<'a>]) -> Slices<'a> {
        let mut slices = Slices {
            items: [SliceItem::Ellipsis; 2 * MAX_RANK],
            count: 0,
            too_many: items.len() > 2 * MAX_RANK,
        };
        for item in items.iter().take(2 * MAX_RANK) {
            slices.items[slices.count] = *item;
            slices.count += 1;
        }
        slices
    }

    fn items(&self) -> &[SliceItem<'a>] {
        &self.items[..self.count]
    }

    /// Whether elements are named by arrays.
    fn chooses(&self) -> bool {
        self.items().iter().any(|item| matches!(item, SliceItem::Chosen(_)))
    }
}

/// Something that says which elements: `1`, `-1`, `1..3`, `..`, `s![.., 2]`, an
/// array of indices, a mask.
#[diagnostic::on_unimplemented(
    message = "an array cannot be indexed by `{Self}`",
    note = "use a whole number, a range such as `1..3`, `s![.., -1]` for several axes, or a reference to an \
            array of integers or `bool`"
)]
pub trait ArrayIndex {
    #[doc(hidden)]
    fn slices(&self) -> Slices<'_>;
}

impl ArrayIndex for Slices<'_> {
    fn slices(&self) -> Slices<'_> {
        *self
    }
}

impl ArrayIndex for &Slices<'_> {
    fn slices(&self) -> Slices<'_> {
        **self
    }
}

impl ArrayIndex for SliceItem<'_> {
    fn slices(&self) -> Slices<'_> {
        Slices::new(&[*self])
    }
}

/// Lists of indices and masks. `From` is for references, since `s!` keeps what
/// it is made of; a variable it borrows once more.
macro_rules! lists_of_indices {
    ($($(#[$attribute:meta])* [$($generic:tt)*] $t:ty, $self:ident => $choice:expr;)*) => {$(
        impl<'a, I: IndexElem $($generic)*> From<&'a $t> for SliceItem<'a> {
            fn from($self: &'a $t) -> SliceItem<'a> {
                SliceItem::Chosen($choice)
            }
        }

        impl<'a, I: IndexElem $($generic)*> From<&&'a $t> for SliceItem<'a> {
            fn from(list: &&'a $t) -> SliceItem<'a> {
                SliceItem::from(*list)
            }
        }

        impl<I: IndexElem $($generic)*> ArrayIndex for &$t {
            fn slices(&self) -> Slices<'_> {
                Slices::new(&[SliceItem::from(*self)])
            }
        }
    )*};
}
lists_of_indices! {
    [] GpuArray<I>, list => Choice::array(&list.raw);
    [] [I], list => Choice::host(list);
    [] Vec<I>, list => Choice::host(list);
    [, const N: usize] [I; N], list => Choice::host(list);
}

impl<I: IndexElem> ArrayIndex for GpuArray<I> {
    fn slices(&self) -> Slices<'_> {
        Slices::new(&[SliceItem::from(self)])
    }
}

impl<I: IndexElem> ArrayIndex for Vec<I> {
    fn slices(&self) -> Slices<'_> {
        Slices::new(&[SliceItem::from(self)])
    }
}

impl<I: IndexElem, const N: usize> ArrayIndex for [I; N] {
    fn slices(&self) -> Slices<'_> {
        Slices::new(&[SliceItem::from(self)])
    }
}

macro_rules! integer_indices {
    ($($t:ty)*) => {$(
        impl From<$t> for SliceItem<'_> {
            fn from(at: $t) -> Self {
                SliceItem::At(place(at))
            }
        }

        // Variables, which `s!` borrows.
        impl From<&$t> for SliceItem<'_> {
            fn from(at: &$t) -> Self {
                SliceItem::At(place(*at))
            }
        }

        impl ArrayIndex for $t {
            fn slices(&self) -> Slices<'_> {
                Slices::new(&[(*self).into()])
            }
        }

        impl PlaceOnAxis for $t {
            fn place(self) -> i64 {
                i64::try_from(self).unwrap_or(i64::MAX)
            }
        }
    )*};
}
integer_indices!(i32 i64 isize u32 u64 usize);

/// A whole number as a place on an axis.
trait PlaceOnAxis: Copy {
    fn place(self) -> i64;
}

fn place(at: impl PlaceOnAxis) -> i64 {
    at.place()
}

macro_rules! range_indices {
    ($($range:ident $self:ident => $start:expr, $end:expr;)*) => {$(
        #[allow(private_bounds)]
        impl<N: PlaceOnAxis> From<$range<N>> for SliceItem<'_> {
            fn from($self: $range<N>) -> Self {
                SliceItem::Range { start: $start, end: $end, step: 1 }
            }
        }

        #[allow(private_bounds)]
        impl<N: PlaceOnAxis> From<&$range<N>> for SliceItem<'_> {
            fn from(range: &$range<N>) -> Self {
                range.clone().into()
            }
        }

        #[allow(private_bounds)]
        impl<N: PlaceOnAxis> ArrayIndex for $range<N> {
            fn slices(&self) -> Slices<'_> {
                Slices::new(&[self.clone().into()])
            }
        }
    )*};
}
range_indices! {
    Range range => Some(range.start.place()), Some(range.end.place());
    RangeFrom range => Some(range.start.place()), None;
    RangeTo range => None, Some(range.end.place());
    RangeToInclusive range => None, after(range.end.place());
}

impl From<RangeFull> for SliceItem<'_> {
    fn from(_: RangeFull) -> Self {
        SliceItem::Range { start: None, end: None, step: 1 }
    }
}

impl ArrayIndex for RangeFull {
    fn slices(&self) -> Slices<'_> {
        Slices::new(&[(*self).into()])
    }
}

impl From<&RangeFull> for SliceItem<'_> {
    fn from(range: &RangeFull) -> Self {
        (*range).into()
    }
}

#[allow(private_bounds)]
impl<N: PlaceOnAxis> From<&RangeInclusive<N>> for SliceItem<'_> {
    fn from(range: &RangeInclusive<N>) -> Self {
        range.clone().into()
    }
}

impl<'a> From<&SliceItem<'a>> for SliceItem<'a> {
    fn from(item: &SliceItem<'a>) -> Self {
        *item
    }
}

#[allow(private_bounds)]
impl<N: PlaceOnAxis> From<RangeInclusive<N>> for SliceItem<'_> {
    fn from(range: RangeInclusive<N>) -> Self {
        let (start, end) = range.into_inner();
        SliceItem::Range { start: Some(start.place()), end: after(end.place()), step: 1 }
    }
}

#[allow(private_bounds)]
impl<N: PlaceOnAxis> ArrayIndex for RangeInclusive<N> {
    fn slices(&self) -> Slices<'_> {
        Slices::new(&[self.clone().into()])
    }
}

/// The end of a range that includes `last`: after -1 comes the end.
fn after(last: i64) -> Option<i64> {
    if last == -1 { None } else { Some(last.saturating_add(1)) }
}

/// What `ndarray`'s own `s!` makes, with its meaning: `2..8; -1` is the range
/// 2..8 backwards, where it is empty in NumPy and by this crate's `s!`, and a
/// range that reaches beyond the axis is an error.
impl<T: AsRef<[SliceInfoElem]>, In: ndarray::Dimension, Out: ndarray::Dimension> ArrayIndex
    for SliceInfo<T, In, Out>
{
    fn slices(&self) -> Slices<'_> {
        let item = |element: &SliceInfoElem| match *element {
            SliceInfoElem::Slice { start, end, step } => {
                SliceItem::Within { start: start as i64, end: end.map(|end| end as i64), step: step as i64 }
            }
            SliceInfoElem::Index(at) => SliceItem::At(at as i64),
            SliceInfoElem::NewAxis => SliceItem::NewAxis,
        };
        let elements: &[SliceInfoElem] = (**self).as_ref();
        Slices::new(&elements.iter().map(item).collect::<Vec<_>>())
    }
}

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

    #[test]
    fn inclusive_ranges_reach_the_end() {
        #[expect(clippy::reversed_empty_ranges, reason = "places count from the end")]
        let to_the_last = 1..=-1;
        assert_eq!(SliceItem::from(to_the_last), SliceItem::Range { start: Some(1), end: None, step: 1 });
        assert_eq!(SliceItem::from(..=2), SliceItem::Range { start: None, end: Some(3), step: 1 });
    }
}
