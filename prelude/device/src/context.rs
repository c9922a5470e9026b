//! Contexts: what lives on a device, and which one is current.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use super::{Backend, Device, DeviceKind, Limits, StreamInner, autoinit, cuda, host};
use crate::error::{Problem, Result};

/// What arrays and modules live in: a place on a device.
///
/// There is one from the start, the primary context of the device in use, and
/// most programs need no other. Several GPUs are used by a context on each:
///
/// ```
/// use gpurepl_prelude::*;
/// let a = ones::<f32>(4);
/// let context = Device::new(0)?.make_context()?; // and pushed
/// let b = ones::<f32>(4); // lives in the new context
/// Context::pop()?;
/// assert_eq!(a.to_vec(), b.to_vec());
/// let c = context.scope(|| b.copy())?; // current for a moment
/// context.detach();
/// # drop(c);
/// # Ok::<(), Error>(())
/// ```
///
/// Which context is current is each thread's own. What a context holds stays
/// usable whatever is current: an array knows its context, and is freed there.
/// Arrays of two contexts do not go into one expression or launch.
#[derive(Clone, Copy)]
pub struct Context(&'static Inner);

pub(crate) struct Inner {
    /// Tells a context from one that had its address before.
    id: u32,
    device: Device,
    pub(super) backend: Box<dyn Backend>,
    is_primary: bool,
    is_detached: AtomicBool,
    default_stream: OnceLock<Arc<StreamInner>>,
    /// The other streams: those to wait for.
    streams: Mutex<Vec<Weak<StreamInner>>>,
    /// The contexts whose memory kernels of this one may use.
    peers: Mutex<Vec<Context>>,
}

/// How a context behaves: PyCUDA's `ctx_flags`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContextFlags {
    /// What a thread does that waits for the GPU.
    pub scheduling: Scheduling,
    /// Whether memory for local variables stays as large as a launch has needed it.
    pub local_memory_resize_to_max: bool,
}

/// What a thread does that waits for the GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheduling {
    /// The driver decides.
    #[default]
    Auto,
    /// Asks all the time: the shortest wait, and a core is busy.
    Spin,
    /// Asks, and lets other threads run in between.
    Yield,
    /// Sleeps until the GPU wakes it.
    BlockingSync,
}

/// What a context keeps a limit for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// Bytes of stack of each thread.
    StackSize,
    /// Bytes of what `printf` in kernels has written and nobody has read.
    PrintfFifoSize,
    /// Bytes that `malloc` in kernels hands out.
    MallocHeapSize,
    /// How deep kernels may launch kernels and wait for them.
    DevRuntimeSyncDepth,
    /// How many launches by kernels may be waiting.
    DevRuntimePendingLaunchCount,
    /// Bytes that are fetched into the second-level cache at once.
    MaxL2FetchGranularity,
    /// Bytes of the second-level cache for what is marked to persist.
    PersistingL2CacheSize,
}

thread_local! {
    /// The contexts that this thread has pushed, the current one last.
    static PUSHED: RefCell<Vec<Context>> = const { RefCell::new(Vec::new()) };
}

/// Whether any thread has ever pushed one: most programs do not.
static ANY_PUSHED: AtomicBool = AtomicBool::new(false);

/// The current context: the last that this thread has pushed, else that of the
/// device in use, chosen now if it has not been.
#[inline]
pub fn current() -> Result<Context> {
    if ANY_PUSHED.load(Ordering::Relaxed)
        && let Some(context) = PUSHED.with_borrow(|pushed| pushed.last().copied())
    {
        return Ok(context);
    }
    autoinit::chosen()
}

/// The current context if there is one: to wait for it, say, where none is
/// nothing to wait for.
pub fn in_use() -> Option<Context> {
    let pushed = PUSHED.with_borrow(|pushed| pushed.last().copied());
    pushed.or_else(autoinit::chosen_before)
}

/// Waits until all work of the current context is done.
///
/// # Errors
///
/// If any of it failed.
pub fn synchronize() -> Result<()> {
    current()?.synchronize()
}

impl Context {
    pub(super) fn new(backend: Box<dyn Backend>, is_primary: bool) -> Context {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let device = Device::of(backend.description());
        // Arrays refer to their context without counting; what is left of
        // one that has been detached is this structure.
        Context(Box::leak(Box::new(Inner {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            device,
            backend,
            is_primary,
            is_detached: AtomicBool::new(false),
            default_stream: OnceLock::new(),
            streams: Mutex::default(),
            peers: Mutex::default(),
        })))
    }

    /// Makes a context and pushes it.
    pub(super) fn make(device: Device, flags: ContextFlags) -> Result<Context> {
        let context = match device.kind() {
            DeviceKind::Cuda => cuda::make_context(device.number(), flags)?,
            DeviceKind::Host => host::make_context()?,
        };
        context.push()?;
        Ok(context)
    }

    /// The context that is current on this thread.
    ///
    /// # Errors
    ///
    /// As [`Device::current`].
    pub fn current() -> Result<Context> {
        current()
    }

    /// Makes this context current on this thread, until it is popped.
    ///
    /// # Errors
    ///
    /// If the context has been detached.
    pub fn push(&self) -> Result<()> {
        self.push_for("Context::push")
    }

    fn push_for(&self, operation: &'static str) -> Result<()> {
        self.check_alive(operation)?;
        // The device in use is chosen first, so that there is one below.
        autoinit::chosen()?;
        ANY_PUSHED.store(true, Ordering::Relaxed);
        PUSHED.with_borrow_mut(|pushed| pushed.push(*self));
        Ok(())
    }

    /// Makes the context current again that was before the last push, and
    /// returns the one that was pushed.
    ///
    /// # Errors
    ///
    /// If this thread has pushed none: the first context stays.
    pub fn pop() -> Result<Context> {
        PUSHED.with_borrow_mut(Vec::pop).ok_or_else(|| {
            let message = "this thread has not pushed a context; call `push` before `pop`".to_owned();
            Problem::Invalid { operation: "Context::pop", message }.into()
        })
    }

    /// Does something with this context current.
    ///
    /// # Errors
    ///
    /// If the context has been detached.
    pub fn scope<R>(&self, act: impl FnOnce() -> R) -> Result<R> {
        self.push_for("scope")?;
        let _popped = PopLater(*self);
        Ok(act())
    }

    /// Undoes the last push of this context, whatever has been pushed since.
    pub(super) fn pop_this(self) {
        PUSHED.with_borrow_mut(|pushed| {
            if let Some(place) = pushed.iter().rposition(|context| *context == self) {
                pushed.remove(place);
            }
        });
    }

    /// Lets the context go: nothing new is made in it. It is destroyed with
    /// the last array and module that lives in it. A primary context stays,
    /// since others use it.
    pub fn detach(self) {
        PUSHED.with_borrow_mut(|pushed| pushed.retain(|context| *context != self));
        if self.0.is_primary || self.0.is_detached.swap(true, Ordering::AcqRel) {
            return;
        }
        super::overflow::leave(self);
        super::per_context::forget(self.0.id);
        self.0.backend.detach();
    }

    /// Waits until all work of this context is done.
    ///
    /// # Errors
    ///
    /// If any of it failed.
    pub fn synchronize(&self) -> Result<()> {
        super::stream::refuse_in_capture("synchronize")?;
        // What has been written is work, though it may not have begun.
        super::pending::settle_since(0)?;
        self.0.backend.synchronize()?;
        super::outside::report(*self)
    }

    /// [`Context::synchronize`] at the end of a cell, which is told what the work
    /// of any thread found.
    ///
    /// # Errors
    ///
    /// If any of it failed.
    #[doc(hidden)]
    pub fn finish(&self) -> Result<()> {
        self.synchronize()?;
        super::outside::report_all(*self)
    }

    /// The device that it is on.
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// Whether it is the device's primary context.
    pub fn is_primary(&self) -> bool {
        self.0.is_primary
    }

    /// A limit, in its unit: see [`Limit`].
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let context = Context::current()?;
    /// if context.device().kind() == DeviceKind::Cuda {
    ///     context.set_limit(Limit::PrintfFifoSize, 16 << 20)?; // for kernels that print much
    ///     assert!(context.limit(Limit::PrintfFifoSize)? >= 16 << 20);
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the device has no such limit.
    pub fn limit(&self, limit: Limit) -> Result<usize> {
        self.0.backend.limit(limit)
    }

    /// Sets a limit; the driver may round it up.
    ///
    /// # Errors
    ///
    /// If the device has no such limit, or none so high.
    pub fn set_limit(&self, limit: Limit, value: usize) -> Result<()> {
        self.0.backend.set_limit(limit, value)
    }

    /// Lets kernels of this context use memory of another one, on another GPU:
    /// from then on they take its arrays as arguments.
    ///
    /// # Errors
    ///
    /// If the GPUs are not connected so: see [`Device::can_access_peer`].
    pub fn enable_peer_access(&self, other: Context) -> Result<()> {
        self.0.backend.enable_peer_access(other)?;
        self.peers().push(other);
        Ok(())
    }

    /// Ends what [`Context::enable_peer_access`] began.
    ///
    /// # Errors
    ///
    /// If it has not begun.
    pub fn disable_peer_access(&self, other: Context) -> Result<()> {
        self.0.backend.disable_peer_access(other)?;
        self.peers().retain(|peer| *peer != other);
        Ok(())
    }

    /// The driver's handle (`CUcontext`); zero on the host.
    pub fn handle(&self) -> u64 {
        self.0.backend.handle()
    }

    fn check_alive(&self, operation: &'static str) -> Result<()> {
        if self.0.is_detached.load(Ordering::Acquire) {
            let message =
                "this context has been detached; make a new one with `Device::new(0)?.make_context()`"
                    .to_owned();
            return Err(Problem::Invalid { operation, message }.into());
        }
        Ok(())
    }

    fn peers(&self) -> MutexGuard<'_, Vec<Context>> {
        self.0.peers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses memory that kernels of this context cannot use.
    #[inline]
    #[doc(hidden)]
    pub fn check_reach(&self, kernel: &str, memory: Context) -> Result<()> {
        if *self == memory || self.peers().contains(&memory) {
            return Ok(());
        }
        self.check_same(kernel, memory)
    }

    /// Refuses what would mix memory of two contexts.
    #[doc(hidden)]
    pub fn check_same(&self, operation: &str, other: Context) -> Result<()> {
        if *self == other {
            return Ok(());
        }
        let message = format!(
            "cannot mix objects of two contexts ({self:?} and {other:?}); `array.to_context(context)` \
             and `memcpy_peer` copy from one to the other, and a kernel is compiled in the context that is current"
        );
        Err(Problem::Contexts { operation: operation.to_owned(), message }.into())
    }

    #[doc(hidden)]
    pub fn backend(&self) -> &'static dyn Backend {
        &*self.0.backend
    }

    #[doc(hidden)]
    pub fn limits(&self) -> &'static Limits {
        self.0.device.limits()
    }

    #[doc(hidden)]
    pub fn id(&self) -> u32 {
        self.0.id
    }

    /// Notes a stream, to be waited for.
    pub(super) fn add_stream(&self, stream: &Arc<StreamInner>) {
        let mut streams = self.0.streams.lock().unwrap_or_else(PoisonError::into_inner);
        streams.retain(|stream| stream.strong_count() > 0);
        streams.push(Arc::downgrade(stream));
    }

    /// The streams besides the default one.
    pub(super) fn streams(&self) -> Vec<Arc<StreamInner>> {
        let streams = self.0.streams.lock().unwrap_or_else(PoisonError::into_inner);
        streams.iter().filter_map(Weak::upgrade).collect()
    }

    /// The stream that work goes to where no other one is current.
    pub(super) fn default_stream(&self) -> &'static Arc<StreamInner> {
        self.0.default_stream.get_or_init(|| Arc::new(StreamInner::default_of(*self)))
    }
}

impl PartialEq for Context {
    fn eq(&self, other: &Context) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Context {}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = if self.0.is_primary { "primary".to_owned() } else { self.0.id.to_string() };
        let gone = if self.0.is_detached.load(Ordering::Acquire) { ", detached" } else { "" };
        write!(f, "Context({kind}, on {}{gone})", self.device().id())
    }
}

/// Takes a pushed context away again, also when the scope panics.
struct PopLater(Context);

impl Drop for PopLater {
    fn drop(&mut self) {
        self.0.pop_this();
    }
}
