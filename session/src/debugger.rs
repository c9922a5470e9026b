//! Scripts under a debugger: cuda-gdb for a GPU, gdb or lldb for the host
//! device.
//!
//! The debugger runs the worker, as compute-sanitizer does, and has the
//! terminal: what cells print goes there too.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::worker::Wrapper;

/// Why there is nothing to debug with.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum DebuggerError {
    #[error(
        "cuda-gdb was not found on PATH, nor in the CUDA toolkit\n  \
         = help: it is part of the toolkit; alone it is the package cuda-gdb-13-0 (or that of your version) of \
         NVIDIA's repository\n  \
         = help: or debug the kernels on the host device, with gdb: `gpurepl debug --device host`"
    )]
    NoCudaGdb,
    #[error(
        "neither gdb nor lldb was found on PATH\n  \
         = help: install gdb (Debian, Ubuntu: `apt install gdb`), or name another debugger by --debugger"
    )]
    NoDebugger,
    #[error("there is no program `{0}`\n  = help: give --debugger the path of gdb, cuda-gdb or lldb")]
    NoProgram(String),
}

/// What a debugger is told before it starts.
#[derive(Clone, Debug, Default)]
pub struct DebuggerCommands {
    /// Commands, in order: `break twice`, `run`.
    pub commands: Vec<String>,
    /// Files of commands, which come first.
    pub files: Vec<PathBuf>,
    /// Whether it ends after them.
    pub is_batch: bool,
}

/// A debugger, ready to run a worker.
#[derive(Clone, Debug)]
pub struct Debugger {
    program: PathBuf,
    is_lldb: bool,
}

impl Debugger {
    /// The one that a user names, by its path or as a name on `PATH`; else
    /// cuda-gdb for a GPU, and gdb or lldb for the host device.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn find(named: Option<&str>, is_host: bool) -> Result<Debugger, DebuggerError> {
        let program = match named {
            Some(name) => which::which(name).map_err(|_| DebuggerError::NoProgram(name.to_owned()))?,
            None if is_host => ["gdb", "lldb"]
                .into_iter()
                .find_map(|name| which::which(name).ok())
                .ok_or(DebuggerError::NoDebugger)?,
            None => crate::sanitizer::tool_of_toolkit("cuda-gdb").ok_or(DebuggerError::NoCudaGdb)?,
        };
        let is_lldb = name_of(&program).contains("lldb");
        Ok(Debugger { program, is_lldb })
    }

    /// Its name: `gdb`.
    pub fn name(&self) -> String {
        name_of(&self.program)
    }

    /// What stands before a worker's own command line.
    pub fn wrapper(&self, told: &DebuggerCommands) -> Wrapper {
        let mut command = vec![self.program.clone().into_os_string()];
        let mut add = |option: &str, value: &str| command.extend([option, value].map(OsString::from));
        // Kernels are loaded long after breakpoints are set. The compiler that the
        // device starts is nobody's to look at, nor is the signal by which it stops a
        // launch; lldb takes no orders about signals before there is a process.
        if self.is_lldb {
            add("-O", "settings set target.process.follow-fork-mode parent");
        } else {
            for setting in [
                "set breakpoint pending on",
                "set startup-with-shell off",
                "set debuginfod enabled off",
                "set auto-load python-scripts off",
                "set follow-fork-mode parent",
                "set detach-on-fork on",
                "set print thread-events off",
            ] {
                add("-iex", setting);
            }
            if name_of(&self.program).contains("cuda") {
                // Calls that fail are gpurepl's to report: some are made to see whether they do.
                add("-iex", "set cuda api_failures ignore");
            }
            add("-ex", "handle SIGURG nostop noprint pass");
        }
        for file in &told.files {
            command.push(if self.is_lldb { "-s" } else { "-x" }.into());
            command.push(file.clone().into_os_string());
        }
        for text in &told.commands {
            command.push(if self.is_lldb { "-o" } else { "-ex" }.into());
            command.push(text.into());
        }
        command.extend(match (self.is_lldb, told.is_batch) {
            (true, true) => vec!["--batch".into(), "--".into()],
            (true, false) => vec!["--".into()],
            (false, true) => vec!["-q".into(), "-batch".into(), "--args".into()],
            (false, false) => vec!["-q".into(), "--args".into()],
        });
        Wrapper { command, is_interactive: true }
    }

    /// Environment variables for the worker: kernels are built for a debugger.
    pub fn environment(&self) -> Vec<(String, String)> {
        vec![("GPUREPL_DEBUG".to_owned(), "1".to_owned())]
    }
}

fn name_of(program: &Path) -> String {
    program.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(program: &str, told: &DebuggerCommands) -> String {
        let debugger = Debugger { program: program.into(), is_lldb: program.contains("lldb") };
        let wrapper = debugger.wrapper(told);
        assert!(wrapper.is_interactive);
        wrapper.command.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn commands_come_after_settings_and_before_the_program() {
        let told = DebuggerCommands {
            commands: vec!["break twice".to_owned(), "run".to_owned()],
            files: vec!["a.gdb".into()],
            is_batch: true,
        };
        let gdb = words("/x/gdb", &told);
        assert!(gdb.starts_with("/x/gdb -iex set breakpoint pending on -iex "), "{gdb}");
        assert!(gdb.ends_with(" -x a.gdb -ex break twice -ex run -q -batch --args"), "{gdb}");
        let lldb = words("/x/lldb", &told);
        assert!(lldb.ends_with(" -s a.gdb -o break twice -o run --batch --"), "{lldb}");
        assert!(words("/x/cuda-gdb", &DebuggerCommands::default()).ends_with("pass -q --args"));
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = Debugger::find(Some("/no/such/gdb"), true).unwrap_err();
        assert!(error.to_string().starts_with("there is no program `/no/such/gdb`"), "{error}");
    }
}
