//! Plans as calls of NCCL, on the current stream.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::Arc;

use gpurepl_extend::{AnyArray, Argument, Elements, Extent, Gpu, Operation, Result, error, group, perform};

use super::communicator::Communicator;
use super::{BYTES, Combination, combination};
use crate::plan::Plan;

/// A plan to be carried out.
pub(super) struct Execute {
    name: &'static str,
    communicator: Arc<Communicator>,
    plan: Plan,
}

impl Execute {
    /// Asks this rank's GPU for its half of a plan.
    pub(super) fn perform(
        name: &'static str,
        communicator: Arc<Communicator>,
        plan: &Plan,
        given: &AnyArray,
        mut to: Option<AnyArray>,
    ) -> Result<Option<AnyArray>> {
        let work = Execute { name, communicator, plan: plan.clone() };
        let mut arguments = vec![Argument::read(given)];
        arguments.extend(to.as_mut().map(Argument::write));
        perform(Arc::new(work), &arguments)?;
        Ok(to)
    }
}

/// The calls of one plan, with what all of them take.
struct Calls<'a> {
    name: &'static str,
    communicator: &'a Communicator,
    stream: *mut c_void,
    /// The first byte of what is given, and of the result; zero if there is none.
    from: u64,
    to: u64,
}

/// A byte of an array.
fn at(address: u64, bytes: usize) -> *mut c_void {
    if address == 0 { null_mut() } else { (address + bytes as u64) as *mut c_void }
}

impl Operation for Execute {
    fn name(&self) -> &'static str {
        self.name
    }

    fn on_host(&self, _: &mut [Elements<'_>]) -> Result<()> {
        Err(error::unsupported(format!("{}: an array of the host met the GPU's half", self.name)))
    }

    fn on_gpu(&self, gpu: &dyn Gpu, arguments: &[Extent]) -> Result<()> {
        let stream = gpu.stream()? as *mut c_void;
        let (from, to) = (arguments[0].address, arguments.get(1).map_or(0, |to| to.address));
        let calls = Calls { name: self.name, communicator: &self.communicator, stream, from, to };
        match &self.plan {
            Plan::Join { lengths, only } => calls.join(lengths, *only),
            Plan::Deal { lengths } => calls.deal(lengths),
            Plan::Combine { op, dtype, bytes, only } => {
                calls.combine(combination(*op, *dtype).ok_or_else(|| calls.unexpected())?, *bytes, *only)
            }
            Plan::CombineParts { op, dtype, lengths } => {
                calls.combine_parts(combination(*op, *dtype).ok_or_else(|| calls.unexpected())?, lengths)
            }
        }
    }
}

impl Calls<'_> {
    fn unexpected(&self) -> gpurepl_extend::Error {
        error::device(self.name, "NCCL does not combine these elements; please report it".to_owned())
    }

    fn check(&self, what: &str, status: c_int) -> Result<()> {
        self.communicator.nccl.check(self.name, what, status)
    }

    /// Has some calls begin together. It is ended whatever happens in between.
    fn grouped(&self, calls: impl FnOnce() -> Result<()>) -> Result<()> {
        let nccl = self.communicator.nccl;
        // SAFETY: it takes nothing, and each start has its end below.
        self.check("begin", unsafe { (nccl.group_start)() })?;
        let called = calls();
        // SAFETY: as above; the memory of the calls is the arrays', which the operation keeps.
        let ended = self.check("pass arrays on", unsafe { (nccl.group_end)() });
        called.and(ended)
    }

    // In all that follows the addresses are those of device memory of the operation's arguments, which have the bytes
    // that the plan says (`call.rs` makes their shapes and the plan from the same descriptions); the stream waits for
    // whatever uses them, and whatever uses them later waits for the stream. All ranks make the same calls, or those
    // that belong together, by the plan that all have.

    fn join(&self, lengths: &[usize], only: Option<usize>) -> Result<()> {
        let Communicator { raw, nccl, .. } = *self.communicator;
        let rank = group::rank();
        if let Some(root) = only {
            let mut rows = vec![vec![0; lengths.len()]; lengths.len()];
            lengths.iter().zip(&mut rows).for_each(|(length, row)| row[root] = *length);
            return self.deal(&rows);
        }
        if lengths.iter().all(|length| *length == lengths[0]) {
            // SAFETY: as above; the result has room for what all ranks have, which is of one length.
            let status = unsafe {
                (nccl.all_gather)(at(self.from, 0), at(self.to, 0), lengths[0], BYTES, raw, self.stream)
            };
            return self.check("pass arrays on", status);
        }
        self.grouped(|| {
            let mut start = 0;
            for (root, length) in lengths.iter().enumerate().filter(|(_, length)| **length > 0) {
                let from = if root == rank { at(self.from, 0) } else { null_mut() };
                // SAFETY: as above; what is given is looked at on the root alone.
                let status = unsafe {
                    (nccl.broadcast)(
                        from,
                        at(self.to, start),
                        *length,
                        BYTES,
                        root as c_int,
                        raw,
                        self.stream,
                    )
                };
                self.check("pass arrays on", status)?;
                start += length;
            }
            Ok(())
        })
    }

    fn deal(&self, lengths: &[Vec<usize>]) -> Result<()> {
        let Communicator { raw, nccl, .. } = *self.communicator;
        let rank = group::rank();
        self.grouped(|| {
            let (mut sent, mut received) = (0, 0);
            for (peer, row) in lengths.iter().enumerate() {
                let (to, from) = (lengths[rank][peer], row[rank]);
                // SAFETY: as above; each send has its receive on the other rank, of the same length, in one group.
                unsafe {
                    if to > 0 {
                        let status =
                            (nccl.send)(at(self.from, sent), to, BYTES, peer as c_int, raw, self.stream);
                        self.check("send", status)?;
                    }
                    if from > 0 {
                        let status =
                            (nccl.recv)(at(self.to, received), from, BYTES, peer as c_int, raw, self.stream);
                        self.check("receive", status)?;
                    }
                }
                sent += to;
                received += from;
            }
            Ok(())
        })
    }

    fn combine(&self, by: Combination, bytes: usize, only: Option<usize>) -> Result<()> {
        let Communicator { raw, nccl, .. } = *self.communicator;
        let (from, to, count) = (at(self.from, 0), at(self.to, 0), bytes / by.size);
        // SAFETY: as above; a rank that is not the root has no result, which is not looked at.
        let status = unsafe {
            match only {
                None => (nccl.all_reduce)(from, to, count, by.dtype, by.op, raw, self.stream),
                Some(root) => {
                    (nccl.reduce)(from, to, count, by.dtype, by.op, root as c_int, raw, self.stream)
                }
            }
        };
        self.check("combine arrays", status)
    }

    fn combine_parts(&self, by: Combination, lengths: &[usize]) -> Result<()> {
        let Communicator { raw, nccl, .. } = *self.communicator;
        if lengths.iter().all(|length| *length == lengths[0]) {
            let count = lengths[0] / by.size;
            // SAFETY: as above; what is given has a part of one length for each rank.
            let status = unsafe {
                (nccl.reduce_scatter)(
                    at(self.from, 0),
                    at(self.to, 0),
                    count,
                    by.dtype,
                    by.op,
                    raw,
                    self.stream,
                )
            };
            return self.check("combine arrays", status);
        }
        self.grouped(|| {
            let mut start = 0;
            for (root, length) in lengths.iter().enumerate().filter(|(_, length)| **length > 0) {
                let to = if root == group::rank() { at(self.to, 0) } else { null_mut() };
                let (from, count) = (at(self.from, start), length / by.size);
                // SAFETY: as above; the result is the root's alone.
                let status = unsafe {
                    (nccl.reduce)(from, to, count, by.dtype, by.op, root as c_int, raw, self.stream)
                };
                self.check("combine arrays", status)?;
                start += length;
            }
            Ok(())
        })
    }
}
