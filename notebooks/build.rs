//! Packs the chapters, without their outputs, and the pages of the documentation.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let own = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    let docs = own.join("../docs");
    println!("cargo::rerun-if-changed={}", own.display());
    println!("cargo::rerun-if-changed={}", docs.display());

    let mut chapters = String::from("pub(crate) const CHAPTERS: &[(&str, &str)] = &[\n");
    for path in files(&own, "ipynb") {
        let name = path.file_stem().and_then(|name| name.to_str()).expect("names are plain").to_owned();
        // The course is numbered; what is not is no part of it.
        if !name.starts_with(|first: char| first.is_ascii_digit()) {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a chapter is read");
        let mut notebook: serde_json::Value = serde_json::from_str(&text).expect("a chapter is JSON");
        for cell in notebook["cells"].as_array_mut().into_iter().flatten() {
            if cell["cell_type"] == "code" {
                cell["outputs"] = serde_json::json!([]);
                cell["execution_count"] = serde_json::Value::Null;
            }
        }
        // How controls stood belongs to outputs.
        if let Some(metadata) = notebook["metadata"].as_object_mut() {
            metadata.remove("widgets");
        }
        let packed = serde_json::to_string_pretty(&notebook).expect("JSON is written");
        let place = out.join(format!("{name}.ipynb"));
        fs::write(&place, packed + "\n").expect("a chapter is packed");
        writeln!(chapters, "    ({name:?}, include_str!({:?})),", place.display().to_string())
            .expect("it is a string");
    }
    chapters += "];\npub(crate) const PAGES: &[(&str, &str)] = &[\n";
    for path in files(&docs, "md") {
        let name = path.file_name().and_then(|name| name.to_str()).expect("names are plain").to_owned();
        let path = path.canonicalize().expect("a page is there").display().to_string();
        if name != "SUMMARY.md" {
            writeln!(chapters, "    ({name:?}, include_str!({path:?})),").expect("it is a string");
        }
    }
    chapters += "];\n";
    fs::write(out.join("packed.rs"), chapters).expect("the table is written");
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|own| own == extension)).collect();
    files.sort();
    files
}
