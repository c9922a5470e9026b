//! Memory of the host that users pass to a library, besides slices and vectors.

#[doc(inline)]
pub use gpurepl_arrays::memory::{AlignedArray, HostElem, Managed, PageLocked};
