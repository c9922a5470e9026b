//! Statics that no name can be given: those that macros of the session write,
//! and those that `thread_local!` makes within functions.
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
//! A `thread_local!` becomes such a static of its key. A `static mut` is read
//! and written by its name, so the name becomes `(*__gr::Lasting::place(&N))`
//! in the block that defines it. One that others can see stays what it is, and
//! so do statics that do not change: they are as good new.

use std::ops::Range;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

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

const LASTING: &str = "::gpurepl_prelude::cell::Lasting";
const MUTABLE: &str = "::gpurepl_prelude::cell::Mutable";

/// How deep a block is in a macro's text whose names nobody outside can see:
/// within the macro's rules, within one of them, within a block of this.
const LOCAL: usize = 3;

/// What takes the place of a part of a text.
pub(super) type Edit = (Range<usize>, String);

/// What makes the statics of a macro last, from the first to the last.
pub(super) fn in_macro(definition: &str) -> Vec<Edit> {
    edits(definition, true)
}

/// What makes the thread-locals last that functions of an item have.
pub(super) fn in_functions(item: &str) -> Vec<Edit> {
    edits(item, false)
}

fn edits(text: &str, is_macro: bool) -> Vec<Edit> {
    proc_macro2::extra::invalidate_current_thread_spans();
    let Ok(tokens) = text.parse::<TokenStream>() else { return Vec::new() };
    let mut finder = Finder { text, is_macro, edits: Vec::new() };
    finder.find(tokens, 0, Kind::Block);
    finder.edits.sort_by_key(|(range, _)| (range.start, range.end));
    finder.edits
}

struct Finder<'t> {
    text: &'t str,
    is_macro: bool,
    edits: Vec<Edit>,
}

/// A static's parts, by the numbers of its tokens.
struct Definition {
    name: Range<usize>,
    of: Range<usize>,
    value: Range<usize>,
}

/// What a group of tokens is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Block,
    Module,
    /// What another macro is called with, which may make of `static N: T = V`
    /// something that is not a static.
    Call,
}

fn kind_of(tokens: &[TokenTree], at: usize) -> Kind {
    match at.checked_sub(2).map(|before| &tokens[before]) {
        Some(TokenTree::Ident(_)) if is(tokens, at - 1, '!') => Kind::Call,
        Some(word) if is_word(word, "mod") => Kind::Module,
        _ => Kind::Block,
    }
}

impl Finder<'_> {
    /// Finds statics in the tokens of a group at a depth.
    fn find(&mut self, tokens: TokenStream, depth: usize, kind: Kind) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            match token {
                TokenTree::Group(group) => {
                    if is_call(&tokens, at, "thread_local") {
                        self.thread_locals(&tokens, at, group);
                    } else {
                        self.find(group.stream(), depth + 1, kind_of(&tokens, at));
                    }
                }
                TokenTree::Ident(word)
                    if self.is_macro
                        && kind != Kind::Call
                        && word == "static"
                        && (at == 0 || !is(&tokens, at - 1, '\'')) =>
                {
                    let is_mutable = tokens.get(at + 1).is_some_and(|token| is_word(token, "mut"));
                    if let Some(found) = definition(&tokens, at + 1 + usize::from(is_mutable)) {
                        let end = found.value.end;
                        if is_mutable && depth >= LOCAL && kind != Kind::Module {
                            self.mutable(&tokens, at + 1, &found);
                            // What its value mentions has been rewritten.
                            return self.rest(&tokens[end..], depth);
                        }
                        if !is_mutable && changes(&tokens[found.of.clone()]) {
                            self.lasting(&tokens, &found);
                        }
                        at = end;
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }

    fn rest(&mut self, tokens: &[TokenTree], depth: usize) {
        self.find(tokens.iter().cloned().collect(), depth, Kind::Block);
    }

    fn lasting(&mut self, tokens: &[TokenTree], found: &Definition) {
        let (of, value) = (self.range(tokens, &found.of), self.range(tokens, &found.value));
        let (of_text, value_text) = (&self.text[of.clone()], &self.text[value.clone()]);
        let written = format!(
            "{{ struct Place; let value: {} = {value_text}; {} }}",
            one_line(of_text),
            lasting_static("value")
        );
        let of_written = format!("{LASTING}<{of_text}>");
        self.edits.extend([(of, of_written), (value, written)]);
    }

    /// A `static mut`, and every mention of it further on in its block.
    fn mutable(&mut self, tokens: &[TokenTree], word: usize, found: &Definition) {
        let (of, value) = (self.range(tokens, &found.of), self.range(tokens, &found.value));
        let (of_text, value_text) = (&self.text[of.clone()], &self.text[value.clone()]);
        let written = format!(
            "{{ struct Place; let value: {} = {value_text}; {} }}",
            one_line(of_text),
            lasting_static(&format!("{MUTABLE}::new(value)"))
        );
        let of_written = format!("{LASTING}<{MUTABLE}<{of_text}>>");
        self.edits.extend([
            (tokens[word].span().byte_range(), String::new()),
            (of, of_written),
            (value, written),
        ]);
        let is_parameter = found.name.len() == 2;
        let Some(TokenTree::Ident(name)) = tokens.get(found.name.end - 1) else { return };
        self.mentions(&tokens[found.value.end..], &name.to_string(), is_parameter);
    }

    fn mentions(&mut self, tokens: &[TokenTree], name: &str, is_parameter: bool) {
        for (at, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    self.mentions(&inner, name, is_parameter);
                }
                TokenTree::Ident(word) if word == name => {
                    let is_dollar = at >= 1 && is(tokens, at - 1, '$');
                    let before = at.checked_sub(1 + usize::from(is_dollar));
                    let is_part = before.is_some_and(|at| {
                        is(tokens, at, '.')
                            || is(tokens, at, ':')
                            || is(tokens, at, '\'')
                            || is_word(&tokens[at], "static")
                    });
                    // `N: 1` is a field, `N::new()` a path.
                    let is_other =
                        is(tokens, at + 1, ':') || is(tokens, at + 1, '!') && !is(tokens, at + 2, '=');
                    if is_dollar == is_parameter && !is_part && !is_other {
                        let start = at - usize::from(is_dollar);
                        let range = self.range(tokens, &(start..at + 1));
                        // No `unsafe` here: the pointer is followed in the block that the user
                        // has written around the name of a `static mut`, and answers for.
                        let written = format!("(*{LASTING}::place(&{}))", &self.text[range.clone()]);
                        self.edits.push((range, written));
                    }
                }
                _ => {}
            }
        }
    }

    /// A call of `thread_local!` as statics that hold its keys.
    fn thread_locals(&mut self, tokens: &[TokenTree], at: usize, group: &Group) {
        let inner: Vec<TokenTree> = group.stream().into_iter().collect();
        let known = self.edits.len();
        if self.declarations(&inner).is_none() {
            // The library's macro says what is wrong.
            self.edits.truncate(known);
            return;
        }
        // `::std::thread_local! {`
        let mut start = at - 2;
        while start >= 2 && is(tokens, start - 1, ':') && is(tokens, start - 2, ':') {
            start -= 2;
            let is_name = start >= 1
                && matches!(&tokens[start - 1], TokenTree::Ident(name) if name == "std" || name == "core");
            start -= usize::from(is_name);
        }
        let open = tokens[start].span().byte_range().start..group.span_open().byte_range().end;
        let end = if is(tokens, at + 1, ';') { at + 1 } else { at };
        let close = group.span_close().byte_range().start..tokens[end].span().byte_range().end;
        let lines = |range: &Range<usize>| "\n".repeat(self.text[range.clone()].matches('\n').count());
        let (before, after) = (lines(&open), lines(&close));
        self.edits.extend([(open, before), (close, after)]);
    }

    /// The declarations within a call; none if there is something else.
    fn declarations(&mut self, tokens: &[TokenTree]) -> Option<()> {
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                // `$(..)*`: one for each.
                TokenTree::Group(group) if at >= 1 && is(tokens, at - 1, '$') => {
                    self.declarations(&group.stream().into_iter().collect::<Vec<_>>())?;
                }
                TokenTree::Ident(word) if word == "static" => {
                    let found = definition(tokens, at + 1)?;
                    let (of, value) = (self.range(tokens, &found.of), self.range(tokens, &found.value));
                    let end = if is(tokens, found.value.end, ';') { "" } else { ";" };
                    let (of_text, value_text) = (&self.text[of.clone()], &self.text[value.clone()]);
                    let written = format!(
                        "{{ struct Place; ::std::thread_local! {{ static KEY: {} = {value_text} }} {} }}{end}",
                        one_line(of_text),
                        lasting_static("KEY")
                    );
                    let of_written = format!("{LASTING}<::std::thread::LocalKey<{of_text}>>");
                    self.edits.extend([(of, of_written), (value, written)]);
                    at = found.value.end;
                }
                // Attributes, visibilities, the marks of a repetition.
                _ => {}
            }
            at += 1;
        }
        Some(())
    }

    fn range(&self, tokens: &[TokenTree], numbers: &Range<usize>) -> Range<usize> {
        let (first, last) = (&tokens[numbers.start], &tokens[numbers.end - 1]);
        first.span().byte_range().start..last.span().byte_range().end
    }
}

/// `NAME: TYPE = VALUE;`, where the name may be `$name`, and the end of the
/// tokens may be that of the value.
fn definition(tokens: &[TokenTree], start: usize) -> Option<Definition> {
    let name = start + usize::from(is(tokens, start, '$'));
    if !matches!(tokens.get(name)?, TokenTree::Ident(own) if own != "mut" && own != "ref")
        || !is(tokens, name + 1, ':')
    {
        return None;
    }
    // `dyn Iterator<Item = u8>` has a mark of its own.
    let mut depth = 0_usize;
    let equals = (name + 2..tokens.len()).find(|at| {
        match &tokens[*at] {
            TokenTree::Punct(mark) if mark.as_char() == '<' => depth += 1,
            TokenTree::Punct(mark) if mark.as_char() == '>' && !is(tokens, at - 1, '-') => {
                depth = depth.saturating_sub(1);
            }
            TokenTree::Punct(mark) => return mark.as_char() == '=' && depth == 0,
            _ => {}
        }
        false
    })?;
    let end = (equals + 1..tokens.len()).find(|at| is(tokens, *at, ';')).unwrap_or(tokens.len());
    (name + 2 < equals && equals + 1 < end).then_some(Definition {
        name: start..name + 1,
        of: name + 2..equals,
        value: equals + 1..end,
    })
}

/// The end of a static's value: a call that makes it last. The block that it
/// stands in defines `Place` and what `value` mentions.
fn lasting_static(value: &str) -> String {
    // SAFETY of the generated block: `Lasting::new` demands that its result
    // becomes a static. It is the whole value of one: the callers put it in the
    // place of VALUE in `static NAME: TYPE = VALUE`, which `definition` has
    // found behind the word `static` in a block, in a module, or in a call of
    // `thread_local!` that is replaced by its declarations. `find` leaves alone
    // the items that other macros are called with, as they may make something
    // else of them. (A macro that takes the tokens of a block apart and makes a
    // local variable of a static in it is not recognized.) The user's own
    // expression is bound before the block and is not within `unsafe`.
    format!("unsafe {{ {LASTING}::new::<Place>({value}) }}")
}

fn one_line(text: &str) -> String {
    text.replace('\n', " ")
}

fn is(tokens: &[TokenTree], at: usize, mark: char) -> bool {
    matches!(tokens.get(at), Some(TokenTree::Punct(own)) if own.as_char() == mark)
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(own) if own == word)
}

/// Whether a group is what a macro is called with.
fn is_call(tokens: &[TokenTree], at: usize, name: &str) -> bool {
    at >= 2 && is(tokens, at - 1, '!') && is_word(&tokens[at - 2], name)
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

    fn applied(text: &str, edits: Vec<Edit>) -> Option<String> {
        let mut written = text.to_owned();
        let is_empty = edits.is_empty();
        edits.into_iter().rev().for_each(|(range, edit)| written.replace_range(range, &edit));
        (!is_empty).then_some(written)
    }

    fn lasting(text: &str) -> Option<String> {
        applied(text, in_macro(text))
    }

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
            "macro_rules! m { ($f:expr) => { f::<&'static Mutex<u8>>($f) } }",
            // Others can see these.
            "macro_rules! m { () => { static mut N: u32 = 1; } }",
            "macro_rules! m { () => { mod n { pub static mut N: u32 = 1; } } }",
            // That is wrong, which the library's macro says.
            "macro_rules! m { () => {{ thread_local! { static N = Cell::new(1); } }} }",
        ] {
            assert_eq!(lasting(text), None, "{text}");
        }
    }

    #[test]
    fn a_static_that_another_macro_is_called_with_was_taken_for_one() {
        // It may be made a local variable, whose address must not be kept.
        let passed = "macro_rules! m { () => { as_local! { static N: AtomicU32 = AtomicU32::new(1); } } }";
        assert_eq!(lasting(passed), None);
        let within = "macro_rules! m { () => { f!({ static N: AtomicU32 = AtomicU32::new(1); &N }) } }";
        assert!(lasting(within).is_some_and(|text| text.contains("Lasting<AtomicU32>")));
    }

    #[test]
    fn mutable_statics_are_reached_by_their_places() {
        let text =
            "macro_rules! m { ($n:ident) => {{ static mut $n: u32 = 1; unsafe { $n += 1; f(a.n, $n) } }} }";
        assert_eq!(
            lasting(text).unwrap(),
            "macro_rules! m { ($n:ident) => {{ static  $n: \
             ::gpurepl_prelude::cell::Lasting<::gpurepl_prelude::cell::Mutable<u32>> = \
             { struct Place; let value: u32 = 1; unsafe { ::gpurepl_prelude::cell::Lasting::new::<Place>(\
             ::gpurepl_prelude::cell::Mutable::new(value)) } }; \
             unsafe { (*::gpurepl_prelude::cell::Lasting::place(&$n)) += 1; \
             f(a.n, (*::gpurepl_prelude::cell::Lasting::place(&$n))) } }} }"
        );
    }

    #[test]
    fn thread_locals_become_statics_of_their_keys() {
        let text = "fn f() {\n    std::thread_local! {\n        static N: Cell<u8> = const { Cell::new(1) }\n    }\n    N.get()\n}";
        let written = applied(text, in_functions(text)).unwrap();
        assert_eq!(
            written,
            "fn f() {\n    \n        static N: ::gpurepl_prelude::cell::Lasting<::std::thread::LocalKey<Cell<u8>>> = \
             { struct Place; ::std::thread_local! { static KEY: Cell<u8> = const { Cell::new(1) } } \
             unsafe { ::gpurepl_prelude::cell::Lasting::new::<Place>(KEY) } };\n    \n    N.get()\n}"
        );
        assert!(in_functions("fn f() { static N: Mutex<u8> = Mutex::new(1); }").is_empty());
        let repeated = "macro_rules! m { ($($n:ident),*) => {{ thread_local! { $(static $n: Cell<u8> = Cell::new(1);)* } }} }";
        let written = lasting(repeated).unwrap();
        assert!(written.contains("{{  $(static $n: ::gpurepl_prelude::cell::Lasting<"), "{written}");
        assert!(written.contains(" };)*  }} }"), "{written}");
    }
}
