//! An array in several parts, which are views of it.

use super::axis::axis_of;
use super::layout::narrowed;
use super::positions::{IntoPositions, Listed, Positions};
use super::raw::Raw;
use super::{Elem, GpuArray};
use crate::error::{OrRaise as _, Problem, Result};

/// Parts of an array, which share its memory.
///
/// A number is how many parts there are; a list is where each part but the
/// first begins. They panic with an [`Error`](crate::Error) if there is no such
/// axis, or if it does not have so many equal parts.
impl<T: Elem> GpuArray<T> {
    /// Parts along the first axis.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = arange(0..6);
    /// assert_eq!(a.split(3)[1].to_vec(), [2, 3]);
    /// assert_eq!(a.split([1, 4])[1].to_vec(), [1, 2, 3]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the axis is not divided into equal
    /// parts by the number; [`GpuArray::array_split`] is.
    #[track_caller]
    pub fn split(&self, sections: impl IntoPositions) -> Vec<GpuArray<T>> {
        self.split_axis(sections, 0)
    }

    /// [`GpuArray::split`] along any axis.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::split`], or if there is no such axis.
    #[track_caller]
    pub fn split_axis(&self, sections: impl IntoPositions, axis: isize) -> Vec<GpuArray<T>> {
        wrapped(parts("split", &self.raw, sections.into_positions(), axis))
    }

    /// Parts along the first axis, of which the first ones may be longer by one.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let lengths: Vec<usize> = arange(0..8).array_split(3).iter().map(|part| part.len()).collect();
    /// assert_eq!(lengths, [3, 3, 2]);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if there is no axis, or the number is not
    /// positive.
    #[track_caller]
    pub fn array_split(&self, sections: impl IntoPositions) -> Vec<GpuArray<T>> {
        self.array_split_axis(sections, 0)
    }

    /// [`GpuArray::array_split`] along any axis.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::array_split`], or if there is no such axis.
    #[track_caller]
    pub fn array_split_axis(&self, sections: impl IntoPositions, axis: isize) -> Vec<GpuArray<T>> {
        wrapped(parts("array_split", &self.raw, sections.into_positions(), axis))
    }

    /// Parts beside each other: along the second axis, of a vector the first.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::split`], or if there is no axis.
    #[track_caller]
    pub fn hsplit(&self, sections: impl IntoPositions) -> Vec<GpuArray<T>> {
        wrapped(parts_of("hsplit", &self.raw, sections.into_positions(), 1))
    }

    /// Parts below each other, of an array with at least two axes.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::split`], or if there are less than 2 axes.
    #[track_caller]
    pub fn vsplit(&self, sections: impl IntoPositions) -> Vec<GpuArray<T>> {
        wrapped(parts_of("vsplit", &self.raw, sections.into_positions(), 2))
    }

    /// Parts along the third axis.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::split`], or if there are less than 3 axes.
    #[track_caller]
    pub fn dsplit(&self, sections: impl IntoPositions) -> Vec<GpuArray<T>> {
        wrapped(parts_of("dsplit", &self.raw, sections.into_positions(), 3))
    }
}

#[track_caller]
fn wrapped<T: Elem>(parts: Result<Vec<Raw>>) -> Vec<GpuArray<T>> {
    parts.or_raise().into_iter().map(GpuArray::wrap).collect()
}

/// Parts of an array with so many axes at least.
fn parts_of(operation: &'static str, raw: &Raw, sections: Positions, least: usize) -> Result<Vec<Raw>> {
    let rank = raw.shape().rank();
    if rank < least {
        // NumPy's words.
        let message = format!(
            "{operation} only works on arrays of {least} or more dimensions, and shape {:?} has {rank}",
            raw.shape()
        );
        return Err(Problem::Shape { operation, message }.into());
    }
    let axis = match least {
        1 => isize::from(rank > 1),
        2 => 0,
        _ => 2,
    };
    parts(operation, raw, sections, axis)
}

fn parts(operation: &'static str, raw: &Raw, sections: Positions, axis: isize) -> Result<Vec<Raw>> {
    let axis = axis_of(operation, raw.shape(), axis)?;
    let length = raw.shape().lengths()[axis];
    let bounds = match sections.listed(operation)? {
        Listed::One(count) => even(operation, length, count)?,
        Listed::Many(starts) => bounds_at(length, starts.into_iter()),
        Listed::Range(first, end) => bounds_at(length, first..end),
    };
    // Evaluated once, not for each part.
    let raw = raw.computed()?;
    bounds.into_iter().map(|(start, end)| narrowed(&raw, axis, start, end - start)).collect()
}

/// So many parts, of which the first ones are longer where it must be.
fn even(operation: &'static str, length: usize, count: i64) -> Result<Vec<(usize, usize)>> {
    let wrong = |message: String| Err(Problem::Shape { operation, message }.into());
    let count = match usize::try_from(count) {
        Ok(count) if count > 0 => count,
        // NumPy's words, here and below.
        _ => return wrong(format!("number sections must be larger than 0, and is {count}")),
    };
    let (each, longer) = (length / count, length % count);
    if operation != "array_split" && longer > 0 {
        return wrong(format!(
            "array split does not result in an equal division: {count} parts of length {length}\n  = help: \
             `array_split` makes the first ones longer by one"
        ));
    }
    let start = |number: usize| number * each + number.min(longer);
    Ok((0..count).map(|number| (start(number), start(number + 1))).collect())
}

/// Parts that begin at these places, as slices of Python have them: each ends
/// where the next begins, and is empty if that is before.
fn bounds_at(length: usize, starts: impl Iterator<Item = i64>) -> Vec<(usize, usize)> {
    let held = |place: i64| {
        let place = if place < 0 { place.saturating_add(length as i64) } else { place };
        place.clamp(0, length as i64) as usize
    };
    let mut bounds = Vec::new();
    let mut first = 0;
    for start in starts.map(held) {
        bounds.push((first, start.max(first)));
        first = start;
    }
    bounds.push((first, length));
    bounds
}
