//! Modules and trampolines as the loader has them.
//!
//! A module is loaded under a name of its own, its instance. A trampoline names that instance as its
//! *auxiliary filter*: the loader searches the module before the trampoline itself, for all that the
//! trampoline's code refers to (`DT_AUXILIARY` in the specification of ELF). So functions and variables of the
//! text are there once, the module's, whoever calls.

use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use gpurepl_extend::{Result, compilers, error};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

/// What stands for the instance in files that are kept.
pub(crate) const PLACEHOLDER: &str = "gpurepl-cpp-ffffffffffffffff";

/// Searched before what the whole program has: a text may define `gamma`.
const RTLD_DEEPBIND: i32 = libc::RTLD_DEEPBIND;

/// The name of a new instance, as long as [`PLACEHOLDER`].
pub(crate) fn new_instance() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("gpurepl-cpp-{:016x}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// A loaded file. It stays loaded for good: objects that functions have returned may need its code.
pub(crate) struct Loaded(std::mem::ManuallyDrop<Library>);

impl Loaded {
    /// The address of a function or a variable.
    pub(crate) fn address(&self, name: &str) -> Option<usize> {
        // SAFETY: the symbol is looked up, and not used as anything.
        unsafe { self.0.get::<*const ()>(name.as_bytes()) }.ok().map(|found| *found as usize)
    }
}

/// Loads a compiled file as a part of an instance.
pub(crate) fn load(what: &str, mut bytes: Vec<u8>, instance: &str, is_trampoline: bool) -> Result<Loaded> {
    rename(&mut bytes, instance);
    let mut file = compilers::file_to_load()?;
    file.write_all(&bytes).map_err(|why| error::io("writing", file.path(), why))?;
    let flags = RTLD_NOW | RTLD_LOCAL | if is_trampoline { RTLD_DEEPBIND } else { 0 };
    // SAFETY: loading runs the initialisers of a text that the user has given to be compiled and called, with
    // the rights that it has anyway. The mapping outlives the file's name.
    match unsafe { Library::open(Some(file.path()), flags) } {
        Ok(library) => Ok(Loaded(std::mem::ManuallyDrop::new(library))),
        Err(why) => {
            let cause = std::error::Error::source(&why).map_or_else(|| why.to_string(), ToString::to_string);
            let path = format!("{}: ", file.path().display());
            let cause = cause.replace(&path, "");
            let message = format!(
                "{what} cannot be loaded: {cause}\n  = help: link what it needs: `.link(\"name\")`, `.library_dir(folder)`"
            );
            Err(error::device("CppModule", message))
        }
    }
}

/// Puts the name of an instance in the place of [`PLACEHOLDER`].
fn rename(bytes: &mut [u8], instance: &str) {
    let (from, to) = (PLACEHOLDER.as_bytes(), instance.as_bytes());
    let mut at = 0;
    while let Some(found) = bytes[at..].windows(from.len()).position(|window| window == from) {
        bytes[at + found..at + found + to.len()].copy_from_slice(to);
        at += found + to.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instance_takes_the_place_of_its_placeholder() {
        let instance = new_instance();
        assert_eq!(instance.len(), PLACEHOLDER.len());
        let mut bytes = format!("a\0{PLACEHOLDER}\0b{PLACEHOLDER}").into_bytes();
        rename(&mut bytes, &instance);
        assert_eq!(bytes, format!("a\0{instance}\0b{instance}").into_bytes());
        assert_ne!(new_instance(), instance);
    }
}
