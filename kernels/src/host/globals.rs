//! What a source's variables need on the host, so that they can be found in
//! the compiled module and written from outside.

use std::ops::Range;

use crate::globals::Global;

/// Keeps a variable that nothing in the module writes from being taken for a
/// constant, or left out.
const USED: &str = "__attribute__((used)) ";

/// Exported beside variables, which are not: they are found from its address.
const ANCHOR: &str = "extern \"C\" GPUREPL_EXPORT char gpurepl_anchor;\nchar gpurepl_anchor = 1;\n";

/// The changes of the text that variables need.
pub(super) fn edits(globals: &[Global]) -> Vec<(Range<usize>, String)> {
    // One declaration may have several variables.
    let mut places: Vec<usize> = globals.iter().map(|global| global.qualifier.start).collect();
    places.dedup();
    places.into_iter().map(|place| (place..place, USED.to_owned())).collect()
}

/// What goes behind the text.
pub(super) fn anchor(globals: &[Global]) -> &'static str {
    if globals.is_empty() { "" } else { ANCHOR }
}
