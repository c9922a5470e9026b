//! Showing values: a cell's last one, and any other by [`display()`].
//!
//! How a value is shown is found by method lookup in the cell itself, so that
//! a cell compiles once whatever its value is: a type that is [`Render`] is
//! shown by that, any other by `Debug`, and one without `Debug` by its name.

#![warn(missing_docs)]

mod arrays;
mod card;
pub mod comm;
mod debug_rows;
mod devices;
mod frames;
mod handle;
mod input;
pub mod interaction;
mod kernels;
mod progress;
pub mod results;
mod several;
mod tables;
mod tiers;

#[doc(hidden)]
pub use arrays::{figures_of_part, of_parts};
#[doc(hidden)]
pub use card::html::escape;
pub use handle::{DisplayHandle, clear_output, display_handle};
pub use input::{input, input_password, try_input};
pub use interaction::interact;
pub use progress::{Progress, ProgressIter, progress};
pub use tables::{Columns, Table, columns, describe, table};
pub use tiers::{ShowDebug, ShowKept, ShowName, ShowRender, Shown};

pub use frames::show;

pub(crate) use gpurepl_arrays::{array, kernel, memory};
pub(crate) use gpurepl_device as device;
pub(crate) use gpurepl_ground::{Error, check_interrupt, error, scalar, streams};

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};

#[doc(no_inline)]
pub use gpurepl_wire::MimeBundle;

use crate::array::{Elem, GpuArray};
use crate::memory::{HostElem, Managed, PageLocked};

/// A value that knows how it wants to be shown.
///
/// Implement it to show a type of your own as more than its `Debug` text:
///
/// ```
/// use gpurepl_prelude::*;
/// struct Temperature(f64);
/// impl Render for Temperature {
///     fn render(&self) -> MimeBundle {
///         MimeBundle::text(format!("{:.1} °C", self.0))
///             .with("text/html", format!("<b>{:.1}</b> °C", self.0))
///     }
/// }
/// display(&Temperature(21.3));
/// ```
pub trait Render {
    /// The value in as many forms as it has; `text/plain` among them.
    fn render(&self) -> MimeBundle;

    /// The value, if several like it are one picture.
    #[doc(hidden)]
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }

    /// Several values, of which this is the first, as one picture.
    #[doc(hidden)]
    fn beside(&self, _all: &[&dyn Any]) -> Option<MimeBundle> {
        None
    }
}

/// Pictures, several of which are shown beside each other.
#[doc(hidden)]
pub trait Pictured: Render {}

/// Shows a value now, besides the cell's own.
pub fn display<T: Render + ?Sized>(value: &T) {
    show(value.render(), false);
}

/// Whether the front end shows more than text.
static IS_RICH: AtomicBool = AtomicBool::new(false);

/// Sets whether values are shown in HTML and as pictures as well. Until then,
/// and in a terminal, the figures of arrays are not computed.
pub fn set_rich(is_rich: bool) {
    IS_RICH.store(is_rich, Ordering::Relaxed);
}

/// Whether the front end shows HTML and pictures: a [`Render`] of a type
/// that is costly to draw may leave at text if it does not.
pub fn is_rich() -> bool {
    IS_RICH.load(Ordering::Relaxed)
}

impl<T: Elem> Render for GpuArray<T> {
    fn render(&self) -> MimeBundle {
        arrays::bundle(&self.raw)
    }
}

/// A bundle is shown as what it holds:
///
/// ```
/// use gpurepl_prelude::*;
/// display(&MimeBundle::text("bold").with("text/html", "<b>bold</b>"));
/// ```
impl Render for MimeBundle {
    fn render(&self) -> MimeBundle {
        self.clone()
    }
}

impl<T: Render + ?Sized> Render for &T {
    fn render(&self) -> MimeBundle {
        (**self).render()
    }

    fn as_any(&self) -> Option<&dyn Any> {
        (**self).as_any()
    }

    fn beside(&self, all: &[&dyn Any]) -> Option<MimeBundle> {
        (**self).beside(all)
    }
}

impl<T: Pictured> Pictured for &T {}

/// Arrays of `ndarray` are shown as those on the device are.
impl<T: Elem, S: ndarray::Data<Elem = T>, D: ndarray::Dimension> Render for ndarray::ArrayBase<S, D> {
    fn render(&self) -> MimeBundle {
        arrays::host(T::any_view(self.view().into_dyn()))
    }
}

/// Memory of the host is shown as the array that it holds.
macro_rules! shown_as_array {
    ($($name:ident)*) => {$(
        impl<T: HostElem> Render for $name<T> {
            fn render(&self) -> MimeBundle {
                self.array().render()
            }
        }
    )*};
}
shown_as_array! { PageLocked Managed }

macro_rules! shown_by_debug {
    ($($t:ty)*) => {$(
        impl Render for $t {
            fn render(&self) -> MimeBundle {
                MimeBundle::text(format!("{self:?}"))
            }
        }
    )*};
}
// Compiled here, so that no cell has to compile them.
shown_by_debug! {
    bool char i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 str String
    Vec<i32> Vec<f32> Vec<f64> Vec<u8> Vec<u32> Vec<i64> Vec<u64> Vec<usize> Vec<String>
}
