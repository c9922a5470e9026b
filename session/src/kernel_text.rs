//! The texts of kernels where the user wrote them: string literals of cells.
//!
//! What compilers, sanitizers and devices say about a kernel names lines of
//! the kernel's own text. That text is a string literal of some cell; its
//! lines and columns are places of the cell, whatever escapes it has. A text
//! that was put together when the cell ran, or read from a file, is in no
//! cell, and nothing is found then.

use std::ops::Range;

use proc_macro2::{TokenStream, TokenTree};
use rustc_literal_escaper::{check_raw_str, unescape_str};

use crate::commands::magic;
use crate::diagnostic::{Diagnostic, Label, Source};
use crate::script;

/// The string literals of the user's texts.
pub(crate) struct KernelTexts<'t> {
    literals: Vec<Literal<'t>>,
}

/// A string literal.
pub(crate) struct Literal<'t> {
    source: &'t Source,
    /// Where it stands in the source, with its quotes.
    range: Range<usize>,
    /// The brackets that it stands in, counted in the order of the texts: the
    /// arguments of one call are in the same ones. None outside of any.
    brackets: Option<usize>,
    value: String,
}

impl<'t> KernelTexts<'t> {
    /// The literals of texts, which are scripts or cells.
    pub(crate) fn of(texts: impl IntoIterator<Item = &'t Source>) -> KernelTexts<'t> {
        let mut collected = Collected::default();
        for source in texts {
            // Cell by cell: one that is not Rust, a command, hides no other.
            for cell in script::cells(&source.text) {
                let Some(at) = offset_of_line(&source.text, cell.first_line) else { continue };
                // Spaces in the place of magics: the text is as long.
                let blanked = magic::read(&cell.source).ok().flatten().map(|read| read.text);
                let text = blanked.as_deref().unwrap_or(&cell.source);
                if let Ok(tokens) = text.parse::<TokenStream>() {
                    collected.add(tokens, &CellText { source, text, at }, 0);
                }
            }
        }
        KernelTexts { literals: collected.literals }
    }

    /// The literals in the order of the texts.
    pub(crate) fn literals(&self) -> impl Iterator<Item = &Literal<'t>> {
        self.literals.iter()
    }

    /// The literal that is a kernel's whole text: one of the newest cell that
    /// has it. `company` is what else the kernel was made from; a short text
    /// may stand in several places, and the one that has this beside it is
    /// meant. None if that leaves several.
    pub(crate) fn holding(&self, text: &str, company: &[&str]) -> Option<&Literal<'t>> {
        if text.trim().is_empty() {
            return None;
        }
        let rank = |literal: &Literal<'_>| {
            let is_beside =
                |other: &&Literal<'_>| literal.brackets.is_some() && other.brackets == literal.brackets;
            let beside = self.literals.iter().filter(is_beside);
            (beside.filter(|other| company.contains(&other.value.as_str())).count(), literal.source.cell)
        };
        let mut candidates: Vec<_> = self.literals.iter().filter(|literal| literal.value == text).collect();
        let best = candidates.iter().map(|literal| rank(literal)).max()?;
        candidates.retain(|literal| rank(literal) == best);
        match candidates[..] {
            [only] => Some(only),
            _ => None,
        }
    }
}

impl Literal<'_> {
    /// The text that it stands for.
    pub(crate) fn value(&self) -> &str {
        &self.value
    }

    /// The cell that it is in.
    pub(crate) fn cell(&self) -> u64 {
        self.source.cell
    }

    /// Where it stands in its cell, with its quotes.
    pub(crate) fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// The place of a line of its value, counted from one, in the cell,
    /// without the space around it.
    pub(crate) fn line(&self, line: usize) -> Option<Range<usize>> {
        let within = self.line_of_value(line)?;
        let text = &self.value[within.clone()];
        let start = within.start + text.len() - text.trim_start().len();
        Some(self.place(start..start + text.trim().len()))
    }

    /// The place in the cell of the word at a column of a line, both counted
    /// from one and the column in bytes; of the line where there is no column.
    pub(crate) fn word(&self, line: usize, column: usize) -> Option<Range<usize>> {
        let Some(column) = column.checked_sub(1) else { return self.line(line) };
        let within = self.line_of_value(line)?;
        let text = &self.value[within.clone()];
        let column = (0..=column.min(text.len())).rev().find(|at| text.is_char_boundary(*at))?;
        let rest = &text[column..];
        let word = rest.find(|sign: char| !sign.is_alphanumeric() && sign != '_').unwrap_or(rest.len());
        // What is not a word is one sign.
        let length = if word > 0 { word } else { rest.chars().next().map_or(0, char::len_utf8) };
        Some(self.place(within.start + column..within.start + column + length))
    }

    /// Adds a place within it to a diagnostic.
    pub(crate) fn label(
        &self,
        diagnostic: &mut Diagnostic,
        range: Range<usize>,
        text: String,
        is_primary: bool,
    ) {
        let cell = self.cell();
        if !diagnostic.sources.iter().any(|source| source.cell == cell) {
            diagnostic.sources.push(self.source.clone());
        }
        diagnostic.labels.push(Label { cell, range, text, is_primary });
    }

    /// A line of the value, counted from one, without its end.
    fn line_of_value(&self, line: usize) -> Option<Range<usize>> {
        let start = offset_of_line(&self.value, line)?;
        Some(start..start + self.value[start..].split('\n').next().unwrap_or_default().len())
    }

    /// The place of a part of the value in the cell.
    fn place(&self, part: Range<usize>) -> Range<usize> {
        let written = &self.source.text[self.range.clone()];
        let Some((content, is_raw)) = content(written) else { return self.range.clone() };
        let (mut at, mut start, mut end) = (0, None, None);
        let mut last = content.start;
        characters(&written[content.clone()], is_raw, |range, sign| {
            let range = content.start + range.start..content.start + range.end;
            if at == part.start {
                start = Some(range.start);
            }
            at += sign.len_utf8();
            if at == part.end && !part.is_empty() {
                end = Some(range.end);
            }
            last = range.end;
        });
        let start = start.unwrap_or(last);
        self.range.start + start..self.range.start + end.unwrap_or(start)
    }
}

/// A cell of a text.
struct CellText<'c, 't> {
    source: &'t Source,
    /// What is parsed of it.
    text: &'c str,
    /// Where it begins in the source.
    at: usize,
}

#[derive(Default)]
struct Collected<'t> {
    literals: Vec<Literal<'t>>,
    brackets: usize,
}

impl<'t> Collected<'t> {
    /// Collects the string literals of a cell, those within macros among them.
    fn add(&mut self, tokens: TokenStream, cell: &CellText<'_, 't>, depth: usize) {
        self.brackets += 1;
        let brackets = self.brackets;
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.add(group.stream(), cell, depth + 1),
                TokenTree::Literal(literal) => {
                    let range = range_of(&literal, cell.text);
                    let found = range.and_then(|range| Some((value(&cell.text[range.clone()])?, range)));
                    if let Some((value, range)) = found {
                        let range = cell.at + range.start..cell.at + range.end;
                        let brackets = (depth > 0).then_some(brackets);
                        self.literals.push(Literal { source: cell.source, range, brackets, value });
                    }
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
        }
    }
}

/// Where a line begins, counted from one.
fn offset_of_line(text: &str, line: usize) -> Option<usize> {
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    starts.take(line).nth(line.checked_sub(1)?)
}

/// Where a literal stands in its cell: spans count lines, and characters.
fn range_of(literal: &proc_macro2::Literal, cell: &str) -> Option<Range<usize>> {
    let offset = |place: proc_macro2::LineColumn| {
        let line = offset_of_line(cell, place.line)?;
        let column = cell[line..].char_indices().map(|(at, _)| at).chain([cell.len() - line]);
        Some(line + column.take(place.column + 1).last()?)
    };
    let span = literal.span();
    Some(offset(span.start())?..offset(span.end())?)
}

/// What a string literal as it is written stands for; none if it is another
/// literal, or a documentation comment.
fn value(written: &str) -> Option<String> {
    let (content, is_raw) = content(written)?;
    let mut value = String::new();
    characters(&written[content], is_raw, |_, sign| value.push(sign)).then_some(value)
}

/// What stands between the quotes of a string literal, and whether it is a raw
/// one; none if it is not a string.
fn content(written: &str) -> Option<(Range<usize>, bool)> {
    let is_raw = written.starts_with('r');
    let opening = written.strip_prefix('r').unwrap_or(written);
    let hashes = if is_raw { opening.len() - opening.trim_start_matches('#').len() } else { 0 };
    let start = usize::from(is_raw) + hashes;
    let end = written.len().checked_sub(hashes + 1)?;
    let is_string = start < end && written[start..].starts_with('"') && written.get(end..)?.starts_with('"');
    is_string.then_some((start + 1..end, is_raw))
}

/// Each character of a literal's value and where it is written, and whether
/// all could be read. The end of a line is one character, as rustc has it.
fn characters(content: &str, is_raw: bool, mut each: impl FnMut(Range<usize>, char)) -> bool {
    let mut is_whole = true;
    let each = |range: Range<usize>, sign: Result<char, rustc_literal_escaper::EscapeError>| match sign {
        Ok(sign) => each(range, sign),
        Err(_) if content[range.start..].starts_with("\r\n") => {}
        Err(problem) => is_whole &= !problem.is_fatal(),
    };
    if is_raw {
        check_raw_str(content, each);
    } else {
        unescape_str(content, each);
    }
    is_whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn source(cell: u64, text: &str) -> Source {
        Source { cell, name: format!("cell {cell}"), text: text.to_owned(), first_line: 1 }
    }

    /// The lines of a literal as they are written.
    fn lines(literal: &str) -> Vec<String> {
        let source = source(1, literal);
        let texts = KernelTexts::of([&source]);
        let literal = texts.literals().next().unwrap();
        (1..).map_while(|line| literal.line(line)).map(|range| source.text[range].to_owned()).collect()
    }

    #[test]
    fn lines_of_a_literal_are_where_they_are_written() {
        assert_eq!(lines("r#\"\n  a \"b\"\n\n  c\"#"), ["", "a \"b\"", "", "c"]);
        assert_eq!(lines("\"a\\n  b\\\\n\\\n   c\nd \""), ["a", "b\\\\n\\\n   c", "d"]);
        assert_eq!(lines("\"\""), [""]);
        assert_eq!(lines("r\"a\r\n  b\""), ["a", "b"]);
    }

    #[test]
    fn words_are_found_behind_escapes_and_wide_characters() {
        let source = source(1, "let größe = 1;\nf(\"é\\t\\u{e9} = foo;\\\n   \\nb = \\\"x\");");
        let texts = KernelTexts::of([&source]);
        let literal = texts.literals().next().unwrap();
        assert_eq!(literal.value(), "é\té = foo;\nb = \"x");
        let at = |line, column| &source.text[literal.word(line, column).unwrap()];
        assert_eq!(at(1, "é\té = ".len() + 1), "foo");
        assert_eq!(at(1, "é\té ".len() + 1), "=");
        assert_eq!((at(2, 1), at(2, 5), at(2, 6)), ("b", "\\\"", "x"));
        assert_eq!(at(1, 0), "é\\t\\u{e9} = foo;");
        assert_eq!((at(1, 99), at(2, 7)), ("", ""));
        assert_eq!(literal.word(2, 7).unwrap().start, literal.range().end - 1, "where the text stops");
        assert_eq!(literal.word(3, 1), None);
    }

    #[test]
    fn the_newest_literal_is_the_one_unless_there_are_two() {
        let texts = [
            source(1, "f(\"a b\")"),
            source(2, "%time f(\"a\\x20b\")"),
            source(3, "\"a\"; \"a\"; 'x'; b\"a b\""),
        ];
        let texts = KernelTexts::of(&texts);
        assert_eq!(texts.holding("a b", &[]).unwrap().cell(), 2);
        assert!(texts.holding("a", &[]).is_none());
        assert!(texts.holding("x", &[]).is_none());
        assert!(texts.holding(" ", &[]).is_none());
    }

    #[test]
    fn company_tells_short_texts_apart() {
        let texts = [
            source(1, "new(\"float *x\", \"foo\", \"one\"); new(\"float *x\", \"foo\", \"two\")"),
            source(2, "\"foo\"; \"two\""),
        ];
        let kernels = KernelTexts::of(&texts);
        for name in ["one", "two"] {
            let found = kernels.holding("foo", &[name]).unwrap();
            assert!(texts[0].text[found.range().end..].starts_with(&format!(", \"{name}\"")));
        }
        assert_eq!(kernels.holding("foo", &["three"]).unwrap().cell(), 2);
    }

    proptest! {
        /// However a text is written, its value and its places are right.
        #[test]
        fn literals_are_read_as_rustc_reads_them(text in "[ -~éß\n\t]{0,40}") {
            for written in [format!("{text:?}"), format!("r##\"{text}\"##")] {
                let source = source(1, &format!("é({written})"));
                let texts = KernelTexts::of([&source]);
                let literal = texts.literals().next().unwrap();
                prop_assert_eq!(literal.value(), &text);
                for (at, sign) in text.char_indices() {
                    let range = literal.place(at..at + sign.len_utf8());
                    let part = &source.text[range];
                    let escaped = sign.escape_debug().to_string();
                    prop_assert!(part == sign.to_string() || part == escaped, "{} for {:?}", part, sign);
                }
            }
        }
    }
}
