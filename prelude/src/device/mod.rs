//! Devices: where arrays live and kernels run.
//!
//! Two devices stand behind one contract (`contract`): CUDA, through the
//! driver, and the host, through the system's C++ compiler. Everything above
//! this module uses the contract; all `unsafe` of arrays and kernels lies
//! below it.
//!
//! Work that is written down and not asked for yet, as array expressions are,
//! is asked for before anything is waited for: see `pending`.

mod attributes;
mod autoinit;
mod buffer;
pub(crate) mod cache;
mod context;
mod contract;
pub(crate) mod cuda;
pub(crate) mod debug;
mod event;
mod graph;
pub(crate) mod host;
mod host_memory;
pub(crate) mod includes;
pub mod nvtx;
pub(crate) mod operations;
mod order;
mod overflow;
mod pending;
mod per_context;
mod properties;
mod stream;
mod symbols;

pub use attributes::DeviceAttribute;
pub use context::{Context, ContextFlags, Limit, Scheduling, synchronize};
pub use contract::{Advice, AttachFlags, CacheConfig, DeviceKind, MemoryLocation, PageLockedFlags};
pub use event::{Event, EventFlags, timed};
pub use graph::Graph;
pub use properties::{Device, device};
pub use stream::{Stream, StreamFlags};

pub(crate) use autoinit::{reports, retained};
pub(crate) use buffer::{Buffer, Watcher, Watchers, hold};
pub(crate) use context::{current, in_use};
pub(crate) use contract::*;
pub(crate) use event::EventInner;
pub(crate) use graph::{capture_id, keep_for_capture, outside_capture};
pub(crate) use host::use_large_pages;
pub(crate) use host_memory::{Foreign, HostMemory};
pub(crate) use order::Order;
pub(crate) use overflow::{overflow_note, reports_overflow};
pub(crate) use pending::{Pending, before_waiting};
pub(crate) use per_context::PerContext;
pub(crate) use stream::{StreamInner, in_use as streams_in_use, refuse_in_capture};
