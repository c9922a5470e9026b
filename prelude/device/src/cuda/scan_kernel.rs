//! A user's scan on a GPU: blocks that all run at once.

use std::sync::Arc;

use gpurepl_kernels::{RESIDENT_SLOT, SCAN_BLOCK, SCAN_ENTRY, ScanSpec};

use super::context::Context;
use super::faults::Registered;
use super::generated::{load_guarded, pointers};
use super::launch::Kernel;
use crate::error::{Problem, Result};
use crate::operations::{number, resident_blocks};
use crate::scalar::ScalarBytes;
use crate::{Buffer, RunningKernel};

struct CudaScan {
    context: Arc<Context>,
    clear: Kernel,
    scan: Kernel,
    /// The one that finds what all elements give, if the statement wants it.
    total: Option<Kernel>,
    threads: usize,
    tile: usize,
    state_size: usize,
    name: Arc<str>,
    /// The last: what unloads the kernels waits for them.
    _registered: Option<Registered>,
}

pub(super) fn compile(context: &Arc<Context>, spec: &ScanSpec) -> Result<Box<dyn RunningKernel>> {
    let (image, registered) =
        load_guarded(context, &spec.name, &spec.texts(), &spec.to_cuda(), &[], spec.guards)?;
    let tile = spec.tile();
    Ok(Box::new(CudaScan {
        context: Arc::clone(context),
        _registered: registered,
        clear: image.function("gpurepl_clear")?,
        scan: image.function(&format!("{SCAN_ENTRY}{}", spec.name))?,
        total: spec
            .uses_last_item()
            .then(|| image.function(&format!("gpurepl_total_{}", spec.name)))
            .transpose()?,
        threads: tile.threads,
        tile: tile.size(),
        state_size: spec.state_size(),
        name: spec.name.as_str().into(),
    }))
}

impl RunningKernel for CudaScan {
    fn run(&self, arguments: &[ScalarBytes], buffers: &[(&Buffer, bool)], count: usize) -> Result<()> {
        let owner = self.context.owner();
        buffers.iter().try_for_each(|(buffer, writes)| buffer.enter_from(owner, *writes))?;
        self.context.note_loop(&self.name, count);
        let most = resident_blocks(self.context.multiprocessors, self.threads);
        let blocks = count.div_ceil(self.tile).clamp(1, most);
        let words = RESIDENT_SLOT / 8 * self.state_size.div_ceil(4) * blocks;
        // The last 32 bytes are for what all elements give. It is given back after the last
        // launch, on the same stream.
        let memory = Buffer::new(owner, words * 8 + 32)?;
        memory.enter(true)?;
        let last = memory.address() + (words * 8) as u64;
        let run = |kernel: &Kernel, last: u64| -> Result<()> {
            let grid = [words.div_ceil(SCAN_BLOCK) as u32, 1, 1];
            let clear = [ScalarBytes::address(memory.address()), number(words)];
            // SAFETY: these are the arguments of `gpurepl_clear`, and there are as many words.
            unsafe { self.clear.launch(grid, [SCAN_BLOCK as u32, 1, 1], 0, &mut pointers(&clear))? };
            let mut all = arguments.to_vec();
            all.extend([memory.address(), last].map(ScalarBytes::address));
            all.push(number(count));
            // SAFETY: the arguments were checked against the spec; the caller has checked that
            // arrays have elements `i`, and there is room for what the blocks publish. The
            // texts are the user's: see `Backend::compile_module`.
            let runs = unsafe {
                kernel.launch_resident([blocks as u32, 1, 1], self.threads as u32, &mut pointers(&all))?
            };
            if !runs {
                let message = format!(
                    "a scan of {blocks} blocks of {} threads; all of them must run at once, and this device cannot",
                    self.threads
                );
                return Err(Problem::Launch { kernel: self.name.to_string(), message }.into());
            }
            Ok(())
        };
        match &self.total {
            Some(total) => {
                run(total, last)?;
                run(&self.scan, last)
            }
            None => run(&self.scan, 0),
        }
    }
}
