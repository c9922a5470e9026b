//! How an array is filled with numbers of a distribution.

use gpurepl_kernels::DType;
use gpurepl_kernels::random::distributions::Distribution;

use super::generator::Generator;
use super::parameter::{Bound, Checked, LARGEST_MEAN, Parameter, checked, float};
use crate::array::{GpuArray, Node, Place, Raw, Value, full};
use crate::device::Buffer;
use crate::device::operations::Distributed;
use crate::error::{Problem, Result};
use crate::shape::{Dims, Shape};

impl Generator {
    pub(super) fn sampled(
        &self,
        operation: &'static str,
        distribution: Distribution,
        parameters: &[Parameter],
        dtype: DType,
        dims: Dims,
    ) -> Result<Raw> {
        let shape = dims.shape(operation, dtype.size())?;
        let mut made = [Checked::Number(0.0), Checked::Number(0.0), Checked::Number(0.0)];
        for (parameter, made) in parameters.iter().zip(&mut made) {
            *made = checked(operation, parameter, shape)?;
        }
        if distribution == Distribution::NegativeBinomial {
            not_beyond_integers(parameters)?;
        }
        self.of_parameters(distribution, &made, dtype, shape)
    }

    pub(super) fn sample_of_two(&self, counts: [Value; 3], dims: Dims) -> Result<Raw> {
        let operation = "hypergeometric";
        let [good, bad, sample] = counts.each_ref().map(floats);
        let left = good + bad - sample;
        if left.size() > 0 && left.min().try_item()? < 0.0 {
            let message = match &counts {
                [Value::Scalar(good), Value::Scalar(bad), Value::Scalar(sample)] => format!(
                    "a sample of {} is larger than ngood + nbad, {}",
                    float(*sample),
                    float(*good) + float(*bad)
                ),
                _ => "a sample of nsample is larger than ngood + nbad".to_owned(),
            };
            return Err(Problem::Invalid { operation, message }.into());
        }
        let [good, bad, sample] = counts;
        let parameters = [("ngood", good), ("nbad", bad), ("nsample", sample)]
            .map(|(name, value)| (name, value, Bound::Population));
        self.sampled(operation, Distribution::Hypergeometric, &parameters, DType::Int64, dims)
    }

    pub(super) fn triangle(&self, ends: [Value; 3], dims: Dims) -> Result<Raw> {
        let operation = "triangular";
        let [left, mode, right] = ends.each_ref().map(floats);
        let in_order = left.le(&mode) & mode.le(&right) & left.lt(&right);
        if !in_order.all().try_item()? {
            let message = match &ends {
                [Value::Scalar(left), Value::Scalar(mode), Value::Scalar(right)] => format!(
                    "left, mode and right are {}, {} and {}, and must be in this order",
                    float(*left),
                    float(*mode),
                    float(*right)
                ),
                _ => "left, mode and right must be in this order".to_owned(),
            };
            return Err(Problem::Invalid { operation, message }.into());
        }
        let [left, mode, right] = ends;
        let parameters = [("left", left), ("mode", mode), ("right", right)]
            .map(|(name, value)| (name, value, Bound::Finite));
        self.sampled(operation, Distribution::Triangular, &parameters, DType::Float64, dims)
    }

    pub(super) fn distributed(
        &self,
        operation: &'static str,
        distribution: Distribution,
        parameters: [u64; 3],
        dtype: DType,
        dims: Dims,
    ) -> Result<Raw> {
        let shape = dims.shape(operation, dtype.size())?;
        let work = Work { distribution, parameters, arrays: [None, None, None] };
        self.filled_by(&work, dtype, shape)
    }

    /// Numbers whose parameters are floats.
    fn of_parameters(
        &self,
        distribution: Distribution,
        checked: &[Checked; 3],
        dtype: DType,
        shape: Shape,
    ) -> Result<Raw> {
        let parameters = checked.each_ref().map(Checked::bits);
        let arrays = checked.each_ref().map(|parameter| match parameter {
            Checked::Array(place) => Some((&*place.buffer, place.offset)),
            Checked::Number(_) => None,
        });
        self.filled_by(&Work { distribution, parameters, arrays }, dtype, shape)
    }

    fn filled_by(&self, work: &Work<'_>, dtype: DType, shape: Shape) -> Result<Raw> {
        let place = Place::new(shape, dtype)?;
        let (key, stream) = self.next();
        if shape.size() > 0 {
            let output = &place.buffer;
            let Work { distribution, parameters, arrays } = *work;
            output.context().perform(&Distributed {
                output,
                dtype,
                distribution,
                key,
                stream,
                parameters,
                arrays,
            })?;
        }
        Ok(Raw::new(Node::ready(shape, dtype, place)))
    }
}

/// What fills an array: a distribution, and its parameters as bits and as floats for
/// each element.
struct Work<'a> {
    distribution: Distribution,
    parameters: [u64; 3],
    arrays: [Option<(&'a Buffer, usize)>; 3],
}

/// A parameter as an array of floats.
pub(super) fn floats(value: &Value) -> GpuArray<f64> {
    match value {
        Value::Scalar(scalar) => full((), float(*scalar)),
        Value::Array(raw) => GpuArray::wrap(raw.cast(DType::Float64)),
    }
}

/// Refuses what gives counts that no integer is.
fn not_beyond_integers(parameters: &[Parameter]) -> Result<()> {
    let operation = "negative_binomial";
    let [(_, n, _), (_, p, _)] = parameters else { return Ok(()) };
    let (n, p) = (floats(n), floats(p));
    let most = (1.0 - &p) / p * (&n + 10.0 * n.sqrt());
    if most.size() > 0 && most.max().try_item()? > LARGEST_MEAN {
        let message = "n is too large or p too small: counts must not be above the largest i64".to_owned();
        return Err(Problem::Invalid { operation, message }.into());
    }
    Ok(())
}
