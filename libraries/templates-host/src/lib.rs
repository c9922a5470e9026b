//! The plugin `templates`: it renders texts of Jinja's language by minijinja.
//!
//! Its functions take and return [MessagePack](https://msgpack.org) of the
//! structures below; the other side of them is `libraries/templates/`.
#![warn(missing_docs)]

mod fault;

use std::collections::BTreeSet;

use gpurepl_plugin::{Call, plugin};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::ValueKind;
use minijinja::{Environment, OutputSpanKind, UndefinedBehavior, Value};
use serde::{Deserialize, Serialize};

pub use fault::Fault;

plugin! {
    name = "templates";
    "render" => render_call,
    "variables" => variables_call,
}

/// What is to be rendered.
#[derive(Debug, Deserialize)]
pub struct Request {
    /// The template.
    pub text: String,
    /// The values of names, a map.
    pub values: Value,
}

/// What has come of it.
#[derive(Debug, Serialize)]
pub enum Answer<T> {
    /// What was asked for.
    Done(T),
    /// What is wrong with the template, or with its values.
    Fault(Fault),
}

/// A text that a template was made into.
#[derive(Debug, Serialize)]
pub struct Rendered {
    /// The text.
    pub text: String,
    /// Where its parts come from.
    pub parts: Vec<Part>,
}

/// A part of a rendered text: where it lies there, where in the template, in bytes, and whether
/// it was copied from there. Else an expression in the template has made it.
#[derive(Debug, Serialize)]
pub struct Part(pub u32, pub u32, pub u32, pub u32, pub bool);

/// Steps of the engine, after which a template is taken for one that does not end: some
/// seconds of work.
const STEPS: u64 = 50_000_000;

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    // What is not defined is a mistake, as a name that no header declares is.
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let syntax = SyntaxConfig::builder().keep_trailing_newline(true).build();
    environment.set_syntax(syntax.expect("the delimiters that every template has"));
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    environment.set_formatter(|output, state, value| match c_text(value) {
        Some(text) => output.write_str(&text).map_err(Into::into),
        None => minijinja::escape_formatter(output, state, value),
    });
    environment.set_fuel(Some(STEPS));
    environment.set_debug(true);
    environment
}

/// How C writes a value, where that is not how Python does.
fn c_text(value: &Value) -> Option<String> {
    match value.kind() {
        ValueKind::Bool => Some(if value.is_true() { "true" } else { "false" }.to_owned()),
        ValueKind::Number if !value.is_integer() => {
            let value = f64::try_from(value.clone()).ok()?;
            Some(match value {
                f64::INFINITY => "(1.0/0.0)".to_owned(),
                f64::NEG_INFINITY => "(-1.0/0.0)".to_owned(),
                _ if value.is_nan() => "(0.0/0.0)".to_owned(),
                _ => format!("{value:?}"),
            })
        }
        _ => None,
    }
}

/// Renders a template.
///
/// # Errors
///
/// If it is not one, or a value is missing or of a kind that does not fit.
pub fn render(request: &Request) -> Result<Rendered, Fault> {
    let environment = environment();
    let fault = |error| Fault::of(&error, &request.text, &request.values);
    let template = environment.template_from_str(&request.text).map_err(fault)?;
    let (text, spans) = template.render_with_spans(request.values.clone()).map_err(fault)?;
    let parts = spans.iter().map(|span| {
        let (output, source) = (span.output_range(), span.source_range());
        let is_copy = span.kind() != OutputSpanKind::Expression;
        Part(output.start as u32, output.end as u32, source.start as u32, source.end as u32, is_copy)
    });
    Ok(Rendered { parts: parts.collect(), text })
}

/// The names that a template reads, and does not set itself.
///
/// # Errors
///
/// If it is no template.
pub fn variables(text: &str) -> Result<Vec<String>, Fault> {
    let environment = environment();
    let template =
        environment.template_from_str(text).map_err(|error| Fault::of(&error, text, &Value::from(())))?;
    let known: BTreeSet<&str> = environment.globals().map(|(name, _)| name).collect();
    let names: BTreeSet<String> = template.undeclared_variables(false).into_iter().collect();
    Ok(names.into_iter().filter(|name| !known.contains(name.as_str())).collect())
}

fn render_call(call: &mut Call<'_>) -> Result<(), String> {
    let request: Request = rmp_serde::from_slice(call.input).map_err(|error| error.to_string())?;
    answer(call, render(&request))
}

fn variables_call(call: &mut Call<'_>) -> Result<(), String> {
    let text = std::str::from_utf8(call.input).map_err(|error| error.to_string())?;
    answer(call, variables(text))
}

fn answer<T: Serialize>(call: &mut Call<'_>, result: Result<T, Fault>) -> Result<(), String> {
    let answer = match result {
        Ok(done) => Answer::Done(done),
        Err(fault) => Answer::Fault(fault),
    };
    call.output = rmp_serde::to_vec(&answer).map_err(|error| error.to_string())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use minijinja::context;

    fn rendered(text: &str, values: Value) -> Rendered {
        render(&Request { text: text.to_owned(), values }).unwrap()
    }

    fn fault(text: &str, values: Value) -> (String, String, Option<String>) {
        let fault = render(&Request { text: text.to_owned(), values }).unwrap_err();
        (fault.message, text[fault.start as usize..fault.end as usize].to_owned(), fault.help)
    }

    #[test]
    fn a_part_says_where_it_comes_from() {
        let text = "a\n{% for i in range(2) -%}\n  x[{{ i + 1 }}];\n{% endfor -%}\n  b\n";
        let rendered = rendered(text, context! {});
        assert_eq!(rendered.text, "a\nx[1];\nx[2];\nb\n");
        let of = |needle: &str| {
            let at = rendered.text.find(needle).unwrap() as u32;
            let part = rendered.parts.iter().find(|part| (part.0..part.1).contains(&at)).unwrap();
            let from = if part.4 { part.2 + at - part.0 } else { part.2 };
            &text[from as usize..]
        };
        assert!(of("a\n").starts_with("a\n"));
        assert!(of("x[1").starts_with("x[{{"), "{}", of("x[1"));
        assert!(of("2];").starts_with("i + 1"), "{}", of("2];"));
        assert!(of("];\nx").starts_with("];\n"), "{}", of("];\nx"));
        assert!(of("b\n").starts_with("b\n"), "{}", of("b\n"));
    }

    #[test]
    fn numbers_and_types_are_written_as_c_has_them() {
        let values = context! { a => 1, b => 2.0, c => true, d => "float", e => u64::MAX, f => 1e300, g => f64::INFINITY };
        let text =
            "{{ a }} {{ b }} {{ c }} {{ d }} {{ e }} {{ f }} {{ a / 2 }} {{ 7 // 2 }} {{ '<&>' }} {{ g }}";
        assert_eq!(
            rendered(text, values).text,
            "1 2.0 true float 18446744073709551615 1e300 0.5 3 <&> (1.0/0.0)"
        );
    }

    #[test]
    fn mistakes_are_at_their_place() {
        let values = || context! { block_size => 4, names => vec!["a"] };
        for (text, message, place, help) in [
            (
                "int a[{{ blocksize }}];",
                "`blocksize` is not defined",
                "blocksize",
                Some("did you mean `block_size`?"),
            ),
            (
                "{% for i in count %}{% endfor %}",
                "`count` is not defined",
                "count",
                Some("give it a value; there are `block_size`, `names`"),
            ),
            ("{% if nothing %}x{% endif %}", "`nothing` is not defined", "nothing", None),
            (
                "{% for i in range(3) %}x",
                "syntax error: unexpected end of input, expected end of block",
                "",
                None,
            ),
            ("{{ block_size | upr }}", "unknown filter: filter upr is unknown", "upr", None),
            (
                "{% include 'a' %}",
                "syntax error: unknown statement include",
                "include",
                Some("a template is one text here: put texts together in Rust, or use `{% macro %}`"),
            ),
            ("{% for i in range(count) %}{% endfor %}", "`count` is not defined", "count", None),
        ] {
            let (said, at, helped) = fault(text, values());
            assert_eq!((said.as_str(), place.is_empty() || at == place), (message, true), "{text}: {at}");
            if help.is_some() {
                assert_eq!(helped.as_deref(), help, "{text}");
            }
        }
    }

    #[test]
    fn a_template_that_does_not_end_is_an_error() {
        let text =
            "{% for i in range(90000) %}{% for k in range(90000) %}{% set x = i %}{% endfor %}{% endfor %}";
        let (message, ..) = fault(text, context! {});
        assert!(message.contains("too long"), "{message}");
    }

    #[test]
    fn names_that_a_template_wants() {
        let text = "{% set a = b %}{{ a }}{% for c in range(d) %}{{ c * e.f }}{% endfor %}";
        assert_eq!(variables(text).unwrap(), ["b", "d", "e"]);
        assert!(variables("{{").is_err());
    }
}
