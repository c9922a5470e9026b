//! Searches in sorted arrays, distinct elements, and arrays as sets.

use gpurepl_kernels::{BinaryOp, DType};

use super::axis::axis_of;
use super::chosen;
use super::join::{ArrayList, joined};
use super::masks::{compressed, places};
use super::node::{Node, Place};
use super::operators::IntoValue;
use super::raw::{Raw, Value};
use super::rules::{number, weak_dtype};
use super::sort::{along, order, sorted};
use super::{Elem, GpuArray, Promote, SliceItem, Slices, ToGpu, expression};
use crate::device::operations::Search;
use crate::error::{OrRaise as _, Problem, Result};
use crate::shape::Shape;

/// Searches and partial orders.
///
/// They panic with an [`Error`](crate::Error) if shapes do not fit or the device
/// reports an error.
impl<T: Elem> GpuArray<T> {
    /// Where values belong in this sorted vector, before elements that are equal:
    /// `np.searchsorted(a, v)`. In the shape of the values.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![1.0, 2.0, 2.0, 3.0];
    /// assert_eq!(a.searchsorted(gpu![2.0, 0.0, 9.0]).to_vec(), [1, 0, 4]);
    /// assert_eq!(a.searchsorted(2.5).item(), 3);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the array is not a vector.
    #[track_caller]
    pub fn searchsorted<V: IntoValue<T>>(&self, values: V) -> GpuArray<i64> {
        GpuArray::wrap(searched(&self.raw, values.into_value(), false).or_raise())
    }

    /// [`GpuArray::searchsorted`] behind elements that are equal:
    /// `np.searchsorted(a, v, side="right")`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 2, 2, 3].searchsorted_right(2).item(), 3);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::searchsorted`].
    #[track_caller]
    pub fn searchsorted_right<V: IntoValue<T>>(&self, values: V) -> GpuArray<i64> {
        GpuArray::wrap(searched(&self.raw, values.into_value(), true).or_raise())
    }

    /// A copy in which place `kth` of the last axis has the element that a sort
    /// would put there, none before it is greater and none behind it less. Here
    /// it is sorted.
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there is no such place.
    #[track_caller]
    pub fn partition(&self, kth: isize) -> GpuArray<T> {
        GpuArray::wrap(
            partitioned("partition", &self.raw, kth).and_then(|()| sorted(&self.raw, -1)).or_raise(),
        )
    }

    /// Where the elements of [`GpuArray::partition`] are.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::partition`].
    #[track_caller]
    pub fn argpartition(&self, kth: isize) -> GpuArray<i64> {
        GpuArray::wrap(
            partitioned("argpartition", &self.raw, kth).and_then(|()| order(&self.raw, -1)).or_raise(),
        )
    }

    /// The distinct elements, sorted; of several NaN one. `np.unique(a)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![3, 1, 3, 2, 1].unique().to_vec(), [1, 2, 3]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the device reports one.
    #[track_caller]
    pub fn unique(&self) -> GpuArray<T> {
        GpuArray::wrap(distinct(&self.raw).or_raise())
    }

    /// The distinct elements, and how often each occurs:
    /// `np.unique(a, return_counts=True)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let (values, counts) = gpu![3, 1, 3].unique_counts();
    /// assert_eq!((values.to_vec(), counts.to_vec()), (vec![1, 3], vec![1, 2]));
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::unique`].
    #[track_caller]
    pub fn unique_counts(&self) -> (GpuArray<T>, GpuArray<i64>) {
        let (values, counts) = counted(&self.raw).or_raise();
        (GpuArray::wrap(values), GpuArray::wrap(counts))
    }

    /// The distinct elements, and where each occurs first in C order:
    /// `np.unique(a, return_index=True)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![3, 1, 3].unique_index().1.to_vec(), [1, 0]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::unique`].
    #[track_caller]
    pub fn unique_index(&self) -> (GpuArray<T>, GpuArray<i64>) {
        let (values, index) = indexed(&self.raw).or_raise();
        (GpuArray::wrap(values), GpuArray::wrap(index))
    }

    /// The distinct elements, and for each element of the array which of them it
    /// is: `np.unique(a, return_inverse=True)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![3, 1, 3].unique_inverse().1.to_vec(), [1, 0, 1]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::unique`].
    #[track_caller]
    pub fn unique_inverse(&self) -> (GpuArray<T>, GpuArray<i64>) {
        let (values, inverse) = inverted(&self.raw).or_raise();
        (GpuArray::wrap(values), GpuArray::wrap(inverse))
    }

    /// Whether each element is one of others: `np.isin(a, b)`. NaN is none.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 2, 5].isin(&gpu![5, 1]).to_vec(), [true, false, true]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::unique`].
    #[track_caller]
    pub fn isin<U: Elem>(&self, others: impl ToGpu<Elem = U>) -> GpuArray<bool> {
        GpuArray::wrap(is_in(&self.raw, &others.upload().or_raise(), false).or_raise())
    }

    /// The distinct elements that both arrays have, sorted.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![3, 1, 3, 2].intersect1d(&gpu![2, 3, 9]).to_vec(), [2, 3]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::unique`].
    #[track_caller]
    pub fn intersect1d<U: Elem>(&self, other: impl ToGpu<Elem = U>) -> GpuArray<<T as Promote<U>>::Out>
    where
        T: Promote<U>,
    {
        let of = || {
            Ok::<_, crate::Error>(
                kept(&distinct(&self.raw)?, &other.upload().or_raise(), false)?.cast(T::Out::DTYPE),
            )
        };
        GpuArray::wrap(of().or_raise())
    }

    /// The distinct elements of both arrays, sorted.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::unique`].
    #[track_caller]
    pub fn union1d<U: Elem>(&self, other: impl ToGpu<Elem = U>) -> GpuArray<<T as Promote<U>>::Out>
    where
        T: Promote<U>,
    {
        GpuArray::wrap(union(&self.raw, &other.upload().or_raise(), T::Out::DTYPE).or_raise())
    }

    /// The distinct elements that the other array does not have, sorted.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![3, 1, 3, 2].setdiff1d(&gpu![2]).to_vec(), [1, 3]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::unique`].
    #[track_caller]
    pub fn setdiff1d<U: Elem>(&self, other: impl ToGpu<Elem = U>) -> GpuArray<T> {
        let of = || kept(&distinct(&self.raw)?, &other.upload().or_raise(), true);
        GpuArray::wrap(of().or_raise())
    }

    /// The distinct elements that one of the arrays has and the other does not,
    /// sorted.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::unique`].
    #[track_caller]
    pub fn setxor1d<U: Elem>(&self, other: impl ToGpu<Elem = U>) -> GpuArray<<T as Promote<U>>::Out>
    where
        T: Promote<U>,
    {
        GpuArray::wrap(exclusive(&self.raw, &other.upload().or_raise(), T::Out::DTYPE).or_raise())
    }
}

/// The order that sorts by several keys, of which the last counts first:
/// `np.lexsort((b, a))` sorts by `a`, and equal ones by `b`.
///
/// ```
/// use gpurepl_prelude::*;
/// let (names, ages) = (gpu![2, 1, 2], gpu![30, 20, 10]);
/// assert_eq!(array::lexsort((&ages, &names)).to_vec(), [1, 2, 0]);
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if there is no key, or they have different
/// shapes or several axes.
#[track_caller]
pub fn lexsort<L: ArrayList>(keys: L) -> GpuArray<i64> {
    GpuArray::wrap(by_keys(&keys.raws()).or_raise())
}

fn wrong<R>(operation: &'static str, message: String) -> Result<R> {
    Err(Problem::Shape { operation, message }.into())
}

fn searched(raw: &Raw, values: Value, is_behind: bool) -> Result<Raw> {
    if raw.shape().rank() != 1 {
        return wrong(
            "searchsorted",
            format!("shape {:?} is not a vector; `a.ravel().sort()` is one", raw.shape()),
        );
    }
    let values = match values {
        Value::Array(values) => values,
        Value::Scalar(scalar) => {
            let dtype = weak_dtype(raw.dtype(), scalar);
            let place = Place::within(chosen::context(raw)?, Shape::SCALAR, dtype)?;
            expression::fill(Shape::SCALAR, number(scalar, dtype)?, &place)?;
            Raw::new(Node::ready(Shape::SCALAR, dtype, place))
        }
    };
    search(raw, &values, is_behind)
}

/// Where values belong in a sorted vector.
pub(super) fn search(raw: &Raw, values: &Raw, is_behind: bool) -> Result<Raw> {
    let dtype = raw.dtype().promote(values.dtype());
    let (sorted, wanted) = (raw.cast(dtype).contiguous()?, values.cast(dtype).contiguous()?);
    let context = wanted.buffer.context();
    sorted.buffer.context().check_same("searchsorted", context)?;
    let place = Place::within(context, values.shape(), DType::Int64)?;
    if values.size() > 0 {
        let search = Search {
            dtype,
            sorted: (sorted.buffer, sorted.offset, raw.size()),
            values: (wanted.buffer, wanted.offset, values.size()),
            is_behind,
            places: place.buffer.clone(),
        };
        context.perform(&search.operation()?)?;
    }
    Ok(Raw::new(Node::ready(values.shape(), DType::Int64, place)))
}

fn partitioned(operation: &'static str, raw: &Raw, kth: isize) -> Result<()> {
    let axis = axis_of(operation, raw.shape(), -1)?;
    let length = raw.shape().lengths()[axis] as isize;
    if (-length..length).contains(&kth) {
        return Ok(());
    }
    // NumPy's words.
    wrong(operation, format!("kth(={kth}) out of bounds ({length})"))
}

fn flat(raw: &Raw) -> Result<Raw> {
    raw.try_reshape(crate::shape::IntoShape::into_dims(raw.size()))
}

/// The elements from a number on, or up to one from the end.
fn part(raw: &Raw, start: Option<i64>, end: Option<i64>) -> Result<Raw> {
    raw.sliced(Slices::new(&[SliceItem::Range { start, end, step: 1 }]))
}

/// Whether each element of a sorted vector is the first of its value.
pub(super) fn firsts(sorted: &Raw) -> Result<Raw> {
    let (dtype, answer) = (sorted.dtype(), DType::Bool);
    let compare = |op, a: &Raw, b: &Raw| Raw::try_binary(op, a, b, dtype, answer);
    let (before, here) = (part(sorted, None, Some(-1))?, part(sorted, Some(1), None)?);
    // What does not equal itself is NaN, and these stand together.
    let differ = compare(BinaryOp::NotEqual, &before, &here)?;
    let number = compare(BinaryOp::Equal, &before, &before)?;
    let differ = Raw::try_binary(BinaryOp::And, &differ, &number, answer, answer)?;
    let first = part(sorted, None, Some(1))?;
    let ones =
        Raw::try_compare(BinaryOp::Equal, &first.cast(DType::Bool), Value::Array(first.cast(DType::Bool)))?;
    joined("unique", &[ones, differ], answer, 0)
}

fn distinct(raw: &Raw) -> Result<Raw> {
    let sorted = sorted(&flat(raw)?, 0)?;
    if sorted.size() < 2 {
        return Ok(sorted);
    }
    compressed(&sorted, &firsts(&sorted)?)
}

fn counted(raw: &Raw) -> Result<(Raw, Raw)> {
    let sorted = sorted(&flat(raw)?, 0)?;
    let count = sorted.size();
    let context = chosen::context(&sorted)?;
    if count == 0 {
        return Ok((sorted, chosen::table(0, 0, 1, context)?));
    }
    let firsts = firsts(&sorted)?;
    let starts = places(&firsts)?;
    let end = chosen::table(1, count as i64, 1, context)?;
    let ends = joined("unique", &[part(&starts, Some(1), None)?, end], DType::Int64, 0)?;
    let counts = Raw::try_binary(BinaryOp::Subtract, &ends, &starts, DType::Int64, DType::Int64)?;
    Ok((compressed(&sorted, &firsts)?, counts))
}

fn indexed(raw: &Raw) -> Result<(Raw, Raw)> {
    let (sorted, order) = along(&flat(raw)?, 0, true, true)?;
    let (sorted, order) = (sorted.expect("values are wanted"), order.expect("places are wanted"));
    if sorted.size() == 0 {
        return Ok((sorted, order));
    }
    let firsts = firsts(&sorted)?;
    Ok((compressed(&sorted, &firsts)?, compressed(&order, &firsts)?))
}

fn inverted(raw: &Raw) -> Result<(Raw, Raw)> {
    let values = distinct(raw)?;
    let inverse = search(&values, raw, false)?;
    // Complex NaN of several kinds are one.
    let last = values.size() as i64 - 1;
    let inverse = if raw.dtype().is_complex() && last >= 0 {
        chosen::with(BinaryOp::Minimum, &inverse, last)?
    } else {
        inverse
    };
    Ok((values, inverse))
}

/// Whether elements are among others; or, if `inverted`, whether they are not.
fn is_in(raw: &Raw, others: &Raw, inverted: bool) -> Result<Raw> {
    let dtype = raw.dtype().promote(others.dtype());
    let others = sorted(&flat(&others.cast(dtype))?, 0)?;
    let (before, behind) = (search(&others, raw, false)?, search(&others, raw, true)?);
    let op = if inverted { BinaryOp::Equal } else { BinaryOp::NotEqual };
    let found = Raw::try_binary(op, &before, &behind, DType::Int64, DType::Bool)?;
    let (own, join) =
        if inverted { (BinaryOp::NotEqual, BinaryOp::Or) } else { (BinaryOp::Equal, BinaryOp::And) };
    let number = Raw::try_binary(own, raw, raw, raw.dtype(), DType::Bool)?;
    Raw::try_binary(join, &found, &number, DType::Bool, DType::Bool)
}

/// The elements that are among others, or are not.
fn kept(raw: &Raw, others: &Raw, inverted: bool) -> Result<Raw> {
    compressed(raw, &is_in(raw, others, inverted)?)
}

fn union(a: &Raw, b: &Raw, dtype: DType) -> Result<Raw> {
    distinct(&joined("union1d", &[flat(a)?, flat(b)?], dtype, 0)?)
}

fn exclusive(a: &Raw, b: &Raw, dtype: DType) -> Result<Raw> {
    let (a, b) = (distinct(&a.cast(dtype))?, distinct(&b.cast(dtype))?);
    let parts = [kept(&a, &b, true)?, kept(&b, &a, true)?];
    sorted(&joined("setxor1d", &parts, dtype, 0)?, 0)
}

fn by_keys(keys: &[Raw]) -> Result<Raw> {
    // NumPy's words.
    let Some((first, others)) = keys.split_first() else {
        return wrong("lexsort", "need sequence of keys with len > 0 in lexsort".to_owned());
    };
    if let Some(other) = keys.iter().find(|key| key.shape() != first.shape() || key.shape().rank() != 1) {
        return wrong(
            "lexsort",
            format!(
                "all keys need to be the same shape, of vectors: {:?} and {:?}",
                first.shape(),
                other.shape()
            ),
        );
    }
    let mut found = order(first, 0)?;
    for key in others {
        let turned = super::take::taken(key, &found)?;
        found = super::take::taken(&found, &order(&turned, 0)?)?;
    }
    Ok(found)
}
