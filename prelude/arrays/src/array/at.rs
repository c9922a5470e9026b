//! NumPy's `ufunc.at` and `ufunc.reduceat`: updates by indices that may repeat, and
//! reductions of pieces of an axis.

use gpurepl_kernels::{BinaryOp, DType, ReduceOp};

use super::axis::axis_of;
use super::chosen::{self, Selection};
use super::compare::single;
use super::indices::{Choice, IndexArray};
use super::join::joined;
use super::layout::{moved, narrowed, stretched_to};
use super::masks::{compressed, places};
use super::node::{Node, Place};
use super::operators::IntoValue;
use super::over::accumulated;
use super::places::{IndexLists, from_to};
use super::put::on_rows;
use super::raw::{Raw, Value};
use super::rules::{check_defined, check_kind};
use super::sets::firsts;
use super::sort::order;
use super::take::{take_axis, taken};
use super::{Elem, GpuArray, RealElem};
use crate::device::operations::{Indexing, Segments};
use crate::error::{OrRaise as _, Problem, Result};
use crate::scalar::Scalar;
use crate::shape::{IntoShape as _, Shape};

/// Indices of elements to update: an array or a list of them for the first axis, or a
/// tuple of one for each of several axes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say which elements to update",
    note = "use `&indices`, an array or a list of integers, or a tuple of them for several axes"
)]
pub trait UpdateIndices {
    #[doc(hidden)]
    fn each_axis(&self) -> Vec<Choice<'_>>;
}

impl<I: IndexArray> UpdateIndices for I {
    fn each_axis(&self) -> Vec<Choice<'_>> {
        vec![self.choice()]
    }
}

macro_rules! tuples {
    ($(($($name:ident $place:tt),+))*) => {$(
        impl<$($name: IndexArray),+> UpdateIndices for ($($name,)+) {
            fn each_axis(&self) -> Vec<Choice<'_>> {
                self.choices()
            }
        }
    )*};
}
gpurepl_ground::for_tuples!(up to 8, tuples);

macro_rules! updates {
    ($($(#[$doc:meta])* $method:ident $op:ident $reduce:ident, $numpy:literal;)*) => {$(
        $(#[$doc])*
        #[doc = concat!("\nNumPy's `np.", $numpy, ".at(a, indices, values)`.")]
        ///
        /// # Panics
        ///
        /// As [`GpuArray::add_at`].
        #[track_caller]
        pub fn $method<V: IntoValue<T>>(&mut self, indices: impl UpdateIndices, values: V) {
            let how = (stringify!($method), BinaryOp::$op, ReduceOp::$reduce);
            update(&mut self.raw, how, &indices.each_axis(), values.into_value()).or_raise();
        }
    )*};
}

/// Updates by indices that may repeat: an element that is named several times gets
/// each of its values, where `set!(a[&indices] += values)` gives it one. The values of
/// an element are combined with each other first, in the order of the indices, and then
/// with it. So floats may differ from NumPy's in their last digits, and where values
/// overflow on the way.
impl<T: Elem> GpuArray<T> {
    /// Adds values to the elements that indices of the first axis name, or indices of
    /// several axes in a tuple: NumPy's `np.add.at(a, indices, values)`. Values broadcast
    /// to what the indices name.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let mut counts = zeros::<i32>(4);
    /// counts.add_at(&gpu![0, 2, 2, -1], 1);
    /// assert_eq!(counts.to_vec(), [1, 0, 2, 1]);
    /// let mut plane = zeros::<f32>((2, 2));
    /// plane.add_at((&[0, 1, 0], &[1, 0, 1]), &gpu![0.5f32, 1.0, 2.0]);
    /// assert_eq!(plane.to_vec(), [0.0, 2.5, 1.0, 0.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if an index is out of bounds, the values do not
    /// broadcast to what the indices name, or their type does not go into the array's,
    /// as floats do not go into integers.
    #[track_caller]
    pub fn add_at<V: IntoValue<T>>(&mut self, indices: impl UpdateIndices, values: V) {
        let how = ("add_at", BinaryOp::Add, ReduceOp::Sum);
        update(&mut self.raw, how, &indices.each_axis(), values.into_value()).or_raise();
    }

    updates! {
        /// Multiplies the elements that indices name by values.
        multiply_at Multiply Product, "multiply";
    }
}

impl<T: RealElem> GpuArray<T> {
    updates! {
        /// Subtracts values from the elements that indices name.
        subtract_at Subtract Sum, "subtract";
        /// Raises the elements that indices name to values that are greater.
        maximum_at Maximum Maximum, "maximum";
        /// Lowers the elements that indices name to values that are less.
        minimum_at Minimum Minimum, "minimum";
    }
}

macro_rules! reductions {
    ($($(#[$doc:meta])* $method:ident $method_axis:ident $op:ident $out:ty, $numpy:literal;)*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        ///
        /// With an [`Error`](crate::Error), if an index is out of bounds, or the array has
        /// no axis.
        #[track_caller]
        pub fn $method<I: IndexArray>(&self, indices: I) -> GpuArray<$out> {
            self.$method_axis(indices, 0)
        }

        #[doc = concat!(
            "[`GpuArray::", stringify!($method), "`] along an axis: NumPy's `np.", $numpy,
            ".reduceat(a, indices, axis)`."
        )]
        ///
        /// # Panics
        ///
        #[doc = concat!("As [`GpuArray::", stringify!($method), "`], or if there is no such axis.")]
        #[track_caller]
        pub fn $method_axis<I: IndexArray>(&self, indices: I, axis: isize) -> GpuArray<$out> {
            let dtype = <$out as Elem>::DTYPE;
            let how = (stringify!($method), ReduceOp::$op, dtype);
            GpuArray::wrap(reduceat(&self.raw.cast(dtype), how, indices.choice(), axis).or_raise())
        }
    )*};
}

/// Reductions of pieces of an axis.
impl<T: Elem> GpuArray<T> {
    reductions! {
        /// The sums of pieces of the first axis: each from an index to before the next one,
        /// and the last one to the end. An index that is not below the next one gives its own
        /// element. NumPy's `np.add.reduceat(a, indices)`.
        ///
        /// ```
        /// use gpurepl_prelude::*;
        /// assert_eq!(arange(0..8).add_reduceat(&[0, 4, 1, 5]).to_vec(), [6_i64, 4, 10, 18]);
        /// ```
        add_reduceat add_reduceat_axis Sum T::Sum, "add";
        /// The products of pieces of the first axis: see [`GpuArray::add_reduceat`].
        multiply_reduceat multiply_reduceat_axis Product T::Sum, "multiply";
        /// The largest elements of pieces of the first axis: see [`GpuArray::add_reduceat`].
        maximum_reduceat maximum_reduceat_axis Maximum T, "maximum";
        /// The smallest elements of pieces of the first axis: see [`GpuArray::add_reduceat`].
        minimum_reduceat minimum_reduceat_axis Minimum T, "minimum";
    }
}

/// The type in which elements are put together: halves in single precision, and integers in
/// 64 bits, so that a sum fits where its target does.
fn accumulator(dtype: DType) -> DType {
    if dtype == DType::Bool { dtype } else { accumulated(dtype.accumulator()) }
}

/// Indices of 64 bits along an axis, those that count from the end as the others.
fn counted(operation: &'static str, indices: &Raw, axis: usize, length: usize) -> Result<Raw> {
    let from = -i128::try_from(length).expect("a length is a usize");
    let wide = from_to(indices, from, length)?.map_err(|index| Problem::IndexCount {
        // NumPy's words.
        message: format!("{operation}: index {index} is out of bounds for axis {axis} with size {length}"),
    })?;
    let later = chosen::with(BinaryOp::Add, &wide, length as i64)?;
    let is_from_end = Raw::try_compare(BinaryOp::Less, &wide, Value::Scalar(Scalar::Int(0)))?;
    Raw::try_select(&is_from_end, Value::Array(later), Value::Array(wide), DType::Int64)
}

/// The row of each index, where the first axes that are indexed are one.
fn rows_of(operation: &'static str, raw: &Raw, lists: &[Choice<'_>]) -> Result<Raw> {
    if lists.len() > raw.shape().rank() {
        // NumPy's words.
        let message = format!(
            "too many indices for array: array is {}-dimensional, but {} were indexed",
            raw.shape().rank(),
            lists.len()
        );
        return Err(Problem::Shape { operation, message }.into());
    }
    let context = chosen::context(raw)?;
    let mut rows: Option<Raw> = None;
    for (axis, (list, length)) in lists.iter().zip(raw.lengths()).enumerate() {
        let own = counted(operation, &list.raw(context)?, axis, *length)?;
        rows = Some(match rows {
            None => own,
            Some(rows) => {
                let rows = chosen::with(BinaryOp::Multiply, &rows, *length as i64)?;
                Raw::try_binary(BinaryOp::Add, &rows, &own, DType::Int64, DType::Int64)?
            }
        });
    }
    rows.ok_or_else(|| Problem::Shape { operation, message: "no indices".to_owned() }.into())
}

/// Pieces of rows, reduced to one each.
fn pieces(matrix: &Raw, starts: &Raw, ends: &Raw, op: ReduceOp) -> Result<Raw> {
    let (rows, row) = (matrix.lengths()[0], matrix.lengths()[1]);
    let count = starts.size();
    let (starts, ends) = (starts.contiguous()?, ends.contiguous()?);
    let place = matrix.contiguous()?;
    let context = place.buffer.context();
    let shape = Shape::new(&[count, row]);
    let output = Place::within(context, shape, matrix.dtype())?;
    if shape.size() > 0 {
        let segments = Segments {
            dtype: matrix.dtype(),
            op,
            matrix: (place.buffer, place.offset, rows, row),
            starts: (starts.buffer, starts.offset),
            ends: (ends.buffer, ends.offset),
            pieces: count,
            output: output.buffer.clone(),
        };
        context.perform(&segments.operation()?)?;
    }
    Ok(Raw::new(Node::ready(shape, matrix.dtype(), output)))
}

/// The row behind each piece: where the next one starts, and `end`.
fn behind(starts: &Raw, end: usize) -> Result<Raw> {
    let count = starts.size();
    let later = narrowed(starts, 0, 1, count - 1)?;
    let last = chosen::table(1, end as i64, 1, chosen::context(starts)?)?;
    joined("reduceat", &[later, last], DType::Int64, 0)
}

fn update(
    raw: &mut Raw,
    (operation, op, reduce): (&'static str, BinaryOp, ReduceOp),
    lists: &[Choice<'_>],
    values: Value,
) -> Result<()> {
    check_defined(op, raw.dtype())?;
    let (shape, dtype) = (raw.shape(), raw.dtype());
    let rows = rows_of(operation, raw, lists)?;
    let (outer, inner) = shape.lengths().split_at(lists.len());
    let (rows_of_all, row) = (outer.iter().product::<usize>(), inner.iter().product::<usize>());
    let mut named = rows.lengths().to_vec();
    named.extend_from_slice(inner);
    let values = match values {
        Value::Scalar(number) => single(number, dtype)?,
        Value::Array(array) => {
            check_kind(operation, array.dtype(), dtype)?;
            array.cast(dtype)
        }
    };
    let named = named.into_dims().shape(operation, dtype.size())?;
    let values = stretched_to(operation, &values, named)?;
    if rows.size() == 0 || row == 0 {
        return Ok(());
    }
    let count = rows.size();
    let values = values.try_reshape([count, row].into_dims())?;
    // Equal rows beside each other, in the order in which they were named.
    let rows = rows.try_reshape(count.into_dims())?.computed()?;
    let sorted_by = order(&rows, 0)?;
    let sorted = taken(&rows, &sorted_by)?;
    let is_first = if count > 1 {
        firsts(&sorted)?
    } else {
        Raw::try_compare(BinaryOp::Equal, &sorted, Value::Array(sorted.clone()))?
    };
    let starts = places(&is_first)?;
    let ends = behind(&starts, count)?;
    let values = take_axis(&values.computed()?, Choice::array(&sorted_by), 0)?;
    let wide = accumulator(dtype);
    let sums = pieces(&values.cast(wide), &starts, &ends, reduce)?;
    let targets = compressed(&sorted, &is_first)?;
    on_rows(operation, raw, [rows_of_all, row], |matrix| {
        let old = take_axis(matrix, Choice::array(&targets), 0)?;
        // In an integer's own type, which reports what does not fit.
        let last = if dtype.is_integer() { dtype } else { wide };
        let new = Raw::try_binary(op, &old, &sums.cast(last), last, last)?.cast(dtype).computed()?;
        let selection = Selection::along(matrix, 0, &targets, Indexing::new("put", None))?;
        Selection { is_distinct: true, ..selection }.write(matrix, Value::Array(new))
    })
}

fn reduceat(
    raw: &Raw,
    (operation, op, dtype): (&'static str, ReduceOp, DType),
    indices: Choice<'_>,
    axis: isize,
) -> Result<Raw> {
    check_defined(op.combining(), dtype)?;
    let axis = axis_of(operation, raw.shape(), axis)?;
    let length = raw.lengths()[axis];
    let indices = indices.raw(chosen::context(raw)?)?;
    if indices.shape().rank() != 1 {
        let message = format!("indices are a vector, and have shape {:?}", indices.shape());
        return Err(Problem::Shape { operation, message }.into());
    }
    let starts = from_to(&indices, 0, length)?.map_err(|index| Problem::IndexCount {
        // NumPy's words.
        message: format!("{operation}: index {index} out-of-bounds in [0, {length})"),
    })?;
    let starts = starts.computed()?;
    let first = moved(&raw.computed()?, axis.into_dims(), 0_i64.into_dims())?;
    let mut lengths = first.lengths().to_vec();
    let row = lengths[1..].iter().product::<usize>();
    lengths[0] = starts.size();
    let matrix = first.try_reshape([length, row].into_dims())?;
    let ends = if starts.size() == 0 { starts.clone() } else { behind(&starts, length)? };
    let wide = accumulator(dtype);
    let answer = pieces(&matrix.cast(wide), &starts, &ends, op)?.cast(dtype);
    let answer = answer.try_reshape(lengths.into_dims())?;
    moved(&answer, 0_i64.into_dims(), axis.into_dims())
}
