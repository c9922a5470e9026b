//! Averages with weights.

use gpurepl_kernels::{BinaryOp, DType, ReduceOp};

use super::over::{Over, accumulated};
use super::raw::{Raw, Value};
use super::transfer::download;
use crate::error::{Problem, Result};
use crate::scalar::Scalar;
use crate::shape::{Dims, Shape};

/// The sum of the products with weights over the sum of the weights, in type
/// `dtype`.
pub(super) fn average(raw: &Raw, weights: Value, dtype: DType, axes: Option<Dims>) -> Result<Raw> {
    let (over, wide) = (Over::of("average", raw, axes)?, accumulated(dtype));
    over.check_not_empty()?;
    let weights = match weights {
        Value::Array(weights) => fitting(raw.shape(), weights, &over)?,
        Value::Scalar(_) => {
            let message = "weights are an array; equal ones are not needed: `a.mean()`".to_owned();
            return Err(Problem::Invalid { operation: "average", message }.into());
        }
    };
    let total = over.reduce(&weights, ReduceOp::Sum, wide)?;
    let is_zero = Raw::try_scalar(BinaryOp::Equal, &total, Scalar::Int(0), false, wide, DType::Bool)?;
    if download(&is_zero.try_reduce(ReduceOp::Any, DType::Bool)?)? != [0] {
        // NumPy's words.
        let message = "Weights sum to zero, can't be normalized".to_owned();
        return Err(Problem::Invalid { operation: "average", message }.into());
    }
    let products = Raw::try_binary(BinaryOp::Multiply, raw, &weights, wide, wide)?;
    let sum = over.reduce(&products, ReduceOp::Sum, wide)?;
    Ok(Raw::try_binary(BinaryOp::Divide, &sum, &total, wide, wide)?.cast(dtype))
}

/// Weights in the shape of the array.
fn fitting(shape: Shape, weights: Raw, over: &Over) -> Result<Raw> {
    if weights.shape() == shape {
        return Ok(weights);
    }
    match over.only_axis() {
        Some(axis) if weights.shape().lengths() == &shape.lengths()[axis..=axis] => {
            let mut lengths = vec![1; shape.rank()];
            lengths[axis] = shape.lengths()[axis];
            let column = weights.reshaped(Shape::new(&lengths))?;
            super::layout::stretched_to("average", &column, shape)
        }
        axis => {
            let message = format!(
                "weights of shape {:?} do not fit an array of shape {shape:?}\n  = help: they have the array's shape{}",
                weights.shape(),
                if axis.is_some() {
                    ", or one axis as long as the named one"
                } else {
                    "; for weights along an axis: `a.average_axis(0, &w)`"
                }
            );
            Err(Problem::Shape { operation: "average", message }.into())
        }
    }
}
