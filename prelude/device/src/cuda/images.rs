//! The machine code of generated kernels, kept by what their texts are made
//! from. What was used least recently goes first.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use gpurepl_kernels::Generated;
use hashbrown::HashTable;

use super::launch::Image;

/// Kernels that a context keeps: each takes some ten kilobytes of its memory,
/// and is a file in the user's cache besides.
const MOST: usize = 1024;

/// Machine code by its text's [`Generated`].
#[derive(Default)]
pub(super) struct Images {
    table: HashTable<Kept>,
    hasher: RandomState,
    uses: u64,
}

struct Kept {
    text: Generated<'static>,
    image: Arc<Image>,
    last_use: u64,
}

impl Images {
    /// The machine code of a text that has been compiled.
    pub(super) fn get(&mut self, text: &Generated<'_>) -> Option<Arc<Image>> {
        self.uses += 1;
        let kept = self.table.find_mut(self.hasher.hash_one(text), |kept| kept.text == *text)?;
        kept.last_use = self.uses;
        Some(Arc::clone(&kept.image))
    }

    /// Keeps machine code; of two that are compiled at once the first stays.
    pub(super) fn insert(&mut self, text: &Generated<'_>, image: Arc<Image>) -> Arc<Image> {
        if let Some(first) = self.get(text) {
            return first;
        }
        if self.table.len() >= MOST {
            self.forget_oldest();
        }
        let (hasher, last_use) = (&self.hasher, self.uses);
        let kept = Kept { text: text.to_owned(), image: Arc::clone(&image), last_use };
        self.table.insert_unique(hasher.hash_one(text), kept, |kept| hasher.hash_one(&kept.text));
        image
    }

    /// Lets go of the quarter that was used least recently. A kernel that is
    /// running has its code as long as it needs it.
    fn forget_oldest(&mut self) {
        let mut uses: Vec<u64> = self.table.iter().map(|kept| kept.last_use).collect();
        let quarter = uses.len() / 4;
        let (_, oldest, _) = uses.select_nth_unstable(quarter);
        let oldest = *oldest;
        self.table.retain(|kept| kept.last_use > oldest);
    }
}
