//! Building the prelude with cargo.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use super::{SOURCES, StoreError, io, make_folder};
use crate::output::{Progress, Sink};
use crate::toolchain::Toolchain;

/// The profile that the prelude is built with, under a name of its own so
/// that no setting of the user's for `release` applies.
pub(super) const PROFILE: &str = r#"
[profile.store]
inherits = "release"
opt-level = 3
debug = false
lto = false
codegen-units = 16
panic = "unwind"
strip = false
"#;

/// What cargo has built.
pub(super) struct Built {
    library: PathBuf,
    /// The metadata of all crates behind it, and the macros among them.
    dependencies: Vec<PathBuf>,
}

/// One line of cargo's output.
#[derive(Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    filenames: Vec<PathBuf>,
    #[serde(default)]
    target: Target,
}

#[derive(Deserialize, Default)]
struct Target {
    #[serde(default)]
    name: String,
}

/// Builds the prelude in a workspace of its own.
pub(super) fn build(
    toolchain: &Toolchain,
    workspace: &Path,
    sink: &mut dyn Sink,
) -> Result<Built, StoreError> {
    write_workspace(workspace)?;
    let target = workspace.join("target");
    let mut cargo = Command::new(&toolchain.cargo);
    cargo
        .current_dir(workspace)
        .args(["build", "--package", "gpurepl-prelude", "--profile", "store", "--lib"])
        .args(["--message-format", "json-render-diagnostics", "--color", "never"])
        .arg("--target-dir")
        .arg(&target);
    if std::env::var_os("GPUREPL_VENDOR").is_some_and(|folder| !folder.is_empty()) {
        cargo.arg("--offline");
    }
    // Nothing of the user's may change what is built: other flags would give
    // the crates other hashes than cells are compiled against.
    for name in
        ["RUSTFLAGS", "CARGO_BUILD_TARGET", "CARGO_BUILD_RUSTFLAGS", "CARGO_TARGET_DIR", "RUSTC_WRAPPER"]
    {
        cargo.env_remove(name);
    }
    cargo
        .env("CARGO_ENCODED_RUSTFLAGS", "-Cprefer-dynamic")
        .env("RUSTC", &toolchain.rustc)
        .env("RUSTC_WRAPPER", "")
        .env("CARGO_INCREMENTAL", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = cargo.spawn().map_err(|error| StoreError::NoCargo { error })?;
    let (stdout, mut stderr) = (child.stdout.take(), child.stderr.take());
    let log = std::thread::spawn(move || {
        let mut log = String::new();
        if let Some(stderr) = &mut stderr {
            let _ = stderr.read_to_string(&mut log);
        }
        log
    });
    let total = crate_count();
    let mut progress =
        Progress { title: "building the prelude (once)".to_owned(), done: 0, total, item: String::new() };
    sink.progress(&progress);
    let (mut library, mut dependencies) = (None, Vec::new());
    for line in stdout.map(BufReader::new).into_iter().flat_map(BufReader::lines).map_while(Result::ok) {
        let Ok(message) = serde_json::from_str::<Message>(&line) else { continue };
        if message.reason == "compiler-artifact" {
            // A crate's build script is no crate of its own; and the last step
            // is over when cargo is.
            if message.target.name != "build-script-build" {
                progress.done = (progress.done + 1).min(total - 1);
            }
            progress.item = message.target.name.clone();
            sink.progress(&progress);
            let has_extension = |path: &PathBuf, name| path.extension().is_some_and(|own| own == name);
            if message.target.name == "gpurepl_prelude" {
                library = message.filenames.into_iter().find(|path| has_extension(path, "so"));
            } else {
                let is_needed = |path: &PathBuf| has_extension(path, "rmeta") || has_extension(path, "so");
                dependencies.extend(message.filenames.into_iter().filter(is_needed));
            }
        }
    }
    let status = child.wait();
    let log = log.join().unwrap_or_default();
    sink.progress(&Progress { done: total, ..progress });
    match (status.is_ok_and(|status| status.success()), library) {
        (true, Some(library)) => Ok(Built { library, dependencies }),
        _ if is_about_the_network(&log) => Err(StoreError::Offline { log: last_lines(&log) }),
        _ => Err(StoreError::Build { log: last_lines(&log) }),
    }
}

fn is_about_the_network(log: &str) -> bool {
    let signs = [
        "failed to download",
        "failed to get",
        "spurious network error",
        "unable to update registry",
        "download of",
        "no matching package named",
        "attempting to make an HTTP request, but --offline was specified",
        "Could not resolve host",
    ];
    signs.iter().any(|sign| log.contains(sign))
}

fn last_lines(log: &str) -> String {
    let lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(30)..].join("\n")
}

/// How many crates the lock file of the prelude names: an upper bound of what
/// cargo will report.
fn crate_count() -> usize {
    let manifest = |name: &str| SOURCES.iter().find(|(path, _)| *path == name).map_or("", |(_, text)| *text);
    let lock = manifest("Cargo.lock");
    // The crates that the prelude reaches, from the lock file's own lists.
    let mut needed: Vec<String> = vec!["gpurepl-prelude".to_owned()];
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
fn write_workspace(workspace: &Path) -> Result<(), StoreError> {
    make_folder(workspace)?;
    for (name, contents) in SOURCES.iter().filter(|(name, _)| *name != "Cargo.toml") {
        write(&workspace.join(name), contents)?;
    }
    write(&workspace.join("Cargo.toml"), &manifest())?;
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
    let mut folders = vec![workspace.join("kernels"), workspace.join("prelude")];
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
    let mut text = String::from(
        "[workspace]\nresolver = \"3\"\nmembers = [\"kernels\", \"prelude\", \"prelude/wire\"]\n",
    );
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
    text + PROFILE
}

fn write(path: &Path, contents: &str) -> Result<(), StoreError> {
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
    Ok(())
}
