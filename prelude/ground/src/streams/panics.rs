//! The last panic of a thread, and what a panic's payload says.

use std::any::Any;
use std::cell::RefCell;

use gpurepl_wire::{Call, CompileFailure, Location};

use super::signals;
use crate::error::Error;

thread_local! {
    /// The last panic of this thread, as the hook saw it.
    static PANIC: RefCell<Option<Panic>> = const { RefCell::new(None) };
}

/// A panic, as the hook saw it.
pub struct Panic {
    pub message: String,
    pub location: Option<Location>,
    /// That of the error that the message is about: `unwrap` writes it there.
    pub compile_error: Option<Box<CompileFailure>>,
    pub calls: Vec<Call>,
}

/// Notes a panic of this thread.
pub fn note(panic: Panic) {
    PANIC.set(Some(panic));
}

/// Takes the last panic of this thread.
pub fn take() -> Option<Panic> {
    PANIC.take()
}

/// What a panic's payload says.
pub fn describe(payload: &(dyn Any + Send)) -> String {
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

/// Reports a panic that ends with this call, and is not the cell's.
pub fn report(within: &str, payload: &(dyn Any + Send)) {
    take();
    signals::last_words(None);
    eprintln!("a function of `{within}` panicked: {}", describe(payload));
}
