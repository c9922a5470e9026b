//! The types of new variables, read from the compiler's own output.
//!
//! `--emit=mir` is a text for people, and not a stable format. Two kinds of
//! line are read of it and no more; a test at the start of a store's life
//! makes sure that they are there ([`super::self_test`]).
//!
//! A cell puts its variables by `let __gr_p_x = __gr::put("x", x);`, whose
//! type is `Ty<T>`:
//!
//! ```text
//!     let _5: gpurepl_prelude::cell::Ty<std::vec::Vec<i32>>;
//!     scope 3 {
//!         debug __gr_p_x => _5;
//! ```

use std::collections::{BTreeMap, HashMap};

use super::lifetimes;

/// What names the values whose types are wanted.
pub(super) const PREFIX: &str = "__gr_p_";

/// The types of the variables that a cell puts, by their names.
pub(super) fn types(mir: &str) -> BTreeMap<String, String> {
    let mut types = BTreeMap::new();
    for body in bodies(mir) {
        let mut locals: HashMap<&str, &str> = HashMap::new();
        let mut named: Vec<(&str, &str)> = Vec::new();
        for line in body.lines() {
            let line = line.trim();
            if let Some(rest) = line.strip_prefix("let ") {
                let rest = rest.strip_prefix("mut ").unwrap_or(rest);
                if let Some((local, of)) = rest.split_once(": ") {
                    locals.insert(local, of.trim_end_matches(';'));
                }
            } else if let Some((name, local)) =
                line.strip_prefix("debug ").and_then(|rest| rest.split_once(" => "))
                && let Some(name) = name.strip_prefix(PREFIX)
            {
                named.push((name, local.trim_end_matches(';')));
            }
        }
        for (name, local) in named {
            if let Some(of) = locals.get(local).and_then(|text| inner(text)) {
                types.insert(name.to_owned(), lifetimes::written_out(&without_never(of)));
            }
        }
    }
    types
}

/// A type's text with `!`, which can be written as a result only, replaced by
/// the prelude's name for it.
fn without_never(of: &str) -> String {
    let mut text = String::with_capacity(of.len());
    for (at, part) in of.split('!').enumerate() {
        if at > 0 {
            let is_result = text.trim_end().ends_with("->");
            text.push_str(if is_result { "!" } else { "gpurepl_prelude::cell::Never" });
        }
        text.push_str(part);
    }
    text
}

/// The bodies of functions: constants number their locals again.
fn bodies(mir: &str) -> impl Iterator<Item = &str> {
    let mut rest = mir;
    std::iter::from_fn(move || {
        loop {
            if rest.is_empty() {
                return None;
            }
            let end = rest.find("\n}\n").map_or(rest.len(), |at| at + 3);
            let (body, after) = rest.split_at(end);
            rest = after;
            let is_function = body.lines().any(|line| line.starts_with("fn "));
            if is_function {
                return Some(body);
            }
        }
    })
}

/// `T` of `path::Ty<T>`.
fn inner(text: &str) -> Option<&str> {
    let (path, rest) = text.split_once('<')?;
    (path == "Ty" || path.ends_with("::Ty")).then(|| rest.strip_suffix('>')).flatten()
}

/// The signature of a closure's body, by the place that names its type:
/// the kind of the closure, its arguments and its result.
///
/// ```text
/// fn __gr_cell_1::{closure#0}::{closure#0}(_1: &{closure@c1.rs:9:9: 9:12}, _2: i32) -> i32 {
/// ```
pub(super) fn closure_type(mir: &str, closure: &str) -> Option<String> {
    for line in mir.lines().filter(|line| line.starts_with("fn ") && line.ends_with('{')) {
        let Some(open) = line.find("(_1: ") else { continue };
        let arguments = &line[open + 1..];
        let close = closing(arguments)?;
        let mut parts = split_arguments(&arguments[..close]).into_iter();
        let Some(own) = parts.next().and_then(|part| part.strip_prefix("_1: ")) else { continue };
        let (kind, of) = match own.strip_prefix("&mut ") {
            Some(of) => ("FnMut", of),
            None => match own.strip_prefix('&') {
                Some(of) => ("Fn", of),
                None => ("FnOnce", own),
            },
        };
        if of.trim() != closure {
            continue;
        }
        let types: Vec<&str> = parts.filter_map(|part| part.split_once(": ").map(|(_, of)| of)).collect();
        let result = arguments[close + 1..].trim().trim_start_matches("->").trim_end_matches('{').trim();
        let result =
            if result.is_empty() || result == "()" { String::new() } else { format!(" -> {result}") };
        let boxed = format!("std::boxed::Box<dyn {kind}({}){result}>", types.join(", "));
        return Some(boxed);
    }
    None
}

/// Where the parenthesis closes that is open before the text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn split_arguments(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '>' if before != '-' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
        before = c;
    }
    parts.push(text[start..].trim());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIR: &str = "\
// WARNING: This output format is intended for human consumers only
fn __gr_cell_1::{closure#0}(_1: {closure@c1.rs:7:5: 7:7}) -> Result<(), CellError> {
    let mut _0: std::result::Result<(), gpurepl_prelude::cell::CellError>;
    let _2: std::vec::Vec<i32>;
    scope 1 {
        debug v => _2;
        let _5: gpurepl_prelude::cell::Ty<std::collections::HashMap<&str, (i32, fn(u8) -> u8)>>;
        scope 3 {
            debug __gr_p_v => _5;
        }
    }
}

const __gr_cell_1::{closure#0}::promoted[0]: &i32 = {
    let mut _5: gpurepl_prelude::cell::Ty<wrong>;
}

fn __gr_cell_1::{closure#0}::{closure#0}(_1: &{closure@c1.rs:9:9: 9:12}, _2: (i32, u8), _3: &str) -> std::vec::Vec<i32> {
}

fn __gr_cell_1::{closure#0}::{closure#1}(_1: &mut {closure@c1.rs:10:9: 10:12}) -> () {
}
";

    #[test]
    fn types_are_read_from_functions_only() {
        let types = types(MIR);
        assert_eq!(types.len(), 1);
        assert_eq!(types["v"], "std::collections::HashMap<&'static str, (i32, fn(u8) -> u8)>");
    }

    #[test]
    fn never_is_written_by_its_name() {
        assert_eq!(without_never("fn(u8) -> !"), "fn(u8) -> !");
        let name = "std::thread::JoinHandle<gpurepl_prelude::cell::Never>";
        assert_eq!(without_never("std::thread::JoinHandle<!>"), name);
    }

    #[test]
    fn closures_have_signatures() {
        assert_eq!(
            closure_type(MIR, "{closure@c1.rs:9:9: 9:12}").as_deref(),
            Some("std::boxed::Box<dyn Fn((i32, u8), &str) -> std::vec::Vec<i32>>")
        );
        assert_eq!(
            closure_type(MIR, "{closure@c1.rs:10:9: 10:12}").as_deref(),
            Some("std::boxed::Box<dyn FnMut()>")
        );
        assert_eq!(closure_type(MIR, "{closure@c1.rs:1:1: 1:2}"), None);
    }
}
