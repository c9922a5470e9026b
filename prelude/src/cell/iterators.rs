//! Iterators whose types have no name, kept with all that they can do.
//!
//! `(0..5).map(|i| i * i)` can be cloned, reversed and asked for its length, but
//! no program can write its type. It is kept in a box, whose type says which of
//! these it can do. Which one that is, the compiler finds by the number of `&`
//! before [`boxing`]: it takes the first implementation that fits (David
//! Tolnay's "autoref specialization"). Whether a closure can be cloned is not
//! known yet when it chooses. Four `&` leave the clones out.

use std::cell::Cell;

/// An iterator that is about to be kept.
pub struct Boxing<I>(Cell<Option<I>>);

/// Makes an iterator ready for `(&&&&&&&&boxing(iterator)).keep()`.
pub fn boxing<I>(iterator: I) -> Boxing<I> {
    Boxing(Cell::new(Some(iterator)))
}

impl<I> Boxing<I> {
    fn take(&self) -> I {
        self.0.take().unwrap_or_else(|| panic!("an iterator is kept once"))
    }
}

/// An iterator that can go backwards and knows its length.
pub trait DoubleEndedExactSizeIterator: DoubleEndedIterator + ExactSizeIterator {}

impl<I: DoubleEndedIterator + ExactSizeIterator> DoubleEndedExactSizeIterator for I {}

/// Traits of iterators that can be cloned, and that of their boxes.
macro_rules! clones {
    ($($(#[$doc:meta])* $name:ident: $($bound:ident)+;)*) => { $(
        $(#[$doc])*
        pub trait $name: $($bound +)+ {
            /// A clone in a box of its own.
            fn boxed_clone<'a>(&self) -> Box<dyn $name<Item = Self::Item> + 'a>
            where
                Self: 'a;
        }

        impl<I: Clone $(+ $bound)+> $name for I {
            fn boxed_clone<'a>(&self) -> Box<dyn $name<Item = I::Item> + 'a>
            where
                Self: 'a,
            {
                Box::new(self.clone())
            }
        }

        impl<'a, T: 'a> Clone for Box<dyn $name<Item = T> + 'a> {
            fn clone(&self) -> Self {
                (**self).boxed_clone()
            }
        }
    )* };
}

clones! {
    /// An iterator that can be cloned.
    CloneIterator: Iterator;
    /// An iterator that can be cloned and can go backwards.
    CloneDoubleEndedIterator: DoubleEndedIterator;
    /// An iterator that can be cloned and knows its length.
    CloneExactSizeIterator: ExactSizeIterator;
    /// An iterator that can be cloned, can go backwards and knows its length.
    CloneDoubleEndedExactSizeIterator: DoubleEndedIterator ExactSizeIterator;
}

/// The kinds of boxes, the one that can do most first; `$level` has a `&` less
/// from one to the next.
macro_rules! kinds {
    ($($keep:ident, $name:ident: $($bound:ident)+, $level:ty;)*) => { $(
        /// A kind of box.
        pub trait $keep<'a> {
            /// What the iterator yields.
            type Item;

            /// The iterator in its box.
            fn keep(&self) -> Box<dyn $name<Item = Self::Item> + 'a>;
        }

        impl<'a, I: $($bound +)+ 'a> $keep<'a> for $level {
            type Item = I::Item;

            fn keep(&self) -> Box<dyn $name<Item = I::Item> + 'a> {
                Box::new(self.take())
            }
        }
    )* };
}

kinds! {
    Keep7, CloneDoubleEndedExactSizeIterator: DoubleEndedIterator ExactSizeIterator Clone, &&&&&&&Boxing<I>;
    Keep6, CloneDoubleEndedIterator: DoubleEndedIterator Clone, &&&&&&Boxing<I>;
    Keep5, CloneExactSizeIterator: ExactSizeIterator Clone, &&&&&Boxing<I>;
    Keep4, CloneIterator: Iterator Clone, &&&&Boxing<I>;
    Keep3, DoubleEndedExactSizeIterator: DoubleEndedIterator ExactSizeIterator, &&&Boxing<I>;
    Keep2, DoubleEndedIterator: DoubleEndedIterator, &&Boxing<I>;
    Keep1, ExactSizeIterator: ExactSizeIterator, &Boxing<I>;
    Keep0, Iterator: Iterator, Boxing<I>;
}

#[cfg(test)]
// As generated cells write it, whatever the type; and `rev` is what is tested.
#[allow(clippy::needless_borrow, clippy::manual_next_back, clippy::iter_skip_next)]
mod tests {
    use super::*;

    #[test]
    fn a_box_can_do_what_its_iterator_can() {
        let all = (&&&&&&&&boxing((0..5).map(|i| i * i))).keep();
        assert_eq!((all.len(), all.clone().rev().next(), all.sum::<i32>()), (5, Some(16), 30));
        let ends = (&&&&&&&&boxing((0..5).filter(|i| i % 2 == 0))).keep();
        assert_eq!((ends.clone().count(), ends.rev().next()), (3, Some(4)));
        let text = String::from("abc");
        // No clone of what owns a file, say.
        struct Own;
        let own = Own;
        let lent = (&&&&boxing(text.bytes().map(move |b| (b, size_of_val(&own))))).keep();
        assert_eq!((lent.len(), lent.rev().next()), (3, Some((b'c', 0))));
        let mut n = 0;
        let only = (&&&&&&&&boxing(std::iter::from_fn(move || {
            n += 1;
            Some(n)
        })))
            .keep();
        assert_eq!(only.clone().nth(2), only.skip(2).next());
    }
}
