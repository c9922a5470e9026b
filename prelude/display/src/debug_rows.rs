//! Rows of a table, read from the text that `Debug` writes of a list or a map.

use std::collections::VecDeque;
use std::fmt;

use super::tables::{AT_EACH_END, Column, MOST_ROWS, Table};

/// The elements that a `Debug` text lists: the first ones and the last ones. It is read as it
/// is written, so that a million rows take no memory.
pub(super) struct Rows {
    /// The bracket that opened the list.
    opened: Option<char>,
    depth: usize,
    quote: Option<char>,
    is_escaped: bool,
    is_closed: bool,
    is_no_list: bool,
    row: String,
    first: Vec<String>,
    last: VecDeque<String>,
    count: usize,
    /// The bytes to read, and those that have been read.
    most: usize,
    read: usize,
}

impl Rows {
    /// Rows of a text that is read up to so many bytes.
    pub(super) fn of(most: usize) -> Rows {
        Rows {
            opened: None,
            depth: 0,
            quote: None,
            is_escaped: false,
            is_closed: false,
            is_no_list: false,
            row: String::new(),
            first: Vec::new(),
            last: VecDeque::new(),
            count: 0,
            most,
            read: 0,
        }
    }
}

/// A row longer than this is no row of a table.
const LONGEST_ROW: usize = 10_000;

impl fmt::Write for Rows {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.read += text.len();
        for one in text.chars() {
            if self.is_closed {
                return Ok(());
            }
            self.read_one(one);
            if self.is_no_list || self.row.len() > LONGEST_ROW {
                self.is_no_list = true;
                return Err(fmt::Error);
            }
        }
        if self.read > self.most { Err(fmt::Error) } else { Ok(()) }
    }
}

impl Rows {
    fn read_one(&mut self, one: char) {
        if let Some(quote) = self.quote {
            self.row.push(one);
            if self.is_escaped {
                self.is_escaped = false;
            } else if one == '\\' {
                self.is_escaped = true;
            } else if one == quote {
                self.quote = None;
            }
            return;
        }
        match one {
            '[' | '{' | '(' if self.depth == 0 => {
                self.is_no_list = one == '(' || !self.row.trim().is_empty();
                self.opened = Some(one);
                self.depth = 1;
            }
            _ if self.depth == 0 => self.row.push(one),
            ']' | '}' | ')' if self.depth == 1 => {
                self.end_row();
                self.is_closed = true;
            }
            ',' if self.depth == 1 => self.end_row(),
            _ => {
                match one {
                    '[' | '{' | '(' => self.depth += 1,
                    ']' | '}' | ')' => self.depth -= 1,
                    '"' => self.quote = Some(one),
                    // One within a word is an apostrophe.
                    '\'' if !self.row.ends_with(char::is_alphanumeric) => self.quote = Some(one),
                    _ => {}
                }
                self.row.push(one);
            }
        }
    }

    fn end_row(&mut self) {
        let row = std::mem::take(&mut self.row);
        let row = row.trim();
        if row.is_empty() {
            return;
        }
        self.count += 1;
        // The first one tells.
        let is_row = || self.opened == Some('{') || row == "..." || fields(row, false).is_some();
        if self.count == 1 && !is_row() {
            self.is_no_list = true;
        }
        if self.first.len() < MOST_ROWS {
            self.first.push(row.to_owned());
        } else {
            if self.last.len() == AT_EACH_END {
                self.last.pop_front();
            }
            self.last.push_back(row.to_owned());
        }
    }

    pub(super) fn table(self) -> Option<Table> {
        if self.is_no_list || self.first.is_empty() {
            return None;
        }
        let (count, is_map) = (self.count, self.opened == Some('{'));
        let mut shown = self.first;
        let gap = (count > MOST_ROWS).then_some(AT_EACH_END);
        if gap.is_some() {
            let end = shown.split_off(MOST_ROWS.saturating_sub(AT_EACH_END));
            shown.truncate(AT_EACH_END);
            // Of the last rows those that came after the first sixty, and before them as many as are missing.
            let missing = AT_EACH_END - self.last.len().min(AT_EACH_END);
            shown.extend(end.into_iter().rev().take(missing).collect::<Vec<_>>().into_iter().rev());
            shown.extend(self.last);
        }
        let place =
            |row: usize| if gap.is_some_and(|gap| row >= gap) { count - shown.len() + row } else { row };
        let mut index: Vec<String> = (0..shown.len()).map(|row| place(row).to_string()).collect();
        let mut parsed = Vec::with_capacity(shown.len());
        for (row, text) in shown.iter().enumerate() {
            let text = match split_entry(text).filter(|_| is_map) {
                Some((key, value)) => {
                    index[row] = plain(key);
                    value
                }
                None if is_map => return None,
                None => text,
            };
            parsed.push(if text == "..." { None } else { Some(fields(text, is_map)?) });
        }
        let (of, first) = parsed.iter().flatten().next()?;
        let names: Vec<String> = first.iter().map(|(name, _)| name.clone()).collect();
        // Variants of an enumeration are no rows of one table.
        let is_alike = |row: &Fields| row.0 == *of && row.1.iter().map(|(name, _)| name).eq(&names);
        if !parsed.iter().flatten().all(is_alike) {
            return None;
        }
        // Whoever wrote the text has left rows out, and does not say how many.
        if let Some(left_out) = parsed.iter().position(Option::is_none) {
            index[left_out..].iter_mut().for_each(String::clear);
        }
        let columns = names.iter().enumerate().map(|(number, name)| Column {
            // What stands behind columns that are left out has another number.
            name: if first[..=number].iter().any(|(_, value)| value == "...") {
                String::new()
            } else {
                name.clone()
            },
            cells: parsed
                .iter()
                .map(|row| row.as_ref().map_or_else(|| "...".to_owned(), |row| row.1[number].1.clone()))
                .collect(),
        });
        let rows = parsed.iter().all(Option::is_some).then_some(count);
        Some(Table { columns: columns.collect(), index, gap, rows })
    }
}

/// The name of a row's structure, and its fields with theirs.
type Fields = (String, Vec<(String, String)>);

/// The fields of a row with their names: of a structure, a tuple, a list of plain values; of
/// a map's value, which may be anything, itself.
fn fields(text: &str, is_of_map: bool) -> Option<Fields> {
    let numbered = |values: Vec<&str>| -> Option<Vec<(String, String)>> {
        // `Point 1` is what somebody has written by hand: the commas in it separate no fields.
        if values.iter().any(|value| is_prose(value)) {
            return None;
        }
        let named = values.into_iter().enumerate().map(|(k, value)| (k.to_string(), plain(value)));
        let named: Vec<_> = named.collect();
        (!named.is_empty()).then_some(named)
    };
    let is_name =
        |name: &str| name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '<' | '>'));
    // `array([1, 2])` is no structure.
    let is_function = |name: &str| name.starts_with(char::is_lowercase);
    let mut of = "";
    let found = match text.find(['{', '(', '[']) {
        Some(at) if is_name(text[..at].trim()) && text.ends_with(['}', ')', ']']) => {
            let (name, inside) = (text[..at].trim(), &text[at + 1..text.len() - 1]);
            let parts = split(inside);
            of = name;
            match &text[at..=at] {
                "{" if !name.is_empty() => parts
                    .into_iter()
                    .map(|part| split_entry(part).map(|(name, value)| (name.to_owned(), plain(value))))
                    .collect(),
                "(" if name.is_empty() && parts.len() > 1 => numbered(parts),
                // `Some(3)` is a value, and no row.
                "(" if !name.is_empty() && !is_function(name) && parts.len() > 1 => numbered(parts),
                "[" if name.is_empty() && parts.iter().all(|part| !part.contains(['[', '{', '('])) => {
                    numbered(parts)
                }
                _ => None,
            }
        }
        _ => None,
    };
    match found {
        None if is_of_map => Some((String::new(), vec![("value".to_owned(), plain(text))])),
        found => found.map(|found| (of.to_owned(), found)),
    }
}

/// Whether a value has blanks that are in no brackets and no quotes, and do not belong to these.
fn is_prose(value: &str) -> bool {
    let blanks = places(value, ' ').filter(|range| range.end < value.len());
    blanks.map(|range| range.end + 1).any(|after| !value[after..].starts_with(['{', '(', '[']))
}

/// Parts between commas that are in no brackets and no quotes.
fn split(text: &str) -> Vec<&str> {
    places(text, ',').map(|range| text[range].trim()).filter(|part| !part.is_empty()).collect()
}

/// The name and the value of `name: value`.
fn split_entry(text: &str) -> Option<(&str, &str)> {
    for range in places(text, ':') {
        // Not within a path.
        if range.end < text.len() && text[range.end..].starts_with(": ") {
            return Some((text[..range.end].trim(), text[range.end + 1..].trim()));
        }
    }
    None
}

/// The ranges between a sign that stands in no brackets and no quotes.
fn places(text: &str, sign: char) -> impl Iterator<Item = std::ops::Range<usize>> {
    let (mut depth, mut quote, mut is_escaped, mut start) = (0_usize, None, false, 0);
    let mut ranges = Vec::new();
    for (at, one) in text.char_indices() {
        match quote {
            Some(_) if is_escaped => is_escaped = false,
            Some(_) if one == '\\' => is_escaped = true,
            Some(quoted) if one == quoted => quote = None,
            Some(_) => {}
            None => match one {
                '"' => quote = Some(one),
                '\'' if !text[..at].ends_with(char::is_alphanumeric) => quote = Some(one),
                '[' | '{' | '(' => depth += 1,
                ']' | '}' | ')' => depth = depth.saturating_sub(1),
                _ if one == sign && depth == 0 => {
                    ranges.push(start..at);
                    start = at + one.len_utf8();
                }
                _ => {}
            },
        }
    }
    ranges.push(start..text.len());
    ranges.into_iter()
}

/// A value without what `Debug` adds to texts.
fn plain(value: &str) -> String {
    let inside = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    match inside {
        Some(inside) => inside.replace("\\\"", "\"").replace("\\\\", "\\"),
        None => value.to_owned(),
    }
}
