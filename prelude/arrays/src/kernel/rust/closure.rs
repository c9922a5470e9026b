//! Closures whose text a cell has made known: `x.map(|v| v * 2.0 + k)`.
//!
//! A closure has no name, and what it captures has none either. So the cell says both just
//! before it passes one: its text, and the values of the variables that it mentions.

use std::cell::RefCell;

use crate::array::{KernelData, structure};
use crate::device::Structure;

/// A variable that a closure mentions.
#[derive(Clone, Debug)]
pub struct Capture {
    pub(super) name: &'static str,
    pub(super) type_name: &'static str,
    /// Its value; none for what a device cannot have.
    pub(super) value: Option<Structure>,
    pub(super) layout: (usize, usize),
}

/// A closure that is about to be passed.
#[derive(Clone, Debug)]
pub(super) struct Closure {
    /// The name that the cell's items know it by.
    pub(super) root: &'static str,
    pub(super) text: &'static str,
    /// The cell's name and the line, from one, where it starts.
    pub(super) place: (&'static str, usize),
    pub(super) captures: Vec<Capture>,
}

thread_local! {
    static NEXT: RefCell<Option<Closure>> = const { RefCell::new(None) };
}

/// Makes a closure known that is evaluated next.
#[doc(hidden)]
pub fn known_closure(
    root: &'static str,
    text: &'static str,
    place: (&'static str, usize),
    captures: Vec<Capture>,
) {
    NEXT.set(Some(Closure { root, text, place, captures }));
}

/// The closure that has been made known last.
pub(super) fn take() -> Option<Closure> {
    NEXT.take()
}

/// A variable's value, whatever it is; which of the traits fits best decides.
#[doc(hidden)]
pub struct Captured<'a, T>(pub &'a T);

/// A value that a kernel can have.
#[doc(hidden)]
pub trait CaptureValue {
    fn capture(&self, name: &'static str) -> Capture;
}

impl<T: KernelData> CaptureValue for &&Captured<'_, T> {
    fn capture(&self, name: &'static str) -> Capture {
        Capture {
            name,
            type_name: std::any::type_name::<T>(),
            value: Some(structure(self.0)),
            layout: (T::BYTES, T::ALIGNMENT),
        }
    }
}

/// A size or a distance, which arrays cannot hold.
#[doc(hidden)]
pub trait CaptureSize {
    fn capture(&self, name: &'static str) -> Capture;
}

macro_rules! sizes {
    ($($t:ident)*) => {$(
        impl CaptureSize for &Captured<'_, $t> {
            fn capture(&self, name: &'static str) -> Capture {
                let bytes = self.0.to_ne_bytes();
                let value = Structure::new(bytes.len(), &|to| to.copy_from_slice(&bytes));
                Capture { name, type_name: stringify!($t), value: Some(value), layout: super::argument::layout::<$t>() }
            }
        }
    )*};
}
sizes!(usize isize);

/// Anything else.
#[doc(hidden)]
pub trait CaptureOther {
    fn capture(&self, name: &'static str) -> Capture;
}

impl<T> CaptureOther for Captured<'_, T> {
    fn capture(&self, name: &'static str) -> Capture {
        Capture { name, type_name: std::any::type_name::<T>(), value: None, layout: (0, 0) }
    }
}
