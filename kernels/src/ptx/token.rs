//! The words of PTX.

/// A word or a mark of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    /// The word, such as `ld.global.f32` or `%r1`, or one mark, such as `[`.
    pub text: &'a str,
    /// The line it starts on, from one.
    pub line: usize,
}

/// The tokens of a text, without comments and without the directives of
/// debuggers that end with their line (`.loc`, `.file`).
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut line = 1;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            line_length(rest)
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.find("*/").map_or(rest.len(), |end| end + 4)
        } else if first.is_whitespace() {
            first.len_utf8()
        } else if rest.starts_with('"') {
            let length = string_length(rest);
            tokens.push(Token { text: &rest[..length], line });
            length
        } else {
            let length = word_length(rest).max(first.len_utf8());
            let word = &rest[..length];
            if word == ".loc" || word == ".file" {
                line_length(rest)
            } else {
                tokens.push(Token { text: word, line });
                length
            }
        };
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    tokens
}

/// The length of what stands before the end of the line.
fn line_length(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of a word; zero where none starts. `::` is part of a word, as in
/// `.shared::cta`, while the `:` behind a label is not.
fn word_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            byte if byte.is_ascii_alphanumeric() || b"_$%.".contains(&byte) => at += 1,
            b':' if at > 0 && bytes.get(at + 1) == Some(&b':') => at += 2,
            _ => break,
        }
    }
    at
}

/// Where the bracket that opens at `open` is closed; the end of the tokens if
/// it is not.
pub(super) fn closing(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(&str, usize)> {
        tokens(text).iter().map(|token| (token.text, token.line)).collect()
    }

    #[test]
    fn a_label_ends_before_its_colon_and_a_state_space_does_not() {
        assert_eq!(
            words("$L__BB0_1:\nst.shared::cta.b32 [%r1+4], -1;"),
            [
                ("$L__BB0_1", 1),
                (":", 1),
                ("st.shared::cta.b32", 2),
                ("[", 2),
                ("%r1", 2),
                ("+", 2),
                ("4", 2),
                ("]", 2),
                (",", 2),
                ("-", 2),
                ("1", 2),
                (";", 2)
            ]
        );
    }

    #[test]
    fn comments_and_places_in_sources_are_passed_over() {
        let text = "a /* {\n */ b // {\n.loc 1 2 3, function_name $L, inlined_at 1 2 3\nc \"x;\\\"{\" d";
        assert_eq!(words(text), [("a", 1), ("b", 2), ("c", 4), ("\"x;\\\"{\"", 4), ("d", 4)]);
    }

    #[test]
    fn text_that_ends_early_ends_the_tokens() {
        assert_eq!(words("/* a"), []);
        assert_eq!(words("\"a\\"), [("\"a\\", 1)]);
        assert_eq!(words("é:"), [("é", 1), (":", 1)]);
        assert_eq!(closing(&tokens("( [ ]"), 0), 3);
    }
}
