//! What cells find around them besides variables: the folder and the
//! environment, which `:cd` and `:env` change between cells.
//!
//! A replay begins where the first of its cells had begun and repeats each
//! change at its place, so that a cell finds the files and the values that it
//! had found before.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gpurepl_wire::Question;

/// The folder and the environment that a worker is started with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    /// The folder; this process's own if none.
    pub(crate) folder: Option<PathBuf>,
    /// Variables that have been set, or removed.
    pub(crate) environment: BTreeMap<String, Option<String>>,
}

impl Settings {
    /// Takes over what a worker was asked to change; other questions change
    /// nothing.
    pub(crate) fn apply(&mut self, change: &Question) {
        match change {
            Question::Folder { path } => self.folder = Some(PathBuf::from(path)),
            Question::Environment { name, value } => {
                self.environment.insert(name.clone(), value.clone());
            }
            _ => {}
        }
    }
}

/// A change as its user would ask for it again.
pub(crate) fn written(change: &Question) -> String {
    match change {
        Question::Folder { path } => format!(":cd {path}"),
        Question::Environment { name, value: Some(value) } => format!(":env {name}={value}"),
        Question::Environment { name, value: None } => format!(":env -u {name}"),
        other => format!("{other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_change_of_each_kind_counts() {
        let folder = |path: &str| Question::Folder { path: path.to_owned() };
        let value = |name: &str, value: Option<&str>| Question::Environment {
            name: name.to_owned(),
            value: value.map(str::to_owned),
        };
        let mut settings = Settings::default();
        for change in
            [folder("/a"), value("X", Some("1")), value("Y", Some("2")), folder("/b"), value("X", None)]
        {
            settings.apply(&change);
        }
        assert_eq!(settings.folder, Some(PathBuf::from("/b")));
        let expected = [("X".to_owned(), None), ("Y".to_owned(), Some("2".to_owned()))];
        assert_eq!(settings.environment, BTreeMap::from(expected));
        assert_eq!(written(&value("X", None)), ":env -u X");
    }
}
