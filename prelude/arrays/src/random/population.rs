//! What integers are drawn from, and what elements are chosen from.

use std::ops::{Range, RangeInclusive};

use crate::array::{Elem, GpuArray, Raw};
use crate::error::{Problem, Result};

/// A range of integers: `0..10` or `1..=6`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a range of integers",
    note = "write `0..10`, or `1..=6` with its last number"
)]
pub trait IntegerRange {
    /// The type of the integers.
    type Elem: Elem;

    #[doc(hidden)]
    fn ends(self) -> (i128, i128);
}

macro_rules! ranges {
    ($($t:ty)*) => {$(
        impl IntegerRange for Range<$t> {
            type Elem = $t;

            fn ends(self) -> (i128, i128) {
                (i128::from(self.start), i128::from(self.end) - 1)
            }
        }

        impl IntegerRange for RangeInclusive<$t> {
            type Elem = $t;

            fn ends(self) -> (i128, i128) {
                (i128::from(*self.start()), i128::from(*self.end()))
            }
        }
    )*};
}
ranges!(bool i8 i16 i32 i64 u8 u16 u32 u64);

/// What elements are chosen from: an array, by its first axis, or the integers
/// below a number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an array or a number to choose from",
    note = "use a reference to an array, `&a`, or a number of type `usize`"
)]
pub trait Population {
    /// What is chosen.
    type Out;

    #[doc(hidden)]
    fn count(&self, operation: &'static str) -> Result<usize>;

    #[doc(hidden)]
    fn chosen(self, indices: &Raw) -> Self::Out;
}

impl<T: Elem> Population for &GpuArray<T> {
    type Out = GpuArray<T>;

    fn count(&self, operation: &'static str) -> Result<usize> {
        self.raw.shape().lengths().first().copied().ok_or_else(|| {
            Problem::Shape { operation, message: "an array without axes has no parts to choose".to_owned() }
                .into()
        })
    }

    #[track_caller]
    fn chosen(self, indices: &Raw) -> GpuArray<T> {
        self.take_axis(GpuArray::<i64>::wrap(indices.clone()), 0)
    }
}

impl Population for usize {
    type Out = GpuArray<i64>;

    fn count(&self, _: &'static str) -> Result<usize> {
        Ok(*self)
    }

    fn chosen(self, indices: &Raw) -> GpuArray<i64> {
        GpuArray::wrap(indices.clone())
    }
}
