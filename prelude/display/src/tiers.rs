//! Four ways to show a value, of which method lookup takes the first that
//! the type has.
//!
//! A cell ends with `(&&&&Shown(&value)).gpurepl_show()`. Lookup tries the
//! receiver by value first, then with one reference less each, so the method
//! of `&&&Shown` comes before that of `&&Shown`, and so on to `Shown`'s
//! (David Tolnay's autoref specialisation). No trait bound can fail, so no
//! value is an error.
//!
//! The first is for the usual types, by name: nothing of it is compiled in a
//! cell, and the value is kept for `_` and `Out[3]`.

use std::any::Any;
use std::fmt::{self, Debug, Write as _};

use gpurepl_kernels::DType;
use gpurepl_wire::MimeBundle;

use super::{Render, results};
use crate::array::Elem;
use crate::array::{GpuArray, Raw};

/// A value to be shown.
pub struct Shown<'a, T>(pub &'a T);

/// Shows and keeps a value of a usual type.
pub trait ShowKept {
    /// Shows the value as the cell's result.
    fn gpurepl_show(&self);
}

/// Shows what is [`Render`].
pub trait ShowRender {
    /// Shows the value as the cell's result.
    fn gpurepl_show(&self);
}

/// Shows what is `Debug`.
pub trait ShowDebug {
    /// Shows the value as the cell's result.
    fn gpurepl_show(&self);
}

/// Shows the name of the type.
pub trait ShowName {
    /// Shows the value as the cell's result.
    fn gpurepl_show(&self);
}

impl<T: Elem> ShowKept for &&&Shown<'_, GpuArray<T>> {
    fn gpurepl_show(&self) {
        show_array(&self.0.raw, T::boxed);
    }
}

fn show_array(raw: &Raw, boxed: fn(&Raw) -> Box<dyn Any + Send>) {
    super::show(super::arrays::bundle(raw), true);
    if results::is_wanted() {
        let bytes = raw.shape().size() * raw.dtype().size();
        let path = format!("gpurepl_prelude::GpuArray<{}>", element_path(raw.dtype()));
        results::keep(boxed(raw), path, bytes);
    }
}

/// An element's type as a cell can always write it.
fn element_path(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "bool",
        DType::Int8 => "i8",
        DType::Int16 => "i16",
        DType::Int32 => "i32",
        DType::Int64 => "i64",
        DType::UInt8 => "u8",
        DType::UInt16 => "u16",
        DType::UInt32 => "u32",
        DType::UInt64 => "u64",
        DType::Float16 => "gpurepl_prelude::f16",
        DType::Float32 => "f32",
        DType::Float64 => "f64",
        DType::Complex64 => "gpurepl_prelude::Complex32",
        DType::Complex128 => "gpurepl_prelude::Complex64",
    }
}

macro_rules! kept {
    ($($t:ty, $path:literal, $bytes:expr;)*) => {$(
        impl ShowKept for &&&Shown<'_, $t> {
            fn gpurepl_show(&self) {
                let value: &$t = self.0;
                show_debug(value, $path);
                let bytes: fn(&$t) -> usize = $bytes;
                if results::is_wanted() && bytes(value) <= MAX_KEPT {
                    results::keep(Box::new(value.clone()), $path.to_owned(), bytes(value));
                }
            }
        }
    )*};
}

/// Values whose clones are copies are kept up to this many bytes.
const MAX_KEPT: usize = 1 << 20;

kept! {
    bool, "bool", |_| 1;
    char, "char", |_| 4;
    i8, "i8", |_| 1;
    i16, "i16", |_| 2;
    i32, "i32", |_| 4;
    i64, "i64", |_| 8;
    i128, "i128", |_| 16;
    isize, "isize", |_| 8;
    u8, "u8", |_| 1;
    u16, "u16", |_| 2;
    u32, "u32", |_| 4;
    u64, "u64", |_| 8;
    u128, "u128", |_| 16;
    usize, "usize", |_| 8;
    f32, "f32", |_| 4;
    f64, "f64", |_| 8;
    String, "std::string::String", |text| text.len();
    Vec<i32>, "std::vec::Vec<i32>", |vector| 4 * vector.len();
    Vec<f32>, "std::vec::Vec<f32>", |vector| 4 * vector.len();
    Vec<f64>, "std::vec::Vec<f64>", |vector| 8 * vector.len();
    Vec<u8>, "std::vec::Vec<u8>", |vector| vector.len();
    Vec<u32>, "std::vec::Vec<u32>", |vector| 4 * vector.len();
    Vec<i64>, "std::vec::Vec<i64>", |vector| 8 * vector.len();
    Vec<u64>, "std::vec::Vec<u64>", |vector| 8 * vector.len();
    Vec<usize>, "std::vec::Vec<usize>", |vector| 8 * vector.len();
    Vec<String>, "std::vec::Vec<std::string::String>", |vector| {
        vector.iter().map(|text| text.len() + size_of::<String>()).sum()
    };
}

impl<T: Render> ShowRender for &&Shown<'_, T> {
    fn gpurepl_show(&self) {
        // As a trait object, so that a cell compiles nothing of bundles.
        show_render(self.0);
    }
}

impl<T: Debug> ShowDebug for &Shown<'_, T> {
    fn gpurepl_show(&self) {
        // As a trait object, so that a cell compiles no formatting.
        show_debug(self.0, std::any::type_name::<T>());
    }
}

impl<T> ShowName for Shown<'_, T> {
    fn gpurepl_show(&self) {
        show_name(std::any::type_name::<T>());
    }
}

fn show_render(value: &dyn Render) {
    super::show(value.render(), true);
}

/// Text beyond this is cut: a vector of a million numbers is not a display.
const MAX_BYTES: usize = 20_000;

/// Longer than this, and a value is laid out over several lines.
const ONE_LINE: usize = 100;

fn show_debug(value: &dyn Debug, type_name: &str) {
    // A cell that ends without a value has one of type `()`.
    if type_name == "()" {
        return;
    }
    let mut bundle = MimeBundle::text(debug_text(value));
    if super::is_rich()
        && let Some(table) = super::tables::found(value)
    {
        bundle = bundle.with("text/html", table);
    }
    super::show(bundle, true);
}

/// A value as text: on one line if that is short, and never without end.
pub(super) fn debug_text(value: &dyn Debug) -> String {
    let mut text = Cut { text: String::new(), is_cut: false };
    let _ = write!(text, "{value:?}");
    let is_long = text.is_cut || text.text.len() > ONE_LINE;
    if is_long && !text.text.contains('\n') && text.text.contains(['{', '(']) {
        text = Cut { text: String::new(), is_cut: false };
        let _ = write!(text, "{value:#?}");
    }
    if text.is_cut {
        text.text.push_str(" ... (cut: the whole is longer; `println!(\"{:?}\", value)` prints it)");
    }
    text.text
}

fn show_name(name: &str) {
    super::show(MimeBundle::text(format!("<{}>", user_type(name))), true);
}

/// A type's name as the user wrote it. Types of cells live in a crate called
/// `ctx`; those of an item that was defined before are in a module
/// `__gr_v2_NAME`, and a module that was is called `__gr_m2_NAME`.
pub(crate) fn user_type(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    // What cells have from the prelude is defined in the crates below it.
    let name = ["arrays", "device", "display", "ground", "plot"]
        .iter()
        .fold(name.replace("ctx::", ""), |name, part| {
            name.replace(&format!("gpurepl_{part}::"), "gpurepl_prelude::")
        });
    for part in name.split_inclusive("::") {
        let Some((before, own)) = part.rsplit_once("__gr_") else {
            text.push_str(part);
            continue;
        };
        text.push_str(before);
        match (own.as_bytes().first(), own.split_once('_')) {
            (Some(b'm'), Some((_, name))) => text.push_str(name),
            (Some(b'v' | b'i'), Some(_)) => {}
            _ => text.push_str(&part[before.len()..]),
        }
    }
    text
}

/// A text that ends a formatting that has become too long.
struct Cut {
    text: String,
    is_cut: bool,
}

impl fmt::Write for Cut {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        let room = MAX_BYTES - self.text.len().min(MAX_BYTES);
        if part.len() <= room {
            self.text.push_str(part);
            return Ok(());
        }
        let end = (0..=room).rev().find(|end| part.is_char_boundary(*end)).unwrap_or(0);
        self.text.push_str(&part[..end]);
        self.is_cut = true;
        Err(fmt::Error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_named_as_the_user_wrote_them() {
        assert_eq!(user_type("ctx::__gr_v2_Foo::Foo<ctx::__gr_m1_m::A, i32>"), "Foo<m::A, i32>");
        assert_eq!(user_type("alloc::vec::Vec<ctx::Foo>"), "alloc::vec::Vec<Foo>");
        assert_eq!(
            user_type("gpurepl_arrays::array::GpuArray<f32>"),
            "gpurepl_prelude::array::GpuArray<f32>"
        );
    }

    #[test]
    fn formatting_stops_where_the_text_is_cut() {
        let mut text = Cut { text: String::new(), is_cut: false };
        assert!(write!(text, "{:?}", vec![0u8; 1 << 24]).is_err());
        assert!(text.is_cut);
        assert!(text.text.len() <= MAX_BYTES);
    }

    #[test]
    fn a_cut_keeps_characters_whole() {
        let mut text = Cut { text: "x".repeat(MAX_BYTES - 1), is_cut: false };
        assert!(text.write_str("é").is_err());
        assert_eq!(text.text.len(), MAX_BYTES - 1);
    }
}
