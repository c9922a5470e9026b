//! What cells see of the prelude: generated from its sources when this crate
//! is built, so that it says what they say.

use super::CandidateKind as Kind;

include!(concat!(env!("OUT_DIR"), "/prelude_table.rs"));

/// One thing that a cell can name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    pub(super) name: &'static str,
    /// The type, trait or module that it belongs to; empty at the top.
    pub(super) owner: &'static str,
    pub(super) signature: &'static str,
    /// Its documentation, in Markdown.
    pub(super) doc: &'static str,
    file: &'static str,
    /// Its first and last line, from one; zeros if a macro wrote it.
    lines: (usize, usize),
}

impl Entry {
    /// Its text, where it stands in the sources as it is.
    pub(super) fn source(&self) -> Option<String> {
        let (first, last) = self.lines;
        if first == 0 {
            return None;
        }
        let text = crate::store::source(self.file)?;
        let lines: Vec<&str> = text.lines().skip(first - 1).take(last + 1 - first).collect();
        Some(lines.join("\n"))
    }
}

/// What cells can name without a path.
pub(super) fn top() -> impl Iterator<Item = &'static Entry> {
    PRELUDE.iter().filter(|entry| entry.owner.is_empty())
}

/// What belongs to a type, a trait or a module.
pub(super) fn members(owner: &str) -> impl Iterator<Item = &'static Entry> {
    PRELUDE.iter().filter(move |entry| !owner.is_empty() && entry.owner == owner)
}

/// The things of a name: at the top, or of an owner.
pub(super) fn named(owner: &str, name: &str) -> impl Iterator<Item = &'static Entry> {
    PRELUDE.iter().filter(move |entry| entry.owner == owner && entry.name == name)
}

/// The things of a name, whatever they belong to.
pub(super) fn anywhere(name: &str) -> impl Iterator<Item = &'static Entry> {
    PRELUDE.iter().filter(move |entry| entry.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names;

    #[test]
    fn all_that_the_prelude_exports_is_in_the_table() {
        for name in names::PRELUDE {
            assert!(top().any(|entry| entry.name == *name), "{name}");
        }
        for name in names::MACROS {
            let name = name.trim_end_matches('!');
            assert!(top().any(|entry| entry.name == name && entry.kind == Kind::Macro), "{name}");
        }
    }

    #[test]
    fn methods_that_macros_write_are_in_the_table() {
        for name in names::ARRAY_METHODS {
            assert!(members("GpuArray").any(|entry| entry.name == *name), "{name}");
        }
    }

    #[test]
    fn entries_have_signatures_documentation_and_text() {
        let zeros = named("", "zeros").next().unwrap();
        assert!(zeros.signature.starts_with("pub fn zeros<T: Elem>("), "{}", zeros.signature);
        assert!(zeros.signature.contains("-> GpuArray<T>"), "{}", zeros.signature);
        assert!(zeros.source().unwrap().contains("pub fn zeros"));
        let sin = named("GpuArray", "sin").next().unwrap();
        assert_eq!(sin.signature, "pub fn sin(&self) -> GpuArray<T::Floating>");
        assert_eq!(sin.doc, "The sine of each element, in radians.");
        assert!(named("cumath", "sin").next().is_some());
        assert!(named("SourceModule", "get_function").next().is_some());
        for (module, name) in
            [("linalg", "solve"), ("fft", "rfft"), ("sparse", "cg"), ("distributed", "all_reduce")]
        {
            let entry = named(module, name).next().unwrap_or_else(|| panic!("{module}::{name}"));
            assert!(!entry.doc.is_empty() && entry.signature.starts_with("pub fn"), "{module}::{name}");
        }
        assert!(named("", "linalg").next().is_some());
        assert!(named("Order", "C").next().is_some() || members("Order").next().is_some());
        let without: Vec<_> = top().filter(|entry| entry.doc.is_empty()).map(|entry| entry.name).collect();
        assert!(without.is_empty(), "{without:?}");
    }
}
