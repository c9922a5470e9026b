//! Searches in sorted elements: the work, and how a GPU does it.

use std::sync::Arc;

use gpurepl_kernels::{DType, Generated, SORT_BLOCK, SortKernels, SortText};

use super::library::{HostSpan, LibraryOperation, LibraryWork, Span};
use super::{grid, numbers, sort_host};
use crate::error::Result;
use crate::scalar::ScalarBytes;
use crate::{Buffer, GeneratedLaunch, Gpu};

/// Values to find among sorted elements of their type.
pub struct Search {
    /// The type of both.
    pub dtype: DType,
    /// The memory of the sorted elements, the first of them, and how many.
    pub sorted: (Arc<Buffer>, usize, usize),
    /// The same of the values, of which there is at least one.
    pub values: (Arc<Buffer>, usize, usize),
    /// Whether values go behind equal elements, and not before them.
    pub is_behind: bool,
    /// The places go to the start of it, in 64 bits.
    pub places: Arc<Buffer>,
}

impl Search {
    /// The operation.
    ///
    /// # Errors
    ///
    /// If the result lies in the memory of the elements.
    pub fn operation(self) -> Result<LibraryOperation> {
        let size = self.dtype.size();
        let read = |(buffer, first, count): &(Arc<Buffer>, usize, usize)| Span {
            buffer: Arc::clone(buffer),
            start: first * size,
            bytes: count * size,
            writes: false,
        };
        let places =
            Span { buffer: Arc::clone(&self.places), start: 0, bytes: self.values.2 * 8, writes: true };
        let spans = vec![read(&self.sorted), read(&self.values), places];
        LibraryOperation::new(Arc::new(self), spans)
    }
}

impl LibraryWork for Search {
    fn name(&self) -> &'static str {
        "a search"
    }

    fn on_host(&self, memory: &mut [HostSpan<'_>]) -> Result<()> {
        let [HostSpan::Read(sorted), HostSpan::Read(values), HostSpan::Write(places)] = memory else {
            unreachable!("the spans of `operation`")
        };
        sort_host::search(self.dtype, sorted, values, places, self.is_behind)
    }

    fn on_gpu(&self, gpu: &dyn Gpu) -> Result<()> {
        let text = Generated::Sort(SortText {
            dtype: self.dtype,
            is_wide: false,
            has_places: false,
            kernels: SortKernels::Search,
        });
        let first = |(buffer, first, _): &(Arc<Buffer>, usize, usize)| {
            buffer.address() + (first * self.dtype.size()) as u64
        };
        let addresses = [first(&self.sorted), first(&self.values), self.places.address()];
        let mut arguments = addresses.map(ScalarBytes::address).to_vec();
        let count = self.values.2;
        arguments.extend(numbers([self.sorted.2, count, usize::from(self.is_behind)]));
        let launch = GeneratedLaunch {
            text: &text,
            entry: "gpurepl_search",
            grid: (grid(count, SORT_BLOCK, gpu), 1),
            block: SORT_BLOCK,
            arguments: &arguments,
        };
        // SAFETY: these are the arguments of `sort.hpp`, in its order;
        // `LibraryOperation` has made sure that the elements lie within their
        // buffers.
        unsafe { gpu.launch(&launch) }
    }
}
