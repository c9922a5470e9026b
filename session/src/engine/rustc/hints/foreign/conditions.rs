//! What Python asks after `if`, `while` and `not`: each is to be a `bool` in Rust.

use super::super::place::{Kind, Scope, closing, is_name, operand, parts};
use super::expressions::{bare, plain, quotes};
use super::words::compared;
use super::{after_word, around_word, iterators};

/// What is asked after `if` and `while`, as Rust has it; none if that is not sure.
pub(in super::super) fn conditions(scope: &Scope<'_>, text: &str) -> Option<String> {
    joined(scope, &quotes(scope, text.trim())?, true)
}

/// Conditions between `and`, `or` and `not`. Of those that are asked, each is to be a `bool`.
pub(super) fn joined(scope: &Scope<'_>, text: &str, is_asked: bool) -> Option<String> {
    for (word, sign) in [("or", "||"), ("and", "&&")] {
        if let Some((left, right)) = around_word(text, word) {
            let (left, right) = (joined(scope, left, true)?, joined(scope, right, true)?);
            return Some(format!("{left} {sign} {right}"));
        }
    }
    if let Some(rest) = after_word(text, "not") {
        let asked = joined(scope, rest, true)?;
        // `not v` of a list, which is true where it is not empty.
        return Some(match asked.strip_prefix('!').filter(|rest| operand(rest) == **rest) {
            Some(rest) => rest.to_owned(),
            None => format!("!{}", operand(&asked)),
        });
    }
    if let Some(found) = membership(scope, text) {
        return Some(found);
    }
    if let Some((first, second)) = chained(text) {
        return Some(format!("{} && {}", plain(scope, first.trim())?, plain(scope, second.trim())?));
    }
    if is_asked { truth(scope, text) } else { plain(scope, text) }
}

/// `x in v`, `x is None`
pub(super) fn membership(scope: &Scope<'_>, text: &str) -> Option<String> {
    for (word, sign) in [("is not", "is_some"), ("is", "is_none")] {
        if let Some((left, right)) = around_word(text, word) {
            let left = plain(scope, left)?;
            return Some(match right {
                "None" => format!("{}.{sign}()", operand(&left)),
                right => {
                    format!("{left} {} {}", if word == "is" { "==" } else { "!=" }, plain(scope, right)?)
                }
            });
        }
    }
    for (word, sign) in [("not in", "!"), ("in", "")] {
        if let Some((left, right)) = around_word(text, word) {
            return Some(format!("{sign}{}", contained(scope, left, right)?));
        }
    }
    None
}

fn contained(scope: &Scope<'_>, left: &str, right: &str) -> Option<String> {
    let left = plain(scope, left)?;
    let is_text = left.starts_with('"') || scope.kind(&left) == Kind::Text;
    let lent = if left.starts_with('"') { left.clone() } else { format!("&{}", operand(&left)) };
    if let Some(inner) = right.strip_prefix("range(").and_then(|rest| rest.strip_suffix(')')) {
        return Some(format!("({}).contains({lent})", iterators::range(scope, &parts(inner))?));
    }
    let right = plain(scope, right)?;
    let of = if is_name(&right) { (scope.type_of)(&right).unwrap_or_default() } else { String::new() };
    let on = operand(&right);
    Some(match scope.kind(&right) {
        Kind::Array => format!("{on}.to_vec().contains({lent})"),
        Kind::Text if left.starts_with('"') => format!("{on}.contains({left})"),
        Kind::Text => format!("{on}.contains({}.as_str())", operand(&left)),
        Kind::Sequence if is_text && of.contains("String") => {
            format!("{on}.iter().any(|text| text == {left})")
        }
        Kind::Sequence => format!("{on}.contains(&{})", operand(&left)),
        _ if of.contains("Map<") => format!("{on}.contains_key({lent})"),
        _ => format!("{on}.contains({lent})"),
    })
}

/// The halves of `0 < x < 5`: `0 < x` and `x < 5`.
fn chained(text: &str) -> Option<(&str, &str)> {
    let places = comparisons(text);
    let [first, second] = places[..] else { return None };
    let (middle, end) = (first.0 + first.1, second.0);
    (!text[middle..end].trim().is_empty()).then(|| (&text[..end], &text[middle..]))
}

/// The comparisons of a text outside of brackets and quotes, and their lengths.
pub(super) fn comparisons(text: &str) -> Vec<(usize, usize)> {
    let bare = bare(text);
    let (mut depth, mut at, mut found) = (0, 0, Vec::new());
    while let Some(c) = bare[at..].chars().next() {
        let rest = &bare[at..];
        let length = match c {
            '(' | '[' | '{' | '|' => {
                depth += 1;
                0
            }
            ')' | ']' | '}' => {
                depth -= 1;
                0
            }
            _ if rest.starts_with("<<") || rest.starts_with(">>") || rest.starts_with("->") => 2,
            _ if ["<=", ">=", "==", "!="].iter().any(|sign| rest.starts_with(sign)) => {
                found.extend((depth == 0).then_some((at, 2)));
                2
            }
            '<' | '>' => {
                found.extend((depth == 0).then_some((at, 1)));
                1
            }
            _ => 0,
        };
        at += length.max(c.len_utf8());
    }
    found
}

/// What is asked of a value, which is true of a list that is not empty and of a number that is not 0.
fn truth(scope: &Scope<'_>, text: &str) -> Option<String> {
    let text = text.trim();
    // `x > 1`, `(x > 1).all()`
    let end = [".all()", ".any()"].into_iter().find(|end| text.ends_with(end));
    let whole = end.and_then(|end| text.strip_suffix(end)).unwrap_or(text);
    let inner = whole.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let inner = inner.filter(|inner| closing(inner, '(', ')').is_none()).unwrap_or(whole);
    if comparisons(inner).len() == 1
        && let Some(compared) = compared(inner).filter(|_| is_of_array(scope, inner))
    {
        return Some(format!("{compared}{}.item()", end.unwrap_or(".any()")));
    }
    let meant = plain(scope, text)?;
    if scope.kind(&meant) == Kind::Array && comparisons(&meant).is_empty() {
        let is_reduced = [".all()", ".any()"].iter().any(|end| meant.ends_with(end));
        return Some(format!("{}{}.item()", operand(&meant), if is_reduced { "" } else { ".any()" }));
    }
    if meant.starts_with('"') && meant.ends_with('"') {
        return Some(format!("!{meant}.is_empty()"));
    }
    if meant.ends_with(".len()") {
        return Some(format!("{meant} > 0"));
    }
    if !is_name(&meant) {
        return Some(match meant.parse::<i64>() {
            Ok(number) => (number != 0).to_string(),
            Err(_) => meant,
        });
    }
    let of = (scope.type_of)(&meant).unwrap_or_default();
    let is_collection = ["Map<", "Set<"].iter().any(|word| of.contains(word));
    Some(match (scope.kind(&meant), scope.number(&meant).as_deref()) {
        (_, Some("bool")) => meant,
        (_, Some(of)) if of.trim_start_matches('{').starts_with('f') => format!("{meant} != 0.0"),
        (_, Some(_)) => format!("{meant} != 0"),
        (Kind::Sequence | Kind::Text, _) => format!("!{meant}.is_empty()"),
        (Kind::Other, _) if is_collection => format!("!{meant}.is_empty()"),
        (Kind::Other, _) if of.starts_with("Option<") => format!("{meant}.is_some()"),
        _ => meant,
    })
}

/// Whether what is compared first is an array.
fn is_of_array(scope: &Scope<'_>, text: &str) -> bool {
    let left = text.split(['<', '>', '=', '!']).next().unwrap_or_default();
    scope.kind(left.trim()) == Kind::Array
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(test: impl FnOnce(&Scope<'_>)) {
        let type_of = |name: &str| match name {
            "a" => Some("GpuArray<f64>".to_owned()),
            "v" => Some("Vec<i32>".to_owned()),
            "n" => Some("i32".to_owned()),
            "f" => Some("f64".to_owned()),
            "s" => Some("String".to_owned()),
            "names" => Some("Vec<&str>".to_owned()),
            "words" => Some("Vec<String>".to_owned()),
            "d" => Some("HashMap<&str, i32>".to_owned()),
            "flag" => Some("bool".to_owned()),
            _ => None,
        };
        test(&Scope { type_of: &type_of });
    }

    #[test]
    fn conditions_are_of_one_truth() {
        scope(|scope| {
            for (text, expected) in [
                ("n in v", "v.contains(&n)"),
                ("n not in v", "!v.contains(&n)"),
                ("'a' in names", "names.contains(&\"a\")"),
                ("'a' in words", "words.iter().any(|text| text == \"a\")"),
                ("'a' in d", "d.contains_key(\"a\")"),
                ("'a' in s", "s.contains(\"a\")"),
                ("1.0 in a", "a.to_vec().contains(&1.0)"),
                ("n in range(5)", "(0..5).contains(&n)"),
                ("not flag", "!flag"),
                ("not n > 2", "!(n > 2)"),
                ("0 < n < 5", "0 < n && n < 5"),
                ("n > 1 and f > 1.0", "n > 1 && f > 1.0"),
                ("v", "!v.is_empty()"),
                ("n", "n != 0"),
                ("len(v)", "v.len() > 0"),
                ("a > 1", "a.gt(1).any().item()"),
                ("a.all()", "a.all().item()"),
                ("(a > 1).all()", "a.gt(1).all().item()"),
                ("o is None", "o.is_none()"),
                ("o is not None", "o.is_some()"),
                ("x > 2", "x > 2"),
                ("True", "true"),
            ] {
                assert_eq!(conditions(scope, text).as_deref(), Some(expected), "{text}");
            }
            assert_eq!(conditions(scope, "any(x > 1 for x in v)"), None);
        });
    }
}
