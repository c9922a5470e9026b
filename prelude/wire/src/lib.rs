//! The side channel between a session and the worker that runs its cells.
//!
//! A session sends [`Command`]s and the worker answers with [`Frame`]s, over a
//! private socket. What user code prints is not among them: it goes through
//! file descriptors 1 and 2 as the bytes it is, so nothing printed can be
//! taken for a message.
//!
//! On the socket a message is four bytes that say so, its length, four bytes in
//! little-endian order, and that many bytes of MessagePack, with the names of
//! fields.
//!
//! It is not JSON, because this crate is below the prelude: the crate for it
//! compares std's types with its own (`i32: PartialEq<Value>`), and rustc would
//! no longer infer what the elements of `[]` are in `assert_eq!(v, [])`.
#![warn(missing_docs)]

mod activity;
mod comm;
mod command;
mod compile_error;
mod interaction;
mod question;
pub mod worker_mode;

pub use activity::{Activity, Work};
pub use comm::{COMM, CommAct};
pub use command::{Command, Lines, PluginAnswer, RandomState};
pub use compile_error::{CompileFailure, CompileMessage};
pub use interaction::{Control, ControlKind, INTERACTION, Interaction, Setting};
pub use question::{Answer, ArrayReport, KernelReport, MemoryReport, Question, SlotName, SlotReport};
pub mod analysis;

use std::collections::BTreeMap;
use std::io::{self, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What a worker reports to its session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(clippy::large_enum_variant, reason = "frames are written and read one by one, and not kept")]
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
    /// Something worth a line that is not an output of a cell.
    Notice {
        /// The line.
        text: String,
    },
    /// A value to show.
    Display(Display),
    /// What a thread of an earlier cell has printed. Output of the cell that
    /// runs comes as bytes, by way of the pipes.
    Output {
        /// The cell that started the thread.
        cell: u64,
        /// Whether it is for standard error.
        is_stderr: bool,
        /// The text.
        text: String,
    },
    /// The displays and the output of the cell so far are to be removed.
    ClearOutput {
        /// Whether only when something else comes.
        wait: bool,
        /// The cell that has started the thread that asks, as in
        /// [`Display::cell`].
        cell: Option<u64>,
    },
    /// A cell wants a line; answered by [`Command::Input`].
    Input {
        /// The number of this question.
        request: u64,
        /// What to ask; none if the cell has printed its question itself.
        prompt: Option<String>,
        /// Whether what is typed is not to be seen.
        is_password: bool,
    },
    /// A cell wants a plugin, which is to be built if it has not been; answered
    /// by [`Command::Plugin`].
    Plugin {
        /// The number of this question.
        request: u64,
        /// The plugin's name.
        name: String,
    },
    /// A cell has ended and everything it printed has been written.
    Done(Done),
    /// A function has been called with other settings.
    Interacted {
        /// Why that did not succeed, if it did not.
        failure: Option<Failure>,
    },
    /// A library has been loaded, or not.
    Loaded {
        /// Why not.
        problem: Option<String>,
    },
    /// Variables have been dropped.
    Forgotten {
        /// What went wrong in a destructor, a line each.
        problems: Vec<String>,
    },
    /// What libraries had left for the end is done.
    Finished,
    /// The variables that the worker holds, and their fingerprints.
    Held {
        /// Names and fingerprints.
        variables: Vec<(String, u64)>,
        /// Cells whose values are kept, and the types of these.
        results: Vec<(u64, String)>,
    },
    /// The devices of this machine.
    Devices(Vec<DeviceReport>),
    /// The cache of compiled kernels; after it was cleared, what was removed.
    Cache(CacheReport),
    /// The user's interrupt has ended a part of the cell, which goes on.
    InterruptTaken,
    /// The best variants of kernels that are known, or were until now.
    Tuned(Vec<TunedKernel>),
    /// The answer to a question.
    Answer(Answer),
}

/// A value to show, in every form that it has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Display {
    /// Whether this is the value of the cell rather than something that the
    /// cell displayed on its way.
    pub is_result: bool,
    /// Its forms.
    pub bundle: MimeBundle,
    /// By which it can be updated: a number that no other display of the
    /// session has.
    #[serde(default)]
    pub id: Option<u64>,
    /// Whether it takes the place of what was shown by this number.
    #[serde(default)]
    pub is_update: bool,
    /// The cell that has started the thread that shows it; none if the thread
    /// that runs cells does, or one that no cell has started. The worker
    /// cannot know whether the session is about to run another cell, so it
    /// names the current one too.
    #[serde(default)]
    pub cell: Option<u64>,
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
    /// Whether these were kept of a cell that did not come to its end.
    #[serde(default)]
    pub is_rescued: bool,
    /// Arrays that it had moved and that were put back when it failed.
    #[serde(default)]
    pub restored: Vec<String>,
    /// The type of its value as a cell writes it, if the value is kept.
    pub result: Option<String>,
    /// Cells whose values are kept no longer.
    pub dropped_results: Vec<u64>,
    /// The time from the cell's first to its last instruction and the
    /// device's last work for it, in nanoseconds.
    pub nanoseconds: u64,
    /// Where the sequence of random arrays stood at the cell's start.
    #[serde(default)]
    pub random: RandomState,
    /// What devices did for the cell.
    pub activity: Activity,
    /// The time of each rank, in nanoseconds, by rank; empty for one worker, and of a single worker's answer.
    #[serde(default)]
    pub ranks: Vec<RankTime>,
}

/// How long a cell ran on one of several workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankTime {
    /// The worker.
    pub rank: usize,
    /// As in [`Done::nanoseconds`].
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
    /// What the compiler said, if a kernel did not compile.
    #[serde(default)]
    pub compile_error: Option<Box<CompileFailure>>,
    /// The calls that led there, where the location is not in a cell.
    #[serde(default)]
    pub calls: Vec<Call>,
    /// What else there is to say, a line each: where it happened of several workers.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// A call under way in a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The file name of the cell's library.
    pub library: String,
    /// The place in it, from where it is loaded.
    pub offset: u64,
}

impl Failure {
    /// A failure with nothing but words.
    pub fn new(kind: FailureKind, message: String) -> Failure {
        Failure { kind, message, location: None, compile_error: None, calls: Vec::new(), notes: Vec::new() }
    }

    /// Whether it may follow from what another rank has done: whoever waits for a rank that has failed fails as well,
    /// and an interrupt reaches all.
    pub fn may_follow(&self) -> bool {
        matches!(self.kind, FailureKind::Interrupted | FailureKind::Ranks)
    }
}

/// The kinds of end other than success.
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
    /// Ranks that have not called the same functions, or one that has not come.
    Ranks,
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

/// The best variant of a kernel, as a tuner has found it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TunedKernel {
    /// The kernel.
    pub kernel: String,
    /// The name of the device.
    pub device: String,
    /// Values by their names.
    pub values: Vec<(String, String)>,
    /// Its time in seconds.
    pub seconds: f64,
    /// The time of the first variant, if that works.
    pub first: Option<f64>,
    /// How many variants were tried.
    pub tried: usize,
    /// When, in seconds since 1970.
    pub time: u64,
}

/// The cache of compiled kernels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheReport {
    /// Where it is; nowhere if nothing is kept.
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

/// The exit status of a worker whose channel is gone or is another file: a
/// cell has closed descriptors that are not its own.
pub const CHANNEL_LOST: i32 = 113;

/// What a message begins with. Bytes that a cell has written into the channel
/// are not a message, and are not waited out as the length of one.
const MARK: [u8; 4] = *b"\xf5gr\x01";

/// What stands before a message: the mark and the length.
const HEADER: usize = 8;

/// The length that a header states.
fn length_of(header: [u8; HEADER]) -> io::Result<usize> {
    let [a, b, c, d, length @ ..] = header;
    if [a, b, c, d] != MARK {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "bytes that are no message"));
    }
    let length = u32::from_le_bytes(length);
    if length > MAX_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a message of {length} bytes")));
    }
    Ok(length as usize)
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
    let mut bytes = vec![0; HEADER];
    bytes[..4].copy_from_slice(&MARK);
    rmp_serde::encode::write_named(&mut bytes, message)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
    let length = u32::try_from(bytes.len() - HEADER).ok().filter(|length| *length <= MAX_BYTES);
    let length =
        length.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the message is too long"))?;
    bytes[4..HEADER].copy_from_slice(&length.to_le_bytes());
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
    let mut header = [0; HEADER];
    let mut filled = 0;
    while filled < HEADER {
        match from.read(&mut header[filled..]) {
            Ok(0) if filled == 0 => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let mut bytes = vec![0; length_of(header)?];
    from.read_exact(&mut bytes)?;
    decoded(&bytes).map(Some)
}

fn decoded<M: DeserializeOwned>(bytes: &[u8]) -> io::Result<M> {
    rmp_serde::from_slice(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Bytes that are kept for what comes next.
const KEPT: usize = 1 << 20;

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

    /// Whether a message has begun to arrive.
    pub fn is_within(&self) -> bool {
        !self.bytes.is_empty()
    }

    /// The next whole message, if it has arrived.
    ///
    /// # Errors
    ///
    /// If the bytes are not a message.
    pub fn take<M: DeserializeOwned>(&mut self) -> io::Result<Option<M>> {
        // Garbage may be shorter than a header.
        let start = self.bytes.len().min(MARK.len());
        if self.bytes[..start] != MARK[..start] {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "bytes that are no message"));
        }
        let Some(&header) = self.bytes.first_chunk::<HEADER>() else { return Ok(None) };
        let end = HEADER + length_of(header)?;
        if self.bytes.len() < end {
            return Ok(None);
        }
        let message = decoded(&self.bytes[HEADER..end]);
        self.bytes.drain(..end);
        // A large picture is not to hold its memory for good.
        self.bytes.shrink_to(KEPT);
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
        let header = [MARK, [0xff; 4]].concat();
        assert!(receive::<Command>(&mut header.as_slice()).is_err());
        let mut decoder = Decoder::default();
        decoder.push(&header);
        assert!(decoder.take::<Command>().is_err());
    }

    #[test]
    fn bytes_that_are_no_message_are_found_at_once() {
        for garbage in [b"\n".as_slice(), b"    {}", &[0; 9]] {
            let mut decoder = Decoder::default();
            decoder.push(garbage);
            assert!(decoder.take::<Frame>().is_err(), "{garbage:?}");
            let mut garbage = garbage.to_vec();
            garbage.resize(64, b' ');
            assert!(receive::<Frame>(&mut garbage.as_slice()).is_err(), "{garbage:?}");
        }
    }

    #[test]
    fn a_large_message_left_its_memory_behind() {
        let mut stream = Vec::new();
        send(&mut stream, &Frame::Notice { text: "a".repeat(4 * KEPT) }).unwrap();
        let mut decoder = Decoder::default();
        decoder.push(&stream);
        assert!(decoder.take::<Frame>().unwrap().is_some());
        assert!(decoder.bytes.capacity() <= 2 * KEPT);
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
