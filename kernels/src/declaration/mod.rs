//! Argument declarations in C: `float a, const float *x, unsigned int n`.

mod single;
mod words;

use std::ops::Range;

use crate::error::nearest;
use crate::token::{Token, TokenKind, tokens};
use crate::{DType, SpecError};
use single::{name_of, parse_one, without_attributes};
use words::is_qualifier;

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
    /// Whether it is a structure by value, as far as the text says so: a number is
    /// none, even one of its size.
    pub is_structure: bool,
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

    /// The complex number that a vector of two is in memory: `float2`, `double2`.
    pub fn vector_as_dtype(&self) -> Option<DType> {
        match self.vector()? {
            (DType::Float32, 2) => Some(DType::Complex64),
            (DType::Float64, 2) => Some(DType::Complex128),
            _ => None,
        }
    }

    /// Whether its type is one of `cuComplex.h`, whose functions take no other.
    pub fn is_cu_complex(&self) -> bool {
        CU_COMPLEX.contains(&self.spelling.trim_end_matches(['*', ' ']))
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

    /// The declaration: `const float *x`. Types of the table have its spelling.
    pub fn to_c(&self) -> String {
        match self.ctype {
            CType::Pointer { .. } => format!("{} *{}", self.element_type(), self.name),
            CType::Scalar(_) | CType::Other => format!("{} {}", self.element_type(), self.name),
        }
    }

    /// The type of the elements of a pointer, `const float`, or that of a value.
    pub fn element_type(&self) -> String {
        match self.ctype {
            CType::Scalar(_) if self.is_cu_complex() => self.spelling.clone(),
            CType::Scalar(dtype) => dtype.c().to_owned(),
            CType::Other => self.spelling.clone(),
            CType::Pointer { element, is_const } => {
                // Of a pointer to a pointer one star is the declaration's.
                let spelling = self.spelling.strip_suffix('*').unwrap_or(&self.spelling).trim_end();
                let of = element.filter(|_| !self.is_cu_complex()).map_or(spelling, |element| element.c());
                format!("{}{of}", if is_const { "const " } else { "" })
            }
        }
    }

    /// The name of its type, if that is one that the text which declares it does not know: a
    /// structure, say.
    pub fn unknown_type(&self) -> Option<&str> {
        let is_known = match self.ctype {
            CType::Scalar(_) | CType::Pointer { element: Some(_), .. } => true,
            CType::Pointer { element: None, .. } | CType::Other => self.vector().is_some(),
        };
        (!is_known).then(|| self.spelling.trim_end_matches(['*', ' ']))
    }
}

/// The types of `cuComplex.h`, which are `float2` and `double2`.
const CU_COMPLEX: [&str; 3] = ["cuComplex", "cuFloatComplex", "cuDoubleComplex"];

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
/// Every argument needs a name of its own and a type; arrays are written `float *x` or
/// `float x[]`. A type that is neither of the table nor a vector's must be defined before the
/// kernel: see [`check_types`].
///
/// # Errors
///
/// If a type is nearly one of the table, a name is missing or used twice, or anything else
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

/// Whether all types are known, or defined by the `preamble`, or may be by what it includes.
///
/// # Errors
///
/// If one is not; the error marks it in `text`, from which the parameters were parsed.
pub fn check_types(parameters: &[Parameter], text: &str, preamble: &str) -> Result<(), SpecError> {
    if preamble.contains("#include") {
        return Ok(());
    }
    let words = tokens(preamble);
    let is_named = |name: &str| words.iter().any(|word| word.is_name(preamble, name));
    // `Pair<int>` and `geometry::Point` have the name of a definition in them.
    let is_defined = |spelling: &str| {
        tokens(spelling)
            .iter()
            .filter(|token| token.kind == TokenKind::Identifier)
            .all(|token| is_named(token.text(spelling)) || from_table(token.text(spelling)).is_some())
    };
    let unknown = |parameter: &&Parameter| parameter.unknown_type().is_some_and(|name| !is_defined(name));
    match parameters.iter().find(unknown) {
        None => Ok(()),
        Some(parameter) => {
            let all = tokens(text);
            let is_within = |token: &&Token| {
                parameter.span.contains(&token.span.start)
                    && token.kind == TokenKind::Identifier
                    && !is_qualifier(token.text(text))
            };
            let place = all.iter().find(is_within).map_or(parameter.span.clone(), |token| token.span.clone());
            let spelling = parameter.unknown_type().unwrap_or_default();
            let error = SpecError::new(format!("unknown type `{spelling}`"), text, place);
            if let Some(known) = nearest(spelling, DType::c_spellings()) {
                return Err(error.help(format!("did you mean `{known}`? Else define it in the preamble")));
            }
            Err(error.help(
                "arguments are numbers of C, vectors such as `float3`, and pointers to them; a structure is defined in \
                 the preamble: `.preamble(\"struct Pair { .. };\")`",
            ))
        }
    }
}

fn check_strictly(
    text: &str,
    part: &[Token],
    parameter: &Parameter,
    span: Range<usize>,
) -> Result<(), SpecError> {
    // A name of the user's own may be near to one of C: `Float`, `half2`.
    if let Some(spelling) = parameter.unknown_type()
        && spelling.chars().all(|c| c.is_ascii_lowercase() || c == ' ')
        && let Some(known) = nearest(spelling, DType::c_spellings())
    {
        let word = part.iter().find(|t| t.kind == TokenKind::Identifier && !is_qualifier(t.text(text)));
        let place = word.map_or(span, |token| token.span.clone());
        let error = SpecError::new(format!("unknown type `{spelling}`"), text, place);
        return Err(error.help(format!("did you mean `{known}`?")));
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

#[cfg(test)]
mod tests;
