//! Solvers of linear systems: PETSc's `KSP`.

use std::ffi::{CStr, CString, c_int, c_void};
use std::fmt;
use std::ptr::null_mut;

use gpurepl_extend::{Result, check_interrupt, error};

use crate::library::{Functions, Int, IntOut, Object, c_text};
use crate::matrix::Matrix;
use crate::vector::Vector;

/// A solver of linear systems with a matrix: PETSc's `KSP`.
///
/// ```
/// use gpurepl_prelude::*;
/// # if std::env::var_os("GPUREPL_TEST_PETSC").is_none() { return Ok(()) }
/// let n = 10;
/// let mut entries = petsc::MatrixBuilder::new([n, n])?;
/// for i in entries.local_rows() {
///     entries.add(i, i, 2.0)?;
///     if i > 0 {
///         entries.add(i, i - 1, -1.0)?;
///     }
///     if i + 1 < n {
///         entries.add(i, i + 1, -1.0)?;
///     }
/// }
/// let a = entries.assemble()?;
/// let mut b = petsc::Vector::zeros(n)?;
/// b.set(1.0)?;
/// let solution = petsc::Solver::new(&a)?.method("cg")?.preconditioner("jacobi")?.tolerance(1e-10)?.solve(&b)?;
/// assert!(solution.is_converged());
/// let mut residual = a.mult(&solution.x)?;
/// residual.axpy(-1.0, &b)?;
/// assert!(residual.norm()? < 1e-8);
/// # Ok::<(), Error>(())
/// ```
pub struct Solver {
    object: Object,
    matrix: Matrix,
    /// What its options begin with.
    prefix: Option<CString>,
}

// SAFETY: PETSc's object is used through `Petsc::call` alone, by one thread at a time; nothing in it belongs to a thread.
// It is not `Sync`: a solution takes several calls, between which no other one may come.
unsafe impl Send for Solver {}

impl Drop for Solver {
    fn drop(&mut self) {
        let mut object = self.object;
        // SAFETY: the object is this solver's, and nobody uses it after this.
        self.matrix.handle().petsc.call_at_drop(|f| unsafe { (f.ksp_destroy)(&raw mut object) });
    }
}

/// `PETSC_ERR_USER`: an error of the caller's own.
const USER: c_int = 83;

/// Ends a solution that the user has interrupted: PETSc calls it after each iteration.
unsafe extern "C" fn look_for_interrupt(_: Object, _: Int, _: f64, _: *mut c_void) -> c_int {
    if check_interrupt().is_err() { USER } else { 0 }
}

impl Solver {
    /// A solver with PETSc's defaults: `gmres`, with `ilu` on one process and `bjacobi` on several.
    ///
    /// # Errors
    ///
    /// If the matrix does not have as many rows as columns.
    pub fn new(matrix: &Matrix) -> Result<Solver> {
        let shape = matrix.size()?;
        if shape[0] != shape[1] {
            let message = format!("the matrix has shape {shape:?}; a system needs as many rows as columns");
            return Err(error::shape("Solver::new", message));
        }
        let (petsc, a) = (matrix.handle().petsc, matrix.handle().object);
        let mut object = null_mut();
        // SAFETY: PETSc writes a new object there.
        petsc.call("Solver::new", |f| unsafe { (f.ksp_create)(petsc.comm, &raw mut object) })?;
        let solver = Solver { object, matrix: matrix.clone(), prefix: None };
        // SAFETY: both objects live; PETSc counts its own use of the matrix.
        solver.call("Solver::new", |f, ksp| unsafe { (f.ksp_set_operators)(ksp, a, a) })?;
        // SAFETY: the function has the type of a monitor, and needs no context.
        solver.call("Solver::new", |f, ksp| unsafe {
            (f.ksp_monitor)(ksp, look_for_interrupt, null_mut(), null_mut())
        })?;
        Ok(solver)
    }

    /// The method by PETSc's name: `cg`, `gmres`, `bcgs`, `minres`, `preonly`; the option `-ksp_type`.
    ///
    /// # Errors
    ///
    /// If this PETSc has none of the name.
    pub fn method(self, name: &str) -> Result<Solver> {
        let name = c_text("method", name)?;
        // SAFETY: the object lives; the name is a C string.
        self.call("method", |f, ksp| unsafe { (f.ksp_set_type)(ksp, name.as_ptr()) })?;
        Ok(self)
    }

    /// The preconditioner by PETSc's name: `none`, `jacobi`, `ilu`, `icc`, `bjacobi`, `asm`, `sor`, `gamg`, `lu`; the
    /// option `-pc_type`.
    ///
    /// # Errors
    ///
    /// If this PETSc has none of the name.
    pub fn preconditioner(self, name: &str) -> Result<Solver> {
        let (name, pc) = (c_text("preconditioner", name)?, self.pc("preconditioner")?);
        // SAFETY: the object is the solver's; the name is a C string.
        self.call("preconditioner", |f, _| unsafe { (f.pc_set_type)(pc, name.as_ptr()) })?;
        Ok(self)
    }

    /// The residual's norm, as a part of that of the right side, from which on a solution is found; 1e-5 by default.
    ///
    /// # Errors
    ///
    /// If it is negative or not less than 1.
    pub fn tolerance(self, relative: f64) -> Result<Solver> {
        self.tolerances("tolerance", |all| all.0 = relative)
    }

    /// The residual's norm from which on a solution is found; 1e-50 by default.
    ///
    /// # Errors
    ///
    /// If it is negative.
    pub fn absolute_tolerance(self, norm: f64) -> Result<Solver> {
        self.tolerances("absolute_tolerance", |all| all.1 = norm)
    }

    /// How far the residual's norm may rise, as a multiple of the right side's, until the method has failed; 1e4 by
    /// default.
    ///
    /// # Errors
    ///
    /// If it is negative.
    pub fn divergence_tolerance(self, relative: f64) -> Result<Solver> {
        self.tolerances("divergence_tolerance", |all| all.2 = relative)
    }

    /// The most iterations; 10000 by default.
    ///
    /// # Errors
    ///
    /// If it is more than PETSc counts.
    pub fn max_iterations(self, count: usize) -> Result<Solver> {
        let count = self.matrix.handle().petsc.int("max_iterations", count)?;
        self.tolerances("max_iterations", |all| all.3 = count)
    }

    /// What the names of this solver's options begin with: after `prefix("fine_")`, `-fine_ksp_monitor`.
    ///
    /// # Errors
    ///
    /// If it begins with a hyphen, which the options have anyway.
    pub fn prefix(mut self, prefix: &str) -> Result<Solver> {
        let prefix = c_text("prefix", prefix)?;
        // SAFETY: the object lives; PETSc copies the text.
        self.call("prefix", |f, ksp| unsafe { (f.ksp_set_prefix)(ksp, prefix.as_ptr()) })?;
        self.prefix = Some(prefix);
        Ok(self)
    }

    /// The vector `x` for which `A x = b`, from zeros on. Options that have been given, by [`options`](crate::options())
    /// or `PETSC_OPTIONS`, come before what was set here.
    ///
    /// A method that does not converge is no error: [`Solution::is_converged`].
    ///
    /// # Errors
    ///
    /// If the sizes do not fit, the vector is lent to an array that may write it, the preconditioner cannot be made, or
    /// the user interrupts.
    pub fn solve(&self, b: &Vector) -> Result<Solution> {
        self.solved("solve", b, self.matrix.right_vector("solve")?, false, |f| f.ksp_solve)
    }

    /// [`Solver::solve`] from a vector on that is near the solution, and becomes it.
    ///
    /// # Errors
    ///
    /// As [`Solver::solve`], or if that vector is lent to an array.
    pub fn solve_from(&self, b: &Vector, start: Vector) -> Result<Solution> {
        self.solved("solve_from", b, start, true, |f| f.ksp_solve)
    }

    /// The vector `x` for which the transposed matrix times `x` is `b`.
    ///
    /// # Errors
    ///
    /// As [`Solver::solve`].
    pub fn solve_transpose(&self, b: &Vector) -> Result<Solution> {
        self.solved("solve_transpose", b, self.matrix.left_vector("solve_transpose")?, false, |f| {
            f.ksp_solve_transpose
        })
    }

    /// Prints the method, the preconditioner and the tolerances, from the first process: `KSPView`.
    ///
    /// # Errors
    ///
    /// If PETSc is over.
    pub fn view(&self) -> Result<()> {
        let viewer = self.matrix.handle().petsc.stdout();
        // SAFETY: the object and the viewer live.
        self.call("view", |f, ksp| unsafe { (f.ksp_view)(ksp, viewer) })
    }

    /// The names of the method and of the preconditioner; `None` for one that PETSc has yet to choose.
    ///
    /// # Errors
    ///
    /// If PETSc is over.
    pub fn types(&self) -> Result<[Option<String>; 2]> {
        let (petsc, pc) = (self.matrix.handle().petsc, self.pc("types")?);
        let named = |name: String| Some(name).filter(|name| !name.is_empty());
        // SAFETY: the objects live; PETSc writes a pointer there.
        let method = petsc.name_of("types", |f, name| unsafe { (f.ksp_type)(self.object, name) })?;
        // SAFETY: as above.
        let preconditioner = petsc.name_of("types", |f, name| unsafe { (f.pc_type)(pc, name) })?;
        Ok([named(method), named(preconditioner)])
    }

    fn call(&self, operation: &'static str, act: impl FnOnce(&Functions, Object) -> c_int) -> Result<()> {
        self.matrix.handle().petsc.call(operation, |functions| act(functions, self.object))
    }

    fn pc(&self, operation: &'static str) -> Result<Object> {
        let mut pc = null_mut();
        // SAFETY: the object lives; PETSc writes the preconditioner there, which remains the solver's.
        self.call(operation, |f, ksp| unsafe { (f.ksp_pc)(ksp, &raw mut pc) })?;
        Ok(pc)
    }

    /// Changes some of the relative, the absolute and the divergence tolerance and the number of iterations.
    fn tolerances(
        self,
        operation: &'static str,
        change: impl FnOnce(&mut (f64, f64, f64, Int)),
    ) -> Result<Solver> {
        let (mut all, mut most) = ((0.0, 0.0, 0.0, 0), IntOut::default());
        // SAFETY: the object lives; PETSc writes numbers there.
        self.call(operation, |f, ksp| unsafe {
            (f.ksp_tolerances)(ksp, &raw mut all.0, &raw mut all.1, &raw mut all.2, &raw mut most)
        })?;
        all.3 = self.matrix.handle().petsc.value(most);
        change(&mut all);
        if all.0 >= 1.0 || [all.0, all.1, all.2].iter().any(|x| x.is_nan() || *x < 0.0) {
            let message = format!(
                "relative tolerance {}, absolute {}, divergence {}; give numbers that are not negative, the first one less than 1",
                all.0, all.1, all.2
            );
            return Err(error::invalid(operation, message));
        }
        // SAFETY: the object lives.
        self.call(operation, |f, ksp| unsafe { (f.ksp_set_tolerances)(ksp, all.0, all.1, all.2, all.3) })?;
        Ok(self)
    }

    fn solved(
        &self,
        operation: &'static str,
        b: &Vector,
        x: Vector,
        is_near: bool,
        solve: fn(&Functions) -> unsafe extern "C" fn(Object, Object, Object) -> c_int,
    ) -> Result<Solution> {
        self.matrix.check(operation, b, &x, [0, 1])?;
        check_interrupt()?;
        // SAFETY: the object lives.
        self.call(operation, |f, ksp| unsafe { (f.ksp_guess_nonzero)(ksp, is_near.into()) })?;
        // SAFETY: as above.
        self.call(operation, |f, ksp| unsafe { (f.ksp_set_from_options)(ksp) })?;
        // SAFETY: the objects live, and the vectors are two; they have the matrix's sizes.
        let solved =
            self.call(operation, |f, ksp| unsafe { solve(f)(ksp, b.handle().object, x.handle().object) });
        // The interrupt is the news, not that PETSc was told to stop.
        check_interrupt()?;
        solved?;
        let petsc = self.matrix.handle().petsc;
        let (mut iterations, mut residual, mut reason) = (IntOut::default(), 0.0, 0);
        // SAFETY: the object lives; PETSc writes an integer there.
        self.call(operation, |f, ksp| unsafe { (f.ksp_iterations)(ksp, &raw mut iterations) })?;
        // SAFETY: as above.
        self.call(operation, |f, ksp| unsafe { (f.ksp_residual)(ksp, &raw mut residual) })?;
        // SAFETY: as above.
        self.call(operation, |f, ksp| unsafe { (f.ksp_reason)(ksp, &raw mut reason) })?;
        // SAFETY: the object lives; PETSc writes a pointer to a text of its own.
        let words = petsc.name_of(operation, |f, text| unsafe { (f.ksp_reason_text)(self.object, text) })?;
        let iterations = petsc.size_of(iterations);
        Ok(Solution { x, iterations, residual, reason: words, code: reason })
    }
}

impl fmt::Debug for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [method, preconditioner] = self.types().unwrap_or_default();
        let named = |name: Option<String>| name.unwrap_or_else(|| "PETSc's default".to_owned());
        write!(f, "Solver(method: {}, preconditioner: {}", named(method), named(preconditioner))?;
        if let Some(prefix) = self.prefix.as_deref().map(CStr::to_string_lossy) {
            write!(f, ", prefix: {prefix}")?;
        }
        f.write_str(")")
    }
}

/// What a solver has found.
pub struct Solution {
    /// The solution, or as near as the method came.
    pub x: Vector,
    /// The number of iterations.
    pub iterations: usize,
    /// The norm of the residual as the method sees it: with a preconditioner on the left, that of the preconditioned
    /// system.
    pub residual: f64,
    /// Why it ended, in PETSc's words: `CONVERGED_RTOL`, `DIVERGED_ITS`.
    pub reason: String,
    code: c_int,
}

impl Solution {
    /// Whether the tolerance was reached.
    pub fn is_converged(&self) -> bool {
        self.code > 0
    }
}

impl fmt::Display for Solution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.is_converged() { "converged" } else { "did not converge" };
        let iterations = if self.iterations == 1 { "iteration" } else { "iterations" };
        let residual = crate::text::number(self.residual);
        write!(f, "{word} in {} {iterations} ({}), residual {residual}", self.iterations, self.reason)
    }
}

impl fmt::Debug for Solution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
