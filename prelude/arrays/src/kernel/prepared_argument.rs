//! What can be passed to a prepared kernel.

use gpurepl_kernels::DType;
use half::f16;
use num_complex::{Complex32, Complex64};

use super::prepared::Packer;
use super::texture::{SurfaceObject, TextureObject};
use crate::array::{Elem, GpuArray, KernelData, Struct, structure};
use crate::memory::DeviceAllocation;

/// Something that can be passed to a prepared kernel.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a prepared kernel",
    note = "pass numbers, `&array`, `&mut array`, device memory, textures or surfaces; `launch` takes more"
)]
pub trait PreparedArg {
    #[doc(hidden)]
    fn pack(self, packer: &mut Packer<'_>);
}

macro_rules! numbers {
    ($($t:ty)*) => {$(
        impl PreparedArg for $t {
            #[inline]
            fn pack(self, packer: &mut Packer<'_>) {
                packer.number(Elem::to_scalar(self), <$t as Elem>::DTYPE);
            }
        }
    )*};
}
numbers!(bool i8 i16 i32 i64 u8 u16 u32 f16 f32 f64 Complex32 Complex64);

/// A number, or the address of device memory, such as `a.ptr()`.
impl PreparedArg for u64 {
    fn pack(self, packer: &mut Packer<'_>) {
        packer.address(self);
    }
}

impl PreparedArg for usize {
    fn pack(self, packer: &mut Packer<'_>) {
        packer.number(Elem::to_scalar(self as u64), DType::UInt64);
    }
}

impl PreparedArg for isize {
    fn pack(self, packer: &mut Packer<'_>) {
        packer.number(Elem::to_scalar(self as i64), DType::Int64);
    }
}

impl<T: KernelData> PreparedArg for Struct<T> {
    fn pack(self, packer: &mut Packer<'_>) {
        packer.structure(structure(&self.0), std::any::type_name::<T>());
    }
}

impl<T: Elem, const N: usize> PreparedArg for [T; N] {
    fn pack(self, packer: &mut Packer<'_>) {
        packer.structure(structure(&self), std::any::type_name::<[T; N]>());
    }
}

impl<T: Elem> PreparedArg for &GpuArray<T> {
    fn pack(self, packer: &mut Packer<'_>) {
        packer.array(&self.raw);
    }
}

impl<T: Elem> PreparedArg for &mut GpuArray<T> {
    fn pack(self, packer: &mut Packer<'_>) {
        packer.array(&self.raw);
    }
}

impl PreparedArg for DeviceAllocation {
    fn pack(self, packer: &mut Packer<'_>) {
        packer.memory(&self);
    }
}

impl PreparedArg for &DeviceAllocation {
    fn pack(self, packer: &mut Packer<'_>) {
        packer.memory(self);
    }
}

impl PreparedArg for &mut DeviceAllocation {
    fn pack(self, packer: &mut Packer<'_>) {
        packer.memory(self);
    }
}

impl PreparedArg for &TextureObject {
    fn pack(self, packer: &mut Packer<'_>) {
        packer.object(self.bound());
    }
}

impl PreparedArg for &SurfaceObject {
    fn pack(self, packer: &mut Packer<'_>) {
        packer.object(self.bound());
    }
}

/// The arguments of a prepared launch: a tuple, or one argument alone.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of arguments of a prepared kernel",
    note = "arguments are a tuple such as `(&mut a, &b, 100)`"
)]
pub trait PreparedArgs {
    #[doc(hidden)]
    fn pack(self, packer: &mut Packer<'_>);
}

impl PreparedArgs for () {
    fn pack(self, _: &mut Packer<'_>) {}
}

macro_rules! alone {
    ($($for:ty [$($generics:tt)*];)*) => {$(
        impl<$($generics)*> PreparedArgs for $for {
            fn pack(self, packer: &mut Packer<'_>) {
                PreparedArg::pack(self, packer);
            }
        }
    )*};
}
alone! {
    usize [];
    i32 [];
    &GpuArray<T> [T: Elem];
    &mut GpuArray<T> [T: Elem];
    DeviceAllocation [];
    &DeviceAllocation [];
    &mut DeviceAllocation [];
    &TextureObject [];
    &SurfaceObject [];
}

macro_rules! tuples {
    ($(($($name:ident $place:tt),+))*) => {$(
        impl<$($name: PreparedArg),+> PreparedArgs for ($($name,)+) {
            #[inline]
            fn pack(self, packer: &mut Packer<'_>) {
                $(self.$place.pack(packer);)+
            }
        }
    )*};
}
gpurepl_ground::for_tuples!(up to 16, tuples);
