//! Matrices made of vectors, and parts of matrices: `eye`, `diag`, `tril`,
//! `vander`, `outer`, `kron`.

use gpurepl_kernels::{BinaryOp, DType};

use super::create::{constant, filled};
use super::layout::{diagonal, narrowed};
use super::node::Operation;
use super::raw::{Raw, Value};
use super::repeat::{beside, copy_to, shape_of};
use super::{Elem, GpuArray, Promote, ToGpu, expression, rules};
use crate::error::{OrRaise as _, Problem, Result};
use crate::scalar::Scalar;
use crate::shape::{Dims, IntoShape, MAX_RANK, Shape};

/// A matrix with ones on its diagonal and zeros elsewhere. The shape is the
/// number of rows, or of rows and columns.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(eye::<i32>(2).to_vec(), [1, 0, 0, 1]);
/// assert_eq!(eye::<f32>((2, 3)).to_vec(), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if the shape is not valid or the device
/// does not have enough memory.
#[track_caller]
pub fn eye<T: Elem>(shape: impl IntoShape) -> GpuArray<T> {
    eye_k(shape, 0)
}

/// [`eye`] with the ones `k` places to the right of the diagonal: `np.eye(n, m, k)`.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(array::eye_k::<i32>(2, -1).to_vec(), [0, 0, 1, 0]);
/// ```
///
/// # Panics
///
/// As [`eye`].
#[track_caller]
pub fn eye_k<T: Elem>(shape: impl IntoShape, k: isize) -> GpuArray<T> {
    GpuArray::wrap(ones_at(shape.into_dims(), T::DTYPE, k).or_raise())
}

/// The square matrix of [`eye`].
///
/// # Panics
///
/// As [`eye`].
#[track_caller]
pub fn identity<T: Elem>(length: usize) -> GpuArray<T> {
    eye(length)
}

/// A matrix with ones up to `k` places to the right of the diagonal, and zeros
/// beyond: `np.tri(n, m, k)`.
///
/// ```
/// use gpurepl_prelude::*;
/// assert_eq!(array::tri::<i32>((2, 3), 0).to_vec(), [1, 0, 0, 1, 1, 0]);
/// ```
///
/// # Panics
///
/// As [`eye`].
#[track_caller]
pub fn tri<T: Elem>(shape: impl IntoShape, k: isize) -> GpuArray<T> {
    GpuArray::wrap(triangle("tri", shape.into_dims(), T::DTYPE, k).or_raise())
}

/// Parts of matrices, and matrices made of vectors. They panic with an
/// [`Error`](crate::Error) if an array has another number of axes, or the device
/// has no room.
impl<T: Elem> GpuArray<T> {
    /// The array with zeros more than `k` places to the right of the diagonal of
    /// its last two axes.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[1, 2], [3, 4]].tril(0).to_vec(), [1, 0, 3, 4]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there is no axis.
    #[track_caller]
    pub fn tril(&self, k: isize) -> GpuArray<T> {
        GpuArray::wrap(kept(&self.raw, BinaryOp::LessEqual, "tril", k).or_raise())
    }

    /// The array with zeros to the left of the diagonal of its last two axes that
    /// lies `k` places to the right.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[1, 2], [3, 4]].triu(1).to_vec(), [0, 2, 0, 0]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::tril`].
    #[track_caller]
    pub fn triu(&self, k: isize) -> GpuArray<T> {
        GpuArray::wrap(kept(&self.raw, BinaryOp::GreaterEqual, "triu", k).or_raise())
    }

    /// Of a vector the matrix that has it on a diagonal, of a matrix a view of
    /// the diagonal, `k` places to the right.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 2].diag(0).to_vec(), [1, 0, 0, 2]);
    /// assert_eq!(gpu![[1, 2], [3, 4]].diag(1).to_vec(), [2]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there are neither one nor two axes.
    #[track_caller]
    pub fn diag(&self, k: isize) -> GpuArray<T> {
        GpuArray::wrap(on_or_of(&self.raw, k).or_raise())
    }

    /// The matrix that has the elements, in C order, on a diagonal.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[1], [2]].diagflat(0).to_vec(), [1, 0, 0, 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the device has no room.
    #[track_caller]
    pub fn diagflat(&self, k: isize) -> GpuArray<T> {
        GpuArray::wrap(on_diagonal("diagflat", &self.raw, k).or_raise())
    }

    /// A row of powers for each element, `count` of them, from the highest down
    /// to 0: `np.vander(a, count)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![2, 3].vander(3).to_vec(), [4_i64, 2, 1, 9, 3, 1]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there is not one axis.
    #[track_caller]
    pub fn vander(&self, count: usize) -> GpuArray<T::Out>
    where
        T: Promote<i64>,
    {
        GpuArray::wrap(powers(&self.raw, T::Out::DTYPE, count, false).or_raise())
    }

    /// [`GpuArray::vander`] from the power 0 up: `np.vander(a, count, increasing=True)`.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::vander`].
    #[track_caller]
    pub fn vander_increasing(&self, count: usize) -> GpuArray<T::Out>
    where
        T: Promote<i64>,
    {
        GpuArray::wrap(powers(&self.raw, T::Out::DTYPE, count, true).or_raise())
    }

    /// Each element times each of another array: a row for each of the first.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 2].outer(&gpu![3, 4]).to_vec(), [3, 4, 6, 8]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the device has no room.
    #[track_caller]
    pub fn outer<U: Elem>(&self, other: impl ToGpu<Elem = U>) -> GpuArray<T::Out>
    where
        T: Promote<U>,
    {
        GpuArray::wrap(outer(&self.raw, &other.upload().or_raise(), T::Out::DTYPE).or_raise())
    }

    /// The Kronecker product: each element times the whole of another array.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 10].kron(&gpu![3, 4]).to_vec(), [3, 4, 30, 40]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if an array has more than 4 axes.
    #[track_caller]
    pub fn kron<U: Elem>(&self, other: impl ToGpu<Elem = U>) -> GpuArray<T::Out>
    where
        T: Promote<U>,
    {
        GpuArray::wrap(kronecker(&self.raw, &other.upload().or_raise(), T::Out::DTYPE).or_raise())
    }
}

/// The shape of a matrix of so many rows, and columns if they are named.
fn matrix(operation: &'static str, dims: Dims, dtype: DType) -> Result<Shape> {
    match dims.numbers(operation)? {
        [length] => (*length, *length).into_dims().shape(operation, dtype.size()),
        [_, _] => dims.shape(operation, dtype.size()),
        others => {
            let message = format!("a matrix has one length or two, and {} are named", others.len());
            Err(Problem::Shape { operation, message }.into())
        }
    }
}

fn fill(part: &Raw, value: i64) -> Result<()> {
    if part.size() == 0 {
        return Ok(());
    }
    let value = rules::number(constant(part.dtype(), value), part.dtype())?;
    expression::fill(part.shape(), value, &part.place()?)
}

fn ones_at(dims: Dims, dtype: DType, k: isize) -> Result<Raw> {
    let to = filled(matrix("eye", dims, dtype)?, dtype, Some(constant(dtype, 0)))?;
    fill(&diagonal(&to, k, 0, 1)?, 1)?;
    Ok(to)
}

/// Where a comparison of the column with the row and `k` holds.
fn mask(rows: usize, columns: usize, op: BinaryOp, k: isize) -> Result<Raw> {
    let whole = DType::Int64;
    let numbers = |rows, columns| Raw::pending(Shape::new(&[rows, columns]), whole, Operation::Index);
    // As far as a matrix reaches, so that the sum cannot overflow.
    let k = (k as i64).clamp(
        -(rows.min(i64::MAX as usize >> 1) as i64) - 1,
        columns.min(i64::MAX as usize >> 1) as i64 + 1,
    );
    let rows = Raw::try_scalar(BinaryOp::Add, &numbers(rows, 1)?, Scalar::Int(k), false, whole, whole)?;
    Raw::try_binary(op, &numbers(1, columns)?, &rows, whole, DType::Bool)
}

fn triangle(operation: &'static str, dims: Dims, dtype: DType, k: isize) -> Result<Raw> {
    let shape = matrix(operation, dims, dtype)?;
    let [rows, columns] = [shape.lengths()[0], shape.lengths()[1]];
    let ones = mask(rows, columns, BinaryOp::LessEqual, k)?.cast(dtype);
    let to = filled(shape, dtype, None)?;
    copy_to(&to, &ones)?;
    Ok(to)
}

fn kept(raw: &Raw, op: BinaryOp, operation: &'static str, k: isize) -> Result<Raw> {
    let (rows, columns) = match raw.shape().lengths() {
        [] => {
            let message = "the array has one axis at least, and this one has none".to_owned();
            return Err(Problem::Shape { operation, message }.into());
        }
        // NumPy's answer: a vector is every row of a square.
        [length] => (*length, *length),
        [.., rows, columns] => (*rows, *columns),
    };
    let zero = Value::Scalar(constant(raw.dtype(), 0));
    Raw::try_select(&mask(rows, columns, op, k)?, Value::Array(raw.clone()), zero, raw.dtype())
}

fn on_or_of(raw: &Raw, k: isize) -> Result<Raw> {
    match raw.shape().rank() {
        1 => on_diagonal("diag", raw, k),
        2 => diagonal(raw, k, 0, 1),
        _ => {
            // NumPy's words.
            let message = format!("input must be 1- or 2-d, and has shape {:?}", raw.shape());
            Err(Problem::Shape { operation: "diag", message }.into())
        }
    }
}

fn on_diagonal(operation: &'static str, raw: &Raw, k: isize) -> Result<Raw> {
    let length = raw.size().saturating_add(k.unsigned_abs());
    let to = beside(raw, shape_of(operation, raw, &[length, length])?)?;
    fill(&to, 0)?;
    copy_to(&diagonal(&to, k, 0, 1)?, &raw.try_reshape(raw.size().into_dims())?)?;
    Ok(to)
}

fn powers(raw: &Raw, dtype: DType, count: usize, is_increasing: bool) -> Result<Raw> {
    let operation = "vander";
    let shape = raw.shape();
    if shape.rank() != 1 {
        // NumPy's words.
        let message = format!("x must be a one-dimensional array or sequence, and has shape {shape:?}");
        return Err(Problem::Shape { operation, message }.into());
    }
    let raw = raw.cast(dtype).computed()?;
    let to = beside(&raw, shape_of(operation, &raw, &[raw.size(), count])?)?;
    let column = |power: usize| {
        let at = if is_increasing { power } else { count - 1 - power };
        narrowed(&to, 1, at, 1)?.flat_column()
    };
    for power in 0..count {
        // As NumPy multiplies: each power is the one before times the element.
        if power == 0 {
            fill(&column(0)?, 1)?;
        } else {
            let next = Raw::try_binary(BinaryOp::Multiply, &column(power - 1)?, &raw, dtype, dtype)?;
            copy_to(&column(power)?, &next)?;
        }
    }
    Ok(to)
}

impl Raw {
    /// A matrix of one column as a vector, without a copy.
    fn flat_column(&self) -> Result<Raw> {
        let mut layout = super::layout::Layout::of(self)?;
        layout.axes.remove(1);
        layout.view("vander", self)
    }
}

fn outer(a: &Raw, b: &Raw, dtype: DType) -> Result<Raw> {
    let column = a.try_reshape((a.size(), 1_usize).into_dims())?;
    let row = b.try_reshape((1_usize, b.size()).into_dims())?;
    Raw::try_binary(BinaryOp::Multiply, &column, &row, dtype, dtype)
}

fn kronecker(a: &Raw, b: &Raw, dtype: DType) -> Result<Raw> {
    let operation = "kron";
    let rank = a.shape().rank().max(b.shape().rank());
    if 2 * rank > MAX_RANK {
        let (left, right) = (a.shape(), b.shape());
        let message = format!("arrays have at most {} axes here: {left:?} and {right:?}", MAX_RANK / 2);
        return Err(Problem::Shape { operation, message }.into());
    }
    let length = |raw: &Raw, axis: usize| {
        let missing = rank - raw.shape().rank();
        if axis < missing { 1 } else { raw.shape().lengths()[axis - missing] }
    };
    let (mut first, mut second, mut end) = (Vec::new(), Vec::new(), Vec::new());
    for axis in 0..rank {
        first.extend([length(a, axis), 1]);
        second.extend([1, length(b, axis)]);
        end.push(length(a, axis).saturating_mul(length(b, axis)));
    }
    let wide = a.cast(dtype);
    shape_of(operation, &wide, &end)?;
    let (a, b) = (a.try_reshape(first.into_dims())?, b.try_reshape(second.into_dims())?);
    Raw::try_binary(BinaryOp::Multiply, &a, &b, dtype, dtype)?.try_reshape(end.into_dims())
}
