//! Operations that the library computes: each file has one, with its loop on
//! the host and its launches on a GPU; where the loop is long, it has a file of
//! its own. The CUDA text is generated in `gpurepl-kernels`.

mod axis;
mod axis_host;
mod bins;
mod distributed;
mod elementwise;
mod figures;
mod histogram;
mod host_products;
mod indexed;
mod indexed_host;
mod kept;
mod library;
mod matmul;
mod places;
mod random;
mod reduction;
mod scan;
mod scan_host;
mod scan_steps;
mod search;
mod segments;
mod shared;
mod sort;
mod sort_host;
mod sort_keys;
mod summary;

pub use axis::AxisReduction;
pub use bins::{BinWork, Bins, Row, Wanted};
pub use distributed::Distributed;
pub use elementwise::{Elementwise, source};
pub use figures::{Figures, add_to_cells};
pub use histogram::Histogram;
pub use host_products::{HostFactor, HostLibrary, HostProduct, set_host_library};
pub use indexed::{Claims, Gather, Indexed, Scatter};
pub use library::{HostSpan, LibraryOperation, LibraryWork, Span};
pub use matmul::{Factor, MatMul, allow_tf32, is_tf32_allowed};
pub use places::{Mask, PlaceStarts, Places, starts_bytes};
pub use random::{Random, RandomKind};
pub use reduction::Reduction;
pub(super) use reduction::TwoStages;
pub use scan::Scan;
pub(crate) use scan::resident_blocks;
pub use search::Search;
pub use segments::Segments;
pub use sort::Sort;
pub use summary::Summary;

pub use super::outside::Indexing;

use std::ops::Range;

use gpurepl_kernels::{DType, Program, View};
use smallvec::SmallVec;

use super::host::{Locked, Output, Task};
use super::{Buffer, Context, Gpu, Strided, overflow};
use crate::error::Result;
use crate::scalar::{Scalar, ScalarBytes};
use crate::shape::Shape;
use kept::{Kept, KeptOperands};

/// A fused expression and its arrays.
#[derive(Clone, Copy)]
pub struct Operands<'a> {
    pub program: &'a Program,
    pub inputs: &'a [Strided<'a>],
    pub scalars: &'a [ScalarBytes],
    /// The shape that the program's strided inputs walk; its values are numbered
    /// in C order, whatever axes were merged.
    pub shape: Shape,
}

/// An array seen from one of its axes, or from neighbouring ones together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Along {
    /// The elements of the axes before it, together.
    pub(crate) outer: usize,
    pub(crate) length: usize,
    /// The elements of the axes after it, together.
    pub(crate) inner: usize,
}

impl Along {
    /// The axis of a shape.
    pub fn new(shape: Shape, axis: usize) -> Along {
        Along::over(shape, axis..axis + 1)
    }

    /// Neighbouring axes of a shape as one.
    pub fn over(shape: Shape, axes: Range<usize>) -> Along {
        let lengths = shape.lengths();
        Along {
            outer: lengths[..axes.start].iter().product(),
            length: lengths[axes.clone()].iter().product(),
            inner: lengths[axes.end..].iter().product(),
        }
    }

    /// How many such axes lie beside each other.
    pub(crate) fn count(&self) -> usize {
        self.outer * self.inner
    }
}

impl<'a> Operands<'a> {
    /// See [`Strided::check`]; also that the parts belong together.
    fn check(&self) {
        assert_eq!(self.program.inputs.len(), self.inputs.len());
        assert_eq!(self.program.scalars.len(), self.scalars.len());
        for ((dtype, _), input) in self.program.inputs.iter().zip(self.inputs) {
            input.check(self.shape, *dtype);
        }
    }

    /// [`Operands::check`] for an operation along an axis with so many results.
    fn check_along(&self, along: Along, output: &Buffer, results: usize) {
        self.check();
        assert_eq!(self.program.output, View::Contiguous);
        assert_eq!(along.count() * along.length, self.shape.size());
        assert!(output.bytes() >= results * self.program.dtype().size());
    }

    /// See [`Operation::for_each_buffer`](crate::Operation::for_each_buffer).
    fn for_each_buffer(
        &self,
        output: &Buffer,
        visit: &mut dyn FnMut(&Buffer, bool) -> Result<()>,
    ) -> Result<()> {
        self.inputs.iter().try_for_each(|input| visit(input.buffer, false))?;
        visit(output, true)
    }

    fn kept(&self) -> KeptOperands {
        KeptOperands::new(self)
    }

    /// The buffers of the host, for loops over them.
    fn lock(&self, output: &'a Buffer) -> Locked<'a> {
        let reads: SmallVec<[_; 4]> = self.inputs.iter().map(|input| input.buffer).collect();
        Locked::new(&reads, &[output])
    }

    /// What machines of the host run. `output` is the buffer that their values
    /// go to, where inputs may lie in it.
    fn task<'t>(&self, locked: &'t Locked<'t>, output: Option<(&'t Buffer, Output<'t>)>) -> Task<'t>
    where
        'a: 't,
    {
        let Operands { program, inputs, scalars, shape } = *self;
        Task { program, inputs, scalars, shape, locked, output }
    }

    /// What a generated kernel takes first: the addresses of the inputs and the
    /// scalars.
    fn first_arguments(&self) -> Vec<ScalarBytes> {
        let mut arguments = Vec::with_capacity(self.inputs.len() + self.scalars.len() + ROOM);
        let inputs = self.inputs.iter().zip(&self.program.inputs);
        arguments.extend(inputs.map(|(input, (dtype, _))| ScalarBytes::address(input.address(*dtype))));
        arguments.extend_from_slice(self.scalars);
        arguments
    }

    /// Adds what a generated kernel takes last: how it walks strided arrays, the
    /// output too if it is one, and the memory for overflow, which stays until
    /// the cell ends.
    fn push_last_arguments(
        &self,
        arguments: &mut Vec<ScalarBytes>,
        output: Option<&Strided<'_>>,
        context: Context,
    ) -> Result<()> {
        let inputs = self.program.inputs.iter().map(|(_, view)| *view).zip(self.inputs);
        let all = inputs.chain(output.map(|output| (self.program.output, output)));
        let mut walked = all.filter(|(view, _)| *view == View::Strided).peekable();
        if walked.peek().is_some() {
            arguments.extend(self.shape.lengths().iter().map(|length| number(*length)));
        }
        for (_, strided) in walked {
            arguments.extend(
                strided.strides[..self.shape.rank()].iter().map(|stride| {
                    Scalar::Int(*stride as i64).to_bytes(DType::Int64).expect("an i64 is an i64")
                }),
            );
        }
        if self.program.reports_overflow {
            arguments.push(ScalarBytes::address(overflow::flags(context)?.address()));
        }
        Ok(())
    }

    /// What a generated kernel takes before and after its own arguments.
    fn arguments(&self, context: Context) -> Result<(Vec<ScalarBytes>, Vec<ScalarBytes>)> {
        let mut last = Vec::new();
        self.push_last_arguments(&mut last, None, context)?;
        Ok((self.first_arguments(), last))
    }
}

/// Room for the arguments after the first ones, so that most lists are
/// allocated once.
const ROOM: usize = 8;

/// A number as an argument of a kernel.
pub(super) fn number(value: usize) -> ScalarBytes {
    ScalarBytes::address(value as u64)
}

/// Several numbers as arguments.
fn numbers<const N: usize>(values: [usize; N]) -> [ScalarBytes; N] {
    values.map(number)
}

/// Blocks for each multiprocessor: two rounds of a full one.
const BLOCKS_PER_MULTIPROCESSOR: usize = 16;

/// The most blocks in `y`.
const MOST_IN_Y: usize = 65_535;

/// The blocks of a kernel whose threads take an element at a time, in a loop.
fn grid(count: usize, block: usize, gpu: &dyn Gpu) -> usize {
    count.div_ceil(block).clamp(1, gpu.multiprocessors() * BLOCKS_PER_MULTIPROCESSOR)
}

/// An axis divided so that few results keep a whole GPU busy as well: the
/// elements of a part, of `least` at least, and how many parts there are. There
/// is work for two rounds of threads, and no more: a little of a third one takes
/// as long as all of it (a sum of 16384 columns on an H200: 4216 GB/s by 33 parts,
/// 3548 by 17).
fn divided(along: Along, threads_each: usize, multiprocessors: usize, least: usize) -> (usize, usize) {
    let wanted = (multiprocessors * 2 * 2048) / (along.count() * threads_each).max(1);
    let parts = wanted.min(along.length / least).clamp(1, MOST_IN_Y);
    let part = along.length.div_ceil(parts).max(1);
    (part, along.length.div_ceil(part).max(1))
}
