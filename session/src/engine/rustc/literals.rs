//! Types for literals that inference leaves open.
//!
//! In `let a = gpu![1.0, 2.0]; (&a * 2.0).sum()` the elements fall back to
//! `f64`, but only at the end of the function, after `sum` has asked what `a`
//! is. When the compiler says that it needs a type, the cell is compiled once
//! more with the fallback written down: an unsuffixed integer is `i32`, a
//! float `f64`, as it would have been at the end.

use std::ops::Range;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Functions and macros whose arguments are elements of an array.
const CREATORS: &[&str] = &["gpu", "to_gpu", "try_to_gpu", "arange", "full"];

/// Those of them whose whole numbers say how many elements there are.
const COUNTED: &[&str] = &[
    "linspace",
    "linspace_open",
    "linspace_step",
    "logspace",
    "logspace_base",
    "logspace_open",
    "geomspace",
    "geomspace_open",
];

/// The suffixes that literals within [`CREATORS`] and [`COUNTED`] lack in a part of a cell, and the places where they
/// belong, in order.
pub(super) fn suffixes(text: &str) -> Vec<(usize, &'static str)> {
    proc_macro2::extra::invalidate_current_thread_spans();
    let Ok(tokens) = text.parse::<TokenStream>() else { return Vec::new() };
    let mut suffixes = Vec::new();
    find(tokens, Within::Nothing, &mut suffixes);
    suffixes
}

/// Whether there is anything to write down.
pub(super) fn has_open_literals(text: &str) -> bool {
    !suffixes(text).is_empty()
}

/// What a literal stands in.
#[derive(Clone, Copy, PartialEq)]
enum Within {
    Nothing,
    /// All numbers are elements.
    Elements,
    /// Floats are elements, whole numbers count them: `linspace`.
    Floats,
}

fn find(tokens: TokenStream, within: Within, suffixes: &mut Vec<(usize, &'static str)>) {
    let mut is_creator = false;
    let mut is_macro = false;
    let mut has_count = false;
    for token in tokens {
        match token {
            TokenTree::Ident(name) => {
                let name = name.to_string();
                has_count = COUNTED.contains(&name.as_str());
                is_creator = has_count || CREATORS.contains(&name.as_str());
                is_macro = false;
                continue;
            }
            TokenTree::Punct(mark) if mark.as_char() == '!' && is_creator => {
                is_macro = true;
                continue;
            }
            TokenTree::Group(group) => {
                let is_call = is_creator && (is_macro || group.delimiter() == Delimiter::Parenthesis);
                // `gpu![f32; 1, 2]` says what its elements are.
                let names_type = is_macro && starts_with_type(group.stream());
                let inner = match (names_type, is_call) {
                    (true, _) => Within::Nothing,
                    (false, true) if has_count => Within::Floats,
                    (false, true) => Within::Elements,
                    (false, false) => within,
                };
                find(group.stream(), inner, suffixes);
            }
            TokenTree::Literal(literal) if within != Within::Nothing => {
                let text = literal.to_string();
                if let Some(suffix) = missing_suffix(&text)
                    && (within == Within::Elements || suffix != "i32")
                {
                    let range: Range<usize> = literal.span().byte_range();
                    suffixes.push((range.end, suffix));
                }
            }
            _ => {}
        }
        is_creator = false;
        is_macro = false;
    }
}

fn starts_with_type(tokens: TokenStream) -> bool {
    let mut tokens = tokens.into_iter();
    matches!((tokens.next(), tokens.next()),
        (Some(TokenTree::Ident(_)), Some(TokenTree::Punct(mark))) if mark.as_char() == ';')
}

/// The suffix that a number's text lacks.
fn missing_suffix(text: &str) -> Option<&'static str> {
    if !text.starts_with(|c: char| c.is_ascii_digit()) || text.starts_with("0x") {
        return None;
    }
    let body = text.trim_start_matches("0b").trim_start_matches("0o");
    let has_suffix = body.contains(['i', 'u', 'f']);
    let is_float = body.contains(['.', 'e', 'E']);
    match (has_suffix, is_float) {
        (true, _) => None,
        // `1.` cannot be followed by a suffix.
        (false, true) if text.ends_with('.') => Some("0f64"),
        (false, true) => Some("f64"),
        (false, false) => Some("i32"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_types(text: &str) -> String {
        let mut typed = text.to_owned();
        for (at, suffix) in suffixes(text).into_iter().rev() {
            typed.insert_str(at, suffix);
        }
        typed
    }

    #[test]
    fn elements_get_the_types_that_they_fall_back_to() {
        for (text, expected) in [
            ("gpu![1.0, 2, 3e5]", "gpu![1.0f64, 2i32, 3e5f64]"),
            ("gpu![[1, 2], [3, 4]] * 2", "gpu![[1i32, 2i32], [3i32, 4i32]] * 2"),
            ("gpu![f32; 1, 2.5]", "gpu![f32; 1, 2.5]"),
            ("gpu![1u8, 2]", "gpu![1u8, 2i32]"),
            ("arange(0..10).sum() + f(3)", "arange(0i32..10i32).sum() + f(3)"),
            ("gpu![1.]", "gpu![1.0f64]"),
            ("linspace(0.0, 2.0 * 3.14, 100)", "linspace(0.0f64, 2.0f64 * 3.14f64, 100)"),
            ("x.full(3)", "x.full(3i32)"),
            ("array::logspace(-1.0, 1.0, 5)", "array::logspace(-1.0f64, 1.0f64, 5)"),
            ("\"é\"; gpu![1]", "\"é\"; gpu![1i32]"),
        ] {
            assert_eq!(with_types(text), expected);
        }
        assert!(!has_open_literals("let x = 5;"));
    }
}
