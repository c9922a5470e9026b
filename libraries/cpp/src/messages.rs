//! The compiler's words about a call, as an error of the call.

use gpurepl_extend::{DType, Error, Result, error};

use crate::near;
use crate::source::Source;
use crate::trampoline::{CALL, Signature};
use crate::types::{ArgumentType, Kind};

/// A number that a parameter of another type takes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Conversion {
    /// The argument, from one.
    pub(crate) number: usize,
    /// The parameter's type.
    pub(crate) to: String,
}

/// How many candidates are shown.
const SHOWN: usize = 5;

/// A message about a line of the call: its line, severity and text.
struct Said<'a> {
    line: usize,
    is_warning: bool,
    text: &'a str,
}

/// Messages about the call's own lines. Line 1 is the function's name, the others are its arguments.
fn said(log: &str) -> impl Iterator<Item = Said<'_>> {
    log.lines().filter_map(|line| {
        let rest = line.strip_prefix(CALL)?.strip_prefix(':')?;
        let (number, rest) = rest.split_once(':')?;
        // A column, if there is one.
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(':');
        let (word, text) = rest.trim_start().split_once(": ")?;
        let is_warning = match word {
            "warning" => true,
            "error" | "fatal error" => false,
            _ => return None,
        };
        Some(Said { line: number.parse().ok()?, is_warning, text })
    })
}

/// The lines of nvcc's own front end, `module.cpp(3): error: text`, as g++ writes them.
pub(crate) fn as_gcc_writes(log: &str) -> String {
    let line = |line: &str| -> Option<String> {
        let (place, rest) = line.split_once("): ")?;
        let (name, number) = place.rsplit_once('(')?;
        let number: usize = number.parse().ok()?;
        let (word, text) = rest.split_once(": ")?;
        // Numbered messages read `error #20: ...`.
        let word = word.split('#').next()?.trim();
        ["error", "warning", "note"].contains(&word).then(|| format!("{name}:{number}:0: {word}: {text}"))
    };
    log.lines().map(|text| line(text).unwrap_or_else(|| text.to_owned())).collect::<Vec<_>>().join("\n")
}

/// Numbers that the function's parameters may not be able to hold; an error for one whose fraction would be lost.
pub(crate) fn conversions(signature: &Signature, log: &str) -> Result<Vec<Conversion>> {
    let mut found: Vec<Conversion> = Vec::new();
    for said in said(log).filter(|said| said.is_warning) {
        let Some((from, to)) = converted(said.text) else { continue };
        // nvcc's front end puts the whole call on one line: the types tell which argument is meant.
        let is_meant = |number: usize| match said.line.checked_sub(1).filter(|line| *line > 0) {
            Some(line) => line == number,
            None => from.is_some_and(|from| is_spelled(&signature.arguments[number - 1], from)),
        };
        for number in (1..=signature.arguments.len()).filter(|number| is_meant(*number)) {
            let argument = &signature.arguments[number - 1];
            let is_float = ["float", "double", "long double", "_Float16"].contains(&to);
            if argument.is_float() && is_float {
                // Rounded, as C++ does everywhere.
                continue;
            }
            if argument.is_float() {
                let message = format!(
                    "argument {number} is {}, and the function takes `{to}`, which would drop its fraction\n  = help: \
                     pass a whole number: `x as i64`",
                    argument.rust
                );
                return Err(error::argument(&signature.function, message));
            }
            if !argument.is_integer() {
                continue;
            }
            match found.iter().find(|known| known.number == number) {
                None => found.push(Conversion { number, to: to.to_owned() }),
                Some(known) if known.to == to => {}
                // Of two arguments of one type, only the compiler knows which is which.
                Some(known) => {
                    let message = format!(
                        "a number of {} becomes `{}` and another one `{to}`\n  = help: pass numbers of the function's own \
                         types: `n as i32`",
                        argument.rust, known.to
                    );
                    return Err(error::argument(&signature.function, message));
                }
            }
        }
    }
    Ok(found)
}

/// Whether a type of the compiler's words is an argument's.
fn is_spelled(argument: &ArgumentType, words: &str) -> bool {
    let Kind::Number(of) = argument.kind else { return false };
    let names: &[&str] = match of {
        DType::Int8 => &["signed char"],
        DType::Int16 => &["short", "short int"],
        DType::Int32 => &["int"],
        DType::Int64 => &["long", "long int", "long long", "long long int"],
        DType::UInt8 => &["unsigned char"],
        DType::UInt16 => &["unsigned short", "short unsigned int"],
        DType::UInt32 => &["unsigned", "unsigned int"],
        DType::UInt64 => {
            &["unsigned long", "long unsigned int", "unsigned long long", "long long unsigned int"]
        }
        DType::Float32 => &["float"],
        DType::Float64 => &["double"],
        _ => &[],
    };
    names.contains(&words)
}

/// The types that a warning says something is converted from, and to.
fn converted(text: &str) -> Option<(Option<&str>, &str)> {
    // g++: conversion from 'A' to 'B' may change value; conversion to 'B' from 'A' may change the sign.
    // clang: implicit conversion loses integer precision: 'A' to 'B'.
    if !text.contains("conversion") {
        return None;
    }
    let to = match text.split_once("conversion to '") {
        Some((_, after)) => after,
        None => text.split_once(" to '")?.1,
    };
    let from = match text.split_once(" from '") {
        Some((_, after)) => Some(after),
        None => text.split_once(": '").map(|(_, after)| after),
    };
    Some((from.and_then(known_type), known_type(to)?))
}

/// The type that a quoted name stands for: `'size_t' {aka 'unsigned long'}`, with parentheses in clang's words.
fn known_type(quoted: &str) -> Option<&str> {
    let (name, rest) = quoted.split_once('\'')?;
    let rest = rest.trim_start();
    match rest.strip_prefix("{aka '").or_else(|| rest.strip_prefix("(aka '")) {
        Some(known) => known.split('\'').next(),
        None => Some(name),
    }
}

/// Why a call does not compile.
pub(crate) fn refused(signature: &Signature, source: &Source, log: &str) -> Error {
    let function = &signature.function;
    let Some(first) = said(log).find(|said| !said.is_warning) else { return source.compile_error(log) };
    let text = first.text;
    let has = |words: &[&str]| words.iter().any(|words| text.contains(words));
    let is_unknown = has(&[
        "was not declared",
        "has not been declared",
        "is not a member of",
        "undeclared identifier",
        "no member named",
        "is not a class, namespace",
        "does not name a",
        // nvcc's front end.
        "is undefined",
        "has no member",
    ]);
    if is_unknown && first.line == 1 {
        return missing(function, source, text);
    }
    let is_misfit = has(&[
        "no matching function",
        "cannot convert",
        "invalid conversion",
        "too few arguments",
        "too many arguments",
        "ambiguous",
        "cannot bind",
        "no match for",
        "no known conversion",
        "cannot initialize",
        "requires",
        "no viable",
        "drops",
        "discards",
        "use of deleted",
        "could not convert",
        "candidate function",
        "no instance of",
        "is incompatible with",
        "more than one instance",
    ]);
    if !is_misfit {
        let shown = source.compile_error(log);
        let has_place = shown.compile_error().is_some_and(|error| !error.messages.is_empty());
        if has_place {
            return shown;
        }
        let message = format!("cannot be called with {}: {text}", signature.words());
        return error::argument(function, message);
    }
    let is_ambiguous = text.contains("ambiguous");
    let what = if is_ambiguous { "several functions match" } else { "no matching function for" };
    let mut message = format!("{what} {}", signature.words());
    let candidates = candidates(source, log);
    if !candidates.is_empty() {
        message.push_str("; candidates:");
        for candidate in candidates.iter().take(SHOWN) {
            message.push_str("\n    ");
            message.push_str(candidate);
        }
        if candidates.len() > SHOWN {
            message.push_str(&format!("\n    ... and {} more", candidates.len() - SHOWN));
        }
    }
    message.push_str("\n  = help: ");
    message.push_str(help(signature, text, is_ambiguous));
    error::argument(function, message)
}

fn help(signature: &Signature, text: &str, is_ambiguous: bool) -> &'static str {
    let has_array = signature.arguments.iter().any(|argument| argument.cpp.ends_with('*'));
    if is_ambiguous {
        "pass a number of the very type: `1.0_f32`, `n as i32`"
    } else if text.contains("too few") || text.contains("too many") {
        "arguments are passed as they are: an array does not bring its size, `(&x, x.len())`"
    } else if has_array {
        "convert an array by `x.astype(f64)`; `&mut x` is a pointer to elements that are written"
    } else {
        "convert a number by `as`: `n as i32`"
    }
}

/// The functions that the compiler has considered, as the text declares them.
fn candidates(source: &Source, log: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |text: &str| {
        let text = text.trim().trim_end_matches('{').trim_end().to_owned();
        // Not what calls it.
        if !text.is_empty() && !text.contains("gpurepl_") && !found.contains(&text) {
            found.push(text);
        }
    };
    let quoted = |text: &str, before: &str| {
        let after = text.split_once(before)?.1;
        Some(after.get(..after.rfind('\'')?)?.to_owned())
    };
    for line in log.lines() {
        let known = quoted(line, "candidate: '")
            .or_else(|| quoted(line, "too many arguments to function '"))
            .or_else(|| quoted(line, "too few arguments to function '"))
            .or_else(|| {
                line.contains("initializing argument")
                    .then(|| quoted(line, "' of '").or_else(|| quoted(line, " of '")))
                    .flatten()
            });
        if let Some(known) = known {
            add(&known);
            continue;
        }
        let is_clangs = line.contains("candidate function") || line.contains("candidate template");
        if !(is_clangs || line.contains("declared here")) {
            continue;
        }
        let place = line.strip_prefix(source.name.as_str()).and_then(|rest| rest.strip_prefix(':'));
        let number: Option<usize> = place.and_then(|rest| rest.split(':').next()?.parse().ok());
        if let Some(line) = number.and_then(|number| source.text.lines().nth(number.checked_sub(1)?)) {
            add(line);
        }
    }
    found
}

/// A function that is not there, and names like it.
fn missing(function: &str, source: &Source, text: &str) -> Error {
    let words = near::functions(&source.text);
    let last = function.split('<').next().unwrap_or(function).rsplit("::").next().unwrap_or(function);
    let compilers = text.split_once("did you mean '").and_then(|(_, after)| after.split('\'').next());
    let mut names = near::names(last, &words);
    if let Some(name) = compilers.filter(|name| !names.contains(name) && words.contains(name)) {
        names.insert(0, name);
    }
    let namespace = text.contains("has not been declared") || text.contains("is not a class, namespace");
    let what = match namespace && function.contains("::") {
        true => "the C++ module has no such function: a namespace of its name is not declared",
        false => "the C++ module has no function of this name",
    };
    let qualifier = function.rfind("::").map_or("", |at| &function[..at + 2]);
    let by_both = if qualifier.is_empty() {
        "; a function in a namespace is called by both names: `example::sum`"
    } else {
        ""
    };
    let listed = |names: &[&str], between: &str| {
        let names: Vec<String> = names.iter().map(|name| format!("`{qualifier}{name}`")).collect();
        names.join(between)
    };
    let help = if !names.is_empty() {
        format!("did you mean {}?{}", listed(&names, " or "), by_both.replacen("; a", " A", 1))
    } else if qualifier.starts_with("std::") || qualifier.starts_with("::std::") {
        "include the header of the standard library that declares it; what needs an iterator is called by a function of the \
         text"
            .to_owned()
    } else if words.is_empty() {
        "the text declares no function; include the header that does".to_owned()
    } else {
        let most = &words[..words.len().min(8)];
        let names: Vec<String> = most.iter().map(|name| format!("`{name}`")).collect();
        format!("the text has {}{by_both}", names.join(", "))
    };
    error::argument(function, format!("{what}\n  = help: {help}"))
}

/// A result that cannot be asked for so.
pub(crate) fn wrong_result(signature: &Signature, returned: &str) -> Error {
    let asked = signature.result.rust;
    let help = match rust_type(returned) {
        Some("()") => format!("ask for nothing: `call::<()>(\"{}\", ..)`", signature.function),
        Some(rust) => format!("ask for {rust}: `call::<{rust}>(\"{}\", ..)`", signature.function),
        None => "let a function of the text make a number, a text or a pointer of it".to_owned(),
    };
    let message =
        format!("the function returns `{returned}`, which cannot be asked for as {asked}\n  = help: {help}");
    error::argument(&signature.function, message)
}

/// What a result in C++ can be asked for as.
fn rust_type(cpp: &str) -> Option<&'static str> {
    let plain = cpp.trim_start_matches("const ").trim_end_matches('&').trim();
    Some(match plain {
        "void" => "()",
        "bool" => "bool",
        "char" | "signed char" => "i8",
        "short" | "short int" => "i16",
        "int" => "i32",
        "long" | "long int" | "long long" | "long long int" => "i64",
        "unsigned char" => "u8",
        "unsigned short" | "short unsigned int" => "u16",
        "unsigned int" => "u32",
        "unsigned long" | "long unsigned int" | "unsigned long long" | "long long unsigned int" => "u64",
        "float" => "f32",
        "double" => "f64",
        "std::complex<float>" => "Complex32",
        "std::complex<double>" => "Complex64",
        _ if plain.contains("basic_string<char")
            || plain == "std::string"
            || plain == "char*"
            || plain == "char *" =>
        {
            "String"
        }
        _ if plain.ends_with('*') => "*mut std::ffi::c_void",
        _ => return None,
    })
}

/// Code of a call that uses a variable of which it would have another one.
pub(crate) fn private_variable(signature: &Signature, variable: &str) -> Error {
    let message = format!(
        "this call compiles code of its own, of a template as a rule, which uses the variable `{variable}`; that is `static`, \
         or in an unnamed namespace, and so belongs to one compilation alone\n  = help: declare `{variable}` without \
         `static`, or use it in functions that are no templates"
    );
    error::argument(&signature.function, message)
}

/// Kernels of a call's own beside variables of a device, which they would have for themselves.
pub(crate) fn private_device_variable(signature: &Signature) -> Error {
    let message = "this call compiles kernels of its own, of a template as a rule, and the text has `__device__` or \
                   `__constant__` variables, of which these would see others than the module's functions do\n  = help: launch \
                   kernels in functions that are no templates, or pass device memory instead of the variable";
    error::argument(&signature.function, message.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::CppResult;

    fn signature() -> Signature {
        let arguments = vec![
            ArgumentType::pointer(DType::Int32, false, true),
            ArgumentType::number(DType::UInt64, "usize"),
        ];
        Signature { function: "sum".to_owned(), arguments, result: f64::TYPE }
    }

    fn source(text: &str) -> Source {
        Source { text: text.to_owned(), name: "module.cpp".to_owned(), ..Source::default() }
    }

    const TEXT: &str =
        "#include <cstddef>\ndouble sum(const double *x, std::size_t n) {\n  return x[n - 1];\n}\n";

    #[test]
    fn a_misfit_names_both_sides_in_either_compilers_words() {
        let gcc = "gpurepl-call:2:20: error: cannot convert 'const int*' to 'const double*'\n\
                   module.cpp:2:26: note:   initializing argument 1 of 'double sum(const double*, std::size_t)'\n";
        let clang = "gpurepl-call:1:1: error: no matching function for call to 'sum'\n\
                     module.cpp:2:8: note: candidate function not viable: no known conversion from 'const int *'\n";
        for log in [gcc, clang] {
            let words = refused(&signature(), &source(TEXT), log).to_string();
            assert!(
                words.starts_with(
                    "sum: no matching function for (const i32*, usize); candidates:\n    double sum("
                ),
                "{words}"
            );
            assert!(words.contains("astype"), "{words}");
        }
    }

    #[test]
    fn a_function_that_is_missing_has_its_neighbours_named() {
        let log = "gpurepl-call:1:1: error: 'sun' was not declared in this scope\n";
        let signature = Signature { function: "sun".to_owned(), ..signature() };
        let words = refused(&signature, &source(TEXT), log).to_string();
        assert!(
            words.starts_with(
                "sun: the C++ module has no function of this name\n  = help: did you mean `sum`?"
            ),
            "{words}"
        );
    }

    #[test]
    fn conversions_are_read_from_either_compiler() {
        let gcc = "gpurepl-call:3:1: warning: conversion from 'std::size_t' {aka 'long unsigned int'} to 'int' may change value [-Wconversion]\n";
        let sign = "gpurepl-call:3:1: warning: conversion to 'int' from 'unsigned int' may change the sign of the result [-Wsign-conversion]\n";
        let clang = "gpurepl-call:3:1: warning: implicit conversion loses integer precision: 'unsigned long' to 'int' [-Wshorten-64-to-32]\n";
        for log in [gcc, sign, clang] {
            let found = conversions(&signature(), log).unwrap();
            assert_eq!(found, [Conversion { number: 2, to: "int".to_owned() }], "{log}");
        }
        // All on one line, as nvcc has it.
        let one = "gpurepl-call:1:9: warning: conversion from 'std::size_t' {aka 'long unsigned int'} to 'int' may change value\n";
        assert_eq!(conversions(&signature(), one).unwrap(), [Conversion { number: 2, to: "int".to_owned() }]);
        let nvcc = as_gcc_writes(
            "gpurepl-call(1): error: identifier \"sun\" is undefined\nx(y): z\nmodule.cpp(4): warning #177-D: w",
        );
        assert_eq!(
            nvcc,
            "gpurepl-call:1:0: error: identifier \"sun\" is undefined\nx(y): z\nmodule.cpp:4:0: warning: w"
        );
        let others = "module.cpp:3:1: warning: conversion from 'double' to 'int' may change value\n";
        assert_eq!(conversions(&signature(), others).unwrap(), []);
    }
}
