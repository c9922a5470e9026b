//! PETSc's vectors, matrices and solvers, on one process. `tests/petsc.rs` has two, and cells.

use gpurepl_prelude::*;

mod borrowing;
#[path = "../../../../tests/support/ignored.rs"]
mod ignored;
mod matrices;
mod missing;
mod solvers;
mod vectors;

/// Whether PETSc is there; a test that needs it is ignored without it.
fn has_petsc() -> bool {
    let is_there = std::env::var_os("GPUREPL_TEST_PETSC").is_some_and(|value| !value.is_empty());
    if !is_there {
        ignored::missing("PETSc", "GPUREPL_TEST_PETSC");
    }
    is_there
}

/// Whether arrays can lie over a vector's memory here: on a GPU PETSc must have been built with CUDA.
fn shares_memory() -> bool {
    let is_there = has_petsc();
    let shares = is_there && (device().kind() == DeviceKind::Host || petsc::info().unwrap().has_cuda);
    if is_there && !shares {
        ignored::ignored("needs a PETSc that was built with CUDA");
    }
    shares
}

fn vector(elements: &[f64]) -> petsc::Vector {
    petsc::Vector::from_array(elements).unwrap()
}

fn close(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    for (k, (a, b)) in a.iter().zip(b).enumerate() {
        assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "element {k}: {a} {b}");
    }
}

/// The matrix with 2 on the diagonal and -1 beside it.
fn laplace(n: usize) -> petsc::Matrix {
    let mut entries = petsc::MatrixBuilder::new([n, n]).unwrap();
    for i in entries.local_rows() {
        for j in i.saturating_sub(1)..(i + 2).min(n) {
            entries.add(i, j, if i == j { 2.0 } else { -1.0 }).unwrap();
        }
    }
    entries.assemble().unwrap()
}
