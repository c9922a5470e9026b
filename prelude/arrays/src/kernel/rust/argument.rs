//! What can be passed to a kernel in Rust, by the type of its parameter.

use gpurepl_kernels::declaration::{CType, Parameter};
use gpurepl_kernels::rust::views::{View, ViewMut};
use gpurepl_kernels::rust::{RustParameter, path_in_crate};

use super::closure::Capture;
use crate::array::{Elem, GpuArray, KernelData, Raw, Struct};
use crate::error::{Error, Problem, Result};
use crate::kernel::argument::{ArgumentList, In, InOut, KernelArg, Out};
use crate::memory::{HostData, HostDataMut};
use half::f16;
use num_complex::{Complex32, Complex64};

/// The arguments of a call, and the parameters that they are for.
#[derive(Default)]
pub struct Call<'a> {
    pub(super) list: ArgumentList<'a>,
    pub(super) parameters: Vec<RustParameter>,
    pub(super) signature: Vec<Parameter>,
    /// Arrays that are passed, and whether the kernel writes them.
    pub(super) arrays: Vec<(&'a Raw, bool)>,
    pub(super) problem: Option<String>,
    error: Option<Error>,
}

impl<'a> Call<'a> {
    fn type_name(&mut self, of: &'static str) -> String {
        path_in_crate(of).unwrap_or_else(|| {
            self.problem.get_or_insert(format!("`{of}`: kernels have no such type"));
            String::from("u8")
        })
    }

    fn parameter(&mut self, ctype: CType, spelling: &str) {
        self.signature.push(Parameter {
            name: String::new(),
            ctype,
            is_char: false,
            spelling: spelling.to_owned(),
            span: 0..0,
            default: None,
            is_pack: false,
            is_structure: false,
        });
    }

    fn value(&mut self, of: &'static str, layout: (usize, usize), ctype: CType) {
        let path = self.type_name(of);
        self.parameter(ctype, of);
        self.parameters.push(RustParameter::Value(path, layout.0, layout.1));
    }

    /// The parameters of a slice; its address is passed before this, its
    /// length here.
    #[inline(never)]
    fn slice(&mut self, of: &'static str, layout: (usize, usize), length: usize, is_const: bool) {
        let path = self.type_name(of);
        self.parameter(CType::Pointer { element: None, is_const }, of);
        self.parameter(CType::Scalar(gpurepl_kernels::DType::UInt64), "usize");
        length.add_to(&mut self.list);
        self.parameters.push(if is_const {
            RustParameter::Slice(path, layout.0, layout.1)
        } else {
            RustParameter::SliceMut(path, layout.0, layout.1)
        });
    }

    #[inline(never)]
    pub(super) fn array(&mut self, raw: &'a Raw, of: &'static str, layout: (usize, usize), is_const: bool) {
        raw.add_to(&mut self.list);
        self.arrays.push((raw, !is_const));
        let length = raw.shape().lengths().iter().product();
        self.slice(of, layout, length, is_const);
    }

    /// An array of so many axes, strided or not.
    #[inline(never)]
    fn view(&mut self, raw: &'a Raw, of: &'static str, layout: (usize, usize), axes: usize, is_const: bool) {
        let path = self.type_name(of);
        self.arrays.push((raw, !is_const));
        let shape = raw.shape();
        let lengths = shape.lengths();
        let (number, name) = (self.arrays.len(), if is_const { "View" } else { "ViewMut" });
        if lengths.len() != axes {
            self.problem.get_or_insert(format!(
                "array {number} is {}-dimensional, and the parameter `{name}<{of}, {axes}>` is {axes}-dimensional\n  = help: `reshape`, `expand_dims` or an index gives it another number of axes",
                lengths.len()
            ));
            return;
        }
        let place = match raw.place() {
            Ok(place) => place,
            Err(error) => {
                self.error.get_or_insert(error);
                return;
            }
        };
        let strides: Vec<isize> = place.strides[..axes].to_vec();
        let is_repeated = |(length, stride): (&usize, &isize)| *length > 1 && *stride == 0;
        if !is_const && lengths.iter().zip(&strides).any(is_repeated) {
            self.problem.get_or_insert(format!(
                "array {number} is a broadcast view, of which several elements are one, and the kernel writes it\n  = help: pass a copy: `&mut x.copy()`"
            ));
            return;
        }
        self.list.strided(raw);
        self.parameter(CType::Pointer { element: None, is_const }, of);
        for length in lengths {
            self.parameter(CType::Scalar(gpurepl_kernels::DType::UInt64), "usize");
            length.add_to(&mut self.list);
        }
        for stride in &strides {
            self.parameter(CType::Scalar(gpurepl_kernels::DType::Int64), "isize");
            stride.add_to(&mut self.list);
        }
        self.parameters.push(if is_const {
            RustParameter::View(path, layout.0, layout.1, axes)
        } else {
            RustParameter::ViewMut(path, layout.0, layout.1, axes)
        });
    }

    /// The value of a captured variable.
    pub(super) fn capture(&mut self, capture: &Capture) {
        let Some(value) = &capture.value else {
            let what = capture.type_name.rsplit("::").next().unwrap_or(capture.type_name);
            let name = capture.name;
            self.problem.get_or_insert(format!(
                "the closure uses `{name}`, a `{what}`, which a device's function cannot have\n  = help: numbers and structures by `kernel_struct!` can be captured; pass an array by `zip_with`"
            ));
            return;
        };
        self.list.structure(value.clone(), capture.type_name);
        self.value(capture.type_name, capture.layout, CType::Other);
    }

    pub(super) fn checked(&self, kernel: &str) -> Result<()> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        match &self.problem {
            None => Ok(()),
            Some(message) => {
                Err(Problem::Argument { kernel: kernel.to_owned(), message: message.clone() }.into())
            }
        }
    }
}

/// Size and alignment of a type.
pub(super) fn layout<T>() -> (usize, usize) {
    (size_of::<T>(), align_of::<T>())
}

/// An argument for a parameter of type `P`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed for the parameter `{P}` of a kernel",
    note = "for `&[T]` pass `&array` or `In(&data)`; for `&mut [T]` pass `&mut array`, `InOut(&mut data)` or `Out(&mut data)`; for a number a number of the same type; for a structure `Struct(value)`; for `Matrix<T>` and `View<T, N>` pass `&array`, for `MatrixMut<T>` `&mut array`"
)]
pub trait RustArgument<'a, P> {
    #[doc(hidden)]
    fn add(self, call: &mut Call<'a>);
}

macro_rules! numbers {
    ($($t:ident)*) => {$(
        impl<'a> RustArgument<'a, $t> for $t {
            fn add(self, call: &mut Call<'a>) {
                self.add_to(&mut call.list);
                call.value(stringify!($t), layout::<$t>(), CType::Scalar(<$t as Elem>::DTYPE));
            }
        }
    )*};
}
numbers!(bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);

macro_rules! larger_numbers {
    ($($t:ident)*) => {$(
        impl<'a> RustArgument<'a, $t> for $t {
            fn add(self, call: &mut Call<'a>) {
                self.add_to(&mut call.list);
                call.value(std::any::type_name::<$t>(), layout::<$t>(), CType::Scalar(<$t as Elem>::DTYPE));
            }
        }
    )*};
}
larger_numbers!(f16 Complex32 Complex64);

impl<'a> RustArgument<'a, usize> for usize {
    fn add(self, call: &mut Call<'a>) {
        self.add_to(&mut call.list);
        call.value("usize", layout::<usize>(), CType::Scalar(gpurepl_kernels::DType::UInt64));
    }
}

impl<'a> RustArgument<'a, isize> for isize {
    fn add(self, call: &mut Call<'a>) {
        self.add_to(&mut call.list);
        call.value("isize", layout::<isize>(), CType::Scalar(gpurepl_kernels::DType::Int64));
    }
}

impl<'a, T: KernelData> RustArgument<'a, T> for Struct<T> {
    fn add(self, call: &mut Call<'a>) {
        self.add_to(&mut call.list);
        call.value(std::any::type_name::<T>(), (T::BYTES, T::ALIGNMENT), CType::Other);
    }
}

impl<'a, T: Elem> RustArgument<'a, &[T]> for &'a GpuArray<T> {
    fn add(self, call: &mut Call<'a>) {
        call.array(&self.raw, std::any::type_name::<T>(), layout::<T>(), true);
    }
}

impl<'a, T: Elem> RustArgument<'a, &mut [T]> for &'a mut GpuArray<T> {
    fn add(self, call: &mut Call<'a>) {
        call.array(&self.raw, std::any::type_name::<T>(), layout::<T>(), false);
    }
}

impl<'a, T: Elem, const N: usize> RustArgument<'a, View<'_, T, N>> for &'a GpuArray<T> {
    fn add(self, call: &mut Call<'a>) {
        call.view(&self.raw, std::any::type_name::<T>(), layout::<T>(), N, true);
    }
}

impl<'a, T: Elem, const N: usize> RustArgument<'a, ViewMut<'_, T, N>> for &'a mut GpuArray<T> {
    fn add(self, call: &mut Call<'a>) {
        call.view(&self.raw, std::any::type_name::<T>(), layout::<T>(), N, false);
    }
}

impl<'a, T: KernelData, A: HostData + AsRef<[T]> + ?Sized> RustArgument<'a, &[T]> for In<'a, A> {
    fn add(self, call: &mut Call<'a>) {
        let length = self.0.as_ref().len();
        self.add_to(&mut call.list);
        call.slice(std::any::type_name::<T>(), (T::BYTES, T::ALIGNMENT), length, true);
    }
}

macro_rules! outputs {
    ($($wrapper:ident)*) => {$(
        impl<'a, T: KernelData, A: HostDataMut + AsRef<[T]> + ?Sized> RustArgument<'a, &mut [T]>
            for $wrapper<'a, A>
        {
            fn add(self, call: &mut Call<'a>) {
                let length = (*self.0).as_ref().len();
                self.add_to(&mut call.list);
                call.slice(std::any::type_name::<T>(), (T::BYTES, T::ALIGNMENT), length, false);
            }
        }
    )*};
}
outputs!(Out InOut);

macro_rules! atomics {
    ($($t:ident $atomic:ident)*) => {$(
        /// Elements that several threads change.
        impl<'a> RustArgument<'a, &[std::sync::atomic::$atomic]> for &'a mut GpuArray<$t> {
            fn add(self, call: &mut Call<'a>) {
                call.array(&self.raw, concat!("::core::sync::atomic::", stringify!($atomic)), layout::<$t>(), false);
                // What the parameter is: a slice that is read, of elements that change.
                if let Some(RustParameter::SliceMut(of, size, alignment)) = call.parameters.pop() {
                    call.parameters.push(RustParameter::Atomics(of, size, alignment));
                }
            }
        }
    )*};
}
atomics! { i32 AtomicI32 u32 AtomicU32 i64 AtomicI64 u64 AtomicU64 }

/// The arguments for the parameters `P` of a kernel: a tuple.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the list of this kernel's arguments",
    note = "arguments are one tuple, in the order of the kernel's parameters: `(2.0, &x, &mut y)`, `(&mut y,)`"
)]
pub trait RustArguments<'a, P> {
    #[doc(hidden)]
    fn add_all(self, call: &mut Call<'a>);
}

macro_rules! tuples {
    ($(($($name:ident $parameter:ident $place:tt),+))*) => {$(
        impl<'a, $($name: RustArgument<'a, $parameter>, $parameter),+> RustArguments<'a, ($($parameter,)+)> for ($($name,)+) {
            fn add_all(self, call: &mut Call<'a>) {
                $(self.$place.add(call);)+
            }
        }
    )*};
}
pub(super) use tuple_lists::for_parameters;
for_parameters!(tuples);

mod tuple_lists {
    /// Calls a macro with the lists of one to twelve arguments and parameters.
    macro_rules! for_parameters {
        ($macro:ident) => {
            $macro! {
                (A0 P0 0)
                (A0 P0 0, A1 P1 1)
                (A0 P0 0, A1 P1 1, A2 P2 2)
                (A0 P0 0, A1 P1 1, A2 P2 2, A3 P3 3)
                (A0 P0 0, A1 P1 1, A2 P2 2, A3 P3 3, A4 P4 4)
                (A0 P0 0, A1 P1 1, A2 P2 2, A3 P3 3, A4 P4 4, A5 P5 5)
                (A0 P0 0, A1 P1 1, A2 P2 2, A3 P3 3, A4 P4 4, A5 P5 5, A6 P6 6)
                (A0 P0 0, A1 P1 1, A2 P2 2, A3 P3 3, A4 P4 4, A5 P5 5, A6 P6 6, A7 P7 7)
                (A0 P0 0, A1 P1 1, A2 P2 2, A3 P3 3, A4 P4 4, A5 P5 5, A6 P6 6, A7 P7 7, A8 P8 8)
                (A0 P0 0, A1 P1 1, A2 P2 2, A3 P3 3, A4 P4 4, A5 P5 5, A6 P6 6, A7 P7 7, A8 P8 8, A9 P9 9)
                (A0 P0 0, A1 P1 1, A2 P2 2, A3 P3 3, A4 P4 4, A5 P5 5, A6 P6 6, A7 P7 7, A8 P8 8, A9 P9 9, A10 P10 10)
                (A0 P0 0, A1 P1 1, A2 P2 2, A3 P3 3, A4 P4 4, A5 P5 5, A6 P6 6, A7 P7 7, A8 P8 8, A9 P9 9, A10 P10 10, A11 P11 11)
            }
        };
    }
    pub(in crate::kernel::rust) use for_parameters;
}
