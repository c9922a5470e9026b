//! Packs the sources of the prelude into the binary, so that an installed
//! `gpurepl` can build it for the toolchain that it finds, and a table of what
//! cells see of it, for completion and documentation.

#[path = "build/expand.rs"]
mod expand;
#[path = "build/names.rs"]
mod names;
#[path = "src/analysis/signature.rs"]
mod signature;
#[path = "build/table.rs"]
mod table;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("..");
    let root = root.canonicalize().expect("the workspace is there");
    let mut files = Vec::new();
    for folder in ["kernels", "libraries", "prelude"] {
        collect(&root.join(folder), &mut files);
    }
    files.push(root.join("Cargo.lock"));
    files.push(root.join("Cargo.toml"));
    files.sort();
    let mut text = String::from(
        "/// Every file of the prelude, by its path in the workspace.\npub(super) static SOURCES: &[(&str, &str)] = &[\n",
    );
    for file in files {
        let name = file.strip_prefix(&root).expect("it lies below").to_string_lossy().replace('\\', "/");
        writeln!(text, "    ({name:?}, include_str!({:?})),", file.display().to_string())
            .expect("to a string");
        println!("cargo::rerun-if-changed={}", file.display());
    }
    text.push_str("];\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("sources.rs"), text).expect("the output folder can be written");
    let table = table::read(&root);
    fs::write(out.join("names.rs"), names::write(&table)).expect("the output folder can be written");
    fs::write(out.join("prelude_table.rs"), write_table(table)).expect("the output folder can be written");
}

/// The table of the prelude as Rust.
fn write_table(table: Vec<table::Entry>) -> String {
    let mut text = String::from("pub(super) static PRELUDE: &[Entry] = &[\n");
    for entry in table {
        let table::Entry { kind, name, owner, signature, doc, file, lines, .. } = entry;
        writeln!(
            text,
            "    Entry {{ kind: Kind::{kind}, name: {name:?}, owner: {owner:?}, signature: {signature:?}, \
             doc: {doc:?}, file: {file:?}, lines: {lines:?} }},"
        )
        .expect("to a string");
    }
    text.push_str("];\n");
    text
}

/// Sources and manifests below a folder; tests and what is for readers are not needed.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder).expect("the folder can be read").flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if path.is_dir() && name != "tests" && name != "target" && name != "benches" {
            collect(&path, files);
        } else if path.is_file() && name != "README.md" {
            files.push(path);
        }
    }
}
