//! Bits of elements: `packbits`, `unpackbits`, `bitwise_count`.
//!
//! They are expressions over views, so that one kernel reads each element once.

use gpurepl_kernels::{BinaryOp, DType, UnaryOp};

use super::axis::axis_of;
use super::layout::{Layout, narrowed};
use super::node::Place;
use super::raw::Raw;
use super::repeat::{beside, copy_to};
use super::{GpuArray, IntegerElem, RealElem, expression, rules, transfer};
use crate::error::{OrRaise as _, Problem, Result};
use crate::scalar::Scalar;
use crate::shape::{IntoShape as _, Shape};

/// Which bit of a byte the first of eight elements is: NumPy's `bitorder`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BitOrder {
    /// The highest, which counts 128.
    #[default]
    Big,
    /// The lowest, which counts 1.
    Little,
}

impl BitOrder {
    /// How far the bit of an element is shifted.
    fn shift(self, place: usize) -> i64 {
        match self {
            BitOrder::Big => 7 - place as i64,
            BitOrder::Little => place as i64,
        }
    }
}

/// Bits of booleans and integers.
///
/// They panic with an [`Error`](crate::Error) if there is no such axis or the
/// device reports an error.
impl<T: RealElem> GpuArray<T> {
    /// All elements in C order as bits, eight to a byte: those that are not zero
    /// are set. The first is the highest bit, and zeros fill the last byte.
    /// NumPy's `np.packbits(a)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1, 0, 1, 0, 0, 0, 0, 0, 1].packbits().to_vec(), [0b1010_0000, 0b1000_0000]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the elements are floats.
    #[track_caller]
    pub fn packbits(&self) -> GpuArray<u8> {
        GpuArray::wrap(packed(&self.raw, None, BitOrder::Big).or_raise())
    }

    /// The elements along an axis as bits, eight to a byte:
    /// `np.packbits(a, axis=0)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[true, false], [true, true]].packbits_axis(0).to_vec(), [192, 64]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::packbits`].
    #[track_caller]
    pub fn packbits_axis(&self, axis: isize) -> GpuArray<u8> {
        self.packbits_order(axis, BitOrder::Big)
    }

    /// The elements along an axis as bits in either order:
    /// `np.packbits(a, axis=0, bitorder="little")`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use gpurepl_prelude::array::BitOrder;
    /// assert_eq!(gpu![1, 0, 1].packbits_order(0, BitOrder::Little).to_vec(), [0b101]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::packbits`].
    #[track_caller]
    pub fn packbits_order(&self, axis: isize, order: BitOrder) -> GpuArray<u8> {
        GpuArray::wrap(packed(&self.raw, Some(axis), order).or_raise())
    }
}

/// Bits of bytes.
///
/// They panic with an [`Error`](crate::Error) if there is no such axis or the
/// device reports an error.
impl GpuArray<u8> {
    /// The bits of all elements in C order, the highest of each first: an array of
    /// 0 and 1 with one axis. NumPy's `np.unpackbits(a)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![u8; 2, 23].unpackbits().to_vec(), [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 1, 1]);
    /// ```
    #[track_caller]
    pub fn unpackbits(&self) -> GpuArray<u8> {
        GpuArray::wrap(unpacked(&self.raw, None, None, BitOrder::Big).or_raise())
    }

    /// The bits along an axis, which is eight times as long then:
    /// `np.unpackbits(a, axis=1)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![[2_u8], [23]].unpackbits_axis(1).shape(), [2, 8]);
    /// ```
    #[track_caller]
    pub fn unpackbits_axis(&self, axis: isize) -> GpuArray<u8> {
        self.unpackbits_order(axis, None, BitOrder::Big)
    }

    /// So many bits along an axis, in either order: `np.unpackbits(a, axis=0,
    /// count=10, bitorder="little")`. Zeros follow if there are not as many; a
    /// negative count leaves out that many at the end.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use gpurepl_prelude::array::BitOrder;
    /// let bits = gpu![u8; 0b101].unpackbits_order(0, 3, BitOrder::Little);
    /// assert_eq!(bits.to_vec(), [1, 0, 1]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if more bits are to be left out than there
    /// are.
    #[track_caller]
    pub fn unpackbits_order(
        &self,
        axis: isize,
        count: impl Into<Option<isize>>,
        order: BitOrder,
    ) -> GpuArray<u8> {
        GpuArray::wrap(unpacked(&self.raw, Some(axis), count.into(), order).or_raise())
    }
}

impl<T: IntegerElem> GpuArray<T> {
    /// How many bits of the absolute value of each element are set: NumPy's
    /// `np.bitwise_count`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1023, -1, 0].bitwise_count().to_vec(), [10, 1, 0]);
    /// ```
    #[track_caller]
    pub fn bitwise_count(&self) -> GpuArray<u8> {
        GpuArray::wrap(ones(&self.raw).or_raise())
    }
}

const BYTE: DType = DType::UInt8;

/// An axis, or all elements as one.
fn along(operation: &'static str, raw: &Raw, axis: Option<isize>) -> Result<(Raw, usize)> {
    match axis {
        Some(axis) => Ok((raw.computed()?, axis_of(operation, raw.shape(), axis)?)),
        None => Ok((raw.reshaped(Shape::new(&[raw.size()]))?, 0)),
    }
}

/// The elements of one place in each group of eight along an axis.
fn eighths(raw: &Raw, axis: usize, first: usize, count: usize) -> Result<Raw> {
    let mut layout = Layout::of(raw)?;
    layout.narrow(axis, first, count);
    layout.axes[axis].1 *= 8;
    layout.view("packbits", raw)
}

fn packed(raw: &Raw, axis: Option<isize>, order: BitOrder) -> Result<Raw> {
    let operation = "packbits";
    if !(raw.dtype().is_integer() || raw.dtype() == DType::Bool) {
        // NumPy's words.
        let message = format!(
            "Expected an input array of integer or boolean data type, and not {}\n  = help: `a.ne(0).packbits()`",
            raw.dtype()
        );
        return Err(Problem::DType { operation, message }.into());
    }
    let (raw, axis) = along(operation, raw, axis)?;
    let length = raw.lengths()[axis];
    let mut lengths = raw.lengths().to_vec();
    lengths[axis] = length.div_ceil(8);
    let answer = beside(&raw.cast(BYTE), lengths.as_slice().into_dims().shape(operation, 1)?)?;
    let (whole, left) = (length / 8, length % 8);
    let byte = |bits: usize, start: usize, count: usize| -> Result<Raw> {
        let mut byte: Option<Raw> = None;
        for place in 0..bits {
            let bit = eighths(&raw, axis, start + place, count)?.cast(DType::Bool).cast(BYTE);
            let shift = Scalar::Int(order.shift(place));
            let bit = Raw::try_scalar(BinaryOp::LeftShift, &bit, shift, false, BYTE, BYTE)?;
            byte = Some(match byte {
                Some(byte) => Raw::try_binary(BinaryOp::Or, &byte, &bit, BYTE, BYTE)?,
                None => bit,
            });
        }
        Ok(byte.expect("a byte has bits"))
    };
    if whole > 0 {
        copy_to(&narrowed(&answer, axis, 0, whole)?, &byte(8, 0, whole)?)?;
    }
    if left > 0 {
        copy_to(&narrowed(&answer, axis, whole, 1)?, &byte(left, 8 * whole, 1)?)?;
    }
    Ok(answer)
}

fn unpacked(raw: &Raw, axis: Option<isize>, count: Option<isize>, order: BitOrder) -> Result<Raw> {
    let operation = "unpackbits";
    let (raw, axis) = along(operation, raw, axis)?;
    let lengths = raw.lengths();
    let bits = lengths[axis].saturating_mul(8);
    let wanted = match count {
        None => bits,
        Some(count @ 0..) => count as usize,
        Some(count) => bits.checked_sub(count.unsigned_abs()).ok_or_else(|| {
            // NumPy's words.
            let message =
                format!("-count larger than number of elements: {} of {bits} bits", count.unsigned_abs());
            Problem::Shape { operation, message }
        })?,
    };
    let shape = |length: usize| {
        let mut lengths = lengths.to_vec();
        lengths[axis] = length;
        lengths.into_dims().shape(operation, 1)
    };
    let (outer, inner): (usize, usize) =
        (lengths[..axis].iter().product(), lengths[axis + 1..].iter().product());
    let flat = raw.reshaped(Shape::new(&[outer, lengths[axis], 1, inner]))?;
    let shifts: Vec<u8> = (0..8).map(|place| order.shift(place) as u8).collect();
    let shifts = transfer::upload((8_usize, 1_usize).into_dims(), BYTE, &shifts)?;
    let shifted = Raw::try_binary(BinaryOp::RightShift, &flat, &shifts, BYTE, BYTE)?;
    let all = Raw::try_scalar(BinaryOp::And, &shifted, Scalar::Int(1), false, BYTE, BYTE)?;
    let all = all.reshaped(shape(bits)?)?;
    if wanted == bits {
        return Ok(all);
    }
    let answer = beside(&all, shape(wanted)?)?;
    let known = wanted.min(bits);
    copy_to(&narrowed(&answer, axis, 0, known)?, &narrowed(&all, axis, 0, known)?)?;
    let rest = narrowed(&answer, axis, known, wanted - known)?;
    if rest.size() > 0 {
        let place: Place = rest.place()?;
        expression::fill(rest.shape(), rules::number(Scalar::Int(0), BYTE)?, &place)?;
    }
    Ok(answer)
}

/// Neighbouring bits are added, then pairs, fours and bytes (H. S. Warren,
/// "Hacker's Delight", 2002, section 5-1).
fn ones(raw: &Raw) -> Result<Raw> {
    let (signed, dtype, top) = match raw.dtype().size() {
        8 => (DType::Int64, DType::UInt64, 56),
        _ => (DType::Int32, DType::UInt32, 24),
    };
    let raw = match raw.dtype() {
        DType::Int8 | DType::Int16 | DType::Int32 | DType::Int64 => {
            Raw::unary(UnaryOp::Absolute, raw, signed, signed).cast(dtype)
        }
        _ => raw.cast(dtype),
    };
    let by = |op, raw: &Raw, number: i64| {
        let number = if dtype == DType::UInt32 { number & 0xffff_ffff } else { number };
        Raw::try_scalar(op, raw, Scalar::Int(number), false, dtype, dtype)
    };
    let and = |raw: &Raw, mask| by(BinaryOp::And, raw, mask);
    let down = |raw: &Raw, bits| by(BinaryOp::RightShift, raw, bits);
    let plus = |a: &Raw, b: &Raw| Raw::try_binary(BinaryOp::Add, a, b, dtype, dtype);
    let odd = and(&down(&raw, 1)?, 0x5555_5555_5555_5555)?;
    let pairs = Raw::try_binary(BinaryOp::Subtract, &raw, &odd, dtype, dtype)?;
    let fours = plus(&and(&pairs, 0x3333_3333_3333_3333)?, &and(&down(&pairs, 2)?, 0x3333_3333_3333_3333)?)?;
    let bytes = and(&plus(&fours, &down(&fours, 4)?)?, 0x0f0f_0f0f_0f0f_0f0f)?;
    let sum = by(BinaryOp::Multiply, &bytes, 0x0101_0101_0101_0101)?;
    Ok(down(&sum, top)?.cast(BYTE))
}
