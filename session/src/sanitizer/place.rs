//! Lines of kernels as lines of the script that holds their text.
//!
//! A report knows a kernel's line within its own text, which every kernel
//! calls `kernel.cu`, and the function that it is in. The texts of kernels are
//! string literals of the script: the one that defines the function is found
//! by its name, and the line within it is a line of the script.

use std::ops::Range;

use proc_macro2::{Literal, TokenStream, TokenTree};

use super::report::Place;
use crate::diagnostic::{Diagnostic, Label, Source};
use crate::script;

/// What the texts of kernels are called in what is compiled from them.
const SOURCE_NAME: &str = "kernel.cu";

/// The string literals of the user's texts.
pub(super) struct Kernels<'t> {
    literals: Vec<Text<'t>>,
}

/// A string literal.
struct Text<'t> {
    source: &'t Source,
    value: String,
    /// For each line of the value, where it stands in the source.
    lines: Vec<Range<usize>>,
}

/// A line that was found.
pub(super) struct Found<'t> {
    source: &'t Source,
    range: Range<usize>,
    /// Whether another text defines a function of that name.
    pub(super) is_ambiguous: bool,
}

impl<'t> Kernels<'t> {
    pub(super) fn of(texts: &'t [Source]) -> Kernels<'t> {
        let mut literals = Vec::new();
        for source in texts {
            // Cell by cell: one that is no Rust, a command, hides no other.
            for cell in script::cells(&source.text) {
                let Some(at) = offset_of_line(&source.text, cell.first_line) else { continue };
                if let Ok(tokens) = cell.source.parse::<TokenStream>() {
                    collect(tokens, &cell.source, at, source, &mut literals);
                }
            }
        }
        Kernels { literals }
    }

    /// The line of the user's text that a place is on.
    pub(super) fn find(&self, place: &Place) -> Option<Found<'t>> {
        let (file, line) = place.line.as_ref()?;
        let name = place.name();
        let is_kernel = file.rsplit('/').next() == Some(SOURCE_NAME);
        if !is_kernel || name.is_empty() {
            return None;
        }
        let mut texts =
            self.literals.iter().filter(|text| text.lines.len() >= *line && defines(&text.value, name));
        let text = texts.next()?;
        let is_ambiguous = texts.any(|other| other.value != text.value);
        let range = text.lines.get(line.checked_sub(1)?)?.clone();
        Some(Found { source: text.source, range, is_ambiguous })
    }
}

impl Found<'_> {
    /// Adds the place to a diagnostic.
    pub(super) fn label(&self, diagnostic: &mut Diagnostic, text: String, is_primary: bool) {
        let cell = self.source.cell;
        if !diagnostic.sources.iter().any(|source| source.cell == cell) {
            diagnostic.sources.push(self.source.clone());
        }
        diagnostic.labels.push(Label { cell, range: self.range.clone(), text, is_primary });
    }
}

/// Whether a text has the name of a function with its arguments.
fn defines(text: &str, name: &str) -> bool {
    let is_word = |sign: char| sign.is_alphanumeric() || sign == '_';
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], text[at + name.len()..].trim_start());
        !before.ends_with(is_word) && after.starts_with('(')
    })
}

/// Where a line begins, counted from one.
fn offset_of_line(text: &str, line: usize) -> Option<usize> {
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    starts.take(line).nth(line.checked_sub(1)?)
}

/// Collects the string literals of a cell that begins at an offset, those
/// within macros among them.
fn collect<'t>(tokens: TokenStream, cell: &str, at: usize, source: &'t Source, literals: &mut Vec<Text<'t>>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => collect(group.stream(), cell, at, source, literals),
            TokenTree::Literal(literal) => literals.extend(text_of(&literal, cell, at, source)),
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
}

fn text_of<'t>(literal: &Literal, cell: &str, at: usize, source: &'t Source) -> Option<Text<'t>> {
    let syn::Lit::Str(text) = syn::Lit::new(literal.clone()) else { return None };
    let range = range_of(literal, cell)?;
    let lines = lines(&cell[range.clone()]);
    let lines = lines.into_iter().map(|line| at + range.start + line.start..at + range.start + line.end);
    Some(Text { source, value: text.value(), lines: lines.collect() })
}

/// Where a literal stands in its cell: spans count lines, and characters.
fn range_of(literal: &Literal, cell: &str) -> Option<Range<usize>> {
    let offset = |place: proc_macro2::LineColumn| {
        let line = offset_of_line(cell, place.line)?;
        let column = cell[line..].char_indices().map(|(at, _)| at).chain([cell.len() - line]);
        Some(line + column.take(place.column + 1).last()?)
    };
    let span = literal.span();
    Some(offset(span.start())?..offset(span.end())?)
}

/// The places of the lines of a literal's value, in the literal as it is
/// written, without the space around them.
fn lines(literal: &str) -> Vec<Range<usize>> {
    let is_raw = literal.starts_with('r');
    let (Some(start), Some(end)) = (literal.find('"'), literal.rfind('"')) else { return Vec::new() };
    let mut ranges = Vec::new();
    let first = start + 1;
    let mut begin = first;
    let mut signs = literal[first..end].char_indices().map(|(k, sign)| (first + k, sign)).peekable();
    let mut push = |from: usize, to: usize| {
        let text = &literal[from..to];
        let from = from + (text.len() - text.trim_start().len());
        ranges.push(from..from + literal[from..to].trim_end().len());
    };
    while let Some((k, sign)) = signs.next() {
        match sign {
            '\n' => {
                push(begin, k);
                begin = k + 1;
            }
            '\\' if !is_raw => match signs.next() {
                Some((escape, 'n')) => {
                    push(begin, k);
                    begin = escape + 1;
                }
                // The line goes on where the next one's text begins.
                Some((_, '\n')) => while signs.next_if(|(_, sign)| sign.is_whitespace()).is_some() {},
                _ => {}
            },
            _ => {}
        }
    }
    push(begin, end);
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_literal_are_where_they_are_written() {
        let at = |literal: &str| -> Vec<String> {
            lines(literal).into_iter().map(|range| literal[range].to_owned()).collect()
        };
        assert_eq!(at("r#\"\n  a \"b\"\n\n  c\"#"), ["", "a \"b\"", "", "c"]);
        assert_eq!(at("\"a\\n  b\\\\n\\\n   c\nd \""), ["a", "b\\\\n\\\n   c", "d"]);
        assert_eq!(at("\"\""), [""]);
    }

    #[test]
    fn names_are_whole_words_before_arguments() {
        assert!(defines("__global__ void k (int *a)", "k"));
        assert!(!defines("__global__ void kk(int *k)", "k"));
        assert!(!defines("k_(); _k()", "k"));
    }
}
