//! CUDA C within string literals.

use std::ops::Range;

use ra_ap_rustc_lexer::{FrontmatterAllowed, LiteralKind, TokenKind, tokenize};

use super::rust::bracket;
use super::{Kind, Language, Pieces};

const KEYWORDS: &[&str] = &[
    "__constant__",
    "__device__",
    "__forceinline__",
    "__global__",
    "__host__",
    "__launch_bounds__",
    "__managed__",
    "__noinline__",
    "__restrict__",
    "__shared__",
    "alignas",
    "asm",
    "auto",
    "break",
    "case",
    "class",
    "const",
    "constexpr",
    "continue",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "extern",
    "false",
    "for",
    "goto",
    "if",
    "inline",
    "namespace",
    "new",
    "nullptr",
    "operator",
    "private",
    "public",
    "return",
    "sizeof",
    "static",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "true",
    "typedef",
    "typename",
    "union",
    "using",
    "volatile",
    "while",
];

const TYPES: &[&str] = &[
    "bool",
    "char",
    "cudaSurfaceObject_t",
    "cudaTextureObject_t",
    "dim3",
    "double",
    "float",
    "half",
    "int",
    "int16_t",
    "int32_t",
    "int64_t",
    "int8_t",
    "long",
    "short",
    "signed",
    "size_t",
    "uchar",
    "uint",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uint8_t",
    "unsigned",
    "ushort",
    "void",
];

/// What every kernel has.
const GIVEN: &[&str] = &["blockDim", "blockIdx", "gridDim", "threadIdx", "warpSize"];

/// The range of a string literal's content, if it is CUDA C.
pub(super) fn content(literal: &str) -> Option<Range<usize>> {
    if !literal.contains("__global__") && !literal.contains("__device__") {
        return None;
    }
    let start = literal.find('"')? + 1;
    let hashes = literal[..start].matches('#').count();
    let closing = format!("\"{}", "#".repeat(hashes));
    let end = match literal.strip_suffix(closing.as_str()) {
        Some(rest) if rest.len() >= start => rest.len(),
        _ => literal.len(),
    };
    Some(start..end)
}

/// Reads a part of a text.
pub(super) fn read(text: &str, range: Range<usize>, pieces: &mut Pieces) {
    let language = Language::Cuda(range.start);
    let mut at = range.start;
    let mut tokens = tokenize(&text[range], FrontmatterAllowed::No).peekable();
    // The line of a directive, and whether it is `#include`.
    let mut includes = false;
    while let Some(token) = tokens.next() {
        let mut range = at..at + token.len as usize;
        at = range.end;
        match token.kind {
            TokenKind::LineComment { .. } | TokenKind::BlockComment { .. } => {
                pieces.push(range, Kind::Comment, language);
            }
            TokenKind::Whitespace => includes &= !text[range].contains('\n'),
            TokenKind::Literal { kind: LiteralKind::Int { .. } | LiteralKind::Float { .. }, .. } => {
                pieces.push(range, Kind::Number, language);
            }
            TokenKind::Literal { .. } => pieces.push(range, Kind::String, language),
            TokenKind::Pound => {
                if let Some(word) = tokens.next_if(|next| next.kind == TokenKind::Ident) {
                    includes = text[at..].starts_with("include");
                    at += word.len as usize;
                    range.end = at;
                    pieces.push(range, Kind::Macro, language);
                }
            }
            TokenKind::Lt if includes => {
                includes = false;
                let line = text[at..].split('\n').next().unwrap_or_default();
                let Some(length) = line.find('>') else { continue };
                let end = at + length + 1;
                while at < end
                    && let Some(token) = tokens.next()
                {
                    at += token.len as usize;
                }
                // A name with a comment in it ends elsewhere.
                pieces.push(range.start..at.max(end), Kind::String, language);
            }
            TokenKind::Ident => {
                let word = &text[range.clone()];
                let kind = if KEYWORDS.contains(&word) {
                    Kind::Keyword
                } else if TYPES.contains(&word) || is_vector(word) {
                    Kind::Type
                } else if GIVEN.contains(&word) {
                    Kind::Macro
                } else {
                    continue;
                };
                pieces.push(range, kind, language);
            }
            kind => {
                if let Some(bracket) = bracket(kind) {
                    pieces.push_bracket(range.start, bracket, language);
                }
            }
        }
    }
}

/// `float4`, `uint2`, `longlong3`.
fn is_vector(word: &str) -> bool {
    let Some(element) = word.strip_suffix(['1', '2', '3', '4']) else { return false };
    let element = element.strip_prefix('u').unwrap_or(element);
    matches!(element, "char" | "short" | "int" | "long" | "longlong" | "float" | "double" | "half")
}
