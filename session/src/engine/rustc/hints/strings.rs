//! Texts: methods and formats of Python's.

use super::Mistake;
use super::place::{Call, Kind, receiver_start};

/// Methods of Python's texts: `{on}` is the text, `{a}` the argument or what stands behind it here.
#[rustfmt::skip]
const METHODS: &[(&str, &str, &str)] = &[
    ("upper", "", "`{on}.to_uppercase()`"),
    ("lower", "", "`{on}.to_lowercase()`"),
    ("casefold", "", "`{on}.to_lowercase()`"),
    ("lstrip", "", "`{on}.trim_start()`"),
    ("rstrip", "", "`{on}.trim_end()`"),
    ("startswith", "\"a\"", "`{on}.starts_with({a})`"),
    ("endswith", "\"a\"", "`{on}.ends_with({a})`"),
    ("index", "\"a\"", "`{on}.find({a})`, which may find nothing"),
    ("count", "\"a\"", "`{on}.matches({a}).count()`"),
    ("isdigit", "", "`{on}.chars().all(|c| c.is_ascii_digit())`"),
    ("isalpha", "", "`{on}.chars().all(|c| c.is_alphabetic())`"),
    ("isspace", "", "`{on}.chars().all(|c| c.is_whitespace())`"),
    ("splitlines", "", "`{on}.lines().collect::<Vec<_>>()`"),
    ("encode", "", "`{on}.as_bytes()`"),
    ("zfill", "5", "`format!(\"{:0>{a}}\", {on})`"),
    ("ljust", "5", "`format!(\"{:<{a}}\", {on})`"),
    ("rjust", "5", "`format!(\"{:>{a}}\", {on})`"),
    ("center", "5", "`format!(\"{:^{a}}\", {on})`"),
];

/// Advice about a text.
pub(super) fn advice(mistake: &Mistake<'_>) -> Option<String> {
    let said = &mistake.message.message;
    match mistake.message.code() {
        "" if said.starts_with("prefix `f` is unknown") => of_prefix(mistake),
        "E0061" => of_split(mistake),
        "E0369" if said.starts_with("cannot calculate the remainder of `&") && said.contains("str`") => {
            let line = mistake.line();
            let text = line[line.find('"')?..].trim().trim_end_matches(';');
            Some(super::foreign::format_advice(mistake.scope, text))
        }
        "E0599" if is_of_text(said) => of_method(mistake),
        _ => None,
    }
}

/// Whether a message is about a text that has no such method.
fn is_of_text(said: &str) -> bool {
    said.contains("str` in the current scope")
        || said.contains("`String` in the current scope")
        || said.contains("`&String` in the current scope")
        || said.contains("str` is not an iterator")
        || said.contains("`String` is not an iterator")
}

/// The text that a method is called on: a literal, or an expression.
fn receiver(text: &str, at: usize) -> Option<&str> {
    let on = text.get(..at)?.trim_end().strip_suffix('.')?;
    let on = match on.strip_suffix('"') {
        Some(body) => &on[body.rfind('"')?..],
        None => &on[receiver_start(on)..],
    };
    (!on.is_empty()).then_some(on)
}

fn of_method(mistake: &Mistake<'_>) -> Option<String> {
    let call = Call::at(mistake.text, mistake.range.start)?;
    let name_start = mistake.text.get(..call.range.end)?.rfind(&format!("{}(", call.name))?;
    let on = receiver(mistake.text, name_start)?;
    let argument = call.arguments.as_ref()?.first().copied();
    let scope = mistake.scope;
    match call.name {
        "join" => {
            let texts = argument.and_then(|list| super::foreign::joined_texts(scope, on, list));
            let texts = texts.unwrap_or_else(|| format!("[\"a\", \"b\"].join({on})"));
            Some(format!("it is a method of the list: `{texts}`"))
        }
        "format" => {
            let start = on.as_ptr() as usize - mistake.text.as_ptr() as usize;
            Some(super::foreign::format_advice(scope, mistake.text.get(start..call.range.end)?))
        }
        "strip" => Some(match argument {
            None => format!("write `{on}.trim()`"),
            Some(signs) => format!("write `{on}.trim_matches(|c: char| {signs}.contains(c))`"),
        }),
        name => {
            let (_, other, form) = METHODS.iter().find(|(known, _, _)| *known == name)?;
            let value = argument.unwrap_or(other);
            Some(super::written(form.replace("{on}", on).replace("{a}", value)))
        }
    }
}

/// `"a b".split()`
fn of_split(mistake: &Mistake<'_>) -> Option<String> {
    let call = Call::at(mistake.text, mistake.range.start).filter(|call| call.name == "split")?;
    let start = mistake.text.get(..call.range.end)?.rfind("split(")?;
    let on = receiver(mistake.text, start)?;
    let is_text = on.starts_with('"') || mistake.scope.kind(on) == Kind::Text;
    (is_text && call.arguments.as_ref()?.is_empty())
        .then(|| format!("write `{on}.split_whitespace().collect::<Vec<_>>()`"))
}

/// `println!(f"{n:.2f}")`
fn of_prefix(mistake: &Mistake<'_>) -> Option<String> {
    let before = mistake.text.get(..mistake.range.start)?;
    let open = before.rfind('(')?;
    let inner = &mistake.text[open + 1..];
    let inner = &inner[..super::place::closing(inner, '(', ')')?];
    let name = before[..open].trim_end();
    Some(match ["println!", "print!"].iter().any(|own| name.ends_with(own)) {
        true => {
            let help = super::foreign::print_advice(mistake.scope, inner);
            let help = help.replace("print with a macro", "a text has no `f` before it");
            if name.ends_with("println!") { help } else { help.replace("`println!", "`print!") }
        }
        false => super::foreign::format_advice(mistake.scope, inner),
    })
}
