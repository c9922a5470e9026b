//! Interrupts, the end, and questions that no cell may hold up.

use std::sync::Arc;

use jupyter_protocol::{InterruptReply, JupyterMessageContent, ReplyStatus, ShutdownReply, Status};

use crate::answer::{information, usage};
use crate::channel::{Address, Questions, Replies, questions};
use crate::error::StartError;
use crate::kernel::Kernel;
use crate::log;
use crate::message::{Origin, Request, Signature, refusal, reply};

/// Opens the channel.
///
/// # Errors
///
/// If its port is taken.
pub async fn start(
    address: &Address<'_>,
    signature: Arc<Signature>,
    kernel: Arc<Kernel>,
) -> Result<(), StartError> {
    let questions = questions(address, "control", address.connection.control_port, signature).await?;
    tokio::spawn(listen(questions, kernel));
    Ok(())
}

async fn listen(mut questions: Questions, kernel: Arc<Kernel>) {
    loop {
        let request = questions.next().await;
        let replies = questions.replies();
        if let JupyterMessageContent::UnknownMessage(message) = &request.content
            && message.msg_type == "usage_request"
        {
            // The worker is asked, if no cell has it: nothing waits for that.
            let kernel = Arc::clone(&kernel);
            tokio::spawn(async move {
                let origin = &request.origin;
                kernel.broadcast.status(Status::busy(), Some(origin));
                let _ = replies.send(reply(usage::reply(&kernel).await, origin));
                kernel.broadcast.status(Status::idle(), Some(origin));
                kernel.is_still_busy();
            });
            continue;
        }
        answer(request, &replies, &kernel);
    }
}

fn answer(request: Request, replies: &Replies, kernel: &Arc<Kernel>) {
    let origin = &request.origin;
    let send = |content: JupyterMessageContent| drop(replies.send(reply(content, origin)));
    kernel.broadcast.status(Status::busy(), Some(origin));
    let mut is_end = false;
    match request.content {
        JupyterMessageContent::InterruptRequest(_) => {
            kernel.interrupt();
            send(InterruptReply { status: ReplyStatus::Ok, error: None }.into());
        }
        JupyterMessageContent::ShutdownRequest(shutdown) => {
            let content = ShutdownReply { restart: shutdown.restart, status: ReplyStatus::Ok, error: None };
            kernel.broadcast.publish(content.clone(), Some(origin));
            send(content.into());
            is_end = true;
        }
        JupyterMessageContent::KernelInfoRequest(_) => send(information::reply().into()),
        _ => refuse(origin, replies),
    }
    kernel.broadcast.status(Status::idle(), Some(origin));
    if is_end {
        kernel.stop();
    } else {
        kernel.is_still_busy();
    }
}

/// Answers what this kernel cannot do: a client is not to wait for ever.
pub fn refuse(origin: &Origin, replies: &Replies) {
    let message_type = &origin.header.msg_type;
    log::dropped(&format!("a `{message_type}` was not understood"));
    let problem = format!("this kernel knows no `{message_type}` on this channel");
    if let Some(refusal) = refusal(origin, &problem) {
        let _ = replies.send(refusal);
    }
}
