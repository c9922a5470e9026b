//! Memory on a device, freed with its last owner.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, Weak};

use smallvec::SmallVec;

use super::{Context, Order, graph, stream};
use crate::error::{Problem, Result};

/// A piece of a device's memory.
#[doc(hidden)]
pub struct Buffer {
    context: Context,
    address: u64,
    bytes: usize,
    /// Held by the host device while it reads or writes: two threads of a
    /// program may use one array.
    pub(super) lock: RwLock<()>,
    watchers: Watchers,
    /// Held for reading while a program runs that was built from expressions
    /// over this memory; see [`hold`].
    programs: RwLock<()>,
    order: Order,
    /// The buffer itself, for a graph to keep.
    this: Weak<Buffer>,
    /// Whose memory it is, where it is not the buffer's own: a module's
    /// variable. The owner frees it.
    owner: Option<Arc<dyn Any + Send + Sync>>,
    awaited: Option<Awaited>,
}

/// What is kept of memory that the program itself waits for: because it reads
/// and writes it as well, or because its owner may free it at once.
#[derive(Default)]
struct Awaited {
    /// Whether the host reads and writes the memory in place.
    is_host: bool,
    /// Whether the device may be writing it, or using it at all.
    written: AtomicBool,
    used: AtomicBool,
}

/// Something that has yet to read a buffer and must do so before the buffer
/// is written: an expression that is not evaluated yet.
#[doc(hidden)]
pub trait Watcher: Send + Sync {
    fn before_write(&self) -> Result<()>;

    /// Whether it still has to read.
    fn is_waiting(&self) -> bool;
}

/// Those who have yet to read something.
#[derive(Default)]
#[doc(hidden)]
pub struct Watchers {
    list: Mutex<Vec<Weak<dyn Watcher>>>,
    /// Whether there may be any: most memory has none.
    are_there: AtomicBool,
}

impl Watchers {
    pub fn add(&self, watcher: Weak<dyn Watcher>) {
        let mut watchers = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        // Expressions come and go by the thousand over one array.
        if watchers.len() == watchers.capacity() {
            watchers.retain(|watcher| watcher.strong_count() > 0);
        }
        watchers.push(watcher);
        self.are_there.store(true, Ordering::Release);
    }

    fn copied(&self) -> Vec<Weak<dyn Watcher>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Forgets those that are gone or have read.
    fn clean(&self) {
        let mut watchers = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        watchers.retain(|watcher| watcher.upgrade().is_some_and(|watcher| watcher.is_waiting()));
        self.are_there.store(!watchers.is_empty(), Ordering::Release);
    }

    pub fn take(&self) -> Vec<Weak<dyn Watcher>> {
        let mut watchers = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        self.are_there.store(false, Ordering::Release);
        std::mem::take(&mut *watchers)
    }
}

impl Buffer {
    /// Reserves memory. No bytes at all are a buffer too, at address zero.
    pub fn new(context: Context, bytes: usize) -> Result<Arc<Buffer>> {
        let address = if bytes == 0 { 0 } else { context.backend().allocate(bytes)? };
        Ok(Buffer::of(context, address, bytes, None, None))
    }

    /// Memory that lies within something else, which it keeps alive, and which
    /// frees it at once when it is dropped: that waits for the device. There
    /// must be one buffer at a time for one piece of memory: its lock is what
    /// keeps two threads apart. `is_host` says that the program reads and
    /// writes the memory in place.
    pub fn awaited(
        context: Context,
        address: u64,
        bytes: usize,
        is_host: bool,
        owner: Arc<dyn Any + Send + Sync>,
    ) -> Arc<Buffer> {
        let awaited = Awaited { is_host, ..Awaited::default() };
        Buffer::of(context, address, bytes, Some(owner), Some(awaited))
    }

    fn of(
        context: Context,
        address: u64,
        bytes: usize,
        owner: Option<Arc<dyn Any + Send + Sync>>,
        awaited: Option<Awaited>,
    ) -> Arc<Buffer> {
        let (lock, programs) = (RwLock::new(()), RwLock::new(()));
        let (watchers, order) = (Watchers::default(), Order::default());
        let buffer = Arc::new_cyclic(|this| Buffer {
            context,
            address,
            bytes,
            lock,
            watchers,
            programs,
            order,
            this: this.clone(),
            owner,
            awaited,
        });
        // The allocator has handed out memory for work on the current stream.
        if !stream::is_default() && bytes > 0 && !graph::is_capturing() {
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

    pub fn context(&self) -> Context {
        self.context
    }

    /// To be called before the current stream reads or writes the memory.
    #[inline]
    pub(super) fn enter(&self, writes: bool) -> Result<()> {
        self.enter_from(self.context, writes)
    }

    /// [`Buffer::enter`] for work of another context than the memory's own.
    #[inline]
    pub(super) fn enter_from(&self, work: Context, writes: bool) -> Result<()> {
        let is_own = self.awaited.is_none() && work == self.context;
        if is_own && stream::is_default() && self.order.is_plain() {
            Ok(())
        } else {
            self.enter_stream(work, writes)
        }
    }

    #[cold]
    fn enter_stream(&self, work: Context, writes: bool) -> Result<()> {
        match (graph::capture_of_thread(), self.this.upgrade()) {
            (Some(_), _) if self.is_host() => {
                let message = "memory that the host uses in place cannot be part of a graph; copy it to an \
                               array first"
                    .to_owned();
                Err(Problem::Invalid { operation: "Graph::capture", message }.into())
            }
            (Some(capture), _) if capture.context() != work => {
                let message = "a graph of another context is being captured; capture this within \
                               `context.scope`"
                    .to_owned();
                Err(Problem::Invalid { operation: "Graph::capture", message }.into())
            }
            (Some(capture), Some(this)) => {
                capture.uses(this, writes);
                Ok(())
            }
            _ => {
                if let Some(awaited) = &self.awaited {
                    awaited.used.store(true, Ordering::Release);
                    awaited.written.fetch_or(writes, Ordering::AcqRel);
                }
                if stream::in_use() || work != self.context {
                    self.order.enter(self.context, work, writes)?;
                }
                Ok(())
            }
        }
    }

    /// Whether the program reads and writes the memory in place.
    pub fn is_host(&self) -> bool {
        self.awaited.as_ref().is_some_and(|awaited| awaited.is_host)
    }

    /// To be called before the program reads, or writes, memory that it uses
    /// in place: waits for the device. Nobody else may let the device write
    /// it meanwhile, or use it at all if it is to be written.
    pub(super) fn wait_for_device(&self, writes: bool) -> Result<()> {
        let Some(awaited) = &self.awaited else { return self.order.synchronize(self.context, true) };
        let flag = if writes { &awaited.used } else { &awaited.written };
        if flag.load(Ordering::Acquire) {
            self.order.synchronize(self.context, writes)?;
            awaited.written.store(false, Ordering::Release);
            if writes {
                awaited.used.store(false, Ordering::Release);
            }
        }
        Ok(())
    }

    pub fn address(&self) -> u64 {
        self.address
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn watch(&self, watcher: Weak<dyn Watcher>) {
        self.watchers.add(watcher);
    }

    /// To be called before anything writes: whoever still has to read, reads,
    /// and who is reading ends.
    ///
    /// Expressions that other threads write down from now on are not waited
    /// for: they may read what was there or what comes.
    #[inline]
    pub fn before_write(&self) -> Result<()> {
        if self.watchers.are_there.load(Ordering::Acquire) { self.serve_watchers() } else { Ok(()) }
    }

    #[cold]
    fn serve_watchers(&self) -> Result<()> {
        // They stay in the list until they have read, so that a second thread
        // that writes this memory waits for them too.
        for watcher in self.watchers.copied().iter().filter_map(Weak::upgrade) {
            watcher.before_write()?;
        }
        // Programs that contain one of them may still run. Those built from
        // now on read its value from memory of its own.
        drop(self.programs.write().unwrap_or_else(PoisonError::into_inner));
        self.watchers.clean();
        Ok(())
    }
}

/// Lets nobody write these buffers for as long as the guards live, but for who
/// has called [`Buffer::before_write`] already.
///
/// A program that is built from expressions must be run like this: build it,
/// hold its inputs, and build it again if one of the expressions has got its
/// value meanwhile. Who writes an input gives the expressions over it their
/// values first and then waits for the guards, so a program that is run reads
/// what was there before, or never contains the expression.
///
/// Guards are taken in the order of addresses, and whoever waits to write
/// holds none: nobody waits for each other.
pub fn hold<'a>(buffers: impl Iterator<Item = &'a Buffer>) -> SmallVec<[RwLockReadGuard<'a, ()>; 4]> {
    let mut buffers: SmallVec<[&Buffer; 4]> = buffers.collect();
    buffers.sort_unstable_by_key(|buffer| std::ptr::from_ref(*buffer));
    // A thread that read-locks twice could wait for itself.
    buffers.dedup_by_key(|buffer| std::ptr::from_ref(*buffer));
    buffers.iter().map(|buffer| buffer.programs.read().unwrap_or_else(PoisonError::into_inner)).collect()
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.awaited.is_some() {
            // An error is one of earlier work, which the next call reports;
            // a device that is lost uses nothing any more.
            let _ = self.wait_for_device(true);
        }
        if self.bytes == 0 || self.owner.is_some() {
            return;
        }
        if let Some(capture) = graph::capture_of_thread() {
            // The work that has been recorded uses it at each launch.
            capture.frees(self.context, self.address, self.bytes);
            return;
        }
        // SAFETY: `Buffer::new` got this address for as many bytes from this
        // context, since nothing else owns it; this is the only owner, and it
        // is being dropped.
        unsafe { self.context.backend().release(self.address, self.bytes, &self.order) }
    }
}
