//! The types of a kernel's parameters as its compiler has them, read from the
//! name of a symbol.
//!
//! A text does not say what a kernel takes: the preprocessor, `typedef` and
//! templates have a part in it. Both compilers answer it by the name that they
//! give to [`TYPE_OF`], a variable template whose argument is the type of the
//! kernel: `_Z15gpurepl_type_ofIFvPKfPfiEE` for `(const float *, float *, int)`.
//! The grammar is that of the Itanium C++ ABI, section 5.1.

use crate::DType;
use crate::declaration::{CType, Parameter};

/// The variable template: `template <class F> char gpurepl_type_of;`.
pub const TYPE_OF: &str = "gpurepl_type_of";

/// The type of one parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterType {
    /// As far as a launch must know it.
    pub ctype: CType,
    /// Whether it is `char` or points at `char`, which has no sign of its own.
    pub is_char: bool,
    /// The type in C: `const float *`.
    pub spelling: String,
}

/// The parameters of the function whose type is the last argument of a symbol
/// of [`TYPE_OF`]; none for any other symbol.
///
/// ```
/// use gpurepl_kernels::mangled;
/// let parameters = mangled::parameters("_Z15gpurepl_type_ofIFvPKfPA2_diEE").unwrap();
/// let types: Vec<&str> = parameters.iter().map(|parameter| parameter.spelling.as_str()).collect();
/// assert_eq!(types, ["const float *", "double (*)[2]", "int"]);
/// ```
pub fn parameters(symbol: &str) -> Option<Vec<ParameterType>> {
    let at = symbol.find(&format!("{}{TYPE_OF}I", TYPE_OF.len()))?;
    let rest = &symbol[at + TYPE_OF.len() + 3..];
    // The template itself is the first thing that can be referred to.
    let mut reader = Reader { rest, seen: vec![Type::Named(TYPE_OF.to_owned())], depth: 0 };
    let mut last = None;
    while !reader.eat("E") {
        last = Some(reader.argument()?);
    }
    let mut of = last?;
    while let Type::Pointer(to) = of {
        of = *to;
    }
    let Type::Function(parameters) = of else { return None };
    Some(parameters.iter().map(ParameterType::new).collect())
}

/// The parameters of the function of a symbol, `_Z5twicePfi`, which is not a
/// template's; none for other symbols.
///
/// ```
/// use gpurepl_kernels::mangled;
/// let parameters = mangled::parameters_of_function("_ZN4deep5twiceEPfi").unwrap();
/// assert_eq!(parameters[0].spelling, "float *");
/// assert!(mangled::parameters_of_function("twice").is_none());
/// ```
pub fn parameters_of_function(symbol: &str) -> Option<Vec<ParameterType>> {
    let rest = symbol.strip_prefix("_Z")?;
    let mut reader = Reader { rest, seen: Vec::new(), depth: 0 };
    if reader.eat("N") {
        reader.nested()?;
        // The function itself is not a type that can be referred to.
        reader.seen.pop();
    } else {
        reader.eat("L");
        reader.unscoped()?;
    }
    let mut types = Vec::new();
    while !reader.rest.is_empty() {
        types.push(reader.of_type()?);
    }
    if types == [Type::Plain("void")] {
        types.clear();
    }
    Some(types.iter().map(ParameterType::new).collect())
}

/// The name of the function or variable of a symbol, with its namespaces; none
/// where it has arguments of a template, or the symbol is not mangled.
///
/// ```
/// use gpurepl_kernels::mangled;
/// assert_eq!(mangled::name("_ZN4deep5twiceEPfi").as_deref(), Some("deep::twice"));
/// assert_eq!(mangled::name("_Z6squaref").as_deref(), Some("square"));
/// assert_eq!(mangled::name("memcpy"), None);
/// ```
pub fn name(symbol: &str) -> Option<String> {
    let rest = symbol.strip_prefix("_Z")?;
    let mut reader = Reader { rest, seen: Vec::new(), depth: 0 };
    if reader.eat("N") {
        reader.eat("K");
        return Some(reader.nested()?.spelling(""));
    }
    reader.eat("L");
    reader.unscoped()
}

/// Gives parameters that were read from a text the types that the compiler has.
/// Names stay where there are as many of them.
pub fn correct(written: &[Parameter], compiled: &[ParameterType]) -> Vec<Parameter> {
    let is_listed = written.len() == compiled.len();
    let correct = |(k, compiled): (usize, &ParameterType)| {
        let written = written.get(k).filter(|written| is_listed || !written.is_pack);
        let Some(written) = written else {
            return Parameter {
                name: String::new(),
                ctype: compiled.ctype,
                is_char: compiled.is_char,
                spelling: compiled.spelling.clone(),
                span: 0..0,
                default: None,
                is_pack: false,
                is_structure: false,
            };
        };
        // `cuComplex` is a `float2` to the compiler, and a complex number here.
        let is_class = match (compiled.ctype, written.ctype) {
            (CType::Other, CType::Scalar(dtype)) => is_class(dtype),
            (
                CType::Pointer { element: None, is_const },
                CType::Pointer { element: Some(dtype), is_const: as_written },
            ) => {
                is_const == as_written && is_class(dtype) && compiled.spelling.contains(char::is_alphanumeric)
            }
            _ => false,
        };
        let ctype =
            if is_class && !compiled.spelling.contains("void") { written.ctype } else { compiled.ctype };
        let is_as_written = ctype == written.ctype || written.ctype == CType::Other;
        Parameter {
            ctype,
            is_char: compiled.is_char,
            spelling: if is_as_written { &written.spelling } else { &compiled.spelling }.clone(),
            is_pack: false,
            ..written.clone()
        }
    };
    compiled.iter().enumerate().map(correct).collect()
}

/// Whether a type of the table is a class in C++.
fn is_class(dtype: DType) -> bool {
    matches!(dtype, DType::Float16 | DType::Complex64 | DType::Complex128)
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Type {
    /// A type of the language, as C spells it.
    Plain(&'static str),
    /// A class, an enumeration, or what else has a name.
    Named(String),
    Const(Box<Type>),
    /// `volatile` and `restrict` say nothing about a value.
    Volatile(Box<Type>),
    Pointer(Box<Type>),
    Array(String, Box<Type>),
    Function(Vec<Type>),
}

impl ParameterType {
    fn new(of: &Type) -> ParameterType {
        let (ctype, is_char) = match of.bare() {
            Type::Pointer(to) => {
                let (mut element, mut is_const) = (&**to, false);
                loop {
                    match element {
                        Type::Const(inner) => (element, is_const) = (inner, true),
                        Type::Volatile(inner) | Type::Array(_, inner) => element = inner,
                        _ => break,
                    }
                }
                let is_pointer = matches!(element, Type::Pointer(_) | Type::Function(_));
                (
                    CType::Pointer { element: element.dtype(), is_const: is_const && !is_pointer },
                    *element == Type::Plain("char"),
                )
            }
            other => (other.dtype().map_or(CType::Other, CType::Scalar), *other == Type::Plain("char")),
        };
        ParameterType { ctype, is_char, spelling: of.spelling("") }
    }
}

impl Type {
    fn bare(&self) -> &Type {
        match self {
            Type::Const(inner) | Type::Volatile(inner) => inner.bare(),
            other => other,
        }
    }

    fn dtype(&self) -> Option<DType> {
        match self {
            Type::Plain(spelling) => DType::from_c(spelling),
            Type::Named(name) => DType::from_c(name).filter(|dtype| is_class(*dtype)),
            _ => None,
        }
    }

    /// The declaration of a name of this type.
    fn spelling(&self, name: &str) -> String {
        let beside = |of: &str| match name {
            "" => of.to_owned(),
            _ => format!("{of} {name}"),
        };
        match self {
            Type::Plain(of) => beside(of),
            Type::Named(of) => beside(of),
            Type::Const(inner) => match **inner {
                Type::Pointer(_) => inner.spelling(&format!("const {name}")),
                _ => format!("const {}", inner.spelling(name)),
            },
            Type::Volatile(inner) => inner.spelling(name),
            Type::Pointer(to) => match to.bare() {
                Type::Array(..) | Type::Function(_) => to.spelling(&format!("(*{name})")),
                _ => to.spelling(&format!("*{name}")),
            },
            Type::Array(length, of) => {
                let of = of.spelling("");
                format!("{of} {name}[{length}]")
            }
            Type::Function(parameters) => {
                let parameters: Vec<String> = parameters.iter().map(|of| of.spelling("")).collect();
                format!("void {name}({})", parameters.join(", "))
            }
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
    /// What can be referred to, in order.
    seen: Vec<Type>,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn take_until(&mut self, end: char) -> Option<&'a str> {
        let (text, rest) = self.rest.split_once(end)?;
        self.rest = rest;
        Some(text)
    }

    /// A template's argument: a type, a value, or several of them.
    fn argument(&mut self) -> Option<Type> {
        self.depth += 1;
        if self.depth > 100 {
            return None;
        }
        let argument = if self.eat("L") {
            // A value of a type, or the name of something.
            if self.eat("_Z") {
                return None;
            }
            let of = self.of_type()?;
            let value = self.take_until('E')?;
            let value = value.strip_prefix('n').map_or(value.to_owned(), |value| format!("-{value}"));
            Type::Named(match of {
                Type::Plain("bool") => (if value == "0" { "false" } else { "true" }).to_owned(),
                _ => value,
            })
        } else if self.eat("J") {
            let mut all = Vec::new();
            while !self.eat("E") {
                all.push(self.argument()?.spelling(""));
            }
            Type::Named(all.join(","))
        } else {
            self.of_type()?
        };
        self.depth -= 1;
        Some(argument)
    }

    fn of_type(&mut self) -> Option<Type> {
        self.depth += 1;
        if self.depth > 100 {
            return None;
        }
        let found = self.of_type_within()?;
        self.depth -= 1;
        Some(found)
    }

    fn note(&mut self, of: Type) -> Type {
        self.seen.push(of.clone());
        of
    }

    fn of_type_within(&mut self) -> Option<Type> {
        if self.eat("r") {
            // Qualifiers of one type count as one.
            let (volatile, constant) = (self.eat("V"), self.eat("K"));
            let inner = self.of_type()?;
            return Some(self.qualified(volatile, constant, inner));
        }
        if self.rest.starts_with(['V', 'K']) {
            let (volatile, constant) = (self.eat("V"), self.eat("K"));
            let inner = self.of_type()?;
            return Some(self.qualified(volatile, constant, inner));
        }
        if self.eat("P") {
            let to = self.of_type()?;
            return Some(self.note(Type::Pointer(Box::new(to))));
        }
        if self.eat("F") {
            self.eat("Y");
            let mut types = Vec::new();
            while !self.eat("E") {
                if self.eat("z") {
                    continue;
                }
                types.push(self.of_type()?);
            }
            // What it returns comes first; `v` alone is a list without parameters.
            types.remove((!types.is_empty()).then_some(0)?);
            if types == [Type::Plain("void")] {
                types.clear();
            }
            return Some(self.note(Type::Function(types)));
        }
        if self.eat("A") {
            let length = self.take_until('_')?.to_owned();
            let of = self.of_type()?;
            return Some(self.note(Type::Array(length, Box::new(of))));
        }
        if self.rest.starts_with('S') && !self.rest.starts_with("St") {
            let referred = self.referred()?;
            return self.with_arguments(referred);
        }
        if self.rest.starts_with(|c: char| c.is_ascii_digit()) || self.rest.starts_with("St") {
            let name = self.unscoped()?;
            let of = self.note(Type::Named(name));
            return self.with_arguments(of);
        }
        if self.eat("N") {
            return self.nested();
        }
        if self.eat("u") {
            let name = self.source_name()?;
            return Some(self.note(Type::Named(name)));
        }
        if self.eat("DF16_") || self.eat("Dh") {
            return Some(Type::Named("__half".to_owned()));
        }
        if self.eat("DF16b") {
            return Some(Type::Named("__nv_bfloat16".to_owned()));
        }
        let (letter, rest) = self.rest.split_at_checked(1)?;
        self.rest = rest;
        Some(Type::Plain(match letter {
            "v" => "void",
            "b" => "bool",
            "c" => "char",
            "a" => "signed char",
            "h" => "unsigned char",
            "s" => "short",
            "t" => "unsigned short",
            "i" => "int",
            "j" => "unsigned int",
            "l" => "long",
            "m" => "unsigned long",
            "x" => "long long",
            "y" => "unsigned long long",
            "w" => "wchar_t",
            "n" => "__int128",
            "o" => "unsigned __int128",
            "f" => "float",
            "d" => "double",
            "e" => "long double",
            _ => return None,
        }))
    }

    fn qualified(&mut self, volatile: bool, constant: bool, inner: Type) -> Type {
        let inner = if constant { Type::Const(Box::new(inner)) } else { inner };
        let whole = if volatile { Type::Volatile(Box::new(inner)) } else { inner };
        self.note(whole)
    }

    /// `S_`, `S0_`, `S1A_`: what was seen before, by its number to base 36.
    fn referred(&mut self) -> Option<Type> {
        let rest = self.rest.strip_prefix('S')?;
        let (digits, rest) = rest.split_once('_')?;
        self.rest = rest;
        let number = if digits.is_empty() { 0 } else { usize::from_str_radix(digits, 36).ok()? + 1 };
        self.seen.get(number).cloned()
    }

    fn source_name(&mut self) -> Option<String> {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let length: usize = self.rest[..digits].parse().ok()?;
        let name = self.rest.get(digits..digits + length)?;
        self.rest = &self.rest[digits + length..];
        Some(if name.starts_with("_GLOBAL__N_") { String::new() } else { name.to_owned() })
    }

    fn unscoped(&mut self) -> Option<String> {
        if self.eat("St") {
            return Some(format!("std::{}", self.source_name()?));
        }
        self.source_name()
    }

    /// `<arguments>`, if they follow.
    fn with_arguments(&mut self, of: Type) -> Option<Type> {
        if !self.eat("I") {
            return Some(of);
        }
        let mut arguments = Vec::new();
        while !self.eat("E") {
            arguments.push(self.argument()?.spelling(""));
        }
        let instance = Type::Named(format!("{}<{}>", of.spelling(""), arguments.join(",")));
        Some(self.note(instance))
    }

    fn nested(&mut self) -> Option<Type> {
        let mut whole: Option<Type> = None;
        loop {
            if self.eat("E") {
                return whole;
            }
            if self.rest.starts_with('I') {
                whole = Some(self.with_arguments(whole?)?);
                continue;
            }
            let is_referred = self.rest.starts_with('S') && !self.rest.starts_with("St");
            if is_referred {
                whole = Some(self.referred()?);
                continue;
            }
            self.eat("L");
            let name = if self.eat("St") { "std".to_owned() } else { self.source_name()? };
            let scope = whole.map_or(String::new(), |scope| scope.spelling(""));
            let joined = match (scope.as_str(), name.as_str()) {
                ("", name) => name.to_owned(),
                (scope, "") => scope.to_owned(),
                (scope, name) => format!("{scope}::{name}"),
            };
            let is_std = joined == "std";
            let of = Type::Named(joined);
            // What ends the name is noted as a whole: the same thing.
            whole = Some(if is_std { of } else { self.note(of) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(symbol: &str) -> Vec<String> {
        parameters(symbol).unwrap_or_default().into_iter().map(|parameter| parameter.spelling).collect()
    }

    /// As NVRTC 13 and g++ 12 write them.
    #[test]
    fn the_names_that_compilers_give() {
        for (symbol, types) in [
            ("_Z15gpurepl_type_ofIFvPKfPA2_diEE", &["const float *", "double (*)[2]", "int"][..]),
            ("_Z15gpurepl_type_ofIPFvPf1SPKfEE", &["float *", "S", "const float *"]),
            ("_Z15gpurepl_type_ofIFvvEE", &[]),
            (
                "_Z15gpurepl_type_ofIFvN2ns1QEPViy6float3PvhcPFviEEE",
                &[
                    "ns::Q",
                    "int *",
                    "unsigned long long",
                    "float3",
                    "void *",
                    "unsigned char",
                    "char",
                    "void (*)(int)",
                ],
            ),
            (
                "_Z15gpurepl_type_ofILi0EPFv5uint3S0_4dim3S1_PN6pycuda7complexIfEES5_EE",
                &["uint3", "uint3", "dim3", "dim3", "pycuda::complex<float> *", "pycuda::complex<float> *"],
            ),
            ("_Z15gpurepl_type_ofIFvPKPKfPPfS5_EE", &["const float *const *", "float **", "float **"]),
            (
                "_ZL15gpurepl_type_ofIFv3BoxIiLi4ELb1EES0_IfLin2ELb0EEEE",
                &["Box<int,4,true>", "Box<float,-2,false>"],
            ),
        ] {
            assert_eq!(shown(symbol), types, "{symbol}");
        }
        for symbol in
            ["_Z1kPf", "_Z15gpurepl_type_ofI", "_Z15gpurepl_type_ofIFvS9_EE", "_Z15gpurepl_type_ofIiE", ""]
        {
            assert_eq!(parameters(symbol), None, "{symbol}");
        }
        let deep = format!("_Z15gpurepl_type_ofIFv{}iEE", "P".repeat(100_000));
        assert_eq!(parameters(&deep), None);
    }

    #[test]
    fn what_a_launch_must_know() {
        let types = parameters("_Z15gpurepl_type_ofIFvPKcPA3_A2_KdPPfmP6__halfPcc1SPvEE").unwrap();
        let ctypes: Vec<(CType, bool)> = types.iter().map(|of| (of.ctype, of.is_char)).collect();
        let pointer = |element, is_const| CType::Pointer { element, is_const };
        assert_eq!(
            ctypes,
            [
                (pointer(Some(DType::Int8), true), true),
                (pointer(Some(DType::Float64), true), false),
                (pointer(None, false), false),
                (CType::Scalar(DType::UInt64), false),
                (pointer(Some(DType::Float16), false), false),
                (pointer(Some(DType::Int8), false), true),
                (CType::Scalar(DType::Int8), true),
                (CType::Other, false),
                (pointer(None, false), false),
            ]
        );
    }
}
