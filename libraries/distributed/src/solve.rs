//! Conjugate gradients over all ranks.

use std::fmt;

use gpurepl_extend::arrays::{to_gpu, untyped, where_};
use gpurepl_extend::group::Function;
use gpurepl_extend::{AnyArray, BinaryOp, DType, DeviceKind, GpuArray, Result, error, interrupt};
use gpurepl_sparse::{Field, Outcome};

use crate::array::{DistArray, check_like};
use crate::call::{self, Call};
use crate::reduce::Reduce;
use crate::sparse::DistCsr;

/// A linear map of vectors whose rows lie on several ranks: a [`DistCsr`], or a closure.
pub trait DistOperator<T: Field> {
    /// The product with a vector. All ranks call it.
    ///
    /// # Errors
    ///
    /// The operator's own.
    fn apply(&self, x: &DistArray<T>) -> Result<DistArray<T>>;
}

impl<T: Field> DistOperator<T> for DistCsr<T> {
    fn apply(&self, x: &DistArray<T>) -> Result<DistArray<T>> {
        self.matmul(x)
    }
}

impl<T: Field, F: Fn(&DistArray<T>) -> Result<DistArray<T>>> DistOperator<T> for F {
    fn apply(&self, x: &DistArray<T>) -> Result<DistArray<T>> {
        self(x)
    }
}

/// What [`cg`] has come to.
pub struct DistSolution<T: Field> {
    /// The solution.
    pub x: DistArray<T>,
    /// The number of steps.
    pub iterations: usize,
    /// The residual's norm at the beginning and each time that the host has looked at it: to be drawn by
    /// `semilogy(&solution.residuals)`.
    pub residuals: Vec<f64>,
    /// Why it has ended.
    pub outcome: Outcome,
    /// The norm of the residual that was asked for.
    pub limit: f64,
}

impl<T: Field> DistSolution<T> {
    /// Whether the residual is as small as was asked.
    pub fn is_converged(&self) -> bool {
        self.outcome == Outcome::Converged
    }
}

impl<T: Field> fmt::Debug for DistSolution<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.residuals.last().copied().unwrap_or(f64::NAN);
        writeln!(
            f,
            "{:?} after {} steps; the residual's norm is {last:.3e}, the limit {:.3e}",
            self.outcome, self.iterations, self.limit
        )?;
        fmt::Debug::fmt(&self.x, f)
    }
}

/// The solution of A x = b for a Hermitian positive definite map: SciPy's `cg`, with a residual of 1e-5 times the norm of
/// `b`, in at most ten times as many steps as there are unknowns.
///
/// ```
/// use gpurepl_prelude::*;
/// use distributed::{DistArray, DistCsr};
/// let n = 200;
/// let a = DistCsr::from_whole(&sparse::diags([n, n], &[(-1, -1.0), (0, 2.5), (1, -1.0)])?.to_csr())?;
/// let solution = distributed::cg(&a, &DistArray::<f64>::full(n, 1.0)?)?;
/// assert!(solution.is_converged());
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// As [`DistCsr::matmul`]; if the map gives another number of rows. That it does not converge is no error: see
/// [`DistSolution::outcome`].
pub fn cg<T: Field>(a: &impl DistOperator<T>, b: &DistArray<T>) -> Result<DistSolution<T>> {
    cg_to(a, b, 1e-5, 10 * b.size())
}

/// [`cg`] to a residual of `rtol` times the norm of `b`, in at most `maxiter` steps.
///
/// The host looks at the residual after each step, on a GPU after 25. Steps after the one that reaches the limit change
/// nothing, and are counted. The residual is the recurrence's, which rounding errors part from `b - A x` where the map is
/// ill-conditioned.
///
/// # Errors
///
/// As [`cg`].
pub fn cg_to<T: Field>(
    a: &impl DistOperator<T>,
    b: &DistArray<T>,
    rtol: f64,
    maxiter: usize,
) -> Result<DistSolution<T>> {
    if b.shape().len() != 1 {
        return Err(error::shape("cg", format!("shape {:?} is not that of a vector", b.shape())));
    }
    let apply = |x: &DistArray<T>| -> Result<AnyArray> {
        let y = a.apply(x)?;
        check_like("cg", x.split(), y.split())?;
        if y.shape() != x.shape() {
            let message =
                format!("the operator makes shape {:?} of {:?}; it must keep it", y.shape(), x.shape());
            return Err(error::shape("cg", message));
        }
        Ok(AnyArray::of(y.local()))
    };
    let is_host = AnyArray::of(b.local()).context()?.device().kind() == DeviceKind::Host;
    // The same on all ranks, whatever their devices are.
    let look = AnyArray::given(&[if is_host { 1_i64 } else { 25 }])?;
    let look = call::all_reduce_for(b.split().call(Function::Cg), &look, Reduce::Max)?.typed::<i64>()?;
    let look = look.reshape(()).try_item()? as usize;
    let dot = |x: &AnyArray, y: &AnyArray| all_dot(b.split().call(Function::Cg), x, y);
    let vector = |local: &AnyArray| -> Result<DistArray<T>> {
        Ok(DistArray::of_parts(local.typed()?, b.split().clone()))
    };
    let mut x = AnyArray::zeros(b.local().shape(), T::DTYPE)?;
    // By a power of two, so that squares neither vanish nor overflow.
    let scale = scale(b)?;
    let mut r = AnyArray::of(b.local()).multiplied(scale)?.contiguous()?;
    let mut p = r.clone();
    let mut squares = dot(&r, &r)?;
    let start = squares.reshape(()).try_item()?.sqrt();
    let limit = rtol * start;
    let mut residuals = vec![start / scale];
    let mut outcome = match start {
        _ if !start.is_finite() => Outcome::NotFinite,
        _ if start <= limit => Outcome::Converged,
        _ => Outcome::MaxIterations,
    };
    let (mut iterations, mut has_bent) = (0, to_gpu(&[false]));
    // All that decides is a number that all ranks have, so that all of them leave in the same step.
    while outcome == Outcome::MaxIterations && iterations < maxiter {
        let q = apply(&vector(&p)?)?;
        let curvature = dot(&p, &q)?;
        // The host looks later: a step after the limit is reached, or along a direction that does not bend upwards,
        // leaves everything as it is.
        let goes_on = squares.gt(limit * limit);
        has_bent |= curvature.le(0.0) & &goes_on;
        let alpha = where_(goes_on & curvature.gt(0.0), &squares / &curvature, 0.0);
        x = plus(&x, &alpha, &p)?;
        r = plus(&r, &-alpha, &q)?;
        let next = dot(&r, &r)?;
        let beta = where_(squares.gt(0.0), &next / &squares, 0.0);
        p = plus(&r, &beta, &p)?;
        squares = next;
        iterations += 1;
        if iterations % look == 0 || iterations == maxiter {
            let residual = squares.reshape(()).try_item()?;
            residuals.push(residual.sqrt() / scale);
            outcome = match () {
                () if residual <= limit * limit => Outcome::Converged,
                () if has_bent.reshape(()).try_item()? => Outcome::NotPositiveDefinite,
                () if !residual.is_finite() => Outcome::NotFinite,
                () => Outcome::MaxIterations,
            };
            interrupt::check()?;
        }
    }
    let x = vector(&x.multiplied(1.0 / scale)?.contiguous()?)?;
    Ok(DistSolution { x, iterations, residuals, outcome, limit: limit / scale })
}

/// A power of two that brings the largest element of all ranks near one; one if that is zero or not finite.
fn scale<T: Field>(b: &DistArray<T>) -> Result<f64> {
    let largest = match b.local().size() {
        0 => AnyArray::zeros(1, DType::Float64)?,
        _ => AnyArray::of(&b.local().abs().max()).cast(DType::Float64).reshaped(&[1])?,
    };
    // NCCL would pass over NaN.
    let largest =
        call::all_gather_for(b.split().call(Function::Cg), &largest)?.typed::<f64>()?.max().try_item()?;
    if largest == 0.0 || !largest.is_finite() {
        return Ok(1.0);
    }
    // Both it and its inverse are numbers of the type.
    let most = if matches!(T::DTYPE, DType::Float32 | DType::Complex64) { 120.0 } else { 1000.0 };
    Ok((-largest.log2().round()).clamp(-most, most).exp2())
}

/// The real part of the sum of the products of all ranks' elements, on all ranks, in an array of one element.
fn all_dot(call: Call, a: &AnyArray, b: &AnyArray) -> Result<GpuArray<f64>> {
    // In double precision: squares of small or large numbers of single precision have no room in it.
    let wide = if a.dtype().is_complex() { DType::Complex128 } else { DType::Float64 };
    let sum = if a.size() == 0 {
        AnyArray::zeros(1, DType::Float64)?
    } else {
        let products =
            untyped::binary(BinaryOp::Multiply, a.cast(wide).conjugated().raw(), b.cast(wide).raw())?;
        AnyArray::of_raw(untyped::sum(&products)?).real_part().cast(DType::Float64).reshaped(&[1])?
    };
    call::all_reduce_for(call, &sum, Reduce::Sum)?.typed()
}

/// `a + factor * b`, evaluated.
fn plus(a: &AnyArray, factor: &GpuArray<f64>, b: &AnyArray) -> Result<AnyArray> {
    let factor = AnyArray::of(factor).cast(a.dtype());
    let product = untyped::binary(BinaryOp::Multiply, factor.raw(), b.raw())?;
    AnyArray::of_raw(untyped::binary(BinaryOp::Add, a.raw(), &product)?).contiguous()
}
