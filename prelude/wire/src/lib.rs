//! The side channel between a session and the worker that runs its cells.
//!
//! A session sends [`Command`]s and the worker answers with [`Frame`]s, over a
//! private socket. What user code prints is not among them: it goes through
//! file descriptors 1 and 2 as the bytes it is, so nothing printed can be
//! taken for a message.
//!
//! On the socket a message is its length, four bytes in little-endian order,
//! and that many bytes of JSON.
#![warn(missing_docs)]

pub mod analysis;

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What a session asks of its worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Command {
    /// Run a compiled cell; answered by [`Frame::Done`].
    Run {
        /// The cell's number.
        cell: u64,
        /// What the cell is called in profiles: its name and its first line.
        title: String,
        /// The shared object that holds it.
        library: PathBuf,
        /// Its entry.
        function: String,
        /// The fingerprints of the variables that the cell puts: variables
        /// are taken again only by code that states the same one.
        fingerprints: Vec<(String, u64)>,
        /// Where the lines of the compiled text come from.
        lines: Lines,
    },
    /// Drop variables; answered by [`Frame::Forgotten`].
    Forget {
        /// Their names.
        names: Vec<String>,
    },
    /// List the devices of this machine; answered by [`Frame::Devices`].
    Devices,
    /// Tell about the cache of compiled kernels; answered by [`Frame::Cache`].
    Cache {
        /// Whether to remove what it holds.
        clear: bool,
    },
    /// End the process in the usual way, by `exit`: what watches it, such as
    /// NVIDIA's compute-sanitizer, then has its say. Answered by the end.
    End,
}

/// The user's lines behind a compiled text, whose file is named after it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lines {
    /// The compiled file, as its own code knows it.
    pub file: String,
    /// The names of the user's texts.
    pub names: Vec<String>,
    /// For each line of the compiled text, from the first: a place in `names`
    /// and a line there, if it is the user's.
    pub lines: Vec<Option<(u32, u32)>>,
}

/// What a worker tells its session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Frame {
    /// The worker is up and takes commands.
    Ready,
    /// A device has been chosen, and why that one.
    DeviceChosen {
        /// How to choose it: `cuda:0`.
        id: String,
        /// Its name.
        name: String,
        /// The rule that chose it.
        rule: String,
    },
    /// There is no device that could be used, and why.
    NoDevice {
        /// The error.
        problem: String,
    },
    /// Something worth a line that is no output of a cell.
    Notice {
        /// The line.
        text: String,
    },
    /// A value to show.
    Display(Display),
    /// A cell has ended and everything it printed has been written.
    Done(Done),
    /// Variables have been dropped.
    Forgotten {
        /// What went wrong in a destructor, a line each.
        problems: Vec<String>,
    },
    /// The devices of this machine.
    Devices(Vec<DeviceReport>),
    /// The cache of compiled kernels; after it was cleared, what was removed.
    Cache(CacheReport),
}

/// A value to show, in every form that it has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Display {
    /// Whether this is the value of the cell rather than something that the
    /// cell displayed on its way.
    pub is_result: bool,
    /// Its forms.
    pub bundle: MimeBundle,
}

/// One value in several MIME types. Types that are not text are in base64, as
/// in Jupyter's messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MimeBundle(pub BTreeMap<String, String>);

impl MimeBundle {
    /// A bundle with plain text only.
    pub fn text(text: impl Into<String>) -> MimeBundle {
        MimeBundle::default().with("text/plain", text)
    }

    /// Adds a form.
    pub fn with(mut self, mime: &str, content: impl Into<String>) -> MimeBundle {
        self.0.insert(mime.to_owned(), content.into());
        self
    }

    /// The form of a type, if there is one.
    pub fn get(&self, mime: &str) -> Option<&str> {
        self.0.get(mime).map(String::as_str)
    }
}

/// How a cell ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Done {
    /// The cell's number.
    pub cell: u64,
    /// Why it did not succeed, if it did not.
    pub failure: Option<Failure>,
    /// The variables that the worker holds now.
    pub variables: Vec<String>,
    /// Those that this cell has put: a cell that fails may have put none.
    pub put: Vec<String>,
    /// The time from the cell's first to its last instruction and the
    /// device's last work for it, in nanoseconds.
    pub nanoseconds: u64,
}

/// Why a cell did not succeed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What kind of end it was.
    pub kind: FailureKind,
    /// What there is to say.
    pub message: String,
    /// Where it happened, if that is known.
    pub location: Option<Location>,
}

/// The kinds of end that are no success.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FailureKind {
    /// A panic.
    Panic,
    /// An error passed on by `?`.
    Error,
    /// An error of gpurepl's own: of an array, a kernel or the device.
    Device,
    /// A device error after which the device cannot be used by this process.
    DeviceLost,
    /// The user's interrupt.
    Interrupted,
    /// The cell could not be started.
    NotRun,
}

/// A place in compiled text, as panics report it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// The file as the compiler was given it.
    pub file: String,
    /// Counted from one.
    pub line: u32,
    /// In characters, counted from one.
    pub column: u32,
}

/// A device as `gpurepl devices` lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceReport {
    /// How to choose it: `cuda:0`, `host`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// More about it, in words.
    pub detail: String,
    /// Whether sessions that say nothing use this one.
    pub is_default: bool,
    /// Why it cannot be used, if it cannot.
    pub problem: Option<String>,
}

/// The cache of compiled kernels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheReport {
    /// Where it lies; nowhere if nothing is kept.
    pub folder: Option<String>,
    /// How many kernels it holds, or held when it was cleared.
    pub kernels: u64,
    /// Their size in bytes.
    pub bytes: u64,
    /// The most that it keeps, in bytes.
    pub limit: u64,
    /// How many kernels this worker has found there.
    pub hits: u64,
    /// How many it had to compile.
    pub misses: u64,
}

/// The most bytes that one message may have: 1 GiB. More is a sign of a
/// broken stream.
pub const MAX_BYTES: u32 = 1 << 30;

/// Sends one message.
///
/// # Errors
///
/// If writing fails or the message is longer than [`MAX_BYTES`].
pub fn send<M: Serialize>(to: &mut impl Write, message: &M) -> io::Result<()> {
    let mut bytes = vec![0; 4];
    serde_json::to_writer(&mut bytes, message)?;
    let length = u32::try_from(bytes.len() - 4).ok().filter(|length| *length <= MAX_BYTES);
    let length =
        length.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the message is too long"))?;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    // One call, so that a message arrives whole or not at all.
    to.write_all(&bytes)?;
    to.flush()
}

/// Receives one message; `None` at the end of the stream.
///
/// # Errors
///
/// If reading fails, the stream ends within a message, or the message is not
/// what was expected.
///
/// ```
/// use gpurepl_wire::{Command, receive, send};
/// let mut stream = Vec::new();
/// send(&mut stream, &Command::Devices)?;
/// assert_eq!(receive::<Command>(&mut stream.as_slice())?, Some(Command::Devices));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn receive<M: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<M>> {
    let mut length = [0; 4];
    let mut filled = 0;
    while filled < 4 {
        match from.read(&mut length[filled..]) {
            Ok(0) if filled == 0 => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let length = u32::from_le_bytes(length);
    if length > MAX_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a message of {length} bytes")));
    }
    let mut bytes = vec![0; length as usize];
    from.read_exact(&mut bytes)?;
    Ok(Some(serde_json::from_slice(&bytes)?))
}

/// Collects the bytes of a stream that is read as they come, and yields whole
/// messages.
#[derive(Debug, Default)]
pub struct Decoder {
    bytes: Vec<u8>,
}

impl Decoder {
    /// Adds bytes that have arrived.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole message, if it has arrived.
    ///
    /// # Errors
    ///
    /// If the bytes are no message.
    pub fn take<M: DeserializeOwned>(&mut self) -> io::Result<Option<M>> {
        let Some(&length) = self.bytes.first_chunk::<4>() else { return Ok(None) };
        let length = u32::from_le_bytes(length);
        if length > MAX_BYTES {
            return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a message of {length} bytes")));
        }
        let end = 4 + length as usize;
        if self.bytes.len() < end {
            return Ok(None);
        }
        let message = serde_json::from_slice(&self.bytes[4..end]);
        self.bytes.drain(..end);
        Ok(Some(message?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_stream_cut_within_a_message_is_an_error() {
        let mut stream = Vec::new();
        send(&mut stream, &Command::Devices).unwrap();
        for cut in 1..stream.len() {
            assert!(receive::<Command>(&mut &stream[..cut]).is_err(), "{cut}");
        }
        assert_eq!(receive::<Command>(&mut &stream[..0]).unwrap(), None);
    }

    #[test]
    fn a_length_out_of_bounds_is_refused_before_memory_is_asked_for() {
        assert!(receive::<Command>(&mut [0xff; 4].as_slice()).is_err());
        let mut decoder = Decoder::default();
        decoder.push(&[0xff; 4]);
        assert!(decoder.take::<Command>().is_err());
    }

    proptest! {
        /// However the stream is cut into pieces, the messages are the same.
        #[test]
        fn pieces_make_the_same_messages(texts in prop::collection::vec(".*", 0..5), size in 1usize..40) {
            let sent: Vec<Frame> = texts.into_iter().map(|text| Frame::Notice { text }).collect();
            let mut stream = Vec::new();
            for frame in &sent {
                send(&mut stream, frame).unwrap();
            }
            let (mut decoder, mut received) = (Decoder::default(), Vec::new());
            for piece in stream.chunks(size) {
                decoder.push(piece);
                while let Some(frame) = decoder.take::<Frame>().unwrap() {
                    received.push(frame);
                }
            }
            prop_assert_eq!(received, sent);
        }
    }
}
