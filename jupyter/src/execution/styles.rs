//! Colours of errors in notebooks.
//!
//! A terminal's sixteen colours are the terminal's to choose. In a notebook
//! the front end chooses them, and JupyterLab's bold ones are darker on a
//! dark page than on a light one: 2.1 to 1 on the red ground of an error. The
//! tones here lie in the middle, where either theme leaves 3.1 to 1 at least.

use annotate_snippets::Renderer;
use annotate_snippets::renderer::Style;
use anstyle::{Effects, RgbColor};

const fn bold(red: u8, green: u8, blue: u8) -> Style {
    Style::new().fg_color(Some(anstyle::Color::Rgb(RgbColor(red, green, blue)))).effects(Effects::BOLD)
}

const RED: Style = bold(226, 59, 54);
const AMBER: Style = bold(178, 106, 0);
const GREEN: Style = bold(42, 140, 58);
const CYAN: Style = bold(14, 138, 138);
const BLUE: Style = bold(59, 120, 231);

/// What lays errors and warnings out.
pub const RENDERER: Renderer = Renderer::styled()
    .error(RED)
    .warning(AMBER)
    .note(GREEN)
    .help(CYAN)
    .info(BLUE)
    .line_num(BLUE)
    .context(BLUE)
    .emphasis(Style::new().effects(Effects::BOLD))
    .addition(GREEN)
    .removal(RED);

/// A line that says what happened: its name stands out.
pub fn title(name: &str, text: &str) -> String {
    format!("{RED}{name}{RED:#}: {text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How bright a colour is, as WCAG 2 has it.
    fn luminance(colour: [f64; 3]) -> f64 {
        let linear = colour
            .map(|part| part / 255.0)
            .map(|part| if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    #[test]
    fn colours_can_be_read_on_either_ground_of_an_error() {
        // JupyterLab's: #fdd, and 28 % of (244, 67, 54) over #111.
        for ground in [[255.0, 221.0, 221.0], [80.6, 31.0, 27.4]] {
            for style in [RED, AMBER, GREEN, CYAN, BLUE] {
                let Some(anstyle::Color::Rgb(RgbColor(red, green, blue))) = style.get_fg_color() else {
                    panic!("a colour of the front end's choice: {style:?}");
                };
                let (text, behind) = (luminance([red, green, blue].map(f64::from)), luminance(ground));
                let contrast = (text.max(behind) + 0.05) / (text.min(behind) + 0.05);
                assert!(contrast > 3.1, "{style:?} on {ground:?}: {contrast:.2}");
            }
        }
    }

    #[test]
    fn a_title_is_closed_again() {
        assert_eq!(title("Interrupted", "now"), "\x1b[1m\x1b[38;2;226;59;54mInterrupted\x1b[0m: now");
    }
}
