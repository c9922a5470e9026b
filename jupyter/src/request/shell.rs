//! Cells and what helps to write them.
//!
//! Cells go to the thread that evaluates them, one after the other. Everything
//! else is answered at once, also while a cell runs: the session's analysis
//! knows what it knew after the last cell.

use std::sync::Arc;

use jupyter_protocol::{JupyterMessageContent, Status};

use super::control::refuse;
use crate::answer::{complete, completeness, information, inspect};
use crate::channel::{Address, Questions, Replies, questions};
use crate::error::StartError;
use crate::kernel::Kernel;
use crate::message::{Origin, Request, Signature, other, reply};
use crate::queue::Job;
use crate::widgets::Heard;

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
    let ports = serde_json::json!({
        "status": "ok",
        "shell_port": address.connection.shell_port, "iopub_port": address.connection.iopub_port,
        "stdin_port": address.connection.stdin_port, "control_port": address.connection.control_port,
        "hb_port": address.connection.hb_port
    });
    let questions = questions(address, "shell", address.connection.shell_port, signature).await?;
    tokio::spawn(listen(questions, kernel, ports));
    Ok(())
}

async fn listen(mut questions: Questions, kernel: Arc<Kernel>, ports: serde_json::Value) {
    loop {
        let request = questions.next().await;
        let replies = questions.replies();
        // A control that is moved is a job as a cell is, with the same words about it: front ends wait for
        // the "idle" of one step before they send the next.
        if let JupyterMessageContent::CommMsg(comm) = &request.content
            && let Heard::Moved(number) = kernel.widgets_lock().hear(comm)
        {
            kernel.queue.push(Job::Interact { origin: Arc::new(request.origin), number });
            continue;
        }
        // So is a message to a function of a cell's.
        let told = kernel.comms().told(&request.content);
        if let Some(told) = told {
            kernel.queue.push(Job::Call { origin: Arc::new(request.origin), told });
            continue;
        }
        match request.content {
            JupyterMessageContent::ExecuteRequest(cell) => {
                let origin = Arc::new(request.origin);
                kernel.queue.push(Job::Execute {
                    origin,
                    cell: Box::new(cell),
                    replies,
                    is_announced: false,
                });
            }
            // The analyser may take a moment, and nothing waits for it.
            JupyterMessageContent::CompleteRequest(_) | JupyterMessageContent::InspectRequest(_) => {
                let kernel = Arc::clone(&kernel);
                tokio::task::spawn_blocking(move || answer(request, &replies, &kernel, None));
            }
            _ => answer(request, &replies, &kernel, Some(&ports)),
        }
    }
}

fn answer(request: Request, replies: &Replies, kernel: &Arc<Kernel>, ports: Option<&serde_json::Value>) {
    let origin = &request.origin;
    kernel.broadcast.status(Status::busy(), Some(origin));
    match content(request.content, origin, kernel, ports) {
        Content::Reply(content) => drop(replies.send(reply(content, origin))),
        Content::Nothing => {}
        Content::Refusal => refuse(origin, replies),
    }
    kernel.broadcast.status(Status::idle(), Some(origin));
    kernel.is_still_busy();
}

enum Content {
    Reply(JupyterMessageContent),
    Nothing,
    Refusal,
}

fn content(
    request: JupyterMessageContent,
    origin: &Origin,
    kernel: &Kernel,
    ports: Option<&serde_json::Value>,
) -> Content {
    Content::Reply(match request {
        JupyterMessageContent::CompleteRequest(request) => {
            complete::reply(&kernel.analysis(), &request).into()
        }
        JupyterMessageContent::InspectRequest(request) => inspect::reply(&kernel.analysis(), &request).into(),
        JupyterMessageContent::IsCompleteRequest(request) => completeness::reply(&request.code).into(),
        JupyterMessageContent::KernelInfoRequest(_) => information::reply().into(),
        JupyterMessageContent::HistoryRequest(request) => kernel.history().reply(&request).into(),
        JupyterMessageContent::CommInfoRequest(request) => {
            kernel.comms().info(request.target_name, &kernel.widgets_lock()).into()
        }
        JupyterMessageContent::CommOpen(comm) => {
            if let Some(close) = kernel.comms().open(&comm) {
                kernel.broadcast.publish(close, Some(origin));
            }
            return Content::Nothing;
        }
        JupyterMessageContent::CommMsg(comm) => {
            let answer = kernel.comms().message(&comm, &mut kernel.widgets_lock());
            if let Some(answer) = answer {
                kernel.broadcast.publish(answer, Some(origin));
            }
            return Content::Nothing;
        }
        JupyterMessageContent::CommClose(comm) => {
            kernel.comms().close(&comm.comm_id);
            return Content::Nothing;
        }
        JupyterMessageContent::UnknownMessage(message) if message.msg_type == "connect_request" => {
            match ports {
                Some(ports) => other("connect_reply", ports.clone()),
                None => return Content::Refusal,
            }
        }
        _ => return Content::Refusal,
    })
}
