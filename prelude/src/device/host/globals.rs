//! The variables of a module on the host, found through its table of symbols:
//! they are not exported, so the loader does not know them by name.

use gpurepl_kernels::globals;

use super::lines::Code;
use crate::device::{left_out_global, symbols};
use crate::error::{Problem, Result};

/// The variables of a loaded module.
pub(super) struct Globals {
    variables: Vec<symbols::Variable>,
    /// Where the module is loaded.
    base: u64,
}

impl Globals {
    /// The variables of a module that was compiled from a source.
    pub(super) fn new(source: &str, code: &Code) -> Globals {
        let variables =
            if globals::find(source).is_empty() { Vec::new() } else { symbols::variables(code.file()) };
        Globals { variables, base: code.base() as u64 }
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
