//! What is fixed about a device, and the most that it can do.

/// Whether a device is a GPU or this machine's CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeviceKind {
    /// An NVIDIA GPU.
    Cuda,
    /// This machine's CPU.
    Host,
}

/// What is fixed about a device.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Description {
    pub kind: DeviceKind,
    pub number: usize,
    /// How `GPUREPL_DEVICE` names it: `cuda:0`.
    pub id: String,
    pub name: String,
    /// What else is worth a line: architecture, cores, versions.
    pub detail: String,
    pub total_memory: u64,
    pub limits: Limits,
    /// The architecture of a CUDA device: 9.0 for Hopper.
    pub compute_capability: Option<(i32, i32)>,
}

/// The most that a launch can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct Limits {
    /// In blocks.
    pub grid: [u64; 3],
    /// In threads.
    pub block: [u64; 3],
    pub threads_per_block: u64,
    /// In bytes, shared memory of a block without asking for more.
    pub shared_memory: u64,
    /// In bytes, the most that a kernel can ask for.
    pub shared_memory_optin: u64,
}

/// The most bytes that arrays may take: `GPUREPL_MEMORY_LIMIT`, in MiB.
pub fn memory_limit() -> Option<u64> {
    let text = std::env::var("GPUREPL_MEMORY_LIMIT").ok()?;
    text.trim().parse::<u64>().ok().map(|mebibytes| mebibytes.saturating_mul(1 << 20))
}
