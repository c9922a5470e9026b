//! Cells as a cargo project that needs nothing of this program.

use std::fs;
use std::path::Path;

use super::{plugins, write};
use crate::store;
use crate::store::plugin::Plugin;

/// What a project is made of.
#[derive(Debug, Default)]
pub(crate) struct Program {
    /// The cells; with plugins the text of a library whose `main` is public.
    pub(crate) text: String,
    /// Lines of `[dependencies]` that it needs besides the prelude.
    pub(crate) dependencies: Vec<String>,
    /// What it links.
    pub(crate) plugins: Vec<Plugin>,
}

/// Writes a project. The sources of the prelude lie beside it, in a workspace
/// of their own; the lock file is theirs, so that the same versions are built.
pub(crate) fn project(folder: &Path, program: &Program, replaces: bool) -> Result<(), String> {
    let failed = |what: &Path, error: std::io::Error| format!("writing {}: {error}", what.display());
    let is_taken = fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    // A folder of something else's is never written into.
    let is_ours = folder.join("gpurepl").join("prelude").is_dir();
    if is_taken && !(replaces && is_ours) {
        let how = if is_ours { "`-f` replaces it" } else { "name a folder that is empty or not there" };
        return Err(format!("{} is there already; {how}", folder.display()));
    }
    let make = |path: &Path| fs::create_dir_all(path).map_err(|error| failed(path, error));
    make(&folder.join("src"))?;
    for (name, text) in store::packed_workspace() {
        let path = folder.join("gpurepl").join(name);
        if let Some(parent) = path.parent() {
            make(parent)?;
        }
        fs::write(&path, text.as_bytes()).map_err(|error| failed(&path, error))?;
    }
    let own = [
        ("Cargo.toml", manifest(&package_name(folder), program)),
        ("Cargo.lock", store::lock_file().to_owned()),
        (".gitignore", "/target\n".to_owned()),
    ];
    for (name, text) in own {
        write(&folder.join(name), &text, true)?;
    }
    let [main, cells] = ["main.rs", CELLS].map(|name| folder.join("src").join(name));
    if program.plugins.is_empty() {
        // That of a program which this one replaces.
        if cells.exists() {
            fs::remove_file(&cells).map_err(|error| failed(&cells, error))?;
        }
        return write(&main, &program.text, true);
    }
    write(&cells, &program.text, true)?;
    write(&main, &plugins::main(&program.plugins), true)
}

/// The file of the cells where `main.rs` is needed for plugins.
const CELLS: &str = "cells.rs";

fn manifest(name: &str, program: &Program) -> String {
    let dependencies: String = program.dependencies.iter().map(|line| format!("{line}\n")).collect();
    let (mut library, mut plugins) = (String::new(), String::new());
    if !program.plugins.is_empty() {
        library = format!("[lib]\nname = \"saved_cells\"\npath = \"src/{CELLS}\"\ndoctest = false\n\n");
        plugins.push_str("# Plugins that the cells call: `src/main.rs` hands them over.\n");
    }
    for Plugin { package, folder, .. } in &program.plugins {
        plugins.push_str(&format!("{package} = {{ path = \"gpurepl/{folder}\" }}\n"));
    }
    format!(
        "[package]\n\
         name = {name:?}\n\
         version = \"0.1.0\"\n\
         edition = \"2024\"\n\
         publish = false\n\
         \n\
         {library}[dependencies]\n\
         gpurepl-prelude = {{ path = \"gpurepl/prelude\" }}\n\
         {plugins}{dependencies}\n\
         [workspace]\n\
         exclude = [\"gpurepl\"]\n\
         \n\
         # What computes is built as for a session in any case.\n\
         [profile.dev.package.\"*\"]\n\
         codegen-units = 16\n\
         debug-assertions = false\n\
         opt-level = 3\n\
         overflow-checks = false\n\
         [profile.dev.package.gpurepl-native]\n\
         codegen-units = 1\n\
         opt-level = 3\n\
         [profile.release.package.gpurepl-native]\n\
         codegen-units = 1\n"
    )
}

/// A name for a package after its folder.
fn package_name(folder: &Path) -> String {
    let folder = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name: String = folder
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
        .collect();
    let name = name.trim_matches('-');
    let is_reserved = ["test", "core", "std", "alloc", "proc-macro"].contains(&name);
    // Those of the prelude and of plugins.
    let is_reserved = is_reserved || name.starts_with("gpurepl-");
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) && !is_reserved {
        name.to_owned()
    } else {
        format!("cells-{name}").trim_end_matches('-').to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_have_names_that_cargo_takes() {
        let names =
            ["/a/My Work", "2024", "work/", "test", "/", "ü"].map(|path| package_name(Path::new(path)));
        assert_eq!(names, ["my-work", "cells-2024", "work", "cells-test", "cells", "cells"]);
    }

    #[test]
    fn no_package_has_the_name_of_one_of_the_preludes() {
        assert_eq!(package_name(Path::new("gpurepl-fft-host")), "cells-gpurepl-fft-host");
    }

    fn program(text: &str) -> Program {
        Program { text: text.to_owned(), ..Program::default() }
    }

    #[test]
    fn a_folder_of_something_else_is_never_written_into() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("mine.txt"), "mine").unwrap();
        for replaces in [false, true] {
            let written = project(folder.path(), &program("fn main() {}"), replaces);
            assert!(written.unwrap_err().contains("there already"));
        }
        let work = folder.path().join("work");
        project(&work, &program("fn main() {}"), false).unwrap();
        assert!(work.join("gpurepl/prelude/wire/src/lib.rs").is_file());
        assert!(project(&work, &program(""), false).unwrap_err().contains("`-f` replaces it"));
        let changed = Program { dependencies: vec!["a = \"1\"".to_owned()], ..program("fn main() {} // 2") };
        project(&work, &changed, true).unwrap();
        assert!(fs::read_to_string(work.join("src/main.rs")).unwrap().ends_with("// 2"));
        let manifest = fs::read_to_string(work.join("Cargo.toml")).unwrap();
        assert!(manifest.contains("gpurepl/prelude\" }\na = \"1\"\n\n[workspace]"), "{manifest}");
    }

    #[test]
    fn plugins_make_the_cells_a_library_until_there_are_none() {
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path().join("work");
        let read = |name: &str| fs::read_to_string(work.join(name)).unwrap();
        let cells = "fft::fft(&a)?; linalg::inv(&b)?;";
        let plugins = plugins::named_in([cells].into_iter());
        project(&work, &Program { plugins, ..program("pub fn main() {}") }, false).unwrap();
        let manifest: toml::Table = read("Cargo.toml").parse().unwrap();
        assert_eq!(manifest["lib"]["path"].as_str(), Some("src/cells.rs"));
        for name in ["fft", "linalg"] {
            let path = manifest["dependencies"][format!("gpurepl-{name}-host")]["path"].as_str().unwrap();
            assert!(work.join(path).join("Cargo.toml").is_file(), "{path}");
            let line = format!("provide(\"{name}\", gpurepl_{name}_host::gpurepl_plugin)?;");
            assert!(read("src/main.rs").contains(&line), "{}", read("src/main.rs"));
        }
        assert_eq!(read("src/cells.rs"), "pub fn main() {}");
        project(&work, &program("fn main() {}"), true).unwrap();
        assert_eq!(read("src/main.rs"), "fn main() {}");
        assert!(!work.join("src/cells.rs").exists() && !read("Cargo.toml").contains("[lib]"));
    }
}
