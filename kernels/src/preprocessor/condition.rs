//! The conditions of `#if` and `#elif`.

use super::expansion::Piece;
use super::macros::{Macros, Meaning, pieces};
use crate::token::TokenKind;

/// A number, and whether it is unsigned. Both have 64 bits.
#[derive(Clone, Copy)]
struct Value {
    bits: u64,
    is_unsigned: bool,
}

impl Value {
    fn of(is: bool) -> Value {
        Value { bits: u64::from(is), is_unsigned: false }
    }

    fn is_true(self) -> bool {
        self.bits != 0
    }
}

/// Whether a condition holds; none where that cannot be known here.
pub(super) fn evaluate(text: &str, macros: &mut Macros) -> Option<bool> {
    let pieces = resolved(pieces(text), macros);
    let mut pieces = macros.expand(pieces, &mut || None)?;
    for piece in &mut pieces {
        let is_name = piece.kind == TokenKind::Identifier && piece.text != "true" && piece.text != "false";
        if is_name && matches!(macros.meaning(&piece.text), Meaning::Unknown) {
            (piece.text, piece.kind) = (UNKNOWN.to_owned(), TokenKind::Number);
        }
    }
    let mut reader = Reader { pieces: &pieces, at: 0, depth: 0 };
    let value = reader.ternary().ok()?;
    if reader.at < pieces.len() {
        return None;
    }
    value.map(Value::is_true)
}

/// `defined x` becomes a number before macros are expanded.
fn resolved(pieces: Vec<Piece>, macros: &Macros) -> Vec<Piece> {
    let mut resolved: Vec<Piece> = Vec::new();
    let mut k = 0;
    while let Some(piece) = pieces.get(k) {
        let is_call = pieces.get(k + 1).is_some_and(|next| next.is("("));
        if piece.text == "defined" {
            let name = pieces.get(k + if is_call { 2 } else { 1 });
            let text = match name.map(|name| macros.is_defined(&name.text)) {
                Some(Some(is)) => u8::from(is).to_string(),
                _ => UNKNOWN.to_owned(),
            };
            resolved.push(Piece { text, kind: TokenKind::Number, ..piece.clone() });
            k += if is_call { 4 } else { 2 };
        } else if piece.text.starts_with("__has_") && is_call {
            // What the compiler has, it knows itself.
            let close =
                pieces[k..].iter().position(|piece| piece.is(")")).map_or(pieces.len(), |at| k + at + 1);
            resolved.push(Piece { text: UNKNOWN.to_owned(), kind: TokenKind::Number, ..piece.clone() });
            k = close;
        } else {
            resolved.push(piece.clone());
            k += 1;
        }
    }
    resolved
}

/// A number that is not known.
const UNKNOWN: &str = "?";

/// What is not an expression.
struct Wrong;

/// By the precedence of C. A value that is not known is none; what does not
/// depend on it is known all the same.
struct Reader<'a> {
    pieces: &'a [Piece],
    at: usize,
    depth: usize,
}

type Read = Result<Option<Value>, Wrong>;

/// Operators from the weakest, by level.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Reader<'_> {
    /// Takes an operator, of whose characters each is a piece.
    fn eat(&mut self, operator: &str) -> bool {
        let length = operator.len();
        let Some(pieces) = self.pieces.get(self.at..self.at + length) else { return false };
        let is_here = pieces.iter().zip(operator.chars()).enumerate().all(|(k, (piece, mark))| {
            piece.kind == TokenKind::Punctuation
                && piece.text.starts_with(mark)
                && (k == 0 || !piece.is_spaced)
        });
        // `<` is not the start of `<<` or `<=`, `&` not of `&&`.
        let longer = self.pieces.get(self.at + length).filter(|next| !next.is_spaced);
        let is_longer = longer.is_some_and(|next| match operator {
            "<" => next.is("<") || next.is("="),
            ">" => next.is(">") || next.is("="),
            "&" => next.is("&"),
            "|" => next.is("|"),
            "!" => next.is("="),
            _ => false,
        });
        if is_here && !is_longer {
            self.at += length;
        }
        is_here && !is_longer
    }

    fn ternary(&mut self) -> Read {
        self.depth += 1;
        if self.depth > 100 {
            return Err(Wrong);
        }
        let condition = self.binary(0)?;
        let value = if self.eat("?") {
            let yes = self.ternary()?;
            if !self.eat(":") {
                return Err(Wrong);
            }
            let no = self.ternary()?;
            condition.and_then(|condition| if condition.is_true() { yes } else { no })
        } else {
            condition
        };
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, level: usize) -> Read {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.eat(operator)) {
            let right = self.binary(level + 1)?;
            left = apply(operator, left, right);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Read {
        self.depth += 1;
        if self.depth > 100 {
            return Err(Wrong);
        }
        let value = if self.eat("!") {
            self.unary()?.map(|value| Value::of(!value.is_true()))
        } else if self.eat("-") {
            self.unary()?.map(|value| Value { bits: value.bits.wrapping_neg(), ..value })
        } else if self.eat("+") {
            self.unary()?
        } else if self.eat("~") {
            self.unary()?.map(|value| Value { bits: !value.bits, ..value })
        } else if self.eat("(") {
            let value = self.ternary()?;
            if !self.eat(")") {
                return Err(Wrong);
            }
            value
        } else {
            let piece = self.pieces.get(self.at).ok_or(Wrong)?;
            self.at += 1;
            match piece.kind {
                TokenKind::Number => number(&piece.text),
                TokenKind::Character => character(&piece.text),
                TokenKind::Identifier => {
                    // A function of the compiler's, or one that was not expanded.
                    if self.pieces.get(self.at).is_some_and(|next| next.is("(")) {
                        return Err(Wrong);
                    }
                    Some(Value::of(piece.text == "true"))
                }
                _ => return Err(Wrong),
            }
        };
        self.depth -= 1;
        Ok(value)
    }
}

fn apply(operator: &str, left: Option<Value>, right: Option<Value>) -> Option<Value> {
    let either = |wanted: bool| [left, right].into_iter().flatten().any(|value| value.is_true() == wanted);
    match operator {
        "||" if either(true) => return Some(Value::of(true)),
        "&&" if either(false) => return Some(Value::of(false)),
        _ => {}
    }
    let (left, right) = left.zip(right)?;
    let is_unsigned = left.is_unsigned || right.is_unsigned;
    let (a, b) = (left.bits, right.bits);
    let (x, y) = (a as i64, b as i64);
    let number = |bits: u64| Some(Value { bits, is_unsigned });
    let less = if is_unsigned { a < b } else { x < y };
    let shift = u32::try_from(b).ok().filter(|count| *count < 64);
    match operator {
        "||" | "&&" => Some(Value::of(operator == "&&")),
        "|" => number(a | b),
        "^" => number(a ^ b),
        "&" => number(a & b),
        "==" => Some(Value::of(a == b)),
        "!=" => Some(Value::of(a != b)),
        "<" => Some(Value::of(less)),
        ">=" => Some(Value::of(!less)),
        ">" => Some(Value::of(!less && a != b)),
        "<=" => Some(Value::of(less || a == b)),
        "<<" => Some(Value { bits: a << shift?, ..left }),
        ">>" => {
            Some(Value { bits: if left.is_unsigned { a >> shift? } else { (x >> shift?) as u64 }, ..left })
        }
        "+" => number(a.wrapping_add(b)),
        "-" => number(a.wrapping_sub(b)),
        "*" => number(a.wrapping_mul(b)),
        "/" if is_unsigned => number(a.checked_div(b)?),
        "/" => number(x.checked_div(y)? as u64),
        _ if is_unsigned => number(a.checked_rem(b)?),
        _ => number(x.checked_rem(y)? as u64),
    }
}

fn number(text: &str) -> Option<Value> {
    let text = text.replace('\'', "").to_ascii_lowercase();
    let digits = text.trim_end_matches(['u', 'l', 'z']);
    let suffix = &text[digits.len()..];
    let bits = if let Some(hex) = text.strip_prefix("0x") {
        u64::from_str_radix(hex.trim_end_matches(['u', 'l', 'z']), 16)
    } else if let Some(binary) = digits.strip_prefix("0b") {
        u64::from_str_radix(binary, 2)
    } else if digits.len() > 1 && digits.starts_with('0') {
        u64::from_str_radix(digits, 8)
    } else {
        digits.parse()
    };
    let bits = bits.ok()?;
    Some(Value { bits, is_unsigned: suffix.contains('u') || bits > i64::MAX as u64 })
}

fn character(text: &str) -> Option<Value> {
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    match inner.as_bytes() {
        [byte] if *byte != b'\\' => Some(Value { bits: u64::from(*byte), is_unsigned: false }),
        _ => None,
    }
}
