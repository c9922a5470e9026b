//! A session, and what it says.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use gpurepl_session::{
    Diagnostic, InputRequest, Interrupter, MimeBundle, Options, Outcome, Session, Sink, Stream,
};

/// A session whose answers are checked as they come.
pub struct Conversation {
    session: Session,
    ear: Ear,
}

/// What a cell has said.
#[derive(Default)]
struct Ear {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    results: Vec<String>,
    displays: Vec<MimeBundle>,
    diagnostics: Vec<Diagnostic>,
    notes: Vec<String>,
    timed: Vec<Timed>,
    /// What questions are answered with, the first first.
    replies: VecDeque<String>,
    /// When the cell began.
    start: Option<Instant>,
}

/// Something that a cell has said, in the order in which it came.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Streamed {
    Stdout(Vec<u8>),
    Stderr(Vec<u8>),
    OfCell(u64, String),
    Display(Option<u64>, MimeBundle),
    Update(u64, MimeBundle),
    Clear(bool),
    Question(InputRequest),
}

/// Something that a cell has said, and how long after its begin.
pub type Timed = (Duration, Streamed);

impl Ear {
    fn hear(&mut self, what: Streamed) {
        let time = self.start.map_or(Duration::ZERO, |start| start.elapsed());
        self.timed.push((time, what));
    }
}

impl Sink for Ear {
    fn output_of(&mut self, cell: u64, _: Stream, bytes: &[u8]) {
        self.hear(Streamed::OfCell(cell, String::from_utf8_lossy(bytes).into_owned()));
    }

    fn display_by_id(&mut self, id: u64, bundle: &MimeBundle) {
        self.hear(Streamed::Display(Some(id), bundle.clone()));
    }

    fn update_display(&mut self, id: u64, bundle: &MimeBundle) {
        self.hear(Streamed::Update(id, bundle.clone()));
    }

    fn clear_output(&mut self, wait: bool) {
        self.hear(Streamed::Clear(wait));
    }

    fn input(&mut self, request: &InputRequest) -> Option<String> {
        self.hear(Streamed::Question(request.clone()));
        self.replies.pop_front()
    }

    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        match stream {
            Stream::Stdout => {
                self.stdout.extend(bytes);
                self.hear(Streamed::Stdout(bytes.to_vec()));
            }
            Stream::Stderr => {
                self.stderr.extend(bytes);
                self.hear(Streamed::Stderr(bytes.to_vec()));
            }
        }
    }

    fn display(&mut self, bundle: &MimeBundle, is_result: bool) {
        if is_result {
            self.results.push(bundle.get("text/plain").unwrap_or_default().to_owned());
        } else {
            self.displays.push(bundle.clone());
            self.hear(Streamed::Display(None, bundle.clone()));
        }
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic) {
        self.diagnostics.push(diagnostic.clone());
    }

    fn note(&mut self, text: &str) {
        self.notes.push(text.to_owned());
    }
}

impl Conversation {
    /// Starts a session.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn start() -> Conversation {
        Conversation::with_environment(&[])
    }

    /// Starts a session whose worker has some environment variables.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn with_environment(environment: &[(&str, &str)]) -> Conversation {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let options = Options {
            worker: Some(crate::program().to_owned()),
            environment: std::iter::once(&("GPUREPL_DEVICE", crate::device().as_str()))
                .chain(environment)
                .map(owned)
                .collect(),
            ..Options::default()
        };
        let mut ear = Ear::default();
        let session = Session::start(options, &mut ear).unwrap_or_else(|error| panic!("{error}"));
        Conversation { session, ear: Ear::default() }
    }

    /// The session itself.
    pub fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    /// A way to interrupt the cell that runs.
    pub fn interrupter(&self) -> Interrupter {
        self.session.interrupter()
    }

    /// Evaluates a cell; what it says replaces what the one before said.
    pub fn run(&mut self, source: &str) -> Outcome {
        let replies = std::mem::take(&mut self.ear.replies);
        self.ear = Ear { replies, start: Some(Instant::now()), ..Ear::default() };
        self.session.run(source, &mut self.ear)
    }

    /// Evaluates a cell that succeeds.
    ///
    /// # Panics
    ///
    /// If it does not.
    #[track_caller]
    pub fn ok(&mut self, source: &str) {
        let outcome = self.run(source);
        assert!(outcome.is_done(), "{source}\n{outcome:?}\n{}", self.rendered());
    }

    /// Evaluates a cell that succeeds and whose value is shown so.
    ///
    /// # Panics
    ///
    /// If it does not succeed, or shows something else.
    #[track_caller]
    pub fn shows(&mut self, source: &str, text: &str) {
        self.ok(source);
        assert_eq!(self.ear.results, [text], "{source}");
    }

    /// Evaluates a cell that succeeds and prints this.
    ///
    /// # Panics
    ///
    /// If it does not succeed, or prints something else.
    #[track_caller]
    pub fn prints(&mut self, source: &str, text: &str) {
        self.ok(source);
        assert_eq!(String::from_utf8_lossy(&self.ear.stdout), text, "{source}");
    }

    /// Evaluates a cell that fails, and returns the first thing that is said
    /// about it.
    ///
    /// # Panics
    ///
    /// If it does not fail.
    #[track_caller]
    pub fn fails(&mut self, source: &str) -> Diagnostic {
        match self.run(source) {
            Outcome::Failed(diagnostic) => {
                assert!(!self.ear.diagnostics.is_empty(), "{source}: nothing was said");
                *diagnostic
            }
            other => panic!("{source}: {other:?}\n{}", self.rendered()),
        }
    }

    /// Evaluates a cell that fails with words about it that contain this.
    ///
    /// # Panics
    ///
    /// If it does not fail, or other words are found.
    #[track_caller]
    pub fn fails_with(&mut self, source: &str, words: &str) -> Diagnostic {
        let diagnostic = self.fails(source);
        let rendered = self.rendered();
        assert!(rendered.contains(words), "{source}: `{words}` is not in\n{rendered}");
        diagnostic
    }

    /// Answers the next questions of cells with these lines; after them the
    /// input is at its end.
    pub fn reply(&mut self, lines: &[&str]) {
        self.ear.replies = lines.iter().map(|&line| line.to_owned()).collect();
    }

    /// What the last cell has said, in order, and when. Pieces of output are
    /// as they came.
    pub fn timed(&self) -> &[Timed] {
        &self.ear.timed
    }

    /// What the last cell has said, in order; output of a stream that came in
    /// pieces in one.
    pub fn streamed(&self) -> Vec<Streamed> {
        let mut all: Vec<Streamed> = Vec::new();
        for (_, next) in &self.ear.timed {
            match (all.last_mut(), next) {
                (Some(Streamed::Stdout(before)), Streamed::Stdout(bytes))
                | (Some(Streamed::Stderr(before)), Streamed::Stderr(bytes)) => before.extend(bytes),
                (Some(Streamed::OfCell(one, before)), Streamed::OfCell(other, text)) if one == other => {
                    before.push_str(text);
                }
                _ => all.push(next.clone()),
            }
        }
        all
    }

    /// What the last cell has asked.
    pub fn asked(&self) -> Vec<InputRequest> {
        let asked = self.ear.timed.iter().filter_map(|(_, what)| match what {
            Streamed::Question(request) => Some(request.clone()),
            _ => None,
        });
        asked.collect()
    }

    /// Bytes that the last cell has printed on standard output.
    pub fn stdout(&self) -> &[u8] {
        &self.ear.stdout
    }

    /// What the last cell has printed on standard error.
    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.ear.stderr).into_owned()
    }

    /// What the last cell has displayed, its own value not among it.
    pub fn displays(&self) -> &[MimeBundle] {
        &self.ear.displays
    }

    /// The values that the last cell has shown.
    pub fn results(&self) -> &[String] {
        &self.ear.results
    }

    /// What was noted about the last cell.
    pub fn notes(&self) -> &[String] {
        &self.ear.notes
    }

    /// All notes about the last cell.
    pub fn noted(&self) -> String {
        self.ear.notes.join("\n")
    }

    /// Everything that was said to be wrong with the last cell, as a user
    /// without colours sees it.
    pub fn rendered(&self) -> String {
        let rendered = self.ear.diagnostics.iter().map(|diagnostic| diagnostic.render(false));
        rendered.collect::<Vec<_>>().join("\n")
    }

    /// Passes on what has been printed since the last cell, and returns all
    /// that is known of standard output since then.
    pub fn drained(&mut self) -> String {
        self.session.drain(&mut self.ear);
        String::from_utf8_lossy(&self.ear.stdout).into_owned()
    }
}
