//! Solvers of linear systems over all ranks: what they are told, and what they return.

use std::fmt;

use gpurepl_extend::{Result, error};
use gpurepl_sparse::{Field, Outcome};

use crate::array::{DistArray, check_like};
use crate::conjugate;
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
/// `b`, in at most ten times as many steps as there are unknowns. Other limits, a preconditioner and a first guess are
/// given to [`solver`].
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
    solver().cg(a, b)
}

/// Options of [`cg`]: limits, a preconditioner, a first guess. All ranks give the same ones.
///
/// ```
/// use gpurepl_prelude::*;
/// use distributed::{DistArray, DistCsr};
/// let n = 100;
/// let diagonal = DistArray::from_fn(n, |rows| arange(rows.start as f64..rows.end as f64) + 1.0)?;
/// let a = |x: &DistArray<f64>| -> Result<DistArray<f64>> { Ok(&diagonal * x) };
/// // With its inverse for a preconditioner one step is enough.
/// let m = |r: &DistArray<f64>| -> Result<DistArray<f64>> { Ok(r / &diagonal) };
/// let b = DistArray::<f64>::full(n, 1.0)?;
/// let solution = distributed::solver().rtol(1e-12).preconditioner(&m).check_every(1).cg(&a, &b)?;
/// assert_eq!((solution.is_converged(), solution.iterations), (true, 1));
/// # Ok::<(), Error>(())
/// ```
pub fn solver<'a, T: Field>() -> DistSolver<'a, T> {
    DistSolver {
        rtol: 1e-5,
        atol: 0.0,
        maxiter: None,
        check_every: None,
        x0: None,
        preconditioner: None,
        callback: None,
    }
}

/// What a solver is told besides the system: see [`solver`].
pub struct DistSolver<'a, T: Field> {
    pub(crate) rtol: f64,
    pub(crate) atol: f64,
    pub(crate) maxiter: Option<usize>,
    pub(crate) check_every: Option<usize>,
    pub(crate) x0: Option<&'a DistArray<T>>,
    pub(crate) preconditioner: Option<&'a dyn DistOperator<T>>,
    pub(crate) callback: Option<Box<dyn FnMut(usize, f64) + 'a>>,
}

impl<T: Field> fmt::Debug for DistSolver<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DistSolver")
            .field("rtol", &self.rtol)
            .field("atol", &self.atol)
            .field("maxiter", &self.maxiter)
            .field("check_every", &self.check_every)
            .finish_non_exhaustive()
    }
}

impl<'a, T: Field> DistSolver<'a, T> {
    /// The residual's norm that is asked for, as a part of the norm of `b`: 1e-5 if it is not given.
    #[must_use]
    pub fn rtol(self, rtol: f64) -> DistSolver<'a, T> {
        DistSolver { rtol, ..self }
    }

    /// The residual's norm that is small enough in any case: zero if it is not given.
    #[must_use]
    pub fn atol(self, atol: f64) -> DistSolver<'a, T> {
        DistSolver { atol, ..self }
    }

    /// The most steps: ten times the number of unknowns if it is not given.
    #[must_use]
    pub fn maxiter(self, maxiter: usize) -> DistSolver<'a, T> {
        DistSolver { maxiter: Some(maxiter), ..self }
    }

    /// After how many steps the host looks at the residual: 25 if a rank has a GPU, where each look would be a wait, and
    /// each step else. Steps after the one that reaches the limit change nothing, and are counted.
    #[must_use]
    pub fn check_every(self, steps: usize) -> DistSolver<'a, T> {
        DistSolver { check_every: Some(steps), ..self }
    }

    /// The first guess: zeros if it is not given.
    #[must_use]
    pub fn x0(self, x0: &'a DistArray<T>) -> DistSolver<'a, T> {
        DistSolver { x0: Some(x0), ..self }
    }

    /// An operator close to the inverse of the map, Hermitian and positive definite as it is: a [`DistCsr`], or a
    /// closure.
    #[must_use]
    pub fn preconditioner(self, preconditioner: &'a dyn DistOperator<T>) -> DistSolver<'a, T> {
        DistSolver { preconditioner: Some(preconditioner), ..self }
    }

    /// What is called with the number of steps and the residual's norm, on each rank, each time that the host looks at
    /// it.
    #[must_use]
    pub fn callback(self, callback: impl FnMut(usize, f64) + 'a) -> DistSolver<'a, T> {
        DistSolver { callback: Some(Box::new(callback)), ..self }
    }

    /// Conjugate gradients: see [`cg`]. The residual is the recurrence's, which rounding errors part from `b - A x` where
    /// the map is ill-conditioned.
    ///
    /// # Errors
    ///
    /// As [`cg`]; if a limit is negative, `x0` does not lie as `b` does, or the ranks give different options.
    pub fn cg(self, a: &impl DistOperator<T>, b: &DistArray<T>) -> Result<DistSolution<T>> {
        self.check(b)?;
        conjugate::solve(self, a, b)
    }

    fn check(&self, b: &DistArray<T>) -> Result<()> {
        if b.shape().len() != 1 {
            return Err(error::shape("cg", format!("shape {:?} is not that of a vector", b.shape())));
        }
        if let Some(x0) = self.x0 {
            check_like("cg", x0.split(), b.split())?;
            if x0.shape() != b.shape() {
                let message =
                    format!("`x0` has shape {:?} and `b` {:?}; give both the same", x0.shape(), b.shape());
                return Err(error::shape("cg", message));
            }
        }
        for (name, limit) in [("rtol", self.rtol), ("atol", self.atol)] {
            if limit.is_nan() || limit < 0.0 {
                return Err(error::invalid("cg", format!("`{name}` is {limit}; it must not be negative")));
            }
        }
        if self.check_every == Some(0) {
            return Err(error::invalid("cg", "`check_every` is 0; it must be at least 1".to_owned()));
        }
        Ok(())
    }
}
