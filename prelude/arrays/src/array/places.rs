//! Functions that give indices: meshes, diagonals, triangles, and numbers of
//! elements in C order.

use gpurepl_kernels::{BinaryOp, DType, ReduceOp};

use super::indices::{Choice, IndexArray};
use super::raw::{Raw, Value};
use super::slices::{ArrayIndex, SliceItem, Slices};
use super::transfer::download;
use super::{GpuArray, chosen, masks};
use crate::error::{OrRaise as _, Problem, Result};
use crate::scalar::Scalar;
use crate::shape::{Dims, IntoShape};

/// Lists of indices of which every one goes with every other: what [`ix_`]
/// returns.
pub struct Mesh(Vec<Raw>);

impl ArrayIndex for Mesh {
    fn slices(&self) -> Slices<'_> {
        let items: Vec<SliceItem<'_>> =
            self.0.iter().map(|raw| SliceItem::Chosen(Choice::array(raw))).collect();
        Slices::new(&items)
    }
}

/// Lists of indices for several axes: a tuple.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tuple of indices",
    note = "write a list for each axis: `array::ix_((&rows, &columns))`"
)]
pub trait IndexLists {
    #[doc(hidden)]
    fn choices(&self) -> Vec<Choice<'_>>;
}

macro_rules! tuples {
    ($(($($name:ident $place:tt),+))*) => {$(
        impl<$($name: IndexArray),+> IndexLists for ($($name,)+) {
            fn choices(&self) -> Vec<Choice<'_>> {
                vec![$(self.$place.choice()),+]
            }
        }
    )*};
}
gpurepl_ground::for_tuples!(up to 8, tuples);

/// Every row with every column: an index for as many axes as there are lists.
/// NumPy's `np.ix_`.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = arange(0..12).reshape((3, 4));
/// let corners = &a[array::ix_((&[0, 2], &[0, -1]))];
/// assert_eq!(corners.get(), ndarray::arr2(&[[0, 3], [8, 11]]).into_dyn());
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if a list has more than one axis.
#[track_caller]
pub fn ix_<L: IndexLists>(lists: L) -> Mesh {
    Mesh(mesh(&lists.choices()).or_raise())
}

/// Where the elements with these numbers in C order lie in an array of a shape:
/// an array for each axis. Waits for the device, to check the numbers.
///
/// ```
/// use gpurepl_prelude::*;
/// let places = array::unravel_index(&[22, 41, 37], (7, 6));
/// assert_eq!((places[0].to_vec(), places[1].to_vec()), (vec![3, 6, 6], vec![4, 5, 1]));
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if a number is negative or not less than the
/// size of the shape.
#[track_caller]
pub fn unravel_index<I: IndexArray>(numbers: I, shape: impl IntoShape) -> Vec<GpuArray<i64>> {
    masks::typed(unravel(numbers.choice(), shape.into_dims()).or_raise())
}

/// The numbers in C order of the elements that lie at these places in an array of
/// a shape: indices for each axis, which broadcast. Waits for the device, to check
/// them.
///
/// ```
/// use gpurepl_prelude::*;
/// let numbers = array::ravel_multi_index((&[3, 6, 6], &[4, 5, 1]), (7, 6));
/// assert_eq!(numbers.to_vec(), [22, 41, 37]);
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if an index is negative or not less than the
/// length of its axis.
#[track_caller]
pub fn ravel_multi_index<L: IndexLists>(indices: L, shape: impl IntoShape) -> GpuArray<i64> {
    GpuArray::wrap(ravel(&indices.choices(), shape.into_dims()).or_raise())
}

/// Indices of the diagonal of a square array: `a[s![&rows, &columns]]`.
///
/// ```
/// use gpurepl_prelude::*;
/// let (rows, columns) = array::diag_indices(3);
/// assert_eq!((rows.to_vec(), columns.to_vec()), (vec![0, 1, 2], vec![0, 1, 2]));
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if the device does not have enough memory.
#[track_caller]
pub fn diag_indices(length: usize) -> (GpuArray<i64>, GpuArray<i64>) {
    let numbers =
        crate::device::current().and_then(|context| chosen::table(length, 0, 1, context)).or_raise();
    (GpuArray::wrap(numbers.clone()), GpuArray::wrap(numbers))
}

/// Indices of the lower triangle of an array of this shape: of the elements whose
/// column is at most `offset` more than their row.
///
/// ```
/// use gpurepl_prelude::*;
/// let (rows, columns) = array::tril_indices((3, 3), 0);
/// assert_eq!(rows.to_vec(), [0, 1, 1, 2, 2, 2]);
/// assert_eq!(columns.to_vec(), [0, 0, 1, 0, 1, 2]);
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if the device does not have enough memory.
#[track_caller]
pub fn tril_indices(shape: (usize, usize), offset: i64) -> (GpuArray<i64>, GpuArray<i64>) {
    triangle(shape, BinaryOp::LessEqual, offset).or_raise()
}

/// Indices of the upper triangle of an array of this shape: of the elements whose
/// column is at least `offset` more than their row.
///
/// ```
/// use gpurepl_prelude::*;
/// let (rows, columns) = array::triu_indices((3, 3), 1);
/// assert_eq!((rows.to_vec(), columns.to_vec()), (vec![0, 0, 1], vec![1, 2, 2]));
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if the device does not have enough memory.
#[track_caller]
pub fn triu_indices(shape: (usize, usize), offset: i64) -> (GpuArray<i64>, GpuArray<i64>) {
    triangle(shape, BinaryOp::GreaterEqual, offset).or_raise()
}

fn triangle(
    (rows, columns): (usize, usize),
    op: BinaryOp,
    offset: i64,
) -> Result<(GpuArray<i64>, GpuArray<i64>)> {
    let context = crate::device::current()?;
    let row = chosen::table(rows, 0, 1, context)?.try_reshape((rows, 1).into_dims())?;
    let column = chosen::table(columns, 0, 1, context)?;
    let distance = Raw::try_binary(BinaryOp::Subtract, &column, &row, DType::Int64, DType::Int64)?;
    let mask = Raw::try_compare(op, &distance, Value::Scalar(Scalar::Int(offset)))?;
    let mut axes = masks::unravelled(&masks::places(&mask)?, mask.shape())?.into_iter();
    let mut next = || GpuArray::wrap(axes.next().expect("two axes"));
    Ok((next(), next()))
}

/// Indices of 64 bits, all of them from 0 to before a length; otherwise the one
/// that is not.
fn within(indices: &Raw, length: usize) -> Result<std::result::Result<Raw, i128>> {
    from_to(indices, 0, length)
}

/// Indices of 64 bits, all of them from a number to before a length; otherwise the one
/// that is not.
pub(super) fn from_to(indices: &Raw, from: i128, length: usize) -> Result<std::result::Result<Raw, i128>> {
    let is_unsigned = indices.dtype() == DType::UInt64;
    let wide = indices.cast(DType::Int64);
    if indices.size() > 0 {
        for op in [ReduceOp::Minimum, ReduceOp::Maximum] {
            let bytes = download(&indices.try_reduce(op, indices.dtype())?.cast(DType::Int64))?;
            let found = i64::from_ne_bytes(bytes.try_into().expect("one element"));
            let found = if is_unsigned { i128::from(found as u64) } else { found.into() };
            if found < from || found >= length as i128 {
                return Ok(Err(found));
            }
        }
    }
    Ok(Ok(wide))
}

fn unravel(numbers: Choice<'_>, dims: Dims) -> Result<Vec<Raw>> {
    let operation = "unravel_index";
    let shape = dims.shape(operation, 1)?;
    let numbers = numbers.raw(crate::device::current()?)?;
    match within(&numbers, shape.size())? {
        Ok(numbers) => masks::unravelled(&numbers, shape),
        Err(index) => {
            // NumPy's words.
            let message = format!("index {index} is out of bounds for array with size {}", shape.size());
            Err(Problem::IndexCount { message: format!("{operation}: {message}") }.into())
        }
    }
}

fn ravel(lists: &[Choice<'_>], dims: Dims) -> Result<Raw> {
    let operation = "ravel_multi_index";
    let shape = dims.shape(operation, 1)?;
    if lists.len() != shape.rank() {
        // NumPy's words.
        let message = format!(
            "parameter multi_index must be a sequence of length {}, one for each axis of shape {shape:?}, and has {}",
            shape.rank(),
            lists.len()
        );
        return Err(Problem::Shape { operation, message }.into());
    }
    let context = crate::device::current()?;
    let mut sum: Option<Raw> = None;
    for (axis, list) in lists.iter().enumerate() {
        let length = shape.lengths()[axis];
        let list = within(&list.raw(context)?, length)?.map_err(|index| Problem::IndexCount {
            // NumPy's words.
            message: format!(
                "{operation}: invalid entry in coordinates array: {index} is not a place on axis {axis} with size {length}"
            ),
        })?;
        let along = chosen::with(BinaryOp::Multiply, &list, shape.strides()[axis] as i64)?;
        sum = Some(match sum {
            None => along,
            Some(sum) => Raw::try_binary(BinaryOp::Add, &sum, &along, DType::Int64, DType::Int64)?,
        });
    }
    sum.ok_or_else(|| Problem::Shape { operation, message: "no axes".to_owned() }.into())
}

fn mesh(lists: &[Choice<'_>]) -> Result<Vec<Raw>> {
    let context = crate::device::current()?;
    let rank = lists.len();
    lists
        .iter()
        .enumerate()
        .map(|(axis, list)| {
            if list.shape().rank() != 1 {
                // NumPy's words.
                let message = format!("cross index must be 1 dimensional, and has shape {:?}", list.shape());
                return Err(Problem::Shape { operation: "ix_", message }.into());
            }
            let mut lengths = vec![1; rank];
            lengths[axis] = list.shape().size();
            list.raw(context)?.try_reshape(lengths.into_dims())
        })
        .collect()
}
