//! How a cell ends when it does not succeed, and how that is noticed.

use std::backtrace::Backtrace;
use std::cell::RefCell;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, Location as PanicLocation, catch_unwind};

use gpurepl_wire::{CompileFailure, Failure, FailureKind, Location};

use super::CellResult;
use super::calls::in_cells;
use super::std_errors::in_words;
use gpurepl_ground::error::{Error, ErrorKind, take_written};
use gpurepl_ground::streams::notice;
use gpurepl_ground::streams::panics::{self, Panic, describe};
use gpurepl_ground::streams::print::eprintln;
use gpurepl_ground::streams::signals::last_words;

thread_local! {
    /// Why the cell of this thread did not succeed.
    static FAILURE: RefCell<Option<Failure>> = const { RefCell::new(None) };
}

/// What is kept of an error of our own.
struct Written {
    kind: ErrorKind,
    compile_error: Option<Box<CompileFailure>>,
}

impl Written {
    fn of(error: &Error) -> Written {
        let compile_error = error.compile_error().map(|error| Box::new(error.to_wire()));
        Written { kind: error.kind(), compile_error }
    }
}

/// An error that `?` has passed out of a cell. Any error that is `Debug`
/// becomes one, and is shown by `Debug`, as `main` shows errors; common ones of std's have words.
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
        super::rescue::look_for_noted();
        // As a trait object, so that a cell compiles no formatting.
        CellError { failure: Box::new(describe_error(&error, PanicLocation::caller())) }
    }
}

fn describe_error(error: &dyn Debug, location: &PanicLocation<'_>) -> Failure {
    // An error of our own is noted when it is written, also within another
    // error such as `Box<dyn Error>`.
    drop(take_written());
    let message = format!("{error:?}");
    let message = in_words(&message).unwrap_or(message);
    let written = take_written().as_ref().map(Written::of);
    let kind = written.as_ref().map_or(FailureKind::Error, |written| failure_kind(written.kind));
    let compile_error = written.and_then(|written| written.compile_error);
    Failure {
        kind,
        message,
        location: Some(place(location)),
        compile_error,
        calls: Vec::new(),
        notes: Vec::new(),
    }
}

fn failure_kind(kind: ErrorKind) -> FailureKind {
    match kind {
        ErrorKind::Interrupted => FailureKind::Interrupted,
        ErrorKind::DeviceLost => FailureKind::DeviceLost,
        ErrorKind::Ranks => FailureKind::Ranks,
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
    panics::take();
    super::rescue::begin();
    let failure = match catch_unwind(AssertUnwindSafe(statements)) {
        Ok(Ok(())) => {
            // Panics that the cell itself has caught are nobody's last words.
            last_words(None);
            super::rescue::end(false);
            return true;
        }
        Ok(Err(error)) => {
            last_words(None);
            *error.failure
        }
        Err(payload) => {
            let Panic { message, location, compile_error, calls } = panics::take().unwrap_or_else(|| Panic {
                message: describe(payload.as_ref()),
                location: None,
                compile_error: None,
                calls: Vec::new(),
            });
            let own = payload.downcast_ref::<Error>().map(Written::of);
            let kind = own.as_ref().map_or(FailureKind::Panic, |own| failure_kind(own.kind));
            let compile_error = own.and_then(|own| own.compile_error).or(compile_error);
            // A payload's destructor may panic as well.
            let _ = catch_unwind(AssertUnwindSafe(move || drop(payload)));
            last_words(None);
            Failure { kind, message, location, compile_error, calls, notes: Vec::new() }
        }
    };
    super::rescue::end(true);
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
    fail(Failure::new(FailureKind::NotRun, message));
}

/// Notes a failure of what comes after the statements: evaluating pending
/// expressions, waiting for the device.
pub(crate) fn fail_with(error: &Error) {
    let Written { kind, compile_error } = Written::of(error);
    fail(Failure { compile_error, ..Failure::new(failure_kind(kind), error.to_string()) });
}

/// Something that went wrong without failing the cell.
pub(super) fn report(text: String) {
    notice(text);
}

/// Takes the reason why the last cell did not succeed.
pub(crate) fn take_failure() -> Option<Failure> {
    FAILURE.take()
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
            eprintln(format_args!("thread '{name}' panicked at {}:\n{message}", at.unwrap_or_default()));
            return;
        }
        super::rescue::look_for_noted();
        let mut message = describe(info.payload());
        // `unwrap` has written the error before this is called; the last one
        // that was written may also be of another place.
        let compile_error = take_written().and_then(|error| Written::of(&error).compile_error);
        let compile_error =
            compile_error.filter(|error| message.contains(&format!("{} does not compile", error.what)));
        if std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value == "full") {
            message = format!("{message}\n{}", Backtrace::force_capture());
        }
        // Should the process end before the panic is caught, these are its
        // last words.
        last_words(Some(&message));
        // A crate's own line says little; the cell's is further up.
        let is_in_cell = |location: &PanicLocation<'_>| location.file().starts_with("cell-");
        let calls = if info.location().is_some_and(is_in_cell) { Vec::new() } else { in_cells() };
        panics::note(Panic { message, location: info.location().map(place), compile_error, calls });
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
        assert_eq!(failure.message, "invalid digit found in string: ParseIntError { kind: InvalidDigit }");
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

    #[test]
    fn a_kernel_that_does_not_compile_is_passed_on_whole() {
        let text = "__global__ void f(int *a)\n{\n  a[0] = nothing;\n}";
        let log = "kernel.cu:3:10: error: 'nothing' was not declared in this scope\n";
        let error = || -> Error {
            let error = gpurepl_ground::error::CompileError::from_gcc("kernel", &[("kernel.cu", text)], log);
            gpurepl_ground::error::Problem::Compile(error).into()
        };
        let passed = |failure: Option<Failure>| {
            let error = *failure.unwrap().compile_error.unwrap();
            assert_eq!((error.what.as_str(), error.texts[0].1.as_str()), ("kernel", text));
            let message = &error.messages[0];
            assert_eq!((message.is_error, message.line, message.column), (true, 3, 10));
        };
        passed(ends(|| Err(error().into())));
        passed(ends(|| Err(Box::<dyn std::error::Error>::from(error()).into())));
        passed(ends(|| error().raise()));
        // What panics of the cell itself have to say is noted by the hook,
        // which these tests do not have.
        assert_eq!(ends(|| Err("another".into())).unwrap().compile_error, None);
    }
}
