//! Variables that get another value, and values that a cell returns.

use super::Mistake;
use super::moves;
use super::place::{Kind, end_of_expression, is_name};

/// Advice about a variable.
pub(super) fn advice(mistake: &Mistake<'_>) -> Option<String> {
    match mistake.message.code() {
        "E0308" => of_return(mistake).or_else(|| of_another_type(mistake)),
        "E0384" => of_new_value(mistake),
        "E0594" if mistake.message.message.ends_with("as it is not declared as mutable") => {
            of_new_value(mistake)
        }
        _ => None,
    }
}

/// The name and the value of the assignment that a place is in, if that is a
/// statement of the cell's and not of a block's.
fn assignment<'m>(mistake: &Mistake<'m>) -> Option<(&'m str, &'m str)> {
    let before = mistake.text.get(..mistake.range.start)?;
    if before.matches('{').count() > before.matches('}').count() {
        return None;
    }
    let (line, column) = (mistake.line(), mistake.column());
    let start = line[..column].rfind(';').map_or(0, |end| end + 1);
    let (name, value) = line[start..].split_once('=')?;
    let value = value[..end_of_expression(value, |_, _| false)].trim();
    (is_name(name.trim()) && !value.starts_with('=')).then_some((name.trim(), value))
}

/// `x = 5` where `x` is an array.
fn of_another_type(mistake: &Mistake<'_>) -> Option<String> {
    let (name, value) = assignment(mistake)?;
    (mistake.words().trim() == value)
        .then(|| format!("a variable keeps its type; `let` makes another one: `let {name} = {value};`"))
}

/// `x = x + 1` where `x` is not `mut`.
fn of_new_value(mistake: &Mistake<'_>) -> Option<String> {
    let (name, value) = assignment(mistake)?;
    let value = moves::lent(value, &|word| mistake.scope.kind(word) == Kind::Array);
    Some(format!("or make another one: `let {name} = {value};`"))
}

/// `return 5`
fn of_return(mistake: &Mistake<'_>) -> Option<String> {
    let is_cell = mistake
        .labels()
        .any(|label| label.starts_with("expected `Result<(), ") && label.contains("CellError>`"));
    let before = mistake.line()[..mistake.column()].trim_end();
    (is_cell && before.ends_with("return")).then(|| {
        format!(
            "a cell's value is its last expression: `{}`; `return Ok(())` ends a cell early",
            mistake.words().trim()
        )
    })
}
