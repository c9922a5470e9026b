//! The texts of the items that kernels are made of, as cells bring them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::device::rust::RustLines;

/// An item of the user's, as it is to be compiled for a device.
#[derive(Clone, Copy, Debug)]
pub struct DeviceItem {
    /// Its text, whole lines.
    pub text: &'static str,
    /// Where each of its lines comes from: which of the texts, and the line there
    /// from one; zero for a line that no user has written.
    pub lines: &'static [(u32, u32)],
}

/// What a kernel may be made of: a function or a type, and the items that it
/// reaches, by their places in the list, in order.
pub type DeviceRoot = (&'static str, &'static [usize]);

/// What a cell brings.
struct Known {
    texts: &'static [&'static str],
    items: &'static [DeviceItem],
    roots: &'static [DeviceRoot],
}

/// What cells have brought, the newest last; and what was put together.
static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());
static ASSEMBLED: Mutex<Option<HashMap<String, Arc<Assembled>>>> = Mutex::new(None);

/// Texts put together: one for each that was ever needed, so that its address
/// stands for it.
pub(super) struct Assembled {
    pub(super) text: String,
    pub(super) lines: RustLines,
}

/// Makes the items of a cell known; cells call it before their own statements.
#[doc(hidden)]
pub fn known_items(
    texts: &'static [&'static str],
    items: &'static [DeviceItem],
    roots: &'static [DeviceRoot],
) {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    // A cell in a loop brings the same again.
    if known.last().is_some_and(|last| std::ptr::eq(last.roots, roots)) {
        return;
    }
    known.push(Known { texts, items, roots });
}

/// The items behind a function, and behind the types that its instance names;
/// none if no cell has brought it.
pub(super) fn assembled(function: &str, mentioned: &[&str]) -> Option<Arc<Assembled>> {
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let newest = known.iter().rev().find(|known| known.roots.iter().any(|(name, _)| *name == function))?;
    let is_mentioned = |name: &str| {
        mentioned.iter().any(|text| {
            let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
            text.split(|c: char| !is_part(c)).any(|word| word.strip_prefix("crate::") == Some(name))
        })
    };
    let mut numbers: Vec<usize> = newest
        .roots
        .iter()
        .filter(|(name, _)| *name == function || is_mentioned(name))
        .flat_map(|(_, items)| items.iter().copied())
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    let (mut text, mut lines) = (String::new(), RustLines::default());
    let mut sources: Vec<Vec<String>> = vec![Vec::new(); newest.texts.len()];
    for item in numbers.into_iter().map(|number| newest.items[number]) {
        text.push_str(item.text);
        for (line, (source, number)) in item.text.lines().zip(item.lines) {
            lines.lines.push((*number > 0).then_some((*source as usize, *number as usize)));
            if *number > 0 {
                let of = &mut sources[*source as usize];
                of.resize(of.len().max(*number as usize), String::new());
                let known = &mut of[*number as usize - 1];
                *known = together(known, line);
            }
        }
    }
    lines.texts = newest
        .texts
        .iter()
        .map(|name| (*name).to_owned())
        .zip(sources.iter().map(|of| of.join("\n")))
        .collect();
    Some(intern(text, lines))
}

/// A line of which two items stand: each has blanks where the other is.
fn together(one: &str, other: &str) -> String {
    let length = one.chars().count().max(other.chars().count());
    let (mut one, mut other) = (one.chars(), other.chars());
    let mut line = String::new();
    for _ in 0..length {
        let (a, b) = (one.next().unwrap_or(' '), other.next().unwrap_or(' '));
        line.push(if a == ' ' { b } else { a });
    }
    line
}

/// The one copy of a text.
fn intern(text: String, lines: RustLines) -> Arc<Assembled> {
    let mut all = ASSEMBLED.lock().unwrap_or_else(PoisonError::into_inner);
    let all = all.get_or_insert_default();
    // Where the same text stands elsewhere now, its lines do.
    let key = format!("{text}\0{:?}", lines.lines);
    Arc::clone(all.entry(key).or_insert_with(|| Arc::new(Assembled { text, lines })))
}

/// The text of no items.
pub(super) fn nothing() -> Arc<Assembled> {
    intern(String::new(), RustLines::default())
}

/// Some items and a function around a text of the user's, which starts at a line
/// of one of the texts.
pub(super) fn with_function(
    items: &Assembled,
    before: &str,
    own: &str,
    after: &str,
    place: (&str, usize),
) -> Arc<Assembled> {
    let (mut text, mut lines) = (items.text.clone(), items.lines.clone());
    let source = lines.texts.iter().position(|(name, _)| name == place.0).unwrap_or_else(|| {
        lines.texts.push((place.0.to_owned(), String::new()));
        lines.texts.len() - 1
    });
    text.push_str(before);
    text.push('\n');
    lines.lines.push(None);
    let mut known: Vec<String> = lines.texts[source].1.lines().map(str::to_owned).collect();
    for (k, line) in own.lines().enumerate() {
        let number = place.1 + k;
        known.resize(known.len().max(number), String::new());
        if known[number - 1].trim().is_empty() {
            known[number - 1] = line.to_owned();
        }
        lines.lines.push(Some((source, number)));
        text.push_str(line);
        text.push('\n');
    }
    lines.texts[source].1 = known.join("\n");
    text.push_str(after);
    text.push('\n');
    lines.lines.push(None);
    intern(text, lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_one_line_are_shown_together() {
        assert_eq!(together("struct A;", "          fn f() {}"), "struct A; fn f() {}");
        assert_eq!(together("", "    é;"), "    é;");
    }
}
