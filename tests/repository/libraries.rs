//! Libraries over the arrays go through one crate.

use std::fs;
use std::path::PathBuf;

/// The crates of this repository that a library may use.
/// A plugin has no arrays: it uses the C interface. What has files of NumPy's uses the library for these, and what
/// spreads transforms and sparse matrices over ranks those for these, and shows its arrays as the prelude does.
const ALLOWED: [&str; 6] =
    ["gpurepl-display", "gpurepl-extend", "gpurepl-fft", "gpurepl-npy", "gpurepl-plugin", "gpurepl-sparse"];

#[test]
fn libraries_use_the_crate_for_them_alone() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../libraries");
    let mut seen = 0;
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let Ok(text) = fs::read_to_string(entry.path().join("Cargo.toml")) else { continue };
        seen += 1;
        for dependency in dependencies(&text) {
            let is_own = dependency.starts_with("gpurepl-");
            let name = entry.file_name();
            assert!(!is_own || ALLOWED.contains(&dependency), "{name:?} uses {dependency}");
        }
    }
    assert!(seen > 0);
}

#[test]
fn dependencies_are_found_in_every_form() {
    let text = "[package]\nname = \"gpurepl-x\"\n[dependencies]\na.workspace = true\nb = \"1\"\n\n\
                [dependencies.c]\npath = \"d\"\n[target.'cfg(unix)'.dependencies]\ne = { path = \"f\" }\n\
                [dev-dependencies]\ng = \"1\"\n";
    assert_eq!(dependencies(text), ["a", "b", "c", "e"]);
}

/// The names of a manifest's dependencies, without those of its tests.
fn dependencies(manifest: &str) -> Vec<&str> {
    let (mut names, mut is_in_table) = (Vec::new(), false);
    for line in manifest.lines().map(str::trim) {
        if let Some(table) = line.strip_prefix('[') {
            let table = table.trim_end_matches(']');
            is_in_table = table == "dependencies" || table.ends_with(".dependencies");
            names.extend(table.strip_prefix("dependencies."));
        } else if is_in_table && let Some((name, _)) = line.split_once('=') {
            names.push(name.trim().split('.').next().unwrap_or(name));
        }
    }
    names
}
