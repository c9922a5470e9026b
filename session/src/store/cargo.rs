//! Running cargo: for the prelude, and for the user's dependencies beside it.
//!
//! Both are built in the same way and into the same folder, so that a crate
//! that both need is one crate: with the same flags, profile, features and
//! version it gets the same hash.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Sender, channel};

use serde::Deserialize;

use crate::interrupt::Interrupter;
use crate::toolchain::{Toolchain, cargo_home};

/// The profile that everything is built with, under a name of its own. All
/// of it is said, so that no setting of the user's for `release` applies.
pub(crate) const PROFILE: &str = r#"
[profile.store]
inherits = "release"
opt-level = 3
debug = false
debug-assertions = false
overflow-checks = false
incremental = false
rpath = false
split-debuginfo = "off"
lto = false
codegen-units = 16
panic = "unwind"
strip = false

[profile.store.build-override]
opt-level = 0
codegen-units = 256
debug = false
"#;

/// What is said of the prelude's own crates besides. The host device's loops
/// are one unit of code, because each of their functions is to be inlined:
/// in 16 units a maximum of `i32` takes 8 times as long.
pub(super) const OWN_PROFILE: &str = "
[profile.store.package.gpurepl-native]
codegen-units = 1
";

/// How cargo is run.
pub(crate) struct Cargo<'a> {
    pub(crate) toolchain: &'a Toolchain,
    /// The folder of the manifest.
    pub(crate) folder: &'a Path,
    /// The folder that all is built below: its name is not to be in what is
    /// built.
    pub(crate) root: &'a Path,
    /// What ends it when the user interrupts; if none, it ends with us.
    pub(crate) interrupter: Option<&'a Interrupter>,
    /// Whether to ask no network.
    pub(crate) is_offline: bool,
    /// Whether a plugin is built, which stands by itself: with the standard
    /// library within, and in a target folder of its own.
    pub(crate) is_plugin: bool,
}

/// A crate that cargo has built, or found built.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Artifact {
    pub(crate) package_id: String,
    pub(crate) manifest_path: PathBuf,
    pub(crate) target: Target,
    pub(crate) profile: Profile,
    pub(crate) features: Vec<String>,
    pub(crate) filenames: Vec<PathBuf>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Target {
    pub(crate) name: String,
    pub(crate) kind: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Profile {
    pub(crate) opt_level: String,
}

impl Artifact {
    /// Whether code may name it: a library or a set of macros, and not what
    /// was built to run while others were.
    pub(crate) fn is_for_cells(&self) -> bool {
        self.is_macro() || (!self.is_build_script() && self.profile.opt_level == "3")
    }

    pub(crate) fn is_macro(&self) -> bool {
        self.target.kind.iter().any(|kind| kind == "proc-macro")
    }

    fn is_build_script(&self) -> bool {
        self.target.kind.iter().any(|kind| kind == "custom-build")
    }

    /// The file that code is compiled against: metadata, or the macros'
    /// library.
    pub(crate) fn interface(&self) -> Option<&PathBuf> {
        let extension = if self.is_macro() { "so" } else { "rmeta" };
        self.filenames.iter().find(|path| path.extension().is_some_and(|own| own == extension))
    }

    /// The shared library, if it is one.
    pub(crate) fn library(&self) -> Option<&PathBuf> {
        self.filenames.iter().find(|path| path.extension().is_some_and(|own| own == "so"))
    }

    /// The version, from the end of the package's id.
    pub(crate) fn version(&self) -> &str {
        let tail = self.package_id.rsplit(['#', '@']).next().unwrap_or("");
        tail.split('+').next().unwrap_or("")
    }
}

/// What cargo says while it works.
pub(crate) enum Step<'a> {
    /// A crate has been downloaded.
    Downloaded(&'a str),
    /// A crate has been built.
    Built(&'a Artifact),
}

/// Why cargo has not done what it was asked for.
#[derive(Debug)]
pub(crate) enum CargoError {
    NotRun(std::io::Error),
    Interrupted,
    /// All that it said.
    Failed(String),
}

#[derive(Deserialize)]
struct Reason {
    reason: String,
}

enum Line {
    Out(String),
    Log(String),
}

impl Cargo<'_> {
    /// Builds, and returns the crates, those behind what was requested first.
    pub(crate) fn build(
        &self,
        arguments: &[String],
        step: &mut dyn FnMut(&Step<'_>),
    ) -> Result<Vec<Artifact>, CargoError> {
        let mut artifacts = Vec::new();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        self.run(&arguments, &mut |line| match line {
            Line::Out(line) => {
                let is_artifact = serde_json::from_str::<Reason>(line)
                    .is_ok_and(|message| message.reason == "compiler-artifact");
                if is_artifact && let Ok(artifact) = serde_json::from_str::<Artifact>(line) {
                    step(&Step::Built(&artifact));
                    artifacts.push(artifact);
                }
            }
            Line::Log(line) => {
                if let Some(rest) = line.trim_start().strip_prefix("Downloaded ")
                    && let Some(name) = rest.split(' ').next()
                    && !name.starts_with(|c: char| c.is_ascii_digit())
                {
                    step(&Step::Downloaded(name));
                }
            }
        })?;
        Ok(artifacts)
    }

    /// Runs a command of cargo's to its end and returns what it printed.
    pub(crate) fn output(
        &self,
        arguments: &[&str],
        step: &mut dyn FnMut(&Step<'_>),
    ) -> Result<String, CargoError> {
        let mut output = String::new();
        self.run(arguments, &mut |line| match line {
            Line::Out(line) => {
                let _ = writeln!(output, "{line}");
            }
            Line::Log(line) => {
                if let Some(rest) = line.trim_start().strip_prefix("Downloaded ")
                    && let Some(name) = rest.split(' ').next()
                    && !name.starts_with(|c: char| c.is_ascii_digit())
                {
                    step(&Step::Downloaded(name));
                }
            }
        })?;
        Ok(output)
    }

    fn run(&self, arguments: &[&str], hear: &mut dyn FnMut(&Line)) -> Result<(), CargoError> {
        let mut child = self.command(arguments).spawn().map_err(CargoError::NotRun)?;
        if let Some(interrupter) = self.interrupter {
            interrupter.set_compiler(i32::try_from(child.id()).unwrap_or(0));
        }
        let (sender, lines) = channel();
        pass_lines(child.stdout.take(), sender.clone(), Line::Out);
        pass_lines(child.stderr.take(), sender, Line::Log);
        let mut log = VecDeque::new();
        for line in lines {
            hear(&line);
            if let Line::Log(line) = line {
                log.push_back(line);
                if log.len() > KEPT_LINES {
                    log.pop_front();
                }
            }
        }
        // Not to be signalled once it has been waited for.
        if let Some(interrupter) = self.interrupter {
            interrupter.set_compiler(0);
        }
        let status = child.wait().map_err(CargoError::NotRun)?;
        if status.success() {
            return Ok(());
        }
        if self.interrupter.is_some_and(Interrupter::was_asked) {
            return Err(CargoError::Interrupted);
        }
        Err(CargoError::Failed(log.into_iter().collect::<Vec<_>>().join("\n")))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut cargo = Command::new(&self.toolchain.cargo);
        // What follows `--` is the compiler's.
        let (own, rest) = match arguments.iter().position(|argument| *argument == "--") {
            Some(at) => arguments.split_at(at),
            None => (arguments, &[][..]),
        };
        cargo.current_dir(self.folder).args(own).args(["--color", "never"]);
        if self.is_offline || has_vendor() {
            cargo.arg("--offline");
        }
        cargo.args(rest);
        // Nothing of the user's may change what is built: other flags would
        // give the crates other hashes than cells are compiled against. How
        // crates are found, through which proxy, is the user's to say.
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            let is_setting = ["CARGO_PROFILE_", "CARGO_BUILD_", "CARGO_UNSTABLE_"]
                .iter()
                .any(|start| text.starts_with(start))
                || ["RUSTFLAGS", "CARGO_TARGET_DIR", "CARGO_ENCODED_RUSTFLAGS", "RUSTC_BOOTSTRAP"]
                    .contains(&&*text)
                || (text.starts_with("CARGO_TARGET_") && text.ends_with("_RUSTFLAGS"));
            if is_setting {
                cargo.env_remove(&name);
            }
        }
        cargo
            .env("CARGO_ENCODED_RUSTFLAGS", self.flags())
            .env("CARGO_TARGET_DIR", self.root.join(if self.is_plugin { "plugins" } else { "target" }))
            .env("RUSTC", &self.toolchain.rustc)
            .env("RUSTC_WRAPPER", "")
            .env("RUSTC_WORKSPACE_WRAPPER", "")
            .env("CARGO_INCREMENTAL", "0")
            .env("CARGO_TERM_QUIET", "false")
            .env("CARGO_TERM_VERBOSE", "false")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if self.interrupter.is_some() {
            cargo.process_group(0);
        }
        cargo
    }

    /// The compiler's flags. A crate's hash covers the folder that it is
    /// compiled in; under fixed names it is the same on all machines.
    fn flags(&self) -> String {
        let mut flags = Vec::new();
        if !self.is_plugin {
            flags.push("-Cprefer-dynamic".to_owned());
        }
        if let Some(home) = cargo_home() {
            flags.push(format!("--remap-path-prefix={}=/cargo", home.display()));
        }
        flags.push(format!("--remap-path-prefix={}=/gpurepl", self.root.display()));
        flags.join("\x1f")
    }
}

/// As much of what cargo says is kept for an error's text.
const KEPT_LINES: usize = 400;

fn pass_lines(from: Option<impl Read + Send + 'static>, to: Sender<Line>, line: fn(String) -> Line) {
    let Some(from) = from else { return };
    std::thread::spawn(move || {
        for bytes in BufReader::new(from).split(b'\n').map_while(Result::ok) {
            if to.send(line(String::from_utf8_lossy(&bytes).into_owned())).is_err() {
                return;
            }
        }
    });
}

/// Whether crates come from a folder of the user's.
pub(crate) fn has_vendor() -> bool {
    std::env::var_os("GPUREPL_VENDOR").is_some_and(|folder| !folder.is_empty())
}

/// Whether cargo's words are about the network.
pub(crate) fn is_about_the_network(log: &str) -> bool {
    let signs = [
        "failed to download",
        "spurious network error",
        "download of",
        "attempting to make an HTTP request, but --offline was specified",
        "Could not resolve host",
        "Couldn't resolve host",
        "failed to query replaced source registry",
        "network failure seems to have happened",
    ];
    signs.iter().any(|sign| log.contains(sign))
}

/// The end of what cargo said.
pub(crate) fn last_lines(log: &str) -> String {
    let lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(30)..].join("\n")
}
