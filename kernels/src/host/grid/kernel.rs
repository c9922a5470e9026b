//! A kernel's body as it is read, and the changes to it.

use std::collections::HashSet;
use std::ops::Range;

use super::sums::{Locals, declare, is_type_word};
use crate::host::functions::Informed;
use crate::host::reach::Reach;
use crate::host::rewrite::Edit;
use crate::token::{Token, TokenKind, closing, tokens};

/// A kernel's body as it is read.
pub(super) struct Kernel<'a> {
    pub(super) text: &'a str,
    pub(super) all: &'a [Token],
    /// Where the body starts in the source.
    pub(super) offset: usize,
    pub(super) reach: &'a Reach,
    pub(super) informed: &'a Informed<'a>,
    pub(super) locals: Locals<'a>,
    /// Names in the kernel's head.
    pub(super) parameters: HashSet<String>,
    pub(super) edits: Vec<Edit>,
}

impl Kernel<'_> {
    pub(super) fn is(&self, k: usize, mark: char) -> bool {
        self.all.get(k).is_some_and(|token| token.is_mark(self.text, mark))
    }

    /// Reads declarations of integers up to the first other statement.
    pub(super) fn read_declarations(&mut self) -> Option<usize> {
        let mut k = 1;
        loop {
            let first = self.all.get(k)?;
            if ["for", "while", "if"].iter().any(|name| first.is_name(self.text, name)) {
                return Some(k);
            }
            let end = k + self.all[k..].iter().position(|token| token.is_mark(self.text, ';'))?;
            // What the body could change behind our back, it cannot.
            if declare(self.text, &self.all[k..end], &mut self.locals)? && !first.is_name(self.text, "const")
            {
                let place = self.offset + first.span.start;
                self.edits.push((place..place, "const ".to_owned()));
            }
            k = end + 1;
        }
    }

    /// Replaces tokens; the number of lines stays.
    pub(super) fn replace(&mut self, tokens: Range<usize>, with: &str) {
        let start = self.all[tokens.start].span.start;
        let end = self.all[tokens.end - 1].span.end;
        let lines = self.text[start..end].matches('\n').count();
        let lines = lines.saturating_sub(with.matches('\n').count());
        self.edits.push((self.offset + start..self.offset + end, format!("{with}{}", "\n".repeat(lines))));
    }

    pub(super) fn insert_before(&mut self, k: usize, text: &str) {
        let place = self.offset + self.all[k].span.start;
        self.edits.push((place..place, text.to_owned()));
    }

    /// Whether tokens are the same for all threads along x, whenever they are
    /// looked at: numbers, arguments, and sums of them.
    pub(super) fn is_uniform(&self, part: &[Token], without: &str) -> bool {
        let text = self.text;
        let is_operator = |token: &Token| {
            ['+', '-', '*', '/', '%', '<', '>', '=', '!', '&', '|', '(', ')', '.']
                .iter()
                .any(|mark| token.is_mark(text, *mark))
        };
        let value = |token: &Token| {
            matches!(token.kind, TokenKind::Identifier | TokenKind::Number) || token.is_mark(text, ')')
        };
        !part.is_empty()
            && part.iter().enumerate().all(|(k, token)| {
                let before = k.checked_sub(1).map(|k| &part[k]);
                let next = part.get(k + 1);
                match token.kind {
                    TokenKind::Number => true,
                    TokenKind::Identifier => {
                        let word = token.text(text);
                        let is_call = next.is_some_and(|next| next.is_mark(text, '('));
                        let is_axis = before.is_some_and(|before| before.is_mark(text, '.'));
                        let is_known = match word {
                            "blockDim" | "gridDim" => true,
                            "threadIdx" | "blockIdx" => {
                                part.get(k + 2).is_some_and(|axis| axis.text(text) != "x")
                            }
                            _ if self.locals.sums.contains_key(word) => !self.locals.depends_on_place(word),
                            _ => is_axis || is_type_word(text, token) || self.parameters.contains(word),
                        };
                        !is_call && is_known && word != without
                    }
                    _ => {
                        // A star before a value reads memory; one `=` writes.
                        let reads = token.is_mark(text, '*') && !before.is_some_and(value);
                        let compares = |other: Option<&Token>| {
                            other.is_some_and(|other| {
                                ['=', '<', '>', '!'].iter().any(|mark| other.is_mark(text, *mark))
                            })
                        };
                        let writes = token.is_mark(text, '=') && !compares(before) && !compares(next);
                        is_operator(token) && !reads && !writes
                    }
                }
            })
    }

    /// Whether tokens are one number that is the same for all threads.
    pub(super) fn is_bound(&self, part: &[Token], without: &str) -> bool {
        let compares =
            |token: &Token| ['<', '>', '=', '!', '&', '|'].iter().any(|mark| token.is_mark(self.text, *mark));
        self.is_uniform(part, without) && !part.iter().any(compares)
    }

    /// A text in which functions that are asked for a place get it.
    pub(super) fn with_places(&self, part: &str) -> String {
        let all = tokens(part);
        let mut text = String::new();
        let mut done = 0;
        for (k, token) in all.iter().enumerate() {
            let is_call = all.get(k + 1).is_some_and(|open| open.is_mark(part, '('));
            if is_call && self.locals.returned.contains_key(token.text(part)) {
                let end = all[k + 1].span.end;
                text.push_str(&part[done..end]);
                text.push_str("threadIdx, blockIdx, blockDim, gridDim");
                done = end;
            }
        }
        text.push_str(&part[done..]);
        text
    }

    /// The last token of the statement at a place, if it is a block or simple.
    pub(super) fn last_of_statement(&self, k: usize) -> Option<usize> {
        if self.is(k, '{') {
            return closing(self.text, self.all, k);
        }
        let first = self.all.get(k)?.text(self.text);
        if matches!(first, "for" | "while" | "if" | "do" | "switch") {
            return None;
        }
        Some(k + self.all[k..].iter().position(|token| token.is_mark(self.text, ';'))?)
    }
}
