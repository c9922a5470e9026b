//! The C interface between gpurepl and its plugins.
//!
//! A plugin is a shared library with one exported function, [`ENTRY`] and its
//! name, that returns a [`Table`] of functions over arrays of the host. It is
//! built by itself: it shares neither types nor the standard library with
//! cells, so whatever crates it needs cost no cell and no first start. A
//! program of its own may link it instead, and others beside it.
//!
//! A plugin's author writes [`plugin!`] and functions of [`Call`]; the
//! structures with C's layout are for the other side.
//!
//! ```
//! use gpurepl_plugin::{Call, plugin};
//!
//! /// The second array is the first one, times a number.
//! fn scale(call: &mut Call<'_>) -> Result<(), String> {
//!     let factor = call.numbers.first().copied().unwrap_or(1) as f32;
//!     let [from, to] = &mut call.arrays[..] else { return Err("scale takes two arrays".to_owned()) };
//!     for (to, from) in to.slice_mut::<f32>()?.iter_mut().zip(from.slice::<f32>()?) {
//!         *to = from * factor;
//!     }
//!     Ok(())
//! }
//!
//! plugin! { name = "example"; "scale" => scale }
//! # fn main() {}
//! ```
#![warn(missing_docs)]

mod call;
mod table;

pub use call::{Array, Call, Element, run};
pub use table::{ABI_VERSION, ENTRY, Function, RawArray, RawCall, RawText, Table};

/// Exports functions, by the names that the other side calls them by. The
/// name is the plugin's, as its manifest has it.
#[macro_export]
macro_rules! plugin {
    (name = $plugin:literal; $($name:literal => $function:path),+ $(,)?) => {
        #[doc = "The functions of this plugin."]
        // With the plugin's name: of two symbols of one name a program would have the first one.
        #[unsafe(export_name = concat!("gpurepl_plugin_", $plugin))]
        pub extern "C" fn gpurepl_plugin() -> *const $crate::Table {
            static FUNCTIONS: &[$crate::Function] = &[$({
                unsafe extern "C" fn call(raw: *mut $crate::RawCall) {
                    // SAFETY: the caller's promise, which is that of `run`.
                    unsafe { $crate::run(raw, $function) }
                }
                $crate::Function::new($name, call)
            }),+];
            static TABLE: $crate::Table = $crate::Table::new(FUNCTIONS);
            &raw const TABLE
        }
    };
}
