//! Operators on lists and texts: what Python does with them, and what arrays do.

use super::Mistake;
use super::place::{Kind, operand, parts};

/// `[1, 2] + [3]`, `[0] * 5`: what Python does with lists, and what arrays do.
pub(super) fn advice(mistake: &Mistake<'_>, left: &str, sign: &str, right: &str) -> Option<String> {
    let is_list = |text: &str| mistake.scope.kind(text) == Kind::Sequence;
    // As it is written in one line: `[1, 2]`.
    let list = |text: &str| match text.trim_start_matches('&').strip_prefix('[') {
        Some(inner) => format!("[{}]", parts(inner.strip_suffix(']').unwrap_or(inner)).join(", ")),
        None => operand(text),
    };
    match sign {
        "+" if is_list(left) && is_list(right) => {
            let is_number = |text: &str| {
                let of = mistake.scope.element(text).or_else(|| super::foreign::literal_element(text));
                of.is_some_and(|of| super::types::is_number(&of))
            };
            let (left, right) = (list(left), list(right));
            let joined = format!("Python joins lists by `+`: `[&{left}[..], &{right}].concat()`");
            if !is_number(&left) && !left.starts_with("vec!") {
                return Some(joined);
            }
            let only = right.strip_prefix('[').and_then(|inner| inner.strip_suffix(']'));
            let other = match only.filter(|inner| !inner.contains([',', '[']) && !inner.is_empty()) {
                Some(only) => only.to_owned(),
                None => on_device(mistake, &right),
            };
            Some(format!("{joined}; an array's sum is `{} + {other}`", on_device(mistake, &left)))
        }
        "*" if is_list(left) && mistake.scope.number(right).is_some_and(|of| !of.contains('f')) => {
            let left = list(left);
            let is_size =
                right.parse::<usize>().is_ok() || mistake.scope.number(right).as_deref() == Some("usize");
            let count = if is_size { right.to_owned() } else { format!("{} as usize", operand(right)) };
            Some(format!(
                "Python repeats lists by `*`: `{left}.repeat({count})`; an array's product is `{} * {right}`",
                on_device(mistake, &left)
            ))
        }
        _ => None,
    }
}

/// `"-" * 3`, `3 * "-"`
pub(super) fn of_repeated(mistake: &Mistake<'_>, left: &str, right: &str) -> Option<String> {
    let (text, count) = if mistake.scope.kind(right) == Kind::Text { (right, left) } else { (left, right) };
    let is_size = count.parse::<usize>().is_ok() || mistake.scope.number(count).as_deref() == Some("usize");
    let count = if is_size { count.to_owned() } else { format!("{} as usize", operand(count)) };
    Some(format!("a string is repeated by `{}.repeat({count})`", operand(text)))
}

/// A list of the host as an array.
pub(super) fn on_device(mistake: &Mistake<'_>, list: &str) -> String {
    match list.trim_start_matches('&') {
        list if list.starts_with('[') => format!("gpu!{list}"),
        list if mistake.scope.kind(list) == Kind::Sequence => format!("to_gpu(&{})", operand(list)),
        list => list.to_owned(),
    }
}
