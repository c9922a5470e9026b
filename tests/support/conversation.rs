//! A session, and what it says.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use gpurepl_session::engine::Engine;
use gpurepl_session::{
    Diagnostic, InputRequest, Interrupter, MimeBundle, Options, Outcome, Session, Sink, Stream, Upcoming,
};

/// A session whose answers are checked as they come.
pub struct Conversation {
    session: Session,
    ear: Ear,
    /// The answer to every question.
    answer: bool,
}

/// What a cell has said.
#[derive(Default)]
struct Ear {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    results: Vec<String>,
    rich_results: Vec<MimeBundle>,
    displays: Vec<MimeBundle>,
    diagnostics: Vec<Diagnostic>,
    notes: Vec<String>,
    questions: Vec<String>,
    answer: bool,
    /// Who interrupts as soon as something is printed, and after which times.
    user: Option<(Interrupter, Vec<Duration>, Receiver<()>)>,
    interrupts: Option<JoinHandle<Instant>>,
    /// Who interrupts as soon as something is printed, and again when that has
    /// not been heard.
    insistent: Option<Interrupter>,
    timed: Vec<Timed>,
    /// What questions are answered with, the first first.
    replies: VecDeque<String>,
    /// Who interrupts when there is no reply.
    asked: Option<Interrupter>,
    /// When the cell began.
    start: Option<Instant>,
    /// What comes after the cell.
    upcoming: Option<Upcoming>,
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
    fn upcoming(&mut self) -> Option<Upcoming> {
        self.upcoming.take()
    }

    fn confirm(&mut self, question: &str) -> bool {
        self.questions.push(question.to_owned());
        self.answer
    }

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
        let reply = self.replies.pop_front();
        if let (None, Some(interrupter)) = (&reply, &self.asked) {
            interrupter.interrupt();
        }
        reply
    }

    fn output(&mut self, stream: Stream, bytes: &[u8]) {
        match stream {
            Stream::Stdout => {
                if let Some(interrupter) = self.insistent.as_ref().filter(|_| self.stdout.is_empty()) {
                    interrupter.interrupt();
                }
                self.stdout.extend(bytes);
                self.hear(Streamed::Stdout(bytes.to_vec()));
                if let Some((interrupter, times, is_over)) = self.user.take() {
                    self.interrupts = Some(std::thread::spawn(move || {
                        let mut last = Instant::now();
                        for time in times {
                            if is_over.recv_timeout(time) != Err(RecvTimeoutError::Timeout) {
                                break;
                            }
                            last = Instant::now();
                            interrupter.interrupt();
                        }
                        last
                    }));
                }
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
            self.rich_results.push(bundle.clone());
        } else {
            self.displays.push(bundle.clone());
            self.hear(Streamed::Display(None, bundle.clone()));
        }
    }

    fn diagnostic(&mut self, diagnostic: &Diagnostic) {
        self.diagnostics.push(diagnostic.clone());
    }

    fn note(&mut self, text: &str) {
        if let Some(interrupter) = self.insistent.as_ref().filter(|_| text.contains("interrupt again")) {
            interrupter.interrupt();
        }
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
        Conversation::of(environment, Options::default())
    }

    /// Starts a session that keeps the values of cells, as a prompt does.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn keeping_results() -> Conversation {
        Conversation::of(&[], Options { keeps_results: true, ..Options::default() })
    }

    fn of(environment: &[(&str, &str)], options: Options) -> Conversation {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Conversation::with_options(Options {
            environment: environment.iter().map(owned).collect(),
            ..options
        })
    }

    /// Starts a session on the device of these tests; its worker is the
    /// program, unless another is named.
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn with_options(mut options: Options) -> Conversation {
        options.worker.get_or_insert_with(|| crate::program().to_owned());
        options.environment.insert(0, ("GPUREPL_DEVICE".to_owned(), crate::device()));
        let mut ear = Ear::default();
        let session = Session::start(options, &mut ear).unwrap_or_else(|error| panic!("{error}"));
        Conversation { session, ear: Ear::default(), answer: false }
    }

    /// A session over an engine of the test's own.
    pub fn over(engine: Box<dyn Engine>) -> Conversation {
        Conversation { session: Session::with_engine(engine), ear: Ear::default(), answer: false }
    }

    /// Answers every question so from now on.
    pub fn answer(&mut self, answer: bool) {
        self.answer = answer;
    }

    /// What the last cell, or what came of it, has asked.
    pub fn questions(&self) -> &[String] {
        &self.ear.questions
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
        let (replies, asked) = (std::mem::take(&mut self.ear.replies), self.ear.asked.take());
        self.ear = Ear { answer: self.answer, replies, asked, start: Some(Instant::now()), ..Ear::default() };
        self.session.run(source, &mut self.ear)
    }

    /// Evaluates a cell while another one waits, which is known.
    pub fn run_before(&mut self, source: &str, next: &str) -> Outcome {
        let upcoming = Upcoming { source: next.to_owned(), name: None, first_line: 1 };
        self.ear = Ear { answer: self.answer, upcoming: Some(upcoming), ..Ear::default() };
        self.session.run(source, &mut self.ear)
    }

    /// Evaluates a cell that is interrupted after it has printed something:
    /// after each of these times, one after the other, until it ends. Returns how it ended,
    /// and how long after the last interrupt.
    ///
    /// # Panics
    ///
    /// If it prints nothing.
    #[track_caller]
    pub fn interrupted(&mut self, source: &str, times: &[Duration]) -> (Outcome, Duration) {
        let (over, is_over) = channel();
        let user = Some((self.session.interrupter(), times.to_vec(), is_over));
        self.ear = Ear { answer: self.answer, user, ..Ear::default() };
        let outcome = self.session.run(source, &mut self.ear);
        let end = Instant::now();
        drop(over);
        let interrupts = self.ear.interrupts.take();
        let last = interrupts.and_then(|interrupts| interrupts.join().ok());
        let last = last.unwrap_or_else(|| panic!("{source}: nothing was printed\n{outcome:?}"));
        (outcome, end.saturating_duration_since(last))
    }

    /// Evaluates a cell that is interrupted as soon as it prints something, and
    /// once more when the session says that it does not listen.
    pub fn interrupted_again(&mut self, source: &str) -> Outcome {
        let insistent = Some(self.session.interrupter());
        self.ear = Ear { answer: self.answer, insistent, ..Ear::default() };
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

    /// Interrupts the next cell instead of answering its questions.
    pub fn interrupt_at_question(&mut self) {
        self.ear.asked = Some(self.session.interrupter());
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

    /// The same in all forms in which they were shown.
    pub fn rich_results(&self) -> &[MimeBundle] {
        &self.ear.rich_results
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

    /// Ends the session; what it says replaces what the last cell said.
    pub fn finish(&mut self) {
        self.ear = Ear::default();
        self.session.finish(&mut self.ear);
    }

    /// The number of the worker's process.
    ///
    /// # Panics
    ///
    /// If a cell cannot report it.
    #[track_caller]
    pub fn worker(&mut self) -> i32 {
        self.ok("std::process::id()");
        self.ear.results[0].parse().expect("a number")
    }

    /// Passes on what has been printed since the last cell, and returns all
    /// that is known of standard output since then.
    pub fn drained(&mut self) -> String {
        self.session.drain(&mut self.ear);
        String::from_utf8_lossy(&self.ear.stdout).into_owned()
    }
}
