//! A text after the preprocessor, and where its parts come from.

use std::ops::Range;

use super::WRONG_BRANCH;
use crate::SpecError;

/// A change of the user's text: what follows on its line has moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The line, from one.
    pub line: usize,
    /// Where the change ends in the user's line, in bytes from zero.
    pub column: usize,
    /// By how many bytes what follows has moved.
    pub moved: isize,
}

/// A text after the preprocessor.
#[derive(Clone, Debug, Default)]
pub struct Preprocessed {
    /// With as many lines as before.
    pub text: String,
    /// What was replaced, in order: places in `text`, and in the source.
    replaced: Vec<(Range<usize>, Range<usize>)>,
    /// The parts of `text` to which the compiler may come or not; none if no
    /// condition was looked at.
    open: Option<Vec<Range<usize>>>,
    /// Whether branches were left out or macros expanded.
    pub is_changed: bool,
}

impl Preprocessed {
    /// A text as it is.
    pub fn unchanged(source: &str) -> Preprocessed {
        Preprocessed { text: source.to_owned(), ..Preprocessed::default() }
    }

    /// Whether the compiler comes to a place of the text for certain; none if no
    /// condition was looked at.
    pub(crate) fn is_certain(&self, at: usize) -> Option<bool> {
        let open = self.open.as_ref()?;
        Some(!open.iter().any(|range| range.contains(&at)))
    }

    /// The place in the source that a place in the text comes from. What a
    /// macro made comes from the macro's use.
    pub fn place(&self, of: Range<usize>) -> Range<usize> {
        self.before(of.start).start
            ..self.before(of.end.max(of.start + 1) - 1).end.max(self.before(of.start).start)
    }

    fn before(&self, at: usize) -> Range<usize> {
        let k = self.replaced.partition_point(|(out, _)| out.start <= at);
        match k.checked_sub(1).map(|k| &self.replaced[k]) {
            Some((out, source)) if out.contains(&at) => source.clone(),
            Some((out, source)) => {
                let start = source.end + (at - out.end);
                start..start + 1
            }
            None => at..at + 1,
        }
    }

    /// The same text with changes, in order, that keep its lines. What they make
    /// comes from what they replace.
    pub(crate) fn replace(self, edits: &[(Range<usize>, String)]) -> Preprocessed {
        if edits.is_empty() {
            return self;
        }
        let mut text = String::with_capacity(self.text.len());
        let mut made: Vec<(Range<usize>, Range<usize>)> = Vec::new();
        let mut done = 0;
        for (range, new) in edits {
            text.push_str(&self.text[done..range.start]);
            let start = text.len();
            text.push_str(new);
            made.push((start..text.len(), self.place(range.clone())));
            done = range.end;
        }
        text.push_str(&self.text[done..]);
        // Where what stood at a place stands now; what was within a change is
        // part of it.
        let moved = |at: usize, is_end: bool| {
            let mut shift = 0_isize;
            for ((range, _), (new, _)) in edits.iter().zip(&made) {
                if at > range.start && at < range.end {
                    return if is_end { new.end } else { new.start };
                }
                if at >= range.end {
                    shift = new.end as isize - range.end as isize;
                }
            }
            at.saturating_add_signed(shift)
        };
        // What a macro has made, changes included, comes from its use; a change
        // that reaches beyond it is one.
        let is_part =
            |inner: &Range<usize>, outer: &Range<usize>| outer.start <= inner.start && inner.end <= outer.end;
        let is_kept = |out: &Range<usize>| {
            !edits.iter().any(|(range, _)| {
                let meets = out.start < range.end && range.start < out.end;
                meets && !is_part(range, out)
            })
        };
        let kept: Vec<_> = self.replaced.into_iter().filter(|(out, _)| is_kept(out)).collect();
        let is_macros = |range: &Range<usize>| kept.iter().any(|(out, _)| is_part(range, out));
        let own = edits.iter().zip(&made).filter(|((range, _), _)| !is_macros(range));
        let own: Vec<_> = own.map(|(_, made)| made.clone()).collect();
        let mut replaced: Vec<_> =
            kept.into_iter().map(|(out, of)| (moved(out.start, false)..moved(out.end, true), of)).collect();
        replaced.extend(own);
        replaced.sort_by_key(|(out, _)| out.start);
        let open = self.open.map(|open| {
            let at = |at: usize, is_end| if at == usize::MAX { at } else { moved(at, is_end) };
            open.into_iter().map(|range| at(range.start, false)..at(range.end, true)).collect()
        });
        Preprocessed { text, replaced, open, is_changed: true }
    }

    /// The same error about the source.
    pub(crate) fn relate(&self, error: SpecError, source: &str) -> SpecError {
        if error.text != self.text {
            return error;
        }
        let span = self.place(error.span);
        let floor =
            |at: usize| (0..=at.min(source.len())).rev().find(|at| source.is_char_boundary(*at)).unwrap_or(0);
        SpecError { span: floor(span.start)..floor(span.end), text: source.to_owned(), ..error }
    }

    /// How columns of the source have moved.
    pub(crate) fn changes(&self, source: &str) -> Vec<Change> {
        let change = |(out, of): &(Range<usize>, Range<usize>)| {
            let column_of =
                |at: usize, text: &str| at - text[..at].rfind('\n').map_or(0, |newline| newline + 1);
            let line = source[..of.end].matches('\n').count() + 1;
            let column = column_of(of.end, source);
            Change { line, column, moved: column_of(out.end, &self.text) as isize - column as isize }
        };
        // Each is counted from where the one before it has left the line.
        let mut changes: Vec<Change> = self.replaced.iter().map(change).collect();
        for k in (1..changes.len()).rev() {
            if changes[k].line == changes[k - 1].line {
                changes[k].moved -= changes[k - 1].moved;
            }
        }
        changes
    }
}

/// The text that is being made.
pub(super) struct Output<'a> {
    source: &'a str,
    done: usize,
    pub(super) result: Preprocessed,
}

impl<'a> Output<'a> {
    pub(super) fn new(source: &'a str) -> Output<'a> {
        let result = Preprocessed { open: Some(Vec::new()), ..Preprocessed::default() };
        Output { source, done: 0, result }
    }

    /// From here on, the compiler may come to the text or not.
    pub(super) fn set_open(&mut self, is_open: bool) {
        let at = self.result.text.len();
        let parts = self.result.open.get_or_insert_default();
        match parts.last_mut().filter(|last| last.end == usize::MAX) {
            Some(last) if !is_open => last.end = at,
            None if is_open => parts.push(at..usize::MAX),
            _ => {}
        }
    }

    /// The source as it is, up to a place.
    pub(super) fn copy(&mut self, end: usize) {
        self.result.text.push_str(&self.source[self.done..end]);
        self.done = end;
    }

    /// Other text for the source up to a place. Lines keep their numbers.
    pub(super) fn replace(&mut self, end: usize, by: &str) {
        let of = self.done..end;
        let start = self.result.text.len();
        self.result.text.push_str(by);
        let lines = self.source[of.clone()].matches('\n').count();
        self.result.text.push_str(&"\n".repeat(lines));
        self.result.replaced.push((start..self.result.text.len(), of));
        self.done = end;
        self.result.is_changed = true;
    }

    /// Nothing but the ends of its lines.
    pub(super) fn blank(&mut self, end: usize) {
        self.replace(end, "");
    }

    pub(super) fn leave_out(&mut self, end: usize, is_guarded: bool) {
        // It starts behind a directive, and so with the end of a line.
        let lines = self.source[self.done..end].matches('\n').count();
        if is_guarded && lines > 1 {
            let start = self.result.text.len();
            let rest = "\n".repeat(lines - 1);
            self.result.text.push_str(&format!("\n#error {WRONG_BRANCH}{rest}"));
            self.result.replaced.push((start..self.result.text.len(), self.done..end));
            self.done = end;
            self.result.is_changed = true;
        } else {
            self.blank(end);
        }
    }
}
