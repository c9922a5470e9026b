//! A plan carried out with arrays, on whatever devices they lie.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use gpurepl_extend::group::{self, Collective, Function, Pair};
use gpurepl_extend::{
    AnyArray, Argument, DeviceKind, Elements, Error, Extent, Gpu, Operation, Result, error, notice, perform,
};

use crate::cuda;
use crate::description::Description;
use crate::host;
use crate::plan::Plan;

/// Carries out what all ranks have agreed on, in the array's context: this rank's result, of this shape, if it has
/// one.
pub(crate) fn carry_out(
    function: Function,
    mut collective: Collective,
    ranks: &[Description],
    plan: Plan,
    given: &AnyArray,
    shape: &[usize],
) -> Result<Option<AnyArray>> {
    let name = function.name();
    let to = if plan.has_result(group::rank()) { Some(AnyArray::empty(shape, given.dtype())?) } else { None };
    match cuda::way(ranks, &plan) {
        cuda::Way::Nccl => return cuda::carry_out(name, collective, ranks, &plan, given, to),
        cuda::Way::Host(why) => say_once(why),
    }
    if given.context()?.device().kind() == DeviceKind::Host {
        let call = Work::Collective(collective, plan);
        return through_slices(name, call, Some(given), to);
    }
    let from = given.to_host()?;
    let mut bytes = vec![0; to.as_ref().map_or(0, |to| to.size() * to.dtype().size())];
    host::carry_out(&mut collective, &plan, &from, &mut bytes)?;
    collective.finish();
    to.map(|_| AnyArray::from_host(shape, given.dtype(), &bytes)).transpose()
}

/// Sends an array to the rank that has been met.
pub(crate) fn send(mut pair: Pair, given: &AnyArray) -> Result<()> {
    if given.context()?.device().kind() == DeviceKind::Host {
        return through_slices(Function::Send.name(), Work::Send(pair), Some(given), None).map(drop);
    }
    host::pass(&mut pair, &given.to_host()?)?;
    pair.finish()
}

/// Receives an array of a shape and type from the rank that has been met.
pub(crate) fn receive(mut pair: Pair, to: AnyArray) -> Result<AnyArray> {
    let name = Function::Recv.name();
    if to.context()?.device().kind() == DeviceKind::Host {
        return present(name, through_slices(name, Work::Receive(pair), None, Some(to))?);
    }
    let mut bytes = vec![0; to.size() * to.dtype().size()];
    host::take(&mut pair, &mut bytes)?;
    pair.finish()?;
    AnyArray::from_host(to.shape(), to.dtype(), &bytes)
}

/// The result of a rank that has one.
pub(crate) fn present(name: &'static str, result: Option<AnyArray>) -> Result<AnyArray> {
    result.ok_or_else(|| error::device(name, "this rank has got no result; please report it".to_owned()))
}

/// Says which way elements go where the user may expect another one.
fn say_once(why: Option<String>) {
    static IS_SAID: AtomicBool = AtomicBool::new(false);
    if let Some(why) = why
        && group::rank() == 0
        && !IS_SAID.swap(true, Ordering::Relaxed)
    {
        notice(format!("between these ranks arrays go by way of the host's memory: {why}"));
    }
}

/// Carries it out in the order of the host's work, with the elements where they lie.
fn through_slices(
    name: &'static str,
    work: Work,
    from: Option<&AnyArray>,
    mut to: Option<AnyArray>,
) -> Result<Option<AnyArray>> {
    let (has_input, has_result) = (from.is_some(), to.is_some());
    let operation = OnHost { name, has_input, has_result, work: Mutex::new(Some(work)) };
    let mut arguments: Vec<Argument> = from.iter().map(|from| Argument::read(from)).collect();
    arguments.extend(to.as_mut().map(Argument::write));
    perform(Arc::new(operation), &arguments)?;
    Ok(to)
}

enum Work {
    Collective(Collective, Plan),
    Send(Pair),
    Receive(Pair),
}

/// A call as an operation of the host's.
struct OnHost {
    name: &'static str,
    has_input: bool,
    has_result: bool,
    /// Taken when it is carried out, which is once: nothing of it is recorded in a graph.
    work: Mutex<Option<Work>>,
}

impl OnHost {
    fn unexpected(&self) -> Error {
        error::device(self.name, "it was called twice, or for another device; please report it".to_owned())
    }
}

impl Operation for OnHost {
    fn name(&self) -> &'static str {
        self.name
    }

    fn on_host(&self, arguments: &mut [Elements<'_>]) -> Result<()> {
        let work = self.work.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (input, output) = arguments.split_at_mut(usize::from(self.has_input));
        let from = input.first().map_or(&[][..], |from| from.bytes());
        let to = match output.first_mut().filter(|_| self.has_result) {
            Some(to) => to.bytes_mut()?,
            None => &mut [],
        };
        match work {
            Some(Work::Collective(mut collective, plan)) => {
                host::carry_out(&mut collective, &plan, from, to)?;
                collective.finish();
                Ok(())
            }
            Some(Work::Send(mut pair)) => {
                host::pass(&mut pair, from)?;
                pair.finish()
            }
            Some(Work::Receive(mut pair)) => {
                host::take(&mut pair, to)?;
                pair.finish()
            }
            None => Err(self.unexpected()),
        }
    }

    fn on_gpu(&self, _: &dyn Gpu, _: &[Extent]) -> Result<()> {
        Err(self.unexpected())
    }
}
