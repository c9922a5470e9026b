//! What a user has chosen for good: `gpurepl/config.toml` in the folder for
//! configurations.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use etcetera::BaseStrategy as _;
use gpurepl_session::Diagnostic;
use gpurepl_session::diagnostic::Source;
use serde::{Deserialize, Deserializer};

use crate::terminal::Pictures;
use crate::theme::ThemeName;

/// Which editor's keys the prompt has.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum EditMode {
    /// As in Emacs, and as most shells have it
    #[default]
    Emacs,
    /// As in vi: Escape goes to commands
    Vi,
}

/// The configuration.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// The colours.
    pub theme: ThemeName,
    /// The keys.
    pub edit_mode: EditMode,
    /// How pictures are drawn.
    pub pictures: Pictures,
    /// How many cells the history keeps.
    pub history_size: usize,
    /// A script to run before the first prompt; a path that is not absolute
    /// starts at the configuration's folder.
    pub startup: Option<PathBuf>,
    /// The device, where neither the command line nor the environment says.
    #[serde(deserialize_with = "device")]
    pub device: Option<String>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            theme: ThemeName::default(),
            edit_mode: EditMode::default(),
            pictures: Pictures::default(),
            history_size: 10_000,
            startup: None,
            device: None,
        }
    }
}

fn device<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let name = String::deserialize(deserializer)?;
    crate::arguments::device(&name).map(Some).map_err(serde::de::Error::custom)
}

/// The folder of configurations; none if the user has no home.
fn folder() -> Option<PathBuf> {
    Some(etcetera::choose_base_strategy().ok()?.config_dir().join("gpurepl"))
}

/// A script that runs before the first prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Startup {
    /// Where it is.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
}

impl Config {
    /// The user's configuration; if there is no file, the default one.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or says something that is not known.
    pub fn read() -> Result<Config, Box<Diagnostic>> {
        folder()
            .map_or_else(|| Ok(Config::default()), |folder| Config::read_from(&folder.join("config.toml")))
    }

    fn read_from(path: &Path) -> Result<Config, Box<Diagnostic>> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Config::default()),
            Err(error) => {
                return Err(Box::new(Diagnostic::error(format!("reading {}: {error}", path.display()))));
            }
        };
        toml::from_str(&text).map_err(|error| {
            let source =
                Source { cell: 0, name: path.display().to_string(), text: text.clone(), first_line: 1 };
            let diagnostic = Diagnostic::error(format!("the configuration: {}", error.message()));
            Box::new(diagnostic.at(source, error.span().unwrap_or(0..0)))
        })
    }

    /// The script that runs before the first prompt, if there is one.
    ///
    /// # Errors
    ///
    /// If the script that the configuration names cannot be read.
    pub fn startup(&self) -> Result<Option<Startup>, String> {
        folder().map_or(Ok(None), |folder| self.startup_in(&folder))
    }

    fn startup_in(&self, folder: &Path) -> Result<Option<Startup>, String> {
        let path = folder.join(self.startup.as_deref().unwrap_or(Path::new("startup.rs")));
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok(Some(Startup { path, text })),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && self.startup.is_none() => Ok(None),
            Err(error) => Err(format!("the startup script {}: {error}", path.display())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Config, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        std::fs::write(&path, text).unwrap();
        Config::read_from(&path).map_err(|diagnostic| diagnostic.render(false))
    }

    #[test]
    fn every_key_can_be_set() {
        let text = "theme = \"light\"\nedit-mode = \"vi\"\npictures = \"sixel\"\nhistory-size = 5\nstartup = \"a.rs\"\ndevice = \"cuda:1\"\n";
        let config = Config {
            theme: ThemeName::Light,
            edit_mode: EditMode::Vi,
            pictures: Pictures::Sixel,
            history_size: 5,
            startup: Some("a.rs".into()),
            device: Some("cuda:1".to_owned()),
        };
        assert_eq!(read(text), Ok(config));
        assert_eq!(read(""), Ok(Config::default()));
        assert_eq!(Config::read_from(Path::new("no-such-file")), Ok(Config::default()));
    }

    #[test]
    fn what_is_not_known_is_an_error_with_its_line() {
        let cases = [
            ("theme = \"dark\"\ntheem = \"dark\"\n", "config.toml:2:1"),
            ("\ndevice = \"opencl\"", "config.toml:2:10"),
            ("theme = \"blue\"", "`dark`, `light`, `mono`"),
            ("history-size = -1", "config.toml:1:16"),
            ("theme", "config.toml:1:"),
        ];
        for (text, words) in cases {
            let error = read(text).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn a_startup_script_that_is_named_has_to_be_there() {
        let folder = tempfile::tempdir().unwrap();
        let config = Config::default();
        assert_eq!(config.startup_in(folder.path()), Ok(None));
        std::fs::write(folder.path().join("startup.rs"), "let a = 1;").unwrap();
        assert_eq!(config.startup_in(folder.path()).unwrap().unwrap().text, "let a = 1;");
        let config = Config { startup: Some("other.rs".into()), ..config };
        assert!(config.startup_in(folder.path()).unwrap_err().contains("other.rs"));
    }
}
