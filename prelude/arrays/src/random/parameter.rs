//! Parameters of distributions: numbers, or arrays of one for each element.

use gpurepl_kernels::DType;

use crate::array::{GpuArray, Node, Place, Raw, RealElem, RealScalar, ToGpu, Value, full};
use crate::error::{OrRaise as _, Problem, Result};
use crate::scalar::Scalar;
use crate::shape::Shape;

/// A parameter of a distribution: a number, or an array or a list of them that
/// broadcasts to the shape of the result.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a parameter of a distribution",
    note = "use a number, an array or a reference to one, or a list"
)]
pub trait DistributionParameter {
    #[doc(hidden)]
    #[track_caller]
    fn parameter(self) -> Value;
}

impl<S: RealScalar> DistributionParameter for S {
    fn parameter(self) -> Value {
        Value::Scalar(self.real_scalar())
    }
}

impl<T: RealElem> DistributionParameter for &GpuArray<T> {
    fn parameter(self) -> Value {
        Value::Array(self.raw.clone())
    }
}

impl<T: RealElem> DistributionParameter for GpuArray<T> {
    fn parameter(self) -> Value {
        Value::Array(self.raw)
    }
}

macro_rules! lists {
    ($([$($lifetime:tt)*] [$($generics:tt)*] $list:ty;)*) => {$(
        impl<$($lifetime)* N, $($generics)*> DistributionParameter for $list
        where
            $list: ToGpu<Elem: RealElem>,
        {
            #[track_caller]
            fn parameter(self) -> Value {
                Value::Array(self.upload().or_raise())
            }
        }
    )*};
}
lists! {
    ['a,] [] &'a [N];
    [] [] Vec<N>;
    ['a,] [] &'a Vec<N>;
    [] [const K: usize] [N; K];
    ['a,] [const K: usize] &'a [N; K];
}

/// What a parameter must be.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    Finite,
    NotNegative,
    Positive,
    Probability,
    PositiveProbability,
    BelowOne,
    AboveOne,
    Count,
    Population,
    PoissonMean,
}

/// The largest mean of counts that are drawn: ten deviations below the largest `i64`,
/// as in NumPy.
pub(super) const LARGEST_MEAN: f64 = 9.223_372_006_484_771e18;

impl Bound {
    /// What is wrong with a value, if anything.
    fn broken_by(self, value: f64) -> Option<&'static str> {
        let (holds, words) = match self {
            Bound::Finite => (value.is_finite(), "must be finite"),
            Bound::NotNegative => (value >= 0.0 && value.is_finite(), "must not be negative"),
            Bound::Positive => (value > 0.0 && value.is_finite(), "must be above 0"),
            Bound::Probability => ((0.0..=1.0).contains(&value), "must be from 0 to 1"),
            Bound::PositiveProbability => (value > 0.0 && value <= 1.0, "must be above 0 and at most 1"),
            Bound::BelowOne => ((0.0..1.0).contains(&value), "must be from 0 to below 1"),
            Bound::AboveOne => (value > 1.0 && value.is_finite(), "must be above 1"),
            // Beyond, logarithms of factorials have too few digits; NumPy has the same bound.
            Bound::Population => (
                (0.0..1e9).contains(&value) && value.fract() == 0.0,
                "must be a whole number from 0 to below 10**9",
            ),
            Bound::PoissonMean if value > LARGEST_MEAN => {
                (false, "is too large: counts must not be above the largest i64")
            }
            Bound::PoissonMean => (value >= 0.0, "must not be negative"),
            // Beyond, the steps between floats are larger than 1.
            Bound::Count => (
                (0.0..=9_007_199_254_740_992.0).contains(&value) && value.fract() == 0.0,
                "must be a whole number from 0 to 2**53",
            ),
        };
        (!holds).then_some(words)
    }

    fn is_whole(self) -> bool {
        matches!(self, Bound::Population | Bound::Count)
    }
}

/// A parameter as it was passed: its name, its value, what it must be.
pub(super) type Parameter = (&'static str, Value, Bound);

/// A parameter that is as it must be.
#[derive(Clone)]
pub(super) enum Checked {
    Number(f64),
    /// A number for each element of a shape.
    Array(Shape, Place),
}

impl Checked {
    /// The number in place of an array is not used.
    pub(super) fn bits(&self) -> u64 {
        match self {
            Checked::Number(number) => number.to_bits(),
            Checked::Array(..) => 0,
        }
    }

    pub(super) fn array(&self) -> GpuArray<f64> {
        match self {
            Checked::Number(number) => full((), *number),
            Checked::Array(shape, place) => {
                GpuArray::wrap(Raw::new(Node::ready(*shape, DType::Float64, place.clone())))
            }
        }
    }
}

/// A number as a float, NaN if it is not real.
pub(super) fn float(scalar: Scalar) -> f64 {
    scalar.real().unwrap_or(f64::NAN)
}

/// A parameter for each element of a shape.
pub(super) fn checked(operation: &'static str, parameter: &Parameter, shape: Shape) -> Result<Checked> {
    let (name, value, bound) = parameter;
    let wrong = |message: String| Err(Problem::Invalid { operation, message }.into());
    let raw = match value {
        Value::Scalar(scalar) => {
            let number = float(*scalar);
            return match bound.broken_by(number) {
                Some(words) => wrong(format!("{name} is {number}, and {words}")),
                None => Ok(Checked::Number(number)),
            };
        }
        Value::Array(raw) => raw,
    };
    if raw.shape().broadcast(shape, operation).ok() != Some(shape) {
        let message = format!(
            "{name} of shape {:?} does not broadcast to {shape:?}, the shape of the result",
            raw.shape()
        );
        return Err(Problem::Shape { operation, message }.into());
    }
    let array = GpuArray::<f64>::wrap(raw.cast(DType::Float64).computed()?);
    if array.size() > 0 {
        let mut ends = vec![array.min().try_item()?, array.max().try_item()?];
        if bound.is_whole() {
            // The first that is not whole, if there is one.
            let rest = (&array - array.floor()).argmax().try_item()?;
            ends.push(array.ravel().slice(rest).try_item()?);
        }
        for number in ends {
            if let Some(words) = bound.broken_by(number) {
                return wrong(format!("{name} has {number}, and {words}"));
            }
        }
    }
    Ok(Checked::Array(shape, array.broadcast_to(shape.lengths()).raw.contiguous()?))
}
