//! Files of cells: `:load`, `:run`.

use std::path::Path;

use crate::output::Sink;
use crate::script;
use crate::session::Session;

pub(super) fn load(session: &mut Session, path: &str, sink: &mut dyn Sink) -> Result<(), String> {
    if path.is_empty() {
        return Err("which file? `:load FILE`".to_owned());
    }
    let text =
        std::fs::read_to_string(Path::new(path)).map_err(|error| format!("reading {path}: {error}"))?;
    if !session.enter_file() {
        return Err(format!("{path} loads itself, directly or through other files"));
    }
    let result = load_cells(session, &text, path, sink);
    session.leave_file();
    result
}

pub(super) fn run(session: &mut Session, path: &str, sink: &mut dyn Sink) -> Result<(), String> {
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
    load(session, path, sink)
}

fn load_cells(session: &mut Session, text: &str, path: &str, sink: &mut dyn Sink) -> Result<(), String> {
    for cell in script::file(path, text).map_err(|error| error.to_string())? {
        let name = cell.name(path);
        if cell.is_for_the_system() {
            return Err(format!(
                "{name} is for the system's shell, which a session does not run: `gpurepl {path}` does"
            ));
        }
        if !session.run_named(&cell.source, &name, cell.first_line, sink).is_done() {
            return Err(match cell.number {
                Some(number) => format!("{path} ended at its cell {number}"),
                None => format!("{path} ended at the cell that starts on line {}", cell.first_line),
            });
        }
        if session.has_ended() {
            break;
        }
    }
    Ok(())
}
