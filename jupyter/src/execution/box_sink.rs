//! What a function of `interact` shows, as outputs of the box below its controls.

use gpurepl_session::{Diagnostic, InputRequest, MimeBundle, Progress, Sink, Stream};
use jupyter_protocol::ErrorOutput;
use serde_json::{Value, json};

use crate::media::media;

/// The ear of a function that is called again.
#[derive(Default)]
pub struct BoxSink {
    outputs: Vec<Value>,
    /// What was printed, and not been shown yet.
    printed: Option<(Stream, Vec<u8>)>,
}

impl BoxSink {
    /// All that was shown, and how it failed if it did.
    pub fn outputs(mut self, failure: Option<ErrorOutput>) -> Vec<Value> {
        self.end_of_text();
        if let Some(ErrorOutput { ename, evalue, traceback }) = failure {
            self.outputs.push(json!({
                "output_type": "error", "ename": ename, "evalue": evalue, "traceback": traceback
            }));
        }
        self.outputs
    }

    fn end_of_text(&mut self) {
        let Some((stream, bytes)) = self.printed.take() else { return };
        let name = if stream == Stream::Stderr { "stderr" } else { "stdout" };
        let text = String::from_utf8_lossy(&bytes);
        self.outputs.push(json!({ "output_type": "stream", "name": name, "text": text }));
    }
}

impl Sink for BoxSink {
    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        if self.printed.as_ref().is_some_and(|(of, _)| *of != stream) {
            self.end_of_text();
        }
        self.printed.get_or_insert_with(|| (stream, Vec::new())).1.extend_from_slice(bytes);
    }

    fn display(&mut self, bundle: &MimeBundle, _: bool) {
        self.end_of_text();
        // Of nothing nothing is shown.
        if !bundle.0.is_empty() {
            self.outputs
                .push(json!({ "output_type": "display_data", "data": media(bundle), "metadata": {} }));
        }
    }

    fn clear_output(&mut self, _: bool) {
        self.printed = None;
        self.outputs.clear();
    }

    // It is part of the failure.
    fn diagnostic(&mut self, _: &Diagnostic) {}

    fn note(&mut self, text: &str) {
        self.output(Stream::Stderr, format!("note: {text}\n").as_bytes());
    }

    fn input(&mut self, _: &InputRequest) -> Option<String> {
        None
    }

    fn progress(&mut self, _: &Progress) {}
}
