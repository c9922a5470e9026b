//! The prompt.

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;
use gpurepl_session::{Outcome, Session};
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Cmd, CompletionType, Config, Editor, KeyEvent};

use crate::helper::CellHelper;
use crate::terminal::{Terminal, style};

/// The lines that greet.
pub fn banner(terminal: &mut Terminal) {
    let version = env!("CARGO_PKG_VERSION");
    terminal.line(
        &format!("gpurepl {version}: Rust cells on the GPU. :help for help, Ctrl-D to leave"),
        style::ASIDE,
    );
}

/// Reads cells from the keyboard and evaluates them until the user leaves.
///
/// # Errors
///
/// If the terminal cannot be read.
pub fn run(session: &mut Session, terminal: &mut Terminal) -> Result<(), ReadlineError> {
    let config = Config::builder()
        .completion_type(CompletionType::List)
        .history_ignore_dups(true)?
        .max_history_size(10_000)?
        .bracketed_paste(true)
        .tab_stop(4)
        .build();
    let mut editor: Editor<CellHelper, FileHistory> = Editor::with_config(config)?;
    editor.set_helper(Some(CellHelper::new()));
    // A line more where Enter would end the cell: `let a = b`, `.map(..)`.
    editor.bind_sequence(KeyEvent::alt('\r'), Cmd::Newline);
    let history = history_file();
    if let Some(path) = &history {
        let _ = editor.load_history(path);
    }
    while !session.has_ended() && !terminal.is_closed() {
        session.drain(terminal);
        terminal.fresh_line(gpurepl_session::Stream::Stdout);
        if let Some(helper) = editor.helper_mut() {
            helper.refresh(session);
        }
        let number = session.next_cell();
        let prompt = format!("In [{number}]: ");
        let colour = style::PROMPT;
        let styled =
            if terminal.has_colours() { format!("{colour}{prompt}{colour:#}") } else { prompt.clone() };
        match editor.readline(&(prompt, styled)) {
            Ok(source) if source.trim().is_empty() => {}
            Ok(source) => {
                remember(&mut editor, source.trim_end(), history.as_deref());
                terminal.number_results(number);
                if session.run(&source, terminal) == Outcome::Interrupted {
                    terminal.interrupted();
                }
            }
            // Ctrl-C drops what was typed.
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Adds a cell to the history, on disk as well: a crash loses nothing.
fn remember(editor: &mut Editor<CellHelper, FileHistory>, source: &str, path: Option<&Path>) {
    if let (Ok(true), Some(path)) = (editor.add_history_entry(source), path) {
        let _ = editor.append_history(path);
    }
}

/// Where the history is kept, in a folder that exists.
fn history_file() -> Option<PathBuf> {
    let strategy = etcetera::choose_base_strategy().ok()?;
    let folder = strategy.state_dir().unwrap_or_else(|| strategy.data_dir()).join("gpurepl");
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder.join("history"))
}
