//! What a cell has put on the screen, as far as it can be taken back: to show
//! a display again in its place, and to clear what was printed.
//!
//! Text is followed by its width, line for line. What moves the cursor itself
//! cannot be followed, and is left where it is.

use console::measure_text_width;

/// More than this has left any screen.
const MAX_BYTES: usize = 1 << 16;

/// The text of a cell on the screen.
#[derive(Debug, Default)]
pub struct Screen {
    text: Vec<u8>,
    /// Whether the cursor has been moved by what was printed.
    is_lost: bool,
    /// The display that was shown last, and where its text begins, if nothing
    /// has been printed since.
    last: Option<(u64, usize)>,
}

/// Rows and columns of a terminal.
pub type Size = (u16, u16);

impl Screen {
    /// A cell begins: what is on the screen is not its own.
    pub fn begin(&mut self) {
        *self = Screen::default();
    }

    /// Notes what has been printed.
    pub fn add(&mut self, bytes: &[u8]) {
        self.last = None;
        self.text.extend_from_slice(bytes);
        self.is_lost |= moves(bytes);
        if self.text.len() > 2 * MAX_BYTES {
            self.text.drain(..self.text.len() - MAX_BYTES);
        }
    }

    /// Notes a display that has been printed and may be shown again.
    pub fn add_display(&mut self, id: u64, text: &str) {
        self.add(text.as_bytes());
        let start = self.text.len().checked_sub(text.len());
        self.last = start.map(|start| (id, start));
    }

    /// What takes a display from the screen, if it is what was printed last
    /// and all of it is there.
    pub fn take_display(&mut self, id: u64, size: Size) -> Option<String> {
        let (last, start) = self.last?;
        let rows = rows(&self.text[start..], size);
        if last != id || self.is_lost || rows >= usize::from(size.0) {
            return None;
        }
        self.text.truncate(start);
        Some(up(rows))
    }

    /// What takes all text of the cell from the screen, as far as it is there.
    pub fn clear(&mut self, size: Size) -> Option<String> {
        let rows = rows(&self.text, size).min(usize::from(size.0).saturating_sub(1));
        let sequence = (!self.is_lost && !self.text.is_empty()).then(|| up(rows));
        self.begin();
        sequence
    }
}

/// What moves the cursor up to the start of a row and clears from there.
pub fn up(rows: usize) -> String {
    if rows == 0 { "\r\x1b[J".to_owned() } else { format!("\x1b[{rows}A\r\x1b[J") }
}

/// Whether text moves the cursor by more than its own width: any sequence but
/// colours.
fn moves(bytes: &[u8]) -> bool {
    bytes.split(|byte| *byte == 0x1b).skip(1).any(|sequence| {
        let Some(rest) = sequence.strip_prefix(b"[") else { return true };
        let end = rest.iter().position(|byte| !matches!(byte, b'0'..=b'9' | b';' | b':'));
        end.is_none_or(|end| rest[end] != b'm')
    }) || bytes.iter().any(|byte| matches!(byte, 0x08 | 0x0b | 0x0c))
}

/// How many rows the cursor is below the start of a text.
fn rows(text: &[u8], (_, columns): Size) -> usize {
    let text = String::from_utf8_lossy(text).replace('\t', "        ");
    let columns = usize::from(columns.max(1));
    let mut rows = 0;
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        // What a carriage return writes over does not add to the width.
        let width = line.split('\r').map(measure_text_width).max().unwrap_or(0);
        rows += width.saturating_sub(1) / columns;
        rows += usize::from(lines.peek().is_some());
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = (24, 10);

    #[test]
    fn rows_are_counted_as_a_terminal_breaks_lines() {
        let counts: Vec<usize> = [
            "",
            "a",
            "a\n",
            "0123456789",
            "0123456789a",
            "0123456789\n",
            "\x1b[31m0123456789\x1b[0m\nb\n",
            "ab\rc",
        ]
        .into_iter()
        .map(|text| rows(text.as_bytes(), SIZE))
        .collect();
        assert_eq!(counts, [0, 0, 1, 0, 1, 1, 2, 0]);
    }

    #[test]
    fn a_display_is_taken_back_only_while_it_is_the_last() {
        let mut screen = Screen::default();
        screen.add(b"before\n");
        screen.add_display(7, "one\ntwo\n");
        assert_eq!(screen.take_display(8, SIZE), None);
        assert_eq!(screen.take_display(7, SIZE).unwrap(), "\x1b[2A\r\x1b[J");
        screen.add_display(7, "three\n");
        assert_eq!(screen.clear(SIZE).unwrap(), "\x1b[2A\r\x1b[J");
        screen.add_display(7, "four\n");
        screen.add(b"printed\n");
        assert_eq!(screen.take_display(7, SIZE), None);
        // More than the screen holds.
        screen.add_display(8, &"line\n".repeat(30));
        assert_eq!(screen.take_display(8, SIZE), None);
        assert_eq!(screen.clear(SIZE).unwrap(), "\x1b[23A\r\x1b[J");
        assert_eq!(screen.clear(SIZE), None);
    }

    #[test]
    fn what_moves_the_cursor_is_left_alone() {
        let mut screen = Screen::default();
        screen.add(b"\x1b[1;31mred\x1b[0m\n");
        assert!(screen.clear(SIZE).is_some());
        for text in ["\x1b[2A", "\x1b[?25l", "\x1b]0;title\x07", "\x1b", "a\x08b"] {
            screen.add(text.as_bytes());
            assert_eq!(screen.clear(SIZE), None, "{text:?}");
        }
    }

    #[test]
    fn much_text_does_not_stay() {
        let mut screen = Screen::default();
        (0..100).for_each(|_| screen.add(&[b'x'; 10_000]));
        assert!(screen.text.len() <= 2 * MAX_BYTES);
        screen.add_display(1, "last\n");
        assert!(screen.take_display(1, SIZE).is_some());
    }
}
