//! How a worker elsewhere and its session make sure of each other over a network.
//!
//! The session makes a *token* for each job, 32 random bytes, which those that it starts find in their environment.
//! Both sides prove by it that they have it, without saying it, and agree on keys for this connection alone: the
//! pattern NNpsk0 of the Noise protocol (Perrin, "The Noise Protocol Framework", revision 34). Who has listened, and
//! learns the token later, cannot decipher it; who does not have the token cannot begin.

use std::fmt::Write as _;
use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::sys::socket::{setsockopt, sockopt};
use snow::{Builder, HandshakeState};

use super::link::{Cipher, Link};

/// The variable that holds the token.
pub(crate) const TOKEN: &str = "GPUREPL_TOKEN";

/// X25519 for the keys, ChaCha20-Poly1305 to encipher, BLAKE2s to hash.
const PATTERN: &str = "Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s";

/// The bytes of each message of the handshake: a public key and a tag.
const MESSAGE: usize = 48;

/// How long the handshake may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// How many seconds of silence it takes to ask whether the other side is there, and to ask again.
const KEPT_ALIVE: u32 = 15;

/// How long, in milliseconds, what was sent may not have arrived.
const UNTAKEN: u32 = 60_000;

/// What those that belong to one job have in common.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Token([u8; 32]);

impl std::fmt::Debug for Token {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Token(..)")
    }
}

impl Token {
    /// A new one.
    ///
    /// # Errors
    ///
    /// If the system gives no random bytes.
    pub(crate) fn new() -> io::Result<Token> {
        let mut bytes = [0; 32];
        std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Token(bytes))
    }

    /// As it stands in the environment.
    pub(crate) fn text(&self) -> String {
        self.0.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
    }

    /// Reads [`Token::text`].
    pub(crate) fn read(text: &str) -> Option<Token> {
        let text = text.trim();
        if text.len() != 64 || !text.is_ascii() {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        }
        Some(Token(bytes))
    }

    fn builder(&self) -> io::Result<Builder<'_>> {
        let builder = Builder::new(PATTERN.parse().map_err(io::Error::other)?);
        builder.psk(0, &self.0).map_err(io::Error::other)
    }
}

/// The session's side.
pub(super) fn answer(stream: TcpStream, token: &Token) -> io::Result<Link> {
    let mut state = token.builder()?.build_responder().map_err(io::Error::other)?;
    prepare(&stream)?;
    // A place reads whatever it is sent, so that what it has not taken for a minute it will not take. Of the session
    // that does not hold: it reads on with the next cell.
    setsockopt(&stream, sockopt::TcpUserTimeout, &UNTAKEN)?;
    read(&stream, &mut state)?;
    write(&stream, &mut state)?;
    link(stream, state)
}

/// The worker's side.
pub(super) fn ask(stream: TcpStream, token: &Token) -> io::Result<Link> {
    let mut state = token.builder()?.build_initiator().map_err(io::Error::other)?;
    prepare(&stream)?;
    write(&stream, &mut state)?;
    read(&stream, &mut state).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset => io::Error::new(
            io::ErrorKind::PermissionDenied,
            "it has closed the connection, so its token is another one",
        ),
        _ => error,
    })?;
    link(stream, state)
}

fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    // An interrupt does not wait to be sent with something else.
    stream.set_nodelay(true)?;
    // A machine that is gone, or cut off, is missed within a minute.
    setsockopt(stream, sockopt::KeepAlive, &true)?;
    setsockopt(stream, sockopt::TcpKeepIdle, &KEPT_ALIVE)?;
    setsockopt(stream, sockopt::TcpKeepInterval, &KEPT_ALIVE)?;
    Ok(setsockopt(stream, sockopt::TcpKeepCount, &3)?)
}

fn read(mut stream: &TcpStream, state: &mut HandshakeState) -> io::Result<()> {
    let (mut message, until) = ([0; MESSAGE], Instant::now() + PATIENCE);
    let mut filled = 0;
    while filled < MESSAGE {
        super::link::wait(stream.as_fd(), until)?;
        match stream.read(&mut message[filled..]) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let wrong = |_| io::Error::new(io::ErrorKind::PermissionDenied, "it has another token");
    state.read_message(&message, &mut []).map_err(wrong).map(drop)
}

fn write(mut stream: &TcpStream, state: &mut HandshakeState) -> io::Result<()> {
    let mut message = [0; MESSAGE];
    let count = state.write_message(&[], &mut message).map_err(io::Error::other)?;
    stream.write_all(&message[..count])
}

fn link(stream: TcpStream, state: HandshakeState) -> io::Result<Link> {
    let cipher: Cipher = Arc::new(state.into_stateless_transport_mode().map_err(io::Error::other)?);
    let stream: OwnedFd = stream.into();
    Ok(Link::new(stream.try_clone()?, stream, Some(cipher)))
}
