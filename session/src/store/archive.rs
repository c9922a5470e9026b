//! A compiled store as one file, to be carried to another machine.
//!
//! It is a tar file, compressed by gzip. Its first entry, `store.json`, says
//! which toolchain and which version of gpurepl it is for, and names every
//! file with its size and its BLAKE3 hash; nothing else is taken out of it.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Component, Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use super::inventory::sets;
use super::{COMPLETE, Prelude, StoreError, key, make_folder, ready, root};
use super::{core_library, plugin, set};
use crate::output::{Progress, Sink};
use crate::toolchain::Toolchain;

/// Why a store could not be carried.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum ArchiveError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{what} {path}: {error}")]
    Io { what: &'static str, path: String, error: io::Error },
    #[error("{0} is not a store written by `gpurepl store export`: {1}")]
    NotAnArchive(String, String),
    #[error(
        "the store in {file} is for another toolchain: {theirs}, and this machine has {own}\n  = help: install \
         that toolchain by rustup and set GPUREPL_RUSTC to its rustc, or build here with `gpurepl store build`"
    )]
    OtherToolchain { file: String, theirs: String, own: String },
    #[error(
        "the store in {file} is for another version of gpurepl: its prelude is {theirs}, this program needs \
         {own}\n  = help: export it again with the same version as this one ({version})"
    )]
    OtherVersion { file: String, theirs: String, own: String, version: &'static str },
    #[error("{file} is damaged: {entry} differs from the original\n  = help: copy the file again")]
    Damaged { file: String, entry: String },
}

/// What was carried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Files.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Sets of dependencies among them.
    pub sets: usize,
}

/// The first entry.
#[derive(Serialize, Deserialize)]
struct Contents {
    format: u32,
    toolchain: String,
    compiler: String,
    prelude: String,
    files: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    /// Relative to the prelude's folder, with slashes.
    path: String,
    bytes: u64,
    hash: String,
}

const FORMAT: u32 = 1;
const CONTENTS: &str = "store.json";
/// More than any list of files takes.
const MAX_CONTENTS: u64 = 64 << 20;

fn failed(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ArchiveError {
    move |error| ArchiveError::Io { what, path: path.display().to_string(), error }
}

/// Writes the compiled prelude, `core` for GPUs and the sets of dependencies
/// for it to a file. What is not there is built first; `core` for GPUs is left
/// out, with a note, if it cannot be built.
///
/// # Errors
///
/// If it cannot be built, or the file cannot be written.
pub fn export(toolchain: &Toolchain, file: &Path, sink: &mut dyn Sink) -> Result<Moved, ArchiveError> {
    // Held, so that nobody removes it meanwhile.
    let prelude = ready(toolchain, sink)?;
    if let Err(error) = core_library::build(toolchain, &prelude, sink) {
        sink.note(&format!("exporting without it: {error}"));
    }
    let folder = prelude.folder();
    let kept: Vec<PathBuf> = sets(folder).into_iter().filter(|set| can_move(set)).collect();
    let mut paths = Vec::new();
    files_below(folder, folder, &kept, &mut paths).map_err(failed("reading", folder))?;
    // What makes it whole is made when all else is there.
    paths.retain(|path| path.file_name().is_none_or(|name| name != COMPLETE));
    paths.sort();
    let mut contents = Contents {
        format: FORMAT,
        toolchain: toolchain.id().to_owned(),
        compiler: toolchain.version().unwrap_or_default(),
        prelude: key(toolchain),
        files: Vec::new(),
    };
    for path in &paths {
        let whole = folder.join(path);
        let bytes = fs::metadata(&whole).map_err(failed("reading", &whole))?.len();
        let hash = hash_of(&whole).map_err(failed("reading", &whole))?;
        contents.files.push(Entry { path: path.to_string_lossy().into_owned(), bytes, hash });
    }
    // Under another name until it is whole.
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let part = tempfile::NamedTempFile::new_in(parent).map_err(failed("writing to", parent))?;
    let writing = || failed("writing", file);
    let mut archive =
        tar::Builder::new(GzEncoder::new(BufWriter::new(part.as_file()), Compression::default()));
    let text = serde_json::to_vec(&contents).unwrap_or_default();
    append(&mut archive, CONTENTS, text.len() as u64, &text[..]).map_err(writing())?;
    let mut progress = Progress {
        title: "exporting the store".to_owned(),
        done: 0,
        total: contents.files.len(),
        item: String::new(),
    };
    for entry in &contents.files {
        let whole = folder.join(&entry.path);
        let open = File::open(&whole).map_err(failed("reading", &whole))?;
        append(&mut archive, &entry.path, entry.bytes, open.take(entry.bytes)).map_err(writing())?;
        progress.done += 1;
        progress.item.clone_from(&entry.path);
        sink.progress(&progress);
    }
    let compressed = archive.into_inner().and_then(GzEncoder::finish).map_err(writing())?;
    compressed.into_inner().map_err(|error| failed("writing", file)(error.into_error()))?;
    part.persist(file).map_err(|error| failed("writing", file)(error.error))?;
    use std::os::unix::fs::PermissionsExt as _;
    // The file was the user's alone while it was written.
    let _ = fs::set_permissions(file, fs::Permissions::from_mode(0o644));
    Ok(Moved {
        files: contents.files.len(),
        bytes: contents.files.iter().map(|entry| entry.bytes).sum(),
        sets: kept.len(),
    })
}

fn append(archive: &mut tar::Builder<impl Write>, name: &str, bytes: u64, data: impl Read) -> io::Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_size(bytes);
    header.set_mode(0o644);
    header.set_cksum();
    archive.append_data(&mut header, name, data)
}

/// Whether a set is as good on another machine: it has no crates of this one's folders.
fn can_move(folder: &Path) -> bool {
    let is_of_a_folder = |request: &String| {
        let request: Option<toml::Table> = toml::from_str(request).ok();
        request.is_some_and(|table| table.values().any(|value| value.get("path").is_some()))
    };
    set::read_record(folder).is_some_and(|record| !record.requests.iter().any(is_of_a_folder))
}

/// The files of a prelude and of its whole sets, relative to its folder.
fn files_below(root: &Path, folder: &Path, kept: &[PathBuf], found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        // What somebody is writing.
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        if entry.file_type()?.is_dir() {
            let is_set = folder.file_name().is_some_and(|name| name == set::FOLDER);
            if !is_set || kept.contains(&path) {
                files_below(root, &path, kept, found)?;
            }
        } else if let Ok(relative) = path.strip_prefix(root) {
            found.push(relative.to_owned());
        }
    }
    Ok(())
}

fn hash_of(path: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    io::copy(&mut BufReader::new(File::open(path)?), &mut hasher)?;
    Ok(hasher.finalize().to_hex().to_string())
}

/// Takes a store from a file that [`export`] has written. A prelude that is
/// there already stays, and gets the sets that it lacks.
///
/// # Errors
///
/// If the file is for another toolchain or version, or is damaged. The store
/// is as before then.
pub fn import(toolchain: &Toolchain, file: &Path, sink: &mut dyn Sink) -> Result<Moved, ArchiveError> {
    let name = || file.display().to_string();
    let open = File::open(file).map_err(failed("reading", file))?;
    let mut archive = tar::Archive::new(GzDecoder::new(BufReader::new(open)));
    let no_archive = |why: String| ArchiveError::NotAnArchive(name(), why);
    let mut entries = archive.entries().map_err(|error| no_archive(error.to_string()))?;
    let contents = read_contents(&mut entries).map_err(no_archive)?;
    if contents.toolchain != toolchain.id() {
        return Err(ArchiveError::OtherToolchain {
            file: name(),
            theirs: format!("{} ({})", contents.compiler, contents.toolchain),
            own: format!("{} ({})", toolchain.version().unwrap_or_default(), toolchain.id()),
        });
    }
    if contents.prelude != key(toolchain) {
        return Err(ArchiveError::OtherVersion {
            file: name(),
            theirs: contents.prelude,
            own: key(toolchain),
            version: env!("CARGO_PKG_VERSION"),
        });
    }
    let store = root().ok_or(StoreError::NoFolder)?;
    make_folder(&store)?;
    let new = tempfile::Builder::new().prefix(".import-").tempdir_in(&store);
    let new = new.map_err(failed("writing to", &store))?;
    let mut progress = Progress {
        title: "importing the store".to_owned(),
        done: 0,
        total: contents.files.len(),
        item: String::new(),
    };
    let mut expected: HashMap<&str, &Entry> = HashMap::new();
    for entry in &contents.files {
        if !is_inside(&entry.path) {
            return Err(no_archive(format!("{:?} is not a path within a store", entry.path)));
        }
        expected.insert(&entry.path, entry);
    }
    for entry in entries {
        let mut entry = entry.map_err(|error| no_archive(error.to_string()))?;
        let path =
            entry.path().map_err(|error| no_archive(error.to_string()))?.to_string_lossy().into_owned();
        let damaged = || ArchiveError::Damaged { file: name(), entry: path.clone() };
        let known = expected.remove(path.as_str()).ok_or_else(damaged)?;
        let target = new.path().join(&path);
        if let Some(folder) = target.parent() {
            make_folder(folder)?;
        }
        let mut output = HashedFile::create(&target).map_err(failed("writing", &target))?;
        // Neither more than was said, nor less.
        let bytes = io::copy(&mut (&mut entry).take(known.bytes + 1), &mut output);
        let bytes = bytes.map_err(|error| match error.kind() {
            io::ErrorKind::StorageFull => failed("writing", &target)(error),
            _ => damaged(),
        })?;
        if bytes != known.bytes || output.hash() != known.hash {
            return Err(damaged());
        }
        progress.done += 1;
        progress.item.clone_from(&known.path);
        sink.progress(&progress);
    }
    if let Some(missing) = expected.keys().next() {
        return Err(ArchiveError::Damaged { file: name(), entry: (*missing).to_owned() });
    }
    let added = adopt(new.path(), &store.join(&contents.prelude)).map_err(failed("writing to", &store))?;
    Ok(Moved {
        files: contents.files.len(),
        bytes: contents.files.iter().map(|entry| entry.bytes).sum(),
        sets: added,
    })
}

fn read_contents<R: Read>(entries: &mut tar::Entries<'_, R>) -> Result<Contents, String> {
    let first = entries.next().ok_or("it is empty")?.map_err(|error| error.to_string())?;
    if first.path().map_err(|error| error.to_string())?.as_os_str() != CONTENTS {
        return Err(format!("it does not begin with {CONTENTS}"));
    }
    let mut text = Vec::new();
    first.take(MAX_CONTENTS).read_to_end(&mut text).map_err(|error| error.to_string())?;
    let contents: Contents = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
    match contents.format {
        FORMAT => Ok(contents),
        other => Err(format!("its format is {other}, and this program reads {FORMAT}")),
    }
}

/// Whether a path leads to nowhere but below where it starts.
fn is_inside(path: &str) -> bool {
    !path.is_empty() && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

/// Moves what was taken from a file to its place; how many sets are new.
fn adopt(new: &Path, own: &Path) -> io::Result<usize> {
    let (new_sets, own_sets) = (new.join(set::FOLDER), own.join(set::FOLDER));
    let mut whole = Vec::new();
    for entry in fs::read_dir(&new_sets).into_iter().flatten().flatten() {
        fs::write(entry.path().join(COMPLETE), "")?;
        whole.push(entry.path());
    }
    if Prelude::open(own.to_owned()).is_none() {
        // What an import or a build that was ended has left.
        match fs::remove_dir_all(own) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        fs::rename(new, own)?;
        fs::write(own.join(COMPLETE), "")?;
        return Ok(whole.len());
    }
    adopt_plugins(&new.join(plugin::FOLDER), &own.join(plugin::FOLDER))?;
    let new_core = new.join(core_library::FOLDER);
    if new_core.is_dir() && !core_library::is_beside(own) {
        fs::rename(new_core, own.join(core_library::FOLDER))?;
    }
    fs::create_dir_all(&own_sets)?;
    let mut added = 0;
    for path in whole {
        let Some(name) = path.file_name() else { continue };
        let target = own_sets.join(name);
        if !target.join(COMPLETE).exists() {
            let _ = fs::remove_dir_all(&target);
            fs::rename(&path, &target)?;
            added += 1;
        }
    }
    Ok(added)
}

/// Moves plugins that are not there yet.
fn adopt_plugins(new: &Path, own: &Path) -> io::Result<()> {
    for entry in fs::read_dir(new).into_iter().flatten().flatten() {
        fs::create_dir_all(own)?;
        let target = own.join(entry.file_name());
        if !target.exists() {
            fs::rename(entry.path(), target)?;
        }
    }
    Ok(())
}

/// A file whose hash is known once it is written.
struct HashedFile {
    file: BufWriter<File>,
    hasher: blake3::Hasher,
}

impl HashedFile {
    fn create(path: &Path) -> io::Result<HashedFile> {
        Ok(HashedFile { file: BufWriter::new(File::create(path)?), hasher: blake3::Hasher::new() })
    }

    fn hash(mut self) -> String {
        match self.file.flush() {
            Ok(()) => self.hasher.finalize().to_hex().to_string(),
            Err(_) => String::new(),
        }
    }
}

impl Write for HashedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.hasher.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_lead_out_are_seen() {
        for path in ["libgpurepl_prelude.so", "deps/liba-1.rmeta", "dependencies/1f/set.json"] {
            assert!(is_inside(path), "{path}");
        }
        for path in ["", "/etc/passwd", "../a", "deps/../../a", "./a"] {
            assert!(!is_inside(path), "{path}");
        }
    }

    #[test]
    fn crates_of_a_machines_folders_stay_there() {
        let root = tempfile::tempdir().unwrap();
        for (requests, can) in [
            (&["regex = \"1\""][..], true),
            (&["rand@0.9"], true),
            (&["tokio = { version = \"1\", features = [\"full\"] }"], true),
            (&["mine = { path = \"/home/mine\" }"], false),
            (&["regex = \"1\"", "mine = { path = \"/home/mine\", features = [\"a\"] }"], false),
        ] {
            let record = set::Record {
                requests: requests.iter().map(ToString::to_string).collect(),
                ..Default::default()
            };
            fs::write(root.path().join(set::RECORD), serde_json::to_vec(&record).unwrap()).unwrap();
            assert_eq!(can_move(root.path()), can, "{requests:?}");
        }
    }

    #[test]
    fn what_a_prelude_lacks_is_added_to_it() {
        let root = tempfile::tempdir().unwrap();
        let (own, new) = (root.path().join("own"), root.path().join("new"));
        let set = |folder: &Path, key: &str| {
            let folder = folder.join(set::FOLDER).join(key);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("set.json"), "{}").unwrap();
            folder
        };
        fs::write(set(&own, "a").join(COMPLETE), "").unwrap();
        fs::write(own.join(COMPLETE), "").unwrap();
        set(&new, "a");
        set(&new, "b");
        let core = new.join(core_library::FOLDER);
        fs::create_dir_all(&core).unwrap();
        fs::write(core.join("libcore.rmeta"), "new").unwrap();
        assert_eq!(adopt(&new, &own).unwrap(), 1);
        assert!(own.join("dependencies/b").join(COMPLETE).exists());
        // What is there already stays.
        fs::create_dir_all(&core).unwrap();
        fs::write(core.join("libcore.rmeta"), "newer").unwrap();
        assert_eq!(adopt(&new, &own).unwrap(), 0);
        let installed = own.join(core_library::FOLDER).join("libcore.rmeta");
        assert_eq!(fs::read_to_string(installed).unwrap(), "new");
    }
}
