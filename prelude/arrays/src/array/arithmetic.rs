//! Operations of arrays and numbers, on untyped handles: expressions that are
//! evaluated later, and reductions.

use gpurepl_kernels::{BinaryOp, DType, Kind, ReduceOp, TernaryOp, UnaryOp};

use super::expression;
use super::node::{Node, Operation, Term};
use super::raw::{Raw, Value};
use super::rules::{check_defined, check_exponents, number, weak_dtype};
use crate::error::{OrRaise as _, Problem, Result};
use crate::scalar::Scalar;
use crate::shape::Shape;

impl Raw {
    /// An operation of two arrays, done in `operands` with an answer in `dtype`.
    pub(super) fn try_binary(op: BinaryOp, a: &Raw, b: &Raw, operands: DType, dtype: DType) -> Result<Raw> {
        check_defined(op, operands)?;
        check_exponents(op, operands, &b.term())?;
        let shape = a.shape().broadcast(b.shape(), op.name())?;
        Raw::pending(shape, dtype, Operation::Binary(op, operands, a.term(), b.term()))
    }

    /// An operation of an array and a number; `reversed` if the number comes
    /// first.
    pub(super) fn try_scalar(
        op: BinaryOp,
        a: &Raw,
        scalar: Scalar,
        reversed: bool,
        operands: DType,
        dtype: DType,
    ) -> Result<Raw> {
        check_defined(op, operands)?;
        let scalar = Term::Scalar(number(scalar, operands)?);
        let (first, second) = if reversed { (scalar, a.term()) } else { (a.term(), scalar) };
        check_exponents(op, operands, &second)?;
        Raw::pending(a.shape(), dtype, Operation::Binary(op, operands, first, second))
    }

    /// A comparison, in the type that holds both sides.
    pub(super) fn try_compare(op: BinaryOp, a: &Raw, value: Value) -> Result<Raw> {
        match value {
            Value::Array(b) => match (a.dtype(), b.dtype()) {
                (left, DType::UInt64) if left.kind() == Kind::Signed => Raw::compare_signs(op, a, &b),
                (DType::UInt64, right) if right.kind() == Kind::Signed => {
                    Raw::compare_signs(op.reversed(), &b, a)
                }
                (left, right) => Raw::try_binary(op, a, &b, left.promote(right), DType::Bool),
            },
            // Beyond every element; as floats the largest would be equal.
            Value::Scalar(Scalar::UInt(_)) if a.dtype() == DType::Int64 => {
                let is_so = matches!(op, BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::NotEqual);
                let always = if is_so { BinaryOp::GreaterEqual } else { BinaryOp::Less };
                Raw::try_scalar(always, a, Scalar::Int(i64::MIN), false, DType::Int64, DType::Bool)
            }
            Value::Scalar(scalar) => {
                let mut operands = weak_dtype(a.dtype(), scalar);
                // `bytes.lt(300)` has an answer, though no byte is 300.
                if scalar.to_bytes(operands).is_none() {
                    operands = operands.promote(if let Scalar::UInt(_) = scalar {
                        DType::UInt64
                    } else {
                        DType::Int64
                    });
                }
                Raw::try_scalar(op, a, scalar, false, operands, DType::Bool)
            }
        }
    }

    /// Signed integers compared with those of 64 bits that have no sign, of
    /// which no type holds both: the negative ones are less than all others.
    fn compare_signs(op: BinaryOp, signed: &Raw, unsigned: &Raw) -> Result<Raw> {
        let is_so = matches!(op, BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::NotEqual);
        let (sign, join) =
            if is_so { (BinaryOp::Less, BinaryOp::Or) } else { (BinaryOp::GreaterEqual, BinaryOp::And) };
        let by_sign = Raw::try_scalar(sign, signed, Scalar::Int(0), false, signed.dtype(), DType::Bool)?;
        let by_value = Raw::try_binary(op, signed, unsigned, DType::UInt64, DType::Bool)?;
        Raw::try_binary(join, &by_sign, &by_value, DType::Bool, DType::Bool)
    }

    /// An operation whose answer has the type of its operands: `dtype`, which
    /// holds both arrays. A number takes the array's type.
    pub(super) fn try_promoted(op: BinaryOp, a: &Raw, value: Value, dtype: DType) -> Result<Raw> {
        match value {
            Value::Array(b) => Raw::try_binary(op, a, &b, dtype, dtype),
            Value::Scalar(scalar) => Raw::try_scalar(op, a, scalar, false, dtype, dtype),
        }
    }

    // The terse forms, which panic with the error. Operators name these.

    #[track_caller]
    pub(super) fn binary(op: BinaryOp, a: &Raw, b: &Raw, operands: DType, dtype: DType) -> Raw {
        Raw::try_binary(op, a, b, operands, dtype).or_raise()
    }

    #[track_caller]
    pub(super) fn scalar(op: BinaryOp, a: &Raw, scalar: Scalar, reversed: bool, dtype: DType) -> Raw {
        Raw::try_scalar(op, a, scalar, reversed, dtype, dtype).or_raise()
    }

    #[track_caller]
    pub(super) fn compare(op: BinaryOp, a: &Raw, value: Value) -> Raw {
        Raw::try_compare(op, a, value).or_raise()
    }

    #[track_caller]
    pub(super) fn promoted(op: BinaryOp, a: &Raw, value: Value, dtype: DType) -> Raw {
        Raw::try_promoted(op, a, value, dtype).or_raise()
    }

    #[track_caller]
    pub(super) fn select(condition: &Raw, a: Value, b: Value, dtype: DType) -> Raw {
        Raw::try_select(condition, a, b, dtype).or_raise()
    }

    #[track_caller]
    pub(super) fn power(a: &Raw, exponent: Value, dtype: DType) -> Raw {
        Raw::try_power(a, exponent, dtype).or_raise()
    }

    /// A function of one array, done in `operand` with an answer in `dtype`.
    #[track_caller]
    #[doc(hidden)]
    pub fn unary(op: UnaryOp, a: &Raw, operand: DType, dtype: DType) -> Raw {
        let converted = a.cast(operand);
        Raw::pending(a.shape(), dtype, Operation::Unary(op, converted.node().into_owned())).or_raise()
    }

    /// A whole power by repeated multiplication, which is exact where the
    /// products are; any other power by the function.
    pub(super) fn try_power(a: &Raw, exponent: Value, dtype: DType) -> Result<Raw> {
        let Value::Scalar(Scalar::Int(exponent @ 1..=16)) = exponent else {
            return Raw::try_promoted(BinaryOp::Power, a, exponent, dtype);
        };
        let times = |x: &Raw, y: &Raw| Raw::try_binary(BinaryOp::Multiply, x, y, dtype, dtype);
        let (mut square, mut left) = (a.cast(dtype), exponent);
        while left & 1 == 0 {
            square = times(&square, &square)?;
            left >>= 1;
        }
        let mut result = square.clone();
        while left > 1 {
            left >>= 1;
            square = times(&square, &square)?;
            if left & 1 == 1 {
                result = times(&result, &square)?;
            }
        }
        Ok(result)
    }

    pub(super) fn try_select(condition: &Raw, a: Value, b: Value, dtype: DType) -> Result<Raw> {
        let mut shape = condition.shape();
        let mut term = |value: Value| -> Result<Term> {
            Ok(match value {
                Value::Array(array) => {
                    shape = shape.broadcast(array.shape(), "where_")?;
                    array.term()
                }
                Value::Scalar(scalar) => Term::Scalar(number(scalar, dtype)?),
            })
        };
        let (a, b) = (term(a)?, term(b)?);
        Raw::pending(shape, dtype, Operation::Select(condition.node().into_owned(), a, b))
    }

    /// A function of three arrays or numbers, of which one is an array.
    pub(super) fn try_ternary(op: TernaryOp, values: [Value; 3], dtype: DType) -> Result<Raw> {
        let mut shape = Shape::SCALAR;
        let mut terms = Vec::with_capacity(3);
        for value in values {
            terms.push(match value {
                Value::Array(array) => {
                    shape = shape.broadcast(array.shape(), op.name())?;
                    array.term()
                }
                Value::Scalar(scalar) => Term::Scalar(number(scalar, dtype)?),
            });
        }
        let terms = terms.try_into().unwrap_or_else(|_| unreachable!("three values were taken"));
        Raw::pending(shape, dtype, Operation::Ternary(op, terms))
    }

    pub(super) fn try_reduce(&self, op: ReduceOp, dtype: DType) -> Result<Raw> {
        if self.size() == 0 && !op.has_identity() {
            let message = "an array of no elements has none".to_owned();
            return Err(Problem::Shape { operation: op.name(), message }.into());
        }
        check_defined(op.combining(), dtype)?;
        let place = expression::reduce(&self.node(), op, dtype)?;
        Ok(Raw::new(Node::ready(Shape::SCALAR, dtype, place)))
    }

    #[track_caller]
    pub(super) fn reduce(&self, op: ReduceOp, dtype: DType) -> Raw {
        self.try_reduce(op, dtype).or_raise()
    }
}
