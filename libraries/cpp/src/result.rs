//! What a function in C++ can return.

use std::ffi::c_void;

use gpurepl_extend::{DType, Elem};
use half::f16;
use num_complex::{Complex32, Complex64};

use crate::types;

/// Where a trampoline leaves a result: a number, an address, or a text that `malloc` has made.
#[derive(Default)]
#[doc(hidden)]
pub struct Returned {
    /// The bytes of a number, or the address and the length of a text.
    pub(crate) words: [u128; 2],
}

impl Returned {
    fn bytes(&self) -> [u8; 16] {
        self.words[0].to_ne_bytes()
    }
}

/// How a result is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[doc(hidden)]
pub struct ResultType {
    /// The type in a trampoline.
    pub(crate) cpp: &'static str,
    /// As messages name it.
    pub(crate) rust: &'static str,
}

/// A type that the result of a function in C++ can be asked for: what comes first in
/// `module.call::<f64>("sum", ..)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a function in C++",
    note = "say first what the call returns: `module.call::<f64>(\"sum\", ..)`; a number, `bool`, a complex number, `String`, \
            `*mut c_void`, or `()`"
)]
pub trait CppResult: Sized {
    #[doc(hidden)]
    const TYPE: ResultType;

    #[doc(hidden)]
    fn take(returned: &Returned) -> Self;
}

macro_rules! numbers {
    ($($t:ty)*) => {$(
        impl CppResult for $t {
            const TYPE: ResultType = of_dtype(<$t as Elem>::DTYPE);

            fn take(returned: &Returned) -> $t {
                <$t as Elem>::from_bytes(&returned.bytes()[..size_of::<$t>()])[0]
            }
        }
    )*};
}
numbers!(bool i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 Complex32 Complex64);

const fn of_dtype(dtype: DType) -> ResultType {
    ResultType { cpp: types::of_dtype(dtype), rust: dtype.rust() }
}

impl CppResult for () {
    const TYPE: ResultType = ResultType { cpp: "void", rust: "()" };

    fn take(_: &Returned) {}
}

impl CppResult for usize {
    const TYPE: ResultType = ResultType { cpp: "std::size_t", rust: "usize" };

    fn take(returned: &Returned) -> usize {
        returned.words[0] as usize
    }
}

impl CppResult for isize {
    const TYPE: ResultType = ResultType { cpp: "std::ptrdiff_t", rust: "isize" };

    fn take(returned: &Returned) -> isize {
        returned.words[0] as isize
    }
}

impl CppResult for *mut c_void {
    const TYPE: ResultType = ResultType { cpp: "void *", rust: "*mut c_void" };

    fn take(returned: &Returned) -> *mut c_void {
        returned.words[0] as usize as *mut c_void
    }
}

impl CppResult for *const c_void {
    const TYPE: ResultType = ResultType { cpp: "const void *", rust: "*const c_void" };

    fn take(returned: &Returned) -> *const c_void {
        returned.words[0] as usize as *const c_void
    }
}

/// Of a `std::string`, or of a `const char *`. Bytes that are not UTF-8 become `\u{fffd}`.
impl CppResult for String {
    const TYPE: ResultType = ResultType { cpp: "std::string", rust: "String" };

    fn take(returned: &Returned) -> String {
        let (address, length) = (returned.words[0] as usize as *mut u8, returned.words[1] as usize);
        if address.is_null() {
            return String::new();
        }
        // SAFETY: a trampoline whose result is asked for as a text leaves the address and the length of a
        // copy there, which `malloc` has made for this; each call has a `Returned` of its own.
        unsafe {
            let text = String::from_utf8_lossy(std::slice::from_raw_parts(address, length)).into_owned();
            libc::free(address.cast());
            text
        }
    }
}
