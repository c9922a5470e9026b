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
            not_beyond_integers(&made)?;
        }
        self.of_parameters(distribution, &made, dtype, shape)
    }

    pub(super) fn sample_of_two(&self, counts: [Value; 3], dims: Dims) -> Result<Raw> {
        let operation = "hypergeometric";
        let wrong = |message: String| Err(Problem::Invalid { operation, message }.into());
        if let Some([good, bad, sample]) = numbers(&counts) {
            if sample > good + bad {
                return wrong(format!("a sample of {sample} is larger than ngood + nbad, {}", good + bad));
            }
        } else {
            let [good, bad, sample] = counts.each_ref().map(floats);
            if sample.gt(good + bad).any().try_item()? {
                return wrong("a sample of nsample is larger than ngood + nbad".to_owned());
            }
        }
        let [good, bad, sample] = counts;
        let parameters = [("ngood", good), ("nbad", bad), ("nsample", sample)]
            .map(|(name, value)| (name, value, Bound::Population));
        self.sampled(operation, Distribution::Hypergeometric, &parameters, DType::Int64, dims)
    }

    pub(super) fn triangle(&self, ends: [Value; 3], dims: Dims) -> Result<Raw> {
        let operation = "triangular";
        let wrong = |message: String| Err(Problem::Invalid { operation, message }.into());
        if let Some([left, mode, right]) = numbers(&ends) {
            if !(left <= mode && mode <= right && left < right && (right - left).is_finite()) {
                return wrong(format!(
                    "left, mode and right are {left}, {mode} and {right}, and must be in this order"
                ));
            }
        } else {
            let [left, mode, right] = ends.each_ref().map(floats);
            let is_finite = (&right - &left).isfinite();
            let in_order = left.le(&mode) & mode.le(&right) & left.lt(&right) & is_finite;
            if !in_order.all().try_item()? {
                return wrong("left, mode and right must be in this order".to_owned());
            }
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
            Checked::Array(_, place) => Some((&*place.buffer, place.offset)),
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
            for (array, _) in arrays.iter().flatten() {
                output.context().check_same(distribution.name(), array.context())?;
            }
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

/// Three parameters that are numbers.
fn numbers(values: &[Value; 3]) -> Option<[f64; 3]> {
    match values {
        [Value::Scalar(a), Value::Scalar(b), Value::Scalar(c)] => {
            Some([a, b, c].map(|scalar| float(*scalar)))
        }
        _ => None,
    }
}

/// A parameter as an array of floats.
pub(super) fn floats(value: &Value) -> GpuArray<f64> {
    match value {
        Value::Scalar(scalar) => full((), float(*scalar)),
        Value::Array(raw) => GpuArray::wrap(raw.cast(DType::Float64)),
    }
}

/// Refuses what gives counts that no integer is, by NumPy's bound.
fn not_beyond_integers(parameters: &[Checked; 3]) -> Result<()> {
    let is_beyond = match parameters {
        [Checked::Number(n), Checked::Number(p), _] => (1.0 - p) / p * (n + 10.0 * n.sqrt()) > LARGEST_MEAN,
        [n, p, _] => {
            let (n, p) = (n.array(), p.array());
            let means = (1.0 - &p) / p * (&n + 10.0 * n.sqrt());
            means.gt(LARGEST_MEAN).any().try_item()?
        }
    };
    if !is_beyond {
        return Ok(());
    }
    let message = "n is too large or p too small: counts must not be above the largest i64".to_owned();
    Err(Problem::Invalid { operation: "negative_binomial", message }.into())
}
