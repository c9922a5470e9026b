//! Loading compiled cells into the process.

use std::path::Path;

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};

/// Loads a cell's shared object, for good, and returns its entry.
///
/// Objects are never unloaded: variables hold functions and texts that lie in
/// them. They are loaded globally, because a later cell may refer to a static
/// that an earlier one defines.
pub(super) fn cell(library: &Path, function: &str) -> Result<extern "C" fn(), String> {
    // SAFETY: the session compiled this object from Rust that rustc accepted,
    // against this very prelude and standard library; it has no initialisers
    // but those of the user's own text.
    let library = unsafe { Library::open(Some(library), RTLD_NOW | RTLD_GLOBAL) };
    let library = library.map_err(|error| {
        format!("the compiled cell could not be loaded: {}", gpurepl_ground::error::loader_cause(&error))
    })?;
    // SAFETY: the session generates this function with this signature.
    let entry = unsafe { library.get::<extern "C" fn()>(function) };
    let entry = entry.map(|entry| *entry).map_err(|error| {
        format!("the compiled cell has no entry: {}", gpurepl_ground::error::loader_cause(&error))
    })?;
    std::mem::forget(library);
    Ok(entry)
}

/// Loads a library of the user's dependencies, for good, for cells to find
/// what they call, and calls a function of it if one is named: it starts a
/// runtime, say, that futures need.
pub(super) fn dependencies(library: &Path, function: Option<&str>) -> Result<(), String> {
    // SAFETY: the session built this object from crates that the user has
    // asked for, against this very prelude and standard library. Their
    // initialisers are theirs to answer for, as their other code is.
    let library = unsafe { Library::open(Some(library), RTLD_NOW | RTLD_GLOBAL) };
    let library = library.map_err(|error| gpurepl_ground::error::loader_cause(&error))?;
    if let Some(function) = function {
        // SAFETY: the session generates this function with this signature.
        let start = unsafe { library.get::<extern "C" fn() -> bool>(function) };
        let start = start.map(|start| *start).map_err(|error| gpurepl_ground::error::loader_cause(&error))?;
        if !start() {
            return Err("its runtime could not be started".to_owned());
        }
    }
    std::mem::forget(library);
    Ok(())
}
