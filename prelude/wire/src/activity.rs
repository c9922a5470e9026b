//! What a cell has had its devices do.

use serde::{Deserialize, Serialize};

/// What a cell has had its devices do. Counts are always there, times only
/// where the order asked for them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Activity {
    /// Kernels launched: the user's own, and those that expressions,
    /// reductions and random numbers are computed by. A launch of a graph
    /// counts as one, and so does a reduction.
    pub launches: u64,
    /// Bytes copied from the host's memory to a device's.
    pub bytes_to_device: u64,
    /// Bytes copied from a device's memory to the host's.
    pub bytes_from_device: u64,
    /// Bytes copied within a device's memory, or from one device to another.
    pub bytes_within_device: u64,
    /// Bytes of the device's memory in use before and after; none where no
    /// device was chosen yet.
    pub memory: Option<(u64, u64)>,
    /// What took how long, if it was measured.
    pub times: Option<Vec<Work>>,
}

/// Work of one name, all calls of it together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// The kernel's name, or what was copied where.
    pub name: String,
    /// Whether it is a copy rather than a kernel.
    pub is_transfer: bool,
    /// How often.
    pub calls: u64,
    /// Bytes that were copied.
    pub bytes: u64,
    /// The time of all calls, in nanoseconds.
    pub total: u64,
    /// The shortest call, in nanoseconds.
    pub min: u64,
    /// The longest call, in nanoseconds.
    pub max: u64,
}

impl Activity {
    /// The time that kernels took, in nanoseconds, if it was measured.
    pub fn kernel_nanoseconds(&self) -> Option<u64> {
        self.nanoseconds(false)
    }

    /// The time that copies took, in nanoseconds, if it was measured.
    pub fn transfer_nanoseconds(&self) -> Option<u64> {
        self.nanoseconds(true)
    }

    fn nanoseconds(&self, is_transfer: bool) -> Option<u64> {
        let works = self.times.as_ref()?.iter().filter(|work| work.is_transfer == is_transfer);
        Some(works.map(|work| work.total).sum())
    }
}
