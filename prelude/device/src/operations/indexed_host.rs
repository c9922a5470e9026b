//! Elements that are read or written through indices, on the host. All indices
//! are checked before the first element is moved.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::{Pod, cast_slice, cast_slice_mut};
use gpurepl_kernels::DType;

use super::indexed::Indexed;
use crate::error::Result;
use crate::host::{Locked, ranges};
use crate::shape::Strides;
use crate::{Buffer, Strided, interrupt};

/// Elements that one core moves at a time.
const AT_ONCE: usize = 1 << 15;

/// Indices that are made places at a time.
const PLACES: usize = 256;

pub(super) fn gather(indexed: &Indexed<'_>, output: &Buffer) -> Result<()> {
    let locked = Locked::new(&[indexed.array.buffer, indexed.indices.0], &[output]);
    let indices = Indices::checked(indexed, &locked)?;
    let out = locked.output(output);
    let array = elements(&locked, indexed.array.buffer, indexed.dtype);
    let size = indexed.dtype.size();
    ranges(indexed.shape.size(), AT_ONCE, |range| {
        // SAFETY: ranges are disjoint, and the output is no other buffer.
        let out = unsafe { out.slice(range.start * size, range.len() * size) };
        match size {
            1 => gather_range::<u8>(indexed, &indices, array, range, out),
            2 => gather_range::<u16>(indexed, &indices, array, range, out),
            4 => gather_range::<u32>(indexed, &indices, array, range, out),
            8 => gather_range::<u64>(indexed, &indices, array, range, out),
            _ => gather_range::<[u64; 2]>(indexed, &indices, array, range, out),
        }
    })
}

/// One core writes: threads could meet at an element.
pub(super) fn scatter(indexed: &Indexed<'_>, values: &Strided<'_>) -> Result<()> {
    let locked = Locked::new(&[indexed.indices.0, values.buffer], &[indexed.array.buffer]);
    let indices = Indices::checked(indexed, &locked)?;
    let from = elements(&locked, values.buffer, indexed.dtype);
    let (buffer, size) = (indexed.array.buffer, indexed.dtype.size());
    let output = locked.output(buffer);
    // SAFETY: the lock is held for writing, and this is the one slice of it.
    let to = unsafe { output.slice(0, buffer.bytes() / size * size) };
    let count = indexed.shape.size();
    for start in (0..count).step_by(AT_ONCE) {
        interrupt::check()?;
        let range = start..count.min(start + AT_ONCE);
        match size {
            1 => scatter_range::<u8>(indexed, &indices, to, range, from, values),
            2 => scatter_range::<u16>(indexed, &indices, to, range, from, values),
            4 => scatter_range::<u32>(indexed, &indices, to, range, from, values),
            8 => scatter_range::<u64>(indexed, &indices, to, range, from, values),
            _ => scatter_range::<[u64; 2]>(indexed, &indices, to, range, from, values),
        }
    }
    Ok(())
}

/// All elements of a buffer that is read.
fn elements<'a>(locked: &'a Locked<'_>, buffer: &Buffer, dtype: DType) -> &'a [u8] {
    locked.slice(buffer, 0, buffer.bytes() / dtype.size() * dtype.size())
}

fn gather_range<E: Pod>(
    indexed: &Indexed<'_>,
    indices: &Indices<'_>,
    array: &[u8],
    range: Range<usize>,
    out: &mut [u8],
) {
    let (array, out) = (cast_slice::<u8, E>(array), cast_slice_mut::<u8, E>(out));
    let first = range.start;
    runs(indexed, indices, range, &Strides::default(), |run| {
        let out = &mut out[run.number - first..][..run.count];
        match run.places {
            None if run.step == 1 => out.copy_from_slice(&array[run.at as usize..][..run.count]),
            None => {
                for (k, out) in out.iter_mut().enumerate() {
                    *out = array[(run.at + k as isize * run.step) as usize];
                }
            }
            Some(places) => {
                for (k, (out, place)) in out.iter_mut().zip(places).enumerate() {
                    *out = array[(run.at + k as isize * run.step + place) as usize];
                }
            }
        }
    });
}

fn scatter_range<E: Pod>(
    indexed: &Indexed<'_>,
    indices: &Indices<'_>,
    array: &mut [u8],
    range: Range<usize>,
    from: &[u8],
    values: &Strided<'_>,
) {
    let (array, from) = (cast_slice_mut::<u8, E>(array), cast_slice::<u8, E>(from));
    runs(indexed, indices, range, &values.strides, |run| {
        let from_at = values.offset as isize + run.other;
        for k in 0..run.count {
            let place = run.places.map_or(0, |places| places[k]);
            let value = from[(from_at + k as isize * run.other_step) as usize];
            array[(run.at + k as isize * run.step + place) as usize] = value;
        }
    });
}

/// Neighbours along the last axis.
struct Run<'a> {
    /// The first one's number in C order.
    number: usize,
    count: usize,
    /// Where the first one lies in the array; if `places` are there, without them.
    at: isize,
    step: isize,
    /// What indices add, for each.
    places: Option<&'a [isize]>,
    /// Where the first one lies by the other strides, and their step.
    other: isize,
    other_step: isize,
}

/// Calls a function for the elements from number to number, in order.
fn runs(
    indexed: &Indexed<'_>,
    indices: &Indices<'_>,
    range: Range<usize>,
    other: &Strides,
    mut act: impl FnMut(&Run<'_>),
) {
    let (lengths, rank) = (indexed.shape.lengths(), indexed.shape.rank());
    let last = rank.saturating_sub(1);
    let length = lengths.last().copied().unwrap_or(1);
    let step_of = |strides: &Strides| if rank == 0 { 0 } else { strides[last] };
    let (places_step, step, other_step) =
        (step_of(&indexed.places), step_of(&indexed.array.strides), step_of(other));
    let mut resolved = [0; PLACES];
    let mut number = range.start;
    while number < range.end {
        let column = number % length;
        let (mut place, mut at, mut from) = (0, indexed.array.offset as isize, 0);
        let mut rest = number / length;
        for axis in (0..last).rev() {
            let along = (rest % lengths[axis]) as isize;
            rest /= lengths[axis];
            place += along * indexed.places[axis];
            at += along * indexed.array.strides[axis];
            from += along * other[axis];
        }
        let along = column as isize;
        place += along * places_step;
        at += along * step;
        from += along * other_step;
        let count = (length - column).min(range.end - number);
        if places_step == 0 {
            // One index for the whole run.
            indices.resolve(place as usize, 0, indexed, &mut resolved[..1]);
            at += resolved[0];
            act(&Run { number, count, at, step, places: None, other: from, other_step });
            number += count;
            continue;
        }
        let count = count.min(PLACES);
        indices.resolve(place as usize, places_step as usize, indexed, &mut resolved[..count]);
        let places = Some(&resolved[..count]);
        act(&Run { number, count, at, step, places, other: from, other_step });
        number += count;
    }
}

/// Indices that lie within their axis, negative ones from its end.
struct Indices<'a> {
    bytes: &'a [u8],
    dtype: DType,
}

/// Does something with elements of a type of integers.
macro_rules! for_index_type {
    ($dtype:expr, $function:ident($($argument:expr),*)) => {
        match $dtype {
            DType::Int8 => $function::<i8>($($argument),*),
            DType::Int16 => $function::<i16>($($argument),*),
            DType::Int32 => $function::<i32>($($argument),*),
            DType::Int64 => $function::<i64>($($argument),*),
            DType::UInt8 => $function::<u8>($($argument),*),
            DType::UInt16 => $function::<u16>($($argument),*),
            DType::UInt32 => $function::<u32>($($argument),*),
            DType::UInt64 => $function::<u64>($($argument),*),
            other => unreachable!("internal error: indices of {other}"),
        }
    };
}

impl<'a> Indices<'a> {
    fn checked(indexed: &Indexed<'a>, locked: &'a Locked<'_>) -> Result<Indices<'a>> {
        let (buffer, first, count) = indexed.indices;
        let (dtype, size) = (indexed.index, indexed.index.size());
        let bytes = locked.slice(buffer, first * size, count * size);
        for_index_type!(dtype, check(bytes, indexed))?;
        Ok(Indices { bytes, dtype })
    }

    /// What the indices at some places add to where an element lies.
    fn resolve(&self, first: usize, step: usize, indexed: &Indexed<'_>, to: &mut [isize]) {
        for_index_type!(self.dtype, resolve(self.bytes, first, step, indexed, to));
    }
}

/// Checks that indices lie within the axis.
///
/// # Errors
///
/// For the first that does not.
fn check<I: Pod + Index + Into<i128>>(bytes: &[u8], indexed: &Indexed<'_>) -> Result<()> {
    let indices = cast_slice::<u8, I>(bytes);
    let wrong = AtomicU64::new(u64::MAX);
    ranges(indices.len(), AT_ONCE, |range| {
        let found = indices[range.clone()].iter().position(|index| !index.is_within(indexed.length));
        if let Some(place) = found {
            wrong.fetch_min((range.start + place) as u64, Ordering::Relaxed);
        }
    })?;
    match wrong.into_inner() {
        u64::MAX => Ok(()),
        place => Err(indexed.indexing.error(indices[place as usize].into(), place, indexed.length)),
    }
}

fn resolve<I: Pod + Index>(bytes: &[u8], first: usize, step: usize, indexed: &Indexed<'_>, to: &mut [isize]) {
    let indices = cast_slice::<u8, I>(bytes);
    if step == 1 {
        for (to, index) in to.iter_mut().zip(&indices[first..]) {
            *to = index.place(indexed.length) as isize * indexed.step;
        }
        return;
    }
    for (k, to) in to.iter_mut().enumerate() {
        *to = indices[first + k * step].place(indexed.length) as isize * indexed.step;
    }
}

/// An integer as an index.
trait Index: Copy + Sync {
    /// Whether it names one of so many places, from the start or from the end.
    fn is_within(self, length: usize) -> bool;

    /// The place that it names; it does name one.
    fn place(self, length: usize) -> usize;
}

macro_rules! indices {
    ($($signed:ty, $unsigned:ty;)*) => {$(
        impl Index for $signed {
            fn is_within(self, length: usize) -> bool {
                self.place(length) < length
            }

            fn place(self, length: usize) -> usize {
                // What is still negative is larger than any length.
                (self as usize).wrapping_add(if self < 0 { length } else { 0 })
            }
        }

        impl Index for $unsigned {
            fn is_within(self, length: usize) -> bool {
                (self as usize) < length
            }

            fn place(self, _: usize) -> usize {
                self as usize
            }
        }
    )*};
}
indices! {
    i8, u8;
    i16, u16;
    i32, u32;
    i64, u64;
}
