//! What is left out of the corpus, and what fails in it, with the reasons.

/// Examples that no session can run: where the file's name begins so, words in
/// the example, and why.
const EXCLUDED: &[(&str, &str, &str)] = &[
    ("", "process::exit(", "ends the process that it runs in"),
    ("", "process::abort(", "ends the process that it runs in"),
    ("std/src/os/fortanix_sgx", "", "is about another platform"),
    ("std/src/os/hermit", "", "is about another platform"),
    ("std/src/os/solid", "", "is about another platform"),
    ("std/src/os/windows", "", "is about another platform"),
    ("std/src/sys/net/connection/sgx.rs", "", "is about another platform"),
    (
        "std/src/path.rs",
        "#[cfg(windows)]",
        "its `main` for this platform is empty and has no result to unwrap",
    ),
    ("core/src/primitive_docs.rs", "libc::", "needs a crate that the standard library has for itself"),
    // In a session what is defined stays so.
    ("core/src/result.rs", "trait Write {", "later examples would use this trait for the library's"),
    ("core/src/result.rs", "enum Result<T, E>", "later examples would use this type for the library's"),
    ("std/src/keyword_docs.rs", "trait Iterator {", "later examples would use this trait for the library's"),
    ("core/src/macros/mod.rs", "use std::io::{Write, Result};", "later examples would use this `Result`"),
    (
        "std/src/sync/once.rs",
        "static INIT: Once",
        "is about a new static; that of the example before lives on",
    ),
];

/// Examples that fail, found as those above, and why.
const FAILURES: &[(&str, &str, &str)] = &[];

/// Whether an example is left out.
pub(super) fn is_excluded(name: &str, source: &str) -> bool {
    is_among(EXCLUDED, name, source)
}

/// Whether an example is known to fail.
pub(super) fn is_failure(name: &str, source: &str) -> bool {
    is_among(FAILURES, name, source)
}

fn is_among(table: &[(&str, &str, &str)], name: &str, source: &str) -> bool {
    table.iter().any(|(file, words, _)| name.starts_with(file) && source.contains(words))
}
