//! Which streams use a piece of memory, so that others wait where they must.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::{Context, StreamInner, stream};
use crate::error::Result;

/// The streams that a piece of memory was last used on. The way of CUDA.jl,
/// with readers apart from the writer: two streams may read at once.
#[derive(Default)]
#[doc(hidden)]
pub struct Order {
    uses: Mutex<Uses>,
    /// Whether another stream than the default one has ever used the memory,
    /// or another context.
    is_shared: AtomicBool,
}

#[derive(Default)]
struct Uses {
    /// None for the default stream. One that is gone stands for it too: it
    /// waits for every stream that goes.
    writer: Option<Weak<StreamInner>>,
    /// Those that have read since, or have waited to.
    readers: Vec<Weak<StreamInner>>,
}

impl Order {
    /// Whether the default stream alone has used the memory: then it need not
    /// wait, and its later uses need not be noted.
    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        !self.is_shared.load(Ordering::Acquire)
    }

    /// To be called before the current stream of a context, `work`, reads or
    /// writes memory of another one or the same, `home`.
    pub(super) fn enter(&self, home: Context, work: Context, writes: bool) -> Result<()> {
        let current = stream::current_of(work);
        let is_plain = current.is_default() && work == home;
        if !is_plain {
            self.is_shared.store(true, Ordering::Release);
        }
        let mut uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
        let readers = uses.readers(home);
        let is_reader = readers.iter().any(|reader| is_same(reader, &current));
        if !is_reader {
            wait(&current, &uses.writer(home))?;
        }
        if !writes {
            if !is_reader {
                uses.readers = readers.iter().chain([&current]).map(Arc::downgrade).collect();
            }
            return Ok(());
        }
        for reader in &readers {
            wait(&current, reader)?;
        }
        uses.readers.clear();
        uses.writer = (!is_plain).then(|| Arc::downgrade(&current));
        Ok(())
    }

    /// Memory that is new on the current stream.
    pub(super) fn begin(&self, context: Context) {
        let current = stream::current_of(context);
        self.is_shared.store(!current.is_default(), Ordering::Release);
        let mut uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
        uses.writer = (!current.is_default()).then(|| Arc::downgrade(&current));
    }

    /// Has the current stream wait for all that use the memory.
    pub(super) fn leave(&self, context: Context) -> Result<()> {
        self.enter(context, context, true)
    }

    /// Has this thread wait for whoever writes the memory, or for all that
    /// use it.
    pub(super) fn synchronize(&self, home: Context, all: bool) -> Result<()> {
        let uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
        let mut streams = vec![uses.writer(home)];
        if all {
            streams.extend(uses.readers(home));
        }
        drop(uses);
        streams.iter().try_for_each(|stream| stream.streams().synchronize(stream))
    }
}

impl Uses {
    fn writer(&self, home: Context) -> Arc<StreamInner> {
        let writer = self.writer.as_ref().and_then(Weak::upgrade);
        writer.unwrap_or_else(|| Arc::clone(home.default_stream()))
    }

    /// The streams that read; the default one for those that are gone.
    fn readers(&self, home: Context) -> Vec<Arc<StreamInner>> {
        let mut readers: Vec<Arc<StreamInner>> = self.readers.iter().filter_map(Weak::upgrade).collect();
        let default = home.default_stream();
        if readers.len() < self.readers.len() && !readers.iter().any(|reader| is_same(reader, default)) {
            readers.push(Arc::clone(default));
        }
        readers
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
        // The caller continues with calls of its own context.
        current.streams().bind()
    }
}
