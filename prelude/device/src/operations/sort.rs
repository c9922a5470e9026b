//! Sorts along the last axis: the work, and how a GPU does it.

use std::sync::Arc;

use gpurepl_kernels::{DType, Generated, SORT_BLOCK, SORT_SMALL, SortKernels, SortText};

use super::library::{HostSpan, LibraryOperation, LibraryWork, Span};
use super::{BLOCKS_PER_MULTIPROCESSOR, numbers, sort_host};
use crate::error::Result;
use crate::host::Locked;
use crate::scalar::ScalarBytes;
use crate::{Buffer, GeneratedLaunch, Gpu};

/// Rows of elements to sort: equal elements stay in order.
pub struct Sort {
    /// The type of the elements.
    pub dtype: DType,
    /// Where the rows lie, one after the other.
    pub input: Arc<Buffer>,
    /// The first element, in elements.
    pub offset: usize,
    /// How many rows there are; at least one.
    pub rows: usize,
    /// The elements of a row; at least one.
    pub length: usize,
    /// The sorted elements go to the start of it.
    pub values: Option<Arc<Buffer>>,
    /// Where in its row each of them was, in 64 bits, goes to the start of it.
    pub places: Option<Arc<Buffer>>,
}

impl Sort {
    /// The operation.
    ///
    /// # Errors
    ///
    /// If a result lies in the memory of the elements.
    pub fn operation(self) -> Result<LibraryOperation> {
        let (count, size) = (self.rows * self.length, self.dtype.size());
        let span = |buffer: &Arc<Buffer>, start, bytes, writes| Span {
            buffer: Arc::clone(buffer),
            start,
            bytes,
            writes,
        };
        let mut spans = vec![span(&self.input, self.offset * size, count * size, false)];
        spans.extend(self.values.iter().map(|values| span(values, 0, count * size, true)));
        spans.extend(self.places.iter().map(|places| span(places, 0, count * 8, true)));
        LibraryOperation::new(Arc::new(self), spans)
    }
}

impl LibraryWork for Sort {
    fn name(&self) -> &'static str {
        "a sort"
    }

    fn on_host(&self, memory: &mut [HostSpan<'_>]) -> Result<()> {
        let mut memory = memory.iter_mut();
        let Some(HostSpan::Read(input)) = memory.next() else { unreachable!("elements are read") };
        let mut written = |is_there: bool| match memory.next() {
            Some(HostSpan::Write(bytes)) if is_there => Some(&mut **bytes),
            _ => None,
        };
        let values = if self.values.is_some() { written(true) } else { None };
        let places = if self.places.is_some() { written(true) } else { None };
        let bytes = sort_host::bytes_between(self.dtype, self.length, places.is_some());
        if bytes == 0 {
            return sort_host::sort(self.dtype, self.length, input, values, places, &mut []);
        }
        // An array's memory, which the next sort has again: new pages of the
        // system's take as long as a pass.
        let between = Buffer::new(self.input.context(), bytes)?;
        let locked = Locked::new(&[], &[&between]);
        let between = locked.output(&between);
        // SAFETY: nobody else has this buffer.
        let between = unsafe { between.slice(0, bytes) };
        sort_host::sort(self.dtype, self.length, input, values, places, between)
    }

    fn on_gpu(&self, gpu: &dyn Gpu) -> Result<()> {
        let from = self.input.address() + (self.offset * self.dtype.size()) as u64;
        let is_small = self.length <= SORT_SMALL;
        let text = SortText {
            dtype: self.dtype,
            is_wide: self.length >= 1 << 30,
            // The kernel of short rows is the same without them.
            has_places: self.places.is_some() && !is_small,
            kernels: if is_small { SortKernels::Short } else { SortKernels::Long },
        };
        let sort = OnGpu { work: self, gpu, text, from };
        if is_small { sort.small() } else { sort.passes() }
    }
}

/// A sort that a GPU does.
struct OnGpu<'a> {
    work: &'a Sort,
    gpu: &'a dyn Gpu,
    text: SortText,
    from: u64,
}

impl OnGpu<'_> {
    fn launch(
        &self,
        entry: &'static str,
        blocks: usize,
        block: usize,
        arguments: &[ScalarBytes],
    ) -> Result<()> {
        let text = Generated::Sort(self.text);
        let launch = GeneratedLaunch { text: &text, entry, grid: (blocks, 1), block, arguments };
        // SAFETY: callers pass the arguments of `sort.hpp`, in its order, and
        // memory for as many elements as they say: that of the operation, which
        // `LibraryOperation` has checked, and what they have allocated, which is
        // given back after the launch on the same stream.
        unsafe { self.gpu.launch(&launch) }
    }

    /// As many blocks as work needs, and no more than the GPU has room for.
    fn blocks(&self, wanted: usize) -> usize {
        wanted.clamp(1, self.gpu.multiprocessors() * BLOCKS_PER_MULTIPROCESSOR)
    }

    fn small(&self) -> Result<()> {
        let Sort { rows, length, values, places, .. } = self.work;
        let padded = length.next_power_of_two();
        let mut arguments = vec![ScalarBytes::address(self.from), address(values), address(places)];
        arguments.extend(numbers([*rows, *length, padded]));
        let blocks = self.blocks(rows.div_ceil(SORT_SMALL / padded));
        self.launch("gpurepl_sort_small", blocks, SORT_BLOCK, &arguments)
    }

    fn passes(&self) -> Result<()> {
        let Sort { rows, length, values, places, .. } = self.work;
        let (rows, length, size) = (*rows, *length, self.work.dtype.size());
        let (passes, number) = (self.text.passes(), self.text.number());
        let tiles = rows * length.div_ceil(self.text.tile());
        let scratch = |bytes| {
            let buffer = Buffer::new(self.work.input.context(), bytes)?;
            buffer.enter(true)?;
            Ok::<_, crate::Error>(buffer)
        };
        let counts = scratch(rows * passes * 256 * 8)?;
        let states = [scratch(tiles * 256 * number)?, scratch(tiles * 256 * number)?];
        let tickets = scratch(passes * 4)?;
        // Elements and places go to and fro between their results' memory and
        // another one, so that the last pass ends in the former.
        let between = |of_results: &Option<Arc<Buffer>>, bytes: usize| {
            let results = match of_results {
                Some(results) => Arc::clone(results),
                None if passes > 1 => scratch(bytes)?,
                None => return Ok([0, 0].map(|_| None)),
            };
            let other = if passes > 1 { Some(scratch(bytes)?) } else { None };
            Ok::<_, crate::Error>([Some(results), other])
        };
        let elements = between(values, rows * length * size)?;
        let order = if places.is_some() {
            let [results, _] = between(places, 0)?;
            let other = if passes > 1 { Some(scratch(rows * length * number)?) } else { None };
            [results, other]
        } else {
            [None, None]
        };

        let mut arguments = vec![address(&Some(Arc::clone(&counts)))];
        arguments.extend(numbers([rows * passes * 256]));
        arguments.push(ScalarBytes::address(states[0].address()));
        arguments.extend(numbers([tiles * 256]));
        arguments.push(ScalarBytes::address(tickets.address()));
        let zeros = (rows * passes).max(tiles) * 256;
        self.launch(
            "gpurepl_sort_clear",
            self.blocks(zeros.div_ceil(SORT_BLOCK * 4)),
            SORT_BLOCK,
            &arguments,
        )?;

        let part = PART.min(length);
        let mut arguments = [self.from, counts.address()].map(ScalarBytes::address).to_vec();
        arguments.extend(numbers([rows, length, part]));
        let blocks = self.blocks(rows * length.div_ceil(part));
        self.launch("gpurepl_sort_count", blocks, SORT_BLOCK, &arguments)?;

        let mut arguments = vec![ScalarBytes::address(counts.address())];
        arguments.extend(numbers([rows * passes]));
        self.launch("gpurepl_sort_starts", self.blocks(rows * passes), 256, &arguments)?;

        let (mut from, mut from_order) = (self.from, 0);
        for pass in 0..passes {
            let side = (passes - 1 - pass) % 2;
            // The last pass writes elements only if they are wanted.
            let is_written = pass + 1 < passes || values.is_some();
            let to = if is_written { &elements[side] } else { &None };
            let mut arguments = vec![
                ScalarBytes::address(from),
                address(to),
                ScalarBytes::address(from_order),
                address(&order[side]),
            ];
            let state = [&states[pass % 2], &states[1 - pass % 2]];
            let others = [counts.address(), state[0].address(), state[1].address(), tickets.address()];
            arguments.extend(others.map(ScalarBytes::address));
            arguments.extend(numbers([length, pass]));
            self.launch("gpurepl_sort_pass", tiles, SORT_BLOCK, &arguments)?;
            from = to.as_ref().map_or(0, |to| to.address());
            from_order = order[side].as_ref().map_or(0, |order| order.address());
        }
        Ok(())
    }
}

/// Elements that a block counts at a time.
const PART: usize = 1 << 16;

/// The address of memory that need not be there.
fn address(buffer: &Option<Arc<Buffer>>) -> ScalarBytes {
    ScalarBytes::address(buffer.as_ref().map_or(0, |buffer| buffer.address()))
}
