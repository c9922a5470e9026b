//! Conjugate gradients over all ranks.

use std::fmt;

use gpurepl_extend::arrays::untyped;
use gpurepl_extend::{AnyArray, BinaryOp, DeviceKind, Result, error, interrupt};
use gpurepl_sparse::{Field, Outcome};

use crate::array::{DistArray, check_like};
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
    /// The residual's norm at the beginning and whenever the host has looked at it, with the number of steps before.
    pub residuals: Vec<(usize, f64)>,
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
        let last = self.residuals.last().map_or(f64::NAN, |(_, residual)| *residual);
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
/// let a = DistCsr::divide(&sparse::diags([n, n], &[(-1, -1.0), (0, 2.5), (1, -1.0)])?.to_csr())?;
/// let solution = distributed::cg(&a, &DistArray::full(n, 1.0)?)?;
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
/// The host looks at the residual after each step, on a GPU after 25; then all ranks decide alike, since all have the same
/// numbers.
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
        Ok(AnyArray::of(y.local()))
    };
    let look = if AnyArray::of(b.local()).context()?.device().kind() == DeviceKind::Host { 1 } else { 25 };
    let vector = |local: &AnyArray| DistArray::of_parts(local.typed()?, b.split().clone());
    let mut x = AnyArray::zeros(b.local().shape(), T::DTYPE)?;
    let mut r = AnyArray::of(b.local()).copied()?;
    let mut p = r.clone();
    let mut squares = all_dot(&r, &r)?;
    let norm = |squares: &AnyArray| -> Result<f64> { Ok(first::<T>(squares)?.real().max(0.0).sqrt()) };
    let start = norm(&squares)?;
    let limit = rtol * start;
    let mut residuals = vec![(0, start)];
    let mut outcome = if start <= limit { Outcome::Converged } else { Outcome::MaxIterations };
    let mut iterations = 0;
    // The end of each step in an order that all ranks follow: what ends it is a number that all have.
    while outcome == Outcome::MaxIterations && iterations < maxiter {
        let q = apply(&vector(&p)?)?;
        let curvature = all_dot(&p, &q)?;
        let alpha = binary(BinaryOp::Divide, &squares, &curvature)?;
        x = plus(&x, &alpha, &p)?.contiguous()?;
        r = binary(BinaryOp::Subtract, &r, &binary(BinaryOp::Multiply, &alpha, &q)?)?.contiguous()?;
        let next = all_dot(&r, &r)?;
        let beta = binary(BinaryOp::Divide, &next, &squares)?;
        p = plus(&r, &beta, &p)?.contiguous()?;
        squares = next;
        iterations += 1;
        if iterations % look == 0 || iterations == maxiter {
            let residual = norm(&squares)?;
            residuals.push((iterations, residual));
            let bends = first::<T>(&curvature)?.real();
            outcome = match () {
                () if !residual.is_finite() && bends.is_finite() && bends <= 0.0 => {
                    Outcome::NotPositiveDefinite
                }
                () if residual <= limit => Outcome::Converged,
                () if bends <= 0.0 => Outcome::NotPositiveDefinite,
                () if !residual.is_finite() => Outcome::NotFinite,
                () => Outcome::MaxIterations,
            };
            interrupt::check()?;
        }
    }
    Ok(DistSolution { x: vector(&x)?, iterations, residuals, outcome, limit })
}

/// The sum of the products of all ranks' elements, on all ranks, in an array of one element.
fn all_dot(a: &AnyArray, b: &AnyArray) -> Result<AnyArray> {
    let a = if a.dtype().is_complex() { a.conjugated() } else { a.clone() };
    let sum = if a.size() == 0 {
        AnyArray::zeros(1, a.dtype())?
    } else {
        AnyArray::of_raw(untyped::sum(&untyped::product(a.raw(), b.raw())?)?)
            .cast(a.dtype())
            .reshaped(&[1])?
    };
    crate::call::all_reduce(&sum, Reduce::Sum)
}

fn first<T: Field>(a: &AnyArray) -> Result<T> {
    a.typed::<T>()?.reshape(()).try_item()
}

fn binary(op: BinaryOp, a: &AnyArray, b: &AnyArray) -> Result<AnyArray> {
    untyped::binary(op, a.raw(), b.raw()).map(AnyArray::of_raw)
}

/// `a + factor * b`.
fn plus(a: &AnyArray, factor: &AnyArray, b: &AnyArray) -> Result<AnyArray> {
    binary(BinaryOp::Add, a, &binary(BinaryOp::Multiply, factor, b)?)
}
