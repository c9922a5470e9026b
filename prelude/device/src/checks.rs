//! Checks of kernels that a user asks for.

use std::sync::OnceLock;

use gpurepl_kernels::Guards;

use crate::error::{Problem, Result};

/// Whether `GPUREPL_CHECK` asks for checked builds of all kernels: on the host device of every access, of kernels in
/// Rust for an arithmetic overflow.
///
/// # Errors
///
/// If it says neither yes nor no.
pub(crate) fn are_asked_for() -> Result<bool> {
    read().map(|guards| guards.is_guarded)
}

/// What `GPUREPL_CHECK` asks generated kernels to look at: `1` for subscripts and assertions, `nan` for results that
/// are NaN as well. It is read once: calls of small arrays would notice it.
///
/// # Errors
///
/// If it says none of these, and not no.
#[doc(hidden)]
pub fn checks_asked_for() -> Result<Guards> {
    static ASKED: OnceLock<Guards> = OnceLock::new();
    match ASKED.get() {
        Some(guards) => Ok(*guards),
        None => read().map(|guards| *ASKED.get_or_init(|| guards)),
    }
}

fn read() -> Result<Guards> {
    if std::env::var(VARIABLE).is_ok_and(|text| text.trim() == "nan") {
        return Ok(Guards { is_guarded: true, has_nan: true });
    }
    let is_guarded = is_asked_for(
        VARIABLE,
        "set it to 1 to check every access of kernels on the host device, subscripts of generated kernels on a GPU and arithmetic \
         of kernels in Rust, to `nan` to look for NaN as well, or unset it",
    )?;
    Ok(Guards { is_guarded, has_nan: false })
}

const VARIABLE: &str = "GPUREPL_CHECK";

/// Whether a variable of the environment says yes; what to do if it says neither yes nor no.
///
/// # Errors
///
/// If it says neither.
pub(crate) fn is_asked_for(variable: &str, help: &str) -> Result<bool> {
    match std::env::var(variable).unwrap_or_default().trim() {
        "" | "0" | "no" | "false" | "off" => Ok(false),
        "1" | "yes" | "true" | "on" => Ok(true),
        other => {
            Err(Problem::Missing { what: format!("{variable} is `{other}`"), help: help.to_owned() }.into())
        }
    }
}
