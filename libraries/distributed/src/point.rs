//! From one rank to another.

use gpurepl_extend::arrays::ToGpu;
use gpurepl_extend::group::{self, Function, Pair};
use gpurepl_extend::{AnyArray, Context, DType, Elem, GpuArray, Result, error};

use crate::call::{check_place, check_rank};
use crate::cuda::Abilities;
use crate::description::Description;
use crate::work;

/// Sends an array, or a number, to rank `to`, which calls [`recv`] meanwhile. It returns when the other one has got
/// it.
///
/// ```
/// use gpurepl_prelude::*;
/// // From each rank to the next one.
/// if rank() + 1 < ranks() && rank() % 2 == 0 {
///     distributed::send(&arange(0.0..3.0), rank() + 1)?;
/// }
/// if rank() % 2 == 1 {
///     let a = distributed::recv::<f64>(rank() - 1)?;
///     assert_eq!(a.to_vec(), [0.0, 1.0, 2.0]);
/// }
/// # Ok::<(), Error>(())
/// ```
///
/// Shape and type go with it. Ranks that all send at once wait for each other, which is an error: let some of them
/// receive first.
///
/// # Errors
///
/// As [`barrier`](crate::barrier); if there is no such rank, it is this one, or it expects another type.
pub fn send<A: ToGpu>(a: &A, to: usize) -> Result<()> {
    send_any(&AnyArray::given(a)?, to)
}

/// Receives an array from rank `from`, which calls [`send`] meanwhile. A number comes as an array without axes:
/// `recv::<f64>(0)?.item()`.
///
/// # Errors
///
/// As [`send`], or if the device has no room.
pub fn recv<T: Elem>(from: usize) -> Result<GpuArray<T>> {
    receive_any(T::DTYPE, from)?.typed()
}

fn check_peer(function: Function, what: &str, peer: usize) -> Result<()> {
    check_place(function.name())?;
    check_rank(function.name(), what, peer)?;
    if peer == group::rank() {
        let message =
            format!("{what} {peer}, which is this rank, and it would wait for itself; use the array itself");
        return Err(error::ranks(function.name(), message));
    }
    Ok(())
}

fn describe(function: Function, dtype: DType, shape: Option<Vec<usize>>) -> Description {
    let Abilities { device, nccl, communicator } = Abilities::default();
    Description { function, dtype, op: None, root: None, shape, split: 0, device, nccl, communicator }
}

fn send_any(a: &AnyArray, to: usize) -> Result<()> {
    check_peer(Function::Send, "it goes to rank", to)?;
    let given = a.contiguous()?;
    let description = describe(Function::Send, a.dtype(), Some(a.shape().to_vec()));
    let pair = Pair::send(to, &description.post())?;
    let pair = expected(Function::Send, pair, &description, [group::rank(), to])?;
    work::send(pair.0, &given)
}

fn receive_any(dtype: DType, from: usize) -> Result<AnyArray> {
    check_peer(Function::Recv, "it comes from rank", from)?;
    // Before the other one counts on it.
    Context::current()?;
    let description = describe(Function::Recv, dtype, None);
    let pair = Pair::receive(from, &description.post())?;
    let (pair, sent) = expected(Function::Recv, pair, &description, [from, group::rank()])?;
    let to = AnyArray::empty(sent.lengths(), dtype)?;
    work::receive(pair, to)
}

/// Makes sure that what is sent is what is expected; it is the same on both sides.
fn expected(
    function: Function,
    pair: Pair,
    own: &Description,
    [from, to]: [usize; 2],
) -> Result<(Pair, Description)> {
    let other = Description::of_posts(function.name(), &[*pair.post()])?.swap_remove(0);
    if other.dtype == own.dtype {
        return Ok((pair, other));
    }
    let (sent, wanted) = match function {
        Function::Send => (own.dtype, other.dtype),
        _ => (other.dtype, own.dtype),
    };
    pair.finish()?;
    let message = format!(
        "rank {from} sends {sent}, rank {to} receives {wanted}; write `recv::<{}>({from})` there",
        sent.rust()
    );
    Err(error::dtype(function.name(), message))
}
