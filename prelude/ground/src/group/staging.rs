//! The staging of the group that this process belongs to.

use std::path::Path;
use std::sync::OnceLock;

use gpurepl_board::Staging;

/// The staging, mapped when it is first wanted.
pub(super) fn of_group(folder: &Path, ranks: usize) -> Result<Staging, String> {
    static MAPPED: OnceLock<Staging> = OnceLock::new();
    if let Some(mapped) = MAPPED.get() {
        return Ok(*mapped);
    }
    let staging = Staging::open(folder, ranks).map_err(|error| {
        format!(
            "the memory through which the ranks pass elements cannot be made in {}: {error}; free some there, and \
             call it again in the next cell",
            folder.display()
        )
    })?;
    Ok(*MAPPED.get_or_init(|| staging))
}
