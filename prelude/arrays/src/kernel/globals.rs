//! A module's variables as memory: PyCUDA's `get_global`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use gpurepl_kernels::globals::{self, Global, GlobalKind};
use gpurepl_kernels::token::Source;

use super::source_module::Inner;
use crate::device::{self, Buffer, left_out_global};
use crate::error::{Error, Problem, Result};

/// The variables that a source seems to have, and those that are lent out.
pub(super) struct Globals {
    found: Vec<Global>,
    /// One buffer for each at a time, so that its lock guards the variable.
    /// The buffers hold the module, so the module does not hold them.
    lent: Mutex<HashMap<String, Weak<Buffer>>>,
}

impl Globals {
    pub(super) fn new(found: Vec<Global>) -> Globals {
        Globals { found, lent: Mutex::default() }
    }

    /// Variables of a module without a source, by their qualified names.
    pub(super) fn named(names: &[String]) -> Globals {
        let global = |name: &String| {
            let (namespace, name) = name.rsplit_once("::").unwrap_or(("", name));
            Global {
                name: name.to_owned(),
                namespace: namespace.to_owned(),
                kind: GlobalKind::Device,
                qualifier: 0..0,
            }
        };
        Globals { found: names.iter().map(global).collect(), lent: Mutex::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The variables that someone outside of the kernels can read or write.
    pub(super) fn in_use(&self) -> Vec<Arc<Buffer>> {
        if self.found.is_empty() {
            return Vec::new();
        }
        let lent = self.lent.lock().unwrap_or_else(PoisonError::into_inner);
        lent.values().filter_map(Weak::upgrade).collect()
    }

    /// The variable of this name, one of those that `is_wanted` holds for.
    ///
    /// # Errors
    ///
    /// If there is none; the error names those that there are.
    pub(super) fn find(&self, name: &str, what: &str, is_wanted: fn(GlobalKind) -> bool) -> Result<&Global> {
        let wanted = || self.found.iter().filter(|global| is_wanted(global.kind));
        // A qualified name is one variable's; a short one may be several's.
        let found = wanted().find(|global| global.qualified_name() == name);
        found.or_else(|| wanted().find(|global| global.is_called(name))).ok_or_else(|| {
            let known: Vec<String> = wanted().map(Global::qualified_name).collect();
            missing(name, what, &known)
        })
    }
}

#[cold]
fn missing(name: &str, what: &str, known: &[String]) -> Error {
    let message = if known.is_empty() {
        format!("the source has no {what}")
    } else {
        format!("the source has no {what} of this name; it has {}", known.join(", "))
    };
    Problem::Argument { kernel: name.to_owned(), message }.into()
}

/// The memory of a variable.
///
/// # Errors
///
/// If the source has no such variable, or the compiler leaves it out.
pub(super) fn buffer(module: &Arc<Inner>, name: &str) -> Result<Arc<Buffer>> {
    let is_memory = |kind| !matches!(kind, GlobalKind::Texture | GlobalKind::Surface);
    let what = "variable marked `__device__`, `__constant__` or `__managed__`";
    let found = module.globals.find(name, what, is_memory).map_err(|error| {
        // It may stand where the preprocessor leaves the text out.
        let mut written = globals::find(&Source::new(&module.source)).into_iter();
        let is_written = written.any(|global| is_memory(global.kind) && global.is_called(name));
        if is_written { left_out_global(name) } else { error }
    })?;
    buffer_of(module, found)
}

/// The memory of a variable that the source has.
pub(super) fn buffer_of(module: &Arc<Inner>, global: &Global) -> Result<Arc<Buffer>> {
    let name = global.qualified_name();
    let mut lent = module.globals.lent.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(buffer) = lent.get(&name).and_then(Weak::upgrade) {
        return Ok(buffer);
    }
    let (address, bytes) = module.module.global(&name)?;
    let owner: Arc<Inner> = Arc::clone(module);
    // Who used the variable before is not known any more, and who writes it
    // by this handle is waited for at its end.
    if device::streams_in_use() {
        module.context.backend().synchronize()?;
    }
    let buffer = Buffer::awaited(module.context, address, bytes, false, owner);
    lent.insert(name, Arc::downgrade(&buffer));
    Ok(buffer)
}
