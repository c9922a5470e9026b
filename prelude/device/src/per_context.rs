//! What is kept for each context, and goes with it: compiled kernels. Of many,
//! those used last are kept.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{LazyLock, Mutex, MutexGuard, Once, PoisonError};

use super::Context;
use super::recent::Recent;
use crate::error::Result;

/// Values by context and key, in a static. Those of a context are dropped when
/// it is detached, or when others have been used since; whoever holds one keeps
/// it.
pub struct PerContext<K: 'static, V: 'static> {
    kept: LazyLock<Mutex<HashMap<u32, Recent<K, V>>>>,
    listed: Once,
    /// Values of a context that are kept.
    most: usize,
}

impl<K: Eq + Hash + Send, V: Clone + Send> Default for PerContext<K, V> {
    fn default() -> PerContext<K, V> {
        PerContext::new()
    }
}

/// Values that are kept for each context: a kernel takes some ten kilobytes, and
/// is a file in the user's cache besides.
const MOST: usize = 1024;

/// What is emptied when a context goes.
trait Forget: Sync {
    fn forget(&self, context: u32);
}

static ALL: Mutex<Vec<&'static dyn Forget>> = Mutex::new(Vec::new());

impl<K: Eq + Hash + Send, V: Clone + Send> PerContext<K, V> {
    /// Nothing is kept yet; later at most [`MOST`] values for each context.
    pub const fn new() -> PerContext<K, V> {
        PerContext::keeping(MOST)
    }

    /// At most `most` values are kept for each context.
    pub const fn keeping(most: usize) -> PerContext<K, V> {
        PerContext { kept: LazyLock::new(Mutex::default), listed: Once::new(), most }
    }

    /// What is kept by a key for a context.
    pub(crate) fn get<Q: Eq + Hash + ?Sized>(&self, context: Context, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.lock().get_mut(&context.id())?.get(key, |known| known.borrow() == key)
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
        let mut all = self.lock();
        let kept = all.entry(context.id()).or_insert_with(|| Recent::new(self.most));
        let (value, gone) = kept.insert(key, value);
        drop(all);
        // Dropped without the lock: a kernel's end may take a while.
        drop(gone);
        Ok(value)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u32, Recent<K, V>>> {
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

    use gpurepl_kernels::ElementwiseSpec;

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
    #[test]
    fn what_was_used_least_recently_is_dropped() {
        static KEPT: PerContext<usize, Arc<usize>> = PerContext::keeping(8);
        let context = super::super::current().unwrap();
        let values: Vec<Arc<usize>> =
            (0..100).map(|key| KEPT.get_or_make(context, key, || Ok(Arc::new(key))).unwrap()).collect();
        let kept: Vec<usize> =
            values.iter().filter(|value| Arc::strong_count(value) > 1).map(|value| **value).collect();
        assert!((1..=8).contains(&kept.len()), "{kept:?}");
        assert_eq!(kept.last(), Some(&99));
        assert!(values.iter().enumerate().all(|(key, value)| **value == key), "who holds one keeps it");
    }

    /// A kernel whose code is unloaded with the last who holds it.
    #[test]
    fn a_kernel_runs_that_is_no_longer_kept() {
        static KEPT: PerContext<usize, Arc<dyn crate::LoopKernel>> = PerContext::keeping(1);
        let context = super::super::current().unwrap();
        let kernel = |number: usize| {
            let spec = ElementwiseSpec::new("int *out", &format!("out[i] = {number}"), "fill").unwrap();
            KEPT.get_or_make(context, number, || Ok(context.backend().compile_loop(&spec)?.into())).unwrap()
        };
        let first = kernel(7);
        let _second = kernel(8);
        assert_eq!(Arc::strong_count(&first), 1, "it is no longer kept");
        let out = crate::Buffer::new(context, 16).unwrap();
        let values = [crate::scalar::ScalarBytes::address(out.address())];
        let arguments = crate::LoopArguments { values: &values, structures: &[], buffers: &[&out] };
        first.run(arguments, 4).unwrap();
        let mut bytes = [0; 16];
        context.download(&out, 0, &mut bytes).unwrap();
        assert_eq!(bytemuck::cast_slice::<u8, i32>(&bytes), [7; 4]);
    }
}
