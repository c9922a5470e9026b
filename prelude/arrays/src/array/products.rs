//! Products of matrices, and what is made of them.

use gpurepl_kernels::{BinaryOp, DType, ReduceOp, UnaryOp};

use super::axis::distinct_axes;
use super::layout::{diagonal, expanded};
use super::node::{Node, Place};
use super::over::{Over, accumulated};
use super::raw::Raw;
use super::{Elem, GpuArray, Promote, ToGpu, expression};
use crate::device::Context;
use crate::device::operations::{Factor, MatMul};
use crate::error::{OrRaise as _, Problem, Result};
use crate::scalar::Scalar;
use crate::shape::{Dims, IntoShape, MAX_RANK, Shape};

/// Products of vectors and matrices.
///
/// They panic with an [`Error`](crate::Error) if shapes do not fit or the device
/// reports an error.
impl<T: Elem> GpuArray<T> {
    /// The product of matrices, NumPy's `a @ b`. Axes before the last two are
    /// broadcast; a vector is a row on the left, and a column on the right.
    /// Integers wrap, as in NumPy.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![[1.0, 2.0], [3.0, 4.0]];
    /// assert_eq!(a.matmul(&a).to_vec(), [7.0, 10.0, 15.0, 22.0]);
    /// assert_eq!(a.matmul(&gpu![1.0, 1.0]).to_vec(), [3.0, 7.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the lengths do not fit, or an array has
    /// no axes.
    #[track_caller]
    pub fn matmul<U: Elem>(&self, other: impl ToGpu<Elem = U>) -> GpuArray<<T as Promote<U>>::Out>
    where
        T: Promote<U>,
    {
        GpuArray::wrap(matmul("matmul", &self.raw, &other.upload().or_raise(), T::Out::DTYPE).or_raise())
    }

    /// The sum of products over the last axes of both arrays: `np.inner(a, b)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[1, 2], [3, 4]].inner(&gpu![10, 1]).to_vec(), [12, 34]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the last axes differ.
    #[track_caller]
    pub fn inner<U: Elem>(&self, other: impl ToGpu<Elem = U>) -> GpuArray<<T as Promote<U>>::Out>
    where
        T: Promote<U>,
    {
        GpuArray::wrap(inner(&self.raw, &other.upload().or_raise(), T::Out::DTYPE).or_raise())
    }

    /// The sum of products over the last `axes` of this array and the first
    /// `axes` of the other one: `np.tensordot(a, b, axes)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = arange(0..6).reshape((2, 3));
    /// assert_eq!(a.tensordot(&a, 2).item(), 55);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if these axes differ.
    #[track_caller]
    pub fn tensordot<U: Elem>(
        &self,
        other: impl ToGpu<Elem = U>,
        axes: usize,
    ) -> GpuArray<<T as Promote<U>>::Out>
    where
        T: Promote<U>,
    {
        GpuArray::wrap(tensordot(&self.raw, &other.upload().or_raise(), axes, T::Out::DTYPE).or_raise())
    }

    /// The sum of products over axes of this array and as many of the other one, in
    /// pairs: `np.tensordot(a, b, axes=((1, 0), (0, 1)))`. Negative axes count from
    /// the last.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = arange(0..6).reshape((2, 3));
    /// let b = arange(0..6).reshape((3, 2));
    /// assert_eq!(a.tensordot_axes(&b, (1, 0), (0, 1)).item(), 50);
    /// assert_eq!(a.tensordot_axes(&a, 0, 0).shape(), [3, 3]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there are no such axes, or their lengths
    /// differ.
    #[track_caller]
    pub fn tensordot_axes<U: Elem>(
        &self,
        other: impl ToGpu<Elem = U>,
        own: impl IntoShape,
        others: impl IntoShape,
    ) -> GpuArray<<T as Promote<U>>::Out>
    where
        T: Promote<U>,
    {
        let axes = [own.into_dims(), others.into_dims()];
        GpuArray::wrap(tensordot_axes(&self.raw, &other.upload().or_raise(), axes, T::Out::DTYPE).or_raise())
    }

    /// The sum of products of all elements, of which the complex ones of this array
    /// are conjugated: `np.vdot(a, b)`. Arrays of several axes are read in C order.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![Complex64::new(1.0, 2.0), Complex64::new(3.0, 4.0)];
    /// assert_eq!(a.vdot(&a).item(), Complex64::new(30.0, 0.0));
    /// assert_eq!(gpu![[1, 4], [5, 6]].vdot(&gpu![4, 1, 2, 2]).item(), 30);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the arrays have different numbers of
    /// elements.
    #[track_caller]
    pub fn vdot<U: Elem>(&self, other: impl ToGpu<Elem = U>) -> GpuArray<<T as Promote<U>>::Out>
    where
        T: Promote<U>,
    {
        GpuArray::wrap(vdot(&self.raw, &other.upload().or_raise(), T::Out::DTYPE).or_raise())
    }

    /// The dot products of vectors along the last axis, of which the first ones are
    /// conjugated; the other axes broadcast: `np.vecdot(a, b)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![[0, 5, 0], [0, 0, 10], [6, 8, 0]];
    /// assert_eq!(a.vecdot(&gpu![0.0, 0.6, 0.8]).to_vec(), [3.0, 8.0, 4.8]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the last axes differ in length or there is
    /// none, or the others do not broadcast.
    #[track_caller]
    pub fn vecdot<U: Elem>(&self, other: impl ToGpu<Elem = U>) -> GpuArray<<T as Promote<U>>::Out>
    where
        T: Promote<U>,
    {
        GpuArray::wrap(vecdot(&self.raw, &other.upload().or_raise(), T::Out::DTYPE).or_raise())
    }

    /// The sum along the diagonal of the first two axes: `np.trace(a)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[1, 2], [3, 4]].trace().item(), 5i64);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the array has fewer than two axes.
    #[track_caller]
    pub fn trace(&self) -> GpuArray<T::Sum> {
        let diagonal = self.diagonal(0);
        diagonal.sum_axis(-1)
    }

    /// A square matrix, or each of several, multiplied with itself `exponent`
    /// times: `np.linalg.matrix_power(a, n)`; with 0 the unit matrix.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[1, 1], [1, 0]].matrix_power(10).to_vec(), [89, 55, 55, 34]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the matrices are not square.
    #[track_caller]
    pub fn matrix_power(&self, exponent: u32) -> GpuArray<T> {
        GpuArray::wrap(power(&self.raw, exponent).or_raise())
    }
}

fn wrong<R>(operation: &'static str, message: String) -> Result<R> {
    Err(Problem::Shape { operation, message }.into())
}

/// The type that products are computed in.
fn computed(dtype: DType) -> DType {
    // Sums of half precision need more digits; those of booleans are counts.
    if matches!(dtype, DType::Float16 | DType::Bool) { DType::Float32 } else { dtype }
}

fn reshaped(raw: &Raw, lengths: &[usize]) -> Result<Raw> {
    raw.try_reshape(lengths.into_dims())
}

pub(super) fn matmul(operation: &'static str, a: &Raw, b: &Raw, dtype: DType) -> Result<Raw> {
    for (number, raw) in [a, b].into_iter().enumerate() {
        if raw.shape().rank() == 0 {
            // NumPy's words.
            return wrong(
                operation,
                format!(
                    "input operand {number} does not have enough dimensions: shapes {:?} and {:?}\n  = help: a number \
                     multiplies each element: `&a * b`",
                    a.shape(),
                    b.shape()
                ),
            );
        }
    }
    let (is_row, is_column) = (a.shape().rank() == 1, b.shape().rank() == 1);
    let left = if is_row { expanded(a, 0.into_dims())? } else { a.clone() };
    let right = if is_column { expanded(b, 1.into_dims())? } else { b.clone() };
    let (left_rank, right_rank) = (left.shape().rank(), right.shape().rank());
    let (rows, inner) = (left.shape().lengths()[left_rank - 2], left.shape().lengths()[left_rank - 1]);
    let (other, columns) = (right.shape().lengths()[right_rank - 2], right.shape().lengths()[right_rank - 1]);
    if inner != other {
        // NumPy's words, of its `dot`.
        return wrong(
            operation,
            format!(
                "shapes {:?} and {:?} not aligned: {inner} (dim {}) != {other} (dim {})",
                a.shape(),
                b.shape(),
                a.shape().rank() - 1,
                b.shape().rank().saturating_sub(2)
            ),
        );
    }
    let batch = |raw: &Raw| Shape::new(&raw.shape().lengths()[..raw.shape().rank() - 2]);
    let Ok(batches) = batch(&left).broadcast(batch(&right), operation) else {
        return wrong(
            operation,
            format!("shapes {:?} and {:?} do not broadcast before their last two axes", a.shape(), b.shape()),
        );
    };
    let mut lengths = batches.lengths().to_vec();
    lengths.extend([rows, columns]);
    let shape = lengths.as_slice().into_dims().shape(operation, dtype.size().max(4))?;
    let product = match half_product(&left, &right, batches, shape, dtype)? {
        Some(product) => product,
        None => product(&left, &right, batches, shape, computed(dtype))?,
    };
    let mut lengths = shape.lengths().to_vec();
    if is_column {
        lengths.pop();
    }
    if is_row {
        lengths.remove(batches.rank());
    }
    Ok(reshaped(&product, &lengths)?.cast(dtype))
}

fn context_of(left: &Raw, right: &Raw) -> Result<Context> {
    left.context().or(right.context()).map_or_else(crate::device::current, Ok)
}

/// The products of matrices of half precision, where a library of the device's
/// takes these as they are: its sums have single precision, and no element is
/// converted in memory.
fn half_product(left: &Raw, right: &Raw, batches: Shape, shape: Shape, dtype: DType) -> Result<Option<Raw>> {
    let are_halves = [dtype, left.dtype(), right.dtype()] == [DType::Float16; 3];
    let inner = left.shape().lengths()[left.shape().rank() - 1];
    if !are_halves || shape.size() == 0 || inner == 0 {
        return Ok(None);
    }
    let context = context_of(left, right)?;
    if !context.backend().multiplies_halves() {
        return Ok(None);
    }
    let place = Place::within(context, shape, dtype)?;
    let work = work(left, right, batches, shape, &place, context)?;
    if !work.is_for_library() {
        return Ok(None);
    }
    context.perform(&work.operation()?)?;
    Ok(Some(Raw::new(Node::ready(shape, dtype, place))))
}

/// The products of matrices with two axes at least.
fn product(left: &Raw, right: &Raw, batches: Shape, shape: Shape, dtype: DType) -> Result<Raw> {
    let context = context_of(left, right)?;
    let inner = left.shape().lengths()[left.shape().rank() - 1];
    let place = Place::within(context, shape, dtype)?;
    let result = || Raw::new(Node::ready(shape, dtype, place.clone()));
    if shape.size() == 0 {
        return Ok(result());
    }
    if inner == 0 {
        expression::fill(shape, super::rules::number(Scalar::Int(0), dtype)?, &place)?;
        return Ok(result());
    }
    let work = work(&left.cast(dtype), &right.cast(dtype), batches, shape, &place, context)?;
    context.perform(&work.operation()?)?;
    Ok(result())
}

/// The products of matrices of one type, into a place of that type.
fn work(
    left: &Raw,
    right: &Raw,
    batches: Shape,
    shape: Shape,
    place: &Place,
    context: Context,
) -> Result<MatMul> {
    let inner = left.shape().lengths()[left.shape().rank() - 1];
    let dtype = left.dtype();
    let (left, right) = (factor(left, batches)?, factor(right, batches)?);
    for side in [&left, &right] {
        context.check_same("matmul", side.buffer.context())?;
    }
    let rank = shape.rank();
    Ok(MatMul {
        dtype,
        batches: batches.size(),
        rows: shape.lengths()[rank - 2],
        columns: shape.lengths()[rank - 1],
        inner,
        left,
        right,
        output: place.buffer.clone(),
    })
}

/// Where matrices lie, stretched to all batches.
fn factor(raw: &Raw, batches: Shape) -> Result<Factor> {
    let of = |place: &Place, shape: Shape| {
        let rank = shape.rank();
        let steps = place.broadcast(Shape::new(&shape.lengths()[..rank - 2]), batches);
        // All batches in one step, if they lie so.
        let mut batch: Option<isize> = None;
        let mut below = 1;
        for (length, step) in batches.lengths().iter().zip(steps).rev() {
            if *length == 1 {
                continue;
            }
            match batch {
                None => batch = Some(step),
                Some(batch) if step == batch * below => {}
                Some(_) => return None,
            }
            below *= *length as isize;
        }
        Some(Factor {
            buffer: place.buffer.clone(),
            offset: place.offset,
            batch: batch.unwrap_or(0),
            row: place.strides[rank - 2],
            column: place.strides[rank - 1],
        })
    };
    let place = raw.place()?;
    if let Some(factor) = of(&place, raw.shape()) {
        return Ok(factor);
    }
    let mut lengths = batches.lengths().to_vec();
    lengths.extend(&raw.shape().lengths()[raw.shape().rank() - 2..]);
    let shape = Shape::new(&lengths);
    let strides = place.broadcast(raw.shape(), shape);
    let copied = Raw::new(Node::ready(shape, raw.dtype(), Place { strides, ..place })).contiguous()?;
    Ok(of(&copied, shape).expect("matrices in C order lie in one step"))
}

/// NumPy's `dot`: the last axis of the left array with the last but one of the
/// right array, all others side by side.
pub(super) fn dot(a: &Raw, b: &Raw, dtype: DType) -> Result<Raw> {
    let (left, right) = (a.shape(), b.shape());
    if left.rank() == 0 || right.rank() == 0 {
        return Raw::try_binary(BinaryOp::Multiply, a, b, dtype, dtype);
    }
    if left.rank() <= 2 && right.rank() <= 2 {
        return matmul("dot", a, b, dtype);
    }
    let (inner, axis) = (left.lengths()[left.rank() - 1], right.rank().saturating_sub(2));
    if inner != right.lengths()[axis] {
        let other = right.lengths()[axis];
        let dim = left.rank() - 1;
        return wrong(
            "dot",
            format!("shapes {left:?} and {right:?} not aligned: {inner} (dim {dim}) != {other} (dim {axis})"),
        );
    }
    let mut lengths = left.lengths()[..left.rank() - 1].to_vec();
    lengths.extend(right.lengths().iter().enumerate().filter(|(k, _)| *k != axis).map(|(_, length)| length));
    // The axis that is summed over first, and the others behind it.
    let turned = moved_to_front(b, axis)?;
    let flat = reshaped(&turned, &[inner, right.without(axis).size()])?;
    let rows = reshaped(a, &[left.without(left.rank() - 1).size(), inner])?;
    reshaped(&matmul("dot", &rows, &flat, dtype)?, &lengths)
}

/// A view whose first axis was another one.
fn moved_to_front(raw: &Raw, axis: usize) -> Result<Raw> {
    let place = raw.place()?;
    let (mut lengths, mut strides) = (raw.shape().lengths().to_vec(), [0; MAX_RANK]);
    strides[..lengths.len()].copy_from_slice(&place.strides[..lengths.len()]);
    lengths[..=axis].rotate_right(1);
    strides[..=axis].rotate_right(1);
    Ok(Raw::new(Node::ready(Shape::new(&lengths), raw.dtype(), Place { strides, ..place })))
}

fn inner(a: &Raw, b: &Raw, dtype: DType) -> Result<Raw> {
    let (left, right) = (a.shape(), b.shape());
    if left.rank() == 0 || right.rank() == 0 {
        return Raw::try_binary(BinaryOp::Multiply, a, b, dtype, dtype);
    }
    let (length, other) = (left.lengths()[left.rank() - 1], right.lengths()[right.rank() - 1]);
    if length != other {
        return wrong(
            "inner",
            format!(
                "shapes {left:?} and {right:?} not aligned: {length} (dim {}) != {other} (dim {})",
                left.rank() - 1,
                right.rank() - 1
            ),
        );
    }
    let (rows, columns) = (left.without(left.rank() - 1), right.without(right.rank() - 1));
    let flat = super::view::transposed(&reshaped(b, &[columns.size(), length])?)?;
    let product = matmul("inner", &reshaped(a, &[rows.size(), length])?, &flat, dtype)?;
    let lengths: Vec<usize> = rows.lengths().iter().chain(columns.lengths()).copied().collect();
    reshaped(&product, &lengths)
}

fn tensordot(a: &Raw, b: &Raw, axes: usize, dtype: DType) -> Result<Raw> {
    let (left, right) = (a.shape(), b.shape());
    let kept = left.rank().checked_sub(axes);
    let Some(kept) =
        kept.filter(|kept| axes <= right.rank() && left.lengths()[*kept..] == right.lengths()[..axes])
    else {
        // NumPy's words.
        return wrong(
            "tensordot",
            format!(
                "shape-mismatch for sum: the last {axes} axes of {left:?} and the first {axes} of {right:?}"
            ),
        );
    };
    let (rows, columns) = (&left.lengths()[..kept], &right.lengths()[axes..]);
    let summed: usize = right.lengths()[..axes].iter().product();
    let (left, right) =
        (reshaped(a, &[rows.iter().product(), summed])?, reshaped(b, &[summed, columns.iter().product()])?);
    let lengths: Vec<usize> = rows.iter().chain(columns).copied().collect();
    reshaped(&matmul("tensordot", &left, &right, dtype)?, &lengths)
}

fn tensordot_axes(a: &Raw, b: &Raw, axes: [Dims; 2], dtype: DType) -> Result<Raw> {
    let [left, right] = [(a, axes[0]), (b, axes[1])]
        .map(|(raw, axes)| distinct_axes("tensordot", raw.shape(), raw.shape().rank(), axes));
    let (left, right) = (left?, right?);
    let lengths =
        |raw: &Raw, axes: &[usize]| axes.iter().map(|axis| raw.lengths()[*axis]).collect::<Vec<_>>();
    if lengths(a, &left) != lengths(b, &right) {
        // NumPy's words.
        return wrong(
            "tensordot",
            format!(
                "shape-mismatch for sum: axes {left:?} of {:?} and axes {right:?} of {:?}",
                a.shape(),
                b.shape()
            ),
        );
    }
    let pairs: Vec<(usize, usize)> = left.into_iter().zip(right).collect();
    super::einsum::tensordot(a, b, &pairs, dtype)
}

fn vdot(a: &Raw, b: &Raw, dtype: DType) -> Result<Raw> {
    if a.size() != b.size() {
        // NumPy's words.
        return wrong(
            "vdot",
            format!(
                "vectors have different lengths: {} and {}, of shapes {:?} and {:?}",
                a.size(),
                b.size(),
                a.shape(),
                b.shape()
            ),
        );
    }
    // Elements that lie side by side need no copy in C order.
    let flat =
        |raw: &Raw| if a.shape() == b.shape() { Ok(raw.clone()) } else { reshaped(raw, &[raw.size()]) };
    let (a, b) = (flat(a)?, flat(b)?);
    let a = if a.dtype().is_complex() { Raw::unary(UnaryOp::Conjugate, &a, a.dtype(), a.dtype()) } else { a };
    let wide = accumulated(dtype);
    let op = if dtype == DType::Bool { ReduceOp::Any } else { ReduceOp::Sum };
    let products = Raw::try_binary(BinaryOp::Multiply, &a, &b, wide, wide)?;
    Ok(products.try_reduce(op, wide)?.cast(dtype))
}

fn vecdot(a: &Raw, b: &Raw, dtype: DType) -> Result<Raw> {
    let operation = "vecdot";
    let last = |raw: &Raw| raw.lengths().last().copied();
    if last(a).is_none() || last(a) != last(b) {
        let message =
            format!("the last axes of shapes {:?} and {:?} are not of one length", a.shape(), b.shape());
        return wrong(operation, message);
    }
    let a = if a.dtype().is_complex() {
        Raw::unary(UnaryOp::Conjugate, a, a.dtype(), a.dtype())
    } else {
        a.clone()
    };
    let wide = accumulated(dtype);
    let op = if dtype == DType::Bool { ReduceOp::Any } else { ReduceOp::Sum };
    let products = Raw::try_binary(BinaryOp::Multiply, &a, b, wide, wide)?;
    Ok(Over::axes(operation, &products, (-1_isize).into_dims())?.reduce(&products, op, wide)?.cast(dtype))
}

fn power(raw: &Raw, exponent: u32) -> Result<Raw> {
    let shape = raw.shape();
    let [.., rows, columns] = *shape.lengths() else {
        return wrong(
            "matrix_power",
            format!("{}-dimensional array given. Array must be at least two-dimensional", shape.rank()),
        );
    };
    if rows != columns {
        // NumPy's words.
        return wrong(
            "matrix_power",
            format!("last 2 dimensions of the array must be square: shape {shape:?}"),
        );
    }
    if exponent == 0 {
        let place =
            Place::within(raw.context().map_or_else(crate::device::current, Ok)?, shape, raw.dtype())?;
        expression::fill(shape, super::rules::number(zero(raw.dtype(), false), raw.dtype())?, &place)?;
        let unit = Raw::new(Node::ready(shape, raw.dtype(), place));
        let last = shape.rank() as isize;
        let mut ones = diagonal(&unit, 0, last - 2, last - 1)?;
        ones.try_store(super::raw::Value::Scalar(zero(raw.dtype(), true)))?;
        return Ok(unit);
    }
    let times = |a: &Raw, b: &Raw| matmul("matrix_power", a, b, raw.dtype());
    let (mut square, mut left) = (raw.clone(), exponent);
    let mut result: Option<Raw> = None;
    loop {
        if left & 1 == 1 {
            result = Some(match &result {
                None => square.clone(),
                Some(result) => times(result, &square)?,
            });
        }
        left >>= 1;
        if left == 0 {
            break;
        }
        square = times(&square, &square)?;
    }
    let result = result.expect("a power of at least one");
    // A result of its own, not another name.
    if exponent == 1 { Ok(Raw::new(Node::ready(shape, raw.dtype(), result.copied()?))) } else { Ok(result) }
}

/// Zero, or one, as a type has it.
fn zero(dtype: DType, is_one: bool) -> Scalar {
    if dtype == DType::Bool { Scalar::Bool(is_one) } else { Scalar::Int(is_one.into()) }
}
