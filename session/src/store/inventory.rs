//! What is in the store, how much it is, and removing it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::set;
use super::{COMPLETE, StoreError, core_library, io, key, root};
use crate::session_folder;
use crate::toolchain::Toolchain;

/// What there is to say about the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    /// Where it is.
    pub folder: PathBuf,
    /// The toolchain: its target and the hash of its compiler.
    pub toolchain: String,
    /// The compiler's version.
    pub compiler: String,
    /// The name of the prelude that this program uses.
    pub prelude: String,
    /// Whether that is compiled.
    pub is_complete: bool,
    /// Its size in bytes, dependencies not counted.
    pub prelude_bytes: u64,
    /// Whether `core` for GPUs is beside it.
    pub has_core: bool,
    /// The sets of dependencies that are kept for it: what was requested, and
    /// the size in bytes.
    pub sets: Vec<(Vec<String>, u64)>,
    /// Preludes of other versions or toolchains, and their size in bytes.
    pub others: (usize, u64),
    /// The size of what builds leave to be quicker the next time, in bytes.
    pub build_bytes: u64,
    /// The folders that crashed sessions have left.
    pub abandoned_sessions: usize,
}

/// Looks at the store.
///
/// # Errors
///
/// If there is no folder for it.
pub fn inventory(toolchain: &Toolchain) -> Result<Inventory, StoreError> {
    let folder = root().ok_or(StoreError::NoFolder)?;
    let prelude = key(toolchain);
    let own = folder.join(&prelude);
    let set_folders = sets(&own);
    let sets: Vec<(Vec<String>, u64)> = set_folders
        .iter()
        .filter_map(|folder| Some((set::read_record(folder)?.requests, size(folder))))
        .collect();
    let set_bytes: u64 = sets.iter().map(|(_, bytes)| bytes).sum();
    let others = preludes(&folder).into_iter().filter(|path| *path != own).collect::<Vec<_>>();
    Ok(Inventory {
        toolchain: toolchain.id().to_owned(),
        compiler: toolchain.version().unwrap_or_default(),
        is_complete: own.join(COMPLETE).exists(),
        has_core: core_library::is_beside(&own),
        prelude_bytes: size(&own).saturating_sub(set_bytes),
        sets,
        others: (others.len(), others.iter().map(|path| size(path)).sum()),
        build_bytes: builds(&folder).iter().map(|path| size(path)).sum(),
        abandoned_sessions: session_folder::abandoned(&session_folder::temporary_folder(root())).len(),
        prelude,
        folder,
    })
}

impl Inventory {
    /// It in words.
    pub fn text(&self) -> String {
        let mut lines = vec![
            format!("store       {}", self.folder.display()),
            format!("toolchain   {} ({})", self.compiler, self.toolchain),
        ];
        lines.push(match self.is_complete {
            true => format!("prelude     {}, complete, {}", self.prelude, shown_size(self.prelude_bytes)),
            false => format!("prelude     {}, not built: `gpurepl store build` builds it", self.prelude),
        });
        if self.is_complete {
            lines.push(match self.has_core {
                true => "core        for GPUs, complete".to_owned(),
                false => {
                    "core        for GPUs not built: the first kernel in Rust on a GPU builds it".to_owned()
                }
            });
        }
        let total = self.sets.iter().map(|(_, bytes)| bytes).sum();
        lines.push(match self.sets.len() {
            0 => "sets        no dependencies are kept".to_owned(),
            count => format!("sets        {count} of dependencies, {}", shown_size(total)),
        });
        for (requests, bytes) in &self.sets {
            lines.push(format!("            {} ({})", requests.join(", "), shown_size(*bytes)));
        }
        if self.others.0 > 0 {
            let (count, bytes) = self.others;
            let preludes = if count == 1 { "prelude" } else { "preludes" };
            lines.push(format!(
                "others      {count} {preludes} of other versions or toolchains, {}",
                shown_size(bytes)
            ));
        }
        if self.build_bytes > 0 {
            lines.push(format!(
                "builds      {} that make the next build quicker",
                shown_size(self.build_bytes)
            ));
        }
        lines.push(match self.abandoned_sessions {
            0 => "sessions    none has left files behind".to_owned(),
            1 => "sessions    1 has crashed and left files behind".to_owned(),
            count => format!("sessions    {count} have crashed and left files behind"),
        });
        lines.join("\n")
    }
}

/// What was removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cleaned {
    /// Folders.
    pub folders: usize,
    /// Bytes.
    pub bytes: u64,
    /// Folders that sessions use, which stay.
    pub in_use: usize,
}

impl Cleaned {
    /// It in words.
    pub fn text(&self) -> String {
        let folders = if self.folders == 1 { "folder" } else { "folders" };
        let mut text = format!("removed {} {folders}, {} freed", self.folders, shown_size(self.bytes));
        match self.in_use {
            0 => {}
            1 => text.push_str("; 1 is in use and stays"),
            count => text.push_str(&format!("; {count} are in use and stay")),
        }
        text
    }

    fn add(&mut self, bytes: u64) {
        self.folders += 1;
        self.bytes += bytes;
    }
}

/// Removes what no session uses: other preludes, what builds have left, files
/// of crashed sessions; with `all` also the prelude and its dependencies.
///
/// # Errors
///
/// If there is no folder for the store.
pub fn clean(toolchain: &Toolchain, all: bool) -> Result<Cleaned, StoreError> {
    let folder = root().ok_or(StoreError::NoFolder)?;
    let own = folder.join(key(toolchain));
    let mut cleaned = Cleaned::default();
    for path in preludes(&folder) {
        if path == own && !all {
            continue;
        }
        let bytes = size(&path);
        match remove_unused(&path) {
            Ok(true) => cleaned.add(bytes),
            Ok(false) if path == own => clean_sets(&path, &mut cleaned),
            Ok(false) => cleaned.in_use += 1,
            Err(error) => return Err(io("removing", &path, error)),
        }
    }
    for path in builds(&folder) {
        let lock = path.with_added_extension("lock");
        // Whoever builds has locked it.
        let Ok(file) = File::create(&lock) else { continue };
        if file.try_lock().is_err() {
            cleaned.in_use += 1;
            continue;
        }
        let bytes = size(&path);
        fs::remove_dir_all(&path).map_err(|error| io("removing", &path, error))?;
        cleaned.add(bytes);
    }
    for path in session_folder::abandoned(&session_folder::temporary_folder(root())) {
        let bytes = size(&path);
        if session_folder::remove(&path) {
            cleaned.add(bytes);
        }
    }
    Ok(cleaned)
}

/// Removes the sets of a prelude in use that are in no use themselves.
fn clean_sets(prelude: &Path, cleaned: &mut Cleaned) {
    cleaned.in_use += 1;
    for path in sets(prelude) {
        let bytes = size(&path);
        match remove_unused(&path) {
            Ok(true) => cleaned.add(bytes),
            _ => cleaned.in_use += 1,
        }
    }
}

/// Removes a folder that is complete and that nobody uses.
pub(super) fn remove_unused(folder: &Path) -> std::io::Result<bool> {
    let complete = folder.join(COMPLETE);
    match File::open(&complete) {
        // A session holds a shared lock.
        Ok(file) if file.try_lock().is_err() => Ok(false),
        Ok(_held) => {
            // From now on it is not found any more.
            fs::remove_file(&complete)?;
            fs::remove_dir_all(folder)?;
            Ok(true)
        }
        // What a build that was ended has left.
        Err(_) => fs::remove_dir_all(folder).map(|()| true),
    }
}

/// The folders of compiled preludes, complete or not.
fn preludes(root: &Path) -> Vec<PathBuf> {
    folders(root, |name| !name.starts_with("build-") && name.contains('-'))
        .into_iter()
        .filter(|path| path.join("libgpurepl_prelude.so").exists() || path.join(COMPLETE).exists())
        .collect()
}

/// The folders that builds leave.
fn builds(root: &Path) -> Vec<PathBuf> {
    folders(root, |name| name.starts_with("build-"))
}

/// The sets of a prelude, the oldest first.
pub(super) fn sets(prelude: &Path) -> Vec<PathBuf> {
    let all = folders(&prelude.join(set::FOLDER), |name| !name.starts_with('.'));
    all.into_iter().filter(|path| path.join(COMPLETE).exists()).collect()
}

fn folders(root: &Path, is_wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    let mut found: Vec<_> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter(|entry| is_wanted(&entry.file_name().to_string_lossy()))
        .map(|entry| (entry.metadata().and_then(|information| information.modified()).ok(), entry.path()))
        .collect();
    found.sort();
    found.into_iter().map(|(_, path)| path).collect()
}

/// The bytes of all files below a folder; links are not followed.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(information) if information.is_dir() => size(&entry.path()),
            Ok(information) => information.len(),
            Err(_) => 0,
        })
        .sum()
}

fn shown_size(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}
