//! What a solver returns.

use std::fmt;

use gpurepl_extend::{AnyArray, GpuArray, Result};

use crate::number::Field;

/// Why a solver has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The residual is as small as was asked.
    Converged,
    /// The number of steps was reached before.
    MaxIterations,
    /// Conjugate gradients met a direction without positive curvature: the matrix, or the preconditioner, is not
    /// positive definite.
    NotPositiveDefinite,
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

/// A solution without its type.
pub(crate) struct Found {
    pub(crate) x: AnyArray,
    pub(crate) residuals: Vec<f64>,
    pub(crate) outcome: Outcome,
    pub(crate) limit: f64,
}

impl Found {
    pub(crate) fn typed<T: Field>(self) -> Result<Solution<T>> {
        Ok(Solution {
            x: self.x.typed()?,
            iterations: self.residuals.len().saturating_sub(1),
            residuals: self.residuals,
            outcome: self.outcome,
            limit: self.limit,
        })
    }
}
