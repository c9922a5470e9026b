//! A worker elsewhere, on the session's side: a connection to a place, and a thread that reads it.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gpurepl_wire::{Command as Order, Decoder, Frame, PluginAnswer};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::exchange::Exchange;
use super::process::{Body, Ended, MPI};
use super::pump::{Event, Listener};
use super::queue::Sender;
use crate::elsewhere::{Kind, Link, Reader, Start, Started, Writer, cut};
use crate::interrupt::{INTERRUPTED, Interrupter, Target};
use crate::output::Stream;

/// A worker elsewhere.
#[derive(Debug)]
pub(super) struct Remote {
    host: String,
    is_mpi: bool,
    /// Nothing as long as it is about to start.
    started: Started,
    writer: Arc<Writer>,
    /// Interrupts go in here.
    interrupts: UnixDatagram,
    /// The worker ends with it.
    connection: OwnedFd,
    end: Arc<Mutex<Option<Ended>>>,
    /// What has been sent, and where it is there.
    files: HashMap<PathBuf, PathBuf>,
}

/// A worker that is about to start elsewhere.
pub(super) struct Starting {
    remote: Remote,
    started: Receiver<Result<Started, String>>,
}

impl Starting {
    /// Has a place start its worker. What comes from it goes to the sender; [`Starting::finish`] waits for it.
    pub(super) fn new(
        host: String,
        is_mpi: bool,
        link: Link,
        start: Start,
        exchange: Option<Arc<Exchange>>,
        sender: Sender,
    ) -> io::Result<Starting> {
        let (interrupts, theirs) = UnixDatagram::pair()?;
        let end = Arc::new(Mutex::new(None));
        let (tell, started) = sync_channel(1);
        let Link { reader, writer } = link;
        let remote = Remote {
            host: host.clone(),
            is_mpi,
            started: Started::default(),
            writer: writer.clone(),
            interrupts,
            connection: reader.descriptor().try_clone_to_owned()?,
            end: end.clone(),
            files: HashMap::new(),
        };
        let decoder = Decoder::default();
        let rank = start.rank;
        let passage =
            Passage { rank, host, reader, writer, interrupts: theirs, exchange, end, sender, decoder };
        let thread = std::thread::Builder::new().name("worker elsewhere".to_owned());
        thread.spawn(move || passage.run(&start, &tell))?;
        Ok(Starting { remote, started })
    }

    /// The worker, once it has been started. It may have to be sent the prelude before.
    pub(super) fn finish(self, interrupter: &Interrupter) -> Result<Remote, String> {
        let Starting { mut remote, started } = self;
        let started = loop {
            match started.recv_timeout(Duration::from_millis(50)) {
                Ok(started) => break started,
                Err(RecvTimeoutError::Disconnected) => break Err("the connection has ended".to_owned()),
                Err(RecvTimeoutError::Timeout) if interrupter.was_asked() => {
                    return Err(INTERRUPTED.to_owned());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        };
        remote.started = started
            .map_err(|problem| format!("the worker on {} could not be started: {problem}", remote.host))?;
        Ok(remote)
    }
}

impl Remote {
    /// Sends a file that an order names, and returns where it is there.
    fn bring(&mut self, path: &Path) -> PathBuf {
        if let Some(there) = self.files.get(path) {
            return there.clone();
        }
        let number = self.files.len();
        // It keeps its name, by which cells are known.
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{number}/{}", name.replace('\n', " "));
        let there = self.started.files.join(&name);
        let mut message = name.into_bytes();
        message.push(b'\n');
        // What cannot be read is said by the worker, which does not find it.
        if let Ok(contents) = std::fs::read(path) {
            message.extend(contents);
            let _ = self.writer.send(Kind::File, &message);
        }
        self.files.insert(path.to_owned(), there.clone());
        there
    }

    /// The order with the files where they are there.
    fn translated(&mut self, order: &Order) -> Order {
        let mut order = order.clone();
        match &mut order {
            Order::Run { library, .. }
            | Order::Load { library, .. }
            | Order::LoadDependencies { library, .. }
            | Order::Plugin { answer: PluginAnswer::Library(library), .. } => *library = self.bring(library),
            _ => {}
        }
        order
    }
}

impl Body for Remote {
    fn target(&self) -> Target<'_> {
        Target::Elsewhere(self.interrupts.as_fd(), self.connection.as_fd())
    }

    fn number(&self) -> i32 {
        self.started.process
    }

    fn host(&self) -> Option<&str> {
        Some(&self.host)
    }

    fn send(&mut self, order: &Order) {
        let mut bytes = Vec::new();
        let order = self.translated(order);
        if gpurepl_wire::send(&mut bytes, &order).is_ok() {
            let _ = self.writer.send(Kind::Order, &bytes);
        }
    }

    fn has_ended(&mut self) -> bool {
        self.end.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn end_of(&mut self) -> Option<Ended> {
        let end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        end.clone()
    }

    fn watched(&self) -> Option<Duration> {
        self.is_mpi.then_some(MPI)
    }

    fn kill(&mut self) {
        // The place ends its worker then.
        cut(self.connection.as_fd());
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        self.kill();
    }
}

/// What goes through between a place and the session.
struct Passage {
    rank: usize,
    host: String,
    reader: Reader,
    writer: Arc<Writer>,
    interrupts: UnixDatagram,
    /// Where what ranks say to each other goes, if they are on several machines.
    exchange: Option<Arc<Exchange>>,
    end: Arc<Mutex<Option<Ended>>>,
    sender: Sender,
    decoder: Decoder,
}

impl Passage {
    fn run(mut self, start: &Start, tell: &SyncSender<Result<Started, String>>) {
        match self.start(start) {
            Ok(started) => {
                let _ = tell.send(Ok(started));
            }
            Err(error) => {
                let _ = tell.send(Err(error.to_string()));
                return;
            }
        }
        let why = match self.pass() {
            Ok(why) => why,
            Err(error) => Some(format!("the connection to {} was lost: {error}", self.host)),
        };
        self.reader.cut();
        // For those that ask how it has ended before they are told.
        let cause = why.clone().unwrap_or_else(|| format!("the connection to {} has ended", self.host));
        let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        end.get_or_insert(Ended { cause, status: None });
        drop(end);
        let _ = self.sender.send(Event::Closed(why));
    }

    /// Says what to start, and brings what is missing there.
    fn start(&mut self, start: &Start) -> io::Result<Started> {
        self.writer.send_json(Kind::Start, start)?;
        let wanted: Vec<usize> = self.reader.receive_json(Kind::Wanted)?;
        for number in wanted {
            let library =
                start.libraries.get(number).ok_or_else(|| io::Error::other("there is no such library"))?;
            self.writer.send(Kind::Library, &std::fs::read(&library.path)?)?;
        }
        self.reader.receive_json(Kind::Started)
    }

    /// Passes on until the worker or the connection has ended; why, if not because the worker has.
    fn pass(&mut self) -> io::Result<Option<String>> {
        loop {
            let [has_message, is_interrupted] = self.wait()?;
            if is_interrupted {
                let mut order = [0; 8];
                self.interrupts.recv(&mut order)?;
                self.writer.send(Kind::Interrupt, &order)?;
            }
            if !has_message {
                continue;
            }
            let Some((kind, bytes)) = self.reader.receive()? else {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it has ended"));
            };
            let event = match kind {
                Kind::Stdout => Event::Output(Stream::Stdout, bytes),
                Kind::Stderr => Event::Output(Stream::Stderr, bytes),
                Kind::Frame => {
                    self.decoder.push(&bytes);
                    match self.decoder.take::<Frame>()? {
                        Some(frame) => Event::Frame(Box::new(frame)),
                        None => continue,
                    }
                }
                Kind::Ranks => {
                    if let Some(exchange) = &self.exchange {
                        exchange.pass(self.rank, bytes)?;
                    }
                    continue;
                }
                Kind::Ended => {
                    let ended = serde_json::from_slice(&bytes).map_err(io::Error::other)?;
                    *self.end.lock().unwrap_or_else(PoisonError::into_inner) = Some(ended);
                    return Ok(None);
                }
                Kind::Refused => return Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
                _ => continue,
            };
            if self.sender.send(event).is_err() {
                return Ok(None);
            }
        }
    }

    /// Waits until a message has come, or an interrupt.
    fn wait(&self) -> io::Result<[bool; 2]> {
        let mut polled = [self.reader.descriptor(), self.interrupts.as_fd()]
            .map(|descriptor| PollFd::new(descriptor, PollFlags::POLLIN));
        match poll(&mut polled, PollTimeout::NONE) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
        Ok([0, 1].map(|at| polled[at].revents().is_some_and(|events| !events.is_empty())))
    }
}
