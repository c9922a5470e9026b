//! `a.astype::<f64>()`: the type in the place where Rust has types. The
//! library's method takes it as an argument, `a.astype(f64)`, as NumPy's does,
//! and a method cannot take one argument or none. So the cell is rewritten,
//! before anything else looks at it, to a text of the same length.

use std::ops::Range;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Types of elements by the names that are values as well.
const TYPES: &[&str] = &[
    "bool",
    "i8",
    "i16",
    "i32",
    "i64",
    "u8",
    "u16",
    "u32",
    "u64",
    "f16",
    "f32",
    "f64",
    "Complex32",
    "Complex64",
];

/// A cell's text with types as arguments; none if it has none elsewhere.
pub(super) fn as_arguments(source: &str) -> Option<String> {
    // Most cells convert nothing, and need not be taken apart for it.
    if !source.contains("astype") || source.contains("fn astype") {
        return None;
    }
    proc_macro2::extra::invalidate_current_thread_spans();
    let mut calls = Vec::new();
    find(source.parse().ok()?, &mut calls);
    let mut text = source.to_owned();
    for (range, of) in calls.iter().rev() {
        let written = &source[range.clone()];
        if written.contains('\n') {
            continue;
        }
        let padding = written.chars().count() - of.len() - 2;
        let (before, after) = (padding / 2, padding - padding / 2);
        text.replace_range(range.clone(), &format!("({}{of}{})", " ".repeat(before), " ".repeat(after)));
    }
    (text != source).then_some(text)
}

/// Finds `::<f64>()` behind `.astype`, and its type.
fn find(tokens: TokenStream, calls: &mut Vec<(Range<usize>, String)>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (k, token) in tokens.iter().enumerate() {
        if let TokenTree::Group(group) = token {
            find(group.stream(), calls);
        }
        let is_method = matches!(token, TokenTree::Ident(name) if name == "astype")
            && k.checked_sub(1).is_some_and(|before| is_sign(&tokens[before], '.'));
        if !is_method {
            continue;
        }
        if let Some([first, second, open, TokenTree::Ident(of), close, TokenTree::Group(arguments)]) =
            tokens.get(k + 1..k + 7)
            && is_sign(first, ':')
            && is_sign(second, ':')
            && is_sign(open, '<')
            && is_sign(close, '>')
            && arguments.delimiter() == Delimiter::Parenthesis
            && arguments.stream().is_empty()
            && TYPES.contains(&of.to_string().as_str())
        {
            calls.push((first.span().byte_range().start..arguments.span().byte_range().end, of.to_string()));
        }
    }
}

fn is_sign(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(own) if own.as_char() == sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_become_arguments_in_texts_of_the_same_length() {
        for (text, expected) in [
            ("a.astype::<f64>()", "a.astype(  f64  )"),
            ("let b = é(a).astype::<i8>() + 1;", "let b = é(a).astype(  i8  ) + 1;"),
            ("println!(\"{:?}\", a.astype::<Complex32>())", "println!(\"{:?}\", a.astype(  Complex32  ))"),
            ("fn f(a: &A) -> B { a.astype :: < f32 > ( ) }", "fn f(a: &A) -> B { a.astype (    f32     ) }"),
            ("a.astype::<f32>().astype::<f64>()", "a.astype(  f32  ).astype(  f64  )"),
        ] {
            let rewritten = as_arguments(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(rewritten.chars().count(), text.chars().count(), "{text}");
            assert_eq!(rewritten, expected);
        }
        for text in [
            "a.astype(f64)",
            "\".astype::<f64>()\"",
            "// a.astype::<f64>()",
            "a.astype::<T>()",
            "a.astype::<f64>(f64)",
            "trait As { fn astype<T>(&self) {} } a.astype::<f64>()",
        ] {
            assert_eq!(as_arguments(text), None, "{text}");
        }
    }
}
