//! Files of cells, in the percent format that Jupytext and VS Code know:
//!
//! ```text
//! // %% a title
//! let a = arange(0..10);
//!
//! // %%
//! a.sum()
//! ```
//!
//! A line that starts with `// %%` begins a cell. A file without one is one
//! cell, so any sequence of statements is a script. Notebooks of Jupyter are
//! files of cells, too.

mod notebook;

pub use notebook::{NotebookError, notebook};

/// A cell of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptCell {
    /// What stands behind the mark.
    pub title: String,
    /// The text, without the mark.
    pub source: String,
    /// The line that the text starts on, from one: of the file, or of a
    /// notebook's cell.
    pub first_line: usize,
    /// The cell's number in a notebook, from one.
    pub number: Option<usize>,
    /// Whether what follows is run also if it fails: a notebook's cell with the tag `raises-exception`.
    pub may_fail: bool,
}

impl ScriptCell {
    /// What messages call the cell, which is one of this file's.
    pub fn name(&self, file: &str) -> String {
        match self.number {
            Some(number) => format!("{file}, cell {number}"),
            None => file.to_owned(),
        }
    }

    /// Whether the cell is not Rust but for a shell of the system (`%%sh` in a
    /// notebook): a front end runs it as it does `!` commands.
    pub fn is_for_the_system(&self) -> bool {
        notebook::is_for_the_system(&self.source)
    }
}

/// The cells of a file that is run: a notebook if its name ends so, else a
/// script.
///
/// # Errors
///
/// If it is a notebook that cannot be run.
pub fn file(name: &str, text: &str) -> Result<Vec<ScriptCell>, NotebookError> {
    if name.to_ascii_lowercase().ends_with(".ipynb") { notebook(name, text) } else { Ok(program(text)) }
}

/// The cells of a script; text cells (`// %% [markdown]`) are left out, and so
/// are empty ones.
///
/// ```
/// use gpurepl_session::script::cells;
/// let cells = cells("// %% first\nlet a = 1;\n// %%\na + 1\n");
/// assert_eq!(cells.len(), 2);
/// assert_eq!((cells[0].title.as_str(), cells[0].first_line), ("first", 2));
/// assert_eq!((cells[1].source.as_str(), cells[1].first_line), ("a + 1\n", 4));
/// ```
pub fn cells(text: &str) -> Vec<ScriptCell> {
    // A line for the system (`#!/usr/bin/env gpurepl`) is not part of a cell,
    // but an attribute (`#![allow(..)]`) is.
    let has_shebang = text.starts_with("#!") && !text.starts_with("#![");
    let mut cells = vec![ScriptCell {
        title: String::new(),
        source: String::new(),
        first_line: 1,
        number: None,
        may_fail: false,
    }];
    for (k, line) in text.split_inclusive('\n').enumerate() {
        if k == 0 && has_shebang {
            cells[0].first_line = 2;
            continue;
        }
        if let Some(title) = mark(line) {
            cells.push(ScriptCell {
                title: title.to_owned(),
                source: String::new(),
                first_line: k + 2,
                number: None,
                may_fail: false,
            });
        } else if let Some(cell) = cells.last_mut() {
            cell.source.push_str(line);
        }
    }
    cells.retain(|cell| !cell.source.trim().is_empty() && !cell.title.starts_with("[markdown]"));
    cells
}

/// The cells of a file that is run as a script. A program as rustc takes it,
/// items and `fn main()`, runs as one: a cell that calls `main` comes last.
///
/// ```
/// use gpurepl_session::script::program;
/// let cells = program("fn main() {\n    println!(\"hello\");\n}\n");
/// assert_eq!(cells[1].source, "main();");
/// assert_eq!(program("fn main() {}\nmain();").len(), 1);
/// ```
pub fn program(text: &str) -> Vec<ScriptCell> {
    let mut cells = cells(text);
    if let [only] = &cells[..]
        && only.title.is_empty()
        && let Ok(file) = syn::parse_file(&only.source)
        && let Some(main) = file.items.iter().find_map(|item| match item {
            syn::Item::Fn(function) if function.sig.ident == "main" => Some(function),
            _ => None,
        })
    {
        let call = match (&main.sig.output, main.sig.asyncness) {
            (syn::ReturnType::Default, None) => "main();",
            (syn::ReturnType::Default, Some(_)) => "main().await;",
            (_, None) => "main()?;",
            (_, Some(_)) => "main().await?;",
        };
        let line = only.first_line + main.sig.ident.span().start().line - 1;
        cells.push(ScriptCell {
            title: "main".to_owned(),
            source: call.to_owned(),
            first_line: line,
            number: None,
            may_fail: false,
        });
    }
    cells
}

/// Whether a line begins a cell.
pub fn is_mark(line: &str) -> bool {
    mark(line).is_some()
}

/// The title of a line that begins a cell.
fn mark(line: &str) -> Option<&str> {
    let rest = line.trim_end().strip_prefix("//")?.trim_start().strip_prefix("%%")?;
    (rest.is_empty() || rest.starts_with([' ', '\t', '['])).then(|| rest.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_marks_is_one_cell() {
        let cells = cells("let a = 1;\na + 1");
        assert_eq!(cells.len(), 1);
        assert_eq!(cells[0].source, "let a = 1;\na + 1");
    }

    #[test]
    fn marks_are_lines_of_their_own() {
        let source = "//%% a\nx;\n// %%%\ny; // %% no\n// %% [markdown]\n// # Title\n  // %%\nz;";
        let cells = cells(source);
        assert_eq!(cells.len(), 1);
        assert_eq!(cells[0].source, "x;\n// %%%\ny; // %% no\n");
    }

    #[test]
    fn text_before_the_first_mark_is_a_cell() {
        let cells = cells("#!/usr/bin/env gpurepl\n#![allow(x)]\n1;\n// %%\n2;\n");
        assert_eq!(cells.iter().map(|cell| cell.first_line).collect::<Vec<_>>(), [2, 5]);
    }
}
