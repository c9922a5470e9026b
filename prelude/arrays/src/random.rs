//! Random arrays. Element `k` of an array depends on the seed, on how many
//! arrays came before and on `k` alone, so a seed gives the same numbers on
//! every device.

mod generator;
mod parameter;
mod population;
mod samples;
mod vectors;
mod weights;

pub use generator::{Generator, default_rng, rng};
pub use parameter::DistributionParameter;
pub use population::{IntegerRange, Population};
pub use weights::Numbers;

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{SystemTime, UNIX_EPOCH};

use gpurepl_kernels::DType;
use gpurepl_wire::RandomState;

use crate::array::Elem;
use crate::array::{GpuArray, Node, Place, Raw};
use crate::device::operations::Random;
#[doc(hidden)]
pub use crate::device::operations::RandomKind;
use crate::error::{OrRaise as _, Result};
use crate::shape::{Dims, IntoShape};

/// The seed and the number of arrays made with it.
static STATE: Mutex<Option<(u64, u64)>> = Mutex::new(None);

/// An element type that random arrays can have.
#[diagnostic::on_unimplemented(
    message = "there are no random arrays of `{Self}`",
    note = "there are of f32, f64, i32, u32, i64 and u64; convert them by `.astype(..)`"
)]
pub trait RandomElem: Elem {}

/// A floating-point type of normally distributed numbers.
#[diagnostic::on_unimplemented(
    message = "there are no normally distributed arrays of `{Self}`",
    note = "there are of f32 and f64"
)]
pub trait NormalElem: RandomElem {}

macro_rules! elements {
    ($trait:ident: $($t:ty)*) => {$(impl $trait for $t {})*};
}
elements!(RandomElem: f32 f64 i32 u32 i64 u64);
elements!(NormalElem: f32 f64);

/// Random numbers: floats in [0, 1), integers over their whole range.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = rand::<f32>((100, 100));
/// assert!(a.min().item() >= 0.0 && a.max().item() < 1.0);
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if the device does not have enough memory.
#[track_caller]
pub fn rand<T: RandomElem>(shape: impl IntoShape) -> GpuArray<T> {
    GpuArray::wrap(fill("rand", shape.into_dims(), T::DTYPE, RandomKind::Uniform).or_raise())
}

/// Normally distributed random numbers of mean 0 and standard deviation 1.
///
/// # Panics
///
/// With an [`Error`](crate::Error), if the device does not have enough memory.
#[track_caller]
pub fn randn<T: NormalElem>(shape: impl IntoShape) -> GpuArray<T> {
    GpuArray::wrap(fill("randn", shape.into_dims(), T::DTYPE, RandomKind::Normal).or_raise())
}

/// Restarts the sequence of random arrays. Without it every process has its
/// own sequence.
///
/// ```
/// use gpurepl_prelude::*;
/// seed(42);
/// let a = rand::<f64>(3);
/// seed(42);
/// assert_eq!(a.to_vec(), rand::<f64>(3).to_vec());
/// ```
pub fn seed(seed: u64) {
    *STATE.lock().unwrap_or_else(PoisonError::into_inner) = Some((seed, 0));
}

/// A seed that no other process has.
fn own_seed() -> (u64, u64) {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    (time ^ u64::from(std::process::id()).rotate_left(32), 0)
}

/// The seed and the number of the next array.
fn next() -> (u64, u64) {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    let (seed, number) = state.get_or_insert_with(own_seed);
    *number += 1;
    (*seed, *number)
}

/// Where the sequence stands; it begins here if it has not.
pub fn state() -> RandomState {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    let (seed, arrays) = *state.get_or_insert_with(own_seed);
    RandomState { seed, arrays }
}

/// Continues a sequence from a state.
pub fn set_state(state: RandomState) {
    *STATE.lock().unwrap_or_else(PoisonError::into_inner) = Some((state.seed, state.arrays));
}

fn fill(operation: &'static str, dims: Dims, dtype: DType, kind: RandomKind) -> Result<Raw> {
    filled(operation, dims, dtype, kind, next)
}

fn filled(
    operation: &'static str,
    dims: Dims,
    dtype: DType,
    kind: RandomKind,
    next: impl FnOnce() -> (u64, u64),
) -> Result<Raw> {
    let shape = dims.shape(operation, dtype.size())?;
    // Before there may be no room: of several ranks all count this array.
    let (key, stream) = next();
    let place = Place::new(shape, dtype)?;
    if shape.size() > 0 {
        let random = Random { output: &place.buffer, dtype, kind, key, stream, first: 0 };
        place.buffer.context().perform(&random)?;
    }
    Ok(Raw::new(Node::ready(shape, dtype, place)))
}

/// Elements `first` to `first + count` of the next random array, in one axis: of an array that lies in parts on several
/// devices.
#[doc(hidden)]
pub fn part(dtype: DType, kind: RandomKind, first: usize, count: usize) -> Result<Raw> {
    // The generator makes two or four at once.
    let before = first % 4;
    let shape = [before + count].into_dims().shape("rand", dtype.size())?;
    let (key, stream) = next();
    let place = Place::new(shape, dtype)?;
    if count > 0 {
        let random =
            Random { output: &place.buffer, dtype, kind, key, stream, first: (first - before) as u64 };
        place.buffer.context().perform(&random)?;
    }
    let whole = Raw::new(Node::ready(shape, dtype, place));
    crate::array::untyped::narrowed(&whole, 0, before, count)
}
