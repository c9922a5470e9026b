//! What the compiler's messages mean for a cell: some are the user's, some
//! are about lines of ours and say how the cell has to be compiled instead.

use std::collections::BTreeSet;

use super::causes::Told;
use super::compile::{Message, Span};
use super::generate::{Generated, Origin, Preferred};
use super::hints::{self, Mistake, Scope, noise};
use crate::diagnostic::{Diagnostic, Label, Severity, Source};
use crate::names;

/// What a message about one of our lines asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Finding {
    /// The cell moves a variable: it is to be taken within the guard. The part
    /// that it moves, if it leaves the rest.
    Moves { name: String, part: Option<String> },
    /// A new variable borrows, so it cannot be kept.
    Borrows(String),
    /// Some new variable borrows; the older variable that the message is about.
    Borrowed(Option<String>),
    /// Some new variable borrows from this one, and uses it after it is put.
    Lends(String),
    /// A variable that is not kept ends after what it borrows is put.
    EndsLate { name: String, lender: String },
    /// A variable that is not kept cannot be ended early.
    CannotEnd(String),
    /// A new variable cannot be kept; why, if the user should know.
    NotKept { name: String, reason: Option<String> },
    /// The type of a variable of the session cannot be written any more.
    Lost { name: String, reason: String },
    /// A new variable's cast does not fit its type.
    BadCast(String),
    /// An item of an earlier cell does not compile any more.
    BrokenItem(Broken),
    /// An implementation of an earlier cell is in the way of this cell's: the
    /// trait and the type that both are for.
    Conflict { broken: Broken, of_trait: String, of_type: String },
    /// An implementation of this cell's is there already, by the library's for
    /// all types that have another one.
    Blanket { of_trait: String, of_type: String },
    /// The last expression has no value: it never ends.
    NoValue,
    /// Items may be missing that the cell did not seem to reach.
    MayNeedAllItems,
    /// Types of literals are open.
    OpenTypes,
    /// The message is the user's.
    Users,
}

/// What does not compile any more, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Broken {
    /// The item, by its place among those of the session; none for a `use`.
    pub(super) item: Option<usize>,
    pub(super) cell: u64,
    pub(super) line: usize,
    pub(super) message: String,
}

/// Codes that a lifetime error of a kept variable comes with.
const BORROWS: &[&str] = &[
    "E0310", "E0311", "E0373", "E0499", "E0500", "E0501", "E0502", "E0503", "E0505", "E0506", "E0515",
    "E0521", "E0524", "E0597", "E0621", "E0700", "E0712", "E0713", "E0716",
];

/// Codes that an item left out can cause without being named: a trait
/// implementation, say.
const MAY_NEED_ITEMS: &[&str] =
    &["E0038", "E0271", "E0277", "E0282", "E0283", "E0369", "E0599", "E0600", "E0608", "E0618"];

/// Codes of what is defined twice.
const TWICE: &[&str] = &["E0119", "E0428", "E0592"];

/// Codes of types that inference leaves open.
const OPEN_TYPES: &[&str] = &["E0282", "E0283", "E0284", "E0689"];

/// Looks up what generated lines are.
pub(super) struct Map<'a> {
    pub(super) generated: &'a Generated,
    pub(super) file: &'a str,
    /// The cell being compiled.
    pub(super) cell: u64,
}

impl Map<'_> {
    /// The origin of a place: through macros to where they are called, and
    /// the first line of the user's of those that it covers.
    pub(super) fn origin(&self, span: &Span) -> Origin {
        match self.in_file(span) {
            Some(span) => self.lines(span).0,
            None => Origin::Generated,
        }
    }

    /// A place within the compiled file: a macro's call, not its definition.
    fn in_file<'s>(&self, span: &'s Span) -> Option<&'s Span> {
        let mut span = span;
        while span.file_name != self.file {
            span = &span.expansion.as_ref()?.span;
        }
        Some(span)
    }

    fn lines(&self, span: &Span) -> (Origin, usize) {
        let of = |line: usize| self.generated.origins.get(line.wrapping_sub(1)).unwrap_or(&Origin::Generated);
        let covered = span.line_start..=span.line_end;
        let users = covered.clone().find(|line| matches!(of(*line), Origin::User { .. }));
        // Of our own lines the first counts.
        let line = users.unwrap_or(span.line_start);
        (of(line).clone(), line)
    }

    /// The macro call of an earlier cell that a place was written by.
    fn earlier_call(&self, span: &Span, message: &str) -> Option<Broken> {
        let mut call = &span.expansion.as_ref()?.span;
        while let Some(outer) = &call.expansion {
            call = &outer.span;
        }
        if call.file_name != self.file {
            return None;
        }
        let Origin::User { cell, line } = self.lines(call).0 else { return None };
        let item = self.generated.item_at(call.line_start.checked_sub(1)?)?;
        (cell != self.cell).then(|| Broken { item: Some(item), cell, line, message: message.to_owned() })
    }

    /// The item of an earlier cell that a place is in.
    fn earlier_item(&self, span: &Span, message: &str) -> Option<Broken> {
        if span.expansion.is_some() || span.file_name != self.file {
            return None;
        }
        let Origin::User { cell, line } = self.lines(span).0 else { return None };
        let item = self.generated.item_at(span.line_start.checked_sub(1)?)?;
        (cell != self.cell).then(|| Broken { item: Some(item), cell, line, message: message.to_owned() })
    }

    /// The item of an earlier cell that a message names beside this cell's.
    fn conflicting_item(&self, message: &Message) -> Option<Broken> {
        let Origin::User { cell, .. } = self.primary(message) else { return None };
        if cell != self.cell {
            return None;
        }
        message.spans.iter().find_map(|span| {
            let span = self.in_file(span)?;
            let (Origin::User { cell, line }, at) = self.lines(span) else { return None };
            let item = self.generated.item_at(at.checked_sub(1)?)?;
            let message = message.message.clone();
            (cell != self.cell).then_some(Broken { item: Some(item), cell, line, message })
        })
    }

    /// Where a message points to in the cell's text, in bytes.
    pub(super) fn place(&self, message: &Message, source: &str) -> Option<usize> {
        let span = self.in_file(message.spans.iter().find(|span| span.is_primary)?)?;
        match self.lines(span) {
            (Origin::User { cell, line }, at) if cell == self.cell && at == span.line_start => {
                Some(offset(source, line, span.column_start))
            }
            _ => None,
        }
    }

    fn primary(&self, message: &Message) -> Origin {
        message.spans.iter().find(|span| span.is_primary).map_or(Origin::Generated, |span| self.origin(span))
    }

    /// The line of the generated text, from zero, that a message is about.
    fn primary_line(&self, message: &Message) -> Option<usize> {
        let span = self.in_file(message.spans.iter().find(|span| span.is_primary)?)?;
        self.lines(span).1.checked_sub(1)
    }

    /// The user's import of a name that is ambiguous because the prelude has
    /// it too: names of the prelude give way. rustc names two of the imports
    /// that bring it; of several of the user's it has to be asked again, without
    /// the prelude's.
    fn preferred(&self, message: &Message) -> Option<Preferred> {
        let name = message.message.strip_prefix('`')?.split('`').next()?;
        let leaf = |line: usize| {
            let is_leaf = self.generated.leaf_lines.contains(&line);
            self.generated.text.split('\n').nth(line).filter(|_| is_leaf)
        };
        let globs = message.children.iter().flat_map(|child| &child.spans).filter_map(|span| {
            let line = self.in_file(span)?.line_start.checked_sub(1)?;
            leaf(line)
        });
        let globs: BTreeSet<&str> = globs.collect();
        let path = globs.first().filter(|_| globs.len() == 1)?.trim().strip_suffix("*;")?;
        let all = self.generated.leaf_lines.iter().filter_map(|line| leaf(*line));
        Some(match all.filter(|leaf| leaf.trim().ends_with("*;")).count() {
            1 => Preferred::Import(format!("{path}{name};")),
            _ => Preferred::Name(name.to_owned()),
        })
    }

    /// The new variables that a message names by their lines: those first
    /// that have to live for ever, then the last. A closure that borrows is
    /// told about in a note.
    fn put_labels(&self, message: &Message) -> Vec<String> {
        let notes = message.children.iter().flat_map(|child| &child.spans);
        let puts = message.spans.iter().chain(notes).filter_map(|span| match self.origin(span) {
            Origin::Put(name) => {
                let is_kept = span.label.as_ref().is_some_and(|label| label.contains("'static"));
                Some((is_kept, span.line_start, name))
            }
            _ => None,
        });
        let mut puts: Vec<(bool, usize, String)> = puts.collect();
        puts.sort();
        puts.into_iter().rev().map(|(_, _, name)| name).collect()
    }
}

/// Codes of a name that two `use ..::*` bring. It is a warning, and the first
/// of them wins, where one is of another crate.
const AMBIGUOUS: &[&str] = &["E0659", "ambiguous_glob_imports"];

/// The imports that make names the user's which the prelude has too.
pub(super) fn preferred_imports(map: &Map<'_>, messages: &[Message]) -> Vec<Preferred> {
    let ambiguous = messages.iter().filter(|message| AMBIGUOUS.contains(&message.code()));
    ambiguous.filter_map(|message| map.preferred(message)).collect()
}

/// What an error asks for.
pub(super) fn classify(map: &Map<'_>, message: &Message, has_items: bool) -> Finding {
    let code = message.code();
    let origin = map.primary(message);
    let puts = map.put_labels(message);
    let moved = matches!(code, "E0382" | "E0507");
    // What a macro call defines anew takes the place of an earlier call's.
    if TWICE.contains(&code)
        && let Some(broken) = message.spans.iter().find_map(|span| {
            let call = map.earlier_call(span, &message.message);
            // A macro may pass on an item as it was written in its call.
            call.or_else(|| map.earlier_item(span, &message.message).filter(|_| code == "E0428"))
        })
    {
        return Finding::BrokenItem(broken);
    }
    if code == "E0119"
        && let [_, of_trait, _, of_type, ..] = message.message.split('`').collect::<Vec<_>>()[..]
    {
        let (of_trait, of_type) = (of_trait.to_owned(), of_type.to_owned());
        if let Some(broken) = map.conflicting_item(message) {
            return Finding::Conflict { broken, of_trait, of_type };
        }
        let is_own = matches!(&origin, Origin::User { cell, .. } if *cell == map.cell);
        let is_of_library = message.children.iter().any(|child| child.message.contains("in crate `"));
        if is_own && is_of_library {
            return Finding::Blanket { of_trait, of_type };
        }
    }
    let is_lifetime = BORROWS.contains(&code) || (code.is_empty() && message.message.contains("lifetime"));
    match &origin {
        // Of another type is what a macro has bound under the variable's name.
        Origin::PutBack(name) if moved || code == "E0308" => {
            return Finding::Moves { name: name.clone(), part: moved_part(message, name) };
        }
        Origin::End(name) => return Finding::CannotEnd(name.clone()),
        Origin::Put(lender) if code == "E0505" && ends_late(message).is_some() => {
            let name = ends_late(message).unwrap_or_default();
            return Finding::EndsLate { name, lender: lender.clone() };
        }
        // What a message about the move of a variable names beside it borrows.
        Origin::Put(name) if code == "E0505" => {
            return match puts.iter().find(|other| *other != name) {
                Some(borrower) => Finding::Borrows(borrower.clone()),
                None => Finding::Lends(name.clone()),
            };
        }
        // The value is borrowed by a new variable that is put before.
        Origin::PutBack(_) | Origin::User { .. } | Origin::Take(_) | Origin::Generated
            if is_lifetime && !puts.is_empty() =>
        {
            return Finding::Borrows(puts[0].clone());
        }
        Origin::PutBack(name) if is_lifetime => return Finding::Borrowed(Some(name.clone())),
        Origin::Put(name) => {
            return match code {
                // Moved, or never given a value: there is nothing to keep.
                "E0382" | "E0381" => {
                    let reason = moved_part(message, name).map(|part| match part.strip_prefix(name) {
                        Some(_) => {
                            format!("the cell moves `{part}` out of it; `{part}.clone()` would keep it")
                        }
                        None => format!("the cell moves {part} of it; `&{name}` would lend it"),
                    });
                    Finding::NotKept { name: name.clone(), reason }
                }
                _ if is_lifetime => Finding::Borrows(puts.first().unwrap_or(name).clone()),
                "E0308" | "E0277" | "E0605" | "E0282" | "E0283" | "E0599" => Finding::BadCast(name.clone()),
                _ => Finding::NotKept { name: name.clone(), reason: Some(message.message.clone()) },
            };
        }
        // `{ println!("x"); panic!() }`
        _ if code == "E0277" && message.message.contains("Shown<'_, !>") => return Finding::NoValue,
        Origin::Take(name) => return Finding::Lost { name: name.clone(), reason: message.message.clone() },
        Origin::User { cell, line } if *cell != map.cell && has_items => {
            let item = map.primary_line(message).and_then(|line| map.generated.item_at(line));
            let message = message.message.clone();
            return Finding::BrokenItem(Broken { item, cell: *cell, line: *line, message });
        }
        _ => {}
    }
    if OPEN_TYPES.contains(&code) {
        Finding::OpenTypes
    } else if MAY_NEED_ITEMS.contains(&code) {
        Finding::MayNeedAllItems
    } else if is_lifetime {
        Finding::Borrowed(None)
    } else {
        Finding::Users
    }
}

impl Finding {
    /// The item of the session that has to go.
    pub(super) fn item(&self) -> Option<usize> {
        match self {
            Finding::BrokenItem(broken) | Finding::Conflict { broken, .. } => broken.item,
            _ => None,
        }
    }
}

/// The part of a variable that a cell moves, if it leaves the rest: `p.0`, or
/// "a part" where a pattern takes it.
fn moved_part(message: &Message, name: &str) -> Option<String> {
    if !message.message.contains("partially moved") {
        return None;
    }
    let is_move = |span: &&Span| {
        let words = ["partially moved here", "due to use in closure"];
        span.label.as_ref().is_some_and(|label| words.iter().any(|words| label.contains(words)))
    };
    let words = message.spans.iter().find(is_move).and_then(Span::words);
    let is_field = |words: &String| words.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
    Some(words.filter(is_field).unwrap_or_else(|| "a part".to_owned()))
}

/// The variable whose destructor uses what it borrows after that is moved.
fn ends_late(message: &Message) -> Option<String> {
    message.spans.iter().filter_map(|span| span.label.as_ref()).find_map(|label| {
        let (_, rest) = label.split_once("when `")?;
        let (name, rest) = rest.split_once('`')?;
        rest.starts_with(" is dropped").then(|| name.to_owned())
    })
}

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

    /// Adds advice of ours; whether there is any.
    fn advise(&self, diagnostic: &mut Diagnostic, message: &Message) -> bool {
        let primary = diagnostic.labels.iter().find(|label| label.is_primary);
        let Some(label) = primary.or(diagnostic.labels.first()) else { return false };
        let Some(source) = (self.source_of)(label.cell) else { return false };
        let mistake = Mistake { message, text: &source.text, range: label.range.clone(), scope: self.scope };
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
        let start_column = if line == span.line_start { span.column_start } else { 1 };
        let start = offset(&source.text, user_line, start_column);
        let end = match self.map.lines(&Span { line_start: last, line_end: last, ..span.clone() }).0 {
            Origin::User { cell: last_cell, line: last_line } if last_cell == cell => {
                offset(&source.text, last_line, span.column_end)
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
            "E0423" => {
                diagnostic.helps.extend((self.gone)(quoted));
            }
            "E0425" => {
                if let Some(where_to) = (self.gone)(quoted) {
                    diagnostic.helps.push(where_to);
                } else if (self.similar)(quoted).is_some_and(|known| known == quoted) {
                    // The variable is there, but not within a function.
                    diagnostic.helps.retain(|help| !help.contains("similar name"));
                    let help = "a function cannot see the variables of cells; pass them as arguments";
                    diagnostic.helps.push(help.to_owned());
                } else if let Some(similar) = (self.similar)(quoted)
                    && !diagnostic.helps.iter().any(|help| help.contains("similar name"))
                {
                    diagnostic.helps.push(format!("the session has a similar name: `{similar}`"));
                }
            }
            _ if BORROWS.contains(&message.code()) => {
                let is_kept = |span: &Span| {
                    matches!(self.map.origin(span), Origin::PutBack(_))
                        || span.label.as_ref().is_some_and(|label| label.contains("is borrowed for `'"))
                };
                if self.is_in_closure(message) && !diagnostic.helps.iter().any(|help| help.contains("move")) {
                    diagnostic
                        .helps
                        .push("write `move` before `|`: the closure then owns its values".to_owned());
                } else if message.spans.iter().any(is_kept) {
                    diagnostic.helps.push(
                        "variables outlive their cells, so they cannot hold references to each other; give this \
                         one a value of its own: `move`, `.clone()`, `.to_owned()`"
                            .to_owned(),
                    );
                }
                // Its place may be a line of ours.
                if message.code() == "E0373" && !diagnostic.helps.iter().any(|help| help.contains("`move`")) {
                    diagnostic
                        .helps
                        .push("write `move` before `|`: the closure then owns its values".to_owned());
                }
            }
            "E0434" => {
                diagnostic.helps.insert(
                    0,
                    "a function cannot see the variables of cells; pass them as arguments".to_owned(),
                );
            }
            "E0069" | "E0308"
                if message.message.contains("return;") || message.message.contains("`return;`") =>
            {
                diagnostic.helps.push("to end a cell early, write `return Ok(())`".to_owned());
            }
            "E0267" | "E0268" => {
                diagnostic.message =
                    "`break` and `continue` leave loops, and a cell is not a loop".to_owned();
                diagnostic.labels.retain(|label| label.is_primary);
                for label in &mut diagnostic.labels {
                    label.text.clear();
                }
                diagnostic.helps = vec!["to end a cell early, write `return Ok(())`".to_owned()];
            }
            "E0384" | "E0594" | "E0596" => {
                let taken =
                    message.spans.iter().chain(message.children.iter().flat_map(|child| &child.spans));
                let mut taken = taken.filter_map(|span| match self.map.origin(span) {
                    Origin::Take(name) => Some(name),
                    _ => None,
                });
                if let Some(name) = taken.next_back() {
                    diagnostic.helps.push(format!(
                        "`{name}` was declared without `mut`; write `let mut {name} = {name};`"
                    ));
                }
            }
            "E0277" if message.message.contains("the `?` operator on") => {
                diagnostic.labels.retain(|label| label.is_primary);
            }
            _ => {}
        }
    }
}

/// Whether a variable that is not there has the name of a macro of the
/// prelude: the compiler then speaks of the macro, which nobody meant.
fn is_value_hidden_by_macro(message: &Message, name: &str) -> bool {
    message.message.starts_with("expected value, found macro")
        && names::MACROS.iter().any(|known| known.strip_suffix('!') == Some(name))
}

/// The compiler's text without names that only generated code has.
fn tidy(text: &str) -> String {
    let text = super::versions::as_written(&crate::dependencies::shown(text));
    super::results::as_written(&text)
        .replace("ctx::", "")
        .replace("gpurepl_prelude::", "")
        .replace("array::GpuArray", "GpuArray")
        .replace("cell::CellError", "Error")
        .replace("CellError", "Error")
}

/// The expression that starts at a place: a panic's location is its start,
/// and all of it reads better than one character.
pub(super) fn expression_at(text: &str, line: usize, column: usize) -> std::ops::Range<usize> {
    let start = offset(text, line, column);
    let rest = &text[start..line_end(text, line).max(start)];
    // An index knows the place of its bracket: what is indexed belongs to it.
    if let Some(index) = rest.strip_prefix('[').and_then(|inner| hints::closing(inner, '[', ']')) {
        let line_start = offset(text, line, 1);
        return line_start + hints::receiver_start(&text[line_start..start])..start + index + 2;
    }
    let mut depth = 0;
    let mut end = rest.len();
    for (at, c) in rest.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => {
                end = at;
                break;
            }
            ')' | ']' | '}' => depth -= 1,
            ';' | ',' if depth == 0 => {
                end = at;
                break;
            }
            _ => {}
        }
    }
    start..start + rest[..end].trim_end().len()
}

/// Where a name is bound last: after `let` if it is that simple, else the last
/// place that it stands at.
fn last_word(text: &str, name: &str) -> Option<std::ops::Range<usize>> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let words = text
        .match_indices(name)
        .filter(|(at, _)| !text[..*at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part));
    let words: Vec<usize> = words.map(|(at, _)| at).collect();
    let is_bound = |at: &&usize| {
        let before = text[..**at].trim_end();
        before.ends_with("let") || before.ends_with("let mut")
    };
    let at = *words.iter().rev().find(is_bound).or_else(|| words.last())?;
    Some(at..at + name.len())
}

/// The place of a line and a column in characters, from zero and one.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let start = text.split_inclusive('\n').take(line).map(str::len).sum::<usize>();
    let rest = &text[start.min(text.len())..];
    let line = rest.split('\n').next().unwrap_or("");
    start + line.char_indices().nth(column.saturating_sub(1)).map_or(line.len(), |(at, _)| at)
}

fn line_end(text: &str, line: usize) -> usize {
    let start = text.split_inclusive('\n').take(line).map(str::len).sum::<usize>();
    start + text[start.min(text.len())..].split('\n').next().unwrap_or("").len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_characters() {
        let text = "a\nléon x\nb";
        assert_eq!(&text[offset(text, 1, 6)..], "x\nb");
        assert_eq!(offset(text, 1, 99), line_end(text, 1));
        assert_eq!(offset(text, 7, 1), text.len());
    }

    #[test]
    fn an_expression_ends_where_its_statement_does() {
        let text = "let x = f(g(1), \"a\");\n v[3]";
        assert_eq!(&text[expression_at(text, 0, 9)], "f(g(1), \"a\")");
        assert_eq!(&text[expression_at(text, 0, 11)], "g(1)");
        assert_eq!(&text[expression_at(text, 1, 2)], "v[3]");
        assert_eq!(&text[expression_at(text, 1, 3)], "v[3]");
        assert_eq!(expression_at(text, 9, 9), text.len()..text.len());
    }
}
