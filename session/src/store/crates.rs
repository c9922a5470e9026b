//! The crates that a compiled prelude holds, by name, version and features.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::cargo::Artifact;
use super::{StoreError, io};

/// A crate that is compiled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Crate {
    /// Its name in code.
    pub(crate) name: String,
    /// Its package's name, which may have hyphens.
    pub(crate) package: String,
    pub(crate) version: String,
    /// The features that it was compiled with.
    pub(crate) features: Vec<String>,
    /// Whether its manifest says what its default features are.
    pub(crate) has_default: bool,
    /// The name of the file that code is compiled against.
    pub(crate) file: String,
}

impl Crate {
    /// The crate that cargo has built.
    pub(crate) fn of(artifact: &Artifact) -> Option<Crate> {
        let manifest: toml::Table =
            fs::read_to_string(&artifact.manifest_path).ok().and_then(|text| text.parse().ok())?;
        let has_default = manifest
            .get("features")
            .and_then(toml::Value::as_table)
            .is_some_and(|f| f.contains_key("default"));
        let package = manifest.get("package")?.get("name")?.as_str()?.to_owned();
        let file = artifact.interface()?.file_name()?.to_string_lossy().into_owned();
        Some(Crate {
            name: artifact.target.name.replace('-', "_"),
            package,
            version: artifact.version().to_owned(),
            features: artifact.features.clone(),
            has_default,
            file,
        })
    }
}

const FILE: &str = "crates.json";

pub(super) fn write(folder: &Path, crates: &[Crate]) -> Result<(), StoreError> {
    let path = folder.join(FILE);
    let text = serde_json::to_string_pretty(crates).unwrap_or_default();
    fs::write(&path, text).map_err(|error| io("writing", &path, error))
}

/// The crates of a compiled prelude.
pub(super) fn read(folder: &Path) -> Vec<Crate> {
    let text = fs::read_to_string(folder.join(FILE)).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}
