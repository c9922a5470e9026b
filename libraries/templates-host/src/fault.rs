//! What is wrong with a template, at its place.

use minijinja::{Error, ErrorKind, Value};
use serde::Serialize;

/// A mistake in a template, or in its values.
#[derive(Debug, Serialize)]
pub struct Fault {
    /// What is wrong.
    pub message: String,
    /// Where it begins in the template, in bytes.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// What to do about it, where that is known.
    pub help: Option<String>,
}

impl Fault {
    /// An error of the engine's: the first cause of it, for what lies above says only where it was
    /// called from.
    pub(crate) fn of(error: &Error, text: &str, values: &Value) -> Fault {
        let mut cause = error;
        while let Some(next) = std::error::Error::source(cause).and_then(|next| next.downcast_ref::<Error>())
        {
            cause = next;
        }
        let range = cause.range().or_else(|| error.range()).filter(|range| range.end <= text.len());
        let range = range.unwrap_or_else(|| line(text, error.line().unwrap_or(1)));
        let at = |message: String, help: Option<String>| {
            let (start, end) = (range.start as u32, range.end as u32);
            Fault { message, start, end, help }
        };
        // Also where something else was to be made of it.
        let is_undefined = cause.detail().is_some_and(|detail| detail.ends_with("is undefined)"));
        match cause.kind() {
            kind if kind == ErrorKind::UndefinedError || is_undefined => {
                let place = name_in(&text[range.clone()]);
                let name = cause.detail().and_then(quoted).or(place).unwrap_or("a name");
                let (start, end) = match text[range.clone()].find(name) {
                    Some(found) => (range.start + found, range.start + found + name.len()),
                    None => (range.start, range.end),
                };
                Fault {
                    message: format!("`{name}` is not defined"),
                    start: start as u32,
                    end: end as u32,
                    help: Some(advice(name, values)),
                }
            }
            ErrorKind::OutOfFuel => at(
                "the template takes too long: 50 million steps".to_owned(),
                Some("write a loop of the kernel's".to_owned()),
            ),
            kind => {
                let message = match cause.detail() {
                    Some(detail) => format!("{kind}: {detail}"),
                    None => kind.to_string(),
                };
                let of_files = ["include", "import", "extends", "from", "block"];
                let is_of_files =
                    of_files.iter().any(|word| message.ends_with(&format!("unknown statement {word}")));
                let help = "a template is one text here: put texts together in Rust, or use `{% macro %}`";
                at(message, is_of_files.then(|| help.to_owned()))
            }
        }
    }
}

/// A name between backquotes or at the start of a detail.
fn quoted(detail: &str) -> Option<&str> {
    let (_, rest) = detail.split_once('`')?;
    rest.split_once('`').map(|(name, _)| name)
}

/// The name that a text is, with its attributes.
fn name_in(text: &str) -> Option<&str> {
    let is_part = |c: char| c.is_alphanumeric() || "_.".contains(c);
    let text = text.trim();
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    (end > 0).then(|| &text[..end])
}

fn line(text: &str, number: usize) -> std::ops::Range<usize> {
    let start: usize = text.split_inclusive('\n').take(number.saturating_sub(1)).map(str::len).sum();
    let start = start.min(text.len());
    let end = text[start..].find('\n').map_or(text.len(), |end| start + end);
    start..end
}

fn advice(name: &str, values: &Value) -> String {
    let known: Vec<String> =
        values.try_iter().map(|names| names.map(|name| name.to_string()).collect()).unwrap_or_default();
    let limit = (name.len() / 3).clamp(1, 3);
    let near = known
        .iter()
        .map(|other| (strsim::osa_distance(name, other), other))
        .filter(|(far, _)| *far <= limit)
        .min();
    match near {
        Some((_, near)) => format!("did you mean `{near}`?"),
        None if known.is_empty() => format!("give it a value: `context! {{ {name} => 1 }}`"),
        None => {
            let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
            format!("give it a value; there are {}", known.join(", "))
        }
    }
}
