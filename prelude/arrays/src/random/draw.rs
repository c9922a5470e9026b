//! Numbers on their way from a generator to an array: functions of arrays whose
//! type is not known when this is compiled.

use gpurepl_kernels::{BinaryOp, DType, UnaryOp};

use crate::array::{Raw, Value};
use crate::error::Result;
use crate::scalar::Scalar;

/// Numbers that are drawn; the functions return others of the same type.
pub(super) struct Draw(pub(super) Raw);

impl Draw {
    pub(super) fn with(&self, op: BinaryOp, number: Scalar) -> Result<Draw> {
        let dtype = self.0.dtype();
        Raw::try_scalar(op, &self.0, number, false, dtype, dtype).map(Draw)
    }

    /// A function of a number and these: `1 - x`.
    pub(super) fn reversed(&self, op: BinaryOp, number: f64) -> Result<Draw> {
        let dtype = self.0.dtype();
        Raw::try_scalar(op, &self.0, Scalar::Float(number), true, dtype, dtype).map(Draw)
    }

    pub(super) fn and(&self, op: BinaryOp, other: &Draw) -> Result<Draw> {
        let dtype = self.0.dtype();
        Raw::try_binary(op, &self.0, &other.0, dtype, dtype).map(Draw)
    }

    pub(super) fn times(&self, factor: f64) -> Result<Draw> {
        self.with(BinaryOp::Multiply, Scalar::Float(factor))
    }

    pub(super) fn plus(&self, summand: f64) -> Result<Draw> {
        self.with(BinaryOp::Add, Scalar::Float(summand))
    }

    pub(super) fn power(&self, exponent: f64) -> Result<Draw> {
        self.with(BinaryOp::Power, Scalar::Float(exponent))
    }

    pub(super) fn at_least(&self, least: f64) -> Result<Draw> {
        self.with(BinaryOp::Maximum, Scalar::Float(least))
    }

    /// At least half of the least number above 0 that is drawn: what has a
    /// logarithm.
    pub(super) fn at_least_a_part(&self) -> Result<Draw> {
        let bits = if self.0.dtype() == DType::Float32 { 25 } else { 54 };
        self.at_least(0.5_f64.powi(bits))
    }

    /// 1 where these are less than others, else 0.
    pub(super) fn less(&self, other: &Draw) -> Result<Draw> {
        let dtype = self.0.dtype();
        let is_less = Raw::try_binary(BinaryOp::Less, &self.0, &other.0, dtype, DType::Bool)?;
        Ok(Draw(is_less.cast(dtype)))
    }

    /// The first where these are less than a number, else the second.
    pub(super) fn choose_below(&self, border: f64, below: Draw, above: Draw) -> Result<Draw> {
        let dtype = self.0.dtype();
        let border = Scalar::Float(border);
        let is_below = Raw::try_scalar(BinaryOp::Less, &self.0, border, false, dtype, DType::Bool)?;
        Raw::try_select(&is_below, Value::Array(below.0), Value::Array(above.0), dtype).map(Draw)
    }

    fn function(&self, op: UnaryOp) -> Result<Draw> {
        Raw::try_unary(op, &self.0, self.0.dtype()).map(Draw)
    }

    pub(super) fn exp(&self) -> Result<Draw> {
        self.function(UnaryOp::Exp)
    }

    pub(super) fn sqrt(&self) -> Result<Draw> {
        self.function(UnaryOp::Sqrt)
    }

    pub(super) fn ceil(&self) -> Result<Draw> {
        self.function(UnaryOp::Ceil)
    }

    pub(super) fn negative_log(&self) -> Result<Draw> {
        self.function(UnaryOp::Log)?.function(UnaryOp::Negative)
    }

    /// The upper 64 bits of the product of 64-bit words and a number: each number
    /// below `count` with the same probability, to 2^-64 times `count` (D. Lemire,
    /// "Fast Random Integer Generation in an Interval", 2019).
    pub(super) fn scaled(&self, count: u64) -> Result<Draw> {
        use BinaryOp::{Add, And, Multiply, RightShift};
        const LOW: u64 = u32::MAX as u64;
        let half = |draw: &Draw| draw.with(RightShift, Scalar::Int(32));
        let lower = |draw: &Draw| draw.with(And, Scalar::UInt(LOW));
        let times = |draw: &Draw, factor: u64| draw.with(Multiply, Scalar::UInt(factor));
        let (count_low, count_high) = (count & LOW, count >> 32);
        let (low, high) = (lower(self)?, half(self)?);
        let first = times(&high, count_low)?.and(Add, &half(&times(&low, count_low)?)?)?;
        if count_high == 0 {
            return half(&first);
        }
        let second = times(&low, count_high)?.and(Add, &lower(&first)?)?;
        times(&high, count_high)?.and(Add, &half(&first)?)?.and(Add, &half(&second)?)
    }
}
