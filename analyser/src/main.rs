//! `gpurepl-analyser`: what gpurepl asks when it wants to know Rust as an
//! editor does, and evcxr as a second engine.
//!
//! It is a process of its own because it takes half a gigabyte of memory, and
//! because rust-analyzer may panic over a text that is half typed: a session
//! then starts it again. It speaks frames on its standard input and output,
//! and ends when its input does.
//!
//! | module | what it holds |
//! |---|---|
//! | `project` | the prelude and the standard library, loaded |
//! | `assist` | completion and hovers |
//! | `serve` | requests in, replies out |
//! | `second_engine` | evcxr behind frames |
#![warn(missing_docs)]

mod assist;
mod project;
mod second_engine;
mod serve;

use std::fs::File;
use std::os::fd::AsFd as _;
use std::process::ExitCode;

const USAGE: &str = "\
gpurepl-analyser is started by gpurepl, which finds it beside itself, on PATH, or by
GPUREPL_ANALYSER.

Usage: gpurepl-analyser analyse    completion and documentation, as frames on stdin and stdout
       gpurepl-analyser evcxr      the engine behind `gpurepl --engine evcxr`
       gpurepl-analyser --version";

fn main() -> ExitCode {
    // This process is also the one that runs evcxr's cells, and the compiler
    // that evcxr has cargo call.
    evcxr::runtime_hook();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let run = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["analyse"] => serve::run,
        ["evcxr"] => second_engine::run,
        ["--version" | "-V"] => {
            println!("gpurepl-analyser {}", env!("CARGO_PKG_VERSION"));
            return ExitCode::SUCCESS;
        }
        ["--help" | "-h"] => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match channel().and_then(run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gpurepl-analyser: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The way to the session: standard output, which from now on is standard
/// error for all others, so that nothing printed can pass for a frame.
fn channel() -> anyhow::Result<File> {
    let output = std::io::stdout().as_fd().try_clone_to_owned()?;
    nix::unistd::dup2_stdout(std::io::stderr().as_fd())?;
    Ok(File::from(output))
}
