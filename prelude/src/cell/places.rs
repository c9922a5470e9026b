//! Where code of cells stands in the user's text, for what is printed while it
//! runs: `dbg!`, panics of threads.

use std::sync::{Mutex, PoisonError};

use gpurepl_wire::Lines;

/// The lines of every cell that was run: its threads may outlive it.
static CELLS: Mutex<Vec<Lines>> = Mutex::new(Vec::new());

/// Notes where a cell's lines come from.
pub(crate) fn note_lines(lines: Lines) {
    CELLS.lock().unwrap_or_else(PoisonError::into_inner).push(lines);
}

/// A place of compiled code as the user knows it: `cell 3:1:5`.
pub fn place(file: &str, line: u32, column: u32) -> String {
    let cells = CELLS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = cells.iter().rev().find(|cell| cell.file == file).and_then(|cell| {
        let (name, line) = cell.lines.get((line as usize).checked_sub(1)?).copied().flatten()?;
        Some((cell.names.get(name as usize)?, line))
    });
    match known {
        Some((name, line)) => format!("{name}:{line}:{column}"),
        None => format!("{file}:{line}:{column}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_cell_is_found() {
        note_lines(Lines {
            file: "places-test.rs".to_owned(),
            names: vec!["cell 3".to_owned(), "cell 4".to_owned()],
            lines: vec![None, Some((1, 7))],
        });
        assert_eq!(place("places-test.rs", 2, 5), "cell 4:7:5");
        assert_eq!(place("places-test.rs", 1, 5), "places-test.rs:1:5");
        assert_eq!(place("places-test.rs", 9, 5), "places-test.rs:9:5");
        assert_eq!(place("src/other.rs", 2, 5), "src/other.rs:2:5");
    }
}
