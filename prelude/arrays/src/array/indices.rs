//! What names elements one by one: arrays and lists of indices, and masks.

use gpurepl_kernels::DType;

use super::GpuArray;
use super::node::{Node, Place};
use super::raw::Raw;
use crate::device::Context;
use crate::error::Result;
use crate::shape::Shape;

/// An array of indices, or a mask, on the device or on the host.
#[derive(Clone, Copy)]
pub struct Choice<'a>(Source<'a>);

#[derive(Clone, Copy)]
enum Source<'a> {
    Array(&'a Raw),
    Host(&'a [u8], DType),
    /// A number, which has no axes.
    One(&'a [u8], DType),
}

impl<'a> Choice<'a> {
    pub(super) fn array(raw: &'a Raw) -> Choice<'a> {
        Choice(Source::Array(raw))
    }

    pub(super) fn host<I: IndexElem>(list: &'a [I]) -> Choice<'a> {
        Choice(Source::Host(I::bytes(list), I::INDEX))
    }

    fn one<I: IndexElem>(number: &'a I) -> Choice<'a> {
        Choice(Source::One(I::bytes(std::slice::from_ref(number)), I::INDEX))
    }

    pub(super) fn dtype(&self) -> DType {
        match self.0 {
            Source::Array(raw) => raw.dtype(),
            Source::Host(_, dtype) | Source::One(_, dtype) => dtype,
        }
    }

    pub(super) fn shape(&self) -> Shape {
        match self.0 {
            Source::Array(raw) => raw.shape(),
            Source::Host(bytes, dtype) => Shape::new(&[bytes.len() / dtype.size()]),
            Source::One(..) => Shape::SCALAR,
        }
    }

    pub(super) fn is_mask(&self) -> bool {
        self.dtype() == DType::Bool
    }

    /// The axes that it chooses from: a mask has them itself.
    pub(super) fn axes(&self) -> usize {
        if self.is_mask() { self.shape().rank() } else { 1 }
    }

    /// The indices on the device; a list goes to memory of this context.
    pub(super) fn raw(&self, context: Context) -> Result<Raw> {
        match self.0 {
            Source::Array(raw) => Ok(raw.clone()),
            Source::Host(bytes, dtype) | Source::One(bytes, dtype) => {
                let shape = self.shape();
                let place = Place::within(context, shape, dtype)?;
                if !bytes.is_empty() {
                    context.upload(&place.buffer, 0, bytes)?;
                }
                Ok(Raw::new(Node::ready(shape, dtype, place)))
            }
        }
    }
}

/// Of the same memory; what is in it is not looked at.
impl PartialEq for Choice<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self.0, other.0) {
            (Source::Array(one), Source::Array(other)) => std::ptr::eq(one, other),
            (Source::Host(one, dtype), Source::Host(other, as_dtype))
            | (Source::One(one, dtype), Source::One(other, as_dtype)) => one == other && dtype == as_dtype,
            _ => false,
        }
    }
}

impl Eq for Choice<'_> {}

impl std::fmt::Debug for Choice<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = if self.is_mask() { "a mask" } else { "indices" };
        write!(f, "{what} of shape {:?}", self.shape())
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A type of indices or of a mask: integers and `bool`.
#[diagnostic::on_unimplemented(
    message = "an array of `{Self}` does not name elements",
    note = "use an array of integers for indices, or one of `bool` for a mask"
)]
pub trait IndexElem: sealed::Sealed + Sized {
    #[doc(hidden)]
    const INDEX: DType;

    #[doc(hidden)]
    fn bytes(list: &[Self]) -> &[u8];
}

macro_rules! index_elements {
    ($($t:ident $dtype:ident)*) => {$(
        impl sealed::Sealed for $t {}

        impl IndexElem for $t {
            const INDEX: DType = DType::$dtype;

            fn bytes(list: &[$t]) -> &[u8] {
                bytemuck::cast_slice(list)
            }
        }
    )*};
}
index_elements!(i8 Int8 i16 Int16 i32 Int32 i64 Int64 u8 UInt8 u16 UInt16 u32 UInt32 u64 UInt64);
index_elements!(bool Bool);
#[cfg(target_pointer_width = "64")]
index_elements!(usize UInt64 isize Int64);

/// A type of indices alone.
#[doc(hidden)]
pub trait IntegerElem: IndexElem {}

macro_rules! integer_elements {
    ($($t:ident)*) => {$(
        impl IntegerElem for $t {}

        impl IndexArray for $t {
            fn choice(&self) -> Choice<'_> {
                Choice::one(self)
            }
        }
    )*};
}
integer_elements!(i8 i16 i32 i64 u8 u16 u32 u64 usize isize);

/// Indices, which count from the end where they are negative: a reference to an
/// array, vector or slice of integers, or one integer.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an array of indices",
    note = "use `&indices`, an array of integers, or a list such as `&[0, 2, -1]`"
)]
pub trait IndexArray {
    #[doc(hidden)]
    fn choice(&self) -> Choice<'_>;
}

/// A reference to an array, vector or slice of `bool`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a mask",
    note = "use `&mask`, an array of `bool`: comparisons such as `a.gt(0)` give one, and so does `a.ne(0)` of numbers"
)]
pub trait MaskArray {
    #[doc(hidden)]
    fn choice(&self) -> Choice<'_>;
}

macro_rules! lists {
    ($trait:ident [$($generic:tt)*] $element:ty) => {
        impl<$($generic)*> $trait for &[$element] {
            fn choice(&self) -> Choice<'_> {
                Choice::host(self)
            }
        }

        impl<$($generic)*> $trait for Vec<$element> {
            fn choice(&self) -> Choice<'_> {
                Choice::host(self)
            }
        }

        impl<$($generic)*> $trait for &Vec<$element> {
            fn choice(&self) -> Choice<'_> {
                Choice::host(self)
            }
        }

        impl<const N: usize, $($generic)*> $trait for [$element; N] {
            fn choice(&self) -> Choice<'_> {
                Choice::host(self)
            }
        }

        impl<const N: usize, $($generic)*> $trait for &[$element; N] {
            fn choice(&self) -> Choice<'_> {
                Choice::host(*self)
            }
        }

        impl<$($generic)*> $trait for GpuArray<$element> {
            fn choice(&self) -> Choice<'_> {
                Choice::array(&self.raw)
            }
        }

        impl<$($generic)*> $trait for &GpuArray<$element> {
            fn choice(&self) -> Choice<'_> {
                Choice::array(&self.raw)
            }
        }
    };
}
lists!(IndexArray [I: IntegerElem] I);
lists!(MaskArray [] bool);
