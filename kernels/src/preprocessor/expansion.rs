//! Macros become text.

use std::rc::Rc;

use super::macros::{Macro, Macros, Meaning};
use crate::token::{Token, TokenKind, closing, tokens};

/// The most pieces that the expansions of one source may make.
const MOST_PIECES: usize = 500_000;

/// A token on its way through macros.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) kind: TokenKind,
    /// Whether white space stands before it.
    pub(super) is_spaced: bool,
    /// The macros that made it, which do not expand it again.
    pub(super) hidden: Option<Rc<Hidden>>,
}

#[derive(Debug)]
pub(super) struct Hidden {
    name: String,
    before: Option<Rc<Hidden>>,
}

impl Piece {
    pub(super) fn of(source: &str, token: &Token, is_spaced: bool) -> Piece {
        Piece { text: token.text(source).to_owned(), kind: token.kind, is_spaced, hidden: None }
    }

    pub(super) fn is(&self, mark: &str) -> bool {
        self.kind == TokenKind::Punctuation && self.text == mark
    }

    fn is_hidden(&self, name: &str) -> bool {
        let mut hidden = self.hidden.as_ref();
        while let Some(now) = hidden {
            if now.name == name {
                return true;
            }
            hidden = now.before.as_ref();
        }
        false
    }

    fn hide(&mut self, name: &str) {
        if !self.is_hidden(name) {
            self.hidden = Some(Rc::new(Hidden { name: name.to_owned(), before: self.hidden.take() }));
        }
    }
}

/// The text of pieces, in which no two become one.
pub(super) fn text(pieces: &[Piece]) -> String {
    let mut text = String::new();
    for (k, piece) in pieces.iter().enumerate() {
        let is_word = |piece: &Piece| piece.kind != TokenKind::Punctuation;
        let is_apart = k > 0 && (piece.is_spaced || is_word(piece) && is_word(&pieces[k - 1]));
        text.push_str(if is_apart { " " } else { "" });
        text.push_str(&piece.text);
    }
    text
}

/// The parentheses that follow in a source, and where they end; none if none
/// do, or a directive stands within them.
pub(super) fn group(source: &str, all: &[Token], at: usize) -> Option<(Vec<Piece>, usize)> {
    if !all.get(at)?.is_mark(source, '(') {
        return None;
    }
    let close = closing(source, all, at)?;
    let group = &all[at..=close];
    if group.iter().any(|token| token.kind == TokenKind::Directive) {
        return None;
    }
    let is_spaced = |k: usize| k > 0 && group[k - 1].span.end < group[k].span.start;
    let pieces = group.iter().enumerate().map(|(k, token)| Piece::of(source, token, is_spaced(k)));
    Some((pieces.collect(), close + 1))
}

/// What follows in the source, where a macro's name comes last.
pub(super) type More<'a> = dyn FnMut() -> Option<Vec<Piece>> + 'a;

impl Macros {
    /// Expands all macros; none if that makes too much.
    pub(super) fn expand(&mut self, pieces: Vec<Piece>, more: &mut More<'_>) -> Option<Vec<Piece>> {
        let mut done = Vec::new();
        // What is still to be read, the last piece first.
        let mut rest: Vec<Piece> = pieces;
        rest.reverse();
        while let Some(piece) = rest.pop() {
            self.made += 1;
            if self.made > MOST_PIECES {
                return None;
            }
            if piece.kind != TokenKind::Identifier {
                done.push(piece);
                continue;
            }
            if piece.text == "__LINE__" {
                done.push(Piece { text: self.line.to_string(), kind: TokenKind::Number, ..piece });
                continue;
            }
            let Meaning::Defined(of) = self.meaning(&piece.text) else {
                done.push(piece);
                continue;
            };
            if piece.is_hidden(&piece.text) {
                done.push(piece);
                continue;
            }
            let mut made = match &of.parameters {
                None => self.substitute(&of, &[])?,
                Some(parameters) => {
                    if rest.is_empty()
                        && let Some(group) = more()
                    {
                        rest.extend(group.into_iter().rev());
                    }
                    let Some(arguments) = arguments(&mut rest, parameters.len(), of.is_variadic) else {
                        done.push(piece);
                        continue;
                    };
                    self.substitute(&of, &arguments)?
                }
            };
            if let Some(first) = made.first_mut() {
                first.is_spaced = piece.is_spaced;
            }
            for made in &mut made {
                made.hidden = match (&made.hidden, &piece.hidden) {
                    (None, hidden) => hidden.clone(),
                    (own, _) => own.clone(),
                };
                made.hide(&piece.text);
            }
            self.made += made.len();
            rest.extend(made.into_iter().rev());
        }
        Some(done)
    }

    /// A macro's body with arguments in place of its parameters.
    fn substitute(&mut self, of: &Macro, arguments: &[Vec<Piece>]) -> Option<Vec<Piece>> {
        let parameters = of.parameters.as_deref().unwrap_or_default();
        let place = |piece: &Piece| {
            let named =
                parameters.iter().position(|name| piece.kind == TokenKind::Identifier && *name == piece.text);
            named.or_else(|| (of.is_variadic && piece.text == "__VA_ARGS__").then(|| parameters.len() - 1))
        };
        let mut made: Vec<Piece> = Vec::new();
        let body = self.optional(of, arguments);
        let mut k = 0;
        while let Some(piece) = body.get(k) {
            self.made += 1;
            if self.made > MOST_PIECES {
                return None;
            }
            let next = body.get(k + 1);
            if piece.is("#")
                && of.parameters.is_some()
                && let Some(number) = next.and_then(place)
            {
                made.push(stringified(&arguments[number], piece.is_spaced));
                k += 2;
                continue;
            }
            if piece.is("##") && !made.is_empty() {
                let Some(next) = next else { break };
                let pasted: Vec<Piece> = match place(next) {
                    Some(number) => arguments[number].clone(),
                    None => vec![next.clone()],
                };
                let is_last = place(next) == Some(parameters.len().wrapping_sub(1));
                let is_comma = made.last().is_some_and(|last| last.is(","));
                if is_comma && of.is_variadic && is_last {
                    // `, ## __VA_ARGS__`: the comma goes where there are none.
                    if pasted.is_empty() {
                        made.pop();
                    }
                    made.extend(pasted);
                } else {
                    paste(&mut made, pasted);
                }
                k += 2;
                continue;
            }
            match place(piece) {
                Some(number) => {
                    let is_pasted = next.is_some_and(|next| next.is("##"));
                    let mut argument = if is_pasted {
                        arguments[number].clone()
                    } else {
                        self.expand(arguments[number].clone(), &mut || None)?
                    };
                    if is_pasted && argument.is_empty() {
                        // Nothing is put before what follows.
                        made.push(Piece { text: String::new(), ..piece.clone() });
                    }
                    if let Some(first) = argument.first_mut() {
                        first.is_spaced =
                            piece.is_spaced || is_sign(first) && made.last().is_some_and(is_sign);
                    }
                    made.extend(argument);
                }
                None => {
                    let mut piece = piece.clone();
                    let is_behind_argument = k > 0 && place(&body[k - 1]).is_some();
                    piece.is_spaced |=
                        is_behind_argument && is_sign(&piece) && made.last().is_some_and(is_sign);
                    made.push(piece);
                }
            }
            k += 1;
        }
        made.retain(|piece| !piece.text.is_empty());
        Some(made)
    }

    /// A body after `__VA_OPT__(...)`.
    fn optional(&self, of: &Macro, arguments: &[Vec<Piece>]) -> Vec<Piece> {
        let is_optional = |piece: &Piece| of.is_variadic && piece.text == "__VA_OPT__";
        if !of.body.iter().any(is_optional) {
            return of.body.clone();
        }
        let has_some = arguments.last().is_some_and(|last| !last.is_empty());
        let (mut body, mut k) = (Vec::new(), 0);
        while let Some(piece) = of.body.get(k) {
            if is_optional(piece) && of.body.get(k + 1).is_some_and(|next| next.is("(")) {
                let mut depth = 0;
                let length = of.body[k + 1..].iter().position(|piece| {
                    depth += i32::from(piece.is("(")) - i32::from(piece.is(")"));
                    depth == 0
                });
                let end = k + 1 + length.unwrap_or(of.body.len() - k - 2);
                if has_some {
                    let start = body.len();
                    body.extend_from_slice(&of.body[k + 2..end]);
                    if let Some(first) = body.get_mut(start) {
                        first.is_spaced |= piece.is_spaced;
                    }
                }
                k = end + 1;
            } else {
                body.push(piece.clone());
                k += 1;
            }
        }
        body
    }
}

/// `+` and `-` must not become `++`.
fn is_sign(piece: &Piece) -> bool {
    piece.kind == TokenKind::Punctuation
        && !matches!(piece.text.as_str(), "(" | ")" | "," | ";" | "[" | "]" | "{" | "}")
}

/// The arguments in the parentheses that come next, which are taken.
fn arguments(rest: &mut Vec<Piece>, count: usize, is_variadic: bool) -> Option<Vec<Vec<Piece>>> {
    if !rest.last()?.is("(") {
        return None;
    }
    let mut depth = 0;
    let end = rest.iter().rev().position(|piece| {
        depth += i32::from(piece.is("(")) - i32::from(piece.is(")"));
        depth == 0
    })?;
    let mut taken = rest.split_off(rest.len() - end - 1);
    taken.reverse();
    let inner = &taken[1..taken.len() - 1];
    let mut arguments: Vec<Vec<Piece>> = vec![Vec::new()];
    let mut depth = 0;
    for piece in inner {
        depth += i32::from(piece.is("(")) - i32::from(piece.is(")"));
        let is_rest = is_variadic && arguments.len() == count;
        if piece.is(",") && depth == 0 && !is_rest {
            arguments.push(Vec::new());
        } else {
            arguments.last_mut().expect("there is one").push(piece.clone());
        }
    }
    if count == 0 && inner.is_empty() {
        arguments.clear();
    }
    if is_variadic && arguments.len() + 1 == count {
        arguments.push(Vec::new());
    }
    if arguments.len() != count {
        // It stays as it is, and the compiler says what is wrong.
        rest.extend(taken.into_iter().rev());
        return None;
    }
    for first in arguments.iter_mut().filter_map(|argument| argument.first_mut()) {
        first.is_spaced = false;
    }
    Some(arguments)
}

/// `#x`.
fn stringified(argument: &[Piece], is_spaced: bool) -> Piece {
    let mut inner = String::new();
    for (k, piece) in argument.iter().enumerate() {
        if k > 0 && piece.is_spaced {
            inner.push(' ');
        }
        let is_literal = matches!(piece.kind, TokenKind::String | TokenKind::Character);
        if is_literal {
            inner.push_str(&piece.text.replace('\\', "\\\\").replace('"', "\\\""));
        } else {
            inner.push_str(&piece.text);
        }
    }
    Piece { text: format!("\"{inner}\""), kind: TokenKind::String, is_spaced, hidden: None }
}

/// `a##b`.
fn paste(made: &mut Vec<Piece>, pasted: Vec<Piece>) {
    let mut pasted = pasted.into_iter();
    if let (Some(last), Some(first)) = (made.last_mut(), pasted.next()) {
        last.text.push_str(&first.text);
        let all = tokens(&last.text);
        if let [only] = all.as_slice() {
            last.kind = only.kind;
        }
    }
    made.extend(pasted);
}
