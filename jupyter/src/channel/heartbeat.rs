//! Echoes, so that clients know that the kernel lives.
//!
//! The echo has a thread and a runtime of its own: whatever else the kernel
//! is busy with, it never waits.

use std::path::Path;

use jupyter_protocol::ConnectionInfo;
use zeromq::{RepSocket, Socket as _, SocketRecv as _, SocketSend as _};

use crate::door::Door;
use crate::error::StartError;
use crate::log;

/// Starts the echo.
///
/// # Errors
///
/// If its port is taken.
pub fn start(connection: &ConnectionInfo, folder: &Path) -> Result<(), StartError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(StartError::Thread)?;
    let path = folder.join("heartbeat");
    let (door, socket) = runtime.block_on(open(connection, &path))?;
    let thread = std::thread::Builder::new().name("heartbeat".to_owned());
    let echoing = thread.spawn(move || {
        runtime.block_on(async {
            tokio::spawn(door.lead_to("heartbeat", path, None));
            echo(socket).await;
        });
    });
    echoing.map(drop).map_err(StartError::Thread)
}

async fn open(connection: &ConnectionInfo, path: &Path) -> Result<(Door, RepSocket), StartError> {
    let door = Door::open(connection, connection.hb_port).await?;
    let mut socket = RepSocket::new();
    socket.bind(&format!("ipc://{}", path.display())).await.map_err(StartError::Socket)?;
    Ok((door, socket))
}

async fn echo(mut socket: RepSocket) {
    loop {
        // An error is that of one client, which has gone.
        match socket.recv().await {
            Ok(message) => {
                if let Err(error) = socket.send(message).await {
                    log::line(&format!("heartbeat: {error}"));
                }
            }
            Err(_) => tokio::time::sleep(std::time::Duration::from_millis(10)).await,
        }
    }
}
