//! Plugins that a cell wants: the session has them built, and says where they
//! are.
//!
//! A thread that waits for an answer is answered while its cell runs. Between
//! cells nobody would answer, so nobody may ask.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gpurepl_wire::{Frame, PluginAnswer};

use super::channel;
use crate::error::{Problem, Result};

#[derive(Default)]
struct State {
    is_running: bool,
    /// The last question's number.
    request: u64,
    answers: HashMap<u64, PluginAnswer>,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);
static CHANGED: Condvar = Condvar::new();

/// How often a wait for an answer looks whether the user has interrupted.
const INTERRUPT_LOOK: Duration = Duration::from_millis(50);

fn state() -> MutexGuard<'static, Option<State>> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A cell begins, or has ended. No question of a cell follows its end.
pub fn set_running(is_running: bool) {
    let mut state = state();
    let state = state.get_or_insert_default();
    state.is_running = is_running;
    if is_running {
        state.answers.clear();
    }
}

/// The session has answered.
pub fn answer(request: u64, answer: PluginAnswer) {
    state().get_or_insert_default().answers.insert(request, answer);
    CHANGED.notify_all();
}

/// A plugin that a session has had built: what a program without one can have that has not linked it. Of
/// several the newest; one of another version of the interface is refused when it is loaded.
fn built(name: &str) -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let store = variable("GPUREPL_STORE").or_else(|| {
        let cache = variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")));
        Some(cache?.join("gpurepl").join("store"))
    })?;
    let file = |folder: std::fs::DirEntry| folder.path().join("plugins").join(format!("{name}.so"));
    let files = std::fs::read_dir(store).ok()?.flatten().map(file);
    let dated = files.filter_map(|file| Some((file.metadata().ok()?.modified().ok()?, file)));
    dated.max().map(|(_, file)| file)
}

/// The file of a plugin, built now if it has not been.
///
/// # Errors
///
/// If there is no session to build it and none has built it before, no cell runs, it cannot be built, or the
/// user interrupts. A plugin that the program has linked is not asked for here.
pub fn find(name: &str) -> Result<PathBuf> {
    let missing = |why: &str, help: &str| -> crate::Error {
        let what = format!("the plugin `{name}` cannot be loaded: {why}");
        Problem::Missing { what, help: help.to_owned() }.into()
    };
    if channel::is_copy() || !channel::is_open() {
        let package = format!("gpurepl-{name}-host");
        let entry = format!("{}::gpurepl_plugin", package.replace('-', "_"));
        let help = format!(
            "link it, as a project of `:save` does: name `{package}` in `Cargo.toml` and begin with \
             `extend::provide({name:?}, {entry})?`; or run `gpurepl store build --libraries`"
        );
        return built(name)
            .ok_or_else(|| missing("no gpurepl session runs this code, and it is not linked", &help));
    }
    let mut guard = state();
    let state = guard.get_or_insert_default();
    if !state.is_running {
        return Err(missing(
            "no cell is running",
            "call `extend::plugin` in a cell before its thread needs it",
        ));
    }
    state.request += 1;
    let request = state.request;
    // Sent under the lock: a cell's end does not overtake its questions.
    channel::frame(&Frame::Plugin { request, name: name.to_owned() });
    loop {
        match guard.get_or_insert_default().answers.remove(&request) {
            Some(PluginAnswer::Library(path)) => return Ok(path),
            Some(PluginAnswer::Problem { message, help }) => {
                return Err(Problem::Missing { what: message, help }.into());
            }
            None => {}
        }
        guard = CHANGED.wait_timeout(guard, INTERRUPT_LOOK).unwrap_or_else(PoisonError::into_inner).0;
        crate::interrupt::check()?;
    }
}
