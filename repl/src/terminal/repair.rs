//! What cells do to a terminal, and how it is undone before a prompt: colours
//! that do not end, a cursor that is hidden, another screen, raw mode.

use std::collections::BTreeMap;
use std::io;

use nix::sys::termios::{SetArg, Termios, tcgetattr, tcsetattr};

/// Private modes (`ESC [ ? number h`) that a prompt cares about, and whether
/// they are set when nothing has happened: see the list of xterm's control
/// sequences.
const MODES: &[(u16, bool)] = &[
    (1, false),
    (5, false),
    (6, false),
    (7, true),
    (9, false),
    (25, true),
    (47, false),
    (1000, false),
    (1002, false),
    (1003, false),
    (1004, false),
    (1005, false),
    (1006, false),
    (1015, false),
    (1047, false),
    (1049, false),
    (2004, false),
    (2026, false),
];

/// Watches what is written to a terminal.
pub struct Repair {
    /// Nothing is watched where there is no terminal.
    is_on: bool,
    watch: Watch,
    parser: Parser,
    /// The modes of the terminal's line discipline, as they are to be.
    modes: Option<Termios>,
}

struct Parser(vte::Parser);

/// What has been seen since the last prompt.
#[derive(Default)]
struct Watch {
    /// Whether there was an escape sequence, or the start of one.
    is_soiled: bool,
    modes: BTreeMap<u16, bool>,
    has_margins: bool,
}

impl Repair {
    pub fn new(is_on: bool) -> Repair {
        let mut repair =
            Repair { is_on, watch: Watch::default(), parser: Parser(vte::Parser::new()), modes: None };
        repair.remember_modes();
        repair
    }

    /// Looks at what is about to be written.
    pub fn saw(&mut self, bytes: &[u8]) {
        let is_plain = |byte: &u8| !matches!(*byte, 0x1b | 0x0e);
        if !self.is_on || (!self.watch.is_soiled && bytes.iter().all(is_plain)) {
            return;
        }
        self.watch.is_soiled = true;
        self.parser.0.advance(&mut self.watch, bytes);
    }

    /// What undoes all that was seen; nothing to undo is usual.
    pub fn sequence(&mut self) -> Option<Vec<u8>> {
        let watch = std::mem::take(&mut self.watch);
        self.parser = Parser(vte::Parser::new());
        if !watch.is_soiled {
            return None;
        }
        // The end of a title or the like that has none; the character set;
        // the keypad; colours.
        let mut sequence = b"\x1b\\\x0f\x1b(B\x1b>\x1b[0m".to_vec();
        if watch.has_margins {
            sequence.extend(b"\x1b7\x1b[r\x1b8");
        }
        for (mode, is_set) in watch.modes {
            let known = MODES.iter().find(|(known, _)| *known == mode);
            if let Some((_, usual)) = known
                && *usual != is_set
            {
                sequence.extend(format!("\x1b[?{mode}{}", if *usual { 'h' } else { 'l' }).bytes());
            }
        }
        Some(sequence)
    }

    /// Takes the terminal's modes of now for those that it is to have.
    pub fn remember_modes(&mut self) {
        if self.is_on {
            self.modes = tcgetattr(io::stdin()).ok();
        }
    }

    /// Gives the terminal its modes back, if they have changed.
    pub fn restore_modes(&mut self) {
        let Some(modes) = &self.modes else { return };
        if tcgetattr(io::stdin()).is_ok_and(|current| current != *modes) {
            let _ = tcsetattr(io::stdin(), SetArg::TCSADRAIN, modes);
        }
    }
}

impl vte::Perform for Watch {
    fn csi_dispatch(&mut self, parameters: &vte::Params, intermediates: &[u8], _: bool, action: char) {
        match (intermediates, action) {
            (b"?", 'h' | 'l') => {
                for mode in parameters.iter().flatten() {
                    self.modes.insert(*mode, action == 'h');
                }
            }
            (b"", 'r') => self.has_margins = true,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(pieces: &[&str]) -> Option<String> {
        let mut repair =
            Repair { is_on: true, watch: Watch::default(), parser: Parser(vte::Parser::new()), modes: None };
        pieces.iter().for_each(|piece| repair.saw(piece.as_bytes()));
        let sequence = repair.sequence().map(|bytes| String::from_utf8(bytes).unwrap());
        assert!(repair.sequence().is_none(), "once is enough");
        sequence
    }

    #[test]
    fn plain_text_needs_nothing() {
        assert_eq!(after(&["text\nmore é\n"]), None);
    }

    #[test]
    fn what_was_changed_is_changed_back() {
        let plain = "\x1b\\\x0f\x1b(B\x1b>\x1b[0m";
        assert_eq!(after(&["\x1b[31mred"]).as_deref(), Some(plain));
        assert_eq!(after(&["\x1b[?10", "49h\x1b[?25l"]).unwrap(), format!("{plain}\x1b[?25h\x1b[?1049l"));
        assert_eq!(after(&["\x1b[?1049h", "x", "\x1b[?1049l"]).as_deref(), Some(plain));
        assert_eq!(after(&["\x1b[2;5r"]).unwrap(), format!("{plain}\x1b7\x1b[r\x1b8"));
        assert_eq!(after(&["\x1b[?1000;1006h"]).unwrap(), format!("{plain}\x1b[?1000l\x1b[?1006l"));
        // An unknown mode is left.
        assert_eq!(after(&["\x1b[?12h"]).as_deref(), Some(plain));
    }
}
