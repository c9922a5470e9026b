//! Where the greatest and the least elements are.
//!
//! Elements of up to 32 bits are reduced with their places in one pass: a key of
//! 64 bits has the element above its place. For others the extreme is found
//! first, and then the first place that has it. No memory is taken for places.

use gpurepl_kernels::{BinaryOp, DType, ReduceOp, UnaryOp};

use super::layout::narrowed;
use super::nan::{beyond, has_nan, replaced};
use super::node::{Node, Operation, Place};
use super::over::Over;
use super::raw::{Raw, Value};
use super::take::taken;
use super::transfer::download;
use super::{Elem, GpuArray};
use crate::device::DeviceKind;
use crate::error::{OrRaise as _, Problem, Result};
use crate::scalar::Scalar;
use crate::shape::{Dims, IntoShape as _, Shape};

/// The places of the greatest and the least elements: of equal ones the first,
/// and the first NaN where there is one. Complex numbers are ordered by their
/// real parts, then by their imaginary parts.
///
/// They panic with an [`Error`](crate::Error) if there are no elements or the
/// device reports an error.
impl<T: Elem> GpuArray<T> {
    /// The place of the greatest element, counted in C order.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![3, 7, 7].argmax().item(), 1);
    /// assert_eq!(gpu![[3.0, f64::NAN], [7.0, 1.0]].argmax().item(), 1);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there are no elements.
    #[track_caller]
    pub fn argmax(&self) -> GpuArray<i64> {
        GpuArray::wrap(place_of(&self.raw, GREATEST).or_raise())
    }

    /// The place of the least element, counted in C order.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[3, 1], [1, 2]].argmin().item(), 1);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::argmax`].
    #[track_caller]
    pub fn argmin(&self) -> GpuArray<i64> {
        GpuArray::wrap(place_of(&self.raw, LEAST).or_raise())
    }

    /// The places of the greatest elements along an axis: NumPy's
    /// `a.argmax(axis=1)`. Negative axes count from the last.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[1, 9, 9], [4, 5, 3]].argmax_axis(1).to_vec(), [1, 1]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there is no such axis, or it is empty.
    #[track_caller]
    pub fn argmax_axis(&self, axis: isize) -> GpuArray<i64> {
        GpuArray::wrap(places_along(&self.raw, GREATEST, axis).or_raise())
    }

    /// The places of the least elements along an axis.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[1, 9, 9], [4, 5, 3]].argmin_axis(0).to_vec(), [0, 1, 1]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::argmax_axis`].
    #[track_caller]
    pub fn argmin_axis(&self, axis: isize) -> GpuArray<i64> {
        GpuArray::wrap(places_along(&self.raw, LEAST, axis).or_raise())
    }
}

/// What is searched for.
#[derive(Clone, Copy)]
pub(super) struct Extreme {
    /// NumPy's name, for messages.
    name: &'static str,
    /// The name where NaN is left out.
    nan_name: &'static str,
    op: ReduceOp,
}

pub(super) const GREATEST: Extreme = Extreme { name: "argmax", nan_name: "nanargmax", op: ReduceOp::Maximum };
pub(super) const LEAST: Extreme = Extreme { name: "argmin", nan_name: "nanargmin", op: ReduceOp::Minimum };

impl Extreme {
    fn check_not_empty(self, over: &Over, raw: &Raw) -> Result<()> {
        if over.count() > 0 || over.left().size() == 0 {
            return Ok(());
        }
        let shape = raw.shape();
        let what = match over.only_axis() {
            Some(axis) => format!("axis {axis} of shape {shape:?}"),
            None => format!("an array of shape {shape:?}"),
        };
        // NumPy's words.
        let message = format!("attempt to get {} of an empty sequence: {what} has no elements", self.name);
        Err(Problem::Shape { operation: self.name, message }.into())
    }

    /// A number for each element, of which the extreme one is that of the extreme
    /// element, and among equal elements of the first. None if elements or places
    /// have more than 32 bits.
    fn keys(self, raw: &Raw) -> Result<Option<Raw>> {
        if raw.shape().size() as u64 > 1 << 32 {
            return Ok(None);
        }
        let places = Raw::pending(raw.shape(), DType::Int64, Operation::Index)?;
        self.keys_of_places(raw, &places)
    }

    /// As [`Extreme::keys`], of elements whose places are given.
    fn keys_of_places(self, raw: &Raw, places: &Raw) -> Result<Option<Raw>> {
        let Some(order) = self.order(raw)? else { return Ok(None) };
        let join = if self.op == ReduceOp::Maximum { BinaryOp::Subtract } else { BinaryOp::Add };
        Raw::try_binary(join, &order, places, DType::Int64, DType::Int64).map(Some)
    }

    /// A number for each element that compares as the element does, a multiple of
    /// 2^32; for the greatest one [`LOW`] more.
    fn order(self, raw: &Raw) -> Result<Option<Raw>> {
        let int = DType::Int64;
        let scalar = |op, raw: &Raw, by: i64| Raw::try_scalar(op, raw, Scalar::Int(by), false, int, int);
        let above = |raw: &Raw| {
            let above = scalar(BinaryOp::Multiply, &raw.cast(int), 1 << 32)?;
            if self.op == ReduceOp::Maximum { scalar(BinaryOp::Add, &above, LOW) } else { Ok(above) }
        };
        match raw.dtype() {
            DType::Float16 | DType::Float32 => {
                let nan_wins =
                    if self.op == ReduceOp::Maximum { UnaryOp::Order } else { UnaryOp::OrderNanFirst };
                Ok(Some(Raw::unary(nan_wins, &raw.cast(DType::Float32), DType::Float32, int)))
            }
            DType::UInt32 => above(&scalar(BinaryOp::Subtract, &raw.cast(int), 1 << 31)?).map(Some),
            dtype if dtype.size() <= 4 => above(raw).map(Some),
            _ => Ok(None),
        }
    }

    /// The place in a key.
    fn place_in(self, key: &Raw) -> Result<Raw> {
        let int = DType::Int64;
        let low = Raw::try_scalar(BinaryOp::And, key, Scalar::Int(LOW), false, int, int)?;
        match self.op {
            ReduceOp::Maximum => Raw::try_scalar(BinaryOp::Subtract, &low, Scalar::Int(LOW), true, int, int),
            _ => Ok(low),
        }
    }
}

/// The lower half of a key.
const LOW: i64 = (1 << 32) - 1;

fn place_of(raw: &Raw, extreme: Extreme) -> Result<Raw> {
    let over = Over::all(extreme.name, raw);
    extreme.check_not_empty(&over, raw)?;
    if let Some(place) = in_blocks(raw, extreme, 1)? {
        return place.reshaped(Shape::SCALAR);
    }
    if let Some(keys) = extreme.keys(raw)? {
        return extreme.place_in(&over.reduce(&keys, extreme.op, DType::Int64)?);
    }
    let raw = raw.computed()?;
    let value = over.reduce(&raw, extreme.op, raw.dtype())?;
    over.reduce(&places_of(&raw, &value, has_nan(raw.dtype()))?, ReduceOp::Minimum, DType::Int64)
}

fn places_along(raw: &Raw, extreme: Extreme, axis: isize) -> Result<Raw> {
    let over = Over::axes(extreme.name, raw, axis.into_dims())?;
    extreme.check_not_empty(&over, raw)?;
    if over.only_axis() == Some(raw.shape().rank() - 1)
        && let Some(places) = in_blocks(raw, extreme, over.left().size())?
    {
        return places.reshaped(over.left());
    }
    if let Some(keys) = extreme.keys(raw)? {
        let places = extreme.place_in(&over.reduce(&keys, extreme.op, DType::Int64)?)?;
        return along(places, raw.shape(), over.only_axis());
    }
    let raw = raw.computed()?;
    let values = over.stretched(&over.reduce(&raw, extreme.op, raw.dtype())?)?;
    let places = places_of(&raw, &values, has_nan(raw.dtype()))?;
    along(over.reduce(&places, ReduceOp::Minimum, DType::Int64)?, raw.shape(), over.only_axis())
}

/// The place in its row of the extreme of each of `rows`, found in two steps: the
/// extreme of each block of a row, which vectors find as fast as memory is read,
/// and then the place in the first block that has the row's. None where a GPU
/// takes one pass, rows are short, or elements have more than 32 bits.
fn in_blocks(raw: &Raw, extreme: Extreme, rows: usize) -> Result<Option<Raw>> {
    let (size, dtype) = (raw.size(), raw.dtype());
    let is_on_host = raw.context().is_some_and(|context| context.device().kind() == DeviceKind::Host);
    let length = size.checked_div(rows).unwrap_or(0);
    if !is_on_host || dtype.size() > 4 || length < 1 << 10 || size as u64 > 1 << 32 {
        return Ok(None);
    }
    // As many blocks as elements of a block, within limits.
    let block = (length.isqrt().next_power_of_two() / 2).clamp(64, 1024);
    let (blocks, int) = (length / block, DType::Int64);
    let scalar = |op, raw: &Raw, by: usize| Raw::try_scalar(op, raw, Scalar::Int(by as i64), false, int, int);
    let last = |raw: &Raw| Over::axes(extreme.name, raw, (-1_isize).into_dims());
    let rows_of = raw.reshaped(Shape::new(&[rows, length]))?;
    let whole = narrowed(&rows_of, 1, 0, blocks * block)?;
    let place = whole.place()?;
    let mut strides = Shape::new(&[rows, blocks, block]).strides();
    strides[0] = place.strides[0];
    let shape = Shape::new(&[rows, blocks, block]);
    let of_blocks = Raw::new(Node::ready(shape, dtype, Place { strides, ..place }));
    let found = last(&of_blocks)?.reduce(&of_blocks, extreme.op, dtype)?.computed()?;
    let Some(keys) = extreme.keys(&found)? else { return Ok(None) };
    // Counted over the blocks of all rows, in C order.
    let numbers = extreme.place_in(&last(&keys)?.reduce(&keys, extreme.op, int)?)?.computed()?;
    let number_in_row = scalar(BinaryOp::Remainder, &numbers, blocks)?;
    let starts = scalar(BinaryOp::Multiply, &number_in_row, block)?.computed()?;
    let row_starts = {
        let row = Raw::pending(Shape::new(&[rows]), int, Operation::Index)?;
        scalar(BinaryOp::Multiply, &row, length)?
    };
    let first = Raw::try_binary(BinaryOp::Add, &starts, &row_starts, int, int)?.computed()?;
    let candidates = |starts: &Raw, firsts: &Raw, count: usize| {
        let within = {
            let shape = Shape::new(&[1, count]);
            Raw::pending(shape, int, Operation::Index)?.computed()?
        };
        let column = Shape::new(&[rows, 1]);
        let at = Raw::try_binary(BinaryOp::Add, &firsts.reshaped(column)?, &within, int, int)?.computed()?;
        let places = Raw::try_binary(BinaryOp::Add, &starts.reshaped(column)?, &within, int, int)?;
        let elements = taken(&rows_of.reshaped(Shape::new(&[size]))?, &at)?;
        let keys = extreme.keys_of_places(&elements, &places)?.expect("elements of up to 32 bits");
        last(&keys)?.reduce(&keys, extreme.op, int)
    };
    let mut keys = candidates(&starts, &first, block)?;
    let rest = length - blocks * block;
    if rest > 0 {
        let starts = scalar(BinaryOp::Add, &scalar(BinaryOp::Multiply, &starts, 0)?, length - rest)?;
        let first = Raw::try_binary(BinaryOp::Add, &starts, &row_starts, int, int)?.computed()?;
        let of_rest = candidates(&starts.computed()?, &first, rest)?;
        let op = if extreme.op == ReduceOp::Maximum { BinaryOp::Maximum } else { BinaryOp::Minimum };
        keys = Raw::try_binary(op, &keys, &of_rest, int, int)?;
    }
    extreme.place_in(&keys).map(Some)
}

/// The places of extremes among the elements that are not NaN, along an axis or
/// of all.
pub(super) fn number_of(raw: &Raw, extreme: Extreme, axes: Option<Dims>) -> Result<Raw> {
    let extreme = Extreme { name: extreme.nan_name, ..extreme };
    let over = Over::of(extreme.name, raw, axes)?;
    if axes.is_some() && over.only_axis().is_none() {
        let message = "the places along one axis are found; name one".to_owned();
        return Err(Problem::Shape { operation: extreme.name, message }.into());
    }
    extreme.check_not_empty(&over, raw)?;
    let (raw, dtype) = (raw.computed()?, raw.dtype());
    let numbers = if has_nan(dtype) { replaced(&raw, beyond(dtype, extreme.op))? } else { raw.clone() };
    let values = over.stretched(&over.reduce(&numbers, extreme.op, dtype)?)?;
    let places = over.reduce(&places_of(&raw, &values, false)?, ReduceOp::Minimum, DType::Int64)?;
    // A place beyond all is that of none.
    let none = Scalar::Int(i64::MAX);
    let is_none = Raw::try_scalar(BinaryOp::Equal, &places, none, false, DType::Int64, DType::Bool)?;
    if has_nan(dtype) && download(&is_none.try_reduce(ReduceOp::Any, DType::Bool)?)? != [0] {
        // NumPy's words.
        let message = "All-NaN slice encountered".to_owned();
        return Err(Problem::Invalid { operation: extreme.name, message }.into());
    }
    along(places, raw.shape(), over.only_axis())
}

/// The place in C order of each element that is the extreme (`or_nan`: or NaN);
/// of any other a place beyond all.
fn places_of(raw: &Raw, extreme: &Raw, or_nan: bool) -> Result<Raw> {
    let dtype = raw.dtype();
    let is_extreme = {
        let is_equal = Raw::try_binary(BinaryOp::Equal, raw, extreme, dtype, DType::Bool)?;
        if or_nan {
            // Beside a NaN, which is the extreme then and equal to nothing.
            let is_nan = Raw::try_binary(BinaryOp::NotEqual, raw, raw, dtype, DType::Bool)?;
            Raw::try_binary(BinaryOp::Or, &is_equal, &is_nan, DType::Bool, DType::Bool)?
        } else {
            is_equal
        }
    };
    let place = Raw::pending(raw.shape(), DType::Int64, Operation::Index)?;
    let beyond = Value::Scalar(Scalar::Int(i64::MAX));
    Raw::try_select(&is_extreme, Value::Array(place), beyond, DType::Int64)
}

/// Places in C order as places along an axis. In C order the first of those
/// that differ in one axis alone has the least place along it, too.
fn along(places: Raw, shape: Shape, axis: Option<usize>) -> Result<Raw> {
    let Some(axis) = axis else { return Ok(places) };
    let lengths = shape.lengths();
    let inner: usize = lengths[axis + 1..].iter().product();
    let step = |op, places: &Raw, by: usize| {
        let by = Scalar::Int(i64::try_from(by).unwrap_or(i64::MAX));
        Raw::try_scalar(op, places, by, false, DType::Int64, DType::Int64)
    };
    if shape.size() == 0 {
        return Ok(places);
    }
    let rows = if inner == 1 { places } else { step(BinaryOp::FloorDivide, &places, inner)? };
    step(BinaryOp::Remainder, &rows, lengths[axis])
}
