//! Where the parts of a generated text come from.

use std::ops::Range;

use crate::error::Error;

/// The template of a generated text.
#[derive(Clone, Debug)]
pub struct Origin {
    /// What the template is called: `template`, or the name of its file.
    pub name: String,
    /// The template's text.
    pub template: String,
    /// Where the parts of the generated text come from, in order.
    pub parts: Vec<Part>,
}

/// A part of a generated text, in bytes.
#[derive(Clone, Debug)]
pub struct Part {
    /// Where it lies.
    pub generated: Range<usize>,
    /// What it was made of, in the template.
    pub template: Range<usize>,
    /// Whether it was copied from there.
    pub is_copy: bool,
}

impl Origin {
    /// A compiler's error about a generated text, at its place in the template.
    pub(super) fn of_error(&self, error: Error, generated: &str) -> Error {
        error.in_template(&self.name, &self.template, &|line, column| self.place(generated, line, column))
    }

    /// The line and column in the template, from one, of those in the text.
    fn place(&self, generated: &str, line: usize, column: usize) -> Option<(usize, usize)> {
        let start: usize = generated.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
        let at = start + column.saturating_sub(1);
        // A place at the end of the text belongs to the part before.
        let part = self
            .parts
            .iter()
            .find(|part| part.generated.contains(&at))
            .or_else(|| self.parts.iter().rev().find(|part| part.generated.end <= at))?;
        let from = match part.is_copy {
            true => (part.template.start + at - part.generated.start).min(part.template.end),
            false => part.template.start,
        };
        let before = self.template.get(..from)?;
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Some((before.matches('\n').count() + 1, from - line_start + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_in_the_template() {
        let template = "a\nx[{{ k }}];\n";
        let generated = "a\nx[10];\n";
        let part = |generated, template, is_copy| Part { generated, template, is_copy };
        let parts = vec![part(0..4, 0..4, true), part(4..6, 7..8, false), part(6..9, 11..14, true)];
        let origin = Origin { name: "template".to_owned(), template: template.to_owned(), parts };
        for (place, expected) in [
            ((1, 1), (1, 1)),
            ((2, 1), (2, 1)),
            ((2, 4), (2, 6)),
            ((2, 5), (2, 10)),
            ((2, 6), (2, 11)),
            ((9, 9), (3, 1)),
        ] {
            assert_eq!(origin.place(generated, place.0, place.1), Some(expected), "{place:?}");
        }
    }
}
