//! Ranks that `mpiexec` has started: on one machine the first of them is the session, and the others become its
//! workers, so that each cell is compiled once.
//!
//! The first one listens at a socket whose name follows from the job, in Linux's abstract namespace: no file is left
//! behind, and nothing comes from the network. Either side makes sure that the other one is this user's. A rank
//! opens three connections, for frames, standard output and standard error, and becomes a worker by `exec`: its
//! process, which MPI knows, stays.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gpurepl_wire::worker_mode::WORKER;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sys::socket::{getsockopt, sockopt::PeerCredentials};
use serde::{Deserialize, Serialize};

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

/// How long a rank may take to come.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long a rank may take to say a line.
const LINE: Duration = Duration::from_secs(5);

/// The longest line: the arguments and variables of a worker.
const LONGEST: usize = 1 << 22;

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
            // Who starts all ranks of a machine is the parent of each.
            let job = variable(job).filter(|job| !job.is_empty());
            let job = job.map_or_else(|| parent.to_string(), |job| job.to_string_lossy().into_owned());
            let user = nix::unistd::geteuid().as_raw();
            Some(Launched { rank, ranks, name: format!("gpurepl-{user}-{job}-{ranks}") })
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
        let listener = UnixListener::bind_addr(&self.address()?)?;
        listener.set_nonblocking(true)?;
        Ok(Meeting { listener, ranks: self.ranks, waiting: Mutex::default(), started: Mutex::default() })
    }

    /// Makes this process a worker of the first rank's session: what the others do. Returns why it could not.
    pub fn join(&self) -> String {
        match self.become_worker() {
            Ok(never) => match never {},
            Err(error) => format!("rank {} could not join the session of rank 0: {error}", self.rank),
        }
    }

    fn become_worker(&self) -> io::Result<std::convert::Infallible> {
        let frames = self.connect(Purpose::Frames)?;
        // As long as the first one takes to get ready: it may have the prelude to build.
        let start = read_line(&frames, None)?;
        let start: Start = serde_json::from_slice(&start).map_err(io::Error::other)?;
        let (stdout, stderr) = (self.connect(Purpose::Stdout)?, self.connect(Purpose::Stderr)?);
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
        if let Some(folder) = &start.folder {
            command.current_dir(folder);
        }
        command.env(WORKER[0], frames.as_raw_fd().to_string()).stdin(Stdio::null());
        command.stdout(OwnedFd::from(stdout)).stderr(OwnedFd::from(stderr));
        Err(command.exec())
    }

    /// Connects to the first rank, which may not be there yet.
    fn connect(&self, purpose: Purpose) -> io::Result<UnixStream> {
        let (address, start) = (self.address()?, Instant::now());
        let stream = loop {
            match UnixStream::connect_addr(&address) {
                Ok(stream) => break stream,
                Err(error)
                    if error.kind() == io::ErrorKind::ConnectionRefused && start.elapsed() < PATIENCE =>
                {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(error) => return Err(error),
            }
        };
        check_user(&stream)?;
        let hello = Hello { rank: self.rank, purpose, version: VERSION.to_owned() };
        write_line(&stream, &serde_json::to_vec(&hello).map_err(io::Error::other)?)?;
        Ok(stream)
    }
}

/// Both sides are to be the same program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Purpose {
    Frames,
    Stdout,
    Stderr,
}

/// What a rank says first on each of its connections.
#[derive(Debug, Serialize, Deserialize)]
struct Hello {
    rank: usize,
    purpose: Purpose,
    version: String,
}

/// What a rank is told to become.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Start {
    /// What cells see as their program's arguments, its name first.
    pub(crate) arguments: Vec<OsString>,
    /// Variables to set, or to remove.
    pub(crate) environment: Vec<(OsString, Option<OsString>)>,
    /// Where it runs, if not where it is.
    pub(crate) folder: Option<PathBuf>,
}

impl Start {
    /// As a command would be started, with other arguments.
    pub(crate) fn of(command: &Command, arguments: &[OsString]) -> Start {
        let environment = command.get_envs();
        Start {
            arguments: arguments.to_vec(),
            environment: environment
                .map(|(name, value)| (name.to_owned(), value.map(OsStr::to_owned)))
                .collect(),
            folder: command.get_current_dir().map(Into::into),
        }
    }
}

/// Where the first rank meets the others.
#[derive(Debug)]
pub struct Meeting {
    listener: UnixListener,
    ranks: usize,
    /// Connections that have come before they were asked for.
    waiting: Mutex<Vec<(usize, Purpose, UnixStream)>>,
    /// Those that have become workers.
    started: Mutex<BTreeSet<usize>>,
}

/// A rank that has become a worker.
#[derive(Debug)]
pub(crate) struct Joined {
    pub(crate) frames: UnixStream,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
    /// Its process.
    pub(crate) process: i32,
}

impl Meeting {
    /// How many ranks there are, the first one included.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// Has a rank become a worker.
    pub(crate) fn start(&self, rank: usize, start: &Start) -> Result<Joined, String> {
        if !lock(&self.started).insert(rank) {
            return Err(format!(
                "rank {rank} of this job has been a worker and has ended\n  = help: start the job again"
            ));
        }
        let failed = |error: io::Error| format!("rank {rank} of this job could not be started: {error}");
        let frames = self.connection(rank, Purpose::Frames).map_err(failed)?;
        let process = getsockopt(&frames, PeerCredentials).map_err(|error| failed(error.into()))?.pid();
        let line = serde_json::to_vec(start).map_err(|error| failed(io::Error::other(error)))?;
        write_line(&frames, &line).map_err(failed)?;
        let stdout = self.connection(rank, Purpose::Stdout).map_err(failed)?.into();
        let stderr = self.connection(rank, Purpose::Stderr).map_err(failed)?.into();
        Ok(Joined { frames, stdout, stderr, process })
    }

    fn connection(&self, rank: usize, purpose: Purpose) -> io::Result<UnixStream> {
        let mut waiting = lock(&self.waiting);
        let start = Instant::now();
        loop {
            let at = waiting.iter().position(|(other, what, _)| (*other, *what) == (rank, purpose));
            if let Some(at) = at {
                return Ok(waiting.swap_remove(at).2);
            }
            match self.listener.accept() {
                Ok((stream, _)) => match self.hello(&stream) {
                    Ok(hello) => waiting.push((hello.rank, hello.purpose, stream)),
                    Err(error) if error.kind() == io::ErrorKind::Unsupported => return Err(error),
                    // Somebody else's.
                    Err(_) => {}
                },
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if start.elapsed() > PATIENCE {
                        return Err(io::Error::other(format!(
                            "it has not come within {} s; with `--workers 1` each rank is a session of its own",
                            PATIENCE.as_secs()
                        )));
                    }
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn hello(&self, stream: &UnixStream) -> io::Result<Hello> {
        stream.set_nonblocking(false)?;
        check_user(stream)?;
        let hello: Hello =
            serde_json::from_slice(&read_line(stream, Some(LINE))?).map_err(io::Error::other)?;
        if hello.version != VERSION {
            let message = format!(
                "rank {} is gpurepl {}, and rank 0 is {VERSION}; start the same program on all",
                hello.rank, hello.version
            );
            return Err(io::Error::new(io::ErrorKind::Unsupported, message));
        }
        if hello.rank == 0 || hello.rank >= self.ranks {
            return Err(io::Error::other("there is no such rank"));
        }
        Ok(hello)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes sure that the process at the other end is this user's.
fn check_user(stream: &UnixStream) -> io::Result<()> {
    let (own, other) = (nix::unistd::geteuid().as_raw(), getsockopt(stream, PeerCredentials)?.uid());
    if own == other {
        Ok(())
    } else {
        Err(io::Error::other(format!("user {other} listens in place of {own}")))
    }
}

fn write_line(mut stream: &UnixStream, line: &[u8]) -> io::Result<()> {
    stream.write_all(&[line, b"\n"].concat())
}

/// A line, and nothing behind it.
fn read_line(mut stream: &UnixStream, limit: Option<Duration>) -> io::Result<Vec<u8>> {
    stream.set_read_timeout(limit)?;
    let (mut line, mut byte) = (Vec::new(), [0]);
    while line.len() < LONGEST {
        if stream.read(&mut byte)? == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the other side has ended"));
        }
        if byte == *b"\n" {
            stream.set_read_timeout(None)?;
            return Ok(line);
        }
        line.push(byte[0]);
    }
    Err(io::Error::other("a line without an end"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Option<Launched> {
        let variable =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into());
        Launched::read(&variable, 77)
    }

    #[test]
    fn ranks_of_one_machine_are_known() {
        let open = |rank, ranks, local| {
            read(&[
                ("OMPI_COMM_WORLD_RANK", rank),
                ("OMPI_COMM_WORLD_SIZE", ranks),
                ("OMPI_COMM_WORLD_LOCAL_SIZE", local),
                ("PMIX_NAMESPACE", "job"),
            ])
        };
        let (first, second) = (open("0", "2", "2").unwrap(), open("1", "2", "2").unwrap());
        assert_eq!((first.rank, first.ranks, second.rank), (0, 2, 1));
        assert_eq!(first.name, second.name);
        // One rank is a session as always, and so are those of several machines.
        assert_eq!((open("0", "1", "1"), open("0", "4", "2"), open("5", "4", "4")), (None, None, None));
        let hydra = read(&[("PMI_RANK", "1"), ("PMI_SIZE", "3"), ("MPI_LOCALNRANKS", "3")]).unwrap();
        assert!(hydra.name.ends_with("-77-3"), "{}", hydra.name);
        // A worker of a session.
        assert_eq!(
            read(&[("GPUREPL_RANK", "0"), ("PMI_RANK", "1"), ("PMI_SIZE", "3"), ("MPI_LOCALNRANKS", "3")]),
            None
        );
        assert_eq!(read(&[]), None);
    }

    /// A job of this test alone.
    fn job(rank: usize, name: &str) -> Launched {
        Launched { rank, ranks: 3, name: format!("gpurepl-test-{}-{name}", std::process::id()) }
    }

    #[test]
    fn ranks_meet_in_any_order_and_others_are_turned_away() {
        let meeting = job(0, "meet").listen().unwrap();
        assert!(job(0, "meet").listen().is_err(), "two sessions of one job");
        let start =
            Start { arguments: vec!["name".into()], environment: vec![("A".into(), None)], folder: None };
        std::thread::scope(|scope| {
            let of = |rank: usize| {
                scope.spawn(move || {
                    let frames = job(rank, "meet").connect(Purpose::Frames).unwrap();
                    let line = read_line(&frames, None).unwrap();
                    for purpose in [Purpose::Stderr, Purpose::Stdout] {
                        let mut stream = job(rank, "meet").connect(purpose).unwrap();
                        write!(stream, "{rank}").unwrap();
                    }
                    line
                })
            };
            // Garbage, silence, and a rank that there is not.
            let garbage = UnixStream::connect_addr(&job(0, "meet").address().unwrap()).unwrap();
            write_line(&garbage, b"GET / HTTP/1.1").unwrap();
            drop(UnixStream::connect_addr(&job(0, "meet").address().unwrap()).unwrap());
            drop(job(9, "meet").connect(Purpose::Frames));
            let lines = [of(2), of(1)];
            for rank in [1, 2] {
                let joined = meeting.start(rank, &start).unwrap();
                assert_eq!(joined.process, std::process::id() as i32);
                let mut text = String::new();
                std::fs::File::from(joined.stdout).read_to_string(&mut text).unwrap();
                assert_eq!(text, rank.to_string());
            }
            for line in lines {
                let line = line.join().unwrap();
                let told: Start = serde_json::from_slice(&line).unwrap();
                assert_eq!(
                    (told.arguments, told.environment),
                    (start.arguments.clone(), start.environment.clone())
                );
            }
        });
    }

    #[test]
    fn another_version_is_named() {
        let meeting = job(0, "version").listen().unwrap();
        let stream = UnixStream::connect_addr(&job(0, "version").address().unwrap()).unwrap();
        write_line(&stream, br#"{"rank":1,"purpose":"Frames","version":"0.0.1"}"#).unwrap();
        let start = Start { arguments: Vec::new(), environment: Vec::new(), folder: None };
        let problem = meeting.start(1, &start).unwrap_err();
        assert!(problem.contains("rank 1 is gpurepl 0.0.1, and rank 0 is"), "{problem}");
    }
}
