//! Why a kernel does not start.

use crate::connection;
use crate::door::DoorError;

/// Why a kernel does not start.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum StartError {
    #[error(transparent)]
    Connection(#[from] connection::ConnectionError),
    #[error(transparent)]
    Door(#[from] DoorError),
    #[error("a socket could not be opened: {0}")]
    Socket(zeromq::ZmqError),
    #[error("a thread could not be started: {0}")]
    Thread(std::io::Error),
    #[error("{0}")]
    Workers(String),
    #[error("cannot create a folder for sockets: {0}\n  = help: set TMPDIR to a writable folder")]
    Folder(std::io::Error),
}
