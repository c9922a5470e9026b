//! Choice with weights.

use super::generator::Generator;
use super::population::Population;
use crate::array::{GpuArray, RealElem, RealScalar, to_gpu};
use crate::error::{OrRaise as _, Problem, Result};
use crate::shape::IntoShape;

/// A few numbers: `[0.2, 0.8]`, a `Vec`, a slice, or a reference to an array, which
/// is copied to the host.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of numbers",
    note = "use `[0.2, 0.8]`, a `Vec`, a slice, or a reference to an array, `&a`"
)]
pub trait Numbers {
    #[doc(hidden)]
    fn numbers(self) -> Result<Vec<f64>>;
}

fn of_slice<T: RealScalar + Copy>(slice: &[T]) -> Vec<f64> {
    slice.iter().map(|number| number.real_scalar().real().unwrap_or(f64::NAN)).collect()
}

impl<T: RealScalar + Copy, const N: usize> Numbers for [T; N] {
    fn numbers(self) -> Result<Vec<f64>> {
        Ok(of_slice(&self))
    }
}

impl<T: RealScalar + Copy, const N: usize> Numbers for &[T; N] {
    fn numbers(self) -> Result<Vec<f64>> {
        Ok(of_slice(self))
    }
}

impl<T: RealScalar + Copy> Numbers for &[T] {
    fn numbers(self) -> Result<Vec<f64>> {
        Ok(of_slice(self))
    }
}

impl<T: RealScalar + Copy> Numbers for Vec<T> {
    fn numbers(self) -> Result<Vec<f64>> {
        Ok(of_slice(&self))
    }
}

impl<T: RealScalar + Copy> Numbers for &Vec<T> {
    fn numbers(self) -> Result<Vec<f64>> {
        Ok(of_slice(self))
    }
}

impl<T: RealElem> Numbers for &GpuArray<T> {
    fn numbers(self) -> Result<Vec<f64>> {
        if self.raw.shape().rank() > 1 {
            let message = format!("the numbers have shape {:?}, and not one axis", self.raw.shape());
            return Err(Problem::Shape { operation: "random", message }.into());
        }
        Ok(self.astype(crate::array::types::f64).to_vec())
    }
}

/// Choice with weights.
impl Generator {
    /// Parts of an array along its first axis, each as likely as its weight says, with
    /// repetitions; of a number `n`, integers below it. NumPy's `choice(a, size, p=p)`.
    /// Weights need not add up to 1.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let picked = default_rng(5).choice_weighted(&gpu![10, 20, 30], [1, 0, 3], 1000);
    /// assert_eq!(picked.unique().to_vec(), [10, 30]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there are not as many weights as parts, a
    /// weight is negative or not finite, all are zero, or the device does not have
    /// enough memory.
    #[track_caller]
    pub fn choice_weighted<P: Population>(
        &self,
        population: P,
        weights: impl Numbers,
        shape: impl IntoShape,
    ) -> P::Out {
        let count = population.count("choice_weighted").or_raise();
        let weights = weights.numbers().and_then(|weights| checked(weights, count)).or_raise();
        // On the host one after the other, so that the sums are the same on every device.
        let sums: Vec<f64> = weights
            .iter()
            .scan(0.0, |sum, weight| {
                *sum += weight;
                Some(*sum)
            })
            .collect();
        let all = sums.last().copied().unwrap_or(0.0);
        // A product of a number below 1 may round to the whole sum: what has no weight is
        // not chosen then either.
        let last = weights.iter().rposition(|weight| *weight > 0.0).unwrap_or(0) as i64;
        let places = to_gpu(sums).searchsorted_right(self.random::<f64>(shape) * all);
        population.chosen(&crate::array::minimum(&places, last).raw)
    }

    /// The same, where nothing is chosen twice: NumPy's `choice(a, size, replace=False,
    /// p=p)`. The order is that in which they are drawn.
    ///
    /// Each part gets a waiting time whose mean is one over its weight, and those that
    /// come first are taken (P. S. Efraimidis and P. G. Spirakis, "Weighted random
    /// sampling with a reservoir", 2006).
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let drawn = default_rng(5).choice_weighted_without_replacement(4, [1.0, 5.0, 0.0, 2.0], 3);
    /// assert_eq!(drawn.sort().to_vec(), [0, 1, 3]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`Generator::choice_weighted`], and if fewer have a weight than the shape has
    /// elements.
    #[track_caller]
    pub fn choice_weighted_without_replacement<P: Population>(
        &self,
        population: P,
        weights: impl Numbers,
        shape: impl IntoShape,
    ) -> P::Out {
        let operation = "choice_weighted_without_replacement";
        let count = population.count(operation).or_raise();
        let weights = weights.numbers().and_then(|weights| checked(weights, count)).or_raise();
        let shape = shape.into_dims().shape(operation, 8).or_raise();
        let positive = weights.iter().filter(|weight| **weight > 0.0).count();
        if shape.size() > positive {
            let message = format!(
                "a sample of {} is larger than the {positive} parts that have a weight",
                shape.size()
            );
            Err::<(), _>(Problem::Invalid { operation, message }.into()).or_raise();
        }
        // What has no weight waits for ever.
        let times = self.standard_exponential::<f64>(count) / to_gpu(weights);
        let order = times.argsort().slice(0..shape.size() as i64).reshape(shape.lengths());
        population.chosen(&order.raw)
    }
}

/// Weights for so many parts.
fn checked(weights: Vec<f64>, count: usize) -> Result<Vec<f64>> {
    let wrong = |message: String| Err(Problem::Invalid { operation: "choice", message }.into());
    if weights.len() != count {
        return wrong(format!("there are {} weights for {count} parts", weights.len()));
    }
    if let Some((k, weight)) =
        weights.iter().enumerate().find(|(_, weight)| !(**weight >= 0.0 && weight.is_finite()))
    {
        return wrong(format!("weight {k} is {weight}, and must be a number that is not negative"));
    }
    let sum: f64 = weights.iter().sum();
    if !(sum > 0.0 && sum.is_finite()) {
        return wrong(format!("the weights add up to {sum}"));
    }
    Ok(weights)
}

/// A list of numbers for a method of this name.
pub(super) fn listed(operation: &'static str, list: impl Numbers) -> Result<Vec<f64>> {
    let numbers = list.numbers()?;
    match numbers.iter().position(|number| !number.is_finite()) {
        Some(k) => {
            let message = format!("number {k} is {}, and must be finite", numbers[k]);
            Err(Problem::Invalid { operation, message }.into())
        }
        None => Ok(numbers),
    }
}
