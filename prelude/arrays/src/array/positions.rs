//! Whole numbers that a call names: one, a list of them, or a range.

use std::ops::Range;

/// A whole number, a list of them or a range, as a call has it.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub enum Positions {
    One(i64),
    Many(Vec<i64>),
    Range(i64, i64),
}

/// A whole number, a list of them, or a range: `3`, `[2, 5]`, `&vector`, `1..3`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a whole number nor a list of them",
    note = "write `3`, `[2, 5]`, `&vector` or `1..3`"
)]
pub trait IntoPositions {
    #[doc(hidden)]
    fn into_positions(self) -> Positions;
}

macro_rules! integers {
    ($($t:ty)*) => {$(
        impl IntoPositions for $t {
            fn into_positions(self) -> Positions {
                Positions::One(wide(self))
            }
        }

        impl IntoPositions for &[$t] {
            fn into_positions(self) -> Positions {
                Positions::Many(self.iter().map(|number| wide(*number)).collect())
            }
        }

        impl<const N: usize> IntoPositions for [$t; N] {
            fn into_positions(self) -> Positions {
                self.as_slice().into_positions()
            }
        }

        impl<const N: usize> IntoPositions for &[$t; N] {
            fn into_positions(self) -> Positions {
                self.as_slice().into_positions()
            }
        }

        impl IntoPositions for Vec<$t> {
            fn into_positions(self) -> Positions {
                self.as_slice().into_positions()
            }
        }

        impl IntoPositions for &Vec<$t> {
            fn into_positions(self) -> Positions {
                self.as_slice().into_positions()
            }
        }

        impl IntoPositions for Range<$t> {
            fn into_positions(self) -> Positions {
                Positions::Range(wide(self.start), wide(self.end))
            }
        }
    )*};
}
integers!(i32 i64 isize u32 u64 usize);

/// No axis is as long as the largest of them, so what does not fit lies
/// outside all the same.
fn wide(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}
