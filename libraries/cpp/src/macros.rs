//! `library!`.

/// Declares functions of a shared library as functions of Rust, in a module of their own. It needs no compiler.
///
/// ```
/// use gpurepl_prelude::*;
/// library! {
///     // SAFETY: `math.h` declares them so.
///     unsafe math: "libm.so.6" {
///         fn cos(x: f64) -> f64;
///         /// A number as a fraction and a power of two.
///         fn frexp(x: f64, exponent: &mut i32) -> f64;
///     }
/// }
/// let mut exponent = 0;
/// assert_eq!(math::cos(0.0)?, 1.0);
/// assert_eq!((math::frexp(12.0, &mut exponent)?, exponent), (0.75, 4));
/// # Ok::<(), Error>(())
/// ```
///
/// Each function returns a `Result`. The library is loaded when one of them is called first, and kept: by its path, or
/// by a name that the system's loader searches.
///
/// | declared | C has |
/// |---|---|
/// | `f64`, `i32`, `usize`, `bool` | `double`, `int`, `size_t`, `bool` |
/// | `&GpuArray<f32>`, `&[f32]` | `const float *` |
/// | `&mut GpuArray<f32>`, `&mut [f32]`, `&mut f32` | `float *` |
/// | `&str` | `const char *` |
/// | `*mut T` | `T *` |
///
/// `unsafe example: "libexample.so" cuda { .. }` declares a library that takes device memory: arrays on a GPU are
/// refused without.
///
/// # Safety
///
/// A declaration that is not the function's is undefined behaviour; `unsafe` promises that each is. Where a function
/// takes pointers, it reads and writes no more elements than the arrays have that it is called with. The safe way is
/// a `CppModule` that includes the library's header and links it.
#[macro_export]
macro_rules! library {
    (unsafe $name:ident : $file:literal cuda { $($functions:tt)* }) => {
        $crate::__library!($name $file true { $($functions)* });
    };
    (unsafe $name:ident : $file:literal { $($functions:tt)* }) => {
        $crate::__library!($name $file false { $($functions)* });
    };
}

/// The module that [`library!`] makes.
#[doc(hidden)]
#[macro_export]
macro_rules! __library {
    ($name:ident $file:literal $cuda:literal { $(
        $(#[$attribute:meta])*
        $(pub)? fn $function:ident($($argument:ident : $type:ty),* $(,)?) $(-> $result:ty)?;
    )* }) => {
        pub mod $name {
            #[allow(unused_imports)]
            use super::*;

            static LIBRARY: $crate::DeclaredLibrary = $crate::DeclaredLibrary::new($file);

            $($crate::__library!(@function $cuda [$(#[$attribute])*] $function [$($argument: $type),*] $($result)?);)*
        }
    };
    (@function $cuda:literal $attributes:tt $function:ident $arguments:tt) => {
        $crate::__library!(@function $cuda $attributes $function $arguments ());
    };
    (@function $cuda:literal [$($attributes:tt)*] $function:ident [$($argument:ident : $type:ty),*] $result:ty) => {
        $($attributes)*
        pub fn $function($($argument: $type),*) -> $crate::Result<$result> {
            let address = LIBRARY.address(stringify!($function))?;
            #[allow(unused_mut)]
            let mut call = $crate::DeclaredCall::new(stringify!($function));
            $(let $argument = call.argument($argument);)*
            let mut result = ::core::option::Option::None;
            call.perform($cuda, &mut |addresses: &[usize]| {
                let _ = addresses;
                // SAFETY: whoever declared the function has promised by `unsafe` that it has this type, which is what
                // `CArgument` and `CReturn` have for the declaration's. What the addresses lead to is borrowed.
                result = ::core::option::Option::Some(unsafe {
                    let function: unsafe extern "C" fn(
                        $(<$type as $crate::CArgument>::C),*
                    ) -> <$result as $crate::CReturn>::C = ::core::mem::transmute(address as *const ());
                    function($($argument.value(addresses)),*)
                });
            })?;
            $crate::returned::<$result>(stringify!($function), result)
        }
    };
}
