//! The tokens of C and CUDA C++, as far as finding kernels needs them.
//!
//! Comments and white space are left out, preprocessor directives are one
//! token each, and every token knows its place, so that text between tokens
//! is never touched.

use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name or a keyword.
    Identifier,
    /// A number in any base, with its suffix.
    Number,
    /// A string literal, raw ones included, with its prefix.
    String,
    /// A character literal with its prefix.
    Character,
    /// A single character of punctuation.
    Punctuation,
    /// A whole preprocessor directive, with its continuation lines.
    Directive,
}

/// A token and its place in the source, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is.
    pub span: Range<usize>,
}

impl Token {
    /// The token's text within the source it was read from.
    pub fn text<'a>(&self, source: &'a str) -> &'a str {
        &source[self.span.clone()]
    }

    /// Whether this is the identifier `name`.
    pub fn is_name(&self, source: &str, name: &str) -> bool {
        self.kind == TokenKind::Identifier && self.text(source) == name
    }

    /// Whether this is the punctuation character `mark`.
    pub fn is_mark(&self, source: &str, mark: char) -> bool {
        self.kind == TokenKind::Punctuation && self.text(source).starts_with(mark)
    }
}

/// A text with its tokens, for whoever asks it several questions.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    /// The text.
    pub text: &'a str,
    /// Its tokens, in order.
    pub tokens: Vec<Token>,
}

impl<'a> Source<'a> {
    /// Splits a text into tokens.
    pub fn new(text: &'a str) -> Source<'a> {
        Source { text, tokens: tokens(text) }
    }
}

/// Splits a source into tokens.
///
/// Never fails: an unfinished string or comment ends with the text, and the
/// compiler that reads the text afterwards says what is wrong with it.
///
/// ```
/// use gpurepl_kernels::token::tokens;
/// let source = "a /* b */ += \"c // d\";";
/// let texts: Vec<_> = tokens(source).iter().map(|t| t.text(source).to_owned()).collect();
/// assert_eq!(texts, ["a", "+", "=", "\"c // d\"", ";"]);
/// ```
pub fn tokens(source: &str) -> Vec<Token> {
    let mut scanner = Scanner { source, bytes: source.as_bytes(), at: 0 };
    let mut tokens = Vec::new();
    let mut fresh_line = true;
    while let Some(&byte) = scanner.bytes.get(scanner.at) {
        let start = scanner.at;
        let kind = match byte {
            b'\n' => {
                fresh_line = true;
                scanner.at += 1;
                continue;
            }
            _ if byte.is_ascii_whitespace() => {
                scanner.at += 1;
                continue;
            }
            b'/' if scanner.starts_with("//") => {
                scanner.skip_logical_line();
                continue;
            }
            b'/' if scanner.starts_with("/*") => {
                scanner.at = scanner.find_after("*/", start + 2);
                continue;
            }
            b'#' if fresh_line => {
                scanner.skip_directive();
                TokenKind::Directive
            }
            b'"' => {
                scanner.skip_quoted(b'"');
                TokenKind::String
            }
            b'\'' => {
                scanner.skip_quoted(b'\'');
                TokenKind::Character
            }
            _ if is_identifier_start(byte) => scanner.identifier_or_prefixed_literal(),
            _ if byte.is_ascii_digit() || (byte == b'.' && scanner.digit_at(1)) => {
                scanner.skip_number();
                TokenKind::Number
            }
            _ => {
                scanner.at += 1;
                TokenKind::Punctuation
            }
        };
        fresh_line = kind == TokenKind::Directive;
        tokens.push(Token { kind, span: start..scanner.at });
    }
    tokens
}

/// The index of the token that closes the bracket at `open`, if there is one.
pub fn closing(source: &str, tokens: &[Token], open: usize) -> Option<usize> {
    let (opening, closing) = match tokens[open].text(source) {
        "(" => ('(', ')'),
        "[" => ('[', ']'),
        "{" => ('{', '}'),
        _ => return None,
    };
    let mut depth = 0;
    for (k, token) in tokens.iter().enumerate().skip(open) {
        if token.is_mark(source, opening) {
            depth += 1;
        } else if token.is_mark(source, closing) {
            depth -= 1;
            if depth == 0 {
                return Some(k);
            }
        }
    }
    None
}

fn is_identifier_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn is_identifier_part(byte: u8) -> bool {
    is_identifier_start(byte) || byte.is_ascii_digit()
}

struct Scanner<'a> {
    source: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    fn starts_with(&self, text: &str) -> bool {
        self.source.as_bytes()[self.at..].starts_with(text.as_bytes())
    }

    fn digit_at(&self, offset: usize) -> bool {
        self.bytes.get(self.at + offset).is_some_and(u8::is_ascii_digit)
    }

    /// The position after the next `text`, or the end.
    fn find_after(&self, text: &str, from: usize) -> usize {
        let from = from.min(self.bytes.len());
        self.bytes[from..]
            .windows(text.len())
            .position(|window| window == text.as_bytes())
            .map_or(self.bytes.len(), |at| from + at + text.len())
    }

    /// Up to the newline that ends this line and is not escaped.
    fn skip_logical_line(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => return,
                b'\\' if self.newline_after(self.at) => {
                    self.at += 2 + usize::from(self.bytes[self.at + 1] == b'\r')
                }
                _ => self.at += 1,
            }
        }
    }

    fn newline_after(&self, at: usize) -> bool {
        matches!(self.bytes.get(at + 1..), Some([b'\n', ..] | [b'\r', b'\n', ..]))
    }

    /// A directive ends with its logical line, but a block comment within it
    /// may span lines, and a line comment ends it early.
    fn skip_directive(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => return,
                b'\\' if self.newline_after(self.at) => {
                    self.at += 2 + usize::from(self.bytes[self.at + 1] == b'\r')
                }
                b'/' if self.starts_with("//") => return,
                b'/' if self.starts_with("/*") => self.at = self.find_after("*/", self.at + 2),
                b'"' => self.skip_quoted(b'"'),
                _ => self.at += 1,
            }
        }
    }

    /// A literal in quotes; it ends at the end of the line if nothing closes it.
    fn skip_quoted(&mut self, quote: u8) {
        self.at += 1;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\\' => self.at = (self.at + 2).min(self.bytes.len()),
                b'\n' => return,
                _ => {
                    self.at += 1;
                    if byte == quote {
                        return;
                    }
                }
            }
        }
    }

    fn identifier_or_prefixed_literal(&mut self) -> TokenKind {
        let start = self.at;
        while self.bytes.get(self.at).copied().is_some_and(is_identifier_part) {
            self.at += 1;
        }
        let prefix = &self.source[start..self.at];
        match self.bytes.get(self.at) {
            Some(b'"') if matches!(prefix, "R" | "LR" | "uR" | "UR" | "u8R") => {
                self.skip_raw_string();
                TokenKind::String
            }
            Some(b'"') if matches!(prefix, "L" | "u" | "U" | "u8") => {
                self.skip_quoted(b'"');
                TokenKind::String
            }
            Some(b'\'') if matches!(prefix, "L" | "u" | "U" | "u8") => {
                self.skip_quoted(b'\'');
                TokenKind::Character
            }
            _ => TokenKind::Identifier,
        }
    }

    fn skip_raw_string(&mut self) {
        let delimiter_start = self.at + 1;
        match self.source[delimiter_start..].find('(') {
            Some(length) => {
                let closing = format!("){}\"", &self.source[delimiter_start..delimiter_start + length]);
                self.at = self.find_after(&closing, delimiter_start + length);
            }
            None => self.at = self.bytes.len(),
        }
    }

    /// A preprocessing number: digits, letters, points, quotes between digits
    /// and signs after an exponent.
    fn skip_number(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            let exponent_sign =
                matches!(byte, b'+' | b'-') && matches!(self.bytes[self.at - 1], b'e' | b'E' | b'p' | b'P');
            let separator =
                byte == b'\'' && self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_alphanumeric);
            if is_identifier_part(byte) || byte == b'.' || exponent_sign || separator {
                self.at += 1;
            } else {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(source: &str) -> Vec<&str> {
        tokens(source).iter().map(|token| &source[token.span.clone()]).collect()
    }

    #[test]
    fn strings_hide_comments_and_comments_hide_strings() {
        assert_eq!(texts(r#"a "/* x" b // "c"#), ["a", r#""/* x""#, "b"]);
        assert_eq!(texts(r#"/* "x */ y "z\"// w" u8"q" L'\''"#), ["y", r#""z\"// w""#, r#"u8"q""#, r"L'\''"]);
    }

    #[test]
    fn raw_strings_end_at_their_delimiter() {
        assert_eq!(texts("R\"x(a)\" )\" b)x\" c"), ["R\"x(a)\" )\" b)x\"", "c"]);
    }

    #[test]
    fn directives_take_their_continuations() {
        assert_eq!(
            texts("#define A(x) \\\n  x + 1\nint y; # 3\n  #if 1 // note"),
            ["#define A(x) \\\n  x + 1", "int", "y", ";", "#", "3", "#if 1 "]
        );
    }

    #[test]
    fn numbers_are_whole() {
        assert_eq!(texts("1e-5f+0x1p-3 .5 1'000 3.x"), ["1e-5f", "+", "0x1p-3", ".5", "1'000", "3.x"]);
    }

    #[test]
    fn brackets_find_their_partner() {
        let source = "f(a, (b), \")\") {}";
        let all = tokens(source);
        let close = closing(source, &all, 1).unwrap();
        assert_eq!(all[close].span, 13..14);
        assert_eq!(closing("f(", &tokens("f("), 1), None);
    }

    proptest! {
        /// Whatever the text, tokens are in order, never overlap and cover
        /// everything that is not white space or comment.
        #[test]
        fn tokens_are_in_order(source in "(\\PC|[\n\"'/*\\\\#(){}R]){0,60}") {
            let mut end = 0;
            for token in tokens(&source) {
                prop_assert!(token.span.start >= end && token.span.end > token.span.start);
                prop_assert!(source.is_char_boundary(token.span.start) && source.is_char_boundary(token.span.end));
                end = token.span.end;
            }
            prop_assert!(end <= source.len());
        }
    }
}
