//! Ranks that `mpiexec` has started: on one machine the first of them is the session, and the others become its
//! workers, so that each cell is compiled once.
//!
//! The first one listens at a socket whose name follows from the job, in Linux's abstract namespace: no file is left
//! behind, and nothing comes from the network. Either side makes sure that the other one is this user's. A rank
//! connects, is given pipes for its output and told what to become, and becomes that by `exec`: its process, which MPI
//! knows, stays. The connection is the worker's channel.

mod meeting;
mod talk;
#[cfg(test)]
mod tests;

pub(crate) use meeting::Joined;
pub use meeting::Meeting;
pub(crate) use talk::Start;

use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gpurepl_wire::worker_mode::WORKER;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};

use talk::{Hello, check_user, read_line, received, write_line};

/// A rank of a job of `mpiexec` on one machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launched {
    /// Its number.
    pub rank: usize,
    /// How many there are.
    pub ranks: usize,
    /// What the job is called here.
    name: String,
}

/// The variables of those who start ranks: the number of one, how many there are, how many are on this machine, and
/// what stands for the job, if anything does.
const VARIABLES: [[&str; 4]; 2] = [
    ["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "PMIX_NAMESPACE"],
    ["PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS", "PMI_JOBID"],
];

/// How long all ranks together may take to come.
const PATIENCE: Duration = Duration::from_secs(60);

/// How to have it as it was.
const HELP: &str = "with `--workers 1` each rank is a session of its own";

impl Launched {
    /// What the environment says: none, if `mpiexec` has not started this process with others, or not all of them
    /// on this machine.
    pub fn by_environment() -> Option<Launched> {
        let parent = nix::unistd::getppid().as_raw();
        Launched::read(&|name| std::env::var_os(name), parent)
    }

    fn read(variable: &dyn Fn(&str) -> Option<OsString>, parent: i32) -> Option<Launched> {
        // The worker of a session is a rank already.
        if variable("GPUREPL_RANK").is_some() {
            return None;
        }
        let number = |name: &str| variable(name)?.to_str()?.trim().parse::<usize>().ok();
        VARIABLES.iter().find_map(|[rank, ranks, local, job]| {
            let (rank, ranks, local) = (number(rank)?, number(ranks)?, number(local)?);
            if ranks < 2 || rank >= ranks || local != ranks || ranks > crate::ranks::MOST_WORKERS {
                return None;
            }
            // Who starts all ranks of a machine is the parent of each. Containers may have the same numbers and names.
            let job =
                variable(job).filter(|job| !job.is_empty()).unwrap_or_else(|| parent.to_string().into());
            let space = std::fs::metadata("/proc/self/ns/pid").map_or(0, |space| space.ino());
            let mut hasher = DefaultHasher::new();
            (job, ranks, space).hash(&mut hasher);
            let user = nix::unistd::geteuid().as_raw();
            Some(Launched { rank, ranks, name: format!("gpurepl-{user}-{:016x}", hasher.finish()) })
        })
    }

    fn address(&self) -> io::Result<SocketAddr> {
        SocketAddr::from_abstract_name(&self.name)
    }

    /// Listens for the other ranks: what the first one does, before anything that takes time.
    ///
    /// # Errors
    ///
    /// If the socket cannot be made, or another process listens there.
    pub fn listen(&self) -> io::Result<Meeting> {
        Meeting::new(UnixListener::bind_addr(&self.address()?)?, self.ranks)
    }

    /// Makes this process a worker of the first rank's session: what the others do. Returns why it could not. If the
    /// session ends without a worker, so does this process.
    pub fn join(&self) -> String {
        match self.become_worker() {
            Ok(never) => match never {},
            Err(error) => {
                format!("rank {} could not join the session of rank 0: {error}\n  = help: {HELP}", self.rank)
            }
        }
    }

    fn become_worker(&self) -> io::Result<std::convert::Infallible> {
        let frames = self.connect()?;
        // As long as the first one takes to get ready: it may have the prelude to build.
        let [stdout, stderr] = match received(&frames)? {
            Some(pipes) => pipes,
            None => std::process::exit(0),
        };
        let start: Start = serde_json::from_slice(&read_line(&frames, None)?).map_err(io::Error::other)?;
        fcntl(&frames, FcntlArg::F_SETFD(FdFlag::empty()))?;
        let mut command = Command::new(std::env::current_exe()?);
        if let Some((name, arguments)) = start.arguments.split_first() {
            command.arg0(name).args(arguments);
        }
        for (name, value) in &start.environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(threads) = crate::ranks::threads_of_rank(self.ranks) {
            command.env("RAYON_NUM_THREADS", threads.to_string());
        }
        if let Some(folder) = &start.folder {
            command.current_dir(folder);
        }
        command.env(WORKER[0], frames.as_raw_fd().to_string()).stdin(Stdio::null());
        Err(command.stdout(stdout).stderr(stderr).exec())
    }

    /// Connects to the first rank, which may not be there yet.
    fn connect(&self) -> io::Result<UnixStream> {
        let (address, start) = (self.address()?, Instant::now());
        let stream = loop {
            match UnixStream::connect_addr(&address) {
                Ok(stream) => break stream,
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                    if start.elapsed() >= PATIENCE {
                        let message = format!("it has not come within {} s", PATIENCE.as_secs());
                        return Err(io::Error::other(message));
                    }
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(error) => return Err(error),
            }
        };
        check_user(&stream)?;
        write_line(&stream, &serde_json::to_vec(&Hello::of(self.rank)).map_err(io::Error::other)?)?;
        Ok(stream)
    }
}
