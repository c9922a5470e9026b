//! The user's own dependencies: `:dep`.
//!
//! What is requested is built into one shared library, a *set*, against the
//! compiled prelude: a crate that both need, in one version and with the same
//! features, is the prelude's. Later requests make another set on top of the
//! ones before. So no crate is there twice unless it has to be, variables
//! keep their types, and the sets are kept for later sessions.
//!
//! | module | what it holds |
//! |---|---|
//! | [`Request`] | what stands behind `:dep` |
//! | `set` | a compiled set, on disk |
//! | `build` | making one with cargo |
//! | `explain` | cargo's errors in words |
//! | `externs` | what a cell's compiler is told |
//! | `manifest` | the lines for a project that is saved |

mod build;
mod explain;
mod externs;
mod manifest;
mod request;

pub use request::Request;

pub(crate) use externs::{Externs, shown};
pub(crate) use request::{goes_on, is_request, lines};

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::interrupt::Interrupter;
use crate::output::Sink;
use crate::store::crates::Crate;
use crate::store::set::{self, Set};
use crate::store::{self, Prelude};
use crate::toolchain::Toolchain;

/// A crate that cells can name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// Its name in code.
    pub name: String,
    /// What was requested, as a line of `:dep` has it.
    pub request: String,
    /// The version that was found.
    pub version: String,
    /// Whether it is the prelude's own copy.
    pub is_of_prelude: bool,
}

/// Why crates could not be added. Nothing has changed then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DependencyError {
    /// The user has interrupted it.
    #[error("interrupted")]
    Interrupted,
    /// They cannot be had; a text with lines of help.
    #[error("{0}")]
    Refused(String),
}

impl DependencyError {
    fn refused(text: impl Into<String>) -> DependencyError {
        DependencyError::Refused(text.into())
    }
}

/// A name that cells can write, and what stands behind it.
#[derive(Clone, Debug)]
struct Root {
    /// The crate that passes it on, by which types of it are written.
    through: String,
    /// The file that code is compiled against.
    file: PathBuf,
    version: String,
    /// What it is called there, if that is not the name that cells write. The
    /// compiler knows a crate by its own name only, so such a one is brought
    /// in by `use`.
    own_name: Option<String>,
}

/// The dependencies of a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dependencies {
    /// Sets, each on top of the ones before.
    sets: Vec<Set>,
    /// What was requested of the sets, by its name in a manifest.
    requests: BTreeMap<String, Request>,
    /// What was requested and is the prelude's.
    carried: BTreeMap<String, Request>,
    /// What cells can name.
    roots: BTreeMap<String, Root>,
}

/// All that building needs to know.
pub(crate) struct Workshop<'a> {
    pub(crate) toolchain: &'a Toolchain,
    pub(crate) prelude: &'a Prelude,
    pub(crate) interrupter: &'a Interrupter,
}

impl Dependencies {
    /// These and others, built if need be. Returns the dependencies as they
    /// would be, and words for the user.
    pub(crate) fn with(
        &self,
        requests: &[Request],
        workshop: &Workshop<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(Dependencies, Vec<String>), DependencyError> {
        let mut next = self.clone();
        let mut notes = Vec::new();
        let crates = workshop.prelude.crates();
        let public = store::public_packages();
        let mut is_new = false;
        for request in requests {
            next.carried.remove(&request.name);
            if let Some(own) = of_prelude(request, &crates, &public)? {
                notes.push(format!("`{}` {} is the prelude's own", own.name, own.version));
                next.requests.remove(&request.name);
                let file = workshop.prelude.dependencies().join(&own.file);
                let through = store::PRELUDE_CRATES.to_owned();
                let name = code_name(&request.name);
                let own_name = (name != own.name).then(|| own.name.clone());
                next.roots.insert(name, Root { through, file, version: own.version.clone(), own_name });
                next.carried.insert(request.name.clone(), request.clone());
            } else {
                is_new |= next.requests.get(&request.name) != Some(request) || request.path().is_some();
                next.requests.insert(request.name.clone(), request.clone());
            }
        }
        if !is_new {
            return Ok((next, notes));
        }
        let key = next.key(workshop)?;
        if self.sets.last().is_some_and(|set| set.folder.ends_with(&key)) {
            // Crates of the user's own that have not changed.
            return Ok((next, notes));
        }
        let folder = workshop.prelude.folder().join(set::FOLDER).join(&key);
        let set = match Set::open(&folder) {
            Some(set) => set,
            None => build::build(&next, &key, &folder, workshop, sink)?,
        };
        notes.extend(set.record.notes.iter().cloned());
        next.adopt(set, workshop, &mut notes);
        Ok((next, notes))
    }

    /// Takes a set in: its names mean what it has from now on.
    fn adopt(&mut self, set: Set, workshop: &Workshop<'_>, notes: &mut Vec<String>) {
        let mut folders = vec![set.interfaces()];
        folders.extend(self.sets.iter().rev().map(Set::interfaces));
        folders.push(workshop.prelude.dependencies());
        for (name, named) in &set.record.named {
            let file = folders.iter().map(|folder| folder.join(&named.file)).find(|path| path.exists());
            let Some(file) = file else { continue };
            let old = self.roots.get(name);
            if old.is_some_and(|old| old.file.file_name() != file.file_name()) {
                notes.push(format!(
                    "`{name}` {} is another crate than before: values made with the former keep its types",
                    named.version
                ));
            }
            // What has not changed keeps the name that its types had so far.
            let through = match old {
                Some(old) if old.file.file_name() == file.file_name() => old.through.clone(),
                _ => set.record.crate_name.clone(),
            };
            let own_name = named.is_renamed.then(|| name.clone());
            self.roots.insert(name.clone(), Root { through, file, version: named.version.clone(), own_name });
        }
        self.sets.push(set);
    }

    /// The sets, the first one first.
    pub(crate) fn sets(&self) -> &[Set] {
        &self.sets
    }

    /// The names that cells can write.
    pub(crate) fn names(&self) -> BTreeSet<&str> {
        self.roots.keys().map(String::as_str).collect()
    }

    /// What there is, by name.
    pub(crate) fn list(&self) -> Vec<Dependency> {
        let requests = self.requests.values().map(|request| (request, false));
        let all = requests.chain(self.carried.values().map(|request| (request, true)));
        let mut list: Vec<Dependency> = all
            .map(|(request, is_of_prelude)| {
                let name = self.code_name(request);
                let version = self.roots.get(&name).map_or_else(String::new, |root| root.version.clone());
                Dependency { name, request: request.shown(), version, is_of_prelude }
            })
            .collect();
        list.sort_by(|a, b| a.name.cmp(&b.name));
        list
    }

    /// The name of what was requested in code: its library may have another
    /// one than its package.
    fn code_name(&self, request: &Request) -> String {
        let name = code_name(&request.name);
        if self.roots.contains_key(&name) {
            return name;
        }
        let named = self.sets.iter().rev().flat_map(|set| &set.record.named);
        let mut of_package = named.filter(|(_, named)| named.package == request.package());
        of_package.next().map_or(name, |(name, _)| name.clone())
    }

    /// The name of the set for what is requested: all that it depends on.
    fn key(&self, workshop: &Workshop<'_>) -> Result<String, DependencyError> {
        let mut hasher = blake3::Hasher::new();
        let mut add = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        };
        add(&workshop.prelude.folder().file_name().unwrap_or_default().to_string_lossy());
        add(build::VERSION);
        self.sets.iter().for_each(|set| add(&set.record.crate_name));
        for request in self.requests.values() {
            add(&request.line());
        }
        add(&build::state_of_paths(self.requests.values())?);
        Ok(hasher.finalize().to_hex()[..16].to_owned())
    }
}

/// A crate's name in code.
fn code_name(name: &str) -> String {
    name.replace('-', "_")
}

/// Of the crates that the prelude passes on those whose types none of its
/// functions takes or returns: another copy, with other features, does no
/// harm beside the prelude's.
pub(super) const APART: &[&str] = &["plotters"];

/// The prelude's own copy of a crate, if it is one that the prelude passes on
/// and is what was requested.
fn of_prelude<'a>(
    request: &Request,
    crates: &'a [Crate],
    public: &[&str],
) -> Result<Option<&'a Crate>, DependencyError> {
    let package = request.package();
    if !request.is_registered() || !public.contains(&package) {
        return Ok(None);
    }
    let Some(own) = crates.iter().find(|known| known.package == package) else { return Ok(None) };
    let version = semver::Version::parse(&own.version);
    if !version.is_ok_and(|version| request.version().matches(&version)) {
        return Ok(None);
    }
    let mut wanted = request.features();
    if APART.contains(&package) {
        // Its default features draw with the system's fonts, which not every
        // machine can build: only who names features gets another copy.
        let has = |feature: &&str| own.features.iter().any(|known| known == feature);
        return Ok(wanted.iter().all(has).then_some(own));
    }
    if request.wants_default() && own.has_default {
        wanted.push("default");
    }
    let is_missing = |feature: &&&str| !own.features.iter().any(|known| known == **feature);
    if let Some(feature) = wanted.iter().find(is_missing) {
        return Err(DependencyError::refused(format!(
            "`{package}/{feature}` would need another prelude: arrays of the prelude use `{package}` {} with \
             the features {}\n  = help: ask for `{package}` without features, or for another version of it, \
             whose types are not those of the prelude",
            own.version,
            own.features.join(", "),
        )));
    }
    Ok(Some(own))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn own() -> Vec<Crate> {
        vec![Crate {
            name: "ndarray".to_owned(),
            package: "ndarray".to_owned(),
            version: "0.17.2".to_owned(),
            features: vec!["default".to_owned(), "std".to_owned()],
            has_default: true,
            file: "libndarray-1.rmeta".to_owned(),
        }]
    }

    fn found(text: &str) -> Result<bool, String> {
        let request = Request::parse(text, Path::new("/")).unwrap();
        let crates = own();
        of_prelude(&request, &crates, &["ndarray"]).map(|own| own.is_some()).map_err(|e| e.to_string())
    }

    #[test]
    fn plotters_is_the_preludes_unless_it_lacks_a_feature() {
        let own = vec![Crate {
            name: "plotters".to_owned(),
            package: "plotters".to_owned(),
            version: "0.3.7".to_owned(),
            features: vec!["svg_backend".to_owned()],
            has_default: true,
            file: "libplotters-1.rmeta".to_owned(),
        }];
        let found = |text: &str| {
            let request = Request::parse(text, Path::new("/")).unwrap();
            of_prelude(&request, &own, &["plotters"]).unwrap().is_some()
        };
        assert!(found("plotters") && found("plotters = { version = \"0.3\", features = [\"svg_backend\"] }"));
        assert!(!found("plotters = { version = \"0.3\", features = [\"bitmap_backend\"] }"));
        assert!(!found("plotters = \"0.2\""));
    }

    #[test]
    fn the_preludes_own_crates_are_found() {
        assert_eq!(found("ndarray"), Ok(true));
        assert_eq!(found("ndarray = \"0.17\""), Ok(true));
        assert_eq!(found("nd = { package = \"ndarray\", features = [\"std\"] }"), Ok(true));
        assert_eq!(found("ndarray = \"0.16\""), Ok(false));
        assert_eq!(found("ndarray = { git = \"https://x.org/n\" }"), Ok(false));
        assert_eq!(found("regex"), Ok(false));
        let error = found("ndarray = { version = \"0.17\", features = [\"serde\"] }").unwrap_err();
        assert!(error.contains("`ndarray/serde` would need another prelude"), "{error}");
    }
}
