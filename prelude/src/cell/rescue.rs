//! The variables of a cell that fails: what its statements had bound before is kept, and
//! arrays that it had moved are there again.
//!
//! After a `let` that others follow stands a [`Rescue`] of each variable. If the cell ends
//! early, by an error, a panic, an interrupt or a `return`, it is dropped before the
//! variable, and puts a copy of it into the store. Only what is `Copy` can be read there: any
//! other value may have been moved by then, on a way that ends there and that the compiler
//! therefore does not hold against the end of the cell.

use std::cell::{Cell, RefCell};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};

use gpurepl_ground::streams::panics;

use super::store;

thread_local! {
    /// Whether the cell's statements are still to come to their end.
    static IS_UNDER_WAY: Cell<bool> = const { Cell::new(false) };
    /// What has been kept of this cell. Of two variables of a name the later one counts, which is
    /// dropped first.
    static KEPT: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

/// The cell's statements begin.
pub(super) fn begin() {
    IS_UNDER_WAY.set(true);
    KEPT.take();
}

/// The cell's statements have come to their end: its variables are put as they are.
pub fn completed() {
    IS_UNDER_WAY.set(false);
}

/// Whether variables were kept of a cell that did not come to its end.
pub(crate) fn has_kept() -> bool {
    IS_UNDER_WAY.set(false);
    KEPT.with_borrow(|kept| !kept.is_empty())
}

/// A variable by its place.
pub struct Binding<T>(pub *const T);

/// A variable that can be copied; see the trait below.
pub trait KeepCopy {
    /// Keeps it, if the cell ends early.
    ///
    /// # Safety
    ///
    /// The place is that of a variable that has a value and is in scope until the answer is
    /// dropped.
    unsafe fn rescue(&self, name: &'static str) -> Rescue;
}

/// A variable that cannot. The method of the trait above is found first where there is one.
pub trait KeepNothing {
    /// Keeps nothing.
    ///
    /// # Safety
    ///
    /// None is needed; the other trait's method has the same form.
    unsafe fn rescue(&self, name: &'static str) -> Rescue;
}

impl<T: Copy + 'static> KeepCopy for &Binding<T> {
    unsafe fn rescue(&self, name: &'static str) -> Rescue {
        Rescue { place: self.0.cast(), name, keep: keep_copy::<T> }
    }
}

impl<T> KeepNothing for Binding<T> {
    unsafe fn rescue(&self, name: &'static str) -> Rescue {
        Rescue { place: self.0.cast(), name, keep: keep_nothing }
    }
}

/// Keeps a variable when it is dropped before [`completed`] is called.
pub struct Rescue {
    place: *const (),
    name: &'static str,
    keep: unsafe fn(*const (), &'static str) -> bool,
}

impl Drop for Rescue {
    fn drop(&mut self) {
        let is_kept = || KEPT.with_borrow(|kept| kept.contains(&self.name));
        if !IS_UNDER_WAY.get() || is_kept() {
            return;
        }
        // The cell's own panic is what is told, whatever happens here.
        let first = panics::take();
        // SAFETY: the promise of `KeepCopy::rescue`; this is dropped before the variable.
        let kept = catch_unwind(AssertUnwindSafe(|| unsafe { (self.keep)(self.place, self.name) }));
        panics::take();
        if let Some(first) = first {
            panics::note(first);
        }
        if kept.unwrap_or(false) {
            KEPT.with_borrow_mut(|kept| kept.push(self.name));
        }
    }
}

/// Puts a copy of a variable into the store.
///
/// # Safety
///
/// The place holds a `T`.
unsafe fn keep_copy<T: Copy + 'static>(place: *const (), name: &'static str) -> bool {
    // SAFETY: the caller's promise; what is `Copy` is there although it has been used.
    let value = unsafe { place.cast::<T>().read() };
    store::put(name, value);
    true
}

/// Of a variable that cannot be copied nothing is kept.
fn keep_nothing(_: *const (), _: &'static str) -> bool {
    false
}

/// Another handle of an array that a cell moves: the variable is there again if the cell
/// ends early.
pub struct Spare<T: 'static> {
    number: usize,
    name: &'static str,
    value: ManuallyDrop<T>,
}

/// Makes one of a variable that has been taken.
///
/// # Safety
///
/// As [`store::settle`], unless [`completed`] is called before the answer is dropped.
pub unsafe fn spare<T: Clone + 'static>(number: usize, name: &'static str, value: &T) -> Spare<T> {
    Spare { number, name, value: ManuallyDrop::new(value.clone()) }
}

impl<T: 'static> Drop for Spare<T> {
    fn drop(&mut self) {
        // SAFETY: it is not used any more.
        let value = unsafe { ManuallyDrop::take(&mut self.value) };
        if IS_UNDER_WAY.get() {
            // SAFETY: the promise of `spare`.
            unsafe { store::settle(self.number, self.name, value) };
        }
    }
}
