//! How a cell ends when it does not succeed, and how that is noticed.

use std::any::Any;
use std::backtrace::Backtrace;
use std::cell::{Cell, RefCell};
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, Location as PanicLocation, catch_unwind};

use gpurepl_wire::{Failure, FailureKind, Location};

use super::CellResult;
use crate::error::{Error, ErrorKind};

thread_local! {
    /// The last panic of this thread, as its hook saw it.
    static PANIC: RefCell<Option<(String, Option<Location>)>> = const { RefCell::new(None) };
    /// The kind of the last error of our own that was written.
    static LAST_KIND: Cell<Option<ErrorKind>> = const { Cell::new(None) };
    /// Why the cell of this thread did not succeed.
    static FAILURE: RefCell<Option<Failure>> = const { RefCell::new(None) };
}

/// An error that `?` has passed out of a cell. Any error that is `Debug`
/// becomes one, and is shown by `Debug`, as `main` shows errors.
pub struct CellError {
    failure: Box<Failure>,
}

impl CellError {
    /// What there is to say, and where it happened.
    pub(super) fn into_words(self) -> (String, String) {
        let place = self.failure.location.as_ref();
        let place = place.map(|place| format!("{}:{}:{}", place.file, place.line, place.column));
        (self.failure.message, place.unwrap_or_default())
    }
}

impl<E: Debug> From<E> for CellError {
    #[track_caller]
    fn from(error: E) -> CellError {
        // As a trait object, so that a cell compiles no formatting.
        CellError { failure: Box::new(describe_error(&error, PanicLocation::caller())) }
    }
}

fn describe_error(error: &dyn Debug, location: &PanicLocation<'_>) -> Failure {
    // An error of our own notes its kind when it is written, also within
    // another error such as `Box<dyn Error>`.
    LAST_KIND.take();
    let message = format!("{error:?}");
    let kind = LAST_KIND.take().map_or(FailureKind::Error, failure_kind);
    Failure { kind, message, location: Some(place(location)) }
}

/// Notes that an error of this kind is being written.
pub(crate) fn note_kind(kind: ErrorKind) {
    LAST_KIND.set(Some(kind));
}

fn failure_kind(kind: ErrorKind) -> FailureKind {
    match kind {
        ErrorKind::Interrupted => FailureKind::Interrupted,
        ErrorKind::DeviceLost => FailureKind::DeviceLost,
        _ => FailureKind::Device,
    }
}

fn place(location: &PanicLocation<'_>) -> Location {
    Location { file: location.file().to_owned(), line: location.line(), column: location.column() }
}

/// Runs the statements of a cell that takes no variables, as [`guard`] does: a
/// function is less to compile than a closure.
pub fn guard_function(statements: fn() -> CellResult) -> bool {
    guard(Box::new(statements))
}

/// Runs a cell's statements. Whatever way they end, this returns; false if
/// they did not succeed.
pub fn guard(statements: Box<dyn FnOnce() -> CellResult + '_>) -> bool {
    PANIC.take();
    let failure = match catch_unwind(AssertUnwindSafe(statements)) {
        Ok(Ok(())) => {
            // Panics that the cell itself has caught are nobody's last words.
            crate::worker::last_words(None);
            return true;
        }
        Ok(Err(error)) => {
            crate::worker::last_words(None);
            *error.failure
        }
        Err(payload) => {
            let (message, location) = PANIC.take().unwrap_or_else(|| (describe(payload.as_ref()), None));
            let kind = payload.downcast_ref::<Error>().map(Error::kind);
            let kind = kind.map_or(FailureKind::Panic, failure_kind);
            // A payload's destructor may panic as well.
            let _ = catch_unwind(AssertUnwindSafe(move || drop(payload)));
            crate::worker::last_words(None);
            Failure { kind, message, location }
        }
    };
    fail(failure);
    false
}

/// Notes why the cell did not succeed; the first reason stays.
fn fail(failure: Failure) {
    FAILURE.with_borrow_mut(|first| {
        first.get_or_insert(failure);
    });
}

/// Notes that a cell could not be started.
pub(super) fn refuse(message: String) {
    fail(Failure { kind: FailureKind::NotRun, message, location: None });
}

/// Notes a failure of what comes after the statements: evaluating pending
/// expressions, waiting for the device.
pub(crate) fn fail_with(error: &Error) {
    fail(Failure { kind: failure_kind(error.kind()), message: error.to_string(), location: None });
}

/// Something that went wrong without failing the cell.
pub(super) fn report(text: String) {
    crate::worker::notice(text);
}

/// Takes the reason why the last cell did not succeed.
pub(crate) fn take_failure() -> Option<Failure> {
    FAILURE.take()
}

/// What a panic's payload says.
pub(super) fn describe(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else if let Some(error) = payload.downcast_ref::<Error>() {
        error.to_string()
    } else {
        "a value that is no text".to_owned()
    }
}

/// Tells of a panic that ends with this call, and is not the cell's.
pub(crate) fn tell_panic(within: &str, payload: &(dyn Any + Send)) {
    PANIC.take();
    crate::worker::last_words(None);
    eprintln!("a function of `{within}` panicked: {}", describe(payload));
}

/// Notes the panics of the cell thread instead of printing them: the session
/// shows them on the user's own line. Those of other threads are printed.
pub(crate) fn install_panic_hook() {
    let cell_thread = std::thread::current().id();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() != cell_thread {
            let thread = std::thread::current();
            let name = thread.name().unwrap_or("<unnamed>");
            let at = info.location().map(|at| super::places::place(at.file(), at.line(), at.column()));
            let message = describe(info.payload());
            crate::__eprintln!("thread '{name}' panicked at {}:\n{message}", at.unwrap_or_default());
            return;
        }
        let mut message = describe(info.payload());
        if std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value == "full") {
            message = format!("{message}\n{}", Backtrace::force_capture());
        }
        // Should the process end before the panic is caught, these are its
        // last words.
        crate::worker::last_words(Some(&message));
        PANIC.set(Some((message, info.location().map(place))));
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(statements: impl FnOnce() -> CellResult) -> Option<Failure> {
        let succeeded = guard(Box::new(statements));
        let failure = take_failure();
        assert_eq!(succeeded, failure.is_none());
        failure
    }

    #[test]
    fn every_end_is_told_apart() {
        assert_eq!(ends(|| Ok(())), None);
        let failure = ends(|| {
            "x".parse::<i32>()?;
            Ok(())
        });
        let failure = failure.unwrap();
        assert_eq!(failure.kind, FailureKind::Error);
        assert_eq!(failure.message, "ParseIntError { kind: InvalidDigit }");
        assert!(failure.location.unwrap().file.ends_with("failure.rs"), "`?` knows its place");
        let failure = ends(|| panic!("no {}", "more")).unwrap();
        assert_eq!((failure.kind, failure.message.as_str()), (FailureKind::Panic, "no more"));
        let failure = ends(|| Err(crate::zeros::<f32>(3).try_reshape(4).unwrap_err().into())).unwrap();
        assert_eq!(failure.kind, FailureKind::Device);
        let failure = ends(|| {
            crate::zeros::<f32>(3).reshape(4);
            Ok(())
        });
        assert_eq!(failure.unwrap().kind, FailureKind::Device);
    }
}
