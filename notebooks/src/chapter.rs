//! Chapters of the course: notebooks.

use crate::packed::CHAPTERS;

/// A chapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chapter {
    name: &'static str,
    notebook: &'static str,
}

/// What a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// Text, in Markdown.
    Text,
    /// Code to be run.
    Code,
    /// A solution of the exercise in the text before it.
    Solution,
    /// What makes sure that the code before it is right, and is no part of the course.
    Check,
}

/// A cell of a chapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// What it is.
    pub kind: CellKind,
    /// Its text.
    pub text: String,
}

/// All chapters, in their order.
pub fn chapters() -> Vec<Chapter> {
    CHAPTERS.iter().map(|(name, notebook)| Chapter { name, notebook }).collect()
}

/// The chapter that somebody means: by its number, its name, or words of its title. None if there is no such chapter,
/// or more than one.
///
/// ```
/// use gpurepl_book::chapter;
/// assert_eq!(chapter("03").unwrap().name(), "03_four_ways");
/// assert_eq!(chapter("four ways").unwrap().name(), "03_four_ways");
/// assert!(chapter("nothing of the kind").is_none());
/// ```
pub fn chapter(what: &str) -> Option<Chapter> {
    let what = what.trim().trim_end_matches(".ipynb").to_lowercase();
    if let Ok(number) = what.parse::<usize>() {
        return chapters().into_iter().find(|chapter| chapter.number() == Some(number));
    }
    if what.is_empty() {
        return None;
    }
    if let Some(same) = chapters().into_iter().find(|chapter| chapter.name == what) {
        return Some(same);
    }
    let words = what.replace('_', " ");
    let has = |text: &str| text.to_lowercase().replace('_', " ").contains(&words);
    let mut found = chapters().into_iter().filter(|chapter| has(chapter.name) || has(&chapter.title()));
    found.next().filter(|_| found.next().is_none())
}

impl Chapter {
    /// A chapter that is not one of the course's: a name, and a notebook in Jupyter's format.
    pub fn of(name: &'static str, notebook: &'static str) -> Chapter {
        Chapter { name, notebook }
    }

    /// The name of its file, without `.ipynb`: `01_first_steps`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Its number.
    pub fn number(&self) -> Option<usize> {
        self.name.split('_').next()?.parse().ok()
    }

    /// Its notebook in Jupyter's format, without outputs.
    pub fn notebook(&self) -> &'static str {
        self.notebook
    }

    /// Its title.
    pub fn title(&self) -> String {
        let text = self.first_text();
        let heading = text.lines().find_map(|line| line.strip_prefix("# "));
        heading.unwrap_or(self.name).trim().to_owned()
    }

    /// What it says of itself first: a paragraph, in Markdown.
    pub fn summary(&self) -> String {
        let text = self.first_text();
        let paragraphs = text.split("\n\n").map(str::trim);
        let mut told = paragraphs.filter(|part| !part.is_empty() && !part.starts_with('#'));
        told.next().unwrap_or_default().replace('\n', " ")
    }

    fn first_text(&self) -> String {
        self.cells()
            .into_iter()
            .find(|cell| cell.kind == CellKind::Text)
            .map_or(String::new(), |cell| cell.text)
    }

    /// Its cells.
    pub fn cells(&self) -> Vec<Cell> {
        let notebook: serde_json::Value = serde_json::from_str(self.notebook).unwrap_or_default();
        let Some(cells) = notebook["cells"].as_array() else { return Vec::new() };
        cells.iter().filter_map(read).collect()
    }
}

fn read(cell: &serde_json::Value) -> Option<Cell> {
    let text = match &cell["source"] {
        serde_json::Value::String(text) => text.clone(),
        lines => lines.as_array()?.iter().filter_map(|line| line.as_str()).collect(),
    };
    let has =
        |tag: &str| cell["metadata"]["tags"].as_array().is_some_and(|tags| tags.iter().any(|own| own == tag));
    let kind = match cell["cell_type"].as_str()? {
        "code" if has("solution") => CellKind::Solution,
        "code" if has("check") => CellKind::Check,
        "code" => CellKind::Code,
        "markdown" => CellKind::Text,
        _ => return None,
    };
    Some(Cell { kind, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chapters_are_numbered_without_gaps_and_say_what_they_are() {
        let numbers: Vec<Option<usize>> = chapters().iter().map(Chapter::number).collect();
        assert_eq!(numbers, (0..chapters().len()).map(Some).collect::<Vec<_>>());
        for chapter in chapters() {
            assert!(chapter.title().len() > 3 && !chapter.title().contains('_'), "{}", chapter.name());
            assert!(chapter.summary().len() > 40, "{}: {}", chapter.name(), chapter.summary());
            assert!(chapter.cells().len() > 5, "{}", chapter.name());
            assert!(!chapter.notebook().contains("image/svg+xml"), "outputs are left out");
        }
    }

    /// A chapter begins with what must be known, and ends with something to do.
    #[test]
    fn chapters_have_exercises_with_solutions() {
        for chapter in chapters() {
            let cells = chapter.cells();
            let texts =
                || cells.iter().filter(|cell| cell.kind == CellKind::Text).map(|cell| cell.text.as_str());
            assert!(texts().any(|text| text.contains("## Exercises")), "{}", chapter.name());
            assert!(texts().any(|text| text.contains("## Where to go on")), "{}", chapter.name());
            let solutions = cells.iter().filter(|cell| cell.kind == CellKind::Solution).count();
            let tasks = texts()
                .flat_map(str::lines)
                .filter(|line| {
                    line.starts_with("### ") && line[4..].starts_with(|c: char| c.is_ascii_digit())
                })
                .count();
            assert!(
                solutions >= 3 && tasks >= 3,
                "{}: {tasks} exercises, {solutions} solutions",
                chapter.name()
            );
        }
    }

    #[test]
    fn names_numbers_and_words_mean_a_chapter() {
        for what in ["1", "01", "01_first_steps", "01_first_steps.ipynb", "First steps", "first"] {
            assert_eq!(chapter(what).map(|chapter| chapter.name()), Some("01_first_steps"), "{what}");
        }
        for what in ["", "99", "e", "-1"] {
            assert_eq!(chapter(what), None, "{what}");
        }
    }
}
