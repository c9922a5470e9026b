//! Texts that nest deeply, and the stack that it takes to read them.
//!
//! Parsers of Rust call themselves for each bracket and each operator, and so
//! does what drops their trees. A text of some hundred brackets overflows the
//! stack of a usual thread, which ends the process with all that it holds.

use proc_macro2::{TokenStream, TokenTree};

/// Stack for each level: `syn` takes 5 to 8 KiB of it, measured with nested
/// blocks, types and calls.
const STACK_OF_LEVEL: usize = 32 << 10;

/// The most levels: more than anybody writes, and a stack of 512 MiB, of which
/// what is not used takes no memory.
pub(crate) const MOST_LEVELS: usize = 16 << 10;

/// Calls what reads a text recursively, with as much stack as the text may
/// need; nothing if it nests too deeply for any.
pub(crate) fn with_stack<T>(text: &str, read: impl FnOnce() -> T) -> Option<T> {
    let levels = levels(text);
    if levels > MOST_LEVELS {
        return None;
    }
    // What every call needs, whatever it reads.
    let stack = (1 << 20) + levels * STACK_OF_LEVEL;
    Some(stacker::maybe_grow(stack, stack, read))
}

/// How deep a text may nest: brackets that are open, and the signs since the
/// last comma or semicolon in each, as chains of operators and methods nest
/// too. It may be less deep than that, not deeper.
pub(crate) fn levels(text: &str) -> usize {
    let levels = levels_of(text.bytes());
    if levels <= MOST_LEVELS {
        return levels;
    }
    // Those of literals and comments do not nest; to tell them takes longer.
    signs(text).map_or(levels, |signs| levels_of(signs.into_iter()))
}

/// The brackets and signs of a text outside of its literals and comments; none if it is no
/// whole text of Rust.
fn signs(text: &str) -> Option<Vec<u8>> {
    let mut signs = Vec::new();
    let mut open: Vec<(proc_macro2::token_stream::IntoIter, u8)> =
        vec![(text.parse::<TokenStream>().ok()?.into_iter(), b' ')];
    while let Some((rest, close)) = open.last_mut() {
        match rest.next() {
            Some(TokenTree::Group(group)) => {
                signs.push(b'(');
                open.push((group.stream().into_iter(), b')'));
            }
            Some(TokenTree::Punct(sign)) => signs.extend(u8::try_from(sign.as_char())),
            Some(TokenTree::Ident(_) | TokenTree::Literal(_)) => {}
            None => {
                signs.push(*close);
                open.pop();
            }
        }
    }
    Some(signs)
}

fn levels_of(bytes: impl Iterator<Item = u8>) -> usize {
    let mut most = 0;
    let mut depth = 0;
    // The signs within each open bracket, and outside of all.
    let mut open = vec![0];
    for byte in bytes {
        match byte {
            b'(' | b'[' | b'{' => {
                open.push(0);
                depth += 1;
            }
            b')' | b']' | b'}' => {
                // A call or a block is a sign of what it is in.
                let inside = if open.len() > 1 { open.pop().unwrap_or(0) + 1 } else { 0 };
                depth -= inside;
                if let Some(signs) = open.last_mut() {
                    *signs += 1;
                    depth += 1;
                }
            }
            b',' | b';' => {
                if let Some(signs) = open.last_mut() {
                    depth -= std::mem::take(signs);
                }
            }
            _ if byte.is_ascii_punctuation() && byte != b'_' => {
                if let Some(signs) = open.last_mut() {
                    *signs += 1;
                    depth += 1;
                }
            }
            _ => {}
        }
        most = most.max(depth);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_chains_and_operators_nest() {
        assert_eq!(levels("f(g(h(1)))"), 3);
        assert_eq!(levels("1+1+1+1"), 3);
        assert_eq!(levels("a.b().c()"), 4);
        assert_eq!(levels("Vec<Vec<Vec<u8"), 3);
        assert_eq!(levels("----1"), 4);
        assert_eq!(levels("]]]]"), 4);
    }

    #[test]
    fn long_texts_that_do_not_nest_are_no_deeper() {
        let numbers = format!("vec![{}]", "1.5, ".repeat(100_000));
        assert!(levels(&numbers) < 8, "{}", levels(&numbers));
        assert!(levels(&"let a = f(1, 2).g();\n".repeat(10_000)) < 10);
    }

    #[test]
    fn brackets_of_literals_and_comments_do_not_nest() {
        let many = "{[(-+=".repeat(MOST_LEVELS);
        for text in [
            format!("let a = r##\"{many}\"##;"),
            format!("// {many}\nf(1)"),
            format!("/* {many} */ \"{many}\".len()"),
        ] {
            assert!(levels(&text) < 8, "{}", levels(&text));
        }
        assert!(levels(&format!("\"{many}\"{}", "(".repeat(MOST_LEVELS + 1))) > MOST_LEVELS);
        for count in [MOST_LEVELS + 1, 300_000] {
            let brackets = format!("{}{}", "(".repeat(count), ")".repeat(count));
            assert!(levels(&brackets) > MOST_LEVELS);
        }
    }

    #[test]
    fn texts_of_a_thousand_levels_are_read() {
        let depth = 4000;
        for (open, inner, close) in
            [("{", "", "}"), ("(", "1", ")"), ("f(", "", ")"), ("-", "1", ""), ("1+", "1", "")]
        {
            let text = format!("{}{inner}{}", open.repeat(depth), close.repeat(depth));
            let is_read = with_stack(&text, || syn::parse_str::<syn::Expr>(&text).is_ok());
            assert_eq!(is_read, Some(true), "{open}");
        }
        assert_eq!(with_stack(&"{".repeat(MOST_LEVELS + 1), || ()), None);
    }
}
