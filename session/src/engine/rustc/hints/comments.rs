//! `a // 2`: Python's division is a comment here, and what stands before it is
//! the whole line.

use std::ops::Range;

use super::arithmetic::fraction;
use super::place::{Kind, Scope, is_name, operand, receiver_start};

/// A comment that was meant as a division, and what is written for it.
pub(in super::super) fn division(scope: &Scope<'_>, text: &str) -> Option<(Range<usize>, String)> {
    if !text.contains("//") {
        return None;
    }
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some((range, help)) = in_line(scope, line.trim_end()) {
            return Some((start + range.start..start + range.end, help));
        }
        start += line.len();
    }
    None
}

fn in_line(scope: &Scope<'_>, line: &str) -> Option<(Range<usize>, String)> {
    let at = line.find("//")?;
    let (before, after) = (line[..at].trim_end(), line[at + 2..].trim().trim_end_matches([';', ')']));
    // Within a text, or after a statement's end, or a comment of words.
    let is_code = before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | ']'))
        && before.matches('"').count().is_multiple_of(2)
        && !line[at + 2..].starts_with(['/', '!']);
    if !is_code {
        return None;
    }
    let (left, is_number) = (&before[receiver_start(before)..], after.parse::<f64>().is_ok());
    let (of_left, of_right) = (scope.kind(left), scope.kind(after));
    let is_known = |kind: Kind| matches!(kind, Kind::Array | Kind::Number);
    let is_division = is_known(of_left) && (is_number || (is_name(after) && is_known(of_right)));
    if !is_division || left.is_empty() {
        return None;
    }
    let is_negative = is_sign(before[..before.len() - left.len()].trim_end());
    let left = match (is_negative, of_left) {
        (true, Kind::Array) => format!("(-&{})", operand(left)),
        (true, _) => format!("-{left}"),
        (false, _) => operand(left),
    };
    let help = match of_left {
        Kind::Array => {
            let lend = if of_right == Kind::Array { "&" } else { "" };
            format!("`//` begins a comment; whole quotients of arrays are `{left}.floor_div({lend}{after})`")
        }
        _ => format!("`//` begins a comment; whole quotients are `{}`", quotient(scope, &left, after)),
    };
    Some((at..line.len(), help))
}

/// Whether a text ends with the sign of what follows it, and not with a difference.
fn is_sign(before: &str) -> bool {
    let Some(head) = before.strip_suffix('-') else { return false };
    let head = head.trim_end();
    head.is_empty()
        || head.ends_with(['=', '(', '[', '{', ',', ';', '+', '-', '*', '/', '%', '&', '|', '<', '>'])
}

/// A whole quotient of numbers, by their types.
fn quotient(scope: &Scope<'_>, left: &str, right: &str) -> String {
    let (of_left, of_right) = (scope.number(left), scope.number(right));
    let is_float =
        |of: &Option<String>| of.as_deref().is_some_and(|of| of.trim_start_matches('{').starts_with('f'));
    if is_float(&of_left) || is_float(&of_right) {
        return format!("f64::floor({} / {})", fraction(scope, left), fraction(scope, right));
    }
    let of = [of_left, of_right].into_iter().flatten().find(|of| !of.starts_with('{'));
    // Rounding down is this one's where the divisor is positive.
    let (left, right) = match right.strip_prefix('-') {
        Some(right) => (left.strip_prefix('-').map_or_else(|| format!("-{left}"), str::to_owned), right),
        None => (left.to_owned(), right),
    };
    format!("{}::div_euclid({left}, {right})", of.as_deref().unwrap_or("i32"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisions_are_told_from_comments() {
        let type_of = |name: &str| match name {
            "i" | "j" => Some("GpuArray<i32>".to_owned()),
            "x" => Some("i32".to_owned()),
            "n" => Some("i64".to_owned()),
            "f" => Some("f64".to_owned()),
            _ => None,
        };
        let scope = Scope { type_of: &type_of };
        for (text, help) in [
            ("&i // 2", "`i.floor_div(2)`"),
            ("let q = 1;\nlet k = &i // j;", "`i.floor_div(&j)`"),
            ("x // 2", "`i32::div_euclid(x, 2)`"),
            ("7 // 2", "`i32::div_euclid(7, 2)`"),
            ("n // 2", "`i64::div_euclid(n, 2)`"),
            ("1e3 // 7", "`f64::floor(1e3 / 7.0)`"),
            ("f // n", "`f64::floor(f / n as f64)`"),
            ("-7 // 2", "`i32::div_euclid(-7, 2)`"),
            ("let q = -x // 2;", "`i32::div_euclid(-x, 2)`"),
            ("10 - x // 2", "`i32::div_euclid(x, 2)`"),
            ("7 // -2", "`i32::div_euclid(-7, 2)`"),
            ("-7 // -2", "`i32::div_euclid(7, 2)`"),
            ("-1e3 // 7", "`f64::floor(-1e3 / 7.0)`"),
            ("-i // 2", "`(-&i).floor_div(2)`"),
        ] {
            let (_, found) = division(&scope, text).unwrap_or_else(|| panic!("{text}"));
            assert!(found.contains(help), "{text}: {found}");
        }
        for text in [
            "let x = 1; // 2",
            "x // twice",
            "f(x) // 3 times",
            "\"a // 2\"",
            "// 2",
            "x /// 2",
            "let v = vec![ // 2\n1];",
        ] {
            assert_eq!(division(&scope, text), None, "{text}");
        }
    }
}
