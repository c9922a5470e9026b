//! Prototypes of C: `double cos(double x)`.

use gpurepl_extend::{DType, Result, error};

/// A type of C that a prototype has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CType {
    Void,
    /// A number, as it was written.
    Number {
        of: DType,
        written: String,
    },
    /// A pointer to numbers, or to anything where there is no type.
    Pointer {
        to: Option<DType>,
        is_const: bool,
        written: String,
    },
    /// `char *`.
    Text {
        is_const: bool,
    },
}

/// A function's prototype.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Prototype {
    pub(crate) name: String,
    pub(crate) result: CType,
    pub(crate) parameters: Vec<CType>,
}

impl CType {
    /// As C writes it.
    pub(crate) fn words(&self) -> String {
        match self {
            CType::Void => "void".to_owned(),
            CType::Number { written, .. } | CType::Pointer { written, .. } => written.clone(),
            CType::Text { is_const: true } => "const char *".to_owned(),
            CType::Text { is_const: false } => "char *".to_owned(),
        }
    }
}

/// Numbers of C by their words in any order, on the platforms that there are: `long` has 64 bits.
fn number(words: &[&str]) -> Option<DType> {
    let count = |word: &str| words.iter().filter(|known| **known == word).count();
    if let [one] = words {
        let known = match *one {
            "float" => DType::Float32,
            "double" => DType::Float64,
            "bool" | "_Bool" => DType::Bool,
            "int8_t" => DType::Int8,
            "int16_t" => DType::Int16,
            "int32_t" => DType::Int32,
            "int64_t" | "ssize_t" | "ptrdiff_t" | "intptr_t" => DType::Int64,
            "uint8_t" => DType::UInt8,
            "uint16_t" => DType::UInt16,
            "uint32_t" => DType::UInt32,
            "uint64_t" | "size_t" | "uintptr_t" => DType::UInt64,
            _ => return integer(&count, words),
        };
        return Some(known);
    }
    integer(&count, words)
}

fn integer(count: &dyn Fn(&str) -> usize, words: &[&str]) -> Option<DType> {
    const KNOWN: [&str; 6] = ["signed", "unsigned", "char", "short", "int", "long"];
    if !words.iter().all(|word| KNOWN.contains(word)) || words.is_empty() {
        return None;
    }
    let is_unsigned = match (count("signed"), count("unsigned")) {
        (_, 0) => false,
        (0, 1) => true,
        _ => return None,
    };
    let pick = |signed, unsigned| Some(if is_unsigned { unsigned } else { signed });
    match (count("char"), count("short"), count("long"), count("int")) {
        (1, 0, 0, 0) => pick(DType::Int8, DType::UInt8),
        (0, 1, 0, 0 | 1) => pick(DType::Int16, DType::UInt16),
        (0, 0, 0, 0 | 1) => pick(DType::Int32, DType::UInt32),
        (0, 0, 1 | 2, 0 | 1) => pick(DType::Int64, DType::UInt64),
        _ => None,
    }
}

/// Reads a prototype.
///
/// # Errors
///
/// If it is not one, or has types that are not passed: structures, functions, `...`.
pub(crate) fn parse(text: &str) -> Result<Prototype> {
    let wrong = |message: String| {
        let help = "write it as a header of C does: \"double cos(double x)\", \"void scale(float *x, size_t n, float by)\"";
        error::argument("SharedLibrary::function", format!("`{}`: {message}\n  = help: {help}", text.trim()))
    };
    let plain = text.trim().trim_end_matches(';').trim_end();
    let plain =
        plain.strip_prefix("extern \"C\"").or_else(|| plain.strip_prefix("extern")).unwrap_or(plain).trim();
    let open = plain.find('(').ok_or_else(|| wrong("this is not the prototype of a function".to_owned()))?;
    let inner = plain[open + 1..]
        .strip_suffix(')')
        .ok_or_else(|| wrong("the list of parameters does not end".to_owned()))?;
    let (head, name) =
        declared(&plain[..open]).ok_or_else(|| wrong("the function has no name".to_owned()))?;
    if inner.contains(['(', ')']) {
        return Err(wrong("a parameter that is a function cannot be passed".to_owned()));
    }
    let result = ctype(&head).map_err(|message| wrong(format!("the result: {message}")))?;
    let mut parameters = Vec::new();
    for (k, parameter) in inner.split(',').map(str::trim).enumerate() {
        if parameter.is_empty() && inner.trim().is_empty() {
            break;
        }
        if parameter == "..." {
            return Err(wrong("functions with any number of arguments, `...`, cannot be called".to_owned()));
        }
        let of = ctype(parameter).map_err(|message| wrong(format!("parameter {}: {message}", k + 1)))?;
        match of {
            CType::Void if inner.trim() == "void" => break,
            CType::Void => return Err(wrong(format!("parameter {} is `void`", k + 1))),
            of => parameters.push(of),
        }
    }
    if parameters.len() > 12 {
        return Err(wrong(format!("{} parameters; at most 12 are passed", parameters.len())));
    }
    Ok(Prototype { name, result, parameters })
}

/// `double *name` as `double *` and `name`.
fn declared(text: &str) -> Option<(String, String)> {
    let text = text.trim();
    let start = text.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_')? + 1;
    let name = &text[start..];
    let is_name = !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit());
    is_name.then(|| (text[..start].to_owned(), name.to_owned()))
}

/// The type of a parameter or a result, whose name may follow.
fn ctype(text: &str) -> Result<CType, String> {
    let written = text.trim();
    let mut words: Vec<&str> = Vec::new();
    let (mut stars, mut is_array) = (0, false);
    let mut rest = written;
    // `const`, of what is pointed to, stands before the star.
    let mut is_const = false;
    while let Some(first) = rest.chars().next() {
        match first {
            '*' => {
                stars += 1;
                rest = &rest[1..];
            }
            '[' => {
                is_array = true;
                rest = rest.split_once(']').map_or("", |(_, after)| after);
            }
            _ if first.is_whitespace() => rest = rest.trim_start(),
            _ if first.is_ascii_alphanumeric() || first == '_' => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                match &rest[..end] {
                    "const" => is_const |= stars == 0,
                    "restrict" | "__restrict" | "__restrict__" | "volatile" | "register" => {}
                    word if stars == 0 => words.push(word),
                    // The name behind the stars.
                    _ => {}
                }
                rest = &rest[end..];
            }
            '&' => return Err(format!("`{written}` is a reference, which C does not have; use a CppModule")),
            _ => return Err(format!("`{written}` cannot be read")),
        }
    }
    if words.iter().any(|word| ["struct", "union", "enum", "class"].contains(word)) {
        return Err(format!(
            "`{written}`: structures are not passed; use a CppModule that includes the library's header"
        ));
    }
    stars += usize::from(is_array);
    // The last word may be a name.
    let without_name = words.split_last().map(|(_, rest)| rest).unwrap_or_default();
    let of = |words: &[&str]| if words == ["void"] { Some(None) } else { number(words).map(Some) };
    let (used, element) = match of(&words) {
        Some(found) => (&words[..], found),
        None => match of(without_name).filter(|_| words.last().is_some_and(|name| number(&[name]).is_none()))
        {
            Some(found) => (without_name, found),
            None => {
                return Err(format!(
                    "`{written}` is not a type that is passed; numbers, pointers to numbers, `char *` and `void *` are"
                ));
            }
        },
    };
    let constant = if is_const { "const " } else { "" };
    match (stars, element) {
        (0, None) => Ok(CType::Void),
        (0, Some(of)) => Ok(CType::Number { of, written: used.join(" ") }),
        (1, _) if used == ["char"] => Ok(CType::Text { is_const }),
        (1, to) => Ok(CType::Pointer { to, is_const, written: format!("{constant}{} *", used.join(" ")) }),
        _ => Err(format!("`{written}` is a pointer to a pointer, which is not passed")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        let Prototype { name, result, parameters } = parse(text).unwrap();
        let parameters: Vec<String> = parameters.iter().map(CType::words).collect();
        format!("{} {name}({})", result.words(), parameters.join(", "))
    }

    #[test]
    fn prototypes_are_read_as_headers_write_them() {
        for (text, expected) in [
            ("double cos(double x)", "double cos(double)"),
            ("double cos(double);", "double cos(double)"),
            ("extern \"C\" void f(void)", "void f()"),
            ("int f()", "int f()"),
            ("void scale(float *x, const size_t n, float factor)", "void scale(float *, size_t, float)"),
            (
                "unsigned long long f(unsigned, long int a, short)",
                "unsigned long long f(unsigned, long int, short)",
            ),
            (
                "double dot(const double* restrict a, double const b[], int n)",
                "double dot(const double *, const double *, int)",
            ),
            ("char *name(const char *text)", "char * name(const char *)"),
            ("const void *f(void *p, uint8_t x)", "const void * f(void *, uint8_t)"),
            ("bool f(_Bool b, unsigned char *p)", "bool f(_Bool, unsigned char *)"),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_passed_is_named() {
        for (text, part) in [
            ("cos", "not the prototype of a function"),
            ("double cos(double", "does not end"),
            ("cos(double)", "has no name"),
            ("double f(struct point p)", "structures are not passed"),
            ("void f(FILE *f)", "`FILE *f` is not a type that is passed"),
            ("int printf(const char *format, ...)", "any number of arguments"),
            ("void qsort(void *base, int (*compare)(int, int))", "a parameter that is a function"),
            ("void f(double **x)", "pointer to a pointer"),
            ("void f(int &x)", "a reference"),
            ("long float f(int)", "is not a type"),
            ("void f(void, int)", "parameter 1 is `void`"),
        ] {
            let words = parse(text).unwrap_err().to_string();
            assert!(words.contains(part), "{text}: {words}");
        }
    }
}
