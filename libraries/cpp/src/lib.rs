//! Other people's C++ on gpurepl's arrays.
//!
//! | | |
//! |---|---|
//! | [`CppModule`] | a text in C++: its functions are called with arrays, numbers and texts |
//! | [`SharedLibrary`] | a library that is compiled already: functions by their prototypes in C |
//! | [`library!`] | such functions as functions of Rust, without a compiler |
#![warn(missing_docs)]

mod argument;
mod assembly;
mod builder;
mod call;
mod compiled;
mod convert;
mod declared;
#[cfg(test)]
#[path = "../../../tests/support/ignored.rs"]
mod ignored;
mod library;
mod linked;
mod macros;
mod messages;
mod module;
mod near;
mod ordered;
mod prototype;
mod result;
mod source;
mod toolkit;
mod trampoline;
mod types;

pub use argument::{CppArgument, CppArgumentList, CppArguments};
pub use builder::CppModuleBuilder;
pub use declared::{CArgument, CReturn};
#[doc(hidden)]
pub use declared::{DeclaredCall, DeclaredLibrary, Passed, returned};
#[doc(hidden)]
pub use gpurepl_extend::Result;
pub use library::{LibraryFunction, SharedLibrary};
pub use module::{CppFunction, CppModule};
pub use result::CppResult;
#[doc(hidden)]
pub use result::{ResultType, Returned};
