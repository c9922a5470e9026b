//! A table that keeps the values that were used most recently.

use std::hash::{BuildHasher as _, Hash, RandomState};

use hashbrown::HashTable;

/// Values by keys. A full table removes the quarter that was used least
/// recently; a clone of a removed value stays valid.
pub(crate) struct Recent<K, V> {
    table: HashTable<Kept<K, V>>,
    hasher: RandomState,
    uses: u64,
    most: usize,
}

struct Kept<K, V> {
    key: K,
    value: V,
    last_use: u64,
}

impl<K: Eq + Hash, V: Clone> Recent<K, V> {
    /// An empty table for at most `most` values; `most` is not zero.
    pub(crate) fn new(most: usize) -> Recent<K, V> {
        Recent { table: HashTable::new(), hasher: RandomState::new(), uses: 0, most }
    }

    /// The value of a key. `key` may have another type than the table's keys, with
    /// the same hash; `is` compares them.
    pub(crate) fn get<Q: Hash + ?Sized>(&mut self, key: &Q, is: impl Fn(&K) -> bool) -> Option<V> {
        self.uses += 1;
        let kept = self.table.find_mut(self.hasher.hash_one(key), |kept| is(&kept.key))?;
        kept.last_use = self.uses;
        Some(kept.value.clone())
    }

    /// Adds a value; of two for one key the first stays. Returns the value that
    /// is kept, and those that were removed, for the caller to drop after it has
    /// released its lock: unloading a kernel may take a while.
    pub(crate) fn insert(&mut self, key: K, value: V) -> (V, Vec<V>) {
        if let Some(first) = self.get(&key, |known| *known == key) {
            return (first, vec![value]);
        }
        let gone = if self.table.len() >= self.most { self.remove_oldest() } else { Vec::new() };
        let kept = Kept { key, value: value.clone(), last_use: self.uses };
        let hasher = &self.hasher;
        self.table.insert_unique(hasher.hash_one(&kept.key), kept, |kept| hasher.hash_one(&kept.key));
        (value, gone)
    }

    /// Removes the quarter that was used least recently.
    fn remove_oldest(&mut self) -> Vec<V> {
        let mut uses: Vec<u64> = self.table.iter().map(|kept| kept.last_use).collect();
        let quarter = uses.len() / 4;
        let (_, oldest, _) = uses.select_nth_unstable(quarter);
        let oldest = *oldest;
        self.table.extract_if(|kept| kept.last_use <= oldest).map(|kept| kept.value).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn get(recent: &mut Recent<usize, Arc<usize>>, key: usize) -> Option<Arc<usize>> {
        recent.get(&key, |known| *known == key)
    }

    #[test]
    fn what_was_used_least_recently_goes_first() {
        let mut recent = Recent::new(8);
        for key in 0..8 {
            assert!(recent.insert(key, Arc::new(key)).1.is_empty(), "there is room");
        }
        assert!(get(&mut recent, 0).is_some());
        let (_, gone) = recent.insert(8, Arc::new(8));
        let mut gone: Vec<usize> = gone.iter().map(|value| **value).collect();
        gone.sort_unstable();
        assert_eq!(gone, [1, 2, 3], "0 has been used since");
        let left: Vec<usize> = (0..9).filter(|key| get(&mut recent, *key).is_some()).collect();
        assert_eq!(left, [0, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn of_two_values_for_a_key_the_first_stays() {
        let mut recent = Recent::new(8);
        let first = recent.insert(1, Arc::new(10)).0;
        let (kept, gone) = recent.insert(1, Arc::new(11));
        assert!(Arc::ptr_eq(&kept, &first));
        assert_eq!(gone.len(), 1);
    }
}
