//! What a function of `interact` shows, as outputs of the box below its controls.

use gpurepl_session::{Diagnostic, InputRequest, MimeBundle, Progress, Sink, Stream};
use jupyter_protocol::ErrorOutput;
use serde_json::{Value, json};

use super::sink::CellSink;
use crate::media::media;

/// The ear of a function that is called again.
pub struct BoxSink<'a> {
    outputs: Vec<Value>,
    /// What can be updated, and which of the outputs it is.
    displays: Vec<(u64, usize)>,
    /// What was printed, and not been shown yet.
    printed: Option<(Stream, Vec<u8>)>,
    /// What is not the function's: of threads of cells, and displays that cells have made.
    others: CellSink<'a>,
}

impl<'a> BoxSink<'a> {
    /// An ear that passes on to another one what is not the function's.
    pub fn new(others: CellSink<'a>) -> BoxSink<'a> {
        BoxSink { outputs: Vec::new(), displays: Vec::new(), printed: None, others }
    }

    /// All that was shown, and how it failed if it did.
    pub fn outputs(mut self, failure: Option<ErrorOutput>) -> Vec<Value> {
        self.end_of_text();
        self.others.finish();
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

fn output(bundle: &MimeBundle) -> Value {
    json!({ "output_type": "display_data", "data": media(bundle), "metadata": {} })
}

impl Sink for BoxSink<'_> {
    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        if self.printed.as_ref().is_some_and(|(of, _)| *of != stream) {
            self.end_of_text();
        }
        self.printed.get_or_insert_with(|| (stream, Vec::new())).1.extend_from_slice(bytes);
    }

    fn output_of(&mut self, cell: u64, stream: Stream, bytes: &[u8]) {
        self.others.output_of(cell, stream, bytes);
    }

    fn display(&mut self, bundle: &MimeBundle, _: bool) {
        if self.others.comm(bundle) {
            return;
        }
        self.end_of_text();
        // Of nothing nothing is shown.
        if !bundle.0.is_empty() {
            self.outputs.push(output(bundle));
        }
    }

    fn display_by_id(&mut self, id: u64, bundle: &MimeBundle) {
        self.end_of_text();
        self.displays.push((id, self.outputs.len()));
        self.outputs.push(output(bundle));
    }

    fn display_of(&mut self, cell: u64, id: Option<u64>, bundle: &MimeBundle) {
        self.others.display_of(cell, id, bundle);
    }

    fn update_display(&mut self, id: u64, bundle: &MimeBundle) {
        match self.displays.iter().find(|(own, _)| *own == id) {
            Some((_, place)) => self.outputs[*place] = output(bundle),
            None => self.others.update_display(id, bundle),
        }
    }

    fn clear_output(&mut self, _: bool) {
        self.printed = None;
        self.outputs.clear();
        self.displays.clear();
    }

    fn clear_output_of(&mut self, cell: u64, wait: bool) {
        self.others.clear_output_of(cell, wait);
    }

    // It is part of the failure.
    fn diagnostic(&mut self, _: &Diagnostic) {}

    fn note(&mut self, text: &str) {
        self.output(Stream::Stderr, format!("note: {text}\n").as_bytes());
    }

    fn input(&mut self, _: &InputRequest) -> Option<String> {
        None
    }

    fn progress(&mut self, progress: &Progress) {
        self.others.progress(progress);
    }
}
