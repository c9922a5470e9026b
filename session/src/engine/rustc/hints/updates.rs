//! Operators that write what they compute: `i /= 2`, `s += x[i]`.

use super::operators::{lent, sides};
use super::place::{end_of_expression, operand};
use super::{Mistake, moves};

/// `i /= 2`, `h += &d`, `a[0] += 1.0`
pub(super) fn advice(mistake: &Mistake<'_>) -> Option<String> {
    if !mistake.all().contains("GpuArray") {
        return None;
    }
    let (left, sign, right) = sides(mistake)?;
    let (name, sign) = (operand(left), sign.strip_suffix('=')?);
    if let Some(types) = number_and_array(mistake) {
        return into_number(mistake, &name, sign, types);
    }
    let value = lent(mistake, right);
    if sign == "/" && mistake.message.code() == "E0368" {
        return Some(format!(
            "dividing integers gives f64: `let {name} = &{name} / {value};`; `{name} = {name}.floor_div({value});` keeps \
             integers"
        ));
    }
    let of = mistake.scope.element(left);
    let into = of.map_or(String::new(), |of| {
        format!("; `{name} {sign}= {}.astype({of});` rounds to {of}", operand(right))
    });
    // Rounding to whole numbers loses too much to be advised.
    let into = if into.ends_with("f32") || into.ends_with("f16") { into } else { String::new() };
    Some(format!(
        "an operation in place keeps the array's type; a new array has the common one: `let {name} = &{name} {sign} {value};`{into}"
    ))
}

/// The types of `s += x[i]`, if `s` is a number and the other one an array of numbers.
fn number_and_array<'m>(mistake: &Mistake<'m>) -> Option<(&'m str, &'m str)> {
    let said = &mistake.message.message;
    let mut types: Vec<&str> = said.split('`').skip(1).step_by(2).collect();
    // "cannot add-assign `right` to `left`", "cannot multiply-assign `left` by `right`".
    if said.contains("cannot add") || said.contains("cannot subtract") {
        types.reverse();
    }
    let [number, array] = types[..] else { return None };
    if !array.contains("GpuArray<") || !super::types::is_number(number) && !number.starts_with('{') {
        return None;
    }
    Some((number, array.split_once('<')?.1.trim_end_matches('>')))
}

/// `s += x[i]` of a number `s`.
fn into_number(mistake: &Mistake<'_>, name: &str, sign: &str, (number, of): (&str, &str)) -> Option<String> {
    if !super::types::is_number(of) {
        return None;
    }
    let after = mistake.line().get(mistake.column()..)?.strip_prefix(sign)?.strip_prefix('=')?.trim_start();
    let read = moves::read(mistake, after[..end_of_expression(after, |_, _| false)].trim());
    let is_float = |of: &str| of.trim_start_matches('{').starts_with('f');
    if is_float(of) && !is_float(number) {
        return Some(format!(
            "`{read}` reads the only element of an array, of `{of}`: `{name}` has to be one too"
        ));
    }
    let cast = if number.starts_with('{') || number == of { String::new() } else { format!(" as {number}") };
    Some(format!("`.item()` reads the only element of an array: `{name} {sign}= {read}{cast}`"))
}
