//! Tests that a machine lacks something for. They are neither passed nor
//! failed: `tests/run` counts and lists them as ignored.
//!
//! Rust's test harness decides before a test runs whether it is ignored, and a
//! test often knows later. Such a test notes it here and returns. The crates'
//! tests include this file, because a crate for it would be one more that the
//! store has to leave out.

use std::io::Write as _;

/// The reason of tests of what only a GPU does.
#[allow(dead_code)]
pub const NEEDS_GPU: &str = "needs an NVIDIA GPU";

/// The reason of tests of what only the host device does.
#[allow(dead_code)]
pub const NEEDS_HOST: &str = "tests the host device";

/// Notes that the running test is ignored, in the file that
/// `GPUREPL_TEST_IGNORED` names and on standard error. The test is to return.
#[allow(dead_code)]
pub fn ignored(reason: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    eprintln!("{test} is ignored: {reason}");
    let Some(path) = std::env::var_os("GPUREPL_TEST_IGNORED").filter(|path| !path.is_empty()) else {
        return;
    };
    let package = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
    let line = format!("{reason}\t{package} {test}\n");
    let file = std::fs::OpenOptions::new().append(true).create(true).open(&path);
    // One call for the line: other tests write to the file too.
    let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
    written.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// As [`ignored`], for want of something that the environment variable `name`
/// would lead to; `NAME_MISSING` may hold the cause.
#[allow(dead_code)]
pub fn missing(what: &str, name: &str) {
    let cause = std::env::var(format!("{name}_MISSING")).unwrap_or_else(|_| format!("{name} is not set"));
    ignored(&format!("needs {what}: {cause}"));
}
