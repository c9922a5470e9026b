//! Lines that cells ask for.

use std::borrow::Cow;

use rustyline::config::Configurer as _;
use rustyline::error::ReadlineError;
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::history::MemHistory;
use rustyline::{ColorMode, Completer, Config, Editor, Helper, Hinter, Validator};

/// The editor of answers. It has no history: an answer is not a cell.
pub struct Questions {
    editor: Editor<Cover, MemHistory>,
}

/// How a question came out.
pub enum Answer {
    /// A line.
    Line(String),
    /// The end of the input: Ctrl-D.
    End,
    /// Ctrl-C.
    Interrupt,
}

impl Questions {
    /// An editor on this process's terminal.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn new() -> Result<Questions, ReadlineError> {
        let config = Config::builder().auto_add_history(false).build();
        let mut editor = Editor::with_history(config, MemHistory::new())?;
        editor.set_helper(Some(Cover::default()));
        Ok(Questions { editor })
    }

    /// Asks, on the line that the cursor is on: a question that stands there
    /// already is written over by itself. Of a password nothing is seen.
    pub fn ask(&mut self, prompt: &str, is_password: bool) -> Answer {
        if let Some(cover) = self.editor.helper_mut() {
            cover.is_down = is_password;
        }
        // Covering is done the way colours are.
        self.editor.set_color_mode(if is_password { ColorMode::Forced } else { ColorMode::Enabled });
        match self.editor.readline(&on_one_line(prompt)) {
            Ok(line) => Answer::Line(line),
            Err(ReadlineError::Interrupted) => Answer::Interrupt,
            Err(_) => Answer::End,
        }
    }
}

/// A prompt without what the editor could not count the width of.
fn on_one_line(prompt: &str) -> String {
    console::strip_ansi_codes(prompt).replace('\t', " ").replace(|c: char| c.is_control() && c != '\n', "")
}

/// Covers a password.
#[derive(Completer, Default, Helper, Hinter, Validator)]
struct Cover {
    is_down: bool,
}

impl Highlighter for Cover {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        if self.is_down {
            Cow::Owned(" ".repeat(console::measure_text_width(line)))
        } else {
            Cow::Borrowed(line)
        }
    }

    fn highlight_char(&self, _: &str, _: usize, kind: CmdKind) -> bool {
        self.is_down && kind != CmdKind::MoveCursor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_has_a_width() {
        assert_eq!(on_one_line("\x1b[32mname\x1b[0m\t? \x07"), "name ? ");
    }

    #[test]
    fn a_password_is_covered_as_wide_as_it_is() {
        let cover = Cover { is_down: true };
        assert_eq!(cover.highlight("aé漢", 0), "    ");
        assert_eq!(Cover::default().highlight("aé", 0), "aé");
    }
}
