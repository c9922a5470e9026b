//! `gpurepl-jupyter`: a Jupyter kernel over [`gpurepl_session::Session`].
//!
//! | module | what it holds |
//! |---|---|
//! | `arguments`, `kernelspec` | the command line; the registration with Jupyter |
//! | `run` | the kernel as a whole, from its start to its end |
//! | `kernel`, `queue` | what all its parts share; what waits for the thread that evaluates |
//! | `connection`, `door`, `guard` | where clients connect, and what may come in |
//! | `message`, `media` | messages and bundles, checked and typed |
//! | `channel` | the channels, a file each |
//! | `request` | what clients ask on them |
//! | `execution` | the thread that evaluates cells |
//! | `answer` | what is answered without a cell |
//! | `history`, `comms` | earlier cells; lines to things in front ends |
//! | `parent` | the end of a kernel whose server is gone |
#![warn(missing_docs)]

mod answer;
mod arguments;
mod channel;
mod comms;
mod connection;
mod door;
mod error;
mod execution;
mod guard;
mod history;
mod identity;
mod kernel;
mod kernelspec;
mod log;
mod media;
mod message;
mod parent;
mod queue;
mod request;
mod run;
mod tutorial;
mod widgets;

use std::error::Error;
use std::process::ExitCode;

use clap::Parser as _;

use arguments::{Arguments, Command};

fn main() -> ExitCode {
    gpurepl_session::run_if_worker();
    match obey(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            log::line(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn obey(command: Command) -> Result<(), Box<dyn Error>> {
    match command {
        Command::Install(options) => {
            let folder = kernelspec::install(&options)?;
            println!("installed `{}` as {}", options.display_name, folder.display());
        }
        Command::Uninstall(options) => println!("removed {}", kernelspec::uninstall(&options)?.display()),
        Command::Tutorial { folder, open } => tutorial::run(&folder, open)?,
        Command::Join { address } => gpurepl_session::join(&address)?,
        Command::Run(options) => run::run(&options.file, options.device, &options.workers)?,
    }
    Ok(())
}
