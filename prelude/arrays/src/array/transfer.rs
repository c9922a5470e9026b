//! Between the program's memory and the device's.

use gpurepl_kernels::DType;
use half::f16;
use ndarray::{ArrayBase, ArrayD, Data, Dimension, IxDyn};
use num_complex::{Complex32, Complex64};

use super::kernel_data::{KernelData, Struct};
use super::node::{Node, Place};
use super::raw::Raw;
use super::{Elem, GpuArray};
use crate::error::{OrRaise as _, Problem, Result};
use crate::shape::{Dims, IntoShape};

/// What NumPy calls array_like: arrays on the device or references to them; on
/// the host numbers, slices, vectors and nested arrays of numbers, vectors of
/// vectors, and the arrays of `ndarray`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be copied to the device",
    note = "copy a slice or `Vec` of numbers, an array `[1.0, 2.0]` or `[[1, 2], [3, 4]]`, or an `ndarray` array"
)]
pub trait ToGpu {
    /// The type of the elements.
    type Elem: Elem;

    /// What is on the device already is not copied.
    #[doc(hidden)]
    fn upload(&self) -> Result<Raw>;
}

/// Copies data from the host to a new array on the device. An array that is on
/// the device is passed on, as by CuPy's `asarray`; `copy()` copies it.
///
/// ```
/// use gpurepl_prelude::*;
/// let a = to_gpu(&[1.0f32, 2.0, 3.0]);
/// let b = to_gpu([[1, 2], [3, 4]]);
/// let c = to_gpu(&ndarray::Array2::<f64>::zeros((2, 3)));
/// assert_eq!((a.shape(), b.shape(), c.shape()), (&[3][..], &[2, 2][..], &[2, 3][..]));
/// ```
///
/// # Panics
///
/// With an [`Error`](crate::Error), if the device does not have enough memory for it,
/// or vectors in a vector differ in length; [`try_to_gpu`] returns it instead.
#[track_caller]
pub fn to_gpu<A: ToGpu>(data: A) -> GpuArray<A::Elem> {
    GpuArray::wrap(data.upload().or_raise())
}

/// [`to_gpu`] that returns errors.
///
/// # Errors
///
/// If the device does not have enough memory for the data, or there is no device.
pub fn try_to_gpu<A: ToGpu>(data: A) -> Result<GpuArray<A::Elem>> {
    data.upload().map(GpuArray::wrap)
}

/// Copies the bytes of a contiguous array to the device.
pub fn upload(dims: Dims, dtype: DType, bytes: &[u8]) -> Result<Raw> {
    crate::interrupt::check()?;
    let shape = dims.shape("to_gpu", dtype.size())?;
    assert_eq!(shape.size() * dtype.size(), bytes.len(), "internal error: a shape that is not the data's");
    let place = Place::new(shape, dtype)?;
    if !bytes.is_empty() {
        place.buffer.context().upload(&place.buffer, 0, bytes)?;
    }
    Ok(Raw::new(Node::ready(shape, dtype, place)))
}

/// Copies an array's elements from the device, in order.
pub fn download(raw: &Raw) -> Result<Vec<u8>> {
    let mut bytes = vec![0; raw.shape().size() * raw.dtype().size()];
    download_into(raw, &mut bytes)?;
    Ok(bytes)
}

/// The same, to where there is room for them.
pub(crate) fn download_into(raw: &Raw, to: &mut [u8]) -> Result<()> {
    crate::interrupt::check()?;
    if to.is_empty() {
        return Ok(());
    }
    let place = raw.contiguous()?;
    let offset = place.offset * raw.dtype().size();
    crate::device::use_large_pages(to);
    place.buffer.context().download(&place.buffer, offset, to)
}

impl<T: Elem> ToGpu for [T] {
    type Elem = T;

    fn upload(&self) -> Result<Raw> {
        upload(self.len().into_dims(), T::DTYPE, T::as_bytes(self))
    }
}

impl<T: Elem, const N: usize> ToGpu for [[T; N]] {
    type Elem = T;

    fn upload(&self) -> Result<Raw> {
        upload([self.len(), N].into_dims(), T::DTYPE, T::as_bytes(self.as_flattened()))
    }
}

impl<T: Elem, const N: usize> ToGpu for Vec<[T; N]> {
    type Elem = T;

    fn upload(&self) -> Result<Raw> {
        self.as_slice().upload()
    }
}

/// As bytes, with a row for each structure: an argument for a kernel that takes
/// a pointer to the structure.
impl<T: KernelData> ToGpu for [Struct<T>] {
    type Elem = u8;

    fn upload(&self) -> Result<Raw> {
        let bytes = KernelData::all_to_kernel_bytes(self);
        upload([self.len(), T::BYTES].into_dims(), DType::UInt8, &bytes)
    }
}

impl<T: KernelData> ToGpu for Vec<Struct<T>> {
    type Elem = u8;

    fn upload(&self) -> Result<Raw> {
        self.as_slice().upload()
    }
}

impl<T: Elem> ToGpu for Vec<T> {
    type Elem = T;

    fn upload(&self) -> Result<Raw> {
        self.as_slice().upload()
    }
}

impl<T: Elem, const N: usize> ToGpu for [T; N] {
    type Elem = T;

    fn upload(&self) -> Result<Raw> {
        self.as_slice().upload()
    }
}

/// Nested arrays of so many axes: the name of a length for each, and the type.
macro_rules! nested {
    ($([$($length:ident)+] $nested:ty, $($flat:ident)*;)*) => {$(
        impl<T: Elem, $(const $length: usize),+> ToGpu for $nested {
            type Elem = T;

            fn upload(&self) -> Result<Raw> {
                let elements = self.as_flattened()$(.$flat())*;
                upload([$($length),+].into_dims(), T::DTYPE, T::as_bytes(elements))
            }
        }
    )*};
}
nested! {
    [A B] [[T; B]; A],;
    [A B C] [[[T; C]; B]; A], as_flattened;
    [A B C D] [[[[T; D]; C]; B]; A], as_flattened as_flattened;
    [A B C D E] [[[[[T; E]; D]; C]; B]; A], as_flattened as_flattened as_flattened;
    [A B C D E F] [[[[[[T; F]; E]; D]; C]; B]; A], as_flattened as_flattened as_flattened as_flattened;
    [A B C D E F G] [[[[[[[T; G]; F]; E]; D]; C]; B]; A],
        as_flattened as_flattened as_flattened as_flattened as_flattened;
    [A B C D E F G H] [[[[[[[[T; H]; G]; F]; E]; D]; C]; B]; A],
        as_flattened as_flattened as_flattened as_flattened as_flattened as_flattened;
}

/// The rows of a matrix, of one length.
impl<T: Elem> ToGpu for [Vec<T>] {
    type Elem = T;

    fn upload(&self) -> Result<Raw> {
        let length = self.first().map_or(0, Vec::len);
        if let Some(row) = self.iter().position(|row| row.len() != length) {
            // NumPy's words.
            let message = format!(
                "the array has an inhomogeneous shape: row 0 has {length} elements, and row {row} has {}",
                self[row].len()
            );
            return Err(Problem::Shape { operation: "to_gpu", message }.into());
        }
        upload([self.len(), length].into_dims(), T::DTYPE, T::as_bytes(&self.concat()))
    }
}

impl<T: Elem> ToGpu for Vec<Vec<T>> {
    type Elem = T;

    fn upload(&self) -> Result<Raw> {
        self.as_slice().upload()
    }
}

macro_rules! numbers {
    ($($t:ident)*) => {$(
        /// A number is an array without axes.
        impl ToGpu for $t {
            type Elem = $t;

            fn upload(&self) -> Result<Raw> {
                upload(().into_dims(), <$t>::DTYPE, <$t>::as_bytes(std::slice::from_ref(self)))
            }
        }
    )*};
}
numbers!(bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex32 Complex64);

impl<T: Elem> ToGpu for GpuArray<T> {
    type Elem = T;

    fn upload(&self) -> Result<Raw> {
        Ok(self.raw.clone())
    }
}

impl<T: Elem, S: Data<Elem = T>, D: Dimension> ToGpu for ArrayBase<S, D> {
    type Elem = T;

    fn upload(&self) -> Result<Raw> {
        let dims = self.shape().into_dims();
        match self.as_slice() {
            Some(slice) => upload(dims, T::DTYPE, T::as_bytes(slice)),
            // Not in C order: the elements are copied into it.
            None => upload(dims, T::DTYPE, T::as_bytes(&self.iter().copied().collect::<Vec<T>>())),
        }
    }
}

impl<A: ToGpu + ?Sized> ToGpu for &A {
    type Elem = A::Elem;

    fn upload(&self) -> Result<Raw> {
        (**self).upload()
    }
}

impl<A: ToGpu + ?Sized> ToGpu for &mut A {
    type Elem = A::Elem;

    fn upload(&self) -> Result<Raw> {
        (**self).upload()
    }
}

impl<T: Elem> GpuArray<T> {
    /// Copies the array to the host.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![1.0, 2.0, 3.0];
    /// assert_eq!((2.0 * &a).get(), ndarray::arr1(&[2.0, 4.0, 6.0]).into_dyn());
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the device reports one;
    /// [`GpuArray::try_get`] returns it instead.
    #[track_caller]
    pub fn get(&self) -> ArrayD<T> {
        self.try_get().or_raise()
    }

    /// [`GpuArray::get`] that returns errors.
    ///
    /// # Errors
    ///
    /// If work for this array failed, or the copy does.
    pub fn try_get(&self) -> Result<ArrayD<T>> {
        T::to_ndarray(&self.raw)
    }

    /// Copies the elements to a vector, in C order.
    ///
    /// # Panics
    ///
    /// As [`GpuArray::get`].
    #[track_caller]
    pub fn to_vec(&self) -> Vec<T> {
        T::download(&self.raw).or_raise()
    }

    /// The element of an array that has one.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// assert_eq!(gpu![1.0, 5.0, 2.0].max().item(), 5.0);
    /// ```
    ///
    /// # Panics
    ///
    /// With an [`Error`](crate::Error), if the array has another number of
    /// elements, or as [`GpuArray::get`].
    #[track_caller]
    pub fn item(&self) -> T {
        self.try_item().or_raise()
    }

    /// [`GpuArray::item`] that returns errors.
    ///
    /// # Errors
    ///
    /// If the array has another number of elements than one, or as
    /// [`GpuArray::try_get`].
    pub fn try_item(&self) -> Result<T> {
        one_element(&self.raw).map(|bytes| T::from_bytes(&bytes)[0])
    }
}

fn one_element(raw: &Raw) -> Result<Vec<u8>> {
    if raw.size() != 1 {
        let message = format!("an array of shape {:?} has {} elements, not one", raw.shape(), raw.size());
        return Err(Problem::Shape { operation: "item", message }.into());
    }
    download(raw)
}

/// Shape and elements as an array of `ndarray`, for each element type once.
pub(crate) fn to_ndarray<T: Elem>(raw: &Raw) -> Result<ArrayD<T>> {
    let elements = T::download(raw)?;
    let shape = IxDyn(raw.shape().lengths());
    Ok(ArrayD::from_shape_vec(shape, elements).expect("as many elements as the shape has"))
}

#[cfg(test)]
mod tests {
    use crate::activity::measured;

    #[test]
    fn what_is_measured_is_named_and_added_up() {
        let _alone = crate::interrupt::exclusive::alone();
        let (result, activity) = measured(|| {
            let a = super::to_gpu(&[1.0f32, 2.0]);
            let b = (&a + 1.0).to_vec();
            (a, b)
        });
        assert_eq!(result.1, [2.0, 3.0]);
        // Other tests of this process may work meanwhile.
        assert!(activity.launches >= 1 && activity.bytes_to_device >= 8 && activity.bytes_from_device >= 8);
        let times = activity.times.unwrap();
        let expression = times.iter().find(|work| work.name == "array expression").unwrap();
        assert!(!expression.is_transfer && expression.calls >= 1 && expression.min <= expression.max);
        assert!(times.iter().any(|work| work.is_transfer && work.bytes >= 8));
    }
}
