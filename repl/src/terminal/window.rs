//! A window on results that are too long for a screen to be of any use.

use std::borrow::Cow;

/// Lines that are shown from the start and from the end.
const LINES: (usize, usize) = (400, 100);

/// Bytes of what remains that are shown from the start and from the end: a
/// vector is one line, however long it is.
const BYTES: (usize, usize) = (40_000, 10_000);

/// A text, or its start and its end with a line between them that says what
/// is not shown.
pub fn windowed(text: &str) -> Cow<'_, str> {
    let count = text.lines().count();
    if count > LINES.0 + LINES.1 {
        let all: Vec<&str> = text.lines().collect();
        let left_out = count - LINES.0 - LINES.1;
        let (head, tail) = (all[..LINES.0].join("\n"), all[count - LINES.1..].join("\n"));
        let text = format!("{head}\n... {left_out} lines are not shown; `println!` shows all ...\n{tail}");
        return Cow::Owned(cut(&text).into_owned());
    }
    cut(text)
}

fn cut(text: &str) -> Cow<'_, str> {
    if text.len() <= BYTES.0 + BYTES.1 {
        return Cow::Borrowed(text);
    }
    let (head, tail) = (text.floor_char_boundary(BYTES.0), text.ceil_char_boundary(text.len() - BYTES.1));
    let left_out = text[head..tail].chars().count();
    let (head, tail) = (&text[..head], &text[tail..]);
    Cow::Owned(format!("{head}\n... {left_out} characters are not shown; `println!` shows all ...\n{tail}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_stays_as_it_is() {
        let text = "a line\n".repeat(500);
        assert!(matches!(windowed(&text), Cow::Borrowed(same) if same == text));
    }

    #[test]
    fn the_middle_is_left_out() {
        let text: Vec<String> = (0..1000).map(|k| k.to_string()).collect();
        let shown = windowed(&text.join("\n")).into_owned();
        assert!(shown.starts_with("0\n1\n") && shown.ends_with("\n998\n999"), "{shown}");
        assert!(
            shown.contains("399\n... 500 lines are not shown; `println!` shows all ...\n900\n"),
            "{shown}"
        );
        let line = "é".repeat(100_000);
        let shown = windowed(&line).into_owned();
        assert!(shown.contains("75000 characters are not shown") && shown.len() < 51_000, "{}", shown.len());
    }
}
