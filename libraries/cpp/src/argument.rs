//! What can be passed to a function in C++.

use std::ffi::{CStr, CString, c_void};

use gpurepl_extend::memory::{AlignedArray, HostElem, Managed, PageLocked};
use gpurepl_extend::{AnyArray, DType, Elem, Error, GpuArray, KernelData, Result, Struct, error};
use half::f16;
use num_complex::{Complex32, Complex64};

use crate::types::{ArgumentType, Kind};

/// The arguments of a call, without their types.
#[derive(Default)]
pub struct CppArgumentList<'a> {
    items: Vec<Item<'a>>,
    /// What was wrong with an argument, by its number.
    failure: Option<(usize, Error)>,
}

/// One of them.
pub(crate) struct Item<'a> {
    pub(crate) of: ArgumentType,
    pub(crate) value: Value,
    /// What the address leads to is borrowed.
    borrowed: std::marker::PhantomData<&'a ()>,
}

/// What the function gets.
pub(crate) enum Value {
    /// The bytes of a number or a structure, aligned as any of them.
    Bytes(Box<[u128]>),
    /// An address, of the host or of a device.
    Address(usize),
    /// An array, whose address is known when the call is in order.
    Array { array: AnyArray, is_written: bool },
    /// A text of C.
    Text(CString),
}

impl<'a> CppArgumentList<'a> {
    // Not generic, and not inlined: each tuple of arguments in a cell is a row of calls to these.

    #[inline(never)]
    fn push(&mut self, of: ArgumentType, value: Value) {
        self.items.push(Item { of, value, borrowed: std::marker::PhantomData });
    }

    #[inline(never)]
    fn number(&mut self, bytes: &[u8], dtype: DType, rust: &'static str) {
        self.push(ArgumentType::number(dtype, rust), Value::Bytes(aligned(bytes)));
    }

    #[inline(never)]
    fn array(&mut self, array: AnyArray, is_written: bool) {
        let of = ArgumentType::pointer(array.dtype(), is_written, true);
        self.push(of, Value::Array { array, is_written });
    }

    #[inline(never)]
    fn elements(&mut self, address: usize, dtype: DType, is_mutable: bool) {
        self.push(ArgumentType::pointer(dtype, is_mutable, false), Value::Address(address));
    }

    #[inline(never)]
    fn fallible(&mut self, address: Result<usize>, dtype: DType, is_mutable: bool) {
        match address {
            Ok(address) => self.elements(address, dtype, is_mutable),
            Err(error) => self.fail(error, ArgumentType::pointer(dtype, is_mutable, false)),
        }
    }

    #[inline(never)]
    fn text(&mut self, text: &[u8]) {
        let of = ArgumentType { cpp: "const char *".to_owned(), rust: "&str".to_owned(), kind: Kind::Text };
        match CString::new(text) {
            Ok(text) => self.push(of, Value::Text(text)),
            Err(nul) => {
                let message = format!(
                    "the text has a zero byte at {}, where a text of C ends; pass its bytes, `text.as_bytes()`",
                    nul.nul_position()
                );
                self.fail(error::invalid("&str", message), of);
            }
        }
    }

    #[inline(never)]
    fn opaque(&mut self, address: usize, is_mutable: bool) {
        let (cpp, rust) = match is_mutable {
            true => ("gpurepl_pointer", "*mut c_void"),
            false => ("gpurepl_const_pointer", "*const c_void"),
        };
        let of =
            ArgumentType { cpp: cpp.to_owned(), rust: rust.to_owned(), kind: Kind::Opaque { is_mutable } };
        self.push(of, Value::Address(address));
    }

    #[inline(never)]
    fn structure(&mut self, bytes: Vec<u8>, declaration: &str, rust: &'static str) {
        let name = rust.rsplit("::").next().unwrap_or(rust);
        let kind = Kind::Structure { bytes: bytes.len() };
        let of = ArgumentType { cpp: declaration.trim().to_owned(), rust: format!("Struct({name})"), kind };
        self.push(of, Value::Bytes(aligned(&bytes)));
    }

    fn fail(&mut self, error: Error, of: ArgumentType) {
        self.failure.get_or_insert((self.items.len() + 1, error));
        self.push(of, Value::Address(0));
    }

    /// The arguments, or the first that cannot be passed.
    pub(crate) fn checked(self, function: &str) -> Result<Vec<Item<'a>>> {
        match self.failure {
            Some((number, error)) => Err(error::argument(function, format!("argument {number}: {error}"))),
            None => Ok(self.items),
        }
    }
}

/// Bytes in memory that any type can lie in.
pub(crate) fn aligned(bytes: &[u8]) -> Box<[u128]> {
    let mut words = vec![0_u128; bytes.len().div_ceil(16).max(1)];
    for (word, part) in words.iter_mut().zip(bytes.chunks(16)) {
        let mut whole = [0; 16];
        whole[..part.len()].copy_from_slice(part);
        *word = u128::from_ne_bytes(whole);
    }
    words.into_boxed_slice()
}

/// Something that can be passed to a function in C++.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a function in C++",
    note = "pass numbers, `&array` (`const T *`), `&mut array` (`T *`), slices and vectors, `&mut number`, texts, \
            page-locked or managed arrays, `Struct(value)`, or a `*mut c_void` that a function has returned",
    note = "device memory without a type can become an array: `GpuArray::from_raw`"
)]
pub trait CppArgument<'a> {
    #[doc(hidden)]
    fn add_to(self, list: &mut CppArgumentList<'a>);
}

macro_rules! numbers {
    ($($t:ty)*) => {$(
        impl<'a> CppArgument<'a> for $t {
            fn add_to(self, list: &mut CppArgumentList<'a>) {
                list.number(<$t as Elem>::as_bytes(&[self]), <$t as Elem>::DTYPE, <$t as Elem>::DTYPE.rust());
            }
        }
    )*};
}
numbers!(bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex32 Complex64);

impl<'a> CppArgument<'a> for usize {
    fn add_to(self, list: &mut CppArgumentList<'a>) {
        list.number(&self.to_ne_bytes(), DType::UInt64, "usize");
    }
}

impl<'a> CppArgument<'a> for isize {
    fn add_to(self, list: &mut CppArgumentList<'a>) {
        list.number(&self.to_ne_bytes(), DType::Int64, "isize");
    }
}

/// A number that the function writes: a `double *`.
macro_rules! written_numbers {
    ($($t:ty)*) => {$(
        impl<'a> CppArgument<'a> for &'a mut $t {
            fn add_to(self, list: &mut CppArgumentList<'a>) {
                list.elements(std::ptr::from_mut(self) as usize, <$t as Elem>::DTYPE, true);
            }
        }
    )*};
}
// Not `bool`: C++ may leave any byte there, of which Rust allows two.
written_numbers!(i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex32 Complex64);

impl<'a, T: Elem> CppArgument<'a> for &'a GpuArray<T> {
    fn add_to(self, list: &mut CppArgumentList<'a>) {
        list.array(AnyArray::of(self), false);
    }
}

impl<'a, T: Elem> CppArgument<'a> for &'a mut GpuArray<T> {
    fn add_to(self, list: &mut CppArgumentList<'a>) {
        list.array(AnyArray::of(self), true);
    }
}

macro_rules! read_elements {
    ($($for:ty [$($generics:tt)*];)*) => {$(
        impl<'a, T: Elem $($generics)*> CppArgument<'a> for &'a $for {
            fn add_to(self, list: &mut CppArgumentList<'a>) {
                list.elements(self.as_ptr() as usize, T::DTYPE, false);
            }
        }
    )*};
}
read_elements! {
    [T] [];
    Vec<T> [];
    [T; N] [, const N: usize];
}

macro_rules! written_elements {
    ($($for:ty [$($generics:tt)*];)*) => {$(
        impl<'a, T: HostElem $($generics)*> CppArgument<'a> for &'a mut $for {
            fn add_to(self, list: &mut CppArgumentList<'a>) {
                list.elements(self.as_mut_ptr() as usize, T::DTYPE, true);
            }
        }
    )*};
}
written_elements! {
    [T] [];
    Vec<T> [];
    [T; N] [, const N: usize];
}

/// Memory of the host that a device uses too: the call waits for the device.
macro_rules! in_place {
    ($($name:ident)*) => {$(
        impl<'a, T: HostElem> CppArgument<'a> for &'a $name<T> {
            fn add_to(self, list: &mut CppArgumentList<'a>) {
                list.fallible(self.try_slice().map(|elements| elements.as_ptr() as usize), T::DTYPE, false);
            }
        }

        impl<'a, T: HostElem> CppArgument<'a> for &'a mut $name<T> {
            fn add_to(self, list: &mut CppArgumentList<'a>) {
                list.fallible(self.try_slice_mut().map(|elements| elements.as_mut_ptr() as usize), T::DTYPE, true);
            }
        }
    )*};
}
in_place!(PageLocked Managed);

impl<'a, T: HostElem> CppArgument<'a> for &'a AlignedArray<T> {
    fn add_to(self, list: &mut CppArgumentList<'a>) {
        list.elements(self.as_ptr() as usize, T::DTYPE, false);
    }
}

impl<'a, T: HostElem> CppArgument<'a> for &'a mut AlignedArray<T> {
    fn add_to(self, list: &mut CppArgumentList<'a>) {
        list.elements(self.as_mut_ptr() as usize, T::DTYPE, true);
    }
}

impl<'a> CppArgument<'a> for &'a str {
    fn add_to(self, list: &mut CppArgumentList<'a>) {
        list.text(self.as_bytes());
    }
}

impl<'a> CppArgument<'a> for &'a String {
    fn add_to(self, list: &mut CppArgumentList<'a>) {
        list.text(self.as_bytes());
    }
}

impl<'a> CppArgument<'a> for &'a CStr {
    fn add_to(self, list: &mut CppArgumentList<'a>) {
        list.text(self.to_bytes());
    }
}

impl<'a> CppArgument<'a> for &'a CString {
    fn add_to(self, list: &mut CppArgumentList<'a>) {
        list.text(self.to_bytes());
    }
}

/// A pointer that a function has returned: it becomes a pointer to what the function wants.
impl<'a> CppArgument<'a> for *mut c_void {
    fn add_to(self, list: &mut CppArgumentList<'a>) {
        list.opaque(self as usize, true);
    }
}

/// As a `*mut c_void`, for what is only read.
impl<'a> CppArgument<'a> for *const c_void {
    fn add_to(self, list: &mut CppArgumentList<'a>) {
        list.opaque(self as usize, false);
    }
}

/// A structure by value; the text in C++ declares it by the same name.
impl<'a, T: KernelData> CppArgument<'a> for Struct<T> {
    fn add_to(self, list: &mut CppArgumentList<'a>) {
        let mut bytes = vec![0; T::BYTES];
        self.0.to_kernel_bytes(&mut bytes);
        list.structure(bytes, &T::c_declaration(""), std::any::type_name::<T>());
    }
}

/// The arguments of a call: a tuple of up to twelve, or one alone.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of arguments of a function in C++",
    note = "arguments are a tuple such as `(&x, x.len(), 2.0)`, of up to 12: numbers, `&array`, `&mut array`, slices, texts"
)]
pub trait CppArguments<'a> {
    #[doc(hidden)]
    fn list(self, list: &mut CppArgumentList<'a>);
}

impl<'a> CppArguments<'a> for () {
    fn list(self, _: &mut CppArgumentList<'a>) {}
}

// `(&a)` is not a tuple in Rust, so one argument need not be in one.
impl<'a, T: CppArgument<'a>> CppArguments<'a> for T {
    fn list(self, list: &mut CppArgumentList<'a>) {
        self.add_to(list);
    }
}

macro_rules! tuples {
    ($($name:ident $place:tt)+) => {
        impl<'a, $($name: CppArgument<'a>),+> CppArguments<'a> for ($($name,)+) {
            fn list(self, list: &mut CppArgumentList<'a>) {
                $(self.$place.add_to(list);)+
            }
        }
    };
}
tuples!(A 0);
tuples!(A 0 B 1);
tuples!(A 0 B 1 C 2);
tuples!(A 0 B 1 C 2 D 3);
tuples!(A 0 B 1 C 2 D 3 E 4);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10);
tuples!(A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11);
