//! A single declaration: `const float *x = nullptr`.

use super::words::{canonical, is_builtin_word, is_qualifier};
use super::{CType, Parameter};
use crate::SpecError;
use crate::token::{Token, TokenKind, closing};

/// How declarations are separated, for messages.
const SEPARATED: &str = "declarations are separated by commas: `float a, const float *x`";

/// Parses a declaration. `resolve` gives the types that names have.
pub(super) fn parse_one(
    text: &str,
    part: &[Token],
    resolve: &dyn Fn(&str) -> Option<CType>,
) -> Result<Parameter, SpecError> {
    let span = match (part.first(), part.last()) {
        (Some(first), Some(last)) => first.span.start..last.span.end,
        _ => 0..0,
    };
    if let Some(token) = part.iter().find(|token| token.is_mark(text, ';')) {
        return Err(SpecError::new("unexpected `;`", text, token.span.clone()).help(SEPARATED));
    }
    let equals = part.iter().position(|token| token.is_mark(text, '='));
    let default = equals.and_then(|at| {
        let (first, last) = (part.get(at + 1)?, part.last()?);
        Some(text[first.span.start..last.span.end].to_owned())
    });
    let part = without_attributes(text, &part[..equals.unwrap_or(part.len())]);
    let name_at = name_of(text, &part);
    let name = name_at.map_or(String::new(), |at| part[at].text(text).to_owned());
    let mut reader = Reader::new(text, &part);
    while reader.at < part.len() {
        if Some(reader.at) == name_at {
            reader.at += 1;
        } else {
            reader.read()?;
        }
    }
    let spelling = canonical(&reader.words);
    let ctype = reader.ctype(&spelling, resolve);
    let is_char = spelling == "char" && reader.stars < 2;
    let spelling = match reader.stars {
        0 => spelling,
        stars => format!("{spelling} {}", "*".repeat(stars)),
    };
    let is_pack = reader.dots >= 3;
    Ok(Parameter { name, ctype, is_char, spelling, span, default, is_pack, is_structure: false })
}

/// Reads a declaration without its name, token by token.
struct Reader<'a> {
    text: &'a str,
    part: &'a [Token],
    /// The token to be read next.
    at: usize,
    /// The words of the type, without qualifiers.
    words: Vec<String>,
    /// Levels of pointers; the first length of an array is one.
    stars: usize,
    /// Whether the elements that it points at are constant.
    is_const: bool,
    /// Angle brackets that are open.
    angle: i32,
    dots: usize,
    /// Whether the next word continues a qualified name or a template.
    is_glued: bool,
    has_length: bool,
    /// Whether there is a `(*o)`, and whether this is inside of it.
    is_declarator: bool,
    is_inside: bool,
    is_function: bool,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, part: &'a [Token]) -> Reader<'a> {
        Reader {
            text,
            part,
            at: 0,
            words: Vec::new(),
            stars: 0,
            is_const: false,
            angle: 0,
            dots: 0,
            is_glued: false,
            has_length: false,
            is_declarator: false,
            is_inside: false,
            is_function: false,
        }
    }

    /// Reads a token, with the brackets that it opens.
    fn read(&mut self) -> Result<(), SpecError> {
        let token = &self.part[self.at];
        let word = token.text(self.text);
        self.at += 1;
        match word {
            "[" => self.length(),
            "&" => {
                return Err(self
                    .error("a kernel cannot take a reference", token)
                    .help("take a pointer, or the value itself"));
            }
            "*" if self.angle == 0 => self.stars += 1,
            "(" if self.angle == 0 && !self.is_declarator => return self.parenthesis(),
            ")" if self.is_inside => self.is_inside = false,
            "(" if self.is_declarator => {
                self.is_function = true;
                self.skip_brackets();
            }
            "." => self.dots += 1,
            "<" | ">" | ":" | "," | "*" => self.part_of_type(word),
            _ if token.kind != TokenKind::Identifier && self.angle == 0 => {
                return Err(self.error(&format!("unexpected `{word}`"), token).help(SEPARATED));
            }
            "const" => self.is_const |= self.stars == 0,
            _ if is_qualifier(word) => {}
            _ if self.is_glued || self.angle > 0 => self.glue(word),
            _ if self.stars > 0 => {
                return Err(self.error(&format!("unexpected `{word}`"), token).help("is a comma missing?"));
            }
            _ => self.words.push(word.to_owned()),
        }
        Ok(())
    }

    fn error(&self, message: &str, token: &Token) -> SpecError {
        SpecError::new(message, self.text, token.span.clone())
    }

    /// Continues after the bracket that closes the one before.
    fn skip_brackets(&mut self) {
        self.at = closing(self.text, self.part, self.at - 1).map_or(self.part.len(), |close| close + 1);
    }

    /// An array's length. The first one makes a pointer of it; those of `(*o)[2]`
    /// belong to what is pointed at.
    fn length(&mut self) {
        if !self.has_length && !self.is_declarator || self.is_inside {
            self.stars += 1;
        }
        self.has_length = true;
        self.skip_brackets();
    }

    /// What follows the first `(`: a declarator, `(*o)`, or the rest of
    /// `decltype(x)`, which only the compiler knows.
    fn parenthesis(&mut self) -> Result<(), SpecError> {
        let (open, next) = (&self.part[self.at - 1], self.part.get(self.at));
        // The reference is reported next.
        if next.is_some_and(|next| next.is_mark(self.text, '&')) {
            return Ok(());
        }
        if next.is_some_and(|next| next.is_mark(self.text, '*')) {
            (self.is_inside, self.is_declarator) = (true, true);
            return Ok(());
        }
        let close = closing(self.text, self.part, self.at - 1).unwrap_or(self.part.len() - 1);
        let Some(last) = self.words.last_mut() else { return Err(self.error("unexpected `(`", open)) };
        last.push_str(&self.text[open.span.start..self.part[close].span.end]);
        self.at = close + 1;
        Ok(())
    }

    /// Punctuation of a qualified name or a template.
    fn part_of_type(&mut self, mark: &str) {
        self.angle += i32::from(mark == "<") - i32::from(mark == ">");
        match self.words.last_mut() {
            Some(last) => last.push_str(mark),
            None => self.words.push(mark.to_owned()),
        }
        self.is_glued = mark != ">";
    }

    /// A word that continues the last one.
    fn glue(&mut self, word: &str) {
        let last = self.words.last_mut().expect("what is glued follows a word");
        let is_spaced = last.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        last.push_str(if is_spaced { " " } else { "" });
        last.push_str(word);
        self.is_glued = false;
    }

    /// The type, once all has been read.
    fn ctype(&self, spelling: &str, resolve: &dyn Fn(&str) -> Option<CType>) -> CType {
        let base = if spelling == "void" { None } else { resolve(spelling) };
        match (self.stars, base) {
            _ if self.is_function => CType::Other,
            (0, Some(known)) => known,
            (0, None) => CType::Other,
            (1, Some(CType::Scalar(dtype))) => {
                CType::Pointer { element: Some(dtype), is_const: self.is_const }
            }
            (1, Some(CType::Pointer { .. })) => CType::Pointer { element: None, is_const: false },
            (1, _) => CType::Pointer { element: None, is_const: self.is_const },
            _ => CType::Pointer { element: None, is_const: false },
        }
    }
}

/// A declaration without `[[...]]`, `__attribute__((...))` and `alignas(...)`.
pub(super) fn without_attributes(text: &str, part: &[Token]) -> Vec<Token> {
    let mut kept = Vec::with_capacity(part.len());
    let mut k = 0;
    while let Some(token) = part.get(k) {
        let is_double =
            token.is_mark(text, '[') && part.get(k + 1).is_some_and(|next| next.is_mark(text, '['));
        let is_call = ["__attribute__", "alignas", "__align__"].iter().any(|name| token.is_name(text, name));
        let end = if is_double {
            closing(text, part, k)
        } else if is_call {
            closing(text, part, k + 1)
        } else {
            None
        };
        match end {
            Some(end) => k = end + 1,
            None => {
                kept.push(token.clone());
                k += 1;
            }
        }
    }
    kept
}

/// The token that is the name in a declaration without attributes and default:
/// in `double (*o)[2]` what follows the star, else the last word before an
/// array's length that is not part of the type.
pub(super) fn name_of(text: &str, part: &[Token]) -> Option<usize> {
    let declarator = (0..part.len()).find(|k| {
        let next = part.get(k + 1);
        part[*k].is_mark(text, '(')
            && next.is_some_and(|next| next.is_mark(text, '*') || next.is_mark(text, '&'))
    });
    let is_word = |token: &Token| token.kind == TokenKind::Identifier && !is_qualifier(token.text(text));
    if let Some(open) = declarator {
        let close = closing(text, part, open)?;
        return (open..close).rev().find(|k| is_word(&part[*k]));
    }
    let (mut angle, mut words, mut is_after_star, mut last) = (0i32, 0, false, None);
    let mut after_star = None;
    for (k, token) in part.iter().enumerate() {
        angle += i32::from(token.is_mark(text, '<')) - i32::from(token.is_mark(text, '>'));
        if angle > 0 {
            continue;
        }
        if token.is_mark(text, '[') {
            break;
        }
        if token.is_mark(text, '*') || token.is_mark(text, '.') {
            (is_after_star, after_star) = (true, None);
        }
        // What follows `::` is part of a type's name.
        let is_scoped = k > 0 && part[k - 1].is_mark(text, ':');
        if is_word(token) && !is_scoped {
            words += 1;
            last = Some(k);
            after_star = after_star.or(is_after_star.then_some(k));
        }
    }
    if after_star.is_some() {
        return after_star;
    }
    let last = last.filter(|k| !is_builtin_word(part[*k].text(text)))?;
    // Nothing that is part of a type follows a name.
    let is_type = part[last + 1..]
        .iter()
        .any(|token| [':', '<', '*', '.'].iter().any(|mark| token.is_mark(text, *mark)) || is_word(token));
    (!is_type && words > 1).then_some(last)
}
