//! Arrays as text, as NumPy prints them.

mod digits;
pub mod format;
pub mod layout;
pub mod options;

use super::{Elem, GpuArray, Raw};
use crate::error::Error;
use layout::Style;
use options::{FloatMode, PrintOptions, get_printoptions};

impl<T: Elem> std::fmt::Display for GpuArray<T> {
    /// The elements as NumPy prints them: `[1. 2. 3.]`. A precision, as in
    /// `{:.2}`, is that of each element, and `{:+}` writes signs.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write_text(&self.raw, f)
    }
}

impl<T: Elem> std::fmt::Debug for GpuArray<T> {
    /// The elements as NumPy's `repr`, always with their type. `{:.2?}` writes
    /// two digits after the point.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write_repr(&self.raw, f)
    }
}

impl<T: Elem> GpuArray<T> {
    /// The elements as text, with some options of its own: NumPy's `array2string`.
    /// Others are those of the session, `array::get_printoptions()`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![1.0, 2.5, 1e-9];
    /// assert_eq!(a.array2string(|options| options.suppress(true).separator(",")), "[1. ,2.5,0. ]");
    /// ```
    pub fn array2string(&self, change: impl FnOnce(PrintOptions) -> PrintOptions) -> String {
        written(&self.raw, Style::Plain, change(get_printoptions()))
    }

    /// The array as NumPy's `repr`, with some options of its own: `array_repr`.
    ///
    /// ```
    /// use gpurepl_prelude::*;
    /// let a = gpu![f64; 1.0, 2.0] / 3.0;
    /// assert_eq!(a.array_repr(|options| options.precision(2)), "array([0.33, 0.67], dtype=float64)");
    /// ```
    pub fn array_repr(&self, change: impl FnOnce(PrintOptions) -> PrintOptions) -> String {
        written(&self.raw, Style::Repr, change(get_printoptions()))
    }
}

fn write_repr(raw: &Raw, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
    f.write_str(&written(raw, Style::Repr, options_of(f)))
}

fn write_text(raw: &Raw, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
    let text = layout::corners(raw, options_of(f)).map(|corners| match layout::only_float(&corners) {
        Some(number) => layout::alone(corners.dtype, number, f),
        None => layout::write(&corners, Style::Plain),
    });
    f.write_str(&text.unwrap_or_else(failed))
}

/// The session's options, and what a format such as `{:+.2}` asks for: so many
/// digits after the point, and no exponent.
#[doc(hidden)]
pub fn options_of(f: &std::fmt::Formatter<'_>) -> PrintOptions {
    let mut options = get_printoptions();
    if f.sign_plus() {
        options.sign = options::Sign::Plus;
    }
    match f.precision() {
        Some(digits) => options.precision(digits).floatmode(FloatMode::Fixed).without_exponents(),
        None => options,
    }
}

/// An array as text; one that cannot be read says why.
fn written(raw: &Raw, style: Style, options: PrintOptions) -> String {
    layout::array(raw, style, options).unwrap_or_else(failed)
}

/// What stands for an array whose elements could not be read. A text cannot fail:
/// an index that a kernel found outside of its axis is reported again.
fn failed(error: Error) -> String {
    crate::device::report_again(&error);
    format!("<array: {error}>")
}
