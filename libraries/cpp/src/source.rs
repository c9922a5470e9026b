//! What a module is made of, and how its texts are compiled.

use std::path::{Path, PathBuf};
use std::process::Command;

use gpurepl_extend::compilers::{self, SystemCompiler};
use gpurepl_extend::{Result, error};

use crate::toolkit::Toolkit;

/// The text of a module with its options, as a builder has gathered them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Source {
    pub(crate) text: String,
    /// What the compiler and messages call the text: `module.cpp`, or the name of its file.
    pub(crate) name: String,
    /// The folder of the text's file, where `#include "name"` looks first.
    pub(crate) folder: Option<PathBuf>,
    pub(crate) options: Vec<String>,
    pub(crate) libraries: Vec<String>,
    pub(crate) library_dirs: Vec<PathBuf>,
    /// Other files that belong to the module.
    pub(crate) files: Vec<PathBuf>,
    pub(crate) is_cuda: bool,
}

/// Flags of g++ and clang alike.
///
/// No `-march=native`: a class of a linked library may have another layout then, as Eigen's have.
const FLAGS: &[&str] = &["-std=c++17", "-O2", "-fPIC", "-fmax-errors=20", "-fdiagnostics-color=never"];

/// `-fno-gnu-unique`: else a template's statics are shared by all modules.
const GCC_FLAGS: &[&str] = &["-fno-gnu-unique", "-fno-diagnostics-show-caret"];

/// `-fsemantic-interposition`: calls of a trampoline go to the module's functions, as g++ has them by itself.
const CLANG_FLAGS: &[&str] = &["-fno-caret-diagnostics", "-fsemantic-interposition"];

/// What compiles a module.
pub(crate) enum Toolchain {
    /// The system's compiler, with the headers and the run-time library of a toolkit if device memory is used
    /// and there is no nvcc.
    System { compiler: SystemCompiler, runtime: Option<Toolkit> },
    /// nvcc, for the architecture of a GPU.
    Nvcc { toolkit: Toolkit, architecture: String },
}

impl Source {
    /// A run of the compiler with the flags that every file of the module has.
    pub(crate) fn command(&self, toolchain: &Toolchain) -> Command {
        let mut command = match toolchain {
            Toolchain::System { compiler, runtime } => {
                let mut command = compiler.command();
                command.args(FLAGS).args(if compiler.is_clang() { CLANG_FLAGS } else { GCC_FLAGS });
                command.args(compiler.column_flag());
                if let Some(toolkit) = runtime {
                    command.arg("-isystem").arg(&toolkit.include);
                }
                command
            }
            Toolchain::Nvcc { toolkit, architecture } => {
                let mut command = Command::new(&toolkit.nvcc);
                command.args(["-std=c++17", "-O2", "-Xcompiler=-fPIC", "-cudart=none"]);
                command.arg(format!("-arch={architecture}"));
                command
            }
        };
        command.args(self.quoted_dirs(matches!(toolchain, Toolchain::Nvcc { .. }))).args(&self.options);
        command
    }

    /// Where `#include "name"` looks before all others.
    fn quoted_dirs(&self, is_nvcc: bool) -> Vec<String> {
        // The compiler runs on a copy of the text in a folder of its own.
        let Some(folder) = self.folder.clone().or_else(|| std::env::current_dir().ok()) else {
            return Vec::new();
        };
        let flag = if is_nvcc { "-I" } else { "-iquote" };
        vec![flag.to_owned(), folder.display().to_string()]
    }

    /// The arguments that link a module.
    pub(crate) fn link_arguments(&self, toolchain: &Toolchain) -> Vec<String> {
        let is_nvcc = matches!(toolchain, Toolchain::Nvcc { .. });
        let linker =
            |option: String| if is_nvcc { format!("-Xlinker={option}") } else { format!("-Wl,{option}") };
        let mut arguments: Vec<String> = self.files.iter().map(|path| path.display().to_string()).collect();
        let runtime = match toolchain {
            Toolchain::System { runtime, .. } => runtime.as_ref(),
            Toolchain::Nvcc { toolkit, .. } => Some(toolkit),
        };
        let folders = self.library_dirs.iter().chain(runtime.map(|toolkit| &toolkit.lib));
        for folder in folders {
            arguments.push(format!("-L{}", folder.display()));
            arguments.push(linker(format!("-rpath,{}", folder.display())));
        }
        for library in &self.libraries {
            arguments.push(if is_file(library) { library.clone() } else { format!("-l{library}") });
        }
        if let Some(toolkit) = runtime {
            arguments.push(linker(format!("-l:{}", toolkit.runtime)));
        }
        arguments
    }

    /// A hash of all that what is compiled depends on besides `parts`; none if that cannot be known.
    pub(crate) fn key(&self, toolchain: &Toolchain, parts: &[&str]) -> Option<String> {
        let options = [self.options.clone(), self.quoted_dirs(false)].concat();
        let mut all: Vec<Vec<u8>> = vec![
            b"cpp".to_vec(),
            env!("CARGO_PKG_VERSION").as_bytes().to_vec(),
            self.text.as_bytes().to_vec(),
            self.name.as_bytes().to_vec(),
            FLAGS.join("\0").into_bytes(),
            GCC_FLAGS.join("\0").into_bytes(),
            CLANG_FLAGS.join("\0").into_bytes(),
            options.join("\0").into_bytes(),
            self.link_arguments(toolchain).join("\0").into_bytes(),
            compilers::included(&self.text, self.folder.as_deref(), &options)?,
        ];
        all.push(
            match toolchain {
                Toolchain::System { compiler, runtime } => {
                    format!("{} {:?}", compiler.identity(), runtime.as_ref().map(|kit| &kit.include))
                }
                Toolchain::Nvcc { toolkit, architecture } => {
                    format!("nvcc {} {architecture} {}", toolkit.nvcc.display(), stamp(&toolkit.nvcc))
                }
            }
            .into_bytes(),
        );
        for path in &self.files {
            let text = std::fs::read_to_string(path).ok()?;
            all.push(compilers::included(&text, path.parent(), &options)?);
            all.push(text.into_bytes());
        }
        // A static library becomes a part of the module.
        for library in &self.libraries {
            let names = [format!("lib{library}.so"), format!("lib{library}.a"), library.clone()];
            let folders = self.library_dirs.iter().cloned().chain([PathBuf::new()]);
            let paths = folders
                .flat_map(|folder| names.iter().map(move |name| folder.join(name)).collect::<Vec<_>>());
            let stamps: Vec<String> = paths.filter(|path| path.is_file()).map(|path| stamp(&path)).collect();
            all.push(stamps.join(" ").into_bytes());
        }
        all.extend(parts.iter().map(|part| part.as_bytes().to_vec()));
        let all: Vec<&[u8]> = all.iter().map(Vec::as_slice).collect();
        Some(format!("{}.so", compilers::key(&all)))
    }

    /// The error of a text that does not compile, on its lines.
    pub(crate) fn compile_error(&self, log: &str) -> gpurepl_extend::Error {
        let missing = log.lines().find_map(missing_header);
        let help = match missing {
            Some(name) if name.starts_with("cuda") => Some(format!(
                "`{name}` comes with the CUDA toolkit, which `.cuda(true)` uses on a GPU; on the host device leave it \
                 out: `#ifdef __CUDACC__`"
            )),
            Some(name) => Some(format!("name the folder of `{name}`: `CppModule::builder(text).include_dir(folder)`")),
            None if log.contains("undefined reference to") || log.contains("undefined symbol") => Some(
                "link the library that defines it: `CppModule::builder(text).library_dir(folder).link(\"name\")`, or \
                 add its file: `.file(path)`"
                    .to_owned(),
            ),
            None if log.contains("cannot find -l") => {
                Some("name the folder of the library: `CppModule::builder(text).library_dir(folder)`".to_owned())
            }
            None => None,
        };
        let log = undefined_as_errors(log);
        error::compile("C++ module", &[(&self.name, &self.text)], &log, help)
    }

    /// Refuses what no compiler should see.
    pub(crate) fn check(&self) -> Result<()> {
        for path in &self.files {
            if !path.is_file() {
                let why = std::io::Error::from(std::io::ErrorKind::NotFound);
                return Err(error::io("add to the C++ module", path, why));
            }
        }
        Ok(())
    }
}

/// Whether a library is named by its file.
fn is_file(library: &str) -> bool {
    library.contains('/') || library.ends_with(".a") || library.contains(".so")
}

/// What tells a file from another one that takes its place.
fn stamp(path: &Path) -> String {
    std::fs::metadata(path).map_or_else(
        |_| String::new(),
        |metadata| format!("{} {:?}", metadata.len(), metadata.modified().ok()),
    )
}

/// The header that a line of a log misses.
fn missing_header(line: &str) -> Option<&str> {
    if let Some((before, _)) = line.split_once(": No such file or directory") {
        return before.rsplit_once("error: ").map(|(_, name)| name.trim());
    }
    let (before, _) = line.split_once("' file not found")?;
    before.rsplit_once('\'').map(|(_, name)| name)
}

/// A linker's lines about a place of a text, `module.cpp:3: undefined reference to `f()'`, as a compiler
/// writes them.
fn undefined_as_errors(log: &str) -> String {
    let line = |line: &str| match line.split_once(": undefined reference to") {
        Some((place, what)) => {
            let place = place.rsplit('/').next().unwrap_or(place);
            // Newer linkers add the place within the code: `module.cpp:3:(.text+0x5)`.
            let place = place.split_once(":(").map_or(place, |(line, _)| line);
            let what = what.trim().trim_matches(['`', '\'']);
            let what = what.strip_suffix("; follow").unwrap_or(what);
            format!("{place}:0: error: undefined reference to `{what}`")
        }
        None => line.to_owned(),
    };
    log.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_linker_misses_is_an_error_of_a_line() {
        let source =
            Source { text: "a\nb\nc\n".to_owned(), name: "module.cpp".to_owned(), ..Source::default() };
        for place in ["module.cpp:3", "/tmp/x/module.cpp:3:(.text+0x5)"] {
            let log = format!(
                "/usr/bin/ld: /tmp/a.o: in function `f()':\n{place}: undefined reference to `g(int)'\n"
            );
            let words = source.compile_error(&log).to_string();
            assert!(
                words.contains("undefined reference to `g(int)`") && words.contains("module.cpp line 3"),
                "{words}"
            );
            assert!(words.contains(".link(\"name\")"), "{words}");
        }
    }
}
