//! Functions that all ranks call: thin shells, since each cell compiles what it uses of them.

use std::time::Duration;

use gpurepl_extend::arrays::ToGpu;
use gpurepl_extend::group;
use gpurepl_extend::{AnyArray, Elem, GpuArray, Result};

use crate::call;
use crate::given::Given;
use crate::reduce::Reduce;

/// Waits until all ranks have called it.
///
/// ```
/// use gpurepl_prelude::*;
/// distributed::barrier()?;
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// If a rank calls another function, ends its cell without one, or does not come within the
/// [limit](set_timeout); at the user's interrupt. These are errors of all functions here. In a cell in which a wait has
/// ended so, this rank calls no further one.
pub fn barrier() -> Result<()> {
    call::barrier()
}

/// The elements of all ranks combined, on all ranks: NumPy's `ufunc.reduce` over the ranks' arrays of one shape, in the
/// order of ranks. Of a number it is a number.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = gpu![1.0, 2.0, 3.0];
/// let sum = distributed::all_reduce(&(2.0 * &a), distributed::Reduce::Sum)?;
/// assert_eq!(sum.to_vec(), (2.0 * ranks() as f64 * &a).to_vec());
/// let most: f64 = distributed::all_reduce(&(rank() as f64), distributed::Reduce::Max)?;
/// assert_eq!(most, ranks() as f64 - 1.0);
/// # Ok::<(), Error>(())
/// ```
///
/// All ranks get the same bits. Between GPUs NCCL chooses the order of what it adds itself.
///
/// # Errors
///
/// As [`barrier`]; if shapes, types or operations differ, or elements of the type are not combined so.
pub fn all_reduce<A: Given>(a: &A, op: Reduce) -> Result<A::Answer> {
    A::answer(&call::all_reduce(&AnyArray::given(a)?, op)?)
}

/// The elements of all ranks combined, on rank `root`; none on the others.
///
/// ```
/// use gpurepl_prelude::*;
/// if let Some(total) = distributed::reduce(&gpu![i64; 1, 2], distributed::Reduce::Prod, 0)? {
///     assert_eq!(total.to_vec(), [1, 2_i64.pow(ranks() as u32)]);
/// }
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// As [`all_reduce`]; if roots differ, or there is no such rank.
pub fn reduce<A: Given>(a: &A, op: Reduce, root: usize) -> Result<Option<A::Answer>> {
    match call::reduce(&AnyArray::given(a)?, op, root)? {
        Some(array) => A::answer(&array).map(Some),
        None => Ok(None),
    }
}

/// Rank `root`'s array, on all ranks. What the others pass has the type; its shape does not matter. Of a number it is a
/// number.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = if rank() == 0 { arange(0.0f32..5.0) } else { empty(0) };
/// let a = distributed::broadcast(&a, 0)?;
/// assert_eq!(a.to_vec(), [0.0, 1.0, 2.0, 3.0, 4.0]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// As [`barrier`]; if types or roots differ, or there is no such rank.
pub fn broadcast<A: Given>(a: &A, root: usize) -> Result<A::Answer> {
    A::answer(&call::broadcast(&AnyArray::given(a)?, root)?)
}

/// A part of rank `root`'s array for each rank, along the first axis, as `np.array_split` divides it: if its length is
/// not a multiple of the number of ranks, the first ranks get one more. What other ranks pass is not looked at.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = arange::<i32>(0..10).reshape((5, 2));
/// let part = distributed::scatter(if rank() == 0 { Some(&a) } else { None }, 0)?;
/// assert_eq!(part.shape()[1], 2);
/// assert!(array_equal(&distributed::all_gather(&part)?, &a));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// As [`broadcast`]; if the root passes nothing, or an array without axes.
pub fn scatter<T: Elem>(a: Option<&GpuArray<T>>, root: usize) -> Result<GpuArray<T>> {
    call::scatter(a.map(AnyArray::of), T::DTYPE, root)?.typed()
}

/// The arrays of all ranks, joined along the first axis in the order of ranks, on rank `root`; none on the others.
/// Numbers, and arrays without axes, become one element each.
///
/// ```
/// use gpurepl_prelude::*;
/// if let Some(all) = distributed::gather(&(rank() as i64), 0)? {
///     assert_eq!(all.to_vec(), (0..ranks() as i64).collect::<Vec<_>>());
/// }
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// As [`barrier`]; if types, roots, or lengths of other axes than the first differ.
pub fn gather<A: ToGpu>(a: &A, root: usize) -> Result<Option<GpuArray<A::Elem>>> {
    match call::gather(&AnyArray::given(a)?, root)? {
        Some(array) => array.typed().map(Some),
        None => Ok(None),
    }
}

/// The arrays of all ranks, joined along the first axis in the order of ranks, on all ranks. Numbers, and arrays
/// without axes, become one element each.
///
/// ```
/// use gpurepl_prelude::*;
/// let squares = distributed::all_gather(&(rank() as i64).pow(2))?;
/// assert_eq!(squares.to_vec(), (0..ranks() as i64).map(|k| k * k).collect::<Vec<_>>());
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// As [`barrier`]; if types, or lengths of other axes than the first differ.
pub fn all_gather<A: ToGpu>(a: &A) -> Result<GpuArray<A::Elem>> {
    call::all_gather(&AnyArray::given(a)?)?.typed()
}

/// The elements of all ranks combined, and a part of that for each rank, along the first axis as [`scatter`] divides
/// it.
///
/// ```
/// use gpurepl_prelude::*;
/// let part = distributed::reduce_scatter(&ones::<f32>(8), distributed::Reduce::Sum)?;
/// assert!(part.to_vec().iter().all(|x| *x == ranks() as f32));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// As [`all_reduce`]; if the arrays have no axes.
pub fn reduce_scatter<A: ToGpu>(a: &A, op: Reduce) -> Result<GpuArray<A::Elem>> {
    call::reduce_scatter(&AnyArray::given(a)?, op)?.typed()
}

/// A part of each rank's array for each rank: the array in parts along the first axis, as [`scatter`] divides it, goes
/// to the ranks in their order, and what comes from them is joined in their order.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = full(ranks(), rank() as i32);
/// let b = distributed::all_to_all(&a)?;
/// assert_eq!(b.to_vec(), (0..ranks() as i32).collect::<Vec<_>>());
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// As [`all_gather`]; if an array has no axes.
pub fn all_to_all<A: ToGpu>(a: &A) -> Result<GpuArray<A::Elem>> {
    call::all_to_all(&AnyArray::given(a)?)?.typed()
}

/// Sets how long this rank waits for others, from now on, before it is an error: 600 s at the beginning.
///
/// ```
/// use gpurepl_prelude::*;
/// use std::time::Duration;
/// distributed::set_timeout(Duration::from_secs(3600));
/// assert_eq!(distributed::timeout(), Duration::from_secs(3600));
/// ```
pub fn set_timeout(limit: Duration) {
    group::set_timeout(limit);
}

/// How long this rank waits for others before it is an error.
pub fn timeout() -> Duration {
    group::timeout()
}
