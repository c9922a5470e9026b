//! What a compiler said about a kernel, for a session to show in the cell that
//! holds the kernel's text.

use serde::{Deserialize, Serialize};

/// A kernel that did not compile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompileFailure {
    /// The name of what was compiled: `kernel`, or that of an elementwise
    /// kernel.
    pub what: String,
    /// The user's texts by the names that messages know them by: `kernel.cu`,
    /// or `operation` and others of an elementwise kernel.
    pub texts: Vec<(String, String)>,
    /// Errors, and notes that belong to them.
    pub messages: Vec<CompileMessage>,
}

/// One message of a compiler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompileMessage {
    /// Whether it is an error rather than a note to the one before.
    pub is_error: bool,
    /// What it says.
    pub text: String,
    /// Which of the user's texts it is about: a place in
    /// [`CompileFailure::texts`].
    pub source: usize,
    /// The line of that text, counted from one.
    pub line: usize,
    /// The column in bytes, counted from one; zero if it is not known.
    pub column: usize,
    /// If the text is a template: the line that it was made into, with its number, in words.
    pub generated: Option<String>,
}
