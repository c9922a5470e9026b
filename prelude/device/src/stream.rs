//! Streams: what overlaps, and what waits.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::graph;
use super::{Context, Event, current};
use crate::error::{Problem, Result};

/// A queue of work for a device. Work of one stream is done in its order; work
/// of two streams may overlap. On the host device all work is done when it is
/// asked for.
///
/// A stream is used by making it current, for a closure; launches, copies and
/// array expressions then go there:
///
/// ```
/// use gpurepl_prelude::*;
/// let (first, second) = (Stream::new()?, Stream::new()?);
/// let a: GpuArray<i32> = first.scope(|| arange(0..1000) * 2)?;
/// let b: GpuArray<i32> = second.scope(|| arange(0..1000) + 1)?;
/// // Whoever needs what another stream computes waits for it by itself:
/// assert_eq!((&a - &b).sum().item(), 498500);
/// # Ok::<(), Error>(())
/// ```
///
/// Arrays remember the streams that use them, so that work on another stream
/// waits where it must. Raw addresses in the hands of kernels are not seen:
/// [`Stream::wait_for_event`] and [`Stream::synchronize`] order those.
#[derive(Clone)]
pub struct Stream(Arc<StreamInner>);

/// How a stream behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamFlags {
    /// Whether it overlaps with the default stream as well; else either waits
    /// for the other.
    pub non_blocking: bool,
}

#[doc(hidden)]
pub struct StreamInner {
    context: Context,
    /// The driver's handle; zero for the default stream, and on the host.
    raw: u64,
    id: u64,
    is_blocking: bool,
    kind: Kind,
}

enum Kind {
    Default,
    /// Made here, destroyed with the last handle.
    Owned,
    /// Someone else's, which is kept alive.
    Foreign(#[expect(dead_code, reason = "kept alive")] Box<dyn Any + Send + Sync>),
}

/// Whether there has been any stream but the default one. Until then nothing
/// needs to know the streams that use an array.
static IN_USE: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The streams that this thread has made current, the last one last.
    /// How many those are.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    static CURRENT: RefCell<Vec<Arc<StreamInner>>> = const { RefCell::new(Vec::new()) };
}

fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Whether streams are in use at all.
#[inline]
pub fn in_use() -> bool {
    IN_USE.load(Ordering::Relaxed)
}

/// Whether work of this thread goes to the default stream, whatever its
/// context.
#[inline]
pub(super) fn is_default() -> bool {
    !in_use() || DEPTH.get() == 0
}

/// The driver's handle of the stream that work of a context goes to now.
#[inline]
pub(super) fn current_raw(context: u32) -> u64 {
    if is_default() {
        return 0;
    }
    // A thread that is ending has none any more.
    let found = CURRENT.try_with(|streams| {
        let streams = streams.borrow();
        streams.iter().rev().find(|stream| stream.context.id() == context).map_or(0, |stream| stream.raw)
    });
    found.unwrap_or(0)
}

/// The stream that work of a context goes to now.
pub(super) fn current_of(context: Context) -> Arc<StreamInner> {
    let found = CURRENT
        .try_with(|streams| streams.borrow().iter().rev().find(|stream| stream.context == context).cloned());
    found.ok().flatten().unwrap_or_else(|| Arc::clone(context.default_stream()))
}

pub(super) use super::graph::is_capturing;

/// Refuses what cannot be recorded.
pub fn refuse_in_capture(operation: &'static str) -> Result<()> {
    if !graph::is_capturing() {
        return Ok(());
    }
    let message =
        "a graph is being captured, in which work is recorded and not done: nothing can be waited for \
                   or read; do it after `Graph::capture`"
            .to_owned();
    Err(Problem::Invalid { operation, message }.into())
}

impl Stream {
    /// A new stream of the current context.
    ///
    /// # Errors
    ///
    /// If there is no device, or the driver cannot create one.
    pub fn new() -> Result<Stream> {
        Stream::with_flags(StreamFlags::default(), 0)
    }

    /// A new stream that may be non-blocking or have a priority: lower numbers
    /// go first, as far as [`Stream::priority_range`] goes.
    ///
    /// # Errors
    ///
    /// As [`Stream::new`].
    pub fn with_flags(flags: StreamFlags, priority: i32) -> Result<Stream> {
        let context = current()?;
        let raw = context.backend().streams().create(flags, priority)?;
        let stream = Stream::of(context, raw, !flags.non_blocking, Kind::Owned);
        context.add_stream(&stream.0);
        Ok(stream)
    }

    /// A stream that a library has made, by its handle (`CUstream`,
    /// `cudaStream_t`), in the current context. `owner` is kept as long as the
    /// stream is used.
    ///
    /// # Errors
    ///
    /// If there is no device.
    ///
    /// # Safety
    ///
    /// The handle is a stream of the current context and alive as long as
    /// `owner` is.
    pub unsafe fn from_handle(handle: u64, owner: impl Any + Send + Sync) -> Result<Stream> {
        let stream = Stream::of(current()?, handle, false, Kind::Foreign(Box::new(owner)));
        stream.0.context.add_stream(&stream.0);
        Ok(stream)
    }

    pub(super) fn of_inner(inner: &Arc<StreamInner>) -> Stream {
        Stream(Arc::clone(inner))
    }

    fn of(context: Context, raw: u64, is_blocking: bool, kind: Kind) -> Stream {
        IN_USE.store(true, Ordering::Relaxed);
        Stream(Arc::new(StreamInner { context, raw, id: next_id(), is_blocking, kind }))
    }

    /// The default stream of the current context.
    ///
    /// # Errors
    ///
    /// If there is no device.
    pub fn default_stream() -> Result<Stream> {
        Ok(Stream(Arc::clone(current()?.default_stream())))
    }

    /// The stream that is current on this thread.
    ///
    /// # Errors
    ///
    /// If there is no device.
    pub fn current() -> Result<Stream> {
        Ok(Stream(current_of(current()?)))
    }

    /// The lowest and the highest priority that streams can have: `(0, -5)`,
    /// say.
    ///
    /// # Errors
    ///
    /// If there is no device.
    pub fn priority_range() -> Result<(i32, i32)> {
        current()?.backend().streams().priorities()
    }

    /// Does something with this stream current, and its context. Array
    /// expressions that are written meanwhile are computed there.
    ///
    /// # Errors
    ///
    /// If such an expression fails, the context has been detached, or a graph is being captured, whose
    /// work must go to one stream.
    pub fn scope<R>(&self, act: impl FnOnce() -> R) -> Result<R> {
        if graph::is_capturing() {
            let message = "a graph is being captured, and its work goes to one stream; use other streams outside of the capture".to_owned();
            return Err(Problem::Invalid { operation: "Stream::scope", message }.into());
        }
        self.enter(|| {
            let before = super::pending::next();
            let result = act();
            super::pending::settle_since(before).map(|()| result)
        })?
    }

    pub(super) fn enter<R>(&self, act: impl FnOnce() -> R) -> Result<R> {
        struct Leave;
        impl Drop for Leave {
            fn drop(&mut self) {
                let popped = CURRENT.with_borrow_mut(Vec::pop);
                DEPTH.set(DEPTH.get() - usize::from(popped.is_some()));
            }
        }
        self.0.context.scope(|| {
            CURRENT.with_borrow_mut(|streams| streams.push(Arc::clone(&self.0)));
            DEPTH.set(DEPTH.get() + 1);
            let _left = Leave;
            act()
        })
    }

    /// Waits until all work of this stream is done.
    ///
    /// # Errors
    ///
    /// If any of it failed.
    pub fn synchronize(&self) -> Result<()> {
        refuse_in_capture("Stream::synchronize")?;
        self.0.streams().synchronize(&self.0)?;
        super::outside::report(self.0.context())
    }

    /// Whether all work of this stream is done.
    ///
    /// # Errors
    ///
    /// If any of it failed.
    pub fn is_done(&self) -> Result<bool> {
        refuse_in_capture("Stream::is_done")?;
        self.0.streams().is_done(&self.0)
    }

    /// Has later work of this stream wait for what came before the event's
    /// record.
    ///
    /// # Errors
    ///
    /// If the driver refuses.
    pub fn wait_for_event(&self, event: &Event) -> Result<()> {
        refuse_in_capture("Stream::wait_for_event")?;
        self.0.streams().wait_for_event(&self.0, event.inner())
    }

    /// Records a new event at the end of what this stream has been asked.
    ///
    /// # Errors
    ///
    /// If the driver refuses.
    pub fn record(&self) -> Result<Event> {
        let event = self.0.context.scope(Event::new)??;
        event.record_on(self)?;
        Ok(event)
    }

    /// Calls a function after the work that this stream has been asked to do,
    /// on a thread of the driver's. It must not use the device: the driver
    /// would wait for itself.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// use std::sync::mpsc;
    /// let (sender, receiver) = mpsc::channel();
    /// let stream = Stream::new()?;
    /// stream.launch_host_func(move || sender.send("done").unwrap())?;
    /// assert_eq!(receiver.recv(), Ok("done"));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the driver refuses.
    pub fn launch_host_func(&self, function: impl FnOnce() + Send + 'static) -> Result<()> {
        refuse_in_capture("launch_host_func")?;
        self.0.streams().call(&self.0, Box::new(function))
    }

    /// The driver's handle (`CUstream`); zero for the default stream and on
    /// the host.
    pub fn handle(&self) -> u64 {
        self.0.raw
    }

    /// The context that it belongs to.
    pub fn context(&self) -> Context {
        self.0.context
    }

    pub(super) fn inner(&self) -> &Arc<StreamInner> {
        &self.0
    }
}

impl PartialEq for Stream {
    fn eq(&self, other: &Stream) -> bool {
        self.0.id == other.0.id && self.0.context == other.0.context
    }
}

impl Eq for Stream {}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let id = self.0.context.device().id();
        match self.0.kind {
            Kind::Default => write!(f, "Stream(default, on {id})"),
            _ => write!(f, "Stream({}, on {id})", self.0.id),
        }
    }
}

impl StreamInner {
    pub(super) fn default_of(context: Context) -> StreamInner {
        StreamInner { context, raw: 0, id: 0, is_blocking: true, kind: Kind::Default }
    }

    pub(super) fn raw(&self) -> u64 {
        self.raw
    }

    pub(super) fn id(&self) -> u64 {
        self.id
    }

    pub(super) fn is_default(&self) -> bool {
        matches!(self.kind, Kind::Default)
    }

    pub(super) fn context(&self) -> Context {
        self.context
    }

    pub(super) fn streams(&self) -> &'static dyn super::Streams {
        self.context.backend().streams()
    }

    /// Whether work of this stream and another one may overlap.
    pub(super) fn overlaps(&self, other: &StreamInner) -> bool {
        if self.context != other.context {
            return true;
        }
        let is_ordered = |a: &StreamInner, b: &StreamInner| a.is_default() && b.is_blocking;
        self.id != other.id && !is_ordered(self, other) && !is_ordered(other, self)
    }
}

impl Drop for StreamInner {
    fn drop(&mut self) {
        match self.kind {
            Kind::Default => {}
            Kind::Owned => self.streams().destroy(self),
            Kind::Foreign(_) => self.streams().retire(self),
        }
    }
}

/// A stream for capturing, which nothing else uses.
pub(super) fn for_capture() -> Result<Stream> {
    let (context, flags) = (current()?, StreamFlags { non_blocking: true });
    let raw = context.backend().streams().create(flags, 0)?;
    Ok(Stream::of(context, raw, false, Kind::Owned))
}
