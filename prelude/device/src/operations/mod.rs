//! Operations that the library computes: each file has one, with its loop on
//! the host and its launches on a GPU. Its CUDA text is made in
//! `gpurepl-kernels`.

mod axis;
mod axis_host;
mod scan;
mod scan_host;

pub use axis::AxisReduction;
pub use scan::Scan;

use std::sync::Arc;

use gpurepl_kernels::{Program, View};
use smallvec::SmallVec;

use super::cuda::generated::{inputs, number, walk_arguments};
use super::{Buffer, Strided, host, overflow};
use crate::error::Result;
use crate::scalar::ScalarBytes;
use crate::shape::Shape;

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

/// An array seen from one of its axes.
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
        let lengths = shape.lengths();
        Along {
            outer: lengths[..axis].iter().product(),
            length: lengths[axis],
            inner: lengths[axis + 1..].iter().product(),
        }
    }

    /// How many such axes lie beside each other.
    pub(crate) fn count(&self) -> usize {
        self.outer * self.inner
    }
}

impl Operands<'_> {
    /// See [`Strided::check`]; also that the parts belong together.
    fn check(&self, along: Along, output: &Buffer, results: usize) {
        assert_eq!(self.program.inputs.len(), self.inputs.len());
        assert_eq!(self.program.scalars.len(), self.scalars.len());
        assert_eq!(self.program.output, View::Contiguous);
        for ((dtype, _), input) in self.program.inputs.iter().zip(self.inputs) {
            input.check(self.shape, *dtype);
        }
        assert_eq!(along.count() * along.length, self.shape.size());
        assert!(output.bytes() >= results * self.program.dtype().size());
    }

    fn uses<'a>(&'a self, output: &'a Buffer) -> SmallVec<[(&'a Buffer, bool); 4]> {
        let reads = self.inputs.iter().map(|input| (input.buffer, false));
        reads.chain([(output, true)]).collect()
    }

    fn kept(&self) -> host::Operands {
        host::Operands::new(self.program, self.inputs, self.scalars, self.shape)
    }

    /// What a kernel takes before and after its own arguments; the memory for
    /// overflow stays until the cell ends.
    fn arguments(&self, output: &Buffer) -> Result<(Vec<ScalarBytes>, Vec<ScalarBytes>)> {
        let views = self.program.inputs.iter().map(|(_, view)| *view);
        let mut after = Vec::new();
        walk_arguments(&mut after, self.shape, &views.zip(self.inputs).collect::<Vec<_>>());
        if self.program.reports_overflow {
            let flags: Arc<Buffer> = overflow::flags(output.context())?;
            after.push(ScalarBytes::address(flags.address()));
        }
        Ok((inputs(self.inputs, &self.program.inputs, self.scalars), after))
    }
}

/// Numbers as arguments of a kernel.
fn numbers<const N: usize>(values: [usize; N]) -> [ScalarBytes; N] {
    values.map(number)
}

/// Blocks for each multiprocessor: two rounds of a full one.
const BLOCKS_PER_MULTIPROCESSOR: usize = 16;

/// The most blocks in `y`.
const MOST_IN_Y: usize = 65_535;

/// An axis divided so that few results keep a whole GPU busy as well: the
/// elements of a part, of `least` at least, and how many parts there are.
fn divided(along: Along, threads_each: usize, multiprocessors: usize, least: usize) -> (usize, usize) {
    let wanted = (multiprocessors * 2048).div_ceil((along.count() * threads_each).max(1));
    let parts = wanted.min(along.length / least).clamp(1, MOST_IN_Y);
    let part = along.length.div_ceil(parts).max(1);
    (part, along.length.div_ceil(part).max(1))
}
