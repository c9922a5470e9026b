//! The process of the analyser's that holds evcxr.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use gpurepl_wire::analysis::{EvcxrOrder, EvcxrReply};
use gpurepl_wire::{receive, send};

use super::EvcxrOptions;
use crate::analyser_program;

/// Lines of its standard error that are kept: cargo's words, or a panic.
const KEPT_LINES: usize = 30;

/// A running evcxr.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    /// Gone when it is told to end.
    orders: Option<ChildStdin>,
    replies: ChildStdout,
    log: Arc<Mutex<VecDeque<String>>>,
}

impl Process {
    /// Starts the analyser's program as the home of evcxr. It builds in
    /// `builds`, or else in a folder of its own, which goes with it.
    pub(super) fn start(
        options: &EvcxrOptions,
        folder: &Path,
        builds: Option<&Path>,
    ) -> Result<Process, String> {
        let program = analyser_program::program().ok_or(
            "`--engine evcxr` needs the program gpurepl-analyser, which was not found beside gpurepl or on PATH\n  \
             = help: `cargo install --path analyser --locked`, or set GPUREPL_ANALYSER",
        )?;
        let failed = |error: std::io::Error| format!("{} could not be started: {error}", program.display());
        let mut command = Command::new(&program);
        command
            .arg("evcxr")
            // Ctrl-C at the terminal is passed on by the session.
            .process_group(0)
            // A user's evcxr.toml, here or at home, is for evcxr's own shell.
            .current_dir(std::env::current_dir().unwrap_or_else(|_| folder.to_owned()))
            .env("EVCXR_CONFIG_DIR", folder)
            .envs(options.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        match builds {
            Some(builds) => command.env("EVCXR_TMPDIR", builds),
            None => command.env_remove("EVCXR_TMPDIR"),
        };
        if let Some(toolchain) = &options.toolchain {
            prepend(&mut command, "PATH", &toolchain.sysroot.join("bin"));
            // Cells are linked against the shared standard library, and nothing
            // in them says where it is.
            if let Some(libraries) = toolchain.std_library.parent() {
                prepend(&mut command, "LD_LIBRARY_PATH", libraries);
            }
        }
        let mut child = command.spawn().map_err(failed)?;
        let missing = || "evcxr's process has no input or output".to_owned();
        let (orders, replies) = (child.stdin.take(), child.stdout.take().ok_or_else(missing)?);
        let log: Arc<Mutex<VecDeque<String>>> = Arc::default();
        let (kept, stderr) = (Arc::clone(&log), child.stderr.take());
        std::thread::spawn(move || {
            for line in
                stderr.map(BufReader::new).into_iter().flat_map(BufReader::lines).map_while(Result::ok)
            {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                if kept.len() == KEPT_LINES {
                    kept.pop_front();
                }
                kept.push_back(line);
            }
        });
        Ok(Process { child, orders, replies, log })
    }

    pub(super) fn send(&mut self, order: &EvcxrOrder) -> Result<(), String> {
        let orders = self.orders.as_mut().ok_or("evcxr was told to end")?;
        send(orders, order).map_err(|error| format!("evcxr's process does not listen: {error}"))
    }

    /// What it says next; nothing if it has ended.
    pub(super) fn receive(&mut self) -> Option<EvcxrReply> {
        receive(&mut self.replies).ok().flatten()
    }

    /// Ends it, and says how it has ended.
    pub(super) fn end(&mut self) -> String {
        self.orders = None;
        let _ = self.child.kill();
        let how = self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.back().map_or(how.clone(), |last| format!("{how}: {last}"))
    }
}

/// Puts a folder before those that a variable of the environment lists.
fn prepend(command: &mut Command, name: &str, folder: &Path) {
    let listed = std::env::var_os(name).unwrap_or_default();
    // An empty entry would be the folder that the program is started in.
    let others = std::env::split_paths(&listed).filter(|path| !path.as_os_str().is_empty());
    if let Ok(paths) = std::env::join_paths(std::iter::once(folder.to_owned()).chain(others)) {
        command.env(name, paths);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It ends with its input, and so does the process that runs cells.
        self.orders = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
