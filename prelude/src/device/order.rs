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
    /// To be called before the current stream of a context, `work`, reads or
    /// writes memory of another one or the same, `home`.
    pub(super) fn enter(&self, home: Context, work: Context, writes: bool) -> Result<()> {
        let current = stream::current_of(work);
        let mut uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_reader = uses.readers.iter().any(|reader| is_same(reader, &current));
        if !is_reader {
            wait(&current, uses.writer(home))?;
        }
        if !writes {
            if !is_reader {
                uses.readers.push(current);
            }
            return Ok(());
        }
        for reader in &uses.readers {
            wait(&current, reader)?;
        }
        uses.readers.clear();
        uses.writer = Some(current).filter(|current| !current.is_default() || work != home);
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
        self.enter(context, context, true)
    }

    /// Has this thread wait for whoever writes the memory, or for all that
    /// use it.
    pub(super) fn synchronize(&self, home: Context, all: bool) -> Result<()> {
        let uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut streams = vec![Arc::clone(uses.writer(home))];
        if all {
            streams.extend(uses.readers.iter().cloned());
        }
        drop(uses);
        streams.iter().try_for_each(|stream| stream.streams().synchronize(stream))
    }
}

impl Uses {
    fn writer(&self, home: Context) -> &Arc<StreamInner> {
        self.writer.as_ref().unwrap_or_else(|| home.default_stream())
    }
}

fn is_same(one: &StreamInner, other: &StreamInner) -> bool {
    one.id() == other.id() && one.context() == other.context()
}

/// Has the current stream wait for another one; the program itself where
/// they are of two contexts.
fn wait(current: &StreamInner, other: &StreamInner) -> Result<()> {
    if !other.overlaps(current) {
        Ok(())
    } else if other.context() == current.context() {
        current.streams().wait_for_stream(current, other)
    } else {
        other.streams().synchronize(other)?;
        // Whoever asks goes on with calls of its own context.
        current.streams().bind()
    }
}
