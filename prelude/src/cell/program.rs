//! Cells as a program of their own: what `:save FOLDER/` writes.

use std::process::ExitCode;

use super::CellResult;
use gpurepl_arrays::array;
use gpurepl_device as device;

/// Runs the statements of all cells, in order. An error that `?` passes out of
/// them is printed with its place, and the program fails.
pub fn program(statements: impl FnOnce() -> CellResult) -> ExitCode {
    let ended = statements().and_then(|()| {
        array::settle()?;
        if let Some(context) = device::in_use() {
            context.finish()?;
        }
        if let Some(note) = device::overflow_note() {
            eprintln!("note: {note}");
        }
        Ok(())
    });
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let (message, place) = error.into_words();
            eprintln!("error: {message}\n  at {place}");
            ExitCode::FAILURE
        }
    }
}
