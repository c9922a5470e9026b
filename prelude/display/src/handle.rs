//! Displays that change: a handle shows another value in the place of the
//! first.

use gpurepl_wire::MimeBundle;

use super::{Render, frames};

/// A display whose value can be replaced, by any thread and by later cells.
///
/// ```
/// use gpurepl_prelude::*;
/// let shown = display_handle("starting");
/// shown.update(&ones::<f32>(3));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DisplayHandle {
    id: u64,
}

/// Shows a value now, as [`display()`](super::display()) does, and returns
/// what it can be replaced with.
pub fn display_handle<T: Render + ?Sized>(value: &T) -> DisplayHandle {
    DisplayHandle::show(value.render())
}

/// Removes what this cell has shown and printed so far; with `wait` only when
/// it shows or prints something else, so that nothing flickers. What has left
/// the screen stays, and so does what went into a file or a pipe.
pub fn clear_output(wait: bool) {
    frames::clear_output(wait);
}

impl DisplayHandle {
    fn show(bundle: MimeBundle) -> DisplayHandle {
        let id = frames::display_id();
        frames::show_as(bundle, false, Some(id), false);
        DisplayHandle { id }
    }

    /// Shows another value in the place of what is shown.
    pub fn update<T: Render + ?Sized>(&self, value: &T) {
        frames::show_as(value.render(), false, Some(self.id), true);
    }

    /// Removes what is shown. An update brings something back.
    pub fn clear(&self) {
        frames::show_as(MimeBundle::default(), false, Some(self.id), true);
    }

    /// The number of the display, which no other one has.
    pub fn id(&self) -> u64 {
        self.id
    }
}
