//! The `gpurepl` program, built and run.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

/// The folder with `README.md`, `docs/` and `notebooks/`: `GPUREPL_TEST_DATA`, else the
/// checkout that these tests were built in.
pub fn checkout() -> PathBuf {
    let named = std::env::var_os("GPUREPL_TEST_DATA").map(PathBuf::from);
    named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
}

/// The target folder that these tests were built in.
///
/// # Panics
///
/// If they do not lie in one.
pub fn target() -> PathBuf {
    let own = std::env::current_exe().expect("a test has a file");
    own.ancestors().nth(3).expect("it lies in a target folder").to_owned()
}

/// The program's path. It is built first, unless `GPUREPL_BIN` names it, and
/// has made its prelude ready: that is reported once, and to no test.
///
/// # Panics
///
/// If it cannot be built.
pub fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let path = std::env::var_os("GPUREPL_BIN").map_or_else(built, PathBuf::from);
        let first = Command::new(&path).args(["-e", "1"]).stdin(Stdio::null()).output();
        let first = first.expect("the program starts");
        assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
        path
    })
}

fn built() -> PathBuf {
    let manifest = checkout().join("Cargo.toml");
    // Of the workspace, not of its package: cargo unites the features of what it builds at once, so that what was
    // built for the tests is used as it is.
    let build = escargot::CargoBuild::new().manifest_path(manifest).bin("gpurepl");
    build.run().expect("gpurepl does not build").path().to_owned()
}

/// A command that runs the program as a user would who has set nothing but
/// the device.
pub fn gpurepl(arguments: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.args(arguments).env_remove("RUST_BACKTRACE").env_remove("CARGO").stdin(Stdio::null());
    command.env("GPUREPL_DEVICE", crate::device());
    command
}

/// What a program has left.
#[derive(Debug)]
pub struct Finished {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The exit status; none after a signal.
    pub status: Option<i32>,
}

impl Finished {
    /// Runs a command to its end.
    ///
    /// # Panics
    ///
    /// If it cannot be started.
    pub fn of(command: &mut Command) -> Finished {
        Finished::from(command.output().expect("the program starts"))
    }

    /// The output of a program that succeeded and complained about nothing.
    ///
    /// # Panics
    ///
    /// If it did not succeed.
    pub fn expect_success(self) -> String {
        assert_eq!(self.status, Some(0), "{}{}", self.stdout, self.stderr);
        assert_eq!(self.stderr, "");
        self.stdout
    }
}

impl From<Output> for Finished {
    fn from(output: Output) -> Finished {
        Finished {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            status: output.status.code(),
        }
    }
}

/// Runs a command with bytes on its standard input.
///
/// # Panics
///
/// If it cannot be started.
pub fn run_with_input(command: &mut Command, input: &[u8]) -> Finished {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    // One that ends early does not read all of it.
    let _ = child.stdin.take().expect("it has an input").write_all(input);
    Finished::from(child.wait_with_output().expect("the program ends"))
}
