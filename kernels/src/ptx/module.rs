//! The functions of a PTX text: heads and bodies.

use super::token::{Token, closing};

/// A function of the text.
#[derive(Clone, Debug)]
pub(super) struct Function<'t, 'a> {
    pub name: &'a str,
    /// Whether it is a kernel: an `.entry`.
    pub is_entry: bool,
    /// Whether it never returns to its caller: `.noreturn`.
    pub is_noreturn: bool,
    /// What stands between the parentheses behind its name.
    pub parameters: &'t [Token<'a>],
    /// What stands between its braces; `None` for a declaration.
    pub body: Option<&'t [Token<'a>]>,
}

/// The functions of a text, declarations among them, in its order.
pub(super) fn functions<'t, 'a>(tokens: &'t [Token<'a>]) -> Vec<Function<'t, 'a>> {
    let mut functions = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match token.text {
            ".entry" | ".func" => {
                let (function, next) = function(tokens, at);
                functions.extend(function);
                at = next;
            }
            // The values of a variable, or a section for debuggers.
            "{" => at = closing(tokens, at) + 1,
            _ => at += 1,
        }
    }
    functions
}

/// The function whose `.entry` or `.func` is at a place, and where it ends.
fn function<'t, 'a>(tokens: &'t [Token<'a>], start: usize) -> (Option<Function<'t, 'a>>, usize) {
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
    let mut at = start + 1;
    let mut is_noreturn = false;
    // What it returns, and attributes, stand before the name.
    while text(at) == "(" || text(at).starts_with('.') {
        is_noreturn |= text(at) == ".noreturn";
        at = if text(at) == "(" { closing(tokens, at) + 1 } else { at + 1 };
    }
    let Some(name) = tokens.get(at).map(|token| token.text) else { return (None, tokens.len()) };
    at += 1;
    let mut parameters: &[Token] = &[];
    if text(at) == "(" {
        let end = closing(tokens, at);
        parameters = &tokens[at + 1..end];
        at = end + 1;
    }
    while !matches!(text(at), "{" | ";" | "") {
        is_noreturn |= text(at) == ".noreturn";
        at += 1;
    }
    let mut body = None;
    if text(at) == "{" {
        let end = closing(tokens, at);
        body = Some(&tokens[at + 1..end]);
        at = end;
    }
    let is_entry = tokens[start].text == ".entry";
    (Some(Function { name, is_entry, is_noreturn, parameters, body }), at + 1)
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    #[test]
    fn kernels_functions_and_declarations() {
        let text = ".version 9.0\n.target sm_90\n.global .align 4 .b8 table[3] = {1, 2, 3};\n\
            .extern .func (.param .b32 result) vprintf (.param .b64 a, .param .b64 b);\n\
            .func stop(.param .b64 a) .noreturn;\n\
            .visible .entry kernel(.param .u64 a) .maxntid 128, 1, 1 { { ret; } }\n\
            .func (.reg .b32 r) twice (.reg .b32 x) { ret; }\n.section .debug_info { .b8 1 }";
        let tokens = tokens(text);
        let found: Vec<_> = functions(&tokens)
            .iter()
            .map(|f| (f.name, f.is_entry, f.is_noreturn, f.parameters.len(), f.body.map(<[_]>::len)))
            .collect();
        assert_eq!(
            found,
            [
                ("vprintf", false, false, 7, None),
                ("stop", false, true, 3, None),
                ("kernel", true, false, 3, Some(4)),
                ("twice", false, false, 3, Some(2)),
            ]
        );
    }

    #[test]
    fn text_that_ends_early_is_read_to_its_end() {
        for text in [".entry", ".func (", ".func f", ".func f (.reg .b32", ".entry k { ret;"] {
            let tokens = tokens(text);
            functions(&tokens);
        }
    }
}
