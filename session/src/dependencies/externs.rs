//! What the compiler of a cell is told about dependencies, and how types of
//! theirs are written.

use super::Dependencies;
use crate::store::set::PREFIX;

/// What is added to a compiler run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Externs {
    pub(crate) arguments: Vec<String>,
    /// Lines to put after the text.
    pub(crate) tail: String,
}

impl Dependencies {
    /// What a text needs. One that mentions no dependency gets nothing: each
    /// crate that is named costs milliseconds.
    pub(crate) fn externs(&self, text: &str) -> Externs {
        let mut externs = Externs::default();
        let named: Vec<_> = self.roots.iter().filter(|(name, _)| has_word(text, name)).collect();
        let needs_sets =
            text.contains(PREFIX) || named.iter().any(|(_, root)| root.through.starts_with(PREFIX));
        if needs_sets && let Some(last) = self.sets.last() {
            for set in &self.sets {
                externs.add(&set.record.crate_name, &set.library().display().to_string());
                // Its own folder as well: a set on top of it looks there.
                for folder in [&set.folder, &set.interfaces()] {
                    externs.arguments.push("-L".to_owned());
                    externs.arguments.push(format!("dependency={}", folder.display()));
                }
            }
            // Loaded even if no path leads through it: it holds the code.
            externs.tail = format!("use {} as _;\n", last.record.crate_name);
        }
        for (name, root) in named {
            match &root.own_name {
                None => externs.add(name, &root.file.display().to_string()),
                Some(own) => externs.tail.push_str(&format!("use {}::{own} as {name};\n", root.through)),
            }
        }
        externs
    }

    /// A type's text with paths that do not change their meaning: a name may
    /// mean another version of its crate later.
    pub(crate) fn qualified(&self, of: &str) -> String {
        if self.roots.is_empty() {
            return of.to_owned();
        }
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let mut text = String::with_capacity(of.len());
        let mut rest = of;
        while let Some(start) = rest.find(is_part) {
            let (before, from) = rest.split_at(start);
            text.push_str(before);
            let end = from.find(|c| !is_part(c)).unwrap_or(from.len());
            let (word, after) = from.split_at(end);
            let is_first = !text.ends_with("::") && !text.ends_with('\'') && after.starts_with("::");
            if is_first && let Some(root) = self.roots.get(word).filter(|root| root.own_name.is_none()) {
                text.push_str(&root.through);
                text.push_str("::");
            }
            text.push_str(word);
            rest = after;
        }
        text + rest
    }
}

impl Externs {
    fn add(&mut self, name: &str, file: &str) {
        self.arguments.push("--extern".to_owned());
        self.arguments.push(format!("{name}={file}"));
    }
}

/// A text as the user would write it, without the crates that hold sets.
pub(crate) fn shown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(PREFIX) {
        shown.push_str(&rest[..at]);
        let after = &rest[at + PREFIX.len()..];
        let end = after.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(after.len());
        rest = after[end..].strip_prefix("::").unwrap_or(&after[end..]);
    }
    shown + rest
}

/// Whether a name stands in a text, as a whole word.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_whole = |(at, _): (usize, &str)| {
        !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
    };
    text.match_indices(word).any(is_whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dependencies::Root;

    fn dependencies() -> Dependencies {
        let mut dependencies = Dependencies::default();
        for (name, through) in [("regex", "gpurepl_deps_1f"), ("ndarray", "gpurepl_prelude::crates")] {
            let root = Root {
                through: through.to_owned(),
                file: format!("/s/lib{name}.rmeta").into(),
                version: "1.0.0".to_owned(),
                own_name: None,
            };
            dependencies.roots.insert(name.to_owned(), root);
        }
        dependencies
    }

    #[test]
    fn types_are_written_by_what_passes_them_on() {
        for (of, text) in [
            ("regex::Regex", "gpurepl_deps_1f::regex::Regex"),
            ("std::vec::Vec<regex::Match<'regex>>", "std::vec::Vec<gpurepl_deps_1f::regex::Match<'regex>>"),
            ("m::regex::Own", "m::regex::Own"),
            ("&'static regex::Regex", "&'static gpurepl_deps_1f::regex::Regex"),
            ("(ndarray::Ix1, regex)", "(gpurepl_prelude::crates::ndarray::Ix1, regex)"),
            ("regexes::Regex", "regexes::Regex"),
            ("é::regex::X", "é::regex::X"),
        ] {
            assert_eq!(dependencies().qualified(of), text);
        }
    }

    #[test]
    fn only_what_is_mentioned_is_named() {
        let dependencies = dependencies();
        assert_eq!(dependencies.externs("let a = regexes + my_regex;"), Externs::default());
        let arguments = dependencies.externs("regex::Regex::new(..)").arguments;
        assert_eq!(arguments, ["--extern", "regex=/s/libregex.rmeta"]);
    }

    #[test]
    fn sets_are_not_shown() {
        assert_eq!(shown("Vec<gpurepl_deps_01fc::regex::Regex>"), "Vec<regex::Regex>");
        assert_eq!(shown("nothing"), "nothing");
        assert_eq!(shown("crate `gpurepl_deps_01fc`"), "crate ``");
    }
}
