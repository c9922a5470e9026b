//! Arrays as text, as NumPy prints them.

pub mod format;
pub mod layout;

use super::{Elem, GpuArray, Raw};
use crate::error::Error;

impl<T: Elem> std::fmt::Display for GpuArray<T> {
    /// The elements as NumPy prints them: `[1. 2. 3.]`. A precision, as in
    /// `{:.2}`, is that of each element.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write_text(&self.raw, f)
    }
}

impl<T: Elem> std::fmt::Debug for GpuArray<T> {
    /// The elements as NumPy's `repr`, always with their type.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write_repr(&self.raw, f)
    }
}

/// `array([1., 2.], dtype=float32)`; an array that cannot be read says why.
fn repr(raw: &Raw) -> String {
    layout::array(raw, layout::Style::Repr).unwrap_or_else(failed)
}

/// `[1. 2.]`.
fn text(raw: &Raw, digits: Option<usize>) -> String {
    layout::array(raw, layout::Style::Plain(digits)).unwrap_or_else(failed)
}

fn write_repr(raw: &Raw, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
    f.write_str(&repr(raw))
}

fn write_text(raw: &Raw, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
    f.write_str(&text(raw, f.precision()))
}

/// What stands for an array whose elements could not be read. A text cannot fail:
/// an index that a kernel found outside of its axis is reported again.
fn failed(error: Error) -> String {
    crate::device::report_again(&error);
    format!("<array: {error}>")
}
