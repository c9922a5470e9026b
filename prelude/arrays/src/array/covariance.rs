//! Covariances and coefficients of correlation.

use gpurepl_kernels::{BinaryOp, DType, ReduceOp, UnaryOp};

use super::over::Over;
use super::raw::Raw;
use super::{Elem, GpuArray, Promote};
use crate::error::{OrRaise as _, Problem, Result};
use crate::scalar::Scalar;
use crate::shape::{IntoShape as _, Shape};

/// The type of covariances: a float of double precision, or a complex number.
type Covariance<T> = <<T as Elem>::Quotient as Promote<f64>>::Out;

/// Covariances between the rows of an array, each of which has the samples of
/// one variable; where the columns have them: `a.t().cov()`. They are computed in
/// double precision.
///
/// They panic with an [`Error`](crate::Error) if the array has more than two
/// axes or the device reports an error.
impl<T: Elem> GpuArray<T>
where
    T::Quotient: Promote<f64>,
{
    /// The covariances: NumPy's `np.cov(a)`. Of a vector it is its variance.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![[0, 1, 2], [2, 1, 0]];
    /// assert_eq!(a.cov().to_vec(), [1.0, -1.0, -1.0, 1.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the array has more than two axes, or
    /// there are no samples.
    #[track_caller]
    pub fn cov(&self) -> GpuArray<Covariance<T>> {
        self.cov_ddof(1)
    }

    /// The covariances with a divisor less by `ddof`: NumPy's `np.cov(a, ddof=0)`,
    /// which is also `bias=True`.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::cov`].
    #[track_caller]
    pub fn cov_ddof(&self, ddof: usize) -> GpuArray<Covariance<T>> {
        GpuArray::wrap(covariances("cov", &self.raw, ddof, Covariance::<T>::DTYPE).or_raise())
    }

    /// Pearson's coefficients of correlation: NumPy's `np.corrcoef(a)`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![[0, 1, 2], [2, 1, 0]];
    /// assert_eq!(a.corrcoef().to_vec(), [1.0, -1.0, -1.0, 1.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`GpuArray::cov`].
    #[track_caller]
    pub fn corrcoef(&self) -> GpuArray<Covariance<T>> {
        GpuArray::wrap(coefficients(&self.raw, Covariance::<T>::DTYPE).or_raise())
    }
}

fn covariances(operation: &'static str, raw: &Raw, ddof: usize, dtype: DType) -> Result<Raw> {
    let (variables, samples) = match *raw.lengths() {
        [] => (1, 1),
        [samples] => (1, samples),
        [variables, samples] => (variables, samples),
        _ => {
            // NumPy's words.
            let message = format!("m has more than 2 dimensions: its shape is {:?}", raw.shape());
            return Err(Problem::Shape { operation, message }.into());
        }
    };
    if samples == 0 {
        let message = format!("an array of shape {:?} has no samples", raw.shape());
        return Err(Problem::Shape { operation, message }.into());
    }
    let rows = raw.reshaped(Shape::new(&[variables, samples]))?;
    let over = Over::axes(operation, &rows, 1.into_dims())?;
    let mean = over.stretched(&scaled(&over.reduce(&rows, ReduceOp::Sum, dtype)?, samples, dtype)?)?;
    let off = Raw::try_binary(BinaryOp::Subtract, &rows, &mean, dtype, dtype)?.computed()?;
    let first = off.reshaped(Shape::new(&[variables, 1, samples]))?;
    let second =
        if dtype.is_complex() { Raw::unary(UnaryOp::Conjugate, &off, dtype, dtype).computed()? } else { off };
    let products = Raw::try_binary(BinaryOp::Multiply, &first, &second, dtype, dtype)?;
    let sums = Over::axes(operation, &products, 2.into_dims())?.reduce(&products, ReduceOp::Sum, dtype)?;
    let divided = scaled(&sums, samples.saturating_sub(ddof), dtype)?;
    // One variable has one variance.
    if variables == 1 { divided.reshaped(Shape::SCALAR) } else { Ok(divided) }
}

/// Divided by a count.
fn scaled(raw: &Raw, count: usize, dtype: DType) -> Result<Raw> {
    Raw::try_scalar(BinaryOp::Divide, raw, Scalar::Float(count as f64), false, dtype, dtype)
}

fn coefficients(raw: &Raw, dtype: DType) -> Result<Raw> {
    let covariances = covariances("corrcoef", raw, 1, dtype)?.computed()?;
    let [variables, _] = *covariances.lengths() else {
        // The variance by itself: one, or NaN.
        return Raw::try_binary(BinaryOp::Divide, &covariances, &covariances, dtype, dtype);
    };
    let (real, mut place) = (dtype.real(), covariances.place()?);
    place.strides[0] += place.strides[1];
    let diagonal = Raw::new(super::node::Node::ready(Shape::new(&[variables]), dtype, place));
    let deviations =
        Raw::unary(UnaryOp::Sqrt, &Raw::unary(UnaryOp::Real, &diagonal, dtype, real), real, real)
            .computed()?;
    let column = deviations.reshaped(Shape::new(&[variables, 1]))?;
    let by_row = Raw::try_binary(BinaryOp::Divide, &covariances, &column, dtype, dtype)?;
    let coefficients = Raw::try_binary(BinaryOp::Divide, &by_row, &deviations, dtype, dtype)?;
    if dtype.is_complex() {
        return Ok(coefficients);
    }
    // Rounding must not lead beyond one.
    let limit = |op, raw: &Raw, to: i64| Raw::try_scalar(op, raw, Scalar::Int(to), false, dtype, dtype);
    limit(BinaryOp::Minimum, &limit(BinaryOp::Maximum, &coefficients, -1)?, 1)
}
