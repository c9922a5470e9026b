//! Messages as they come: checked, completed and typed.
//!
//! Clients leave out what they think is not needed, and `jupyter-protocol`
//! insists on it. So what a message lacks is filled in, as the protocol's
//! description has it, before it gets its type.

use bytes::Bytes;
use jupyter_protocol::{Header, JupyterMessage, JupyterMessageContent};
use jupyter_zmq_client::{RawMessage, RuntimeError};
use ring::hmac;
use serde_json::{Map, Value, json};
use zeromq::ZmqMessage;

use crate::widgets::{MODELS, VERSION};

/// Who sent a request: the address of an answer.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The header of the request.
    pub header: Header,
    /// Where the request came from.
    pub identities: Vec<Bytes>,
}

/// What came in.
#[derive(Clone, Debug)]
pub struct Request {
    /// Who asks.
    pub origin: Origin,
    /// The header that the message is an answer to, if it is one.
    pub parent: Option<String>,
    /// What is asked.
    pub content: JupyterMessageContent,
}

/// Why a message is not obeyed.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// It is not one of this session's: there is no address for an answer.
    #[error("a message was dropped: {0}")]
    Foreign(String),
    /// It is one of this session's, and invalid.
    #[error("a `{}` was refused: {problem}", origin.header.msg_type)]
    Malformed {
        /// Who has sent it.
        origin: Box<Origin>,
        /// What is wrong with it.
        problem: String,
    },
}

/// How messages are signed.
pub struct Signature(Option<hmac::Key>);

impl Signature {
    /// The signature of a connection file's key; messages are not signed if
    /// it is empty.
    pub fn new(key: &str) -> Signature {
        Signature((!key.is_empty()).then(|| hmac::Key::new(hmac::HMAC_SHA256, key.as_bytes())))
    }

    /// Reads a message.
    ///
    /// # Errors
    ///
    /// If its frames, its signature or its content are wrong.
    pub fn read(&self, frames: ZmqMessage) -> Result<Request, Refused> {
        let raw = RawMessage::from_multipart(frames, &self.0).map_err(|error| {
            Refused::Foreign(match error {
                RuntimeError::VerifyError(_) | RuntimeError::DecodeError(_) => {
                    "its signature is wrong: is the connection file another kernel's?".to_owned()
                }
                other => other.to_string(),
            })
        })?;
        request(raw)
    }
}

fn request(raw: RawMessage) -> Result<Request, Refused> {
    let object = |part: usize| serde_json::from_slice::<Map<String, Value>>(&raw.jparts[part]);
    let header =
        object(0).map_err(|error| Refused::Foreign(format!("its header is not an object: {error}")))?;
    let header = complete_header(header).map_err(|error| Refused::Foreign(error.to_string()))?;
    let origin = Origin { header, identities: raw.zmq_identities.clone() };
    let malformed = |problem: String| Refused::Malformed { origin: Box::new(origin.clone()), problem };
    let parent = object(1).ok().and_then(|parent| Some(parent.get("msg_id")?.as_str()?.to_owned()));
    let mut content =
        object(3).map_err(|error| malformed(format!("its content is not an object: {error}")))?;
    complete_content(&origin.header.msg_type, &mut content);
    let content =
        JupyterMessageContent::from_type_and_content(&origin.header.msg_type, Value::Object(content))
            .map_err(|error| malformed(error.to_string()))?;
    Ok(Request { parent, content, origin })
}

/// A header with what it may lack. Only what it is and which one it is cannot
/// be made up.
fn complete_header(mut header: Map<String, Value>) -> serde_json::Result<Header> {
    for (key, value) in [("username", ""), ("session", ""), ("version", "5.0")] {
        if !header.get(key).is_some_and(Value::is_string) {
            header.insert(key.to_owned(), value.into());
        }
    }
    serde_json::from_value(Value::Object(header))
}

/// Fills in what a content may lack.
fn complete_content(message_type: &str, content: &mut Map<String, Value>) {
    let defaults = match message_type {
        "execute_request" => json!({
            "code": "", "silent": false, "store_history": true, "user_expressions": {},
            "allow_stdin": true, "stop_on_error": true
        }),
        "complete_request" | "inspect_request" => {
            let code = content.get("code").and_then(Value::as_str).unwrap_or_default();
            json!({ "code": "", "cursor_pos": code.chars().count(), "detail_level": 0 })
        }
        "is_complete_request" => json!({ "code": "" }),
        "history_request" => json!({
            "hist_access_type": "tail", "output": false, "raw": true, "n": -1, "pattern": "*",
            "unique": false, "session": 0, "start": 0, "stop": i32::MAX
        }),
        "comm_open" | "comm_msg" | "comm_close" => json!({ "data": {}, "target_name": "" }),
        "shutdown_request" => json!({ "restart": false }),
        "input_reply" => json!({ "value": "" }),
        _ => return,
    };
    let Value::Object(defaults) = defaults else { return };
    for (key, value) in defaults {
        if content.get(&key).is_none_or(Value::is_null) {
            content.insert(key, value);
        }
    }
}

/// A message from the kernel: an answer to someone, or news about what
/// someone has requested.
pub fn message(content: impl Into<JupyterMessageContent>, origin: Option<&Origin>) -> JupyterMessage {
    let mut message = JupyterMessage::new(content, None);
    message.header.username = "kernel".to_owned();
    message.parent_header = origin.map(|origin| origin.header.clone());
    let is_models =
        matches!(&message.content, JupyterMessageContent::CommOpen(open) if open.target_name == MODELS);
    if is_models {
        message.metadata = json!({ "version": VERSION });
    }
    message
}

/// A message to the one who has asked.
pub fn reply(content: impl Into<JupyterMessageContent>, origin: &Origin) -> JupyterMessage {
    message(content, Some(origin)).with_zmq_identities(origin.identities.clone())
}

/// An answer of a type that `jupyter-protocol` does not know.
pub fn other(message_type: &str, content: Value) -> JupyterMessageContent {
    let msg_type = message_type.to_owned();
    JupyterMessageContent::UnknownMessage(jupyter_protocol::UnknownMessage { msg_type, content })
}

/// The answer to a request that cannot be answered; none for what is no
/// request.
pub fn refusal(origin: &Origin, problem: &str) -> Option<JupyterMessage> {
    let name = origin.header.msg_type.strip_suffix("_request")?;
    let content = json!({ "status": "error", "ename": "BadRequest", "evalue": problem, "traceback": [] });
    Some(reply(other(&format!("{name}_reply"), content), origin))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jupyter_protocol::HistoryRequest;
    use proptest::prelude::*;

    fn parts(header: &str, content: &str) -> RawMessage {
        let part = |text: &str| Bytes::from(text.to_owned());
        RawMessage {
            zmq_identities: vec![part("somebody")],
            jparts: vec![part(header), part("{}"), part("{}"), part(content)],
        }
    }

    fn read(message_type: &str, content: &str) -> Result<Request, Refused> {
        request(parts(&format!("{{\"msg_id\": \"1\", \"msg_type\": \"{message_type}\"}}"), content))
    }

    #[test]
    fn what_clients_leave_out_is_filled_in() {
        let JupyterMessageContent::ExecuteRequest(execute) =
            read("execute_request", "{\"code\": \"1\", \"user_expressions\": null}").unwrap().content
        else {
            panic!("it is another request");
        };
        assert!(!execute.silent && execute.store_history && execute.allow_stdin && execute.stop_on_error);
        let JupyterMessageContent::HistoryRequest(HistoryRequest::Search { n, unique, .. }) =
            read("history_request", "{\"hist_access_type\": \"search\", \"pattern\": \"a*\"}")
                .unwrap()
                .content
        else {
            panic!("it is another request");
        };
        assert!(n == -1 && !unique);
        assert!(read("history_request", "{\"hist_access_type\": \"range\"}").is_ok());
        assert!(read("comm_open", "{\"comm_id\": \"c\"}").is_ok());
        let JupyterMessageContent::CompleteRequest(complete) =
            read("complete_request", "{\"code\": \"größe\"}").unwrap().content
        else {
            panic!("it is another request");
        };
        assert_eq!(complete.cursor_pos, 5);
    }

    #[test]
    fn a_wrong_request_has_an_answer_and_garbage_has_none() {
        let Err(Refused::Malformed { origin, problem }) = read("execute_request", "{\"code\": 5}") else {
            panic!("it is right");
        };
        let answer = refusal(&origin, &problem).unwrap();
        assert_eq!(answer.header.msg_type, "execute_reply");
        assert_eq!(answer.zmq_identities, [Bytes::from("somebody")]);
        assert!(matches!(request(parts("[]", "{}")), Err(Refused::Foreign(_))));
        assert!(matches!(request(parts("{\"msg_id\": 1}", "{}")), Err(Refused::Foreign(_))));
        assert!(matches!(read("execute_request", "nothing"), Err(Refused::Malformed { .. })));
    }

    proptest! {
        #[test]
        fn no_content_is_too_strange(
            message_type in "(execute|complete|inspect|is_complete|history|comm_info|shutdown|x)_request|comm_open|input_reply",
            content in "(\\{|\\}|\"code\"|\"n\"|:|,|null|-1|1e99|\\[|\\]|true|\"a\"| ){0,12}",
        ) {
            let _ = read(&message_type, &content);
        }
    }
}
