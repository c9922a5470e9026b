//! The calls that led to a panic, as places in loaded cells.
//!
//! A panic's own location is that of the code that gave up, in a crate often.
//! The user's line is further up; cells have no line tables, so the session
//! finds it from the place in the machine code.

use std::ffi::{CStr, c_int, c_void};

use gpurepl_wire::Call;

/// Calls that are looked at, at most.
const DEPTH: usize = 128;

/// What the unwinder hands over for each call.
#[repr(C)]
struct UnwindContext {
    opaque: [u8; 0],
}

// The interface that every unwinder on Linux has: "Itanium C++ ABI: Exception
// Handling", 1.6.
unsafe extern "C" {
    fn _Unwind_Backtrace(
        each: extern "C" fn(*mut UnwindContext, *mut c_void) -> c_int,
        argument: *mut c_void,
    ) -> c_int;
    fn _Unwind_GetIP(context: *mut UnwindContext) -> usize;
}

/// Goes on to the next call.
const NEXT: c_int = 0;
/// Ends the walk: any other answer does.
const END: c_int = 4;

extern "C" fn note(context: *mut UnwindContext, addresses: *mut c_void) -> c_int {
    // SAFETY: the unwinder passes on the pointer that `cells` has given it, to
    // a vector that nobody else uses meanwhile, and a context that is valid
    // during this call.
    let (addresses, address) = unsafe { (&mut *addresses.cast::<Vec<usize>>(), _Unwind_GetIP(context)) };
    addresses.push(address);
    if addresses.len() < DEPTH { NEXT } else { END }
}

/// The calls under way in cells, the innermost first.
pub(crate) fn in_cells() -> Vec<Call> {
    let mut addresses: Vec<usize> = Vec::with_capacity(DEPTH);
    // SAFETY: `note` does with the pointer what it is for, and has returned
    // for the last time when this does.
    unsafe { _Unwind_Backtrace(note, (&raw mut addresses).cast()) };
    // A call's address is that of the instruction after it.
    addresses.into_iter().filter_map(|address| place(address.checked_sub(1)?)).collect()
}

/// The place of an instruction within a cell's library; none elsewhere.
fn place(address: usize) -> Option<Call> {
    // SAFETY: the structure is valid when zeroed and filled by the call, which
    // may be asked about any address; its name is a C string of the loader's
    // that lasts as long as the library, which is never closed.
    let (path, base) = unsafe {
        let mut information: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(address as *const c_void, &raw mut information) == 0
            || information.dli_fname.is_null()
        {
            return None;
        }
        (CStr::from_ptr(information.dli_fname), information.dli_fbase as usize)
    };
    let path = path.to_str().ok()?;
    let name = path.rsplit('/').next()?;
    let is_cell = name.starts_with("cell-") && name.ends_with(".so");
    is_cell.then(|| Call { library: name.to_owned(), offset: (address - base) as u64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_outside_of_cells_is_no_call_of_theirs() {
        assert_eq!(in_cells(), []);
        assert_eq!(place(in_cells as *const () as usize), None);
        assert_eq!(place(0), None);
    }
}
