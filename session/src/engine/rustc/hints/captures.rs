//! Closures that are called after their cell, which therefore own what they use.

use super::Mistake;
use super::place::{Call, Kind, is_name, is_part, parts};

/// Functions that keep the closure they are given.
const KEEPING: &[&str] = &["animate", "interact", "on_open"];

/// Names for clones, the first that are free.
const COPIES: &[&str] = &["y", "z", "own", "other", "third", "fourth"];

/// `interact(|k: f64| (&x * k).sum(), 0.0..1.0)`: with `move` alone the cell would lose `x`.
pub(super) fn advice(mistake: &Mistake<'_>) -> Option<String> {
    if !["E0373", "E0521", "E0597"].contains(&mistake.message.code()) {
        return None;
    }
    let call = keeping(mistake.text, mistake.range.start)?;
    let whole = mistake.text.get(call.range.clone())?;
    let (head, closure) = whole.split_once('|')?;
    let names = captured(mistake, closure);
    let keyword = if head.trim_end().ends_with("move") { "" } else { "move " };
    let path = if mistake.text[..call.range.start].ends_with("comm::") { "comm::" } else { "" };
    const WHY: &str = "the closure is called after its cell, so it owns what it uses";
    // Numbers are copied.
    if names.is_empty() {
        return Some(match whole.contains('\n') {
            true => format!("{WHY}: write `move` before `|`"),
            false => format!("{WHY}: `{path}{head}{keyword}|{closure}`"),
        });
    }
    let is_free = |copy: &&&str| (mistake.scope.type_of)(copy).is_none() && !has_word(mistake.text, copy);
    let copies: Vec<&str> = COPIES.iter().filter(is_free).take(names.len()).copied().collect();
    if copies.len() < names.len() {
        return Some(format!("{WHY}: a clone of `{}`, made before it, with `move` before `|`", names[0]));
    }
    let clones: Vec<String> =
        names.iter().zip(&copies).map(|(name, copy)| format!("let {copy} = {name}.clone();")).collect();
    let listed: Vec<String> = copies.iter().map(|copy| format!("`{copy}`")).collect();
    let first = format!(
        "{WHY}: `{}` first, then `move` before `|`, and {} in it",
        clones.join(" "),
        listed.join(" and ")
    );
    if whole.contains('\n') {
        return Some(first);
    }
    let closure =
        names.iter().zip(&copies).fold(closure.to_owned(), |text, (name, copy)| replaced(&text, name, copy));
    Some(format!("{first}: `{} {path}{head}{keyword}|{closure}`", clones.join(" ")))
}

/// The call of a function that keeps a closure, around a place.
fn keeping(text: &str, at: usize) -> Option<Call<'_>> {
    let before = text.get(..at)?;
    let opens = before.char_indices().rev().filter(|(_, c)| *c == '(').map(|(open, _)| open);
    opens
        .filter_map(|open| Call::at(text, open))
        .find(|call| KEEPING.contains(&call.name) && call.range.contains(&at) && call.arguments.is_some())
}

/// The variables in a closure that are not copied, by the text from its parameters on.
fn captured<'m>(mistake: &Mistake<'m>, closure: &'m str) -> Vec<&'m str> {
    let (parameters, body) = closure.split_once('|').unwrap_or(("", closure));
    let parameters: Vec<&str> =
        parts(parameters).iter().map(|text| text.split(':').next().unwrap_or(text).trim()).collect();
    let own = mistake.quoted();
    let mut names: Vec<&str> = Vec::new();
    for (at, word) in words(body) {
        let is_known = match (mistake.scope.type_of)(word) {
            Some(_) => mistake.scope.kind(word) != Kind::Number,
            None => word == own,
        };
        let is_field = body[..at].ends_with('.') && !body[..at].ends_with("..");
        if is_name(word) && is_known && !is_field && !parameters.contains(&word) && !names.contains(&word) {
            names.push(word);
        }
    }
    names
}

/// The words of a text and their places.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let start = text.as_ptr() as usize;
    let words = text.split(|c: char| !is_part(c)).filter(|word| !word.is_empty());
    words.map(move |word| (word.as_ptr() as usize - start, word))
}

fn has_word(text: &str, word: &str) -> bool {
    words(text).any(|(_, own)| own == word)
}

/// A text with another name for a variable, in the braces of a format as well; a field of the name stays.
fn replaced(text: &str, name: &str, by: &str) -> String {
    let (mut meant, mut end) = (String::new(), 0);
    for (at, word) in words(text).filter(|(_, word)| *word == name) {
        let is_field = text[..at].ends_with('.') && !text[..at].ends_with("..");
        meant.push_str(&text[end..at]);
        meant.push_str(if is_field { word } else { by });
        end = at + word.len();
    }
    meant + &text[end..]
}
