//! Plugins of libraries: built when a cell wants one, and kept beside the
//! prelude.
//!
//! ```text
//! <prelude>/plugins/NAME.so     complete: it comes there in one step
//! build-<toolchain>/plugins/    cargo's target folder for them
//! ```
//!
//! A plugin's crate lies in `libraries/` and says what it is called in its
//! manifest, under `[package.metadata.gpurepl]`.

use std::fs;
use std::path::{Path, PathBuf};

use super::build::{crate_count, is_about_a_download};
use super::cargo::{Artifact, Cargo, CargoError, Step, last_lines};
use super::{BUILD_ARGUMENTS, Prelude, SOURCES, StoreError, io, lock_builds, make_folder, prepare_builds};
use crate::interrupt::Interrupter;
use crate::output::{Progress, Sink};
use crate::toolchain::Toolchain;

/// The folder of plugins beside a prelude.
pub(super) const FOLDER: &str = "plugins";

/// Why a plugin is not there.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum PluginError {
    #[error("there is no plugin `{name}`\n  = help: there is {known}")]
    Unknown { name: String, known: String },
    #[error(
        "the plugin `{name}` has not been built: interrupted\n  = help: run the cell again to build it, or \
         `gpurepl store build --libraries` beforehand"
    )]
    Interrupted { name: String },
    #[error(
        "the plugin `{name}` could not be built because a crate could not be downloaded\n{log}\n  = help: connect to \
         the network once and run the cell again, or import a store from `gpurepl store export` of a machine that has it"
    )]
    Offline { name: String, log: String },
    #[error(
        "the plugin `{name}` could not be built\n{log}\n  = help: see `gpurepl doctor`, then run the cell again"
    )]
    Build { name: String, log: String },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A plugin that can be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plugin {
    pub(crate) name: String,
    pub(crate) package: String,
    /// Where its crate lies in the workspace.
    pub(crate) folder: String,
    /// The names by which cells call it.
    pub(crate) names: Vec<String>,
    /// About how long a build takes.
    pub(crate) seconds: i64,
    pub(crate) is_hidden: bool,
}

/// Those whose sources the program carries.
pub(crate) fn known() -> Vec<Plugin> {
    let manifest = |(path, text): &(&str, &str)| plugin_of(path.strip_suffix("/Cargo.toml")?, text);
    SOURCES.iter().filter(|(path, _)| path.starts_with("libraries/")).filter_map(manifest).collect()
}

fn plugin_of(folder: &str, manifest: &str) -> Option<Plugin> {
    let manifest: toml::Table = manifest.parse().ok()?;
    let package = manifest.get("package")?;
    let metadata = package.get("metadata")?.get("gpurepl")?;
    Some(Plugin {
        name: metadata.get("plugin")?.as_str()?.to_owned(),
        package: package.get("name")?.as_str()?.to_owned(),
        folder: folder.to_owned(),
        names: metadata.get("names").and_then(toml::Value::as_array).map_or_else(Vec::new, |names| {
            names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect()
        }),
        seconds: metadata.get("seconds").and_then(toml::Value::as_integer).unwrap_or(60),
        is_hidden: metadata.get("hidden").and_then(toml::Value::as_bool).unwrap_or(false),
    })
}

/// The library of a plugin, built now if it is not there. If there is no
/// interrupter, the build ends with this process.
pub(crate) fn ready(
    toolchain: &Toolchain,
    prelude: &Prelude,
    name: &str,
    interrupter: Option<&Interrupter>,
    sink: &mut dyn Sink,
) -> Result<PathBuf, PluginError> {
    let all = known();
    let Some(plugin) = all.iter().find(|plugin| plugin.name == name) else {
        let names: Vec<String> = all.iter().map(|plugin| format!("`{}`", plugin.name)).collect();
        let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        return Err(PluginError::Unknown { name: name.to_owned(), known });
    };
    let library = prelude.folder().join(FOLDER).join(format!("{name}.so"));
    if library.exists() {
        return Ok(library);
    }
    let nobody = Interrupter::default();
    let interrupted = || PluginError::Interrupted { name: name.to_owned() };
    // Others build one after the other, and this may be built meanwhile.
    let Some(_lock) = lock_builds(toolchain, interrupter.unwrap_or(&nobody), sink)? else {
        return Err(interrupted());
    };
    if library.exists() {
        return Ok(library);
    }
    let built = build(toolchain, plugin, interrupter, sink)?;
    if interrupter.is_some_and(Interrupter::was_asked) {
        return Err(interrupted());
    }
    install(&built, &library)?;
    Ok(library)
}

fn build(
    toolchain: &Toolchain,
    plugin: &Plugin,
    interrupter: Option<&Interrupter>,
    sink: &mut dyn Sink,
) -> Result<PathBuf, PluginError> {
    let workspace = prepare_builds(toolchain)?;
    let cargo = Cargo {
        toolchain,
        folder: &workspace,
        root: &workspace,
        interrupter,
        is_offline: false,
        is_plugin: true,
    };
    let total = crate_count(&plugin.package);
    let title = format!("building the plugin `{}` (once, about {} s)", plugin.name, plugin.seconds);
    let mut progress = Progress { title, done: 0, total, item: String::new() };
    sink.progress(&progress);
    let arguments = ["build", "--package", &plugin.package, "--lib"];
    let arguments: Vec<String> = arguments.into_iter().chain(BUILD_ARGUMENTS).map(str::to_owned).collect();
    let built = cargo.build(&arguments, &mut |step| {
        match step {
            Step::Downloaded(name) => progress.item = format!("downloaded {name}"),
            Step::Built(artifact) => {
                progress.done = (progress.done + 1).min(total - 1);
                progress.item.clone_from(&artifact.target.name);
            }
        }
        sink.progress(&progress);
    });
    sink.progress(&Progress { done: total, ..progress });
    let name = || plugin.name.clone();
    let artifacts = built.map_err(|error| match error {
        CargoError::NotRun(error) => StoreError::NoCargo { error }.into(),
        CargoError::Interrupted => PluginError::Interrupted { name: name() },
        CargoError::Failed(log) if is_about_a_download(&log) => {
            PluginError::Offline { name: name(), log: last_lines(&log) }
        }
        CargoError::Failed(log) => PluginError::Build { name: name(), log: last_lines(&log) },
    })?;
    let own = plugin.package.replace('-', "_");
    let library = artifacts.iter().find(|artifact| artifact.target.name == own).and_then(Artifact::library);
    library.cloned().ok_or_else(|| PluginError::Build {
        name: name(),
        log: "cargo has built no shared library".to_owned(),
    })
}

/// Copies a library to its place, whole or not at all.
fn install(built: &Path, to: &Path) -> Result<(), StoreError> {
    let folder = to.parent().unwrap_or(to);
    make_folder(folder)?;
    let writing = |error| io("writing to", folder, error);
    let part = tempfile::NamedTempFile::new_in(folder).map_err(writing)?;
    fs::copy(built, part.path()).map_err(|error| io("copying", built, error))?;
    part.persist(to).map_err(|error| writing(error.error))?;
    Ok(())
}

/// Builds all plugins of libraries, and returns their names.
///
/// # Errors
///
/// If one cannot be built; those before it are there.
pub fn build_all(
    toolchain: &Toolchain,
    prelude: &Prelude,
    sink: &mut dyn Sink,
) -> Result<Vec<String>, PluginError> {
    let wanted = known().into_iter().filter(|plugin| !plugin.is_hidden);
    wanted.map(|plugin| ready(toolchain, prelude, &plugin.name, None, sink).map(|_| plugin.name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_names_its_plugin() {
        let read = |metadata: &str| {
            plugin_of("libraries/x-host", &format!("[package]\nname = \"gpurepl-x\"\n{metadata}"))
        };
        assert_eq!(read(""), None);
        let found = "[package.metadata.gpurepl]\nplugin = \"x\"\nseconds = 40\nnames = [\"x\", \"y\"]";
        let expected = Plugin {
            name: "x".to_owned(),
            package: "gpurepl-x".to_owned(),
            folder: "libraries/x-host".to_owned(),
            names: vec!["x".to_owned(), "y".to_owned()],
            seconds: 40,
            is_hidden: false,
        };
        assert_eq!(read(found), Some(expected));
    }

    #[test]
    fn the_example_is_carried_and_not_built_with_the_others() {
        let all = known();
        assert!(all.iter().any(|plugin| plugin.name == "example" && plugin.is_hidden), "{all:?}");
    }
}
