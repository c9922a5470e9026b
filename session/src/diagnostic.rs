//! What is wrong with a cell, on the user's own lines.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Severity {
    Error,
    Warning,
}

/// Something that is wrong with a cell: a compile error, a warning, a panic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The compiler's number for it: `E0308`.
    pub code: Option<String>,
    /// What it is, in one line or more.
    pub message: String,
    /// Places in the user's cells, the first of which it is about.
    pub labels: Vec<Label>,
    /// What else there is to say.
    pub notes: Vec<String>,
    /// What to do about it.
    pub helps: Vec<String>,
    /// The cells that labels are about.
    pub sources: Vec<Source>,
}

/// A place in a cell and what there is to say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The cell.
    pub cell: u64,
    /// The place, in bytes.
    pub range: Range<usize>,
    /// What there is to say; may be nothing.
    pub text: String,
    /// Whether this is where the error is, rather than something around it.
    pub is_primary: bool,
}

/// A cell's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The cell's number.
    pub cell: u64,
    /// What the cell is called: `cell 3`, or a script's name.
    pub name: String,
    /// The text.
    pub text: String,
    /// The line of its first one: a cell of a script starts within the file.
    pub first_line: usize,
}

impl Diagnostic {
    /// An error with nothing but a message.
    pub fn error(message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code: None,
            message: message.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            helps: Vec::new(),
            sources: Vec::new(),
        }
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.helps.push(text.into());
        self
    }

    /// Adds the place that it is about.
    #[must_use]
    pub fn at(mut self, source: Source, range: Range<usize>) -> Diagnostic {
        self.labels.push(Label { cell: source.cell, range, text: String::new(), is_primary: true });
        self.sources.push(source);
        self
    }

    /// The line and column of the first place, counted from one.
    pub fn place(&self) -> Option<(usize, usize)> {
        let label = self.labels.iter().find(|label| label.is_primary).or(self.labels.first())?;
        let source = self.sources.iter().find(|source| source.cell == label.cell)?;
        let before = source.text.get(..label.range.start)?;
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Some((source.first_line + before.matches('\n').count(), before[line_start..].chars().count() + 1))
    }

    /// The diagnostic as text, as rustc lays it out, with colours or without.
    pub fn render(&self, is_coloured: bool) -> String {
        self.render_with(&if is_coloured { Renderer::styled() } else { Renderer::plain() })
    }

    /// The diagnostic as text, as rustc lays it out, in some styles and for
    /// some width.
    pub fn render_with(&self, renderer: &Renderer) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut title = level.primary_title(self.message.as_str());
        if let Some(code) = &self.code {
            title = title.id(code.as_str());
        }
        let mut group = Group::with_title(title);
        for source in &self.sources {
            let labels = self.labels.iter().filter(|label| label.cell == source.cell);
            let annotations = labels.map(|label| {
                let kind = if label.is_primary { AnnotationKind::Primary } else { AnnotationKind::Context };
                let annotation = kind.span(clamp(&label.range, &source.text));
                if label.text.is_empty() { annotation } else { annotation.label(label.text.as_str()) }
            });
            let annotations: Vec<_> = annotations.collect();
            if !annotations.is_empty() {
                let snippet = Snippet::source(source.text.as_str())
                    .line_start(source.first_line)
                    .path(source.name.as_str())
                    .annotations(annotations);
                group = group.element(snippet);
            }
        }
        for note in &self.notes {
            group = group.element(Level::NOTE.message(note.as_str()));
        }
        for help in &self.helps {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        renderer.render(&[group])
    }
}

/// A range that is within a text, on characters.
fn clamp(range: &Range<usize>, text: &str) -> Range<usize> {
    let on_character =
        |at: usize| (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let start = on_character(range.start);
    start..on_character(range.end).max(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn source(text: &str) -> Source {
        Source { cell: 3, name: "cell 3".to_owned(), text: text.to_owned(), first_line: 1 }
    }

    #[test]
    fn places_are_shown_also_after_other_scripts() {
        let text = "let größe = 1;\nlet π: i32 = \"drei\";\n";
        let at = text.find("\"drei\"").unwrap();
        let diagnostic = Diagnostic::error("mismatched types").at(source(text), at..at + 6).help("write 3");
        assert_eq!(diagnostic.place(), Some((2, 14)));
        expect![[r#"
            error: mismatched types
             --> cell 3:2:14
              |
            2 | let π: i32 = "drei";
              |              ^^^^^^
              |
              = help: write 3"#]]
        .assert_eq(&diagnostic.render(false));
        assert!(diagnostic.render(true).contains("\x1b["));
    }

    #[test]
    fn a_range_beyond_the_text_is_no_panic() {
        Diagnostic::error("x").at(source("é"), 1..50).render(false);
        Diagnostic::error("x").at(source(""), 3..4).render(false);
    }
}
