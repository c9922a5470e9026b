//! CUDA C from kernel descriptions, and host C++ from CUDA C.
//!
//! This crate is pure text: it reads no file, knows no device and holds no
//! `unsafe`. It answers these questions:
//!
//! | question | answer |
//! |---|---|
//! | What is `const float *x` in Rust? | [`DType`], [`declaration`] |
//! | What is this source once the preprocessor has run? | [`preprocessor`] |
//! | What do its kernels take, by its text and by its compiler? | [`signature`], [`mangled`] |
//! | What do options of one compiler mean to another? | [`options`] |
//! | Which variables does it have on the device? | [`globals`] |
//! | What does this description look like as a kernel? | [`ElementwiseSpec`], [`ReductionSpec`], [`Program`] |
//! | How does this CUDA C run on a CPU? | [`host`] |
//! | What does this PTX read that it never set, and what does it do? | [`ptx`] |
//!
//! A description becomes two texts that compute the same thing. For
//! `z[i] = a*x[i]` over `float a, const float *x, float *z`, shortened:
//!
//! ```text
//! CUDA C                                            host C++
//! __global__ void kernel(float a, ..., long long n) void gpurepl_range(void **args, long long begin, long long end, ...)
//!   long long i;                                      float a = *(float *)args[0]; ...
//!   for (i = first; i < n; i += total_threads) {      for (long long i = begin; i < end; i++) {
//!     z[i] = a*x[i];                                    z[i] = a*x[i];
//!   }                                                 }
//! ```
//!
//! Generated text includes no header: a header costs the CUDA compiler more
//! time than the kernel itself.
#![warn(missing_docs)]

mod axis;
mod complex;
pub mod complex_functions;
mod dtype;
mod elementwise;
mod error;
#[doc(hidden)]
pub mod functions;
mod fused;
mod generated;
pub mod guards;
mod histogram;
mod indexed;
mod layouts;
mod listing;
pub mod matmul;
mod ops;
mod overflow;
mod program;
mod reduction;
mod resident;
mod scan;
mod scan_kernel;
mod sort;
mod summary;
mod support;
mod value_type;

pub mod bins;
pub mod declaration;
pub mod globals;
pub mod headers;
pub mod host;
pub mod mangled;
pub mod options;
pub mod places;
pub mod preprocessor;
pub mod ptx;
pub mod random;
pub mod rust;
pub mod segments;
pub mod signature;
pub mod special_functions;
pub mod token;

pub use axis::AXIS_BLOCK;
pub use dtype::{DType, Kind};
pub use elementwise::{AFTER, APART, ELEMENTWISE_BLOCK, ELEMENTWISE_TILE, ENTRY, ElementwiseSpec};
pub use error::SpecError;
pub use fused::{FUSED_BLOCK, Walk};
pub use generated::{Generated, LibraryText};
pub use guards::Guards;
pub use histogram::{HISTOGRAM_BINS, HISTOGRAM_BLOCK};
pub use indexed::{INDEXED_BLOCK, Indexed, OUTSIDE_NOTED, OUTSIDE_WORDS};
pub use layouts::{Elements, Layouts, Usage, has_element};
pub use matmul::{MATMUL_BLOCK, MATMUL_TILE};
pub use ops::{BinaryOp, Group, Pairs, ReduceOp, TernaryOp, UnaryOp};
pub use overflow::Overflow;
pub use program::{Instruction, Operand, Program, View};
pub use reduction::{REDUCTION_BLOCK, REDUCTION_COLUMNS, ReductionSpec};
pub use resident::{RESIDENT_BLOCKS, RESIDENT_SLOT, ResidentTile};
pub use scan::{SCAN_BLOCK, SCAN_PARTS_BLOCK, SCAN_PARTS_EACH, scan_tile};
pub use scan_kernel::{SCAN_ENTRY, ScanSpec};
pub use sort::{SORT_BLOCK, SORT_SMALL, SortKernels, SortText};
pub use summary::{Cells, FIGURES_BYTES, SUMMARY_BLOCK, Wide, summary_shift};
pub(crate) use support::CONSTANTS_TEXT;
pub use support::{CONSTANTS, MATH_CONSTANTS, PYCUDA_HELPERS_HEADER, REFERENCES_HEADER};
pub use value_type::{REDUCTION_VALUE_BYTES, ValueType};
