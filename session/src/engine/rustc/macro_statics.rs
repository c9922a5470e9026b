//! Statics that macros of the session write.
//!
//! A macro's text has one static, and each place where it is called another.
//! So it cannot be given a symbol's name as other statics are
//! ([`super::statics`]); what it is in each place is found when it runs:
//!
//! ```text
//! static N: AtomicU32 = AtomicU32::new(0);
//! static N: __gr::Lasting<AtomicU32> = { struct Place; let value: AtomicU32 = AtomicU32::new(0);
//!                                        unsafe { __gr::Lasting::new::<Place>(value) } };
//! ```
//!
//! That stands for the static wherever its methods are called or it is lent.
//! Statics that do not change are as good new, and stay what they are.

use std::ops::Range;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Types that a static may change in.
const CHANGING: &[&str] = &[
    "Mutex",
    "RwLock",
    "OnceLock",
    "LazyLock",
    "Once",
    "Condvar",
    "Barrier",
    "Semaphore",
    "OnceCell",
    "RefCell",
    "Cell",
    "UnsafeCell",
];

/// The text of a macro, its statics made to last; none if it has none that
/// change.
pub(super) fn lasting(definition: &str) -> Option<String> {
    proc_macro2::extra::invalidate_current_thread_spans();
    let mut found = Vec::new();
    find(definition.parse().ok()?, &mut found);
    if found.is_empty() {
        return None;
    }
    let mut text = definition.to_owned();
    // From the last to the first, so that places before stay.
    for Found { of, value } in found.into_iter().rev() {
        let (type_text, value_text) = (&definition[of.clone()], &definition[value.clone()]);
        let written = format!(
            "{{ struct Place; let value: {} = {value_text}; \
             unsafe {{ ::gpurepl_prelude::cell::Lasting::new::<Place>(value) }} }}",
            type_text.replace('\n', " ")
        );
        let of_written = format!("::gpurepl_prelude::cell::Lasting<{type_text}>");
        text.replace_range(value, &written);
        text.replace_range(of, &of_written);
    }
    Some(text)
}

/// Where a static's type and value stand.
struct Found {
    of: Range<usize>,
    value: Range<usize>,
}

fn find(tokens: TokenStream, found: &mut Vec<Found>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |at: usize, mark: char| matches!(tokens.get(at), Some(TokenTree::Punct(own)) if own.as_char() == mark);
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match token {
            TokenTree::Group(group) => {
                // What the library's macro makes of its text is not this.
                let is_local = at >= 2
                    && is(at - 1, '!')
                    && matches!(&tokens[at - 2], TokenTree::Ident(name) if name == "thread_local");
                if !is_local {
                    find(group.stream(), found);
                }
            }
            TokenTree::Ident(word) if word == "static" && (at == 0 || !is(at - 1, '\'')) => {
                // `static NAME : TYPE = VALUE ;`, where the name may be `$name`.
                let name = at + 1 + usize::from(is(at + 1, '$'));
                if matches!(tokens.get(name), Some(TokenTree::Ident(own)) if own != "mut" && own != "ref")
                    && is(name + 1, ':')
                    && let Some(equals) = (name + 2..tokens.len()).find(|at| is(*at, '='))
                    && let Some(end) = (equals + 1..tokens.len()).find(|at| is(*at, ';'))
                    && equals + 1 < end
                    && changes(&tokens[name + 2..equals])
                {
                    let range = |from: usize, to: usize| {
                        tokens[from].span().byte_range().start..tokens[to - 1].span().byte_range().end
                    };
                    found.push(Found { of: range(name + 2, equals), value: range(equals + 1, end) });
                    at = end;
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// Whether a type may change while it is shared.
fn changes(of: &[TokenTree]) -> bool {
    of.iter().any(|token| match token {
        TokenTree::Ident(name) => {
            let name = name.to_string();
            name.starts_with("Atomic") || CHANGING.contains(&&*name)
        }
        TokenTree::Group(group) if group.delimiter() != Delimiter::Brace => {
            changes(&group.stream().into_iter().collect::<Vec<_>>())
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statics_that_change_are_made_to_last() {
        let text =
            "macro_rules! m { ($n:ident) => {{ static $n: AtomicU32 = AtomicU32::new(1); $n.load() }} }";
        assert_eq!(
            lasting(text).unwrap(),
            "macro_rules! m { ($n:ident) => {{ static $n: ::gpurepl_prelude::cell::Lasting<AtomicU32> = \
             { struct Place; let value: AtomicU32 = AtomicU32::new(1); \
             unsafe { ::gpurepl_prelude::cell::Lasting::new::<Place>(value) } }; $n.load() }} }"
        );
        for text in [
            "macro_rules! m { () => {{ static N: u32 = 1; N }} }",
            "macro_rules! m { () => {{ static mut N: u32 = 1; }} }",
            "macro_rules! m { ($f:expr) => { f::<&'static Mutex<u8>>($f) } }",
            "macro_rules! m { () => { thread_local! { static N: Cell<u8> = Cell::new(1); } } }",
        ] {
            assert_eq!(lasting(text), None, "{text}");
        }
    }
}
