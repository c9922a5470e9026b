//! Orders of a session to its worker.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{Question, Setting};

/// What a session asks of its worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Command {
    /// Run a compiled cell; answered by [`Frame::Done`](crate::Frame::Done).
    Run {
        /// The cell's number.
        cell: u64,
        /// What the cell is called in profiles: its name and its first line.
        title: String,
        /// The shared object that holds it.
        library: PathBuf,
        /// Its entry.
        function: String,
        /// The fingerprints of the variables that the cell puts: variables
        /// are taken again only by code that states the same one.
        fingerprints: Vec<(String, u64)>,
        /// Where the lines of the compiled text come from.
        lines: Lines,
        /// Whether the cell's value is kept for later cells.
        keeps_result: bool,
        /// Whether to measure each kernel and each copy.
        is_timed: bool,
        /// Whether values are wanted in HTML and as pictures, besides text.
        #[serde(default)]
        is_rich: bool,
        /// Where the sequence of random arrays is to stand at the cell's
        /// start; where it stands, if none. A replayed cell makes the same
        /// numbers again.
        #[serde(default)]
        random: Option<RandomState>,
        /// The ranks that run it, of several workers; all if none. The others load it, for the statics that it
        /// defines, and answer as if they had run it.
        #[serde(default)]
        ranks: Option<Vec<usize>>,
    },
    /// Call a function of [`Interaction`](crate::Interaction); what it shows comes as a result, and the answer is
    /// [`Frame::Interacted`](crate::Frame::Interacted).
    Interact {
        /// Its number.
        id: u64,
        /// How its controls stand.
        settings: Vec<Setting>,
    },
    /// Load a compiled cell without running it, for the statics that it
    /// defines; answered by [`Frame::Loaded`](crate::Frame::Loaded).
    Load {
        /// The shared object.
        library: PathBuf,
        /// Its entry.
        function: String,
    },
    /// Load a library of the user's dependencies, for good; answered by
    /// [`Frame::Loaded`](crate::Frame::Loaded).
    LoadDependencies {
        /// The shared object.
        library: PathBuf,
        /// A function of it to call on the thread of cells, such as one that
        /// starts a runtime; true if that succeeded.
        function: Option<String>,
    },
    /// Drop variables; answered by [`Frame::Forgotten`](crate::Frame::Forgotten).
    Forget {
        /// Their names.
        names: Vec<String>,
    },
    /// Let go of variables without their destructors, which have been found
    /// to end the process; answered by [`Frame::Forgotten`](crate::Frame::Forgotten).
    Abandon {
        /// Their names.
        names: Vec<String>,
    },
    /// List the variables and their fingerprints; answered by [`Frame::Held`](crate::Frame::Held).
    Held,
    /// List the devices of this machine; answered by [`Frame::Devices`](crate::Frame::Devices).
    Devices,
    /// Tell which variants of kernels were found to be the best; answered by [`Frame::Tuned`](crate::Frame::Tuned).
    Tuned {
        /// Whether to forget them.
        clear: bool,
    },
    /// Tell about the cache of compiled kernels; answered by [`Frame::Cache`](crate::Frame::Cache).
    Cache {
        /// Whether to remove what it holds.
        clear: bool,
    },
    /// The answer to [`Frame::Input`](crate::Frame::Input); itself it has none.
    Input {
        /// The number of the question.
        request: u64,
        /// The line, without its end; none if there is no more input.
        text: Option<String>,
        /// Whether the user has interrupted instead of answering.
        is_interrupted: bool,
    },
    /// The answer to [`Frame::Plugin`](crate::Frame::Plugin); itself it has none.
    Plugin {
        /// The number of the question.
        request: u64,
        /// What came of it.
        answer: PluginAnswer,
    },
    /// Answer a question between cells; answered by [`Frame::Answer`](crate::Frame::Answer).
    Ask(Question),
    /// Do what libraries have left for the end, once all cells are over; answered by
    /// [`Frame::Finished`](crate::Frame::Finished).
    Finish,
    /// End the process in the usual way, by `exit`: what watches it, such as
    /// NVIDIA's compute-sanitizer, then has its say. Answered by the end.
    End,
}

/// Where a plugin is, or why it is nowhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PluginAnswer {
    /// The shared library.
    Library(PathBuf),
    /// It is not there.
    Problem {
        /// What went wrong.
        message: String,
        /// The next step.
        help: String,
    },
}

/// Where a worker's sequence of random arrays stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RandomState {
    /// The seed.
    pub seed: u64,
    /// How many arrays have been made with it.
    pub arrays: u64,
}

/// The user's lines behind a compiled text, whose file is named after it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lines {
    /// The compiled file, as its own code knows it.
    pub file: String,
    /// The names of the user's texts.
    pub names: Vec<String>,
    /// For each line of the compiled text, from the first: a place in `names`
    /// and a line there, if it is the user's.
    pub lines: Vec<Option<(u32, u32)>>,
}
