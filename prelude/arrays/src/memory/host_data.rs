//! Data of the host that copies and launches take.

use std::borrow::Cow;

use gpurepl_kernels::DType;
use ndarray::{ArrayBase, Data, DataMut, Dimension};

use crate::array::{Elem, KernelData};
use crate::error::{Problem, Result};

/// Contiguous data on the host that a kernel can read: slices, vectors,
/// arrays, and arrays of `ndarray` in C order.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be copied to the device",
    note = "use a slice, `Vec` or array of numbers, of `[f32; 3]` or of structures by `kernel_struct!`, or an `ndarray` array"
)]
pub trait HostData {
    #[doc(hidden)]
    fn data(&self) -> Result<HostBytes<'_>>;
}

/// Contiguous data on the host that a kernel can write.
#[diagnostic::on_unimplemented(
    message = "data of the device cannot be copied to `{Self}`",
    note = "use a mutable slice, `Vec` or array of numbers, of `[f32; 3]` or of structures by `kernel_struct!`, or an `ndarray` array"
)]
pub trait HostDataMut: HostData {
    /// Has bytes filled in and takes them over as elements.
    #[doc(hidden)]
    fn receive(&mut self, fill: &dyn Fn(&mut [u8]) -> Result<()>) -> Result<()>;
}

impl<T: KernelData> HostData for [T] {
    fn data(&self) -> Result<HostBytes<'_>> {
        Ok(HostBytes::of(self))
    }
}

impl<T: KernelData> HostDataMut for [T] {
    fn receive(&mut self, fill: &dyn Fn(&mut [u8]) -> Result<()>) -> Result<()> {
        T::receive_kernel_bytes(self, fill)
    }
}

macro_rules! through_slices {
    ($($for:ty [$($generics:tt)*];)*) => {$(
        impl<T: KernelData $($generics)*> HostData for $for {
            fn data(&self) -> Result<HostBytes<'_>> {
                self.as_slice().data()
            }
        }

        impl<T: KernelData $($generics)*> HostDataMut for $for {
            fn receive(&mut self, fill: &dyn Fn(&mut [u8]) -> Result<()>) -> Result<()> {
                self.as_mut_slice().receive(fill)
            }
        }
    )*};
}
through_slices! {
    Vec<T> [];
    [T; N] [, const N: usize];
}

impl<T: Elem, S: Data<Elem = T>, D: Dimension> HostData for ArrayBase<S, D> {
    fn data(&self) -> Result<HostBytes<'_>> {
        self.as_slice().ok_or_else(not_in_order)?.data()
    }
}

impl<T: Elem, S: DataMut<Elem = T>, D: Dimension> HostDataMut for ArrayBase<S, D> {
    fn receive(&mut self, fill: &dyn Fn(&mut [u8]) -> Result<()>) -> Result<()> {
        self.as_slice_mut().ok_or_else(not_in_order)?.receive(fill)
    }
}

#[cold]
fn not_in_order() -> crate::error::Error {
    let message =
        "the elements of this ndarray do not lie in C order; `.as_standard_layout()` puts them in order";
    Problem::Invalid { operation: "copy", message: message.to_owned() }.into()
}

/// Data of the host as a device gets it.
#[doc(hidden)]
pub struct HostBytes<'a> {
    /// The type of the numbers; none for structures.
    pub(crate) dtype: Option<DType>,
    /// The size of a value in bytes.
    pub(crate) size: usize,
    pub(crate) bytes: Cow<'a, [u8]>,
}

impl<'a> HostBytes<'a> {
    pub(crate) fn of<T: KernelData>(values: &'a [T]) -> HostBytes<'a> {
        HostBytes { dtype: T::ELEMENT, size: T::BYTES, bytes: T::all_to_kernel_bytes(values) }
    }
}

/// Borrowed data as data: slices have no size, so they cannot be a trait
/// object themselves.
pub(crate) struct Lent<'a, A: ?Sized>(pub(crate) &'a mut A);

impl<A: HostDataMut + ?Sized> HostData for Lent<'_, A> {
    fn data(&self) -> Result<HostBytes<'_>> {
        self.0.data()
    }
}

impl<A: HostDataMut + ?Sized> HostDataMut for Lent<'_, A> {
    fn receive(&mut self, fill: &dyn Fn(&mut [u8]) -> Result<()>) -> Result<()> {
        self.0.receive(fill)
    }
}
