//! The colours of the shell: prompts, results, errors, and the words of a cell.
//!
//! They are the sixteen of the terminal's own palette, so that what a user
//! has chosen there holds here as well.

use annotate_snippets::Renderer;
use anstyle::{AnsiColor, Color, Style};
use clap::ValueEnum;
use serde::Deserialize;

/// Which colours to use.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum ThemeName {
    /// For a dark background
    #[default]
    Dark,
    /// For a light background
    Light,
    /// No colours: bold, dim, italic and underlined text
    Mono,
}

/// A style for everything that has one.
#[derive(Clone, Copy, Debug)]
pub struct Theme {
    /// The prompt.
    pub prompt: Style,
    /// The mark before a result.
    pub result: Style,
    /// What is said besides: notes, hints.
    pub aside: Style,
    /// The bracket that belongs to the one at the cursor.
    pub bracket: Style,
    pub keyword: Style,
    pub type_name: Style,
    pub string: Style,
    pub number: Style,
    pub comment: Style,
    /// Macros, attributes, and the lines of C that the preprocessor reads.
    pub macro_name: Style,
    pub lifetime: Style,
    /// `:commands`, `%magics`, `!` and `?`.
    pub command: Style,
    error: Style,
    warning: Style,
    note: Style,
    help: Style,
    frame: Style,
}

const fn colour(colour: AnsiColor) -> Style {
    Style::new().fg_color(Some(Color::Ansi(colour)))
}

const DARK: Theme = Theme {
    prompt: colour(AnsiColor::Green).bold(),
    result: colour(AnsiColor::Red).bold(),
    aside: Style::new().dimmed(),
    bracket: colour(AnsiColor::BrightCyan).bold().underline(),
    keyword: colour(AnsiColor::BrightMagenta),
    type_name: colour(AnsiColor::BrightCyan),
    string: colour(AnsiColor::BrightGreen),
    number: colour(AnsiColor::BrightYellow),
    comment: colour(AnsiColor::BrightBlack).italic(),
    macro_name: colour(AnsiColor::BrightBlue),
    lifetime: colour(AnsiColor::Yellow),
    command: colour(AnsiColor::BrightBlue).bold(),
    error: colour(AnsiColor::BrightRed).bold(),
    warning: colour(AnsiColor::Yellow).bold(),
    note: colour(AnsiColor::BrightGreen).bold(),
    help: colour(AnsiColor::BrightCyan).bold(),
    frame: colour(AnsiColor::BrightBlue).bold(),
};

/// Bright colours and yellow cannot be read on white.
const LIGHT: Theme = Theme {
    prompt: colour(AnsiColor::Green).bold(),
    result: colour(AnsiColor::Red).bold(),
    aside: Style::new().dimmed(),
    bracket: colour(AnsiColor::Blue).bold().underline(),
    keyword: colour(AnsiColor::Magenta),
    type_name: colour(AnsiColor::Cyan),
    string: colour(AnsiColor::Green),
    number: colour(AnsiColor::Red),
    comment: Style::new().dimmed().italic(),
    macro_name: colour(AnsiColor::Blue),
    lifetime: colour(AnsiColor::Magenta).italic(),
    command: colour(AnsiColor::Blue).bold(),
    error: colour(AnsiColor::Red).bold(),
    warning: colour(AnsiColor::Magenta).bold(),
    note: colour(AnsiColor::Green).bold(),
    help: colour(AnsiColor::Cyan).bold(),
    frame: colour(AnsiColor::Blue).bold(),
};

const MONO: Theme = Theme {
    prompt: Style::new().bold(),
    result: Style::new().bold(),
    aside: Style::new().dimmed(),
    bracket: Style::new().bold().underline(),
    keyword: Style::new().bold(),
    type_name: Style::new(),
    string: Style::new().italic(),
    number: Style::new(),
    comment: Style::new().dimmed(),
    macro_name: Style::new(),
    lifetime: Style::new(),
    command: Style::new().bold(),
    error: Style::new().bold(),
    warning: Style::new().bold(),
    note: Style::new().bold(),
    help: Style::new().bold(),
    frame: Style::new().dimmed(),
};

impl ThemeName {
    /// The styles of this name.
    pub fn theme(self) -> &'static Theme {
        match self {
            ThemeName::Dark => &DARK,
            ThemeName::Light => &LIGHT,
            ThemeName::Mono => &MONO,
        }
    }
}

impl Theme {
    /// What lays out errors on the user's lines.
    pub fn renderer(&self) -> Renderer {
        Renderer::styled()
            .error(self.error)
            .warning(self.warning)
            .info(self.note)
            .note(self.note)
            .help(self.help)
            .line_num(self.frame)
            .emphasis(Style::new().bold())
            .none(Style::new())
            .context(self.frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mono_has_no_colour() {
        let text = format!("{:?}", MONO);
        assert!(!text.contains("Ansi("), "{text}");
    }
}
