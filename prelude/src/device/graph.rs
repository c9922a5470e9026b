//! Graphs: work that is recorded once and launched often.

use std::cell::RefCell;
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
    /// Memory that was given back meanwhile.
    freed: Mutex<Vec<(u64, usize)>>,
    /// Data of the host.
    data: Mutex<Vec<Box<[u8]>>>,
}

thread_local! {
    static CAPTURE: RefCell<Option<Arc<Capture>>> = const { RefCell::new(None) };
}

/// Whether this thread captures a graph.
pub(super) fn is_capturing() -> bool {
    stream::in_use() && CAPTURE.with_borrow(Option::is_some)
}

/// The graph that this thread captures.
pub(super) fn capture_of_thread() -> Option<Arc<Capture>> {
    if !stream::in_use() {
        return None;
    }
    CAPTURE.try_with(|capture| capture.borrow().clone()).ok().flatten()
}

impl Capture {
    /// Notes that the work uses a buffer.
    pub(super) fn uses(&self, buffer: Arc<Buffer>, writes: bool) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        match used.iter_mut().find(|(known, _)| Arc::ptr_eq(known, &buffer)) {
            Some((_, is_written)) => *is_written |= writes,
            None => used.push((buffer, writes)),
        }
    }

    /// Keeps memory that would be given back.
    pub(super) fn frees(&self, address: u64, bytes: usize) {
        self.freed.lock().unwrap_or_else(PoisonError::into_inner).push((address, bytes));
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
            crate::array::settle()
        });
        session.finish(result.and_then(|result| result))
    }

    /// Launches the work on the current stream.
    ///
    /// # Errors
    ///
    /// If the driver refuses, or earlier work failed.
    pub fn launch(&self) -> Result<()> {
        crate::interrupt::check()?;
        stream::refuse_in_capture("Graph::launch")?;
        for (buffer, writes) in self.0.capture.used.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            if *writes {
                buffer.before_write()?;
            }
            buffer.enter(*writes)?;
        }
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
        // Launches of the graph may still be running, on any stream.
        let _ = self.context.backend().synchronize();
        for (address, bytes) in freed {
            // SAFETY: `Buffer::drop` has left this memory, which it owned, to
            // the capture; the graph is gone, and its launches are done.
            unsafe { self.context.backend().release(address, bytes, &super::Order::default()) };
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
        if is_capturing() {
            let message = "a graph is being captured already".to_owned();
            return Err(Problem::Invalid { operation: "Graph::capture", message }.into());
        }
        // What was written before the capture is done before it.
        crate::array::settle()?;
        let context = current()?;
        context.synchronize()?;
        let stream = stream::for_capture()?;
        context.backend().streams().begin_capture(stream.inner())?;
        let capture = Arc::new(Capture {
            context,
            used: Mutex::default(),
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
