//! Memory on a device, freed with its last owner.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

use super::{Context, Order, graph, stream};
use crate::error::Result;

/// A piece of a device's memory.
pub(crate) struct Buffer {
    context: Context,
    address: u64,
    bytes: usize,
    /// Held by the host device while it reads or writes: two threads of a
    /// program may use one array.
    pub(super) lock: RwLock<()>,
    watchers: Watchers,
    order: Order,
    /// The buffer itself, for a graph to keep.
    this: Weak<Buffer>,
    /// Whose memory it is, where it is not the buffer's own: a module's
    /// variable. The owner frees it.
    owner: Option<Arc<dyn Any + Send + Sync>>,
}

/// Something that has yet to read a buffer and must do so before the buffer
/// is written: an expression that is not evaluated yet.
pub(crate) trait Watcher: Send + Sync {
    fn before_write(&self) -> Result<()>;
}

/// Those who have yet to read something.
#[derive(Default)]
pub(crate) struct Watchers(Mutex<Vec<Weak<dyn Watcher>>>);

impl Watchers {
    pub(crate) fn add(&self, watcher: Weak<dyn Watcher>) {
        let mut watchers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Expressions come and go by the thousand over one array.
        if watchers.len() == watchers.capacity() {
            watchers.retain(|watcher| watcher.strong_count() > 0);
        }
        watchers.push(watcher);
    }

    pub(crate) fn take(&self) -> Vec<Weak<dyn Watcher>> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Buffer {
    /// Reserves memory. No bytes at all are a buffer too, at address zero.
    pub(crate) fn new(context: Context, bytes: usize) -> Result<Arc<Buffer>> {
        let address = if bytes == 0 { 0 } else { context.backend().allocate(bytes)? };
        Ok(Buffer::of(context, address, bytes, None))
    }

    /// Memory that lies within something else, which it keeps alive. There
    /// must be one buffer at a time for one piece of memory: its lock is what
    /// keeps two threads apart.
    pub(crate) fn borrowed(
        context: Context,
        address: u64,
        bytes: usize,
        owner: Arc<dyn Any + Send + Sync>,
    ) -> Arc<Buffer> {
        Buffer::of(context, address, bytes, Some(owner))
    }

    fn of(
        context: Context,
        address: u64,
        bytes: usize,
        owner: Option<Arc<dyn Any + Send + Sync>>,
    ) -> Arc<Buffer> {
        let (lock, watchers, order) = (RwLock::new(()), Watchers::default(), Order::default());
        let buffer = Arc::new_cyclic(|this| Buffer {
            context,
            address,
            bytes,
            lock,
            watchers,
            order,
            this: this.clone(),
            owner,
        });
        // The allocator has handed out memory for work on the current stream.
        if stream::in_use() && bytes > 0 && !graph::is_capturing() {
            buffer.order.begin(context);
        }
        buffer
    }

    /// An owner of the buffer, besides those that there are.
    ///
    /// # Panics
    ///
    /// If there is none: a buffer that is being dropped.
    pub(crate) fn handle(&self) -> Arc<Buffer> {
        self.this.upgrade().expect("a buffer that is in use has an owner")
    }

    pub(crate) fn context(&self) -> Context {
        self.context
    }

    /// To be called before the current stream reads or writes the memory.
    #[inline]
    pub(super) fn enter(&self, writes: bool) -> Result<()> {
        if !stream::in_use() { Ok(()) } else { self.enter_stream(writes) }
    }

    #[cold]
    fn enter_stream(&self, writes: bool) -> Result<()> {
        match (graph::capture_of_thread(), self.this.upgrade()) {
            (Some(capture), Some(this)) => {
                capture.uses(this, writes);
                Ok(())
            }
            _ => self.order.enter(self.context, writes),
        }
    }

    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn watch(&self, watcher: Weak<dyn Watcher>) {
        self.watchers.add(watcher);
    }

    /// To be called before anything writes: whoever still has to read, reads.
    pub(crate) fn before_write(&self) -> Result<()> {
        let mut left = self.watchers.take().into_iter();
        while let Some(watcher) = left.next() {
            let Some(reader) = watcher.upgrade() else { continue };
            if let Err(error) = reader.before_write() {
                // Nothing has been written yet, so who could not read can still try.
                self.watchers.add(watcher);
                left.for_each(|watcher| self.watchers.add(watcher));
                return Err(error);
            }
        }
        Ok(())
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.bytes == 0 || self.owner.is_some() {
            return;
        }
        if let Some(capture) = graph::capture_of_thread() {
            // The work that has been recorded uses it at each launch.
            capture.frees(self.address, self.bytes);
            return;
        }
        // SAFETY: `Buffer::new` got this address for as many bytes from this
        // context, since nothing else owns it; this is the only owner, and it
        // is being dropped.
        unsafe { self.context.backend().release(self.address, self.bytes, &self.order) }
    }
}
