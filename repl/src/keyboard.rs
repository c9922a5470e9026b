//! Cells from the keyboard, by a line editor.

use std::path::PathBuf;

use gpurepl_session::Session;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{ColorMode, CompletionType, Config as EditorConfig, Editor};
use unicode_width::UnicodeWidthStr as _;

use crate::background::Listener;
use crate::config::{Config, EditMode};
use crate::helper::CellHelper;
use crate::history;
use crate::keys::Keys;
use crate::terminal::Terminal;
use crate::tty;

/// What the user has typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    /// A cell, a command, or nothing.
    Cell(String),
    /// A text that is to be edited elsewhere, and comes back.
    Edit(String),
    /// The user has dropped the text.
    Nothing,
    /// The user wants to leave.
    End,
}

/// Where the cells of a prompt come from.
pub trait Input {
    /// Lets the user type, starting with a text.
    ///
    /// # Errors
    ///
    /// If the terminal cannot be read.
    fn read(
        &mut self,
        text: &str,
        session: &Session,
        terminal: &mut Terminal,
    ) -> Result<Typed, ReadlineError>;

    /// Adds a cell to the history, on disk as well: a crash loses nothing.
    fn remember(&mut self, source: &str);

    /// The cells of this session and of earlier ones, the oldest first.
    fn history(&self) -> Vec<String>;
}

/// A keyboard with a user at it.
pub struct Keyboard {
    editor: Editor<CellHelper, FileHistory>,
    keys: Keys,
    history: Option<PathBuf>,
}

/// How long Escape waits for the rest of a key's sequence in vi's mode.
const ESCAPE_PATIENCE: u16 = 100;

impl Keyboard {
    /// # Errors
    ///
    /// If the terminal cannot be used.
    pub fn new(config: &Config, terminal: &Terminal) -> Result<Keyboard, ReadlineError> {
        let (mode, escape) = match config.edit_mode {
            EditMode::Emacs => (rustyline::EditMode::Emacs, None),
            EditMode::Vi => (rustyline::EditMode::Vi, Some(ESCAPE_PATIENCE)),
        };
        let colours = if terminal.has_colours() { ColorMode::Forced } else { ColorMode::Disabled };
        let settings = EditorConfig::builder()
            .completion_type(CompletionType::List)
            .history_ignore_dups(true)?
            .max_history_size(config.history_size)?
            .bracketed_paste(true)
            .color_mode(colours)
            .edit_mode(mode)
            .keyseq_timeout(escape)
            .indent_size(4)
            .tab_stop(4)
            .build();
        let mut editor: Editor<CellHelper, FileHistory> = Editor::with_config(settings)?;
        let keys = Keys::default();
        editor.set_helper(Some(CellHelper::new(terminal.theme(), keys.clone())));
        keys.bind(&mut editor, config.edit_mode);
        let history = history::file();
        if let Some(path) = &history {
            let _ = history::mend(path);
            let _ = editor.load_history(path);
        }
        Ok(Keyboard { editor, keys, history })
    }

    /// Takes what was typed off the screen: it comes back.
    fn erase(&mut self, prompt: &str, text: &str, terminal: &mut Terminal) {
        let Some((columns, _)) = self.editor.dimensions() else { return };
        let columns = usize::from(columns).max(1);
        let rows =
            format!("{prompt}{text}").split('\n').map(|line| line.width() / columns + 1).sum::<usize>();
        terminal.erase(rows);
    }
}

impl Input for Keyboard {
    fn read(
        &mut self,
        text: &str,
        session: &Session,
        terminal: &mut Terminal,
    ) -> Result<Typed, ReadlineError> {
        if let Some(helper) = self.editor.helper_mut() {
            helper.refresh(session);
        }
        self.keys.rest();
        let prompt = format!("In [{}]: ", session.next_cell());
        let style = terminal.theme().prompt;
        let styled =
            if terminal.has_colours() { format!("{style}{prompt}{style:#}") } else { prompt.clone() };
        let asides = terminal.has_colours().then_some(terminal.theme());
        // A terminal that can do little gets the output with the next prompt.
        let listener =
            self.editor.create_external_printer().ok().map(|printer| {
                Listener::start(session.background(), printer, asides, terminal.shows_stderr())
            });
        let (mut before, mut after) = (text.to_owned(), String::new());
        let read = loop {
            self.keys.note(&before, before.len());
            let initial = (before.as_str(), after.as_str());
            match self.editor.readline_with_initial(&(prompt.as_str(), styled.clone()), initial) {
                Err(ReadlineError::Io(error)) if error.kind() == std::io::ErrorKind::InvalidData => {
                    let typed = self.keys.typed(|typed| typed.clone());
                    tty::discard(typed.is_pasting);
                    terminal.text("\n");
                    terminal.error(match typed.is_pasting {
                        true => "what was pasted is not UTF-8, and was left out",
                        false => {
                            "what was typed is not UTF-8, and was left out; the line is as it was before"
                        }
                    });
                    (before, after) = (typed.text[..typed.at].to_owned(), typed.text[typed.at..].to_owned());
                }
                read => break read,
            }
        };
        if let Some(listener) = listener {
            let begun = listener.stop();
            terminal.text(&String::from_utf8_lossy(&begun));
        }
        let (wants_editor, is_dropped) = (self.keys.take_wants_editor(), self.keys.take_is_dropped());
        match read {
            Ok(_) if is_dropped => Ok(Typed::Nothing),
            Ok(source) if wants_editor => {
                self.erase(&prompt, &source, terminal);
                Ok(Typed::Edit(source))
            }
            Ok(source) => Ok(Typed::Cell(source)),
            // Ctrl-\, or Ctrl-C while a key's sequence is read.
            Err(ReadlineError::Interrupted) => Ok(Typed::Nothing),
            Err(ReadlineError::Eof) => Ok(Typed::End),
            Err(error) => Err(error),
        }
    }

    fn remember(&mut self, source: &str) {
        if let (Ok(true), Some(path)) = (self.editor.add_history_entry(source), &self.history) {
            let _ = self.editor.append_history(path);
        }
    }

    fn history(&self) -> Vec<String> {
        self.editor.history().iter().cloned().collect()
    }
}
