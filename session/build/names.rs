//! The lists of names that completion, hints and fingerprints ask, taken from
//! the table of the prelude.

use std::fmt::Write as _;

use crate::table::Entry;

/// What nobody types: what indices, ranges and displays are made of.
const LEFT_OUT: &[&str] =
    &["By", "HostDot", "ShowDebug", "ShowKept", "ShowName", "ShowRender", "Shown", "SliceItem", "Slices"];

/// The lists as Rust.
///
/// # Panics
///
/// If a name that is left out is not in the table any more.
pub fn write(table: &[Entry]) -> String {
    let at_top = || table.iter().filter(|entry| entry.owner.is_empty());
    for name in LEFT_OUT {
        assert!(at_top().any(|entry| entry.name == *name), "the prelude has no {name} to leave out");
    }
    let names = at_top().filter(|entry| entry.kind != "Macro" && !LEFT_OUT.contains(&entry.name.as_str()));
    let macros = at_top().filter(|entry| entry.kind == "Macro");
    let methods = table.iter().filter(|entry| entry.owner == "GpuArray" && entry.kind == "Method");
    let mut text = String::new();
    list(&mut text, "PRELUDE", "Functions, types and modules of the prelude.", names.map(name));
    list(&mut text, "MACROS", "Macros of the prelude.", macros.map(|entry| format!("{}!", entry.name)));
    list(&mut text, "ARRAY_METHODS", "Methods of arrays.", methods.map(name));
    text
}

fn name(entry: &Entry) -> String {
    entry.name.clone()
}

fn list(text: &mut String, constant: &str, doc: &str, names: impl Iterator<Item = String>) {
    let mut names: Vec<String> = names.collect();
    names.sort();
    names.dedup();
    writeln!(text, "/// {doc}\npub const {constant}: &[&str] = &{names:?};").expect("to a string");
}
