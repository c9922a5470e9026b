//! The variables of a module on the host, found through its table of symbols:
//! they are not exported, so the loader does not know them by name.

use super::lines::Code;
use crate::error::{Problem, Result};
use crate::{left_out_global, symbols};

/// The variables of a loaded module.
pub(super) struct Globals {
    variables: Vec<symbols::Variable>,
    /// Where the module is loaded.
    base: u64,
}

impl Globals {
    /// The variables of a module, if its source has any.
    pub(super) fn new(has_some: bool, code: &Code) -> Globals {
        let variables = if has_some { symbols::variables(code.file()) } else { Vec::new() };
        Globals { variables, base: code.base() as u64 }
    }

    /// Takes over the values of another build's variables.
    ///
    /// # Safety
    ///
    /// Both modules are loaded, and no kernel of either runs.
    pub(super) unsafe fn copy_from(&self, other: &Globals) {
        // What the shim has is each module's own.
        let is_users =
            |variable: &&symbols::Variable| variable.is_writable && !variable.symbol.contains("gpurepl_");
        for from in other.variables.iter().filter(is_users) {
            let to = self.variables.iter().find(|to| to.symbol == from.symbol && to.bytes == from.bytes);
            let Some(to) = to.filter(|to| to.is_writable) else { continue };
            let address = |globals: &Globals, offset: u64| globals.base.wrapping_add(offset);
            // SAFETY: the table of symbols says where a module's variables
            // lie and how long they are; the caller promises the rest.
            unsafe {
                std::ptr::copy_nonoverlapping(
                    address(other, from.offset) as *const u8,
                    address(self, to.offset) as *mut u8,
                    to.bytes,
                );
            }
        }
    }

    pub(super) fn find(&self, name: &str) -> Result<(u64, usize)> {
        let found = self.variables.iter().find(|variable| symbols::is_called(&variable.symbol, name));
        let variable = found.ok_or_else(|| left_out_global(name))?;
        if !variable.is_writable {
            let message = format!(
                "{name}: this variable is `const`, so the host device has it where nothing can be written\n  \
                 = help: leave `const` out; kernels cannot write to `__constant__` variables anyway"
            );
            return Err(Problem::Unsupported { message }.into());
        }
        Ok((self.base.wrapping_add(variable.offset), variable.bytes))
    }
}
