//! A slice that several threads write at once.

use std::marker::PhantomData;

/// A slice of which several threads write parts of their own.
pub(super) struct Shared<'a, T> {
    first: *mut T,
    length: usize,
    lent: PhantomData<&'a mut [T]>,
}

// SAFETY: who writes a part promises that it is nobody else's.
unsafe impl<T: Send> Sync for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    pub(super) fn new(slice: &'a mut [T]) -> Shared<'a, T> {
        Shared { first: slice.as_mut_ptr(), length: slice.len(), lent: PhantomData }
    }

    /// # Safety
    ///
    /// No other slice that is alive has any of these elements.
    #[expect(clippy::mut_from_ref, reason = "the caller promises what `&mut self` would")]
    pub(super) unsafe fn part(&self, start: usize, length: usize) -> &mut [T] {
        assert!(start.checked_add(length).is_some_and(|end| end <= self.length));
        // SAFETY: within the slice that is lent, and nobody else's.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(start), length) }
    }
}
