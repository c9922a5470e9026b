//! Text that brings its own colours (`text/x-ansi`), for terminals of all
//! the colours, of 256, and of too few columns.

/// The nearest of the 256 colours, as codes for the foreground (3) or the
/// ground (4), or the colour itself.
pub fn code([red, green, blue]: [u8; 3], ground: u8, has_all_colours: bool) -> String {
    if has_all_colours {
        return format!("{ground}8;2;{red};{green};{blue}");
    }
    // The cube of six levels that 256 colours have.
    let level = |value: u8| (u16::from(value) * 5 + 127) / 255;
    format!("{ground}8;5;{}", 16 + 36 * level(red) + 6 * level(green) + level(blue))
}

/// The text for a terminal, a newline behind it; none if its lines are wider.
/// Of its escape sequences those of colours are left.
pub fn fitted(text: &str, columns: usize, has_all_colours: bool) -> Option<String> {
    let mut out = String::with_capacity(text.len() + 1);
    for line in text.lines() {
        let mut pieces = line.split("\x1b[");
        let first = pieces.next().unwrap_or_default();
        let mut width = first.chars().count();
        out.push_str(first);
        for piece in pieces {
            let end = piece.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(piece.len());
            let (codes, rest) = piece.split_at(end);
            let rest = match rest.strip_prefix('m') {
                Some(rest) => {
                    out.push_str(&format!("\x1b[{}m", reduced(codes, has_all_colours)));
                    rest
                }
                None => rest.get(1..).unwrap_or_default(),
            };
            width += rest.chars().count();
            out.push_str(rest);
        }
        if width > columns {
            return None;
        }
        out.push('\n');
    }
    Some(out)
}

/// Codes of a sequence, with colours that the terminal has.
fn reduced(codes: &str, has_all_colours: bool) -> String {
    let numbers: Vec<&str> = codes.split(';').collect();
    let mut out = Vec::new();
    let mut rest = &numbers[..];
    loop {
        rest = match rest {
            [] => return out.join(";"),
            [which @ ("38" | "48"), "2", red, green, blue, rest @ ..] => {
                let part = |text: &&str| text.parse().unwrap_or(0);
                let ground = if *which == "38" { 3 } else { 4 };
                out.push(code([part(red), part(green), part(blue)], ground, has_all_colours));
                rest
            }
            [other, rest @ ..] => {
                out.push((*other).to_owned());
                rest
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_become_those_that_there_are() {
        let text = "a\x1b[1;38;2;255;0;0;48;2;0;0;255mb\x1b[0m\nc";
        assert_eq!(fitted(text, 2, true).unwrap(), format!("{text}\n"));
        assert_eq!(fitted(text, 2, false).unwrap(), "a\x1b[1;38;5;196;48;5;21mb\x1b[0m\nc\n");
        assert_eq!(fitted("\x1b[38;2;1m", 9, false).unwrap(), "\x1b[38;2;1m\n");
    }

    #[test]
    fn what_does_not_fit_is_not_shown_so() {
        assert_eq!(fitted("abc\nd", 2, true), None);
        assert!(fitted("\x1b[31mäb\x1b[0m", 2, true).is_some());
    }

    #[test]
    fn only_colours_pass() {
        assert_eq!(fitted("a\x1b[2Jb\x1b[3;4Hc\x1b[", 9, true).unwrap(), "abc\n");
    }
}
