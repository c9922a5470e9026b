//! Functions that `library!` declares.

use std::ffi::{CStr, CString};
use std::path::Path;
use std::sync::OnceLock;

use gpurepl_extend::memory::{AlignedArray, HostElem, Managed, PageLocked};
use gpurepl_extend::{AnyArray, Elem, Error, GpuArray, Result, compilers, error, refuse_in_capture};
use half::f16;
use num_complex::{Complex32, Complex64};

use crate::library::Opened;
use crate::ordered::{self, check, ordered};

/// A library that is loaded when a function of it is called first, and kept.
#[doc(hidden)]
pub struct DeclaredLibrary {
    name: &'static str,
    opened: OnceLock<Opened>,
}

impl DeclaredLibrary {
    /// The library of this name or path.
    pub const fn new(name: &'static str) -> DeclaredLibrary {
        DeclaredLibrary { name, opened: OnceLock::new() }
    }

    /// The address of a function.
    ///
    /// # Errors
    ///
    /// If the library, or the function in it, is not there.
    pub fn address(&self, function: &str) -> Result<usize> {
        let opened = match self.opened.get() {
            Some(opened) => opened,
            None => {
                let opened = Opened::new(Path::new(self.name))?;
                self.opened.get_or_init(|| opened)
            }
        };
        opened.address(function)
    }
}

/// The arguments of a call that wait for it.
#[doc(hidden)]
pub struct DeclaredCall {
    function: &'static str,
    arrays: Vec<ordered::Passed>,
    texts: Vec<CString>,
    number: usize,
    failure: Option<Error>,
}

/// An argument as it is passed: known, or the array of this number.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub enum Passed<C> {
    Ready(C),
    Array(usize, fn(usize) -> C),
}

impl<C: Copy> Passed<C> {
    /// The value, where arrays have these addresses.
    pub fn value(self, addresses: &[usize]) -> C {
        match self {
            Passed::Ready(value) => value,
            Passed::Array(number, of) => of(addresses[number]),
        }
    }
}

impl DeclaredCall {
    /// The call of a function.
    #[inline(never)]
    pub fn new(function: &'static str) -> DeclaredCall {
        DeclaredCall { function, arrays: Vec::new(), texts: Vec::new(), number: 0, failure: None }
    }

    /// Takes an argument.
    pub fn argument<A: CArgument>(&mut self, argument: A) -> Passed<A::C> {
        self.number += 1;
        argument.pass(self)
    }

    #[inline(never)]
    fn array(&mut self, array: AnyArray, is_written: bool) -> usize {
        self.arrays.push(ordered::Passed { array, is_written, number: self.number });
        self.arrays.len() - 1
    }

    #[inline(never)]
    fn text(&mut self, text: &[u8]) -> *const libc::c_char {
        match CString::new(text) {
            Ok(text) => {
                self.texts.push(text);
                self.texts.last().map_or(std::ptr::null(), |text| text.as_ptr())
            }
            Err(nul) => {
                let message = format!(
                    "argument {}: the text has a zero byte at {}, where a text of C ends",
                    self.number,
                    nul.nul_position()
                );
                self.failure.get_or_insert(error::argument(self.function, message));
                std::ptr::null()
            }
        }
    }

    #[inline(never)]
    fn place<T>(&mut self, found: Result<*mut T>) -> *mut T {
        found.unwrap_or_else(|error| {
            self.failure.get_or_insert(error);
            std::ptr::null_mut()
        })
    }

    /// Does the call, with the addresses of the arrays, in the order of the streams.
    ///
    /// # Errors
    ///
    /// If an argument could not be passed, or an array is not contiguous, or on a GPU while the library does not take
    /// device memory.
    #[inline(never)]
    pub fn perform(mut self, takes_device_memory: bool, call: &mut dyn FnMut(&[usize])) -> Result<()> {
        refuse_in_capture("a call of a library")?;
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        for passed in &self.arrays {
            let otherwise = "declare a library that takes device memory by `cuda` behind its name";
            check(self.function, passed, takes_device_memory, otherwise)?;
        }
        ordered("a call of a library", &mut self.arrays, takes_device_memory, call)?;
        compilers::write_out();
        drop(self.texts);
        Ok(())
    }
}

/// The result of a call that was made.
///
/// # Errors
///
/// If it was not.
#[doc(hidden)]
pub fn returned<R: CReturn>(function: &str, result: Option<R::C>) -> Result<R> {
    result.map(R::from_c).ok_or_else(|| error::call(function, "the call was not made".to_owned()))
}

/// What a function that `library!` declares can take, and the type that C has for it: `&GpuArray<f64>` is a
/// `const double *`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a function of C",
    note = "a parameter is a number, `&GpuArray<T>` (`const T *`), `&mut GpuArray<T>` (`T *`), `&[T]`, `&mut [T]`, \
            `&mut T`, `&str` (`const char *`), or a raw pointer"
)]
pub trait CArgument {
    /// The type in C.
    type C: Copy;

    #[doc(hidden)]
    fn pass(self, call: &mut DeclaredCall) -> Passed<Self::C>;
}

/// What a function that `library!` declares can return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a function of C",
    note = "a result is a number, `bool`, a raw pointer, or nothing"
)]
pub trait CReturn {
    /// The type in C.
    type C;

    #[doc(hidden)]
    fn from_c(value: Self::C) -> Self;
}

macro_rules! numbers {
    ($($t:ty)*) => {$(
        impl CArgument for $t {
            type C = $t;

            fn pass(self, _: &mut DeclaredCall) -> Passed<$t> {
                Passed::Ready(self)
            }
        }

        impl CReturn for $t {
            type C = $t;

            fn from_c(value: $t) -> $t {
                value
            }
        }
    )*};
}
numbers!(i8 i16 i32 i64 u8 u16 u32 u64 usize isize f32 f64);

macro_rules! written_numbers {
    ($($t:ty)*) => {$(
        impl CArgument for &mut $t {
            type C = *mut $t;

            fn pass(self, _: &mut DeclaredCall) -> Passed<*mut $t> {
                Passed::Ready(std::ptr::from_mut(self))
            }
        }
    )*};
}
written_numbers!(i8 i16 i32 i64 u8 u16 u32 u64 usize isize f16 f32 f64 Complex32 Complex64);

impl CArgument for bool {
    type C = bool;

    fn pass(self, _: &mut DeclaredCall) -> Passed<bool> {
        Passed::Ready(self)
    }
}

impl CReturn for bool {
    // A library may leave any byte there, of which Rust allows two.
    type C = u8;

    fn from_c(value: u8) -> bool {
        value != 0
    }
}

impl CReturn for () {
    type C = ();

    fn from_c((): ()) {}
}

macro_rules! pointers {
    ($($pointer:ty)*) => {$(
        impl<T> CArgument for $pointer {
            type C = $pointer;

            fn pass(self, _: &mut DeclaredCall) -> Passed<$pointer> {
                Passed::Ready(self)
            }
        }

        impl<T> CReturn for $pointer {
            type C = $pointer;

            fn from_c(value: $pointer) -> $pointer {
                value
            }
        }
    )*};
}
pointers!(*const T *mut T);

impl<T: Elem> CArgument for &GpuArray<T> {
    type C = *const T;

    fn pass(self, call: &mut DeclaredCall) -> Passed<*const T> {
        Passed::Array(call.array(AnyArray::of(self), false), |address| address as *const T)
    }
}

impl<T: Elem> CArgument for &mut GpuArray<T> {
    type C = *mut T;

    fn pass(self, call: &mut DeclaredCall) -> Passed<*mut T> {
        Passed::Array(call.array(AnyArray::of(self), true), |address| address as *mut T)
    }
}

macro_rules! elements {
    ($($for:ty [$($generics:tt)*];)*) => {$(
        impl<T: Elem $($generics)*> CArgument for &$for {
            type C = *const T;

            fn pass(self, _: &mut DeclaredCall) -> Passed<*const T> {
                Passed::Ready(self.as_ptr())
            }
        }

        impl<T: HostElem $($generics)*> CArgument for &mut $for {
            type C = *mut T;

            fn pass(self, _: &mut DeclaredCall) -> Passed<*mut T> {
                Passed::Ready(self.as_mut_ptr())
            }
        }
    )*};
}
elements! {
    [T] [];
    Vec<T> [];
    [T; N] [, const N: usize];
}

macro_rules! in_place {
    ($($name:ident)*) => {$(
        impl<T: HostElem> CArgument for &$name<T> {
            type C = *const T;

            fn pass(self, call: &mut DeclaredCall) -> Passed<*const T> {
                Passed::Ready(call.place(self.try_slice().map(|elements| elements.as_ptr().cast_mut())).cast_const())
            }
        }

        impl<T: HostElem> CArgument for &mut $name<T> {
            type C = *mut T;

            fn pass(self, call: &mut DeclaredCall) -> Passed<*mut T> {
                Passed::Ready(call.place(self.try_slice_mut().map(<[T]>::as_mut_ptr)))
            }
        }
    )*};
}
in_place!(PageLocked Managed);

impl<T: HostElem> CArgument for &AlignedArray<T> {
    type C = *const T;

    fn pass(self, _: &mut DeclaredCall) -> Passed<*const T> {
        Passed::Ready(self.as_ptr())
    }
}

impl<T: HostElem> CArgument for &mut AlignedArray<T> {
    type C = *mut T;

    fn pass(self, _: &mut DeclaredCall) -> Passed<*mut T> {
        Passed::Ready(self.as_mut_ptr())
    }
}

impl CArgument for &str {
    type C = *const libc::c_char;

    fn pass(self, call: &mut DeclaredCall) -> Passed<*const libc::c_char> {
        Passed::Ready(call.text(self.as_bytes()))
    }
}

impl CArgument for &CStr {
    type C = *const libc::c_char;

    fn pass(self, _: &mut DeclaredCall) -> Passed<*const libc::c_char> {
        Passed::Ready(self.as_ptr())
    }
}
