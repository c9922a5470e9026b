//! What is kept for each context, and goes with it: compiled kernels.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{LazyLock, Mutex, MutexGuard, Once, PoisonError};

use super::Context;
use crate::error::Result;

/// Values by context and key, in a static. Those of a context are dropped when
/// it is detached.
#[doc(hidden)]
pub struct PerContext<K: 'static, V: 'static> {
    kept: LazyLock<Mutex<HashMap<u32, HashMap<K, V>>>>,
    listed: Once,
}

impl<K: Eq + Hash + Send, V: Clone + Send> Default for PerContext<K, V> {
    fn default() -> PerContext<K, V> {
        PerContext::new()
    }
}

/// What is emptied when a context goes.
trait Forget: Sync {
    fn forget(&self, context: u32);
}

static ALL: Mutex<Vec<&'static dyn Forget>> = Mutex::new(Vec::new());

impl<K: Eq + Hash + Send, V: Clone + Send> PerContext<K, V> {
    /// Nothing is kept yet.
    pub const fn new() -> PerContext<K, V> {
        PerContext { kept: LazyLock::new(Mutex::default), listed: Once::new() }
    }

    /// What is kept by a key for a context.
    pub(crate) fn get<Q: Eq + Hash + ?Sized>(&self, context: Context, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.lock().get(&context.id())?.get(key).cloned()
    }

    /// What is kept by a key for a context, made now if there is nothing. Two
    /// threads may make it at once; both get what the first has made.
    ///
    /// # Errors
    ///
    /// Those of `make`.
    pub fn get_or_make(
        &'static self,
        context: Context,
        key: K,
        make: impl FnOnce() -> Result<V>,
    ) -> Result<V> {
        if let Some(value) = self.get(context, &key) {
            return Ok(value);
        }
        // Made without the lock: who wants something else need not wait.
        let value = make()?;
        self.listed.call_once(|| ALL.lock().unwrap_or_else(PoisonError::into_inner).push(self));
        Ok(self.lock().entry(context.id()).or_default().entry(key).or_insert(value).clone())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u32, HashMap<K, V>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash + Send, V: Clone + Send> Forget for PerContext<K, V> {
    fn forget(&self, context: u32) {
        // Dropped without the lock: a kernel's end may take a while.
        let gone = self.lock().remove(&context);
        drop(gone);
    }
}

/// Drops what is kept for a context that is going.
pub(super) fn forget(context: u32) {
    let all = ALL.lock().unwrap_or_else(PoisonError::into_inner).clone();
    all.into_iter().for_each(|kept| kept.forget(context));
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn what_is_kept_goes_with_its_context_alone() {
        static KEPT: PerContext<&str, Arc<u32>> = PerContext::new();
        let stays = super::super::current().unwrap();
        let goes = stays.device().make_context().unwrap();
        for context in [stays, goes] {
            let make = || Ok(Arc::new(context.id()));
            assert_eq!(*KEPT.get_or_make(context, "number", make).unwrap(), context.id());
            let again = KEPT.get_or_make(context, "number", || unreachable!("it is kept"));
            assert_eq!(*again.unwrap(), context.id());
        }
        let last = KEPT.get(goes, "number").unwrap();
        Context::pop().unwrap();
        goes.detach();
        assert_eq!(Arc::strong_count(&last), 1, "nothing else holds it");
        assert!(KEPT.get(goes, "number").is_none() && KEPT.get(stays, "number").is_some());
    }
}
