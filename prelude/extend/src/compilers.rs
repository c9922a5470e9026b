//! The system's C++ compiler, for libraries that compile texts of the user's, and the cache of what was compiled.

#[doc(inline)]
pub use gpurepl_device::host::cpp::{
    SystemCompiler, TemporaryFolder, file_to_load, included, keep, kept, key, run, temporary_folder,
};
#[doc(inline)]
pub use gpurepl_device::toolkits;

/// Writes out what Rust and C have printed so far, so that what other code prints comes after it.
pub fn write_out() {
    gpurepl_ground::streams::flush::now();
}
