//! The variables of a module on the host, found through its table of symbols:
//! they are not exported, so the loader does not know them by name.

use gpurepl_kernels::globals;
use libloading::os::unix::Library;

use crate::device::{left_out_global, symbols};
use crate::error::{Problem, Result};

/// What a source that has variables exports, to find the others from.
const ANCHOR: &str = "gpurepl_anchor";

/// The variables of a loaded module.
pub(super) struct Globals {
    variables: Vec<symbols::Variable>,
    /// Where the module is loaded.
    base: u64,
}

impl Globals {
    /// The variables of a module that was compiled from a source and loaded
    /// from these bytes.
    pub(super) fn new(source: &str, library: &Library, object: &[u8]) -> Result<Globals> {
        if globals::find(source).is_empty() {
            return Ok(Globals { variables: Vec::new(), base: 0 });
        }
        let variables = symbols::variables(object);
        let anchor = variables.iter().find(|variable| variable.symbol == ANCHOR);
        // SAFETY: the address of a variable, which is not read through.
        let place = unsafe { library.get::<*const u8>(ANCHOR.as_bytes()) };
        let (Some(anchor), Ok(place)) = (anchor, place) else {
            let message = "its table of symbols cannot be read".to_owned();
            return Err(Problem::Device { operation: "loading kernel".to_owned(), message }.into());
        };
        let base = (place.as_raw_ptr() as u64).wrapping_sub(anchor.offset);
        Ok(Globals { variables, base })
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
