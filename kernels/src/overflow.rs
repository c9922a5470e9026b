//! Overflow of 32-bit integers, the type of integers from literals.
//!
//! Their arithmetic wraps around, as NumPy's int32 does. A program can report
//! that it has happened: each operation sets a bit of its own.

use crate::{BinaryOp, DType};

/// An operation whose 32-bit result may not hold the exact one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // NumPy's functions of these names.
pub enum Overflow {
    Add,
    Subtract,
    Multiply,
    Power,
}

impl Overflow {
    /// All of them, in the order of their bits.
    pub const ALL: [Overflow; 4] = [Overflow::Add, Overflow::Subtract, Overflow::Multiply, Overflow::Power];

    /// The overflow that a function of two elements can have.
    pub const fn of(op: BinaryOp, dtype: DType) -> Option<Overflow> {
        match (op, dtype) {
            (BinaryOp::Add, DType::Int32) => Some(Overflow::Add),
            (BinaryOp::Subtract, DType::Int32) => Some(Overflow::Subtract),
            (BinaryOp::Multiply, DType::Int32) => Some(Overflow::Multiply),
            (BinaryOp::Power, DType::Int32) => Some(Overflow::Power),
            _ => None,
        }
    }

    /// Its bit in a number that reports overflow.
    pub const fn bit(self) -> u32 {
        1 << self as u32
    }

    /// A statement that sets the bit if `v{result}` is not the exact result of
    /// `v{a}` and `v{b}`.
    pub(crate) fn to_cuda(self, a: usize, b: usize, result: usize) -> String {
        let condition = match self {
            // The signs of both operands differ from the result's (Hacker's
            // Delight, 2-13), or in a difference one does from both others.
            Overflow::Add => format!("((v{a} ^ v{result}) & (v{b} ^ v{result})) < 0"),
            Overflow::Subtract => format!("((v{a} ^ v{b}) & (v{a} ^ v{result})) < 0"),
            Overflow::Multiply => format!("__mulhi(v{a}, v{b}) != (v{result} >> 31)"),
            Overflow::Power => format!("gpurepl_power_overflows(v{a}, v{b})"),
        };
        format!("if ({condition}) gpurepl_overflow |= {}u;", self.bit())
    }
}

pub(crate) const PARAMETER: &str = ", unsigned int *gpurepl_overflows";
pub(crate) const START: &str = "  unsigned int gpurepl_overflow = 0;\n";

/// Few threads write: those that find a bit that is not set yet.
pub(crate) const END: &str = "  if (gpurepl_overflow & ~*(volatile unsigned int *)gpurepl_overflows) \
                              atomicOr(gpurepl_overflows, gpurepl_overflow);\n";
