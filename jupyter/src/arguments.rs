//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use gpurepl_session::{Launch, number_of_workers};

/// A Jupyter kernel for GPU scripting in Rust.
#[derive(Debug, Parser)]
#[command(name = "gpurepl-jupyter", version, arg_required_else_help = true)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Install this kernel for Jupyter
    Install(Install),
    /// Remove this kernel from Jupyter
    Uninstall(Uninstall),
    /// Run the kernel; Jupyter calls this
    Run(Run),
    /// Copy the notebooks of the course into a folder, and say how to open them
    Tutorial {
        /// The folder; it is made if it is not there
        #[arg(default_value = "gpurepl-course")]
        folder: PathBuf,
        /// Open it in JupyterLab
        #[arg(long)]
        open: bool,
    },
    /// Run a worker for a kernel that listens at an address, as `--launch` has it done; `-` is the standard streams
    Join {
        /// Where the kernel listens
        #[arg(value_name = "ADDRESS")]
        address: String,
    },
}

/// Where Jupyter looks for kernels.
#[derive(Args, Clone, Debug, Default)]
#[group(multiple = false)]
pub struct Place {
    /// For this user; the default
    #[arg(long)]
    pub user: bool,
    /// In PREFIX/share/jupyter
    #[arg(long, value_name = "PREFIX")]
    pub prefix: Option<PathBuf>,
    /// In the active Python environment
    #[arg(long)]
    pub sys_prefix: bool,
}

/// Options of `install`.
#[derive(Args, Debug)]
pub struct Install {
    /// Where to.
    #[command(flatten)]
    pub place: Place,
    /// The name of the kernel in notebooks
    #[arg(long, default_value = "gpurepl")]
    pub name: String,
    /// The name of the kernel in menus
    #[arg(long, default_value = "Rust (gpurepl)")]
    pub display_name: String,
    /// An environment variable of the kernel; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub env: Vec<(String, String)>,
    /// Which workers run its cells.
    #[command(flatten)]
    pub workers: Workers,
}

/// Which workers run the cells of a kernel.
#[derive(Args, Clone, Debug, Default)]
pub struct Workers {
    /// How many workers run each cell
    #[arg(long, value_name = "NUMBER", value_parser = number_of_workers)]
    pub workers: Option<usize>,
    /// What starts the workers elsewhere: `srun -n 16`, `mpiexec -n 8 -hostfile hosts`, `ssh node1 node2*4`
    #[arg(long, value_name = "COMMAND")]
    pub launch: Option<String>,
    /// Where to listen for workers that start elsewhere: an address of this machine; 127.0.0.1 if it is not given
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<String>,
}

impl Workers {
    /// As arguments of `run`.
    pub fn arguments(&self) -> Vec<String> {
        let is_elsewhere = self.launch.is_some() || self.listen.is_some();
        let number =
            self.workers.filter(|number| *number > 1 || is_elsewhere).map(|number| number.to_string());
        let parts =
            [("--workers", number), ("--launch", self.launch.clone()), ("--listen", self.listen.clone())];
        parts.into_iter().filter_map(|(name, value)| Some([name.to_owned(), value?])).flatten().collect()
    }

    /// What starts them elsewhere, if anything does.
    ///
    /// # Errors
    ///
    /// If that is not a command, or it is not known how many there are.
    pub fn launch(&self) -> Result<Option<Launch>, String> {
        Launch::read(self.launch.as_deref(), self.workers, self.listen.as_deref())
    }
}

/// Options of `uninstall`.
#[derive(Args, Debug)]
pub struct Uninstall {
    /// Where from.
    #[command(flatten)]
    pub place: Place,
    /// The name of the kernel in notebooks
    #[arg(long, default_value = "gpurepl")]
    pub name: String,
}

/// Options of `run`.
#[derive(Args, Debug)]
pub struct Run {
    /// The connection file
    #[arg(short, long, value_name = "FILE")]
    pub file: PathBuf,
    /// The device that cells use, as GPUREPL_DEVICE names it: cuda:0, host
    #[arg(long)]
    pub device: Option<String>,
    /// Which workers run its cells.
    #[command(flatten)]
    pub workers: Workers,
}

fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("a name, `=` and a value are expected".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_holds_together() {
        Arguments::command().debug_assert();
        let arguments = ["gpurepl-jupyter", "install", "--prefix", "/p", "--env", "A=b=c", "--env", "B="];
        let Command::Install(install) = Arguments::parse_from(arguments).command else {
            panic!("it is another command");
        };
        let expected = [("A", "b=c"), ("B", "")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(install.env, expected);
        assert!(Arguments::try_parse_from(["gpurepl-jupyter", "install", "--env", "A"]).is_err());
        assert!(Arguments::try_parse_from(["gpurepl-jupyter", "install", "--user", "--sys-prefix"]).is_err());
        assert!(Arguments::try_parse_from(["gpurepl-jupyter", "install", "--workers", "0"]).is_err());
        let arguments = ["gpurepl-jupyter", "install", "--launch", "srun -n 4", "--listen", "node0"];
        let Command::Install(install) = Arguments::parse_from(arguments).command else {
            panic!("it is another command");
        };
        assert_eq!(install.workers.arguments(), ["--launch", "srun -n 4", "--listen", "node0"]);
        assert_eq!(install.workers.launch().unwrap().unwrap().count(), 4);
    }
}
