//! Writes tokens as people do.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

/// The text of some tokens on one line.
pub fn text(tokens: TokenStream) -> String {
    let mut out = String::new();
    write(tokens, &mut out);
    out
}

fn write(tokens: TokenStream, out: &mut String) {
    let mut sign = String::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => (" {", "}"),
                    Delimiter::None => ("", ""),
                };
                if open == "(" && ends_with_keyword(out) {
                    out.push(' ');
                }
                out.push_str(open);
                write(group.stream(), out);
                if out.ends_with(", ") {
                    out.truncate(out.len() - 2);
                }
                out.push_str(close);
            }
            TokenTree::Punct(punct) => {
                sign.push(punct.as_char());
                if punct.spacing() == Spacing::Joint && punct.as_char() != '\'' {
                    // `>>` and `&&` are two signs each here.
                    if !matches!(punct.as_char(), '>' | '&' | '<') {
                        continue;
                    }
                }
                let spaced = match sign.as_str() {
                    "->" | "=" | "=>" | "+" | "==" => format!(" {sign} "),
                    "," | ":" | ";" => format!("{sign} "),
                    _ => sign.clone(),
                };
                if sign == "'" && out.ends_with(|c: char| c.is_alphanumeric()) {
                    out.push(' ');
                }
                if spaced.starts_with(' ') && out.ends_with(' ') {
                    out.push_str(spaced.trim_start());
                } else {
                    out.push_str(&spaced);
                }
                sign.clear();
            }
            TokenTree::Ident(_) | TokenTree::Literal(_) => {
                let is_after_word =
                    out.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | ']'));
                let is_after_generics = out.ends_with('>');
                if is_after_word || is_after_generics {
                    out.push(' ');
                }
                out.push_str(&token.to_string());
            }
        }
    }
    out.push_str(&sign);
}

fn ends_with_keyword(out: &str) -> bool {
    ["for", "in", "where", "dyn", "mut", "const"]
        .iter()
        .any(|word| out.strip_suffix(word).is_some_and(|rest| rest.ends_with([' ', '&'])))
}
