//! Ranks that `mpiexec` has started: on one machine the first of them is the session, and the others become its
//! workers, so that each cell is compiled once.
//!
//! The first one listens at a socket whose name follows from the job, in Linux's abstract namespace: no file is left
//! behind, and nothing comes from the network. Either side makes sure that the other one is this user's. A rank
//! connects, is given pipes for its output and told what to become, and becomes that by `exec`: its process, which MPI
//! knows, stays. The connection is the worker's channel.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, IoSlice, IoSliceMut, Read as _, Write as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use gpurepl_wire::worker_mode::WORKER;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sys::socket::sockopt::PeerCredentials;
use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, getsockopt, recvmsg, sendmsg};
use serde::{Deserialize, Serialize};

use crate::interrupt::Interrupter;

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

/// How long a rank may take to say a line.
const LINE: Duration = Duration::from_secs(5);

/// The longest line: the arguments and variables of a worker.
const LONGEST: usize = 1 << 22;

/// What a rank is told first: what to become follows, or that it is not needed.
const START: u8 = b'S';
const END: u8 = b'E';

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
        let listener = UnixListener::bind_addr(&self.address()?)?;
        listener.set_nonblocking(true)?;
        Ok(Meeting {
            listener: Mutex::new(Some(listener)),
            ranks: self.ranks,
            own: Hello::of(0),
            waiting: Mutex::default(),
            started: Mutex::default(),
            deadline: OnceLock::new(),
        })
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

/// What a rank says first. Its program and arguments are to be those of the first one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Hello {
    rank: usize,
    version: String,
    /// The size of its executable file, which is another one of another build.
    size: u64,
    arguments: Vec<OsString>,
}

impl Hello {
    fn of(rank: usize) -> Hello {
        let size = std::fs::metadata("/proc/self/exe").map_or(0, |program| program.len());
        let arguments = std::env::args_os().skip(1).collect();
        Hello { rank, version: env!("CARGO_PKG_VERSION").to_owned(), size, arguments }
    }
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

/// Where the first rank meets the others. Those that are not needed are told when it is dropped.
#[derive(Debug)]
pub struct Meeting {
    /// None once all have come: what is started next by the job meets anew.
    listener: Mutex<Option<UnixListener>>,
    ranks: usize,
    own: Hello,
    /// Those that have come and were not asked for yet.
    waiting: Mutex<Vec<(usize, UnixStream)>>,
    /// Those that have become workers.
    started: Mutex<BTreeSet<usize>>,
    /// Until when all are to have come; from when the first one was asked for.
    deadline: OnceLock<Instant>,
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
    pub(crate) fn start(
        &self,
        rank: usize,
        start: &Start,
        interrupter: &Interrupter,
    ) -> Result<Joined, String> {
        if lock(&self.started).contains(&rank) {
            return Err(format!(
                "rank {rank} of this job has been a worker and has ended\n  = help: start the job again"
            ));
        }
        let failed = |error: io::Error| format!("rank {rank} of this job could not be started: {error}");
        let frames = self.connection(rank, interrupter).map_err(failed)?;
        let process = getsockopt(&frames, PeerCredentials).map_err(|error| failed(error.into()))?.pid();
        if process <= 0 {
            let message = format!("it runs in a container of its own, where it cannot be signalled; {HELP}");
            return Err(failed(io::Error::other(message)));
        }
        let line = serde_json::to_vec(start).map_err(|error| failed(io::Error::other(error)))?;
        let ((stdout, its_stdout), (stderr, its_stderr)) =
            io::pipe().and_then(|stdout| Ok((stdout, io::pipe()?))).map_err(failed)?;
        let pipes = [its_stdout.as_raw_fd(), its_stderr.as_raw_fd()];
        let rights = [ControlMessage::ScmRights(&pipes)];
        sendmsg::<()>(frames.as_raw_fd(), &[IoSlice::new(&[START])], &rights, MsgFlags::MSG_NOSIGNAL, None)
            .map_err(|error| failed(error.into()))?;
        write_line(&frames, &line).map_err(failed)?;
        let mut started = lock(&self.started);
        started.insert(rank);
        if started.len() + 1 == self.ranks {
            lock(&self.listener).take();
        }
        Ok(Joined { frames, stdout: stdout.into(), stderr: stderr.into(), process })
    }

    fn connection(&self, rank: usize, interrupter: &Interrupter) -> io::Result<UnixStream> {
        let deadline = *self.deadline.get_or_init(|| Instant::now() + PATIENCE);
        loop {
            let mut waiting = lock(&self.waiting);
            if let Some(at) = waiting.iter().position(|(other, _)| *other == rank) {
                return Ok(waiting.swap_remove(at).1);
            }
            drop(waiting);
            if interrupter.was_asked() {
                return Err(io::Error::other("interrupted"));
            }
            if Instant::now() > deadline {
                let message = format!("it has not come within {} s; {HELP}", PATIENCE.as_secs());
                return Err(io::Error::other(message));
            }
            if !self.take_one()? {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }

    /// Takes a connection, if there is one.
    fn take_one(&self) -> io::Result<bool> {
        let listener = lock(&self.listener);
        let Some(listener) = &*listener else { return Ok(false) };
        match listener.accept() {
            Ok((stream, _)) => match self.hello(&stream) {
                Ok(rank) => lock(&self.waiting).push((rank, stream)),
                Err(error) if error.kind() == io::ErrorKind::Unsupported => return Err(error),
                // Somebody else's.
                Err(_) => {}
            },
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            Err(error) => return Err(error),
        }
        Ok(true)
    }

    fn hello(&self, stream: &UnixStream) -> io::Result<usize> {
        stream.set_nonblocking(false)?;
        check_user(stream)?;
        let hello: Hello =
            serde_json::from_slice(&read_line(stream, Some(LINE))?).map_err(io::Error::other)?;
        let rank = hello.rank;
        if rank == 0 || rank >= self.ranks {
            return Err(io::Error::other("there is no such rank"));
        }
        let unlike = |what: String| Err(io::Error::new(io::ErrorKind::Unsupported, what));
        let own = &self.own;
        if (&hello.version, hello.size) != (&own.version, own.size) {
            return unlike(format!(
                "rank {rank} is another gpurepl ({}) than rank 0 ({}); start one program on all",
                hello.version, own.version
            ));
        }
        if hello.arguments != own.arguments {
            let told = hello.arguments.join(OsStr::new(" "));
            let message =
                format!("rank {rank} was started with other arguments, `{}`; {HELP}", told.display());
            return unlike(message);
        }
        Ok(rank)
    }
}

impl Drop for Meeting {
    fn drop(&mut self) {
        // Those that have come in vain: there was nothing to run.
        while matches!(self.take_one(), Ok(true)) {}
        for (_, mut stream) in lock(&self.waiting).drain(..) {
            let _ = stream.write_all(&[END]);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The pipes for standard output and standard error that a rank is given; none if it is not needed.
fn received(stream: &UnixStream) -> io::Result<Option<[OwnedFd; 2]>> {
    let mut byte = [0];
    let mut space = nix::cmsg_space!([RawFd; 2]);
    let mut into = [IoSliceMut::new(&mut byte)];
    let message = recvmsg::<()>(stream.as_raw_fd(), &mut into, Some(&mut space), MsgFlags::MSG_CMSG_CLOEXEC)?;
    let mut pipes = Vec::new();
    for control in message.cmsgs()? {
        if let ControlMessageOwned::ScmRights(descriptors) = control {
            // SAFETY: the kernel has just made these descriptors for this process, and nothing else knows of them.
            pipes.extend(descriptors.into_iter().map(|number| unsafe { OwnedFd::from_raw_fd(number) }));
        }
    }
    if message.bytes == 0 {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it has ended"));
    }
    match (byte[0], <[OwnedFd; 2]>::try_from(pipes)) {
        (START, Ok(pipes)) => Ok(Some(pipes)),
        (END, _) => Ok(None),
        _ => Err(io::Error::other("it speaks another language")),
    }
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
        let other = Launched::read(&|name| (name != "PMIX_NAMESPACE").then(|| "3".into()), 78);
        assert_eq!((hydra.rank, hydra.ranks, other), (1, 3, None));
        assert_eq!(
            hydra.name,
            read(&[("PMI_RANK", "2"), ("PMI_SIZE", "3"), ("MPI_LOCALNRANKS", "3")]).unwrap().name
        );
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

    fn stranger(name: &str) -> UnixStream {
        UnixStream::connect_addr(&job(0, name).address().unwrap()).unwrap()
    }

    fn start() -> Start {
        Start { arguments: vec!["name".into()], environment: vec![("A".into(), None)], folder: None }
    }

    #[test]
    fn ranks_meet_in_any_order_and_others_are_turned_away() {
        let meeting = job(0, "meet").listen().unwrap();
        assert!(job(0, "meet").listen().is_err(), "two sessions of one job");
        std::thread::scope(|scope| {
            let of = |rank: usize| {
                scope.spawn(move || {
                    let frames = job(rank, "meet").connect().unwrap();
                    let [stdout, stderr] = received(&frames).unwrap().unwrap();
                    write!(std::fs::File::from(stdout), "out {rank}").unwrap();
                    write!(std::fs::File::from(stderr), "err {rank}").unwrap();
                    read_line(&frames, None).unwrap()
                })
            };
            // Garbage, silence, and a rank that there is not.
            write_line(&stranger("meet"), b"GET / HTTP/1.1").unwrap();
            drop(stranger("meet"));
            drop(job(9, "meet").connect());
            let lines = [of(2), of(1)];
            for rank in [1, 2] {
                let joined = meeting.start(rank, &start(), &Interrupter::default()).unwrap();
                assert_eq!(joined.process, std::process::id() as i32);
                for (pipe, name) in [(joined.stdout, "out"), (joined.stderr, "err")] {
                    let mut text = String::new();
                    std::fs::File::from(pipe).read_to_string(&mut text).unwrap();
                    assert_eq!(text, format!("{name} {rank}"));
                }
            }
            for line in lines {
                let told: Start = serde_json::from_slice(&line.join().unwrap()).unwrap();
                assert_eq!((told.arguments, told.environment), (start().arguments, start().environment));
            }
        });
        // All have come, so that the job may begin another session; those of this one do not come twice.
        assert!(job(0, "meet").listen().is_ok());
        let again = meeting.start(1, &start(), &Interrupter::default()).unwrap_err();
        assert!(again.contains("has been a worker and has ended"), "{again}");
    }

    #[test]
    fn ranks_that_are_not_needed_are_told() {
        let meeting = job(0, "needless").listen().unwrap();
        let ranks = [1, 2].map(|rank| job(rank, "needless").connect().unwrap());
        drop(meeting);
        for frames in ranks {
            assert!(received(&frames).unwrap().is_none());
        }
    }

    #[test]
    fn other_programs_and_other_arguments_are_named() {
        let told = |name: &str, hello: &Hello| {
            let meeting = job(0, name).listen().unwrap();
            let stream = stranger(name);
            write_line(&stream, &serde_json::to_vec(hello).unwrap()).unwrap();
            meeting.start(1, &start(), &Interrupter::default()).unwrap_err()
        };
        let older = told("older", &Hello { version: "0.0.1".to_owned(), ..Hello::of(1) });
        assert!(older.contains("rank 1 is another gpurepl (0.0.1) than rank 0"), "{older}");
        let other = told("other", &Hello { arguments: vec!["b.rs".into()], ..Hello::of(1) });
        assert!(other.contains("rank 1 was started with other arguments, `b.rs`"), "{other}");
    }

    #[test]
    fn who_waits_for_a_rank_can_be_interrupted() {
        let meeting = job(0, "wait").listen().unwrap();
        let interrupter = Interrupter::default();
        interrupter.begin();
        interrupter.interrupt();
        let told = meeting.start(1, &start(), &interrupter).unwrap_err();
        assert!(told.contains("interrupted"), "{told}");
    }
}
