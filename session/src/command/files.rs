//! Files of cells: `:load`.

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
        return Err(format!("{path} is loaded by files that load each other"));
    }
    let result = load_cells(session, &text, path, sink);
    session.leave_file();
    result
}

fn load_cells(session: &mut Session, text: &str, path: &str, sink: &mut dyn Sink) -> Result<(), String> {
    for cell in script::program(text) {
        if !session.run_named(&cell.source, path, cell.first_line, sink).is_done() {
            return Err(format!("{path} ended at the cell that starts on line {}", cell.first_line));
        }
    }
    Ok(())
}
