//! PETSc's vectors, matrices and solvers, on one process.

use gpurepl_prelude::*;

#[path = "../../../../tests/support/ignored.rs"]
mod ignored;
mod vectors;

/// Whether PETSc is there; a test that needs it is ignored without it.
fn has_petsc() -> bool {
    let is_there = std::env::var_os("GPUREPL_TEST_PETSC").is_some_and(|value| !value.is_empty());
    if !is_there {
        ignored::missing("PETSc", "GPUREPL_TEST_PETSC");
    }
    is_there
}

/// Whether arrays can lie over a vector's memory here: PETSc of the system has no CUDA.
fn shares_memory() -> bool {
    let vector = petsc::Vector::zeros(1).unwrap();
    vector.borrow().is_ok()
}
