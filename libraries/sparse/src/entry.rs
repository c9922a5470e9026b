//! How calls of users come in: in the context of their arrays, with errors that are returned.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use gpurepl_extend::{AnyArray, Context, Error, Result};

/// Returns the errors that operators of arrays raise as panics.
pub(crate) fn returned<R>(act: impl FnOnce() -> Result<R>) -> Result<R> {
    // What has been half done is dropped with the result that it was for.
    match catch_unwind(AssertUnwindSafe(act)) {
        Ok(result) => result,
        Err(payload) => match payload.downcast::<Error>() {
            Ok(error) => Err(*error),
            Err(payload) => resume_unwind(payload),
        },
    }
}

/// Does something in the context of an array, where other arrays are made for it.
pub(crate) fn beside<R>(array: &AnyArray, act: impl FnOnce() -> Result<R>) -> Result<R> {
    let context = array.context()?;
    returned(|| if Context::current()? == context { act() } else { context.scope(act)? })
}
