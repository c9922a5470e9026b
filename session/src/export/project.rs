//! Cells as a cargo project that needs nothing of this program.

use std::fs;
use std::path::Path;

use super::write;
use crate::store;

/// Writes a project whose program is this text, and which needs these lines of
/// `[dependencies]` besides the prelude. The sources of the prelude lie
/// beside it, in a workspace of their own; the lock file is theirs, so that the
/// same versions are built.
pub(crate) fn project(
    folder: &Path,
    program: &str,
    dependencies: &[String],
    replaces: bool,
) -> Result<(), String> {
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
        ("Cargo.toml", manifest(&package_name(folder), dependencies)),
        ("Cargo.lock", store::lock_file().to_owned()),
        (".gitignore", "/target\n".to_owned()),
    ];
    for (name, text) in own {
        write(&folder.join(name), &text, true)?;
    }
    write(&folder.join("src").join("main.rs"), program, true)
}

fn manifest(name: &str, dependencies: &[String]) -> String {
    let dependencies: String = dependencies.iter().map(|line| format!("{line}\n")).collect();
    format!(
        "[package]\n\
         name = {name:?}\n\
         version = \"0.1.0\"\n\
         edition = \"2024\"\n\
         publish = false\n\
         \n\
         [dependencies]\n\
         gpurepl-prelude = {{ path = \"gpurepl/prelude\" }}\n\
         {dependencies}\n\
         [workspace]\n\
         exclude = [\"gpurepl\"]\n\
         \n\
         # What computes is optimised in any case.\n\
         [profile.dev.package.\"*\"]\n\
         opt-level = 3\n\
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
    let is_reserved = ["test", "core", "std", "alloc", "proc-macro", "gpurepl-prelude"].contains(&name);
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
    fn a_folder_of_something_else_is_never_written_into() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("mine.txt"), "mine").unwrap();
        for replaces in [false, true] {
            assert!(
                project(folder.path(), "fn main() {}", &[], replaces).unwrap_err().contains("there already")
            );
        }
        let work = folder.path().join("work");
        project(&work, "fn main() {}", &[], false).unwrap();
        assert!(work.join("gpurepl/prelude/wire/src/lib.rs").is_file());
        assert!(project(&work, "", &[], false).unwrap_err().contains("`-f` replaces it"));
        project(&work, "fn main() {} // 2", &["a = \"1\"".to_owned()], true).unwrap();
        assert!(fs::read_to_string(work.join("src/main.rs")).unwrap().ends_with("// 2"));
        let manifest = fs::read_to_string(work.join("Cargo.toml")).unwrap();
        assert!(manifest.contains("gpurepl/prelude\" }\na = \"1\"\n\n[workspace]"), "{manifest}");
    }
}
