//! What is kept for the next array.

use crate::device::{self, Context, PoolFigures};
use crate::error::{Bytes, Result};

/// The pool of a context's memory: PyCUDA's `DeviceMemoryPool`, which every
/// array uses here. What an array gives back is held for the next one.
///
/// ```
/// use gpurepl_prelude::*;
/// let pool = memory_pool()?;
/// let before = pool.active_bytes();
/// let a = zeros::<f32>(1000);
/// a.max().item();
/// assert!(pool.active_bytes() >= before + 4000);
/// drop(a);
/// pool.free_held()?; // returns unused memory to the system
/// # Ok::<(), Error>(())
/// ```
///
/// On the host device all contexts share one pool, page-locked and managed
/// memory too.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MemoryPool {
    context: Context,
    is_page_locked: bool,
}

/// The pool of the current context.
///
/// # Errors
///
/// If there is no device.
pub fn memory_pool() -> Result<MemoryPool> {
    Ok(MemoryPool { context: device::current()?, is_page_locked: false })
}

/// The pool of the current context's page-locked memory: PyCUDA's
/// `PageLockedMemoryPool`. It has no limit.
///
/// # Errors
///
/// If there is no device.
pub fn pagelocked_pool() -> Result<MemoryPool> {
    Ok(MemoryPool { context: device::current()?, is_page_locked: true })
}

impl MemoryPool {
    fn figures(&self) -> PoolFigures {
        let backend = self.context.backend();
        if self.is_page_locked { backend.copies().page_locked_figures() } else { backend.pool().figures() }
    }

    /// What kind of pool it is.
    #[doc(hidden)]
    pub fn title(&self) -> &'static str {
        if self.is_page_locked { "PageLockedMemoryPool" } else { "MemoryPool" }
    }

    #[doc(hidden)]
    pub fn device(&self) -> device::Device {
        self.context.device()
    }

    /// How many pieces are held for later.
    pub fn held_blocks(&self) -> usize {
        self.figures().held_blocks
    }

    /// How many pieces are in use.
    pub fn active_blocks(&self) -> usize {
        self.figures().active_blocks
    }

    /// Bytes that are held for later.
    pub fn held_bytes(&self) -> u64 {
        self.figures().held_bytes
    }

    /// Bytes that are in use, as they were rounded up.
    pub fn active_bytes(&self) -> u64 {
        self.figures().active_bytes
    }

    /// Bytes that are held or in use.
    pub fn managed_bytes(&self) -> u64 {
        let figures = self.figures();
        figures.held_bytes.saturating_add(figures.active_bytes)
    }

    /// The most bytes that may be in use; `None` for no limit.
    pub fn limit(&self) -> Option<u64> {
        self.figures().limit
    }

    /// Sets the most bytes that may be in use, or no limit. What is in use
    /// already stays. `GPUREPL_MEMORY_LIMIT`, in MiB, sets it from the start
    /// on a GPU.
    ///
    /// # Errors
    ///
    /// If it is the pool of page-locked memory.
    pub fn set_limit(&self, bytes: Option<u64>) -> Result<()> {
        if self.is_page_locked {
            let message =
                "the pool of page-locked memory cannot be limited; `free_held` returns what nobody uses"
                    .to_owned();
            return Err(crate::error::Problem::Unsupported { message }.into());
        }
        self.context.backend().pool().set_limit(bytes);
        Ok(())
    }

    /// Gives what is held back to the system. On a GPU that waits for its
    /// work.
    ///
    /// # Errors
    ///
    /// If earlier work failed.
    pub fn free_held(&self) -> Result<()> {
        device::refuse_in_capture("free_held")?;
        if self.is_page_locked {
            self.context.backend().copies().free_page_locked();
            return Ok(());
        }
        self.context.backend().pool().free_held()
    }
}

impl std::fmt::Display for MemoryPool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let PoolFigures { active_blocks, active_bytes, held_blocks, held_bytes, limit } = self.figures();
        let name = self.title();
        let blocks = |count| if count == 1 { "1 block".to_owned() } else { format!("{count} blocks") };
        write!(f, "{name}({} active in {}", Bytes(active_bytes), blocks(active_blocks))?;
        write!(f, ", {} held in {}", Bytes(held_bytes), blocks(held_blocks))?;
        if let Some(limit) = limit {
            write!(f, ", limit {}", Bytes(limit))?;
        }
        write!(f, ", on {})", self.context.device().id())
    }
}

impl std::fmt::Debug for MemoryPool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}
