//! The macros that print, under the names of the standard library's.

pub use crate::{__eprint as eprint, __eprintln as eprintln, __print as print, __println as println};

/// The standard library's `print!`, seen at once.
#[doc(hidden)]
#[macro_export]
macro_rules! __print {
    ($($arg:tt)*) => {{ $crate::cell::print(::core::format_args!($($arg)*)); }};
}

/// The standard library's `println!`, which knows its cell.
#[doc(hidden)]
#[macro_export]
macro_rules! __println {
    () => {{ $crate::cell::println(::core::format_args!("")); }};
    ($($arg:tt)*) => {{ $crate::cell::println(::core::format_args!($($arg)*)); }};
}

/// The standard library's `eprint!`, in order with `print!`.
#[doc(hidden)]
#[macro_export]
macro_rules! __eprint {
    ($($arg:tt)*) => {{ $crate::cell::eprint(::core::format_args!($($arg)*)); }};
}

/// The standard library's `eprintln!`, in order with `println!`.
#[doc(hidden)]
#[macro_export]
macro_rules! __eprintln {
    () => {{ $crate::cell::eprintln(::core::format_args!("")); }};
    ($($arg:tt)*) => {{ $crate::cell::eprintln(::core::format_args!($($arg)*)); }};
}

/// The standard library's `dbg!`, with places in the user's own text.
///
/// ```
/// use gpurepl_prelude::dbg;
/// let doubled = dbg!(21) * 2;
/// assert_eq!((doubled, dbg!(1, "two")), (42, (1, "two")));
/// ```
#[macro_export]
macro_rules! dbg {
    () => {
        $crate::__eprintln!("[{}]", $crate::cell::place(::std::file!(), ::std::line!(), ::std::column!()))
    };
    ($value:expr $(,)?) => {
        // `match`, so that temporaries live as long as they would without it.
        match $value {
            value => {
                let place = $crate::cell::place(::std::file!(), ::std::line!(), ::std::column!());
                $crate::__eprintln!("[{place}] {} = {:#?}", ::std::stringify!($value), &value);
                value
            }
        }
    };
    ($($value:expr),+ $(,)?) => { ($($crate::dbg!($value)),+,) };
}
