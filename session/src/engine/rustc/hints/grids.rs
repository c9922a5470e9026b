//! Several axes: what `subplots` returns is one value, where Matplotlib returns a figure and its axes.

use super::keywords::pixels;
use super::place::{Call, closing, is_name, parts, receiver_start};
use super::settings::{self, SHOWN};
use super::{Mistake, said};

/// Methods of several axes, which a misspelt name may be near to.
const OWN: &[&str] =
    &["height_ratios", "sharex", "sharex_col", "sharey", "sharey_row", "suptitle", "theme", "width_ratios"];

/// Advice about several axes.
pub(super) fn advice(mistake: &Mistake<'_>) -> Option<String> {
    match mistake.message.code() {
        "E0308" => of_tuple(mistake),
        "E0599" if mistake.message.message.contains("Subplots`") => of_method(mistake),
        "E0608" if mistake.message.message.contains("`Figure`") => of_index(mistake),
        "E0609" if mistake.message.message == "no field `flat` on type `Subplots`" => of_method(mistake),
        "E0624" => of_private(mistake),
        _ => None,
    }
}

/// `subplots(nrows=2, ncols=1, sharex=True)` as it is written here.
pub(super) fn several(call: &Call<'_>) -> String {
    let positional = call.positional();
    let rows = call.keyword("nrows").or(positional.first().copied()).unwrap_or("1");
    let columns = call.keyword("ncols").or(positional.get(1).copied()).unwrap_or("1");
    let mut text = format!("subplots({rows}, {columns})");
    for keyword in ["sharex", "sharey"] {
        if call.keyword(keyword).is_some_and(|value| !["False", "false"].contains(&value)) {
            text.push_str(&format!(".{keyword}()"));
        }
    }
    if let Some(size) = call.keyword("figsize").and_then(pixels) {
        text.push_str(&format!(".size({size})"));
    }
    text
}

/// `let (fig, axes) = subplots(1, 2);`
fn of_tuple(mistake: &Mistake<'_>) -> Option<String> {
    let is_axes = mistake.labels().any(|label| label.starts_with("expected `Subplots`, found `(_, _"));
    if !is_axes {
        return None;
    }
    let line = mistake.line();
    let names = parts(mistake.words().trim().strip_prefix('(')?.strip_suffix(')')?);
    let name = names.last().copied().filter(|name| is_name(name)).unwrap_or("axes");
    let call = Call::at(mistake.text, mistake.line_start() + line.find("subplots")?)?;
    Some(format!(
        "it is one value: `let {name} = {};`; axes are `{name}[(0, 0)]` and so on, and `{name}.suptitle(\"..\")` is the title \
         of all",
        several(&call)
    ))
}

/// `axes[0][1]`
fn of_index(mistake: &Mistake<'_>) -> Option<String> {
    let before = mistake.text.get(..mistake.range.start)?;
    let on = &before[receiver_start(before)..];
    let (name, row) = on.strip_suffix(']')?.rsplit_once('[')?;
    let column = mistake.text.get(mistake.range.start..)?.strip_prefix('[')?;
    let column = &column[..closing(column, '[', ']')?];
    let is_number = |text: &str| !text.is_empty() && !text.contains(['(', '[', ',']);
    (is_number(row) && is_number(column))
        .then(|| said("axes are found by their row and column", &format!("{name}[({row}, {column})]")))
}

/// `axes.plot(&x)`, `axes.flatten()`, `axes.set_title("a")`
fn of_method(mistake: &Mistake<'_>) -> Option<String> {
    let call = Call::at(mistake.text, mistake.range.end.min(mistake.text.len()))
        .or_else(|| Call::at(mistake.text, mistake.range.start))?;
    let on = call.on.unwrap_or("axes");
    let all = call.positional().join(", ");
    let said_by_compiler = mistake.all();
    let near =
        said_by_compiler.split_once("there is a method `").and_then(|(_, rest)| rest.split('`').next());
    if near.is_some_and(|near| OWN.contains(&near)) {
        return None;
    }
    Some(match call.name {
        "show" => SHOWN.to_owned(),
        "savefig" => format!("they are written by `{on}.save({all})?`"),
        "tight_layout" | "constrained_layout" | "subplots_adjust" => {
            "nothing is needed: labels have room by themselves".to_owned()
        }
        "flat" | "flatten" | "ravel" | "reshape" => {
            format!("one after the other they are `{on}.iter()`, and `{on}[0]`, `{on}[1]` and so on")
        }
        "title" | "set_title" => of_title(on, &all),
        "set_size_inches" => {
            let size = pixels(&format!("({all})")).or_else(|| pixels(&all));
            said("in pixels", &format!("{on}.size({})", size.as_deref().unwrap_or("800, 600")))
        }
        name => {
            let calls = settings::form(&call).map(|(_, calls)| calls);
            let calls = calls.unwrap_or_else(|| format!(".{name}({all})"));
            said("axes are found by their row and column", &format!("{on}[(0, 0)]{calls}"))
        }
    })
}

fn of_title(on: &str, all: &str) -> String {
    format!("the title of all is `{on}.suptitle({all})`, of one `{on}[(0, 0)].title({all})`")
}

/// `axes.title("x")`: there is a method of this name, which is not for users.
fn of_private(mistake: &Mistake<'_>) -> Option<String> {
    let call = Call::at(mistake.text, mistake.range.start).filter(|call| call.name == "title")?;
    let on = call.on?;
    let is_axes = (mistake.scope.type_of)(on).is_some_and(|of| of.trim_start_matches('&') == "Subplots")
        || mistake.text.contains("subplots(")
        || mistake.text.contains("subplot_mosaic(");
    is_axes.then(|| of_title(on, &call.positional().join(", ")))
}
