//! Several values in one: tuples, vectors, options and results of values that
//! have more to show than a text.

use std::any::Any;
use std::fmt::Debug;
use std::rc::Rc;
use std::sync::Arc;

use bytemuck::TransparentWrapper;
use gpurepl_wire::MimeBundle;

use super::card::{Page, escape};
use super::tiers::debug_text;
use super::{Pictured, Render, arrays, is_rich};
use crate::array::Elem;
use crate::array::{GpuArray, Raw};
use crate::error::Error;

/// Items of a vector that are shown as cards.
const MOST: usize = 12;

/// A value as text, and the cards of its parts below each other, each with a
/// label. Not generic, and cards are made only for who wants them.
fn parts(value: &dyn Debug, parts: &[(String, &dyn Render)], left_out: usize) -> MimeBundle {
    let pictures: Option<Vec<&dyn Any>> = parts.iter().map(|(_, part)| part.as_any()).collect();
    if left_out == 0
        && let (Some(pictures), Some((_, first))) = (pictures, parts.first())
        && let Some(bundle) = first.beside(&pictures)
    {
        return bundle;
    }
    let bundle = MimeBundle::text(debug_text(value));
    if !is_rich() || parts.is_empty() {
        return bundle;
    }
    let bundles: Vec<MimeBundle> = parts.iter().map(|(_, part)| part.render()).collect();
    // Numbers and words are read best as the text that they are.
    if bundles.iter().all(|bundle| bundle.get("text/html").is_none()) {
        return bundle;
    }
    let mut page = Page::new();
    for ((label, _), bundle) in parts.iter().zip(&bundles) {
        page.open("div", "gr-item");
        page.text("div", "gr-label", label);
        match (bundle.get("text/html"), bundle.get("text/plain")) {
            (Some(html), _) => page.raw(html),
            (None, text) => {
                page.open("div", "gr-body");
                page.raw(&format!("<pre>{}</pre>", escape(text.unwrap_or_default())));
                page.close("div");
            }
        }
        page.close("div");
    }
    if left_out > 0 {
        page.text("div", "gr-label", &format!("... and {left_out} more"));
    }
    bundle.with("text/html", page.finish())
}

/// An array without its type.
struct Untyped<'a>(&'a Raw);

impl Render for Untyped<'_> {
    fn render(&self) -> MimeBundle {
        arrays::bundle(self.0)
    }
}

fn vector(value: &dyn Debug, arrays: &[Raw]) -> MimeBundle {
    let untyped: Vec<Untyped<'_>> = arrays.iter().take(MOST).map(Untyped).collect();
    let labelled: Vec<(String, &dyn Render)> =
        untyped.iter().enumerate().map(|(k, array)| (format!("[{k}]"), array as &dyn Render)).collect();
    parts(value, &labelled, arrays.len().saturating_sub(MOST))
}

/// A value within a variant: `Some(3)`, and its card below the variant's name.
fn variant(name: &str, value: &dyn Render) -> MimeBundle {
    let inner = value.render();
    let text = inner.get("text/plain").unwrap_or_default();
    let bundle = MimeBundle::text(format!("{name}({text})"));
    let Some(html) = inner.get("text/html") else { return bundle };
    let mut page = Page::new();
    page.open("div", "gr-item");
    page.text("div", "gr-label", name);
    page.raw(html);
    page.close("div");
    bundle.with("text/html", page.finish())
}

impl<T: Elem> Render for Vec<GpuArray<T>> {
    fn render(&self) -> MimeBundle {
        vector(self, GpuArray::peel_slice(self))
    }
}

impl<T: Elem> Render for [GpuArray<T>] {
    fn render(&self) -> MimeBundle {
        vector(&self, GpuArray::peel_slice(self))
    }
}

impl<T: Elem, const N: usize> Render for [GpuArray<T>; N] {
    fn render(&self) -> MimeBundle {
        vector(self, GpuArray::peel_slice(self))
    }
}

/// Pictures beside each other.
fn pictures<T: Pictured>(pictures: &[T]) -> MimeBundle {
    let all: Vec<&dyn Any> = pictures.iter().filter_map(Render::as_any).collect();
    let together = pictures.first().and_then(|first| first.beside(&all));
    together.unwrap_or_else(|| MimeBundle::text("[]"))
}

impl<T: Pictured> Render for Vec<T> {
    fn render(&self) -> MimeBundle {
        pictures(self)
    }
}

impl<T: Pictured> Render for [T] {
    fn render(&self) -> MimeBundle {
        pictures(self)
    }
}

impl<T: Pictured, const N: usize> Render for [T; N] {
    fn render(&self) -> MimeBundle {
        pictures(self)
    }
}

impl<T: Render> Render for Option<T> {
    fn render(&self) -> MimeBundle {
        match self {
            Some(value) => variant("Some", value),
            None => MimeBundle::text("None"),
        }
    }
}

impl<T: Render, E: Debug> Render for Result<T, E> {
    fn render(&self) -> MimeBundle {
        match self {
            Ok(value) => variant("Ok", value),
            Err(error) => MimeBundle::text(format!("Err({})", debug_text(error))),
        }
    }
}

macro_rules! pointers {
    ($($t:ident)*) => {$(
        impl<T: Render + ?Sized> Render for $t<T> {
            fn render(&self) -> MimeBundle {
                (**self).render()
            }
        }
    )*};
}
pointers!(Box Rc Arc);

macro_rules! tuples {
    ($(($($part:ident $place:tt),*))*) => {$(
        impl<$($part: Render + Debug),*> Render for ($($part,)*) {
            fn render(&self) -> MimeBundle {
                tuple(self, &[$(&self.$place),*])
            }
        }
    )*};
}
tuples! {
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
}

fn tuple(value: &dyn Debug, values: &[&dyn Render]) -> MimeBundle {
    let labelled: Vec<(String, &dyn Render)> =
        values.iter().enumerate().map(|(k, value)| (format!(".{k}"), *value)).collect();
    parts(value, &labelled, 0)
}

impl Render for Error {
    /// The error's text, which says what to do next.
    fn render(&self) -> MimeBundle {
        error(&self.to_string())
    }
}

fn error(text: &str) -> MimeBundle {
    let bundle = MimeBundle::text(text);
    if !is_rich() {
        return bundle;
    }
    let mut page = Page::new();
    page.open("div", "gr-head");
    page.text("b", "", "error");
    page.close("div");
    page.open("div", "gr-body");
    page.raw(&format!("<pre>{}</pre>", escape(text)));
    page.close("div");
    bundle.with("text/html", page.finish())
}
