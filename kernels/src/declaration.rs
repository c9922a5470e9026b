//! Argument declarations in C: `float a, const float *x, unsigned int n`.

use std::ops::Range;

use crate::error::nearest;
use crate::token::{Token, TokenKind, closing, tokens};
use crate::{DType, SpecError};

/// The C type of an argument, as far as a launch must know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CType {
    /// A number by value.
    Scalar(DType),
    /// The address of device memory.
    Pointer {
        /// What it points at; `None` for `void` and for types that are not
        /// in the table, which may be anything.
        element: Option<DType>,
        /// Whether the kernel promises not to write there.
        is_const: bool,
    },
    /// A type that is not in the table, by value: a structure, say.
    Other,
}

/// One declared argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name; empty where the declaration gives none.
    pub name: String,
    /// Its type.
    pub ctype: CType,
    /// Whether the type is `char` or a pointer to `char`: its sign is not part
    /// of the type in C, so bytes of either kind are text.
    pub is_char: bool,
    /// Its type as the user wrote it, without qualifiers and the name:
    /// `unsigned int`, `float *`.
    pub spelling: String,
    /// The whole declaration in the text it came from, in bytes.
    pub span: Range<usize>,
    /// What it is where it is not given: `3` in `int n = 3`.
    pub default: Option<String>,
    /// Whether it stands for any number of arguments: `T... values`.
    pub is_pack: bool,
}

impl Parameter {
    /// Whether the argument is an array or another address.
    pub fn is_pointer(&self) -> bool {
        matches!(self.ctype, CType::Pointer { .. })
    }

    /// The numbers of a vector that it is, or points at: three floats of a
    /// `float3 *`.
    pub fn vector(&self) -> Option<(DType, usize)> {
        vector_type(self.spelling.trim_end_matches(['*', ' ']))
    }

    /// The bytes of an element of a pointer, or of a number, if known.
    pub fn element_bytes(&self) -> Option<usize> {
        let vector = || self.vector().map(|(dtype, count)| dtype.size() * count);
        self.dtype().map(DType::size).or_else(vector)
    }

    /// The element type of a pointer or the type of a scalar, if known.
    pub fn dtype(&self) -> Option<DType> {
        match self.ctype {
            CType::Scalar(dtype) => Some(dtype),
            CType::Pointer { element, .. } => element,
            CType::Other => None,
        }
    }

    /// The declaration in the spelling of the table: `const float *x`.
    ///
    /// # Panics
    ///
    /// If the type is not in the table. [`parse_list`] returns no such parameter.
    pub fn to_c(&self) -> String {
        match self.ctype {
            CType::Scalar(dtype) => format!("{} {}", dtype.c(), self.name),
            CType::Pointer { element: Some(dtype), is_const } => {
                format!("{}{} *{}", if is_const { "const " } else { "" }, dtype.c(), self.name)
            }
            CType::Pointer { element: None, is_const } if self.vector().is_some() => {
                format!("{}{}{}", if is_const { "const " } else { "" }, self.spelling, self.name)
            }
            _ => panic!("the type of `{}` is not in the table", self.name),
        }
    }
}

/// The vectors of CUDA C: `float3` is three floats.
///
/// ```
/// use gpurepl_kernels::{DType, declaration::vector_type};
/// assert_eq!(vector_type("uchar4"), Some((DType::UInt8, 4)));
/// assert_eq!(vector_type("int"), None);
/// ```
pub fn vector_type(spelling: &str) -> Option<(DType, usize)> {
    let count = spelling.chars().last()?.to_digit(10).filter(|count| (1..=4).contains(count))?;
    let element = match &spelling[..spelling.len() - 1] {
        "char" => DType::Int8,
        "uchar" => DType::UInt8,
        "short" => DType::Int16,
        "ushort" => DType::UInt16,
        "int" => DType::Int32,
        "uint" => DType::UInt32,
        "long" | "longlong" => DType::Int64,
        "ulong" | "ulonglong" => DType::UInt64,
        "float" => DType::Float32,
        "double" => DType::Float64,
        _ => return None,
    };
    Some((element, count as usize))
}

/// Parses the arguments of a kernel description.
///
/// Every argument needs a name of its own and a type of the table; arrays are
/// written `float *x` or `float x[]`.
///
/// # Errors
///
/// If a type is unknown, a name is missing or used twice, or anything else
/// stands in the list. The error marks the place.
///
/// ```
/// use gpurepl_kernels::{DType, declaration};
/// let list = declaration::parse_list("float a, const float *x, unsigned int n")?;
/// assert_eq!(list.len(), 3);
/// assert_eq!(list[1].dtype(), Some(DType::Float32));
/// assert!(list[1].is_pointer());
/// # Ok::<(), gpurepl_kernels::SpecError>(())
/// ```
pub fn parse_list(text: &str) -> Result<Vec<Parameter>, SpecError> {
    let all = tokens(text);
    if all.is_empty() {
        return Err(SpecError::new("the kernel has no arguments", text, 0..text.len())
            .help("declare at least one array, such as `float *z`"));
    }
    let mut parameters: Vec<Parameter> = Vec::new();
    for part in split_at_commas(text, &all) {
        let Some((first, last)) = part.first().zip(part.last()) else {
            return Err(SpecError::new(
                "a declaration is missing between two commas",
                text,
                empty_part(text, &all),
            ));
        };
        let span = first.span.start..last.span.end;
        let parameter = parse_one(text, part, &from_table)?;
        check_strictly(text, part, &parameter, span.clone())?;
        if let Some(other) = parameters.iter().find(|other| other.name == parameter.name) {
            return Err(SpecError::new(format!("two arguments are called `{}`", other.name), text, span));
        }
        parameters.push(parameter);
    }
    Ok(parameters)
}

/// Parses the arguments of a kernel's definition, where types may be unknown
/// and names missing.
pub(crate) fn parse_definition(
    source: &str,
    all: &[Token],
    resolve: &dyn Fn(&str) -> Option<CType>,
) -> Result<Vec<Parameter>, SpecError> {
    if all.is_empty() || (all.len() == 1 && all[0].is_name(source, "void")) {
        return Ok(Vec::new());
    }
    split_at_commas(source, all).into_iter().map(|part| parse_one(source, part, resolve)).collect()
}

/// The type that a text names: what follows `typedef`, without the name.
pub(crate) fn parse_type(text: &str, resolve: &dyn Fn(&str) -> Option<CType>) -> Option<CType> {
    let parameter = parse_one(text, &tokens(text), resolve).ok()?;
    (parameter.name.is_empty() && parameter.ctype != CType::Other).then_some(parameter.ctype)
}

/// The types of a kernel's arguments without their names, as a cast needs
/// them: `float *, double (*)[2]`.
pub(crate) fn types_of(source: &str, all: &[Token]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let of = |part: &[Token]| {
        let end = part.iter().position(|token| token.is_mark(source, '=')).unwrap_or(part.len());
        let part = without_attributes(source, &part[..end]);
        let name = name_of(source, &part);
        let mut text = String::new();
        let mut before: Option<&Token> = None;
        for token in part.iter().enumerate().filter(|(k, _)| Some(*k) != name).map(|(_, token)| token) {
            let is_word = |token: &Token| token.kind == TokenKind::Identifier;
            let is_apart = before.is_some_and(|before| {
                let between = &source[before.span.end..token.span.start];
                is_word(before) && is_word(token) || !between.is_empty() && between.trim().is_empty()
            });
            text.push_str(if is_apart { " " } else { "" });
            text.push_str(token.text(source));
            before = Some(token);
        }
        text
    };
    split_at_commas(source, all).into_iter().map(of).collect::<Vec<_>>().join(", ")
}

/// A type of the table.
pub(crate) fn from_table(spelling: &str) -> Option<CType> {
    DType::from_c(spelling).map(CType::Scalar)
}

fn check_strictly(
    text: &str,
    part: &[Token],
    parameter: &Parameter,
    span: Range<usize>,
) -> Result<(), SpecError> {
    let unknown = match parameter.ctype {
        CType::Scalar(_) | CType::Pointer { element: Some(_), .. } => false,
        CType::Pointer { element: None, .. } if parameter.vector().is_some() => false,
        CType::Pointer { element: None, .. } | CType::Other => true,
    };
    if unknown {
        let word = part.iter().find(|t| t.kind == TokenKind::Identifier && !is_qualifier(t.text(text)));
        let place = word.map_or(span.clone(), |token| token.span.clone());
        let spelling = parameter.spelling.trim_end_matches(['*', ' ']);
        let error = SpecError::new(format!("unknown type `{spelling}`"), text, place);
        return Err(match nearest(spelling, DType::c_spellings()) {
            Some(known) => error.help(format!("did you mean `{known}`?")),
            None => error
                .help("arguments are C numbers and pointers to them, such as `float a` or `const int *x`"),
        });
    }
    if parameter.name.is_empty() {
        return Err(SpecError::new("this argument has no name", text, span.clone())
            .help(format!("write `{} x`", &text[span].trim())));
    }
    Ok(())
}

/// Splits at commas outside of brackets. Angle brackets count after a name,
/// so that `std::pair<int, int> p` stays whole.
fn split_at_commas<'t>(text: &str, all: &'t [Token]) -> Vec<&'t [Token]> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0i32, 0);
    for (k, token) in all.iter().enumerate() {
        if token.kind != TokenKind::Punctuation {
            continue;
        }
        match token.text(text) {
            "(" | "[" | "{" | "<" => depth += 1,
            ")" | "]" | "}" | ">" => depth -= 1,
            "," if depth <= 0 => {
                parts.push(&all[start..k]);
                start = k + 1;
            }
            _ => {}
        }
    }
    parts.push(&all[start..]);
    parts
}

/// Where an empty declaration is: at the first comma that follows nothing.
fn empty_part(text: &str, all: &[Token]) -> Range<usize> {
    let comma = |token: &Token| token.is_mark(text, ',');
    let lonely = all
        .iter()
        .enumerate()
        .find(|&(k, token)| comma(token) && (k == 0 || k + 1 == all.len() || comma(&all[k - 1])));
    lonely.map_or(0..text.len(), |(_, token)| token.span.clone())
}

fn is_qualifier(word: &str) -> bool {
    matches!(
        word,
        "const"
            | "volatile"
            | "restrict"
            | "__restrict__"
            | "__restrict"
            | "register"
            | "struct"
            | "class"
            | "enum"
            | "typename"
            | "__grid_constant__"
    )
}

/// A declaration without `[[...]]`, `__attribute__((...))` and `alignas(...)`.
fn without_attributes(text: &str, part: &[Token]) -> Vec<Token> {
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
fn name_of(text: &str, part: &[Token]) -> Option<usize> {
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

fn parse_one(
    text: &str,
    part: &[Token],
    resolve: &dyn Fn(&str) -> Option<CType>,
) -> Result<Parameter, SpecError> {
    let span = match (part.first(), part.last()) {
        (Some(first), Some(last)) => first.span.start..last.span.end,
        _ => 0..0,
    };
    if let Some(token) = part.iter().find(|token| token.is_mark(text, ';')) {
        return Err(SpecError::new("unexpected `;`", text, token.span.clone())
            .help("declarations are separated by commas: `float a, const float *x`"));
    }
    let equals = part.iter().position(|token| token.is_mark(text, '='));
    let default = equals.and_then(|at| {
        let (first, last) = (part.get(at + 1)?, part.last()?);
        Some(text[first.span.start..last.span.end].to_owned())
    });
    let part = without_attributes(text, &part[..equals.unwrap_or(part.len())]);
    let name_at = name_of(text, &part);
    let name = name_at.map_or(String::new(), |at| part[at].text(text).to_owned());
    let mut words: Vec<String> = Vec::new();
    let (mut stars, mut is_const, mut angle, mut dots) = (0, false, 0i32, 0);
    // Within `(*o)`; whether there is one; whether an array's length has come.
    let (mut is_inside, mut is_declarator, mut has_length, mut is_function) = (false, false, false, false);
    let mut glue = false; // The next word continues a qualified name or template.
    let mut k = 0;
    while let Some(token) = part.get(k) {
        let word = token.text(text);
        let here = k;
        k += 1;
        if Some(here) == name_at {
            continue;
        }
        match word {
            "[" => {
                // The first length of an array makes a pointer of it, those
                // of `(*o)[2]` belong to what is pointed at.
                if !has_length && !is_declarator || is_inside {
                    stars += 1;
                }
                has_length = true;
                k = closing(text, &part, here).map_or(part.len(), |close| close + 1);
            }
            "&" => {
                return Err(SpecError::new("a kernel cannot take a reference", text, token.span.clone())
                    .help("take a pointer, or the value itself"));
            }
            "*" if angle == 0 => stars += 1,
            "(" if angle == 0 && !is_declarator => {
                let next = part.get(k);
                if next.is_some_and(|next| next.is_mark(text, '&')) {
                    continue;
                }
                if !next.is_some_and(|next| next.is_mark(text, '*')) {
                    // `decltype(x)`: only the compiler knows.
                    let close = closing(text, &part, here).unwrap_or(part.len() - 1);
                    let Some(last) = words.last_mut() else {
                        return Err(SpecError::new("unexpected `(`", text, token.span.clone()));
                    };
                    last.push_str(&text[token.span.start..part[close].span.end]);
                    k = close + 1;
                    continue;
                }
                (is_inside, is_declarator) = (true, true);
            }
            ")" if is_inside => is_inside = false,
            "(" if is_declarator => {
                is_function = true;
                k = closing(text, &part, here).map_or(part.len(), |close| close + 1);
            }
            "." => dots += 1,
            "<" | ">" | ":" | "," | "*" => {
                angle += i32::from(word == "<") - i32::from(word == ">");
                match words.last_mut() {
                    Some(last) => last.push_str(word),
                    None => words.push(word.to_owned()),
                }
                glue = word != ">";
            }
            _ if token.kind != TokenKind::Identifier && angle == 0 => {
                return Err(SpecError::new(format!("unexpected `{word}`"), text, token.span.clone())
                    .help("declarations are separated by commas: `float a, const float *x`"));
            }
            "const" => is_const |= stars == 0,
            _ if is_qualifier(word) => {}
            _ if glue || angle > 0 => {
                let last = words.last_mut().expect("what is glued follows a word");
                let spaced = last.ends_with(|c: char| c.is_alphanumeric() || c == '_');
                last.push_str(if spaced { " " } else { "" });
                last.push_str(word);
                glue = false;
            }
            _ if stars > 0 => {
                return Err(SpecError::new(format!("unexpected `{word}`"), text, token.span.clone())
                    .help("is a comma missing?"));
            }
            _ => words.push(word.to_owned()),
        }
    }
    let spelling = canonical(&words);
    let base = if spelling == "void" { None } else { resolve(&spelling) };
    let ctype = match (stars, base) {
        _ if is_function => CType::Other,
        (0, Some(known)) => known,
        (0, None) => CType::Other,
        (1, Some(CType::Scalar(dtype))) => CType::Pointer { element: Some(dtype), is_const },
        (1, Some(CType::Pointer { .. })) => CType::Pointer { element: None, is_const: false },
        (1, _) => CType::Pointer { element: None, is_const },
        _ => CType::Pointer { element: None, is_const: false },
    };
    let is_char = spelling == "char" && stars < 2;
    let spelling = if stars == 0 { spelling } else { format!("{spelling} {}", "*".repeat(stars)) };
    Ok(Parameter { name, ctype, is_char, spelling, span, default, is_pack: dots >= 3 })
}

fn is_builtin_word(word: &str) -> bool {
    matches!(
        word,
        "unsigned"
            | "signed"
            | "char"
            | "short"
            | "int"
            | "long"
            | "float"
            | "double"
            | "bool"
            | "void"
            | "_Bool"
    )
}

/// One order for the words of built-in types, of which C allows any.
fn canonical(words: &[String]) -> String {
    if words.len() < 2 || !words.iter().all(|word| is_builtin_word(word)) {
        return words.join(" ");
    }
    let count = |wanted: &str| words.iter().filter(|word| *word == wanted).count();
    let mut ordered = Vec::new();
    for word in ["signed", "unsigned", "char", "short", "long", "int", "float", "double"] {
        ordered.extend(std::iter::repeat_n(word, count(word)));
    }
    ordered.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Parameter {
        let mut list = parse_list(text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(list.len(), 1, "{text}");
        list.remove(0)
    }

    #[test]
    fn types_in_any_order_of_words() {
        for (text, dtype) in [
            ("unsigned n_", DType::UInt32),
            ("unsigned int count", DType::UInt32),
            ("long unsigned int count", DType::UInt64),
            ("int long unsigned long count", DType::UInt64),
            ("char c", DType::Int8),
            ("unsigned char c", DType::UInt8),
            ("size_t count", DType::UInt64),
            ("pycuda::complex<float> c", DType::Complex64),
            ("gpurepl::complex<double> c", DType::Complex128),
        ] {
            assert_eq!(one(text).ctype, CType::Scalar(dtype), "{text}");
        }
    }

    #[test]
    fn pointers_and_their_constness() {
        let pointer = |dtype, is_const| CType::Pointer { element: Some(dtype), is_const };
        for (text, expected) in [
            ("float *x", pointer(DType::Float32, false)),
            ("const float *x", pointer(DType::Float32, true)),
            ("float const * __restrict__ x", pointer(DType::Float32, true)),
            ("float * const x", pointer(DType::Float32, false)),
            ("double x[]", pointer(DType::Float64, false)),
            ("const unsigned char x[16]", pointer(DType::UInt8, true)),
            ("pycuda::complex<double> *x", pointer(DType::Complex128, false)),
        ] {
            let parameter = one(text);
            assert_eq!((parameter.name.as_str(), parameter.ctype), ("x", expected), "{text}");
        }
    }

    #[test]
    fn definitions_may_leave_names_out_and_use_unknown_types() {
        let source = "float, Pair<int, float> p, int **q, void *r, unsigned";
        let list = parse_definition(source, &tokens(source), &from_table).unwrap();
        let shown: Vec<_> = list.iter().map(|p| (p.name.as_str(), p.spelling.as_str())).collect();
        assert_eq!(
            shown,
            [("", "float"), ("p", "Pair<int,float>"), ("q", "int **"), ("r", "void *"), ("", "unsigned")]
        );
        assert_eq!(list[1].ctype, CType::Other);
        assert_eq!(list[2].ctype, CType::Pointer { element: None, is_const: false });
        assert_eq!(list[3].ctype, CType::Pointer { element: None, is_const: false });
        assert_eq!(parse_definition("void", &tokens("void"), &from_table).unwrap(), []);
    }

    #[test]
    fn parameters_in_forms_that_few_use() {
        let source = "double (*o)[2], [[maybe_unused]] int n, float m[][4], int k = f(1, 2), T... rest, \
                      const float (*a)[3][4], alignas(8) int *p, decltype(nullptr) d, void (*call)(int, int), \
                      struct Point at, int *const *q, __attribute__((unused)) const char *text, std::pair<int, int> both";
        let list = parse_definition(source, &tokens(source), &from_table).unwrap();
        let names: Vec<&str> = list.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["o", "n", "m", "k", "rest", "a", "p", "d", "call", "at", "q", "text", "both"]);
        let pointer = |element, is_const| CType::Pointer { element, is_const };
        let ctypes: Vec<CType> = list.iter().map(|p| p.ctype).collect();
        assert_eq!(
            ctypes,
            [
                pointer(Some(DType::Float64), false),
                CType::Scalar(DType::Int32),
                pointer(Some(DType::Float32), false),
                CType::Scalar(DType::Int32),
                CType::Other,
                pointer(Some(DType::Float32), true),
                pointer(Some(DType::Int32), false),
                CType::Other,
                CType::Other,
                CType::Other,
                pointer(None, false),
                pointer(Some(DType::Int8), true),
                CType::Other,
            ]
        );
        assert_eq!(list[3].default.as_deref(), Some("f(1, 2)"));
        assert!(list[4].is_pack && !list[5].is_pack && list[11].is_char && !list[1].is_char);
        assert_eq!(
            types_of(source, &tokens(source)),
            "double (*)[2], int, float[][4], int, T..., const float (*)[3][4], int *, decltype(nullptr), \
             void (*)(int, int), struct Point, int *const *, const char *, std::pair<int, int>"
        );
    }

    #[test]
    fn what_is_written_back_is_read_the_same() {
        let text = "float a, const float *x, unsigned int count, gpurepl::complex<float> *c, bool flag";
        let list = parse_list(text).unwrap();
        let written = list.iter().map(Parameter::to_c).collect::<Vec<_>>().join(", ");
        assert_eq!(written, text);
    }

    #[test]
    fn mistakes_are_named() {
        for (text, message) in [
            ("", "the kernel has no arguments"),
            ("float a,, float *x", "a declaration is missing between two commas"),
            ("float a, float *a", "two arguments are called `a`"),
            ("float *", "this argument has no name"),
            ("float &x", "a kernel cannot take a reference"),
            ("float *x; float y", "unexpected `;`"),
            ("float *x y", "unexpected `y`"),
            ("matrix m", "unknown type `matrix`"),
        ] {
            assert_eq!(parse_list(text).unwrap_err().message, message, "{text}");
        }
    }
}
