//! Arrays of the host: what memory of a shape can be made from.

use ndarray::{ArrayBase, Data, Dimension};

use super::{Managed, PageLocked};
use crate::array::Elem;
use crate::error::{Problem, Result};
use crate::shape::Shape;

/// An element of memory that the host and a device use in place: all element
/// types but `bool`, since a device may leave any byte.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of memory that host and device share",
    note = "all element types can, except `bool`: a kernel may write any byte there; use `u8`"
)]
pub trait HostElem: Elem + bytemuck::Pod {}

impl<T: Elem + bytemuck::Pod> HostElem for T {}

/// An array of the host with elements in order: slices, vectors, arrays,
/// those of `ndarray` in C order, page-locked and managed ones.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an array of the host",
    note = "use a slice, `Vec` or array of numbers, or an `ndarray` array"
)]
pub trait HostArray {
    /// The type of the elements.
    type Elem: Elem;

    #[doc(hidden)]
    fn lengths(&self) -> Vec<usize>;

    #[doc(hidden)]
    fn elements(&self) -> Result<&[Self::Elem]>;
}

macro_rules! of_one_axis {
    ($($for:ty [$($generics:tt)*];)*) => {$(
        impl<T: Elem $($generics)*> HostArray for $for {
            type Elem = T;

            fn lengths(&self) -> Vec<usize> {
                vec![self.len()]
            }

            fn elements(&self) -> Result<&[T]> {
                Ok(self)
            }
        }
    )*};
}
of_one_axis! {
    [T] [];
    Vec<T> [];
    [T; N] [, const N: usize];
}

impl<T: Elem, const N: usize, const M: usize> HostArray for [[T; M]; N] {
    type Elem = T;

    fn lengths(&self) -> Vec<usize> {
        vec![N, M]
    }

    fn elements(&self) -> Result<&[T]> {
        Ok(self.as_flattened())
    }
}

impl<T: Elem, S: Data<Elem = T>, D: Dimension> HostArray for ArrayBase<S, D> {
    type Elem = T;

    fn lengths(&self) -> Vec<usize> {
        self.shape().to_vec()
    }

    fn elements(&self) -> Result<&[T]> {
        self.as_slice().ok_or_else(|| {
            let message = "the elements of this ndarray do not lie in C order; `.as_standard_layout()` puts \
                           them in order"
                .to_owned();
            Problem::Invalid { operation: "copy", message }.into()
        })
    }
}

impl<T: HostElem> HostArray for PageLocked<T> {
    type Elem = T;

    fn lengths(&self) -> Vec<usize> {
        self.shape().to_vec()
    }

    fn elements(&self) -> Result<&[T]> {
        self.try_slice()
    }
}

impl<T: HostElem> HostArray for Managed<T> {
    type Elem = T;

    fn lengths(&self) -> Vec<usize> {
        self.shape().to_vec()
    }

    fn elements(&self) -> Result<&[T]> {
        self.try_slice()
    }
}

/// The shape of an array, checked as a user's is.
pub(super) fn shape_of(lengths: &[usize], operation: &'static str, itemsize: usize) -> Result<Shape> {
    use crate::shape::IntoShape as _;
    lengths.into_dims().shape(operation, itemsize)
}

/// What page-locked and managed arrays have in common.
macro_rules! in_place {
    ($name:ident) => {
        impl<T: HostElem> $name<T> {
            /// The lengths of the axes.
            pub fn shape(&self) -> &[usize] {
                self.shape.lengths()
            }

            /// The size of all elements in bytes.
            pub fn nbytes(&self) -> usize {
                self.memory.len()
            }

            /// The elements as an array of `ndarray`, after the device's
            /// writes.
            ///
            /// # Panics
            ///
            /// With an [`Error`](crate::Error), if they failed.
            #[track_caller]
            pub fn array(&self) -> ndarray::ArrayViewD<'_, T> {
                use crate::error::OrRaise as _;
                let elements = self.try_slice().or_raise();
                ndarray::ArrayViewD::from_shape(self.shape.lengths(), elements).expect("as many elements")
            }

            /// The elements as an array of `ndarray` to be changed, after all
            /// that the device does with them.
            ///
            /// # Panics
            ///
            /// As for `array`.
            #[track_caller]
            pub fn array_mut(&mut self) -> ndarray::ArrayViewMutD<'_, T> {
                use crate::error::OrRaise as _;
                let shape = self.shape;
                let elements = self.try_slice_mut().or_raise();
                ndarray::ArrayViewMutD::from_shape(shape.lengths(), elements).expect("as many elements")
            }

            /// The elements, after the device's writes.
            ///
            /// # Errors
            ///
            /// If they failed.
            pub fn try_slice(&self) -> crate::Result<&[T]> {
                match self.memory.bytes()? {
                    // No bytes lie nowhere in particular.
                    [] => Ok(&[]),
                    bytes => Ok(bytemuck::cast_slice(bytes)),
                }
            }

            /// The elements to be changed, after all that the device does with
            /// them.
            ///
            /// # Errors
            ///
            /// If that failed.
            pub fn try_slice_mut(&mut self) -> crate::Result<&mut [T]> {
                match self.memory.bytes_mut()? {
                    [] => Ok(&mut []),
                    bytes => Ok(bytemuck::cast_slice_mut(bytes)),
                }
            }
        }

        impl<T: HostElem> std::ops::Deref for $name<T> {
            type Target = [T];

            /// # Panics
            ///
            /// With an [`Error`](crate::Error), if the device's writes failed.
            #[track_caller]
            fn deref(&self) -> &[T] {
                use crate::error::OrRaise as _;
                self.try_slice().or_raise()
            }
        }

        impl<T: HostElem> std::ops::DerefMut for $name<T> {
            /// # Panics
            ///
            /// As `deref`.
            #[track_caller]
            fn deref_mut(&mut self) -> &mut [T] {
                use crate::error::OrRaise as _;
                self.try_slice_mut().or_raise()
            }
        }

        impl<T: HostElem> std::fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self.try_slice() {
                    Ok(elements) => {
                        let shape = self.shape.lengths();
                        let view = ndarray::ArrayViewD::from_shape(shape, elements);
                        view.map_or(Err(std::fmt::Error), |view| std::fmt::Debug::fmt(&view, f))
                    }
                    Err(error) => write!(f, "{error}"),
                }
            }
        }

        impl<T: HostElem> crate::array::ToGpu for $name<T> {
            type Elem = T;

            fn upload(&self) -> crate::Result<crate::array::Raw> {
                use crate::shape::IntoShape as _;
                crate::array::upload(self.shape.lengths().into_dims(), T::DTYPE, self.memory.bytes()?)
            }
        }

        impl<T: HostElem> crate::memory::HostData for $name<T> {
            fn data(&self) -> crate::Result<crate::memory::HostBytes<'_>> {
                let bytes = std::borrow::Cow::Borrowed(self.memory.bytes()?);
                Ok(crate::memory::HostBytes { dtype: Some(T::DTYPE), size: T::DTYPE.size(), bytes })
            }
        }

        impl<T: HostElem> crate::memory::HostDataMut for $name<T> {
            fn receive(&mut self, fill: &dyn Fn(&mut [u8]) -> crate::Result<()>) -> crate::Result<()> {
                // In place: any bytes are elements.
                fill(self.memory.bytes_mut()?)
            }
        }
    };
}
pub(super) use in_place;
