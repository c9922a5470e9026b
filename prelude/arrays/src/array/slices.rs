//! What arrays are indexed by: places, ranges, `s![.., -1]`, indices and masks,
//! and the parts of axes that these name.

use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use ndarray::{SliceInfo, SliceInfoElem};

use super::GpuArray;
use super::indices::{Choice, IndexElem};
use crate::error::Problem;
use crate::shape::MAX_RANK;

/// The part of one axis that a slice takes, or what it does between axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliceItem<'a> {
    /// One place; the axis is left out of the view. Negative places count
    /// from the end.
    At(i64),
    /// From `start` to before `end` in steps; negative places count from the
    /// end, places outside are cut off, as in Python.
    Range {
        /// Where it starts; the first (or, going backwards, the last) if none.
        start: Option<i64>,
        /// Where it ends; after the last (or the first) if none.
        end: Option<i64>,
        /// From one element to the next; not zero.
        step: i64,
    },
    /// `ndarray`'s range: the elements from `start` to before `end`, then in
    /// steps, which begin at the last of them where they are negative. The
    /// range must lie within the axis.
    Within {
        /// Where the range starts.
        start: i64,
        /// Where it ends; after the last element if none.
        end: Option<i64>,
        /// From one element to the next; not zero.
        step: i64,
    },
    /// As many whole axes as are left.
    Ellipsis,
    /// A new axis of length 1.
    NewAxis,
    /// The elements that an array of indices, or a mask, names.
    Chosen(Choice<'a>),
}

impl<'a> SliceItem<'a> {
    /// The same range in other steps: the `2` in `s![1..; 2]`.
    ///
    /// # Panics
    ///
    /// If this is not a range, or the step is zero.
    #[track_caller]
    pub fn by(self, step: i64) -> SliceItem<'a> {
        match self {
            SliceItem::Range { start, end, .. } if step != 0 => SliceItem::Range { start, end, step },
            _ => bad_step(),
        }
    }
}

#[track_caller]
#[cold]
fn bad_step() -> ! {
    let message = "a step follows a range and is not zero".to_owned();
    crate::Error::from(Problem::IndexCount { message }).raise()
}

/// Parts for several axes: what `s!` makes.
#[derive(Clone, Copy, Debug)]
pub struct Slices<'a> {
    items: [SliceItem<'a>; 2 * MAX_RANK],
    count: usize,
    pub(super) too_many: bool,
}

impl<'a> Slices<'a> {
    /// The parts in order.
    pub fn new(items: &[SliceItem<'a>]) -> Slices<'a> {
        let mut slices = Slices {
            items: [SliceItem::Ellipsis; 2 * MAX_RANK],
            count: 0,
            too_many: items.len() > 2 * MAX_RANK,
        };
        for item in items.iter().take(2 * MAX_RANK) {
            slices.items[slices.count] = *item;
            slices.count += 1;
        }
        slices
    }

    pub(crate) fn items(&self) -> &[SliceItem<'a>] {
        &self.items[..self.count]
    }

    /// Whether elements are named by arrays.
    pub(super) fn chooses(&self) -> bool {
        self.items().iter().any(|item| matches!(item, SliceItem::Chosen(_)))
    }
}

/// Something that says which elements: `1`, `-1`, `1..3`, `..`, `s![.., 2]`, an
/// array of indices, a mask.
#[diagnostic::on_unimplemented(
    message = "an array cannot be indexed by `{Self}`",
    note = "use a whole number, a range such as `1..3`, `s![.., -1]` for several axes, or a reference to an \
            array of integers or `bool`"
)]
pub trait ArrayIndex {
    #[doc(hidden)]
    fn slices(&self) -> Slices<'_>;
}

impl ArrayIndex for Slices<'_> {
    fn slices(&self) -> Slices<'_> {
        *self
    }
}

impl ArrayIndex for &Slices<'_> {
    fn slices(&self) -> Slices<'_> {
        **self
    }
}

impl ArrayIndex for SliceItem<'_> {
    fn slices(&self) -> Slices<'_> {
        Slices::new(&[*self])
    }
}

/// Lists of indices and masks. `From` is for references, since `s!` keeps what
/// it is made of; a variable it borrows once more.
macro_rules! lists_of_indices {
    ($($(#[$attribute:meta])* [$($generic:tt)*] $t:ty, $self:ident => $choice:expr;)*) => {$(
        impl<'a, I: IndexElem $($generic)*> From<&'a $t> for SliceItem<'a> {
            fn from($self: &'a $t) -> SliceItem<'a> {
                SliceItem::Chosen($choice)
            }
        }

        impl<'a, I: IndexElem $($generic)*> From<&&'a $t> for SliceItem<'a> {
            fn from(list: &&'a $t) -> SliceItem<'a> {
                SliceItem::from(*list)
            }
        }

        impl<I: IndexElem $($generic)*> ArrayIndex for &$t {
            fn slices(&self) -> Slices<'_> {
                Slices::new(&[SliceItem::from(*self)])
            }
        }
    )*};
}
lists_of_indices! {
    [] GpuArray<I>, list => Choice::array(&list.raw);
    [] [I], list => Choice::host(list);
    [] Vec<I>, list => Choice::host(list);
    [, const N: usize] [I; N], list => Choice::host(list);
}

impl<I: IndexElem> ArrayIndex for GpuArray<I> {
    fn slices(&self) -> Slices<'_> {
        Slices::new(&[SliceItem::from(self)])
    }
}

impl<I: IndexElem> ArrayIndex for Vec<I> {
    fn slices(&self) -> Slices<'_> {
        Slices::new(&[SliceItem::from(self)])
    }
}

impl<I: IndexElem, const N: usize> ArrayIndex for [I; N] {
    fn slices(&self) -> Slices<'_> {
        Slices::new(&[SliceItem::from(self)])
    }
}

macro_rules! integer_indices {
    ($($t:ty)*) => {$(
        impl From<$t> for SliceItem<'_> {
            fn from(at: $t) -> Self {
                SliceItem::At(place(at))
            }
        }

        // Variables, which `s!` borrows.
        impl From<&$t> for SliceItem<'_> {
            fn from(at: &$t) -> Self {
                SliceItem::At(place(*at))
            }
        }

        impl ArrayIndex for $t {
            fn slices(&self) -> Slices<'_> {
                Slices::new(&[(*self).into()])
            }
        }

        impl PlaceOnAxis for $t {
            fn place(self) -> i64 {
                i64::try_from(self).unwrap_or(i64::MAX)
            }
        }
    )*};
}
integer_indices!(i32 i64 isize u32 u64 usize);

/// A whole number as a place on an axis.
trait PlaceOnAxis: Copy {
    fn place(self) -> i64;
}

fn place(at: impl PlaceOnAxis) -> i64 {
    at.place()
}

macro_rules! range_indices {
    ($($range:ident $self:ident => $start:expr, $end:expr;)*) => {$(
        #[allow(private_bounds)]
        impl<N: PlaceOnAxis> From<$range<N>> for SliceItem<'_> {
            fn from($self: $range<N>) -> Self {
                SliceItem::Range { start: $start, end: $end, step: 1 }
            }
        }

        #[allow(private_bounds)]
        impl<N: PlaceOnAxis> From<&$range<N>> for SliceItem<'_> {
            fn from(range: &$range<N>) -> Self {
                range.clone().into()
            }
        }

        #[allow(private_bounds)]
        impl<N: PlaceOnAxis> ArrayIndex for $range<N> {
            fn slices(&self) -> Slices<'_> {
                Slices::new(&[self.clone().into()])
            }
        }
    )*};
}
range_indices! {
    Range range => Some(range.start.place()), Some(range.end.place());
    RangeFrom range => Some(range.start.place()), None;
    RangeTo range => None, Some(range.end.place());
    RangeToInclusive range => None, after(range.end.place());
}

impl From<RangeFull> for SliceItem<'_> {
    fn from(_: RangeFull) -> Self {
        SliceItem::Range { start: None, end: None, step: 1 }
    }
}

impl ArrayIndex for RangeFull {
    fn slices(&self) -> Slices<'_> {
        Slices::new(&[(*self).into()])
    }
}

impl From<&RangeFull> for SliceItem<'_> {
    fn from(range: &RangeFull) -> Self {
        (*range).into()
    }
}

#[allow(private_bounds)]
impl<N: PlaceOnAxis> From<&RangeInclusive<N>> for SliceItem<'_> {
    fn from(range: &RangeInclusive<N>) -> Self {
        range.clone().into()
    }
}

impl<'a> From<&SliceItem<'a>> for SliceItem<'a> {
    fn from(item: &SliceItem<'a>) -> Self {
        *item
    }
}

#[allow(private_bounds)]
impl<N: PlaceOnAxis> From<RangeInclusive<N>> for SliceItem<'_> {
    fn from(range: RangeInclusive<N>) -> Self {
        let (start, end) = range.into_inner();
        SliceItem::Range { start: Some(start.place()), end: after(end.place()), step: 1 }
    }
}

#[allow(private_bounds)]
impl<N: PlaceOnAxis> ArrayIndex for RangeInclusive<N> {
    fn slices(&self) -> Slices<'_> {
        Slices::new(&[self.clone().into()])
    }
}

/// The end of a range that includes `last`: after -1 comes the end.
fn after(last: i64) -> Option<i64> {
    if last == -1 { None } else { Some(last.saturating_add(1)) }
}

/// What `ndarray`'s own `s!` makes, with its meaning: `2..8; -1` is the range
/// 2..8 backwards, where it is empty in NumPy and by this crate's `s!`, and a
/// range that reaches beyond the axis is an error.
impl<T: AsRef<[SliceInfoElem]>, In: ndarray::Dimension, Out: ndarray::Dimension> ArrayIndex
    for SliceInfo<T, In, Out>
{
    fn slices(&self) -> Slices<'_> {
        let item = |element: &SliceInfoElem| match *element {
            SliceInfoElem::Slice { start, end, step } => {
                SliceItem::Within { start: start as i64, end: end.map(|end| end as i64), step: step as i64 }
            }
            SliceInfoElem::Index(at) => SliceItem::At(at as i64),
            SliceInfoElem::NewAxis => SliceItem::NewAxis,
        };
        let elements: &[SliceInfoElem] = (**self).as_ref();
        Slices::new(&elements.iter().map(item).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inclusive_ranges_reach_the_end() {
        #[expect(clippy::reversed_empty_ranges, reason = "places count from the end")]
        let to_the_last = 1..=-1;
        assert_eq!(SliceItem::from(to_the_last), SliceItem::Range { start: Some(1), end: None, step: 1 });
        assert_eq!(SliceItem::from(..=2), SliceItem::Range { start: None, end: Some(3), step: 1 });
    }
}
