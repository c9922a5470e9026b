//! Graphs: work that is recorded once and launched often.

use std::any::Any;
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Buffer, Context, Recording, Stream, current, stream};
use crate::error::{Problem, Result};

/// Work that has been recorded, to be launched as one: many small kernels cost
/// one launch then.
///
/// ```
/// use gpurepl_prelude::*;
/// let mut x = ones::<f32>(100);
/// let graph = Graph::capture(|| {
///     for _ in 0..10 {
///         x *= 2.0;
///     }
///     Ok(())
/// })?;
/// assert_eq!(x.max().item(), 1.0); // recorded, not done
/// graph.launch()?;
/// assert_eq!(x.max().item(), 1024.0);
/// # Ok::<(), Error>(())
/// ```
///
/// What is launched are the same kernels on the same memory with the same
/// numbers. Arrays that are made while a graph is captured belong to it, and
/// hold what the last launch left. Data of the host is copied when the graph
/// is captured. A value cannot be read meanwhile, since nothing is computed.
#[derive(Clone)]
pub struct Graph(Arc<Inner>);

struct Inner {
    // Dropped in this order: the work before what it uses.
    recording: Box<dyn Recording>,
    context: Context,
    capture: Arc<Capture>,
}

/// What must live as long as a graph that is being captured.
pub(crate) struct Capture {
    context: Context,
    used: Mutex<Vec<(Arc<Buffer>, bool)>>,
    /// Tells what was written down in this capture from the rest.
    id: u64,
    /// Memory that was freed meanwhile, and where.
    freed: Mutex<Vec<(Context, u64, usize)>>,
    /// Data of the host.
    data: Mutex<Vec<Box<[u8]>>>,
    /// Kernels, textures and surfaces.
    kept: Mutex<Vec<Arc<dyn Any + Send + Sync>>>,
}

thread_local! {
    static CAPTURE: RefCell<Option<Arc<Capture>>> = const { RefCell::new(None) };
}

/// Whether this thread captures a graph.
pub(super) fn is_capturing() -> bool {
    stream::in_use() && CAPTURE.try_with(|capture| capture.borrow().is_some()).unwrap_or(false)
}

/// The graph that this thread captures.
pub(super) fn capture_of_thread() -> Option<Arc<Capture>> {
    if !stream::in_use() {
        return None;
    }
    CAPTURE.try_with(|capture| capture.borrow().clone()).ok().flatten()
}

/// The number of the capture of this thread; zero outside of one.
pub fn capture_id() -> u64 {
    capture_of_thread().map_or(0, |capture| capture.id)
}

/// Has a graph that this thread captures keep something that its work uses.
pub fn keep_for_capture<T: Any + Send + Sync>(used: &Arc<T>) {
    if let Some(capture) = capture_of_thread() {
        let used: Arc<dyn Any + Send + Sync> = Arc::clone(used) as _;
        capture.kept.lock().unwrap_or_else(PoisonError::into_inner).push(used);
    }
}

/// Does something that is not part of the graph that this thread captures: what
/// was asked for before it, and is needed now.
pub fn outside_capture<R>(act: impl FnOnce() -> Result<R>) -> Result<R> {
    struct Back(Option<Arc<Capture>>);
    impl Drop for Back {
        fn drop(&mut self) {
            CAPTURE.set(self.0.take());
        }
    }
    let Some(capture) = capture_of_thread() else { return act() };
    let stream = Stream::of_inner(capture.context.default_stream());
    let _back = Back(CAPTURE.take());
    stream.enter(act)?
}

impl Capture {
    /// The context whose work is recorded.
    pub(super) fn context(&self) -> Context {
        self.context
    }

    /// Notes that the work uses a buffer.
    pub(super) fn uses(&self, buffer: Arc<Buffer>, writes: bool) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        match used.iter_mut().find(|(known, _)| Arc::ptr_eq(known, &buffer)) {
            Some((_, is_written)) => *is_written |= writes,
            None => used.push((buffer, writes)),
        }
    }

    /// Keeps memory that would be freed.
    pub(super) fn frees(&self, context: Context, address: u64, bytes: usize) {
        self.freed.lock().unwrap_or_else(PoisonError::into_inner).push((context, address, bytes));
    }

    /// Keeps a copy of data, which stays where it is.
    pub(super) fn keep(&self, data: &[u8]) -> *const u8 {
        let data: Box<[u8]> = data.into();
        let address = data.as_ptr();
        self.data.lock().unwrap_or_else(PoisonError::into_inner).push(data);
        address
    }
}

impl Graph {
    /// Records what a closure asks the device to do. It is not done.
    ///
    /// # Errors
    ///
    /// What the closure returns; or if it does something that cannot be
    /// recorded, such as reading a value.
    pub fn capture(act: impl FnOnce() -> Result<()>) -> Result<Graph> {
        let session = Session::begin()?;
        let result = session.stream.enter(|| {
            act()?;
            // Expressions that are still pending are part of the work.
            super::pending::settle_since(0)
        });
        session.finish(result.and_then(|result| result))
    }

    pub(crate) fn context(&self) -> Context {
        self.0.context
    }

    /// To be called before the current stream runs the work.
    pub(crate) fn enter(&self) -> Result<()> {
        stream::refuse_in_capture("Graph::launch")?;
        for (buffer, writes) in self.0.capture.used.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            if *writes {
                buffer.before_write()?;
            }
            buffer.enter(*writes)?;
        }
        Ok(())
    }

    /// Runs the work on the current stream.
    pub(crate) fn run(&self) -> Result<()> {
        self.0.recording.launch(&stream::current_of(self.0.context))
    }

    /// The number of operations in it: kernels, copies, fills.
    pub fn len(&self) -> usize {
        self.0.recording.len()
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl std::fmt::Debug for Graph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let plural = if self.len() == 1 { "" } else { "s" };
        write!(f, "Graph({} operation{plural}, on {})", self.len(), self.0.context.device().id())
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        let freed = std::mem::take(self.freed.get_mut().unwrap_or_else(PoisonError::into_inner));
        if freed.is_empty() {
            return;
        }
        if let Some(other) = capture_of_thread() {
            // Nothing can be waited for now.
            freed.into_iter().for_each(|(context, address, bytes)| other.frees(context, address, bytes));
            return;
        }
        // Launches of the graph may still be running, on any stream.
        let _ = self.context.backend().synchronize();
        for (context, address, bytes) in freed {
            // SAFETY: `Buffer::drop` has left this memory, which it owned, to
            // the capture; the graph is gone, and its launches are done.
            unsafe { context.backend().release(address, bytes, &super::Order::default()) };
        }
    }
}

/// A capture that is under way; ended in any case.
struct Session {
    stream: Stream,
    context: Context,
    capture: Arc<Capture>,
    is_open: bool,
}

impl Session {
    fn begin() -> Result<Session> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        if is_capturing() {
            let message = "a graph is already being captured; end that capture first".to_owned();
            return Err(Problem::Invalid { operation: "Graph::capture", message }.into());
        }
        // What was written before the capture is done before it.
        let context = current()?;
        context.synchronize()?;
        let stream = stream::for_capture()?;
        context.backend().streams().begin_capture(stream.inner())?;
        let capture = Arc::new(Capture {
            context,
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            used: Mutex::default(),
            kept: Mutex::default(),
            freed: Mutex::default(),
            data: Mutex::default(),
        });
        CAPTURE.set(Some(Arc::clone(&capture)));
        Ok(Session { stream, context, capture, is_open: true })
    }

    fn end(&mut self) -> Result<Box<dyn Recording>> {
        self.is_open = false;
        CAPTURE.set(None);
        self.context.backend().streams().end_capture(self.stream.inner())
    }

    fn finish(mut self, result: Result<()>) -> Result<Graph> {
        let recording = self.end();
        let (context, capture) = (self.context, Arc::clone(&self.capture));
        // The closure's own error says more than that the capture broke.
        result?;
        Ok(Graph(Arc::new(Inner { recording: recording?, context, capture })))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if self.is_open {
            // The closure panicked: what it recorded is nobody's.
            drop(self.end());
        }
    }
}
