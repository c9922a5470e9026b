//! Functions that all ranks call, for arrays of any type: their checks, and what goes where.

use gpurepl_extend::group::{self, Collective, Function};
use gpurepl_extend::{AnyArray, Context, DType, Result, error, refuse_in_capture};

use crate::cuda::{self, Abilities};
use crate::description::{Description, Shapes, agree};
use crate::plan::{Plan, row, split};
use crate::reduce::Reduce;
use crate::work;

/// A call of a function.
pub(crate) struct Call {
    pub function: Function,
    pub op: Option<Reduce>,
    pub root: Option<usize>,
    /// See [`Description::split`].
    pub split: u64,
}

impl Call {
    fn name(&self) -> &'static str {
        self.function.name()
    }

    pub(crate) fn of(function: Function) -> Call {
        Call { function, op: None, root: None, split: 0 }
    }

    fn with_root(function: Function, root: usize) -> Call {
        Call { root: Some(root), ..Call::of(function) }
    }

    /// What can be told wrong without the others.
    fn check(&self, dtype: DType) -> Result<()> {
        check_place(self.name())?;
        self.root.map_or(Ok(()), |root| check_rank(self.name(), "the root is", root))?;
        self.op.map_or(Ok(()), |op| op.check(self.name(), dtype))
    }

    fn describe(&self, dtype: DType, shape: Option<Vec<usize>>, abilities: Abilities) -> Description {
        let Abilities { device, nccl, communicator } = abilities;
        let Call { function, op, root, split } = *self;
        Description { function, dtype, op, root, shape, split, device, nccl, communicator }
    }

    /// Meets the other ranks, and makes sure that the calls go together. An error in that is one of all ranks, which
    /// may go on with another function.
    fn meet(&self, description: &Description, shapes: Shapes) -> Result<(Collective, Vec<Description>)> {
        let has_elements = !matches!(self.function, Function::Barrier | Function::FromLocal | Function::Load);
        let collective = Collective::meet(self.function, &description.post(), has_elements)?;
        let ranks = Description::of_posts(self.name(), collective.posts())?;
        match agree(self.name(), &ranks, shapes) {
            Ok(()) => Ok((collective, ranks)),
            Err(error) => {
                collective.finish();
                Err(error)
            }
        }
    }
}

/// Makes sure that ranks may wait for each other here.
pub(crate) fn check_place(operation: &'static str) -> Result<()> {
    if let Some(problem) = group::problem() {
        return Err(error::ranks(operation, problem.to_owned()));
    }
    refuse_in_capture(operation)
}

/// Makes sure that there is such a rank.
pub(crate) fn check_rank(operation: &'static str, what: &str, rank: usize) -> Result<()> {
    let ranks = group::ranks();
    if rank < ranks {
        return Ok(());
    }
    let message = match ranks {
        1 => format!(
            "{what} {rank}, and there is rank 0 alone; start more with `gpurepl --workers {}`",
            rank + 1
        ),
        _ => format!("{what} {rank}, and there are {ranks} ranks; they are 0 to {}", ranks - 1),
    };
    Err(error::ranks(operation, message))
}

pub(crate) fn needs_axis(operation: &'static str, shape: &[usize]) -> Result<()> {
    if !shape.is_empty() {
        return Ok(());
    }
    let message =
        "an array without axes cannot be divided among the ranks; give it one: `a.reshape(1)`".to_owned();
    Err(error::shape(operation, message))
}

pub(crate) fn is_alone() -> bool {
    group::ranks() == 1
}

pub(crate) fn barrier() -> Result<()> {
    let call = Call::of(Function::Barrier);
    call.check(DType::Bool)?;
    gpurepl_extend::check_interrupt()?;
    // What the device was asked before is done, here and, once they have come, on all others.
    Context::current()?.synchronize()?;
    if is_alone() {
        return Ok(());
    }
    let description = call.describe(DType::Bool, None, Abilities::default());
    let (mut collective, _) = call.meet(&description, Shapes::Any)?;
    // Whoever comes when another one has given up waiting learns that; once all are here, nobody leaves.
    collective.commit()?;
    collective.finish();
    Ok(())
}

pub(crate) fn all_reduce(a: &AnyArray, op: Reduce) -> Result<AnyArray> {
    all_reduce_for(Call::of(Function::AllReduce), a, op)
}

/// [`all_reduce`] under the name of a function that is done by it.
pub(crate) fn all_reduce_for(call: Call, a: &AnyArray, op: Reduce) -> Result<AnyArray> {
    let call = Call { op: Some(op), ..call };
    call.check(a.dtype())?;
    if is_alone() {
        return a.copied();
    }
    let plan = |_: &[Description]| {
        let bytes = a.size() * a.dtype().size();
        (Plan::Combine { op, dtype: a.dtype(), bytes, only: None }, a.shape().to_vec())
    };
    together(&call, a, Shapes::Equal, &plan).and_then(|result| work::present(call.name(), result))
}

pub(crate) fn reduce(a: &AnyArray, op: Reduce, root: usize) -> Result<Option<AnyArray>> {
    let call = Call { op: Some(op), ..Call::with_root(Function::Reduce, root) };
    call.check(a.dtype())?;
    if is_alone() {
        return a.copied().map(Some);
    }
    let plan = |_: &[Description]| {
        let bytes = a.size() * a.dtype().size();
        (Plan::Combine { op, dtype: a.dtype(), bytes, only: Some(root) }, a.shape().to_vec())
    };
    together(&call, a, Shapes::Equal, &plan)
}

pub(crate) fn broadcast(a: &AnyArray, root: usize) -> Result<AnyArray> {
    broadcast_for(Call::of(Function::Broadcast), a, root)
}

/// [`broadcast`] under the name of a function that is done by it.
pub(crate) fn broadcast_for(call: Call, a: &AnyArray, root: usize) -> Result<AnyArray> {
    let call = Call { root: Some(root), ..call };
    call.check(a.dtype())?;
    if is_alone() {
        return a.copied();
    }
    let plan = |ranks: &[Description]| {
        let shape = ranks[root].lengths().to_vec();
        let mut lengths = vec![0; ranks.len()];
        lengths[root] = shape.iter().product::<usize>() * a.dtype().size();
        (Plan::Join { lengths, only: None }, shape)
    };
    let nothing;
    let given = if group::rank() == root {
        a
    } else {
        nothing = a.context()?.scope(|| AnyArray::empty(0, a.dtype()))??;
        &nothing
    };
    together(&call, given, Shapes::Any, &plan).and_then(|result| work::present(call.name(), result))
}

pub(crate) fn scatter(a: Option<AnyArray>, dtype: DType, root: usize) -> Result<AnyArray> {
    let call = Call::with_root(Function::Scatter, root);
    call.check(dtype)?;
    let is_root = group::rank() == root;
    let a = a.filter(|_| is_root);
    if is_alone() {
        let Some(a) = a else { return Err(nothing_to_scatter(root)) };
        needs_axis(call.name(), a.shape())?;
        return a.copied();
    }
    let given = match &a {
        Some(a) => a.contiguous()?,
        None => AnyArray::empty(0, dtype)?,
    };
    let context = given.context()?;
    let shape = a.map(|a| a.shape().to_vec());
    let description = call.describe(dtype, shape, cuda::abilities(context)?);
    let (collective, ranks) = call.meet(&description, Shapes::Any)?;
    // What the root has passed is known to all.
    let wrong = match &ranks[root].shape {
        None => Some(nothing_to_scatter(root)),
        Some(shape) => needs_axis(call.name(), shape).err(),
    };
    if let Some(error) = wrong {
        collective.finish();
        return Err(error);
    }
    let shape = ranks[root].lengths();
    let parts = split(shape[0], ranks.len());
    let row = row(shape, dtype);
    let mut lengths = vec![vec![0; ranks.len()]; ranks.len()];
    lengths[root] = parts.iter().map(|rows| rows * row).collect();
    let mut mine = shape.to_vec();
    mine[0] = parts[group::rank()];
    let plan = Plan::Deal { lengths };
    let done =
        context.scope(|| work::carry_out(call.function, collective, &ranks, plan, &given, &mine))??;
    work::present(call.name(), done)
}

fn nothing_to_scatter(root: usize) -> gpurepl_extend::Error {
    let message = format!("rank {root}, the root, passes no array; pass `Some(&a)` there");
    error::ranks(Function::Scatter.name(), message)
}

pub(crate) fn gather(a: &AnyArray, root: usize) -> Result<Option<AnyArray>> {
    joined(&Call::with_root(Function::Gather, root), a)
}

pub(crate) fn all_gather(a: &AnyArray) -> Result<AnyArray> {
    all_gather_for(Call::of(Function::AllGather), a)
}

/// [`all_gather`] under the name of a function that is done by it.
pub(crate) fn all_gather_for(call: Call, a: &AnyArray) -> Result<AnyArray> {
    joined(&call, a).and_then(|result| work::present(call.name(), result))
}

fn joined(call: &Call, a: &AnyArray) -> Result<Option<AnyArray>> {
    call.check(a.dtype())?;
    let lengths_of = |shape: &[usize]| if shape.is_empty() { vec![1] } else { shape.to_vec() };
    if is_alone() {
        return a.copied()?.reshaped(&lengths_of(a.shape())).map(Some);
    }
    let plan = |ranks: &[Description]| {
        let shapes: Vec<Vec<usize>> = ranks.iter().map(|rank| lengths_of(rank.lengths())).collect();
        let row = row(&shapes[0], a.dtype());
        let lengths = shapes.iter().map(|shape| shape[0] * row).collect();
        let mut shape = shapes[0].clone();
        shape[0] = shapes.iter().map(|shape| shape[0]).sum();
        (Plan::Join { lengths, only: call.root }, shape)
    };
    together(call, a, Shapes::Rest, &plan)
}

pub(crate) fn reduce_scatter(a: &AnyArray, op: Reduce) -> Result<AnyArray> {
    let call = Call { op: Some(op), ..Call::of(Function::ReduceScatter) };
    call.check(a.dtype())?;
    needs_axis(call.name(), a.shape())?;
    if is_alone() {
        return a.copied();
    }
    let plan = |ranks: &[Description]| {
        let parts = split(a.shape()[0], ranks.len());
        let row = row(a.shape(), a.dtype());
        let lengths = parts.iter().map(|rows| rows * row).collect();
        let mut shape = a.shape().to_vec();
        shape[0] = parts[group::rank()];
        (Plan::CombineParts { op, dtype: a.dtype(), lengths }, shape)
    };
    together(&call, a, Shapes::Equal, &plan).and_then(|result| work::present(call.name(), result))
}

pub(crate) fn all_to_all(a: &AnyArray) -> Result<AnyArray> {
    let call = Call::of(Function::AllToAll);
    call.check(a.dtype())?;
    needs_axis(call.name(), a.shape())?;
    if is_alone() {
        return a.copied();
    }
    let plan = |ranks: &[Description]| {
        let row = row(a.shape(), a.dtype());
        let parts: Vec<Vec<usize>> = ranks.iter().map(|rank| split(rank.lengths()[0], ranks.len())).collect();
        let mut shape = a.shape().to_vec();
        shape[0] = parts.iter().map(|parts| parts[group::rank()]).sum();
        let lengths = parts.iter().map(|parts| parts.iter().map(|rows| rows * row).collect()).collect();
        (Plan::Deal { lengths }, shape)
    };
    together(&call, a, Shapes::Rest, &plan).and_then(|result| work::present(call.name(), result))
}

/// Which rows of a distributed array each rank has.
pub(crate) struct Rows<'a> {
    /// The shape of the whole.
    pub shape: &'a [usize],
    /// The first row of each rank, and the number of all.
    pub starts: &'a [usize],
}

impl Rows<'_> {
    /// A call for an array with these rows. The ranks are told if they do not all have them, and the same table of what
    /// is sent.
    pub(crate) fn call(&self, function: Function, counts: &[Vec<usize>]) -> Call {
        // FNV-1a (G. Fowler, L. C. Noll and K.-P. Vo), never 0.
        let numbers = self.shape.iter().chain(self.starts).chain(counts.iter().flatten());
        let mixed = numbers.fold(0xcbf2_9ce4_8422_2325_u64, |mixed, number| {
            (mixed ^ *number as u64).wrapping_mul(0x0100_0000_01b3)
        });
        Call { split: mixed | 1, ..Call::of(function) }
    }
}

/// The elements of an array with one axis, some for each rank in their order; `counts[from][to]` is how many. What
/// comes from the ranks is joined in their order.
pub(crate) fn deal(
    function: Function,
    a: &AnyArray,
    rows: &Rows<'_>,
    counts: &[Vec<usize>],
) -> Result<AnyArray> {
    let call = rows.call(function, counts);
    call.check(a.dtype())?;
    if is_alone() {
        return a.copied();
    }
    let given = a.contiguous()?;
    let context = given.context()?;
    let description = call.describe(a.dtype(), Some(rows.shape.to_vec()), cuda::abilities(context)?);
    let (collective, ranks) = call.meet(&description, Shapes::Equal)?;
    let size = a.dtype().size();
    let lengths = counts.iter().map(|row| row.iter().map(|count| count * size).collect()).collect();
    let mine = counts.iter().map(|row| row[group::rank()]).sum();
    let plan = Plan::Deal { lengths };
    let done = context.scope(|| work::carry_out(function, collective, &ranks, plan, &given, &[mine]))??;
    work::present(call.name(), done)
}

/// How many rows each rank has of an array that is given in parts.
pub(crate) fn rows_of_all(a: &AnyArray) -> Result<Vec<usize>> {
    rows_of_all_for(&Call::of(Function::FromLocal), a)
}

/// [`rows_of_all`] under the name of a function that is done by it.
pub(crate) fn rows_of_all_for(call: &Call, a: &AnyArray) -> Result<Vec<usize>> {
    call.check(a.dtype())?;
    needs_axis(call.name(), a.shape())?;
    if is_alone() {
        return Ok(vec![a.shape()[0]]);
    }
    let description = call.describe(a.dtype(), Some(a.shape().to_vec()), Abilities::default());
    let (mut collective, ranks) = call.meet(&description, Shapes::Rest)?;
    collective.commit()?;
    collective.finish();
    Ok(ranks.iter().map(|rank| rank.lengths()[0]).collect())
}

/// What goes where, and the shape of this rank's result, by what all ranks have said.
type Planner<'a> = dyn Fn(&[Description]) -> (Plan, Vec<usize>) + 'a;

/// A function to which all ranks pass an array. `plan` says from their descriptions what goes where, and which shape
/// this rank's result has.
fn together(call: &Call, a: &AnyArray, shapes: Shapes, plan: &Planner<'_>) -> Result<Option<AnyArray>> {
    // Whatever may fail here does so before others count on this rank.
    let given = a.contiguous()?;
    let context = given.context()?;
    let description = call.describe(a.dtype(), Some(a.shape().to_vec()), cuda::abilities(context)?);
    let (collective, ranks) = call.meet(&description, shapes)?;
    let (plan, shape) = plan(&ranks);
    context.scope(|| work::carry_out(call.function, collective, &ranks, plan, &given, &shape))?
}
