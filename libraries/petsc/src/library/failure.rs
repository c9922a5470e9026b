//! PETSc's errors as typed ones, in PETSc's words.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::{Mutex, PoisonError};

use gpurepl_extend::{Error, error};

use super::functions::{Comm, Functions};

/// What the handler was told first about an error: whatever follows is the way back to the caller.
#[derive(Default)]
struct Told {
    function: String,
    message: String,
}

static TOLD: Mutex<Option<Told>> = Mutex::new(None);

/// `PETSC_ERROR_INITIAL`: the error itself, not its way back.
const INITIAL: c_int = 0;

/// What PETSc calls instead of printing a trace: it keeps the words.
pub(super) unsafe extern "C" fn note(
    _: Comm,
    _: c_int,
    function: *const c_char,
    _: *const c_char,
    code: c_int,
    kind: c_int,
    message: *const c_char,
    _: *mut c_void,
) -> c_int {
    if kind == INITIAL {
        // SAFETY: PETSc gives null or C strings, which live during the call.
        let (function, message) = unsafe { (text(function), text(message)) };
        *TOLD.lock().unwrap_or_else(PoisonError::into_inner) = Some(Told { function, message });
    }
    code
}

/// # Safety
///
/// The pointer is null or one to a C string.
pub(super) unsafe fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().trim().to_owned()
}

/// Forgets what was told, before a call.
pub(super) fn forget() {
    *TOLD.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

/// The error of a call that has returned a code other than 0.
pub(super) fn made(operation: &'static str, code: c_int, functions: &Functions) -> Error {
    let told = TOLD.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default();
    let mut general: *const c_char = std::ptr::null();
    // SAFETY: PETSc has been started; it writes a pointer to a text of its own, or null. The other one is not wanted.
    let status = unsafe { (functions.error_message)(code, &raw mut general, std::ptr::null_mut()) };
    // SAFETY: null, or a C string that lives as long as PETSc does.
    let general = if status == 0 { unsafe { text(general) } } else { String::new() };
    worded(operation, code, &told.function, &told.message, &general)
}

/// Codes of arguments that do not go together, of `petscerror.h`.
const ARGUMENTS: [c_int; 9] = [60, 61, 62, 63, 68, 73, 75, 85, 86];

fn worded(operation: &'static str, code: c_int, function: &str, message: &str, general: &str) -> Error {
    let who = if function.is_empty() { "PETSc".to_owned() } else { format!("PETSc's {function}") };
    let words = match (message.is_empty(), general.is_empty()) {
        (false, _) => message,
        (true, false) => general,
        (true, true) => "an error without a message",
    };
    let kind = if general.is_empty() || words == general { String::new() } else { format!(", {general}") };
    let message = format!("{who} says: {words} (error {code}{kind}); {}", advice(code, message));
    if ARGUMENTS.contains(&code) {
        error::invalid(operation, message)
    } else {
        error::device(operation, message)
    }
}

/// The next step after an error.
fn advice(code: c_int, message: &str) -> &'static str {
    match code {
        55 => "free some memory, or spread the work over more processes",
        71 => {
            "shift the diagonal, `petsc::options(\"-pc_factor_shift_type nonzero\")`, or take another preconditioner"
        }
        72 => "look for NaN and infinity in what was given",
        86 => "`petsc::options(\"-help\")` before a solve lists the types of this PETSc",
        // What factors a matrix on one process does not do so on several.
        92 if message.contains("factor") => {
            "on several processes write `bjacobi` or `asm`, which factor a block on each"
        }
        56 | 92 => "this PETSc was built without it, or the type of the object does not have it",
        _ => "PETSc's manual page of the function says what it takes",
    }
}

#[cfg(test)]
mod tests {
    use gpurepl_extend::ErrorKind;

    use super::*;

    #[test]
    fn an_error_has_petscs_words_and_a_next_step() {
        let error = worded(
            "dot",
            60,
            "VecDot",
            "Incompatible vector local lengths 4 != 5",
            "Nonconforming object sizes",
        );
        assert_eq!(error.kind(), ErrorKind::Value);
        let text = error.to_string();
        for part in ["dot", "VecDot", "lengths 4 != 5", "error 60", "Nonconforming", "manual page"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let error = worded("solve", 71, "", "", "Zero pivot in LU factorization");
        assert_eq!(error.kind(), ErrorKind::Device);
        assert!(
            error.to_string().contains("PETSc says: Zero pivot in LU factorization (error 71); shift"),
            "{error}"
        );
        assert!(worded("solve", 56, "F", "", "").to_string().contains("an error without a message"));
    }
}
