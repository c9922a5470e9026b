//! A connection between two gpurepls: messages, each of a kind and with bytes, enciphered where the connection itself
//! is not.
//!
//! A message is its kind, the length of its bytes in four little-endian ones, and the bytes. What is enciphered goes
//! in records: a length in two big-endian bytes and a message of the Noise protocol, whose number is counted on both
//! sides, so that none can be left out, repeated or moved.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{Shutdown, shutdown};
use serde::Serialize;
use serde::de::DeserializeOwned;
use snow::StatelessTransportState;

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// From the worker's side first: [`Hello`](super::Hello).
    Hello = 1,
    /// What to become: [`Start`](super::Start).
    Start,
    /// Which libraries are missing there.
    Wanted,
    /// A library that was missing.
    Library,
    /// The worker runs: [`Started`](super::Started).
    Started,
    /// A file that an order names: its name, the end of a line, and what it holds.
    File,
    /// An order, as the worker reads it.
    Order,
    /// The user's interrupt, with the number of the order.
    Interrupt,
    /// What the worker has printed.
    Stdout,
    /// What the worker has printed as an error.
    Stderr,
    /// A frame, as the worker has written it.
    Frame,
    /// What ranks say to each other between machines, by `gpurepl-board`.
    Ranks,
    /// How the worker has ended.
    Ended,
    /// The other side does not go on, and why.
    Refused,
}

impl Kind {
    const ALL: [Kind; 14] = [
        Kind::Hello,
        Kind::Start,
        Kind::Wanted,
        Kind::Library,
        Kind::Started,
        Kind::File,
        Kind::Order,
        Kind::Interrupt,
        Kind::Stdout,
        Kind::Stderr,
        Kind::Frame,
        Kind::Ranks,
        Kind::Ended,
        Kind::Refused,
    ];
}

/// The bytes of a message, at most.
const LONGEST: usize = 1 << 31;

/// The bytes of a record of the Noise protocol, at most, and what is added to each.
const RECORD: usize = 65_535;
const TAG: usize = 16;

/// The bytes before those of a message.
const HEAD: usize = 5;

/// What stands before the messages over ssh, where a shell may have said something; and how many bytes that may be.
const MARK: &[u8] = b"\0gpurepl join\n";
const NOISE: usize = 1 << 16;

/// How long the rest of a message may take to go on.
const SILENCE: Duration = Duration::from_secs(60);

/// What the two sides have agreed on to encipher with.
pub(super) type Cipher = Arc<StatelessTransportState>;

/// A connection in both directions.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) reader: Reader,
    pub(crate) writer: Arc<Writer>,
}

impl Link {
    /// Looks for a mark in what comes, past what others say before it, and is there if it is found.
    pub(super) fn find_mark(&mut self) -> io::Result<()> {
        let (mut last, mut byte) = (Vec::new(), [0]);
        for _ in 0..NOISE {
            if !fill(&mut self.reader.file, &mut byte, false)? {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it has ended"));
            }
            last.push(byte[0]);
            if last.ends_with(MARK) {
                return Ok(());
            }
        }
        Err(foreign())
    }

    /// Says that from here on there are messages.
    pub(super) fn mark(&self) -> io::Result<()> {
        let mut to = self.writer.to.lock().unwrap_or_else(PoisonError::into_inner);
        to.0.write_all(MARK)
    }

    /// Over two descriptors, which may be the same connection; as it is without a cipher.
    pub(super) fn new(read: OwnedFd, write: OwnedFd, cipher: Option<Cipher>) -> Link {
        Link {
            reader: Reader { file: read.into(), cipher: cipher.clone(), record: 0 },
            writer: Arc::new(Writer { to: Mutex::new((write.into(), 0)), cipher }),
        }
    }
}

/// Ends a connection in both directions, also for those that wait in it.
pub(crate) fn cut(connection: BorrowedFd<'_>) {
    // A pipe is closed when its descriptors are.
    let _ = shutdown(connection.as_raw_fd(), Shutdown::Both);
}

/// The end that messages are sent by, from any thread.
pub(crate) struct Writer {
    /// Where to, and the number of the next record.
    to: Mutex<(File, u64)>,
    cipher: Option<Cipher>,
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Writer").finish_non_exhaustive()
    }
}

impl Writer {
    /// Sends a message. It waits for the other side to take it.
    pub(crate) fn send(&self, kind: Kind, bytes: &[u8]) -> io::Result<()> {
        if bytes.len() > LONGEST {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the message is too long"));
        }
        let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
        let mut message = Vec::with_capacity(HEAD + bytes.len());
        message.push(kind as u8);
        message.extend_from_slice(&length.to_le_bytes());
        message.extend_from_slice(bytes);
        let mut to = self.to.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, number) = &mut *to;
        let Some(cipher) = &self.cipher else { return file.write_all(&message) };
        let mut record = vec![0; RECORD + 2];
        for part in message.chunks(RECORD - TAG) {
            let count = cipher.write_message(*number, part, &mut record[2..]).map_err(io::Error::other)?;
            record[..2].copy_from_slice(&(count as u16).to_be_bytes());
            *number += 1;
            file.write_all(&record[..count + 2])?;
        }
        Ok(())
    }

    /// Sends a message of something that is written as JSON.
    pub(crate) fn send_json(&self, kind: Kind, what: &impl Serialize) -> io::Result<()> {
        self.send(kind, &serde_json::to_vec(what).map_err(io::Error::other)?)
    }
}

/// The end that messages come from.
pub(crate) struct Reader {
    file: File,
    cipher: Option<Cipher>,
    /// The number of the next record.
    record: u64,
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Reader").finish_non_exhaustive()
    }
}

impl Reader {
    /// What is ready when something has come.
    pub(crate) fn descriptor(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// Ends the connection in both directions, also for those that wait in it.
    pub(crate) fn cut(&self) {
        cut(self.file.as_fd());
    }

    /// The next message, which is to begin within a time.
    pub(crate) fn receive_within(&mut self, time: Duration) -> io::Result<Option<(Kind, Vec<u8>)>> {
        wait(self.file.as_fd(), Instant::now() + time)?;
        self.receive()
    }

    /// The next message, however long it takes to come; none at the end of the connection.
    pub(crate) fn receive(&mut self) -> io::Result<Option<(Kind, Vec<u8>)>> {
        let Some(cipher) = self.cipher.clone() else {
            let mut head = [0; HEAD];
            if !fill(&mut self.file, &mut head, false)? {
                return Ok(None);
            }
            let (kind, length) = read_head(head)?;
            let bytes = read_exactly(&mut self.file, length)?;
            return Ok(Some((kind, bytes)));
        };
        let Some(mut message) = self.next_record(&cipher, false)? else { return Ok(None) };
        let head = *message.first_chunk::<HEAD>().ok_or_else(foreign)?;
        let (kind, length) = read_head(head)?;
        message.drain(..HEAD);
        while message.len() < length {
            message.extend(self.next_record(&cipher, true)?.ok_or(io::ErrorKind::UnexpectedEof)?);
        }
        if message.len() > length {
            return Err(foreign());
        }
        Ok(Some((kind, message)))
    }

    /// A message of this kind, and what it holds.
    pub(crate) fn receive_json<T: DeserializeOwned>(&mut self, wanted: Kind) -> io::Result<T> {
        let message = self.receive()?;
        Self::json(message, wanted)
    }

    /// The same, which is to begin within a time.
    pub(crate) fn receive_json_within<T: DeserializeOwned>(
        &mut self,
        wanted: Kind,
        time: Duration,
    ) -> io::Result<T> {
        let message = self.receive_within(time)?;
        Self::json(message, wanted)
    }

    fn json<T: DeserializeOwned>(message: Option<(Kind, Vec<u8>)>, wanted: Kind) -> io::Result<T> {
        match message {
            Some((kind, bytes)) if kind == wanted => serde_json::from_slice(&bytes).map_err(io::Error::other),
            Some((Kind::Refused, why)) => Err(io::Error::other(String::from_utf8_lossy(&why).into_owned())),
            Some(_) => Err(foreign()),
            None => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the other side has ended")),
        }
    }

    fn next_record(
        &mut self,
        cipher: &StatelessTransportState,
        has_begun: bool,
    ) -> io::Result<Option<Vec<u8>>> {
        let mut length = [0; 2];
        if !fill(&mut self.file, &mut length, has_begun)? {
            return Ok(None);
        }
        let record = read_exactly(&mut self.file, usize::from(u16::from_be_bytes(length)))?;
        let mut plain = vec![0; RECORD];
        let count = cipher.read_message(self.record, &record, &mut plain).map_err(|_| foreign())?;
        self.record += 1;
        plain.truncate(count);
        Ok(Some(plain))
    }
}

fn read_head(head: [u8; HEAD]) -> io::Result<(Kind, usize)> {
    let [kind, length @ ..] = head;
    let kind = Kind::ALL.into_iter().find(|known| *known as u8 == kind).ok_or_else(foreign)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST { Err(foreign()) } else { Ok((kind, length)) }
}

fn foreign() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the other side speaks another language")
}

fn read_exactly(file: &mut File, length: usize) -> io::Result<Vec<u8>> {
    // Memory grows with what comes, not with what is promised.
    let mut bytes = Vec::new();
    while bytes.len() < length {
        let start = bytes.len();
        bytes.resize(length.min(start + (1 << 20)), 0);
        if !fill(file, &mut bytes[start..], true)? {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(bytes)
}

/// Reads as many bytes as there is room for; false if there are none at all any more. Of a message that has begun they
/// are to come soon.
fn fill(file: &mut File, bytes: &mut [u8], has_begun: bool) -> io::Result<bool> {
    let mut filled = 0;
    while filled < bytes.len() {
        if has_begun || filled > 0 {
            wait(file.as_fd(), Instant::now() + SILENCE)?;
        }
        match file.read(&mut bytes[filled..]) {
            Ok(0) if filled == 0 => return Ok(false),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

/// Waits until there is something to read.
pub(super) fn wait(descriptor: BorrowedFd<'_>, until: Instant) -> io::Result<()> {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "nothing more has come from it in time"));
        }
        let timeout = PollTimeout::try_from(left.as_millis().max(1)).unwrap_or(PollTimeout::MAX);
        match poll(&mut [PollFd::new(descriptor, PollFlags::POLLIN)], timeout) {
            Ok(0) | Err(Errno::EINTR) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}
