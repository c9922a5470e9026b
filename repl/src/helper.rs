//! What the line editor asks while the user types: is it a whole cell, how
//! does this word go on, which colours has it.

use std::borrow::Cow;
use std::cell::Cell;

use gpurepl_session::{Completeness, Session, command, completeness};
use rustyline::completion::{Completer, Pair};
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::{Hint, Hinter};
use rustyline::history::SearchDirection;
use rustyline::line_buffer::LineBuffer;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Changeset, Context, Helper};

use crate::completion::Completion;
use crate::keys::{Keys, Replacement};
use crate::theme::Theme;
use crate::{highlight, system};

/// The editor's helper for cells.
#[derive(Helper)]
pub struct CellHelper {
    completion: Completion,
    theme: &'static Theme,
    keys: Keys,
    /// The bracket that belongs to the one at the cursor.
    partner: Cell<Option<usize>>,
    /// What an empty prompt offers.
    offer: Option<String>,
}

impl CellHelper {
    pub fn new(theme: &'static Theme, keys: Keys) -> CellHelper {
        CellHelper { completion: Completion::new(), theme, keys, partner: Cell::new(None), offer: None }
    }

    /// Takes note of what the session's cells have made.
    pub fn refresh(&mut self, session: &Session) {
        self.completion.refresh(session);
        self.offer = session.example().map(str::to_owned);
    }
}

impl Completer for CellHelper {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        match self.keys.replacement() {
            Some(Replacement { range, text }) => {
                Ok((range.start, vec![Pair { display: text.clone(), replacement: text }]))
            }
            None => self.completion.complete(line, at),
        }
    }

    fn update(&self, line: &mut LineBuffer, start: usize, elected: &str, changes: &mut Changeset) {
        let end = match self.keys.replacement() {
            Some(replacement) => replacement.range.end.min(line.len()),
            None => line.pos(),
        };
        self.keys.has_replaced();
        line.replace(start..end, elected, changes);
    }
}

/// How a cell of the history went on. Its first line is shown, all of it is
/// taken.
pub struct HistoryHint {
    shown: String,
    rest: String,
}

impl Hint for HistoryHint {
    fn display(&self) -> &str {
        &self.shown
    }

    fn completion(&self) -> Option<&str> {
        Some(&self.rest)
    }
}

impl Hinter for CellHelper {
    type Hint = HistoryHint;

    fn hint(&self, line: &str, at: usize, context: &Context<'_>) -> Option<HistoryHint> {
        self.keys.note(line, at);
        // After `?name` the key that takes hints takes an example.
        if let (true, Some(example)) = (line.is_empty(), &self.offer) {
            let first = example.lines().next().unwrap_or_default();
            return Some(HistoryHint {
                shown: format!("→ for the example: {first} …"),
                rest: example.clone(),
            });
        }
        if line.trim().is_empty() || at < line.len() {
            return None;
        }
        let newest = context.history_index().min(context.history().len().saturating_sub(1));
        let found = context.history().starts_with(line, newest, SearchDirection::Reverse).ok()??;
        let rest = found.entry.get(at..).filter(|rest| !rest.is_empty())?.to_owned();
        let shown = match rest.split_once('\n') {
            Some((first, _)) => format!("{first} …"),
            None => rest.clone(),
        };
        Some(HistoryHint { shown, rest })
    }
}

impl Validator for CellHelper {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(if goes_on(context.input()) {
            ValidationResult::Incomplete
        } else {
            ValidationResult::Valid(None)
        })
    }
}

/// Whether Enter begins a new line rather than ending the cell. Two blank
/// lines end it in any case: then the compiler says what is missing.
pub fn goes_on(input: &str) -> bool {
    let typed = input.trim_start();
    if typed.starts_with('!') {
        return system::goes_on(input);
    }
    // The code behind a magic of a line may go on: `%time {`.
    let is_line = command::is_command(input) || typed.starts_with('?') || typed.starts_with("%%");
    let is_forced = input.split('\n').rev().take(2).filter(|line| line.trim().is_empty()).count() == 2;
    let is_open = || command::goes_on(input) || (!is_line && completeness(input) == Completeness::Incomplete);
    !is_forced && is_open()
}

impl Highlighter for CellHelper {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        Cow::Owned(highlight::paint(line, self.partner.get().as_slice(), self.theme))
    }

    fn highlight_char(&self, line: &str, at: usize, kind: CmdKind) -> bool {
        let partner = match kind {
            CmdKind::ForcedRefresh => None,
            CmdKind::MoveCursor | CmdKind::Other => highlight::matching(line, at).map(|(_, partner)| partner),
        };
        self.partner.set(partner);
        // A letter more can be the end of a keyword.
        partner.is_some() || kind == CmdKind::Other
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        let style = self.theme.aside;
        Cow::Owned(format!("{style}{hint}{style:#}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustyline::history::{History as _, MemHistory};

    use crate::theme::ThemeName;

    #[test]
    fn two_blank_lines_end_a_cell() {
        assert!(goes_on("fn f() {"));
        assert!(goes_on("fn f() {\n"));
        assert!(!goes_on("fn f() {\n\n"));
        assert!(!goes_on("fn f() {\n    \n    "));
        assert!(!goes_on("fn f() {}"));
        assert!(!goes_on(":load ("));
        assert!(!goes_on("let a = );"));
        assert!(!goes_on(""));
    }

    #[test]
    fn commands_are_lines() {
        assert!(!goes_on("!echo ("));
        assert!(goes_on(":dep a = {") && goes_on(":dep a = {\n  version = \"1\","));
        assert!(
            !goes_on(":dep a = {\n  version = \"1\",\n}") && !goes_on(":dep a") && !goes_on(":dep a = {\n\n")
        );
        assert!(goes_on("%time let a = {") && !goes_on("%time f()") && !goes_on("%time"));
        assert!(!goes_on("%%time"));
        assert!(goes_on("!echo \\"));
        assert!(!goes_on("?f("));
    }

    #[test]
    fn hints_show_a_line_and_give_all() {
        let helper = CellHelper::new(ThemeName::Dark.theme(), Keys::default());
        let mut history = MemHistory::new();
        for text in ["let old = 1;", "fn f() {\n    1\n}"] {
            history.add(text).unwrap();
        }
        let hint = |line: &str| helper.hint(line, line.len(), &Context::new(&history));
        let found = hint("fn ").unwrap();
        assert_eq!((found.display(), found.completion()), ("f() { …", Some("f() {\n    1\n}")));
        assert_eq!(hint("let o").unwrap().display(), "ld = 1;");
        assert!(hint("let old = 1;").is_none() && hint("").is_none() && hint("x").is_none());
        assert!(helper.hint("fn ", 1, &Context::new(&history)).is_none());
    }

    #[test]
    fn an_empty_prompt_offers_the_example_of_what_was_asked_about() {
        let helper = CellHelper {
            offer: Some("let a = zeros(3);\na".to_owned()),
            ..CellHelper::new(ThemeName::Dark.theme(), Keys::default())
        };
        let history = MemHistory::new();
        let hint = helper.hint("", 0, &Context::new(&history)).unwrap();
        assert_eq!(hint.display(), "→ for the example: let a = zeros(3); …");
        assert_eq!(hint.completion(), Some("let a = zeros(3);\na"));
        assert!(helper.hint("x", 1, &Context::new(&history)).is_none());
    }
}
