//! Errors of libraries. A text names what was to be done and both sides, and
//! ends with the next step.

use std::path::Path;

use gpurepl_ground::Error;
use gpurepl_ground::error::Problem;

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

/// What a vendor's library reports: an [`ErrorKind::Device`](crate::ErrorKind).
pub fn device(operation: &str, message: String) -> Error {
    Problem::Device { operation: operation.to_owned(), message }.into()
}

/// A file that could not be read or written, `what` being the operation
/// ("save"): an [`ErrorKind::Io`](crate::ErrorKind).
pub fn io(what: &'static str, path: &Path, error: std::io::Error) -> Error {
    Problem::Io { what, path: path.display().to_string(), error }.into()
}
