//! Precompiled headers of NVRTC's: a toolkit's headers are read once, not for
//! each kernel that includes them.
//!
//! NVRTC can use them within one process only: it maps them where they were
//! made, which is another place in each process, and removes them when it
//! ends. So they lie in the session's folder, which goes with it whatever
//! becomes of this process: one can take 300 MB. Making one takes about as
//! long as the compilation itself, so one is made when the same headers are
//! read for the second time: a script with one kernel pays nothing.
//!
//! Without them a kernel compiles as well, only slower; so whatever goes wrong
//! with them turns them off, and the kernel is compiled without.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use super::nvrtc::{self, Precompiled};

/// The first room is enough for one of the large headers; some together need
/// this much. It is a promise of addresses, not memory.
const ROOM: usize = 1 << 30;

/// How many a process may have: each is a large file.
const MOST: usize = 4;

#[derive(Default)]
struct State {
    folder: Option<tempfile::TempDir>,
    /// What sources start with that have been compiled.
    seen: HashSet<String>,
    /// The starts that there is or will be a precompiled header for.
    covered: HashSet<String>,
    is_off: bool,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

/// The options that have a compilation use or make a precompiled header: for
/// a source that includes a toolkit's headers, from the second time on.
pub(super) fn options(text: &str, has_toolkit: bool, other_options: &[String]) -> Vec<String> {
    if !has_toolkit {
        return Vec::new();
    }
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    let state = state.get_or_insert_default();
    let start = start(text) + "\0" + &other_options.join("\0");
    if state.is_off || state.seen.insert(start.clone()) {
        return Vec::new();
    }
    if !state.covered.contains(&start) {
        if state.covered.len() >= MOST {
            return Vec::new();
        }
        state.covered.insert(start);
    }
    match folder(state) {
        Some(folder) => {
            vec![
                "--pch".to_owned(),
                format!("--pch-dir={}", folder.display()),
                // What is said about them is not about the user's text.
                "--pch-messages=false".to_owned(),
                "--pch-verbose=false".to_owned(),
            ]
        }
        None => {
            state.is_off = true;
            Vec::new()
        }
    }
}

fn folder(state: &mut State) -> Option<PathBuf> {
    if state.folder.is_none() {
        // In a program of its own NVRTC removes the files at the end.
        let folder = crate::streams::temporary_folder("headers-").ok()?;
        if !nvrtc::make_room(ROOM) {
            return None;
        }
        state.folder = Some(folder);
    }
    state.folder.as_ref().map(|folder| folder.path().to_owned())
}

/// Takes note of how it went. Where it did not go well there will be none.
pub(super) fn note(outcome: Precompiled) {
    match outcome {
        Precompiled::Made | Precompiled::NotTried => {}
        // More would not be a promise of addresses alone any more.
        Precompiled::NeedsRoom(_) | Precompiled::Failed => turn_off(),
    }
}

/// No more precompiled headers in this process.
pub(super) fn turn_off() {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    state.get_or_insert_default().is_off = true;
}

/// The directives that a source starts with: NVRTC's own rule for what a
/// precompiled header covers.
fn start(text: &str) -> String {
    let is_head = |line: &&str| {
        let line = line.trim_start();
        line.is_empty() || line.starts_with('#') || line.starts_with("//")
    };
    let lines = text.lines().take_while(is_head).map(str::trim);
    lines.filter(|line| line.starts_with('#')).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_starts_with_its_directives() {
        let text = "// a kernel\n#include <a>\n\n  #define N 1\nint x;\n#define M\n";
        assert_eq!(start(text), "#include <a>\n#define N 1");
    }

    #[test]
    fn a_source_without_headers_of_a_toolkit_has_none() {
        let text = "__global__ void k() {}";
        assert!(options(text, false, &[]).is_empty());
        assert!(options(text, false, &[]).is_empty());
    }
}
