//! The axes that a program walks its arrays along: as few as all of them allow.

use std::cmp::Reverse;

use smallvec::SmallVec;

use crate::device::Strided;
use crate::shape::{MAX_RANK, Shape, Strides};

/// Puts the axes in the order in which the result lies in memory, so that what is
/// written one after the other lies side by side.
pub(super) fn order_axes(shape: Shape, result: &Strides, walked: &mut [Strided<'_>]) -> Shape {
    let lengths = shape.lengths();
    let mut order: SmallVec<[usize; MAX_RANK]> = (0..shape.rank()).collect();
    // Where an axis has one element, its stride says nothing.
    let long = |axis: &usize| lengths[*axis] > 1;
    if order.iter().filter(|axis| long(axis)).is_sorted_by_key(|axis| Reverse(result[*axis].unsigned_abs())) {
        return shape;
    }
    order.sort_by_key(|axis| Reverse(result[*axis].unsigned_abs()));
    for walk in walked {
        let strides = walk.strides;
        for (to, from) in order.iter().enumerate() {
            walk.strides[to] = strides[*from];
        }
    }
    let lengths: SmallVec<[usize; MAX_RANK]> = order.iter().map(|axis| lengths[*axis]).collect();
    Shape::new(&lengths)
}

/// Merges neighbouring axes that every array walks in one stride, and leaves
/// out axes of length 1: fewer axes are fewer divisions in a kernel, and
/// contiguous arrays have one.
pub(crate) fn merge_axes(shape: Shape, walked: &mut [Strided<'_>]) -> Shape {
    let mut lengths: SmallVec<[usize; MAX_RANK]> = SmallVec::new();
    let mut kept: SmallVec<[usize; MAX_RANK]> = SmallVec::new(); // Which axis gives the strides.
    for (axis, length) in shape.lengths().iter().enumerate() {
        if *length == 1 {
            continue;
        }
        let merges = kept.last().is_some_and(|&previous: &usize| {
            walked.iter().all(|walk| walk.strides[previous] == walk.strides[axis] * *length as isize)
        });
        match (merges, kept.last_mut(), lengths.last_mut()) {
            (true, Some(previous), Some(merged)) => {
                *previous = axis;
                *merged *= length;
            }
            _ => {
                kept.push(axis);
                lengths.push(*length);
            }
        }
    }
    for walk in walked {
        let mut strides = [0; MAX_RANK];
        for (to, from) in strides.iter_mut().zip(&kept) {
            *to = walk.strides[*from];
        }
        walk.strides = strides;
    }
    Shape::new(&lengths)
}
