//! Values as kernels have them: numbers, arrays of them, and structures with
//! the layout of C.

use std::borrow::Cow;

use gpurepl_kernels::DType;

use crate::error::Result;

/// A value that a kernel can have: a number, an array of numbers such as
/// `[f32; 3]`, or a structure that [`kernel_struct!`](crate::kernel_struct)
/// declares.
///
/// Rust puts the fields of a structure in any order that it likes, so a
/// structure has to be declared as one that has C's.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not have the layout of C, which kernels need",
    label = "not a value that a kernel can have",
    note = "declare the structure within `kernel_struct! {{ struct Name {{ x: f32, n: i32 }} }}`; numbers and arrays of \
            numbers need nothing"
)]
pub trait KernelData: Sized {
    /// The type of the numbers, where all are of one type.
    #[doc(hidden)]
    const ELEMENT: Option<DType>;

    /// The size of the value in C, in bytes.
    #[doc(hidden)]
    const BYTES: usize;

    /// What its address is a multiple of in C.
    #[doc(hidden)]
    const ALIGNMENT: usize;

    /// Writes the value as C has it. Bytes between fields stay as they are.
    #[doc(hidden)]
    fn to_kernel_bytes(&self, to: &mut [u8]);

    #[doc(hidden)]
    fn from_kernel_bytes(from: &[u8]) -> Self;

    #[doc(hidden)]
    fn all_to_kernel_bytes(values: &[Self]) -> Cow<'_, [u8]> {
        let mut bytes = vec![0; values.len() * Self::BYTES];
        for (k, value) in values.iter().enumerate() {
            value.to_kernel_bytes(&mut bytes[k * Self::BYTES..(k + 1) * Self::BYTES]);
        }
        Cow::Owned(bytes)
    }

    /// Has bytes filled in and takes them over as values.
    #[doc(hidden)]
    fn receive_kernel_bytes(values: &mut [Self], fill: &dyn Fn(&mut [u8]) -> Result<()>) -> Result<()> {
        let mut bytes = vec![0; values.len() * Self::BYTES];
        fill(&mut bytes)?;
        for (k, value) in values.iter_mut().enumerate() {
            *value = Self::from_kernel_bytes(&bytes[k * Self::BYTES..(k + 1) * Self::BYTES]);
        }
        Ok(())
    }
}

impl<T: KernelData, const N: usize> KernelData for [T; N] {
    const ELEMENT: Option<DType> = T::ELEMENT;
    const BYTES: usize = N * T::BYTES;
    const ALIGNMENT: usize = T::ALIGNMENT;

    fn to_kernel_bytes(&self, to: &mut [u8]) {
        for (k, value) in self.iter().enumerate() {
            value.to_kernel_bytes(&mut to[k * T::BYTES..(k + 1) * T::BYTES]);
        }
    }

    fn from_kernel_bytes(from: &[u8]) -> Self {
        std::array::from_fn(|k| T::from_kernel_bytes(&from[k * T::BYTES..(k + 1) * T::BYTES]))
    }

    fn all_to_kernel_bytes(values: &[Self]) -> Cow<'_, [u8]> {
        T::all_to_kernel_bytes(values.as_flattened())
    }

    fn receive_kernel_bytes(values: &mut [Self], fill: &dyn Fn(&mut [u8]) -> Result<()>) -> Result<()> {
        T::receive_kernel_bytes(values.as_flattened_mut(), fill)
    }
}

/// Where the fields of a structure lie in C, and its size and alignment: each
/// field at the next multiple of its alignment, the whole a multiple of the
/// largest.
#[doc(hidden)]
pub const fn layout_of_c<const N: usize>(fields: [(usize, usize); N]) -> ([usize; N], usize, usize) {
    let (mut offsets, mut end, mut alignment, mut k) = ([0; N], 0_usize, 1, 0);
    while k < N {
        let (bytes, aligned) = fields[k];
        offsets[k] = end.next_multiple_of(aligned);
        end = offsets[k] + bytes;
        if aligned > alignment {
            alignment = aligned;
        }
        k += 1;
    }
    (offsets, end.next_multiple_of(alignment), alignment)
}

/// Declares structures that kernels have too, with the layout of C: for
/// [`Struct`](crate::Struct), `In`, `Out`, `InOut` and `memcpy_htod`.
///
/// Fields are numbers, arrays of numbers, and structures of the same kind; a
/// pointer of the kernel's is the `u64` that `a.ptr()` returns. With `impl` in
/// front, it is for a structure that is declared elsewhere.
///
/// ```
/// use gpurepl_prelude::*;
/// kernel_struct! {
///     #[derive(Clone, Copy, Debug, PartialEq)]
///     struct Particle {
///         kind: u8,
///         place: [f64; 2],
///         mass: f32,
///     }
/// }
/// let source = "struct Particle { unsigned char kind; double place[2]; float mass; };
///     __global__ void push(Particle *all, float by) { all[threadIdx.x].place[1] += by * all[threadIdx.x].mass; }";
/// let mut all = vec![Particle { kind: 1, place: [0.0, 1.0], mass: 2.0 }; 3];
/// SourceModule::new(source)?.get_function("push")?.launch(1, 3, (InOut(&mut all), 0.5))?;
/// assert_eq!(all[2], Particle { kind: 1, place: [0.0, 2.0], mass: 2.0 });
/// # Ok::<(), Error>(())
/// ```
#[macro_export]
macro_rules! kernel_struct {
    ($(
        $(#[$attribute:meta])*
        $visible:vis struct $name:ident {
            $($(#[$of_field:meta])* $seen:vis $field:ident : $type:ty),+ $(,)?
        }
    )+) => {$(
        $(#[$attribute])*
        $visible struct $name {
            $($(#[$of_field])* $seen $field: $type),+
        }
        $crate::kernel_struct!(impl $name { $($field: $type),+ });
    )+};
    (impl $name:ident { $($field:ident : $type:ty),+ $(,)? }) => {
        impl $crate::KernelData for $name {
            const ELEMENT: ::core::option::Option<$crate::DType> = ::core::option::Option::None;
            const BYTES: usize =
                $crate::layout_of_c([$((<$type as $crate::KernelData>::BYTES, <$type as $crate::KernelData>::ALIGNMENT)),+]).1;
            const ALIGNMENT: usize =
                $crate::layout_of_c([$((<$type as $crate::KernelData>::BYTES, <$type as $crate::KernelData>::ALIGNMENT)),+]).2;

            fn to_kernel_bytes(&self, to: &mut [u8]) {
                let mut at = 0_usize;
                $(
                    at = at.next_multiple_of(<$type as $crate::KernelData>::ALIGNMENT);
                    let end = at + <$type as $crate::KernelData>::BYTES;
                    <$type as $crate::KernelData>::to_kernel_bytes(&self.$field, &mut to[at..end]);
                    at = end;
                )+
                let _ = at;
            }

            fn from_kernel_bytes(from: &[u8]) -> Self {
                let mut at = 0_usize;
                $(
                    at = at.next_multiple_of(<$type as $crate::KernelData>::ALIGNMENT);
                    let end = at + <$type as $crate::KernelData>::BYTES;
                    let $field = <$type as $crate::KernelData>::from_kernel_bytes(&from[at..end]);
                    at = end;
                )+
                let _ = at;
                $name { $($field),+ }
            }
        }
    };
}

/// Data of the host as a device gets it.
#[doc(hidden)]
pub struct HostBytes<'a> {
    /// The type of the numbers; none for structures.
    pub(crate) dtype: Option<DType>,
    pub(crate) bytes: Cow<'a, [u8]>,
}

impl<'a> HostBytes<'a> {
    pub(crate) fn of<T: KernelData>(values: &'a [T]) -> HostBytes<'a> {
        HostBytes { dtype: T::ELEMENT, bytes: T::all_to_kernel_bytes(values) }
    }
}
