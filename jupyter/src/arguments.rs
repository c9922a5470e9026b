//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use gpurepl_session::number_of_workers;

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
    /// How many workers run each cell of the kernel
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = number_of_workers)]
    pub workers: usize,
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
    /// How many workers run each cell
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = number_of_workers)]
    pub workers: usize,
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
    }
}
