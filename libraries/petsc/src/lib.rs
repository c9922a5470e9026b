//! PETSc's vectors, matrices and solvers, spread over processes, with arrays over their memory.
//!
//! ```
//! use gpurepl_prelude::*;
//! # if std::env::var_os("GPUREPL_TEST_PETSC").is_none() { return Ok(()) }
//! # if device().kind() != DeviceKind::Host { return Ok(()) }
//! let (mut a, mut b, mut c) = (petsc::Vector::zeros(8)?, petsc::Vector::zeros(8)?, petsc::Vector::zeros(8)?);
//! a.set(3.0)?;
//! b.set(2.0)?;
//! let module = SourceModule::new(
//!     "__global__ void product(const double *a, const double *b, double *c, int n) {
//!          int i = threadIdx.x + blockIdx.x * blockDim.x;
//!          if (i < n) c[i] = a[i] * b[i];
//!      }",
//! )?;
//! let n = c.local_size()?;
//! module.get_function("product")?.launch(1, n, (&a.borrow()?, &b.borrow()?, &mut c.borrow_mut()?, n as i32))?;
//! assert_eq!(c.to_vec()?, vec![6.0; n]);
//! # Ok::<(), Error>(())
//! ```
//!
//! PETSc is a library of the system, found when it is first used: by `GPUREPL_PETSC`, by `PETSC_DIR` and `PETSC_ARCH`, or
//! where distributions put it. It is started then, and with it MPI; both end with the session. Numbers are `f64`.
#![warn(missing_docs)]

mod library;
mod matrix;
mod processes;
mod solver;
mod text;
mod vector;

pub use matrix::{Matrix, MatrixBuilder};
pub use processes::{Info, barrier, clear_option, info, options, ownership_range, rank, size, version};
pub use solver::{Solution, Solver};
pub use vector::{Local, LocalMut, Vector};
