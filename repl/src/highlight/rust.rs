//! Rust.

use ra_ap_rustc_lexer::{FrontmatterAllowed, LiteralKind, Token, TokenKind, tokenize};

use super::{Kind, Language, Open, Pieces, cuda};

const KEYWORDS: &[&str] = &[
    "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern", "false",
    "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return",
    "self", "static", "struct", "super", "trait", "true", "type", "unsafe", "use", "where", "while", "yield",
];

const PRIMITIVES: &[&str] = &[
    "Self", "bool", "char", "f16", "f32", "f64", "f128", "i8", "i16", "i32", "i64", "i128", "isize", "str",
    "u8", "u16", "u32", "u64", "u128", "usize",
];

/// Reads a text from a place on.
pub(super) fn read(text: &str, from: usize, pieces: &mut Pieces) {
    let mut tokens = tokenize(&text[from..], FrontmatterAllowed::No).peekable();
    let mut at = from;
    // Where an attribute began, and how many of its brackets are open.
    let mut attribute: Option<(usize, usize)> = None;
    while let Some(token) = tokens.next() {
        let range = at..at + token.len as usize;
        at = range.end;
        let next = tokens.peek();
        pieces.open = open(&token, at == text.len());
        if let Some((start, depth)) = &mut attribute {
            match token.kind {
                TokenKind::OpenBracket => *depth += 1,
                TokenKind::CloseBracket => *depth = depth.saturating_sub(1),
                _ => {}
            }
            if *depth == 0 && token.kind == TokenKind::CloseBracket {
                pieces.push(*start..at, Kind::Macro, Language::Rust);
                attribute = None;
            }
            continue;
        }
        match token.kind {
            TokenKind::Pound if begins_attribute(&text[at..]) => attribute = Some((range.start, 0)),
            TokenKind::LineComment { .. } | TokenKind::BlockComment { .. } => {
                pieces.push(range, Kind::Comment, Language::Rust);
            }
            TokenKind::Literal { kind, .. } => literal(text, range, kind, pieces),
            TokenKind::Lifetime { .. } | TokenKind::RawLifetime => {
                pieces.push(range, Kind::Lifetime, Language::Rust);
            }
            TokenKind::Ident => {
                let word = &text[range.clone()];
                let is_macro =
                    next.is_some_and(|next| next.kind == TokenKind::Bang) && !text[at + 1..].starts_with('=');
                if KEYWORDS.contains(&word) {
                    pieces.push(range, Kind::Keyword, Language::Rust);
                } else if is_macro {
                    pieces.push(range.start..range.end + 1, Kind::Macro, Language::Rust);
                } else if PRIMITIVES.contains(&word) || is_type_name(word) {
                    pieces.push(range, Kind::Type, Language::Rust);
                }
            }
            kind => {
                if let Some(bracket) = bracket(kind) {
                    pieces.push_bracket(range.start, bracket, Language::Rust);
                }
            }
        }
    }
    // One that is not closed yet.
    if let Some((start, _)) = attribute {
        pieces.push(start..text.len(), Kind::Macro, Language::Rust);
    }
}

/// Whether `#` is the start of `#[..]` or `#![..]`.
fn begins_attribute(rest: &str) -> bool {
    rest.starts_with('[') || rest.starts_with("![")
}

/// `Vec` and `T`, but not `PI` or `N_STEPS`.
fn is_type_name(word: &str) -> bool {
    let mut characters = word.chars();
    characters.next().is_some_and(char::is_uppercase)
        && (word.chars().count() == 1 || characters.any(char::is_lowercase))
}

fn literal(text: &str, range: std::ops::Range<usize>, kind: LiteralKind, pieces: &mut Pieces) {
    let is_number = matches!(kind, LiteralKind::Int { .. } | LiteralKind::Float { .. });
    if is_number {
        pieces.push(range, Kind::Number, Language::Rust);
        return;
    }
    let is_text = !matches!(kind, LiteralKind::Char { .. } | LiteralKind::Byte { .. });
    match cuda::content(&text[range.clone()]).filter(|_| is_text) {
        Some(content) => {
            let content = range.start + content.start..range.start + content.end;
            pieces.push(range.start..content.start, Kind::String, Language::Rust);
            cuda::read(text, content.clone(), pieces);
            if content.end < range.end {
                pieces.push(content.end..range.end, Kind::String, Language::Rust);
            } else if pieces.open.is_some() {
                pieces.open = Some(Open::Cuda(content.start));
            }
        }
        None => pieces.push(range, Kind::String, Language::Rust),
    }
}

/// What a text ends within, if this token is its last one.
fn open(token: &Token, is_last: bool) -> Option<Open> {
    if !is_last {
        return None;
    }
    let kind = match token.kind {
        TokenKind::Literal { kind, .. } => kind,
        TokenKind::LineComment { .. } => return Some(Open::LineComment),
        TokenKind::BlockComment { terminated: false, .. } => return Some(Open::Comment),
        _ => return None,
    };
    let is_open = match kind {
        LiteralKind::Str { terminated }
        | LiteralKind::ByteStr { terminated }
        | LiteralKind::CStr { terminated } => !terminated,
        LiteralKind::RawStr { n_hashes }
        | LiteralKind::RawByteStr { n_hashes }
        | LiteralKind::RawCStr { n_hashes } => n_hashes.is_none(),
        _ => false,
    };
    is_open.then_some(Open::String)
}

/// The bracket that a token is.
pub(super) fn bracket(kind: TokenKind) -> Option<char> {
    Some(match kind {
        TokenKind::OpenParen => '(',
        TokenKind::CloseParen => ')',
        TokenKind::OpenBracket => '[',
        TokenKind::CloseBracket => ']',
        TokenKind::OpenBrace => '{',
        TokenKind::CloseBrace => '}',
        _ => return None,
    })
}
