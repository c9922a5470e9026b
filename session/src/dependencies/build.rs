//! Making a set of dependencies with cargo.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::{Table, Value};

use super::{Dependencies, DependencyError, Request, Workshop, explain};
use crate::output::{Progress, Sink};
use crate::store::cargo::{self, Artifact, Cargo, CargoError, PROFILE, Step};
use crate::store::set::{COMPLETE, LOCK, Named, PREFIX, RECORD, Record, Set};
use crate::store::{self, BUILD_ARGUMENTS};

/// Enters the names of sets: to be changed with the way they are made.
pub(super) const VERSION: &str = "1";

/// The length of a link's name.
const LINK: usize = 16;

/// What cargo says about the packages behind a manifest.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
}

#[derive(Deserialize)]
struct Resolve {
    root: Option<String>,
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Edge>,
}

#[derive(Deserialize)]
struct Edge {
    name: String,
    pkg: String,
}

impl Metadata {
    fn package(&self, id: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.id == id)
    }

    /// The crates that the manifest names, by their names in code.
    fn direct(&self) -> BTreeMap<String, String> {
        let root = self.resolve.nodes.iter().find(|node| Some(&node.id) == self.resolve.root.as_ref());
        let edges = root.into_iter().flat_map(|root| &root.deps);
        edges.map(|edge| (edge.name.clone(), edge.pkg.clone())).collect()
    }
}

/// A set in the making.
struct Job<'a> {
    dependencies: &'a Dependencies,
    workshop: &'a Workshop<'a>,
    crate_name: String,
    /// Cargo's workspace for it.
    folder: PathBuf,
    /// The folder that all builds of the toolchain share.
    root: PathBuf,
}

/// Builds a set and keeps it in `kept`.
pub(super) fn build(
    dependencies: &Dependencies,
    key: &str,
    kept: &Path,
    workshop: &Workshop<'_>,
    sink: &mut dyn Sink,
) -> Result<Set, DependencyError> {
    let refused = |error: store::StoreError| DependencyError::refused(error.to_string());
    let _lock = store::lock_builds(workshop.toolchain, workshop.interrupter, sink)
        .map_err(refused)?
        .ok_or(DependencyError::Interrupted)?;
    // Another session may have built the same meanwhile.
    if let Some(set) = Set::open(kept) {
        return Ok(set);
    }
    let root = store::prepare_builds(workshop.toolchain).map_err(refused)?;
    let folder = root.join("sets").join(key);
    let job = Job { dependencies, workshop, crate_name: format!("{PREFIX}{key}"), folder, root };
    let made = job.make(kept, sink);
    let _ = fs::remove_dir_all(&job.folder);
    made?;
    if let Some(sets) = kept.parent() {
        store::prune_sets(sets);
    }
    Set::open(kept).ok_or_else(|| DependencyError::refused("what was built cannot be read"))
}

impl Job<'_> {
    fn make(&self, kept: &Path, sink: &mut dyn Sink) -> Result<(), DependencyError> {
        let names: Vec<&str> = self.dependencies.requests.keys().map(String::as_str).collect();
        let title = format!("building {}", names.join(", "));
        let mut progress = Progress { title, done: 0, total: 1, item: "asking the registry".to_owned() };
        sink.progress(&progress);
        let made = self.make_with(kept, &mut progress, sink);
        sink.progress(&Progress { done: progress.total, ..progress });
        made
    }

    fn make_with(
        &self,
        kept: &Path,
        progress: &mut Progress,
        sink: &mut dyn Sink,
    ) -> Result<(), DependencyError> {
        let mut requests: Vec<Request> = self.dependencies.requests.values().cloned().collect();
        self.write_manifest(&requests, "")?;
        self.copy_lock()?;
        let (mut metadata, is_offline) = self.resolve(progress, sink)?;
        let start = match self.add_runtime(&mut requests, &metadata) {
            None => None,
            Some(name) => {
                self.write_manifest(&requests, &self.runtime(&name))?;
                metadata = self.metadata(is_offline, progress, sink).map_err(|error| self.told(error))?;
                Some(self.start_name())
            }
        };
        self.write_library(&metadata, start.is_some())?;
        let artifacts = self.compile(&metadata, is_offline, progress, sink)?;
        self.check_shared(&artifacts, &metadata)?;
        let record = self.record(&requests, &metadata, &artifacts, start, is_offline);
        self.keep(&artifacts, &record, kept).map_err(|error| {
            DependencyError::refused(format!("keeping what was built in {}: {error}", kept.display()))
        })
    }

    fn start_name(&self) -> String {
        format!("{}_start", self.crate_name)
    }

    fn cargo(&self, is_offline: bool) -> Cargo<'_> {
        Cargo {
            toolchain: self.workshop.toolchain,
            folder: &self.folder,
            root: &self.root,
            interrupter: Some(self.workshop.interrupter),
            is_offline,
            is_plugin: false,
        }
    }

    fn told(&self, error: CargoError) -> DependencyError {
        match error {
            CargoError::Interrupted => DependencyError::Interrupted,
            CargoError::NotRun(error) => DependencyError::refused(format!(
                "cargo could not be run: {error}\n  = help: install Rust by rustup: https://rustup.rs"
            )),
            CargoError::Failed(log) => {
                let log = self.without_links(&log);
                let requests = self.dependencies.requests.values();
                DependencyError::Refused(explain::failure(&log, &requests.collect::<Vec<_>>()))
            }
        }
    }

    /// Finds versions for all crates; without network those that cargo has
    /// downloaded before.
    fn resolve(
        &self,
        progress: &mut Progress,
        sink: &mut dyn Sink,
    ) -> Result<(Metadata, bool), DependencyError> {
        match self.metadata(false, progress, sink) {
            Ok(metadata) => Ok((metadata, false)),
            Err(CargoError::Failed(log)) if cargo::is_about_the_network(&log) => {
                match self.metadata(true, progress, sink) {
                    Ok(metadata) => Ok((metadata, true)),
                    Err(CargoError::Interrupted) => Err(DependencyError::Interrupted),
                    // What the network did not answer is the reason.
                    Err(_) => Err(self.told(CargoError::Failed(log))),
                }
            }
            Err(error) => Err(self.told(error)),
        }
    }

    fn metadata(
        &self,
        is_offline: bool,
        progress: &mut Progress,
        sink: &mut dyn Sink,
    ) -> Result<Metadata, CargoError> {
        let host = &self.workshop.toolchain.host;
        let arguments = ["metadata", "--format-version", "1", "--filter-platform", host];
        let text = self.cargo(is_offline).output(&arguments, &mut |step| tell(step, progress, sink))?;
        serde_json::from_str(&text)
            .map_err(|error| CargoError::Failed(format!("cargo metadata is not understood: {error}")))
    }

    fn write_manifest(&self, requests: &[Request], runtime: &str) -> Result<(), DependencyError> {
        let mut text = format!(
            "[workspace]\nresolver = \"3\"\n[package]\nname = {:?}\nversion = \"0.0.0\"\nedition = \"2024\"\n\
             publish = false\n[lib]\npath = \"lib.rs\"\ncrate-type = [\"dylib\"]\n[dependencies]\n\
             gpurepl_seed = {{ path = {:?} }}\n{runtime}",
            self.crate_name,
            self.root.join("seed").display().to_string(),
        );
        for request in requests {
            let linked = request.path().map(|path| self.linked(request, &path)).transpose()?;
            text.push_str(&request.line_at(linked.as_deref()));
            text.push('\n');
        }
        text.push_str(PROFILE);
        self.write("Cargo.toml", &text)?;
        // Cargo looks for it before there is anything to write.
        if !self.folder.join("lib.rs").exists() { self.write("lib.rs", "") } else { Ok(()) }
    }

    fn write(&self, name: &str, text: &str) -> Result<(), DependencyError> {
        let path = self.folder.join(name);
        fs::create_dir_all(&self.folder)
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| DependencyError::refused(format!("writing {}: {error}", path.display())))
    }

    /// Where links lie through which cargo sees the user's own crates.
    fn links(&self) -> PathBuf {
        self.root.join("paths")
    }

    /// A crate of the user's own as cargo is to see it: by a path that is
    /// another one when the crate has changed, through a link to the root of
    /// the file system. To the compiler a crate is its path, and two versions
    /// of one crate under the same path are an error.
    fn linked(&self, request: &Request, path: &Path) -> Result<PathBuf, DependencyError> {
        let state = state_of_paths(std::iter::once(request))?;
        let link = self.links().join(&state[..LINK]);
        let made = fs::create_dir_all(self.links()).and_then(|()| std::os::unix::fs::symlink("/", &link));
        match made {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                Err(DependencyError::refused(format!("making a link {}: {error}", link.display())))
            }
            _ => Ok(link.join(path.strip_prefix("/").unwrap_or(path))),
        }
    }

    /// A text of cargo's with the user's own paths.
    fn without_links(&self, log: &str) -> String {
        let links = format!("{}/", self.links().display());
        let mut parts = log.split(&links);
        let mut text = parts.next().unwrap_or("").to_owned();
        for part in parts {
            text.push_str(part.get(LINK..).unwrap_or(part));
        }
        text
    }

    /// Starts from the versions of the set before, or of the prelude.
    fn copy_lock(&self) -> Result<(), DependencyError> {
        let text = match self.dependencies.sets.last() {
            Some(set) => fs::read_to_string(set.folder.join(LOCK)).unwrap_or_default(),
            None => store::lock_text().to_owned(),
        };
        self.write(LOCK, &text)
    }

    /// Where tokio is among the crates, it needs a runtime. Asks for tokio
    /// with one, and returns its name in code.
    fn add_runtime(&self, requests: &mut [Request], metadata: &Metadata) -> Option<String> {
        const FEATURE: &str = "rt-multi-thread";
        if let Some(request) = requests.iter_mut().find(|r| r.package() == "tokio") {
            *request = request.clone().with_feature(FEATURE);
            return Some(request.name.replace('-', "_"));
        }
        let is_there = metadata.packages.iter().any(|p| p.name == "tokio" && p.version.starts_with("1."));
        let is_free = !requests.iter().any(|request| request.name == "tokio");
        (is_there && is_free).then(|| "tokio".to_owned())
    }

    /// The manifest's line for a tokio that nobody has requested by name.
    fn runtime(&self, name: &str) -> String {
        if self.dependencies.requests.values().any(|request| request.package() == "tokio") {
            return String::new();
        }
        format!("{name} = {{ version = \"1\", features = [\"rt-multi-thread\"] }}\n")
    }

    fn write_library(&self, metadata: &Metadata, has_runtime: bool) -> Result<(), DependencyError> {
        let mut text = String::from("//! The user's dependencies as one library.\n#![allow(unused)]\n");
        text.push_str("use ::gpurepl_prelude as _;\n");
        for set in self.dependencies.sets() {
            text.push_str(&format!("use ::{} as _;\n", set.record.crate_name));
        }
        let direct = metadata.direct();
        for name in direct.keys().filter(|name| *name != "gpurepl_seed") {
            text.push_str(&format!("pub use ::{name};\n"));
        }
        let of_tokio = |id: &&String| metadata.package(id).is_some_and(|package| package.name == "tokio");
        if has_runtime && let Some((name, _)) = direct.iter().find(|(_, id)| of_tokio(id)) {
            // One runtime for as long as the process lives; the thread of
            // cells is in it from now on, so tasks can be spawned anywhere.
            text.push_str(&format!(
                "#[unsafe(no_mangle)] pub extern \"C\" fn {start}() -> bool {{\n\
                 if ::{name}::runtime::Handle::try_current().is_ok() {{ return true; }}\n\
                 let runtime = ::{name}::runtime::Builder::new_multi_thread().enable_all().build();\n\
                 let Ok(runtime) = runtime else {{ return false }};\n\
                 ::std::mem::forget(::std::boxed::Box::leak(::std::boxed::Box::new(runtime)).enter());\n\
                 true }}\n",
                start = self.start_name(),
            ));
        }
        self.write("lib.rs", &text)
    }

    fn compile(
        &self,
        metadata: &Metadata,
        is_offline: bool,
        progress: &mut Progress,
        sink: &mut dyn Sink,
    ) -> Result<Vec<Artifact>, DependencyError> {
        progress.total = metadata.resolve.nodes.len().max(1);
        let mut arguments: Vec<String> = ["rustc", "--lib"].map(str::to_owned).to_vec();
        arguments.extend(BUILD_ARGUMENTS.map(str::to_owned));
        arguments.push("--".to_owned());
        let prelude = self.workshop.prelude;
        let mut add = |name: &str, library: PathBuf, folders: [&Path; 2]| {
            arguments.push("--extern".to_owned());
            arguments.push(format!("{name}={}", library.display()));
            for folder in folders {
                arguments.push("-L".to_owned());
                arguments.push(format!("dependency={}", folder.display()));
            }
        };
        add("gpurepl_prelude", prelude.library(), [prelude.folder(), &prelude.dependencies()]);
        for set in self.dependencies.sets() {
            add(&set.record.crate_name, set.library(), [&set.folder, &set.interfaces()]);
        }
        let built = self.cargo(is_offline).build(&arguments, &mut |step| tell(step, progress, sink));
        built.map_err(|error| self.told(error))
    }

    /// Makes sure that the prelude's own crates are the ones that were used:
    /// a crate that asks more of `ndarray` would get another `ndarray`.
    fn check_shared(&self, artifacts: &[Artifact], metadata: &Metadata) -> Result<(), DependencyError> {
        let public = store::public_packages();
        for own in self
            .workshop
            .prelude
            .crates()
            .iter()
            .filter(|own| public.contains(&&*own.package) && !super::APART.contains(&&*own.package))
        {
            let other = artifacts.iter().find(|artifact| {
                artifact.is_for_cells()
                    && metadata.package(&artifact.package_id).is_some_and(|p| p.name == own.package)
                    && artifact.version() == own.version
                    && artifact.interface().and_then(|path| path.file_name()).is_some_and(|f| f != &*own.file)
            });
            let Some(other) = other else { continue };
            let asked: Vec<String> = other
                .features
                .iter()
                .filter(|feature| !own.features.contains(feature))
                .map(|feature| format!("`{}/{feature}`", own.package))
                .collect();
            let what = match asked.len() {
                0 => format!("`{}` with other features of its dependencies", own.package),
                _ => asked.join(", "),
            };
            let users: Vec<&str> = metadata
                .resolve
                .nodes
                .iter()
                .filter(|node| node.deps.iter().any(|edge| edge.pkg == other.package_id))
                .filter_map(|node| metadata.package(&node.id))
                .map(|package| package.name.as_str())
                .filter(|name| !name.starts_with("gpurepl_"))
                .collect();
            return Err(DependencyError::refused(format!(
                "{what} would need another prelude: arrays use `{}` {} as it is, and {} needs more of it\n  \
                 = help: use a crate, or features of it, that do not ask for this",
                own.package,
                own.version,
                if users.is_empty() { "a crate".to_owned() } else { format!("`{}`", users.join("`, `")) },
            )));
        }
        Ok(())
    }

    fn record(
        &self,
        requests: &[Request],
        metadata: &Metadata,
        artifacts: &[Artifact],
        start: Option<String>,
        is_offline: bool,
    ) -> Record {
        let direct = metadata.direct();
        let mut named = BTreeMap::new();
        let mut notes = Vec::new();
        for (name, id) in direct.iter().filter(|(name, _)| *name != "gpurepl_seed") {
            let artifact = artifacts.iter().find(|a| a.package_id == **id && a.is_for_cells());
            let (Some(artifact), Some(package)) = (artifact, metadata.package(id)) else { continue };
            let Some(file) = artifact.interface().and_then(|path| path.file_name()) else { continue };
            let is_renamed = artifact.target.name.replace('-', "_") != *name;
            if store::public_packages().contains(&&*package.name) && !super::APART.contains(&&*package.name) {
                notes.push(format!(
                    "`{name}` {} is another crate than the prelude's: its types are not those of arrays",
                    package.version
                ));
            }
            named.insert(
                name.clone(),
                Named {
                    package: package.name.clone(),
                    version: package.version.clone(),
                    file: file.to_string_lossy().into_owned(),
                    is_renamed,
                },
            );
        }
        // A tokio that nobody has requested is nobody's to name.
        let is_asked = |id: &str| {
            metadata.package(id).is_some_and(|package| requests.iter().any(|r| r.package() == package.name))
        };
        named.retain(|name, _| direct.get(name).is_some_and(|id| is_asked(id)));
        if is_offline {
            notes.push("without network: the versions are those that cargo had downloaded before".to_owned());
        }
        Record {
            crate_name: self.crate_name.clone(),
            requests: self.dependencies.requests.values().map(Request::shown).collect(),
            named,
            start,
            notes,
        }
    }

    /// Copies what cells need, whole or not at all.
    fn keep(&self, artifacts: &[Artifact], record: &Record, kept: &Path) -> std::io::Result<()> {
        let parent = kept.parent().unwrap_or(kept);
        fs::create_dir_all(parent)?;
        let folder = tempfile::Builder::new().prefix(".new-").tempdir_in(parent)?;
        let interfaces = folder.path().join("deps");
        fs::create_dir(&interfaces)?;
        let mut known: HashSet<_> = HashSet::new();
        let below = self.dependencies.sets().iter().map(Set::interfaces);
        for folder in below.chain([self.workshop.prelude.dependencies()]) {
            known.extend(fs::read_dir(folder)?.flatten().map(|entry| entry.file_name()));
        }
        for artifact in artifacts.iter().filter(|artifact| artifact.is_for_cells()) {
            if artifact.target.name == self.crate_name {
                let Some(library) = artifact.library() else { continue };
                fs::copy(library, folder.path().join(format!("lib{}.so", self.crate_name)))?;
            } else if let Some(path) = artifact.interface()
                && let Some(name) = path.file_name()
                && known.insert(name.to_owned())
            {
                fs::copy(path, interfaces.join(name))?;
            }
        }
        fs::copy(self.folder.join(LOCK), folder.path().join(LOCK))?;
        fs::write(folder.path().join(RECORD), serde_json::to_string_pretty(record)?)?;
        // What a session that was killed has left there.
        let _ = fs::remove_dir_all(kept);
        fs::rename(folder.path(), kept)?;
        fs::write(kept.join(COMPLETE), "")
    }
}

fn tell(step: &Step<'_>, progress: &mut Progress, sink: &mut dyn Sink) {
    match step {
        Step::Downloaded(name) => progress.item = format!("downloaded {name}"),
        Step::Built(artifact) => {
            if artifact.is_for_cells() {
                progress.done = (progress.done + 1).min(progress.total.saturating_sub(1));
            }
            progress.item = artifact.target.name.clone();
        }
    }
    sink.progress(progress);
}

/// What says whether the user's own crates have changed: the names, sizes and
/// times of their files, and of the crates that they lead to by paths.
pub(super) fn state_of_paths<'a>(
    requests: impl Iterator<Item = &'a Request>,
) -> Result<String, DependencyError> {
    let mut folders: Vec<PathBuf> = requests.filter_map(Request::path).collect();
    let mut hasher = blake3::Hasher::new();
    let mut done = HashSet::new();
    while let Some(folder) = folders.pop() {
        if !done.insert(folder.clone()) {
            continue;
        }
        let failed = |error: std::io::Error| {
            DependencyError::refused(format!("reading {}: {error}", folder.display()))
        };
        add_files(&folder, &mut hasher).map_err(failed)?;
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).map_err(failed)?;
        let table = manifest.parse::<Table>().unwrap_or_default();
        paths_in(&Value::Table(table), &mut |path| {
            // A library's own source file is a path as well.
            folders.extend(folder.join(path).canonicalize().ok().filter(|path| path.is_dir()));
        });
    }
    Ok(if done.is_empty() { String::new() } else { hasher.finalize().to_hex().to_string() })
}

fn paths_in(value: &Value, found: &mut dyn FnMut(&str)) {
    match value {
        Value::Table(table) => {
            for (key, value) in table {
                match value.as_str() {
                    Some(path) if key == "path" => found(path),
                    _ => paths_in(value, found),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| paths_in(value, found)),
        _ => {}
    }
}

fn add_files(folder: &Path, hasher: &mut blake3::Hasher) -> std::io::Result<()> {
    let mut entries: Vec<_> = fs::read_dir(folder)?.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        let text = name.to_string_lossy();
        if text.starts_with('.') || text == "target" {
            continue;
        }
        let path = entry.path();
        let information = entry.metadata()?;
        if information.is_dir() {
            add_files(&path, hasher)?;
            continue;
        }
        let time = information.modified()?.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        hasher.update(path.as_os_str().as_encoded_bytes());
        hasher.update(&[0]);
        hasher.update(&information.len().to_le_bytes());
        hasher.update(&time.as_nanos().to_le_bytes());
    }
    Ok(())
}
