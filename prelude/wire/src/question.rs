//! What a session asks its worker between cells, and the answers.

use serde::{Deserialize, Serialize};

/// A question, or a small request, that is not a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Question {
    /// Describe variables; answered by [`Answer::Variables`].
    Describe(Vec<SlotName>),
    /// How much memory is used; answered by [`Answer::Memory`].
    Memory,
    /// Which kernels were compiled; answered by [`Answer::Kernels`].
    Kernels,
    /// About the device in use; answered by [`Answer::Device`].
    Device,
    /// Set an environment variable, or remove it; answered by [`Answer::Done`].
    Environment {
        /// Its name.
        name: String,
        /// Its value, if it is to have one.
        value: Option<String>,
    },
    /// What an environment variable holds; answered by [`Answer::Value`].
    EnvironmentValue {
        /// Its name.
        name: String,
    },
    /// Make a folder the current one; answered by [`Answer::Done`].
    Folder {
        /// Its path, from the root on.
        path: String,
    },
}

/// A variable by its name, with its type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotName {
    /// The variable's name.
    pub name: String,
    /// Its type, in full: `gpurepl_prelude::GpuArray<f32>`.
    pub type_name: String,
    /// The fingerprint that it was put with.
    pub fingerprint: u64,
}

/// What a worker answers to a [`Question`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// It was done.
    Done,
    /// It could not be done, and why.
    Problem(String),
    /// Variables, in the order of the question; those that hold nothing are
    /// left out.
    Variables(Vec<SlotReport>),
    /// Memory.
    Memory(MemoryReport),
    /// Kernels, in the order of their compilation.
    Kernels(Vec<KernelReport>),
    /// Facts about the device in use: what, and its value in words.
    Device(Vec<(String, String)>),
    /// A value, if there is one.
    Value(Option<String>),
}

/// What a variable's memory says about it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotReport {
    /// Its name.
    pub name: String,
    /// The size of the value itself in bytes, without what it points at.
    pub size: u64,
    /// The number of elements or bytes of a list or a text, if that is known.
    pub length: Option<u64>,
    /// What it is as an array, if it is one.
    pub array: Option<ArrayReport>,
}

/// A device array.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArrayReport {
    /// The element type: `float32`.
    pub dtype: String,
    /// The lengths of its axes.
    pub shape: Vec<u64>,
    /// The device that holds it: `cuda:0`. None while it is an expression
    /// that nobody has requested.
    pub device: Option<String>,
    /// The size of its elements in bytes.
    pub bytes: u64,
    /// Which memory it is in: arrays of the same number share theirs.
    pub memory: u64,
}

/// Memory of the device in use.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryReport {
    /// The device: `cuda:0`.
    pub device: String,
    /// Its memory in bytes, as the device says.
    pub total: u64,
    /// What of it nobody uses, other processes among them.
    pub free: u64,
    /// Bytes in use by arrays and allocations of this session.
    pub used: u64,
    /// How many pieces those are.
    pub used_blocks: u64,
    /// Bytes that the pool keeps for the next array.
    pub held: u64,
    /// The most that the session may use, if there is a limit.
    pub limit: Option<u64>,
    /// Page-locked memory in use, in bytes.
    pub page_locked: u64,
    /// The worker's resident memory in bytes, if the system says.
    pub process: Option<u64>,
}

/// A kernel that was compiled in this session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelReport {
    /// Its name.
    pub name: String,
    /// The device that it runs on.
    pub device: String,
    /// Registers of a thread; none where nobody counts them.
    pub registers: Option<u64>,
    /// Bytes of shared memory that its own variables take in a block.
    pub shared: Option<u64>,
    /// Bytes of local memory of a thread.
    pub local: Option<u64>,
    /// How often it was launched.
    pub launches: u64,
    /// Threads of a block at the last launch.
    pub block: Option<u64>,
    /// The share of a multiprocessor's threads that blocks of that size keep
    /// busy, in thousandths.
    pub occupancy: Option<u64>,
    /// How long compiling its source took, in nanoseconds.
    pub compile: u64,
    /// Whether the cache of compiled kernels had it.
    pub was_cached: bool,
}
