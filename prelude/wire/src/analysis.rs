//! What a session and its analyser say to each other: completion,
//! documentation, and the engine that runs evcxr. Both travel on the
//! analyser's standard input and output, framed as all messages here are.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What a session asks for; answers carry the number of the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Counted by the session.
    pub id: u64,
    /// What is asked.
    pub ask: Ask,
}

/// What there is to ask.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ask {
    /// Load a project; the first request of all. Answered by
    /// [`Answer::Ready`] or [`Answer::Failed`].
    Open(Project),
    /// The completions; answered by [`Answer::Completions`].
    Complete(Text),
    /// What is at a place; answered by [`Answer::Hover`].
    Hover(Text),
}

/// What the text of a session stands on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Project {
    /// A folder for the analyser's own files, which is there.
    pub folder: PathBuf,
    /// The workspace with the sources of the prelude, if there is one.
    pub prelude: Option<PathBuf>,
    /// Lines of `[dependencies]` besides the prelude.
    pub dependencies: Vec<String>,
}

/// A cell in its session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// What stands before the cell: imports, items, and the head of a
    /// function with the variables.
    pub before: String,
    /// The cell.
    pub source: String,
    /// A place in the cell, in bytes.
    pub at: u32,
}

/// What the analyser says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// The number of the request.
    pub id: u64,
    /// The answer.
    pub answer: Answer,
}

/// Answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// The project is loaded and its types are known.
    Ready {
        /// What could not be had, such as the sources of the standard library.
        problems: Vec<String>,
    },
    /// The completions.
    Completions {
        /// Where the part begins that they replace, in bytes of the cell; its
        /// end is the place that was asked about.
        start: u32,
        /// The ways, best first.
        items: Vec<Candidate>,
    },
    /// What is there, in Markdown, if anything is.
    Hover(Option<String>),
    /// Something went wrong with this request.
    Failed(String),
}

/// A completion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// What takes the place of what was typed.
    pub replacement: String,
    /// What it is.
    pub kind: CandidateKind,
    /// Its type or signature; may be empty.
    pub detail: String,
}

/// What a candidate is; commands and files are candidates of the session's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum CandidateKind {
    Variable,
    Field,
    Method,
    Function,
    Struct,
    Enum,
    Variant,
    Trait,
    Constant,
    Module,
    Macro,
    Keyword,
    Command,
    File,
}

impl CandidateKind {
    /// The word that Jupyter's front ends know for it.
    pub fn jupyter_name(self) -> &'static str {
        match self {
            CandidateKind::Method | CandidateKind::Function | CandidateKind::Macro => "function",
            CandidateKind::Struct | CandidateKind::Enum | CandidateKind::Trait => "class",
            CandidateKind::Module => "module",
            CandidateKind::Keyword => "keyword",
            CandidateKind::Command => "magic",
            CandidateKind::File => "path",
            CandidateKind::Field => "property",
            CandidateKind::Variable | CandidateKind::Variant | CandidateKind::Constant => "instance",
        }
    }
}

/// What a session asks of evcxr; each is answered by [`EvcxrReply::Done`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EvcxrOrder {
    /// Start evcxr, with the prelude of this workspace.
    Open {
        /// The workspace with the sources of the prelude, if cells are to see
        /// it.
        prelude: Option<PathBuf>,
    },
    /// Evaluate a text, which may have evcxr's own commands.
    Evaluate {
        /// The text.
        source: String,
        /// Whether it calls `gpurepl_ended` at its end: else it has failed.
        tells_end: bool,
    },
}

/// What comes of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EvcxrReply {
    /// The process that runs cells: an interrupt ends it.
    Child(i32),
    /// A line that cells have printed.
    Output {
        /// Whether on standard error.
        is_error: bool,
        /// The line, with its end.
        text: String,
    },
    /// The cell's value.
    Value(crate::MimeBundle),
    /// An error in the text.
    Error(EvcxrError),
    /// The end of an order.
    Done {
        /// The variables and their types.
        variables: Vec<(String, String)>,
        /// The names of items.
        items: Vec<String>,
        /// How the process that runs cells has ended, if it has.
        lost: Option<String>,
    },
}

/// An error that evcxr has found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvcxrError {
    /// What is wrong.
    pub message: String,
    /// The compiler's number for it: `E0308`.
    pub code: Option<String>,
    /// Places in the text, in lines from one and columns from one, with what
    /// is said about them.
    pub places: Vec<(u32, u32, u32, String)>,
    /// What to do about it.
    pub helps: Vec<String>,
}
