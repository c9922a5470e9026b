//! Whole numbers that a call names: one, a list of them, or a range.

use std::ops::Range;

use gpurepl_kernels::DType;

use super::raw::Raw;
use super::{Elem, GpuArray, IntegerElem};
use crate::error::{Problem, Result};

/// A whole number, a list of them or a range, as a call has it.
#[doc(hidden)]
#[derive(Clone)]
pub enum Positions {
    Listed(Listed),
    /// On the device.
    Array(Raw),
    /// Where a mask on the host is true.
    Mask(Vec<bool>),
}

/// The same, on the host.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub enum Listed {
    One(i64),
    Many(Vec<i64>),
    Range(i64, i64),
}

/// A whole number, a list of them, or a range: `3`, `[2, 5]`, `&vector`, `1..3`,
/// or an array of integers, on the device.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a whole number nor a list of them",
    note = "write `3`, `[2, 5]`, `&vector`, `1..3`, or an array of integers"
)]
pub trait IntoPositions {
    #[doc(hidden)]
    fn into_positions(self) -> Positions;
}

macro_rules! integers {
    ($($t:ty)*) => {$(
        impl IntoPositions for $t {
            fn into_positions(self) -> Positions {
                Positions::Listed(Listed::One(wide(self)))
            }
        }

        impl IntoPositions for &[$t] {
            fn into_positions(self) -> Positions {
                Positions::Listed(Listed::Many(self.iter().map(|number| wide(*number)).collect()))
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
                Positions::Listed(Listed::Range(wide(self.start), wide(self.end)))
            }
        }
    )*};
}
integers!(i32 i64 isize u32 u64 usize);

impl<I: IntegerElem> IntoPositions for &GpuArray<I> {
    fn into_positions(self) -> Positions {
        Positions::Array(self.raw.clone())
    }
}

impl<I: IntegerElem> IntoPositions for GpuArray<I> {
    fn into_positions(self) -> Positions {
        Positions::Array(self.raw)
    }
}

macro_rules! masks {
    ($([$($generics:tt)*] $mask:ty, |$own:ident| $positions:expr;)*) => {$(
        impl<$($generics)*> IntoPositions for $mask {
            fn into_positions(self) -> Positions {
                let $own = self;
                $positions
            }
        }
    )*};
}
masks! {
    [] &GpuArray<bool>, |mask| Positions::Array(mask.raw.clone());
    [] GpuArray<bool>, |mask| Positions::Array(mask.raw);
    [] &[bool], |mask| Positions::Mask(mask.to_vec());
    [] Vec<bool>, |mask| Positions::Mask(mask);
    [const N: usize] [bool; N], |mask| Positions::Mask(mask.to_vec());
    [const N: usize] &[bool; N], |mask| Positions::Mask(mask.to_vec());
}

impl Positions {
    /// The mask, if it is one; on the host.
    pub(super) fn mask(&self, operation: &'static str) -> Result<Option<Vec<bool>>> {
        match self {
            Positions::Mask(mask) => Ok(Some(mask.clone())),
            Positions::Array(raw) if raw.dtype() == DType::Bool => {
                check_vector(operation, raw)?;
                <bool as Elem>::download(raw).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The same, with the numbers of an array of the device on the host.
    pub(super) fn listed(self, operation: &'static str) -> Result<Listed> {
        let raw = match self {
            Positions::Listed(listed) => return Ok(listed),
            Positions::Array(raw) if raw.dtype() != DType::Bool => raw,
            Positions::Array(_) | Positions::Mask(_) => {
                let message =
                    "positions are whole numbers, and not a mask; `mask.nonzero()` has them".to_owned();
                return Err(Problem::DType { operation, message }.into());
            }
        };
        check_vector(operation, &raw)?;
        let numbers = <i64 as Elem>::download(&raw.cast(DType::Int64))?;
        // A number without an axis is one.
        Ok(match numbers[..] {
            [one] if raw.shape().rank() == 0 => Listed::One(one),
            _ => Listed::Many(numbers),
        })
    }
}

pub(super) fn check_vector(operation: &'static str, raw: &Raw) -> Result<()> {
    if raw.shape().rank() <= 1 {
        return Ok(());
    }
    // NumPy's words.
    let message =
        format!("object too deep for desired array: a vector is needed, not shape {:?}", raw.shape());
    Err(Problem::Shape { operation, message }.into())
}

/// No axis is as long as the largest of them, so what does not fit lies
/// outside all the same.
fn wide(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}
