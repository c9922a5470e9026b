//! Arrays that an operator or a list takes, and the same expression with them lent.

use super::Mistake;
use super::place::{Kind, closing, end_of_expression, is_name, operand};

/// Functions that take one list of arrays.
pub(super) const JOINING: &[&str] =
    &["concatenate", "stack", "hstack", "vstack", "dstack", "column_stack", "meshgrid"];

const SIGNS: &[char] = &['+', '-', '*', '/', '%', '^', '|', '&'];

/// `let n = x / x.max();`: the first use takes the array, and nothing is left for the second.
pub(super) fn of_taken(mistake: &Mistake<'_>) -> Option<String> {
    // What is shown last may be the whole cell.
    let name = if is_name(mistake.words()) { mistake.words() } else { mistake.quoted() };
    let is_array =
        is_name(name) && (mistake.scope.kind(name) == Kind::Array || mistake.all().contains("GpuArray<"));
    let is_bound =
        [format!("|{name}|"), format!("|{name},")].iter().any(|bound| mistake.text.contains(bound));
    if !is_array || is_bound {
        return None;
    }
    let is_move =
        |text: &str| text.ends_with("value moved here") || text.ends_with("moved due to usage in operator");
    let taken = mistake.marks.iter().find(|mark| is_move(&mark.text))?;
    let statement = statement(mistake.text, taken.range.start)?;
    let is_own = |word: &str| word == name || mistake.scope.kind(word) == Kind::Array;
    let meant = lent(statement, &is_own);
    if meant != statement {
        return Some(format!("an operator on an array itself consumes it; `{meant}` borrows it"));
    }
    let is_joining = JOINING.iter().any(|function| statement.contains(&format!("{function}(")));
    let meant = lent_at(statement, &is_own, is_in_list);
    (is_joining && meant != statement)
        .then(|| format!("a list takes the arrays that are not lent; `{meant}` borrows them"))
}

/// The statement of a line that a place is in.
fn statement(text: &str, at: usize) -> Option<&str> {
    let (mut start, mut quote) = (0, false);
    for (place, c) in text.get(..at)?.char_indices() {
        match c {
            '"' => quote = !quote,
            '\n' | ';' | '{' if !quote => start = place + 1,
            _ => {}
        }
    }
    let line = text[start..].lines().next()?;
    Some(line[..end_of_expression(line, |_, _| false)].trim())
}

/// An expression whose arrays are lent where they are operands: `&b[1] + 2.0` for `b[1] + 2.0`.
pub(super) fn lent(expression: &str, is_array: &dyn Fn(&str) -> bool) -> String {
    lent_at(expression, is_array, is_operand)
}

fn lent_at(text: &str, is_array: &dyn Fn(&str) -> bool, is_taken: fn(&str, &str) -> bool) -> String {
    let mut result = String::new();
    let mut quote = false;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        quote ^= c == '"';
        let length: usize =
            text[at..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').map(char::len_utf8).sum();
        let end = at + length;
        let (before, name) = (&text[..at], &text[at..end]);
        let is_whole =
            is_name(name) && !before.ends_with(['.', '&', ':', '\'']) && !before.ends_with("&mut ");
        if !quote && is_whole && is_array(name) && is_taken(before.trim_end(), after_indices(&text[end..])) {
            result.push('&');
        }
        let step = length.max(c.len_utf8());
        result.push_str(&text[at..at + step]);
        at += step;
    }
    result
}

/// What follows the indices that a text starts with.
fn after_indices(mut text: &str) -> &str {
    while let Some(inner) = text.strip_prefix('[') {
        let Some(end) = closing(inner, '[', ']') else { break };
        text = &inner[end + 1..];
    }
    text.trim_start()
}

/// Whether what stands between two texts is an operand of an operator.
fn is_operand(before: &str, after: &str) -> bool {
    let is_assigned = |text: &str| text.starts_with('=') && !text.starts_with("==");
    let is_left = after.starts_with(SIGNS) && !is_assigned(&after[1..]);
    let is_right = before.strip_suffix('=').unwrap_or(before).ends_with(SIGNS);
    let is_path = after.starts_with(['.', '(', ':', '!', '?', '[']);
    !is_path && (is_left || is_right)
}

/// Whether what stands between two texts is a part of a list.
fn is_in_list(before: &str, after: &str) -> bool {
    before.ends_with(['(', '[', ',']) && after.starts_with([')', ']', ','])
}

/// What is read for one number: `x[i].item()`, `(&x[i] * 2.0).item()`.
pub(super) fn read(mistake: &Mistake<'_>, expression: &str) -> String {
    let meant = lent(expression, &|word| mistake.scope.kind(word) == Kind::Array);
    let bare = operand(&meant);
    // An operand is lent by its call.
    let whole = if meant.contains(' ') { format!("({meant})") } else { bare };
    format!("{whole}.item()")
}

/// `q + q`: the first use takes the array.
pub(super) fn of_second_use(mistake: &Mistake<'_>) -> Option<String> {
    let name = mistake.words();
    let before = mistake.line().get(..mistake.column())?.trim_end();
    let sign = ["<<", ">>", "+", "-", "*", "/", "%", "^", "&", "|"]
        .into_iter()
        .find(|sign| before.ends_with(sign))?;
    let left = super::operators::left_side(before[..before.len() - sign.len()].trim_end());
    is_name(name).then(|| {
        let left =
            if left == name { format!("&{left}") } else { left.replacen(name, &format!("&{name}"), 1) };
        format!("an operator on an array itself consumes it; `{left} {sign} &{name}` borrows it")
    })
}

/// `a.dot(a)`
pub(super) fn of_argument(mistake: &Mistake<'_>) -> Option<String> {
    let (before, after) = mistake.line().split_at_checked(mistake.column())?;
    let is_own = before.contains(&format!("{}.", mistake.words())) && before.trim_end().ends_with(['(', ',']);
    is_own.then(|| format!("an array is lent by `&`: `{}&{}`", before.trim_start(), after.trim_end()))
}

/// `f.launch(1, 4, (&mut a, a.size()))`: what is written cannot be asked for its length in the same call.
pub(super) fn of_length(mistake: &Mistake<'_>) -> Option<String> {
    let name = mistake.words();
    let rest = mistake.text.get(mistake.range.end..)?.strip_prefix('.')?;
    let method = ["len", "size", "shape", "nbytes", "ndim"]
        .into_iter()
        .find(|method| rest.strip_prefix(method).is_some_and(|rest| rest.starts_with("()")))?;
    let is_written = mistake.line().contains(&format!("&mut {name}"));
    (is_name(name) && is_written)
        .then(|| format!("an array that a call writes is asked before it: `let n = {name}.{method}();`"))
}

/// `z += &z`, `z += z`. What is advised is right for all types.
pub(super) fn of_itself(mistake: &Mistake<'_>) -> Option<String> {
    let words = mistake.line();
    let code = words.trim().trim_end_matches(';');
    let (name, value) = ["+=", "-=", "*=", "/=", "%="].iter().find_map(|sign| code.split_once(sign))?;
    let (name, value) = (name.trim(), value.trim());
    let bare = value.trim_start_matches('&').trim();
    (bare == name).then(|| {
        let meant = code.replacen(value, &format!("{name}.clone()"), 1);
        let meant = if value.len() == bare.len() && code.starts_with(value) {
            format!("{}{}.clone()", &code[..code.len() - value.len()], name)
        } else {
            meant
        };
        format!("it cannot be read while it is written: `{meant}`; the clone of an array shares its memory")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_lent() {
        let is_array = |word: &str| ["x", "b"].contains(&word);
        for (text, expected) in [
            ("(x - x.mean()) / x.std()", "(&x - x.mean()) / x.std()"),
            ("let n = x / x.sum() * x", "let n = &x / x.sum() * &x"),
            ("b[1] + 2.0", "&b[1] + 2.0"),
            ("&b[1] + 2.0", "&b[1] + 2.0"),
            ("b[1].item() + 2.0", "b[1].item() + 2.0"),
            ("let t = x", "let t = x"),
            ("\"x + x\", xs + s.x", "\"x + x\", xs + s.x"),
            ("x += x", "x += &x"),
        ] {
            assert_eq!(lent(text, &is_array), expected);
        }
        assert_eq!(lent_at("concatenate((x, b))", &is_array, is_in_list), "concatenate((&x, &b))");
    }

    #[test]
    fn statements_are_found() {
        let text = "let z = f();\nlet mut y = z; let n = z / z.max(); n";
        assert_eq!(statement(text, text.find("z /").unwrap()), Some("let n = z / z.max()"));
        let text = "println!(\"{}\", x / x.max())";
        assert_eq!(statement(text, text.find("x /").unwrap()), Some(text));
        assert_eq!(statement("fn f(v: A) { v / v.max() }", 13), Some("v / v.max()"));
    }
}
