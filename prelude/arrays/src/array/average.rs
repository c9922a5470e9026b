//! Averages with weights.

use gpurepl_kernels::{BinaryOp, DType, ReduceOp};

use super::axis::distinct_axes;
use super::layout::{stretched_to, transposed_axes};
use super::over::{Over, accumulated};
use super::raw::{Raw, Value};
use super::transfer::download;
use crate::error::{Problem, Result};
use crate::scalar::Scalar;
use crate::shape::{Dims, IntoShape as _, Shape};

/// The sum of the products with weights over the sum of the weights, in type
/// `dtype`.
pub(super) fn average(raw: &Raw, weights: Value, dtype: DType, axes: Option<Dims>) -> Result<Raw> {
    let named = match &axes {
        Some(axes) => distinct_axes("average", raw.shape(), raw.shape().rank(), *axes)?,
        None => Vec::new(),
    };
    let (over, wide) = (Over::of("average", raw, axes)?, accumulated(dtype));
    over.check_not_empty()?;
    let weights = match weights {
        Value::Array(weights) => fitting(raw.shape(), weights, &named)?,
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

/// Weights in the shape of the array: they have it, or the axes that are named.
fn fitting(shape: Shape, weights: Raw, named: &[usize]) -> Result<Raw> {
    let operation = "average";
    if weights.shape() == shape {
        return Ok(weights);
    }
    let lengths: Vec<usize> = named.iter().map(|axis| shape.lengths()[*axis]).collect();
    if named.is_empty() || weights.shape().lengths() != lengths {
        let message = format!(
            "weights of shape {:?} do not fit an array of shape {shape:?}\n  = help: they have the array's shape{}",
            weights.shape(),
            match lengths[..] {
                [] => "; for weights along an axis: `a.average_axis(0, &w)`".to_owned(),
                [_] => ", or one axis as long as the named one".to_owned(),
                _ => format!(", or that of the named axes, {lengths:?}"),
            }
        );
        return Err(Problem::Shape { operation, message }.into());
    }
    // Their axes are in the order in which the array's were named.
    let mut order: Vec<usize> = (0..named.len()).collect();
    order.sort_by_key(|k| named[*k]);
    let order: Vec<isize> = order.into_iter().map(|k| k as isize).collect();
    let weights = transposed_axes(&weights, order.as_slice().into_dims())?;
    let mut lengths = vec![1; shape.rank()];
    named.iter().for_each(|axis| lengths[*axis] = shape.lengths()[*axis]);
    stretched_to(operation, &weights.reshaped(Shape::new(&lengths))?, shape)
}
