//! PETSc's functions that are called, with the types of its headers.
//!
//! A `PetscInt` has 32 or 64 bits, as PETSc was configured, which is known when it has been loaded. As an argument it is
//! declared as [`Int`], of 64 bits: on x86-64 and AArch64 an integer takes a register or eight bytes of the stack,
//! of which a function that wants 32 bits reads the lower half. What PETSc writes goes to an [`IntOut`], and lists of
//! them are [`Ints`](super::Ints) of the right width. `MPI_Comm` is a pointer or an `int` in the same way.

use std::ffi::{c_char, c_int, c_void};

use gpurepl_extend::{Result, error};
use libloading::os::unix::Library;

/// `PetscInt` as an argument.
pub(crate) type Int = i64;

/// `MPI_Comm` as an argument.
pub(crate) type Comm = usize;

/// `Vec`, `Mat`, `KSP`, `PC` and `PetscViewer`: pointers to structures that only PETSc looks into.
pub(crate) type Object = *mut c_void;

/// Where PETSc writes a `PetscInt`.
#[repr(C, align(8))]
#[derive(Clone, Copy, Default)]
pub(crate) struct IntOut([u8; 8]);

impl IntOut {
    /// What was written, by the number of bytes of a `PetscInt`.
    pub(super) fn value(self, bytes: usize) -> i64 {
        let [a, b, c, d, ..] = self.0;
        if bytes == 4 { i32::from_ne_bytes([a, b, c, d]).into() } else { i64::from_ne_bytes(self.0) }
    }
}

/// Where PETSc writes a `PetscBool`, which is an `int`, or a `bool` of C in later versions.
#[repr(C, align(8))]
#[derive(Clone, Copy, Default)]
pub(crate) struct BoolOut([u8; 8]);

impl BoolOut {
    pub(super) fn value(self) -> bool {
        self.0 != [0; 8]
    }
}

/// `NORM_1`, `NORM_2` and `NORM_FROBENIUS`, `NORM_INFINITY`.
pub(crate) const NORM_1: c_int = 0;
pub(crate) const NORM_2: c_int = 1;
pub(crate) const NORM_FROBENIUS: c_int = 2;
pub(crate) const NORM_INFINITY: c_int = 3;

/// `INSERT_VALUES` and `ADD_VALUES`.
pub(crate) const INSERT_VALUES: c_int = 1;
pub(crate) const ADD_VALUES: c_int = 2;

/// `MAT_GLOBAL_SUM`.
pub(crate) const GLOBAL_SUM: c_int = 3;

/// `PETSC_DECIDE` and `PETSC_DETERMINE`.
pub(crate) const DECIDE: Int = -1;

/// `PetscErrorHandler`'s function: communicator, line, function, file, error, kind, message, context.
pub(super) type ErrorHandler = unsafe extern "C" fn(
    Comm,
    c_int,
    *const c_char,
    *const c_char,
    c_int,
    c_int,
    *const c_char,
    *mut c_void,
) -> c_int;

/// A monitor of `KSPSolve`: solver, iteration, norm of the residual, context.
pub(crate) type Monitor = unsafe extern "C" fn(Object, Int, f64, *mut c_void) -> c_int;

/// Declares functions that return a `PetscErrorCode`, by their names in PETSc.
macro_rules! functions {
    ($($field:ident = $name:literal ($($argument:ty),*);)*) => {
        /// The functions, which are there as long as the process lives.
        pub(crate) struct Functions {
            $(pub(crate) $field: unsafe extern "C" fn($($argument),*) -> c_int,)*
        }

        impl Functions {
            /// Looks all of them up.
            ///
            /// # Safety
            ///
            /// The library is a PETSc of one of the versions whose headers declare them so, and it is not unloaded.
            pub(super) unsafe fn load(library: &Library) -> Result<Functions> {
                Ok(Functions {
                    // SAFETY: the caller's promise; the type is that of the field.
                    $($field: unsafe { symbol(library, $name)? },)*
                })
            }
        }
    };
}

functions! {
    options_set = "PetscOptionsSetValue" (*mut c_void, *const c_char, *const c_char);
    options_clear = "PetscOptionsClearValue" (*mut c_void, *const c_char);
    options_insert = "PetscOptionsInsertString" (*mut c_void, *const c_char);
    initialize = "PetscInitializeNoArguments" ();
    finalize = "PetscFinalize" ();
    push_error_handler = "PetscPushErrorHandler" (ErrorHandler, *mut c_void);
    error_message = "PetscErrorMessage" (c_int, *mut *const c_char, *mut *mut c_char);
    type_by_name = "PetscDataTypeFromString" (*const c_char, *mut c_int, *mut BoolOut);
    type_size = "PetscDataTypeGetSize" (c_int, *mut usize);
    has_package = "PetscHasExternalPackage" (*const c_char, *mut BoolOut);
    barrier = "PetscBarrier" (Object);

    vec_create = "VecCreate" (Comm, *mut Object);
    vec_set_sizes = "VecSetSizes" (Object, Int, Int);
    vec_set_type = "VecSetType" (Object, *const c_char);
    vec_type = "VecGetType" (Object, *mut *const c_char);
    vec_destroy = "VecDestroy" (*mut Object);
    vec_duplicate = "VecDuplicate" (Object, *mut Object);
    vec_copy = "VecCopy" (Object, Object);
    vec_size = "VecGetSize" (Object, *mut IntOut);
    vec_local_size = "VecGetLocalSize" (Object, *mut IntOut);
    vec_range = "VecGetOwnershipRange" (Object, *mut IntOut, *mut IntOut);
    vec_set = "VecSet" (Object, f64);
    vec_set_values = "VecSetValues" (Object, Int, *const c_void, *const f64, c_int);
    vec_assembly_begin = "VecAssemblyBegin" (Object);
    vec_assembly_end = "VecAssemblyEnd" (Object);
    vec_norm = "VecNorm" (Object, c_int, *mut f64);
    vec_dot = "VecDot" (Object, Object, *mut f64);
    vec_sum = "VecSum" (Object, *mut f64);
    vec_max = "VecMax" (Object, *mut IntOut, *mut f64);
    vec_min = "VecMin" (Object, *mut IntOut, *mut f64);
    vec_axpy = "VecAXPY" (Object, f64, Object);
    vec_aypx = "VecAYPX" (Object, f64, Object);
    vec_scale = "VecScale" (Object, f64);
    vec_shift = "VecShift" (Object, f64);
    vec_multiply = "VecPointwiseMult" (Object, Object, Object);
    vec_array = "VecGetArray" (Object, *mut *mut f64);
    vec_restore = "VecRestoreArray" (Object, *mut *mut f64);
    vec_array_read = "VecGetArrayRead" (Object, *mut *const f64);
    vec_restore_read = "VecRestoreArrayRead" (Object, *mut *const f64);
    vec_view = "VecView" (Object, Object);

    mat_create = "MatCreate" (Comm, *mut Object);
    mat_set_sizes = "MatSetSizes" (Object, Int, Int, Int, Int);
    mat_set_type = "MatSetType" (Object, *const c_char);
    mat_type = "MatGetType" (Object, *mut *const c_char);
    mat_destroy = "MatDestroy" (*mut Object);
    mat_entries = "MatSetPreallocationCOO" (Object, isize, *mut c_void, *mut c_void);
    mat_values = "MatSetValuesCOO" (Object, *const f64, c_int);
    mat_size = "MatGetSize" (Object, *mut IntOut, *mut IntOut);
    mat_local_size = "MatGetLocalSize" (Object, *mut IntOut, *mut IntOut);
    mat_range = "MatGetOwnershipRange" (Object, *mut IntOut, *mut IntOut);
    mat_vectors = "MatCreateVecs" (Object, *mut Object, *mut Object);
    mat_mult = "MatMult" (Object, Object, Object);
    mat_mult_transpose = "MatMultTranspose" (Object, Object, Object);
    mat_diagonal = "MatGetDiagonal" (Object, Object);
    mat_row = "MatGetRow" (Object, Int, *mut IntOut, *mut *const c_void, *mut *const f64);
    mat_restore_row = "MatRestoreRow" (Object, Int, *mut IntOut, *mut *const c_void, *mut *const f64);
    mat_scale = "MatScale" (Object, f64);
    mat_norm = "MatNorm" (Object, c_int, *mut f64);
    mat_info = "MatGetInfo" (Object, c_int, *mut f64);
    mat_view = "MatView" (Object, Object);

    ksp_create = "KSPCreate" (Comm, *mut Object);
    ksp_destroy = "KSPDestroy" (*mut Object);
    ksp_set_operators = "KSPSetOperators" (Object, Object, Object);
    ksp_set_type = "KSPSetType" (Object, *const c_char);
    ksp_type = "KSPGetType" (Object, *mut *const c_char);
    ksp_pc = "KSPGetPC" (Object, *mut Object);
    pc_set_type = "PCSetType" (Object, *const c_char);
    pc_type = "PCGetType" (Object, *mut *const c_char);
    ksp_set_tolerances = "KSPSetTolerances" (Object, f64, f64, f64, Int);
    ksp_tolerances = "KSPGetTolerances" (Object, *mut f64, *mut f64, *mut f64, *mut IntOut);
    ksp_set_prefix = "KSPSetOptionsPrefix" (Object, *const c_char);
    ksp_set_from_options = "KSPSetFromOptions" (Object);
    ksp_guess_nonzero = "KSPSetInitialGuessNonzero" (Object, c_int);
    ksp_monitor = "KSPMonitorSet" (Object, Monitor, *mut c_void, *mut c_void);
    ksp_solve = "KSPSolve" (Object, Object, Object);
    ksp_solve_transpose = "KSPSolveTranspose" (Object, Object, Object);
    ksp_iterations = "KSPGetIterationNumber" (Object, *mut IntOut);
    ksp_residual = "KSPGetResidualNorm" (Object, *mut f64);
    ksp_reason = "KSPGetConvergedReason" (Object, *mut c_int);
    ksp_reason_text = "KSPGetConvergedReasonString" (Object, *mut *const c_char);
    ksp_view = "KSPView" (Object, Object);
}

/// A function of the library.
///
/// # Safety
///
/// `F` is the type that the headers give it.
pub(super) unsafe fn symbol<F: Copy>(library: &Library, name: &str) -> Result<F> {
    // SAFETY: the caller's promise.
    let found = unsafe { library.get::<F>(name.as_bytes()) };
    found.map(|found| *found).map_err(|_| {
        let what = format!("this PETSc has no `{name}`");
        error::missing(what, super::version::help())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_by_their_width() {
        let mut bytes = [0xff; 8];
        bytes[..4].copy_from_slice(&7_i32.to_ne_bytes());
        assert_eq!(IntOut(bytes).value(4), 7);
        assert_eq!(IntOut((-3_i64).to_ne_bytes()).value(8), -3);
        assert!(!BoolOut::default().value());
        assert!(BoolOut([1, 0, 0, 0, 0, 0, 0, 0]).value());
    }
}
