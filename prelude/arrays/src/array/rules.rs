//! Which operations and conversions a type allows.

use std::sync::Arc;

use gpurepl_kernels::{BinaryOp, DType, ReduceOp};

use super::node::Term;
use super::raw::Raw;
use crate::error::{Problem, Result};
use crate::scalar::{Scalar, ScalarBytes};

/// A number as an element of a type.
pub(super) fn number(scalar: Scalar, dtype: DType) -> Result<ScalarBytes> {
    scalar.to_bytes(dtype).ok_or_else(|| Problem::Value { value: scalar.to_string(), dtype }.into())
}

/// The type of arithmetic between an array and a number: the number takes the
/// array's type if its kind allows that, as in NumPy.
pub(super) fn weak_dtype(array: DType, scalar: Scalar) -> DType {
    match scalar {
        Scalar::Bool(_) => array,
        Scalar::Int(_) | Scalar::UInt(_) if array == DType::Bool => DType::Int32,
        Scalar::Int(_) | Scalar::UInt(_) => array,
        Scalar::Float(_) if array.is_float() || array.is_complex() => array,
        Scalar::Float(_) => DType::Float64,
        Scalar::Complex(..) if array.is_complex() => array,
        Scalar::Complex(..) if array == DType::Float32 || array == DType::Float16 => DType::Complex64,
        Scalar::Complex(..) => DType::Complex128,
    }
}

/// Refuses a conversion that loses a fraction, an imaginary part or a sign
/// without being asked to: NumPy's `same_kind`.
pub(super) fn check_kind(operation: &'static str, from: DType, to: DType) -> Result<()> {
    if from.kind() <= to.kind() {
        return Ok(());
    }
    let what = if from.is_complex() { "imaginary parts" } else { "fractions" };
    let message = format!(
        "{from} values do not fit an array of {to}\n  = help: an array of {from} can hold them: \
         `a.astype({})`; `.astype({})` of the values would drop their {what}",
        from.rust(),
        to.rust()
    );
    Err(Problem::DType { operation, message }.into())
}

/// Refuses what has no meaning for a type.
pub(super) fn check_defined(op: BinaryOp, dtype: DType) -> Result<()> {
    use BinaryOp::*;
    let help = match op {
        Subtract if dtype == DType::Bool => "booleans have no difference; use `^`",
        And | Or | Xor if dtype.is_float() || dtype.is_complex() => "bits are for integers and booleans",
        LeftShift | RightShift if !dtype.is_integer() => "shifts are for integers",
        FloorDivide | Remainder if dtype.is_complex() => "complex numbers have none",
        _ => return Ok(()),
    };
    Err(Problem::DType { operation: op.name(), message: format!("not for {dtype}: {help}") }.into())
}

/// Integers have no negative powers; NumPy refuses them as well.
pub(super) fn check_exponents(op: BinaryOp, dtype: DType, exponent: &Term) -> Result<()> {
    if op != BinaryOp::Power || !dtype.is_integer() {
        return Ok(());
    }
    let lowest = match exponent {
        Term::Scalar(scalar) => *scalar,
        Term::Array(node) if node.shape.size() == 0 || node.dtype.kind() < DType::Int8.kind() => {
            return Ok(());
        }
        Term::Array(node) => {
            let lowest = Raw::new(Arc::clone(node)).try_reduce(ReduceOp::Minimum, node.dtype)?;
            let bytes = super::transfer::download(&lowest)?;
            match i128_of(node.dtype, &bytes) {
                Some(lowest) if lowest < 0 => return Err(negative_exponent()),
                _ => return Ok(()),
            }
        }
    };
    match i128_of(lowest.dtype, lowest.bytes()) {
        Some(lowest) if lowest < 0 => Err(negative_exponent()),
        _ => Ok(()),
    }
}

fn negative_exponent() -> crate::Error {
    let message = "integers have no negative powers; use floats: `a.astype(f64).pow(..)`".to_owned();
    Problem::DType { operation: "power", message }.into()
}

/// An integer element as a number.
fn i128_of(dtype: DType, bytes: &[u8]) -> Option<i128> {
    Some(match dtype {
        DType::Int8 => i8::from_ne_bytes(bytes.try_into().ok()?).into(),
        DType::Int16 => i16::from_ne_bytes(bytes.try_into().ok()?).into(),
        DType::Int32 => i32::from_ne_bytes(bytes.try_into().ok()?).into(),
        DType::Int64 => i64::from_ne_bytes(bytes.try_into().ok()?).into(),
        _ => return None,
    })
}
