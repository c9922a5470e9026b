//! A worker elsewhere, on its own side: `gpurepl join` starts it, and passes on what the session and the worker say to
//! each other.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use gpurepl_wire::worker_mode::WORKER;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::group;
use super::mirroring::Mirroring;
use super::process::{Ended, PATIENCE};
use super::pump::{Event, Gone, Listener, Pump};
use crate::elsewhere::{Hello, Kind, Library, Link, Reader, Start, Started, TOKEN, Writer, host};
use crate::interrupt::signal_order;
use crate::output::Stream;
use crate::ranks::threads_of_rank;
use crate::session_folder::{SessionFolder, Shared, temporary_folder};
use crate::toolchain::Toolchain;

/// Runs a worker for the session at an address, or for that at the other end of the standard streams, `-`. Returns
/// when the worker has ended, or is not needed.
///
/// # Errors
///
/// If the session cannot be reached, or the worker cannot be started; it says the reason to the session as well.
pub fn join(address: &str) -> Result<(), String> {
    let link = match address {
        "-" => {
            crate::elsewhere::standard_streams().map_err(|error| format!("the standard streams: {error}"))?
        }
        address => crate::elsewhere::connect(address)?,
    };
    let writer = link.writer.clone();
    serve(link).map_err(|error| {
        let _ = writer.send(Kind::Refused, error.to_string().as_bytes());
        error.to_string()
    })
}

fn serve(mut link: Link) -> io::Result<()> {
    link.writer.send_json(Kind::Hello, &Hello::own())?;
    // As long as others take to come, and the session to get ready.
    let start: Start = match link.reader.receive_json(Kind::Start) {
        // It has nothing to run.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
        start => start?,
    };
    let libraries = libraries(&start.libraries, &mut link)?;
    let files = SessionFolder::named(&temporary_folder(crate::store::root()), "place-")?;
    // In memory, where the system has such a place.
    let join = |name: &str| {
        Shared::join(Path::new("/dev/shm"), name).or_else(|_| Shared::join(&std::env::temp_dir(), name))
    };
    let group = start.group.as_deref().map(join).transpose()?;
    let mirroring = match (&group, &start.machines[..]) {
        (Some(folder), machines) if !machines.is_empty() => {
            Some(Mirroring::begin(folder.path(), start.rank, machines, link.writer.clone())?)
        }
        _ => None,
    };
    let mut command = command(&start, &libraries, group.as_ref().map(Shared::path))?;
    let (mut child, orders) = super::here::spawn(&mut command)?;
    let (stdout, stderr) = match (child.stdout.take(), child.stderr.take()) {
        (Some(stdout), Some(stderr)) => (stdout.into(), stderr.into()),
        _ => return Err(io::Error::other("the worker has no output")),
    };
    let process = i32::try_from(child.id()).unwrap_or(0);
    let child = Arc::new(Mutex::new(child));
    link.writer.send_json(Kind::Started, &Started { process, files: files.path().to_owned() })?;
    let pump = Pump::new(orders.try_clone()?, stdout, stderr, Telling { writer: link.writer.clone() });
    let (writer, ending) = (link.writer.clone(), child.clone());
    let telling = std::thread::Builder::new().name("worker output".to_owned()).spawn(move || {
        pump.run();
        // Its channel has ended, and so has it, or it is about to.
        let _ = writer.send_json(Kind::Ended, &wait_for_end(&ending));
    })?;
    let passed = pass(&mut link.reader, orders, &child, files.path(), mirroring);
    if let Err(error) = &passed {
        // Before the worker's end is told, which is not the reason.
        let _ = link.writer.send(Kind::Refused, format!("on {}: {error}", host()).as_bytes());
    }
    end(&child);
    let _ = telling.join();
    passed
}

/// Passes on what the session says, until its end.
fn pass(
    reader: &mut Reader,
    mut orders: UnixStream,
    child: &Mutex<Child>,
    files: &Path,
    mut mirroring: Option<Mirroring>,
) -> io::Result<()> {
    while let Some((kind, bytes)) = reader.receive()? {
        match kind {
            // Should the worker have ended, the session is told so.
            Kind::Order => {
                let _ = orders.write_all(&bytes);
                mirroring.iter().for_each(Mirroring::call);
            }
            Kind::Ranks => {
                if let Some(mirroring) = &mut mirroring {
                    mirroring.apply(&bytes)?;
                }
            }
            Kind::File => write_file(files, &bytes)?,
            Kind::Interrupt => {
                let order = bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
                let mut child = lock(child);
                // A child that has not been waited for still has its number.
                if let Ok(None) = child.try_wait() {
                    signal_order(child.id() as i32, order);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn write_file(folder: &Path, bytes: &[u8]) -> io::Result<()> {
    let end = bytes.iter().position(|byte| *byte == b'\n').ok_or(io::ErrorKind::InvalidData)?;
    let name = std::str::from_utf8(&bytes[..end]).map_err(io::Error::other)?;
    // A number and a name, and no way to elsewhere.
    let (number, name) = name.split_once('/').ok_or(io::ErrorKind::InvalidData)?;
    let number: usize = number.parse().map_err(io::Error::other)?;
    if name.is_empty() || name.contains('/') || [".", ".."].contains(&name) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let folder = folder.join(number.to_string());
    fs::create_dir_all(&folder)?;
    fs::write(folder.join(name), &bytes[end + 1..])
}

/// What the worker says, told to the session.
struct Telling {
    writer: Arc<Writer>,
}

impl Listener for Telling {
    fn send(&self, event: Event) -> Result<(), Gone> {
        let sent = match event {
            Event::Output(Stream::Stdout, bytes) => self.writer.send(Kind::Stdout, &bytes),
            Event::Output(Stream::Stderr, bytes) => self.writer.send(Kind::Stderr, &bytes),
            Event::Frame(frame) => {
                let mut bytes = Vec::new();
                gpurepl_wire::send(&mut bytes, &*frame).and_then(|()| self.writer.send(Kind::Frame, &bytes))
            }
            Event::Closed(Some(why)) => self.writer.send(Kind::Refused, why.as_bytes()),
            // How it has ended follows.
            Event::Closed(None) => Ok(()),
        };
        sent.map_err(|_| Gone)
    }
}

/// The command that starts the worker.
fn command(start: &Start, libraries: &[PathBuf; 2], group: Option<&Path>) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    if let Some((name, arguments)) = start.arguments.split_first() {
        command.arg0(name).args(arguments);
    }
    command.env_remove(TOKEN);
    group::clear(&mut command);
    if let Some(threads) = threads_of_rank(start.local.1) {
        command.env("RAYON_NUM_THREADS", threads.to_string());
    }
    for (name, value) in &start.environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.env(WORKER[1], &libraries[0]).env(WORKER[2], &libraries[1]).env(WORKER[3], "1");
    // The compiler of kernels in Rust, if there is one here.
    let rustc = start.environment.iter().find(|(name, _)| name == "GPUREPL_RUSTC");
    let is_here = rustc.and_then(|(_, path)| path.as_ref()).is_some_and(|path| Path::new(path).exists());
    if !is_here {
        match Toolchain::find() {
            Ok(toolchain) => command.env("GPUREPL_RUSTC", toolchain.rustc),
            Err(_) => command.env_remove("GPUREPL_RUSTC"),
        };
    }
    if start.ranks > 1 {
        command.envs(group::names(start.rank, start.ranks, start.local.0));
        command.envs(group.map(|group| ("GPUREPL_GROUP", group)));
    }
    match &start.folder {
        Some(folder) if folder.is_dir() => {
            command.current_dir(folder);
        }
        Some(_) => {
            command.current_dir(std::env::var_os("HOME").map_or("/".into(), PathBuf::from));
        }
        None => {}
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    Ok(command)
}

/// Where the libraries are here: at the same place, if this machine has the session's files; else in the cache, where
/// those that are missing are put.
fn libraries(wanted: &[Library; 2], link: &mut Link) -> io::Result<[PathBuf; 2]> {
    let folder = cache().ok_or_else(|| io::Error::other("there is no folder for a cache; set HOME"))?;
    let kept = |library: &Library| {
        let name = library.path.file_name().unwrap_or_default();
        folder.join(&library.hash[..library.hash.len().min(16)]).join(name)
    };
    let found = |library: &Library| {
        let is_it = |path: &PathBuf| is_trusted(path) && hash(path).is_ok_and(|hash| hash == library.hash);
        if is_it(&library.path) {
            return Some(library.path.clone());
        }
        let path = Some(kept(library)).filter(is_it)?;
        // What is used is kept.
        let _ = File::open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Some(path)
    };
    let mut places = wanted.each_ref().map(found);
    let mut lock = None;
    if places.iter().any(Option::is_none) {
        fs::create_dir_all(&folder)?;
        prune(&folder);
        // One at a time on a machine: the others then find what it has been given. One that takes too long is not
        // waited for.
        let (file, since) = (File::create(folder.join("lock"))?, Instant::now());
        while matches!(file.try_lock(), Err(TryLockError::WouldBlock)) && since.elapsed() < ONE_AT_A_TIME {
            std::thread::sleep(Duration::from_millis(50));
        }
        lock = Some(file);
        places = wanted.each_ref().map(found);
    }
    let missing: Vec<usize> = (0..wanted.len()).filter(|number| places[*number].is_none()).collect();
    link.writer.send_json(Kind::Wanted, &missing)?;
    for number in missing {
        let Some((Kind::Library, bytes)) = link.reader.receive()? else {
            return Err(io::Error::other("the session has not sent a library"));
        };
        if blake3::hash(&bytes).to_hex().as_str() != wanted[number].hash {
            return Err(io::Error::other("a library has changed while it was sent"));
        }
        let path = kept(&wanted[number]);
        let parent = path.parent().unwrap_or(&folder);
        fs::create_dir_all(parent)?;
        let mut file = tempfile::NamedTempFile::new_in(parent)?;
        file.write_all(&bytes)?;
        file.as_file().set_permissions(fs::Permissions::from_mode(0o755))?;
        file.persist(&path).map_err(|error| error.error)?;
        places[number] = Some(path);
    }
    drop(lock);
    match places {
        [Some(standard), Some(prelude)] => Ok([standard, prelude]),
        _ => Err(io::Error::other("a library is missing")),
    }
}

/// How long places of one machine wait for one that is being sent a library.
const ONE_AT_A_TIME: Duration = Duration::from_secs(120);

/// How long a library is kept that no session has asked for.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

/// Whether nobody but this user and the system can have changed a file, and can change it.
fn is_trusted(path: &Path) -> bool {
    let own = nix::unistd::geteuid().as_raw();
    fs::metadata(path).is_ok_and(|file| [0, own].contains(&file.uid()) && file.mode() & 0o022 == 0)
}

/// Removes what has not been used for long.
fn prune(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let newest = fs::read_dir(entry.path()).into_iter().flatten().flatten();
        let newest = newest.filter_map(|file| file.metadata().and_then(|file| file.modified()).ok()).max();
        if newest.is_some_and(|time| time.elapsed().is_ok_and(|age| age > KEPT)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// What is in a file.
pub(super) fn hash(path: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path)?)?;
    Ok(hasher.finalize().to_hex().to_string())
}

/// Where libraries of sessions on other machines are kept.
fn cache() -> Option<PathBuf> {
    crate::store::root().map(|store| store.join("elsewhere"))
}

/// How the worker has ended, which it does soon.
fn wait_for_end(child: &Mutex<Child>) -> Ended {
    let start = Instant::now();
    loop {
        if let Ok(Some(status)) = lock(child).try_wait() {
            return Ended::with(status);
        }
        if start.elapsed() > PATIENCE {
            end(child);
            return Ended { cause: "it stopped answering".to_owned(), status: None };
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Ends the worker and what it has started, at once.
fn end(child: &Mutex<Child>) {
    let mut child = lock(child);
    if let Ok(None) = child.try_wait() {
        let _ = killpg(Pid::from_raw(child.id() as i32), Signal::SIGKILL);
        let _ = child.wait();
    }
}

fn lock(child: &Mutex<Child>) -> MutexGuard<'_, Child> {
    child.lock().unwrap_or_else(PoisonError::into_inner)
}
