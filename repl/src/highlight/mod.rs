//! The words of a cell while it is typed: which are keywords, which strings,
//! and which brackets belong together.
//!
//! The text is taken apart by rustc's own lexer, which takes any text: half a
//! string, half a number, no Rust at all. CUDA C within strings goes through
//! the same lexer, as its tokens look alike.

mod cuda;
mod rust;

use std::fmt::Write as _;
use std::ops::Range;

use anstyle::Style;
use gpurepl_session::command;

use crate::theme::Theme;

/// What a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Keyword,
    Type,
    String,
    Number,
    Comment,
    Macro,
    Lifetime,
    Command,
}

/// Which language a piece is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Rust,
    /// CUDA C within the string literal that starts at this byte.
    Cuda(usize),
}

/// A piece of a cell that something is known of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Where it stands, in bytes.
    pub range: Range<usize>,
    /// What it is; none for brackets.
    pub kind: Option<Kind>,
    /// The bracket that it is, if it is one.
    pub bracket: Option<char>,
    pub language: Language,
}

/// A cell taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pieces {
    /// The pieces that something is known of, in order; none overlaps another.
    pub pieces: Vec<Piece>,
    /// What the text ends within, if not between two words.
    pub open: Option<Open>,
}

/// Something that contains the end of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// A comment that goes on in the next line.
    Comment,
    /// A comment that ends with its line.
    LineComment,
    /// A string literal that is just a text.
    String,
    /// A string literal that holds CUDA C, which starts at this byte.
    Cuda(usize),
}

impl Pieces {
    fn push(&mut self, range: Range<usize>, kind: Kind, language: Language) {
        self.pieces.push(Piece { range, kind: Some(kind), bracket: None, language });
    }

    fn push_bracket(&mut self, at: usize, bracket: char, language: Language) {
        self.pieces.push(Piece { range: at..at + 1, kind: None, bracket: Some(bracket), language });
    }
}

/// Takes a cell, a command or anything else that is typed apart.
pub fn pieces(text: &str) -> Pieces {
    let mut pieces = Pieces::default();
    let start = text.len() - text.trim_start().len();
    let typed = &text[start..];
    let word = || start..start + typed.find(char::is_whitespace).unwrap_or(typed.len());
    if typed.starts_with('!') {
        // The rest is the system's, not Rust.
        pieces.push(start..start + 1, Kind::Command, Language::Rust);
        return pieces;
    }
    let rest = if typed.starts_with('?') {
        pieces.push(start..start + 1, Kind::Command, Language::Rust);
        start + 1
    } else if typed.starts_with('%') {
        pieces.push(word(), Kind::Command, Language::Rust);
        word().end
    } else if command::is_command(text) {
        pieces.push(word(), Kind::Command, Language::Rust);
        if !takes_code(&text[word()]) {
            return pieces;
        }
        word().end
    } else {
        start
    };
    rust::read(text, rest, &mut pieces);
    pieces
}

/// Whether what follows a command is Rust.
fn takes_code(name: &str) -> bool {
    let name = name.trim_start_matches(':');
    let known = command::COMMANDS.iter().find(|known| known.name == name || known.aliases.contains(&name));
    known.is_none_or(|known| ["EXPR", "CODE", "CELL"].iter().any(|word| known.arguments.contains(word)))
}

/// A text with the styles of a theme. Only escape sequences are added. The
/// brackets at these places are marked.
pub fn paint(text: &str, marked: &[usize], theme: &Theme) -> String {
    let mut painted = String::with_capacity(text.len() * 2);
    let mut at = 0;
    for piece in pieces(text).pieces {
        let style = match piece.kind {
            Some(kind) => theme.style(kind),
            None if marked.contains(&piece.range.start) => theme.bracket,
            None => continue,
        };
        painted.push_str(&text[at..piece.range.start]);
        let _ = write!(painted, "{style}{}{style:#}", &text[piece.range.clone()]);
        at = piece.range.end;
    }
    painted.push_str(&text[at..]);
    painted
}

impl Theme {
    fn style(&self, kind: Kind) -> Style {
        match kind {
            Kind::Keyword => self.keyword,
            Kind::Type => self.type_name,
            Kind::String => self.string,
            Kind::Number => self.number,
            Kind::Comment => self.comment,
            Kind::Macro => self.macro_name,
            Kind::Lifetime => self.lifetime,
            Kind::Command => self.command,
        }
    }
}

/// The bracket at the cursor, or just before it, and the one that belongs to
/// it.
pub fn matching(text: &str, cursor: usize) -> Option<(usize, usize)> {
    let pieces = pieces(text).pieces;
    let brackets: Vec<(usize, char, Language)> =
        pieces.iter().filter_map(|piece| Some((piece.range.start, piece.bracket?, piece.language))).collect();
    let is_at = |at: usize| brackets.iter().position(|(start, ..)| *start == at);
    let here = is_at(cursor).or_else(|| is_at(cursor.checked_sub(1)?))?;
    let (at, bracket, language) = brackets[here];
    let other = partner(bracket);
    let mut depth = 0_usize;
    let mut find = |(found, candidate, its): &(usize, char, Language)| {
        if *its != language {
            return None;
        }
        match *candidate {
            c if c == bracket => depth += 1,
            c if c == other => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(*found)
    };
    let found = if is_opening(bracket) {
        brackets[here..].iter().find_map(&mut find)
    } else {
        brackets[..=here].iter().rev().find_map(&mut find)
    };
    Some((at, found?))
}

/// The bracket that belongs to another.
pub fn partner(bracket: char) -> char {
    match bracket {
        '(' => ')',
        ')' => '(',
        '[' => ']',
        ']' => '[',
        '{' => '}',
        _ => '{',
    }
}

/// Whether a bracket opens something.
pub fn is_opening(bracket: char) -> bool {
    matches!(bracket, '(' | '[' | '{')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::ThemeName;
    use proptest::prelude::*;

    /// A text with what its pieces are, in brackets of their own.
    fn marked(text: &str) -> String {
        let mut marked = String::new();
        let mut at = 0;
        for piece in pieces(text).pieces {
            let Some(kind) = piece.kind else { continue };
            marked.push_str(&text[at..piece.range.start]);
            let _ = write!(marked, "<{kind:?} {}>", &text[piece.range.clone()]);
            at = piece.range.end;
        }
        marked + &text[at..]
    }

    #[test]
    fn rust_has_its_words() {
        let cases = [
            ("let mut x = 1_u8;", "<Keyword let> <Keyword mut> x = <Number 1_u8>;"),
            (
                "fn f<'a>(v: &'a Vec<f32>)",
                "<Keyword fn> f<<Lifetime 'a>>(v: &<Lifetime 'a> <Type Vec><<Type f32>>)",
            ),
            ("println!(\"a {x}\"); // end", "<Macro println!>(<String \"a {x}\">); <Comment // end>"),
            ("a != b && !c", "a != b && !c"),
            ("#[derive(Debug)] struct S;", "<Macro #[derive(Debug)]> <Keyword struct> <Type S>;"),
            ("'x' b'y' b\"z\" r#\"w\"#", "<String 'x'> <String b'y'> <String b\"z\"> <String r#\"w\"#>"),
            ("r#type + r#match", "r#type + r#match"),
            ("/* a /* b */", "<Comment /* a /* b */>"),
            ("let s = \"half", "<Keyword let> s = <String \"half>"),
            ("std::f32::consts::PI * 1e-3", "std::<Type f32>::consts::PI * <Number 1e-3>"),
        ];
        for (text, expected) in cases {
            assert_eq!(marked(text), expected);
        }
    }

    #[test]
    fn kernels_in_strings_are_cuda_c() {
        let text = "SourceModule::new(r#\"\n#include <cmath>\n__global__ void f(float *x) { x[threadIdx.x] *= 2.0f; /* t */ }\n\"#)?";
        let expected = "<Type SourceModule>::new(<String r#\">\n<Macro #include> <String <cmath>>\n<Keyword __global__> <Type void> f(<Type float> *x) { x[<Macro threadIdx>.x] *= <Number 2.0f>; <Comment /* t */> }\n<String \"#>)?";
        assert_eq!(marked(text), expected);
        assert_eq!(
            marked("\"__device__ int a = '{';"),
            "<String \"><Keyword __device__> <Type int> a = <String '{'>;"
        );
        assert_eq!(marked("\"if else\""), "<String \"if else\">");
    }

    #[test]
    fn commands_and_what_is_no_rust() {
        assert_eq!(marked(":vars"), "<Command :vars>");
        assert_eq!(marked(":load let.rs"), "<Command :load> let.rs");
        assert_eq!(marked("  %time let x = 1"), "  <Command %time> <Keyword let> x = <Number 1>");
        assert_eq!(marked("!ls let"), "<Command !>ls let");
        assert_eq!(marked("?zeros"), "<Command ?>zeros");
        assert_eq!(marked("::std::mem::take"), "::std::mem::take");
    }

    #[test]
    fn brackets_match_within_their_language() {
        assert_eq!(matching("f(a[0])", 1), Some((1, 6)));
        assert_eq!(matching("f(a[0])", 7), Some((6, 1)));
        assert_eq!(matching("f(\")\")", 1), Some((1, 5)));
        assert_eq!(matching("f('(')", 6), Some((5, 1)));
        assert_eq!(matching("f(a", 1), None);
        assert_eq!(matching("", 0), None);
        let cuda = "g(\"__global__ void f() {}\")";
        assert_eq!(matching(cuda, 1), Some((1, cuda.len() - 1)));
        let brace = cuda.find('{').unwrap();
        assert_eq!(matching(cuda, brace), Some((brace, brace + 1)));
    }

    #[test]
    fn the_end_of_a_text_may_lie_within_something() {
        assert_eq!(pieces("let a = \"b").open, Some(Open::String));
        assert_eq!(pieces("let a = r#\"b\"").open, Some(Open::String));
        assert_eq!(pieces("1 /* b").open, Some(Open::Comment));
        assert_eq!(pieces("f(r\"__global__ void f() {").open, Some(Open::Cuda(4)));
        assert_eq!(pieces("f(\"\") // b\n").open, None);
    }

    fn stripped(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    proptest! {
        #[test]
        fn any_text_is_only_coloured(text in "\\PC{0,80}", cursor in 0..90_usize) {
            for name in [ThemeName::Dark, ThemeName::Light, ThemeName::Mono] {
                prop_assert_eq!(stripped(&paint(&text, &[cursor], name.theme())), text.clone());
            }
            if let Some((at, other)) = matching(&text, cursor) {
                prop_assert_eq!(text.as_bytes()[other] as char, partner(text.as_bytes()[at] as char));
            }
        }

        #[test]
        fn half_typed_code_is_only_coloured(
            text in "(let|fn|r#\"|\"|'|/\\*|__global__|\\{|\\}|#\\[|#include|<|x|1e|0x|\n| |!|é|'a|b'|//|\\\\){0,24}",
        ) {
            prop_assert_eq!(stripped(&paint(&text, &[], ThemeName::Dark.theme())), text.clone());
            let all = pieces(&text).pieces;
            for pair in all.windows(2) {
                prop_assert!(pair[0].range.end <= pair[1].range.start);
            }
        }
    }
}
