//! What can go wrong, and what to do about it.

mod compile_error;
mod fault;
#[doc(hidden)]
pub mod missing_header;

pub use compile_error::{CompileError, Message, Severity};
pub use fault::{FaultKind, KernelFault};

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

use gpurepl_kernels::{DType, SpecError};

/// The result of everything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of an array, a kernel or a device.
///
/// Its text names the operation and both sides and ends with the next step.
/// `Debug` shows the same text, because a cell's `?` and an `unwrap` show
/// errors by `Debug`.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = zeros::<f32>((3, 4));
/// let error = a.try_reshape(5).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Shape);
/// assert!(error.to_string().starts_with("reshape: cannot reshape array of size 12 into shape [5]"));
/// ```
pub struct Error {
    // A trait object rather than the enum itself: each cell that drops an
    // error would otherwise compile the code that drops every variant.
    detail: Box<dyn Detail>,
}

/// What kind of error it is, to tell one from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Shapes that do not go together, or an impossible one.
    Shape,
    /// An element type that does not go with the operation.
    DType,
    /// An index outside of the array.
    Index,
    /// A number that the type cannot hold.
    Value,
    /// A kernel's description that cannot be read.
    Spec,
    /// A kernel that does not compile.
    Compile,
    /// An argument that does not fit a kernel.
    Argument,
    /// A launch beyond the device's limits, or one that failed.
    Launch,
    /// A kernel that did something wrong while it ran on the host device.
    Fault,
    /// Not enough memory on the device.
    OutOfMemory,
    /// Something that is not installed: a driver, a compiler, a library.
    Missing,
    /// Something this device cannot do.
    Unsupported,
    /// Another error of the device.
    Device,
    /// An error after which this process cannot use the device any more.
    DeviceLost,
    /// The user's interrupt.
    Interrupted,
    /// A file that could not be read or written.
    Io,
    /// Ranks that do not call the same functions, or one that does not come.
    Ranks,
}

/// An error of NVIDIA's driver or of its compiler, as their headers have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CudaError {
    /// Its name: `CUDA_ERROR_ILLEGAL_ADDRESS`, `NVRTC_ERROR_INVALID_OPTION`.
    pub name: &'static str,
    /// Its number in the enumeration that the name starts with, `CUresult` or
    /// `nvrtcResult`.
    pub number: u32,
    /// Whether every later call of this process fails the same way.
    pub is_sticky: bool,
}

impl CudaError {
    /// An error by its name and number.
    #[doc(hidden)]
    pub fn new(name: &'static str, number: u32, is_sticky: bool) -> CudaError {
        CudaError { name, number, is_sticky }
    }
}

fn lost_note(code: &CudaError) -> &'static str {
    if code.is_sticky { "\n  = note: the device cannot be used by this process any more" } else { "" }
}

/// What an error holds. Kept apart from [`Error`] so that it can change.
#[derive(thiserror::Error, Debug)]
#[doc(hidden)]
pub enum Problem {
    #[error(
        "{operation}: shapes {left:?} and {right:?} do not broadcast\n  = help: from the last axis on, lengths must be \
         equal, or one of them 1; `a.shape()` says an array's{}",
        column_help(left, right)
    )]
    Broadcast { operation: &'static str, left: Vec<usize>, right: Vec<usize> },
    #[error("{operation}: {message}")]
    Shape { operation: &'static str, message: String },
    #[error("{operation}: {message}")]
    DType { operation: &'static str, message: String },
    #[error("index {index} is out of bounds for axis {axis} with size {size}{}", index_help(*size))]
    Index { index: i64, axis: usize, size: usize },
    #[error(
        "{operation}: index {index} is out of bounds for {} (element {place} of the indices){}",
        bounds(*axis, *size), index_help(*size)
    )]
    Outside { operation: &'static str, index: String, place: u64, axis: Option<u8>, size: usize },
    #[error("{message}")]
    IndexCount { message: String },
    #[error("{value} does not fit in {dtype}{}", value_help(value, *dtype))]
    Value { value: String, dtype: DType },
    #[error("{operation}: {message}")]
    Invalid { operation: &'static str, message: String },
    #[error("{operation}: {message}")]
    Contexts { operation: String, message: String },
    #[error("{what}: {error}")]
    Spec { what: &'static str, error: SpecError },
    #[error("{0}")]
    Compile(CompileError),
    #[error("{kernel}: {message}")]
    Argument { kernel: String, message: String },
    #[error("{kernel}: {message}")]
    Launch { kernel: String, message: String },
    #[error("{0}")]
    Fault(Box<KernelFault>),
    #[error("out of memory on {device}: {asked} requested, {free} of {total} free{help}")]
    OutOfMemory { device: String, asked: Bytes, free: Bytes, total: Bytes, help: &'static str },
    #[error("{operation}: {message}\n  = help: {help}")]
    NoRoom { operation: String, message: String, help: String },
    #[error("{what}\n  = help: {help}")]
    Missing { what: String, help: String },
    #[error("{message}")]
    Unsupported { message: String },
    #[error("{operation}: {message}")]
    Device { operation: String, message: String },
    /// An error that NVIDIA's driver or its compiler has a number for.
    #[error("{operation}: {message}{}", lost_note(code))]
    Code { operation: String, message: String, code: CudaError },
    #[error("interrupted")]
    Interrupted,
    #[error("{what} {path}: {error}")]
    Io { what: &'static str, path: String, error: std::io::Error },
    #[error("{operation}: {message}")]
    Ranks { operation: &'static str, message: String },
}

/// An array that can hold a number. Dropping its fraction is not good advice.
fn value_help(value: &str, dtype: DType) -> &'static str {
    if dtype.is_integer() && value.contains('.') {
        "\n  = help: an array of f64 can hold it: `a.astype(f64)`"
    } else {
        ""
    }
}

/// What an index lies outside of; without an axis it is the elements in C order.
fn bounds(axis: Option<u8>, size: usize) -> String {
    match axis {
        Some(axis) => format!("axis {axis} with size {size}"),
        None => format!("size {size}"),
    }
}

/// A vector that would be a column.
fn column_help(left: &[usize], right: &[usize]) -> &'static str {
    let (short, long) = if left.len() < right.len() { (left, right) } else { (right, left) };
    match (short, long) {
        ([length], [rows, columns]) if length == rows && length != columns => {
            "; `.expand_dims(1)` makes a column of the one that has one axis"
        }
        _ => "",
    }
}

/// Which places an axis has.
fn index_help(size: usize) -> String {
    match size {
        0 => "\n  = help: the axis is empty".to_owned(),
        _ => format!(
            "\n  = help: valid indices are 0 to {}, or -{size} to -1 from the end; `a[-1]` is the last",
            size - 1
        ),
    }
}

impl Problem {
    fn kind(&self) -> ErrorKind {
        match self {
            Problem::Broadcast { .. } | Problem::Shape { .. } => ErrorKind::Shape,
            Problem::DType { .. } => ErrorKind::DType,
            Problem::Index { .. } | Problem::Outside { .. } | Problem::IndexCount { .. } => ErrorKind::Index,
            Problem::Value { .. } | Problem::Invalid { .. } | Problem::Contexts { .. } => ErrorKind::Value,
            Problem::Spec { .. } => ErrorKind::Spec,
            Problem::Compile(_) => ErrorKind::Compile,
            Problem::Argument { .. } => ErrorKind::Argument,
            Problem::Launch { .. } => ErrorKind::Launch,
            Problem::Fault(_) => ErrorKind::Fault,
            Problem::OutOfMemory { .. } | Problem::NoRoom { .. } => ErrorKind::OutOfMemory,
            Problem::Missing { .. } => ErrorKind::Missing,
            Problem::Unsupported { .. } => ErrorKind::Unsupported,
            Problem::Device { .. } => ErrorKind::Device,
            Problem::Code { code, .. } if code.is_sticky => ErrorKind::DeviceLost,
            Problem::Code { .. } => ErrorKind::Device,
            Problem::Interrupted => ErrorKind::Interrupted,
            Problem::Io { .. } => ErrorKind::Io,
            Problem::Ranks { .. } => ErrorKind::Ranks,
        }
    }
}

trait Detail: Send + Sync {
    fn problem(&self) -> &Problem;
    fn another(&self) -> Box<dyn Detail>;
}

impl Detail for Arc<Problem> {
    fn problem(&self) -> &Problem {
        self
    }

    fn another(&self) -> Box<dyn Detail> {
        Box::new(Arc::clone(self))
    }
}

impl Clone for Error {
    fn clone(&self) -> Error {
        Error { detail: self.detail.another() }
    }
}

impl Error {
    /// What kind of error it is.
    pub fn kind(&self) -> ErrorKind {
        self.detail.problem().kind()
    }

    /// The compiler's messages, if a kernel did not compile.
    pub fn compile_error(&self) -> Option<&CompileError> {
        match self.detail.problem() {
            Problem::Compile(error) => Some(error),
            _ => None,
        }
    }

    /// The number that NVIDIA's driver or compiler has for this error, if it
    /// is one of theirs: to tell apart what has one [`ErrorKind`].
    pub fn code(&self) -> Option<&CudaError> {
        match self.detail.problem() {
            Problem::Code { code, .. } => Some(code),
            _ => None,
        }
    }

    /// What a kernel did wrong on the host device, and where.
    pub fn kernel_fault(&self) -> Option<&KernelFault> {
        match self.detail.problem() {
            Problem::Fault(fault) => Some(fault),
            _ => None,
        }
    }

    /// The same error with a compiler's columns where they are in the user's
    /// text, which was changed before it was compiled.
    #[doc(hidden)]
    pub fn with_columns(self, changes: &[gpurepl_kernels::host::Change]) -> Error {
        match self.detail.problem() {
            Problem::Compile(error) => Problem::Compile(error.clone().with_columns(changes)).into(),
            _ => self,
        }
    }

    /// The same error with a compiler's messages where they are in the template that a text was
    /// made of: see [`CompileError::in_template`].
    #[doc(hidden)]
    pub fn in_template(
        self,
        name: &str,
        template: &str,
        place: &dyn Fn(usize, usize) -> Option<(usize, usize)>,
    ) -> Error {
        match self.detail.problem() {
            Problem::Compile(error) => {
                Problem::Compile(error.clone().in_template(name, template, place)).into()
            }
            _ => self,
        }
    }

    /// Ends the computation with this error as the panic's payload: what the
    /// forms that return no `Result` do.
    ///
    /// # Panics
    ///
    /// Always; that is its purpose.
    #[track_caller]
    #[cold]
    #[inline(never)]
    pub fn raise(self) -> ! {
        std::panic::panic_any(self)
    }
}

impl From<Problem> for Error {
    #[cold]
    fn from(problem: Problem) -> Error {
        Error { detail: Box::new(Arc::new(problem)) }
    }
}

thread_local! {
    /// The last error of this thread that was written by `Debug`, which is how
    /// `?` and `unwrap` write errors, also within others.
    static LAST_WRITTEN: Cell<Option<Error>> = const { Cell::new(None) };
}

/// Takes the last error that this thread has written by `Debug`.
#[doc(hidden)]
pub fn take_written() -> Option<Error> {
    LAST_WRITTEN.take()
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.detail.problem(), f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let _ = LAST_WRITTEN.try_with(|last| last.set(Some(self.clone())));
        fmt::Display::fmt(self.detail.problem(), f)
    }
}

impl std::error::Error for Error {}

/// Unwraps for the terse forms: the value, or a panic with the error itself.
#[doc(hidden)]
pub trait OrRaise<T> {
    fn or_raise(self) -> T;
}

impl<T> OrRaise<T> for Result<T> {
    #[track_caller]
    #[inline]
    fn or_raise(self) -> T {
        match self {
            Ok(value) => value,
            Err(error) => error.raise(),
        }
    }
}

/// What the dynamic loader said; its error itself says only what failed.
#[doc(hidden)]
pub fn loader_cause(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

/// A number of bytes, shown with a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 6] = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];
        let (mut value, mut unit) = (self.0 as f64, 0);
        while value >= 1024.0 && unit + 1 < UNITS.len() {
            value /= 1024.0;
            unit += 1;
        }
        match unit {
            0 if self.0 == 1 => f.write_str("1 byte"),
            0 => write!(f, "{} {}", self.0, UNITS[0]),
            _ if value < 10.0 => write!(f, "{value:.1} {}", UNITS[unit]),
            _ => write!(f, "{value:.0} {}", UNITS[unit]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_units() {
        for (bytes, text) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (1023, "1023 bytes"),
            (1536, "1.5 KiB"),
            (11 << 30, "11 GiB"),
            (u64::MAX, "16384 PiB"),
        ] {
            assert_eq!(Bytes(bytes).to_string(), text);
        }
    }

    #[test]
    fn debug_is_for_reading() {
        let error = Error::from(Problem::Value { value: "300".to_owned(), dtype: DType::Int8 });
        assert_eq!(format!("{error:?}"), "300 does not fit in int8");
        assert_eq!(error.kind(), ErrorKind::Value);
    }
}
