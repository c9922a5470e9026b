//! What a solver returns.

use std::fmt;

use gpurepl_extend::{DType, GpuArray};

use crate::number::Field;

/// Why a solver has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The residual is as small as was asked: `b - a x` itself, as far as the type can tell it.
    Converged,
    /// The number of steps was reached before.
    MaxIterations,
    /// Conjugate gradients met a direction without positive curvature: the matrix, or the preconditioner, is not
    /// positive definite.
    NotPositiveDefinite,
    /// The residual does not fall any more: rounding errors are as large, or the system has no solution.
    Stagnated,
    /// The residual is NaN or infinite.
    NotFinite,
    /// The user has interrupted.
    Interrupted,
}

/// The solution of a system as far as a solver has come, and how it has come there.
#[derive(Clone)]
pub struct Solution<T> {
    /// The solution.
    pub x: GpuArray<T>,
    /// The number of steps.
    pub iterations: usize,
    /// The norm of the residual, before the first step and after each: to be drawn by
    /// `semilogy(&solution.residuals)`.
    pub residuals: Vec<f64>,
    /// Why the solver has ended.
    pub outcome: Outcome,
    /// The norm of the residual that was asked for.
    pub limit: f64,
}

impl<T> Solution<T> {
    /// Whether the residual is as small as was asked.
    pub fn is_converged(&self) -> bool {
        self.outcome == Outcome::Converged
    }

    fn has_grown(&self) -> bool {
        matches!((self.residuals.first(), self.residuals.last()), (Some(first), Some(last)) if *last > 10.0 * first)
    }
}

impl<T: Field> fmt::Debug for Solution<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = self.iterations;
        let plural = if steps == 1 { "" } else { "s" };
        let words = match self.outcome {
            Outcome::Converged => format!("converged in {steps} step{plural}"),
            Outcome::MaxIterations if self.has_grown() => format!(
                "not converged after {steps} step{plural}, and the residual has grown: use another solver or a \
                 preconditioner; cg is for Hermitian positive definite matrices"
            ),
            Outcome::MaxIterations => {
                format!("not converged after {steps} step{plural}: allow more by `maxiter`")
            }
            Outcome::Stagnated if matches!(T::DTYPE, DType::Float32 | DType::Complex64) => {
                let wider = if T::DTYPE == DType::Float32 { "f64" } else { "Complex<f64>" };
                format!(
                    "ended after {steps} step{plural}: the residual does not fall any more; compute in {wider}, or \
                     allow more by `rtol`"
                )
            }
            Outcome::Stagnated => format!(
                "ended after {steps} step{plural}: the residual does not fall any more; the matrix may be singular, or \
                 the limit below rounding errors"
            ),
            Outcome::NotPositiveDefinite => format!(
                "ended after {steps} step{plural}: the matrix or the preconditioner is not positive definite; use \
                 bicgstab or gmres"
            ),
            Outcome::NotFinite => format!("ended after {steps} step{plural}: the residual is not finite"),
            Outcome::Interrupted => format!("interrupted after {steps} step{plural}"),
        };
        let last = self.residuals.last().copied().unwrap_or(f64::NAN);
        writeln!(f, "{words}; the residual's norm is {last:.3e}, the limit {:.3e}", self.limit)?;
        fmt::Debug::fmt(&self.x, f)
    }
}
