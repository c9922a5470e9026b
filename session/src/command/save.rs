//! Cells as files: `:save`.

use std::path::Path;

use super::show;
use crate::engine::Cell;
use crate::export;
use crate::output::Sink;
use crate::ranks::MOST_WORKERS;
use crate::session::Session;
use crate::transcript::Entry;

const USAGE: &str = "`:save FILE.rs|FILE.ipynb|FOLDER/ [N-M...] [--all] [-f]`";

/// What `:save` was asked for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Request {
    path: String,
    /// Numbers of cells, first and last; all if there are none.
    ranges: Vec<(u64, u64)>,
    with_failed: bool,
    replaces: bool,
}

pub(super) fn save(session: &mut Session, what: &str, sink: &mut dyn Sink) -> Result<(), String> {
    let request = read(what)?;
    let path = Path::new(&request.path);
    let is_project = request.path.ends_with('/') || path.is_dir();
    let extension = path.extension().and_then(|extension| extension.to_str());
    if !is_project && !matches!(extension, Some("rs" | "ipynb")) {
        return Err(format!(
            "`{}` does not say what to write: a name that ends with `.rs`, `.ipynb` or `/` is expected: {USAGE}",
            request.path
        ));
    }
    let last = session.transcript.iter().map(|entry| entry.number).max().unwrap_or(0);
    if let Some((first, _)) = request.ranges.iter().find(|(first, _)| *first > last) {
        return Err(format!("there is no cell {first} yet; the last one is {last}"));
    }
    let is_wanted = |entry: &&Entry| {
        let number = entry.number;
        let is_named =
            request.ranges.is_empty() || request.ranges.iter().any(|(a, b)| (*a..=*b).contains(&number));
        // A program with a cell that fails is none.
        is_named && (entry.is_done || (request.with_failed && !is_project))
    };
    let mut entries: Vec<Entry> = session.transcript.iter().filter(is_wanted).cloned().collect();
    if entries.is_empty() {
        return Err("there are no cells to save: none has succeeded yet".to_owned());
    }
    name_results(session, &mut entries)?;
    let (mut count, mut plugins) = (entries.len(), Vec::new());
    if is_project {
        let cell = |entry: &Entry| cell(session, entry);
        let mut cells = entries.iter().map(cell).collect::<Result<Vec<_>, String>>()?;
        // They leave nothing behind.
        cells.retain(|cell| cell.manner.timeit.is_none());
        count = cells.len();
        if let Some(cell) = cells.iter().find(|cell| !runs_alone(cell)) {
            return Err(format!(
                "cell {} runs on other ranks than 0, which a program does not have; leave it out, or save a script: \
                 `gpurepl --workers {} work.rs`",
                cell.id,
                ranks_of(&cells)
            ));
        }
        let engine = session.capabilities("this engine writes no programs")?;
        plugins = export::plugins_named_in(cells.iter().map(|cell| cell.source.as_str()));
        let text = engine.program(&cells, !plugins.is_empty())?;
        let program = export::Program { text, dependencies: engine.manifest(), plugins: plugins.clone() };
        export::project(path, &program, request.replaces)?;
    } else if extension == Some("ipynb") {
        export::write(path, &export::notebook(&entries), request.replaces)?;
    } else {
        export::write(path, &export::script(&entries), request.replaces)?;
    }
    let plural = if count == 1 { "" } else { "s" };
    let how = if is_project { "; `cargo run` there runs it" } else { "" };
    let mut text = format!("saved {count} cell{plural} to {}{how}", request.path);
    if !plugins.is_empty() {
        let names: Vec<&str> = plugins.iter().map(|plugin| plugin.name.as_str()).collect();
        let seconds: i64 = plugins.iter().map(|plugin| plugin.seconds).sum();
        let plural = if names.len() == 1 { "" } else { "s" };
        text.push_str(&format!(
            "\nit links the plugin{plural} {}: about {seconds} s more for the first build",
            names.join(", ")
        ));
    }
    show(text, sink)
}

/// The least number of ranks that all cells run on.
fn ranks_of(cells: &[Cell]) -> usize {
    let selections: Vec<_> = cells.iter().filter_map(|cell| cell.manner.ranks.as_ref()).collect();
    let fits = |count: &usize| selections.iter().all(|ranks| ranks.among(*count).is_ok());
    (1..=MOST_WORKERS).find(fits).unwrap_or(MOST_WORKERS)
}

/// Whether a cell runs where there is rank 0 alone.
fn runs_alone(cell: &Cell) -> bool {
    cell.manner.ranks.as_ref().is_none_or(|ranks| ranks.among(1).is_ok())
}

impl Session {
    /// The cells that have succeeded, as a script in the percent format.
    ///
    /// # Errors
    ///
    /// If the engine has no names for their results.
    pub fn script(&mut self) -> Result<String, String> {
        let mut entries: Vec<Entry> = self.transcript.iter().filter(|entry| entry.is_done).cloned().collect();
        name_results(self, &mut entries)?;
        Ok(export::script(&entries))
    }
}

/// An entry as the cell that it was.
fn cell(session: &Session, entry: &Entry) -> Result<Cell, String> {
    let name = format!("cell {}", entry.number);
    session.cell(entry.number, &entry.source, &name, 1).map_err(|problem| problem.message)
}

/// Gives names to the values that only this session keeps.
fn name_results(session: &mut Session, entries: &mut [Entry]) -> Result<(), String> {
    // One whose magics are wrong has never been evaluated.
    let cells: Vec<Cell> = entries.iter().filter_map(|entry| cell(session, entry).ok()).collect();
    let edits = session.named_results(&cells)?;
    for entry in entries {
        // Magics are blanks in a cell's text, so its places are the entry's.
        if let Some(edits) = edits.get(&entry.number) {
            entry.source = export::edited(&entry.source, edits);
        }
    }
    Ok(())
}

fn read(what: &str) -> Result<Request, String> {
    let mut request = Request::default();
    for word in what.split_whitespace() {
        match word {
            "--all" => request.with_failed = true,
            "-f" | "--force" => request.replaces = true,
            option if option.starts_with('-') => {
                return Err(format!("there is no option `{option}`: {USAGE}"));
            }
            path if request.path.is_empty() => request.path = path.to_owned(),
            range => {
                let (first, last) = range.split_once('-').unwrap_or((range, range));
                match (first.parse(), last.parse()) {
                    (Ok(first), Ok(last)) if first > 0 && first <= last => request.ranges.push((first, last)),
                    _ => {
                        return Err(format!(
                            "`{range}` is neither a cell (`3`) nor a range of cells (`3-5`): {USAGE}"
                        ));
                    }
                }
            }
        }
    }
    if request.path.is_empty() {
        return Err(format!("a file or a folder is expected: {USAGE}"));
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read() {
        let request = read("a.rs 3-5 9 -f").unwrap();
        assert_eq!((request.path.as_str(), request.ranges.as_slice()), ("a.rs", &[(3, 5), (9, 9)][..]));
        assert!(request.replaces && !request.with_failed);
        for (wrong, words) in [
            ("", "a file or a folder"),
            ("a.rs 5-3", "nor a range"),
            ("a.rs x", "`x`"),
            ("a.rs --no", "no option"),
        ] {
            let problem = read(wrong).unwrap_err();
            assert!(problem.contains(words) && problem.contains(USAGE), "{problem}");
        }
    }
}
