//! Macro calls that define items.
//!
//! A call in a cell is a statement to the parser, and what a statement defines
//! ends with its cell. Whether `units!(Metre, Foot);` defines items cannot be
//! seen from the call; what the macro writes begins with can.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::{Item, Macro};

use super::items::{self, KeptItem, Parsed};
use super::split::{Split, plain};
use crate::names;

/// What the keys of calls begin with that define macros.
pub(super) fn makers(items: &[KeptItem]) -> Vec<String> {
    let defined = items.iter().filter_map(|item| Some((item.key.strip_prefix("M:")?, item)));
    let makers = defined.filter(|(_, item)| item.tokens.matches("macro_rules").count() > 1);
    makers.map(|(name, _)| format!("I:{name} !")).collect()
}

/// What a call that defines a macro is known by: its macro, and the first name
/// that it gives.
pub(super) fn defined_macro(item: &KeptItem, items: &[KeptItem]) -> Option<(String, String)> {
    let call = item.key.strip_prefix("I:")?;
    let maker = makers(items).into_iter().find(|maker| item.key.starts_with(maker))?;
    let rest = call.get(maker.len() - "I:".len()..)?;
    let word = rest.split(|c: char| !c.is_alphanumeric() && c != '_').find(|word| !word.is_empty())?;
    Some((maker, word.to_owned()))
}

/// Words that an item begins with, its attributes left aside. Not `const` and
/// `unsafe`, which blocks begin with too.
const ITEMS: &[&str] =
    &["pub", "struct", "enum", "trait", "impl", "fn", "mod", "type", "static", "use", "extern"];

/// A cell whose macro calls are taken for items where they define some:
/// `known` are those of the session.
pub(super) fn found(split: Split, known: &[KeptItem]) -> Split {
    if split.macros.is_empty() {
        return split;
    }
    // A macro of the same cell counts as well.
    let own: Vec<KeptItem> = split
        .items
        .iter()
        .filter(|item| matches!(&item.item, Item::Macro(item) if item.ident.is_some()))
        .flat_map(|item| match items::read(&split.source, item, 0) {
            Parsed::Items(items) => items,
            Parsed::Use(_) => Vec::new(),
        })
        .collect();
    let wanted: Vec<_> = split
        .macros
        .iter()
        .filter(|item| matches!(&item.item, Item::Macro(call) if defines_items(&call.mac, &own, known)))
        .map(|item| item.range.clone())
        .collect();
    if wanted.is_empty() { split } else { split.with_items(&|range| wanted.contains(range)) }
}

fn defines_items(call: &Macro, own: &[KeptItem], known: &[KeptItem]) -> bool {
    let Some(name) = call.path.segments.last().map(|segment| plain(&segment.ident)) else { return false };
    let key = format!("M:{name}");
    match own.iter().rev().chain(known).find(|item| item.key == key) {
        Some(definition) => definition.text.parse().is_ok_and(writes_items),
        // The prelude's own, which makes a module.
        None if name == "library" => true,
        // Someone else's, such as `bitflags!`: it is given items to work on.
        None => {
            !names::MACROS.iter().any(|known| known.strip_suffix('!') == Some(&name))
                && starts_with_item(call.tokens.clone())
        }
    }
}

/// Whether the first rule of a `macro_rules!` that writes anything writes items.
fn writes_items(definition: TokenStream) -> bool {
    let Some(TokenTree::Group(rules)) =
        definition.into_iter().last().filter(|last| matches!(last, TokenTree::Group(_)))
    else {
        return false;
    };
    // `(pattern) => { what it writes };`
    let groups = rules.stream().into_iter().filter_map(|token| match token {
        TokenTree::Group(group) => Some(group),
        _ => None,
    });
    let written: Vec<TokenStream> = groups.skip(1).step_by(2).map(|group| group.stream()).collect();
    !written.is_empty() && written.into_iter().all(starts_with_item)
}

/// Whether tokens begin as an item does, in a repetition perhaps.
fn starts_with_item(tokens: TokenStream) -> bool {
    let mut tokens = tokens.into_iter().peekable();
    loop {
        match tokens.next() {
            // `#[derive(Debug)]`, `#![..]`, or a repetition: `$( .. )*`, `$(#[$attribute])*`.
            Some(TokenTree::Punct(mark)) if mark.as_char() == '#' => {
                tokens.next_if(|token| matches!(token, TokenTree::Punct(mark) if mark.as_char() == '!'));
                tokens.next();
            }
            Some(TokenTree::Punct(mark)) if mark.as_char() == '$' => match tokens.next() {
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {
                    let is_attributes = matches!(group.stream().into_iter().next(), Some(TokenTree::Punct(mark)) if mark.as_char() == '#');
                    if starts_with_item(group.stream()) {
                        return true;
                    }
                    if !is_attributes {
                        return false;
                    }
                    // `*` or `+`, perhaps after what stands between.
                    while tokens.next_if(|token| matches!(token, TokenTree::Punct(mark) if mark.as_char() != '#' && mark.as_char() != '$')).is_some() {}
                }
                // `$visibility struct ..`
                Some(TokenTree::Ident(_)) => {}
                _ => return false,
            },
            Some(TokenTree::Ident(word)) => {
                return match word.to_string().as_str() {
                    // Names as well, unless another name follows.
                    "union" => match tokens.next() {
                        Some(TokenTree::Ident(_)) => true,
                        Some(TokenTree::Punct(mark)) => mark.as_char() == '$',
                        _ => false,
                    },
                    "macro_rules" => {
                        matches!(tokens.next(), Some(TokenTree::Punct(mark)) if mark.as_char() == '!')
                    }
                    word => ITEMS.contains(&word),
                };
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::rustc::items::items;
    use crate::engine::rustc::split::split;

    fn is_item(definitions: &str, call: &str) -> bool {
        let found = found(split(call).unwrap(), &items(definitions));
        assert_eq!(
            found.items.len() + found.statements.len() + usize::from(found.tail.is_some()),
            1,
            "{call}"
        );
        !found.items.is_empty()
    }

    #[test]
    fn what_a_macro_writes_tells_what_its_call_is() {
        for (writes, expected) in [
            ("$(pub struct $n(pub $t);)*", true),
            ("#[derive(Debug)] struct Named;", true),
            ("$(#[$m])* $v enum E {}", true),
            ("impl A {}", true),
            ("macro_rules! named { () => { 1 } }", true),
            ("union $n { a: u8 }", true),
            ("union = 1; $n + union", false),
            ("let $n = 1;", false),
            ("println!(\"{}\", 1)", false),
            ("{ struct Inner; Inner }", false),
            ("$n + 1", false),
            ("", false),
        ] {
            let definition = format!("macro_rules! m {{ ($($n:ident: $t:ty),*) => {{ {writes} }} }}");
            for call in ["m!(A: f32, B: f32);", "m! { A: f32 }"] {
                assert_eq!(is_item(&definition, call), expected, "{writes} {call}");
            }
        }
    }

    #[test]
    fn macros_of_others_are_told_by_what_they_are_given() {
        assert!(is_item("", "bitflags! { struct Flags: u32 { const A = 1; } }"));
        assert!(is_item(
            "",
            "bitflags::bitflags! { #[derive(Debug)] pub struct Flags: u32 { const A = 1; } }"
        ));
        assert!(is_item("", "library! { unsafe math: \"libm.so.6\" { fn cos(x: f64) -> f64; } }"));
        assert!(!is_item("macro_rules! library { () => { 1 + 1 } }", "library! {}"));
        assert!(!is_item("", "println!(\"struct\");"));
        assert!(!is_item("", "vec![1, 2];"));
        assert!(!is_item("", "assert_eq!(union, 3);"));
    }

    #[test]
    fn a_macro_of_the_same_cell_counts() {
        let cell = split("macro_rules! m { () => { struct A; } }\nm!();\nlet a = A;").unwrap();
        let found = found(cell, &[]);
        assert_eq!((found.items.len(), found.statements.len()), (2, 1));
    }
}
