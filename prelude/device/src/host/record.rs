//! Graphs on the host: what a device is asked to do, kept to be done again.

use std::cell::RefCell;
use std::sync::Arc;

use crate::error::Result;
use crate::scalar::ScalarBytes;
use crate::{Buffer, Launch, Operation, Recording, StreamInner, Structure};

/// Work that is done at each launch of a graph.
type Work = Box<dyn Fn() -> Result<()> + Send + Sync>;

thread_local! {
    static RECORDED: RefCell<Option<Vec<Work>>> = const { RefCell::new(None) };
}

/// Whether work of this thread is recorded.
pub(super) fn is_on() -> bool {
    // What is done outside of a capture meanwhile is done.
    RECORDED.with_borrow(Option::is_some) && crate::capture_id() != 0
}

pub(super) fn begin() {
    RECORDED.set(Some(Vec::new()));
}

pub(super) fn end() -> Box<dyn Recording> {
    Box::new(Recorded(RECORDED.take().unwrap_or_default()))
}

struct Recorded(Vec<Work>);

impl Recording for Recorded {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn launch(&self, _: &StreamInner) -> Result<()> {
        self.0.iter().try_for_each(|work| work())
    }
}

/// Keeps work. The buffers that it uses, and whether it writes them, are noted
/// for whoever launches the graph.
pub(super) fn push(
    buffers: &[(&Buffer, bool)],
    work: impl Fn() -> Result<()> + Send + Sync + 'static,
) -> Result<()> {
    buffers.iter().try_for_each(|(buffer, writes)| buffer.enter(*writes))?;
    keep_work(Box::new(work));
    Ok(())
}

/// Keeps an operation of the library's own.
pub(super) fn perform(operation: &dyn Operation) -> Result<()> {
    operation.for_each_buffer(&mut |buffer, writes| buffer.enter(writes))?;
    keep_work(operation.kept());
    Ok(())
}

fn keep_work(work: Work) {
    RECORDED.with_borrow_mut(|recorded| recorded.get_or_insert_default().push(work));
}

/// A launch that is kept.
pub(super) struct KeptLaunch {
    kernel: String,
    grid: [u32; 3],
    block: [u32; 3],
    shared_memory: u32,
    arguments: Vec<ScalarBytes>,
    structures: Vec<Structure>,
    buffers: Vec<(Arc<Buffer>, bool)>,
}

impl KeptLaunch {
    pub(super) fn new(launch: &Launch<'_>) -> KeptLaunch {
        KeptLaunch {
            kernel: launch.kernel.to_owned(),
            grid: launch.grid,
            block: launch.block,
            shared_memory: launch.shared_memory,
            arguments: launch.arguments.to_vec(),
            structures: launch.structures.to_vec(),
            buffers: launch.buffers.iter().map(|(buffer, writes)| (buffer.handle(), *writes)).collect(),
        }
    }

    /// Does something with the launch.
    pub(super) fn with<R>(&self, act: impl FnOnce(&Launch<'_>) -> R) -> R {
        let buffers: Vec<(&Buffer, bool)> =
            self.buffers.iter().map(|(buffer, writes)| (&**buffer, *writes)).collect();
        act(&Launch {
            kernel: &self.kernel,
            grid: self.grid,
            block: self.block,
            shared_memory: self.shared_memory,
            arguments: &self.arguments,
            structures: &self.structures,
            buffers: &buffers,
        })
    }
}

/// Buffers that are kept, for a loop or a reduction over elements.
pub(super) fn keep(buffers: &[&Buffer]) -> Vec<Arc<Buffer>> {
    buffers.iter().map(|buffer| buffer.handle()).collect()
}
