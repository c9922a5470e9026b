//! Notebooks of Jupyter, in its format 4: a JSON file with a list of cells.
//! See <https://nbformat.readthedocs.io/en/latest/format_description.html>.

use serde::Deserialize;

use super::ScriptCell;

/// Why a file is not a notebook that can be run.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotebookError {
    /// It is not what Jupyter writes.
    #[error("{file} is not a notebook: {problem}")]
    NotOne {
        /// The file.
        file: String,
        /// What is wrong with it, and where.
        problem: String,
    },
    /// It is of another version of the format.
    #[error(
        "{file} is a notebook in format {version}, not 4: open it in Jupyter and save it, or run `jupyter nbconvert --to notebook --inplace {file}`"
    )]
    Version {
        /// The file.
        file: String,
        /// The format's version.
        version: u64,
    },
    /// It is written in another language.
    #[error("{file} is a notebook of {language}, not of Rust")]
    Language {
        /// The file.
        file: String,
        /// The language.
        language: String,
    },
    /// A cell begins with a magic that has no meaning here.
    #[error(
        "{file}, cell {cell}: there is no cell magic `%%{magic}` here; `%%sh` and `%%bash` are known, and text cells are skipped"
    )]
    Magic {
        /// The file.
        file: String,
        /// The cell's number.
        cell: usize,
        /// The magic's name.
        magic: String,
    },
}

#[derive(Deserialize)]
struct Notebook {
    nbformat: u64,
    #[serde(default)]
    metadata: Metadata,
    #[serde(default)]
    cells: Vec<Cell>,
}

#[derive(Default, Deserialize)]
struct Metadata {
    language_info: Option<LanguageInfo>,
    kernelspec: Option<KernelSpec>,
}

#[derive(Deserialize)]
struct LanguageInfo {
    name: String,
}

#[derive(Deserialize)]
struct KernelSpec {
    language: Option<String>,
}

#[derive(Deserialize)]
struct Cell {
    cell_type: String,
    #[serde(default)]
    source: Text,
    #[serde(default)]
    metadata: CellMetadata,
}

#[derive(Default, Deserialize)]
struct CellMetadata {
    #[serde(default)]
    tags: Vec<String>,
}

/// The tag of a cell that may fail, as nbclient has it.
const MAY_FAIL: &str = "raises-exception";

/// A text, or its lines with their ends.
#[derive(Deserialize)]
#[serde(untagged)]
enum Text {
    Whole(String),
    Lines(Vec<String>),
}

impl Default for Text {
    fn default() -> Text {
        Text::Whole(String::new())
    }
}

/// Magics whose cells are texts.
const TEXTS: &[&str] = &["markdown", "html", "latex", "svg", "javascript", "js"];

/// Magics whose cells are for a shell of the system: they keep their first
/// line, and a front end runs them as it does `!` commands.
const SHELLS: &[&str] = &["sh", "bash"];

/// Whether a cell begins with one of those.
pub(super) fn is_for_the_system(source: &str) -> bool {
    let magic = source.trim_start().strip_prefix("%%").and_then(|rest| rest.split_whitespace().next());
    magic.is_some_and(|magic| SHELLS.contains(&magic))
}

/// The code cells of a notebook, in their order. They are numbered as Jupyter
/// numbers them when all are run: empty ones do not count.
///
/// # Errors
///
/// If the text is not a notebook, or one that cannot be run.
pub fn notebook(file: &str, text: &str) -> Result<Vec<ScriptCell>, NotebookError> {
    let notebook: Notebook = serde_json::from_str(text)
        .map_err(|error| NotebookError::NotOne { file: file.to_owned(), problem: error.to_string() })?;
    if notebook.nbformat != 4 {
        return Err(NotebookError::Version { file: file.to_owned(), version: notebook.nbformat });
    }
    let Metadata { language_info, kernelspec } = notebook.metadata;
    let language = language_info.map(|info| info.name).or(kernelspec.and_then(|kernel| kernel.language));
    if let Some(language) = language.filter(|language| !language.eq_ignore_ascii_case("rust")) {
        return Err(NotebookError::Language { file: file.to_owned(), language });
    }
    let mut cells = Vec::new();
    for cell in notebook.cells.into_iter().filter(|cell| cell.cell_type == "code") {
        let source = match cell.source {
            Text::Whole(text) => text,
            Text::Lines(lines) => lines.concat(),
        };
        if source.trim().is_empty() {
            continue;
        }
        let number = cells.len() + 1;
        let may_fail = cell.metadata.tags.iter().any(|tag| tag == MAY_FAIL);
        let title = format!("cell {number}");
        let cell = ScriptCell { title, source, first_line: 1, number: Some(number), may_fail };
        cells.push(without_magic(cell, file)?);
    }
    cells.retain(|cell| !cell.source.is_empty());
    Ok(cells)
}

/// A cell that can be run, or is empty.
fn without_magic(mut cell: ScriptCell, file: &str) -> Result<ScriptCell, NotebookError> {
    let Some(line) = cell.source.trim_start().strip_prefix("%%") else { return Ok(cell) };
    let magic = line.split_whitespace().next().unwrap_or_default();
    if TEXTS.contains(&magic) {
        cell.source.clear();
    } else if !SHELLS.contains(&magic) && !crate::commands::magic::is_magic(magic) {
        let (number, magic) = (cell.number.unwrap_or(0), magic.to_owned());
        return Err(NotebookError::Magic { file: file.to_owned(), cell: number, magic });
    }
    Ok(cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_cells(cells: &str) -> String {
        format!("{{\"nbformat\": 4, \"nbformat_minor\": 5, \"metadata\": {{}}, \"cells\": [{cells}]}}")
    }

    #[test]
    fn code_cells_are_numbered_as_jupyter_does() {
        let text = with_cells(
            r##"{"cell_type": "markdown", "source": ["# Title"]},
               {"cell_type": "code", "source": ["let a = 1;\n", "a"], "outputs": [], "execution_count": null},
               {"cell_type": "code", "source": "  \n"},
               {"cell_type": "raw", "source": "not ) rust"},
               {"cell_type": "code", "source": "%%markdown\n*text*"},
               {"cell_type": "code", "source": "a + 1"}"##,
        );
        let cells = notebook("n.ipynb", &text).unwrap();
        let named: Vec<(String, &str)> =
            cells.iter().map(|cell| (cell.name("n.ipynb"), cell.source.as_str())).collect();
        assert_eq!(
            named,
            [("n.ipynb, cell 1".to_owned(), "let a = 1;\na"), ("n.ipynb, cell 3".to_owned(), "a + 1")]
        );
    }

    #[test]
    fn what_cannot_be_run_is_named() {
        let error = |text: &str| notebook("n.ipynb", text).unwrap_err().to_string();
        assert!(
            error("let a = 1;").contains("n.ipynb is not a notebook: expected"),
            "{}",
            error("let a = 1;")
        );
        assert!(error("{\"nbformat\": 4, \"cells\": [{}]}").contains("missing field `cell_type`"));
        assert!(error("{\"nbformat\": 3}").contains("format 3"));
        let python = "{\"nbformat\": 4, \"metadata\": {\"kernelspec\": {\"language\": \"python\"}}}";
        assert!(error(python).contains("of python"));
        assert!(
            error(&with_cells("{\"cell_type\": \"code\", \"source\": \"%%writefile x\\n1\"}"))
                .contains("cell 1")
        );
        assert_eq!(notebook("n", "{\"nbformat\": 4}"), Ok(Vec::new()));
    }

    #[test]
    fn magics_of_cells_stay_and_cells_that_may_fail_are_known() {
        let text = with_cells(
            r#"{"cell_type": "code", "source": "%%time\n1 + 1"},
               {"cell_type": "code", "metadata": {"tags": ["raises-exception"]}, "source": "%%rank 0\npanic!()"}"#,
        );
        let cells = notebook("n", &text).unwrap();
        let known: Vec<(&str, bool)> =
            cells.iter().map(|cell| (cell.source.as_str(), cell.may_fail)).collect();
        assert_eq!(known, [("%%time\n1 + 1", false), ("%%rank 0\npanic!()", true)]);
    }

    #[test]
    fn cells_of_the_shell_are_commands() {
        let text = with_cells(r#"{"cell_type": "code", "source": "%%bash\necho 'a'\necho b"}"#);
        let cells = notebook("n", &text).unwrap();
        assert_eq!(cells[0].source, "%%bash\necho 'a'\necho b");
    }
}
