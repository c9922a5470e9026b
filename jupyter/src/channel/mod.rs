//! The channels of a kernel: how messages come in and go out.
//!
//! | channel | what it is for |
//! |---|---|
//! | shell, control | [`Questions`] of clients, which [`request`](crate::request) answers |
//! | [`stdin`] | what cells ask the user |
//! | [`iopub`] | what cells show, and whether the kernel is busy, for everybody |
//! | [`heartbeat`] | whether the kernel lives |

pub mod heartbeat;
pub mod iopub;
pub mod stdin;

use std::path::Path;
use std::sync::Arc;

use jupyter_protocol::{ConnectionInfo, JupyterMessage};
use jupyter_zmq_client::Connection;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use zeromq::{RouterRecvHalf, RouterSendHalf, RouterSocket, Socket as _, SocketRecv as _};

use crate::door::Door;
use crate::error::StartError;
use crate::identity::Identities;
use crate::log;
use crate::message::{Refused, Request, Signature, refusal};

/// What every channel has to know.
pub struct Address<'a> {
    /// Where clients look for the kernel.
    pub connection: &'a ConnectionInfo,
    /// Where the sockets behind the doors lie.
    pub folder: &'a Path,
    /// What the kernel's own messages are marked with.
    pub session: &'a str,
}

/// A way to answer, for any thread. Nobody waits for the one who is answered.
pub type Replies = UnboundedSender<JupyterMessage>;

/// A channel on which clients ask.
pub struct Questions {
    name: &'static str,
    socket: Connection<RouterRecvHalf>,
    signature: Arc<Signature>,
    replies: Replies,
}

/// Opens a channel on which clients ask and are answered.
///
/// # Errors
///
/// If its port is taken.
pub async fn questions(
    address: &Address<'_>,
    name: &'static str,
    port: u16,
    signature: Arc<Signature>,
) -> Result<Questions, StartError> {
    let door = Door::open(address.connection, port).await?;
    let path = address.folder.join(name);
    let mut socket = RouterSocket::new();
    socket.bind(&format!("ipc://{}", path.display())).await.map_err(StartError::Socket)?;
    let key = &address.connection.key;
    let (to, from) = Connection::new(socket, key, address.session).split();
    let identities = Arc::new(Identities::default());
    tokio::spawn(door.lead_to(name, path, Some(Arc::clone(&identities))));
    let (replies, waiting) = unbounded_channel();
    tokio::spawn(answer(name, to, waiting, identities));
    Ok(Questions { name, socket: from, signature, replies })
}

/// Sends what there is to send.
async fn answer(
    name: &'static str,
    mut socket: Connection<RouterSendHalf>,
    mut waiting: UnboundedReceiver<JupyterMessage>,
    identities: Arc<Identities>,
) {
    while let Some(mut message) = waiting.recv().await {
        // Who has asked may have connected again, and a question of `stdin` is
        // for a client of `shell`.
        if let Some(client) = message.zmq_identities.first_mut()
            && let Some(open) = identities.open(client)
        {
            *client = open.into();
        }
        let message_type = message.header.msg_type.clone();
        if let Err(error) = socket.send(message).await {
            // Whoever has asked is gone.
            log::line(&format!("{name}: a `{message_type}` did not arrive: {error}"));
        }
    }
}

impl Questions {
    /// A way to answer.
    pub fn replies(&self) -> Replies {
        self.replies.clone()
    }

    /// The next question. An error is reported to its sender, and
    /// to the log.
    pub async fn next(&mut self) -> Request {
        loop {
            let frames = match self.socket.socket.recv().await {
                Ok(frames) => frames,
                Err(error) => {
                    log::line(&format!("{}: {error}", self.name));
                    // Should it fail all the time, nothing is to spin.
                    tokio::time::sleep(std::time::Duration::from_millis(10)).await;
                    continue;
                }
            };
            match self.signature.read(frames) {
                Ok(request) => return request,
                Err(refused) => {
                    log::dropped(&format!("{}: {refused}", self.name));
                    if let Refused::Malformed { origin, problem } = &refused
                        && let Some(refusal) = refusal(origin, problem)
                    {
                        let _ = self.replies.send(refusal);
                    }
                }
            }
        }
    }
}
