//! The kernels that a session has compiled, for `:kernels`.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use gpurepl_wire::KernelReport;

use crate::{Attribute, Context, Entry, cache};

/// What is remembered of a kernel, also when it is gone.
#[doc(hidden)]
pub struct Record {
    name: String,
    device: String,
    threads_per_multiprocessor: u64,
    compilation: Compilation,
    registers: Option<u64>,
    shared: Option<u64>,
    local: Option<u64>,
    launches: AtomicU64,
    /// Threads of a block, and bytes of dynamic shared memory, at the last
    /// launch.
    block: AtomicU32,
    dynamic_shared: AtomicU32,
    /// The kernel as long as it lives; none for kernels of loops, about whose
    /// code nothing is asked.
    kernel: Mutex<Option<Weak<dyn Launchable>>>,
}

/// Something that holds a kernel's entry.
pub trait Launchable: Send + Sync {
    fn entry(&self) -> &dyn Entry;
}

/// How a source was compiled.
#[derive(Clone, Copy, Debug)]
pub struct Compilation {
    pub(crate) time: Duration,
    pub(crate) was_cached: bool,
}

/// Has a source compiled and notes how that went. A compilation on another
/// thread meanwhile may make a kernel that was found look like one that was
/// not.
pub fn compiling<R>(act: impl FnOnce() -> R) -> (R, Compilation) {
    let (hits, misses) = cache::counts();
    let start = Instant::now();
    let result = act();
    let time = start.elapsed();
    let (hits_after, misses_after) = cache::counts();
    (result, Compilation { time, was_cached: hits_after > hits && misses_after == misses })
}

static KNOWN: Mutex<Vec<Arc<Record>>> = Mutex::new(Vec::new());

/// Records that are kept at most: a loop may ask for a kernel at each turn.
const MOST: usize = 1000;

impl Record {
    /// Notes what can be said of a kernel before it is launched.
    pub fn new(
        name: &str,
        context: Context,
        compilation: Compilation,
        entry: Option<&dyn Entry>,
    ) -> Arc<Record> {
        let is_host = context.device().kind() == crate::DeviceKind::Host;
        let number = |attribute: Attribute| {
            let value = entry?.attribute(attribute).ok()?;
            u64::try_from(value).ok()
        };
        Arc::new(Record {
            name: name.to_owned(),
            device: context.device().id().to_owned(),
            threads_per_multiprocessor: threads_per_multiprocessor(context),
            compilation,
            // Nobody counts them on the host, where local variables lie on a
            // stack.
            registers: number(Attribute::NumRegs).filter(|_| !is_host),
            shared: number(Attribute::SharedSizeBytes),
            local: number(Attribute::LocalSizeBytes).filter(|_| !is_host),
            launches: AtomicU64::new(0),
            block: AtomicU32::new(0),
            dynamic_shared: AtomicU32::new(0),
            kernel: Mutex::new(None),
        })
    }

    /// Lists the kernel from now on.
    pub fn list(self: &Arc<Record>) {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            let place = known.iter().position(|record| record.live().is_none()).unwrap_or(0);
            known.remove(place);
        }
        known.push(Arc::clone(self));
    }

    /// Where the kernel itself is, for what can only be asked of it.
    pub fn lives_in(&self, kernel: Weak<dyn Launchable>) {
        *self.kernel.lock().unwrap_or_else(PoisonError::into_inner) = Some(kernel);
    }

    fn live(&self) -> Option<Arc<dyn Launchable>> {
        self.kernel.lock().unwrap_or_else(PoisonError::into_inner).as_ref()?.upgrade()
    }

    /// Notes a launch.
    #[inline]
    pub fn launched(&self, block: [u32; 3], dynamic_shared: u32) {
        self.launches.fetch_add(1, Ordering::Relaxed);
        self.block.store(block[0].saturating_mul(block[1]).saturating_mul(block[2]), Ordering::Relaxed);
        self.dynamic_shared.store(dynamic_shared, Ordering::Relaxed);
    }

    fn report(&self) -> KernelReport {
        let kernel = self.live();
        let entry = kernel.as_ref().map(|kernel| kernel.entry());
        let block = Some(self.block.load(Ordering::Relaxed)).filter(|block| *block > 0);
        let occupancy = entry.zip(block).and_then(|(entry, block)| {
            let shared = self.dynamic_shared.load(Ordering::Relaxed) as usize;
            let blocks = entry.max_active_blocks_per_multiprocessor(block, shared).ok()? as u64;
            let threads = blocks * u64::from(block) * 1000;
            threads.checked_div(self.threads_per_multiprocessor).map(|share| share.min(1000))
        });
        KernelReport {
            name: self.name.clone(),
            device: self.device.clone(),
            registers: self.registers,
            shared: self.shared,
            local: self.local,
            launches: self.launches.load(Ordering::Relaxed),
            block: block.map(u64::from),
            // Cores of a CPU have no places for threads to fill.
            occupancy: occupancy.filter(|_| self.registers.is_some()),
            compile: u64::try_from(self.compilation.time.as_nanos()).unwrap_or(u64::MAX),
            was_cached: self.compilation.was_cached,
        }
    }
}

fn threads_per_multiprocessor(context: Context) -> u64 {
    let attribute = crate::DeviceAttribute::MaxThreadsPerMultiprocessor;
    context.device().attribute(attribute).ok().and_then(|value| u64::try_from(value).ok()).unwrap_or(0)
}

/// All kernels, in the order in which they were asked for.
pub fn reports() -> Vec<KernelReport> {
    // Without the lock: a kernel that is released meanwhile may be the last.
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).clone();
    known.iter().map(|record| record.report()).collect()
}
