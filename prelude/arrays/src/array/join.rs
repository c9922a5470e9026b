//! Several arrays become one.

use gpurepl_kernels::DType;
use half::f16;
use num_complex::{Complex32, Complex64};

use super::axis::axis_of;
use super::layout::{at_least, expanded};
use super::node::{Node, Operation, Place};
use super::raw::Raw;
use super::view::transposed;
use super::{Elem, GpuArray, Promote, ToGpu, expression};
use crate::error::{OrRaise as _, Problem, Result};
use crate::shape::{IntoShape as _, Shape};

/// Arrays to join: a slice, a vector or an array of what is of one type, or a
/// tuple of up to eight, whose types promote together. Each is an array, a
/// reference to one, or data of the host ([`ToGpu`]).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of arrays",
    note = "write `(&a, &b)`, or `&[&a, &b]` and `&vector` where the elements have one type"
)]
pub trait ArrayList {
    /// The type that holds the elements of all.
    type Out: Elem;

    #[doc(hidden)]
    #[track_caller]
    fn raws(&self) -> Vec<Raw>;
}

macro_rules! lists {
    ($([$($generics:tt)*] $list:ty;)*) => {$(
        impl<A: ToGpu, $($generics)*> ArrayList for $list {
            type Out = A::Elem;

            #[track_caller]
            fn raws(&self) -> Vec<Raw> {
                self.iter().map(ToGpu::upload).collect::<Result<_>>().or_raise()
            }
        }
    )*};
}
lists! {
    [] [A];
    [] Vec<A>;
    [const N: usize] [A; N];
}

impl<L: ArrayList + ?Sized> ArrayList for &L {
    type Out = L::Out;

    #[track_caller]
    fn raws(&self) -> Vec<Raw> {
        (**self).raws()
    }
}

/// The type that holds several, of a nested list of types: `((First<A>, B), C)`.
///
/// NumPy promotes all of them together and not from the first to the last:
/// `int8` with `uint8` is `int16`, and yet both with `float16` are `float16`.
/// So the types of each kind promote among themselves, and the kinds then, from
/// the floats down. `bool` stands for a kind that is not there.
#[doc(hidden)]
pub trait PromoteAll {
    type Out: Elem;
}

/// The types that a list of types has come to, one for each kind.
#[doc(hidden)]
pub trait Kinds {
    type Signed: Elem;
    type Unsigned: Elem;
    type Floating: Elem;
}

#[doc(hidden)]
pub struct First<T>(std::marker::PhantomData<T>);

impl<T: Kinds> Kinds for First<T> {
    type Signed = T::Signed;
    type Unsigned = T::Unsigned;
    type Floating = T::Floating;
}

impl<L: Kinds, T: Kinds> Kinds for (L, T)
where
    L::Signed: Promote<T::Signed>,
    L::Unsigned: Promote<T::Unsigned>,
    L::Floating: Promote<T::Floating>,
{
    type Signed = <L::Signed as Promote<T::Signed>>::Out;
    type Unsigned = <L::Unsigned as Promote<T::Unsigned>>::Out;
    type Floating = <L::Floating as Promote<T::Floating>>::Out;
}

impl<L: Kinds> PromoteAll for L
where
    L::Floating: Promote<L::Signed>,
    <L::Floating as Promote<L::Signed>>::Out: Promote<L::Unsigned>,
{
    type Out = <<L::Floating as Promote<L::Signed>>::Out as Promote<L::Unsigned>>::Out;
}

macro_rules! kinds {
    ($($t:ty: $signed:ty, $unsigned:ty, $floating:ty;)*) => {$(
        impl Kinds for $t {
            type Signed = $signed;
            type Unsigned = $unsigned;
            type Floating = $floating;
        }
    )*};
}
kinds! {
    bool: bool, bool, bool;
    i8: i8, bool, bool;
    i16: i16, bool, bool;
    i32: i32, bool, bool;
    i64: i64, bool, bool;
    u8: bool, u8, bool;
    u16: bool, u16, bool;
    u32: bool, u32, bool;
    u64: bool, u64, bool;
    f16: bool, bool, f16;
    f32: bool, bool, f32;
    f64: bool, bool, f64;
    Complex32: bool, bool, Complex32;
    Complex64: bool, bool, Complex64;
}

macro_rules! nested {
    ([$list:ty]) => { $list };
    ([$list:ty] $next:ident $($rest:ident)*) => {
        nested!([($list, <$next as ToGpu>::Elem)] $($rest)*)
    };
}

macro_rules! tuples {
    ($(($first:ident $zero:tt $(, $name:ident $place:tt)*))*) => {$(
        impl<$first: ToGpu, $($name: ToGpu),*> ArrayList for ($first, $($name,)*)
        where
            nested!([First<$first::Elem>] $($name)*): PromoteAll,
        {
            type Out = <nested!([First<$first::Elem>] $($name)*) as PromoteAll>::Out;

            #[track_caller]
            fn raws(&self) -> Vec<Raw> {
                vec![self.$zero.upload().or_raise(), $(self.$place.upload().or_raise()),*]
            }
        }
    )*};
}
gpurepl_ground::for_tuples!(up to 8, tuples);

/// Arrays one after the other along their first axis.
///
/// ```
/// use gpurepl_prelude::*;
/// let (a, b) = (gpu![1, 2], gpu![0.5]);
/// assert_eq!(concatenate((&a, &b)).to_vec(), [1.0, 2.0, 0.5]);
/// assert_eq!(concatenate(&[&a, &a]).to_vec(), [1, 2, 1, 2]);
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if there is no array, one has no axes, or
/// lengths differ along another axis.
#[track_caller]
pub fn concatenate<L: ArrayList>(arrays: L) -> GpuArray<L::Out> {
    concatenate_axis(arrays, 0)
}

/// [`concatenate`] along any axis, which may count from the last.
///
/// ```
/// use gpurepl_prelude::*;
/// let m = gpu![[1, 2], [3, 4]];
/// assert_eq!(concatenate_axis(&[&m, &m.t()], 1).to_vec(), [1, 2, 1, 3, 3, 4, 2, 4]);
/// ```
///
/// # Panics
///
/// As [`concatenate`], or if there is no such axis.
#[track_caller]
pub fn concatenate_axis<L: ArrayList>(arrays: L, axis: isize) -> GpuArray<L::Out> {
    GpuArray::wrap(joined("concatenate", &arrays.raws(), L::Out::DTYPE, axis).or_raise())
}

/// Arrays of one shape beside each other along a new first axis.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(stack(&[&gpu![1, 2], &gpu![3, 4]]).shape(), [2, 2]);
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if there is no array, or shapes differ.
#[track_caller]
pub fn stack<L: ArrayList>(arrays: L) -> GpuArray<L::Out> {
    stack_axis(arrays, 0)
}

/// [`stack`] along a new axis at this position of the answer.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(stack_axis((&gpu![1, 2], &gpu![3, 4]), -1).to_vec(), [1, 3, 2, 4]);
/// ```
///
/// # Panics
///
/// As [`stack`], or if the answer has no such axis.
#[track_caller]
pub fn stack_axis<L: ArrayList>(arrays: L, axis: isize) -> GpuArray<L::Out> {
    GpuArray::wrap(stacked(&arrays.raws(), L::Out::DTYPE, axis).or_raise())
}

/// Arrays below each other; a vector is a row.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(vstack((&gpu![1, 2], &gpu![[3, 4], [5, 6]])).shape(), [3, 2]);
/// ```
///
/// # Panics
///
/// As [`concatenate`].
#[track_caller]
pub fn vstack<L: ArrayList>(arrays: L) -> GpuArray<L::Out> {
    GpuArray::wrap(raised("vstack", &arrays.raws(), L::Out::DTYPE, 2, 0).or_raise())
}

/// Arrays beside each other: along the second axis, vectors along the first.
///
/// # Panics
///
/// As [`concatenate`].
#[track_caller]
pub fn hstack<L: ArrayList>(arrays: L) -> GpuArray<L::Out> {
    let raws = arrays.raws();
    let axis = raws.first().map_or(0, |first| isize::from(first.shape().rank() > 1));
    GpuArray::wrap(raised("hstack", &raws, L::Out::DTYPE, 1, axis).or_raise())
}

/// Arrays behind each other along the third axis, as
/// [`GpuArray::atleast_3d`] gives it to them.
///
/// # Panics
///
/// As [`concatenate`].
#[track_caller]
pub fn dstack<L: ArrayList>(arrays: L) -> GpuArray<L::Out> {
    GpuArray::wrap(raised("dstack", &arrays.raws(), L::Out::DTYPE, 3, 2).or_raise())
}

/// Arrays beside each other; a vector is a column.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(column_stack((&gpu![1, 2], &gpu![3, 4])).to_vec(), [1, 3, 2, 4]);
/// ```
///
/// # Panics
///
/// As [`concatenate`].
#[track_caller]
pub fn column_stack<L: ArrayList>(arrays: L) -> GpuArray<L::Out> {
    GpuArray::wrap(columns(&arrays.raws(), L::Out::DTYPE).or_raise())
}

/// An array made of blocks: a list of rows, each of which is a list of arrays beside each
/// other. NumPy's `np.block([[a, b], [c, d]])`.
///
/// ```
/// use gpurepl_prelude::*;
/// let (a, b) = (ones::<i32>((2, 2)), zeros::<i32>((2, 1)));
/// let whole = array::block([[&a, &b], [&b, &a]]);
/// assert_eq!(whole.shape(), [4, 3]);
/// ```
///
/// # Panics
///
/// As [`concatenate`].
#[track_caller]
pub fn block<L: ArrayList>(rows: impl AsRef<[L]>) -> GpuArray<L::Out> {
    let rows: Vec<Vec<Raw>> = rows.as_ref().iter().map(ArrayList::raws).collect();
    GpuArray::wrap(blocks(&rows, L::Out::DTYPE).or_raise())
}

fn blocks(rows: &[Vec<Raw>], dtype: DType) -> Result<Raw> {
    let rank = rows.iter().flatten().map(|raw| raw.shape().rank()).max().unwrap_or(0).max(2);
    // Axes are added in front.
    let whole = |raw: &Raw| {
        let mut lengths = vec![1; rank - raw.shape().rank()];
        lengths.extend_from_slice(raw.lengths());
        raw.try_reshape(lengths.into_dims())
    };
    let row =
        |row: &Vec<Raw>| joined("block", &row.iter().map(whole).collect::<Result<Vec<_>>>()?, dtype, -1);
    joined("block", &rows.iter().map(row).collect::<Result<Vec<_>>>()?, dtype, -2)
}

fn raised(operation: &'static str, raws: &[Raw], dtype: DType, rank: usize, axis: isize) -> Result<Raw> {
    let raws = raws.iter().map(|raw| at_least(raw, rank)).collect::<Result<Vec<_>>>()?;
    joined(operation, &raws, dtype, axis)
}

fn columns(raws: &[Raw], dtype: DType) -> Result<Raw> {
    let column = |raw: &Raw| match raw.shape().rank() {
        0 | 1 => transposed(&at_least(raw, 2)?),
        _ => Ok(raw.clone()),
    };
    let raws = raws.iter().map(column).collect::<Result<Vec<_>>>()?;
    joined("column_stack", &raws, dtype, 1)
}

fn stacked(raws: &[Raw], dtype: DType, axis: isize) -> Result<Raw> {
    let operation = "stack";
    let first = raws.first().map_or(Shape::SCALAR, Raw::shape);
    if let Some(other) = raws.iter().map(Raw::shape).find(|shape| *shape != first) {
        // NumPy's words.
        let message = format!(
            "all input arrays must have the same shape: {first:?} and {other:?}; `concatenate` joins others"
        );
        return Err(Problem::Shape { operation, message }.into());
    }
    let raws = raws.iter().map(|raw| expanded(raw, axis.into_dims())).collect::<Result<Vec<_>>>()?;
    joined(operation, &raws, dtype, axis)
}

pub(super) fn joined(operation: &'static str, raws: &[Raw], dtype: DType, axis: isize) -> Result<Raw> {
    let wrong = |message: String| Err(Problem::Shape { operation, message }.into());
    // NumPy's words, here and below.
    let Some(first) = raws.first().map(Raw::shape) else {
        return wrong("need at least one array to concatenate; the list is empty".to_owned());
    };
    if let Some(number) = raws.iter().position(|raw| raw.shape().rank() == 0) {
        return wrong(format!(
            "zero-dimensional arrays cannot be concatenated: array {number} is one\n  = help: `stack` joins them"
        ));
    }
    let axis = axis_of(operation, first, axis)?;
    let mut total = 0_usize;
    for (number, raw) in raws.iter().enumerate() {
        let shape = raw.shape();
        if shape.rank() != first.rank() || shape.without(axis) != first.without(axis) {
            return wrong(format!(
                "all the input array dimensions except for the concatenation axis {axis} must match exactly: array 0 \
                 has shape {first:?}, and array {number} has {shape:?}\n  = help: `a.expand_dims(0)` adds an axis, and \
                 `a.reshape(..)` changes lengths"
            ));
        }
        total = total.saturating_add(shape.lengths()[axis]);
    }
    let mut lengths = first.lengths().to_vec();
    lengths[axis] = total;
    let shape = lengths.into_dims().shape(operation, dtype.size())?;
    let context = raws.iter().find_map(Raw::context).map_or_else(crate::device::current, Ok)?;
    let place = Place::within(context, shape, dtype)?;
    let mut part = place.clone();
    for raw in raws {
        // New memory, which nothing else reads: each expression is computed
        // into its part.
        let cast = Operation::Cast(raw.node().into_owned());
        expression::evaluate_operation(raw.shape(), dtype, &cast, &part)?;
        part.offset += raw.shape().lengths()[axis] * place.strides[axis].unsigned_abs();
    }
    Ok(Raw::new(Node::ready(shape, dtype, place)))
}
