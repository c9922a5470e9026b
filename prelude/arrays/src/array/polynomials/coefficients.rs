//! Coefficients as they go to the host and back, and what both orders share.

use gpurepl_kernels::{BinaryOp, DType, ReduceOp, UnaryOp};
use num_complex::Complex64;

use super::super::layout::Layout;
use super::super::node::{Node, Place};
use super::super::over::Over;
use super::super::raw::{Raw, Value};
use super::super::repeat::{beside, copy_to};
use super::super::transfer::{download, upload};
use super::super::{Elem, chosen, convolve, expression, layout, rules};
use super::eigenvalues::{Square, eigenvalues};
use crate::error::{Problem, Result};
use crate::scalar::Scalar;
use crate::shape::{IntoShape as _, Shape};

pub(super) fn wrong<R>(operation: &'static str, message: String) -> Result<R> {
    Err(Problem::Shape { operation, message }.into())
}

/// Coefficients along one axis; a number is one.
pub(super) fn vector(operation: &'static str, raw: &Raw) -> Result<Raw> {
    match raw.shape().rank() {
        0 => raw.reshaped(Shape::new(&[1])),
        1 => Ok(raw.clone()),
        _ => wrong(operation, format!("coefficients have one axis, and not shape {:?}", raw.shape())),
    }
}

/// The elements, on the host.
pub(super) fn numbers(raw: &Raw) -> Result<Vec<Complex64>> {
    <Complex64 as Elem>::download(&raw.cast(DType::Complex128))
}

/// Numbers of the host as an array; of real types the real parts.
pub(super) fn array(lengths: &[usize], numbers: &[Complex64], dtype: DType) -> Result<Raw> {
    let raw = upload(lengths.into_dims(), DType::Complex128, Complex64::as_bytes(numbers))?;
    if dtype.is_complex() {
        return Ok(raw.cast(dtype));
    }
    let real = Raw::unary(UnaryOp::Real, &raw, DType::Complex128, DType::Float64);
    Ok(real.cast(dtype))
}

/// Where the elements of a vector are not zero: from the first to behind the last.
pub(super) fn extent(raw: &Raw) -> Result<Option<(usize, usize)>> {
    let truths = download(&raw.cast(DType::Bool))?;
    let first = truths.iter().position(|byte| *byte != 0);
    let last = truths.iter().rposition(|byte| *byte != 0);
    Ok(first.zip(last).map(|(first, last)| (first, last + 1)))
}

/// A vector without what lies before `start` and from `end` on.
pub(super) fn cut(raw: &Raw, start: usize, end: usize) -> Result<Raw> {
    layout::narrowed(&raw.computed()?, 0, start, end - start)
}

/// A sum or a difference of vectors, the shorter with zeros before or behind it.
pub(super) fn combined(op: BinaryOp, a: &Raw, b: &Raw, is_behind: bool, dtype: DType) -> Result<Raw> {
    let length = a.size().max(b.size());
    let filled = |raw: &Raw| {
        let missing = length - raw.size();
        if is_behind { convolve::padded(raw, 0, missing) } else { convolve::padded(raw, missing, 0) }
    };
    Raw::try_binary(op, &filled(a)?, &filled(b)?, dtype, dtype)
}

/// The numbers from `start` on, as many as a vector has elements, in steps of one
/// or minus one.
pub(super) fn counted(raw: &Raw, start: i64, step: i64) -> Result<Raw> {
    chosen::table(raw.size(), start, step, chosen::context(raw)?)
}

/// A number or an array as an array.
pub(super) fn argument(value: Value, beside: &Raw, dtype: DType) -> Result<Raw> {
    match value {
        Value::Array(raw) => Ok(raw),
        Value::Scalar(scalar) => {
            let place = Place::within(chosen::context(beside)?, Shape::SCALAR, dtype)?;
            expression::fill(Shape::SCALAR, rules::number(scalar, dtype)?, &place)?;
            Ok(Raw::new(Node::ready(Shape::SCALAR, dtype, place)))
        }
    }
}

/// The parts of an array along its first axis, with `more` axes of length 1
/// behind the others.
fn parts(operation: &'static str, raw: &Raw, more: usize) -> Result<Vec<Raw>> {
    let raw = raw.computed()?;
    let part = |k| {
        let mut layout = Layout::of(&raw)?;
        layout.narrow(0, k, 1);
        layout.axes.remove(0);
        layout.axes.extend((0..more).map(|_| (1, 0)));
        layout.view(operation, &raw)
    };
    (0..raw.lengths()[0]).map(part).collect()
}

/// Horner's rule, which is an expression. Coefficients may have more axes than
/// one: then there is a polynomial for each place of the others, at all of `x`.
pub(super) fn horner(
    operation: &'static str,
    c: &Raw,
    x: &Raw,
    is_falling: bool,
    dtype: DType,
) -> Result<Raw> {
    let c = if c.shape().rank() == 0 { vector(operation, c)? } else { c.clone() };
    let more = if c.shape().rank() == 1 || is_falling { 0 } else { x.shape().rank() };
    let mut parts = parts(operation, &c, more)?;
    if !is_falling {
        parts.reverse();
    }
    let x = x.cast(dtype);
    let zero = if dtype == DType::Bool { Scalar::Bool(false) } else { Scalar::Int(0) };
    // NaN and infinities of `x` are in each answer, as in NumPy's.
    let mut y = Raw::try_scalar(BinaryOp::Multiply, &x, zero, false, dtype, dtype)?;
    for (k, part) in parts.into_iter().enumerate() {
        if k > 0 {
            y = Raw::try_binary(BinaryOp::Multiply, &y, &x, dtype, dtype)?;
        }
        y = Raw::try_binary(BinaryOp::Add, &y, &part, dtype, dtype)?;
    }
    Ok(y)
}

/// The products of the differences to roots along their first axis.
pub(super) fn from_roots(operation: &'static str, x: &Raw, roots: &Raw, dtype: DType) -> Result<Raw> {
    let roots = if roots.shape().rank() == 0 { vector(operation, roots)? } else { roots.clone() };
    let mut layout = Layout::of(&roots)?;
    layout.axes.extend((0..x.shape().rank()).map(|_| (1, 0)));
    let roots = layout.view(operation, &roots)?;
    let factors = Raw::try_binary(BinaryOp::Subtract, x, &roots, dtype, dtype)?;
    Over::axes(operation, &factors, 0_i64.into_dims())?.reduce(&factors, ReduceOp::Product, dtype)
}

/// The powers of elements from 0 to `degree`, along an axis behind the others.
pub(super) fn powers(x: &Raw, degree: usize, dtype: DType) -> Result<Raw> {
    let operation = "polyvander";
    let x = x.cast(dtype).computed()?;
    let mut lengths = vec![degree.saturating_add(1)];
    lengths.extend(x.lengths());
    let all = beside(&x, lengths.as_slice().into_dims().shape(operation, dtype.size())?)?;
    let row = |k| {
        let mut layout = Layout::of(&all)?;
        layout.narrow(0, k, 1);
        layout.axes.remove(0);
        layout.view(operation, &all)
    };
    let one = Raw::try_scalar(BinaryOp::Multiply, &x, Scalar::Int(0), false, dtype, dtype)?;
    copy_to(&row(0)?, &Raw::try_scalar(BinaryOp::Add, &one, Scalar::Int(1), false, dtype, dtype)?)?;
    for k in 1..=degree {
        let power = match k {
            1 => x.clone(),
            _ => Raw::try_binary(BinaryOp::Multiply, &row(k - 1)?, &x, dtype, dtype)?,
        };
        copy_to(&row(k)?, &power)?;
    }
    layout::moved(&all, 0_i64.into_dims(), (-1_i64).into_dims())
}

/// The coefficients, from the highest power down, of the polynomial with these
/// roots.
pub(super) fn of_roots(roots: &[Complex64]) -> Vec<Complex64> {
    let mut found = vec![Complex64::new(1.0, 0.0)];
    for root in roots {
        found.push(Complex64::default());
        for k in (1..found.len()).rev() {
            let before = found[k - 1];
            found[k] -= before * root;
        }
    }
    found
}

/// The roots of a polynomial, from the highest power down: eigenvalues of its
/// companion matrix, and a zero for each zero at its end. Zeros have none.
pub(super) fn roots(operation: &'static str, p: &[Complex64]) -> Result<Vec<Complex64>> {
    let is_some = |x: &Complex64| *x != Complex64::default();
    let (Some(first), Some(last)) = (p.iter().position(is_some), p.iter().rposition(is_some)) else {
        return Ok(Vec::new());
    };
    let (highest, others) = (p[first], &p[first + 1..=last]);
    let mut companion = Square::zeros(others.len());
    for (k, x) in others.iter().enumerate() {
        companion[(0, k)] = -x / highest;
        if k > 0 {
            companion[(k, k - 1)] = Complex64::new(1.0, 0.0);
        }
    }
    let mut found = eigenvalues(operation, companion)?;
    found.resize(p.len() - 1 - first, Complex64::default());
    Ok(found)
}
