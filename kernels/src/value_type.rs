//! The values of a reduction: numbers, or structures that a kernel has by name.

use crate::DType;
use crate::token::{Token, tokens};

/// The type of a reduction's values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// A number.
    Number(DType),
    /// A structure.
    Structure {
        /// What C calls it.
        name: String,
        /// Its definition in C, after those of the structures that it has in it: a name and a
        /// text each.
        definitions: Vec<(String, String)>,
        /// Its size in bytes.
        bytes: usize,
    },
}

/// The most bytes of a structure that a reduction has as its value: each of
/// [`REDUCTION_BLOCK`](crate::REDUCTION_BLOCK) threads has one in a block's 48 KiB of shared memory.
pub const REDUCTION_VALUE_BYTES: usize = 128;

impl ValueType {
    /// Its name in C.
    pub fn c(&self) -> &str {
        match self {
            ValueType::Number(dtype) => dtype.c(),
            ValueType::Structure { name, .. } => name,
        }
    }

    /// The size of a value in bytes.
    pub fn size(&self) -> usize {
        match self {
            ValueType::Number(dtype) => dtype.size(),
            ValueType::Structure { bytes, .. } => *bytes,
        }
    }

    /// The type of the numbers, if it is one.
    pub fn dtype(&self) -> Option<DType> {
        match self {
            ValueType::Number(dtype) => Some(*dtype),
            ValueType::Structure { .. } => None,
        }
    }

    /// Definitions of what the preamble does not define itself.
    ///
    /// What a file of the user's defines is not known, so nothing is defined beside one.
    pub(crate) fn definitions(&self, preamble: &str) -> String {
        match self {
            ValueType::Number(_) => String::new(),
            ValueType::Structure { .. } if preamble.contains("#include \"") => String::new(),
            ValueType::Structure { definitions, .. } => {
                let missing = definitions.iter().filter(|(name, _)| !defines(preamble, name));
                missing.map(|(_, text)| text.as_str()).collect()
            }
        }
    }

    /// Has the compiler compare a structure that the preamble defines with Rust's.
    pub(crate) fn checks(&self) -> String {
        match self {
            ValueType::Number(_) => String::new(),
            ValueType::Structure { name, bytes, .. } => size_check(name, *bytes),
        }
    }

    /// An expression as a value of the type: `{1, 2}` names no type in C++.
    pub(crate) fn value(&self, expression: &str, text: &str) -> String {
        let is_list = tokens(expression).first().is_some_and(|first| first.is_mark(expression, '{'));
        let c = self.c();
        if is_list { format!("{c}{text}") } else { format!("({c})({text})") }
    }
}

/// Has the compiler compare the size of a structure with what Rust has.
pub(crate) fn size_check(name: &str, bytes: usize) -> String {
    format!(
        "static_assert(sizeof({name}) == {bytes} && alignof({name}) <= 16, \"{name} has other fields in the kernel than \
         in Rust, where it has {bytes} bytes\");\n"
    )
}

/// Whether a text defines a type of this name: `struct Name {`, `typedef struct { .. } Name;`
/// or `using Name =`, with attributes or without.
pub(crate) fn defines(text: &str, name: &str) -> bool {
    let all = tokens(text);
    (0..all.len()).any(|at| {
        if !all[at].is_name(text, name) {
            return false;
        }
        let next = |mark| all.get(at + 1).is_some_and(|token| token.is_mark(text, mark));
        // What stands before it in its statement, attributes too.
        let is_end = |token: &&Token| [';', '{', '}'].into_iter().any(|mark| token.is_mark(text, mark));
        let before: Vec<&Token> = all[..at].iter().rev().take_while(|token| !is_end(token)).collect();
        let says = |word: &str| before.iter().any(|token| token.is_name(text, word));
        let follows_a_body = all[..at - before.len()].last().is_some_and(|token| token.is_mark(text, '}'));
        let is_structure = ["struct", "class", "union", "enum"].into_iter().any(says);
        (is_structure && (next('{') || next(':')))
            || (says("using") && next('='))
            || (next(';') && (says("typedef") || (follows_a_body && !is_structure)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_known_from_uses() {
        assert!(defines("struct Pair { int a; };", "Pair"));
        assert!(defines("typedef struct { int a; } Pair;", "Pair"));
        assert!(defines("typedef float2 Pair;", "Pair"));
        assert!(defines("using Pair = float2;", "Pair"));
        assert!(defines("struct __align__(8) Pair { int a; };", "Pair"));
        assert!(defines("typedef struct { int a; } __attribute__((packed)) Pair;", "Pair"));
        assert!(defines("struct Pair : Base { int a; };", "Pair"));
        assert!(!defines("__device__ Pair smaller(Pair a, Pair b) { struct Pair c = a; return c; }", "Pair"));
        assert!(!defines("struct Pairs { int a; };", "Pair"));
    }

    #[test]
    fn a_structure_that_the_preamble_defines_is_not_defined_twice() {
        let pair = ValueType::Structure {
            name: "Pair".to_owned(),
            definitions: vec![("Pair".to_owned(), "struct Pair { int a; };\n".to_owned())],
            bytes: 4,
        };
        assert_eq!(pair.definitions("__device__ Pair none() { return {0}; }"), "struct Pair { int a; };\n");
        assert_eq!(pair.definitions("struct Pair { int a; };"), "");
        assert_eq!(pair.value("{0}", "{0}"), "Pair{0}");
        assert_eq!(pair.value("none()", "none()"), "(Pair)(none())");
    }
}
