//! The types of new variables, read from the names of the compiled cell's
//! functions.
//!
//! The compiler's text of a cell ([`super::mir`]) names every type, but takes
//! it 8 to 13 ms to write. The object file has the types already: a cell calls
//! `__gr::of::<3, _>(..)` for its variable number 3, and a symbol's name spells
//! out what the function was compiled for:
//!
//! ```text
//! gpurepl_prelude[57ad..]::cell::store::of::<3usize, alloc[fdfd..]::vec::Vec<i32>>
//! ```
//!
//! (Symbol names of version 0, RFC 2603.) There types have the paths of their
//! definitions, which a program may not be able to write. So each path has to
//! be known: those of the standard library and the prelude are learned from
//! types that both sources name, once for a store and whenever a new one turns
//! up; those of a session's items are their names. Anything else, and what has
//! no name such as a closure, is left to the compiler's text.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use object::{Object as _, ObjectSymbol as _};
use syn::visit::Visit;

use super::{lifetimes, primitives, versions};
use crate::store::Prelude;

/// Where definitions can be reached: by the path that the definition has in
/// symbols, the path that a program writes.
#[derive(Clone, Debug, Default)]
pub(super) struct TypePaths {
    paths: HashMap<String, String>,
}

/// The note of a prelude that keeps what was learned.
const NOTE: &str = "type-paths";

impl TypePaths {
    /// What has been learned with a compiled prelude.
    pub(super) fn of(prelude: &Prelude) -> TypePaths {
        let line = |line: &str| line.split_once(' ').map(|(from, to)| (from.to_owned(), to.to_owned()));
        TypePaths { paths: prelude.read_note(NOTE).lines().filter_map(line).collect() }
    }

    /// Learns from variables whose types are named by both sources. What a
    /// compiled prelude can keep for other sessions, it does.
    pub(super) fn learn(
        &mut self,
        symbols: &BTreeMap<String, String>,
        texts: &BTreeMap<String, String>,
        prelude: &Prelude,
    ) {
        let before = self.paths.len();
        for (name, symbol) in symbols {
            let Some(text) = texts.get(name) else { continue };
            if is_nameless(symbol) || is_nameless(text) {
                continue;
            }
            let (Some(from), Some(to)) = (paths(&plain(symbol)), paths(text)) else { continue };
            let hashes = hashed_paths(symbol);
            if from.len() != to.len() || hashes.len() != from.len() {
                continue;
            }
            // A program's own types may be redefined under another path.
            let is_lasting = |path: &str| path.starts_with("std::") || path.starts_with("gpurepl_prelude::");
            let pairs = hashes.into_iter().zip(to).filter(|(_, to)| is_lasting(to));
            self.paths.extend(pairs);
        }
        if self.paths.len() > before {
            let mut lines: Vec<String> =
                self.paths.iter().map(|(from, to)| format!("{from} {to}\n")).collect();
            lines.sort();
            prelude.write_note(NOTE, &lines.concat());
        }
    }

    /// A type as a program writes it, if all of its paths are known;
    /// `is_item` says whether a name is a type of the session's.
    fn written(&self, symbol: &str, is_item: &dyn Fn(&str) -> bool) -> Option<String> {
        if is_nameless(symbol) {
            return None;
        }
        let plain = plain(symbol);
        let (parsed, hashes) = (syn::parse_str::<syn::Type>(&plain).ok()?, hashed_paths(symbol));
        let mut found = Paths::default();
        found.visit_type(&parsed);
        if found.is_qualified || found.paths.len() != hashes.len() {
            return None;
        }
        let mut text = plain.clone();
        // From the last to the first, so that places stay right.
        for ((range, path), hashed) in found.paths.iter().zip(hashes).rev() {
            let known = match path.strip_prefix("ctx::") {
                Some(name) => is_item(name).then(|| primitives::path_of_item(name))?,
                None if !path.contains("::") => path.clone(),
                None => self.paths.get(&hashed)?.clone(),
            };
            // The text between is generic arguments, which have ranges of
            // their own: only the segments' names are replaced.
            text.replace_range(range.clone(), &known);
        }
        Some(lifetimes::written_out(&text))
    }
}

/// Whether a type holds what cannot be written as symbols spell it: closures,
/// trait objects, functions. A symbol leaves free lifetimes out, which a
/// program may do in most types; in those of functions it would mean any
/// lifetime.
fn is_nameless(symbol: &str) -> bool {
    let is_word =
        |word: &str| symbol.split(|c: char| !c.is_alphanumeric() && c != '_').any(|own| own == word);
    symbol.contains(['{', '\'', '!', '"']) || ["dyn", "fn", "impl", "as"].iter().any(|w| is_word(w))
}

/// A symbol's text without the hashes of crates.
fn plain(symbol: &str) -> String {
    let mut text = String::with_capacity(symbol.len());
    let mut rest = symbol;
    while let Some((open, length)) = hash(rest) {
        text.push_str(&rest[..open]);
        rest = &rest[open + length..];
    }
    text.push_str(rest);
    text
}

/// The place and length of the first crate's hash, `[0123456789abcdef]`.
fn hash(text: &str) -> Option<(usize, usize)> {
    text.match_indices('[').find_map(|(open, _)| {
        let digits = text[open + 1..].find(']')?;
        let inner = &text[open + 1..open + 1 + digits];
        let is_hash = (8..=16).contains(&inner.len())
            && inner.bytes().all(|byte| byte.is_ascii_hexdigit())
            && text[..open].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        is_hash.then_some((open, digits + 2))
    })
}

/// The paths of a symbol with their crates' hashes, those of primitive types
/// as well, in the order of the text.
fn hashed_paths(symbol: &str) -> Vec<String> {
    // A hash is made part of the crate's name, so that syn reads a path.
    let mut text = String::with_capacity(symbol.len());
    let mut rest = symbol;
    while let Some((open, length)) = hash(rest) {
        text.push_str(&rest[..open]);
        text.push_str("__");
        text.push_str(&rest[open + 1..open + length - 1]);
        rest = &rest[open + length..];
    }
    text.push_str(rest);
    paths(&text).unwrap_or_default()
}

/// The paths in a type, without their generic arguments.
fn paths(of: &str) -> Option<Vec<String>> {
    let parsed = syn::parse_str::<syn::Type>(of).ok()?;
    let mut found = Paths::default();
    found.visit_type(&parsed);
    Some(found.paths.into_iter().map(|(_, path)| path).collect())
}

/// Collects paths and where their names stand, without generic arguments.
#[derive(Default)]
struct Paths {
    paths: Vec<(std::ops::Range<usize>, String)>,
    /// Whether one of them is `<T>::name`, which is no type's.
    is_qualified: bool,
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_type_path(&mut self, path: &'ast syn::TypePath) {
        self.is_qualified |= path.qself.is_some();
        let segments: Vec<String> = path.path.segments.iter().map(|own| own.ident.to_string()).collect();
        let spans = path.path.segments.iter().map(|own| own.ident.span().byte_range());
        let range = spans.reduce(|all, own| all.start..own.end).unwrap_or_default();
        self.paths.push((range, segments.join("::")));
        syn::visit::visit_type_path(self, path);
    }
}

/// The types of variables as the symbols of an object file spell them, by
/// the variables' numbers.
fn spelled(object: &[u8]) -> HashMap<usize, String> {
    let Ok(file) = object::File::parse(object) else { return HashMap::new() };
    let read = |name: &str| {
        // The constructor of a tuple struct reads as the struct does, but for
        // its namespace in the encoded name.
        if name.split_once("5store2ofKj").is_none_or(|(_, of)| of.contains("Nc")) {
            return None;
        }
        let text = rustc_demangle::try_demangle(name).ok()?.to_string();
        let (path, arguments) = text.split_once("::of::<")?;
        if !path.starts_with("gpurepl_prelude[") || !path.ends_with("::cell::store") {
            return None;
        }
        let arguments = versions::as_written(arguments);
        let (number, of) = arguments.strip_suffix('>')?.split_once(", ")?;
        let number = number.trim_end_matches("usize").parse().ok()?;
        Some((number, of.to_owned()))
    };
    // Most symbols are of other functions: looked at before they are taken apart.
    let names = file.symbols().filter_map(|symbol| symbol.name().ok());
    names.filter(|name| name.starts_with("_R") && name.contains("5store2ofKj")).filter_map(read).collect()
}

/// The types of variables as an object file spells them.
pub(super) fn symbols(object: &Path, variables: &[&str]) -> BTreeMap<String, String> {
    let Ok(bytes) = std::fs::read(object) else { return BTreeMap::new() };
    let mut types = spelled(&bytes);
    let named = |(number, name): (usize, &&str)| Some(((*name).to_owned(), types.remove(&number)?));
    variables.iter().enumerate().filter_map(named).collect()
}

/// The types of all variables as a program writes them; none if one of them
/// is not known.
pub(super) fn types(
    symbols: &BTreeMap<String, String>,
    variables: &[&str],
    paths: &TypePaths,
    is_item: &dyn Fn(&str) -> bool,
) -> Option<BTreeMap<String, String>> {
    let known = known_types(symbols, paths, is_item);
    variables.iter().all(|name| known.contains_key(*name)).then_some(known)
}

/// The types of those variables whose types are known.
pub(super) fn known_types(
    symbols: &BTreeMap<String, String>,
    paths: &TypePaths,
    is_item: &dyn Fn(&str) -> bool,
) -> BTreeMap<String, String> {
    let written = |(name, symbol): (&String, &String)| Some((name.clone(), paths.written(symbol, is_item)?));
    symbols.iter().filter_map(written).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const VECTOR: &str = "alloc[fdfd2bd8633a6659]::vec::Vec<(i32, ctx[74f07909a2ebdbbf]::P)>";

    fn learned() -> TypePaths {
        let paths = HashMap::from([
            ("alloc__fdfd2bd8633a6659::vec::Vec".to_owned(), "std::vec::Vec".to_owned()),
            ("core__0123456789abcdef::option::Option".to_owned(), "std::option::Option".to_owned()),
        ]);
        TypePaths { paths }
    }

    #[test]
    fn known_paths_are_written_as_a_program_does() {
        let is_item = |name: &str| name == "P";
        let written = |symbol: &str| learned().written(symbol, &is_item);
        assert_eq!(written(VECTOR).as_deref(), Some("std::vec::Vec<(i32, P)>"));
        assert_eq!(
            written("core[0123456789abcdef]::option::Option<&str>").as_deref(),
            Some("std::option::Option<&'static str>")
        );
        assert_eq!(written("[f32; 3]").as_deref(), Some("[f32; 3]"));
    }

    #[test]
    fn what_is_not_known_is_left_to_the_compiler() {
        for symbol in [
            "ctx[74f07909a2ebdbbf]::f",
            "ctx[74f07909a2ebdbbf]::m::P",
            "ctx[74f07909a2ebdbbf]::__gr_cell_1::{closure#0}",
            "alloc[0000000000000000]::vec::Vec<i32>",
            "dyn core[0123456789abcdef]::fmt::Debug",
            "fn(&str)",
            "<i32 as core[0123456789abcdef]::ops::Add>::Output",
            "<i32>::abs",
        ] {
            assert_eq!(learned().written(symbol, &|name| name == "P"), None, "{symbol}");
        }
    }

    #[test]
    fn hashes_are_told_from_array_lengths() {
        assert_eq!(plain("[a[0123456789abcdef]::B; 12345678]"), "[a::B; 12345678]");
        assert_eq!(hashed_paths("[a[0123456789abcdef]::B; 2]"), ["a__0123456789abcdef::B"]);
    }
}
