//! Python's operators that are words or have other signs: `p and q`, `a @ b`.

use super::super::numpy;
use super::super::place::{Kind, Scope, operand};
use super::conditions::{conditions, membership};
use super::{Found, after_word, around_word, expression};

/// Operators that are words: `p and q`, `not p`, `x is None`, `1 in v`, and
/// `a @ b`, `~p`.
pub(super) fn operators(scope: &Scope<'_>, line: &str) -> Option<Found> {
    let of = expression(line);
    let of = of.strip_prefix("if ").map_or(of, |rest| rest.split('{').next().unwrap_or(rest).trim());
    let is_array = |text: &str| {
        let text = text.trim().trim_start_matches('(');
        let text = text.split([' ', '>', '<', '=']).next().unwrap_or_default();
        scope.kind(text) == Kind::Array
    };
    let term = |text: &str| match compared(text).filter(|_| is_array(text)) {
        Some(compared) => compared,
        None if is_array(text) => format!("&{}", operand(text)),
        None => text.trim().to_owned(),
    };
    // At the start of a cell `!` begins a command of the system.
    let is_first = line.trim_start().starts_with(of);
    let first = |code: String| if is_first && code.starts_with('!') { format!("({code})") } else { code };
    for (word, many) in [("and", "&"), ("or", "|")] {
        if let Some((left, right)) = around_word(of, word) {
            let is_of_arrays = is_array(left) || is_array(right);
            let help = if is_of_arrays && (scope.is_of_fractions(left) || scope.is_of_fractions(right)) {
                let left = operand(&term(left));
                format!("write `{left}.logical_{word}({})`", lent(&term(right)))
            } else if is_of_arrays {
                format!("write `{} {many} {}`", term(left), term(right))
            } else {
                match conditions(scope, of) {
                    Some(code) => format!("write `{}`", first(code)),
                    None => {
                        format!("`{word}` between conditions is `{many}{many}`: `1 < 2 {many}{many} 2 < 3`")
                    }
                }
            };
            return Some(Found::named(line, of, format!("`{word}`"), help));
        }
    }
    if let Some(rest) = after_word(of, "not") {
        let help = match scope.kind(rest) == Kind::Array && (scope.type_of)(rest.trim()).is_some() {
            true if scope.is_of_fractions(rest) => format!("write `{}.logical_not()`", operand(rest)),
            true => format!("write `{}`", first(format!("!{}", term(rest)))),
            false => match conditions(scope, of) {
                Some(code) => format!("write `{}`", first(code)),
                None => "the opposite of a condition is `(!true)`".to_owned(),
            },
        };
        return Some(Found::named(line, of, "`not`".to_owned(), help));
    }
    for word in ["is not", "is", "not in", "in"] {
        if of.starts_with("for ") || around_word(of, word).is_none() {
            continue;
        }
        let help = match (membership(scope, of), word) {
            (Some(code), "is" | "is not") if code.ends_with("()") => {
                format!("what may be missing is an `Option`: `{code}`")
            }
            (Some(code), _) => format!("write `{}`", first(code)),
            (None, "is" | "is not") => "values are compared by `==` and `!=`: `1 + 1 == 2`".to_owned(),
            (None, _) => "whether a list has a value says `[1, 2].contains(&1)`".to_owned(),
        };
        return Some(Found::named(line, of, format!("`{word}`"), help));
    }
    if let Some((left, right)) = of.split_once(" @ ") {
        let (left, right) = (operand(left), operand(right));
        let call = numpy::form(scope, "matmul", &[&left, &right])?;
        return Some(Found::named(line, of, "`@`".to_owned(), call));
    }
    let at = line.find('~')?;
    let after = line[at + 1..].trim_start();
    let operand = after.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    let code = format!("{}{operand}", if is_array(operand) { "!&" } else { "!" });
    let code = if line[..at].trim().is_empty() { first(code) } else { code };
    Some(Found::new(line, &line[at..=at], format!("write `{code}`")))
}

fn lent(text: &str) -> String {
    if text.starts_with('&') { text.to_owned() } else { format!("&{text}") }
}

/// A comparison as the method of an array: `a.gt(2.0)`.
pub(super) fn compared(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(text);
    for (sign, method) in [(">=", "ge"), ("<=", "le"), ("==", "eq"), ("!=", "ne"), (">", "gt"), ("<", "lt")] {
        if let Some((left, right)) = text.split_once(sign) {
            let right = right.trim();
            let lend = if right.starts_with(|c: char| c.is_ascii_digit() || c == '-') { "" } else { "&" };
            return Some(format!("{}.{method}({lend}{right})", operand(left)));
        }
    }
    None
}
