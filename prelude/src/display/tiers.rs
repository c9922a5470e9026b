//! Three ways to show a value, of which method lookup takes the first that
//! the type has.
//!
//! A cell ends with `(&&&Shown(&value)).gpurepl_show()`. Lookup tries the
//! receiver by value first, then with one reference less each, so the method
//! of `&&Shown` comes before that of `&Shown`, and that before `Shown`'s
//! (David Tolnay's autoref specialisation). No trait bound can fail, so no
//! value is an error.

use std::fmt::{self, Debug, Write as _};

use gpurepl_wire::MimeBundle;

use super::Render;

/// A value to be shown.
pub struct Shown<'a, T>(pub &'a T);

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

/// Text beyond this is cut: a vector of a million numbers is no display.
const MAX_BYTES: usize = 20_000;

/// Longer than this, and a value is laid out over several lines.
const ONE_LINE: usize = 100;

fn show_debug(value: &dyn Debug, type_name: &str) {
    // A cell that ends without a value has one of type `()`.
    if type_name == "()" {
        return;
    }
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
    super::show(MimeBundle::text(text.text), true);
}

fn show_name(name: &str) {
    // Types of cells live in a crate called `ctx`, which is no user's business.
    super::show(MimeBundle::text(format!("<{}>", name.replace("ctx::", ""))), true);
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
