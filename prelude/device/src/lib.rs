//! Devices: where arrays live and kernels run.
//!
//! Two devices stand behind one contract (`contract`): CUDA, through the
//! driver, and the host, through the system's C++ compiler. Everything above
//! this module uses the contract; all `unsafe` of arrays and kernels lies
//! below it.
//!
//! Work that is written down and not asked for yet, as array expressions are,
//! is asked for before anything is waited for: see `pending`.

#![warn(missing_docs)]

#[doc(hidden)]
pub mod activity;
mod attributes;
mod autoinit;
mod buffer;
#[doc(hidden)]
pub mod cache;
mod checks;
mod compilers;
mod context;
mod contract;
#[doc(hidden)]
pub mod cuda;
#[doc(hidden)]
pub mod debug;
mod disassembler;
mod dlpack;
mod event;
mod foreign;
mod graph;
mod guarded;
#[doc(hidden)]
pub mod host;
mod host_memory;
#[cfg(test)]
#[path = "../../../tests/support/ignored.rs"]
mod ignored;
#[doc(hidden)]
pub mod includes;
pub mod nvtx;
#[doc(hidden)]
pub mod operations;
mod order;
mod outside;
mod overflow;
mod pending;
mod per_context;
pub mod places;
mod properties;
mod recent;
#[doc(hidden)]
pub mod rust;
mod stream;
mod symbols;
mod time_limit;

pub use attributes::DeviceAttribute;
pub use context::{Context, ContextFlags, Limit, Scheduling, synchronize};
pub use contract::{Advice, AttachFlags, CacheConfig, DeviceKind, MemoryLocation, PageLockedFlags};
pub use dlpack::{
    DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPack, DLPackVersion, DLTensor,
};
pub use event::{Event, EventFlags, timed};
pub use foreign::PointerHolder;
pub use graph::Graph;
pub use properties::{Device, device};
pub use stream::{Stream, StreamFlags};

#[doc(hidden)]
pub use autoinit::{reports, retained};
#[doc(hidden)]
pub use buffer::{Buffer, Watcher, Watchers, hold};
#[doc(hidden)]
pub use checks::checks_asked_for;
#[doc(hidden)]
pub use context::{current, in_use};
#[doc(hidden)]
pub use contract::{
    Attribute, Backend, Copies, Corner, Description, Entry, Fill, FoldKernel, Gemm, GemmFactor,
    GeneratedLaunch, Gpu, Launch, Limits, LinkPart, LoadedParameter, LoopArguments, LoopKernel, Module,
    ModuleSource, Operation, Pool, PoolFigures, Recording, RectangleCopy, RowFoldKernel, Rows, RunningKernel,
    Side, Streams, Strided, Structure, Target, environment, image, left_out, left_out_global, memory_limit,
    too_much_shared_memory,
};
#[doc(hidden)]
pub use cuda::{Vendor, VendorLibrary, toolkits};
#[doc(hidden)]
pub use disassembler::disassembled;
#[doc(hidden)]
pub use dlpack::{Described, steps_in_order};
#[doc(hidden)]
pub use event::EventInner;
#[doc(hidden)]
pub use foreign::Foreign;
#[doc(hidden)]
pub use graph::{capture_id, keep_for_capture, outside_capture};
#[doc(hidden)]
pub use host::use_large_pages;
#[doc(hidden)]
pub use host_memory::HostMemory;
#[doc(hidden)]
pub use order::Order;
#[doc(hidden)]
pub use outside::report_again;
pub use overflow::{overflow_note, reports_overflow};
#[doc(hidden)]
pub use pending::{Pending, before_waiting};
#[doc(hidden)]
pub use per_context::PerContext;
#[doc(hidden)]
pub use stream::{StreamInner, in_use as streams_in_use, refuse_in_capture};

use gpurepl_ground::{Error, error, interrupt, scalar, shape, streams};
