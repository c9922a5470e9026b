//! Errors of libraries. A text names what was to be done and both sides, and
//! ends with the next step.

use std::ops::Range;
use std::path::Path;

use gpurepl_ground::Error;
use gpurepl_ground::error::{CompileError, Problem};
use gpurepl_kernels::SpecError;

/// Arguments that cannot be combined: an [`ErrorKind::Value`](crate::ErrorKind).
pub fn invalid(operation: &'static str, message: String) -> Error {
    Problem::Invalid { operation, message }.into()
}

/// Shapes that cannot be combined: an [`ErrorKind::Shape`](crate::ErrorKind).
pub fn shape(operation: &'static str, message: String) -> Error {
    Problem::Shape { operation, message }.into()
}

/// A type that the operation does not take: an [`ErrorKind::DType`](crate::ErrorKind).
pub fn dtype(operation: &'static str, message: String) -> Error {
    Problem::DType { operation, message }.into()
}

/// Something that is not installed, and how to install it: an
/// [`ErrorKind::Missing`](crate::ErrorKind).
pub fn missing(what: String, help: String) -> Error {
    Problem::Missing { what, help }.into()
}

/// What this device cannot do: an [`ErrorKind::Unsupported`](crate::ErrorKind).
pub fn unsupported(message: String) -> Error {
    Problem::Unsupported { message }.into()
}

/// A mistake in a text of the user's, at its place there in bytes, and what to do about it: an
/// [`ErrorKind::Spec`](crate::ErrorKind).
pub fn text(
    what: &'static str,
    message: String,
    text: &str,
    place: Range<usize>,
    help: Option<String>,
) -> Error {
    let error = SpecError { message, text: text.to_owned(), span: place, help };
    Problem::Spec { what, error }.into()
}

/// A text that does not compile, in the words of g++ or clang: an
/// [`ErrorKind::Compile`](crate::ErrorKind). `texts` are the user's own by the names that the
/// compiler knows them by; a session shows the messages on their lines.
pub fn compile(what: &str, texts: &[(&str, &str)], log: &str, help: Option<String>) -> Error {
    let error = CompileError::from_gcc(what, texts, log);
    Problem::Compile(CompileError { help, ..error }).into()
}

/// An argument that a function does not take: an [`ErrorKind::Argument`](crate::ErrorKind).
pub fn argument(function: &str, message: String) -> Error {
    Problem::Argument { kernel: function.to_owned(), message }.into()
}

/// A call that failed: an [`ErrorKind::Launch`](crate::ErrorKind).
pub fn call(function: &str, message: String) -> Error {
    Problem::Launch { kernel: function.to_owned(), message }.into()
}

/// What a vendor's library reports: an [`ErrorKind::Device`](crate::ErrorKind).
pub fn device(operation: &str, message: String) -> Error {
    Problem::Device { operation: operation.to_owned(), message }.into()
}

/// A file that could not be read or written, `what` being the operation
/// ("save"): an [`ErrorKind::Io`](crate::ErrorKind).
pub fn io(what: &'static str, path: &Path, error: std::io::Error) -> Error {
    Problem::Io { what, path: path.display().to_string(), error }.into()
}

/// Ranks that do not call the same functions: an [`ErrorKind::Ranks`](crate::ErrorKind).
pub fn ranks(operation: &'static str, message: String) -> Error {
    Problem::Ranks { operation, message }.into()
}
