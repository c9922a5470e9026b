//! The libraries' handles: one for each stream of a context, used by one thread at a time. (A handle works in
//! memory of its own, which two streams would share.)

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gpurepl_extend::{Context, Gpu, PerContext, Result};

use super::declarations::{CreateSettings, DestroySettings, RawHandle, Settings};
use super::library::{Cublas, Cusolver, check_blas, check_solver, cublas, cusolver};

/// A context's handle of cuSOLVER, with options at their defaults.
struct SolverHandle {
    raw: RawHandle,
    params: Settings,
    context: Context,
    library: &'static Cusolver,
}

// SAFETY: the library's handles and options may be used by any thread, by one at a time; `SOLVERS` keeps them behind
// a lock.
unsafe impl Send for SolverHandle {}

impl Drop for SolverHandle {
    fn drop(&mut self) {
        if is_current(self.context) {
            // SAFETY: both were made by this library, in the context that is current, and are destroyed once; nobody
            // else has them any more. Destroying a handle waits for its work.
            let _ = unsafe { ((self.library.destroy_params)(self.params), (self.library.destroy)(self.raw)) };
        }
    }
}

/// A context's handle of cuBLAS.
struct BlasHandle {
    raw: RawHandle,
    context: Context,
    library: &'static Cublas,
}

// SAFETY: as for `SolverHandle`; `BLASES` keeps it behind a lock.
unsafe impl Send for BlasHandle {}

impl Drop for BlasHandle {
    fn drop(&mut self) {
        if is_current(self.context) {
            // SAFETY: as for `SolverHandle`.
            let _ = unsafe { (self.library.destroy)(self.raw) };
        }
    }
}

/// Whether a handle's context is the current one. In another one a handle must not be destroyed; what it holds of the
/// device's memory goes with its context.
fn is_current(context: Context) -> bool {
    Context::current().is_ok_and(|current| current == context)
}

/// Those of the streams that were used last.
const STREAMS: usize = 8;

static SOLVERS: PerContext<u64, Arc<Mutex<SolverHandle>>> = PerContext::keeping(STREAMS);
static BLASES: PerContext<u64, Arc<Mutex<BlasHandle>>> = PerContext::keeping(STREAMS);

/// cuSOLVER in a context, on its current stream, for one thread.
pub(super) struct Solver<'a> {
    pub name: &'static str,
    pub library: &'static Cusolver,
    handle: MutexGuard<'a, SolverHandle>,
}

impl Solver<'_> {
    /// Its handle, which calls of its functions take.
    pub(super) fn handle(&self) -> RawHandle {
        self.handle.raw
    }

    /// `cusolverDnParams_t`, at its defaults.
    pub(super) fn params(&self) -> Settings {
        self.handle.params
    }

    /// `gesvdjInfo_t`, at its defaults: the precision of the numbers, and at most 100 sweeps.
    pub(super) fn gesvdj(&self) -> Result<Sweeps> {
        Sweeps::new(self.name, self.library.create_gesvdj, self.library.destroy_gesvdj)
    }

    /// `syevjInfo_t`, at its defaults, which are the same.
    pub(super) fn syevj(&self) -> Result<Sweeps> {
        Sweeps::new(self.name, self.library.create_syevj, self.library.destroy_syevj)
    }

    pub(super) fn check(&self, what: &str, status: c_int) -> Result<()> {
        check_solver(self.name, what, status)
    }
}

/// Settings of Jacobi's method, which also take what it reports: each operation has its own.
pub(super) struct Sweeps {
    pub raw: Settings,
    destroy: DestroySettings,
}

impl Sweeps {
    fn new(name: &'static str, create: CreateSettings, destroy: DestroySettings) -> Result<Sweeps> {
        Ok(Sweeps { raw: made(name, create)?, destroy })
    }
}

// SAFETY: they are memory of the host, which any thread may use, one at a time; whoever holds them uses them alone.
unsafe impl Send for Sweeps {}

impl Drop for Sweeps {
    fn drop(&mut self) {
        // SAFETY: the function that belongs to the one that has made them, called once. Where they were used for
        // work, `HostMemory` holds them until that has been waited for.
        let _ = unsafe { (self.destroy)(self.raw) };
    }
}

/// cuBLAS, in the same way.
pub(super) struct Blas<'a> {
    pub name: &'static str,
    pub library: &'static Cublas,
    handle: MutexGuard<'a, BlasHandle>,
}

impl Blas<'_> {
    pub(super) fn handle(&self) -> RawHandle {
        self.handle.raw
    }

    pub(super) fn check(&self, what: &str, status: c_int) -> Result<()> {
        check_blas(self.name, what, status)
    }
}

/// Calls cuSOLVER on the current stream of the operation's context.
pub(super) fn with_solver<T>(
    name: &'static str,
    gpu: &dyn Gpu,
    context: Context,
    work: impl FnOnce(&Solver<'_>) -> Result<T>,
) -> Result<T> {
    let library = cusolver()?;
    // It makes the context current too.
    let stream = gpu.stream()?;
    let shared = SOLVERS.get_or_make(context, stream, || make_solver(name, context, library))?;
    let handle = shared.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: the handle is of this context, which is current, and locked; the stream is the driver's handle of one
    // of this context, and handles of the driver and of the run time are the same.
    let status = unsafe { (library.set_stream)(handle.raw, stream as *mut c_void) };
    check_solver(name, "use the stream", status)?;
    work(&Solver { name, library, handle })
}

/// Calls cuBLAS on the current stream of the operation's context.
pub(super) fn with_blas<T>(
    name: &'static str,
    gpu: &dyn Gpu,
    context: Context,
    work: impl FnOnce(&Blas<'_>) -> Result<T>,
) -> Result<T> {
    let library = cublas()?;
    let stream = gpu.stream()?;
    let shared = BLASES.get_or_make(context, stream, || make_blas(name, context, library))?;
    let handle = shared.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: as in `with_solver`.
    let status = unsafe { (library.set_stream)(handle.raw, stream as *mut c_void) };
    check_blas(name, "use the stream", status)?;
    work(&Blas { name, library, handle })
}

fn make_solver(
    name: &'static str,
    context: Context,
    library: &'static Cusolver,
) -> Result<Arc<Mutex<SolverHandle>>> {
    let mut raw = null_mut();
    // SAFETY: the pointer is to a place for a handle; the context is current in the driver, by `with_solver`.
    check_solver(name, "make a handle", unsafe { (library.create)(&raw mut raw) })?;
    let params = made(name, library.create_params)?;
    Ok(Arc::new(Mutex::new(SolverHandle { raw, params, context, library })))
}

fn made(name: &'static str, create: CreateSettings) -> Result<Settings> {
    let mut settings = null_mut();
    // SAFETY: the pointer is to a place for what is made, which is memory of the host.
    check_solver(name, "make its settings", unsafe { create(&raw mut settings) })?;
    Ok(settings)
}

fn make_blas(
    name: &'static str,
    context: Context,
    library: &'static Cublas,
) -> Result<Arc<Mutex<BlasHandle>>> {
    let mut raw = null_mut();
    // SAFETY: the pointer is to a place for a handle; the context is current in the driver, by `with_blas`.
    check_blas(name, "make a handle", unsafe { (library.create)(&raw mut raw) })?;
    Ok(Arc::new(Mutex::new(BlasHandle { raw, context, library })))
}
