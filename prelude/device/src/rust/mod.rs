//! Kernels that are written in Rust: the toolchain's compiler, run for either
//! device.

mod compiler;
mod core_library;
mod lines;
#[cfg(test)]
mod tests;

pub use core_library::{build_core_in_store, store_folder};
pub use lines::RustLines;

pub(crate) use compiler::{GpuOptions, HostObject, compile_for_gpu, compile_for_host, lines_are_asked_for};
