//! Where connections come in: a socket of the kernel's address, in front of
//! `zeromq`'s.
//!
//! A door does what `zeromq` 0.7 leaves open (`docs/upstream.md` has the
//! patches that would end it). It looks at what comes ([`Guard`]), and it
//! tells connections apart, so that `iopub` can give each subscriber a queue of its own: with `zeromq`'s XPUB one that does not read
//! stops all others, and its PUB drops what does not fit and sees no
//! subscriptions. It numbers the connections of one identity ([`Identities`]). Behind a door sockets listen in a folder that only the user
//! can enter.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use jupyter_protocol::{ConnectionInfo, connection_info::Transport};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, UnixListener, UnixStream};

use crate::guard::Guard;
use crate::identity::{Identities, Numbering};
use crate::log;

/// Why a kernel cannot listen.
#[derive(Debug, thiserror::Error)]
#[error("listening on {address}: {error}\n  = help: is another kernel running with this connection file?")]
pub struct DoorError {
    address: String,
    error: std::io::Error,
}

/// A socket that clients connect to.
pub enum Door {
    /// By the network.
    Tcp(TcpListener),
    /// By the file system.
    Unix(UnixListener),
}

/// One client's bytes.
pub type Reader = Box<dyn AsyncRead + Send + Unpin>;
/// Bytes for one client.
pub type Writer = Box<dyn AsyncWrite + Send + Unpin>;

impl Door {
    /// Opens the door of one of a kernel's ports.
    ///
    /// # Errors
    ///
    /// If the port is taken, or the address is none of this machine's.
    pub async fn open(connection: &ConnectionInfo, port: u16) -> Result<Door, DoorError> {
        let (ip, is_file) = (&connection.ip, connection.transport == Transport::IPC);
        let address = if is_file { format!("{ip}-{port}") } else { format!("{ip}:{port}") };
        let opened = if is_file {
            UnixListener::bind(&address).map(Door::Unix)
        } else {
            // As Jupyter's configuration has it for all addresses.
            let ip = if ip == "*" { "0.0.0.0" } else { ip.as_str() };
            TcpListener::bind((ip, port)).await.map(Door::Tcp)
        };
        opened.map_err(|error| DoorError { address, error })
    }

    /// The next client.
    pub async fn accept(&self) -> (Reader, Writer) {
        loop {
            let accepted = match self {
                Door::Tcp(listener) => listener.accept().await.map(|(stream, _)| {
                    // Messages are small and waited for.
                    let _ = stream.set_nodelay(true);
                    let (reader, writer) = stream.into_split();
                    (Box::new(reader) as Reader, Box::new(writer) as Writer)
                }),
                Door::Unix(listener) => listener.accept().await.map(|(stream, _)| {
                    let (reader, writer) = stream.into_split();
                    (Box::new(reader) as Reader, Box::new(writer) as Writer)
                }),
            };
            match accepted {
                Ok(client) => return client,
                Err(error) => {
                    // Too many open files, most likely: others may be closed.
                    log::line(&format!("a connection could not be taken: {error}"));
                    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                }
            }
        }
    }

    /// Leads every client to the socket that listens at a path, where their
    /// identities are numbered if there are some to keep.
    pub async fn lead_to(
        self,
        name: &'static str,
        path: std::path::PathBuf,
        identities: Option<Arc<Identities>>,
    ) {
        loop {
            let client = self.accept().await;
            let numbering = identities.clone().map(Numbering::new);
            tokio::spawn(pass(name, client, path.clone(), numbering));
        }
    }
}

/// Passes bytes on, both ways, until one side ends.
pub async fn pass(
    name: &'static str,
    (mut reader, mut writer): (Reader, Writer),
    path: impl AsRef<Path>,
    mut numbering: Option<Numbering>,
) {
    let inner = match UnixStream::connect(path.as_ref()).await {
        Ok(inner) => inner,
        Err(error) => return log::dropped(&format!("{name}: a connection was lost: {error}")),
    };
    let (mut from, mut to) = inner.into_split();
    let inwards = async {
        let (mut guard, mut bytes) = (Guard::default(), vec![0; 1 << 16]);
        loop {
            let count = reader.read(&mut bytes).await.unwrap_or(0);
            if count == 0 {
                return;
            }
            if let Err(breach) = guard.look(&bytes[..count]) {
                return log::dropped(&format!("{name}: a connection was ended: {breach}"));
            }
            let passed = match &mut numbering {
                Some(numbering) => numbering.pass(&bytes[..count]),
                None => Cow::Borrowed(&bytes[..count]),
            };
            if to.write_all(&passed).await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = inwards => {}
        _ = tokio::io::copy(&mut from, &mut writer) => {}
    }
}
