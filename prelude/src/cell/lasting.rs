//! Statics that macros write, which have no name that a linker could know.
//!
//! Each cell repeats the items that it reaches, and a static in them would be
//! a new one. Where a macro writes it, neither its name nor its number is in
//! any text. But a type defined beside it has an identity, which is the same
//! in each cell until the item around it is redefined.

use std::any::TypeId;
use std::cell::UnsafeCell;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

/// A static's value, or where it is if an earlier cell has it.
#[derive(Debug)]
pub struct Lasting<T: 'static> {
    value: T,
    place: fn() -> TypeId,
    first: AtomicPtr<T>,
}

/// Where the first static of a place and a type is.
static FIRST: LazyLock<Mutex<HashMap<(TypeId, TypeId), usize>>> = LazyLock::new(Mutex::default);

impl<T: 'static> Lasting<T> {
    /// The value of a static that `Place` was defined beside.
    ///
    /// # Safety
    ///
    /// It must become a static.
    pub const unsafe fn new<Place: 'static>(value: T) -> Lasting<T> {
        Lasting { value, place: TypeId::of::<Place>, first: AtomicPtr::new(std::ptr::null_mut()) }
    }
}

impl<T: 'static> Deref for Lasting<T> {
    type Target = T;

    fn deref(&self) -> &T {
        let mut first = self.first.load(Ordering::Acquire);
        if first.is_null() {
            let own: *const T = &raw const self.value;
            let mut known = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
            let key = ((self.place)(), TypeId::of::<T>());
            let address = *known.entry(key).or_insert_with(|| own.expose_provenance());
            first = std::ptr::with_exposed_provenance_mut(address);
            self.first.store(first, Ordering::Release);
        }
        // SAFETY: it is the address of the value of a static (what `new`
        // demands) of this type, which is part of the key. Statics are never
        // dropped, and objects of cells never unloaded. It is read only.
        unsafe { &*first }
    }
}

/// The value of a `static mut`, which code reaches by its address alone.
#[derive(Debug)]
pub struct Mutable<T>(UnsafeCell<T>);

// SAFETY: nothing here reads or writes the value. Code of the user's does by
// the pointer of `Lasting::place`, in an unsafe block of its own, and answers
// for it as it does for a `static mut`, whose type need not be `Sync` either.
unsafe impl<T> Sync for Mutable<T> {}

impl<T> Mutable<T> {
    /// Holds the first value.
    pub const fn new(value: T) -> Mutable<T> {
        Mutable(UnsafeCell::new(value))
    }
}

impl<T: 'static> Lasting<Mutable<T>> {
    /// Where the value is.
    pub fn place(&self) -> *mut T {
        self.0.get()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;

    #[test]
    fn statics_of_one_place_are_one() {
        struct Here;
        struct There;
        // SAFETY: statics.
        static A: Lasting<AtomicU32> = unsafe { Lasting::new::<Here>(AtomicU32::new(1)) };
        // SAFETY: as above.
        static B: Lasting<AtomicU32> = unsafe { Lasting::new::<Here>(AtomicU32::new(1)) };
        // SAFETY: as above.
        static C: Lasting<AtomicU32> = unsafe { Lasting::new::<There>(AtomicU32::new(1)) };
        A.fetch_add(1, Ordering::Relaxed);
        let read = |of: &AtomicU32| of.load(Ordering::Relaxed);
        assert_eq!((read(&A), read(&B), read(&C)), (2, 2, 1));
    }

    #[test]
    fn a_mutable_static_of_one_place_is_one() {
        struct Here;
        // SAFETY: statics.
        static A: Lasting<Mutable<u32>> = unsafe { Lasting::new::<Here>(Mutable::new(1)) };
        // SAFETY: as above.
        static B: Lasting<Mutable<u32>> = unsafe { Lasting::new::<Here>(Mutable::new(1)) };
        assert_eq!(A.place(), B.place());
        // SAFETY: no other thread knows them.
        unsafe { *A.place() += 1 };
        // SAFETY: as above.
        assert_eq!(unsafe { *B.place() }, 2);
    }
}
