//! How many of a fused expression's values lie in each bin.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use gpurepl_kernels::{DType, Generated, HISTOGRAM_BINS, HISTOGRAM_BLOCK, View};

use super::{Operands, Row, grid, number};
use crate::error::Result;
use crate::host::{BLOCK, BLOCKS_AT_ONCE, Machine, ranges};
use crate::scalar::{Scalar, ScalarBytes};
use crate::{Buffer, GeneratedLaunch, Gpu, Operation};

/// A fused expression of type `f64` whose values are counted in bins. A bin has its
/// lower edge, and the last one both; NaN has none.
pub struct Histogram<'a> {
    /// The expression.
    pub operands: Operands<'a>,
    /// The edges of the bins as `f64`, in ascending order.
    pub edges: Row,
    /// Bins for each unit, if all have one width; else zero.
    pub scale: f64,
    /// The counts go to its start, where there are zeros: 64-bit integers.
    pub output: &'a Buffer,
}

impl Histogram<'_> {
    /// The most bins that there may be.
    pub const MOST_BINS: usize = HISTOGRAM_BINS;

    fn bins(&self) -> usize {
        self.edges.count - 1
    }
}

impl Operation for Histogram<'_> {
    fn name(&self) -> &'static str {
        "a histogram"
    }

    fn for_each_buffer(&self, visit: &mut dyn FnMut(&Buffer, bool) -> Result<()>) -> Result<()> {
        visit(&self.edges.buffer, false)?;
        self.operands.for_each_buffer(self.output, visit)
    }

    fn check(&self) {
        self.operands.check();
        let program = self.operands.program;
        assert!(program.dtype() == DType::Float64 && program.output == View::Contiguous);
        assert!(self.edges.is_inside() && (2..=HISTOGRAM_BINS + 1).contains(&self.edges.count));
        assert!(self.output.bytes() >= self.bins() * 8);
    }

    fn on_host(&self) -> Result<()> {
        let mut reads: Vec<&Buffer> = self.operands.inputs.iter().map(|input| input.buffer).collect();
        reads.push(&self.edges.buffer);
        let locked = crate::host::Locked::new(&reads, &[self.output]);
        let task = self.operands.task(&locked, None);
        let edges = self.edges.of::<f64>(&locked);
        let all = Mutex::new(vec![0_u64; self.bins()]);
        ranges(self.operands.shape.size(), BLOCK * BLOCKS_AT_ONCE, |range| {
            let mut machine = Machine::new(&task, range.len());
            let mut counts = vec![0_u64; self.bins()];
            for start in range.clone().step_by(BLOCK) {
                let values = machine.run(start, BLOCK.min(range.end - start));
                for x in bytemuck::cast_slice::<u8, f64>(values) {
                    if let Some(bin) = bin_of(edges, self.scale, *x) {
                        counts[bin] += 1;
                    }
                }
            }
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            all.iter_mut().zip(counts).for_each(|(all, count)| *all += count);
        })?;
        let all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        locked.write(self.output, 0, bytemuck::cast_slice(&all));
        Ok(())
    }

    fn on_gpu(&self, gpu: &dyn Gpu) -> Result<()> {
        let text = Generated::Histogram(Cow::Borrowed(self.operands.program));
        let count = self.operands.shape.size();
        let (mut arguments, walk) = self.operands.arguments(self.output.context())?;
        let scale = Scalar::Float(self.scale).to_bytes(DType::Float64).expect("an f64 is an f64");
        arguments.extend([self.edges.address(), number(self.bins()), scale]);
        arguments.extend([ScalarBytes::address(self.output.address()), number(count)]);
        arguments.extend(walk);
        let launch = GeneratedLaunch {
            text: &text,
            entry: "gpurepl_histogram",
            grid: (grid(count, HISTOGRAM_BLOCK, gpu), 1),
            block: HISTOGRAM_BLOCK,
            arguments: &arguments,
        };
        // SAFETY: these are the arguments of `Program::to_cuda_histogram`, in its
        // order; `check` has made sure that no element lies outside of its buffer,
        // that there are few enough bins, and that there is a count for each.
        unsafe { gpu.launch(&launch) }
    }

    fn kept(&self) -> Box<dyn Fn() -> Result<()> + Send + Sync> {
        let (kept, edges, scale) = (self.operands.kept(), self.edges.clone(), self.scale);
        let output = self.output.handle();
        Box::new(move || {
            kept.with(|operands| {
                Histogram { operands: *operands, edges: edges.clone(), scale, output: &output }.on_host()
            })
        })
    }
}

/// The bin of a value. That of bins of one width is found by a multiplication, and
/// the edges say whether it is one off, as in NumPy.
fn bin_of(edges: &[f64], scale: f64, x: f64) -> Option<usize> {
    let bins = edges.len() - 1;
    if !(x >= edges[0] && x <= edges[bins]) {
        return None;
    }
    if scale <= 0.0 {
        return Some(edges[1..bins].partition_point(|edge| *edge <= x));
    }
    let mut bin = (((x - edges[0]) * scale) as usize).min(bins - 1);
    while bin > 0 && x < edges[bin] {
        bin -= 1;
    }
    while bin + 1 < bins && x >= edges[bin + 1] {
        bin += 1;
    }
    Some(bin)
}
