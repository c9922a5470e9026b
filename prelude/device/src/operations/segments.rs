//! Reductions of pieces of a matrix's rows: the work on both devices.

use std::sync::Arc;

use gpurepl_kernels::{DType, Generated, ReduceOp, segments};
use gpurepl_native::Folder;

use super::library::{HostSpan, LibraryOperation, LibraryWork, Span};
use super::shared::Shared;
use super::{grid, numbers};
use crate::error::Result;
use crate::host::ranges;
use crate::scalar::ScalarBytes;
use crate::{Buffer, GeneratedLaunch, Gpu};

/// Pieces of the rows of a matrix, each to reduce to a row.
pub struct Segments {
    /// The type of the elements.
    pub dtype: DType,
    /// How they are combined.
    pub op: ReduceOp,
    /// The memory of the matrix, its first element, its rows and their length.
    pub matrix: (Arc<Buffer>, usize, usize, usize),
    /// The memory of the first row of each piece, in 64 bits, and the first of these. A
    /// piece has one row at least, and all of them are among the matrix's.
    pub starts: (Arc<Buffer>, usize),
    /// The same of the rows behind the last ones.
    pub ends: (Arc<Buffer>, usize),
    /// How many pieces there are.
    pub pieces: usize,
    /// The rows that they are reduced to, one after the other.
    pub output: Arc<Buffer>,
}

impl Segments {
    /// The operation.
    ///
    /// # Errors
    ///
    /// If the result lies in the memory of the elements.
    pub fn operation(self) -> Result<LibraryOperation> {
        let size = self.dtype.size();
        let (buffer, first, rows, row) = &self.matrix;
        let span = |buffer: &Arc<Buffer>, start, bytes, writes| Span {
            buffer: Arc::clone(buffer),
            start,
            bytes,
            writes,
        };
        let spans = vec![
            span(buffer, first * size, rows * row * size, false),
            span(&self.starts.0, self.starts.1 * 8, self.pieces * 8, false),
            span(&self.ends.0, self.ends.1 * 8, self.pieces * 8, false),
            span(&self.output, 0, self.pieces * row * size, true),
        ];
        LibraryOperation::new(Arc::new(self), spans)
    }
}

/// Elements that a core combines at a time.
const AT_ONCE: usize = 1 << 14;

impl LibraryWork for Segments {
    fn name(&self) -> &'static str {
        "a reduction of segments"
    }

    fn on_host(&self, memory: &mut [HostSpan<'_>]) -> Result<()> {
        let [HostSpan::Read(values), HostSpan::Read(starts), HostSpan::Read(ends), HostSpan::Write(out)] =
            memory
        else {
            unreachable!("the spans of `operation`")
        };
        let (starts, ends) = (bytemuck::cast_slice::<u8, i64>(starts), bytemuck::cast_slice::<u8, i64>(ends));
        let folder = Folder::new(self.op, self.dtype);
        let bytes = self.matrix.3 * self.dtype.size();
        if bytes == 0 {
            return Ok(());
        }
        let each = (values.len() / self.dtype.size()).div_ceil(self.pieces.max(1)).max(1);
        let out = Shared::new(out);
        ranges(self.pieces, (AT_ONCE / each).max(1), |range| {
            // SAFETY: ranges do not overlap, so neither do the rows of their results.
            let out = unsafe { out.part(range.start * bytes, range.len() * bytes) };
            let mut sum = vec![0_u128; bytes.div_ceil(16)];
            for (piece, out) in range.zip(out.chunks_exact_mut(bytes)) {
                let start = starts[piece] as usize;
                let behind = (ends[piece] as usize).max(start + 1);
                let rows = &values[start * bytes..behind * bytes];
                if self.matrix.3 == 1 {
                    out.copy_from_slice(&folder.fold(rows)[..bytes]);
                    continue;
                }
                out.copy_from_slice(&rows[..bytes]);
                for row in rows.chunks_exact(bytes).skip(1) {
                    let sum = &mut bytemuck::cast_slice_mut(&mut sum)[..bytes];
                    folder.pair(sum, out, row);
                    out.copy_from_slice(sum);
                }
            }
        })
    }

    fn on_gpu(&self, gpu: &dyn Gpu) -> Result<()> {
        let (buffer, first, _, row) = &self.matrix;
        let text = Generated::Segments(self.dtype, self.op);
        let values = buffer.address() + (first * self.dtype.size()) as u64;
        let of = |(buffer, first): &(Arc<Buffer>, usize)| buffer.address() + (first * 8) as u64;
        let addresses = [values, of(&self.starts), of(&self.ends), self.output.address()];
        let mut arguments = addresses.map(ScalarBytes::address).to_vec();
        arguments.extend(numbers([self.pieces, *row]));
        let (entry, threads) = if *row == 1 {
            ("gpurepl_segments", self.pieces * segments::TOGETHER)
        } else {
            ("gpurepl_segments_of_rows", self.pieces * row)
        };
        let launch = GeneratedLaunch {
            text: &text,
            entry,
            grid: (grid(threads, segments::BLOCK, gpu), 1),
            block: segments::BLOCK,
            arguments: &arguments,
        };
        // SAFETY: these are the arguments of `segments::to_cuda`, in its order;
        // `LibraryOperation` has made sure that they lie within their buffers, and
        // who makes the pieces that they lie within the matrix.
        unsafe { gpu.launch(&launch) }
    }
}
