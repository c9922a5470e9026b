//! Tables: `describe` and `columns`, which take arrays.

use super::Mistake;
use super::place::{Call, Kind, Scope, is_name, operand, parts};

/// What is advised where the arrays are not known.
const GENERAL: &str = "`columns(((\"x\", &gpu![1, 2]), (\"y\", &gpu![3, 4])))`";

/// Advice about a table.
pub(super) fn advice(mistake: &Mistake<'_>) -> Option<String> {
    let said = &mistake.message.message;
    match mistake.message.code() {
        "E0277" if said.contains("tables::Columns` is not satisfied") => {
            let before = mistake.text.get(..mistake.range.start)?;
            of_columns(mistake, &Call::at(mistake.text, before.rfind("columns(")?)?)
        }
        "E0061" => of_columns(mistake, &Call::at(mistake.text, mistake.range.start)?),
        _ => None,
    }
}

/// `columns(&v)`, `columns(x, y)`, `columns((("v", &v),))`
fn of_columns(mistake: &Mistake<'_>, call: &Call<'_>) -> Option<String> {
    if call.name != "columns" || call.on.is_some() {
        return None;
    }
    let arguments = call.arguments.as_ref()?;
    let list = match &arguments[..] {
        [only] => inner(only).unwrap_or_else(|| vec![*only]),
        all => all.to_vec(),
    };
    // `columns(("v", &v))` is one pair.
    let list = match &list[..] {
        [name, array] if name.starts_with('"') && !array.starts_with('"') => {
            vec![arguments.first().copied()?]
        }
        _ => list,
    };
    let pairs: Option<Vec<String>> = list
        .iter()
        .map(|text| {
            let pair = inner(text);
            match pair.as_deref() {
                Some([name, array]) if name.starts_with('"') => {
                    Some(format!("({name}, {})", lent(mistake.scope, array)?))
                }
                Some(_) => None,
                None => {
                    let name = text.trim_start_matches('&').trim();
                    is_name(name).then_some(())?;
                    Some(format!("(\"{name}\", {})", lent(mistake.scope, name)?))
                }
            }
        })
        .collect();
    let form = match pairs.filter(|pairs| !pairs.is_empty()).as_deref() {
        Some([only]) => format!("`columns(({only},))`"),
        Some(pairs) => format!("`columns(({}))`", pairs.join(", ")),
        None => GENERAL.to_owned(),
    };
    Some(format!("it takes pairs of a name and an array: {form}"))
}

/// The parts of a tuple.
fn inner(text: &str) -> Option<Vec<&str>> {
    text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).map(parts)
}

/// An array, lent: what the host has is copied to the device.
fn lent(scope: &Scope<'_>, text: &str) -> Option<String> {
    let bare = text.trim_start_matches('&').trim();
    let list = bare.strip_prefix("vec!").unwrap_or(bare);
    match scope.kind(bare) {
        _ if list.starts_with('[') => Some(format!("&gpu!{list}")),
        Kind::Sequence => Some(format!("&to_gpu(&{})", operand(bare))),
        Kind::Array => Some(format!("&{}", operand(bare))),
        _ => None,
    }
}
