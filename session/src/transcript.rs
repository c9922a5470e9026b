//! What a session's cells were, and what became of them: `:save` writes it.

use gpurepl_wire::MimeBundle;

use crate::diagnostic::{Diagnostic, Severity};
use crate::output::{InputRequest, Progress, Sink, Stream, Upcoming};

/// A cell that was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number.
    pub number: u64,
    /// Its text as the user wrote it, magics included.
    pub source: String,
    /// Whether it ran to its end.
    pub is_done: bool,
    /// What it has printed and shown, in order, as it stands now: displays may
    /// have changed since, and been cleared.
    pub outputs: Vec<Output>,
}

/// Something that a cell has reported.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Output {
    Printed { stream: Stream, bytes: Vec<u8> },
    Display { bundle: MimeBundle, id: Option<u64> },
    Result(MimeBundle),
    Error(Diagnostic),
}

/// Bytes that are kept of what a cell prints.
const MOST_BYTES: usize = 1 << 20;

/// Displays and errors that are kept of a cell.
const MOST_SHOWN: usize = 100;

/// Bytes that are kept of all cells: a plot has some 100 KiB. Beyond it the
/// oldest cells keep their text alone.
const MOST_KEPT: usize = 256 << 20;

/// What is printed later than was kept.
const CUT: &[u8] = b"\n... more was printed than is kept\n";

/// The outputs of a cell, while they come.
#[derive(Debug, Default)]
pub(crate) struct Outputs {
    all: Vec<Output>,
    bytes: usize,
    /// The outputs go when another one comes.
    is_stale: bool,
}

impl Outputs {
    fn print(&mut self, stream: Stream, printed: &[u8]) {
        if printed.is_empty() {
            return;
        }
        self.refresh();
        let printed = match MOST_BYTES.saturating_sub(self.bytes) {
            0 => return,
            room if room < printed.len() => [&printed[..room], CUT].concat(),
            _ => printed.to_vec(),
        };
        self.bytes += printed.len();
        print(&mut self.all, stream, &printed);
    }

    fn push(&mut self, output: Output) {
        self.refresh();
        let shown = self.all.iter().filter(|output| !matches!(output, Output::Printed { .. })).count();
        if shown < MOST_SHOWN || matches!(output, Output::Result(_)) {
            self.all.push(output);
        }
    }

    fn clear(&mut self, wait: bool) {
        self.is_stale = true;
        if !wait {
            self.refresh();
        }
    }

    fn refresh(&mut self) {
        if std::mem::take(&mut self.is_stale) {
            self.all.clear();
            self.bytes = 0;
        }
    }
}

/// Adds to what was printed last, if that was on the same stream.
fn print(outputs: &mut Vec<Output>, to: Stream, printed: &[u8]) {
    match outputs.last_mut() {
        Some(Output::Printed { stream, bytes }) if *stream == to => bytes.extend_from_slice(printed),
        _ => outputs.push(Output::Printed { stream: to, bytes: printed.to_vec() }),
    }
}

/// Gives a display another value; false if it is none of these outputs.
fn update(outputs: &mut [Output], of: u64, by: &MimeBundle) -> bool {
    let mut is_found = false;
    for output in outputs {
        if let Output::Display { bundle, id } = output
            && *id == Some(of)
        {
            bundle.clone_from(by);
            is_found = true;
        }
    }
    is_found
}

/// Forgets what the oldest cells have reported, as far as it is too much.
fn limit(transcript: &mut [Entry], most: usize) {
    let mut kept = 0;
    for entry in transcript.iter_mut().rev() {
        kept += entry.outputs.iter().map(size).sum::<usize>();
        if kept > most {
            entry.outputs = Vec::new();
        }
    }
}

/// Bytes of an output.
fn size(output: &Output) -> usize {
    match output {
        Output::Printed { bytes, .. } => bytes.len(),
        Output::Display { bundle, .. } | Output::Result(bundle) => bundle.0.values().map(String::len).sum(),
        Output::Error(error) => error.message.len(),
    }
}

/// Listens along with a front end, to keep what a cell reports.
pub(crate) struct Recorder<'s> {
    sink: &'s mut dyn Sink,
    outputs: Outputs,
    /// Changes of what earlier cells have shown.
    updates: Vec<(u64, MimeBundle)>,
    /// What threads of earlier cells print and show.
    late: Vec<(u64, Late)>,
    late_bytes: usize,
}

enum Late {
    Output(Output),
    Clear,
}

impl<'s> Recorder<'s> {
    pub(crate) fn new(sink: &'s mut dyn Sink) -> Recorder<'s> {
        Recorder { sink, outputs: Outputs::default(), updates: Vec::new(), late: Vec::new(), late_bytes: 0 }
    }

    fn keep_late(&mut self, cell: u64, output: Output) {
        self.late_bytes += size(&output);
        if self.late_bytes <= MOST_BYTES {
            self.late.push((cell, Late::Output(output)));
        }
    }

    /// What was heard becomes a cell of a transcript.
    pub(crate) fn finish(self, transcript: &mut Vec<Entry>, number: u64, source: &str, is_done: bool) {
        for (id, bundle) in self.updates {
            for entry in transcript.iter_mut().rev() {
                if update(&mut entry.outputs, id, &bundle) {
                    break;
                }
            }
        }
        for (cell, late) in self.late {
            let Some(entry) = transcript.iter_mut().rev().find(|entry| entry.number == cell) else {
                continue;
            };
            match late {
                Late::Output(Output::Printed { stream, bytes }) => print(&mut entry.outputs, stream, &bytes),
                Late::Output(output) => entry.outputs.push(output),
                Late::Clear => entry.outputs.clear(),
            }
        }
        transcript.push(Entry { number, source: source.to_owned(), is_done, outputs: self.outputs.all });
        limit(transcript, MOST_KEPT);
    }
}

impl Sink for Recorder<'_> {
    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        self.outputs.print(stream, bytes);
        self.sink.output(stream, bytes);
    }

    fn output_of(&mut self, cell: u64, stream: Stream, bytes: &[u8]) {
        self.keep_late(cell, Output::Printed { stream, bytes: bytes.to_vec() });
        self.sink.output_of(cell, stream, bytes);
    }

    fn display_of(&mut self, cell: u64, id: Option<u64>, bundle: &MimeBundle) {
        self.keep_late(cell, Output::Display { bundle: bundle.clone(), id });
        self.sink.display_of(cell, id, bundle);
    }

    fn clear_output_of(&mut self, cell: u64, wait: bool) {
        self.late.push((cell, Late::Clear));
        self.sink.clear_output_of(cell, wait);
    }

    fn display(&mut self, bundle: &MimeBundle, is_result: bool) {
        let output = match is_result {
            true => Output::Result(bundle.clone()),
            false => Output::Display { bundle: bundle.clone(), id: None },
        };
        self.outputs.push(output);
        self.sink.display(bundle, is_result);
    }

    fn display_by_id(&mut self, id: u64, bundle: &MimeBundle) {
        self.outputs.push(Output::Display { bundle: bundle.clone(), id: Some(id) });
        self.sink.display_by_id(id, bundle);
    }

    fn update_display(&mut self, id: u64, bundle: &MimeBundle) {
        if !update(&mut self.outputs.all, id, bundle) {
            self.updates.retain(|(earlier, _)| *earlier != id);
            self.updates.push((id, bundle.clone()));
        }
        self.sink.update_display(id, bundle);
    }

    fn clear_output(&mut self, wait: bool) {
        self.outputs.clear(wait);
        self.sink.clear_output(wait);
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic) {
        match diagnostic.severity {
            Severity::Error => self.outputs.push(Output::Error(diagnostic.clone())),
            Severity::Warning => {
                let text = format!("{}\n", diagnostic.render(false));
                self.outputs.print(Stream::Stderr, text.as_bytes());
            }
        }
        self.sink.diagnostic(diagnostic);
    }

    // The rest is for whoever looks on.

    fn input(&mut self, request: &InputRequest) -> Option<String> {
        self.sink.input(request)
    }

    fn begun(&mut self) {
        self.sink.begun();
    }

    fn upcoming(&mut self) -> Option<Upcoming> {
        self.sink.upcoming()
    }

    fn settled(&mut self) {
        self.sink.settled();
    }

    fn device(&mut self, id: &str, name: &str, rule: &str) {
        self.sink.device(id, name, rule);
    }

    fn no_device(&mut self, problem: &str) {
        self.sink.no_device(problem);
    }

    fn note_for_later(&mut self, text: &str) {
        self.sink.note_for_later(text);
    }

    fn note(&mut self, text: &str) {
        self.sink.note(text);
    }

    fn times(&mut self, text: &str) {
        self.sink.times(text);
    }

    fn clear_screen(&mut self) {
        self.sink.clear_screen();
    }

    fn exited(&mut self, status: i32, lost: &[String]) -> bool {
        self.sink.exited(status, lost)
    }

    fn confirm(&mut self, question: &str) -> bool {
        self.sink.confirm(question)
    }

    fn progress(&mut self, progress: &Progress) {
        self.sink.progress(progress);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Deaf;

    fn recorded(transcript: &mut Vec<Entry>, tell: impl FnOnce(&mut Recorder<'_>)) -> Vec<Output> {
        let number = transcript.len() as u64 + 1;
        let mut deaf = Deaf;
        let mut recorder = Recorder::new(&mut deaf);
        tell(&mut recorder);
        recorder.finish(transcript, number, "cell", true);
        transcript.last().unwrap().outputs.clone()
    }

    fn printed(text: &str) -> Output {
        Output::Printed { stream: Stream::Stdout, bytes: text.as_bytes().to_vec() }
    }

    #[test]
    fn what_is_printed_and_shown_keeps_its_order() {
        let outputs = recorded(&mut Vec::new(), |sink| {
            sink.output(Stream::Stdout, b"a");
            sink.output(Stream::Stdout, b"b\n");
            sink.display(&MimeBundle::text("shown"), false);
            sink.output(Stream::Stdout, b"c");
            sink.display(&MimeBundle::text("value"), true);
        });
        let shown = Output::Display { bundle: MimeBundle::text("shown"), id: None };
        assert_eq!(
            outputs,
            [printed("ab\n"), shown, printed("c"), Output::Result(MimeBundle::text("value"))]
        );
    }

    #[test]
    fn a_display_is_kept_as_it_was_last() {
        let mut transcript = Vec::new();
        recorded(&mut transcript, |sink| {
            sink.display_by_id(7, &MimeBundle::text("0 %"));
            (1..=10).for_each(|k| sink.update_display(7, &MimeBundle::text(format!("{k}0 %"))));
        });
        let of = |text: &str| Output::Display { bundle: MimeBundle::text(text), id: Some(7) };
        assert_eq!(transcript[0].outputs, [of("100 %")]);
        // Cells that come later can change it too, and their threads can print.
        let later = recorded(&mut transcript, |sink| {
            sink.update_display(7, &MimeBundle::text("over"));
            sink.output_of(1, Stream::Stdout, b"late");
        });
        assert_eq!(later, []);
        assert_eq!(transcript[0].outputs, [of("over"), printed("late")]);
    }

    #[test]
    fn what_was_cleared_is_gone() {
        let outputs = recorded(&mut Vec::new(), |sink| {
            sink.output(Stream::Stdout, b"a");
            sink.clear_output(false);
            sink.output(Stream::Stdout, b"b");
            sink.clear_output(true);
            sink.output(Stream::Stdout, b"c");
            sink.clear_output(true);
        });
        assert_eq!(outputs, [printed("c")]);
    }

    #[test]
    fn the_oldest_cells_forget_first() {
        let mut transcript = Vec::new();
        for _ in 0..4 {
            recorded(&mut transcript, |sink| sink.output(Stream::Stdout, &[b'x'; 100]));
        }
        limit(&mut transcript, 250);
        let kept: Vec<usize> = transcript.iter().map(|entry| entry.outputs.len()).collect();
        assert_eq!(kept, [0, 0, 1, 1]);
    }

    #[test]
    fn endless_output_is_cut() {
        let outputs = recorded(&mut Vec::new(), |sink| {
            (0..300).for_each(|_| sink.output(Stream::Stdout, &[b'x'; 1 << 13]));
            (0..2000).for_each(|_| sink.display(&MimeBundle::text("1"), false));
            sink.display(&MimeBundle::text("last"), true);
        });
        let Output::Printed { bytes, .. } = &outputs[0] else { panic!("{:?}", outputs[0]) };
        assert!(bytes.len() == MOST_BYTES + CUT.len() || bytes.len() == MOST_BYTES, "{}", bytes.len());
        assert_eq!(outputs.len(), 1 + MOST_SHOWN + 1);
        assert_eq!(outputs.last(), Some(&Output::Result(MimeBundle::text("last"))));
    }
}
