//! A compiled set of crates, kept beside the prelude that it was built for.
//!
//! ```text
//! <prelude>/dependencies/<key>/
//!   libgpurepl_deps_<key>.so   all crates of the set that are new in it
//!   deps/                      what code is compiled against
//!   set.json                   what is in it
//!   complete
//! ```

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

/// What names of crates that hold dependencies start with.
pub(crate) const PREFIX: &str = "gpurepl_deps_";

/// A set that is loaded, or can be.
#[derive(Clone, Debug)]
pub(crate) struct Set {
    pub(crate) folder: PathBuf,
    pub(crate) record: Record,
    /// Its lock: what a session uses is not removed.
    _in_use: Arc<File>,
}

/// What there is to know of a set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The crate that holds it.
    pub(crate) crate_name: String,
    /// What was requested, as lines of `:dep`.
    pub(crate) requests: Vec<String>,
    /// The crates that cells can name, by that name.
    pub(crate) named: BTreeMap<String, Named>,
    /// A function to call when it has been loaded.
    pub(crate) start: Option<String>,
    /// What the user is told about it.
    pub(crate) notes: Vec<String>,
}

/// A crate that cells can name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Named {
    pub(crate) package: String,
    pub(crate) version: String,
    /// The file that code is compiled against, in the set's own folder or in
    /// one that it stands on.
    pub(crate) file: String,
    /// Whether the name is one of the user's, and not the crate's own.
    pub(crate) is_renamed: bool,
}

/// The folder of sets beside a prelude.
pub(crate) const FOLDER: &str = "dependencies";
pub(crate) const COMPLETE: &str = "complete";
pub(crate) const RECORD: &str = "set.json";
pub(crate) const LOCK: &str = "Cargo.lock";

impl Set {
    /// The set in a folder, if it is whole.
    pub(crate) fn open(folder: &Path) -> Option<Set> {
        let complete = File::open(folder.join(COMPLETE)).ok()?;
        // Fails only while the folder is being removed, or where locks do not
        // work; there nothing is removed either.
        let _ = complete.try_lock_shared();
        if !folder.join(COMPLETE).exists() {
            return None;
        }
        let _ = complete.set_modified(SystemTime::now());
        let record = read_record(folder)?;
        Some(Set { folder: folder.to_owned(), record, _in_use: Arc::new(complete) })
    }

    /// The shared library.
    pub(crate) fn library(&self) -> PathBuf {
        self.folder.join(format!("lib{}.so", self.record.crate_name))
    }

    /// What code is compiled against.
    pub(crate) fn interfaces(&self) -> PathBuf {
        self.folder.join("deps")
    }
}

/// What a set holds.
pub(crate) fn read_record(folder: &Path) -> Option<Record> {
    serde_json::from_str(&fs::read_to_string(folder.join(RECORD)).ok()?).ok()
}
