//! What stands at the cursor.

use crate::commands;

/// What is to be completed, or looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place<'s> {
    /// The name of a command, without its colon.
    Command { word: &'s str },
    /// The name of a magic, without its signs.
    Magic { word: &'s str },
    /// The name of a variable, after a command.
    Variable { word: &'s str },
    /// What follows a command's name, where it is not code.
    Argument { command: &'static str, spec: &'static str, word: &'s str },
    /// What belongs to a value: `receiver.word`.
    Member { receiver: &'s str, word: &'s str },
    /// What belongs to a type or a module: `path::word`.
    Path { path: &'s str, word: &'s str },
    /// A word on its own.
    Word { word: &'s str },
    /// A file, in a string or after `!`: its path so far.
    File { path: &'s str },
    /// In a comment, a number or a text of several lines.
    Nothing,
}

/// Whether a character may be part of a name.
pub(super) fn is_part(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// What stands before the cursor.
pub(super) fn at(source: &str, at: usize) -> Place<'_> {
    let before = &source[..at];
    let trimmed = before.trim_start();
    let line = trimmed.rsplit('\n').next().unwrap_or_default();
    if trimmed.starts_with('!') && line.starts_with('!')
        || trimmed.contains('\n') && ["%%sh", "%%bash"].iter().any(|magic| trimmed.starts_with(magic))
    {
        let is_between = |c: char| c.is_whitespace() || matches!(c, '!' | '"' | '\'' | '=' | '<' | '>');
        return Place::File { path: line.rsplit(is_between).next().unwrap_or_default() };
    }
    // Magics stand before all code.
    if trimmed.starts_with('%') && line.starts_with('%') {
        let word = line.trim_start_matches('%');
        if word.chars().all(is_part) {
            return Place::Magic { word };
        }
    }
    if trimmed.starts_with(':') && commands::is_command(source) {
        let line = &trimmed[1..];
        let Some(space) = line.find(char::is_whitespace) else { return Place::Command { word: line } };
        let Some(found) = commands::find(&line[..space]) else { return Place::Nothing };
        let word = line[space..].trim_start();
        if found.arguments == "[NAME...]" {
            return Place::Variable { word: word.rsplit(char::is_whitespace).next().unwrap_or_default() };
        }
        if !found.takes_code() {
            return Place::Argument { command: found.name, spec: found.arguments, word };
        }
        return in_code(word);
    }
    in_code(before)
}

/// Whether the cursor is where the analyser can help.
pub(super) fn is_code(source: &str, at: usize) -> bool {
    !commands::is_command(source)
        && match self::at(source, at) {
            Place::Member { .. } | Place::Path { .. } => true,
            Place::Word { word } => !word.is_empty(),
            _ => false,
        }
}

fn in_code(before: &str) -> Place<'_> {
    match text(before) {
        Some(Text::String(path)) if !path.contains('\n') => return Place::File { path },
        Some(_) => return Place::Nothing,
        None => {}
    }
    let start = before.trim_end_matches(is_part).len();
    let (rest, word) = before.split_at(start);
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        return Place::Nothing;
    }
    // The dot may stand on a line of its own.
    let rest_trimmed = rest.trim_end();
    if rest_trimmed.ends_with('.') && !rest_trimmed.ends_with("..") {
        let receiver = receiver(&rest_trimmed[..rest_trimmed.len() - 1]);
        return Place::Member { receiver, word };
    }
    if let Some(path) = rest.strip_suffix("::") {
        return Place::Path { path: self::path(path), word };
    }
    Place::Word { word }
}

/// What is not code.
enum Text<'s> {
    /// A string, as far as it has come.
    String(&'s str),
    Comment,
}

/// The string or comment that the text ends within.
fn text(before: &str) -> Option<Text<'_>> {
    let bytes = before.as_bytes();
    let mut k = 0;
    while k < bytes.len() {
        match bytes[k] {
            b'/' if bytes.get(k + 1) == Some(&b'/') => match before[k..].find('\n') {
                Some(length) => k += length,
                None => return Some(Text::Comment),
            },
            b'/' if bytes.get(k + 1) == Some(&b'*') => match before[k + 2..].find("*/") {
                Some(length) => k += length + 4,
                None => return Some(Text::Comment),
            },
            b'r' if is_raw_string(before, k) => {
                let hashes = before[k + 1..].bytes().take_while(|byte| *byte == b'#').count();
                let close = format!("\"{}", "#".repeat(hashes));
                let start = k + 2 + hashes;
                match before[start..].find(&close) {
                    Some(length) => k = start + length + close.len(),
                    None => return Some(Text::String(&before[start..])),
                }
            }
            b'"' => {
                k += 1;
                let start = k;
                loop {
                    match bytes.get(k) {
                        None => return Some(Text::String(&before[start..])),
                        Some(b'\\') => k += 2,
                        Some(b'"') => break,
                        Some(_) => k += 1,
                    }
                }
                k += 1;
            }
            b'\'' => {
                // A character, or a lifetime.
                let rest: Vec<char> = before[k + 1..].chars().take(12).collect();
                let end = match rest.first() {
                    Some('\\') => rest.iter().skip(2).position(|c| *c == '\'').map(|end| end + 2),
                    Some(_) if rest.get(1) == Some(&'\'') => Some(1),
                    _ => None,
                };
                let length: usize =
                    rest.iter().take(end.map_or(0, |end| end + 1)).map(|c| c.len_utf8()).sum();
                k += 1 + length;
            }
            _ => k += 1,
        }
    }
    None
}

fn is_raw_string(text: &str, at: usize) -> bool {
    let is_new_word = !text[..at].trim_end_matches('b').ends_with(is_part);
    is_new_word && text[at + 1..].trim_start_matches('#').starts_with('"')
}

/// The text up to the name of the function that is called at its end, if the
/// call's bracket is still open there: `f(g(1, ` calls `g`.
pub(super) fn called(text: &str) -> Option<&str> {
    let mut depth = 0usize;
    for (at, character) in text.char_indices().rev() {
        match character {
            ')' | ']' | '}' => depth += 1,
            '(' if depth == 0 => {
                let mut name = text[..at].trim_end();
                // The types that it is called with.
                if name.ends_with('>') {
                    name = name[..opening(name)?].strip_suffix("::")?;
                }
                return Some(name.trim_end_matches('!'));
            }
            '[' | '{' if depth == 0 => return None,
            '(' | '[' | '{' => depth -= 1,
            ';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The path that a text ends with: `std::f32`, `Vec::<i32>`.
fn path(text: &str) -> &str {
    let mut start = text.len();
    let mut rest = text;
    loop {
        if rest.ends_with('>') {
            match opening(rest) {
                Some(open) => rest = rest[..open].trim_end_matches("::"),
                None => break,
            }
            start = rest.len();
            continue;
        }
        let word = rest.trim_end_matches(is_part);
        if word.len() == rest.len() {
            break;
        }
        start = word.len();
        match word.strip_suffix("::") {
            Some(before) => rest = before,
            None => break,
        }
    }
    &text[start..]
}

/// Where the bracket opens that a text ends with.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, character) in text.char_indices().rev() {
        match character {
            ')' | ']' | '}' | '>' if !text[..at].ends_with('-') || character != '>' => depth += 1,
            '(' | '[' | '{' | '<' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The expression that a text ends with and that a method can be called on.
pub(super) fn receiver(text: &str) -> &str {
    let text = text.trim_end();
    let mut rest = text;
    loop {
        let trimmed = rest.trim_end_matches('?');
        if trimmed.ends_with([')', ']']) || (trimmed.ends_with('>') && !trimmed.ends_with("->")) {
            match opening(trimmed) {
                Some(open) => rest = &trimmed[..open],
                None => break,
            }
            // The name that was called; a bracket alone is a value too.
            let named = rest.trim_end_matches(is_part).len() < rest.len();
            if !named && !rest.ends_with(['>', ')', ']', '?', '!']) && !rest.ends_with("::") {
                break;
            }
            if let Some(before) = rest.strip_suffix("::") {
                rest = before;
            } else if let Some(before) = rest.strip_suffix('!') {
                rest = before;
            }
            continue;
        }
        if let Some(within) = trimmed.strip_suffix('"') {
            rest = &trimmed[..within.rfind('"').unwrap_or(within.len())];
            break;
        }
        let before = trimmed.trim_end_matches(is_part);
        if before.len() == trimmed.len() {
            rest = trimmed;
            break;
        }
        rest = before;
        if let Some(before) = rest.strip_suffix("::") {
            rest = before;
        } else if rest.trim_end().ends_with('.') && !rest.trim_end().ends_with("..") {
            rest = rest.trim_end().strip_suffix('.').unwrap_or(rest).trim_end();
        } else {
            break;
        }
    }
    text[rest.len()..].trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here(source: &str) -> Place<'_> {
        at(source, source.len())
    }

    #[test]
    fn the_place_is_told_by_what_stands_before_it() {
        assert_eq!(here(":he"), Place::Command { word: "he" });
        assert_eq!(here("let a = zer"), Place::Word { word: "zer" });
        assert_eq!(here("a.resh"), Place::Member { receiver: "a", word: "resh" });
        assert_eq!(here("f(&a.b[0].c(1, 2)?.d"), Place::Member { receiver: "a.b[0].c(1, 2)?", word: "d" });
        assert_eq!(
            here("x = Vec::<i32>::new().le"),
            Place::Member { receiver: "Vec::<i32>::new()", word: "le" }
        );
        assert_eq!(here("vec![1].l"), Place::Member { receiver: "vec![1]", word: "l" });
        assert_eq!(here("\"text\".le"), Place::Member { receiver: "\"text\"", word: "le" });
        assert_eq!(here("v\n    .iter()\n    .ma"), Place::Member { receiver: "v\n    .iter()", word: "ma" });
        assert_eq!(here("std::f32::cons"), Place::Path { path: "std::f32", word: "cons" });
        assert_eq!(here("0..wei"), Place::Word { word: "wei" });
    }

    #[test]
    fn there_is_nothing_to_complete_in_texts_and_numbers() {
        for source in ["f(\"da\n", "// zer", "/* a", "1.", "12", "r#\"a\" b\n", "'a' // x"] {
            let place = here(source);
            let is_nothing =
                matches!(place, Place::Nothing) || matches!(place, Place::Member { receiver: "1", .. });
            assert!(is_nothing, "{source}: {place:?}");
        }
        for source in ["f(\"data/im", "f(r\"data/im", "!ls -l data/im"] {
            assert_eq!(here(source), Place::File { path: "data/im" });
        }
        assert_eq!(here("'a' + x"), Place::Word { word: "x" });
        assert_eq!(here("fn f<'a>(x"), Place::Word { word: "x" });
        assert_eq!(here("f(\"a\\\"b\", x"), Place::Word { word: "x" });
    }
}
