//! The compiler's messages as diagnostics on the user's lines.

use std::collections::BTreeSet;

use super::causes::Told;
use super::compile::{Message, Span};
use super::finding::{BORROWS, OPEN_TYPES};
use super::generate::Origin;
use super::hints::{self, Mistake, Scope, noise};
use super::line_map::{Map, last_word, line_end, offset};
use crate::diagnostic::{Diagnostic, Label, Severity, Source};
use crate::names;

/// A message as a diagnostic on the user's lines.
pub(super) struct Reporter<'a> {
    pub(super) map: Map<'a>,
    pub(super) source_of: &'a dyn Fn(u64) -> Option<Source>,
    /// Names that are gone, and where they went.
    pub(super) gone: &'a dyn Fn(&str) -> Option<String>,
    /// A name of the session that is much like another one: the compiler
    /// knows those only that the cell mentions.
    pub(super) similar: &'a dyn Fn(&str) -> Option<String>,
    pub(super) scope: &'a Scope<'a>,
}

impl Reporter<'_> {
    pub(super) fn report(&self, message: &Message) -> Told {
        let mut diagnostic = Diagnostic {
            severity: if message.is_error() { Severity::Error } else { Severity::Warning },
            code: message.code.as_ref().map(|code| code.code.clone()).filter(|code| code.starts_with('E')),
            message: tidy(&message.message),
            labels: Vec::new(),
            notes: Vec::new(),
            helps: Vec::new(),
            sources: Vec::new(),
        };
        for span in &message.spans {
            if let Some(label) = self.label(span, span.label.as_deref().unwrap_or(""), span.is_primary) {
                diagnostic.labels.push(label);
            }
        }
        for child in &message.children {
            self.add_child(&mut diagnostic, child);
        }
        // What is made to be shown says how that is done.
        if diagnostic.notes.iter().any(|note| note.contains("it is shown as a cell's value")) {
            diagnostic.helps.retain(|help| !help.starts_with("use `let _ = ...`"));
        }
        self.explain(&mut diagnostic, message);
        let is_advised = self.advise(&mut diagnostic, message);
        self.name_open_variable(&mut diagnostic, message);
        let cells: BTreeSet<u64> = diagnostic.labels.iter().map(|label| label.cell).collect();
        let mut sources: Vec<Source> = cells.into_iter().filter_map(|cell| (self.source_of)(cell)).collect();
        // The cell that has the error comes first.
        let primary = diagnostic.labels.iter().find(|label| label.is_primary).map(|label| label.cell);
        sources.sort_by_key(|source| Some(source.cell) != primary);
        diagnostic.sources = sources;
        Told { diagnostic, is_advised }
    }

    /// Adds gpurepl's advice; whether there is any.
    fn advise(&self, diagnostic: &mut Diagnostic, message: &Message) -> bool {
        let primary = diagnostic.labels.iter().find(|label| label.is_primary);
        let Some(label) = primary.or(diagnostic.labels.first()) else { return false };
        let Some(source) = (self.source_of)(label.cell) else { return false };
        let marks: Vec<Label> =
            diagnostic.labels.iter().filter(|mark| mark.cell == label.cell).cloned().collect();
        let range = label.range.clone();
        let mistake = Mistake { message, text: &source.text, range, scope: self.scope, marks: &marks };
        let Some(advice) = hints::advice(&mistake) else { return false };
        diagnostic.helps.retain(|help| !noise::is_guess(help));
        diagnostic.notes.retain(|note| !noise::is_reason(note));
        diagnostic.helps.push(advice);
        true
    }

    /// Whether what is borrowed is borrowed by a closure without `move`.
    fn is_in_closure(&self, message: &Message) -> bool {
        (self.source_of)(self.map.cell).is_some_and(|source| {
            let place = self.map.place(message, &source.text);
            place.is_some_and(|place| super::borrow::is_captured(message, &source.text, place))
        })
    }

    /// A type that is open to the end shows where the variable is put, which
    /// is our line: the user's is where it is bound.
    fn name_open_variable(&self, diagnostic: &mut Diagnostic, message: &Message) {
        if !diagnostic.labels.is_empty() || !OPEN_TYPES.contains(&message.code()) {
            return;
        }
        let Origin::Put(name) = self.map.primary(message) else { return };
        let Some(source) = (self.source_of)(self.map.cell) else { return };
        let open = tidy(message.message.split('`').nth(1).unwrap_or(""));
        let of = open.strip_prefix("cell::Ty<").and_then(|of| of.strip_suffix('>'));
        diagnostic.message = match &of {
            Some(of) => format!("type annotations needed for `{of}`"),
            None => format!("type annotations needed for `{name}`"),
        };
        diagnostic.helps = vec![match &of {
            Some(of) => format!("say what `_` is: `let {name}: {of} = ..`"),
            None => format!("say what it holds: `let {name}: Vec<f32> = ..`"),
        }];
        let range = last_word(&source.text, &name);
        let text = "the cell leaves open what this holds".to_owned();
        diagnostic.labels.extend(range.map(|range| Label {
            cell: self.map.cell,
            range,
            text,
            is_primary: true,
        }));
    }

    /// A place in the user's text, if the span has one.
    fn label(&self, span: &Span, text: &str, is_primary: bool) -> Option<Label> {
        let span = self.map.in_file(span)?;
        let (origin, line) = self.map.lines(span);
        let Origin::User { cell, line: user_line } = origin else { return None };
        let source = (self.source_of)(cell)?;
        // A name of a `use` stands on a line of its own there: the user's has
        // other columns.
        if self.map.generated.leaf_lines.contains(&(line - 1)) {
            let start = offset(&source.text, user_line, 1);
            let range = start..line_end(&source.text, user_line);
            return Some(Label { cell, range, text: tidy(text), is_primary });
        }
        let last = span.line_end.max(line);
        let start_column = if line == span.line_start { self.map.column(line, span.column_start) } else { 1 };
        let start = offset(&source.text, user_line, start_column);
        let end = match self.map.lines(&Span { line_start: last, line_end: last, ..span.clone() }).0 {
            Origin::User { cell: last_cell, line: last_line } if last_cell == cell => {
                offset(&source.text, last_line, self.map.column(last, span.column_end))
            }
            _ => line_end(&source.text, user_line),
        };
        Some(Label { cell, range: start..end.max(start), text: tidy(text), is_primary })
    }

    fn add_child(&self, diagnostic: &mut Diagnostic, child: &Message) {
        let is_about_ours = !child.spans.is_empty()
            && child.spans.iter().all(|span| !matches!(self.map.origin(span), Origin::User { .. }));
        // Advice to change our lines helps nobody.
        if is_about_ours {
            return;
        }
        let mut text = tidy(&child.message);
        let replacements = child.spans.iter().filter_map(|span| span.suggested_replacement.as_ref());
        let replacements: Vec<&str> = replacements
            .map(|text| text.trim())
            .filter(|text| !text.is_empty() && !text.contains('\n'))
            .collect();
        if let [only] = replacements[..]
            && only.len() < 80
            && (only.len() < 3 || !text.contains(only))
        {
            let line = self.corrected(child).unwrap_or_else(|| (*only).to_owned());
            text = format!("{text}: `{line}`");
        } else if let [_, _, ..] = replacements[..]
            && let Some(line) = self.corrected(child)
        {
            text = format!("{text}: `{line}`");
        }
        for span in child.spans.iter().filter(|span| span.suggested_replacement.is_none()) {
            if let Some(label) = self.label(span, span.label.as_deref().unwrap_or(&text), false) {
                let is_new = !diagnostic
                    .labels
                    .iter()
                    .any(|known| known.range == label.range && known.cell == label.cell);
                if is_new {
                    diagnostic.labels.push(label);
                }
            }
        }
        match child.level.as_str() {
            _ if noise::is_noise(&text) || noise::is_internal(&text) => {}
            "help" if noise::is_list(&text) => {}
            "help" => diagnostic.helps.push(text),
            _ => diagnostic.notes.push(text),
        }
    }

    /// The user's line as a suggestion would have it: `.shape()` alone says
    /// little. Nothing if it is about several lines, or several suggestions
    /// for one place.
    fn corrected(&self, child: &Message) -> Option<String> {
        let mut edits: Vec<(Label, &str)> = Vec::new();
        for span in &child.spans {
            let Some(replacement) = span.suggested_replacement.as_deref() else { continue };
            let line = self.map.lines(self.map.in_file(span)?).1;
            if self.map.generated.leaf_lines.contains(&line.checked_sub(1)?) {
                return None;
            }
            edits.push((self.label(span, "", false)?, replacement));
        }
        edits.sort_by_key(|(label, _)| (label.cell, label.range.start, label.range.end));
        let (first, last) = (&edits.first()?.0, &edits.last()?.0);
        let source = (self.source_of)(first.cell)?;
        let is_apart = |pair: &[(Label, &str)]| {
            pair[0].0.range.end <= pair[1].0.range.start && pair[0].0.range != pair[1].0.range
        };
        let is_one_line =
            first.cell == last.cell && !source.text.get(first.range.start..last.range.end)?.contains('\n');
        if !is_one_line || !edits.windows(2).all(is_apart) {
            return None;
        }
        let mut line = source.text.clone();
        for (label, replacement) in edits.iter().rev() {
            line.replace_range(label.range.clone(), replacement);
        }
        let start = source.text[..first.range.start].rfind('\n').map_or(0, |newline| newline + 1);
        let line = line[start..].lines().next()?.trim();
        (line.len() < 80).then(|| line.to_owned())
    }

    /// Adds what only a session knows.
    fn explain(&self, diagnostic: &mut Diagnostic, message: &Message) {
        let quoted = message.message.split('`').nth(1).unwrap_or("");
        let code = match message.code() {
            "E0423" if is_value_hidden_by_macro(message, quoted) => {
                diagnostic.message = format!("cannot find value `{quoted}` in this scope");
                for label in diagnostic.labels.iter_mut().filter(|label| label.is_primary) {
                    label.text = "not found in this scope".to_owned();
                }
                diagnostic.code = Some("E0425".to_owned());
                "E0425"
            }
            code => code,
        };
        match code {
            // Names of macros and modules may hide that a variable is gone.
            "E0423" => diagnostic.helps.extend((self.gone)(quoted)),
            "E0425" => self.explain_missing(diagnostic, quoted),
            _ if BORROWS.contains(&message.code()) => self.explain_borrow(diagnostic, message),
            "E0434" => diagnostic.helps.insert(0, AS_ARGUMENTS.to_owned()),
            "E0069" | "E0308"
                if message.message.contains("return;") || message.message.contains("`return;`") =>
            {
                diagnostic.helps.push(END_EARLY.to_owned());
            }
            "E0267" | "E0268" => {
                diagnostic.message =
                    "`break` and `continue` leave loops, and a cell is not a loop".to_owned();
                diagnostic.labels.retain(|label| label.is_primary);
                diagnostic.labels.iter_mut().for_each(|label| label.text.clear());
                diagnostic.helps = vec![END_EARLY.to_owned()];
            }
            "E0384" | "E0594" | "E0596" => self.explain_immutable(diagnostic, message),
            "E0277" if message.message.contains("the `?` operator on") => {
                diagnostic.labels.retain(|label| label.is_primary);
            }
            _ => {}
        }
    }

    /// A name that is not there.
    fn explain_missing(&self, diagnostic: &mut Diagnostic, name: &str) {
        if let Some(where_to) = (self.gone)(name) {
            diagnostic.helps.push(where_to);
        } else if (self.similar)(name).is_some_and(|known| known == name) {
            // The variable is there, but not within a function.
            diagnostic.helps.retain(|help| !help.contains("similar name"));
            diagnostic.helps.push(AS_ARGUMENTS.to_owned());
        } else if let Some(similar) = (self.similar)(name)
            && !diagnostic.helps.iter().any(|help| help.contains("similar name"))
        {
            diagnostic.helps.push(format!("the session has a similar name: `{similar}`"));
        }
    }

    /// A reference that would outlive its cell.
    fn explain_borrow(&self, diagnostic: &mut Diagnostic, message: &Message) {
        let is_kept = |span: &Span| {
            matches!(self.map.origin(span), Origin::PutBack(_))
                || span.label.as_ref().is_some_and(|label| label.contains("is borrowed for `'"))
        };
        let has =
            |diagnostic: &Diagnostic, word: &str| diagnostic.helps.iter().any(|help| help.contains(word));
        if self.is_in_closure(message) && !has(diagnostic, "move") {
            diagnostic.helps.push(MOVE.to_owned());
        } else if message.spans.iter().any(is_kept) {
            diagnostic.helps.push(
                "variables outlive their cells, so they cannot hold references to each other; give this one a \
                 value of its own: `move`, `.clone()`, `.to_owned()`"
                    .to_owned(),
            );
        }
        // Its place may be a generated line.
        if message.code() == "E0373" && !has(diagnostic, "`move`") {
            diagnostic.helps.push(MOVE.to_owned());
        }
    }

    /// A variable of an earlier cell that was declared without `mut`.
    fn explain_immutable(&self, diagnostic: &mut Diagnostic, message: &Message) {
        let taken = message.spans.iter().chain(message.children.iter().flat_map(|child| &child.spans));
        let mut taken = taken.filter_map(|span| match self.map.origin(span) {
            Origin::Take(name) => Some(name),
            _ => None,
        });
        if let Some(name) = taken.next_back() {
            diagnostic
                .helps
                .push(format!("`{name}` was declared without `mut`; write `let mut {name} = {name};`"));
            return;
        }
        // One of the same cell: rustc does not spell the line.
        let name = message.message.split('`').nth(1).unwrap_or_default();
        let is_bound = diagnostic.labels.iter().filter(|label| label.is_primary).any(|label| {
            (self.source_of)(label.cell).is_some_and(|source| source.text.contains(&format!("let {name}")))
        });
        for help in diagnostic.helps.iter_mut().filter(|help| is_bound && noise::is_unspelt(help)) {
            *help = format!("`{name}` is declared without `mut`; write `let mut {name} = ..`");
        }
    }
}

const AS_ARGUMENTS: &str = "a function cannot see the variables of cells; pass them as arguments";
const END_EARLY: &str = "to end a cell early, write `return Ok(())`";
const MOVE: &str = "write `move` before `|`: the closure then owns its values";

/// Whether a variable that is not there has the name of a macro of the
/// prelude: the compiler then speaks of the macro, which nobody meant.
fn is_value_hidden_by_macro(message: &Message, name: &str) -> bool {
    message.message.starts_with("expected value, found macro")
        && names::MACROS.iter().any(|known| known.strip_suffix('!') == Some(name))
}

/// The compiler's text without names that only generated code has.
fn tidy(text: &str) -> String {
    let text = super::versions::as_written(&crate::dependencies::shown(text));
    let text = super::results::as_written(&text).replace("ctx::", "");
    let without = |text: String, name: &&str| text.replace(&format!("{name}::"), "");
    crate::type_names::PRELUDE
        .iter()
        .fold(text, without)
        .replace("array::GpuArray", "GpuArray")
        .replace("cell::CellError", "Error")
        .replace("CellError", "Error")
}
