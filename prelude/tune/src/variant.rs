//! One variant of a kernel, and what has come of it.

use gpurepl_ground::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};

/// A kernel with everything that a launch needs but its arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    pub source: String,
    /// The kernel's name in it, with the arguments of a template if it is one.
    pub kernel: String,
    pub options: Vec<String>,
    pub grid: [i64; 3],
    pub block: [i64; 3],
    /// Dynamic shared memory, in bytes.
    pub shared_memory: usize,
}

/// What a variant that works takes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The median of its times, in seconds.
    pub seconds: f64,
    /// How many times it was run.
    pub runs: usize,
    /// Registers of a thread; none if the device does not tell.
    pub registers: Option<usize>,
    /// Bytes of a thread that do not fit in registers.
    pub spilled: Option<usize>,
    /// Bytes of shared memory of a block.
    pub shared_memory: Option<usize>,
}

/// What has come of a variant.
pub type Outcome = std::result::Result<Measured, Failure>;

/// Why a variant was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub enum FailureKind {
    /// The compiler refuses its text, or the template does.
    DoesNotCompile,
    /// It asks for more than the device has: threads, registers, shared memory.
    CannotLaunch,
    /// It fails while it runs.
    Fails,
    /// Its results are not those of the first variant, or the ones that are expected.
    IsWrong,
    /// It takes too long.
    TakesTooLong,
    /// The process that tried it has ended.
    Crashes,
}

impl FailureKind {
    /// What variants of this kind do, in words.
    pub fn words(self) -> &'static str {
        match self {
            FailureKind::DoesNotCompile => "does not compile",
            FailureKind::CannotLaunch => "cannot be launched",
            FailureKind::Fails => "fails",
            FailureKind::IsWrong => "gives wrong results",
            FailureKind::TakesTooLong => "takes too long",
            FailureKind::Crashes => "crashes",
        }
    }

    /// What one variant of this kind does, or several do, in words.
    pub(crate) fn words_for(self, count: usize) -> &'static str {
        if count == 1 {
            return self.words();
        }
        match self {
            FailureKind::DoesNotCompile => "do not compile",
            FailureKind::CannotLaunch => "cannot be launched",
            FailureKind::Fails => "fail",
            FailureKind::IsWrong => "give wrong results",
            FailureKind::TakesTooLong => "take too long",
            FailureKind::Crashes => "crash",
        }
    }
}

/// A variant that was left out, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// The kind of failure.
    pub kind: FailureKind,
    /// What was said.
    pub message: String,
}

impl Failure {
    /// The line of the message that says most: a compiler's first error, or the first line.
    pub(crate) fn first_line(&self) -> &str {
        let mut lines = self.message.lines().filter(|line| !line.trim().is_empty());
        let error = self.message.lines().find(|line| line.starts_with("error: "));
        error.or_else(|| lines.next()).unwrap_or_default()
    }

    pub(crate) fn new(kind: FailureKind, message: impl ToString) -> Failure {
        Failure { kind, message: message.to_string() }
    }

    /// What an error says of the variant, if it is about the variant alone.
    ///
    /// # Errors
    ///
    /// The error itself, if no variant can be tried after it or with it.
    pub(crate) fn of(error: Error) -> Result<Failure> {
        let kind = match error.kind() {
            ErrorKind::Interrupted | ErrorKind::DeviceLost | ErrorKind::Missing => return Err(error),
            ErrorKind::Compile | ErrorKind::Spec | ErrorKind::Unsupported => FailureKind::DoesNotCompile,
            // An argument that does not fit fits no variant, but its text may be what differs.
            ErrorKind::Launch | ErrorKind::Argument | ErrorKind::OutOfMemory => FailureKind::CannotLaunch,
            _ => FailureKind::Fails,
        };
        Ok(Failure::new(kind, error))
    }
}
