//! Bins: where numbers lie between others, how many elements each bin has, and
//! values between known ones.

use std::sync::{Arc, Mutex, PoisonError};

use gpurepl_kernels::Generated;
use gpurepl_kernels::bins::{BINS_BLOCK, to_cuda};

use super::{grid, number};
use crate::error::Result;
use crate::host::{Locked, ranges};
use crate::scalar::{Scalar, ScalarBytes};
use crate::{Buffer, GeneratedLaunch, Gpu, Operation};

/// Elements of 8 bytes in a row in memory.
#[derive(Clone)]
pub struct Row {
    pub buffer: Arc<Buffer>,
    /// The number of the first in the buffer.
    pub first: usize,
    pub count: usize,
}

impl Row {
    pub(super) fn is_inside(&self) -> bool {
        self.first.checked_add(self.count).is_some_and(|end| end <= self.buffer.bytes() / 8)
    }

    pub(super) fn address(&self) -> ScalarBytes {
        ScalarBytes::address(self.buffer.address() + self.first as u64 * 8)
    }

    pub(super) fn of<'a, T: bytemuck::Pod>(&self, locked: &'a Locked<'_>) -> &'a [T] {
        bytemuck::cast_slice(locked.slice(&self.buffer, self.first * 8, self.count * 8))
    }
}

/// What is looked for among edges in ascending order; NaN is larger than all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// How many edges are at most as large.
    AtMost,
    /// How many edges are less.
    Less,
    /// The bin: its lower edge is part of it, and of the last bin both are.
    Bin,
}

/// What is done with rows of numbers. Rows of floats are of double precision.
#[derive(Clone)]
pub enum BinWork {
    /// For each number where it lies among edges, as a 64-bit integer.
    Locate { numbers: Row, edges: Row, wanted: Wanted },
    /// How many of the numbers are 0, 1 and so on, added to the results; or the
    /// sum of their weights. Other numbers are left out.
    Tally { numbers: Row, weights: Option<Row> },
    /// For each number the value on the line between the known ones around it,
    /// whose places ascend; and the values before and after all of them.
    Interpolate { numbers: Row, places: Row, values: Row, ends: [f64; 2] },
}

/// The work and where its results go: into memory that it does not read.
#[derive(Clone)]
pub struct Bins {
    pub work: BinWork,
    pub output: Row,
}

/// Elements that one core takes at a time.
const AT_ONCE: usize = 1 << 15;

impl Bins {
    fn inputs(&self) -> Vec<&Row> {
        match &self.work {
            BinWork::Locate { numbers, edges, .. } => vec![numbers, edges],
            BinWork::Tally { numbers, weights } => {
                let mut rows = vec![numbers];
                rows.extend(weights);
                rows
            }
            BinWork::Interpolate { numbers, places, values, .. } => vec![numbers, places, values],
        }
    }

    /// Computes each result from a number by itself.
    fn map<A: bytemuck::Pod + Sync, B: bytemuck::Pod>(
        &self,
        locked: &Locked<'_>,
        numbers: &[A],
        of: impl Fn(A) -> B + Sync,
    ) -> Result<()> {
        let output = locked.output(&self.output.buffer);
        ranges(numbers.len(), AT_ONCE, |range| {
            // SAFETY: each result is one core's; `check` has made sure that
            // there is room, and that nothing reads this memory.
            let out = unsafe { output.slice((self.output.first + range.start) * 8, range.len() * 8) };
            for (out, number) in bytemuck::cast_slice_mut::<u8, B>(out).iter_mut().zip(&numbers[range]) {
                *out = of(*number);
            }
        })
    }

    /// Adds up ranges of numbers by themselves, and then those in their order,
    /// so that sums do not depend on the number of cores.
    fn tally<T: bytemuck::Pod + Send>(
        &self,
        locked: &Locked<'_>,
        numbers: &[i64],
        weight: impl Fn(usize) -> T + Sync,
        add: impl Fn(T, T) -> T + Sync,
    ) -> Result<()> {
        let results = self.output.count;
        let parts: Mutex<Vec<(usize, Vec<T>)>> = Mutex::new(Vec::new());
        ranges(numbers.len(), AT_ONCE.max(4 * results), |range| {
            let mut sums = vec![T::zeroed(); results];
            for at in range.clone() {
                let sum = usize::try_from(numbers[at]).ok().and_then(|bin| sums.get_mut(bin));
                if let Some(sum) = sum {
                    *sum = add(*sum, weight(at));
                }
            }
            parts.lock().unwrap_or_else(PoisonError::into_inner).push((range.start, sums));
        })?;
        let mut parts = parts.into_inner().unwrap_or_else(PoisonError::into_inner);
        parts.sort_unstable_by_key(|(start, _)| *start);
        let output = locked.output(&self.output.buffer);
        // SAFETY: the lock is held for writing, this is the one slice of it, and
        // `check` has made sure that there is room.
        let out = unsafe { output.slice(self.output.first * 8, results * 8) };
        for (_, sums) in parts {
            for (out, sum) in bytemuck::cast_slice_mut::<u8, T>(out).iter_mut().zip(sums) {
                *out = add(*out, sum);
            }
        }
        Ok(())
    }
}

impl Operation for Bins {
    fn name(&self) -> &'static str {
        "bins"
    }

    fn for_each_buffer(&self, visit: &mut dyn FnMut(&Buffer, bool) -> Result<()>) -> Result<()> {
        self.inputs().into_iter().try_for_each(|row| visit(&row.buffer, false))?;
        visit(&self.output.buffer, true)
    }

    fn check(&self) {
        let inputs = self.inputs();
        assert!(self.output.is_inside() && inputs.iter().all(|row| row.is_inside()));
        assert!(inputs.iter().all(|row| !Arc::ptr_eq(&row.buffer, &self.output.buffer)));
        match &self.work {
            BinWork::Locate { numbers, .. } => assert_eq!(numbers.count, self.output.count),
            BinWork::Tally { numbers, weights } => {
                assert!(weights.as_ref().is_none_or(|weights| weights.count == numbers.count));
            }
            BinWork::Interpolate { numbers, places, values, .. } => {
                assert!(numbers.count == self.output.count && places.count == values.count);
            }
        }
    }

    fn on_host(&self) -> Result<()> {
        let reads: Vec<&Buffer> = self.inputs().into_iter().map(|row| &*row.buffer).collect();
        let locked = Locked::new(&reads, &[&*self.output.buffer]);
        match &self.work {
            BinWork::Locate { numbers, edges, wanted } => {
                let edges = edges.of::<f64>(&locked);
                self.map(&locked, numbers.of::<f64>(&locked), |x: f64| located(edges, x, *wanted))
            }
            BinWork::Tally { numbers, weights: None } => {
                self.tally(&locked, numbers.of(&locked), |_| 1_i64, |a, b| a + b)
            }
            BinWork::Tally { numbers, weights: Some(weights) } => {
                let weights = weights.of::<f64>(&locked);
                self.tally(&locked, numbers.of(&locked), |at| weights[at], |a, b| a + b)
            }
            BinWork::Interpolate { numbers, places, values, ends } => {
                let (places, values) = (places.of::<f64>(&locked), values.of::<f64>(&locked));
                self.map(&locked, numbers.of::<f64>(&locked), |x: f64| between(places, values, *ends, x))
            }
        }
    }

    fn kept(&self) -> Box<dyn Fn() -> Result<()> + Send + Sync> {
        let own = self.clone();
        Box::new(move || own.on_host())
    }

    fn on_gpu(&self, gpu: &dyn Gpu) -> Result<()> {
        let (entry, threads, arguments) = match &self.work {
            BinWork::Locate { numbers, edges, wanted } => {
                let what = number(*wanted as usize);
                let numbers = [numbers.address(), number(numbers.count)];
                let edges = [edges.address(), number(edges.count)];
                let arguments = [&numbers[..], &edges, &[what, self.output.address()]].concat();
                ("gpurepl_locate", self.output.count, arguments)
            }
            BinWork::Tally { numbers, weights } => {
                let weights = weights.as_ref().map_or_else(|| ScalarBytes::address(0), Row::address);
                let counts = [numbers.count, self.output.count].map(number);
                let arguments = [&[numbers.address(), weights, self.output.address()][..], &counts].concat();
                ("gpurepl_tally", numbers.count, arguments)
            }
            BinWork::Interpolate { numbers, places, values, ends } => {
                let known = [places.address(), values.address(), number(places.count)];
                let numbers = [numbers.address(), number(numbers.count)];
                let ends = ends.map(|end| {
                    let end = Scalar::Float(end).to_bytes(gpurepl_kernels::DType::Float64);
                    end.expect("an f64 is an f64")
                });
                let arguments = [&numbers[..], &known, &ends, &[self.output.address()]].concat();
                ("gpurepl_interpolate", self.output.count, arguments)
            }
        };
        let text = Generated::Library { name: "bins", text: to_cuda().into() };
        let grid = (grid(threads, BINS_BLOCK, gpu), 1);
        let launch = GeneratedLaunch { text: &text, entry, grid, block: BINS_BLOCK, arguments: &arguments };
        // SAFETY: these are the arguments of `bins::to_cuda`, in its order;
        // `check` has made sure that the rows lie within their buffers and that
        // there is a result for each number, and the kernel leaves out bins
        // without a result.
        unsafe { gpu.launch(&launch) }
    }
}

fn located(edges: &[f64], x: f64, wanted: Wanted) -> i64 {
    if wanted == Wanted::Less {
        return edges.partition_point(|edge| *edge < x || (x.is_nan() && !edge.is_nan())) as i64;
    }
    let at_most = edges.partition_point(|edge| *edge <= x || x.is_nan()) as i64;
    match (wanted, edges) {
        (Wanted::Bin, [_, .., last]) if at_most == edges.len() as i64 && x == *last => at_most - 2,
        (Wanted::Bin, _) => at_most - 1,
        _ => at_most,
    }
}

/// As NumPy computes it, with the value of a known place where it is one.
fn between(places: &[f64], values: &[f64], [left, right]: [f64; 2], x: f64) -> f64 {
    let after = places.partition_point(|place| *place <= x || x.is_nan());
    if x.is_nan() {
        return x;
    }
    match after {
        0 => left,
        _ if x == places[after - 1] => values[after - 1],
        _ if after == places.len() => right,
        _ => {
            let (x0, x1, y0, y1) = (places[after - 1], places[after], values[after - 1], values[after]);
            let slope = (y1 - y0) / (x1 - x0);
            let y = slope * (x - x0) + y0;
            if !y.is_nan() {
                return y;
            }
            let y = slope * (x - x1) + y1;
            if y.is_nan() && y0 == y1 { y0 } else { y }
        }
    }
}
