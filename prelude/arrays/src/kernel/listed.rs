//! Kernels as `:kernels` lists them: one record for each kernel of a module,
//! however often it is asked for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use gpurepl_kernels::signature::Signature;

use super::source_module::{Function, FunctionInner, Inner};
use crate::activity::{Compilation, Launchable, Record};
use crate::device::{Entry, LoadedParameter};

/// The records of a module's kernels.
pub(super) struct Records {
    compilation: Compilation,
    by_name: Mutex<HashMap<String, Arc<Record>>>,
}

impl Records {
    pub(super) fn new(compilation: Compilation) -> Records {
        Records { compilation, by_name: Mutex::default() }
    }
}

impl Launchable for FunctionInner {
    fn entry(&self) -> &dyn Entry {
        &*self.entry
    }
}

impl Function {
    /// A kernel of a module, which is listed from now on.
    pub(super) fn listed(
        module: &Arc<Inner>,
        entry: Box<dyn Entry>,
        signature: Signature,
        sizes: Option<Vec<usize>>,
        loaded: Option<Vec<LoadedParameter>>,
    ) -> Function {
        let name = signature.qualified_name();
        let mut by_name = module.records.by_name.lock().unwrap_or_else(PoisonError::into_inner);
        let record = Arc::clone(by_name.entry(name).or_insert_with_key(|name| {
            let record = Record::new(name, module.context, module.records.compilation, Some(&*entry));
            record.list();
            record
        }));
        drop(by_name);
        let module = Arc::clone(module);
        let inner = Arc::new(FunctionInner { entry, signature, sizes, loaded, module, record });
        let kernel: Arc<dyn Launchable> = inner.clone();
        inner.record.lives_in(Arc::downgrade(&kernel));
        Function { inner }
    }
}
