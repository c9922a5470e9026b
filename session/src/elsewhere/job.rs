//! The places of a session, from their start to their end.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, BufRead as _, BufReader, Read};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::Hello;
use super::handshake::{TOKEN, Token};
use super::launch::{Launch, Starter};
use super::link::{Kind, Link};
use super::listener::{Arrival, Coming, Listener};
use crate::interrupt::{INTERRUPTED, Interrupter, end_with_this_thread};
use crate::output::{Progress, Sink};

/// How long those that are left may take once the first one has come.
const PATIENCE: Duration = Duration::from_secs(120);

/// How long what has started the places may take to end after them.
const AFTER: Duration = Duration::from_secs(5);

/// How long after the starter's end places may still come, one after the other.
const LAST: Duration = Duration::from_secs(2);

/// How many lines of what the starter says are kept.
const LINES: usize = 12;

/// What has started places, and their connections.
#[derive(Debug)]
pub(crate) struct Job {
    starters: Vec<Child>,
    said: Arc<Mutex<VecDeque<String>>>,
    /// By rank, until they are taken.
    places: BTreeMap<usize, Arrival>,
    /// Whether all have come.
    is_whole: bool,
}

impl Job {
    /// Has places started, and waits until all have come. `program` is where this one is, which those on machines with
    /// the same files find there.
    ///
    /// # Errors
    ///
    /// If the starter cannot be run, or ends before all have come, one is another program than this, or the user
    /// interrupts.
    pub(crate) fn start(
        launch: &Launch,
        program: &Path,
        interrupter: &Interrupter,
        sink: &mut dyn Sink,
    ) -> Result<Job, String> {
        allow_files(launch.count);
        let mut job =
            Job { starters: Vec::new(), said: Arc::default(), places: BTreeMap::new(), is_whole: false };
        let (sender, arrivals) = channel();
        // It listens until all have come.
        let _listener = match &launch.starter {
            Starter::Ssh { options, hosts } => {
                for (rank, host) in hosts.iter().enumerate() {
                    job.start_over_ssh(options, host, (rank, hosts.len()), program, &sender)?;
                }
                None
            }
            Starter::Command(words) => {
                let (listener, token, address) = listen(launch, sender)?;
                job.start_by_command(words, program, &token, &address)?;
                Some(listener)
            }
            Starter::Nobody => {
                let (listener, token, address) = listen(launch, sender)?;
                let each = match launch.count {
                    1 => "the worker".to_owned(),
                    count => format!("each of the {count} workers"),
                };
                sink.note(&format!(
                    "start {each} by this (an interrupt ends the wait): {TOKEN}={} gpurepl join {address}",
                    token.text()
                ));
                Some(listener)
            }
        };
        let mut is_shown = false;
        let gathered = job.gather(launch, &arrivals, interrupter, &mut is_shown, sink);
        if is_shown {
            // Also of a wait that has ended otherwise.
            job.tell(launch.count, launch.count, launch, sink);
        }
        gathered?;
        job.is_whole = true;
        Ok(job)
    }

    /// The place of a rank, once.
    pub(crate) fn take(&mut self, rank: usize) -> Option<(Hello, Link)> {
        self.places.remove(&rank)
    }

    /// What each says of itself, in the order of ranks.
    pub(crate) fn hellos(&self) -> Vec<Hello> {
        self.places.values().map(|(hello, _)| hello.clone()).collect()
    }

    fn start_by_command(
        &mut self,
        words: &[String],
        program: &Path,
        token: &Token,
        address: &str,
    ) -> Result<(), String> {
        let mut command = Command::new(&words[0]);
        // Open MPI passes on to other machines what it is told to, in one of two ways, which exclude each other. For
        // others the option is another one.
        const PASSED_ON: &str = "OMPI_MCA_mca_base_env_list";
        let name = Path::new(&words[0]).file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if ["mpiexec", "mpirun", "orterun", "prterun"].contains(&name)
            && words.iter().any(|word| word == "-x")
        {
            command.args(["-x", TOKEN]);
        } else {
            let passed_on = std::env::var(PASSED_ON).ok().filter(|names| !names.is_empty());
            command.env(PASSED_ON, passed_on.map_or(TOKEN.to_owned(), |names| format!("{names};{TOKEN}")));
        }
        command.args(&words[1..]).arg(program).args(["join", address]).env(TOKEN, token.text());
        // Of a task that this session may run in: its places are others.
        for (name, _) in std::env::vars_os() {
            let is_of_a_task = ["OMPI_COMM_WORLD_", "PMI_", "PMIX_"]
                .iter()
                .any(|start| name.as_encoded_bytes().starts_with(start.as_bytes()));
            if is_of_a_task || name == "SLURM_PROCID" {
                command.env_remove(&name);
            }
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        self.spawn(command, &words[0])
    }

    fn start_over_ssh(
        &mut self,
        options: &[String],
        host: &str,
        rank: (usize, usize),
        program: &Path,
        arrivals: &Sender<Coming>,
    ) -> Result<(), String> {
        let failed = |error: io::Error| format!("ssh {host} could not be started: {error}");
        let (ours, theirs) = UnixStream::pair().map_err(failed)?;
        let (input, output): (OwnedFd, OwnedFd) = (theirs.try_clone().map_err(failed)?.into(), theirs.into());
        let mut command = Command::new(&options[0]);
        // Nobody is there to be asked for a password: the terminal is the prompt's.
        command.args(&options[1..]).args(["-T", "-oBatchMode=yes"]);
        // A machine that is cut off is missed within a minute. What the user has said before counts.
        command.args(["-oServerAliveInterval=15", "-oServerAliveCountMax=3", "--", host, &there(program)]);
        command.stdin(input).stdout(output);
        self.spawn(command, &options[0])?;
        let (read, write): (OwnedFd, OwnedFd) = (ours.try_clone().map_err(failed)?.into(), ours.into());
        let mut link = Link::new(read, write, None);
        let (arrivals, host) = (arrivals.clone(), host.to_owned());
        let thread = std::thread::Builder::new().name("arrival".to_owned());
        let wait = move || {
            let hello = link.find_mark().and_then(|()| link.reader.receive_json::<Hello>(Kind::Hello));
            let _ = match hello {
                // Who comes by ssh is who was asked for, whatever its environment says.
                Ok(hello) => arrivals.send(Ok((Hello { rank: Some(rank), ..hello }, link))),
                // What ssh or the shell there says of it says more.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return,
                Err(error) => arrivals.send(Err(format!(
                    "gpurepl on {host} does not answer as this one does: {error}\n  = help: install the same one there"
                ))),
            };
        };
        thread.spawn(wait).map(drop).map_err(failed)
    }

    /// Starts what starts places; what it says is kept.
    fn spawn(&mut self, mut command: Command, name: &str) -> Result<(), String> {
        // Ctrl-C in a terminal goes to the session alone, which decides.
        end_with_this_thread(&mut command);
        let mut child = command.stderr(Stdio::piped()).process_group(0).spawn().map_err(|error| {
            format!("`{name}` could not be started: {error}\n  = help: `--launch` is a command, `srun -n 4`")
        })?;
        let streams: [Option<Box<dyn Read + Send>>; 2] = [
            child.stdout.take().map(|stream| Box::new(stream) as _),
            child.stderr.take().map(|stream| Box::new(stream) as _),
        ];
        for stream in streams.into_iter().flatten() {
            let said = self.said.clone();
            let keep = move || {
                for line in BufReader::new(stream).split(b'\n').map_while(Result::ok) {
                    let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
                    said.push_back(String::from_utf8_lossy(&line).trim_end().to_owned());
                    if said.len() > LINES {
                        said.pop_front();
                    }
                }
            };
            let thread = std::thread::Builder::new().name("starter's output".to_owned());
            let _ = thread.spawn(keep);
        }
        self.starters.push(child);
        Ok(())
    }

    fn gather(
        &mut self,
        launch: &Launch,
        arrivals: &Receiver<Coming>,
        interrupter: &Interrupter,
        is_shown: &mut bool,
        sink: &mut dyn Sink,
    ) -> Result<(), String> {
        let (own, count) = (Hello::own(), launch.count);
        let mut deadline = None;
        let mut shown = Instant::now();
        while self.places.len() < count {
            match arrivals.recv_timeout(Duration::from_millis(50)) {
                Ok(coming) => {
                    self.receive(coming?, &own, launch)?;
                    // Whoever is started by hand takes its time.
                    if launch.starter != Starter::Nobody {
                        deadline.get_or_insert_with(|| Instant::now() + PATIENCE);
                    }
                }
                Err(RecvTimeoutError::Disconnected | RecvTimeoutError::Timeout) => {}
            }
            if interrupter.was_asked() {
                return Err(INTERRUPTED.to_owned());
            }
            let come = self.places.len();
            if come < count && self.starters.iter_mut().any(|child| matches!(child.try_wait(), Ok(Some(_)))) {
                // Who has come at the last moment has come.
                if let Ok(coming) = arrivals.recv_timeout(LAST) {
                    self.receive(coming?, &own, launch)?;
                    continue;
                }
                return Err(self.ended_early(launch));
            }
            if deadline.is_some_and(|deadline| Instant::now() > deadline) {
                let missing: Vec<usize> = (0..count).filter(|rank| !self.places.contains_key(rank)).collect();
                return Err(format!(
                    "{} have not come within {} s after the first",
                    crate::ranks::in_words(&missing),
                    PATIENCE.as_secs()
                ));
            }
            if come < count && shown.elapsed() > Duration::from_secs(1) {
                (shown, *is_shown) = (Instant::now(), true);
                self.tell(come, count, launch, sink);
            }
        }
        Ok(())
    }

    /// Takes a place that has come, or refuses it.
    fn receive(&mut self, (hello, link): Arrival, own: &Hello, launch: &Launch) -> Result<(), String> {
        let rank = self.rank_of(&hello, launch.count, launch).and_then(|rank| match hello.unlike(own) {
            Some(problem) => Err(problem),
            None => Ok(rank),
        });
        match rank {
            Ok(rank) => {
                self.places.insert(rank, (hello, link));
                Ok(())
            }
            Err(problem) => {
                let _ = link.writer.send(Kind::Refused, problem.as_bytes());
                // Of those that somebody starts by hand the others are as good as before.
                if launch.starter == Starter::Nobody { Ok(()) } else { Err(problem) }
            }
        }
    }

    fn tell(&self, come: usize, count: usize, launch: &Launch, sink: &mut dyn Sink) {
        let nobody = match launch.starter {
            Starter::Nobody => String::new(),
            _ => launch.name(),
        };
        let last = self.places.values().next_back();
        let item = last.map_or(nobody, |(hello, _)| hello.host.clone());
        sink.progress(&Progress { title: "waiting for workers".to_owned(), done: come, total: count, item });
    }

    /// The rank that a place is: what its starter has said, else the first that is free.
    fn rank_of(&self, hello: &Hello, count: usize, launch: &Launch) -> Result<usize, String> {
        let is_free = |rank: &usize| !self.places.contains_key(rank);
        let first_free = || {
            let free = (0..count).find(is_free);
            free.ok_or_else(|| format!("one more worker has come, from {}, than {count}", hello.host))
        };
        match hello.rank {
            Some((rank, ranks)) if ranks == count && is_free(&rank) => Ok(rank),
            // Those that somebody starts by hand may be of several batch jobs.
            None | Some(_) if launch.starter == Starter::Nobody || hello.rank.is_none() => first_free(),
            Some((rank, ranks)) if ranks == count => {
                Err(format!("rank {rank} has come twice, the second time from {}", hello.host))
            }
            _ => Err(format!(
                "{} has started {} processes, and {count} workers are wanted\n  = help: say `--workers {1}`",
                launch.name(),
                hello.rank.map_or(0, |(_, ranks)| ranks)
            )),
        }
    }

    /// Why not all have come: what the starter has said.
    fn ended_early(&self, launch: &Launch) -> String {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<&str> = said.iter().map(String::as_str).filter(|line| !line.is_empty()).collect();
        let (come, count) = (self.places.len(), launch.count);
        let head = format!("{} has ended, and {come} of {count} workers have come", launch.name());
        match lines.is_empty() {
            true => format!(
                "{head}\n  = help: the command is to start {count} times what is added to it, and to wait for their ends"
            ),
            false => format!("{head}; it says:\n{}", lines.join("\n")),
        }
    }
}

/// Lets this process open as many files as so many connections need, as far as the system lets it.
pub(crate) fn allow_files(connections: usize) {
    const OWN: u64 = 1000;
    const EACH: u64 = 8;
    let wanted = OWN + EACH * connections as u64;
    if let Ok((now, most)) = getrlimit(Resource::RLIMIT_NOFILE)
        && now < wanted
    {
        // What it does not suffice for says so.
        let _ = setrlimit(Resource::RLIMIT_NOFILE, wanted.min(most), most);
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        // Those that were not taken learn that they are not needed. What has started none yet has nothing to end.
        let after = if self.is_whole { AFTER } else { Duration::ZERO };
        self.places.clear();
        let until = Instant::now() + after;
        for child in &mut self.starters {
            while matches!(child.try_wait(), Ok(None)) && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        for (signal, time) in [(Signal::SIGTERM, AFTER), (Signal::SIGKILL, AFTER)] {
            let until = Instant::now() + time;
            for child in &mut self.starters {
                // A child that has not been waited for still has its number.
                if matches!(child.try_wait(), Ok(None)) {
                    let _ = killpg(Pid::from_raw(child.id() as i32), signal);
                    while matches!(child.try_wait(), Ok(None)) && Instant::now() < until {
                        std::thread::sleep(Duration::from_millis(5));
                    }
                }
            }
        }
    }
}

/// Listens for places. Returns their token, and the address that they connect to.
fn listen(launch: &Launch, arrivals: Sender<Coming>) -> Result<(Listener, Token, String), String> {
    let host = &launch.address.host;
    let token = Token::new().map_err(|error| format!("there are no random bytes: {error}"))?;
    let listener = Listener::start(&launch.address, token.clone(), arrivals).map_err(|error| {
        format!("the session cannot listen at {host}: {error}\n  = help: `--listen` takes an address of this machine")
    })?;
    // All of a machine's addresses are none that one connects to.
    let is_any = ["0.0.0.0", "::"].contains(&host.as_str());
    let named =
        super::launch::Address { host: if is_any { super::machine::host() } else { host.clone() }, port: 0 };
    let address = named.with_port(listener.port);
    Ok((listener, token, address))
}

/// What ssh runs there: this program where it is here, or on the path, or where cargo installs it. Shells of any kind
/// understand it.
fn there(program: &Path) -> String {
    let is_plain =
        |text: &str| text.chars().all(|each| each.is_ascii_alphanumeric() || "/._-+".contains(each));
    let here =
        program.to_str().filter(|text| is_plain(text)).map_or(String::new(), |text| format!("{text} "));
    format!(
        "exec sh -c 'for p in {here}gpurepl \"$HOME/.cargo/bin/gpurepl\"; do command -v \"$p\" >/dev/null 2>&1 && exec \
         \"$p\" join -; done; echo gpurepl is not installed there >&2; exit 127'"
    )
}
