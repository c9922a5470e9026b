//! Building the prelude with cargo.

use std::fs;
use std::path::{Path, PathBuf};

use super::cargo::{
    Artifact, Cargo, CargoError, OWN_PROFILE, PROFILE, Step, is_about_the_network, last_lines,
};
use super::crates::{self, Crate};
use super::{SOURCES, StoreError, io, make_folder};
use crate::output::{Progress, Sink};
use crate::toolchain::Toolchain;

/// What cargo has built.
pub(super) struct Built {
    library: PathBuf,
    /// The metadata of all crates behind it, and the macros among them.
    dependencies: Vec<PathBuf>,
    /// The same crates by name.
    crates: Vec<Crate>,
}

/// Builds the prelude in a workspace of its own.
pub(super) fn build(
    toolchain: &Toolchain,
    workspace: &Path,
    sink: &mut dyn Sink,
) -> Result<Built, StoreError> {
    write_workspace(workspace)?;
    let cargo = Cargo {
        toolchain,
        folder: workspace,
        root: workspace,
        interrupter: None,
        is_offline: false,
        is_plugin: false,
    };
    let total = crate_count("gpurepl-prelude");
    let mut progress =
        Progress { title: "building the prelude (once)".to_owned(), done: 0, total, item: String::new() };
    sink.progress(&progress);
    let arguments = ["build", "--package", "gpurepl-prelude", "--package", "gpurepl_seed", "--lib"];
    let arguments = arguments.into_iter().chain(BUILD_ARGUMENTS).map(str::to_owned).collect::<Vec<_>>();
    let built = cargo.build(&arguments, &mut |step| {
        match step {
            Step::Downloaded(name) => progress.item = format!("downloaded {name}"),
            Step::Built(artifact) => {
                // A crate's build script is not a crate of its own; and the last
                // step is over when cargo is.
                if artifact.target.name != "build-script-build" {
                    progress.done = (progress.done + 1).min(total - 1);
                }
                progress.item = artifact.target.name.clone();
            }
        }
        sink.progress(&progress);
    });
    sink.progress(&Progress { done: total, ..progress });
    let artifacts = built.map_err(|error| match error {
        CargoError::NotRun(error) => StoreError::NoCargo { error },
        CargoError::Interrupted => StoreError::Build { log: "interrupted".to_owned() },
        CargoError::Failed(log) if is_about_a_download(&log) => StoreError::Offline { log: last_lines(&log) },
        CargoError::Failed(log) => StoreError::Build { log: last_lines(&log) },
    })?;
    let is_prelude = |artifact: &&Artifact| artifact.target.name == "gpurepl_prelude";
    let library = artifacts.iter().find(is_prelude).and_then(Artifact::library).cloned();
    let Some(library) = library else {
        return Err(StoreError::Build { log: "cargo has built no shared library".to_owned() });
    };
    let behind = || artifacts.iter().filter(|artifact| !is_prelude(artifact) && artifact.is_for_cells());
    let dependencies = behind().filter_map(|artifact| artifact.interface().cloned()).collect();
    Ok(Built { library, dependencies, crates: behind().filter_map(Crate::of).collect() })
}

/// Whether a crate is missing. Without vendored crates, one that is not there
/// is one that was not downloaded.
pub(super) fn is_about_a_download(log: &str) -> bool {
    let signs = ["no matching package named", "failed to get", "unable to update registry"];
    is_about_the_network(log) || signs.iter().any(|sign| log.contains(sign))
}

/// What every build asks of cargo.
pub(crate) const BUILD_ARGUMENTS: [&str; 4] =
    ["--profile", "store", "--message-format", "json-render-diagnostics"];

/// How many crates a package stands on by the prelude's lock file, itself
/// included: an upper bound of what cargo will report.
pub(super) fn crate_count(package: &str) -> usize {
    let manifest = |name: &str| SOURCES.iter().find(|(path, _)| *path == name).map_or("", |(_, text)| *text);
    let lock = manifest("Cargo.lock");
    // The crates that the prelude reaches, from the lock file's own lists.
    let mut needed: Vec<String> = vec![package.to_owned()];
    let mut k = 0;
    while k < needed.len() {
        let name = needed[k].clone();
        let sections = lock
            .split("[[package]]")
            .filter(|section| section.lines().any(|line| line == format!("name = \"{name}\"")));
        for section in sections {
            let Some((_, list)) = section.split_once("dependencies = [") else { continue };
            for line in list.split(']').next().unwrap_or("").lines() {
                let dependency = line.trim().trim_matches([',', '"']).split(' ').next().unwrap_or("");
                let is_test_only = ["proptest", "expect-test"].contains(&dependency);
                if !dependency.is_empty() && !is_test_only && !needed.iter().any(|known| known == dependency)
                {
                    needed.push(dependency.to_owned());
                }
            }
        }
        k += 1;
    }
    needed.len()
}

/// Writes the sources; a file that is the same already keeps its time, so
/// that cargo builds only what has changed.
pub(super) fn write_workspace(workspace: &Path) -> Result<(), StoreError> {
    make_folder(workspace)?;
    for (name, contents) in SOURCES.iter().filter(|(name, _)| *name != "Cargo.toml") {
        write(&workspace.join(name), contents)?;
    }
    write(&workspace.join("Cargo.toml"), &manifest())?;
    write(&workspace.join("seed/src/lib.rs"), "//! Nothing: see the manifest.\n")?;
    write(&workspace.join("seed/build.rs"), "fn main() {}\n")?;
    write(&workspace.join("seed/Cargo.toml"), &seed())?;
    remove_others(workspace)?;
    let configuration = workspace.join(".cargo").join("config.toml");
    match std::env::var("GPUREPL_VENDOR") {
        Ok(folder) if !folder.is_empty() => {
            let text = format!(
                "[source.crates-io]\nreplace-with = \"vendored-sources\"\n[source.vendored-sources]\ndirectory = {folder:?}\n"
            );
            write(&configuration, &text)
        }
        _ => match fs::remove_file(&configuration) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(io("removing", &configuration, error))
            }
            _ => Ok(()),
        },
    }
}

/// Sources of another version that are gone in this one.
fn remove_others(workspace: &Path) -> Result<(), StoreError> {
    let mut folders = ["kernels", "libraries", "prelude"].map(|name| workspace.join(name)).to_vec();
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| io("reading", &folder, error))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(workspace).unwrap_or(&path).to_string_lossy().into_owned();
            if !SOURCES.iter().any(|(known, _)| *known == name) {
                fs::remove_file(&path).map_err(|error| io("removing", &path, error))?;
            }
        }
    }
    Ok(())
}

/// The workspace's manifest: the prelude's members, the versions and lints of
/// the project, and the store's profile.
pub(super) fn manifest() -> String {
    let whole = SOURCES.iter().find(|(name, _)| *name == "Cargo.toml").map_or("", |(_, text)| *text);
    let members = SOURCES.iter().filter_map(|(name, _)| name.strip_suffix("/Cargo.toml"));
    let members: Vec<String> = members.chain(["seed"]).map(|member| format!("{member:?}")).collect();
    let mut text = format!("[workspace]\nresolver = \"3\"\nmembers = [{}]\n", members.join(", "));
    let mut is_wanted = false;
    for line in whole.lines() {
        if line.starts_with('[') {
            is_wanted = ["[workspace.package]", "[workspace.dependencies]", "[workspace.lints"]
                .iter()
                .any(|start| line.starts_with(start));
        }
        // Members that the store does not have cannot be named.
        let is_absent = line.starts_with("gpurepl-session");
        if is_wanted && !is_absent {
            text.push_str(line);
            text.push('\n');
        }
    }
    text + PROFILE + OWN_PROFILE
}

/// A crate without content, which asks for features that others would add
/// sooner or later. With each feature a crate has another hash, and so have
/// all crates above it: `serde` beside `tokio` would be another crate than
/// `serde` alone, and `ndarray` beside a crate that uses it another than the
/// prelude's.
///
/// In a build of dependencies it stands for the prelude: what is shared with
/// it has all the features that it has there.
pub(super) fn seed() -> String {
    let mut text = String::from(
        r#"[package]
name = "gpurepl_seed"
version = "0.0.0"
edition = "2024"
publish = false

[build-dependencies]
proc-macro2 = "1"
quote = "1"
syn2 = { package = "syn", version = "2", features = ["full", "extra-traits", "visit", "visit-mut", "fold"] }
syn3 = { package = "syn", version = "3", features = ["full", "extra-traits", "visit", "visit-mut", "fold"] }

[dependencies]
bytemuck.workspace = true
matrixmultiply.workspace = true
num-traits = "0.2"
serde = { version = "1", features = ["derive", "alloc", "rc"] }
"#,
    );
    for package in public_packages() {
        text.push_str(&format!("{package}.workspace = true\n"));
    }
    text
}

/// The packages that the prelude passes on to cells, as its list of crates
/// and the workspace's manifest name them.
pub(crate) fn public_packages() -> Vec<&'static str> {
    let text = |name: &str| SOURCES.iter().find(|(path, _)| *path == name).map_or("", |(_, text)| *text);
    let names: Vec<&str> = text("prelude/src/crates.rs")
        .lines()
        .filter_map(|line| line.strip_prefix("pub use ")?.strip_suffix(';'))
        .collect();
    let (_, dependencies) = text("Cargo.toml").split_once("[workspace.dependencies]").unwrap_or_default();
    dependencies
        .lines()
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once(" = ").map(|(package, _)| package))
        .filter(|package| names.contains(&package.replace('-', "_").as_str()))
        .collect()
}

pub(super) fn write(path: &Path, contents: &str) -> Result<(), StoreError> {
    if fs::read_to_string(path).is_ok_and(|old| old == contents) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        make_folder(folder)?;
    }
    fs::write(path, contents).map_err(|error| io("writing", path, error))
}

/// Copies what cells need: the library, and the metadata of the crates behind
/// it. Their code is in the library; macros that were used to make them are
/// named in the metadata, so those must be there as well.
pub(super) fn install(built: &Built, folder: &Path) -> Result<(), StoreError> {
    let dependencies = folder.join("deps");
    make_folder(&dependencies)?;
    let library = folder.join("libgpurepl_prelude.so");
    fs::copy(&built.library, &library).map_err(|error| io("copying", &built.library, error))?;
    for path in &built.dependencies {
        if let Some(name) = path.file_name() {
            fs::copy(path, dependencies.join(name)).map_err(|error| io("copying", path, error))?;
        }
    }
    crates::write(folder, &built.crates)
}
