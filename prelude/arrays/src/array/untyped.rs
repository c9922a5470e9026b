//! Arrays without their types, for libraries: the functions behind methods whose generic shells a
//! library does not want in its own code.

use gpurepl_kernels::{BinaryOp, DType, ReduceOp, UnaryOp};

use super::layout::{diagonal, narrowed as part, reordered, stretched_to};
use super::raw::{Raw, Value};
use super::repeat::{beside, copy_to, shape_of};
use super::{create, write};
use crate::error::Result;
use crate::scalar::Scalar;
use crate::shape::{Dims, IntoShape as _};

/// Zeros.
pub fn zeros(dims: Dims, dtype: DType) -> Result<Raw> {
    create::filled(dims.shape("zeros", dtype.size())?, dtype, Some(create::constant(dtype, 0)))
}

/// Ones on the diagonal, zeros elsewhere.
pub fn identity(n: usize, dtype: DType) -> Result<Raw> {
    let raw = zeros((n, n).into_dims(), dtype)?;
    if n > 0 {
        let diagonal = diagonal(&raw, 0, 0, 1)?;
        write::store(&diagonal.node(), Value::Scalar(create::constant(dtype, 1)))?;
    }
    Ok(raw)
}

/// A view in which axes of one element, and axes that are not there, repeat.
pub fn broadcast(raw: &Raw, lengths: &[usize]) -> Result<Raw> {
    stretched_to("broadcast_to", raw, shape_of("broadcast_to", raw, lengths)?)
}

/// A view with the axes in another order; each is named once.
pub fn permuted(raw: &Raw, order: &[usize]) -> Result<Raw> {
    reordered("transpose", raw, order)
}

/// A view of some places of an axis, from `start` on, which the axis has.
pub fn narrowed(raw: &Raw, axis: usize, start: usize, length: usize) -> Result<Raw> {
    part(raw, axis, start, length)
}

/// The first places of an axis, with zeros behind those that it has.
pub fn resized(raw: &Raw, axis: usize, length: usize) -> Result<Raw> {
    let known = raw.shape().lengths()[axis];
    if length <= known {
        return if length == known { Ok(raw.clone()) } else { part(raw, axis, 0, length) };
    }
    let mut lengths = raw.shape().lengths().to_vec();
    lengths[axis] = length;
    let to = beside(raw, shape_of("resize", raw, &lengths)?)?;
    copy_to(&part(&to, axis, 0, known)?, raw)?;
    let rest = part(&to, axis, known, length - known)?;
    if rest.size() > 0 {
        write::store(&rest.node(), Value::Scalar(create::constant(raw.dtype(), 0)))?;
    }
    Ok(to)
}

/// The elements moved on by some places along an axis; the last ones come first.
pub fn rolled(raw: &Raw, axis: usize, by: usize) -> Result<Raw> {
    let length = raw.shape().lengths()[axis];
    let by = if length == 0 { 0 } else { by % length };
    let to = beside(raw, raw.shape())?;
    for (to_start, from_start, count) in [(by, 0, length - by), (0, length - by, by)] {
        copy_to(&part(&to, axis, to_start, count)?, &part(raw, axis, from_start, count)?)?;
    }
    Ok(to)
}

/// The elements in another shape of as many.
pub fn reshaped(raw: &Raw, lengths: &[usize]) -> Result<Raw> {
    raw.try_reshape(lengths.into_dims())
}

/// A copy with its elements in C order.
pub fn copied(raw: &Raw) -> Result<Raw> {
    super::view::copied(raw)
}

/// Every element times a number.
pub fn multiplied(raw: &Raw, factor: f64) -> Result<Raw> {
    let dtype = raw.dtype();
    Raw::try_scalar(BinaryOp::Multiply, raw, Scalar::Float(factor), false, dtype, dtype)
}

/// The complex conjugates.
#[track_caller]
pub fn conjugated(raw: &Raw) -> Raw {
    if raw.dtype().is_complex() {
        Raw::unary(UnaryOp::Conjugate, raw, raw.dtype(), raw.dtype())
    } else {
        raw.clone()
    }
}

/// The real parts, in the type of those.
#[track_caller]
pub fn real_part(raw: &Raw) -> Raw {
    let to = match raw.dtype() {
        DType::Complex64 => DType::Float32,
        DType::Complex128 => DType::Float64,
        _ => return raw.clone(),
    };
    Raw::unary(UnaryOp::Real, raw, raw.dtype(), to)
}

/// An operation of the elements of two arrays of one type, as an expression.
pub fn binary(op: BinaryOp, a: &Raw, b: &Raw) -> Result<Raw> {
    let dtype = a.dtype().promote(b.dtype());
    Raw::try_binary(op, a, b, dtype, dtype)
}

/// The sum of all elements, in their own type.
pub fn sum(raw: &Raw) -> Result<Raw> {
    raw.try_reduce(ReduceOp::Sum, raw.dtype())
}

/// The product of two matrices, or of a matrix and a vector.
pub fn product(a: &Raw, b: &Raw) -> Result<Raw> {
    super::products::matmul("matmul", a, b, a.dtype().promote(b.dtype()))
}

/// Writes the elements of an array, stretched and converted, over those of another.
pub fn assign(to: &Raw, from: &Raw) -> Result<()> {
    write::store(&to.node(), Value::Array(from.clone()))
}

/// The square roots, of floats or complex numbers.
#[track_caller]
pub fn square_root(raw: &Raw) -> Raw {
    Raw::unary(UnaryOp::Sqrt, raw, raw.dtype(), raw.dtype())
}

/// The elements with ones in the place of zeros: divisors that do no harm.
pub fn without_zeros(raw: &Raw) -> Result<Raw> {
    let is_zero = Raw::try_compare(BinaryOp::Equal, raw, Value::Scalar(Scalar::Int(0)))?;
    Raw::try_select(&is_zero, Value::Scalar(Scalar::Int(1)), Value::Array(raw.clone()), raw.dtype())
}
