//! The text of a crate and where its lines come from.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::items::KeptItem;
use super::shape::Home;

/// What a line of the generated text is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// Ours.
    Generated,
    /// A line of a user's cell, counted from zero.
    User { cell: u64, line: usize },
    /// Takes a variable.
    Take(String),
    /// Puts a new variable.
    Put(String),
    /// Keeps a new variable, or a moved one, if the cell ends early.
    Rescue(String),
    /// Puts a taken variable back.
    PutBack(String),
    /// Shows the cell's value.
    Show,
    /// Drops a variable that is not kept, before others are put.
    End(String),
}

/// The text of a crate and where its lines come from.
#[derive(Debug, Default)]
pub(super) struct Generated {
    pub(super) text: String,
    /// Whether [`HEAD`](super::generate::HEAD) is part of the text; else it stands before it.
    pub(super) is_whole: bool,
    pub(super) origins: Vec<Origin>,
    /// The items in it, by their place among those of the session.
    pub(super) items: Vec<usize>,
    /// The first line of each of them, from zero, and the line after its last.
    pub(super) item_lines: Vec<Range<usize>>,
    /// Lines that are a name of a `use`, rewritten.
    pub(super) leaf_lines: BTreeSet<usize>,
    /// Lines, from zero, of the user's that have words written into them: the columns of these, from one, and their
    /// lengths, in order.
    inserted: BTreeMap<usize, Vec<(usize, usize)>>,
}

impl Generated {
    pub(super) fn line(&mut self, origin: Origin, text: &str) {
        debug_assert!(!text.contains('\n'));
        self.text.push_str(text);
        self.text.push('\n');
        self.origins.push(origin);
    }

    /// The item that a line belongs to.
    pub(super) fn item_at(&self, line: usize) -> Option<usize> {
        let k = self.item_lines.iter().position(|lines| lines.contains(&line))?;
        Some(self.items[k])
    }

    pub(super) fn ours(&mut self, text: &str) {
        self.line(Origin::Generated, text);
    }

    /// The cell, line and column, from zero, zero and one, of the value that
    /// is shown after a line.
    pub(super) fn shown(&self, line: usize) -> Option<(u64, usize, usize)> {
        let (Origin::User { cell, line: of_user }, text) =
            (self.origins.get(line)?, self.text.split('\n').nth(line)?)
        else {
            return None;
        };
        let column = text.chars().take_while(|c| *c == ' ').count() + 1;
        Some((*cell, *of_user, column))
    }

    /// A text of the user's, its first line moved to its own column.
    pub(super) fn user(&mut self, text: &str, cell: u64, first_line: usize, column: usize) {
        for (k, line) in text.split('\n').enumerate() {
            let origin = Origin::User { cell, line: first_line + k };
            if k == 0 {
                self.line(origin, &format!("{}{line}", " ".repeat(column)));
            } else {
                self.line(origin, line);
            }
        }
    }

    /// A text of the user's with words written into it before places in it, where no line can stand between: suffixes
    /// of numbers.
    pub(super) fn user_with(
        &mut self,
        text: &str,
        words: &[(usize, &str)],
        cell: u64,
        first_line: usize,
        column: usize,
    ) {
        let first = self.origins.len();
        let mut written = String::with_capacity(text.len() + 3 * words.len());
        let mut done = 0;
        for (at, word) in words {
            written.push_str(&text[done..*at]);
            let (line, before) = match written.rsplit_once('\n') {
                Some((above, before)) => (above.matches('\n').count() + 1, before.chars().count()),
                None => (0, column + written.chars().count()),
            };
            self.inserted.entry(first + line).or_default().push((before + 1, word.chars().count()));
            written.push_str(word);
            done = *at;
        }
        written.push_str(&text[done..]);
        self.user(&written, cell, first_line, column);
    }

    /// The user's column of a column in a line: the line is counted from zero, columns from one.
    pub(super) fn users_column(&self, line: usize, column: usize) -> usize {
        let inserted = self.inserted.get(&line).into_iter().flatten();
        let before = inserted.filter(|(start, _)| *start < column);
        column - before.map(|(start, length)| (*length).min(column - start)).sum::<usize>()
    }

    /// An item of the session's, in a module of its own if it needs one.
    ///
    /// What has to be written into it stands on lines between, so that the
    /// user's text keeps its columns.
    ///
    /// `hiding` are names that are imported one by one: those of macros that
    /// the compiler knows by itself, which `*` does not hide.
    pub(super) fn item(&mut self, item: &KeptItem, hiding: &[&str]) {
        let Some(home) = &item.home else {
            return self.user(&item.text, item.cell, item.line, item.column);
        };
        let is_module = item.identity.home == Home::Renamed;
        if !is_module {
            let (_, own) = item.key.split_once(':').unwrap_or_default();
            let named = hiding.iter().filter(|name| **name != own).copied().collect::<Vec<_>>().join(", ");
            self.ours(&format!("mod {home} {{ use super::*; use super::{{{named}}};"));
        }
        let written = if is_module { home } else { "pub(super)" };
        let (mut line, mut column, mut at) = (item.line, item.column, 0);
        for place in item.private.iter().map(Some).chain([None]) {
            let end = place.map_or(item.text.len(), |place| place.start);
            let part = &item.text[at..end];
            self.user(part, item.cell, line, column);
            if let Some(place) = place {
                self.ours(written);
                at = place.end;
                let passed = &item.text[end..at];
                for text in [part, passed] {
                    match text.rsplit_once('\n') {
                        Some((before, last)) => {
                            line += before.matches('\n').count() + 1;
                            column = last.chars().count();
                        }
                        None => column += text.chars().count(),
                    }
                }
            }
        }
        let visibility = &item.identity.visibility;
        match (item.identity.home, item.key.split_once(':')) {
            (Home::Within, Some((_, name))) => {
                self.ours(&format!("}} {visibility} use {home}::{};", spelled(name)))
            }
            (Home::Renamed, Some((_, name))) => {
                self.ours(&format!("{visibility} use {home} as {};", spelled(name)))
            }
            _ => self.ours("}"),
        }
    }
}

/// A name as it can be written: a keyword needs `r#`.
pub(super) fn spelled(name: &str) -> String {
    if syn::parse_str::<syn::Ident>(name).is_ok() { name.to_owned() } else { format!("r#{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_without_what_is_written_into_a_line() {
        let mut written = Generated::default();
        written.ours("{");
        written.user_with("f(1, é, 2);\n g(3) + x", &[(3, "i32"), (10, "f64"), (17, "i32")], 7, 0, 2);
        assert_eq!(written.text, "{\n  f(1i32, é, 2f64);\n g(3i32) + x\n");
        for (line, column, expected) in [
            (1, 3, 3),
            (1, 6, 6),
            (1, 7, 6),
            (1, 9, 6),
            (1, 11, 8),
            (1, 18, 12),
            (2, 5, 5),
            (2, 12, 9),
            (0, 1, 1),
        ] {
            assert_eq!(written.users_column(line, column), expected, "{line}:{column}");
        }
    }
}
