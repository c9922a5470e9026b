//! Which streams use a piece of memory, so that others wait where they must.

use std::sync::{Arc, Mutex, PoisonError};

use super::{Context, StreamInner, stream};
use crate::error::Result;

/// The streams that a piece of memory was last used on. The way of CUDA.jl,
/// with readers apart from the writer: two streams may read at once.
#[derive(Default)]
pub(crate) struct Order(Mutex<Uses>);

#[derive(Default)]
struct Uses {
    /// None for the default stream.
    writer: Option<Arc<StreamInner>>,
    /// Those that have read since, or have waited to.
    readers: Vec<Arc<StreamInner>>,
}

impl Order {
    /// To be called before the current stream reads or writes.
    pub(super) fn enter(&self, context: Context, writes: bool) -> Result<()> {
        let current = stream::current_of(context);
        let mut uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_reader = uses.readers.iter().any(|reader| reader.id() == current.id());
        if !is_reader {
            uses.wait_for_writer(&current)?;
        }
        if !writes {
            if !is_reader {
                uses.readers.push(current);
            }
            return Ok(());
        }
        for reader in uses.readers.iter().filter(|reader| reader.overlaps(&current)) {
            current.streams().wait_for_stream(&current, reader)?;
        }
        uses.readers.clear();
        uses.writer = (!current.is_default()).then_some(current);
        Ok(())
    }

    /// Memory that is new on the current stream.
    pub(super) fn begin(&self, context: Context) {
        let current = stream::current_of(context);
        let mut uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        uses.writer = (!current.is_default()).then_some(current);
    }

    /// Has the current stream wait for all that use the memory.
    pub(super) fn leave(&self, context: Context) -> Result<()> {
        self.enter(context, true)
    }
}

impl Uses {
    fn wait_for_writer(&self, current: &Arc<StreamInner>) -> Result<()> {
        let writer = self.writer.as_ref().unwrap_or_else(|| current.context().default_stream());
        if writer.overlaps(current) {
            current.streams().wait_for_stream(current, writer)?;
        }
        Ok(())
    }
}
