//! Names of primitive types, which a cell may give another meaning.
//!
//! `struct u8;` is Rust, and so is `type f32 = f64;`. The types of variables
//! are written by the plain names of the primitive ones; generated code writes
//! these by their paths in the standard library. What a cell defines under
//! such a name is written `crate::u8`.

use std::borrow::Cow;

const NAMES: &[&str] = &[
    "bool", "char", "str", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128",
    "usize", "f32", "f64",
];

/// Whether a name is that of a primitive type, unless an item has it.
pub(super) fn is_primitive(name: &str) -> bool {
    NAMES.contains(&name)
}

/// How a type of the session's is written: by its name, or by its path where
/// the name alone is a primitive type's.
pub(super) fn path_of_item(name: &str) -> String {
    if is_primitive(name) { format!("crate::{name}") } else { name.to_owned() }
}

/// The text of a variable's type with primitive types by their paths: it means
/// the same whatever a cell defines.
pub(super) fn explicit(of: &str) -> Cow<'_, str> {
    let mut text = String::new();
    let mut taken = 0;
    for (start, name) in plain_words(of) {
        if is_primitive(name) {
            text.push_str(&of[taken..start]);
            text.push_str("::core::primitive::");
            taken = start;
        }
    }
    if taken == 0 && text.is_empty() {
        return Cow::Borrowed(of);
    }
    text.push_str(&of[taken..]);
    Cow::Owned(text)
}

/// Whether a type's text mentions a primitive type, or what is called so, of
/// which `is_wanted`.
pub(super) fn mentions(of: &str, is_wanted: &dyn Fn(&str) -> bool) -> bool {
    plain_words(of).any(|(_, name)| is_primitive(name) && is_wanted(name))
}

/// The words of a type that are paths of one segment, and where they stand.
fn plain_words(of: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + of[at..].find(is_part)?;
        at = start + of[start..].find(|c| !is_part(c)).unwrap_or(of.len() - start);
        Some((start, at))
    })
    .filter(|(start, end)| {
        !of[..*start].ends_with(['\'', ':', '#']) && !of[*end..].trim_start().starts_with("::")
    })
    .map(|(start, end)| (start, &of[start..end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primitive_types_are_written_by_their_paths() {
        for (of, expected) in [
            ("u8", "::core::primitive::u8"),
            ("std::vec::Vec<(i32, P)>", "std::vec::Vec<(::core::primitive::i32, P)>"),
            ("[&'static str; 3usize]", "[&'static ::core::primitive::str; 3usize]"),
            (
                "std::boxed::Box<dyn Fn(bool) -> f32>",
                "std::boxed::Box<dyn Fn(::core::primitive::bool) -> ::core::primitive::f32>",
            ),
            ("crate::u8", "crate::u8"),
            ("P<crate::u8, u8>", "P<crate::u8, ::core::primitive::u8>"),
            ("u8::P", "u8::P"),
            ("&'str T", "&'str T"),
            ("Strange_u8<A>", "Strange_u8<A>"),
        ] {
            assert_eq!(explicit(of), expected);
        }
        assert_eq!(path_of_item("u8"), "crate::u8");
        assert_eq!(path_of_item("U8"), "U8");
    }

    #[test]
    fn what_is_called_as_a_primitive_type_is_seen() {
        assert!(mentions("std::vec::Vec<u8>", &|name| name == "u8"));
        assert!(!mentions("std::vec::Vec<u8>", &|name| name == "i32"));
        assert!(!mentions("P<crate::u8>", &|_| true));
    }
}
