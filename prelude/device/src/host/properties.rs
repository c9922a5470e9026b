//! What the host is, as a device.

use super::{compiler, memory, module, simulator};
use crate::error::Result;
use crate::{Description, DeviceAttribute, DeviceKind, Limits};

/// A GPU's usual limits, so that a launch that works here works there.
pub(super) const LIMITS: Limits = Limits {
    grid: [2_147_483_647, 65_535, 65_535],
    block: [1024, 1024, 64],
    threads_per_block: 1024,
    shared_memory: module::STATIC_SHARED_LIMIT as u64,
    shared_memory_optin: simulator::SHARED_LIMIT as u64,
};

/// What the host is.
///
/// # Errors
///
/// If `GPUREPL_KERNEL_TIMEOUT` cannot be read: the host is of no use then.
pub(crate) fn describe() -> Result<Description> {
    crate::time_limit::read_time_limit()?;
    Ok(description())
}

pub(super) fn description() -> Description {
    let cores = rayon_core::current_num_threads();
    Description {
        kind: DeviceKind::Host,
        number: 0,
        id: "host".to_owned(),
        name: "host".to_owned(),
        detail: format!("{cores} core{}, {}", if cores == 1 { "" } else { "s" }, compiler::describe()),
        total_memory: memory::total(),
        limits: LIMITS,
        compute_capability: None,
    }
}

/// An attribute of a GPU that the host has as well.
pub(crate) fn attribute(attribute: DeviceAttribute) -> Option<i64> {
    use DeviceAttribute::*;
    let axis = |lengths: [u64; 3], axis: usize| i64::try_from(lengths[axis]).ok();
    match attribute {
        MaxThreadsPerBlock => i64::try_from(LIMITS.threads_per_block).ok(),
        MaxBlockDimX => axis(LIMITS.block, 0),
        MaxBlockDimY => axis(LIMITS.block, 1),
        MaxBlockDimZ => axis(LIMITS.block, 2),
        MaxGridDimX => axis(LIMITS.grid, 0),
        MaxGridDimY => axis(LIMITS.grid, 1),
        MaxGridDimZ => axis(LIMITS.grid, 2),
        MaxSharedMemoryPerBlock => i64::try_from(LIMITS.shared_memory).ok(),
        MaxSharedMemoryPerBlockOptin => i64::try_from(simulator::SHARED_LIMIT).ok(),
        WarpSize => Some(32),
        // A core runs a block at a time.
        MultiprocessorCount => i64::try_from(rayon_core::current_num_threads()).ok(),
        MaxThreadsPerMultiprocessor => i64::try_from(LIMITS.threads_per_block).ok(),
        MaxBlocksPerMultiprocessor => Some(1),
        Integrated
        | CanMapHostMemory
        | UnifiedAddressing
        | ManagedMemory
        | ConcurrentManagedAccess
        | PageableMemoryAccess => Some(1),
        ConcurrentKernels
        | GpuOverlap
        | AsyncEngineCount
        | StreamPrioritiesSupported
        | KernelExecTimeout
        | EccEnabled => Some(0),
        _ => None,
    }
}
