//! Places: from the lines of a compiled text to those of the user's.

use std::collections::BTreeSet;

use super::compile::{Message, Span};
use super::finding::Broken;
use super::generate::{Generated, Origin, Preferred};
use super::hints;

/// Looks up what generated lines are.
pub(super) struct Map<'a> {
    pub(super) generated: &'a Generated,
    pub(super) file: &'a str,
    /// The cell being compiled.
    pub(super) cell: u64,
}

impl Map<'_> {
    /// The origin of a place: through macros to where they are called, and
    /// the first line of the user's of those that it covers.
    pub(super) fn origin(&self, span: &Span) -> Origin {
        match self.in_file(span) {
            Some(span) => self.lines(span).0,
            None => Origin::Generated,
        }
    }

    /// A place within the compiled file: a macro's call, not its definition.
    pub(super) fn in_file<'s>(&self, span: &'s Span) -> Option<&'s Span> {
        let mut span = span;
        while span.file_name != self.file {
            span = &span.expansion.as_ref()?.span;
        }
        Some(span)
    }

    pub(super) fn lines(&self, span: &Span) -> (Origin, usize) {
        let of = |line: usize| self.generated.origins.get(line.wrapping_sub(1)).unwrap_or(&Origin::Generated);
        let covered = span.line_start..=span.line_end;
        let users = covered.clone().find(|line| matches!(of(*line), Origin::User { .. }));
        // Of our own lines the first counts.
        let line = users.unwrap_or(span.line_start);
        (of(line).clone(), line)
    }

    /// The user's column of a column in a line of the generated text, all counted from one.
    pub(super) fn column(&self, line: usize, column: usize) -> usize {
        self.generated.users_column(line.wrapping_sub(1), column)
    }

    /// The macro call of an earlier cell that a place was written by.
    pub(super) fn earlier_call(&self, span: &Span, message: &str) -> Option<Broken> {
        let mut call = &span.expansion.as_ref()?.span;
        while let Some(outer) = &call.expansion {
            call = &outer.span;
        }
        if call.file_name != self.file {
            return None;
        }
        let Origin::User { cell, line } = self.lines(call).0 else { return None };
        let item = self.generated.item_at(call.line_start.checked_sub(1)?)?;
        (cell != self.cell).then(|| Broken { item: Some(item), cell, line, message: message.to_owned() })
    }

    /// The item of an earlier cell that a place is in.
    pub(super) fn earlier_item(&self, span: &Span, message: &str) -> Option<Broken> {
        if span.expansion.is_some() || span.file_name != self.file {
            return None;
        }
        let Origin::User { cell, line } = self.lines(span).0 else { return None };
        let item = self.generated.item_at(span.line_start.checked_sub(1)?)?;
        (cell != self.cell).then(|| Broken { item: Some(item), cell, line, message: message.to_owned() })
    }

    /// The item of an earlier cell that a message names beside this cell's.
    pub(super) fn conflicting_item(&self, message: &Message) -> Option<Broken> {
        let Origin::User { cell, .. } = self.primary(message) else { return None };
        if cell != self.cell {
            return None;
        }
        message.spans.iter().find_map(|span| {
            let span = self.in_file(span)?;
            let (Origin::User { cell, line }, at) = self.lines(span) else { return None };
            let item = self.generated.item_at(at.checked_sub(1)?)?;
            let message = message.message.clone();
            (cell != self.cell).then_some(Broken { item: Some(item), cell, line, message })
        })
    }

    /// Where a message points to in the cell's text, in bytes.
    pub(super) fn place(&self, message: &Message, source: &str) -> Option<usize> {
        let span = self.in_file(message.spans.iter().find(|span| span.is_primary)?)?;
        match self.lines(span) {
            (Origin::User { cell, line }, at) if cell == self.cell && at == span.line_start => {
                Some(offset(source, line, self.column(at, span.column_start)))
            }
            _ => None,
        }
    }

    pub(super) fn primary(&self, message: &Message) -> Origin {
        message.spans.iter().find(|span| span.is_primary).map_or(Origin::Generated, |span| self.origin(span))
    }

    /// The line of the generated text, from zero, that a message is about.
    pub(super) fn primary_line(&self, message: &Message) -> Option<usize> {
        let span = self.in_file(message.spans.iter().find(|span| span.is_primary)?)?;
        self.lines(span).1.checked_sub(1)
    }

    /// The user's import of a name that is ambiguous because the prelude has
    /// it too: names of the prelude give way. rustc names two of the imports
    /// that bring it; of several of the user's it has to be asked again, without
    /// the prelude's.
    pub(super) fn preferred(&self, message: &Message) -> Option<Preferred> {
        let name = message.message.strip_prefix('`')?.split('`').next()?;
        let leaf = |line: usize| {
            let is_leaf = self.generated.leaf_lines.contains(&line);
            self.generated.text.split('\n').nth(line).filter(|_| is_leaf)
        };
        let globs = message.children.iter().flat_map(|child| &child.spans).filter_map(|span| {
            let line = self.in_file(span)?.line_start.checked_sub(1)?;
            leaf(line)
        });
        let globs: BTreeSet<&str> = globs.collect();
        let path = globs.first().filter(|_| globs.len() == 1)?.trim().strip_suffix("*;")?;
        let all = self.generated.leaf_lines.iter().filter_map(|line| leaf(*line));
        Some(match all.filter(|leaf| leaf.trim().ends_with("*;")).count() {
            1 => Preferred::Import(format!("{path}{name};")),
            _ => Preferred::Name(name.to_owned()),
        })
    }

    /// The new variables that a message names by their lines: those first
    /// that have to live for ever, then the last. A closure that borrows is
    /// told about in a note.
    pub(super) fn put_labels(&self, message: &Message) -> Vec<String> {
        let notes = message.children.iter().flat_map(|child| &child.spans);
        let puts = message.spans.iter().chain(notes).filter_map(|span| match self.origin(span) {
            Origin::Put(name) => {
                let is_kept = span.label.as_ref().is_some_and(|label| label.contains("'static"));
                Some((is_kept, span.line_start, name))
            }
            _ => None,
        });
        let mut puts: Vec<(bool, usize, String)> = puts.collect();
        puts.sort();
        puts.into_iter().rev().map(|(_, _, name)| name).collect()
    }
}

/// The expression that starts at a place: a panic's location is its start,
/// and all of it reads better than one character.
pub(super) fn expression_at(text: &str, line: usize, column: usize) -> std::ops::Range<usize> {
    let start = offset(text, line, column);
    let rest = &text[start..line_end(text, line).max(start)];
    // An index knows the place of its bracket: what is indexed belongs to it.
    if let Some(index) = rest.strip_prefix('[').and_then(|inner| hints::closing(inner, '[', ']')) {
        let line_start = offset(text, line, 1);
        return line_start + hints::receiver_start(&text[line_start..start])..start + index + 2;
    }
    let end = hints::end_of_expression(rest, |_, _| false);
    start..start + rest[..end].trim_end().len()
}

/// Where a name is bound last: after `let` if it is that simple, else the last
/// place that it stands at.
pub(super) fn last_word(text: &str, name: &str) -> Option<std::ops::Range<usize>> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let words = text
        .match_indices(name)
        .filter(|(at, _)| !text[..*at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part));
    let words: Vec<usize> = words.map(|(at, _)| at).collect();
    let is_bound = |at: &&usize| {
        let before = text[..**at].trim_end();
        before.ends_with("let") || before.ends_with("let mut")
    };
    let at = *words.iter().rev().find(is_bound).or_else(|| words.last())?;
    Some(at..at + name.len())
}

/// The place of a line and a column in characters, from zero and one.
pub(super) fn offset(text: &str, line: usize, column: usize) -> usize {
    let start = text.split_inclusive('\n').take(line).map(str::len).sum::<usize>();
    let rest = &text[start.min(text.len())..];
    let line = rest.split('\n').next().unwrap_or("");
    start + line.char_indices().nth(column.saturating_sub(1)).map_or(line.len(), |(at, _)| at)
}

pub(super) fn line_end(text: &str, line: usize) -> usize {
    let start = text.split_inclusive('\n').take(line).map(str::len).sum::<usize>();
    start + text[start.min(text.len())..].split('\n').next().unwrap_or("").len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_characters() {
        let text = "a\nléon x\nb";
        assert_eq!(&text[offset(text, 1, 6)..], "x\nb");
        assert_eq!(offset(text, 1, 99), line_end(text, 1));
        assert_eq!(offset(text, 7, 1), text.len());
    }

    #[test]
    fn an_expression_ends_where_its_statement_does() {
        let text = "let x = f(g(1), \"a\");\n v[3]";
        assert_eq!(&text[expression_at(text, 0, 9)], "f(g(1), \"a\")");
        assert_eq!(&text[expression_at(text, 0, 11)], "g(1)");
        assert_eq!(&text[expression_at(text, 1, 2)], "v[3]");
        assert_eq!(&text[expression_at(text, 1, 3)], "v[3]");
        assert_eq!(expression_at(text, 9, 9), text.len()..text.len());
    }
}
