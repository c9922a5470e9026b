//! Completion and inspection: what can stand at a place, and what a name is.
//!
//! Two sources answer. Our own tables do so at once: what the session's cells
//! have made, and the prelude. The analyser, a process of its own with
//! rust-analyzer inside, knows every type and the standard library, once it
//! is there and warm; see [`Analysis::start`].
//!
//! | module | what it holds |
//! |---|---|
//! | `table` | the prelude, read from its sources when this crate is built |
//! | `standard` | the standard library's methods that are used every day |
//! | `definitions` | what the session's own items are |
//! | `context` | what stands at the cursor |
//! | `infer` | types of simple expressions, without a compiler |
//! | `complete`, `inspect` | the answers |
//! | `analyser` | the process, started, asked and restarted |
//! | `markdown` | documentation as a terminal shows it |

mod analyser;
mod complete;
mod context;
mod definitions;
mod infer;
mod inspect;
pub(crate) mod markdown;
mod signature;
mod standard;
mod table;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gpurepl_wire::MimeBundle;
pub use gpurepl_wire::analysis::CandidateKind;

pub use crate::analyser_program::find_analyser;
use crate::engine::{Definitions, Variable};
use crate::nesting;
use analyser::Analyser;
pub use analyser::AnalyserState;
use definitions::Known;

/// One way to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What takes the place of [`Completions::range`].
    pub replacement: String,
    /// What is listed: the name alone.
    pub label: String,
    /// What it is.
    pub kind: CandidateKind,
    /// Its type or signature; may be empty.
    pub detail: String,
    /// The first line of its documentation; may be empty.
    pub summary: String,
}

/// All ways to go on at a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completions {
    /// What they replace, in bytes of the source.
    pub range: Range<usize>,
    /// The ways, best first.
    pub items: Vec<Candidate>,
    /// Whether the analyser has answered, rather than our own tables.
    pub is_from_analyser: bool,
}

impl Completions {
    /// No way to go on at a byte.
    fn none(at: usize) -> Completions {
        Completions { range: at..at, items: Vec::new(), is_from_analyser: false }
    }
}

/// How much is to be said about a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// `name?`: its signature and documentation.
    Documentation,
    /// `name??`: its text as well.
    Source,
}

/// Completion and inspection for one session.
///
/// It is shared and knows what the session knew after its last cell, so it
/// answers while a cell runs.
///
/// ```no_run
/// use gpurepl_session::{Deaf, Options, Session, analysis::Level};
/// let session = Session::start(Options::default(), &mut Deaf)?;
/// let analysis = session.analysis();
/// analysis.start();
/// let at = "let a = zer".len();
/// assert_eq!(analysis.complete("let a = zer", at).items[0].replacement, "zeros");
/// assert!(analysis.inspect("zeros", 5, Level::Documentation).is_some());
/// # Ok::<(), gpurepl_session::StartError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Analysis {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    known: Mutex<Arc<Known>>,
    analyser: Analyser,
}

/// What the analyser needs to know of a session.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// The workspace that holds the prelude's sources, if there is one.
    pub prelude: Option<PathBuf>,
    /// The toolchain's folder.
    pub sysroot: Option<PathBuf>,
    /// The folder of the session's files.
    pub folder: PathBuf,
}

impl Analysis {
    /// Completion for a session that has defined nothing yet.
    pub fn new(project: Project) -> Analysis {
        let shared = Shared { known: Mutex::default(), analyser: Analyser::of(project, None) };
        Analysis { shared: Arc::new(shared) }
    }

    /// The same session's completion with an analyser of another program than
    /// the one that is found: for tests, whose own is elsewhere. What the
    /// session makes from now on is not known to it.
    #[must_use]
    pub fn with_program(&self, program: &Path) -> Analysis {
        let analyser = Analyser::of(self.shared.analyser.project().clone(), Some(program.to_owned()));
        let shared = Shared { known: Mutex::new(self.known()), analyser };
        Analysis { shared: Arc::new(shared) }
    }

    /// Takes note of what a session holds now.
    pub fn update(&self, variables: Vec<Variable>, definitions: Definitions) {
        let known = Arc::new(Known::new(variables, definitions));
        *lock(&self.shared.known) = known;
    }

    /// Starts the analyser, if it is installed and does not run. This returns
    /// at once; until it is warm, our own tables answer.
    pub fn start(&self) {
        self.shared.analyser.start();
    }

    /// Whether the analyser runs, and why not.
    pub fn analyser(&self) -> AnalyserState {
        self.shared.analyser.state()
    }

    /// The analyser's process, while it runs: for tests that end it.
    pub fn analyser_process(&self) -> Option<u32> {
        self.shared.analyser.process()
    }

    /// The ways to go on at a place, a byte of the source. The analyser is
    /// asked if it is warm, and has a moment to answer.
    pub fn complete(&self, source: &str, at: usize) -> Completions {
        let known = self.known();
        let at = floor(source, at);
        let complete = || {
            let own = complete::complete(&known, source, at);
            let is_code = context::is_code(source, at);
            match is_code.then(|| self.shared.analyser.complete(&known, source, at)).flatten() {
                Some(better) => complete::merged(own, better),
                None => own,
            }
        };
        nesting::with_stack(source, complete).unwrap_or_else(|| Completions::none(at))
    }

    /// The ways to go on by our own tables alone, without any waiting.
    pub fn complete_at_once(&self, source: &str, at: usize) -> Completions {
        let at = floor(source, at);
        let complete = || complete::complete(&self.known(), source, at);
        nesting::with_stack(source, complete).unwrap_or_else(|| Completions::none(at))
    }

    /// What there is to say about the name at a place, as plain text and as
    /// Markdown; nothing if nothing is known.
    pub fn inspect(&self, source: &str, at: usize, level: Level) -> Option<MimeBundle> {
        nesting::with_stack(source, || self.inspected(source, at, level)).flatten()
    }

    fn inspected(&self, source: &str, at: usize, level: Level) -> Option<MimeBundle> {
        let known = self.known();
        let at = floor(source, at);
        let own = inspect::inspect(&known, source, at, level);
        // Our own tables know the prelude and the session better: their text.
        if own.as_ref().is_some_and(|own| own.is_certain || level == Level::Source) {
            return own.map(|own| own.bundle());
        }
        let hover = self.shared.analyser.hover(&known, source, at).map(inspect::of_analyser);
        hover.or_else(|| own.map(|own| own.bundle()))
    }

    /// What there is to say about a path (`GpuArray::reshape`, `v.len`).
    ///
    /// # Errors
    ///
    /// If nothing is known of it, with names that are like it.
    pub fn documentation(&self, path: &str, level: Level) -> Result<MimeBundle, String> {
        let path = path.trim();
        self.inspect(path, path.len(), level)
            .ok_or_else(|| inspect::nothing(&self.known(), path, &self.analyser()))
    }

    /// The type of an expression, if the analyser knows it.
    pub fn type_of(&self, expression: &str) -> Option<String> {
        nesting::with_stack(expression, || self.shared.analyser.type_of(&self.known(), expression)).flatten()
    }

    fn known(&self) -> Arc<Known> {
        Arc::clone(&lock(&self.shared.known))
    }
}

/// A place in a text that is between two characters.
fn floor(source: &str, at: usize) -> usize {
    let mut at = at.min(source.len());
    while !source.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// What a lock holds; a panic elsewhere has left nothing half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
