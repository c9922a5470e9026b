//! The text that calls one function with arguments of given types.

use std::fmt::Write as _;

use crate::result::ResultType;
use crate::types::{ArgumentType, HALF, Kind};

/// What the compiler calls the lines of the call.
pub(crate) const CALL: &str = "gpurepl-call";

const PARTS: &str = include_str!("trampoline.hpp");

/// A call of one function with arguments of given types.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Signature {
    pub(crate) function: String,
    pub(crate) arguments: Vec<ArgumentType>,
    pub(crate) result: ResultType,
}

impl Signature {
    /// The types of the arguments as a message has them: `(const f64*, usize)`.
    pub(crate) fn words(&self) -> String {
        let types: Vec<&str> = self.arguments.iter().map(|argument| argument.rust.as_str()).collect();
        format!("({})", types.join(", "))
    }

    /// The name that the trampoline exports: each its own, as some are searched before others.
    pub(crate) fn entry(&self) -> String {
        // FNV-1a, by Fowler, Noll and Vo: the same in every process, as what was compiled is kept.
        let text = format!("{} {} {}", self.function, self.words(), self.result.cpp);
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        format!("gpurepl_call_{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, mix))
    }

    /// What is included before the user's text. Macros of the user's might change headers behind it.
    pub(crate) fn before(&self) -> String {
        let mut text = String::new();
        for name in [
            "cstddef",
            "cstdint",
            "cstdio",
            "cstdlib",
            "cstring",
            "exception",
            "limits",
            "new",
            "string",
            "type_traits",
            "typeinfo",
            "utility",
        ] {
            let _ = writeln!(text, "#include <{name}>");
        }
        let mentions = |word: &str| {
            self.result.cpp.contains(word)
                || self.arguments.iter().any(|argument| argument.cpp.contains(word))
        };
        if mentions("std::complex") {
            text.push_str("#include <complex>\n");
        }
        if mentions(HALF) {
            let _ = writeln!(
                text,
                "#ifdef __CUDACC__\n#include <cuda_fp16.h>\nusing {HALF} = __half;\n#else\nusing {HALF} = _Float16;\n#endif"
            );
        }
        text
    }

    /// What follows the user's text. Arguments of `fitted` are checked to be held by these types, by
    /// their numbers from one.
    pub(crate) fn after(&self, fitted: &[(usize, String)]) -> String {
        let mut text = PARTS.to_owned();
        for argument in &self.arguments {
            if let Kind::Structure { bytes } = argument.kind {
                let _ = writeln!(
                    text,
                    "static_assert(sizeof({0}) == {bytes}, \"{0} has another layout than in Rust\");",
                    argument.cpp
                );
            }
        }
        let _ = writeln!(text, "GPUREPL_ENTRY({})", self.entry());
        // Each argument has a line of its own, which messages name.
        let _ = writeln!(text, "#line 1 \"{CALL}\"\n{}(", self.function);
        for (k, argument) in self.arguments.iter().enumerate() {
            let comma = if k + 1 < self.arguments.len() { "," } else { "" };
            let given = match fitted.iter().find(|(number, _)| *number == k + 1) {
                Some((number, of)) => {
                    format!("gpurepl_fit<{of}, {}>(gpurepl_arguments[{k}], {number})", argument.cpp)
                }
                None => format!("gpurepl_get<{}>(gpurepl_arguments[{k}])", argument.cpp),
            };
            let _ = writeln!(text, "{given}{comma}");
        }
        let _ = writeln!(text, ");\n#line 1 \"gpurepl\"\nGPUREPL_END({})", self.result.cpp);
        text
    }
}

/// Whether a text can be the name of a function in C++: `sum`, `example::sum<double>`, `operator+`.
pub(crate) fn is_name(text: &str) -> bool {
    let text = text.trim();
    if let Some((before, sign)) = text.split_once("operator")
        && (before.is_empty() || before.ends_with("::"))
        && !sign.is_empty()
        && sign.chars().all(|c| "+-*/%^&|~!=<>()[]".contains(c))
    {
        return before.is_empty() || is_name(before.trim_end_matches("::"));
    }
    let mut depth = 0_usize;
    for sign in text.chars() {
        match sign {
            '<' => depth += 1,
            '>' if depth == 0 => return false,
            '>' => depth -= 1,
            _ if sign.is_alphanumeric() || matches!(sign, '_' | ':') => {}
            // Of the arguments of a template.
            _ if depth > 0 && matches!(sign, ' ' | ',' | '*' | '&' | '-' | '\'' | '.' | '+') => {}
            _ => return false,
        }
    }
    let first = text.trim_start_matches("::").chars().next();
    depth == 0 && first.is_some_and(|c| c.is_alphabetic() || c == '_')
}

/// The type between `[with T = ` and `]`, as g++ and clang write it for `gpurepl_name`.
pub(crate) fn type_name(pretty: &str) -> &str {
    let after = pretty.split_once("T = ").map_or(pretty, |(_, after)| after);
    let end = after.rfind(']').unwrap_or(after.len());
    // g++ adds what its short names stand for.
    after[..end].split("; ").next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_functions_are_told_from_other_texts() {
        for name in [
            "sum",
            "example::sum<double>",
            "::f",
            "operator+",
            "a::operator()",
            "f<std::vector<int>, 3>",
            "_x1",
        ] {
            assert!(is_name(name), "{name}");
        }
        for text in ["", "1f", "f(", "f; g", "f>", "f<", "a b", "f(1)", "x = 1", "f\ng", "<int>"] {
            assert!(!is_name(text), "{text}");
        }
    }

    #[test]
    fn types_are_read_from_either_compiler() {
        assert_eq!(type_name("const char* gpurepl_name() [with T = double]"), "double");
        assert_eq!(type_name("const char *gpurepl_name() [T = const int *]"), "const int *");
        let long = "const char* gpurepl_name() [with T = std::__cxx11::basic_string<char>; std::string = x]";
        assert_eq!(type_name(long), "std::__cxx11::basic_string<char>");
    }
}
