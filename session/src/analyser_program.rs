//! Where the program gpurepl-analyser is: completion starts it, and so does the
//! second engine.

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Why there is no analyser, and what to do about it.
pub(crate) const NOT_FOUND: &str = "gpurepl-analyser was not found beside gpurepl or on PATH (`cargo install --path analyser \
                         --locked`, or set GPUREPL_ANALYSER)";

/// The analyser's program and its version, or what there is to do about it:
/// for `gpurepl doctor`.
///
/// # Errors
///
/// If it is not there, is switched off, or does not run.
pub fn find_analyser() -> Result<(PathBuf, String), String> {
    let Some(program) = program() else {
        return Err(match is_switched_off() {
            true => "switched off: GPUREPL_ANALYSER is empty".to_owned(),
            false => NOT_FOUND.to_owned(),
        });
    };
    let output = Command::new(&program).arg("--version").stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{} could not be started: {error}", program.display()))?;
    if !output.status.success() {
        return Err(format!("{} does not run: {}", program.display(), output.status));
    }
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok((program, version))
}

/// Whether the user wants no analyser.
pub(crate) fn is_switched_off() -> bool {
    std::env::var_os("GPUREPL_ANALYSER").is_some_and(|program| program.is_empty())
}

/// The analyser's program: what `GPUREPL_ANALYSER` names, or one beside this
/// program, or on the path. An empty `GPUREPL_ANALYSER` switches it off.
pub(crate) fn program() -> Option<PathBuf> {
    const NAME: &str = "gpurepl-analyser";
    if let Some(named) = std::env::var_os("GPUREPL_ANALYSER") {
        return if named.is_empty() { None } else { which::which(named).ok() };
    }
    let own = std::env::current_exe().ok()?;
    let folder = own.parent()?;
    // Tests lie in a folder below the programs.
    let beside = [Some(folder), folder.parent()].into_iter().flatten().map(|folder| folder.join(NAME));
    beside.into_iter().find(|path| path.is_file()).or_else(|| which::which(NAME).ok())
}
