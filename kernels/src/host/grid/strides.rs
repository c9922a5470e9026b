//! Loops by strides: `for (int i = first; i < n; i += blockDim.x*gridDim.x)`.

use std::collections::HashSet;
use std::ops::Range;

use super::kernel::Kernel;
use super::sums::{global, is_type_word, product, sum, text_of};
use crate::token::{Token, TokenKind, closing};

/// Where a loop must end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    /// Where the kernel does.
    WithKernel,
    Anywhere,
}

/// A loop by strides.
pub(super) struct Stride {
    /// What declares `gpurepl_at_`, the first thread's index.
    pub(super) at: String,
    /// The index, and whether it is declared within the loop.
    pub(super) name: String,
    pub(super) is_declared: bool,
    pub(super) bound: String,
    pub(super) by: String,
    /// The tokens from `for` up to the body.
    pub(super) header: Range<usize>,
    /// The body without the step of a `while`.
    pub(super) inner: Range<usize>,
    /// The body's last token.
    pub(super) last: usize,
}

impl Kernel<'_> {
    /// A loop at the end that keeps nothing from one turn to the next.
    pub(super) fn strides(&mut self, k: usize) -> Option<()> {
        let Stride { at, name, bound, by, header, inner, .. } = self.stride(k, Ends::WithKernel)?;
        if !self.is_free(&self.all[inner], &name, &HashSet::new(), true) {
            return None;
        }
        let text = format!(
            "for ({at}; gpurepl_at_ < {bound}; gpurepl_at_ += {by}) _Pragma(\"GCC ivdep\") \
             for (decltype(gpurepl_at_) gpurepl_k = gpurepl_at_, gpurepl_end = gpurepl_until(gpurepl_at_, gpurepl_width, {bound}); \
             gpurepl_k < gpurepl_end; gpurepl_k++) if (const auto {name} = gpurepl_k; true)"
        );
        self.replace(header, &text);
        Some(())
    }

    /// `for (int i = first; i < n; i += step) ...`, or the same by `while`,
    /// whose last statement is taken out.
    pub(super) fn stride(&mut self, k: usize, ends: Ends) -> Option<Stride> {
        let (text, all) = (self.text, self.all);
        let is_for = all[k].is_name(text, "for");
        let open = k + 1;
        let close = closing(text, all, open).filter(|_| self.is(open, '('))?;
        let parts: Vec<&[Token]> = all[open + 1..close].split(|token| token.is_mark(text, ';')).collect();
        let (start, condition) = match (is_for, parts.as_slice()) {
            (true, [start, condition, _]) => (*start, *condition),
            (false, [condition]) => (&[] as &[Token], *condition),
            _ => return None,
        };
        let braced = self.is(close + 1, '{');
        let last = self.last_of_statement(close + 1)?;
        if ends == Ends::WithKernel && last + 2 != all.len() {
            return None;
        }
        let mut inner = close + 1..last + 1;
        let step: &[Token] = if is_for {
            parts[2]
        } else {
            // `while`: the last statement continues.
            let end = last.checked_sub(1).filter(|end| braced && self.is(*end, ';'))?;
            let ends = |k: &usize| [';', '{', '}'].iter().any(|mark| self.is(*k, *mark));
            let first = (close + 1..end).rev().find(ends)? + 1;
            inner.end = first;
            if all[close + 1..first].iter().any(|token| token.is_name(text, "continue")) {
                return None;
            }
            self.replace(first..end + 1, "");
            &all[first..end]
        };
        let [variable, less, bound @ ..] = condition else { return None };
        if !less.is_mark(text, '<') || variable.kind != TokenKind::Identifier {
            return None;
        }
        let name = variable.text(text);
        // `int i = first`, `i = first`, or declared before.
        let (at, first) = match start.iter().position(|token| token.is_mark(text, '=')) {
            None if start.is_empty() => {
                (format!("auto gpurepl_at_ = {name}"), self.locals.sums.get(name)?.clone())
            }
            None => return None,
            Some(equals) => {
                let words = &start[..equals.checked_sub(1)?];
                let is_declared = words.iter().all(|word| is_type_word(text, word));
                if start[equals - 1].text(text) != name
                    || words.is_empty() != self.locals.bare.contains(name)
                    || !is_declared
                {
                    return None;
                }
                let of = match words {
                    [] => format!("decltype({name})"),
                    words => text_of(text, words),
                };
                let value = &start[equals + 1..];
                (
                    format!("{of} gpurepl_at_ = {}", self.with_places(&text_of(text, value))),
                    sum(text, value, &self.locals)?,
                )
            }
        };
        let [target, plus, equals, by @ ..] = step else { return None };
        let is_step = target.text(text) == name && plus.is_mark(text, '+') && equals.is_mark(text, '=');
        if !is_step
            || first != global()
            || sum(text, by, &self.locals)? != product(&["blockDim.x", "gridDim.x"])
        {
            return None;
        }
        if !self.is_bound(bound, name) {
            return None;
        }
        let is_declared = start.first().is_some_and(|first| is_type_word(text, first));
        Some(Stride {
            at,
            name: name.to_owned(),
            is_declared,
            bound: text_of(text, bound),
            by: text_of(text, by),
            header: k..close + 1,
            inner,
            last,
        })
    }

    /// Whether a body uses its place through `name` alone, and keeps nothing
    /// for another turn. `again`: what is declared again for each.
    pub(super) fn is_free(&self, body: &[Token], name: &str, again: &HashSet<String>, is_loop: bool) -> bool {
        const LEAVING: [&str; 6] = ["return", "goto", "static", "assert", "__trap", "asm"];
        let text = self.text;
        body.iter().enumerate().all(|(k, token)| {
            if token.kind != TokenKind::Identifier {
                // A lambda, which may refer to anything.
                let is_lambda = token.is_mark(text, '[')
                    && k > 0
                    && ['=', '(', ',', '{', ';'].iter().any(|mark| body[k - 1].is_mark(text, *mark));
                return !is_lambda;
            }
            let word = token.text(text);
            if matches!(word, "threadIdx" | "blockIdx") {
                return body.get(k + 2).is_some_and(|axis| matches!(axis.text(text), "y" | "z"));
            }
            // Which loop a `break` ends, nobody asks.
            let leaves = LEAVING.contains(&word) || (is_loop && word == "break");
            let takes_references =
                || self.reach.units().iter().any(|unit| unit.name == word && unit.takes_references);
            if leaves || self.informed.contains(word) || takes_references() {
                return false;
            }
            let is_member = k > 0 && body[k - 1].is_mark(text, '.');
            if is_member || word == name || again.contains(word) {
                return true;
            }
            if self.locals.bare.contains(word) || self.locals.depends_on_place(word) {
                return false;
            }
            let is_kept = self.parameters.contains(word) || self.locals.sums.contains_key(word);
            !is_kept || !changes(text, body, k)
        })
    }
}

/// Whether the name at a place is changed there, or its address taken.
pub(super) fn changes(text: &str, body: &[Token], k: usize) -> bool {
    let is = |at: Option<usize>, mark: char| {
        at.and_then(|at| body.get(at)).is_some_and(|token| token.is_mark(text, mark))
    };
    let (one, two) = (k.checked_sub(1), k.checked_sub(2));
    let next = |n: usize, mark: char| is(Some(k + n), mark);
    let assigned = next(1, '=') && !next(2, '=');
    let combined = ['+', '-', '*', '/', '%', '&', '|', '^'].iter().any(|mark| next(1, *mark) && next(2, '='))
        || ['<', '>'].iter().any(|mark| next(1, *mark) && next(2, *mark) && next(3, '='));
    let stepped = ['+', '-']
        .iter()
        .any(|mark| (next(1, *mark) && next(2, *mark)) || (is(one, *mark) && is(two, *mark)));
    // `a && n` takes no address.
    let is_address = is(one, '&') && !is(two, '&');
    assigned || combined || stepped || is_address
}
