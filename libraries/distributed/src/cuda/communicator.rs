//! Communicators: one for each context, which all ranks make together when they first need it.

use std::ffi::c_int;
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gpurepl_extend::group::{self, Collective, Unit};
use gpurepl_extend::{
    AnyArray, Argument, Context, Elements, Extent, Gpu, Operation, PerContext, Result, error, perform,
};

use super::library::{ID, Nccl, RawCommunicator, UniqueId, nccl};
use crate::description::Description;

/// A communicator of all ranks.
pub(super) struct Communicator {
    pub raw: RawCommunicator,
    pub nccl: &'static Nccl,
    /// The same on all ranks that have made it together.
    number: u64,
}

// SAFETY: a communicator may be used by any thread, by one at a time. The thread of cells alone calls collectives
// (`group` refuses others), and a context that goes with its communicator does so when no call runs.
unsafe impl Send for Communicator {}
// SAFETY: as above; what is shared is the handle, which only such calls use.
unsafe impl Sync for Communicator {}

impl Drop for Communicator {
    fn drop(&mut self) {
        // SAFETY: it was made by this library and is given back once; nobody else has it any more. Its work was
        // waited for, or its context is going; `ncclCommDestroy` could wait for other ranks.
        let _ = unsafe { (self.nccl.abort)(self.raw) };
    }
}

type Slot = Arc<Mutex<Option<Arc<Communicator>>>>;

static COMMUNICATORS: PerContext<(), Slot> = PerContext::keeping(1);

fn slot(context: Context) -> Result<Slot> {
    COMMUNICATORS.get_or_make(context, (), || Ok(Slot::default()))
}

fn locked(slot: &Slot) -> MutexGuard<'_, Option<Arc<Communicator>>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The number of a context's communicator; zero if it has none.
pub(super) fn number(context: Context) -> Result<u64> {
    Ok(locked(&slot(context)?).as_ref().map_or(0, |communicator| communicator.number))
}

/// The communicator that all ranks have, made now if any of them has none or another one.
pub(super) fn common(
    name: &'static str,
    collective: &mut Collective,
    ranks: &[Description],
    given: &AnyArray,
) -> Result<Arc<Communicator>> {
    let slot = slot(given.context()?)?;
    let known = ranks[0].communicator;
    if known != 0
        && ranks.iter().all(|rank| rank.communicator == known)
        && let Some(communicator) = &*locked(&slot)
    {
        return Ok(Arc::clone(communicator));
    }
    let nccl = nccl()?;
    // Rank 0 says where the others find it.
    let mut bytes = [0; ID];
    if group::rank() == 0 {
        let mut id = UniqueId { bytes: [0; ID] };
        // SAFETY: the pointer is to a place for it.
        nccl.check(name, "be reached by other ranks", unsafe { (nccl.get_unique_id)(&raw mut id) })?;
        bytes = id.bytes.map(|byte| byte as u8);
        collective.write(Unit::First, None, &bytes);
    }
    collective.step()?;
    collective.read(0, Unit::First, 0, &mut bytes);
    // It waits for all ranks, none of which may leave now.
    collective.commit()?;
    let id = UniqueId { bytes: bytes.map(|byte| byte as _) };
    let number = ranks.iter().map(|rank| rank.communicator).max().unwrap_or(0) + 1;
    let made = Arc::new(Mutex::new(None));
    let make = Make { name, nccl, id, number, made: Arc::clone(&made) };
    perform(Arc::new(make), &[Argument::read(given)])?;
    let made = made.lock().unwrap_or_else(PoisonError::into_inner).take();
    let made = made
        .ok_or_else(|| error::device(name, "NCCL has made no communicator; please report it".to_owned()))?;
    // The one before, if any, was another group's.
    let before = locked(&slot).replace(Arc::clone(&made));
    drop(before);
    Ok(made)
}

/// Makes a communicator, which takes an operation: the context must be current in the driver.
struct Make {
    name: &'static str,
    nccl: &'static Nccl,
    id: UniqueId,
    number: u64,
    made: Arc<Mutex<Option<Arc<Communicator>>>>,
}

impl Operation for Make {
    fn name(&self) -> &'static str {
        self.name
    }

    fn on_host(&self, _: &mut [Elements<'_>]) -> Result<()> {
        Err(error::unsupported(format!("{}: an array of the host met the GPU's half", self.name)))
    }

    fn on_gpu(&self, gpu: &dyn Gpu, _: &[Extent]) -> Result<()> {
        // It makes the context current in the driver.
        gpu.stream()?;
        let (rank, ranks) = (group::rank() as c_int, group::ranks() as c_int);
        let mut raw = null_mut();
        // SAFETY: the pointer is to a place for a handle; the id is that of rank 0; the context of this rank's GPU is
        // current; all ranks call it, each with its own number.
        let status = unsafe { (self.nccl.init_rank)(&raw mut raw, ranks, self.id, rank) };
        self.nccl.check(self.name, "connect the ranks", status)?;
        let communicator = Communicator { raw, nccl: self.nccl, number: self.number };
        *self.made.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(communicator));
        Ok(())
    }
}
