//! Solvers of linear systems that multiply with the matrix alone, under the names of `scipy.sparse.linalg`.

mod bicgstab;
mod conjugate;
pub(crate) mod gmres;
mod solution;
mod system;

use std::fmt;

pub use solution::{Outcome, Solution};
pub(crate) use system::{System, dot, norm, numbers};

use gpurepl_extend::arrays::ToGpu;
use gpurepl_extend::{AnyArray, GpuArray, Result, error, interrupt};

use crate::entry::beside;
use crate::number::Field;
use crate::operator::{Apply, Erased, LinearOperator};
use system::{Limits, Method, Parts};

/// Solves `a x = b` by conjugate gradients, for Hermitian positive definite operators, up to a residual of 1e-5 times
/// the norm of `b`: SciPy's `cg`. Other limits, a preconditioner and a first guess are given to [`solver`].
///
/// # Errors
///
/// If the shapes do not fit, the operator fails, or the device has no room. That it does not converge is no error:
/// see [`Solution::outcome`].
pub fn cg<T: Field>(a: &impl LinearOperator<T>, b: impl ToGpu<Elem = T>) -> Result<Solution<T>> {
    solver().cg(a, b)
}

/// Solves `a x = b` by stabilized biconjugate gradients, for any square operator: SciPy's `bicgstab`.
///
/// # Errors
///
/// As [`cg`].
pub fn bicgstab<T: Field>(a: &impl LinearOperator<T>, b: impl ToGpu<Elem = T>) -> Result<Solution<T>> {
    solver().bicgstab(a, b)
}

/// Solves `a x = b` by the generalized minimal residual method, restarted after 20 steps, for any square operator:
/// SciPy's `gmres`.
///
/// # Errors
///
/// As [`cg`].
pub fn gmres<T: Field>(a: &impl LinearOperator<T>, b: impl ToGpu<Elem = T>) -> Result<Solution<T>> {
    solver().gmres(a, b)
}

/// Options of a solver: limits, a preconditioner, a first guess.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = sparse::diags([100, 100], &[(-1, -1.0), (0, 2.0), (1, -1.0)])?.to_csr();
/// let b = ones::<f64>(100);
/// let m = sparse::jacobi(&a)?;
/// let solution = sparse::solver().rtol(1e-12).preconditioner(&m).maxiter(500).cg(&a, &b)?;
/// assert!(solution.is_converged());
/// # Ok::<(), Error>(())
/// ```
pub fn solver<'a, T: Field>() -> Solver<'a, T> {
    Solver {
        rtol: 1e-5,
        atol: 0.0,
        maxiter: None,
        restart: 20,
        check_every: None,
        x0: None,
        preconditioner: None,
        callback: None,
    }
}

/// What a solver is told besides the system: see [`solver`].
pub struct Solver<'a, T: Field> {
    rtol: f64,
    atol: f64,
    maxiter: Option<usize>,
    restart: usize,
    check_every: Option<usize>,
    x0: Option<GpuArray<T>>,
    preconditioner: Option<&'a dyn LinearOperator<T>>,
    callback: Option<Box<dyn FnMut(usize, f64) + 'a>>,
}

impl<T: Field> fmt::Debug for Solver<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Solver")
            .field("rtol", &self.rtol)
            .field("atol", &self.atol)
            .field("maxiter", &self.maxiter)
            .field("restart", &self.restart)
            .field("check_every", &self.check_every)
            .finish_non_exhaustive()
    }
}

impl<'a, T: Field> Solver<'a, T> {
    /// The residual's norm that is asked for, as a part of the norm of `b`: 1e-5 if it is not given.
    #[must_use]
    pub fn rtol(self, rtol: f64) -> Solver<'a, T> {
        Solver { rtol, ..self }
    }

    /// The residual's norm that is small enough in any case: zero if it is not given.
    #[must_use]
    pub fn atol(self, atol: f64) -> Solver<'a, T> {
        Solver { atol, ..self }
    }

    /// The most steps: ten times the number of unknowns if it is not given. `gmres` counts its inner steps, where SciPy
    /// counts restarts.
    #[must_use]
    pub fn maxiter(self, maxiter: usize) -> Solver<'a, T> {
        Solver { maxiter: Some(maxiter), ..self }
    }

    /// The steps after which `gmres` begins anew: 20 if it is not given. It keeps a vector for each.
    #[must_use]
    pub fn restart(self, restart: usize) -> Solver<'a, T> {
        Solver { restart, ..self }
    }

    /// After how many steps the host looks at the residual: 25 on a GPU, where each look would be a wait, and each step
    /// on the host. The solution is that of the step at which the limit was reached, however often the host looks.
    /// `gmres` is looked at when it restarts.
    #[must_use]
    pub fn check_every(self, steps: usize) -> Solver<'a, T> {
        Solver { check_every: Some(steps), ..self }
    }

    /// The first guess: zeros if it is not given.
    #[must_use]
    pub fn x0(self, x0: &GpuArray<T>) -> Solver<'a, T> {
        Solver { x0: Some(x0.clone()), ..self }
    }

    /// An operator close to the inverse of the matrix: [`jacobi`](crate::jacobi), [`ilu`](crate::ilu), or one's own.
    #[must_use]
    pub fn preconditioner(self, preconditioner: &'a dyn LinearOperator<T>) -> Solver<'a, T> {
        Solver { preconditioner: Some(preconditioner), ..self }
    }

    /// What is called with the number of steps and the residual's norm, each time that the host looks at it.
    #[must_use]
    pub fn callback(self, callback: impl FnMut(usize, f64) + 'a) -> Solver<'a, T> {
        Solver { callback: Some(Box::new(callback)), ..self }
    }

    /// Conjugate gradients: see [`cg`].
    ///
    /// # Errors
    ///
    /// As [`cg`].
    pub fn cg(self, a: &impl LinearOperator<T>, b: impl ToGpu<Elem = T>) -> Result<Solution<T>> {
        self.solve("cg", a, AnyArray::given(&b)?, Method::Recurrence(conjugate::solve))
    }

    /// Stabilized biconjugate gradients: see [`bicgstab`].
    ///
    /// # Errors
    ///
    /// As [`cg`].
    pub fn bicgstab(self, a: &impl LinearOperator<T>, b: impl ToGpu<Elem = T>) -> Result<Solution<T>> {
        self.solve("bicgstab", a, AnyArray::given(&b)?, Method::Recurrence(bicgstab::solve))
    }

    /// The generalized minimal residual method: see [`gmres`].
    ///
    /// # Errors
    ///
    /// As [`cg`].
    pub fn gmres(self, a: &impl LinearOperator<T>, b: impl ToGpu<Elem = T>) -> Result<Solution<T>> {
        self.solve("gmres", a, AnyArray::given(&b)?, Method::Residual(gmres::solve))
    }

    fn solve(
        self,
        operation: &'static str,
        a: &dyn LinearOperator<T>,
        b: AnyArray,
        method: Method,
    ) -> Result<Solution<T>> {
        // A loop of solvers ends with the first one that the user has interrupted.
        interrupt::check_answered()?;
        let (a, n) = Erased::new(operation, a)?;
        let preconditioner =
            self.preconditioner.map(|operator| Erased::new(operation, operator)).transpose()?;
        let vectors = [("b", Some(b)), ("x0", self.x0.as_ref().map(AnyArray::of))];
        for (name, vector) in &vectors {
            if let Some(vector) = vector
                && vector.shape() != [n]
            {
                let message = format!(
                    "the operator has shape [{n}, {n}] and `{name}` {:?}; it must be [{n}]",
                    vector.shape()
                );
                return Err(error::shape(operation, message));
            }
        }
        if let Some((_, m)) = &preconditioner
            && *m != n
        {
            let message = format!("the operator has shape [{n}, {n}] and the preconditioner [{m}, {m}]");
            return Err(error::shape(operation, message));
        }
        for (name, limit) in [("rtol", self.rtol), ("atol", self.atol)] {
            if limit.is_nan() || limit < 0.0 {
                return Err(error::invalid(
                    operation,
                    format!("`{name}` is {limit}; it must not be negative"),
                ));
            }
        }
        for (name, steps) in [("restart", self.restart), ("check_every", self.check_every.unwrap_or(1))] {
            if steps == 0 {
                return Err(error::invalid(operation, format!("`{name}` is 0; it must be at least 1")));
            }
        }
        let [(_, b), (_, x0)] = vectors;
        let b = b.unwrap_or_else(|| unreachable!("it was given")).contiguous()?;
        let parts = Parts {
            a: &a,
            preconditioner: preconditioner.as_ref().map(|(operator, _)| operator as &dyn Apply),
            b: b.clone(),
            x0,
        };
        let limits = Limits {
            rtol: self.rtol,
            atol: self.atol,
            maxiter: self.maxiter.unwrap_or(n.saturating_mul(10)),
            restart: self.restart,
            check_every: self.check_every,
        };
        let callback = self.callback;
        let (outcome, limit, x, residuals) = beside(&b, || {
            let mut system = System::new(parts, limits, callback)?;
            let outcome = system.solve(method)?;
            Ok((outcome, system.limit, system.solution()?, system.residuals))
        })?;
        let iterations = residuals.len().saturating_sub(1);
        Ok(Solution { x: x.typed()?, iterations, residuals, outcome, limit })
    }
}
