//! The user's own editor.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

/// The editors to try where neither `VISUAL` nor `EDITOR` names one.
const KNOWN: &[&str] = &["editor", "nano", "vim", "vi", "emacs"];

/// Lets the user edit a text.
///
/// # Errors
///
/// If there is no editor, or it fails: a sentence for the user.
pub fn edit(text: &str) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("a file for the editor: {error}");
    let mut file = tempfile::Builder::new().prefix("gpurepl-").suffix(".rs").tempfile().map_err(failed)?;
    // A file is made of lines.
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    write!(file, "{text}{end}").and_then(|()| file.flush()).map_err(failed)?;
    open(file.path())?;
    // An editor may have put a new file in its place.
    let edited = std::fs::read(file.path()).map_err(failed)?;
    let edited = String::from_utf8(edited).map_err(|_| "the edited text is not UTF-8".to_owned())?;
    Ok(edited.trim_end().to_owned())
}

/// Opens a file in the user's editor and waits for it.
///
/// # Errors
///
/// If there is no editor, or it fails: a sentence for the user.
pub fn open(path: &Path) -> Result<(), String> {
    let editor = command().ok_or("no editor is set: set VISUAL or EDITOR to one, such as `nano`")?;
    // It may have arguments (`code --wait`); as git does, let the shell see.
    let status = Command::new("sh").arg("-c").arg(format!("{editor} \"$@\"")).arg(&editor).arg(path).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("the editor `{editor}` has failed: {status}; nothing was changed")),
        Err(error) => Err(format!("`sh` cannot be started: {error}")),
    }
}

fn command() -> Option<String> {
    let named = ["VISUAL", "EDITOR"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()));
    named.or_else(|| {
        let folders: Vec<_> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
        let is_there = |name: &&&str| folders.iter().any(|folder| folder.join(name).is_file());
        KNOWN.iter().find(is_there).map(|name| (*name).to_owned())
    })
}
