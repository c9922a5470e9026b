//! Walking through arrays by strides.

use crate::Strided;
use crate::shape::{MAX_RANK, Shape};

/// Calls `run(place, stride, count)` for each stretch of `count` elements,
/// from the element numbered `start` on, along the last axis: `place` is
/// where it starts in the buffer, in elements.
fn runs(
    view: &Strided<'_>,
    shape: Shape,
    start: usize,
    count: usize,
    mut run: impl FnMut(usize, isize, usize),
) {
    let (rank, lengths) = (shape.rank(), shape.lengths());
    if rank == 0 {
        run(view.offset, 0, count);
        return;
    }
    let mut position = [0; MAX_RANK];
    let mut rest = start;
    for axis in (0..rank).rev() {
        position[axis] = rest % lengths[axis];
        rest /= lengths[axis];
    }
    let last = rank - 1;
    let mut left = count;
    while left > 0 {
        let steps = position[..rank].iter().zip(view.strides).map(|(at, stride)| *at as isize * stride);
        let place = view.offset as isize + steps.sum::<isize>();
        let here = left.min(lengths[last] - position[last]);
        run(place as usize, view.strides[last], here);
        left -= here;
        position[last] += here;
        for axis in (1..rank).rev() {
            if position[axis] == lengths[axis] {
                position[axis] = 0;
                position[axis - 1] += 1;
            }
        }
    }
}

/// Copies a block of elements of `size` bytes out of a buffer, each by
/// `read(byte, element)`.
pub(super) fn gather(
    view: &Strided<'_>,
    shape: Shape,
    size: usize,
    start: usize,
    target: &mut [u8],
    read: impl Fn(usize, &mut [u8]),
) {
    let count = target.len() / size;
    let mut elements = target.chunks_exact_mut(size);
    runs(view, shape, start, count, |place, stride, count| {
        for (k, element) in elements.by_ref().take(count).enumerate() {
            read((place as isize + k as isize * stride) as usize * size, element);
        }
    });
}

/// Copies a block of elements out of the bytes of a buffer.
pub(super) fn gather_slice(
    view: &Strided<'_>,
    shape: Shape,
    size: usize,
    start: usize,
    target: &mut [u8],
    bytes: &[u8],
) {
    match size {
        1 => gather_sized::<1>(view, shape, start, target, bytes),
        2 => gather_sized::<2>(view, shape, start, target, bytes),
        4 => gather_sized::<4>(view, shape, start, target, bytes),
        8 => gather_sized::<8>(view, shape, start, target, bytes),
        _ => gather_sized::<16>(view, shape, start, target, bytes),
    }
}

fn gather_sized<const SIZE: usize>(
    view: &Strided<'_>,
    shape: Shape,
    start: usize,
    target: &mut [u8],
    bytes: &[u8],
) {
    let (source, _) = bytes.as_chunks::<SIZE>();
    let (target, _) = target.as_chunks_mut::<SIZE>();
    let mut done = 0;
    runs(view, shape, start, target.len(), |place, stride, count| {
        let part = &mut target[done..done + count];
        match stride {
            1 => part.copy_from_slice(&source[place..place + count]),
            0 => part.fill(source[place]),
            _ => {
                for (k, element) in part.iter_mut().enumerate() {
                    *element = source[(place as isize + k as isize * stride) as usize];
                }
            }
        }
        done += count;
    });
}

/// Writes a block of elements of `size` bytes, each by `write(byte, element)`.
pub(crate) fn scatter(
    view: &Strided<'_>,
    shape: Shape,
    size: usize,
    start: usize,
    values: &[u8],
    write: impl Fn(usize, &[u8]),
) {
    let mut elements = values.chunks_exact(size);
    runs(view, shape, start, values.len() / size, |place, stride, count| {
        for (k, element) in elements.by_ref().take(count).enumerate() {
            write((place as isize + k as isize * stride) as usize * size, element);
        }
    });
}
