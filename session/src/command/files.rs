//! Files of cells: `:load`, `:run`.

use std::path::Path;

use crate::script::{self, ScriptCell};

/// The cells of a file, which are to be evaluated.
pub(crate) struct FileOfCells {
    /// The file as the user has named it.
    pub(crate) path: String,
    pub(crate) cells: Vec<ScriptCell>,
}

pub(super) fn load(path: &str) -> Result<FileOfCells, String> {
    if path.is_empty() {
        return Err("which file? `:load FILE`".to_owned());
    }
    let text =
        std::fs::read_to_string(Path::new(path)).map_err(|error| format!("reading {path}: {error}"))?;
    let cells = script::file(path, &text).map_err(|error| error.to_string())?;
    Ok(FileOfCells { path: path.to_owned(), cells })
}

pub(super) fn run(path: &str) -> Result<FileOfCells, String> {
    // A path may have spaces in it; what is not a path may be one with arguments.
    if let Some((file, arguments)) = path.split_once(char::is_whitespace)
        && !Path::new(path).exists()
        && Path::new(file).exists()
    {
        return Err(format!(
            "`{}` cannot be passed to a script in a running session: `:run {file}` runs it here without, and `gpurepl \
             {path}` in a session of its own",
            arguments.trim()
        ));
    }
    if path.is_empty() {
        return Err("which file? `:run FILE`".to_owned());
    }
    load(path)
}
