//! The command line.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Args, CommandFactory as _, Parser, Subcommand};
use gpurepl_session::sanitizer::Tool;
use gpurepl_session::{EngineKind, number_of_workers};

use crate::config::EditMode;
use crate::store::Store;
use crate::terminal::Pictures;
use crate::theme::ThemeName;

/// What the command line says.
#[derive(Debug, Parser)]
#[command(name = "gpurepl", version, args_conflicts_with_subcommands = true, after_help = AFTER_HELP)]
#[command(about = "An interactive shell for GPU scripting in Rust")]
#[command(override_usage = "gpurepl [OPTIONS] [FILE [ARGUMENTS]...]\n       gpurepl <COMMAND>")]
pub struct Arguments {
    /// A script and its arguments: what `std::env::args()` returns
    ///
    /// Cells of a script begin with lines `// %%`; without any, the script is one cell. It may also be a Jupyter
    /// notebook (`.ipynb`). `-` is standard input. Everything after it belongs to the script.
    #[arg(value_name = "FILE", trailing_var_arg = true, help_heading = SCRIPTS)]
    pub script: Vec<OsString>,

    /// A cell to evaluate, instead of a script; can be given several times
    #[arg(short, long = "eval", value_name = "CODE", conflicts_with = "script", allow_hyphen_values = true)]
    #[arg(help_heading = SCRIPTS)]
    pub eval: Vec<String>,

    /// Stay at the prompt afterwards, with everything that the cells have defined
    #[arg(short, long, help_heading = SCRIPTS)]
    pub interactive: bool,

    /// Report how long each cell took to compile and to run, on standard error
    #[arg(long, help_heading = SCRIPTS)]
    pub time: bool,

    /// Show no values and no notes, only what the program prints, and errors
    #[arg(short, long, help_heading = SCRIPTS)]
    pub quiet: bool,

    /// Key bindings of the prompt
    #[arg(long, value_name = "MODE", help_heading = PROMPT)]
    pub edit_mode: Option<EditMode>,

    /// The colours of the prompt and of errors
    #[arg(long, value_name = "THEME", help_heading = PROMPT)]
    pub theme: Option<ThemeName>,

    /// How pictures are drawn in a terminal
    #[arg(long, value_name = "HOW", help_heading = PROMPT)]
    pub pictures: Option<Pictures>,

    /// Do not run the startup script
    #[arg(long, help_heading = PROMPT)]
    pub no_startup: bool,

    /// The device that cells use: `host`, `cuda`, `cuda:0` and so on, or a PCI bus id
    #[arg(long, global = true, value_name = "DEVICE", value_parser = device)]
    pub device: Option<String>,

    /// How many workers run each cell, worker k on `cuda:k` or on a share of the cores; see `distributed`. 1 if it is
    /// not given; under `mpiexec` the ranks of the job are the workers then
    #[arg(long, value_name = "NUMBER", value_parser = number_of_workers)]
    pub workers: Option<usize>,

    /// What starts the workers elsewhere: `srun -n 16`, `mpiexec -n 8 -hostfile hosts`, `ssh node1 node2*4`
    ///
    /// A command that starts a number of processes, to which `gpurepl join ADDRESS` is added; or `ssh`, its options, and
    /// machines, each with the number of its workers. They connect back to this session, which compiles cells for all.
    #[arg(long, value_name = "COMMAND")]
    pub launch: Option<String>,

    /// Where to listen for workers that start elsewhere: an address of this machine, with a port or without; 127.0.0.1
    /// if it is not given. Without `--launch` the command that starts a worker is shown
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<String>,

    /// The engine that evaluates cells: `rustc`, or `evcxr` through gpurepl-analyser
    #[arg(long, value_name = "ENGINE", default_value = "rustc", value_parser = engine())]
    pub engine: EngineKind,

    /// What to do instead of evaluating cells
    #[command(subcommand)]
    pub command: Option<Command>,
}

impl Arguments {
    /// The command whose name is almost this one.
    pub fn near_command(name: &str) -> Option<String> {
        let commands = Arguments::command();
        let distance = |command: &str| strsim::damerau_levenshtein(command, name);
        let near = commands.get_subcommands().filter(|command| !command.is_hide_set());
        let near = near.map(|command| (distance(command.get_name()), command.get_name())).min();
        near.filter(|(distance, known)| *distance <= 2 && known.len() > 3).map(|(_, known)| known.to_owned())
    }

    /// The script, and what follows it.
    pub fn script(&self) -> Option<(&Path, &[OsString])> {
        self.script.split_first().map(|(file, arguments)| (Path::new(file), arguments))
    }
}

/// What there is to do besides evaluating cells.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// List the devices of this machine; the one in use has a star
    Devices,
    /// Show what is installed, what is missing, and how to get it
    Doctor,
    /// Show or empty the cache of compiled kernels
    Cache {
        /// What to do with it; without this, `info`
        #[command(subcommand)]
        what: Option<Cache>,
    },
    /// Build the store, carry it to another machine, or show what is in it
    #[command(after_help = crate::store::AFTER_HELP)]
    Store {
        /// What to do with it
        #[command(subcommand)]
        what: Store,
    },
    /// Run a script under a debugger that stops within kernels: cuda-gdb, or gdb on the host device
    Debug(Debug),
    /// List the chapters of the course, or walk through one, cell by cell
    Tutorial {
        /// A chapter: its number, or words of its title
        #[arg(value_name = "CHAPTER")]
        chapter: Vec<String>,
        /// Begin at its start, and not where you were
        #[arg(long)]
        restart: bool,
    },
    /// Run a worker for a session that listens at an address, as `--launch` has it done; `-` is the standard streams
    Join {
        /// Where the session listens
        #[arg(value_name = "ADDRESS")]
        address: String,
    },
    /// Find memory errors in kernels with NVIDIA's compute-sanitizer, on lines of the script
    Sanitize(Sanitize),
    /// Print a script that completes this command line in a shell
    #[command(after_help = AFTER_COMPLETIONS_HELP)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

const SCRIPTS: &str = "Scripts";
const PROMPT: &str = "Prompt";

const AFTER_COMPLETIONS_HELP: &str = "\
For the current bash: `source <(gpurepl completions bash)`. Permanently:
  bash  gpurepl completions bash > ~/.local/share/bash-completion/completions/gpurepl
  zsh   gpurepl completions zsh > a folder of $fpath, as _gpurepl
  fish  gpurepl completions fish > ~/.config/fish/completions/gpurepl.fish";

/// What there is to do with the cache of compiled kernels.
#[derive(Clone, Copy, Debug, Subcommand)]
pub enum Cache {
    /// Show where it is, what it holds and its size limit
    Info,
    /// Remove all kernels from it
    Clear,
}

/// What to run under compute-sanitizer.
#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_SANITIZE_HELP)]
pub struct Sanitize {
    /// What to look for
    #[arg(long, value_name = "TOOL", default_value = Tool::default().name(), value_parser = tool())]
    pub tool: Tool,

    /// A script: cells that begin with lines `// %%`, or one cell; `-` is the standard input
    #[arg(value_name = "FILE.rs", required_unless_present = "eval")]
    pub file: Option<PathBuf>,

    /// Arguments for the script
    #[arg(value_name = "ARGUMENTS", requires = "file", trailing_var_arg = true, allow_hyphen_values = true)]
    pub script_arguments: Vec<OsString>,

    /// A cell to evaluate, instead of a script; can be given several times
    #[arg(short, long = "eval", value_name = "CODE", conflicts_with = "file", allow_hyphen_values = true)]
    pub eval: Vec<String>,
}

const AFTER_SANITIZE_HELP: &str = "\
Tools:
  memcheck   accesses out of bounds, and misaligned ones
  racecheck  races in shared memory
  initcheck  reads of memory that was never written
  synccheck  barriers that not every thread of a block reaches

compute-sanitizer is found on PATH, or in the CUDA toolkit of CUDA_PATH, CUDA_HOME,
CUDA_ROOT or /usr/local/cuda. The host device does not need it: it checks every access
of its kernels itself, as with GPUREPL_CHECK=1. That covers memcheck, and synccheck
except for barriers that threads miss because they have exited.

The exit status is 1 if an error was found, else that of the script.";

/// What to run under a debugger.
#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_DEBUG_HELP)]
pub struct Debug {
    /// The debugger: a path, or a name on PATH; without this, cuda-gdb for a GPU, gdb or lldb for
    /// the host device
    #[arg(long, value_name = "PROGRAM")]
    pub debugger: Option<String>,

    /// A command of the debugger, before it asks for any; can be given several times
    #[arg(long, value_name = "COMMAND", allow_hyphen_values = true)]
    pub ex: Vec<String>,

    /// A file of commands of the debugger; can be given several times
    #[arg(short = 'x', long = "command", value_name = "FILE")]
    pub commands: Vec<PathBuf>,

    /// End after these commands
    #[arg(long)]
    pub batch: bool,

    /// A script: cells that begin with lines `// %%`, or one cell
    #[arg(value_name = "FILE.rs", required_unless_present = "eval")]
    pub file: Option<PathBuf>,

    /// Arguments for the script
    #[arg(value_name = "ARGUMENTS", requires = "file", trailing_var_arg = true, allow_hyphen_values = true)]
    pub script_arguments: Vec<OsString>,

    /// A cell to evaluate, instead of a script; can be given several times
    #[arg(short, long = "eval", value_name = "CODE", conflicts_with = "file", allow_hyphen_values = true)]
    pub eval: Vec<String>,
}

const AFTER_DEBUG_HELP: &str = "\
Kernels are built without optimisation and with their variables, as with GPUREPL_DEBUG=1,
and their sources are kept as kernel.cu where the debugger finds them. A breakpoint may
be set before its kernel is compiled:

  gpurepl debug script.rs
  (gdb) break twice
  (gdb) run
  (gdb) info locals

cuda-gdb is found on PATH, or in the CUDA toolkit of CUDA_PATH, CUDA_HOME, CUDA_ROOT or
/usr/local/cuda; `info cuda threads` and `cuda thread 5` are its own commands. What cells
print goes to the terminal of the debugger.";

fn tool() -> impl clap::builder::TypedValueParser<Value = Tool> {
    PossibleValuesParser::new(Tool::ALL.map(Tool::name)).try_map(|name| name.parse::<Tool>())
}

fn engine() -> impl clap::builder::TypedValueParser<Value = EngineKind> {
    PossibleValuesParser::new(["rustc", "evcxr"])
        .map(|name| if name == "evcxr" { EngineKind::Evcxr } else { EngineKind::Rustc })
}

const AFTER_HELP: &str = "\
Without a file or code, cells are read from the keyboard, or from a pipe.

Environment:
  GPUREPL_DEVICE          the device, as for --device
  CUDA_DEVICE             the number of a CUDA device, if GPUREPL_DEVICE is not set
  CXX                     the C++ compiler of the host device
  GPUREPL_CHECK           1 to check every access of kernels on the host device, and on
                          any subscripts of generated kernels and overflows of integers
                          in kernels in Rust; nan to look for results that are NaN, too
  GPUREPL_KERNEL_TIMEOUT  seconds that a kernel may take on the host device, and on a GPU
                          with GPUREPL_POLL
  GPUREPL_POLL            1 to have loops of kernels in Rust look on a GPU whether they are
                          to stop: Ctrl-C and the time limit end them, and lose nothing
  GPUREPL_INTERRUPT_TIMEOUT
                          seconds after which a cell that does not listen to an interrupt
                          loses its process, as by a second interrupt
  GPUREPL_LINEINFO        1 to compile kernels with line numbers, for profilers
  GPUREPL_MEMORY_POOL     0 to free a GPU's memory at once, for tools that check accesses
  GPUREPL_RUSTC           the Rust compiler
  GPUREPL_STORE           the folder of compiled preludes
  GPUREPL_MEMORY_LIMIT    the limit of memory for arrays, in MiB
  GPUREPL_CACHE_DIR       the folder of compiled kernels; empty for none
  GPUREPL_ANALYSER        the program for completion and documentation; empty for none
  GPUREPL_CACHE_LIMIT     the size limit of the kernel cache, in MiB; 512 by default
  GPUREPL_DEBUG           1 to build kernels for a debugger, with their sources as files
  GPUREPL_VENDOR          a folder of `cargo vendor`, to build the prelude without a network
  GPUREPL_PETSC           the path of PETSc's library, libpetsc.so; off for none
  VISUAL, EDITOR          the editor of `:edit` and of Ctrl-X Ctrl-E
  NO_COLOR                no colours, if it is set
  CLICOLOR                0 for no colours; CLICOLOR_FORCE=1 for colours in files and pipes
  XDG_CONFIG_HOME         the folder of configurations; ~/.config by default
  XDG_STATE_HOME          the folder of the history; ~/.local/state by default

Files:
  ~/.config/gpurepl/config.toml    theme, edit-mode, pictures, history-size, startup, device
  ~/.config/gpurepl/startup.rs     a script that runs before the first prompt
  ~/.local/state/gpurepl/history   the cells that were typed

The exit status is 0 if every cell succeeded, 1 if one failed, 2 if the command
line is wrong, 130 after an interrupt, and that of `std::process::exit` if a
cell calls it.";

/// Checks that a text can name a device; whether there is one is found out
/// by the session.
pub fn device(text: &str) -> Result<String, String> {
    let is_number = |number: &str| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_numbered = text.strip_prefix("cuda:").is_some_and(is_number);
    if matches!(text, "host" | "cuda") || is_numbered || is_pci_bus_id(text) {
        return Ok(text.to_owned());
    }
    Err("devices are called `host`, `cuda`, `cuda:0` and so on, or by a PCI bus id; see `gpurepl devices`"
        .to_owned())
}

/// `0000:3b:00.0`, or without the domain.
fn is_pci_bus_id(text: &str) -> bool {
    let is_hexadecimal = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let Some((bus, function)) = text.rsplit_once('.') else { return false };
    let parts: Vec<&str> = bus.split(':').collect();
    (2..=3).contains(&parts.len()) && parts.into_iter().chain([function]).all(is_hexadecimal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_holds_together() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_command_that_is_misspelt_was_a_file_that_is_not_there() {
        assert_eq!(Arguments::near_command("tutoral").as_deref(), Some("tutorial"));
        assert_eq!(Arguments::near_command("devcies").as_deref(), Some("devices"));
        assert_eq!(Arguments::near_command("script.rs"), None);
        assert_eq!(Arguments::near_command("a"), None);
    }

    #[test]
    fn what_is_no_device_is_refused() {
        for text in ["host", "cuda", "cuda:12", "0000:3b:00.0", "3b:00.0"] {
            assert!(Arguments::try_parse_from(["gpurepl", "--device", text]).is_ok(), "{text}");
        }
        for text in ["opencl", "cuda:", "cuda:x", "3b:00", ""] {
            assert!(Arguments::try_parse_from(["gpurepl", "--device", text]).is_err(), "{text}");
        }
    }

    #[test]
    fn a_file_and_a_subcommand_are_told_apart() {
        let arguments = Arguments::parse_from(["gpurepl", "demo.rs"]);
        assert!(arguments.command.is_none() && arguments.script().is_some());
        let arguments = Arguments::parse_from(["gpurepl", "devices", "--device", "host"]);
        assert!(matches!(arguments.command, Some(Command::Devices)) && arguments.script().is_none());
        let arguments = Arguments::parse_from(["gpurepl", "cache", "clear"]);
        assert!(matches!(arguments.command, Some(Command::Cache { what: Some(Cache::Clear) })));
        let arguments = Arguments::parse_from(["gpurepl", "cache"]);
        assert!(matches!(arguments.command, Some(Command::Cache { what: None })));
        assert!(Arguments::try_parse_from(["gpurepl", "cache", "everything"]).is_err());
        assert!(Arguments::try_parse_from(["gpurepl", "-e", "1", "demo.rs"]).is_err());
        let sanitize = |words: &[&str]| Arguments::try_parse_from([&["gpurepl", "sanitize"], words].concat());
        let arguments =
            sanitize(&["--tool", "racecheck", "--device", "host", "a.rs", "b", "--tool"]).unwrap();
        let Some(Command::Sanitize(named)) = arguments.command else { panic!("no subcommand") };
        assert_eq!(
            (named.tool, named.script_arguments),
            (Tool::Racecheck, vec!["b".into(), "--tool".into()])
        );
        assert_eq!(arguments.device.as_deref(), Some("host"));
        assert!(sanitize(&["-e", "1"]).is_ok() && sanitize(&[]).is_err());
        assert!(
            sanitize(&["--tool", "valgrind", "a.rs"]).is_err() && sanitize(&["-e", "1", "a.rs"]).is_err()
        );
        // What follows the file is the script's, whatever it looks like.
        let arguments =
            Arguments::parse_from(["gpurepl", "--device", "host", "demo.rs", "a", "--device", "-h"]);
        assert_eq!(arguments.script, ["demo.rs", "a", "--device", "-h"]);
        assert_eq!(arguments.device.as_deref(), Some("host"));
        assert_eq!(Arguments::parse_from(["gpurepl", "-e", "-1"]).eval, ["-1"]);
        let arguments = Arguments::parse_from(["gpurepl", "-i", "--time", "demo.rs", "-i", "--quiet"]);
        assert!(arguments.interactive && arguments.time && !arguments.quiet);
        assert_eq!(arguments.script, ["demo.rs", "-i", "--quiet"]);
        assert!(Arguments::try_parse_from(["gpurepl", "--nonsense", "demo.rs"]).is_err());
    }
}
