//! The variables of a cell that fails: what its statements had bound before is kept, and
//! arrays that it had moved are there again.
//!
//! After a `let` that others follow stands a [`Rescue`] of each variable that is `Copy`. If
//! the cell ends early, by an error, a panic, an interrupt or a `return`, it is dropped before
//! the variable, and puts a copy of it into the store. Any other value may have been moved by
//! then, on a way that ends there and that the compiler therefore does not hold against the
//! end of the cell. What a name means at the end of the cell is what the session knows it by:
//! [`same`] has the compiler check that the copy is of that type.
//!
//! Of arrays that the cell moves, or binds without `mut`, a reference is noted that does not keep
//! them. The panic hook, and `?`, run while what fails still has its operands and the cell its
//! variables, and look there for what is left.

use std::alloc::Layout;
use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};

use gpurepl_arrays::array::{Elem, GpuArray, Raw, WeakRaw};
use gpurepl_ground::streams::panics;

use super::store;

thread_local! {
    /// Whether the cell's statements are still to come to their end.
    static IS_UNDER_WAY: Cell<bool> = const { Cell::new(false) };
    /// What has been kept of this cell. Of two variables of a name the later one counts, which is
    /// dropped first.
    static KEPT: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
    /// The names of arrays that were put back.
    static RESTORED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    /// The arrays that this cell moves, or binds.
    static NOTED: RefCell<Vec<Noted>> = const { RefCell::new(Vec::new()) };
}

/// The cell's statements begin.
pub(super) fn begin() {
    IS_UNDER_WAY.set(true);
    KEPT.take();
    NOTED.take();
}

/// The cell's statements have come to their end: its variables are put as they are.
pub fn completed() {
    IS_UNDER_WAY.set(false);
}

/// Whether variables were kept of a cell that did not come to its end.
pub(crate) fn has_kept() -> bool {
    KEPT.with_borrow(|kept| !kept.is_empty())
}

/// A variable by its place.
pub struct Binding<T>(pub *const T);

/// An array that cannot change its handle, of which another one is as good. This method is found
/// before those of the traits below.
pub trait KeepArray<T> {
    /// Keeps it, if the cell fails.
    ///
    /// # Safety
    ///
    /// The place is that of a variable that has a value.
    unsafe fn rescue(&self, name: &'static str) -> Watched<T>;
}

/// An array that is looked for if the cell fails.
pub struct Watched<T>(PhantomData<T>);

/// A type of arrays. Of a variable whose type is not known where it is bound this has to say
/// nothing: were arrays the only ones, the compiler would take it for one.
pub trait IsArray {
    /// Notes it under a name.
    #[doc(hidden)]
    fn note(&self, name: &'static str);
}

impl<T: Elem> IsArray for GpuArray<T> {
    fn note(&self, name: &'static str) {
        note(None, name, &self.raw, put::<T>);
    }
}

/// Another one, of which there are no values.
#[doc(hidden)]
pub enum Another {}

impl IsArray for Another {
    fn note(&self, _: &'static str) {
        match *self {}
    }
}

impl<A: IsArray> KeepArray<A> for &&Binding<A> {
    #[inline]
    unsafe fn rescue(&self, name: &'static str) -> Watched<A> {
        // SAFETY: the caller's promise.
        unsafe { (*self.0).note(name) };
        Watched(PhantomData)
    }
}

/// An array whose handle may change: what it held before is not what it holds when the cell fails.
/// Where the type is known later this says that it may be one; [`KeepCopy`] alone would say that it
/// is none, and be wrong.
pub trait SkipArray<A> {
    /// Keeps nothing.
    ///
    /// # Safety
    ///
    /// None is needed; the other traits' methods have the same form.
    unsafe fn rescue(&self, name: &'static str);
}

impl<A: IsArray> SkipArray<A> for &&Binding<A> {
    #[inline]
    unsafe fn rescue(&self, _: &'static str) {}
}

/// A variable that can be copied and borrows nothing; see the trait below. That it borrows
/// nothing is to be seen here: where a cell ends in a panic, what puts its variables is not
/// reached, and borrows are not checked there.
pub trait KeepCopy<T> {
    /// Keeps it, if the cell ends early.
    ///
    /// # Safety
    ///
    /// The place is that of a variable that has a value and is in scope until the answer is
    /// dropped.
    unsafe fn rescue(&self, name: &'static str) -> Rescue<T>;
}

/// A variable that cannot. The method of the trait above is found first where there is one.
pub trait KeepNothing {
    /// Keeps nothing, and leaves nothing to compile.
    ///
    /// # Safety
    ///
    /// None is needed; the other trait's method has the same form.
    unsafe fn rescue(&self, name: &'static str);
}

impl<T: Copy + 'static> KeepCopy<T> for &Binding<T> {
    #[inline]
    unsafe fn rescue(&self, name: &'static str) -> Rescue<T> {
        let copy = Copied { place: self.0.cast(), name, layout: Layout::new::<T>() };
        Rescue { _copy: copy, of: PhantomData }
    }
}

impl<T> KeepNothing for Binding<T> {
    #[inline]
    unsafe fn rescue(&self, _: &'static str) {}
}

/// Keeps a variable when it is dropped before [`completed`] is called.
pub struct Rescue<T> {
    _copy: Copied,
    of: PhantomData<T>,
}

/// What is kept of a variable: a rescue of its type, or nothing.
pub trait Kept<T> {}

impl<T> Kept<T> for Rescue<T> {}
impl<A> Kept<A> for Watched<A> {}
impl<T> Kept<T> for () {}

/// What was kept under a name is of the type that the name has where the cell ends.
#[inline]
pub fn same<T>(_: &impl Kept<T>, _: &T) {}

struct Copied {
    place: *const u8,
    name: &'static str,
    layout: Layout,
}

impl Drop for Copied {
    fn drop(&mut self) {
        let is_kept = || KEPT.with_borrow(|kept| kept.contains(&self.name));
        if !IS_UNDER_WAY.get() || is_kept() {
            return;
        }
        // The former variable of the name is dropped, and the cell's own panic is what is told
        // whatever happens there.
        let first = panics::take();
        // SAFETY: the promise of `KeepCopy::rescue`, and this is dropped before the variable:
        // what is `Copy` is there although it has been used, and has no destructor.
        let kept = catch_unwind(|| unsafe { store::put_copy(self.name, self.layout, self.place) });
        panics::take();
        if let Some(first) = first {
            panics::note(first);
        }
        if kept.unwrap_or(false) {
            KEPT.with_borrow_mut(|kept| kept.push(self.name));
        }
    }
}

/// An array that a cell moves, or binds.
struct Noted {
    /// Of those that it moves, the number among the variables that it has taken.
    number: Option<usize>,
    name: &'static str,
    array: WeakRaw,
    /// Another handle of it, once something has failed.
    found: Option<Raw>,
    put: Put,
}

/// What puts an array into the store.
///
/// # Safety
///
/// As [`store::settle`] if there is a number; else the array is of the type that the cell puts by this
/// name.
type Put = unsafe fn(Option<usize>, &'static str, Raw) -> bool;

/// Notes an array that has been taken and that the cell moves.
///
/// # Safety
///
/// It is the variable of that number and name among those that the cell has taken.
#[inline]
pub unsafe fn moves<T: Elem>(number: usize, name: &'static str, array: &GpuArray<T>) {
    note(Some(number), name, &array.raw, put::<T>);
}

fn note(number: Option<usize>, name: &'static str, array: &Raw, put: Put) {
    if let Some(array) = array.downgrade() {
        NOTED.with_borrow_mut(|noted| noted.push(Noted { number, name, array, found: None, put }));
    }
}

/// Puts an array back, or a new one; says whether.
///
/// # Safety
///
/// As [`Put`].
unsafe fn put<T: Elem>(number: Option<usize>, name: &'static str, array: Raw) -> bool {
    let array = GpuArray::<T>::from_untyped(array);
    match number {
        // SAFETY: the caller's promise.
        Some(number) => unsafe { store::settle(number, name, array) },
        None if !store::is_expected(name) => return false,
        None => drop(store::put(name, array)),
    }
    true
}

/// Something fails: what has been noted may still be there. If the cell catches that, handles stay
/// until it ends.
pub(super) fn look_for_noted() {
    // A panic while this is borrowed finds nothing; there is none that this causes.
    let _ = NOTED.try_with(|noted| {
        for noted in noted.try_borrow_mut().iter_mut().flat_map(|noted| noted.iter_mut()) {
            noted.found = noted.array.upgrade();
        }
    });
}

/// The arrays that were put back since this was asked last.
pub(crate) fn take_restored() -> Vec<String> {
    RESTORED.take()
}

/// The cell's statements have ended; arrays that they had moved are there again if they failed.
pub(super) fn end(has_failed: bool) {
    let is_under_way = IS_UNDER_WAY.replace(false);
    for Noted { number, name, found, put, .. } in NOTED.take() {
        // What has come to its end has put its own.
        let is_wanted = has_failed && number.map_or(is_under_way, store::is_taken);
        let Some(array) = found.filter(|_| is_wanted) else { continue };
        // SAFETY: the promises of `moves`, whose variable has not been put back since, and of `rescue`:
        // `same` has the compiler check that the type is that of what the cell puts.
        let was_put = catch_unwind(AssertUnwindSafe(|| unsafe { put(number, name, array) }));
        if was_put.unwrap_or(false) {
            match number {
                Some(_) => RESTORED.with_borrow_mut(|restored| restored.push(name.to_owned())),
                None => KEPT.with_borrow_mut(|kept| kept.push(name)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_array_is_found_while_something_holds_it() {
        let x = gpurepl_arrays::array::zeros::<f32>(3);
        // SAFETY: nothing is settled here.
        unsafe { moves(0, "x", &x) };
        let found = || NOTED.with_borrow(|noted| noted[0].found.is_some());
        look_for_noted();
        assert!(found());
        NOTED.with_borrow_mut(|noted| noted[0].found = None);
        drop(x);
        look_for_noted();
        assert!(!found(), "noting it does not keep it");
        end(false);
        assert!(NOTED.with_borrow(Vec::is_empty));
    }
}
