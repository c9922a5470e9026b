//! Workers that something else starts, on this machine or on others: `srun`, `mpiexec`, `ssh`, or the user by hand.
//!
//! Each of them is a *place*: the program as `gpurepl join`, which connects back to the session, is told what to run,
//! and passes on what the worker beneath it says. Over `ssh` the connection is its standard input and output, and
//! nothing listens anywhere. Else the session listens, on the loopback interface unless it is asked for more, until
//! all have come; both sides prove that they have the token of this job, and what they say is enciphered
//! ([`handshake`]).
//!
//! This part knows of connections and of those who start places. What runs over them is in `worker/`: `remote.rs` on
//! the session's side, `place.rs` on the other.

mod handshake;
mod job;
mod launch;
mod link;
mod listener;
mod machine;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::net::{TcpStream, ToSocketAddrs as _};
use std::os::fd::AsFd as _;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use handshake::Token;
pub(crate) use job::{Job, allow_files};
pub use launch::Launch;
pub(crate) use link::{Kind, Link, Reader, Writer, cut};
pub(crate) use machine::host;

/// What a place says first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Hello {
    pub(crate) version: String,
    /// What the program was built from, as far as workers have to do with it.
    pub(crate) sources: String,
    /// Its processor's architecture.
    pub(crate) architecture: String,
    /// What the machine is called.
    pub(crate) host: String,
    /// The same for those that share memory, and no others.
    pub(crate) machine: String,
    /// Its number and how many there are, if who has started it says so.
    pub(crate) rank: Option<(usize, usize)>,
    /// Whether that was MPI's: then it may wait for others where nothing else ends it.
    pub(crate) is_mpi: bool,
}

impl Hello {
    pub(crate) fn own() -> Hello {
        let (rank, is_mpi) = machine::rank(&|name| std::env::var(name).ok());
        Hello {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            sources: crate::store::sources_hash(),
            architecture: std::env::consts::ARCH.to_owned(),
            host: host(),
            machine: machine::name(),
            rank,
            is_mpi,
        }
    }

    /// Why this place cannot work for a session that would say `own` of itself.
    fn unlike(&self, own: &Hello) -> Option<String> {
        if (&self.version, &self.sources) != (&own.version, &own.sources) {
            let both = if self.version == own.version {
                format!("another build of gpurepl {} than here", own.version)
            } else {
                format!("gpurepl {}, here it is {}", self.version, own.version)
            };
            return Some(format!("{} has {both}\n  = help: install the same one on all machines", self.host));
        }
        (self.architecture != own.architecture).then(|| {
            format!(
                "{} is a machine of another kind ({}) than this one ({}), for which cells are compiled",
                self.host, self.architecture, own.architecture
            )
        })
    }
}

/// What a place is to start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Start {
    pub(crate) rank: usize,
    pub(crate) ranks: usize,
    /// Its number among those of its machine, and how many these are.
    pub(crate) local: (usize, usize),
    /// Where the ranks of its machine meet: a name beneath its shared memory. None if there is one rank.
    pub(crate) group: Option<String>,
    /// A number for the machine of each rank; none if all are on one.
    pub(crate) machines: Vec<usize>,
    /// What cells see as their program's arguments, its name first.
    pub(crate) arguments: Vec<OsString>,
    /// Variables to set, or to remove.
    pub(crate) environment: Vec<(OsString, Option<OsString>)>,
    /// Where the session runs.
    pub(crate) folder: Option<PathBuf>,
    /// The standard library, and the prelude.
    pub(crate) libraries: [Library; 2],
}

/// A library that a worker loads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Library {
    /// Where the session has it.
    pub(crate) path: PathBuf,
    /// What is in it, by BLAKE3.
    pub(crate) hash: String,
}

/// What a place says of the worker that it has started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Started {
    pub(crate) process: i32,
    /// Where files go that the session sends.
    pub(crate) files: PathBuf,
}

/// How long a connection may take to be made.
const CONNECTING: Duration = Duration::from_secs(20);

/// Connects to a session that listens at an address, with the token of the environment.
///
/// # Errors
///
/// If there is no token, nobody listens there, or whoever does has another token; with what to do about it.
pub(crate) fn connect(address: &str) -> Result<Link, String> {
    let token = std::env::var(handshake::TOKEN).ok();
    let Some(token) = token else {
        return Err(format!(
            "{} is not set, by which the session knows those that it has started\n  = help: have it passed on to this \
             machine: `mpiexec -x {0}`, `srun --export=ALL`",
            handshake::TOKEN
        ));
    };
    let Some(token) = Token::read(&token) else {
        return Err(format!("{} is not a token: it has 64 hexadecimal digits", handshake::TOKEN));
    };
    let failed = |error: std::io::Error| {
        let mut text = format!("the session at {address} cannot be reached: {error}");
        if address.starts_with("127.") || address.starts_with("localhost") {
            text += "\n  = help: it listens on its own machine alone; if that is another one, start it with `--listen \
                     ADDRESS`, an address by which this machine reaches it";
        }
        text
    };
    let addresses = address.to_socket_addrs().map_err(failed)?;
    let mut last = std::io::Error::other("it has no address");
    for address in addresses {
        match TcpStream::connect_timeout(&address, CONNECTING) {
            Ok(stream) => return handshake::ask(stream, &token).map_err(failed),
            Err(error) => last = error,
        }
    }
    Err(failed(last))
}

/// The connection of a place that ssh has started: its standard input and output.
///
/// # Errors
///
/// If they are closed.
pub(crate) fn standard_streams() -> std::io::Result<Link> {
    let read = std::io::stdin().as_fd().try_clone_to_owned()?;
    let write = std::io::stdout().as_fd().try_clone_to_owned()?;
    let link = Link::new(read, write, None);
    link.mark()?;
    Ok(link)
}

/// The variable with the token, which is for nobody else to see.
pub(crate) const TOKEN: &str = handshake::TOKEN;
