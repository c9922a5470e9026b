//! The macros that are defined, and what is known of the others.

use std::collections::HashMap;
use std::rc::Rc;

use super::expansion::Piece;
use crate::token::{TokenKind, tokens};

/// A macro.
pub(super) struct Macro {
    /// None for one that is used without arguments.
    pub(super) parameters: Option<Vec<String>>,
    /// Whether the last parameter takes what is left.
    pub(super) is_variadic: bool,
    pub(super) body: Vec<Piece>,
}

/// What a name is to the preprocessor.
#[derive(Clone)]
pub(super) enum Meaning {
    Defined(Rc<Macro>),
    Undefined,
    /// It was defined, or undefined, where nobody knows whether the compiler
    /// comes to it.
    Unknown,
}

#[derive(Default)]
pub(super) struct Macros {
    /// Whether a compiler may define names that are not known here.
    pub(super) is_open: bool,
    known: HashMap<String, Meaning>,
    /// The line that is read, for `__LINE__`.
    pub(super) line: usize,
    /// The pieces that expansions have made so far.
    pub(super) made: usize,
}

impl Macros {
    pub(super) fn meaning(&self, name: &str) -> Meaning {
        match self.known.get(name) {
            Some(known) => known.clone(),
            None if self.is_open && name.starts_with("__") => Meaning::Unknown,
            None => Meaning::Undefined,
        }
    }

    pub(super) fn is_defined(&self, name: &str) -> Option<bool> {
        match self.meaning(name) {
            Meaning::Defined(_) => Some(true),
            Meaning::Undefined => {
                Some(matches!(name, "__LINE__" | "__FILE__" | "__COUNTER__" | "__has_include"))
            }
            Meaning::Unknown => None,
        }
    }

    /// What follows `#define`.
    pub(super) fn define(&mut self, text: &str, is_doubtful: bool) {
        let text = text.trim_start();
        let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        if name.is_empty() {
            return;
        }
        let meaning = match read(rest) {
            Some(found) if !is_doubtful => Meaning::Defined(Rc::new(found)),
            _ => Meaning::Unknown,
        };
        self.known.insert(name.to_owned(), meaning);
    }

    pub(super) fn undefine(&mut self, text: &str, is_doubtful: bool) {
        let name: String =
            text.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '$')).collect();
        let meaning = if is_doubtful { Meaning::Unknown } else { Meaning::Undefined };
        self.known.insert(name, meaning);
    }
}

/// A macro's parameters and its body: what follows its name.
fn read(rest: &str) -> Option<Macro> {
    let Some(list) = rest.strip_prefix('(') else {
        return Some(Macro { parameters: None, is_variadic: false, body: pieces(rest) });
    };
    let (list, body) = list.split_once(')')?;
    let mut parameters: Vec<String> = list.split(',').map(|name| name.trim().to_owned()).collect();
    if list.trim().is_empty() {
        parameters.clear();
    }
    let mut is_variadic = false;
    if let Some(last) = parameters.last_mut()
        && let Some(name) = last.strip_suffix("...")
    {
        is_variadic = true;
        *last = if name.is_empty() { "__VA_ARGS__".to_owned() } else { name.trim().to_owned() };
    }
    Some(Macro { parameters: Some(parameters), is_variadic, body: pieces(body) })
}

/// The pieces of a macro's body, or of a condition.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    // A `#` at the start of a line would make it a directive.
    let text = format!("_ {}", text.replace(['\n', '\r'], " "));
    let all = tokens(&text);
    let mut pieces: Vec<Piece> = Vec::new();
    let mut k = 1;
    while let Some(token) = all.get(k) {
        let is_spaced = all[k - 1].span.end < token.span.start;
        let mut piece = Piece::of(&text, token, is_spaced);
        let next = all.get(k + 1).filter(|next| next.span.start == token.span.end);
        if token.is_mark(&text, '#') && next.is_some_and(|next| next.is_mark(&text, '#')) {
            piece.text = "##".to_owned();
            k += 1;
        }
        pieces.push(piece);
        k += 1;
    }
    if let Some(first) = pieces.first_mut() {
        first.is_spaced = false;
    }
    debug_assert!(pieces.iter().all(|piece| piece.kind != TokenKind::Directive));
    pieces
}

/// A directive on one line.
pub(super) fn spliced(text: &str) -> String {
    text.replace("\\\r\n", "").replace("\\\n", "")
}
