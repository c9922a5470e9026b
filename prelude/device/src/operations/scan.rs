//! Running sums, products and extremes along an axis: the work, and how a GPU
//! does it.

use std::borrow::Cow;
use std::sync::Arc;

use gpurepl_kernels::{
    Generated, RESIDENT_BLOCKS, RESIDENT_SLOT, ReduceOp, ResidentTile, SCAN_BLOCK, SCAN_PARTS_BLOCK,
    SCAN_PARTS_EACH, scan_tile,
};

use super::{Along, BLOCKS_PER_MULTIPROCESSOR, MOST_IN_Y, Operands, divided, numbers, scan_host};
use crate::error::Result;
use crate::scalar::ScalarBytes;
use crate::{Buffer, GeneratedLaunch, Gpu, Operation};

/// Running results of a fused expression along an axis; they go to the start of
/// `output`, in C order. There is at least one element.
pub struct Scan<'a> {
    pub operands: Operands<'a>,
    pub along: Along,
    /// A sum, a product, a maximum or a minimum.
    pub op: ReduceOp,
    pub output: &'a Buffer,
}

/// Rows shorter than this are a thread's work, as columns are.
const SHORT: usize = 16;

/// Rows shorter than this have too few rounds for blocks that wait for each other.
const LONG: usize = 1 << 20;

/// What the blocks of a resident scan publish, set to zero.
///
/// # Errors
///
/// If there is no memory, or the launch fails.
fn slots(
    gpu: &dyn Gpu,
    text: &Generated<'_>,
    like: &Buffer,
    blocks: usize,
    size: usize,
) -> Result<Arc<Buffer>> {
    let bytes = RESIDENT_SLOT * size.div_ceil(4) * blocks;
    let slots = Buffer::new(like.context(), bytes)?;
    slots.enter(true)?;
    let mut arguments = vec![ScalarBytes::address(slots.address())];
    arguments.extend(numbers([bytes / 8]));
    let grid = ((bytes / 8).div_ceil(SCAN_BLOCK), 1);
    let launch =
        GeneratedLaunch { text, entry: "gpurepl_clear", grid, block: SCAN_BLOCK, arguments: &arguments };
    // SAFETY: these are the arguments of `gpurepl_clear`, and the buffer has as many words.
    unsafe { gpu.launch(&launch)? };
    Ok(slots)
}

/// The blocks of a resident scan: each has a thread for every one of them.
pub(crate) fn resident_blocks(multiprocessors: usize, threads: usize) -> usize {
    let each = (threads / multiprocessors).clamp(1, RESIDENT_BLOCKS);
    (multiprocessors * each).min(threads)
}

impl Scan<'_> {
    /// The scan of long rows that reads each element once; false where the device cannot
    /// have all blocks at once.
    fn resident(&self, gpu: &dyn Gpu) -> Result<bool> {
        let Along { outer, length, .. } = self.along;
        let size = self.operands.program.dtype().size();
        let tile = ResidentTile::of(size);
        let blocks = resident_blocks(gpu.multiprocessors(), tile.threads);
        let text = Generated::ResidentScan(Cow::Borrowed(self.operands.program), self.op);
        let slots = slots(gpu, &text, self.output, blocks, size)?;
        let (mut arguments, after) = self.operands.arguments(self.output.context())?;
        arguments.extend([slots.address(), self.output.address()].map(ScalarBytes::address));
        arguments.extend(numbers([outer, length]));
        arguments.extend(after);
        let launch = GeneratedLaunch {
            text: &text,
            entry: "gpurepl_scan_resident",
            grid: (blocks, 1),
            block: tile.threads,
            arguments: &arguments,
        };
        // SAFETY: these are the arguments of `Program::to_cuda_resident_scan`, in its order;
        // `check` has made sure that no element lies outside of its buffer, and `slots` has
        // made room for what the blocks publish. It is given back on the same stream.
        unsafe { gpu.launch_resident(&launch) }
    }
}

impl Operation for Scan<'_> {
    fn name(&self) -> &'static str {
        "a running reduction"
    }

    fn for_each_buffer(&self, visit: &mut dyn FnMut(&Buffer, bool) -> Result<()>) -> Result<()> {
        self.operands.for_each_buffer(self.output, visit)
    }

    fn check(&self) {
        self.operands.check_along(self.along, self.output, self.operands.shape.size());
    }

    fn on_host(&self) -> Result<()> {
        scan_host::scan(&self.operands, self.along, self.op, self.output)
    }

    fn kept(&self) -> Box<dyn Fn() -> Result<()> + Send + Sync> {
        let (kept, along, op, output) = (self.operands.kept(), self.along, self.op, self.output.handle());
        Box::new(move || kept.with(|operands| scan_host::scan(operands, along, op, &output)))
    }

    fn on_gpu(&self, gpu: &dyn Gpu) -> Result<()> {
        let Along { outer, length, inner } = self.along;
        let is_rows = inner == 1 && length > SHORT;
        let (part, parts) = if is_rows {
            // Whole tiles, of which a row's blocks have the same number.
            let tile = scan_tile(self.operands.program.dtype());
            let blocks = (gpu.multiprocessors() * BLOCKS_PER_MULTIPROCESSOR).div_ceil(outer);
            let part = length.div_ceil(tile).div_ceil(blocks) * tile;
            (part, length.div_ceil(part))
        } else {
            divided(self.along, 1, gpu.multiprocessors(), 32)
        };
        let is_long = is_rows && parts > 1 && length >= LONG && self.operands.program.has_resident_scan();
        if is_long && self.resident(gpu)? {
            return Ok(());
        }
        let scans = self.along.count();
        let most = gpu.multiprocessors() * BLOCKS_PER_MULTIPROCESSOR;
        let grid = if is_rows {
            (parts, outer.min(MOST_IN_Y))
        } else {
            (scans.div_ceil(SCAN_BLOCK).clamp(1, most), parts)
        };
        let text = Generated::Scan(Cow::Borrowed(self.operands.program), self.op);
        let (before, after) = self.operands.arguments(self.output.context())?;
        let arguments = |addresses: &[u64]| {
            let mut all = before.clone();
            all.extend(addresses.iter().map(|address| ScalarBytes::address(*address)));
            all.extend(numbers([outer, length, inner, part]));
            all.extend_from_slice(&after);
            all
        };
        let launch = |entry, grid, block, arguments: &[ScalarBytes]| {
            let launch = GeneratedLaunch { text: &text, entry, grid, block, arguments };
            // SAFETY: below are the arguments of `Program::to_cuda_scan`, in its
            // order; `check` has made sure that no element lies outside of its
            // buffer, and there is room for a sum of each part.
            unsafe { gpu.launch(&launch) }
        };
        let (sums_of, scan) = if is_rows {
            ("gpurepl_scan_sums", "gpurepl_scan_rows")
        } else {
            ("gpurepl_scan_column_sums", "gpurepl_scan_columns")
        };
        if parts == 1 {
            return launch(scan, grid, SCAN_BLOCK, &arguments(&[0, self.output.address()]));
        }
        let bytes = parts * scans * self.operands.program.dtype().size();
        // Given back after the last launch, on the same stream.
        let sums = Buffer::new(self.output.context(), bytes)?;
        sums.enter(true)?;
        launch(sums_of, grid, SCAN_BLOCK, &arguments(&[sums.address()]))?;
        let mut of_parts = vec![ScalarBytes::address(sums.address())];
        of_parts.extend(numbers([scans, parts]));
        let block = parts.div_ceil(SCAN_PARTS_EACH).next_power_of_two().clamp(32, SCAN_PARTS_BLOCK);
        launch("gpurepl_scan_parts", (scans.min(most), 1), block, &of_parts)?;
        launch(scan, grid, SCAN_BLOCK, &arguments(&[sums.address(), self.output.address()]))
    }
}
