//! Views that indexing lends: `a[1]`, `a[1..3]`.
//!
//! `Index` returns a reference, so a view must stay where it is for as long as
//! the array is borrowed. An array keeps the views that it has lent until it is
//! used mutably or dropped, when no borrow of them can be left; one that is lent
//! again is the same. So a loop leaves one record for each distinct place that
//! it reads: of an element 64 bytes, of which 24 are the slot that the reference
//! points at, 32 the record and 8 the index.
//!
//! All of this is safe code. References point into slots behind boxes that
//! are never moved, changed or freed while the views are borrowed: slots are
//! filled once (`OnceLock`), chunks of slots are only added (`FrozenVec`), and
//! both go with the `Views`, which takes `&mut` or ownership of the handle.

use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use elsa::sync::FrozenVec;
use hashbrown::HashTable;
use once_cell::race::OnceBox;

use super::node::{Node, Place};
use super::raw::{Handle, Raw};
use crate::shape::{MAX_RANK, Shape};

/// The views that a handle has lent.
#[derive(Default)]
pub(super) struct Views {
    /// The numbers of the views, by where they lie.
    numbers: Mutex<HashTable<u32>>,
    chunks: FrozenVec<Box<[OnceLock<Raw>]>>,
    /// Copies that indices and masks have chosen.
    copies: FrozenVec<Box<Raw>>,
}

/// A view of an array in memory: what differs from the array alone.
struct Lent<const RANK: usize> {
    /// A node that lies in the memory, and has the type of the elements.
    base: Arc<Node>,
    offset: usize,
    lengths: [usize; RANK],
    strides: [isize; RANK],
    views: OnceBox<Views>,
}

/// Which elements of its memory a view has.
#[derive(Hash, PartialEq, Eq)]
pub(super) struct Extent<'a> {
    pub(super) offset: usize,
    pub(super) lengths: &'a [usize],
    pub(super) strides: &'a [isize],
}

impl Extent<'_> {
    fn hash(&self) -> u64 {
        BuildHasherDefault::<DefaultHasher>::default().hash_one(self)
    }

    fn place(&self, base: &Node) -> Place {
        // What has been indexed is in memory, and stays there.
        let mut place = base.place().expect("a view of memory");
        place.offset = self.offset;
        place.strides = [0; MAX_RANK];
        place.strides[..self.strides.len()].copy_from_slice(self.strides);
        place
    }
}

impl Views {
    /// The view of this extent of a node's memory.
    pub(super) fn lend(&self, base: &Arc<Node>, extent: &Extent<'_>) -> &Raw {
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |number: &u32| self.view(*number).extent().is_some_and(|other| other == *extent);
        if let Some(number) = numbers.find(extent.hash(), is_same) {
            return self.view(*number);
        }
        let number = u32::try_from(numbers.len()).expect("fewer views than fill the memory");
        let (chunk, slot) = position(number);
        if chunk == self.chunks.len() {
            self.chunks.push((0..1 << chunk.min(LARGEST)).map(|_| OnceLock::new()).collect());
        }
        let view = self.slot(chunk, slot).get_or_init(|| record(base, extent));
        let hash_of = |number: &u32| self.view(*number).extent().map_or(0, |extent| extent.hash());
        numbers.insert_unique(extent.hash(), number, hash_of);
        view
    }

    /// Keeps an array that is not a view.
    pub(super) fn keep(&self, array: Raw) -> &Raw {
        self.copies.push_get(Box::new(array))
    }

    fn view(&self, number: u32) -> &Raw {
        let (chunk, slot) = position(number);
        self.slot(chunk, slot).get().expect("a view that has been lent")
    }

    fn slot(&self, chunk: usize, slot: usize) -> &OnceLock<Raw> {
        &self.chunks.get(chunk).expect("a chunk that has been added")[slot]
    }
}

/// Chunks hold 1, 2, 4 and so on slots, and from then on 64: a handle that
/// lends one view has one slot, one that lends many wastes little.
const LARGEST: usize = 6;

/// The chunk and the slot of a view.
fn position(number: u32) -> (usize, usize) {
    let number = number as usize + 1;
    let chunk = number.ilog2() as usize;
    if chunk < LARGEST {
        (chunk, number - (1 << chunk))
    } else {
        let number = number - (1 << LARGEST);
        (LARGEST + (number >> LARGEST), number % (1 << LARGEST))
    }
}

fn record(base: &Arc<Node>, extent: &Extent<'_>) -> Raw {
    match extent.lengths.len() {
        0 => lent::<0>(base, extent),
        1 => lent::<1>(base, extent),
        2 => lent::<2>(base, extent),
        3 => lent::<3>(base, extent),
        4 => lent::<4>(base, extent),
        5 => lent::<5>(base, extent),
        6 => lent::<6>(base, extent),
        7 => lent::<7>(base, extent),
        _ => lent::<MAX_RANK>(base, extent),
    }
}

fn lent<const RANK: usize>(base: &Arc<Node>, extent: &Extent<'_>) -> Raw {
    let (mut lengths, mut strides) = ([0; RANK], [0; RANK]);
    lengths.copy_from_slice(extent.lengths);
    strides.copy_from_slice(extent.strides);
    let base = Arc::clone(base);
    Raw::from_handle(Lent { base, offset: extent.offset, lengths, strides, views: OnceBox::new() })
}

impl<const RANK: usize> Handle for Lent<RANK> {
    fn base(&self) -> &Arc<Node> {
        &self.base
    }

    fn extent(&self) -> Option<Extent<'_>> {
        Some(Extent { offset: self.offset, lengths: &self.lengths, strides: &self.strides })
    }

    fn views(&self) -> &OnceBox<Views> {
        &self.views
    }

    fn own(&mut self) -> Option<&mut Arc<Node>> {
        None
    }
}

/// The node that a view would have if it were an array.
pub(super) fn node(base: &Node, extent: &Extent<'_>) -> Arc<Node> {
    Node::ready(Shape::new(extent.lengths), base.dtype, extent.place(base))
}

/// Where the elements of a view lie.
pub(super) fn place(base: &Node, extent: &Extent<'_>) -> Place {
    extent.place(base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_view_has_a_slot_of_its_own() {
        let mut next = (0, 0);
        for number in 0..5000 {
            assert_eq!(position(number), next);
            next.1 += 1;
            if next.1 == 1 << next.0.min(LARGEST) {
                next = (next.0 + 1, 0);
            }
        }
    }

    #[test]
    fn the_record_of_an_element_is_24_bytes() {
        assert_eq!((size_of::<Lent<0>>(), size_of::<Lent<1>>()), (24, 40));
        assert_eq!(size_of::<OnceLock<Raw>>(), 24);
    }
}
