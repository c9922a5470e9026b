//! What cells ask the user.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use jupyter_protocol::{InputRequest, JupyterMessageContent, ReplyStatus};

use super::{Address, Questions, Replies, questions};
use crate::error::StartError;
use crate::log;
use crate::message::{Origin, Signature, reply};

/// The end of a cell that asks.
pub struct Asking {
    replies: Replies,
    events: Receiver<Event>,
}

/// The end of those who end the waiting.
#[derive(Clone)]
pub struct Disturb(Arc<Mutex<Sender<Event>>>);

/// What may come while a cell waits.
enum Event {
    Answer {
        to: Option<String>,
        value: String,
    },
    /// The user wants no answer any more, or the kernel ends.
    Stop,
}

impl Disturb {
    /// Ends the wait for an answer, if there is one.
    pub fn stop(&self) {
        self.send(Event::Stop);
    }

    fn send(&self, event: Event) {
        let _ = self.0.lock().unwrap_or_else(PoisonError::into_inner).send(event);
    }
}

impl Asking {
    /// Asks whoever has sent a cell, and waits for the answer. None is the
    /// end of the input, or an interrupt.
    pub fn ask(&self, origin: &Origin, prompt: &str, is_password: bool) -> Option<String> {
        // What was meant for an earlier question.
        while self.events.try_recv().is_ok() {}
        let content = InputRequest { prompt: prompt.to_owned(), password: is_password };
        let question = reply(content, origin);
        let own = question.header.msg_id.clone();
        self.replies.send(question).ok()?;
        loop {
            match self.events.recv().ok()? {
                // Many clients do not say which question they answer.
                Event::Answer { to, value } if to.as_ref().is_none_or(|to| *to == own) => {
                    // Ctrl-D, as `jupyter console` has it.
                    return if value == "\x04" { None } else { Some(value) };
                }
                Event::Answer { .. } => log::dropped("stdin: an answer to another question was dropped"),
                Event::Stop => return None,
            }
        }
    }
}

/// Opens the channel.
///
/// # Errors
///
/// If its port is taken.
pub async fn start(
    address: &Address<'_>,
    signature: Arc<Signature>,
) -> Result<(Asking, Disturb), StartError> {
    let questions = questions(address, "stdin", address.connection.stdin_port, signature).await?;
    let (sender, events) = channel();
    let (asking, disturb) =
        (Asking { replies: questions.replies(), events }, Disturb(Arc::new(Mutex::new(sender))));
    tokio::spawn(listen(questions, disturb.clone()));
    Ok((asking, disturb))
}

async fn listen(mut questions: Questions, disturb: Disturb) {
    loop {
        let request = questions.next().await;
        match request.content {
            JupyterMessageContent::InputReply(answer) if answer.status == ReplyStatus::Ok => {
                disturb.send(Event::Answer { to: request.parent, value: answer.value });
            }
            JupyterMessageContent::InputReply(_) => disturb.stop(),
            other => log::dropped(&format!("stdin: a `{}` does not belong here", other.message_type())),
        }
    }
}
