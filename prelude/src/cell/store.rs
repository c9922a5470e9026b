//! The variables of a session, between cells.
//!
//! A variable is a piece of memory with the size, alignment and destructor of
//! its type. A cell names the type when it takes a variable, so nothing here
//! knows it; what makes that sound is the fingerprint: a hash, made by the
//! session, of the type's text and of every definition behind it. A variable
//! is given out only to a cell that states the fingerprint, size and alignment
//! that it was put with.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gpurepl_ground::streams::panics::describe;

/// A variable's memory.
struct Slot {
    /// Tells a slot from one that has taken its name, and maybe its memory.
    id: u64,
    layout: Layout,
    fingerprint: u64,
    drop: unsafe fn(*mut u8),
    memory: NonNull<u8>,
    /// Whether the memory holds a value; not while a cell has it.
    is_full: bool,
}

// SAFETY: values are moved in and out of slots and dropped on the cell thread
// only, whichever thread holds the map: `take`, `put` and `settle` are
// called by cells, `forget` by the loop that runs them, and all
// of these run on that one thread.
unsafe impl Send for Store {}

#[derive(Default)]
struct Store {
    slots: BTreeMap<String, Slot>,
    /// Fingerprints for the variables that the cell now running will put.
    fingerprints: BTreeMap<String, u64>,
    /// The slots that the cell now running has asked for.
    taken: Vec<Taken>,
    /// The number of slots made so far.
    count: u64,
    /// The names of variables that have been put, in order.
    put: Vec<String>,
}

/// A slot by its name and number.
struct Taken {
    name: String,
    id: u64,
}

static STORE: Mutex<Option<Store>> = Mutex::new(None);

/// The lock is never held while a value is moved or dropped: a destructor may
/// do anything.
fn store<R>(act: impl FnOnce(&mut Store) -> R) -> R {
    let mut guard: MutexGuard<'_, Option<Store>> = STORE.lock().unwrap_or_else(PoisonError::into_inner);
    act(guard.get_or_insert_default())
}

/// A variable that a cell needs, as its code states it: name, fingerprint,
/// size and alignment.
pub type Needed = (&'static str, u64, usize, usize);

/// Checks the variables that a cell is about to take. If one is missing or of
/// another type the cell must not run; the session is informed.
pub fn wanted(needed: &[Needed]) -> bool {
    let problem = store(|store| {
        store.taken.clear();
        for (name, fingerprint, size, align) in needed {
            let Some(slot) = store.slots.get(*name).filter(|slot| slot.is_full) else {
                return Some(format!("the variable `{name}` has no value any more"));
            };
            let same = slot.fingerprint == *fingerprint
                && slot.layout.size() == *size
                && slot.layout.align() == *align;
            if !same {
                return Some(format!(
                    "the variable `{name}` is of another type than the cell was compiled for"
                ));
            }
            store.taken.push(Taken { name: (*name).to_owned(), id: slot.id });
        }
        None
    });
    match problem {
        None => true,
        Some(problem) => {
            super::failure::refuse(problem);
            false
        }
    }
}

/// Takes a variable out of the store.
///
/// # Safety
///
/// [`wanted`] has said yes to a list in which this variable is number
/// `number`, with the size and alignment of `T` and the fingerprint of its
/// definition, and the variable has not been taken since.
#[inline]
pub unsafe fn take<T: 'static>(number: usize) -> T {
    // SAFETY: the slot holds a value of this very type, by the caller's
    // promise; it counts as empty from now on, so the value is not read twice.
    unsafe { empty(number).cast::<T>().read() }
}

/// Marks a wanted variable's slot as empty and returns its memory.
fn empty(number: usize) -> NonNull<u8> {
    let memory = store(|store| {
        let taken = store.taken.get(number)?;
        let slot = store.slots.get_mut(&taken.name).filter(|slot| slot.id == taken.id && slot.is_full)?;
        slot.is_full = false;
        Some(slot.memory)
    });
    memory.unwrap_or_else(|| {
        // The caller has not asked for it; there is no value to return, and
        // no way to continue.
        eprintln!("internal error: a variable was taken that was not asked for");
        std::process::abort()
    })
}

/// Puts a taken variable back, whatever the cell has done; where the cell has
/// put a new one of the name, the former value is dropped.
///
/// As in [`put`] the bound keeps what a cell has put *into* a variable, a
/// reference to another one say, from outliving what it borrows.
///
/// # Safety
///
/// As [`take`], which took it in this cell.
#[inline]
pub unsafe fn settle<T: 'static>(number: usize, name: &'static str, value: T) {
    let mut value = ManuallyDrop::new(value);
    // SAFETY: the slot was made for a `T`, by the caller's promise; the value
    // is given away whole and not used here any more.
    unsafe { give_back(number, name, (&raw mut value).cast(), drop_value::<T>) }
}

/// Moves a taken variable's value back into its slot; where the slot has been
/// replaced since, the value is dropped.
///
/// # Safety
///
/// `value` points at a value of the slot's type, which nobody uses any more;
/// `drop` is the destructor of that type.
unsafe fn give_back(number: usize, name: &'static str, value: *mut u8, drop: unsafe fn(*mut u8)) {
    match refill(number) {
        // SAFETY: the slot's memory has room for a value of its type, and has
        // been empty since `take`; the two do not overlap, one is on the stack.
        Some((memory, size)) => unsafe { memory.as_ptr().copy_from_nonoverlapping(value, size) },
        None => {
            // After the cell, where a destructor that panics does no harm.
            // SAFETY: the caller's promise.
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| unsafe { drop(value) })) {
                let problem = describe(payload.as_ref());
                super::failure::report(format!("dropping the former `{name}`: {problem}"));
            }
        }
    }
}

/// Marks a taken variable's slot as full again and returns its memory and its
/// size in bytes; none if the slot has been replaced since.
fn refill(number: usize) -> Option<(NonNull<u8>, usize)> {
    store(|store| {
        let taken = store.taken.get(number)?;
        let slot = store.slots.get_mut(&taken.name).filter(|slot| slot.id == taken.id)?;
        slot.is_full = true;
        Some((slot.memory, slot.layout.size()))
    })
}

/// The type of a variable. The compiler's output names the type of this
/// value, and the session reads it there.
pub struct Ty<T: ?Sized>(
    // Not of size zero: the output leaves out what has no size.
    #[expect(dead_code)] u8,
    PhantomData<T>,
);

/// Puts a new variable into the store; one of the same name is dropped.
///
/// A variable outlives the cell, so it borrows nothing: the bound is what
/// keeps a reference to another variable from becoming one.
#[inline]
pub fn put<T: 'static>(name: &'static str, value: T) -> Ty<T> {
    let value = ManuallyDrop::new(value);
    // SAFETY: the value is given away whole and not used here any more; the
    // destructor is that of its type.
    unsafe { keep(name, Layout::new::<T>(), (&raw const value).cast(), drop_value::<T>) };
    Ty(0, PhantomData)
}

/// Puts a copy of a new variable into the store, if it is one that the cell puts; says whether.
///
/// # Safety
///
/// The place holds a value of this layout, which is `Copy`. Its type is that of the value that the
/// cell puts by this name, which has the fingerprint that the session has sent: the generated call of
/// `rescue::same` has the compiler see to that.
pub(super) unsafe fn put_copy(name: &'static str, layout: Layout, place: *const u8) -> bool {
    let is_put = is_expected(name);
    if is_put {
        // SAFETY: the caller's promise; what is `Copy` may be used by the cell as well.
        unsafe { keep(name, layout, place, no_destructor) };
    }
    is_put
}

/// Whether the running cell puts a variable of this name.
pub(super) fn is_expected(name: &str) -> bool {
    store(|store| store.fingerprints.contains_key(name))
}

/// What is `Copy` has no destructor.
///
/// # Safety
///
/// None is needed; a destructor has this form.
unsafe fn no_destructor(_: *mut u8) {}

/// Whether a wanted variable has been taken and not been put back.
pub(super) fn is_taken(number: usize) -> bool {
    store(|store| {
        let taken = store.taken.get(number);
        let slot = taken.and_then(|taken| store.slots.get(&taken.name).filter(|slot| slot.id == taken.id));
        slot.is_some_and(|slot| !slot.is_full)
    })
}

/// The type of a value that borrows, perhaps. A cell that asks is compiled for
/// its types alone, and never run.
pub fn type_of<T>(_: &T) -> Ty<T> {
    Ty(0, PhantomData)
}

/// Names the type of a new variable in the symbols of the compiled cell, by
/// the variable's place among the new ones; the session reads it there.
#[inline(never)]
pub fn of<const NUMBER: usize, T>(_: &Ty<T>) {}

/// Moves a value into a new slot.
///
/// # Safety
///
/// `value` points at a value of this layout, which nobody uses any more;
/// `drop` is the destructor of its type.
unsafe fn keep(name: &'static str, layout: Layout, value: *const u8, drop: unsafe fn(*mut u8)) {
    let memory = new_slot(name, layout, drop);
    // SAFETY: `new_slot` returned memory of this layout, which holds nothing yet.
    unsafe { memory.as_ptr().copy_from_nonoverlapping(value, layout.size()) };
    filled(name);
}

/// Drops a value in place.
///
/// # Safety
///
/// The memory holds a `T` that is not used any more.
unsafe fn drop_value<T>(memory: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { memory.cast::<T>().drop_in_place() }
}

/// Room for a variable, empty. An older one of the name is dropped.
fn new_slot(name: &'static str, layout: Layout, drop: unsafe fn(*mut u8)) -> NonNull<u8> {
    let memory = allocate(layout);
    let older = store(|store| {
        let fingerprint = store.fingerprints.get(name).copied().unwrap_or(0);
        store.count += 1;
        let slot = Slot { id: store.count, layout, fingerprint, drop, memory, is_full: false };
        store.slots.insert(name.to_owned(), slot)
    });
    if let Some(problem) = older.and_then(destroy) {
        super::failure::report(format!("dropping the former `{name}`: {problem}"));
    }
    memory
}

fn filled(name: &str) {
    store(|store| {
        if let Some(slot) = store.slots.get_mut(name) {
            slot.is_full = true;
        }
        store.put.push(name.to_owned());
    });
}

/// The variables that have been put since this was asked last.
pub(crate) fn take_put() -> Vec<String> {
    store(|store| std::mem::take(&mut store.put))
}

fn allocate(layout: Layout) -> NonNull<u8> {
    if layout.size() == 0 {
        // A value without size needs an aligned address, and no memory.
        return NonNull::new(std::ptr::without_provenance_mut(layout.align()))
            .expect("an alignment is not zero");
    }
    // SAFETY: the size is not zero.
    NonNull::new(unsafe { alloc(layout) }).unwrap_or_else(|| handle_alloc_error(layout))
}

/// Drops a slot's value, if it has one, and frees its memory. A destructor
/// that panics is reported, not passed on: the value is gone either way.
fn destroy(slot: Slot) -> Option<String> {
    let mut problem = None;
    if slot.is_full {
        // SAFETY: the slot holds a value of the type that `drop` is for, and
        // nobody else has the slot any more.
        let dropped = catch_unwind(AssertUnwindSafe(|| unsafe { (slot.drop)(slot.memory.as_ptr()) }));
        problem = dropped.err().map(|payload| describe(payload.as_ref()));
    }
    if slot.layout.size() > 0 {
        // SAFETY: `allocate` returned this memory for this layout, and its
        // value has been dropped or moved out.
        unsafe { dealloc(slot.memory.as_ptr(), slot.layout) }
    }
    problem
}

/// Sets the fingerprints of the variables that the next cell puts.
pub(crate) fn set_fingerprints(fingerprints: Vec<(String, u64)>) {
    store(|store| store.fingerprints = fingerprints.into_iter().collect());
}

/// The size of a variable's value; none if it holds none.
pub(super) fn size(name: &str) -> Option<usize> {
    store(|store| store.slots.get(name).filter(|slot| slot.is_full).map(|slot| slot.layout.size()))
}

/// Looks at a variable's value in place. None if there is no value, or it was
/// put with another fingerprint, or it has not the layout of a `T`.
///
/// # Safety
///
/// The fingerprint is one of a type that may be read as a `T`. This is the
/// thread of cells, and no cell runs.
pub(super) unsafe fn peek<T, R>(slot: &gpurepl_wire::SlotName, look: impl FnOnce(&T) -> R) -> Option<R> {
    let memory = store(|store| {
        let known = store.slots.get(&slot.name)?;
        let fits =
            known.is_full && known.fingerprint == slot.fingerprint && known.layout == Layout::new::<T>();
        fits.then_some(known.memory)
    })?;
    // SAFETY: the slot is full, and of a type that may be read as a `T`, by
    // the caller's promise; it stays so, since only this thread empties slots.
    Some(look(unsafe { memory.cast::<T>().as_ref() }))
}

/// Drops variables; returns what their destructors complained of.
pub(crate) fn forget(names: &[String]) -> Vec<String> {
    let mut problems = Vec::new();
    for name in names {
        let slot = store(|store| store.slots.remove(name));
        if let Some(problem) = slot.and_then(destroy) {
            problems.push(format!("dropping `{name}`: {problem}"));
        }
    }
    problems
}

/// Lets go of variables without their destructors, and of their memory: one
/// whose destructor ends the process is never dropped again.
pub(crate) fn abandon(names: &[String]) {
    for name in names {
        // A slot has no destructor of its own: its memory stays as it is.
        let _ = store(|store| store.slots.remove(name));
    }
}

/// The variables that hold a value, and their fingerprints.
pub(crate) fn held() -> Vec<(String, u64)> {
    store(|store| {
        let full = store.slots.iter().filter(|(_, slot)| slot.is_full);
        full.map(|(name, slot)| (name.clone(), slot.fingerprint)).collect()
    })
}

/// The variables that hold a value. Slots that a cell has moved out of are
/// removed.
pub(crate) fn names() -> Vec<String> {
    let (empty, names) = store(|store| {
        let empty: Vec<String> =
            store.slots.iter().filter(|(_, slot)| !slot.is_full).map(|(name, _)| name.clone()).collect();
        let empty: Vec<Slot> = empty.iter().filter_map(|name| store.slots.remove(name)).collect();
        (empty, store.slots.keys().cloned().collect())
    });
    for slot in empty {
        destroy(slot);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    // One test: the store is one for the process.
    #[test]
    fn a_variable_lives_until_it_is_forgotten() {
        let _alone = gpurepl_ground::interrupt::exclusive::alone();
        let counted = Rc::new(());
        set_fingerprints(vec![("v".to_owned(), 7)]);
        put("v", (Rc::clone(&counted), 5u8));
        assert_eq!(Rc::strong_count(&counted), 2);
        let (size, align) = (size_of::<(Rc<()>, u8)>(), align_of::<(Rc<()>, u8)>());

        assert!(!wanted(&[("v", 8, size, align)]), "another fingerprint");
        assert!(!wanted(&[("v", 7, size + 8, align)]), "another size");
        assert!(!wanted(&[("w", 7, size, align)]), "no such variable");
        super::super::failure::take_failure();

        assert!(wanted(&[("v", 7, size, align)]));
        // SAFETY: `wanted` agreed to this list, and the type is what was put.
        let mut value: (Rc<()>, u8) = unsafe { take(0) };
        assert!(!wanted(&[("v", 7, size, align)]), "a cell has it");
        super::super::failure::take_failure();
        let id = store(|store| store.slots["v"].id);
        store(|store| store.taken.push(Taken { name: "v".to_owned(), id }));
        value.1 = 6;
        // SAFETY: as above.
        unsafe { settle(0, "v", value) };
        assert_eq!(names(), ["v"]);

        put("v", "a string in its place".to_owned());
        assert_eq!(Rc::strong_count(&counted), 1, "the former value is dropped");

        struct Angry;
        impl Drop for Angry {
            fn drop(&mut self) {
                panic!("not today");
            }
        }
        put("angry", Angry);
        assert_eq!(held(), [("angry".to_owned(), 0), ("v".to_owned(), 7)]);
        assert_eq!(forget(&["angry".to_owned(), "v".to_owned()]), ["dropping `angry`: not today"]);
        assert!(names().is_empty());

        put("kept alive", Rc::clone(&counted));
        abandon(&["kept alive".to_owned(), "no such variable".to_owned()]);
        assert!(names().is_empty());
        assert_eq!(Rc::strong_count(&counted), 2, "its destructor has not run");
    }
}
