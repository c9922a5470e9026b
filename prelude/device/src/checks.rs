//! Checks of kernels that a user asks for.

use crate::error::{Problem, Result};

/// Whether `GPUREPL_CHECK` asks for checked builds of all kernels: on the host device of every access, of kernels in
/// Rust for an arithmetic overflow.
///
/// # Errors
///
/// If it says neither yes nor no.
pub(crate) fn are_asked_for() -> Result<bool> {
    is_asked_for(
        "GPUREPL_CHECK",
        "set it to 1 to check every access of kernels on the host device and arithmetic of kernels in Rust, or unset it",
    )
}

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
