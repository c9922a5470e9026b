//! What can be passed to a kernel.

use std::sync::Arc;

use gpurepl_kernels::DType;
use half::f16;
use num_complex::{Complex32, Complex64};

use super::texture::{Bound, SurfaceObject, TextureObject};
use crate::array::{Elem, GpuArray, KernelData, Raw, Struct, structure};
use crate::device::{Context, Structure};
use crate::error::Result;
use crate::memory::{
    DeviceAllocation, HostBytes, HostData, HostDataMut, HostElem, Lent, Managed, MappedPointer, PointerHolder,
};
use crate::scalar::Scalar;

/// Host data that a kernel reads: copied to the device before the launch.
pub struct In<'a, A: ?Sized>(pub &'a A);

/// Host data that a kernel writes: copied back after the launch.
pub struct Out<'a, A: ?Sized>(pub &'a mut A);

/// Host data that a kernel reads and writes: copied both ways.
pub struct InOut<'a, A: ?Sized>(pub &'a mut A);

/// One argument of a launch, without its Rust type.
pub(crate) enum Argument<'a> {
    Scalar(Scalar, DType),
    Array(&'a Raw),
    /// An array whose strides the kernel knows.
    Strided(&'a Raw),
    Memory(DeviceAllocation),
    /// Memory that the host uses in place: whether the kernel may write it.
    Shared {
        memory: DeviceAllocation,
        dtype: DType,
        is_written: bool,
    },
    /// Memory that something else has made.
    Held(Result<DeviceAllocation>),
    Object(Arc<Bound>),
    /// With the name of its type.
    Structure(Structure, &'static str),
    In(Result<HostBytes<'a>>),
    Out(Box<dyn HostDataMut + 'a>),
    InOut(Box<dyn HostDataMut + 'a>),
}

impl Argument<'_> {
    /// Where its memory is, if it has any yet.
    pub(super) fn context(&self) -> Option<Context> {
        match self {
            Argument::Array(raw) | Argument::Strided(raw) => raw.context(),
            Argument::Memory(memory) | Argument::Shared { memory, .. } => Some(memory.buffer().context()),
            _ => None,
        }
    }
}

/// The arguments of a launch.
///
/// A trait object for the same reason as [`Raw`]: a cell that builds a list
/// must know how to drop it, and would compile that for every kind of argument.
pub struct ArgumentList<'a>(Box<dyn Arguments<'a> + 'a>);

trait Arguments<'a> {
    fn push(&mut self, argument: Argument<'a>);
    fn all(&mut self) -> &mut Vec<Argument<'a>>;
}

impl<'a> Arguments<'a> for Vec<Argument<'a>> {
    fn push(&mut self, argument: Argument<'a>) {
        Vec::push(self, argument);
    }

    fn all(&mut self) -> &mut Vec<Argument<'a>> {
        self
    }
}

impl Default for ArgumentList<'_> {
    #[inline(never)]
    fn default() -> Self {
        ArgumentList(Box::new(Vec::<Argument<'_>>::new()))
    }
}

impl<'a> ArgumentList<'a> {
    // Not generic, and not inlined: each tuple of arguments in a cell is a
    // row of calls to these.

    #[inline(never)]
    pub(super) fn scalar(&mut self, scalar: Scalar, dtype: DType) {
        self.0.push(Argument::Scalar(scalar, dtype));
    }

    #[inline(never)]
    pub(super) fn array(&mut self, array: &'a Raw) {
        self.0.push(Argument::Array(array));
    }

    pub(super) fn strided(&mut self, array: &'a Raw) {
        self.0.push(Argument::Strided(array));
    }

    #[inline(never)]
    fn object(&mut self, object: &Arc<Bound>) {
        self.0.push(Argument::Object(Arc::clone(object)));
    }

    #[inline(never)]
    fn memory(&mut self, memory: &DeviceAllocation) {
        self.0.push(Argument::Memory(memory.clone()));
    }

    fn push(&mut self, argument: Argument<'a>) {
        self.0.push(argument);
    }

    #[inline(never)]
    pub(super) fn structure(&mut self, structure: Structure, type_name: &'static str) {
        self.0.push(Argument::Structure(structure, type_name));
    }

    pub(super) fn into_arguments(mut self) -> Vec<Argument<'a>> {
        std::mem::take(self.0.all())
    }
}

/// Something that can be passed to a kernel.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a kernel",
    note = "pass numbers, `&array` (read), `&mut array` (written), device memory, `Struct(value)`, vectors `[1.0f32, 2.0, 3.0]`, or `In(&data)`, `Out(&mut data)`, `InOut(&mut data)` for host data"
)]
pub trait KernelArg<'a> {
    #[doc(hidden)]
    fn add_to(self, list: &mut ArgumentList<'a>);
}

macro_rules! number_arguments {
    ($($t:ty)*) => {$(
        impl<'a> KernelArg<'a> for $t {
            fn add_to(self, list: &mut ArgumentList<'a>) {
                list.scalar(Elem::to_scalar(self), <$t as Elem>::DTYPE);
            }
        }

        impl<'a> KernelArgs<'a> for $t {
            fn list(self, list: &mut ArgumentList<'a>) {
                self.add_to(list);
            }
        }
    )*};
}
number_arguments!(bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex32 Complex64);

impl<'a> KernelArg<'a> for usize {
    fn add_to(self, list: &mut ArgumentList<'a>) {
        list.scalar(Elem::to_scalar(self as u64), DType::UInt64);
    }
}

impl<'a> KernelArg<'a> for isize {
    fn add_to(self, list: &mut ArgumentList<'a>) {
        list.scalar(Elem::to_scalar(self as i64), DType::Int64);
    }
}

impl<'a, T: KernelData> KernelArg<'a> for Struct<T> {
    fn add_to(self, list: &mut ArgumentList<'a>) {
        list.structure(structure(&self.0), std::any::type_name::<T>());
    }
}

/// A vector by value: `[1.0f32, 2.0, 3.0]` is a `float3`.
impl<'a, T: Elem, const N: usize> KernelArg<'a> for [T; N] {
    fn add_to(self, list: &mut ArgumentList<'a>) {
        list.structure(structure(&self), std::any::type_name::<[T; N]>());
    }
}

impl<'a, T: Elem> KernelArg<'a> for &'a GpuArray<T> {
    fn add_to(self, list: &mut ArgumentList<'a>) {
        list.array(&self.raw);
    }
}

impl<'a, T: Elem> KernelArg<'a> for &'a mut GpuArray<T> {
    fn add_to(self, list: &mut ArgumentList<'a>) {
        list.array(&self.raw);
    }
}

/// An array whose element type is known when it is launched.
impl<'a> KernelArg<'a> for &'a Raw {
    fn add_to(self, list: &mut ArgumentList<'a>) {
        list.array(self);
    }
}

/// What `a.gpudata()` returns, say.
impl<'a> KernelArg<'a> for DeviceAllocation {
    fn add_to(self, list: &mut ArgumentList<'a>) {
        list.memory(&self);
    }
}

impl<'a> KernelArg<'a> for &'a DeviceAllocation {
    fn add_to(self, list: &mut ArgumentList<'a>) {
        list.memory(self);
    }
}

impl<'a> KernelArg<'a> for &'a mut DeviceAllocation {
    fn add_to(self, list: &mut ArgumentList<'a>) {
        list.memory(self);
    }
}

/// For parameters that are `const`.
impl<'a, T: HostElem> KernelArg<'a> for &'a Managed<T> {
    fn add_to(self, list: &mut ArgumentList<'a>) {
        list.push(Argument::Shared { memory: self.argument(), dtype: T::DTYPE, is_written: false });
    }
}

impl<'a, T: HostElem> KernelArg<'a> for &'a mut Managed<T> {
    fn add_to(self, list: &mut ArgumentList<'a>) {
        list.push(Argument::Shared { memory: self.argument(), dtype: T::DTYPE, is_written: true });
    }
}

impl<'a, T: HostElem> KernelArg<'a> for MappedPointer<'a, T> {
    fn add_to(self, list: &mut ArgumentList<'a>) {
        (&self).add_to(list);
    }
}

impl<'a, T: HostElem> KernelArg<'a> for &MappedPointer<'_, T> {
    fn add_to(self, list: &mut ArgumentList<'a>) {
        let memory = self.memory().clone();
        list.push(Argument::Shared { memory, dtype: T::DTYPE, is_written: true });
    }
}

/// The launch waits for the kernel, since nothing keeps the holder afterwards;
/// [`DeviceAllocation::from_holder`] makes memory of it that does not.
impl<'a, P: PointerHolder> KernelArg<'a> for &'a Arc<P> {
    fn add_to(self, list: &mut ArgumentList<'a>) {
        list.push(Argument::Held(DeviceAllocation::from_holder(Arc::clone(self))));
    }
}

impl<'a> KernelArg<'a> for &'a TextureObject {
    fn add_to(self, list: &mut ArgumentList<'a>) {
        list.object(self.bound());
    }
}

impl<'a> KernelArg<'a> for &'a SurfaceObject {
    fn add_to(self, list: &mut ArgumentList<'a>) {
        list.object(self.bound());
    }
}

impl<'a, A: HostData + ?Sized> KernelArg<'a> for In<'a, A> {
    fn add_to(self, list: &mut ArgumentList<'a>) {
        list.push(Argument::In(self.0.data()));
    }
}

impl<'a, A: HostDataMut + ?Sized> KernelArg<'a> for Out<'a, A> {
    fn add_to(self, list: &mut ArgumentList<'a>) {
        list.push(Argument::Out(Box::new(Lent(self.0))));
    }
}

impl<'a, A: HostDataMut + ?Sized> KernelArg<'a> for InOut<'a, A> {
    fn add_to(self, list: &mut ArgumentList<'a>) {
        list.push(Argument::InOut(Box::new(Lent(self.0))));
    }
}

/// The arguments of a launch: a tuple, or one argument alone.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of kernel arguments",
    note = "arguments are a tuple such as `(&a, 5, &mut z)`: numbers, `&array`, `&mut array`, device memory, `In(&data)`, `Out(&mut data)`, `InOut(&mut data)`"
)]
pub trait KernelArgs<'a> {
    #[doc(hidden)]
    fn list(self, list: &mut ArgumentList<'a>);
}

impl<'a> KernelArgs<'a> for () {
    fn list(self, _: &mut ArgumentList<'a>) {}
}

// `(&a)` is not a tuple in Rust, so one argument need not be in one.
macro_rules! alone {
    ($($for:ty [$($generics:tt)*];)*) => {$(
        impl<'a $($generics)*> KernelArgs<'a> for $for {
            fn list(self, list: &mut ArgumentList<'a>) {
                self.add_to(list);
            }
        }
    )*};
}
alone! {
    usize [];
    Struct<T> [, T: KernelData];
    &'a GpuArray<T> [, T: Elem];
    &'a mut GpuArray<T> [, T: Elem];
    &'a DeviceAllocation [];
    &'a mut DeviceAllocation [];
    &'a Managed<T> [, T: HostElem];
    &'a mut Managed<T> [, T: HostElem];
    MappedPointer<'a, T> [, T: HostElem];
    &'a MappedPointer<'b, T> [, 'b, T: HostElem];
    &'a Arc<P> [, P: PointerHolder];
    &'a TextureObject [];
    &'a SurfaceObject [];
    In<'a, A> [, A: HostData + ?Sized];
    Out<'a, A> [, A: HostDataMut + ?Sized];
    InOut<'a, A> [, A: HostDataMut + ?Sized];
}

macro_rules! tuples {
    ($(($($name:ident $place:tt),+))*) => {$(
        impl<'a, $($name: KernelArg<'a>),+> KernelArgs<'a> for ($($name,)+) {
            fn list(self, list: &mut ArgumentList<'a>) {
                $(self.$place.add_to(list);)+
            }
        }
    )*};
}
gpurepl_ground::for_tuples!(up to 16, tuples);
